// test_exchange.c - particles beside a mechanism: momentum goes over to rounding, the defect of the energy is of first order in the exchange, saved
// runs go on bit by bit, particles come and leave, boxes repeat themselves, threads change nothing.
#include "model_text.h"
#include "simulation_rig.h"

#define GRAVEL                                                                                     \
    "material: {E: 5e6, nu: 0.45}, restitution: 0.5, friction: {coefficient: 0.5, rolling: 0.1}, " \
    "density: 2500"

// A free body, with its centre of mass off its origin, hit by four spheres.
#define SHOT                                                                                       \
    "flexion: 1\n"                                                                                 \
    "bodies: {box: {type: rigid, mass: 0.05, inertia: [2e-5, 3e-5, 4e-5], com: [0.003, 0.002, "    \
    "-0.001], surface: {box: [0.04, 0.05, 0.06]}}}\n"                                              \
    "particles: {shot: {positions: [[-0.05, 0.012, 0.007], [-0.08, -0.015, 0.02], [0, 0.01, 0.2]," \
    " [-0.06, -0.02, -0.02]], radius: 0.005, velocity: [2, 0.1, -0.2], walls: [box], exchange: "   \
    "%s, " GRAVEL "}}\n"                                                                           \
    "simulate: {until: 0.06, method: radau, rtol: 1e-12%s}\n"                                      \
    "outputs: {every: 0.006, signals: [shot.momentum, shot.angular_momentum, momentum, "           \
    "shot.defect]}\n"

static int shoot(const char *exchange, const char *more, double *defect)
{
    char text[2000];
    rig r;
    snprintf(text, sizeof text, SHOT, exchange, more);
    CHECK_OK(rig_make(&r, text));
    bool lags = strtod(exchange, NULL) > 1.96e-4; // 0.1 sqrt(m/k) of a contact at 2 m/s
    CHECK(flx_ctx_warning_count(r.ctx) == lags);
    if (lags) CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "at most 0.0002 s, a tenth of sqrt(m/k)");
    CHECK_OK(rig_run(&r));
    int p = column("shot.momentum.x"), l = column("shot.angular_momentum.x");
    int bp = column("momentum.linear.x"), bl = column("momentum.angular.x");
    double largest = 0.0;
    for (int i = 1; i < rows.rows; i++) {
        for (int c = 0; c < 3; c++) {
            double P = rows.value[i][p + c] + rows.value[i][bp + c];
            double L = rows.value[i][l + c] + rows.value[i][bl + c];
            double P0 = rows.value[0][p + c] + rows.value[0][bp + c];
            double L0 = rows.value[0][l + c] + rows.value[0][bl + c];
            CHECK_NEAR(P, P0, 1e-14);
            CHECK_NEAR(L, L0, 5e-16); // of 5e-4
        }
        largest = fmax(largest, fabs(rows.value[i][bp]));
    }
    CHECK(largest > 4e-3); // of 1e-2 that there is
    *defect = rows.value[rows.rows - 1][column("shot.defect")];
    const flx_ledger *ledger = flx_simulation_ledger(r.sim);
    CHECK(ledger->particles == 4 && ledger->particle_steps > 0);
    CHECK(ledger->particle_defect == *defect);
    // what the walls did is what the particles have, less what contacts took
    double found = ledger->particle_energy_start + ledger->particle_supplied -
                   ledger->particle_dissipated - ledger->particle_energy_end;
    CHECK_NEAR(found, 0.0, 1e-15);
    CHECK(ledger->particle_dissipated > 0.0);
    rig_free(&r);
    return 0;
}

static int momentum_goes_over_and_the_defect_is_of_first_order(void)
{
    double d[4];
    CHECK(shoot("4e-4", "", d) == 0 && shoot("2e-4", "", d + 1) == 0);
    CHECK(shoot("1e-4", "", d + 2) == 0 && shoot("1e-4", ", formulation: tree", d + 3) == 0);
    CHECK_NEAR(d[0] / d[1], 2.0, 0.2);
    CHECK_NEAR(d[1] / d[2], 2.0, 0.1);
    CHECK_NEAR(d[3], d[2], 1e-9);
    return 0;
}

