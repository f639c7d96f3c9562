// freeze.c - what jumps or has a kink, decided by switches.
//
//     a < b        s(b - a > 0)
//     |x|          if(s(x >= 0), x, -x)
//     sign x       if(s(x > 0), 1, if(s(-x > 0), -1, 0))
//     min(a, b)    if(s(b - a >= 0), a, b),    max alike
//     floor x      k,   ceil x = -floor(-x),   round x = floor(x + 1/2)              (EVE-1)
//     mod(a, b)    a - b k,   k = floor(a/b)
// Operands are frozen first, so the value of a switch depends on switches found before it.
// A table that is held beyond its ends is cut there; one of straight lines at its corners, too. == and != of what moves are left: they are true in passing only. So is the condition of
// an `either`, whose branches are one function; what it compares is frozen, as the branches are, or it would choose the way of the other side of a
// border.
#include "expr/algebra.h"
#include "expr/graph.h"

typedef struct walk {
    flx_freezer *f;
    int *stack;
    int count, capacity;
} walk;

static bool push(walk *w, flx_node n)
{
    flx_graph *g = w->f->g;
    if (w->f->of[n]) return true;
    if (flx_grow(g->ctx, (void **)&w->stack, &w->capacity, w->count + 1, sizeof(int)) != FLX_OK) {
        return false;
    }
    w->stack[w->count++] = n;
    return true;
}

// The switch for a value, -1 in *leaf where there is none.
static bool find(flx_freezer *f, flx_switch_kind kind, flx_node value, int cut, flx_node *leaf)
{
    *leaf = -1;
    value = flx_graph_clamp(f->g, value); // other switches may be held beyond their borders
    if (value < 0) return false;
    if (!flx_graph_depends(f->g, value, f->moves, f->user)) return true;
    return f->find(f->user, kind, value, cut, leaf);
}

// if(s(value), a, b), or `plain` where there is no switch.
static flx_node decide(flx_freezer *f, flx_switch_kind kind, flx_node value, flx_node a, flx_node b,
                       flx_node plain)
{
    flx_node s;
    if (!find(f, kind, value, -1, &s)) return -1;
    return s < 0 ? plain : flx_graph_if(f->g, s, a, b);
}

static flx_node freeze_sign(flx_freezer *f, flx_node x, flx_node plain)
{
    flx_graph *g = f->g;
    flx_node up, down;
    if (!find(f, FLX_SWITCH_ABOVE, x, -1, &up)) return -1;
    if (up < 0) return plain;
    if (!find(f, FLX_SWITCH_ABOVE, node_neg(g, x), -1, &down)) return -1;
    if (down < 0) return plain;
    flx_node lower = flx_graph_if(g, down, flx_graph_const(g, -1.0), flx_graph_const(g, 0.0));
    return flx_graph_if(g, up, flx_graph_const(g, 1.0), lower);
}

static flx_node freeze_mod(flx_freezer *f, flx_node a, flx_node b, flx_node plain)
{
    flx_graph *g = f->g;
    flx_node k;
    if (!find(f, FLX_SWITCH_FLOOR, node_div(g, a, b), -1, &k)) return -1;
    return k < 0 ? plain : node_sub(g, a, node_mul(g, b, k));
}

// A whole number of x, with the sign given.
static flx_node freeze_whole(flx_freezer *f, flx_node x, bool negative, flx_node plain)
{
    flx_node k;
    if (!find(f, FLX_SWITCH_FLOOR, negative ? node_neg(f->g, x) : x, -1, &k)) return -1;
    if (k < 0) return plain;
    return negative ? node_neg(f->g, k) : k;
}

static bool is_not_time(void *user, flx_leaf leaf)
{
    const flx_freezer *f = user;
    return f->moves(f->user, leaf) && !f->is_time(f->user, leaf);
}

// Steps end at the corners of straight lines, but not at those that are lower than the tolerance: a
// curve by 10^5 points has none. What the time does not give the error control follows, up to here.
#define HIGH 1e-3

static flx_node freeze_table(flx_freezer *f, const flx_graph_node *p, flx_node x, flx_node plain)
{
    flx_table *t = f->g->tables[p->b];
    bool timed = !flx_graph_depends(f->g, x, is_not_time, f);
    if (t->smooth == 1) flx_table_cut(t, timed ? f->tolerance : HIGH);
    bool corners = (t->smooth == 1 || t->given) && t->ncut > 2;
    if (t->outside != FLX_OUTSIDE_HOLD && !corners) return plain; // continued without a kink
    int cut = flx_cut_make(p->b, !corners);
    flx_node leaf;
    if (!find(f, FLX_SWITCH_PIECE, x, cut, &leaf)) return -1;
    return leaf < 0 ? plain : flx_graph_piece(f->g, cut, p->c, x, leaf);
}

flx_node flx_graph_rebuild(flx_graph *g, const flx_graph_node *p, flx_node a, flx_node b,
                           flx_node c)
{
    switch (flx_op_operands(p->op)) {
    case 3:
        return flx_graph_choose(g, a, b, c, p->payload);
    case 2:
        if (p->op == FLX_OP_PIECE)
            return flx_graph_piece(g, p->c / FLX_DERIVATIVES, p->c % FLX_DERIVATIVES, a, b);
        return flx_graph_binary(g, p->op, a, b);
    default:
        if (p->op == FLX_OP_TABLE) return flx_graph_table(g, p->b, p->c, a);
        if (p->op == FLX_OP_EXTERNAL) return flx_graph_make(g, p->op, a, p->b, p->c);
        return flx_graph_unary(g, p->op, a);
    }
}

