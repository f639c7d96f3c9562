// polytope_depth.c - the axis along which two solids that overlap are least deep. Their difference is a polytope as well, whose
// faces are those of the two with a vertex of the other, and the pairs of edges whose arcs cross on the sphere of normals
// (D. Gregorius, The separating axis test between convex polyhedra, GDC 2013). All are tried: exact, without a growing polytope.
#include "contact/convex/polytope.h"

typedef struct search {
    const flx_convex *solid[2];
    const flx_manifold *last;
    double size, gap; // gap: of the best so far, with what is preferred
    flx_separation *out;
} search;

// Faces are preferred to edges, and the first found to the rest, by more than rounding; parts of last time by far.
#define PREFERRED 1e-3
#define LIKELIER 1e-7
#define MOST_KNOWN 48 // edges whose arcs are kept

static bool is_last(const search *s, const flx_part_kind kind[2], const int number[2])
{
    if (!s->last || s->last->n == 0) return false;
    flx_part_kind k[2];
    int m[2];
    flx_feature_parts(s->last->features[0], k, m);
    for (int i = 0; i < 2; i++) { // a face as before, whatever vertex it meets; both edges
        if (kind[i] != k[i]) return false;
        if (kind[i] != FLX_PART_VERTEX && number[i] != m[i]) return false;
    }
    return true;
}

static void offer(search *s, double gap, v3 n, const flx_part_kind kind[2], const int number[2])
{
    double liked = is_last(s, kind, number) ? gap + PREFERRED * s->size : gap;
    if (!(liked > s->gap + LIKELIER * s->size)) return;
    s->gap = liked;
    s->out->gap = gap;
    s->out->n = n;
    for (int i = 0; i < 2; i++) s->out->kind[i] = kind[i], s->out->number[i] = number[i];
}

// Faces of solid `side`, each with the other's deepest vertex.
static void try_faces(search *s, int side)
{
    const flx_convex *a = s->solid[side], *b = s->solid[1 - side];
    for (int f = 0; f < a->of->nface; f++) {
        flx_part face = flx_convex_part(a, FLX_PART_FACE, f);
        int v = flx_convex_support(b, v3_neg(face.d));
        double gap = v3_dot(face.d, v3_sub(flx_convex_vertex(b, v), face.p));
        flx_part_kind kind[2] = {FLX_PART_VERTEX, FLX_PART_VERTEX};
        int number[2] = {v, v};
        kind[side] = FLX_PART_FACE;
        number[side] = f;
        offer(s, gap, side ? v3_neg(face.d) : face.d, kind, number);
    }
}

// An edge as an arc of normals from u to w; a segment by itself has the whole circle about its direction.
typedef struct arc {
    bool whole;
    v3 u, w, axis; // axis: u x w, or the direction of the segment
} arc;

// In the axes of the first solid; the normals of the second are turned round.
static arc arc_of(const flx_polytope *p, int edge, const m33 *R)
{
    const int *e = p->edges + 4 * (size_t)edge;
    arc a = {.whole = e[2] < 0 || e[3] < 0};
    if (a.whole) {
        a.axis = v3_sub(v3_load(p->vertices + 3 * (size_t)e[1]),
                        v3_load(p->vertices + 3 * (size_t)e[0]));
        if (R) a.axis = m33_mul_v(*R, a.axis);
        return a;
    }
    a.u = v3_load(p->normals + 3 * (size_t)e[2]);
    a.w = v3_load(p->normals + 3 * (size_t)e[3]);
    if (R) {
        a.u = v3_neg(m33_mul_v(*R, a.u));
        a.w = v3_neg(m33_mul_v(*R, a.w));
    }
    a.axis = v3_cross(a.u, a.w);
    return a;
}

// Most pairs end at the first product.
static bool arcs_cross(const arc *a, const arc *b)
{
    if (a->whole && b->whole) return true;
    if (a->whole) return v3_dot(b->u, a->axis) * v3_dot(b->w, a->axis) < 0.0;
    double au = v3_dot(a->u, b->axis), aw = v3_dot(a->w, b->axis);
    if (!(au * aw < 0.0) || b->whole) return au * aw < 0.0;
    double bu = v3_dot(b->u, a->axis), bw = v3_dot(b->w, a->axis);
    return bu * bw < 0.0 && bu * aw > 0.0; // they cross, and on the same half of the sphere
}

static void try_edge_pair(search *s, int i, int j)
{
    const flx_part_kind kind[2] = {FLX_PART_EDGE, FLX_PART_EDGE};
    const int number[2] = {i, j};
    flx_part a = flx_convex_part(s->solid[0], FLX_PART_EDGE, i);
    flx_part b = flx_convex_part(s->solid[1], FLX_PART_EDGE, j);
    flx_touch t;
    if (v3_norm(v3_cross(a.d, b.d)) < 1e-6 || !flx_parts_touch(&a, 0.0, &b, 0.0, &t)) return;
    offer(s, t.gap, v3_load(t.n), kind, number);
}

static void try_edges(search *s)
{
    const flx_polytope *a = s->solid[0]->of, *b = s->solid[1]->of;
    m33 R = m33_tmul(s->solid[0]->R, s->solid[1]->R);
    arc known[MOST_KNOWN]; // of the first, found once
    int nknown = a->nedge < MOST_KNOWN ? a->nedge : MOST_KNOWN;
    for (int i = 0; i < nknown; i++) known[i] = arc_of(a, i, NULL);
    for (int j = 0; j < b->nedge; j++) {
        arc w = arc_of(b, j, &R);
        for (int i = 0; i < a->nedge; i++) {
            arc u = i < nknown ? known[i] : arc_of(a, i, NULL);
            if (arcs_cross(&u, &w)) try_edge_pair(s, i, j);
        }
    }
}

void flx_convex_depth(const flx_convex *a, const flx_convex *b, const flx_manifold *last,
                      flx_separation *out)
{
    search s = {.solid = {a, b},
                .last = last,
                .size = a->of->size + b->of->size,
                .gap = -HUGE_VAL,
                .out = out};
    *out = (flx_separation){.gap = -HUGE_VAL, .n = {1, 0, 0}};
    try_faces(&s, 0);
    try_faces(&s, 1);
    try_edges(&s);
}
