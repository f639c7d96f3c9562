// pair_mesh.c - surfaces of triangles with what is convex: spheres and nodes, capsules, boxes, hulls.
//
// A part of the mesh (vertex, edge, triangle) touches only in the directions that are nearest to it: within the normals of the
// triangles that meet there. So neighbouring triangles share one contact, and nothing catches at edges inside a smooth patch.
// A place behind the mesh is taken out through the nearest triangle.
#include "contact/convex/manifold.h"
#include "contact/convex/polytope.h"
#include "contact/mesh/facets.h"

#define MOST_FOUND 96
#define PATCH 0.9    // cosine: normals of one smooth patch
#define WITHIN 1e-6  // sine: of directions within a cone
#define DEEPEST 0.25 // of the size of the convex one: how deep a part of the mesh may be within it

typedef struct finder {
    const flx_facets *t;
    const flx_convex *b; // in the axes of the mesh
    double skin, reach;  // of the mesh; of gaps
    int count;
    flx_touch found[MOST_FOUND];
} finder;

// ---- parts of the mesh ----------------------------------------------------------------------------

static flx_part triangle_part(const flx_facets *t, int i)
{
    return (flx_part){.kind = FLX_PART_FACE,
                      .number = i,
                      .p = flx_facets_vertex(t, t->corners[3 * (size_t)i]),
                      .d = flx_facets_normal(t, i)};
}

static flx_part edge_part(const flx_facets *t, int i)
{
    const int *e = t->edges + 4 * (size_t)i;
    flx_part part = {.kind = FLX_PART_EDGE, .number = i, .p = flx_facets_vertex(t, e[0])};
    part.d = v3_unit(v3_sub(flx_facets_vertex(t, e[1]), part.p));
    part.out = flx_facets_normal(t, e[2]);
    if (e[3] >= 0) part.out = v3_add(part.out, flx_facets_normal(t, e[3]));
    return part;
}

static flx_part vertex_part(const flx_facets *t, int i)
{
    return (flx_part){.kind = FLX_PART_VERTEX, .number = i, .p = flx_facets_vertex(t, i)};
}

// ---- directions -----------------------------------------------------------------------------------

// Of an edge of the mesh that is convex; at the border of an open mesh all that is on its side.
static bool is_off_edge(const flx_facets *t, int edge, v3 u)
{
    const int *e = t->edges + 4 * (size_t)edge;
    v3 d = v3_sub(flx_facets_vertex(t, e[1]), flx_facets_vertex(t, e[0]));
    v3 m = flx_facets_normal(t, e[2]);
    if (e[3] < 0) return flx_v3_is_between(m, v3_unit(v3_cross(d, m)), u, WITHIN);
    v3 n = flx_facets_normal(t, e[3]);
    if (v3_dot(v3_cross(m, n), d) < 0.0) return false; // a valley
    return flx_v3_is_between(m, n, u, WITHIN);
}

// Of a vertex: no edge goes along u.
static bool is_off_vertex(const flx_facets *t, int vertex, v3 u)
{
    v3 p = flx_facets_vertex(t, vertex);
    double l = v3_norm(u);
    if (!(v3_dot(u, v3_load(t->outwards + 3 * (size_t)vertex)) > 0.0)) return false;
    for (int i = t->first[vertex]; i < t->first[vertex + 1]; i++) {
        const int *e = t->edges + 4 * (size_t)t->spokes[i];
        v3 d = v3_sub(flx_facets_vertex(t, e[0] == vertex ? e[1] : e[0]), p);
        if (v3_dot(u, d) > WITHIN * l * v3_norm(d)) return false;
    }
    return true;
}

static bool is_off_part(const flx_facets *t, const flx_part *part, v3 u)
{
    if (part->kind == FLX_PART_EDGE) return is_off_edge(t, part->number, u);
    if (part->kind == FLX_PART_VERTEX) return is_off_vertex(t, part->number, u);
    return v3_dot(u, part->d) >= 0.0;
}

static bool is_off_convex(const flx_convex *b, const flx_part *part, v3 u)
{
    return part->kind == FLX_PART_FACE || flx_convex_sees(b, part, u, WITHIN);
}

// ---- points found -----------------------------------------------------------------------------------

static void keep(finder *f, const flx_touch *t)
{
    int at = f->count;
    for (int i = 0; i < f->count; i++) {
        if (f->found[i].feature == t->feature) return;
    }
    if (f->count == MOST_FOUND) { // the shallowest goes
        for (int i = 0; i < f->count; i++) {
            if (at == f->count || f->found[i].gap > f->found[at].gap) at = i;
        }
        if (f->found[at].gap <= t->gap) return;
    } else {
        f->count++;
    }
    f->found[at] = *t;
}

