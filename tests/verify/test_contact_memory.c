// Friction of compliant contacts by springs with memory: it holds without creep, slides at its limit, goes with what turns, and by Mindlin's
// law is that of discrete elements.
#include "case_table.h"
#include "check.h"
#include "force/contact_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the kernel -----------------------------------------------------------------------------------

typedef struct place {
    double s[2], u[2], F, d, rate;
} place;

static flx_stretch eval(const flx_stretch_law *l, const place *p)
{
    return flx_stretch_eval(l, p->s, p->u, p->F, p->d, p->rate);
}

// Sticking, within the band, beyond the limit; loading and unloading.
static int slopes_are_those_of_differences(void)
{
    const flx_stretch_law laws[] = {
        {.k = 100, .c = 3, .exponent = 1.5, .friction = 0.4, .tau = 0.01},
        {.k = 300, .c = 4, .mindlin = true, .exponent = 1.5, .friction = 0.4, .tau = 0.01}};
    for (int i = 0; i < 2 * 6; i++) {
        const flx_stretch_law *l = laws + i / 6;
        place p = {{0.02, 0.013}, {0.1, -0.2}, 20.0, 0.11, i % 2 ? 0.3 : -0.4};
        flx_stretch x = eval(l, &p);
        double size = hypot(x.force[0], x.force[1]);
        const double part[] = {0.6, 0.9975, 1.2}; // of the limit
        p.F = size / (part[i % 6 / 2] * l->friction);
        x = eval(l, &p);
        CHECK(x.slides == (i % 6 >= 2));
        double *in[] = {&p.s[0], &p.s[1], &p.u[0], &p.u[1], &p.F, &p.d, &p.rate};
        for (int k = 0; k < FLX_STRETCH_INPUTS; k++) {
            double h = 1e-6 * fabs(*in[k]), at = *in[k];
            *in[k] = at + h;
            flx_stretch more = eval(l, &p);
            *in[k] = at - h;
            flx_stretch less = eval(l, &p);
            *in[k] = at;
            for (int c = 0; c < 2; c++) {
                double force = (more.force[c] - less.force[c]) / (2 * h);
                double rate = (more.rate[c] - less.rate[c]) / (2 * h);
                CHECK_NEAR(x.force_by[c][k], force, 2e-6 * (1 + fabs(force)));
                CHECK_NEAR(x.rate_by[c][k], rate, 2e-6 * (1 + fabs(rate)));
            }
        }
    }
    return 0;
}

// It never gives more than was put in, and turns with the axes.
static int nothing_comes_from_nowhere(void)
{
    const flx_stretch_law l = {
        .k = 300, .mindlin = true, .exponent = 1.5, .friction = 0.4, .tau = 0.01};
    for (int i = 0; i < 400; i++) {
        double a = 0.1 * i, b = 0.37 * i, q = 0.8;
        place p = {{0.03 * sin(a), 0.03 * cos(b)},
                   {sin(3 * b), cos(2 * a)},
                   4.0 + 3.9 * sin(a),
                   0.05 + 0.04 * cos(a),
                   sin(5 * a)};
        flx_stretch x = eval(&l, &p);
        double lost = x.force[0] * p.u[0] + x.force[1] * p.u[1] - x.stored_rate;
        CHECK(lost > -1e-12);
        CHECK(hypot(x.force[0], x.force[1]) <= l.friction * p.F * (1 + 1e-12));
        place t = p;
        for (int c = 0; c < 2; c++) {
            int o = 1 - c;
            double sign = c ? 1 : -1;
            t.s[c] = cos(q) * p.s[c] + sign * sin(q) * p.s[o];
            t.u[c] = cos(q) * p.u[c] + sign * sin(q) * p.u[o];
        }
        flx_stretch y = eval(&l, &t);
        for (int c = 0; c < 2; c++) {
            double sign = c ? 1 : -1;
            double force = cos(q) * x.force[c] + sign * sin(q) * x.force[1 - c];
            CHECK_NEAR(y.force[c], force, 1e-11);
        }
    }
    return 0;
}

