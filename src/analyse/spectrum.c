// spectrum.c - the eigenvalues of a linearised system: all of a small one, the largest of a big one.
#include "analyse/spectrum.h"

#include "flexion/analysis.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DENSE_MOST 160 // unknowns: some milliseconds
#define ALGEBRAIC_MOST 64
#define POWER_STEPS 25
// Squares of singular values below this part of the largest: the rows say the same.
#define DEPENDENT 1e-12
#define MASSLESS 1e-13    // of the largest mass on the constraints, after scaling
#define AT_REST 1e-6      // eigenvalues below this part of the largest are zero
#define SPREAD 1e3        // of rates: slower ones make no difference
#define ANTISYMMETRY 1e-8 // of K, and D: rounding of exact derivatives is far below

typedef struct inquiry {
    const flx_system *s;
    flx_work *work;
    flx_ctx *ctx;
    flx_blocks b;
    int n, nv, nx;        // unknowns, velocities, states
    int na, *algebraic;   // unknowns that are eliminated
    int nh, *hard;        // rows of rigid constraints
    double *A0, *A1, *A2; // (n x n) row-major
    flx_spectrum *out;
} inquiry;

static double *take(flx_ctx *ctx, size_t n)
{
    return flx_alloc(ctx, n, sizeof(double));
}

// ---- kinds of unknowns --------------------------------------------------------------------------

static flx_status sort_unknowns(inquiry *q, const flx_state *x)
{
    q->algebraic = flx_alloc(q->ctx, (size_t)q->n, sizeof *q->algebraic);
    q->hard = flx_alloc(q->ctx, (size_t)q->n, sizeof *q->hard);
    if (!q->algebraic || !q->hard) return FLX_ERR_MEMORY;
    for (int i = q->nv + q->nx; i < q->n; i++) {
        flx_unknown u;
        flx_unknown_at(q->s, x->switches, i, &u);
        bool hard = (u.kind == FLX_UNKNOWN_CONSTRAINT && !(u.C > 0.0)) ||
                    (u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && !(u.E > 0.0));
        if (hard) q->hard[q->nh++] = i;
        if (!hard) q->algebraic[q->na++] = i;
    }
    return FLX_OK;
}

// ---- a small system: all eigenvalues ------------------------------------------------------------

// The algebraic unknowns from the others, row by row into A0 and A1 of velocities and states:
// A[i,:] -= A0[i,a] A0[a,a]^-1 A[a,:]. False: they are not determined.
static bool eliminate(inquiry *q)
{
    int n = q->n, na = q->na, m = q->nv + q->nx, pivot[ALGEBRAIC_MOST];
    double W[ALGEBRAIC_MOST * ALGEBRAIC_MOST], b[ALGEBRAIC_MOST];
    for (int i = 0; i < na; i++) {
        for (int j = 0; j < na; j++) W[i * na + j] = q->A0[q->algebraic[i] * n + q->algebraic[j]];
    }
    if (na > 0 && !flx_dense_lu(na, W, pivot)) return false;
    for (int k = 0; k < 2 && na > 0; k++) {
        double *A = k == 0 ? q->A0 : q->A1;
        for (int j = 0; j < m; j++) {
            for (int a = 0; a < na; a++) b[a] = A[q->algebraic[a] * n + j];
            flx_dense_lu_solve(na, W, pivot, b);
            for (int i = 0; i < m; i++) {
                for (int a = 0; a < na; a++) A[i * n + j] -= q->A0[i * n + q->algebraic[a]] * b[a];
            }
        }
    }
    return true;
}

// Rows of rigid constraints, scaled to the mass and to length one; columns of J^T J.
static void constraint_gram(const inquiry *q, const double *scale, double *JJ)
{
    int nv = q->nv, n = q->n;
    memset(JJ, 0, (size_t)(nv * nv) * sizeof *JJ);
    for (int h = 0; h < q->nh; h++) {
        double row[DENSE_MOST], size = 0.0;
        const double *g0 = q->A0 + q->hard[h] * n, *g1 = q->A1 + q->hard[h] * n;
        double on_velocity = 0.0;
        for (int j = 0; j < nv; j++) on_velocity = fmax(on_velocity, fabs(g1[j]));
        for (int j = 0; j < nv; j++) {
            row[j] = (on_velocity > 0.0 ? g1[j] : g0[j]) * scale[j];
            size += row[j] * row[j];
        }
        if (!(size > 0.0)) continue;
        for (int i = 0; i < nv; i++) {
            for (int j = 0; j < nv; j++) JJ[i * nv + j] += row[i] * row[j] / size;
        }
    }
}

