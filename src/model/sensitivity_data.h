// sensitivity_data.h - what an analysis of type sensitivity asks for (flx_analysis.own).
#pragma once

#include "flexion/base.h"

#include <stdbool.h>

typedef struct flx_sensitivity_name {
    const char *name;
    flx_loc loc;
} flx_sensitivity_name;

typedef struct flx_sensitivity_ask {
    int nparameter, nmetric; // 0: all
    flx_sensitivity_name *parameters, *metrics;
    int method; // flx_gradient_method
    bool check; // against differences of runs
} flx_sensitivity_ask;
