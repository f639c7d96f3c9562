// gradient_read.c - slopes by structural parameters; see gradient_read.h.
#include "simulate/gradient/gradient_read.h"

#include "base/number.h"
#include "flexion/model.h"
#include "simulate/gradient/gradient_parts.h"

#include <math.h>

#define PART 2e-3 // distance of the runs, of the parameter
#define POINTS 6

static flx_status read_with(const flx_model *m, flx_ctx *ctx, flx_arena *arena, const char *name,
                            double x, flx_model **out)
{
    const char **settings = flx_arena_take(arena, (size_t)m->nset + 1, sizeof *settings);
    if (!settings) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nset; i++) settings[i] = m->settings[i];
    settings[m->nset] = flx_arena_printf(arena, "%s=%.17g", name, x);
    if (!settings[m->nset]) return FLX_ERR_MEMORY;
    flx_read_def def = flx_read_def_default();
    def.text = m->text;
    def.length = m->text_length;
    def.nset = m->nset + 1;
    def.settings = settings;
    FLX_TRY(flx_model_read_by(ctx, m->path, &def, out));
    return flx_model_bind_like(*out, m);
}

static flx_status run_with(const flx_model *m, flx_ctx *ctx, const char *name, double x, int n,
                           const int *metrics, double *value)
{
    flx_arena *arena = flx_arena_create(ctx);
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = arena ? read_with(m, ctx, arena, name, x, &model) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    for (int i = 0; i < n && status == FLX_OK; i++)
        (void)flx_simulation_metric(sim, metrics[i], value + i);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_arena_destroy(&arena);
    return status;
}

// With messages of its own: what is read anew has been told before.
static flx_status run_apart(const flx_model *m, const char *name, double x, int n,
                            const int *metrics, double *value)
{
    flx_ctx *ctx = flx_ctx_create();
    if (!ctx) return FLX_ERR_MEMORY;
    flx_status status = run_with(m, ctx, name, x, n, metrics, value);
    if (status != FLX_OK && status != FLX_ERR_MEMORY) {
        const flx_message *why = flx_ctx_error(ctx, 0);
        status = FLX_FAIL(m->ctx, status, FLX_NOWHERE, "with %s = %.9g: %s", name, x,
                          why ? why->text : flx_status_text(status));
    }
    flx_ctx_destroy(&ctx);
    return status;
}

flx_status flx_gradient_by_reading(const flx_model *m, const char *name, double at, int n,
                                   const int *metrics, double *value, double *slope, double *error)
{
    static const double places[POINTS] = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};
    double e = PART * (at != 0.0 ? fabs(at) : 1.0);
    double *runs = flx_alloc(m->ctx, (size_t)POINTS * (size_t)n, sizeof *runs);
    if (!runs) return FLX_ERR_MEMORY;
    flx_status status = run_apart(m, name, at, n, metrics, value);
    for (int i = 0; i < POINTS && status == FLX_OK; i++)
        status = run_apart(m, name, at + places[i] * e, n, metrics, runs + i * n);
    for (int j = 0; j < n && status == FLX_OK; j++) {
        double column[POINTS];
        for (int i = 0; i < POINTS; i++) column[i] = runs[i * n + j];
        flx_gradient_of_points(column, value[j], e, slope + j, error + j);
    }
    flx_free(runs);
    return status;
}
