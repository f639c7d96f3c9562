// instant.h - the equations of an instant, linearised: how accelerations, rates, algebraic unknowns and multipliers change with
// positions, velocities, states and parameters, and the transpose of that.
//
//     y = (v', x', w, lam, mu):   r_v = 0, r_x = 0, psi = 0, G v' + bias = 0, A v' + bias = 0          (SEN-9)
// Rows of constraints with compliance stay as they are. Nothing is allocated but by create.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_instant flx_instant;

flx_status flx_instant_create(const flx_system *s, flx_instant **in);
void flx_instant_destroy(flx_instant **in);

// Rows of (SEN-9), (unknowns), of a system with the same structure and other parameters.
flx_status flx_instant_residuals(flx_instant *in, const flx_system *s, flx_work *work,
                                 const flx_point *p, double *out);

// Linearised at p, which must live until the next one, and factored for one of the two.
flx_status flx_instant_open(flx_instant *in, flx_work *work, const flx_point *p, bool transposed);
// dz (2 nv + nx): changes of q, in the chart there, v and x. rp (unknowns): rows by parameters; NULL: zeros. y (unknowns).
flx_status flx_instant_direct(flx_instant *in, flx_work *work, const double *dz, const double *rp,
                              double *y);
// wy (unknowns): weights of y; eta (unknowns): dJ/dp -= rp . eta; w (2 nv + nx) += weights of the changes.
flx_status flx_instant_adjoint(flx_instant *in, flx_work *work, const double *wy, double *eta,
                               double *w);

// Rates of constraints, G v + g_t and A v + b at p, by positions (nlam + nmu): opened, a change in the chart, and the transpose,
// w (nv) -= (..)^T u.
flx_status flx_instant_open_rates(flx_instant *in, flx_work *work, const flx_point *p,
                                  bool transposed);
flx_status flx_instant_rates(flx_instant *in, flx_work *work, const double *theta, double *out);
flx_status flx_instant_rates_t(flx_instant *in, flx_work *work, const double *u, double *w);
