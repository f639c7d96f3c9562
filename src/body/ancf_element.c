// ancf_element.c - what all elements in absolute nodal coordinates have: a constant mass matrix, weight and
// loads along the line, and the places of their numbers.
//
//     M = integral of density S^T S = m (x) 1,   weight = (integral of mass S)^T g                  (ANC-12)
// with the shape functions S of (ANC-10); r and r,x do not couple with the slopes across, whose part of m is
// the moment of inertia of the section times l/3 and l/6.
#include "body/ancf.h"
#include "math/small.h"

void flx_ancf_inertia_make(double l, double mass, int nacross, const double *moments,
                           flx_ancf_inertia *out)
{
    const double line[4][4] = {{13.0 / 35, 11.0 * l / 210, 9.0 / 70, -13.0 * l / 420},
                               {11.0 * l / 210, l * l / 105, 13.0 * l / 420, -l * l / 140},
                               {9.0 / 70, 13.0 * l / 420, 13.0 / 35, -11.0 * l / 210},
                               {-13.0 * l / 420, -l * l / 140, -11.0 * l / 210, l * l / 105}};
    int half = 2 + nacross;
    const int at[4] = {0, 1, half, half + 1};
    *out = (flx_ancf_inertia){.n = 2 * half, .mass = mass};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) out->m[at[i]][at[j]] = mass * l * line[i][j];
    }
    for (int k = 0; k < nacross; k++) {
        int a = 2 + k, b = half + 2 + k;
        out->m[a][a] = out->m[b][b] = moments[k] * l / 3.0;
        out->m[a][b] = out->m[b][a] = moments[k] * l / 6.0;
    }
    out->load[0] = out->load[half] = 0.5 * l;
    out->load[1] = l * l / 12.0;
    out->load[half + 1] = -l * l / 12.0;
}

static inline void gather(const flx_ancf *e, const int *at, const double *x, double *out)
{
    for (int i = 0; i < e->n; i++) {
        for (int c = 0; c < e->dimension; c++) out[e->dimension * i + c] = x[at[i] + c];
    }
}

// out += m x
static inline void add_mass(const flx_ancf *e, const double *x, double *out)
{
    int D = e->dimension;
    for (int i = 0; i < e->n; i++) {
        for (int j = 0; j < e->n; j++) {
            double m = e->inertia->m[i][j];
            for (int c = 0; c < D; c++) out[D * i + c] += m * x[D * j + c];
        }
    }
}

static inline void scatter(const flx_ancf *e, const double *x, double *out)
{
    for (int i = 0; i < e->n; i++) {
        for (int c = 0; c < e->dimension; c++) out[e->v[i] + c] += x[e->dimension * i + c];
    }
}

void flx_ancf_load(const flx_ancf *e, const double force[3], double factor, double *r)
{
    for (int i = 0; i < e->n; i++) {
        double w = factor * e->inertia->load[i];
        for (int c = 0; c < e->dimension; c++) r[e->v[i] + c] += w * force[c];
    }
}

void flx_ancf_residual(int n, const flx_ancf *elements, const flx_ancf_at *p, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        double x[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS], a[FLX_ANCF_NUMBERS],
            f[FLX_ANCF_NUMBERS] = {0};
        gather(e, e->q, p->q, x);
        gather(e, e->v, p->v, u);
        gather(e, e->v, p->a, a);
        if (e->drag != 0) {
            for (int i = 0; i < e->n * e->dimension; i++) a[i] += e->drag * u[i];
        }
        add_mass(e, a, f);
        if (e->rule) {
            flx_ancf_force(e->rule, e->viscosity, x, u, f);
        } else if (e->dimension == 2) {
            flx_cable2_force(&e->cable, x, u, f);
        } else {
            flx_cable_force(&e->cable, x, u, f);
        }
        scatter(e, f, r);
        flx_ancf_load(e, p->g, -e->inertia->mass, r);
    }
}

