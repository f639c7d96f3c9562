// graph.c - the expression graph: equal nodes shared, constants folded, simple algebra applied
// when a node is made, and derivations.
//
// Rules of the algebra, applied when a node is made, so that derivatives come out short:
//     constants are folded and stand first;  0 + x, 1 x, 0 x, x/1, x^1, x - x, --x;
//     signs move outwards;  p x + q x = (p + q) x;  p (q x) = (p q) x;  x x = x^2, x^m x^n = x^(m+n).
// None of them moves a constant across a sum, which would lose digits, and none cancels a divisor,
// which would hide that it is zero.
#include "expr/graph.h"

#include <limits.h>
#include <stdlib.h>

// ---- nodes ------------------------------------------------------------------------------------

flx_graph *flx_graph_create(flx_ctx *ctx)
{
    flx_graph *g = flx_alloc(ctx, 1, sizeof *g);
    if (!g) return NULL;
    g->ctx = ctx;
    return g;
}

void flx_graph_destroy(flx_graph **graph)
{
    flx_graph *g = *graph;
    if (!g) return;
    for (int i = 0; i < g->ntable; i++) flx_table_release(g->tables[i]);
    flx_free(g->tables);
    flx_free(g->nodes);
    flx_free(g->mark);
    flx_free(g->list);
    flx_free(g->hash);
    flx_free(g);
    *graph = NULL;
}

static uint64_t mix(uint64_t h)
{
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

static uint64_t hash_node(const flx_graph_node *n)
{
    uint64_t h = mix((uint64_t)n->op << 32 ^ (uint32_t)n->a);
    h = mix(h ^ ((uint64_t)(uint32_t)n->b << 32 | (uint32_t)n->c));
    return mix(h ^ n->payload);
}

static bool same(const flx_graph_node *p, const flx_graph_node *q)
{
    return p->op == q->op && p->a == q->a && p->b == q->b && p->c == q->c &&
           p->payload == q->payload;
}

// The slot of the key's node, or the empty slot where it would go.
static int find_slot(const flx_graph *g, const flx_graph_node *key)
{
    int mask = g->hash_size - 1, i = (int)(hash_node(key) & (uint64_t)mask);
    while (g->hash[i] && !same(&g->nodes[g->hash[i] - 1], key)) i = (i + 1) & mask;
    return i;
}

flx_node flx_graph_find(const flx_graph *g, flx_graph_node key)
{
    return g->hash_size ? g->hash[find_slot(g, &key)] - 1 : -1;
}

static bool rehash(flx_graph *g, int size)
{
    int *hash = flx_alloc(g->ctx, (size_t)size, sizeof(int));
    if (!hash) return false;
    flx_free(g->hash);
    g->hash = hash;
    g->hash_size = size;
    for (int i = 0; i < g->n; i++) g->hash[find_slot(g, &g->nodes[i])] = i + 1;
    return true;
}

static bool grow(flx_graph *g)
{
    int need = g->n + 1;
    if (need > FLX_NODES_MAX) {
        FLX_FAIL(g->ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                 "the expressions of this model and their derivatives are too large: more than %d "
                 "operations",
                 FLX_NODES_MAX);
        return false;
    }
    if (g->hash_size < 2 * need && !rehash(g, g->hash_size ? 2 * g->hash_size : 256)) return false;
    if (flx_grow(g->ctx, (void **)&g->nodes, &g->capacity, need, sizeof *g->nodes) != FLX_OK ||
        flx_grow(g->ctx, (void **)&g->mark, &g->mark_capacity, need, sizeof(int)) != FLX_OK ||
        flx_grow(g->ctx, (void **)&g->list, &g->list_capacity, need, sizeof(int)) != FLX_OK) {
        return false;
    }
    return true;
}

// The node of this operation, made if it is new.
static flx_node intern(flx_graph *g, flx_graph_node key)
{
    flx_node found = flx_graph_find(g, key);
    if (found >= 0) return found;
    if (!grow(g)) return -1;
    g->hash[find_slot(g, &key)] = g->n + 1;
    g->nodes[g->n] = key;
    return g->n++;
}

static flx_node make(flx_graph *g, flx_op op, flx_node a, flx_node b, flx_node c)
{
    return intern(g, (flx_graph_node){.op = op, .a = a, .b = b, .c = c});
}

flx_node flx_graph_const(flx_graph *g, double value)
{
    flx_graph_node key = {.op = FLX_OP_CONST, .a = -1, .b = -1, .c = -1};
    if (value == 0.0) value = 0.0; // no negative zero, no two nodes for zero
    memcpy(&key.payload, &value, sizeof value);
    return intern(g, key);
}

flx_node flx_graph_leaf(flx_graph *g, flx_leaf leaf)
{
    return intern(g,
                  (flx_graph_node){.op = FLX_OP_LEAF, .a = -1, .b = -1, .c = -1, .payload = leaf});
}

bool flx_graph_is_const(const flx_graph *g, flx_node n, double *value)
{
    if (n < 0 || g->nodes[n].op != FLX_OP_CONST) return false;
    if (value) *value = flx_node_value(&g->nodes[n]);
    return true;
}

bool flx_graph_is_leaf(const flx_graph *g, flx_node n, flx_leaf *leaf)
{
    if (n < 0 || g->nodes[n].op != FLX_OP_LEAF) return false;
    *leaf = g->nodes[n].payload;
    return true;
}

static bool is_value(const flx_graph *g, flx_node n, double value)
{
    double v;
    return flx_graph_is_const(g, n, &v) && v == value;
}

static bool is_zero(const flx_graph *g, flx_node n)
{
    return is_value(g, n, 0.0);
}

static bool is_op(const flx_graph *g, flx_node n, flx_op op)
{
    return g->nodes[n].op == op;
}

// ---- values of constant operations --------------------------------------------------------------

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

static flx_node add(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_ADD, a, b);
}
static flx_node sub(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_SUB, a, b);
}
static flx_node mul(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_MUL, a, b);
}
static flx_node quo(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_DIV, a, b);
}
static flx_node power(flx_graph *g, flx_node a, double e)
{
    return flx_graph_binary(g, FLX_OP_POW, a, flx_graph_const(g, e));
}
static flx_node neg(flx_graph *g, flx_node a)
{
    return flx_graph_unary(g, FLX_OP_NEG, a);
}
static flx_node scale(flx_graph *g, double k, flx_node a)
{
    return mul(g, flx_graph_const(g, k), a);
}

