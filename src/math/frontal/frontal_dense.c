// frontal_dense.c - the arithmetic of one front, in blocks so that nearly all of it is matrix products: of real numbers, whose
// pivots may be guarded, and of complex ones.
#include "math/blas.h"
#include "math/frontal/front_kernel.h"
#include "math/frontal/frontal_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// As in ldl.c: a pivot below the first number's part of what it is made of is rounding, and moved to the
// second's.
#define ROUNDING (64.0 * DBL_EPSILON)
#define REGULARISATION 1e-8

static double guarded(flx_frontal_pivots *g, int column, double d)
{
    int i = g->unknown[column];
    if (!(fabs(d) <= ROUNDING * g->size[i])) return d;
    g->moved++;
    return g->sign[i] * REGULARISATION * g->size[i];
}

// ---- parts of a front that threads share: strips of columns, each by products of its own ---------------

#define ROWS 240 // of a substitution

typedef struct substituting { // below a block of pivots
    int rows, kb, ld;
    const double *corner; // (kb, kb) of the pivots
    double *below;        // (rows, kb)
    double *work;         // (rows, kb)
} substituting;

static void substitute_rows(void *user, int part, double *scratch)
{
    const substituting *x = user;
    int first = part * ROWS, some = x->rows - first < ROWS ? x->rows - first : ROWS;
    flx_front_substitute(some, x->kb, x->corner, x->ld, x->below + first, x->ld, x->work + first,
                         x->rows, scratch);
}

typedef struct trailing { // behind pivots k0 to k0 + kb - 1 of a panel
    int m, ncol, k0, kb;
    double *panel;
    const double *work; // (m - k0 - kb, kb) L21 D
} trailing;

static void subtract_strip(void *user, int part, double *scratch)
{
    const trailing *t = user;
    const int width = FLX_FRONTAL_BLOCK;
    int after = t->k0 + t->kb, c = after + part * width, ld = t->m - t->k0;
    flx_front_product(t->m - c, t->ncol - c < width ? t->ncol - c : width, t->kb,
                      t->panel + flx_trapezoid_strip(t->m, t->k0, width) + (c - t->k0), ld,
                      t->work + (c - after), t->m - after, 1,
                      t->panel + flx_trapezoid_strip(t->m, c, width), t->m - c, scratch);
}

typedef struct clearing {
    int64_t size;
    double *numbers;
} clearing;

#define CHUNK (INT64_C(1) << 17)
#define WORK_OF_CLEARING 16.0 // flops that take as long as a number

static void clear_chunk(void *user, int part, double *scratch)
{
    const clearing *c = user;
    int64_t first = part * CHUNK, some = c->size - first < CHUNK ? c->size - first : CHUNK;
    (void)scratch;
    memset(c->numbers + first, 0, (size_t)some * sizeof *c->numbers);
}

void flx_frontal_clear(int64_t size, double *panel, const flx_front_hands *hands)
{
    clearing c = {size, panel};
    flx_front_share(hands, (int)((size + CHUNK - 1) / CHUNK), WORK_OF_CLEARING * (double)size,
                    clear_chunk, &c);
}

// The product's own, and D L21^T of a block of pivots: more than a substitution needs.
size_t flx_frontal_scratch(void)
{
    return FLX_FRONT_SCRATCH(FLX_FRONTAL_STRIP, FLX_FRONTAL_BLOCK) +
           (size_t)FLX_FRONTAL_STRIP * FLX_FRONTAL_BLOCK;
}

typedef struct updating { // U (nrow, nrow) by a panel of ncol columns
    int nrow, ncol;
    const double *panel;
    double *U;
} updating;

static void update_strip(void *user, int part, double *scratch)
{
    const updating *u = user;
    const int width = FLX_FRONTAL_BLOCK, strip = FLX_FRONTAL_STRIP;
    int m = u->nrow + u->ncol, c = part * strip, some = u->nrow - c < strip ? u->nrow - c : strip;
    double *scaled = scratch + FLX_FRONT_SCRATCH(strip, width);
    for (int k0 = 0; k0 < u->ncol; k0 += width) {
        int kb = u->ncol - k0 < width ? u->ncol - k0 : width;
        for (int j = 0; j < kb; j++) { // D L21^T of the strip's columns
            const double *column = u->panel + flx_trapezoid_column(m, k0 + j, width);
            double d = column[k0 + j];
            for (int i = 0; i < some; i++) scaled[j * some + i] = d * column[u->ncol + c + i];
        }
        flx_front_product(u->nrow - c, some, kb,
                          u->panel + flx_trapezoid_strip(m, k0, width) + (u->ncol + c - k0), m - k0,
                          scaled, some, k0 > 0, u->U + flx_trapezoid_strip(u->nrow, c, strip),
                          u->nrow - c, scratch);
    }
}

#define FRONT_COMPLEX 0
#include "math/frontal/frontal_dense.inc.h"
#undef FRONT_COMPLEX

#define FRONT_COMPLEX 1
#include "math/frontal/frontal_dense.inc.h"
#undef FRONT_COMPLEX
