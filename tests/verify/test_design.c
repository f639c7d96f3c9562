// test_design.c - goals made small: conditions and their multipliers, largest of several, runs that fail, fronts, threads,
// searches that go on.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "math/nlp/small_nlp.h"

#include <math.h>
#include <string.h>

#define MOST 2000

typedef struct kept {
    int n, nparam, nrow, stop; // stop: after so many
    flx_design_row rows[MOST];
    double numbers[MOST][60];
} kept;

static int keep(void *user, const flx_design_row *r)
{
    kept *k = user;
    if (k->n == MOST) return 1;
    double *to = k->numbers[k->n];
    flx_design_row *row = &k->rows[k->n++];
    *row = *r;
    memcpy(to, r->values, (size_t)r->nparam * sizeof *to);
    memcpy(to + r->nparam, r->rows, (size_t)r->nrow * sizeof *to);
    row->values = to;
    row->rows = to + r->nparam;
    if (r->slopes) {
        double *slopes = to + r->nparam + r->nrow;
        memcpy(slopes, r->slopes, (size_t)r->nparam * (size_t)r->nrow * sizeof *to);
        row->slopes = slopes;
    }
    return k->stop > 0 && k->n >= k->stop;
}

static int read(flx_ctx *ctx, const char *path, flx_model **m)
{
    CHECK(flx_model_read(ctx, path, 0, NULL, m) == FLX_OK);
    return 0;
}

