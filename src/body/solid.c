// solid.c - solids of large deformation, total Lagrangian.
//
// With the gradient F = sum x_a dN_a of the places x_a by reference coordinates,
//     E = (F^T F - 1)/2,   S = dW/dE + viscosity C E'                                   (SOL-1)
//     f_a = integral of F S dN_a                                                        (SOL-2)
//     K_ab = integral of (dN_a . S dN_b) 1 + B_a^T (dS/dE) B_b,   D_ab = B_a^T viscosity C B_b   (SOL-3)
// and since both laws are isotropic, with vectors p_a of the nodes,
//     B_a^T (dS/dE) B_b = lambda p_a p_b^T + c (p_b p_a^T + (dN_a . N dN_b) Q)          (SOL-9)
// W = lambda tr(E)^2/2 + mu E:E (St. Venant and Kirchhoff), or mu/2 (tr C - 3) - mu ln J + lambda/2
// (ln J)^2 with C = F^T F, J = det F (neo-Hookean). B_a is dE/dx_a.
#include "body/solid.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};

typedef struct state {  // at one point
    double F[9], dF[9]; // and its rate
    double E[6];        // shears once
    double S[6];
} state;

// ---- places -------------------------------------------------------------------------------------

void flx_solid_gather(const flx_solid_element *e, const flx_frame *f, flx_solid_places *p)
{
    for (int a = 0; a < e->n; a++) {
        const flx_frame *o = f + e->frame[a];
        v3 r = v3_load(o->r), v = v3_load(o->v);
        if (e->nv[a] != 3) {
            m33 R = m33_load(o->R);
            v3 s = v3_load(e->arm + 3 * a);
            r = v3_add(r, m33_mul_v(R, s));
            v = v3_add(v, m33_mul_v(R, v3_cross(v3_load(o->w), s)));
        }
        v3_store(p->x[a], r);
        v3_store(p->v[a], v);
    }
}

static void gradient(const flx_solid_element *e, const double (*x)[3], int point, double F[9])
{
    const double *dN = e->dN + 3 * point * e->n;
    memset(F, 0, 9 * sizeof *F);
    for (int a = 0; a < e->n; a++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) F[3 * i + k] += x[a][i] * dN[3 * a + k];
        }
    }
}

static void green(const double F[9], double E[6])
{
    for (int m = 0; m < 6; m++) {
        int i = pair[m][0], k = pair[m][1];
        double c = F[i] * F[k] + F[3 + i] * F[3 + k] + F[6 + i] * F[6 + k];
        E[m] = 0.5 * (c - (m < 3));
    }
}

// ---- laws ---------------------------------------------------------------------------------------

static void hooke(double lambda, double mu, const double E[6], double S[6])
{
    double trace = E[0] + E[1] + E[2];
    for (int m = 0; m < 6; m++) S[m] = 2.0 * mu * E[m] + (m < 3 ? lambda * trace : 0.0);
}

// C^-1 (6) and det C of C = 2 E + 1.
static double invert(const double E[6], double inverse[6])
{
    double a = 2 * E[0] + 1, b = 2 * E[1] + 1, c = 2 * E[2] + 1;
    double d = 2 * E[3], f = 2 * E[4], g = 2 * E[5]; // xy yz xz
    double det = a * (b * c - f * f) - d * (d * c - f * g) + g * (d * f - b * g);
    inverse[0] = (b * c - f * f) / det;
    inverse[1] = (a * c - g * g) / det;
    inverse[2] = (a * b - d * d) / det;
    inverse[3] = (g * f - d * c) / det;
    inverse[4] = (d * g - a * f) / det;
    inverse[5] = (d * f - b * g) / det;
    return det;
}

static double entry(const double C[6], int i, int k)
{
    static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    return C[at[i][k]];
}

static void stress(const flx_solid_element *e, const double E[6], double S[6])
{
    if (e->law == FLX_SOLID_ST_VENANT_KIRCHHOFF) {
        hooke(e->lambda, e->mu, E, S);
        return;
    }
    double C[6], log_J = 0.5 * log(invert(E, C));
    for (int m = 0; m < 6; m++) S[m] = e->mu * (m < 3) + (e->lambda * log_J - e->mu) * C[m];
}

