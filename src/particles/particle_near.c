// particle_near.c - which surfaces of walls are near a particle; what their contacts remember moves along.
#include "particles/particle_set.h"

#include <string.h>

static bool is_near(const flx_particles *p, int i, int s)
{
    const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
    double n[3], image[3], far = p->x[i].w + p->skin;
    return !(flx_wall_distance_round(p, s, x, far, n, image) > far);
}

static flx_status note_near(flx_particles *p, int i, int s)
{
    FLX_TRY(flx_particles_ensure(p, (void **)&p->near, &p->near_capacity, p->nnear + 1,
                                 sizeof *p->near));
    p->near[p->nnear][0] = i;
    p->near[p->nnear++][1] = s;
    return FLX_OK;
}

// Cells along an axis, in at most two pieces where the box repeats itself.
typedef struct cells {
    int pieces, from[2], to[2];
} cells;

static cells find_pieces(const flx_particles *p, const flx_particle_grid *g, int k, double low,
                         double high)
{
    const double start = p->low[k], L = p->period[k], end = start + g->cells[k] / g->inverse[k];
    if (!(L > 0.0)) {
        if (high < start || low > end) return (cells){0};
        return (cells){1,
                       {flx_particle_cell_along(p, g, k, fmax(low, start))},
                       {flx_particle_cell_along(p, g, k, fmin(high, end))}};
    }
    double back = L * floor((low - start) / L);
    int from = flx_particle_cell_along(p, g, k, low - back), last = g->cells[k] - 1;
    if (high - low >= L) return (cells){1, {0}, {last}};
    if (high - back < end)
        return (cells){1, {from}, {flx_particle_cell_along(p, g, k, high - back)}};
    int to = flx_particle_cell_along(p, g, k, high - back - L);
    if (to >= from) return (cells){1, {0}, {last}};
    return (cells){2, {from, 0}, {last, to}};
}

static flx_status note_rows(flx_particles *p, int s, const flx_particle_grid *g,
                            const cells along[3], const int piece[3])
{
    const cells *x = along, *y = along + 1, *z = along + 2;
    for (int c = z->from[piece[2]]; c <= z->to[piece[2]]; c++) {
        for (int b = y->from[piece[1]]; b <= y->to[piece[1]]; b++) {
            int row = g->first + g->cells[0] * (b + g->cells[1] * c);
            int i = p->cell_start[row + x->from[piece[0]]];
            for (; i < p->cell_start[row + x->to[piece[0]] + 1]; i++) {
                if (is_near(p, i, s)) FLX_TRY(note_near(p, i, s));
            }
        }
    }
    return FLX_OK;
}

// Of a surface that has an end, particles of the cells about it alone.
static flx_status note_bounded(flx_particles *p, int s, const flx_particle_grid *g,
                               const double low[3], const double high[3])
{
    const double far = p->largest + p->skin;
    cells along[3];
    for (int k = 0; k < 3; k++) along[k] = find_pieces(p, g, k, low[k] - far, high[k] + far);
    for (int k = 0; k < 8 && g->count > 0; k++) {
        const int piece[3] = {k & 1, k >> 1 & 1, k >> 2};
        if (piece[0] < along[0].pieces && piece[1] < along[1].pieces && piece[2] < along[2].pieces)
            FLX_TRY(note_rows(p, s, g, along, piece));
    }
    return FLX_OK;
}

typedef struct marking {
    flx_particles *p;
    int surface;
} marking;

static void mark_near(void *user, int part, int parts)
{
    const marking *m = user;
    int from, to;
    flx_particle_range(m->p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) m->p->spare1[i] = is_near(m->p, i, m->surface);
}

// Of a surface without an end, all particles.
static flx_status note_all(flx_particles *p, int s)
{
    marking m = {p, s};
    flx_particle_team_run(p->team, mark_near, &m);
    for (int i = 0; i < p->n; i++) {
        if (p->spare1[i]) FLX_TRY(note_near(p, i, s));
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

flx_status flx_particles_list_walls(flx_particles *p, int gone)
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
        bool ends = flx_wall_bounds(p->surfaces + s, low, high);
        for (int c = 0; c < p->nclass && ends; c++)
            FLX_TRY(note_bounded(p, s, p->grids + c, low, high));
        if (!ends) FLX_TRY(note_all(p, s));
    }
    FLX_TRY(flx_particles_ensure(p, (void **)&p->touches, &p->touch_capacity, p->nnear,
                                 sizeof *p->touches));
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
