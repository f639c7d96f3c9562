// The tree system: the same accelerations as the descriptor with loops and without, derivatives that
// are derivatives, the same runs in both coordinates, refusals by name.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "joint/joint.h"
#include "model_text.h"
#include "system_check.h"
#include "tree_pair.h"

// ---- random mechanisms --------------------------------------------------------------------------

static int accelerations_are_those_of_the_descriptor(void)
{
    int compared = 0, closed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        pair p;
        bool loops = seed > 100;
        CHECK(pair_open(&p, seed % 3 == 0 ? 2 : 3, 5000 + seed, loops) == 0);
        bool has = p.t->dims.nlam + p.t->dims.nmu > 0;
        if (loops && !has) {
            pair_close(&p);
            continue;
        }
        int result = pair_accelerate_alike(&p, 1e-12);
        if (result > 0) {
            printf("seed %d, dimension %d:", (int)seed, p.k.m.dimension);
            for (int j = 0; j < p.k.m.njoint; j++) {
                const flx_joint *o = p.k.joints + j;
                printf(" %s(%d,%d)", o->kind->says.word, o->body[0], o->body[1]);
            }
            printf("\n");
        }
        CHECK(result <= 0);
        CHECK(loops || result == 0);
        compared += result == 0;
        closed += result == 0 && has;
        pair_close(&p);
    }
    printf("%d mechanisms, %d with loops\n", compared, closed);
    CHECK(compared >= 200 && closed >= 100);
    return 0;
}

static int derivatives_are_derivatives(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        pair p;
        system_point at;
        CHECK(pair_open(&p, seed % 3 == 0 ? 2 : 3, 9000 + seed, seed % 2 == 0) == 0);
        CHECK(pair_take(&p, FLX_TREE_FULL) == 0);
        CHECK(check_pattern(p.t) == 0);
        CHECK(system_point_init(&at, p.t, seed));
        memcpy(at.x->q, p.tx->q, (size_t)p.t->dims.nq * sizeof(double));
        randomise(&at, 0.3);
        CHECK(check_tangent(&at, 2e-6) == 0);
        CHECK(check_chart(&at, 1e-6) == 0);
        if (p.t->dims.nlam + p.t->dims.nmu > 0) CHECK(check_constraints(&at, 1e-5) == 0);
        CHECK(check_energy(&at, 1e-6) == 0);
        system_point_free(&at);
        pair_close(&p);
    }
    return 0;
}

// Coordinates found from the places of bodies give these places again.
static int places_of_bodies_give_coordinates(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        pair p;
        flx_state *back = NULL;
        CHECK(pair_open(&p, seed % 3 == 0 ? 2 : 3, 700 + seed, false) == 0);
        random_motion(&p.k, &flx_tree_of(p.t)->t, p.tx->q, p.tx->v);
        flx_tree_to_bodies(p.t, p.tw, p.tx, p.dx);
        CHECK(flx_state_create(p.d, &back) == FLX_OK);
        CHECK(flx_tree_from_bodies(p.t, p.dx, p.tx) == FLX_OK);
        flx_tree_to_bodies(p.t, p.tw, p.tx, back);
        double theta[64];
        CHECK(p.d->dims.nv <= 64);
        p.d->ops->difference(p.d, p.dx->q, back->q, theta);
        for (int i = 0; i < p.d->dims.nv; i++) CHECK_NEAR(theta[i], 0.0, 1e-12);
        for (int i = 0; i < p.d->dims.nv; i++) CHECK_NEAR(back->v[i], p.dx->v[i], 1e-11);
        flx_state_destroy(&back);
        pair_close(&p);
    }
    return 0;
}