static double energy(const flx_solid_element *e, const double E[6])
{
    double trace = E[0] + E[1] + E[2];
    if (e->law == FLX_SOLID_NEO_HOOKEAN) {
        double C[6], log_J = 0.5 * log(invert(E, C));
        return e->mu * (trace - log_J) + 0.5 * e->lambda * log_J * log_J;
    }
    double shear = E[3] * E[3] + E[4] * E[4] + E[5] * E[5];
    double square = E[0] * E[0] + E[1] * E[1] + E[2] * E[2] + 2.0 * shear;
    return 0.5 * e->lambda * trace * trace + e->mu * square;
}

// E' = sym(F^T F'), shears once.
static void green_rate(const double F[9], const double dF[9], double rate[6])
{
    for (int m = 0; m < 6; m++) {
        int i = pair[m][0], k = pair[m][1];
        double sum = 0.0;
        for (int c = 0; c < 3; c++)
            sum += F[3 * c + i] * dF[3 * c + k] + dF[3 * c + i] * F[3 * c + k];
        rate[m] = 0.5 * sum;
    }
}

// Everything at a point.
static void eval(const flx_solid_element *e, const flx_solid_places *p, int point, state *s)
{
    double rate[6], viscous[6];
    gradient(e, p->x, point, s->F);
    green(s->F, s->E);
    stress(e, s->E, s->S);
    if (e->viscosity == 0.0) return;
    gradient(e, p->v, point, s->dF);
    green_rate(s->F, s->dF, rate);
    hooke(e->lambda, e->mu, rate, viscous);
    for (int m = 0; m < 6; m++) s->S[m] += e->viscosity * viscous[m];
}

// ---- forces -------------------------------------------------------------------------------------

// f_a += w F S dN_a
static void add_forces(const flx_solid_element *e, int point, const double F[9], const double S[6],
                       double (*f)[3])
{
    const double *dN = e->dN + 3 * point * e->n;
    double P[9] = {0}, w = e->weight[point];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 3; j++) P[3 * i + k] += w * F[3 * i + j] * entry(S, j, k);
        }
    }
    for (int a = 0; a < e->n; a++) {
        for (int i = 0; i < 3; i++) {
            f[a][i] +=
                P[3 * i] * dN[3 * a] + P[3 * i + 1] * dN[3 * a + 1] + P[3 * i + 2] * dN[3 * a + 2];
        }
    }
}

void flx_solid_scatter(const flx_solid_element *e, const flx_frame *frames, const double (*f)[3],
                       double *r)
{
    for (int a = 0; a < e->n; a++) {
        if (e->nv[a] == 0) continue;
        v3_add_to(r + e->v[a], 1.0, v3_load(f[a]));
        if (e->nv[a] != 6) continue;
        v3 body = m33_tmul_v(m33_load(frames[e->frame[a]].R), v3_load(f[a]));
        v3_add_to(r + e->v[a] + 3, 1.0, v3_cross(v3_load(e->arm + 3 * a), body));
    }
}

void flx_solid_residual(int n, const flx_solid_element *elements, const flx_frame *frames,
                        double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_element *e = elements + k;
        double f[FLX_SOLID_NODES][3] = {0};
        flx_solid_places p;
        state s;
        flx_solid_gather(e, frames, &p);
        for (int g = 0; g < e->npoint; g++) {
            eval(e, &p, g, &s);
            add_forces(e, g, s.F, s.S, f);
        }
        flx_solid_scatter(e, frames, (const double(*)[3])f, r);
    }
}

// ---- tangent ------------------------------------------------------------------------------------

typedef double vectors[FLX_SOLID_NODES][3];

// p_a = A dN_a, A (3, 3) by rows.
static void turn_gradients(int n, const double A[9], const double *dN, vectors p)
{
    for (int a = 0; a < n; a++) {
        for (int i = 0; i < 3; i++) {
            p[a][i] =
                A[3 * i] * dN[3 * a] + A[3 * i + 1] * dN[3 * a + 1] + A[3 * i + 2] * dN[3 * a + 2];
        }
    }
}

