// bdf.c - backward differentiation of variable order 1 to 5 by SUNDIALS' IDA, on the residual
//
//     F(t, y, y') = 0,   y = (q, v, x, w, lambda, mu, eta)                               (BDF-2)
//     0 = q' - T(q) (v - G^T eta)
//     0 = M v' - f + G^T lambda + A^T mu,   0 = x' - phi,   0 = psi
//     0 = G v + g_t,   0 = A v + b - E mu,   0 = g
// Bonds are stabilised (GGL): their rates and the positions themselves, with eta = 0 up to the error
// of the method. Bonds with C > 0 or tau > 0 stay as they are, with eta = 0. Quaternions are
// components, normalised where they are used. Algebraic unknowns are not in the error test.
//
// IDA's Newton iteration asks for J d = b with J = dF/dy + c dF/dy'. The velocities go first,
//     d_v = c d_theta + s,   s = G^T d_eta - b_theta                                     (BDF-3)
//     G G^T d_eta = b_lambda + G b_theta - c b_eta
//     (c^2 A2 + c A1 + A0) (d_theta, d_x, d_w, d_lambda, d_mu) = b - (c A2 + A1) s       (SYS-7)
// so that the matrices are those of the other methods: of positions and multipliers. What this leaves
// out turns the velocities by what the positions are closed by, which no small step makes small:
//     r_theta = T^+ T(d_q) v,   r_lambda = -(G' d_theta + 2 G T^+ T(T d_theta) v)        (BDF-4)
// with G' the rate of G along the motion. It is solved for in the same way and added.
//
// Source: Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
// ACM TOMS 31 (2005); Gear, Gupta, Leimkuhler, JCAM 12 (1985). Theory: docs/theory/integrators.md.
#include "integrate/linear.h"
#include "integrate/multistep.h"
#include "integrate/saddle.h"
#include "integrate/sundials.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#define HIGHEST_ORDER 5
#define DEFAULT_RTOL 1e-6
#define DEFAULT_ATOL 1e-8
#define MOST_FAILURES 20
// Of the tolerance, what a step may err by: the steps are many, and their errors add up.
#define SHARE 0.4
// The iteration is judged by the positions, which say the same as eta does: the rounding of eta itself
// grows as the step shrinks, and the weights are those of the step that was tried first.
#define ETA_WEIGHT 1e-3
// Sweeps that close the joints of what is reported, and when they are closed.
#define CLOSING_SWEEPS 6
#define CLOSED (8.0 * DBL_EPSILON)
// A sweep that leaves more than this asks for new factors.
#define SLOW 1e-2
// The way along the motion over which the rate of G is a difference, by positions.
#define AHEAD 1e-8

// For closing joints: of what steps report, and of values inside them, which leave no trace.
typedef struct joints {
    flx_saddle *saddle; // owned
    bool there, fresh;  // it is factored; at the state that is being closed
} joints;
enum { AT_STEPS, INSIDE, PLACES };

typedef struct bdf {
    flx_sundials sun; // y; other: y', which are differential, interpolated values
    void *ida;        // owned
    SUNLinearSolver solver;
    SUNMatrix matrix; // a handle: the values are in blocks
    int n, nb;        // unknowns of the system; bonds that are stabilised
    int v, u, eta;    // where velocities, the unknowns after them, and eta begin in y
    int ny;
    bool started;
    bool *stabilised; // (nlam)
    double rtol, atol;
    double h;                // the first step after a start
    double *tolerance;       // (n) absolute, of algebraic unknowns
    int *index;              // (n)
    flx_blocks blocks, near; // of the factors; for closing joints
    flx_blocks turning;      // A0: the rate of A0 along the motion, at the factors
    flx_linear *linear;
    flx_saddle *saddle; // NULL: no bond is stabilised
    joints joints[PLACES];
    double *q;             // (nq) normalised
    double *r, *b, *s, *g; // (n or nq) (n) (n) (nlam or nq)
    double *speed;         // (nv) of the factors
    double *rest, *turn;   // (ny) what a solution leaves, and what that adds to it
    double *shift;         // (nv) ones
    double c;              // of the factors
    flx_state *trial;      // parameters of the step: switches
    flx_status trouble;    // of the last evaluation that failed
} bdf;

