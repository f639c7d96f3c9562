// test_inversion.c - inversion against closed forms and published figures (tests/reference/cases: ctl-robot-elastic-two-link,
// ctl-overhead-crane-servo, ctl-flexible-link-stable-inversion), and what is refused.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"
#include "model_text.h"

#include <math.h>
#include <string.h>

typedef struct found {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
} found;

static void find(found *a, const char *model, const char *analysis, int nset,
                 const char *const *set)
{
    const char *text = model_text(model), *name, *type, *about;
    *a = (found){.ctx = flx_ctx_create()};
    a->status = flx_model_read_text(a->ctx, "model", text, strlen(text), nset, set, &a->model);
    if (a->status == FLX_OK) a->status = flx_simulation_create_to_analyse(a->model, &a->sim);
    int i = 0;
    while (a->status == FLX_OK && (name = flx_simulation_analysis(a->sim, i, &type, &about)) &&
           strcmp(name, analysis) != 0)
        i++;
    if (a->status == FLX_OK) a->status = flx_simulation_analyse(a->sim, i, &a->f);
}

static const char *message(const found *a)
{
    const flx_message *m = flx_ctx_error(a->ctx, 0);
    return m ? m->text : "";
}

static void done(found *a)
{
    flx_finding_clear(&a->f);
    flx_simulation_destroy(&a->sim);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

// Column k at a time of a node.
static double at(const found *a, double t, int k)
{
    if (a->f.ntable < 1) return (double)NAN;
    const flx_finding_table *m = a->f.tables;
    for (int n = 0; n < m->nrow; n++) {
        if (fabs(m->values[n * m->ncolumn] - t) < 1e-9) return m->values[n * m->ncolumn + k];
    }
    return (double)NAN;
}

static bool says(const found *a, const char *part)
{
    for (int i = 0; i < a->f.nline; i++) {
        if (strstr(a->f.lines[i], part)) return true;
    }
    return false;
}

// ---- index 5, flat ------------------------------------------------------------------------------------------

static int index_five(void)
{
    static const double want[][5] = {
        // t, s, F, Mn
        {0.3, 0.32132578781439175, 162.19820700888923, -101.77353152166108},
        {0.75, 1.6581329240790688, 417.5182843904383, -139.21837745468991},
        {1.5, 2.5, 6.8700735850857075, -92.57521223555632},
        {2.25, 4.003877483118228, -497.26170676542154, -81.44126094391312},
        {2.7, 4.907707157810979, -125.31818857815529, -92.21328927852328},
    };
    found a;
    find(&a, "inversion_crane", "ff", 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK(says(&a, "index 5"));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        CHECK_REL(at(&a, want[i][0], 5), want[i][1], 1e-6);
        CHECK_NEAR(at(&a, want[i][0], 1), want[i][2], 2e-4);
        CHECK_REL(at(&a, want[i][0], 2), want[i][3], 1e-6);
    }
    done(&a);
    return 0;
}

// ---- an unstable and a stable zero --------------------------------------------------------------------------

static int an_unstable_zero(void)
{
    static const double torque[][2] = {{-0.5, 0.003082239608138769}, {-0.2, 0.04510251686372878},
                                       {0.5, 0.48649516735075893},   {1.0, 0.0},
                                       {1.5, -0.4864951673507585},   {2.2, -0.04510251686372879},
                                       {2.5, -0.003082239608138762}};
    const char *const fine[] = {"T=2", "h=2e-4"};
    found a, b, c;
    find(&a, "inversion_link", "ff", 0, NULL);
    find(&b, "inversion_link", "back", 0, NULL);
    find(&c, "inversion_link", "least", 0, NULL);
    CHECK(a.status == FLX_OK && b.status == FLX_OK && c.status == FLX_OK);
    for (size_t i = 0; i < sizeof torque / sizeof *torque; i++) {
        CHECK_NEAR(at(&a, torque[i][0], 1), torque[i][1], 1e-7);
        CHECK_NEAR(at(&c, torque[i][0], 1), torque[i][1], 1e-7);
        // the path backwards is the motion backwards: u(t) of the one is u(T - t) of the other
        CHECK_NEAR(at(&b, 2.0 - torque[i][0], 1), at(&a, torque[i][0], 1), 1e-9);
    }
    CHECK_NEAR(at(&a, 0.5, 3), -0.07951245459209691, 1e-7);
    CHECK(says(&a, "8.94427"));
    done(&a);
    done(&b);
    done(&c);
    // where the third derivative of the path jumps the torque is of first order
    find(&a, "inversion_link", "ff", 2, fine);
    CHECK_NEAR(at(&a, 0.0, 1), 0.2698300815355372, 1e-4);
    CHECK_NEAR(at(&a, 2.0, 1), -0.26983008153553767, 1e-4);
    done(&a);
    find(&a, "inversion_link", "forward", 0, NULL);
    CHECK(a.status == FLX_ERR_CANNOT);
    CHECK_TEXT(message(&a), "zero 8.94427 1/s grows");
    done(&a);
    return 0;
}

// ---- an elastic arm -----------------------------------------------------------------------------------------

static int check_arm(const char *analysis, int nset, const char *const *set,
                     const double want[3][4], double tolerance)
{
    found a;
    find(&a, "inversion_robot", analysis, nset, set);
    CHECK(a.status == FLX_OK);
    if (a.status != FLX_OK) printf("  %s: %s\n", analysis, message(&a));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(at(&a, 0.2 * (i + 1), 1 + k), want[i][k],
                       k < 2 ? tolerance : 1e-3 * tolerance);
    }
    done(&a);
    return 0;
}

