// explicit_ends.h - (SEN-10), (SEN-11), how the end of an explicit step is moved to the constraints, linearised.
#pragma once

#include "base/common.h"
#include "integrate/explicit/explicit_close.h"

typedef struct flx_end_slopes flx_end_slopes;

flx_status flx_end_slopes_create(const flx_system *s, flx_end_slopes **e);
void flx_end_slopes_destroy(flx_end_slopes **e);

// Rows that parameters are in: M theta + .. (nv), g (nlam), M dv + .. (nv), rates (nlam + nmu).
int flx_end_slopes_rows(const flx_system *s);
// raw: the end before it was moved; end: after. Of a system with the same structure and other parameters.
flx_status flx_end_slopes_residuals(flx_end_slopes *e, const flx_system *s, flx_work *work,
                                    const flx_state *raw, const flx_state *end,
                                    const flx_closed *done, double *out);
flx_status flx_end_slopes_open(flx_end_slopes *e, flx_work *work, const flx_state *raw,
                               const flx_state *end, const flx_closed *done, bool transposed);
// q, v (nv): changes before, then after; rp: rows by a parameter
flx_status flx_end_slopes_direct(flx_end_slopes *e, flx_work *work, const double *rp, double *q,
                                 double *v);
// wq, wv (nv): weights after, then before; eta: dJ/dp -= rp . eta
flx_status flx_end_slopes_adjoint(flx_end_slopes *e, flx_work *work, double *wq, double *wv,
                                  double *eta);
