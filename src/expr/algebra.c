// algebra.c - operations on nodes: constants folded and simple algebra applied when a node is made.
//
// Rules of the algebra, so that derivatives come out short:
//     constants are folded and stand first;  0 + x, 1 x, 0 x, x/1, x^1, x - x, --x;
//     signs move outwards;  p x + q x = (p + q) x;  p (q x) = (p q) x;  x x = x^2, x^m x^n = x^(m+n).
// None of them moves a constant across a sum, which would lose digits, and none cancels a divisor,
// which would hide that it is zero.
#include "expr/algebra.h"
#include "expr/graph.h"

// ---- values of constant operations ------------------------------------------------------------

static double eval_unary(flx_op op, double x)
{
    switch (op) {
    case FLX_OP_NEG:
        return -x;
    case FLX_OP_SQRT:
        return sqrt(x);
    case FLX_OP_SIN:
        return sin(x);
    case FLX_OP_COS:
        return cos(x);
    case FLX_OP_TAN:
        return tan(x);
    case FLX_OP_ASIN:
        return asin(x);
    case FLX_OP_ACOS:
        return acos(x);
    case FLX_OP_ATAN:
        return atan(x);
    case FLX_OP_SINH:
        return sinh(x);
    case FLX_OP_COSH:
        return cosh(x);
    case FLX_OP_TANH:
        return tanh(x);
    case FLX_OP_EXP:
        return exp(x);
    case FLX_OP_LOG:
        return log(x);
    case FLX_OP_LOG10:
        return log10(x);
    case FLX_OP_ABS:
        return fabs(x);
    case FLX_OP_SIGN:
        return flx_sign(x);
    case FLX_OP_FLOOR:
        return floor(x);
    case FLX_OP_CEIL:
        return ceil(x);
    case FLX_OP_ROUND:
        return round(x);
    case FLX_OP_NOT:
        return x == 0.0;
    default:
        FLX_ASSERT(0);
        return (double)NAN;
    }
}

static double eval_binary(flx_op op, double x, double y)
{
    switch (op) {
    case FLX_OP_ADD:
        return x + y;
    case FLX_OP_SUB:
        return x - y;
    case FLX_OP_MUL:
        return x * y;
    case FLX_OP_DIV:
        return x / y;
    case FLX_OP_POW:
        return flx_pow(x, y);
    case FLX_OP_ATAN2:
        return atan2(x, y);
    case FLX_OP_MOD:
        return flx_mod(x, y);
    case FLX_OP_MIN:
        return flx_min(x, y);
    case FLX_OP_MAX:
        return flx_max(x, y);
    case FLX_OP_LT:
        return x < y;
    case FLX_OP_LE:
        return x <= y;
    case FLX_OP_EQ:
        return x == y;
    case FLX_OP_NE:
        return x != y;
    case FLX_OP_AND:
        return x != 0.0 && y != 0.0;
    case FLX_OP_OR:
        return x != 0.0 || y != 0.0;
    default:
        FLX_ASSERT(0);
        return (double)NAN;
    }
}

// ---- algebra ----------------------------------------------------------------------------------

// Each takes nodes that exist and are not both constant, and gives a node or -1.

// Operations whose operands may be swapped have the smaller number first, constants before all.
static flx_node make_commutative(flx_graph *g, flx_op op, flx_node a, flx_node b)
{
    bool swap = a > b;
    if (flx_graph_is_const(g, a, NULL)) swap = false;
    if (flx_graph_is_const(g, b, NULL)) swap = true;
    return swap ? flx_graph_make(g, op, b, a, -1) : flx_graph_make(g, op, a, b, -1);
}

// n = k base, where k is 1 unless the node is a constant multiple.
double flx_node_factor(const flx_graph *g, flx_node n, flx_node *base)
{
    double k = 1.0;
    *base = n;
    if (flx_node_is_op(g, n, FLX_OP_NEG)) {
        *base = g->nodes[n].a;
        k = -1.0;
    } else if (flx_node_is_op(g, n, FLX_OP_MUL) && flx_graph_is_const(g, g->nodes[n].a, &k)) {
        *base = g->nodes[n].b;
    }
    return k;
}

