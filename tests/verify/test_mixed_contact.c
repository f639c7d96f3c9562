// Normal forces of contacts as unknowns (form: mixed): the same motion as without, at a cost that does not grow with the stiffness.
#include "case_table.h"
#include "check.h"
#include "flexion/model.h"
#include "model/model_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- a bead in a stiff track --------------------------------------------------------------------

// At rest on the track where it begins.
#define TRACK                                                                                      \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "parameters: {K: 1e10, r: 1 + (9.81*cos(1)/K)^(2/3)}\n"                                        \
    "bodies: {bead: {type: point, mass: 1, position: [-r*sin(1), -r*cos(1)]}}\n"                   \
    "forces: {track: {type: contact, on: [ground, bead], law: hertz, stiffness: K, form: mixed,\n" \
    "    surfaces: [{curve: [cos(2*pi*s), -sin(2*pi*s)]}, {sphere: 0}]}}\n"                        \
    "signals: {theta: 'atan2(bead.position.x, -bead.position.y)'}\n"                               \
    "outputs: {every: 0.6, signals: [theta, track.value]}\n"

// con-stiff-track: 2.9 iterations per step, with a tolerance of 1, and the motion of a pendulum.
static int iterations_do_not_grow_with_the_stiffness(void)
{
    static const char *const stiffness[] = {"K=1e8", "K=1e10", "K=1e12", "K=1e14", "K=1e16"};
    double theta, force;
    for (int i = 0; i < 5; i++) {
        case_table t = {0};
        flx_ledger ledger = {0};
        CHECK(case_run_ledger(TRACK "simulate: {until: 0.6, method: generalized-alpha, "
                                    "spectral_radius: 0.8, step: 0.01}\n",
                              stiffness[i], &t, &ledger));
        CHECK(case_table_value(&t, "theta", 0.6, &theta));
        CHECK(case_table_value(&t, "track.value", 0.6, &force));
        CHECK_NEAR(theta, 0.19413487985, 5e-5);
        CHECK_NEAR(force, 18.2777, 1e-3);
        CHECK((double)ledger.work.newton_iterations <
              (i == 3 ? 3.9 : 4.7) * (double)ledger.work.steps);
        CHECK((double)ledger.work.factorisations < 0.5 * (double)ledger.work.steps);
        case_table_clear(&t);
    }
    case_table t = {0};
    CHECK(case_run(TRACK "simulate: {until: 0.6, method: generalized-alpha, spectral_radius: 0.8, "
                         "step: 2e-3}\n",
                   "K=1e14", &t, NULL, NULL));
    CHECK(case_table_value(&t, "theta", 0.6, &theta));
    CHECK_NEAR(theta, 0.194485, 5e-7);
    case_table_clear(&t);
    return 0;
}

// The rigid limit, by error control: few steps, and none that the contact asks for.
static int error_control_passes_over_what_is_stiff(void)
{
    static const char *const methods[] = {"radau, rtol: 1e-8",
                                          "radau, rtol: 1e-8, formulation: tree"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        case_table t = {0};
        flx_ledger ledger = {0};
        double theta;
        snprintf(text, sizeof text, TRACK "simulate: {until: 0.6, method: %s}\n", methods[i]);
        CHECK(case_run_ledger(text, "K=1e13", &t, &ledger));
        CHECK(case_table_value(&t, "theta", 0.6, &theta));
        CHECK_NEAR(theta, 0.19449960495453897, 1e-7);
        CHECK(ledger.work.steps < 40);
        case_table_clear(&t);
    }
    return 0;
}

// ---- balls --------------------------------------------------------------------------------------

#define BALL(law, form, more)                                                                      \
    "flexion: 1\ngravity: [0, 0, -9.81]\n"                                                         \
    "bodies: {b: {type: rigid, mass: 1, inertia: [4e-3, 3e-3, 5e-3], position: [0, 0, 0.3], "      \
    "velocity: [1, 0.5, 0], angular_velocity: [0, 0, 3], surface: {sphere: 0.1}}}\n"               \
    "forces: {c: {type: contact, on: [ground, b], " more "law: " law ", form: " form "}}\n"        \
    "outputs: {every: 0.05, signals: [b.position, c.value, c.friction, energy]}\n"
#define RUBS "friction: {coefficient: 0.3, velocity: 1e-2, rolling: 0.01, spinning: 0.02}, "

