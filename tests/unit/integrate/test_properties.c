// test_properties.c - what is computed from the coefficients of a method is what is known of it.
#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/methods.h"

#include <math.h>
#include <string.h>

#define S FLX_STAGES_MAX

// ---- tableaux -----------------------------------------------------------------------------------

typedef enum family { GAUSS, RADAU_IA, RADAU_IIA, LOBATTO_IIIA, LOBATTO_IIIB, LOBATTO_IIIC } family;

// The polynomial whose roots are the nodes, at x in (-1, 1).
static double node_polynomial(family f, int s, double x)
{
    double p[S + 2] = {1.0, x};
    for (int k = 1; k < s; k++) p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
    switch (f) {
    case GAUSS:
        return p[s];
    case RADAU_IA:
        return p[s] + p[s - 1];
    case RADAU_IIA:
        return p[s] - p[s - 1];
    default:
        return p[s] - p[s - 2];
    }
}

static void find_nodes(family f, int s, double *c)
{
    int n = 0, last = s;
    if (f != GAUSS && f != RADAU_IIA) c[n++] = 0.0;
    if (f != GAUSS && f != RADAU_IA) c[--last] = 1.0;
    double step = 1.0 / 1024.0, inside = 1.0 - 1e-3;
    for (double x = -inside; x < inside && n < last; x += step) {
        double lo = x, hi = x + step;
        if (node_polynomial(f, s, lo) * node_polynomial(f, s, hi) > 0.0) continue;
        for (int k = 0; k < 60; k++) {
            double mid = 0.5 * (lo + hi);
            bool left = node_polynomial(f, s, lo) * node_polynomial(f, s, mid) <= 0.0;
            *(left ? &hi : &lo) = mid;
        }
        c[n++] = 0.25 * (lo + hi) + 0.5;
    }
}

// Gauss elimination, small and in long double: Vandermonde matrices are badly conditioned.
static void solve(int n, long double m[S][S], long double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) {
            if (fabsl(m[i][k]) > fabsl(m[best][k])) best = i;
        }
        for (int j = 0; j < n; j++) {
            long double keep = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = keep;
        }
        long double keep = x[k];
        x[k] = x[best];
        x[best] = keep;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            long double l = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= l * m[k][j];
            x[i] -= l * x[k];
        }
    }
    for (int k = 0; k < n; k++) x[k] /= m[k][k];
}

// Weights w of the nodes with sum_j w_j c_j^(k-1) = to^k/k: the integral from 0 to `to`.
static void integral_weights(int n, const double *c, double to, double *w)
{
    long double m[S][S], x[S];
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) m[k][j] = powl((long double)c[j], k);
        x[k] = powl((long double)to, k + 1) / (k + 1);
    }
    solve(n, m, x);
    for (int j = 0; j < n; j++) w[j] = (double)x[j];
}

// Column j of A from D(s): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k.
static void column_by_d(flx_coefficients *t, int j)
{
    long double m[S][S], x[S];
    for (int k = 0; k < t->s; k++) {
        for (int i = 0; i < t->s; i++)
            m[k][i] = (long double)t->b[i] * powl((long double)t->c[i], k);
        x[k] = (long double)t->b[j] * (1.0L - powl((long double)t->c[j], k + 1)) / (k + 1);
    }
    solve(t->s, m, x);
    for (int i = 0; i < t->s; i++) t->A[i][j] = (double)x[i];
}

// Row i of Lobatto IIIC: a_i1 = b_1 and C(s-1).
static void row_of_iiic(flx_coefficients *t, int i)
{
    int s = t->s;
    long double m[S][S], x[S];
    for (int k = 0; k < s - 1; k++) {
        for (int j = 1; j < s; j++) m[k][j - 1] = powl((long double)t->c[j], k);
        x[k] = powl((long double)t->c[i], k + 1) / (k + 1) - (k == 0 ? (long double)t->b[0] : 0.0L);
    }
    solve(s - 1, m, x);
    t->A[i][0] = t->b[0];
    for (int j = 1; j < s; j++) t->A[i][j] = (double)x[j - 1];
}

static flx_coefficients tableau(family f, int s)
{
    flx_coefficients t = {.scheme = FLX_SCHEME_RUNGE_KUTTA, .s = s};
    find_nodes(f, s, t.c);
    integral_weights(s, t.c, 1.0, t.b);
    for (int i = 0; i < s; i++) {
        if (f == RADAU_IA || f == LOBATTO_IIIB) {
            column_by_d(&t, i);
        } else if (f == LOBATTO_IIIC) {
            row_of_iiic(&t, i);
        } else {
            integral_weights(s, t.c, t.c[i], t.A[i]);
        }
    }
    memcpy(t.A_v, t.A, sizeof t.A);
    return t;
}

