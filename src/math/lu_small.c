// lu_small.c - LU with row pivoting of small full matrices. Complex numbers are written out: the
// products of the language look at infinities each time.
#include "math/lu_small.h"

#include <math.h>

static void swap_rows(int n, double *a, int i, int j)
{
    for (int k = 0; k < n; k++) {
        double swap = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = swap;
    }
}

// Size of an entry; exact is not needed to choose a pivot.
static double size_of(const flx_lu_small *f, int i, bool is_complex)
{
    return is_complex ? fabs(f->a[i]) + fabs(f->a_imag[i]) : fabs(f->a[i]);
}

static bool scale_rows(flx_lu_small *f, bool is_complex)
{
    int n = f->n;
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int j = i * n; j < (i + 1) * n; j++) {
            double size = size_of(f, j, is_complex);
            if (!(size <= most)) most = size;
        }
        if (!(most > 0.0) || !(most <= HUGE_VAL / 2.0)) return false;
        f->row[i] = 1.0 / most;
        for (int j = i * n; j < (i + 1) * n; j++) {
            f->a[j] *= f->row[i];
            if (is_complex) f->a_imag[j] *= f->row[i];
        }
    }
    return true;
}

// The row of the largest entry of column k comes to the diagonal; the size of the entry.
static double choose_pivot(flx_lu_small *f, int k, bool is_complex)
{
    int n = f->n, p = k;
    double most = size_of(f, k * n + k, is_complex);
    for (int i = k + 1; i < n; i++) {
        double size = size_of(f, i * n + k, is_complex);
        if (size > most) {
            most = size;
            p = i;
        }
    }
    f->pivot[k] = p;
    if (p == k) return most;
    swap_rows(n, f->a, k, p);
    if (is_complex) swap_rows(n, f->a_imag, k, p);
    return most;
}

static void note_pivot(double size, double *least, double *most)
{
    if (!(size >= *least)) *least = size;
    if (size > *most) *most = size;
}

bool flx_lu_small_factor(flx_lu_small *f)
{
    int n = f->n;
    double *a = f->a, least = HUGE_VAL, most = 0.0;
    f->rcond = 0.0;
    if (!scale_rows(f, false)) return false;
    for (int k = 0; k < n; k++) {
        double size = choose_pivot(f, k, false);
        if (!(size > 0.0)) return false;
        note_pivot(size, &least, &most);
        double inverse = 1.0 / a[k * n + k];
        a[k * n + k] = inverse;
        for (int i = k + 1; i < n; i++) {
            double l = a[i * n + k] *= inverse;
            if (l == 0.0) continue;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= l * a[k * n + j];
        }
    }
    f->rcond = n ? least / most : 1.0;
    return true;
}

bool flx_lu_small_factor_complex(flx_lu_small *f)
{
    int n = f->n;
    double *a = f->a, *b = f->a_imag, least = HUGE_VAL, most = 0.0;
    f->rcond = 0.0;
    if (!scale_rows(f, true)) return false;
    for (int k = 0; k < n; k++) {
        double size = choose_pivot(f, k, true);
        if (!(size > 0.0)) return false;
        note_pivot(size, &least, &most);
        int kk = k * n + k;
        double square = a[kk] * a[kk] + b[kk] * b[kk], re = a[kk] / square, im = -b[kk] / square;
        a[kk] = re;
        b[kk] = im;
        for (int i = k + 1; i < n; i++) {
            int ik = i * n + k;
            double lr = a[ik] * re - b[ik] * im, li = a[ik] * im + b[ik] * re;
            a[ik] = lr;
            b[ik] = li;
            if (lr == 0.0 && li == 0.0) continue;
            for (int j = k + 1; j < n; j++) {
                double ur = a[k * n + j], ui = b[k * n + j];
                a[i * n + j] -= lr * ur - li * ui;
                b[i * n + j] -= lr * ui + li * ur;
            }
        }
    }
    f->rcond = n ? least / most : 1.0;
    return true;
}

void flx_lu_small_solve(const flx_lu_small *f, double *b)
{
    int n = f->n;
    for (int i = 0; i < n; i++) b[i] *= f->row[i];
    for (int i = 0; i < n; i++) {
        int p = f->pivot[i];
        double sum = b[p];
        b[p] = b[i];
        b[i] = sum;
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) b[i] -= f->a[i * n + j] * b[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= f->a[i * n + j] * b[j];
        b[i] = sum * f->a[i * n + i];
    }
}

void flx_lu_small_solve_complex(const flx_lu_small *f, double *b)
{
    int n = f->n;
    for (int i = 0; i < n; i++) {
        b[2 * i] *= f->row[i];
        b[2 * i + 1] *= f->row[i];
    }
    for (int i = 0; i < n; i++) {
        int p = f->pivot[i];
        double re = b[2 * p], im = b[2 * p + 1];
        b[2 * p] = b[2 * i];
        b[2 * p + 1] = b[2 * i + 1];
        b[2 * i] = re;
        b[2 * i + 1] = im;
    }
    for (int i = 1; i < n; i++) {
        double re = b[2 * i], im = b[2 * i + 1];
        for (int j = 0; j < i; j++) {
            double lr = f->a[i * n + j], li = f->a_imag[i * n + j];
            re -= lr * b[2 * j] - li * b[2 * j + 1];
            im -= lr * b[2 * j + 1] + li * b[2 * j];
        }
        b[2 * i] = re;
        b[2 * i + 1] = im;
    }
    for (int i = n - 1; i >= 0; i--) {
        double re = b[2 * i], im = b[2 * i + 1];
        for (int j = i + 1; j < n; j++) {
            double ur = f->a[i * n + j], ui = f->a_imag[i * n + j];
            re -= ur * b[2 * j] - ui * b[2 * j + 1];
            im -= ur * b[2 * j + 1] + ui * b[2 * j];
        }
        double pr = f->a[i * n + i], pi = f->a_imag[i * n + i];
        b[2 * i] = re * pr - im * pi;
        b[2 * i + 1] = re * pi + im * pr;
    }
}
