// input_columns.c - B and D of a linear model: slopes by the inputs. What rounding leaves of an input that does nothing is zero,
// or else it would be said to reach modes.
#include "simulate/linear/linearising.h"

#include <math.h>
#include <string.h>

// Inputs that do little take steps so many times longer; of those that do something they are longer up to this part of what
// states change, at most so many times: their rounding is less. They count where they differ by no more than so many times the
// error of the short ones.
#define LONGER 1e3
#define LITTLE 0.1
#define LONGEST 1e6
#define ALIKE 30.0
// What may be nothing is slight beside what states change. Rates that are weak beside it are nothing where they are this part of
// those that the input would change if nothing were held: trees have so many digits of what is held.
#define SLIGHT 1e-8
#define WEAK 1e-11
#define HELD 1e-8

// Whether rates or outputs know the slope or the curvature of the inputs: where these move joints, and where anything is
// made of their rates.
static flx_status reads_inputs(flx_linearising *l, double by, bool *reads)
{
    FLX_TRY(flx_linearising_evaluate_at(l, by, l->out));
    *reads = memcmp(l->out, l->f0, (size_t)l->nf * sizeof *l->out) != 0;
    return FLX_OK;
}

// A slope that differences do not tell from nothing, beside what states do there.
static bool is_nothing(const flx_linearising *l, const flx_slope *s, int i)
{
    double change = fabs(l->out[i]) * s->step / FLX_LINEAR_STEP;
    bool slight = l->change[i] == 0.0 || change <= SLIGHT * l->change[i];
    return slight && flx_slope_is_rounding(s, i, l->out[i]);
}

static bool all_nothing(const flx_linearising *l, const flx_slope *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (!is_nothing(l, s, i)) return false;
    }
    return true;
}

// The same by size alone.
static bool all_weak(const flx_linearising *l, double typical, int n)
{
    for (int i = 0; i < n; i++) {
        if (fabs(l->out[i]) * typical > WEAK * l->change[i]) return false;
    }
    return true;
}

static bool all_zero(const flx_linearising *l, int n)
{
    for (int i = 0; i < n; i++) {
        if (l->out[i] != 0.0) return false;
    }
    return true;
}

// Equations of motion and of states at the state that the model is linearised about, as they stand.
static flx_status evaluate_rows(const flx_linearising *l, double *rows)
{
    const flx_minimal *m = l->m;
    flx_point p = flx_state_point(m->s, m->at);
    return m->s->ops->residual(m->s, m->work, &p, rows);
}

