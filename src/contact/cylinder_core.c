// cylinder_core.c - see cylinder_core.h.
#include "contact/cylinder_core.h"

flx_cylinder_core flx_cylinder_core_of(const flx_surface *s, const flx_frame *f)
{
    bool disc = s->kind == &flx_surface_disc;
    flx_cylinder_core c = {.middle = flx_surface_place(s, f),
                           .radius = fmax(0.0, s->size[0] - s->skin),
                           .half = disc ? 0.0 : fmax(0.0, 0.5 * s->size[1] - s->skin),
                           .skin = s->skin};
    for (int i = 0; i < 3; i++) c.axis[i] = flx_surface_axis(s, f, i);
    return c;
}

static flx_cylinder_foot foot_on_side(const flx_cylinder_core *c, v3 radial, double z, double rho)
{
    return (flx_cylinder_foot){.part = FLX_CYLINDER_SIDE,
                               .place =
                                   v3_axpy(c->radius, radial, v3_axpy(z, c->axis[2], c->middle)),
                               .out = radial,
                               .e = c->axis[2],
                               .distance = rho - c->radius,
                               .k = {0.0, flx_curvature_of_radius(c->radius)}};
}

static flx_cylinder_foot foot_on_end(const flx_cylinder_core *c, v3 radial, double z, double rho)
{
    double sign = z < 0.0 ? -1.0 : 1.0;
    v3 up = v3_scale(sign, c->axis[2]);
    return (flx_cylinder_foot){.part = FLX_CYLINDER_END,
                               .place = v3_axpy(rho, radial, v3_axpy(c->half, up, c->middle)),
                               .out = up,
                               .e = radial,
                               .distance = fabs(z) - c->half,
                               .k = {0.0, 0.0}};
}

static flx_cylinder_foot foot_on_rim(const flx_cylinder_core *c, v3 radial, double z, double rho)
{
    v3 up = v3_scale(z < 0.0 ? -1.0 : 1.0, c->axis[2]);
    double x = rho - c->radius, y = fabs(z) - c->half, l = sqrt(x * x + y * y);
    v3 rim = v3_axpy(c->radius, radial, v3_axpy(c->half, up, c->middle));
    v3 n = v3_add(v3_scale(x / l, radial), v3_scale(y / l, up));
    double k = c->radius > 0.0 ? x / l / c->radius : HUGE_VAL;
    return (flx_cylinder_foot){FLX_CYLINDER_RIM, rim, n, v3_cross(up, radial), l, {k, HUGE_VAL}};
}

typedef struct polar {
    double rho, z;
    v3 radial;
} polar;

static polar polar_of(const flx_cylinder_core *c, v3 p)
{
    v3 d = v3_sub(p, c->middle);
    double x = v3_dot(d, c->axis[0]), y = v3_dot(d, c->axis[1]), rho = sqrt(x * x + y * y);
    polar at = {.rho = rho, .z = v3_dot(d, c->axis[2]), .radial = c->axis[0]};
    if (rho > 0.0) {
        at.radial = v3_add(v3_scale(x / rho, c->axis[0]), v3_scale(y / rho, c->axis[1]));
    }
    return at;
}

flx_cylinder_foot flx_cylinder_nearest_on(const flx_cylinder_core *c, v3 p, flx_cylinder_part part)
{
    polar at = polar_of(c, p);
    if (part == FLX_CYLINDER_SIDE) return foot_on_side(c, at.radial, at.z, at.rho);
    return foot_on_end(c, at.radial, at.z, at.rho);
}

flx_cylinder_foot flx_cylinder_nearest(const flx_cylinder_core *c, v3 p)
{
    polar at = polar_of(c, p);
    double rho = at.rho, z = at.z;
    v3 radial = at.radial;
    bool beside = rho > c->radius, beyond = fabs(z) > c->half;
    if (beside && beyond) return foot_on_rim(c, radial, z, rho);
    if (beside) return foot_on_side(c, radial, z, rho);
    // a disc is all end
    if (beyond || c->half == 0.0 || c->half - fabs(z) <= c->radius - rho)
        return foot_on_end(c, radial, z, rho);
    return foot_on_side(c, radial, z, rho);
}

void flx_cylinder_put_axis(const flx_cylinder_core *a, double x, const flx_cylinder_core *b,
                           const flx_cylinder_foot *f, flx_touch *out)
{
    double along = fabs(x) < a->half ? 0.0 : HUGE_VAL;
    out->gap = f->distance - a->skin - b->skin;
    v3_store(out->n, v3_neg(f->out));
    flx_touch_side(out, 0, v3_axpy(x, a->axis[2], a->middle), a->skin, along, HUGE_VAL, a->axis[2]);
    flx_touch_side(out, 1, f->place, b->skin, f->k[0], f->k[1], f->e);
}