// ---- a box that is pushed -------------------------------------------------------------------------

// It begins settled; the push grows within half a second.
#define PUSHED                                                                                     \
    "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {p: 0.3}\n"                                   \
    "bodies: {box: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01],\n"                          \
    "    position: [0, 0, 0.1 - 2*9.81/4e5], surface: {box: [0.2, 0.2, 0.2]}}}\n"                  \
    "forces:\n"                                                                                    \
    "  push: {type: force, on: box, value: ['p*2*9.81*cos(0.7)*min(2*t, 1)',\n"                    \
    "    'p*2*9.81*sin(0.7)*min(2*t, 1)', 0]}\n"                                                   \
    "  floor: {type: contact, on: [ground, box], law: penalty, stiffness: 1e5, damping: 400,\n"    \
    "    friction: {coefficient: 0.8, stiffness: 1e4, damping: 200}%s}\n"                          \
    "signals: {x: box.position.x*cos(0.7) + box.position.y*sin(0.7),\n"                            \
    "  y: box.position.y*cos(0.7) - box.position.x*sin(0.7)}\n"                                    \
    "outputs: {every: 0.5, signals: [x, y, box.velocity.x, floor.friction, floor.value, "          \
    "floor.state]}\n"                                                                              \
    "simulate: {until: %s, %s}\n"

static const char *pushed(const char *form, const char *until, const char *method)
{
    static char text[2000];
    snprintf(text, sizeof text, PUSHED, form, until, method);
    return text;
}

// Four corners with 1e4 N/m each give p m g/4e4; the corners under unequal load tip the box by p m g 0.1 m/(4e3 N m). No creep.
static int box_holds_without_creep(void)
{
    static const char *const ways[][2] = {{"", "method: radau, rtol: 1e-8"},
                                          {"", "method: radau, rtol: 1e-8, formulation: tree"},
                                          {", form: mixed", "method: radau, rtol: 1e-8"},
                                          {"", "method: generalized-alpha, step: 2e-3"},
                                          {"", "method: bdf, rtol: 1e-8"},
                                          {"", "method: dopri5, rtol: 1e-6"}};
    double first = 0.0;
    for (int i = 0; i < 6; i++) {
        case_table t = {0};
        flx_ledger ledger = {0};
        double early, late, aside, force, state;
        CHECK(
            case_run_ledger(pushed(ways[i][0], i < 4 ? "8" : "2", ways[i][1]), NULL, &t, &ledger));
        CHECK(case_table_value(&t, "x", 1.5, &early));
        CHECK(case_table_value(&t, "x", i < 4 ? 8.0 : 2.0, &late));
        CHECK(case_table_value(&t, "y", 2.0, &aside));
        CHECK(case_table_value(&t, "floor.friction.x", 2.0, &force));
        CHECK(case_table_value(&t, "floor.state", 2.0, &state));
        CHECK_NEAR(force, -0.3 * 2 * 9.81 * cos(0.7), i < 4 ? 1e-7 : 1e-5); // by rtol
        CHECK(state == 2.0);
        CHECK_NEAR(late, 1.1 * 0.3 * 2 * 9.81 / 4e4, 1e-3 * late);
        if (i == 0) first = late;
        CHECK(fabs(late - early) < (i < 4 ? 1e-15 : 1e-9));
        CHECK_NEAR(late, first, 2e-5 * first);
        CHECK(fabs(aside) < 1e-9);
        case_table_clear(&t);
    }
    return 0;
}

