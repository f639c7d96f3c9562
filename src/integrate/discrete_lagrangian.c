// discrete_lagrangian.c - one step of a variational method; see discrete_lagrangian.h for the
// equations.
//
// Unknown are the increments X_j, not positions, and the momentum is carried from step to step by the
// impulses of (VAR-4), not found from D_s: both keep what is conserved to rounding, whatever the
// number of steps. Newton's iteration ends in the rounding for the same reason.
#include "integrate/discrete_lagrangian.h"

#include "integrate/accelerate.h"
#include "integrate/linear.h"
#include "integrate/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 60
// What may be left of a correction when the iteration ends, in roundings of the increments: it has
// the same sign in step after step, so it adds up where roundings do not.
#define LEFT 1e-3
// Corrections of so many roundings that shrink no more are rounding, and below the second number
// when two in a row have not been better.
#define ROUNDING 8.0
#define ROUNDING_ANYWAY 1e4
// Increments of so many times those predicted, or their scale, belong to no solution.
#define ASTRAY 1e3
// A correction that is more than this part of the last one shrinks no more.
#define STAGNANT 0.3
// Above this contraction the linearisation is renewed within the step.
#define SLOW 0.4
// Iterations that a fresh linearisation with its factors is worth.
#define REFRESH_COST 4
// A solve with masses and joints is trusted below this backward error.
#define TRUSTED 1e-9
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6
// From this degree on the polynomial of the step is better than the Hermite one of its ends.
#define OWN_POLYNOMIAL 4
// Corrections that close the joints of a value between steps, and what is closed.
#define CLOSING_STEPS 10
#define CLOSED (8.0 * DBL_EPSILON)

typedef struct discrete {
    discrete_rule rule;
    int n, first; // unknowns of one time, number of the first bond
    double h;
    double *scale;     // (n)
    bool *on_position; // (nlam) bonds with tau = C = 0: their multipliers live at nodes
    double *tau;       // (nlam)
    int npos;

    // unknowns: increments at the nodes 1 to s; multipliers of position bonds at 0 to s-1; at the
    // points of forces rates of states, algebraic unknowns, the other multipliers
    double *X, *node_lam;     // (s nv) (s nlam)
    double *K, *W, *lam, *mu; // (m nx) (m nw) (m nlam) (m nmu)
    double *X_last;           // (s nv) of the last step
    double h_last;

    double *p; // (nv) momentum at the beginning of the step, in the axes of q_n
    // (nv) what the rounding of positions and momenta has cut off so far, and after this step
    double *q_rest, *p_rest, *q_next, *p_next;
    double *D;         // ((s+1) nv) equations (VAR-2), then what is left of (VAR-3) and (VAR-4)
    double *impulse;   // (nv) of the step, in the axes of q_n
    double *R, *C;     // (s n) residuals of the stages, corrections
    double complex *z; // (n)
    double *r, *d;     // (n) scratch
    double *zero;      // (n)
    double *theta, *rate, *v, *u, *minus; // (nv) scratch
    double *q, *xs, *eta;                 // (nq) (nx) (nlam) scratch

    flx_blocks blocks;
    flx_linear *lin[DISCRETE_DEGREE];
    flx_blocks end_blocks; // at the end of the step, or in between
    flx_saddle *saddle;    // masses and bonds there
    flx_accelerator *acc;
    flx_state *end; // of the step

    double h_factored;    // 0: no factors
    int age;              // steps since the factors were made
    int fresh_iterations; // of the first step with them, 0: not known
    int extra;            // iterations more than that since then
    double contraction;   // measured with these factors; 0: not yet
    int worst;            // unknown of the largest correction
} discrete;

// ---- life -----------------------------------------------------------------------------------

void discrete_destroy(flx_integrator *it)
{
    discrete *g = it->data;
    double *const owned[] = {g->scale, g->tau,    g->X,      g->node_lam, g->K,     g->W,
                             g->lam,   g->mu,     g->X_last, g->p,        g->D,     g->impulse,
                             g->R,     g->C,      g->r,      g->d,        g->zero,  g->theta,
                             g->rate,  g->v,      g->u,      g->minus,    g->q,     g->xs,
                             g->eta,   g->q_rest, g->p_rest, g->q_next,   g->p_next};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_free(g->z);
    flx_free(g->on_position);
    flx_blocks_destroy(&g->blocks);
    flx_blocks_destroy(&g->end_blocks);
    for (int k = 0; k < DISCRETE_DEGREE; k++) flx_linear_destroy(&g->lin[k]);
    flx_saddle_destroy(&g->saddle);
    flx_accelerator_destroy(&g->acc);
    flx_state_destroy(&g->end);
    flx_free(g);
    it->data = NULL;
}

