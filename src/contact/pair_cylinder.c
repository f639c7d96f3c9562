// pair_cylinder.c - cylinders and discs with planes and spheres. The core is a cylinder that its skin makes as large as it
// is said; of a disc the core has no length.
#include "contact/pair.h"

typedef struct core {
    v3 middle, axis[3]; // the third is that of the cylinder
    double radius, half, skin;
} core;

static core core_of(const flx_surface *s, const flx_frame *f)
{
    bool disc = s->kind == &flx_surface_disc;
    core c = {.middle = flx_surface_place(s, f),
              .radius = fmax(0.0, s->size[0] - s->skin),
              .half = disc ? 0.0 : fmax(0.0, 0.5 * s->size[1] - s->skin),
              .skin = s->skin};
    for (int i = 0; i < 3; i++) c.axis[i] = flx_surface_axis(s, f, i);
    return c;
}

// ---- with a plane ---------------------------------------------------------------------------------

// The lowest place of each rim, which moves along it; where the cylinder stands on an end, so that every place of a rim
// is the lowest, three places of that rim instead. FLAT: sine of the angle up to which it stands; there the lowest place
// is lower than those by up to FLAT/2 of the radius.
enum { RIM, OTHER_RIM, FIRST_FOOT, CYLINDER_POINTS = FIRST_FOOT + 3 };
static const double FLAT = 1e-4;

// A place of a rim: along e the rim curves with k towards n.
static void put_plane_touch(const flx_surface *a, const flx_frame *fa, const core *c, v3 n, v3 rim,
                            double k, v3 e, flx_touch *out)
{
    double h = v3_dot(n, v3_sub(rim, flx_surface_place(a, fa)));
    out->gap = h - c->skin - a->skin;
    v3_store(out->n, n);
    flx_touch_side(out, 0, v3_axpy(-h, n, rim), a->skin, 0.0, 0.0, e);
    flx_touch_side(out, 1, rim, c->skin, k, HUGE_VAL, e);
}

static bool plane_core(const flx_surface *a, const flx_frame *fa, const core *c, int feature,
                       flx_touch *out)
{
    v3 n = flx_surface_axis(a, fa, 2), u = c->axis[2], across = v3_cross(n, u);
    double nu = v3_dot(n, u), s = v3_norm(across);
    if ((s < FLAT) != (feature >= FIRST_FOOT)) return false;
    if (feature < FIRST_FOOT) {
        double end = feature == RIM ? c->half : -c->half;
        v3 up = v3_scale(1.0 / s, v3_axpy(-nu, u, n)); // across the axis, away from the plane
        v3 rim = v3_axpy(-c->radius, up, v3_axpy(end, u, c->middle));
        double k = c->radius > 0.0 ? s / c->radius : HUGE_VAL;
        put_plane_touch(a, fa, c, n, rim, k, v3_scale(1.0 / s, across), out);
        return true;
    }
    double angle = 2.0 * FLX_PI / 3.0 * (feature - FIRST_FOOT);
    v3 foot = v3_axpy(nu > 0.0 ? -c->half : c->half, u, c->middle);
    foot = v3_axpy(c->radius * cos(angle), c->axis[0], foot);
    foot = v3_axpy(c->radius * sin(angle), c->axis[1], foot);
    put_plane_touch(a, fa, c, n, foot, HUGE_VAL, c->axis[0], out);
    return true;
}

static bool plane_cylinder(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                           const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    core c = core_of(b, fb);
    out->feature = feature;
    return plane_core(a, fa, &c, (int)feature, out);
}

// A disc has one rim.
static bool plane_disc(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                       const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    core c = core_of(b, fb);
    out->feature = feature;
    return plane_core(a, fa, &c, feature ? (int)feature + 1 : RIM, out);
}

const flx_pair flx_pair_plane_cylinder = {.points = CYLINDER_POINTS, .point = plane_cylinder};
const flx_pair flx_pair_plane_disc = {.points = CYLINDER_POINTS - 1, .point = plane_disc};

// ---- with a sphere --------------------------------------------------------------------------------

// The nearest place of a core to a point, which may be inside it: out is the direction to the point, distance negative
// inside. k along e and across.
typedef struct foot {
    v3 place, out, e;
    double distance, k[2];
} foot;

static foot foot_on_side(const core *c, v3 radial, double z, double rho)
{
    return (foot){.place = v3_axpy(c->radius, radial, v3_axpy(z, c->axis[2], c->middle)),
                  .out = radial,
                  .e = c->axis[2],
                  .distance = rho - c->radius,
                  .k = {0.0, flx_curvature_of_radius(c->radius)}};
}

static foot foot_on_end(const core *c, v3 radial, double z, double rho)
{
    double sign = z < 0.0 ? -1.0 : 1.0;
    v3 up = v3_scale(sign, c->axis[2]);
    return (foot){.place = v3_axpy(rho, radial, v3_axpy(c->half, up, c->middle)),
                  .out = up,
                  .e = radial,
                  .distance = fabs(z) - c->half,
                  .k = {0.0, 0.0}};
}

static foot foot_on_rim(const core *c, v3 radial, double z, double rho)
{
    v3 up = v3_scale(z < 0.0 ? -1.0 : 1.0, c->axis[2]);
    double x = rho - c->radius, y = fabs(z) - c->half, l = sqrt(x * x + y * y);
    v3 rim = v3_axpy(c->radius, radial, v3_axpy(c->half, up, c->middle));
    v3 n = v3_add(v3_scale(x / l, radial), v3_scale(y / l, up));
    double k = c->radius > 0.0 ? x / l / c->radius : HUGE_VAL;
    return (foot){rim, n, v3_cross(up, radial), l, {k, HUGE_VAL}};
}

static foot foot_of(const core *c, v3 p)
{
    v3 d = v3_sub(p, c->middle);
    double x = v3_dot(d, c->axis[0]), y = v3_dot(d, c->axis[1]), z = v3_dot(d, c->axis[2]);
    double rho = sqrt(x * x + y * y);
    v3 radial = c->axis[0];
    if (rho > 0.0) {
        radial = v3_add(v3_scale(x / rho, c->axis[0]), v3_scale(y / rho, c->axis[1]));
    }
    bool beside = rho > c->radius, beyond = fabs(z) > c->half;
    if (beside && beyond) return foot_on_rim(c, radial, z, rho);
    if (beside) return foot_on_side(c, radial, z, rho);
    // a disc is all end
    if (beyond || c->half == 0.0 || c->half - fabs(z) <= c->radius - rho)
        return foot_on_end(c, radial, z, rho);
    return foot_on_side(c, radial, z, rho);
}

static bool sphere_core(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    core c = core_of(b, fb);
    v3 p = flx_surface_place(a, fa);
    double r = a->size[0] + a->skin;
    foot f = foot_of(&c, p);
    out->gap = f.distance - c.skin - r;
    out->feature = feature;
    v3_store(out->n, v3_neg(f.out));
    flx_touch_side(out, 0, p, r, HUGE_VAL, HUGE_VAL, f.e);
    flx_touch_side(out, 1, f.place, c.skin, f.k[0], f.k[1], f.e);
    return true;
}

const flx_pair flx_pair_sphere_cylinder = {.points = 1, .point = sphere_core};
const flx_pair flx_pair_sphere_disc = {.points = 1, .point = sphere_core};