// Beyond the limit it slides with f F, in the direction of the push: after t, (p - f) g t, less what the start took.
static int box_slides_at_the_limit(void)
{
    case_table t = {0};
    flx_ledger ledger = {0};
    double v1, v2, fx, fy;
    CHECK(case_run_ledger(pushed("", "2", "method: radau, rtol: 1e-8"), "p=0.85", &t, &ledger));
    CHECK(case_table_value(&t, "box.velocity.x", 1.0, &v1));
    CHECK(case_table_value(&t, "box.velocity.x", 2.0, &v2));
    CHECK(case_table_value(&t, "floor.friction.x", 2.0, &fx));
    CHECK(case_table_value(&t, "floor.friction.y", 2.0, &fy));
    CHECK_NEAR((v2 - v1) / cos(0.7), 0.05 * 9.81, 1e-7);
    CHECK_NEAR(hypot(fx, fy), 0.8 * 2 * 9.81, 1e-8);
    CHECK_NEAR(atan2(-fy, -fx), 0.7, 1e-9);
    CHECK(ledger.energy_drift < 1e-6);
    case_table_clear(&t);
    return 0;
}

// What lies on a turning table goes with it: the stretch turns as the bodies do.
static int box_goes_with_a_turning_table(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {w: 2}\n"
        "bodies:\n"
        "  table: {type: rigid, mass: 5, inertia: [1, 1, 1], angular_velocity: [0, 0, w],\n"
        "    surface: {plane: [0, 0, 1]}}\n"
        "  box: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.4, 0, 0.05],\n"
        "    velocity: [0, 0.4*w, 0], angular_velocity: [0, 0, w], surface: {box: [0.1, 0.1, "
        "0.1]}}\n"
        "joints: {axis: {type: revolute, on: [ground, table], at: [0, 0, 0], axis: [0, 0, 1], "
        "motion: {angle: "
        "w*t}}}\n"
        "forces: {floor: {type: contact, on: [table, box], law: penalty, stiffness: 1e5, damping: "
        "400,\n    friction: {coefficient: 0.4, stiffness: 1e4, damping: 100}}}\n"
        "signals: {ahead: box.position.y*cos(w*t) - box.position.x*sin(w*t),\n"
        "  out: box.position.x*cos(w*t) + box.position.y*sin(w*t)}\n"
        "outputs: {every: 1, signals: [ahead, out]}\n"
        "simulate: {until: 10, method: radau, rtol: 1e-8}\n";
    case_table t = {0};
    double ahead, early, late;
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "out", 2.0, &early));
    CHECK(case_table_value(&t, "out", 10.0, &late));
    CHECK(case_table_value(&t, "ahead", 10.0, &ahead));
    CHECK_NEAR(late, early, 1e-9);
    CHECK_NEAR(ahead, 0.0, 1e-9);
    case_table_clear(&t);
    return 0;
}

// ---- Mindlin --------------------------------------------------------------------------------------

// An oblique impact by the steps of discrete elements, with the arm to the middle of the overlap: normal and tangential velocity, spin.
static void by_steps(double angle, int n, double out[3])
{
    const double pi = 3.14159265358979323846, R = 0.01, m = 2700 * 4 / 3.0 * pi * R * R * R;
    const double I = 0.4 * m * R * R, E = 70e9 / (2 * (1 - 0.09)), G = 70e9 / (4 * 1.7 * 1.3);
    double h = 1e-4 / n, z = R, v = -cos(angle), x = sin(angle), w = 0, T = 0, last = 0;
    double N = 0, S = 0, M = 0;
    for (int i = 0; i < n; i++) {
        double vh = v + 0.5 * h * N / m, xh = x + 0.5 * h * S / m, wh = w + 0.5 * h * M / I;
        z += h * vh;
        double d = R - z, vp = vh + 0.5 * h * N / m, xp = xh + 0.5 * h * S / m;
        double wp = wh + 0.5 * h * M / I, arm = R - 0.5 * d, u = xp + wp * arm;
        N = S = M = 0;
        if (d > 0) {
            double a = sqrt(R * d), kn = 2 * E * a, kt = 8 * G * a;
            double c = 2 * sqrt(5 / 6.0) * 0.033526566 * sqrt(kn * m), ct = c * sqrt(kt / kn);
            N = fmax(0, 2 / 3.0 * kn * d - c * vp);
            T = last <= 0 ? 0 : d < last ? T * sqrt(d / last) : T;
            T -= kt * h * u;
            S = T - ct * u;
            if (fabs(S) > 0.3 * N) {
                S = copysign(0.3 * N, S);
                T = S + ct * u;
            }
            M = S * arm;
        }
        last = d;
        v = vh + 0.5 * h * N / m;
        x = xh + 0.5 * h * S / m;
        w = wh + 0.5 * h * M / I;
    }
    out[0] = v, out[1] = x, out[2] = w;
}

