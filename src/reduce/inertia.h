// inertia.h - the six numbers of a symmetric matrix of inertia: xx yy zz xy yz xz.
#pragma once

// Row and column of each.
static const int flx_inertia_pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
// Which of them an entry (row, column) is.
static const int flx_inertia_place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

// Entry (r, c) of a~, the matrix of a x.
static inline double flx_tilde_entry(const double a[3], int r, int c)
{
    if (r == c) return 0.0;
    double x = a[3 - r - c];
    return (c - r + 3) % 3 == 1 ? -x : x;
}
