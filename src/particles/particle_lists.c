// particle_lists.c - neighbours by cells: particles are put into the order of their cells, pairs nearer than their radii and the skin are listed, and
// what contacts remember moves along.
#include "particles/particle_set.h"

#include <string.h>

#define MOST_CELLS 4 // per particle; sparse sets take larger cells

bool flx_particles_moved(const flx_particles *p)
{
    double most = 0.0, half = 0.5 * p->skin;
    for (int i = 0; i < p->threads; i++) most = fmax(most, p->moved[i]);
    return sqrt(most) > half || p->wall_way > half;
}

static int clamp(int c, int n)
{
    return c < 0 ? 0 : c >= n ? n - 1 : c;
}

static flx_status find_cells(flx_particles *p)
{
    double high[3];
    for (int k = 0; k < 3; k++) {
        p->low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
    }
    p->reach = 0.0;
    for (int i = 0; i < p->n; i++) {
        const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
        double far = 0.0;
        for (int k = 0; k < 3; k++) {
            p->low[k] = fmin(p->low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
            far += x[k] * x[k];
        }
        p->reach = fmax(p->reach, far);
    }
    p->reach = sqrt(p->reach) + p->largest;
    if (!isfinite(p->reach)) {
        return FLX_FAIL(
            p->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "a particle is nowhere at t = %g: the step is too long, or particles overlap "
            "deeply at the start",
            p->time);
    }
    p->size = 2.0 * p->largest + p->skin;
    for (;; p->size *= 1.26) {
        double total = 1.0;
        for (int k = 0; k < 3; k++) {
            double way = p->period[k] > 0.0 ? p->period[k] : high[k] - p->low[k];
            total *= floor(way / p->size) + 1.0;
        }
        if (total <= MOST_CELLS * (double)p->n + 1000.0) break;
    }
    p->ncell = 1;
    for (int k = 0; k < 3; k++) {
        bool round = p->period[k] > 0.0;
        if (round) p->low[k] = p->from[k];
        p->cells[k] = round ? (int)fmax(floor(p->period[k] / p->size), 1.0)
                            : (int)floor((high[k] - p->low[k]) / p->size) + 1;
        p->inverse[k] = round ? p->cells[k] / p->period[k] : 1.0 / p->size;
        p->ncell *= p->cells[k];
    }
    return flx_grow(p->ctx, (void **)&p->cell_start, &p->cell_capacity, p->ncell + 1, sizeof(int));
}

// Into the box that repeats itself.
static void wrap(const flx_particles *p, flx_vec4 *at)
{
    double *x[3] = {&at->x, &at->y, &at->z};
    for (int k = 0; k < 3; k++) {
        if (p->period[k] > 0.0) *x[k] -= p->period[k] * floor((*x[k] - p->from[k]) / p->period[k]);
    }
}

static int cell_along(const flx_particles *p, int k, double x)
{
    return clamp((int)((x - p->low[k]) * p->inverse[k]), p->cells[k]);
}

// order[new] = old, without those that leave
static void sort_by_cell(flx_particles *p)
{
    memset(p->cell_start, 0, ((size_t)p->ncell + 1) * sizeof(int));
    for (int i = 0; i < p->n; i++) {
        if (p->leaves[i]) continue;
        if (p->repeats) wrap(p, p->x + i);
        int a = cell_along(p, 0, p->x[i].x), b = cell_along(p, 1, p->x[i].y);
        int c = cell_along(p, 2, p->x[i].z);
        p->cell_of[i] = a + p->cells[0] * (b + p->cells[1] * c);
        p->cell_start[p->cell_of[i] + 1]++;
    }
    for (int c = 0; c < p->ncell; c++) p->cell_start[c + 1] += p->cell_start[c];
    for (int i = 0; i < p->n; i++) {
        if (!p->leaves[i]) p->order[p->cell_start[p->cell_of[i]]++] = i;
    }
    for (int c = p->ncell; c > 0; c--) p->cell_start[c] = p->cell_start[c - 1];
    p->cell_start[0] = 0;
}

// Numbers by age, without gaps.
static void close_ranks(flx_particles *p)
{
    int *gone = p->spare1, before = 0;
    memset(gone, 0, (size_t)p->n * sizeof *gone);
    for (int i = 0; i < p->n; i++) gone[p->id[i]] = p->leaves[i];
    for (int k = 0; k < p->n; k++) {
        int here = gone[k];
        gone[k] = before;
        if (!here) p->label[k - before] = p->label[k];
        before += here;
    }
    for (int i = 0; i < p->n; i++) p->id[i] -= gone[p->id[i]];
    p->n -= p->nleaving;
}

static void permute4(flx_particles *p, flx_vec4 **a)
{
    for (int i = 0; i < p->n; i++) p->spare4[i] = (*a)[p->order[i]];
    flx_vec4 *swap = *a;
    *a = p->spare4;
    p->spare4 = swap;
}

static void permute3(flx_particles *p, double **a)
{
    for (int i = 0; i < p->n; i++)
        memcpy(p->spare3 + 3 * i, *a + 3 * p->order[i], 3 * sizeof(double));
    double *swap = *a;
    *a = p->spare3;
    p->spare3 = swap;
}

static void permute(flx_particles *p)
{
    permute4(p, &p->x);
    permute4(p, &p->v);
    permute4(p, &p->w);
    permute3(p, &p->f);
    permute3(p, &p->t);
    for (int i = 0; i < p->n; i++) p->spare1[i] = p->id[p->order[i]];
    int *swap = p->id;
    p->id = p->spare1;
    p->spare1 = swap;
    for (int i = 0; i < p->n; i++) p->spare1[i] = p->cell_of[p->order[i]];
    swap = p->cell_of;
    p->cell_of = p->spare1;
    p->spare1 = swap;
}

// What the contact of two particles remembers, by their old numbers.
static void recall(const flx_particles *p, int a, int b, flx_particle_memory *out)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    out->depth = 0.0;
    for (int k = p->old_start[lo]; k < p->old_start[lo + 1]; k++) {
        if (p->old_second[k] != hi) continue;
        *out = p->old_memory[k];
        for (int c = 0; c < 3 && a > b; c++) out->T[c] = -out->T[c];
        return;
    }
}

