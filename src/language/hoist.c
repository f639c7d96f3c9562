// hoist.c - parts of expressions that are of parameters alone become numbers of the system, which are
// evaluated when parameters are set: a step costs what it costs with constants.
#include "expr/graph.h"
#include "model/leaves.h"
#include "model/numbers.h"

typedef enum made_of { MIXED, CONSTANTS, PARAMETERS } made_of;

struct flx_hoist {
    const flx_model *m;
    int n, capacity;
    flx_node *nodes; // what the numbers are
    flx_program *program;
    flx_leaf *leaves; // of p
    // of every node of the graph, as far as it was looked at
    int known, made_capacity, new_capacity;
    char *made;               // made_of
    int *new;                 // the node that stands for it, plus 1; 0: not met
    bool again;               // hoisted numbers count as parameters
    flx_substitution numbers; // they stand for their nodes
    int nstack, stack_capacity;
    flx_node *stack;
};

flx_status flx_hoist_create(const flx_model *m, flx_hoist **out)
{
    flx_hoist *h = flx_alloc(m->ctx, 1, sizeof *h);
    *out = h;
    if (!h) return FLX_ERR_MEMORY;
    h->m = m;
    h->leaves = flx_alloc(m->ctx, (size_t)m->ntunable, sizeof *h->leaves);
    if (!h->leaves) {
        flx_hoist_destroy(out);
        return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < m->ntunable; k++) h->leaves[k] = m->tunables[k].leaf;
    return FLX_OK;
}

void flx_hoist_destroy(flx_hoist **hoist)
{
    flx_hoist *h = *hoist;
    if (!h) return;
    flx_program_destroy(&h->program);
    flx_free(h->nodes);
    flx_free(h->leaves);
    flx_free(h->made);
    flx_free(h->new);
    flx_free(h->stack);
    flx_free(h);
    *hoist = NULL;
}

static made_of made_of_node(const flx_hoist *h, const flx_graph_node *p)
{
    if (p->op == FLX_OP_CONST) return CONSTANTS;
    if (p->op == FLX_OP_ARGUMENT || p->op == FLX_OP_EXTERNAL) return MIXED; // lists stay whole
    if (p->op == FLX_OP_LEAF) {
        flx_leaf_kind kind = flx_leaf_get_kind(p->payload);
        if (h->again && kind == FLX_LEAF_NUMBER) return PARAMETERS;
        return kind == FLX_LEAF_PARAMETER ? PARAMETERS : MIXED;
    }
    int operands = flx_op_operands(p->op);
    const int of[3] = {p->a, p->b, p->c};
    made_of all = CONSTANTS;
    for (int i = 0; i < operands; i++) {
        made_of one = (made_of)h->made[of[i]];
        if (one == MIXED) return MIXED;
        if (one == PARAMETERS) all = PARAMETERS;
    }
    return all;
}

// Operands come before what is made of them, so the graph is looked at in its order.
static flx_status look(flx_hoist *h)
{
    const flx_graph *g = h->m->graph;
    FLX_TRY(flx_grow(h->m->ctx, (void **)&h->made, &h->made_capacity, g->n, sizeof *h->made));
    FLX_TRY(flx_grow(h->m->ctx, (void **)&h->new, &h->new_capacity, g->n, sizeof *h->new));
    for (; h->known < g->n; h->known++) {
        h->made[h->known] = (char)made_of_node(h, &g->nodes[h->known]);
    }
    return FLX_OK;
}

static flx_node node_of_number(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_hoist *h = user;
    bool number = flx_leaf_get_kind(leaf) == FLX_LEAF_NUMBER;
    return number ? h->nodes[flx_leaf_get_index(leaf)] : flx_graph_leaf(g, leaf);
}

static flx_status make_number(flx_hoist *h, flx_node n, flx_node *leaf)
{
    if (h->again) n = flx_graph_substitute(&h->numbers, n);
    if (n < 0) return FLX_ERR_MEMORY;
    FLX_TRY(flx_grow(h->m->ctx, (void **)&h->nodes, &h->capacity, h->n + 1, sizeof *h->nodes));
    *leaf = flx_graph_leaf(h->m->graph, flx_leaf_make(FLX_LEAF_NUMBER, h->n, 0));
    if (*leaf < 0) return FLX_ERR_MEMORY;
    h->nodes[h->n++] = n;
    return FLX_OK;
}

