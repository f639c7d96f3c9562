// test_tree_loops.c - loops of joint coordinates closed in every way: the same motion by multipliers and by dependent
// coordinates, which are chosen anew on the way; the branch on which a loop was assembled stays.
#include "case_table.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "ladder_text.h"
#include "model_text.h"
#include "net_text.h"
#include "simulate/simulation_parts.h"
#include "tree/tree_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A four-bar whose crank goes round; side: which of the two ways it is assembled.
static const char four_bar[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "parameters: {side: 1, L1: 0.2, L2: 0.6, L3: 0.5, d: 0.7}\n"
    "bodies:\n"
    "  crank:   {type: rigid, mass: 0.4, com: [L1/2, 0], inertia: 0.4*L1^2/12, orientation: "
    "90*deg,\n"
    "            points: {end: [L1, 0]}}\n"
    "  coupler: {type: rigid, mass: 1.2, com: [L2/2, 0], inertia: 1.2*L2^2/12,\n"
    "            position: crank.end, orientation: side*40*deg, points: {end: [L2, 0]}}\n"
    "  rocker:  {type: rigid, mass: 1.0, com: [L3/2, 0], inertia: 1.0*L3^2/12,\n"
    "            position: [d, 0], orientation: side*110*deg, points: {end: [L3, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0], initial: {angle: 0, rate: 20}}\n"
    "  B: {type: revolute, on: [crank, coupler], at: crank.end}\n"
    "  C: {type: revolute, on: [rocker, coupler], at: [rocker.end, coupler.end]}\n"
    "  D: {type: revolute, on: [ground, rocker], at: [d, 0]}\n"
    "signals: {fold: sin(rocker.angle - coupler.angle)}\n"
    "simulate: {until: 2, method: %s, rtol: 1e-10, atol: 1e-12}\n"
    "outputs: {every: 0.05, signals: [crank.angle, coupler.angle, fold, constraints]}\n";

static bool run(const char *method, const char *setting, case_table *table)
{
    char text[2600];
    snprintf(text, sizeof text, four_bar, method);
    return case_run(text, setting, table, NULL, NULL);
}

static int every_way_gives_the_same_motion_on_its_branch(void)
{
    static const char *const ways[] = {"dopri5, formulation: tree, loops: partitioning",
                                       "dop853, formulation: tree, loops: partitioning",
                                       "dopri5, formulation: tree, loops: index-1",
                                       "radau, formulation: tree, loops: index-3",
                                       "radau, formulation: tree, loops: ggl"};
    for (int side = -1; side <= 1; side += 2) {
        case_table bodies = {0};
        CHECK(run("dop853, formulation: index-1", side < 0 ? "side=-1" : "side=1", &bodies));
        double crank = 0, coupler = 0, a = 0, fold = 0, off = 0;
        CHECK(case_table_value(&bodies, "crank.angle", 2, &crank) && crank > 20);
        CHECK(case_table_value(&bodies, "coupler.angle", 2, &coupler));
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
            case_table tree = {0};
            CHECK(run(ways[k], side < 0 ? "side=-1" : "side=1", &tree));
            CHECK(case_table_value(&tree, "crank.angle", 2, &a));
            CHECK_NEAR(a, crank, 1e-6);
            CHECK(case_table_value(&tree, "coupler.angle", 2, &a));
            CHECK_NEAR(a, coupler, 1e-6);
            for (int i = 0; i <= 40; i++) {
                CHECK(case_table_value(&tree, "fold", 0.05 * i, &fold) && side * fold > 0.1);
                CHECK(case_table_value(&tree, "constraints.position", 0.05 * i, &off) &&
                      off < 1e-13);
            }
            case_table_clear(&tree);
        }
        case_table_clear(&bodies);
    }
    return 0;
}

// Steps of Runge and Kutta by the table itself, so that its choices can be looked at.
static flx_status step(const flx_system *s, flx_work *w, double h, double *t, double *z,
                       flx_state *x)
{
    enum { MOST = 16 };
    const flx_explicit *f = s->ops->explicit_form;
    int n = f->size(s);
    double k[4][MOST], y[MOST], moved[2];
    const double part[4] = {0, 0.5, 0.5, 1.0};
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < n; i++) y[i] = z[i] + (j ? h * part[j] * k[j - 1][i] : 0.0);
        FLX_TRY(f->rate(s, w, *t + part[j] * h, y, x, k[j]));
    }
    for (int i = 0; i < n; i++) z[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    *t += h;
    return f->project(s, w, *t, z, x, moved, moved + 1);
}