static int every_kind_of_an_elastic_arm(void)
{
    static const double rigid[3][4] = {{-8.543739323678796, -0.6107046752576486, 0, 0},
                                       {5.529389712079829, 0.0534287323440209, 0, 0},
                                       {3.4854714431415497, 1.337804907125603, 0, 0}};
    static const double quasi[3][4] = {
        {-8.546861756843864, -0.6126831319389893, 0.012336011295229148, -0.004326416223220645},
        {5.529322300359674, 0.053313832969120956, -0.00111695946493351, 0.00047907054446837144},
        {3.4815407751266076, 1.3372980805842365, -0.02637739527069122, 0.009385417650624343}};
    static const double causal[3][4] = {
        {-8.556144288602047, -0.6232664503051822, 0.01276859265005006, -0.00446678565749148},
        {5.516201204360886, 0.04233219368671204, -0.0005335615758991002, 0.00028519855008016053},
        {3.5001318692538645, 1.3523633753174589, -0.02692164880013616, 0.009566735892243812}};
    static const double angles[3][4] = {
        {-8.539463454654571, -0.6039123502884092, 0.01222790616891014, -0.0042837183362367075},
        {5.547693884038102, 0.0625748615668561, -0.0010385585537883875, 0.00045876048553688794},
        {3.4549580766830563, 1.3148629297367156, -0.026207175344324894, 0.009310804071313702}};
    static const double tip[3][4] = {
        {-8.534017304230701, -0.6038111527933376, 0.012225522815988078, -0.004282841916353556},
        {5.531997775705154, 0.06277978803438979, -0.001041961226476241, 0.0004601290091137276},
        {3.4842401521241486, 1.3144270792088424, -0.026195843235101605, 0.009306789437367033}};
    const char *const short_steps[] = {"h=5e-4"};
    const char *const stable[] = {"kappa=0.8"};
    CHECK(check_arm("rigid", 1, short_steps, rigid, 4e-7) == 0);
    CHECK(check_arm("quasi", 1, short_steps, quasi, 4e-7) == 0);
    CHECK(check_arm("causal", 1, stable, causal, 2e-4) == 0);
    CHECK(check_arm("k1", 0, NULL, angles, 1e-5) == 0);
    CHECK(check_arm("tip", 0, NULL, tip, 1e-5) == 0);
    CHECK(check_arm("le", 0, NULL, tip, 1e-5) == 0);
    return 0;
}