static bool compare_forms(const char *mixed, const char *plain, const char *method, double until,
                          double allowed)
{
    char text[2000];
    case_table t = {0}, u = {0};
    bool fine = true;
    snprintf(text, sizeof text, "%ssimulate: {until: %.17g, method: %s}\n", mixed, until, method);
    fine = case_run(text, NULL, &t, NULL, NULL);
    snprintf(text, sizeof text, "%ssimulate: {until: %.17g, method: %s}\n", plain, until, method);
    fine = fine && case_run(text, NULL, &u, NULL, NULL);
    static const char *const names[] = {"b.position.x", "b.position.y", "b.position.z"};
    for (int i = 0; i < 3 && fine; i++) {
        double a = 0, b = 1;
        fine =
            case_table_value(&t, names[i], until, &a) && case_table_value(&u, names[i], until, &b);
        if (fabs(a - b) <= allowed) continue;
        printf("%s: %s is %.12g and %.12g\n", method, names[i], a, b);
        fine = false;
    }
    case_table_clear(&t);
    case_table_clear(&u);
    return fine;
}

static int the_form_does_not_change_the_motion(void)
{
#define CROSSLEY "hunt-crossley, stiffness: 1e7, restitution: 0.8"
#define DAMPED "penalty, stiffness: 1e5, damping: 100"
#define POWER "penalty, stiffness: 1e7, exponent: 1.5, damping: 100, damping_on: approach"
    CHECK(compare_forms(BALL(CROSSLEY, "mixed", RUBS), BALL(CROSSLEY, "plain", RUBS),
                        "radau, rtol: 1e-9, atol: 1e-11", 1.2, 2e-6));
    CHECK(compare_forms(BALL(CROSSLEY, "mixed", RUBS), BALL(CROSSLEY, "plain", RUBS),
                        "radau, rtol: 1e-9, atol: 1e-11, formulation: tree", 1.2, 2e-6));
    CHECK(compare_forms(BALL(CROSSLEY, "mixed", RUBS), BALL(CROSSLEY, "plain", RUBS),
                        "dopri5, rtol: 1e-8", 0.5, 1e-10));
    CHECK(compare_forms(BALL(CROSSLEY, "mixed", RUBS), BALL(CROSSLEY, "plain", RUBS),
                        "dopri5, rtol: 1e-8, formulation: tree", 0.5, 1e-10));
    CHECK(compare_forms(BALL(CROSSLEY, "mixed", ""), BALL(CROSSLEY, "plain", ""),
                        "generalized-alpha, step: 1e-4", 0.5, 1e-9));
    CHECK(compare_forms(BALL(DAMPED, "mixed", RUBS), BALL(DAMPED, "plain", RUBS),
                        "radau, rtol: 1e-8, atol: 1e-10", 0.5, 1e-6));
    CHECK(compare_forms(BALL(POWER, "mixed", ""), BALL(POWER, "plain", ""),
                        "bdf, rtol: 1e-7, atol: 1e-9", 0.5, 2e-5));
    return 0;
}

// What the ledger reads off the force is what the depth would tell.
static int energies_are_those_of_the_force(void)
{
    case_table t = {0};
    flx_ledger ledger = {0};
    CHECK(case_run_ledger(BALL(CROSSLEY, "mixed", RUBS) "simulate: {until: 1.2, method: radau, "
                                                        "rtol: 1e-8}\n",
                          NULL, &t, &ledger));
    CHECK(fabs(ledger.energy_drift) < 1e-6);
    case_table_clear(&t);
    return 0;
}

// A ball thrown against a floor, weightless: laws whose damping is most of the force as surfaces meet or part, by `method`, against the plain form.
static bool meets_floor(const char *law, const char *method, double allowed)
{
    char text[2][1000];
    case_table t[2] = {{0}, {0}};
    flx_ledger ledger[2] = {{0}, {0}};
    double v[2] = {0.0, 1.0};
    bool fine = true;
    for (int k = 0; k < 2 && fine; k++) {
        snprintf(
            text[k], sizeof text[k],
            "flexion: 1\ngravity: [0, 0, 0]\n"
            "bodies: {b: {type: rigid, mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [0, 0, "
            "0.11], velocity: [0.1, 0, -0.3], surface: {sphere: 0.1}}}\n"
            "forces: {c: {type: contact, on: [ground, b], ground: {plane: [0, 0, 1]}, law: %s, "
            "form: %s}}\n"
            "simulate: {until: 0.2, method: %s}\noutputs: {every: 0.05, signals: [b.velocity]}\n",
            law, k ? "plain" : "mixed", method);
        fine = case_run_ledger(text[k], NULL, &t[k], &ledger[k]) &&
               case_table_value(&t[k], "b.velocity.z", 0.2, &v[k]);
    }
    fine = fine && fabs(v[0] - v[1]) < allowed && ledger[0].energy_drift < allowed;
    if (!fine)
        printf("%s, %s: %.9g and %.9g, drift %.2g\n", law, method, v[0], v[1],
               ledger[0].energy_drift);
    case_table_clear(&t[0]);
    case_table_clear(&t[1]);
    return fine;
}

