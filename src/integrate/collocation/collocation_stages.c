// collocation_stages.c - the stages of a Radau step and Newton's iteration for them.
//
// Corrections are taken apart by the eigenvectors of Ai: with w = mu_k / h, r the residual's part
// and u = S^2 G^T deta
//     G S^2 G^T deta = -r_g' + w r_g                                GGL only            (COL-5)
//     (w^2 A2 + w A1 + A0) d = -r - (w A2 + A1) u                                       (COL-3)
//     dZ, ... = d,   dV = w d + u
// one real and one complex matrix for 3 stages, and one of [S^-2 G^T; G 0] that knows neither w nor h.
// The derivatives of B and of G are left out of the matrix. Theory: docs/theory/integrators.md.
#include "integrate/collocation/collocation.h"

#include <math.h>
#include <string.h>

// ---- prediction -----------------------------------------------------------------------------

// `plain`: no more than the velocities are believed. Accelerations and forces of a start that is far
// from the slow motion of a stiff system say nothing about a step.
static void predict_by_taylor(collocation *co, const flx_dims *d, const flx_state *x, bool plain)
{
    double on = plain ? 0.0 : 1.0;
    for (int i = 0; i < co->s; i++) {
        double *U = co->now.U + (size_t)i * co->n, ch = co->tab->c[i] * co->h;
        for (int j = 0; j < d->nv; j++) U[j] = ch * (x->v[j] + on * 0.5 * ch * x->a[j]);
        for (int j = 0; j < d->nx; j++) U[d->nv + j] = x->x[j] + on * ch * x->dx[j];
        double *rest = U + d->nv + d->nx;
        for (int j = 0; j < d->nw; j++) *rest++ = on * x->w[j];
        for (int j = 0; j < d->nlam; j++) *rest++ = on * x->lam[j];
        for (int j = 0; j < d->nmu; j++) *rest++ = on * x->mu[j];
    }
    memset(co->now.eta, 0, (size_t)(co->s * d->nlam) * sizeof(double));
}

// The polynomials of the last step, which began at `before`, at the times of the new stages.
static void predict_by_polynomial(flx_integrator *it, const flx_state *before, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const collocation_tableau *t = co->tab_last;
    int m = d->nv + d->nx;
    double w[COLLOCATION_STAGES + 1] = {0.0}, l[COLLOCATION_STAGES] = {0.0};
    for (int i = 0; i < co->s; i++) {
        double tau = 1.0 + co->tab->c[i] * co->h / co->h_last, *U = co->now.U + (size_t)i * co->n;
        if (m > 0) flx_collocation_weights_with_start(t, tau, w);
        if (co->n > m) flx_collocation_weights_stages(t, tau, l);
        for (int j = 0; j < co->n; j++) {
            const double *last = co->last.U + j, *weight = j < m ? w + 1 : l;
            double sum = j >= d->nv && j < m ? w[0] * before->x[j - d->nv] : 0.0;
            for (int k = 0; k < t->s; k++) sum += weight[k] * last[(size_t)k * co->n];
            U[j] = sum;
        }
        if (d->nv == 0) continue;
        s->ops->retract(s, before->q, U, co->Q);
        s->ops->difference(s, x->q, co->Q, U);
    }
    size_t size = (size_t)(co->s * d->nlam) * sizeof(double);
    if (t == co->tab) {
        memcpy(co->now.eta, co->last.eta, size);
    } else {
        memset(co->now.eta, 0, size);
    }
}

void flx_collocation_predict(flx_integrator *it, const flx_state *x, collocation_guess guess)
{
    if (guess == COLLOCATION_EXTRAPOLATED) {
        predict_by_polynomial(it, flx_method_of(it)->before, x);
    } else {
        predict_by_taylor(it->data, &it->sys->dims, x, guess == COLLOCATION_PLAIN);
    }
}

// ---- evaluation -----------------------------------------------------------------------------

