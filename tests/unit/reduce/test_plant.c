// test_plant.c - norms, Hankel's singular values and balanced truncation of linear systems: reference cases
// mor-balanced-errors and mor-band-gramian, with the matrices of the building and the CD player.
#include "check.h"
#include "flexion/flexion.h"
#include "matrix_file.h"

typedef struct sample {
    matrix A, B, C;
    flx_plant s;
} sample;

static int read_plant(const char *name, sample *p)
{
    char part[40];
    matrix *const parts[3] = {&p->A, &p->B, &p->C};
    for (int i = 0; i < 3; i++) {
        snprintf(part, sizeof part, "%s_%c", name, "ABC"[i]);
        CHECK(read_matrix(part, parts[i]) == 0);
    }
    p->s = (flx_plant){.n = p->A.rows,
                       .inputs = p->B.columns,
                       .outputs = p->C.rows,
                       .A = p->A.x,
                       .B = p->B.x,
                       .C = p->C.x};
    return 0;
}

static void clear(sample *p)
{
    free(p->A.x);
    free(p->B.x);
    free(p->C.x);
}

// The difference of a plant and a smaller one.
static int errors_of(flx_ctx *ctx, const flx_plant *s, int r, const double *A, const double *B,
                     const double *C, flx_plant_report *out)
{
    int n = s->n, N = n + r;
    double *a = calloc((size_t)N * (size_t)N, sizeof *a);
    double *b = calloc((size_t)N * (size_t)s->inputs, sizeof *b);
    double *c = calloc((size_t)N * (size_t)s->outputs, sizeof *c);
    CHECK(a && b && c);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) a[j * N + i] = s->A[j * n + i];
        for (int i = 0; i < s->outputs; i++) c[j * s->outputs + i] = s->C[j * s->outputs + i];
    }
    for (int j = 0; j < r; j++) {
        for (int i = 0; i < r; i++) a[(n + j) * N + n + i] = A[j * r + i];
        for (int i = 0; i < s->outputs; i++) c[(n + j) * s->outputs + i] = -C[j * s->outputs + i];
    }
    for (int j = 0; j < s->inputs; j++) {
        for (int i = 0; i < n; i++) b[j * N + i] = s->B[j * n + i];
        for (int i = 0; i < r; i++) b[j * N + n + i] = B[j * r + i];
    }
    const flx_plant e = {
        .n = N, .inputs = s->inputs, .outputs = s->outputs, .A = a, .B = b, .C = c};
    CHECK(flx_plant_norms(ctx, &e, out) == FLX_OK);
    free(a);
    free(b);
    free(c);
    return 0;
}

// Relative errors and the bound of a truncation.
static int check_truncation(flx_ctx *ctx, const sample *p, int r, double hinf, double h2,
                            double tolerance, double most, double least)
{
    static double A[400], B[80], C[80];
    double bound = 0;
    flx_plant_report whole = {0}, error = {0};
    CHECK(flx_plant_norms(ctx, &p->s, &whole) == FLX_OK);
    CHECK(flx_plant_balance(ctx, &p->s, r, A, B, C, &bound) == FLX_OK);
    CHECK(errors_of(ctx, &p->s, r, A, B, C, &error) == 0);
    CHECK_REL(error.hinf / whole.hinf, hinf, tolerance);
    CHECK_REL(error.h2 / whole.h2, h2, tolerance);
    CHECK(error.hinf <= most && error.hinf >= least);
    CHECK(error.hinf <= bound && bound <= most * (1 + 1e-6));
    return 0;
}

