// tiny_algebra.c - LU of small systems, for those that bring their own algebra.
#include "flexion/extend/method_table.h"
#include "integrate/newton_matrix.h"
#include "tiny_parts.h"

int tiny_dense_lu(tiny_factors *f)
{
    int n = f->n;
    double complex *a = f->a;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (cabs(a[i * n + k]) > cabs(a[p * n + k])) p = i;
        }
        f->pivot[k] = p;
        if (cabs(a[p * n + k]) == 0.0) return 0;
        for (int j = 0; j < n; j++) {
            double complex swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return 1;
}

void tiny_dense_solve(const tiny_factors *f, double complex *b)
{
    int n = f->n;
    for (int k = 0; k < n; k++) {
        double complex swap = b[k];
        b[k] = b[f->pivot[k]];
        b[f->pivot[k]] = swap;
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) b[i] -= f->a[i * n + k] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= f->a[k * n + j] * b[j];
        b[k] /= f->a[k * n + k];
    }
}

static void *own_factors_create(const flx_system *s, int complex_weight)
{
    (void)complex_weight;
    tiny_factors *f = calloc(1, sizeof *f);
    if (f) f->n = flx_dims_unknowns(&s->dims);
    return f;
}

static void own_factors_destroy(void *factors)
{
    free(factors);
}

static flx_status own_factor(const flx_system *s, const flx_blocks *b, const double c[4],
                             const double ci[4], const signed char *left_out, void *factors)
{
    (void)left_out;
    tiny_factors *f = factors;
    double complex w[3];
    for (int k = 0; k < 3; k++) w[k] = flx_complex(c[k], ci ? ci[k] : 0.0);
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j < f->n; j++) {
            f->a[i * f->n + j] = w[0] * tiny_get(&s->pattern, b->A0, i, j) +
                                 w[1] * tiny_get(&s->pattern, b->A1, i, j) +
                                 w[2] * tiny_get(&s->pattern, b->A2, i, j);
        }
    }
    return tiny_dense_lu(f) ? FLX_OK : FLX_SINGULAR;
}

static flx_status own_solve(const flx_system *s, void *factors, double *rhs, double *rhs_imag)
{
    (void)s;
    double complex b[TINY_MAX];
    tiny_factors *f = factors;
    for (int i = 0; i < f->n; i++) b[i] = flx_complex(rhs[i], rhs_imag ? rhs_imag[i] : 0.0);
    tiny_dense_solve(f, b);
    for (int i = 0; i < f->n; i++) {
        rhs[i] = creal(b[i]);
        if (rhs_imag) rhs_imag[i] = cimag(b[i]);
    }
    return FLX_OK;
}

void tiny_own_algebra(flx_system *s)
{
    tiny *t = (tiny *)s;
    t->ops.factors_create = own_factors_create;
    t->ops.factors_destroy = own_factors_destroy;
    t->ops.factor = own_factor;
    t->ops.solve = own_solve;
}