static flx_node freeze(flx_freezer *f, const flx_graph_node *p, flx_node a, flx_node b,
                       flx_node plain)
{
    flx_graph *g = f->g;
    flx_node leaf;
    switch (p->op) {
    case FLX_OP_LT:
        if (!find(f, FLX_SWITCH_ABOVE, node_sub(g, b, a), -1, &leaf)) return -1;
        return leaf < 0 ? plain : leaf;
    case FLX_OP_LE:
        if (!find(f, FLX_SWITCH_NOT_BELOW, node_sub(g, b, a), -1, &leaf)) return -1;
        return leaf < 0 ? plain : leaf;
    case FLX_OP_ABS:
        return decide(f, FLX_SWITCH_NOT_BELOW, a, a, node_neg(g, a), plain);
    case FLX_OP_SIGN:
        return freeze_sign(f, a, plain);
    case FLX_OP_MIN:
        return decide(f, FLX_SWITCH_NOT_BELOW, node_sub(g, b, a), a, b, plain);
    case FLX_OP_MAX:
        return decide(f, FLX_SWITCH_NOT_BELOW, node_sub(g, a, b), a, b, plain);
    case FLX_OP_FLOOR:
        return freeze_whole(f, a, false, plain);
    case FLX_OP_CEIL:
        return freeze_whole(f, a, true, plain);
    case FLX_OP_ROUND:
        return freeze_whole(f, node_add(g, a, node_const(g, 0.5)), false, plain);
    case FLX_OP_MOD:
        return freeze_mod(f, a, b, plain);
    case FLX_OP_TABLE:
        return freeze_table(f, p, a, plain);
    default:
        return plain;
    }
}

// What the condition of an `either` compares goes on the stack.
static bool push_compared(walk *w, flx_node c)
{
    flx_graph_node p = w->f->g->nodes[c];
    switch (p.op) {
    case FLX_OP_AND:
    case FLX_OP_OR:
        return push_compared(w, p.a) && push_compared(w, p.b);
    case FLX_OP_NOT:
        return push_compared(w, p.a);
    case FLX_OP_LT:
    case FLX_OP_LE:
    case FLX_OP_EQ:
    case FLX_OP_NE:
        return push(w, p.a) && push(w, p.b);
    default:
        return true;
    }
}

// The condition of an `either`, of what it compares as frozen.
static flx_node compared(const flx_freezer *f, flx_node c)
{
    flx_graph_node p = f->g->nodes[c];
    flx_node a, b;
    switch (p.op) {
    case FLX_OP_AND:
    case FLX_OP_OR:
        a = compared(f, p.a);
        b = compared(f, p.b);
        break;
    case FLX_OP_NOT:
        a = compared(f, p.a);
        b = -1;
        break;
    case FLX_OP_LT:
    case FLX_OP_LE:
    case FLX_OP_EQ:
    case FLX_OP_NE:
        a = f->of[p.a] - 1;
        b = f->of[p.b] - 1;
        break;
    default:
        return c;
    }
    return a == p.a && b == p.b ? c : flx_graph_rebuild(f->g, &p, a, b, -1);
}

// Freeze the node on top of the stack if its operands are done, else put them on top.
static bool freeze_top(walk *w)
{
    flx_freezer *f = w->f;
    flx_node n = w->stack[w->count - 1], result = n;
    flx_graph_node p = f->g->nodes[n];
    int operands = flx_op_operands(p.op), before = w->count;
    bool either = p.op == FLX_OP_IF && p.payload == FLX_EITHER;
    if (operands > 0 && !(either ? push_compared(w, p.a) : push(w, p.a))) return false;
    if (operands > 1 && !push(w, p.b)) return false;
    if (operands > 2 && !push(w, p.c)) return false;
    if (w->count > before) return true;

    if (operands > 0) {
        flx_node a = either ? compared(f, p.a) : f->of[p.a] - 1;
        if (a < 0) return false;
        flx_node b = operands > 1 ? f->of[p.b] - 1 : -1, c = operands > 2 ? f->of[p.c] - 1 : -1;
        bool same = a == p.a && (operands < 2 || b == p.b) && (operands < 3 || c == p.c);
        if (!same) result = flx_graph_rebuild(f->g, &p, a, b, c);
        if (result >= 0) result = freeze(f, &p, a, b, result);
    }
    if (result < 0) return false;
    f->of[n] = result + 1;
    w->count--;
    return true;
}

flx_node flx_graph_freeze(flx_freezer *f, flx_node n)
{
    walk w = {.f = f};
    if (n < 0) return -1;
    if (flx_grow(f->g->ctx, (void **)&f->of, &f->known, n + 1, sizeof(int)) != FLX_OK) return -1;
    bool good = push(&w, n);
    while (good && w.count > 0) good = freeze_top(&w);
    flx_free(w.stack);
    return good ? flx_graph_continue(f->g, f->of[n] - 1, n) : -1;
}

void flx_freezer_clear(flx_freezer *f)
{
    flx_free(f->of);
    f->of = NULL;
    f->known = 0;
}
