// nlp_ipopt.c - nonlinear programs by IPOPT, through its C interface.
#include "math/nlp/nlp.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#define UNBOUNDED 1e19 // what IPOPT takes as no bound

// MUMPS below IPOPT keeps what is one process's: one at a time.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct session {
    const flx_nlp *p;
    flx_nlp_report *report;
    double *x, *eta; // (n) (m) in the units of the caller; owned
} session;

static double unit_of(const double *units, int i)
{
    return units ? units[i] : 1.0;
}

static double unit_f(const flx_nlp *p)
{
    return p->unit_f > 0.0 ? p->unit_f : 1.0;
}

static const double *true_x(const session *s, const double *x)
{
    for (int i = 0; i < s->p->n; i++) s->x[i] = x[i] * unit_of(s->p->unit, i);
    return s->x;
}

bool flx_nlp_is_there(void)
{
    return true;
}

static Bool value(Index n, Number *x, Bool new_x, Number *f, UserDataPtr user)
{
    const session *s = user;
    (void)n, (void)new_x;
    if (!s->p->value(s->p->user, true_x(s, x), f)) return FALSE;
    *f /= unit_f(s->p);
    return TRUE;
}

static Bool gradient(Index n, Number *x, Bool new_x, Number *grad, UserDataPtr user)
{
    const session *s = user;
    (void)new_x;
    if (!s->p->gradient(s->p->user, true_x(s, x), grad)) return FALSE;
    for (int i = 0; i < n; i++) grad[i] *= unit_of(s->p->unit, i) / unit_f(s->p);
    return TRUE;
}

static Bool conditions(Index n, Number *x, Bool new_x, Index m, Number *g, UserDataPtr user)
{
    session *s = user;
    (void)n, (void)new_x;
    s->report->evaluations++;
    if (!s->p->conditions(s->p->user, true_x(s, x), g)) return FALSE;
    for (int i = 0; i < m; i++) g[i] /= unit_of(s->p->unit_g, i);
    return TRUE;
}

static Bool jacobian(Index n, Number *x, Bool new_x, Index m, Index count, Index *row, Index *col,
                     Number *values, UserDataPtr user)
{
    const session *s = user;
    const flx_nlp *p = s->p;
    (void)n, (void)new_x, (void)m;
    if (!values) {
        memcpy(row, p->jac_row, (size_t)count * sizeof *row);
        memcpy(col, p->jac_col, (size_t)count * sizeof *col);
        return TRUE;
    }
    if (!p->jacobian(p->user, true_x(s, x), values)) return FALSE;
    for (int k = 0; k < count; k++)
        values[k] *= unit_of(p->unit, p->jac_col[k]) / unit_of(p->unit_g, p->jac_row[k]);
    return TRUE;
}

static Bool hessian(Index n, Number *x, Bool new_x, Number factor, Index m, Number *eta,
                    Bool new_eta, Index count, Index *row, Index *col, Number *values,
                    UserDataPtr user)
{
    const session *s = user;
    const flx_nlp *p = s->p;
    (void)n, (void)new_x, (void)new_eta;
    if (!values) {
        memcpy(row, p->hess_row, (size_t)count * sizeof *row);
        memcpy(col, p->hess_col, (size_t)count * sizeof *col);
        return TRUE;
    }
    for (int i = 0; i < m; i++) s->eta[i] = eta[i] / unit_of(p->unit_g, i);
    if (!p->hessian(p->user, true_x(s, x), factor / unit_f(p), s->eta, values)) return FALSE;
    for (int k = 0; k < count; k++)
        values[k] *= unit_of(p->unit, p->hess_row[k]) * unit_of(p->unit, p->hess_col[k]);
    return TRUE;
}

static Bool watch(Index mode, Index iteration, Number f, Number infeasible, Number unbalanced,
                  Number mu, Number step, Number added, Number alpha_dual, Number alpha,
                  Index trials, UserDataPtr user)
{
    session *s = user;
    (void)mode, (void)mu, (void)step, (void)added, (void)alpha_dual, (void)alpha, (void)trials;
    s->report->iterations = iteration;
    s->report->value = f * unit_f(s->p);
    s->report->infeasible = infeasible;
    s->report->unbalanced = unbalanced;
    return TRUE;
}

// The interface takes texts that are not const and does not write to them.
static void set_text(IpoptProblem p, const char *key, const char *word)
{
    char k[64], w[64];
    strncpy(k, key, sizeof k - 1);
    strncpy(w, word, sizeof w - 1);
    k[sizeof k - 1] = w[sizeof w - 1] = 0;
    AddIpoptStrOption(p, k, w);
}

static void set_number(IpoptProblem p, const char *key, double x)
{
    char k[64];
    strncpy(k, key, sizeof k - 1);
    k[sizeof k - 1] = 0;
    AddIpoptNumOption(p, k, x);
}

static void set_whole(IpoptProblem p, const char *key, int x)
{
    char k[64];
    strncpy(k, key, sizeof k - 1);
    k[sizeof k - 1] = 0;
    AddIpoptIntOption(p, k, x);
}