static flx_coefficients sdirk(double g, bool stiffly_accurate)
{
    flx_coefficients t = {.scheme = FLX_SCHEME_RUNGE_KUTTA, .s = 2};
    t.A[0][0] = t.A[1][1] = t.c[0] = g;
    t.A[1][0] = stiffly_accurate ? 1.0 - g : 1.0 - 2.0 * g;
    t.c[1] = stiffly_accurate ? 1.0 : 1.0 - g;
    t.b[0] = stiffly_accurate ? 1.0 - g : 0.5;
    t.b[1] = stiffly_accurate ? g : 0.5;
    memcpy(t.A_v, t.A, sizeof t.A);
    return t;
}

// ---- the table of strongly damped systems -------------------------------------------------------

typedef struct row {
    family f;
    int s, order, stage_order;
    double at_infinity;
    flx_answer a, l, symplectic, symmetric, accurate, end, axis;
} row;

static int check_row(flx_ctx *ctx, const flx_coefficients *t, const row *want)
{
    flx_method_properties p;
    CHECK(flx_coefficients_properties(ctx, t, &p) == FLX_OK);
    CHECK(p.order == want->order);
    CHECK(p.stage_order == want->stage_order);
    CHECK_NEAR(p.at_infinity, want->at_infinity, 5e-5);
    CHECK(p.a_stable == want->a);
    CHECK(p.l_stable == want->l);
    CHECK(p.symplectic == want->symplectic);
    CHECK(p.symmetric == want->symmetric);
    CHECK(p.stiffly_accurate == want->accurate);
    CHECK(p.damped_end == want->end);
    CHECK(p.damped_axis == want->axis);
    return 0;
}

#define Y FLX_YES
#define N FLX_NO
#define O FLX_NOT_ASKED

static int table_of_collocation_comes_out(void)
{
    static const row rows[] = {
        {RADAU_IIA, 1, 1, 1, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IIA, 2, 3, 2, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IIA, 3, 5, 3, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IIA, 4, 7, 4, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IIA, 5, 9, 5, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IIA, 7, 13, 7, 0.0, Y, Y, N, N, Y, Y, Y},
        {RADAU_IA, 2, 3, 1, 0.0, Y, Y, N, N, N, Y, Y},
        {RADAU_IA, 3, 5, 2, 0.0, Y, Y, N, N, N, Y, Y},
        {LOBATTO_IIIC, 2, 2, 1, 0.0, Y, Y, N, N, Y, Y, Y},
        {LOBATTO_IIIC, 3, 4, 2, 0.0, Y, Y, N, N, Y, Y, Y},
        {LOBATTO_IIIC, 4, 6, 3, 0.0, Y, Y, N, N, Y, Y, Y},
        {GAUSS, 1, 2, 1, -1.0, Y, N, Y, Y, N, N, Y},
        {GAUSS, 2, 4, 2, 1.0, Y, N, Y, Y, N, N, Y},
        {GAUSS, 3, 6, 3, -1.0, Y, N, Y, Y, N, N, Y},
        {GAUSS, 6, 12, 6, 1.0, Y, N, Y, Y, N, N, Y},
        {LOBATTO_IIIA, 2, 2, 2, -1.0, Y, N, N, Y, Y, N, O},
        {LOBATTO_IIIA, 3, 4, 3, 1.0, Y, N, N, Y, Y, N, O},
        {LOBATTO_IIIB, 3, 4, 1, 1.0, Y, N, N, Y, N, N, O},
    };
    flx_ctx *ctx = flx_ctx_create();
    int failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        flx_coefficients t = tableau(rows[i].f, rows[i].s);
        if (check_row(ctx, &t, &rows[i]) == 0) continue;
        printf("  in row %zu: family %d, %d stages\n", i, (int)rows[i].f, rows[i].s);
        failed = 1;
    }
    flx_ctx_destroy(&ctx);
    return failed;
}