// Rates that the input would change by `step`, in parts of their scales, if nothing were held: forces over own inertias.
static flx_status find_loose(const flx_linearising *l, int k, double step, double *most)
{
    const flx_minimal *m = l->m;
    const flx_dims *d = &m->s->dims;
    size_t n = (size_t)flx_dims_unknowns(d);
    double *rows = flx_arena_take(l->arena, 3 * n, sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    double *moved = rows + n, *own = rows + 2 * n;
    *most = 0.0;
    flx_cut_inputs_change(&l->inputs, k, l->part, 0.0);
    FLX_TRY(evaluate_rows(l, rows));
    flx_cut_inputs_change(&l->inputs, k, l->part, step);
    FLX_TRY(evaluate_rows(l, moved));
    flx_cut_inputs_change(&l->inputs, k, l->part, 0.0);
    for (int i = 0; i < d->nv + d->nx; i++) {
        double force = fabs(moved[i] - rows[i]), scale = m->rows->scale[i];
        double *rate = i < d->nv ? m->at->a + i : m->at->dx + (i - d->nv), kept = *rate;
        if (force == 0.0) continue;
        *rate = kept + scale;
        flx_status status = evaluate_rows(l, own);
        *rate = kept;
        FLX_TRY(status);
        double inertia = fabs(own[i] - rows[i]);
        if (inertia > 0.0) *most = fmax(*most, force / inertia);
    }
    return FLX_OK;
}

// Whether a force that does little acts on what is heavy, or on what holds it: rounding leaves something of the latter.
static flx_status find_held(flx_linearising *l, flx_slope *s, int k, bool *held)
{
    double loose, most = 0.0;
    s->step *= LONGER;
    FLX_TRY(flx_slope_find(s, l->out));
    FLX_TRY(find_loose(l, k, s->step, &loose));
    for (int i = 0; i < l->n; i++)
        most = fmax(most, fabs(l->out[i]) * s->step / flx_linearising_typical(l, i));
    *held = most <= HELD * loose || all_nothing(l, s, l->n);
    return FLX_OK;
}

// How many times longer steps may be for changes like those by states.
static double find_longer(const flx_linearising *l, const flx_slope *s)
{
    double typical = s->step / FLX_LINEAR_STEP, longer = LONGEST;
    for (int i = 0; i < l->nf; i++) {
        double change = fabs(l->out[i]) * typical;
        if (change > 0.0 && l->change[i] > 0.0) longer = fmin(longer, l->change[i] / change);
    }
    return longer;
}

// A newton on what weighs tons: longer steps have less rounding. They count where they say the same as the short ones.
static flx_status sharpen(flx_linearising *l, flx_slope *s)
{
    size_t n = (size_t)l->nf;
    double longer = find_longer(l, s);
    if (!(LITTLE * longer > 1.0)) return FLX_OK;
    double *far = flx_arena_take(l->arena, (FLX_SLOPE_SCRATCH + 1) * n, sizeof *far);
    if (!far) return FLX_ERR_MEMORY;
    flx_slope wide = *s;
    wide.step *= LITTLE * longer;
    wide.scratch = far + n;
    flx_status status = flx_slope_find(&wide, far);
    if (status != FLX_OK) return status < 0 ? status : FLX_OK; // too far away
    for (int i = 0; i < l->nf; i++) {
        bool alike = fabs(far[i] - l->out[i]) <= ALIKE * s->error[i];
        if (alike && wide.error[i] < s->error[i]) l->out[i] = far[i];
    }
    return FLX_OK;
}

// Slopes by the input whose seed is set. Those of rates are nothing together.
static flx_status find_column(flx_linearising *l, int k, double step)
{
    int n = l->fixed ? 0 : l->n;
    flx_slope s;
    FLX_TRY(flx_linearising_slope(l, step, &s));
    bool none = all_nothing(l, &s, n), weak = all_weak(l, step / FLX_LINEAR_STEP, n);
    if ((none || weak) && !all_zero(l, n) && !flx_cut_inputs_moves(&l->inputs, k))
        FLX_TRY(find_held(l, &s, k, &none));
    else if (!none && !flx_cut_inputs_moves(&l->inputs, k))
        FLX_TRY(sharpen(l, &s));
    for (int i = 0; i < n && none; i++) flx_slope_clear(&s, i, l->out);
    flx_linearising_doubt(l, &s, l->n + l->part * l->io->nin + k);
    s.step = step;
    flx_linearising_note(l, &s);
    return FLX_OK;
}

flx_status flx_linearising_find_inputs(flx_linearising *l, int part, double *B, double *D)
{
    int nin = l->io->nin, nout = l->io->nout, n = l->fixed ? 0 : l->n;
    double *seed = flx_arena_take(l->arena, (size_t)nin, sizeof *seed);
    if (!seed) return FLX_ERR_MEMORY;
    l->part = part;
    l->seed = seed;
    for (int k = 0; k < nin; k++) {
        bool reads = true;
        double size = flx_cut_inputs_size(&l->inputs, k, part);
        seed[k] = 1.0;
        if (part != FLX_INPUT_VALUE) FLX_TRY(reads_inputs(l, size, &reads));
        if (reads) FLX_TRY(find_column(l, k, FLX_LINEAR_STEP * size));
        for (int i = 0; i < n && reads; i++) B[i * nin + k] = l->out[i];
        for (int i = 0; i < nout && reads; i++) D[i * nin + k] = l->out[n + i];
        seed[k] = 0.0;
        flx_cut_inputs_change(&l->inputs, k, part, 0.0);
    }
    return FLX_OK;
}