// A closed chain of three floating bodies with a spring, struck by spheres from all sides: it has what they lose.
#define CHAIN                                                                                      \
    "flexion: 1\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 0.3, inertia: [1e-3, 1.2e-3, 8e-4], com: [0.02, 0.01, 0], "          \
    "angular_velocity: [0, 1, 0.5], surface: {box: [0.1, 0.04, 0.02]}}\n"                          \
    "  b: {type: rigid, mass: 0.2, inertia: [6e-4, 1e-3, 8e-4], position: [0.1, 0, 0.02], "        \
    "velocity: [0.1, 0, 0], surface: [{box: [0.08, 0.04, 0.02]}, {sphere: 0.02, at: [0, 0, "       \
    "0.03]}]}\n"                                                                                   \
    "  c: {type: rigid, mass: 0.25, inertia: [6e-4, 1e-3, 8e-4], position: [0.05, 0, 0.12], "      \
    "surface: {cylinder: {radius: 0.02, length: 0.09, axis: [1, 0, 0]}}}\n"                        \
    "joints:\n"                                                                                    \
    "  j1: {type: revolute, on: [a, b], at: [0.05, 0, 0.01], axis: [0, 1, 0]}\n"                   \
    "  j2: {type: spherical, on: [b, c], at: [0.1, 0, 0.1]}\n"                                     \
    "  j3: {type: distance, on: [a, c], at: [[0, 0, 0.01], [0, 0, 0.12]]}\n"                       \
    "forces: {s: {type: spring, on: j1, stiffness: 0.4, damping: 0.01}}\n"                         \
    "particles: {g: {positions: [[-0.1, 0.01, 0.01], [0.02, -0.1, 0.01], [0.12, 0.02, 0.15], "     \
    "[0.2, 0, 0.03], [0.05, 0.1, 0.12], [0, 0, -0.1], [0.03, 0.01, 0.3]], radius: 0.01, "          \
    "velocity: [[2, 0, 0], [0, 2, 0.1], [-1, 0, -1.5], [-2, 0.1, 0], [0, -2, 0], [0, 0, 2], "      \
    "[0, 0, -2]], angular_velocity: [10, 20, -30], walls: [a, b, c], exchange: 1e-4, " GRAVEL      \
    "}}\n"                                                                                         \
    "simulate: {until: 0.1, method: %s, rtol: 1e-10, atol: 1e-12}\n"                               \
    "outputs: {every: 0.01, signals: [momentum, g.momentum, g.angular_momentum]}\n"

static int chains_take_what_particles_lose(void)
{
    static const char *const methods[] = {"radau", "radau, formulation: tree", "dopri5"};
    for (int k = 0; k < 3; k++) {
        char text[3000];
        rig r;
        snprintf(text, sizeof text, CHAIN, methods[k]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        int p = column("g.momentum.x"), l = column("g.angular_momentum.x");
        int bp = column("momentum.linear.x"), bl = column("momentum.angular.x");
        const double *first = rows.value[0], *last = rows.value[rows.rows - 1];
        CHECK(fabs(last[bp] - first[bp]) > 1e-2);
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(last[p + c] + last[bp + c], first[p + c] + first[bp + c], 1e-12);
            CHECK_NEAR(last[l + c] + last[bl + c], first[l + c] + first[bl + c], 1e-12);
        }
        flx_ctx_clear_messages(r.ctx);
        rig_free(&r);
    }
    return 0;
}

