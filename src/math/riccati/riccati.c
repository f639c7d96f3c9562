// riccati.c - Riccati equations by ordered Schur forms, and what they need.
#include "math/riccati/riccati.h"
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/exponential.h"
#include "math/riccati/balance.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define LARGE 30       // states from which on doubling is tried
#define FAR 1e3        // as much smaller A is in better units
#define ROUNDING 1e-12 // residual of Riccati's equation, of its largest term

static double norm_of(size_t n, const double *x)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void make_symmetric(int n, double *P)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            P[i + n * j] = P[j + n * i] = 0.5 * (P[i + n * j] + P[j + n * i]);
        }
    }
}

flx_status flx_riccati_divide(flx_ctx *ctx, int m, int k, const double *R, double *X)
{
    double *L = flx_alloc(ctx, (size_t)m * (size_t)m, sizeof *L);
    lapack_int info = 0;
    if (!L) return FLX_ERR_MEMORY;
    memcpy(L, R, (size_t)m * (size_t)m * sizeof *L);
    FLX_ONE_THREAD info = LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', m, k, L, m, X, m);
    flx_free(L);
    return info == 0 ? FLX_OK : FLX_ERR_ARGUMENT;
}

// ---- Lyapunov ----------------------------------------------------------------------------------

flx_status flx_lyapunov_continuous(flx_ctx *ctx, int n, const double *A, const double *Q, double *P)
{
    size_t nn = (size_t)n * (size_t)n;
    double *S = flx_alloc(ctx, 3 * nn + 2 * (size_t)n, sizeof *S);
    if (!S) return FLX_ERR_MEMORY;
    double *U = S + nn, *W = U + nn, *re = W + nn, *im = re + n, scale = 1.0;
    lapack_int info = 0;
    memcpy(S, A, nn * sizeof *S);
    flx_status status = flx_dense_schur(ctx, n, S, re, im, U); // A = U S U^T
    if (status == FLX_OK) {
        flx_dense_multiply(true, false, n, n, n, U, Q, W);
        flx_dense_multiply(false, false, n, n, n, W, U, P);
        for (size_t i = 0; i < nn; i++) P[i] = -P[i];
        FLX_ONE_THREAD info =
            LAPACKE_dtrsyl_work(LAPACK_COL_MAJOR, 'T', 'N', 1, n, n, S, n, S, n, P, n, &scale);
        if (info != 0 || !(scale > 0.0)) status = FLX_SINGULAR;
    }
    if (status == FLX_OK) {
        flx_dense_multiply(false, false, n, n, n, U, P, W);
        flx_dense_multiply(false, true, n, n, n, W, U, P);
        for (size_t i = 0; i < nn; i++) P[i] /= scale;
        make_symmetric(n, P);
    }
    flx_free(S);
    return status;
}

// P = sum of (A^T)^k Q A^k, twice as many terms at every turn.
flx_status flx_lyapunov_discrete(flx_ctx *ctx, int n, const double *A, const double *Q, double *P)
{
    size_t nn = (size_t)n * (size_t)n;
    double *F = flx_alloc(ctx, 3 * nn, sizeof *F);
    if (!F) return FLX_ERR_MEMORY;
    double *W = F + nn, *V = W + nn;
    flx_status status = FLX_SINGULAR;
    memcpy(F, A, nn * sizeof *F);
    memcpy(P, Q, nn * sizeof *P);
    for (int turn = 0; turn < 60 && status == FLX_SINGULAR; turn++) {
        flx_dense_multiply(true, false, n, n, n, F, P, W);
        flx_dense_multiply(false, false, n, n, n, W, F, V);
        double more = norm_of(nn, V), all = norm_of(nn, P);
        if (!isfinite(more) || more > 1e150) break;
        for (size_t i = 0; i < nn; i++) P[i] += V[i];
        if (more <= 0.25 * DBL_EPSILON * all) status = FLX_OK;
        flx_dense_multiply(false, false, n, n, n, F, F, W);
        memcpy(F, W, nn * sizeof *F);
    }
    if (status == FLX_OK) make_symmetric(n, P);
    flx_free(F);
    return status;
}

// ---- what both equations share -----------------------------------------------------------------

// Room for what is made from the plant.
typedef struct solver {
    flx_ctx *ctx;
    const flx_riccati *r;
    int n, m;
    double *memory;
    double *RB;        // (m x n) R^-1 B^T
    double *A, *Q, *G; // (n x n) A - B R^-1 S^T, Q - S R^-1 S^T, B R^-1 B^T
    double *W, *V;     // (n x n) scratch
    double *H, *U;     // (2 n x 2 n)
    double *re, *im;   // (2 n)
    int *first;        // (2 n)
} solver;