static flx_status room_for_pairs(flx_particles *p, int need)
{
    if (need <= p->pair_capacity) return FLX_OK;
    int capacity = p->pair_capacity;
    FLX_TRY(flx_grow(p->ctx, (void **)&p->second, &capacity, need, sizeof(int)));
    capacity = p->pair_capacity;
    FLX_TRY(flx_grow(p->ctx, (void **)&p->memory, &capacity, need, sizeof *p->memory));
    p->pair_capacity = capacity;
    return FLX_OK;
}

static flx_status list_range(flx_particles *p, int i, int from, int to)
{
    const flx_vec4 a = p->x[i];
    FLX_TRY(room_for_pairs(p, p->npair + to - from));
    for (int j = from; j < to; j++) {
        const flx_vec4 b = p->x[j];
        double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z}, s = a.w + b.w + p->skin;
        if (p->repeats) flx_particle_nearest(p, d);
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s) p->second[p->npair++] = j;
    }
    return FLX_OK;
}

// Cells after its own: to the right, the three rows behind, the nine rows above. Cells of a row are neighbours in the order.
static flx_status list_row(flx_particles *p, int i)
{
    const int *n = p->cells;
    int cell = p->cell_of[i], a = cell % n[0], b = cell / n[0] % n[1], c = cell / n[0] / n[1];
    int left = a > 0 ? a - 1 : 0, right = a + 1 < n[0] ? a + 1 : a;
    FLX_TRY(list_range(p, i, i + 1, p->cell_start[cell - a + right + 1]));
    for (int dc = 0; dc <= 1; dc++) {
        for (int db = dc ? -1 : 1; db <= 1; db++) {
            if (b + db < 0 || b + db >= n[1] || c + dc >= n[2]) continue;
            int row = n[0] * (b + db + n[1] * (c + dc));
            FLX_TRY(list_range(p, i, p->cell_start[row + left], p->cell_start[row + right + 1]));
        }
    }
    return FLX_OK;
}

