// particle_cells.c - cells, and particles in their order.
//
// Where the largest radius is more than three times the smallest, radii are in classes of a factor 2, each with a grid of its own: a particle looks for
// others of its class and of larger ones, in the cells next to its place, and no cell holds a crowd of small ones.
#include "particles/particle_set.h"

#include <string.h>

#define ONE_CLASS 3.0 // largest radius over the smallest
#define SKIN 0.15     // of the largest radius of a class

static void bound_part(void *user, int part, int parts)
{
    flx_particles *p = user;
    flx_particle_part own = {.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
                             .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
        double far = 0.0;
        for (int k = 0; k < 3; k++) {
            own.low[k] = fmin(own.low[k], x[k]);
            own.high[k] = fmax(own.high[k], x[k]);
            far += x[k] * x[k];
        }
        own.far = fmax(own.far, far);
    }
    p->parts[part] = own;
}

static flx_status find_bounds(flx_particles *p, double high[3])
{
    flx_particle_team_run(p->team, bound_part, p);
    memcpy(p->low, p->parts[0].low, sizeof p->low);
    memcpy(high, p->parts[0].high, sizeof p->low);
    p->reach = p->parts[0].far;
    for (int i = 1; i < p->threads; i++) {
        const flx_particle_part *own = p->parts + i;
        for (int k = 0; k < 3; k++) {
            p->low[k] = fmin(p->low[k], own->low[k]);
            high[k] = fmax(high[k], own->high[k]);
        }
        p->reach = fmax(p->reach, own->far);
    }
    p->reach = sqrt(p->reach) + p->largest;
    if (isfinite(p->reach)) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "a particle is nowhere at t = %g: the step is too long, or particles overlap "
                    "deeply at the start",
                    p->time);
}

static void find_classes(flx_particles *p)
{
    p->skin = SKIN * p->largest;
    p->nclass = 1;
    if (p->largest > ONE_CLASS * p->least) {
        for (double r = 0.5 * p->largest; r >= p->least && p->nclass < FLX_PARTICLE_CLASSES;
             r *= 0.5)
            p->nclass++;
    }
    memset(p->grids, 0, sizeof p->grids);
    for (int c = 0; c < p->nclass; c++) {
        p->grids[c].skin = ldexp(p->skin, -c);
        p->grids[c].size = ldexp(2.0 * p->largest, -c) + p->grids[c].skin;
    }
    if (p->nclass == 1) p->grids[0].count = p->n - p->nleaving;
    for (int i = 0; i < p->n && p->nclass > 1; i++) {
        if (!p->leaves[i]) p->grids[flx_particle_size_class(p, p->x[i].w)].count++;
    }
}

// Cells of a grid that are not far more than its particles.
static void find_grid(flx_particles *p, const double high[3], flx_particle_grid *g)
{
    for (;; g->size *= 1.26) {
        double total = 1.0;
        for (int k = 0; k < 3; k++) {
            double way = p->period[k] > 0.0 ? p->period[k] : high[k] - p->low[k];
            total *= floor(way / g->size) + 1.0;
        }
        if (total <= FLX_PARTICLE_CELLS * (double)g->count + 1000.0) break;
    }
    g->first = p->ncell;
    int cells = 1;
    for (int k = 0; k < 3; k++) {
        bool round = p->period[k] > 0.0;
        double from = round ? p->from[k] : p->low[k];
        g->cells[k] = round ? (int)fmax(floor(p->period[k] / g->size), 1.0)
                            : (int)floor((high[k] - from) / g->size) + 1;
        g->inverse[k] = round ? g->cells[k] / p->period[k] : 1.0 / g->size;
        cells *= g->cells[k];
    }
    p->ncell += cells;
}

