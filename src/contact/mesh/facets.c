// facets.c - making a surface of triangles, and walking its tree.
#include "contact/mesh/facets.h"

#define LEAF 4 // triangles

typedef struct maker {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_facets *t;
    int *table, size; // an open table of numbers + 1, of vertices and then of edges
} maker;

// ---- vertices and triangles -----------------------------------------------------------------------

static uint32_t mix(uint32_t h, uint64_t x)
{
    h = (h ^ (uint32_t)x) * 16777619U;
    h = (h ^ (uint32_t)(x >> 32)) * 16777619U;
    return h ^ h >> 15;
}

static int *vertex_slot(const maker *m, const double x[3])
{
    uint32_t h = 2166136261U;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        double y = x[k] + 0.0; // -0 and 0 are one place
        memcpy(&bits, &y, sizeof bits);
        h = mix(h, bits);
    }
    uint32_t mask = (uint32_t)m->size - 1, i = h & mask;
    for (; m->table[i]; i = (i + 1) & mask) {
        const double *v = m->t->vertices + 3 * (size_t)(m->table[i] - 1);
        if (v[0] == x[0] && v[1] == x[1] && v[2] == x[2]) break;
    }
    return m->table + i;
}

static int vertex_of(maker *m, const double x[3])
{
    int *slot = vertex_slot(m, x);
    if (!*slot) {
        memcpy(m->t->vertices + 3 * (size_t)m->t->nvertex, x, 3 * sizeof *x);
        *slot = ++m->t->nvertex;
    }
    return *slot - 1;
}

static void add_triangle(maker *m, const double *points, const int *corners)
{
    flx_facets *t = m->t;
    int c[3];
    for (int k = 0; k < 3; k++) c[k] = vertex_of(m, points + 3 * (size_t)corners[k]);
    v3 a = flx_facets_vertex(t, c[0]), e = v3_sub(flx_facets_vertex(t, c[1]), a);
    v3 f = v3_sub(flx_facets_vertex(t, c[2]), a), n = v3_cross(e, f);
    double area = v3_norm(n), least = 1e-12 * (v3_dot(e, e) + v3_dot(f, f));
    if (!(area > least)) return;
    memcpy(t->corners + 3 * (size_t)t->ntriangle, c, sizeof c);
    v3_store(t->normals + 3 * (size_t)t->ntriangle, v3_scale(1.0 / area, n));
    t->ntriangle++;
}

// ---- edges ------------------------------------------------------------------------------------------

static int *edge_slot(const maker *m, int v, int w)
{
    int low = v < w ? v : w, high = v < w ? w : v;
    uint32_t mask = (uint32_t)m->size - 1,
             i = mix(mix(2166136261U, (uint64_t)low), (uint64_t)high) & mask;
    for (; m->table[i]; i = (i + 1) & mask) {
        const int *e = m->t->edges + 4 * (size_t)(m->table[i] - 1);
        if ((e[0] == v && e[1] == w) || (e[0] == w && e[1] == v)) break;
    }
    return m->table + i;
}

// A third triangle at an edge, or one that is turned the other way, makes the surface one that is not closed.
static void add_edges(maker *m)
{
    flx_facets *t = m->t;
    t->closed = true;
    for (int i = 0; i < t->ntriangle; i++) {
        for (int k = 0; k < 3; k++) {
            int v = t->corners[3 * (size_t)i + k], w = t->corners[3 * (size_t)i + (k + 1) % 3];
            int *slot = edge_slot(m, v, w);
            if (!*slot) {
                const int e[4] = {v, w, i, -1};
                memcpy(t->edges + 4 * (size_t)t->nedge, e, sizeof e);
                *slot = ++t->nedge;
            } else {
                int *e = t->edges + 4 * (size_t)(*slot - 1);
                if (e[3] >= 0 || e[0] == v) t->closed = false;
                if (e[3] < 0) e[3] = i;
            }
            t->sides[3 * (size_t)i + k] = *slot - 1;
        }
    }
    for (int i = 0; i < t->nedge; i++) t->closed = t->closed && t->edges[4 * (size_t)i + 3] >= 0;
}

