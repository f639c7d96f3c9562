// backward.h - whether what decays decays on a grid with backward differences (GRID-4), too.
#pragma once

#include <stdbool.h>

// Whether motions e^(s t) with s = re + im i grow along so many steps of length h: those of order 2 do not where Re s <= 0, of
// order 4 some do near the imaginary axis.
bool flx_backward_grows(int order, double h, int steps, double re, double im);
