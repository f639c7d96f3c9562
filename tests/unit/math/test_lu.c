// KLU on block patterns: unsymmetric values, real and complex, kept and renewed pivot orders,
// singular matrices, memory.
#include "check.h"
#include "math/lu.h"
#include "saddle_matrix.h"

#include <lapacke.h>
#include <SuiteSparse_config.h>

typedef struct rig {
    flx_ctx *ctx;
    saddle_matrix m;
    flx_lu *f;
} rig;

static rig rig_start(void)
{
    rig r = {.ctx = flx_ctx_create()};
    sm_four_bars(&r.m, 6);
    sm_finish(&r.m, true);
    return r;
}

static void rig_end(rig *r)
{
    flx_lu_destroy(&r->f);
    sm_free(&r->m);
    flx_ctx_destroy(&r->ctx);
}

// Values without any symmetry.
static void set_values(saddle_matrix *m, unsigned seed)
{
    sm_random_values(m, seed, 0.5, 1);
    for (int k = 0; k < m->nvalue; k++) m->values[k] *= 1 + 0.5 * sm_random(m);
}

// The dense matrix, column-major, of values with `parts` doubles a number.
static double *dense(const saddle_matrix *m, const double *values, int parts)
{
    double *a = sm_zeroed(parts * m->n * m->n, sizeof *a);
    for (int i = 0; i < m->nblock; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            const double *v = values + parts * m->offset[e];
            for (int r = m->start[i]; r < m->start[i + 1]; r++) {
                for (int c = m->start[m->col[e]]; c < m->start[m->col[e] + 1]; c++) {
                    for (int k = 0; k < parts; k++) a[parts * (r + c * m->n) + k] = *v++;
                }
            }
        }
    }
    return a;
}

static double difference(int count, const double *x, const double *y)
{
    double error = 0, size = 0;
    for (int i = 0; i < count; i++) {
        if (!(fabs(x[i] - y[i]) <= error)) error = fabs(x[i] - y[i]);
        size = fmax(size, fabs(y[i]));
    }
    return error / size;
}

static int agrees_with_dense(void)
{
    rig r = rig_start();
    int n = r.m.n;
    CHECK(flx_lu_create(r.ctx, &r.m.pattern, false, &r.f) == FLX_OK);
    double *b = sm_zeroed(n, sizeof *b), *x = sm_zeroed(n, sizeof *x);
    lapack_int *pivot = sm_zeroed(n, sizeof *pivot);
    for (unsigned seed = 0; seed < 5; seed++) {
        set_values(&r.m, seed);
        CHECK(flx_lu_factor(r.f, r.m.values) == FLX_OK);
        CHECK(flx_lu_rcond(r.f) > 1e-12 && flx_lu_rcond(r.f) <= 1);
        for (int i = 0; i < n; i++) b[i] = x[i] = sm_random(&r.m);
        flx_lu_solve(r.f, b);
        double *a = dense(&r.m, r.m.values, 1);
        CHECK(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, a, n, pivot, x, n) == 0);
        free(a);
        CHECK_NEAR(difference(n, b, x), 0, 1e-8);
    }
    free(b);
    free(x);
    free(pivot);
    rig_end(&r);
    return 0;
}

static int complex_agrees_with_dense(void)
{
    rig r = rig_start();
    int n = r.m.n;
    CHECK(flx_lu_create(r.ctx, &r.m.pattern, true, &r.f) == FLX_OK);
    double complex *v = sm_zeroed(r.m.nvalue, sizeof *v);
    double complex *b = sm_zeroed(n, sizeof *b), *x = sm_zeroed(n, sizeof *x);
    lapack_int *pivot = sm_zeroed(n, sizeof *pivot);
    for (unsigned seed = 0; seed < 5; seed++) {
        set_values(&r.m, seed);
        for (int k = 0; k < r.m.nvalue; k++) {
            v[k] = sm_complex(r.m.values[k], r.m.values[k] != 0 ? sm_random(&r.m) : 0);
        }
        CHECK(flx_lu_factor_complex(r.f, v) == FLX_OK);
        for (int i = 0; i < n; i++) b[i] = x[i] = sm_complex(sm_random(&r.m), sm_random(&r.m));
        flx_lu_solve_complex(r.f, b);
        double complex *a = (double complex *)dense(&r.m, (double *)v, 2);
        CHECK(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 1, a, n, pivot, x, n) == 0);
        free(a);
        CHECK_NEAR(difference(2 * n, (double *)b, (double *)x), 0, 1e-8);
    }
    free(v);
    free(b);
    free(x);
    free(pivot);
    rig_end(&r);
    return 0;
}

static int allocations;

static void *counted_malloc(size_t size)
{
    allocations++;
    return malloc(size);
}
static void *counted_realloc(void *p, size_t size)
{
    allocations++;
    return realloc(p, size);
}
static void *counted_calloc(size_t n, size_t size)
{
    allocations++;
    return calloc(n, size);
}

