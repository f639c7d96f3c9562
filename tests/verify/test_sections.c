// test_sections.c - one section, whatever body it is of: cantilevers along any direction, with and without `up`, of
// sections by size and by stiffness, in every formulation against Timoshenko's beam.
#include "check.h"
#include "findings.h"
#include "math/small.h"

#include <math.h>

#define LENGTH 1.3
#define SMALL 1e-7   // deflections, as parts of the length
#define STRETCH 5e-3 // and of these the stretch: a larger one would stiffen or buckle the beam

typedef struct section {
    const char *text, *material;
    double EA, GA[2], GJ, EI[2];
} section;

#define STEEL "material: {E: 2.1e11, nu: 0.3, density: 7850}"
#define SOFT "material: {E: 1e9, nu: 0.1, density: 1200}"

// Shear factors after Cowper; torsion constants of 0.28081 a b^3 (4 : 1) and 0.26332 a b^3 (3 : 1) by Saint-Venant's
// series.
static const double G = 2.1e11 / 2.6, soft_G = 1e9 / 2.2, k_steel = 13.0 / 15.3,
                    k_soft = 11.0 / 13.1, k_disc = 7.8 / 8.8, pi = 3.14159265358979323846;

static int sections(section out[6])
{
    const double flat = 0.06 * 0.015, deep = 0.03 * 0.09, disc = pi * 4e-4;
    section all[6] = {
        {"width: 0.06, height: 0.015",
         STEEL,
         2.1e11 * flat,
         {k_steel * G * flat, k_steel * G * flat},
         G * 0.28081295831 * 0.06 * pow(0.015, 3),
         {2.1e11 * 0.015 * pow(0.06, 3) / 12, 2.1e11 * 0.06 * pow(0.015, 3) / 12}},
        {"width: 0.03, height: 0.09",
         SOFT,
         1e9 * deep,
         {k_soft * soft_G * deep, k_soft * soft_G * deep},
         soft_G * 0.26331693101 * 0.09 * pow(0.03, 3),
         {1e9 * 0.09 * pow(0.03, 3) / 12, 1e9 * 0.03 * pow(0.09, 3) / 12}},
        {"radius: 0.02",
         STEEL,
         2.1e11 * disc,
         {k_disc * G * disc, k_disc * G * disc},
         G * pi / 2 * 1.6e-7,
         {2.1e11 * pi / 4 * 1.6e-7, 2.1e11 * pi / 4 * 1.6e-7}},
        {"EA: 4e6, GA: [3e5, 7e5], GJ: 400, EI: [300, 1500], mass: 2",
         SOFT,
         4e6,
         {3e5, 7e5},
         400,
         {300, 1500}},
        {"EA: 4e6, EI: [1500, 300], mass: 2",
         SOFT,
         4e6,
         {5.0 / 6 * 4e6 / 2.2, 5.0 / 6 * 4e6 / 2.2},
         1800 / 2.2,
         {1500, 300}},
        {"stiffness: [[4e6, 0, 0, 0, 0, 0], [0, 9e5, 0, 0, 0, 0], [0, 0, 4e5, 0, 0, 0],"
         " [0, 0, 0, 200, 0, 0], [0, 0, 0, 0, 700, 0], [0, 0, 0, 0, 0, 90]], mass: 2",
         SOFT,
         4e6,
         {9e5, 4e5},
         200,
         {700, 90}},
    };
    memcpy(out, all, sizeof all);
    return 6;
}

static const struct direction {
    double along[3];
    const char *up;
    double y[3]; // near the section's y axis
} directions[] = {
    // without `up` the section's z is near to z, of an upright beam its y is y
    {{1, 0, 0}, NULL, {0, 1, 0}},
    {{-1, 0, 0}, NULL, {0, -1, 0}},
    {{0, 1, 0}, NULL, {-1, 0, 0}},
    {{0, -1, 0}, NULL, {1, 0, 0}},
    {{0, 0, 1}, NULL, {0, 1, 0}},
    {{0, 0, -1}, NULL, {0, 1, 0}},
    {{0.48, 0.6, -0.64}, NULL, {-0.6, 0.48, 0}},
    {{0, 0.6, 0.8}, NULL, {-1, 0, 0}},
    {{1, 0, 0}, "[0, 0, 1]", {0, 0, 1}},
    {{1, 0, 0}, "[1, 2, -1]", {0, 2, -1}},
    {{0, 1, 0}, "[0, 0, 3]", {0, 0, 1}},
    {{0, 0, 1}, "[1, -0.5, 0]", {1, -0.5, 0}},
    {{0.48, 0.6, -0.64}, "[0, 1, 1]", {0, 1, 1}},
};

static m33 axes_of(const struct direction *d)
{
    v3 x = v3_load(d->along), z = v3_unit(v3_cross(x, v3_load(d->y)));
    return m33_from_cols(x, v3_cross(z, x), z);
}

