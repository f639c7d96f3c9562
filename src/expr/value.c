// value.c - values and their arithmetic: an operation on numbers and lists becomes nodes of the graph.
//
// A constant that is not finite is an error at its place.
#include "base/number.h"
#include "expr/elaborate.h"

#include <stdio.h>

flx_status flx_operand_set_const(flx_scope *s, double v, flx_operand *out)
{
    return flx_operand_set_node(flx_graph_const(s->graph, v), out);
}

flx_status flx_operand_set_list(flx_scope *s, int n, flx_operand *out)
{
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = n};
    out->items = flx_arena_take(s->arena, (size_t)n, sizeof(flx_operand));
    return out->items ? FLX_OK : FLX_ERR_MEMORY;
}

flx_operand_words flx_operand_describe(const flx_operand *v)
{
    flx_operand_words w = {"a number"};
    bool flat = true;
    switch (v->kind) {
    case FLX_OPERAND_NUMBER:
        break;
    case FLX_OPERAND_LIST:
        for (int i = 0; i < v->count; i++) flat = flat && v->items[i].kind == FLX_OPERAND_NUMBER;
        flx_snprintf(w.text, sizeof w.text, "a %s of %d", flat ? "vector" : "list", v->count);
        break;
    case FLX_OPERAND_HANDLE:
        flx_snprintf(w.text, sizeof w.text, "an item of the model");
        break;
    case FLX_OPERAND_FUNCTION:
        flx_snprintf(w.text, sizeof w.text, "a function");
        break;
    }
    return w;
}

// ---- constants that are not finite ------------------------------------------------------------

static flx_status fail_value(flx_scope *s, flx_op op, double x, double y, flx_loc loc)
{
    switch (op) {
    case FLX_OP_DIV:
        if (y == 0.0) return fail(s, loc, "division by zero");
        break;
    case FLX_OP_MOD:
        if (y == 0.0) return fail(s, loc, "mod(%g, 0): division by zero", x);
        break;
    case FLX_OP_POW:
        if (x == 0.0) return fail(s, loc, "division by zero: 0^%g", y);
        if (x < 0.0 && y != floor(y)) {
            return fail(s, loc, "a negative number (%g) cannot be raised to the power %g", x, y);
        }
        break;
    case FLX_OP_SQRT:
        if (x < 0.0) return fail(s, loc, "square root of a negative number (%g)", x);
        break;
    case FLX_OP_LOG:
    case FLX_OP_LOG10:
        if (!(x > 0.0)) {
            return fail(s, loc, "logarithm of %g: the argument must be greater than zero", x);
        }
        break;
    case FLX_OP_ASIN:
    case FLX_OP_ACOS:
        return fail(s, loc, "%s of %g: the argument must lie between -1 and 1",
                    op == FLX_OP_ASIN ? "asin" : "acos", x);
    default:
        break;
    }
    return fail(s, loc, "the value is too large for a number");
}

// Check the node of an operation. y: -1 for one operand.
static flx_status check_node(flx_scope *s, flx_op op, flx_node x, flx_node y, flx_node n,
                             flx_loc loc)
{
    const flx_graph *g = s->graph;
    double v, vx = 0.0, vy = 0.0;
    if (n < 0) return FLX_ERR_MEMORY;
    flx_graph_is_const(g, x, &vx);
    bool known = flx_graph_is_const(g, y, &vy);
    if (op == FLX_OP_DIV && known && vy == 0.0) return fail_value(s, op, vx, vy, loc);
    if (flx_graph_is_const(g, n, &v) && !isfinite(v)) return fail_value(s, op, vx, vy, loc);
    return FLX_OK;
}

flx_status flx_scope_unary(flx_scope *s, flx_op op, flx_node x, flx_loc loc, flx_node *out)
{
    *out = flx_graph_unary(s->graph, op, x);
    return check_node(s, op, x, -1, *out, loc);
}

flx_status flx_scope_binary(flx_scope *s, flx_op op, flx_node x, flx_node y, flx_loc loc,
                            flx_node *out)
{
    *out = flx_graph_binary(s->graph, op, x, y);
    return check_node(s, op, x, y, *out, loc);
}

