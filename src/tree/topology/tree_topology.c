// tree_topology.c - the spanning tree of a model's joints.
//
// Every joint that is cut costs as many closures as it has rows, so the tree keeps the joints with
// the most rows: a maximum spanning tree, grown from the ground by Prim's rule. Among joints with
// equally many rows the one nearest to the ground is taken first, which keeps the tree shallow: a
// loop of equal joints is cut in its middle. Where many loops share their paths to the ground, as those of a ladder do,
// each of them is as long as the tree is deep; then another tree with as few rows is taken whose loops are short.
// Bodies without a way to the ground make trees of their own. Each floats on the body in the middle
// of its longest path, found by two searches in breadth.
#include "tree/topology/tree_topology.h"

#include "joint/joint.h"

#include "tree/topology/tree_short.h"

#include <string.h>

static bool is_point(const flx_model *m, int body)
{
    return body >= 0 && m->bodies[body].type == FLX_BODY_POINT;
}

int flx_topology_float(const flx_model *m, int body)
{
    if (m->dimension == 2) return is_point(m, body) ? 2 : 3;
    return is_point(m, body) ? 3 : 6;
}

int flx_topology_freedom(const flx_model *m, const flx_joint *j, int carried)
{
    const flx_joint_kind *k = j->kind;
    bool planar = m->dimension == 2, point = is_point(m, carried);
    int n = 0;
    if (k->tree == FLX_TREE_CLOSES) return -1;
    for (int i = 0; i < k->nlink; i++) {
        switch (k->link[i].element) {
        case FLX_ELEMENT_TURN: // a point on a pin of the plane has nothing that turns
            n += point && planar ? 0 : 1;
            break;
        case FLX_ELEMENT_SLIDE:
        case FLX_ELEMENT_SCREW:
            n += 1;
            break;
        case FLX_ELEMENT_BALL:
            n += point ? 0 : 3;
            break;
        case FLX_ELEMENT_SHIFT:
            return flx_topology_float(m, carried);
        }
    }
    return n;
}

// ---- the graph ----------------------------------------------------------------------------------

typedef struct edge { // a joint seen from one of its bodies
    int joint, to;
} edge;

typedef struct graph {
    const flx_model *m;
    const bool *apart; // (njoint) or NULL: those that carry nothing
    int *start;        // (nbody + 2) first edge of each body, the ground first
    edge *edges;
    int *parent, *queue; // (nbody + 1) scratch of searches; bodies count from 1
    int *distance;       // (nbody + 1) -1: not reached
} graph;

static int joined(const flx_model *m, const flx_joint *j, int side)
{
    return flx_model_carrier(m, j->body[side]);
}

static bool carries(const graph *g, int joint)
{
    const flx_model *m = g->m;
    const flx_joint *j = m->joints + joint;
    if (g->apart && g->apart[joint]) return false;
    return joined(m, j, 0) != joined(m, j, 1) && flx_topology_freedom(m, j, j->body[1]) >= 0;
}

static void graph_clear(graph *g)
{
    flx_free(g->start);
    flx_free(g->edges);
    flx_free(g->parent);
    flx_free(g->queue);
    flx_free(g->distance);
}

static flx_status graph_create(const flx_model *m, const bool *apart, graph *g)
{
    size_t n = (size_t)m->nbody + 1;
    *g = (graph){.m = m, .apart = apart};
    g->start = flx_alloc(m->ctx, n + 1, sizeof *g->start);
    g->edges = flx_alloc(m->ctx, 2 * (size_t)m->njoint, sizeof *g->edges);
    g->parent = flx_alloc(m->ctx, n, sizeof *g->parent);
    g->queue = flx_alloc(m->ctx, n, sizeof *g->queue);
    g->distance = flx_alloc(m->ctx, n, sizeof *g->distance);
    if (!g->start || !g->edges || !g->parent || !g->queue || !g->distance) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->njoint; i++) {
        if (!carries(g, i)) continue;
        for (int s = 0; s < 2; s++) g->start[joined(m, m->joints + i, s) + 2]++;
    }
    for (size_t i = 1; i <= n; i++) g->start[i] += g->start[i - 1];
    // filled from the back: the first joint of the model ends first
    int *end = g->queue;
    memcpy(end, g->start + 1, n * sizeof *end);
    for (int i = m->njoint - 1; i >= 0; i--) {
        if (!carries(g, i)) continue;
        const int b[2] = {joined(m, m->joints + i, 0), joined(m, m->joints + i, 1)};
        for (int s = 0; s < 2; s++) g->edges[--end[b[s] + 1]] = (edge){i, b[1 - s]};
    }
    return FLX_OK;
}