// No side of this four-bar goes round: each of them stops and turns back where the other two are in line, and is
// not to go on by itself there.
static int dependent_coordinates_change(void)
{
    const char *text = model_text("dependent_coordinates");
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_simulation_create(model, &sim) == FLX_OK);
    const flx_system *s = sim->sys;
    flx_tree_work *w = flx_tree_work_of(sim->work);
    double z[16], t = 0.0;
    CHECK(s->ops->explicit_form->size(s) <= 16);
    s->ops->explicit_form->pack(s, sim->start, z);
    flx_energies start = {0}, last = {0};
    flx_point p = flx_state_point(s, sim->start);
    CHECK(s->ops->energy(s, sim->work, &p, &start) == FLX_OK);
    for (int i = 0; i < 16000; i++) CHECK(step(s, sim->work, 1.25e-4, &t, z, sim->start) == FLX_OK);
    CHECK(s->ops->energy(s, sim->work, &p, &last) == FLX_OK);
    CHECK_NEAR(last.kinetic, start.kinetic, 1e-7 * start.kinetic); // nothing else acts
    CHECK(w->partition.changes > 4);
    CHECK(w->partition.changes < 100);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- many ---------------------------------------------------------------------------------------

// Parallel four-bars side by side: what their closures leave is a band, whatever their number.
#define SIDE_BY_SIDE model_text("side_by_side")

static int many_loops_cost_no_more_than_they_are(void)
{
    static const char *const ways[][2] = {{"dopri5, rtol: 1e-10, atol: 1e-12", "index-1"},
                                          {"radau, rtol: 1e-9, atol: 1e-11", "ggl"}};
    for (int k = 0; k < 2; k++) {
        case_table table[2] = {{0}, {0}};
        for (int form = 0; form < 2; form++) {
            char text[2600];
            snprintf(text, sizeof text,
                     "%ssimulate: {until: 0.3, method: %s, formulation: %s}\n"
                     "outputs: {every: 0.1, signals: [crank(0).angle, coupler(40).angle, x, "
                     "right(20).reaction]}\n",
                     SIDE_BY_SIDE, ways[k][0], form ? ways[k][1] : "tree");
            CHECK(case_run(text, NULL, table + form, NULL, NULL));
        }
        static const char *const names[] = {"crank(0).angle", "coupler(40).angle", "x"};
        for (int i = 0; i < 3; i++) {
            double a = 0, b = 1;
            CHECK(case_table_value(table, names[i], 0.3, &a));
            CHECK(case_table_value(table + 1, names[i], 0.3, &b));
            CHECK_NEAR(a, b, 1e-8);
        }
        case_table_clear(table);
        case_table_clear(table + 1);
    }
    // numbers that are kept for each loop
    long kept[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        char text[2600], *N;
        snprintf(text, sizeof text, "%ssimulate: {until: 1, method: radau, formulation: tree}\n",
                 SIDE_BY_SIDE);
        N = strstr(text, "N: 40");
        N[3] = k ? '8' : '4';
        CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &model) == FLX_OK);
        CHECK(flx_simulation_create(model, &sim) == FLX_OK);
        const flx_tree *t = flx_tree_of(sim->sys);
        const flx_pattern *b = &t->fronts.border.pattern, *p = &sim->sys->pattern;
        CHECK(t->by_links && t->fronts.border.sparse);
        kept[k] =
            b->row[b->nblock] + p->offset[p->row[p->nblock]] + p->extra + (long)t->fronts.matrices;
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    CHECK((double)kept[1] < 2.1 * (double)kept[0]);
    return 0;
}

// Every loop of a ladder shares its rails with all that are nearer the foot, and yet each is taken out where
// it is.
static const char ladder[] = LADDER_TEXT "  push: {type: force, on: left(N), value: [30, 0]}\n";

// The same in space, where three rows of every loop say nothing new.
static const char ladder_in_space[] =
    "flexion: 1\ngravity: [0, -9.81, 0]\nparameters: {N: %d}\nbodies:\n"
    "  left: {repeat: {i: [1, N]}, type: rigid, mass: 1, inertia: [0.1, 0.02, 0.1],\n"
    "         position: [0, i - 0.5, 0]}\n"
    "  right: {repeat: {i: [1, N]}, like: left, position: [1, i - 0.5, 0]}\n"
    "  rung: {repeat: {i: [1, N]}, type: rigid, mass: 0.5, inertia: [0.01, 0.05, 0.05],\n"
    "         position: [0.5, i, 0]}\n"
    "joints:\n"
    "  L1: {type: revolute, on: [ground, left(1)], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  R1: {type: revolute, on: [ground, right(1)], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  L: {repeat: {i: [2, N]}, type: revolute, on: [left(i-1), left(i)], at: [0, i-1, 0],\n"
    "      axis: [0, 0, 1]}\n"
    "  R: {repeat: {i: [2, N]}, type: revolute, on: [right(i-1), right(i)], at: [1, i-1, 0],\n"
    "      axis: [0, 0, 1]}\n"
    "  A: {repeat: {i: [1, N]}, type: revolute, on: [left(i), rung(i)], at: [0, i, 0],\n"
    "      axis: [0, 0, 1]}\n"
    "  B: {repeat: {i: [1, N]}, type: revolute, on: [right(i), rung(i)], at: [1, i, 0],\n"
    "      axis: [0, 0, 1]}\n"
    "forces:\n"
    "  k: {repeat: {i: [2, N]}, type: spring, on: L(i), stiffness: 500, damping: 5}\n"
    "  foot: {type: spring, on: L1, stiffness: 5000, damping: 50}\n"
    "  push: {type: force, on: left(N), value: [30, 0, 0]}\n";

