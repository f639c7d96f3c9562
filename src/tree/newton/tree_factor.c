// tree_factor.c - the Newton matrix of a tree for given weights, taken apart link by link.
//
// From the last link to the first: its freedoms d are taken out of what it shows to its parent,
//     row = S^T Phi + turned,   D = row B,   col = X Phi B,                            (TRN-4)
//     Phi_p += X (Phi - Phi B D^-1 row) T + turned
// S: the joint's axes, X: a force at the parent's origin, T: (TRN-1). Forces that act already turn
// with the link, which adds `turned`. Partners and other unknowns take part as rows and columns of
// their own; some of the others, multipliers of closures, are taken out among the links (tree_order.c),
// the rest is the border that is left in the end. Linear in the number of links, for real and complex
// weights.
#include "math/pattern.h"
#include "tree/tree_parts.h"

#include <complex.h>
#include <float.h>

// A pivot of the border is rounding below this part of the terms that it is made of: closures depend on
// each other. It is moved to the second, which keeps half of the digits; as in ldl.c.
#define ROUNDING (64 * DBL_EPSILON)
#define REGULARISATION 1e-8

#if defined(__GNUC__)
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define ALWAYS_INLINE inline
#endif

typedef struct factors {
    const flx_tree *t; // borrowed
    bool is_complex;
    void *matrices, *gains, *border, *force, *motion, *values, *rest;
    double *g0, *g1, *g2; // geometry of the links, of the last factorisation
    double *row, *col;    // (border)
    double *natural;      // (2 border) sizes of rows and columns
    double *lean;         // (border) root of the size of a row over that of its column
    int *pivot;
    flx_lu *lu; // of a sparse border
    flx_pivots met;
} factors;

static inline double complex multiply(double complex a, double complex b)
{
    double part[2] = {creal(a) * creal(b) - cimag(a) * cimag(b),
                      creal(a) * cimag(b) + cimag(a) * creal(b)};
    double complex z;
    memcpy(&z, part, sizeof z);
    return z;
}

#define NUMBER double
#define TREE(name) real_##name
#define TIMES(a, b) ((a) * (b))
#define SIZE(a) fabs(a)
#define FACTOR_SPARSE(lu, A) flx_lu_factor(lu, A)
#define SOLVE_SPARSE(lu, b) flx_lu_solve(lu, b)
#include "tree/newton/tree_border.inc.h"
#include "tree/newton/tree_factor.inc.h"
#include "tree/newton/tree_solve.inc.h"
#undef NUMBER
#undef TREE
#undef TIMES
#undef SIZE
#undef FACTOR_SPARSE
#undef SOLVE_SPARSE

#define NUMBER double complex
#define TREE(name) complex_##name
#define TIMES(a, b) multiply(a, b)
#define SIZE(a) (fabs(creal(a)) + fabs(cimag(a)))
#define FACTOR_SPARSE(lu, A) flx_lu_factor_complex(lu, A)
#define SOLVE_SPARSE(lu, b) flx_lu_solve_complex(lu, b)
#include "tree/newton/tree_border.inc.h"
#include "tree/newton/tree_factor.inc.h"
#include "tree/newton/tree_solve.inc.h"
#undef NUMBER
#undef TREE
#undef TIMES
#undef SIZE
#undef FACTOR_SPARSE
#undef SOLVE_SPARSE

void flx_tree_factors_destroy(void *made)
{
    factors *x = made;
    if (!x) return;
    flx_free(x->matrices);
    flx_free(x->gains);
    flx_free(x->border);
    flx_free(x->force);
    flx_free(x->motion);
    flx_free(x->values);
    flx_free(x->rest);
    flx_free(x->g0);
    flx_free(x->row);
    flx_free(x->pivot);
    flx_lu_destroy(&x->lu);
    flx_free(x);
}