static flx_point stage_point(const flx_integrator *it, const flx_state *x, int i)
{
    const collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *U = co->now.U + (size_t)i * co->n;
    return (flx_point){.t = x->t + co->tab->c[i] * co->h,
                       .q = co->Q + (size_t)i * d->nq,
                       .v = co->now.V + (size_t)i * d->nv,
                       .a = co->now.A + (size_t)i * d->nv,
                       .x = U + d->nv,
                       .dx = co->now.dX + (size_t)i * d->nx,
                       .w = U + d->nv + d->nx,
                       .lam = U + co->first,
                       .mu = U + co->first + d->nlam,
                       .param = it->sys->param,
                       .switches = x->switches};
}

// Rates of all stages, out (s m) = (1/h) sum_j Ai_ij (y_j - y0) - slope_i dy0, of values that lie
// `stride` apart (COL-13). y0 NULL: zero; then dy0 + (1/h) sum_j Ai_ij (y_j - c_j h dy0), which is
// the same, A 1 = c, but the rounding of Ai meets the change of the rate, not the rate, and does not
// add up over many steps.
static inline void differentiate_stages(const collocation *co, const int s, const double *y,
                                        int stride, const double *y0, const double *dy0, int m,
                                        double *out)
{
    for (int k = 0; k < m; k++) {
        double change[COLLOCATION_STAGES];
        for (int j = 0; j < s; j++) {
            double start = y0 ? y0[k] : co->tab->c[j] * co->h * dy0[k];
            change[j] = y[j * stride + k] - start;
        }
        for (int i = 0; i < s; i++) {
            double sum = y0 ? 0.0 : dy0[k];
            if (y0 && co->tab->slopes) sum = -co->tab->slope[i] * dy0[k];
            for (int j = 0; j < s; j++) sum += co->rates[i][j] * change[j];
            out[i * m + k] = sum;
        }
    }
}

// Written out for the numbers of stages that are used most.
static void differentiate(const collocation *co, const double *y, int stride, const double *y0,
                          const double *dy0, int m, double *out)
{
    switch (co->s) {
    case 3:
        differentiate_stages(co, 3, y, stride, y0, dy0, m, out);
        break;
    case 5:
        differentiate_stages(co, 5, y, stride, y0, dy0, m, out);
        break;
    case 7:
        differentiate_stages(co, 7, y, stride, y0, dy0, m, out);
        break;
    default:
        differentiate_stages(co, co->s, y, stride, y0, dy0, m, out);
    }
}

void flx_collocation_set_step(collocation *co, double h)
{
    if (h == co->h) return;
    co->h = h;
    for (int i = 0; i < co->s; i++) {
        for (int j = 0; j < co->s; j++) co->rates[i][j] = co->tab->Ai[i][j] / h;
    }
}

// Positions and velocities of the stages.
static flx_status derive_motion(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    differentiate(co, co->now.U, co->n, NULL, x->v, d->nv, co->now.V);
    for (int i = 0; i < co->s; i++) {
        const double *Z = co->now.U + (size_t)i * co->n;
        double *V = co->now.V + (size_t)i * d->nv;
        s->ops->retract(s, x->q, Z, co->Q + (size_t)i * d->nq);
        s->ops->velocity(s, Z, V, V);
        if (!co->ggl) continue;
        flx_point p = stage_point(it, x, i);
        FLX_TRY(s->ops->constraint_force(s, it->work, &p, co->now.eta + (size_t)i * d->nlam,
                                         co->theta));
        for (int j = 0; j < d->nv; j++) V[j] += co->theta[j] / co->metric[j];
    }
    differentiate(co, co->now.V, d->nv, x->v, x->a, d->nv, co->now.A);
    return FLX_OK;
}

// (COL-1)
flx_status flx_collocation_derive(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    if (d->nv > 0) FLX_TRY(derive_motion(it, x));
    differentiate(co, co->now.U + d->nv, co->n, x->x, x->dx, d->nx, co->now.dX);
    return FLX_OK;
}

