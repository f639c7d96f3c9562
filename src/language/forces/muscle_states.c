// muscle_states.c - a muscle as nodes: activation and length of the fibres are states (MUS-1).
//
//     a' = ((f + 1/2)/(ta z) + (1/2 - f) z/td) (e - a),  f = tanh(0.1 (e - a))/2,  z = 1/2 + 3 a/2  (MUS-6)
//     l' = vm fv^-1((ft/cos alpha - fp)/(a fl)),  ft >= 0, cos alpha >= 0.1                         (MUS-7)
// A tendon that is slack does not push, and fibres faster than nine times their largest speed are held back by a line.
#include "expr/algebra.h"
#include "force/muscle.h"
#include "language/force_parts.h"
#include "language/scope/nums.h"

#define FAST 5.0 // sinh of this: where the inverse of the speed curve goes on as a line

typedef struct muscle {
    flx_num force, fibre, tendon, activation, pennation, speed, rise, decay;
    flx_node excitation;
} muscle;

static flx_node unary(flx_graph *g, flx_op op, flx_node a)
{
    return flx_graph_unary(g, op, a);
}

static flx_node add_const(flx_graph *g, flx_node a, double c)
{
    return node_add(g, a, node_const(g, c));
}

static flx_status read_muscle(flx_env *e, flx_item *force, muscle *m)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    const flx_entry *y = NULL;
    flx_env c;
    flx_env_of(&c, b, force, FLX_MODE_CONSTANT);
    FLX_TRY(flx_force_number(&c, force, "force", 0.0, 0.0, true, &m->force));
    FLX_TRY(flx_force_number(&c, force, "fibre", 0.0, 0.0, true, &m->fibre));
    FLX_TRY(flx_force_number(&c, force, "tendon", 0.0, 0.0, true, &m->tendon));
    FLX_TRY(
        flx_force_number(&c, force, "activation", 0.05, FLX_MUSCLE_LEAST, false, &m->activation));
    FLX_TRY(flx_force_number(&c, force, "pennation", 0.0, 0.0, false, &m->pennation));
    FLX_TRY(flx_force_number(&c, force, "speed", 10.0, 0.0, true, &m->speed));
    FLX_TRY(flx_force_number(&c, force, "rise", 0.015, 0.0, true, &m->rise));
    FLX_TRY(flx_force_number(&c, force, "decay", 0.06, 0.0, true, &m->decay));
    if (m->activation.x > 1.0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, "activation")->loc,
                        "an activation is at most 1, not %g", m->activation.x);
    }
    if (m->pennation.x > 1.2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, "pennation")->loc,
                        "the pennation of '%s', %g rad, is larger than 1.2 rad; did you mean "
                        "degrees? Write 20*deg",
                        force->full, m->pennation.x);
    }
    FLX_TRY(flx_build_need(b, force, "excitation", &y));
    FLX_TRY(flx_build_node(e, y, &m->excitation));
    m->excitation = flx_graph_binary(g, FLX_OP_MAX, m->excitation, node_const(g, FLX_MUSCLE_LEAST));
    m->excitation = flx_graph_binary(g, FLX_OP_MIN, m->excitation, node_const(g, 1.0));
    return m->excitation < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// (MUS-2)
static flx_node active(flx_graph *g, flx_node l)
{
    flx_node sum = node_const(g, 0.0);
    for (int i = 0; i < 3; i++) {
        const double *b = flx_muscle_bells[i];
        flx_node width = add_const(g, node_scale(g, b[3], l), b[2]);
        flx_node u = node_div(g, add_const(g, l, -b[1]), width);
        flx_node bell = unary(g, FLX_OP_EXP, node_scale(g, -0.5, node_mul(g, u, u)));
        sum = node_add(g, sum, node_scale(g, b[0], bell));
    }
    return sum;
}

// (MUS-6)
static flx_node activation_rate(flx_graph *g, const muscle *m, flx_node a)
{
    flx_node d = node_sub(g, m->excitation, a);
    flx_node f = node_scale(g, 0.5, unary(g, FLX_OP_TANH, node_scale(g, 0.1, d)));
    flx_node z = add_const(g, node_scale(g, 1.5, a), 0.5);
    flx_node up = node_div(g, add_const(g, f, 0.5), node_mul(g, flx_num_node(g, m->rise), z));
    flx_node down =
        node_div(g, node_mul(g, node_sub(g, node_const(g, 0.5), f), z), flx_num_node(g, m->decay));
    return node_mul(g, node_add(g, up, down), d);
}

// Either without a switch: both sides meet with the same slope, or no step ends there.
static flx_node at_least(flx_graph *g, flx_node x, flx_node least)
{
    return flx_graph_either(g, flx_graph_binary(g, FLX_OP_LT, least, x), x, least);
}

// Inverse of the speed curve (MUS-4), which would overflow where nearly nothing holds the fibres.
static flx_node fibre_speed(flx_graph *g, flx_node factor)
{
    flx_node u = node_scale(g, 1.0 / FLX_MUSCLE_SPEED_1, add_const(g, factor, -FLX_MUSCLE_SPEED_4));
    flx_node near = at_least(g, u, node_const(g, -FAST));
    near = node_neg(g, at_least(g, node_neg(g, near), node_const(g, -FAST)));
    flx_node s =
        node_add(g, unary(g, FLX_OP_SINH, near), node_scale(g, cosh(FAST), node_sub(g, u, near)));
    return node_scale(g, 1.0 / FLX_MUSCLE_SPEED_2, add_const(g, s, -FLX_MUSCLE_SPEED_3));
}