// A sphere at rest on a body that is held: its weight, and the moment of it about the centre of mass.
static int walls_tell_force_and_torque(void)
{
    static const char text[] =
        "flexion: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {plate: {type: rigid, mass: 1, inertia: [1, 1, 1], com: [0.1, -0.2, 0.05]}, free: "
        "{type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {weld: {type: fixed, on: [ground, plate], at: plate}}\n"
        "particles: {g: {positions: [[0.13, -0.16, 0.005]], radius: 0.005, walls: [{on: plate, "
        "surface: {plane: [0, 0, 1]}}], " GRAVEL "}}\n"
        "simulate: {until: 0.1, method: radau}\n"
        "outputs: {every: 0.1, signals: [g.mass, g.on_plate.value, g.torque_on_plate.value]}\n";
    rig r;
    CHECK_OK(rig_make(&r, text));
    CHECK(flx_ctx_warning_count(r.ctx) == 0); // the plate is held
    CHECK_OK(rig_run(&r));
    const double *x = rows.value[rows.rows - 1];
    double weight = 9.81 * x[column("g.mass")];
    const double force[3] = {0, 0, -weight}, torque[3] = {-0.04 * weight, 0.03 * weight, 0};
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(x[column("g.on_plate.value.x") + c], force[c], 1e-6 * weight);
        CHECK_NEAR(x[column("g.torque_on_plate.value.x") + c], torque[c], 1e-7 * weight);
    }
    rig_free(&r);
    return 0;
}

// A rotating drum with a blade; particles come in, and leave where the drum has no end.
#define DRUM                                                                                       \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {drum: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01]}, blade: {repeat: {i: [1, " \
    "2]}, type: rigid, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0, 0.01, "               \
    "0.08*(2*i-3)], surface: {box: [0.01, 0.08, 0.03], round: 1e-3}}}\n"                           \
    "joints: {axle: {type: revolute, on: [ground, drum], at: drum, axis: [0, 1, 0]}, "             \
    "weld: {repeat: {i: [1, 2]}, type: fixed, on: [drum, blade(i)], at: blade(i)}}\n"              \
    "forces: {motor: {type: torque, on: axle, value: 0.5 - 0.1*axle.rate}}\n"                      \
    "particles: {gravel: {classes: [{fraction: 3, radius: 5e-3}, {fraction: 1, radius: [6e-3, "    \
    "8e-3]}], fill: {cylinder: {radius: 0.05, length: 0.08, axis: [0, 1, 0]}, seed: 3}, walls: "   \
    "[{on: drum, surface: {cylinder: {radius: 0.1, length: 0.1, axis: [0, 1, 0]}}, inside: "       \
    "true}, blade], inlets: [{box: [0.02, 0.02, 0.02], at: [0.01, 0, 0.03], rate: 2, velocity: "   \
    "[0, 0, -1], until: 0.05}], outlets: [{sphere: 0.03, at: [0, -0.01, -0.08], start: 0.06}], "   \
    "exchange: 1e-3, threads: %d, " GRAVEL "}}\n"                                                  \
    "simulate: {until: 0.12, method: radau}\n"                                                     \
    "outputs: {every: 0.01, signals: [axle.angle, gravel.count, gravel.energy, "                   \
    "gravel.com.position, gravel.gone, gravel.mass, gravel.on_blade_1.value]}\n"

static flx_run *drum(flx_ctx *ctx, int threads, flx_model **m, flx_system **s)
{
    char text[3000];
    flx_run *r = NULL;
    snprintf(text, sizeof text, DRUM, threads);
    if (flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, m) != FLX_OK) return NULL;
    if (flx_system_compile(*m, NULL, ctx, s) != FLX_OK) return NULL;
    return flx_run_create(*s, NULL, ctx, &r) == FLX_OK ? r : NULL;
}

