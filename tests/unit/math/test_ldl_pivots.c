// Pivots of LDL^T: singular positions, redundant rows, signs, units, and what is refused.
#include "ldl_rig.h"

// Nearly flat four-bars: the closures' pivots fall with the square of the angle and are used as
// they are, down to rounding.
static int pivots_near_a_singular_position(void)
{
    rig r = rig_start();
    sm_four_bars(&r.m, 3);
    CHECK(make(&r, true, false) == FLX_OK);
    double previous = 0;
    for (double phi = 1e-1; phi > 5e-6; phi *= 0.1) {
        sm_four_bar_values(&r.m, 3, phi);
        flx_ldl_equilibrate(r.f, r.m.values);
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        flx_ldl_report report = flx_ldl_get_report(r.f);
        CHECK(report.regularised == 0);
        CHECK(report.negative == r.m.nconstraint_rows);
        CHECK(report.worst >= 3 * r.m.nbody); // a constraint
        CHECK(report.pivot_ratio < 10 * phi * phi);
        // by 100 a decade; far from rounding the terms are only estimated, within a factor of two
        double fall = previous > 0 ? report.pivot_ratio / previous : 0.01;
        CHECK(fall > 0.004 && fall < 0.025);
        previous = report.pivot_ratio;
    }
    rig_end(&r);
    return 0;
}

// At the singular position itself a consistent right-hand side is still solved.
static int consistent_right_side_at_a_singular_position(void)
{
    rig r = rig_start();
    sm_four_bars(&r.m, 3);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_four_bar_values(&r.m, 3, 0);
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    flx_ldl_report report = flx_ldl_get_report(r.f);
    CHECK(report.regularised == 3); // one dependent row a loop
    CHECK(report.pivot_ratio < 1e-14);
    CHECK(report.negative == r.m.nconstraint_rows);
    double x[200] = {0}, b[200] = {0}, work[400];
    CHECK(r.m.n <= 200);
    double *a = dense(&r.m);
    for (int i = 0; i < r.m.n; i++) x[i] = cos(i);
    for (int i = 0; i < r.m.n; i++) {
        for (int j = 0; j < r.m.n; j++) b[i] += a[i + j * r.m.n] * x[j];
    }
    CHECK(flx_ldl_solve_refined(r.f, r.m.values, b, work, 1e-15, 10) < 1e-14);
    for (int i = 0; i < 3 * r.m.nbody; i++) CHECK_NEAR(b[i], x[i], 1e-6); // bodies are determined
    free(a);
    rig_end(&r);
    return 0;
}

// Two equal constraints: one is redundant and its pivot is moved; the bodies' part is right.
static int redundant_rows(void)
{
    rig r = rig_start();
    for (int i = 0; i < 6; i++) {
        sm_body(&r.m, 6);
        sm_constraint_on(&r.m, 5, i, i - 1, -1, -1, i);
    }
    sm_constraint_on(&r.m, 2, 2, 5, -1, -1, -1);
    sm_constraint_on(&r.m, 2, 2, 5, -1, -1, -1);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_random_values(&r.m, 1, 0.3, 1);
    for (int b = 2; b < 6; b += 3) {
        for (int row = 0; row < 2; row++) {
            for (int c = 0; c < 6; c++) {
                sm_set_both(&r.m, 13, b, row, c, *sm_at(&r.m, 12, b, row, c));
            }
        }
    }
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    flx_ldl_report report = flx_ldl_get_report(r.f);
    CHECK(report.regularised == 2);
    CHECK(report.worst >= r.m.start[12]);
    double b[100] = {0}, x[100] = {0}, work[200], *a = dense(&r.m);
    CHECK(r.m.n <= 100);
    for (int i = 0; i < r.m.n; i++) x[i] = sin(1 + i);
    for (int i = 0; i < r.m.n; i++) {
        for (int j = 0; j < r.m.n; j++) b[i] += a[i + j * r.m.n] * x[j];
    }
    CHECK(flx_ldl_solve_refined(r.f, r.m.values, b, work, 1e-15, 10) < 1e-13);
    for (int i = 0; i < 36; i++) CHECK_NEAR(b[i], x[i], 1e-6);
    free(a);
    rig_end(&r);
    return 0;
}

