// gradient_read.h - slopes by structural parameters, whose numbers the model itself is made of.
#pragma once

#include "simulate/simulation_parts.h"

// Values of metrics and their slopes by one parameter: differences of runs of the model that is read anew (SEN-5), and how
// far these may be off. name: of the parameter, of the size `at`; values, slopes, errors (n).
flx_status flx_gradient_by_reading(const flx_model *m, const char *name, double at, int n,
                                   const int *metrics, double *value, double *slope, double *error);