// Later factorisations keep the order of the first: KLU allocates nothing.
static int a_good_order_is_kept(void)
{
    SuiteSparse_config.malloc_func = counted_malloc;
    SuiteSparse_config.realloc_func = counted_realloc;
    SuiteSparse_config.calloc_func = counted_calloc;
    for (int complex_values = 0; complex_values < 2; complex_values++) {
        rig r = rig_start();
        CHECK(flx_lu_create(r.ctx, &r.m.pattern, complex_values, &r.f) == FLX_OK);
        double complex *v = sm_zeroed(r.m.nvalue, sizeof *v), *z = sm_zeroed(r.m.n, sizeof *z);
        double *x = sm_zeroed(r.m.n, sizeof *x);
        for (int step = 0; step < 4; step++) {
            sm_four_bar_values(&r.m, 6, 0.5 + 0.1 * step);
            for (int k = 0; k < r.m.nvalue; k++) v[k] = r.m.values[k];
            if (step == 1) CHECK(allocations > 0);
            if (step == 1) allocations = 0;
            if (complex_values) {
                CHECK(flx_lu_factor_complex(r.f, v) == FLX_OK);
                flx_lu_solve_complex(r.f, z);
            } else {
                CHECK(flx_lu_factor(r.f, r.m.values) == FLX_OK);
                flx_lu_solve(r.f, x);
            }
        }
        CHECK(allocations == 0);
        free(v);
        free(x);
        free(z);
        rig_end(&r);
    }
    SuiteSparse_config.malloc_func = malloc;
    SuiteSparse_config.realloc_func = realloc;
    SuiteSparse_config.calloc_func = calloc;
    return 0;
}

// A pivot that was large and becomes tiny: a kept order would lose all digits. Of two unknowns a full
// matrix is made, of twenty a sparse one.
static int a_bad_order_is_renewed(void)
{
    for (int n = 2; n <= 20; n += 18) {
        rig r = {.ctx = flx_ctx_create()};
        for (int i = 0; i < n; i += 2) sm_body(&r.m, 2);
        sm_finish(&r.m, true);
        CHECK(flx_lu_create(r.ctx, &r.m.pattern, false, &r.f) == FLX_OK);
        double first[4] = {1, 0.1, 0.1, 1}, second[4] = {1e-18, 1, 1, 1}, values[40], b[20];
        for (int i = 0; i < 2 * n; i++) values[i] = first[i % 4];
        CHECK(flx_lu_factor(r.f, values) == FLX_OK);
        for (int i = 0; i < 2 * n; i++) values[i] = second[i % 4];
        CHECK(flx_lu_factor(r.f, values) == FLX_OK);
        for (int i = 0; i < n; i++) b[i] = i % 2 ? 3 : 1; // x + y = 3, y = 1
        flx_lu_solve(r.f, b);
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], i % 2 ? 1 : 2, 1e-14);
        rig_end(&r);
    }
    return 0;
}

static int singular_and_not_finite(void)
{
    for (int bad = 0; bad < 4; bad++) {
        rig r = rig_start();
        CHECK(flx_lu_create(r.ctx, &r.m.pattern, false, &r.f) == FLX_OK);
        for (int again = 0; again < 2; again++) {
            set_values(&r.m, 1);
            CHECK(flx_lu_factor(r.f, r.m.values) == FLX_OK);
            int block = r.m.nbody; // a pin on body 0: rows 0 and 1 made equal, or zero
            for (int c = 0; c < 3; c++) {
                if (bad == 0) *sm_at(&r.m, block, 0, 1, c) = *sm_at(&r.m, block, 0, 0, c);
                if (bad == 1) *sm_at(&r.m, block, 0, 1, c) = 0;
                if (bad == 2) *sm_at(&r.m, block, 0, 1, c) = nan("");
                if (bad == 3) *sm_at(&r.m, block, 0, 1, c) = HUGE_VAL;
            }
            CHECK(flx_lu_factor(r.f, r.m.values) == FLX_SINGULAR);
        }
        rig_end(&r);
    }
    return 0;
}

// Small matrices of all sizes, badly scaled, against their product with a known vector.
static int small_ones_solve_what_they_were_made_of(void)
{
    for (int n = 1; n <= 14; n++) {
        for (int parts = 1; parts <= 2; parts++) {
            rig r = {.ctx = flx_ctx_create()};
            sm_body(&r.m, n);
            sm_finish(&r.m, true);
            CHECK(flx_lu_create(r.ctx, &r.m.pattern, parts == 2, &r.f) == FLX_OK);
            double complex a[14 * 14], x[14], b[14];
            double values[14 * 14], y[14];
            for (int i = 0; i < n; i++) x[i] = sm_complex(i + 1, parts == 2 ? 2 - i : 0);
            for (int i = 0; i < n; i++) {
                double row = pow(10.0, i % 2 ? 9 : -9);
                b[i] = 0;
                for (int j = 0; j < n; j++) {
                    double im = parts == 2 ? sm_random(&r.m) : 0;
                    values[i * n + j] = row * (i + j == n - 1 ? 3 : sm_random(&r.m));
                    a[i * n + j] = sm_complex(values[i * n + j], row * im);
                    b[i] += a[i * n + j] * x[j];
                }
                y[i] = creal(b[i]);
            }
            flx_status status =
                parts == 2 ? flx_lu_factor_complex(r.f, a) : flx_lu_factor(r.f, values);
            CHECK(status == FLX_OK);
            CHECK(flx_lu_rcond(r.f) > 0 && flx_lu_rcond(r.f) <= 1);
            if (parts == 2) flx_lu_solve_complex(r.f, b);
            if (parts == 1) flx_lu_solve(r.f, y);
            for (int i = 0; i < n; i++) {
                double complex found = parts == 2 ? b[i] : y[i];
                CHECK_NEAR(cabs(found - x[i]), 0, 1e-11 * n);
            }
            for (int j = 0; j < n; j++) a[j] = values[j] = 0; // a row of nothing
            status = parts == 2 ? flx_lu_factor_complex(r.f, a) : flx_lu_factor(r.f, values);
            CHECK(status == FLX_SINGULAR);
            rig_end(&r);
        }
    }
    return 0;
}

