// ancf.c - beams in absolute nodal coordinates with slopes across the line, in the plane and in space: forces
// of their strains. Every strain is a sum of products of vectors y_p, which are derivatives u_p of the position,
// linear in the element's vectors e_j, or their directions:
//
//     u_p = sum_j s_pj e_j,   y_p = u_p or u_p/|u_p|,   strain_k = sum_pq Q_kpq y_p.y_q/2 - rest_k    (ANC-7)
//     stress = C (strain + viscosity strain'),   force on y_p = sum_q S_pq y_q,  S = sum_k stress_k Q_k   (ANC-8)
// Without directions second derivatives are constants, and the tangent is made of what is at hand:
//
//     dforce_p = S_pq dy_q + g_kp C_kl (g_lq + viscosity g'_lq) . dy_q,   g_kp = Q_kpq y_q          (ANC-9)
// The directions y = u/|u| have dy = P du, P = (1 - y y^T)/|u|, and a force f on one of them adds
//
//     H(f) = -(y (P f)^T + (P f) y^T + (y.f) P)/|u|                                                 (ANC-16)
#include "body/ancf.h"

#include <math.h>
#include <string.h>

typedef struct term { // strain += factor y_p . y_q
    int strain, p, q;
    double factor;
} term;

#define MOST_TERMS 8

typedef struct strains {
    int nvector, nstrain, nterm;
    unsigned unit; // bits of the vectors that are directions
    term terms[MOST_TERMS];
} strains;

static const strains table[] = {
    [FLX_ANCF_PLANE] = {2, 3, 3, 0, {{0, 0, 0, 0.5}, {1, 1, 1, 0.5}, {2, 0, 1, 1}}},
    [FLX_ANCF_SPACE] = {3,
                        6,
                        6,
                        0,
                        {{0, 0, 0, 0.5},
                         {1, 1, 1, 0.5},
                         {2, 2, 2, 0.5},
                         {3, 0, 1, 1},
                         {4, 1, 2, 1},
                         {5, 0, 2, 1}}},
    [FLX_ANCF_AXIS2] = {3, 2, 2, 06, {{0, 0, 1, 1}, {1, 0, 2, 1}}},
    [FLX_ANCF_AXIS] = {4, 3, 3, 016, {{0, 0, 1, 1}, {1, 0, 2, 1}, {2, 0, 3, 1}}},
    [FLX_ANCF_SECTION2] = {1, 1, 1, 0, {{0, 0, 0, 0.5}}},
    [FLX_ANCF_SECTION] = {2, 3, 3, 0, {{0, 0, 0, 0.5}, {1, 1, 1, 0.5}, {2, 0, 1, 1}}},
    [FLX_ANCF_CURVATURE2] = {3, 1, 2, 07, {{0, 0, 2, 1}, {0, 0, 1, -1}}},
    [FLX_ANCF_CURVATURE] = {7,
                            3,
                            8,
                            0177,
                            {{0, 0, 2, 1},
                             {0, 0, 1, -1},
                             {1, 0, 4, 1},
                             {1, 0, 3, -1},
                             {2, 6, 2, 0.5},
                             {2, 6, 1, -0.5},
                             {2, 5, 4, -0.5},
                             {2, 5, 3, 0.5}}},
};

