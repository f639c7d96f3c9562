// bdf_close.c - what bdf reports meets the joints to rounding: Gauss-Newton on the rows of positions,
// then of velocities, with factors kept from step to step while they serve.
#include "integrate/multistep/bdf.h"

#include <float.h>
#include <math.h>

// Sweeps that close the joints of what is reported, and when they are closed.
#define CLOSING_SWEEPS 6
#define CLOSED (8.0 * DBL_EPSILON)
// A sweep that leaves more than this asks for new factors.
#define SLOW 1e-2

// Right-hand side from the rows of stabilised constraints; the largest.
static double gather(const bdf *p, const flx_system *s, const double *rows, double *b)
{
    int first = flx_dims_first_constraint(&s->dims);
    double most = 0.0;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int i = 0; i < s->dims.nlam; i++) {
        if (!p->stabilised[i]) continue;
        b[first + i] = -rows[i];
        most = fmax(most, fabs(rows[i]));
    }
    return most;
}

// New factors for the joints, at x.
static flx_status look_at_joints(flx_integrator *it, const flx_state *x, bdf_joints *j)
{
    bdf *p = it->data;
    const flx_saddle_metric ones = {.shift = p->shift, .without_mass = true};
    flx_point pt = flx_state_point(it->sys, x);
    it->stats.linearisations++;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &pt, &p->near));
    FLX_TRY(flx_saddle_factor(j->saddle, &p->near, FLX_ROWS_POSITION, &ones));
    j->there = j->fresh = true;
    return FLX_OK;
}

// Rows of the stabilised constraints, on positions or velocities.
static flx_status measure_joints(flx_integrator *it, const flx_state *x, bool velocities,
                                 double *open)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const double *rows = p->g;
    flx_point pt = flx_state_point(s, x);
    if (velocities) {
        FLX_TRY(s->ops->constraint_rate(s, it->work, &pt, p->g));
    } else {
        it->stats.residuals++;
        FLX_TRY(s->ops->residual(s, it->work, &pt, p->r));
        rows = p->r + flx_dims_first_constraint(&s->dims);
    }
    *open = gather(p, s, rows, p->b);
    return FLX_OK;
}

// Positions, or velocities, of x to where the joints are closed. A sweep that is known to end there,
// by what the one before it left, is not measured any more.
static flx_status close_rows(flx_integrator *it, flx_state *x, bdf_joints *j, bool velocities,
                             double closed)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double last = HUGE_VAL, open, left = 1.0;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(measure_joints(it, x, velocities, &open));
        if (open <= closed || (j->fresh && !(open < 0.5 * last))) break;
        if (last < HUGE_VAL) left = open / last;
        if (!j->there || (!j->fresh && open > SLOW * last)) {
            FLX_TRY(look_at_joints(it, x, j));
            left = 1.0;
            (void)gather(p, s, velocities ? p->g : p->r + flx_dims_first_constraint(&s->dims),
                         p->b);
        }
        last = open;
        flx_saddle_solve_once(j->saddle, p->b);
        if (velocities) {
            for (int i = 0; i < s->dims.nv; i++) x->v[i] += p->b[i];
        } else {
            s->ops->retract(s, x->q, p->b, x->q);
        }
        if (left * open <= closed) break;
    }
    return FLX_OK;
}

flx_status flx_bdf_close_joints(flx_integrator *it, flx_state *x, bdf_joints *j)
{
    bdf *p = it->data;
    if (p->nb == 0) return FLX_OK;
    j->fresh = false;
    FLX_TRY(close_rows(it, x, j, false, CLOSED));
    return close_rows(it, x, j, true, CLOSED * fmax(1.0, bdf_largest(x->v, it->sys->dims.nv)));
}
