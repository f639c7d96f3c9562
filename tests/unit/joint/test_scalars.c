// Functions of two frames are written twice, as numbers (scalar.c) and as nodes (scalar_graph.c): both give the same, of
// every kind, at random frames, and so do their rates.
#include "check.h"
#include "joint/scalar_graph.h"
#include "math/small.h"
#include "random_number.h"

#include "expr/expr.h"
#include "expr/graph.h"

#include <stdlib.h>

#define TIME ((flx_leaf)0)

typedef struct world {
    uint64_t seed;
    flx_ctx *ctx;
    flx_graph *g;
    bool planar;
    flx_frame space[2];
    flx_frame2 plane[2];
    double v[2][6];
    flx_scalar s;
    n33 R[2]; // as they turn in time
    n3 r[2];
} world;

static v3 some(world *w)
{
    double x = random_number(&w->seed), y = random_number(&w->seed), z = random_number(&w->seed);
    return v3_make(x, y, w->planar ? 0.0 : z);
}

static bool is_planar(flx_scalar_kind kind)
{
    return kind >= FLX_SCALAR_ANGLE2;
}

// Of a frame that moves: at time t it stands at r + v t, turned by exp(w t) = 1 + t w~ + ..., whose further terms no
// first derivative sees.
static void move(world *w, int i)
{
    flx_graph *g = w->g;
    flx_node t = flx_graph_leaf(g, TIME);
    v3 spin = w->planar ? v3_make(0, 0, w->v[i][2]) : v3_load(w->v[i] + 3);
    v3 velocity = w->planar ? v3_make(w->v[i][0], w->v[i][1], 0) : v3_load(w->v[i]);
    m33 R = m33_load(w->space[i].R), dR = m33_mul(R, m33_skew(spin));
    for (int k = 0; k < 9; k++) {
        w->R[i].m[k] = node_add(g, node_const(g, R.m[k]), node_scale(g, dR.m[k], t));
    }
    w->r[i] = n3_axpy(g, t, n3_const(g, velocity), n3_const(g, v3_load(w->space[i].r)));
}

static void make_frames(world *w)
{
    for (int i = 0; i < 2; i++) {
        double angle = random_number(&w->seed);
        v3 th = w->planar ? v3_make(0, 0, angle) : some(w), r = some(w);
        m33 R = quat_to_m33(quat_exp(th));
        for (int k = 0; k < 6; k++) w->v[i][k] = random_number(&w->seed);
        m33_store(w->space[i].R, R);
        v3_store(w->space[i].r, r);
        w->plane[i] =
            (flx_frame2){.c = cos(angle), .s = sin(angle), .x = r.x, .y = r.y, .angle = angle};
        move(w, i);
    }
}

static void make_scalar(world *w, flx_scalar_kind kind)
{
    flx_scalar *s = &w->s;
    *s = (flx_scalar){.kind = kind, .turn = -1, .length = 0.7, .offset = 0.3};
    for (int i = 0; i < 2; i++) {
        v3_store(s->s[i], some(w));
        v3_store(s->a[i], v3_unit(some(w)));
        s->e.frame[i] = i;
        s->e.v[i] = 6 * i;
        s->e.nv[i] = w->planar ? 3 : 6;
    }
    v3_store(s->b, v3_unit(some(w)));
    if (kind != FLX_SCALAR_TWIST && kind != FLX_SCALAR_TURN) return;
    for (int i = 0; i < 2; i++) { // axes of the two frames
        double(*axis)[3] = i ? s->s : s->a;
        v3 x = v3_unit(some(w)), z = v3_unit(v3_cross(x, some(w)));
        v3_store(axis[0], x);
        v3_store(axis[1], v3_cross(z, x));
    }
}

static n3 turned(world *w, int i, const double a[3])
{
    return n33_mul_v(w->g, w->R[i], n3_const(w->g, v3_load(a)));
}

