// energy_momentum.c - a midpoint rule that conserves energy and momenta exactly.
//
// With the increment theta of a step, q_1 = q_0 (+) theta, q_m = q_0 (+) theta/2, v_m = theta/h and
//     v_1 = 2 v_m - v_0                                                                 (EM-1)
//     (Ad(theta/2) p_1 - Ad(-theta/2) p_0)/h = F(q_m, v_m) - G^T lambda - A^T mu + alpha d
//     g(q_1) = 0,   A v_m + b = 0                                                       (EM-2)
// where p = M v and Ad(theta) = exp(theta) for rotations, 1 for the rest. Since exp(theta) leaves theta
// alone, theta times the left side is the change of the kinetic energy. alpha is the number for which
// the change of all energy is the work that is done:
//     alpha theta . d = h P(q_m, v_m) - (E_1 - E_0) + theta . (left - right side without it)   (EM-3)
// A discrete gradient of the potential as a whole: the force of the middle, and a correction of third
// order in theta along d = M (v_m - rigid motions), which changes no momentum that nothing else changes;
// what a nearly rigid motion cannot take up of it is owed to later steps.
// Newton's matrix is 4 M/h^2 + 2 D/h + K; what alpha changes of it is of higher order, and left to
// Anderson's acceleration.
#include "integrate/anderson.h"
#include "integrate/inertialess.h"
#include "integrate/newton.h"

#include <float.h>
#include <string.h>

#define MAX_ITERATIONS 40
#define TOLERANCE 1e-13     // of a correction, as a part of its scale
#define LEFT 0.3            // of that, when the iteration ends
#define TRUST 0.25          // contraction that acceleration may not be relied upon to better
#define ROUNDING 1e-11      // corrections below that shrink no more are rounding
#define STIFF_ROUNDING 1e-9 // ... where stiff springs multiply it
#define SLOW 0.3            // contraction for which the matrix is renewed, once a step
#define PATIENCE 4          // iterations with a matrix of this step, before another one
#define NEAR 1e-3           // correction from which on the energy is looked at
#define FAR 1e-6            // ... down to which the matrix is renewed as soon as it is slow
#define PLAIN 2             // iterations before what was learnt from them is used
#define MANY 8              // iterations after which the next step renews it
#define FREE 1e-6           // a force on a rigid motion this small, of its parts, is none
#define SAME 1e-13          // ... of a rigid motion, that the others leave
#define ENERGY_ULPS 8.0     // of the energy, that its balance is not worth
#define MOST_CHANGE 0.1 // of the motion that is no rigid one, in a step, for the sake of the energy
#define SAME_STEP 1e-9
#define RIGID_MOTIONS 6

typedef struct conserving {
    flx_blocks blocks;
    flx_linear *lin;
    flx_anderson anderson;
    flx_inertialess inertialess;
    double h;
    flx_newton_books books;
    int n, nv, first;                            // first: constraints
    double *scale, *r, *end, *d;                 // (n)
    double *theta, *half, *vm, *v1, *zero;       // (nv)
    double *p0, *p1, *transport, *balance, *dir; // (nv)
    double *rigid, *momenta;                     // (6 nv): motions, their momenta
    double *qm, *q1;                             // (nq)
    double *lam, *mu, *block;                    // block owns all arrays
    double energy, alpha;
    double owed, work;           // of the energy, at the begin of the step; done in it
    bool is_free[RIGID_MOTIONS]; // nothing changes the momentum of this motion
    bool near;                   // a solution without alpha: then it is sought, too
    bool turns;                  // the matrix is another one in every step
    signed char *on_position;    // (nlam) owned
} conserving;

// ---- life ---------------------------------------------------------------------------------------

static void destroy(flx_integrator *it)
{
    conserving *g = it->data;
    flx_blocks_destroy(&g->blocks);
    flx_linear_destroy(&g->lin);
    flx_anderson_destroy(&g->anderson);
    flx_inertialess_destroy(&g->inertialess);
    flx_free(g->block);
    flx_free(g->on_position);
    flx_free(g);
    it->data = NULL;
}