// Operations whose operands may be swapped have the smaller number first, constants before all.
static flx_node make_commutative(flx_graph *g, flx_op op, flx_node a, flx_node b)
{
    bool swap = a > b;
    if (flx_graph_is_const(g, a, NULL)) swap = false;
    if (flx_graph_is_const(g, b, NULL)) swap = true;
    return swap ? make(g, op, b, a, -1) : make(g, op, a, b, -1);
}

// n = k base, where k is 1 unless the node is a constant multiple.
static double split_factor(const flx_graph *g, flx_node n, flx_node *base)
{
    double k = 1.0;
    *base = n;
    if (is_op(g, n, FLX_OP_NEG)) {
        *base = g->nodes[n].a;
        k = -1.0;
    } else if (is_op(g, n, FLX_OP_MUL) && flx_graph_is_const(g, g->nodes[n].a, &k)) {
        *base = g->nodes[n].b;
    }
    return k;
}

// n = base^e with a whole e > 0.
static double split_power(const flx_graph *g, flx_node n, flx_node *base)
{
    double e;
    *base = n;
    if (is_op(g, n, FLX_OP_POW) && flx_graph_is_const(g, g->nodes[n].b, &e) && e > 0.0 &&
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
    if (is_zero(g, a)) return b;
    if (is_zero(g, b)) return a;
    double kp = split_factor(g, a, &p), kq = split_factor(g, b, &q);
    if (p == q) return scale(g, kp + kq, p);
    if (is_op(g, b, FLX_OP_NEG)) return sub(g, a, q);
    if (is_op(g, a, FLX_OP_NEG)) return sub(g, b, p);
    return make_commutative(g, FLX_OP_ADD, a, b);
}

static flx_node simplify_sub(flx_graph *g, flx_node a, flx_node b)
{
    flx_node p, q;
    double k;
    if (is_zero(g, a)) return neg(g, b);
    if (is_zero(g, b)) return a;
    double kp = split_factor(g, a, &p), kq = split_factor(g, b, &q);
    if (p == q) return scale(g, kp - kq, p);
    if (is_op(g, b, FLX_OP_NEG)) return add(g, a, q);
    if (is_op(g, a, FLX_OP_NEG)) return neg(g, add(g, p, b));
    if (flx_graph_is_const(g, b, &k)) return add(g, flx_graph_const(g, -k), a);
    return make(g, FLX_OP_SUB, a, b, -1);
}

// k x with a constant k.
static flx_node simplify_scale(flx_graph *g, double k, flx_node x)
{
    flx_graph_node n = g->nodes[x];
    double q;
    if (k == 0.0) return flx_graph_const(g, 0.0);
    if (k == 1.0) return x;
    if (k == -1.0) return neg(g, x);
    if (n.op == FLX_OP_NEG) return scale(g, -k, n.a);
    if (n.op == FLX_OP_MUL && flx_graph_is_const(g, n.a, &q) && is_safe_factor(k * q)) {
        return scale(g, k * q, n.b);
    }
    if (n.op == FLX_OP_DIV && flx_graph_is_const(g, n.a, &q) && is_safe_factor(k * q)) {
        return quo(g, flx_graph_const(g, k * q), n.b);
    }
    flx_node factor = flx_graph_const(g, k);
    return factor < 0 ? -1 : make(g, FLX_OP_MUL, factor, x, -1);
}

static flx_node simplify_mul(flx_graph *g, flx_node a, flx_node b)
{
    flx_node p, q;
    double k;
    if (flx_graph_is_const(g, a, &k)) return simplify_scale(g, k, b);
    if (flx_graph_is_const(g, b, &k)) return simplify_scale(g, k, a);
    if (is_op(g, a, FLX_OP_NEG)) return neg(g, mul(g, g->nodes[a].a, b));
    if (is_op(g, b, FLX_OP_NEG)) return neg(g, mul(g, a, g->nodes[b].a));
    double ep = split_power(g, a, &p), eq = split_power(g, b, &q);
    if (p == q) return power(g, p, ep + eq);
    return make_commutative(g, FLX_OP_MUL, a, b);
}

// x/k with a constant k that is not zero.
static flx_node simplify_divide_const(flx_graph *g, flx_node a, double k)
{
    flx_node base;
    int exponent;
    if (k == 1.0) return a;
    if (k == -1.0) return neg(g, a);
    // Multiplying by the inverse of a power of two is exact and faster.
    if (fabs(frexp(k, &exponent)) == 0.5 && is_safe_factor(1.0 / k)) return scale(g, 1.0 / k, a);
    double factor = split_factor(g, a, &base);
    if (base != a && is_safe_factor(factor / k)) return scale(g, factor / k, base);
    flx_node divisor = flx_graph_const(g, k);
    return divisor < 0 ? -1 : make(g, FLX_OP_DIV, a, divisor, -1);
}

static flx_node simplify_div(flx_graph *g, flx_node a, flx_node b)
{
    double k;
    if (flx_graph_is_const(g, b, &k)) {
        if (k != 0.0) return simplify_divide_const(g, a, k);
        return make(g, FLX_OP_DIV, a, b, -1);
    }
    if (is_zero(g, a)) return a;
    if (is_op(g, a, FLX_OP_NEG)) return neg(g, quo(g, g->nodes[a].a, b));
    if (is_op(g, b, FLX_OP_NEG)) return neg(g, quo(g, a, g->nodes[b].a));
    return make(g, FLX_OP_DIV, a, b, -1);
}

// x^e with a constant e.
static flx_node simplify_power(flx_graph *g, flx_node a, double e)
{
    flx_graph_node n = g->nodes[a];
    double inner;
    if (e == 0.0) return flx_graph_const(g, 1.0);
    if (e == 1.0) return a;
    if (e == -1.0) return quo(g, flx_graph_const(g, 1.0), a);
    if (e == 0.5) return flx_graph_unary(g, FLX_OP_SQRT, a);
    if (e == floor(e)) {
        bool even = fmod(e, 2.0) == 0.0;
        if (n.op == FLX_OP_NEG) return even ? power(g, n.a, e) : neg(g, power(g, n.a, e));
        if (n.op == FLX_OP_ABS && even) return power(g, n.a, e);
        if (n.op == FLX_OP_POW && flx_graph_is_const(g, n.b, &inner) && inner == floor(inner) &&
            inner > 0.0) {
            return power(g, n.a, inner * e);
        }
    }
    flx_node exponent = flx_graph_const(g, e);
    return exponent < 0 ? -1 : make(g, FLX_OP_POW, a, exponent, -1);
}

static flx_node simplify_pow(flx_graph *g, flx_node a, flx_node b)
{
    double k;
    if (flx_graph_is_const(g, b, &k)) return simplify_power(g, a, k);
    if (is_value(g, a, 1.0)) return a;
    return make(g, FLX_OP_POW, a, b, -1);
}

bool flx_graph_is_condition(const flx_graph *g, flx_node n)
{
    flx_op op = g->nodes[n].op;
    return (op >= FLX_OP_LT && op <= FLX_OP_NOT) || is_zero(g, n) || is_value(g, n, 1.0);
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
    if (n.op == FLX_OP_SUB) return sub(g, n.b, n.a);
    if (n.op == FLX_OP_ADD && flx_graph_is_const(g, n.a, &k)) {
        return sub(g, flx_graph_const(g, -k), n.b);
    }
    if (n.op == FLX_OP_MUL && flx_graph_is_const(g, n.a, &k)) return scale(g, -k, n.b);
    if (n.op == FLX_OP_DIV && flx_graph_is_const(g, n.a, &k)) {
        return quo(g, flx_graph_const(g, -k), n.b);
    }
    return make(g, FLX_OP_NEG, a, -1, -1);
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
    if (n.op == FLX_OP_NEG && is_odd(op)) return neg(g, flx_graph_unary(g, op, n.a));
    if (n.op == FLX_OP_NEG && is_even(op)) return flx_graph_unary(g, op, n.a);
    if (op == FLX_OP_ABS && (n.op == FLX_OP_ABS || n.op == FLX_OP_SQRT)) return a;
    // The length of a vector with one entry: |x| has a derivative also where x/sqrt(x^2) is 0/0.
    if (op == FLX_OP_SQRT && n.op == FLX_OP_POW && is_value(g, n.b, 2.0)) {
        return flx_graph_unary(g, FLX_OP_ABS, n.a);
    }
    return make(g, op, a, -1, -1);
}

flx_node flx_graph_binary(flx_graph *g, flx_op op, flx_node a, flx_node b)
{
    double x, y;
    if (a < 0 || b < 0) return -1;
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
        return a == b ? a : make(g, op, a, b, -1);
    case FLX_OP_EQ:
    case FLX_OP_NE:
        return make_commutative(g, op, a, b);
    default:
        return make(g, op, a, b, -1);
    }
}

