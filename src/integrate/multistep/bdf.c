// bdf.c - backward differentiation of variable order 1 to 5 by SUNDIALS' IDA, on the residual
//
//     F(t, y, y') = 0,   y = (q, v, x, w, lambda, mu, eta)                               (BDF-2)
//     0 = q' - T(q) (v - G^T eta)
//     0 = M v' - f + G^T lambda + A^T mu,   0 = x' - phi,   0 = psi
//     0 = G v + g_t,   0 = A v + b - E mu,   0 = g
// Constraints are stabilised (GGL): their rates and the positions themselves, with eta = 0 up to the error
// of the method. Constraints with C > 0 or tau > 0 stay as they are, with eta = 0. Quaternions are
// components, normalised where they are used. Algebraic unknowns are not in the error test.
//
// Source: Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
// ACM TOMS 31 (2005); Gear, Gupta, Leimkuhler, JCAM 12 (1985). Theory: docs/theory/integrators.md.
#include "integrate/multistep/bdf.h"
#include "integrate/multistep/multistep.h"
#include "integrate/tolerance.h"

#include <float.h>
#include <math.h>

#define HIGHEST_ORDER 5
#define MOST_FAILURES 20
// Of the tolerance, what a step may err by: the steps are many, and their errors add up.
#define SHARE 0.4
// The iteration is judged by the positions, which say the same as eta does: the rounding of eta itself
// grows as the step shrinks, and the weights are those of the step that was tried first.
#define ETA_WEIGHT 1e-3

// ---- residual -------------------------------------------------------------------------------

static void normalise(flx_integrator *it, const double *q)
{
    bdf *p = it->data;
    bdf_copy(p->q, q, it->sys->dims.nq);
    if (it->sys->ops->components) it->sys->ops->components->normalise(it->sys, p->q);
}

void flx_bdf_rate_of(const flx_system *s, const double *q, const double *v, double *dq)
{
    if (s->ops->components) {
        s->ops->components->rate(s, q, v, dq);
    } else {
        bdf_copy(dq, v, s->dims.nv);
    }
}

flx_point flx_bdf_point_of(flx_integrator *it, double t, const double *y, const double *yp)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    normalise(it, y);
    const double *u = y + p->u;
    return (flx_point){.t = t,
                       .q = p->q,
                       .v = y + p->v,
                       .a = yp + p->v,
                       .x = u,
                       .dx = yp + p->u,
                       .w = u + d->nx,
                       .lam = u + d->nx + d->nw,
                       .mu = u + d->nx + d->nw + d->nlam,
                       .param = it->sys->param,
                       .switches = p->trial->switches};
}

static flx_status eval_constraints(flx_integrator *it, const flx_point *pt, const double *y,
                                   double *F)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double *lam = F + p->u + s->dims.nx + s->dims.nw;
    FLX_TRY(s->ops->constraint_rate(s, it->work, pt, p->g));
    for (int i = 0; i < s->dims.nlam; i++) {
        F[p->eta + i] = p->stabilised[i] ? lam[i] : y[p->eta + i];
        if (p->stabilised[i]) lam[i] = p->g[i];
    }
    FLX_TRY(s->ops->constraint_force(s, it->work, pt, y + p->eta, p->s));
    for (int i = 0; i < s->dims.nv; i++) p->s[i] = pt->v[i] - p->s[i];
    return FLX_OK;
}

