// test_linear_analysis.c - `analyse: {.. {type: linear}}` of models: the cases lin-slider-crank-io, lin-bicycle-steer and
// lin-base-excitation, and the linear figures of ctl-robot-elastic-two-link; about which state; loops cut and closed.
#include "check.h"
#include "findings.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const double complex J = (double complex)I;

typedef struct job {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
} job;

static int open_file(const char *file, const char *set, job *w)
{
    char path[300];
    *w = (job){.ctx = flx_ctx_create()};
    snprintf(path, sizeof path, "%s/%s", FLX_EXAMPLES, file);
    flx_status status = flx_model_read(w->ctx, path, set ? 1 : 0, &set, &w->model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(w->model, &w->sim);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static int perform(job *w, int i)
{
    flx_status status = flx_simulation_analyse(w->sim, i, &w->f);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static void close_all(job *w)
{
    flx_finding_clear(&w->f);
    flx_simulation_destroy(&w->sim);
    flx_model_destroy(&w->model);
    flx_ctx_destroy(&w->ctx);
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

// y of an output over input 0 at s = i w, from the matrices that were found.
static double complex respond(job *w, int output, double at)
{
    const flx_finding_table *A = table(&w->f, "A"), *B = table(&w->f, "B"), *C = table(&w->f, "C");
    const flx_finding_table *D = table(&w->f, "D");
    flx_linear_model m = {.n = A->nrow,
                          .nin = B->ncolumn,
                          .nout = C->nrow,
                          .A = A->values,
                          .B = B->values,
                          .C = C->values,
                          .D = D->values,
                          .D1 = table(&w->f, "D1")->values,
                          .D2 = table(&w->f, "D2")->values};
    double re[64], im[64];
    if (flx_linear_respond(w->ctx, &m, 1, &at, re, im) != FLX_OK) return (double)NAN;
    return re[output * m.nin] + J * im[output * m.nin];
}

static int slider_crank(void)
{
    static const struct {
        double w, re, im;
    } points[] = {{0, -0.029017093329314184, 0},
                  {10, -0.07739764348545325, 0.035173851060603153},
                  {20, 0.016098568679343995, 0.0025876708367754},
                  {50, 0.0017843078186067336, 7.761696918158676e-05},
                  {100, 0.00042699809752592, 8.876988349315019e-06}};
    job w;
    if (open_file("slider_crank_torque.yaml", NULL, &w) || perform(&w, 1)) return 1;
    const flx_finding_table *poles = table(&w.f, "poles"), *D = table(&w.f, "D");
    CHECK(poles->nrow == 2 && D->nrow == 4);
    CHECK_REL(poles->values[0], -1.02438389293471, 1e-8);
    CHECK_REL(poles->values[1], 12.00134849318329, 1e-8);
    CHECK_REL(poles->values[2], 1.9170193274553295, 1e-8);
    CHECK_REL(poles->values[3], 0.08504648745544606, 1e-7);
    CHECK_REL(D->values[1], -4.20985004218761, 1e-8);
    CHECK_REL(D->values[2], -6.517799304065088, 1e-7);
    CHECK_REL(D->values[3], 2.477127042125631, 1e-7);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        double complex y = respond(&w, 0, points[i].w);
        CHECK_NEAR(creal(y), points[i].re, 1e-10);
        CHECK_NEAR(cimag(y), points[i].im, 1e-10);
    }
    CHECK_REL(creal(respond(&w, 2, 0.0)), -7.2542733323285455, 1e-7);
    close_all(&w);
    return 0;
}

static int moved_base(void)
{
    static const double ws[] = {5, 20, 40};
    job w;
    if (open_file("base_excitation.yaml", NULL, &w) || perform(&w, 0)) return 1;
    for (int i = 0; i < 3; i++) {
        double complex s = J * ws[i], force;
        double complex x = (800 + 6 * s) / (800 + 6 * s + 2 * s * s);
        CHECK_NEAR(cabs(respond(&w, 0, ws[i]) - x), 0.0, 1e-9 * cabs(x));
        CHECK_NEAR(cabs(respond(&w, 1, ws[i]) - s * s * x), 0.0, 1e-9 * cabs(s * s * x));
        force = s * s + (800 + 6 * s) * (1 - x);
        CHECK_NEAR(cabs(respond(&w, 2, ws[i]) - force), 0.0, 1e-9 * cabs(force));
    }
    CHECK(says(&w.f, "output 'drive.drive' contains the second derivative of the input 'u'"));
    CHECK(!says(&w.f, "output 'mass.position.x'"));
    close_all(&w);
    return 0;
}

static int bicycle(void)
{
    static const struct {
        double w, re[2], im[2]; // lean and steer over torque
    } points[] = {{0, {-1.0829319076143, -0.4551511612131}, {0, 0}},
                  {1, {-0.0868485715359, -0.0260047792234}, {0.3377703770045, 0.1589365093805}},
                  {3, {0.0419606821002, 0.0703847993132}, {0.1871125818759, 0.1332213671441}},
                  {10, {0.0035581974263, -0.0129885311693}, {-0.0083350222009, -0.0313646261713}}};
    static const double zeros[] = {-59.2599231624623, -13.7464996092469, -3.1346638580836,
                                   3.1346638580836};
    job w;
    if (open_file("bicycle_steering.yaml", NULL, &w) || perform(&w, 0)) return 1;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        for (int k = 0; k < 2; k++) {
            double complex y = respond(&w, k, points[i].w);
            CHECK_NEAR(creal(y), points[i].re[k], 1e-7);
            CHECK_NEAR(cimag(y), points[i].im[k], 1e-7);
        }
    }
    const flx_finding_table *z = table(&w.f, "zeros_of_pairs");
    CHECK(z->nrow == 4 && z->ncolumn == 4);
    for (int i = 0; i < 4; i++) CHECK_REL(z->values[4 * i + 2], zeros[i], 1e-7);
    CHECK(flx_ctx_warning_count(w.ctx) == 0);
    close_all(&w);
    return 0;
}

// Zeros are the poles of the same arm whose outputs are held by the motors.
static int elastic_arm(void)
{
    static const struct {
        const char *set;
        double zeros[4][2];
    } rows[] = {{"kappa=0",
                 {{-38.5623208, 275.0228882},
                  {-38.5623208, -275.0228882},
                  {-0.31831577, 25.2295503},
                  {-0.31831577, -25.2295503}}},
                {"kappa=0.8",
                 {{-27.71304179, 233.79065615},
                  {-27.71304179, -233.79065615},
                  {-2.08838357, 64.59416221},
                  {-2.08838357, -64.59416221}}},
                {"kappa=1",
                 {{-375.86614939, 0}, {-112.82965796, 0}, {127.17924913, 0}, {602.22041958, 0}}}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        job w;
        if (open_file("elastic_two_link.yaml", rows[k].set, &w) || perform(&w, 0)) return 1;
        const flx_finding_table *z = table(&w.f, "zeros");
        CHECK(z->nrow == 4);
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(z->values[2 * i], rows[k].zeros[i][0], 1e-7 * 602);
            CHECK_NEAR(z->values[2 * i + 1], rows[k].zeros[i][1], 1e-7 * 602);
        }
        close_all(&w);
    }
    return 0;
}

// ---- frequency responses ------------------------------------------------------------------------------

// Both ways agree: on the equations as they stand, and by the state space; with loops, with motions whose rates count, on
// wheels that roll.
static int responses_agree(void)
{
    static const struct {
        const char *file;
        int analysis;
        const char *from;
        double off;
    } rows[] = {{"slider_crank_torque.yaml", 1, "hold", 1e-9},
                {"base_excitation.yaml", 0, "start", 1e-9},
                {"bicycle_steering.yaml", 0, "start", 1e-7},
                {"elastic_two_link.yaml", 0, "start", 1e-8}};
    static const double w[] = {0.5, 3, 20, 90};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        job j;
        flx_linear_model m;
        double re[64], im[64], re2[64], im2[64];
        if (open_file(rows[k].file, NULL, &j) || perform(&j, rows[k].analysis)) return 1;
        const flx_finding_table *A = table(&j.f, "A"), *B = table(&j.f, "B");
        m = (flx_linear_model){.n = A->nrow,
                               .nin = B->ncolumn,
                               .nout = table(&j.f, "C")->nrow,
                               .A = A->values,
                               .B = B->values,
                               .C = table(&j.f, "C")->values,
                               .D = table(&j.f, "D")->values,
                               .D1 = table(&j.f, "D1")->values,
                               .D2 = table(&j.f, "D2")->values};
        CHECK(flx_linear_respond(j.ctx, &m, 4, w, re, im) == FLX_OK);
        flx_finding direct;
        int last = 0;
        const char *type, *about;
        while (flx_simulation_analysis(j.sim, last, &type, &about)) last++;
        CHECK(flx_simulation_analyse(j.sim, last - 1, &direct) == FLX_OK);
        const flx_finding_table *t = table(&direct, "response");
        int npair = m.nin * m.nout;
        CHECK(t->ncolumn == 2 + 4 * npair);
        for (int i = 0; i < t->nrow; i += t->nrow / 7) {
            const double *row = t->values + i * t->ncolumn;
            CHECK(flx_linear_respond(j.ctx, &m, 1, row, re2, im2) == FLX_OK);
            for (int q = 0; q < npair; q++) {
                double size = hypot(re2[q], im2[q]);
                CHECK_NEAR(row[2 + 4 * q], re2[q], rows[k].off * size);
                CHECK_NEAR(row[3 + 4 * q], im2[q], rows[k].off * size);
                CHECK_REL(row[4 + 4 * q], size, 1e-6);
            }
        }
        flx_finding_clear(&direct);
        close_all(&j);
    }
    return 0;
}