// dem-oblique-mindlin has the arm of the whole radius: the tangential velocity differs from it by 6e-4 at 30 degrees.
static int mindlin_is_that_of_discrete_elements(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, 0]\n"
        "parameters: {a: 30*deg, R: 0.01, m: 2700*4/3*pi*R^3}\n"
        "bodies: {ball: {type: rigid, mass: m, inertia: [0.4*m*R^2, 0.4*m*R^2, 0.4*m*R^2],\n"
        "  position: [0, 0, R + 1e-5], velocity: [0.6*sin(a), 0.8*sin(a), -cos(a)],\n"
        "  surface: {sphere: R}}}\n"
        "forces: {floor: {type: contact, on: [ground, ball], ground: {plane: [0, 0, 1]},\n"
        "  law: mindlin, material: {E: 70e9, nu: 0.3}, damping: 0.033526566, friction: 0.3}}\n"
        "signals: {vt: 0.6*ball.velocity.x + 0.8*ball.velocity.y,\n"
        "  aside: 0.6*ball.velocity.y - 0.8*ball.velocity.x,\n"
        "  spin: 0.8*ball.angular_velocity.x - 0.6*ball.angular_velocity.y}\n"
        "outputs: {every: 1.5e-4, signals: [ball.velocity.z, vt, aside, spin]}\n"
        "simulate: {until: 1.5e-4, method: radau, rtol: 1e-8}\n";
    static const struct {
        const char *set;
        double degrees, vt; // of the case
    } angles[] = {{"a=10*deg", 10, 0.14143826},
                  {"a=30*deg", 30, 0.35300645},
                  {"a=45*deg", 45, 0.44475981},
                  {"a=60*deg", 60, 0.58153935}};
    for (int i = 0; i < 4; i++) {
        case_table t = {0};
        flx_ledger ledger = {0};
        double z, vt, aside, spin, known[3];
        by_steps(angles[i].degrees * 3.14159265358979323846 / 180, 40000, known);
        CHECK(case_run_ledger(text, angles[i].set, &t, &ledger));
        CHECK(case_table_value(&t, "ball.velocity.z", 1.5e-4, &z));
        CHECK(case_table_value(&t, "vt", 1.5e-4, &vt));
        CHECK(case_table_value(&t, "aside", 1.5e-4, &aside));
        CHECK(case_table_value(&t, "spin", 1.5e-4, &spin));
        CHECK_NEAR(z, known[0], 1e-5);
        CHECK_NEAR(vt, known[1], 4e-4);
        CHECK_NEAR(spin, known[2], 0.1);
        CHECK_NEAR(aside, 0.0, 1e-9);
        CHECK_NEAR(vt, angles[i].vt, 8e-4);
        CHECK(ledger.energy_drift < 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// `restitution` is that of the law that does not pull.
static int mindlin_keeps_its_restitution(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, 0]\nparameters: {e: 0.5}\n"
        "bodies: {ball: {type: rigid, mass: 0.1, inertia: [4e-6, 4e-6, 4e-6],\n"
        "  position: [0, 0, 0.011], velocity: [0, 0, -0.7], surface: {sphere: 0.01}}}\n"
        "forces: {floor: {type: contact, on: [ground, ball], ground: {plane: [0, 0, 1]},\n"
        "  law: mindlin, material: [{E: infinite}, {E: 1e7, nu: 0.4}], restitution: e}}\n"
        "outputs: {every: 0.02, signals: [ball.velocity.z]}\n"
        "simulate: {until: 0.02, method: radau, rtol: 1e-9}\n";
    static const char *const set[] = {"e=0.9", "e=0.5", "e=0.3"};
    const double known[] = {0.9, 0.5, 0.3};
    for (int i = 0; i < 3; i++) {
        case_table t = {0};
        double v;
        CHECK(case_run(text, set[i], &t, NULL, NULL));
        CHECK(case_table_value(&t, "ball.velocity.z", 0.02, &v));
        CHECK_NEAR(v / 0.7, known[i], 1e-5);
        case_table_clear(&t);
    }
    return 0;
}

// ---- what touches and parts -----------------------------------------------------------------------

// A ball thrown onto a plane, in units of which `u` make a metre; kg and N: m/s^2, N/m are u times as large or as small.
static const char *thrown(const char *law, double u, const char *method)
{
    static char text[1500];
    snprintf(text, sizeof text,
             "flexion: 1\nparameters: {u: %g}\ngravity: [0, 0, -9.81*u]\n"
             "bodies: {ball: {type: rigid, mass: 0.5, inertia: [2e-3*u^2, 2e-3*u^2, 2e-3*u^2],\n"
             "  position: [0, 0, 0.11*u], velocity: [0.5*u, 0.2*u, -0.3*u], surface: {sphere: "
             "0.1*u}}}\n"
             "forces: {floor: {type: contact, on: [ground, ball], ground: {plane: [0, 0, 1]},\n"
             "  %s}}\n"
             "signals: {vx: ball.velocity.x/u, vy: ball.velocity.y/u, vz: ball.velocity.z/u,\n"
             "  spin: ball.angular_velocity.y}\n"
             "outputs: {every: 0.12, signals: [vx, vy, vz, spin]}\n"
             "simulate: {until: 0.12, %s}\n",
             u, law, method);
    return text;
}

#define PENALTY "law: penalty, stiffness: 1e5, damping: 100, "

// Two impacts and a half: the rate of the stretch jumps where surfaces meet, and no step resolves that.
static int error_control_passes_what_jumps_where_surfaces_meet(void)
{
    static const struct {
        const char *law;
        double u;
    } laws[] = {
        {PENALTY "friction: {coefficient: 0.4, stiffness: 1e4, damping: 50}", 1.0},
        {PENALTY "friction: {coefficient: 0.4, stiffness: 1e4, damping: 50}", 1000.0},
        {PENALTY "friction: {coefficient: 0.4, stiffness: 1e4}", 1.0},
        {"law: hunt-crossley, stiffness: 1e7, restitution: 0.6,\n"
         "  friction: {coefficient: 0.4, stiffness: 1e4, damping: 50}",
         1.0},
        {"law: mindlin, material: {E: 1e8, nu: 0.3}, restitution: 0.7, friction: 0.3", 1.0}};
    static const char *const ways[] = {"method: generalized-alpha, rtol: 1e-5",
                                       "method: hht, rtol: 1e-5", "method: newmark, rtol: 1e-5"};
    static const char *const names[] = {"vx", "vy", "vz", "spin"};
    for (int i = 0; i < 5; i++) {
        double known[4];
        case_table t = {0};
        flx_ledger ledger = {0};
        CHECK(
            case_run(thrown(laws[i].law, 1.0, "method: radau, rtol: 1e-9"), NULL, &t, NULL, NULL));
        for (int k = 0; k < 4; k++) CHECK(case_table_value(&t, names[k], 0.12, &known[k]));
        case_table_clear(&t);
        CHECK(known[0] < 0.4 && known[3] > 2.0); // it was caught
        for (int w = 0; w < 3; w++) {
            CHECK(case_run_ledger(thrown(laws[i].law, laws[i].u, ways[w]), NULL, &t, &ledger));
            for (int k = 0; k < 4; k++) {
                double value;
                CHECK(case_table_value(&t, names[k], 0.12, &value));
                CHECK_NEAR(value, known[k], 2e-5 * (k == 3 ? 10.0 : 1.0));
            }
            CHECK(ledger.energy_drift < 2e-5);
            case_table_clear(&t);
        }
    }
    return 0;
}

// Damping ends where the surfaces part, within a step as long as the flight lets it be: what it took is that up to there.
static int ledger_knows_where_damping_ends(void)
{
    static const char law[] = "law: mindlin, material: {E: 1e8, nu: 0.3}, restitution: 0.7";
    static const char *const ways[] = {"method: radau, rtol: 1e-9",
                                       "method: generalized-alpha, rtol: 1e-5",
                                       "method: hht, rtol: 1e-5", "method: newmark, rtol: 1e-5"};
    double known = 0.0;
    for (int w = 0; w < 4; w++) {
        case_table t = {0};
        flx_ledger ledger = {0};
        double v;
        CHECK(case_run_ledger(thrown(law, 1.0, ways[w]), NULL, &t, &ledger));
        CHECK(case_table_value(&t, "vz", 0.12, &v));
        if (w == 0) known = v;
        CHECK_NEAR(v, known, 2e-5);        // a corner where surfaces meet: it was 8e-5
        CHECK(ledger.energy_drift < 1e-3); // it was 0.8
        case_table_clear(&t);
    }
    return 0;
}

// Its rate goes to nothing where surfaces part, from both sides, and its slopes are those of differences beyond.
static int stretch_goes_without_a_jump(void)
{
    const flx_stretch_law l = {.k = 100, .c = 3, .exponent = 1, .friction = 0.4, .tau = 0.01};
    place p = {{0.02, -0.013}, {0.1, -0.2}, 0.0, 1e-12, -0.4};
    for (int side = 0; side < 2; side++, p.d = -p.d) {
        flx_stretch x = eval(&l, &p);
        CHECK(hypot(x.rate[0], x.rate[1]) < 1e-8);
    }
    p.d = -1.0; // far away: within 100 tau
    flx_stretch x = eval(&l, &p);
    CHECK_NEAR(x.rate[0], -p.s[0], 0.01 * p.s[0]);
    p.d = -0.003;
    x = eval(&l, &p);
    double *in[] = {&p.s[0], &p.s[1], &p.u[0], &p.u[1], &p.F, &p.d, &p.rate};
    for (int k = 0; k < FLX_STRETCH_INPUTS; k++) {
        double h = k == 4 ? 0.0 : 1e-6 * fabs(*in[k]), at = *in[k];
        if (!(h > 0.0)) continue;
        *in[k] = at + h;
        flx_stretch more = eval(&l, &p);
        *in[k] = at - h;
        flx_stretch less = eval(&l, &p);
        *in[k] = at;
        for (int c = 0; c < 2; c++) {
            double slope = (more.rate[c] - less.rate[c]) / (2 * h);
            CHECK_NEAR(x.rate_by[c][k], slope, 1e-7 * (1 + fabs(slope)));
        }
    }
    CHECK_NEAR(x.stored_rate, 100 * (p.s[0] * x.rate[0] + p.s[1] * x.rate[1]), 1e-15);
    // a branch that is held has its force at the border already, and its friction
    p = (place){{0, 0}, {0.1, -0.2}, 30.0, -1e-17, 0.3};
    x = eval(&l, &p);
    p.d = 1e-17;
    flx_stretch inside = eval(&l, &p);
    for (int c = 0; c < 2; c++) {
        CHECK_NEAR(x.force[c], inside.force[c], 1e-12);
        CHECK_NEAR(x.rate[c], inside.rate[c], 1e-12);
        CHECK(fabs(x.force[c]) > 0.2);
    }
    return 0;
}

TEST_MAIN(TEST(slopes_are_those_of_differences), TEST(nothing_comes_from_nowhere),
          TEST(box_holds_without_creep), TEST(box_slides_at_the_limit),
          TEST(box_goes_with_a_turning_table), TEST(mindlin_is_that_of_discrete_elements),
          TEST(mindlin_keeps_its_restitution), TEST(stretch_goes_without_a_jump),
          TEST(ledger_knows_where_damping_ends),
          TEST(error_control_passes_what_jumps_where_surfaces_meet))