static flx_status make_arrays(const flx_system *s, discrete *g)
{
    const flx_dims *d = &s->dims;
    int n = g->n, m = g->rule.force.n, deg = g->rule.s;
    const struct {
        double **array;
        int n;
    } want[] = {{&g->scale, n},
                {&g->tau, d->nlam},
                {&g->X, deg * d->nv},
                {&g->node_lam, deg * d->nlam},
                {&g->K, m * d->nx},
                {&g->W, m * d->nw},
                {&g->lam, m * d->nlam},
                {&g->mu, m * d->nmu},
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
                {&g->eta, d->nlam}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].array = flx_alloc(s->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].array) return FLX_ERR_MEMORY;
    }
    g->z = flx_alloc(s->ctx, (size_t)n, sizeof *g->z);
    g->on_position = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *g->on_position);
    return g->z && g->on_position ? FLX_OK : FLX_ERR_MEMORY;
}

// What the unknowns are; the number of those that need the points of forces for themselves.
static int read_unknowns(const flx_system *s, discrete *g)
{
    const flx_dims *d = &s->dims;
    int others = d->nx + d->nw + d->nmu;
    for (int i = 0; i < g->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        g->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (u.kind != FLX_UNKNOWN_BOND) continue;
        int k = i - g->first;
        g->tau[k] = u.tau;
        g->on_position[k] = u.tau == 0.0 && u.C == 0.0;
        g->npos += g->on_position[k];
        others += !g->on_position[k];
    }
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
    if (def->formulation != FLX_FORMULATION_AUTO && def->formulation != FLX_FORMULATION_INDEX3) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s' has its own formulation, with joints closed in positions and "
                        "velocities: leave `formulation` out",
                        it->type->name);
    }
    return FLX_OK;
}

flx_status discrete_create(flx_integrator *it, const discrete_rule *rule)
{
    const flx_system *s = it->sys;
    FLX_TRY(check_system(it));
    discrete *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    g->rule = *rule;
    g->n = flx_dims_unknowns(&s->dims);
    g->first = s->dims.nv + s->dims.nx + s->dims.nw;
    FLX_TRY(make_arrays(s, g));
    int others = read_unknowns(s, g);
    if (others > 0 && rule->force.n != rule->s) {
        return FLX_FAIL(
            it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "method '%s': states, algebraic unknowns, compliant and velocity bonds need "
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
    flx_point anywhere = flx_state_point(s, g->end); // does it know the rates of its masses?
    return s->ops->lagrangian->transport(s, it->work, &anywhere, g->u);
}

// ---- chart ----------------------------------------------------------------------------------

static void negate(const double *theta, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = -theta[i];
}

// Momenta or forces u at q (+) theta, as seen from q: Ad(theta) = B(-theta)^-T B(theta)^T. In place.
static void to_start(discrete *g, const flx_system *s, const double *theta, double *u)
{
    s->ops->velocity_t(s, theta, u, u);
    negate(theta, s->dims.nv, g->minus);
    s->ops->rate_t(s, g->minus, u, u);
}

static void from_start(discrete *g, const flx_system *s, const double *theta, double *u)
{
    negate(theta, s->dims.nv, g->minus);
    s->ops->velocity_t(s, g->minus, u, u);
    s->ops->rate_t(s, theta, u, u);
}

// y (n) += c x
static void add(double *restrict y, double c, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) y[i] += c * x[i];
}

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

// The curve (VAR-1) where the basis has the values N and dN: theta, rate = theta', q, v.
static void place(discrete *g, const flx_system *s, const flx_state *x, const double *N,
                  const double *dN)
{
    int nv = s->dims.nv;
    memset(g->theta, 0, (size_t)nv * sizeof(double));
    memset(g->rate, 0, (size_t)nv * sizeof(double));
    for (int j = 1; j <= g->rule.s; j++) {
        const double *X = g->X + (size_t)(j - 1) * nv;
        add(g->theta, N[j], X, nv);
        add(g->rate, dN[j] / g->h, X, nv);
    }
    s->ops->retract(s, x->q, g->theta, g->q);
    s->ops->velocity(s, g->theta, g->rate, g->v);
}

// ---- prediction -----------------------------------------------------------------------------

static void predict_by_taylor(discrete *g, const flx_dims *d, const flx_state *x)
{
    for (int j = 0; j < g->rule.s; j++) {
        double t = g->rule.node[j + 1] * g->h, *X = g->X + (size_t)j * d->nv;
        for (int i = 0; i < d->nv; i++) X[i] = t * (x->v[i] + 0.5 * t * x->a[i]);
    }
}

// The polynomial of the last step goes on.
static void predict_by_polynomial(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_state *before = flx_method_of(it)->before;
    int nv = s->dims.nv;
    double N[DISCRETE_DEGREE + 1], dN[DISCRETE_DEGREE + 1];
    for (int j = 0; j < g->rule.s; j++) {
        discrete_rule_basis(&g->rule, 1.0 + g->rule.node[j + 1] * g->h / g->h_last, N, dN);
        memset(g->theta, 0, (size_t)nv * sizeof(double));
        for (int k = 1; k <= g->rule.s; k++) {
            add(g->theta, N[k], g->X_last + (size_t)(k - 1) * nv, nv);
        }
        s->ops->retract(s, before->q, g->theta, g->q);
        s->ops->difference(s, x->q, g->q, g->X + (size_t)j * nv);
    }
}

static void predict(flx_integrator *it, const flx_state *x, bool continues)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    if (continues && g->rule.s > 2) {
        predict_by_polynomial(it, x);
    } else {
        predict_by_taylor(g, d, x);
    }
    for (int i = 0; i < d->nlam; i++) {
        for (int j = 0; j < g->rule.s; j++) {
            g->node_lam[j * d->nlam + i] = g->on_position[i] ? x->lam[i] : 0.0;
        }
        for (int j = 0; j < g->rule.force.n; j++) {
            g->lam[j * d->nlam + i] = g->on_position[i] ? 0.0 : x->lam[i];
        }
    }
    for (int j = 0; j < g->rule.force.n; j++) {
        memcpy(g->K + (size_t)j * d->nx, x->dx, (size_t)d->nx * sizeof(double));
        memcpy(g->W + (size_t)j * d->nw, x->w, (size_t)d->nw * sizeof(double));
        memcpy(g->mu + (size_t)j * d->nmu, x->mu, (size_t)d->nmu * sizeof(double));
    }
}

