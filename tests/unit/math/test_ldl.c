// LDL^T against dense LAPACK, on chains, trees, loops and odd cases; reports, reuse, memory.
#include "check.h"
#include "math/ldl.h"
#include "saddle_matrix.h"

#include <float.h>
#include <lapacke.h>

typedef struct rig {
    flx_ctx *ctx;
    saddle_matrix m;
    flx_ldl *f;
} rig;

static rig rig_start(void)
{
    return (rig){.ctx = flx_ctx_create()};
}

static void rig_end(rig *r)
{
    flx_ldl_destroy(&r->f);
    sm_free(&r->m);
    flx_ctx_destroy(&r->ctx);
}

static flx_status make(rig *r, bool pairs, bool complex_values)
{
    if (!r->m.start) sm_finish(&r->m, pairs);
    return flx_ldl_create(r->ctx, &r->m.pattern, r->m.sign, complex_values, &r->f);
}

// The dense symmetric part, column-major.
static double *dense(saddle_matrix *m)
{
    double *a = sm_zeroed(m->n * m->n, sizeof *a);
    for (int i = 0; i < m->nblock; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            const double *v = m->values + m->offset[e];
            for (int r = m->start[i]; r < m->start[i + 1]; r++) {
                for (int c = m->start[m->col[e]]; c < m->start[m->col[e] + 1]; c++, v++) {
                    a[r + c * m->n] += 0.5 * *v;
                    a[c + r * m->n] += 0.5 * *v;
                }
            }
        }
    }
    return a;
}

// Largest difference to LAPACK's solution, against its largest entry.
static double solve_error(rig *r)
{
    saddle_matrix *m = &r->m;
    double *a = dense(m), *b = sm_zeroed(m->n, sizeof *b), *x = sm_zeroed(m->n, sizeof *x);
    lapack_int *pivot = sm_zeroed(m->n, sizeof *pivot);
    for (int i = 0; i < m->n; i++) b[i] = x[i] = sm_random(m);
    flx_ldl_solve(r->f, b);
    lapack_int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, m->n, 1, a, m->n, pivot, x, m->n);
    double error = info ? HUGE_VAL : 0, size = 0;
    for (int i = 0; i < m->n; i++) {
        size = fmax(size, fabs(x[i]));
        if (!(fabs(b[i] - x[i]) <= error)) error = fabs(b[i] - x[i]);
    }
    free(a);
    free(b);
    free(x);
    free(pivot);
    return m->n ? error / size : 0;
}

// Complex values: real ones plus i times another set, symmetric as they are.
static double solve_error_complex(rig *r)
{
    saddle_matrix *m = &r->m;
    int n = m->n;
    double complex *v = sm_zeroed(m->nvalue, sizeof *v), *a = sm_zeroed(n * n, sizeof *a);
    double complex *b = sm_zeroed(n, sizeof *b), *x = sm_zeroed(n, sizeof *x);
    lapack_int *pivot = sm_zeroed(n, sizeof *pivot);
    double *re = dense(m);
    for (int k = 0; k < m->nvalue; k++) v[k] = m->values[k];
    for (int d = 0; d < m->nbody; d++) { // a complex weight turns the bodies' blocks
        int e = sm_entry(m, d, d);
        for (int k = m->offset[e]; k < m->offset[e + 1]; k++) v[k] *= sm_complex(1, 2);
    }
    for (int i = 0; i < n * n; i++) a[i] = re[i];
    for (int d = 0; d < m->nbody; d++) {
        for (int i = m->start[d]; i < m->start[d + 1]; i++) {
            for (int j = m->start[d]; j < m->start[d + 1]; j++) a[i + j * n] *= sm_complex(1, 2);
        }
    }
    for (int i = 0; i < n; i++) b[i] = x[i] = sm_complex(sm_random(m), sm_random(m));
    double error = HUGE_VAL, size = 0;
    if (flx_ldl_factor_complex(r->f, v) == FLX_OK &&
        LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 1, a, n, pivot, x, n) == 0) {
        flx_ldl_solve_complex(r->f, b);
        error = 0;
        for (int i = 0; i < n; i++) {
            size = fmax(size, cabs(x[i]));
            if (!(cabs(b[i] - x[i]) <= error)) error = cabs(b[i] - x[i]);
        }
    }
    free(v);
    free(a);
    free(b);
    free(x);
    free(pivot);
    free(re);
    return error / size;
}