// Where the box repeats itself: all cells round its own, each once; of later particles.
static flx_status list_round(flx_particles *p, int i)
{
    const int *n = p->cells;
    int cell = p->cell_of[i], at[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    for (int k = 0; k < 27; k++) {
        const int off[3] = {k % 3, k / 3 % 3, k / 9};
        int c[3];
        bool there = true;
        for (int e = 0; e < 3; e++) {
            bool round = p->period[e] > 0.0;
            c[e] = round ? (at[e] + n[e] + off[e] - 1) % n[e] : at[e] + off[e] - 1;
            there = there && (round ? off[e] < n[e] : c[e] >= 0 && c[e] < n[e]);
        }
        if (!there) continue;
        int other = c[0] + n[0] * (c[1] + n[1] * c[2]), first = p->cell_start[other];
        if (first <= i) first = i + 1;
        if (first < p->cell_start[other + 1])
            FLX_TRY(list_range(p, i, first, p->cell_start[other + 1]));
    }
    return FLX_OK;
}

static flx_status list_pairs(flx_particles *p)
{
    p->npair = 0;
    for (int i = 0; i < p->n; i++) {
        p->start[i] = p->npair;
        FLX_TRY(p->repeats ? list_round(p, i) : list_row(p, i));
    }
    p->start[p->n] = p->npair;
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            recall(p, p->order[i], p->order[p->second[k]], p->memory + k);
        }
    }
    return FLX_OK;
}

flx_status flx_particles_list_incoming(flx_particles *p)
{
    if (!p->team) return FLX_OK;
    if (p->npair >= p->slot_capacity) { // nothing of the old ones is needed
        flx_free(p->slots);
        flx_free(p->in);
        p->slot_capacity = p->npair + p->npair / 4 + 1;
        p->slots = flx_alloc_unset(p->ctx, (size_t)p->slot_capacity, sizeof *p->slots);
        p->in = flx_alloc_unset(p->ctx, (size_t)p->slot_capacity, sizeof *p->in);
        if (!p->slots || !p->in) return FLX_ERR_MEMORY;
    }
    memset(p->in_start, 0, ((size_t)p->n + 1) * sizeof(int));
    for (int k = 0; k < p->npair; k++) p->in_start[p->second[k] + 1]++;
    for (int i = 0; i < p->n; i++) p->in_start[i + 1] += p->in_start[i];
    for (int k = 0; k < p->npair; k++) p->in[p->in_start[p->second[k]]++] = k;
    for (int i = p->n; i > 0; i--) p->in_start[i] = p->in_start[i - 1];
    p->in_start[0] = 0;
    return FLX_OK;
}

static flx_status note_near(flx_particles *p, int i, int s)
{
    const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
    double n[3];
    if (flx_wall_distance(p->surfaces + s, x, n) > p->x[i].w + p->skin) return FLX_OK;
    FLX_TRY(flx_grow(p->ctx, (void **)&p->near, &p->near_capacity, p->nnear + 1, sizeof *p->near));
    p->near[p->nnear][0] = i;
    p->near[p->nnear++][1] = s;
    return FLX_OK;
}

// Of a surface that has an end, particles of the cells about it alone.
static flx_status note_bounded(flx_particles *p, int s, const double low[3], const double high[3])
{
    int from[3], to[3];
    double far = p->largest + p->skin;
    for (int k = 0; k < 3; k++) {
        if (high[k] + far < p->low[k] || low[k] - far > p->low[k] + p->cells[k] / p->inverse[k])
            return FLX_OK;
        from[k] = cell_along(p, k, fmax(low[k] - far, p->low[k]));
        to[k] = cell_along(p, k, fmin(high[k] + far, p->low[k] + p->cells[k] / p->inverse[k]));
    }
    for (int c = from[2]; c <= to[2]; c++) {
        for (int b = from[1]; b <= to[1]; b++) {
            int row = p->cells[0] * (b + p->cells[1] * c);
            for (int i = p->cell_start[row + from[0]]; i < p->cell_start[row + to[0] + 1]; i++)
                FLX_TRY(note_near(p, i, s));
        }
    }
    return FLX_OK;
}

