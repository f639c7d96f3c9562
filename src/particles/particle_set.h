// particle_set.h - inside of a set of particles.
//
//     particle_set.c     making, particles that come and go
//     particle_sums.c    what users ask
//     particle_cells.c   grids of cells by classes of size, order of the particles
//     particle_lists.c   neighbours, what their contacts remember
//     particle_near.c    walls that are near
//     particle_surfaces.c walls and their surfaces are added
//     particle_walls.c   walls: distances, their contacts and impulses
//     particle_pairs.c   forces of pairs
//     particle_step.c    a step: motion
//     particle_memory.c  all that the next step takes over, as bytes
//     particle_team.c    threads
//
// Particles are in the order of their cells, small ones first. Pairs (i, j), i < j, are rows of i.
#pragma once

#include "base/common.h"
#include "flexion/particles.h"
#include "particles/particle_law.h"

#include <stdatomic.h>

typedef struct flx_particle_team flx_particle_team;

typedef struct flx_vec4 {
    double x, y, z,
        w; // w of a place: the radius; of a velocity: 1/mass; of a spin: 1/moment of inertia
} flx_vec4;

// What a pair gives to its second particle, where that is of another chunk.
typedef struct flx_particle_share {
    double F[3], M[3];
    int second;
} flx_particle_share;

// Rows from `row` to that of the next chunk.
typedef struct flx_particle_chunk {
    int row, reach;   // reach: the last particle of another chunk that it has pairs with
    int shares, used; // its first share, and how many were given in this step
} flx_particle_chunk;

// What one thread finds of its part: bounds, farthest square, pairs that it listed (-1: more than it has room for), contacts.
typedef struct flx_particle_part {
    double low[3], high[3], far;
    int listed, kept;
} flx_particle_part;

#define FLX_PARTICLE_CLASSES 8
#define FLX_PARTICLE_CELLS 4 // per particle, and 1000 per class: sparse sets take larger cells

// Cells of one class of sizes: radii up to the largest over 2^class, and above half of that.
typedef struct flx_particle_grid {
    double size, inverse[3];
    double skin; // of its particles; they are looked at again when one has moved by half of it
    int cells[3], first, count; // first: of its cells in cell_start; count: of particles
} flx_particle_grid;

typedef struct flx_wall_surface {
    flx_wall_kind kind;
    int wall;
    double point[3], axes[9]; // in the wall's frame; axes as columns, row-major
    double size[3], skin, corner[4];
    double place[3], now[9]; // point and axes now
} flx_wall_surface;

typedef struct flx_wall {
    double position[3], R[9], velocity[3], spin[3];
    double impulse[3], angular[3], work;
    double force[3], moment[3]; // on it in the last step, about the origin
    bool moves;
} flx_wall;

// Of a particle and a surface that are near; those of a particle are neighbours in the list.
typedef struct flx_wall_touch {
    int particle, surface;
    bool judged;
    bool touches;
    flx_particle_memory memory; // depth 0: did not touch
    double F[3], M[3];          // on the particle: force and moment,
    double rolling[3];          // of that the resistance to rolling
    double depth, next[3];      // and normal of this step,
    double normal[3];           // of the last one that touched
    double at[3]; // where it touches; before, the image of the particle beside the wall
} flx_wall_touch;