// ---- evaluation -----------------------------------------------------------------------------

// Where `place` has been, at point i of the forces.
static flx_point force_point(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    memcpy(g->xs, x->x, (size_t)d->nx * sizeof(double));
    for (int j = 0; j < g->rule.force.n; j++) {
        add(g->xs, g->h * g->rule.A[i][j], g->K + (size_t)j * d->nx, d->nx);
    }
    return (flx_point){.t = x->t + g->rule.force.c[i] * g->h,
                       .q = g->q,
                       .v = g->v,
                       .a = g->zero,
                       .x = g->xs,
                       .dx = g->K + (size_t)i * d->nx,
                       .w = g->W + (size_t)i * d->nw,
                       .lam = g->lam + (size_t)i * d->nlam,
                       .mu = g->mu + (size_t)i * d->nmu,
                       .param = it->sys->param,
                       .switches = x->switches};
}

static double *equation(const discrete *g, int nv, int j)
{
    return g->D + (size_t)j * nv;
}

// (VAR-2), the terms of p.
static flx_status add_momentum(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_points *k = &g->rule.kinetic;
    int nv = s->dims.nv;
    flx_point p = flx_state_point(s, x);
    p.t = x->t + k->c[i] * g->h;
    p.q = g->q;
    p.v = g->v;
    p.a = g->zero;
    FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->u));
    if (s->ops->velocity_slope_t) {
        s->ops->velocity_slope_t(s, g->theta, g->rate, g->u, g->minus);
        for (int j = 1; j <= g->rule.s; j++) {
            add(equation(g, nv, j), k->b[i] * g->h * k->N[i][j], g->minus, nv);
        }
    }
    s->ops->velocity_t(s, g->theta, g->u, g->u);
    for (int j = 1; j <= g->rule.s; j++) {
        add(equation(g, nv, j), k->b[i] * k->dN[i][j], g->u, nv);
    }
    return FLX_OK;
}

// Forces that read the reactions of joints see those of the stage, lambda_i = sum_j collect_ij w_j
// lambda_j; what the joints themselves do at the points is taken out of r again.
static flx_status read_reactions(flx_integrator *it, int i, flx_point *p)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    int nlam = s->dims.nlam;
    memset(g->eta, 0, (size_t)nlam * sizeof(double));
    for (int j = 0; j < g->rule.s; j++) {
        double c = g->rule.collect[i][j] * g->rule.w[j];
        add(g->eta, c, g->node_lam + (size_t)j * nlam, nlam);
    }
    FLX_TRY(s->ops->bond_force(s, it->work, p, g->eta, g->minus));
    add(g->eta, 1.0, p->lam, nlam);
    p->lam = g->eta;
    return FLX_OK;
}

