// small_nlopt.c - small nonlinear programs by NLopt. It asks for goal and conditions one after another: both are kept of the
// point that was asked for last.
#include "math/nlp/small_nlp.h"

#include <nlopt.h>
#include <string.h>

typedef struct session {
    const flx_small_nlp *p;
    nlopt_opt opt;
    int calls;
    bool known, sloped; // of x
    double *x, f, *gh, *df, *dgh;
} session;

bool flx_small_nlp_is_there(void)
{
    return true;
}

static void know(session *s, const double *x, bool slopes)
{
    const flx_small_nlp *p = s->p;
    size_t n = (size_t)p->n;
    bool same = s->known && memcmp(x, s->x, n * sizeof *x) == 0;
    if (same && (s->sloped || !slopes)) return;
    memcpy(s->x, x, n * sizeof *x);
    s->known = true;
    s->sloped = slopes;
    s->calls++;
    bool go_on = p->values(p->user, x, &s->f, s->gh, slopes ? s->df : NULL, slopes ? s->dgh : NULL);
    if (!go_on || s->calls >= p->most) nlopt_force_stop(s->opt);
}

static double goal(unsigned n, const double *x, double *df, void *user)
{
    session *s = user;
    know(s, x, df != NULL);
    if (df) memcpy(df, s->df, n * sizeof *df);
    return s->f;
}

static void take(session *s, unsigned m, double *out, unsigned n, const double *x, double *d,
                 int at)
{
    know(s, x, d != NULL);
    memcpy(out, s->gh + at, m * sizeof *out);
    if (d) memcpy(d, s->dgh + (size_t)at * n, (size_t)m * n * sizeof *d);
}

static void conditions(unsigned m, double *out, unsigned n, const double *x, double *d, void *user)
{
    take(user, m, out, n, x, d, 0);
}

static void equations(unsigned m, double *out, unsigned n, const double *x, double *d, void *user)
{
    session *s = user;
    take(s, m, out, n, x, d, s->p->ng);
}

static nlopt_algorithm algorithm(const flx_small_nlp *p)
{
    switch (p->method) {
    case FLX_SMALL_SEPARABLE:
        return NLOPT_LD_CCSAQ;
    case FLX_SMALL_LINEAR:
        return NLOPT_LN_COBYLA;
    case FLX_SMALL_GLOBAL:
        return p->ng + p->nh > 0 ? NLOPT_GN_ISRES : NLOPT_GN_CRS2_LM;
    default:
        return NLOPT_LD_SLSQP;
    }
}

static const char *reason(nlopt_result r, const session *s)
{
    if (s->calls >= s->p->most) return "the number of runs was exceeded";
    switch (r) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED:
        return "steps have become small";
    case NLOPT_ROUNDOFF_LIMITED:
        return "steps have become as small as rounding";
    case NLOPT_FORCED_STOP:
        return "it was interrupted";
    default:
        return "the solver gave up";
    }
}

static bool set_up(session *s, double *initial_step)
{
    const flx_small_nlp *p = s->p;
    bool good = nlopt_set_min_objective(s->opt, goal, s) > 0;
    good = good && nlopt_set_lower_bounds(s->opt, p->lower) > 0;
    good = good && nlopt_set_upper_bounds(s->opt, p->upper) > 0;
    if (p->ng > 0) {
        good = good && nlopt_add_inequality_mconstraint(s->opt, (unsigned)p->ng, conditions, s,
                                                        p->within) > 0;
    }
    if (p->nh > 0) {
        good = good && nlopt_add_equality_mconstraint(s->opt, (unsigned)p->nh, equations, s,
                                                      p->within + p->ng) > 0;
    }
    for (int i = 0; i < p->n; i++) initial_step[i] = 0.1 * (p->upper[i] - p->lower[i]);
    if (p->method == FLX_SMALL_LINEAR)
        good = good && nlopt_set_initial_step(s->opt, initial_step) > 0;
    for (int i = 0; i < p->n; i++) initial_step[i] = p->close * (p->upper[i] - p->lower[i]);
    return good && nlopt_set_xtol_abs(s->opt, initial_step) > 0;
}

flx_status flx_small_nlp_solve(flx_ctx *ctx, const flx_small_nlp *p, double *x, const char **why)
{
    size_t n = (size_t)p->n, m = (size_t)(p->ng + p->nh);
    double *all = flx_alloc(ctx, 3 * n + m + m * n + 1, sizeof *all), best;
    if (!all) return FLX_ERR_MEMORY;
    session s = {.p = p, .x = all, .df = all + n, .gh = all + 3 * n, .dgh = all + 3 * n + m};
    s.opt = nlopt_create(algorithm(p), (unsigned)p->n);
    nlopt_result r = NLOPT_OUT_OF_MEMORY;
    if (s.opt && set_up(&s, all + 2 * n)) {
        nlopt_srand(p->seed);
        r = nlopt_optimize(s.opt, x, &best);
    }
    nlopt_destroy(s.opt);
    flx_free(all);
    *why = reason(r, &s);
    if (r == NLOPT_OUT_OF_MEMORY)
        return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in NLopt");
    return FLX_OK;
}
