// discrete_end.c - the end of a variational step, (VAR-5) of discrete_lagrangian.h, and joints closed in
// between.
//
// Unknown are the increments X_j, not positions, and the momentum is carried from step to step by the
// impulses of (VAR-4), not found from D_s, in sums that keep what rounding cuts off: what is conserved
// is kept to rounding, whatever the number of steps.
#include "integrate/variational/discrete_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A solve with masses and joints is trusted below this backward error.
#define TRUSTED 1e-9
// Where a mass is missing, this part of the smallest one is added, and taken out by iteration.
#define ADDED_MASS 1e-3
#define SHIFT_STEPS 20
// Corrections that close the joints of a value between steps, and what is closed.
#define CLOSING_STEPS 10
#define CLOSED (8.0 * DBL_EPSILON)

// ---- masses ---------------------------------------------------------------------------------

// Masses that are missing, as far as one can see without a state: zeros on the diagonal of M.
flx_status flx_discrete_find_missing_masses(flx_integrator *it)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_explicit *e = s->ops->explicit_form;
    flx_point p = flx_state_point(s, g->end);
    double least = HUGE_VAL, *m = g->u;
    bool missing = false;
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->end_blocks));
    flx_blocks_masses(s, &g->end_blocks, m);
    for (int i = 0; i < s->dims.nv; i++) {
        m[i] *= g->scale[i] * g->scale[i];
        if (m[i] > 0.0) least = fmin(least, m[i]);
        missing |= m[i] == 0.0;
    }
    if (!missing || !isfinite(least)) return FLX_OK;
    g->shift = flx_alloc(it->ctx, (size_t)s->dims.nv, sizeof *g->shift);
    if (!g->shift) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->dims.nv; i++) {
        if (m[i] == 0.0) g->shift[i] = ADDED_MASS * least / (g->scale[i] * g->scale[i]);
    }
    if (!e) return FLX_OK;
    // accelerations will come from there: it makes its matrix at the first call
    int errors = flx_ctx_error_count(it->ctx);
    e->pack(s, g->end, g->packed);
    flx_status status = e->rate(s, it->work, 0.0, g->packed, g->end, g->packed_rate);
    if (status == FLX_ERR_CANNOT) { // then as limits of what forces and joints do
        flx_ctx_forget_errors(it->ctx, errors);
        FLX_TRY(flx_relaxer_create(s, &g->relaxer));
        return flx_relaxer_warm(g->relaxer, &g->end_blocks);
    }
    return status > 0 ? FLX_OK : status;
}

// ---- end of the step ------------------------------------------------------------------------

// y (n) += c x, what is cut off goes to rest: Kahan's sum.
static void add_exactly(double *restrict y, double *restrict rest, double c,
                        const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        double small = c * x[i] + rest[i], sum = y[i] + small;
        rest[i] = small - (sum - y[i]);
        y[i] = sum;
    }
}

// out (nv) -= (G, A)^T l for the rows from `first` on, read from the matrix of the constraints.
static void subtract_velocity_constraints(const discrete *g, const flx_system *s, const double *l,
                                          double *out)
{
    const flx_pattern *p = &s->pattern;
    const double *values = flx_saddle_values(g->saddle);
    int first = g->first + s->dims.nlam;
    for (int i = 0; i < p->nblock; i++) {
        if (p->start[i] < first) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            if (p->start[j] >= s->dims.nv) break; // columns ascend
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++) out[c] -= values[k++] * l[r];
            }
        }
    }
}

// (STF-1) strong dampers, at the end of the step and for what follows from it.
static void hold_stiff(flx_integrator *it)
{
    discrete *g = it->data;
    if (g->stiff.nsoft == 0) return;
    flx_stiff_constraints_hold(&g->stiff, g->h);
    if (it->sys->reads_multipliers) flx_stiff_constraints_hold(&g->stiff, 0.0);
    flx_accelerator_hold(g->acc, g->stiff.held, 0.0);
    for (int k = 0; k < g->stiff.n; k++) {
        flx_saddle_hold(g->saddle, g->first + k, g->stiff.held[k]);
    }
}

// Multipliers (n) of those that are held, as the points of forces give them; zero for others.
static void gather_held(const discrete *g, const flx_dims *d, double *lam)
{
    memset(lam, 0, (size_t)g->stiff.n * sizeof *lam);
    for (int i = 0; i < g->rule.force.n && g->stiff.nheld > 0; i++) {
        discrete_add(lam, g->rule.end[i], g->now.lam + (size_t)i * d->nlam, d->nlam);
        discrete_add(lam + d->nlam, g->rule.end[i], g->now.mu + (size_t)i * d->nmu, d->nmu);
    }
    for (int k = 0; k < g->stiff.n; k++) lam[k] = g->stiff.held[k] ? lam[k] : 0.0;
}

