// tiny_parts.h - what the files of the small systems share: tiny_systems.c making them, their patterns and
// names; tiny_algebra.c dense matrices; tiny_explicit.c accelerations and momenta; tiny_net.c, tiny_top.c,
// tiny_plain.c the systems.
#pragma once

#include "math/small.h"
#include "tiny_systems.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#define TINY_MAX 64 // unknowns of the systems with dense algebra of their own

typedef struct tiny {
    flx_system base;
    flx_system_ops ops; // this system's own table
    top_numbers top;
    mixed_numbers mixed;
    double mass, inertia, gravity;
    int npoint, nconstraint;
    double *masses;              // owned
    net_constraint *constraints; // owned
    double M[64], D[64], K[64];
    double broken_after;
    flx_status (*whole)(const flx_system *s, flx_work *w, const flx_point *p, double *r);
    int *start, *row, *col, *offset, *transpose, *pair; // owned: the pattern
} tiny;

// Scratch for all of them.
typedef struct tiny_work {
    flx_work base;
    double r[TINY_MAX], a[TINY_MAX], b[TINY_MAX], dense[TINY_MAX * TINY_MAX];
    int pivot[TINY_MAX];
    flx_blocks blocks;
    double *values;
} tiny_work;

static inline const tiny *as_tiny(const flx_system *s)
{
    return (const tiny *)s;
}

// LU with partial pivoting, complex throughout.
typedef struct tiny_factors {
    int n;
    int pivot[TINY_MAX];
    double complex a[TINY_MAX * TINY_MAX];
} tiny_factors;

int tiny_dense_lu(tiny_factors *f);
void tiny_dense_solve(const tiny_factors *f, double complex *b);

// A system without operations of its own, and its end: NULL, and nothing left, where something failed.
tiny *tiny_create(flx_ctx *ctx, const char *title, flx_dims dims);
flx_system *tiny_finish(tiny *t, int ok);

// From a table of coupled blocks (nblock x nblock flags) and the blocks' sizes.
int tiny_make_pattern(tiny *t, int nblock, const int *size, const char *coupled);
// One block a kind, everything coupled.
int tiny_make_dense_pattern(tiny *t);
// Add a number to the entry of unknowns i, j; read it.
void tiny_put(const flx_pattern *p, double *A, int i, int j, double value);
double tiny_get(const flx_pattern *p, const double *A, int i, int j);
void tiny_clear_blocks(const flx_pattern *p, flx_blocks *b);

extern const flx_explicit tiny_explicit;
extern const flx_lagrangian tiny_lagrangian;
