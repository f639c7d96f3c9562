// pair_heights_solid.c - heights with capsules, boxes, hulls, cylinders and discs. What can touch is one of their places (an end, a
// corner), a place between the ends of a line (an edge, an axis) that is lower than those beside it, the same of a rim, or a
// hill under a face. Each is nearest for itself: none of them may be below the heights. They come and go, but those of capsules.
#include "contact/convex/polytope.h"
#include "contact/cylinder_core.h"
#include "contact/mesh/heights_nearest.h"

#define HALVINGS 50
#define LOOKS 16      // along a line, or round a rim
#define MOST_LOOKS 32 // in each direction of the grid, under a face
#define MOST_FOUND 64
#define FAR 0.25 // of the size of a solid

typedef struct over {
    const flx_surface *s;
    const flx_frame *f;
} over;

// A place with a skin round it; of a line: along it, curved with k in the direction e.
static void put(const over *o, const flx_heights_foot *f, v3 p, double skin, double along, v3 e,
                flx_touch *out)
{
    out->gap = f->height - skin - o->s->skin;
    v3_store(out->n, f->n);
    v3_store(out->p[0], v3_axpy(o->s->skin, f->n, f->place));
    out->bend[0] = f->bend;
    flx_touch_side(out, 1, p, skin, along, HUGE_VAL, e);
}

static bool place(const over *o, v3 p, double skin, flx_touch *out)
{
    flx_heights_foot f;
    if (!flx_heights_nearest(o->s, o->f, p, &f)) return false;
    put(o, &f, p, skin, HUGE_VAL, f.n, out);
    return true;
}

// ---- lines and rims ---------------------------------------------------------------------------------

// A segment, p + x d, or a circle round p with the radius, from d towards e; x from 0 to 1, d of the length of the segment.
typedef struct line {
    v3 p, d, e;
    bool round;
    double radius;
} line;

static v3 line_at(const line *l, double x, v3 *along)
{
    if (!l->round) {
        *along = l->d;
        return v3_axpy(x, l->d, l->p);
    }
    double a = 2.0 * FLX_PI * x;
    *along = v3_axpy(cos(a), l->e, v3_scale(-sin(a), l->d));
    return v3_axpy(l->radius, v3_axpy(sin(a), l->e, v3_scale(cos(a), l->d)), l->p);
}

static bool line_slope(const over *o, const line *l, double x, double *slope, flx_heights_foot *f)
{
    v3 along, p = line_at(l, x, &along);
    if (!flx_heights_nearest(o->s, o->f, p, f)) return false;
    *slope = v3_dot(f->n, along);
    return true;
}

// Regula falsi, with the value of an end that stays halved (Illinois): the slope is negative at low.
static bool halve(const over *o, const line *l, double low, double high, double *x)
{
    double from, to;
    flx_heights_foot f;
    int side = 0;
    if (!line_slope(o, l, low, &from, &f) || !line_slope(o, l, high, &to, &f)) return false;
    for (int i = 0; i < HALVINGS && high - low > 1e-15; i++) {
        double middle = i % 8 == 7 || !(to > from) ? 0.5 * (low + high)
                                                   : low - from * (high - low) / (to - from);
        double slope;
        if (!(middle > low && middle < high)) break;
        if (!line_slope(o, l, middle, &slope, &f)) return false;
        if (slope < 0.0) {
            low = middle;
            from = slope;
            if (side < 0) to *= 0.5;
            side = -1;
        } else {
            high = middle;
            to = slope;
            if (side > 0) from *= 0.5;
            side = 1;
        }
    }
    *x = fabs(from) < fabs(to) ? low : high;
    return true;
}

// How many places are looked at: two in a step of the grid.
static int looks_along(const over *o, const line *l)
{
    const flx_heights *h = o->s->data;
    v3 up = flx_surface_axis(o->s, o->f, 2), d = v3_axpy(-v3_dot(up, l->d), up, l->d);
    double length = l->round ? 2.0 * FLX_PI * l->radius : v3_norm(d);
    int n = (int)fmin(LOOKS, ceil(2.0 * length / fmin(h->step[0], h->step[1])));
    return n < (l->round ? LOOKS / 2 : 2) ? (l->round ? LOOKS / 2 : 2) : n;
}

