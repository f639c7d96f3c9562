// flx_collocation_close.c - position constraints closed to rounding at the end of a step and between steps.
//
//     q <- q (+) -S^2 G^T (G S^2 G^T)^-1 g,   v <- v - S^2 G^T (G S^2 G^T)^-1 (G v + g_t)
// with the factors of the step, or of a linearisation of its own where these do not do.
#include "integrate/collocation/collocation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Sweeps that close the joints at the end of a step.
#define CLOSING_SWEEPS 12
// Joints open by this part of their scale are closed; 8 eps leaves room for the rounding of g.
#define CLOSED (8.0 * DBL_EPSILON)
// Between steps a linearisation of its own is worth it when a sweep leaves more than this part open.
#define SLOW_SWEEP 0.1
// What is still open by more than this part of the scale (per second, of the largest velocity) after
// that is closed with a linearisation of its own.
#define STILL_OPEN 1e-12

// Largest of the position rows, scaled; they are put into b.
static double gather_rows(collocation *co, const flx_dims *d, const double *rows, bool divide)
{
    double most = 0.0;
    memset(co->b, 0, (size_t)co->n * sizeof(double));
    for (int j = 0; j < d->nlam; j++) {
        if (!co->on_position[j]) continue;
        double g = divide ? rows[j] / co->sigma[j] : rows[j];
        co->b[co->first + j] = -g;
        most = fmax(most, fabs(g) / co->scale[co->first + j]);
    }
    return most;
}

// `slow`: a sweep that leaves more than this part is the last one.
static flx_status close_positions(flx_integrator *it, flx_saddle *saddle, double slow, flx_point *p,
                                  double *q, double *left)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    double last = HUGE_VAL, *kept = co->point_q;
    p->q = q;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(s->ops->residual(s, it->work, p, co->e));
        it->stats.residuals++;
        double open = gather_rows(co, &s->dims, co->e + co->first, true);
        if (!(open < 0.5 * last)) { // no gain: back
            if (!(open < last)) memcpy(q, kept, (size_t)s->dims.nq * sizeof *q);
            break;
        }
        bool enough = open <= CLOSED || open > slow * last;
        last = open;
        if (enough) break;
        memcpy(kept, q, (size_t)s->dims.nq * sizeof *q);
        flx_saddle_solve_once(saddle, co->b);
        it->stats.solves++;
        s->ops->retract(s, kept, co->b, q);
    }
    *left = last;
    return FLX_OK;
}

static flx_status close_velocities(flx_integrator *it, flx_saddle *saddle, flx_point *p, double *v,
                                   double *left)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    int nv = s->dims.nv;
    double last = HUGE_VAL, *kept = co->point_v;
    p->v = v;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(s->ops->constraint_rate(s, it->work, p, co->e));
        double open = gather_rows(co, &s->dims, co->e, false);
        if (!(open < 0.5 * last)) {
            if (!(open < last)) memcpy(v, kept, (size_t)nv * sizeof *v);
            break;
        }
        last = open;
        if (open == 0.0) break;
        memcpy(kept, v, (size_t)nv * sizeof *v);
        flx_saddle_solve_once(saddle, co->b);
        it->stats.solves++;
        for (int j = 0; j < nv; j++) v[j] += co->b[j];
    }
    *left = last;
    return FLX_OK;
}

static double largest_velocity(const collocation *co, const double *v, int nv)
{
    double m = 0.0;
    for (int j = 0; j < nv; j++) m = fmax(m, fabs(v[j]) / co->scale[j]);
    return m;
}

// Positions and, where asked for, velocities. False: still open.
static flx_status sweep(flx_integrator *it, flx_saddle *saddle, double slow, flx_point *at,
                        double *q, double *v, bool velocities, bool *closed)
{
    const collocation *co = it->data;
    double open_q = 0.0, open_v = 0.0;
    *closed = false;
    FLX_TRY(close_positions(it, saddle, slow, at, q, &open_q));
    if (open_q > STILL_OPEN && slow < 1.0) return FLX_OK;
    if (velocities) FLX_TRY(close_velocities(it, saddle, at, v, &open_v));
    double speed = largest_velocity(co, v, it->sys->dims.nv);
    *closed = open_q <= STILL_OPEN && open_v <= STILL_OPEN * speed;
    return FLX_OK;
}

flx_status flx_collocation_close(flx_integrator *it, const flx_point *p, double *q, double *v,
                                 bool velocities)
{
    collocation *co = it->data;
    bool closed;
    if (!co->saddle) return FLX_OK;
    flx_point at = *p;
    FLX_TRY(sweep(it, co->saddle, 1.0, &at, q, v, velocities, &closed));
    if (closed) return FLX_OK;
    // too far from the linearisation, or that was near a singular position
    co->linearised = false;
    co->books.h_factored = 0.0;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &at, &co->blocks));
    it->stats.linearisations++;
    FLX_TRY(flx_collocation_factor_metric(it, 0.0));
    return sweep(it, co->saddle, 1.0, &at, q, v, velocities, &closed);
}

static flx_status factor_between(flx_integrator *it, const flx_point *at)
{
    collocation *co = it->data;
    const flx_saddle_metric metric = {.shift = co->metric, .without_mass = true};
    co->between_known = false;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, at, &co->between_blocks));
    it->stats.linearisations++;
    it->stats.factorisations++;
    FLX_TRY(flx_saddle_factor(co->between, &co->between_blocks, FLX_ROWS_POSITION, &metric));
    co->between_known = true;
    return FLX_OK;
}

// What is between steps leaves the factors of the step alone: the motion does not depend on what is
// looked at.
flx_status flx_collocation_close_state(flx_integrator *it, flx_state *x)
{
    collocation *co = it->data;
    bool velocities = co->ggl || co->at_end, closed;
    if (!co->saddle) return FLX_OK;
    flx_point at = flx_state_point(it->sys, x);
    if (flx_method_of(it)->own_normals) {
        FLX_TRY(factor_between(it, &at));
        return sweep(it, co->between, 1.0, &at, x->q, x->v, velocities, &closed);
    }
    flx_saddle *saddle = co->between_known ? co->between : co->saddle;
    FLX_TRY(sweep(it, saddle, SLOW_SWEEP, &at, x->q, x->v, velocities, &closed));
    if (closed) return FLX_OK;
    FLX_TRY(factor_between(it, &at));
    return sweep(it, co->between, 1.0, &at, x->q, x->v, velocities, &closed);
}