// (BDF-2)
static flx_status eval(flx_integrator *it, double t, const double *y, const double *yp, double *F)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    flx_point pt = flx_bdf_point_of(it, t, y, yp);
    const double *speed = pt.v;
    it->stats.residuals++;
    FLX_TRY(s->ops->residual(s, it->work, &pt, F + p->v));
    if (p->nb > 0) {
        FLX_TRY(eval_constraints(it, &pt, y, F));
        speed = p->s;
    }
    flx_bdf_rate_of(s, y, speed, F);
    for (int i = 0; i < s->dims.nq; i++) F[i] = yp[i] - F[i];
    for (int i = 0; i < p->ny; i++) {
        if (!isfinite(F[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

static int residual(double t, N_Vector y, N_Vector yp, N_Vector F, void *user)
{
    flx_integrator *it = user;
    flx_status s =
        eval(it, t, flx_sundials_values(y), flx_sundials_values(yp), flx_sundials_values(F));
    if (s != FLX_OK) ((bdf *)it->data)->trouble = s;
    return flx_sundials_answer(s);
}

// Weights follow the index: what is of index k has an error larger by h^(1-k).
static int weigh(N_Vector y, N_Vector w, void *user)
{
    const flx_integrator *it = user;
    const bdf *p = it->data;
    const double *value = flx_sundials_values(y);
    double *weight = flx_sundials_values(w), h = 0.0;
    int first = it->sys->dims.nv + it->sys->dims.nx;
    if (IDAGetCurrentStep(p->ida, &h) != IDA_SUCCESS || !(h > 0.0)) h = p->h;
    for (int i = 0; i < p->ny; i++) weight[i] = 1.0 / (p->rtol * fabs(value[i]) + p->atol);
    for (int i = 0; i < it->sys->dims.nv; i++) {
        if (p->index[i] > 1) weight[p->v + i] *= h;
    }
    for (int i = first; i < p->n; i++) {
        double scale = p->rtol * fabs(value[p->v + i]) + p->tolerance[i];
        weight[p->v + i] = (p->index[i] > 1 ? h : 1.0) / scale;
    }
    for (int i = p->eta; i < p->ny; i++) weight[i] = ETA_WEIGHT * h / p->atol;
    return 0;
}

// ---- life -----------------------------------------------------------------------------------

static void bdf_destroy(flx_integrator *it)
{
    bdf *p = it->data;
    if (p->ida) IDAFree(&p->ida);
    if (p->solver) SUNLinSolFreeEmpty(p->solver);
    if (p->matrix) SUNMatFreeEmpty(p->matrix);
    flx_sundials_close(&p->sun);
    flx_linear_destroy(&p->linear);
    flx_saddle_destroy(&p->saddle);
    for (int i = 0; i < BDF_PLACES; i++) flx_saddle_destroy(&p->joints[i].saddle);
    flx_blocks_destroy(&p->blocks);
    flx_blocks_destroy(&p->near);
    flx_blocks_destroy(&p->turning);
    flx_state_destroy(&p->trial);
    flx_free(p->stabilised);
    flx_free(p->tolerance);
    flx_free(p->index);
    flx_free(p->q);
    flx_free(p->r);
    flx_free(p->b);
    flx_free(p->s);
    flx_free(p->g);
    flx_free(p->shift);
    flx_free(p->speed);
    flx_free(p->rest);
    flx_free(p->turn);
    flx_free(p);
    it->data = NULL;
}

static flx_status refuse(flx_integrator *it)
{
    const flx_system *s = it->sys;
    flx_method_ignores_newton_tolerance(it);
    if (it->def.formulation == FLX_FORMULATION_INDEX3) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'bdf' cannot take constraints as positions alone (index-3); use "
                        "formulation ggl, or methods radau and generalized-alpha");
    }
    if (s->dims.nq > s->dims.nv && !s->ops->components) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'bdf' needs rotations by components; system '%s' has none",
                        s->ops->name);
    }
    return FLX_OK;
}

// Which constraints are stabilised, and how large an error of each algebraic unknown may be.
static flx_status look_at_unknowns(flx_integrator *it)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    for (int i = 0; i < p->n; i++) {
        flx_unknown u = {0};
        it->sys->ops->unknown(it->sys, i, &u);
        p->index[i] = u.index;
        p->tolerance[i] = p->atol;
        if (u.kind == FLX_UNKNOWN_CONSTRAINT && u.C > 0.0)
            p->tolerance[i] = p->atol * u.scale / u.C;
        if (u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && u.E > 0.0) {
            p->tolerance[i] = p->atol * u.scale / u.E;
        }
        if (!flx_constraint_on_position(&u)) continue;
        p->stabilised[i - d->nv - d->nx - d->nw] = true;
        p->nb++;
    }
    if (p->nb > 0 && it->def.formulation == FLX_FORMULATION_INDEX1) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'bdf' solves constraints in formulation ggl; adams, dopri5 and "
                        "dop853 solve them on acceleration level (index-1) and project");
    }
    return FLX_OK;
}

static void read_rows(flx_integrator *it, const double *switches)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    int first = flx_dims_first_constraint(d);
    for (int i = first; i < p->n; i++) {
        flx_unknown u = {0};
        flx_unknown_at(it->sys, switches, i, &u);
        p->index[i] = u.index;
        if (i < first + d->nlam) p->stabilised[i - first] = flx_constraint_on_position(&u);
    }
    for (int i = 0; i < BDF_PLACES; i++) p->joints[i].there = false;
}