static int zeros_of_an_elastic_arm(void)
{
    found a;
    find(&a, "inversion_robot", "tip", 0, NULL);
    CHECK(says(&a, "602.22"));
    CHECK(says(&a, "-112.83"));
    CHECK(says(&a, "4 iterations")); // at most 6
    CHECK_NEAR(at(&a, -0.02, 1), -0.0008115822362839464, 1e-6);
    CHECK_NEAR(at(&a, 0.0, 1), -0.009275583963151065, 1e-5);
    CHECK_NEAR(at(&a, 0.82, 1), 0.002920870847812823, 1e-5);
    // 1e-4 mm at most
    double miss = 1.0;
    for (int i = 0; i < a.f.nline; i++) {
        const char *text = strstr(a.f.lines[i], "at most ");
        if (strstr(a.f.lines[i], "run forward") && text) sscanf(text, "at most %lf", &miss);
        if (strstr(a.f.lines[i], "run forward")) CHECK(miss < 1e-7);
    }
    CHECK(miss < 1e-7);
    done(&a);
    find(&a, "inversion_robot", "causal", 0, NULL);
    CHECK(a.status == FLX_ERR_CANNOT);
    CHECK_TEXT(message(&a), "602.22");
    done(&a);
    // what only decays: open ends, and published torques
    static const char *const stable[] = {"kappa=0.8", "analyse.k1.margin=8.2", "h=2e-3"};
    static const double u[3][3] = {{0.2, -8.55614429, -0.62326645},
                                   {0.4, 5.5162012, 0.0423321937},
                                   {0.6, 3.50013187, 1.35236338}};
    find(&a, "inversion_robot", "k1", 3, stable);
    CHECK(a.status == FLX_OK);
    CHECK(says(&a, "0 zeros grow and 4 decay"));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(at(&a, u[k][0], 1), u[k][1], 1e-6);
        CHECK_NEAR(at(&a, u[k][0], 2), u[k][2], 1e-6);
    }
    done(&a);
    return 0;
}

// ---- rotations, redundancy, states, loops -------------------------------------------------------------------

static double worst_miss(const found *a)
{
    double most = -1.0;
    for (int i = 0; i < a->f.nline; i++) {
        const char *text = strstr(a->f.lines[i], "at most ");
        double miss = (double)NAN;
        if (!strstr(a->f.lines[i], "run forward") || !text) continue;
        sscanf(text, "at most %lf", &miss);
        most = fmax(most, miss);
    }
    return most < 0.0 ? HUGE_VAL : most;
}

