// test_tyres.c - tyres where nothing rolls as usual: wheels that stop, stand on slopes, roll backwards, lean, two on one axle, roads that rise.
#include "simulation_rig.h"

#define AXLE                                                                                       \
    "flexion: 1\n"                                                                                 \
    "gravity: [9.81*sin(%g)*cos(%g), 9.81*sin(%g)*sin(%g), -9.81*cos(%g)]\n"                       \
    "bodies: {axle: {type: rigid, mass: 300, inertia: [100, 10, 100], position: [0, 0, 0.29]}}\n"  \
    "joints: {up: {type: parallel-axes, on: [ground, axle], at: axle, axis: [0, 0, 1]}}\n"         \
    "forces: {tyre: {repeat: {i: [1, 2]}, type: tyre, on: [ground, axle], at: [0, 0.7*(2*i-3), "   \
    "0.29], radius: 0.3, stiffness: 2e5, damping: 2000, relaxation: 0.3, %s}}\n"                   \
    "simulate: {until: %g, method: radau}\n"                                                       \
    "outputs: {every: 0.5, signals: [axle.position, axle.velocity, tyre.longitudinal, "            \
    "tyre.lateral, tyre.value]}\n"

static const char *const laws[] = {
    ("law: magic, longitudinal: {B: 12, C: 1.65, D: 1, E: 0.6}, "
     "lateral: {B: 10, C: 1.3, D: 1, E: -0.5}"),
    "law: fiala, slip_stiffness: 3e4, cornering_stiffness: 2.5e4, friction: 1",
    "law: linear, slip_stiffness: 3e4, cornering_stiffness: 2.5e4, friction: 1"};

// A locked axle on a slope, which falls in any direction: it holds, and does not creep; steeper than friction allows it slides.
static int locked_wheels_hold_on_slopes(void)
{
    const double degree = 3.14159265358979 / 180;
    for (int k = 0; k < 12; k++) {
        const double slope = (k < 9 ? 38 : 50) * degree, way = (k % 3) * 0.7 + 1e-3;
        char text[2000];
        rig r;
        snprintf(text, sizeof text, AXLE, slope, way, slope, way, slope,
                 laws[k < 9 ? k / 3 : k - 9], k < 9 ? 12.0 : 2.0);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        const double *end = rows.value[rows.rows - 1], *before = rows.value[rows.rows / 2];
        int x = column("axle.position.x"), f = column("tyre(1).longitudinal");
        double weight = 300 * 9.81, down = weight * sin(slope);
        if (k >= 9) {
            CHECK(hypot(end[x + 3], end[x + 4]) > 0.3 &&
                  hypot(end[x], end[x + 1]) > 0.2); // (tan 50 - 1) g t and less
        } else {
            for (int c = 0; c < 3; c++) CHECK_NEAR(end[x + c], before[x + c], 2e-5);
            CHECK(hypot(end[x + 3], end[x + 4]) < 1e-5);
            CHECK_NEAR(end[f] + end[f + 1], -down * cos(way), 1e-3 * weight);
            CHECK_NEAR(end[f + 2] + end[f + 3], -down * sin(way), 1e-3 * weight);
            CHECK_NEAR(end[f + 4] + end[f + 5], weight * cos(slope), 1e-6 * weight);
        }
        rig_free(&r);
    }
    return 0;
}

// A wheel that locks stops, and is not thrown back by slips that it has from sliding.
static int wheels_that_lock_come_to_rest(void)
{
    static const char *const brakes[] = {
        "law: magic, longitudinal: {B: 12, C: 1.65, D: 1.05, E: 0.6}",
        "law: fiala, slip_stiffness: 6e4, friction: 1",
        "law: linear, slip_stiffness: 6e4, friction: 1"};
    for (int k = 0; k < 6; k++) {
        char text[2000];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "parameters: {v0: %s5}\n"
                 "bodies: {car: {type: rigid, mass: 300, inertia: 1, position: [0, 0.2852], "
                 "velocity: [v0, 0], angular_velocity: -v0/0.2852}}\n"
                 "forces: {tyre: {type: tyre, on: [ground, car], radius: 0.3, stiffness: 2e5, "
                 "damping: 2000, relaxation: 0.3, %s}, brake: {type: torque, on: car, value: "
                 "-3000*car.angular_velocity/sqrt(car.angular_velocity^2 + 0.01)}}\n"
                 "simulate: {until: 4, method: radau}\n"
                 "outputs: {every: 0.01, signals: [car.position.x, car.velocity.x]}\n",
                 k % 2 ? "-" : "", brakes[k / 2]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        double sign = k % 2 ? -1 : 1, far = 0, back = 0;
        for (int i = 0; i < rows.rows; i++) {
            far = fmax(far, sign * rows.value[i][0]);
            back = fmin(back, sign * rows.value[i][1]);
        }
        const double *end = rows.value[rows.rows - 1];
        // 25/(2 f g) of the distance is what sliding takes
        CHECK(far > 1.2 && far < 1.7 && back > -0.8);
        CHECK(far - sign * end[0] < 0.08 && fabs(end[1]) < 1e-4);
        rig_free(&r);
    }
    return 0;
}