// What a force and a moment at the end do there: displacement and rotation.
static void cantilever(const section *s, v3 f, v3 m, double L, v3 *u, v3 *turn)
{
    u->x = f.x * L / s->EA;
    u->y = f.y * (L * L * L / (3 * s->EI[1]) + L / s->GA[0]) + m.z * L * L / (2 * s->EI[1]);
    u->z = f.z * (L * L * L / (3 * s->EI[0]) + L / s->GA[1]) - m.y * L * L / (2 * s->EI[0]);
    turn->x = m.x * L / s->GJ;
    turn->y = (m.y - f.z * L / 2) * L / s->EI[0];
    turn->z = (m.z + f.y * L / 2) * L / s->EI[1];
}

// Loads that bend, twist and stretch alike, in the section's axes.
static void loads(const section *s, v3 *f, v3 *m)
{
    double d = SMALL * LENGTH, L = LENGTH;
    *f = v3_make(STRETCH * d * s->EA / L, d / (L * L * L / (3 * s->EI[1]) + L / s->GA[0]),
                 -1.4 * d / (L * L * L / (3 * s->EI[0]) + L / s->GA[1]));
    *m = v3_make(2 * d * s->GJ / L, 0.6 * d * 2 * s->EI[0] / (L * L),
                 -0.5 * d * 2 * s->EI[1] / (L * L));
}

#define V "[%.17g, %.17g, %.17g]"
#define P(v) (v).x, (v).y, (v).z

static bool near(v3 a, v3 right, double bound)
{
    v3 d = v3_sub(a, right);
    return fabs(d.x) <= bound * fabs(right.x) && fabs(d.y) <= bound * fabs(right.y) &&
           fabs(d.z) <= bound * fabs(right.z);
}

// A beam with an arm at its end that the loads act on. bound: of errors, component by component.
static int bends_as_it_should(const char *body, const section *s, const struct direction *d,
                              double bound)
{
    char text[3000];
    v3 f, m, u, turn;
    m33 R = axes_of(d);
    loads(s, &f, &m);
    cantilever(s, f, m, LENGTH, &u, &turn);
    v3 F = m33_mul_v(R, f), M = m33_mul_v(R, m), end = v3_scale(LENGTH, m33_col(R, 0));
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  b: {%s}\n"
             "  arm: {type: rigid, mass: 1, inertia: [1, 1, 1], position: " V "}\n"
             "joints:\n  root: {type: fixed, on: [ground, b], at: b.start}\n"
             "  tip: {type: fixed, on: [b, arm], at: [b.end, arm.com]}\n"
             "forces:\n  F: {type: force, on: arm, at: arm.com, value: " V "}\n"
             "  M: {type: torque, on: arm, value: " V "}\n"
             "analyse: {up: {type: static, steps: 1}}\n"
             "outputs: {signals: [b.end.deflection, arm.orientation]}\n",
             body, P(end), P(F), P(M));
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK && w.f.path.arrived);
    const double *x = w.f.signals;
    v3 moved = m33_tmul_v(R, v3_load(x)), turned = m33_tmul_v(R, v3_scale(2, v3_load(x + 4)));
    findings_clear(&w);
    bool fine = near(moved, u, bound) && near(turned, turn, bound);
    if (!fine) {
        printf("  %s\n  moved %.9g %.9g %.9g\n  right %.9g %.9g %.9g\n"
               "  turned %.9g %.9g %.9g\n  right  %.9g %.9g %.9g\n",
               body, P(moved), P(u), P(turned), P(turn));
    }
    CHECK(fine);
    return 0;
}

static int every_body(int (*one)(const section *, const struct direction *))
{
    section all[6];
    int n = sections(all);
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof directions / sizeof directions[0]; k++) {
            CHECK(one(all + i, directions + k) == 0);
        }
    }
    return 0;
}

static void place(const struct direction *d, char out[200])
{
    v3 end = v3_scale(LENGTH, v3_load(d->along));
    snprintf(out, 200, V, P(end));
}

static int beam_of(const char *form, const section *s, const struct direction *d, double bound)
{
    char body[1000], end[200];
    place(d, end);
    snprintf(body, sizeof body,
             "type: beam, formulation: %s, from: [0, 0, 0], to: %s%s%s, section: {%s}, %s", form,
             end, d->up ? ", up: " : "", d->up ? d->up : "", s->text, s->material);
    return bends_as_it_should(body, s, d, bound);
}

static int exact_beam(const section *s, const struct direction *d)
{
    return beam_of("geometrically-exact, elements: 2, order: 3", s, d, 3e-4);
}

static int ancf_beam(const section *s, const struct direction *d)
{
    return beam_of("ancf, elements: 32", s, d, 2e-3);
}

static int segments_beam(const section *s, const struct direction *d)
{
    return beam_of("segments, elements: 32", s, d, 2e-3);
}

