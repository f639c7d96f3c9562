// test_reactions.c - forces of joints, accelerations and algebraic unknowns are those of the states they are shown at,
// whatever the method carries; in rows, measures and the ledger.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <stdint.h>

#define MEASURES 4

// The measures of a run, in their order.
static bool measure(const char *text, double *value)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status s = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    for (int i = 0; flx_ctx_error(ctx, i); i++) printf("%s\n", flx_ctx_error(ctx, i)->text);
    for (int i = 0; flx_ctx_warning(ctx, i) && s == FLX_OK; i++)
        printf("%s\n", flx_ctx_warning(ctx, i)->text);
    for (int i = 0; s == FLX_OK && i < flx_simulation_metric_count(sim) && i < MEASURES; i++)
        (void)flx_simulation_metric(sim, i, &value[i]);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return s == FLX_OK;
}

static double uniform(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

// ---- rotors -------------------------------------------------------------------------------------

static const char *const methods[] = {
    "rtol: 1e-6",
    "rtol: 1e-9",
    "method: radau, formulation: index-3",
    "method: radau, stages: 3",
    "method: bdf",
    "method: implicit-euler, step: 5e-4",
    "method: lobatto, step: 7e-3",
    "method: lobatto, family: IIIA, step: 7e-3",
    "method: generalized-alpha, rtol: 1e-6",
    "method: hht, step: 1e-3",
    "method: midpoint, step: 5e-3",
    "method: energy-momentum, step: 5e-3",
    "method: variational, step: 2e-3",
    "method: galerkin, step: 1e-2",
    "method: dopri5",
    "method: adams",
    "method: radau, formulation: tree",
    "method: bdf, formulation: tree",
};
enum { METHODS = sizeof methods / sizeof methods[0] };

// A rotor that turns evenly about a line through two bearings: none of its own axes, and not through its centre.
typedef struct rotor {
    double mass, speed, length, n[3], c[3], J[3][3];
} rotor;

static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static rotor make_rotor(uint64_t *seed)
{
    rotor r = {.mass = uniform(seed, 0.5, 5.0),
               .speed = uniform(seed, 20.0, 200.0),
               .length = uniform(seed, 0.2, 1.0)};
    double B[3][3], norm = 0.0;
    for (int i = 0; i < 3; i++) {
        r.n[i] = uniform(seed, -1.0, 1.0);
        norm += r.n[i] * r.n[i];
        r.c[i] = uniform(seed, -0.3, 0.3);
        for (int j = 0; j < 3; j++) B[i][j] = uniform(seed, -0.1, 0.1);
    }
    for (int i = 0; i < 3; i++) {
        r.n[i] /= sqrt(norm);
        for (int j = 0; j < 3; j++) { // a body: tr(P) 1 - P with P >= 0
            for (int k = 0; k < 3; k++) r.J[i][j] -= B[i][k] * B[j][k];
        }
    }
    double trace = -(r.J[0][0] + r.J[1][1] + r.J[2][2]);
    for (int i = 0; i < 3; i++) r.J[i][i] += trace;
    return r;
}

static double square(const double *a)
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

// The force of the second bearing over the square of the speed: omega^2 n x (J_a n) = length n x F.
static double bearing_force(const rotor *r)
{
    double Jn[3], M[3], cn = 0.0, cc = 0.0;
    for (int i = 0; i < 3; i++) {
        cn += r->c[i] * r->n[i];
        cc += r->c[i] * r->c[i];
    }
    for (int i = 0; i < 3; i++) {
        Jn[i] = r->mass * (cc * r->n[i] - cn * r->c[i]);
        for (int j = 0; j < 3; j++) Jn[i] += r->J[i][j] * r->n[j];
    }
    cross(r->n, Jn, M);
    return sqrt(square(M)) / r->length;
}

static void write_rotor(const rotor *r, const char *method, double until, char *text, size_t size)
{
    double v[3];
    cross(r->n, r->c, v);
    const double *n = r->n, *c = r->c, w = r->speed, L = r->length;
    snprintf(
        text, size,
        "flexion: 1\nbodies:\n  rotor: {type: rigid, mass: %.17g, position: [%.17g, %.17g, "
        "%.17g], inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], velocity: [%.17g, %.17g, "
        "%.17g], angular_velocity: [%.17g, %.17g, %.17g]}\njoints:\n"
        "  a: {type: spherical, on: [ground, rotor], at: [0, 0, 0]}\n"
        "  b: {type: point-on-line, on: [ground, rotor], at: [%.17g, %.17g, %.17g], axis: "
        "[%.17g, %.17g, %.17g]}\nsimulate: {until: %g, %s}\noutputs:\n"
        "  every: 0.0173\n  signals: [b.reaction, rotor.angular_velocity]\n"
        "  metrics: {high: maximum(norm(b.reaction)/norm(rotor.angular_velocity)^2), "
        "low: minimum(norm(b.reaction)/norm(rotor.angular_velocity)^2)}\n",
        r->mass, c[0], c[1], c[2], r->J[0][0], r->J[1][1], r->J[2][2], r->J[0][1], r->J[1][2],
        r->J[0][2], w * v[0], w * v[1], w * v[2], w * n[0], w * n[1], w * n[2], L * n[0], L * n[1],
        L * n[2], n[0], n[1], n[2], until, method);
}

static int rotor_has_its_force(const rotor *r, const char *method, double until, double tolerance)
{
    char text[1400];
    double value[MEASURES] = {0}, force = bearing_force(r), off = 0.0;
    case_table table = {0};
    write_rotor(r, method, until, text, sizeof text);
    CHECK(measure(text, value));
    CHECK(case_run(text, NULL, &table, NULL, NULL));
    for (int i = 0; i < table.rows; i++) {
        const double *f = table.values + (size_t)i * (size_t)table.columns + 1;
        off = fmax(off, fabs(square(f) / (square(f + 3) * square(f + 3)) - force * force));
    }
    case_table_clear(&table);
    CHECK_REL(value[0], force, tolerance);
    CHECK_REL(value[1], force, tolerance);
    CHECK(off <= 2.0 * tolerance * force * force);
    return 0;
}

static int the_rotor_of_two_bearings(void)
{
    const rotor r = {2.0,       100.0,       0.4,
                     {0, 0, 1}, {0, 0, 0.2}, {{0.05}, {0, 0.05, 0.01}, {0, 0.01, 0.05}}};
    CHECK_REL(bearing_force(&r) * r.speed * r.speed, 250.0, 1e-12);
    for (int i = 0; i < METHODS; i++) {
        printf("    %s\n", methods[i]);
        CHECK(rotor_has_its_force(&r, methods[i], 0.2, 1e-4) == 0);
    }
    return 0;
}

static int random_rotors(void)
{
    int rotors = short_runs() ? 3 : 50;
    uint64_t seed = 20240611;
    for (int k = 0; k < rotors; k++) {
        rotor r = make_rotor(&seed);
        // by the first ones always, by one of the others in turn
        for (int i = 0; i < METHODS; i++) {
            if (i > 1 && i != 4 && i != 2 + k % (METHODS - 2)) continue;
            bool fixed =
                strstr(methods[i], "step:") != NULL; // far too long ones: the speed suffers
            if (rotor_has_its_force(&r, methods[i], fixed ? 0.02 : 0.1, fixed ? 0.05 : 1e-4) == 0)
                continue;
            printf("    rotor %d, %s\n", k, methods[i]);
            return 1;
        }
    }
    printf("    seed 20240611, %d rotors\n", rotors);
    return 0;
}

// ---- algebraic unknowns -------------------------------------------------------------------------

static int equations_of_algebraic_unknowns_hold(void)
{
    static const char model[] =
        "flexion: 1\nequations:\n  second_order: {q: {at: 1, force: -10*q - z}}\n"
        "  first_order: {z: {at: 0.8, mass: 0, derivative: z + 0.3*z^3 - q}, x: {at: 0, "
        "derivative: "
        "z - x}}\n"
        "simulate: {until: 1, %s}\n"
        "outputs: {every: 0.013, signals: [z], metrics: {worst: maximum(abs(z + 0.3*z^3 - q)), "
        "rate: maximum(abs(x' - z + x)), force: maximum(abs(q'' + 10*q + z))}}\n";
    static const char *const ways[] = {
        "method: bdf, rtol: 1e-6",     "method: radau",
        "method: implicit-euler",      "method: generalized-alpha, step: 0.01",
        "method: lobatto, step: 0.02", "method: dopri5"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char text[900];
        double value[MEASURES] = {0};
        snprintf(text, sizeof text, model, ways[i]);
        printf("    %s\n", ways[i]);
        CHECK(measure(text, value));
        CHECK(value[0] <= 1e-12 && value[1] <= 1e-12 && value[2] <= 1e-11);
    }
    return 0;
}

// ---- the ledger ---------------------------------------------------------------------------------

// What a motion supplies is kinetic energy, whatever reactions the method carries: a crank with an eccentric mass, at
// a given uneven speed.
static int work_of_motions_is_exact(void)
{
    static const char model[] =
        "flexion: 1\nbodies:\n  rotor: {type: rigid, mass: 2, position: [0.1, 0, 0], inertia: "
        "[0.05, "
        "0.06, 0.05, 0, 0, 0.01]}\njoints:\n"
        "  a: {type: revolute, on: [ground, rotor], at: [0, 0, -0.2], axis: [0, 0, 1], motion: "
        "{angle: "
        "50*t + 3*sin(2*t)}}\n"
        "simulate: {until: 1, %s}\noutputs: {every: 0.1, signals: [a.drive, rotor.acceleration]}\n";
    // moment of inertia about the axis
    const double J = 0.05 + 2.0 * 0.01, end = 50.0 + 6.0 * cos(2.0), start = 56.0;
    static const struct {
        const char *method;
        double drift, drive;
    } ways[] = {{"method: radau", 1e-7, 1e-6},
                {"method: bdf", 1e-5, 1e-5},
                {"method: energy-momentum, step: 2e-3", 2e-3, 1e-6},
                {"method: lobatto, step: 5e-3", 1e-3, 1e-6}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char text[900];
        case_table table = {0};
        flx_ledger ledger = {0};
        double drive = 0.0, largest = 0.0;
        snprintf(text, sizeof text, model, ways[i].method);
        CHECK(case_run_ledger(text, NULL, &table, &ledger));
        for (int k = 0; k < table.rows; k++) {
            double t = table.values[(size_t)k * (size_t)table.columns];
            CHECK(case_table_value(&table, "a.drive", t, &drive));
            largest = fmax(largest, fabs(drive + J * 12.0 * sin(2.0 * t)));
        }
        printf("    %s: drift %.1e, drive off by %.1e\n", ways[i].method, ledger.energy_drift,
               largest);
        case_table_clear(&table);
        CHECK(ledger.energy_drift <= ways[i].drift);
        CHECK(largest <= ways[i].drive);
        CHECK_NEAR(ledger.supplied, 0.5 * J * (end * end - start * start), 0.02);
    }
    return 0;
}

// ---- what carries nothing --------------------------------------------------------------------------

// A mass slides along a rail that carries nothing, in slanting axes: its reaction is rounding, and so are corrections of it.
static int reactions_that_are_rounding_hold_no_step_up(void)
{
    static const char *const fixed[] = {
        "generalized-alpha, spectral_radius: 0.9", "hht", "newmark",
        "generalized-alpha, spectral_radius: 0.9, formulation: ggl"};
    double m = 1.6, k = 4000, d = 8, load = 80, t = 0.25, decay = d / (2 * m);
    double w = sqrt(k / m - decay * decay), rest = load / k, from = -0.08 - rest;
    double u = rest + exp(-decay * t) * (from * cos(w * t) + (1 + decay * from) / w * sin(w * t));
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        char text[1200];
        double found[MEASURES] = {0.0};
        snprintf(text, sizeof text,
                 "flexion: 1\nparameters: {e: [0.3567, 0.7314, 0.5813]}\n"
                 "signals: {u: norm(mass.position) - 0.5}\n"
                 "bodies: {mass: {type: point, mass: 1.6, position: 0.42*e/norm(e), velocity: "
                 "e/norm(e)}}\n"
                 "joints: {rail: {type: point-on-line, on: [ground, mass], at: mass, axis: e}}\n"
                 "forces:\n  spring: {type: spring, on: [ground, mass], at: [[0, 0, 0], mass], "
                 "stiffness: 4000, damping: 8, length: 0.5}\n"
                 "  load: {type: force, on: mass, value: 80*e/norm(e)}\n"
                 "simulate: {until: 0.25, step: 2e-5, method: %s}\n"
                 "outputs: {every: 0.25, signals: [u], metrics: {u: final(u), most: "
                 "maximum(norm(rail.reaction))}}\n",
                 fixed[i]);
        CHECK(measure(text, found));
        CHECK_NEAR(found[0], u, 1e-7);
        CHECK(found[1] < 1e-3);
    }
    return 0;
}

TEST_MAIN(TEST(the_rotor_of_two_bearings), TEST(reactions_that_are_rounding_hold_no_step_up),
          TEST(random_rotors), TEST(equations_of_algebraic_unknowns_hold),
          TEST(work_of_motions_is_exact))