#define WHEEL                                                                                      \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {v: %g, steer: %g, lean: %g, z0: 0.2926, slope: %g}\n"                            \
    "functions: {hill: {of: [x], value: slope*x}}\n"                                               \
    "bodies: {cart: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, z0], velocity: "   \
    "[v, 0, v*slope]}, carrier: {like: cart, mass: 290}, wheel: {like: cart, mass: 10, "           \
    "angular_velocity: [-v/z0*sin(steer), v/z0*cos(steer), 0]}}\n"                                 \
    "joints: {rail: {type: prismatic, on: [ground, cart], at: cart, axis: [1, 0, slope], motion: " \
    "{displacement: v*t*sqrt(1 + slope^2)}}, guide: {type: prismatic, on: [cart, carrier], at: "   \
    "carrier, axis: [0, 0, 1]}, hub: {type: revolute, on: [carrier, wheel], at: wheel, axis: "     \
    "[-sin(steer)*cos(lean), cos(steer)*cos(lean), sin(lean)]}}\n"                                 \
    "forces: {tyre: {type: tyre, on: [ground, wheel], axis: [-sin(steer)*cos(lean), "              \
    "cos(steer)*cos(lean), sin(lean)], radius: 0.3, stiffness: 4e5, damping: 2000, law: fiala, "   \
    "slip_stiffness: 6e4, cornering_stiffness: 6e4, friction: 1, relaxation: 0.2, trail: 0.03, "   \
    "road: {profile: hill}}}\n"                                                                    \
    "simulate: {until: 8, method: radau, rtol: 1e-8, atol: 1e-10}\n"                               \
    "outputs: {every: 1, signals: [tyre.value, tyre.deflection, tyre.side_slip, tyre.lateral, "    \
    "tyre.aligning, hub.rate]}\n"

static int roll(double v, double steer, double lean, double slope, double out[6])
{
    char text[2500];
    rig r;
    snprintf(text, sizeof text, WHEEL, v, steer, lean, slope);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    memcpy(out, rows.value[rows.rows - 1], 6 * sizeof *out);
    rig_free(&r);
    return 0;
}

// Fiala's closed form, and what a turn by 180 deg about the vertical makes of it: a wheel that rolls backwards.
static int wheels_roll_backwards_and_lean(void)
{
    const double steer = 0.05, weight = 300 * 9.81, C = 6e4;
    double a[6], b[6];
    CHECK(roll(10, steer, 0, 0, a) == 0 && roll(-10, steer, 0, 0, b) == 0);
    double u = C * tan(steer) / (3 * weight), F = C * tan(steer) * (1 - u + u * u / 3);
    CHECK_NEAR(a[0], weight, 1e-3);
    CHECK_NEAR(a[1], weight / 4e5, 1e-9);
    CHECK_NEAR(a[2], -tan(steer), 1e-7);
    CHECK_NEAR(a[3], F, 1e-2);
    CHECK_NEAR(a[4], -0.03 * (1 - F * F / weight / weight) * F, 1e-3);
    CHECK_NEAR(a[5], 10 * cos(steer) / (0.3 - weight / 4e5), 1e-4);
    CHECK_NEAR(b[3], -a[3], 1e-6 * F);
    CHECK_NEAR(b[4], a[4], 1e-6 * F); // it turns the wheel into its course, as forwards
    // leaning by l: F_n = k (R - z/cos l), and no side force at a slip of nothing
    CHECK(roll(10, 0, 0.2, 0, a) == 0);
    CHECK_NEAR(a[0], weight, 1e-3);
    CHECK_NEAR(a[3], 0, 1e-6);
    return 0;
}

