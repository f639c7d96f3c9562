// port_axes.c - ports along the principal axes of what moves them: forces at an interface, and moments there, each along the
// axes of their own static compliance, so that no error depends on how the body lies in its axes (RED-21).
//
//     B' = B Q,  Q^T (B^T K^+ B) Q diagonal for the forces, and for the moments, of an interface                  (RED-21)
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/ritz/ports.h"

#include <string.h>

#define MOST 3 // ports of a group

// How many ports from j on are all forces, or all moments, of an interface: 3, in the plane 2 forces; 1: alone.
static int group_at(const flx_ports *p, int j)
{
    int size = p->nrigid == 6 ? 3 : p->nrigid == 3 ? 2 : 1, c = p->component[j];
    if (size < 2 || j + size > p->count || c % 3 != 0 || (size == 2 && c != 0)) return 1;
    for (int k = 0; k < size; k++) {
        if (p->face[j + k] != p->face[j] || p->component[j + k] != c + k) return 1;
    }
    return size;
}

// X = X Q of d columns, `next` apart, of n numbers `step` apart.
static void turn(int d, const double *Q, size_t n, size_t step, size_t next, double *X)
{
    for (size_t i = 0; i < n; i++) {
        double x[MOST];
        for (int k = 0; k < d; k++) x[k] = X[i * step + (size_t)k * next];
        for (int k = 0; k < d; k++) {
            double sum = 0;
            for (int l = 0; l < d; l++) sum += x[l] * Q[k * d + l];
            X[i * step + (size_t)k * next] = sum;
        }
    }
}

static flx_status turn_group(flx_ports *p, int j, int d, double *X, double *G)
{
    size_t n = (size_t)p->n, count = (size_t)p->count;
    double Q[MOST * MOST], w[MOST];
    double *B = p->B + (size_t)j * n;
    flx_dense_multiply(true, false, d, d, (int)n, B, X + (size_t)j * n, Q);
    for (int a = 0; a < d; a++) {
        for (int b = 0; b < a; b++)
            Q[a * d + b] = Q[b * d + a] = 0.5 * (Q[a * d + b] + Q[b * d + a]);
    }
    FLX_TRY(flx_dense_symmetric_eigen(p->ctx, d, Q, w));
    turn(d, Q, n, 1, n, B);
    turn(d, Q, n, 1, n, X + (size_t)j * n);
    turn(d, Q, (size_t)p->nrigid, count, 1, p->rigid + j);
    turn(d, Q, count, 1, count, G + (size_t)j * count);
    turn(d, Q, count, count, 1, G + j);
    for (int k = 0; k < d; k++) p->first[j + k] = j;
    turn(d, Q, MOST, 1, MOST, p->axes + (size_t)j * MOST);
    return FLX_OK;
}

flx_status flx_ports_find_axes(flx_ports *p, double *X, double *G)
{
    for (int j = 0, d; j < p->count; j += d) {
        d = group_at(p, j);
        if (d > 1) FLX_TRY(turn_group(p, j, d, X, G));
    }
    return FLX_OK;
}

void flx_ports_name(const flx_ports *p, int n, int step, int next, double *X)
{
    for (int j = 0, d; j < p->count; j += d) {
        d = 1;
        while (j + d < p->count && p->first[j + d] == p->first[j]) d++;
        double Q[MOST * MOST];
        if (d == 1) continue;
        for (int k = 0; k < d; k++) { // the transpose of the axes
            for (int l = 0; l < d; l++) Q[k * d + l] = p->axes[(j + l) * MOST + k];
        }
        turn(d, Q, (size_t)n, (size_t)step, (size_t)next, X + (size_t)j * (size_t)next);
    }
}
