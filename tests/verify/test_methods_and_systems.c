// test_methods_and_systems.c - every method on every kind of system: with a smaller step, or a tighter
// tolerance, it comes nearer to the one solution, or it is refused by name, for a reason that stands in
// the list below.
#include "case_table.h"
#include "check.h"
#include "flexion/extend/method_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- systems ------------------------------------------------------------------------------------

#define BODIES                                                                                     \
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                \
    "  a: {type: rigid, mass: 1.3, com: [0.4, 0, 0], inertia: [0.02, 0.1, 0.1],\n"                 \
    "      points: {e: [0.8, 0, 0]}}\n"                                                            \
    "  b: {type: rigid, mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.03, 0.02, 0.04],\n"             \
    "      position: a.e, angular_velocity: [0.5, 1, 0.3]}\n"                                      \
    "joints:\n"                                                                                    \
    "  B: {type: spherical, on: [a, b], at: a.e}\n"                                                \
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]"
#define ARM BODIES "}\n"
#define ARM_SIGNALS "a.com.position, b.com.position, b.angular_velocity"
#define ROD                                                                                        \
    ARM "  C: {type: distance, on: [ground, b], at: [[0.9, 1, 0.2], b.com]}\n"                     \
        "forces: {s: {type: spring, on: A, stiffness: 20, damping: 1}}\n"
#define DRIVEN BODIES ", motion: {angle: 0.3*sin(3*t)}}\n"
#define CONSTRAINT                                                                                 \
    ARM "forces:\n"                                                                                \
        "  s: {type: spring, on: [ground, b], at: [[0.9, 1, 0.2], b.com], stiffness: 50,\n"        \
        "      damping: 2, form: mixed}\n"
#define FRICTION                                                                                   \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  a: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0], angular_velocity: 6}\n"              \
    "joints:\n"                                                                                    \
    "  hinge: {type: revolute, on: [ground, a], at: [0, 0],\n"                                     \
    "          friction: {coefficient: 0.2, radius: 0.05, velocity: 0.3}}\n"
#define ELASTIC                                                                                    \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  beam: {type: flexible, fe: {line: [[0, 0], [1, 0]], section: {EA: 200, GA: 200, EI: 1, \n"  \
    "         mass: 1.2, inertia: 6e-4}, material: {E: 1e9, density: 1}},\n"                       \
    "         reduce: {type: craig-bampton, interfaces: [start, end], modes: 1}}\n"                \
    "joints: {hub: {type: revolute, on: [ground, beam], at: beam, initial: {rate: 2}}}\n"
#define ELASTIC_NODES                                                                              \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  beam: {type: flexible, frame: chord, stiffening: true,\n"                                   \
    "         fe: {line: [[0, 0], [1, 0]], section: {EA: 200, GA: 200, EI: 0.4,\n"                 \
    "              mass: 1.2, inertia: 6e-4}, material: {E: 1e9, density: 1}},\n"                  \
    "         reduce: {type: craig-bampton, interfaces: [start, end], modes: 1}}\n"                \
    "  disc: {type: rigid, mass: 0.3, inertia: 0.02, com: [0.1, 0], position: beam.end}\n"         \
    "joints:\n"                                                                                    \
    "  hub: {type: revolute, on: [ground, beam], at: beam.start}\n"                                \
    "  pin: {type: revolute, on: [beam, disc], at: beam.end, initial: {rate: 3}}\n"
