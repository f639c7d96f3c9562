// The tree of a model: open chains, branches, loops, floating bodies, several trees; in the plane
// and in space.
#include "check.h"
#include "mechanism.h"
#include "tree/topology/tree_topology.h"

// What holds for every tree of every model.
static int check_tree(const flx_model *m, const flx_topology *t)
{
    int freedom = 0, floats = 0, depth = 0, kept = 0;
    CHECK(t->n == m->nbody);
    for (int i = 0; i < t->n; i++) {
        const flx_tree_body *b = t->nodes + i;
        CHECK(t->number[b->body] == i);
        CHECK(b->parent >= -1 && b->parent < i);
        CHECK(b->depth == (b->parent < 0 ? 1 : t->nodes[b->parent].depth + 1));
        freedom += b->freedom;
        floats += b->joint < 0;
        kept += b->joint >= 0;
        if (b->depth > depth) depth = b->depth;
        if (b->joint < 0) {
            CHECK(b->freedom == flx_topology_float(m, b->body));
            continue;
        }
        const flx_joint *j = m->joints + b->joint;
        int parent = b->parent < 0 ? FLX_BODY_GROUND : t->nodes[b->parent].body;
        CHECK(j->body[b->first ? 0 : 1] == b->body && j->body[b->first ? 1 : 0] == parent);
        CHECK(b->freedom == flx_topology_freedom(m, j, b->body));
    }
    int free_joints = 0;
    for (int i = 0; i < m->njoint; i++) free_joints += m->joints[i].kind == &flx_joint_FREE;
    CHECK(kept + t->ncut <= m->njoint && kept + t->ncut + free_joints >= m->njoint);
    for (int i = 1; i < t->ncut; i++) CHECK(t->cut[i - 1] < t->cut[i]);
    CHECK(t->freedom == freedom && t->floats == floats && t->depth == depth);
    // what hangs on a body follows it in the order, before anything else
    for (int i = 1; i < t->n; i++) {
        const flx_tree_body *b = t->nodes + t->preorder[i], *a = t->nodes + t->preorder[i - 1];
        CHECK(b->depth <= a->depth + 1);
        if (b->depth == a->depth + 1) CHECK(b->depth == 1 || b->parent == t->preorder[i - 1]);
    }
    return 0;
}

static int make(mechanism *k, flx_topology *t)
{
    CHECK(flx_topology_create(&k->m, t) == FLX_OK);
    return check_tree(&k->m, t);
}

static int chain_is_a_path(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        flx_topology t;
        mechanism_init(&k, dimension, 1);
        // named against the order of the chain, and seen from either side
        for (int i = 0; i < 5; i++) add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, &flx_joint_REVOLUTE, 4, FLX_BODY_GROUND);
        for (int i = 4; i > 0; i--) {
            add_joint(&k, i % 2 ? &flx_joint_REVOLUTE : &flx_joint_PRISMATIC, i % 2 ? i : i - 1,
                      i % 2 ? i - 1 : i);
        }
        CHECK(make(&k, &t) == 0);
        CHECK(t.depth == 5 && t.freedom == 5 && t.ncut == 0 && t.floats == 0);
        for (int i = 0; i < 5; i++) CHECK(t.nodes[i].body == 4 - i && t.nodes[i].parent == i - 1);
        CHECK(t.nodes[0].first && t.nodes[1].first && !t.nodes[2].first);
        flx_topology_clear(&t);
        mechanism_free(&k);
    }
    return 0;
}

static int branches_come_after_their_stem(void)
{
    mechanism k;
    flx_topology t;
    mechanism_init(&k, 3, 2);
    for (int i = 0; i < 7; i++) add_body(&k, FLX_BODY_RIGID);
    add_joint(&k, &flx_joint_SPHERICAL, FLX_BODY_GROUND, 6);
    add_joint(&k, &flx_joint_UNIVERSAL, 6, 0);
    add_joint(&k, &flx_joint_CYLINDRICAL, 6, 1);
    add_joint(&k, &flx_joint_SCREW, 0, 2);
    add_joint(&k, &flx_joint_PLANAR, 0, 3);
    add_joint(&k, &flx_joint_FIXED, 1, 4);
    add_joint(&k, &flx_joint_FREE, 1, 5);
    CHECK(make(&k, &t) == 0);
    CHECK(t.depth == 3 && t.ncut == 0);
    CHECK(t.freedom == 3 + 2 + 2 + 1 + 3 + 0 + 6);
    flx_topology_clear(&t);
    mechanism_free(&k);
    return 0;
}

// A ring of equal joints through the ground is cut in its middle; its weakest joint otherwise.
static int loops_are_cut_where_it_costs_least(void)
{
    for (int special = -1; special < 6; special++) {
        mechanism k;
        flx_topology t;
        mechanism_init(&k, 3, 3);
        for (int i = 0; i < 5; i++) add_body(&k, FLX_BODY_RIGID);
        for (int i = 0; i < 6; i++) {
            add_joint(&k, i == special ? &flx_joint_SPHERICAL : &flx_joint_REVOLUTE,
                      i == 0 ? FLX_BODY_GROUND : i - 1, i == 5 ? FLX_BODY_GROUND : i);
        }
        CHECK(make(&k, &t) == 0);
        CHECK(t.ncut == 1 && t.floats == 0);
        if (special < 0) CHECK(t.depth == 3 && (t.cut[0] == 2 || t.cut[0] == 3));
        if (special >= 0) CHECK(t.cut[0] == special);
        CHECK(t.freedom == 5);
        flx_topology_clear(&t);
        mechanism_free(&k);
    }
    return 0;
}

