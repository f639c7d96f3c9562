// modal_grains.c - elastic body in a floating frame whose field is known at grains (FLX-7). With the
// weight o, the place r and its slopes r_k = Phi_k + Gam_kl q_l of a grain, in body axes:
//
//     v = o R^T r' + w x r + r_k q_k',   T = sum v.v / 2                                          (MOD-6)
//     a = o b + w' x r + w x (w x r) + 2 w x r_k q_k' + r_k q_k'' + Gam_kl q_k' q_l'
//     rows = sum B^T a,   B = (o R^T, -r~, r_k)                                                  (MOD-7)
// a square, so that no deformation makes T negative. Tangents are those of B and a.
#include "body/modal_grains.h"

#define COLUMNS(x) ((x)->nf + (x)->e->n)

typedef struct grain { // at one q
    double o;
    const double *gam;
    v3 r, rd, rdd;       // r, r_k q_k', Gam_kl q_k' q_l'
    double *B, *d1, *d0; // (columns x 3): B, and room for derivatives of a
    double *Gu;          // (n x 3): Gam_kl q_l'
    const int *axis;     // of each row of the frame, as in space
} grain;

// axes of the rows of the frame; in the plane three count
static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[6] = {0, 1, 5};

static v3 unit(int i)
{
    return v3_make(i == 0, i == 1, i == 2);
}

static void evaluate(const flx_grain_view *x, int j, grain *g)
{
    const flx_elastic *e = x->e;
    int n = e->n, nf = x->nf;
    const double *from = e->grains + (size_t)j * (size_t)FLX_GRAIN(n), *phi = from + 4;
    g->o = from[0];
    g->gam = phi + 3 * n;
    g->r = v3_load(from + 1);
    g->rd = g->rdd = v3_make(0, 0, 0);
    g->B = x->scratch, g->d1 = g->B + 3 * (nf + n), g->d0 = g->d1 + 3 * (nf + n);
    g->Gu = g->d0 + 3 * (nf + n);
    g->axis = nf == 6 ? space : plane;
    double *slope = g->B + 3 * nf;
    memcpy(slope, phi, 3 * (size_t)n * sizeof *slope);
    memset(g->Gu, 0, 3 * (size_t)n * sizeof *g->Gu);
    flx_modal_add_along(n, 3, g->gam, x->q, slope);
    flx_modal_add_along(n, 3, g->gam, x->u, g->Gu);
    for (int k = 0; k < n; k++) {
        v3 first = v3_load(phi + 3 * k), rk = v3_load(slope + 3 * k);
        g->r = v3_axpy(0.5 * x->q[k], v3_add(first, rk), g->r);
        g->rd = v3_axpy(x->u[k], rk, g->rd);
        g->rdd = v3_axpy(x->u[k], v3_load(g->Gu + 3 * k), g->rdd);
    }
    for (int d = 0; d < nf; d++) {
        int i = g->axis[d];
        v3 B = i < 3 ? v3_scale(g->o, m33_row(x->R, i)) : v3_cross(unit(i - 3), g->r);
        v3_store(g->B + 3 * d, B);
    }
}

static v3 velocity(const flx_grain_view *x, const grain *g)
{
    v3 inner = v3_add(v3_cross(x->w, g->r), g->rd);
    return v3_axpy(g->o, m33_tmul_v(x->R, x->v), inner);
}

static v3 acceleration(const flx_grain_view *x, const flx_grain_rates *at, const grain *g)
{
    v3 around = v3_axpy(2.0, g->rd, v3_cross(x->w, g->r));
    v3 a = v3_add(v3_cross(at->alpha, g->r), v3_add(v3_cross(x->w, around), g->rdd));
    for (int k = 0; k < x->e->n; k++) {
        a = v3_axpy(at->qdd[k], v3_load(g->B + 3 * (x->nf + k)), a);
    }
    return v3_axpy(g->o, m33_tmul_v(x->R, at->a), a);
}

// rows += B^T f
static void add_rows(const flx_grain_view *x, const grain *g, v3 f, double *rows, double *own)
{
    for (int d = 0; d < x->nf; d++) rows[d] += v3_dot(v3_load(g->B + 3 * d), f);
    for (int k = 0; k < x->e->n; k++) own[k] += v3_dot(v3_load(g->B + 3 * (x->nf + k)), f);
}