static flx_node choose(flx_graph *g, flx_node c, flx_node a, flx_node b, uint64_t payload)
{
    double k;
    if (c < 0 || a < 0 || b < 0) return -1;
    if (flx_graph_is_const(g, c, &k)) return k != 0.0 ? a : b;
    if (a == b) return a;
    if (is_op(g, c, FLX_OP_NOT)) return choose(g, g->nodes[c].a, b, a, payload);
    return intern(g, (flx_graph_node){.op = FLX_OP_IF, .a = c, .b = a, .c = b, .payload = payload});
}

flx_node flx_graph_if(flx_graph *g, flx_node c, flx_node a, flx_node b)
{
    return choose(g, c, a, b, 0);
}

flx_node flx_graph_either(flx_graph *g, flx_node c, flx_node a, flx_node b)
{
    return choose(g, c, a, b, FLX_EITHER);
}

// ---- tables -----------------------------------------------------------------------------------

int flx_graph_add_table(flx_graph *g, int n, const double *x, const double *y,
                        flx_interpolation interpolation, flx_outside outside)
{
    if (flx_grow(g->ctx, (void **)&g->tables, &g->table_capacity, g->ntable + 1,
                 sizeof *g->tables) != FLX_OK) {
        return -1;
    }
    flx_table *t = flx_table_create(g->ctx, n, x, y, interpolation, outside);
    if (!t) return -1;
    g->tables[g->ntable] = t;
    return g->ntable++;
}

