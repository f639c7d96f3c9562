// Models whose formulation is the tree, and mechanisms with loops of all kinds made trees: every
// signal is the same as in coordinates of bodies, row by row.
#include "check.h"
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

#define MOST_COLUMNS 64
#define MOST_ROWS 64

typedef struct rows_sink {
    flx_sink base;
    int ncolumn, nrow;
    double values[MOST_ROWS][MOST_COLUMNS];
    double largest[MOST_COLUMNS];
} rows_sink;

static flx_status begin(flx_sink *s, const flx_result_info *info)
{
    ((rows_sink *)s)->ncolumn = info->ncolumn;
    return info->ncolumn <= MOST_COLUMNS ? FLX_OK : FLX_ERR_ARGUMENT;
}

static flx_status row(flx_sink *s, double t, const double *values)
{
    rows_sink *r = (rows_sink *)s;
    (void)t;
    if (r->nrow == MOST_ROWS) return FLX_ERR_ARGUMENT;
    for (int i = 0; i < r->ncolumn; i++) {
        r->values[r->nrow][i] = values[i];
        r->largest[i] = fmax(r->largest[i], fabs(values[i]));
    }
    r->nrow++;
    return FLX_OK;
}

static flx_status end(flx_sink *s, const struct flx_ledger *ledger)
{
    (void)s, (void)ledger;
    return FLX_OK;
}

static const flx_sink_type type = {.name = "rows", .begin = begin, .row = row, .end = end};

// The text with one passage in the place of another; the caller's.
static char *replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *out = at ? calloc(strlen(text) + strlen(to) + 1, 1) : NULL;
    if (!out) return NULL;
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, to), at + strlen(from));
    return out;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 20000);
    if (f && text && fread(text, 1, 19999, f) == 0) text[0] = '\0';
    if (f) fclose(f);
    return text;
}

static int run(const char *path, const char *text, double until, rows_sink *rows)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sinks[] = {&rows->base};
    *rows = (rows_sink){.base = {.type = &type, .ctx = ctx}};
    flx_status s = flx_model_read_text(ctx, path, text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_set_until(sim, until);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, sinks, NULL, NULL);
    const flx_message *m = flx_ctx_error(ctx, 0);
    if (s != FLX_OK) printf("%s: %s\n", path, m ? m->text : flx_status_text(s));
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return s != FLX_OK;
}

// Both forms; simulate: what the file says, then what both runs say besides the form.
static int forms_agree(const char *path, const char *says, const char *simulate, double until,
                       double tolerance)
{
    static rows_sink tree, bodies;
    char with[256], without[256], *text = read_text(path);
    snprintf(with, sizeof with, "simulate: {formulation: tree, %s", simulate);
    // the form of bodies that the method has
    const char *form = strstr(simulate, "radau") ? "index-3" : "index-1";
    snprintf(without, sizeof without, "simulate: {formulation: %s, %s", form, simulate);
    CHECK(text);
    char *one = replace(text, says, with), *other = replace(text, says, without);
    CHECK(one && other);
    CHECK(run(path, one, until, &tree) == 0 && run(path, other, until, &bodies) == 0);
    CHECK(tree.nrow == bodies.nrow && tree.nrow > 4 && tree.ncolumn == bodies.ncolumn);
    for (int i = 0; i < tree.nrow; i++) {
        for (int k = 0; k < tree.ncolumn; k++) {
            double scale = 1e-3 + bodies.largest[k];
            CHECK_NEAR(tree.values[i][k], bodies.values[i][k], tolerance * scale);
        }
    }
    free(text);
    free(one);
    free(other);
    return 0;
}

#define MODEL(name) FLX_TESTS "/models/" name ".yaml"

static int seven_axis_arm(void)
{
    return forms_agree(
        MODEL("15-seven-axis-arm"),
        "simulate: {until: 4, method: dopri5, formulation: tree, rtol: 1e-8, atol: 1e-10",
        "until: 4, method: dopri5, rtol: 1e-9, atol: 1e-11", 0.15, 1e-5);
}

