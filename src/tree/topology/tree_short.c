// tree_short.c - spanning forests with short loops.
//
// By balls: vertices next to each other are joined to balls of some radius by searches in breadth, each ball then
// counts as one vertex, and so on until nothing is left to be joined. Edges between neighbouring balls close loops of
// the size of these, however far all of them are from where the search began (Alon, Karp, Peleg, West 1995). Edges of
// the most weight are used up first, which makes the forest one of maximum weight.
//
// By exchange: loops are sets of edges, C_f that of the edge f which is left out. With an edge e of C_f left out in its
// place, the loops that go through e go the other way round C_f:
//     C_l := C_l + C_f without what is in both,  for every loop l through e                     (TREE-30)
#include "tree/topology/tree_short.h"

#include <string.h>

// ---- by balls -----------------------------------------------------------------------------------

typedef struct clusters {
    const flx_short_graph *g;
    int weight;
    int *of;       // (n) owned; cluster of each vertex, called by one of its vertices; then:
    int *into;     // (n) cluster that each becomes a part of; -1: not yet
    int *distance; // (n) from the centre of the ball
    int *queue;    // (n)
    int *start;    // (n + 2) first edge of each cluster
    int *list;     // (2 nedge)
} clusters;

static bool is_open(const clusters *c, int e, int side[2])
{
    const flx_short_edge *x = c->g->edges + e;
    if (x->end[0] < 0 || x->weight != c->weight) return false;
    for (int s = 0; s < 2; s++) side[s] = c->of[x->end[s]];
    return side[0] != side[1];
}

// Edges of the present weight between clusters; returns their number.
static int list_edges(const clusters *c)
{
    int side[2], n = 0;
    memset(c->start, 0, ((size_t)c->g->n + 2) * sizeof *c->start);
    for (int e = 0; e < c->g->nedge; e++) {
        if (!is_open(c, e, side)) continue;
        for (int s = 0; s < 2; s++) c->start[side[s] + 2]++;
        n++;
    }
    for (int i = 0; i < c->g->n; i++) c->start[i + 2] += c->start[i + 1];
    for (int e = 0; e < c->g->nedge; e++) {
        if (!is_open(c, e, side)) continue;
        for (int s = 0; s < 2; s++) c->list[c->start[side[s] + 1]++] = e;
    }
    return n;
}

// All that is near a cluster and in no ball yet.
static void take_ball(const clusters *c, int centre, int radius, bool *kept)
{
    int head = 0, tail = 0;
    c->into[centre] = centre;
    c->distance[centre] = 0;
    c->queue[tail++] = centre;
    while (head < tail) {
        int at = c->queue[head++];
        if (c->distance[at] == radius) break;
        for (int k = c->start[at]; k < c->start[at + 1]; k++) {
            const int *end = c->g->edges[c->list[k]].end;
            int to = c->of[end[c->of[end[0]] == at]];
            if (c->into[to] >= 0) continue;
            c->into[to] = centre;
            c->distance[to] = c->distance[at] + 1;
            c->queue[tail++] = to;
            kept[c->list[k]] = true;
        }
    }
}

static void join(const clusters *c, int radius, bool *kept)
{
    for (int i = 0; i < c->g->n; i++) c->into[i] = -1;
    for (int i = 0; i < c->g->n; i++) {
        if (c->into[c->of[i]] < 0) take_ball(c, c->of[i], radius, kept);
    }
    for (int i = 0; i < c->g->n; i++) c->of[i] = c->into[c->of[i]];
}

flx_status flx_short_forest(const flx_short_graph *g, int radius, bool *kept)
{
    clusters c = {.g = g};
    size_t n = (size_t)g->n;
    int most = 0;
    c.of = flx_alloc(g->ctx, 5 * n + 2 + 2 * (size_t)g->nedge, sizeof *c.of);
    if (!c.of) return FLX_ERR_MEMORY;
    c.into = c.of + n;
    c.distance = c.into + n;
    c.queue = c.distance + n;
    c.start = c.queue + n;
    c.list = c.start + n + 2;
    for (int i = 0; i < g->n; i++) c.of[i] = i;
    for (int e = 0; e < g->nedge; e++) {
        kept[e] = false;
        if (g->edges[e].end[0] >= 0 && g->edges[e].weight > most) most = g->edges[e].weight;
    }
    for (c.weight = most; c.weight >= 0; c.weight--) {
        while (list_edges(&c) > 0) join(&c, radius, kept);
    }
    flx_free(c.of);
    return FLX_OK;
}

