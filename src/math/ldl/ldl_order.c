// ldl_order.c - the elimination order of ldl.c.
//
// With S positive definite, elimination in the order given meets no zero pivot when in every
// leading part of the order the constraint rows have full rank on the unknowns of that part. Two rules
// see to that by structure alone:
//   - a tree joint follows the body it is paired with (the outboard one). Its rows have full rank
//     on that body's columns, and the pairs form a forest, so the rows of any set of pairs are
//     block triangular. A body with its paired joints is one node of the forest.
//   - a closure (a constraint without a pair) follows every body between the two bodies that it touches and
//     their common ancestor. What lies above moves both together and adds no rank. A closure on one
//     body or on more than two follows every body from there to the ground.
// Within the rules the order is chosen for little fill: of the nodes and closures that may be
// eliminated, always one that couples the fewest pairs of unknowns that were not coupled before.
// Among equals a node whose outboard neighbours are gone goes first: chains and trees are
// eliminated towards the ground, without any fill and with the least work.
//
// The graph is a quotient graph: what is eliminated becomes an element, the set of blocks that it
// has coupled. Pairs are counted as long as a pivot has few neighbours. Beyond, its degree counts,
// by the upper bound of Amestoy, Davis and Duff (SIAM J. Matrix Anal. Appl. 17, 1996), which takes
// the elements of a pivot as if they overlapped only in the latest one.
#include "math/ldl/ldl_order_parts.h"

#include <math.h>
#include <string.h>

// States of a block in the quotient graph. What is eliminated becomes an element, named by its first
// block, until a later element holds all of it. Dense nodes and closures are kept out of the graph
// and eliminated last.
enum { VARIABLE, ELEMENT, GONE, DENSE };
// Neighbours of a pivot up to which the pairs are counted, and the most pairs told apart.
enum { FEW_NEIGHBOURS = 24, MOST_PAIRS = 8191 };

// ---- when a closure may be eliminated ----------------------------------------------------------

// First node at or above u that is not eliminated; halves the path on the way.
static int alive(int *up, int u)
{
    while (u != FLX_LDL_GROUND && up[u] != u) {
        int above = up[u];
        if (above != FLX_LDL_GROUND) up[u] = up[above];
        u = above;
    }
    return u;
}

// A body that closure j still waits for, or -1 when it may be eliminated.
static int waits_for(flx_ldl_ordering *o, int j)
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
        if (u == FLX_LDL_GROUND) continue;
        // With one body the other side is the ground; with more than two the ground may be meant,
        // too (a gear on a shaft in the ground). Then no body counts as common.
        bool common = count == 2 && o->enter[u] <= low && high < o->leave[u];
        if (!common) return u;
    }
    return -1;
}

// ---- the quotient graph ------------------------------------------------------------------------

// The node or closure that a block belongs to.
static int pivot_of(const flx_ldl_ordering *o, int block)
{
    return o->node[block] >= 0 ? o->node[block] : block;
}

static void list_joints(flx_ldl_ordering *o)
{
    const flx_pattern *p = o->p;
    for (int b = 0; b < p->nblock; b++) o->next_joint[b] = -1;
    for (int b = 0; b < p->nblock; b++) {
        if (o->sign[b] < 0) continue;
        int last = b;
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int j = p->col[e];
            if (j != b && o->node[j] == b) last = o->next_joint[last] = j;
        }
    }
}

// Neighbours of every block in the matrix.
static flx_status build_graph(flx_ldl_ordering *o)
{
    const flx_pattern *p = o->p;
    o->list = flx_alloc(o->ctx, (size_t)p->row[p->nblock], sizeof *o->list);
    if (!o->list) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock; b++) {
        o->begin[b] = p->row[b];
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            if (p->col[e] != b) o->list[o->begin[b] + o->length[b]++] = p->col[e];
        }
    }
    return FLX_OK;
}

// Blocks that touch very many others would make every step touch them.
static void set_dense_apart(flx_ldl_ordering *o)
{
    int n = o->p->nblock;
    double most = fmax(16, 10 * sqrt(n)); // as in AMD
    for (int b = 0; b < n; b++) {
        if (o->length[b] <= most) continue;
        for (int k = pivot_of(o, b); k >= 0; k = o->next_joint[k]) o->state[k] = DENSE;
    }
}