// out (m x m) = N^T A N for the leading part of A and N (nv x m) column-major.
static void reduce(int n, int nv, int m, const double *A, const double *N, double *out)
{
    double column[DENSE_MOST];
    for (int j = 0; j < m; j++) {
        for (int r = 0; r < nv; r++) {
            column[r] = 0.0;
            for (int k = 0; k < nv; k++) column[r] += A[r * n + k] * N[j * nv + k];
        }
        for (int i = 0; i < m; i++) {
            out[i * m + j] = 0.0;
            for (int r = 0; r < nv; r++) out[i * m + j] += N[i * nv + r] * column[r];
        }
    }
}

// N (nv x m, column-major): directions that the rigid constraints leave, orthonormal in the mass. work:
// two squares of nv. *m < 0: massless.
static flx_status find_basis(const inquiry *q, double *N, double *work, int *m)
{
    int nv = q->nv;
    double scale[DENSE_MOST], w[DENSE_MOST], *JJ = work, *Mr = work + nv * nv;
    *m = 0;
    for (int i = 0; i < nv; i++) {
        double mass = q->A2[i * q->n + i];
        scale[i] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
    }
    constraint_gram(q, scale, JJ);
    FLX_TRY(flx_dense_symmetric_eigen(q->ctx, nv, JJ, w));
    while (*m < nv && w[*m] <= DEPENDENT * fmax(1.0, w[nv - 1])) (*m)++;
    for (int j = 0; j < *m; j++) {
        for (int i = 0; i < nv; i++) N[j * nv + i] = scale[i] * JJ[j * nv + i];
    }
    reduce(q->n, nv, *m, q->A2, N, Mr);
    FLX_TRY(flx_dense_symmetric_eigen(q->ctx, *m, Mr, w));
    if (*m > 0 && !(w[0] > MASSLESS * fmax(1.0, w[*m - 1]))) {
        *m = -1;
        return FLX_OK;
    }
    // N U w^-1/2, in place row by row
    for (int i = 0; i < nv; i++) {
        double row[DENSE_MOST];
        for (int k = 0; k < *m; k++) {
            row[k] = 0.0;
            for (int j = 0; j < *m; j++) row[k] += N[j * nv + i] * Mr[k * *m + j];
            row[k] /= sqrt(w[k]);
        }
        for (int k = 0; k < *m; k++) N[k * nv + i] = row[k];
    }
    return FLX_OK;
}

static bool is_conservative(int m, const double *K, const double *D)
{
    double size = 0.0, odd = 0.0, rate = 0.0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            size = fmax(size, fabs(K[i * m + j]));
            odd = fmax(odd, fabs(K[i * m + j] - K[j * m + i]));
            rate = fmax(rate, fabs(D[i * m + j]));
        }
    }
    return odd <= ANTISYMMETRY * size && rate <= ANTISYMMETRY * sqrt(size);
}

// The state matrix of (y, y', x), column-major.
static void fill_state_matrix(const inquiry *q, int m, const double *N, const double *K,
                              const double *D, double *S)
{
    int n = q->n, nv = q->nv, nx = q->nx, size = 2 * m + nx;
    memset(S, 0, (size_t)(size * size) * sizeof *S);
    for (int i = 0; i < m; i++) {
        S[(m + i) * size + i] = 1.0;
        for (int j = 0; j < m; j++) {
            S[j * size + m + i] = -K[i * m + j];
            S[(m + j) * size + m + i] = -D[i * m + j];
        }
        for (int j = 0; j < nx; j++) {
            double sum = 0.0;
            for (int r = 0; r < nv; r++) sum += N[i * nv + r] * q->A0[r * n + nv + j];
            S[(2 * m + j) * size + m + i] = -sum;
        }
    }
    for (int i = 0; i < nx; i++) {
        const double *row0 = q->A0 + (nv + i) * n, *row1 = q->A1 + (nv + i) * n;
        for (int j = 0; j < m; j++) {
            double on_y = 0.0, on_dy = 0.0;
            for (int r = 0; r < nv; r++) {
                on_y += row0[r] * N[j * nv + r];
                on_dy += row1[r] * N[j * nv + r];
            }
            S[j * size + 2 * m + i] = -on_y;
            S[(m + j) * size + 2 * m + i] = -on_dy;
        }
        for (int j = 0; j < nx; j++) S[(2 * m + j) * size + 2 * m + i] = -row0[nv + j];
    }
}