// (VAR-2), the terms of F; the rows that live at the points go to R.
static flx_status add_force(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_points *f = &g->rule.force;
    int nv = s->dims.nv;
    flx_point p = force_point(it, x, i);
    bool reads = s->reads_multipliers && g->npos > 0;
    if (reads) FLX_TRY(read_reactions(it, i, &p));
    FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    FLX_TRY(s->ops->lagrangian->transport(s, it->work, &p, g->u));
    it->stats.residuals++;
    for (int k = 0; k < nv; k++) g->r[k] = g->u[k] - g->r[k];
    if (reads) add(g->r, 1.0, g->minus, nv);
    if (i < g->rule.s) {
        memcpy(g->R + (size_t)i * g->n + nv, g->r + nv, (size_t)(g->n - nv) * sizeof(double));
    }
    s->ops->velocity_t(s, g->theta, g->r, g->u);
    for (int j = 1; j <= g->rule.s; j++) {
        add(equation(g, nv, j), g->h * f->b[i] * f->N[i][j], g->u, nv);
    }
    to_start(g, s, g->theta, g->r);
    add(g->impulse, g->h * f->b[i], g->r, nv);
    return FLX_OK;
}

// A node with the place where it is; theta NULL at the beginning.
static flx_point node_point(flx_integrator *it, const flx_state *x, int j, const double **theta)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = flx_state_point(s, x);
    *theta = j > 0 ? g->X + (size_t)(j - 1) * s->dims.nv : NULL;
    if (j == 0) return p;
    s->ops->retract(s, x->q, *theta, g->q);
    p.t = x->t + g->rule.node[j] * g->h;
    p.q = g->q;
    p.a = g->zero;
    p.lam = p.mu = g->zero;
    return p;
}

// Forces of the bonds at node j < s, and the gaps at node j > 0, which go to the stages.
static flx_status add_bonds(flx_integrator *it, const flx_state *x, int j)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const double *theta;
    flx_point p = node_point(it, x, j, &theta);
    if (j > 0) {
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        for (int i = 0; i < g->rule.s; i++) {
            double *R = g->R + (size_t)i * g->n + g->first;
            for (int k = 0; k < d->nlam; k++) {
                if (g->on_position[k]) R[k] += g->rule.stage[i][j - 1] * g->r[g->first + k];
            }
        }
    }
    if (j == g->rule.s) return FLX_OK;
    FLX_TRY(s->ops->bond_force(s, it->work, &p, g->node_lam + (size_t)j * d->nlam, g->u));
    double hw = g->h * g->rule.w[j];
    if (j > 0) {
        s->ops->velocity_t(s, theta, g->u, g->v);
        add(equation(g, d->nv, j), -hw, g->v, d->nv);
        to_start(g, s, theta, g->u);
    }
    add(g->impulse, -hw, g->u, d->nv);
    return FLX_OK;
}

static void clear_position_rows(const discrete *g, const flx_dims *d)
{
    for (int i = 0; i < g->rule.s; i++) {
        double *R = g->R + (size_t)i * g->n + g->first;
        for (int k = 0; k < d->nlam; k++) {
            if (g->on_position[k]) R[k] = 0.0;
        }
    }
}

// Everything at the present unknowns: D_1 to D_s-1 become what is left of (VAR-3), D_0 what is left
// of (VAR-4) less those.
static flx_status evaluate(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_rule *rule = &g->rule;
    int nv = s->dims.nv, deg = rule->s;
    memset(g->D, 0, (size_t)(deg + 1) * nv * sizeof(double));
    memset(g->impulse, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < rule->kinetic.n; i++) {
        place(g, s, x, rule->kinetic.N[i], rule->kinetic.dN[i]);
        FLX_TRY(add_momentum(it, x, i));
        if (rule->same) FLX_TRY(add_force(it, x, i));
    }
    for (int i = 0; i < rule->force.n && !rule->same; i++) {
        place(g, s, x, rule->force.N[i], rule->force.dN[i]);
        FLX_TRY(add_force(it, x, i));
    }
    clear_position_rows(g, &s->dims);
    for (int j = 0; j <= deg && g->npos > 0; j++) FLX_TRY(add_bonds(it, x, j));

    double *D0 = equation(g, nv, 0), *last = equation(g, nv, deg);
    const double *Xs = g->X + (size_t)(deg - 1) * nv;
    s->ops->rate_t(s, Xs, last, last);
    to_start(g, s, Xs, last);
    for (int i = 0; i < nv; i++) D0[i] = g->p[i] + g->impulse[i] - last[i];
    for (int j = 1; j < deg; j++) add(D0, -1.0, equation(g, nv, j), nv);
    return FLX_OK;
}

