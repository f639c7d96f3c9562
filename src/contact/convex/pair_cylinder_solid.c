// pair_cylinder_solid.c - boxes and hulls with cylinders and discs: corners and edges of the solid on the cylinder, and places of the
// rims on faces of the solid. Each is a distance by itself, so that none of them may be inside; they come and go.
#include "contact/convex/polytope.h"
#include "contact/cylinder_core.h"

#define MOST_FOUND 64
// In a feature: of one of the four places of a rim that is parallel to a face.
#define FOOT ((uint64_t)1 << 32)
// Sine of the angle up to which the cylinder stands on a face.
static const double FLAT = 1e-5;
// Sines of what a direction may be beyond those of a part: by rounding; of what lies along the other, more than that of axes that do.
static const double STRICT = 1e-9, MUTUAL = 2e-3;
// Part of the size: one place.
static const double SAME = 0.05;
// Part of the size of the solid: cores that are nearer overlap.
static const double APART = 1e-9;

typedef struct both {
    const flx_convex *s;
    flx_cylinder_core c;
    bool strict; // the part found last is nearest to what is nearest to it, and not only about so
} both;

// Whether the part of the solid is nearest to what is nearest to it: else that is under a face, where a rim finds it. Cores that
// overlap have no such order.
static bool is_mutual(both *w, flx_part_kind kind, int number, const flx_cylinder_foot *f)
{
    flx_part part = flx_convex_part(w->s, kind, number);
    v3 u = v3_neg(f->out);
    bool apart = f->distance > APART * w->s->of->size || f->part == FLX_CYLINDER_RIM;
    w->strict = !apart || flx_convex_sees(w->s, &part, u, STRICT);
    return w->strict || flx_convex_sees(w->s, &part, u, MUTUAL);
}

static bool corner(both *w, int number, flx_touch *out)
{
    flx_cylinder_core point = {.middle = flx_convex_vertex(w->s, number),
                               .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                               .skin = w->s->skin};
    flx_cylinder_foot f = flx_cylinder_nearest(&w->c, point.middle);
    if (!is_mutual(w, FLX_PART_VERTEX, number, &f)) return false;
    flx_cylinder_put_axis(&point, 0.0, &w->c, &f, out);
    return true;
}

// which: the place nearest to the cylinder, or an end of what lies along it or over its end.
static bool edge(both *w, int number, int which, flx_touch *out)
{
    const int *e = w->s->of->edges + 4 * (size_t)number;
    v3 p = flx_convex_vertex(w->s, e[0]), d = v3_sub(flx_convex_vertex(w->s, e[1]), p);
    double length = v3_norm(d);
    flx_cylinder_core axis = {
        .middle = v3_axpy(0.5, d, p), .half = 0.5 * length, .skin = w->s->skin};
    if (!(length > 0.0)) return false;
    axis.axis[2] = v3_scale(1.0 / length, d);
    flx_edge_curve line = {.middle = axis.middle, .e = {axis.axis[2]}};
    flx_cylinder_foot f;
    double x;
    bool lies, there = flx_cylinder_bears(&w->c, &axis, which == 2, &lies, &x, &f);
    if (lies == (which == 0) || (lies && !there)) return false;
    if (!lies) x = flx_cylinder_nearest_of_axis(&axis, &w->c);
    if (!(fabs(x) < axis.half * (1.0 - 1e-9))) return false; // a corner
    if (!lies) f = flx_cylinder_meet(&w->c, &line, fmin(axis.half - fabs(x), w->c.radius), &x);
    if (!is_mutual(w, FLX_PART_EDGE, number, &f)) return false;
    flx_cylinder_put_axis(&axis, x, &w->c, &f, out);
    return true;
}

static bool is_over(const flx_convex *s, int number, v3 n, v3 q)
{
    const flx_polytope *t = s->of;
    int from = t->first[number], count = t->first[number + 1] - from;
    for (int i = 0; i < count; i++) {
        v3 a = flx_convex_vertex(s, t->corners[from + i]);
        v3 e = v3_sub(flx_convex_vertex(s, t->corners[from + (i + 1) % count]), a);
        if (v3_dot(v3_cross(n, e), v3_sub(q, a)) < 0.0) return false;
    }
    return true;
}

// Whether a rim is no deeper under this face than under the others, each at its lowest place.
static bool is_least_deep(const flx_convex *s, const flx_cylinder_core *c, v3 middle, double height)
{
    for (int i = 0; i < s->of->nface; i++) {
        flx_part face = flx_convex_part(s, FLX_PART_FACE, i);
        double sine = v3_norm(v3_cross(face.d, c->axis[2]));
        double lowest = v3_dot(face.d, v3_sub(middle, face.p)) - c->radius * sine;
        if (lowest > height + 1e-12 * s->of->size) return false;
    }
    return true;
}