// Rigid rows at the end of the step, in the place of those at the only stage: divided by d they have
// the same derivative.
static flx_status evaluate_end(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double weight = co->tab->d[0];
    for (int j = 0; j < d->nv; j++) {
        co->theta[j] = weight * co->now.U[j];
        co->rate[j] = x->v[j] + weight * (co->now.V[j] - x->v[j]);
    }
    s->ops->retract(s, x->q, co->theta, co->point_q);
    flx_point p = stage_point(it, x, 0);
    p.t = x->t + co->h;
    p.q = co->point_q;
    p.v = co->rate;
    FLX_TRY(s->ops->residual(s, it->work, &p, co->e));
    it->stats.residuals++;
    for (int j = 0; j < d->nlam + d->nmu; j++) {
        if (co->rigid[j]) co->R[co->first + j] = co->e[co->first + j] / weight;
    }
    return FLX_OK;
}

flx_status flx_collocation_evaluate(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    FLX_TRY(flx_collocation_derive(it, x));
    for (int i = 0; i < co->s; i++) {
        flx_point p = stage_point(it, x, i);
        FLX_TRY(s->ops->residual(s, it->work, &p, co->R + (size_t)i * co->n));
        it->stats.residuals++;
        if (!co->ggl) continue;
        FLX_TRY(s->ops->constraint_rate(s, it->work, &p, co->gd + (size_t)i * s->dims.nlam));
    }
    return co->at_end ? evaluate_end(it, x) : FLX_OK;
}

// ---- matrix ---------------------------------------------------------------------------------

enum { HAS_A1 = 2, HAS_A2 = 4 }; // flx_pattern.parts

void flx_collocation_add_product(flx_integrator *it, const flx_blocks *blocks, const double *a,
                                 const double *b, double sign, double *out)
{
    const flx_system *s = it->sys;
    const flx_pattern *p = &s->pattern;
    if (p->extra > 0) {
        s->ops->product(s, it->work, blocks, (const double[]){0.0, sign, sign},
                        (const double *const[]){NULL, b, a}, out);
        return;
    }
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            if (p->start[j] >= s->dims.nv) break; // columns ascend
            if (p->parts && !(p->parts[e] & (HAS_A1 | HAS_A2))) continue;
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                double sum = 0.0;
                for (int c = p->start[j]; c < p->start[j + 1]; c++, k++) {
                    sum += blocks->A2[k] * a[c] + blocks->A1[k] * b[c];
                }
                out[r] += sign * sum;
            }
        }
    }
}

flx_status flx_collocation_factor_metric(flx_integrator *it, double damping)
{
    collocation *co = it->data;
    const flx_saddle_metric metric = {
        .shift = co->metric, .without_mass = true, .damping = damping};
    it->stats.factorisations++;
    return flx_saddle_factor(co->saddle, &co->blocks, FLX_ROWS_POSITION, &metric);
}

flx_status flx_collocation_linearise(flx_integrator *it, const flx_state *x, int stage)
{
    collocation *co = it->data;
    flx_point p = stage_point(it, x, stage);
    co->linearised = false;
    co->left = 1.0;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &p, &co->blocks));
    it->stats.linearisations++;
    if (co->saddle) {
        FLX_TRY(flx_collocation_factor_metric(it, COLLOCATION_LOST));
        co->left = flx_saddle_pivot_ratio(co->saddle);
    }
    co->linearised = true;
    flx_stiff_constraints_measure(&co->stiff, it->sys, &co->blocks, co->theta);
    flx_newton_open_books(&co->books);
    co->rounding = 0.0;
    return FLX_OK;
}

flx_linear *flx_collocation_solver(const collocation *co, int k)
{
    return k < co->tab->nreal ? co->real : co->pair[k - co->tab->nreal];
}

static flx_weights weights_of(double complex w)
{
    return (flx_weights){.c0 = 1.0, .c1 = w, .c2 = w * w, .cx = w};
}

// A sparse solver takes memory with its first factors: those that only tableaux with more stages need
// get theirs at the first step, not later in the time loop.
static flx_status warm_up(flx_integrator *it)
{
    collocation *co = it->data;
    const collocation_tableau *more = &co->table[co->ntable - 1];
    for (int k = co->tab->neigen; k < more->neigen && !co->warm; k++) {
        flx_weights weights = weights_of(more->mu[k] / co->h);
        flx_status status = flx_linear_factor(co->pair[k - more->nreal], &co->blocks, &weights);
        if (status < 0) return status;
    }
    co->warm = true;
    return FLX_OK;
}