// A mass on a spring and a damper: |y| is largest at w^2 = k/m (1 - 2 D^2), where it is 1/(2 D k sqrt(1 - D^2)).
static int peak_is_that_of_the_book(void)
{
    static const char text[] = "flexion: 1\nequations:\n"
                               "  second_order: {x: {mass: 2, force: -800*x - 6*x' + F}}\n"
                               "inputs: {F: 0}\n"
                               "analyse: {bode: {type: frequency, outputs: [x], from: 1, to: 100, "
                               "count: 20, refine: true}}\n";
    double D = 6 / (2 * sqrt(1600.0)), peak = 1 / (2 * D * 800 * sqrt(1 - D * D));
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "peaks"), *all = table(&w.f, "response");
    CHECK(t->nrow == 1 && all->nrow > 20);
    CHECK_REL(t->values[2], 20 * sqrt(1 - 2 * D * D), 1e-7);
    CHECK_REL(t->values[4], peak, 1e-12);
    for (int i = 0; i + 1 < all->nrow; i++) {
        CHECK(all->values[(i + 1) * 6] > all->values[i * 6]);
        CHECK(fabs(all->values[(i + 1) * 6 + 5] - all->values[i * 6 + 5]) < 10.0);
    }
    findings_clear(&w);
    return 0;
}

