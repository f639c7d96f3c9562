// test_multistep.c - bdf, adams, dop853 and radau, four codes that share no formula, give one motion:
// loops, rotations in space, rolling, equations; and their joints are closed.
#include "check.h"
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 64

typedef struct last_row {
    flx_sink base;
    int n;
    double value[MOST_COLUMNS];
} last_row;

static flx_status row_begin(flx_sink *s, const flx_result_info *info)
{
    ((last_row *)s)->n = info->ncolumn < MOST_COLUMNS ? info->ncolumn : MOST_COLUMNS;
    return FLX_OK;
}
static flx_status row_keep(flx_sink *s, double t, const double *values)
{
    last_row *r = (last_row *)s;
    (void)t;
    memcpy(r->value, values, (size_t)r->n * sizeof *values);
    return FLX_OK;
}
static flx_status row_end(flx_sink *s, const flx_ledger *ledger)
{
    (void)s, (void)ledger;
    return FLX_OK;
}
static void row_destroy(flx_sink *s)
{
    (void)s;
}

// The example with other words for the run; its outputs are kept. NULL: no such file.
static char *read_example(const char *name, const char *simulate)
{
    enum { MOST = 20000 };
    char path[400], *text = calloc(1, MOST + 1), *out = calloc(1, MOST + 500);
    snprintf(path, sizeof path, FLX_TESTS "/../examples/%s.yaml", name);
    FILE *f = fopen(path, "r");
    size_t n = f && text ? fread(text, 1, MOST, f) : 0;
    if (f) fclose(f);
    char *line = n ? strstr(text, "\nsimulate:") : NULL,
         *rest = line ? strchr(line + 1, '\n') : NULL;
    if (!out || !rest) {
        free(text);
        free(out);
        return NULL;
    }
    *line = '\0';
    snprintf(out, MOST + 500, "%s\nsimulate: %s%s", text, simulate, rest);
    free(text);
    return out;
}

static int run(const char *name, const char *method, double until, last_row *row,
               flx_ledger *ledger)
{
    static const flx_sink_type type = {.name = "last",
                                       .begin = row_begin,
                                       .row = row_keep,
                                       .end = row_end,
                                       .destroy = row_destroy};
    char words[200];
    snprintf(words, sizeof words, "{until: %g, method: %s, rtol: 1e-8, atol: 1e-9}", until, method);
    char *text = read_example(name, words);
    CHECK(text);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    *row = (last_row){.base = {&type, ctx}};
    flx_sink *sink = &row->base;
    flx_status s = flx_model_read_text(ctx, name, text, strlen(text), 0, NULL, &m);
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, &sink, NULL, NULL);
    if (s == FLX_OK) *ledger = *flx_simulation_ledger(sim);
    if (s != FLX_OK) printf("    %s: %s\n", method, flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    free(text);
    return s != FLX_OK;
}

// Positions, angles, rates and reactions alike, each to 1e-5 of its size (of one, where it is small).
static int agree(const char *name, double until)
{
    static const char *const methods[] = {"bdf", "adams", "dop853"};
    last_row reference, row;
    flx_ledger l = {0};
    CHECK(run(name, "radau", until, &reference, &l) == 0);
    CHECK(reference.n > 0);
    for (int k = 0; k < 3; k++) {
        double most = 0.0;
        CHECK(run(name, methods[k], until, &row, &l) == 0);
        for (int i = 0; i < row.n; i++) {
            double size = fmax(1.0, fabs(reference.value[i]));
            most = fmax(most, fabs(row.value[i] - reference.value[i]) / size);
        }
        printf("    %-16s %-7s differs by %.1e, closed to %.1e\n", name, methods[k], most,
               l.position_residual);
        CHECK(most < 1e-5);
        CHECK(l.position_residual < 1e-13);
    }
    return 0;
}

static int closed_loops(void)
{
    return agree("four_bar", 0.3) || agree("slider_crank", 0.3) || agree("bricard", 0.3);
}

static int rotations_in_space(void)
{
    return agree("spatial_crank", 0.3) || agree("heavy_top", 0.05);
}

static int velocity_constraints(void)
{
    return agree("rolling_coin", 0.3);
}

static int equations_with_constraints(void)
{
    return agree("pendulum_equations", 0.5) || agree("car_axis", 0.3);
}

// What a run keeps account of costs less than its steps: power is summed without values inside them.
static int account_is_cheap(void)
{
    last_row row;
    flx_ledger l = {0};
    CHECK(run("andrews_equations", "bdf", 0.03, &row, &l) == 0);
    printf("    %ld steps, %ld iterations, %ld evaluations, energy off by %.1e\n", l.work.steps,
           l.work.newton_iterations, l.work.residuals, l.energy_drift);
    CHECK(l.work.residuals < l.work.newton_iterations + 3 * l.work.steps);
    CHECK(l.energy_drift < 1e-6);
    return 0;
}

TEST_MAIN(TEST(closed_loops), TEST(rotations_in_space), TEST(velocity_constraints),
          TEST(equations_with_constraints), TEST(account_is_cheap))
