// bdf_newton.c - the linear solver behind IDA.
//
// IDA's Newton iteration asks for J d = b with J = dF/dy + c dF/dy'. The velocities go first,
//     d_v = c d_theta + s,   s = G^T d_eta - b_theta                                     (BDF-3)
//     G G^T d_eta = b_lambda + G b_theta - c b_eta
//     (c^2 A2 + c A1 + A0) (d_theta, d_x, d_w, d_lambda, d_mu) = b - (c A2 + A1) s       (SYS-7)
// so that the matrices are those of the other methods: of positions and multipliers. What this leaves
// out turns the velocities by what the positions are closed by, which no small step makes small:
//     r_theta = T^+ T(d_q) v,   r_lambda = -(G' d_theta + 2 G T^+ T(T d_theta) v)        (BDF-4)
// with G' the rate of G along the motion. It is solved for in the same way and added.
#include "integrate/multistep/bdf.h"

#include <math.h>

// The way along the motion over which the rate of G is a difference, by positions.
#define AHEAD 1e-8

// G a little later, as the motion at pt goes: its difference from that of the factors is G'.
static flx_status look_ahead(flx_integrator *it, const flx_point *pt)
{
    bdf *p = it->data;
    const flx_system *s = it->sys;
    double later = AHEAD / fmax(1.0, bdf_largest(pt->v, s->dims.nv));
    for (int i = 0; i < s->dims.nv; i++) p->r[i] = later * pt->v[i];
    s->ops->retract(s, pt->q, p->r, p->trial->q);
    flx_point then = *pt;
    then.t += later;
    then.q = p->trial->q;
    bdf_copy(p->speed, pt->v, s->dims.nv);
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
    flx_point pt = flx_bdf_point_of(it, t, y, yp);
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

int flx_bdf_fill(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *user,
                 N_Vector a1, N_Vector a2, N_Vector a3)
{
    flx_integrator *it = user;
    (void)r, (void)J, (void)a1, (void)a2, (void)a3;
    flx_status s = factor(it, t, c, flx_sundials_values(y), flx_sundials_values(yp));
    if (s != FLX_OK) ((bdf *)it->data)->trouble = s;
    return flx_sundials_answer(s);
}

// b -= (c A2 + A1) s over the columns of the velocities
static void subtract_velocities(flx_integrator *it, const double *s, double *b)
{
    const bdf *p = it->data;
    const flx_system *sys = it->sys;
    const flx_pattern *m = &sys->pattern;
    if (m->extra > 0) {
        sys->ops->product(sys, it->work, &p->blocks, (const double[]){0.0, -1.0, -p->c},
                          (const double *const[]){NULL, s, s}, b);
        return;
    }
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
    int first = flx_dims_first_constraint(d);
    flx_saddle_constraint_product(p->saddle, b_theta, p->r);
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
    int first = flx_dims_first_constraint(d);
    double *theta = flx_method_of(it)->theta; // b_theta
    it->stats.solves++;
    if (s->ops->components) {
        s->ops->components->velocity(s, p->q, b, theta);
        s->ops->components->rate(s, p->q, theta, x);
        // what is left turns nothing: it is the length of quaternions
        for (int i = 0; i < d->nq; i++) x[i] = (b[i] - x[i]) / p->c;
    } else {
        bdf_copy(theta, b, d->nv);
        memset(x, 0, (size_t)d->nq * sizeof *x);
    }
    memset(p->s, 0, (size_t)p->n * sizeof *p->s);
    bdf_copy(p->b, b + p->v, p->n);
    if (p->nb > 0) {
        solve_eta(p, s, theta, b, x, p->s);
        for (int i = 0; i < d->nlam; i++) {
            if (p->stabilised[i]) p->b[first + i] = b[p->eta + i];
        }
    }
    for (int i = 0; i < d->nv; i++) p->s[i] -= theta[i];
    subtract_velocities(it, p->s, p->b);
    FLX_TRY(flx_linear_solve(p->linear, p->b));
    flx_bdf_rate_of(s, p->q, p->b, p->r);
    for (int i = 0; i < d->nq; i++) x[i] += p->r[i];
    for (int i = 0; i < d->nv; i++) x[p->v + i] = p->c * p->b[i] + p->s[i];
    bdf_copy(x + p->u, p->b + d->nv, p->n - d->nv);
    return FLX_OK;
}

// out (nlam) -= G' d over the constraints that are stabilised.
static void subtract_turning(const bdf *p, const flx_system *sys, const double *d, double *out)
{
    const flx_pattern *m = &sys->pattern;
    int first = flx_dims_first_constraint(&sys->dims);
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
    int first = flx_dims_first_constraint(&s->dims);
    double *theta = flx_method_of(it)->theta, *lam = rest + p->v + first;
    memset(rest, 0, (size_t)p->ny * sizeof *rest);
    subtract_turning(p, s, p->b, lam);
    if (!by) return;
    by->rate(s, p->q, p->b, p->turn);
    change_rate(it, p->turn, rest);
    by->velocity(s, p->q, rest, theta);
    flx_saddle_constraint_product(p->saddle, theta, p->r);
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

bool flx_bdf_make_matrix(flx_integrator *it)
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
