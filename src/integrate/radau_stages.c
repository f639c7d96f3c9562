// radau_stages.c - the stages of a Radau step and Newton's iteration for them.
//
// Corrections are taken apart by the eigenvectors of Ai: with w = mu_k / h, r the residual's part
// and u = S^2 G^T deta
//     G S^2 G^T deta = -r_g' + w r_g                                GGL only            (RAD-5)
//     (w^2 A2 + w A1 + A0) d = -r - (w A2 + A1) u                                       (RAD-3)
//     dZ, ... = d,   dV = w d + u
// one real and one complex matrix for 3 stages, and one of [S^-2 G^T; G 0] that knows neither w nor h.
// The derivatives of B and of G are left out of the matrix. Theory: docs/theory/integrators.md.
#include "integrate/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 60
// With error control a smaller step is better than many iterations.
#define MAX_ADAPTIVE_ITERATIONS 15
// The part of its scale that a position is solved to is at least this ...
#define POSITION_FLOOR 4e-16
// ... and otherwise so good that velocities keep this part of their size.
#define VELOCITY_TOLERANCE 3e-14
// The same for multipliers, or what the rounding of positions leaves of them if that is more.
#define FORCE_TOLERANCE 1e-9
#define WORST_FORCE_TOLERANCE 1e-4
// Above this contraction an old linearisation is renewed within the step,
#define SLOW 0.4
// ... above this one the iteration is accelerated, which may take so many iterations.
#define ACCELERATED 0.15
#define PATIENCE 10
#define ADAPTIVE_PATIENCE 5
// Corrections below this part of the scale that shrink no more are rounding.
#define ROUNDING_CORRECTION 1e-10
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6
// Pivot ratios below this are reported as a singular position.
#define SINGULAR_PIVOT 1e-10
// Sweeps that close the joints at the end of a step.
#define CLOSING_SWEEPS 12
// Joints open by this part of their scale are closed; 8 eps leaves room for the rounding of g.
#define CLOSED (8.0 * DBL_EPSILON)

// What is still open by more than this part of the scale (per second, of the largest velocity) after
// that is closed with a linearisation of its own.
#define STILL_OPEN 1e-12

// ---- prediction -----------------------------------------------------------------------------

static void predict_by_taylor(radau *ra, const flx_dims *d, const flx_state *x)
{
    for (int i = 0; i < ra->s; i++) {
        double *U = ra->now.U + (size_t)i * ra->n, ch = ra->tab.c[i] * ra->h;
        for (int j = 0; j < d->nv; j++) U[j] = ch * (x->v[j] + 0.5 * ch * x->a[j]);
        for (int j = 0; j < d->nx; j++) U[d->nv + j] = x->x[j] + ch * x->dx[j];
        memcpy(U + d->nv + d->nx, x->w, (size_t)d->nw * sizeof *U);
        memcpy(U + ra->first, x->lam, (size_t)d->nlam * sizeof *U);
        memcpy(U + ra->first + d->nlam, x->mu, (size_t)d->nmu * sizeof *U);
    }
    memset(ra->now.eta, 0, (size_t)(ra->s * d->nlam) * sizeof(double));
}

// The polynomials of the last step, which began at `before`, at the times of the new stages.
static void predict_by_polynomial(flx_integrator *it, const flx_state *before, const flx_state *x)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double w[RADAU_STAGES + 1], l[RADAU_STAGES];
    for (int i = 0; i < ra->s; i++) {
        double tau = 1.0 + ra->tab.c[i] * ra->h / ra->h_last, *U = ra->now.U + (size_t)i * ra->n;
        radau_weights_with_start(&ra->tab, tau, w);
        radau_weights_stages(&ra->tab, tau, l);
        for (int j = 0; j < d->nx; j++) U[d->nv + j] = w[0] * before->x[j];
        memset(ra->theta, 0, (size_t)d->nv * sizeof(double));
        memset(U + d->nv + d->nx, 0, (size_t)(ra->n - d->nv - d->nx) * sizeof *U);
        for (int k = 0; k < ra->s; k++) {
            const double *last = ra->last.U + (size_t)k * ra->n;
            for (int j = 0; j < d->nv; j++) ra->theta[j] += w[k + 1] * last[j];
            for (int j = d->nv; j < d->nv + d->nx; j++) U[j] += w[k + 1] * last[j];
            for (int j = d->nv + d->nx; j < ra->n; j++) U[j] += l[k] * last[j];
        }
        s->ops->retract(s, before->q, ra->theta, ra->Q);
        s->ops->difference(s, x->q, ra->Q, U);
    }
    memcpy(ra->now.eta, ra->last.eta, (size_t)(ra->s * d->nlam) * sizeof(double));
}

