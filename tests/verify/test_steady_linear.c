// test_steady_linear.c - `analyse: {.. {type: linear}}` about steady motions whose bodies turn (STATE-8): poles of closed forms,
// and the response of the equations as they stand.
#include "check.h"
#include "findings.h"
#include "model_text.h"

#include <math.h>

static int read(const char *name, const char *set, findings *w)
{
    const char *text = model_text(name);
    *w = (findings){.ctx = flx_ctx_create()};
    flx_status status =
        flx_model_read_text(w->ctx, name, text, strlen(text), set ? 1 : 0, &set, &w->model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(w->model, &w->sim);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static int perform(findings *w, int i)
{
    flx_finding_clear(&w->f);
    flx_status status = flx_simulation_analyse(w->sim, i, &w->f);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static bool says(const flx_finding *f, const char *what)
{
    for (int i = 0; i < f->nline; i++) {
        if (strstr(f->lines[i], what)) return true;
    }
    return false;
}

// Whether +- im is a pole, and none grows.
static int has_pole(const findings *w, double im)
{
    const flx_finding_table *poles = table(&w->f, "poles");
    double nearest = HUGE_VAL;
    for (int i = 0; i < poles->nrow; i++) {
        const double *row = poles->values + (size_t)i * (size_t)poles->ncolumn;
        nearest = fmin(nearest, hypot(row[0], row[1] - im));
        CHECK(row[0] < 1e-5 * im); // chains of zeros are off by the root of rounding
    }
    CHECK_NEAR(nearest, 0.0, 1e-8 * im);
    return 0;
}

// The response of the matrices of analysis 0 is that of analysis 1.
static int responds_alike(findings *w)
{
    enum { MOST = 30, POINTS = 5 };
    double re[POINTS * MOST], im[POINTS * MOST], at[POINTS];
    const flx_finding_table *A = table(&w->f, "A"), *B = table(&w->f, "B"), *C = table(&w->f, "C");
    const flx_linear_model m = {.n = A->nrow,
                                .nin = B->ncolumn,
                                .nout = C->nrow,
                                .A = A->values,
                                .B = B->values,
                                .C = C->values,
                                .D = table(&w->f, "D")->values};
    findings other = *w;
    other.f = (flx_finding){0};
    if (perform(&other, 1)) return 1;
    const flx_finding_table *t = table(&other.f, "response");
    int n = m.nin * m.nout;
    CHECK(t->nrow == POINTS && t->ncolumn == 2 + 4 * n && n <= MOST);
    for (int i = 0; i < POINTS; i++) at[i] = t->values[(size_t)i * (size_t)t->ncolumn];
    CHECK(flx_linear_respond(w->ctx, &m, POINTS, at, re, im) == FLX_OK);
    for (int i = 0; i < POINTS; i++) {
        const double *row = t->values + (size_t)i * (size_t)t->ncolumn + 2;
        for (int o = 0; o < m.nout; o++) {
            double most = 0.0;
            for (int k = 4 * o * m.nin; k < 4 * (o + 1) * m.nin; k += 4)
                most = fmax(most, hypot(row[k], row[k + 1]));
            for (int k = o * m.nin; k < (o + 1) * m.nin; k++) {
                CHECK_NEAR(re[i * n + k], row[4 * k], 1e-8 * most);
                CHECK_NEAR(im[i * n + k], row[4 * k + 1], 1e-8 * most);
            }
        }
    }
    flx_finding_clear(&other.f);
    return 0;
}

// Axes of the ground: Id s^2 - i Ip Omega s + kr = 0.
static int rotor(void)
{
    findings w;
    if (read("steady_rotor", NULL, &w) || perform(&w, 0)) return 1;
    double g = 0.8 * 300 / (2 * 0.5), w0 = sqrt(2e4 / 0.5);
    CHECK(says(&w.f, "the motion is steady: the coefficients are constant"));
    CHECK(!says(&w.f, "the state moves"));
    if (has_pole(&w, sqrt(w0 * w0 + g * g) - g) || has_pole(&w, sqrt(w0 * w0 + g * g) + g))
        return 1;
    if (has_pole(&w, sqrt(1e6 / 10)) || responds_alike(&w)) return 1;
    findings_clear(&w);
    return 0;
}

// Two moments of inertia, so that the axes turn with it: A s^2 + kr + (C - B) Om^2 and (A + B - C) Om s off the diagonal.
static int unsymmetric_rotor(void)
{
    findings w;
    if (read("steady_rotor", "second=0.62", &w) || perform(&w, 0)) return 1;
    CHECK(says(&w.f, "in axes that turn with it, by 300 rad/s"));
    double A = 0.5, B = 0.62, C = 0.8, O = 300, kr = 2e4, c = (A + B - C) * O;
    double a = A * B, b = A * (kr + (C - A) * O * O) + B * (kr + (C - B) * O * O) + c * c;
    double d = (kr + (C - A) * O * O) * (kr + (C - B) * O * O), root = sqrt(b * b - 4 * a * d);
    if (has_pole(&w, sqrt((b - root) / (2 * a))) || has_pole(&w, sqrt((b + root) / (2 * a))))
        return 1;
    if (has_pole(&w, O + sqrt(1e6 / 10)) || has_pole(&w, sqrt(1e6 / 10) - O)) return 1;
    findings_clear(&w);
    return 0;
}

// w^2 = (C (C + m r^2) W^2 - m g r A) / (A (A + m r^2)), W the rate of rolling.
static int wheel(void)
{
    findings w;
    if (read("steady_wheel", NULL, &w) || perform(&w, 0)) return 1;
    double A = 0.05, C = 0.1, m = 2, r = 0.3, W = 4 / r, mr = m * r * r;
    CHECK(says(&w.f, "the motion is steady"));
    if (has_pole(&w, sqrt((C * (C + mr) * W * W - m * 9.81 * r * A) / (A * (A + mr))))) return 1;
    if (responds_alike(&w)) return 1;
    findings_clear(&w);
    return 0;
}

// I w^2 is the second derivative of (L - C s cos th)^2 / (2 I sin^2 th) + m g l cos th, L the momentum about the vertical.
static int top(void)
{
    findings w;
    if (read("steady_top", NULL, &w) || perform(&w, 0)) return 1;
    double C = 0.03, s = 80, m = 2, l = 0.2, th = 0.7, inertia = 0.02 + m * l * l, g = 9.81;
    double c = cos(th), k = sin(th);
    double p = (C * s - sqrt(C * s * C * s - 4 * inertia * m * g * l * c)) / (2 * inertia * c);
    double rate = C * s / inertia - 2 * p * c; // of the precession with the tilt, by sin th
    double square = rate * rate + p * p * k * k;
    CHECK(says(&w.f, "in axes that turn with it, by 1.73043 rad/s"));
    if (has_pole(&w, sqrt(square)) || responds_alike(&w)) return 1;
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(rotor), TEST(unsymmetric_rotor), TEST(wheel), TEST(top))
