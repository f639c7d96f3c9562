// block_lu.c - sparse LU of dense blocks, see block_lu.h.
//
// With the pivot block D_k and the later blocks i, j coupled to it: X_kj = D_k^-1 U_kj, A_ij -= L_ik X_kj. Diagonal blocks are
// kept as their LU with pivots, U as X.
#include "math/block_lu.h"

#include "math/symmetric.h"

#include <math.h>
#include <string.h>

struct flx_block_lu {
    flx_ctx *ctx;
    int nblock, nedge, nentry;
    int *start;                       // (nblock + 1)
    uint64_t *edges;                  // (nedge) as they were given, sorted
    int *order, *at;                  // (nblock) block of each pivot; pivot of each block
    int *first;                       // (nblock + 1) first neighbour of each pivot
    int *next;                        // (nentry) pivots later than it, ascending
    int *diagonal, *upper, *lower;    // (nblock) (nentry) (nentry) offsets of values
    double *values;                   // all blocks
    int *pivot;                       // (n) within blocks
    double *x;                        // (n)
    int *degree, *head, *list, *mark; // of the order: adjacency in `list`
    int room_block, room_edge, room_entry, room_value, room_n, room_list, room_places;
    int nvalue;
};

flx_block_lu *flx_block_lu_create(flx_ctx *ctx)
{
    flx_block_lu *lu = flx_alloc(ctx, 1, sizeof *lu);
    if (lu) lu->ctx = ctx;
    return lu;
}

void flx_block_lu_destroy(flx_block_lu **at)
{
    if (!at || !*at) return;
    flx_block_lu *lu = *at;
    void *all[] = {lu->start,  lu->edges, lu->order,  lu->at,    lu->first,    lu->next,
                   lu->upper,  lu->lower, lu->values, lu->pivot, lu->diagonal, lu->x,
                   lu->degree, lu->head,  lu->list,   lu->mark};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flx_free(all[i]);
    flx_free(lu);
    *at = NULL;
}

// An array of at least `need` items; what was in it is lost.
static flx_status renew(flx_ctx *ctx, void *array, size_t need, size_t size)
{
    void **p = array, *fresh = flx_alloc(ctx, need, size);
    if (!fresh) return FLX_ERR_MEMORY;
    flx_free(*p);
    *p = fresh;
    return FLX_OK;
}

static flx_status room_blocks(flx_block_lu *lu, int n)
{
    if (n + 1 <= lu->room_block) return FLX_OK;
    size_t need = (size_t)(n + 1 + n / 2);
    int **arrays[] = {&lu->start,    &lu->order,  &lu->at,   &lu->first,
                      &lu->diagonal, &lu->degree, &lu->head, &lu->mark};
    lu->room_block = 0;
    lu->nblock = -1; // nothing is known any more
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        FLX_TRY(renew(lu->ctx, arrays[i], need, sizeof(int)));
    lu->room_block = (int)need;
    return FLX_OK;
}

static flx_status room_unknowns(flx_block_lu *lu, int n)
{
    if (n <= lu->room_n) return FLX_OK;
    lu->nblock = -1;
    FLX_TRY(renew(lu->ctx, &lu->pivot, (size_t)(n + n / 2), sizeof(int)));
    FLX_TRY(renew(lu->ctx, &lu->x, (size_t)(n + n / 2), sizeof(double)));
    lu->room_n = n + n / 2;
    return FLX_OK;
}

flx_status flx_block_lu_reserve(flx_block_lu *lu, int nblock, int n, int nedge)
{
    int entry = 2 * nedge + 8, list = 8 * nedge + 16, value = n * 6 + 72 * nedge;
    FLX_TRY(room_blocks(lu, nblock));
    FLX_TRY(room_unknowns(lu, n));
    FLX_TRY(flx_grow(lu->ctx, (void **)&lu->edges, &lu->room_edge, nedge, sizeof *lu->edges));
    FLX_TRY(flx_grow(lu->ctx, (void **)&lu->list, &lu->room_list, list, sizeof *lu->list));
    FLX_TRY(flx_grow(lu->ctx, (void **)&lu->next, &lu->room_entry, entry, sizeof *lu->next));
    FLX_TRY(renew(lu->ctx, &lu->upper, (size_t)lu->room_entry + 1, sizeof(int)));
    FLX_TRY(renew(lu->ctx, &lu->lower, (size_t)lu->room_entry + 1, sizeof(int)));
    lu->room_places = lu->room_entry + 1;
    return flx_grow(lu->ctx, (void **)&lu->values, &lu->room_value, value, sizeof *lu->values);
}

