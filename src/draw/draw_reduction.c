// draw_reduction.c - errors of a flexible body's shapes over frequency, or those of all bases over the number of shapes.
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>

static flx_status write_panel(flx_ctx *ctx, const flx_chart_panel *panel, const char *title,
                              const char *path)
{
    const flx_chart_def def = {
        .path = path, .title = title, .npanel = 1, .panels = panel, .width = 900};
    return flx_chart_write(ctx, &def);
}

// Curves of the conditions, and the tolerance as a line.
static flx_status draw_errors(flx_ctx *ctx, const flx_reduction_report *p, const char *title,
                              const char *path)
{
    const double ends[2] = {p->from, p->to}, line[2] = {p->tolerance, p->tolerance};
    flx_chart_series *s = calloc((size_t)p->ncondition + 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->ncondition; i++) {
        s[i] = (flx_chart_series){.name = p->conditions[i].name,
                                  .n = p->nhz,
                                  .x = p->hz,
                                  .y = p->conditions[i].errors,
                                  .slope = (double)NAN,
                                  .line_only = 1};
    }
    s[p->ncondition] = (flx_chart_series){
        .name = "tolerance", .n = 2, .x = ends, .y = line, .slope = (double)NAN, .line_only = 1};
    const flx_chart_panel panel = {.x = "frequency (Hz)",
                                   .y = "relative error of the responses",
                                   .log_y = 1,
                                   .nseries = p->ncondition + (p->tolerance > 0),
                                   .series = s};
    flx_status status = write_panel(ctx, &panel, title, path);
    free(s);
    return status;
}

static flx_status draw_bases(flx_ctx *ctx, const flx_reduction *r, int count, const char *title,
                             const char *path)
{
    flx_reduction_basis b;
    size_t all = 1;
    for (int i = 0; flx_reduction_compared(r, i, &b); i++) all += (size_t)b.count;
    double *x = calloc(2 * all, sizeof *x), *at = x;
    flx_chart_series *s = calloc((size_t)count, sizeof *s);
    flx_status status = x && s ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && flx_reduction_compared(r, i, &b); i++) {
        for (int k = 0; k < b.count; k++) { // what is no model of the body at all is left out
            at[k] = b.shapes[k];
            at[b.count + k] = b.errors[k] < 10 ? b.errors[k] : (double)NAN;
        }
        s[i] = (flx_chart_series){
            .name = b.name, .n = b.count, .x = at, .y = at + b.count, .slope = (double)NAN};
        at += 2 * b.count;
    }
    const flx_chart_panel panel = {.x = "shapes",
                                   .y = "largest relative error, all conditions",
                                   .log_y = 1,
                                   .nseries = count,
                                   .series = s};
    if (status == FLX_OK) status = write_panel(ctx, &panel, title, path);
    free(x);
    free(s);
    return status;
}

flx_status flx_reduction_draw(flx_ctx *ctx, const flx_reduction *r, const char *title,
                              const char *path)
{
    flx_reduction_basis b;
    int count = 0;
    while (flx_reduction_compared(r, count, &b)) count++;
    if (count > 0) return draw_bases(ctx, r, count, title, path);
    return draw_errors(ctx, flx_reduction_get_report(r), title, path);
}
