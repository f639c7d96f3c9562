// test_varying_sections.c - sections that change along the line, and twist: cantilevers in every formulation against
// integrals of the unit load, and their frequencies against each other and Kirchhoff's wedge.
#include "check.h"
#include "findings.h"

#include <math.h>

#define LENGTH 2.0
#define TWIST 1.2 // rad
#define TAPER 0.6
#define DEPTH "section: {width: 0.05, height: \"0.1*(1 - 0.6*s)\"%s}"
#define STEEL "material: {E: 2e11, nu: 0.3, density: 7800}"
#define UP "up: [0, cos(1.2*s), sin(1.2*s)]"

static const double pi = 3.14159265358979323846;

typedef struct give {
    double y, z;
} give;

// What a force of 1 N at the end along y moves it, by Simpson's rule over the unit load.
static give moved(double twist)
{
    enum { N = 4000 };
    give sum = {0, 0};
    for (int i = 0; i <= N; i++) {
        double s = (double)i / N, w = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) / (3.0 * N) * LENGTH;
        double b = 0.05, h = 0.1 * (1 - TAPER * s), arm = LENGTH * (1 - s), E = 2e11;
        double stiff = E * b * h * h * h / 12, soft = E * h * b * b * b / 12;
        double shear = 13.0 / 15.3 * E / 2.6 * b * h, c = cos(twist * s), d = sin(twist * s);
        sum.y += w * (arm * arm * (c * c / stiff + d * d / soft) + 1 / shear);
        sum.z += w * arm * arm * c * d * (1 / stiff - 1 / soft);
    }
    return sum;
}

static int tip_of(const char *body, double out[3])
{
    char text[2000];
    snprintf(text, sizeof text,
             "flexion: 1\nbodies: {b: {%s}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "forces: {F: {type: force, on: b, at: b.end, value: [0, 1, 0]}}\n"
             "analyse: {up: {type: static, steps: 1}}\n"
             "outputs: {signals: [b.end.deflection]}\n",
             body);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK && w.f.path.arrived);
    memcpy(out, w.f.signals, 3 * sizeof *out);
    findings_clear(&w);
    return 0;
}

static int beam_tip(const char *form, int elements, bool twisted, double out[3])
{
    char body[1000];
    snprintf(body, sizeof body,
             "type: beam, from: [0, 0, 0], to: [2, 0, 0], formulation: %s, elements: %d, " DEPTH
             ", " STEEL "%s",
             form, elements, "", twisted ? ", " UP : "");
    return tip_of(body, out);
}

// shear: a beam of the line's own strains has e' g of the twist in its bending, (EI/GA) twist'^2
static const struct form {
    const char *text;
    int elements, order;
    double bound, shear;
} forms[] = {
    {"geometrically-exact", 16, 2, 2e-3, 0},
    {"geometrically-exact, order: 2", 4, 4, 1e-3, 0},
    {"geometrically-exact, order: 3", 4, 6, 3e-5, 0},
    {"segments", 16, 2, 3e-3, 0},
    {"ancf", 16, 2, 3e-3, 1e-3},
};

static int tips_are_those_of_the_unit_load(void)
{
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        for (int twisted = 0; twisted < 2; twisted++) {
            const struct form *f = forms + k;
            give right = moved(twisted ? TWIST : 0);
            double a[3], b[3], bound = f->bound + (twisted ? f->shear : 0);
            CHECK(beam_tip(f->text, f->elements, twisted, a) == 0);
            CHECK(beam_tip(f->text, 2 * f->elements, twisted, b) == 0);
            CHECK_REL(a[1], right.y, bound);
            CHECK_NEAR(a[2], right.z, bound * right.y);
            if (twisted && f->shear > 0) continue;
            double order = log2(fabs(a[1] - right.y) / fabs(b[1] - right.y));
            CHECK(order > f->order - 0.6 || fabs(b[1] / right.y - 1) < 1e-8);
        }
    }
    return 0;
}

// A cable has no shear: less by its part.
static int cables_taper(void)
{
    double tip[3], shear = 0;
    for (int i = 0; i < 1000; i++) {
        double h = 0.1 * (1 - TAPER * (i + 0.5) / 1000);
        shear += LENGTH / 1000 / (13.0 / 15.3 * 2e11 / 2.6 * 0.05 * h);
    }
    const char *round = "section: {EA: \"1e9*(1 - 0.5*s)\", EI: \"1e4*(1 - 0.5*s)^2\", mass: 1}";
    char body[1000];
    snprintf(
        body, sizeof body,
        "type: beam, from: [0, 0, 0], to: [2, 0, 0], formulation: ancf-cable, elements: 16, %s",
        round);
    CHECK(tip_of(body, tip) == 0);
    // of (L - x)^2/(1 - x/2L)^2 with q = 1 - s/2: 4 (q - 1/2)^2/q^2
    double exact = 8e-4 * (8 * (0.5 - log(2) + 0.25 * (1 / 0.5 - 1)));
    CHECK_REL(tip[1], exact, 1e-6);
    CHECK(shear > 0);
    return 0;
}