static void add_spokes(flx_facets *t)
{
    for (int i = 0; i < t->nedge; i++) {
        for (int k = 0; k < 2; k++) t->first[t->edges[4 * (size_t)i + k] + 1]++;
    }
    for (int i = 0; i < t->nvertex; i++) t->first[i + 1] += t->first[i];
    for (int i = 0; i < t->nedge;
         i++) { // first[v] goes to the end of v, which is the begin of the next
        for (int k = 0; k < 2; k++) t->spokes[t->first[t->edges[4 * (size_t)i + k]]++] = i;
    }
    for (int i = t->nvertex; i > 0; i--) t->first[i] = t->first[i - 1];
    t->first[0] = 0;
}

static void add_outwards(flx_facets *t)
{
    for (int i = 0; i < t->ntriangle; i++) {
        for (int k = 0; k < 3; k++) {
            int c = t->corners[3 * (size_t)i + k];
            v3 a = flx_facets_vertex(t, c);
            v3 e = v3_sub(flx_facets_vertex(t, t->corners[3 * (size_t)i + (k + 1) % 3]), a);
            v3 f = v3_sub(flx_facets_vertex(t, t->corners[3 * (size_t)i + (k + 2) % 3]), a);
            double angle = atan2(v3_norm(v3_cross(e, f)), v3_dot(e, f));
            v3_add_to(t->outwards + 3 * (size_t)c, angle, flx_facets_normal(t, i));
            t->owner[c] = i;
        }
    }
}

// ---- the tree ---------------------------------------------------------------------------------------

static double middle(const flx_facets *t, int i, int axis)
{
    const int *c = t->corners + 3 * (size_t)i;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += t->vertices[3 * (size_t)c[k] + axis];
    return sum;
}

static void fit(const flx_facets *t, flx_facet_box *b, int first, int count)
{
    for (int a = 0; a < 3; a++) b->low[a] = HUGE_VAL, b->high[a] = -HUGE_VAL;
    for (int i = first; i < first + count; i++) {
        for (int k = 0; k < 3; k++) {
            const double *v = t->vertices + 3 * (size_t)t->corners[3 * (size_t)t->order[i] + k];
            for (int a = 0; a < 3; a++) {
                b->low[a] = fmin(b->low[a], v[a]);
                b->high[a] = fmax(b->high[a], v[a]);
            }
        }
    }
}

// The half with the smaller middles to the front (Hoare's selection; ties by number, so that the tree is the same everywhere).
static void split(const flx_facets *t, int *order, int n, int axis)
{
    int low = 0, high = n - 1, half = n / 2;
    while (low < high) {
        int pivot = order[(low + high) / 2], i = low, j = high;
        double at = middle(t, pivot, axis);
        while (i <= j) {
            for (;; i++) {
                double x = middle(t, order[i], axis);
                if (!(x < at || (x == at && order[i] < pivot))) break;
            }
            for (;; j--) {
                double x = middle(t, order[j], axis);
                if (!(x > at || (x == at && order[j] > pivot))) break;
            }
            if (i > j) break;
            int s = order[i];
            order[i++] = order[j];
            order[j--] = s;
        }
        if (j < half) low = i;
        if (half < i) high = j;
    }
}

static void grow_tree(flx_facets *t, int box, int first, int count)
{
    flx_facet_box *b = t->boxes + box;
    fit(t, b, first, count);
    if (count <= LEAF) {
        b->first = first;
        b->count = count;
        return;
    }
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        if (b->high[a] - b->low[a] > b->high[axis] - b->low[axis]) axis = a;
    }
    split(t, t->order + first, count, axis);
    b->first = t->nbox;
    t->nbox += 2;
    int child = b->first;
    grow_tree(t, child, first, count / 2); // its depth is the logarithm of the count
    grow_tree(t, child + 1, first + count / 2, count - count / 2);
}

// ---- making -----------------------------------------------------------------------------------------

