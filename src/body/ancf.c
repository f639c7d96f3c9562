// ancf.c - beams in absolute nodal coordinates with slopes across the line, in the plane and in space: forces
// of their strains. Every strain is a sum of products of derivatives u_p of the position, which are linear in
// the element's vectors e_j:
//
//     u_p = sum_j s_pj e_j,   strain_k = sum_pq Q_kpq u_p.u_q/2 - rest_k,   Q symmetric              (ANC-7)
//     stress = C (strain + viscosity strain'),   force on u_p = sum_q S_pq u_q,  S = sum_k stress_k Q_k   (ANC-8)
// so the second derivatives are constants, and the tangent is exact with what is at hand:
//
//     dforce_p = S_pq du_q + g_kp C_kl (g_lq + viscosity g'_lq) . du_q,   g_kp = Q_kpq u_q          (ANC-9)
#include "body/ancf.h"

#include <string.h>

typedef struct term { // strain += factor u_p . u_q
    int strain, p, q;
    double factor;
} term;

#define MOST_TERMS 6

typedef struct strains {
    int nvector, nstrain, nterm;
    term terms[MOST_TERMS];
} strains;

static const strains table[] = {
    [FLX_ANCF_PLANE] = {2, 3, 3, {{0, 0, 0, 0.5}, {1, 1, 1, 0.5}, {2, 0, 1, 1}}},
    [FLX_ANCF_SPACE] = {3,
                        6,
                        6,
                        {{0, 0, 0, 0.5},
                         {1, 1, 1, 0.5},
                         {2, 2, 2, 0.5},
                         {3, 0, 1, 1},
                         {4, 1, 2, 1},
                         {5, 0, 2, 1}}},
    [FLX_ANCF_AXIS2] = {2, 2, 2, {{0, 0, 0, 0.5}, {1, 0, 1, 1}}},
    [FLX_ANCF_AXIS] = {3, 3, 3, {{0, 0, 0, 0.5}, {1, 0, 1, 1}, {2, 0, 2, 1}}},
    [FLX_ANCF_SECTION2] = {1, 1, 1, {{0, 0, 0, 0.5}}},
    [FLX_ANCF_SECTION] = {2, 3, 3, {{0, 0, 0, 0.5}, {1, 1, 1, 0.5}, {2, 0, 1, 1}}},
    [FLX_ANCF_CURVATURE2] = {2, 1, 1, {{0, 0, 1, 1}}},
    [FLX_ANCF_CURVATURE] = {5, 3, 4, {{0, 0, 3, 1}, {1, 0, 4, 1}, {2, 2, 3, 0.5}, {2, 1, 4, -0.5}}},
};

typedef struct local { // at one point
    double u[FLX_ANCF_VECTORS][3], du[FLX_ANCF_VECTORS][3];
    double strain[FLX_ANCF_STRAINS], rate[FLX_ANCF_STRAINS], stress[FLX_ANCF_STRAINS];
} local;

static void derivatives(const flx_ancf_rule *r, const flx_ancf_point *p, int m, const double *e,
                        double u[][3])
{
    for (int k = 0; k < m; k++) {
        for (int c = 0; c < r->dimension; c++) {
            double sum = 0.0;
            for (int j = 0; j < r->n; j++) sum += p->shape[k][j] * e[r->dimension * j + c];
            u[k][c] = sum;
        }
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void evaluate(const flx_ancf_rule *r, const flx_ancf_point *p, double viscosity,
                     const double *e, const double *u, local *o)
{
    const strains *s = table + p->kind;
    int D = r->dimension;
    derivatives(r, p, s->nvector, e, o->u);
    for (int k = 0; k < s->nstrain; k++) o->strain[k] = -p->rest[k], o->rate[k] = 0.0;
    for (int i = 0; i < s->nterm; i++) {
        const term *t = s->terms + i;
        o->strain[t->strain] += t->factor * dot(D, o->u[t->p], o->u[t->q]);
    }
    if (viscosity != 0) {
        derivatives(r, p, s->nvector, u, o->du);
        for (int i = 0; i < s->nterm; i++) {
            const term *t = s->terms + i;
            o->rate[t->strain] +=
                t->factor * (dot(D, o->du[t->p], o->u[t->q]) + dot(D, o->u[t->p], o->du[t->q]));
        }
    }
    for (int k = 0; k < s->nstrain; k++) {
        double sum = 0.0;
        for (int l = 0; l < s->nstrain; l++) {
            sum += p->C[k][l] * (o->strain[l] + viscosity * o->rate[l]);
        }
        o->stress[k] = sum;
    }
}

void flx_ancf_rest(flx_ancf_rule *r, const double *e)
{
    for (int i = 0; i < r->npoint; i++) {
        flx_ancf_point *p = r->points + i;
        local o;
        memset(p->rest, 0, sizeof p->rest);
        evaluate(r, p, 0.0, e, NULL, &o);
        memcpy(p->rest, o.strain, (size_t)table[p->kind].nstrain * sizeof *p->rest);
    }
}

void flx_ancf_force(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                    double *f)
{
    int D = r->dimension;
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        const strains *s = table + p->kind;
        local o;
        double force[FLX_ANCF_VECTORS][3] = {{0}};
        evaluate(r, p, viscosity, e, u, &o);
        for (int k = 0; k < s->nterm; k++) {
            const term *t = s->terms + k;
            double w = t->factor * o.stress[t->strain];
            for (int c = 0; c < D; c++) {
                force[t->p][c] += w * o.u[t->q][c];
                force[t->q][c] += w * o.u[t->p][c];
            }
        }
        for (int j = 0; j < r->n; j++) {
            for (int k = 0; k < s->nvector; k++) {
                for (int c = 0; c < D; c++) f[D * j + c] += p->shape[k][j] * force[k][c];
            }
        }
    }
}

double flx_ancf_energy(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                       double *power)
{
    double energy = 0.0;
    *power = 0.0;
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        local o;
        evaluate(r, p, viscosity, e, u, &o);
        for (int k = 0; k < table[p->kind].nstrain; k++) {
            for (int l = 0; l < table[p->kind].nstrain; l++) {
                energy += 0.5 * p->C[k][l] * o.strain[k] * o.strain[l];
                *power += viscosity * p->C[k][l] * o.rate[k] * o.rate[l];
            }
        }
    }
    return energy;
}

