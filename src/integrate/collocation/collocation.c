// collocation.c - a collocation method on any system of the table: memory, attempts, the end of a step,
// values in between. collocation.h says which file does what.
#include "integrate/collocation/collocation.h"
#include "base/arrays.h"
#include "integrate/step_control.h"

#include <math.h>
#include <string.h>

// Positions of a fixed step are solved to this part of their scale: joints are closed to rounding.
#define POSITION_TOLERANCE 1e-13
// The part of the tolerance that is left to Newton is its root, but no more than this: the method
// is better than its estimated error, and Newton should not spoil that.
#define LARGEST_KAPPA 0.03
// ... with more than 3 stages, which are that much better than their estimate.
#define HIGH_ORDER 0.1
// Iterations that a fresh linearisation with its factors is worth in fixed steps.
#define REFRESH_COST 2
// Polynomials are not continued over more than this many of their steps.
#define LONGEST_EXTRAPOLATION 6.0

// ---- life -----------------------------------------------------------------------------------

void flx_collocation_destroy(flx_integrator *it)
{
    collocation *co = it->data;
    flx_free(co->block);
    flx_tolerance_destroy(&co->tol);
    flx_stiff_constraints_destroy(&co->stiff);
    flx_anderson_destroy(&co->anderson);
    flx_linear_destroy(&co->real);
    for (int k = 0; k < COLLOCATION_STAGES / 2; k++) flx_linear_destroy(&co->pair[k]);
    flx_saddle_destroy(&co->saddle);
    flx_saddle_destroy(&co->between);
    flx_blocks_destroy(&co->between_blocks);
    flx_accelerator_destroy(&co->settler);
    flx_inertialess_destroy(&co->inertialess);
    flx_blocks_destroy(&co->blocks);
    flx_free(co);
    it->data = NULL;
}

// For m stages.
static flx_status make_arrays(const flx_system *s, collocation *co, int m)
{
    const flx_dims *d = &s->dims;
    int n = co->n, nF = m * (n + d->nv + d->nlam);
    collocation_stages *now = &co->now, *last = &co->last;
    const flx_array arrays[] = {FLX_ARRAY(co->sigma, d->nlam),
                                FLX_ARRAY(co->scale, n),
                                FLX_ARRAY(co->Q, m * d->nq),
                                FLX_ARRAY(co->R, m * n),
                                FLX_ARRAY(co->F, nF),
                                FLX_ARRAY(co->parts, nF),
                                FLX_ARRAY(co->gd, m * d->nlam),
                                FLX_ARRAY(co->b, n),
                                FLX_ARRAY(co->b_imag, n),
                                FLX_ARRAY(co->theta, d->nv),
                                FLX_ARRAY(co->rate, d->nv),
                                FLX_ARRAY(co->metric, d->nv),
                                FLX_ARRAY(co->ww, d->nw),
                                FLX_ARRAY(co->e, n),
                                FLX_ARRAY(co->e_v, d->nv),
                                FLX_ARRAY(co->pull, d->nv),
                                FLX_ARRAY(co->pull_x, d->nx),
                                FLX_ARRAY(co->point_q, d->nq),
                                FLX_ARRAY(co->point_v, d->nv),
                                FLX_ARRAY(co->point, n),
                                FLX_ARRAY(co->z, n),
                                FLX_ARRAY(co->on_position, d->nlam),
                                FLX_ARRAY(co->rigid, d->nlam + d->nmu),
                                FLX_ARRAY(now->U, m * n),
                                FLX_ARRAY(last->U, m * n),
                                FLX_ARRAY(now->V, m * d->nv),
                                FLX_ARRAY(last->V, m * d->nv),
                                FLX_ARRAY(now->A, m * d->nv),
                                FLX_ARRAY(last->A, m * d->nv),
                                FLX_ARRAY(now->dX, m * d->nx),
                                FLX_ARRAY(last->dX, m * d->nx),
                                FLX_ARRAY(now->eta, m * d->nlam),
                                FLX_ARRAY(last->eta, m * d->nlam)};
    co->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!co->block) return FLX_ERR_MEMORY;
    FLX_TRY(flx_anderson_create(s->ctx, nF, &co->anderson));
    FLX_TRY(flx_tolerance_create(s, co->rtol, co->atol, co->scale, &co->tol));
    co->wq = co->tol.wq;
    co->wv = co->tol.wv;
    co->wx = co->tol.wx;
    return FLX_OK;
}

