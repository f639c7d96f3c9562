// sid.h - Standard Input Data of an elastic body, as the file says it: every matrix of the floating
// frame as a Taylor series in the elastic coordinates q,
//
//     M(q) = m0 + sum_l m1_l q_l                                               (SID-1)
// Plain data; nothing is interpreted here. What the blocks mean: docs/theory/elastic.md.
#pragma once

#include "base/base.h"

// How a matrix is filled; a hint of the writer, for every entry that is not zero is listed.
typedef enum flx_sid_structure {
    FLX_SID_ZERO,
    FLX_SID_DIAGONAL,
    FLX_SID_SYMMETRIC,
    FLX_SID_GENERAL,
    FLX_SID_UNIT,
} flx_sid_structure;

typedef struct flx_taylor {
    bool given; // the file has this block
    int order;  // 0 or 1
    int nrow, ncol, nq, nqn;
    flx_sid_structure structure;
    double *m0; // (nrow x ncol) row-major
    double *m1; // (nq x nrow x ncol): one matrix for each coordinate; NULL at order 0
} flx_taylor;

typedef struct flx_sid_node {
    const char *id;     // "7"
    const char *rframe; // "body ref"
    flx_taylor origin, phi, psi, AP, sigma;
} flx_sid_node;

// Blocks of the body, in the order of the file.
#define FLX_SID_BLOCKS(X)                                                                          \
    X(mdCM, 3, 1)                                                                                  \
    X(J, 6, 1)                                                                                     \
    X(Ct, nq, 3)                                                                                   \
    X(Cr, nq, 3)                                                                                   \
    X(Me, nq, nq)                                                                                  \
    X(Gr, 3, 3 * nq)                                                                               \
    X(Ge, nq, 3 * nq)                                                                              \
    X(Oe, nq, 6)                                                                                   \
    X(ksigma, nq, 1)                                                                               \
    X(Ke, nq, nq)                                                                                  \
    X(De, nq, nq)

// Blocks of a node.
#define FLX_SID_NODE_BLOCKS(X)                                                                     \
    X(origin, 3, 1)                                                                                \
    X(phi, 3, nq)                                                                                  \
    X(psi, 3, nq)                                                                                  \
    X(AP, 3, 3)                                                                                    \
    X(sigma, 6, 1)

typedef struct flx_sid {
    const char *header; // what stands before "part", one line
    const char *name;   // of the modal; may be empty
    double mass;
    int nq;
    const char **labels; // (nq) texts of the coordinates
    int nnode;
    flx_sid_node *nodes;
#define X(name, nrow, ncol) flx_taylor name;
    FLX_SID_BLOCKS(X)
#undef X
} flx_sid;

// Entries of a block; m1 of a block of order 0 is zero.
static inline double flx_taylor_m0(const flx_taylor *t, int row, int col)
{
    return t->m0[row * t->ncol + col];
}
static inline double flx_taylor_m1(const flx_taylor *t, int row, int mode, int col)
{
    return t->m1 ? t->m1[(mode * t->nrow + row) * t->ncol + col] : 0.0;
}

// Columns of Gr and Ge: for each component all coordinates, or for each coordinate all components. Files do
// not say it; it is the order in which Gr is what J and Cr make it (SID-3).
bool flx_sid_counts_components_last(const flx_sid *s);
// The column of component i and coordinate l.
static inline int flx_sid_column(const flx_sid *s, bool components_last, int i, int l)
{
    return components_last ? 3 * l + i : i * s->nq + l;
}