// ---- residual -------------------------------------------------------------------------------

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void normalise(flx_integrator *it, const double *q)
{
    bdf *p = it->data;
    copy(p->q, q, it->sys->dims.nq);
    if (it->sys->ops->components) it->sys->ops->components->normalise(it->sys, p->q);
}

static void rate_of(const flx_system *s, const double *q, const double *v, double *dq)
{
    if (s->ops->components) {
        s->ops->components->rate(s, q, v, dq);
    } else {
        copy(dq, v, s->dims.nv);
    }
}

// The point of y and y', with quaternions normalised.
static flx_point point_of(flx_integrator *it, double t, const double *y, const double *yp)
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

static flx_status eval_bonds(flx_integrator *it, const flx_point *pt, const double *y, double *F)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double *lam = F + p->u + s->dims.nx + s->dims.nw;
    FLX_TRY(s->ops->bond_rate(s, it->work, pt, p->g));
    for (int i = 0; i < s->dims.nlam; i++) {
        F[p->eta + i] = p->stabilised[i] ? lam[i] : y[p->eta + i];
        if (p->stabilised[i]) lam[i] = p->g[i];
    }
    FLX_TRY(s->ops->bond_force(s, it->work, pt, y + p->eta, p->s));
    for (int i = 0; i < s->dims.nv; i++) p->s[i] = pt->v[i] - p->s[i];
    return FLX_OK;
}

// (BDF-2)
static flx_status eval(flx_integrator *it, double t, const double *y, const double *yp, double *F)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    flx_point pt = point_of(it, t, y, yp);
    const double *speed = pt.v;
    it->stats.residuals++;
    FLX_TRY(s->ops->residual(s, it->work, &pt, F + p->v));
    if (p->nb > 0) {
        FLX_TRY(eval_bonds(it, &pt, y, F));
        speed = p->s;
    }
    rate_of(s, y, speed, F);
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
    for (int i = first; i < p->n; i++) {
        double scale = p->rtol * fabs(value[p->v + i]) + p->tolerance[i];
        weight[p->v + i] = (p->index[i] > 1 ? h : 1.0) / scale;
    }
    for (int i = p->eta; i < p->ny; i++) weight[i] = ETA_WEIGHT * h / p->atol;
    return 0;
}

// ---- linear algebra -------------------------------------------------------------------------

// G a little later, as the motion at pt goes: its difference from that of the factors is G'.
static flx_status look_ahead(flx_integrator *it, const flx_point *pt)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double later = AHEAD / fmax(1.0, largest(pt->v, s->dims.nv));
    for (int i = 0; i < s->dims.nv; i++) p->r[i] = later * pt->v[i];
    s->ops->retract(s, pt->q, p->r, p->trial->q);
    flx_point then = *pt;
    then.t += later;
    then.q = p->trial->q;
    copy(p->speed, pt->v, s->dims.nv);
    it->stats.linearisations++;
    FLX_TRY(s->ops->linearise(s, it->work, &then, &p->turning));
    for (int i = 0; i < s->pattern.offset[s->pattern.row[s->pattern.nblock]]; i++) {
        p->turning.A0[i] = (p->turning.A0[i] - p->blocks.A0[i]) / later;
    }
    return FLX_OK;
}

static flx_status factor(flx_integrator *it, double t, double c, const double *y, const double *yp)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    flx_point pt = point_of(it, t, y, yp);
    const flx_weights w = {.c0 = 1.0, .c1 = c, .c2 = c * c, .cx = c};
    const flx_saddle_metric ones = {.shift = p->shift, .without_mass = true};
    it->stats.linearisations++;
    it->stats.factorisations++;
    p->c = c;
    FLX_TRY(s->ops->linearise(s, it->work, &pt, &p->blocks));
    if (p->nb > 0) {
        FLX_TRY(flx_saddle_factor(p->saddle, &p->blocks, FLX_ROWS_POSITION, &ones));
        FLX_TRY(look_ahead(it, &pt));
    }
    return flx_linear_factor(p->linear, &p->blocks, &w);
}

