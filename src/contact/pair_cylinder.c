// pair_cylinder.c - cylinders and discs with planes and spheres.
#include "contact/cylinder_core.h"

// ---- with a plane ---------------------------------------------------------------------------------

// The lowest place of each rim, which moves along it; where the cylinder stands on an end, so that every place of a rim
// is the lowest, three places of that rim instead. FLAT: sine of the angle up to which it stands; there the lowest place
// is lower than those by up to FLAT/2 of the radius.
enum { RIM, OTHER_RIM, FIRST_FOOT, FEET = 3, CYLINDER_POINTS = FIRST_FOOT + FEET };
static const double FLAT = 1e-5;

// A place of a rim: along e the rim curves with k towards n.
static void put_plane_touch(const flx_surface *a, const flx_frame *fa, const flx_cylinder_core *c,
                            v3 n, v3 rim, double k, v3 e, flx_touch *out)
{
    double h = v3_dot(n, v3_sub(rim, flx_surface_place(a, fa)));
    out->gap = h - c->skin - a->skin;
    v3_store(out->n, n);
    flx_touch_side(out, 0, v3_axpy(-h, n, rim), a->skin, 0.0, 0.0, e);
    flx_touch_side(out, 1, rim, c->skin, k, HUGE_VAL, e);
}

static bool plane_core(const flx_surface *a, const flx_frame *fa, const flx_cylinder_core *c,
                       int feature, flx_touch *out)
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
    flx_cylinder_core c = flx_cylinder_core_of(b, fb);
    out->feature = feature;
    return plane_core(a, fa, &c, (int)feature, out);
}

// A disc has one rim.
static bool plane_disc(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                       const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_cylinder_core c = flx_cylinder_core_of(b, fb);
    out->feature = feature;
    return plane_core(a, fa, &c, feature ? (int)feature + 1 : RIM, out);
}

static int sharers_of_cylinder(uint64_t feature)
{
    return feature >= FIRST_FOOT ? FEET : 1;
}

static int sharers_of_disc(uint64_t feature)
{
    return feature > RIM ? FEET : 1;
}

const flx_pair flx_pair_plane_cylinder = {
    .points = CYLINDER_POINTS, .point = plane_cylinder, .sharers = sharers_of_cylinder};
const flx_pair flx_pair_plane_disc = {
    .points = CYLINDER_POINTS - 1, .point = plane_disc, .sharers = sharers_of_disc};

// ---- with a sphere --------------------------------------------------------------------------------

static bool sphere_core(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_cylinder_core c = flx_cylinder_core_of(b, fb);
    v3 p = flx_surface_place(a, fa);
    double r = a->size[0] + a->skin;
    flx_cylinder_foot f = flx_cylinder_nearest(&c, p);
    out->gap = f.distance - c.skin - r;
    out->feature = feature;
    v3_store(out->n, v3_neg(f.out));
    flx_touch_side(out, 0, p, r, HUGE_VAL, HUGE_VAL, f.e);
    flx_touch_side(out, 1, f.place, c.skin, f.k[0], f.k[1], f.e);
    return true;
}

const flx_pair flx_pair_sphere_cylinder = {.points = 1, .point = sphere_core};
const flx_pair flx_pair_sphere_disc = {.points = 1, .point = sphere_core};
