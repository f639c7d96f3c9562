// elaborate.c - from a syntax tree to a value: names are looked up, functions applied, vectors
// taken apart, and what remains are nodes of the graph.
//
// value.c does the arithmetic, builtins.c the functions that are built in.
#include "expr/elaborate.h"

// Nested elaborations over all function calls: enough for any model, little enough for any stack.
#define DEPTH_MAX 1000
#define CALLS_MAX 200
// Of the whole model; a sum over a sum over a sum of thousands is a mistake, not a model.
#define STEPS_MAX 30000000L

// ---- what kind of value is needed -------------------------------------------------------------

// Make the value a number or a list: a point's name is its place.
flx_status flx_walk_settle(flx_walk *e, const flx_ast *a, flx_operand *v)
{
    if (v->kind == FLX_OPERAND_HANDLE) {
        flx_operand of = *v;
        if (!e->s->coerce) return fail(e->s, a->loc, "a number or a vector is needed here");
        FLX_TRY(e->s->coerce(e->s, &of, a->loc, v));
    }
    if (v->kind == FLX_OPERAND_FUNCTION) {
        if (a->kind == AST_NAME) {
            return fail(e->s, a->loc, "'%s' is a function: write %s(...)", a->name, a->name);
        }
        return fail(e->s, a->loc, "a function is called with its arguments in parentheses");
    }
    return FLX_OK;
}

flx_status flx_walk_settled(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    FLX_TRY(flx_walk_elaborate(e, a, out));
    return flx_walk_settle(e, a, out);
}

static flx_status elaborate_number(flx_walk *e, const flx_ast *a, flx_node *out)
{
    flx_operand v;
    *out = -1;
    FLX_TRY(flx_walk_settled(e, a, &v));
    if (v.kind != FLX_OPERAND_NUMBER) {
        return fail(e->s, a->loc, "a number is needed here, but this is %s",
                    flx_operand_describe(&v).text);
    }
    *out = v.node;
    return FLX_OK;
}

// The entries of a list, as numbers.
flx_status flx_walk_entries(flx_walk *e, const flx_ast *a, const flx_operand *v, flx_node *out)
{
    for (int i = 0; i < v->count; i++) {
        flx_operand entry = v->items[i];
        FLX_TRY(flx_walk_settle(e, a, &entry));
        if (entry.kind != FLX_OPERAND_NUMBER) {
            return fail(e->s, a->loc, "entry %d of this vector must be a number, but it is %s",
                        i + 1, flx_operand_describe(&entry).text);
        }
        out[i] = entry.node;
    }
    return FLX_OK;
}

// A whole number that is known now. Indices are often computed, so a rounding error is forgiven.
flx_status flx_walk_whole(flx_walk *e, const flx_ast *a, const char *what, int *out)
{
    flx_node n;
    double v;
    *out = 0;
    FLX_TRY(elaborate_number(e, a, &n));
    bool constant =
        e->s->constant ? e->s->constant(e->s, n, &v) : flx_graph_is_const(e->s->graph, n, &v);
    if (!constant) {
        return fail(e->s, a->loc, "%s must be constant", what);
    }
    if (!(fabs(v - round(v)) <= 1e-9 * (1.0 + fabs(v)))) {
        return fail(e->s, a->loc, "%s must be a whole number, but it is %g", what, v);
    }
    if (fabs(v) > 1e9) return fail(e->s, a->loc, "%s is too large: %g", what, v);
    *out = (int)round(v);
    return FLX_OK;
}

// ---- names ------------------------------------------------------------------------------------

static const flx_sum_index *find_local(const flx_walk *e, const char *name)
{
    const flx_sum_index *l = e->locals;
    while (l && strcmp(l->name, name) != 0) l = l->outer;
    return l;
}