// Figures of the collection.
static int conditions(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(read(ctx, FLX_TESTS "/models/design/hs071.yaml", &m) == 0);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    static const double x[4] = {1.0, 4.7429994, 3.8211503, 1.3794082};
    for (int i = 0; i < 4; i++) CHECK_NEAR(d.parameters[i].value, x[i], 1e-5);
    CHECK_NEAR(d.goals[0].value, 17.0140173, 1e-6);
    CHECK(d.parameters[0].at_bound == -1 && d.parameters[1].at_bound == 0);
    CHECK(d.conditions[0].holds == 0 && d.conditions[1].holds == 0);
    CHECK_NEAR(d.conditions[0].multiplier, 0.5523, 1e-3);
    CHECK_NEAR(fabs(d.conditions[1].multiplier), 0.1615, 1e-3);
    flx_design_clear(&d);
    // without derivatives, and with one that cannot be met
    CHECK(flx_model_set_text(m, "optimise.method", "derivative-free") == FLX_OK);
    CHECK(flx_model_set(m, "optimise.runs", 2000) == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    CHECK_NEAR(d.goals[0].value, 17.0140173, 1e-3);
    flx_design_clear(&d);
    CHECK(flx_model_set_text(m, "optimise.method", "auto") == FLX_OK);
    CHECK(flx_model_set_text(m, "optimise.subject_to[1]", "a^2 + b^2 + c^2 + d^2 <= 3") == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_NO_CONVERGENCE);
    CHECK(!d.converged && d.conditions[1].holds == -1);
    CHECK_TEXT(d.why, "meets all conditions");
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A corner: the largest of three planes is least where two of them meet.
static int largest(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(read(ctx, FLX_TESTS "/models/design/two_parabolas.yaml", &m) == 0);
    CHECK(flx_model_remove(m, "optimise.objectives") == FLX_OK);
    CHECK(flx_model_set_text(m, "optimise.minimise", "max(a + 2*b, max(-a + b^2, b - 3*a - 1))") ==
          FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    // a + 2 b = -a + b^2 with (1, 2) y + (-1, 2 b) (1 - y) = 0: b = -2, outside; b = -1 at its bound, a = 1.5
    CHECK_NEAR(d.parameters[1].value, -1.0, 1e-9);
    CHECK_NEAR(d.parameters[0].value, 1.5, 1e-6);
    CHECK_NEAR(d.goals[0].value, -0.5, 1e-6);
    CHECK(d.goals[0].parts == 2);
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Runs fail on a third of the bounds: the search goes around, from a first guess among them, too.
static int failures(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(read(ctx, FLX_TESTS "/models/design/mass_on_spring.yaml", &m) == 0);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    CHECK_NEAR(d.parameters[0].value, 0.3, 1e-6);
    CHECK(d.goals[0].value < 1e-12 && d.failures > 0 && !d.differences);
    CHECK_TEXT(d.failed, "must not be negative");
    CHECK_TEXT(d.failed, "at m = -1");
    flx_design_clear(&d);
    CHECK(flx_model_set(m, "optimise.parameters.m.initial", -0.5) == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    CHECK(d.goals[0].value < 1e-12 && d.failures > 0);
    flx_design_clear(&d);
    // no run at all
    CHECK(flx_model_set(m, "optimise.parameters.m.to", -0.1) == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_NO_CONVERGENCE);
    CHECK(d.nparam == 0);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no first point");
    flx_design_clear(&d);
    flx_ctx_clear_messages(ctx);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int front(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(read(ctx, FLX_TESTS "/models/design/two_parabolas.yaml", &m) == 0);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    CHECK(d.npoint == 6);
    for (int i = 0; i < d.npoint; i++) {
        const double *p = d.points + 4 * i;
        CHECK_NEAR(p[1], 0.0, 1e-5);
        CHECK_NEAR(sqrt(fabs(p[2])) + sqrt(fabs(p[3])), 1.0, 1e-4);
        if (i > 0) CHECK(p[3] > p[-1] && p[2] < p[-2]); // by the second goal, and none is worse
    }
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The same bits by one, two and three threads, and by a search that was cut off and goes on.
static int repeated(void)
{
    static kept all, part, rest;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d, e;
    CHECK(read(ctx, FLX_TESTS "/models/design/mass_on_spring.yaml", &m) == 0);
    CHECK(flx_model_set(m, "optimise.restarts", 3) == FLX_OK);
    flx_design_def def = flx_design_def_default();
    def.evaluated = keep;
    def.user = &all;
    CHECK(flx_design_find(m, &def, ctx, &d) == FLX_OK);
    CHECK(d.starts == 4 && d.agreeing >= 1 && all.n == d.evaluations);
    for (int threads = 2; threads <= 3; threads++) {
        flx_design_def other = flx_design_def_default();
        other.threads = threads;
        CHECK(flx_design_find(m, &other, ctx, &e) == FLX_OK);
        for (int i = 0; i < 2; i++) CHECK(e.parameters[i].value == d.parameters[i].value);
        CHECK(e.goals[0].value == d.goals[0].value && e.agreeing == d.agreeing);
        flx_design_clear(&e);
    }
    part.stop = 12;
    def.user = &part;
    CHECK(flx_design_find(m, &def, ctx, &e) == FLX_INTERRUPTED);
    CHECK(part.n == 12 && e.nparam == 2 && !e.converged);
    flx_design_clear(&e);
    def.user = &rest;
    def.known = part.rows;
    def.nknown = part.n;
    CHECK(flx_design_find(m, &def, ctx, &e) == FLX_OK);
    CHECK(rest.n == all.n - part.n);
    for (int i = 0; i < 2; i++) CHECK(e.parameters[i].value == d.parameters[i].value);
    CHECK(e.goals[0].value == d.goals[0].value);
    flx_design_clear(&e);
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Of equilibria and modes: a frequency is reached by a stiffness, and what is structural may be found, too.
static int analyses(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {k: 100, c: 1}\n"
        "equations: {second_order: {x: {mass: 2, force: 3 - k*x - c*x'}}}\n"
        "analyse: {rest: {type: equilibrium}, m: {type: modes, about: rest, count: 1}}\n"
        "optimise: {parameters: {k: {from: 10, to: 1000}, c: {from: 0.1, to: 50}},\n"
        "  minimise: (m.damping(1) - 0.5)^2, subject_to: [rest.x <= 0.015]}\n"
        "outputs: {signals: [x]}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(flx_model_read_text(ctx, "text", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    double k = d.parameters[0].value, c = d.parameters[1].value;
    CHECK(d.differences == 1);
    CHECK_NEAR(c / (2.0 * sqrt(2.0 * k)), 0.5, 1e-4);
    CHECK(3.0 / k <= 0.015 * (1.0 + 1e-6));
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Parameters that nothing depends on, and slopes that are differences of runs, are told.
static int idle(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {k: 4, c: 0.3}\n"
        "equations: {second_order: {x: {mass: 1, at: 1, force: -k*x - 0.3*x'}}}\n"
        "simulate: {until: 2, method: bdf}\n"
        "outputs: {every: 0.5, signals: [x], metrics: {last: final(x)}}\n"
        "optimise: {parameters: {c: {from: 0, to: 1}, k: {from: 1, to: 10}}, minimise: last}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    flx_read_def read_def = flx_read_def_default();
    read_def.text = text;
    read_def.length = strlen(text);
    CHECK(flx_model_read_by(ctx, "text", &read_def, &m) == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK);
    CHECK(d.converged && d.idle && strcmp(d.idle, "c") == 0);
    CHECK(d.slope_error > 0.0 && d.slope_error < 1e-4);
    flx_design_clear(&d);
    CHECK(flx_model_set_text(m, "optimise.minimise", "2 + 0*last") == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_NO_CONVERGENCE);
    CHECK(!d.converged && strcmp(d.idle, "c, k") == 0);
    CHECK_TEXT(d.why, "nothing depends");
    flx_design_clear(&d);
    // where a search begins at the optimum, all slopes vanish
    CHECK(flx_model_set_text(m, "optimise.minimise", "(k - 4)^2 + (c - 0.3)^2") == FLX_OK);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_OK && !d.idle);
    flx_design_clear(&d);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int absent(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_design d;
    CHECK(read(ctx, FLX_TESTS "/models/design/hs071.yaml", &m) == 0);
    if (!flx_small_nlp_is_there()) {
        CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_ERR_UNAVAILABLE);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "libnlopt-dev");
        flx_ctx_clear_messages(ctx);
    }
    flx_model_destroy(&m);
    CHECK(read(ctx, FLX_EXAMPLES "/pendulum_fit.yaml", &m) == 0);
    CHECK(flx_design_find(m, NULL, ctx, &d) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no goals");
    flx_ctx_clear_messages(ctx);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(conditions), TEST(largest), TEST(failures), TEST(front), TEST(repeated),
          TEST(analyses), TEST(idle), TEST(absent))
