// discrete_lagrangian.c - variational methods: their life, one step, values in between; see
// discrete_lagrangian.h for the equations.
#include "integrate/variational/discrete_parts.h"

#include <math.h>
#include <string.h>

// Iterations that a fresh linearisation with its factors is worth.
#define REFRESH_COST 4
// From this degree on the polynomial of the step is better than the Hermite one of its ends.
#define OWN_POLYNOMIAL 4

// ---- life -----------------------------------------------------------------------------------

void flx_discrete_destroy(flx_integrator *it)
{
    discrete *g = it->data;
    double *const owned[] = {
        g->scale,   g->tau,    g->now.all, g->step.all, g->X_last, g->p,           g->D,
        g->impulse, g->R,      g->C,       g->r,        g->d,      g->zero,        g->theta,
        g->rate,    g->v,      g->u,       g->minus,    g->q,      g->xs,          g->eta,
        g->q_rest,  g->p_rest, g->q_next,  g->p_next,   g->packed, g->packed_rate, g->shift};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_free(g->z);
    flx_free(g->on_position);
    flx_free(g->on_rate);
    flx_stiff_constraints_destroy(&g->stiff);
    flx_anderson_destroy(&g->anderson);
    flx_blocks_destroy(&g->blocks);
    flx_blocks_destroy(&g->end_blocks);
    for (int k = 0; k < DISCRETE_DEGREE; k++) flx_linear_destroy(&g->lin[k]);
    flx_saddle_destroy(&g->saddle);
    flx_accelerator_destroy(&g->acc);
    flx_relaxer_destroy(&g->relaxer);
    flx_state_destroy(&g->end);
    flx_free(g);
    it->data = NULL;
}

static void lay_out(const discrete *g, const flx_dims *d, unknowns *u)
{
    int m = g->rule.force.n, deg = g->rule.s;
    u->X = u->all;
    u->node_lam = u->X + deg * d->nv;
    u->K = u->node_lam + deg * d->nlam;
    u->W = u->K + m * d->nx;
    u->lam = u->W + m * d->nw;
    u->mu = u->lam + m * d->nlam;
}

static flx_status make_arrays(const flx_system *s, discrete *g)
{
    const flx_dims *d = &s->dims;
    int n = g->n, deg = g->rule.s;
    int nz = s->ops->explicit_form ? s->ops->explicit_form->size(s) : 0;
    g->nU = deg * (d->nv + d->nlam) + g->rule.force.n * (d->nx + d->nw + d->nlam + d->nmu);
    const struct {
        double **array;
        int n;
    } want[] = {{&g->scale, n},
                {&g->tau, d->nlam},
                {&g->now.all, g->nU},
                {&g->step.all, g->nU},
                {&g->X_last, deg * d->nv},
                {&g->p, d->nv},
                {&g->q_rest, d->nv},
                {&g->p_rest, d->nv},
                {&g->q_next, d->nv},
                {&g->p_next, d->nv},
                {&g->D, (deg + 1) * d->nv},
                {&g->impulse, d->nv},
                {&g->R, deg * n},
                {&g->C, deg * n},
                {&g->r, n},
                {&g->d, n},
                {&g->zero, n},
                {&g->theta, d->nv},
                {&g->rate, d->nv},
                {&g->v, d->nv},
                {&g->u, d->nv},
                {&g->minus, d->nv},
                {&g->q, d->nq},
                {&g->xs, d->nx},
                {&g->eta, d->nlam},
                {&g->packed, nz},
                {&g->packed_rate, nz}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].array = flx_alloc(s->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].array) return FLX_ERR_MEMORY;
    }
    lay_out(g, d, &g->now);
    lay_out(g, d, &g->step);
    FLX_TRY(flx_anderson_create(s->ctx, g->nU, &g->anderson));
    g->z = flx_alloc(s->ctx, (size_t)n, sizeof *g->z);
    g->on_position = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *g->on_position);
    g->on_rate = flx_alloc(s->ctx, (size_t)(d->nlam + d->nmu), sizeof *g->on_rate);
    return g->z && g->on_position && g->on_rate ? FLX_OK : FLX_ERR_MEMORY;
}

// What the unknowns are; the number of those that need the points of forces for themselves.
static int read_unknowns(const flx_system *s, discrete *g)
{
    const flx_dims *d = &s->dims;
    int others = d->nx + d->nw + d->nmu, nrate = 0;
    for (int i = 0; i < g->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        g->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < g->first) continue;
        int k = i - g->first;
        g->on_rate[k] = u.kind == FLX_UNKNOWN_CONSTRAINT ? u.tau != 0.0 && u.C == 0.0 : u.E == 0.0;
        nrate += g->on_rate[k];
        if (u.kind != FLX_UNKNOWN_CONSTRAINT) continue;
        g->tau[k] = u.tau;
        g->on_position[k] = flx_constraint_on_position(&u);
        g->npos += g->on_position[k];
        others += !g->on_position[k];
    }
    g->halves = nrate > 0 && g->rule.s == 1 && g->rule.force.c[0] != g->rule.w[1];
    return others;
}

static flx_status check_system(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    if (!s->ops->lagrangian) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' needs the momenta of the system; '%s' does not give them: use "
                        "radau or generalized-alpha",
                        it->type->name, s->ops->name);
    }
    if (s->reads_multipliers == FLX_READS_INERTIA) {
        return FLX_FAIL(
            it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "method '%s' needs the Lagrangian of the system, and inertia that is not symmetric "
            "has none: use radau",
            it->type->name);
    }
    if (def->formulation != FLX_FORMULATION_AUTO && def->formulation != FLX_FORMULATION_INDEX3) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s' has its own formulation, with joints closed in positions and "
                        "velocities: leave `formulation` out",
                        it->type->name);
    }
    flx_method_ignores_newton_tolerance(it);
    return flx_method_refuse_contacts(it);
}

