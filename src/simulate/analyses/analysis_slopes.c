// analysis_slopes.c - derivatives of equilibria and of eigenvalues by parameters: differences of the analyses themselves,
// which are exact to rounding, at five points. The equilibrium that modes are about moves with the parameters.
//
// Eigenvalues are followed to their nearest. Those that are equal have no derivatives of their own, since they leave each
// other in directions that depend on how they are moved: their mean has one.
#include "simulate/analyses/analysis_slopes.h"

#include "base/number.h"
#include "simulate/gradient/gradient_parts.h"

#include <math.h>
#include <string.h>

#define PART 1e-3     // of a parameter
#define EQUAL 1e-6    // of |s|
#define MODE_VALUES 2 // frequency, damping

typedef struct differentiation {
    flx_run *run;
    int number, nmode, n;
    const flx_analysis *a;
    flx_arena *arena;
    double *s;     // (2 nmode) eigenvalues where parameters are as they are
    double *moved; // (2 nmode) ... where one is moved, in the same order
    bool *taken;   // (nmode)
    int *cluster;  // (nmode) the first of those that are equal
} differentiation;

bool flx_analysis_has_slopes(const flx_analysis *a)
{
    return a->kind == FLX_ANALYSIS_EQUILIBRIUM || a->kind == FLX_ANALYSIS_MODES;
}

static double distance(const double *a, const flx_mode *m)
{
    return hypot(a[0] - m->re, a[1] - m->im);
}

static flx_status follow_modes(differentiation *d, const flx_modes *found)
{
    memset(d->taken, 0, (size_t)d->nmode * sizeof *d->taken);
    if (found->nmode < d->nmode) {
        return FLX_FAIL(d->run->sim->ctx, FLX_ERR_CANNOT, d->a->loc,
                        "of the modes of '%s' one vanishes where a parameter is moved: they have "
                        "no derivatives",
                        d->a->name);
    }
    for (int j = 0; j < d->nmode; j++) {
        int best = -1;
        for (int k = 0; k < found->nmode && k < d->nmode; k++) {
            bool nearer = best < 0 || distance(d->s + 2 * j, found->modes + k) <
                                          distance(d->s + 2 * j, found->modes + best);
            if (!d->taken[k] && nearer) best = k;
        }
        d->taken[best] = true;
        d->moved[2 * j] = found->modes[best].re;
        d->moved[2 * j + 1] = found->modes[best].im;
    }
    for (int j = 0; j < d->nmode; j++) { // means of those that are equal
        if (d->cluster[j] != j) continue;
        double sum[2] = {0.0, 0.0};
        int n = 0;
        for (int k = j; k < d->nmode; k++) {
            if (d->cluster[k] != j) continue;
            sum[0] += d->moved[2 * k];
            sum[1] += d->moved[2 * k + 1];
            n++;
        }
        for (int k = j; k < d->nmode; k++) {
            if (d->cluster[k] != j) continue;
            d->moved[2 * k] = sum[0] / n;
            d->moved[2 * k + 1] = sum[1] / n;
        }
    }
    return FLX_OK;
}

static flx_status evaluate(differentiation *d, double *value)
{
    flx_simulation *sim = d->run->sim;
    flx_finding f = {0};
    flx_status status = flx_simulation_analyse(sim, d->number, &f);
    if (status == FLX_OK && d->nmode > 0) status = follow_modes(d, &f.modes);
    for (int j = 0; j < d->nmode && status == FLX_OK; j++) {
        double re = d->moved[2 * j], im = d->moved[2 * j + 1], size = hypot(re, im);
        value[MODE_VALUES * j] = im / (2.0 * FLX_PI);
        value[MODE_VALUES * j + 1] = size > 0.0 ? -re / size : 0.0;
    }
    if (d->nmode == 0 && status == FLX_OK) memcpy(value, f.signals, (size_t)d->n * sizeof *value);
    flx_finding_clear(&f);
    return status;
}

// ---- what there is ------------------------------------------------------------------------------

