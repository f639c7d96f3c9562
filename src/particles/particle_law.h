// particle_law.h - the force between two spheres that overlap: Hertz and Mindlin with memory, damping, friction, rolling.
//
// With the reduced radius R*, reduced mass m*, overlap d, n from the second to the first, a = sqrt(R* d):
//     F  = max(0, 4/3 E* a d + c d'),  c = 2 sqrt(5/6) beta sqrt(2 E* a m*)                          (DEM-1)
//     T <- T in the new tangent plane, T sqrt(d/d_old) where d falls, T - k_t u_t h,  k_t = 8 G* a     (DEM-2)
//     F_t = T - c_t u_t, c_t with k_t for 2 E* a; |F_t| > f F: F_t shortened, T = F_t + c_t u_t
//     M  = -min(f_r R* F, I* |s|) s/|s|,  s = w_t/h - k Q,  w_t: relative angular velocity across n    (DEM-3)
// k Q: what F_t adds to it per time, so that rolling is held where it can be, and never turned back.
// The force T of the spring is kept, not its stretch: load cycles gain no energy. beta follows from the restitution of
// (DEM-1) itself, which is larger than that of the law that may pull.
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct flx_particle_law {
    double E, G; // of two equal materials: 1/E* = 2 (1 - nu^2)/E, 1/G* = 4 (2 - nu)(1 + nu)/E
    double beta, friction, rolling, step;
    double damping, share, per_step; // 2 sqrt(5/6) beta; sqrt(k_t/(2 E* a)); 1/step
} flx_particle_law;

typedef struct flx_particle_memory {
    double T[3],
        depth; // spring force on the first, and the overlap of the last step; 0: did not touch
} flx_particle_memory;

// beta for a restitution e: (DEM-1) from one impact to the next; the restitution of beta.
double flx_particle_restitution(double beta);
double flx_particle_beta(double e);

// Force F and torque about n x F_t: Q = n x F_t, rolling torque M, all on the first; u: velocity of the first relative to the
// second where they touch, w: relative angular velocity. inertia: reduced moment of inertia, k: arm over inertia of the
// first less that of the second. Returns the normal force.
__attribute__((always_inline)) static inline double
flx_particle_force(const flx_particle_law *l, double R, double m, double inertia, double k,
                   double d, const double n[3], const double u[3], const double w[3],
                   flx_particle_memory *h, double F[3], double Q[3], double M[3])
{
    double a = sqrt(R * d), un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
    double kn = 2.0 * l->E * a, kt = 8.0 * l->G * a;
    double cn = l->damping * sqrt(kn * m), N = (2.0 / 3.0) * kn * d - cn * un;
    if (N < 0.0) N = 0.0;
    double ut[3] = {u[0] - un * n[0], u[1] - un * n[1], u[2] - un * n[2]}, *T = h->T;
    if (h->depth > 0.0) {
        double t2 = T[0] * T[0] + T[1] * T[1] + T[2] * T[2];
        if (t2 > 0.0) {
            double tn = T[0] * n[0] + T[1] * n[1] + T[2] * n[2];
            double left = t2 - tn * tn;
            if (d < h->depth) { // one root and one division for both
                t2 *= d;
                left *= h->depth;
            }
            double s = left > 0.0 ? sqrt(t2 / left) : 0.0;
            for (int i = 0; i < 3; i++) T[i] = s * (T[i] - tn * n[i]);
        }
    } else {
        T[0] = T[1] = T[2] = 0.0;
    }
    double ct = cn * l->share, Ft[3];
    for (int i = 0; i < 3; i++) {
        T[i] -= kt * l->step * ut[i];
        Ft[i] = T[i] - ct * ut[i];
    }
    double most = l->friction * N, slip2 = Ft[0] * Ft[0] + Ft[1] * Ft[1] + Ft[2] * Ft[2];
    if (slip2 > most * most) {
        double s = most / sqrt(slip2);
        for (int i = 0; i < 3; i++) {
            Ft[i] *= s;
            T[i] = Ft[i] + ct * ut[i];
        }
    }
    h->depth = d;
    for (int i = 0; i < 3; i++) F[i] = N * n[i] + Ft[i];
    Q[0] = n[1] * Ft[2] - n[2] * Ft[1];
    Q[1] = n[2] * Ft[0] - n[0] * Ft[2];
    Q[2] = n[0] * Ft[1] - n[1] * Ft[0];
    M[0] = M[1] = M[2] = 0.0;
    if (l->rolling > 0.0) {
        double wn = w[0] * n[0] + w[1] * n[1] + w[2] * n[2], back = l->per_step, q[3];
        for (int i = 0; i < 3; i++) q[i] = back * (w[i] - wn * n[i]) - k * Q[i];
        double size2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
        double torque = l->rolling * R * N;
        bool held = torque * torque >= inertia * inertia * size2; // no root
        double s = held ? -inertia : -torque / sqrt(size2);
        for (int i = 0; i < 3; i++) M[i] = s * q[i];
    }
    return N;
}