// A chain whose joints all rub: every joint is a closure between free bodies.
static const char rubbing[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {N: %d}\nbodies:\n"
    "  link: {repeat: {i: [1, N]}, type: rigid, mass: 1, inertia: 0.1, position: [i - 0.5, 0]}\n"
    "joints:\n"
    "  first: {type: revolute, on: [ground, link(1)], at: [0, 0],\n"
    "          friction: {coefficient: 0.3, radius: 0.05, velocity: 0.5}}\n"
    "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: [i-1, 0],\n"
    "        friction: {coefficient: 0.3, radius: 0.05, velocity: 0.5}}\n";

// The same motion as in coordinates of bodies, by an explicit and an implicit method.
static int moves_alike(const char *model, int n, const char *const names[3])
{
    static const char *const ways[][2] = {{"dopri5, rtol: 1e-9, atol: 1e-11", "index-1"},
                                          {"radau, rtol: 1e-8, atol: 1e-10", "ggl"}};
    char text[2600];
    for (int k = 0; k < 2; k++) {
        case_table table[2] = {{0}, {0}};
        for (int form = 0; form < 2; form++) {
            int at = snprintf(text, sizeof text, model, n);
            snprintf(text + at, sizeof text - (size_t)at,
                     "simulate: {until: 0.05, method: %s, formulation: %s}\n"
                     "outputs: {every: 0.05, signals: [%s, %s, %s]}\n",
                     ways[k][0], form ? ways[k][1] : "tree", names[0], names[1], names[2]);
            CHECK(case_run(text, NULL, table + form, NULL, NULL));
        }
        for (int i = 0; i < 3; i++) {
            double a = 0, b = 1;
            CHECK(case_table_value(table, names[i], 0.05, &a));
            CHECK(case_table_value(table + 1, names[i], 0.05, &b));
            CHECK_NEAR(a, b, 1e-7);
        }
        case_table_clear(table);
        case_table_clear(table + 1);
    }
    return 0;
}

// Numbers of the factors and of the tangent, for n, 2 n and 4 n; what is left in the border does not grow.
static int grows_linearly(const char *model, int n, int border)
{
    double numbers[3] = {0}, entries[3] = {0};
    char text[2600];
    for (int k = 0; k < 3; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        int at = snprintf(text, sizeof text, model, n << k);
        snprintf(text + at, sizeof text - (size_t)at,
                 "simulate: {until: 1, method: radau, formulation: tree}\n");
        CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(flx_simulation_create(m, &sim) == FLX_OK);
        const flx_tree_fronts *f = &flx_tree_of(sim->sys)->fronts;
        const flx_pattern *p = &sim->sys->pattern;
        CHECK(flx_tree_of(sim->sys)->by_links && f->nborder <= border);
        numbers[k] = (double)f->matrices;
        entries[k] = p->row[p->nblock];
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    CHECK(numbers[1] < 2.1 * numbers[0] && numbers[2] < 2.1 * numbers[1]);
    CHECK(entries[1] < 2.1 * entries[0] && entries[2] < 2.1 * entries[1]);
    return 0;
}

static int many(void)
{
    return short_runs() ? 26 : 50; // sanitizers take their time
}

static int ladders_cost_what_their_rungs_do(void)
{
    static const char *const names[3] = {"left(26).angle", "rung(26).position.x", "L1.angle"};
    CHECK(moves_alike(ladder, 26, names) == 0); // more closures than a full border has
    return grows_linearly(ladder, many(), 4);   // loops by the ground
}

static int redundant_rows_of_many_loops(void)
{
    static const char *const names[3] = {"left(26).position.x", "rung(26).position.x", "L1.angle"};
    CHECK(moves_alike(ladder_in_space, 26, names) == 0);
    return grows_linearly(ladder_in_space, 26, 4);
}

// Plates of a net, each of which is in up to four loops.
static int nets_cost_what_their_cells_do(void)
{
    static const char *const names[3] = {"plate(6)(1).position.z", "plate(6)(4).position.x",
                                         "plate(2)(3).position.z"};
    CHECK(moves_alike(NET_TEXT, 6, names) == 0);
    return grows_linearly(NET_TEXT, 25, 3);
}

static int friction_in_every_joint(void)
{
    static const char *const names[3] = {"link(1).angle", "link(26).angle", "link(26).position.y"};
    CHECK(moves_alike(rubbing, 26, names) == 0);
    return grows_linearly(rubbing, many(), 0);
}

// Bodies that fall together have no force in their joint: its multipliers are rounding from the start on.
static int friction_without_a_force(void)
{
    static const char *const methods[] = {"radau", "dopri5"};
    char text[1200];
    for (int k = 0; k < 2; k++) {
        case_table table = {0};
        double y = 0.0;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [-0.3621, -4.0101]\nbodies:\n"
                 "  a: {type: rigid, mass: 1.669, inertia: 0.056, com: [-0.2058, -0.1408],\n"
                 "      position: [-0.4918, -0.8519], orientation: -0.068}\n"
                 "  b: {type: rigid, mass: 2.338, inertia: 0.3, com: [-0.0992, 0.1582],\n"
                 "      position: [-2.2867, -1.5869], orientation: -0.428}\njoints:\n"
                 "  J: {type: revolute, on: [a, b], at: [-1.1612, -1.3125],\n"
                 "      friction: {coefficient: 0.2, radius: 0.05, velocity: 0.3}}\n"
                 "simulate: {until: 0.1, method: %s, formulation: tree, rtol: 1e-8, atol: 1e-10}\n"
                 "outputs: {every: 0.1, signals: [a.position.y]}\n",
                 methods[k]);
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "a.position.y", 0.1, &y));
        CHECK_NEAR(y, -0.8519 - 0.5 * 4.0101 * 0.01, 1e-9);
        case_table_clear(&table);
    }
    return 0;
}

