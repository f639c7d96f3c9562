// complex_number.h - a complex number from its parts.
#pragma once

#include <complex.h>
#include <string.h>

#undef I // it is a name for matrices, and flx_complex makes numbers

// re + im i. CMPLX of <complex.h> is not there for every compiler we build with.
static inline double complex flx_complex(double re, double im)
{
    double part[2] = {re, im};
    double complex z;
    memcpy(&z, part, sizeof z);
    return z;
}
