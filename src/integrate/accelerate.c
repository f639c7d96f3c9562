// accelerate.c - index-1 evaluation of any system; see accelerate.h for the equations.
#include "integrate/accelerate.h"

#include "base/arrays.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"
#include "math/index1.h"
#include "math/lu.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 30
// The solve of (ACC-1) is trusted below this backward error.
#define TRUSTED 1e-9
// Factors of a system's own are trusted where their rows of constraints are met to this part: a pivot that was moved keeps
// half of the digits.
#define MET 1e-5
// ... and velocities without inertia, of what a small mass in their place would give: dampers divide that by what they are.
#define HELD 1e-12
// Residuals of forces are rounding below this many eps of the largest term.
#define ROUNDING (256.0 * DBL_EPSILON)

struct flx_accelerator {
    const flx_system *sys; // borrowed
    int n, worst;
    bool insists;
    void *block; // of the arrays
    flx_blocks blocks;
    flx_saddle *saddle;
    flx_lu *lu; // of psi_w; NULL without algebraic unknowns
    double *lu_values;
    flx_index1 *together;            // where forces or equations read multipliers; else NULL
    double *r, *d, *rate, *bias, *w; // (n) (n) (nlam) (nlam + nmu) (nw)
    double *asked;                   // (n)
    double *sigma, *tau;             // (nlam)
    double *yield;                   // (nlam) rate at which a spring yields to its damper; 0: none
    bool *compliant, *soft;          // (nlam + nmu) C > 0, E > 0; and not held
    bool *kept;                      // (nlam + nmu) multipliers are given
    double *probe;                   // (3 n) where the system solves by itself; else NULL
};

void flx_accelerator_destroy(flx_accelerator **acc)
{
    if (!acc || !*acc) return;
    flx_accelerator *a = *acc;
    flx_blocks_destroy(&a->blocks);
    flx_saddle_destroy(&a->saddle);
    flx_lu_destroy(&a->lu);
    flx_index1_destroy(&a->together);
    flx_free(a->lu_values);
    flx_free(a->block);
    flx_free(a);
    *acc = NULL;
}

// Within h it is over: what is left is the spring.
static double find_yield(const flx_accelerator *a, int i, double h)
{
    if (a->tau[i] == 0.0) return 0.0;
    double rate = a->sigma[i] / a->tau[i];
    return fabs(rate) * h > 1.0 ? 0.0 : rate;
}

static void take_numbers(flx_accelerator *a)
{
    const flx_system *s = a->sys;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + i, &u);
        a->compliant[i] = a->soft[i] = i < d->nlam ? u.C != 0.0 : u.E != 0.0;
        if (i >= d->nlam) continue;
        a->sigma[i] = u.sigma;
        a->tau[i] = u.tau;
        a->yield[i] = find_yield(a, i, 0.0);
    }
}

void flx_accelerator_renew(flx_accelerator *a)
{
    flx_saddle_renew(a->saddle);
    if (a->together) flx_index1_renew(a->together);
    take_numbers(a);
}

static flx_status make(flx_accelerator *a)
{
    const flx_system *s = a->sys;
    const flx_dims *d = &s->dims;
    const flx_pattern *p = &s->pattern;
    size_t n = (size_t)a->n, nb = (size_t)d->nlam + (size_t)d->nmu;
    FLX_TRY(flx_blocks_create(s, &a->blocks));
    FLX_TRY(flx_saddle_create(s, &a->saddle));
    if (s->reads_multipliers) FLX_TRY(flx_index1_create(s, &a->together));
    if (d->nw) {
        FLX_TRY(flx_lu_create(s->ctx, p, false, &a->lu));
        a->lu_values =
            flx_alloc(s->ctx, (size_t)p->offset[p->row[p->nblock]], sizeof *a->lu_values);
        if (!a->lu_values) return FLX_ERR_MEMORY;
    }
    size_t nlam = (size_t)d->nlam, nprobe = p->extra > 0 ? 3 * n : 0;
    const flx_array arrays[] = {
        FLX_ARRAY(a->asked, n),      FLX_ARRAY(a->r, n),      FLX_ARRAY(a->d, n),
        FLX_ARRAY(a->rate, nlam),    FLX_ARRAY(a->bias, nb),  FLX_ARRAY(a->w, d->nw),
        FLX_ARRAY(a->sigma, nlam),   FLX_ARRAY(a->tau, nlam), FLX_ARRAY(a->yield, nlam),
        FLX_ARRAY(a->compliant, nb), FLX_ARRAY(a->soft, nb),  FLX_ARRAY(a->kept, nb),
        FLX_ARRAY(a->probe, nprobe)};
    a->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!a->block) return FLX_ERR_MEMORY;
    if (nprobe == 0) a->probe = NULL;
    take_numbers(a);
    return FLX_OK;
}

