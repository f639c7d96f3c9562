// test_grid.c - the matrix of a grid against differences of its residual: orders, ends, states, loops.
#include "analyse/grid/backward.h"
#include "analyse/grid/grid.h"
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"
#include "math/complex_number.h"
#include "model_text.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NODES 12

static double number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

// Largest difference between J d and (r(d e) - r(-d e))/2e, over the size of J d.
static double compare(flx_grid *g)
{
    unsigned seed = 7;
    size_t n = (size_t)g->total_cols, m = (size_t)g->total_rows;
    double *d = calloc(n + 3 * m, sizeof *d), *r = d + n, *s = r + m, *p = s + m;
    double off = 0.0, size = 0.0, e = 1e-5;
    for (size_t i = 0; i < n; i++) d[i] = 0.01 * number(&seed);
    flx_grid_add(g, d, 1.0); // off the start
    for (size_t i = 0; i < n; i++) d[i] = number(&seed);
    if (flx_grid_linearise(g) != FLX_OK) off = HUGE_VAL;
    for (int c = 0; c < g->total_cols; c++) {
        for (int k = g->begin_of[c]; k < g->begin_of[c + 1]; k++)
            p[g->row_at[k]] += g->values[k] * d[c];
    }
    flx_grid_add(g, d, e);
    if (flx_grid_residual(g, r) != FLX_OK) off = HUGE_VAL;
    flx_grid_add(g, d, -2.0 * e);
    if (flx_grid_residual(g, s) != FLX_OK) off = HUGE_VAL;
    for (size_t i = 0; i < m; i++) {
        off = fmax(off, fabs((r[i] - s[i]) / (2.0 * e) - p[i]));
        size = fmax(size, fabs(p[i]));
    }
    free(d);
    return off / size;
}

static int check_model(const char *name)
{
    static const flx_grid_def defs[] = {{.order = 2},
                                        {.order = 4},
                                        {.order = 2, .open = true},
                                        {.order = 4, .open = true},
                                        {.order = 2, .backward = true},
                                        {.order = 4, .backward = true},
                                        {.order = 2, .mirror = true},
                                        {.order = 0}};
    const char *text = model_text(name);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(model, &sim) == FLX_OK);
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        flx_grid_def def = defs[i];
        flx_grid *g = NULL;
        def.nodes = NODES;
        def.step = 0.1;
        CHECK(flx_grid_create(sim->sys, sim->start, &def, &g) == FLX_OK);
        double off = compare(g);
        if (!(off < 1e-8)) printf("  %s, grid %d: %g\n", name, (int)i, off);
        CHECK(off < 1e-8);
        flx_grid_destroy(&g);
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int the_matrix_is_the_slope(void)
{
    CHECK(check_model("inversion_crane") == 0);
    CHECK(check_model("inversion_parts") == 0);
    CHECK(check_model("inversion_robot") == 0);
    return 0;
}

// The logarithm of growth over 4 000 steps as the recurrence itself shows it, from four numbers that excite all of it.
static double seen_growth(int order, double complex sh)
{
    static const double b2[] = {1.5, -2.0, 0.5}, b4[] = {25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 0.25};
    const double *b = order == 4 ? b4 : b2;
    double complex x[4] = {1.0, -0.3, 0.4, 0.7};
    double grown = 0.0;
    for (int n = 0; n < 4000; n++) {
        double complex sum = 0.0;
        for (int j = 1; j <= order; j++) sum -= b[j] * x[j - 1];
        for (int j = 3; j > 0; j--) x[j] = x[j - 1];
        x[0] = sum / (b[0] - sh);
        if (n % 100 < 99) continue;
        double size = 0.0;
        for (int j = 0; j < 4; j++) size = fmax(size, cabs(x[j]));
        for (int j = 0; j < 4; j++) x[j] /= size;
        grown += log(size);
    }
    return grown;
}

static int what_decays_may_grow(void)
{
    int ngrow = 0;
    for (int i = 0; i <= 20; i++) {
        for (int j = 0; j <= 20; j++) {
            double re = -0.05 * i - 1e-3, im = 0.1 * j;
            bool grows = flx_backward_grows(4, 0.01, 4000, 100 * re, 100 * im);
            double seen = seen_growth(4, flx_complex(re, im));
            if (fabs(seen) > 2.0) CHECK(grows == (seen > 0.0));
            CHECK(!flx_backward_grows(2, 0.01, 4000, 100 * re, 100 * im));
            CHECK(seen_growth(2, flx_complex(re, im)) < 2.0);
            ngrow += grows;
        }
    }
    CHECK(ngrow > 10);
    CHECK(flx_backward_grows(2, 0.01, 4000, 5.0, 0.0));
    return 0;
}

TEST_MAIN(TEST(the_matrix_is_the_slope), TEST(what_decays_may_grow))