// A hoop that rolls and leans, on a tyre that hardly gives way, moves like one that rolls without slip: its side slip is that of the place where
// it touches, not of its centre.
static int stiff_tyres_roll_like_hoops(void)
{
    static const char *const ways[] = {"joints: {roll: {type: rolling, on: [ground, hoop], at: "
                                       "[[0, 0, 0], hoop], normal: [0, 0, 1], "
                                       "axis: [0, cos(tilt), -sin(tilt)], radius: r}}\n",
                                       "forces: {tyre: {type: tyre, on: [ground, hoop], axis: [0, "
                                       "cos(tilt), -sin(tilt)], radius: r "
                                       "+ m*9.81/1e8, rolling_radius: r, stiffness: 1e8, damping: "
                                       "3e4, law: linear, slip_stiffness: "
                                       "1e5, cornering_stiffness: 1e5, relaxation: 0.01}}\n"};
    double end[2][6];
    for (int k = 0; k < 2; k++) {
        char text[2000];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {r: 0.3, m: 10, tilt: 5*deg, w: 10}\n"
                 "bodies: {hoop: {type: rigid, mass: m, inertia: [m*r^2/2, m*r^2, m*r^2/2], "
                 "position: [0, r*sin(tilt), r*cos(tilt)], orientation: {axis: [1, 0, 0], angle: "
                 "-tilt}, angular_velocity: \"w*[0, cos(tilt), -sin(tilt)]\", velocity: [w*r, 0, "
                 "0]}}\n%s"
                 "simulate: {until: 1, method: radau, rtol: 1e-7}\n"
                 "outputs: {every: 1, signals: [hoop.position, hoop.ey]}\n",
                 ways[k]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        memcpy(end[k], rows.value[rows.rows - 1], sizeof end[k]);
        rig_free(&r);
    }
    CHECK(fabs(end[0][1]) > 0.1); // it turns
    for (int c = 0; c < 6; c++) CHECK_NEAR(end[1][c], end[0][c], 3e-4);
    return 0;
}

// Up a profile that rises evenly the vertical part of the load is the weight; the rail carries the other one.
static int profiles_have_normals(void)
{
    const double slope = 0.2, weight = 300 * 9.81;
    double a[6];
    CHECK(roll(8, 0, 0, slope, a) == 0);
    CHECK_NEAR(a[0] / sqrt(1 + slope * slope), weight, 1e-3);
    CHECK_NEAR(a[5] * (0.3 - a[1]), 8 * sqrt(1 + slope * slope), 1e-4);
    return 0;
}

// On a hill or in a valley of radius r the deflection and the direction of the load are those of the nearest point, wherever the wheel is.
static int the_nearest_point_of_a_bent_road_is_found(void)
{
    const double R = 0.3, d = 0.01, bends[] = {0.5, 0.8, 3, -0.5, -2};
    for (int k = 0; k < 20; k++) {
        const double radius = fabs(bends[k % 5]), up = bends[k % 5] > 0 ? 1 : -1,
                     th = (k < 10 ? 0.2 : -0.5), way = k / 5 % 2 ? 0.7 : 0; // heading of the wheel
        char text[2000];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "parameters: {r: %g, up: %g, th: %g, way: %g, far: up*r*sin(th)}\n"
                 "functions: {road: {of: [x, y], value: \"up*(r - sqrt(r^2 - (x*cos(way) + "
                 "y*sin(way))^2))\"}}\n"
                 "bodies: {wheel: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [(far - "
                 "%g*sin(th))*cos(way), (far - %g*sin(th))*sin(way), up*(r - r*cos(th)) + "
                 "%g*cos(th)]}}\n"
                 "joints: {weld: {type: fixed, on: [ground, wheel], at: wheel}}\n"
                 "forces: {tyre: {type: tyre, on: [ground, wheel], axis: [-sin(way), cos(way), "
                 "0], road: {heights: road}, radius: %g, stiffness: 1e5, law: linear, "
                 "slip_stiffness: 1e4, cornering_stiffness: 1e4}}\n"
                 "simulate: {until: 1e-3, method: radau}\n"
                 "outputs: {every: 1e-3, signals: [tyre.deflection, weld.reaction]}\n",
                 radius, up, up * th, way, R - d, R - d, R - d, R);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        CHECK_NEAR(rows.value[0][0], d, 1e-8);
        const double *force = rows.value[0] + 1, size = 1e5 * d;
        CHECK_NEAR(force[0], size * sin(th) * up * cos(way), 1e-4 * size);
        CHECK_NEAR(force[1], size * sin(th) * up * sin(way), 1e-4 * size);
        CHECK_NEAR(force[2], -size * cos(th), 1e-4 * size);
        rig_free(&r);
    }
    return 0;
}