void radau_predict(flx_integrator *it, const flx_state *x, bool extrapolate)
{
    if (extrapolate) {
        predict_by_polynomial(it, flx_method_of(it)->before, x);
    } else {
        predict_by_taylor(it->data, &it->sys->dims, x);
    }
}

// ---- evaluation -----------------------------------------------------------------------------

static flx_point stage_point(const flx_integrator *it, const flx_state *x, int i)
{
    const radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *U = ra->now.U + (size_t)i * ra->n;
    return (flx_point){.t = x->t + ra->tab.c[i] * ra->h,
                       .q = ra->Q + (size_t)i * d->nq,
                       .v = ra->now.V + (size_t)i * d->nv,
                       .a = ra->now.A + (size_t)i * d->nv,
                       .x = U + d->nv,
                       .dx = ra->now.dX + (size_t)i * d->nx,
                       .w = U + d->nv + d->nx,
                       .lam = U + ra->first,
                       .mu = U + ra->first + d->nlam,
                       .param = it->sys->param,
                       .switches = x->switches};
}

// out (m) = (1/h) sum_j Ai_ij (y_j - y0) of values that lie `stride` apart; y0 NULL: zero.
static void differentiate(const radau *ra, int i, const double *y, int stride, const double *y0,
                          int m, double *out)
{
    memset(out, 0, (size_t)m * sizeof *out);
    for (int j = 0; j < ra->s; j++) {
        double a = ra->tab.Ai[i][j] / ra->h;
        const double *yj = y + (size_t)j * stride;
        if (y0) {
            for (int k = 0; k < m; k++) out[k] += a * (yj[k] - y0[k]);
        } else {
            for (int k = 0; k < m; k++) out[k] += a * yj[k];
        }
    }
}

// (RAD-1)
static flx_status derive(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < ra->s; i++) {
        const double *Z = ra->now.U + (size_t)i * ra->n;
        double *V = ra->now.V + (size_t)i * d->nv;
        s->ops->retract(s, x->q, Z, ra->Q + (size_t)i * d->nq);
        differentiate(ra, i, ra->now.U, ra->n, NULL, d->nv, ra->rate);
        s->ops->velocity(s, Z, ra->rate, V);
        if (!ra->ggl) continue;
        flx_point p = stage_point(it, x, i);
        FLX_TRY(s->ops->bond_force(s, it->work, &p, ra->now.eta + (size_t)i * d->nlam, ra->theta));
        for (int j = 0; j < d->nv; j++) V[j] += ra->theta[j] / ra->metric[j];
    }
    for (int i = 0; i < ra->s; i++) {
        differentiate(ra, i, ra->now.V, d->nv, x->v, d->nv, ra->now.A + (size_t)i * d->nv);
        differentiate(ra, i, ra->now.U + d->nv, ra->n, x->x, d->nx, ra->now.dX + (size_t)i * d->nx);
    }
    return FLX_OK;
}

static flx_status evaluate(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    FLX_TRY(derive(it, x));
    for (int i = 0; i < ra->s; i++) {
        flx_point p = stage_point(it, x, i);
        FLX_TRY(s->ops->residual(s, it->work, &p, ra->R + (size_t)i * ra->n));
        it->stats.residuals++;
        if (!ra->ggl) continue;
        FLX_TRY(s->ops->bond_rate(s, it->work, &p, ra->gd + (size_t)i * s->dims.nlam));
    }
    return FLX_OK;
}

// ---- matrix ---------------------------------------------------------------------------------