// Create, factor, compare, count; for real and complex values, with and without pairs given.
static int agrees(void (*build)(saddle_matrix *m), double tolerance)
{
    for (int pairs = 0; pairs < 2; pairs++) {
        rig r = rig_start();
        build(&r.m);
        CHECK(make(&r, pairs, false) == FLX_OK);
        for (unsigned seed = 0; seed < 4; seed++) {
            sm_random_values(&r.m, seed, 0.5, 10);
            CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
            flx_ldl_report report = flx_ldl_get_report(r.f);
            CHECK(report.regularised == 0);
            CHECK(report.negative == r.m.nbond_rows);
            CHECK(report.pivot_ratio > 0 && report.worst >= 0 && report.worst < r.m.n);
            CHECK_NEAR(solve_error(&r), 0, tolerance);
        }
        flx_ldl_destroy(&r.f);
        CHECK(make(&r, pairs, true) == FLX_OK);
        CHECK_NEAR(solve_error_complex(&r), 0, tolerance);
        rig_end(&r);
    }
    return 0;
}

static void build_chain(saddle_matrix *m)
{
    sm_chain(m, 23);
}
static void build_four_bars(saddle_matrix *m)
{
    sm_four_bars(m, 9);
}
static void build_no_bonds(saddle_matrix *m)
{
    for (int i = 0; i < 7; i++) sm_body(m, 1 + i);
    sm_spring(m, 0, 3);
    sm_spring(m, 3, 5);
    sm_spring(m, 5, 0);
}
static void build_single(saddle_matrix *m)
{
    sm_body(m, 6);
}
static void build_ground_joints(saddle_matrix *m)
{
    for (int i = 0; i < 5; i++) {
        sm_body(m, 6);
        sm_bond_on(m, i + 1, i, -1, -1, -1, i);
    }
}
// A hub with 30 bodies around it, and a chain of two on each of those.
static void build_star(saddle_matrix *m)
{
    int hub = sm_body(m, 6);
    for (int i = 0; i < 30; i++) {
        int a = sm_body(m, 6), b = sm_body(m, 3);
        sm_bond_on(m, 5, hub, a, -1, -1, a);
        sm_bond_on(m, 2, a, b, -1, -1, b);
        if (i % 3 == 0) sm_spring(m, a, b);
    }
}
// A body held by several bonds; several components; a free body.
static void build_several(saddle_matrix *m)
{
    for (int i = 0; i < 6; i++) sm_body(m, i < 3 ? 6 : 3);
    sm_bond_on(m, 1, 0, 1, -1, -1, 0);
    sm_bond_on(m, 1, 0, 1, -1, -1, 0);
    sm_bond_on(m, 2, 0, 2, -1, -1, 2);
    sm_bond_on(m, 1, 1, 2, -1, -1, -1);
    sm_bond_on(m, 2, 3, 4, -1, -1, 4);
    sm_bond_on(m, 1, 3, 4, -1, -1, 3); // the wrong way round: a cycle of pairs
}
// Two geared shafts and rows on three and four bodies.
static void build_gears(saddle_matrix *m)
{
    for (int i = 0; i < 8; i++) sm_body(m, 6);
    sm_bond_on(m, 5, 0, -1, -1, -1, 0);
    for (int i = 1; i < 8; i++) sm_bond_on(m, 5, (i - 1) / 2, i, -1, -1, i);
    sm_bond_on(m, 1, 3, 4, 5, 6, -1);
    sm_bond_on(m, 1, 1, 3, 2, 7, -1);
    sm_bond_on(m, 1, 0, 1, 7, -1, 7); // a pair that touches three bodies
}
// Nodes of a 3 x 3 grid joined along the edges: four loops that share bodies.
static void build_grid(saddle_matrix *m)
{
    for (int i = 0; i < 9; i++) sm_body(m, 6);
    for (int i = 1; i < 9; i++) {
        int from = i >= 3 ? i - 3 : i - 1;
        sm_bond_on(m, 3, from, i, -1, -1, i);
    }
    for (int i = 3; i < 9; i++) {
        if (i % 3 > 0) sm_bond_on(m, 3, i - 1, i, -1, -1, -1);
    }
    sm_bond_on(m, 2, 0, -1, -1, -1, 0);
    for (int i = 0; i < 8; i++) sm_spring(m, i, i + 1);
}
// A closure over a long path, in a tree rooted at one end: every closure waits for the whole path.
static void build_long_loops(saddle_matrix *m)
{
    for (int i = 0; i < 30; i++) {
        sm_body(m, 3);
        sm_bond_on(m, 2, i, i - 1, -1, -1, i);
    }
    for (int i = 5; i < 30; i += 3) sm_bond_on(m, 1, i, -1, -1, -1, -1);
    sm_bond_on(m, 1, 2, 29, -1, -1, -1);
}
// A row on all bodies, and one on none of them but with a number on its own diagonal.
static void build_wide_row(saddle_matrix *m)
{
    for (int i = 0; i < 40; i++) {
        sm_body(m, 3);
        sm_bond_on(m, 1, i, -1, -1, -1, i);
    }
    int j = sm_bond_on(m, 1, 0, 1, 2, 3, -1);
    for (int k = 4; k < SM_TOUCH; k++) m->bond[j].touch[m->bond[j].ntouch++] = 3 * k;
}
// Unknowns in scalar blocks, bonds over several of them: equations.
static void build_scalars(saddle_matrix *m)
{
    for (int i = 0; i < 12; i++) sm_body(m, 1);
    for (int i = 0; i < 9; i++) sm_bond_on(m, 1, i, i + 1, i + 2, -1, -1);
    for (int i = 0; i < 11; i++) sm_spring(m, i, i + 1);
}
// Blocks larger than a kernel takes at once.
static void build_large_blocks(saddle_matrix *m)
{
    for (int i = 0; i < 4; i++) sm_body(m, 6 + 7 * i);
    sm_bond_on(m, 3, 0, 1, -1, -1, 1);
    sm_bond_on(m, 9, 1, 2, -1, -1, 2);
    sm_bond_on(m, 14, 2, 3, -1, -1, 3);
    sm_bond_on(m, 5, 3, 0, -1, -1, -1);
    sm_spring(m, 0, 3);
}