static flx_status make_arrays(flx_integrator *it)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int most = p->eta + d->nlam;
    const struct {
        double **at;
        int n;
    } want[] = {{&p->q, d->nq},
                {&p->r, p->n > d->nq ? p->n : d->nq},
                {&p->b, p->n},
                {&p->s, p->n},
                {&p->g, d->nlam > d->nq ? d->nlam : d->nq},
                {&p->shift, d->nv},
                {&p->tolerance, p->n},
                {&p->speed, d->nv},
                {&p->rest, most},
                {&p->turn, most}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].at = flx_alloc(it->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].at) return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < d->nv; i++) p->shift[i] = 1.0;
    p->index = flx_alloc(it->ctx, (size_t)p->n, sizeof *p->index);
    p->stabilised = flx_alloc(it->ctx, (size_t)d->nlam, sizeof *p->stabilised);
    if (!p->index || !p->stabilised) return FLX_ERR_MEMORY;
    FLX_TRY(look_at_unknowns(it));
    FLX_TRY(flx_blocks_create(s, &p->blocks));
    if (p->nb > 0) FLX_TRY(flx_blocks_create(s, &p->near));
    flx_method_of(it)->closes_velocities = p->nb > 0;
    if (p->nb > 0) FLX_TRY(flx_blocks_create(s, &p->turning));
    FLX_TRY(flx_linear_create(s, false, &p->linear));
    flx_linear_take_full(p->linear); // IDA gives up where a correction does not shrink at once
    if (p->nb > 0) FLX_TRY(flx_saddle_create(s, &p->saddle));
    for (int i = 0; i < BDF_PLACES && p->nb > 0; i++) {
        FLX_TRY(flx_saddle_create(s, &p->joints[i].saddle));
    }
    return flx_state_create(s, &p->trial);
}

// q, v and x are differential, but for velocities without inertia; the others are not in the error test.
static void mark_differential(const flx_integrator *it, double *id)
{
    const bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    for (int i = 0; i < p->ny; i++) id[i] = i < d->nq + d->nv + d->nx ? 1.0 : 0.0;
    for (int i = 0; i < d->nv; i++) {
        if (p->index[i] > 1) id[p->v + i] = 0.0;
    }
}

// A velocity that no mass and no damping is of follows from a balance of positions, by one differentiation: index 2.
static flx_status find_light(flx_integrator *it, const flx_state *x)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const flx_pattern *m = &s->pattern;
    flx_point at = flx_state_point(s, x);
    FLX_TRY(s->ops->linearise(s, it->work, &at, &p->blocks));
    for (int b = 0; b < m->nblock && m->start[b] < s->dims.nv; b++) {
        int n = m->start[b + 1] - m->start[b];
        for (int e = m->row[b]; e < m->row[b + 1]; e++) {
            if (m->col[e] != b) continue;
            for (int k = 0; k < n; k++) {
                int own = m->offset[e] + k * (n + 1);
                bool light = p->blocks.A2[own] == 0.0 && p->blocks.A1[own] == 0.0;
                p->index[m->start[b] + k] = light ? 2 : 0;
            }
        }
    }
    mark_differential(it, flx_sundials_values(p->sun.other[1]));
    if (IDASetId(p->ida, p->sun.other[1]) == IDA_SUCCESS) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