// ---- tangent ------------------------------------------------------------------------------------

#define WIDE (3 * FLX_ANCF_VECTORS)

// Gradients of the strains by the derivatives of the position: g[k][D p + c].
static void gradients(const strains *s, int D, double u[][3], double g[][WIDE])
{
    memset(g, 0, (size_t)s->nstrain * sizeof *g);
    for (int i = 0; i < s->nterm; i++) {
        const term *t = s->terms + i;
        for (int c = 0; c < D; c++) {
            g[t->strain][D * t->p + c] += t->factor * u[t->q][c];
            g[t->strain][D * t->q + c] += t->factor * u[t->p][c];
        }
    }
}

// T += g^T C h
static void add_material(const flx_ancf_point *p, int ns, int n, double g[][WIDE], double h[][WIDE],
                         double T[][WIDE])
{
    for (int k = 0; k < ns; k++) {
        double row[WIDE] = {0};
        for (int l = 0; l < ns; l++) {
            if (p->C[k][l] == 0) continue;
            for (int j = 0; j < n; j++) row[j] += p->C[k][l] * h[l][j];
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) T[i][j] += g[k][i] * row[j];
        }
    }
}

// A += s^T T s, by vectors.
static void spread(const flx_ancf_rule *r, const flx_ancf_point *p, int m, double T[][WIDE],
                   double *A)
{
    int D = r->dimension, n = r->n * D;
    double X[WIDE][FLX_ANCF_NUMBERS]; // T s
    for (int i = 0; i < m * D; i++) {
        for (int j = 0; j < r->n; j++) {
            for (int c = 0; c < D; c++) {
                double sum = 0.0;
                for (int k = 0; k < m; k++) sum += T[i][D * k + c] * p->shape[k][j];
                X[i][D * j + c] = sum;
            }
        }
    }
    for (int j = 0; j < r->n; j++) {
        for (int k = 0; k < m; k++) {
            double w = p->shape[k][j];
            if (w == 0) continue;
            for (int c = 0; c < D; c++) {
                double *row = A + (size_t)(n * (D * j + c));
                for (int l = 0; l < n; l++) row[l] += w * X[D * k + c][l];
            }
        }
    }
}

void flx_ancf_tangent(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                      double *A0, double *A1)
{
    int D = r->dimension;
    size_t size = (size_t)(r->n * D) * (size_t)(r->n * D) * sizeof *A0;
    memset(A0, 0, size);
    memset(A1, 0, size);
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        const strains *s = table + p->kind;
        int m = s->nvector, n = m * D;
        double g[FLX_ANCF_STRAINS][WIDE], dg[FLX_ANCF_STRAINS][WIDE], T[WIDE][WIDE];
        local o;
        evaluate(r, p, viscosity, e, u, &o);
        gradients(s, D, o.u, g);
        memcpy(dg, g, sizeof g);
        memset(T, 0, sizeof T);
        if (viscosity != 0) {
            add_material(p, s->nstrain, n, g, g, T);
            for (int k = 0; k < n * WIDE; k++) (&T[0][0])[k] *= viscosity;
            spread(r, p, m, T, A1);
            memset(T, 0, sizeof T);
            double rate[FLX_ANCF_STRAINS][WIDE];
            gradients(s, D, o.du, rate);
            for (int k = 0; k < s->nstrain; k++) {
                for (int j = 0; j < n; j++) dg[k][j] += viscosity * rate[k][j];
            }
        }
        add_material(p, s->nstrain, n, g, dg, T);
        for (int k = 0; k < s->nterm; k++) { // S
            const term *t = s->terms + k;
            double w = t->factor * o.stress[t->strain];
            for (int c = 0; c < D; c++) {
                T[D * t->p + c][D * t->q + c] += w;
                T[D * t->q + c][D * t->p + c] += w;
            }
        }
        spread(r, p, m, T, A0);
    }
}