// ---- by exchange --------------------------------------------------------------------------------

typedef struct numbers { // a set
    int n, room, *list;  // owned
} numbers;

typedef struct loops {
    const flx_short_graph *g;
    int n;
    int *own;         // (n) the edge that is left out; then:
    int *shared;      // (n) edges that the loop at hand has in common with each
    int *mark;        // (nedge) the loop that was marked last
    numbers *edges;   // (n) of each loop
    numbers *through; // (nedge) loops through each edge
} loops;

static flx_status add(flx_ctx *ctx, numbers *x, int i)
{
    FLX_TRY(flx_grow(ctx, (void **)&x->list, &x->room, x->n + 1, sizeof *x->list));
    x->list[x->n++] = i;
    return FLX_OK;
}

static void drop(numbers *x, int i)
{
    int k = 0;
    while (x->list[k] != i) k++;
    x->list[k] = x->list[--x->n];
}

static flx_status add_edge(loops *x, int loop, int e)
{
    FLX_TRY(add(x->g->ctx, x->edges + loop, e));
    return add(x->g->ctx, x->through + e, loop);
}

// How much shorter all loops become when an edge is left out instead of the own one of a loop; shared is known.
static int gain(const loops *x, int loop, int e)
{
    int sum = 0;
    for (int k = 0; k < x->through[e].n; k++) {
        int l = x->through[e].list[k];
        if (l != loop) sum += 2 * x->shared[l] - x->edges[loop].n;
    }
    return sum;
}

// The edge to be left out instead; -1: none is better.
static int find_better(const loops *x, int loop)
{
    const numbers *c = x->edges + loop;
    int best = -1, most = 0, weight = x->g->edges[x->own[loop]].weight;
    for (int pass = 0; pass < 2; pass++) { // counted; then for the next one zero again
        for (int k = 0; k < c->n; k++) {
            const numbers *t = x->through + c->list[k];
            for (int i = 0; i < t->n; i++) x->shared[t->list[i]] += pass == 0 ? 1 : -1;
        }
        for (int k = 0; k < c->n && pass == 0; k++) {
            int e = c->list[k], by = x->g->edges[e].weight == weight ? gain(x, loop, e) : 0;
            if (by > most) most = by, best = e;
        }
    }
    return best;
}

// (TREE-30) of one loop.
static flx_status turn(loops *x, int l, int loop)
{
    numbers *c = x->edges + l;
    const numbers *by = x->edges + loop;
    for (int k = 0; k < by->n; k++) x->mark[by->list[k]] = l;
    for (int k = c->n - 1; k >= 0; k--) { // what is in both goes
        int e = c->list[k];
        if (x->mark[e] != l) continue;
        x->mark[e] = -1;
        c->list[k] = c->list[--c->n];
        drop(x->through + e, l);
    }
    for (int k = 0; k < by->n; k++) {
        int e = by->list[k];
        if (x->mark[e] != l) continue;
        x->mark[e] = -1;
        FLX_TRY(add_edge(x, l, e));
    }
    return FLX_OK;
}

static flx_status exchange(loops *x, int loop, int e, bool *kept)
{
    for (int k = x->through[e].n - 1; k >= 0; k--) { // each of them leaves the list
        int l = x->through[e].list[k];
        if (l != loop) FLX_TRY(turn(x, l, loop));
    }
    kept[x->own[loop]] = true;
    kept[e] = false;
    x->own[loop] = e;
    return FLX_OK;
}

static void clear_loops(loops *x)
{
    for (int i = 0; x->edges && i < x->n; i++) flx_free(x->edges[i].list);
    for (int i = 0; x->through && i < x->g->nedge; i++) flx_free(x->through[i].list);
    flx_free(x->edges);
    flx_free(x->through);
    flx_free(x->own);
}