flx_node flx_graph_table(flx_graph *g, int table, int derivative, flx_node x)
{
    double v;
    if (x < 0 || table < 0) return -1;
    if (derivative > g->tables[table]->smooth) return flx_graph_const(g, 0.0);
    if (flx_graph_is_const(g, x, &v)) {
        return flx_graph_const(g, flx_table_eval(g->tables[table], derivative, v));
    }
    return make(g, FLX_OP_TABLE, x, table, derivative);
}

flx_node flx_graph_piece(flx_graph *g, int cut, int derivative, flx_node x, flx_node piece)
{
    if (x < 0 || piece < 0) return -1;
    const flx_table *t = g->tables[cut / 2];
    if (derivative > t->smooth) return flx_graph_const(g, 0.0);
    // between its points the slope of a line is one number
    if (derivative == t->smooth && cut % 2 == 0) x = flx_graph_const(g, t->x[0]);
    return x < 0 ? -1 : make(g, FLX_OP_PIECE, x, piece, 4 * cut + derivative);
}

// ---- what lies below --------------------------------------------------------------------------

static void visit(const flx_graph *g, flx_node n, int *count)
{
    if (g->mark[n]) return;
    g->mark[n] = 1;
    g->list[(*count)++] = n;
}

// Put all nodes below (and including) the given ones into g->list; returns how many.
static int collect(const flx_graph *g, int n, const flx_node *nodes)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (nodes[i] >= 0) visit(g, nodes[i], &count);
    }
    for (int i = 0; i < count; i++) {
        const flx_graph_node *p = &g->nodes[g->list[i]];
        int operands = flx_op_operands(p->op);
        if (operands > 0) visit(g, p->a, &count);
        if (operands > 1) visit(g, p->b, &count);
        if (operands > 2) visit(g, p->c, &count);
    }
    for (int i = 0; i < count; i++) g->mark[g->list[i]] = 0;
    return count;
}