// A mass on a damper: x = F/d (t - m/d (1 - e^(-d t/m))).
static int step_is_that_of_the_book(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  second_order: {x: {mass: 2, force: -6*x' + F}}\ninputs: {F: 0}\n"
        "analyse: {plant: {type: linear, outputs: [x], until: 1.5, count: 16}}\n";
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *s = table(&w.f, "step"), *p = table(&w.f, "impulse");
    CHECK(s->nrow == 16 && s->ncolumn == 2 && p->nrow == 16 && strcmp(s->columns[0], "t") == 0);
    for (int i = 0; i < 16; i++) {
        double t = 0.1 * i, e = exp(-3 * t);
        CHECK_NEAR(s->values[2 * i], t, 1e-14);
        CHECK_NEAR(s->values[2 * i + 1], (t - (1 - e) / 3) / 6, 1e-10);
        CHECK_NEAR(p->values[2 * i + 1], (1 - e) / 6, 1e-10);
    }
    findings_clear(&w);
    return 0;
}

// An output that the input reaches at once has an impulse in its response to one, which no table over time has: it is told.
// y = 2 x' + 3 F, 6 x' = 0 - 6 x + F: y = (1/3) F - 2 x + 3 F
static int impulses_at_once_are_told(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  first_order: {x: {mass: 6, derivative: -6*x + F}}\ninputs: {F: "
        "0}\n"
        "signals: {y: 2*x' + 3*F, z: 5*x}\n"
        "analyse: {plant: {type: linear, outputs: [y, z], until: 1, count: 11}}\n";
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    CHECK(
        says(&w.f, "the response of 'y' to an impulse of 'F' has an impulse of 3.33333 at t = 0"));
    CHECK(!says(&w.f, "the response of 'z'"));
    CHECK(!says(&w.f, "to a step"));
    const flx_finding_table *p = table(&w.f, "impulse");
    for (int i = 0; i < 11; i++) CHECK_NEAR(p->values[3 * i + 1], -exp(-0.1 * i) / 3, 1e-10);
    findings_clear(&w);
    return 0;
}

static int pole_on_the_axis_is_told(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  second_order: {x: {mass: 1, force: F}}\ninputs: {F: 0}\n"
        "analyse: {bode: {type: frequency, outputs: [x], from: 0, to: 4, count: 3, spacing: "
        "linear}}\n";
    findings w = findings_of(text);
    CHECK(w.status == FLX_SINGULAR);
    CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, "something is free to move");
    findings_clear(&w);
    return 0;
}

// Forces of a controller have no potential, and no way leads down to where it holds a pole upright.
static int rest_of_a_controller(void)
{
    job w = {.ctx = flx_ctx_create()};
    CHECK(flx_model_read(w.ctx, FLX_EXAMPLES "/cart_pole.yaml", 0, NULL, &w.model) == FLX_OK);
    CHECK(flx_model_set_text(w.model, "analyse.rest.type", "equilibrium") == FLX_OK);
    CHECK(flx_model_check(w.model) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(w.model, &w.sim) == FLX_OK);
    CHECK(perform(&w, 0) == 0);
    CHECK(w.f.rest.residual < 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(w.f.signals[i], 0.0, 1e-12); // cart, pole, its motor
    close_all(&w);
    return 0;
}

// A pendulum held out is at rest nowhere but at its equilibrium.
static int balance_is_told(void)
{
    static const struct {
        const char *keys, *line;
    } rows[] = {
        {"frequency, outputs: [hinge.angle], from: 1, to: 2, count: 2",
         "forces are not in balance here"},
        {"norms, outputs: [hinge.angle], inputs: [T]", "the state moves (bob angle'"},
        {"root-locus, outputs: [hinge.angle], inputs: [T], to: 5", "the state moves (bob angle'"},
        {"root-locus, parameter: m, from: 1, to: 2", "the state moves (bob angle'"}};
    for (int i = 0; i < 8; i++) {
        char text[800];
        bool rest = i % 2;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 2}\n"
                 "bodies: {bob: {type: rigid, mass: m, inertia: 0.1, position: [0.3, -0.4]}}\n"
                 "joints: {hinge: {type: revolute, on: [ground, bob], at: [0, 0], friction: "
                 "{viscous: 1}}}\n"
                 "inputs: {T: 0}\nforces: {motor: {type: torque, on: hinge, value: T}}\n"
                 "analyse:\n%s  linear: {about: %s, type: %s}\n",
                 rest ? "  rest: {type: equilibrium}\n" : "", rest ? "rest" : "start",
                 rows[i / 2].keys);
        job w = {.ctx = flx_ctx_create()};
        CHECK(flx_model_read_text(w.ctx, "pendulum", text, strlen(text), 0, NULL, &w.model) ==
              FLX_OK);
        CHECK(flx_simulation_create_to_analyse(w.model, &w.sim) == FLX_OK);
        CHECK(perform(&w, rest) == 0);
        CHECK(says(&w.f, rows[i / 2].line) == !rest);
        close_all(&w);
    }
    return 0;
}

// ---- about which state; loops -------------------------------------------------------------------------

#define PENDULUM                                                                                   \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {bob: {type: rigid, mass: 2, inertia: 0.1, position: [0.3, -0.4]}}\n"                 \
    "joints: {hinge: {type: revolute, on: [ground, bob], at: [0, 0]}}\n"                           \
    "inputs: {T: {value: -0.8*hinge.rate}, other: 0}\n"                                            \
    "forces: {motor: {type: torque, on: hinge, value: T}}\n"                                       \
    "simulate: {until: 1, rtol: 1e-10, method: %s}\n"                                              \
    "analyse:\n  rest: {type: equilibrium}\n  plant: {type: linear, %s}\n"                         \
    "outputs: {signals: [hinge.angle]}\n"

static int find_text(const char *method, const char *keys, job *w)
{
    char text[2000];
    *w = (job){.ctx = flx_ctx_create()};
    snprintf(text, sizeof text, PENDULUM, method, keys);
    CHECK(flx_model_read_text(w->ctx, "model", text, strlen(text), 0, NULL, &w->model) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(w->model, &w->sim) == FLX_OK);
    return 0;
}

static int states_and_loops(void)
{
    static const char *const methods[] = {"radau, formulation: tree",
                                          "radau, formulation: index-3"};
    double inertia = 0.1 + 2 * 0.25, stiffness = 2 * 9.81 * 0.5 / inertia, later[2];
    for (int k = 0; k < 2; k++) {
        job w;
        if (find_text(methods[k], "about: rest, inputs: [T], outputs: [hinge.angle]", &w)) return 1;
        if (perform(&w, 1)) return 1;
        CHECK_REL(table(&w.f, "A")->values[2], -stiffness, 1e-9);
        CHECK_NEAR(table(&w.f, "A")->values[3], 0.0, 1e-9);
        CHECK_REL(table(&w.f, "B")->values[1], 1 / inertia, 1e-9);
        close_all(&w);
        if (find_text(methods[k], "about: rest, loop: closed, inputs: [T], outputs: [hinge.angle]",
                      &w))
            return 1;
        if (perform(&w, 1)) return 1;
        CHECK_REL(table(&w.f, "A")->values[3], -0.8 / inertia, 1e-8);
        close_all(&w);
        // at an instant of the run, by its angle there
        if (find_text(methods[k], "about: {time: 0.35}, inputs: [T], outputs: [hinge.angle]", &w))
            return 1;
        if (perform(&w, 1)) return 1;
        later[k] = table(&w.f, "A")->values[2];
        CHECK(says(&w.f, "those of this instant"));
        close_all(&w);
    }
    CHECK_REL(later[0], later[1], 1e-7);
    CHECK(later[0] < 0.0 && fabs(later[0] + stiffness) > 0.01);
    return 0;
}

static int unreached_modes_are_named(void)
{
    job w;
    if (find_text("radau", "about: rest, inputs: [other], outputs: [hinge.angle]", &w)) return 1;
    if (perform(&w, 1)) return 1;
    CHECK(says(&w.f, "not reached by any input"));
    CHECK(says(&w.f, "output 'hinge.angle' does not answer to input 'other'"));
    close_all(&w);
    if (find_text("radau", "about: rest, gramians: true", &w)) return 1;
    CHECK(flx_simulation_analyse(w.sim, 1, &w.f) == FLX_ERR_CANNOT); // cut at T, nothing damps it
    CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, "does not decay");
    close_all(&w);
    if (find_text("radau", "about: rest, loop: closed, inputs: [T], gramians: true", &w)) return 1;
    if (perform(&w, 1)) return 1;
    // of x'' = -k x - d x' + b u: b^2 / (2 d k) and b^2 / (2 d)
    double b = 1 / 0.6, d = 0.8 / 0.6, k = 9.81 / 0.6, *W = table(&w.f, "reach")->values;
    CHECK_REL(W[0], b * b / (2 * d * k), 1e-7);
    CHECK_REL(W[3], b * b / (2 * d), 1e-7);
    CHECK_NEAR(W[1], 0.0, 1e-9);
    close_all(&w);
    return 0;
}

