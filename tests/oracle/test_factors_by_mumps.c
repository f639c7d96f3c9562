// test_factors_by_mumps.c - our sparse factors against MUMPS: solutions and inertia of structures below and among their
// eigenvalues, and of the saddle points of mechanisms.
#include "saddle_matrix.h"
#include "structure_rig.h"

#include "math/frontal/frontal.h"
#include "math/ldl/ldl.h"

#include <float.h>

#if defined(FLX_MUMPS)

// Largest difference of two vectors, against the largest entry.
static double difference(int n, const double *a, const double *b)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]);
    }
    return n > 0 ? worst / size : 0;
}

// Solutions of K - shift M for three right sides, and the number of negative pivots.
static int compare_shifted(structure_rig *r, flx_frontal *f, double shift, double tolerance)
{
    const flx_symmetric *K = &r->fe->K, *M = &r->fe->M;
    int n = K->n, counted = -1;
    size_t size = 3 * (size_t)n;
    double *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y);
    uint64_t seed = 5;
    for (size_t i = 0; i < size; i++) x[i] = y[i] = random_number(&seed);
    mumps *m = mumps_of(K, shift, M);
    CHECK(m);
    CHECK(mumps_solve(m, 3, y));
    CHECK(flx_frontal_count(f, 1, K, -shift, M, &counted) == FLX_OK);
    CHECK(counted == mumps_negative(m));
    CHECK(flx_frontal_factor(f, 1, K, -shift, M) == FLX_OK);
    CHECK(flx_frontal_get_report(f).negative == mumps_negative(m));
    CHECK(flx_frontal_reserve(f, 3) == FLX_OK);
    flx_frontal_solve(f, 3, x);
    CHECK_NEAR(difference(3 * n, x, y), 0, tolerance);
    mumps_free(&m);
    free(x);
    free(y);
    return 0;
}

static int structures_have_the_solutions_and_inertia_of_mumps(void)
{
    for (int i = 0; i < STRUCTURE_CASES; i++) {
        structure_rig r;
        flx_frontal *f = NULL;
        flx_mode_set *modes = NULL;
        printf("    %s\n", structure_cases[i].name);
        CHECK(structure_begin(&r, &structure_cases[i]));
        CHECK(flx_modes_create(r.ctx, &r.fe->K, &r.fe->M, &(flx_modes_def){.count = 14}, &modes) ==
              FLX_OK);
        CHECK(flx_frontal_create(r.ctx, &r.fe->K, r.group, &f) == FLX_OK);
        double top = modes->lambda[13], base = modes->lambda[6];
        if (compare_shifted(&r, f, -base, 1e-9)) return 1; // positive definite
        for (int k = 6; k < 13; k++) {                     // between eigenvalues: indefinite
            double low = modes->lambda[k], high = modes->lambda[k + 1];
            if (high - low < 1e-3 * top) continue;
            if (compare_shifted(&r, f, (low + high) / 2, 1e-7)) return 1;
        }
        flx_modes_destroy(&modes);
        flx_frontal_destroy(&f);
        structure_end(&r);
    }
    return 0;
}

// ---- saddle points ------------------------------------------------------------------------------

static mumps *mumps_of_saddle(const saddle_matrix *m)
{
    int count = 0, *row = sm_zeroed(m->nvalue, sizeof *row),
        *column = sm_zeroed(m->nvalue, sizeof *column);
    double *value = sm_zeroed(m->nvalue, sizeof *value);
    for (int i = 0; i < m->nblock; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            const double *v = m->values + m->offset[e];
            for (int r = m->start[i]; r < m->start[i + 1]; r++) {
                for (int c = m->start[m->col[e]]; c < m->start[m->col[e] + 1]; c++, v++) {
                    if (r < c) continue;
                    row[count] = r;
                    column[count] = c;
                    value[count++] = *v;
                }
            }
        }
    }
    mumps *f = mumps_factor(m->n, count, row, column, value);
    free(row);
    free(column);
    free(value);
    return f;
}