static void memory(flx_integrator *it, flx_memory *m)
{
    conserving *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_blocks_memory(it->sys, &g->blocks, m);
    flx_inertialess_memory(&g->inertialess, it, m);
    flx_linear_memory(g->lin, m);
    FLX_PASS(m, g->h);
    flx_newton_pass_books(&g->books, m);
    flx_memory_numbers(m, g->theta, (size_t)g->nv);
    flx_memory_numbers(m, g->v1, (size_t)g->nv);
    flx_memory_numbers(m, g->p1, (size_t)g->nv);
    flx_memory_numbers(m, g->lam, (size_t)d->nlam);
    flx_memory_numbers(m, g->mu, (size_t)d->nmu);
    FLX_PASS(m, g->energy);
    FLX_PASS(m, g->alpha);
    FLX_PASS(m, g->owed);
    FLX_PASS(m, g->work);
    FLX_PASS(m, g->is_free);
    FLX_PASS(m, g->near);
    FLX_PASS(m, g->turns);
}

static flx_status make_arrays(flx_integrator *it, conserving *g)
{
    const flx_dims *d = &it->sys->dims;
    size_t n = (size_t)g->n, nv = (size_t)d->nv, nq = (size_t)d->nq, six = RIGID_MOTIONS * nv;
    const struct {
        double **at;
        size_t n;
    } parts[] = {{&g->scale, n},
                 {&g->r, n},
                 {&g->end, n},
                 {&g->d, n},
                 {&g->theta, nv},
                 {&g->half, nv},
                 {&g->vm, nv},
                 {&g->v1, nv},
                 {&g->zero, nv},
                 {&g->p0, nv},
                 {&g->p1, nv},
                 {&g->transport, nv},
                 {&g->balance, nv},
                 {&g->dir, nv},
                 {&g->rigid, six},
                 {&g->momenta, six},
                 {&g->qm, nq},
                 {&g->q1, nq},
                 {&g->lam, (size_t)d->nlam},
                 {&g->mu, (size_t)d->nmu}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) total += parts[i].n;
    g->block = flx_alloc(it->ctx, total, sizeof *g->block);
    g->on_position = flx_alloc(it->ctx, (size_t)d->nlam, 1);
    if (!g->block || !g->on_position) return FLX_ERR_MEMORY;
    total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].at = g->block + total;
        total += parts[i].n;
    }
    return FLX_OK;
}

static flx_status refuse(flx_integrator *it, flx_loc loc, const char *what, const char *instead)
{
    return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, loc, "method 'energy-momentum' %s; %s", what, instead);
}

static flx_status read_unknowns(flx_integrator *it, conserving *g)
{
    const flx_system *s = it->sys;
    for (int i = 0; i < g->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        g->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (u.kind == FLX_UNKNOWN_STATE || u.kind == FLX_UNKNOWN_ALGEBRAIC) {
            return refuse(it, u.loc, "moves what has inertia, and no first-order states",
                          "use midpoint, or radau");
        }
        if (u.kind == FLX_UNKNOWN_CONSTRAINT && !flx_constraint_on_position(&u)) {
            return refuse(it, u.loc, "wants forces that are no unknowns",
                          "give the stiff force 'form: plain', or use radau");
        }
        if (u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && u.E != 0.0) {
            return refuse(it, u.loc, "wants forces that are no unknowns",
                          "give the damper 'form: plain', or use radau");
        }
        if (u.kind == FLX_UNKNOWN_CONSTRAINT) g->on_position[i - g->first] = 1;
    }
    return FLX_OK;
}

