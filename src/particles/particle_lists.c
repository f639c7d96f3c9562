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
        for (int k = 0; k < 3; k++) total *= floor((high[k] - p->low[k]) / p->size) + 1.0;
        if (total <= MOST_CELLS * (double)p->n + 1000.0) break;
    }
    p->ncell = 1;
    for (int k = 0; k < 3; k++) {
        p->cells[k] = (int)floor((high[k] - p->low[k]) / p->size) + 1;
        p->ncell *= p->cells[k];
    }
    return flx_grow(p->ctx, (void **)&p->cell_start, &p->cell_capacity, p->ncell + 1, sizeof(int));
}

// order[new] = old
static void sort_by_cell(flx_particles *p)
{
    double inverse = 1.0 / p->size;
    memset(p->cell_start, 0, ((size_t)p->ncell + 1) * sizeof(int));
    for (int i = 0; i < p->n; i++) {
        int a = clamp((int)((p->x[i].x - p->low[0]) * inverse), p->cells[0]);
        int b = clamp((int)((p->x[i].y - p->low[1]) * inverse), p->cells[1]);
        int c = clamp((int)((p->x[i].z - p->low[2]) * inverse), p->cells[2]);
        p->cell_of[i] = a + p->cells[0] * (b + p->cells[1] * c);
        p->cell_start[p->cell_of[i] + 1]++;
    }
    for (int c = 0; c < p->ncell; c++) p->cell_start[c + 1] += p->cell_start[c];
    for (int i = 0; i < p->n; i++) p->order[p->cell_start[p->cell_of[i]]++] = i;
    for (int c = p->ncell; c > 0; c--) p->cell_start[c] = p->cell_start[c - 1];
    p->cell_start[0] = 0;
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
        double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, s = a.w + b.w + p->skin;
        if (dx * dx + dy * dy + dz * dz < s * s) p->second[p->npair++] = j;
    }
    return FLX_OK;
}

// Cells after its own: to the right, the three rows behind, the nine rows above. Cells of a row are neighbours in the order.
static flx_status list_pairs(flx_particles *p)
{
    const int *n = p->cells;
    p->npair = 0;
    for (int i = 0; i < p->n; i++) {
        int cell = p->cell_of[i], a = cell % n[0], b = cell / n[0] % n[1], c = cell / n[0] / n[1];
        int left = a > 0 ? a - 1 : 0, right = a + 1 < n[0] ? a + 1 : a;
        p->start[i] = p->npair;
        FLX_TRY(list_range(p, i, i + 1, p->cell_start[cell - a + right + 1]));
        for (int dc = 0; dc <= 1; dc++) {
            for (int db = dc ? -1 : 1; db <= 1; db++) {
                if (b + db < 0 || b + db >= n[1] || c + dc >= n[2]) continue;
                int row = n[0] * (b + db + n[1] * (c + dc));
                FLX_TRY(
                    list_range(p, i, p->cell_start[row + left], p->cell_start[row + right + 1]));
            }
        }
    }
    p->start[p->n] = p->npair;
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            recall(p, p->order[i], p->order[p->second[k]], p->memory + k);
        }
    }
    return FLX_OK;
}

static flx_status list_incoming(flx_particles *p)
{
    if (!p->team) return FLX_OK;
    flx_free(p->slots);
    flx_free(p->in);
    p->slots = flx_alloc_unset(p->ctx, (size_t)p->npair + 1, sizeof *p->slots);
    p->in = flx_alloc_unset(p->ctx, (size_t)p->npair + 1, sizeof *p->in);
    if (!p->slots || !p->in) return FLX_ERR_MEMORY;
    memset(p->in_start, 0, ((size_t)p->n + 1) * sizeof(int));
    for (int k = 0; k < p->npair; k++) p->in_start[p->second[k] + 1]++;
    for (int i = 0; i < p->n; i++) p->in_start[i + 1] += p->in_start[i];
    for (int k = 0; k < p->npair; k++) p->in[p->in_start[p->second[k]]++] = k;
    for (int i = p->n; i > 0; i--) p->in_start[i] = p->in_start[i - 1];
    p->in_start[0] = 0;
    return FLX_OK;
}

static flx_status list_touches(flx_particles *p)
{
    flx_wall_touch *old = p->touches;
    int nold = p->ntouch, capacity = p->touch_capacity;
    p->touches = p->old_touches;
    p->touch_capacity = p->old_touch_capacity;
    p->old_touches = old;
    p->old_touch_capacity = capacity;
    p->ntouch = 0;
    for (int s = 0; s < p->nsurface; s++) {
        memset(p->spare1, 0, (size_t)p->n * sizeof(int));
        for (int k = 0; k < nold; k++) {
            if (old[k].surface == s && old[k].memory.depth > 0.0)
                p->spare1[old[k].particle] = k + 1;
        }
        for (int i = 0; i < p->n; i++) {
            const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
            double n[3];
            if (flx_wall_distance(p->surfaces + s, x, n) > p->x[i].w + p->skin) continue;
            FLX_TRY(flx_grow(p->ctx, (void **)&p->touches, &p->touch_capacity, p->ntouch + 1,
                             sizeof *p->touches));
            flx_wall_touch *t = p->touches + p->ntouch++;
            int k = p->spare1[p->order[i]];
            *t = (flx_wall_touch){.particle = i, .surface = s};
            if (k) t->memory = old[k - 1].memory;
        }
    }
    return FLX_OK;
}

flx_status flx_particles_rebuild(flx_particles *p)
{
    FLX_TRY(find_cells(p));
    sort_by_cell(p);
    permute(p);
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
    FLX_TRY(list_incoming(p));
    FLX_TRY(list_touches(p));
    memcpy(p->kept, p->x, (size_t)p->n * sizeof *p->x);
    for (int i = 0; i < p->threads; i++) p->moved[i] = 0.0;
    p->wall_way = 0.0;
    p->rebuilds++;
    return FLX_OK;
}