flx_status flx_accelerator_create(const flx_system *s, flx_accelerator **acc)
{
    *acc = NULL;
    if ((s->dims.nlam || s->dims.nmu) && !s->ops->constraint_bias) {
        return FLX_FAIL(
            s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "accelerations need the second derivative of the constraints (constraint_bias); "
            "system '%s' has none",
            s->ops->name);
    }
    flx_accelerator *a = flx_alloc(s->ctx, 1, sizeof *a);
    if (!a) return FLX_ERR_MEMORY;
    a->sys = s;
    a->n = flx_dims_unknowns(&s->dims);
    a->worst = -1;
    flx_status status = make(a);
    if (status != FLX_OK) flx_accelerator_destroy(&a);
    *acc = a;
    return status;
}

void flx_accelerator_insist(flx_accelerator *a)
{
    a->insists = true;
}

void flx_accelerator_hold(flx_accelerator *a, const bool *held, double h)
{
    const flx_dims *d = &a->sys->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        bool hold = held && held[i] && a->compliant[i];
        a->soft[i] = a->compliant[i] && !hold;
        flx_saddle_hold(a->saddle, flx_dims_first_constraint(&a->sys->dims) + i, hold);
        if (i < d->nlam) a->yield[i] = find_yield(a, i, hold ? h : 0.0);
    }
    if (a->together) flx_index1_hold(a->together, a->soft, a->yield);
}

bool flx_accelerator_keep(flx_accelerator *a, const bool *kept)
{
    const flx_dims *d = &a->sys->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++)
        a->kept[i] = kept && kept[i] && a->compliant[i] && !a->together;
    return !a->together;
}

const flx_blocks *flx_accelerator_blocks(const flx_accelerator *acc)
{
    return &acc->blocks;
}

// A residual of zeros has no largest row: then a velocity without inertia.
int flx_accelerator_worst(const flx_accelerator *acc)
{
    const flx_pattern *p = &acc->sys->pattern;
    if (acc->worst >= 0) return acc->worst;
    for (int i = 0; i < p->nblock && p->start[i] < acc->sys->dims.nv; i++) {
        int n = p->start[i + 1] - p->start[i], e = p->row[i];
        while (p->col[e] != i) e++;
        for (int k = 0; k < n; k++) {
            if (acc->blocks.A2[p->offset[e] + k * (n + 1)] == 0.0) return p->start[i] + k;
        }
    }
    return -1;
}

// ---- algebraic unknowns ---------------------------------------------------------------------

// The pattern with psi_w in its place and the identity elsewhere.
static void fill_algebraic(flx_accelerator *a)
{
    const flx_system *s = a->sys;
    const flx_pattern *p = &s->pattern;
    int lo = s->dims.nv + s->dims.nx, hi = lo + s->dims.nw;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            bool inside =
                p->start[i] >= lo && p->start[i] < hi && p->start[j] >= lo && p->start[j] < hi;
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++, k++) {
                    a->lu_values[k] = inside ? a->blocks.A0[k] : (double)(r == c);
                }
            }
        }
    }
}

static double largest(const double *v, int n, int first, int *where)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) {
        if (!(fabs(v[i]) <= m)) {
            m = fabs(v[i]);
            *where = first + i;
        }
    }
    return m;
}