// ---- arithmetic -------------------------------------------------------------------------------

static flx_status fail_operands(flx_scope *s, ast_operator op, const flx_operand *a,
                                const flx_operand *b, flx_loc loc)
{
    flx_operand_words x = flx_operand_describe(a), y = flx_operand_describe(b);
    switch (op) {
    case AST_ADD:
        return fail(s, loc, "cannot add %s and %s", x.text, y.text);
    case AST_SUB:
        return fail(s, loc, "cannot subtract %s from %s", y.text, x.text);
    case AST_MUL:
        return fail(s, loc, "cannot multiply %s by %s; use dot(a, b) or cross(a, b)", x.text,
                    y.text);
    case AST_DIV:
        return fail(s, loc, "cannot divide %s by %s", x.text, y.text);
    case AST_POW:
        return fail(s, loc, "cannot raise %s to the power of %s", x.text, y.text);
    default:
        return fail(s, loc, "cannot compare %s and %s", x.text, y.text);
    }
}

static flx_status combine_numbers(flx_scope *s, ast_operator op, flx_node a, flx_node b,
                                  flx_loc loc, flx_operand *out)
{
    static const flx_op ops[] = {
        [AST_LT] = FLX_OP_LT,   [AST_LE] = FLX_OP_LE,   [AST_GT] = FLX_OP_LT,
        [AST_GE] = FLX_OP_LE,   [AST_EQ] = FLX_OP_EQ,   [AST_NE] = FLX_OP_NE,
        [AST_ADD] = FLX_OP_ADD, [AST_SUB] = FLX_OP_SUB, [AST_MUL] = FLX_OP_MUL,
        [AST_DIV] = FLX_OP_DIV, [AST_POW] = FLX_OP_POW,
    };
    bool swap = op == AST_GT || op == AST_GE;
    flx_node n;
    FLX_TRY(flx_scope_binary(s, ops[op], swap ? b : a, swap ? a : b, loc, &n));
    return flx_operand_set_node(n, out);
}

flx_status flx_operand_combine(flx_scope *s, ast_operator op, const flx_operand *a,
                               const flx_operand *b, flx_loc loc, flx_operand *out)
{
    bool list_a = a->kind == FLX_OPERAND_LIST, list_b = b->kind == FLX_OPERAND_LIST;
    bool number_a = a->kind == FLX_OPERAND_NUMBER, number_b = b->kind == FLX_OPERAND_NUMBER;
    flx_operand result;
    if (number_a && number_b) return combine_numbers(s, op, a->node, b->node, loc, out);
    bool sum = (op == AST_ADD || op == AST_SUB) && list_a && list_b && a->count == b->count;
    bool multiple = op == AST_MUL && ((list_a && number_b) || (number_a && list_b));
    bool fraction = op == AST_DIV && list_a && number_b;
    if (!sum && !multiple && !fraction) return fail_operands(s, op, a, b, loc);

    FLX_TRY(flx_operand_set_list(s, list_a ? a->count : b->count, &result));
    for (int i = 0; i < result.count; i++) {
        FLX_TRY(flx_operand_combine(s, op, list_a ? &a->items[i] : a, list_b ? &b->items[i] : b,
                                    loc, &result.items[i]));
    }
    *out = result;
    return FLX_OK;
}

flx_status flx_operand_negate(flx_scope *s, const flx_operand *a, flx_loc loc, flx_operand *out)
{
    flx_operand result;
    if (a->kind == FLX_OPERAND_NUMBER) {
        return flx_operand_set_node(flx_graph_unary(s->graph, FLX_OP_NEG, a->node), out);
    }
    if (a->kind != FLX_OPERAND_LIST)
        return fail(s, loc, "cannot negate %s", flx_operand_describe(a).text);
    FLX_TRY(flx_operand_set_list(s, a->count, &result));
    for (int i = 0; i < a->count; i++)
        FLX_TRY(flx_operand_negate(s, &a->items[i], loc, &result.items[i]));
    *out = result;
    return FLX_OK;
}