static int fill(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *user,
                N_Vector a1, N_Vector a2, N_Vector a3)
{
    flx_integrator *it = user;
    (void)r, (void)J, (void)a1, (void)a2, (void)a3;
    flx_status s = factor(it, t, c, flx_sundials_values(y), flx_sundials_values(yp));
    if (s != FLX_OK) ((bdf *)it->data)->trouble = s;
    return flx_sundials_answer(s);
}

// b -= (c A2 + A1) s over the columns of the velocities
static void subtract_velocities(const bdf *p, const flx_system *sys, const double *s, double *b)
{
    const flx_pattern *m = &sys->pattern;
    for (int i = 0; i < m->nblock; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            int j = m->col[e], k = m->offset[e];
            if (m->start[j] >= sys->dims.nv) break; // columns ascend
            if (m->parts && !(m->parts[e] & 6)) continue;
            for (int row = m->start[i]; row < m->start[i + 1]; row++) {
                for (int col = m->start[j]; col < m->start[j + 1]; col++, k++) {
                    b[row] -= (p->c * p->blocks.A2[k] + p->blocks.A1[k]) * s[col];
                }
            }
        }
    }
}

// G^T d_eta, with d_eta into x, from what the rows say of it (BDF-3); in s.
static void solve_eta(const bdf *p, const flx_system *sys, const double *b_theta, const double *b,
                      double *x, double *s)
{
    const flx_dims *d = &sys->dims;
    int first = d->nv + d->nx + d->nw;
    flx_saddle_bond_product(p->saddle, b_theta, p->r);
    memset(s, 0, (size_t)p->n * sizeof *s);
    for (int i = 0; i < d->nlam; i++) {
        if (!p->stabilised[i]) continue;
        double eta = b[p->v + first + i] + p->r[first + i] - p->c * b[p->eta + i];
        s[first + i] = -eta;
    }
    flx_saddle_solve_once(p->saddle, s);
    for (int i = 0; i < d->nlam; i++) {
        x[p->eta + i] = p->stabilised[i] ? s[first + i] : b[p->eta + i];
    }
    for (int i = 0; i < d->nv; i++) s[i] = -s[i];
}

// (BDF-3)
static flx_status solve_without_turning(flx_integrator *it, const double *b, double *x)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int first = d->nv + d->nx + d->nw;
    double *theta = flx_method_of(it)->theta; // b_theta
    it->stats.solves++;
    if (s->ops->components) {
        s->ops->components->velocity(s, p->q, b, theta);
        s->ops->components->rate(s, p->q, theta, x);
        // what is left turns nothing: it is the length of quaternions
        for (int i = 0; i < d->nq; i++) x[i] = (b[i] - x[i]) / p->c;
    } else {
        copy(theta, b, d->nv);
        memset(x, 0, (size_t)d->nq * sizeof *x);
    }
    memset(p->s, 0, (size_t)p->n * sizeof *p->s);
    copy(p->b, b + p->v, p->n);
    if (p->nb > 0) {
        solve_eta(p, s, theta, b, x, p->s);
        for (int i = 0; i < d->nlam; i++) {
            if (p->stabilised[i]) p->b[first + i] = b[p->eta + i];
        }
    }
    for (int i = 0; i < d->nv; i++) p->s[i] -= theta[i];
    subtract_velocities(p, s, p->s, p->b);
    FLX_TRY(flx_linear_solve(p->linear, p->b));
    rate_of(s, p->q, p->b, p->r);
    for (int i = 0; i < d->nq; i++) x[i] += p->r[i];
    for (int i = 0; i < d->nv; i++) x[p->v + i] = p->c * p->b[i] + p->s[i];
    copy(x + p->u, p->b + d->nv, p->n - d->nv);
    return FLX_OK;
}

// out (nlam) -= G' d over the bonds that are stabilised.
static void subtract_turning(const bdf *p, const flx_system *sys, const double *d, double *out)
{
    const flx_pattern *m = &sys->pattern;
    int first = sys->dims.nv + sys->dims.nx + sys->dims.nw;
    for (int i = 0; i < m->nblock; i++) {
        if (m->start[i] < first || m->start[i] >= first + sys->dims.nlam) continue;
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            int j = m->col[e], k = m->offset[e];
            if (m->start[j] >= sys->dims.nv) break; // columns ascend
            for (int row = m->start[i]; row < m->start[i + 1]; row++) {
                for (int col = m->start[j]; col < m->start[j + 1]; col++, k++) {
                    if (!p->stabilised[row - first]) continue;
                    out[row - first] -= p->turning.A0[k] * d[col];
                }
            }
        }
    }
}

