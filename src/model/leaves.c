// leaves.c - the table of the model's leaves, and their derivations: the rule of time, and unit motions
// of one body.
//
//     r' = v,  R' = R w~,  v' = a,  w' = alpha            w: angular velocity in body axes
//     motion of body b, d < 3:  dr = e_d;   d >= 3:  dR = R e_k~, k = d - 3      (planar: angle' = 1)
//
// R w~ by columns, indices modulo 3:  (R w~)_ij = R_i,j+1 w_j+2 - R_i,j+2 w_j+1.
#include "model/model_data.h"
#include "model/nodes.h"
#include "model/numbers.h"

// Entry (row, column) of R w~ with w in leaves.
static flx_node turned_entry(flx_graph *g, int body, int row, int column)
{
    int j1 = (column + 1) % 3, j2 = (column + 2) % 3;
    flx_node r1 = node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j1);
    flx_node r2 = node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j2);
    flx_node w1 = node_leaf(g, FLX_LEAF_BODY_ANGULAR_VELOCITY, body, j1);
    flx_node w2 = node_leaf(g, FLX_LEAF_BODY_ANGULAR_VELOCITY, body, j2);
    return node_sub(g, node_mul(g, r1, w2), node_mul(g, r2, w1));
}

// ---- rates --------------------------------------------------------------------------------------

static flx_node rate_of_time(flx_graph *g, const flx_model *m, int index, int component)
{
    (void)m, (void)index, (void)component;
    return flx_graph_const(g, 1.0);
}

static flx_node no_rate(flx_graph *g, const flx_model *m, int index, int component)
{
    (void)m, (void)index, (void)component;
    return flx_graph_const(g, 0.0);
}

static flx_node rate_of_rotation(flx_graph *g, const flx_model *m, int index, int c)
{
    if (m->dimension == 2) return node_leaf(g, FLX_LEAF_BODY_ANGULAR_VELOCITY, index, 0);
    return turned_entry(g, index, c / 3, c % 3);
}

// The rate is another leaf.
#define RATE(name, KIND)                                                                           \
    static flx_node name(flx_graph *g, const flx_model *m, int index, int component)               \
    {                                                                                              \
        (void)m;                                                                                   \
        return node_leaf(g, FLX_LEAF_##KIND, index, component);                                    \
    }
RATE(rate_of_position, BODY_VELOCITY)
RATE(rate_of_velocity, BODY_ACCELERATION)
RATE(rate_of_spin, BODY_ANGULAR_ACCELERATION)
RATE(rate_of_variable, VARIABLE_RATE)
RATE(rate_of_variable_rate, VARIABLE_RATE2)
RATE(rate_of_state, STATE_RATE)
#undef RATE

// ---- unit motions -------------------------------------------------------------------------------

// Entry (row, column) of R e_k~.
static flx_node unit_turn(flx_graph *g, int body, int row, int column, int k)
{
    int j1 = (column + 1) % 3, j2 = (column + 2) % 3;
    if (k == j2) return node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j1);
    if (k == j1) {
        return flx_graph_unary(g, FLX_OP_NEG,
                               node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j2));
    }
    return flx_graph_const(g, 0.0);
}

static flx_node moved_position(flx_graph *g, const flx_body_motion *b, int c)
{
    return flx_graph_const(g, b->d < b->model->dimension && b->d == c);
}

static flx_node moved_rotation(flx_graph *g, const flx_body_motion *b, int c)
{
    if (b->d < b->model->dimension) return flx_graph_const(g, 0.0);
    if (b->model->dimension == 2) return flx_graph_const(g, 1.0);
    return unit_turn(g, b->body, c / 3, c % 3, b->d - 3);
}

// ---- parameters of a run ------------------------------------------------------------------------

static int parameter_of_factor(const flx_model *m, flx_leaf leaf)
{
    (void)m;
    return flx_leaf_get_index(leaf);
}

static int parameter_of_input(const flx_model *m, flx_leaf leaf)
{
    return flx_param_input(m, flx_leaf_get_index(leaf),
                           (flx_input_part)flx_leaf_get_component(leaf));
}