// ---- matrix ---------------------------------------------------------------------------------

static flx_status refresh(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_rule *rule = &g->rule;
    int i = rule->force.n / 2;
    place(g, s, x, rule->force.N[i], rule->force.dN[i]);
    flx_point p = force_point(it, x, i);
    p.a = x->a;
    p.lam = x->lam;
    p.mu = x->mu;
    g->h_factored = 0.0;
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    it->stats.linearisations++;
    for (int k = 0; k < rule->neigen; k++) {
        flx_weights w = {.c0 = 1.0,
                         .c1 = rule->c1[k] / g->h,
                         .c2 = rule->c2[k] / (g->h * g->h),
                         .cx = rule->c1[k] / g->h};
        flx_status status = flx_linear_factor(g->lin[k], &g->blocks, &w);
        it->stats.factorisations++;
        if (status > 0) {
            return flx_method_fail(it, status, flx_linear_get_report(g->lin[k]).worst, 0.0, 0,
                                   "the Newton matrix is singular",
                                   "to find what is without mass or held twice: `flexion check`");
        }
        if (status != FLX_OK) return status;
    }
    g->h_factored = g->h;
    g->age = 0;
    g->fresh_iterations = 0;
    g->extra = 0;
    g->contraction = 0.0;
    return FLX_OK;
}

// R_i of the velocities' rows from what is left of the equations (VAR-8).
static void collect_stages(const discrete *g, int nv)
{
    for (int i = 0; i < g->rule.s; i++) {
        double *R = g->R + (size_t)i * g->n;
        memset(R, 0, (size_t)nv * sizeof *R);
        for (int j = 0; j < g->rule.s; j++) {
            add(R, -g->rule.collect[i][j] / g->h, equation(g, nv, j), nv);
        }
    }
}

static flx_status solve_linear(flx_integrator *it, int k)
{
    discrete *g = it->data;
    it->stats.solves++;
    if (k >= g->rule.nreal) return flx_linear_solve_complex(g->lin[k], g->z);
    for (int j = 0; j < g->n; j++) g->d[j] = creal(g->z[j]);
    FLX_TRY(flx_linear_solve(g->lin[k], g->d));
    for (int j = 0; j < g->n; j++) g->z[j] = g->d[j];
    return FLX_OK;
}

// Corrections C of the stages, eigenvalue by eigenvalue.
static flx_status find_corrections(flx_integrator *it)
{
    discrete *g = it->data;
    const discrete_rule *rule = &g->rule;
    collect_stages(g, it->sys->dims.nv);
    memset(g->C, 0, (size_t)(rule->s * g->n) * sizeof(double));
    for (int k = 0; k < rule->neigen; k++) {
        for (int j = 0; j < g->n; j++) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < rule->s; i++) {
                re -= creal(rule->Pi[k][i]) * g->R[i * g->n + j];
                im -= cimag(rule->Pi[k][i]) * g->R[i * g->n + j];
            }
            g->z[j] = flx_complex(re, im);
        }
        FLX_TRY(solve_linear(it, k));
        double twice = k < rule->nreal ? 1.0 : 2.0;
        for (int i = 0; i < rule->s; i++) {
            double pr = twice * creal(rule->P[i][k]), pi = twice * cimag(rule->P[i][k]);
            double *C = g->C + (size_t)i * g->n;
            for (int j = 0; j < g->n; j++) C[j] += pr * creal(g->z[j]) - pi * cimag(g->z[j]);
        }
    }
    return FLX_OK;
}

static void take(double e, int i, double *most, int *worst)
{
    if (isnan(*most)) return;
    if (!(e <= *most)) {
        *most = e;
        *worst = i;
    }
}

// Corrections of the nodes from those of the stages; the largest part of a scale is returned.
static double correct_nodes(discrete *g, const flx_dims *d)
{
    const discrete_rule *rule = &g->rule;
    double most = 0.0;
    for (int j = 0; j < rule->s; j++) {
        double *X = g->X + (size_t)j * d->nv, *l = g->node_lam + (size_t)j * d->nlam;
        for (int k = 0; k < d->nv; k++) {
            double dX = 0.0;
            for (int i = 0; i < rule->s; i++) dX += rule->node_of[j][i] * g->C[i * g->n + k];
            X[k] += dX;
            take(fabs(dX) / g->scale[k], k, &most, &g->worst);
        }
        for (int k = 0; k < d->nlam; k++) {
            double sum = 0.0;
            if (!g->on_position[k]) continue;
            for (int i = 0; i < rule->s; i++) {
                sum += rule->balance[j][i] * g->C[i * g->n + g->first + k];
            }
            l[k] += sum / rule->w[j];
        }
    }
    return most;
}