static flx_status judge_eigenvalues(const inquiry *q, int size, double *S, double *re, double *im)
{
    flx_spectrum *out = q->out;
    FLX_TRY(flx_dense_eigenvalues(q->ctx, size, S, re, im));
    for (int i = 0; i < size; i++) {
        double rate = hypot(re[i], im[i]);
        if (rate <= out->fastest) continue;
        out->fastest = rate;
        out->damping = -re[i] / rate;
    }
    for (int i = 0; i < size; i++) {
        double rate = hypot(re[i], im[i]);
        out->lost = out->lost || rate <= AT_REST * out->fastest;
        if (rate <= AT_REST * out->fastest) continue;
        if (out->slowest == 0.0 || rate < out->slowest) out->slowest = rate;
    }
    out->known = out->all = true;
    return FLX_OK;
}

// What is zero here may be slow: beside the fastest this matrix does not tell. Modes do (modes.c).
static flx_status find_slower(const flx_system *s, const flx_state *x, flx_spectrum *out)
{
    flx_modes modes;
    int errors = flx_ctx_error_count(s->ctx);
    flx_status status = flx_modes_find(s, x, NULL, 1, &modes);
    flx_ctx_forget_errors(s->ctx, errors);
    if (status == FLX_OK && modes.nmode > 0) {
        double rate = hypot(modes.modes[0].re, modes.modes[0].im);
        if (out->slowest == 0.0 || rate < out->slowest) out->slowest = rate;
    }
    if (status == FLX_OK) flx_modes_clear(&modes);
    return status == FLX_ERR_MEMORY ? status : FLX_OK;
}

static flx_status find_all(inquiry *q)
{
    int n = q->n, nv = q->nv, m, most = 2 * nv + q->nx;
    size_t square = (size_t)(n * n), small = (size_t)(nv * nv);
    double *block = take(q->ctx, 3 * square + 5 * small + (size_t)(most * most + 2 * most + 2 * n));
    if (!block) return FLX_ERR_MEMORY;
    double *N = block + 3 * square, *work = N + small, *K = work + 2 * small, *D = K + small;
    double *S = D + small, *re = S + most * most, *im = re + most;
    double *scratch = im + most;
    q->A0 = block;
    q->A1 = block + square;
    q->A2 = block + 2 * square;
    flx_blocks_spread(q->s, q->work, &q->b, 0, scratch, q->A0);
    flx_blocks_spread(q->s, q->work, &q->b, 1, scratch, q->A1);
    flx_blocks_spread(q->s, q->work, &q->b, 2, scratch, q->A2);
    flx_status status = FLX_OK;
    if (eliminate(q)) {
        status = find_basis(q, N, work, &m);
        q->out->massless = status == FLX_OK && m < 0;
        if (status == FLX_OK && m >= 0) {
            reduce(n, nv, m, q->A0, N, K);
            reduce(n, nv, m, q->A1, N, D);
            q->out->conservative = q->nx == 0 && is_conservative(m, K, D);
            fill_state_matrix(q, m, N, K, D, S);
            status = judge_eigenvalues(q, 2 * m + q->nx, S, re, im);
        }
    }
    flx_free(block);
    return status;
}

// ---- a big system: the largest ones -------------------------------------------------------------

// out (n) = A u for the rows and columns of velocities, with the soft constraints eliminated:
// lambda = A[l,:] u / C; A: A0 or A1.
static void product(const inquiry *q, const double *A, const double *u, double *lam, double *out)
{
    const flx_pattern *p = &q->s->pattern;
    int nv = q->nv;
    const double one[3] = {1.0, 1.0, 1.0};
    const double *const along[3] = {A == q->b.A0 ? u : NULL, A == q->b.A0 ? NULL : u, NULL};
    memset(out, 0, (size_t)q->n * sizeof *out);
    if (p->extra > 0) q->s->ops->product(q->s, q->work, &q->b, one, along, out);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->nblock; i++) {
            bool velocities = p->start[i] < nv;
            for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                int j = p->col[e], nj = p->start[j + 1] - p->start[j];
                bool from_velocities = p->start[j] < nv;
                // first every row from the velocities, then the velocities from the constraints
                if (pass == 0 && p->extra > 0) continue; // by the system
                if (pass == 0 ? !from_velocities : !velocities || from_velocities) continue;
                const double *values = pass == 0 ? A : q->b.A0;
                const double *from = pass == 0 ? u : lam;
                for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                    const double *a = values + p->offset[e] + (r - p->start[i]) * nj;
                    for (int k = 0; k < nj; k++) out[r] += a[k] * from[p->start[j] + k];
                }
            }
        }
        if (pass == 1) break;
        memset(lam, 0, (size_t)q->n * sizeof *lam);
        for (int a = 0; a < q->na; a++) {
            flx_unknown unknown;
            int i = q->algebraic[a];
            q->s->ops->unknown(q->s, i, &unknown);
            double soft = unknown.kind == FLX_UNKNOWN_CONSTRAINT ? unknown.C : unknown.E;
            lam[i] = soft > 0.0 ? out[i] / soft : 0.0;
        }
        for (int i = nv; i < q->n; i++) out[i] = 0.0;
    }
}