static int saved_runs_go_on_bit_by_bit(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m[2] = {NULL};
    flx_system *s[2] = {NULL};
    flx_run *r[4] = {drum(ctx, 1, m, s), NULL, NULL, drum(ctx, 2, m + 1, s + 1)};
    CHECK(r[0] && r[3]);
    int n, gone = flx_system_output(s[0], "gravel.gone", ctx);
    int count = flx_system_output(s[0], "gravel.count", ctx);
    double before = flx_run_get(r[0], count);
    CHECK(before > 20); // the first strike is met at the start
    CHECK(flx_run_advance(r[0], 0.0505) == FLX_OK && flx_run_advance(r[3], 0.0505) == FLX_OK);
    size_t size = flx_run_save(r[0], NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(bytes && flx_run_save(r[0], bytes, size) == size);
    CHECK(flx_run_create(s[0], NULL, ctx, &r[1]) == FLX_OK);
    CHECK(flx_run_restore(r[1], bytes, size) == FLX_OK);
    CHECK(flx_run_clone(r[0], ctx, &r[2]) == FLX_OK);
    CHECK(flx_run_get(r[0], count) > before + 5); // some have come
    for (int k = 0; k < 4; k++) CHECK(flx_run_finish(r[k]) == FLX_OK);
    double out[16];
    const double *y = flx_run_outputs(r[0], &n);
    CHECK(y && n <= 16);
    memcpy(out, y, (size_t)n * sizeof *y);
    CHECK(out[gone] > 0.0); // and some have left
    for (int k = 1; k < 4; k++) {
        y = flx_run_outputs(r[k], &n);
        CHECK(y && memcmp(y, out, (size_t)n * sizeof *y) == 0);
    }
    CHECK(flx_run_reset(r[1]) == FLX_OK && flx_run_get(r[1], count) == before);
    // a state of the owner's begins anew: particles do not go on twice
    CHECK(flx_run_reset(r[2]) == FLX_OK);
    CHECK(flx_run_set_state(r[1], NULL, NULL, NULL, NULL) == FLX_OK);
    for (int k = 1; k < 3; k++) CHECK(flx_run_advance(r[k], 0.0105) == FLX_OK);
    int z = flx_system_output(s[0], "gravel.com.position.z", ctx);
    CHECK_NEAR(flx_run_get(r[1], z), flx_run_get(r[2], z), 1e-9);
    free(bytes);
    for (int k = 0; k < 4; k++) flx_run_destroy(&r[k]);
    for (int k = 0; k < 2; k++) {
        flx_system_destroy(&s[k]);
        flx_model_destroy(&m[k]);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// What leaves at one end comes in at the other, and hits what is there.
static int boxes_repeat_themselves(void)
{
    rig r;
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "particles: {p: {positions: [[0.055, 0.03, 0.01], [0.085, 0.0301, 0.01], "
                          "[0.015, 0.03, 0.012]], radius: 0.005, velocity: [1, 0, 0], periodic: "
                          "{x: [0.01, 0.09]}, exchange: 1e-3, " GRAVEL "}}\n"
                          "simulate: {until: 0.2}\n"
                          "outputs: {every: 0.01, signals: [p.com.position, p.momentum, "
                          "p.angular_momentum.x, p.contacts, p.kinetic]}\n"));
    CHECK_OK(rig_run(&r));
    int x = column("p.com.position.x"), k = column("p.kinetic");
    for (int i = 0; i < rows.rows; i++) CHECK(rows.value[i][x] > 0.01 && rows.value[i][x] < 0.09);
    CHECK_NEAR(rows.value[rows.rows - 1][k], rows.value[0][k], 1e-12); // all as fast: nobody meets
    rig_free(&r);
    CHECK_OK(rig_make(&r,
                      "flexion: 1\n"
                      "particles: {p: {positions: [[0.0895, 0.03, 0.01], [0.0185, 0.031, 0.01]]"
                      ", radius: 0.005, periodic: {x: [0.01, 0.09]}, exchange: 1e-3, " GRAVEL "}}\n"
                      "simulate: {until: 0.02}\n"
                      "outputs: {every: 0.002, signals: [p.momentum, p.contacts, p.speed]}\n"));
    CHECK_OK(rig_run(&r));
    CHECK(rows.value[1][column("p.contacts")] ==
          0.0); // they overlapped by 1 mm across the border, and are off
    CHECK(rows.value[1][column("p.speed")] > 0.05);
    for (int c = 0; c < 3; c++) CHECK_NEAR(rows.value[1][column("p.momentum.x") + c], 0.0, 1e-17);
    rig_free(&r);
    // what falls through the box again and again has the energy that it had
    CHECK_OK(rig_make(&r,
                      "flexion: 1\n"
                      "gravity: [3, 0, -9]\n"
                      "particles: {p: {positions: [[0.05, 0.03, 0.01]], radius: 0.005, periodic: "
                      "{x: [0.01, 0.09], z: [0, 0.1]}, exchange: 1e-3, " GRAVEL "}}\n"
                      "simulate: {until: 0.5}\n"
                      "outputs: {every: 0.05, signals: [p.energy, p.kinetic, p.dissipated]}\n"));
    CHECK_OK(rig_run(&r));
    const double *end = rows.value[rows.rows - 1];
    CHECK(end[1] > 100 * fabs(rows.value[0][0]));
    CHECK_NEAR(end[0], rows.value[0][0], 1e-12 * end[1]);
    CHECK_NEAR(end[2], 0.0, 1e-12 * end[1]);
    rig_free(&r);
    return 0;
}

// Walls repeat themselves with the box: a paddle, turned and pushed through its border, meets what is on the other side; where the box begins, and by
// how many boxes a wall is moved, changes nothing.
static int stir(double from, int boxes, bool turns, double out[8])
{
    rig r;
    char text[2400];
    snprintf(text, sizeof text,
             "flexion: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "bodies: {paddle: {type: rigid, mass: 0.02, inertia: [2e-6, 2e-6, 2e-6], position: "
             "[%.17g, 0.03, 0.011], velocity: [%g, 0, 0], orientation: {axis: [0, 0, 1], angle: "
             "0.4}, surface: [{box: [0.01, 0.06, 0.02]}, {sphere: 0.004, at: [0.012, 0, 0]}]}}\n"
             "joints: {hold: {type: %s, on: [ground, paddle], at: paddle, axis: [0, 0, 1]}}\n"
             "particles: {p: {fill: {box: [0.036, 0.06, 0.03], at: [0.078, 0.03, 0.021], seed: 3}, "
             "count: 20, radius: 0.004, velocity: [-0.5, 0.05, 0], periodic: {x: [%g, %g]}, "
             "walls: [paddle, {on: ground, surface: [{plane: [0, 0, 1]}, {box: [0.3, 0.01, 0.1], "
             "at: [0.9, 0.07, 0]}]}], exchange: 1e-3, " GRAVEL "}}\n"
             "simulate: {until: 0.1, method: generalized-alpha, step: 1e-3}\n"
             "outputs: {every: 0.1, signals: [p.momentum, paddle.velocity, p.on_paddle.value, "
             "paddle.angular_velocity, p.torque_on_paddle.value]}\n",
             0.04 + 0.08 * boxes, turns ? 0.0 : 0.3, turns ? "revolute" : "planar", from,
             from + 0.08);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    const int at[] = {column("p.momentum.x"),
                      column("p.momentum.y"),
                      column("p.momentum.z"),
                      column("paddle.velocity.x"),
                      column("paddle.velocity.y"),
                      column("p.on_paddle.value.x"),
                      column("paddle.angular_velocity.z"),
                      column("p.torque_on_paddle.value.z")};
    for (int i = 0; i < 8; i++) out[i] = rows.value[rows.rows - 1][at[i]];
    flx_ctx_clear_messages(r.ctx);
    rig_free(&r);
    return 0;
}

static int walls_repeat_themselves(void)
{
    const double from[] = {0.0, 0.0, 0.037, 0.06, -0.041};
    const int boxes[] = {0, 1, 0, -3, 2};
    for (int turns = 0; turns < 2; turns++) {
        double first[8], out[8];
        CHECK(stir(from[0], boxes[0], turns, first) == 0);
        CHECK(turns ? fabs(first[6]) > 0.1 : fabs(first[3] - 0.3) > 0.1); // it was struck
        for (int k = 1; k < 5; k++) {
            CHECK(stir(from[k], boxes[k], turns, out) == 0);
            for (int i = 0; i < 8; i++) CHECK_NEAR(out[i], first[i], 1e-7);
        }
    }
    return 0;
}

// An inlet beside walls puts nothing into them; what it could not give is told, and so are particles that are too soft.
static int what_goes_wrong_is_told(void)
{
    rig r;
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "gravity: [0, 0, -9.81]\n"
                          "particles: {g: {radius: 5e-3, inlets: [{box: [0.04, 0.04, 0.04], at: "
                          "[0.02, 0, 0.02], rate: 1, seed: 5}], walls: [{on: ground, inside: true, "
                          "surface: {box: [0.06, 0.06, 0.06], at: [0, 0, 0.03]}}], " GRAVEL "}}\n"
                          "simulate: {until: 0.4}\n"
                          "outputs: {every: 0.01, signals: [g.mass, g.energy]}\n"));
    CHECK_OK(rig_run(&r));
    CHECK(flx_ctx_warning_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "kg that its rate asks for until t = 0.39");
    const double *end = rows.value[rows.rows - 1];
    // what came into a wall would be thrown out of it: springs hold 1 J at an overlap of a radius
    CHECK(end[0] > 0.03 && end[0] < 0.2 && end[1] < 9.81 * 0.06 * end[0]);
    CHECK(flx_simulation_ledger(r.sim)->particle_overlap < 0.05);
    rig_free(&r);
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "gravity: [0, 0, -9.81]\n"
                          "particles: {g: {positions: [[0, 0, 0.1], [0.004, 0.001, 0.115]], "
                          "radius: 5e-3, density: 2500, material: {E: 2e3, nu: 0.3}, restitution: "
                          "0.5, walls: [{on: ground, surface: {plane: [0, 0, 1]}}]}}\n"
                          "simulate: {until: 0.4}\n"
                          "outputs: {every: 0.01, signals: [g.mass]}\n"));
    CHECK_OK(rig_run(&r));
    CHECK(flx_ctx_warning_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "of a radius: they are too soft");
    CHECK(flx_simulation_ledger(r.sim)->particle_overlap > 0.3);
    rig_free(&r);
    // a wall is light where the particles can move it, and not where its motion is given; an exchange behind the end shows nothing
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0, -9.81]\n"
            "bodies: {lid: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], "
            "surface: {box: [0.1, 0.1, 0.01]}}}\n"
            "joints: {rail: {type: prismatic, on: [ground, lid], at: lid, axis: [0, 0, 1]%s}}\n"
            "particles: {g: {positions: [[0, 0, 0.1]], radius: 5e-3, exchange: 0.5, walls: "
            "[lid], " GRAVEL "}}\n"
            "simulate: {until: 0.4}\n"
            "outputs: {every: 0.1, signals: [g.mass]}\n",
            k ? ", motion: {displacement: 0.1*t}" : "");
        CHECK_OK(rig_make(&r, text));
        CHECK(flx_ctx_warning_count(r.ctx) == 2 - k);
        CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "nothing of 'g' is seen to move");
        if (k == 0) CHECK_TEXT(flx_ctx_warning(r.ctx, 1)->text, "wall 'lid' of 1 kg is light");
        flx_ctx_clear_messages(r.ctx);
        rig_free(&r);
    }
    return 0;
}