static void transpose(int m, int n, const double *A, double *out) // (m x n) to (n x m)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) out[j + n * i] = A[i + m * j];
    }
}

static flx_status begin(solver *w, flx_ctx *ctx, const flx_riccati *r)
{
    size_t n = (size_t)r->n, m = (size_t)r->m, nn = n * n;
    *w = (solver){.ctx = ctx, .r = r, .n = r->n, .m = r->m};
    w->memory = flx_alloc(ctx, m * n + 5 * nn + 8 * nn + 4 * n, sizeof(double));
    w->first = flx_alloc(ctx, 2 * n, sizeof(int));
    if (!w->memory || !w->first) return FLX_ERR_MEMORY;
    w->RB = w->memory;
    w->A = w->RB + m * n;
    w->Q = w->A + nn;
    w->G = w->Q + nn;
    w->W = w->G + nn;
    w->V = w->W + nn;
    w->H = w->V + nn;
    w->U = w->H + 4 * nn;
    w->re = w->U + 4 * nn;
    w->im = w->re + 2 * n;
    transpose(r->n, r->m, r->B, w->RB);
    return flx_riccati_divide(ctx, r->m, r->n, r->R, w->RB);
}

static void end(solver *w)
{
    flx_free(w->memory);
    flx_free(w->first);
}

// P = U2 U1^-1 of the first n columns of U, U1 above U2.
static flx_status take_solution(solver *w, double factor, double *P)
{
    int n = w->n;
    for (int i = 0; i < n; i++) { // P U1 = U2, transposed
        for (int j = 0; j < n; j++) {
            w->W[i + n * j] = w->U[j + 2 * n * i];
            P[i + n * j] = factor * w->U[n + j + 2 * n * i];
        }
    }
    flx_status status = flx_dense_solve(w->ctx, n, n, w->W, P);
    if (status == FLX_OK) make_symmetric(n, P);
    return status;
}

// ---- continuous --------------------------------------------------------------------------------

// K = R^-1 (B^T P + S^T)
static flx_status gains(solver *w, const double *P, double *K)
{
    const flx_riccati *r = w->r;
    flx_dense_multiply(true, false, w->m, w->n, w->n, r->B, P, K);
    for (int i = 0; r->S && i < w->m; i++) {
        for (int j = 0; j < w->n; j++) K[i + w->m * j] += r->S[j + w->n * i];
    }
    return flx_riccati_divide(w->ctx, w->m, w->n, r->R, K);
}

// F = A - B K, and Z = Q + K^T R K - S K - K^T S^T: what the loop costs.
static flx_status close_loop(solver *w, const double *K, double *F, double *Z)
{
    const flx_riccati *r = w->r;
    int n = w->n, m = w->m;
    double *RK = flx_alloc(w->ctx, (size_t)m * (size_t)n, sizeof *RK);
    if (!RK) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, n, n, m, r->B, K, F);
    for (int i = 0; i < n * n; i++) F[i] = r->A[i] - F[i];
    flx_dense_multiply(false, false, m, n, m, r->R, K, RK);
    for (int i = 0; r->S && i < m; i++) {
        for (int j = 0; j < n; j++) RK[i + m * j] -= 2.0 * r->S[j + n * i];
    }
    flx_dense_multiply(true, false, n, n, m, K, RK, Z);
    for (int i = 0; i < n * n; i++) Z[i] += r->Q[i];
    make_symmetric(n, Z);
    flx_free(RK);
    return FLX_OK;
}

// |A^T P + P A - P G P + Q| over the largest of its terms.
static double residual_of(solver *w, const double *P)
{
    int n = w->n;
    size_t nn = (size_t)n * (size_t)n;
    double *T = w->H;
    flx_dense_multiply(true, false, n, n, n, w->A, P, w->W);
    flx_dense_multiply(false, false, n, n, n, w->G, P, w->V);
    flx_dense_multiply(false, false, n, n, n, P, w->V, T);
    double most = fmax(norm_of(nn, w->W), fmax(norm_of(nn, T), norm_of(nn, w->Q))), off = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = w->W[i + n * j] + w->W[j + n * i] - T[i + n * j] + w->Q[i + n * j];
            off = fmax(off, fabs(sum));
        }
    }
    return most > 0.0 ? off / most : 0.0;
}

