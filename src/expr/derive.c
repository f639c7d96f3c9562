// derive.c - derivations of the graph's nodes: given what happens to the leaves, the node of the
// derivative. It is simplified as it is made (algebra.c).
#include "expr/algebra.h"
#include "expr/graph.h"

flx_node flx_leaf_partial(flx_graph *g, void *user, flx_leaf leaf)
{
    return flx_graph_const(g, leaf == *(const flx_leaf *)user ? 1.0 : 0.0);
}

// d(a^b). A constant exponent needs no logarithm, so any sign of a is good where the exponent is
// whole; a = 0 with a varying exponent: a^b log a tends to 0.
static flx_node derive_pow(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b, one = flx_graph_const(g, 1.0);
    flx_node d = flx_graph_const(g, 0.0);
    if (!node_is(g, da, 0.0)) {
        flx_node slope = node_mul(g, b, flx_graph_binary(g, FLX_OP_POW, a, node_sub(g, b, one)));
        d = node_mul(g, slope, da);
    }
    if (d >= 0 && db >= 0 && !node_is(g, db, 0.0)) {
        flx_node zero = flx_graph_const(g, 0.0);
        flx_node slope = node_mul(g, n, flx_graph_unary(g, FLX_OP_LOG, a));
        slope = flx_graph_if(g, flx_graph_binary(g, FLX_OP_EQ, a, zero), zero, slope);
        d = node_add(g, d, node_mul(g, slope, db));
    }
    return d;
}

static flx_node derive_div(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    return node_div(g, node_sub(g, da, node_mul(g, n, db)), g->nodes[n].b);
}

// atan2(y, x): (x dy - y dx)/(x^2 + y^2)
static flx_node derive_atan2(flx_graph *g, flx_node y, flx_node x, flx_node dy, flx_node dx)
{
    flx_node above = node_sub(g, node_mul(g, x, dy), node_mul(g, y, dx));
    return node_div(g, above, node_add(g, node_power(g, x, 2.0), node_power(g, y, 2.0)));
}

// mod(a, b) = a - k b, where the whole number k = (a - mod)/b is constant between jumps.
static flx_node derive_mod(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    flx_node k = flx_graph_unary(g, FLX_OP_ROUND, node_div(g, node_sub(g, a, n), b));
    return node_sub(g, da, node_mul(g, k, db));
}

// min takes the first operand where they are equal; so does its derivative. max likewise.
static flx_node derive_choice(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    bool is_min = flx_node_is_op(g, n, FLX_OP_MIN);
    flx_node first = flx_graph_binary(g, FLX_OP_LE, is_min ? a : b, is_min ? b : a);
    return flx_graph_if(g, first, da, db);
}

static flx_node derive_binary(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    if (node_is(g, da, 0.0) && node_is(g, db, 0.0)) return da;
    switch (g->nodes[n].op) {
    case FLX_OP_ADD:
        return node_add(g, da, db);
    case FLX_OP_SUB:
        return node_sub(g, da, db);
    case FLX_OP_MUL:
        return node_add(g, node_mul(g, da, b), node_mul(g, a, db));
    case FLX_OP_DIV:
        return derive_div(g, n, da, db);
    case FLX_OP_POW:
        return derive_pow(g, n, da, db);
    case FLX_OP_ATAN2:
        return derive_atan2(g, a, b, da, db);
    case FLX_OP_MOD:
        return derive_mod(g, n, da, db);
    case FLX_OP_MIN:
    case FLX_OP_MAX:
        return derive_choice(g, n, da, db);
    case FLX_OP_PIECE: // the piece is a switch
        return node_mul(g,
                        flx_graph_piece(g, g->nodes[n].c / FLX_DERIVATIVES,
                                        g->nodes[n].c % FLX_DERIVATIVES + 1, a, b),
                        da);
    case FLX_OP_ARGUMENT:
        return flx_graph_binary(g, FLX_OP_ARGUMENT, da, db);
    default: // comparisons and logic are steps
        return flx_graph_const(g, 0.0);
    }
}

// sqrt(1 + s x^2)
static flx_node root_of_one(flx_graph *g, double s, flx_node x)
{
    flx_node square = node_scale(g, s, node_power(g, x, 2.0));
    return flx_graph_unary(g, FLX_OP_SQRT, node_add(g, flx_graph_const(g, 1.0), square));
}

// Positive multiple of an even power.
static bool is_square(const flx_graph *g, flx_node n)
{
    double e;
    flx_node base;
    if (!(flx_node_factor(g, n, &base) > 0.0) || !flx_node_is_op(g, base, FLX_OP_POW)) return false;
    return flx_graph_is_const(g, g->nodes[base].b, &e) && e > 0.0 && fmod(e, 2.0) == 0.0;
}

static bool is_sum_of_squares(const flx_graph *g, flx_node n)
{
    while (flx_node_is_op(g, n, FLX_OP_ADD)) {
        flx_node a = g->nodes[n].a, b = g->nodes[n].b;
        if (!is_square(g, a) && !is_square(g, b)) return false;
        n = is_square(g, a) ? b : a;
    }
    return is_square(g, n);
}

