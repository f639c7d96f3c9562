// Frozen expressions: with switches as they are, the same values as before; beyond, the branch that
// was taken; and the derivatives of the branch.
#include "expr_rig.h"

enum { MOST = 16, FIRST_SWITCH = 100 };

// The switches met, and which leaves move: all but number 2.
typedef struct collected {
    flx_graph *g;
    int n;
    flx_switch_kind kind[MOST];
    flx_node value[MOST];
    int cut[MOST];
    bool closed; // no new ones
} collected;

static bool moves(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf < 2;
}

static bool is_time(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == 1;
}

static bool find(void *user, flx_switch_kind kind, flx_node value, int cut, flx_node *leaf)
{
    collected *c = user;
    int i = 0;
    while (i < c->n && (c->kind[i] != kind || c->value[i] != value || c->cut[i] != cut)) i++;
    *leaf = -1;
    if (i == c->n) {
        if (c->closed || c->n == MOST) return true;
        c->kind[c->n] = kind;
        c->value[c->n] = value;
        c->cut[c->n++] = cut;
    }
    *leaf = flx_graph_leaf(c->g, FIRST_SWITCH + (flx_leaf)i);
    return *leaf >= 0;
}

// The value of a node where leaves 0, 1, 2 are x and the switches s.
static double value(flx_graph *g, flx_node n, const double x[3], const double *s)
{
    flx_leaf leaves[3 + MOST];
    double in[3 + MOST], scratch[400], out = (double)NAN;
    for (int i = 0; i < 3 + MOST; i++) {
        leaves[i] = i < 3 ? (flx_leaf)i : FIRST_SWITCH + (flx_leaf)(i - 3);
        in[i] = i < 3 ? x[i] : s[i - 3];
    }
    flx_program *p = NULL;
    if (flx_program_compile(g, 3 + MOST, leaves, 1, &n, &p) == FLX_OK &&
        flx_program_scratch(p) <= 400) {
        flx_program_eval(p, in, scratch, &out);
    }
    flx_program_destroy(&p);
    return out;
}

// Switches as they are at x: inner ones come first.
static void settle(const collected *c, const double x[3], double *s)
{
    for (int i = 0; i < MOST; i++) s[i] = 0;
    for (int i = 0; i < c->n; i++) {
        double g = value(c->g, c->value[i], x, s);
        s[i] = c->kind[i] == FLX_SWITCH_ABOVE       ? g > 0
               : c->kind[i] == FLX_SWITCH_NOT_BELOW ? g >= 0
               : c->kind[i] == FLX_SWITCH_FLOOR     ? floor(g)
                                                    : flx_cut_piece(c->g, c->cut[i], g);
    }
}

static double spread(uint64_t *state)
{
    return 6.0 * (double)(rig_random(state) >> 11) / 9007199254740992.0 - 3.0;
}

#define U(op, a) flx_graph_unary(g, FLX_OP_##op, a)
#define B(op, a, b) flx_graph_binary(g, FLX_OP_##op, a, b)
#define K(v) flx_graph_const(g, v)