// Newton for psi = 0; a correction is halved while the residual grows.
static flx_status solve_algebraic(flx_accelerator *a, flx_work *work, flx_state *x, long *residuals,
                                  long *linearisations)
{
    const flx_system *s = a->sys;
    int nw = s->dims.nw, first = s->dims.nv + s->dims.nx;
    if (nw == 0) return FLX_OK;
    double last = HUGE_VAL, length = 1.0;
    memset(a->d, 0, (size_t)a->n * sizeof *a->d);
    memcpy(a->w, x->w, (size_t)nw * sizeof *a->w);
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->residual(s, work, &p, a->r));
        ++*residuals;
        double now = largest(a->r + first, nw, first, &a->worst);
        if (!(now < last) && k > 0 && length > 1e-3) {
            length *= 0.5;
            for (int i = 0; i < nw; i++) x->w[i] = a->w[i] + length * a->d[first + i];
            continue;
        }
        FLX_TRY(s->ops->linearise(s, work, &p, &a->blocks));
        ++*linearisations;
        fill_algebraic(a);
        FLX_TRY(flx_lu_factor(a->lu, a->lu_values));
        for (int i = 0; i < a->n; i++) {
            a->d[i] = i >= first && i < first + nw ? -a->r[i] : 0.0;
        }
        flx_lu_solve(a->lu, a->d);
        double step = 0.0, size = 0.0;
        for (int i = 0; i < nw; i++) {
            a->w[i] = x->w[i];
            x->w[i] += a->d[first + i];
            step = fmax(step, fabs(a->d[first + i]));
            size = fmax(size, fabs(x->w[i]));
        }
        if (step <= ROUNDING * (size + DBL_MIN)) return FLX_OK;
        last = now;
        length = 1.0;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- accelerations --------------------------------------------------------------------------

// Multipliers of compliant rows, from the residual at lambda = mu = 0 and minus the diagonal of A0.
static void set_compliant(flx_accelerator *a, flx_state *x)
{
    const flx_system *s = a->sys;
    const flx_pattern *p = &s->pattern;
    int fb = flx_dims_first_constraint(&s->dims), nlam = s->dims.nlam;
    for (int i = 0; i < p->nblock; i++) {
        if (p->start[i] < fb) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            if (p->col[e] != i) continue;
            int nr = p->start[i + 1] - p->start[i];
            for (int r = 0; r < nr; r++) {
                int k = p->start[i] + r - fb;
                if (a->kept[k]) continue;
                double C = -a->blocks.A0[p->offset[e] + r * nr + r];
                double value = a->soft[k] ? a->r[fb + k] / C : 0.0;
                *(k < nlam ? &x->lam[k] : &x->mu[k - nlam]) = value;
            }
        }
    }
}

// Right-hand side of the rows of G and A at acceleration level.
static flx_status constraint_rhs(flx_accelerator *a, flx_work *work, const flx_point *p)
{
    const flx_system *s = a->sys;
    int fb = flx_dims_first_constraint(&s->dims), nlam = s->dims.nlam, nmu = s->dims.nmu;
    if (nlam + nmu == 0) return FLX_OK;
    FLX_TRY(s->ops->constraint_bias(s, work, p, a->bias));
    if (nlam) FLX_TRY(s->ops->constraint_rate(s, work, p, a->rate));
    for (int i = 0; i < nlam + nmu; i++) {
        a->d[fb + i] = -a->bias[i];
        // d/dt of sigma g + tau g' = 0
        if (i < nlam) a->d[fb + i] -= a->yield[i] * a->rate[i];
    }
    return FLX_OK;
}

static void add_correction(flx_accelerator *a, flx_state *x)
{
    const flx_dims *d = &a->sys->dims;
    int fb = flx_dims_first_constraint(&a->sys->dims);
    for (int i = 0; i < d->nv; i++) x->a[i] += a->d[i];
    for (int i = 0; i < d->nlam; i++) x->lam[i] += a->d[fb + i];
    for (int i = 0; i < d->nmu; i++) x->mu[i] += a->d[fb + d->nlam + i];
}

// In place in d.
static flx_status solve(flx_accelerator *a, double *error)
{
    if (a->insists) return flx_saddle_solve_firmly(a->saddle, TRUSTED, a->d, a->asked, error);
    *error = flx_saddle_solve(a->saddle, a->d);
    return FLX_OK;
}

// out (n): rows of constraints times u (nv), where the pattern does not hold them; scratch (n)
static void multiply_constraints(const flx_accelerator *a, flx_work *work, const double *u,
                                 double *scratch, double *out)
{
    const flx_system *s = a->sys;
    const double position[3] = {1.0, 0.0, 0.0}, rate[3] = {0.0, 1.0, 0.0};
    const double *const along[3] = {u, u, NULL};
    int fb = flx_dims_first_constraint(&s->dims);
    memset(scratch, 0, (size_t)a->n * sizeof *scratch);
    memset(out, 0, (size_t)a->n * sizeof *out);
    s->ops->product(s, work, &a->blocks, position, along, scratch);
    s->ops->product(s, work, &a->blocks, rate, along, out);
    for (int i = fb; i < a->n; i++) {
        int row = i - fb;
        if (!flx_saddle_active(a->saddle, i))
            out[i] = 0.0;
        else if (row < s->dims.nlam && a->tau[row] == 0.0)
            out[i] = scratch[i] / a->sigma[row];
        else if (row < s->dims.nlam)
            out[i] /= a->tau[row];
    }
}

