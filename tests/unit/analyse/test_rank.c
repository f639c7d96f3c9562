// test_rank.c - redundant rows, singular positions, freedoms, on nets of rods.
#include "analyse/rank.h"
#include "analyse/rank_parts.h"
#include "check.h"
#include "flexion/analysis.h"
#include "rig.h"
#include "tiny_systems.h"

#include <stdlib.h>

typedef struct case_of {
    flx_ctx *ctx;
    flx_system *s;
    flx_state *x;
    flx_rank_report r;
} case_of;

static int open_case(case_of *c, flx_ctx *ctx, flx_system *s)
{
    *c = (case_of){.ctx = ctx, .s = s};
    return s ? flx_state_create(s, &c->x) != FLX_OK : 1;
}

static void close_case(case_of *c)
{
    flx_rank_report_clear(&c->r);
    flx_state_destroy(&c->x);
    flx_system_destroy(&c->s);
    flx_ctx_destroy(&c->ctx);
}

static net_constraint rod(int i, int j, double length)
{
    return (net_constraint){.i = i, .j = j, .length = length, .sigma = 1.0};
}
static net_constraint crank(int i, double x, double y, double length)
{
    return (net_constraint){.i = i, .j = -1, .anchor = {x, y}, .length = length, .sigma = 1.0};
}

// ---- trees ----------------------------------------------------------------------------------

static int a_chain_has_no_redundant_rod(void)
{
    enum { N = 300 };
    static double mass[N];
    static net_constraint rods[N];
    for (int i = 0; i < N; i++) {
        mass[i] = 1.0 + 0.01 * i;
        rods[i] = i ? rod(i, i - 1, 0.5) : crank(0, 0.0, 0.0, 0.5);
    }
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, net_create(ctx, N, mass, 9.81, N, rods)) == 0);
    for (int i = 0; i < N; i++) {
        c.x->q[2 * i] = (i ? c.x->q[2 * i - 2] : 0.0) + 0.5 * cos(0.3 * i);
        c.x->q[2 * i + 1] = (i ? c.x->q[2 * i - 1] : 0.0) + 0.5 * sin(0.3 * i);
    }
    CHECK(flx_rank_constraints(c.s, c.x, &c.r) == FLX_OK);
    CHECK(c.r.nredundant == 0);
    CHECK(c.r.nsingular == 0);
    CHECK(c.r.freedoms == N);
    close_case(&c);
    return 0;
}

// ---- redundant ------------------------------------------------------------------------------

// A braced square: one rod too many in every position.
static int the_sixth_rod_of_a_square_is_redundant(void)
{
    double mass[4] = {1, 1, 1, 1}, d = sqrt(2.0);
    net_constraint rods[6] = {rod(0, 1, 1), rod(1, 2, 1), rod(2, 3, 1),
                              rod(3, 0, 1), rod(0, 2, d), rod(1, 3, d)};
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, net_create(ctx, 4, mass, 0, 6, rods)) == 0);
    const double q[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    memcpy(c.x->q, q, sizeof q);
    CHECK(flx_rank_constraints(c.s, c.x, &c.r) == FLX_OK);
    CHECK(c.r.nredundant == 1);
    CHECK(c.r.nsingular == 0);
    CHECK(c.r.freedoms == 3);
    close_case(&c);
    return 0;
}

// Three parallel cranks on a rigid triangle; the third says what the others say. With an error of
// the geometry the rods are locked, strictly; it is still the mechanism that is meant.
enum { CELL_POINTS = 3, CELL_RODS = 6 };
static void parallel_cranks(int first, double x0, double error, double *q, net_constraint *rods)
{
    const double foot[3][2] = {{0, 0}, {1.1, 0}, {0.4, -0.5}};
    double s = sin(0.7), c = cos(0.7);
    for (int i = 0; i < 3; i++) {
        double L = i == 2 ? 0.8 + error : 0.8;
        rods[i] = crank(first + i, x0 + foot[i][0], foot[i][1], L);
        q[2 * i] = x0 + foot[i][0] + L * c;
        q[2 * i + 1] = foot[i][1] + L * s;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        rods[3 + i] =
            rod(first + i, first + j, hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]));
    }
}