// The lowest place of a rim over a face, which: 0; four of a rim that is parallel to it.
static bool face(both *w, int number, int end, int which, flx_touch *out)
{
    const flx_cylinder_core *c = &w->c;
    flx_part part = flx_convex_part(w->s, FLX_PART_FACE, number);
    double nu = v3_dot(part.d, c->axis[2]), sine = v3_norm(v3_cross(part.d, c->axis[2]));
    if (end == 1 && c->half == 0.0) return false; // a disc has one rim
    w->strict = true;
    if (sine < FLAT ? (nu > 0.0) == (end == 1) && c->half > 0.0 : which > 0) return false;
    v3 middle = v3_axpy(end ? c->half : -c->half, c->axis[2], c->middle), way;
    if (sine < FLAT) {
        way = v3_scale(which & 1 ? -1.0 : 1.0, c->axis[which / 2]);
    } else {
        way = v3_scale(-1.0 / sine, v3_axpy(-nu, c->axis[2], part.d));
    }
    v3 q = v3_axpy(c->radius, way, middle);
    double height = v3_dot(part.d, v3_sub(q, part.p));
    if (!is_over(w->s, number, part.d, q)) return false;
    if (height < 0.0 && !is_least_deep(w->s, c, middle, height)) return false;
    double k = sine < FLAT || !(c->radius > 0.0) ? HUGE_VAL : sine / c->radius;
    if (sine < FLAT) out->feature |= FOOT;
    out->gap = height - w->s->skin - c->skin;
    v3_store(out->n, part.d);
    v3 e = v3_cross(c->axis[2], way);
    flx_touch_side(out, 0, v3_axpy(-height, part.d, q), w->s->skin, 0.0, 0.0, e);
    flx_touch_side(out, 1, q, c->skin, k, HUGE_VAL, e);
    return true;
}

static int count_of(const flx_polytope *t)
{
    return t->nvertex + 3 * t->nedge + 8 * t->nface;
}

static bool part_of(both *w, int number, flx_touch *out)
{
    const flx_polytope *t = w->s->of;
    out->feature = (uint64_t)number;
    if (number < t->nvertex) return corner(w, number, out);
    number -= t->nvertex;
    if (number < 3 * t->nedge) return edge(w, number / 3, number % 3, out);
    number -= 3 * t->nedge;
    return number < 8 * t->nface && face(w, number / 8, number / 4 % 2, number % 4, out);
}

static bool point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                  const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    if (!flx_convex_place(a, fa, &room, &s)) return false;
    both w = {.s = &s, .c = flx_cylinder_core_of(b, fb)};
    return part_of(&w, (int)(feature & ~FOOT), out);
}

// Leaves out what is not strictly a point where one that is lies beside it: it has passed its force on.
static int leave_out(int n, const bool *strict, double size, flx_touch *found)
{
    int kept = 0;
    bool out[MOST_FOUND] = {false};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n && !strict[i] && !out[i]; k++) {
            v3 d = v3_sub(v3_load(found[i].p[0]), v3_load(found[k].p[0]));
            out[i] = strict[k] && v3_norm(d) < SAME * size;
        }
    }
    for (int i = 0; i < n; i++) {
        if (!out[i]) found[kept++] = found[i];
    }
    return kept;
}

static int touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                 const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    flx_touch found[MOST_FOUND];
    bool strict[MOST_FOUND];
    int n = 0;
    if (!flx_convex_place(a, fa, &room, &s)) return 0;
    both w = {.s = &s, .c = flx_cylinder_core_of(b, fb)};
    for (int i = 0; i < count_of(s.of) && n < MOST_FOUND; i++) {
        if (!part_of(&w, i, found + n) || !(found[n].gap < reach)) continue;
        strict[n++] = w.strict;
    }
    double size = fmin(s.of->size, 2.0 * (w.c.radius + w.c.half));
    n = leave_out(n, strict, size, found);
    n = flx_touches_choose(n, found, size, most, last);
    for (int i = 0; i < n; i++) out[i] = found[i];
    return n;
}

static int sharers(uint64_t feature)
{
    return feature & FOOT ? 4 : 1;
}

#define SOLIDS(first, second)                                                                      \
    const flx_pair flx_pair_##first##_##second = {                                                 \
        .point = point, .touch = touch, .sharers = sharers}
SOLIDS(box, cylinder);
SOLIDS(box, disc);
SOLIDS(hull, cylinder);
SOLIDS(hull, disc);
