// collocation_stages.c - the stages of a Radau step and Newton's iteration for them.
//
// Corrections are taken apart by the eigenvectors of Ai: with w = mu_k / h, r the residual's part
// and u = S^2 G^T deta
//     G S^2 G^T deta = -r_g' + w r_g                                GGL only            (COL-5)
//     (w^2 A2 + w A1 + A0) d = -r - (w A2 + A1) u                                       (COL-3)
//     dZ, ... = d,   dV = w d + u
// one real and one complex matrix for 3 stages, and one of [S^-2 G^T; G 0] that knows neither w nor h.
// The derivatives of B and of G are left out of the matrix. Theory: docs/theory/integrators.md.
#include "integrate/collocation.h"

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
    int m = d->nv + d->nx;
    double w[COLLOCATION_STAGES + 1] = {0.0}, l[COLLOCATION_STAGES] = {0.0};
    for (int i = 0; i < co->s; i++) {
        double tau = 1.0 + co->tab->c[i] * co->h / co->h_last, *U = co->now.U + (size_t)i * co->n;
        if (m > 0) collocation_weights_with_start(co->tab, tau, w);
        if (co->n > m) collocation_weights_stages(co->tab, tau, l);
        for (int j = 0; j < co->n; j++) {
            const double *last = co->last.U + j, *weight = j < m ? w + 1 : l;
            double sum = j >= d->nv && j < m ? w[0] * before->x[j - d->nv] : 0.0;
            for (int k = 0; k < co->s; k++) sum += weight[k] * last[(size_t)k * co->n];
            U[j] = sum;
        }
        if (d->nv == 0) continue;
        s->ops->retract(s, before->q, U, co->Q);
        s->ops->difference(s, x->q, co->Q, U);
    }
    if (co->ggl) memcpy(co->now.eta, co->last.eta, (size_t)(co->s * d->nlam) * sizeof(double));
}

void collocation_predict(flx_integrator *it, const flx_state *x, collocation_guess guess)
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

void collocation_set_step(collocation *co, double h)
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
        FLX_TRY(s->ops->bond_force(s, it->work, &p, co->now.eta + (size_t)i * d->nlam, co->theta));
        for (int j = 0; j < d->nv; j++) V[j] += co->theta[j] / co->metric[j];
    }
    differentiate(co, co->now.V, d->nv, x->v, x->a, d->nv, co->now.A);
    return FLX_OK;
}

// (COL-1)
flx_status collocation_derive(flx_integrator *it, const flx_state *x)
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

flx_status collocation_evaluate(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    FLX_TRY(collocation_derive(it, x));
    for (int i = 0; i < co->s; i++) {
        flx_point p = stage_point(it, x, i);
        FLX_TRY(s->ops->residual(s, it->work, &p, co->R + (size_t)i * co->n));
        it->stats.residuals++;
        if (!co->ggl) continue;
        FLX_TRY(s->ops->bond_rate(s, it->work, &p, co->gd + (size_t)i * s->dims.nlam));
    }
    return co->at_end ? evaluate_end(it, x) : FLX_OK;
}

// ---- matrix ---------------------------------------------------------------------------------

void collocation_add_product(const flx_system *s, const flx_blocks *blocks, const double *a,
                             const double *b, double sign, double *out)
{
    const flx_pattern *p = &s->pattern;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            if (p->start[j] >= s->dims.nv) break; // columns ascend
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

flx_status collocation_factor_metric(flx_integrator *it, double damping)
{
    collocation *co = it->data;
    const flx_saddle_metric metric = {
        .shift = co->metric, .without_mass = true, .damping = damping};
    it->stats.factorisations++;
    return flx_saddle_factor(co->saddle, &co->blocks, FLX_ROWS_POSITION, &metric);
}

flx_status collocation_linearise(flx_integrator *it, const flx_state *x, int stage)
{
    collocation *co = it->data;
    flx_point p = stage_point(it, x, stage);
    co->linearised = false;
    co->left = 1.0;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &p, &co->blocks));
    it->stats.linearisations++;
    if (co->saddle) {
        FLX_TRY(collocation_factor_metric(it, COLLOCATION_LOST));
        co->left = flx_saddle_pivot_ratio(co->saddle);
    }
    co->linearised = true;
    collocation_measure_compliance(it);
    co->age = 0;
    co->fresh_iterations = 0;
    co->extra = 0;
    co->rounding = 0.0;
    return FLX_OK;
}

