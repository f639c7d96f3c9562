// fmu_groups.h - outputs that are one array in FMI 3: the components x, y (and z) of a vector, one after another.
#pragma once

#include "flexion/run.h"

// How many outputs belong together with output i as the first of them; 1: it stands alone.
int flx_fmu_group(const flx_system *s, int i);
