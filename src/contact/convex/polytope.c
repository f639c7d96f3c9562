// polytope.c - parts of convex solids, and where two parts meet.
#include "contact/convex/polytope.h"

// ---- parts --------------------------------------------------------------------------------------

static v3 normal(const flx_convex *s, int face)
{
    return m33_mul_v(s->R, v3_load(s->of->normals + 3 * (size_t)face));
}

// Of an edge without length the direction is zero: it never meets another.
static flx_part edge_part(const flx_convex *s, int number)
{
    const int *e = s->of->edges + 4 * (size_t)number;
    flx_part part = {.kind = FLX_PART_EDGE, .number = number, .p = flx_convex_vertex(s, e[0])};
    // the rectangle of the plane has edges along its third axis, each by one vertex
    v3 d = e[0] == e[1] ? m33_col(s->R, 2) : v3_sub(flx_convex_vertex(s, e[1]), part.p);
    double l = v3_norm(d);
    if (l > 1e-12 * s->of->size) part.d = v3_scale(1.0 / l, d);
    for (int i = 2; i < 4; i++) {
        if (e[i] >= 0) part.out = v3_add(part.out, normal(s, e[i]));
    }
    return part;
}

flx_part flx_convex_part(const flx_convex *s, flx_part_kind kind, int number)
{
    if (kind == FLX_PART_EDGE) return edge_part(s, number);
    if (kind == FLX_PART_VERTEX) {
        return (flx_part){.kind = kind, .number = number, .p = flx_convex_vertex(s, number)};
    }
    return (flx_part){.kind = kind,
                      .number = number,
                      .p = flx_convex_vertex(s, s->of->corners[s->of->first[number]]),
                      .d = normal(s, number)};
}

int flx_convex_support(const flx_convex *s, v3 d)
{
    v3 local = m33_tmul_v(s->R, d);
    int best = 0;
    double most = v3_dot(local, v3_load(s->of->vertices));
    for (int i = 1; i < s->of->nvertex; i++) {
        double value = v3_dot(local, v3_load(s->of->vertices + 3 * (size_t)i));
        if (value > most) most = value, best = i;
    }
    return best;
}

// ---- features: two bits of kind and thirty of number each -----------------------------------------

uint64_t flx_part_feature(const flx_part *a, const flx_part *b)
{
    return (uint64_t)a->kind << 62 | (uint64_t)b->kind << 60 | (uint64_t)a->number << 30 |
           (uint64_t)b->number;
}

void flx_feature_parts(uint64_t feature, flx_part_kind kind[2], int number[2])
{
    const uint64_t mask = (1U << 30) - 1;
    kind[0] = (flx_part_kind)(feature >> 62);
    kind[1] = (flx_part_kind)(feature >> 60 & 3U);
    number[0] = (int)(feature >> 30 & mask);
    number[1] = (int)(feature & mask);
}

// ---- where they meet ------------------------------------------------------------------------------

typedef struct meeting { // of the cores
    double gap;
    v3 n, p[2];
} meeting;

static meeting from_places(v3 p, v3 q, double l)
{
    return (meeting){.gap = l, .n = v3_scale(1.0 / l, v3_sub(q, p)), .p = {p, q}};
}

static v3 foot(const flx_part *edge, v3 p)
{
    return v3_axpy(v3_dot(edge->d, v3_sub(p, edge->p)), edge->d, edge->p);
}

// A vertex with a vertex or an edge: their distance, which has a direction unless it is rounding.
static bool meet_near(const flx_part *a, const flx_part *b, meeting *out)
{
    v3 p = a->p, q = b->p;
    if (a->kind == FLX_PART_EDGE) p = foot(a, q);
    if (b->kind == FLX_PART_EDGE) q = foot(b, p);
    double l = v3_norm(v3_sub(q, p));
    if (!(l > 1e-14 * (1.0 + v3_norm(p)))) return false;
    *out = from_places(p, q, l);
    return true;
}

static meeting meet_face(v3 n, v3 face, v3 vertex)
{
    double gap = v3_dot(n, v3_sub(vertex, face));
    return (meeting){.gap = gap, .n = n, .p = {v3_axpy(-gap, n, vertex), vertex}};
}

static meeting turn(meeting m)
{
    return (meeting){.gap = m.gap, .n = v3_neg(m.n), .p = {m.p[1], m.p[0]}};
}