static bool is_rigid(const flx_unknown *u)
{
    return (u->kind == FLX_UNKNOWN_CONSTRAINT && u->C == 0.0) ||
           (u->kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && u->E == 0.0);
}

static void read_unknowns(const flx_system *s, collocation *co)
{
    for (int i = 0; i < co->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        co->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < s->dims.nv) co->metric[i] = 1.0 / (co->scale[i] * co->scale[i]);
        if (i < co->first) continue;
        int row = i - co->first;
        co->rigid[row] = is_rigid(&u);
        co->nrigid += co->rigid[row];
        if (u.kind != FLX_UNKNOWN_CONSTRAINT) continue;
        co->sigma[row] = u.sigma;
        co->on_position[row] = flx_constraint_on_position(&u);
        co->npos += co->on_position[row];
    }
}

static void read_rows(flx_integrator *it, const double *switches)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    for (int row = 0; row < d->nlam + d->nmu; row++) {
        flx_unknown u;
        flx_unknown_at(it->sys, switches, co->first + row, &u);
        co->rigid[row] = is_rigid(&u);
        if (row >= d->nlam) continue;
        // sigma is asked for only where a row is on positions
        co->on_position[row] = flx_constraint_on_position(&u);
    }
}

static flx_status make_solvers(const flx_system *s, collocation *co, int ntableau)
{
    int nreal = co->adaptive, npair = 0;
    for (int k = 0; k < ntableau; k++) {
        const collocation_tableau *t = &co->table[k];
        if (t->nreal) nreal = 1;
        if (t->neigen - t->nreal > npair) npair = t->neigen - t->nreal;
    }
    FLX_TRY(flx_blocks_create(s, &co->blocks));
    if (nreal) FLX_TRY(flx_linear_create(s, false, &co->real));
    for (int k = 0; k < npair; k++) FLX_TRY(flx_linear_create(s, true, &co->pair[k]));
    if (!co->npos) return FLX_OK;
    FLX_TRY(flx_blocks_create(s, &co->between_blocks));
    FLX_TRY(flx_saddle_create(s, &co->between));
    return flx_saddle_create(s, &co->saddle);
}

// The part of the tolerance that is left to Newton.
static double newton_part(const flx_integrator_def *def, double rtol, int stages)
{
    if (def->newton_tolerance > 0.0) return def->newton_tolerance;
    double part = fmin(LARGEST_KAPPA, sqrt(rtol));
    return stages > 3 ? HIGH_ORDER * part : part;
}

// Implicit Euler: steps are many, and their errors are those of the run when they are added.
static bool adds_up(const collocation_tableau *t)
{
    return t->s == 1 && t->ends && !t->slopes;
}

void flx_collocation_use(flx_integrator *it, int tableau)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    bool first = !co->tab; // its arrays are fresh, and zero
    co->order = co->next_order = tableau;
    co->tab = &co->table[tableau];
    co->s = co->tab->s;
    co->embedded = co->tab->e;
    co->adds_up = co->adaptive && adds_up(co->tab);
    co->share = 1.0;
    co->kappa = newton_part(&it->def, co->rtol, co->s);
    co->nF = co->anderson.n = co->s * (co->n + d->nv + d->nlam);
    co->D = co->F;
    co->dV = co->D + co->s * co->n;
    co->deta = co->dV + co->s * d->nv;
    if (!first) memset(co->F, 0, (size_t)co->nF * sizeof(double)); // deta is moved by GGL alone
    co->h = 0.0;
    co->books.h_factored = 0.0;
    co->since = 0;
}