// Wheels that drop onto the road, with damping: at the instant at which they touch the load jumps. Laws with friction divided zero by zero there,
// and the side forces of a line without friction, which jump too, were passed over.
#define DROPPED                                                                                    \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {w: {type: rigid, mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, 0.35], "       \
    "orientation: {axis: [0, 0, 1], angle: 0.1}, velocity: [10, 0, -0.5], angular_velocity: [0, "  \
    "%g, 0]}}\n"                                                                                   \
    "forces: {tyre: {type: tyre, on: [ground, w], axis: [-0.0998334, 0.995004, 0], radius: 0.31, " \
    "stiffness: 2e5, damping: %g, %s}}\n"                                                          \
    "simulate: {until: 0.2, method: %s}\n"                                                         \
    "outputs: {every: 0.1, signals: [w.position, w.velocity, w.angular_velocity]}\n"

static int drop(double spin, double damping, const char *law, const char *method, double out[9])
{
    char text[2000];
    rig r;
    snprintf(text, sizeof text, DROPPED, spin, damping, law, method);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    memcpy(out, rows.value[rows.rows - 1], 9 * sizeof *out);
    rig_free(&r);
    return 0;
}

static int wheels_drop_onto_the_road(void)
{
    const char *const all[] = {
        laws[0], "law: fiala, slip_stiffness: 6e4, cornering_stiffness: 5e4, friction: 0.9",
        "law: linear, slip_stiffness: 6e4, cornering_stiffness: 5e4, friction: 0.9",
        "law: linear, slip_stiffness: 6e4, cornering_stiffness: 5e4"};
    for (int k = 0; k < 16; k++) {
        double a[9], b[9], c[9], spin = k % 2 ? 32 : 0, damping = k / 2 % 2 ? 800 : 50;
        CHECK(drop(spin, damping, all[k / 4], "radau, rtol: 1e-8, atol: 1e-10", a) == 0);
        CHECK(drop(spin, damping, all[k / 4], "dopri5, rtol: 1e-8, atol: 1e-10", b) == 0);
        CHECK(drop(spin, damping, all[k / 4], "generalized-alpha, step: 1e-4", c) == 0);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(a[i], b[i], 2e-4 * fmax(1.0, fabs(b[i])));
            CHECK_NEAR(c[i], b[i], 0.05 * fmax(1.0, fabs(b[i]))); // steps as given
        }
    }
    // looked at from the air, the border to the road had forces of 1e16 N: one landing in thirty ended a run
    unsigned seed = 1;
    for (int k = 0; k < 40; k++) {
        double a[9], at[2];
        for (int i = 0; i < 2; i++) {
            seed = seed * 1664525u + 1013904223u;
            at[i] = (seed >> 8) / 16777216.0;
        }
        CHECK(drop(80 * at[0] - 40, 300 + 1200 * at[1], all[1], "radau, rtol: 1e-8, atol: 1e-10",
                   a) == 0);
    }
    return 0;
}

// A tyre takes energy alone: with the springs of its deflection and of its slip, C sigma k^2/2, there is never more of it, however the wheel bounces. Off
// the road no spring is stretched: a wheel that spun there had 21 times its energy after it.
static int bouncing_wheels_gain_nothing(void)
{
    static const struct {
        const char *road;
        double v, w, damping;
    } runs[] = {{"level: 0", 0, -30, 500},       {"profile: hill", 0, -30, 500},
                {"profile: hill", -10, 0, 500},  {"profile: hill", 3, 10, 50},
                {"profile: hill", 10, -33, 200}, {"level: 0", -6, 40, 0}};
    const double k = 2e5, C = 6e4, sigma = 0.2;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[1500];
        rig r;
        int aloft = 0;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "functions: {hill: {of: [x], value: 0.05*sin(3*x)}}\n"
                 "bodies: {w: {type: rigid, mass: 30, inertia: 1, position: [0, 0.35], velocity: "
                 "[%g, 0], angular_velocity: %g}}\n"
                 "forces: {ty: {type: tyre, on: [ground, w], radius: 0.3, stiffness: 2e5, damping: "
                 "%g, law: linear, slip_stiffness: 6e4, relaxation: 0.2, low_speed_damping: 0, "
                 "road: {%s}}}\n"
                 "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-11}\n"
                 "outputs: {every: 0.002, signals: [energy.total, ty.deflection, ty.slip]}\n",
                 runs[i].v, runs[i].w, runs[i].damping, runs[i].road);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        double least = rows.value[0][0];
        for (int n = 0; n < rows.rows; n++) {
            const double *y = rows.value[n], d = fmax(0.0, y[1]);
            double all = y[0] + 0.5 * k * d * d + 0.5 * C * sigma * y[2] * y[2];
            CHECK(all < least + 1e-4 * fabs(least));
            least = fmin(least, all);
            aloft += y[1] < 0;
        }
        CHECK(aloft > 20 && aloft < rows.rows - 20);
        rig_free(&r);
    }
    return 0;
}

