// linear_solve.c - responses with the digits that the numbers of a linear model have; see linear_solve.h.
#include "analyse/linear/linear_solve.h"

#include "math/complex_number.h"

#include <math.h>
#include <string.h>

#define REFINED 4

flx_status flx_linear_solver_create(const flx_linear_model *m, flx_arena *arena,
                                    flx_linear_solver *out)
{
    size_t n = (size_t)m->n + 1;
    *out = (flx_linear_solver){.m = m, .n = m->n};
    out->R = flx_arena_take(arena, n * n, sizeof *out->R);
    out->x = flx_arena_take(arena, n, sizeof *out->x);
    out->c = flx_arena_take(arena, 2 * n, sizeof *out->c);
    out->turn = flx_arena_take(arena, n, sizeof *out->turn);
    return out->R && out->x && out->c && out->turn ? FLX_OK : FLX_ERR_MEMORY;
}

// R = s - A = L U, the largest of rows in their sizes first.
static bool factor(flx_linear_solver *k, double complex s)
{
    int n = k->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) k->R[i * n + j] = (i == j ? s : 0.0) - k->m->A[i * n + j];
        k->turn[i] = i;
    }
    for (int p = 0; p < n; p++) {
        int best = -1;
        double most = 0.0;
        for (int i = p; i < n; i++) {
            const double complex *row = k->R + k->turn[i] * n;
            double size = 0.0;
            for (int j = p; j < n; j++) size = fmax(size, cabs(row[j]));
            double part = size > 0.0 ? cabs(row[p]) / size : 0.0;
            if (part <= most) continue;
            most = part;
            best = i;
        }
        if (best < 0) return false;
        int kept = k->turn[p];
        k->turn[p] = k->turn[best];
        k->turn[best] = kept;
        const double complex *pivot = k->R + k->turn[p] * n;
        for (int i = p + 1; i < n; i++) {
            double complex *row = k->R + k->turn[i] * n, by = row[p] / pivot[p];
            row[p] = by;
            for (int j = p + 1; j < n && by != 0.0; j++) row[j] -= by * pivot[j];
        }
    }
    return true;
}

// x += (L U)^-1 c
static void add_solution(const flx_linear_solver *k)
{
    int n = k->n;
    double complex *z = k->c + n;
    for (int i = 0; i < n; i++) {
        z[i] = k->c[k->turn[i]];
        for (int j = 0; j < i; j++) z[i] -= k->R[k->turn[i] * n + j] * z[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) z[i] -= k->R[k->turn[i] * n + j] * z[j];
        z[i] /= k->R[k->turn[i] * n + i];
    }
    for (int i = 0; i < n; i++) k->x[i] += z[i];
}

// (s - A) x = b of one input; what is left of it is found with more digits, since rates may be very unlike.
static void solve(const flx_linear_solver *k, double complex s, int input)
{
    int n = k->n;
    const long double sr = (long double)creal(s), si = (long double)cimag(s);
    memset(k->x, 0, (size_t)n * sizeof *k->x);
    for (int pass = 0; pass < REFINED; pass++) {
        for (int i = 0; i < n; i++) {
            long double re = (long double)k->m->B[i * k->m->nin + input], im = 0.0L;
            long double xr = (long double)creal(k->x[i]), xi = (long double)cimag(k->x[i]);
            re -= sr * xr - si * xi;
            im -= sr * xi + si * xr;
            for (int j = 0; j < n; j++) {
                re += (long double)k->m->A[i * n + j] * (long double)creal(k->x[j]);
                im += (long double)k->m->A[i * n + j] * (long double)cimag(k->x[j]);
            }
            k->c[i] = flx_complex((double)re, (double)im);
        }
        add_solution(k);
    }
}

bool flx_linear_solver_respond(flx_linear_solver *k, double complex s, double complex *y)
{
    const flx_linear_model *m = k->m;
    if (!factor(k, s)) return false;
    for (int in = 0; in < m->nin; in++) {
        solve(k, s, in);
        for (int i = 0; i < m->nout; i++) {
            int at = i * m->nin + in;
            double complex sum = m->D[at];
            if (m->D1) sum += s * m->D1[at];
            if (m->D2) sum += s * s * m->D2[at];
            for (int j = 0; j < k->n; j++) sum += m->C[i * k->n + j] * k->x[j];
            if (!isfinite(creal(sum)) || !isfinite(cimag(sum))) return false;
            y[at] = sum;
        }
    }
    return true;
}