static int a_body_in_space(void)
{
    found a;
    find(&a, "inversion_space", "ff", 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK(worst_miss(&a) < 3e-7);
    CHECK_NEAR(at(&a, 1.0, 1), 0.0, 1e-9); // poly9'' in the middle
    CHECK_NEAR(at(&a, 0.5, 2) / at(&a, 0.5, 1), 2.0, 1e-9);
    // 2 p'' with p'' = 630*4*x^3*(1 - x)^3*(1 - 2 x)/4 at x = 1/4
    CHECK_NEAR(at(&a, 0.5, 1), 2.0 * 630 * 4 * pow(0.1875, 3) * 0.5 / 4, 1e-6);
    done(&a);
    return 0;
}

static int inputs_of_least_square(void)
{
    found a;
    find(&a, "inversion_parts", "two", 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK(worst_miss(&a) < 1e-6);
    for (double t = 0.1; t < 0.95; t += 0.1) CHECK_REL(at(&a, t, 1), 4.0 * at(&a, t, 2), 1e-9);
    CHECK_NEAR(at(&a, 0.5, 1) + at(&a, 0.5, 2), 10.0, 1e-6);
    done(&a);
    return 0;
}

// A motor with lag: u = x + tau x', x = 3 s'' + 20 s.
static int a_state_between(void)
{
    found a;
    find(&a, "inversion_parts", "lag", 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK(says(&a, "index 4"));
    CHECK(worst_miss(&a) < 1e-5);
    CHECK_NEAR(at(&a, 0.5, 2), 10.0, 1e-6);
    CHECK_NEAR(at(&a, 0.5, 1), 10.0 + 0.05 * (3.0 * -78.75 + 20.0 * 630.0 / 256.0), 4e-3);
    done(&a);
    return 0;
}

static int a_loop(void)
{
    found a;
    find(&a, "inversion_parts", "loop", 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK(worst_miss(&a) < 1e-7);
    done(&a);
    return 0;
}

// A sled on an edge: with the nose 1/2 ahead along a line of direction p, tan((p - a)/2) decays with e^-2s, s the way of the
// nose.
static int what_rolls(void)
{
    static const char *const finer[] = {"step=0.005"}, *const off[] = {"x0=0.6"};
    found a;
    double miss[2];
    for (int k = 0; k < 2; k++) {
        find(&a, "inversion_rolling", "drawn", k, finer);
        CHECK(a.status == FLX_OK);
        CHECK(says(&a, "zeros at rest say nothing"));
        miss[k] = worst_miss(&a);
        double p = atan(0.5), s = sqrt(1.25);
        CHECK_NEAR(at(&a, 1.0, 3), p - 2.0 * atan(tan(0.5 * p) * exp(-2.0 * s)), k ? 1e-5 : 1e-4);
        done(&a);
    }
    CHECK(miss[1] < 0.3 * miss[0] && miss[1] < 1e-5);
    find(&a, "inversion_rolling", "drawn", 1, off);
    CHECK(a.status == FLX_ERR_MODEL);
    CHECK_TEXT(message(&a), "away from where it is wanted first");
    done(&a);
    return 0;
}

// Rest at the end is found, wherever the edge leads: the sled turns as in closed form.
static int what_rolls_comes_to_rest(void)
{
    static const char *const finer[] = {"step=0.005"};
    double p = atan(0.5), s = sqrt(1.25), miss[2];
    found a;
    for (int k = 0; k < 2; k++) {
        find(&a, "inversion_rolling", "rest", k, finer);
        CHECK(a.status == FLX_OK);
        miss[k] = worst_miss(&a);
        CHECK_NEAR(at(&a, 1.0, 3), p - 2.0 * atan(tan(0.5 * p) * exp(-2.0 * s)), k ? 1e-6 : 1e-5);
        done(&a);
    }
    CHECK(miss[1] < 0.2 * miss[0] && miss[1] < 1e-6);
    return 0;
}

// A pole on a wheel would fall by forward integration. Its wheel rolls by velocities as by places.
static int wheels_by_velocities_and_by_places(void)
{
    static const char *const orders[] = {"order=2", "order=4"};
    found a;
    for (int k = 0; k < 2; k++) {
        find(&a, "inversion_wheels", "ff", 1, orders + k);
        CHECK(a.status == FLX_OK);
        for (double t = -1.0; t < 3.0; t += 0.1) {
            CHECK_NEAR(at(&a, t, 1), at(&a, t, 2), 1e-10);
            CHECK_NEAR(at(&a, t, 3), at(&a, t, 4), 1e-12);
        }
        CHECK(fabs(at(&a, 0.5, 1)) > 1.0);
        done(&a);
    }
    return 0;
}

// Zeros of which more decay than grow: both ends open. A run follows, held by gains along the motion, its margin among it.
static int what_is_held_along_a_motion(void)
{
    const char *text = model_text("inversion_held");
    double value[2] = {1.0, 0.0}; // miss, turns
    found a = {.ctx = flx_ctx_create()};
    CHECK(flx_model_read_text(a.ctx, "model", text, strlen(text), 0, NULL, &a.model) == FLX_OK);
    CHECK(flx_simulation_create(a.model, &a.sim) == FLX_OK);
    CHECK(flx_simulation_run(a.sim, 0, NULL, NULL, NULL) == FLX_OK);
    for (int k = 0; k < 2; k++) (void)flx_simulation_metric(a.sim, k, value + k);
    CHECK(value[0] < 1e-5 && value[1] > 0.1);
    done(&a);
    return 0;
}

// Two wheels in space, one faster than the other, and a body that would fall: a run with these torques follows.
static int what_stands_on_two_wheels(void)
{
    const char *text = model_text("inversion_segway");
    double value[3] = {1.0, 1.0, 1.0}; // left, right, turned
    found a = {.ctx = flx_ctx_create()};
    CHECK(flx_model_read_text(a.ctx, "model", text, strlen(text), 0, NULL, &a.model) == FLX_OK);
    CHECK(flx_simulation_create(a.model, &a.sim) == FLX_OK);
    CHECK(flx_simulation_run(a.sim, 0, NULL, NULL, NULL) == FLX_OK);
    for (int k = 0; k < 3; k++) (void)flx_simulation_metric(a.sim, k, value + k);
    CHECK(value[0] < 1e-4 && value[1] < 1e-4);
    CHECK_NEAR(value[2], 0.25, 1e-3); // (1.2 - 1.05)/w
    done(&a);
    return 0;
}

static int what_cannot_be(void)
{
    static const struct {
        const char *model, *analysis, *text;
    } wrong[] = {{"inversion_parts", "none", "no input of this inversion moves the output"},
                 {"inversion_parts", "few", "one too many"},
                 {"inversion_rolling", "ff", "no input of this inversion moves the output"},
                 {"inversion_rolling", "open", "'edge' (rate) is a constraint on velocities"}};
    for (int i = 0; i < 4; i++) {
        found a;
        find(&a, wrong[i].model, wrong[i].analysis, 0, NULL);
        CHECK(a.status != FLX_OK);
        CHECK_TEXT(message(&a), wrong[i].text);
        done(&a);
    }
    return 0;
}

// The rate of an input that is sought is not known: it was taken for zero, and the check of the run as well.
static int rates_of_inputs_are_refused(void)
{
    static const char *const in_force[1] = {"in_force=0.5"};
    static const struct {
        const char *analysis;
        int nset;
    } cases[] = {{"plain", 1}, {"wanted", 0}, {"cost", 0}};
    found a;
    find(&a, "inversion_rates", "plain", 0, NULL);
    CHECK(a.status == FLX_OK && worst_miss(&a) < 1e-6);
    done(&a);
    for (int k = 0; k < 3; k++) {
        find(&a, "inversion_rates", cases[k].analysis, cases[k].nset, in_force);
        CHECK(a.status == FLX_ERR_CANNOT);
        CHECK_TEXT(message(&a), "the rate of input 'u' acts on the model, or on what is wanted");
        done(&a);
    }
    return 0;
}

// What a step does not resolve is told; a smooth motion is not.
static int a_motion_that_jumps(void)
{
    found a;
    find(&a, "inversion_jump", "ff", 0, NULL);
    CHECK(a.status == FLX_OK && flx_ctx_warning_count(a.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(a.ctx, 0)->text, "between order 2 and order 4");
    done(&a);
    find(&a, "inversion_jump", "smooth", 0, NULL);
    CHECK(a.status == FLX_OK && flx_ctx_warning_count(a.ctx) == 0);
    done(&a);
    return 0;
}

// An input that would leave its bounds is told: a run holds it there. Within them nothing is said.
static int beyond_bounds(void)
{
    static const char *const tight[1] = {"most=11"}, *const none[1] = {"most=0"};
    found a;
    find(&a, "inversion_bounds", "ff", 0, NULL);
    CHECK(a.status == FLX_OK && flx_ctx_warning_count(a.ctx) == 0);
    done(&a);
    find(&a, "inversion_bounds", "ff", 1, tight);
    CHECK(a.status == FLX_OK && flx_ctx_warning_count(a.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(a.ctx, 0)->text, "beyond its bounds, -11 and 11");
    done(&a);
    find(&a, "inversion_bounds", "ff", 1, none); // nothing may move it
    CHECK(a.status != FLX_OK || flx_ctx_warning_count(a.ctx) == 1);
    done(&a);
    return 0;
}

// A zero -140 +- 737i decays, and would grow by differences of order 4 in steps of 2 ms.
static int what_rings_does_not_grow(void)
{
    static const char *const fine[1] = {"h=5e-4"};
    found a;
    find(&a, "inversion_ringing", "auto", 0, NULL);
    CHECK(a.status == FLX_OK && says(&a, "order 2 is taken"));
    CHECK(worst_miss(&a) < 1e-3);
    done(&a);
    find(&a, "inversion_ringing", "four", 0, NULL);
    CHECK(a.status != FLX_OK);
    CHECK_TEXT(message(&a), "differences of order 4 make the zero -140 +- 736.817i 1/s grow");
    done(&a);
    find(&a, "inversion_ringing", "auto", 1, fine);
    CHECK(a.status == FLX_OK && says(&a, "order 4") && !says(&a, "order 2 is taken"));
    CHECK(worst_miss(&a) < 1e-8);
    done(&a);
    find(&a, "inversion_ringing", "free", 0, NULL);
    CHECK(a.status == FLX_OK && worst_miss(&a) < 1e-8);
    done(&a);
    return 0;
}

TEST_MAIN(TEST(what_rings_does_not_grow), TEST(a_motion_that_jumps), TEST(beyond_bounds),
          TEST(index_five), TEST(an_unstable_zero), SLOW_TEST(every_kind_of_an_elastic_arm),
          TEST(zeros_of_an_elastic_arm), TEST(a_body_in_space), TEST(inputs_of_least_square),
          TEST(a_state_between), TEST(a_loop), TEST(what_rolls), TEST(what_cannot_be),
          TEST(rates_of_inputs_are_refused), TEST(what_rolls_comes_to_rest),
          TEST(wheels_by_velocities_and_by_places), TEST(what_stands_on_two_wheels),
          TEST(what_is_held_along_a_motion))