// ---- the order --------------------------------------------------------------------------------------------

// Neighbours of all blocks in a list of segments: head[i] .. head[i] + degree[i] - 1.
static flx_status begin_graph(flx_block_lu *lu)
{
    int n = lu->nblock, need = 4 * lu->nedge + 16;
    if (need > lu->room_list) {
        FLX_TRY(renew(lu->ctx, &lu->list, (size_t)need, sizeof(int)));
        lu->room_list = need;
    }
    memset(lu->degree, 0, (size_t)n * sizeof(int));
    for (int e = 0; e < lu->nedge; e++)
        lu->degree[lu->edges[e] >> 32]++, lu->degree[(uint32_t)lu->edges[e]]++;
    for (int i = 0, sum = 0; i < n; i++) {
        lu->head[i] = sum;
        sum += lu->degree[i];
        lu->degree[i] = 0;
    }
    for (int e = 0; e < lu->nedge; e++) {
        int i = (int)(lu->edges[e] >> 32), j = (int)(uint32_t)lu->edges[e];
        lu->list[lu->head[i] + lu->degree[i]++] = j;
        lu->list[lu->head[j] + lu->degree[j]++] = i;
    }
    return FLX_OK;
}

// Block i gets the neighbours of p, without p: appended to the end of the list.
static flx_status merge(flx_block_lu *lu, int i, int p, int *used)
{
    int need = *used + lu->degree[i] + lu->degree[p];
    if (need > lu->room_list)
        FLX_TRY(flx_grow(lu->ctx, (void **)&lu->list, &lu->room_list, 2 * need, sizeof(int)));
    int n = 0, *out = lu->list + *used;
    for (int k = 0; k < lu->degree[i]; k++) {
        int j = lu->list[lu->head[i] + k];
        if (j == p) continue;
        out[n++] = j;
        lu->mark[j] = i;
    }
    lu->mark[i] = i;
    for (int k = 0; k < lu->degree[p]; k++) {
        int j = lu->list[lu->head[p] + k];
        if (lu->mark[j] != i) out[n++] = j;
    }
    // marks are of this i alone
    for (int k = 0; k < n; k++) lu->mark[out[k]] = -1;
    lu->mark[i] = -1;
    lu->head[i] = *used;
    lu->degree[i] = n;
    *used += n;
    return FLX_OK;
}

static int least_degree(const flx_block_lu *lu)
{
    int best = -1;
    for (int i = 0; i < lu->nblock; i++) {
        if (lu->at[i] < 0 && (best < 0 || lu->degree[i] < lu->degree[best])) best = i;
    }
    return best;
}

// Pivots and their later neighbours, as blocks for now.
static flx_status find_order(flx_block_lu *lu)
{
    int n = lu->nblock, used = 2 * lu->nedge;
    lu->nentry = 0;
    for (int i = 0; i < n; i++) lu->at[i] = lu->mark[i] = -1;
    for (int k = 0; k < n; k++) {
        int p = least_degree(lu), d = lu->degree[p];
        lu->order[k] = p;
        lu->at[p] = k;
        lu->first[k] = lu->nentry;
        if (lu->nentry + d > lu->room_entry) {
            int room = lu->room_entry;
            FLX_TRY(
                flx_grow(lu->ctx, (void **)&lu->next, &room, 2 * (lu->nentry + d), sizeof(int)));
            lu->room_entry = room;
        }
        for (int j = 0; j < d; j++) lu->next[lu->nentry + j] = lu->list[lu->head[p] + j];
        for (int j = 0; j < d; j++) FLX_TRY(merge(lu, lu->next[lu->nentry + j], p, &used));
        lu->nentry += d;
    }
    lu->first[n] = lu->nentry;
    return FLX_OK;
}

static int size_of(const flx_block_lu *lu, int pivot)
{
    int b = lu->order[pivot];
    return lu->start[b + 1] - lu->start[b];
}