// (RIC-1) [A, -G; -Q, -A^T] with P scaled so that both weights have the same size.
static flx_status solve_hamiltonian(solver *w, double *P)
{
    int n = w->n, n2 = 2 * n, stable = 0;
    size_t nn = (size_t)n * (size_t)n;
    double q = norm_of(nn, w->Q), g = norm_of(nn, w->G);
    double factor = q > 0.0 && g > 0.0 ? sqrt(q / g) : 1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            w->H[i + n2 * j] = w->A[i + n * j];
            w->H[i + n2 * (n + j)] = -factor * w->G[i + n * j];
            w->H[n + i + n2 * j] = -w->Q[i + n * j] / factor;
            w->H[n + i + n2 * (n + j)] = -w->A[j + n * i];
        }
    }
    FLX_TRY(flx_dense_schur(w->ctx, n2, w->H, w->re, w->im, w->U));
    for (int i = 0; i < n2; i++) stable += w->first[i] = w->re[i] < 0.0;
    if (stable != n) return FLX_SINGULAR;
    FLX_TRY(flx_dense_schur_sort(w->ctx, n2, w->first, w->H, w->re, w->im, w->U));
    return take_solution(w, factor, P);
}

static bool is_stable(int n, const double *re, const double *im, bool discrete)
{
    for (int i = 0; i < n; i++) {
        if (discrete ? !(hypot(re[i], im[i]) < 1.0) : !(re[i] < 0.0)) return false;
    }
    return true;
}

// One step of Kleinman: the cost of the loop with the gains so far, and the gains that follow. The residual says
// whether it was one.
static flx_status improve(solver *w, bool discrete, double *K, double *P)
{
    size_t nn = (size_t)w->n * (size_t)w->n;
    FLX_TRY(close_loop(w, K, w->W, w->V));
    memcpy(w->H, w->W, nn * sizeof(double));
    FLX_TRY(flx_dense_eigenvalues(w->ctx, w->n, w->H, w->re, w->im));
    if (!is_stable(w->n, w->re, w->im, discrete)) return FLX_SINGULAR;
    return discrete ? flx_lyapunov_discrete(w->ctx, w->n, w->W, w->V, P)
                    : flx_lyapunov_continuous(w->ctx, w->n, w->W, w->V, P);
}

// A - B R^-1 S^T, Q - S R^-1 S^T and B R^-1 B^T.
static flx_status take_cross(solver *w)
{
    const flx_riccati *r = w->r;
    int n = w->n, m = w->m;
    size_t nn = (size_t)n * (size_t)n;
    memcpy(w->A, r->A, nn * sizeof(double));
    memcpy(w->Q, r->Q, nn * sizeof(double));
    flx_dense_multiply(false, false, n, n, m, r->B, w->RB, w->G);
    if (!r->S) return FLX_OK;
    flx_dense_multiply(true, true, n, n, m, w->RB, r->S, w->W);
    for (size_t i = 0; i < nn; i++) w->A[i] -= w->W[i];
    transpose(n, m, r->S, w->H);
    FLX_TRY(flx_riccati_divide(w->ctx, m, n, r->R, w->H));
    flx_dense_multiply(false, false, n, n, m, r->S, w->H, w->W);
    for (size_t i = 0; i < nn; i++) w->Q[i] -= w->W[i];
    return FLX_OK;
}

static flx_status find_continuous(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                  double *residual)
{
    solver w;
    flx_status status = begin(&w, ctx, r);
    if (status == FLX_OK) status = take_cross(&w);
    if (status == FLX_OK) status = solve_hamiltonian(&w, P);
    if (status == FLX_OK) status = gains(&w, P, K);
    if (status == FLX_OK) status = improve(&w, false, K, P);
    if (status == FLX_OK) status = gains(&w, P, K);
    if (status == FLX_OK && residual) *residual = residual_of(&w, P);
    end(&w);
    return status;
}

// ---- discrete ----------------------------------------------------------------------------------