// Matrices are scaled here, and their bands are narrow: MUMPS orders them by degrees, and neither permutes nor scales them again.
static void take_narrow_bands(IpoptProblem p)
{
    set_whole(p, "mumps_pivot_order", 0);
    set_whole(p, "mumps_permuting_scaling", 0);
    set_whole(p, "mumps_scaling", 0);
}

static double bounded(double x)
{
    return x < -UNBOUNDED ? -2.0 * UNBOUNDED : x > UNBOUNDED ? 2.0 * UNBOUNDED : x;
}

static const char *reason(enum ApplicationReturnStatus status)
{
    switch (status) {
    case Infeasible_Problem_Detected:
        return "the conditions contradict each other near there";
    case Maximum_Iterations_Exceeded:
        return "the number of iterations was exceeded";
    case Restoration_Failed:
        return "no point was found that meets the conditions better";
    case Diverging_Iterates:
        return "the unknowns grow without bound";
    case Search_Direction_Becomes_Too_Small:
        return "steps have become as small as rounding";
    case Not_Enough_Degrees_Of_Freedom:
        return "there are more conditions than unknowns";
    case Invalid_Number_Detected:
        return "a value is not a number";
    default:
        return "IPOPT gave up";
    }
}

// From x, with bounds (2 n + 2 m): of x, then of the conditions.
static enum ApplicationReturnStatus run(session *s, const char *oracle, double *b, double *x,
                                        double *eta)
{
    const flx_nlp *p = s->p;
    size_t n = (size_t)p->n, m = (size_t)p->m;
    IpoptProblem o =
        CreateIpoptProblem(p->n, b, b + n, p->m, b + 2 * n, b + 2 * n + m, p->njac, p->nhess, 0,
                           value, conditions, gradient, jacobian, hessian);
    if (!o) return Insufficient_Memory;
    set_whole(o, "print_level", 0);
    set_text(o, "sb", "yes");
    set_whole(o, "max_iter", p->most);
    set_number(o, "tol", p->tolerance);
    set_text(o, "mu_strategy", "adaptive");
    set_text(o, "mu_oracle", oracle);
    set_number(o, "bound_relax_factor", 0.0);
    take_narrow_bands(o);
    SetIntermediateCallback(o, watch);
    enum ApplicationReturnStatus status =
        IpoptSolve(o, x, NULL, &s->report->value, eta, NULL, NULL, s);
    s->report->value *= unit_f(p);
    FreeIpoptProblem(o);
    return status;
}

// Steps that lead nowhere, though the problem may have a solution.
static bool goes_astray(enum ApplicationReturnStatus status)
{
    return status == Maximum_Iterations_Exceeded || status == Restoration_Failed;
}

flx_status flx_nlp_solve(flx_ctx *ctx, const flx_nlp *p, double *x, double *eta,
                         flx_nlp_report *report)
{
    size_t n = (size_t)p->n, m = (size_t)p->m;
    *report = (flx_nlp_report){0};
    double *b = flx_alloc(ctx, 4 * n + 4 * m, sizeof *b);
    if (!b) return FLX_ERR_MEMORY;
    double *again = b + 3 * n + 3 * m, *eta_again = again + n;
    session s = {.p = p, .report = report, .x = b + 2 * n + 2 * m, .eta = b + 3 * n + 2 * m};
    for (size_t i = 0; i < n; i++) {
        double unit = unit_of(p->unit, (int)i);
        b[i] = bounded(p->lower[i] / unit);
        b[n + i] = bounded(p->upper[i] / unit);
        again[i] = x[i] /= unit;
    }
    for (size_t i = 0; i < m; i++) {
        double unit = unit_of(p->unit_g, (int)i);
        b[2 * n + i] = bounded(p->g_lower[i] / unit);
        b[2 * n + m + i] = bounded(p->g_upper[i] / unit);
    }
    pthread_mutex_lock(&one_at_a_time);
    enum ApplicationReturnStatus status = run(&s, "quality-function", b, x, eta);
    if (goes_astray(status)) { // another way may get through
        flx_nlp_report first = *report;
        enum ApplicationReturnStatus other = run(&s, "loqo", b, again, eta_again);
        if (other == Solve_Succeeded || other == Solved_To_Acceptable_Level) {
            status = other;
            memcpy(x, again, n * sizeof *x);
            memcpy(eta, eta_again, m * sizeof *eta);
        } else {
            first.evaluations = report->evaluations;
            *report = first;
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
    for (size_t i = 0; i < n; i++) x[i] *= unit_of(p->unit, (int)i);
    for (size_t i = 0; i < m; i++) eta[i] *= unit_f(p) / unit_of(p->unit_g, (int)i);
    flx_free(b);
    if (status == Insufficient_Memory)
        return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in IPOPT");
    if (status == Solve_Succeeded || status == Solved_To_Acceptable_Level) return FLX_OK;
    report->ended = reason(status);
    return FLX_NO_CONVERGENCE;
}