static void delist(flx_ldl_ordering *o, int v)
{
    if (o->left[v] >= 0) {
        o->right[o->left[v]] = o->right[v];
    } else {
        o->first[o->key[v]] = o->right[v];
    }
    if (o->right[v] >= 0) o->left[o->right[v]] = o->left[v];
    o->key[v] = -1;
}

// The pivot to eliminate next, or -1 when none may be.
static int take_lowest(flx_ldl_ordering *o)
{
    while (o->lowest < o->nkey && o->first[o->lowest] < 0) o->lowest++;
    if (o->lowest == o->nkey) return -1;
    int v = o->first[o->lowest];
    delist(o, v);
    return v;
}

static flx_status add_member(flx_ldl_ordering *o, int p, int b)
{
    if (o->state[b] != VARIABLE || o->mark[b] == o->stamp) return FLX_OK;
    o->mark[b] = o->stamp;
    o->weight[p] += flx_ldl_block_size(o, b);
    if (o->nmember == o->member_capacity) {
        FLX_TRY(flx_grow(o->ctx, (void **)&o->members, &o->member_capacity, o->nmember + 1,
                         sizeof *o->members));
    }
    o->members[o->nmember++] = b;
    return FLX_OK;
}

// What one block of pivot p couples.
static flx_status add_neighbours(flx_ldl_ordering *o, int p, int b)
{
    for (int k = 0; k < o->length[b]; k++) {
        int x = o->list[o->begin[b] + k];
        if (k >= o->nelement[b]) {
            FLX_TRY(add_member(o, p, x));
        } else if (o->state[x] == ELEMENT) {
            for (int m = o->first_member[x]; m < o->end_member[x]; m++) {
                FLX_TRY(add_member(o, p, o->members[m]));
            }
            o->state[x] = GONE;
        }
    }
    return FLX_OK;
}

// The blocks that the pivot couples become its element, which holds the elements it was in.
static flx_status form_element(flx_ldl_ordering *o, int p)
{
    for (int b = p; b >= 0; b = o->next_joint[b]) o->state[b] = GONE;
    o->weight[p] = 0;
    o->stamp++;
    o->first_member[p] = o->nmember;
    for (int b = p; b >= 0; b = o->next_joint[b]) FLX_TRY(add_neighbours(o, p, b));
    o->end_member[p] = o->nmember;
    o->state[p] = ELEMENT;
    return FLX_OK;
}

// For every element that shares blocks with the pivot's: how much of it lies outside.
static void measure_outside(flx_ldl_ordering *o, int p)
{
    for (int m = o->first_member[p]; m < o->end_member[p]; m++) {
        int b = o->members[m];
        for (int k = 0; k < o->nelement[b]; k++) {
            int e = o->list[o->begin[b] + k];
            if (o->state[e] != ELEMENT) continue;
            if (o->mark[e] != o->stamp) {
                o->mark[e] = o->stamp;
                o->outside[e] = o->weight[e];
            }
            o->outside[e] -= flx_ldl_block_size(o, b);
        }
    }
}

// Bring the list of block b up to date with the element of p, which it is in. The list has room: a
// block of the pivot was in it, or an element that is gone.
static void refresh(flx_ldl_ordering *o, int p, int b)
{
    int *list = o->list + o->begin[b], *kept = o->scratch, count = 0;
    for (int k = 0; k < o->nelement[b]; k++) {
        int e = list[k];
        if (o->state[e] == ELEMENT && o->outside[e] == 0) o->state[e] = GONE; // all in that of p
        if (o->state[e] == ELEMENT) kept[count++] = e;
    }
    kept[count++] = p;
    int nelement = count;
    for (int k = o->nelement[b]; k < o->length[b]; k++) {
        int x = list[k];
        if (o->state[x] == VARIABLE && o->mark[x] != o->stamp) kept[count++] = x;
    }
    FLX_ASSERT(count <= o->length[b]);
    memcpy(list, kept, sizeof *list * (size_t)count);
    o->nelement[b] = nelement;
    o->length[b] = count;
}