static flx_status place_values(flx_block_lu *lu)
{
    int n = 0;
    if (lu->nentry >= lu->room_places) {
        FLX_TRY(renew(lu->ctx, &lu->upper, (size_t)lu->room_entry + 1, sizeof(int)));
        FLX_TRY(renew(lu->ctx, &lu->lower, (size_t)lu->room_entry + 1, sizeof(int)));
        lu->room_places = lu->room_entry + 1;
    }
    for (int k = 0; k < lu->nblock; k++) {
        int d = lu->first[k + 1] - lu->first[k], *next = d > 0 ? lu->next + lu->first[k] : NULL;
        for (int j = 0; j < d; j++) next[j] = lu->at[next[j]];
        flx_sort_ints(next, d);
        lu->diagonal[k] = n;
        n += size_of(lu, k) * size_of(lu, k);
        for (int j = 0; j < d; j++) {
            int size = size_of(lu, k) * size_of(lu, next[j]);
            lu->upper[lu->first[k] + j] = n;
            lu->lower[lu->first[k] + j] = n + size;
            n += 2 * size;
        }
    }
    lu->nvalue = n;
    if (n <= lu->room_value) return FLX_OK;
    FLX_TRY(renew(lu->ctx, &lu->values, (size_t)n + (size_t)n / 2, sizeof(double)));
    lu->room_value = n + n / 2;
    return FLX_OK;
}

// Shell's; qsort of the C library may take memory
static void sort_keys(int n, uint64_t *keys)
{
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int k = gap; k < n; k++) {
            uint64_t key = keys[k];
            int at = k;
            for (; at >= gap && keys[at - gap] > key; at -= gap) keys[at] = keys[at - gap];
            keys[at] = key;
        }
    }
}

static bool is_same(const flx_block_lu *lu, int nblock, const int *start, int nedge,
                    const uint64_t *edges)
{
    return lu->nblock == nblock && lu->nedge == nedge && lu->start &&
           memcmp(lu->start, start, (size_t)(nblock + 1) * sizeof *start) == 0 &&
           (nedge == 0 || memcmp(lu->edges, edges, (size_t)nedge * sizeof *edges) == 0);
}

flx_status flx_block_lu_analyse(flx_block_lu *lu, int nblock, const int *start, int nedge,
                                uint64_t *edges)
{
    int kept = 0;
    sort_keys(nedge, edges);
    for (int e = 0; e < nedge; e++) {
        if (kept == 0 || edges[e] != edges[kept - 1]) edges[kept++] = edges[e];
    }
    if (is_same(lu, nblock, start, kept, edges)) return FLX_OK;
    FLX_TRY(room_blocks(lu, nblock));
    FLX_TRY(room_unknowns(lu, start[nblock]));
    lu->nblock = -1; // until all is known
    if (kept > lu->room_edge) {
        FLX_TRY(renew(lu->ctx, &lu->edges, 2 * (size_t)kept, sizeof *lu->edges));
        lu->room_edge = 2 * kept;
    }
    if (kept > 0) memcpy(lu->edges, edges, (size_t)kept * sizeof *edges);
    memcpy(lu->start, start, (size_t)(nblock + 1) * sizeof *start);
    lu->nedge = kept;
    lu->nblock = nblock;
    flx_status status = begin_graph(lu);
    if (status == FLX_OK) status = find_order(lu);
    if (status == FLX_OK) status = place_values(lu);
    if (status != FLX_OK) lu->nblock = -1;
    return status;
}

// The place of `later` among the neighbours of a pivot; -1: none.
static int find_entry(const flx_block_lu *lu, int pivot, int later)
{
    int low = lu->first[pivot], high = lu->first[pivot + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (lu->next[middle] == later) return middle;
        if (lu->next[middle] < later)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int flx_block_lu_place(const flx_block_lu *lu, int i, int j)
{
    int a = lu->at[i], b = lu->at[j];
    if (a == b) return lu->diagonal[a];
    int e = a < b ? find_entry(lu, a, b) : find_entry(lu, b, a);
    if (e < 0) return -1;
    return a < b ? lu->upper[e] : lu->lower[e];
}

double *flx_block_lu_values(flx_block_lu *lu)
{
    memset(lu->values, 0, (size_t)lu->nvalue * sizeof *lu->values);
    return lu->values;
}

// ---- numbers ----------------------------------------------------------------------------------------------

static bool factor_block(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[n * i + k]) > fabs(A[n * p + k])) p = i;
        }
        pivot[k] = p;
        if (!(fabs(A[n * p + k]) > 0)) return false;
        for (int j = 0; j < n && p != k; j++) {
            double t = A[n * k + j];
            A[n * k + j] = A[n * p + j];
            A[n * p + j] = t;
        }
        double inverse = 1.0 / A[n * k + k];
        for (int i = k + 1; i < n; i++) {
            double f = A[n * i + k] *= inverse;
            for (int j = k + 1; j < n; j++) A[n * i + j] -= f * A[n * k + j];
        }
    }
    return true;
}