// Where it is lower than beside that: the two lowest, in order along it.
static int lowest_of(const over *o, const line *l, double x[2])
{
    double height[2] = {HUGE_VAL, HUGE_VAL}, last = 1.0, slope, to;
    int n = 0, looks = looks_along(o, l);
    for (int i = l->round ? -1 : 0; i <= (l->round ? looks - 1 : looks); i++) {
        flx_heights_foot f;
        if (!line_slope(o, l, (double)i / looks, &slope, &f)) slope = 1.0;
        bool least = last < 0.0 && slope >= 0.0;
        last = slope;
        if (!least || !halve(o, l, (double)(i - 1) / looks, (double)i / looks, &to)) continue;
        if (!line_slope(o, l, to, &slope, &f)) continue;
        int at = n < 2 ? n++ : height[0] > height[1] ? 0 : 1;
        if (f.height >= height[at]) continue;
        height[at] = f.height;
        x[at] = to;
    }
    if (n == 2 && x[0] > x[1]) {
        double swap = x[0];
        x[0] = x[1];
        x[1] = swap;
    }
    return n;
}

static bool along_line(const over *o, const line *l, int which, double skin, flx_touch *out)
{
    double x[2], slope;
    flx_heights_foot f;
    if (which >= lowest_of(o, l, x) || !line_slope(o, l, x[which], &slope, &f)) return false;
    v3 along, p = line_at(l, x[which], &along);
    double k = 0.0;
    if (l->round) k = v3_dot(v3_unit(v3_sub(p, l->p)), v3_neg(f.n)) / l->radius;
    put(o, &f, p, skin, k, v3_unit(along), out);
    return true;
}

// ---- hills under faces --------------------------------------------------------------------------------

typedef struct face {
    v3 p, n;              // a place of it; outwards
    const flx_convex *of; // its corners are those of face `number`;
    int number;           // NULL: it is round, p the middle
    double radius;
} face;

static bool is_under(const face *w, v3 q)
{
    v3 d = v3_sub(q, w->p);
    d = v3_axpy(-v3_dot(w->n, d), w->n, d);
    if (!w->of) return v3_norm(d) < w->radius;
    const flx_polytope *t = w->of->of;
    int from = t->first[w->number], n = t->first[w->number + 1] - from;
    for (int i = 0; i < n; i++) {
        v3 a = flx_convex_vertex(w->of, t->corners[from + i]);
        v3 e = v3_sub(flx_convex_vertex(w->of, t->corners[from + (i + 1) % n]), a);
        if (v3_dot(v3_cross(w->n, e), v3_sub(q, a)) < 0.0) return false;
    }
    return true;
}

// How far it reaches from its place.
static double width_of(const face *w)
{
    double most = w->radius;
    if (!w->of) return most;
    const flx_polytope *t = w->of->of;
    for (int i = t->first[w->number]; i < t->first[w->number + 1]; i++)
        most = fmax(most, v3_norm(v3_sub(flx_convex_vertex(w->of, t->corners[i]), w->p)));
    return most;
}

// The highest hill, in the axes of the surface: its top is where the heights have the slope of the face.
static bool top_under(const flx_heights *h, const face *w, m33 R, v3 origin, double *x, double *y)
{
    v3 n = m33_tmul_v(R, w->n), p = m33_tmul_v(R, v3_sub(w->p, origin));
    double wide = width_of(w), at[2] = {p.x, p.y}, best = HUGE_VAL;
    int low[2], step[2];
    for (int k = 0; k < 2; k++) {
        double a = (at[k] - wide - h->from[k]) / h->step[k], b = 2.0 * wide / h->step[k];
        low[k] = (int)fmin(fmax(a, 0.0), h->n[k] - 1);
        step[k] = 1 + (int)fmin(b, h->n[k] - 1) / MOST_LOOKS;
    }
    for (int i = low[0]; i < h->n[0] && h->from[0] + i * h->step[0] <= p.x + wide; i += step[0]) {
        for (int j = low[1]; j < h->n[1] && h->from[1] + j * h->step[1] <= p.y + wide;
             j += step[1]) {
            v3 q = {h->from[0] + i * h->step[0], h->from[1] + j * h->step[1],
                    h->z[4 * ((size_t)i * (size_t)h->n[1] + (size_t)j)]};
            double gap = v3_dot(n, v3_sub(q, p));
            if (gap >= best || !is_under(w, v3_add(origin, m33_mul_v(R, q)))) continue;
            best = gap;
            *x = q.x;
            *y = q.y;
        }
    }
    return best < HUGE_VAL;
}