flx_status flx_collocation_create(flx_integrator *it, const collocation_tableau *tableaux, int n,
                                  const collocation_rules *rules)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    collocation *co = flx_alloc(it->ctx, 1, sizeof *co);
    if (!co) return FLX_ERR_MEMORY;
    it->data = co;
    int most = 0;
    for (int k = 0; k < n; k++) {
        co->table[k] = tableaux[k];
        if (tableaux[k].s > most) most = tableaux[k].s;
    }
    flx_method_of(it)->read_rows = read_rows;
    co->ntable = n;
    co->most = most;
    co->n = flx_dims_unknowns(&s->dims);
    co->first = flx_dims_first_constraint(&s->dims);
    co->adaptive = !(def->step > 0.0);
    double coarser = adds_up(&tableaux[0]) ? FLX_FIRST_ORDER : 1.0;
    co->rtol = def->rtol > 0.0 ? def->rtol : coarser * FLX_DEFAULT_RTOL;
    co->atol = def->atol > 0.0 ? def->atol : coarser * FLX_DEFAULT_ATOL;
    co->tolerance = def->newton_tolerance > 0.0 ? def->newton_tolerance : POSITION_TOLERANCE;
    FLX_TRY(make_arrays(s, co, most));
    flx_collocation_use(it, 0);
    read_unknowns(s, co);
    co->ggl = rules->ggl && co->npos > 0;
    co->at_end = rules->at_end && co->nrigid > 0;
    flx_method_of(it)->closes_velocities =
        co->ggl || co->at_end || (rules->settle && co->nrigid > 0);
    co->keeps = rules->keeps;
    co->rings = rules->rings;
    FLX_TRY(flx_stiff_constraints_create(s, &co->stiff));
    if (rules->settle) FLX_TRY(flx_accelerator_create(s, &co->settler));
    FLX_TRY(make_solvers(s, co, n));
    return co->rings ? flx_inertialess_create(&co->inertialess, it, &co->blocks) : FLX_OK;
}

flx_status flx_collocation_create_family(flx_integrator *it, collocation_family family, int stages,
                                         const collocation_rules *rules)
{
    collocation_tableau tableau;
    if (!flx_collocation_tableau_make(family, stages, &tableau)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "stages = %d: method '%s' has not so many", stages, it->type->name);
    }
    return flx_collocation_create(it, &tableau, 1, rules);
}

// ---- refusals -------------------------------------------------------------------------------

static int find_rigid(const flx_system *s, flx_unknown *u)
{
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        *u = (flx_unknown){0};
        s->ops->unknown(s, i, u);
        if (is_rigid(u)) return i;
    }
    return -1;
}

bool flx_collocation_has_rigid(const flx_system *s)
{
    flx_unknown u;
    return find_rigid(s, &u) >= 0;
}

flx_status flx_collocation_refuse_index1(const flx_integrator *it)
{
    if (it->def.formulation != FLX_FORMULATION_INDEX1) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "method '%s' solves formulations index-3 and ggl; index-1 is what dopri5 "
                    "solves",
                    it->type->name);
}

flx_status flx_collocation_expect_formulation(const flx_integrator *it, flx_formulation formulation,
                                              const char *name)
{
    flx_formulation asked = it->def.formulation;
    if (asked == FLX_FORMULATION_AUTO || asked == formulation) return FLX_OK;
    if (!flx_collocation_has_rigid(it->sys)) return FLX_OK; // they are all the same
    return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "method '%s' solves formulation %s only; leave 'formulation' out, or take "
                    "method 'radau'",
                    it->type->name, name);
}

flx_status flx_collocation_refuse_rigid(const flx_integrator *it, const char *advice)
{
    flx_unknown u;
    if (find_rigid(it->sys, &u) < 0) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, u.loc,
                    "method '%s' cannot hold '%s' (%s), which is rigid: %s", it->type->name,
                    u.item ? u.item : "?", u.part ? u.part : "?", advice);
}

// ---- step -----------------------------------------------------------------------------------

