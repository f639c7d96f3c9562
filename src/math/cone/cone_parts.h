// cone_parts.h - what the files of the cone problem share: cone.c the order of the ways, cone_law.c the law of a group,
// cone_newton.c, cone_convex.c the ways, cone_margin.c how far forces that hold are from their limits, cone_dense.c velocities of a dense W, cone_sparse.c those of M and J, on block_lu.h.
//
// Inside, rows are in the order of the groups, normal first, and scaled: W has the diagonal 1, so that neither masses nor units
// matter; lambda, u, f and limits are scaled alike. Velocities v are those that impulses make: M v = J^T lambda, u = J v + b.
#pragma once

#include "math/cone/cone.h"

// Compliance that makes redundant rows regular; it acts on the change of lambda alone and so leaves no error.
#define FLX_CONE_R 1e-7
// The most that counts as a law that holds, where rounding allows no less.
#define FLX_CONE_LIMIT 1e-10

typedef enum flx_cone_kind {
    FLX_CONE_HOLDS,    // one row, u = 0
    FLX_CONE_COULOMB,  // normal row first
    FLX_CONE_DISC,     // tangents alone, within a limit
    FLX_CONE_DIRECTED, // normal row first, slides along a given direction
    FLX_CONE_PUSHED,   // tangents alone, their force is given
} flx_cone_kind;

typedef struct flx_cone_member {
    flx_cone_kind kind;
    int first, n; // rows
    double f, limit, slip[2];
} flx_cone_member;

// The velocities: linear algebra with M and J.
typedef struct flx_cone_space {
    void (*rates)(flx_cone *c, const double *v, double *u);    // u = J v
    void (*forces)(flx_cone *c, const double *lam, double *p); // p = J^T lam
    // p = (M + M^T)/2 v; NULL: nothing is convex
    void (*momenta)(flx_cone *c, const double *v, double *p);
    void (*respond)(flx_cone *c, double *p); // p <- M^-1 p
    // M + J^T H J of blocks H (9 numbers of each group, row-major); false: singular. solve: in place.
    bool (*factor)(flx_cone *c, const double *H);
    void (*solve)(flx_cone *c, double *x);
    // Over the rows of one group: u = J v, and v += M^-1 J^T d. NULL: too dear.
    void (*rates_of)(flx_cone *c, int group, const double *v, double *u);
    void (*push)(flx_cone *c, int group, const double *d, double *v);
} flx_cone_space;

struct flx_cone {
    flx_ctx *ctx;
    int m, nv, ngroup; // of the problem at hand
    const flx_cone_space *space;
    int room, room_groups, room_nv, room_dense;
    flx_cone_member *group; // owned, as all below
    int *row;               // (m) of the caller
    double *scale;          // (m) lambda of the caller = scale lambda, u of the caller = u/scale
    double *b, *C;          // (m) C: compliance of the rows, a part of u
    double *lam, *u;        // the iterate
    double *best;           // (m) lambda of the least residual so far
    double best_residual;
    double *F, *dlam, *du, *trial, *trial_u, *work; // (m)
    double *center, *lag;                           // (m) of convex steps
    double *skew;                                   // (m) ... what the rest of M adds to u
    bool convex;                                    // factor takes (M + M^T)/2
    double *v, *dv, *grad, *step, *trial_v;         // (nv) v: the iterate
    double *D, *H;                                  // (9 ngroup)
    // dense: rows of J, J^T, H J (m x nv), the matrix (nv x nv)
    double *J, *HJ, *A;
    int *pivot;
    double
        r; // of the projections lambda = P(lambda - r u): which way Newton goes, not where it ends
    double *big; // owned: rows of one block, sparse
    int room_big;
    struct flx_cone_sparse *sparse; // owned; NULL: never used
    double R;                       // compliance of the iteration, FLX_CONE_R or more
    bool yields;                    // R grows where steps have to be short
    bool large;                     // more groups than all ways can be tried for
    int most;                       // iterations of Newton that do not come near
    int budget;                     // iterations that convex steps may take
    double aim;                     // a residual of the law that ends the iteration
    double enough;                  // ... and one that further ways are too dear for
    int iterations;
};

// y = lambda - u of a group: its projection out, and derivative D (n x n in the corner of 3 x 3) where not NULL.
void flx_cone_project(const flx_cone_member *g, const double *y, double *out, double *D);
// F = lambda - projection(lambda - r u) over all rows, D (9 ngroup) or NULL. Returns its square sum.
double flx_cone_natural(const flx_cone *c, double r, const double *lam, const double *u, double *F,
                        double *D);
// The largest of |F| relative to the sizes of its group; *worst: which.
double flx_cone_residual(const flx_cone *c, const double *lam, const double *u, const double *F,
                         int *worst);
// v and u of lam.
void flx_cone_respond(flx_cone *c);
// Remember lam where its residual is the least so far; returns the residual.
double flx_cone_keep(flx_cone *c);

// Newton from c->lam; true: the law holds.
bool flx_cone_newton(flx_cone *c);
// lam by all groups closed and sticking, projected.
void flx_cone_stick(flx_cone *c);
bool flx_cone_convex(flx_cone *c);
// n sweeps from the impulses at hand, then Newton.
bool flx_cone_sweeps(flx_cone *c, int n);

// Rows in the order of the groups, with their scales: c->row, c->scale, c->group.
void flx_cone_sort(flx_cone *c, int m, const double *W, int ngroup, const flx_cone_group *groups);
// The space of a dense W; c->row, c->scale and the groups are known.
flx_status flx_cone_dense(flx_cone *c, int m, const double *W);

// Memory of rows and groups, and of velocities.
flx_status flx_cone_room(flx_cone *c, int m, int ngroup);
flx_status flx_cone_room_velocities(flx_cone *c, int nv);
flx_cone_stage flx_cone_find(flx_cone *c, int warm);
bool flx_cone_is_finite(size_t n, const double *a);
void flx_cone_sparse_destroy(struct flx_cone_sparse **s);
