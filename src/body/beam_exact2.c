// beam_exact2.c - geometrically exact beam in the plane (Reissner's).
//
// With the angle a and the line r interpolated over the length s of the unstressed element
//
//     g = R(a)^T r',   k = a',   stress = C (strain + viscosity strain'),  strain = (g, k) - rest   (BEA-1)
//
// and R(a) = [c -s; s c]. Forces of the nodes are stress . dstrain; with f = R stress_g
//
//     df = R dstress_g + e_z x f da,   m = stress_1 g_2 - stress_2 g_1                              (BEA-2)
// where m is the moment by which the angle alone acts.
#include "body/beam_exact.h"

// Beyond this angle between two nodes the mean of their directions is not computed from their sum.
#define WIDE 2.0

typedef struct point { // of an element: kinematics and stress
    double c, s;       // of the angle
    double g[2];       // stretch in the axes of the section
    double v[2], w;    // rates: of the line by s, ground axes; of the angle
    double strain[3], rate[3], stress[3];
    double f[2], m;
} point;

static inline void eval_line(const flx_beam_exact *e, int n, int k, const flx_frame2 *f, point *p,
                             double *curvature)
{
    const double *N = e->rule->N[k], *dN = e->rule->dN[k];
    double x = 0, y = 0, turn = 0, vx = 0, vy = 0, dw = 0, w = 0, one = 1.0 / e->length;
    for (int i = 0; i < n; i++) {
        const flx_frame2 *o = f + e->frame[i];
        x += dN[i] * o->x;
        y += dN[i] * o->y;
        turn += dN[i] * o->angle;
        vx += dN[i] * o->vx;
        vy += dN[i] * o->vy;
        dw += dN[i] * o->w;
        w += N[i] * o->w;
    }
    const flx_frame2 *a = f + e->frame[0], *b = f + e->frame[n - 1];
    if (n == 2 && fabs(turn) < WIDE) { // the mean angle, without trigonometry
        double c = a->c + b->c, s = a->s + b->s, size = 1.0 / sqrt(c * c + s * s);
        p->c = c * size;
        p->s = s * size;
    } else {
        double angle = 0;
        for (int i = 0; i < n; i++) angle += N[i] * f[e->frame[i]].angle;
        p->c = cos(angle);
        p->s = sin(angle);
    }
    x *= one;
    y *= one;
    p->g[0] = p->c * x + p->s * y;
    p->g[1] = p->c * y - p->s * x;
    *curvature = turn * one;
    p->v[0] = vx * one;
    p->v[1] = vy * one;
    p->w = w;
    p->rate[0] = p->c * p->v[0] + p->s * p->v[1] + w * p->g[1];
    p->rate[1] = p->c * p->v[1] - p->s * p->v[0] - w * p->g[0];
    p->rate[2] = dw * one;
}

static inline void eval(const flx_beam_exact *e, int n, int k, const flx_frame2 *f, point *p)
{
    const double *C = e->C + e->next * k, *rest = e->rest + 3 * k;
    double curvature, x[3];
    eval_line(e, n, k, f, p, &curvature);
    p->strain[0] = p->g[0] - rest[0];
    p->strain[1] = p->g[1] - rest[1];
    p->strain[2] = curvature - rest[2];
    for (int i = 0; i < 3; i++) x[i] = p->strain[i] + e->viscosity * p->rate[i];
    for (int i = 0; i < 3; i++) {
        p->stress[i] = C[3 * i] * x[0] + C[3 * i + 1] * x[1] + C[3 * i + 2] * x[2];
    }
    p->f[0] = p->c * p->stress[0] - p->s * p->stress[1];
    p->f[1] = p->s * p->stress[0] + p->c * p->stress[1];
    p->m = p->stress[0] * p->g[1] - p->stress[1] * p->g[0];
}

void flx_beam_exact2_rest(const flx_beam_exact *e, const flx_frame2 *f, double *rest)
{
    for (int k = 0; k < e->rule->npoint; k++) {
        point p;
        eval_line(e, e->rule->nnode, k, f, &p, &rest[3 * k + 2]);
        rest[3 * k] = p.g[0];
        rest[3 * k + 1] = p.g[1];
    }
}

static inline void add_forces(const flx_beam_exact *e, int n, int k, const point *p, double *r,
                              const int *at)
{
    double w = e->rule->w[k], m = w * e->length * p->m;
    for (int i = 0; i < n; i++) {
        double d = w * e->rule->dN[k][i], *out = r + at[i];
        out[0] += d * p->f[0];
        out[1] += d * p->f[1];
        out[2] += d * p->stress[2] + e->rule->N[k][i] * m;
    }
}

void flx_beam_exact2_forces(const flx_beam_exact *e, const flx_frame2 *f, double *out)
{
    int at[FLX_BEAM_NODES], n = e->rule->nnode;
    for (int i = 0; i < n; i++) at[i] = 3 * i;
    for (int i = 0; i < 3 * n; i++) out[i] = 0.0;
    for (int k = 0; k < e->rule->npoint; k++) {
        point p;
        eval(e, n, k, f, &p);
        add_forces(e, n, k, &p, out, at);
    }
}