#define FOUR_BAR                                                                                   \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  crank: {type: rigid, mass: 1, inertia: 0.02, com: [0.15, 0], points: {end: [0.3, 0]},\n"    \
    "          orientation: 60*deg}\n"                                                             \
    "  rod: {type: rigid, mass: 2, inertia: 0.1, com: [0.4, 0], position: crank.end,\n"            \
    "        points: {end: [0.8, 0]}, orientation: 10*deg}\n"                                      \
    "  rocker: {type: rigid, mass: 1.5, inertia: 0.06, com: [0.3, 0], position: rod.end,\n"        \
    "           points: {end: [0.6, 0]}, orientation: -100*deg}\n"                                 \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, crank], at: [0, 0], initial: {rate: 2}}\n"                 \
    "  B: {type: revolute, on: [crank, rod], at: crank.end}\n"                                     \
    "  C: {type: revolute, on: [rod, rocker], at: rod.end}\n"                                      \
    "  D: {type: revolute, on: [rocker, ground], at: rocker.end}\n"
#define FOUR_BAR_SIGNALS "crank.com.position, rod.com.position, rod.angular_velocity"
#define COIN                                                                                       \
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                \
    "  coin: {type: rigid, mass: 1, inertia: [0.05, 0.1, 0.05], position: [0, 0, 0.48],\n"         \
    "         angular_velocity: [0, 3, 0.4], velocity: [1.44, 0, 0]}\n"                            \
    "  cart: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.2], position: [2, 0, 0],\n"              \
    "         velocity: [0.5, 0, 0], angular_velocity: [0, 0, 1]}\n"                               \
    "joints:\n"                                                                                    \
    "  flat: {type: planar, on: [ground, cart], at: cart, axis: [0, 0, 1]}\n"                      \
    "  edge: {type: knife-edge, on: [ground, cart], at: [1.8, 0, 0], axis: [0, 1, 0]}\n"           \
    "forces:\n"                                                                                    \
    "  s: {type: spring, on: [coin, cart], at: [coin, cart], stiffness: 4, length: 1}\n"
#define PAIR                                                                                       \
    "flexion: 1\nequations:\n  second_order:\n"                                                    \
    "    u: {at: 0.3, rate: 0.5, mass: \"1 + 0.2*sin(u)\", force: \"-4*u + 2*(w - u)\"}\n"         \
    "    w: {at: -0.2, mass: 0.3, force: -30*(w - u) - 0.3*w'}\n"
#define MIXED                                                                                      \
    "  first_order:\n"                                                                             \
    "    z: {at: 0.5, derivative: -3*z + u}\n"

typedef struct problem {
    const char *name, *model, *signals, *settings;
} problem;

static const problem problems[] = {
    {"equations", PAIR, "u, w, u'", ""},
    {"states", PAIR MIXED, "u, w, z", ""},
    {"algebraic", PAIR "  first_order:\n    z: {at: 0.1, mass: 0, derivative: z + z^3 - u}\n",
     "u, w, z", ""},
    {"free body",
     "flexion: 1\nbodies:\n"
     "  a: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [1, 2, 0.5],\n"
     "      points: {p: [0.3, 0.1, 0]}}\n"
     "forces: {s: {type: spring, on: [ground, a], at: [[1, 0, 0], a.p], stiffness: 5}}\n",
     "a.position, a.angular_velocity", ""},
    {"joints", ARM, ARM_SIGNALS, ""},
    {"tree", ARM, ARM_SIGNALS, ", formulation: tree"},
    {"loop", FOUR_BAR, FOUR_BAR_SIGNALS, ""},
    {"tree with a loop", FOUR_BAR, FOUR_BAR_SIGNALS, ", formulation: tree"},
    {"velocities", COIN, "cart.position, cart.angular_velocity, coin.position", ""},
    {"tree with velocities", COIN, "cart.position, cart.angular_velocity, coin.position",
     ", formulation: tree"},
    {"tree and equations",
     ARM "forces: {m: {type: torque, on: A, value: \"3*(u - A.angle)\"}}\n"
         "equations: {second_order: {u: {at: 0.2, mass: 0.3, force: \"-3*(u - A.angle)\"}}}\n",
     ARM_SIGNALS ", u", ", formulation: tree"},
    {"rod", ROD, ARM_SIGNALS, ""},
    {"tree with a rod", ROD, ARM_SIGNALS, ", formulation: tree"},
    {"driven", DRIVEN, ARM_SIGNALS, ""},
    {"driven tree", DRIVEN, ARM_SIGNALS, ", formulation: tree"},
    {"constraint", CONSTRAINT, ARM_SIGNALS, ""},
    {"tree with a constraint", CONSTRAINT, ARM_SIGNALS, ", formulation: tree"},
    {"friction", FRICTION, "a.angle, a.angular_velocity", ""},
    {"tree with friction", FRICTION, "a.angle, a.angular_velocity", ", formulation: tree"},
    {"elastic", ELASTIC, "beam.end.position", ""},
    {"elastic tree", ELASTIC, "beam.end.position", ", formulation: tree"},
    {"tree on nodes", ELASTIC_NODES, "beam.end.position, disc.angle", ", formulation: tree"},
    {"neglected", PAIR "reduce: {type: quasistatic, neglect_inertia: [w]}\n", "u, u'", ""},
    {"condensed", PAIR "reduce: {type: guyan, condense: [w]}\n", "u, w, u'", ""},
    {"raised", PAIR "reduce: {type: cutoff, raise_inertia: [w], frequency: 1}\n", "u, w, u'", ""},
    {"reduced tree",
     ARM "forces: {s: {type: spring, on: A, stiffness: 20}}\n"
         "reduce: {type: cutoff, raise_inertia: [A], frequency: 0.5}\n",
     "A.angle, b.angular_velocity", ", formulation: tree"},
};
#define PROBLEMS ((int)(sizeof problems / sizeof problems[0]))