// called: the name is followed by arguments, which the scope may want to say in its message.
static flx_status elaborate_name(flx_walk *e, const flx_ast *a, bool called, flx_operand *out)
{
    const flx_sum_index *l = find_local(e, a->name);
    double v;
    if (l) return flx_operand_set_node(l->node, out);
    if (flx_builtin_constant(a->name, &v)) return flx_operand_set_const(e->s, v, out);
    e->s->called = called;
    flx_status status = e->s->lookup(e->s, a->name, a->loc, out);
    e->s->called = false;
    return status;
}

// The names of a part that is not elaborated must exist all the same.
flx_status flx_walk_check_names(flx_walk *e, const flx_ast *a)
{
    const flx_ast *child = a->first;
    flx_walk inner = *e;
    flx_sum_index index = {.outer = e->locals};
    flx_operand ignored;
    if (a->kind == AST_NAME) return elaborate_name(e, a, false, &ignored);
    if (a->kind == AST_CALL && child->kind == AST_NAME && !find_local(e, child->name)) {
        const flx_builtin *b = flx_builtin_find(child->name);
        if (!b) FLX_TRY(elaborate_name(e, child, true, &ignored));
        child = child->next;
        if (b && strcmp(b->name, "sum") == 0 && child && child->kind == AST_NAME) {
            index.name = child->name;
            index.node = flx_graph_const(e->s->graph, 0.0);
            inner.locals = &index;
            child = child->next;
        }
    }
    for (; child; child = child->next) FLX_TRY(flx_walk_check_names(&inner, child));
    return FLX_OK;
}

// ---- chains -----------------------------------------------------------------------------------

// and, or: what stands after an operand that decides is not elaborated.
static flx_status elaborate_logic(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    ast_operator ast_op = a->last->op;
    flx_op op = ast_op == AST_OR ? FLX_OP_OR : FLX_OP_AND;
    flx_node all;
    double v;
    FLX_TRY(elaborate_number(e, a->first, &all));
    // with the truth that decides nothing, so that the result is 1 or 0
    flx_node neutral = flx_graph_const(e->s->graph, ast_op == AST_AND);
    FLX_TRY(flx_scope_binary(e->s, op, neutral, all, a->loc, &all));
    for (const flx_ast *c = a->first->next; c; c = c->next) {
        flx_node next;
        if (flx_graph_is_const(e->s->graph, all, &v) && (v != 0.0) == (ast_op == AST_OR)) {
            FLX_TRY(flx_walk_check_names(e, c));
            continue;
        }
        FLX_TRY(elaborate_number(e, c, &next));
        FLX_TRY(flx_scope_binary(e->s, op, all, next, c->op_loc, &all));
    }
    return flx_operand_set_node(all, out);
}

static flx_status elaborate_chain(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    flx_operand all, next;
    if (a->last->op == AST_AND || a->last->op == AST_OR) return elaborate_logic(e, a, out);
    FLX_TRY(flx_walk_settled(e, a->first, &all));
    for (const flx_ast *c = a->first->next; c; c = c->next) {
        FLX_TRY(flx_walk_settled(e, c, &next));
        FLX_TRY(flx_operand_combine(e->s, c->op, &all, &next, c->op_loc, &all));
    }
    *out = all;
    return FLX_OK;
}

// ---- postfix ----------------------------------------------------------------------------------

static flx_status rate(flx_walk *e, const flx_ast *a, const flx_operand *v, flx_operand *out)
{
    flx_operand result;
    if (v->kind == FLX_OPERAND_NUMBER) {
        flx_node n = -1;
        if (!e->s->rate) return fail(e->s, a->post_loc, "a rate (') is not allowed here");
        FLX_TRY(e->s->rate(e->s, v->node, a->post_loc, &n));
        return flx_operand_set_node(n, out);
    }
    if (v->kind != FLX_OPERAND_LIST) {
        return fail(e->s, a->post_loc, "%s has no rate", flx_operand_describe(v).text);
    }
    FLX_TRY(flx_operand_set_list(e->s, v->count, &result));
    for (int i = 0; i < v->count; i++) FLX_TRY(rate(e, a, &v->items[i], &result.items[i]));
    *out = result;
    return FLX_OK;
}