// A car of four tyres with small steering goes round as the single-track model does, v delta/(L + K v^2) with K = m (b C_r - a C_f)/(L C_f C_r), at
// 20 m/s turned less, with stiffer tyres in front more than a neutral one; its mirror image alike.
#define CORNERING                                                                                  \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {x: [1.3, 1.3, -1.1, -1.1], y: [0.7, -0.7, 0.7, -0.7], v: %g, d: %g, steer: [d, " \
    "d, 0, 0], C: [%g, %g, 4e4, 4e4]}\n"                                                           \
    "bodies:\n"                                                                                    \
    "  car: {type: rigid, mass: 1000, inertia: [300, 1200, 1500], position: [0, 0, 0.5], "         \
    "velocity: [v, 0, 0]}\n"                                                                       \
    "  wheel: {repeat: {i: [1, 4]}, type: rigid, mass: 0.01, inertia: [1e-3, 1e-3, 1e-3], "        \
    "position: [x(i), y(i), 0.295], velocity: [v, 0, 0], angular_velocity: [0, v/0.295, 0]}\n"     \
    "joints:\n"                                                                                    \
    "  flat: {type: planar, on: [ground, car], at: car, axis: [0, 0, 1]}\n"                        \
    "  hub: {repeat: {i: [1, 4]}, type: revolute, on: [car, wheel(i)], at: wheel(i), axis: "       \
    "[-sin(steer(i)), cos(steer(i)), 0]}\n"                                                        \
    "forces:\n"                                                                                    \
    "  tyre: {repeat: {i: [1, 4]}, type: tyre, on: [ground, wheel(i)], axis: [-sin(steer(i)), "    \
    "cos(steer(i)), 0], radius: 0.31, stiffness: 2e5, law: linear, slip_stiffness: 6e4, "          \
    "cornering_stiffness: C(i)}\n"                                                                 \
    "  push: {type: force, on: car, value: [\"2e5*(v - dot(car.velocity, car.ex))\", 0, 0], "      \
    "frame: car}\n"                                                                                \
    "simulate: {until: 4, method: radau}\n"                                                        \
    "outputs: {every: 1, signals: [car.angular_velocity.z]}\n"

static int corners_are_those_of_the_single_track_model(void)
{
    const double a = 1.3, b = 1.1, L = a + b, m = 1000.04, rear = 8e4;
    for (int k = 0; k < 8; k++) {
        const double v = k % 2 ? 20 : 8, steer = k / 2 % 2 ? -4e-3 : 4e-3, C = k / 4 ? 6e4 : 4e4;
        const double K = m * (b * rear - a * 2 * C) / (L * 2 * C * rear);
        char text[2400];
        rig r;
        snprintf(text, sizeof text, CORNERING, v, steer, C, C);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        const double turned = v * steer / (L + K * v * v);
        CHECK_NEAR(rows.value[rows.rows - 1][0], turned, 1e-4 * fabs(turned));
        flx_ctx_clear_messages(r.ctx);
        rig_free(&r);
    }
    return 0;
}

