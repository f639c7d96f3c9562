// The recursions: known accelerations of a chain; forward, inverse and mass matrix against each
// other and against the descriptor, on random trees.
#include "chain_links.h"
#include "check.h"
#include "descriptor/descriptor_parts.h"
#include "flexion/extend/method_table.h"
#include "random_tree.h"
#include "tree/recursion/tree_bodies.h"

#define MOST 64

// ---- the chain ----------------------------------------------------------------------------------

// Known to ten digits from other articulated-body codes.
static int chain_has_the_known_accelerations(void)
{
    static const struct {
        int n;
        double first, last;
    } known[] = {{10, 6.276403006, 0.3635771202}, {1000, 6.360228401, -0.0456865729}};
    for (int i = 0; i < 2; i++) {
        chain c;
        CHECK(chain_create(&c, known[i].n));
        CHECK(flx_linkage_forward(&c.t.k, c.states, c.q, c.v, NULL, NULL, c.a) == -1);
        CHECK_NEAR(c.a[0], known[i].first, 0.51e-9);
        CHECK_NEAR(c.a[c.n - 1], known[i].last, 0.51e-10);
        // what these accelerations take is nothing
        flx_linkage_inverse(&c.t.k, c.states, c.q, c.v, c.a, NULL, c.tau);
        double weight = 9.81 * c.n * c.n;
        for (int k = 0; k < c.n; k++) CHECK_NEAR(c.tau[k], 0.0, 1e-12 * weight);
        chain_clear(&c);
    }
    return 0;
}

// ---- random trees -------------------------------------------------------------------------------

typedef struct tree_rig {
    mechanism k;
    flx_topology top;
    flx_tree_links t;
    flx_link_state *states;
    flx_link_frame *frames;
    double q[MOST], v[MOST], a[MOST], tau[MOST], ext[6 * MOST];
} tree_rig;

static int rig_open(tree_rig *g, int dimension, uint64_t seed)
{
    *g = (tree_rig){0};
    random_tree(&g->k, dimension, seed);
    CHECK(flx_topology_create(&g->k.m, &g->top) == FLX_OK);
    CHECK(g->top.ncut == 0);
    CHECK(flx_tree_links_create(&g->k.m, &g->top, &g->t) == FLX_OK);
    CHECK(g->t.k.nv == g->top.freedom && g->t.k.nq <= MOST && g->t.k.n < MOST);
    g->states = flx_alloc(g->k.ctx, (size_t)g->t.k.n + 1, sizeof *g->states);
    g->frames = flx_alloc(g->k.ctx, (size_t)g->t.k.n + 1, sizeof *g->frames);
    random_motion(&g->k, &g->t, g->q, g->v);
    random_vector(&g->k.seed, g->t.k.nv, 3.0, g->a);
    return 0;
}

static void rig_close(tree_rig *g)
{
    flx_free(g->states);
    flx_free(g->frames);
    flx_tree_links_clear(&g->t);
    flx_topology_clear(&g->top);
    mechanism_free(&g->k);
}

static double size_of(int n, const double *x)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static int forward_undoes_inverse(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        tree_rig g;
        double back[MOST], rest[MOST], M[MOST * MOST], *no_a = (double[MOST]){0};
        CHECK(rig_open(&g, seed % 3 == 0 ? 2 : 3, seed) == 0);
        const flx_linkage *k = &g.t.k;
        int n = k->nv;
        random_vector(&g.k.seed, 6 * k->n, 2.0, g.ext);
        flx_linkage_inverse(k, g.states, g.q, g.v, g.a, g.ext, g.tau);
        CHECK(flx_linkage_forward(k, g.states, g.q, g.v, g.tau, g.ext, back) == -1);
        for (int i = 0; i < n; i++) CHECK_NEAR(back[i], g.a[i], 1e-12 * size_of(n, g.tau));
        // tau = M a + what is left without accelerations
        flx_linkage_inverse(k, g.states, g.q, g.v, no_a, g.ext, rest);
        flx_linkage_mass(k, g.states, g.q, M);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                CHECK(M[n * i + j] == M[n * j + i]);
                rest[i] += M[n * i + j] * g.a[j];
            }
            CHECK_NEAR(rest[i], g.tau[i], 1e-12 * size_of(n, g.tau));
        }
        rig_close(&g);
    }
    return 0;
}

// Forces of the model on its bodies: what is left of the residual without them.
static int forces_of(tree_rig *g, const flx_point *p, const flx_system *with, flx_work *w,
                     double *f)
{
    flx_system *without = NULL;
    double r[6 * MOST], bare[6 * MOST];
    int n = g->k.m.nforce;
    g->k.m.nforce = 0;
    CHECK(flx_descriptor_create(&g->k.m, NULL, &without) == FLX_OK);
    g->k.m.nforce = n;
    flx_work *bw = without->ops->work_create(without);
    CHECK(with->ops->residual(with, w, p, r) == FLX_OK);
    CHECK(without->ops->residual(without, bw, p, bare) == FLX_OK);
    for (int i = 0; i < with->dims.nv; i++) f[i] = bare[i] - r[i];
    without->ops->work_destroy(bw);
    flx_system_destroy(&without);
    return 0;
}