static int parameter_of_tunable(const flx_model *m, flx_leaf leaf)
{
    int k = flx_model_tunable(m, leaf);
    return k < 0 ? -1 : flx_param_tunable(m, k);
}

static int parameter_of_number(const flx_model *m, flx_leaf leaf)
{
    return flx_param_hoisted(m, flx_leaf_get_index(leaf));
}

// ---- the table ----------------------------------------------------------------------------------

#define QUANTITY(x) .target = -1, .quantity = FLX_QUANTITY_##x
#define SETS(x) .target = FLX_TARGET_##x
#define NUMBER(x) QUANTITY(PARAMETER), .rate = no_rate, .parameter = (x)

static const flx_leaf_traits kinds[FLX_LEAF_KINDS] = {
    [FLX_LEAF_TIME] = {QUANTITY(TIME), .name = "the time", .unit = "s", .rate = rate_of_time,
                       .fixed = "the time goes on by itself"},
    [FLX_LEAF_PARAMETER] = {NUMBER(parameter_of_tunable), .name = "a parameter"},
    [FLX_LEAF_FACTOR] = {NUMBER(parameter_of_factor), .name = "a load factor", .unit = ""},
    [FLX_LEAF_INPUT] = {NUMBER(parameter_of_input), .name = "an input"},
    [FLX_LEAF_NUMBER] = {NUMBER(parameter_of_number), .name = "a number of parameters"},
    [FLX_LEAF_BODY_POSITION] = {QUANTITY(POSITION), .name = "a position", .unit = "m", .body = true,
                                .rate = rate_of_position, .moved = moved_position},
    [FLX_LEAF_BODY_ROTATION] = {QUANTITY(POSITION), .name = "an orientation", .unit = "",
                                .body = true, .rate = rate_of_rotation, .moved = moved_rotation},
    [FLX_LEAF_BODY_VELOCITY] = {QUANTITY(VELOCITY), .name = "a velocity", .unit = "m/s",
                                .body = true, .rate = rate_of_velocity},
    [FLX_LEAF_BODY_ANGULAR_VELOCITY] = {QUANTITY(VELOCITY), .name = "an angular velocity",
                                        .unit = "rad/s", .body = true, .rate = rate_of_spin},
    [FLX_LEAF_BODY_ACCELERATION] = {QUANTITY(ACCELERATION), .name = "an acceleration",
                                    .unit = "m/s^2", .body = true, .output_only = true},
    [FLX_LEAF_BODY_ANGULAR_ACCELERATION] = {QUANTITY(ACCELERATION), .name = "an acceleration",
                                            .unit = "rad/s^2", .body = true, .output_only = true},
    [FLX_LEAF_VARIABLE] = {.quantity = FLX_QUANTITY_POSITION,
                           SETS(VARIABLE),
                           .name = "a variable",
                           .rate = rate_of_variable},
    [FLX_LEAF_VARIABLE_RATE] = {.quantity = FLX_QUANTITY_VELOCITY,
                                SETS(VARIABLE_RATE),
                                .name = "the rate of a variable",
                                .rate = rate_of_variable_rate},
    [FLX_LEAF_VARIABLE_RATE2] = {QUANTITY(ACCELERATION), .name = "an acceleration",
                                 .output_only = true},
    [FLX_LEAF_STATE] = {.quantity = FLX_QUANTITY_STATE,
                        SETS(STATE),
                        .name = "a first-order variable",
                        .rate = rate_of_state},
    [FLX_LEAF_STATE_RATE] = {QUANTITY(STATE_RATE), .name = "the rate of a first-order variable",
                             .output_only = true},
    [FLX_LEAF_ALGEBRAIC] = {QUANTITY(ALGEBRAIC), .name = "an algebraic variable",
                            .fixed = "it is algebraic, and follows from its equation at any time"},
    [FLX_LEAF_TURNS] = {QUANTITY(HELD), .joint = true, .name = "turns of a joint", .unit = "",
                        .rate = no_rate},
    [FLX_LEAF_SWITCH] = {QUANTITY(HELD), .name = "a switch", .unit = "", .rate = no_rate},
    [FLX_LEAF_DISCRETE] = {.quantity = FLX_QUANTITY_HELD,
                           SETS(DISCRETE),
                           .name = "a discrete variable",
                           .rate = no_rate},
    [FLX_LEAF_COUNT] = {QUANTITY(HELD), .name = "how often an event has happened", .unit = "",
                        .rate = no_rate, .fixed = "it counts its event"},
    [FLX_LEAF_REACTION] = {QUANTITY(FORCE), .name = "a reaction", .joint = true},
    [FLX_LEAF_DRIVE] = {QUANTITY(FORCE), .name = "a reaction", .joint = true},
    [FLX_LEAF_MULTIPLIER] = {QUANTITY(FORCE), .name = "a reaction"},
    [FLX_LEAF_STICK] = {QUANTITY(HELD), .name = "what friction does", .unit = "", .rate = no_rate},
    [FLX_LEAF_STOP] = {QUANTITY(FORCE), .name = "a reaction"},
    [FLX_LEAF_GRIP] = {QUANTITY(FORCE), .name = "a reaction"},
    [FLX_LEAF_PULL] = {QUANTITY(FORCE), .name = "a reaction"},
    [FLX_LEAF_LOAD] = {QUANTITY(FORCE), .name = "the load of a node", .output_only = true},
    [FLX_LEAF_ENERGY] = {QUANTITY(RESULT), .name = "the energy", .unit = "J", .output_only = true,
                         .by_powers = true},
    [FLX_LEAF_MOMENTUM] = {QUANTITY(RESULT), .name = "the momentum", .output_only = true},
    [FLX_LEAF_INERTIA] = {QUANTITY(RESULT), .name = "a momentum or a mass centre",
                          .output_only = true},
    [FLX_LEAF_CONSTRAINTS] = {QUANTITY(RESULT), .name = "the residual of the constraints",
                              .unit = "", .output_only = true},
    [FLX_LEAF_SECTION] = {QUANTITY(RESULT), .name = "the force in a section", .body = true,
                          .output_only = true},
    [FLX_LEAF_RESULTANT] = {QUANTITY(RESULT), .name = "the resultant of a load",
                            .output_only = true, .by_powers = true},
    [FLX_LEAF_CONTACT] = {QUANTITY(RESULT), .name = "what happens in a contact",
                          .output_only = true, .by_powers = true},
    [FLX_LEAF_MODES] = {QUANTITY(RESULT), .name = "the result of an analysis", .output_only = true},
    [FLX_LEAF_STRESS] = {QUANTITY(RESULT), .name = "the largest stress of a body", .unit = "Pa",
                         .output_only = true},
    [FLX_LEAF_MEASURE] = {QUANTITY(MEASURE), .name = "a metric", .output_only = true},
};