void radau_add_product(const flx_system *s, const flx_blocks *blocks, const double *a,
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

// The stage next to the middle: what the linearisation errs there is smallest over the step. When
// that did not do, the last and the first one: it may be in a singular position.
static int choose_stage(const radau *ra, int renewals)
{
    int best = 0;
    for (int i = 1; i < ra->s; i++) {
        if (fabs(ra->tab.c[i] - 0.5) < fabs(ra->tab.c[best] - 0.5)) best = i;
    }
    return renewals % 3 == 0 ? best : renewals % 3 == 1 ? ra->s - 1 : 0;
}

flx_status radau_factor_metric(flx_integrator *it, double damping)
{
    radau *ra = it->data;
    const flx_saddle_metric metric = {
        .shift = ra->metric, .without_mass = true, .damping = damping};
    it->stats.factorisations++;
    return flx_saddle_factor(ra->saddle, &ra->blocks, FLX_ROWS_POSITION, &metric);
}

static flx_status linearise(flx_integrator *it, const flx_state *x, int stage)
{
    radau *ra = it->data;
    flx_point p = stage_point(it, x, stage);
    ra->linearised = false;
    ra->left = 1.0;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &p, &ra->blocks));
    it->stats.linearisations++;
    if (ra->saddle) {
        FLX_TRY(radau_factor_metric(it, RADAU_LOST));
        ra->left = flx_saddle_pivot_ratio(ra->saddle);
    }
    ra->linearised = true;
    radau_measure_compliance(it);
    ra->age = 0;
    ra->fresh_iterations = 0;
    ra->extra = 0;
    return FLX_OK;
}

static flx_status factor(flx_integrator *it)
{
    radau *ra = it->data;
    ra->h_factored = 0.0;
    ra->contraction = 0.0;
    for (int k = 0; k < ra->tab.neigen; k++) {
        double complex w = ra->tab.mu[k] / ra->h;
        flx_weights weights = {.c0 = 1.0, .c1 = w, .c2 = w * w, .cx = w};
        FLX_TRY(flx_linear_factor(ra->lin[k], &ra->blocks, &weights));
        it->stats.factorisations++;
    }
    if (ra->adaptive && ra->tab.nreal == 0) {
        double w = cabs(ra->tab.mu[0]) / ra->h;
        flx_weights weights = {.c0 = 1.0, .c1 = w, .c2 = w * w, .cx = w};
        FLX_TRY(flx_linear_factor(ra->filter, &ra->blocks, &weights));
        it->stats.factorisations++;
    }
    ra->h_factored = ra->h;
    radau_weigh_velocities(it);
    return FLX_OK;
}

// ---- correction -----------------------------------------------------------------------------

// u = S^2 G^T deta and deta of one eigenvalue; z holds minus the residual's part, b minus that of
// G V + g_t. deta is left in the bond rows of b, b_imag, with a minus.
static void solve_velocities(flx_integrator *it, int k, double complex w)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    bool pair = k >= ra->tab.nreal;
    memset(ra->b, 0, (size_t)ra->n * sizeof(double));
    memset(ra->b_imag, 0, (size_t)ra->n * sizeof(double));
    for (int j = 0; j < d->nlam; j++) {
        if (!ra->on_position[j]) continue;
        double complex sum = -w * ra->z[ra->first + j] / ra->sigma[j];
        for (int i = 0; i < ra->s; i++) sum -= ra->tab.Pi[k][i] * ra->gd[i * d->nlam + j];
        ra->b[ra->first + j] = creal(sum);
        ra->b_imag[ra->first + j] = cimag(sum);
    }
    flx_saddle_solve_once(ra->saddle, ra->b);
    if (pair) flx_saddle_solve_once(ra->saddle, ra->b_imag);
    it->stats.solves += pair ? 2 : 1;
    for (int j = 0; j < d->nv; j++) ra->u[j] = flx_complex(ra->b[j], pair ? ra->b_imag[j] : 0.0);
}

// z -= (w A2 + A1) u
static void subtract_velocities(flx_integrator *it, int k, double complex w)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    double *a = ra->theta, *b = ra->rate, *out = ra->e, wr = creal(w), wi = cimag(w);
    for (int part = 0; part < (k < ra->tab.nreal ? 1 : 2); part++) {
        for (int j = 0; j < d->nv; j++) {
            double ur = creal(ra->u[j]), ui = cimag(ra->u[j]);
            a[j] = part ? wr * ui + wi * ur : wr * ur - wi * ui;
            b[j] = part ? ui : ur;
        }
        memset(out, 0, (size_t)ra->n * sizeof *out);
        radau_add_product(it->sys, &ra->blocks, a, b, 1.0, out);
        for (int j = 0; j < ra->n; j++) {
            double re = creal(ra->z[j]), im = cimag(ra->z[j]);
            ra->z[j] = part ? flx_complex(re, im - out[j]) : flx_complex(re - out[j], im);
        }
    }
}

