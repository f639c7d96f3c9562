// pair_cylinders.c - cylinders and discs with capsules and each other. A point of an axis is given by its distance x from the middle.
//
// The distance of a point from a cylinder is convex, so that along an axis, or an end, it has one least value; that round a rim has
// at most two of them. Where two lie along each other, or stand on each other, points at the borders of what they share take the
// place of the least, which could be anywhere.
#include "contact/cylinder_core.h"

// Sines of the angles up to which axes lie along each other, and up to which one stands on the end of the other.
static const double PARALLEL = 1e-3, FLAT = 1e-5;
// A part that two have in common is longer than this part of the shorter.
static const double SHARED = 1e-3;
// Places that are one, as a part of the radii.
static const double MUTUAL = 1e-9;
#define HALVINGS 60
#define LOOKS 32 // places of a rim looked at

static v3 at(const flx_cylinder_core *c, double x)
{
    return v3_axpy(x, c->axis[2], c->middle);
}

static double clamp(double x, double half)
{
    return fmin(fmax(x, -half), half);
}

static double sine_of(const flx_cylinder_core *a, const flx_cylinder_core *b)
{
    return v3_norm(v3_cross(a->axis[2], b->axis[2]));
}

// The part of the axis of a along which b lies beside it, as distances from the middle; false: there is none.
static bool common_part(const flx_cylinder_core *a, const flx_cylinder_core *b, double part[2])
{
    v3 d = v3_sub(b->middle, a->middle);
    double m = v3_dot(a->axis[2], d), h = b->half * fabs(v3_dot(a->axis[2], b->axis[2]));
    part[0] = fmax(-a->half, m - h);
    part[1] = fmin(a->half, m + h);
    return sine_of(a, b) < PARALLEL && part[1] - part[0] > SHARED * fmin(a->half, b->half);
}

// ---- capsule ------------------------------------------------------------------------------------------

enum { NEAREST, LOW, HIGH, CAPSULE_POINTS };

// A cylinder without radius and with round ends.
static flx_cylinder_core segment_of(const flx_surface *s, const flx_frame *f)
{
    flx_cylinder_core c = {
        .middle = flx_surface_place(s, f), .half = 0.5 * s->size[1], .skin = s->size[0] + s->skin};
    for (int i = 0; i < 3; i++) c.axis[i] = flx_surface_axis(s, f, i);
    return c;
}

static double slope_of(const flx_cylinder_core *a, const flx_cylinder_core *b, double x)
{
    return v3_dot(flx_cylinder_nearest(b, at(a, x)).out, a->axis[2]);
}

double flx_cylinder_nearest_of_axis(const flx_cylinder_core *a, const flx_cylinder_core *b)
{
    double low = -a->half, high = a->half;
    if (slope_of(a, b, low) >= 0.0) return low;
    if (slope_of(a, b, high) <= 0.0) return high;
    for (int i = 0; i < HALVINGS; i++) {
        double x = 0.5 * (low + high);
        *(slope_of(a, b, x) < 0.0 ? &low : &high) = x;
    }
    return 0.5 * (low + high);
}

// The part of the axis of a along which b lies beside it. It may tilt towards b: then one end of the part is nearer; turned about the way
// between them it crosses, and is nearest in the middle.
static bool part_beside(const flx_cylinder_core *a, const flx_cylinder_core *b, double part[2])
{
    if (sine_of(a, b) < PARALLEL) return common_part(a, b, part);
    double c = v3_dot(a->axis[2], b->axis[2]), m = v3_dot(b->axis[2], v3_sub(a->middle, b->middle));
    if (!(sine_of(a, b) < FLX_CYLINDER_LEANS)) return false;
    double low = (-b->half - m) / c, high = (b->half - m) / c;
    part[0] = fmax(-a->half, fmin(low, high));
    part[1] = fmin(a->half, fmax(low, high));
    if (!(part[1] - part[0] > SHARED * fmin(a->half, b->half))) return false;
    v3 d = v3_sub(at(a, 0.5 * (part[0] + part[1])), b->middle);
    v3 across = v3_cross(b->axis[2], v3_axpy(-v3_dot(d, b->axis[2]), b->axis[2], d));
    return fabs(v3_dot(a->axis[2], across)) < PARALLEL * v3_norm(across);
}