// The body that a search in breadth from this one reaches last, and its distance.
static int find_farthest(graph *g, int from)
{
    int head = 0, tail = 0;
    for (int i = 0; i <= g->m->nbody; i++) g->distance[i] = -1;
    g->distance[from + 1] = 0;
    g->parent[from + 1] = from;
    g->queue[tail++] = from;
    while (head < tail) {
        int b = g->queue[head++];
        for (int e = g->start[b + 1]; e < g->start[b + 2]; e++) {
            int to = g->edges[e].to;
            if (g->distance[to + 1] >= 0) continue;
            g->distance[to + 1] = g->distance[b + 1] + 1;
            g->parent[to + 1] = b;
            g->queue[tail++] = to;
        }
    }
    return g->queue[tail - 1];
}

// Middle of the longest path in a part of the graph that has no ground.
static int find_middle(graph *g, int body)
{
    int end = find_farthest(g, find_farthest(g, body));
    for (int k = g->distance[end + 1] / 2; k > 0; k--) end = g->parent[end + 1];
    return end;
}

// ---- growth -------------------------------------------------------------------------------------

typedef struct offer { // a joint that could carry a body
    int rows, depth, joint, body, parent;
} offer;

typedef struct heap {
    int n;
    offer *items; // (2 njoint)
} heap;

static bool is_better(const offer *a, const offer *b)
{
    if (a->rows != b->rows) return a->rows > b->rows;
    if (a->depth != b->depth) return a->depth < b->depth;
    return a->joint < b->joint;
}

static void put(heap *h, offer o)
{
    int i = h->n++;
    for (; i > 0 && is_better(&o, h->items + (i - 1) / 2); i = (i - 1) / 2) {
        h->items[i] = h->items[(i - 1) / 2];
    }
    h->items[i] = o;
}

static offer take(heap *h)
{
    offer best = h->items[0], last = h->items[--h->n];
    int i = 0;
    for (int k; (k = 2 * i + 1) < h->n; i = k) {
        if (k + 1 < h->n && is_better(h->items + k + 1, h->items + k)) k++;
        if (!is_better(h->items + k, &last)) break;
        h->items[i] = h->items[k];
    }
    h->items[i] = last;
    return best;
}

// Rows that a joint has as it carries a body.
static int rows_of(const flx_model *m, const flx_joint *j, int body)
{
    return flx_topology_float(m, body) - flx_topology_freedom(m, j, body);
}

// What hangs on a body that is in the tree now.
static void offer_joints(const graph *g, const flx_topology *t, heap *h, int body)
{
    const flx_model *m = g->m;
    int number = body < 0 ? -1 : t->number[body];
    for (int e = g->start[body + 1]; e < g->start[body + 2]; e++) {
        int to = g->edges[e].to;
        if (to < 0 || t->number[to] >= 0) continue;
        const flx_joint *j = m->joints + g->edges[e].joint;
        put(h, (offer){.rows = rows_of(m, j, to),
                       .depth = number < 0 ? 1 : t->nodes[number].depth + 1,
                       .joint = g->edges[e].joint,
                       .body = to,
                       .parent = number});
    }
}

static void add_node(flx_topology *t, flx_tree_body node)
{
    t->number[node.body] = t->n;
    t->nodes[t->n++] = node;
    t->freedom += node.freedom;
    if (node.depth > t->depth) t->depth = node.depth;
}

static void grow(const graph *g, flx_topology *t, heap *h)
{
    const flx_model *m = g->m;
    while (h->n > 0) {
        offer o = take(h);
        if (t->number[o.body] >= 0) continue;
        const flx_joint *j = m->joints + o.joint;
        add_node(t, (flx_tree_body){.body = o.body,
                                    .parent = o.parent,
                                    .joint = o.joint,
                                    .first = joined(m, j, 0) == o.body,
                                    .freedom = flx_topology_freedom(m, j, o.body),
                                    .depth = o.depth});
        offer_joints(g, t, h, o.body);
    }
}