flx_linear *collocation_solver(const collocation *co, int k)
{
    return k < co->tab->nreal ? co->real : co->pair[k - co->tab->nreal];
}

flx_status collocation_factor(flx_integrator *it)
{
    collocation *co = it->data;
    co->h_factored = 0.0;
    co->contraction = 0.0;
    int n = co->tab->neigen;
    bool filter = co->adaptive && co->tab->nreal == 0; // a real weight for the error alone
    for (int k = 0; k < n + filter; k++) {
        double complex w = (k < n ? co->tab->mu[k] : collocation_tableau_filter(co->tab)) / co->h;
        flx_weights weights = {.c0 = 1.0, .c1 = w, .c2 = w * w, .cx = w};
        flx_linear *lin = k < n ? collocation_solver(co, k) : co->real;
        FLX_TRY(flx_linear_factor(lin, &co->blocks, &weights));
        it->stats.factorisations++;
    }
    co->h_factored = co->h;
    collocation_weigh_velocities(it);
    return FLX_OK;
}

// ---- correction -----------------------------------------------------------------------------

// u = S^2 G^T deta and deta of one eigenvalue; z holds minus the residual's part, b minus that of
// G V + g_t. deta is left in the bond rows of b, b_imag, with a minus.
static void solve_velocities(flx_integrator *it, int k, double complex w)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    bool pair = k >= co->tab->nreal;
    memset(co->b, 0, (size_t)co->n * sizeof(double));
    memset(co->b_imag, 0, (size_t)co->n * sizeof(double));
    for (int j = 0; j < d->nlam; j++) {
        if (!co->on_position[j]) continue;
        double complex sum = -w * co->z[co->first + j] / co->sigma[j];
        for (int i = 0; i < co->s; i++) sum -= co->tab->Pi[k][i] * co->gd[i * d->nlam + j];
        co->b[co->first + j] = creal(sum);
        co->b_imag[co->first + j] = cimag(sum);
    }
    flx_saddle_solve_once(co->saddle, co->b);
    if (pair) flx_saddle_solve_once(co->saddle, co->b_imag);
    it->stats.solves += pair ? 2 : 1;
    for (int j = 0; j < d->nv; j++) co->u[j] = flx_complex(co->b[j], pair ? co->b_imag[j] : 0.0);
}

// z -= (w A2 + A1) u
static void subtract_velocities(flx_integrator *it, int k, double complex w)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    double *a = co->theta, *b = co->rate, *out = co->e, wr = creal(w), wi = cimag(w);
    for (int part = 0; part < (k < co->tab->nreal ? 1 : 2); part++) {
        for (int j = 0; j < d->nv; j++) {
            double ur = creal(co->u[j]), ui = cimag(co->u[j]);
            a[j] = part ? wr * ui + wi * ur : wr * ur - wi * ui;
            b[j] = part ? ui : ur;
        }
        memset(out, 0, (size_t)co->n * sizeof *out);
        collocation_add_product(it->sys, &co->blocks, a, b, 1.0, out);
        for (int j = 0; j < co->n; j++) {
            double re = creal(co->z[j]), im = cimag(co->z[j]);
            co->z[j] = part ? flx_complex(re, im - out[j]) : flx_complex(re - out[j], im);
        }
    }
}