static void fill(world *w, flx_scalar_nodes *n)
{
    flx_graph *g = w->g;
    const flx_scalar *s = &w->s;
    flx_node t = flx_graph_leaf(g, TIME);
    n->length = node_const(g, s->length);
    n->ball = w->planar;
    for (int i = 0; i < 2; i++) {
        const double *v = w->v[i];
        n->place[i] = n3_add(g, w->r[i], turned(w, i, s->s[i]));
        n->a[i] = turned(w, 0, s->a[i]);
        n->centre[i] = w->r[i];
        n->velocity[i] = n3_const(g, w->planar ? v3_make(v[0], v[1], 0) : v3_load(v));
        n->spin[i] = w->planar ? n3_const(g, v3_make(0, 0, v[2])) : turned(w, i, v + 3);
        n->angle[i] = node_add(g, node_const(g, w->plane[i].angle), node_scale(g, v[2], t));
    }
    n->b = turned(w, 1, s->b);
    if (s->kind != FLX_SCALAR_TWIST && s->kind != FLX_SCALAR_TURN) return;
    for (int i = 0; i < 2; i++) {
        const double(*axis)[3] = i ? s->s : s->a;
        v3 x = v3_load(axis[0]), y = v3_load(axis[1]);
        n->frame[i] = n33_mul(g, w->R[i], n33_rotation(g, m33_from_cols(x, y, v3_cross(x, y))));
    }
    n->b = n3_const(g, v3_load(s->b));
}

static flx_node rate_of_time(flx_graph *g, void *user, flx_leaf leaf)
{
    (void)leaf;
    (void)user;
    return node_const(g, 1.0);
}

static double value_at_start(world *w, flx_node n)
{
    const flx_leaf leaf = TIME;
    const double t = 0.0;
    flx_program *p = NULL;
    double out = (double)NAN;
    if (n < 0 || flx_program_compile(w->g, 1, &leaf, 1, &n, &p) != FLX_OK) return out;
    double *scratch = malloc(sizeof(double) * (size_t)(flx_program_scratch(p) + 1));
    flx_program_eval(p, &t, scratch, &out);
    free(scratch);
    flx_program_destroy(&p);
    return out;
}

static int one_scalar(flx_scalar_kind kind, uint64_t seed)
{
    world w = {.seed = seed, .ctx = flx_ctx_create(), .planar = is_planar(kind)};
    w.g = flx_graph_create(w.ctx);
    make_frames(&w);
    make_scalar(&w, kind);
    flx_scalar_nodes n = {0};
    fill(&w, &n);
    flx_jet j = {0};
    flx_frames f = {w.planar ? NULL : w.space, w.planar ? w.plane : NULL};
    flx_scalar_gradient(&w.s, f, NULL, &j);
    double rate = flx_jet_rate(&w.s, &j, w.v[0]);
    flx_node node = flx_scalar_graph(w.g, kind, &n);
    double value = value_at_start(&w, node);
    bool velocity = kind == FLX_SCALAR_ROLL || kind == FLX_SCALAR_KNIFE ||
                    kind == FLX_SCALAR_ROLL2 || kind == FLX_SCALAR_KNIFE2;
    printf("kind %d, seed %d: ", (int)kind, (int)seed);
    if (velocity) {
        CHECK_NEAR(value, rate, 1e-14);
    } else {
        CHECK_NEAR(value - w.s.offset, j.value, 1e-14);
        flx_node slope = flx_graph_derive(w.g, node, rate_of_time, NULL);
        CHECK_NEAR(value_at_start(&w, slope), rate, 1e-12);
    }
    printf("%.6f, %.6f\n", value, rate);
    flx_graph_destroy(&w.g);
    flx_ctx_destroy(&w.ctx);
    return 0;
}

static int numbers_and_nodes_agree(void)
{
    for (int kind = 0; kind < FLX_SCALAR_COUNT; kind++) {
        if (kind == FLX_SCALAR_GAP || kind == FLX_SCALAR_SLIP || kind == FLX_SCALAR_CURVE)
            continue; // no expressions
        for (uint64_t seed = 1; seed <= 5; seed++)
            CHECK(one_scalar((flx_scalar_kind)kind, seed) == 0);
    }
    return 0;
}

TEST_MAIN(TEST(numbers_and_nodes_agree))