static bool bears_on_side(const flx_cylinder_core *b, const flx_cylinder_core *a, bool second,
                          bool *lies, double *x, flx_cylinder_foot *f)
{
    double part[2];
    *lies = part_beside(a, b, part) &&
            flx_cylinder_nearest(b, at(a, 0.5 * (part[0] + part[1]))).part == FLX_CYLINDER_SIDE;
    if (!*lies) return false;
    *x = part[second];
    *f = flx_cylinder_nearest_on(b, at(a, *x), FLX_CYLINDER_SIDE);
    if (fabs(*x) >= a->half || !(b->radius > 0.0)) return true; // an end of a
    flx_edge_curve line = {.middle = a->middle, .e = {a->axis[2]}};
    bool up = (v3_dot(a->axis[2], b->axis[2]) > 0.0) == second;
    double at_rim = *x;
    flx_cylinder_foot g;
    if (flx_cylinder_at_rim(b, &line, v3_scale(up ? 1.0 : -1.0, b->axis[2]), &at_rim, &g)) {
        *x = fmax(-a->half, fmin(a->half, at_rim));
        *f = g;
    }
    return true;
}

bool flx_cylinder_bears(const flx_cylinder_core *b, const flx_cylinder_core *a, bool second,
                        bool *lies, double *x, flx_cylinder_foot *f)
{
    const flx_edge_curve line = {.middle = a->middle, .e = {a->axis[2]}};
    double ends[2];
    flx_cylinder_foot feet[2];
    for (int i = 0; i < 2; i++) {
        if (!flx_cylinder_bridges(b, &line, i == 1, &ends[i], &feet[i]))
            return bears_on_side(b, a, second, lies, x, f);
    }
    *lies = ends[0] < a->half && ends[1] > -a->half;
    *x = fmax(-a->half, fmin(a->half, ends[second]));
    *f = *x == ends[second] ? feet[second] : flx_cylinder_nearest(b, at(a, *x));
    return *lies;
}

static bool capsule_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                          const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_cylinder_core s = segment_of(a, fa), c = flx_cylinder_core_of(b, fb);
    bool lies;
    double x;
    flx_cylinder_foot f;
    bool there = flx_cylinder_bears(&c, &s, feature == HIGH, &lies, &x, &f);
    if (lies == (feature == NEAREST) || (lies && !there)) return false;
    if (!lies) {
        x = flx_cylinder_nearest_of_axis(&s, &c);
        f = flx_cylinder_nearest(&c, at(&s, x));
    }
    flx_cylinder_put_axis(&s, x, &c, &f, out);
    out->feature = feature;
    return true;
}

const flx_pair flx_pair_capsule_cylinder = {.points = CAPSULE_POINTS, .point = capsule_point};
const flx_pair flx_pair_capsule_disc = {.points = CAPSULE_POINTS, .point = capsule_point};

// ---- two cylinders --------------------------------------------------------------------------------------

// Sides that cross; ends of what lies along; rims of the second, then of the first: two places on each; feet of what stands.
enum {
    CROSSING,
    ALONG,
    RIMS = ALONG + 2,
    OWN_RIMS = RIMS + 4,
    FEET = RIMS + 8,
    CYLINDERS_POINTS = FEET + 4
};

static void put_sides(const flx_cylinder_core *a, const flx_cylinder_core *b, const double x[2],
                      flx_touch *out)
{
    v3 p = at(a, x[0]), q = at(b, x[1]), way = v3_sub(q, p);
    double l = v3_norm(way);
    v3 n = l > 0.0 ? v3_scale(1.0 / l, way) : a->axis[0];
    out->gap = l - a->radius - a->skin - b->radius - b->skin;
    v3_store(out->n, n);
    flx_touch_side(out, 0, v3_axpy(a->radius, n, p), a->skin, 0.0,
                   flx_curvature_of_radius(a->radius), a->axis[2]);
    flx_touch_side(out, 1, v3_axpy(-b->radius, n, q), b->skin, 0.0,
                   flx_curvature_of_radius(b->radius), b->axis[2]);
}

// Nearest places of the two axes, between their ends.
static bool cross(const flx_cylinder_core *a, const flx_cylinder_core *b, double x[2])
{
    v3 r = v3_sub(a->middle, b->middle), u = a->axis[2], w = b->axis[2], across = v3_cross(u, w);
    double s2 = v3_dot(across, across), c = v3_dot(u, w), ar = v3_dot(u, r), br = v3_dot(w, r);
    if (s2 < PARALLEL * PARALLEL) return false;
    x[0] = (c * br - ar) / s2;
    x[1] = (br - c * ar) / s2;
    return fabs(x[0]) < a->half && fabs(x[1]) < b->half;
}

// Beside each other, not one before the other.
static bool lies_along(const flx_cylinder_core *a, const flx_cylinder_core *b, double part[2])
{
    if (!common_part(a, b, part)) return false;
    v3 d = v3_sub(at(a, 0.5 * (part[0] + part[1])), b->middle);
    double z = v3_dot(b->axis[2], d), rho = v3_norm(v3_axpy(-z, b->axis[2], d));
    return rho - a->radius - b->radius > -(part[1] - part[0]);
}