// d sqrt(u) = du/(2 sqrt u). The length of a vector has no derivative where the vector is zero, but
// what is made of it often has (|v| v, |v|^2): there 0/0 would spoil it, and 0, the mean over all
// directions, does not.
static flx_node derive_sqrt(flx_graph *g, flx_node n, flx_node d)
{
    flx_node half = node_scale(g, 0.5, d), zero = flx_graph_const(g, 0.0);
    if (!is_sum_of_squares(g, g->nodes[n].a)) return node_div(g, half, n);
    flx_node inverse = node_div(g, flx_graph_const(g, 1.0), n);
    inverse = flx_graph_if(g, flx_graph_binary(g, FLX_OP_EQ, n, zero), zero, inverse);
    return node_mul(g, half, inverse);
}

static flx_node derive_unary(flx_graph *g, flx_node n, flx_node d)
{
    flx_graph_node p = g->nodes[n];
    flx_node x = p.a, one = flx_graph_const(g, 1.0);
    if (node_is(g, d, 0.0)) return d;
    switch (p.op) {
    case FLX_OP_NEG:
        return node_neg(g, d);
    case FLX_OP_SQRT:
        return derive_sqrt(g, n, d);
    case FLX_OP_SIN:
        return node_mul(g, flx_graph_unary(g, FLX_OP_COS, x), d);
    case FLX_OP_COS:
        return node_neg(g, node_mul(g, flx_graph_unary(g, FLX_OP_SIN, x), d));
    case FLX_OP_TAN:
        return node_mul(g, node_add(g, one, node_power(g, n, 2.0)), d);
    case FLX_OP_ASIN:
        return node_div(g, d, root_of_one(g, -1.0, x));
    case FLX_OP_ACOS:
        return node_neg(g, node_div(g, d, root_of_one(g, -1.0, x)));
    case FLX_OP_ATAN:
        return node_div(g, d, node_add(g, one, node_power(g, x, 2.0)));
    case FLX_OP_SINH:
        return node_mul(g, flx_graph_unary(g, FLX_OP_COSH, x), d);
    case FLX_OP_COSH:
        return node_mul(g, flx_graph_unary(g, FLX_OP_SINH, x), d);
    case FLX_OP_TANH:
        return node_mul(g, node_sub(g, one, node_power(g, n, 2.0)), d);
    case FLX_OP_EXP:
        return node_mul(g, n, d);
    case FLX_OP_LOG:
        return node_div(g, d, x);
    case FLX_OP_LOG10:
        return node_div(g, d, node_scale(g, log(10.0), x));
    case FLX_OP_ABS:
        return node_mul(g, flx_graph_unary(g, FLX_OP_SIGN, x), d);
    case FLX_OP_TABLE:
        return node_mul(g, flx_graph_table(g, p.b, p.c + 1, x), d);
    case FLX_OP_EXTERNAL:
        return flx_external_derive(g, &p, d);
    default: // sign, floor, ceil, round, not are steps
        return flx_graph_const(g, 0.0);
    }
}

typedef struct derivation {
    int *of; // derivative + 1 of each node up to the one asked for; 0: not known yet
    int *stack;
    int count, capacity;
} derivation;

static bool push(flx_graph *g, derivation *d, flx_node n)
{
    if (d->of[n]) return true;
    if (flx_grow(g->ctx, (void **)&d->stack, &d->capacity, d->count + 1, sizeof(int)) != FLX_OK) {
        return false;
    }
    d->stack[d->count++] = n;
    return true;
}

// Derive the node on top of the stack if its operands are done, else put them on top.
static bool derive_top(flx_graph *g, derivation *d, flx_leaf_rule rule, void *user)
{
    flx_node n = d->stack[d->count - 1], result;
    flx_graph_node p = g->nodes[n];
    int operands = flx_op_operands(p.op), before = d->count;
    // The condition of an if is not differentiated.
    if (operands > 0 && p.op != FLX_OP_IF && !push(g, d, p.a)) return false;
    if (operands > 1 && !push(g, d, p.b)) return false;
    if (operands > 2 && !push(g, d, p.c)) return false;
    if (d->count > before) return true;

    if (p.op == FLX_OP_CONST) {
        result = flx_graph_const(g, 0.0);
    } else if (p.op == FLX_OP_LEAF) {
        result = rule(g, user, p.payload);
    } else if (p.op == FLX_OP_IF) {
        result = flx_graph_choose(g, p.a, d->of[p.b] - 1, d->of[p.c] - 1, p.payload);
    } else if (operands == 2) {
        result = derive_binary(g, n, d->of[p.a] - 1, d->of[p.b] - 1);
    } else {
        result = derive_unary(g, n, d->of[p.a] - 1);
    }
    if (result < 0) return false;
    g->steps += FLX_DERIVE_STEPS;
    d->of[n] = result + 1;
    d->count--;
    return true;
}

// An explicit stack: a sum of a hundred thousand terms is that deep.
flx_node flx_graph_derive(flx_graph *g, flx_node n, flx_leaf_rule rule, void *user)
{
    if (n < 0) return -1;
    derivation d = {.of = flx_alloc(g->ctx, (size_t)n + 1, sizeof(int))};
    if (!d.of) return -1;
    bool good = push(g, &d, n);
    while (good && d.count > 0) good = derive_top(g, &d, rule, user);
    flx_node result = good ? d.of[n] - 1 : -1;
    flx_free(d.of);
    flx_free(d.stack);
    return result;
}
