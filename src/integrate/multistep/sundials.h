// sundials.h - what the methods on SUNDIALS share: its context, its vectors, its complaints.
//
// SUNDIALS allocates when it is made and when it is started again; a step allocates nothing.
#pragma once

#include "integrate/method.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

typedef struct flx_sundials {
    SUNContext context; // owned
    N_Vector y;         // owned: the solution
    N_Vector other[3];  // owned: as many as the method asked for
} flx_sundials;

// n numbers a vector. Everything made so far is destroyed by flx_sundials_close.
flx_status flx_sundials_open(flx_integrator *it, int n, int nother, flx_sundials *s);
void flx_sundials_close(flx_sundials *s);

static inline double *flx_sundials_values(N_Vector v)
{
    return N_VGetArrayPointer(v);
}

// Its messages are not printed: the status says what there is to say.
void flx_sundials_hush(int code, const char *module, const char *function, char *text, void *user);

// The smallest step: a few of the last bits of time, so that no run creeps up to where it cannot go.
double flx_sundials_smallest(double t, double h_most);

// What a function that SUNDIALS calls returns for a status: 0, try a smaller step, give up.
int flx_sundials_answer(flx_status status);
