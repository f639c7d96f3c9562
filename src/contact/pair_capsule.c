// pair_capsule.c - capsules with planes, spheres and each other. The core of a capsule is a segment; a point of it is
// given by its distance x from the middle along the axis.
#include "contact/pair.h"

typedef struct segment {
    v3 middle, u, side; // axis, and a direction across it
    double half, skin;
} segment;

static segment segment_of(const flx_surface *s, const flx_frame *f)
{
    return (segment){.middle = flx_surface_place(s, f),
                     .u = flx_surface_axis(s, f, 2),
                     .side = flx_surface_axis(s, f, 0),
                     .half = 0.5 * s->size[1],
                     .skin = s->size[0] + s->skin};
}

static v3 at(const segment *s, double x)
{
    return v3_axpy(x, s->u, s->middle);
}

static double clamp(double x, double half)
{
    return fmin(fmax(x, -half), half);
}

// Nearest to a point.
static double nearest(const segment *s, v3 p)
{
    return clamp(v3_dot(s->u, v3_sub(p, s->middle)), s->half);
}

// Round an end it is a sphere, between them a cylinder.
static void put_side(flx_touch *t, int side, const segment *s, double x)
{
    double along = fabs(x) < s->half ? 0.0 : HUGE_VAL;
    flx_touch_side(t, side, at(s, x), s->skin, along, HUGE_VAL, s->u);
}

// Gap and normal of two points of cores; d: the normal where they coincide.
static void put_normal(flx_touch *t, v3 a, v3 b, double skin, v3 d)
{
    v3 way = v3_sub(b, a);
    double l = v3_norm(way);
    v3_store(t->n, l > 0.0 ? v3_scale(1.0 / l, way) : d);
    t->gap = l - skin;
}

static bool plane_capsule(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                          const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    v3 n = flx_surface_axis(a, fa, 2);
    segment s = segment_of(b, fb);
    v3 end = at(&s, feature ? s.half : -s.half);
    double h = v3_dot(n, v3_sub(end, flx_surface_place(a, fa)));
    out->gap = h - s.skin - a->skin;
    out->feature = feature;
    v3_store(out->n, n);
    flx_touch_side(out, 0, v3_axpy(-h, n, end), a->skin, 0.0, 0.0, n);
    flx_touch_side(out, 1, end, s.skin, HUGE_VAL, HUGE_VAL, n);
    return true;
}

const flx_pair flx_pair_plane_capsule = {.points = 2, .point = plane_capsule};

static bool sphere_capsule(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                           const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    segment s = segment_of(b, fb);
    v3 c = flx_surface_place(a, fa);
    double x = nearest(&s, c), r = a->size[0] + a->skin;
    put_normal(out, c, at(&s, x), r + s.skin, s.side);
    out->feature = feature;
    flx_touch_side(out, 0, c, r, HUGE_VAL, HUGE_VAL, s.u);
    put_side(out, 1, &s, x);
    return true;
}

const flx_pair flx_pair_sphere_capsule = {.points = 1, .point = sphere_capsule};

// Two capsules: nearest points, or, where they lie along each other, one at each end of the part that they have in
// common. One may tilt towards the other: then the nearest place is an end of that part, and the other end comes off. Which of the
// two holds depends on the angle across the way between them, and changes where the gaps are the same but for
// PARALLEL^2 (part in common)^2/(8 distance).
enum { NEAREST, LOW, HIGH, CAPSULE_POINTS };
static const double PARALLEL = 1e-3, LEANS = 0.1; // sines of angles

static void nearest_points(const segment *a, const segment *b, double x[2])
{
    v3 r = v3_sub(a->middle, b->middle);
    double c = v3_dot(a->u, b->u), ar = v3_dot(a->u, r), br = v3_dot(b->u, r);
    v3 across = v3_cross(a->u, b->u);
    double s2 = v3_dot(across, across);
    x[0] = s2 > 0.0 ? clamp((c * br - ar) / s2, a->half) : clamp(-ar, a->half);
    double y = c * x[0] + br;
    x[1] = clamp(y, b->half);
    if (x[1] != y) x[0] = nearest(a, at(b, x[1]));
}

// The part of the first along which the second lies, as distances from its middle; false: none.
static bool common_part(const segment *a, const segment *b, double part[2])
{
    v3 across = v3_cross(a->u, b->u);
    double m = v3_dot(a->u, v3_sub(b->middle, a->middle)), h = b->half * fabs(v3_dot(a->u, b->u));
    part[0] = fmax(-a->half, m - h);
    part[1] = fmin(a->half, m + h);
    if (!(part[1] - part[0] > 1e-3 * fmin(a->half, b->half))) return false;
    double s2 = v3_dot(across, across);
    if (s2 < PARALLEL * PARALLEL || s2 >= LEANS * LEANS) return s2 < LEANS * LEANS;
    v3 p = at(a, 0.5 * (part[0] + part[1])), way = v3_sub(at(b, nearest(b, p)), p);
    double crossing = v3_dot(across, way);
    return crossing * crossing < PARALLEL * PARALLEL * v3_dot(way, way);
}

// The ends of that part: an end of the first against the second, or the other way round.
static void end_points(const segment *a, const segment *b, int high, const double part[2],
                       double x[2])
{
    double sign = high ? 1.0 : -1.0;
    if (part[high] == sign * a->half) {
        x[0] = part[high];
        x[1] = nearest(b, at(a, x[0]));
    } else {
        x[1] = v3_dot(a->u, b->u) > 0.0 ? sign * b->half : -sign * b->half;
        x[0] = nearest(a, at(b, x[1]));
    }
}

// Across the first, towards the second if they cross.
static v3 across_of(const segment *a, const segment *b)
{
    v3 d = v3_axpy(-v3_dot(a->u, b->u), a->u, b->u);
    double l = v3_norm(d);
    return l > 1e-8 ? v3_scale(1.0 / l, d) : a->side;
}

static bool capsule_capsule(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                            const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    segment s[2] = {segment_of(a, fa), segment_of(b, fb)};
    double x[2], part[2];
    bool along = common_part(s, s + 1, part);
    if (along == (feature == NEAREST)) return false;
    if (along) {
        end_points(s, s + 1, feature == HIGH, part, x);
    } else {
        nearest_points(s, s + 1, x);
    }
    put_normal(out, at(s, x[0]), at(s + 1, x[1]), s[0].skin + s[1].skin, across_of(s, s + 1));
    out->feature = feature;
    for (int i = 0; i < 2; i++) put_side(out, i, s + i, x[i]);
    return true;
}

const flx_pair flx_pair_capsule_capsule = {.points = CAPSULE_POINTS, .point = capsule_capsule};