// The same of what lives at the points.
static double correct_points(discrete *g, const flx_dims *d)
{
    const discrete_rule *rule = &g->rule;
    double most = 0.0;
    for (int i = 0; i < rule->s && g->n > d->nv; i++) {
        const double *C = g->C + (size_t)i * g->n;
        double *K = g->K + (size_t)i * d->nx, *W = g->W + (size_t)i * d->nw;
        for (int k = 0; k < d->nx; k++) {
            double dK = 0.0;
            for (int j = 0; j < rule->s; j++) {
                dK += rule->Ai[i][j] / g->h * g->C[j * g->n + d->nv + k];
            }
            K[k] += dK;
            double size = fmax(fabs(g->xs[k]), 1e-3 * g->scale[d->nv + k]);
            take(g->h * fabs(dK) / size, d->nv + k, &most, &g->worst);
        }
        for (int k = 0; k < d->nw; k++) {
            int u = d->nv + d->nx + k;
            W[k] += C[u];
            take(fabs(C[u]) / fmax(fabs(W[k]), 1e-3 * g->scale[u]), u, &most, &g->worst);
        }
        for (int k = 0; k < d->nlam; k++) {
            if (!g->on_position[k]) g->lam[i * d->nlam + k] += C[g->first + k];
        }
        for (int k = 0; k < d->nmu; k++) g->mu[i * d->nmu + k] += C[g->first + d->nlam + k];
    }
    return most;
}

// ---- iteration ------------------------------------------------------------------------------

// The largest increment as a part of its scale.
static double increment_size(const discrete *g, const flx_dims *d)
{
    double most = 0.0;
    for (int j = 0; j < g->rule.s; j++) {
        for (int k = 0; k < d->nv; k++) {
            most = fmax(most, fabs(g->X[j * d->nv + k]) / g->scale[k]);
        }
    }
    return most;
}

// One rounding of what is solved for, as a part of the scales: of increments, and of positions where
// joints are closed or the iteration has to end anyway. Increments beyond `limit` have gone astray.
static double rounding(const discrete *g, const flx_dims *d, const flx_state *x, double limit,
                       bool positions)
{
    double most = fmin(increment_size(g, d), limit);
    if (positions) {
        double scale = HUGE_VAL;
        for (int k = 0; k < d->nv; k++) scale = fmin(scale, g->scale[k]);
        for (int k = 0; k < d->nq; k++) most = fmax(most, fabs(x->q[k]) / scale);
    }
    if (d->nx + d->nw > 0) most = fmax(most, 1.0); // these are measured by their own size
    return DBL_EPSILON * most;
}

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, int k)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    double open = 0.0;
    int joint = -1;
    for (int i = 0; i < g->rule.s; i++) {
        for (int j = g->first; j < g->first + d->nlam; j++) {
            double e = fabs(g->R[i * g->n + j]) / g->scale[j];
            if (isfinite(e)) take(e, j, &open, &joint);
        }
    }
    it->stats.newton_failures++;
    g->h_factored = 0.0;
    return flx_method_fail(it, status, open > OPEN_JOINT ? joint : g->worst, 0.0, k,
                           status == FLX_NOT_FINITE ? "a value is not finite"
                                                    : "Newton's iteration did not converge",
                           "a smaller step");
}

// How the iteration goes.
typedef struct newton {
    double last; // size of the correction before; 0: none with these factors
    double best; // of the smallest one
    int since;   // corrections since it was halved
    int fresh;   // iterations with factors of this step; -1: older ones
    int growing;
} newton;

typedef enum verdict { GO_ON, SOLVED, HOPELESS } verdict;

// What a correction of this size tells. Factors that are slow are given up.
static verdict judge(discrete *g, newton *n, double size, double unit, double noise)
{
    double expected = g->contraction > 0.0 ? fmin(0.9, g->contraction) : 0.9;
    double rate = n->last > 0.0 ? size / n->last : expected;
    bool measured = n->last > 0.0;
    if (rate < 1.0 && rate / (1.0 - rate) * size <= LEFT * unit) return SOLVED;
    if (measured && rate > STAGNANT && size <= ROUNDING * unit) return SOLVED;
    bool halved = size < 0.5 * n->best;
    n->since = halved ? 0 : n->since + 1;
    if (halved) n->best = size;
    if (n->since >= 2 && n->best <= ROUNDING_ANYWAY * noise) return SOLVED;
    n->growing = measured && rate > 2.0 && size > ROUNDING_ANYWAY * noise ? n->growing + 1 : 0;
    if (n->growing > 3) return HOPELESS;
    if (measured && size > ROUNDING_ANYWAY * noise) {
        g->contraction = fmax(rate, 1e-6);
        for (int e = 0; e < g->rule.neigen && n->fresh >= 0; e++) {
            if (flx_linear_judge(g->lin[e], rate)) g->h_factored = 0.0;
        }
        if (rate > SLOW && (n->fresh < 0 || n->fresh >= 3)) g->h_factored = 0.0;
    }
    n->last = size;
    return GO_ON;
}