flx_status flx_discrete_create(flx_integrator *it, const discrete_rule *rule)
{
    const flx_system *s = it->sys;
    FLX_TRY(check_system(it));
    discrete *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    g->rule = *rule;
    g->n = flx_dims_unknowns(&s->dims);
    g->first = flx_dims_first_constraint(&s->dims);
    FLX_TRY(make_arrays(s, g));
    int others = read_unknowns(s, g);
    FLX_TRY(flx_stiff_constraints_create(s, &g->stiff));
    if (others > 0 && rule->force.n != rule->s) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s': states, algebraic unknowns, compliant and velocity-level "
                        "constraints need "
                        "as many points of quadrature as the degree; leave `quadrature` out",
                        it->type->name);
    }
    FLX_TRY(flx_blocks_create(s, &g->blocks));
    FLX_TRY(flx_blocks_create(s, &g->end_blocks));
    for (int k = 0; k < rule->neigen; k++) {
        FLX_TRY(flx_linear_create(s, k >= rule->nreal, &g->lin[k]));
    }
    FLX_TRY(flx_saddle_create(s, &g->saddle));
    FLX_TRY(flx_accelerator_create(s, &g->acc));
    FLX_TRY(flx_state_create(s, &g->end));
    flx_method_of(it)->closes_velocities = true;
    flx_point anywhere = flx_state_point(s, g->end); // does it know the rates of its masses?
    FLX_TRY(s->ops->lagrangian->transport(s, it->work, &anywhere, g->u));
    return flx_discrete_find_missing_masses(it);
}

// ---- step -----------------------------------------------------------------------------------

flx_status flx_discrete_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    bool continues = flx_method_of(it)->continues;
    g->h = h;
    if (g->books.h_factored > 0.0 && fabs(h - g->books.h_factored) > 1e-6 * h)
        g->books.h_factored = 0.0;
    if (!continues) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->p));
        memset(g->q_rest, 0, (size_t)s->dims.nv * sizeof(double));
        memset(g->p_rest, 0, (size_t)s->dims.nv * sizeof(double));
        g->books.h_factored = 0.0;
    }
    flx_discrete_predict(it, x, continues);
    int iterations = 0;
    flx_status status = flx_discrete_solve(it, x, &iterations);
    if (status == FLX_OK) status = flx_discrete_finish(it, x);
    if (status != FLX_OK) {
        g->books.h_factored = 0.0;
        return status;
    }
    if (flx_newton_keep_books(&g->books, iterations, REFRESH_COST)) g->books.h_factored = 0.0;
    memcpy(g->p, g->u, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->q_rest, g->q_next, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->p_rest, g->p_next, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->X_last, g->now.X, (size_t)(g->rule.s * s->dims.nv) * sizeof(double));
    g->h_last = h;
    flx_state_copy(x, g->end);
    *h_taken = h;
    return FLX_OK;
}

// ---- values in between ----------------------------------------------------------------------

// The polynomial of the step, q of order s + 1 and v of order s.
static void follow_polynomial(flx_integrator *it, double tau, flx_state *out)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    int nv = s->dims.nv;
    double N[DISCRETE_DEGREE + 1], dN[DISCRETE_DEGREE + 1];
    flx_discrete_rule_basis(&g->rule, tau, N, dN);
    memset(g->theta, 0, (size_t)nv * sizeof(double));
    memset(g->rate, 0, (size_t)nv * sizeof(double));
    for (int j = 1; j <= g->rule.s; j++) {
        discrete_add(g->theta, N[j], g->X_last + (size_t)(j - 1) * nv, nv);
        discrete_add(g->rate, dN[j] / g->h_last, g->X_last + (size_t)(j - 1) * nv, nv);
    }
    s->ops->retract(s, flx_method_of(it)->before->q, g->theta, out->q);
    s->ops->velocity(s, g->theta, g->rate, out->v);
}

flx_status flx_discrete_interpolate(flx_integrator *it, double t, flx_state *out)
{
    discrete *g = it->data;
    flx_method *m = flx_method_of(it);
    flx_hermite(it->sys, m->before, m->after, t, m->theta, m->rate, out);
    if (g->rule.s >= OWN_POLYNOMIAL) follow_polynomial(it, (t - m->before->t) / g->h_last, out);
    FLX_TRY(flx_discrete_close(it, out));
    return flx_discrete_accelerations(it, out);
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_discrete_memory(flx_integrator *it, flx_memory *m)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    size_t nv = (size_t)s->dims.nv;
    flx_memory_numbers(m, g->now.all, (size_t)g->nU);
    flx_memory_numbers(m, g->X_last, (size_t)g->rule.s * nv);
    FLX_PASS(m, g->h_last);
    flx_memory_numbers(m, g->p, nv);
    flx_memory_numbers(m, g->q_rest, nv);
    flx_memory_numbers(m, g->p_rest, nv);
    flx_blocks_memory(s, &g->blocks, m);
    for (int k = 0; k < g->rule.neigen; k++) flx_linear_memory(g->lin[k], m);
    flx_blocks_memory(s, &g->end_blocks, m);
    flx_saddle_memory(g->saddle, m);
    flx_accelerator_memory(g->acc, m);
    if (g->relaxer) flx_relaxer_memory(g->relaxer, m);
    flx_state_memory(g->end, m);
    flx_stiff_constraints_memory(&g->stiff, m);
    flx_newton_pass_books(&g->books, m);
}