static bool under_face(const over *o, const face *w, double skin, flx_touch *out)
{
    const flx_heights *h = o->s->data;
    m33 R = m33_mul(m33_load(o->f->R), m33_load(o->s->axes));
    v3 origin = flx_surface_place(o->s, o->f), n = m33_tmul_v(R, w->n);
    double x = 0.0, y = 0.0, size = h->step[0] + h->step[1], moved = HUGE_VAL;
    flx_height f;
    if (!(n.z < -0.1) || !top_under(h, w, R, origin, &x, &y)) return false;
    for (int i = 0; i < 30 && moved > 1e-13 * size; i++) {
        if (!flx_heights_at(h, x, y, &f)) return false;
        double gx = n.x / n.z + f.x, gy = n.y / n.z + f.y, det = f.xx * f.yy - f.xy * f.xy;
        if (!(det > 1e-9 * (f.xx * f.xx + f.yy * f.yy)) || !(f.xx < 0.0)) return false; // no hill
        double u = -(f.yy * gx - f.xy * gy) / det, v = -(f.xx * gy - f.xy * gx) / det;
        double share = fmin(1.0, size / fmax(hypot(u, v), 1e-300));
        x += share * u;
        y += share * v;
        moved = share * hypot(u, v);
    }
    if (!flx_heights_at(h, x, y, &f) || moved > 1e-9 * size) return false;
    v3 top = v3_add(origin, m33_mul_v(R, v3_make(x, y, f.z)));
    if (!is_under(w, top)) return false;
    double gap = v3_dot(w->n, v3_sub(top, w->p)); // of the bare surfaces
    v3 m = v3_neg(w->n);
    out->gap = gap - skin - o->s->skin;
    v3_store(out->n, m);
    v3_store(out->p[0], v3_axpy(o->s->skin, m, top));
    out->bend[0] = flx_heights_curvature(&f, R, o->s->skin);
    flx_touch_side(out, 1, v3_axpy(gap, m, top), skin, 0.0, 0.0, m);
    return true;
}

// ---- capsules -------------------------------------------------------------------------------------------

enum { END, OTHER_END, MIDDLE, CAPSULE_POINTS = MIDDLE + 2 };

static line axis_of(const flx_surface *s, const flx_frame *f, double half)
{
    v3 u = flx_surface_axis(s, f, 2), c = flx_surface_place(s, f);
    return (line){.p = v3_axpy(-half, u, c), .d = v3_scale(2.0 * half, u)};
}

static bool capsule_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                          const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    over o = {a, fa};
    line l = axis_of(b, fb, 0.5 * b->size[1]);
    double r = b->size[0] + b->skin;
    out->feature = feature;
    if (feature >= MIDDLE) return along_line(&o, &l, (int)feature - MIDDLE, r, out);
    v3 along, p = line_at(&l, feature == END ? 0.0 : 1.0, &along);
    return place(&o, p, r, out);
}

const flx_pair flx_pair_heights_capsule = {.points = CAPSULE_POINTS, .point = capsule_point};

// ---- cylinders ------------------------------------------------------------------------------------------

// Of each end three places of the rim, the two lowest of the rim, the hill under it; two of the side.
enum { FOOT, LOWEST = 3, HILL = 5, OF_END, SIDE = 2 * OF_END, CYLINDER_POINTS = SIDE + 2 };

static bool cylinder_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                           const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    over o = {a, fa};
    flx_cylinder_core c = flx_cylinder_core_of(b, fb);
    int end = (int)feature / OF_END, number = (int)feature % OF_END;
    out->feature = feature;
    if (feature >= SIDE) {
        line l = axis_of(b, fb, c.half);
        return c.half > 0.0 && along_line(&o, &l, number, c.radius + c.skin, out);
    }
    if (end == 1 && c.half == 0.0 && number < HILL) return false; // a disc has one rim
    if (!(c.radius > 0.0) && number != FOOT) return false;        // it is a point
    double sign = end ? 1.0 : -1.0;
    v3 middle = v3_axpy(sign * c.half, c.axis[2], c.middle);
    line rim = {.p = middle, .d = c.axis[0], .e = c.axis[1], .round = true, .radius = c.radius};
    if (number < LOWEST) {
        v3 along;
        return place(&o, line_at(&rim, number / 3.0, &along), c.skin, out);
    }
    if (number < HILL) return along_line(&o, &rim, number - LOWEST, c.skin, out);
    face w = {.p = middle, .n = v3_scale(sign, c.axis[2]), .radius = c.radius};
    return under_face(&o, &w, c.skin, out);
}

// Whether a ball round p is over the heights by more than reach: of what is in it nothing touches.
static bool is_high(const over *o, v3 p, double radius, double reach)
{
    flx_heights_foot f;
    if (!flx_heights_nearest(o->s, o->f, p, &f)) return false;
    return f.height - radius - o->s->skin > reach;
}

