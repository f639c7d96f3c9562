// port_direct.c - responses of a whole structure at a frequency by one complex symmetric factorisation.
//
//     A(w) = p K + i S + i w D - (w^2 - i w alpha) M,   H = B^T A^-1 B                             (RED-17)
// Loads are relieved: what they do has no rigid motion, so that H is the elastic part at any frequency.
#include "math/frontal/frontal.h"
#include "reduce/ritz/ports.h"

#include <math.h>

static flx_status factor(const flx_free_structure *s, const flx_damping *d, double omega,
                         flx_frontal *f)
{
    int n = 2;
    flx_frontal_term terms[FLX_FRONTAL_TERMS] = {
        {flx_complex(1, d->loss + omega * d->beta), s->K},
        {flx_complex(-omega * omega, omega * d->alpha), s->M}};
    if (s->S) terms[n++] = (flx_frontal_term){flx_complex(0, 1), s->S};
    if (s->D) terms[n++] = (flx_frontal_term){flx_complex(0, omega), s->D};
    return flx_frontal_factor_complex(f, n, terms);
}

flx_status flx_port_respond_directly(const flx_free_structure *s, const flx_ports *ports,
                                     const flx_damping *d, double omega, flx_frontal *f,
                                     double complex *X, double complex *H)
{
    int p = ports->count;
    size_t n = (size_t)ports->n;
    flx_status status = factor(s, d, omega, f);
    if (status == FLX_SINGULAR && omega > 0) { // a pivot of a leading part: beside it there is none
        status = factor(s, d, omega * (1 + 1e-9), f);
    }
    if (status != FLX_OK) return status;
    for (size_t i = 0; i < (size_t)p * n; i++) X[i] = ports->B[i];
    flx_frontal_solve_complex(f, p, X);
    for (int j = 0; j < p; j++) {
        for (int i = 0; i <= j; i++) {
            const double *b = ports->B + (size_t)i * n;
            const double complex *x = X + (size_t)j * n;
            double re = 0, im = 0;
            for (size_t k = 0; k < n; k++) {
                re += b[k] * creal(x[k]);
                im += b[k] * cimag(x[k]);
            }
            double scale = ports->scale[i] * ports->scale[j];
            H[j * p + i] = H[i * p + j] = flx_complex(scale * re, scale * im);
        }
    }
    return FLX_OK;
}