typedef struct local { // at one point
    double y[FLX_ANCF_VECTORS][3], dy[FLX_ANCF_VECTORS][3], du[FLX_ANCF_VECTORS][3];
    double inverse[FLX_ANCF_VECTORS]; // 1/|u| of directions
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

static bool is_unit(const strains *s, int p)
{
    return (s->unit >> p & 1) != 0;
}

// x <- P x of a direction
static void project(const local *o, int D, int p, double *x)
{
    double along = dot(D, o->y[p], x);
    for (int c = 0; c < D; c++) x[c] = o->inverse[p] * (x[c] - along * o->y[p][c]);
}

static void evaluate(const flx_ancf_rule *r, const flx_ancf_point *p, double viscosity,
                     const double *e, const double *u, local *o)
{
    const strains *s = table + p->kind;
    int D = r->dimension;
    derivatives(r, p, s->nvector, e, o->y);
    for (int k = 0; k < s->nvector; k++) {
        if (!is_unit(s, k)) continue;
        o->inverse[k] = 1.0 / sqrt(dot(D, o->y[k], o->y[k]));
        for (int c = 0; c < D; c++) o->y[k][c] *= o->inverse[k];
    }
    for (int k = 0; k < s->nstrain; k++) o->strain[k] = -p->rest[k], o->rate[k] = 0.0;
    for (int i = 0; i < s->nterm; i++) {
        const term *t = s->terms + i;
        o->strain[t->strain] += t->factor * dot(D, o->y[t->p], o->y[t->q]);
    }
    if (viscosity != 0) {
        derivatives(r, p, s->nvector, u, o->du);
        memcpy(o->dy, o->du, sizeof o->dy);
        for (int k = 0; k < s->nvector; k++) {
            if (is_unit(s, k)) project(o, D, k, o->dy[k]);
        }
        for (int i = 0; i < s->nterm; i++) {
            const term *t = s->terms + i;
            o->rate[t->strain] +=
                t->factor * (dot(D, o->dy[t->p], o->y[t->q]) + dot(D, o->y[t->p], o->dy[t->q]));
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

// Forces on the vectors y.
static void forces_on(const strains *s, int D, const local *o, double force[][3])
{
    memset(force, 0, (size_t)s->nvector * sizeof *force);
    for (int k = 0; k < s->nterm; k++) {
        const term *t = s->terms + k;
        double w = t->factor * o->stress[t->strain];
        for (int c = 0; c < D; c++) {
            force[t->p][c] += w * o->y[t->q][c];
            force[t->q][c] += w * o->y[t->p][c];
        }
    }
}

// ... to those of the element.
static void spread_forces(const flx_ancf_rule *r, const flx_ancf_point *p, const double (*force)[3],
                          double *f)
{
    int D = r->dimension;
    for (int j = 0; j < r->n; j++) {
        for (int k = 0; k < table[p->kind].nvector; k++) {
            for (int c = 0; c < D; c++) f[D * j + c] += p->shape[k][j] * force[k][c];
        }
    }
}

void flx_ancf_rest(flx_ancf_rule *r, const double *e)
{
    for (int i = 0; i < r->npoint; i++) {
        flx_ancf_point *p = r->points + i;
        local o = {0};
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
        local o = {0};
        double force[FLX_ANCF_VECTORS][3];
        evaluate(r, p, viscosity, e, u, &o);
        forces_on(s, D, &o, force);
        for (int k = 0; k < s->nvector; k++) {
            if (is_unit(s, k)) project(&o, D, k, force[k]);
        }
        spread_forces(r, p, (const double(*)[3])force, f);
    }
}

// Strains without directions are of second degree in the vectors, so that their change is the middle's
// derivative times the step: the stress of the mean strain does the work. The others are left out.
bool flx_ancf_discrete_force(const flx_ancf_rule *r, const double *e0, const double *e1,
                             const double *middle, double *f)
{
    int D = r->dimension;
    for (int i = 0; i < r->npoint; i++) {
        if (table[r->points[i].kind].unit) return false;
    }
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        const strains *s = table + p->kind;
        local before = {0}, after = {0}, o = {0};
        double force[FLX_ANCF_VECTORS][3];
        evaluate(r, p, 0.0, e0, NULL, &before);
        evaluate(r, p, 0.0, e1, NULL, &after);
        evaluate(r, p, 0.0, middle, NULL, &o);
        for (int k = 0; k < s->nstrain; k++) {
            o.stress[k] = 0.5 * (before.stress[k] + after.stress[k]) - o.stress[k];
        }
        forces_on(s, D, &o, force);
        spread_forces(r, p, (const double(*)[3])force, f);
    }
    return true;
}

double flx_ancf_energy(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                       double *power)
{
    double energy = 0.0;
    *power = 0.0;
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        local o = {0};
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

// Gradients of the strains by the vectors: g[k][D p + c].
static void gradients(const strains *s, int D, const double y[][3], double g[][WIDE])
{
    memset(g, 0, (size_t)s->nstrain * sizeof *g);
    for (int i = 0; i < s->nterm; i++) {
        const term *t = s->terms + i;
        for (int c = 0; c < D; c++) {
            g[t->strain][D * t->p + c] += t->factor * y[t->q][c];
            g[t->strain][D * t->q + c] += t->factor * y[t->p][c];
        }
    }
}

// (ANC-16) H(f) of direction p
static void turn_stiffness(const local *o, int D, int p, const double *f, double H[3][3])
{
    const double *y = o->y[p];
    double Pf[3], along = dot(D, y, f), w = o->inverse[p];
    memcpy(Pf, f, (size_t)D * sizeof *f);
    project(o, D, p, Pf);
    for (int a = 0; a < D; a++) {
        for (int b = 0; b < D; b++) {
            double P = w * ((a == b ? 1.0 : 0.0) - y[a] * y[b]);
            H[a][b] = -w * (y[a] * Pf[b] + Pf[a] * y[b] + along * P);
        }
    }
}

// From the vectors y to the derivatives u: gradients of strains and of their rates.
static void turn_gradients(const strains *s, int D, const local *o, bool rates, double g[][WIDE],
                           double dg[][WIDE])
{
    for (int k = 0; k < s->nstrain; k++) {
        for (int p = 0; p < s->nvector; p++) {
            double H[3][3], *own = g[k] + D * p;
            if (!is_unit(s, p)) continue;
            if (rates) {
                turn_stiffness(o, D, p, own, H);
                project(o, D, p, dg[k] + D * p);
                for (int c = 0; c < D; c++) dg[k][D * p + c] += dot(D, H[c], o->du[p]);
            }
            project(o, D, p, own);
        }
    }
}

// S in the places of the vectors, then by the derivatives.
static void set_geometric(const strains *s, int D, const local *o, double T[][WIDE])
{
    double force[FLX_ANCF_VECTORS][3];
    int n = s->nvector * D;
    for (int i = 0; i < n; i++) memset(T[i], 0, (size_t)n * sizeof T[0][0]);
    for (int k = 0; k < s->nterm; k++) {
        const term *t = s->terms + k;
        double w = t->factor * o->stress[t->strain];
        for (int c = 0; c < D; c++) {
            T[D * t->p + c][D * t->q + c] += w;
            T[D * t->q + c][D * t->p + c] += w;
        }
    }
    if (s->unit == 0) return;
    forces_on(s, D, o, force);
    for (int p = 0; p < s->nvector; p++) {
        double H[3][3], column[3];
        if (!is_unit(s, p)) continue;
        for (int i = 0; i < n; i++) project(o, D, p, T[i] + D * p);
        for (int j = 0; j < n; j++) {
            for (int c = 0; c < D; c++) column[c] = T[D * p + c][j];
            project(o, D, p, column);
            for (int c = 0; c < D; c++) T[D * p + c][j] = column[c];
        }
        turn_stiffness(o, D, p, force[p], H);
        for (int a = 0; a < D; a++) {
            for (int b = 0; b < D; b++) T[D * p + a][D * p + b] += H[a][b];
        }
    }
}

// T += factor g^T C h
static void add_material(const flx_ancf_point *p, int ns, int n, double factor, double g[][WIDE],
                         double h[][WIDE], double T[][WIDE])
{
    for (int k = 0; k < ns; k++) {
        double row[WIDE] = {0};
        for (int l = 0; l < ns; l++) {
            if (p->C[k][l] == 0) continue;
            for (int j = 0; j < n; j++) row[j] += factor * p->C[k][l] * h[l][j];
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
    if (A1) memset(A1, 0, size);
    for (int i = 0; i < r->npoint; i++) {
        const flx_ancf_point *p = r->points + i;
        const strains *s = table + p->kind;
        int m = s->nvector, n = m * D;
        bool rates = viscosity != 0 && A1;
        double g[FLX_ANCF_STRAINS][WIDE], dg[FLX_ANCF_STRAINS][WIDE] = {{0}}, T[WIDE][WIDE];
        local o = {0};
        evaluate(r, p, viscosity, e, u, &o);
        gradients(s, D, o.y, g);
        if (rates) gradients(s, D, o.dy, dg);
        turn_gradients(s, D, &o, rates, g, dg);
        for (int k = 0; k < s->nstrain; k++) {
            for (int j = 0; j < n; j++) dg[k][j] = g[k][j] + (rates ? viscosity * dg[k][j] : 0.0);
        }
        set_geometric(s, D, &o, T);
        add_material(p, s->nstrain, n, 1.0, g, dg, T);
        spread(r, p, m, T, A0);
        if (!rates) continue;
        for (int k = 0; k < n; k++) memset(T[k], 0, (size_t)n * sizeof T[0][0]);
        add_material(p, s->nstrain, n, viscosity, g, g, T);
        spread(r, p, m, T, A1);
    }
}
