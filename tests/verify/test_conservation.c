// Variational methods beyond two bodies: rigid bodies joined in space and floating freely, pendulums
// and tops on the ground, masses that attract each other, motion with damping, drive and friction.
#include "check.h"
#include "watch.h"

// Coordinates of bodies, and of joints where there are some.
static const char *const forms[] = {"", ", formulation: tree"};
static const char *const called[] = {"", "tree"};
#define FORMS 2

// A tenth of the time where runs have to be short.
static bool run(const char *model, const char *method, size_t form, double step, double until,
                watch *w)
{
    char text[4096];
    if (short_runs()) until *= 0.1;
    snprintf(text, sizeof text,
             "flexion: 1\n%ssimulate: {until: %.17g, step: %.17g, method: %s%s}\n%s", model, until,
             step, method, forms[form],
             "outputs: {steps: true, signals: [energy.total, momentum.linear, momentum.angular, "
             "constraints]}\n");
    return watch_run(text, w);
}

// ---- a mechanism afloat -----------------------------------------------------------------------

// Three bodies by a ball joint and a hinge, a spring across, no ground: linear and angular momentum
// are those of the start, in all directions.
static const char afloat[] =
    "bodies:\n"
    "  a: {type: rigid, mass: 1.5, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0],\n"
    "      velocity: [0.08159337756, -0.5188715347, 0.4593070922],\n"
    "      angular_velocity: [1.069480692, -0.598268542, 1.784021375], points: {p: [0.5, 0.1, "
    "0]}}\n"
    "  b: {type: rigid, mass: 0.9, inertia: [0.1, 0.15, 0.12], position: [1, 0.2, 0],\n"
    "      com: [0.05, 0, 0.02], points: {q: [0.4, 0, 0.1]},\n"
    "      angular_velocity: [-0.03146688938, 0.7777034121, -0.3209556459]}\n"
    "  c: {type: rigid, mass: 2.1, inertia: [0.4, 0.2, 0.3], position: [1.8, 0.2, 0.3],\n"
    "      angular_velocity: [0.1606681032, 0.9057934071, 0.3194943292]}\n"
    "joints:\n"
    "  ball: {type: spherical, on: [a, b], at: a.p}\n"
    "  hinge: {type: revolute, on: [b, c], at: b.q, axis: [0.3, 0.2, 1]}\n"
    "forces:\n"
    "  string: {type: spring, on: [a, c], at: [a, c], stiffness: 8, length: 1.5}\n";

static int mechanism_afloat_keeps_its_momenta(void)
{
    static const struct {
        const char *method;
        double step;
    } all[] = {{"variational, alpha: 0.5", 5e-3}, {"variational, alpha: 0", 5e-3},
               {"galerkin, degree: 1", 5e-3},     {"galerkin, degree: 2", 1e-2},
               {"galerkin, degree: 3", 2e-2},     {"galerkin, degree: 5", 4e-2}};
    int bad = 0;
    for (size_t k = 0; k < FORMS * sizeof all / sizeof all[0]; k++) {
        size_t i = k / FORMS, form = k % FORMS;
        watch w;
        CHECK(run(afloat, all[i].method, form, all[i].step, 30.0, &w));
        double linear = watch_drift(&w, "momentum.linear"),
               gap = watch_drift(&w, "constraints.pos");
        double angular = watch_drift(&w, "momentum.angular"), energy = watch_drift(&w, "energy");
        bool ok = linear < 2e-14 && angular < 5e-13 && gap < 1e-14;
        printf("  %s %-24s %-4s linear %.1e, angular %.1e, energy %.1e of %.1f, joints %.1e\n",
               ok ? " " : "!", all[i].method, called[form], linear, angular, energy, w.first[0],
               gap);
        bad += !ok;
    }
    return bad;
}

// Energy stays in its band, which shrinks with the order.
static int mechanism_afloat_keeps_its_energy(void)
{
    static const struct {
        const char *method;
        double step, order;
    } all[] = {{"variational", 4e-3, 2.0},
               {"galerkin, degree: 2", 2e-2, 4.0},
               {"galerkin, degree: 3", 4e-2, 6.0}};
    if (short_runs()) SKIP("minutes with sanitizers");
    for (size_t k = 0; k < FORMS * sizeof all / sizeof all[0]; k++) {
        size_t i = k / FORMS, form = k % FORMS;
        watch w, longer, finer;
        CHECK(run(afloat, all[i].method, form, all[i].step, 30.0, &w));
        CHECK(run(afloat, all[i].method, form, all[i].step, 150.0, &longer));
        CHECK(run(afloat, all[i].method, form, 0.5 * all[i].step, 30.0, &finer));
        double band = w.most[0] - w.least[0], later = longer.most[0] - longer.least[0];
        double order = log2(band / (finer.most[0] - finer.least[0]));
        printf("    %-24s %-4s energy within %.2e in 30 s, %.2e in 150 s, order %.2f\n",
               all[i].method, called[form], band, later, order);
        CHECK(later < 2.5 * band); // the motion is not periodic: it may come closer
        CHECK_NEAR(order, all[i].order, 0.5);
    }
    return 0;
}