static flx_status push(flx_hoist *h, flx_node n)
{
    if (h->new[n]) return FLX_OK;
    FLX_TRY(flx_grow(h->m->ctx, (void **)&h->stack, &h->stack_capacity, h->nstack + 1,
                     sizeof *h->stack));
    h->stack[h->nstack++] = n;
    return FLX_OK;
}

// The node on top of the stack if its operands are done, else they are put on top.
static flx_status replace_top(flx_hoist *h)
{
    flx_graph *g = h->m->graph;
    flx_node n = h->stack[h->nstack - 1], result = n;
    const flx_graph_node p = g->nodes[n]; // the array may move
    if (h->made[n] == PARAMETERS) { // one parameter alone, too: numbers are copied all at once
        FLX_TRY(make_number(h, n, &result));
    } else if (h->made[n] == MIXED && p.op != FLX_OP_LEAF) {
        int operands = flx_op_operands(p.op), before = h->nstack;
        const int of[3] = {p.a, p.b, p.c};
        for (int i = 0; i < operands; i++) FLX_TRY(push(h, of[i]));
        if (h->nstack > before) return FLX_OK;
        flx_node is[3] = {-1, -1, -1};
        bool same = true;
        for (int i = 0; i < operands; i++) {
            is[i] = h->new[of[i]] - 1;
            same = same && is[i] == of[i];
        }
        if (!same) result = flx_graph_rebuild(g, &p, is[0], is[1], is[2]);
        if (result < 0) return FLX_ERR_MEMORY;
    }
    h->new[n] = result + 1;
    h->nstack--;
    return FLX_OK;
}

void flx_hoist_apart(flx_hoist *h)
{
    if (h->new) memset(h->new, 0, (size_t)h->new_capacity * sizeof *h->new);
}

flx_status flx_hoist_nodes(flx_hoist *h, int n, flx_node *nodes)
{
    if (h->m->ntunable == 0) return FLX_OK;
    FLX_TRY(look(h));
    for (int i = 0; i < n; i++) {
        if (nodes[i] < 0) continue;
        h->nstack = 0;
        FLX_TRY(push(h, nodes[i]));
        while (h->nstack > 0) FLX_TRY(replace_top(h));
        nodes[i] = h->new[nodes[i]] - 1;
    }
    return FLX_OK;
}

bool flx_hoist_takes(const flx_hoist *h, flx_node n)
{
    return n < h->known && h->made[n] == PARAMETERS;
}

flx_status flx_hoist_again(flx_hoist *h, int n, flx_node *nodes)
{
    flx_hoist_apart(h);
    h->again = true;
    h->known = 0;
    h->numbers = (flx_substitution){.g = h->m->graph, .user = h, .rule = node_of_number};
    flx_status status = flx_hoist_nodes(h, n, nodes);
    flx_substitution_clear(&h->numbers);
    h->again = false;
    h->known = 0;
    return status;
}

flx_node flx_hoist_node(const flx_hoist *h, int i)
{
    return h->nodes[i];
}

flx_status flx_hoist_finish(flx_hoist *h)
{
    return flx_program_compile(h->m->graph, h->m->ntunable, h->leaves, h->n, h->nodes, &h->program);
}

int flx_hoist_count(const flx_hoist *h)
{
    return h->n;
}

int flx_hoist_scratch(const flx_hoist *h)
{
    return flx_program_slope_scratch(h->program) + h->m->ntunable + h->n;
}

void flx_hoist_eval(const flx_hoist *h, const double *p, double *scratch, double *out)
{
    flx_program_eval(h->program, p, scratch, out);
}

void flx_hoist_slopes(const flx_hoist *h, const double *p, int k, double *scratch, double *out)
{
    double *along = scratch, *values = along + h->m->ntunable, *rest = values + h->n;
    for (int i = 0; i < h->m->ntunable; i++) along[i] = i == k;
    flx_program_slope(h->program, p, along, rest, values, out);
}
