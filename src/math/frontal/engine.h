// engine.h - who factors large symmetric matrices in the place of the fronts of this process: a table of calls, by which all that
// asks for a frontal factor works on several machines. src/mpi has one, of parallel MUMPS.
#pragma once

#include "math/frontal/frontal.h"

typedef struct flx_engine {
    void *self;
    // A's pattern is not kept. FLX_ERR_MEMORY.
    flx_status (*create)(void *self, flx_ctx *ctx, const flx_symmetric *A, void **out);
    void (*destroy)(void *factor);
    // Of a sum of matrices with one pattern; count: the factors are not kept. Fills the report. FLX_SINGULAR, FLX_ERR_MEMORY.
    flx_status (*factor)(void *factor, int nterm, const flx_frontal_term *terms, bool complex_sum,
                         bool count, flx_frontal_report *report);
    // k vectors in place, real or complex as the sum was.
    void (*solve)(void *factor, int k, void *X);
    void (*release)(void *factor); // the factors alone
} flx_engine;

// Of this process, for all factors that are made from here on, but for guarded ones; NULL: its own fronts. Borrowed.
void flx_frontal_set_engine(const flx_engine *engine);
