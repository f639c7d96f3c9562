// descriptor_form.h - a linear model with its constraints, as tools for differential-algebraic systems take it.
//
//     E z' = A z + B u + B1 u' + B2 u'',   y = C z + D u + D1 u' + D2 u''                          (STATE-7)
//     z = (theta, theta', theta'', x, x', w, lambda, mu)
#pragma once

#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"

// Matrices of the finding, about t->place.own.
flx_status flx_descriptor_form(flx_task *t, const flx_io_keys *keys, flx_finding *out);