static flx_status solve(flx_integrator *it, const flx_state *x, int *iterations)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    newton n = {.fresh = -1, .best = HUGE_VAL};
    double limit = ASTRAY * fmax(1.0, increment_size(g, d));
    g->worst = -1;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (g->h_factored == 0.0) {
            flx_status status = refresh(it, x);
            if (status != FLX_OK) return status;
            n.fresh = 0;
            n.last = 0.0;
        }
        flx_status status = evaluate(it, x);
        if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        FLX_TRY(find_corrections(it));
        double size = correct_nodes(g, d), others = correct_points(g, d);
        if (!isfinite(size + others)) { // at first, or since the iteration went astray
            return diverged(it, k == 0 ? FLX_NOT_FINITE : FLX_NO_CONVERGENCE, k);
        }
        size = fmax(size, others);
        it->stats.newton_iterations++;
        *iterations = k + 1;
        double noise = rounding(g, d, x, limit, true);
        double unit = g->npos > 0 ? noise : rounding(g, d, x, limit, false);
        verdict v = judge(g, &n, size, unit, noise);
        if (v == SOLVED) return FLX_OK;
        if (v == HOPELESS) return diverged(it, FLX_NO_CONVERGENCE, k + 1);
        if (n.fresh >= 0) n.fresh++;
    }
    return diverged(it, FLX_NO_CONVERGENCE, MAX_ITERATIONS);
}

// ---- end of the step ------------------------------------------------------------------------

// out (nv) -= (G, A)^T l for the rows from `first` on, read from the matrix of the bonds.
static void subtract_velocity_bonds(const discrete *g, const flx_system *s, const double *l,
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

// Right-hand sides of G v + g_t = 0 and A v + b = 0 in d.
static flx_status velocity_rows(flx_integrator *it, const flx_point *still)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    if (d->nlam + d->nmu == 0) return FLX_OK;
    FLX_TRY(s->ops->residual(s, it->work, still, g->r));
    it->stats.residuals++;
    if (d->nlam) FLX_TRY(s->ops->bond_rate(s, it->work, still, g->eta));
    for (int i = g->first; i < g->n; i++) {
        if (!flx_saddle_active(g->saddle, i)) continue;
        int k = i - g->first;
        bool position = k < d->nlam && g->on_position[k];
        double t = k < d->nlam && !position ? g->tau[k] : 1.0;
        g->d[i] = position ? -g->eta[k] : -g->r[i] / t;
    }
    return FLX_OK;
}

// Masses and bonds at a point.
static flx_status factor_masses(flx_integrator *it, const flx_point *p)
{
    discrete *g = it->data;
    static const flx_saddle_metric mass = {0};
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, p, &g->end_blocks));
    it->stats.linearisations++;
    it->stats.factorisations++;
    return flx_saddle_factor(g->saddle, &g->end_blocks, FLX_ROWS_VELOCITY, &mass);
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
    FLX_TRY(velocity_rows(it, &p));
    memcpy(g->d, g->u, (size_t)d->nv * sizeof(double));
    double error = flx_saddle_solve(g->saddle, g->d);
    it->stats.solves++;
    if (!(error < TRUSTED)) {
        int worst = -1;
        flx_saddle_regularised(g->saddle, &worst);
        return flx_method_fail(it, FLX_SINGULAR, worst, 0.0, 0,
                               "masses and joints do not determine the velocities",
                               "a method that needs no momenta (radau, generalized-alpha)");
    }
    memcpy(end->v, g->d, (size_t)d->nv * sizeof(double));
    if (d->nlam) {
        FLX_TRY(s->ops->bond_force(s, it->work, &p, g->d + g->first, g->v));
        add_exactly(g->u, g->p_next, -1.0, g->v, d->nv);
    }
    if (d->nmu) subtract_velocity_bonds(g, s, g->d, g->u);
    return FLX_OK;
}