static void *take(const maker *m, int n, int each, size_t size)
{
    return flx_arena_take(m->arena, (size_t)n * (size_t)each, size);
}

static flx_status take_room(maker *m, int npoint, int n)
{
    flx_facets *t = m->t;
    m->size = 1024;
    while (m->size < 8 * n || m->size < 2 * npoint) m->size *= 2;
    m->table = flx_alloc(m->ctx, (size_t)m->size, sizeof *m->table);
    t->vertices = take(m, npoint, 3, sizeof *t->vertices);
    t->corners = take(m, n, 3, sizeof *t->corners);
    t->sides = take(m, n, 3, sizeof *t->sides);
    t->normals = take(m, n, 3, sizeof *t->normals);
    t->edges = take(m, n, 12, sizeof *t->edges);
    t->outwards = take(m, npoint, 3, sizeof *t->outwards);
    t->owner = take(m, npoint, 1, sizeof *t->owner);
    t->first = take(m, npoint + 2, 1, sizeof *t->first);
    t->spokes = take(m, n, 6, sizeof *t->spokes);
    t->boxes = take(m, n, 2, sizeof *t->boxes);
    t->order = take(m, n, 1, sizeof *t->order);
    bool all = m->table && t->vertices && t->corners && t->sides && t->normals && t->edges &&
               t->outwards && t->owner && t->first && t->spokes && t->boxes && t->order;
    return all ? FLX_OK : FLX_ERR_MEMORY;
}

static void build(maker *m, const double *points, int ntriangle, const int *corners)
{
    flx_facets *t = m->t;
    for (int i = 0; i < ntriangle; i++) add_triangle(m, points, corners + 3 * (size_t)i);
    memset(m->table, 0, (size_t)m->size * sizeof *m->table);
    add_edges(m);
    add_spokes(t);
    add_outwards(t);
    for (int i = 0; i < t->ntriangle; i++) t->order[i] = i;
    t->nbox = 1;
    if (t->ntriangle > 0) grow_tree(t, 0, 0, t->ntriangle);
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = t->boxes[0].high[a] - t->boxes[0].low[a];
    t->size = v3_norm(v3_load(d));
}

flx_status flx_facets_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                           const double *points, int ntriangle, const int *corners,
                           const flx_facets **out)
{
    maker m = {.ctx = ctx, .arena = arena, .t = flx_arena_take(arena, 1, sizeof *m.t)};
    if (!m.t) return FLX_ERR_MEMORY;
    flx_status status = take_room(&m, npoint, ntriangle);
    if (status == FLX_OK) build(&m, points, ntriangle, corners);
    if (status == FLX_OK && m.t->ntriangle == 0) {
        status =
            FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "none of the %d triangles has an area", ntriangle);
    }
    flx_free(m.table);
    *out = m.t;
    return status;
}

// ---- walking ----------------------------------------------------------------------------------------

void flx_facet_walk_begin(flx_facet_walk *w, const flx_facets *t, const double low[3],
                          const double high[3])
{
    w->depth = t->ntriangle > 0 ? 1 : 0;
    w->stack[0] = w->left = w->at = 0;
    memcpy(w->low, low, sizeof w->low);
    memcpy(w->high, high, sizeof w->high);
}

static bool is_outside(const flx_facet_walk *w, const flx_facet_box *b)
{
    for (int k = 0; k < 3; k++) {
        if (b->low[k] > w->high[k] || b->high[k] < w->low[k]) return true;
    }
    return false;
}

int flx_facet_walk_next(flx_facet_walk *w, const flx_facets *t)
{
    while (w->left == 0) {
        if (w->depth == 0) return -1;
        const flx_facet_box *b = t->boxes + w->stack[--w->depth];
        if (is_outside(w, b)) continue;
        if (b->count > 0) {
            w->at = b->first;
            w->left = b->count;
        } else {
            w->stack[w->depth++] = b->first + 1;
            w->stack[w->depth++] = b->first;
        }
    }
    w->left--;
    return t->order[w->at++];
}