static int compare_saddle(saddle_matrix *m)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_ldl *f = NULL;
    double *x = sm_zeroed(m->n, sizeof *x), *y = sm_zeroed(m->n, sizeof *y);
    double *work = sm_zeroed(2 * m->n, sizeof *work), uncertainty;
    for (int i = 0; i < m->n; i++) x[i] = y[i] = sm_random(m);
    mumps *other = mumps_of_saddle(m);
    CHECK(other);
    CHECK(mumps_solve_refined(other, y, &uncertainty));
    CHECK(flx_ldl_create(ctx, &m->pattern, m->sign, false, &f) == FLX_OK);
    flx_ldl_equilibrate(f, m->values);
    CHECK(flx_ldl_factor(f, m->values) == FLX_OK);
    CHECK(flx_ldl_get_report(f).regularised == 0);
    CHECK(flx_ldl_get_report(f).negative == mumps_negative(other));
    CHECK(mumps_negative(other) == m->nconstraint_rows); // S is positive definite
    CHECK(flx_ldl_solve_refined(f, m->values, x, work, DBL_EPSILON, 4) < 4 * DBL_EPSILON);
    CHECK_NEAR(difference(m->n, x, y), 0, 2 * uncertainty);
    mumps_free(&other);
    flx_ldl_destroy(&f);
    free(x);
    free(y);
    free(work);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Chains and four-bars with springs between their bodies: unlike masses, soft and stiff.
static int mechanisms_have_the_solutions_and_inertia_of_mumps(void)
{
    for (unsigned seed = 0; seed < 12; seed++) {
        saddle_matrix m = {0};
        bool bars = seed % 2;
        int n = bars ? 30 + (int)seed : 40 + 3 * (int)seed;
        if (bars) {
            sm_four_bars(&m, n);
        } else {
            sm_chain(&m, n);
        }
        for (int i = 0; i + 7 < m.nbody; i += 5) sm_spring(&m, i, i + 7);
        sm_finish(&m, seed % 4 < 2);
        sm_random_values(&m, seed, seed % 3, seed % 5 ? 1 : 1e4);
        if (compare_saddle(&m)) return 1;
        sm_free(&m);
    }
    return 0;
}

// A lattice large enough for fronts (ldl_fronts.h), some points held.
static int lattices_have_the_solutions_and_inertia_of_mumps(void)
{
    enum { NX = 12, NY = 8, NZ = 8 };
    saddle_matrix m = {0};
    for (int i = 0; i < NX * NY * NZ; i++) sm_body(&m, 3);
    for (int i = 0; i < NX * NY * NZ; i++) {
        int at[3] = {i / (NY * NZ), i / NZ % NY, i % NZ};
        for (int d = 14; d < 27; d++) { // half of the 26 around
            int x = at[0] + d / 9 - 1, y = at[1] + d / 3 % 3 - 1, z = at[2] + d % 3 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= NX || y >= NY || z >= NZ) continue;
            sm_spring(&m, i, (x * NY + y) * NZ + z);
        }
    }
    for (int k = 0; k < NZ; k++) sm_constraint_on(&m, 3, k, -1, -1, -1, k);
    sm_constraint_on(&m, 2, 300, 700, -1, -1, 300);
    sm_finish(&m, true);
    sm_random_values(&m, 3, 1, 1);
    CHECK(flx_ldl_wants_fronts(&m.pattern));
    if (compare_saddle(&m)) return 1;
    sm_free(&m);
    return 0;
}

TEST_MAIN(TEST(structures_have_the_solutions_and_inertia_of_mumps),
          TEST(mechanisms_have_the_solutions_and_inertia_of_mumps),
          TEST(lattices_have_the_solutions_and_inertia_of_mumps))

#else

static int factors_are_those_of_mumps(void)
{
    SKIP("MUMPS was not found (Debian: libmumps-seq-dev)");
}

TEST_MAIN(TEST(factors_are_those_of_mumps))

#endif