// The system's own factors eliminate velocities without pivoting and do not tell their error: a velocity without inertia
// that constraints hold drowns the other rows of these. Rows that depend on each other are met, too: they ask for nothing that
// contradicts.
static bool constraints_are_met(flx_accelerator *a, flx_work *work)
{
    const flx_dims *d = &a->sys->dims;
    double *asked = a->probe, *met = a->probe + a->n, *scratch = a->probe + 2 * a->n;
    for (int i = 0; i < d->nv; i++) a->d[i] = 1.0 + 0.37 * (i % 3); // nothing special
    multiply_constraints(a, work, a->d, scratch, asked);
    for (int i = d->nv; i < a->n; i++) a->d[i] = asked[i];
    (void)flx_saddle_solve(a->saddle, a->d);
    multiply_constraints(a, work, a->d, scratch, met);
    int fb = flx_dims_first_constraint(d);
    double most = 0.0, off = 0.0;
    for (int i = fb; i < a->n; i++) {
        most = fmax(most, fabs(asked[i]));
        off = fmax(off, isfinite(met[i]) ? fabs(met[i] - asked[i]) : HUGE_VAL);
    }
    // what nothing holds flies off, as far as its damping lets it
    bool stays = largest(a->d, d->nv, 0, &a->worst) < HELD * sqrt(1.0 / FLX_SMALL_POSITION);
    return stays && off <= MET * most;
}

// Whether the matrix answers to every force. A pivot that was moved belongs to a row that says
// nothing new, or to a velocity without inertia that a constraint holds, and then it does; or to one that
// nothing holds, and then no solution has a small residual.
static flx_status determines(flx_accelerator *a, flx_work *work)
{
    int nv = a->sys->dims.nv;
    double error;
    if (a->probe) return constraints_are_met(a, work) ? FLX_OK : FLX_SINGULAR;
    memset(a->d, 0, (size_t)a->n * sizeof *a->d);
    for (int i = 0; i < nv; i++) a->d[i] = 1.0 + 0.37 * (i % 3); // nothing special
    FLX_TRY(solve(a, &error));
    if (error < TRUSTED) return FLX_OK;
    largest(a->d, nv, 0, &a->worst);
    return FLX_SINGULAR;
}

// Links without inertia, which the system's own factors do not tell: the form for explicit methods has momenta there.
static bool lacks_inertia(const flx_accelerator *a)
{
    const flx_explicit *form = a->sys->ops->explicit_form;
    return a->probe && form && form->fill;
}

static flx_status factor(flx_accelerator *a, flx_work *work)
{
    static const flx_saddle_metric mass = {0};
    FLX_TRY(flx_saddle_factor(a->saddle, &a->blocks, FLX_ROWS_VELOCITY, &mass));
    bool doubtful = flx_saddle_regularised(a->saddle, NULL) || lacks_inertia(a);
    return doubtful ? determines(a, work) : FLX_OK;
}

// (ACC-2), with factors at the state's positions, which are made.
static flx_status project(flx_accelerator *a, flx_work *work, flx_state *x)
{
    const flx_system *s = a->sys;
    const flx_dims *d = &s->dims;
    int fb = flx_dims_first_constraint(&s->dims);
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->linearise(s, work, &p, &a->blocks));
    FLX_TRY(factor(a, work));
    FLX_TRY(s->ops->residual(s, work, &p, a->r));
    if (d->nlam) FLX_TRY(s->ops->constraint_rate(s, work, &p, a->rate));
    memset(a->d, 0, (size_t)a->n * sizeof *a->d);
    for (int i = fb; i < a->n; i++) {
        int row = i - fb;
        bool rate = row < d->nlam && a->tau[row] == 0.0; // else the row is on velocity level itself
        double slip = rate ? a->rate[row] : row < d->nlam ? a->r[i] / a->tau[row] : a->r[i];
        if (flx_saddle_active(a->saddle, i)) a->d[i] = -slip;
    }
    double error;
    FLX_TRY(solve(a, &error));
    if (!(error < TRUSTED)) return FLX_SINGULAR;
    for (int i = 0; i < d->nv; i++) x->v[i] += a->d[i];
    return FLX_OK;
}