// A sampled controller is held: it is told where loops are to be closed, and not where all inputs are cut.
static int clocks_are_told(void)
{
    static const char *const keys[] = {
        "linear, loop: closed, inputs: [F]",
        "linear, inputs: []",
        "frequency, loop: closed, inputs: [F], outputs: [x], from: 1, to: 2, count: 2",
        "root-locus, loop: closed, inputs: [F], outputs: [x], to: 5",
        "root-locus, parameter: k, to: 5",
        "norms, loop: closed, inputs: [F], outputs: [x]",
        "modes",
        "linear, inputs: [F]"};
    for (int i = 0; i < 8; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "flexion: 1\nparameters: {k: 4}\ninputs: {F: p}\n"
                 "equations: {second_order: {x: {at: 0.1, mass: 1, force: \"F - k*x - x'\"}}}\n"
                 "control: {p: {type: pid, of: -x, p: 20, d: 6, sample: 0.01}}\n"
                 "simulate: {until: 1}\nanalyse: {a: {type: %s}}\n",
                 keys[i]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        CHECK(
            says(&w.f, "no clock strikes: what 'p.tick' changes in a run, every 0.01 s, is held") ==
            (i < 7));
        findings_clear(&w);
    }
    return 0;
}

// Corners where one linearises have the names of the signals that they are in; others of the item.
static int corners_have_names(void)
{
    static const char text[] =
        "flexion: 1\ninputs: {F: 0}\n"
        "signals: {s: \"max(0, x)\", twice: 2*s, other: abs(y)}\n"
        "equations: {second_order: {x: {at: 0, mass: 1, force: F - twice - x}, "
        "y: {at: 0, mass: 1, force: -other - y}, z: {at: 0, mass: 1, force: \"-max(z, 2*z)\"}}}\n"
        "simulate: {until: 1}\nanalyse: {a: {type: linear, inputs: [F], outputs: [x]}}\n";
    static const char *const names[] = {"'s'", "'other'", "'z'"};
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    CHECK(flx_ctx_warning_count(w.ctx) == 3);
    for (int i = 0; i < 3; i++) {
        CHECK_TEXT(flx_ctx_warning(w.ctx, i)->text, "is about to change: the slopes are those of");
        CHECK_TEXT(flx_ctx_warning(w.ctx, i)->text, names[i]);
    }
    findings_clear(&w);
    return 0;
}

