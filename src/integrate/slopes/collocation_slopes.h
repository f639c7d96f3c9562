// collocation_slopes.h - what the files of the derivatives of collocation steps share: collocation_slopes.c makes, opens and
// solves, collocation_products.c has the products, collocation_inside.c what is between the ends of a step.
#pragma once

#include "integrate/slopes/gmres.h"
#include "integrate/slopes/slopes_parts.h"
#include "integrate/slopes/stage_matrix.h"

typedef struct flx_stage_slopes {
    flx_slopes base;
    const collocation *co; // of the run; borrowed
    int n, size;           // unknowns of a stage: of the system, with V and eta
    int first;             // constraint
    bool ggl;
    // the step
    const collocation_tableau *tab;
    const double *record;
    const flx_state *from;
    double h;
    bool transposed;
    double *Q, *rate, *back;                  // (most nq) (most nv) Z'; (most nv) -Z
    flx_step_matrix *m[COLLOCATION_STAGES];   // owned
    flx_step_matrix *other;                   // owned; for derivatives of G
    flx_stage_matrix *matrix;                 // owned
    flx_gmres *gmres;                         // owned
    flx_instant *end;                         // owned; of a step that no stage ends, else NULL
    double *row, *col;                        // (size)
    double *y, *b, *x;                        // (most size)
    double *inside, *inside_z;                // (most size) (size of z) weights of values inside
    double *u0, *u1, *u2;                     // (n)
    double *p, *q, *r, *s, *theta, *lam, *gd; // (nv) (nq) (nv) (nv) (nv) (nlam) (2 nlam) scratch
    double *scale;                            // (nv)
    double *step, *step_back; // (nv) the whole step, where no stage is its end; less that
    double *wy, *wz;          // (n) (2 nv + nx) of the instant at such an end
    void *block;
} flx_stage_slopes;

// Where the parts of z begin: in the order of a change of a state.
typedef struct parts {
    int v, a, x, dx, w;
} parts;

static inline parts parts_of(const flx_dims *d)
{
    return (parts){d->nv, 2 * d->nv, 3 * d->nv, 3 * d->nv + d->nx, 3 * d->nv + 2 * d->nx};
}

static inline int rest_of(const flx_dims *d)
{
    return d->nw + d->nlam + d->nmu;
}

// Number of the tableau, length; U, V, V', x', eta of the stages, each with room for the most stages.
typedef struct stage_values {
    const double *U, *V, *A, *dX, *eta;
} stage_values;

static inline stage_values values_of(const flx_stage_slopes *s, const double *record)
{
    const flx_dims *d = &s->base.sys->dims;
    size_t most = (size_t)s->co->most;
    stage_values v = {.U = record + 2};
    v.V = v.U + most * (size_t)s->n;
    v.A = v.V + most * (size_t)d->nv;
    v.dX = v.A + most * (size_t)d->nv;
    v.eta = v.dX + most * (size_t)d->nx;
    return v;
}

flx_point flx_stage_point(const flx_stage_slopes *s, const flx_state *from, const double *rec,
                          int i);

// ---- collocation_products.c -----------------------------------------------------------------------

// sum_j a_ij (y_j - y0) over values that lie `size` apart, less what the rate at the beginning gives where there is a stage;
// y0, dy0 NULL: zeros.
void flx_stage_differentiate(const flx_stage_slopes *s, int i, const double *y, const double *y0,
                             const double *dy0, int m, double *out);
// The transpose: a_ij times u (m) is added to the values of all stages, and taken from those of the beginning.
void flx_stage_spread_rate(const flx_stage_slopes *s, int i, const double *u, int m, double sign,
                           double *y, double *y0, double *dy0);
// dq of stage i, (nv)
void flx_stage_place_change(flx_stage_slopes *s, int i, const double *y, const double *dz,
                            double *dq);
// The change of q at stage i weighs u (nv): what its unknowns and the beginning do. z NULL: not asked for.
void flx_stage_spread_place(flx_stage_slopes *s, int i, double *u, double *y, double *z);
// The left side of (SEN-7), without parameters; dz NULL: none.
flx_status flx_stage_multiply(flx_stage_slopes *s, const double *y, const double *dz, double *out);
// Its transpose: y (all stages) is overwritten; z (size of z), where asked for, is added to.
flx_status flx_stage_multiply_t(flx_stage_slopes *s, const double *zeta, double *y, double *z);

// ---- collocation_inside.c: see flx_slopes_type ------------------------------------------------------

void flx_stage_inside(flx_slopes *sl, const flx_state *from, const double *rec, double place,
                      flx_state *out);
flx_status flx_stage_close(flx_slopes *sl, flx_integrator *it, flx_state *x);
void flx_stage_weigh_inside(flx_slopes *sl, double place, double *by);
flx_status flx_stage_install(const flx_slopes *sl, flx_integrator *it, const double *rec,
                             const double *y, const double *dz, double e);
