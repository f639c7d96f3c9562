// compare_methods_reference.c - what a study compares with: a file, or a tight run that stops at every time
// of comparison, so that no interpolation is in it, and a second one that tells what it is good for.
#include "compare/compare_methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TIMES 400 // of comparison
#define TIMES 50       // where no step says
#define SAME 1e-9
#define TIGHT 1e-12    // relative tolerance of the reference
#define LOOSEST 1.1e-9 // ... where it cannot be had
#define MOST_STEPS 2000000
#define MOST_EXPLICIT 100000

// ---- times --------------------------------------------------------------------------------------

// Multiples of the largest step, so that steps which divide it end there; else of a fiftieth.
static flx_status find_times(flx_study *s)
{
    double step = s->until / TIMES;
    for (int i = 0; i < s->def.nstep; i++) {
        if (i == 0 || s->def.steps[i] > step) step = s->def.steps[i];
    }
    step *= fmax(1.0, ceil(s->until / step / MOST_TIMES));
    int n = (int)floor(s->until / step * (1.0 + SAME));
    bool rest = n == 0 || s->until - n * step > SAME * s->until;
    s->ntime = n + rest;
    s->times = flx_arena_take(s->arena, (size_t)s->ntime, sizeof *s->times);
    if (!s->times) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) s->times[i] = (i + 1) * step;
    s->times[s->ntime - 1] = s->until;
    return FLX_OK;
}

static flx_status reserve(flx_study *s)
{
    s->reference =
        flx_arena_take(s->arena, (size_t)s->ntime * (size_t)s->nsample, sizeof *s->reference);
    return s->reference ? FLX_OK : FLX_ERR_MEMORY;
}

static void find_sizes(flx_study *s)
{
    for (int k = 0; k < s->ngroup; k++) {
        flx_method_group *g = &s->groups[k];
        for (int t = 0; t < s->ntime; t++) {
            const double *r = s->reference + (size_t)t * (size_t)s->nsample + g->first;
            for (int i = 0; i < g->n; i++) g->size = fmax(g->size, fabs(r[i]));
        }
    }
}

// ---- a computed one -----------------------------------------------------------------------------

static int ignore(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

// A run through all times; the first one is kept, the second compared with it.
static flx_status run(flx_study *s, const flx_integrator_def *d, bool keep)
{
    flx_integrator *it = NULL;
    flx_state *x = s->sim->state;
    flx_status status = flx_integrator_create(s->sim->sys, d, &it);
    flx_state_copy(x, s->sim->start);
    s->it = it;
    for (int t = 0; t < s->ntime && status == FLX_OK; t++) {
        double *reference = s->reference + (size_t)t * (size_t)s->nsample;
        flx_schedule schedule = {.until = s->times[t]};
        status = flx_integrate(it, x, &schedule, ignore, NULL);
        if (status == FLX_OK) status = flx_study_sample(s, x, keep ? reference : s->sample);
        for (int k = 0; k < s->ngroup && status == FLX_OK && !keep; k++) {
            flx_method_group *g = &s->groups[k];
            double e = flx_study_difference(s, g, reference, s->sample);
            g->doubt = fmax(g->doubt, e / (g->size > 0.0 ? g->size : 1.0));
        }
    }
    flx_integrator_destroy(&it);
    return status;
}

static flx_status compute_with(flx_study *s, const char *word, double rtol, long most)
{
    flx_integrator_def d = flx_integrator_def_default();
    FLX_TRY(flx_method_read(s->ctx, word, &d));
    d.rtol = rtol;
    d.atol = 0.01 * rtol;
    d.max_steps = most;
    FLX_TRY(run(s, &d, true));
    find_sizes(s);
    for (int k = 0; k < s->ngroup; k++) s->groups[k].doubt = 0.0;
    d.rtol *= 10.0;
    d.atol *= 10.0;
    FLX_TRY(run(s, &d, false));
    s->reference_name = flx_arena_printf(s->arena, "%s, rtol %g", word, rtol);
    return s->reference_name ? FLX_OK : FLX_ERR_MEMORY;
}

// Without constraints the explicit method of the highest order, as long as its steps are not too many:
// then the system is stiff. Else, and with constraints, collocation of the highest order, as tight as goes.
static flx_status compute(flx_study *s)
{
    static const char *const words[] = {"radau(stages=7)", "radau(stages=5)", "radau"};
    const flx_dims *dims = &s->sim->sys->dims;
    int before = flx_ctx_error_count(s->ctx);
    flx_status status = FLX_OK;
    FLX_TRY(find_times(s));
    FLX_TRY(reserve(s));
    if (dims->nlam + dims->nmu + dims->nw == 0) {
        status = compute_with(s, "dop853", 0.1 * TIGHT, MOST_EXPLICIT);
        if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
    }
    for (double rtol = TIGHT; rtol < LOOSEST; rtol *= 10.0) {
        for (int i = 0; i < 3; i++) {
            flx_ctx_forget_errors(s->ctx, before);
            status = compute_with(s, words[i], rtol, MOST_STEPS);
            if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
        }
    }
    return status;
}

// ---- a file -------------------------------------------------------------------------------------

static flx_status missing(const flx_study *s, const char *what)
{
    return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the reference '%s' %s",
                    s->def.reference, what);
}