static int table_of_sdirk_comes_out(void)
{
    const double g2 = 1.0 - sqrt(0.5), g3 = (3.0 + sqrt(3.0)) / 6.0, g4 = (3.0 - sqrt(3.0)) / 6.0;
    const row l_stable = {0, 2, 2, 1, 0.0, Y, Y, N, N, Y, Y, Y};
    const row a_stable = {0, 2, 3, 1, 1.0 - sqrt(3.0), Y, N, N, N, N, Y, Y};
    const row unstable = {0, 2, 3, 1, 1.0 + sqrt(3.0), N, N, N, N, N, N, N};
    flx_coefficients t = sdirk(g2, true), u = sdirk(g3, false), v = sdirk(g4, false);
    flx_ctx *ctx = flx_ctx_create();
    int failed = check_row(ctx, &t, &l_stable) + check_row(ctx, &u, &a_stable) +
                 check_row(ctx, &v, &unstable);
    flx_ctx_destroy(&ctx);
    return failed;
}

// ---- other schemes ------------------------------------------------------------------------------

static int explicit_methods_are_told_apart(void)
{
    flx_coefficients rk4 = {.scheme = FLX_SCHEME_RUNGE_KUTTA, .s = 4};
    rk4.A[1][0] = rk4.A[2][1] = rk4.c[1] = rk4.c[2] = 0.5;
    rk4.A[3][2] = rk4.c[3] = 1.0;
    rk4.b[0] = rk4.b[3] = 1.0 / 6.0;
    rk4.b[1] = rk4.b[2] = 1.0 / 3.0;
    memcpy(rk4.A_v, rk4.A, sizeof rk4.A);
    const row want = {0, 4, 4, 1, HUGE_VAL, N, N, N, N, N, N, O};
    flx_ctx *ctx = flx_ctx_create();
    flx_method_properties p;
    CHECK(flx_coefficients_properties(ctx, &rk4, &p) == FLX_OK);
    CHECK(p.order == want.order && p.stage_order == want.stage_order);
    CHECK(p.at_infinity == HUGE_VAL);
    CHECK(p.a_stable == N && p.damped_end == N && p.damped_axis == O && p.symplectic == N);
    rk4.b[1] += 1e-6; // a slip of the pen
    rk4.b[2] -= 1e-6;
    CHECK(flx_coefficients_properties(ctx, &rk4, &p) == FLX_OK);
    CHECK(p.order == 2);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The midpoint rule keeps its order and stability with discrete gradients, and no area.
static int discrete_gradients_are_not_symplectic(void)
{
    flx_coefficients t = {.s = 1, .b = {1.0}, .c = {0.5}, .A = {{0.5}}, .A_v = {{0.5}}};
    flx_ctx *ctx = flx_ctx_create();
    flx_method_properties p;
    CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
    CHECK(p.order == 2 && p.a_stable == Y && p.symmetric == Y && p.symplectic == Y);
    t.discrete_gradient = 1;
    CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
    CHECK(p.order == 2 && p.a_stable == Y && p.symmetric == Y && p.symplectic == N);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Lobatto IIIA for positions, IIIB for velocities: symplectic and symmetric, two stages are Verlet's.
static int lobatto_pairs_are_symplectic(void)
{
    flx_ctx *ctx = flx_ctx_create();
    for (int s = 2; s <= 6; s++) {
        flx_coefficients t = tableau(LOBATTO_IIIA, s), b = tableau(LOBATTO_IIIB, s);
        flx_method_properties p;
        memcpy(t.A_v, b.A, sizeof t.A_v);
        CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
        CHECK(p.order == 2 * s - 2);
        CHECK(p.symplectic == Y && p.symmetric == Y && p.a_stable == N);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static flx_coefficients structural(double alpha_m, double alpha_f, double beta, double gamma)
{
    return (flx_coefficients){.scheme = FLX_SCHEME_STRUCTURAL,
                              .s = 1,
                              .alpha_m = alpha_m,
                              .alpha_f = alpha_f,
                              .beta = beta,
                              .gamma = gamma};
}

static int newmarks_family_is_told_apart(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_method_properties p;
    for (int k = 0; k <= 10; k++) { // Chung and Hulbert: the spectral radius is the parameter
        double r = 0.1 * k, am = (2.0 * r - 1.0) / (r + 1.0), af = r / (r + 1.0);
        flx_coefficients t = structural(am, af, 0.25 * pow(1.0 - am + af, 2.0), 0.5 - am + af);
        CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
        CHECK(p.order == 2);
        CHECK_NEAR(p.at_infinity, r, 1e-4);
        CHECK(p.a_stable == Y);
        CHECK(p.l_stable == (k == 0 ? Y : N));
        CHECK(p.symmetric == (k == 10 ? Y : N));
    }
    flx_coefficients newmark = structural(0.0, 0.0, 0.25, 0.5);
    CHECK(flx_coefficients_properties(ctx, &newmark, &p) == FLX_OK);
    CHECK(p.order == 2 && p.a_stable == Y && p.symmetric == Y && p.symplectic == N);
    CHECK_NEAR(p.at_infinity, 1.0, 1e-6);
    flx_coefficients damped = structural(0.0, 0.0, 0.3025, 0.6);
    CHECK(flx_coefficients_properties(ctx, &damped, &p) == FLX_OK);
    CHECK(p.order == 1 && p.a_stable == Y && p.symmetric == N);
    flx_coefficients verlet = structural(0.0, 0.0, 0.0, 0.5);
    CHECK(flx_coefficients_properties(ctx, &verlet, &p) == FLX_OK);
    CHECK(p.order == 2 && p.a_stable == N && p.symmetric == Y && p.symplectic == Y);
    CHECK(p.at_infinity == HUGE_VAL);
    flx_coefficients hht = structural(0.0, 0.3, 0.25 * 1.3 * 1.3, 0.8);
    CHECK(flx_coefficients_properties(ctx, &hht, &p) == FLX_OK);
    CHECK(p.order == 2 && p.a_stable == Y);
    CHECK_NEAR(p.at_infinity, 0.7 / 1.3, 1e-4); // (1 + alpha)/(1 - alpha)
    flx_ctx_destroy(&ctx);
    return 0;
}

// BDF of order k: sum_j (1/j) nabla^j y = h f; A-stable up to order 2 (Dahlquist).
static int bdf_is_a_stable_up_to_order_two(void)
{
    flx_ctx *ctx = flx_ctx_create();
    for (int k = 1; k <= 5; k++) {
        flx_coefficients t = {.scheme = FLX_SCHEME_MULTISTEP, .s = k};
        for (int j = 1; j <= k; j++) {
            double binomial = 1.0;
            for (int i = 0; i <= j; i++) {
                t.alpha_j[i] += (i % 2 ? -1.0 : 1.0) * binomial / j;
                binomial *= (double)(j - i) / (i + 1);
            }
        }
        t.beta_j[0] = 1.0;
        flx_method_properties p;
        CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
        CHECK(p.order == k);
        CHECK(p.a_stable == (k <= 2 ? Y : N));
        CHECK_NEAR(p.at_infinity, 0.0, 1e-12);
        CHECK(p.l_stable == (k <= 2 ? Y : N));
    }
    flx_coefficients adams = {.scheme = FLX_SCHEME_MULTISTEP, .s = 2};
    adams.alpha_j[0] = 1.0;
    adams.alpha_j[1] = -1.0;
    adams.beta_j[0] = 5.0 / 12.0;
    adams.beta_j[1] = 8.0 / 12.0;
    adams.beta_j[2] = -1.0 / 12.0;
    flx_method_properties p;
    CHECK(flx_coefficients_properties(ctx, &adams, &p) == FLX_OK);
    CHECK(p.order == 3 && p.a_stable == N && p.symmetric == N);
    // symmetric ones: the midpoint rule over two steps, Milne's rule, and one whose alpha alone is
    static const double symmetric[3][6] = {
        {1, 0, -1, 0, 2, 0}, {1, 0, -1, 1.0 / 3, 4.0 / 3, 1.0 / 3}, {1, 0, -1, 1, 1, 0}};
    for (int k = 0; k < 3; k++) {
        flx_coefficients t = {.scheme = FLX_SCHEME_MULTISTEP, .s = 2};
        memcpy(t.alpha_j, symmetric[k], 3 * sizeof(double));
        memcpy(t.beta_j, symmetric[k] + 3, 3 * sizeof(double));
        CHECK(flx_coefficients_properties(ctx, &t, &p) == FLX_OK);
        CHECK(p.symmetric == (k < 2 ? Y : N) && p.order == (k == 0 ? 2 : k == 1 ? 4 : 1));
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(table_of_collocation_comes_out), TEST(table_of_sdirk_comes_out),
          TEST(explicit_methods_are_told_apart), TEST(lobatto_pairs_are_symplectic),
          TEST(discrete_gradients_are_not_symplectic), TEST(newmarks_family_is_told_apart),
          TEST(bdf_is_a_stable_up_to_order_two))