// The state at the end: everything but a, lambda, mu, which follow from it.
static flx_status finish(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_state *end = g->end;
    const double *Xs = g->X + (size_t)(g->rule.s - 1) * d->nv;
    flx_state_copy(end, x);
    end->t = x->t + g->h;
    for (int i = 0; i < d->nv; i++) g->q_next[i] = Xs[i] + g->q_rest[i];
    s->ops->retract(s, x->q, g->q_next, end->q);
    s->ops->difference(s, x->q, end->q, g->theta);
    add(g->q_next, -1.0, g->theta, d->nv);
    for (int i = 0; i < g->rule.force.n; i++) {
        add(end->x, g->h * g->rule.force.b[i], g->K + (size_t)i * d->nx, d->nx);
    }
    if (d->nw) {
        memcpy(end->w, g->W + (size_t)(g->rule.force.n - 1) * d->nw,
               (size_t)d->nw * sizeof(double));
    }
    memcpy(g->u, g->p, (size_t)d->nv * sizeof(double));
    memcpy(g->p_next, g->p_rest, (size_t)d->nv * sizeof(double));
    add_exactly(g->u, g->p_next, 1.0, g->impulse, d->nv);
    from_start(g, s, Xs, g->u);
    from_start(g, s, Xs, g->p_next);
    flx_status status = end_velocity(it, end);
    if (status != FLX_OK) return status;
    status = flx_accelerator_eval(g->acc, it->work, end, &it->stats.residuals,
                                  &it->stats.linearisations);
    if (status > 0) {
        return flx_method_fail(it, status, flx_accelerator_worst(g->acc), 0.0, 0,
                               "accelerations are not determined", "`flexion check`");
    }
    return status;
}

// ---- step -----------------------------------------------------------------------------------

static void keep_books(discrete *g, int iterations)
{
    if (g->h_factored == 0.0) return;
    if (g->fresh_iterations == 0) {
        g->fresh_iterations = iterations;
    } else if (iterations > g->fresh_iterations) {
        g->extra += iterations - g->fresh_iterations;
    }
    g->age++;
    if (g->extra >= REFRESH_COST) g->h_factored = 0.0;
}

flx_status discrete_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    bool continues = flx_method_of(it)->continues;
    g->h = h;
    if (g->h_factored > 0.0 && fabs(h - g->h_factored) > 1e-6 * h) g->h_factored = 0.0;
    if (!continues) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->p));
        memset(g->q_rest, 0, (size_t)s->dims.nv * sizeof(double));
        memset(g->p_rest, 0, (size_t)s->dims.nv * sizeof(double));
        g->h_factored = 0.0;
    }
    predict(it, x, continues);
    int iterations = 0;
    flx_status status = solve(it, x, &iterations);
    if (status == FLX_OK) status = finish(it, x);
    if (status != FLX_OK) {
        g->h_factored = 0.0;
        return status;
    }
    keep_books(g, iterations);
    memcpy(g->p, g->u, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->q_rest, g->q_next, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->p_rest, g->p_next, (size_t)s->dims.nv * sizeof(double));
    memcpy(g->X_last, g->X, (size_t)(g->rule.s * s->dims.nv) * sizeof(double));
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
    discrete_rule_basis(&g->rule, tau, N, dN);
    memset(g->theta, 0, (size_t)nv * sizeof(double));
    memset(g->rate, 0, (size_t)nv * sizeof(double));
    for (int j = 1; j <= g->rule.s; j++) {
        add(g->theta, N[j], g->X_last + (size_t)(j - 1) * nv, nv);
        add(g->rate, dN[j] / g->h_last, g->X_last + (size_t)(j - 1) * nv, nv);
    }
    s->ops->retract(s, flx_method_of(it)->before->q, g->theta, out->q);
    s->ops->velocity(s, g->theta, g->rate, out->v);
}

// Position bonds of the rows at hand with a minus in d; the largest of them.
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
static flx_status close_joints(flx_integrator *it, flx_state *out)
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
        FLX_TRY(s->ops->bond_rate(s, it->work, &p, g->eta));
        double open = gather_rows(g, d, g->eta);
        if (open == 0.0 || !(open < 0.5 * last)) break;
        flx_saddle_solve_once(g->saddle, g->d);
        add(out->v, 1.0, g->d, d->nv);
        last = open;
    }
    return FLX_OK;
}

flx_status discrete_interpolate(flx_integrator *it, double t, flx_state *out)
{
    discrete *g = it->data;
    flx_method *m = flx_method_of(it);
    flx_hermite(it->sys, m->before, m->after, t, m->theta, m->rate, out);
    if (g->rule.s >= OWN_POLYNOMIAL) follow_polynomial(it, (t - m->before->t) / g->h_last, out);
    FLX_TRY(close_joints(it, out));
    return flx_accelerator_eval(g->acc, it->work, out, &it->stats.residuals,
                                &it->stats.linearisations);
}