static flx_status solve_linear(flx_integrator *it, int k)
{
    radau *ra = it->data;
    it->stats.solves++;
    if (k >= ra->tab.nreal) return flx_linear_solve_complex(ra->lin[k], ra->z);
    double *re = ra->e;
    for (int j = 0; j < ra->n; j++) re[j] = creal(ra->z[j]);
    FLX_TRY(flx_linear_solve(ra->lin[k], re));
    for (int j = 0; j < ra->n; j++) ra->z[j] = re[j];
    return FLX_OK;
}

// D_i, dV_i, deta_i of all stages receive their part from eigenvalue k. Complex products are written
// out: those of the language look at infinities each time.
static void add_part(flx_integrator *it, int k, double complex w)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    bool pair = k >= ra->tab.nreal;
    double wr = creal(w), wi = cimag(w);
    for (int j = 0; j < d->nv; j++) { // u becomes w d + u
        double zr = creal(ra->z[j]), zi = cimag(ra->z[j]);
        double ur = ra->ggl ? creal(ra->u[j]) : 0.0, ui = ra->ggl ? cimag(ra->u[j]) : 0.0;
        ra->u[j] = flx_complex(ur + wr * zr - wi * zi, ui + wr * zi + wi * zr);
    }
    for (int i = 0; i < ra->s; i++) {
        double pr = creal(ra->tab.P[i][k]) * (pair ? 2.0 : 1.0);
        double pi = cimag(ra->tab.P[i][k]) * (pair ? 2.0 : 0.0);
        double *D = ra->D + (size_t)i * ra->n, *dV = ra->dV + (size_t)i * d->nv;
        for (int j = 0; j < ra->n; j++) D[j] += pr * creal(ra->z[j]) - pi * cimag(ra->z[j]);
        for (int j = 0; j < d->nv; j++) dV[j] += pr * creal(ra->u[j]) - pi * cimag(ra->u[j]);
        if (!ra->ggl) continue;
        const double *br = ra->b + ra->first, *bi = ra->b_imag + ra->first;
        for (int j = 0; j < d->nlam; j++) {
            ra->deta[i * d->nlam + j] -= pr * br[j] - pi * bi[j];
        }
    }
}

static flx_status find_corrections(flx_integrator *it)
{
    radau *ra = it->data;
    memset(ra->F, 0, (size_t)ra->nF * sizeof(double));
    for (int k = 0; k < ra->tab.neigen; k++) {
        double complex w = ra->tab.mu[k] / ra->h;
        for (int j = 0; j < ra->n; j++) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < ra->s; i++) {
                double r = ra->R[i * ra->n + j];
                re -= creal(ra->tab.Pi[k][i]) * r;
                im -= cimag(ra->tab.Pi[k][i]) * r;
            }
            ra->z[j] = flx_complex(re, im);
        }
        if (ra->ggl) {
            solve_velocities(it, k, w);
            subtract_velocities(it, k, w);
        }
        FLX_TRY(solve_linear(it, k));
        add_part(it, k, w);
    }
    return FLX_OK;
}

static void apply_corrections(radau *ra, const flx_dims *d)
{
    for (int i = 0; i < ra->s * ra->n; i++) ra->now.U[i] += ra->D[i];
    for (int i = 0; i < ra->s * d->nlam; i++) ra->now.eta[i] += ra->deta[i];
}

// ---- convergence ----------------------------------------------------------------------------

// Largest of the sizes, not a number as soon as one of them is none.
static void take(double e, int i, double *m, int *worst)
{
    if (isnan(*m)) return;
    if (!(e <= *m)) {
        *m = e;
        *worst = i;
    }
}

// Corrections of positions and h times those of velocities, states and algebraic unknowns, as a
// part of their scales.
static double motion_size(radau *ra, const flx_dims *d)
{
    double m = 0.0;
    for (int i = 0; i < ra->s; i++) {
        const double *D = ra->D + (size_t)i * ra->n, *U = ra->now.U + (size_t)i * ra->n;
        const double *dV = ra->dV + (size_t)i * d->nv;
        for (int j = 0; j < d->nv; j++) {
            double e = fmax(fabs(D[j]), ra->h * fabs(dV[j])) / ra->scale[j];
            take(isnan(D[j]) ? D[j] : e, j, &m, &ra->worst);
        }
        for (int j = d->nv; j < ra->first; j++) {
            double size = fmax(fabs(U[j]), 1e-3 * ra->scale[j]);
            take(fabs(D[j]) / size, j, &m, &ra->worst);
        }
    }
    return m;
}