static flx_status elaborate_rate(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    flx_operand v;
    FLX_TRY(flx_walk_settled(e, a->first, &v));
    return rate(e, a, &v, out);
}

static flx_status elaborate_member(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    static const char *const axes = "xyz";
    flx_operand v;
    FLX_TRY(flx_walk_elaborate(e, a->first, &v));
    if (v.kind == FLX_OPERAND_HANDLE) return e->s->member(e->s, &v, a->name, a->post_loc, out);
    if (v.kind != FLX_OPERAND_LIST) {
        return fail(e->s, a->post_loc, "%s has no member '%s'", flx_operand_describe(&v).text,
                    a->name);
    }
    const char *axis = strlen(a->name) == 1 ? strchr(axes, a->name[0]) : NULL;
    if (!axis) {
        return fail(e->s, a->post_loc, "%s has no member '%s'; its entries are .x .y .z",
                    flx_operand_describe(&v).text, a->name);
    }
    if (axis - axes >= v.count) {
        return fail(e->s, a->post_loc, "%s has no entry .%s", flx_operand_describe(&v).text,
                    a->name);
    }
    *out = v.items[axis - axes];
    return FLX_OK;
}

static flx_status index_list(flx_walk *e, const flx_ast *a, const flx_operand *v, flx_operand *out)
{
    const flx_ast *base = a->first, *argument = base->next;
    int i;
    if (a->count != 2) {
        return fail(e->s, a->post_loc, "a list takes one index, but %d are given", a->count - 1);
    }
    FLX_TRY(flx_walk_whole(e, argument, "an index", &i));
    if (i < 1 || i > v->count) {
        const char *from_one = i < 1 ? ", counted from 1" : "";
        if (base->kind == AST_NAME) {
            return fail(e->s, argument->loc, "index %d is out of range: '%s' has %d entries%s", i,
                        base->name, v->count, from_one);
        }
        return fail(e->s, argument->loc, "index %d is out of range: the list has %d entries%s", i,
                    v->count, from_one);
    }
    *out = v->items[i - 1];
    return FLX_OK;
}

static flx_status elaborate_arguments(flx_walk *e, const flx_ast *call, flx_operand *list)
{
    int i = 0;
    FLX_TRY(flx_operand_set_list(e->s, call->count - 1, list));
    for (const flx_ast *c = call->first->next; c; c = c->next) {
        FLX_TRY(flx_walk_elaborate(e, c, &list->items[i++]));
    }
    return FLX_OK;
}

// A constant from outside (a table, a scope's function) is checked where it is used.
static flx_status check_call(flx_walk *e, const flx_ast *a, const flx_operand *v)
{
    double x;
    if (v->kind == FLX_OPERAND_NUMBER && flx_graph_is_const(e->s->graph, v->node, &x) &&
        !isfinite(x)) {
        const char *name = a->first->kind == AST_NAME ? a->first->name : "the function";
        return fail(e->s, a->loc, "%s has no value for this argument", name);
    }
    return FLX_OK;
}

static flx_status call_function(flx_walk *e, const flx_ast *a, const flx_operand *f,
                                flx_operand *out)
{
    flx_operand args;
    FLX_TRY(elaborate_arguments(e, a, &args));
    if (e->s->depth >= CALLS_MAX) {
        return fail(e->s, a->loc, "too many function calls inside each other: does %s call itself?",
                    a->first->kind == AST_NAME ? a->first->name : "a function");
    }
    e->s->depth++;
    flx_status status = e->s->call(e->s, f, args.count, args.items, a->loc, out);
    e->s->depth--;
    return status == FLX_OK ? check_call(e, a, out) : status;
}

