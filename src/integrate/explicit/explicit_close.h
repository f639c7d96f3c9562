// explicit_close.h - the end of an explicit step moved to the constraints, as a function of that end alone, which has derivatives:
//
//     M theta + G^T nu = 0,  g(q (+) theta) = 0                           M and G at q                     (SEN-10)
//     M dv + G^T nu + A^T mu = 0,  G (v + dv) + g_t = 0,  A (v + dv) + b = 0    at q (+) theta             (SEN-11)
// The projection of a system (flx_explicit) goes along normals of a linearisation that is at hand.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_closer flx_closer;

// What was done, (nv) (nlam) (nv) (nlam + nmu).
typedef struct flx_closed {
    double *theta, *nu, *dv, *rates;
} flx_closed;

flx_status flx_closer_create(const flx_system *s, flx_closer **c);
void flx_closer_destroy(flx_closer **c);
// x: t, q, v and switches are read, q and v moved. done: NULL: not asked for.
flx_status flx_closer_close(flx_closer *c, flx_work *work, flx_state *x, const flx_closed *done);
// Positions alone, (SEN-10).
flx_status flx_closer_close_positions(flx_closer *c, flx_work *work, flx_state *x);