static flx_status make_solver(flx_integrator *it)
{
    bdf *p = it->data;
    FLX_TRY(flx_sundials_open(it, p->ny, 3, &p->sun));
    N_Vector yp = p->sun.other[0], id = p->sun.other[1];
    mark_differential(it, flx_sundials_values(id));
    p->ida = IDACreate(p->sun.context);
    bool made = p->ida && flx_bdf_make_matrix(it);
    made = made && IDASetErrHandlerFn(p->ida, flx_sundials_hush, NULL) == IDA_SUCCESS;
    made = made && IDAInit(p->ida, residual, 0.0, p->sun.y, yp) == IDA_SUCCESS;
    made = made && IDASetUserData(p->ida, it) == IDA_SUCCESS;
    made = made && IDAWFtolerances(p->ida, weigh) == IDA_SUCCESS;
    made = made && IDASetLinearSolver(p->ida, p->solver, p->matrix) == IDA_SUCCESS;
    made = made && IDASetJacFn(p->ida, flx_bdf_fill) == IDA_SUCCESS;
    made = made && IDASetId(p->ida, id) == IDA_SUCCESS;
    made = made && IDASetSuppressAlg(p->ida, SUNTRUE) == IDA_SUCCESS;
    made = made && IDASetMaxErrTestFails(p->ida, MOST_FAILURES) == IDA_SUCCESS;
    made = made && IDASetMaxConvFails(p->ida, MOST_FAILURES) == IDA_SUCCESS;
    made = made && IDASetMaxNumSteps(p->ida, -1) == IDA_SUCCESS; // ours counts
    if (made && it->def.max_order > 0) {
        made = IDASetMaxOrd(p->ida, it->def.max_order) == IDA_SUCCESS;
    }
    if (made && it->def.max_step > 0.0) {
        made = IDASetMaxStep(p->ida, it->def.max_step) == IDA_SUCCESS;
    }
    return made ? FLX_OK : FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

static flx_status bdf_create(flx_integrator *it)
{
    const flx_dims *d = &it->sys->dims;
    FLX_TRY(refuse(it));
    bdf *p = flx_alloc(it->ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    it->data = p;
    flx_method_of(it)->read_rows = read_rows;
    p->n = flx_dims_unknowns(d);
    p->v = d->nq;
    p->u = p->v + d->nv;
    p->eta = p->v + p->n;
    p->rtol = SHARE * (it->def.rtol > 0.0 ? it->def.rtol : FLX_DEFAULT_RTOL);
    p->atol = SHARE * (it->def.atol > 0.0 ? it->def.atol : FLX_DEFAULT_ATOL);
    FLX_TRY(make_arrays(it));
    p->ny = p->eta + (p->nb > 0 ? d->nlam : 0);
    return make_solver(it);
}

static int bdf_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    flx_multistep_bdf(HIGHEST_ORDER, out);
    return 1;
}

// ---- step -----------------------------------------------------------------------------------

static void pack(flx_integrator *it, const flx_state *x)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    double *y = flx_sundials_values(p->sun.y), *yp = flx_sundials_values(p->sun.other[0]);
    memset(y, 0, (size_t)p->ny * sizeof *y);
    memset(yp, 0, (size_t)p->ny * sizeof *yp);
    bdf_copy(y, x->q, d->nq);
    flx_bdf_rate_of(it->sys, x->q, x->v, yp);
    bdf_copy(y + p->v, x->v, d->nv);
    bdf_copy(yp + p->v, x->a, d->nv);
    double *u = y + p->u;
    bdf_copy(u, x->x, d->nx);
    bdf_copy(yp + p->u, x->dx, d->nx);
    bdf_copy(u + d->nx, x->w, d->nw);
    bdf_copy(u + d->nx + d->nw, x->lam, d->nlam);
    bdf_copy(u + d->nx + d->nw + d->nlam, x->mu, d->nmu);
}

static void unpack(flx_integrator *it, double t, const double *y, const double *yp, flx_state *x)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *u = y + p->u;
    x->t = t;
    normalise(it, y);
    bdf_copy(x->q, p->q, d->nq);
    bdf_copy(x->v, y + p->v, d->nv);
    bdf_copy(x->a, yp + p->v, d->nv);
    bdf_copy(x->x, u, d->nx);
    bdf_copy(x->dx, yp + p->u, d->nx);
    bdf_copy(x->w, u + d->nx, d->nw);
    bdf_copy(x->lam, u + d->nx + d->nw, d->nlam);
    bdf_copy(x->mu, u + d->nx + d->nw + d->nlam, d->nmu);
}

// The unknown that failed the error test by most, or -1.
static int find_worst(flx_integrator *it)
{
    const bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    N_Vector error = p->sun.other[2], weight = p->sun.other[1];
    int worst = -1;
    double most = 0.0;
    if (IDAGetEstLocalErrors(p->ida, error) != IDA_SUCCESS) return -1;
    if (IDAGetErrWeights(p->ida, weight) != IDA_SUCCESS) return -1;
    const double *e = flx_sundials_values(error), *w = flx_sundials_values(weight);
    for (int i = 0; i < d->nq + d->nv + d->nx; i++) {
        double size = fabs(e[i] * w[i]);
        int unknown = i >= p->v ? i - p->v : d->nq == d->nv ? i : -1;
        if (unknown < 0 || !(size > most)) continue;
        most = size;
        worst = unknown;
    }
    return worst;
}

static flx_status explain(flx_integrator *it, int flag)
{
    const bdf *p = it->data;
    switch (flag) {
    case IDA_MEM_FAIL:
        return FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
    case IDA_LINIT_FAIL:
        if (p->trouble < 0) return p->trouble;
        return flx_method_fail(it, p->trouble > 0 ? p->trouble : FLX_NO_CONVERGENCE, -1, 0, 0,
                               p->trouble > 0 ? NULL : "Newton's iteration did not converge",
                               "method radau, or larger tolerances");
    case IDA_TOO_MUCH_ACC:
        return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0, 0,
                               "the tolerance is below what rounding allows", "larger tolerances");
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
        if (p->trouble < 0) return p->trouble;
        return flx_method_fail(it, p->trouble, -1, 0, 0, NULL, "method radau");
    default:
        return flx_method_fail(it, FLX_STEP_TOO_SMALL, find_worst(it), 0, 0,
                               "the step became too small",
                               "larger tolerances, and look for a jump in a force");
    }
}

