// Large matrices of ldl.h by fronts: lattices of points, each coupled with its neighbours, with constraints that
// are paired, closures and redundant ones; the whole of an unsymmetric one by Krylov's vectors.
#include "integrate/krylov.h"
#include "ldl_rig.h"
#include "math/pattern.h"

enum { NX = 12, NY = 8, NZ = 8, POINTS = NX * NY * NZ };

static int at(int i, int j, int k)
{
    return (i * NY + j) * NZ + k;
}

static void couple(saddle_matrix *m, int i, int j, int k)
{
    for (int d = 14; d < 27; d++) { // half of the 26 around
        int x = i + d / 9 - 1, y = j + d / 3 % 3 - 1, z = k + d % 3 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= NX || y >= NY || z >= NZ) continue;
        sm_spring(m, at(i, j, k), at(x, y, z));
    }
}

static void build_lattice(saddle_matrix *m)
{
    for (int i = 0; i < POINTS; i++) sm_body(m, 3);
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NY; j++) {
            for (int k = 0; k < NZ; k++) couple(m, i, j, k);
        }
    }
}

// Held points, points that move together, and a closure between two of those.
static void add_constraints(saddle_matrix *m)
{
    for (int k = 0; k < NZ; k++) sm_constraint_on(m, 3, at(0, 0, k), -1, -1, -1, at(0, 0, k));
    sm_constraint_on(m, 2, at(5, 2, 2), at(NX - 1, 0, 0), -1, -1, at(5, 2, 2));
    sm_constraint_on(m, 1, at(5, 2, 2), at(7, 7, 7), -1, -1, -1);
}

// |A x - b| / (|A| |x| + |b|) of a solution: the worst of all rows, or the worst numerator and denominator.
static double backward_error(saddle_matrix *m, const double *x, const double *b, bool of_rows)
{
    double worst = 0, left = 0, largest = 0;
    for (int i = 0; i < m->nblock; i++) {
        for (int r = m->start[i]; r < m->start[i + 1]; r++) {
            double sum = b[r], size = fabs(b[r]);
            for (int e = m->row[i]; e < m->row[i + 1]; e++) {
                int c0 = m->start[m->col[e]], n = m->start[m->col[e] + 1] - c0;
                const double *a = m->values + m->offset[e] + (r - m->start[i]) * n;
                for (int c = 0; c < n; c++) {
                    sum -= a[c] * x[c0 + c];
                    size += fabs(a[c] * x[c0 + c]);
                }
            }
            if (!(fabs(sum) <= worst * size)) worst = fabs(sum) / size;
            left = fmax(left, fabs(sum));
            largest = fmax(largest, size);
        }
    }
    return of_rows ? worst : left / largest;
}

static double solved_to(rig *r)
{
    saddle_matrix *m = &r->m;
    double *b = sm_zeroed(m->n, sizeof *b), *x = sm_zeroed(m->n, sizeof *x);
    for (int i = 0; i < m->n; i++) b[i] = x[i] = sm_random(m);
    flx_ldl_solve(r->f, x);
    double error = backward_error(m, x, b, true);
    free(b);
    free(x);
    return error;
}

static int solutions_are_right(void)
{
    for (int constraints = 0; constraints < 2; constraints++) {
        for (int pairs = 0; pairs < 2; pairs++) {
            rig r = rig_start();
            build_lattice(&r.m);
            if (constraints) add_constraints(&r.m);
            CHECK(make(&r, pairs, false) == FLX_OK);
            CHECK(flx_ldl_wants_fronts(&r.m.pattern));
            for (unsigned seed = 0; seed < 2; seed++) {
                sm_random_values(&r.m, seed, 0.5, 10);
                CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
                flx_ldl_report report = flx_ldl_get_report(r.f);
                CHECK(report.regularised == 0 && report.negative == r.m.nconstraint_rows);
                CHECK(report.pivot_ratio > 1e-8 && report.pivot_ratio <= 1.0);
                CHECK_NEAR(solved_to(&r), 0, 1e-11);
            }
            rig_end(&r);
        }
    }
    return 0;
}

// The same row twice: one pivot is rounding, moved and named; the solution of what is left stays right.
static int redundant_rows_are_seen(void)
{
    rig r = rig_start();
    build_lattice(&r.m);
    int a = sm_constraint_on(&r.m, 2, at(3, 3, 3), -1, -1, -1, at(3, 3, 3));
    int b = sm_constraint_on(&r.m, 1, at(3, 3, 3), -1, -1, -1, -1);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_random_values(&r.m, 1, 0.5, 10);
    int point = at(3, 3, 3);
    for (int c = 0; c < 3; c++) {
        double g = *sm_at(&r.m, r.m.nbody + a, point, 1, c);
        sm_set_both(&r.m, r.m.nbody + b, point, 0, c, g);
    }
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    flx_ldl_report report = flx_ldl_get_report(r.f);
    CHECK(report.regularised == 1 && report.negative == 3);
    CHECK(report.worst == r.m.start[r.m.nbody + b]);
    r.m.values[0] = (double)NAN;
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_SINGULAR);
    rig_end(&r);
    return 0;
}

static int factoring_again_takes_no_memory(void)
{
    rig r = rig_start();
    build_lattice(&r.m);
    add_constraints(&r.m);
    CHECK(make(&r, true, false) == FLX_OK);
    sm_random_values(&r.m, 1, 0.5, 10);
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    long before = flx_ctx_allocation_count(r.ctx);
    CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
    CHECK_NEAR(solved_to(&r), 0, 1e-11);
    CHECK(flx_ctx_allocation_count(r.ctx) == before);
    rig_end(&r);
    return 0;
}

// The factors of the symmetric part and GMRES solve the whole, as long as that is near; else they say so.
static int the_whole_is_solved_too(void)
{
    rig r = rig_start();
    flx_krylov *k = NULL;
    build_lattice(&r.m);
    add_constraints(&r.m);
    CHECK(make(&r, true, false) == FLX_OK);
    CHECK(flx_krylov_create(r.ctx, r.m.n, &k) == FLX_OK);
    for (int strong = 0; strong < 2; strong++) {
        double part = strong ? 300.0 : 0.3, *b, *x;
        sm_random_values(&r.m, 3, 0.5, 10);
        for (int i = 0; i < r.m.nbody; i++) { // a part without symmetry
            int e = sm_entry(&r.m, i, i);
            double *a = r.m.values + r.m.offset[e], s = part * a[0];
            a[1] += s;
            a[3] -= s;
        }
        CHECK(flx_ldl_factor(r.f, r.m.values) == FLX_OK);
        b = sm_zeroed(r.m.n, sizeof *b);
        x = sm_zeroed(r.m.n, sizeof *x);
        for (int i = 0; i < r.m.n; i++) b[i] = x[i] = sm_random(&r.m);
        bool solved = flx_krylov_solve(k, &r.m.pattern, r.m.values, r.f, x);
        CHECK(solved == !strong);
        if (solved) CHECK_NEAR(backward_error(&r.m, x, b, false), 0, 1e-9);
        for (int i = 0; i < r.m.n && !solved; i++) CHECK(x[i] == b[i]);
        free(b);
        free(x);
    }
    flx_krylov_destroy(&k);
    rig_end(&r);
    return 0;
}

TEST_MAIN(TEST(solutions_are_right), TEST(redundant_rows_are_seen),
          TEST(factoring_again_takes_no_memory), TEST(the_whole_is_solved_too))
