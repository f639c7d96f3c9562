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
    *out = (flx_ancf_inertia){.n = 2 * half};
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
    for (int i = 0; i < 2 * half; i++) out->weight[i] = mass * out->load[i];
}

void flx_ancf_inertia_sum(double l, int nacross, int n, const double *at, const double *weight,
                          const double *mass, const double (*moments)[2], flx_ancf_inertia *out)
{
    int half = 2 + nacross;
    const int place[4] = {0, 1, half, half + 1};
    const double none[2] = {0, 0};
    flx_ancf_inertia_make(l, 0, nacross, none, out);
    for (int p = 0; p < n; p++) {
        double x = at[p], w = l * weight[p], m = w * mass[p];
        const double N[4] = {1.0 - 3.0 * x * x + 2.0 * x * x * x, l * (x - 2.0 * x * x + x * x * x),
                             3.0 * x * x - 2.0 * x * x * x, l * (x * x * x - x * x)};
        for (int i = 0; i < 4; i++) {
            out->weight[place[i]] += m * N[i];
            for (int j = 0; j < 4; j++) out->m[place[i]][place[j]] += m * N[i] * N[j];
        }
        for (int k = 0; k < nacross; k++) {
            int a = 2 + k, b = half + 2 + k;
            double J = w * moments[p][k];
            out->m[a][a] += J * (1.0 - x) * (1.0 - x);
            out->m[b][b] += J * x * x;
            out->m[a][b] += J * x * (1.0 - x);
            out->m[b][a] = out->m[a][b];
        }
    }
}

// Sizes are arguments where they are known when this is compiled: loops are then straight code.
static inline void gather(int n, int D, const int *at, const double *x, double *out)
{
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < D; c++) out[D * i + c] = x[at[i] + c];
    }
}

// out += m x
static inline void add_mass(int n, int D, const flx_ancf_inertia *m, const double *x, double *out)
{
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < D; c++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += m->m[i][j] * x[D * j + c];
            out[D * i + c] += sum;
        }
    }
}

static inline void scatter(int n, int D, const int *at, const double *x, double *out)
{
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < D; c++) out[at[i] + c] += x[D * i + c];
    }
}

// Masses and weight; the vectors and their rates are left in x and u.
static inline void begin_forces(int n, int D, const flx_ancf *e, const flx_ancf_at *p, double *x,
                                double *u, double *f)
{
    double a[FLX_ANCF_NUMBERS];
    gather(n, D, e->q, p->q, x);
    gather(n, D, e->v, p->v, u);
    gather(n, D, e->v, p->a, a);
    if (e->drag != 0) {
        for (int i = 0; i < n * D; i++) a[i] += e->drag * u[i];
    }
    for (int i = 0; i < n; i++) {
        double w = e->inertia->weight[i];
        for (int c = 0; c < D; c++) f[D * i + c] = -w * p->g[c];
    }
    add_mass(n, D, e->inertia, a, f);
}

void flx_ancf_forces(const flx_ancf *e, const flx_ancf_at *p, double *f)
{
    double x[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS];
    if (e->rule) {
        begin_forces(e->n, e->dimension, e, p, x, u, f);
        flx_ancf_force(e->rule, e->viscosity, x, u, f);
    } else if (e->dimension == 2) {
        begin_forces(4, 2, e, p, x, u, f);
        flx_cable2_force(&e->cable, x, u, f);
    } else {
        begin_forces(4, 3, e, p, x, u, f);
        flx_cable_force(&e->cable, x, u, f);
    }
}

void flx_ancf_residual(int n, const flx_ancf *elements, const flx_ancf_at *p, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        double f[FLX_ANCF_NUMBERS];
        flx_ancf_forces(e, p, f);
        if (!e->rule && e->dimension == 2) {
            scatter(4, 2, e->v, f, r);
        } else {
            scatter(e->n, e->dimension, e->v, f, r);
        }
    }
}

static inline void place(int n, int D, const flx_ancf *e, const double *B, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double *to = A + e->at[n * i + j];
            const double *from = B + n * D * D * i + D * j;
            for (int c = 0; c < D; c++) {
                for (int d = 0; d < D; d++) to[e->width * c + d] += from[n * D * c + d];
            }
        }
    }
}

