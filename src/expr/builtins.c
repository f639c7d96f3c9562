// builtins.c - the functions and constants that are built in.
//
// The branch of an if that a constant condition does not take is not elaborated: it may be an index
// out of range or a division by zero that the condition is there to avoid. Only the names in it are
// checked.
#include "expr/elaborate.h"
#include "math/curve/profile.h"

// ---- arguments --------------------------------------------------------------------------------

static const flx_ast *argument(const flx_ast *call, int i)
{
    const flx_ast *a = call->first->next;
    while (i-- > 0) a = a->next;
    return a;
}

static flx_status argument_number(flx_walk *e, const flx_ast *call, int i, flx_node *out)
{
    const flx_ast *a = argument(call, i);
    flx_operand v;
    *out = -1;
    FLX_TRY(flx_walk_settled(e, a, &v));
    if (v.kind != FLX_OPERAND_NUMBER) {
        return fail(e->s, a->loc, "%s needs a number, but argument %d is %s", call->first->name,
                    i + 1, flx_operand_describe(&v).text);
    }
    *out = v.node;
    return FLX_OK;
}

// *nodes lives in the arena.
static flx_status argument_vector(flx_walk *e, const flx_ast *call, int i, int *n, flx_node **nodes)
{
    const flx_ast *a = argument(call, i);
    flx_operand v;
    *n = 0;
    *nodes = NULL;
    FLX_TRY(flx_walk_settled(e, a, &v));
    if (v.kind != FLX_OPERAND_LIST || v.count == 0) {
        return fail(e->s, a->loc, "%s needs a vector, but argument %d is %s", call->first->name,
                    i + 1, flx_operand_describe(&v).text);
    }
    *n = v.count;
    *nodes = flx_arena_take(e->s->arena, (size_t)v.count, sizeof(flx_node));
    if (!*nodes) return FLX_ERR_MEMORY;
    return flx_walk_entries(e, a, &v, *nodes);
}

static flx_status argument_vectors(flx_walk *e, const flx_ast *call, int *n, flx_node **a,
                                   flx_node **b)
{
    int m;
    FLX_TRY(argument_vector(e, call, 0, n, a));
    FLX_TRY(argument_vector(e, call, 1, &m, b));
    if (m == *n) return FLX_OK;
    return fail(e->s, argument(call, 1)->loc,
                "%s needs two vectors of the same length, but they have %d and %d entries",
                call->first->name, *n, m);
}

// ---- functions of numbers ---------------------------------------------------------------------

static flx_status apply_unary(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                              flx_operand *out)
{
    flx_node x, n;
    FLX_TRY(argument_number(e, call, 0, &x));
    FLX_TRY(flx_scope_unary(e->s, b->op, x, call->loc, &n));
    return flx_operand_set_node(n, out);
}

static flx_status apply_binary(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                               flx_operand *out)
{
    flx_node x, y, n;
    FLX_TRY(argument_number(e, call, 0, &x));
    FLX_TRY(argument_number(e, call, 1, &y));
    FLX_TRY(flx_scope_binary(e->s, b->op, x, y, call->loc, &n));
    return flx_operand_set_node(n, out);
}

// min and max of numbers and of the entries of lists.
static flx_status apply_extreme(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                                flx_operand *out)
{
    flx_graph *g = e->s->graph;
    flx_node best = -1;
    for (const flx_ast *a = call->first->next; a; a = a->next) {
        flx_operand v;
        FLX_TRY(flx_walk_settled(e, a, &v));
        bool list = v.kind == FLX_OPERAND_LIST;
        for (int i = 0; i < (list ? v.count : 1); i++) {
            flx_operand entry = list ? v.items[i] : v;
            FLX_TRY(flx_walk_settle(e, a, &entry));
            if (entry.kind != FLX_OPERAND_NUMBER) {
                return fail(e->s, a->loc, "%s needs numbers, but one is %s", b->name,
                            flx_operand_describe(&entry).text);
            }
            best = best < 0 ? entry.node : flx_graph_binary(g, b->op, best, entry.node);
            if (best < 0) return FLX_ERR_MEMORY;
        }
    }
    if (best < 0) return fail(e->s, call->loc, "%s of an empty list", b->name);
    return flx_operand_set_node(best, out);
}

