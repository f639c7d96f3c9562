// particle_lists.c - neighbours by cells: pairs nearer than their radii and their skins are listed, and what contacts remember moves along.
#include "particles/particle_set.h"

#include <string.h>

bool flx_particles_moved(const flx_particles *p)
{
    double most = 0.0;
    for (int i = 0; i < p->threads; i++) most = fmax(most, p->moved[i]);
    return most > 0.25 || p->wall_way > 0.5 * p->skin;
}

// ---- what contacts remember ---------------------------------------------------------------------

// Contacts that touched in the step before, by the numbers that particles have now; count: of particles.
static flx_status keep_contacts(flx_particles *p, int count)
{
    const unsigned before = (unsigned)p->steps - 1u;
    int n = 0;
    for (int k = 0; k < p->npair; k++) n += p->touched[k] == before;
    int capacity = p->old_capacity;
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_second, &capacity, n, sizeof(int)));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_memory, &p->old_capacity, n,
                                 sizeof *p->old_memory));
    n = 0;
    for (int i = 0; i < count; i++) {
        p->old_start[i] = n;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            if (p->touched[k] != before) continue;
            p->old_second[n] = p->second[k];
            p->old_memory[n++] = p->memory[k];
        }
    }
    p->old_start[count] = n;
    return FLX_OK;
}

// Of the pair k, by the old numbers of its particles.
static void recall(flx_particles *p, int a, int b, int k)
{
    const unsigned before = (unsigned)p->steps - 1u;
    int lo = a < b ? a : b, hi = a < b ? b : a;
    p->touched[k] = before - 1u;
    for (int e = p->old_start[lo]; e < p->old_start[lo + 1]; e++) {
        if (p->old_second[e] != hi) continue;
        p->memory[k] = p->old_memory[e];
        p->touched[k] = before;
        for (int c = 0; c < 3 && a > b; c++) p->memory[k].T[c] = -p->memory[k].T[c];
        return;
    }
}

// ---- pairs --------------------------------------------------------------------------------------

static flx_status list_range(flx_particles *p, int i, double skin, int from, int to)
{
    const flx_vec4 a = p->x[i];
    if (to <= from) return FLX_OK;
    FLX_TRY(flx_particles_pair_room(p, p->npair + to - from));
    int n = p->npair;
    for (int j = from; j < to; j++) { // writes first, then counts: no branch to guess
        const flx_vec4 b = p->x[j];
        double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z}, s = a.w + b.w + skin;
        if (p->repeats) flx_particle_nearest(p, d);
        p->second[n] = j;
        n += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s;
    }
    p->npair = n;
    return FLX_OK;
}

typedef struct look {
    const flx_particle_grid *grid;
    int i, at[3]; // the particle, and where it is in the grid
    double skin;  // mean of both
    bool own;     // it is of this class: later particles alone
} look;

// Rows of cells are neighbours in the order; of its own class its cell and those after it: to the right, the three rows behind, the nine rows above.
static flx_status list_rows(flx_particles *p, const look *l)
{
    const int *n = l->grid->cells, *at = l->at;
    int left = at[0] > 0 ? at[0] - 1 : 0, right = at[0] + 1 < n[0] ? at[0] + 1 : at[0];
    for (int dc = l->own ? 0 : -1; dc <= 1; dc++) {
        for (int db = l->own && dc == 0 ? 0 : -1; db <= 1; db++) {
            int b = at[1] + db, c = at[2] + dc;
            if (b < 0 || b >= n[1] || c < 0 || c >= n[2]) continue;
            int row = l->grid->first + n[0] * (b + n[1] * c);
            bool mine = l->own && dc == 0 && db == 0;
            FLX_TRY(list_range(p, l->i, l->skin, mine ? l->i + 1 : p->cell_start[row + left],
                               p->cell_start[row + right + 1]));
        }
    }
    return FLX_OK;
}

// Where the box repeats itself: all cells round its own, each once.
static flx_status list_round(flx_particles *p, const look *l)
{
    const int *n = l->grid->cells, *at = l->at;
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
        int other = l->grid->first + c[0] + n[0] * (c[1] + n[1] * c[2]);
        int first = p->cell_start[other];
        if (l->own && first <= l->i) first = l->i + 1;
        FLX_TRY(list_range(p, l->i, l->skin, first, p->cell_start[other + 1]));
    }
    return FLX_OK;
}

static flx_status list_row(flx_particles *p, int i)
{
    int class = flx_particle_size_class(p, p->x[i].w);
    for (int c = class; c >= 0; c--) {
        const flx_particle_grid *g = p->grids + c;
        if (g->count == 0) continue;
        look l = {
            .grid = g, .i = i, .skin = 0.5 * (p->grids[class].skin + g->skin), .own = c == class};
        l.at[0] = flx_particle_cell_along(p, g, 0, p->x[i].x);
        l.at[1] = flx_particle_cell_along(p, g, 1, p->x[i].y);
        l.at[2] = flx_particle_cell_along(p, g, 2, p->x[i].z);
        FLX_TRY(p->repeats ? list_round(p, &l) : list_rows(p, &l));
    }
    return FLX_OK;
}

static flx_status list_pairs(flx_particles *p)
{
    p->npair = 0;
    for (int i = 0; i < p->n; i++) {
        p->start[i] = p->npair;
        FLX_TRY(list_row(p, i));
    }
    p->start[p->n] = p->npair;
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            recall(p, p->order[i], p->order[p->second[k]], k);
    }
    return flx_particles_divide(p);
}

flx_status flx_particles_rebuild(flx_particles *p)
{
    const int before = p->n;
    p->wall_way = 0.0;
    if (p->n == p->nleaving) { // nobody is left
        p->n = p->npair = p->ntouch = p->start[0] = p->nleaving = p->nchunk = 0;
        memset(p->leaves, 0, (size_t)before * sizeof *p->leaves);
        return FLX_OK;
    }
    FLX_TRY(keep_contacts(p, before));
    FLX_TRY(flx_particles_sort(p));
    memset(p->leaves, 0, (size_t)before * sizeof *p->leaves);
    p->nleaving = 0;
    FLX_TRY(list_pairs(p));
    FLX_TRY(flx_particles_list_walls(p, before));
    for (int i = 0; i < p->threads; i++) p->moved[i] = 0.0;
    p->rebuilds++;
    return FLX_OK;
}
