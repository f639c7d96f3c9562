// The Newton matrix of a tree taken apart link by link: the solutions of the full matrix, for real and
// complex weights, with loops, forces between any bodies, and rows left out; its product.
#include "flexion/extend/method_table.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"
#include "tree_pair.h"

typedef struct both { // one mechanism, with the full tangent and by links
    pair full, links;
    flx_blocks bf, bl;
} both;

static void both_close(both *x)
{
    flx_blocks_destroy(&x->bf);
    flx_blocks_destroy(&x->bl);
    pair_close(&x->full);
    pair_close(&x->links);
}

// Multipliers of closures: all in the border, or taken out among the links, though they are few.
typedef enum taken_out { BORDER, EARLY, LATE } taken_out;

static int both_open(both *x, uint64_t seed, taken_out when, bool drawn)
{
    *x = (both){0};
    int dimension = seed % 3 == 0 ? 2 : 3;
    CHECK(pair_open(&x->full, dimension, seed, seed % 4 > 1) == 0);
    CHECK(pair_open(&x->links, dimension, seed, seed % 4 > 1) == 0);
    CHECK(pair_take(&x->full, FLX_TREE_FULL) == 0 && pair_take(&x->links, FLX_TREE_BY_LINKS) == 0);
    CHECK(!x->full.t->ops->factor && x->links.t->ops->factor);
    random_motion(&x->full.k, &flx_tree_of(x->full.t)->t, x->full.tx->q, x->full.tx->v);
    flx_state *a = x->full.tx;
    const flx_dims *n = &x->full.t->dims;
    random_vector(&x->full.k.seed, n->nv, 3.0, a->a);
    random_vector(&x->full.k.seed, n->nlam, 2.0, a->lam);
    random_vector(&x->full.k.seed, n->nmu, 2.0, a->mu);
    flx_state_copy(x->links.tx, a);
    if (drawn) { // where closures are met
        memcpy(a->q, flx_tree_of(x->full.t)->t.drawn, (size_t)n->nq * sizeof *a->q);
        flx_state_copy(x->links.tx, a);
    }
    if (when != BORDER) {
        CHECK(flx_tree_order((flx_tree *)x->links.t, when == EARLY ? a : NULL) == FLX_OK);
        CHECK(pair_take(&x->links, FLX_TREE_BY_LINKS) == 0);
    }
    CHECK(flx_blocks_create(x->full.t, &x->bf) == FLX_OK);
    CHECK(flx_blocks_create(x->links.t, &x->bl) == FLX_OK);
    flx_point p = flx_state_point(x->full.t, a), q = flx_state_point(x->links.t, x->links.tx);
    CHECK(x->full.t->ops->linearise(x->full.t, x->full.tw, &p, &x->bf) == FLX_OK);
    CHECK(x->links.t->ops->linearise(x->links.t, x->links.tw, &q, &x->bl) == FLX_OK);
    return 0;
}

// An entry of the full tangent.
static double entry(const flx_system *s, const double *A, int i, int j)
{
    const flx_pattern *p = &s->pattern;
    const int *of = flx_tree_of(s)->block_of;
    int bi = of[i], bj = of[j], n = p->start[bj + 1] - p->start[bj];
    for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
        if (p->col[e] == bj) return A[p->offset[e] + (i - p->start[bi]) * n + j - p->start[bj]];
    }
    return (double)NAN;
}

static double complex weighted(const both *x, const flx_weights *w, int i, int j)
{
    const flx_system *s = x->full.t;
    const flx_dims *d = &s->dims;
    bool state = j >= d->nv && j < d->nv + d->nx;
    return w->c0 * entry(s, x->bf.A0, i, j) + (state ? w->cx : w->c1) * entry(s, x->bf.A1, i, j) +
           w->c2 * entry(s, x->bf.A2, i, j);
}

// d solves J d = b: what is left, against the terms it is made of.
static double rest_of(const both *x, const flx_weights *w, const double complex *d,
                      const double complex *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double complex sum = -b[i];
        double size = cabs(b[i]) + 1e-300;
        for (int j = 0; j < n; j++) {
            double complex term = weighted(x, w, i, j) * d[j];
            sum += term;
            size += cabs(term);
        }
        most = fmax(most, cabs(sum) / size);
    }
    return most;
}