// dq = T(change) v: T is linear in quaternions, and constant for what is no quaternion.
static void change_rate(flx_integrator *it, const double *change, double *dq)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    memset(p->r, 0, (size_t)s->dims.nq * sizeof *p->r);
    s->ops->components->rate(s, p->r, p->speed, p->g);
    s->ops->components->rate(s, change, p->speed, dq);
    for (int i = 0; i < s->dims.nq; i++) dq[i] -= p->g[i];
}

// What a solution leaves of its right-hand side (BDF-4).
static void find_rest(flx_integrator *it, const double *x, double *rest)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const flx_components *by = s->ops->components;
    int first = s->dims.nv + s->dims.nx + s->dims.nw;
    double *theta = flx_method_of(it)->theta, *lam = rest + p->v + first;
    memset(rest, 0, (size_t)p->ny * sizeof *rest);
    subtract_turning(p, s, p->b, lam);
    if (!by) return;
    by->rate(s, p->q, p->b, p->turn);
    change_rate(it, p->turn, rest);
    by->velocity(s, p->q, rest, theta);
    flx_saddle_bond_product(p->saddle, theta, p->r);
    for (int i = 0; i < s->dims.nlam; i++) {
        if (p->stabilised[i]) lam[i] -= 2.0 * p->r[first + i];
    }
    change_rate(it, x, rest);
}

static flx_status solve(flx_integrator *it, const double *b, double *x)
{
    bdf *p = it->data;
    FLX_TRY(solve_without_turning(it, b, x));
    if (p->nb == 0) return FLX_OK;
    find_rest(it, x, p->rest);
    FLX_TRY(solve_without_turning(it, p->rest, p->turn));
    for (int i = 0; i < p->ny; i++) x[i] += p->turn[i];
    return FLX_OK;
}