// Right-hand sides of G v + g_t = 0 and A v + b = 0 in d; of constraints that are held C lambda is known.
static flx_status velocity_rows(flx_integrator *it, flx_point still)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    if (d->nlam + d->nmu == 0) return FLX_OK;
    double *lam = g->R + g->first; // free outside of the iteration
    gather_held(g, d, lam);
    still.lam = lam;
    still.mu = lam + d->nlam;
    FLX_TRY(s->ops->residual(s, it->work, &still, g->r));
    it->stats.residuals++;
    if (d->nlam) FLX_TRY(s->ops->constraint_rate(s, it->work, &still, g->eta));
    for (int i = g->first; i < g->n; i++) {
        if (!flx_saddle_active(g->saddle, i)) continue;
        int k = i - g->first;
        bool position = k < d->nlam && g->on_position[k];
        double t = k < d->nlam && !position ? g->tau[k] : 1.0;
        g->d[i] = position ? -g->eta[k] : -g->r[i] / t;
    }
    return FLX_OK;
}

// Masses and constraints at a point.
static flx_status factor_masses(flx_integrator *it, const flx_point *p)
{
    discrete *g = it->data;
    const flx_saddle_metric mass = {.shift = g->shift};
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, p, &g->end_blocks));
    it->stats.linearisations++;
    it->stats.factorisations++;
    return flx_saddle_factor(g->saddle, &g->end_blocks, FLX_ROWS_VELOCITY, &mass);
}

// Solves for the velocities of the momenta and rows in d. Masses that were added for those missing are
// taken out again, (M + S) v_k+1 + G^T nu = p + S v_k: what they carry is little. Returns the backward
// error.
static double solve_masses(discrete *g, const flx_dims *d)
{
    double error = 0.0, last = HUGE_VAL, change = 0.0, size = 0.0;
    memcpy(g->r, g->d, (size_t)g->n * sizeof(double));
    for (int k = 0; k < SHIFT_STEPS; k++) {
        change = size = 0.0;
        memcpy(g->C, g->r, (size_t)g->n * sizeof(double)); // free outside of the iteration
        for (int i = 0; i < d->nv && k > 0; i++) g->C[i] += g->shift[i] * g->d[i];
        error = fmax(error, flx_saddle_solve(g->saddle, g->C));
        for (int i = 0; i < d->nv; i++) {
            change = fmax(change, fabs(g->C[i] - g->d[i]) / g->scale[i]);
            size = fmax(size, fabs(g->C[i]) / g->scale[i]);
        }
        memcpy(g->d, g->C, (size_t)g->n * sizeof(double));
        if (!g->shift) break;
        if (k > 0 && (change <= DBL_EPSILON * size || !(change < 0.5 * last))) break;
        if (k > 0) last = change;
    }
    return g->shift && !(change <= TRUSTED * size) ? 1.0 : error; // nothing holds a massless part
}

// Whether joints hold what has no mass to something that has: else the added masses carry it alone, and any velocity stays as it is.
static bool masses_are_held(discrete *g, const flx_dims *d, int *worst)
{
    double *y = g->C; // free outside of the iteration
    memset(y, 0, (size_t)g->n * sizeof *y);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < d->nv; i++) y[i] = g->shift[i] * (k == 0 ? g->scale[i] : y[i]);
        memset(y + d->nv, 0, (size_t)(g->n - d->nv) * sizeof *y);
        flx_saddle_solve(g->saddle, y);
    }
    for (int i = 0; i < d->nv; i++) {
        *worst = i;
        if (g->shift[i] > 0.0 && fabs(y[i]) > 0.1 * g->scale[i]) return false;
    }
    return true;
}

// (VAR-5): the momentum before the last multipliers stands in u; v of the end, and p.
static flx_status end_velocity(flx_integrator *it, flx_state *end)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_point p = flx_state_point(s, end);
    p.v = p.a = p.lam = p.mu = g->zero;
    FLX_TRY(factor_masses(it, &p));
    memset(g->d, 0, (size_t)g->n * sizeof(double));
    FLX_TRY(velocity_rows(it, p));
    memcpy(g->d, g->u, (size_t)d->nv * sizeof(double));
    double error = solve_masses(g, d);
    it->stats.solves++;
    int worst = -1, moved = flx_saddle_regularised(g->saddle, &worst);
    bool massless = moved > 0 && worst >= 0 && worst < d->nv; // not a redundant constraint
    if (g->shift && !massless) massless = !masses_are_held(g, d, &worst);
    if (!(error < TRUSTED) || massless) {
        return flx_method_fail(it, FLX_SINGULAR, worst, 0.0, 0,
                               "masses and joints do not determine the velocities",
                               "a method that needs no momenta (radau, generalized-alpha)");
    }
    memcpy(end->v, g->d, (size_t)d->nv * sizeof(double));
    if (d->nlam) {
        FLX_TRY(s->ops->constraint_force(s, it->work, &p, g->d + g->first, g->v));
        add_exactly(g->u, g->p_next, -1.0, g->v, d->nv);
    }
    if (d->nmu) subtract_velocity_constraints(g, s, g->d, g->u);
    return FLX_OK;
}

