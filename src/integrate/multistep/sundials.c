// sundials.c - vectors and context of SUNDIALS.
#include "integrate/multistep/sundials.h"

#include "integrate/step_control.h"

#include <math.h>
#include <nvector/nvector_serial.h>

flx_status flx_sundials_open(flx_integrator *it, int n, int nother, flx_sundials *s)
{
    bool made = SUNContext_Create(NULL, &s->context) == 0;
    if (made) s->y = N_VNew_Serial(n, s->context);
    made = made && s->y;
    for (int i = 0; i < nother && made; i++) {
        s->other[i] = N_VNew_Serial(n, s->context);
        made = s->other[i] != NULL;
    }
    return made ? FLX_OK : FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

void flx_sundials_close(flx_sundials *s)
{
    for (int i = 0; i < 3; i++) {
        if (s->other[i]) N_VDestroy(s->other[i]);
    }
    if (s->y) N_VDestroy(s->y);
    if (s->context) SUNContext_Free(&s->context);
    *s = (flx_sundials){0};
}

void flx_sundials_hush(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

double flx_sundials_smallest(double t, double h_most)
{
    return fmin(flx_step_smallest(t, h_most), 0.5 * h_most);
}

int flx_sundials_answer(flx_status status)
{
    return status == FLX_OK ? 0 : status > 0 ? 1 : -1;
}