// K = (R + B^T P B)^-1 (B^T P A + S^T)
static flx_status discrete_gains(solver *w, const double *P, double *K)
{
    const flx_riccati *r = w->r;
    int n = w->n, m = w->m;
    double *M = flx_alloc(w->ctx, (size_t)m * (size_t)(m + n), sizeof *M);
    if (!M) return FLX_ERR_MEMORY;
    double *BP = M + (size_t)m * (size_t)m;
    flx_dense_multiply(true, false, m, n, n, r->B, P, BP);
    flx_dense_multiply(false, false, m, m, n, BP, r->B, M);
    for (int i = 0; i < m * m; i++) M[i] += r->R[i];
    flx_dense_multiply(false, false, m, n, n, BP, r->A, K);
    for (int i = 0; r->S && i < m; i++) {
        for (int j = 0; j < n; j++) K[i + m * j] += r->S[j + n * i];
    }
    flx_status status = flx_riccati_divide(w->ctx, m, n, M, K);
    flx_free(M);
    return status;
}

static lapack_logical inside(const double *re, const double *im, const double *scale)
{
    return hypot(*re, *im) < fabs(*scale);
}

// (RIC-3) the pencil of x, costate and u, from which u is taken out by the orthogonal complement of its columns.
static flx_status solve_symplectic(solver *w, double *P)
{
    const flx_riccati *r = w->r;
    int n = w->n, m = w->m, n2 = 2 * n, rows = n2 + m;
    size_t all = (size_t)rows * (size_t)rows;
    double q = norm_of((size_t)n * (size_t)n, r->Q), factor = q > 0.0 ? q : 1.0;
    double *C =
        flx_alloc(w->ctx, 3 * all + (size_t)m + 64 * (size_t)rows + 2 * (size_t)n2, sizeof *C);
    lapack_logical *kept = flx_alloc(w->ctx, (size_t)n2, sizeof *kept);
    flx_status status = C && kept ? FLX_OK : FLX_ERR_MEMORY;
    if (status != FLX_OK) {
        flx_free(C);
        flx_free(kept);
        return status;
    }
    double *E = C + all, *F = E + all, *tau = F + all, *room = tau + m;
    double *scale = room + 64 * rows;
    // columns of u: (B; -S; -R), of (x, costate): E = [I 0; 0 A^T; 0 B^T], F = [A 0; -Q I; -S^T 0]; costates
    // are over `factor`
    memset(C, 0, 3 * all * sizeof *C);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            C[i + rows * j] = r->B[i + n * j];
            C[n + i + rows * j] = r->S ? -r->S[i + n * j] / factor : 0.0;
        }
        for (int i = 0; i < m; i++) C[n2 + i + rows * j] = -r->R[i + m * j] / factor;
    }
    for (int j = 0; j < n; j++) {
        E[j + rows * j] = 1.0;
        F[n + j + rows * (n + j)] = 1.0;
        for (int i = 0; i < n; i++) {
            E[n + i + rows * (n + j)] = r->A[j + n * i];
            F[i + rows * j] = r->A[i + n * j];
            F[n + i + rows * j] = -r->Q[i + n * j] / factor;
        }
        for (int i = 0; i < m; i++) {
            E[n2 + i + rows * (n + j)] = r->B[j + n * i];
            F[n2 + i + rows * j] = r->S ? -r->S[j + n * i] / factor : 0.0;
        }
    }
    lapack_int info = 0, count = 0, size = 64 * rows;
    FLX_ONE_THREAD
    {
        info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, m, C, rows, tau, room, size);
        if (info == 0) {
            info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', rows, n2, m, C, rows, tau, E,
                                       rows, room, size);
        }
        if (info == 0) {
            info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', rows, n2, m, C, rows, tau, F,
                                       rows, room, size);
        }
        if (info == 0) { // F z = s E z, the stable s first
            info = LAPACKE_dgges_work(LAPACK_COL_MAJOR, 'N', 'V', 'S', inside, n2, F + m, rows,
                                      E + m, rows, &count, w->re, w->im, scale, NULL, 1, w->U, n2,
                                      room, size, kept);
        }
    }
    flx_free(C);
    flx_free(kept);
    if (info != 0 && info != n2 + 2) return FLX_SINGULAR;
    return count == n ? take_solution(w, factor, P) : FLX_SINGULAR;
}