// ---- lines of finite elements ---------------------------------------------------------------------

static int line_tip(int elements, bool twisted, double out[3])
{
    char body[1000];
    snprintf(body, sizeof body,
             "type: flexible, fe: {line: [[0, 0, 0], [2, 0, 0]], elements: %d, " DEPTH ", " STEEL
             "}, reduce: {type: guyan, interfaces: [start, end]}",
             elements, twisted ? ", " UP : "");
    return tip_of(body, out);
}

static int structure(int dimension, const char *line, flx_fe_static *out, int count,
                     flx_fe_mode *modes)
{
    char text[2000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_fe_modes_report report;
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: %d\nfe: {%s, supports: {root: {on: start}}, "
             "loads: {F: {type: force, on: end, value: [0, 1%s]}}}\n",
             dimension, line, dimension == 3 ? ", 0" : "");
    CHECK(flx_model_read_text(ctx, "line", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    if (out) CHECK(flx_fe_problem_static(p, NULL, out) == FLX_OK);
    if (modes) CHECK(flx_fe_problem_modes(p, count, NULL, modes, &report) == FLX_OK);
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Whatever the number of elements: their shapes solve the statics of the beam. Stations at six points of an element
// are the only error.
static int lines_are_exact_in_statics(void)
{
    for (int twisted = 0; twisted < 2; twisted++) {
        give right = moved(twisted ? TWIST : 0);
        for (int n = 2; n <= 8; n *= 2) {
            char line[500];
            double tip[3], bound = n == 2 ? 1e-5 : 1e-6;
            flx_fe_static found;
            CHECK(line_tip(n, twisted, tip) == 0);
            CHECK_REL(tip[1], right.y, bound);
            CHECK_NEAR(tip[2], right.z, bound * right.y);
            snprintf(line, sizeof line,
                     "line: [[0, 0, 0], [2, 0, 0]], elements: %d, " DEPTH ", " STEEL, n,
                     twisted ? ", " UP : "");
            CHECK(structure(3, line, &found, 0, NULL) == 0);
            CHECK_REL(found.strain_energy, right.y / 2, bound);
        }
    }
    return 0;
}

// A section that says `s` and does not change is the uniform one.
static int what_does_not_change_is_uniform(void)
{
    static const char *const sections[] = {"width: 0.05, height: 0.1",
                                           "width: 0.05, height: 0.1 + 0*s"};
    flx_fe_mode modes[2][6];
    double tip[2][3];
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "line: [[0, 0, 0], [1.2, 1.6, 0]], elements: 5, section: {%s, up: [0, 0, 1]}, " STEEL,
            sections[i]);
        CHECK(structure(3, text, NULL, 6, modes[i]) == 0);
        snprintf(text, sizeof text,
                 "type: beam, from: [0, 0, 0], to: [2, 0, 0], elements: 3, order: 2, section: {%s},"
                 " " STEEL,
                 sections[i]);
        CHECK(tip_of(text, tip[i]) == 0);
    }
    for (int i = 0; i < 6; i++) CHECK_REL(modes[1][i].frequency, modes[0][i].frequency, 1e-9);
    CHECK_REL(tip[1][1], tip[0][1], 1e-9);
    return 0;
}

// Kirchhoff's wedge, clamped at its thick end: J2(k) I3(k) + J3(k) I2(k) = 0 gives 5.31510, 15.2072, 30.0198.
static int wedges_swing_as_kirchhoffs(void)
{
    static const double exact[3] = {5.31510, 15.2072, 30.0198};
    flx_fe_mode modes[3];
    CHECK(structure(2,
                    "line: [[0, 0], [2, 0]], elements: 60, theory: euler-bernoulli, "
                    "rotary_inertia: false, section: {width: 5, height: \"0.1*(1 - s)\"}, " STEEL,
                    NULL, 3, modes) == 0);
    double unit = sqrt(2e11 * 0.1 * 0.1 / 12 / 7800) / (LENGTH * LENGTH) / (2 * pi);
    for (int i = 0; i < 3; i++) CHECK_REL(modes[i].frequency / unit, exact[i], 2e-4);
    return 0;
}

// ---- frequencies of all of them ---------------------------------------------------------------------

#define MODES 5

static int body_modes(const char *body, double f[MODES])
{
    char text[2000];
    int n = 0;
    snprintf(text, sizeof text,
             "flexion: 1\nbodies: {b: {%s}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "analyse: {all: {type: modes, count: 6}}\n",
             body);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    for (int i = 0; i < w.f.modes.nmode && n < MODES; i++) {
        if (w.f.modes.modes[i].im > 0) f[n++] = w.f.modes.modes[i].im / (2 * pi);
    }
    findings_clear(&w);
    CHECK(n == MODES);
    return 0;
}

static int all_bodies_swing_alike(void)
{
    static const struct {
        const char *text;
        double bound;
    } beams[] = {{"elements: 6, order: 3", 2e-4},
                 {"elements: 24", 6e-3},
                 {"formulation: segments, elements: 24", 6e-3},
                 {"formulation: ancf, elements: 24", 1e-2}};
    for (int twisted = 0; twisted < 2; twisted++) {
        char line[600], body[1000];
        double f[MODES], right[MODES];
        flx_fe_mode modes[MODES];
        snprintf(line, sizeof line, "line: [[0, 0, 0], [2, 0, 0]], elements: 40, " DEPTH ", " STEEL,
                 twisted ? ", " UP : "");
        CHECK(structure(3, line, NULL, MODES, modes) == 0);
        for (int i = 0; i < MODES; i++) right[i] = modes[i].frequency;
        snprintf(body, sizeof body, "type: flexible, fe: {%s}, reduce: {type: modal, modes: 8}",
                 line);
        CHECK(body_modes(body, f) == 0);
        // their sections are flat, with their own inertia in bending as here
        for (int i = 0; i < MODES; i++) CHECK_REL(f[i], right[i], 1e-6);
        for (size_t k = 0; k < sizeof beams / sizeof beams[0]; k++) {
            snprintf(body, sizeof body,
                     "type: beam, from: [0, 0, 0], to: [2, 0, 0], %s, " DEPTH ", " STEEL "%s",
                     beams[k].text, "", twisted ? ", " UP : "");
            CHECK(body_modes(body, f) == 0);
            for (int i = 0; i < MODES; i++) CHECK_REL(f[i], right[i], beams[k].bound);
        }
    }
    return 0;
}

// Stations are a table; a curved line says `s` of its curve.
static int stations_are_a_table(void)
{
    double tip[3];
    char text[2000];
    snprintf(text, sizeof text,
             "flexion: 1\nfunctions: {deep: {points: [[0, 0.1], [0.5, 0.07], [1, 0.04]]}}\n"
             "bodies:\n  b: {type: beam, curve: [2*s, 0, 0], elements: 4, order: 3, " STEEL
             ", section: {width: 0.05, height: deep(s)}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "forces: {F: {type: force, on: b, at: b.end, value: [0, 1, 0]}}\n"
             "analyse: {up: {type: static, steps: 1}}\noutputs: {signals: [b.end.deflection]}\n");
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    memcpy(tip, w.f.signals, sizeof tip);
    findings_clear(&w);
    CHECK_REL(tip[1], moved(0).y, 3e-5);
    return 0;
}

static int refused(const char *text, const char *message)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &model) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_cannot_be_is_refused(void)
{
#define BEAM                                                                                       \
    "flexion: 1\nbodies: {b: {type: beam, from: [0, 0, 0], to: [2, 0, 0], elements: 4, " STEEL
    CHECK(refused(BEAM ", section: {radius: 0.1 - 0.2*s}}}\n", "the radius must be positive") == 0);
    CHECK(refused("parameters: {s: 2}\n" BEAM ", section: {radius: 0.1*s}}}\n",
                  "needs another name") == 0);
    CHECK(refused(BEAM ", formulation: ancf, elasticity: continuum, section: {radius: 0.1 + s}}}\n",
                  "the same section all along") == 0);
    CHECK(refused(BEAM ", length: 2.5, " UP ", section: {radius: 0.1}}}\n",
                  "hangs without twist") == 0);
    CHECK(refused("flexion: 1\nfe: {line: [[0, 0, 0], [1, 0, 0]], type: truss, section: {area: "
                  "1e-4*(1 + s)}, " STEEL "}\n",
                  "the same section all along") == 0);
    return 0;
}

TEST_MAIN(TEST(tips_are_those_of_the_unit_load), TEST(cables_taper),
          TEST(lines_are_exact_in_statics), TEST(what_does_not_change_is_uniform),
          TEST(wedges_swing_as_kirchhoffs), TEST(all_bodies_swing_alike),
          TEST(stations_are_a_table), TEST(what_cannot_be_is_refused))
