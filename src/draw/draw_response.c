// draw_response.c - responses over frequency: amplitude, phase, and errors below them.
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>

// Magnitude and phase in degrees, which goes on from one frequency to the next: y (2, n).
static void split(const flx_bode_curve *c, double *y)
{
    for (int k = 0; k < c->n; k++) {
        const double *z = c->H + (size_t)k * (size_t)c->step;
        double phase = atan2(z[1], z[0]) * 180 / acos(-1.0), *at = y + c->n + k;
        if (k > 0) phase -= 360 * round((phase - at[-1]) / 360);
        y[k] = hypot(z[0], z[1]);
        *at = phase;
    }
}

flx_status flx_bode_draw(flx_ctx *ctx, const flx_bode_def *d)
{
    size_t all = 0, n = (size_t)d->ncurve;
    for (size_t i = 0; i < n; i++) all += 2 * (size_t)d->curves[i].n;
    double *y = calloc(all + 1, sizeof *y), *at = y;
    flx_chart_series *s = calloc(3 * n + (size_t)d->nerror + 1, sizeof *s);
    flx_status status = y && s ? FLX_OK : FLX_ERR_MEMORY;
    for (size_t i = 0; i < n && status == FLX_OK; i++) {
        const flx_bode_curve *c = d->curves + i;
        split(c, at);
        s[i] = (flx_chart_series){
            .name = c->name, .n = c->n, .x = c->hz, .y = at, .slope = (double)NAN, .line_only = 1};
        s[n + i] = s[i];
        s[n + i].y = at + c->n;
        s[2 * n + i] = (flx_chart_series){.name = c->name,
                                          .n = d->nerror > 0,
                                          .x = d->nerror > 0 ? d->errors->x : c->hz,
                                          .y = d->nerror > 0 ? d->errors->y : c->hz,
                                          .slope = (double)NAN,
                                          .line_only = 1};
        at += 2 * (size_t)c->n;
    }
    for (int i = 0; i < d->nerror && status == FLX_OK; i++) s[3 * n + (size_t)i] = d->errors[i];
    const flx_chart_panel panels[3] = {{.x = "frequency (Hz)",
                                        .y = "amplitude",
                                        .log_x = !d->linear,
                                        .log_y = 1,
                                        .nseries = d->ncurve,
                                        .series = s},
                                       {.x = "frequency (Hz)",
                                        .y = "phase (deg)",
                                        .log_x = !d->linear,
                                        .nseries = d->ncurve,
                                        .series = s + n},
                                       {.x = "frequency (Hz)",
                                        .y = "relative error",
                                        .log_x = !d->linear,
                                        .log_y = 1,
                                        .nseries = d->ncurve + d->nerror,
                                        .series = s + 2 * n}};
    const flx_chart_def def = {.path = d->path,
                               .title = d->title,
                               .npanel = d->nerror > 0 ? 3 : 2,
                               .panels = panels,
                               .width = d->nerror > 0 ? 1350 : 900};
    if (status == FLX_OK) status = flx_chart_write(ctx, &def);
    free(y);
    free(s);
    return status;
}
