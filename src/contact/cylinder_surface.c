// cylinder_surface.c - a cylinder with flat ends; the skin rounds its rims and leaves its size.
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    double c[3], u[3];
    v3_store(c, flx_surface_place(s, f));
    v3_store(u, flx_surface_axis(s, f, 2));
    for (int i = 0; i < 3; i++) {
        double h = 0.5 * s->size[1] * fabs(u[i]) + s->size[0] * sqrt(fmax(0.0, 1.0 - u[i] * u[i]));
        low[i] = c[i] - h;
        high[i] = c[i] + h;
    }
}

const flx_surface_kind flx_surface_cylinder = {
    .number = FLX_SURFACE_NUMBER_cylinder,
    .sharp = true,
    .row = {.key = "cylinder",
            .form = "{round}@3",
            .doc = "Cylinder with flat ends; `round` rounds its rims, the size stays."},
    .value = FLX_SURFACE_ROUND,
    .bounds = bounds};
