// bdf.h - backward differentiation by SUNDIALS' IDA, shared by its files: bdf.c the residual, the making
// and the steps; bdf_newton.c the linear solver behind IDA's Newton iteration; bdf_close.c the closing of
// joints.
#pragma once

#include "integrate/method.h"
#include "integrate/multistep/sundials.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"

#include <ida/ida.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

// For closing joints: of what steps report, and of values inside them, which leave no trace.
typedef struct bdf_joints {
    flx_saddle *saddle; // owned
    bool there, fresh;  // it is factored; at the state that is being closed
} bdf_joints;
enum { BDF_AT_STEPS, BDF_INSIDE, BDF_PLACES };

typedef struct bdf {
    flx_sundials sun; // y; other: y', which are differential, interpolated values
    void *ida;        // owned
    SUNLinearSolver solver;
    SUNMatrix matrix; // a handle: the values are in blocks
    int n, nb;        // unknowns of the system; constraints that are stabilised
    int v, u, eta;    // where velocities, the unknowns after them, and eta begin in y
    int ny;
    bool started;
    bool *stabilised; // (nlam)
    double rtol, atol;
    double h;                // the first step after a start
    double *tolerance;       // (n) absolute, of algebraic unknowns
    int *index;              // (n)
    flx_blocks blocks, near; // of the factors; for closing joints
    flx_blocks turning;      // A0: the rate of A0 along the motion, at the factors
    flx_linear *linear;
    flx_saddle *saddle; // NULL: no constraint is stabilised
    bdf_joints joints[BDF_PLACES];
    double *q;             // (nq) normalised
    double *r, *b, *s, *g; // (n or nq) (n) (n) (nlam or nq)
    double *speed;         // (nv) of the factors
    double *rest, *turn;   // (ny) what a solution leaves, and what that adds to it
    double *shift;         // (nv) ones
    double c;              // of the factors
    flx_state *trial;      // parameters of the step: switches
    flx_status trouble;    // of the last evaluation that failed
} bdf;

static inline void bdf_copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static inline double bdf_largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// bdf.c: q' = T(q) v; the point of y and y', with quaternions normalised in q of the method.
void flx_bdf_rate_of(const flx_system *s, const double *q, const double *v, double *dq);
flx_point flx_bdf_point_of(flx_integrator *it, double t, const double *y, const double *yp);

// bdf_newton.c: the matrix and the solver that IDA is given, and the function that fills and factors.
bool flx_bdf_make_matrix(flx_integrator *it);
int flx_bdf_fill(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *user,
                 N_Vector a1, N_Vector a2, N_Vector a3);

// bdf_close.c: what is reported meets the joints to rounding, whatever the tolerance: nearest
// positions, then velocities. The history of the method is not touched.
flx_status flx_bdf_close_joints(flx_integrator *it, flx_state *x, bdf_joints *j);