// Real weights first where the tableau has one; without one a real weight is for the error alone.
static flx_status factor_all(flx_integrator *it, double h)
{
    collocation *co = it->data;
    int n = co->tab->neigen;
    bool filter = co->adaptive && co->tab->nreal == 0;
    for (int k = 0; k < n + filter; k++) {
        double complex w = (k < n ? co->tab->mu[k] : flx_collocation_tableau_filter(co->tab)) / h;
        flx_weights weights = weights_of(w);
        flx_linear *lin = k < n ? flx_collocation_solver(co, k) : co->real;
        FLX_TRY(flx_linear_factor(lin, &co->blocks, &weights));
        it->stats.factorisations++;
    }
    return FLX_OK;
}

flx_status flx_collocation_factor(flx_integrator *it)
{
    collocation *co = it->data;
    co->books.h_factored = 0.0;
    co->books.contraction = 0.0;
    co->owed = false;
    FLX_TRY(factor_all(it, co->h));
    co->books.h_factored = co->h;
    flx_collocation_weigh_velocities(it);
    return warm_up(it);
}

flx_status flx_collocation_pay(flx_integrator *it)
{
    collocation *co = it->data;
    long before = it->stats.factorisations; // they were counted when they were made first
    if (!co->owed) return FLX_OK;
    co->owed = false;
    flx_status status = factor_all(it, co->books.h_factored);
    it->stats.factorisations = before;
    return status;
}

// ---- correction -----------------------------------------------------------------------------

// out_k (m) = sum_i M_ki in_i of s rows.
static inline void combine_rows(const int s, const double M[][COLLOCATION_STAGES],
                                const double *restrict in, int m, double *restrict out)
{
    for (int j = 0; j < m; j++) {
        double y[COLLOCATION_STAGES];
        for (int i = 0; i < s; i++) y[i] = in[i * m + j];
        for (int k = 0; k < s; k++) {
            double sum = 0.0;
            for (int i = 0; i < s; i++) sum += M[k][i] * y[i];
            out[k * m + j] = sum;
        }
    }
}

// Written out for the numbers of stages that are used most.
static void combine(const collocation *co, const double M[][COLLOCATION_STAGES], const double *in,
                    int m, double *out)
{
    switch (co->s) {
    case 3:
        combine_rows(3, M, in, m, out);
        break;
    case 5:
        combine_rows(5, M, in, m, out);
        break;
    case 7:
        combine_rows(7, M, in, m, out);
        break;
    default:
        combine_rows(co->s, M, in, m, out);
    }
}

// The parts of one eigenvalue: real and imaginary rows of the unknowns, of velocities and of deta, the
// imaginary ones NULL for a real eigenvalue.
typedef struct part {
    int k;
    double wr, wi; // mu_k / h
    double *z, *z_imag, *u, *u_imag, *eta, *eta_imag;
} part;

static part find_part(const collocation *co, const flx_dims *d, int k)
{
    int nreal = co->tab->nreal, row = k < nreal ? k : 2 * k - nreal;
    double *velocities = co->parts + co->s * co->n, *etas = velocities + co->s * d->nv;
    part p = {.k = k,
              .wr = creal(co->tab->mu[k]) / co->h,
              .wi = cimag(co->tab->mu[k]) / co->h,
              .z = co->parts + (size_t)row * co->n,
              .u = velocities + (size_t)row * d->nv,
              .eta = etas + (size_t)row * d->nlam};
    if (k < nreal) return p;
    p.z_imag = p.z + co->n;
    p.u_imag = p.u + d->nv;
    p.eta_imag = p.eta + d->nlam;
    return p;
}