static SUNMatrix_ID matrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSTOM;
}
static int matrix_zero(SUNMatrix A)
{
    (void)A;
    return 0;
}
static SUNLinearSolver_Type solver_type(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}
static SUNLinearSolver_ID solver_id(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}
static int solver_begin(SUNLinearSolver S)
{
    (void)S;
    return 0;
}
static int solver_setup(SUNLinearSolver S, SUNMatrix A) // the matrix is factored when it is filled
{
    (void)S, (void)A;
    return 0;
}
static int solver_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, double tol)
{
    (void)A, (void)tol;
    flx_integrator *it = S->content;
    return flx_sundials_answer(solve(it, flx_sundials_values(b), flx_sundials_values(x)));
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
    for (int i = 0; i < PLACES; i++) flx_saddle_destroy(&p->joints[i].saddle);
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

// Which bonds are stabilised, and how large an error of each algebraic unknown may be.
static flx_status look_at_unknowns(flx_integrator *it)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    for (int i = 0; i < p->n; i++) {
        flx_unknown u = {0};
        it->sys->ops->unknown(it->sys, i, &u);
        p->index[i] = u.index;
        p->tolerance[i] = p->atol;
        if (u.kind == FLX_UNKNOWN_BOND && u.C > 0.0) p->tolerance[i] = p->atol * u.scale / u.C;
        if (u.kind == FLX_UNKNOWN_VELOCITY_BOND && u.E > 0.0) {
            p->tolerance[i] = p->atol * u.scale / u.E;
        }
        if (!flx_bond_on_position(&u)) continue;
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
    if (p->nb > 0) FLX_TRY(flx_blocks_create(s, &p->turning));
    FLX_TRY(flx_linear_create(s, false, &p->linear));
    flx_linear_take_full(p->linear); // IDA gives up where a correction does not shrink at once
    if (p->nb > 0) FLX_TRY(flx_saddle_create(s, &p->saddle));
    for (int i = 0; i < PLACES && p->nb > 0; i++) {
        FLX_TRY(flx_saddle_create(s, &p->joints[i].saddle));
    }
    return flx_state_create(s, &p->trial);
}

// q, v and x are differential; the others are not in the error test.
static void mark_differential(const flx_integrator *it, double *id)
{
    const bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    for (int i = 0; i < p->ny; i++) id[i] = i < d->nq + d->nv + d->nx ? 1.0 : 0.0;
}

static bool make_matrix(flx_integrator *it)
{
    bdf *p = it->data;
    p->matrix = SUNMatNewEmpty(p->sun.context);
    p->solver = SUNLinSolNewEmpty(p->sun.context);
    if (!p->matrix || !p->solver) return false;
    p->matrix->ops->getid = matrix_id;
    p->matrix->ops->zero = matrix_zero;
    p->solver->content = it;
    p->solver->ops->gettype = solver_type;
    p->solver->ops->getid = solver_id;
    p->solver->ops->initialize = solver_begin;
    p->solver->ops->setup = solver_setup;
    p->solver->ops->solve = solver_solve;
    return true;
}

static flx_status make_solver(flx_integrator *it)
{
    bdf *p = it->data;
    FLX_TRY(flx_sundials_open(it, p->ny, 3, &p->sun));
    N_Vector yp = p->sun.other[0], id = p->sun.other[1];
    mark_differential(it, flx_sundials_values(id));
    p->ida = IDACreate(p->sun.context);
    bool made = p->ida && make_matrix(it);
    made = made && IDASetErrHandlerFn(p->ida, flx_sundials_hush, NULL) == IDA_SUCCESS;
    made = made && IDAInit(p->ida, residual, 0.0, p->sun.y, yp) == IDA_SUCCESS;
    made = made && IDASetUserData(p->ida, it) == IDA_SUCCESS;
    made = made && IDAWFtolerances(p->ida, weigh) == IDA_SUCCESS;
    made = made && IDASetLinearSolver(p->ida, p->solver, p->matrix) == IDA_SUCCESS;
    made = made && IDASetJacFn(p->ida, fill) == IDA_SUCCESS;
    made = made && IDASetId(p->ida, id) == IDA_SUCCESS;
    made = made && IDASetSuppressAlg(p->ida, SUNTRUE) == IDA_SUCCESS;
    made = made && IDASetMaxErrTestFails(p->ida, MOST_FAILURES) == IDA_SUCCESS;
    made = made && IDASetMaxConvFails(p->ida, MOST_FAILURES) == IDA_SUCCESS;
    made = made && IDASetMaxNumSteps(p->ida, -1) == IDA_SUCCESS; // ours counts
    if (made && it->def.largest_step > 0.0) {
        made = IDASetMaxStep(p->ida, it->def.largest_step) == IDA_SUCCESS;
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
    p->n = flx_dims_unknowns(d);
    p->v = d->nq;
    p->u = p->v + d->nv;
    p->eta = p->v + p->n;
    p->rtol = SHARE * (it->def.rtol > 0.0 ? it->def.rtol : DEFAULT_RTOL);
    p->atol = SHARE * (it->def.atol > 0.0 ? it->def.atol : DEFAULT_ATOL);
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
    copy(y, x->q, d->nq);
    rate_of(it->sys, x->q, x->v, yp);
    copy(y + p->v, x->v, d->nv);
    copy(yp + p->v, x->a, d->nv);
    double *u = y + p->u;
    copy(u, x->x, d->nx);
    copy(yp + p->u, x->dx, d->nx);
    copy(u + d->nx, x->w, d->nw);
    copy(u + d->nx + d->nw, x->lam, d->nlam);
    copy(u + d->nx + d->nw + d->nlam, x->mu, d->nmu);
}

static void unpack(flx_integrator *it, double t, const double *y, const double *yp, flx_state *x)
{
    bdf *p = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *u = y + p->u;
    x->t = t;
    normalise(it, y);
    copy(x->q, p->q, d->nq);
    copy(x->v, y + p->v, d->nv);
    copy(x->a, yp + p->v, d->nv);
    copy(x->x, u, d->nx);
    copy(x->dx, yp + p->u, d->nx);
    copy(x->w, u + d->nx, d->nw);
    copy(x->lam, u + d->nx + d->nw, d->nlam);
    copy(x->mu, u + d->nx + d->nw + d->nlam, d->nmu);
}

// Right-hand side from the rows of stabilised bonds; the largest.
static double gather(const bdf *p, const flx_system *s, const double *rows, double *b)
{
    int first = s->dims.nv + s->dims.nx + s->dims.nw;
    double most = 0.0;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int i = 0; i < s->dims.nlam; i++) {
        if (!p->stabilised[i]) continue;
        b[first + i] = -rows[i];
        most = fmax(most, fabs(rows[i]));
    }
    return most;
}

// New factors for the joints, at x.
static flx_status look_at_joints(flx_integrator *it, const flx_state *x, joints *j)
{
    bdf *p = it->data;
    const flx_saddle_metric ones = {.shift = p->shift, .without_mass = true};
    flx_point pt = flx_state_point(it->sys, x);
    it->stats.linearisations++;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &pt, &p->near));
    FLX_TRY(flx_saddle_factor(j->saddle, &p->near, FLX_ROWS_POSITION, &ones));
    j->there = j->fresh = true;
    return FLX_OK;
}