static int damping_may_lead(void)
{
    static const char *const laws[] = {"penalty, stiffness: 1e5, damping: 100",
                                       "penalty, stiffness: 1e5, damping: 1000",
                                       "penalty, stiffness: 1e5, damping: 100, pull: true",
                                       "penalty, stiffness: 1e5, exponent: 1.5, damping: 100",
                                       "penalty, stiffness: 1e5, exponent: 2, damping: 1000",
                                       "hunt-crossley, stiffness: 1e5, damping: 8",
                                       "hunt-crossley, stiffness: 1e5, damping: 50"};
    for (int i = 0; i < 7; i++) {
        CHECK(meets_floor(laws[i], "radau, rtol: 1e-7", 1e-5));
        CHECK(meets_floor(laws[i], "dopri5, rtol: 1e-8", 1e-5));
        CHECK(meets_floor(laws[i], "bdf, rtol: 1e-7", 1e-4));
        CHECK(meets_floor(laws[i], "newmark, rtol: 1e-5", 1e-4));
    }
    return 0;
}

// The stretch of friction reads a force that is an unknown: where surfaces meet, stick and part.
static int friction_with_memory_goes_with_them(void)
{
    static const char *const k[] = {"1e5", "1e8", "1e10"};
    static const char *const methods[] = {"radau, rtol: 1e-6", "generalized-alpha, rtol: 1e-4",
                                          "newmark, rtol: 1e-4"};
    double v[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++) {
            char text[1000];
            case_table t = {0};
            flx_ledger ledger = {0};
            snprintf(text, sizeof text,
                     "flexion: 1\ngravity: [0, 0, -9.81]\n"
                     "bodies: {b: {type: rigid, mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: "
                     "[0, 0, 0.11], velocity: [0.5, 0.1, -0.3], angular_velocity: [0, 3, 1], "
                     "surface: {sphere: 0.1}}}\n"
                     "forces: {c: {type: contact, on: [ground, b], law: hunt-crossley, stiffness: "
                     "%s, restitution: 0.6, form: mixed, friction: {coefficient: 0.4, stiffness: "
                     "1e6, damping: 50}}}\n"
                     "simulate: {until: 0.1, method: %s}\noutputs: {every: 0.05, signals: "
                     "[b.velocity]}\n",
                     k[i], methods[m]);
            CHECK(case_run_ledger(text, NULL, &t, &ledger));
            CHECK(ledger.energy_drift < 1e-3);
            CHECK(case_table_value(&t, "b.velocity.x", 0.1, &v[m]));
            case_table_clear(&t);
        }
        CHECK(fabs(v[1] - v[0]) < 1e-4 && fabs(v[2] - v[0]) < 1e-4);
    }
    return 0;
}

static int steps_refuse_them(void)
{
    char said[1000];
    CHECK(!case_run_said(BALL(CROSSLEY, "mixed", "") "simulate: {until: 0.1, method: moreau, step: "
                                                     "1e-3}\n",
                         NULL, said, sizeof said));
    CHECK(strstr(said, "form: mixed"));
    return 0;
}

// (LAW-15): soft tracks keep the plain form, stiff ones do not, and where damping is a power of the depth nothing does.
static int the_form_is_chosen_by_the_stiffness(void)
{
    static const char *const models[] = {"stiffness: 1e4", "stiffness: 1e10",
                                         "stiffness: 1e10, damping: 1, damping_exponent: 1"};
    const int rows[] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1], "
                 "surface: {sphere: 0.1}}}\n"
                 "forces: {c: {type: contact, on: [ground, b], law: penalty, exponent: 1.5, %s, "
                 "form: auto}}\n"
                 "simulate: {until: 1, method: generalized-alpha, step: 1e-2}\n",
                 models[i]);
        CHECK(flx_model_read_text(ctx, "text", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(m->contacts[0].mixed == (rows[i] == 1));
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(iterations_do_not_grow_with_the_stiffness),
          TEST(error_control_passes_over_what_is_stiff), TEST(the_form_does_not_change_the_motion),
          TEST(energies_are_those_of_the_force), TEST(damping_may_lead),
          TEST(friction_with_memory_goes_with_them), TEST(the_form_is_chosen_by_the_stiffness),
          TEST(steps_refuse_them))