// What positions may be off in a fixed step, as a part of their scale.
static double position_tolerance(const radau *ra, const flx_dims *d)
{
    double v = 0.0;
    for (int i = 0; i < ra->s; i++) {
        for (int j = 0; j < d->nv; j++) {
            v = fmax(v, fabs(ra->now.V[i * d->nv + j]) / ra->scale[j]);
        }
    }
    return fmin(ra->tolerance, fmax(VELOCITY_TOLERANCE * ra->h * v, POSITION_FLOOR));
}

// Corrections of multipliers against what is allowed of them in a fixed step.
static double force_size(radau *ra, const flx_dims *d, double tolerance)
{
    double step = 0.0, size = 0.0, a = 0.0, w = cabs(ra->tab.mu[0]) / ra->h;
    int worst = -1;
    if (ra->n == ra->first) return 0.0;
    for (int i = 0; i < ra->s; i++) {
        for (int j = ra->first; j < ra->n; j++) {
            take(fabs(ra->D[i * ra->n + j]), j, &step, &worst);
            size = fmax(size, fabs(ra->now.U[i * ra->n + j]));
        }
        for (int j = 0; j < d->nv; j++) {
            a = fmax(a, fabs(ra->now.A[i * d->nv + j]) / ra->scale[j]);
        }
    }
    if (!(step > 0.0)) return step; // zero, or not a number
    double allowed = fmax(FORCE_TOLERANCE, a > 0.0 ? tolerance * w * w / a : 0.0);
    double e = step / (fmin(allowed, WORST_FORCE_TOLERANCE) * fmax(size, step));
    if (e > 1.0 && ra->worst < 0) ra->worst = worst;
    return e;
}

typedef struct newton {
    double size, motion;      // of this correction: in units of what is allowed; of the scale
    double last, last_motion; // of the one before; 0: none with these factors
    double rate;              // contraction, expected where there is none yet
    int fresh;                // iterations with a linearisation of this step; -1: an older one
    int renewals;             // linearisations in this step
    int stagnant, growing, hopeless;
    bool accelerated;
} newton;

typedef enum verdict { GO_ON, CONVERGED, RENEW, FAILED } verdict;

// Positions are at rounding and what is left shrinks no more: a singular position, or the rounding
// of the forces.
static bool stagnates(newton *n, double allowed)
{
    bool rounding = n->motion < ROUNDING_CORRECTION && n->motion > 0.5 * n->last_motion;
    bool still = (n->motion <= allowed || rounding) && n->last > 0.0 && n->rate > 0.5;
    n->stagnant = still ? n->stagnant + 1 : 0;
    return n->stagnant >= 2;
}

static verdict judge_fixed(newton *n, double allowed)
{
    if (n->rate < 1.0 && n->rate / (1.0 - n->rate) * n->size <= 0.3) return CONVERGED;
    if (n->size <= 0.03 || stagnates(n, allowed)) return CONVERGED;
    n->growing = n->last > 0.0 && n->rate > 2.0 ? n->growing + 1 : 0;
    if (n->growing > 5) return FAILED;
    bool rounding = n->motion < ROUNDING_CORRECTION && n->motion > 0.5 * n->last_motion;
    bool slow = n->last > 0.0 && n->rate > SLOW && !rounding;
    return slow && (n->fresh < 0 || n->fresh >= PATIENCE) ? RENEW : GO_ON;
}