void flx_grains_residual(const flx_grain_view *x, const flx_grain_rates *a, double *rows,
                         double *own)
{
    for (int j = 0; j < x->e->ngrain; j++) {
        grain g;
        evaluate(x, j, &g);
        add_rows(x, &g, acceleration(x, a, &g), rows, own);
    }
}

// The entry (i, j) of a tangent, in its block.
static double *entry(const flx_grain_view *x, const int at[2][2], double *A, int i, int j)
{
    int nf = x->nf;
    bool ci = i >= nf, cj = j >= nf;
    return A + at[ci][cj] + (ci ? i - nf : i) * (cj ? x->e->n : nf) + (cj ? j - nf : j);
}

// A += B^T D
static void add_product(const flx_grain_view *x, const int at[2][2], const double *B,
                        const double *D, double *A)
{
    int m = COLUMNS(x);
    for (int i = 0; i < m; i++) {
        v3 row = v3_load(B + 3 * i);
        for (int j = 0; j < m; j++) *entry(x, at, A, i, j) += v3_dot(row, v3_load(D + 3 * j));
    }
}

// da/dv
static void velocity_columns(const flx_grain_view *x, const grain *g)
{
    v3 wr = v3_axpy(2.0, g->rd, v3_cross(x->w, g->r));
    for (int d = 0; d < x->nf; d++) {
        int i = g->axis[d];
        v3 c = {0, 0, 0};
        if (i >= 3) {
            v3 e = unit(i - 3);
            c = v3_add(v3_cross(e, wr), v3_cross(x->w, v3_cross(e, g->r)));
        }
        v3_store(g->d1 + 3 * d, c);
    }
    for (int k = 0; k < x->e->n; k++) {
        v3 c = v3_add(v3_cross(x->w, v3_load(g->B + 3 * (x->nf + k))), v3_load(g->Gu + 3 * k));
        v3_store(g->d1 + 3 * (x->nf + k), v3_scale(2.0, c));
    }
}

// da/dx; a turn of the frame by its axis i turns b back
static void position_columns(const flx_grain_view *x, const flx_grain_rates *at, const grain *g)
{
    int n = x->e->n;
    v3 b = m33_tmul_v(x->R, at->a);
    for (int d = 0; d < x->nf; d++) {
        int i = g->axis[d];
        v3 c = i < 3 ? v3_make(0, 0, 0) : v3_scale(g->o, v3_cross(b, unit(i - 3)));
        v3_store(g->d0 + 3 * d, c);
    }
    for (int k = 0; k < n; k++) {
        v3 slope = v3_load(g->B + 3 * (x->nf + k)), Gu = v3_load(g->Gu + 3 * k);
        v3 around = v3_axpy(2.0, Gu, v3_cross(x->w, slope));
        v3 c = v3_add(v3_cross(at->alpha, slope), v3_cross(x->w, around));
        for (int l = 0; l < n; l++) c = v3_axpy(at->qdd[l], v3_load(g->gam + 3 * (k * n + l)), c);
        v3_store(g->d0 + 3 * (x->nf + k), c);
    }
}

// A += dB^T/dx a
static void turn_rows(const flx_grain_view *x, const int at[2][2], const grain *g, v3 a, double *A)
{
    int n = x->e->n, nf = x->nf;
    for (int d = 0; d < nf; d++) {
        int i = g->axis[d];
        for (int f = 0; i < 3 && f < nf; f++) {
            int j = g->axis[f];
            if (j < 3) continue;
            v3 back = v3_cross(v3_load(g->B + 3 * d), unit(j - 3));
            *entry(x, at, A, d, f) += v3_dot(back, a);
        }
        for (int k = 0; i >= 3 && k < n; k++) {
            v3 c = v3_cross(unit(i - 3), v3_load(g->B + 3 * (nf + k)));
            *entry(x, at, A, d, nf + k) += v3_dot(c, a);
        }
    }
    double *own = A + at[1][1];
    for (int kl = 0; kl < n * n; kl++) own[kl] += v3_dot(v3_load(g->gam + 3 * kl), a);
}