bool flx_graph_depends(const flx_graph *g, flx_node n, bool (*predicate)(void *user, flx_leaf leaf),
                       void *user)
{
    int count = collect(g, 1, &n);
    for (int i = 0; i < count; i++) {
        const flx_graph_node *p = &g->nodes[g->list[i]];
        if (p->op == FLX_OP_LEAF && (!predicate || predicate(user, p->payload))) return true;
    }
    return false;
}

static int by_code(const void *p, const void *q)
{
    flx_leaf a = *(const flx_leaf *)p, b = *(const flx_leaf *)q;
    return (a > b) - (a < b);
}

flx_status flx_graph_leaves(const flx_graph *g, int n, const flx_node *nodes, int *nleaf,
                            flx_leaf **leaves)
{
    *nleaf = 0;
    *leaves = NULL;
    int count = collect(g, n, nodes), found = 0;
    for (int i = 0; i < count; i++) found += g->nodes[g->list[i]].op == FLX_OP_LEAF;
    *leaves = flx_alloc(g->ctx, (size_t)found, sizeof(flx_leaf));
    if (!*leaves) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        const flx_graph_node *p = &g->nodes[g->list[i]];
        if (p->op == FLX_OP_LEAF) (*leaves)[(*nleaf)++] = p->payload;
    }
    qsort(*leaves, (size_t)found, sizeof(flx_leaf), by_code);
    return FLX_OK;
}

// ---- derivations ------------------------------------------------------------------------------

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
    if (!is_zero(g, da)) {
        flx_node slope = mul(g, b, flx_graph_binary(g, FLX_OP_POW, a, sub(g, b, one)));
        d = mul(g, slope, da);
    }
    if (d >= 0 && db >= 0 && !is_zero(g, db)) {
        flx_node zero = flx_graph_const(g, 0.0);
        flx_node slope = mul(g, n, flx_graph_unary(g, FLX_OP_LOG, a));
        slope = flx_graph_if(g, flx_graph_binary(g, FLX_OP_EQ, a, zero), zero, slope);
        d = add(g, d, mul(g, slope, db));
    }
    return d;
}

static flx_node derive_div(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    return quo(g, sub(g, da, mul(g, n, db)), g->nodes[n].b);
}

// atan2(y, x): (x dy - y dx)/(x^2 + y^2)
static flx_node derive_atan2(flx_graph *g, flx_node y, flx_node x, flx_node dy, flx_node dx)
{
    flx_node above = sub(g, mul(g, x, dy), mul(g, y, dx));
    return quo(g, above, add(g, power(g, x, 2.0), power(g, y, 2.0)));
}

// mod(a, b) = a - k b, where the whole number k = (a - mod)/b is constant between jumps.
static flx_node derive_mod(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    flx_node k = flx_graph_unary(g, FLX_OP_ROUND, quo(g, sub(g, a, n), b));
    return sub(g, da, mul(g, k, db));
}

