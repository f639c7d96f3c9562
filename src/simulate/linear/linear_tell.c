// linear_tell.c - what the user is told of slopes: corners, digits that are not there, switches that are about to change.
#include "base/log.h"
#include "base/number.h"
#include "expr/program.h"
#include "model/leaves.h"
#include "simulate/linear/linearising.h"

#include <math.h>
#include <string.h>

#define ROUGH 1e-4  // error of a slope as a part of it
#define SLIGHT 1e-6 // changes as a part of the largest there are
#define STATIONARY                                                                                 \
    1e-10             // changes of an output, as a part of what those of its leaves may make of it
#define DOUBTFUL 1e-8 // slopes that may be rounding, as a part of the output's change by others
#define AT_ONCE 1e-10 // an indicator this near to zero, as a part of what a step does to it

static void name_value(const flx_linearising *l, int i, char *text, size_t size)
{
    const flx_minimal *m = l->m;
    if (i >= l->nf - l->io->nout) {
        int output = l->io->outputs[i - (l->nf - l->io->nout)];
        flx_snprintf(text, size, "output '%s'", l->names[output]);
        return;
    }
    flx_unknown u;
    int of = i < m->npos ? m->pos[i] : i < m->npos + m->nvel ? m->vel[i - m->npos] : 0;
    if (i >= m->npos + m->nvel) of = m->s->dims.nv + i - m->npos - m->nvel;
    m->s->ops->unknown(m->s, of, &u);
    flx_snprintf(text, size, "the rate of '%s' (%s)", u.item ? u.item : "?", u.part ? u.part : "?");
}

// What is known of the slopes of each value, in parts of its typical change.
void flx_linearising_note(flx_linearising *l, const flx_slope *s)
{
    double typical = s->step / FLX_LINEAR_STEP;
    for (int i = 0; i < l->nf; i++) {
        double slope = fabs(l->out[i]);
        l->change[i] = fmax(l->change[i], slope * typical);
        if (s->error[i] > ROUGH * slope) l->rough[i] = fmax(l->rough[i], s->error[i] * typical);
        l->corner[i] = fmax(l->corner[i], s->bend[i] * typical);
    }
}

void flx_linearising_tell_errors(const flx_linearising *l)
{
    char what[200];
    for (int i = 0; i < l->nf; i++) {
        bool corner = l->corner[i] > SLIGHT * l->change[i];
        if (!corner && !(l->rough[i] > SLIGHT * l->change[i])) continue;
        name_value(l, i, what, sizeof what);
        flx_ctx_warn(l->sim->ctx, FLX_NOWHERE,
                     corner ? "linearised at t = %.9g: %s has a corner there, and the slope is "
                              "the mean of both sides"
                            : "linearised at t = %.9g: the slope of %s is not smooth there, and "
                              "known to a few digits alone",
                     l->m->at->t, what);
        return;
    }
}

// Switches hold within differences: they are of one side.
void flx_linearising_tell_switches(flx_linearising *l)
{
    const flx_system *s = l->sim->sys;
    const flx_event_ops *k = s->ops->events;
    for (int i = 0; k && i < k->indicators(s); i++) {
        flx_loc loc = FLX_NOWHERE;
        if (!(fabs(l->indicators[i]) <= AT_ONCE * l->reach[i]) || l->reach[i] == 0.0) continue;
        const char *name = k->indicator(s, i, &loc);
        flx_ctx_warn(
            l->sim->ctx, loc,
            "linearised at t = %.9g, where '%s' is about to change: the slopes are those of "
            "one side",
            l->m->at->t, name ? name : "a condition");
    }
}

// ---- slopes of outputs that are rounding -----------------------------------------------------------

static int columns_of(const flx_linearising *l)
{
    return l->n + 3 * l->io->nin;
}

