// particle_lists.c - neighbours by cells: pairs nearer than their radii and their skins are listed, and what contacts remember moves along.
//
// Each thread lists the rows of its part, at the place that they would have with 8 pairs per particle; then they are moved together, so
// that the list is the same for any number of threads.
#include "particles/particle_set.h"

#include <string.h>

#define ROOM 8 // pairs per particle of a part (reserve, particle_set.c)

bool flx_particles_moved(const flx_particles *p)
{
    double most = 0.0;
    for (int i = 0; i < p->threads; i++) most = fmax(most, p->moved[i]);
    return most > 0.25 || p->wall_way > 0.5 * p->skin;
}

// ---- what contacts remember ---------------------------------------------------------------------

static void count_contacts(void *user, int part, int parts)
{
    flx_particles *p = user;
    const unsigned before = (unsigned)p->steps - 1u;
    int from, to, n = 0;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int k = p->start[from]; k < p->start[to]; k++) n += p->touched[k] == before;
    p->parts[part].kept = n;
}

// From where on those of the part go, which is in the place of how many they are.
static void keep_part(void *user, int part, int parts)
{
    flx_particles *p = user;
    const unsigned before = (unsigned)p->steps - 1u;
    int from, to, n = p->parts[part].kept;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        p->old_start[i] = n;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            if (p->touched[k] != before) continue;
            p->old_second[n] = p->second[k];
            p->old_memory[n++] = p->memory[k];
        }
    }
}

// Contacts that touched in the step before, by the numbers that particles have now.
static flx_status keep_contacts(flx_particles *p)
{
    int n = 0;
    flx_particle_team_run(p->team, count_contacts, p);
    for (int i = 0; i < p->threads; i++) {
        int here = p->parts[i].kept;
        p->parts[i].kept = n;
        n += here;
    }
    int capacity = p->old_capacity;
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_second, &capacity, n, sizeof(int)));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_memory, &p->old_capacity, n,
                                 sizeof *p->old_memory));
    flx_particle_team_run(p->team, keep_part, p);
    p->old_start[p->n] = n;
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

// Where pairs are listed: up to `end`; room is made behind it where nobody else lists.
typedef struct list {
    int n, end;
    bool alone;
} list;

typedef struct look {
    const flx_particle_grid *grid;
    list *list;
    int i, at[3]; // the particle, and where it is in the grid
    double skin;  // mean of both
    bool own;     // it is of this class: later particles alone
} look;

// FLX_ERR_CANNOT: there is no room, which the caller makes.
static flx_status list_range(flx_particles *p, const look *l, int from, int to)
{
    const flx_vec4 a = p->x[l->i];
    int n = l->list->n;
    if (to <= from) return FLX_OK;
    if (l->list->alone) FLX_TRY(flx_particles_pair_room(p, n + to - from));
    if (!l->list->alone && to - from > l->list->end - n) return FLX_ERR_CANNOT;
    int *second = p->second;
    for (int j = from; j < to; j++) { // writes first, then counts: no branch to guess
        const flx_vec4 b = p->x[j];
        double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z}, s = a.w + b.w + l->skin;
        if (p->repeats) flx_particle_nearest(p, d);
        second[n] = j;
        n += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s;
    }
    l->list->n = n;
    return FLX_OK;
}

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
            FLX_TRY(list_range(p, l, mine ? l->i + 1 : p->cell_start[row + left],
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
        FLX_TRY(list_range(p, l, first, p->cell_start[other + 1]));
    }
    return FLX_OK;
}

static flx_status list_row(flx_particles *p, list *into, int i)
{
    int class = flx_particle_size_class(p, p->x[i].w);
    for (int c = class; c >= 0; c--) {
        const flx_particle_grid *g = p->grids + c;
        if (g->count == 0) continue;
        look l = {.grid = g,
                  .list = into,
                  .i = i,
                  .skin = 0.5 * (p->grids[class].skin + g->skin),
                  .own = c == class};
        l.at[0] = flx_particle_cell_along(p, g, 0, p->x[i].x);
        l.at[1] = flx_particle_cell_along(p, g, 1, p->x[i].y);
        l.at[2] = flx_particle_cell_along(p, g, 2, p->x[i].z);
        FLX_TRY(p->repeats ? list_round(p, &l) : list_rows(p, &l));
    }
    return FLX_OK;
}

static flx_status list_rows_of(flx_particles *p, list *into, int from, int to)
{
    for (int i = from; i < to; i++) {
        p->start[i] = into->n;
        FLX_TRY(list_row(p, into, i));
    }
    return FLX_OK;
}

static void list_part(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    list own = {.n = ROOM * from, .end = ROOM * to};
    flx_status status = list_rows_of(p, &own, from, to);
    p->parts[part].listed = status == FLX_OK ? own.n - ROOM * from : -1;
}

// What the parts listed, moved together. false: some had too little room.
static bool join_parts(flx_particles *p)
{
    int n = 0;
    for (int k = 0; k < p->threads; k++) {
        if (p->parts[k].listed < 0) return false;
    }
    for (int k = 0; k < p->threads; k++) {
        int from, to;
        flx_particle_range(p->n, k, p->threads, &from, &to);
        int back = ROOM * from - n, listed = p->parts[k].listed;
        memmove(p->second + n, p->second + ROOM * from, (size_t)listed * sizeof *p->second);
        for (int i = from; i < to && back > 0; i++) p->start[i] -= back;
        n += listed;
    }
    p->npair = n;
    return true;
}

static flx_status list_alone(flx_particles *p)
{
    list all = {.alone = true};
    FLX_TRY(list_rows_of(p, &all, 0, p->n));
    p->npair = all.n;
    return FLX_OK;
}

static void recall_part(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            recall(p, p->order[i], p->order[p->second[k]], k);
    }
}

static flx_status list_pairs(flx_particles *p)
{
    bool room = p->team && p->pair_capacity / ROOM >= p->n;
    if (room) flx_particle_team_run(p->team, list_part, p);
    if (!room || !join_parts(p)) FLX_TRY(list_alone(p));
    p->start[p->n] = p->npair;
    flx_particle_team_run(p->team, recall_part, p);
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
    FLX_TRY(keep_contacts(p));
    FLX_TRY(flx_particles_sort(p));
    memset(p->leaves, 0, (size_t)before * sizeof *p->leaves);
    p->nleaving = 0;
    FLX_TRY(list_pairs(p));
    FLX_TRY(flx_particles_list_walls(p, before));
    for (int i = 0; i < p->threads; i++) p->moved[i] = 0.0;
    p->rebuilds++;
    return FLX_OK;
}
