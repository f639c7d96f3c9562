// frontal_dense.c - the arithmetic of one front, in blocks so that nearly all of it is matrix products: of real numbers, whose
// pivots may be guarded, and of complex ones.
#include "math/blas.h"
#include "math/frontal/frontal_parts.h"

#include <float.h>
#include <math.h>

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

#define FRONT_COMPLEX 0
#include "math/frontal/frontal_dense.inc.h"
#undef FRONT_COMPLEX

#define FRONT_COMPLEX 1
#include "math/frontal/frontal_dense.inc.h"
#undef FRONT_COMPLEX