// |A^T P A - P - (A^T P B + S) K + Q| over the largest of its terms.
static double discrete_residual(solver *w, const double *K, const double *P)
{
    const flx_riccati *r = w->r;
    int n = w->n, m = w->m;
    size_t nn = (size_t)n * (size_t)n;
    double *T = w->H, *N = w->U;
    flx_dense_multiply(true, false, n, n, n, r->A, P, w->W); // A^T P
    flx_dense_multiply(false, false, n, n, n, w->W, r->A, w->V);
    flx_dense_multiply(false, false, n, m, n, w->W, r->B, N);
    for (size_t i = 0; r->S && i < (size_t)n * (size_t)m; i++) N[i] += r->S[i];
    flx_dense_multiply(false, false, n, n, m, N, K, T);
    double most = fmax(norm_of(nn, w->V), fmax(norm_of(nn, T), norm_of(nn, P))), off = 0.0;
    for (size_t i = 0; i < nn; i++) {
        off = fmax(off, fabs(w->V[i] - P[i] - T[i] + r->Q[i]));
    }
    return most > 0.0 ? off / most : 0.0;
}

static flx_status finish_discrete(solver *w, double *K, double *P, double *residual)
{
    FLX_TRY(discrete_gains(w, P, K));
    FLX_TRY(improve(w, true, K, P));
    FLX_TRY(discrete_gains(w, P, K));
    *residual = discrete_residual(w, K, P);
    return FLX_OK;
}

// Doubling is much the faster, and finds another solution, or none, where a mode that does not decay costs nothing: then,
// and where its residual is no rounding error, the ordered pencil decides.
static flx_status find_discrete(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                double *residual)
{
    solver w;
    double left = HUGE_VAL;
    bool found = false;
    flx_status status = begin(&w, ctx, r);
    if (status == FLX_OK && r->n >= LARGE) {
        status = take_cross(&w);
        if (status == FLX_OK) status = flx_riccati_double(ctx, r->n, w.A, w.G, w.Q, P);
        if (status == FLX_OK) status = finish_discrete(&w, K, P, &left);
        found = status == FLX_OK && left <= ROUNDING;
        if (status == FLX_SINGULAR) status = FLX_OK;
    }
    if (status == FLX_OK && !found) {
        status = solve_symplectic(&w, P);
        if (status == FLX_OK) status = finish_discrete(&w, K, P, &left);
    }
    if (status == FLX_OK && residual) *residual = left;
    end(&w);
    return status;
}

// ---- units -------------------------------------------------------------------------------------

// X (m x n) times powers of two: of its rows by `row` and of its columns by `col`, or one over them.
static void scale_by(int m, int n, const double *row, bool over_row, const double *col,
                     bool over_col, double *X)
{
    for (int j = 0; j < n; j++) {
        double c = !col ? 1.0 : over_col ? 1.0 / col[j] : col[j];
        for (int i = 0; i < m; i++) {
            double b = !row ? 1.0 : over_row ? 1.0 / row[i] : row[i];
            X[i + m * j] *= b * c;
        }
    }
}

// In units of the states, z = T x, in which rows and columns of A are of like size: beside stiff parts rounding errors of the
// large numbers would cost the solution its digits.
static flx_status find_in_units(flx_ctx *ctx, const flx_riccati *r, const double *unit, double *K,
                                double *P, double *residual, bool discrete)
{
    size_t n = (size_t)r->n, m = (size_t)r->m;
    double *copy = flx_alloc(ctx, 2 * n * n + 2 * n * m, sizeof *copy);
    if (!copy) return FLX_ERR_MEMORY;
    double *A = copy, *Q = A + n * n, *B = Q + n * n, *S = B + n * m;
    flx_riccati here = {r->n, r->m, A, B, Q, r->R, r->S ? S : NULL};
    memcpy(A, r->A, n * n * sizeof *A);
    memcpy(Q, r->Q, n * n * sizeof *Q);
    memcpy(B, r->B, n * m * sizeof *B);
    if (r->S) memcpy(S, r->S, n * m * sizeof *S);
    scale_by(r->n, r->n, unit, true, unit, false, A);
    scale_by(r->n, r->n, unit, false, unit, false, Q);
    scale_by(r->n, r->m, unit, true, NULL, false, B);
    scale_by(r->n, r->m, unit, false, NULL, false, S);
    flx_status status = discrete ? find_discrete(ctx, &here, K, P, residual)
                                 : find_continuous(ctx, &here, K, P, residual);
    scale_by(r->m, r->n, NULL, false, unit, true, K);
    scale_by(r->n, r->n, unit, true, unit, true, P);
    flx_free(copy);
    return status;
}