const flx_leaf_traits *flx_leaf_traits_of(flx_leaf_kind kind)
{
    return (int)kind >= 0 && kind < FLX_LEAF_KINDS ? kinds + kind : NULL;
}

bool flx_leaf_is(flx_leaf leaf, unsigned quantities)
{
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    return k && ((unsigned)k->quantity & quantities);
}

bool flx_leaf_is_any(void *quantities, flx_leaf leaf)
{
    return flx_leaf_is(leaf, *(const unsigned *)quantities);
}

bool flx_leaf_is_output_only(void *name, flx_leaf leaf)
{
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    if (!k || !k->output_only) return false;
    if (name) *(const char **)name = k->name;
    return true;
}

flx_node flx_leaf_time_rate(flx_graph *g, void *model, flx_leaf l)
{
    const flx_model *m = model;
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(l));
    if (k && k->rate) return k->rate(g, m, flx_leaf_get_index(l), flx_leaf_get_component(l));
    (void)FLX_FAIL(m->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                   "there is no rate of accelerations, forces and algebraic variables");
    return -1;
}

flx_node flx_leaf_body_motion(flx_graph *g, void *body_motion, flx_leaf l)
{
    const flx_body_motion *b = body_motion;
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(l));
    bool moves = k && k->moved && flx_leaf_get_index(l) == b->body;
    return moves ? k->moved(g, b, flx_leaf_get_component(l)) : flx_graph_const(g, 0.0);
}
