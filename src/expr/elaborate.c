// elaborate.c - from a syntax tree to a value: names are looked up, functions applied, vectors
// taken apart, and what remains are nodes of the graph.
//
// A constant that is not finite is an error at its place. The branch of an if that a constant
// condition does not take is not elaborated: it may be an index out of range or a division by zero
// that the condition is there to avoid. Only the names in it are checked.
#include "expr/ast.h"
#include "expr/graph.h"

#include <stdio.h>

// Nested elaborations over all function calls: enough for any model, little enough for any stack.
#define DEPTH_MAX 1000
#define CALLS_MAX 200
// Of the whole model; a sum over a sum over a sum of thousands is a mistake, not a model.
#define STEPS_MAX 30000000L

// An index of sum().
typedef struct local {
    const char *name;
    flx_node node;
    const struct local *outer;
} local;

typedef struct env {
    flx_scope *s;
    const local *locals;
} env;

typedef struct builtin builtin;
struct builtin {
    const char *name;
    int min_args, max_args; // -1: any number
    flx_status (*apply)(env *e, const builtin *b, const flx_ast *call, flx_value *out);
    flx_op op;
};

static flx_status elaborate(env *e, const flx_ast *a, flx_value *out);
static const builtin *find_builtin(const char *name);

#define fail(e, loc, ...) FLX_FAIL((e)->s->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__)

// ---- values -----------------------------------------------------------------------------------

