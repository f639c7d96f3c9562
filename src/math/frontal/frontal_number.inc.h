// frontal_number.inc.h - the type of number that frontal_dense.inc.h, frontal_walk.inc.h and frontal_solve.inc.h are compiled
// for, real or complex symmetric. Included by each of them, with FRONT_COMPLEX 0 or 1; transposes never conjugate.
#undef FRONT
#undef number
#undef FRONT_SIZE
#undef FRONT_FINITE
#undef FRONT_PARTS
#undef FRONT_PRODUCT
#undef FRONT_SUBSTITUTE
#if FRONT_COMPLEX
#define FRONT(name) name##_complex
#define number double complex
#define FRONT_SIZE(x) cabs(x)
#define FRONT_FINITE(x) (isfinite(creal(x)) && isfinite(cimag(x)))
#define FRONT_PARTS 2
// C = alpha A op(B) + beta C
#define FRONT_PRODUCT(trans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)                         \
    do {                                                                                           \
        const double complex one_ = (alpha), other_ = (beta);                                      \
        FLX_ONE_THREAD cblas_zgemm(CblasColMajor, CblasNoTrans, trans, m, n, k, &one_, A, lda, B,  \
                                   ldb, &other_, C, ldc);                                          \
    } while (0)
// B = B op(L)^-1, L unit lower
#define FRONT_SUBSTITUTE(trans, m, n, L, ldl, B, ldb)                                              \
    do {                                                                                           \
        const double complex one_ = 1.0;                                                           \
        FLX_ONE_THREAD cblas_ztrsm(CblasColMajor, CblasRight, CblasLower, trans, CblasUnit, m, n,  \
                                   &one_, L, ldl, B, ldb);                                         \
    } while (0)
#else
#define FRONT(name) name
#define number double
#define FRONT_SIZE(x) fabs(x)
#define FRONT_FINITE(x) isfinite(x)
#define FRONT_PARTS 1
#define FRONT_PRODUCT(trans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)                         \
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, trans, m, n, k, alpha, A, lda, B, ldb, \
                               beta, C, ldc)
#define FRONT_SUBSTITUTE(trans, m, n, L, ldl, B, ldb)                                              \
    FLX_ONE_THREAD cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, trans, CblasUnit, m, n, 1.0, \
                               L, ldl, B, ldb)
#endif
