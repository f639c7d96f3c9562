// scaled.h - stiff coordinates scaled so that what is fast can be read off one matrix.
//
// Of coordinates E with the stiffness K = R^T R and the mass M at rest initially,
//     z^ = S z,   S = (R^-T M R^-1)^(1/4) R                                               (CERT-8)
// has the mass M^ with eigenvalues 1/omega and the stiffness M^^-1, so that in
//     [ 0      G S^-1         ]
//     [ .      S^-T M S^-1    ]   (all velocities; S is the identity outside E)           (CERT-9)
// the smallest positive eigenvalues belong to the fastest motions. Where the eigenvector of the smallest one
// is nearly a coordinate and the next eigenvalue far away, that coordinate can be neglected.
#pragma once

#include "analyse/frozen.h"
#include "certify/pilot.h"

typedef struct flx_scaling {
    int n;
    const int *E;    // (n) borrowed
    double *inverse; // (n x n) S^-1, the arena's
} flx_scaling;

// From the equations at rest. FLX_SINGULAR without a message: E is not stiff, or has no mass.
flx_status flx_scaling_find(const flx_frozen *f, int n, const int *E, flx_arena *arena,
                            flx_scaling *out);

// The same for what a model scales, with a message.
flx_status flx_scaling_take(const flx_frozen *f, const flx_model *model, int n, const int *E,
                            flx_arena *arena, flx_scaling *out);

typedef struct flx_scaled {
    double first, second; // smallest positive eigenvalues
    int coordinate;       // velocity that the first one's eigenvector is nearest to
    double distance;      // of the two, both of length one
} flx_scaled;

flx_status flx_scaled_find(const flx_frozen *f, const flx_scaling *scaling, flx_scaled *out);

// Along a pilot of the full model, for the coordinates that the model scales.
typedef struct flx_scaled_course {
    flx_scaled start;
    double narrowest, widest; // second over first
    bool same;                // the eigenvector is nearest to one coordinate everywhere
} flx_scaled_course;
// FLX_ERR_CANNOT with a message: what is to be scaled is not stiff.
flx_status flx_scaled_course_find(const flx_simulation *full, const flx_model *model,
                                  const flx_pilot *p, flx_scaled_course *out);