// ---- methods ------------------------------------------------------------------------------------

typedef struct setting {
    const char *method;
    const char *coarse, *fine;
    double order; // that an error falls with at least, from coarse to fine
    double fine_error;
    const char *forms; // of constraints: 3, 2 (ggl), 1, p (partitioned)
} setting;

static const setting settings[] = {
    {"generalized-alpha", "step: 0.01", "step: 0.005", 1.6, 1e-2, "32"},
    {"hht", "step: 0.01", "step: 0.005", 1.6, 1e-2, "32"},
    {"newmark", "step: 0.01", "step: 0.005", 1.6, 1e-2, "32"},
    {"radau", "rtol: 1e-5, atol: 1e-7", "rtol: 1e-9, atol: 1e-11", 3, 1e-6, "32"},
    {"implicit-euler", "step: 0.002", "step: 0.001", 0.8, 5e-2, "32"},
    {"bdf", "rtol: 1e-4, atol: 1e-6", "rtol: 1e-8, atol: 1e-10", 3, 1e-4, "2"},
    {"euler", "step: 0.002", "step: 0.001", 0.8, 5e-2, "1p"},
    {"rk4", "step: 0.01", "step: 0.005", 3, 1e-4, "1p"},
    {"dopri5", "rtol: 1e-4, atol: 1e-6", "rtol: 1e-8, atol: 1e-10", 3, 1e-5, "1p"},
    {"dop853", "rtol: 1e-4, atol: 1e-6", "rtol: 1e-8, atol: 1e-10", 3, 1e-5, "1p"},
    {"adams", "rtol: 1e-4, atol: 1e-6", "rtol: 1e-8, atol: 1e-10", 3, 1e-4, "1p"},
    {"midpoint", "step: 0.01", "step: 0.005", 1.6, 1e-2, "3"},
    {"trapezoidal", "step: 0.01", "step: 0.005", 1.6, 1e-2, "2"},
    {"gauss", "step: 0.03125", "step: 0.015625", 3, 1e-4, ""},
    {"lobatto", "step: 0.02", "step: 0.01", 1.6, 5e-3, "32"},
    {"variational", "step: 0.01", "step: 0.005", 1.6, 1e-2, "3"},
    {"galerkin", "step: 0.02", "step: 0.01", 3.4, 1e-4, "3"},
    {"energy-momentum", "step: 0.01", "step: 0.005", 1.6, 1e-2, "3"},
    {"moreau", "step: 0.002", "step: 0.001", 0.8, 5e-2, ""},
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

// Below this a difference is rounding, and of the reference.
#define ROUNDING 1e-9

// ---- refusals -----------------------------------------------------------------------------------

typedef struct refusal {
    const char *method, *problem, *part;
} refusal;

// Forces of joints do not converge with Gauss's points; without inertia there are no momenta;
// energy-momentum is a method for what has inertia; friction is for methods that damp reactions.
#define NO_STATES "moves what has inertia, and no first-order states"
#define RIGID "which is rigid: its forces would not converge"
#define OF_BODIES "wants coordinates of bodies"
#define NO_MOMENTA "needs the momenta of the system; 'quasistatic' does not give them"
static const refusal refusals[] = {
    {"energy-momentum", "states", NO_STATES},
    {"energy-momentum", "algebraic", NO_STATES},
    {"energy-momentum", "constraint", "wants forces that are no unknowns"},
    {"energy-momentum", "tree with a constraint", "wants forces that are no unknowns"},
    {"energy-momentum", "friction", "a force of the model reads reactions"},
    {"energy-momentum", "tree with friction", "a force of the model reads reactions"},
    {"energy-momentum", "neglected", "system 'quasistatic' has none: use midpoint or galerkin"},
    {"moreau", "states", NO_STATES},
    {"moreau", "algebraic", NO_STATES},
    {"moreau", "neglected", NO_STATES},
    {"moreau", "friction", "has no forces that read reactions"},
    {"moreau", "tree with a loop", OF_BODIES},
    {"moreau", "tree with velocities", OF_BODIES},
    {"moreau", "tree and equations", OF_BODIES},
    {"moreau", "tree with a rod", OF_BODIES},
    {"moreau", "driven tree", OF_BODIES},
    {"moreau", "tree with a constraint", OF_BODIES},
    {"moreau", "tree with friction", OF_BODIES},
    {"variational", "neglected", NO_MOMENTA},
    {"galerkin", "neglected", NO_MOMENTA},
    {"gauss", "joints", RIGID},
    {"gauss", "loop", RIGID},
    {"gauss", "tree with a loop", RIGID},
    {"gauss", "rod", RIGID},
    {"gauss", "tree with a rod", RIGID},
    {"gauss", "velocities", RIGID},
    {"gauss", "tree with velocities", RIGID},
    {"gauss", "driven", RIGID},
    {"gauss", "driven tree", RIGID},
    {"gauss", "constraint", RIGID},
    {"gauss", "friction", RIGID},
    {"gauss", "tree with friction", RIGID},
    {"gauss", "elastic", RIGID},
};

// What is said when it is refused; NULL: it is not.
static const char *find_refusal(const char *method, const char *name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = refusals + i;
        if (strcmp(r->method, method) == 0 && strcmp(r->problem, name) == 0) return r->part;
    }
    return NULL;
}