static flx_status elaborate_call(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    const flx_ast *base = a->first;
    flx_operand v, args;
    if (base->kind == AST_NAME && !find_local(e, base->name)) {
        const flx_builtin *b = flx_builtin_find(base->name);
        int given = a->count - 1;
        if (b && (given < b->min_args || (b->max_args >= 0 && given > b->max_args))) {
            return fail(e->s, a->loc, "%s takes %s%d argument%s, but %d %s given", b->name,
                        b->max_args < 0 ? "at least " : "", b->min_args,
                        b->min_args == 1 ? "" : "s", given, given == 1 ? "is" : "are");
        }
        if (b) return b->apply(e, b, a, out);
        FLX_TRY(elaborate_name(e, base, true, &v));
    } else {
        FLX_TRY(flx_walk_elaborate(e, base, &v));
    }
    switch (v.kind) {
    case FLX_OPERAND_FUNCTION:
        return call_function(e, a, &v, out);
    case FLX_OPERAND_LIST:
        return index_list(e, a, &v, out);
    case FLX_OPERAND_HANDLE:
        FLX_TRY(elaborate_arguments(e, a, &args));
        return e->s->index(e->s, &v, args.count, args.items,
                           base->next ? base->next->loc : a->post_loc, out);
    default:
        if (base->kind != AST_NAME) break;
        return fail(e->s, a->post_loc,
                    "'%s' is a number, neither a function nor a list; a product is "
                    "written %s*(...)",
                    base->name, base->name);
    }
    return fail(e->s, a->post_loc, "a number is neither a function nor a list");
}

// ---- all kinds --------------------------------------------------------------------------------

static flx_status elaborate_list(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    flx_operand result;
    int i = 0;
    FLX_TRY(flx_operand_set_list(e->s, a->count, &result));
    for (const flx_ast *c = a->first; c; c = c->next) {
        FLX_TRY(flx_walk_elaborate(e, c, &result.items[i++]));
    }
    *out = result;
    return FLX_OK;
}

static flx_status elaborate_kind(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    flx_operand v;
    flx_node n;
    switch (a->kind) {
    case AST_NUMBER:
        return flx_operand_set_const(e->s, a->number, out);
    case AST_NAME:
        return elaborate_name(e, a, false, out);
    case AST_LIST:
        return elaborate_list(e, a, out);
    case AST_CHAIN:
        return elaborate_chain(e, a, out);
    case AST_NEGATE:
        FLX_TRY(flx_walk_settled(e, a->first, &v));
        return flx_operand_negate(e->s, &v, a->loc, out);
    case AST_NOT:
        FLX_TRY(elaborate_number(e, a->first, &n));
        return flx_operand_set_node(flx_graph_unary(e->s->graph, FLX_OP_NOT, n), out);
    case AST_CALL:
        return elaborate_call(e, a, out);
    case AST_MEMBER:
        return elaborate_member(e, a, out);
    case AST_RATE:
        return elaborate_rate(e, a, out);
    }
    return FLX_ERR_ARGUMENT;
}

flx_status flx_walk_elaborate(flx_walk *e, const flx_ast *a, flx_operand *out)
{
    flx_graph *g = e->s->graph;
    if (g->depth >= DEPTH_MAX) {
        return fail(e->s, a->loc,
                    "expressions are nested too deeply: does a function call itself?");
    }
    g->depth++;
    flx_status status = elaborate_kind(e, a, out);
    g->depth--;
    if (status == FLX_OK && (++g->steps > STEPS_MAX || g->n > FLX_NODES_MAX / 4)) {
        return fail(e->s, a->loc, "the expressions of this model are too large: a sum over a sum?");
    }
    return status;
}

flx_status flx_ast_elaborate(flx_scope *s, const flx_ast *ast, flx_operand *out)
{
    flx_walk e = {s, NULL};
    return flx_walk_elaborate(&e, ast, out);
}
