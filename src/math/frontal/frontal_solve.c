// frontal_solve.c - substitutions for several right sides at once: the factors are read once for all of
// them. Right sides are kept row by row, so that a row is one piece of memory.
#include "math/blas.h"
#include "math/frontal/frontal_parts.h"

#include <string.h>

#define FRONT_COMPLEX 0
#include "math/frontal/frontal_solve.inc.h"
#undef FRONT_COMPLEX

#define FRONT_COMPLEX 1
#include "math/frontal/frontal_solve.inc.h"
#undef FRONT_COMPLEX

flx_status flx_frontal_reserve(flx_frontal *f, int k)
{
    if (k <= f->rhs_capacity || f->far) return FLX_OK;
    flx_free(f->X);
    flx_free(f->Y);
    f->X = flx_alloc(f->ctx, (size_t)f->n * k, sizeof *f->X);
    f->Y = flx_alloc(f->ctx, (size_t)f->max_row * k, sizeof *f->Y);
    f->rhs_capacity = f->X && f->Y ? k : 0;
    return f->rhs_capacity ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_frontal_solve(flx_frontal *f, int k, double *X)
{
    if (f->far) {
        f->engine->solve(f->far, k, X);
        return;
    }
    solve(f, k, f->order, X);
}

void flx_frontal_solve_complex(flx_frontal *f, int k, double complex *X)
{
    if (f->far) {
        f->engine->solve(f->far, k, X);
        return;
    }
    solve_complex(f, k, f->order, X);
}

void flx_frontal_solve_ordered(flx_frontal *f, int k, double *X)
{
    if (f->far) { // in whose order unknowns stay where they are
        f->engine->solve(f->far, k, X);
        return;
    }
    solve(f, k, NULL, X);
}

const int *flx_frontal_order(const flx_frontal *f)
{
    return f->order;
}