// Everything but positions, velocities and states; `factored`: the saddle holds the factors of these
// positions.
static flx_status evaluate(flx_accelerator *a, flx_work *work, flx_state *x, bool factored,
                           long *residuals, long *linearisations)
{
    const flx_system *s = a->sys;
    const flx_dims *d = &s->dims;
    FLX_TRY(solve_algebraic(a, work, x, residuals, linearisations));

    memset(x->a, 0, (size_t)d->nv * sizeof *x->a);
    memset(x->dx, 0, (size_t)d->nx * sizeof *x->dx);
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        if (!a->kept[i]) *(i < d->nlam ? &x->lam[i] : &x->mu[i - d->nlam]) = 0.0;
    }
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->residual(s, work, &p, a->r));
    ++*residuals;
    if (!factored) {
        FLX_TRY(s->ops->linearise(s, work, &p, &a->blocks));
        ++*linearisations;
    }
    double scale = largest(a->r, d->nv, 0, &a->worst);
    set_compliant(a, x);
    for (int i = 0; i < d->nx; i++) x->dx[i] = -a->r[d->nv + i];
    if (!factored) FLX_TRY(factor(a, work));
    double last = HUGE_VAL;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        FLX_TRY(s->ops->residual(s, work, &p, a->r));
        ++*residuals;
        double now = largest(a->r, d->nv, 0, &a->worst);
        if (!isfinite(now)) return FLX_NOT_FINITE;
        if (k == 0) scale = fmax(scale, now);
        // states may read what compliant rows give
        for (int i = 0; k == 0 && i < d->nx; i++) x->dx[i] -= a->r[d->nv + i];
        if (k > 0 && now <= ROUNDING * scale) return FLX_OK;
        // what rounding leaves behind stagnates a little above
        if (k > 0 && now <= 1e3 * ROUNDING * scale && now > 0.1 * last) return FLX_OK;
        // where forces balance, the terms are larger than their sum, but the residual is linear in
        // what is sought and the solve is trusted: what a second correction leaves is their rounding
        if (k > 1 && now > 0.1 * last && now < 10.0 * last) return FLX_OK;
        if (now > 1e6 * scale) return FLX_NO_CONVERGENCE;
        memset(a->d, 0, (size_t)a->n * sizeof *a->d);
        for (int i = 0; i < d->nv; i++) a->d[i] = -a->r[i];
        if (k == 0) FLX_TRY(constraint_rhs(a, work, &p));
        double error;
        FLX_TRY(solve(a, &error));
        if (!(error < TRUSTED)) {
            flx_saddle_regularised(a->saddle, &a->worst);
            return FLX_SINGULAR;
        }
        add_correction(a, x);
        if (a->together) { // the rest of it is no small correction
            return flx_index1_solve(a->together, work, x, residuals, linearisations);
        }
        for (int i = flx_dims_first_constraint(&s->dims); i < a->n; i++)
            scale = fmax(scale, fabs(a->d[i]));
        last = now;
    }
    return FLX_NO_CONVERGENCE;
}

flx_status flx_accelerator_eval(flx_accelerator *a, flx_work *work, flx_state *x, long *residuals,
                                long *linearisations)
{
    long unused[2] = {0, 0};
    return evaluate(a, work, x, false, residuals ? residuals : &unused[0],
                    linearisations ? linearisations : &unused[1]);
}

flx_status flx_accelerator_settle(flx_accelerator *a, flx_work *work, flx_state *x, long *residuals,
                                  long *linearisations)
{
    long unused[2] = {0, 0};
    if (!residuals) residuals = &unused[0];
    if (!linearisations) linearisations = &unused[1];
    FLX_TRY(project(a, work, x));
    ++*residuals;
    ++*linearisations;
    return evaluate(a, work, x, true, residuals, linearisations);
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_accelerator_memory(flx_accelerator *a, flx_memory *m)
{
    const flx_dims *d = &a->sys->dims;
    flx_memory_pass(m, a->soft, (size_t)(d->nlam + d->nmu) * sizeof *a->soft);
    flx_memory_pass(m, a->kept, (size_t)(d->nlam + d->nmu) * sizeof *a->kept);
    flx_memory_numbers(m, a->yield, (size_t)d->nlam);
    flx_saddle_memory(a->saddle, m);
    if (a->lu) flx_lu_memory(a->lu, m);
    if (a->together) flx_index1_memory(a->together, m);
}