void flx_linearising_doubt(flx_linearising *l, const flx_slope *s, int col)
{
    int nout = l->io->nout, first = l->nf - nout;
    for (int i = 0; i < nout; i++)
        l->doubt[i * columns_of(l) + col] = flx_slope_is_rounding(s, first + i, l->out[first + i]);
}

void flx_linearising_clear_doubtful(const flx_linearising *l, flx_linear_model *out)
{
    int nin = out->nin;
    double *const by_input[] = {out->D, out->D1, out->D2};
    for (int i = 0; i < out->nout; i++) {
        double most = DOUBTFUL * l->change[l->nf - out->nout + i];
        const char *doubt = l->doubt + (size_t)i * (size_t)columns_of(l);
        for (int j = 0; j < l->n; j++) {
            double *c = out->C + i * l->n + j;
            if (doubt[j] && fabs(*c) * flx_linearising_typical(l, j) <= most) *c = 0.0;
        }
        for (int j = 0; j < 3 * nin; j++) {
            double *d = by_input[j / nin] + i * nin + j % nin;
            double size = flx_cut_inputs_size(&l->inputs, j % nin, j / nin);
            if (doubt[l->n + j] && fabs(*d) * size <= most) *d = 0.0;
        }
    }
}

// ---- outputs that are stationary --------------------------------------------------------------------

static double largest_scale(const flx_linearising *l)
{
    double most = 0.0;
    for (int i = 0; i < l->sim->sys->dims.nv; i++) most = fmax(most, l->m->rows->scale[i]);
    return most;
}

// What a leaf typically changes by, as states do; of forces and others nothing is known but what they are.
static double typical_leaf(const flx_linearising *l, flx_leaf leaf, double value)
{
    const flx_leaf_traits *t = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    double size = 1.0; // of an angle
    if (!t || !t->body || !flx_leaf_is(leaf, FLX_QUANTITY_POSITION | FLX_QUANTITY_VELOCITY))
        return fabs(value);
    if (t->unit && t->unit[0] == 'm') size = largest_scale(l);
    return fmax(size, fabs(value));
}

// How much an output changes where each of its leaves typically does, however these hang together.
static double change_by_leaves(flx_linearising *l, int output)
{
    flx_signals *s = l->signals;
    double at = s->out[output], sum = 0.0;
    for (int i = 0; i < s->of->nleaf; i++) {
        double kept = s->in[i];
        double e = FLX_LINEAR_STEP * typical_leaf(l, s->of->leaves[i], kept);
        s->in[i] = kept + e;
        flx_program_eval(s->of->program, s->in, s->scratch, s->out);
        sum += fabs(s->out[output] - at) / FLX_LINEAR_STEP;
        s->in[i] = kept;
    }
    flx_program_eval(s->of->program, s->in, s->scratch, s->out);
    return sum;
}

static void clear_row(double *M, int row, int n)
{
    if (M && n > 0) memset(M + row * n, 0, (size_t)n * sizeof *M);
}

flx_status flx_linearising_clear_rounding(flx_linearising *l, flx_linear_model *out)
{
    bool told = false;
    if (out->nout == 0) return FLX_OK;
    FLX_TRY(flx_signals_eval(l->signals, l->sim, l->m->at, 0.0));
    for (int i = 0; i < out->nout; i++) {
        int output = l->io->outputs[i], at = l->nf - out->nout + i;
        double change = l->change[at];
        if (change == 0.0 || change > STATIONARY * change_by_leaves(l, output)) continue;
        l->rough[at] = l->corner[at] = 0.0;
        clear_row(out->C, i, out->n);
        clear_row(out->D, i, out->nin);
        clear_row(out->D1, i, out->nin);
        clear_row(out->D2, i, out->nin);
        if (told) continue;
        told = true;
        flx_ctx_warn(l->sim->ctx, FLX_NOWHERE,
                     "linearised at t = %.9g: output '%s' is stationary there, and what rounding "
                     "leaves of its slopes is taken as zero",
                     l->m->at->t, l->names[output]);
    }
    return FLX_OK;
}