// Units only where they make A far smaller.
static flx_status find(flx_ctx *ctx, const flx_riccati *r, double *K, double *P, double *residual,
                       bool discrete)
{
    double rate, *unit = flx_alloc(ctx, (size_t)r->n, sizeof *unit);
    if (!unit) return FLX_ERR_MEMORY;
    flx_status status = flx_balance_find(ctx, r->n, r->A, false, unit, &rate);
    bool far = norm_of((size_t)r->n * (size_t)r->n, r->A) > FAR * rate;
    if (status == FLX_OK && far) {
        status = find_in_units(ctx, r, unit, K, P, residual, discrete);
    } else if (status == FLX_OK) {
        status = discrete ? find_discrete(ctx, r, K, P, residual)
                          : find_continuous(ctx, r, K, P, residual);
    }
    flx_free(unit);
    return status;
}

flx_status flx_riccati_continuous(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                  double *residual)
{
    return find(ctx, r, K, P, residual, false);
}

flx_status flx_riccati_discrete(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                double *residual)
{
    return find(ctx, r, K, P, residual, true);
}

// ---- sampling ----------------------------------------------------------------------------------

// (RIC-5), Van Loan: with Z = [A B; 0 0] and C = [Q S; S^T R],
//     exp(T [-Z^T C; 0 Z]) = [. X; 0 Y],  Y = [Ad Bd; 0 I],  [Qd Sd; Sd^T Rd] = Y^T X.
// The upper left block grows like the fastest stable mode: T is halved until it does not, and what was found for an
// interval is doubled: C2 = C1 + Y1^T C1 Y1, Y2 = Y1 Y1.
flx_status flx_riccati_sample(flx_ctx *ctx, const flx_riccati *r, double T, double *Ad, double *Bd,
                              double *Qd, double *Rd, double *Sd)
{
    int n = r->n, m = r->m, k = n + m, k2 = 2 * k;
    size_t kk = (size_t)k * (size_t)k;
    double *Z = flx_alloc(ctx, 4 * 4 * kk + 4 * kk, sizeof *Z);
    if (!Z) return FLX_ERR_MEMORY;
    double *X = Z + 4 * kk, *scratch = X + 4 * kk, *Y = scratch + 8 * kk, *C = Y + kk, *V = C + kk,
           *W = V + kk, size = 0.0;
    double most = fmax(norm_of((size_t)n * (size_t)n, r->Q), norm_of((size_t)m * (size_t)m, r->R));
    if (!(most > 0.0)) most = 1.0;
    for (int j = 0; j < k; j++) {
        double column = 0.0;
        for (int i = 0; i < k; i++) {
            double z = i >= n ? 0.0 : j < n ? r->A[i + n * j] : r->B[i + n * (j - n)];
            double s = r->S ? (i < n ? r->S[i + n * (j - n)] : r->S[j + n * (i - n)]) : 0.0;
            if ((i < n) == (j < n)) s = i < n ? r->Q[i + n * j] : r->R[i - n + m * (j - n)];
            Z[k + i + k2 * (k + j)] = z;
            Z[j + k2 * i] = -z;
            Z[i + k2 * (k + j)] = s / most;
            column += j < n ? fabs(z) : 0.0;
        }
        size = fmax(size, column);
    }
    int halves = 0;
    while (size * T > 1.0 && halves < 60) {
        T *= 0.5;
        halves++;
    }
    flx_dense_exponential(k2, Z, T, X, scratch);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++) {
            Y[i + k * j] = X[k + i + k2 * (k + j)];
            V[i + k * j] = X[i + k2 * (k + j)];
        }
    }
    flx_dense_multiply(true, false, k, k, k, Y, V, C);
    for (int h = 0; h < halves; h++) {
        flx_dense_multiply(true, false, k, k, k, Y, C, V);
        flx_dense_multiply(false, false, k, k, k, V, Y, W);
        for (size_t i = 0; i < kk; i++) C[i] += W[i];
        flx_dense_multiply(false, false, k, k, k, Y, Y, W);
        memcpy(Y, W, kk * sizeof *Y);
    }
    for (size_t i = 0; i < kk; i++) C[i] *= most;
    make_symmetric(k, C);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++) {
            if (i < n && j < n) {
                Ad[i + n * j] = Y[i + k * j];
                Qd[i + n * j] = C[i + k * j];
            } else if (i < n) {
                Bd[i + n * (j - n)] = Y[i + k * j];
                Sd[i + n * (j - n)] = C[i + k * j];
            } else if (j >= n) {
                Rd[i - n + m * (j - n)] = C[i + k * j];
            }
        }
    }
    bool finite = isfinite(norm_of(kk, Y)) && isfinite(norm_of(kk, C));
    flx_free(Z);
    return finite ? FLX_OK : FLX_SINGULAR;
}