static int chain_of_fifty(void)
{
    return forms_agree(
        MODEL("18-chain-50"),
        "simulate: {until: 5, method: dopri5, formulation: tree, rtol: 1e-8, atol: 1e-10",
        "until: 5, method: dopri5, rtol: 1e-9, atol: 1e-11", 0.15, 1e-6);
}

// Six loops; radau keeps what the closures hold as well as what the joints hold.
static int stewart_platform(void)
{
    return forms_agree(MODEL("14-stewart-platform"),
                       "simulate: {until: 4, method: generalized-alpha, formulation: index-3, "
                       "step: 1e-3",
                       "until: 4, method: radau, rtol: 1e-9, atol: 1e-11", 0.15, 1e-6);
}

// Overconstrained: which closures are left out is not the same in both. Its energy stays; the
// largest residual of the constraints is rounding in both.
static int bricard(void)
{
    return forms_agree(MODEL("04-bricard"),
                       "simulate: {until: 10, method: generalized-alpha, formulation: index-3, "
                       "spectral_radius: 0.9, step: 1e-3",
                       "until: 10, method: dopri5, rtol: 1e-10, atol: 1e-12", 0.15, 1e-6);
}

static int spatial_slider_crank(void)
{
    return forms_agree(MODEL("05-spatial-slider-crank"),
                       "simulate: {until: 5, method: radau, rtol: 1e-8, atol: 1e-10",
                       "until: 5, method: radau, rtol: 1e-9, atol: 1e-11", 0.15, 1e-5);
}

// Constraints of velocity on a floating body.
static int rolling_coin(void)
{
    return forms_agree(MODEL("06-rolling-coin"),
                       "simulate: {until: 0.5, method: radau, rtol: 1e-9, atol: 1e-12",
                       "until: 0.5, method: radau, rtol: 1e-9, atol: 1e-12", 0.15, 1e-5);
}

// Two ways to assemble a four-bar: each drawing keeps its own through many turns of the crank. The
// angle between coupler and rocker never passes through zero.
static int four_bar_stays_assembled(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "parameters: {side: %d, bend: 0.9*side}\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: 0.02, com: [0.15, 0], orientation: 0.4,"
        " angular_velocity: 20, points: {end: [0.3, 0]}}\n"
        "  coupler: {type: rigid, mass: 2, inertia: 0.1, com: [0.4, 0], position: crank.end,"
        " orientation: bend, points: {end: [0.8, 0]}}\n"
        "  rocker: {type: rigid, mass: 1, inertia: 0.05, com: [0.3, 0], position: [0.9, 0],"
        " orientation: 1.8*side, points: {end: [0.6, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, crank], at: [0, 0]}\n"
        "  B: {type: revolute, on: [crank, coupler], at: crank.end}\n"
        "  D: {type: revolute, on: [ground, rocker], at: rocker}\n"
        "  C: {type: revolute, on: [coupler, rocker], at: [coupler.end, rocker.end]}\n"
        "simulate: {until: 6, formulation: tree, method: %s}\n"
        "outputs: {every: 0.1, signals: [sin(rocker.angle - coupler.angle), crank.angle]}\n";
    static const char *const methods[] = {"dopri5, rtol: 1e-8", "radau, rtol: 1e-8",
                                          "generalized-alpha, step: 2e-3"};
    for (int i = 0; i < 6; i++) {
        static rows_sink rows;
        char model[2048];
        int side = i < 3 ? 1 : -1;
        snprintf(model, sizeof model, text, side, methods[i % 3]);
        CHECK(run("four-bar", model, 6.0, &rows) == 0);
        for (int k = 0; k < rows.nrow; k++) CHECK(side * rows.values[k][0] > 0.1);
        CHECK(rows.values[rows.nrow - 1][1] > 10.0); // it turned
    }
    return 0;
}

TEST_MAIN(SLOW_TEST(four_bar_stays_assembled), TEST(seven_axis_arm), TEST(chain_of_fifty),
          TEST(stewart_platform), TEST(bricard), TEST(spatial_slider_crank), TEST(rolling_coin))