#define MOST 128
#define SINGULAR 1e6

static const flx_weights weights[] = {
    {1.0, 120.0, 1.3e4, 90.0}, {1.0, 3.0, 8.0, 4.0}, {1.0, 2e4, 3e8, 2e4}, {0.7, 0.2, 1.9, 1.0}};

static int compare_solutions(taken_out when)
{
    int compared = 0, closed = 0, taken = 0;
    for (uint64_t seed = 1; seed <= 240; seed++) {
        both x;
        CHECK(both_open(&x, 40000 + seed, when, false) == 0);
        const flx_tree_fronts *f = &flx_tree_of(x.links.t)->fronts;
        taken += f->nother - f->nborder;
        int n = flx_dims_unknowns(&x.full.t->dims);
        CHECK(n <= MOST);
        for (int k = 0; k < 8; k++) {
            flx_weights w = weights[k / 2];
            bool turned = k % 2 == 1;
            if (turned) { // as Radau's
                double complex z = flx_complex(0.8, 0.6);
                w = (flx_weights){w.c0, w.c1 * z, w.c2 * z * z, w.cx * z};
            }
            flx_linear *lin = NULL;
            double complex b[MOST], d[MOST];
            double re[MOST];
            for (int i = 0; i < n; i++) {
                re[i] = random_number(&x.full.k.seed);
                d[i] = b[i] = turned ? flx_complex(re[i], random_number(&x.full.k.seed)) : re[i];
            }
            CHECK(flx_linear_create(x.links.t, turned, &lin) == FLX_OK);
            flx_status status = flx_linear_factor(lin, &x.bl, &w);
            bool loops = x.full.t->dims.nlam + x.full.t->dims.nmu > 0;
            CHECK(status == FLX_OK || (status == FLX_SINGULAR && loops));
            if (status == FLX_OK && turned) CHECK(flx_linear_solve_complex(lin, d) == FLX_OK);
            if (status == FLX_OK && !turned) {
                CHECK(flx_linear_solve(lin, re) == FLX_OK);
                for (int i = 0; i < n; i++) d[i] = re[i];
            }
            double rest = status == FLX_OK ? rest_of(&x, &w, d, b, n) : 0.0;
            double most = 0.0; // beyond, closures depend on each other
            for (int i = 0; i < n; i++) most = fmax(most, cabs(d[i]));
            if (loops && most > SINGULAR) status = FLX_SINGULAR;
            if (flx_linear_get_report(lin).regularised > 0) status = FLX_SINGULAR;
            if (status == FLX_SINGULAR) rest = 0.0;
            if (rest > 1e-12) printf("seed %d, weights %d: %g\n", (int)seed, k, rest);
            CHECK(rest <= 1e-12);
            compared += status == FLX_OK;
            closed += status == FLX_OK && loops;
            flx_linear_destroy(&lin);
        }
        both_close(&x);
    }
    printf("%d matrices, %d with closures, %d multipliers among links\n", compared, closed, taken);
    CHECK(compared > 1500 && closed > 500 && (taken > 30) == (when != BORDER));
    return 0;
}

static int solutions_are_those_of_the_full_matrix(void)
{
    return compare_solutions(BORDER);
}

static int multipliers_go_among_the_links(void)
{
    return compare_solutions(EARLY);
}

static int multipliers_go_where_their_ways_meet(void)
{
    return compare_solutions(LATE);
}