static bool try_parts(finder *f, const flx_part *a, const flx_part *b, flx_touch *t)
{
    return flx_parts_touch(a, f->skin, b, f->b->skin, t) && t->gap < f->reach;
}

// ---- vertices of the convex one -----------------------------------------------------------------------

// The place of a triangle nearest to q, and the part that it lies on (Ericson, Real-time collision detection, 2005, 5.1.5).
static v3 nearest_place(const flx_facets *t, int i, v3 q, flx_part_kind *kind, int *number)
{
    const int *c = t->corners + 3 * (size_t)i, *sides = t->sides + 3 * (size_t)i;
    v3 p[3], n = flx_facets_normal(t, i);
    for (int k = 0; k < 3; k++) p[k] = flx_facets_vertex(t, c[k]);
    bool outside = false;
    for (int k = 0; k < 3; k++) {
        v3 a = p[k], e = v3_sub(p[(k + 1) % 3], a), d = v3_sub(q, a);
        if (!(v3_dot(v3_cross(e, n), d) > 0.0)) continue;
        outside = true;
        double s = v3_dot(e, d), l = v3_dot(e, e);
        if (s >= 0.0 && s <= l) {
            *kind = FLX_PART_EDGE;
            *number = sides[k];
            return v3_axpy(s / l, e, a);
        }
    }
    if (!outside) {
        *kind = FLX_PART_FACE;
        *number = i;
        return v3_axpy(-v3_dot(n, v3_sub(q, p[0])), n, q);
    }
    int best = 0;
    for (int k = 1; k < 3; k++) {
        v3 d = v3_sub(q, p[k]), e = v3_sub(q, p[best]);
        if (v3_dot(d, d) < v3_dot(e, e)) best = k;
    }
    *kind = FLX_PART_VERTEX;
    *number = c[best];
    return p[best];
}

static flx_part part_of(const flx_facets *t, flx_part_kind kind, int number)
{
    return kind == FLX_PART_FACE   ? triangle_part(t, number)
           : kind == FLX_PART_EDGE ? edge_part(t, number)
                                   : vertex_part(t, number);
}

// Which side of the mesh a place is on, by its nearest part.
static bool is_behind(const flx_facets *t, const flx_part *part, v3 u)
{
    v3 out = part->kind == FLX_PART_FACE   ? part->d
             : part->kind == FLX_PART_EDGE ? part->out
                                           : v3_load(t->outwards + 3 * (size_t)part->number);
    return v3_dot(out, u) < 0.0;
}

typedef struct nearest {
    double distance;
    flx_part part;
    int triangle;
    v3 u; // from the mesh to the place
} nearest;

static void try_triangle(finder *f, const flx_part *vertex, int i, double most, nearest *best)
{
    flx_part_kind kind;
    int number;
    v3 at = nearest_place(f->t, i, vertex->p, &kind, &number), u = v3_sub(vertex->p, at);
    double l = v3_norm(u);
    if (l > most) return;
    flx_part part = part_of(f->t, kind, number);
    // of equally near triangles the one that is seen most from the front says where the outside is
    double seen = v3_dot(u, flx_facets_normal(f->t, i));
    bool nearer = l < best->distance * (1.0 - 1e-9) ||
                  (l <= best->distance * (1.0 + 1e-9) &&
                   fabs(seen) > fabs(v3_dot(best->u, flx_facets_normal(f->t, best->triangle))));
    if (nearer) *best = (nearest){.distance = l, .part = part, .triangle = i, .u = u};
    flx_touch t;
    bool front = kind == FLX_PART_FACE ? seen >= 0.0 : l > 0.0 && is_off_part(f->t, &part, u);
    if (front && is_off_convex(f->b, vertex, v3_neg(u)) && try_parts(f, &part, vertex, &t))
        keep(f, &t);
}

// All parts in front of it, or, of a place behind the mesh, the nearest triangle alone.
static void try_vertex(finder *f, int number)
{
    flx_part vertex = flx_convex_part(f->b, FLX_PART_VERTEX, number);
    double front = f->reach + f->skin + f->b->skin,
           depth = DEEPEST * fmax(f->b->of->size, f->b->skin);
    double most = fmax(front, depth), low[3], high[3];
    flx_facet_walk w;
    nearest best = {.distance = HUGE_VAL};
    v3 wide = {most, most, most};
    v3_store(low, v3_sub(vertex.p, wide));
    v3_store(high, v3_add(vertex.p, wide));
    flx_facet_walk_begin(&w, f->t, low, high);
    int before = f->count;
    for (int i; (i = flx_facet_walk_next(&w, f->t)) >= 0;) try_triangle(f, &vertex, i, most, &best);
    if (best.distance > depth || best.distance == 0.0 || !is_behind(f->t, &best.part, best.u))
        return;
    f->count = before;
    flx_touch t;
    flx_part triangle = triangle_part(f->t, best.triangle);
    if (is_off_convex(f->b, &vertex, v3_neg(triangle.d)) && try_parts(f, &triangle, &vertex, &t))
        keep(f, &t);
}