// k iterations are made. A rate that does not lead to the tolerance in time ends the attempt.
static verdict judge_adaptive(newton *n, int k)
{
    if (n->rate < 1.0 && n->rate / (1.0 - n->rate) * n->size <= 1.0) return CONVERGED;
    if (n->size <= 0.03 || stagnates(n, 0.0)) return CONVERGED;
    if (!(n->last > 0.0)) return GO_ON;
    double left = MAX_ADAPTIVE_ITERATIONS - k;
    bool hopeless = n->rate >= 0.99 || pow(n->rate, left) / (1.0 - n->rate) * n->size > 1.0;
    if (!hopeless) return GO_ON;
    if (n->fresh < 0) return RENEW;
    return ++n->hopeless > ADAPTIVE_PATIENCE ? FAILED : GO_ON;
}

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, int k)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    double open = 0.0;
    int joint = -1;
    for (int i = 0; i < ra->s; i++) {
        const double *R = ra->R + (size_t)i * ra->n;
        for (int j = ra->first; j < ra->first + d->nlam; j++) {
            if (isfinite(R[j])) take(fabs(R[j]) / ra->scale[j], j, &open, &joint);
        }
    }
    it->stats.newton_failures++;
    ra->iterations = k;
    return flx_method_fail(it, status, open > OPEN_JOINT ? joint : ra->worst, 0.0, k,
                           status == FLX_NOT_FINITE ? "a value is not finite"
                           : status == FLX_SINGULAR ? "the matrix of a step is singular"
                                                    : "Newton's iteration did not converge",
                           "a smaller step");
}

// Factors for this step, of a linearisation that is there or of a new one.
static flx_status refresh(flx_integrator *it, const flx_state *x, newton *n)
{
    radau *ra = it->data;
    radau_anderson_restart(ra);
    n->last = 0.0;
    if (!ra->linearised) {
        n->fresh = 0;
        FLX_TRY(linearise(it, x, choose_stage(ra, n->renewals++)));
    }
    flx_status status = factor(it);
    if (status != FLX_SINGULAR) return status;
    ra->linearised = false;
    for (int k = 0; k < ra->tab.neigen; k++) {
        int worst = flx_linear_get_report(ra->lin[k]).worst;
        if (worst >= 0) ra->worst = worst;
    }
    return status;
}

static void note_contraction(radau *ra, newton *n)
{
    n->rate = ra->contraction > 0.0 ? fmin(0.9, pow(ra->contraction, 0.8)) : 0.9;
    if (!(n->last > 0.0)) return;
    n->rate = n->size / n->last;
    if (!(n->size > 10.0 || (ra->adaptive && n->size > 1e-2))) return; // in the rounding
    ra->contraction = fmax(n->rate, 1e-6);
    if (n->rate > ACCELERATED) n->accelerated = true;
    // multipliers that do not settle in a singular position are not the fault of the solver
    double rate = n->last_motion > 0.0 ? fmin(n->rate, n->motion / n->last_motion) : n->rate;
    if (n->fresh < 0 || n->motion < ROUNDING_CORRECTION) return;
    bool changed = false;
    for (int k = 0; k < ra->tab.neigen; k++) {
        if (flx_linear_judge(ra->lin[k], rate)) changed = true;
    }
    if (changed) ra->h_factored = 0.0;
}

static void count_singular(flx_integrator *it)
{
    radau *ra = it->data;
    double ratio = 1.0;
    for (int k = 0; k < ra->tab.neigen; k++) {
        ratio = fmin(ratio, flx_linear_get_report(ra->lin[k]).pivot_ratio);
    }
    if (ratio < SINGULAR_PIVOT) it->stats.singular_positions++;
}

flx_status radau_solve(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    int most = ra->adaptive ? MAX_ADAPTIVE_ITERATIONS : MAX_ITERATIONS;
    newton n = {.fresh = -1};
    radau_anderson_restart(ra);
    ra->worst = -1;
    for (int k = 0; k < most; k++) {
        flx_status status = evaluate(it, x);
        if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        if (ra->h_factored == 0.0) {
            status = refresh(it, x, &n);
            if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        }
        FLX_TRY(find_corrections(it));
        radau_anderson(ra, d, n.accelerated);
        double tolerance = position_tolerance(ra, d);
        n.motion = motion_size(ra, d);
        n.size = ra->adaptive ? radau_correction_norm(ra, d)
                              : fmax(n.motion / tolerance, force_size(ra, d, tolerance));
        if (!isfinite(n.size) || !isfinite(n.motion)) return diverged(it, FLX_NOT_FINITE, k);
        apply_corrections(ra, d);
        it->stats.newton_iterations++;
        ra->iterations = k + 1;
        note_contraction(ra, &n);
        verdict v = ra->adaptive ? judge_adaptive(&n, k + 1) : judge_fixed(&n, tolerance);
        if (v == FAILED) return diverged(it, FLX_NO_CONVERGENCE, k + 1);
        if (v == CONVERGED) {
            ra->stagnated = n.stagnant > 0;
            if (ra->stagnated) count_singular(it);
            return derive(it, x);
        }
        if (v == RENEW) {
            ra->linearised = false;
            ra->h_factored = 0.0;
        }
        if (n.fresh >= 0) n.fresh++;
        n.last = n.size;
        n.last_motion = n.motion;
    }
    return diverged(it, FLX_NO_CONVERGENCE, most);
}