// Places go to the file, and come back.
// Radii, velocities and spins one by one: an oblique impact of two unequal spheres, by another program (forward Euler, steps of 4e-8 and 2e-8 s,
// extrapolated).
static int spheres_are_given_one_by_one(void)
{
    rig r;
    CHECK_OK(rig_make(
        &r, "flexion: 1\n"
            "particles: {g: {positions: [[0, 0, 0], [0.012276223726800439, 0.0036920973614437413, "
            "0.005630448476201705]], radii: [0.01, 0.004], velocity: [[0.8, 0.1, 0], [-0.5, 0.2, "
            "0.3]], angular_velocity: [[50, -80, 20], [-300, 100, 250]], density: 2500, material: "
            "{E: 5e7, nu: 0.3}, restitution: 0.6, friction: {coefficient: 0.4, rolling: 0.05}, "
            "step: 4e-8, exchange: 4e-6}}\n"
            "simulate: {until: 8e-4}\n"
            "outputs: {every: 8e-4, signals: [g.kinetic, g.contacts, g.momentum, "
            "g.angular_momentum]}\n"));
    CHECK_OK(rig_run(&r));
    const double *first = rows.value[0], *last = rows.value[rows.rows - 1];
    CHECK_NEAR(first[0], 5.827026053878349e-3, 1e-12);
    CHECK(last[1] == 0);
    CHECK_NEAR(last[0], 5.48883318e-3, 5e-9);
    for (int c = 2; c < 8; c++) CHECK_NEAR(last[c], first[c], 1e-14);
    rig_free(&r);
    return 0;
}

