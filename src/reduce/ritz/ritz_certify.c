// ritz_certify.c - the error of the Ritz model at its ports (RED-5, RED-6, RED-7, RED-16), without further solutions.
#include "reduce/ritz/ritz_parts.h"

#include "math/blas.h"

#include <math.h>

// S' of the coordinates x (p, m) of the solution, z (p, m): Gmm q x, which becomes N^-1 R in Q.
static void find_second(const flx_ritz *r, double complex pp, double complex q,
                        const double complex *x, double complex *z, double complex *out)
{
    int m = r->m, p = r->model.p;
    for (int i = 0; i < m * p; i++) z[i] += r->Gbm[i] - pp * x[i];
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < p; i++) out[j * p + i] = 0;
    }
    double square = creal(q * conj(q));
    for (int k = 0; k < m; k++) {
        for (int j = 0; j < p; j++) {
            double complex e = 0;
            for (int l = 0; l < m; l++) e += r->Gee[k * m + l] * x[j * m + l];
            for (int i = 0; i < p; i++)
                out[j * p + i] +=
                    conj(z[i * m + k]) * z[j * m + k] + square * conj(x[i * m + k]) * e;
        }
    }
}

// What other damping adds to S: with y = -i x, and -i w x of dashpots, and c, d as in (RED-6).
static void add_losses(const flx_ritz *r, double omega, double complex pp, double complex q,
                       const double complex *x, double complex *S)
{
    const flx_ritz_losses *o = &r->losses;
    int m = r->m, p = r->model.p, all = o->count * m;
    double complex f[2] = {flx_complex(0, -1), flx_complex(0, -1)};
    for (int e = 0; e < o->count; e++) {
        if (o->viscous[e]) f[e] *= omega;
    }
    for (int j = 0; j < p; j++) {
        for (int k = 0; k < all; k++) { // v = (N^-1 of all of R) seen by column k of the losses
            double complex v = o->GB[j * all + k], y = 0;
            for (int l = 0; l < m; l++) {
                const double complex xl = x[j * m + l];
                v += (q * o->GM[l * all + k] - pp * o->small[k / m][(k % m) * m + l]) * xl;
                for (int e = 0; e < o->count; e++) y += f[e] * o->GE[(e * m + l) * all + k] * xl;
            }
            for (int i = 0; i < p; i++) { // e^H v, its conjugate, and e^H GE e
                double complex left = conj(f[k / m] * x[i * m + k % m]);
                S[j * p + i] += left * (v + y);
                S[i * p + j] += conj(left * v);
            }
        }
    }
}

void flx_ritz_residual(const flx_ritz *r, double omega, const double complex *x, double complex *z,
                       double complex *S, double complex *second)
{
    int m = r->m, p = r->model.p;
    const double *b = r->model.b, *L = r->model.L;
    double complex pp = flx_complex(1, r->damping.loss + omega * r->damping.beta);
    double complex q = flx_complex(omega * omega, -omega * r->damping.alpha) + pp * r->sigma;
    for (int j = 0; j < p; j++) { // Gmm d
        for (int i = 0; i < m; i++) {
            double complex sum = 0;
            for (int k = 0; k < m; k++) sum += r->Gmm[i * m + k] * x[j * m + k];
            z[j * m + i] = q * sum;
        }
    }
    for (int j = 0; j < p; j++) { // Hermitian
        for (int i = 0; i <= j; i++) {
            double complex sum = r->Gbb[j * p + i];
            for (int k = 0; k < m; k++) {
                double complex cj = pp * x[j * m + k], dj = q * x[j * m + k];
                double complex ci = conj(pp * x[i * m + k]), di = conj(q * x[i * m + k]);
                sum += -b[i * m + k] * cj - ci * b[j * m + k] + r->Gbm[i * m + k] * dj +
                       di * r->Gbm[j * m + k] + ci * (L[k] + r->sigma) * cj - ci * dj - di * cj +
                       di * z[j * m + k];
            }
            S[j * p + i] = sum;
            S[i * p + j] = conj(sum);
        }
    }
    if (r->losses.count > 0) add_losses(r, omega, pp, q, x, S);
    if (second && r->Gee) find_second(r, pp, q, x, z, second);
}

// (RED-7): the quotient has one maximum over lambda. Where all damping is of other kinds it is that of the loss factor that
// bodies without damping are measured with: at the end of the band none at all would be infinite.
double flx_ritz_gain(const flx_ritz *r, double omega, double least)
{
    double loss = r->damping.loss + omega * r->damping.beta;
    if (loss == 0 && r->damping.alpha == 0) loss = FLX_ASSUMED_LOSS;
    double complex p = flx_complex(1, loss);
    double complex q0 = flx_complex(omega * omega, -omega * r->damping.alpha);
    double a = creal(p * conj(p)), b = creal(p * conj(q0)), c = creal(q0 * conj(q0));
    double best = 1 / sqrt(a), s = r->sigma;
    double at[2] = {least, b + a * s != 0 ? (c + b * s) / (b + a * s) : 0};
    for (int i = 0; i < 2; i++) {
        if (!(at[i] >= least)) continue;
        best = fmax(best, (at[i] + s) / cabs(p * at[i] - q0));
    }
    return best;
}

