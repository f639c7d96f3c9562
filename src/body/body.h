// body.h - kernels of the bodies: mass, gyroscopic terms, weight, chart, energy. Each kernel runs
// over an array of one kind and writes to places that were found when the system was made.
#pragma once

#include "body/frame.h"
#include "flexion/extend/system_table.h"
#include "math/small.h"

// Where a body's numbers are, and its constants.
typedef struct flx_body_record {
    int frame; // number of its frame
    int q, v;  // first coordinate, first velocity
    int diag;  // offset of its diagonal block in the values of the tangent
    double m;
    double overweight; // of points: gravity acts on so much more than m
    double J[9];       // spatial: about the centre of mass, body axes; planar: [0]
} flx_body_record;

#define FLX_BODY_KINDS(X)                                                                          \
    X(RIGID, rigid, 7, 6)                                                                          \
    X(POINT, point, 3, 3)                                                                          \
    X(RIGID2, rigid2, 3, 3)                                                                        \
    X(POINT2, point2, 2, 2)

typedef enum flx_body_kind {
#define X(NAME, name, nq, nv) FLX_BODY_KIND_##NAME,
    FLX_BODY_KINDS(X)
#undef X
        FLX_N_BODY_KINDS
} flx_body_kind;

// Kinetic and potential energy and momenta are added to e.
#define X(NAME, name, nq, nv)                                                                      \
    void flx_##name##_frames(int n, const flx_body_record *b, const double *q, const double *v,    \
                             flx_frames f);                                                        \
    /* r = M a + gyroscopic terms - weight, overwritten */                                         \
    void flx_##name##_residual(int n, const flx_body_record *b, const double g[3],                 \
                               const double *v, const double *a, double *r);                       \
    /* adds M to A2 and the gyroscopic terms to A1 (NULL: not wanted) */                           \
    void flx_##name##_linearise(int n, const flx_body_record *b, const double *v, double *A1,      \
                                double *A2);                                                       \
    void flx_##name##_energy(int n, const flx_body_record *b, const double g[3], flx_frames f,     \
                             flx_energies *e);
FLX_BODY_KINDS(X)
#undef X

// Chart of the rigid body in space; the others are vector spaces.
void flx_rigid_retract(int n, const flx_body_record *b, const double *q, const double *theta,
                       double *out);
void flx_rigid_difference(int n, const flx_body_record *b, const double *q0, const double *q1,
                          double *theta);