void *flx_tree_factors_create(const flx_system *s, int complex_weight)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_tree_fronts *f = &t->fronts;
    size_t number = complex_weight ? sizeof(double complex) : sizeof(double);
    size_t n = (size_t)f->n, m = (size_t)f->nother, all = FLX_TREE_GEOMETRY * n;
    factors *x = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return NULL;
    x->t = t;
    x->is_complex = complex_weight != 0;
    x->matrices = flx_alloc(s->ctx, f->matrices, number);
    x->gains = flx_alloc(s->ctx, f->gains, number);
    size_t left = (size_t)f->nborder;
    size_t border = f->border.sparse ? flx_pattern_size(&f->border.pattern) : left * left;
    x->border = flx_alloc(s->ctx, border, number);
    x->force = flx_alloc(s->ctx, 6 * n, number);
    x->motion = flx_alloc(s->ctx, FLX_TREE_MOTION * n, number);
    x->values = flx_alloc(s->ctx, (size_t)flx_dims_unknowns(&s->dims), number);
    x->rest = flx_alloc(s->ctx, left, number);
    x->g0 = flx_alloc(s->ctx, 3 * all, sizeof *x->g0);
    x->row = flx_alloc(s->ctx, 5 * m, sizeof *x->row);
    x->pivot = flx_alloc(s->ctx, m, sizeof *x->pivot);
    if (!x->matrices || !x->gains || !x->border || !x->force || !x->motion || !x->values ||
        !x->rest || !x->g0 || !x->row || !x->pivot) {
        flx_tree_factors_destroy(x);
        return NULL;
    }
    if (f->border.sparse &&
        flx_lu_create(s->ctx, &f->border.pattern, x->is_complex, &x->lu) != FLX_OK) {
        flx_tree_factors_destroy(x);
        return NULL;
    }
    x->g1 = x->g0 + all;
    x->g2 = x->g1 + all;
    x->col = x->row + m;
    x->natural = x->col + m;
    x->lean = x->natural + 2 * m;
    return x;
}

int flx_tree_factors_follow(const flx_system *s)
{
    return flx_tree_of(s)->fronts.nborder == 0;
}

void flx_tree_factors_memory(void *made, flx_memory *m)
{
    factors *x = made;
    const flx_tree_fronts *f = &x->t->fronts;
    size_t number = x->is_complex ? sizeof(double complex) : sizeof(double);
    size_t left = (size_t)f->nborder, other = (size_t)f->nother;
    size_t border = f->border.sparse ? flx_pattern_size(&f->border.pattern) : left * left;
    flx_memory_pass(m, x->matrices, f->matrices * number);
    flx_memory_pass(m, x->gains, f->gains * number);
    flx_memory_pass(m, x->border, border * number);
    flx_memory_numbers(m, x->g0, 3 * FLX_TREE_GEOMETRY * (size_t)f->n);
    flx_memory_numbers(m, x->row, 5 * other);
    flx_memory_pass(m, x->pivot, other * sizeof *x->pivot);
    FLX_PASS(m, x->met);
    if (x->lu) flx_lu_memory(x->lu, m);
}

flx_status flx_tree_factor(const flx_system *s, const flx_blocks *b, const double c[4],
                           const double ci[4], const signed char *left_out, void *made)
{
    const flx_tree *t = flx_tree_of(s);
    factors *x = made;
    bool fine;
    if (x->is_complex) {
        double complex w[4];
        for (int i = 0; i < 4; i++) {
            double part[2] = {c[i], ci ? ci[i] : 0.0};
            memcpy(w + i, part, sizeof part);
        }
        fine = complex_factor(t, b, w, w[3], left_out, x);
    } else {
        fine = real_factor(t, b, c, c[3], left_out, x);
    }
    return fine ? FLX_OK : FLX_SINGULAR;
}

flx_pivots flx_tree_pivots(const flx_system *s, const void *made)
{
    (void)s;
    return ((const factors *)made)->met;
}

flx_status flx_tree_solve(const flx_system *s, void *made, double *rhs, double *rhs_imag)
{
    factors *x = made;
    int n = flx_dims_unknowns(&s->dims);
    if (!x->is_complex) {
        real_solve(x->t, x, rhs);
        return FLX_OK;
    }
    double complex *d = x->values;
    for (int i = 0; i < n; i++) {
        double part[2] = {rhs[i], rhs_imag[i]};
        memcpy(d + i, part, sizeof part);
    }
    complex_solve(x->t, x, d);
    for (int i = 0; i < n; i++) {
        rhs[i] = creal(d[i]);
        rhs_imag[i] = cimag(d[i]);
    }
    return FLX_OK;
}