// What a contact with a wall remembers; old: the contacts of the particle then.
static void recall_touch(const flx_wall_touch *old, int count, flx_wall_touch *t)
{
    for (int k = 0; k < count; k++) {
        if (old[k].surface != t->surface) continue;
        t->memory = old[k].memory;
        memcpy(t->normal, old[k].normal, sizeof t->normal);
    }
}

// touch_start of the particles as they were, before the new order; gone: how many they were.
static void find_old_touches(flx_particles *p, int gone)
{
    memset(p->touch_start, 0, ((size_t)gone + 1) * sizeof(int));
    for (int k = 0; k < p->ntouch; k++) p->touch_start[p->touches[k].particle + 1]++;
    for (int i = 0; i < gone; i++) p->touch_start[i + 1] += p->touch_start[i];
}

static flx_status list_touches(flx_particles *p, int gone)
{
    find_old_touches(p, gone);
    flx_wall_touch *old = p->touches;
    int capacity = p->touch_capacity;
    p->touches = p->old_touches;
    p->touch_capacity = p->old_touch_capacity;
    p->old_touches = old;
    p->old_touch_capacity = capacity;
    p->nnear = 0;
    for (int s = 0; s < p->nsurface; s++) {
        double low[3], high[3];
        if (flx_wall_bounds(p->surfaces + s, low, high)) {
            FLX_TRY(note_bounded(p, s, low, high));
            continue;
        }
        for (int i = 0; i < p->n; i++) FLX_TRY(note_near(p, i, s));
    }
    FLX_TRY(
        flx_grow(p->ctx, (void **)&p->touches, &p->touch_capacity, p->nnear, sizeof *p->touches));
    p->ntouch = p->nnear;
    int *at = p->spare1; // where the contacts of a particle go
    memset(at, 0, ((size_t)p->n + 1) * sizeof *at);
    for (int k = 0; k < p->nnear; k++) at[p->near[k][0] + 1]++;
    for (int i = 0; i < p->n; i++) at[i + 1] += at[i];
    for (int k = 0; k < p->nnear; k++) {
        int i = p->near[k][0], was = p->order[i];
        flx_wall_touch *t = p->touches + at[i]++;
        *t = (flx_wall_touch){.particle = i, .surface = p->near[k][1]};
        int known = p->touch_start[was + 1] - p->touch_start[was];
        if (known > 0) recall_touch(old + p->touch_start[was], known, t);
    }
    return FLX_OK;
}

flx_status flx_particles_rebuild(flx_particles *p)
{
    const int before = p->n;
    p->wall_way = 0.0;
    if (p->n == p->nleaving) { // nobody is left
        p->n = p->npair = p->ntouch = p->start[0] = p->nleaving = 0;
        memset(p->leaves, 0, (size_t)before * sizeof *p->leaves);
        return FLX_OK;
    }
    FLX_TRY(find_cells(p));
    sort_by_cell(p);
    if (p->nleaving > 0) close_ranks(p);
    permute(p);
    memset(p->leaves, 0, (size_t)before * sizeof *p->leaves);
    p->nleaving = 0;
    int *start = p->old_start, *second = p->old_second, capacity = p->old_capacity;
    flx_particle_memory *memory = p->old_memory;
    p->old_start = p->start;
    p->old_second = p->second;
    p->old_memory = p->memory;
    p->old_capacity = p->pair_capacity;
    p->start = start;
    p->second = second;
    p->memory = memory;
    p->pair_capacity = capacity;
    FLX_TRY(list_pairs(p));
    FLX_TRY(flx_particles_list_incoming(p));
    FLX_TRY(list_touches(p, before));
    memcpy(p->kept, p->x, (size_t)p->n * sizeof *p->x);
    for (int i = 0; i < p->threads; i++) p->moved[i] = 0.0;
    p->rebuilds++;
    return FLX_OK;
}
