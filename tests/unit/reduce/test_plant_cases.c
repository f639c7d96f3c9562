// test_plant_cases.c - linear systems of others: reference cases mor-building, mor-cdplayer, mor-beam, by their files: Hankel's
// singular values, norms H2 and Hinf, gains.
#include "check.h"
#include "flexion/flexion.h"
#include "math/blas.h"
#include "math/complex_number.h"
#include "matrix_file.h"
#include "reference_case.h"

// |C (i w - A)^-1 B|, rows of outputs.
static int gains_of(const flx_plant *s, double w, double *out)
{
    int n = s->n, info = 0;
    double complex *A = calloc((size_t)n * (size_t)(n + s->inputs), sizeof *A), *X = A + n * n;
    int *pivot = calloc((size_t)n, sizeof *pivot);
    CHECK(A && pivot);
    for (int i = 0; i < n * n; i++) A[i] = flx_complex(-s->A[i], i % (n + 1) == 0 ? w : 0);
    for (int i = 0; i < n * s->inputs; i++) X[i] = s->B[i];
    FLX_ONE_THREAD info = (int)LAPACKE_zgesv(LAPACK_COL_MAJOR, n, s->inputs, A, n, pivot, X, n);
    CHECK(info == 0);
    for (int i = 0; i < s->outputs; i++) {
        for (int j = 0; j < s->inputs; j++) {
            double complex sum = 0;
            for (int k = 0; k < n; k++) sum += s->C[k * s->outputs + i] * X[j * n + k];
            *out++ = cabs(sum);
        }
    }
    free(A);
    free(pivot);
    return 0;
}

// The names of the checks have few digits: the frequency of the file that is nearest.
static double frequency_near(const matrix *w, double wanted)
{
    double best = w->x[0];
    for (int i = 0; i < w->rows * w->columns; i++) {
        if (fabs(w->x[i] - wanted) < fabs(best - wanted)) best = w->x[i];
    }
    return best;
}

static int check_case(const char *name, int ngain, const char *const *gains)
{
    static double hankel[400];
    char text[80];
    reference_case c;
    matrix A, B, C, w;
    flx_plant_report r = {.hankel = hankel};
    flx_ctx *ctx = flx_ctx_create();
    snprintf(text, sizeof text, "mor-%s", name);
    c = reference_open(text);
    CHECK(c.tree);
    matrix *const parts[3] = {&A, &B, &C};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s_%c", name, "ABC"[i]);
        CHECK(read_matrix(text, parts[i]) == 0);
    }
    snprintf(text, sizeof text, "%s_w", name);
    CHECK(read_matrix(text, &w) == 0);
    const flx_plant s = {A.rows, B.columns, C.rows, A.x, B.x, C.x};
    CHECK(s.n <= 400 && flx_plant_norms(ctx, &s, &r) == FLX_OK);
    for (int k = 0; k < 12; k++) {
        snprintf(text, sizeof text, "hsv_%d", k + 1);
        CHECK_REL(hankel[k], reference_value(&c, text, 0), 1e-8);
    }
    CHECK_REL(r.h2, reference_value(&c, "H2 norm", 0), 1e-8);
    CHECK_REL(r.hinf, reference_value(&c, "Hinf norm", 0), 1e-6);
    for (int k = 0; k < ngain; k++) {
        double size[4];
        double at = frequency_near(&w, flx_number_read(gains[k], NULL));
        CHECK(gains_of(&s, at, size) == 0);
        snprintf(text, sizeof text, "|G| at w=%s (row-major outputs x inputs)", gains[k]);
        for (int i = 0; i < s.inputs * s.outputs; i++)
            CHECK_REL(size[i], reference_value(&c, text, i), 1e-6);
    }
    for (int i = 0; i < 3; i++) free(parts[i]->x);
    free(w.x);
    reference_close(&c);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int the_building_is_that_of_the_case(void)
{
    static const char *const w[] = {"0.1", "8.57129", "26.1196", "61.6154", "1000"};
    return check_case("building", 5, w);
}

static int the_cd_player_is_that_of_the_case(void)
{
    static const char *const w[] = {"0.1", "286.968", "6152.44", "32103.6", "1e+06"};
    return check_case("cdplayer", 5, w);
}

static int the_beam_is_that_of_the_case(void)
{
    static const char *const w[] = {"0.01", "1.06385", "4.46127", "11.7187", "10000"};
    return check_case("beam", 5, w);
}

TEST_MAIN(TEST(the_building_is_that_of_the_case), TEST(the_cd_player_is_that_of_the_case),
          TEST(the_beam_is_that_of_the_case))
