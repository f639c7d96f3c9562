// sid.h - Standard Input Data of a flexible body, as the file says it: every matrix of the floating
// frame as a Taylor series in the elastic coordinates q,
//
//     M(q) = m0 + sum_l m1_l q_l                                               (SID-1)
// Plain data; nothing is interpreted here. What the blocks mean: docs/theory/elastic.md.
#pragma once

#include "base/common.h"

// How a matrix is filled; a hint of the writer, for every entry that is not zero is listed.
typedef enum flx_sid_structure {
    FLX_SID_ZERO,
    FLX_SID_DIAGONAL,
    FLX_SID_SYMMETRIC,
    FLX_SID_GENERAL,
    FLX_SID_UNIT,
} flx_sid_structure;

typedef struct flx_taylor {
    bool given;              // the file has this block
    int order;               // 0 or 1
    int nrow, ncol, nq, nqn; // nq at order 0 may be 0
    flx_sid_structure structure;
    int line;   // of the file where it begins; 0: no file
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
    const char *file;   // NULL: none
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

// Entries of a block; what is not there is zero.
static inline double flx_taylor_m0(const flx_taylor *t, int row, int col)
{
    return t->m0 ? t->m0[row * t->ncol + col] : 0.0;
}
static inline double flx_taylor_m1(const flx_taylor *t, int row, int mode, int col)
{
    return t->m1 ? t->m1[(mode * t->nrow + row) * t->ncol + col] : 0.0;
}

// What files do not say of the order of their columns: it is found from what they say twice.
typedef struct flx_sid_order {
    // Columns of Gr and Ge: for each coordinate all components, or for each component all coordinates; the order
    // in which Gr is what J and Cr make it (SID-3).
    bool components_last;
    bool J_xz_first, Oe_xz_first; // the fifth and the sixth of J and of Oe are xz yz, not yz xz
} flx_sid_order;
flx_sid_order flx_sid_find_order(const flx_sid *s);

// The column of component i and coordinate l of Gr or Ge.
static inline int flx_sid_column(const flx_sid *s, flx_sid_order order, int i, int l)
{
    return order.components_last ? 3 * l + i : i * s->nq + l;
}
// The column of entry i of xx yy zz xy yz xz in Oe.
static inline int flx_sid_oe_column(flx_sid_order order, int i)
{
    return order.Oe_xz_first && i > 3 ? 9 - i : i;
}