static flx_status choose(flx_walk *e, flx_node c, const flx_operand *a, const flx_operand *b,
                         flx_loc loc, flx_operand *out)
{
    flx_operand result;
    if (a->kind == FLX_OPERAND_NUMBER && b->kind == FLX_OPERAND_NUMBER) {
        return flx_operand_set_node(flx_graph_if(e->s->graph, c, a->node, b->node), out);
    }
    if (a->kind != FLX_OPERAND_LIST || b->kind != FLX_OPERAND_LIST || a->count != b->count) {
        return fail(e->s, loc, "the two results of if differ in kind: %s and %s",
                    flx_operand_describe(a).text, flx_operand_describe(b).text);
    }
    FLX_TRY(flx_operand_set_list(e->s, a->count, &result));
    for (int i = 0; i < a->count; i++) {
        FLX_TRY(choose(e, c, &a->items[i], &b->items[i], loc, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status apply_if(flx_walk *e, const flx_builtin *b, const flx_ast *call, flx_operand *out)
{
    const flx_ast *yes = argument(call, 1), *no = yes->next;
    flx_operand first, second;
    flx_node c;
    double v;
    (void)b;
    FLX_TRY(argument_number(e, call, 0, &c));
    if (flx_graph_is_const(e->s->graph, c, &v)) {
        FLX_TRY(flx_walk_elaborate(e, v != 0.0 ? yes : no, out));
        return flx_walk_check_names(e, v != 0.0 ? no : yes);
    }
    FLX_TRY(flx_walk_settled(e, yes, &first));
    FLX_TRY(flx_walk_settled(e, no, &second));
    return choose(e, c, &first, &second, no->loc, out);
}

// sum(j, from, to, term)
static flx_status apply_sum(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                            flx_operand *out)
{
    const flx_ast *name = argument(call, 0), *term = argument(call, 3);
    flx_sum_index index = {.name = name->name, .outer = e->locals};
    flx_walk inner = {e->s, &index};
    flx_operand all, next;
    int from, to;
    double v;
    (void)b;
    if (name->kind != AST_NAME || flx_builtin_constant(name->name, &v)) {
        return fail(e->s, name->loc,
                    "the first argument of sum is the name of its index: "
                    "sum(j, 1, 3, m(j))");
    }
    FLX_TRY(flx_walk_whole(e, argument(call, 1), "the first index of a sum", &from));
    FLX_TRY(flx_walk_whole(e, argument(call, 2), "the last index of a sum", &to));
    FLX_TRY(flx_operand_set_const(e->s, 0.0, &all));
    if (from > to) {
        index.node = all.node;
        FLX_TRY(flx_walk_check_names(&inner, term));
    }
    for (int j = from; j <= to; j++) {
        index.node = flx_graph_const(e->s->graph, j);
        if (index.node < 0) return FLX_ERR_MEMORY;
        FLX_TRY(flx_walk_settled(&inner, term, &next));
        if (j == from) {
            all = next;
        } else {
            FLX_TRY(flx_operand_combine(e->s, AST_ADD, &all, &next, term->loc, &all));
        }
    }
    *out = all;
    return FLX_OK;
}

// ---- profiles of motions -----------------------------------------------------------------------

// (PTH-1): the polynomial of degree 2 m + 1 from 0 to 1 that m derivatives leave and reach at rest, held
// outside.
static flx_node profile(flx_graph *g, int degree, flx_node x)
{
    const double *k = flx_profile_terms(degree);
    flx_node s = flx_graph_binary(g, FLX_OP_MAX, x, flx_graph_const(g, 0.0));
    s = flx_graph_binary(g, FLX_OP_MIN, s, flx_graph_const(g, 1.0));
    int first = (degree + 1) / 2;
    flx_node sum = flx_graph_const(g, k[degree]);
    for (int i = degree - 1; i >= first; i--) {
        flx_node next = flx_graph_binary(g, FLX_OP_MUL, s, sum);
        sum = flx_graph_binary(g, FLX_OP_ADD, next, flx_graph_const(g, k[i]));
    }
    flx_node power = flx_graph_binary(g, FLX_OP_POW, s, flx_graph_const(g, first));
    return flx_graph_binary(g, FLX_OP_MUL, power, sum);
}

static flx_status apply_poly(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                             flx_operand *out)
{
    flx_node x;
    FLX_TRY(argument_number(e, call, 0, &x));
    return flx_operand_set_node(profile(e->s->graph, b->name[4] - '0', x), out);
}

// From h0 at x0 to h1 at x1, held outside: STEP by poly3, HAVSIN by half a wave of the sine (PTH-2).
static flx_status apply_between(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                                flx_operand *out)
{
    flx_graph *g = e->s->graph;
    flx_node v[5], way, x, part;
    double zero;
    for (int i = 0; i < 5; i++) FLX_TRY(argument_number(e, call, i, &v[i]));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_SUB, v[3], v[1], call->loc, &way));
    if (flx_graph_is_const(g, way, &zero) && zero == 0.0) {
        return fail(e->s, argument(call, 3)->loc, "%s begins and ends at the same place", b->name);
    }
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_SUB, v[0], v[1], call->loc, &x));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_DIV, x, way, call->loc, &x));
    if (b->op == FLX_OP_SIN) {
        x = flx_graph_binary(g, FLX_OP_MAX, x, flx_graph_const(g, 0.0));
        x = flx_graph_binary(g, FLX_OP_MIN, x, flx_graph_const(g, 1.0));
        x = flx_graph_binary(g, FLX_OP_MUL, flx_graph_const(g, FLX_PI), x);
        part = flx_graph_binary(g, FLX_OP_SUB, flx_graph_const(g, 1.0),
                                flx_graph_unary(g, FLX_OP_COS, x));
        part = flx_graph_binary(g, FLX_OP_MUL, flx_graph_const(g, 0.5), part);
    } else {
        part = profile(g, 3, x);
    }
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_SUB, v[4], v[2], call->loc, &way));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_MUL, way, part, call->loc, &way));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_ADD, v[2], way, call->loc, &way));
    return flx_operand_set_node(way, out);
}