// ---- closing --------------------------------------------------------------------------------

// Largest of the position rows, scaled; they are put into b.
static double gather_rows(radau *ra, const flx_dims *d, const double *rows, bool divide)
{
    double most = 0.0;
    memset(ra->b, 0, (size_t)ra->n * sizeof(double));
    for (int j = 0; j < d->nlam; j++) {
        if (!ra->on_position[j]) continue;
        double g = divide ? rows[j] / ra->sigma[j] : rows[j];
        ra->b[ra->first + j] = -g;
        most = fmax(most, fabs(g) / ra->scale[ra->first + j]);
    }
    return most;
}

static flx_status close_positions(flx_integrator *it, flx_point *p, double *q, double *left)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    double last = HUGE_VAL, *kept = ra->point_q;
    p->q = q;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(s->ops->residual(s, it->work, p, ra->e));
        it->stats.residuals++;
        double open = gather_rows(ra, &s->dims, ra->e + ra->first, true);
        if (!(open < 0.5 * last)) { // no gain: back
            if (!(open < last)) memcpy(q, kept, (size_t)s->dims.nq * sizeof *q);
            break;
        }
        last = open;
        if (open <= CLOSED) break;
        memcpy(kept, q, (size_t)s->dims.nq * sizeof *q);
        flx_saddle_solve_once(ra->saddle, ra->b);
        it->stats.solves++;
        s->ops->retract(s, kept, ra->b, q);
    }
    *left = last;
    return FLX_OK;
}

static flx_status close_velocities(flx_integrator *it, flx_point *p, double *v, double *left)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    int nv = s->dims.nv;
    double last = HUGE_VAL, *kept = ra->point_v;
    p->v = v;
    for (int k = 0; k < CLOSING_SWEEPS; k++) {
        FLX_TRY(s->ops->bond_rate(s, it->work, p, ra->e));
        double open = gather_rows(ra, &s->dims, ra->e, false);
        if (!(open < 0.5 * last)) {
            if (!(open < last)) memcpy(v, kept, (size_t)nv * sizeof *v);
            break;
        }
        last = open;
        if (open == 0.0) break;
        memcpy(kept, v, (size_t)nv * sizeof *v);
        flx_saddle_solve_once(ra->saddle, ra->b);
        it->stats.solves++;
        for (int j = 0; j < nv; j++) v[j] += ra->b[j];
    }
    *left = last;
    return FLX_OK;
}

static double largest_velocity(const radau *ra, const double *v, int nv)
{
    double m = 0.0;
    for (int j = 0; j < nv; j++) m = fmax(m, fabs(v[j]) / ra->scale[j]);
    return m;
}

flx_status radau_close(flx_integrator *it, const flx_point *p, double *q, double *v)
{
    radau *ra = it->data;
    double open_q = 0.0, open_v = 0.0;
    if (!ra->saddle) return FLX_OK;
    flx_point at = *p;
    FLX_TRY(close_positions(it, &at, q, &open_q));
    if (ra->ggl) FLX_TRY(close_velocities(it, &at, v, &open_v));
    double speed = largest_velocity(ra, v, it->sys->dims.nv);
    if (open_q <= STILL_OPEN && open_v <= STILL_OPEN * speed) return FLX_OK;
    // too far from the linearisation, or that was near a singular position
    ra->linearised = false;
    ra->h_factored = 0.0;
    FLX_TRY(it->sys->ops->linearise(it->sys, it->work, &at, &ra->blocks));
    it->stats.linearisations++;
    FLX_TRY(radau_factor_metric(it, 0.0));
    FLX_TRY(close_positions(it, &at, q, &open_q));
    return ra->ggl ? close_velocities(it, &at, v, &open_v) : FLX_OK;
}
