// open_number.h - numbers of a model that may be expressions of open parameters.
#pragma once

// A number that is an expression of open parameters: its node + 1; 0: a number alone.
typedef int flx_open;
// A number with its expression; vectors, and matrices by rows (nums.h).
typedef struct flx_num {
    double x;
    flx_open n;
} flx_num;
typedef struct flx_num3 {
    double x[3];
    flx_open n[3];
} flx_num3;
typedef struct flx_num9 {
    double x[9];
    flx_open n[9];
} flx_num9;