// ---- on the ground ----------------------------------------------------------------------------

static const char top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {type: rigid, mass: 15, com: [0, 1, 0], inertia: [0.234375, 0.46875, 0.234375],\n"
    "        angular_velocity: [0, 150, -4.61538]}\n"
    "joints:\n"
    "  foot: {type: spherical, on: [ground, top], at: [0, 0, 0]}\n";

static const char pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bob: {type: point, mass: 1.3, position: [0.6, 0, -0.8], velocity: [0.3, 1.7, 0.225]}\n"
    "joints:\n"
    "  rod: {type: distance, on: [ground, bob], at: [[0, 0, 0], bob], length: 1}\n";

static int vertical_momentum_of_tops_and_pendulums(void)
{
    static const struct {
        const char *name, *model, *method;
        double step, until;
    } all[] = {{"top", top, "variational", 5e-4, 2.0},
               {"top", top, "galerkin, degree: 2", 1e-3, 2.0},
               {"top", top, "galerkin, degree: 4", 2e-3, 2.0},
               {"pendulum", pendulum, "variational, alpha: 0.3", 5e-3, 50.0},
               {"pendulum", pendulum, "galerkin, degree: 1", 5e-3, 50.0},
               {"pendulum", pendulum, "galerkin, degree: 2", 2e-2, 50.0},
               {"pendulum", pendulum, "galerkin, degree: 6", 1e-1, 50.0}};
    int bad = 0;
    for (size_t k = 0; k < FORMS * sizeof all / sizeof all[0]; k++) {
        size_t i = k / FORMS, form = k % FORMS;
        watch w;
        CHECK(run(all[i].model, all[i].method, form, all[i].step, all[i].until, &w));
        int z = watch_column(&w, "momentum.angular.z");
        CHECK(z >= 0);
        double drift = fmax(w.most[z] - w.first[z], w.first[z] - w.least[z]);
        double energy = w.most[0] - w.least[0];
        bool ok = drift < 2e-12 * fmax(1.0, fabs(w.first[z]));
        printf("  %s %-8s %-24s %-4s vertical momentum %.1e of %.2f, energy within %.1e of %.1f\n",
               ok ? " " : "!", all[i].name, all[i].method, called[form], drift, w.first[z], energy,
               w.first[0]);
        bad += !ok;
    }
    return bad;
}

// ---- many masses ------------------------------------------------------------------------------

static const char cluster[] =
    "parameters: {x: [3, -2, 0.5, -1], y: [0, 2.5, -3, -1], z: [0.4, -0.6, 1, 0.2],\n"
    "             vx: [0, -0.8, 1.1, 0.1], vy: [1.3, -0.5, 0.1, -0.1], vz: [0.2, 0.1, -0.3, "
    "0.05]}\n"
    "bodies:\n"
    "  star: {repeat: {i: [1, 4]}, type: point, mass: i^2, position: [x(i), y(i), z(i)],\n"
    "         velocity: [vx(i), vy(i), vz(i)]}\n"
    "forces:\n"
    "  pull: {type: gravitation, G: 0.4}\n";

static int cluster_keeps_its_momenta(void)
{
    static const struct {
        const char *method;
        double step, energy;
    } all[] = {{"variational", 1e-3, 1e-2},
               {"galerkin, degree: 2", 4e-3, 2e-5},
               {"galerkin, degree: 4", 1e-2, 5e-9}};
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch w;
        CHECK(run(cluster, all[i].method, 0, all[i].step, 30.0, &w));
        double linear = watch_drift(&w, "momentum.linear");
        double angular = watch_drift(&w, "momentum.angular"), energy = watch_drift(&w, "energy");
        bool ok = linear < 1e-13 && angular < 1e-12 && energy < all[i].energy;
        printf("  %s %-24s linear %.1e, angular %.1e, energy %.1e of %.2f\n", ok ? " " : "!",
               all[i].method, linear, angular, energy, w.first[0]);
        bad += !ok;
    }
    return bad;
}

// ---- forces without a potential -----------------------------------------------------------------

// The end of a run: `count` signals at `until`.
static bool end_of(const char *model, const char *method, const char *signals, double until,
                   watch *w)
{
    char text[4096];
    snprintf(text, sizeof text,
             "flexion: 1\n%ssimulate: {until: %g, %s}\noutputs: {times: [%g], signals: [%s]}\n",
             model, until, method, until, signals);
    return watch_run(text, w);
}

