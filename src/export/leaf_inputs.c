// leaf_inputs.c - from the leaves of the model to the inputs of what is exported.
//
// Two steps. First an expression is taken: switches become the comparisons that they stand for, and
// the angle or displacement of a joint of the tree becomes its coordinate, which counts turns by
// itself. What is left are leaves of bodies, along which forces are differentiated. Then it is
// carried to q and v: positions and velocities of bodies are those of their links.
#include "export/symbolic.h"

#include <string.h>

#define TURN (2.0 * FLX_PI)

void flx_symbolic_about(flx_symbolic *x, const char *item, flx_loc loc)
{
    x->item = item;
    x->loc = loc;
}

flx_status flx_symbolic_status(const flx_symbolic *x, flx_node n)
{
    if (n >= 0) return FLX_OK;
    return x->failed ? FLX_ERR_CANNOT : FLX_ERR_MEMORY;
}

static flx_node refuse(flx_symbolic *x, const char *what)
{
    x->failed = true;
    (void)FLX_FAIL(x->ctx, FLX_ERR_CANNOT, x->loc,
                   "%s reads %s, which exported equations do not have; leave it out of the model "
                   "that is exported",
                   x->item, what);
    return -1;
}

static flx_node input(flx_graph *g, int kind, int index)
{
    return flx_graph_leaf(g, flx_export_leaf(kind, index, 0));
}

// ---- taken --------------------------------------------------------------------------------------

static flx_node take_switch(flx_symbolic *x, int number)
{
    flx_graph *g = x->g;
    const flx_switch *s = x->m->switches + number;
    flx_node value = flx_symbolic_take(x, s->value), zero = node_const(g, 0.0);
    switch (s->kind) {
    case FLX_SWITCH_ABOVE:
        return flx_graph_binary(g, FLX_OP_LT, zero, value);
    case FLX_SWITCH_NOT_BELOW:
        return flx_graph_binary(g, FLX_OP_LE, zero, value);
    case FLX_SWITCH_FLOOR:
        return flx_graph_unary(g, FLX_OP_FLOOR, value);
    case FLX_SWITCH_PIECE:
        break;
    }
    return refuse(x, "a piece of a table"); // tables are whole again, so nothing asks
}

// Whole turns of an angle of the tree: what its coordinate has beyond the angle between the bodies.
static flx_node take_turns(flx_symbolic *x, int joint)
{
    flx_graph *g = x->g;
    flx_scalar s;
    flx_node whole = flx_symbolic_coordinate(x, joint, FLX_COORDINATE_ANGLE);
    if (!flx_joint_scalar(x->m, joint, FLX_COORDINATE_ANGLE, &s)) return -1;
    flx_node more = node_sub(g, whole, flx_symbolic_scalar(x, &s));
    return flx_graph_unary(g, FLX_OP_ROUND, node_scale(g, 1.0 / TURN, more));
}

static flx_node take_state_rate(flx_symbolic *x, int index)
{
    for (int i = 0; i < x->m->nfirst; i++) {
        const flx_first_order *f = x->m->firsts + i;
        if (!f->algebraic && f->number == index) return flx_symbolic_take(x, f->derivative);
    }
    return -1;
}

static flx_node take_variable(flx_symbolic *x, int index)
{
    return input(x->g, FLX_EXPORT_Q, x->t.k.nq + index);
}

static flx_node take_variable_rate(flx_symbolic *x, int index)
{
    return input(x->g, FLX_EXPORT_V, x->t.k.nv + index);
}

static flx_node take_algebraic(flx_symbolic *x, int index)
{
    return x->algebraic ? x->algebraic[index]
                        : flx_graph_leaf(x->g, flx_leaf_make(FLX_LEAF_ALGEBRAIC, index, 0));
}

// An input is a number from outside, or, where its rates would be needed, the model's own value.
static flx_node take_input(flx_symbolic *x, flx_leaf leaf)
{
    const flx_input_item *in = x->m->inputs + flx_leaf_get_index(leaf);
    bool given = x->given[flx_leaf_get_index(leaf)];
    switch ((flx_input_part)flx_leaf_get_component(leaf)) {
    case FLX_INPUT_VALUE:
        return given ? flx_graph_leaf(x->g, leaf) : node_const(x->g, in->value);
    case FLX_INPUT_FREE:
        return node_const(x->g, given ? 0.0 : 1.0);
    case FLX_INPUT_SINCE: // now: its rates count where something is made of them, and there alone
        return given ? node_leaf(x->g, FLX_LEAF_TIME, 0, 0) : node_const(x->g, 0.0);
    default:
        return given ? flx_graph_leaf(x->g, leaf) : node_const(x->g, 0.0);
    }
}

// ---- carried ------------------------------------------------------------------------------------

static flx_node carry_position(const flx_symbolic *x, int body, int c)
{
    return x->bodies[body].position.c[c];
}

