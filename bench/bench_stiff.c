// bench_stiff - digits against steps and instructions on stiff problems, beside published figures.
//
//   bench_stiff                      the tables; counts by callgrind, where valgrind is there
//   bench_stiff CASE VALUE OPTIONS   one run: CASE van-der-pol, spring, rod or andrews, VALUE its eps, delta
//                                    or d (andrews: 0 equations, 1 bodies), OPTIONS the words of
//                                    the model's `simulate` block
//
//   van-der-pol: y' = z, eps z' = (1 - y^2) z - y, y(0) = 2, z(0) = 0, to t = 2.
//   spring: a unit mass on a spring of stiffness 2/delta^2, its force an unknown, to t = 10.
//   rod: a rod on a joint with damping d, the force mixed, to t = 1.
// Instructions are those of the integration alone.
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIGNALS = 8 };

typedef struct last_row {
    flx_sink base;
    int n;
    double value[MOST_SIGNALS];
} last_row;

static flx_status row_begin(flx_sink *s, const flx_result_info *info)
{
    (void)s, (void)info;
    return FLX_OK;
}
static flx_status row_keep(flx_sink *s, double t, const double *values)
{
    (void)t;
    last_row *r = (last_row *)s;
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

static const char van_der_pol_text[] = "flexion: 1\n"
                                       "parameters: {eps: %.17g}\n"
                                       "equations:\n"
                                       "  first_order:\n"
                                       "    y: {at: 2, derivative: z}\n"
                                       "    z: {at: 0, derivative: ((1 - y^2)*z - y)/eps}\n"
                                       "simulate: {until: 2, %s}\n"
                                       "outputs: {every: 2, signals: [y, z]}\n";

static const char spring_text[] =
    "flexion: 1\n"
    "parameters: {delta: %.17g}\n"
    "signals: {r: sqrt(y1^2 + y2^2)}\n"
    "equations:\n"
    "  second_order:\n"
    "    y1: {at: 1, rate: 0, mass: 1, force: -y1*lam}\n"
    "    y2: {at: 0, rate: 0, mass: 1, force: -y2*lam - 1}\n"
    "  first_order:\n"
    "    lam: {at: 0, mass: 0, derivative: delta^2*r*lam - (r^2 - 1)}\n"
    "simulate: {until: 10, %s}\n"
    "outputs: {every: 10, signals: [y1, y2, y1', y2']}\n";

static const char rigid_text[] = "flexion: 1\n"
                                 "parameters: {delta: %.17g}\n"
                                 "equations:\n"
                                 "  second_order:\n"
                                 "    y1: {at: 1, rate: 0, mass: 1, force: 0}\n"
                                 "    y2: {at: 0, rate: 0, mass: 1, force: -1}\n"
                                 "  constraints: {rod: (y1^2 + y2^2 - 1)/2}\n"
                                 "simulate: {until: 10, %s}\n"
                                 "outputs: {every: 10, signals: [y1, y2, y1', y2']}\n";

typedef struct problem {
    const char *name;
    const char *text;
    int n;
    double reference[MOST_SIGNALS]; // zeros: none
} problem;

static const problem problems[] = {
    {"van-der-pol", van_der_pol_text, 2, {1.706167732170483, -0.8928097010247975}},
    {"spring", spring_text, 2, {-0.81158644619130383427, -0.58423235134539570106}},
    {"rigid", rigid_text, 2, {-0.81158644619130383427, -0.58423235134539570106}},
};

static int run(const problem *p, double value, const char *options)
{
    static const flx_sink_type type = {.name = "last",
                                       .begin = row_begin,
                                       .row = row_keep,
                                       .end = row_end,
                                       .destroy = row_destroy};
    char text[4000];
    snprintf(text, sizeof text, p->text, value, options);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    last_row last = {.base = {&type, ctx}, .n = p->n};
    flx_sink *sink = &last.base;
    flx_status s = flx_model_read_text(ctx, "bench", text, strlen(text), 0, NULL, &m);
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, &sink, NULL, NULL);
    if (s == FLX_OK) {
        const flx_ledger *l = flx_simulation_ledger(sim);
        double error = 1e-16;
        for (int i = 0; i < p->n; i++) {
            error = fmax(error, fabs(last.value[i] / p->reference[i] - 1.0));
        }
        printf("%7.2f %7ld %6ld %8ld %8ld %8ld %8ld", -log10(error), l->work.steps,
               l->work.rejected, l->work.residuals, l->work.newton_iterations,
               l->work.linearisations, l->work.factorisations);
    } else {
        printf("  %s", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "failed");
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return s == FLX_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof problems / sizeof problems[0]; i++) {
        if (strcmp(problems[i].name, argv[1]) != 0) continue;
        int failed = run(&problems[i], atof(argv[2]), argv[3]);
        printf("\n");
        return failed;
    }
    return 0;
}
