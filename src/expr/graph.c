// graph.c - the expression graph: equal nodes shared, tables kept, and what lies below a node.
// Nodes of operations are made by algebra.c, derivatives by derive.c.
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
    for (int i = 0; i < g->nexternal; i++) flx_external_release(g->externals[i]);
    flx_free(g->externals);
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

flx_node flx_graph_intern(flx_graph *g, flx_graph_node key)
{
    flx_node found = flx_graph_find(g, key);
    if (found >= 0) return found;
    if (!grow(g)) return -1;
    g->hash[find_slot(g, &key)] = g->n + 1;
    g->nodes[g->n] = key;
    return g->n++;
}

flx_node flx_graph_make(flx_graph *g, flx_op op, flx_node a, flx_node b, flx_node c)
{
    return flx_graph_intern(g, (flx_graph_node){.op = op, .a = a, .b = b, .c = c});
}

flx_node flx_graph_const(flx_graph *g, double value)
{
    flx_graph_node key = {.op = FLX_OP_CONST, .a = -1, .b = -1, .c = -1};
    if (value == 0.0) value = 0.0; // no negative zero, no two nodes for zero
    memcpy(&key.payload, &value, sizeof value);
    return flx_graph_intern(g, key);
}

flx_node flx_graph_leaf(flx_graph *g, flx_leaf leaf)
{
    return flx_graph_intern(
        g, (flx_graph_node){.op = FLX_OP_LEAF, .a = -1, .b = -1, .c = -1, .payload = leaf});
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

// ---- tables -----------------------------------------------------------------------------------

static int add_table(flx_graph *g, flx_table *t)
{
    if (!t) return -1;
    if (flx_grow(g->ctx, (void **)&g->tables, &g->table_capacity, g->ntable + 1,
                 sizeof *g->tables) != FLX_OK) {
        flx_table_release(t);
        return -1;
    }
    g->tables[g->ntable] = t;
    return g->ntable++;
}

int flx_graph_add_table(flx_graph *g, int n, const double *x, const double *y,
                        flx_interpolation interpolation, flx_outside outside)
{
    return add_table(g, flx_table_create(g->ctx, n, x, y, interpolation, outside));
}

int flx_graph_add_pieces(flx_graph *g, int n, const double *x, int terms, const double *k,
                         int continuous, flx_outside outside)
{
    return add_table(g, flx_table_create_pieces(g->ctx, n, x, terms, k, continuous, outside));
}

flx_node flx_graph_table(flx_graph *g, int table, int derivative, flx_node x)
{
    double v;
    if (x < 0 || table < 0) return -1;
    if (derivative > g->tables[table]->smooth) return flx_graph_const(g, 0.0);
    if (flx_graph_is_const(g, x, &v)) {
        return flx_graph_const(g, flx_table_eval(g->tables[table], derivative, v));
    }
    return flx_graph_make(g, FLX_OP_TABLE, x, table, derivative);
}

flx_node flx_graph_piece(flx_graph *g, int cut, int derivative, flx_node x, flx_node piece)
{
    if (x < 0 || piece < 0) return -1;
    const flx_table *t = g->tables[cut / 2];
    if (derivative > t->smooth) return flx_graph_const(g, 0.0);
    // between its points the slope of a line is one number; between cuts it may have corners that do not count
    bool straight = cut % 2 == 0 && t->ncut == t->n;
    if (derivative == t->smooth && straight) x = flx_graph_const(g, t->x[0]);
    return x < 0 ? -1
                 : flx_graph_make(g, FLX_OP_PIECE, x, piece, FLX_DERIVATIVES * cut + derivative);
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

int flx_graph_smoothness(const flx_graph *g, flx_node n, int *table)
{
    int count = collect(g, 1, &n), least = INT_MAX;
    *table = -1;
    for (int i = 0; i < count; i++) {
        const flx_graph_node *p = &g->nodes[g->list[i]];
        if (p->op != FLX_OP_TABLE || !g->tables[p->b]->given) continue;
        int smooth = g->tables[p->b]->continuous - p->c;
        if (smooth >= least) continue;
        least = smooth;
        *table = p->b;
    }
    return least;
}

void flx_graph_visit_tables(const flx_graph *g, flx_node n, flx_table_visit *see, void *user)
{
    int count = collect(g, 1, &n);
    for (int i = 0; i < count; i++) {
        const flx_graph_node *p = &g->nodes[g->list[i]];
        if (p->op == FLX_OP_TABLE) see(user, g->tables[p->b], p->c, p->a);
        if (p->op == FLX_OP_PIECE)
            see(user, g->tables[p->c / FLX_DERIVATIVES / 2], p->c % FLX_DERIVATIVES, p->a);
    }
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
