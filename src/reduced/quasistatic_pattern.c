// quasistatic_pattern.c - the pattern of the reduced system, and the velocities that move
// together in its tangent.
#include "math/pattern.h"
#include "reduced/quasistatic_parts.h"

// ---- pattern ------------------------------------------------------------------------------------

// Where the blocks of the base are here, and their copies.
typedef struct places {
    int nblock;
    int *start;       // (nblock + 1)
    int *same, *copy; // (nblock of the base); copy -1: none
} places;

static bool has_copy(const flx_quasistatic *z, int block)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int i = p->start[block]; i < p->start[block + 1]; i++) {
        if (z->copy[i] >= 0) return true;
    }
    return false;
}

static void add_block(places *at, int *number, int size)
{
    *number = at->nblock++;
    at->start[at->nblock] = at->start[at->nblock - 1] + size;
}

static void add_copies(const flx_quasistatic *z, places *at)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int size = 0;
        for (int i = p->start[b]; i < p->start[b + 1]; i++) size += z->copy[i] >= 0;
        at->copy[b] = -1;
        if (size > 0) add_block(at, &at->copy[b], size);
    }
}

static flx_status place_blocks(flx_quasistatic *z, places *at)
{
    const flx_pattern *p = &z->z.base->pattern;
    size_t n = (size_t)p->nblock;
    at->start = flx_arena_take(z->z.arena, 2 * n + 1, sizeof *at->start);
    at->same = flx_arena_take(z->z.arena, n, sizeof *at->same);
    at->copy = flx_arena_take(z->z.arena, n, sizeof *at->copy);
    if (!at->start || !at->same || !at->copy) return FLX_ERR_MEMORY;
    bool copied = false;
    for (int b = 0; b < p->nblock; b++) {
        if (!copied && p->start[b] >= z->first_row) {
            add_copies(z, at);
            copied = true;
        }
        add_block(at, &at->same[b], p->start[b + 1] - p->start[b]);
    }
    if (!copied) add_copies(z, at);
    return FLX_OK;
}

// The blocks here that an entry (bi, bj) of the base becomes, or -1.
static void find_corners(const places *at, int bi, int bj, int row[4], int col[4])
{
    for (int k = 0; k < 4; k++) {
        row[k] = k & 2 ? at->copy[bi] : at->same[bi];
        col[k] = k & 1 ? at->copy[bj] : at->same[bj];
    }
}

static int collect_keys(const flx_quasistatic *z, const places *at, long long *keys)
{
    const flx_pattern *p = &z->z.base->pattern;
    int n = 0, row[4], col[4];
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            find_corners(at, bi, p->col[e], row, col);
            for (int k = 0; k < 4; k++) {
                if (row[k] >= 0 && col[k] >= 0) keys[n++] = (long long)row[k] * at->nblock + col[k];
            }
        }
    }
    return n;
}

flx_status flx_quasistatic_make_pattern(flx_quasistatic *z)
{
    const flx_pattern *p = &z->z.base->pattern;
    flx_pattern *here = &z->z.sys.pattern;
    places at = {0};
    int most = 4 * p->row[p->nblock], row[4], col[4];
    FLX_TRY(place_blocks(z, &at));
    long long *keys = flx_alloc(z->z.sys.ctx, (size_t)most, sizeof *keys);
    z->entry = flx_arena_take(z->z.arena, (size_t)most, sizeof *z->entry);
    flx_status status = keys && z->entry ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        int n = collect_keys(z, &at, keys);
        status = flx_pattern_make(z->z.arena, at.nblock, at.start, n, keys, here);
    }
    flx_free(keys);
    if (status != FLX_OK) return status;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            find_corners(&at, bi, p->col[e], row, col);
            for (int k = 0; k < 4; k++) {
                bool there = row[k] >= 0 && col[k] >= 0;
                z->entry[4 * e + k] = there ? flx_pattern_find(here, row[k], col[k]) : -1;
            }
        }
    }
    return FLX_OK;
}

// ---- groups -------------------------------------------------------------------------------------

// Whether colour c is taken by a block that shares a closing constraint with b.
static bool is_taken(const flx_quasistatic *z, const int *colour, int b, int c)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int constraint = p->col[e];
        if (p->start[constraint] < z->first_row || !has_copy(z, constraint)) continue;
        for (int f = p->row[constraint]; f < p->row[constraint + 1]; f++) {
            if (p->start[p->col[f]] < z->z.base->dims.nv && colour[p->col[f]] == c) return true;
        }
    }
    return false;
}

// Velocities whose columns in (RED-4) share no row are moved together.
flx_status flx_quasistatic_make_groups(flx_quasistatic *z)
{
    const flx_pattern *p = &z->z.base->pattern;
    int nv = z->z.base->dims.nv, *colour, *first;
    for (int i = 0; i < nv; i++) z->group[i] = -1;
    if (z->nclosing == 0) return FLX_OK;
    colour = flx_arena_take(z->z.arena, (size_t)p->nblock, sizeof *colour);
    first = flx_arena_take(z->z.arena, (size_t)p->nblock + 1, sizeof *first); // sizes, then starts
    if (!colour || !first) return FLX_ERR_MEMORY;
    int ncolour = 0;
    for (int b = 0; b < p->nblock; b++) colour[b] = -1;
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        int c = 0, size = p->start[b + 1] - p->start[b];
        while (is_taken(z, colour, b, c)) c++;
        colour[b] = c;
        if (c >= ncolour) ncolour = c + 1;
        if (size > first[c + 1]) first[c + 1] = size;
    }
    for (int c = 0; c < ncolour; c++) first[c + 1] += first[c];
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            z->group[i] = first[colour[b]] + i - p->start[b];
        }
    }
    z->ngroup = first[ncolour];
    return FLX_OK;
}