void flx_grains_linearise(const flx_grain_view *x, const flx_grain_rates *a, const int at[2][2],
                          double *A0, double *A1, double *A2)
{
    for (int j = 0; j < x->e->ngrain; j++) {
        grain g;
        evaluate(x, j, &g);
        add_product(x, at, g.B, g.B, A2);
        if (A1) {
            velocity_columns(x, &g);
            add_product(x, at, g.B, g.d1, A1);
        }
        if (A0) {
            position_columns(x, a, &g);
            add_product(x, at, g.B, g.d0, A0);
            turn_rows(x, at, &g, acceleration(x, a, &g), A0);
        }
    }
}

void flx_grains_energy(const flx_grain_view *x, const double *g, flx_energies *out)
{
    v3 P = {0, 0, 0}, H = {0, 0, 0}, S = {0, 0, 0};
    for (int j = 0; j < x->e->ngrain; j++) {
        grain p;
        evaluate(x, j, &p);
        v3 v = velocity(x, &p);
        out->kinetic += 0.5 * v3_dot(v, v);
        P = v3_axpy(p.o, v, P);
        H = v3_add(H, v3_cross(p.r, v));
        S = v3_axpy(p.o, p.r, S);
    }
    v3 lever = m33_mul_v(x->R, S), linear = m33_mul_v(x->R, P);
    out->potential -= v3_dot(v3_load(g), v3_axpy(x->e->m, x->r, lever));
    v3_add_to(out->linear, 1.0, linear);
    v3_add_to(out->angular, 1.0, v3_add(v3_cross(x->r, linear), m33_mul_v(x->R, H)));
}

void flx_grains_momentum(const flx_grain_view *x, double *rows, double *own)
{
    for (int j = 0; j < x->e->ngrain; j++) {
        grain g;
        evaluate(x, j, &g);
        add_rows(x, &g, velocity(x, &g), rows, own);
    }
}

void flx_grains_transport(const flx_grain_view *x, double *rows, double *own)
{
    v3 w = x->w, u = m33_tmul_v(x->R, x->v);
    for (int j = 0; j < x->e->ngrain; j++) {
        grain g;
        evaluate(x, j, &g);
        v3 v = velocity(x, &g), spin = v3_cross(w, v3_cross(g.r, v));
        const double ad[3] = {spin.x, spin.y, spin.z};
        // B^T v' with the velocities as they are, then B'^T v
        v3 rate = v3_add(v3_axpy(g.o, v3_cross(u, w), v3_cross(w, g.rd)), g.rdd);
        add_rows(x, &g, rate, rows, own);
        for (int d = 0; d < x->nf; d++) {
            int i = g.axis[d];
            v3 B = v3_load(g.B + 3 * d);
            v3 turned = i < 3 ? v3_cross(B, w) : v3_cross(unit(i - 3), g.rd);
            rows[d] += v3_dot(turned, v) + (i < 3 ? 0.0 : ad[i - 3]);
        }
        for (int k = 0; k < x->e->n; k++) own[k] += v3_dot(v3_load(g.Gu + 3 * k), v);
    }
}

// ---- elastic forces -----------------------------------------------------------------------------

void flx_elastic_forces(const flx_elastic *e, const double *q, const double *u, double *own)
{
    for (int k = 0; k < e->n; k++) {
        double sum = e->k0[k];
        for (int l = 0; l < e->n; l++) {
            sum += e->K[k * e->n + l] * q[l] + e->D[k * e->n + l] * u[l];
        }
        own[k] += sum;
    }
}

void flx_elastic_tangents(const flx_elastic *e, double *A0, double *A1)
{
    for (int kl = 0; A0 && kl < e->n * e->n; kl++) A0[kl] += e->K[kl];
    for (int kl = 0; A1 && kl < e->n * e->n; kl++) A1[kl] += e->D[kl];
}

void flx_elastic_energy(const flx_elastic *e, const double *q, const double *u, flx_energies *out)
{
    for (int k = 0; k < e->n; k++) {
        out->strain += e->k0[k] * q[k];
        for (int l = 0; l < e->n; l++) {
            out->strain += 0.5 * q[k] * e->K[k * e->n + l] * q[l];
            out->dissipated_power += u[k] * e->D[k * e->n + l] * u[l];
        }
    }
}