// The same model in metres, millimetres, kilometres, with tonnes and milliseconds: whatever a tyre takes for small or slow goes with it.
#define IN_UNITS                                                                                   \
    "flexion: 1\n"                                                                                 \
    "parameters: {m: %g, s: %g, kg: %g, N: kg*m/s^2, slope: 0.3, steer: 0.2}\n"                    \
    "gravity: [\"-9.81*m/s^2*sin(slope)\", 3*m/s^2, \"-9.81*m/s^2*cos(slope)\"]\n"                 \
    "functions: {hill: {of: [x], value: 0.05*m*sin(2*x/m)}}\n"                                     \
    "bodies: {car: {type: rigid, mass: 290*kg, inertia: [100*kg*m^2, 100*kg*m^2, 100*kg*m^2], "    \
    "position: [0, 0, 0.31*m], velocity: [4*m/s, 0, 0]}, w: {type: rigid, mass: 10*kg, inertia: "  \
    "[3*kg*m^2, 5*kg*m^2, 3*kg*m^2], position: [0, 0, 0.31*m], velocity: [4*m/s, 0, 0], "          \
    "angular_velocity: [-4/0.3/s*sin(steer), 4/0.3/s*cos(steer), 0]}}\n"                           \
    "joints: {slide: {type: parallel-axes, on: [ground, car], at: car, axis: [0, 0, 1]}, "         \
    "straight: {type: parallel-axes, on: [ground, car], at: car, axis: [1, 0, 0]}, hub: {type: "   \
    "revolute, on: [car, w], at: w, axis: [-sin(steer), cos(steer), 0]}}\n"                        \
    "forces: {ty: {type: tyre, on: [ground, w], axis: [-sin(steer), cos(steer), 0], radius: "      \
    "0.3*m, stiffness: 2e5*N/m, damping: 2000*N*s/m, trail: 0.03*m, %s, road: {profile: hill}}, "  \
    "brake: {type: torque, on: hub, value: \"-2000*N*m*tanh(hub.rate*s)\"}}\n"                     \
    "simulate: {until: 3*s, method: radau, rtol: 1e-8, atol: 1e-12}\n"                             \
    "outputs: {times: [0.5*s, 1*s, 3*s], signals: [w.position.x/m, w.position.y/m, "               \
    "w.velocity.x/(m/s), ty.longitudinal/N, ty.lateral/N, ty.value/N, ty.deflection/m]}\n"

static int units_do_not_matter(void)
{
    static const double units[][3] = {
        {1, 1, 1}, {1e3, 1, 1}, {1e-3, 1, 1}, {1, 1e3, 1}, {1e3, 1e3, 1e-3}};
    const char *const in_units[] = {
        laws[0], "law: fiala, slip_stiffness: 6e4*N, cornering_stiffness: 5e4*N, friction: 1",
        "law: linear, slip_stiffness: 6e4*N, cornering_stiffness: 5e4*N, friction: 0.8"};
    for (int law = 0; law < 3; law++) {
        double first[3][7];
        for (int k = 0; k < 5; k++) {
            char text[3000];
            rig r;
            snprintf(text, sizeof text, IN_UNITS, units[k][0], units[k][1], units[k][2],
                     in_units[law]);
            CHECK_OK(rig_make(&r, text));
            CHECK_OK(rig_run(&r));
            for (int row = 0; row < 3; row++) {
                for (int c = 0; c < 7; c++) {
                    const double x = rows.value[row][c];
                    if (k == 0) first[row][c] = x;
                    CHECK_NEAR(x, first[row][c], 1e-5 * fmax(1.0, fabs(first[row][c])));
                }
            }
            rig_free(&r);
        }
        // it brakes, rolls back, and stands across the slope but for what the brake gives way
        CHECK(fabs(first[0][2]) > 0.3 && fabs(first[2][2]) < 0.05 && fabs(first[2][4]) > 500);
    }
    return 0;
}

// Camber is positive where the top of the wheel leans to the right; a wheel that falls on its side ends the run, by its name.
static int wheels_that_fall_are_told(void)
{
    const double lean = 0.2;
    for (int k = 0; k < 2; k++) {
        char text[2000];
        rig r;
        const double by = k ? -lean : lean;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {lean: %g}\n"
                 "bodies: {w: {type: rigid, mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, "
                 "0.3], orientation: {axis: [1, 0, 0], angle: lean}}}\n"
                 "forces: {front: {type: tyre, on: [ground, w], axis: [0, cos(lean), sin(lean)], "
                 "radius: 0.31, stiffness: 2e5, damping: 500, law: fiala, slip_stiffness: 6e4, "
                 "cornering_stiffness: 5e4, friction: 0.9}}\n"
                 "simulate: {until: 3, method: %s}\n"
                 "outputs: {every: 0.01, signals: [front.camber, w.position.y]}\n",
                 by, k ? "radau" : "generalized-alpha, rtol: 1e-5");
        CHECK_OK(rig_make(&r, text));
        CHECK(rig_run(&r) == FLX_INCONSISTENT);
        CHECK_NEAR(rows.value[0][0], by, 1e-12);
        CHECK(fabs(rows.value[rows.rows - 1][0]) > 1.0 && rows.value[rows.rows - 1][0] * by > 0);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'front' at t = ");
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "leans by more than 80 degrees");
        flx_ctx_clear_messages(r.ctx);
        rig_free(&r);
    }
    return 0;
}

