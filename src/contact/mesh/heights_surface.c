// heights_surface.c - a height z(x, y) over the first two axes; outside is above.
#include "contact/mesh/heights.h"
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    const flx_heights *h = s->data;
    v3 c = flx_surface_place(s, f);
    m33 R = m33_mul(m33_load(f->R), m33_load(s->axes));
    const double end[2] = {h->from[0] + (h->n[0] - 1) * h->step[0],
                           h->from[1] + (h->n[1] - 1) * h->step[1]};
    for (int k = 0; k < 3; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    for (int i = 0; i < 8; i++) {
        double x[3];
        v3 corner = {i & 1 ? end[0] : h->from[0], i & 2 ? end[1] : h->from[1],
                     i & 4 ? h->high : h->low};
        v3_store(x, v3_add(c, m33_mul_v(R, corner)));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - s->skin);
            high[k] = fmax(high[k], x[k] + s->skin);
        }
    }
}

const flx_surface_kind flx_surface_heights = {
    .number = FLX_SURFACE_NUMBER_heights,
    .row = {.key = "heights",
            .form = "{heights}",
            .doc = "Heights over a grid, smooth between its nodes; outside is above.",
            .dimension = 3},
    .value = FLX_SURFACE_GRID,
    .turns = true,
    .bounds = bounds};
