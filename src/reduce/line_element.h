// line_element.h - an element of a straight line of beams, line's axes.
#pragma once

#include "reduce/line.h"

typedef struct flx_line_unit { // fields of one unknown: of both nodes u, turn
    double u[3], du[3], turn[3], dturn[3];
} flx_line_unit;

// The line as it is at one of Gauss's points of an element.
flx_line flx_line_at(const flx_line *line, int element, int point);
// At the part x of an element of length h.
void flx_line_units(const flx_line *line, double h, int element, double x, flx_line_unit f[12]);
void flx_line_matrices(const flx_line *line, double h, int element, double K[144], double M[144]);