// Entries that the pattern keeps, and the product; those that it leaves out between rows and links are zeros (TRN-6).
static int entries_and_products_are_those_of_the_full_matrix(void)
{
    int left_out = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        both x;
        CHECK(both_open(&x, 50000 + seed, (taken_out)(seed % 3), true) == 0);
        const flx_system *s = x.links.t;
        const flx_pattern *p = &s->pattern;
        int n = flx_dims_unknowns(&s->dims), nv = s->dims.nv;
        const double *const L[3] = {x.bl.A0, x.bl.A1, x.bl.A2};
        const double *const F[3] = {x.bf.A0, x.bf.A1, x.bf.A2};
        for (int i = 0; i < n && n > nv; i++) {
            for (int j = 0; j < n; j++) {
                bool diagonal = i < nv && j < nv;
                for (int k = diagonal ? 2 : 0; k < 3; k++) {
                    double kept = entry(s, L[k], i, j), full = entry(x.full.t, F[k], i, j);
                    bool links = i < nv && j < nv;
                    if (isnan(kept) && links) continue;
                    left_out += isnan(kept) && k == 0;
                    CHECK_NEAR(isnan(kept) ? 0.0 : kept, full, 1e-12 * (1.0 + fabs(full)));
                }
            }
        }
        for (int e = 0; e < p->row[p->nblock]; e++) CHECK(p->transpose[p->transpose[e]] == e);
        static double A[MOST * MOST], scratch[2 * MOST];
        CHECK(n <= MOST);
        for (int k = 0; k < 3; k++) {
            flx_blocks_spread(s, x.links.tw, &x.bl, k, scratch, A);
            for (int i = 0; i < n * n; i++) {
                double full = entry(x.full.t, F[k], i / n, i % n);
                CHECK_NEAR(A[i], full, 1e-11 * (1.0 + fabs(full)));
            }
        }
        double u[3][MOST], out[MOST] = {0};
        const double c[3] = {0.4, -1.3, 0.7}, *const along[3] = {u[0], u[1], u[2]};
        for (int k = 0; k < 3; k++) random_vector(&x.full.k.seed, nv, 1.0, u[k]);
        s->ops->product(s, x.links.tw, &x.bl, c, along, out);
        for (int i = 0; i < n; i++) {
            double sum = 0.0, size = 1.0;
            for (int j = 0; j < 3 * nv; j++) {
                double term = c[j / nv] * entry(x.full.t, F[j / nv], i, j % nv) * u[j / nv][j % nv];
                sum += term;
                size += fabs(term);
            }
            CHECK_NEAR(out[i], sum, 1e-12 * size);
        }
        both_close(&x);
    }
    printf("%d entries left out beside links\n", left_out);
    CHECK(left_out > 100);
    return 0;
}

// Projections in the metric of the mass, with all rows and with those of positions alone.
static int projections_are_those_of_the_full_matrix(void)
{
    static const flx_saddle_metric mass = {0};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        both x;
        CHECK(both_open(&x, 60000 + seed, (taken_out)(seed % 3), false) == 0);
        int n = flx_dims_unknowns(&x.full.t->dims);
        for (int k = 0; k < 2; k++) {
            flx_saddle_rows rows = k == 0 ? FLX_ROWS_VELOCITY : FLX_ROWS_POSITION;
            flx_saddle *sf = NULL, *sl = NULL;
            double a[MOST], b[MOST], most = 1.0;
            random_vector(&x.full.k.seed, n, 1.0, a);
            memcpy(b, a, sizeof b);
            CHECK(flx_saddle_create(x.full.t, &sf) == FLX_OK);
            CHECK(flx_saddle_create(x.links.t, &sl) == FLX_OK);
            flx_status s1 = flx_saddle_factor(sf, &x.bf, rows, &mass);
            flx_status s2 = flx_saddle_factor(sl, &x.bl, rows, &mass);
            bool fine = s1 == FLX_OK && s2 == FLX_OK && flx_saddle_regularised(sf, NULL) == 0 &&
                        flx_saddle_pivot_ratio(sf) > 1e-8 && flx_saddle_pivot_ratio(sl) > 1e-8;
            // what is left of a row between bodies that the tree holds together is rounding
            if (fine) {
                flx_saddle_solve(sf, a);
                flx_saddle_solve(sl, b);
                for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
                fine = most < SINGULAR; // else the rows depend on each other
                for (int i = 0; i < n && fine; i++) CHECK_NEAR(b[i], a[i], 1e-10 * most);
            }
            compared += fine;
            flx_saddle_destroy(&sf);
            flx_saddle_destroy(&sl);
        }
        both_close(&x);
    }
    CHECK(compared > 100);
    return 0;
}

TEST_MAIN(TEST(solutions_are_those_of_the_full_matrix), TEST(multipliers_go_among_the_links),
          TEST(multipliers_go_where_their_ways_meet),
          TEST(entries_and_products_are_those_of_the_full_matrix),
          TEST(projections_are_those_of_the_full_matrix))