static flx_status find_cells(flx_particles *p)
{
    double high[3];
    FLX_TRY(find_bounds(p, high));
    find_classes(p);
    p->ncell = 0;
    for (int c = p->nclass - 1; c >= 0; c--) find_grid(p, high, p->grids + c); // small ones first
    for (int k = 0; k < 3; k++) {
        if (p->period[k] > 0.0) p->low[k] = p->from[k];
    }
    return flx_particles_ensure(p, (void **)&p->cell_start, &p->cell_capacity, p->ncell + 1,
                                sizeof(int));
}

// Into the box that repeats itself. What falls goes on to fall: its energy of gravity does not jump.
static void wrap(flx_particles *p, int i)
{
    double *x[3] = {&p->x[i].x, &p->x[i].y, &p->x[i].z};
    for (int k = 0; k < 3; k++) {
        if (!(p->period[k] > 0.0)) continue;
        double back = p->period[k] * floor((*x[k] - p->from[k]) / p->period[k]);
        *x[k] -= back;
        p->round_energy -= p->gravity[k] * back / p->v[i].w;
    }
}

int flx_particle_cell_along(const flx_particles *p, const flx_particle_grid *g, int k, double x)
{
    int c = (int)((x - p->low[k]) * g->inverse[k]);
    return c < 0 ? 0 : c >= g->cells[k] ? g->cells[k] - 1 : c;
}

static void find_cells_of(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        if (p->leaves[i]) continue;
        const flx_particle_grid *g = p->grids + flx_particle_size_class(p, p->x[i].w);
        int a = flx_particle_cell_along(p, g, 0, p->x[i].x);
        int b = flx_particle_cell_along(p, g, 1, p->x[i].y);
        int c = flx_particle_cell_along(p, g, 2, p->x[i].z);
        p->cell_of[i] = g->first + a + g->cells[0] * (b + g->cells[1] * c);
    }
}

// order[new] = old, without those that leave
static void sort_by_cell(flx_particles *p)
{
    for (int i = 0; i < p->n && p->repeats; i++) {
        if (!p->leaves[i]) wrap(p, i);
    }
    flx_particle_team_run(p->team, find_cells_of, p);
    memset(p->cell_start, 0, ((size_t)p->ncell + 1) * sizeof(int));
    for (int i = 0; i < p->n; i++) {
        if (!p->leaves[i]) p->cell_start[p->cell_of[i] + 1]++;
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

// Into the new order, a part each, with the room of the spare arrays.
static void order_places(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        double skin = p->grids[flx_particle_size_class(p, p->x[p->order[i]].w)].skin;
        p->kept[i] = p->spare4[i] = p->x[p->order[i]];
        p->kept[i].w = 1.0 / (skin * skin);
        p->spare1[i] = p->id[p->order[i]];
        memcpy(p->spare3 + 3 * i, p->f + 3 * p->order[i], 3 * sizeof(double));
    }
}

static void order_velocities(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        p->spare4[i] = p->v[p->order[i]];
        memcpy(p->spare3 + 3 * i, p->t + 3 * p->order[i], 3 * sizeof(double));
    }
}

static void order_spins(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) p->spare4[i] = p->w[p->order[i]];
}

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type swap_ = (a);                                                                          \
        (a) = (b);                                                                                 \
        (b) = swap_;                                                                               \
    } while (0)

flx_status flx_particles_sort(flx_particles *p)
{
    FLX_TRY(find_cells(p));
    sort_by_cell(p);
    if (p->nleaving > 0) close_ranks(p);
    flx_particle_team_run(p->team, order_places, p);
    SWAP(flx_vec4 *, p->x, p->spare4);
    SWAP(double *, p->f, p->spare3);
    SWAP(int *, p->id, p->spare1);
    flx_particle_team_run(p->team, order_velocities, p);
    SWAP(flx_vec4 *, p->v, p->spare4);
    SWAP(double *, p->t, p->spare3);
    flx_particle_team_run(p->team, order_spins, p);
    SWAP(flx_vec4 *, p->w, p->spare4);
    return FLX_OK;
}
