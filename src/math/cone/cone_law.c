// cone_law.c - the law of a group as a projection, lambda = projection(lambda - u), with its derivative.
#include "math/cone/cone_parts.h"

#include <math.h>
#include <string.h>

// Onto the disc of this radius; D (in 3 x 3, from its corner) and its derivative by the radius.
static void project_disc(int n, const double *y, double radius, double *out, double *D,
                         double *by_radius)
{
    double size = n == 1 ? fabs(y[0]) : hypot(y[0], y[1]);
    bool inside = size <= radius;
    for (int i = 0; i < n; i++) {
        double e = inside ? 0.0 : y[i] / size;
        out[i] = inside ? y[i] : radius * e;
        if (!D) continue;
        by_radius[i] = inside ? 0.0 : e;
        for (int j = 0; j < n; j++) {
            double same = i == j ? 1.0 : 0.0;
            D[3 * i + j] = inside ? same : radius / size * (same - e * y[j] / size);
        }
    }
}

// (CONE-3) of Coulomb's law: lambda_n = max(0, y_n), lambda_t = y_t onto the disc of radius f lambda_n
static void project_coulomb(const flx_cone_member *g, const double *y, double *out, double *D)
{
    int nt = g->n - 1;
    double by[2] = {0};
    out[0] = y[0] > 0 ? y[0] : 0.0;
    if (D) D[0] = y[0] > 0 ? 1.0 : 0.0;
    if (nt == 0) return;
    project_disc(nt, y + 1, g->f * out[0], out + 1, D ? D + 4 : NULL, by);
    if (!D) return;
    for (int i = 0; i < nt; i++) D[3 * (i + 1)] = D[0] * g->f * by[i];
}

void flx_cone_project(const flx_cone_member *g, const double *y, double *out, double *D)
{
    double by[2];
    if (D) memset(D, 0, 9 * sizeof *D);
    switch (g->kind) {
    case FLX_CONE_HOLDS:
        out[0] = y[0];
        if (D) D[0] = 1.0;
        break;
    case FLX_CONE_COULOMB:
        project_coulomb(g, y, out, D);
        break;
    case FLX_CONE_DISC:
        project_disc(g->n, y, g->limit, out, D, by);
        break;
    case FLX_CONE_DIRECTED:
        out[0] = y[0] > 0 ? y[0] : 0.0;
        for (int i = 1; i < g->n; i++) out[i] = -g->f * out[0] * g->slip[i - 1];
        if (!D) break;
        D[0] = y[0] > 0 ? 1.0 : 0.0;
        for (int i = 1; i < g->n; i++) D[3 * i] = -D[0] * g->f * g->slip[i - 1];
        break;
    case FLX_CONE_PUSHED:
        for (int i = 0; i < g->n; i++) out[i] = -g->limit * g->slip[i];
        break;
    }
}

double flx_cone_natural(const flx_cone *c, double r, const double *lam, const double *u, double *F,
                        double *D)
{
    double sum = 0;
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        double y[3], z[3];
        for (int i = 0; i < g->n; i++) y[i] = lam[g->first + i] - r * u[g->first + i];
        flx_cone_project(g, y, z, D ? D + 9 * k : NULL);
        for (int i = g->first; i < g->first + g->n; i++) {
            F[i] = lam[i] - z[i - g->first];
            sum += F[i] * F[i];
        }
    }
    return sum;
}

static double size_of(const flx_cone *c, const flx_cone_member *g, const double *lam,
                      const double *u)
{
    double size = 0;
    for (int i = g->first; i < g->first + g->n; i++)
        size = fmax(size, fabs(lam[i]) + fabs(u[i]) + fabs(c->b[i]));
    return size;
}

double flx_cone_residual(const flx_cone *c, const double *lam, const double *u, const double *F,
                         int *worst)
{
    double largest = 0, most = 0;
    *worst = -1;
    for (int k = 0; k < c->ngroup; k++) largest = fmax(largest, size_of(c, &c->group[k], lam, u));
    if (!isfinite(largest)) return HUGE_VAL;
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        // a group that is still beside the others has their rounding
        double size = fmax(size_of(c, g, lam, u), 1e-4 * largest), own = 0;
        for (int i = g->first; i < g->first + g->n; i++) own = fmax(own, fabs(F[i]));
        if (own > most * size) most = own / size, *worst = k;
    }
    return most;
}