typedef struct forest { // rooted anywhere
    int *parent, *by;   // (n) vertex and edge towards the root; -1: a root
    int *depth;         // (n)
} forest;

static void root(const flx_short_graph *g, const bool *kept, forest *f, int *scratch)
{
    int n = g->n, *start = scratch, *list = start + n + 2, *queue = list + 2 * g->nedge;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int e = 0; e < g->nedge; e++) {
        for (int s = 0; s < 2 && kept[e]; s++) start[g->edges[e].end[s] + 2]++;
    }
    for (int i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int e = 0; e < g->nedge; e++) {
        for (int s = 0; s < 2 && kept[e]; s++) list[start[g->edges[e].end[s] + 1]++] = e;
    }
    for (int i = 0; i < n; i++) f->depth[i] = -1;
    for (int i = 0, tail = 0, head = 0; i < n; i++) {
        if (f->depth[i] >= 0) continue;
        f->depth[i] = 0;
        f->parent[i] = f->by[i] = -1;
        queue[tail++] = i;
        for (; head < tail; head++) {
            int at = queue[head];
            for (int k = start[at]; k < start[at + 1]; k++) {
                const int *end = g->edges[list[k]].end;
                int to = end[end[0] == at];
                if (f->depth[to] >= 0) continue;
                f->depth[to] = f->depth[at] + 1;
                f->parent[to] = at;
                f->by[to] = list[k];
                queue[tail++] = to;
            }
        }
    }
}

// The edges of a loop: its own one, and the paths from its ends to where they meet.
static flx_status list_loop(loops *x, int loop, const forest *f)
{
    const flx_short_edge *own = x->g->edges + x->own[loop];
    int at[2] = {own->end[0], own->end[1]};
    FLX_TRY(add_edge(x, loop, x->own[loop]));
    while (at[0] != at[1]) {
        int s = f->depth[at[1]] > f->depth[at[0]];
        FLX_TRY(add_edge(x, loop, f->by[at[s]]));
        at[s] = f->parent[at[s]];
    }
    return FLX_OK;
}

static flx_status list_loops(loops *x, const bool *kept)
{
    const flx_short_graph *g = x->g;
    size_t n = (size_t)g->n, nedge = (size_t)g->nedge;
    for (int e = 0; e < g->nedge; e++) x->n += g->edges[e].end[0] >= 0 && !kept[e];
    x->own = flx_alloc(g->ctx, 2 * (size_t)x->n + nedge, sizeof *x->own);
    x->edges = flx_alloc(g->ctx, (size_t)x->n, sizeof *x->edges);
    x->through = flx_alloc(g->ctx, nedge, sizeof *x->through);
    int *made = flx_alloc(g->ctx, 5 * n + 2 + 2 * nedge, sizeof *made);
    forest f = {made, made + n, made + 2 * n};
    flx_status status = x->own && x->edges && x->through && made ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        root(g, kept, &f, made + 3 * n);
        x->shared = x->own + x->n;
        x->mark = x->shared + x->n;
        for (int e = 0; e < g->nedge; e++) x->mark[e] = -1;
    }
    for (int e = 0, k = 0; e < g->nedge && status == FLX_OK; e++) {
        if (g->edges[e].end[0] < 0 || kept[e]) continue;
        x->own[k] = e;
        status = list_loop(x, k++, &f);
    }
    flx_free(made);
    return status;
}

// Every exchange makes the sum smaller; the first rounds find nearly all of it.
#define MOST_ROUNDS 20

flx_status flx_short_improve(const flx_short_graph *g, bool *kept, double *length)
{
    loops x = {.g = g};
    flx_status status = list_loops(&x, kept);
    bool more = true;
    for (int round = 0; round < MOST_ROUNDS && more && status == FLX_OK; round++) {
        more = false;
        for (int i = 0; i < x.n && status == FLX_OK; i++) {
            int e = find_better(&x, i);
            if (e < 0) continue;
            status = exchange(&x, i, e, kept);
            more = true;
        }
    }
    *length = 0.0;
    for (int i = 0; status == FLX_OK && i < x.n; i++) *length += x.edges[i].n;
    clear_loops(&x);
    return status;
}