static flx_status tell_repeated(differentiation *d, flx_analysis_slopes *out)
{
    char text[200] = "";
    for (int j = 0; j < d->nmode; j++) {
        size_t used = strlen(text);
        if (d->cluster[j] == j) continue;
        flx_snprintf(text + used, sizeof text - used, "%s%d and %d", used > 0 ? ", " : "",
                     d->cluster[j] + 1, j + 1);
    }
    if (!text[0]) return FLX_OK;
    out->repeated = flx_arena_copy(d->arena, text, strlen(text));
    return out->repeated ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status list_modes(differentiation *d, flx_analysis_slopes *out)
{
    static const char *const words[MODE_VALUES] = {"frequencies", "damping"};
    flx_finding f = {0};
    flx_status status = flx_simulation_analyse(d->run->sim, d->number, &f);
    size_t n = status == FLX_OK ? (size_t)f.modes.nmode : 0;
    d->s = flx_arena_take(d->arena, 4 * n + 1, sizeof *d->s);
    d->moved = d->s + 2 * n;
    d->taken = flx_arena_take(d->arena, n + 1, sizeof *d->taken);
    d->cluster = flx_arena_take(d->arena, n + 1, sizeof *d->cluster);
    out->names = flx_arena_take(d->arena, MODE_VALUES * n + 1, sizeof *out->names);
    if (!d->s || !d->taken || !d->cluster || !out->names) status = FLX_ERR_MEMORY;
    for (int j = 0; j < f.modes.nmode && status == FLX_OK; j++) {
        const flx_mode *m = f.modes.modes + j;
        d->s[2 * j] = m->re;
        d->s[2 * j + 1] = m->im;
        d->cluster[j] = j;
        for (int k = j - 1; k >= 0; k--) {
            if (distance(d->s + 2 * k, m) <= EQUAL * hypot(m->re, m->im))
                d->cluster[j] = d->cluster[k];
        }
        for (int k = 0; k < MODE_VALUES; k++) {
            const char *name = flx_arena_printf(d->arena, "%s.%s(%d)", d->a->name, words[k], j + 1);
            out->names[MODE_VALUES * j + k] = name;
            if (!name) status = FLX_ERR_MEMORY;
        }
    }
    d->nmode = f.modes.nmode;
    d->n = MODE_VALUES * d->nmode;
    flx_finding_clear(&f);
    return status == FLX_OK ? tell_repeated(d, out) : status;
}

static flx_status list_signals(differentiation *d, flx_analysis_slopes *out)
{
    const flx_result_info *info = &d->run->sim->info;
    d->n = info->ncolumn;
    out->names = flx_arena_take(d->arena, (size_t)d->n + 1, sizeof *out->names);
    if (!out->names) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->n; i++) {
        out->names[i] = flx_arena_printf(d->arena, "%s.%s", d->a->name, info->names[i]);
        if (!out->names[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status refuse_run(const flx_simulation *sim, const flx_analysis *a)
{
    const flx_analysis *root = a;
    while (root->about >= 0) root = sim->model->analyses + root->about;
    if (root->about == FLX_ABOUT_START) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, a->loc,
                    "'%s' is about a state of the run: derivatives are those of equilibria and "
                    "modes about the start or an equilibrium",
                    a->name);
}

// ---- slopes ---------------------------------------------------------------------------------------

static flx_status differentiate(differentiation *d, int np, const int *params, double *value,
                                flx_analysis_slopes *out)
{
    for (int k = 0; k < np; k++) {
        double p;
        FLX_TRY(flx_run_get_parameter(d->run, params[k], &p));
        double e = PART * (p != 0.0 ? fabs(p) : 1.0);
        flx_status status = FLX_OK;
        for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK; l++) {
            status = flx_run_set_parameter(d->run, params[k], p + flx_five_places[l] * e);
            if (status == FLX_OK) status = flx_run_reset(d->run);
            if (status == FLX_OK) status = evaluate(d, value);
            for (int i = 0; i < d->n && status == FLX_OK; i++)
                out->slope[i * np + k] += flx_five_weights[l] / e * value[i];
        }
        FLX_TRY(flx_run_set_parameter(d->run, params[k], p));
        FLX_TRY(status);
    }
    return flx_run_reset(d->run);
}

flx_status flx_analysis_differentiate(flx_run *run, int number, int nparam, const int *params,
                                      flx_arena *arena, flx_analysis_slopes *out)
{
    differentiation d = {
        .run = run, .number = number, .a = run->sim->model->analyses + number, .arena = arena};
    *out = (flx_analysis_slopes){0};
    FLX_TRY(refuse_run(run->sim, d.a));
    FLX_TRY(flx_run_reset(run));
    FLX_TRY(d.a->kind == FLX_ANALYSIS_MODES ? list_modes(&d, out) : list_signals(&d, out));
    size_t n = (size_t)d.n;
    double *all = flx_arena_take(arena, 2 * n + n * (size_t)nparam + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    out->n = d.n;
    out->value = all;
    out->slope = all + 2 * n;
    FLX_TRY(evaluate(&d, out->value));
    return differentiate(&d, nparam, params, all + n, out);
}
