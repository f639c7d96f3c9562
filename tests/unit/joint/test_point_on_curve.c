// A point on a curve: derivatives of its functions against differences, a bead on a helix against the closed solution, in
// every formulation; curves that move, that close, that cross themselves; ends are told.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"
#include "math/curve/curve.h"
#include "math/curve/spline.h"

#include <math.h>

static double at(const case_table *t, const char *signal, double time)
{
    double value = (double)NAN;
    if (!case_table_value(t, signal, time, &value)) printf("no signal %s\n", signal);
    return value;
}

static int splines_are_smooth_also_over_the_seam(void)
{
    const double x[] = {0, 0.7, 1.1, 2.0, 2.6}, y[] = {0.3, -1.2, 0.4, 2.0, 0.3};
    double k[16], scratch[15];
    flx_spline_periodic(5, x, y, k, scratch);
    for (int i = 0; i < 4; i++) {
        const int next = (i + 1) % 4;
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(flx_cubic_eval(k + 4 * i, d, x[i + 1] - x[i]),
                       flx_cubic_eval(k + 4 * next, d, 0.0), 1e-13 * 40);
        }
        CHECK_NEAR(k[4 * i], y[i], 1e-15);
    }
    flx_spline_natural(5, x, y, k, scratch);
    CHECK_NEAR(flx_cubic_eval(k, 2, 0.0), 0.0, 1e-14);
    CHECK_NEAR(flx_cubic_eval(k + 12, 2, 0.6), 0.0, 1e-13);
    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(flx_cubic_eval(k + 4 * i, d, x[i + 1] - x[i]),
                       flx_cubic_eval(k + 4 * (i + 1), d, 0.0), 1e-13 * 40);
        }
    }
    return 0;
}