// The first step: between the one that changes y by half a tolerance, which is what IDA takes, and a
// thousandth of the way.
static double first_step(const flx_integrator *it, double h_most)
{
    const bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *y = flx_sundials_values(p->sun.y), *yp = flx_sundials_values(p->sun.other[0]);
    int n = d->nq + d->nv + d->nx;
    double sum = 0.0, most = 1e-3 * h_most;
    if (it->def.initial_step > 0.0) return fmin(it->def.initial_step, h_most);
    for (int i = 0; i < n; i++) {
        double size = yp[i] / (p->rtol * fabs(y[i]) + p->atol);
        sum += size * size;
    }
    return fmin(most, sqrt(0.5 * most / fmax(sqrt(sum / n), DBL_MIN)));
}

static flx_status start(flx_integrator *it, const flx_state *x, double h_most)
{
    bdf *p = it->data;
    FLX_TRY(find_light(it, x));
    pack(it, x);
    p->h = first_step(it, h_most);
    for (int i = 0; i < BDF_PLACES; i++) p->joints[i].there = false;
    if (IDAReInit(p->ida, x->t, p->sun.y, p->sun.other[0]) != IDA_SUCCESS ||
        IDASetInitStep(p->ida, p->h) != IDA_SUCCESS) {
        return FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    }
    p->started = true;
    return FLX_OK;
}

// Rejected steps, failures of the iteration, iterations since the start.
static void get_work(const bdf *p, long count[3])
{
    count[0] = count[1] = count[2] = 0;
    (void)IDAGetNumErrTestFails(p->ida, &count[0]);
    (void)IDAGetNumNonlinSolvConvFails(p->ida, &count[1]);
    (void)IDAGetNumNonlinSolvIters(p->ida, &count[2]);
}

static flx_status bdf_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken)
{
    bdf *p = it->data;
    N_Vector yp = p->sun.other[0];
    double t = x->t;
    long before[3], after[3];
    flx_state_copy(p->trial, x);
    h_most = fmin(h_most, flx_method_of(it)->longest);
    p->trouble = FLX_OK;
    if (!flx_method_of(it)->continues || !p->started) FLX_TRY(start(it, x, h_most));
    get_work(p, before);
    int flag = IDASetMinStep(p->ida, flx_sundials_smallest(t, h_most));
    if (flag == IDA_SUCCESS) flag = IDASetStopTime(p->ida, t + h_most);
    if (flag == IDA_SUCCESS) flag = IDASolve(p->ida, t + h_most, &t, p->sun.y, yp, IDA_ONE_STEP);
    get_work(p, after);
    it->stats.rejected += after[0] - before[0];
    it->stats.newton_failures += after[1] - before[1];
    it->stats.newton_iterations += after[2] - before[2];
    flx_status s = flag < 0 ? explain(it, flag) : FLX_OK;
    if (s == FLX_OK) {
        unpack(it, t, flx_sundials_values(p->sun.y), flx_sundials_values(yp), p->trial);
        s = flx_bdf_close_joints(it, p->trial, &p->joints[BDF_AT_STEPS]);
    }
    if (s != FLX_OK) {
        (void)IDAGetCurrentStep(p->ida, h_taken); // the one tried last
        p->started = false;
        return s;
    }
    *h_taken = t - x->t;
    flx_state_copy(x, p->trial);
    return FLX_OK;
}

static flx_status bdf_interpolate(flx_integrator *it, double t, flx_state *out)
{
    bdf *p = it->data;
    N_Vector y = p->sun.other[2], yp = p->sun.other[1];
    flx_state_copy(p->trial, flx_method_of(it)->before); // switches are those of the step
    if (IDAGetDky(p->ida, t, 0, y) != IDA_SUCCESS || IDAGetDky(p->ida, t, 1, yp) != IDA_SUCCESS) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "bdf: t = %.9g is not inside the last step", t);
    }
    unpack(it, t, flx_sundials_values(y), flx_sundials_values(yp), p->trial);
    FLX_TRY(flx_bdf_close_joints(it, p->trial, &p->joints[BDF_INSIDE]));
    flx_state_copy(out, p->trial);
    return FLX_OK;
}

const flx_integrator_type flx_bdf = {
    .name = "bdf",
    .summary = "backward differentiation, order 1 to 5 (SUNDIALS IDA), constraints in GGL form",
    .order = HIGHEST_ORDER,
    .adaptive = 1,
    .coefficients = bdf_coefficients,
    .create = bdf_create,
    .step = bdf_step,
    .interpolate = bdf_interpolate,
    .destroy = bdf_destroy,
};