// One attempt with step h. Where continued polynomials or old factors did not do, another start and
// a fresh linearisation may.
flx_status flx_collocation_attempt(flx_integrator *it, const flx_state *x, double h)
{
    collocation *co = it->data;
    bool extrapolate =
        flx_method_of(it)->continues && co->h_last > 0.0 && h <= LONGEST_EXTRAPOLATION * co->h_last;
    flx_collocation_set_step(co, h);
    co->share = co->adds_up ? 1.0 / flx_step_count(it, x->t, h) : 1.0;
    // a step that differs by rounding takes the factors of its like
    if (fabs(h - co->books.h_factored) > 1e-6 * h) co->books.h_factored = 0.0;
    if (co->books.h_factored > 0.0) FLX_TRY(flx_collocation_pay(it));
    bool old = co->linearised && co->books.age > 0;
    int guess = extrapolate ? COLLOCATION_EXTRAPOLATED : COLLOCATION_TAYLOR;
    for (;;) {
        flx_collocation_predict(it, x, (collocation_guess)guess);
        flx_status status = flx_collocation_solve(it, x);
        if (status <= FLX_OK) return status;
        co->linearised = false;
        co->books.h_factored = 0.0;
        // with error control a smaller step is better, unless the factors were to blame
        if (co->adaptive ? !old : guess == COLLOCATION_PLAIN) return status;
        guess = co->adaptive ? COLLOCATION_TAYLOR : guess + 1;
        old = false;
    }
}

// The books on the factors of fixed steps: renewed when the iterations that they cost too much have
// paid for new ones.
static void keep_books(collocation *co)
{
    bool renew = flx_newton_keep_books(&co->books, co->iterations, REFRESH_COST);
    if (co->adaptive) {
        if (co->books.contraction > COLLOCATION_GOOD) co->linearised = false;
    } else if (renew) {
        co->linearised = false;
        co->books.h_factored = 0.0;
    }
}

// out = y0 + sum_i w_i (y_i - y0) of values of the stages that lie `stride` apart; y0 NULL: zero.
static void blend(const collocation_tableau *t, const double *w, const double *y, int stride,
                  const double *y0, int m, double *out)
{
    for (int j = 0; j < m; j++) {
        double start = y0 ? y0[j] : 0.0, sum = 0.0;
        for (int i = 0; i < t->s; i++) sum += w[i] * (y[(size_t)i * stride + j] - start);
        out[j] = start + sum;
    }
}

// Where the last stage is not the end of the step: into point (unknowns), e_v, pull, pull_x.
static void extrapolate(collocation *co, const flx_dims *d, const flx_state *x)
{
    const collocation_stages *st = &co->now;
    int n = co->n, m = d->nv + d->nx;
    double l[COLLOCATION_STAGES];
    flx_collocation_weights_stages(co->tab, 1.0, l);
    blend(co->tab, co->tab->d, st->U, n, NULL, d->nv, co->point);
    blend(co->tab, co->tab->d, st->U + d->nv, n, x->x, d->nx, co->point + d->nv);
    blend(co->tab, l, st->U + m, n, NULL, n - m, co->point + m);
    blend(co->tab, co->tab->d, st->V, d->nv, x->v, d->nv, co->e_v);
    blend(co->tab, l, st->A, d->nv, NULL, d->nv, co->pull);
    blend(co->tab, l, st->dX, d->nx, NULL, d->nx, co->pull_x);
}

// Of methods that do not damp; with error control the error tells.
static void hold_stiff(flx_integrator *it)
{
    collocation *co = it->data;
    if (!co->rings || co->adaptive || co->stiff.nsoft == 0) return;
    flx_stiff_constraints_hold(&co->stiff, co->h);
    if (it->sys->reads_multipliers) flx_stiff_constraints_hold(&co->stiff, 0.0);
    flx_accelerator_hold(co->settler, co->stiff.held, 0.0);
}

// Velocities to the rigid rows and everything else from them. Where the masses do not determine the
// accelerations it stays as the stages leave it.
static flx_status settle(flx_integrator *it, flx_state *x)
{
    collocation *co = it->data;
    hold_stiff(it);
    flx_status status = co->nrigid + co->stiff.nheld > 0
                            ? flx_accelerator_settle(co->settler, it->work, x, &it->stats.residuals,
                                                     &it->stats.linearisations)
                            : flx_accelerator_eval(co->settler, it->work, x, &it->stats.residuals,
                                                   &it->stats.linearisations);
    it->stats.factorisations++;
    if (status <= 0) return status;
    return flx_method_fail(it, status, flx_accelerator_worst(co->settler), 0.0, 0,
                           "the accelerations at the end of a step could not be found",
                           "a smaller step");
}

