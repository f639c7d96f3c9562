// test_analysis_slopes.c - derivatives of equilibria and eigenvalues against closed forms; equal eigenvalues; refusals.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <math.h>
#include <string.h>

static const flx_finding_table *table_of(const flx_finding *f, const char *name)
{
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return NULL;
}

static bool has_line(const flx_finding *f, const char *part)
{
    for (int i = 0; i < f->nline; i++) {
        if (strstr(f->lines[i], part)) return true;
    }
    return false;
}

static flx_status analyse(flx_ctx *ctx, const char *text, int number, flx_model **m,
                          flx_simulation **sim, flx_finding *f)
{
    flx_status status = flx_model_read_text(ctx, "text", text, strlen(text), 0, NULL, m);
    if (status == FLX_OK) status = flx_simulation_create(*m, sim);
    return status == FLX_OK ? flx_simulation_analyse(*sim, number, f) : status;
}

// A rod on a torsion spring k with damping c, under its weight: k a + m g L/2 cos a = 0; with J = m L^2/3 and
// K = k - m g L/2 sin a, J s^2 + c s + K = 0. The equilibrium moves with k, m and L.
typedef struct rod {
    double k, c, m, L;
} rod;

static double rest_of(rod p)
{
    double a = 0.0, w = p.m * 9.81 * p.L / 2.0;
    for (int i = 0; i < 60; i++) a -= (p.k * a + w * cos(a)) / (p.k - w * sin(a));
    return a;
}

static void modes_of(rod p, double *frequency, double *damping)
{
    double J = p.m * p.L * p.L / 3.0, K = p.k - p.m * 9.81 * p.L / 2.0 * sin(rest_of(p));
    *damping = p.c / (2.0 * sqrt(K * J));
    *frequency = sqrt(K / J) * sqrt(1.0 - *damping * *damping) / (2.0 * 3.14159265358979323846);
}

static int rod_on_spring(void)
{
    static const char *const formulations[] = {"index-3", "tree"};
    for (int form = 0; form < 2; form++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "parameters: {k: 30, c: 0.8, m: 2, L: 0.7}\n"
            "bodies: {rod: {type: rigid, mass: m, com: [L/2, 0], inertia: m*L^2/12}}\n"
            "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
            "forces: {spring: {type: torque, on: hinge, value: -k*hinge.angle - c*hinge.rate}}\n"
            "simulate: {until: 1, method: generalized-alpha, step: 0.01, formulation: %s}\n"
            "outputs: {every: 0.1, signals: [hinge.angle]}\n"
            "analyse: {rest: {type: equilibrium}, vib: {type: modes, about: rest}, "
            "g: {type: sensitivity, of: [rest, vib]}}\n",
            formulations[form]);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        flx_finding f = {0};
        CHECK(analyse(ctx, text, 2, &m, &sim, &f) == FLX_OK);
        const flx_finding_table *rest = table_of(&f, "rest"), *vib = table_of(&f, "vib");
        CHECK(rest && vib && rest->nrow == 1 && rest->ncolumn == 5 && vib->nrow == 2);
        const double p0[4] = {30.0, 0.8, 2.0, 0.7};
        for (int i = 0; i < 4; i++) {
            double slope[3] = {0.0, 0.0, 0.0}, e = 1e-3 * p0[i];
            static const double places[4] = {-2, -1, 1, 2};
            static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
            for (int l = 0; l < 4; l++) {
                double p[4], value[3];
                memcpy(p, p0, sizeof p);
                p[i] += places[l] * e;
                const rod moved = {p[0], p[1], p[2], p[3]};
                value[0] = rest_of(moved);
                modes_of(moved, value + 1, value + 2);
                for (int j = 0; j < 3; j++) slope[j] += weights[l] / e * value[j];
            }
            CHECK_NEAR(rest->values[1 + i], slope[0], 1e-9);
            CHECK_NEAR(vib->values[1 + i], slope[1], 1e-8);
            CHECK_NEAR(vib->values[5 + 1 + i], slope[2], 1e-8);
        }
        CHECK(has_line(&f, "vib.frequencies(1)") && !has_line(&f, "same eigenvalue"));
        flx_finding_clear(&f);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Two equal oscillators: each depends on a parameter of its own, and only the mean has a derivative.
static int equal_eigenvalues(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {a: 100, b: 100}\n"
        "equations: {second_order: {x: {mass: 1, force: -a*x}, y: {mass: 1, force: -b*y}}}\n"
        "simulate: {until: 1, method: generalized-alpha, step: 0.01}\noutputs: {signals: [x]}\n"
        "analyse: {vib: {type: modes}, g: {type: sensitivity, of: [vib]}}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    CHECK(analyse(ctx, text, 1, &m, &sim, &f) == FLX_OK);
    CHECK(has_line(&f, "modes 1 and 2 of 'vib' have the same eigenvalue"));
    const flx_finding_table *vib = table_of(&f, "vib");
    CHECK(vib && vib->nrow == 4);
    double half = 0.5 * 0.5 / 10.0 / (2.0 * 3.14159265358979323846); // of d sqrt(a)/da
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) CHECK_NEAR(vib->values[6 * i + 1 + k], half, 1e-9);
    }
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refusals(void)
{
    static const char about_end[] =
        "flexion: 1\nparameters: {a: 100}\n"
        "equations: {second_order: {x: {mass: 1, force: -a*x}}}\n"
        "simulate: {until: 1, method: generalized-alpha, step: 0.01}\noutputs: {signals: [x]}\n"
        "analyse: {vib: {type: modes, about: end}, g: {type: sensitivity, of: [vib]}}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    CHECK(analyse(ctx, about_end, 1, &m, &sim, &f) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "about a state of the run");
    flx_ctx_clear_messages(ctx);
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(rod_on_spring), TEST(equal_eigenvalues), TEST(refusals))