static flx_status create(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    if (!s->ops->energy || !s->ops->lagrangian) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'energy-momentum' needs the energies and momenta of the system; "
                        "system '%s' has none: use midpoint or galerkin",
                        s->ops->name);
    }
    FLX_TRY(flx_method_refuse_contacts(it));
    if (s->reads_multipliers != FLX_READS_NOTHING) {
        return refuse(it, FLX_NOWHERE, "keeps energies, and a force of the model reads reactions",
                      "use radau");
    }
    if (it->def.formulation != FLX_FORMULATION_AUTO &&
        it->def.formulation != FLX_FORMULATION_INDEX3) {
        return refuse(it, FLX_NOWHERE, "solves formulation index-3", "leave 'formulation' out");
    }
    flx_method_ignores_newton_tolerance(it);
    conserving *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    g->n = flx_dims_unknowns(d);
    g->nv = d->nv;
    g->first = flx_dims_first_constraint(d);
    FLX_TRY(make_arrays(it, g));
    FLX_TRY(read_unknowns(it, g));
    FLX_TRY(flx_blocks_create(s, &g->blocks));
    FLX_TRY(flx_anderson_create(it->ctx, g->n, &g->anderson));
    for (int i = 0; i < g->n; i++) g->anderson.weight[i] = i < g->nv ? 1.0 / g->scale[i] : 0.0;
    FLX_TRY(flx_inertialess_create(&g->inertialess, it, &g->blocks));
    return flx_linear_create(s, false, &g->lin);
}

// ---- points -------------------------------------------------------------------------------------

static flx_point point_at(flx_integrator *it, const flx_state *x, double part, const double *q,
                          const double *v)
{
    const conserving *g = it->data;
    flx_point p = flx_state_point(it->sys, x);
    p.t = x->t + part * g->h;
    p.q = q;
    p.v = v;
    p.a = g->zero;
    p.lam = g->lam;
    p.mu = g->mu;
    return p;
}

static void place(flx_integrator *it, const flx_state *x)
{
    conserving *g = it->data;
    const flx_system *s = it->sys;
    for (int i = 0; i < g->nv; i++) {
        g->half[i] = 0.5 * g->theta[i];
        g->vm[i] = g->theta[i] / g->h;
        g->v1[i] = 2.0 * g->vm[i] - x->v[i];
    }
    s->ops->retract(s, x->q, g->half, g->qm);
    s->ops->retract(s, x->q, g->theta, g->q1);
}

// Ad(theta) p = B(theta)^T B(theta)^-1 p.
static void carry(const flx_system *s, const double *theta, double *p)
{
    if (!s->ops->components) return; // q' = v
    s->ops->rate(s, theta, p, p);
    s->ops->velocity_t(s, theta, p, p);
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double energy_of(const flx_energies *e)
{
    return e->kinetic + e->potential + e->strain;
}

// ---- the direction of the correction ------------------------------------------------------------

// Whether nothing changes the momentum of a rigid motion: the forces f on it cancel.
static bool is_free(const double *motion, const double *f, int n)
{
    double sum = dot(motion, f, n); // in joint coordinates it may have a single part
    return fabs(sum) <= FREE * sqrt(dot(motion, motion, n) * dot(f, f, n));
}

// dir = M (v_m - rigid motions), these made orthonormal in the metric of M; balance: the forces without
// inertia.
static flx_status find_direction(flx_integrator *it, const flx_state *x, const double *force)
{
    conserving *g = it->data;
    const flx_system *s = it->sys;
    int nv = g->nv, kept = 0;
    flx_point p = point_at(it, x, 0.5, g->qm, g->vm);
    FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->dir));
    for (int k = 0; k < RIGID_MOTIONS && s->ops->rigid_motion; k++) {
        double *m = g->rigid + kept * nv, *Mm = g->momenta + kept * nv;
        if (!s->ops->rigid_motion(s, g->qm, k, m)) continue;
        // decided before the energy is looked at: the direction must not jump within an iteration
        if (!g->near) g->is_free[k] = is_free(m, force, nv);
        if (!g->is_free[k]) continue;
        p.v = m;
        FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, Mm));
        double before = dot(m, Mm, nv);
        for (int j = 0; j < kept; j++) {
            double c = dot(m, g->momenta + j * nv, nv);
            for (int i = 0; i < nv; i++) {
                m[i] -= c * g->rigid[j * nv + i];
                Mm[i] -= c * g->momenta[j * nv + i];
            }
        }
        double size = dot(m, Mm, nv);
        if (!(size > SAME * before)) continue; // made of the others
        for (int i = 0; i < nv; i++) {
            m[i] /= sqrt(size);
            Mm[i] /= sqrt(size);
        }
        kept++;
    }
    for (int j = 0; j < kept; j++) {
        double c = dot(g->vm, g->momenta + j * nv, nv);
        for (int i = 0; i < nv; i++) g->dir[i] -= c * g->momenta[j * nv + i];
    }
    return FLX_OK;
}