// [M G^T; G 0] of masses, inertias and levers in any units: small ones and sparse ones. What is singular stays so.
static int units_make_nothing_singular(void)
{
    for (int bars = 1; bars <= 6; bars += 5) {
        for (int power = -9; power <= 9; power += 3) {
            rig r = {.ctx = flx_ctx_create()};
            double length = pow(10.0, power), mass = pow(10.0, -power);
            double *x, *b;
            sm_four_bars(&r.m, bars);
            sm_finish(&r.m, true);
            sm_random_values(&r.m, 3, 0.5, 1);
            x = sm_zeroed(r.m.n, sizeof *x);
            b = sm_zeroed(r.m.n, sizeof *b);
            // rows are forces times a length, or lengths; columns lengths, or forces
            double *unit = sm_zeroed(r.m.n, sizeof *unit);
            for (int i = 0; i < r.m.n; i++) unit[i] = i % 3 == 2 ? 1.0 : length;
            for (int i = 0; i < r.m.nblock; i++) {
                for (int e = r.m.row[i]; e < r.m.row[i + 1]; e++) {
                    double *v = r.m.values + r.m.offset[e];
                    for (int k = r.m.start[i]; k < r.m.start[i + 1]; k++) {
                        for (int c = r.m.start[r.m.col[e]]; c < r.m.start[r.m.col[e] + 1]; c++) {
                            *v++ *= mass * unit[k] * unit[c];
                        }
                    }
                }
            }
            double *a = dense(&r.m, r.m.values, 1);
            for (int i = 0; i < r.m.n; i++) x[i] = (1.0 + i % 4) / unit[i];
            for (int i = 0; i < r.m.n; i++) {
                for (int k = 0; k < r.m.n; k++) b[i] += a[i + k * r.m.n] * x[k];
            }
            CHECK(flx_lu_create(r.ctx, &r.m.pattern, false, &r.f) == FLX_OK);
            CHECK(flx_lu_factor(r.f, r.m.values) == FLX_OK);
            flx_lu_solve(r.f, b);
            for (int i = 0; i < r.m.n; i++) CHECK_NEAR(b[i] * unit[i], x[i] * unit[i], 1e-9);
            // one unknown in no equation
            for (int i = 0; i < r.m.nblock; i++) {
                for (int e = r.m.row[i]; e < r.m.row[i + 1]; e++) {
                    double *v = r.m.values + r.m.offset[e];
                    int columns = r.m.start[r.m.col[e] + 1] - r.m.start[r.m.col[e]];
                    int size = columns * (r.m.start[i + 1] - r.m.start[i]);
                    for (int k = 0; k < size; k += columns) {
                        if (r.m.col[e] == 0) v[k] = 0.0;
                    }
                }
            }
            CHECK(flx_lu_factor(r.f, r.m.values) == FLX_SINGULAR);
            free(a);
            free(unit);
            free(x);
            free(b);
            rig_end(&r);
        }
    }
    return 0;
}

static int no_unknowns(void)
{
    rig r = {.ctx = flx_ctx_create()};
    sm_finish(&r.m, true);
    double nothing = 0;
    CHECK(flx_lu_create(r.ctx, &r.m.pattern, false, &r.f) == FLX_OK);
    CHECK(flx_lu_factor(r.f, &nothing) == FLX_OK);
    flx_lu_solve(r.f, &nothing);
    rig_end(&r);
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 50; k++) {
        rig r = rig_start();
        flx_ctx_fail_allocation(r.ctx, k);
        flx_status status = flx_lu_create(r.ctx, &r.m.pattern, k % 2, &r.f);
        CHECK(status == FLX_OK ? r.f != NULL : status == FLX_ERR_MEMORY && r.f == NULL);
        rig_end(&r);
        if (status == FLX_OK) {
            CHECK(k >= 5);
            return 0;
        }
    }
    return 1;
}

TEST_MAIN(TEST(agrees_with_dense), TEST(complex_agrees_with_dense), TEST(a_good_order_is_kept),
          TEST(a_bad_order_is_renewed), TEST(small_ones_solve_what_they_were_made_of),
          TEST(singular_and_not_finite), TEST(units_make_nothing_singular), TEST(no_unknowns),
          TEST(every_allocation_may_fail))