// B (n x m, row-major) <- D^-1 B
static void solve_block(int n, const double *A, const int *pivot, int m, double *B)
{
    for (int k = 0; k < n; k++) {
        int p = pivot[k];
        for (int j = 0; j < m && p != k; j++) {
            double t = B[m * k + j];
            B[m * k + j] = B[m * p + j];
            B[m * p + j] = t;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            double f = A[n * i + k];
            for (int j = 0; j < m; j++) B[m * i + j] -= f * B[m * k + j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double inverse = 1.0 / A[n * k + k];
        for (int j = 0; j < m; j++) B[m * k + j] *= inverse;
        for (int i = 0; i < k; i++) {
            double f = A[n * i + k];
            for (int j = 0; j < m; j++) B[m * i + j] -= f * B[m * k + j];
        }
    }
}

// C (n x m) -= A (n x k) B (k x m)
static void subtract(int n, int k, int m, const double *A, const double *B, double *C)
{
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < k; l++) {
            double a = A[k * i + l];
            for (int j = 0; j < m; j++) C[m * i + j] -= a * B[m * l + j];
        }
    }
}

static double *entry_of(flx_block_lu *lu, int a, int b)
{
    if (a == b) return lu->values + lu->diagonal[a];
    if (a < b) return lu->values + lu->upper[find_entry(lu, a, b)];
    return lu->values + lu->lower[find_entry(lu, b, a)];
}

bool flx_block_lu_factor(flx_block_lu *lu)
{
    for (int k = 0; k < lu->nblock; k++) {
        int n = size_of(lu, k), *pivot = lu->pivot + lu->start[lu->order[k]];
        double *D = lu->values + lu->diagonal[k];
        if (!factor_block(n, D, pivot)) return false;
        for (int e = lu->first[k]; e < lu->first[k + 1]; e++)
            solve_block(n, D, pivot, size_of(lu, lu->next[e]), lu->values + lu->upper[e]);
        for (int e = lu->first[k]; e < lu->first[k + 1]; e++) {
            int i = lu->next[e], ni = size_of(lu, i);
            for (int f = lu->first[k]; f < lu->first[k + 1]; f++) {
                int j = lu->next[f];
                subtract(ni, n, size_of(lu, j), lu->values + lu->lower[e],
                         lu->values + lu->upper[f], entry_of(lu, i, j));
            }
        }
    }
    return true;
}

void flx_block_lu_solve(flx_block_lu *lu, double *x)
{
    for (int k = 0; k < lu->nblock; k++) {
        int n = size_of(lu, k), at = lu->start[lu->order[k]];
        solve_block(n, lu->values + lu->diagonal[k], lu->pivot + at, 1, x + at);
        for (int e = lu->first[k]; e < lu->first[k + 1]; e++) {
            int i = lu->next[e];
            subtract(size_of(lu, i), n, 1, lu->values + lu->lower[e], x + at,
                     x + lu->start[lu->order[i]]);
        }
    }
    for (int k = lu->nblock - 1; k >= 0; k--) {
        int n = size_of(lu, k), at = lu->start[lu->order[k]];
        for (int e = lu->first[k]; e < lu->first[k + 1]; e++) {
            int j = lu->next[e];
            subtract(n, size_of(lu, j), 1, lu->values + lu->upper[e], x + lu->start[lu->order[j]],
                     x + at);
        }
    }
}

void flx_block_lu_solve_alone(const flx_block_lu *lu, int block, double *x)
{
    int n = lu->start[block + 1] - lu->start[block];
    const double *D = lu->values + lu->diagonal[lu->at[block]];
    solve_block(n, D, lu->pivot + lu->start[block], 1, x);
}
