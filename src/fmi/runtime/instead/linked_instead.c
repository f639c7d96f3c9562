// linked_instead.c - what static libraries in a library of ours ask of others (in FMUs, in the wheel of Python): nothing is
// printed and nothing ended, and what is asked of the C library is old enough for systems of some years ago.
#define _DEFAULT_SOURCE // getentropy
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- BLAS -------------------------------------------------------------------------------------------

// The reference BLAS has no threads and no buffers.
bool flx_blas_reserve(void);
int flx_blas_enter(void);
int flx_blas_leave(void);
bool flx_blas_reserve(void)
{
    return true;
}
int flx_blas_enter(void)
{
    return 1;
}
int flx_blas_leave(void)
{
    return 0;
}

// ---- Fortran's run-time library ---------------------------------------------------------------------

void _gfortran_concat_string(size_t n, char *to, size_t na, const char *a, size_t nb,
                             const char *b);
void _gfortran_concat_string(size_t n, char *to, size_t na, const char *a, size_t nb, const char *b)
{
    for (size_t i = 0; i < n; i++) to[i] = ' ';
    if (na > n) na = n;
    if (nb > n - na) nb = n - na;
    memcpy(to, a, na);
    memcpy(to + na, b, nb);
}

// Wrong arguments of BLAS and LAPACK are mistakes of ours, which status values tell.
void xerbla_(const char *name, const int *info, size_t length);
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
}
void LAPACKE_xerbla(const char *name, int info);
void LAPACKE_xerbla(const char *name, int info)
{
    (void)name, (void)info;
}
void cblas_xerbla(int p, const char *name, const char *format, ...);
void cblas_xerbla(int p, const char *name, const char *format, ...)
{
    (void)p, (void)name, (void)format;
}

// ---- the C library ------------------------------------------------------------------------------------

// The version of glibc 2.35 is asked for by name otherwise.
double hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = fmax(a, b);
    int exponent = 0;
    if (isinf(a) || isinf(b)) return HUGE_VAL;
    frexp(most, &exponent); // no square overflows or vanishes
    a = ldexp(a, -exponent);
    b = ldexp(b, -exponent);
    return ldexp(sqrt(a * a + b * b), exponent);
}

// Of expat, for the order in its hash tables; that of glibc 2.36 otherwise.
void arc4random_buf(void *to, size_t n);
void arc4random_buf(void *to, size_t n)
{
    for (unsigned char *at = to; n > 0;) {
        size_t some = n < 256 ? n : 256;
        if (getentropy(at, some) != 0) memset(at, 0x5a, some);
        at += some;
        n -= some;
    }
}
