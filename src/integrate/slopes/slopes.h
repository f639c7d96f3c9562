// slopes.h - derivatives of steps as they were made: how a small change at the beginning, or of a number in the equations,
// changes the end, and the transpose of that.
//
// With z what the method carries over a step and U the unknowns of the step, R(U, z_n, p) = 0, z_n+1 = Psi(U, z_n, p):
//     R_U dU = -(R_z dz_n + R_p dp),   dz_n+1 = Psi_U dU + Psi_z dz_n + Psi_p dp                        (SEN-1)
//     R_U^T eta = Psi_U^T w_n+1,   w_n = Psi_z^T w_n+1 - R_z^T eta,   dJ/dp = Psi_p^T w_n+1 - R_p^T eta    (SEN-2)
// Nothing is allocated but by create.
#pragma once

#include "base/common.h"
#include "flexion/extend/method_table.h"

typedef struct flx_slopes flx_slopes;

// FLX_ERR_CANNOT, with a message that says why: this method, or these settings, have no derivatives here.
flx_status flx_slopes_create(flx_integrator *it, flx_slopes **sl);
void flx_slopes_destroy(flx_slopes **sl);

// Whether its method chooses steps by their errors, and can be told those of another run instead (flx_method.frozen).
bool flx_slopes_can_follow(const flx_integrator *it);

// Numbers in dz; rows of equations of a step, and of each of the points that they are taken at: those of the system come first.
int flx_slopes_size(const flx_slopes *sl);
int flx_slopes_rows(const flx_slopes *sl);
int flx_slopes_stride(const flx_slopes *sl);

// What a step is known by: numbers for one step; what `it` knows after it has made one.
size_t flx_slopes_record_size(const flx_slopes *sl);
void flx_slopes_record(const flx_slopes *sl, flx_integrator *it, double *record);

// The equations of the step from `from` to `to`, (rows), of a system s with the same structure and other parameters.
flx_status flx_slopes_residuals(flx_slopes *sl, const flx_system *s, flx_work *work,
                                const flx_state *from, const flx_state *to, const double *record,
                                double *out);

// What a start at x for steps of length h makes of z, (size): numbers whose derivatives are dz. Positions are left zero.
flx_status flx_slopes_start(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                            double *z);

// The transpose of that, where positions, velocities and states that the run begins with are held. w (size): weights of z, and
// `first` (change size): of the state x itself, with its accelerations and multipliers. They become those of the equations of
// instants (instant.h): dJ/dp -= rp . eta of each. False: there is none, or not here.
enum { FLX_SLOPES_INSTANTS = 2 };
typedef struct flx_slopes_instants {
    int n;                              // that are used
    flx_state *at[FLX_SLOPES_INSTANTS]; // the caller's
    double *eta[FLX_SLOPES_INSTANTS];   // (unknowns of the system) the caller's
} flx_slopes_instants;
bool flx_slopes_has_start_t(const flx_slopes *sl, const flx_integrator *it);
flx_status flx_slopes_start_t(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                              const double *w, const double *first, flx_slopes_instants *out);
// Rows of the equations of an instant, of a system with the same structure and other parameters.
flx_status flx_slopes_instant(flx_slopes *sl, const flx_system *s, flx_work *work,
                              const flx_state *x, double *out);

// Whether changes and weights can be carried over events: z is a change of a state then.
bool flx_slopes_jumps(const flx_slopes *sl);
// Accelerations, rates, algebraic unknowns and multipliers of an instant at x: dz (2 nv + nx) of q, v, x, rows rp by a parameter,
// y (unknowns); and the transpose, w (2 nv + nx) is added to, eta (unknowns).
flx_status flx_slopes_change_instant(flx_slopes *sl, const flx_state *x, const double *dz,
                                     const double *rp, double *y);
flx_status flx_slopes_weigh_instant(flx_slopes *sl, const flx_state *x, const double *wy,
                                    double *eta, double *w);

// The step from `from` to `to`: linearised, and factored for one of the two.
flx_status flx_slopes_open(flx_slopes *sl, const flx_state *from, const flx_state *to,
                           const double *record, bool transposed);
// rp (rows): R_p dp, then what flx_slopes_install asks for. dz (size): at the beginning, then at the end.
flx_status flx_slopes_direct(flx_slopes *sl, double *rp, double *dz);
// w (size): at the end, then at the beginning. eta (rows): dJ/dp -= rp . eta.
flx_status flx_slopes_adjoint(flx_slopes *sl, double *w, double *eta);

// Makes the last step of `it` that of the record, moved by e times the change that flx_slopes_direct left in rp, with `change`
// that of the state at its beginning: values inside the step are then those of moved parameters.
flx_status flx_slopes_install(const flx_slopes *sl, flx_integrator *it, const double *record,
                              const double *rp, const double *change, double e);

// Whether values inside steps have weights of their own: then the state at `place`, in [0, 1], of the step, before joints are
// closed, and joints closed as `it` does (flx_method.own_normals); and, between flx_slopes_open and flx_slopes_adjoint, weights of its change, which
// the latter takes along. `weights` (change size) are overwritten.
bool flx_slopes_has_inside(const flx_slopes *sl);
void flx_slopes_inside(flx_slopes *sl, const flx_state *from, const double *record, double place,
                       flx_state *out);
flx_status flx_slopes_close(flx_slopes *sl, flx_integrator *it, flx_state *x);
void flx_slopes_weigh_inside(flx_slopes *sl, double place, double *weights);

// dz as a change of a state: out (2 nv + ...) in the order q (nv), v, a, x, dx, w, lam, mu; and the transpose: w += out.
int flx_slopes_change_size(const flx_system *s);
void flx_slopes_change(const flx_slopes *sl, const double *dz, double *out);
void flx_slopes_change_t(const flx_slopes *sl, const double *out, double *w);
// to = from moved by e times a change.
void flx_slopes_move(const flx_system *s, const flx_state *from, const double *change, double e,
                     flx_state *to);
// One change alone, number `at`, of a state `to` that differs from `from` in nothing else; theta (nv): 1 there, where that is in it.
void flx_slopes_move_one(const flx_system *s, const flx_state *from, int at, double e,
                         double *theta, flx_state *to);
// ... and the change that leads from one state to another.
void flx_slopes_between(const flx_system *s, const flx_state *from, const flx_state *to,
                        double *change);
