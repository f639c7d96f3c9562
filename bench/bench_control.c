// bench_control.c - linear models: A, B, C, D of a cart with a pole, a slider crank and a moved base against closed forms; 1 000
// frequencies of a chain of 2 000 links (10 000 unknowns), one input, one thread; regulators with 100 and 400 states, continuous
// and sampled. CPU seconds beside the marks.
#include "flexion/control.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "flexion/linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

// The last analysis of a model.
static flx_status analyse(flx_ctx *ctx, const char *text, flx_finding *out)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, 0, out);
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0) puts(flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

static const double *matrix(const flx_finding *f, const char *name)
{
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables[i].values;
    }
    return NULL;
}

static void cart_pole(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  cart: {type: rigid, mass: 1, inertia: 0.1}\n"
        "  rod: {type: rigid, mass: 0.2, inertia: 0.2*0.6^2/12, position: [0, 0.3]}\n"
        "joints:\n"
        "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
        "  hinge: {type: revolute, on: [cart, rod], at: [0, 0]}\n"
        "inputs: {F: 0}\n"
        "forces: {motor: {type: force, on: rail, value: F}}\n"
        "analyse: {plant: {type: linear, states: [rail.displacement, hinge.angle, rail.rate, "
        "hinge.rate]}}\n";
    static const double A[16] = {
        0, 0, 1, 0, 0, 0, 0, 1, 0, 1.401428571428572, 0, 0, 0, 28.028571428571436, 0, 0};
    static const double B[4] = {0, 0, 0.9523809523809523, 2.3809523809523814};
    flx_finding f = {0};
    double off = 0.0, begun = seconds();
    if (analyse(ctx, text, &f) != FLX_OK) return;
    double needed = seconds() - begun;
    for (int i = 0; i < 16; i++) off = fmax(off, fabs(matrix(&f, "A")[i] - A[i]) / 28.0);
    for (int i = 0; i < 4; i++) off = fmax(off, fabs(matrix(&f, "B")[i] - B[i]) / 2.38);
    printf("%-44s %10.2g  mark 1e-9   %8.4f s\n", "A, B of cart and pole, relative error", off,
           needed);
    flx_finding_clear(&f);
}

static double off_by(double found, double wanted)
{
    return fabs(found - wanted) / fabs(wanted);
}

// In the crank angle, states (angle, rate), about the equilibrium of the closed form: m a'' + d a' + k a = T. Outputs: place and
// acceleration of the slider, reaction of the bearing.
static void slider_crank(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "parameters: {r: 0.15, l: 0.35, a: 1.323117126666897}\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 0.4, inertia: 0.4*r^2/12, position: [r/2*cos(a), "
        "r/2*sin(a)], orientation: a}\n"
        "  rod: {type: rigid, mass: 0.6, inertia: 0.6*l^2/12, orientation: -asin(r*sin(a)/l), "
        "position: [r*cos(a) + sqrt((l/2)^2 - (r*sin(a)/2)^2), r*sin(a)/2]}\n"
        "  slider: {type: rigid, mass: 0.8, inertia: 1e-3, position: [r*cos(a) + sqrt(l^2 - "
        "(r*sin(a))^2), 0]}\n"
        "joints:\n"
        "  bearing: {type: revolute, on: [ground, crank], at: [0, 0]}\n"
        "  pin: {type: revolute, on: [crank, rod], at: [r*cos(a), r*sin(a)]}\n"
        "  wrist: {type: revolute, on: [rod, slider], at: slider}\n"
        "  guide: {type: prismatic, on: [ground, slider], at: slider, axis: [1, 0]}\n"
        "inputs: {T: 2}\n"
        "forces:\n"
        "  motor: {type: torque, on: bearing, value: T}\n"
        "  spring: {type: force, on: slider, value: [\"-250*(slider.position.x - 0.4) - "
        "3*slider.velocity.x\", 0]}\n"
        "analyse:\n"
        "  plant: {type: linear, inputs: [T], states: [bearing.angle, bearing.rate], outputs: "
        "[slider.position.x, slider.acceleration.x, bearing.reaction]}\n";
    const double m = 0.03853347975470508, d = 0.07894615199889092, k = 5.590503829241204;
    const double over = -0.16222017137098058; // slider over angle
    const double wanted[4][2] = {{-k / m, -d / m},
                                 {1 / m, over},
                                 {-over * k / m, -over * d / m},
                                 {-4.20985004218761, -6.517799304065088}};
    flx_finding f = {0};
    double off[4] = {0, 0, 0, 0}, begun = seconds();
    if (analyse(ctx, text, &f) != FLX_OK) return;
    double needed = seconds() - begun;
    const double *A = matrix(&f, "A"), *B = matrix(&f, "B"), *C = matrix(&f, "C");
    const double *D = matrix(&f, "D");
    off[0] = fmax(off_by(A[2], wanted[0][0]), off_by(A[3], wanted[0][1]));
    off[1] = off_by(B[1], wanted[1][0]);
    off[2] = fmax(off_by(C[0], wanted[1][1]),
                  fmax(off_by(C[2], wanted[2][0]), off_by(C[3], wanted[2][1])));
    off[3] = fmax(off_by(D[1], wanted[3][0]), off_by(D[2], wanted[3][1]));
    for (int i = 0; i < 4; i++)
        printf("%c of the slider crank, relative error %19.2g  mark 1e-9%s\n", "ABCD"[i], off[i],
               i == 0 ? "   (7 constraints, reactions among outputs)" : "");
    printf("%-44s %10.4f\n", "  the analysis, s", needed);
    flx_finding_clear(&f);
}