static void ends_along(const flx_cylinder_core *a, const flx_cylinder_core *b, const double part[2],
                       int high, double x[2])
{
    double sign = high ? 1.0 : -1.0;
    bool same = v3_dot(a->axis[2], b->axis[2]) > 0.0;
    x[0] = part[high];
    if (part[high] == sign * a->half) {
        x[1] = clamp(v3_dot(b->axis[2], v3_sub(at(a, x[0]), b->middle)), b->half);
    } else {
        x[1] = same ? sign * b->half : -sign * b->half;
        x[0] = clamp(v3_dot(a->axis[2], v3_sub(at(b, x[1]), a->middle)), a->half);
    }
}

// ---- rims -----------------------------------------------------------------------------------------------

typedef struct rim {
    const flx_cylinder_core *of, *other;
    v3 middle;
} rim;

static v3 radial(const rim *r, double angle)
{
    return v3_axpy(sin(angle), r->of->axis[1], v3_scale(cos(angle), r->of->axis[0]));
}

static flx_cylinder_foot rim_foot(const rim *r, double angle)
{
    v3 q = v3_axpy(r->of->radius, radial(r, angle), r->middle);
    return flx_cylinder_nearest(r->other, q);
}

static double rim_slope(const rim *r, double angle)
{
    return v3_dot(rim_foot(r, angle).out, radial(r, angle + 0.5 * FLX_PI));
}

// Angles where the rim is nearest to the other, two at most: those nearest of all, along the axis of the other.
static int nearest_of_rim(const rim *r, double angle[2])
{
    const double step = 2.0 * FLX_PI / LOOKS;
    double distance[2] = {HUGE_VAL, HUGE_VAL}, last = rim_slope(r, -step);
    int n = 0;
    for (int i = 0; i < LOOKS; i++) {
        double low = (i - 1) * step, high = i * step, now = rim_slope(r, high);
        bool least = last < 0.0 && now >= 0.0;
        last = now;
        if (!least) continue;
        for (int k = 0; k < HALVINGS; k++) {
            double x = 0.5 * (low + high);
            *(rim_slope(r, x) < 0.0 ? &low : &high) = x;
        }
        double x = 0.5 * (low + high), d = rim_foot(r, x).distance;
        int to = n < 2 ? n++ : distance[0] > distance[1] ? 0 : 1;
        if (d >= distance[to]) continue;
        distance[to] = d;
        angle[to] = x;
    }
    if (n < 2) return n;
    v3 w = r->other->axis[2];
    if (v3_dot(w, radial(r, angle[0])) > v3_dot(w, radial(r, angle[1]))) {
        double x = angle[0];
        angle[0] = angle[1];
        angle[1] = x;
    }
    return n;
}

// Whether a place on a rim is the nearest one of all its cylinder to what is nearest to it: else that is beside its end, or its
// side, and the other's rim finds the two. Where rims touch or overlap the normal tells; a disc has no face that could hold what
// is behind its rim.
static bool is_mutual(const rim *r, double angle, const flx_cylinder_foot *f)
{
    v3 way = radial(r, angle), q = v3_axpy(r->of->radius, way, r->middle);
    if (f->distance > MUTUAL * (r->of->radius + r->other->radius)) {
        v3 d = v3_sub(flx_cylinder_nearest(r->of, f->place).place, q);
        return v3_norm(d) <= MUTUAL * (r->of->radius + r->other->radius);
    }
    double over = v3_dot(f->out, v3_sub(r->middle, r->of->middle));
    return r->of->half == 0.0 || (v3_dot(f->out, way) <= MUTUAL && over <= MUTUAL * r->of->half);
}

// Number 0 to 7: of the second, of the first; the end; which place.
static bool rim_point(const flx_cylinder_core *a, const flx_cylinder_core *b, int number,
                      flx_touch *out)
{
    bool own = number >= OWN_RIMS - RIMS;
    const flx_cylinder_core *of = own ? a : b;
    bool high = (number / 2) % 2;
    rim r = {of, own ? b : a, at(of, high ? of->half : -of->half)};
    double angle[2];
    if (high && of->half == 0.0) return false; // a disc has one rim
    if (number % 2 >= nearest_of_rim(&r, angle)) return false;
    double x = angle[number % 2];
    flx_edge_curve edge = {r.middle, {of->axis[0], of->axis[1]}, of->radius};
    flx_cylinder_foot f = of->radius > 0.0
                              ? flx_cylinder_meet(r.other, &edge, 2.0 * FLX_PI / LOOKS, &x)
                              : rim_foot(&r, x);
    bool rims = f.part == FLX_CYLINDER_RIM; // that of the second finds it
    if (rims && (own || !is_mutual(&r, x, &f))) return false;
    v3 way = radial(&r, x);
    double k = of->radius > 0.0 ? v3_dot(way, v3_neg(f.out)) / of->radius : HUGE_VAL;
    out->gap = f.distance - a->skin - b->skin;
    v3_store(out->n, own ? v3_neg(f.out) : f.out);
    flx_touch_side(out, own ? 1 : 0, f.place, r.other->skin, f.k[0], f.k[1], f.e);
    flx_touch_side(out, own ? 0 : 1, v3_axpy(of->radius, way, r.middle), of->skin, k, HUGE_VAL,
                   radial(&r, x + 0.5 * FLX_PI));
    return true;
}