// ---- one iteration ------------------------------------------------------------------------------

// (EM-2), twice its rows of motion, into d; with the number alpha of (EM-3).
static flx_status evaluate(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    conserving *g = it->data;
    const flx_system *s = it->sys;
    const flx_lagrangian *l = s->ops->lagrangian;
    int nv = g->nv;
    flx_energies middle, end;
    (void)n;
    place(it, x);
    flx_point m = point_at(it, x, 0.5, g->qm, g->vm), e = point_at(it, x, 1.0, g->q1, g->v1);
    FLX_TRY(s->ops->residual(s, it->work, &m, g->r));
    it->stats.residuals++;
    if (s->ops->discrete_forces) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->discrete_forces(s, it->work, &p, &m, &e, g->r, NULL));
    }
    FLX_TRY(l->transport(s, it->work, &m, g->transport));
    FLX_TRY(s->ops->energy(s, it->work, &m, &middle));
    FLX_TRY(s->ops->energy(s, it->work, &e, &end));
    FLX_TRY(l->momentum(s, it->work, &e, g->p1));
    carry(s, g->half, g->p1);
    memcpy(g->balance, g->p0, (size_t)nv * sizeof *g->balance);
    for (int i = 0; i < nv; i++) g->half[i] = -g->half[i];
    carry(s, g->half, g->balance);
    for (int i = 0; i < nv; i++) {
        g->r[i] -= g->transport[i];
        g->transport[i] = g->r[i]; // all forces, with a minus
        g->r[i] += (g->p1[i] - g->balance[i]) / g->h;
    }
    FLX_TRY(find_direction(it, x, g->transport));
    double length = dot(g->theta, g->dir, nv);
    g->work = g->h * (middle.supplied_power - middle.dissipated_power);
    double lack = g->owed + g->work - (energy_of(&end) - g->energy) + dot(g->theta, g->r, nv);
    double size = fabs(energy_of(&end)) + fabs(g->energy);
    if (fabs(lack) <= ENERGY_ULPS * DBL_EPSILON * size) length = 0.0; // rounding asks for nothing
    // what moves as if rigid cannot take it up: then it is owed to the steps that follow
    double most = MOST_CHANGE / g->h;
    g->alpha = length > 0.0 && g->near ? fmax(-most, fmin(lack / length, most)) : 0.0;
    for (int i = 0; i < nv; i++) g->d[i] = -2.0 * (g->r[i] - g->alpha * g->dir[i]);
    for (int i = g->first; i < g->n; i++) g->d[i] = -2.0 * g->r[i];
    FLX_TRY(s->ops->residual(s, it->work, &e, g->end));
    it->stats.residuals++;
    for (int i = 0; i < s->dims.nlam; i++) g->d[g->first + i] = -g->end[g->first + i];
    return FLX_OK;
}