struct flx_particles {
    flx_ctx *ctx;
    int n, threads, capacity, asked;
    double step, gravity[3];
    double skin, largest, least; // skin: of the largest; radii
    double density,
        wave; // of particles that come; the longest step over radius and root of the density
    double period[3], from[3]; // of a box that repeats itself, 0: it does not; its lowest corner
    bool repeats;
    flx_particle_law law;
    long steps, rebuilds;
    double time;
    // (n) in the order of cells
    flx_vec4 *x, *v, *w, *kept; // kept: places at the last rebuild, and 1/skin^2
    double *f, *t;              // (3 n) forces and torques over mass and inertia of the last step
    double *fn, *tn;            // ... of this one
    int *id;                    // place in the order of age
    bool *leaves;               // at the next rebuild
    int nleaving;
    double gone_mass, gone_energy;
    double
        round_energy; // of gravity: what the box takes away where it puts particles back to its beginning
    long made;        // so many in all
    long *label; // (n) in the order of age: which of them
    // neighbours of row i: start[i] .. start[i + 1]
    int *start, *second, npair, pair_capacity;
    unsigned *touched; // (npair) the step in which they touched last
    flx_particle_memory *memory;
    flx_particle_chunk *chunks;
    int nchunk, chunk_capacity;
    flx_particle_share *shares;
    int share_capacity;
    // cells
    double low[3];
    flx_particle_grid grids[FLX_PARTICLE_CLASSES]; // 0: of the largest
    int nclass, ncell, cell_capacity;
    int *cell_start, *cell_of, *order;
    int nsurface, nwall, surface_capacity, wall_capacity;
    flx_wall_surface *surfaces;
    flx_wall *walls;
    int ntouch, touch_capacity;
    flx_wall_touch *touches, *old_touches;
    int old_touch_capacity;
    int (*near)[2], nnear, near_capacity; // particle and surface, of the list that is made
    int *touch_start;                     // (n + 1) of the old ones, by particle
    double reach,
        wall_way; // of the farthest particle from the origin; way of the walls since the last rebuild
    double *moved; // (threads) largest square of a way since then
    flx_particle_team *team;
    flx_particle_part *parts; // (threads) what each of them finds in a rebuild
    atomic_int *turn;         // (threads) how many of its chunks are taken
    // what a rebuild needs; old: contacts that touched, in the order before
    flx_vec4 *spare4;
    double *spare3;
    int *spare1, *old_start, *old_second, old_capacity;
    flx_particle_memory *old_memory;
};

// The share of a part of n.
static inline void flx_particle_range(int n, int part, int parts, int *from, int *to)
{
    *from = (int)((long)n * part / parts);
    *to = (int)((long)n * (part + 1) / parts);
}

// From one particle to the nearest image of another.
static inline void flx_particle_nearest(const flx_particles *p, double d[3])
{
    for (int c = 0; c < 3; c++) {
        if (p->period[c] > 0.0) d[c] -= p->period[c] * nearbyint(d[c] / p->period[c]);
    }
}

// The class of a radius.
static inline int flx_particle_size_class(const flx_particles *p, double radius)
{
    int c = 0;
    for (double r = 0.5 * p->largest; c + 1 < p->nclass && radius <= r; r *= 0.5) c++;
    return c;
}

// particle_cells.c
flx_status flx_particles_sort(flx_particles *p); // into the order of cells
int flx_particle_cell_along(const flx_particles *p, const flx_particle_grid *g, int k, double x);

// particle_lists.c
bool flx_particles_moved(const flx_particles *p); // something has moved by half of its skin
flx_status flx_particles_rebuild(flx_particles *p);

// particle_near.c: the walls near each particle; before: how many particles there were.
flx_status flx_particles_list_walls(flx_particles *p, int before);

// particle_pairs.c
void flx_particles_push(flx_particles *p);
flx_status flx_particles_divide(flx_particles *p); // into chunks, when the list is new

// particle_set.c
flx_status flx_particles_room(flx_particles *p, int need);
flx_status flx_particles_pair_room(flx_particles *p, int need);
// An array that need not be cleared, with what it had.
flx_status flx_particles_ensure(flx_particles *p, void **array, int *capacity, int need,
                                size_t size);

// particle_start.c: refuses particles that overlap deeply, or begin inside of a wall
flx_status flx_particles_check_start(flx_particles *p, flx_loc loc);

// particle_walls.c
void flx_wall_place(flx_particles *p, int surface);
void flx_walls_move(flx_particles *p);
// Contacts of the particles from .. to - 1 with walls, and their forces; then what they give to the walls.
void flx_walls_touch(flx_particles *p, int from, int to);
void flx_walls_push(flx_particles *p);
// Distance of a place from a surface and the direction from it.
double flx_wall_distance(const flx_wall_surface *s, const double x[3], double n[3]);
// Reduced radius of a sphere on it.
double flx_wall_radius(const flx_wall_surface *s, double r);
bool flx_wall_bounds(const flx_wall_surface *s, double low[3], double high[3]);
// Of the nearest image of a place in a box that repeats itself, which is at `image`, for a particle that reaches so far.
double flx_wall_distance_round(const flx_particles *p, int surface, const double x[3], double far,
                               double n[3], double image[3]);

// particle_memory.c
struct flx_memory;
void flx_particles_memory(flx_particles *p, struct flx_memory *m);

// particle_team.c: work(user, part, parts) by each of the threads; the caller is one of them.
flx_particle_team *flx_particle_team_create(flx_ctx *ctx, int threads);
void flx_particle_team_destroy(flx_particle_team **team);
void flx_particle_team_run(flx_particle_team *team, void (*work)(void *user, int part, int parts),
                           void *user);