// Positions, velocities and accelerations of the bodies, as the descriptor has them.
static int same_as_descriptor(tree_rig *g, double tolerance)
{
    flx_system *s = NULL;
    flx_state *x = NULL;
    double out[6 * MOST], f[6 * MOST], z[16 * MOST], dz[16 * MOST], zero[6 * MOST] = {0};
    CHECK(flx_descriptor_create(&g->k.m, NULL, &s) == FLX_OK);
    CHECK(flx_state_create(s, &x) == FLX_OK);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_body_places places = {g->k.m.nbody, &g->k.m, d->body_q, d->body_v};
    flx_work *w = s->ops->work_create(s);
    flx_tree_place(&g->t, g->q, g->frames);
    flx_tree_positions(&g->t, &places, g->frames, x->q);
    flx_tree_velocities(&g->t, &places, g->frames, g->v, x->v);
    flx_point p = flx_state_point(s, x);
    int first = flx_first_lam(d);
    double gaps[12 * MOST], size = size_of(s->dims.nv, x->v);
    CHECK(s->ops->residual(s, w, &p, gaps) == FLX_OK);
    for (int i = 0; i < s->dims.nlam; i++) CHECK_NEAR(gaps[first + i], 0.0, 1e-12 * size);
    CHECK(s->dims.nlam == 0 || s->ops->constraint_rate(s, w, &p, gaps) == FLX_OK);
    for (int i = 0; i < s->dims.nlam; i++) CHECK_NEAR(gaps[i], 0.0, 1e-12 * size);

    p.a = zero;
    CHECK(forces_of(g, &p, s, w, f) == 0);
    flx_tree_wrenches(&g->t, &places, g->frames, f, g->ext);
    CHECK(flx_linkage_forward(&g->t.k, g->states, g->q, g->v, NULL, g->ext, g->a) == -1);
    flx_tree_accelerations(&g->t, &places, g->frames, g->v, g->a, out);
    const flx_explicit *e = s->ops->explicit_form;
    CHECK(e->size(s) <= 16 * MOST && e->prepare(s, w) == FLX_OK);
    e->pack(s, x, z);
    CHECK(e->rate(s, w, 0.0, z, x, dz) == FLX_OK);
    double scale = size_of(s->dims.nv, x->a);
    for (int i = 0; i < s->dims.nv; i++) CHECK_NEAR(out[i], x->a[i], tolerance * scale);

    // the same forces along the joints instead
    flx_tree_forces(&g->t, &places, g->frames, f, g->tau);
    CHECK(flx_linkage_forward(&g->t.k, g->states, g->q, g->v, g->tau, NULL, dz) == -1);
    double most = size_of(g->t.k.nv, g->a);
    for (int i = 0; i < g->t.k.nv; i++) CHECK_NEAR(dz[i], g->a[i], tolerance * most);
    s->ops->work_destroy(w);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    return 0;
}

static int tree_and_descriptor_accelerate_alike(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        tree_rig g;
        CHECK(rig_open(&g, seed % 3 == 0 ? 2 : 3, 1000 + seed) == 0);
        if (seed % 2 == 0) random_forces(&g.k);
        if (same_as_descriptor(&g, 1e-12)) {
            printf("seed %d, dimension %d:", (int)seed, g.k.m.dimension);
            for (int j = 0; j < g.k.m.njoint; j++) {
                printf(" %s(%d,%d)", g.k.joints[j].kind->says.word, g.k.joints[j].body[0],
                       g.k.joints[j].body[1]);
            }
            printf("\n");
            return 1;
        }
        rig_close(&g);
    }
    return 0;
}

// As drawn, every body is where the drawing has it, angles in the plane with all their turns.
static int drawn_coordinates_are_the_drawing(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        tree_rig g;
        CHECK(rig_open(&g, seed % 2 ? 2 : 3, 77 + seed) == 0);
        flx_tree_place(&g.t, g.t.drawn, g.frames);
        for (int i = 0; i < g.k.m.nbody; i++) {
            const flx_body *b = g.k.bodies + i;
            const flx_mount *m = g.t.mounts + i;
            const flx_link_frame *f = g.frames + 1 + m->link;
            m33 R = m33_mul(f->R, m->R);
            if (b->type == FLX_BODY_POINT) continue;
            for (int k = 0; k < 9; k++) CHECK_NEAR(R.m[k], b->R[k], 1e-13);
            if (g.k.m.dimension == 2) CHECK_NEAR(f->angle + m->angle, b->angle, 1e-13);
        }
        rig_close(&g);
    }
    return 0;
}

// A body whose mass says nothing along its joint is named.
static int missing_inertia_is_found(void)
{
    chain c;
    CHECK(chain_create(&c, 3));
    flx_link *l = c.t.links + 2;
    l->m = 0.0;
    l->h = v3_make(0, 0, 0);
    l->J = (sym3){0};
    CHECK(flx_linkage_forward(&c.t.k, c.states, c.q, c.v, NULL, NULL, c.a) == 2);
    chain_clear(&c);
    return 0;
}

TEST_MAIN(TEST(chain_has_the_known_accelerations), TEST(forward_undoes_inverse),
          TEST(tree_and_descriptor_accelerate_alike), TEST(drawn_coordinates_are_the_drawing),
          TEST(missing_inertia_is_found))