static flx_status give_node(flx_node n, flx_value *out)
{
    *out = (flx_value){.kind = FLX_VALUE_NUMBER, .node = n};
    return n < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status give_const(env *e, double v, flx_value *out)
{
    return give_node(flx_graph_const(e->s->graph, v), out);
}

static flx_status give_list(env *e, int n, flx_value *out)
{
    *out = (flx_value){.kind = FLX_VALUE_LIST, .node = -1, .count = n};
    out->items = flx_arena_take(e->s->arena, (size_t)n, sizeof(flx_value));
    return out->items ? FLX_OK : FLX_ERR_MEMORY;
}

// "a number", "a vector of 3", ...
typedef struct words {
    char text[48];
} words;

static words describe(const flx_value *v)
{
    words w = {"a number"};
    bool flat = true;
    switch (v->kind) {
    case FLX_VALUE_NUMBER:
        break;
    case FLX_VALUE_LIST:
        for (int i = 0; i < v->count; i++) flat = flat && v->items[i].kind == FLX_VALUE_NUMBER;
        snprintf(w.text, sizeof w.text, "a %s of %d", flat ? "vector" : "list", v->count);
        break;
    case FLX_VALUE_HANDLE:
        snprintf(w.text, sizeof w.text, "an item of the model");
        break;
    case FLX_VALUE_FUNCTION:
        snprintf(w.text, sizeof w.text, "a function");
        break;
    }
    return w;
}

// Make the value a number or a list: a point's name is its place.
static flx_status settle(env *e, const flx_ast *a, flx_value *v)
{
    if (v->kind == FLX_VALUE_HANDLE) {
        flx_value of = *v;
        if (!e->s->coerce) return fail(e, a->loc, "a number or a vector is needed here");
        FLX_TRY(e->s->coerce(e->s, &of, a->loc, v));
    }
    if (v->kind == FLX_VALUE_FUNCTION) {
        if (a->kind == AST_NAME) {
            return fail(e, a->loc, "'%s' is a function: write %s(...)", a->name, a->name);
        }
        return fail(e, a->loc, "a function is called with its arguments in parentheses");
    }
    return FLX_OK;
}

static flx_status elaborate_settled(env *e, const flx_ast *a, flx_value *out)
{
    FLX_TRY(elaborate(e, a, out));
    return settle(e, a, out);
}

static flx_status elaborate_number(env *e, const flx_ast *a, flx_node *out)
{
    flx_value v;
    *out = -1;
    FLX_TRY(elaborate_settled(e, a, &v));
    if (v.kind != FLX_VALUE_NUMBER) {
        return fail(e, a->loc, "a number is needed here, but this is %s", describe(&v).text);
    }
    *out = v.node;
    return FLX_OK;
}

// The entries of a list, as numbers.
static flx_status settle_entries(env *e, const flx_ast *a, const flx_value *v, flx_node *out)
{
    for (int i = 0; i < v->count; i++) {
        flx_value entry = v->items[i];
        FLX_TRY(settle(e, a, &entry));
        if (entry.kind != FLX_VALUE_NUMBER) {
            return fail(e, a->loc, "entry %d of this vector must be a number, but it is %s", i + 1,
                        describe(&entry).text);
        }
        out[i] = entry.node;
    }
    return FLX_OK;
}

// A whole number that is known now. Indices are often computed, so a rounding error is forgiven.
static flx_status elaborate_whole(env *e, const flx_ast *a, const char *what, int *out)
{
    flx_node n;
    double v;
    *out = 0;
    FLX_TRY(elaborate_number(e, a, &n));
    bool constant =
        e->s->constant ? e->s->constant(e->s, n, &v) : flx_graph_is_const(e->s->graph, n, &v);
    if (!constant) {
        return fail(e, a->loc, "%s must be constant", what);
    }
    if (!(fabs(v - round(v)) <= 1e-9 * (1.0 + fabs(v)))) {
        return fail(e, a->loc, "%s must be a whole number, but it is %g", what, v);
    }
    if (fabs(v) > 1e9) return fail(e, a->loc, "%s is too large: %g", what, v);
    *out = (int)round(v);
    return FLX_OK;
}

// ---- constants that are not finite ------------------------------------------------------------

static flx_status fail_value(env *e, flx_op op, double x, double y, flx_loc loc)
{
    switch (op) {
    case FLX_OP_DIV:
        if (y == 0.0) return fail(e, loc, "division by zero");
        break;
    case FLX_OP_MOD:
        if (y == 0.0) return fail(e, loc, "mod(%g, 0): division by zero", x);
        break;
    case FLX_OP_POW:
        if (x == 0.0) return fail(e, loc, "division by zero: 0^%g", y);
        if (x < 0.0 && y != floor(y)) {
            return fail(e, loc, "a negative number (%g) cannot be raised to the power %g", x, y);
        }
        break;
    case FLX_OP_SQRT:
        if (x < 0.0) return fail(e, loc, "square root of a negative number (%g)", x);
        break;
    case FLX_OP_LOG:
    case FLX_OP_LOG10:
        if (!(x > 0.0)) {
            return fail(e, loc, "logarithm of %g: the argument must be greater than zero", x);
        }
        break;
    case FLX_OP_ASIN:
    case FLX_OP_ACOS:
        return fail(e, loc, "%s of %g: the argument must lie between -1 and 1",
                    op == FLX_OP_ASIN ? "asin" : "acos", x);
    default:
        break;
    }
    return fail(e, loc, "the value is too large for a number");
}

// Check the node of an operation. y: -1 for one operand.
static flx_status check_node(env *e, flx_op op, flx_node x, flx_node y, flx_node n, flx_loc loc)
{
    const flx_graph *g = e->s->graph;
    double v, vx = 0.0, vy = 0.0;
    if (n < 0) return FLX_ERR_MEMORY;
    flx_graph_is_const(g, x, &vx);
    bool known = flx_graph_is_const(g, y, &vy);
    if (op == FLX_OP_DIV && known && vy == 0.0) return fail_value(e, op, vx, vy, loc);
    if (flx_graph_is_const(g, n, &v) && !isfinite(v)) return fail_value(e, op, vx, vy, loc);
    return FLX_OK;
}

static flx_status apply_op1(env *e, flx_op op, flx_node x, flx_loc loc, flx_node *out)
{
    *out = flx_graph_unary(e->s->graph, op, x);
    return check_node(e, op, x, -1, *out, loc);
}

static flx_status apply_op2(env *e, flx_op op, flx_node x, flx_node y, flx_loc loc, flx_node *out)
{
    *out = flx_graph_binary(e->s->graph, op, x, y);
    return check_node(e, op, x, y, *out, loc);
}

// ---- arithmetic -------------------------------------------------------------------------------

static flx_status fail_operands(env *e, ast_operator op, const flx_value *a, const flx_value *b,
                                flx_loc loc)
{
    words x = describe(a), y = describe(b);
    switch (op) {
    case AST_ADD:
        return fail(e, loc, "cannot add %s and %s", x.text, y.text);
    case AST_SUB:
        return fail(e, loc, "cannot subtract %s from %s", y.text, x.text);
    case AST_MUL:
        return fail(e, loc, "cannot multiply %s by %s; use dot(a, b) or cross(a, b)", x.text,
                    y.text);
    case AST_DIV:
        return fail(e, loc, "cannot divide %s by %s", x.text, y.text);
    case AST_POW:
        return fail(e, loc, "cannot raise %s to the power of %s", x.text, y.text);
    default:
        return fail(e, loc, "cannot compare %s and %s", x.text, y.text);
    }
}

static flx_status combine_numbers(env *e, ast_operator op, flx_node a, flx_node b, flx_loc loc,
                                  flx_value *out)
{
    static const flx_op ops[] = {
        [AST_LT] = FLX_OP_LT,   [AST_LE] = FLX_OP_LE,   [AST_GT] = FLX_OP_LT,
        [AST_GE] = FLX_OP_LE,   [AST_EQ] = FLX_OP_EQ,   [AST_NE] = FLX_OP_NE,
        [AST_ADD] = FLX_OP_ADD, [AST_SUB] = FLX_OP_SUB, [AST_MUL] = FLX_OP_MUL,
        [AST_DIV] = FLX_OP_DIV, [AST_POW] = FLX_OP_POW,
    };
    bool swap = op == AST_GT || op == AST_GE;
    flx_node n;
    FLX_TRY(apply_op2(e, ops[op], swap ? b : a, swap ? a : b, loc, &n));
    return give_node(n, out);
}

static flx_status combine(env *e, ast_operator op, const flx_value *a, const flx_value *b,
                          flx_loc loc, flx_value *out)
{
    bool list_a = a->kind == FLX_VALUE_LIST, list_b = b->kind == FLX_VALUE_LIST;
    bool number_a = a->kind == FLX_VALUE_NUMBER, number_b = b->kind == FLX_VALUE_NUMBER;
    flx_value result;
    if (number_a && number_b) return combine_numbers(e, op, a->node, b->node, loc, out);
    bool sum = (op == AST_ADD || op == AST_SUB) && list_a && list_b && a->count == b->count;
    bool multiple = op == AST_MUL && ((list_a && number_b) || (number_a && list_b));
    bool fraction = op == AST_DIV && list_a && number_b;
    if (!sum && !multiple && !fraction) return fail_operands(e, op, a, b, loc);

    FLX_TRY(give_list(e, list_a ? a->count : b->count, &result));
    for (int i = 0; i < result.count; i++) {
        FLX_TRY(combine(e, op, list_a ? &a->items[i] : a, list_b ? &b->items[i] : b, loc,
                        &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status negate(env *e, const flx_value *a, flx_loc loc, flx_value *out)
{
    flx_value result;
    if (a->kind == FLX_VALUE_NUMBER) {
        return give_node(flx_graph_unary(e->s->graph, FLX_OP_NEG, a->node), out);
    }
    if (a->kind != FLX_VALUE_LIST) return fail(e, loc, "cannot negate %s", describe(a).text);
    FLX_TRY(give_list(e, a->count, &result));
    for (int i = 0; i < a->count; i++) FLX_TRY(negate(e, &a->items[i], loc, &result.items[i]));
    *out = result;
    return FLX_OK;
}

// ---- names ------------------------------------------------------------------------------------

static const local *find_local(const env *e, const char *name)
{
    const local *l = e->locals;
    while (l && strcmp(l->name, name) != 0) l = l->outer;
    return l;
}

static bool find_constant(const char *name, double *value)
{
    const double pi = 3.14159265358979323846;
    if (strcmp(name, "pi") == 0) {
        *value = pi;
    } else if (strcmp(name, "deg") == 0) {
        *value = pi / 180.0;
    } else {
        return false;
    }
    return true;
}

// called: the name is followed by arguments, which the scope may want to say in its message.
static flx_status elaborate_name(env *e, const flx_ast *a, bool called, flx_value *out)
{
    const local *l = find_local(e, a->name);
    double v;
    if (l) return give_node(l->node, out);
    if (find_constant(a->name, &v)) return give_const(e, v, out);
    e->s->called = called;
    flx_status status = e->s->lookup(e->s, a->name, a->loc, out);
    e->s->called = false;
    return status;
}

// The names of a part that is not elaborated must exist all the same.
static flx_status check_names(env *e, const flx_ast *a)
{
    const flx_ast *child = a->first;
    env inner = *e;
    local index = {.outer = e->locals};
    flx_value ignored;
    if (a->kind == AST_NAME) return elaborate_name(e, a, false, &ignored);
    if (a->kind == AST_CALL && child->kind == AST_NAME && !find_local(e, child->name)) {
        const builtin *b = find_builtin(child->name);
        if (!b) FLX_TRY(elaborate_name(e, child, true, &ignored));
        child = child->next;
        if (b && strcmp(b->name, "sum") == 0 && child && child->kind == AST_NAME) {
            index.name = child->name;
            index.node = flx_graph_const(e->s->graph, 0.0);
            inner.locals = &index;
            child = child->next;
        }
    }
    for (; child; child = child->next) FLX_TRY(check_names(&inner, child));
    return FLX_OK;
}

// ---- chains -----------------------------------------------------------------------------------

// and, or: what stands after an operand that decides is not elaborated.
static flx_status elaborate_logic(env *e, const flx_ast *a, flx_value *out)
{
    ast_operator ast_op = a->last->op;
    flx_op op = ast_op == AST_OR ? FLX_OP_OR : FLX_OP_AND;
    flx_node all;
    double v;
    FLX_TRY(elaborate_number(e, a->first, &all));
    // with the truth that decides nothing, so that the result is 1 or 0
    flx_node neutral = flx_graph_const(e->s->graph, ast_op == AST_AND);
    FLX_TRY(apply_op2(e, op, neutral, all, a->loc, &all));
    for (const flx_ast *c = a->first->next; c; c = c->next) {
        flx_node next;
        if (flx_graph_is_const(e->s->graph, all, &v) && (v != 0.0) == (ast_op == AST_OR)) {
            FLX_TRY(check_names(e, c));
            continue;
        }
        FLX_TRY(elaborate_number(e, c, &next));
        FLX_TRY(apply_op2(e, op, all, next, c->op_loc, &all));
    }
    return give_node(all, out);
}

static flx_status elaborate_chain(env *e, const flx_ast *a, flx_value *out)
{
    flx_value all, next;
    if (a->last->op == AST_AND || a->last->op == AST_OR) return elaborate_logic(e, a, out);
    FLX_TRY(elaborate_settled(e, a->first, &all));
    for (const flx_ast *c = a->first->next; c; c = c->next) {
        FLX_TRY(elaborate_settled(e, c, &next));
        FLX_TRY(combine(e, c->op, &all, &next, c->op_loc, &all));
    }
    *out = all;
    return FLX_OK;
}

// ---- postfix ----------------------------------------------------------------------------------

static flx_status rate(env *e, const flx_ast *a, const flx_value *v, flx_value *out)
{
    flx_value result;
    if (v->kind == FLX_VALUE_NUMBER) {
        flx_node n = -1;
        if (!e->s->rate) return fail(e, a->post_loc, "a rate (') is not allowed here");
        FLX_TRY(e->s->rate(e->s, v->node, a->post_loc, &n));
        return give_node(n, out);
    }
    if (v->kind != FLX_VALUE_LIST) {
        return fail(e, a->post_loc, "%s has no rate", describe(v).text);
    }
    FLX_TRY(give_list(e, v->count, &result));
    for (int i = 0; i < v->count; i++) FLX_TRY(rate(e, a, &v->items[i], &result.items[i]));
    *out = result;
    return FLX_OK;
}

static flx_status elaborate_rate(env *e, const flx_ast *a, flx_value *out)
{
    flx_value v;
    FLX_TRY(elaborate_settled(e, a->first, &v));
    return rate(e, a, &v, out);
}

static flx_status elaborate_member(env *e, const flx_ast *a, flx_value *out)
{
    static const char *const axes = "xyz";
    flx_value v;
    FLX_TRY(elaborate(e, a->first, &v));
    if (v.kind == FLX_VALUE_HANDLE) return e->s->member(e->s, &v, a->name, a->post_loc, out);
    if (v.kind != FLX_VALUE_LIST) {
        return fail(e, a->post_loc, "%s has no member '%s'", describe(&v).text, a->name);
    }
    const char *axis = strlen(a->name) == 1 ? strchr(axes, a->name[0]) : NULL;
    if (!axis) {
        return fail(e, a->post_loc, "%s has no member '%s'; its entries are .x .y .z",
                    describe(&v).text, a->name);
    }
    if (axis - axes >= v.count) {
        return fail(e, a->post_loc, "%s has no entry .%s", describe(&v).text, a->name);
    }
    *out = v.items[axis - axes];
    return FLX_OK;
}

static flx_status index_list(env *e, const flx_ast *a, const flx_value *v, flx_value *out)
{
    const flx_ast *base = a->first, *argument = base->next;
    int i;
    if (a->count != 2) {
        return fail(e, a->post_loc, "a list takes one index, but %d are given", a->count - 1);
    }
    FLX_TRY(elaborate_whole(e, argument, "an index", &i));
    if (i < 1 || i > v->count) {
        const char *from_one = i < 1 ? ", counted from 1" : "";
        if (base->kind == AST_NAME) {
            return fail(e, argument->loc, "index %d is out of range: '%s' has %d entries%s", i,
                        base->name, v->count, from_one);
        }
        return fail(e, argument->loc, "index %d is out of range: the list has %d entries%s", i,
                    v->count, from_one);
    }
    *out = v->items[i - 1];
    return FLX_OK;
}

static flx_status elaborate_arguments(env *e, const flx_ast *call, flx_value *list)
{
    int i = 0;
    FLX_TRY(give_list(e, call->count - 1, list));
    for (const flx_ast *c = call->first->next; c; c = c->next) {
        FLX_TRY(elaborate(e, c, &list->items[i++]));
    }
    return FLX_OK;
}

// A constant from outside (a table, a scope's function) is checked where it is used.
static flx_status check_call(env *e, const flx_ast *a, const flx_value *v)
{
    double x;
    if (v->kind == FLX_VALUE_NUMBER && flx_graph_is_const(e->s->graph, v->node, &x) &&
        !isfinite(x)) {
        const char *name = a->first->kind == AST_NAME ? a->first->name : "the function";
        return fail(e, a->loc, "%s has no value for this argument", name);
    }
    return FLX_OK;
}

static flx_status call_function(env *e, const flx_ast *a, const flx_value *f, flx_value *out)
{
    flx_value args;
    FLX_TRY(elaborate_arguments(e, a, &args));
    if (e->s->depth >= CALLS_MAX) {
        return fail(e, a->loc, "too many function calls inside each other: does %s call itself?",
                    a->first->kind == AST_NAME ? a->first->name : "a function");
    }
    e->s->depth++;
    flx_status status = e->s->call(e->s, f, args.count, args.items, a->loc, out);
    e->s->depth--;
    return status == FLX_OK ? check_call(e, a, out) : status;
}

static flx_status elaborate_call(env *e, const flx_ast *a, flx_value *out)
{
    const flx_ast *base = a->first;
    flx_value v, args;
    if (base->kind == AST_NAME && !find_local(e, base->name)) {
        const builtin *b = find_builtin(base->name);
        int given = a->count - 1;
        if (b && (given < b->min_args || (b->max_args >= 0 && given > b->max_args))) {
            return fail(e, a->loc, "%s takes %s%d argument%s, but %d %s given", b->name,
                        b->max_args < 0 ? "at least " : "", b->min_args,
                        b->min_args == 1 ? "" : "s", given, given == 1 ? "is" : "are");
        }
        if (b) return b->apply(e, b, a, out);
        FLX_TRY(elaborate_name(e, base, true, &v));
    } else {
        FLX_TRY(elaborate(e, base, &v));
    }
    switch (v.kind) {
    case FLX_VALUE_FUNCTION:
        return call_function(e, a, &v, out);
    case FLX_VALUE_LIST:
        return index_list(e, a, &v, out);
    case FLX_VALUE_HANDLE:
        FLX_TRY(elaborate_arguments(e, a, &args));
        return e->s->index(e->s, &v, args.count, args.items,
                           base->next ? base->next->loc : a->post_loc, out);
    default:
        if (base->kind != AST_NAME) break;
        return fail(e, a->post_loc,
                    "'%s' is a number, neither a function nor a list; a product is "
                    "written %s*(...)",
                    base->name, base->name);
    }
    return fail(e, a->post_loc, "a number is neither a function nor a list");
}

// ---- built-in functions -----------------------------------------------------------------------

static const flx_ast *argument(const flx_ast *call, int i)
{
    const flx_ast *a = call->first->next;
    while (i-- > 0) a = a->next;
    return a;
}

static flx_status argument_number(env *e, const flx_ast *call, int i, flx_node *out)
{
    const flx_ast *a = argument(call, i);
    flx_value v;
    *out = -1;
    FLX_TRY(elaborate_settled(e, a, &v));
    if (v.kind != FLX_VALUE_NUMBER) {
        return fail(e, a->loc, "%s needs a number, but argument %d is %s", call->first->name, i + 1,
                    describe(&v).text);
    }
    *out = v.node;
    return FLX_OK;
}

// *nodes lives in the arena.
static flx_status argument_vector(env *e, const flx_ast *call, int i, int *n, flx_node **nodes)
{
    const flx_ast *a = argument(call, i);
    flx_value v;
    *n = 0;
    *nodes = NULL;
    FLX_TRY(elaborate_settled(e, a, &v));
    if (v.kind != FLX_VALUE_LIST || v.count == 0) {
        return fail(e, a->loc, "%s needs a vector, but argument %d is %s", call->first->name, i + 1,
                    describe(&v).text);
    }
    *n = v.count;
    *nodes = flx_arena_take(e->s->arena, (size_t)v.count, sizeof(flx_node));
    if (!*nodes) return FLX_ERR_MEMORY;
    return settle_entries(e, a, &v, *nodes);
}

static flx_status argument_vectors(env *e, const flx_ast *call, int *n, flx_node **a, flx_node **b)
{
    int m;
    FLX_TRY(argument_vector(e, call, 0, n, a));
    FLX_TRY(argument_vector(e, call, 1, &m, b));
    if (m == *n) return FLX_OK;
    return fail(e, argument(call, 1)->loc,
                "%s needs two vectors of the same length, but they have %d and %d entries",
                call->first->name, *n, m);
}

static flx_status apply_unary(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node x, n;
    FLX_TRY(argument_number(e, call, 0, &x));
    FLX_TRY(apply_op1(e, b->op, x, call->loc, &n));
    return give_node(n, out);
}

static flx_status apply_binary(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node x, y, n;
    FLX_TRY(argument_number(e, call, 0, &x));
    FLX_TRY(argument_number(e, call, 1, &y));
    FLX_TRY(apply_op2(e, b->op, x, y, call->loc, &n));
    return give_node(n, out);
}

// min and max of numbers and of the entries of lists.
static flx_status apply_extreme(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_graph *g = e->s->graph;
    flx_node best = -1;
    for (const flx_ast *a = call->first->next; a; a = a->next) {
        flx_value v;
        FLX_TRY(elaborate_settled(e, a, &v));
        bool list = v.kind == FLX_VALUE_LIST;
        for (int i = 0; i < (list ? v.count : 1); i++) {
            flx_value entry = list ? v.items[i] : v;
            FLX_TRY(settle(e, a, &entry));
            if (entry.kind != FLX_VALUE_NUMBER) {
                return fail(e, a->loc, "%s needs numbers, but one is %s", b->name,
                            describe(&entry).text);
            }
            best = best < 0 ? entry.node : flx_graph_binary(g, b->op, best, entry.node);
            if (best < 0) return FLX_ERR_MEMORY;
        }
    }
    if (best < 0) return fail(e, call->loc, "%s of an empty list", b->name);
    return give_node(best, out);
}

static flx_status choose(env *e, flx_node c, const flx_value *a, const flx_value *b, flx_loc loc,
                         flx_value *out)
{
    flx_value result;
    if (a->kind == FLX_VALUE_NUMBER && b->kind == FLX_VALUE_NUMBER) {
        return give_node(flx_graph_if(e->s->graph, c, a->node, b->node), out);
    }
    if (a->kind != FLX_VALUE_LIST || b->kind != FLX_VALUE_LIST || a->count != b->count) {
        return fail(e, loc, "the two results of if differ in kind: %s and %s", describe(a).text,
                    describe(b).text);
    }
    FLX_TRY(give_list(e, a->count, &result));
    for (int i = 0; i < a->count; i++) {
        FLX_TRY(choose(e, c, &a->items[i], &b->items[i], loc, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status apply_if(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    const flx_ast *yes = argument(call, 1), *no = yes->next;
    flx_value first, second;
    flx_node c;
    double v;
    (void)b;
    FLX_TRY(argument_number(e, call, 0, &c));
    if (flx_graph_is_const(e->s->graph, c, &v)) {
        FLX_TRY(elaborate(e, v != 0.0 ? yes : no, out));
        return check_names(e, v != 0.0 ? no : yes);
    }
    FLX_TRY(elaborate_settled(e, yes, &first));
    FLX_TRY(elaborate_settled(e, no, &second));
    return choose(e, c, &first, &second, no->loc, out);
}

// sum(j, from, to, term)
static flx_status apply_sum(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    const flx_ast *name = argument(call, 0), *term = argument(call, 3);
    local index = {.name = name->name, .outer = e->locals};
    env inner = {e->s, &index};
    flx_value all, next;
    int from, to;
    double v;
    (void)b;
    if (name->kind != AST_NAME || find_constant(name->name, &v)) {
        return fail(e, name->loc,
                    "the first argument of sum is the name of its index: "
                    "sum(j, 1, 3, m(j))");
    }
    FLX_TRY(elaborate_whole(e, argument(call, 1), "the first index of a sum", &from));
    FLX_TRY(elaborate_whole(e, argument(call, 2), "the last index of a sum", &to));
    FLX_TRY(give_const(e, 0.0, &all));
    if (from > to) {
        index.node = all.node;
        FLX_TRY(check_names(&inner, term));
    }
    for (int j = from; j <= to; j++) {
        index.node = flx_graph_const(e->s->graph, j);
        if (index.node < 0) return FLX_ERR_MEMORY;
        FLX_TRY(elaborate_settled(&inner, term, &next));
        if (j == from) {
            all = next;
        } else {
            FLX_TRY(combine(e, AST_ADD, &all, &next, term->loc, &all));
        }
    }
    *out = all;
    return FLX_OK;
}

static flx_status sum_of_squares(env *e, int n, const flx_node *a, flx_node *out)
{
    flx_graph *g = e->s->graph;
    flx_node two = flx_graph_const(g, 2.0), all = flx_graph_const(g, 0.0);
    for (int i = 0; i < n; i++) {
        all = flx_graph_binary(g, FLX_OP_ADD, all, flx_graph_binary(g, FLX_OP_POW, a[i], two));
    }
    *out = all;
    return all < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status length_of(env *e, int n, const flx_node *a, flx_loc loc, flx_node *out)
{
    flx_node square;
    FLX_TRY(sum_of_squares(e, n, a, &square));
    return apply_op1(e, FLX_OP_SQRT, square, loc, out);
}

static flx_status apply_norm(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node *a, n;
    int count;
    (void)b;
    FLX_TRY(argument_vector(e, call, 0, &count, &a));
    FLX_TRY(length_of(e, count, a, call->loc, &n));
    return give_node(n, out);
}

static flx_status apply_unit(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node *a, length;
    flx_value result;
    int count;
    double v;
    (void)b;
    FLX_TRY(argument_vector(e, call, 0, &count, &a));
    FLX_TRY(length_of(e, count, a, call->loc, &length));
    if (flx_graph_is_const(e->s->graph, length, &v) && v == 0.0) {
        return fail(e, call->loc, "unit of a vector whose length is zero");
    }
    FLX_TRY(give_list(e, count, &result));
    for (int i = 0; i < count; i++) {
        flx_node n;
        FLX_TRY(apply_op2(e, FLX_OP_DIV, a[i], length, call->loc, &n));
        FLX_TRY(give_node(n, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status apply_distance(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node *p, *q, n;
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    for (int i = 0; i < count; i++) {
        FLX_TRY(apply_op2(e, FLX_OP_SUB, q[i], p[i], call->loc, &p[i]));
    }
    FLX_TRY(length_of(e, count, p, call->loc, &n));
    return give_node(n, out);
}

static flx_status apply_dot(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_graph *g = e->s->graph;
    flx_node *p, *q, all = flx_graph_const(g, 0.0);
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    for (int i = 0; i < count; i++) {
        flx_node term;
        FLX_TRY(apply_op2(e, FLX_OP_MUL, p[i], q[i], call->loc, &term));
        FLX_TRY(apply_op2(e, FLX_OP_ADD, all, term, call->loc, &all));
    }
    return give_node(all, out);
}

// p_i q_j - p_j q_i
static flx_status cross_entry(env *e, const flx_node *p, const flx_node *q, int i, int j,
                              flx_loc loc, flx_value *out)
{
    flx_node a, b, n;
    FLX_TRY(apply_op2(e, FLX_OP_MUL, p[i], q[j], loc, &a));
    FLX_TRY(apply_op2(e, FLX_OP_MUL, p[j], q[i], loc, &b));
    FLX_TRY(apply_op2(e, FLX_OP_SUB, a, b, loc, &n));
    return give_node(n, out);
}

static flx_status apply_cross(env *e, const builtin *b, const flx_ast *call, flx_value *out)
{
    flx_node *p, *q;
    flx_value result;
    int count;
    (void)b;
    FLX_TRY(argument_vectors(e, call, &count, &p, &q));
    if (count == 2) return cross_entry(e, p, q, 0, 1, call->loc, out); // planar: about z
    if (count != 3) {
        return fail(e, call->loc, "cross needs vectors of 3 (or of 2), but these have %d entries",
                    count);
    }
    FLX_TRY(give_list(e, 3, &result));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        FLX_TRY(cross_entry(e, p, q, j, k, call->loc, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

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
    X(sum, 4, 4, sum, ADD)                                                                         \
    X(norm, 1, 1, norm, SQRT)                                                                      \
    X(unit, 1, 1, unit, DIV)                                                                       \
    X(dot, 2, 2, dot, MUL)                                                                         \
    X(cross, 2, 2, cross, MUL)                                                                     \
    X(distance, 2, 2, distance, SQRT)

static const builtin builtins[] = {
#define X(name, fewest, most, how, op) {#name, fewest, most, apply_##how, FLX_OP_##op},
    BUILTIN_LIST(X)
#undef X
};

static const builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) == 0) return &builtins[i];
    }
    return NULL;
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
    return find_constant(name, &v) || strcmp(name, "and") == 0 || strcmp(name, "or") == 0 ||
           strcmp(name, "not") == 0;
}

// ---- all kinds --------------------------------------------------------------------------------

static flx_status elaborate_list(env *e, const flx_ast *a, flx_value *out)
{
    flx_value result;
    int i = 0;
    FLX_TRY(give_list(e, a->count, &result));
    for (const flx_ast *c = a->first; c; c = c->next) {
        FLX_TRY(elaborate(e, c, &result.items[i++]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status elaborate_kind(env *e, const flx_ast *a, flx_value *out)
{
    flx_value v;
    flx_node n;
    switch (a->kind) {
    case AST_NUMBER:
        return give_const(e, a->number, out);
    case AST_NAME:
        return elaborate_name(e, a, false, out);
    case AST_LIST:
        return elaborate_list(e, a, out);
    case AST_CHAIN:
        return elaborate_chain(e, a, out);
    case AST_NEGATE:
        FLX_TRY(elaborate_settled(e, a->first, &v));
        return negate(e, &v, a->loc, out);
    case AST_NOT:
        FLX_TRY(elaborate_number(e, a->first, &n));
        return give_node(flx_graph_unary(e->s->graph, FLX_OP_NOT, n), out);
    case AST_CALL:
        return elaborate_call(e, a, out);
    case AST_MEMBER:
        return elaborate_member(e, a, out);
    case AST_RATE:
        return elaborate_rate(e, a, out);
    }
    return FLX_ERR_ARGUMENT;
}

static flx_status elaborate(env *e, const flx_ast *a, flx_value *out)
{
    flx_graph *g = e->s->graph;
    if (g->depth >= DEPTH_MAX) {
        return fail(e, a->loc, "expressions are nested too deeply: does a function call itself?");
    }
    g->depth++;
    flx_status status = elaborate_kind(e, a, out);
    g->depth--;
    if (status == FLX_OK && (++g->steps > STEPS_MAX || g->n > FLX_NODES_MAX / 4)) {
        return fail(e, a->loc, "the expressions of this model are too large: a sum over a sum?");
    }
    return status;
}

flx_status flx_ast_elaborate(flx_scope *s, const flx_ast *ast, flx_value *out)
{
    env e = {s, NULL};
    return elaborate(&e, ast, out);
}

flx_status flx_ast_number(flx_scope *s, const flx_ast *ast, flx_node *out)
{
    env e = {s, NULL};
    return elaborate_number(&e, ast, out);
}

flx_status flx_ast_vector(flx_scope *s, const flx_ast *ast, int n, flx_node *out)
{
    env e = {s, NULL};
    flx_value v;
    FLX_TRY(elaborate_settled(&e, ast, &v));
    if (v.kind != FLX_VALUE_LIST || v.count != n) {
        return fail(&e, ast->loc, "a vector of %d is needed here, but this is %s", n,
                    describe(&v).text);
    }
    return settle_entries(&e, ast, &v, out);
}