// A B^T, (3, 3) by rows.
static void multiply_transposed(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        const double *a = A + i / 3 * 3, *b = B + i % 3 * 3;
        out[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What (SOL-9) is made of at one point: K_ab += lambda p_a q_b^T + c (p_b q_a^T + (l_a . l_b) Q), and
// (dN_a . g_b) 1.
typedef struct moduli {
    double lambda, c;
    double Q[9];
    vectors p, q, l, g;
} moduli;

// Of b >= a, or of all.
static void add_moduli(int n, const moduli *m, const double *dN, bool all, flx_solid_blocks K)
{
    for (int a = 0; a < n; a++) {
        for (int b = all ? 0 : a; b < n; b++) {
            double *out = K[a][b], d = m->c * dot3(m->l[a], m->l[b]), g = dot3(dN + 3 * a, m->g[b]);
            for (int i = 0; i < 3; i++) {
                double left = m->lambda * m->p[a][i], right = m->c * m->p[b][i];
                for (int j = 0; j < 3; j++) {
                    out[3 * i + j] += left * m->q[b][j] + right * m->q[a][j] + d * m->Q[3 * i + j];
                }
                out[4 * i] += g;
            }
        }
    }
}

// St. Venant and Kirchhoff, or Hooke: p = q = F dN, l = dN, Q = F F^T; by rates F' stands on the right.
static void set_hooke(const flx_solid_element *e, int point, double factor, const double F[9],
                      const double right[9], moduli *m)
{
    const double *dN = e->dN + 3 * point * e->n, w = factor * e->weight[point];
    *m = (moduli){.lambda = w * e->lambda, .c = w * e->mu};
    memcpy(m->l, dN, 3 * (size_t)e->n * sizeof *dN);
    turn_gradients(e->n, F, dN, m->p);
    turn_gradients(e->n, right, dN, m->q);
    multiply_transposed(F, right, m->Q);
}

// Neo-Hookean: p = q = l = F^-T dN, Q = 1; F^-T = F C^-1.
static void set_neo_hookean(const flx_solid_element *e, int point, const state *s, moduli *m)
{
    const double *dN = e->dN + 3 * point * e->n, w = e->weight[point];
    double inverse[6], A[9] = {0}, c = e->mu - 0.5 * e->lambda * log(invert(s->E, inverse));
    *m = (moduli){.lambda = w * e->lambda, .c = w * c, .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) A[i] += s->F[i / 3 * 3 + k] * entry(inverse, k, i % 3);
    }
    turn_gradients(e->n, A, dN, m->p);
    memcpy(m->q, m->p, sizeof m->q);
    memcpy(m->l, m->p, sizeof m->l);
}

// K and C for b >= a; R: what damping adds to K, which has no symmetry.
static void add_tangent(const flx_solid_element *e, int point, const state *s, flx_solid_blocks K,
                        flx_solid_blocks C, flx_solid_blocks R)
{
    const double *dN = e->dN + 3 * point * e->n;
    double stress[9];
    moduli m;
    if (e->law == FLX_SOLID_NEO_HOOKEAN) {
        set_neo_hookean(e, point, s, &m);
    } else {
        set_hooke(e, point, 1.0, s->F, s->F, &m);
    }
    for (int i = 0; i < 9; i++) stress[i] = e->weight[point] * entry(s->S, i / 3, i % 3);
    turn_gradients(e->n, stress, dN, m.g);
    add_moduli(e->n, &m, dN, false, K);
    if (e->viscosity == 0.0) return;
    set_hooke(e, point, e->viscosity, s->F, s->F, &m);
    add_moduli(e->n, &m, dN, false, C);
    set_hooke(e, point, e->viscosity, s->F, s->dF, &m);
    add_moduli(e->n, &m, dN, true, R);
}

// The lower half from the upper.
static void mirror(int n, flx_solid_blocks K)
{
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < a; b++) {
            for (int i = 0; i < 9; i++) K[a][b][i] = K[b][a][i % 3 * 3 + i / 3];
        }
    }
}