static int an_error_of_the_geometry_does_not_hide_a_redundant_row(void)
{
    const double error[] = {0.0, 1e-9, 1e-6, 1e-4, -1e-4};
    for (int k = 0; k < 10; k++) {
        double mass[3] = {1, 2, 3}, q[6];
        net_constraint rods[6];
        parallel_cranks(0, 0.0, error[k % 5], q, rods);
        case_of c;
        flx_ctx *ctx = flx_ctx_create();
        CHECK(open_case(&c, ctx, net_create(ctx, 3, mass, 0, 6, rods)) == 0);
        memcpy(c.x->q, q, sizeof q);
        CHECK(flx_rank_constraints_by(c.s, c.x, k < 5 ? 100 : 0, &c.r) == FLX_OK); // dense, sparse
        CHECK(c.r.nredundant == 1);
        CHECK(c.r.nsingular == 0);
        CHECK(c.r.freedoms == 1);
        close_case(&c);
    }
    return 0;
}

// ---- singular -------------------------------------------------------------------------------

// A parallelogram stretched out: the cranks can go on in parallel or not. One degree of freedom,
// one row too many in this position only.
static int a_stretched_parallelogram_is_singular_and_not_redundant(void)
{
    double mass[2] = {1, 1};
    net_constraint rods[3] = {crank(0, 0, 0, 0.4), crank(1, 1, 0, 0.4), rod(0, 1, 1)};
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, net_create(ctx, 2, mass, 0, 3, rods)) == 0);
    const double q[4] = {0.4, 0, 1.4, 0};
    memcpy(c.x->q, q, sizeof q);
    for (int dense = 0; dense < 2; dense++) {
        flx_rank_report_clear(&c.r);
        CHECK(flx_rank_constraints_by(c.s, c.x, 100 * dense, &c.r) == FLX_OK);
        CHECK(c.r.nredundant == 0);
        CHECK(c.r.nsingular == 1);
        CHECK(c.r.freedoms == 1);
    }
    close_case(&c);
    return 0;
}

static int compliant_rows_are_no_constraints(void)
{
    double mass = 1;
    net_constraint rods[3] = {crank(0, 0, 0, 1), crank(0, 1, 0, 1), crank(0, 0.5, 2, 1)};
    rods[2].C = 0.1;
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, net_create(ctx, 1, &mass, 0, 3, rods)) == 0);
    c.x->q[0] = 0.5;
    c.x->q[1] = sqrt(0.75);
    CHECK(flx_rank_constraints(c.s, c.x, &c.r) == FLX_OK);
    CHECK(c.r.nredundant == 0);
    CHECK(c.r.freedoms == 0);
    close_case(&c);
    return 0;
}

static int velocity_constraints_take_freedoms(void)
{
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, skate_create(ctx, 1, 1, 0, 0)) == 0);
    c.x->q[2] = 0.3;
    CHECK(flx_rank_constraints(c.s, c.x, &c.r) == FLX_OK);
    CHECK(c.r.freedoms == 2);
    close_case(&c);
    return 0;
}

// ---- sparse ---------------------------------------------------------------------------------

// Cells of parallel cranks in a row, each tied to the next by a rod that is no constraint too many:
// one connected part with a redundant row a cell.
static int the_sparse_method_finds_as_many(void)
{
    enum { CELLS = 12, N = CELLS * CELL_POINTS, M = CELLS * CELL_RODS + CELLS - 1 };
    double mass[N], q[2 * N];
    net_constraint rods[M];
    for (int i = 0; i < N; i++) mass[i] = 1.0;
    for (int k = 0; k < CELLS; k++) {
        parallel_cranks(3 * k, 3.0 * k, 0.0, q + 6 * k, rods + CELL_RODS * k);
    }
    for (int k = 0; k + 1 < CELLS; k++) { // cells move together: lengths kept, but not redundant
        int i = 3 * k + 1, j = 3 * k + 3;
        double d[2] = {q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]};
        rods[CELLS * CELL_RODS + k] = rod(i, j, hypot(d[0], d[1]));
    }
    case_of c;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(open_case(&c, ctx, net_create(ctx, N, mass, 0, M, rods)) == 0);
    memcpy(c.x->q, q, sizeof q);
    CHECK(flx_rank_constraints_by(c.s, c.x, 10000, &c.r) == FLX_OK);
    int redundant = c.r.nredundant, singular = c.r.nsingular, freedoms = c.r.freedoms;
    CHECK(redundant == CELLS);
    CHECK(freedoms == 1);
    flx_rank_report_clear(&c.r);
    CHECK(flx_rank_constraints_by(c.s, c.x, 0, &c.r) == FLX_OK);
    CHECK(c.r.nredundant == redundant);
    CHECK(c.r.nsingular == singular);
    CHECK(c.r.freedoms == freedoms);
    // what was chosen can be left out: the rest has full rank, one row from each cell
    for (int k = 0; k < c.r.nredundant; k++) CHECK(c.r.redundant[k] / CELL_RODS == k);
    close_case(&c);
    return 0;
}

