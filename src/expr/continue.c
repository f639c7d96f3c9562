// continue.c - frozen expressions beyond their borders.
//
// A branch that is held is evaluated also where it would not be taken: D^1.5 of if(D > 0, D^1.5, 0) where
// D is negative. There its roots, powers and logarithms go on with the value at the end of their domain,
// so that a step may pass the border before the instant is located. A value that the expression as it
// stands has not is no matter of borders, and stays an error.
#include "expr/algebra.h"
#include "expr/graph.h"

#include <float.h>

#define DEEPEST 32

static bool is_never_negative(const flx_graph *g, flx_node n, int depth)
{
    const flx_graph_node *p = g->nodes + n;
    double e;
    if (flx_graph_is_const(g, n, &e)) return e >= 0.0;
    if (depth == DEEPEST) return false;
    switch (p->op) {
    case FLX_OP_ABS:
    case FLX_OP_EXP:
    case FLX_OP_SQRT:
    case FLX_OP_COSH:
        return true;
    case FLX_OP_POW:
        if (flx_graph_is_const(g, p->b, &e) && fmod(e, 2.0) == 0.0) return true;
        return is_never_negative(g, p->a, depth + 1);
    case FLX_OP_MUL:
        if (p->a == p->b) return true;
        return is_never_negative(g, p->a, depth + 1) && is_never_negative(g, p->b, depth + 1);
    case FLX_OP_ADD:
    case FLX_OP_DIV:
    case FLX_OP_MIN:
        return is_never_negative(g, p->a, depth + 1) && is_never_negative(g, p->b, depth + 1);
    case FLX_OP_MAX:
        return is_never_negative(g, p->a, depth + 1) || is_never_negative(g, p->b, depth + 1);
    case FLX_OP_IF:
        return is_never_negative(g, p->b, depth + 1) && is_never_negative(g, p->c, depth + 1);
    default:
        return false;
    }
}

// The argument of this operation, kept to where it has a value. The smallest number in the place of
// zero, whose root has no slope.
static flx_node keep(flx_graph *g, const flx_graph_node *p, flx_node a)
{
    double e;
    switch (p->op) {
    case FLX_OP_POW:
        if (flx_graph_is_const(g, p->b, &e) && e == floor(e)) return a;
        break;
    case FLX_OP_SQRT:
    case FLX_OP_LOG:
    case FLX_OP_LOG10:
        break;
    case FLX_OP_ASIN:
    case FLX_OP_ACOS:
        return flx_graph_binary(g, FLX_OP_MIN,
                                flx_graph_binary(g, FLX_OP_MAX, a, node_const(g, -1.0)),
                                node_const(g, 1.0));
    default:
        return a;
    }
    if (is_never_negative(g, a, 0)) return a;
    return flx_graph_binary(g, FLX_OP_MAX, a, node_const(g, DBL_MIN));
}

// A pass in the order of the numbers over what n is made of: of (n + 1) new nodes + 1.
static flx_node rebuild(flx_graph *g, flx_node n, const int *list, int count, int *of)
{
    for (int k = 0; k < count; k++) {
        const flx_graph_node p = g->nodes[list[k]];
        int operands = flx_op_operands(p.op);
        flx_node result = list[k];
        if (operands > 0) {
            flx_node a = keep(g, &p, of[p.a] - 1);
            flx_node b = operands > 1 ? of[p.b] - 1 : -1, c = operands > 2 ? of[p.c] - 1 : -1;
            bool same = a == p.a && (operands < 2 || b == p.b) && (operands < 3 || c == p.c);
            if (a < 0) return -1;
            if (!same) result = flx_graph_rebuild(g, &p, a, b, c);
        }
        if (result < 0) return -1;
        of[list[k]] = result + 1;
    }
    return of[n] - 1;
}

// What n is made of, itself last, ascending; marked in `of`.
static int list_below(const flx_graph *g, flx_node n, int *of, int *list)
{
    int count = 0;
    of[n] = 1;
    for (flx_node i = n; i >= 0; i--) { // operands come before what is made of them
        if (!of[i]) continue;
        const flx_graph_node *p = g->nodes + i;
        int operands = flx_op_operands(p->op);
        if (operands > 0) of[p->a] = 1;
        if (operands > 1) of[p->b] = 1;
        if (operands > 2) of[p->c] = 1;
        list[count++] = i;
    }
    for (int k = 0; k < count / 2; k++) {
        int swap = list[k];
        list[k] = list[count - 1 - k];
        list[count - 1 - k] = swap;
    }
    return count;
}

static bool has_partial(const flx_graph *g, const int *list, int count)
{
    for (int k = 0; k < count; k++) {
        double e;
        const flx_graph_node *p = g->nodes + list[k];
        switch (p->op) {
        case FLX_OP_POW:
            if (flx_graph_is_const(g, p->b, &e) && e == floor(e)) break;
            return true;
        case FLX_OP_SQRT:
        case FLX_OP_LOG:
        case FLX_OP_LOG10:
        case FLX_OP_ASIN:
        case FLX_OP_ACOS:
            return true;
        default:
            break;
        }
    }
    return false;
}

flx_node flx_graph_clamp(flx_graph *g, flx_node n)
{
    if (n < 0) return -1;
    int *of = flx_alloc(g->ctx, (size_t)n + 1, sizeof *of);
    int *list = flx_alloc(g->ctx, (size_t)n + 1, sizeof *list);
    flx_node result = -1;
    if (of && list) {
        int count = list_below(g, n, of, list);
        result = has_partial(g, list, count) ? rebuild(g, n, list, count, of) : n;
    }
    flx_free(of);
    flx_free(list);
    return result;
}

flx_node flx_graph_continue(flx_graph *g, flx_node frozen, flx_node plain)
{
    if (frozen == plain) return frozen;
    flx_node kept = flx_graph_clamp(g, frozen);
    if (kept < 0 || kept == frozen) return kept;
    flx_node finite = flx_graph_binary(g, FLX_OP_LE, flx_graph_unary(g, FLX_OP_ABS, plain),
                                       node_const(g, DBL_MAX));
    return flx_graph_choose(g, finite, kept, plain, FLX_CONTINUED);
}
