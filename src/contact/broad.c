// broad.c - a dynamic tree of boxes. Leaves are put beside the node that makes the sum of surfaces grow least; rotations keep the
// tree flat.
#include "contact/broad.h"

#include <math.h>
#include <string.h>

#define NONE (-1)

typedef struct node {
    flx_bounds box; // of a leaf: fat, it stays while what is near is inside
    int parent, child[2];
    int height; // 0: a leaf; -1: not in the tree
} node;

struct flx_broad {
    flx_ctx *ctx;
    int n, root;
    flx_bounds *near;       // (n) the boxes with half their reach; owned
    node *nodes;            // (2n): the leaf of box i is i, the inner ones follow; owned
    int nfree, *free_nodes; // (n) inner nodes that are not in use; owned
    int *stack;             // (2n) owned
    int npair, capacity;
    int (*pairs)[2]; // (capacity) owned
};

// ---- boxes --------------------------------------------------------------------------------------

static bool is_nowhere(const flx_bounds *b)
{
    for (int k = 0; k < 3; k++) {
        if (!(b->low[k] <= b->high[k])) return true;
    }
    return false;
}

static bool overlap(const flx_bounds *a, const flx_bounds *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    }
    return true;
}

static bool holds(const flx_bounds *outer, const flx_bounds *inner)
{
    for (int k = 0; k < 3; k++) {
        if (inner->low[k] < outer->low[k] || inner->high[k] > outer->high[k]) return false;
    }
    return true;
}

static flx_bounds unite(const flx_bounds *a, const flx_bounds *b)
{
    flx_bounds u;
    for (int k = 0; k < 3; k++) {
        u.low[k] = fmin(a->low[k], b->low[k]);
        u.high[k] = fmax(a->high[k], b->high[k]);
    }
    return u;
}

static flx_bounds grow(const flx_bounds *b, double by)
{
    flx_bounds g;
    for (int k = 0; k < 3; k++) {
        g.low[k] = b->low[k] - by;
        g.high[k] = b->high[k] + by;
    }
    return g;
}