static int cylinder_touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                          const flx_frame *fb, double reach, int most, flx_manifold *last,
                          flx_touch *out)
{
    flx_touch found[CYLINDER_POINTS];
    flx_cylinder_core c = flx_cylinder_core_of(b, fb);
    over o = {a, fa};
    bool high[3]; // ends, the side
    int n = 0;
    high[2] = is_high(&o, c.middle, c.half + c.radius + c.skin, reach);
    if (high[2]) return 0;
    for (int i = 0; i < 2; i++)
        high[i] = is_high(&o, v3_axpy(i ? c.half : -c.half, c.axis[2], c.middle), c.radius + c.skin,
                          reach);
    for (int i = 0; i < CYLINDER_POINTS; i++) {
        if (high[i / OF_END < 2 ? i / OF_END : 2]) continue;
        if (cylinder_point(a, fa, b, fb, (uint64_t)i, found + n) && found[n].gap < reach) n++;
    }
    n = flx_touches_choose(n, found, fmax(b->size[0], b->size[1]), most, last);
    for (int i = 0; i < n; i++) out[i] = found[i];
    return n;
}

const flx_pair flx_pair_heights_cylinder = {.point = cylinder_point, .touch = cylinder_touch};
const flx_pair flx_pair_heights_disc = {.point = cylinder_point, .touch = cylinder_touch};

// ---- boxes and hulls: corners, then the lowest places of edges, then hills under faces ----------------------------

// Whether no place of an edge can be nearer than a part of the size, by its middle.
static bool is_far(const over *o, const flx_convex *s, int edge)
{
    const int *e = s->of->edges + 4 * (size_t)edge;
    v3 p = flx_convex_vertex(s, e[0]), q = flx_convex_vertex(s, e[1]);
    flx_heights_foot f;
    if (!flx_heights_nearest(o->s, o->f, v3_axpy(0.5, v3_sub(q, p), p), &f)) return false;
    return f.height - 0.5 * v3_norm(v3_sub(q, p)) > FAR * s->of->size + s->skin + o->s->skin;
}

static bool solid_feature(const over *o, const flx_convex *s, int number, flx_touch *out)
{
    const flx_polytope *t = s->of;
    out->feature = (uint64_t)number;
    if (number < t->nvertex) return place(o, flx_convex_vertex(s, number), s->skin, out);
    number -= t->nvertex;
    if (number < t->nedge) {
        if (is_far(o, s, number)) return false;
        const int *e = t->edges + 4 * (size_t)number;
        v3 p = flx_convex_vertex(s, e[0]);
        line l = {.p = p, .d = v3_sub(flx_convex_vertex(s, e[1]), p)};
        return along_line(o, &l, 0, s->skin, out);
    }
    number -= t->nedge;
    if (number >= t->nface) return false;
    flx_part part = flx_convex_part(s, FLX_PART_FACE, number);
    face w = {.p = part.p, .n = part.d, .of = s, .number = number};
    return under_face(o, &w, s->skin, out);
}

static bool solid_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    over o = {a, fa};
    return flx_convex_place(b, fb, &room, &s) && solid_feature(&o, &s, (int)feature, out);
}

static int solid_touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                       const flx_frame *fb, double reach, int most, flx_manifold *last,
                       flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    flx_touch found[MOST_FOUND], t;
    over o = {a, fa};
    int n = 0;
    if (!flx_convex_place(b, fb, &room, &s)) return 0;
    v3 middle = {0, 0, 0};
    double radius = 0.0;
    for (int i = 0; i < s.of->nvertex; i++)
        middle = v3_axpy(1.0 / s.of->nvertex, flx_convex_vertex(&s, i), middle);
    for (int i = 0; i < s.of->nvertex; i++)
        radius = fmax(radius, v3_norm(v3_sub(flx_convex_vertex(&s, i), middle)));
    if (is_high(&o, middle, radius + s.skin, reach)) return 0;
    int all = s.of->nvertex + s.of->nedge + s.of->nface;
    for (int i = 0; i < all && n < MOST_FOUND; i++) {
        if (solid_feature(&o, &s, i, &t) && t.gap < reach) found[n++] = t;
    }
    n = flx_touches_choose(n, found, s.of->size, most, last);
    for (int i = 0; i < n; i++) out[i] = found[i];
    return n;
}

const flx_pair flx_pair_heights_box = {.point = solid_point, .touch = solid_touch};
const flx_pair flx_pair_heights_hull = {.point = solid_point, .touch = solid_touch};