static inline void place(const flx_ancf *e, const double *B, double *A)
{
    int D = e->dimension, n = e->n * D;
    for (int i = 0; i < e->n; i++) {
        for (int j = 0; j < e->n; j++) {
            double *to = A + e->at[e->n * i + j];
            for (int c = 0; c < D; c++) {
                for (int d = 0; d < D; d++) to[e->width * c + d] += B[n * (D * i + c) + D * j + d];
            }
        }
    }
}

static inline void place_mass(const flx_ancf *e, double factor, double *A)
{
    for (int i = 0; i < e->n; i++) {
        for (int j = 0; j < e->n; j++) {
            double *to = A + e->at[e->n * i + j], m = factor * e->inertia->m[i][j];
            for (int c = 0; c < e->dimension; c++) to[(e->width + 1) * c] += m;
        }
    }
}

void flx_ancf_linearise(int n, const flx_ancf *elements, const flx_ancf_at *p, double *A0,
                        double *A1, double *A2)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        double x[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS];
        double K[FLX_ANCF_NUMBERS * FLX_ANCF_NUMBERS], D[FLX_ANCF_NUMBERS * FLX_ANCF_NUMBERS];
        place_mass(e, 1.0, A2);
        if (!A0) continue;
        gather(e, e->q, p->q, x);
        gather(e, e->v, p->v, u);
        if (e->rule) {
            flx_ancf_tangent(e->rule, e->viscosity, x, u, K, D);
        } else if (e->dimension == 2) {
            flx_cable2_tangent(&e->cable, x, u, K, D);
        } else {
            flx_cable_tangent(&e->cable, x, u, K, D);
        }
        place(e, K, A0);
        if (e->viscosity != 0) place(e, D, A1);
        if (e->drag != 0) place_mass(e, e->drag, A1);
    }
}

void flx_ancf_momentum(int n, const flx_ancf *elements, const flx_ancf_at *p, double *Mv)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        double u[FLX_ANCF_NUMBERS], f[FLX_ANCF_NUMBERS] = {0};
        gather(e, e->v, p->v, u);
        add_mass(e, u, f);
        scatter(e, f, Mv);
    }
}

void flx_ancf_energies(int n, const flx_ancf *elements, const flx_ancf_at *p, flx_energies *out)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        int D = e->dimension;
        double x[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS], f[FLX_ANCF_NUMBERS] = {0};
        double kinetic = 0.0, lost = 0.0;
        gather(e, e->q, p->q, x);
        gather(e, e->v, p->v, u);
        add_mass(e, u, f);
        for (int i = 0; i < e->n * D; i++) kinetic += 0.5 * u[i] * f[i];
        out->kinetic += kinetic;
        if (e->rule) {
            out->strain += flx_ancf_energy(e->rule, e->viscosity, x, u, &lost);
        } else if (D == 2) {
            out->strain += flx_cable2_energy(&e->cable, x, u, &lost);
        } else {
            out->strain += flx_cable_energy(&e->cable, x, u, &lost);
        }
        out->dissipated_power += lost + 2.0 * e->drag * kinetic;
        for (int i = 0; i < e->n; i++) {
            // the position of a rigid shift has shape functions that add up to one
            double w = e->inertia->mass * e->inertia->load[i];
            for (int c = 0; c < D; c++) out->potential -= w * p->g[c] * x[D * i + c];
            v3 r = v3_make(x[D * i], x[D * i + 1], D == 3 ? x[D * i + 2] : 0.0);
            v3 m = v3_make(f[D * i], f[D * i + 1], D == 3 ? f[D * i + 2] : 0.0);
            v3_add_to(out->angular, 1.0, v3_cross(r, m));
        }
        for (int i = 0; i < e->n; i++) {
            double w = e->inertia->mass * e->inertia->load[i];
            for (int c = 0; c < D; c++) out->linear[c] += w * u[D * i + c];
        }
    }
}
