// outline_surface.c - plane curves: of a cam, or a profile such as a road. In space they go on without end across their plane.
#include "contact/outline.h"

// A direction of ground that the third axis has no more part in than this is across it.
#define ACROSS 1e-12

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    const flx_outline *o = s->data;
    double c[3], axis[3], r = o->size + s->skin;
    v3_store(c, flx_surface_place(s, f));
    v3_store(axis, flx_surface_axis(s, f, 2));
    for (int k = 0; k < o->nblock; k++) { // a ball about the origin of the curve, however it turns
        r = fmax(r, hypot(o->balls[k][0], o->balls[k][1]) + o->balls[k][2] + s->skin);
    }
    for (int i = 0; i < 3; i++) {
        double reach = fabs(axis[i]) > ACROSS ? HUGE_VAL : r; // along it there is no end
        low[i] = c[i] - reach;
        high[i] = c[i] + reach;
    }
}

const flx_surface_kind flx_surface_curve = {
    .number = FLX_SURFACE_NUMBER_curve,
    .row = {.key = "curve",
            .form = "[number;2]",
            .unit = "m",
            .doc = "Two expressions x, y of s = 0..1 in the plane of the first two axes, such as "
                   "the outline of a cam. The body lies to the left as s grows: a closed curve "
                   "that runs counterclockwise encloses it, a clockwise one is a hollow. In space "
                   "it is a cylinder along the third axis, against planes the curve itself. Curves "
                   "touch each other in the plane alone."},
    .value = FLX_SURFACE_CURVE,
    .turns = true,
    .bounds = bounds};

const flx_surface_kind flx_surface_profile = {
    .number = FLX_SURFACE_NUMBER_profile,
    .row = {.key = "profile",
            .form = "number",
            .unit = "m",
            .doc = "Height of a road or rail, an expression of x: in the plane y over x, in space "
                   "z over x, the same for all y. The body lies below. Needs `range`; beyond it "
                   "the profile is straight."},
    .value = FLX_SURFACE_FUNCTION,
    .turns = true,
    .open_ended = true};