// The change of a node's place by the velocities it hangs on, (3, nv).
static void motions(const flx_solid_element *e, const flx_frame *f, int a, double T[18])
{
    int nv = e->nv[a];
    memset(T, 0, 18 * sizeof *T);
    for (int i = 0; i < 3 && nv > 0; i++) T[i * nv + i] = 1.0;
    if (nv != 6) return;
    m33 turn = m33_mul(m33_load(f[e->frame[a]].R), m33_skew(v3_load(e->arm + 3 * a)));
    double t[9];
    m33_store(t, turn);
    for (int i = 0; i < 9; i++) T[i / 3 * 6 + 3 + i % 3] = -t[i];
}

// The change of its velocity by the same motions: of a body that turns R (theta x (w x s)).
static void rate_motions(const flx_solid_element *e, const flx_frame *f, int a, double T[18])
{
    const flx_frame *o = f + e->frame[a];
    memset(T, 0, 18 * sizeof *T);
    if (e->nv[a] != 6) return;
    v3 speed = v3_cross(v3_load(o->w), v3_load(e->arm + 3 * a));
    double t[9];
    m33_store(t, m33_mul(m33_load(o->R), m33_skew(speed)));
    for (int i = 0; i < 9; i++) T[i / 3 * 6 + 3 + i % 3] = -t[i];
}

// A += left^T K right, (3, nv) each.
static void put_block(const double *K, int nr, const double *left, int nc, const double *right,
                      double *A)
{
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nc; j++) {
            double sum = 0.0;
            for (int k = 0; k < 9; k++) {
                sum += left[k / 3 * nr + i] * K[k] * right[k % 3 * nc + j];
            }
            A[i * nc + j] += sum;
        }
    }
}

// rates: what K is of are changes of velocities, by motions.
static void put_blocks(const flx_solid_element *e, const flx_frame *f, flx_solid_blocks K,
                       bool rates, double *A)
{
    double left[FLX_SOLID_NODES][18], right[FLX_SOLID_NODES][18];
    for (int a = 0; a < e->n; a++) {
        motions(e, f, a, left[a]);
        memcpy(right[a], left[a], sizeof left[a]);
        if (rates) rate_motions(e, f, a, right[a]);
    }
    for (int a = 0; a < e->n; a++) {
        for (int b = 0; b < e->n; b++) {
            int nr = e->nv[a], nc = e->nv[b];
            if (nr == 0 || nc == 0 || (rates && nc != 6)) continue;
            double *out = A + e->block[a * e->n + b];
            if (nr == 3 && nc == 3) {
                for (int i = 0; i < 9; i++) out[i] += K[a][b][i];
            } else {
                put_block(K[a][b], nr, left[a], nc, right[b], out);
            }
        }
    }
}

// d(s x R^T f) = s~ (R^T f)~ theta, of nodes on bodies that turn.
static void put_turns(const flx_solid_element *e, const flx_frame *frames, const double (*f)[3],
                      double *A0)
{
    for (int a = 0; a < e->n; a++) {
        if (e->nv[a] != 6) continue;
        v3 body = m33_tmul_v(m33_load(frames[e->frame[a]].R), v3_load(f[a]));
        double t[9];
        m33_store(t, m33_mul(m33_skew(v3_load(e->arm + 3 * a)), m33_skew(body)));
        double *out = A0 + e->block[a * e->n + a];
        for (int i = 0; i < 9; i++) out[(3 + i / 3) * 6 + 3 + i % 3] += t[i];
    }
}

void flx_solid_put(const flx_solid_element *e, const flx_frame *frames, flx_solid_blocks K,
                   const double (*f)[3], double *A0)
{
    put_blocks(e, frames, K, false, A0);
    put_turns(e, frames, f, A0);
}

