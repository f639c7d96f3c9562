// test_energy_momentum_bodies.c - energy-momentum on everything that deforms: beams of all formulations, solids,
// flexible bodies and stiff dumbbells in free flight. Momenta are kept to rounding; the energy to rounding
// where the forces have discrete gradients, else bounded, without growth.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"

typedef struct outcome {
    flx_status status;
    flx_ledger ledger;
} outcome;

static outcome fly(const char *bodies, double until, double step)
{
    outcome o = {0};
    char text[3000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    snprintf(text, sizeof text,
             "flexion: 1\n%ssimulate: {until: %.17g, method: energy-momentum, step: %.17g}\n"
             "outputs: {every: %.17g, signals: [energy.total]}\n",
             bodies, until, step, until / 10.0);
    o.status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m);
    if (o.status == FLX_OK) o.status = flx_simulation_create(m, &sim);
    if (o.status == FLX_OK) o.status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    if (sim) o.ledger = *flx_simulation_ledger(sim);
    if (flx_ctx_error_count(ctx) > 0) printf("  %s\n", flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return o;
}

static double momentum_change(const outcome *o)
{
    double most = 0.0;
    for (int i = 0; i < 6; i++) most = fmax(most, fabs(o->ledger.momentum_change[i]));
    return most;
}

// A rod that tumbles and begins to ring: 1e4 steps are no worse than 1e3.
static int beams_keep_both(void)
{
    static const struct {
        const char *formulation;
        int dimension;
        double until;  // 1e4 steps where they are cheap
        double energy; // bound of its change; rounding where there are discrete gradients
    } rods[] = {
        {"geometrically-exact", 2, 10.0, 2e-6},
        {"geometrically-exact", 3, 10.0, 2e-6},
        {"ancf-cable", 2, 10.0, 5e-11},
        {"ancf-cable", 3, 10.0, 2e-6},
        {"segments", 2, 10.0, 2e-6},
        {"segments", 3, 2.0, 2e-6},
        {"ancf, elasticity: continuum", 2, 2.0, 5e-11},
        {"ancf, elasticity: continuum", 3, 0.2, 5e-11},
        {"ancf", 2, 2.0, 2e-6},
        {"ancf", 3, 0.2, 2e-6},
    };
    for (size_t i = 0; i < sizeof rods / sizeof rods[0]; i++) {
        char text[1000];
        bool plane = rods[i].dimension == 2;
        snprintf(text, sizeof text,
                 "dimension: %d\nbodies:\n"
                 "  rod: {type: beam, formulation: %s, elements: 4, %s,"
                 " section: {width: 0.02, height: 0.02},"
                 " material: {E: 1e8, nu: 0.3, density: 1000}}\n",
                 rods[i].dimension, rods[i].formulation,
                 plane ? "from: [0, 0], to: [1, 0], velocity: [0.3, 0.2], angular_velocity: 5"
                       : "from: [0, 0, 0], to: [1, 0, 0], velocity: [0.3, 0.2, 0.1], "
                         "angular_velocity: [3, 1, 5]");
        outcome o = fly(text, short_runs() ? 0.1 : rods[i].until, 1e-3);
        CHECK(o.status == FLX_OK);
        printf("  %s, %dD, %ld steps: energy %.1e, momenta %.1e\n", rods[i].formulation,
               rods[i].dimension, (long)o.ledger.work.steps, o.ledger.energy_drift,
               momentum_change(&o));
        CHECK_NEAR(momentum_change(&o), 0.0, 1e-9);
        CHECK_NEAR(o.ledger.energy_drift, 0.0, rods[i].energy);
        CHECK(o.ledger.allocations_in_loop == 0);
    }
    return 0;
}

// A pinned rod that swings: gravity and the joint; the energy to rounding.
static int pinned_beams_keep_the_energy(void)
{
    static const char *const formulations[] = {"geometrically-exact", "ancf-cable", "ancf",
                                               "segments", "ancf, elasticity: continuum"};
    for (int i = 0; i < 5; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                 "  rod: {type: beam, formulation: %s, elements: 4, from: [0, 0], to: [1, 0],"
                 " section: {width: 0.02, height: 0.02},"
                 " material: {E: 1e7, nu: 0.3, density: 1000}}\n"
                 "joints: {pin: {type: revolute, on: [ground, rod], at: rod.start}}\n",
                 formulations[i]);
        outcome o = fly(text, 2.0, 1e-3);
        CHECK(o.status == FLX_OK);
        CHECK_NEAR(o.ledger.energy_drift, 0.0, 2e-10);
        CHECK_NEAR(o.ledger.position_residual, 0.0, 1e-13);
    }
    return 0;
}

static int solids_keep_both(void)
{
    static const char *const laws[] = {"st-venant-kirchhoff", "neo-hookean"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "bodies:\n  bar: {type: solid, mesh: " FLX_EXAMPLES "/rubber_bar.inp, law: %s,"
                 " material: {E: 1e6, nu: 0.3, density: 1000}, angular_velocity: [0.5, 1, 3],"
                 " velocity: [1, 0, 0]}\n",
                 laws[i]);
        outcome o = fly(text, 0.5, 0.005);
        CHECK(o.status == FLX_OK);
        CHECK_NEAR(o.ledger.energy_drift, 0.0, 2e-11);
        CHECK_NEAR(momentum_change(&o), 0.0, 1e-10);
    }
    return 0;
}

// Two masses on a spring so stiff that it is a rod: the matrix of its discrete gradient has no symmetry, and
// is another one in every step.
static int stiff_dumbbells_turn(void)
{
    static const double stiffness[] = {1e6, 1e8, 1e10, 1e12};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  a: {type: point, mass: 1, velocity: [0, 1, 0]}\n"
                     "  b: {type: point, mass: 2, position: [1, 0, 0], velocity: [1e-3, -1, 0.3]}\n"
                     "forces: {s: {type: spring, on: [a, b], at: [a, b], stiffness: %g,"
                     " form: plain}}\n",
                     stiffness[i]);
            outcome o = fly(text, 10.0, k ? 0.05 : 0.01);
            CHECK(o.status == FLX_OK);
            // rounding of the length, times the stiffness, is a force of its own
            double rounding = 1e-10 + 1e-18 * stiffness[i];
            CHECK_NEAR(o.ledger.energy_drift, 0.0, rounding);
            CHECK_NEAR(momentum_change(&o), 0.0, rounding);
        }
    }
    return 0;
}

// A fast top: what the iteration leaves undone in 20 000 steps does not add up (it came to 3e-8).
static int a_fast_top_keeps_the_energy(void)
{
    static const char top[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  top: {type: rigid, mass: 15, com: [0, 1, 0], inertia: [0.234375, 0.46875, 0.234375],"
        " angular_velocity: [0, 150, -4.61538]}\n"
        "joints: {ball: {type: spherical, on: [ground, top], at: [0, 0, 0]}}\n";
    outcome o = fly(top, 1.0, 5e-5);
    CHECK(o.status == FLX_OK);
    CHECK_NEAR(o.ledger.energy_drift, 0.0, 2e-10);
    return 0;
}

TEST_MAIN(TEST(beams_keep_both), TEST(a_fast_top_keeps_the_energy),
          SLOW_TEST(pinned_beams_keep_the_energy), SLOW_TEST(solids_keep_both),
          TEST(stiff_dumbbells_turn))