// The end of the step, from the stages.
static flx_status reach_end(flx_integrator *it, flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int last = co->s - 1;
    bool ends = co->tab->ends;
    if (!ends) extrapolate(co, d, x);
    const double *U = ends ? co->now.U + (size_t)last * co->n : co->point;
    const double *A = ends ? co->now.A + (size_t)last * d->nv : co->pull;
    const double *dX = ends ? co->now.dX + (size_t)last * d->nx : co->pull_x;
    double *q = co->Q + (size_t)last * d->nq,
           *v = ends ? co->now.V + (size_t)last * d->nv : co->e_v;
    s->ops->retract(s, x->q, U, q);
    // Newton stops at the tolerance, or in a singular position: the joints are closed to rounding
    if (co->adaptive || co->stagnated) {
        flx_point p = flx_state_point(s, x);
        p.t = x->t + co->h;
        p.x = U + d->nv;
        p.w = U + d->nv + d->nx;
        p.v = v;
        FLX_TRY(flx_collocation_close(it, &p, q, v, co->ggl));
    }
    memcpy(x->q, q, (size_t)d->nq * sizeof(double));
    memcpy(x->v, v, (size_t)d->nv * sizeof(double));
    memcpy(x->a, A, (size_t)d->nv * sizeof(double));
    memcpy(x->x, U + d->nv, (size_t)d->nx * sizeof(double));
    memcpy(x->dx, dX, (size_t)d->nx * sizeof(double));
    memcpy(x->w, U + d->nv + d->nx, (size_t)d->nw * sizeof(double));
    memcpy(x->lam, U + co->first, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, U + co->first + d->nlam, (size_t)d->nmu * sizeof(double));
    x->t += co->h;
    return FLX_OK;
}

flx_status flx_collocation_finish(flx_integrator *it, flx_state *x)
{
    collocation *co = it->data;
    const flx_state *begin = flx_method_of(it)->after; // not yet moved on
    FLX_TRY(reach_end(it, x));
    flx_status status = co->settler ? settle(it, x) : FLX_OK;
    if (status != FLX_OK) flx_state_copy(x, begin);
    if (status == FLX_SINGULAR) status = reach_end(it, x);
    FLX_TRY(status);
    if (co->rings)
        FLX_TRY(flx_inertialess_velocities(&co->inertialess, it, &co->blocks, x, co->h, true));
    if (co->rings && co->books.age == 0) flx_stiff_constraints_warn(it, &co->stiff, co->h);
    collocation_stages swap = co->last;
    co->last = co->now;
    co->now = swap;
    co->h_last = co->h;
    co->tab_last = co->tab;
    co->between_known = false;
    keep_books(co);
    return FLX_OK;
}

static flx_status fixed_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    FLX_TRY(flx_collocation_attempt(it, x, h));
    FLX_TRY(flx_collocation_finish(it, x));
    *h_taken = h;
    return FLX_OK;
}

flx_status flx_collocation_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    collocation *co = it->data;
    if (!flx_method_of(it)->continues) {
        co->h_last = 0.0;
        co->books.h_factored = 0.0;
        co->linearised = false;
    }
    return co->adaptive ? flx_collocation_control_step(it, x, h, h_taken)
                        : fixed_step(it, x, h, h_taken);
}

// ---- values in between ------------------------------------------------------------------------

// The polynomials through the stages: order s + 1 in q and v at best, s in multipliers, less where
// the method's stages are worth less. Position constraints are closed to rounding.
flx_status flx_collocation_interpolate(flx_integrator *it, double t, flx_state *out)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const flx_state *before = flx_method_of(it)->before;
    double w[COLLOCATION_STAGES + 1], l[COLLOCATION_STAGES], tau = (t - before->t) / co->h_last;
    flx_collocation_weights_with_start(co->tab_last, tau, w);
    flx_collocation_weights_stages(co->tab_last, tau, l);
    flx_state_copy(out, before); // switches are those of the step
    double *theta = flx_method_of(it)->theta;
    const collocation_stages *st = &co->last;
    int n = co->n;
    blend(co->tab_last, w + 1, st->U, n, NULL, d->nv, theta);
    blend(co->tab_last, w + 1, st->V, d->nv, before->v, d->nv, out->v);
    blend(co->tab_last, w + 1, st->U + d->nv, n, before->x, d->nx, out->x);
    blend(co->tab_last, l, st->A, d->nv, NULL, d->nv, out->a);
    blend(co->tab_last, l, st->dX, d->nx, NULL, d->nx, out->dx);
    blend(co->tab_last, l, st->U + d->nv + d->nx, n, NULL, d->nw, out->w);
    blend(co->tab_last, l, st->U + co->first, n, NULL, d->nlam, out->lam);
    blend(co->tab_last, l, st->U + co->first + d->nlam, n, NULL, d->nmu, out->mu);
    s->ops->retract(s, before->q, theta, out->q);
    out->t = t;
    return flx_collocation_close_state(it, out);
}