// A damper, a force of time, a motion, friction that reads the reaction: the order of degree 2 against
// a fine run of Radau's method. What reads reactions sees those of the stages, which are of order 2.
static int orders_with_forces_of_every_kind(void)
{
    static const struct {
        const char *name, *model, *signals;
        double until, step, order, within;
    } all[] = {
        {"damped and pushed",
         "gravity: [0, 0, -9.81]\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1.2, inertia: [0.1, 0.2, 0.15], com: [0.3, 0, 0.05],\n"
         "      angular_velocity: [0, 1, 0.5], points: {p: [0.8, 0, 0]}}\n"
         "joints:\n"
         "  ball: {type: spherical, on: [ground, a], at: [0, 0, 0]}\n"
         "forces:\n"
         "  string: {type: spring, on: [ground, a], at: [[1, 1, 0], a.p], stiffness: 20, damping: "
         "2,\n"
         "           length: 0.5}\n"
         "  push: {type: force, on: a, at: a.p, value: [sin(3*t), 0, cos(2*t)]}\n",
         "a.com.position, a.angular_velocity, ball.reaction", 1.0, 0.05, 4.0, 0.3},
        {"driven crank",
         "gravity: [0, -9.81, 0]\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0],\n"
         "      angular_velocity: [0, 0, 2], points: {p: [1, 0, 0]}}\n"
         "  b: {type: rigid, mass: 0.7, inertia: [0.05, 0.06, 0.07], position: [1, 0, 0],\n"
         "      com: [0.4, 0, 0], angular_velocity: [0, 0, 2], velocity: [0, 2, 0]}\n"
         "joints:\n"
         "  drive: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
         "          motion: {angle: 2*t + 0.1*t^3}}\n"
         "  elbow: {type: revolute, on: [a, b], at: a.p, axis: [0, 0.3, 1]}\n",
         "b.com.position, b.angular_velocity, drive.drive", 1.0, 0.05, 4.0, 0.3},
        {"massless base",
         "dimension: 2\n"
         "gravity: [0, -1]\n"
         "bodies:\n"
         "  base:  {type: rigid, mass: 0, inertia: 0}\n"
         "  left:  {type: point, mass: 5e-4, position: [0, 0.5], velocity: [-0.5, 0]}\n"
         "joints:\n"
         "  road:  {type: revolute, on: [ground, base], at: [0, 0],\n"
         "          motion: {angle: asin(0.1*sin(10*t))}}\n"
         "  guide: {type: point-on-line, on: [base, left], at: [[0, 0], left], axis: [0, 1]}\n"
         "forces:\n"
         "  sl: {type: spring, on: [base, left], at: [[0, 0], left], stiffness: 0.1, length: "
         "0.5}\n",
         "left.position, left.velocity, road.drive", 0.5, 0.02, 4.0, 0.3},
        {"friction",
         "gravity: [0, -9.81, 0]\n"
         "dimension: 2\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0], angular_velocity: 6}\n"
         "joints:\n"
         "  hinge: {type: revolute, on: [ground, a], at: [0, 0],\n"
         "          friction: {coefficient: 0.2, radius: 0.05, velocity: 0.3}}\n",
         "a.angle, a.angular_velocity, hinge.reaction", 0.5, 0.02, 2.0, 0.2},
    };
    int bad = 0;
    for (size_t form = 0; form < FORMS * sizeof all / sizeof all[0]; form++) {
        size_t i = form / FORMS;
        const char *coordinates = forms[form % FORMS];
        watch exact, w;
        char method[160];
        CHECK(end_of(all[i].model, "method: radau, rtol: 1e-12, atol: 1e-13", all[i].signals,
                     all[i].until, &exact));
        double e[2] = {0.0, 0.0};
        for (int k = 0; k < 2; k++) {
            snprintf(method, sizeof method, "method: galerkin, degree: 2, step: %.17g%s",
                     all[i].step / (1 << k), coordinates);
            CHECK(end_of(all[i].model, method, all[i].signals, all[i].until, &w));
            for (int j = 0; j < w.columns; j++) {
                double size = fmax(fabs(exact.last[j]), 1.0);
                e[k] = fmax(e[k], fabs(w.last[j] - exact.last[j]) / size);
            }
        }
        double order = log2(e[0] / e[1]);
        bool ok = fabs(order - all[i].order) < all[i].within;
        printf("  %s %-20s %-4s order %.2f, errors %.2g %.2g\n", ok ? " " : "!", all[i].name,
               called[form % FORMS], order, e[0], e[1]);
        bad += !ok;
    }
    return bad;
}

TEST_MAIN(SLOW_TEST(mechanism_afloat_keeps_its_momenta), TEST(mechanism_afloat_keeps_its_energy),
          TEST(vertical_momentum_of_tops_and_pendulums), TEST(cluster_keeps_its_momenta),
          TEST(orders_with_forces_of_every_kind))