static double component(v3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

// Points off a closed curve in space, and beyond the end of an open one.
static int functions_have_exact_derivatives(void)
{
    const double points[] = {1,  0,   0,   0.4, 1.1, 0.2, -0.7, 0.6, 0.5,
                             -1, -.4, 0.1, 0,   -1,  -.3, 0.8,  -.5, -.1};
    static const double x[][3] = {
        {0.9, 0.3, 0.1}, {-0.5, 0.9, 0.2}, {0.2, -0.9, -0.4}, {1.1, -0.1, 0.3}, {2, -2, 1}};
    const char *wrong;
    int bad;
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    for (int closed = 0; closed < 2; closed++) {
        const flx_curve *c = flx_curve_create(ctx, arena, 6, points, closed, &wrong, &bad);
        CHECK(c != NULL);
        for (int i = 0; i < 5; i++) {
            for (int which = 0; which < 3; which++) {
                flx_curve_jet f, a, b;
                double s = flx_curve_nearest(c, v3_load(x[i]), (double)NAN), h = 1e-5;
                flx_curve_function(c, which, v3_load(x[i]), s, &f);
                for (int k = 0; k < 3; k++) {
                    double y[3] = {x[i][0], x[i][1], x[i][2]};
                    y[k] += h;
                    flx_curve_function(c, which, v3_load(y), s, &a);
                    y[k] -= 2.0 * h;
                    flx_curve_function(c, which, v3_load(y), s, &b);
                    CHECK_NEAR(component(f.g, k), (a.value - b.value) / (2.0 * h), 1e-7);
                    for (int r = 0; r < 3; r++) {
                        double slope = (component(a.g, r) - component(b.g, r)) / (2.0 * h);
                        CHECK_NEAR(f.H.m[3 * r + k], slope, 1e-6);
                    }
                }
            }
        }
    }
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Where the search begins does not matter, as long as it is on the same side of the hill.
static int nearest_place_does_not_depend_on_the_guess(void)
{
    const double square[] = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
    const char *wrong;
    int bad;
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    const flx_curve *c = flx_curve_create(ctx, arena, 4, square, true, &wrong, &bad);
    CHECK(c != NULL);
    double s = flx_curve_nearest(c, v3_make(0.7, 0.8, 0), (double)NAN);
    for (int i = -8; i <= 8; i++) {
        double from = s + 0.05 * c->length * i;
        CHECK_NEAR(flx_curve_nearest(c, v3_make(0.7, 0.8, 0), from), s, 1e-13 * 10);
    }
    double round = flx_curve_nearest(c, v3_make(0.7, 0.8, 0), s + 3.0 * c->length);
    CHECK_NEAR(round, s + 3.0 * c->length, 1e-12 * 10); // rounds are counted
    CHECK(!flx_curve_create(ctx, arena, 2, (double[6]){1, 2, 3, 1, 2, 3}, false, &wrong, &bad));
    CHECK(wrong && bad == 1);
    const double back[] = {0, 0, 0, 1, 0, 0, 0.001, 0, 0};
    CHECK(!flx_curve_create(ctx, arena, 3, back, false, &wrong, &bad) && wrong);
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-9, formulation: ggl",
                                      "radau, rtol: 1e-9, atol: 1e-9, formulation: tree",
                                      "radau, rtol: 1e-9, atol: 1e-9, formulation: index-3",
                                      "generalized-alpha, step: 5e-4, formulation: index-3",
                                      "generalized-alpha, step: 5e-4, formulation: ggl",
                                      "energy-momentum, step: 5e-4",
                                      "galerkin, step: 5e-3",
                                      "dopri5, formulation: index-1, rtol: 1e-9"};

// s'' = g sin(slope) along a helix: through many points, the spline is the helix to 1e-7.
static int bead_slides_down_a_helix(void)
{
    const double pitch = 0.1, radius = 0.5, g = 9.81, T = 0.8; // per radian
    const double along = sqrt(radius * radius + pitch * pitch);
    static char text[16000];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "flexion: 1\ngravity: [0, 0, -9.81]\n"
                                    "bodies: {bead: {type: point, mass: 0.3, "
                                    "position: [0.5, 0, 0]}}\njoints:\n"
                                    "  rail: {type: point-on-curve, on: [ground, bead], at: bead, "
                                    "curve: [");
        for (int k = -8; k <= 72; k++) {
            double a = FLX_PI * k / 32;
            n += (size_t)snprintf(text + n, sizeof text - n, "%s[%.12g, %.12g, %.12g]",
                                  k > -8 ? ", " : "", radius * cos(a), radius * sin(a), -pitch * a);
        }
        snprintf(text + n, sizeof text - n,
                 "]}\nsimulate: {until: 0.8, method: %s}\n"
                 "outputs: {every: 0.1, signals: [bead.position, rail.reaction]}\n",
                 methods[i]);
        case_table t = {0};
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        double angle = 0.5 * g * pitch / along * T * T / along; // about the axis
        double v = g * pitch / along * T, press = 0.3 * v * v * radius / (along * along);
        CHECK_NEAR(at(&t, "bead.position.x", T), radius * cos(angle), 2e-6);
        CHECK_NEAR(at(&t, "bead.position.y", T), radius * sin(angle), 2e-6);
        CHECK_NEAR(at(&t, "bead.position.z", T), -pitch * angle, 2e-6);
        double inward =
            -at(&t, "rail.reaction.x", T) * cos(angle) - at(&t, "rail.reaction.y", T) * sin(angle);
        CHECK_NEAR(inward, press, 5e-3 * press);
        CHECK_NEAR(at(&t, "rail.reaction.z", T), 0.3 * g * radius * radius / (along * along), 1e-2);
        case_table_clear(&t);
    }
    return 0;
}

// A pin that runs in a round groove of a disc, which turns about another place: the same as a rod from the middle of the
// groove, in space and in the plane, the groove given in the axes of the disc or of the ground.
static const char groove[] =
    "flexion: 1\ndimension: %d\ngravity: %s\n"
    "parameters: {n: 32, r: 0.4}\n"
    "bodies:\n"
    "  disc: {type: rigid, mass: 2, inertia: %s, position: [0.1, 0.2%s], com: [0.15, -0.05%s], "
    "points: {m: [0.2, 0.1%s]}}\n"
    "  pin: {type: point, mass: 0.5, position: [0.7, 0.3%s], velocity: [0, 1.5%s]}\n"
    "joints:\n"
    "  hub: {type: revolute, on: [ground, disc], at: [0.1, 0.2%s]%s}\n"
    "  %s\n"
    "simulate: {until: 1, method: %s}\n"
    "outputs: {every: 0.25, signals: [pin.position, hub.angle]}\n";