static double surface(const flx_bounds *b)
{
    double d[3];
    // boxes without end have a surface that can still be compared
    for (int k = 0; k < 3; k++) d[k] = fmin(b->high[k] - b->low[k], 1e100);
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

// ---- the tree -----------------------------------------------------------------------------------

static bool is_leaf(const node *x)
{
    return x->height == 0;
}

static void refit(flx_broad *b, int i)
{
    node *x = b->nodes + i;
    const node *c = b->nodes + x->child[0], *d = b->nodes + x->child[1];
    x->box = unite(&c->box, &d->box);
    x->height = 1 + (c->height > d->height ? c->height : d->height);
}

static void replace_child(flx_broad *b, int parent, int old, int by)
{
    b->nodes[by].parent = parent;
    if (parent == NONE) {
        b->root = by;
    } else {
        node *p = b->nodes + parent;
        p->child[p->child[0] == old ? 0 : 1] = by;
    }
}

// Child `side` of i is higher by two: it goes up, i goes down and takes the lower grandchild.
static int rotate(flx_broad *b, int i, int side)
{
    node *x = b->nodes + i;
    int up = x->child[side];
    node *y = b->nodes + up;
    int low = b->nodes[y->child[0]].height < b->nodes[y->child[1]].height ? 0 : 1;
    int moved = y->child[low];
    replace_child(b, x->parent, i, up);
    y->child[low] = i;
    x->parent = up;
    x->child[side] = moved;
    b->nodes[moved].parent = i;
    refit(b, i);
    refit(b, up);
    return up;
}

static void balance_upwards(flx_broad *b, int i)
{
    while (i != NONE) {
        const node *x = b->nodes + i;
        int by = b->nodes[x->child[1]].height - b->nodes[x->child[0]].height;
        if (by > 1) {
            i = rotate(b, i, 1);
        } else if (by < -1) {
            i = rotate(b, i, 0);
        } else {
            refit(b, i);
        }
        i = b->nodes[i].parent;
    }
}

// The node beside which the sum of surfaces grows least.
static int find_sibling(const flx_broad *b, const flx_bounds *box)
{
    int i = b->root;
    while (!is_leaf(b->nodes + i)) {
        const node *x = b->nodes + i;
        flx_bounds whole = unite(&x->box, box);
        double here = 2.0 * surface(&whole), passed = 2.0 * (surface(&whole) - surface(&x->box)),
               cost[2];
        for (int k = 0; k < 2; k++) {
            const node *c = b->nodes + x->child[k];
            flx_bounds u = unite(&c->box, box);
            cost[k] = surface(&u) - (is_leaf(c) ? 0.0 : surface(&c->box)) + passed;
        }
        if (here < cost[0] && here < cost[1]) return i;
        i = x->child[cost[1] < cost[0] ? 1 : 0];
    }
    return i;
}

static void insert(flx_broad *b, int leaf)
{
    node *x = b->nodes + leaf;
    x->height = 0;
    x->child[0] = x->child[1] = NONE;
    if (b->root == NONE) {
        b->root = leaf;
        x->parent = NONE;
        return;
    }
    int sibling = find_sibling(b, &x->box), inner = b->free_nodes[--b->nfree];
    node *p = b->nodes + inner;
    int above = b->nodes[sibling].parent;
    p->parent = NONE;
    replace_child(b, above, sibling, inner);
    p->child[0] = sibling;
    p->child[1] = leaf;
    b->nodes[sibling].parent = x->parent = inner;
    balance_upwards(b, inner);
}

static void remove_leaf(flx_broad *b, int leaf)
{
    int inner = b->nodes[leaf].parent;
    b->nodes[leaf].height = -1;
    if (inner == NONE) {
        b->root = NONE;
        return;
    }
    const node *p = b->nodes + inner;
    int sibling = p->child[p->child[0] == leaf ? 1 : 0], above = p->parent;
    replace_child(b, above, inner, sibling);
    b->nodes[inner].height = -1;
    b->free_nodes[b->nfree++] = inner;
    balance_upwards(b, above);
}

// ---- life ---------------------------------------------------------------------------------------

void flx_broad_destroy(flx_broad **b)
{
    if (!*b) return;
    flx_free((*b)->near);
    flx_free((*b)->nodes);
    flx_free((*b)->free_nodes);
    flx_free((*b)->stack);
    flx_free((*b)->pairs);
    flx_free(*b);
    *b = NULL;
}

flx_broad *flx_broad_create(flx_ctx *ctx, int n)
{
    flx_broad *b = flx_alloc(ctx, 1, sizeof *b);
    if (!b) return NULL;
    *b = (flx_broad){.ctx = ctx, .n = n, .root = NONE};
    b->near = flx_alloc(ctx, (size_t)n, sizeof *b->near);
    b->nodes = flx_alloc(ctx, 2 * (size_t)n, sizeof *b->nodes);
    b->free_nodes = flx_alloc(ctx, (size_t)n, sizeof *b->free_nodes);
    b->stack = flx_alloc(ctx, 2 * (size_t)n, sizeof *b->stack);
    bool room = flx_grow(ctx, (void **)&b->pairs, &b->capacity, 4 * n, sizeof *b->pairs) == FLX_OK;
    if (!b->near || !b->nodes || !b->free_nodes || !b->stack || !room) {
        flx_broad_destroy(&b);
        return NULL;
    }
    for (int i = 0; i < 2 * n; i++) b->nodes[i].height = -1;
    for (int i = 0; i < n; i++) b->free_nodes[i] = 2 * n - 1 - i;
    b->nfree = n;
    return b;
}

void flx_broad_move(flx_broad *b, int i, const flx_bounds *box, double reach)
{
    node *x = b->nodes + i;
    bool there = x->height >= 0;
    if (is_nowhere(box)) {
        if (there) remove_leaf(b, i);
        return;
    }
    flx_bounds fat = grow(box, 1.5 * reach), widest = grow(box, 5.0 * reach);
    b->near[i] = grow(box, 0.5 * reach);
    if (there && holds(&x->box, &b->near[i]) && holds(&widest, &x->box)) return;
    if (there) remove_leaf(b, i);
    x->box = fat;
    insert(b, i);
}

// ---- pairs --------------------------------------------------------------------------------------

static flx_status add_pair(flx_broad *b, int i, int j)
{
    FLX_TRY(flx_grow(b->ctx, (void **)&b->pairs, &b->capacity, b->npair + 1, sizeof *b->pairs));
    b->pairs[b->npair][0] = i;
    b->pairs[b->npair++][1] = j;
    return FLX_OK;
}

static void sort(int n, int (*pairs)[2]) // by the second; Shell
{
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int k = gap; k < n; k++) {
            int j = pairs[k][1], at = k;
            for (; at >= gap && pairs[at - gap][1] > j; at -= gap)
                pairs[at][1] = pairs[at - gap][1];
            pairs[at][1] = j;
        }
    }
}

// Partners j > i of box i, in ascending order.
static flx_status find_partners(flx_broad *b, int i, flx_broad_filter wanted, const void *user)
{
    const flx_bounds *box = b->near + i;
    int depth = 0, first = b->npair;
    b->stack[depth++] = b->root;
    while (depth > 0) {
        int at = b->stack[--depth];
        const node *x = b->nodes + at;
        if (!overlap(&x->box, box)) continue;
        if (!is_leaf(x)) {
            b->stack[depth++] = x->child[0];
            b->stack[depth++] = x->child[1];
        } else if (at > i && overlap(b->near + at, box) && (!wanted || wanted(user, i, at))) {
            FLX_TRY(add_pair(b, i, at));
        }
    }
    if (b->npair > first) sort(b->npair - first, b->pairs + first);
    return FLX_OK;
}

flx_status flx_broad_pairs(flx_broad *b, flx_broad_filter wanted, const void *user, int *npair,
                           int (**pairs)[2])
{
    b->npair = 0;
    for (int i = 0; i < b->n; i++) {
        if (b->nodes[i].height >= 0) FLX_TRY(find_partners(b, i, wanted, user));
    }
    *npair = b->npair;
    *pairs = b->pairs;
    return FLX_OK;
}