// Every allocation fails once: an error, and nothing is lost.
static int memory_may_run_out(void)
{
    pair p;
    flx_system *t = NULL;
    CHECK(pair_open(&p, 3, 5102, true) == 0);
    for (int k = 0;; k++) {
        flx_ctx_fail_allocation(p.k.ctx, k);
        flx_status status = flx_tree_create(&p.k.m, p.d, p.dx, 0, &t);
        if (status == FLX_OK) break;
        CHECK(status == FLX_ERR_MEMORY && !t && k < 1000);
    }
    flx_ctx_fail_allocation(p.k.ctx, -1);
    flx_work *w = NULL;
    for (int k = 0; !w; k++) {
        flx_ctx_fail_allocation(p.k.ctx, k);
        w = t->ops->work_create(t);
        CHECK(k < 1000);
    }
    flx_ctx_fail_allocation(p.k.ctx, -1);
    t->ops->work_destroy(w);
    flx_system_destroy(&t);
    pair_close(&p);
    return 0;
}

// ---- runs ---------------------------------------------------------------------------------------

#define MOST_MEASURES 12

// Measures after a run of the text with its formulation set; -1: a failure, whose message is kept.
static char message[1024];
static int run(const char *text, const char *method, const char *formulation, double *values)
{
    static char model[8192];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    int n = -1, length = snprintf(model, sizeof model, "%ssimulate: {until: 1.5, method: %s, %s}\n",
                                  text, method, formulation);
    flx_status s = flx_model_read_text(ctx, "run", model, (size_t)length, 0, NULL, &m);
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    if (s == FLX_OK && flx_simulation_ledger(sim)->allocations_in_loop == 0) {
        n = flx_simulation_metric_count(sim);
        for (int i = 0; i < n; i++) flx_simulation_metric(sim, i, values + i);
    } else {
        const flx_message *e = flx_ctx_error(ctx, 0);
        snprintf(message, sizeof message, "%s", e ? e->text : flx_status_text(s));
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return n;
}

static int run_alike(const char *text, const char *method, const char *settings, double tolerance)
{
    double a[MOST_MEASURES], b[MOST_MEASURES];
    char tree[128];
    snprintf(tree, sizeof tree, "formulation: tree, %s", settings);
    int n = run(text, "radau", "formulation: index-3, rtol: 1e-10, atol: 1e-12", a),
        m = run(text, method, tree, b);
    if (n <= 0 || m != n) printf("%s: %s\n", method, message);
    CHECK(n > 0 && n <= MOST_MEASURES && m == n);
    for (int i = 0; i < n; i++) {
        if (fabs(a[i] - b[i]) > tolerance * (1.0 + fabs(a[i])))
            printf("%s, measure %d\n", method, i);
        CHECK_NEAR(b[i], a[i], tolerance * (1.0 + fabs(a[i])));
    }
    return 0;
}

#define TIGHT "rtol: 1e-10, atol: 1e-12"

static const char *const spinning =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: rigid, mass: 1.3, com: [0.4, 0, 0], inertia: [0.01, 0.08, 0.09],"
    " points: {end: [0.8, 0, 0]}}\n"
    "  top: {type: rigid, mass: 0.7, com: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.04], position: "
    "arm.end,"
    " angular_velocity: [1, 2, 6]}\n"
    "  ball: {type: rigid, mass: 0.5, inertia: [0.02, 0.02, 0.02], position: [0, 2, 1],"
    " velocity: [1, 0, 2], angular_velocity: [3, 1, 0]}\n"
    "joints:\n"
    "  base: {type: universal, on: [ground, arm], at: [0, 0, 0], axes: [[0, 0, 1], [0, 1, 0]]}\n"
    "  tip: {type: spherical, on: [top, arm], at: arm.end}\n"
    "forces:\n"
    "  cord: {type: spring, on: [arm, ball], at: [arm.end, ball], stiffness: 20, damping: 0.3,"
    " length: 1}\n"
    "outputs: {every: 0.5, signals: [top.position], metrics: {x: final(top.com.position.x),"
    " y: final(top.com.position.y), z: final(ball.position.z), w: final(top.angular_velocity.z),"
    " r: final(tip.reaction.z), m: final(base.moment.x), e: final(energy.total)}}\n";

#define FOUR_BAR model_text("four_bar_in_space")

static int open_trees_run_with_every_kind_of_method(void)
{
    CHECK(run_alike(spinning, "dopri5", TIGHT, 1e-6) == 0);
    CHECK(run_alike(spinning, "dop853", TIGHT, 1e-6) == 0);
    CHECK(run_alike(spinning, "radau", TIGHT, 1e-6) == 0);
    CHECK(run_alike(spinning, "generalized-alpha", "step: 5e-4", 5e-3) == 0);
    CHECK(run_alike(spinning, "galerkin", "degree: 4, step: 0.01", 1e-6) == 0);
    return 0;
}

static int loops_run_with_every_kind_of_method(void)
{
    CHECK(run_alike(FOUR_BAR, "dopri5", TIGHT, 1e-6) == 0);
    CHECK(run_alike(FOUR_BAR, "radau", TIGHT, 1e-6) == 0);
    CHECK(run_alike(FOUR_BAR, "generalized-alpha", "step: 5e-4", 2e-3) == 0);
    CHECK(run_alike(FOUR_BAR, "galerkin", "degree: 4, step: 5e-3", 1e-6) == 0);
    return 0;
}

// A loop in space whose joints say more than is needed.
static int redundant_closures_are_left_out(void)
{
    return run_alike(
        "flexion: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.02], com: [0, 0.25, 0],"
        " points: {end: [0, 0.5, 0]}}\n"
        "  b: {type: rigid, mass: 2, inertia: [0.02, 0.1, 0.1], com: [0.5, 0, 0], position: a.end,"
        " points: {end: [1, 0, 0]}}\n"
        "  c: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.02], com: [0, -0.25, 0],"
        " position: b.end, points: {end: [0, -0.5, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], initial: {rate: "
        "2}}\n"
        "  B: {type: revolute, on: [a, b], at: a.end, axis: [0, 0, 1]}\n"
        "  C: {type: revolute, on: [b, c], at: b.end, axis: [0, 0, 1]}\n"
        "  D: {type: revolute, on: [c, ground], at: c.end, axis: [0, 0, 1]}\n"
        "outputs: {every: 0.5, signals: [a.position], metrics: {a: final(A.angle),"
        " x: final(b.com.position.x), r: final(A.reaction.y), e: final(energy.total)}}\n",
        "dopri5", TIGHT, 1e-6);
}

// A motion, a state of first order and a gear.
static int motions_states_and_gears_are_constraints(void)
{
    return run_alike(model_text("motions_states_gears"), "dopri5", TIGHT, 1e-6);
}

// A base without mass that a motion and a guide hold: momenta are missing, and nothing misses them.
static int massless_bodies_that_joints_hold_need_no_momenta(void)
{
    return run_alike(model_text("massless_held"), "galerkin", "degree: 3, step: 0.01", 1e-5);
}

// ---- refusals -----------------------------------------------------------------------------------

static int refuses(const char *text, const char *part)
{
    double values[MOST_MEASURES];
    CHECK(run(text, "dopri5", "formulation: tree", values) < 0);
    CHECK_TEXT(message, part);
    return 0;
}

static int what_it_cannot_is_refused_by_name(void)
{
    CHECK(refuses("flexion: 1\n"
                  "equations: {second_order: {x: {at: 1, mass: 1, force: -x}}}\n"
                  "outputs: {every: 1, signals: [x]}\n",
                  "a model without bodies") == 0);
    CHECK(refuses("flexion: 1\n"
                  "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]},"
                  " feather: {type: rigid, mass: 0, inertia: [0, 0, 0]}}\n"
                  "joints: {j: {type: revolute, on: [b, feather], at: b, axis: [0, 0, 1]}}\n"
                  "forces: {s: {type: spring, on: j, stiffness: 1, damping: 0}}\n"
                  "outputs: {every: 1, signals: [b.position]}\n",
                  "'feather'") == 0);
    return 0;
}

TEST_MAIN(TEST(accelerations_are_those_of_the_descriptor), TEST(derivatives_are_derivatives),
          TEST(places_of_bodies_give_coordinates), TEST(memory_may_run_out),
          SLOW_TEST(open_trees_run_with_every_kind_of_method),
          TEST(loops_run_with_every_kind_of_method), TEST(redundant_closures_are_left_out),
          TEST(motions_states_and_gears_are_constraints),
          SLOW_TEST(massless_bodies_that_joints_hold_need_no_momenta),
          TEST(what_it_cannot_is_refused_by_name))