// n = base^e with a whole e > 0.
static double split_power(const flx_graph *g, flx_node n, flx_node *base)
{
    double e;
    *base = n;
    if (flx_node_is_op(g, n, FLX_OP_POW) && flx_graph_is_const(g, g->nodes[n].b, &e) && e > 0.0 &&
        e == floor(e)) {
        *base = g->nodes[n].a;
        return e;
    }
    return 1.0;
}

// p*q as the factor of a node is fine unless it left the range of the numbers.
static bool is_safe_factor(double k)
{
    return isnormal(k);
}

static flx_node simplify_add(flx_graph *g, flx_node a, flx_node b)
{
    flx_node p, q;
    if (node_is(g, a, 0.0)) return b;
    if (node_is(g, b, 0.0)) return a;
    double kp = flx_node_factor(g, a, &p), kq = flx_node_factor(g, b, &q);
    if (p == q) return node_scale(g, kp + kq, p);
    if (flx_node_is_op(g, b, FLX_OP_NEG)) return node_sub(g, a, q);
    if (flx_node_is_op(g, a, FLX_OP_NEG)) return node_sub(g, b, p);
    return make_commutative(g, FLX_OP_ADD, a, b);
}

static flx_node simplify_sub(flx_graph *g, flx_node a, flx_node b)
{
    flx_node p, q;
    double k;
    if (node_is(g, a, 0.0)) return node_neg(g, b);
    if (node_is(g, b, 0.0)) return a;
    double kp = flx_node_factor(g, a, &p), kq = flx_node_factor(g, b, &q);
    if (p == q) return node_scale(g, kp - kq, p);
    if (flx_node_is_op(g, b, FLX_OP_NEG)) return node_add(g, a, q);
    if (flx_node_is_op(g, a, FLX_OP_NEG)) return node_neg(g, node_add(g, p, b));
    if (flx_graph_is_const(g, b, &k)) return node_add(g, flx_graph_const(g, -k), a);
    return flx_graph_make(g, FLX_OP_SUB, a, b, -1);
}

// k x with a constant k.
static flx_node simplify_scale(flx_graph *g, double k, flx_node x)
{
    flx_graph_node n = g->nodes[x];
    double q;
    if (k == 0.0) return flx_graph_const(g, 0.0);
    if (k == 1.0) return x;
    if (k == -1.0) return node_neg(g, x);
    if (n.op == FLX_OP_NEG) return node_scale(g, -k, n.a);
    if (n.op == FLX_OP_MUL && flx_graph_is_const(g, n.a, &q) && is_safe_factor(k * q)) {
        return node_scale(g, k * q, n.b);
    }
    if (n.op == FLX_OP_DIV && flx_graph_is_const(g, n.a, &q) && is_safe_factor(k * q)) {
        return node_div(g, flx_graph_const(g, k * q), n.b);
    }
    flx_node factor = flx_graph_const(g, k);
    return factor < 0 ? -1 : flx_graph_make(g, FLX_OP_MUL, factor, x, -1);
}

static flx_node simplify_mul(flx_graph *g, flx_node a, flx_node b)
{
    flx_node p, q;
    double k;
    if (flx_graph_is_const(g, a, &k)) return simplify_scale(g, k, b);
    if (flx_graph_is_const(g, b, &k)) return simplify_scale(g, k, a);
    if (flx_node_is_op(g, a, FLX_OP_NEG)) return node_neg(g, node_mul(g, g->nodes[a].a, b));
    if (flx_node_is_op(g, b, FLX_OP_NEG)) return node_neg(g, node_mul(g, a, g->nodes[b].a));
    double ep = split_power(g, a, &p), eq = split_power(g, b, &q);
    if (p == q) return node_power(g, p, ep + eq);
    return make_commutative(g, FLX_OP_MUL, a, b);
}