// Behind a plane in any direction particles leave.
static int outlets_are_where_they_are_said(void)
{
    rig r;
    CHECK_OK(rig_make(
        &r, "flexion: 1\n"
            "particles: {p: {positions: [[0, 0, 0], [0, 0.5, 0], [0.1, 0, 0.5]], "
            "radius: 0.02, velocity: [1, 0, 0.1], outlets: [{plane: [-2, 0, 0.2], "
            "at: [0.3, 0, 0.03]}], exchange: 0.01, " GRAVEL "}}\n"
            "simulate: {until: 0.4}\n"
            "outputs: {times: [0.2, 0.28, 0.35], signals: [p.count, p.com.position.z]}\n"));
    CHECK_OK(rig_run(&r));
    // -2 (x - 0.3) + 0.2 (z - 0.03) < 0: the third from 0.25 s on, the others from 0.3 s on
    CHECK(rows.value[0][0] == 3 && rows.value[1][0] == 2 && rows.value[2][0] == 0);
    CHECK_NEAR(rows.value[0][1], 0.5 / 3 + 0.02, 1e-6);
    rig_free(&r);
    return 0;
}

static int places_are_kept(void)
{
    rig r;
    flx_sink *sink = NULL;
    flx_result *back = NULL;
    flx_particle_frame f;
    double t;
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "gravity: [0, 0, -10]\n"
                          "particles: {p: {positions: [[0, 0, 1], [0.1, 0, 1]], radius: 0.02, "
                          "inlets: [{sphere: 0.05, at: [0, 0, 3], rate: 1, start: 0.15, until: "
                          "0.19}], exchange: 0.01, " GRAVEL "}}\n"
                          "simulate: {until: 0.2}\n"
                          "outputs: {every: 0.05, signals: [p.count], particles: {every: 0.1}}\n"));
    CHECK_OK(flx_hdf5_sink_create(r.ctx, "test_exchange.h5", &sink));
    CHECK_OK(flx_simulation_run(r.sim, 1, &sink, NULL, NULL));
    flx_sink_destroy(&sink);
    CHECK_OK(flx_result_open(r.ctx, "test_exchange.h5", &back));
    CHECK(flx_result_frames(back) == 3);
    CHECK_OK(flx_result_particles(back, 1, &t, &f));
    CHECK_NEAR(t, 0.1, 1e-12);
    CHECK(f.count == 2 && f.labels[1] == 1);
    CHECK_NEAR((double)f.positions[5], 1.0 - 0.5 * 10 * 0.01, 1e-6);
    CHECK_NEAR((double)f.speeds[0], 1.0, 1e-6);
    CHECK_NEAR((double)f.radii[0], 0.02, 1e-8);
    CHECK_OK(flx_result_particles(back, 2, &t, &f));
    CHECK(f.count == 3); // one weighs 84 g, and 40 g were asked for
    CHECK(flx_result_particles(back, 3, &t, &f) == FLX_ERR_ARGUMENT);
    flx_result_close(&back);
    remove("test_exchange.h5");
    flx_ctx_clear_messages(r.ctx);
    rig_free(&r);
    return 0;
}

TEST_MAIN(TEST(momentum_goes_over_and_the_defect_is_of_first_order),
          TEST(chains_take_what_particles_lose), TEST(walls_tell_force_and_torque),
          TEST(saved_runs_go_on_bit_by_bit), TEST(boxes_repeat_themselves),
          TEST(walls_repeat_themselves), TEST(what_goes_wrong_is_told),
          TEST(spheres_are_given_one_by_one), TEST(places_are_kept),
          TEST(outlets_are_where_they_are_said))