// min takes the first operand where they are equal; so does its derivative. max likewise.
static flx_node derive_choice(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    bool is_min = is_op(g, n, FLX_OP_MIN);
    flx_node first = flx_graph_binary(g, FLX_OP_LE, is_min ? a : b, is_min ? b : a);
    return flx_graph_if(g, first, da, db);
}

static flx_node derive_binary(flx_graph *g, flx_node n, flx_node da, flx_node db)
{
    flx_node a = g->nodes[n].a, b = g->nodes[n].b;
    if (is_zero(g, da) && is_zero(g, db)) return da;
    switch (g->nodes[n].op) {
    case FLX_OP_ADD:
        return add(g, da, db);
    case FLX_OP_SUB:
        return sub(g, da, db);
    case FLX_OP_MUL:
        return add(g, mul(g, da, b), mul(g, a, db));
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
        return mul(g, flx_graph_piece(g, g->nodes[n].c / 4, g->nodes[n].c % 4 + 1, a, b), da);
    default: // comparisons and logic are steps
        return flx_graph_const(g, 0.0);
    }
}

// sqrt(1 + s x^2)
static flx_node root_of_one(flx_graph *g, double s, flx_node x)
{
    flx_node square = scale(g, s, power(g, x, 2.0));
    return flx_graph_unary(g, FLX_OP_SQRT, add(g, flx_graph_const(g, 1.0), square));
}

// Positive multiple of an even power.
static bool is_square(const flx_graph *g, flx_node n)
{
    double e;
    flx_node base;
    if (!(split_factor(g, n, &base) > 0.0) || !is_op(g, base, FLX_OP_POW)) return false;
    return flx_graph_is_const(g, g->nodes[base].b, &e) && e > 0.0 && fmod(e, 2.0) == 0.0;
}

static bool is_sum_of_squares(const flx_graph *g, flx_node n)
{
    while (is_op(g, n, FLX_OP_ADD)) {
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
    flx_node half = scale(g, 0.5, d), zero = flx_graph_const(g, 0.0);
    if (!is_sum_of_squares(g, g->nodes[n].a)) return quo(g, half, n);
    flx_node inverse = quo(g, flx_graph_const(g, 1.0), n);
    inverse = flx_graph_if(g, flx_graph_binary(g, FLX_OP_EQ, n, zero), zero, inverse);
    return mul(g, half, inverse);
}

static flx_node derive_unary(flx_graph *g, flx_node n, flx_node d)
{
    flx_graph_node p = g->nodes[n];
    flx_node x = p.a, one = flx_graph_const(g, 1.0);
    if (is_zero(g, d)) return d;
    switch (p.op) {
    case FLX_OP_NEG:
        return neg(g, d);
    case FLX_OP_SQRT:
        return derive_sqrt(g, n, d);
    case FLX_OP_SIN:
        return mul(g, flx_graph_unary(g, FLX_OP_COS, x), d);
    case FLX_OP_COS:
        return neg(g, mul(g, flx_graph_unary(g, FLX_OP_SIN, x), d));
    case FLX_OP_TAN:
        return mul(g, add(g, one, power(g, n, 2.0)), d);
    case FLX_OP_ASIN:
        return quo(g, d, root_of_one(g, -1.0, x));
    case FLX_OP_ACOS:
        return neg(g, quo(g, d, root_of_one(g, -1.0, x)));
    case FLX_OP_ATAN:
        return quo(g, d, add(g, one, power(g, x, 2.0)));
    case FLX_OP_SINH:
        return mul(g, flx_graph_unary(g, FLX_OP_COSH, x), d);
    case FLX_OP_COSH:
        return mul(g, flx_graph_unary(g, FLX_OP_SINH, x), d);
    case FLX_OP_TANH:
        return mul(g, sub(g, one, power(g, n, 2.0)), d);
    case FLX_OP_EXP:
        return mul(g, n, d);
    case FLX_OP_LOG:
        return quo(g, d, x);
    case FLX_OP_LOG10:
        return quo(g, d, scale(g, log(10.0), x));
    case FLX_OP_ABS:
        return mul(g, flx_graph_unary(g, FLX_OP_SIGN, x), d);
    case FLX_OP_TABLE:
        return mul(g, flx_graph_table(g, p.b, p.c + 1, x), d);
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
        result = choose(g, p.a, d->of[p.b] - 1, d->of[p.c] - 1, p.payload);
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