static int chain(void)
{
    return agrees(build_chain, 1e-10);
}
static int four_bars(void)
{
    return agrees(build_four_bars, 1e-8); // random loops are badly conditioned
}
static int no_bonds(void)
{
    return agrees(build_no_bonds, 1e-12);
}
static int single_block(void)
{
    return agrees(build_single, 1e-12);
}
static int ground_joints(void)
{
    return agrees(build_ground_joints, 1e-11);
}
static int star(void)
{
    return agrees(build_star, 1e-11);
}
static int several_bonds_and_components(void)
{
    return agrees(build_several, 1e-11);
}
static int gears(void)
{
    return agrees(build_gears, 1e-10);
}
static int grid(void)
{
    return agrees(build_grid, 1e-10);
}
static int long_loops(void)
{
    return agrees(build_long_loops, 1e-10);
}
static int wide_row(void)
{
    return agrees(build_wide_row, 1e-11);
}
static int scalar_unknowns(void)
{
    return agrees(build_scalars, 1e-10);
}
static int large_blocks(void)
{
    return agrees(build_large_blocks, 1e-10);
}

TEST_MAIN(TEST(chain), TEST(four_bars), TEST(no_bonds), TEST(single_block), TEST(ground_joints),
          TEST(star), TEST(several_bonds_and_components), TEST(gears), TEST(grid), TEST(long_loops),
          TEST(wide_row), TEST(scalar_unknowns), TEST(large_blocks))