// Unknowns that the elimination of v would couple, over all lists of its blocks; elements that have
// nothing to do with the latest one count in full.
static int measure_degree(flx_ldl_ordering *o, int v)
{
    int degree = 0;
    o->look++;
    for (int b = v; b >= 0; b = o->next_joint[b]) o->seen[b] = o->look;
    for (int b = v; b >= 0; b = o->next_joint[b]) {
        for (int k = 0; k < o->length[b]; k++) {
            int x = o->list[o->begin[b] + k];
            bool element = k < o->nelement[b];
            if (element && o->state[x] == ELEMENT) {
                bool shares = o->mark[x] == o->stamp; // then only what is outside counts
                if (o->seen[x] != o->look) degree += shares ? o->outside[x] : o->weight[x];
                // its own block is in the element, and counted there unless inside the latest one
                if (!shares || o->mark[b] != o->stamp) degree -= flx_ldl_block_size(o, b);
            } else if (element || o->state[x] != VARIABLE || o->seen[x] == o->look) {
                continue;
            } else if (o->mark[x] != o->stamp) {
                degree += flx_ldl_block_size(o, x);
            }
            o->seen[x] = o->look;
        }
    }
    return degree;
}

// ---- choosing ----------------------------------------------------------------------------------

// Mark all neighbours of block b; those met for the first time are listed as far as there is room.
// Returns the number of the list.
static int look_around(flx_ldl_ordering *o, int b, int *found, int count, int room)
{
    for (int k = 0; k < o->length[b]; k++) {
        int x = o->list[o->begin[b] + k];
        bool element = k < o->nelement[b];
        if (element && o->state[x] != ELEMENT) continue;
        const int *y = element ? o->members + o->first_member[x] : &x;
        const int *end = element ? o->members + o->end_member[x] : &x + 1;
        for (; y < end; y++) {
            if (o->state[*y] != VARIABLE || o->seen[*y] == o->look) continue;
            o->seen[*y] = o->look;
            if (count < room) found[count] = *y;
            count++;
        }
    }
    return count;
}

// Pairs of unknowns that the elimination of v couples anew, or more than MOST_PAIRS when there are
// many: then by degree.
static int rank_of(flx_ldl_ordering *o, int v)
{
    int found[FEW_NEIGHBOURS], count = 0, pairs = 0;
    o->look++;
    for (int b = v; b >= 0; b = o->next_joint[b]) o->seen[b] = o->look;
    for (int b = v; b >= 0 && count <= FEW_NEIGHBOURS; b = o->next_joint[b]) {
        count = look_around(o, b, found, count, FEW_NEIGHBOURS);
    }
    if (count > FEW_NEIGHBOURS) return MOST_PAIRS + o->degree[v];
    for (int i = 0; i < count; i++) {
        int size = flx_ldl_block_size(o, found[i]);
        o->look++;
        look_around(o, found[i], NULL, 0, 0);
        for (int k = 0; k < i; k++) {
            if (o->seen[found[k]] != o->look) pairs += size * flx_ldl_block_size(o, found[k]);
        }
    }
    return pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
}

static void enlist(flx_ldl_ordering *o, int v)
{
    int key = 2 * rank_of(o, v) + (o->sign[v] > 0 && o->children[v] > 0);
    if (key >= o->nkey) key = o->nkey - 1;
    o->key[v] = key;
    o->left[v] = -1;
    o->right[v] = o->first[key];
    if (o->first[key] >= 0) o->left[o->first[key]] = v;
    o->first[key] = v;
    if (key < o->lowest) o->lowest = key;
}

// ---- elimination -------------------------------------------------------------------------------

static void wait_or_enlist(flx_ldl_ordering *o, int j)
{
    int u = waits_for(o, j);
    if (u < 0) {
        enlist(o, j);
    } else {
        o->next_watch[j] = o->watch[u];
        o->watch[u] = j;
    }
}

// The blocks of a pivot in order.
static void emit(flx_ldl_ordering *o, int v)
{
    for (int b = v; b >= 0; b = o->next_joint[b]) o->order[o->norder++] = b;
    if (o->sign[v] < 0) return;
    o->up[v] = o->parent[v];
    if (o->parent[v] != FLX_LDL_GROUND) o->children[o->parent[v]]--;
}

// Closures that waited for v wait for something else, or no more.
static void wake(flx_ldl_ordering *o, int v)
{
    for (int j = o->watch[v], after; j >= 0; j = after) {
        after = o->next_watch[j];
        wait_or_enlist(o, j);
    }
}