static inline void place_mass(int n, int D, const flx_ancf *e, double factor, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double *to = A + e->at[n * i + j], m = factor * e->inertia->m[i][j];
            for (int c = 0; c < D; c++) to[(e->width + 1) * c] += m;
        }
    }
}

void flx_ancf_linearise(int count, const flx_ancf *elements, const flx_ancf_at *p, double *A0,
                        double *A1, double *A2)
{
    for (int k = 0; k < count; k++) {
        const flx_ancf *e = elements + k;
        int n = e->n, D = e->dimension;
        double x[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS];
        double K[FLX_ANCF_NUMBERS * FLX_ANCF_NUMBERS], V[FLX_ANCF_NUMBERS * FLX_ANCF_NUMBERS];
        place_mass(n, D, e, 1.0, A2);
        if (!A0) continue;
        gather(n, D, e->q, p->q, x);
        gather(n, D, e->v, p->v, u);
        double *rates = e->viscosity != 0 ? V : NULL;
        if (e->rule) {
            flx_ancf_tangent(e->rule, e->viscosity, x, u, K, rates);
            place(n, D, e, K, A0);
        } else if (D == 2) {
            flx_cable2_tangent(&e->cable, x, u, K, rates);
            place(4, 2, e, K, A0);
        } else {
            flx_cable_tangent(&e->cable, x, u, K, rates);
            place(4, 3, e, K, A0);
        }
        if (rates) place(n, D, e, rates, A1);
        if (e->drag != 0) place_mass(n, D, e, e->drag, A1);
    }
}

void flx_ancf_discrete(int n, const flx_ancf *elements, const double *q0, const double *q1,
                       double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        int m = e->n, D = e->dimension;
        double x0[FLX_ANCF_NUMBERS], x1[FLX_ANCF_NUMBERS], middle[FLX_ANCF_NUMBERS];
        double f[FLX_ANCF_NUMBERS] = {0};
        gather(m, D, e->q, q0, x0);
        gather(m, D, e->q, q1, x1);
        for (int i = 0; i < m * D; i++) middle[i] = 0.5 * (x0[i] + x1[i]);
        if (e->rule) {
            flx_ancf_discrete_force(e->rule, x0, x1, middle, f);
        } else if (D == 2) {
            flx_cable2_discrete_force(&e->cable, x0, x1, middle, f);
        } else {
            continue;
        }
        scatter(m, D, e->v, f, r);
    }
}

void flx_ancf_momentum(int n, const flx_ancf *elements, const flx_ancf_at *p, double *Mv)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        double u[FLX_ANCF_NUMBERS], f[FLX_ANCF_NUMBERS] = {0};
        gather(e->n, e->dimension, e->v, p->v, u);
        add_mass(e->n, e->dimension, e->inertia, u, f);
        scatter(e->n, e->dimension, e->v, f, Mv);
    }
}

void flx_ancf_energies(int n, const flx_ancf *elements, const flx_ancf_at *p, flx_energies *out)
{
    for (int k = 0; k < n; k++) {
        const flx_ancf *e = elements + k;
        int D = e->dimension;
        double x[FLX_ANCF_NUMBERS] = {0}, u[FLX_ANCF_NUMBERS] = {0}, f[FLX_ANCF_NUMBERS] = {0};
        double kinetic = 0.0, lost = 0.0;
        gather(e->n, D, e->q, p->q, x);
        gather(e->n, D, e->v, p->v, u);
        add_mass(e->n, D, e->inertia, u, f);
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
            double w = e->inertia->weight[i];
            for (int c = 0; c < D; c++) out->potential -= w * p->g[c] * x[D * i + c];
            v3 r = v3_make(x[D * i], x[D * i + 1], D == 3 ? x[D * i + 2] : 0.0);
            v3 m = v3_make(f[D * i], f[D * i + 1], D == 3 ? f[D * i + 2] : 0.0);
            v3_add_to(out->angular, 1.0, v3_cross(r, m));
        }
        for (int i = 0; i < e->n; i++) {
            double w = e->inertia->weight[i];
            for (int c = 0; c < D; c++) out->linear[c] += w * u[D * i + c];
        }
    }
}
