// parts.c - the functions of one leaf that nodes are made of, and which of them can have something narrow.
#include "expr/graph.h"

// What a node is: it stays as it is, is a function of the leaf, or reads other leaves too.
typedef enum part_kind { PART_STAYS, PART_FUNCTION, PART_MIXED } part_kind;

// How fast it can change: linear, or a product of so many linear ones and waves, which has nothing much narrower than
// what it is made of; ANYHOW: nothing is known.
#define LINEAR 1
#define MOST_FACTORS 6
#define ANYHOW 255

typedef struct part {
    unsigned char kind, degree;
    bool below; // of the roots
} part;

static unsigned char at_most(int degree)
{
    return (unsigned char)(degree <= MOST_FACTORS ? degree : ANYHOW);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static unsigned char degree_of(const flx_graph *g, const flx_graph_node *p, const part *of)
{
    int a = p->a >= 0 ? of[p->a].degree : 0;
    int b = flx_op_operands(p->op) > 1 ? of[p->b].degree : 0;
    switch (p->op) {
    case FLX_OP_ADD:
    case FLX_OP_SUB:
        return at_most(larger(a, b));
    case FLX_OP_NEG:
        return at_most(a);
    case FLX_OP_MUL:
        return at_most(a + b);
    case FLX_OP_DIV:
        return b == 0 ? at_most(a) : ANYHOW;
    case FLX_OP_POW: {
        const flx_graph_node *e = g->nodes + p->b;
        double value = e->op == FLX_OP_CONST ? flx_node_value(e) : -1.0;
        return value >= 0.0 && flx_is_small_power(value) ? at_most(a * (int)value) : ANYHOW;
    }
    case FLX_OP_SIN:
    case FLX_OP_COS:
        return a <= LINEAR ? 2 : ANYHOW;
    case FLX_OP_IF: // held
        return of[p->a].degree == 0 ? at_most(larger(b, of[p->c].degree)) : ANYHOW;
    default:
        return ANYHOW;
    }
}

static part find_part(const flx_graph *g, const flx_graph_node *p, const part *of, flx_leaf leaf,
                      bool (*stays)(void *user, flx_leaf leaf), void *user)
{
    part out = {PART_STAYS, 0, false};
    if (p->op == FLX_OP_CONST) return out;
    if (p->op == FLX_OP_LEAF) {
        if (p->payload == leaf) return (part){PART_FUNCTION, LINEAR, false};
        out.kind = stays(user, p->payload) ? PART_STAYS : PART_MIXED;
        return out;
    }
    if (p->op == FLX_OP_EXTERNAL || p->op == FLX_OP_ARGUMENT)
        return (part){PART_MIXED, ANYHOW, false};
    const int operands[] = {p->a, p->b, p->c};
    for (int k = 0; k < flx_op_operands(p->op); k++) {
        if (of[operands[k]].kind > out.kind) out.kind = of[operands[k]].kind;
    }
    if (out.kind == PART_FUNCTION) out.degree = degree_of(g, p, of);
    return out;
}

// The largest functions below the roots, which are marked.
static int mark(const flx_graph *g, part *of)
{
    int count = 0;
    for (int i = g->n - 1; i >= 0; i--) {
        const flx_graph_node *p = g->nodes + i;
        const int operands[] = {p->a, p->b, p->c};
        int n = flx_op_operands(p->op);
        if (!of[i].below) continue;
        bool is_part = of[i].kind == PART_FUNCTION && of[i].degree != LINEAR;
        of[i].below = is_part;
        count += is_part;
        for (int k = 0; k < n && of[i].kind == PART_MIXED; k++) {
            if (operands[k] >= 0) of[operands[k]].below = true;
        }
    }
    return count;
}

flx_status flx_graph_parts(const flx_graph *g, int n, const flx_node *roots, flx_leaf leaf,
                           bool (*stays)(void *user, flx_leaf leaf), void *user, int *count,
                           flx_graph_part **parts)
{
    part *of = flx_alloc(g->ctx, (size_t)g->n, sizeof *of);
    *count = 0;
    *parts = NULL;
    if (!of) return FLX_ERR_MEMORY;
    for (int i = 0; i < g->n; i++) of[i] = find_part(g, g->nodes + i, of, leaf, stays, user);
    for (int i = 0; i < n; i++) {
        if (roots[i] >= 0) of[roots[i]].below = true;
    }
    int found = mark(g, of);
    if (found > 0) *parts = flx_alloc(g->ctx, (size_t)found, sizeof **parts);
    for (int i = 0; i < g->n && *parts; i++) {
        if (of[i].below) (*parts)[(*count)++] = (flx_graph_part){i, of[i].degree != ANYHOW};
    }
    flx_free(of);
    return found > 0 && !*parts ? FLX_ERR_MEMORY : FLX_OK;
}