// x/k with a constant k that is not zero.
static flx_node simplify_divide_const(flx_graph *g, flx_node a, double k)
{
    flx_node base;
    int exponent;
    if (k == 1.0) return a;
    if (k == -1.0) return node_neg(g, a);
    // Multiplying by the inverse of a power of two is exact and faster.
    if (fabs(frexp(k, &exponent)) == 0.5 && is_safe_factor(1.0 / k))
        return node_scale(g, 1.0 / k, a);
    double factor = flx_node_factor(g, a, &base);
    if (base != a && is_safe_factor(factor / k)) return node_scale(g, factor / k, base);
    flx_node divisor = flx_graph_const(g, k);
    return divisor < 0 ? -1 : flx_graph_make(g, FLX_OP_DIV, a, divisor, -1);
}

static flx_node simplify_div(flx_graph *g, flx_node a, flx_node b)
{
    double k;
    if (flx_graph_is_const(g, b, &k)) {
        if (k != 0.0) return simplify_divide_const(g, a, k);
        return flx_graph_make(g, FLX_OP_DIV, a, b, -1);
    }
    if (node_is(g, a, 0.0)) return a;
    if (flx_node_is_op(g, a, FLX_OP_NEG)) return node_neg(g, node_div(g, g->nodes[a].a, b));
    if (flx_node_is_op(g, b, FLX_OP_NEG)) return node_neg(g, node_div(g, a, g->nodes[b].a));
    return flx_graph_make(g, FLX_OP_DIV, a, b, -1);
}

// x^e with a constant e.
static flx_node simplify_power(flx_graph *g, flx_node a, double e)
{
    flx_graph_node n = g->nodes[a];
    double inner;
    if (e == 0.0) return flx_graph_const(g, 1.0);
    if (e == 1.0) return a;
    if (e == -1.0) return node_div(g, flx_graph_const(g, 1.0), a);
    if (e == 0.5) return flx_graph_unary(g, FLX_OP_SQRT, a);
    if (e == floor(e)) {
        bool even = fmod(e, 2.0) == 0.0;
        if (n.op == FLX_OP_NEG)
            return even ? node_power(g, n.a, e) : node_neg(g, node_power(g, n.a, e));
        if (n.op == FLX_OP_ABS && even) return node_power(g, n.a, e);
        if (n.op == FLX_OP_POW && flx_graph_is_const(g, n.b, &inner) && inner == floor(inner) &&
            inner > 0.0) {
            return node_power(g, n.a, inner * e);
        }
    }
    flx_node exponent = flx_graph_const(g, e);
    return exponent < 0 ? -1 : flx_graph_make(g, FLX_OP_POW, a, exponent, -1);
}

static flx_node simplify_pow(flx_graph *g, flx_node a, flx_node b)
{
    double k;
    if (flx_graph_is_const(g, b, &k)) return simplify_power(g, a, k);
    if (node_is(g, a, 1.0)) return a;
    return flx_graph_make(g, FLX_OP_POW, a, b, -1);
}

bool flx_graph_is_condition(const flx_graph *g, flx_node n)
{
    flx_op op = g->nodes[n].op;
    return (op >= FLX_OP_LT && op <= FLX_OP_NOT) || node_is(g, n, 0.0) || node_is(g, n, 1.0);
}

// and, or: `absorbing` is the truth that decides alone.
static flx_node simplify_logic(flx_graph *g, flx_op op, flx_node a, flx_node b)
{
    double k;
    bool absorbing = op == FLX_OP_OR;
    if (flx_graph_is_const(g, b, NULL) || a == b) {
        flx_node swap = a;
        a = b;
        b = swap;
    }
    if (flx_graph_is_const(g, a, &k) && (k != 0.0) == absorbing) {
        return flx_graph_const(g, absorbing);
    }
    if (flx_graph_is_const(g, a, NULL) || a == b) {
        return flx_graph_is_condition(g, b)
                   ? b
                   : flx_graph_binary(g, FLX_OP_NE, b, flx_graph_const(g, 0.0));
    }
    return make_commutative(g, op, a, b);
}

static flx_node simplify_neg(flx_graph *g, flx_node a)
{
    flx_graph_node n = g->nodes[a];
    double k;
    if (n.op == FLX_OP_NEG) return n.a;
    if (n.op == FLX_OP_SUB) return node_sub(g, n.b, n.a);
    if (n.op == FLX_OP_ADD && flx_graph_is_const(g, n.a, &k)) {
        return node_sub(g, flx_graph_const(g, -k), n.b);
    }
    if (n.op == FLX_OP_MUL && flx_graph_is_const(g, n.a, &k)) return node_scale(g, -k, n.b);
    if (n.op == FLX_OP_DIV && flx_graph_is_const(g, n.a, &k)) {
        return node_div(g, flx_graph_const(g, -k), n.b);
    }
    return flx_graph_make(g, FLX_OP_NEG, a, -1, -1);
}

