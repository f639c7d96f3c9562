// disc_surface.c - a disc without thickness, with two faces; a skin makes it thick, the radius stays.
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    double c[3], u[3];
    v3_store(c, flx_surface_place(s, f));
    v3_store(u, flx_surface_axis(s, f, 2));
    for (int i = 0; i < 3; i++) {
        double h = (s->size[0] - s->skin) * sqrt(fmax(0.0, 1.0 - u[i] * u[i])) + s->skin;
        low[i] = c[i] - h;
        high[i] = c[i] + h;
    }
}

const flx_surface_kind flx_surface_disc = {
    .number = FLX_SURFACE_NUMBER_disc,
    .sharp = true,
    .row = {.key = "disc",
            .form = "{disc}@3",
            .doc = "Thin disc, such as a wheel; `round` makes its rim round and the disc thick."},
    .value = FLX_SURFACE_DISC,
    .flat = true,
    .bounds = bounds};
