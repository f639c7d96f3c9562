// modal.h - the inertia, weight and elasticity of a body in a floating frame. The frame is a body
// without mass of its own, with the velocities (v, w) of every body; the elastic coordinates are
// unknowns beside it. These kernels add what the material does.
#pragma once

#include "body/frame.h"
#include "flexion/extend/system_table.h"
#include "math/small.h"
#include "reduce/elastic.h"

typedef struct flx_modal_data {
    const flx_elastic *e;
    int frame;     // number of the frame
    int v;         // its first velocity
    int q, u;      // first elastic coordinate, first elastic velocity
    int at[2][2];  // offsets of the tangent's blocks: frame, coordinates
    double *reach; // (n) how far one unit moves a node at most, as a part of the body's size
} flx_modal_data;

// Numbers of scratch that a body of n coordinates needs, with grains or without: of these a field of 4, the
// rows of B and of the derivatives of a (6 + n each) and n slopes, for a chunk, and 4 rows of coefficients.
#define FLX_MODAL_SCRATCH(n, ngrain)                                                               \
    (21 * (n) + ((ngrain) > 0 ? 3 * FLX_CHUNK * (3 * (n) + 16) + 4 * FLX_GRAIN_ROWS(n) : 0))

// What is evaluated where: the elastic parts of a point.
typedef struct flx_modal_point {
    const double *q, *v, *a;
    const double *g; // gravity
    double *scratch; // as many numbers as the largest body needs
} flx_modal_point;

// out (n x width) += T_l x_l, T (n x n x width); four at a time, which writes a sum a quarter as often
static inline void flx_modal_add_along(int n, int width, const double *restrict T,
                                       const double *restrict x, double *restrict out)
{
    int size = n * width, l = 0;
    for (; l + 4 <= n; l += 4, T += 4 * size) {
        const double *T1 = T + size, *T2 = T1 + size, *T3 = T2 + size;
        double a = x[l], b = x[l + 1], c = x[l + 2], d = x[l + 3];
        for (int i = 0; i < size; i++) out[i] += (a * T[i] + b * T1[i]) + (c * T2[i] + d * T3[i]);
    }
    for (; l < n; l++, T += size) {
        double c = x[l];
        for (int i = 0; i < size; i++) out[i] += c * T[i];
    }
}

#define FLX_MODAL_KERNELS(name, frame_type)                                                        \
    /* adds M a + velocity terms - weight + elastic forces */                                      \
    void flx_##name##_residual(int n, const flx_modal_data *b, const frame_type *f,                \
                               const flx_modal_point *p, double *r);                               \
    /* adds to A0, A1 (NULL: not wanted) and A2 */                                                 \
    void flx_##name##_linearise(int n, const flx_modal_data *b, const frame_type *f,               \
                                const flx_modal_point *p, double *A0, double *A1, double *A2);     \
    void flx_##name##_energy(int n, const flx_modal_data *b, const frame_type *f,                  \
                             const flx_modal_point *p, flx_energies *e);                           \
    /* adds M v */                                                                                 \
    void flx_##name##_momentum(int n, const flx_modal_data *b, const frame_type *f,                \
                               const flx_modal_point *p, double *Mv);                              \
    /* adds M' v - ad*_v (M v), see flx_lagrangian */                                              \
    void flx_##name##_transport(int n, const flx_modal_data *b, const frame_type *f,               \
                                const flx_modal_point *p, double *out);
FLX_MODAL_KERNELS(modal, flx_frame)
FLX_MODAL_KERNELS(modal2, flx_frame2)
