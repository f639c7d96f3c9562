// frontal_parts.h - what the files of the multifrontal solver share: frontal_order.c the order and the
// tree, frontal_dense.c one front, frontal.c the walk over the tree, frontal_solve.c the substitutions.
#pragma once

#include "math/frontal.h"

// Unknowns are numbered in the order of elimination from here on. Groups are the nodes of a structure:
// unknowns with one pattern.
struct flx_frontal {
    flx_ctx *ctx;
    int n, ngroup;
    int *order;       // (n) number in A of the k-th unknown eliminated
    int *group_start; // (ngroup + 1) first unknown of a group
    int *group_of;    // (n)
    // lower triangle of A in the new order
    int64_t *start;  // (n + 1)
    int *row;        // (start[n])
    int64_t *source; // (start[n]) place in A's values
    // fronts, children before parents
    int nfront;
    int *front_group;     // (nfront + 1) first group that front s eliminates
    int *parent;          // (nfront) -1: a root
    int64_t *below_start; // (nfront + 1) into below
    int *below;           // groups of the rows below the pivots, ascending
    int *ncol, *nrow;     // (nfront) pivots, rows below, in unknowns
    int64_t *panel;       // (nfront + 1) first number of its panel in L
    int max_front, max_row, max_col;
    int64_t max_work; // largest nrow*ncol
    int64_t stack_size, stack_top;
    // numbers
    double *L; // panels (ncol + nrow) x ncol by columns: unit lower triangle, D on the diagonal
    double *
        stack; // updates of fronts that wait for their parents, packed, and that of the current one
    double *work;     // (max_work)
    double *diagonal; // (n) of the matrix, for the report
    int *local;       // (ngroup) place of a group in the current front
    int *relative;    // (max_row) of a child's rows in its parent
    double *scratch;  // one panel, while signs are counted; NULL: panels are kept in L
    bool factored;
    const signed char *sign; // (n) in A; NULL: pivots are left as they are
    const double *size;      // (n) in A
    int64_t *first; // (nfront) where the update of a front lies; while factoring, as these:
    int *waiting;   // (nfront) fronts whose updates wait
    int *nchild;    // (nfront)
    flx_frontal_report report;
    double *X; // (n, rhs_capacity) right sides in the order of elimination, k of a row together
    double *Y; // (max_row, rhs_capacity)
    int rhs_capacity;
};

// frontal_order.c: everything that depends on the pattern alone.
flx_status flx_frontal_analyse(flx_frontal *f, const flx_symmetric *A, const int *group);

// Pivots that are moved: unknown (ncol) of the columns of a front, by which sign and size are found.
typedef struct flx_frontal_pivots {
    const int *unknown;
    const signed char *sign; // NULL: no pivot is moved
    const double *size;
    int moved; // counted
} flx_frontal_pivots;

// frontal_dense.c: eliminate the first ncol unknowns of a panel (m x ncol, by columns, ld m). Returns the
// number of the column whose pivot is zero or not finite, or -1. work: (m x FLX_FRONTAL_BLOCK).
#define FLX_FRONTAL_BLOCK 96
int flx_frontal_eliminate(int m, int ncol, double *panel, double *work, flx_frontal_pivots *guard);
// U (nrow x nrow, lower part by columns) = -L21 D L21^T; work: (nrow x ncol).
void flx_frontal_update(int nrow, int ncol, const double *panel, double *U, double *work);