// The height of a load that hangs is stationary: rounding makes no zeros of it, in whatever units it is asked for.
static int stationary_outputs_have_no_zeros(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {F: 0}\n"
        "bodies: {cart: {type: point, mass: 10}, load: {type: point, mass: 5, position: "
        "[0.1, -3.9987498]}}\n"
        "joints: {rail: {type: point-on-line, on: [ground, cart], at: [[0, 0], cart], axis: [1, "
        "0]}, rope: {type: distance, on: [cart, load], at: [cart, load]}}\n"
        "forces: {push: {type: force, on: cart, value: [F, 0]}, hold: {type: spring, on: [ground, "
        "cart], at: [[-5, 0], cart], stiffness: 10, length: 5}}\n"
        "signals: {height: %g*load.position.y, place: %g*cart.position.x}\n"
        "simulate: {until: 1}\nanalyse: {eq: {type: equilibrium}, a: {type: linear, about: eq, "
        "inputs: [F], outputs: [place, height]}}\n";
    static const double unit[] = {1.0, 1e-9, 1e6};
    for (int i = 0; i < 3; i++) {
        char model[1400];
        snprintf(model, sizeof model, text, unit[i], unit[i]);
        findings w = {.ctx = flx_ctx_create()};
        CHECK(flx_model_read_text(w.ctx, "m", model, strlen(model), 0, NULL, &w.model) == FLX_OK);
        CHECK(flx_simulation_create_to_analyse(w.model, &w.sim) == FLX_OK);
        CHECK(flx_simulation_analyse(w.sim, 1, &w.f) == FLX_OK);
        CHECK(says(&w.f, "output 'height' does not answer to input 'F'"));
        const flx_finding_table *z = table(&w.f, "zeros_of_pairs");
        CHECK(z->nrow == 2); // of the cart alone: the load swings below it
        CHECK_REL(fabs(z->values[3]), sqrt(9.81 / 4), 1e-6);
        CHECK_TEXT(flx_ctx_warning(w.ctx, 0)->text, "output 'height' is stationary there");
        findings_clear(&w);
    }
    return 0;
}