// The common normal of two lines points outwards of the first.
static bool meet_edges(const flx_part *a, const flx_part *b, meeting *out)
{
    v3 c = v3_cross(a->d, b->d), w = v3_sub(b->p, a->p);
    double l = v3_norm(c);
    if (!(l > 1e-9)) return false;
    v3 n = v3_scale(1.0 / l, c);
    if (v3_dot(n, v3_sub(a->out, b->out)) < 0.0) n = v3_neg(n);
    // w + t d_b - s d_a = gap n
    double s = v3_dot(v3_cross(w, b->d), c) / (l * l), gap = v3_dot(n, w);
    v3 p = v3_axpy(s, a->d, a->p);
    *out = (meeting){.gap = gap, .n = n, .p = {p, v3_axpy(gap, n, p)}};
    return true;
}

static bool meet(const flx_part *a, const flx_part *b, meeting *out)
{
    if (a->kind == FLX_PART_FACE && b->kind == FLX_PART_VERTEX) {
        *out = meet_face(a->d, a->p, b->p);
        return true;
    }
    if (a->kind == FLX_PART_VERTEX && b->kind == FLX_PART_FACE) {
        *out = turn(meet_face(b->d, b->p, a->p));
        return true;
    }
    if (a->kind == FLX_PART_FACE || b->kind == FLX_PART_FACE) return false;
    if (a->kind == FLX_PART_EDGE && b->kind == FLX_PART_EDGE) return meet_edges(a, b, out);
    return meet_near(a, b, out);
}

// A corner without skin has no extent in any direction, an edge none across it.
static flx_curvature bend_of(const flx_part *part, double skin)
{
    double k = flx_curvature_of_radius(skin);
    if (part->kind == FLX_PART_FACE) return (flx_curvature){.k = {0}};
    if (part->kind == FLX_PART_VERTEX) return (flx_curvature){.k = {k, k}};
    return (flx_curvature){.k = {0, k}, .e = {part->d.x, part->d.y, part->d.z}};
}

bool flx_parts_touch(const flx_part *a, double skin_a, const flx_part *b, double skin_b,
                     flx_touch *out)
{
    meeting m;
    if (!meet(a, b, &m)) return false;
    out->gap = m.gap - skin_a - skin_b;
    v3_store(out->n, m.n);
    v3_store(out->p[0], v3_axpy(skin_a, m.n, m.p[0]));
    v3_store(out->p[1], v3_axpy(-skin_b, m.n, m.p[1]));
    out->bend[0] = bend_of(a, skin_a);
    out->bend[1] = bend_of(b, skin_b);
    out->feature = flx_part_feature(a, b);
    return true;
}

// ---- directions ----------------------------------------------------------------------------------

bool flx_v3_is_between(v3 m, v3 n, v3 u, double within)
{
    v3 c = v3_cross(m, n);
    double cc = v3_norm(c), l = v3_norm(u), along = fmax(1e-4, within) * l;
    if (cc < within) return v3_dot(u, m) > 0.0 && v3_norm(v3_cross(u, m)) <= along;
    return v3_dot(c, v3_cross(m, u)) >= -within * cc * l &&
           v3_dot(c, v3_cross(u, n)) >= -within * cc * l && v3_dot(u, v3_add(m, n)) > 0.0;
}

bool flx_convex_sees(const flx_convex *s, const flx_part *part, v3 u, double within)
{
    const flx_polytope *p = s->of;
    for (int i = 0; i < p->nedge; i++) {
        const int *e = p->edges + 4 * (size_t)i;
        if (part->kind == FLX_PART_EDGE && part->number == i) {
            if (e[2] < 0 || e[3] < 0) return true;
            return flx_v3_is_between(flx_convex_part(s, FLX_PART_FACE, e[2]).d,
                                     flx_convex_part(s, FLX_PART_FACE, e[3]).d, u, within);
        }
        if (part->kind != FLX_PART_VERTEX || (e[0] != part->number && e[1] != part->number))
            continue;
        v3 at = flx_convex_vertex(s, e[0] == part->number ? e[1] : e[0]);
        v3 d = v3_sub(at, part->p);
        if (v3_dot(u, d) > within * v3_norm(u) * v3_norm(d)) return false;
    }
    return true;
}