// ---- edges and vertices of the mesh -------------------------------------------------------------------------

static bool is_on_segment(v3 a, v3 b, v3 q)
{
    v3 d = v3_sub(b, a);
    double s = v3_dot(d, v3_sub(q, a));
    return s >= 0.0 && s <= v3_dot(d, d);
}

static v3 core_place(const flx_touch *t, int side, double skin)
{
    return v3_axpy(side ? skin : -skin, v3_load(t->n), v3_load(t->p[side]));
}

static void try_edges(finder *f, int edge)
{
    const flx_polytope *p = f->b->of;
    const int *e = f->t->edges + 4 * (size_t)edge;
    flx_part a = edge_part(f->t, edge);
    for (int i = 0; i < p->nedge; i++) {
        const int *g = p->edges + 4 * (size_t)i;
        flx_part b = flx_convex_part(f->b, FLX_PART_EDGE, i);
        flx_touch t;
        if (v3_norm(v3_cross(a.d, b.d)) < 1e-3 || !try_parts(f, &a, &b, &t)) continue;
        v3 n = v3_load(t.n), first = core_place(&t, 0, f->skin),
           second = core_place(&t, 1, f->b->skin);
        if (t.gap + f->skin + f->b->skin < -DEEPEST * p->size || !is_off_edge(f->t, edge, n))
            continue;
        if (!is_off_convex(f->b, &b, v3_neg(n))) continue;
        if (!is_on_segment(flx_facets_vertex(f->t, e[0]), flx_facets_vertex(f->t, e[1]), first))
            continue;
        if (!is_on_segment(flx_convex_vertex(f->b, g[0]), flx_convex_vertex(f->b, g[1]), second)) {
            continue;
        }
        keep(f, &t);
    }
}

static bool is_on_face(const flx_convex *b, int face, v3 n, v3 q)
{
    const flx_polytope *p = b->of;
    int count = p->first[face + 1] - p->first[face];
    const int *c = p->corners + p->first[face];
    for (int i = 0; i < count; i++) {
        v3 a = flx_convex_vertex(b, c[i]);
        v3 e = v3_sub(flx_convex_vertex(b, c[(i + 1) % count]), a);
        if (v3_dot(v3_cross(e, n), v3_sub(q, a)) > WITHIN * p->size * v3_norm(e)) return false;
    }
    return true;
}

// The face of the convex one that a vertex of the mesh is least deep below; -1: it has none.
static int least_deep_face(const flx_convex *b, v3 q)
{
    int best = -1;
    double most = -HUGE_VAL;
    for (int i = 0; i < b->of->nface; i++) {
        flx_part face = flx_convex_part(b, FLX_PART_FACE, i);
        double height = v3_dot(face.d, v3_sub(q, face.p));
        if (height > most) most = height, best = i;
    }
    return best;
}

static void try_mesh_vertex(finder *f, int vertex)
{
    const flx_polytope *p = f->b->of;
    flx_part a = vertex_part(f->t, vertex);
    flx_touch t;
    int face = least_deep_face(f->b, a.p);
    if (face >= 0) {
        flx_part b = flx_convex_part(f->b, FLX_PART_FACE, face);
        bool there = try_parts(f, &a, &b, &t) && t.gap + f->skin + f->b->skin > -DEEPEST * p->size;
        if (there && is_on_face(f->b, face, b.d, a.p) && is_off_vertex(f->t, vertex, v3_neg(b.d)))
            keep(f, &t);
    }
    for (int i = 0; i < p->nedge; i++) {
        const int *g = p->edges + 4 * (size_t)i;
        flx_part b = flx_convex_part(f->b, FLX_PART_EDGE, i);
        if (v3_dot(b.d, b.d) == 0.0 || !try_parts(f, &a, &b, &t)) continue;
        v3 n = v3_load(t.n), second = core_place(&t, 1, f->b->skin);
        if (!is_off_vertex(f->t, vertex, n) || !is_off_convex(f->b, &b, v3_neg(n))) continue;
        if (is_on_segment(flx_convex_vertex(f->b, g[0]), flx_convex_vertex(f->b, g[1]), second)) {
            keep(f, &t);
        }
    }
}

