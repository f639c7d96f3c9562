// libraries_instead.c - what libraries inside an FMU would ask of others, or of the process: nothing is printed and nothing
// ended, and what is asked of the C library is old enough for systems of some years ago.
#define _DEFAULT_SOURCE // getentropy
#include "base/common.h"
#include "flexion/fmi.h"
#include "results/body_file.h"
#include "results/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- libraries that are left out ----------------------------------------------------------------

// The reference BLAS has no threads and no buffers.
int flx_blas_enter(void);
int flx_blas_leave(void);
int flx_blas_enter(void)
{
    return 1;
}
int flx_blas_leave(void)
{
    return 0;
}

flx_status flx_result_read_hdf5(flx_result *r, const char *path)
{
    return FLX_FAIL(r->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s' is a result of HDF5, which cannot be read inside an FMU", path);
}

flx_status flx_fmu_read(flx_ctx *ctx, const char *path, flx_fmu_info **out)
{
    *out = NULL;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s' is an FMU, which does not run inside another one", path);
}

void flx_fmu_info_destroy(flx_fmu_info **info)
{
    *info = NULL;
}

flx_status flx_body_file_write(flx_ctx *ctx, const char *path, const flx_elastic *e,
                               const flx_body_origin *origin)
{
    (void)e, (void)origin;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s': bodies cannot be written inside an FMU", path);
}

bool flx_body_file_is(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".h5") == 0;
}

flx_status flx_body_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              flx_elastic **e, flx_body_origin *origin)
{
    (void)arena, (void)origin;
    *e = NULL;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, loc,
                    "'%s' is a body of HDF5, which cannot be read inside an FMU", path);
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

// Nothing inside an FMU follows the environment.
char *getenv(const char *name)
{
    (void)name;
    return NULL;
}