// Wheels on axles that joints hold: velocities have the roundings of positions over the step, and slips follow them. Short steps behind a touch
// were refused for that, and shorter ones more so, until there were none.
static int structural_methods_pass_touches(void)
{
    static const struct {
        double car, mass, lean, v, w, radius, down;
        const char *law;
    } runs[] = {{28.59, 17.781, 0.2409, -13.888, 23.394, 0.28766, 0.6,
                 "law: magic, longitudinal: {B: 11.9, C: 1.65, D: 1.018, E: 0.6}, lateral: {B: 10, "
                 "C: 1.3, D: 1, E: -0.5}"},
                {37.2, 24.026, 0.29534, 0, 0, 0.25645, 0.3,
                 "law: fiala, slip_stiffness: 75320, cornering_stiffness: 70547, friction: 0.655"}};
    for (int k = 0; k < 4; k++) {
        double end[2][6];
        for (int method = 0; method < 2; method++) {
            static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-11",
                                                  "generalized-alpha, rtol: 1e-6"};
            char text[2500];
            rig r;
            snprintf(text, sizeof text,
                     "flexion: 1\ngravity: [0, 0, -9.81]\n"
                     "parameters: {lean: %g, v: %g, R: %g}\n"
                     "bodies: {car: {type: rigid, mass: %g, inertia: [5, 5, 5], position: [0, 0, "
                     "0.5]}, w: {type: rigid, mass: %g, inertia: [0.5, 0.9, 0.5], position: [0, 0, "
                     "R*cos(lean) + 0.05], orientation: {axis: [1, 0, 0], angle: lean}, velocity: "
                     "[v, 0.3, -%g], angular_velocity: [0, %g, 0]}}\n"
                     "joints: {slide: {type: parallel-axes, on: [ground, car], at: car, axis: [0, "
                     "0, 1]}, straight: {type: parallel-axes, on: [ground, car], at: car, axis: "
                     "[1, 0, 0]}, hub: {type: revolute, on: [car, w], at: w, axis: [0, cos(lean), "
                     "sin(lean)]}}\n"
                     "forces: {ty: {type: tyre, on: [ground, w], radius: R, stiffness: 167187, "
                     "damping: %g, relaxation: 0.25, %s, axis: [0, cos(lean), sin(lean)]}}\n"
                     "simulate: {until: 0.4, method: %s}\n"
                     "outputs: {every: 0.1, signals: [w.position, w.velocity]}\n",
                     runs[k / 2].lean, runs[k / 2].v, runs[k / 2].radius, runs[k / 2].car,
                     runs[k / 2].mass, runs[k / 2].down, runs[k / 2].w, k % 2 ? 400.0 : 0.0,
                     runs[k / 2].law, methods[method]);
            CHECK_OK(rig_make(&r, text));
            CHECK_OK(rig_run(&r));
            memcpy(end[method], rows.value[rows.rows - 1], sizeof end[method]);
            rig_free(&r);
        }
        for (int c = 0; c < 6; c++)
            CHECK_NEAR(end[1][c], end[0][c], 1e-5 * fmax(1.0, fabs(end[0][c])));
    }
    return 0;
}

TEST_MAIN(TEST(locked_wheels_hold_on_slopes), TEST(wheels_that_lock_come_to_rest),
          TEST(wheels_roll_backwards_and_lean), TEST(stiff_tyres_roll_like_hoops),
          TEST(profiles_have_normals), TEST(the_nearest_point_of_a_bent_road_is_found),
          TEST(wheels_drop_onto_the_road), TEST(bouncing_wheels_gain_nothing),
          TEST(corners_are_those_of_the_single_track_model), TEST(units_do_not_matter),
          TEST(wheels_that_fall_are_told), TEST(structural_methods_pass_touches))