// Length of the fibres at rest, of the muscle's length, its fibres, tendon, pennation and activation.
static bool find_fibre(const double *read, double *l)
{
    const flx_muscle_data data = {read[1], read[2], read[3]};
    return flx_muscle_rest(&data, read[0], read[4], l);
}

// Nothing says that the run begins elsewhere than it is drawn.
static bool begins_as_drawn(const flx_builder *b)
{
    for (int i = 0; i < b->joints.count; i++) {
        if (flx_entry_get(b->joints.items[i]->def, "initial")) return false;
    }
    return true;
}

// The fibres begin in balance, where joints have put the muscle at t = 0.
static flx_status balance_fibre(flx_builder *b, const flx_item *force, const flx_force_data *d,
                                muscle *m, int state)
{
    flx_graph *g = b->g;
    flx_num drawn = d->through->drawn;
    flx_num *needed[] = {&drawn, &m->fibre, &m->tendon, &m->pennation, &m->activation};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        flx_num_fix(b, needed[i], force->loc);
    flx_balance_of *balance = flx_arena_take(b->m->arena, 1, sizeof *balance);
    if (!balance) return FLX_ERR_MEMORY;
    *balance = (flx_balance_of){
        .reads = {d->length, flx_num_node(g, m->fibre), flx_num_node(g, m->tendon),
                  flx_num_node(g, m->pennation), flx_num_node(g, m->activation)},
        .find = find_fibre,
        .who = flx_arena_printf(b->m->arena, "muscle '%s'", force->full),
        .why = flx_arena_printf(b->m->arena,
                                "its fibres (best %g m) find no balance with the tendon (slack %g "
                                "m) there: they would be shorter than 0.3 or longer than 1.8 of "
                                "their best length",
                                m->fibre.x, m->tendon.x)};
    for (int i = 0; i < FLX_BALANCE_READS; i++) {
        if (balance->reads[i] < 0) return FLX_ERR_MEMORY;
    }
    flx_force_set_balance(b, state, balance);
    if (!balance->who || !balance->why) return FLX_ERR_MEMORY;
    const double read[] = {drawn.x, m->fibre.x, m->tendon.x, m->pennation.x, m->activation.x};
    double l;
    if (!begins_as_drawn(b) || find_fibre(read, &l)) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc, "%s is %g m long at the start, and %s",
                    balance->who, drawn.x, balance->why);
}

flx_status flx_muscle_value(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    muscle m;
    flx_node a, l;
    int states[2];
    FLX_TRY(read_muscle(e, force, &m));
    FLX_TRY(flx_force_add_state(b, force, d, "activation", m.activation, &states[0], &a));
    FLX_TRY(flx_force_add_state(b, force, d, "fibre", (flx_num){1.0, 0}, &states[1], &l));
    flx_force_add_signal(d, "excitation", m.excitation);
    FLX_TRY(flx_force_length(b, d));
    FLX_TRY(balance_fibre(b, force, d, &m, states[1]));
    flx_node cosine = node_const(g, cos(m.pennation.x));
    if (m.pennation.x > 0.0) {
        flx_node s = node_div(g, node_const(g, sin(m.pennation.x)), l);
        const double least = FLX_MUSCLE_COSINE * FLX_MUSCLE_COSINE;
        flx_node square = node_sub(g, node_const(g, 1.0), node_mul(g, s, s));
        cosine = node_sqrt(g, at_least(g, square, node_const(g, least)));
    }
    flx_node inside = node_mul(g, node_mul(g, l, flx_num_node(g, m.fibre)), cosine);
    flx_node tendon = node_div(g, node_sub(g, d->length, inside), flx_num_node(g, m.tendon));
    flx_node pull =
        unary(g, FLX_OP_EXP, node_scale(g, flx_muscle_tendon_rate(), add_const(g, tendon, -1.0)));
    pull = node_scale(g, 0.2, add_const(g, pull, -1.0)); // (MUS-5)
    pull = flx_graph_binary(g, FLX_OP_MAX, pull, node_const(g, 0.0));
    flx_node passive =
        unary(g, FLX_OP_EXP, node_scale(g, FLX_MUSCLE_PASSIVE_RATE, add_const(g, l, -1.0)));
    passive = node_scale(g, 1.0 / expm1(FLX_MUSCLE_PASSIVE_SHAPE), add_const(g, passive, -1.0));
    flx_node factor =
        node_div(g, node_sub(g, node_div(g, pull, cosine), passive), node_mul(g, a, active(g, l)));
    flx_node rate = node_mul(g, flx_num_node(g, m.speed), fibre_speed(g, factor));
    flx_force_set_rate(b, states[0], activation_rate(g, &m, a));
    flx_force_set_rate(b, states[1], rate);
    return flx_force_line_pull(b, d, node_mul(g, flx_num_node(g, m.force), pull));
}
