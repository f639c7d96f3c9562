// capsule_surface.c - all that is nearer to a segment than a radius.
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    double c[3], u[3], r = s->size[0] + s->skin;
    v3_store(c, flx_surface_place(s, f));
    v3_store(u, flx_surface_axis(s, f, 2));
    for (int i = 0; i < 3; i++) {
        double h = 0.5 * s->size[1] * fabs(u[i]) + r;
        low[i] = c[i] - h;
        high[i] = c[i] + h;
    }
}

const flx_surface_kind flx_surface_capsule = {
    .number = FLX_SURFACE_NUMBER_capsule,
    .row = {.key = "capsule",
            .form = "{round}",
            .doc = "Cylinder with round ends; `length` is that between the centres of its ends."},
    .value = FLX_SURFACE_ROUND,
    .bounds = bounds};