// Negative stiffness: the pivots are right as they are, whatever their signs, and the count of
// negative ones is the number of negative eigenvalues.
static int indefinite_stiffness_is_left_alone(void)
{
    for (unsigned seed = 0; seed < 10; seed++) {
        rig r = rig_start();
        sm_chain(&r.m, 6);
        CHECK(make(&r, true, false) == FLX_OK);
        sm_random_values(&r.m, seed, 0.3, 1);
        for (int b = 0; b < 6; b += 2) {
            for (int i = 0; i < 6; i++) *sm_at(&r.m, b, b, i, i) -= 1.5;
        }
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        flx_ldl_report report = flx_ldl_get_report(r.f);
        double *a = dense(&r.m), w[100];
        CHECK(r.m.n <= 100);
        CHECK(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', r.m.n, a, r.m.n, w) == 0);
        int negative = 0;
        while (negative < r.m.n && w[negative] < 0) negative++;
        CHECK(report.regularised == 0);
        CHECK(report.negative == negative);
        CHECK_NEAR(solve_error(&r), 0, 1e-8);
        free(a);
        rig_end(&r);
    }
    return 0;
}

// S = -1 under one constraint: pivots -1 and +1, both right; nothing is moved.
static int signs_follow_the_matrix(void)
{
    rig r = rig_start();
    sm_body(&r.m, 1);
    sm_constraint_on(&r.m, 1, 0, -1, -1, -1, 0);
    CHECK(make(&r, true, false) == FLX_OK);
    *sm_at(&r.m, 0, 0, 0, 0) = -1;
    sm_set_both(&r.m, 1, 0, 0, 0, 1);
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    CHECK(flx_ldl_get_report(r.f).regularised == 0);
    CHECK(flx_ldl_get_report(r.f).negative == 1);
    double b[2] = {2, 3};
    flx_ldl_solve(r.f, b);
    CHECK_NEAR(b[0], 3, 1e-15);
    CHECK_NEAR(b[1], 5, 1e-15);
    rig_end(&r);
    return 0;
}

// SI units at their worst: milligrams next to kilotons, springs of 1e11 N/m at steps of 1 ms (so
// that M + h^2 K has 1e5), with and without equilibration. Nothing is mistaken for singular, and the solution is right to its condition.
static int units_at_their_extremes(void)
{
    for (int variant = 0; variant < 8; variant++) {
        rig r = rig_start();
        sm_chain(&r.m, 10);
        if (variant & 1) sm_constraint_on(&r.m, 1, 2, 9, -1, -1, -1);
        for (int i = 0; i < 9 && variant & 2; i += 2) sm_spring(&r.m, i, i + 1);
        CHECK(make(&r, true, false) == FLX_OK);
        sm_random_values(&r.m, (unsigned)variant, 6, 1e5);
        if (variant & 4) flx_ldl_equilibrate(r.f, r.m.values);
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        flx_ldl_report report = flx_ldl_get_report(r.f);
        CHECK(report.regularised == 0);
        CHECK(report.negative == r.m.nconstraint_rows);
        double b[200], work[400];
        CHECK(r.m.n <= 200);
        for (int i = 0; i < r.m.n; i++) b[i] = sin(3 * i);
        CHECK(flx_ldl_solve_refined(r.f, r.m.values, b, work, 1e-15, 5) < 1e-14);
        rig_end(&r);
    }
    return 0;
}

// A body without mass or stiffness, held fast: its pivots are moved, and refinement recovers all.
static int body_without_mass(void)
{
    for (int equilibrated = 0; equilibrated < 2; equilibrated++) {
        rig r = rig_start();
        for (int i = 0; i < 4; i++) {
            sm_body(&r.m, 3);
            sm_constraint_on(&r.m, i == 1 ? 3 : 2, i, i - 1, -1, -1, i);
        }
        CHECK(make(&r, true, false) == FLX_OK);
        sm_random_values(&r.m, 8, 0.3, 1);
        memset(sm_at(&r.m, 1, 1, 0, 0), 0, 9 * sizeof(double));
        if (equilibrated) flx_ldl_equilibrate(r.f, r.m.values);
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        CHECK(flx_ldl_get_report(r.f).regularised >= 1);
        CHECK(flx_ldl_get_report(r.f).negative == r.m.nconstraint_rows);
        double b[100], work[200];
        for (int i = 0; i < r.m.n; i++) b[i] = sin(3 * i);
        CHECK(flx_ldl_solve_refined(r.f, r.m.values, b, work, 1e-15, 5) < 1e-14);
        rig_end(&r);
    }
    return 0;
}

static int singular_and_not_finite(void)
{
    for (int bad = 0; bad < 5; bad++) {
        rig r = rig_start();
        sm_four_bars(&r.m, 2);
        CHECK(make(&r, true, false) == FLX_OK);
        sm_four_bar_values(&r.m, 2, 0.7);
        double *value[] = {sm_at(&r.m, 1, 1, 2, 2), sm_at(&r.m, 1, 1, 1, 2),
                           sm_at(&r.m, r.m.nbody + 1, 1, 0, 2)};
        if (bad == 0) memset(r.m.values, 0, sizeof(double) * (size_t)r.m.nvalue);
        if (bad == 1) *value[0] = nan("");
        if (bad == 2) *value[1] = nan("");
        if (bad == 3) *value[2] = HUGE_VAL;
        if (bad == 4) *value[0] = HUGE_VAL;
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_SINGULAR);
        sm_four_bar_values(&r.m, 2, 0.7); // and the next one is fine again
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        CHECK_NEAR(solve_error(&r), 0, 1e-13);
        rig_end(&r);
    }
    return 0;
}

static int no_unknowns(void)
{
    rig r = rig_start();
    CHECK(make(&r, true, false) == FLX_OK);
    double nothing = 0;
    CHECK(flx_ldl_factor(r.f, &nothing) == FLX_OK);
    flx_ldl_solve(r.f, &nothing);
    CHECK(flx_ldl_fill(r.f) == 0);
    rig_end(&r);
    return 0;
}

static int missing_diagonal_is_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_pattern p = {.nblock = 1, .start = (int[]){0, 1}, .row = (int[]){0, 0}};
    flx_ldl *f = NULL;
    CHECK(flx_ldl_create(ctx, &p, (signed char[]){1}, false, &f) == FLX_ERR_ARGUMENT);
    CHECK(f == NULL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "diagonal block 0");
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(pivots_near_a_singular_position), TEST(consistent_right_side_at_a_singular_position),
          TEST(redundant_rows), TEST(indefinite_stiffness_is_left_alone),
          TEST(signs_follow_the_matrix), TEST(units_at_their_extremes), TEST(body_without_mass),
          TEST(singular_and_not_finite), TEST(no_unknowns), TEST(missing_diagonal_is_refused))