// ---- functions of vectors ---------------------------------------------------------------------

static flx_status sum_of_squares(flx_walk *e, int n, const flx_node *a, flx_node *out)
{
    flx_graph *g = e->s->graph;
    flx_node two = flx_graph_const(g, 2.0), all = flx_graph_const(g, 0.0);
    for (int i = 0; i < n; i++) {
        all = flx_graph_binary(g, FLX_OP_ADD, all, flx_graph_binary(g, FLX_OP_POW, a[i], two));
    }
    *out = all;
    return all < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status length_of(flx_walk *e, int n, const flx_node *a, flx_loc loc, flx_node *out)
{
    flx_node square;
    FLX_TRY(sum_of_squares(e, n, a, &square));
    return flx_scope_unary(e->s, FLX_OP_SQRT, square, loc, out);
}

static flx_status apply_norm(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                             flx_operand *out)
{
    flx_node *a, n;
    int count;
    (void)b;
    FLX_TRY(argument_vector(e, call, 0, &count, &a));
    FLX_TRY(length_of(e, count, a, call->loc, &n));
    return flx_operand_set_node(n, out);
}

static flx_status apply_unit(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                             flx_operand *out)
{
    flx_node *a, length;
    flx_operand result;
    int count;
    double v;
    (void)b;
    FLX_TRY(argument_vector(e, call, 0, &count, &a));
    FLX_TRY(length_of(e, count, a, call->loc, &length));
    if (flx_graph_is_const(e->s->graph, length, &v) && v == 0.0) {
        return fail(e->s, call->loc, "unit of a vector whose length is zero");
    }
    FLX_TRY(flx_operand_set_list(e->s, count, &result));
    for (int i = 0; i < count; i++) {
        flx_node n;
        FLX_TRY(flx_scope_binary(e->s, FLX_OP_DIV, a[i], length, call->loc, &n));
        FLX_TRY(flx_operand_set_node(n, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status apply_distance(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                                 flx_operand *out)
{
    flx_node *p, *q, n;
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    for (int i = 0; i < count; i++) {
        FLX_TRY(flx_scope_binary(e->s, FLX_OP_SUB, q[i], p[i], call->loc, &p[i]));
    }
    FLX_TRY(length_of(e, count, p, call->loc, &n));
    return flx_operand_set_node(n, out);
}

static flx_status apply_dot(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                            flx_operand *out)
{
    flx_graph *g = e->s->graph;
    flx_node *p, *q, all = flx_graph_const(g, 0.0);
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    for (int i = 0; i < count; i++) {
        flx_node term;
        FLX_TRY(flx_scope_binary(e->s, FLX_OP_MUL, p[i], q[i], call->loc, &term));
        FLX_TRY(flx_scope_binary(e->s, FLX_OP_ADD, all, term, call->loc, &all));
    }
    return flx_operand_set_node(all, out);
}

// p_i q_j - p_j q_i
static flx_status cross_entry(flx_walk *e, const flx_node *p, const flx_node *q, int i, int j,
                              flx_loc loc, flx_operand *out)
{
    flx_node a, b, n;
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_MUL, p[i], q[j], loc, &a));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_MUL, p[j], q[i], loc, &b));
    FLX_TRY(flx_scope_binary(e->s, FLX_OP_SUB, a, b, loc, &n));
    return flx_operand_set_node(n, out);
}

static flx_status apply_cross(flx_walk *e, const flx_builtin *b, const flx_ast *call,
                              flx_operand *out)
{
    flx_node *p, *q;
    flx_operand result;
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    if (count == 2) return cross_entry(e, p, q, 0, 1, call->loc, out); // planar: about z
    if (count != 3) {
        return fail(e->s, call->loc,
                    "cross needs vectors of 3 (or of 2), but these have %d entries", count);
    }
    FLX_TRY(flx_operand_set_list(e->s, 3, &result));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        FLX_TRY(cross_entry(e, p, q, j, k, call->loc, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

// ---- the table --------------------------------------------------------------------------------

// name, fewest and most arguments (-1: any number), how it is applied, operation
#define BUILTIN_LIST(X)                                                                            \
    X(sin, 1, 1, unary, SIN)                                                                       \
    X(cos, 1, 1, unary, COS)                                                                       \
    X(tan, 1, 1, unary, TAN)                                                                       \
    X(asin, 1, 1, unary, ASIN)                                                                     \
    X(acos, 1, 1, unary, ACOS)                                                                     \
    X(atan, 1, 1, unary, ATAN)                                                                     \
    X(atan2, 2, 2, binary, ATAN2)                                                                  \
    X(sinh, 1, 1, unary, SINH)                                                                     \
    X(cosh, 1, 1, unary, COSH)                                                                     \
    X(tanh, 1, 1, unary, TANH)                                                                     \
    X(exp, 1, 1, unary, EXP)                                                                       \
    X(log, 1, 1, unary, LOG)                                                                       \
    X(log10, 1, 1, unary, LOG10)                                                                   \
    X(sqrt, 1, 1, unary, SQRT)                                                                     \
    X(abs, 1, 1, unary, ABS)                                                                       \
    X(sign, 1, 1, unary, SIGN)                                                                     \
    X(floor, 1, 1, unary, FLOOR)                                                                   \
    X(ceil, 1, 1, unary, CEIL)                                                                     \
    X(round, 1, 1, unary, ROUND)                                                                   \
    X(mod, 2, 2, binary, MOD)                                                                      \
    X(min, 1, -1, extreme, MIN)                                                                    \
    X(max, 1, -1, extreme, MAX)                                                                    \
    X(if, 3, 3, if, IF)                                                                            \
    X(poly3, 1, 1, poly, POW)                                                                      \
    X(poly5, 1, 1, poly, POW)                                                                      \
    X(poly7, 1, 1, poly, POW)                                                                      \
    X(poly9, 1, 1, poly, POW)                                                                      \
    X(STEP, 5, 5, between, POW)                                                                    \
    X(HAVSIN, 5, 5, between, SIN)                                                                  \
    X(sum, 4, 4, sum, ADD)                                                                         \
    X(norm, 1, 1, norm, SQRT)                                                                      \
    X(unit, 1, 1, unit, DIV)                                                                       \
    X(dot, 2, 2, dot, MUL)                                                                         \
    X(cross, 2, 2, cross, MUL)                                                                     \
    X(distance, 2, 2, distance, SQRT)

static const flx_builtin builtins[] = {
#define X(name, fewest, most, how, op) {#name, fewest, most, apply_##how, FLX_OP_##op},
    BUILTIN_LIST(X)
#undef X
};

const flx_builtin *flx_builtin_find(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) == 0) return &builtins[i];
    }
    return NULL;
}

bool flx_builtin_constant(const char *name, double *value)
{
    const double pi = FLX_PI;
    if (strcmp(name, "pi") == 0) {
        *value = pi;
    } else if (strcmp(name, "deg") == 0) {
        *value = pi / 180.0;
    } else {
        return false;
    }
    return true;
}

const char *const *flx_expr_builtin_names(void)
{
    static const char *const names[] = {
#define X(name, fewest, most, how, op) #name,
        BUILTIN_LIST(X)
#undef X
            "pi",
        "deg",
        "and",
        "or",
        "not",
        NULL};
    return names;
}

bool flx_expr_is_reserved(const char *name)
{
    double v;
    return flx_builtin_constant(name, &v) || strcmp(name, "and") == 0 || strcmp(name, "or") == 0 ||
           strcmp(name, "not") == 0;
}