static flx_node carry_rotation(const flx_symbolic *x, int body, int c)
{
    return x->t.k.planar ? x->bodies[body].angle : x->bodies[body].R.m[c];
}

static flx_node carry_velocity(const flx_symbolic *x, int body, int c)
{
    return x->bodies[body].velocity.c[c];
}

static flx_node carry_spin(const flx_symbolic *x, int body, int c)
{
    return x->bodies[body].spin.c[x->t.k.planar ? 2 : c];
}

static flx_node carry_acceleration(const flx_symbolic *x, int body, int c)
{
    return x->bodies[body].acceleration.c[c];
}

static flx_node carry_spin_rate(const flx_symbolic *x, int body, int c)
{
    return x->bodies[body].spin_rate.c[x->t.k.planar ? 2 : c];
}

// ---- the table ----------------------------------------------------------------------------------

// NULL: the leaf stays; what is no input of the equations then is refused.
static const struct {
    flx_node (*take)(flx_symbolic *x, int index);
    flx_node (*carry)(const flx_symbolic *x, int body, int c);
} rules[FLX_LEAF_KINDS] = {
    [FLX_LEAF_SWITCH] = {.take = take_switch},
    [FLX_LEAF_TURNS] = {.take = take_turns},
    [FLX_LEAF_STATE_RATE] = {.take = take_state_rate},
    [FLX_LEAF_VARIABLE] = {.take = take_variable},
    [FLX_LEAF_VARIABLE_RATE] = {.take = take_variable_rate},
    [FLX_LEAF_ALGEBRAIC] = {.take = take_algebraic},
    [FLX_LEAF_BODY_POSITION] = {.carry = carry_position},
    [FLX_LEAF_BODY_ROTATION] = {.carry = carry_rotation},
    [FLX_LEAF_BODY_VELOCITY] = {.carry = carry_velocity},
    [FLX_LEAF_BODY_ANGULAR_VELOCITY] = {.carry = carry_spin},
    [FLX_LEAF_BODY_ACCELERATION] = {.carry = carry_acceleration},
    [FLX_LEAF_BODY_ANGULAR_ACCELERATION] = {.carry = carry_spin_rate},
};

static flx_node take_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    flx_symbolic *x = user;
    flx_leaf_kind kind = flx_leaf_get_kind(leaf);
    const flx_leaf_traits *k = flx_leaf_traits_of(kind);
    if (!k) return flx_graph_leaf(g, leaf); // an input
    if (kind == FLX_LEAF_INPUT) return take_input(x, leaf);
    if (rules[kind].take) return rules[kind].take(x, flx_leaf_get_index(leaf));
    bool stays = flx_leaf_is(leaf, FLX_QUANTITY_TIME | FLX_QUANTITY_STATE) ||
                 kind == FLX_LEAF_PARAMETER || rules[kind].carry;
    if (stays) return flx_graph_leaf(g, leaf);
    return refuse(x, k->quantity == FLX_QUANTITY_FORCE ? "a force that is an unknown" : k->name);
}

static flx_node carry_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_symbolic *x = user;
    flx_leaf_kind kind = flx_leaf_get_kind(leaf);
    if (!flx_leaf_traits_of(kind) || !rules[kind].carry) return flx_graph_leaf(g, leaf);
    return rules[kind].carry(x, flx_leaf_get_index(leaf), flx_leaf_get_component(leaf));
}

flx_node flx_symbolic_take(flx_symbolic *x, flx_node n)
{
    return flx_graph_substitute(&x->taken, n);
}

flx_node flx_symbolic_carry(flx_symbolic *x, flx_node n)
{
    return flx_graph_substitute(&x->carried, n);
}

// ---- derivatives --------------------------------------------------------------------------------

static flx_node rate_of_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    flx_symbolic *x = user;
    int kind = flx_export_leaf_kind(leaf);
    if (kind == FLX_EXPORT_Q)
        return input(g, FLX_EXPORT_V, x->velocity_of[flx_leaf_get_index(leaf)]);
    if (kind == FLX_EXPORT_V) return node_const(g, 0.0); // bias: at v' = 0
    void *model = (void *)(uintptr_t)x->m;               // the rule reads the model only
    return flx_leaf_time_rate(g, model, leaf);
}

flx_node flx_symbolic_rate(flx_symbolic *x, flx_node taken)
{
    flx_node rate = flx_graph_derive(x->g, taken, rate_of_leaf, x);
    return flx_symbolic_take(x, rate); // rates of states
}

typedef struct motion {
    const flx_symbolic *x;
    int link, k;
} motion;

// Entry i of q (0, e_k)/2, the rate of a quaternion by a unit of angular velocity.
static flx_node turn_quaternion(flx_graph *g, int q, int i, int k)
{
    static const int from[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[3][4] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {-1, 1, -1, 1}};
    return node_scale(g, 0.5 * sign[k][i], input(g, FLX_EXPORT_Q, q + from[k][i]));
}

