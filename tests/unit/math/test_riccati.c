// Riccati and Lyapunov equations: residuals, closed solutions, cross terms, samples, modes that no input reaches.
#include "check.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/exponential.h"
#include "math/riccati/riccati.h"
#include "saddle_matrix.h"

#include <string.h>

enum { MOST = 24 };

static void fill(saddle_matrix *random, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = sm_random(random);
}

// X^T X + e I
static void fill_positive(saddle_matrix *random, int n, double e, double *Q)
{
    double X[MOST * MOST];
    fill(random, n * n, X);
    flx_dense_multiply(true, false, n, n, n, X, X, Q);
    for (int i = 0; i < n; i++) Q[i + n * i] += e;
}

static double largest_real(flx_ctx *ctx, int n, const double *A, bool discrete)
{
    double W[MOST * MOST], re[MOST], im[MOST], most = -HUGE_VAL;
    memcpy(W, A, (size_t)(n * n) * sizeof *W);
    if (flx_dense_eigenvalues(ctx, n, W, re, im) != FLX_OK) return HUGE_VAL;
    for (int i = 0; i < n; i++) most = fmax(most, discrete ? hypot(re[i], im[i]) : re[i]);
    return most;
}

// Random plants, most of them unstable, with cross terms: small residuals, stable loops, and the gains are the best ones: the
// cost of the loop, by its Lyapunov equation, does not fall when a gain changes.
static int random_plants(void)
{
    flx_ctx *ctx = flx_ctx_create();
    saddle_matrix random = {.random = 11};
    for (int trial = 0; trial < 60; trial++) {
        int n = 1 + trial % 12, m = 1 + trial % 3;
        bool discrete = trial % 2;
        double A[MOST * MOST], B[MOST * 3], Q[MOST * MOST], R[9], S[MOST * 3], K[3 * MOST],
            P[MOST * MOST], F[MOST * MOST], residual = 1;
        fill(&random, n * n, A);
        fill(&random, n * m, B);
        fill_positive(&random, n, 0.1, Q);
        fill_positive(&random, m, 1.0, R);
        fill(&random, n * m, S);
        for (int i = 0; i < n * m; i++) S[i] *= 0.05;
        if (discrete) {
            for (int i = 0; i < n; i++) A[i] = trial % 4 == 1 ? 0.0 : A[i]; // singular: a delay
        }
        flx_riccati r = {.n = n, .m = m, .A = A, .B = B, .Q = Q, .R = R, .S = trial % 3 ? S : NULL};
        CHECK((discrete ? flx_riccati_discrete : flx_riccati_continuous)(ctx, &r, K, P,
                                                                         &residual) == FLX_OK);
        double largest = 0;
        for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(P[i]));
        CHECK_NEAR(residual, 0, 1e-13 + 1e-15 * largest); // rounding is that of P G P
        flx_dense_multiply(false, false, n, n, m, B, K, F);
        for (int i = 0; i < n * n; i++) F[i] = A[i] - F[i];
        double most = largest_real(ctx, n, F, discrete);
        CHECK(discrete ? most < 1.0 : most < 0.0);
        // the cost of gains K + e: P stays below
        for (int side = -1; side <= 1; side += 2) {
            double Z[MOST * MOST], T[MOST * MOST], L[3 * MOST], RL[3 * MOST], X[MOST * MOST];
            memcpy(L, K, sizeof L);
            L[(trial * 7) % (n * m)] += side * 1e-3;
            flx_dense_multiply(false, false, n, n, m, B, L, F);
            for (int i = 0; i < n * n; i++) F[i] = A[i] - F[i];
            flx_dense_multiply(false, false, m, n, m, R, L, RL);
            flx_dense_multiply(true, false, n, n, m, L, RL, Z);
            for (int i = 0; i < n * n; i++) Z[i] += Q[i];
            if (r.S) {
                flx_dense_multiply(false, false, n, n, m, S, L, T);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n; j++) Z[i + n * j] -= T[i + n * j] + T[j + n * i];
                }
            }
            CHECK((discrete ? flx_lyapunov_discrete : flx_lyapunov_continuous)(ctx, n, F, Z, X) ==
                  FLX_OK);
            for (int i = 0; i < n; i++) CHECK(X[i + n * i] >= P[i + n * i] * (1 - 1e-11));
        }
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int lyapunov(void)
{
    flx_ctx *ctx = flx_ctx_create();
    saddle_matrix random = {.random = 3};
    double A[64], Q[64], P[64], W[64], V[64];
    fill(&random, 64, A);
    fill_positive(&random, 8, 0, Q);
    for (int i = 0; i < 8; i++) A[9 * i] -= 3;
    CHECK(flx_lyapunov_continuous(ctx, 8, A, Q, P) == FLX_OK);
    flx_dense_multiply(true, false, 8, 8, 8, A, P, W);
    for (int i = 0; i < 64; i++) CHECK_NEAR(W[i] + W[i / 8 + 8 * (i % 8)] + Q[i], 0, 1e-13);
    for (int i = 0; i < 64; i++) A[i] *= 0.12;
    CHECK(flx_lyapunov_discrete(ctx, 8, A, Q, P) == FLX_OK);
    flx_dense_multiply(true, false, 8, 8, 8, A, P, W);
    flx_dense_multiply(false, false, 8, 8, 8, W, A, V);
    for (int i = 0; i < 64; i++) CHECK_NEAR(V[i] - P[i] + Q[i], 0, 1e-12);
    A[0] = 9; // not stable
    CHECK(flx_lyapunov_discrete(ctx, 8, A, Q, P) == FLX_SINGULAR);
    const double B[4] = {1, 0, 0, -1}; // s_1 + s_2 = 0
    CHECK(flx_lyapunov_continuous(ctx, 2, B, Q, P) != FLX_OK);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A double integrator: Qd, Sd, Rd by hand; a stiff plant against ten thousand small intervals.
static int samples(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double A[4] = {0, 0, 1, 0}, B[2] = {0, 1}, Q[4] = {3, 0, 0, 2}, R[1] = {0.5}, T = 0.3;
    double Ad[4], Bd[2], Qd[4], Rd[1], Sd[2];
    flx_riccati r = {.n = 2, .m = 1, .A = A, .B = B, .Q = Q, .R = R};
    CHECK(flx_riccati_sample(ctx, &r, T, Ad, Bd, Qd, Rd, Sd) == FLX_OK);
    CHECK_NEAR(Ad[2], T, 1e-16);
    CHECK_NEAR(Bd[0], T * T / 2, 1e-16);
    CHECK_NEAR(Qd[0], 3 * T, 1e-15);
    CHECK_NEAR(Qd[1], 3 * T * T / 2, 1e-15);
    CHECK_NEAR(Qd[3], T * T * T + 2 * T, 1e-15);
    CHECK_NEAR(Sd[0], 3 * T * T * T / 6, 1e-15);
    CHECK_NEAR(Sd[1], 3 * T * T * T * T / 8 + T * T, 1e-15);
    CHECK_NEAR(Rd[0], 0.5 * T + 3 * pow(T, 5) / 20 + 2 * T * T * T / 3, 1e-15);

    const double As[4] = {-400, 30, 5, 1}, Qs[4] = {2, 1, 1, 7}; // e^(400 T) must not come in
    flx_riccati stiff = {.n = 2, .m = 1, .A = As, .B = B, .Q = Qs, .R = R};
    CHECK(flx_riccati_sample(ctx, &stiff, 1.0, Ad, Bd, Qd, Rd, Sd) == FLX_OK);
    double E[4], scratch[8], h = 1e-4, x[2] = {1, 2}, y[2], want = 0;
    flx_dense_exponential(2, As, h, E, scratch);
    for (int i = 0; i <= 10000; i++) { // Simpson's rule along the free motion
        double q = 2 * x[0] * x[0] + 2 * x[0] * x[1] + 7 * x[1] * x[1];
        want += q * h / 3 * (i == 0 || i == 10000 ? 1 : i % 2 ? 4 : 2);
        y[0] = E[0] * x[0] + E[2] * x[1];
        y[1] = E[1] * x[0] + E[3] * x[1];
        x[0] = y[0];
        x[1] = y[1];
    }
    CHECK_NEAR(Qd[0] + 4 * Qd[1] + 4 * Qd[3], want, 1e-5 * want);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int unreached_modes(void)
{
    flx_ctx *ctx = flx_ctx_create();
    // two unstable modes with the same s, one input: a combination of them is not reached
    const double A[9] = {2, 0, 0, 0, 2, 0, 0, 0, -1}, B[3] = {1, 1, 1}, C[6] = {1, 0, 0, 0, 1, 0};
    bool found = false;
    double s[2], re[3], im[3];
    CHECK(flx_riccati_unreached(ctx, 3, 1, A, B, false, &found, s, re, im) == FLX_OK);
    CHECK(found);
    CHECK_NEAR(s[0], 2.0, 1e-14);
    CHECK_NEAR(fabs(re[0]), fabs(re[1]), 1e-12);
    CHECK_NEAR(re[2], 0, 1e-12);
    CHECK(flx_riccati_unreached(ctx, 3, 2, A, C, false, &found, s, re, im) == FLX_OK);
    CHECK(!found); // the third decays
    const double J[4] = {0, 1, -1, 0}, none[2] = {0, 0};
    CHECK(flx_riccati_unreached(ctx, 2, 1, J, none, false, &found, s, re, im) == FLX_OK);
    CHECK(found);
    CHECK_NEAR(fabs(s[1]), 1.0, 1e-14);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What has no solution ends with a word, not in a loop: weights that do not see a pole on the border; R not positive.
static int without_solution(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double A[4] = {0, 0, 1, 0}, B[2] = {0, 1}, Q[4] = {0, 0, 0, 0}, R[1] = {1},
                 wrong[1] = {-1};
    double K[2], P[4];
    flx_riccati r = {.n = 2, .m = 1, .A = A, .B = B, .Q = Q, .R = R};
    CHECK(flx_riccati_continuous(ctx, &r, K, P, NULL) != FLX_OK);
    const double same[4] = {1, 0, 0, 1};
    r.A = same;
    CHECK(flx_riccati_discrete(ctx, &r, K, P, NULL) != FLX_OK);
    r.R = wrong;
    CHECK(flx_riccati_continuous(ctx, &r, K, P, NULL) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

// As many states as doubling takes: the residual is rounding, and where an unstable mode costs nothing it finds zero gains,
// so that the pencil decides: the mode 1.2 goes to 1/1.2.
static int many_states(void)
{
    enum { N = 40 };
    static double A[N * N], B[N], Q[N * N], K[N], P[N * N];
    flx_ctx *ctx = flx_ctx_create();
    double R[1] = {0.3}, residual = 1;
    memset(A, 0, sizeof A);
    memset(Q, 0, sizeof Q);
    for (int i = 0; i < N; i++) {
        A[i + N * i] = 0.9 - 0.02 * i;
        if (i > 0) A[i - 1 + N * i] = 0.2;
        B[i] = i == N - 1 ? 1 : 0;
        Q[i + N * i] = 1;
    }
    const flx_riccati r = {.n = N, .m = 1, .A = A, .B = B, .Q = Q, .R = R};
    CHECK(flx_riccati_discrete(ctx, &r, K, P, &residual) == FLX_OK);
    CHECK(residual < 1e-12);
    memset(Q, 0, sizeof Q);
    memset(B, 0, sizeof B);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) A[i + N * j] = i == j ? 0.1 + 0.01 * i : 0;
    }
    A[0] = 1.2;
    B[0] = 1;
    CHECK(flx_riccati_discrete(ctx, &r, K, P, &residual) == FLX_OK);
    CHECK_NEAR(A[0] - B[0] * K[0], 1 / 1.2, 1e-9);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(many_states), TEST(random_plants), TEST(lyapunov), TEST(samples),
          TEST(unreached_modes), TEST(without_solution))