// ---- runs ---------------------------------------------------------------------------------------

static void write_model(const problem *p, const char *method, const char *how, const char *form,
                        char *text, size_t size)
{
    snprintf(text, size,
             "%ssimulate: {until: 0.5, method: %s, %s%s}\n"
             "outputs: {times: [0.25, 0.5], signals: [%s]}\n",
             p->model, method, how, form, p->signals);
}

static double difference(const case_table *a, const case_table *b)
{
    double most = 0.0;
    if (a->rows != b->rows || a->columns != b->columns || a->rows != 2) return HUGE_VAL;
    for (int i = 0; i < 2 * a->columns; i++) {
        most = fmax(most, fabs(a->values[i] - b->values[i]) / fmax(1.0, fabs(b->values[i])));
    }
    return most;
}

static bool error_of(const problem *p, const setting *s, const char *how, const case_table *exact,
                     double *error)
{
    char text[4096];
    case_table t = {0};
    write_model(p, s->method, how, p->settings, text, sizeof text);
    bool ran = case_run(text, NULL, &t, NULL, NULL);
    *error = difference(&t, exact);
    case_table_clear(&t);
    return ran;
}

static bool refused(const problem *p, const setting *s, const char *part)
{
    char text[4096], said[1024] = "";
    write_model(p, s->method, s->fine, p->settings, text, sizeof text);
    bool ran = case_run_said(text, NULL, said, sizeof said);
    bool fine = !ran && strstr(said, part);
    if (!fine) printf("  ! %-18s %-22s %s: %s\n", s->method, p->name, ran ? "runs" : "says", said);
    return fine;
}