static flx_node move_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    const motion *m = user;
    const flx_link *l = m->x->t.links + m->link;
    int i = flx_leaf_get_index(leaf) - l->q;
    if (flx_export_leaf_kind(leaf) != FLX_EXPORT_Q) return node_const(g, 0.0);
    if (l->kind != FLX_LINK_BALL) return node_const(g, i == m->k);
    return i >= 0 && i < 4 ? turn_quaternion(g, l->q, i, m->k) : node_const(g, 0.0);
}

flx_node flx_symbolic_along(flx_symbolic *x, flx_node n, int k)
{
    motion m = {.x = x};
    if (k >= x->t.k.nv) {
        return flx_symbolic_partial(x, n, FLX_EXPORT_Q, x->t.k.nq + k - x->t.k.nv);
    }
    while (k >= x->t.links[m.link].v + x->links[1 + m.link].s.n) m.link++;
    m.k = k - x->t.links[m.link].v;
    return flx_graph_derive(x->g, n, move_leaf, &m);
}

flx_node flx_symbolic_partial(flx_symbolic *x, flx_node n, int kind, int index)
{
    flx_leaf leaf = flx_export_leaf(kind, index, 0);
    return flx_graph_derive(x->g, n, flx_leaf_partial, &leaf);
}

// ---- the joints of the tree ---------------------------------------------------------------------

// Coordinates and rates of joints that carry, wherever they come up in expressions.
static flx_status set_coordinates(flx_symbolic *x)
{
    for (int j = 0; j < x->m->njoint; j++) {
        const flx_joint *joint = x->m->joints + j;
        if (x->carrier[j] < 0 || joint->coordinate < 0) continue;
        flx_node c = flx_symbolic_coordinate(x, j, FLX_COORDINATE_NONE);
        FLX_TRY(flx_symbolic_status(x, c));
        FLX_TRY(flx_substitution_set(&x->taken, joint->coordinate, c));
        if (joint->rate < 0) continue;
        FLX_TRY(flx_substitution_set(&x->taken, joint->rate, flx_symbolic_rate(x, c)));
    }
    return FLX_OK;
}

static bool is_of_input(void *user, flx_leaf leaf)
{
    return flx_leaf_get_kind(leaf) == FLX_LEAF_INPUT && flx_leaf_get_index(leaf) == *(int *)user;
}

// Rates of an input are needed where it moves a joint or stands in a constraint.
static void choose_given(flx_symbolic *x)
{
    const flx_model *m = x->m;
    for (int i = 0; i < m->ninput; i++) {
        x->given[i] = !x->own && !m->inputs[i].moves && m->inputs[i].unknown == 0;
        for (int k = 0; k < m->nconstraint && x->given[i]; k++)
            x->given[i] = !flx_graph_depends(x->g, m->constraints[k].value, is_of_input, &i);
    }
}

flx_status flx_symbolic_prepare(flx_symbolic *x)
{
    choose_given(x);
    x->taken = (flx_substitution){.g = x->g, .user = x, .rule = take_leaf};
    x->carried = (flx_substitution){.g = x->g, .user = x, .rule = carry_leaf};
    for (int i = 0; i < x->n; i++) {
        const flx_link *l = x->t.links + i;
        bool ball = l->kind == FLX_LINK_BALL;
        for (int k = 0; k < x->links[1 + i].s.n + ball; k++) {
            x->velocity_of[l->q + k] = ball ? -1 : l->v + k;
        }
    }
    for (int i = 0; i < x->nvariable; i++) x->velocity_of[x->t.k.nq + i] = x->t.k.nv + i;
    FLX_TRY(set_coordinates(x));
    if (x->m->nalgebraic == 0) return FLX_OK;
    FLX_TRY(flx_symbolic_algebraic(x));
    flx_substitution_clear(&x->taken); // what was taken had them as leaves
    x->taken = (flx_substitution){.g = x->g, .user = x, .rule = take_leaf};
    return set_coordinates(x);
}

flx_status flx_symbolic_take_own(flx_symbolic *x, int n, flx_node *nodes)
{
    const flx_substitution outside = x->taken;
    bool *given = x->given;
    x->given = flx_arena_take(x->arena, (size_t)x->m->ninput, sizeof *given); // none
    x->taken = (flx_substitution){.g = x->g, .user = x, .rule = take_leaf};
    flx_status status = x->given ? set_coordinates(x) : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        nodes[i] = flx_symbolic_take(x, nodes[i]);
        status = flx_symbolic_status(x, nodes[i]);
    }
    flx_substitution_clear(&x->taken);
    x->taken = outside;
    x->given = given;
    return status;
}
