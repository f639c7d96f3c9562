// draw_certificate.c - the time history of the errors of a reduction as a drawing.
#include "certify/certificate_parts.h"
#include "draw/drawings.h"

#include <math.h>

#define DRAWN 80 // points

flx_status flx_certificate_draw(const flx_certificate *c, const char *path)
{
    double t[DRAWN], expected[DRAWN], met[DRAWN];
    int n = c->nsample < DRAWN ? c->nsample : DRAWN;
    for (int i = 0; i < n; i++) {
        int k = n > 1 ? (int)lround((double)i * (c->nsample - 1) / (n - 1)) : 0;
        t[i] = c->times[k];
        expected[i] = c->expected[k];
        met[i] = c->met[k];
    }
    const flx_chart_series series[] = {
        {.name = "met", .n = n, .x = t, .y = met, .slope = (double)NAN},
        {.name = "first-order term", .n = n, .x = t, .y = expected, .slope = (double)NAN}};
    const flx_chart_panel panel = {.x = "t (s)",
                                   .y = "largest error of the rest, of its size",
                                   .log_y = 1,
                                   .nseries = 2,
                                   .series = series};
    const flx_chart_def def = {.path = path, .npanel = 1, .panels = &panel, .width = 760};
    return flx_chart_write(c->ctx, &def);
}