// ---- one standing on the other ----------------------------------------------------------------------------

typedef struct stand {
    v3 up, e, f;      // from the first to the second; from axis to axis, and across
    double way, z[2]; // between the axes; heights of the ends over the middle of the first
} stand;

static bool stands_on(const flx_cylinder_core *a, const flx_cylinder_core *b, stand *s)
{
    v3 u = a->axis[2], d = v3_sub(b->middle, a->middle);
    if (sine_of(a, b) >= FLAT) return false;
    double z = v3_dot(u, d);
    v3 across = v3_axpy(-z, u, d);
    s->up = v3_scale(z < 0.0 ? -1.0 : 1.0, u);
    s->way = v3_norm(across);
    s->e = s->way > 1e-9 * (a->radius + b->radius) ? v3_scale(1.0 / s->way, across) : a->axis[0];
    s->f = v3_cross(s->up, s->e);
    s->z[0] = a->half;
    s->z[1] = fabs(z) - b->half;
    double beside = s->way - a->radius - b->radius;
    return beside < 0.0 && s->z[1] - s->z[0] > beside;
}

// Places of what the ends share, from the axis of the first: corners of the lens of two circles and its middles, or four places
// of a rim that is inside the other.
static v3 foot_of(const stand *s, const flx_cylinder_core *a, const flx_cylinder_core *b, int i)
{
    double r = a->radius, q = b->radius, d = s->way, sign = i % 2 ? -1.0 : 1.0;
    if (d + fmin(r, q) <= fmax(r, q)) {
        const flx_cylinder_core *in = q <= r ? b : a;
        v3 from = q <= r ? v3_scale(d, s->e) : v3_make(0, 0, 0);
        return v3_axpy(sign * in->radius, in->axis[i / 2], from);
    }
    if (i >= 2) return v3_scale(i == 2 ? r : d - q, s->e);
    double x = 0.5 * (d * d + r * r - q * q) / d;
    return v3_axpy(sign * sqrt(fmax(0.0, r * r - x * x)), s->f, v3_scale(x, s->e));
}

static void put_foot(const stand *s, const flx_cylinder_core *a, const flx_cylinder_core *b, int i,
                     flx_touch *out)
{
    v3 p = v3_axpy(s->z[0], s->up, v3_add(a->middle, foot_of(s, a, b, i)));
    // over it on the end of the second, which may lean
    bool turned = v3_dot(s->up, b->axis[2]) < 0.0;
    v3 w = turned ? v3_neg(b->axis[2]) : b->axis[2], end = v3_axpy(-b->half, w, b->middle);
    double gap = v3_dot(w, v3_sub(end, p)) / v3_dot(w, s->up);
    out->gap = gap - a->skin - b->skin;
    v3_store(out->n, s->up);
    flx_touch_side(out, 0, p, a->skin, 0.0, 0.0, s->e);
    flx_touch_side(out, 1, v3_axpy(gap, s->up, p), b->skin, HUGE_VAL, HUGE_VAL, s->e);
}

static bool cylinders_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                            const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_cylinder_core c = flx_cylinder_core_of(a, fa), d = flx_cylinder_core_of(b, fb);
    double part[2], x[2];
    stand s;
    int number = (int)feature;
    out->feature = feature;
    if (number == CROSSING) {
        if (!cross(&c, &d, x)) return false;
        put_sides(&c, &d, x, out);
        return true;
    }
    bool stands = stands_on(&c, &d, &s), along = !stands && lies_along(&c, &d, part);
    if (number >= FEET) {
        if (stands) put_foot(&s, &c, &d, number - FEET, out);
        return stands;
    }
    if (number < RIMS) {
        if (!along) return false;
        ends_along(&c, &d, part, number - ALONG, x);
        put_sides(&c, &d, x, out);
        return true;
    }
    return !stands && !along && rim_point(&c, &d, number - RIMS, out);
}

static int sharers(uint64_t feature)
{
    return feature >= FEET ? CYLINDERS_POINTS - FEET : 1;
}

#define CYLINDERS(first, second)                                                                   \
    const flx_pair flx_pair_##first##_##second = {                                                 \
        .points = CYLINDERS_POINTS, .point = cylinders_point, .sharers = sharers}
CYLINDERS(cylinder, cylinder);
CYLINDERS(cylinder, disc);
CYLINDERS(disc, disc);