static int frozen_is_the_same_where_it_was_frozen(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_graph *g = r.g;
    flx_node x = flx_graph_leaf(g, 0), y = flx_graph_leaf(g, 1), u = flx_graph_leaf(g, 2);
    const double px[] = {-1, 0, 2}, py[] = {1, 3, 2};
    int lines = flx_graph_add_table(g, 3, px, py, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    int curve = flx_graph_add_table(g, 3, px, py, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_HOLD);
    int smooth = flx_graph_add_table(g, 3, px, py, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_EXTEND);
    flx_node inner = flx_graph_if(g, B(LT, x, y), x, B(MUL, y, y));
    const flx_node nodes[] = {
        U(ABS, x),
        U(SIGN, B(SUB, x, y)),
        B(MIN, x, B(MUL, y, x)),
        B(MAX, x, y),
        U(FLOOR, x),
        U(CEIL, x),
        U(ROUND, y),
        B(MOD, x, K(0.7)),
        B(MUL, B(LE, x, y), x),
        flx_graph_if(g, B(AND, B(LT, inner, K(0.5)), U(NOT, B(LE, y, K(0)))), U(SIN, x), inner),
        flx_graph_table(g, lines, 0, y),
        flx_graph_table(g, lines, 0, B(ADD, x, y)),
        flx_graph_table(g, curve, 0, x),
        flx_graph_table(g, smooth, 0, x),
        flx_graph_if(g, B(LT, u, K(0.5)), x, y),
    };
    // no switch is made where the continuation is smooth, nor of what does not move
    const int switches[] = {1, 2, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 0, 0};
    uint64_t state = 7;
    for (size_t k = 0; k < sizeof nodes / sizeof nodes[0]; k++) {
        collected c = {.g = g};
        flx_freezer f = {.g = g, .user = &c, .moves = moves, .is_time = is_time, .find = find};
        flx_node frozen = flx_graph_freeze(&f, nodes[k]);
        CHECK(frozen >= 0 && c.n == switches[k]);
        CHECK(flx_graph_freeze(&f, nodes[k]) == frozen && c.n == switches[k]);
        for (int i = 0; i < 200; i++) {
            double s[MOST], at[3] = {spread(&state), spread(&state), spread(&state)};
            settle(&c, at, s);
            CHECK_NEAR(value(g, frozen, at, s), value(g, nodes[k], at, s), 1e-14);
        }
        flx_freezer_clear(&f);
    }
    rig_down(&r);
    return 0;
}

static int frozen_goes_on_beyond(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_graph *g = r.g;
    flx_node x = flx_graph_leaf(g, 0), t = flx_graph_leaf(g, 1);
    const double px[] = {0, 1, 2}, py[] = {0, 1, 0};
    int lines = flx_graph_add_table(g, 3, px, py, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    collected c = {.g = g};
    flx_freezer f = {.g = g, .user = &c, .moves = moves, .is_time = is_time, .find = find};
    flx_node size = flx_graph_freeze(&f, U(ABS, x)), table = flx_graph_table(g, lines, 0, t);
    flx_node roof = flx_graph_freeze(&f, table);
    double s[MOST], at[3] = {0.5, 0.75, 0};
    flx_leaf time = 1;
    settle(&c, at, s);
    at[0] = -0.5; // past the corner the branch goes on
    at[1] = 1.25;
    CHECK(value(g, size, at, s) == -0.5);
    CHECK(value(g, roof, at, s) == 1.25);
    // and its slope is a number of the piece, which depends on the time no more
    flx_node slope = flx_graph_derive(g, roof, flx_leaf_partial, &time);
    CHECK(value(g, slope, at, s) == 1.0);
    CHECK(!flx_graph_depends(g, slope, is_time, NULL));
    double from, to;
    flx_cut_bounds(g, flx_cut_make(lines, false), 1, &from, &to);
    CHECK(from == 1 && to == 2);
    flx_cut_bounds(g, flx_cut_make(lines, false), -1, &from, &to);
    CHECK(isinf(from) && to == 0);
    flx_cut_bounds(g, flx_cut_make(lines, true), 0, &from, &to);
    CHECK(from == 0 && to == 2);
    // an expression that was not met before stays as it is when no new switches are made
    c.closed = true;
    flx_freezer late = {.g = g, .user = &c, .moves = moves, .is_time = is_time, .find = find};
    CHECK(flx_graph_freeze(&late, U(ABS, t)) == U(ABS, t));
    CHECK(flx_graph_freeze(&late, U(ABS, x)) == size);
    flx_freezer_clear(&f);
    flx_freezer_clear(&late);
    rig_down(&r);
    return 0;
}

static int two_ways_are_one_function(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_graph *g = r.g;
    flx_node x = flx_graph_leaf(g, 0), small = B(LT, x, K(1e-3));
    flx_node n = flx_graph_either(g, small, K(1), B(DIV, U(SIN, x), x));
    collected c = {.g = g};
    flx_freezer f = {.g = g, .user = &c, .moves = moves, .is_time = is_time, .find = find};
    flx_leaf leaf = 0;
    CHECK(flx_graph_freeze(&f, n) == n && c.n == 0);
    flx_node d = flx_graph_derive(g, n, flx_leaf_partial, &leaf);
    CHECK(flx_graph_freeze(&f, d) == d && c.n == 0);
    CHECK(flx_graph_is_condition(g, small) && !flx_graph_is_condition(g, x));
    flx_freezer_clear(&f);
    rig_down(&r);
    return 0;
}

// What the condition of two ways compares stays on the side of the switches, as the ways do: past the corner of |x| the one of the branch goes on.
static int ways_are_chosen_on_the_side_of_the_switches(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_graph *g = r.g;
    flx_node x = flx_graph_leaf(g, 0), u = flx_graph_leaf(g, 2), size = U(ABS, x);
    const flx_node conditions[] = {B(LT, K(0), size), B(AND, B(LE, K(0), size), B(LT, u, K(2))),
                                   U(NOT, B(OR, B(LE, size, K(0)), B(LT, K(2), u)))};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        collected c = {.g = g};
        flx_freezer f = {.g = g, .user = &c, .moves = moves, .is_time = is_time, .find = find};
        flx_node n =
            flx_graph_freeze(&f, flx_graph_either(g, conditions[i], B(ADD, size, K(2)), K(2)));
        double s[MOST], at[3] = {0.5, 0, 1};
        CHECK(n >= 0 && c.n == 1);
        settle(&c, at, s);
        CHECK(value(g, n, at, s) == 2.5);
        at[0] = -0.25;
        CHECK(value(g, n, at, s) == 2.0);
        settle(&c, at, s);
        CHECK(value(g, n, at, s) == 2.25);
        flx_freezer_clear(&f);
    }
    rig_down(&r);
    return 0;
}

TEST_MAIN(TEST(frozen_is_the_same_where_it_was_frozen), TEST(frozen_goes_on_beyond),
          TEST(two_ways_are_one_function), TEST(ways_are_chosen_on_the_side_of_the_switches))