// ---- checkpoint -----------------------------------------------------------------------------

static void stages_memory(collocation_stages *st, const collocation *co, const flx_dims *d,
                          flx_memory *m)
{
    size_t s = (size_t)co->most;
    flx_memory_numbers(m, st->U, s * (size_t)co->n);
    flx_memory_numbers(m, st->V, s * (size_t)d->nv);
    flx_memory_numbers(m, st->A, s * (size_t)d->nv);
    flx_memory_numbers(m, st->dX, s * (size_t)d->nx);
    flx_memory_numbers(m, st->eta, s * (size_t)d->nlam);
}

// The tableaux in use, which are numbers among those that the method has; -1: none yet.
static void tables_memory(flx_integrator *it, flx_memory *m)
{
    collocation *co = it->data;
    int now = (int)(co->tab - co->table),
        last = co->tab_last ? (int)(co->tab_last - co->table) : -1;
    int next = co->next_order, since = co->since;
    bool few = co->embedded != co->tab->e;
    FLX_PASS(m, now);
    FLX_PASS(m, last);
    FLX_PASS(m, next);
    FLX_PASS(m, since);
    FLX_PASS(m, few);
    if (!flx_memory_loads(m)) return;
    if (now < 0 || now >= co->ntable || last >= co->ntable) {
        flx_memory_fail(m, FLX_ERR_ARGUMENT);
        return;
    }
    flx_collocation_use(it, now);
    co->tab_last = last < 0 ? NULL : &co->table[last];
    co->next_order = next;
    co->since = since;
    co->embedded = few ? co->fewer[now] : co->tab->e;
}

void flx_collocation_memory(flx_integrator *it, flx_memory *m)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    tables_memory(it, m);
    FLX_PASS(m, co->h);
    FLX_PASS(m, co->rates);
    stages_memory(&co->now, co, d, m);
    stages_memory(&co->last, co, d, m);
    FLX_PASS(m, co->h_last);
    flx_blocks_memory(s, &co->blocks, m);
    bool follows =
        (co->real || co->pair[0]) && flx_linear_follows(co->real ? co->real : co->pair[0]);
    if (co->real && !follows) flx_linear_memory(co->real, m);
    for (int k = 0; k < COLLOCATION_STAGES / 2; k++) {
        if (co->pair[k] && !follows) flx_linear_memory(co->pair[k], m);
    }
    if (co->npos) {
        flx_saddle_memory(co->saddle, m);
        flx_saddle_memory(co->between, m);
        flx_blocks_memory(s, &co->between_blocks, m);
    }
    FLX_PASS(m, co->between_known);
    FLX_PASS(m, co->linearised);
    FLX_PASS(m, co->left);
    flx_newton_pass_books(&co->books, m);
    if (flx_memory_loads(m)) co->owed = follows && co->books.h_factored > 0.0;
    FLX_PASS(m, co->warm);
    FLX_PASS(m, co->iterations);
    FLX_PASS(m, co->stagnated);
    FLX_PASS(m, co->rounding);
    if (co->settler) flx_accelerator_memory(co->settler, m);
    flx_inertialess_memory(&co->inertialess, it, m);
    flx_tolerance_memory(&co->tol, d, m);
    flx_memory_numbers(m, co->ww, (size_t)d->nw);
    FLX_PASS(m, co->share);
    FLX_PASS(m, co->velocity_weight);
    flx_stiff_constraints_memory(&co->stiff, m);
    FLX_PASS(m, co->h_next);
    FLX_PASS(m, co->error_last);
    FLX_PASS(m, co->h_error);
    FLX_PASS(m, co->rejected);
}
