// ldl_parts.h - inside of the block LDL^T: what ldl_analyse.c works out for ldl.c.
#pragma once

#include "math/ldl/ldl.h"
#include "math/ldl/ldl_fronts.h"

// Most columns of a supernode: a body's six. Larger blocks are cut into pieces.
enum { FLX_LDL_WIDTH = 6 };

// Blocks of the matrix, and panels in a solve, that are fetched ahead of their use. Large matrices
// come from memory in an order that the processor does not foresee; without this, a factorisation of
// 10^4 bodies takes twice as long a body as one of 10^2. The list of blocks has that many more.
enum { FLX_LDL_AHEAD = 8, FLX_LDL_PANELS_AHEAD = 6 };

// A block of the matrix and its place in a panel.
typedef struct flx_ldl_load {
    int from, from_stride;     // where its transpose begins in the values, and that one's rows
    int mirror, mirror_stride; // where it begins itself
    int rows, columns;         // of the block as it lies in the panel
    int row, column;           // its place there: row below the diagonal block, or -1 - row in it
} flx_ldl_load;

// Neighbouring rows below an earlier panel that are neighbours in the later one too: in its diagonal
// block or below it.
typedef struct flx_ldl_run {
    int from, length, to;
} flx_ldl_run;

// What an earlier panel subtracts from a later one: the rows of `run`, times those of its first
// `ncolumn_run` runs, which are the later one's columns.
typedef struct flx_ldl_update {
    int source, run, nrun, ncolumn_run;
} flx_ldl_update;

// The first entry of each list; the last is where the next supernode's begins.
typedef struct flx_ldl_supernode {
    int first;      // column, in elimination order
    int ncol, nrow; // columns, rows below them
    int load, update, run;
    long panel;
    bool clear; // some of the panel is fill, to be zeroed
} flx_ldl_supernode;

struct flx_ldl {
    flx_ctx *ctx;
    const flx_ldl *plan;    // has what follows from the pattern alone; NULL: this one does
    flx_ldl_fronts *fronts; // of a large matrix, in the place of panels; NULL: none
    const flx_pattern *pattern;
    bool complex_values;
    int n, nsuper;
    long fill;
    double flops;

    int *unknown;            // (n) unknown eliminated k-th
    signed char *sign;       // (n) of it
    signed char *block_sign; // (nblock)
    int *diagonal;           // (nblock) entry of each diagonal block

    flx_ldl_supernode *super; // (nsuper + 1)
    flx_ldl_load *load;
    flx_ldl_update *update;
    flx_ldl_run *run;       // of updates
    flx_ldl_run *solve_run; // rows below each supernode, in the permuted vector

    void *block;             // of the arrays but the panel
    double *panel;           // L, without its unit diagonal
    double *square;          // diagonal block of the panel that is being made
    double *pivot, *inverse; // (n) D and 1/D
    double *expected;        // (n) 1 / expected size of the pivot; 0: look
    double *unit;            // (n) or NULL: size of 1 for an unknown, from the equilibration
    double *unit_storage;    // (n)
    double *work;            // (n) permuted vector

    bool expected_known, failed;
    double guard; // pivots below this, against the size expected, are judged
    flx_ldl_report report;
};

// ldl_analyse.c: order, supernodes, and the lists of what goes where.
flx_status flx_ldl_analyse(flx_ldl *f, const signed char *sign);