// ---- thresholds -----------------------------------------------------------------------------

// Below 2e-3 of the largest and 50 times below the one before, or below 1e-9: each number from both sides.
static int small_pivots_are_zero_behind_a_gap(void)
{
    static const struct {
        int n, loose, strict; // pivots, how many count
        double pivot[8];
    } lists[] = {
        {3, 2, 3, {1.0, 0.5, 1.5e-3}},                          // small, behind a gap
        {3, 3, 3, {1.0, 0.5, 3e-3}},                            // a gap, but not small
        {3, 2, 3, {1.0, 0.06, 1e-3}},                           // 60 times
        {3, 3, 3, {1.0, 0.04, 1e-3}},                           // 40 times: no gap
        {3, 3, 3, {200.0, 8.0, 0.2}},                           // of the largest
        {3, 2, 3, {200.0, 12.0, 0.2}},                          //
        {4, 2, 4, {1.0, 0.5, 1e-3, 9e-4}},                      // all behind the gap
        {7, 7, 7, {1.0, 0.03, 1e-3, 3e-5, 1e-6, 3e-8, 1.5e-9}}, // no gap: small ones count
        {7, 6, 6, {1.0, 0.03, 1e-3, 3e-5, 1e-6, 3e-8, 0.7e-9}}, // rounding
        {2, 1, 2, {1.0, 1.5e-9}},                               //
        {2, 1, 1, {1.0, 0.7e-9}},                               //
        {1, 1, 1, {1e-12}},                                     // the largest is no rounding
        {3, 3, 3, {1e-12, 1e-13, 1e-14}},                       //
        {2, 0, 0, {0.0, 0.0}},                                  //
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        flx_rank_analysis a = {0};
        CHECK(flx_rank_count_pivots(&a, lists[i].n, lists[i].pivot, false) == lists[i].loose);
        int k = lists[i].loose;
        double weakest = k > 0 && k < lists[i].n ? lists[i].pivot[k] / lists[i].pivot[0] : 0.0;
        CHECK(a.weakest == weakest);
        CHECK(flx_rank_count_pivots(&a, lists[i].n, lists[i].pivot, true) == lists[i].strict);
    }
    return 0;
}

static int every_allocation_may_fail(void)
{
    double mass[3] = {1, 2, 3}, q[6];
    net_constraint rods[6];
    parallel_cranks(0, 0.0, 0.0, q, rods);
    for (int dense = 0; dense < 2; dense++) {
        for (long k = 0;; k++) {
            case_of c;
            flx_ctx *ctx = flx_ctx_create();
            CHECK(open_case(&c, ctx, net_create(ctx, 3, mass, 0, 6, rods)) == 0);
            memcpy(c.x->q, q, sizeof q);
            flx_ctx_fail_allocation(ctx, k);
            flx_status status = flx_rank_constraints_by(c.s, c.x, dense ? 100 : 0, &c.r);
            close_case(&c);
            CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
            if (status == FLX_OK) break;
            CHECK(k < 1000);
        }
    }
    return 0;
}

TEST_MAIN(TEST(small_pivots_are_zero_behind_a_gap), TEST(a_chain_has_no_redundant_rod),
          TEST(the_sixth_rod_of_a_square_is_redundant),
          TEST(an_error_of_the_geometry_does_not_hide_a_redundant_row),
          TEST(a_stretched_parallelogram_is_singular_and_not_redundant),
          TEST(compliant_rows_are_no_constraints), TEST(velocity_constraints_take_freedoms),
          TEST(the_sparse_method_finds_as_many), TEST(every_allocation_may_fail))