static int the_building_is_truncated_as_the_case_says(void)
{
    sample p = {0};
    flx_ctx *ctx = flx_ctx_create();
    CHECK(read_plant("building", &p) == 0);
    CHECK(check_truncation(ctx, &p, 4, 0.28943618743607097, 0.3804904448592795, 2e-3,
                           0.011729405629216934, 0.0007095656938583138) == 0);
    CHECK(check_truncation(ctx, &p, 10, 0.11419126644799135, 0.19985018218210113, 2e-3,
                           0.004718864240512741, 0.00027252968820084796) == 0);
    CHECK(check_truncation(ctx, &p, 20, 0.03060603734647939, 0.05323670403688138, 2e-3,
                           0.0006893847477624219, 7.498182030837665e-05) == 0);
    clear(&p);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int the_player_is_truncated_as_the_case_says(void)
{
    sample p = {0};
    flx_ctx *ctx = flx_ctx_create();
    CHECK(read_plant("cdplayer", &p) == 0);
    CHECK(check_truncation(ctx, &p, 4, 0.0003131889237980876, 0.0022031359627951155, 2e-3,
                           2130.7259401027504, 406.9641102756477) == 0);
    clear(&p);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int gramians_of_bands_are_those_of_the_case(void)
{
    static const double bands[3][4] = {{0, 10, 5.210913143184691e-05, 0.002960170665788808},
                                       {0, 30, 0.00010656741453544636, 0.004210446456386223},
                                       {10, 50, 6.379661566748906e-05, 0.0032049045052793533}};
    sample p = {0};
    static double P[48 * 48];
    flx_ctx *ctx = flx_ctx_create();
    CHECK(read_plant("building", &p) == 0);
    for (int k = 0; k < (short_runs() ? 1 : 3); k++) {
        double h2 = 0, trace = 0;
        CHECK(flx_plant_band_gramian(ctx, &p.s, bands[k][0], bands[k][1], P, &h2) == FLX_OK);
        for (int i = 0; i < 48; i++) trace += P[i * 49];
        CHECK_REL(trace, bands[k][2], 1e-7);
        CHECK_REL(h2, bands[k][3], 1e-7);
    }
    clear(&p);
    flx_ctx_destroy(&ctx);
    return 0;
}

// x' = -a x + u, y = c x: H2 = c/sqrt(2 a), the gain c/a at rest, Hankel's value c/(2 a).
static int a_single_state_has_the_norms_of_the_formulae(void)
{
    const double A = -3, B = 1, C = 5;
    double hankel = 0, poles[2] = {0};
    flx_ctx *ctx = flx_ctx_create();
    const flx_plant s = {.n = 1, .inputs = 1, .outputs = 1, .A = &A, .B = &B, .C = &C};
    flx_plant_report r = {.hankel = &hankel, .poles = poles};
    CHECK(flx_plant_norms(ctx, &s, &r) == FLX_OK);
    CHECK_REL(r.h2, 5 / sqrt(6), 1e-12);
    CHECK_REL(r.hinf, 5.0 / 3, 1e-9);
    CHECK_NEAR(r.at, 0, 1e-12);
    CHECK_REL(hankel, 5.0 / 6, 1e-12);
    CHECK_NEAR(poles[0], -3, 1e-12);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_has_no_norm_is_refused(void)
{
    const double A = 1, B = 1, C = 1;
    double x = 0;
    flx_ctx *ctx = flx_ctx_create();
    flx_plant s = {.n = 1, .inputs = 1, .outputs = 1, .A = &A, .B = &B, .C = &C};
    flx_plant_report r = {0};
    CHECK(flx_plant_norms(ctx, &s, &r) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "not stable");
    CHECK(flx_plant_balance(ctx, &s, 2, &x, &x, &x, NULL) == FLX_ERR_ARGUMENT);
    CHECK(flx_plant_band_gramian(ctx, &s, 3, 2, &x, NULL) == FLX_ERR_ARGUMENT);
    s.n = 0;
    CHECK(flx_plant_norms(ctx, &s, &r) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(the_building_is_truncated_as_the_case_says),
          TEST(the_player_is_truncated_as_the_case_says),
          TEST(gramians_of_bands_are_those_of_the_case),
          TEST(a_single_state_has_the_norms_of_the_formulae), TEST(what_has_no_norm_is_refused))