static flx_status refresh(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    conserving *g = it->data;
    const flx_system *s = it->sys;
    const flx_weights w = {
        .c0 = 1.0, .c1 = 2.0 / g->h, .c2 = 4.0 / (g->h * g->h), .cx = 2.0 / g->h};
    place(it, x);
    for (int i = 0; i < g->nv; i++) g->transport[i] = (g->v1[i] - x->v[i]) / g->h;
    flx_point m = point_at(it, x, 0.5, g->qm, g->vm);
    m.a = g->transport;
    FLX_TRY(s->ops->linearise(s, it->work, &m, &g->blocks));
    if (s->ops->discrete_forces) {
        flx_point p = flx_state_point(s, x), e = point_at(it, x, 1.0, g->q1, g->v1);
        FLX_TRY(s->ops->discrete_forces(s, it->work, &p, &m, &e, NULL, &g->blocks));
    }
    it->stats.linearisations++;
    g->books.h_factored = 0.0;
    FLX_TRY(flx_newton_factor(it, g->lin, &g->blocks, &w));
    flx_newton_refreshed(n, g->h);
    flx_anderson_restart(&g->anderson);
    return FLX_OK;
}

static double add_correction(conserving *g, const flx_dims *d, int *worst)
{
    double size = 0.0;
    for (int i = 0; i < g->nv; i++) {
        g->theta[i] += g->d[i];
        flx_take_worst(fabs(g->d[i]) / g->scale[i], i, &size, worst);
    }
    for (int i = 0; i < d->nlam; i++) g->lam[i] += 0.5 * g->d[g->first + i];
    for (int i = 0; i < d->nmu; i++) g->mu[i] += 0.5 * g->d[g->first + d->nlam + i];
    return size;
}

static double largest_coordinate(const conserving *g, int nq)
{
    double size = 1.0;
    for (int i = 0; i < nq; i++) size = fmax(size, fabs(g->q1[i]));
    return size;
}

static void predict(conserving *g, const flx_dims *d, const flx_state *x)
{
    for (int i = 0; i < d->nv; i++) g->theta[i] = g->h * (x->v[i] + 0.5 * g->h * x->a[i]);
    memcpy(g->lam, x->lam, (size_t)d->nlam * sizeof *g->lam);
    memcpy(g->mu, x->mu, (size_t)d->nmu * sizeof *g->mu);
}

// The iteration of a step.
typedef struct conserving_iteration {
    flx_newton newton;
    double unit; // what is allowed of a correction, as a part of its scale
    int worst;   // unknown of the largest correction
} conserving_iteration;

static flx_status correct(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    conserving *g = it->data;
    conserving_iteration *all = (conserving_iteration *)n;
    const flx_dims *d = &it->sys->dims;
    flx_status status = flx_linear_solve(g->lin, g->d);
    it->stats.solves++;
    if (status != FLX_OK) return status > 0 ? flx_method_diverged(it, status, -1, 0) : status;
    flx_anderson_step(&g->anderson, g->d, n->iterations > PLAIN);
    double size = add_correction(g, d, &all->worst);
    all->unit = fmax(TOLERANCE, 4.0 * DBL_EPSILON * largest_coordinate(g, d->nq));
    n->size = size / all->unit;
    double rounding = g->turns && n->iterations > MANY ? STIFF_ROUNDING : ROUNDING;
    n->rule.floor = n->rule.noise = rounding / all->unit;
    if (g->turns && size > FAR) g->books.h_factored = 0.0;
    if (!g->near) { // the energy is looked at from here on
        g->near = n->more = size <= NEAR;
        if (g->near) flx_anderson_restart(&g->anderson);
    }
    return FLX_OK;
}

static void renew(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    if (n->fresh < 0 && n->rate > 1.0) predict(it->data, &it->sys->dims, x); // old factors led away
}

// A discrete gradient has no symmetry of its own, and turns with the motion: that of a stiff spring needs
// the whole matrix, and Newton's own while it is far.
static bool judge_factors(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    conserving *g = it->data;
    double size = n->size * ((conserving_iteration *)n)->unit;
    if (n->fresh < PATIENCE && !(n->rate > SLOW && size > FAR)) return false;
    flx_linear_take_full(g->lin);
    if (size > FAR && !g->turns) predict(g, &it->sys->dims, x); // the symmetric part led away
    g->turns = g->turns || size > FAR;
    return true;
}