// out = T^H S T; returns its norm.
static double transform(int p, int columns, const double complex *S, const double complex *T,
                        double complex *ST, double complex *out)
{
    const double complex one = 1, zero = 0;
    FLX_ONE_THREAD cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p, columns, p, &one, S, p,
                               T, p, &zero, ST, p);
    FLX_ONE_THREAD cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, columns, columns, p,
                               &one, T, p, ST, p, &zero, out, columns);
    return flx_port_norm(columns * columns, out);
}

// What certify works with: of a frequency, S and S' of all loads; of a condition, both of its own.
typedef struct judgement {
    double complex *x, *S, *second, *ST, *a, *b;
    double behind; // the first Ritz value behind the band
} judgement;

// (RED-16) of a condition's loads T, where |T^H S T|_F is `whole`.
static double estimate(const flx_ritz *r, judgement *j, double omega, const flx_port_work *w,
                       double whole)
{
    int p = r->model.p, n = w->columns;
    double complex pp = flx_complex(1, r->damping.loss + omega * r->damping.beta);
    double g = flx_ritz_gain(r, omega, j->behind), m = j->behind + r->sigma;
    double largest = g * whole;
    if (!r->Gee || !(whole > 0)) return largest;
    double second = transform(p, n, j->second, w->T, j->ST, j->b);
    // a Ritz value is above the mode that it stands for: the residual may be nearer than it says
    if (!(m * second < whole)) return largest;
    for (int i = 0; i < n * n; i++) j->a[i] -= m * j->b[i];
    return fmin(largest, flx_port_norm(n * n, j->a) / cabs(pp) + g * m * second);
}

static flx_status init_judgement(const flx_ritz *r, judgement *j)
{
    int p = r->model.p;
    size_t pp = (size_t)p * (size_t)p, xx = (size_t)r->m * (size_t)p;
    double end = 2 * FLX_PI * r->to;
    *j = (judgement){.x = flx_alloc(r->ports.ctx, xx + 5 * pp, sizeof *j->x)};
    if (!j->x) return FLX_ERR_MEMORY;
    j->S = j->x + xx;
    j->second = j->S + pp;
    j->ST = j->second + pp;
    j->a = j->ST + pp;
    j->b = j->a + pp;
    j->behind = r->modes < r->m ? r->model.L[r->modes] : end * end;
    return FLX_OK;
}

// Estimate and proof of each condition at a frequency, `step` apart.
static void certify_at(const flx_ritz *r, judgement *j, flx_port_work *w, double omega,
                       const flx_port_conditions *c, size_t step, double *known, double *proved)
{
    int p = r->model.p;
    double sure = flx_ritz_gain(r, omega, r->model.L[0]);
    bool good = flx_port_respond(&r->model, &r->damping, omega, w);
    flx_ritz_residual(r, omega, w->y, j->x, j->S, j->second);
    if (good) flx_port_add_rigid(&r->ports, &r->damping, omega, w);
    for (int i = 0; i < c->count; i++, known += step, proved += step) {
        *known = *proved = (double)INFINITY;
        if (!good || !flx_port_hold(&r->ports, c->items + i, w)) continue;
        int size = c->items[i].all ? p * p : w->columns * w->columns;
        double beside = flx_port_norm(size, w->C);
        double whole = transform(p, w->columns, j->S, w->T, j->ST, j->a);
        *known = estimate(r, j, omega, w, whole) / beside;
        if (r->losses.count > 0)
            continue; // eigenvectors of K and M are none of A: nothing is proved
        *proved = sure * whole / beside;
        *known = fmin(*known, *proved);
    }
}

flx_status flx_ritz_certify(const flx_ritz *r, const flx_port_conditions *c, int n,
                            const double *hz, double *known, double *proved)
{
    flx_port_work w;
    judgement j;
    FLX_TRY(init_judgement(r, &j));
    flx_status status = flx_port_work_init(r->ports.ctx, r->m, r->model.p, &w);
    for (int k = 0; k < n && status == FLX_OK; k++) {
        certify_at(r, &j, &w, 2 * FLX_PI * hz[k], c, (size_t)n, known + k, proved + k);
    }
    if (status == FLX_OK) flx_port_work_clear(&w);
    flx_free(j.x);
    return status;
}