static double length(int n, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += u[i] * u[i];
    return sqrt(sum);
}

// |eigenvalue| of M^-1 A on the constraints that is largest, by the power method.
static double largest(const inquiry *q, flx_saddle *sd, const double *A, double *u, double *lam,
                      double *out)
{
    double size = 0.0;
    for (int i = 0; i < q->nv; i++) u[i] = 1.0 + 0.5 * sin(1.0 + 3.7 * i); // no symmetry of its own
    for (int k = 0; k < POWER_STEPS; k++) {
        double before = length(q->nv, u);
        if (!(before > 0.0) || !isfinite(before)) return size;
        for (int i = 0; i < q->nv; i++) u[i] /= before;
        product(q, A, u, lam, out);
        flx_saddle_solve_once(sd, out);
        memcpy(u, out, (size_t)q->nv * sizeof *u);
        size = length(q->nv, u);
    }
    return size;
}

static flx_status estimate(inquiry *q)
{
    flx_saddle *sd = NULL;
    flx_saddle_metric metric = {0};
    double *block = take(q->ctx, 3 * (size_t)q->n);
    int worst;
    flx_status status = block ? flx_saddle_create(q->s, &sd) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_saddle_factor(sd, &q->b, FLX_ROWS_VELOCITY, &metric);
    if (status == FLX_OK) {
        double *u = block, *lam = block + q->n, *out = lam + q->n;
        q->out->massless = flx_saddle_regularised(sd, &worst) > 0;
        double frequency = sqrt(largest(q, sd, q->b.A0, u, lam, out));
        double rate = largest(q, sd, q->b.A1, u, lam, out);
        q->out->fastest = fmax(frequency, rate);
        q->out->damping = rate > frequency ? 1.0 : frequency > 0.0 ? 0.5 * rate / frequency : 0.0;
        q->out->conservative = false;
        q->out->known = isfinite(q->out->fastest) && !q->out->massless && q->nx == 0;
    }
    flx_saddle_destroy(&sd);
    flx_free(block);
    return status < 0 ? status : FLX_OK;
}

// ---- any system ---------------------------------------------------------------------------------

flx_status flx_spectrum_find(const flx_system *s, flx_work *work, const flx_state *x, bool slower,
                             flx_spectrum *out)
{
    *out = (flx_spectrum){.known = false};
    inquiry q = {.s = s,
                 .work = work,
                 .ctx = s->ctx,
                 .n = flx_dims_unknowns(&s->dims),
                 .nv = s->dims.nv,
                 .nx = s->dims.nx,
                 .out = out};
    flx_point p = flx_state_point(s, x);
    int before = flx_ctx_error_count(s->ctx);
    flx_status status = flx_blocks_create(s, &q.b);
    if (status == FLX_OK) status = sort_unknowns(&q, x);
    if (status == FLX_OK) status = s->ops->linearise(s, work, &p, &q.b);
    bool small = q.n <= DENSE_MOST && q.na <= ALGEBRAIC_MOST;
    if (status == FLX_OK) status = small ? find_all(&q) : estimate(&q);
    flx_blocks_destroy(&q.b);
    flx_free(q.algebraic);
    flx_free(q.hard);
    if (status == FLX_ERR_MEMORY) return status;
    if (status != FLX_OK) {
        flx_ctx_forget_errors(s->ctx, before);
        out->known = false;
    }
    bool spread = out->slowest > 0.0 && out->fastest > SPREAD * out->slowest;
    return slower && out->known && out->lost && !spread ? find_slower(s, x, out) : FLX_OK;
}