// The degree of pivot v after the elimination of p, which it is coupled with.
static int update_degree(flx_ldl_ordering *o, int p, int v)
{
    int inside = o->weight[p]; // of the element of p, less its own blocks
    for (int b = v; b >= 0; b = o->next_joint[b]) {
        if (o->mark[b] == o->stamp) inside -= flx_ldl_block_size(o, b);
    }
    int degree = measure_degree(o, v), before = o->degree[v];
    return (degree < before ? degree : before) + inside;
}

static flx_status eliminate(flx_ldl_ordering *o, int p)
{
    emit(o, p);
    FLX_TRY(form_element(o, p));
    measure_outside(o, p);
    o->outside[p] = 0; // all of it is inside itself
    o->mark[p] = o->stamp;
    for (int m = o->first_member[p]; m < o->end_member[p]; m++) refresh(o, p, o->members[m]);
    for (int m = o->first_member[p]; m < o->end_member[p]; m++) {
        int v = pivot_of(o, o->members[m]);
        if (o->updated[v] == o->stamp) continue;
        o->updated[v] = o->stamp;
        bool listed = o->key[v] >= 0;
        if (listed) delist(o, v);
        o->degree[v] = update_degree(o, p, v);
        if (listed) enlist(o, v);
    }
    wake(o, p);
    return FLX_OK;
}

// Dense nodes come after all others, dense closures after everything.
static void eliminate_dense(flx_ldl_ordering *o, int sign)
{
    for (int v = 0; v < o->p->nblock; v++) {
        if (o->state[v] != DENSE || o->sign[v] != sign || pivot_of(o, v) != v) continue;
        emit(o, v);
        wake(o, v);
    }
}

static flx_status eliminate_all(flx_ldl_ordering *o)
{
    int n = o->p->nblock, v;
    o->lowest = o->nkey;
    for (int k = 0; k < o->nkey; k++) o->first[k] = -1;
    for (v = 0; v < n; v++) {
        o->up[v] = v;
        o->watch[v] = o->key[v] = -1;
        o->mark[v] = o->seen[v] = o->updated[v] = -1;
    }
    for (v = n - 1; v >= 0; v--) {
        if (o->state[v] != VARIABLE || pivot_of(o, v) != v) continue;
        o->degree[v] = measure_degree(o, v);
        if (o->sign[v] > 0) {
            enlist(o, v);
        } else {
            wait_or_enlist(o, v);
        }
    }
    while ((v = take_lowest(o)) >= 0) FLX_TRY(eliminate(o, v));
    eliminate_dense(o, 1);
    while ((v = take_lowest(o)) >= 0) FLX_TRY(eliminate(o, v));
    eliminate_dense(o, -1);
    FLX_ASSERT(o->norder == n);
    return FLX_OK;
}

static flx_status find_order(flx_ldl_ordering *o)
{
    flx_ldl_find_forest(o, o->degree); // not used before the graph is built
    list_joints(o);
    FLX_TRY(build_graph(o));
    set_dense_apart(o);
    return eliminate_all(o);
}

flx_status flx_ldl_order(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                         int *order)
{
    flx_ldl_ordering o = {.ctx = ctx, .p = pattern, .sign = sign, .order = order};
    int **arrays[] = {&o.node,     &o.parent,       &o.enter,      &o.leave,   &o.up,
                      &o.children, &o.watch,        &o.next_watch, &o.state,   &o.begin,
                      &o.length,   &o.nelement,     &o.scratch,    &o.degree,  &o.weight,
                      &o.mark,     &o.first_member, &o.end_member, &o.outside, &o.key,
                      &o.left,     &o.right,        &o.next_joint, &o.seen,    &o.updated};
    size_t n = (size_t)pattern->nblock + 1, count = sizeof arrays / sizeof arrays[0];
    // Twice the ranks that occur; of degrees, the largest share the last key.
    int unknowns = pattern->start[pattern->nblock];
    o.nkey = 2 * (unknowns < 128 ? unknowns * unknowns / 2 : MOST_PAIRS) + 2;
    o.nkey += 2 * (unknowns < MOST_PAIRS ? unknowns : MOST_PAIRS);
    int *work = flx_alloc(ctx, count * n + (size_t)o.nkey, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) *arrays[k] = work + k * n;
    o.first = work + count * n;
    flx_status status = find_order(&o);
    flx_free(o.list);
    flx_free(o.members);
    flx_free(work);
    return status;
}