static flx_status span(graph *g, flx_topology *t)
{
    const flx_model *m = g->m;
    heap h = {0};
    h.items = flx_alloc(m->ctx, 2 * (size_t)m->njoint, sizeof *h.items);
    if (!h.items) return FLX_ERR_MEMORY;
    offer_joints(g, t, &h, FLX_BODY_GROUND);
    grow(g, t, &h);
    for (int i = 0; i < m->nbody; i++) {
        if (t->number[i] >= 0) continue;
        int root = find_middle(g, i);
        t->floats++;
        add_node(t, (flx_tree_body){.body = root,
                                    .parent = -1,
                                    .joint = -1,
                                    .freedom = flx_topology_float(m, root),
                                    .depth = 1});
        offer_joints(g, t, &h, root);
        grow(g, t, &h);
    }
    flx_free(h.items);
    return FLX_OK;
}

// ---- what the tree leaves -----------------------------------------------------------------------

static flx_status list_cuts(const flx_model *m, flx_topology *t)
{
    bool *kept = flx_alloc(m->ctx, (size_t)m->njoint, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    for (int i = 0; i < t->n; i++) {
        if (t->nodes[i].joint >= 0) kept[t->nodes[i].joint] = true;
    }
    for (int i = 0; i < m->njoint; i++) {
        // a free joint holds nothing, so nothing is cut with it
        if (!kept[i] && !m->joints[i].kind->loose) t->cut[t->ncut++] = i;
    }
    flx_free(kept);
    return FLX_OK;
}

// Children in the order of the tree, each with all of its own: sizes from the leaves inwards, then
// places from the ground outwards.
static flx_status order(const flx_model *m, flx_topology *t)
{
    int *size = flx_alloc(m->ctx, 2 * (size_t)t->n + 1, sizeof *size);
    if (!size) return FLX_ERR_MEMORY;
    int *next = size + t->n;
    for (int i = t->n - 1; i >= 0; i--) {
        size[i]++;
        if (t->nodes[i].parent >= 0) size[t->nodes[i].parent] += size[i];
    }
    int free_place = 0;
    for (int i = 0; i < t->n; i++) {
        int p = t->nodes[i].parent, *from = p < 0 ? &free_place : next + p, place = *from;
        t->preorder[place] = i;
        *from += size[i];
        next[i] = place + 1;
    }
    flx_free(size);
    return FLX_OK;
}

void flx_topology_clear(flx_topology *t)
{
    flx_free(t->nodes);
    flx_free(t->number);
    flx_free(t->preorder);
    flx_free(t->cut);
    *t = (flx_topology){0};
}

flx_status flx_topology_create(const flx_model *m, flx_topology *t)
{
    return flx_topology_create_apart(m, NULL, t);
}

// ---- short loops --------------------------------------------------------------------------------

// Joints on the paths between the bodies of all joints that carry nothing but could; at most about `most`.
static double count_paths(const graph *g, const flx_topology *t, double most)
{
    double count = t->floats - t->n; // those that carry count one each
    for (int i = 0; i < g->m->njoint && count <= most; i++) {
        if (!carries(g, i)) continue;
        int at[2];
        for (int s = 0; s < 2; s++) {
            int b = joined(g->m, g->m->joints + i, s);
            at[s] = b < 0 ? -1 : t->number[b];
        }
        while (at[0] != at[1] && count <= most) { // parents have smaller numbers
            int deeper = at[1] > at[0];
            at[deeper] = t->nodes[at[deeper]].parent;
            count += 1.0;
        }
    }
    return count;
}

static void clear_tree(const flx_model *m, flx_topology *t)
{
    for (int i = 0; i < m->nbody; i++) t->number[i] = -1;
    t->n = t->floats = t->freedom = t->depth = 0;
}

// The tree of the joints that are kept, from the ground and the middle of what floats.
static flx_status span_kept(const graph *g, const bool *kept, bool *apart, flx_topology *t)
{
    const flx_model *m = g->m;
    graph own;
    for (int i = 0; i < m->njoint; i++) apart[i] = !kept[i];
    flx_status status = graph_create(m, apart, &own);
    clear_tree(m, t);
    if (status == FLX_OK) status = span(&own, t);
    graph_clear(&own);
    return status;
}

// Another tree is worth it where it makes paths shorter by this factor.
#define SHORTER 2.0
// Ways that are shorter on average cannot be made much shorter, or need not be.
#define LONG 6.0
// Trees whose loops are longer by this part are as good.
#define AS_SHORT 0.02

// Bodies on which nothing hangs: where branches end together, more of them are met at once (tree_fronts.c).
static int count_ends(const flx_short_graph *g, const bool *kept, int *degree)
{
    int count = 0;
    memset(degree, 0, (size_t)g->n * sizeof *degree);
    for (int e = 0; e < g->nedge; e++) {
        for (int s = 0; s < 2 && kept[e]; s++) degree[g->edges[e].end[s]]++;
    }
    for (int i = 0; i < g->n; i++) count += degree[i] == 1;
    return count;
}

// The joints of the tree with the shortest loops found, by searches with balls of some radii; *length: of all loops.
static flx_status find_short(const flx_short_graph *g, bool *kept, bool *best, double *length)
{
    static const int radii[] = {1, 2, 3, 5};
    int *degree = flx_alloc(g->ctx, (size_t)g->n, sizeof *degree), least = 0;
    flx_status status = degree ? FLX_OK : FLX_ERR_MEMORY;
    *length = HUGE_VAL;
    for (size_t k = 0; k < sizeof radii / sizeof radii[0] && status == FLX_OK; k++) {
        double now = 0.0;
        status = flx_short_forest(g, radii[k], kept);
        if (status == FLX_OK) status = flx_short_improve(g, kept, &now);
        if (status != FLX_OK) break;
        int ends = count_ends(g, kept, degree);
        bool same = now <= (1.0 + AS_SHORT) * *length;
        if (!(now < (1.0 - AS_SHORT) * *length || (same && ends < least))) continue;
        *length = now;
        least = ends;
        memcpy(best, kept, (size_t)g->nedge * sizeof *best);
    }
    flx_free(degree);
    return status;
}

// A tree of short loops instead of the shallow one, where these are much shorter.
static flx_status shorten(const graph *g, flx_topology *t)
{
    const flx_model *m = g->m;
    size_t n = (size_t)m->njoint;
    flx_short_edge *edges = flx_alloc(m->ctx, n, sizeof *edges);
    bool *best = flx_alloc(m->ctx, 2 * n, sizeof *best), *scratch = best ? best + n : NULL;
    flx_status status = edges && best ? FLX_OK : FLX_ERR_MEMORY;
    int loops = t->floats - m->nbody;
    double length;
    for (int i = 0; i < m->njoint && status == FLX_OK; i++) {
        const flx_joint *j = m->joints + i;
        int a = joined(m, j, 0), b = joined(m, j, 1);
        edges[i] = (flx_short_edge){{-1, -1}, 0};
        if (!carries(g, i)) continue;
        edges[i] = (flx_short_edge){{a + 1, b + 1}, rows_of(m, j, b < 0 ? a : b)};
        loops++;
    }
    if (status == FLX_OK && loops > 0 && count_paths(g, t, LONG * loops) > LONG * loops) {
        const flx_short_graph x = {m->ctx, m->nbody + 1, m->njoint, edges};
        status = find_short(&x, scratch, best, &length);
        double worth = SHORTER * (length - loops);
        if (status == FLX_OK && count_paths(g, t, worth) > worth) {
            status = span_kept(g, best, scratch, t);
        }
    }
    flx_free(edges);
    flx_free(best);
    return status;
}

flx_status flx_topology_create_apart(const flx_model *m, const bool *apart, flx_topology *t)
{
    size_t n = (size_t)m->nbody;
    graph g;
    *t = (flx_topology){.ctx = m->ctx};
    t->nodes = flx_alloc(m->ctx, n, sizeof *t->nodes);
    t->number = flx_alloc(m->ctx, n, sizeof *t->number);
    t->preorder = flx_alloc(m->ctx, n, sizeof *t->preorder);
    t->cut = flx_alloc(m->ctx, (size_t)m->njoint, sizeof *t->cut);
    flx_status status = graph_create(m, apart, &g);
    if (!t->nodes || !t->number || !t->preorder || !t->cut) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        clear_tree(m, t);
        status = span(&g, t);
    }
    if (status == FLX_OK) status = shorten(&g, t);
    if (status == FLX_OK) status = list_cuts(m, t);
    if (status == FLX_OK) status = order(m, t);
    graph_clear(&g);
    if (status != FLX_OK) flx_topology_clear(t);
    return status;
}
