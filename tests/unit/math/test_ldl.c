// LDL^T against dense LAPACK, on chains, trees, loops and odd cases; reuse, memory, fill.
#include "ldl_rig.h"

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
            CHECK(report.negative == r.m.nconstraint_rows);
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
static void build_no_constraints(saddle_matrix *m)
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
        sm_constraint_on(m, i + 1, i, -1, -1, -1, i);
    }
}
// A hub with 30 bodies around it, and a chain of two on each of those.
static void build_star(saddle_matrix *m)
{
    int hub = sm_body(m, 6);
    for (int i = 0; i < 30; i++) {
        int a = sm_body(m, 6), b = sm_body(m, 3);
        sm_constraint_on(m, 5, hub, a, -1, -1, a);
        sm_constraint_on(m, 2, a, b, -1, -1, b);
        if (i % 3 == 0) sm_spring(m, a, b);
    }
}
// A body held by several constraints; several components; a free body.
static void build_several(saddle_matrix *m)
{
    for (int i = 0; i < 6; i++) sm_body(m, i < 3 ? 6 : 3);
    sm_constraint_on(m, 1, 0, 1, -1, -1, 0);
    sm_constraint_on(m, 1, 0, 1, -1, -1, 0);
    sm_constraint_on(m, 2, 0, 2, -1, -1, 2);
    sm_constraint_on(m, 1, 1, 2, -1, -1, -1);
    sm_constraint_on(m, 2, 3, 4, -1, -1, 4);
    sm_constraint_on(m, 1, 3, 4, -1, -1, 3); // the wrong way round: a cycle of pairs
}
// Two geared shafts and rows on three and four bodies.
static void build_gears(saddle_matrix *m)
{
    for (int i = 0; i < 8; i++) sm_body(m, 6);
    sm_constraint_on(m, 5, 0, -1, -1, -1, 0);
    for (int i = 1; i < 8; i++) sm_constraint_on(m, 5, (i - 1) / 2, i, -1, -1, i);
    sm_constraint_on(m, 1, 3, 4, 5, 6, -1);
    sm_constraint_on(m, 1, 1, 3, 2, 7, -1);
    sm_constraint_on(m, 1, 0, 1, 7, -1, 7); // a pair that touches three bodies
}
// Nodes of a 3 x 3 grid joined along the edges: four loops that share bodies.
static void build_grid(saddle_matrix *m)
{
    for (int i = 0; i < 9; i++) sm_body(m, 6);
    for (int i = 1; i < 9; i++) {
        int from = i >= 3 ? i - 3 : i - 1;
        sm_constraint_on(m, 3, from, i, -1, -1, i);
    }
    for (int i = 3; i < 9; i++) {
        if (i % 3 > 0) sm_constraint_on(m, 3, i - 1, i, -1, -1, -1);
    }
    sm_constraint_on(m, 2, 0, -1, -1, -1, 0);
    for (int i = 0; i < 8; i++) sm_spring(m, i, i + 1);
}
// A closure over a long path, in a tree rooted at one end: every closure waits for the whole path.
static void build_long_loops(saddle_matrix *m)
{
    for (int i = 0; i < 30; i++) {
        sm_body(m, 3);
        sm_constraint_on(m, 2, i, i - 1, -1, -1, i);
    }
    for (int i = 5; i < 30; i += 3) sm_constraint_on(m, 1, i, -1, -1, -1, -1);
    sm_constraint_on(m, 1, 2, 29, -1, -1, -1);
}
// A row on all bodies, and one on none of them but with a number on its own diagonal.
static void build_wide_row(saddle_matrix *m)
{
    for (int i = 0; i < 40; i++) {
        sm_body(m, 3);
        sm_constraint_on(m, 1, i, -1, -1, -1, i);
    }
    int j = sm_constraint_on(m, 1, 0, 1, 2, 3, -1);
    for (int k = 4; k < SM_TOUCH; k++) m->constraint[j].touch[m->constraint[j].ntouch++] = 3 * k;
}
// Unknowns in scalar blocks, constraints over several of them: equations.
static void build_scalars(saddle_matrix *m)
{
    for (int i = 0; i < 12; i++) sm_body(m, 1);
    for (int i = 0; i < 9; i++) sm_constraint_on(m, 1, i, i + 1, i + 2, -1, -1);
    for (int i = 0; i < 11; i++) sm_spring(m, i, i + 1);
}
// Blocks larger than a kernel takes at once.
static void build_large_blocks(saddle_matrix *m)
{
    for (int i = 0; i < 4; i++) sm_body(m, 6 + 7 * i);
    sm_constraint_on(m, 3, 0, 1, -1, -1, 1);
    sm_constraint_on(m, 9, 1, 2, -1, -1, 2);
    sm_constraint_on(m, 14, 2, 3, -1, -1, 3);
    sm_constraint_on(m, 5, 3, 0, -1, -1, -1);
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
static int no_constraints(void)
{
    return agrees(build_no_constraints, 1e-12);
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
static int several_constraints_and_components(void)
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

// Planar bodies with true geometry: a random tree of pins, and rods (one row) that close loops.
// What lies above a loop moves it as a whole; the order relies on that.
static int planar_loops_of_true_geometry(void)
{
    for (unsigned seed = 0; seed < 20; seed++) {
        enum { BODIES = 40, RODS = 25 };
        rig r = rig_start();
        saddle_matrix *m = &r.m;
        m->random = seed;
        int parent[BODIES], rod[RODS][2];
        for (int i = 0; i < BODIES; i++) {
            int reach = seed % 2 ? i : i < 3 ? i : 3; // bushy trees and long ones
            parent[i] = i > 0 ? i - 1 - (int)(0.5 * reach * (sm_random(m) + 1)) : -1;
            sm_body(m, 3);
            if (i > 0 || seed % 3)
                sm_constraint_on(m, 2, i, parent[i], -1, -1, i); // or a free root
        }
        for (int k = 0; k < RODS; k++) {
            rod[k][0] = (int)(0.5 * BODIES * (sm_random(m) + 1));
            rod[k][1] = (int)(0.5 * BODIES * (sm_random(m) + 1));
            if (rod[k][0] == rod[k][1]) rod[k][1] = -1;
            sm_constraint_on(m, 1, rod[k][0], rod[k][1], -1, -1, -1);
        }
        sm_finish(m, true);
        for (int i = 0; i < BODIES; i++) {
            *sm_at(m, i, i, 0, 0) = *sm_at(m, i, i, 1, 1) = 1;
            *sm_at(m, i, i, 2, 2) = 0.3;
        }
        int constraint = 0;
        for (int i = 0; i < BODIES; i++) {
            if (i == 0 && seed % 3 == 0) continue;
            sm_set_pin(m, constraint++, i, sm_random(m), sm_random(m), parent[i], sm_random(m),
                       sm_random(m));
        }
        for (int k = 0; k < RODS; k++, constraint++) {
            double x = sm_random(m), y = sm_random(m), length = hypot(x, y);
            for (int side = 0; side < 2; side++) {
                int b = rod[k][side];
                if (b < 0) continue;
                double sign = side ? -1 : 1, px = sm_random(m), py = sm_random(m);
                sm_set_both(m, BODIES + constraint, b, 0, 0, sign * x / length);
                sm_set_both(m, BODIES + constraint, b, 0, 1, sign * y / length);
                sm_set_both(m, BODIES + constraint, b, 0, 2, sign * (px * y - py * x) / length);
            }
        }
        CHECK(make(&r, true, false) == FLX_OK);
        CHECK(flx_ldl_factor(r.f, m->values) == FLX_OK);
        CHECK(flx_ldl_get_report(r.f).regularised == 0);
        CHECK(flx_ldl_get_report(r.f).negative == m->nconstraint_rows);
        CHECK_NEAR(solve_error(&r), 0, 1e-7);
        rig_end(&r);
    }
    return 0;
}

// ---- reuse -------------------------------------------------------------------------------------

static int refactoring_equals_a_fresh_factorisation(void)
{
    rig r = rig_start();
    sm_four_bars(&r.m, 7);
    CHECK(make(&r, true, false) == FLX_OK);
    double x[2][200];
    CHECK(r.m.n <= 200);
    for (int fresh = 0; fresh < 2; fresh++) {
        if (fresh) {
            flx_ldl_destroy(&r.f);
            CHECK(make(&r, true, false) == FLX_OK);
        } else {
            sm_four_bar_values(&r.m, 7, 0.3);
            CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        }
        sm_four_bar_values(&r.m, 7, 1.1);
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        for (int i = 0; i < r.m.n; i++) x[fresh][i] = i % 5 - 1;
        flx_ldl_solve(r.f, x[fresh]);
    }
    CHECK(memcmp(x[0], x[1], sizeof(double) * (size_t)r.m.n) == 0);
    CHECK_NEAR(solve_error(&r), 0, 1e-13);
    rig_end(&r);
    return 0;
}

static int only_the_symmetric_part_counts(void)
{
    rig r = rig_start();
    sm_chain(&r.m, 8);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_random_values(&r.m, 3, 0.5, 1);
    for (int i = 0; i < r.m.nblock; i++) { // add something skew everywhere
        for (int e = r.m.row[i]; e < r.m.row[i + 1]; e++) {
            int j = r.m.col[e], nr = r.m.start[i + 1] - r.m.start[i];
            int nc = r.m.start[j + 1] - r.m.start[j];
            for (int a = 0; a < nr; a++) {
                for (int b = 0; b < nc; b++) {
                    int row = r.m.start[i] + a, col = r.m.start[j] + b;
                    r.m.values[r.m.offset[e] + a * nc + b] += 0.2 * (row - col);
                }
            }
        }
    }
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    CHECK_NEAR(solve_error(&r), 0, 1e-10);
    rig_end(&r);
    return 0;
}

// Refinement works against the matrix as it is, not against its symmetric part.
static int refined_solution_of_an_unsymmetric_matrix(void)
{
    rig r = rig_start();
    sm_chain(&r.m, 12);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_random_values(&r.m, 5, 0.5, 1);
    for (int b = 0; b < 12; b++) {
        *sm_at(&r.m, b, b, 0, 1) += 0.05;
        *sm_at(&r.m, b, b, 1, 0) -= 0.05;
    }
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    double b[200], x[200], work[400];
    CHECK(r.m.n <= 200);
    for (int i = 0; i < r.m.n; i++) b[i] = x[i] = sin(i);
    CHECK_NEAR(flx_ldl_solve_refined(r.f, r.m.values, x, work, 1e-13, 50), 0, 1e-13);
    for (int i = 0; i < r.m.nblock; i++) {
        for (int e = r.m.row[i]; e < r.m.row[i + 1]; e++) {
            const double *v = r.m.values + r.m.offset[e];
            for (int row = r.m.start[i]; row < r.m.start[i + 1]; row++) {
                for (int c = r.m.start[r.m.col[e]]; c < r.m.start[r.m.col[e] + 1]; c++) {
                    b[row] -= *v++ * x[c];
                }
            }
        }
    }
    for (int i = 0; i < r.m.n; i++) CHECK_NEAR(b[i], 0, 1e-10);
    rig_end(&r);
    return 0;
}

static int nothing_is_allocated_after_create(void)
{
    for (int complex_values = 0; complex_values < 2; complex_values++) {
        rig r = rig_start();
        sm_four_bars(&r.m, 5);
        CHECK(make(&r, true, complex_values) == FLX_OK);
        double complex z[3000] = {0}, b[200] = {1};
        double x[200] = {1}, work[400];
        CHECK(r.m.n <= 200 && r.m.nvalue <= 3000);
        long before = flx_ctx_allocation_count(r.ctx);
        for (int step = 0; step < 3; step++) {
            sm_four_bar_values(&r.m, 5, 0.4 * step); // the first position is singular
            flx_ldl_equilibrate(r.f, r.m.values);
            if (complex_values) {
                for (int k = 0; k < r.m.nvalue; k++) z[k] = r.m.values[k];
                CHECK(flx_ldl_factor_complex(r.f, z) == FLX_OK);
                flx_ldl_solve_complex(r.f, b);
            } else {
                CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
                flx_ldl_solve(r.f, x);
                flx_ldl_solve_refined(r.f, r.m.values, x, work, 0, 5);
            }
        }
        CHECK(flx_ctx_allocation_count(r.ctx) == before);
        rig_end(&r);
    }
    return 0;
}

static int every_allocation_may_fail(void)
{
    int failures = 0;
    for (long k = 0;; k++) {
        rig r = rig_start();
        sm_four_bars(&r.m, 4);
        sm_finish(&r.m, true);
        flx_ctx_fail_allocation(r.ctx, k);
        flx_status status = make(&r, true, k % 2);
        bool done = status == FLX_OK;
        CHECK(done ? r.f != NULL : status == FLX_ERR_MEMORY && r.f == NULL);
        CHECK(done || flx_ctx_error(r.ctx, 0)->status == FLX_ERR_MEMORY);
        rig_end(&r);
        if (done) break;
        failures++;
    }
    CHECK(failures >= 15);
    return 0;
}

// ---- fill --------------------------------------------------------------------------------------

static int fill_a_body(void (*build)(saddle_matrix *m, int n), int n, bool pairs, double *fill)
{
    rig r = rig_start();
    build(&r.m, n);
    CHECK(make(&r, pairs, false) == FLX_OK);
    *fill = (double)flx_ldl_fill(r.f) / r.m.nbody;
    rig_end(&r);
    return 0;
}

static void build_springs(saddle_matrix *m, int n)
{
    for (int i = 0; i < n; i++) sm_body(m, 3);
    for (int i = 1; i < n; i++) sm_spring(m, i - 1, i);
}
static void build_wheel(saddle_matrix *m, int n) // all on one hub
{
    for (int i = 0; i <= n; i++) sm_body(m, 6);
    for (int i = 1; i <= n; i++) sm_constraint_on(m, 5, 0, i, -1, -1, i);
}
static void build_tree(saddle_matrix *m, int n) // two on each
{
    for (int i = 0; i < n; i++) {
        sm_body(m, 6);
        sm_constraint_on(m, 5, i, (i + 1) / 2 - 1, -1, -1, i);
    }
}
// Four-bars with a tree that runs through all of them: closures wait for ever longer paths.
static void build_threaded(saddle_matrix *m, int n)
{
    for (int i = 0; i < 2 * n + 1; i++) {
        sm_body(m, 3);
        sm_constraint_on(m, 2, i, i - 1, -1, -1, i);
    }
    for (int i = 2; i < 2 * n + 1; i += 2) sm_constraint_on(m, 2, i, -1, -1, -1, -1);
}
// A hanging ladder of loops, each on the one above.
static void build_ladder(saddle_matrix *m, int n)
{
    int above = -1;
    for (int i = 0; i < n; i++) {
        int a = sm_body(m, 3), b = sm_body(m, 3), c = sm_body(m, 3);
        sm_constraint_on(m, 2, a, above, -1, -1, a);
        sm_constraint_on(m, 2, b, above, -1, -1, b);
        sm_constraint_on(m, 2, c, a, -1, -1, c);
        sm_constraint_on(m, 2, c, b, -1, -1, -1);
        above = c;
    }
}

// Numbers in L and D a body must not grow with the number of bodies, and stay near the least.
static int fill_is_linear(void)
{
    struct {
        void (*build)(saddle_matrix *m, int n);
        double most; // a body
        bool paired_only;
    } cases[] = {
        {sm_chain, 96, false},      // 21 + 30 + 15 + 30
        {build_springs, 20, false}, // 6 + 9, and zeros where two bodies are taken as one
        {build_wheel, 96, true},    // without pairs all joints meet at the hub
        {build_tree, 96, false},     {sm_four_bars, 34, false},
        {build_threaded, 45, false}, {build_ladder, 50, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (int pairs = 0; pairs < 2; pairs++) {
            double small, large;
            if (cases[c].paired_only && !pairs) continue;
            CHECK(fill_a_body(cases[c].build, 50, pairs, &small) == 0);
            CHECK(fill_a_body(cases[c].build, 5000, pairs, &large) == 0);
            printf("       case %zu, pairs %d: %.1f and %.1f numbers a body\n", c, pairs, small,
                   large);
            CHECK(large <= 1.03 * small);
            CHECK(large <= cases[c].most * (pairs ? 1.001 : 1.6));
        }
    }
    return 0;
}

TEST_MAIN(TEST(chain), TEST(four_bars), TEST(no_constraints), TEST(single_block),
          TEST(ground_joints), TEST(star), TEST(several_constraints_and_components), TEST(gears),
          TEST(grid), TEST(long_loops), TEST(wide_row), TEST(scalar_unknowns), TEST(large_blocks),
          TEST(planar_loops_of_true_geometry), TEST(refactoring_equals_a_fresh_factorisation),
          TEST(only_the_symmetric_part_counts), TEST(refined_solution_of_an_unsymmetric_matrix),
          TEST(nothing_is_allocated_after_create), TEST(every_allocation_may_fail),
          TEST(fill_is_linear))