// Through the motion of a joint: x'' = -(k/m) (x - u) - (c/m) (x' - u'), states place and velocity of the mass: the input
// goes into the state, and D of the acceleration is k/m - (c/m)^2 with C the row of A.
static void base_excitation(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\n"
        "bodies:\n"
        "  floor: {type: rigid, mass: 1, inertia: 1}\n"
        "  mass: {type: point, mass: 2, position: [0.5, 0]}\n"
        "joints:\n"
        "  drive: {type: prismatic, on: [ground, floor], at: [0, 0], axis: [1, 0], motion: "
        "{displacement: u}}\n"
        "  rail: {type: point-on-line, on: [ground, mass], at: [[0, 0], mass], axis: [1, 0]}\n"
        "inputs: {u: 0}\n"
        "forces:\n"
        "  strut: {type: spring, on: [floor, mass], at: [floor, mass], stiffness: 800, damping: 6, "
        "length: 0.5}\n"
        "analyse: {plant: {type: linear, inputs: [u], outputs: [mass.position.x]}}\n";
    flx_finding f = {0};
    if (analyse(ctx, text, &f) != FLX_OK) return;
    const double *A = matrix(&f, "A"), *B = matrix(&f, "B"), *C = matrix(&f, "C");
    const double *D = matrix(&f, "D");
    double most = 0.0;
    // what does not depend on coordinates: Markov's parameters D, C B, C A B of (c s + k)/(m s^2 + c s + k)
    double CB = C[0] * B[0] + C[1] * B[1];
    double CAB = C[0] * (A[0] * B[0] + A[1] * B[1]) + C[1] * (A[2] * B[0] + A[3] * B[1]);
    most = fmax(fabs(D[0]), fmax(off_by(CB, 3.0), off_by(CAB, 400.0 - 9.0)));
    printf("%-44s %10.2g  mark 1e-9\n", "A, B, C, D of a moved base, relative error", most);
    flx_finding_clear(&f);
}

static void chain(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {n: 2000, l: 0.05}\n"
        "bodies:\n"
        "  link: {repeat: {i: [1, n]}, type: rigid, mass: 0.1, inertia: 1e-4, position: [0, -(i - "
        "0.5)*l]}\n"
        "joints:\n"
        "  top: {type: revolute, on: [ground, link(1)], at: [0, 0]}\n"
        "  pin: {repeat: {i: [2, n]}, type: revolute, on: [link(i - 1), link(i)], at: [0, -(i - "
        "1)*l]}\n"
        "inputs: {F: 0}\n"
        "forces:\n"
        "  push: {type: force, on: link(1000), value: [F, 0]}\n"
        "  rub: {repeat: {i: [1, n]}, type: force, on: link(i), value: [\"-link(i).velocity.x\", "
        "0]}\n"
        "simulate: {until: 1, method: radau, formulation: index-3, rtol: 1e-6}\n"
        "analyse: {bode: {type: frequency, outputs: [link(n).position.x], from: 0.1, to: 20, "
        "count: %d}}\n";
    char few[2000], many[2000];
    flx_finding f = {0};
    snprintf(few, sizeof few, text, 2);
    snprintf(many, sizeof many, text, 1002);
    double begun = seconds();
    if (analyse(ctx, few, &f) != FLX_OK) return;
    double fixed = seconds() - begun;
    flx_finding_clear(&f);
    begun = seconds();
    if (analyse(ctx, many, &f) != FLX_OK) return;
    printf("%-44s %10.2f  mark 6 s    (%d peaks sought as well)\n",
           "1 000 frequencies, 10 000 unknowns, s", seconds() - begun - fixed,
           f.ntable > 1 ? f.tables[1].nrow : 0);
    flx_finding_clear(&f);
}

// A chain of masses on springs and dampers, pushed at its end.
static void regulator(flx_ctx *ctx, int n, double sample, const char *mark)
{
    size_t size = (size_t)n * (size_t)n;
    double *A = calloc(size, sizeof *A), *B = calloc((size_t)n, sizeof *B);
    double *Q = calloc(size, sizeof *Q), *K = calloc((size_t)n, sizeof *K), R = 0.1;
    int m = n / 2;
    for (int i = 0; A && i < m; i++) {
        A[i * n + m + i] = 1.0;
        A[(m + i) * n + i] = -20.0;
        A[(m + i) * n + m + i] = -0.1;
        if (i > 0) A[(m + i) * n + i - 1] = 10.0;
        if (i + 1 < m) A[(m + i) * n + i + 1] = 10.0;
    }
    for (int i = 0; Q && i < n; i++) Q[i * n + i] = 1.0;
    if (B) B[n - 1] = 1.0;
    double begun = seconds();
    flx_status status =
        A && B && Q && K ? flx_lqr_find(ctx, n, 1, A, B, Q, &R, sample, K, NULL) : FLX_ERR_MEMORY;
    char name[60];
    snprintf(name, sizeof name, "%sregulator with %d states, s", sample > 0.0 ? "sampled " : "", n);
    printf("%-44s %10.3f  mark %-6s %s\n", name, seconds() - begun, mark,
           status == FLX_OK ? "" : "failed");
    free(A);
    free(B);
    free(Q);
    free(K);
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    cart_pole(ctx);
    slider_crank(ctx);
    base_excitation(ctx);
    regulator(ctx, 100, 0.0, "0.1 s");
    regulator(ctx, 400, 0.0, "10 s");
    regulator(ctx, 100, 0.02, "0.1 s");
    regulator(ctx, 400, 0.02, "10 s");
    chain(ctx);
    flx_ctx_destroy(&ctx);
    return 0;
}