static int modal_line(const section *s, const struct direction *d)
{
    char body[1000], end[200];
    place(d, end);
    snprintf(body, sizeof body,
             "type: flexible, fe: {line: [[0, 0, 0], %s], elements: 2, section: {%s%s%s}, %s},"
             " reduce: {type: guyan, interfaces: [start, end]}",
             end, s->text, d->up ? ", up: " : "", d->up ? d->up : "", s->material);
    return bends_as_it_should(body, s, d, 3e-4);
}

// Of a structure the work of the loads is known.
static int fe_line(const section *s, const struct direction *d)
{
    char text[2000], end[200];
    v3 f, m, u, turn;
    m33 R = axes_of(d);
    loads(s, &f, &m);
    cantilever(s, f, m, LENGTH, &u, &turn);
    v3 F = m33_mul_v(R, f), M = m33_mul_v(R, m);
    place(d, end);
    snprintf(text, sizeof text,
             "flexion: 1\nfe:\n  line: [[0, 0, 0], %s]\n  elements: 2\n  section: {%s%s%s}\n  %s\n"
             "  supports: {root: {on: start}}\n"
             "  loads:\n    F: {type: force, on: end, value: " V "}\n"
             "    M: {type: moment, on: end, value: " V "}\n",
             end, s->text, d->up ? ", up: " : "", d->up ? d->up : "", s->material, P(F), P(M));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_fe_static found;
    CHECK(flx_model_read_text(ctx, "line", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    CHECK(flx_fe_problem_static(p, NULL, &found) == FLX_OK);
    CHECK_REL(found.strain_energy, (v3_dot(f, u) + v3_dot(m, turn)) / 2, 1e-6);
    CHECK_REL(found.displacement, v3_norm(u), 1e-6);
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- inertia ------------------------------------------------------------------------------------

#define MODES 6

static const char *const heavy[] = {
    "width: 0.06, height: 0.2", "radius: 0.1", "width: 0.06, height: 0.2, mass: 200",
    "EA: 4e6, GA: 9e5, EI: [2000, 9000], mass: 2, inertia: [0.2, 0.03, 0.17]"};

// Frequencies of a clamped line as a structure.
static int structure_modes(const char *line, double f[MODES])
{
    char text[2000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_fe_mode modes[MODES];
    flx_fe_modes_report report;
    snprintf(text, sizeof text, "flexion: 1\nfe: {%s, supports: {root: {on: start}}}\n", line);
    CHECK(flx_model_read_text(ctx, "line", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    CHECK(flx_fe_problem_modes(p, MODES, NULL, modes, &report) == FLX_OK);
    for (int i = 0; i < MODES; i++) f[i] = modes[i].frequency;
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int body_modes(const char *body, double f[MODES])
{
    char text[2000];
    int n = 0;
    snprintf(text, sizeof text,
             "flexion: 1\nbodies: {b: {%s}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "analyse: {all: {type: modes}}\n",
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

// Bending both ways, twist and stretch of thick lines: rotary inertia is that of the section wherever it is turned.
static int sections_turn_with_their_inertia(void)
{
    for (size_t i = 0; i < sizeof heavy / sizeof heavy[0]; i++) {
        for (size_t k = 6; k < sizeof directions / sizeof directions[0]; k += 6) {
            const struct direction *d = directions + k;
            char line[1000], body[1500], end[200], up[100] = "";
            double f[3][MODES];
            if (d->up) snprintf(up, sizeof up, ", up: %s", d->up);
            place(d, end);
            snprintf(line, sizeof line,
                     "line: [[0, 0, 0], %s], elements: 60, section: {%s%s}, " SOFT, end, heavy[i],
                     up);
            CHECK(structure_modes(line, f[0]) == 0);
            snprintf(body, sizeof body, "type: flexible, fe: {%s}, reduce: {type: modal, modes: 8}",
                     line);
            CHECK(body_modes(body, f[1]) == 0);
            snprintf(body, sizeof body,
                     "type: beam, from: [0, 0, 0], to: %s, elements: 8, order: 4%s,"
                     " section: {%s}, " SOFT,
                     end, up, heavy[i]);
            CHECK(body_modes(body, f[2]) == 0);
            for (int j = 0; j < MODES; j++) {
                CHECK_REL(f[1][j], f[0][j], 1e-6);
                CHECK_REL(f[2][j], f[0][j], 1e-3);
            }
        }
    }
    return 0;
}

static int exact_beams_have_their_sections(void)
{
    return every_body(exact_beam);
}
static int ancf_beams_have_their_sections(void)
{
    return every_body(ancf_beam);
}
static int segments_have_their_sections(void)
{
    return every_body(segments_beam);
}
static int elastic_lines_have_their_sections(void)
{
    return every_body(modal_line);
}
static int structures_have_their_sections(void)
{
    return every_body(fe_line);
}

TEST_MAIN(TEST(exact_beams_have_their_sections), SLOW_TEST(ancf_beams_have_their_sections),
          SLOW_TEST(segments_have_their_sections), TEST(elastic_lines_have_their_sections),
          TEST(structures_have_their_sections), SLOW_TEST(sections_turn_with_their_inertia))