static inline void residual(const flx_beam_exact *e, int n, const flx_frame2 *f, double *r)
{
    for (int k = 0; k < n - 1; k++) {
        point p;
        eval(e, n, k, f, &p);
        add_forces(e, n, k, &p, r, e->v);
    }
}

void flx_beam_exact2_residual(int n, const flx_beam_exact *e, const flx_frame2 *f, double *r)
{
    for (int i = 0; i < n; i++) {
        if (e[i].rule->nnode == 2) { // the common case, unrolled
            residual(e + i, 2, f, r);
        } else {
            residual(e + i, e[i].rule->nnode, f, r);
        }
    }
}

// Tangent of (f, m, stress_3) along (r', a, a'), and along their rates.
typedef struct slopes {
    double K[4][4], D[4][4];
} slopes;

static inline void linearise_point(const flx_beam_exact *e, int k, const point *p, slopes *t)
{
    const double *C = e->C + e->next * k, b = e->viscosity;
    // strains along x', y', a, a'
    const double B[3][4] = {{p->c, p->s, p->g[1], 0}, {-p->s, p->c, -p->g[0], 0}, {0, 0, 0, 1}};
    double S[3][4]; // strain + viscosity rate
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) S[i][j] = B[i][j];
    }
    if (b != 0) {
        S[0][0] -= b * p->w * p->s;
        S[0][1] += b * p->w * p->c;
        S[1][0] -= b * p->w * p->c;
        S[1][1] -= b * p->w * p->s;
        S[0][2] += b * (p->c * p->v[1] - p->s * p->v[0] - p->w * p->g[0]);
        S[1][2] -= b * (p->c * p->v[0] + p->s * p->v[1] + p->w * p->g[1]);
    }
    for (int j = 0; j < 4; j++) {
        double s[3], d[3];
        for (int i = 0; i < 3; i++) {
            s[i] = C[3 * i] * S[0][j] + C[3 * i + 1] * S[1][j] + C[3 * i + 2] * S[2][j];
        }
        for (int i = 0; i < 4; i++) {
            t->K[i][j] = B[0][i] * s[0] + B[1][i] * s[1] + B[2][i] * s[2];
        }
        if (b == 0) continue;
        for (int i = 0; i < 3; i++) {
            d[i] = b * (C[3 * i] * B[0][j] + C[3 * i + 1] * B[1][j] + C[3 * i + 2] * B[2][j]);
        }
        for (int i = 0; i < 4; i++) {
            t->D[i][j] = B[0][i] * d[0] + B[1][i] * d[1] + B[2][i] * d[2];
        }
    }
    t->K[0][2] -= p->f[1];
    t->K[1][2] += p->f[0];
    t->K[2][0] -= p->f[1];
    t->K[2][1] += p->f[0];
    t->K[2][2] -= p->stress[0] * p->g[0] + p->stress[1] * p->g[1];
}

static inline void add_block(const double T[4][4], double di, double dj, double Ni, double Nj,
                             double L, double *A)
{
    double dd = di * dj / L, dN = di * Nj, Nd = Ni * dj, NN = Ni * Nj * L;
    A[0] += dd * T[0][0];
    A[1] += dd * T[0][1];
    A[2] += dN * T[0][2] + dd * T[0][3];
    A[3] += dd * T[1][0];
    A[4] += dd * T[1][1];
    A[5] += dN * T[1][2] + dd * T[1][3];
    A[6] += Nd * T[2][0] + dd * T[3][0];
    A[7] += Nd * T[2][1] + dd * T[3][1];
    A[8] += NN * T[2][2] + Nd * T[2][3] + dN * T[3][2] + dd * T[3][3];
}

static inline void linearise(const flx_beam_exact *e, int n, const flx_frame2 *f, double *A0,
                             double *A1)
{
    for (int k = 0; k < n - 1; k++) {
        const double w = e->rule->w[k], *N = e->rule->N[k], *dN = e->rule->dN[k];
        point p;
        slopes t;
        eval(e, n, k, f, &p);
        linearise_point(e, k, &p, &t);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int at = e->block[n * i + j];
                add_block(t.K, w * dN[i], dN[j], w * N[i], N[j], e->length, A0 + at);
                if (e->viscosity == 0) continue;
                add_block(t.D, w * dN[i], dN[j], w * N[i], N[j], e->length, A1 + at);
            }
        }
    }
}

void flx_beam_exact2_linearise(int n, const flx_beam_exact *e, const flx_frame2 *f, double *A0,
                               double *A1)
{
    for (int i = 0; i < n; i++) {
        if (e[i].rule->nnode == 2) {
            linearise(e + i, 2, f, A0, A1);
        } else {
            linearise(e + i, e[i].rule->nnode, f, A0, A1);
        }
    }
}

void flx_beam_exact2_energy(int n, const flx_beam_exact *e, const flx_frame2 *f, flx_energies *out)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < e[i].rule->npoint; k++) {
            double w = e[i].rule->w[k] * e[i].length;
            point p;
            eval(e + i, e[i].rule->nnode, k, f, &p);
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    double C = w * e[i].C[e[i].next * k + 3 * a + b];
                    out->strain += 0.5 * C * p.strain[a] * p.strain[b];
                    out->dissipated_power += e[i].viscosity * C * p.rate[a] * p.rate[b];
                }
            }
        }
    }
}