// Rows of the stabilised bonds, on positions or velocities.
static flx_status measure_joints(flx_integrator *it, const flx_state *x, bool velocities,
                                 double *open)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    const double *rows = p->g;
    flx_point pt = flx_state_point(s, x);
    if (velocities) {
        FLX_TRY(s->ops->bond_rate(s, it->work, &pt, p->g));
    } else {
        it->stats.residuals++;
        FLX_TRY(s->ops->residual(s, it->work, &pt, p->r));
        rows = p->r + s->dims.nv + s->dims.nx + s->dims.nw;
    }
    *open = gather(p, s, rows, p->b);
    return FLX_OK;
}

// Positions, or velocities, of x to where the joints are closed. A sweep that is known to end there,
// by what the one before it left, is not measured any more.
static flx_status close_rows(flx_integrator *it, flx_state *x, joints *j, bool velocities,
                             double closed)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double last = HUGE_VAL, open, left = 1.0;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(measure_joints(it, x, velocities, &open));
        if (open <= closed || (j->fresh && !(open < 0.5 * last))) break;
        if (last < HUGE_VAL) left = open / last;
        if (!j->there || (!j->fresh && open > SLOW * last)) {
            FLX_TRY(look_at_joints(it, x, j));
            left = 1.0;
            (void)gather(p, s, velocities ? p->g : p->r + s->dims.nv + s->dims.nx + s->dims.nw,
                         p->b);
        }
        last = open;
        flx_saddle_solve_once(j->saddle, p->b);
        if (velocities) {
            for (int i = 0; i < s->dims.nv; i++) x->v[i] += p->b[i];
        } else {
            s->ops->retract(s, x->q, p->b, x->q);
        }
        if (left * open <= closed) break;
    }
    return FLX_OK;
}

// What is reported meets the joints to rounding, whatever the tolerance: nearest positions, then
// velocities. The history of the method is not touched.
static flx_status close_joints(flx_integrator *it, flx_state *x, joints *j)
{
    bdf *p = it->data;
    if (p->nb == 0) return FLX_OK;
    j->fresh = false;
    FLX_TRY(close_rows(it, x, j, false, CLOSED));
    return close_rows(it, x, j, true, CLOSED * fmax(1.0, largest(x->v, it->sys->dims.nv)));
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
    if (it->def.first_step > 0.0) return fmin(it->def.first_step, h_most);
    for (int i = 0; i < n; i++) {
        double size = yp[i] / (p->rtol * fabs(y[i]) + p->atol);
        sum += size * size;
    }
    return fmin(most, sqrt(0.5 * most / fmax(sqrt(sum / n), DBL_MIN)));
}

static flx_status start(flx_integrator *it, const flx_state *x, double h_most)
{
    bdf *p = it->data;
    pack(it, x);
    p->h = first_step(it, h_most);
    for (int i = 0; i < PLACES; i++) p->joints[i].there = false;
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
        s = close_joints(it, p->trial, &p->joints[AT_STEPS]);
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
    FLX_TRY(close_joints(it, p->trial, &p->joints[INSIDE]));
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
