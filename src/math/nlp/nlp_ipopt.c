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
} session;

bool flx_nlp_is_there(void)
{
    return true;
}

static Bool value(Index n, Number *x, Bool new_x, Number *f, UserDataPtr user)
{
    const flx_nlp *p = ((session *)user)->p;
    (void)n, (void)new_x;
    return p->value(p->user, x, f);
}

static Bool gradient(Index n, Number *x, Bool new_x, Number *grad, UserDataPtr user)
{
    const flx_nlp *p = ((session *)user)->p;
    (void)n, (void)new_x;
    return p->gradient(p->user, x, grad);
}

static Bool conditions(Index n, Number *x, Bool new_x, Index m, Number *g, UserDataPtr user)
{
    session *s = user;
    (void)n, (void)new_x, (void)m;
    s->report->evaluations++;
    return s->p->conditions(s->p->user, x, g);
}

static Bool jacobian(Index n, Number *x, Bool new_x, Index m, Index count, Index *row, Index *col,
                     Number *values, UserDataPtr user)
{
    const flx_nlp *p = ((session *)user)->p;
    (void)n, (void)new_x, (void)m;
    if (values) return p->jacobian(p->user, x, values);
    memcpy(row, p->jac_row, (size_t)count * sizeof *row);
    memcpy(col, p->jac_col, (size_t)count * sizeof *col);
    return TRUE;
}

static Bool hessian(Index n, Number *x, Bool new_x, Number factor, Index m, Number *eta,
                    Bool new_eta, Index count, Index *row, Index *col, Number *values,
                    UserDataPtr user)
{
    const flx_nlp *p = ((session *)user)->p;
    (void)n, (void)new_x, (void)m, (void)new_eta;
    if (values) return p->hessian(p->user, x, factor, eta, values);
    memcpy(row, p->hess_row, (size_t)count * sizeof *row);
    memcpy(col, p->hess_col, (size_t)count * sizeof *col);
    return TRUE;
}

static Bool watch(Index mode, Index iteration, Number f, Number infeasible, Number unbalanced,
                  Number mu, Number step, Number added, Number alpha_dual, Number alpha,
                  Index trials, UserDataPtr user)
{
    session *s = user;
    (void)mode, (void)mu, (void)step, (void)added, (void)alpha_dual, (void)alpha, (void)trials;
    s->report->iterations = iteration;
    s->report->value = f;
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

flx_status flx_nlp_solve(flx_ctx *ctx, const flx_nlp *p, double *x, double *eta,
                         flx_nlp_report *report)
{
    session s = {p, report};
    size_t n = (size_t)p->n, m = (size_t)p->m;
    *report = (flx_nlp_report){0};
    double *b = flx_alloc(ctx, 2 * n + 2 * m, sizeof *b);
    if (!b) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        b[i] = bounded(p->lower[i]);
        b[n + i] = bounded(p->upper[i]);
    }
    for (size_t i = 0; i < m; i++) {
        b[2 * n + i] = bounded(p->g_lower[i]);
        b[2 * n + m + i] = bounded(p->g_upper[i]);
    }
    pthread_mutex_lock(&one_at_a_time);
    IpoptProblem o =
        CreateIpoptProblem(p->n, b, b + n, p->m, b + 2 * n, b + 2 * n + m, p->njac, p->nhess, 0,
                           value, conditions, gradient, jacobian, hessian);
    enum ApplicationReturnStatus status = Internal_Error;
    if (o) {
        set_whole(o, "print_level", 0);
        set_text(o, "sb", "yes");
        set_whole(o, "max_iter", p->most);
        set_number(o, "tol", p->tolerance);
        set_text(o, "mu_strategy", "adaptive");
        set_number(o, "bound_relax_factor", 0.0);
        SetIntermediateCallback(o, watch);
        status = IpoptSolve(o, x, NULL, &report->value, eta, NULL, NULL, &s);
        FreeIpoptProblem(o);
    }
    pthread_mutex_unlock(&one_at_a_time);
    flx_free(b);
    if (!o || status == Insufficient_Memory)
        return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in IPOPT");
    if (status == Solve_Succeeded || status == Solved_To_Acceptable_Level) return FLX_OK;
    report->ended = reason(status);
    return FLX_NO_CONVERGENCE;
}