static flx_status diverged(flx_integrator *it, flx_status status, flx_newton *n)
{
    return flx_method_diverged(it, status, ((conserving_iteration *)n)->worst, n->iterations);
}

static flx_status solve(flx_integrator *it, const flx_state *x)
{
    static const flx_newton_steps steps = {.evaluate = evaluate,
                                           .refresh = refresh,
                                           .correct = correct,
                                           .renew = renew,
                                           .judge = judge_factors,
                                           .diverged = diverged};
    conserving *g = it->data;
    conserving_iteration all = {.worst = -1};
    all.newton.books = &g->books;
    all.newton.rule = (flx_newton_rule){.most = MAX_ITERATIONS,
                                        .left = LEFT,
                                        .trust = TRUST,
                                        .enough = MAX_ITERATIONS,
                                        .patience = MAX_ITERATIONS};
    flx_anderson_restart(&g->anderson);
    g->near = false;
    if (g->turns) g->books.h_factored = 0.0;
    FLX_TRY(flx_newton_solve(it, x, &steps, &all.newton));
    flx_newton_keep_books(&g->books, all.newton.iterations, 1);
    if (all.newton.iterations > MANY) g->books.h_factored = 0.0; // the next step renews it
    return FLX_OK;
}

// ---- the step -----------------------------------------------------------------------------------

// What the last correction of the iteration did to the energy is owed, too: rounding does not add up.
static flx_status keep_owed(flx_integrator *it, const flx_state *x)
{
    conserving *g = it->data;
    flx_energies e;
    flx_point p = flx_state_point(it->sys, x);
    FLX_TRY(it->sys->ops->energy(it->sys, it->work, &p, &e));
    g->owed += g->work - (energy_of(&e) - g->energy);
    return FLX_OK;
}

static flx_status step(flx_integrator *it, flx_state *x, double h, double *taken)
{
    conserving *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_energies e;
    flx_point p = flx_state_point(s, x);
    if (fabs(h - g->books.h_factored) > SAME_STEP * h) g->books.h_factored = 0.0;
    g->h = *taken = h;
    FLX_TRY(s->ops->energy(s, it->work, &p, &e));
    g->energy = energy_of(&e);
    FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->p0));
    predict(g, d, x);
    flx_status status = solve(it, x);
    if (status != FLX_OK) {
        g->books.h_factored = 0.0;
        return status;
    }
    place(it, x);
    for (int i = 0; i < d->nv; i++) x->a[i] = (g->v1[i] - x->v[i]) / h;
    memcpy(x->v, g->v1, (size_t)d->nv * sizeof *x->v);
    memcpy(x->q, g->q1, (size_t)d->nq * sizeof *x->q);
    memcpy(x->lam, g->lam, (size_t)d->nlam * sizeof *x->lam);
    memcpy(x->mu, g->mu, (size_t)d->nmu * sizeof *x->mu);
    x->t += h;
    FLX_TRY(flx_inertialess_velocities(&g->inertialess, it, &g->blocks, x, h, false));
    return keep_owed(it, x);
}

static int coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    memset(out, 0, sizeof *out);
    out->scheme = FLX_SCHEME_RUNGE_KUTTA; // where nothing is to be corrected: linear equations
    out->discrete_gradient = 1;
    out->s = 1;
    out->A[0][0] = out->A_v[0][0] = out->c[0] = 0.5;
    out->b[0] = 1.0;
    return 1;
}

const flx_integrator_type flx_energy_momentum = {
    .name = "energy-momentum",
    .summary = "midpoint rule with a discrete gradient: conserves energy and momenta exactly",
    .order = 2,
    .fixed = 1,
    .coefficients = coefficients,
    .create = create,
    .step = step,
    .destroy = destroy,
    .memory = memory,
};