static int run_groove(int dimension, bool rod, const char *method, case_table *t)
{
    static char text[16000], slot[12000];
    const bool flat = dimension == 2;
    const char *z = flat ? "" : ", 0";
    size_t n = (size_t)snprintf(slot, sizeof slot,
                                "slot: {type: point-on-curve, on: [disc, pin], at: pin, closed: "
                                "true, frame: disc, curve: [");
    for (int i = 0; i < 32; i++) {
        double a = 2.0 * FLX_PI * i / 32;
        n += (size_t)snprintf(slot + n, sizeof slot - n, "%s[%.15g, %.15g%s]", i ? ", " : "",
                              0.2 + 0.4 * cos(a), 0.1 + 0.4 * sin(a), z);
    }
    snprintf(slot + n, sizeof slot - n, "]}");
    if (rod && flat)
        snprintf(slot, sizeof slot, "rod: {type: distance, on: [disc, pin], at: [disc.m, pin]}");
    if (rod && !flat) {
        snprintf(
            slot, sizeof slot,
            "rod: {type: distance, on: [disc, pin], at: [disc.m, pin]}\n"
            "  face: {type: point-on-plane, on: [disc, pin], at: [disc.m, pin], axis: [0, 0, 1]}");
    }
    snprintf(text, sizeof text, groove, dimension, flat ? "[0, -9.81]" : "[0, -9.81, 0]",
             flat ? "0.3" : "[0.2, 0.2, 0.3]", z, z, z, z, z, z, flat ? "" : ", axis: [0, 0, 1]",
             slot, method);
    return case_run(text, NULL, t, NULL, NULL);
}

static int groove_is_a_rod(void)
{
    static const char *const ways[] = {"radau, rtol: 1e-9, atol: 1e-9",
                                       "radau, rtol: 1e-9, atol: 1e-9, formulation: tree",
                                       "dopri5, rtol: 1e-9, atol: 1e-9"};
    for (int d = 2; d <= 3; d++) {
        case_table rod = {0};
        CHECK(run_groove(d, true, ways[0], &rod));
        for (int i = 0; i < 3; i++) {
            case_table t = {0};
            CHECK(run_groove(d, false, ways[i], &t));
            CHECK_NEAR(at(&t, "hub.angle", 1.0), at(&rod, "hub.angle", 1.0), 2e-4);
            CHECK_NEAR(at(&t, "pin.position.x", 1.0), at(&rod, "pin.position.x", 1.0), 2e-4);
            CHECK_NEAR(at(&t, "pin.position.y", 1.0), at(&rod, "pin.position.y", 1.0), 2e-4);
            case_table_clear(&t);
        }
        case_table_clear(&rod);
    }
    return 0;
}

// Points in the axes of a frame are the same wherever the model is placed as a part.
static int curves_of_frames_hold_in_parts(void)
{
    static const char inner[] =
        "bodies:\n"
        "  disc: {type: rigid, mass: 2, inertia: 0.3, position: [0.1, 0.2], orientation: 0.4}\n"
        "  pin: {type: point, mass: 1, position: [0.4842440, 0.3555673]}\njoints:\n"
        "  hub: {type: revolute, on: [ground, disc], at: [0.1, 0.2]}\n"
        "  slot: {type: point-on-curve, on: [disc, pin], at: pin, closed: true, frame: disc, "
        "curve: [[0.4, 0], [0, 0.4], [-0.4, 0], [0, -0.4]]}\n";
    char text[2000];
    case_table whole = {0}, part = {0};
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n%s"
             "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-9}\n"
             "outputs: {every: 1, signals: [hub.angle, pin.position]}\n",
             inner);
    CHECK(case_run(text, NULL, &whole, NULL, NULL));
    // turned by a quarter: gravity too
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: 2\ngravity: [9.81, 0]\nmodels:\n  m:\n    bodies:\n"
             "      disc: {type: rigid, mass: 2, inertia: 0.3, position: [0.1, 0.2], orientation: "
             "0.4}\n      pin: {type: point, mass: 1, position: [0.4842440, 0.3555673]}\n"
             "    joints:\n      hub: {type: revolute, on: [ground, disc], at: [0.1, 0.2]}\n"
             "      slot: {type: point-on-curve, on: [disc, pin], at: pin, closed: true, frame: "
             "disc, curve: [[0.4, 0], [0, 0.4], [-0.4, 0], [0, -0.4]]}\n"
             "parts: {p: {model: m, position: [3, -1], orientation: pi/2}}\n"
             "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-9}\n"
             "outputs: {every: 1, signals: [p.hub.angle, p.pin.position]}\n");
    CHECK(case_run(text, NULL, &part, NULL, NULL));
    CHECK_NEAR(at(&part, "p.hub.angle", 1.0), at(&whole, "hub.angle", 1.0), 1e-7);
    CHECK_NEAR(at(&part, "p.pin.position.x", 1.0), 3 - at(&whole, "pin.position.y", 1.0), 1e-7);
    CHECK_NEAR(at(&part, "p.pin.position.y", 1.0), at(&whole, "pin.position.x", 1.0) - 1, 1e-7);
    case_table_clear(&whole);
    case_table_clear(&part);
    return 0;
}