// a, lambda, mu, w and x' of a state; by the system itself where masses are missing, which joints
// hold: its own elimination knows which. Positions and velocities stay as they are.
flx_status flx_discrete_accelerations(flx_integrator *it, flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_explicit *e = s->ops->explicit_form;
    flx_status status =
        flx_accelerator_eval(g->acc, it->work, x, &it->stats.residuals, &it->stats.linearisations);
    if (status != FLX_SINGULAR || !e) return status;
    if (g->relaxer) {
        FLX_TRY(flx_relaxer_measure(g->relaxer, it->work, x));
        return flx_relax_accelerations(g->relaxer, it->work, x, FLX_RELAX_RATE_STEP);
    }
    memcpy(g->q, x->q, (size_t)s->dims.nq * sizeof(double));
    memcpy(g->v, x->v, (size_t)s->dims.nv * sizeof(double));
    e->pack(s, x, g->packed);
    status = e->rate(s, it->work, x->t, g->packed, x, g->packed_rate);
    memcpy(x->q, g->q, (size_t)s->dims.nq * sizeof(double));
    memcpy(x->v, g->v, (size_t)s->dims.nv * sizeof(double));
    return status;
}

// The state at the end: everything but a, lambda, mu, which follow from it.
flx_status flx_discrete_finish(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_state *end = g->end;
    const double *Xs = g->now.X + (size_t)(g->rule.s - 1) * d->nv;
    flx_state_copy(end, x);
    end->t = x->t + g->h;
    for (int i = 0; i < d->nv; i++) g->q_next[i] = Xs[i] + g->q_rest[i];
    s->ops->retract(s, x->q, g->q_next, end->q);
    s->ops->difference(s, x->q, end->q, g->theta);
    discrete_add(g->q_next, -1.0, g->theta, d->nv);
    for (int i = 0; i < g->rule.force.n; i++) {
        discrete_add(end->x, g->h * g->rule.force.b[i], g->now.K + (size_t)i * d->nx, d->nx);
    }
    if (d->nw) {
        memcpy(end->w, g->now.W + (size_t)(g->rule.force.n - 1) * d->nw,
               (size_t)d->nw * sizeof(double));
    }
    memcpy(g->u, g->p, (size_t)d->nv * sizeof(double));
    memcpy(g->p_next, g->p_rest, (size_t)d->nv * sizeof(double));
    add_exactly(g->u, g->p_next, 1.0, g->impulse, d->nv);
    flx_discrete_from_start(g, s, Xs, g->u);
    flx_discrete_from_start(g, s, Xs, g->p_next);
    hold_stiff(it);
    flx_stiff_constraints_warn(it, &g->stiff, g->h);
    flx_status status = end_velocity(it, end);
    if (status != FLX_OK) return status;
    status = flx_discrete_accelerations(it, end);
    if (status > 0) {
        return flx_method_fail(it, status, flx_accelerator_worst(g->acc), 0.0, 0,
                               "accelerations are not determined", "`flexion check`");
    }
    return status;
}

// ---- values in between ----------------------------------------------------------------------

// Position constraints of the rows at hand with a minus in d; the largest of them.
static double gather_rows(discrete *g, const flx_dims *d, const double *rows)
{
    double open = 0.0;
    memset(g->d, 0, (size_t)g->n * sizeof(double));
    for (int k = 0; k < d->nlam; k++) {
        if (!g->on_position[k]) continue;
        g->d[g->first + k] = -rows[k];
        open = fmax(open, fabs(rows[k]) / g->scale[g->first + k]);
    }
    return open;
}

// Joints closed in positions and velocities, by the nearest ones in the metric of the masses.
flx_status flx_discrete_close(flx_integrator *it, flx_state *out)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    if (g->npos == 0) return FLX_OK;
    flx_point p = flx_state_point(s, out);
    FLX_TRY(factor_masses(it, &p));
    double last = HUGE_VAL;
    for (int k = 0; k < CLOSING_STEPS; k++) {
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        double open = gather_rows(g, d, g->r + g->first);
        if (open <= CLOSED || !(open < 0.5 * last)) break;
        flx_saddle_solve_once(g->saddle, g->d);
        s->ops->retract(s, out->q, g->d, out->q);
        last = open;
    }
    last = HUGE_VAL;
    for (int k = 0; k < CLOSING_STEPS; k++) {
        FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->eta));
        double open = gather_rows(g, d, g->eta);
        if (open == 0.0 || !(open < 0.5 * last)) break;
        flx_saddle_solve_once(g->saddle, g->d);
        discrete_add(out->v, 1.0, g->d, d->nv);
        last = open;
    }
    return FLX_OK;
}
