// ldl_order.c - the elimination order of ldl.c.
//
// With S positive definite, elimination in the order given meets no zero pivot when in every
// leading part of the order the bond rows have full rank on the unknowns of that part. Two rules
// see to that by structure alone:
//   - a tree joint follows the body it is paired with (the outboard one). Its rows have full rank
//     on that body's columns, and the pairs form a forest, so the rows of any set of pairs are
//     block triangular. A body with its paired joints is one node of the forest.
//   - a closure (a bond without a pair) follows every body between the bodies that it touches and
//     their common ancestor. What lies above moves all of them together and adds no rank.
// Within the rules the order is chosen for little fill: nodes with one neighbour first, towards
// their parent (trees and chains then have no fill at all), the rest by approximate minimum degree
// on the graph of nodes, each closure as soon as the second rule allows.
#include "math/ldl_order.h"

#include <amd.h>

enum { UNSET = -2, GROUND = -1 };
// A row that touches more nodes than this joins neighbours only, not all with all: it is
// eliminated near the end in any order, and all pairs would cost the square of their number.
enum { MAX_CLIQUE = 16 };

typedef struct ordering {
    flx_ctx *ctx;
    const flx_pattern *p;
    const signed char *sign;
    int *node;          // block of unknowns whose node a block belongs to; -1: a closure
    int *parent;        // of a block of unknowns: the next one towards the ground, or GROUND
    int *enter, *leave; // interval of the node in a depth-first walk of the forest
    int *up;            // first node at or above that is not eliminated yet, with shortcuts
    int *head, *next;   // lists of blocks
    int *scratch;
    int *begin, *adjacent; // graph of nodes
    int *sequence;         // nodes in elimination order
    int nsequence;
    int *order;
    int norder;
} ordering;

static int size_of(const ordering *o, int b)
{
    return o->p->start[b + 1] - o->p->start[b];
}

// The unknown blocks that bond j touches: count, and one that is not `except` (-1: none).
static int touched(const ordering *o, int j, int except, int *other)
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

static bool touches(const ordering *o, int j, int body)
{
    for (int e = o->p->row[j]; e < o->p->row[j + 1]; e++) {
        if (o->p->col[e] == body) return true;
    }
    return false;
}

// Join bond j to the node of `body` if the forest stays a forest: one parent a body, and no more
// rows than columns.
static bool join(ordering *o, int j, int body, int *free_columns)
{
    int other, count = touched(o, j, body, &other);
    if (count > 2 || free_columns[body] < size_of(o, j)) return false;
    int parent = count == 2 ? other : GROUND;
    if (o->parent[body] != UNSET && o->parent[body] != parent) return false;
    o->parent[body] = parent;
    o->node[j] = body;
    free_columns[body] -= size_of(o, j);
    return true;
}

static void take_given_pairs(ordering *o, int *free_columns)
{
    for (int j = 0; j < o->p->nblock; j++) {
        int body = o->sign[j] < 0 ? o->p->pair[j] : -1;
        if (body < 0 || body >= o->p->nblock || o->sign[body] < 0) continue;
        if (touches(o, j, body)) join(o, j, body, free_columns);
    }
}