void flx_solid_linearise(int n, const flx_solid_element *elements, const flx_frame *frames,
                         double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_element *e = elements + k;
        size_t used = (size_t)e->n * sizeof(flx_solid_blocks) / FLX_SOLID_NODES;
        double f[FLX_SOLID_NODES][3] = {0};
        bool damped = e->viscosity != 0.0;
        flx_solid_blocks K, C, R;
        flx_solid_places p;
        state s;
        memset(K, 0, used);
        if (damped) memset(C, 0, used);
        if (damped) memset(R, 0, used);
        flx_solid_gather(e, frames, &p);
        for (int g = 0; g < e->npoint; g++) {
            eval(e, &p, g, &s);
            add_forces(e, g, s.F, s.S, f);
            add_tangent(e, g, &s, K, C, R);
        }
        mirror(e->n, K);
        flx_solid_put(e, frames, K, (const double(*)[3])f, A0);
        if (!damped) continue;
        mirror(e->n, C);
        put_blocks(e, frames, R, false, A0);
        put_blocks(e, frames, C, false, A1);
        put_blocks(e, frames, C, true, A0);
    }
}

// ---- energy -------------------------------------------------------------------------------------

void flx_solid_energy(int n, const flx_solid_element *elements, const flx_frame *frames,
                      flx_energies *out)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_element *e = elements + k;
        flx_solid_places p;
        flx_solid_gather(e, frames, &p);
        for (int g = 0; g < e->npoint; g++) {
            double F[9], E[6], dF[9], rate[6], S[6];
            gradient(e, p.x, g, F);
            green(F, E);
            out->strain += e->weight[g] * energy(e, E);
            if (e->viscosity == 0.0) continue;
            gradient(e, p.v, g, dF);
            green_rate(F, dF, rate);
            hooke(e->lambda, e->mu, rate, S);
            double power = S[0] * rate[0] + S[1] * rate[1] + S[2] * rate[2] +
                           2.0 * (S[3] * rate[3] + S[4] * rate[4] + S[5] * rate[5]);
            out->dissipated_power += e->weight[g] * e->viscosity * power;
        }
    }
}

// ---- discrete gradient --------------------------------------------------------------------------

void flx_solid_strains(int n, const flx_solid_element *elements, const flx_frame *frames,
                       double *strain)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_element *e = elements + k;
        flx_solid_places p;
        flx_solid_gather(e, frames, &p);
        for (int g = 0; g < e->npoint; g++, strain += 6) {
            double F[9];
            gradient(e, p.x, g, F);
            green(F, strain);
        }
    }
}

// (SOL-4) S of the mean strain, and what it lacks of the work along the change of strain. E is of second
// degree in places: its change is that of the middle times the step.
void flx_solid_discrete(int n, const flx_solid_element *elements, const flx_frame *frames,
                        const double *before, const double *after, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_element *e = elements + k;
        double f[FLX_SOLID_NODES][3] = {0};
        flx_solid_places p;
        flx_solid_gather(e, frames, &p);
        for (int g = 0; g < e->npoint; g++, before += 6, after += 6) {
            double F[9], E[6], mean[6], change[6], own[6], S[6], square = 0.0, work = 0.0;
            gradient(e, p.x, g, F);
            green(F, E);
            stress(e, E, own);
            for (int m = 0; m < 6; m++) {
                mean[m] = 0.5 * (before[m] + after[m]);
                change[m] = after[m] - before[m];
                square += (m < 3 ? 1.0 : 2.0) * change[m] * change[m];
            }
            stress(e, mean, S);
            for (int m = 0; m < 6; m++) work += (m < 3 ? 1.0 : 2.0) * S[m] * change[m];
            double lack = energy(e, after) - energy(e, before) - work;
            if (e->law == FLX_SOLID_ST_VENANT_KIRCHHOFF) lack = 0.0; // rounding
            for (int m = 0; m < 6; m++) {
                S[m] -= own[m];
                if (square > 0.0) S[m] += lack / square * change[m];
            }
            add_forces(e, g, F, S, f);
        }
        flx_solid_scatter(e, frames, (const double(*)[3])f, r);
    }
}