// Closures of positions and of rates beside each other after an event: their rows have weights that are powers apart.
static int gear_and_edge_meet_an_event(void)
{
    static const char *const methods[] = {
        "dop853, formulation: tree", "dop853, formulation: index-1", "radau, formulation: tree"};
    static const char *const signals[] = {"right.angle", "right.rate", "a.rate"};
    for (int i = 1; i <= 6; i++) {
        double value[3][3];
        for (int k = 0; k < 3; k++) {
            char text[2600];
            case_table t = {0};
            snprintf(
                text, sizeof text,
                "flexion: 1\ndimension: 2\nbodies:\n"
                "  a: {type: rigid, mass: 1, inertia: 0.3, position: [0.58, 0.64], velocity: "
                "[-0.81, -1.37],\n"
                "      angular_velocity: 1.1}\n"
                "  b: {type: rigid, mass: 1, inertia: 0.2, position: [-0.83, 0.88], "
                "angular_velocity: -0.6}\n"
                "  c: {type: rigid, mass: 1, inertia: 0.25, position: [-0.27, -0.05], "
                "angular_velocity: -0.44}\n"
                "joints:\n"
                "  left: {type: revolute, on: [ground, b], at: [-0.36, 0.58]}\n"
                "  right: {type: revolute, on: [ground, c], at: [-0.3%d, -0.0%d]}\n"
                "  edge: {type: knife-edge, on: [c, a], at: [0.6%d, 0.7%d], axis: [0.74, -0.67]}\n"
                "  mesh: {type: gear, on: [left, right], ratio: 0.7%d}\n"
                "events: {wall: {when: right.angle < -0.03, set: {right.rate: -0.5*right.rate}}}\n"
                "simulate: {until: 0.2, method: %s, rtol: 1e-10}\n"
                "outputs: {times: [0.2], signals: [right.angle, right.rate, a.rate]}\n",
                i, i, i, i, i, methods[k]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            for (int n = 0; n < 3; n++) CHECK(case_table_value(&t, signals[n], 0.2, &value[k][n]));
            case_table_clear(&t);
        }
        for (int n = 0; n < 3; n++) {
            CHECK_NEAR(value[1][n], value[0][n], 1e-8);
            CHECK_NEAR(value[2][n], value[0][n], 1e-8);
        }
    }
    return 0;
}

TEST_MAIN(TEST(friction_without_a_force), SLOW_TEST(ladders_cost_what_their_rungs_do),
          SLOW_TEST(nets_cost_what_their_cells_do), SLOW_TEST(redundant_rows_of_many_loops),
          TEST(friction_in_every_joint), SLOW_TEST(every_way_gives_the_same_motion_on_its_branch),
          TEST(dependent_coordinates_change), SLOW_TEST(many_loops_cost_no_more_than_they_are),
          TEST(gear_and_edge_meet_an_event))