// No pairs given: walk outwards from the ground. A bond with exactly one body not reached yet is
// that body's tree joint; scalar unknowns are never paired, since a row may lose its rank on one.
static void find_pairs(ordering *o, int *free_columns)
{
    const flx_pattern *p = o->p;
    int *waiting = o->enter, *queue = o->scratch, nqueue = 0; // enter: not used before the walk
    for (int j = 0; j < p->nblock; j++) {
        int other;
        waiting[j] = o->sign[j] < 0 ? touched(o, j, -1, &other) : 0;
        if (waiting[j] == 1) queue[nqueue++] = j;
    }
    int root = 0;
    while (nqueue > 0 || root < p->nblock) {
        int body = -1;
        if (nqueue > 0) {
            int j = queue[--nqueue];
            for (int e = p->row[j]; e < p->row[j + 1]; e++) {
                int b = p->col[e];
                if (o->sign[b] > 0 && o->up[b] == UNSET) body = b;
            }
            if (body < 0 || size_of(o, body) < 2 || !join(o, j, body, free_columns)) continue;
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
static void cut_cycles(ordering *o)
{
    const flx_pattern *p = o->p;
    int *seen = o->scratch;
    for (int b = 0; b < p->nblock; b++) seen[b] = -1;
    for (int b = 0; b < p->nblock; b++) {
        if (o->sign[b] < 0) continue;
        int u = b;
        while (u != GROUND && seen[u] < 0) {
            seen[u] = b;
            u = o->parent[u];
        }
        if (u == GROUND || seen[u] != b) continue;
        o->parent[u] = GROUND;
        for (int e = p->row[u]; e < p->row[u + 1]; e++) {
            if (o->node[p->col[e]] == u && p->col[e] != u) o->node[p->col[e]] = -1;
        }
    }
}

static void walk_forest(ordering *o)
{
    int n = o->p->nblock, clock = 0;
    for (int b = 0; b < n; b++) o->head[b] = -1;
    for (int b = n - 1; b >= 0; b--) {
        if (o->sign[b] < 0 || o->parent[b] == GROUND) continue;
        o->next[b] = o->head[o->parent[b]];
        o->head[o->parent[b]] = b;
    }
    for (int root = 0; root < n; root++) {
        if (o->sign[root] < 0 || o->parent[root] != GROUND) continue;
        int u = root;
        o->enter[u] = clock++;
        while (true) {
            int child = o->head[u];
            if (child >= 0) {
                o->head[u] = o->next[child];
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

// Calls for every pair of neighbouring nodes, maybe repeatedly. With adjacent == NULL it counts.
static void offer_edge(int u, int v, int *count, const int *begin, int *adjacent)
{
    if (u == v) return;
    if (adjacent) {
        adjacent[begin[u] + count[u]] = v;
        adjacent[begin[v] + count[v]] = u;
    }
    count[u]++;
    count[v]++;
}

static void offer_edges(const ordering *o, int *count, const int *begin, int *adjacent)
{
    const flx_pattern *p = o->p;
    for (int i = 0; i < p->nblock; i++) {
        int clique[MAX_CLIQUE], nclique = 0, previous = -1;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int v = o->node[p->col[e]];
            if (v < 0) continue;
            if (o->node[i] >= 0) {
                if (p->col[e] < i) offer_edge(o->node[i], v, count, begin, adjacent);
            } else if (o->sign[p->col[e]] > 0) {
                if (nclique < MAX_CLIQUE) {
                    for (int k = 0; k < nclique; k++) {
                        offer_edge(clique[k], v, count, begin, adjacent);
                    }
                    clique[nclique++] = v;
                } else {
                    offer_edge(previous, v, count, begin, adjacent);
                }
                previous = v;
            }
        }
    }
}

static flx_status build_graph(ordering *o)
{
    int n = o->p->nblock, *count = o->scratch, *mark = o->head;
    for (int u = 0; u < n; u++) count[u] = 0;
    offer_edges(o, count, NULL, NULL);
    o->begin[0] = 0;
    for (int u = 0; u < n; u++) o->begin[u + 1] = o->begin[u] + count[u];
    o->adjacent = flx_alloc(o->ctx, (size_t)o->begin[n], sizeof *o->adjacent);
    if (!o->adjacent) return FLX_ERR_MEMORY;
    for (int u = 0; u < n; u++) count[u] = 0;
    offer_edges(o, count, o->begin, o->adjacent);

    int out = 0; // drop repeated edges
    for (int u = 0; u < n; u++) mark[u] = -1;
    for (int u = 0; u < n; u++) {
        int from = o->begin[u];
        o->begin[u] = out;
        for (int k = 0; k < count[u]; k++) {
            int v = o->adjacent[from + k];
            if (mark[v] == u) continue;
            mark[v] = u;
            o->adjacent[out++] = v;
        }
    }
    o->begin[n] = out;
    return FLX_OK;
}

// Nodes with at most one neighbour left, those that hang on their parent first.
static void peel(ordering *o, int *degree)
{
    int n = o->p->nblock, *stack[2] = {o->head, o->next}, count[2] = {0, 0};
    for (int u = n - 1; u >= 0; u--) {
        degree[u] = o->node[u] == u ? o->begin[u + 1] - o->begin[u] : -1;
    }
    for (int u = n - 1; u >= 0; u--) {
        if (degree[u] < 0 || degree[u] > 1) continue;
        int away = degree[u] == 1 && o->adjacent[o->begin[u]] != o->parent[u];
        stack[away][count[away]++] = u;
    }
    while (count[0] + count[1] > 0) {
        int away = count[0] == 0, u = stack[away][--count[away]];
        degree[u] = -1;
        o->sequence[o->nsequence++] = u;
        for (int k = o->begin[u]; k < o->begin[u + 1]; k++) {
            int v = o->adjacent[k];
            if (degree[v] < 0 || --degree[v] != 1) continue;
            int left = -1; // the one neighbour that v has left
            for (int l = o->begin[v]; l < o->begin[v + 1]; l++) {
                if (degree[o->adjacent[l]] >= 0) left = o->adjacent[l];
            }
            away = left >= 0 && left != o->parent[v];
            stack[away][count[away]++] = v;
        }
    }
}

// The nodes that peeling left (degree >= 0) by approximate minimum degree.
static flx_status order_core(ordering *o, int *degree)
{
    int n = o->p->nblock, ncore = 0, nedge = 0;
    int *number = o->up;
    for (int u = 0; u < n; u++) {
        number[u] = -1;
        if (degree[u] < 0) continue;
        o->head[ncore] = u;
        number[u] = ncore++;
    }
    if (ncore == 0) return FLX_OK;
    int *begin = o->next, *adjacent = o->adjacent; // compressed in place: entries only move down
    for (int c = 0; c < ncore; c++) {
        int u = o->head[c], first = nedge;
        for (int k = o->begin[u]; k < o->begin[u + 1]; k++) {
            if (number[o->adjacent[k]] >= 0) adjacent[nedge++] = number[o->adjacent[k]];
        }
        begin[c] = first;
    }
    begin[ncore] = nedge;
    int *sorted = o->scratch;
    int status = amd_order(ncore, begin, adjacent, sorted, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY) {
        return FLX_FAIL(o->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in ordering a matrix");
    }
    FLX_ASSERT(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    for (int c = 0; c < ncore; c++) o->sequence[o->nsequence++] = o->head[sorted[c]];
    return FLX_OK;
}

// First node at or above u that is not eliminated; halves the path on the way.
static int alive(int *up, int u)
{
    while (u != GROUND && up[u] != u) {
        int above = up[u];
        if (above != GROUND) up[u] = up[above];
        u = above;
    }
    return u;
}

// A body that closure j still waits for, or -1 when it may be eliminated.
static int waits_for(ordering *o, int j)
{
    const flx_pattern *p = o->p;
    int low = p->nblock, high = -1, count = 0;
    for (int e = p->row[j]; e < p->row[j + 1]; e++) {
        int b = p->col[e];
        if (o->sign[b] < 0) continue;
        count++;
        if (o->enter[b] < low) low = o->enter[b];
        if (o->enter[b] > high) high = o->enter[b];
    }
    for (int e = p->row[j]; e < p->row[j + 1]; e++) {
        if (o->sign[p->col[e]] < 0) continue;
        int u = alive(o->up, p->col[e]);
        if (u == GROUND) continue;
        // With one body the other side is the ground, so that no body is common.
        bool common = count > 1 && o->enter[u] <= low && high < o->leave[u];
        if (!common) return u;
    }
    return -1;
}

// Blocks in order: node by node, the body before its joints, closures as soon as they may.
static void emit(ordering *o)
{
    const flx_pattern *p = o->p;
    for (int b = 0; b < p->nblock; b++) {
        o->up[b] = b;
        o->head[b] = -1;
    }
    for (int j = p->nblock - 1; j >= 0; j--) {
        if (o->node[j] >= 0) continue;
        int u = waits_for(o, j);
        if (u < 0) {
            o->order[o->norder++] = j;
        } else {
            o->next[j] = o->head[u];
            o->head[u] = j;
        }
    }
    for (int k = 0; k < o->nsequence; k++) {
        int u = o->sequence[k];
        o->order[o->norder++] = u;
        for (int e = p->row[u]; e < p->row[u + 1]; e++) {
            if (o->node[p->col[e]] == u && p->col[e] != u) o->order[o->norder++] = p->col[e];
        }
        o->up[u] = o->parent[u];
        for (int j = o->head[u], after; j >= 0; j = after) {
            after = o->next[j];
            int v = waits_for(o, j);
            if (v < 0) {
                o->order[o->norder++] = j;
            } else {
                o->next[j] = o->head[v];
                o->head[v] = j;
            }
        }
    }
}

static flx_status find_order(ordering *o)
{
    int n = o->p->nblock, *free_columns = o->leave; // leave: not used before the walk
    for (int b = 0; b < n; b++) {
        o->node[b] = o->sign[b] > 0 ? b : -1;
        o->parent[b] = o->up[b] = UNSET;
        free_columns[b] = size_of(o, b);
    }
    if (o->p->pair) {
        take_given_pairs(o, free_columns);
    } else {
        find_pairs(o, free_columns);
    }
    for (int b = 0; b < n; b++) {
        if (o->parent[b] == UNSET) o->parent[b] = GROUND;
    }
    cut_cycles(o);
    walk_forest(o);
    FLX_TRY(build_graph(o));
    int *degree = o->scratch;
    peel(o, degree);
    FLX_TRY(order_core(o, degree));
    emit(o);
    FLX_ASSERT(o->norder == n);
    return FLX_OK;
}

flx_status flx_ldl_order(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                         int *order)
{
    size_t n = (size_t)pattern->nblock + 1;
    int *work = flx_alloc(ctx, 10 * n, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    ordering o = {.ctx = ctx,
                  .p = pattern,
                  .sign = sign,
                  .node = work,
                  .parent = work + n,
                  .enter = work + 2 * n,
                  .leave = work + 3 * n,
                  .up = work + 4 * n,
                  .head = work + 5 * n,
                  .next = work + 6 * n,
                  .scratch = work + 7 * n,
                  .begin = work + 8 * n,
                  .sequence = work + 9 * n,
                  .order = order};
    flx_status status = find_order(&o);
    flx_free(o.adjacent);
    flx_free(work);
    return status;
}