// The one solution comes from coordinates of bodies, unless joints are what is reduced.
static bool find_exact(const problem *p, case_table *exact)
{
    char text[4096];
    bool reduces = strstr(p->model, "reduce:");
    write_model(p, "radau", "rtol: 1e-12, atol: 1e-13", reduces ? p->settings : "", text,
                sizeof text);
    return case_run(text, NULL, exact, NULL, NULL);
}

static int try_one(const problem *p, const setting *s, const case_table *exact)
{
    double coarse, fine;
    const char *part = find_refusal(s->method, p->name);
    if (part) return refused(p, s, part) ? 0 : 1;
    bool ran = error_of(p, s, s->coarse, exact, &coarse) && error_of(p, s, s->fine, exact, &fine);
    bool reads = strstr(p->model, "friction:"); // reactions, which are of lower order
    double order = reads ? fmin(1.0, s->order) : s->order;
    bool nearer = ran && fine <= fmax(ROUNDING, coarse * pow(0.5, order));
    bool good = nearer && fine <= s->fine_error;
    if (!good) {
        printf("  ! %-18s %-22s ", s->method, p->name);
        if (ran) printf("errors %.1e, %.1e", coarse, fine);
        printf("\n");
    }
    return good ? 0 : 1;
}

static int every_method_takes_every_system(void)
{
    const flx_integrator_type *const *types = flx_integrator_types();
    int bad = 0, tried = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        case_table exact = {0};
        CHECK(find_exact(problems + k, &exact));
        for (int i = 0; types[i]; i++) {
            int s = 0;
            while (s < SETTINGS && strcmp(settings[s].method, types[i]->name) != 0) s++;
            CHECK(s < SETTINGS); // a method without settings here
            bad += try_one(problems + k, settings + s, &exact);
            tried++;
        }
        case_table_clear(&exact);
    }
    printf("%d methods on systems\n", tried);
    return bad;
}

// Forms of the constraints of one loop, in coordinates of bodies and of joints.
static int methods_take_their_forms(void)
{
    static const struct {
        char form;
        const char *settings;
    } forms[] = {{'3', ", formulation: index-3"},
                 {'2', ", formulation: ggl"},
                 {'1', ", formulation: index-1"},
                 {'3', ", formulation: tree, loops: index-3"},
                 {'2', ", formulation: tree, loops: ggl"},
                 {'1', ", formulation: tree, loops: index-1"},
                 {'p', ", formulation: tree, loops: partitioning"}};
    problem loop = {"loop", FOUR_BAR, FOUR_BAR_SIGNALS, ""};
    case_table exact = {0};
    int bad = 0;
    CHECK(find_exact(&loop, &exact));
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        loop.name = loop.settings = forms[k].settings;
        for (int i = 0; i < SETTINGS; i++) {
            const setting *s = settings + i;
            char quoted[64];
            snprintf(quoted, sizeof quoted, "'%s'", s->method);
            bool takes = strchr(s->forms, forms[k].form);
            bad += takes ? try_one(&loop, s, &exact) : !refused(&loop, s, quoted);
        }
    }
    case_table_clear(&exact);
    return bad;
}

TEST_MAIN(TEST(every_method_takes_every_system), TEST(methods_take_their_forms))
