// Derivations of leaves against differences: the rule of time along a motion, and unit motions of a
// body.
#include "pose.h"

#define STEP 1e-5

static const flx_body bodies[2] = {{.type = FLX_BODY_RIGID}, {.type = FLX_BODY_RIGID}};

static const struct {
    flx_leaf_kind kind;
    int components[2]; // in space, in the plane
} moving[] = {{FLX_LEAF_BODY_POSITION, {3, 2}}, {FLX_LEAF_BODY_ROTATION, {9, 1}},
              {FLX_LEAF_BODY_VELOCITY, {3, 2}}, {FLX_LEAF_BODY_ANGULAR_VELOCITY, {3, 1}},
              {FLX_LEAF_VARIABLE, {1, 1}},      {FLX_LEAF_VARIABLE_RATE, {1, 1}},
              {FLX_LEAF_STATE, {1, 1}},         {FLX_LEAF_TIME, {1, 1}}};

static int rates(int dimension)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_graph *g = flx_graph_create(ctx);
    CHECK(ctx && g);
    flx_model m = {.ctx = ctx, .graph = g, .dimension = dimension, .bodies = (flx_body *)bodies};
    double t = 0.7;
    for (size_t k = 0; k < sizeof moving / sizeof moving[0]; k++) {
        for (int c = 0; c < moving[k].components[dimension == 2]; c++) {
            flx_leaf leaf = flx_leaf_make(moving[k].kind, 1, c);
            flx_node rate = flx_leaf_time_rate(g, &m, leaf);
            double d = (pose_leaf(&m, leaf, t + STEP) - pose_leaf(&m, leaf, t - STEP)) / (2 * STEP);
            CHECK_NEAR(pose_eval(&m, rate, t), d, 1e-8);
        }
    }
    flx_node turns = flx_leaf_time_rate(g, &m, flx_leaf_make(FLX_LEAF_TURNS, 3, 0));
    CHECK_NEAR(pose_eval(&m, turns, t), 0, 0);
    CHECK(flx_ctx_error_count(ctx) == 0);
    CHECK(flx_leaf_time_rate(g, &m, flx_leaf_make(FLX_LEAF_REACTION, 0, 0)) < 0);
    CHECK(flx_ctx_error_count(ctx) == 1);
    flx_graph_destroy(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int rates_in_space(void)
{
    return rates(3);
}

static int rates_in_the_plane(void)
{
    return rates(2);
}

// A leaf of a body after a small motion s along d.
static double moved(const flx_model *m, flx_leaf leaf, int body, int d, double s, double t)
{
    int c = flx_leaf_get_component(leaf);
    bool planar = m->dimension == 2;
    double x = pose_leaf(m, leaf, t);
    if (flx_leaf_get_index(leaf) != body) return x;
    if (flx_leaf_get_kind(leaf) == FLX_LEAF_BODY_POSITION) {
        return d < (planar ? 2 : 3) && c == d ? x + s : x;
    }
    if (flx_leaf_get_kind(leaf) != FLX_LEAF_BODY_ROTATION || d < (planar ? 2 : 3)) return x;
    if (planar) return x + s;
    v3 e = v3_make(d == 3, d == 4, d == 5);
    return m33_mul(pose_R(m, body, t), quat_to_m33(quat_exp(v3_scale(s, e)))).m[c];
}

static int motions(int dimension)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_graph *g = flx_graph_create(ctx);
    CHECK(ctx && g);
    flx_model m = {.ctx = ctx, .graph = g, .dimension = dimension, .bodies = (flx_body *)bodies};
    double t = 0.4;
    for (int d = 0; d < (dimension == 2 ? 3 : 6); d++) {
        flx_body_motion motion = {&m, 1, d};
        for (size_t k = 0; k < 4; k++) {
            for (int c = 0; c < moving[k].components[dimension == 2]; c++) {
                for (int body = 0; body < 2; body++) {
                    flx_leaf leaf = flx_leaf_make(moving[k].kind, body, c);
                    flx_node n = flx_leaf_body_motion(g, &motion, leaf);
                    double x = moved(&m, leaf, 1, d, STEP, t) - moved(&m, leaf, 1, d, -STEP, t);
                    CHECK_NEAR(pose_eval(&m, n, t), x / (2 * STEP), 1e-8);
                }
            }
        }
    }
    flx_graph_destroy(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int motions_in_space(void)
{
    return motions(3);
}

static int motions_in_the_plane(void)
{
    return motions(2);
}

TEST_MAIN(TEST(rates_in_space), TEST(rates_in_the_plane), TEST(motions_in_space),
          TEST(motions_in_the_plane))
