// drag.c - damping proportional to inertia: r_v += alpha M v.
#include "body/drag.h"

void flx_drag_residual(int n, const flx_drag *p, const double *v, double *r)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < p[i].n; k++) r[p[i].v + k] += p[i].c[k] * v[p[i].v + k];
    }
}

void flx_drag_linearise(int n, const flx_drag *p, double *A1)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < p[i].n; k++) A1[p[i].diag + (p[i].n + 1) * k] += p[i].c[k];
    }
}

void flx_drag_energy(int n, const flx_drag *p, const double *v, flx_energies *e)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < p[i].n; k++) {
            double x = v[p[i].v + k];
            e->dissipated_power += p[i].c[k] * x * x;
        }
    }
}
