// ldl_forest.c - the forest of ldl_order.c: which constraint is the tree joint of which body, and which
// body is the next one towards the ground.
#include "math/ldl/ldl_order_parts.h"

enum { UNSET = -2 };

// The unknown blocks that constraint j touches: count, and one that is not `except` (-1: none).
static int touched(const flx_ldl_ordering *o, int j, int except, int *other)
{
    int count = 0;
    *other = -1;
    for (int e = o->p->row[j]; e < o->p->row[j + 1]; e++) {
        int b = o->p->col[e];
        if (o->sign[b] < 0) continue;
        count++;
        if (b != except) *other = b;
    }
    return count;
}

static bool touches(const flx_ldl_ordering *o, int j, int body)
{
    for (int e = o->p->row[j]; e < o->p->row[j + 1]; e++) {
        if (o->p->col[e] == body) return true;
    }
    return false;
}

// Join constraint j to the node of `body` if the forest stays a forest: one parent a body, and no more
// rows than columns.
static bool join(flx_ldl_ordering *o, int j, int body, int *free_columns)
{
    int other, count = touched(o, j, body, &other);
    if (count > 2 || free_columns[body] < flx_ldl_block_size(o, j)) return false;
    int parent = count == 2 ? other : FLX_LDL_GROUND;
    if (o->parent[body] != UNSET && o->parent[body] != parent) return false;
    o->parent[body] = parent;
    o->node[j] = body;
    free_columns[body] -= flx_ldl_block_size(o, j);
    return true;
}

static void take_given_pairs(flx_ldl_ordering *o, int *free_columns)
{
    for (int j = 0; j < o->p->nblock; j++) {
        int body = o->sign[j] < 0 ? o->p->pair[j] : -1;
        if (body < 0 || body >= o->p->nblock || o->sign[body] < 0) continue;
        if (touches(o, j, body)) join(o, j, body, free_columns);
    }
}

// No pairs given: walk outwards from the ground. A constraint with exactly one body not reached yet is
// that body's tree joint; scalar unknowns are never paired, since a row may lose its rank on one.
static void find_pairs(flx_ldl_ordering *o, int *free_columns)
{
    const flx_pattern *p = o->p;
    int *waiting = o->enter, *queue = o->mark, nqueue = 0, at = 0; // not used before the walk
    for (int j = 0; j < p->nblock; j++) {
        int other;
        waiting[j] = o->sign[j] < 0 ? touched(o, j, -1, &other) : 0;
        if (waiting[j] == 1) queue[nqueue++] = j;
    }
    int root = 0;
    while (at < nqueue || root < p->nblock) {
        int body = -1;
        if (at < nqueue) {
            int j = queue[at++];
            for (int e = p->row[j]; e < p->row[j + 1]; e++) {
                int b = p->col[e];
                if (o->sign[b] > 0 && o->up[b] == UNSET) body = b;
            }
            if (body < 0 || flx_ldl_block_size(o, body) < 2 || !join(o, j, body, free_columns))
                continue;
        } else {
            body = root++;
            if (o->sign[body] < 0 || o->up[body] != UNSET) continue;
        }
        o->up[body] = body; // reached
        for (int e = p->row[body]; e < p->row[body + 1]; e++) {
            int j = p->col[e];
            if (o->sign[j] < 0 && --waiting[j] == 1) queue[nqueue++] = j;
        }
    }
}

// Cut the cycles that wrong pairs may hold: the joints of one body of the cycle become closures.
static void cut_cycles(flx_ldl_ordering *o)
{
    const flx_pattern *p = o->p;
    int *seen = o->mark;
    for (int b = 0; b < p->nblock; b++) seen[b] = -1;
    for (int b = 0; b < p->nblock; b++) {
        if (o->sign[b] < 0) continue;
        int u = b;
        while (u != FLX_LDL_GROUND && seen[u] < 0) {
            seen[u] = b;
            u = o->parent[u];
        }
        if (u == FLX_LDL_GROUND || seen[u] != b) continue;
        o->parent[u] = FLX_LDL_GROUND;
        for (int e = p->row[u]; e < p->row[u + 1]; e++) {
            if (o->node[p->col[e]] == u && p->col[e] != u) o->node[p->col[e]] = -1;
        }
    }
}

static void walk_forest(flx_ldl_ordering *o)
{
    int n = o->p->nblock, clock = 0, *head = o->watch, *next = o->next_watch;
    for (int b = 0; b < n; b++) head[b] = -1;
    for (int b = n - 1; b >= 0; b--) {
        if (o->sign[b] < 0 || o->parent[b] == FLX_LDL_GROUND) continue;
        o->children[o->parent[b]]++;
        next[b] = head[o->parent[b]];
        head[o->parent[b]] = b;
    }
    for (int root = 0; root < n; root++) {
        if (o->sign[root] < 0 || o->parent[root] != FLX_LDL_GROUND) continue;
        int u = root;
        o->enter[u] = clock++;
        while (true) {
            int child = head[u];
            if (child >= 0) {
                head[u] = next[child];
                u = child;
                o->enter[u] = clock++;
            } else {
                o->leave[u] = clock;
                if (u == root) break;
                u = o->parent[u];
            }
        }
    }
}

void flx_ldl_find_forest(flx_ldl_ordering *o, int *free_columns)
{
    int n = o->p->nblock;
    for (int b = 0; b < n; b++) {
        o->node[b] = o->sign[b] > 0 ? b : -1;
        o->parent[b] = o->up[b] = UNSET;
        free_columns[b] = flx_ldl_block_size(o, b);
    }
    if (o->p->pair) {
        take_given_pairs(o, free_columns);
    } else {
        find_pairs(o, free_columns);
    }
    for (int b = 0; b < n; b++) {
        if (o->parent[b] == UNSET) o->parent[b] = FLX_LDL_GROUND;
    }
    cut_cycles(o);
    walk_forest(o);
}

flx_status flx_ldl_pair(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                        int *node)
{
    flx_ldl_ordering o = {.ctx = ctx, .p = pattern, .sign = sign, .node = node};
    int *free_columns = NULL;
    int **arrays[] = {&o.parent,   &o.enter, &o.leave,      &o.up,        &o.mark,
                      &o.children, &o.watch, &o.next_watch, &free_columns};
    size_t n = (size_t)pattern->nblock + 1, count = sizeof arrays / sizeof arrays[0];
    int *work = flx_alloc(ctx, count * n, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) *arrays[k] = work + k * n;
    flx_ldl_find_forest(&o, free_columns);
    flx_free(work);
    return FLX_OK;
}