static bool is_odd(flx_op op)
{
    return op == FLX_OP_SIN || op == FLX_OP_TAN || op == FLX_OP_ASIN || op == FLX_OP_ATAN ||
           op == FLX_OP_SINH || op == FLX_OP_TANH || op == FLX_OP_SIGN;
}

static bool is_even(flx_op op)
{
    return op == FLX_OP_COS || op == FLX_OP_COSH || op == FLX_OP_ABS;
}

flx_node flx_graph_unary(flx_graph *g, flx_op op, flx_node a)
{
    double x;
    if (a < 0) return -1;
    if (flx_graph_is_const(g, a, &x)) return flx_graph_const(g, eval_unary(op, x));
    flx_graph_node n = g->nodes[a];
    if (op == FLX_OP_NEG) return simplify_neg(g, a);
    if (n.op == FLX_OP_NEG && is_odd(op)) return node_neg(g, flx_graph_unary(g, op, n.a));
    if (n.op == FLX_OP_NEG && is_even(op)) return flx_graph_unary(g, op, n.a);
    if (op == FLX_OP_ABS && (n.op == FLX_OP_ABS || n.op == FLX_OP_SQRT)) return a;
    // The length of a vector with one entry: |x| has a derivative also where x/sqrt(x^2) is 0/0.
    if (op == FLX_OP_SQRT && n.op == FLX_OP_POW && node_is(g, n.b, 2.0)) {
        return flx_graph_unary(g, FLX_OP_ABS, n.a);
    }
    return flx_graph_make(g, op, a, -1, -1);
}

flx_node flx_graph_binary(flx_graph *g, flx_op op, flx_node a, flx_node b)
{
    double x, y;
    if (a < 0 || b < 0) return -1;
    if (op == FLX_OP_ARGUMENT) return flx_graph_make(g, op, a, b, -1);
    if (flx_graph_is_const(g, a, &x) && flx_graph_is_const(g, b, &y)) {
        return flx_graph_const(g, eval_binary(op, x, y));
    }
    switch (op) {
    case FLX_OP_ADD:
        return simplify_add(g, a, b);
    case FLX_OP_SUB:
        return simplify_sub(g, a, b);
    case FLX_OP_MUL:
        return simplify_mul(g, a, b);
    case FLX_OP_DIV:
        return simplify_div(g, a, b);
    case FLX_OP_POW:
        return simplify_pow(g, a, b);
    case FLX_OP_AND:
    case FLX_OP_OR:
        return simplify_logic(g, op, a, b);
    case FLX_OP_MIN:
    case FLX_OP_MAX:
        return a == b ? a : flx_graph_make(g, op, a, b, -1);
    case FLX_OP_EQ:
    case FLX_OP_NE:
        return make_commutative(g, op, a, b);
    default:
        return flx_graph_make(g, op, a, b, -1);
    }
}

flx_node flx_graph_choose(flx_graph *g, flx_node c, flx_node a, flx_node b, uint64_t payload)
{
    double k;
    if (c < 0 || a < 0 || b < 0) return -1;
    if (flx_graph_is_const(g, c, &k)) return k != 0.0 ? a : b;
    if (a == b) return a;
    if (flx_node_is_op(g, c, FLX_OP_NOT)) return flx_graph_choose(g, g->nodes[c].a, b, a, payload);
    return flx_graph_intern(
        g, (flx_graph_node){.op = FLX_OP_IF, .a = c, .b = a, .c = b, .payload = payload});
}

flx_node flx_graph_if(flx_graph *g, flx_node c, flx_node a, flx_node b)
{
    return flx_graph_choose(g, c, a, b, 0);
}

flx_node flx_graph_either(flx_graph *g, flx_node c, flx_node a, flx_node b)
{
    return flx_graph_choose(g, c, a, b, FLX_EITHER);
}