// Parts of minus the residuals along eigenvector k: into z.
static inline void split_stages(collocation *co, const int s, int k)
{
    bool pair = k >= co->tab->nreal;
    for (int j = 0; j < co->n; j++) {
        double re = 0.0, im = 0.0;
        for (int i = 0; i < s; i++) {
            double r = co->R[i * co->n + j];
            re -= creal(co->tab->Pi[k][i]) * r;
            if (pair) im -= cimag(co->tab->Pi[k][i]) * r;
        }
        co->z[j] = flx_complex(re, im);
    }
}

static void split(collocation *co, int k)
{
    switch (co->s) {
    case 3:
        split_stages(co, 3, k);
        break;
    case 5:
        split_stages(co, 5, k);
        break;
    case 7:
        split_stages(co, 7, k);
        break;
    default:
        split_stages(co, co->s, k);
    }
}

static flx_status solve_linear(flx_integrator *it, int k)
{
    collocation *co = it->data;
    it->stats.solves++;
    if (k >= co->tab->nreal) return flx_linear_solve_complex(collocation_solver(co, k), co->z);
    double *re = co->e;
    for (int j = 0; j < co->n; j++) re[j] = creal(co->z[j]);
    FLX_TRY(flx_linear_solve(co->real, re));
    for (int j = 0; j < co->n; j++) co->z[j] = re[j];
    return FLX_OK;
}

// out_i (m) of all stages receives the part y of eigenvalue k; the first one begins it.
static void join(const collocation *co, int k, const double complex *y, int m, double *out)
{
    bool pair = k >= co->tab->nreal;
    for (int i = 0; i < co->s; i++, out += m) {
        double complex p = co->tab->P[i][k];
        double pr = pair ? 2.0 * creal(p) : creal(p), pi = pair ? 2.0 * cimag(p) : 0.0;
        if (k == 0) {
            for (int j = 0; j < m; j++) out[j] = pr * creal(y[j]) - pi * cimag(y[j]);
        } else {
            for (int j = 0; j < m; j++) out[j] += pr * creal(y[j]) - pi * cimag(y[j]);
        }
    }
}

// D_i, dV_i, deta_i of all stages receive their part from eigenvalue k. Complex products are written
// out: those of the language look at infinities each time.
static void add_part(flx_integrator *it, int k, double complex w)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    double wr = creal(w), wi = cimag(w);
    for (int j = 0; j < d->nv; j++) { // u becomes w d + u
        double zr = creal(co->z[j]), zi = cimag(co->z[j]);
        double ur = co->ggl ? creal(co->u[j]) : 0.0, ui = co->ggl ? cimag(co->u[j]) : 0.0;
        co->u[j] = flx_complex(ur + wr * zr - wi * zi, ui + wr * zi + wi * zr);
    }
    join(co, k, co->z, co->n, co->D);
    if (d->nv > 0) join(co, k, co->u, d->nv, co->dV);
    if (!co->ggl) return;
    for (int j = 0; j < d->nlam; j++) {
        co->z[j] = flx_complex(-co->b[co->first + j], -co->b_imag[co->first + j]);
    }
    join(co, k, co->z, d->nlam, co->deta);
}

flx_status collocation_correct(flx_integrator *it)
{
    collocation *co = it->data;
    for (int k = 0; k < co->tab->neigen; k++) {
        double complex w = co->tab->mu[k] / co->h;
        split(co, k);
        if (co->ggl) {
            solve_velocities(it, k, w);
            subtract_velocities(it, k, w);
        }
        FLX_TRY(solve_linear(it, k));
        add_part(it, k, w);
    }
    return FLX_OK;
}

void collocation_apply(collocation *co, const flx_dims *d)
{
    for (int i = 0; i < co->s * co->n; i++) co->now.U[i] += co->D[i];
    if (!co->ggl) return;
    for (int i = 0; i < co->s * d->nlam; i++) co->now.eta[i] += co->deta[i];
}