// u = S^2 G^T deta and deta; z holds minus the residual's part, eta that of G V + g_t. (COL-5)
static void solve_velocities(flx_integrator *it, const part *p)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *z = p->z + co->first, *z_imag = p->z_imag ? p->z_imag + co->first : NULL;
    double *b = co->b, *b_imag = co->b_imag;
    FLX_ASSERT(p->u && p->eta);
    memset(b, 0, (size_t)co->n * sizeof *b);
    memset(b_imag, 0, (size_t)co->n * sizeof *b_imag);
    for (int j = 0; j < d->nlam; j++) {
        if (!co->on_position[j]) continue;
        double zi = z_imag ? z_imag[j] : 0.0, w = 1.0 / co->sigma[j];
        b[co->first + j] = -w * (p->wr * z[j] - p->wi * zi) - p->eta[j];
        if (z_imag) b_imag[co->first + j] = -w * (p->wr * zi + p->wi * z[j]) - p->eta_imag[j];
    }
    for (int side = 0; side < (z_imag ? 2 : 1); side++) {
        double *x = side ? b_imag : b, *eta = side ? p->eta_imag : p->eta;
        flx_saddle_solve_once(co->saddle, x);
        it->stats.solves++;
        memcpy(side ? p->u_imag : p->u, x, (size_t)d->nv * sizeof *x);
        for (int j = 0; j < d->nlam; j++) eta[j] = -x[co->first + j];
    }
}

// z -= (w A2 + A1) u
static void subtract_velocities(flx_integrator *it, const part *p)
{
    collocation *co = it->data;
    int nv = it->sys->dims.nv;
    double *wu = co->theta;
    for (int j = 0; j < nv; j++) {
        wu[j] = p->wr * p->u[j] - (p->u_imag ? p->wi * p->u_imag[j] : 0.0);
    }
    flx_collocation_add_product(it, &co->blocks, wu, p->u, -1.0, p->z);
    if (!p->u_imag) return;
    for (int j = 0; j < nv; j++) wu[j] = p->wr * p->u_imag[j] + p->wi * p->u[j];
    flx_collocation_add_product(it, &co->blocks, wu, p->u_imag, -1.0, p->z_imag);
}

static flx_status solve_linear(flx_integrator *it, const part *p)
{
    collocation *co = it->data;
    it->stats.solves++;
    if (!p->z_imag) return flx_linear_solve(co->real, p->z);
    for (int j = 0; j < co->n; j++) co->z[j] = flx_complex(p->z[j], p->z_imag[j]);
    FLX_TRY(flx_linear_solve_complex(flx_collocation_solver(co, p->k), co->z));
    for (int j = 0; j < co->n; j++) {
        p->z[j] = creal(co->z[j]);
        p->z_imag[j] = cimag(co->z[j]);
    }
    return FLX_OK;
}

// u becomes w z + u, where without GGL u is nothing.
static void add_positions(const collocation *co, const part *p, int nv)
{
    for (int j = 0; j < nv; j++) {
        double zr = p->z[j], zi = p->z_imag ? p->z_imag[j] : 0.0;
        double re = p->wr * zr - p->wi * zi, im = p->wr * zi + p->wi * zr;
        p->u[j] = co->ggl ? p->u[j] + re : re;
        if (p->u_imag) p->u_imag[j] = co->ggl ? p->u_imag[j] + im : im;
    }
}

flx_status flx_collocation_correct(flx_integrator *it)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    const collocation_tableau *t = co->tab;
    double *velocities = co->parts + co->s * co->n, *etas = velocities + co->s * d->nv;
    combine(co, t->apart, co->R, co->n, co->parts);
    if (co->ggl) combine(co, t->apart, co->gd, d->nlam, etas);
    for (int i = 0; i < co->s * co->n; i++) co->parts[i] = -co->parts[i];
    for (int k = 0; k < t->neigen; k++) {
        part p = find_part(co, d, k);
        if (co->ggl) {
            solve_velocities(it, &p);
            subtract_velocities(it, &p);
        }
        FLX_TRY(solve_linear(it, &p));
        add_positions(co, &p, d->nv);
    }
    combine(co, t->together, co->parts, co->n, co->D);
    if (d->nv > 0) combine(co, t->together, velocities, d->nv, co->dV);
    if (co->ggl) combine(co, t->together, etas, d->nlam, co->deta);
    return FLX_OK;
}

void flx_collocation_apply(collocation *co, const flx_dims *d)
{
    for (int i = 0; i < co->s * co->n; i++) co->now.U[i] += co->D[i];
    if (!co->ggl) return;
    for (int i = 0; i < co->s * d->nlam; i++) co->now.eta[i] += co->deta[i];
}