// Rows of the file within the run; the last one must be its end.
static flx_status take_times(flx_study *s, const flx_result *r, int *first)
{
    const double *t = flx_result_column(r, 0);
    int rows = flx_result_rows(r), n = 0;
    *first = 0;
    while (*first < rows && !(t[*first] > SAME * s->until)) (*first)++;
    while (*first + n < rows && t[*first + n] <= s->until * (1.0 + SAME)) n++;
    if (n == 0 || t[*first + n - 1] < s->until * (1.0 - SAME)) {
        return missing(s, "does not reach the end of the run; give --until");
    }
    s->ntime = n;
    s->times = flx_arena_take(s->arena, (size_t)n, sizeof *s->times);
    if (!s->times) return FLX_ERR_MEMORY;
    memcpy(s->times, t + *first, (size_t)n * sizeof *s->times);
    s->times[n - 1] = s->until;
    return FLX_OK;
}

static int column_of(const flx_result *r, const char *name)
{
    for (int c = 1; c < flx_result_columns(r); c++) {
        if (strcmp(flx_result_name(r, c), name) == 0) return c;
    }
    return -1;
}

static flx_status take_group(flx_study *s, const flx_result *r, int first,
                             const flx_method_group *g)
{
    if (g->kind != FLX_GROUP_SIGNALS) {
        return missing(s, "holds signals; name the signals to compare (--signals)");
    }
    for (int i = 0; i < g->n; i++) {
        const char *name = s->sim->info.names[g->columns[i]];
        int c = column_of(r, name);
        if (c < 0) {
            return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "the reference '%s' has no signal '%s'", s->def.reference, name);
        }
        for (int t = 0; t < s->ntime; t++) {
            s->reference[(size_t)t * (size_t)s->nsample + (size_t)(g->first + i)] =
                flx_result_column(r, c)[first + t];
        }
    }
    return FLX_OK;
}

static flx_status take_file(flx_study *s, const flx_result *r)
{
    int first;
    FLX_TRY(take_times(s, r, &first));
    FLX_TRY(reserve(s));
    for (int k = 0; k < s->ngroup; k++) FLX_TRY(take_group(s, r, first, &s->groups[k]));
    find_sizes(s);
    s->reference_name = s->def.reference =
        flx_arena_copy(s->arena, s->def.reference, strlen(s->def.reference));
    return s->reference_name ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_study_find_reference(flx_study *s)
{
    flx_result *r = NULL;
    if (!s->def.reference) return compute(s);
    FLX_TRY(flx_result_open(s->ctx, s->def.reference, &r));
    flx_status status = take_file(s, r);
    flx_result_close(&r);
    return status;
}
