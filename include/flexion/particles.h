// flexion/particles.h - particles: spheres with friction and rolling resistance, between each other and on walls that stand or are moved.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_particles flx_particles;

typedef struct flx_particles_def {
    int count;
    const double *positions;          // (3 count)
    const double *velocities, *spins; // (3 count), NULL: at rest
    const double *radii;              // (count)
    double density, E, nu;            // of particles and walls
    double restitution;               // of a head-on impact, 0.05 to 1
    double friction, rolling;         // coefficients; rolling: of the reduced radius
    double gravity[3];
    double step;             // s; 0: flx_particles_longest_step
    int threads;             // 0: 1. The number of threads changes no bit of the result.
    const double *densities; // (count), NULL: all have `density`
    double period[3],
        period_from[3]; // along each axis: a box that repeats itself, from there on; 0: it does not
} flx_particles_def;

// FLX_ERR_ARGUMENT: a number that no particle has, or a step that is too long, with a message.
FLX_API flx_status flx_particles_create(flx_ctx *ctx, const flx_particles_def *def,
                                        flx_particles **out);
FLX_API void flx_particles_destroy(flx_particles **p);
// A fifth of the time that a wave takes over the smallest particle, and less where the restitution is below 0.6: damping needs shorter steps; and a
// twentieth of the contact of two of the smallest that meet with the largest of the velocities.
FLX_API double flx_particles_longest_step(const flx_particles_def *def);

// Walls have a frame, which is the ground's until it is moved; planes and cylinders are given in it. Its number, or -1.
FLX_API int flx_particles_add_wall(flx_particles *p);
// Particles are on the side of the normal.
FLX_API flx_status flx_particles_add_plane(flx_particles *p, int wall, const double point[3],
                                           const double normal[3]);
// A tube without end about an axis: particles are inside.
FLX_API flx_status flx_particles_add_tube(flx_particles *p, int wall, const double point[3],
                                          const double axis[3], double radius);
// Surfaces by their axes in the frame of the wall (columns, row-major), which is their third where they have one.
typedef enum flx_wall_kind {
    FLX_WALL_PLANE, // particles are on the side of the axis
    FLX_WALL_TUBE,  // inside, radius size[0], without end
    FLX_WALL_SHELL, // inside of a capsule: radius size[0], half length of the axis size[1], 0: a sphere
    FLX_WALL_CAPSULE,  // outside of the same
    FLX_WALL_CYLINDER, // outside: radius size[0], half length size[1]
    FLX_WALL_BOX,      // outside: half edges
    FLX_WALL_TRIANGLE, // both sides: flx_particles_add_triangle
} flx_wall_kind;
// skin: radius by which it is rounded, outwards.
FLX_API flx_status flx_particles_add_surface(flx_particles *p, int wall, flx_wall_kind kind,
                                             const double point[3], const double axes[9],
                                             const double size[3], double skin);
// A triangle, of which particles are on both sides; corners (3 x 3). Neighbours count as one surface.
FLX_API flx_status flx_particles_add_triangle(flx_particles *p, int wall, const double corners[9]);
// Where the frame is (R: its axes as columns, row-major), and how it moves: it goes on so until it is moved again.
FLX_API void flx_particles_move_wall(flx_particles *p, int wall, const double position[3],
                                     const double R[9], const double velocity[3],
                                     const double angular_velocity[3]);
// So many steps, each of flx_particles_step_size.
FLX_API flx_status flx_particles_run(flx_particles *p, long steps);

// Particles that come; their velocities and densities may be NULL. FLX_ERR_ARGUMENT: the step is too long for them.
FLX_API flx_status flx_particles_add(flx_particles *p, int count, const double *positions,
                                     const double *velocities, const double *radii,
                                     const double *densities);
// Those for which `gone` is not 0 leave with the next step; how many.
typedef int flx_particles_gone(void *user, const double position[3], double radius);
FLX_API int flx_particles_remove(flx_particles *p, flx_particles_gone *gone, void *user);
// How many particles there are, and the step in seconds.
FLX_API int flx_particles_count(const flx_particles *p);
FLX_API double flx_particles_step_size(const flx_particles *p);
// In the order in which they came. NULL: not asked for. labels: the number of each, which it keeps when others leave.
FLX_API void flx_particles_get_sizes(const flx_particles *p, double *radii, long *labels);
FLX_API void flx_particles_get(const flx_particles *p, double *positions, double *velocities,
                               double *spins);
typedef struct flx_particles_sums {
    double time;
    long steps, rebuilds;                    // of the list of neighbours
    long contacts;                           // that touch, walls included
    double kinetic;                          // energy
    double momentum[3], angular_momentum[3]; // about the origin
    long count;
    double mass, centre[3]; // centre of mass
    double potential,
        elastic; // energy: of gravity (which goes on through a box that repeats itself), of the springs of contacts
    double fastest;                // speed
    double gone_mass, gone_energy; // of those that left
    double overlap;                // the deepest one, over the smaller radius
} flx_particles_sums;
FLX_API flx_particles_sums flx_particles_sum(const flx_particles *p);
// Impulse and angular impulse (about the origin) that the particles have given to a wall since the start.
FLX_API void flx_particles_wall_impulse(const flx_particles *p, int wall, double impulse[3],
                                        double angular[3]);
// Work that they have done on it.
FLX_API double flx_particles_wall_work(const flx_particles *p, int wall);

#ifdef __cplusplus
}
#endif
