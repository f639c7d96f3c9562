// particles_data.h - a set of particles as the user said it: who there is at the start, who comes and leaves, walls, and where the numbers are
// that it exchanges with the equations.
#pragma once

#include "base/common.h"
#include "model/contact_data.h"

// Sums over all particles that are signals, in the order of discrete variables.
typedef enum flx_particle_sum {
    FLX_SUM_COUNT,
    FLX_SUM_MASS,
    FLX_SUM_CONTACTS,
    FLX_SUM_KINETIC,
    FLX_SUM_POTENTIAL,
    FLX_SUM_ELASTIC,
    FLX_SUM_SUPPLIED,
    FLX_SUM_DISSIPATED,
    FLX_SUM_DEFECT,
    FLX_SUM_GONE,
    FLX_SUM_SPEED,
    FLX_SUM_CENTRE,
    FLX_SUM_VELOCITY = FLX_SUM_CENTRE + 3,
    FLX_SUM_MOMENTUM = FLX_SUM_VELOCITY + 3,
    FLX_SUM_ANGULAR = FLX_SUM_MOMENTUM + 3,
    FLX_SUMS = FLX_SUM_ANGULAR + 3
} flx_particle_sum;

// What a wall says of its motion: place of the centre of mass, two axes, velocity, angular velocity; and what it is given: force, and moment about
// the origin.
#define FLX_WALL_POSE 15
#define FLX_WALL_LOAD 6

typedef enum flx_region_kind {
    FLX_REGION_BOX,      // size: half edges
    FLX_REGION_CYLINDER, // size: radius, half length
    FLX_REGION_SPHERE,   // size: radius
    FLX_REGION_PLANE,    // what is behind it
} flx_region_kind;

typedef struct flx_region {
    flx_region_kind kind;
    double at[3], axis[3], size[3];
    double spacing; // 0: by the radii
    uint64_t seed;
    double rate, velocity[3], start, until; // until: HUGE_VAL: the end
    flx_loc loc;
} flx_region;

typedef struct flx_particle_class {
    double fraction, density; // fraction: of all, summed up to 1
    bool normal;
    double mean, deviation, least, most;
} flx_particle_class;

typedef struct flx_particle_wall {
    const char *name;
    int body; // FLX_BODY_GROUND
    bool inside;
    int pose, load; // numbers of discrete variables; -1: of the ground
    int nsurface;
    const flx_surface **surfaces; // from the centre of mass, body axes
    flx_loc loc;
} flx_particle_wall;

typedef struct flx_particles_block {
    const char *name;
    flx_loc loc;
    int event, sums; // the clock of the exchange; number of the first discrete variable of the sums
    int nclass;
    flx_particle_class *classes;
    double E, nu, restitution, friction, rolling;
    double period[3], period_from[3];
    double fastest;        // of the speeds at the start
    double step, exchange; // as it is made: exchange is a whole number of steps
    int threads;
    int count;
    double *positions, *radii, *densities; // (3 count) (count) (count)
    double *velocities, *spins;            // (3 count), NULL: 0
    int nwall;
    flx_particle_wall *walls;
    int ninlet, noutlet;
    flx_region *inlets, *outlets;
} flx_particles_block;

// Random numbers of a sequence that is the same everywhere: in [0, 1).
static inline double flx_sequence_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// A radius of the distribution; *density: of its class. particle_sizes.c
double flx_particle_radius(const flx_particles_block *b, uint64_t *sequence, double *density);
double flx_particle_largest(const flx_particles_block *b);
// How far a place is inside of a region; negative: outside.
double flx_region_depth(const flx_region *r, const double x[3]);
// Radius of a ball about `at` that has all of it, without end of a plane.
double flx_region_reach(const flx_region *r);