static void try_mesh_parts(finder *f)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double wide = fmax(f->reach + f->skin + f->b->skin, 0.0);
    for (int i = 0; i < f->b->of->nvertex; i++) {
        double x[3];
        v3_store(x, flx_convex_vertex(f->b, i));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - wide);
            high[k] = fmax(high[k], x[k] + wide);
        }
    }
    flx_facet_walk w;
    flx_facet_walk_begin(&w, f->t, low, high);
    for (int i; (i = flx_facet_walk_next(&w, f->t)) >= 0;) {
        for (int k = 0; k < 3; k++) { // each once
            int edge = f->t->sides[3 * (size_t)i + k], vertex = f->t->corners[3 * (size_t)i + k];
            if (f->t->edges[4 * (size_t)edge + 2] == i) try_edges(f, edge);
            if (f->t->owner[vertex] == i) try_mesh_vertex(f, vertex);
        }
    }
}

// ---- which are kept ------------------------------------------------------------------------------------------

// Of each smooth patch, the deepest first: one point of a sphere, two of a capsule, four of the others.
static int choose(finder *f, int most, const flx_manifold *last, flx_touch *out)
{
    int each = f->b->of->nvertex == 1 ? 1 : f->b->of->nvertex == 2 ? 2 : 4, n = 0;
    double size = f->b->of->size;
    while (f->count > 0 && n < most) {
        flx_touch patch[MOST_FOUND];
        int deepest = 0, in = 0, left = 0;
        for (int i = 1; i < f->count; i++) {
            if (f->found[i].gap < f->found[deepest].gap) deepest = i;
        }
        v3 normal = v3_load(f->found[deepest].n);
        for (int i = 0; i < f->count; i++) {
            bool same = v3_dot(v3_load(f->found[i].n), normal) > PATCH;
            if (same) patch[in++] = f->found[i];
            if (!same) f->found[left++] = f->found[i];
        }
        f->count = left;
        in = flx_touches_choose(in, patch, size, each < most - n ? each : most - n, last);
        for (int i = 0; i < in; i++) out[n++] = patch[i];
    }
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && out[j].gap < out[j - 1].gap; j--) {
            flx_touch t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    }
    return n;
}

// ---- the pair --------------------------------------------------------------------------------------------------

typedef struct placed {
    m33 R;
    v3 x;
} placed;

static placed place_of(const flx_surface *s, const flx_frame *f)
{
    return (placed){.R = m33_mul(m33_load(f->R), m33_load(s->axes)), .x = flx_surface_place(s, f)};
}

// From axes of the mesh to those of the ground.
static void to_ground(const placed *m, flx_touch *t)
{
    v3_store(t->n, m33_mul_v(m->R, v3_load(t->n)));
    for (int k = 0; k < 2; k++) {
        v3_store(t->p[k], v3_add(m->x, m33_mul_v(m->R, v3_load(t->p[k]))));
        v3_store(t->bend[k].e, m33_mul_v(m->R, v3_load(t->bend[k].e)));
    }
}

static bool see_from_mesh(const placed *m, const flx_surface *b, const flx_frame *fb,
                          flx_polytope_room *room, flx_convex *out)
{
    if (!flx_convex_place(b, fb, room, out)) return false;
    out->R = m33_tmul(m->R, out->R);
    out->x = m33_tmul_v(m->R, v3_sub(out->x, m->x));
    return true;
}

static int touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                 const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out)
{
    placed m = place_of(a, fa);
    flx_polytope_room room;
    flx_convex c;
    if (!see_from_mesh(&m, b, fb, &room, &c)) return 0;
    finder f; // its points are not worth to be cleared
    f.t = a->data;
    f.b = &c;
    f.skin = a->skin;
    f.reach = reach;
    f.count = 0;
    for (int i = 0; i < c.of->nvertex; i++) try_vertex(&f, i);
    if (c.of->nvertex > 1) try_mesh_parts(&f);
    int n = choose(&f, most, last, out);
    for (int i = 0; i < n; i++) to_ground(&m, out + i);
    flx_manifold_keep(last, n, out);
    return n;
}

static bool point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                  const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    const flx_facets *t = a->data;
    placed m = place_of(a, fa);
    flx_polytope_room room;
    flx_convex c;
    flx_part_kind kind[2];
    int number[2];
    flx_feature_parts(feature, kind, number);
    if (!see_from_mesh(&m, b, fb, &room, &c) || kind[0] > FLX_PART_FACE || kind[1] > FLX_PART_FACE)
        return false;
    const int there[2][3] = {{t->nvertex, t->nedge, t->ntriangle},
                             {c.of->nvertex, c.of->nedge, c.of->nface}};
    if (number[0] >= there[0][kind[0]] || number[1] >= there[1][kind[1]]) return false;
    flx_part first = part_of(t, kind[0], number[0]),
             second = flx_convex_part(&c, kind[1], number[1]);
    if (!flx_parts_touch(&first, a->skin, &second, c.skin, out)) return false;
    to_ground(&m, out);
    return true;
}

#define MESH(other) const flx_pair flx_pair_mesh_##other = {.point = point, .touch = touch}
MESH(sphere);
MESH(capsule);
MESH(box);
MESH(hull);
