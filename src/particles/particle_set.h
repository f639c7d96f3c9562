// particle_set.h - inside of a set of particles.
//
//     particle_set.c       making, walls, what users ask
//     particle_lists.c  cells, order of the particles, neighbours, what their contacts remember
//     particle_step.c   a step: motion, forces of pairs and walls
//     particle_team.c   threads
//
// Particles are in the order of their cells. Pairs (i, j), i < j, are rows of i. One thread adds a pair's force to both at once; several write
// it into the pair's slot, and each particle then adds its slots in the same order: what came from smaller numbers first, then its own row.
#pragma once

#include "base/common.h"
#include "flexion/particles.h"
#include "particles/particle_law.h"

typedef struct flx_particle_team flx_particle_team;

typedef struct flx_vec4 {
    double x, y, z,
        w; // w of a place: the radius; of a velocity: the mass; of a spin: the moment of inertia
} flx_vec4;

typedef struct flx_particle_slot {
    double F[3], Q[3], M[3]; // on the first; zero: nothing touches
    double arm[2];           // to the middle of the overlap
    bool touches;
} flx_particle_slot;

typedef enum flx_wall_kind { FLX_WALL_PLANE, FLX_WALL_TUBE } flx_wall_kind;

typedef struct flx_wall_surface {
    flx_wall_kind kind;
    int wall;
    double point[3], axis[3], radius; // in the wall's frame; axis: normal of a plane
    double place[3], direction[3];    // now
} flx_wall_surface;

typedef struct flx_wall {
    double position[3], R[9], velocity[3], spin[3];
    double impulse[3], angular[3];
    double force[3], moment[3]; // on it in the last step, about the origin
} flx_wall;

typedef struct flx_wall_touch {
    int particle, surface;
    flx_particle_memory memory;
    flx_particle_slot slot;
    double at[3];
} flx_wall_touch;

struct flx_particles {
    flx_ctx *ctx;
    int n, threads;
    double step, gravity[3], skin, largest;
    flx_particle_law law;
    long steps, rebuilds;
    double time;
    // (n) in the order of cells
    flx_vec4 *x, *v, *w, *kept; // kept: places at the last rebuild
    double *f, *t;              // (3 n) forces and torques over mass and inertia of the last step
    double *fn, *tn;            // ... of this one
    int *id;
    // neighbours of row i: start[i] .. start[i + 1]
    int *start, *second, npair, pair_capacity;
    flx_particle_memory *memory;
    flx_particle_slot *slots; // (npair) where there are threads
    int *in_start, *in;       // pairs in which a particle is the second, ascending
    // cells
    double low[3], size;
    int cells[3], ncell, cell_capacity;
    int *cell_start, *cell_of, *order;
    int nsurface, nwall, surface_capacity, wall_capacity;
    flx_wall_surface *surfaces;
    flx_wall *walls;
    int ntouch, touch_capacity;
    flx_wall_touch *touches, *old_touches;
    int old_touch_capacity;
    double reach,
        wall_way; // of the farthest particle from the origin; way of the walls since the last rebuild
    double *moved; // (threads) largest square of a way since then
    flx_particle_team *team;
    // what a rebuild needs
    flx_vec4 *spare4;
    double *spare3;
    int *spare1, *old_start, *old_second, old_capacity;
    flx_particle_memory *old_memory;
};

// particle_lists.c
bool flx_particles_moved(const flx_particles *p); // something has moved by half of the skin
flx_status flx_particles_rebuild(flx_particles *p);

// particle_step.c
void flx_particles_step(flx_particles *p);
void flx_wall_place(flx_particles *p, int surface);
// Distance of a place from a surface and the direction from it.
double flx_wall_distance(const flx_wall_surface *s, const double x[3], double n[3]);

// particle_team.c: work(user, part, parts) by each of the threads; the caller is one of them.
flx_particle_team *flx_particle_team_create(flx_ctx *ctx, int threads);
void flx_particle_team_destroy(flx_particle_team **team);
void flx_particle_team_run(flx_particle_team *team, void (*work)(void *user, int part, int parts),
                           void *user);