// An eight: the bead stays on its branch where the curve crosses itself, keeps its energy and comes by the same places
// round by round, also by steps of a fixed size that fall near the crossing.
static int bead_goes_round_an_eight(void)
{
    static char text[8000];
    static const char *const ways[] = {"radau, rtol: 1e-8, atol: 1e-8", "radau, step: 0.0125",
                                       "generalized-alpha, step: 1e-3"};
    for (int i = 0; i < 3; i++) {
        size_t n = (size_t)snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nbodies: {bead: {type: point, mass: 2, position: "
            "[0, 0], velocity: [1.2, 1.6]}}\njoints:\n  rail: {type: point-on-curve, "
            "on: [ground, bead], at: bead, closed: true, curve: [");
        for (int k = 0; k < 24; k++) {
            double a = 2.0 * FLX_PI * k / 24;
            n += (size_t)snprintf(text + n, sizeof text - n, "%s[%.15g, %.15g]", k ? ", " : "",
                                  0.6 * sin(a), 0.4 * sin(2.0 * a));
        }
        snprintf(text + n, sizeof text - n,
                 "]}\nsimulate: {until: 6, method: %s}\noutputs: {every: 0.0125, signals: "
                 "[bead.position, "
                 "bead.velocity]}\n",
                 ways[i]);
        case_table t = {0};
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        int crossings = 0;
        for (int k = 1; k < t.rows; k++) {
            const double *a = t.values + (size_t)(k - 1) * (size_t)t.columns, *b = a + t.columns;
            double v = hypot(b[3], b[4]);
            CHECK_NEAR(v, 2.0, 2e-3);
            // through the middle along one of the two branches, never round the corner
            if (fabs(b[1]) < 0.2 && fabs(b[2]) < 0.2) CHECK(a[3] * b[3] > 0.0 || fabs(b[1]) > 0.1);
            crossings += a[1] * b[1] < 0.0;
        }
        CHECK(crossings == 5);
        case_table_clear(&t);
    }
    return 0;
}

static const char ramp[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {bead: {type: point, mass: 1, position: [0, 0]}}\n"
    "joints: {rail: {type: point-on-curve, on: [ground, bead], at: bead, curve: %s}}\n"
    "simulate: {until: %s, method: radau}\noutputs: {every: 0.1, signals: [bead.position]}\n";

// Beyond the end it goes on straight, and that is said; before, nothing is.
static int end_is_told(void)
{
    char text[1000], said[1000];
    case_table t = {0};
    snprintf(text, sizeof text, ramp, "[[0, 0], [1, -1]]", "0.5");
    CHECK(case_run_said(text, NULL, said, sizeof said) && !strstr(said, "runs off"));
    snprintf(text, sizeof text, ramp, "[[0, 0], [1, -1]]", "1");
    CHECK(case_run_said(text, NULL, said, sizeof said));
    CHECK(strstr(said, "'rail' runs off the end of its curve at t = 0.6"));
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK_NEAR(at(&t, "bead.position.x", 1.0), 0.25 * 9.81, 1e-6);
    case_table_clear(&t);
    return 0;
}

static int wrong_curves_are_refused(void)
{
    static const char *const wrong[][2] = {
        {"[[0, 0]]", "at least 2 places"},
        {"[[0, 0], [0, 0], [1, 1]]", "where the one before it is"},
        {"[[0, 0], [1, 0], [0.001, 0]]", "too sharp"},
        {"[[0, 0], [1, 0]], closed: true", "three points or more"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000], said[2000];
        snprintf(text, sizeof text, ramp, wrong[i][0], "1");
        CHECK(!case_run_said(text, NULL, said, sizeof said));
        CHECK(strstr(said, wrong[i][1]));
    }
    return 0;
}

TEST_MAIN(TEST(splines_are_smooth_also_over_the_seam), TEST(functions_have_exact_derivatives),
          TEST(nearest_place_does_not_depend_on_the_guess), TEST(bead_slides_down_a_helix),
          TEST(groove_is_a_rod), TEST(curves_of_frames_hold_in_parts),
          TEST(bead_goes_round_an_eight), TEST(end_is_told), TEST(wrong_curves_are_refused))