// Responses of a crane to a step of its force, in units of people, and as a micromechanism in SI units: lengths and angles are
// states of unlike size.
static int units_do_not_matter(void)
{
    static const double units[2][3] = {{1, 1, 1}, {1e-6, 1e-15, 1e-4}};
    double found[2][404] = {{0}};
    for (int k = 0; k < 2; k++) {
        double L = units[k][0], M = units[k][1], T = units[k][2];
        char text[1500];
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "dimension: 2\n"
                 "parameters: {L: %g, M: %g, T: %g}\n"
                 "gravity: [0, -9.81*L/T^2]\n"
                 "bodies:\n"
                 "  cart: {type: rigid, mass: 10*M, inertia: M*L^2}\n"
                 "  rod: {type: rigid, mass: 2*M, com: [0, -0.6*L], inertia: 0.24*M*L^2}\n"
                 "joints:\n"
                 "  rail: {type: prismatic, on: [ground, cart], at: cart, axis: [1, 0]}\n"
                 "  hinge: {type: revolute, on: [cart, rod], at: cart}\n"
                 "inputs: {F: {value: 0}}\n"
                 "forces:\n"
                 "  push: {type: force, on: rail, value: F - 300*M/T^2*rail.displacement - "
                 "2*M/T*rail.rate}\n"
                 "  rub: {type: torque, on: hinge, value: -0.2*M*L^2/T*hinge.rate}\n"
                 "analyse: {s: {type: linear, inputs: [F], outputs: [rail.displacement, "
                 "hinge.angle], until: 10*T, gramians: true}}\n",
                 L, M, T);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *step = table(&w.f, "step"), *reach = table(&w.f, "reach");
        CHECK(step && reach && step->ncolumn == 3 && step->nrow == 201);
        for (int i = 0; i < step->nrow; i++) {
            const double *row = step->values + 3 * i;
            found[k][2 * i] = row[1] * M / (T * T);
            found[k][2 * i + 1] = row[2] * M * L / (T * T);
        }
        found[k][402] = found[k][403] =
            reach->values[0] * M * M / (T * T * T); // x by white noise of F
        findings_clear(&w);
    }
    CHECK(found[0][20] > 1e-4 && found[0][403] > 1e-4); // 1/(2 d k) of the cart alone: 8e-4
    for (int i = 0; i < 404; i++) CHECK_NEAR(found[1][i], found[0][i], 1e-9);
    return 0;
}

TEST_MAIN(TEST(rest_of_a_controller), TEST(balance_is_told), TEST(units_do_not_matter),
          TEST(corners_have_names), TEST(stationary_outputs_have_no_zeros), TEST(slider_crank),
          TEST(moved_base), TEST(bicycle), TEST(elastic_arm), TEST(responses_agree),
          TEST(peak_is_that_of_the_book), TEST(step_is_that_of_the_book),
          TEST(impulses_at_once_are_told), TEST(pole_on_the_axis_is_told), TEST(states_and_loops),
          TEST(unreached_modes_are_named), TEST(clocks_are_told))
