// substitute.c - the same expressions over other leaves.
#include "expr/graph.h"

typedef struct walk {
    flx_substitution *s;
    int *stack;
    int count, capacity;
} walk;

static flx_status know(flx_substitution *s, flx_node n)
{
    return flx_grow(s->g->ctx, (void **)&s->of, &s->known, n + 1, sizeof(int));
}

static bool push(walk *w, flx_node n)
{
    if (w->s->of[n]) return true;
    if (flx_grow(w->s->g->ctx, (void **)&w->stack, &w->capacity, w->count + 1, sizeof(int)) !=
        FLX_OK) {
        return false;
    }
    w->stack[w->count++] = n;
    return true;
}

// The node on top of the stack if its operands are done, else they are put on top.
static bool substitute_top(walk *w)
{
    flx_substitution *s = w->s;
    flx_node n = w->stack[w->count - 1], result = n;
    flx_graph_node p = s->g->nodes[n];
    int operands = p.op == FLX_OP_PIECE ? 1 : flx_op_operands(p.op), before = w->count;
    if (p.op == FLX_OP_IF && p.payload == FLX_CONTINUED) { // nothing is held: as it stands
        if (!push(w, p.c)) return false;
        if (w->count > before) return true;
        s->of[n] = s->of[p.c];
        w->count--;
        return true;
    }
    if (operands > 0 && !push(w, p.a)) return false;
    if (operands > 1 && !push(w, p.b)) return false;
    if (operands > 2 && !push(w, p.c)) return false;
    if (w->count > before) return true;
    if (p.op == FLX_OP_LEAF) result = s->rule(s->g, s->user, p.payload);
    if (operands > 0) {
        flx_node a = s->of[p.a] - 1;
        flx_node b = operands > 1 ? s->of[p.b] - 1 : -1, c = operands > 2 ? s->of[p.c] - 1 : -1;
        result = p.op == FLX_OP_PIECE
                     ? flx_graph_table(s->g, p.c / FLX_DERIVATIVES / 2, p.c % FLX_DERIVATIVES, a)
                     : flx_graph_rebuild(s->g, &p, a, b, c);
    }
    if (result < 0) return false;
    s->of[n] = result + 1;
    w->count--;
    return true;
}

flx_node flx_graph_substitute(flx_substitution *s, flx_node n)
{
    walk w = {.s = s};
    if (n < 0 || know(s, n) != FLX_OK) return -1;
    bool good = push(&w, n);
    while (good && w.count > 0) good = substitute_top(&w);
    flx_free(w.stack);
    return good ? s->of[n] - 1 : -1;
}

flx_status flx_substitution_set(flx_substitution *s, flx_node n, flx_node by)
{
    FLX_TRY(know(s, n));
    if (by < 0) return FLX_ERR_MEMORY;
    s->of[n] = by + 1;
    return FLX_OK;
}

void flx_substitution_clear(flx_substitution *s)
{
    flx_free(s->of);
    s->of = NULL;
    s->known = 0;
}
