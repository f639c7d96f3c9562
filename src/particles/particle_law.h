// particle_law.h - the force between two spheres that overlap: Hertz and Mindlin with memory, damping, friction, rolling.
//
// With the reduced radius R*, reduced mass m*, overlap d, n from the second to the first, a = sqrt(R* d):
//     F  = max(0, 4/3 E* a d + c d'),  c = 2 sqrt(5/6) beta sqrt(2 E* a m*)                          (DEM-1)
//     T <- T in the new tangent plane, T sqrt(d/d_old) where d falls, T - k_t u_t h,  k_t = 8 G* a     (DEM-2)
//     F_t = T - c_t u_t, c_t with k_t for 2 E* a; |F_t| > f F: F_t shortened, T = F_t + c_t u_t
//     M  = -min(f_r R* F, I* |s|) s/|s|,  s = w_t/h - k Q,  w_t: relative angular velocity across n    (DEM-3)
// k Q: what F_t adds to it per time, so that rolling is held where it can be, and never turned back.
// The force T of the spring is kept, not its stretch: load cycles gain no energy. beta follows from the restitution of
// (DEM-1) itself (contact/damped_hertz.h).
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct flx_particle_law {
    double E, G; // of two equal materials: 1/E* = 2 (1 - nu^2)/E, 1/G* = 4 (2 - nu)(1 + nu)/E
    double beta, friction, rolling, step;
    double damping, share, per_step; // 2 sqrt(5/6) beta; sqrt(k_t/(2 E* a)); 1/step
} flx_particle_law;

typedef struct flx_particle_memory {
    double T[3], depth; // spring force on the first, and the overlap, of the last step that touched
} flx_particle_memory;

typedef struct flx_vec3 {
    double x, y, z;
} flx_vec3;

static inline flx_vec3 flx_vec3_add(flx_vec3 a, double s, flx_vec3 b)
{
    return (flx_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline flx_vec3 flx_vec3_scale(double s, flx_vec3 a)
{
    return (flx_vec3){s * a.x, s * a.y, s * a.z};
}

static inline double flx_vec3_dot(flx_vec3 a, flx_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline flx_vec3 flx_vec3_cross(flx_vec3 a, flx_vec3 b)
{
    return (flx_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A contact that touches, and what the law makes of it. Between: the law has no branch, so that compilers take several contacts at once.
typedef struct flx_particle_contact {
    double R, m, inertia; // reduced radius, mass, moment of inertia
    double k;             // arm over inertia of the first less that of the second
    double d, old; // overlap now and in the step before; old of a new contact: any number above 0
    flx_vec3 n, u,
        w; // from the second to the first; velocity there and angular velocity of the first relative to the second
    flx_vec3 T;       // in: of the step before, of a new contact 0; out: now
    flx_vec3 F, Q, M; // out, on the first: force, n x F_t, rolling moment
} flx_particle_contact;

__attribute__((always_inline)) static inline void flx_particle_force(const flx_particle_law *l,
                                                                     flx_particle_contact *c)
{
    double a = sqrt(c->R * c->d), un = flx_vec3_dot(c->u, c->n);
    double kn = 2.0 * l->E * a, kt = 8.0 * l->G * a;
    double cn = l->damping * sqrt(kn * c->m), N = (2.0 / 3.0) * kn * c->d - cn * un;
    N = N < 0.0 ? 0.0 : N;
    flx_vec3 ut = flx_vec3_add(c->u, -un, c->n);
    double t2 = flx_vec3_dot(c->T, c->T), tn = flx_vec3_dot(c->T, c->n), left = t2 - tn * tn;
    double least = c->d < c->old ? c->d : c->old; // one root and one division for both
    double turned = sqrt(t2 * least / (left > 0.0 ? left * c->old : 1.0));
    turned = left > 0.0 ? turned : 0.0;
    flx_vec3 T = flx_vec3_scale(turned, flx_vec3_add(c->T, -tn, c->n));
    T = flx_vec3_add(T, -(kt * l->step), ut);
    double ct = cn * l->share, most = l->friction * N;
    flx_vec3 Ft = flx_vec3_add(T, -ct, ut);
    double slip2 = flx_vec3_dot(Ft, Ft);
    bool slips = slip2 > most * most;
    double shorter = most / sqrt(slips ? slip2 : 1.0);
    shorter = slips ? shorter : 1.0;
    Ft = flx_vec3_scale(shorter, Ft);
    flx_vec3 kept = flx_vec3_add(Ft, ct, ut);
    c->T.x = slips ? kept.x : T.x;
    c->T.y = slips ? kept.y : T.y;
    c->T.z = slips ? kept.z : T.z;
    c->F = flx_vec3_add(Ft, N, c->n);
    c->Q = flx_vec3_cross(c->n, Ft);
    flx_vec3 across = flx_vec3_add(c->w, -flx_vec3_dot(c->w, c->n), c->n);
    flx_vec3 s = flx_vec3_add(flx_vec3_scale(l->per_step, across), -c->k, c->Q);
    double size2 = flx_vec3_dot(s, s), torque = l->rolling * c->R * N;
    bool held = torque * torque >= c->inertia * c->inertia * size2;
    double back = -torque / sqrt(held ? 1.0 : size2);
    c->M = flx_vec3_scale(held ? -c->inertia : back, s);
}