static int what_cannot_carry_closes(void)
{
    static const flx_joint_kind *const types[] = {&flx_joint_DISTANCE, &flx_joint_POINT_ON_LINE,
                                                  &flx_joint_POINT_ON_PLANE, &flx_joint_ROLLING,
                                                  &flx_joint_KNIFE_EDGE};
    mechanism k;
    flx_topology t;
    mechanism_init(&k, 3, 4);
    for (int i = 0; i < 5; i++) {
        add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, types[i], FLX_BODY_GROUND, i);
    }
    CHECK(make(&k, &t) == 0);
    CHECK(t.ncut == 5 && t.floats == 5 && t.freedom == 30 && t.depth == 1);
    flx_topology_clear(&t);
    mechanism_free(&k);
    return 0;
}

// Two trees without a way to the ground, each with its base in the middle; points beside bodies.
static int floating_trees_hang_on_their_middle(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        flx_topology t;
        mechanism_init(&k, dimension, 5);
        for (int i = 0; i < 7; i++) add_body(&k, i == 6 ? FLX_BODY_POINT : FLX_BODY_RIGID);
        for (int i = 0; i < 4; i++) add_joint(&k, &flx_joint_REVOLUTE, i, i + 1);
        add_joint(&k, dimension == 2 ? &flx_joint_REVOLUTE : &flx_joint_SPHERICAL, 5, 6);
        CHECK(make(&k, &t) == 0);
        CHECK(t.floats == 2 && t.ncut == 0);
        CHECK(t.nodes[0].body == 2 && t.depth == 3);
        int held = t.nodes[t.number[6]].parent < 0; // the body then turns about the point
        int whole = dimension == 2 ? 3 : 6, half = dimension == 2 ? 2 : 3;
        CHECK(t.freedom == whole + 4 + (held ? half + (dimension == 2 ? 1 : 3) : whole));
        flx_topology_clear(&t);
        mechanism_free(&k);
    }
    return 0;
}

static int nothing_is_a_tree_too(void)
{
    mechanism k;
    flx_topology t;
    mechanism_init(&k, 3, 6);
    CHECK(make(&k, &t) == 0);
    CHECK(t.n == 0 && t.ncut == 0 && t.depth == 0);
    flx_topology_clear(&t);
    mechanism_free(&k);
    return 0;
}

// Random graphs: the invariants, and as few rows of cut joints as any tree leaves.
static int random_graphs_keep_the_most_rows(void)
{
    static const flx_joint_kind *const space[] = {
        &flx_joint_REVOLUTE, &flx_joint_SPHERICAL, &flx_joint_FIXED,    &flx_joint_PRISMATIC,
        &flx_joint_DISTANCE, &flx_joint_PLANAR,    &flx_joint_UNIVERSAL};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        mechanism k;
        flx_topology t;
        mechanism_init(&k, 3, seed);
        int n = 2 + (int)(3.0 * (1.0 + random_number(&k.seed)));
        for (int i = 0; i < n; i++) add_body(&k, FLX_BODY_RIGID);
        for (int i = 0; i < 8; i++) {
            int a = (int)((n + 1) * 0.4999 * (1.0 + random_number(&k.seed))) - 1;
            int b = (int)((n + 1) * 0.4999 * (1.0 + random_number(&k.seed))) - 1;
            int type = (int)(7 * 0.4999 * (1.0 + random_number(&k.seed)));
            add_joint(&k, space[type], a, b);
        }
        CHECK(make(&k, &t) == 0);
        // no joint of the tree on the path that a cut joint closes has fewer rows than this one
        for (int c = 0; c < t.ncut; c++) {
            const flx_joint *j = k.joints + t.cut[c];
            int free_rows = 6 - flx_topology_freedom(&k.m, j, j->body[1]);
            if (free_rows > 6 || j->body[0] == j->body[1]) continue;
            int end[2];
            for (int s = 0; s < 2; s++) end[s] = j->body[s] < 0 ? -1 : t.number[j->body[s]];
            while (end[0] != end[1]) {
                int s = end[0] > end[1] ? 0 : 1; // the later one is not an ancestor
                CHECK(6 - t.nodes[end[s]].freedom >= free_rows);
                end[s] = t.nodes[end[s]].parent;
            }
        }
        flx_topology_clear(&t);
        mechanism_free(&k);
    }
    return 0;
}

TEST_MAIN(TEST(chain_is_a_path), TEST(branches_come_after_their_stem),
          TEST(loops_are_cut_where_it_costs_least), TEST(what_cannot_carry_closes),
          TEST(floating_trees_hang_on_their_middle), TEST(nothing_is_a_tree_too),
          TEST(random_graphs_keep_the_most_rows))
