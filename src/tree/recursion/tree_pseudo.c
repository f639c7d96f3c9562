// tree_pseudo.c - the recursion with pseudo-inverses (TREE-17), six numbers a link.
#include "tree/recursion/tree_pseudo.h"

// A direction whose inertia is smaller than this part of that of others has none; as in tree_dynamics.c.
#define NO_INERTIA 1e-14

// ---- six numbers --------------------------------------------------------------------------------

static double dot6(flx_spatial6 a, flx_spatial6 b)
{
    return v3_dot(a.n, b.n) + v3_dot(a.f, b.f);
}
static flx_spatial6 axpy6(double k, flx_spatial6 a, flx_spatial6 b)
{
    return (flx_spatial6){v3_axpy(k, a.n, b.n), v3_axpy(k, a.f, b.f)};
}
static flx_spatial6 times6(double M[6][6], flx_spatial6 a)
{
    double x[6], y[6] = {0};
    v3_store(x, a.n);
    v3_store(x + 3, a.f);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) y[i] += M[i][j] * x[j];
    }
    return (flx_spatial6){v3_load(y), v3_load(y + 3)};
}

// A motion of the parent at r from its origin; a force at r seen from there.
static flx_spatial6 move_out(flx_spatial6 a, v3 r)
{
    return (flx_spatial6){a.n, v3_add(a.f, v3_cross(a.n, r))};
}
static flx_spatial6 move_in(flx_spatial6 a, v3 r)
{
    return (flx_spatial6){v3_add(a.n, v3_cross(r, a.f)), a.f};
}

// ---- the recursion ------------------------------------------------------------------------------

static v3 arm_of(const flx_tree_links *t, const flx_link_frame *f, int i)
{
    return v3_sub(f[i].p, f[t->links[i].parent].p);
}

static void set_inertia(const flx_link *l, const flx_link_frame *f, flx_pseudo_link *x)
{
    v3 h = m33_mul_v(f->R, l->h);
    m33 J = m33_mul_t(m33_mul(f->R, sym3_full(l->J)), f->R), B = m33_skew(h);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            x->M[i][j] = J.m[3 * i + j];
            x->M[i][3 + j] = B.m[3 * i + j];
            x->M[3 + i][j] = B.m[3 * j + i];
            x->M[3 + i][3 + j] = i == j ? l->m : 0.0;
        }
    }
}

static void set_motions(const flx_tree_links *t, const flx_link *l, const flx_link_frame *f,
                        flx_pseudo_link *x)
{
    for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) {
        double unit[3] = {0, 0, 0};
        v3 w, d;
        unit[k] = 1.0;
        flx_tree_expand(&t->k, l, unit, &w, &d);
        x->J[k] = (flx_spatial6){m33_mul_v(f->R, w), m33_mul_v(f->R, d)};
    }
}

// Eigenvalues of a symmetric matrix by Jacobi's rotations: on its diagonal, vectors by rows of V.
static void diagonalise(int n, double A[3][3], double V[3][3])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) V[i][j] = i == j ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                if (A[i][j] == 0.0) continue;
                double angle = 0.5 * atan2(2.0 * A[i][j], A[j][j] - A[i][i]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < n; k++) {
                    double a = A[i][k], b = A[j][k], u = V[i][k], v = V[j][k];
                    A[i][k] = c * a - s * b;
                    A[j][k] = s * a + c * b;
                    V[i][k] = c * u - s * v;
                    V[j][k] = s * u + c * v;
                }
                for (int k = 0; k < n; k++) {
                    double a = A[k][i], b = A[k][j];
                    A[k][i] = c * a - s * b;
                    A[k][j] = s * a + c * b;
                }
                A[i][j] = A[j][i] = 0.0;
            }
        }
    }
}

// Inertias against which that along a freedom is nothing.
static double size_of(const flx_link *l, const flx_pseudo_link *x)
{
    double turns = x->M[0][0] + x->M[1][1] + x->M[2][2];
    double slides = x->M[3][3] + x->M[4][4] + x->M[5][5];
    return flx_link_turns(l->kind) ? turns : slides;
}

// P and what it leaves out, from D = J^T M J.
static void invert(const flx_link *l, int n, flx_pseudo_link *x)
{
    double D[3][3] = {{0}}, V[3][3], least = NO_INERTIA * size_of(l, x);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) D[i][j] = dot6(x->J[i], x->U[j]);
    }
    diagonalise(n, D, V);
    memset(x->P, 0, sizeof x->P);
    x->nnull = 0;
    for (int k = 0; k < n; k++) {
        if (!(D[k][k] > least)) {
            memcpy(x->null[x->nnull++], V[k], sizeof V[k]);
            continue;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) x->P[i][j] += V[k][i] * V[k][j] / D[k][k];
        }
    }
}

// (TREE-6): what is left of M at the parent's origin.
static void hand_on(int n, v3 r, const flx_pseudo_link *x, flx_pseudo_link *parent)
{
    double K[6][6], U[3][6], R[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    memcpy(K, x->M, sizeof K);
    for (int k = 0; k < n; k++) {
        v3_store(U[k], x->U[k].n);
        v3_store(U[k] + 3, x->U[k].f);
    }
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            for (int i = 0; i < 36; i++) K[i / 6][i % 6] -= U[a][i / 6] * x->P[a][b] * U[b][i % 6];
        }
    }
    for (int j = 0; j < 6; j++) { // moments of forces at r, then motions
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) K[i][j] += R[i][k] * K[3 + k][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) K[i][j] += K[i][3 + k] * R[j][k];
        }
    }
    for (int i = 0; i < 36; i++) parent->M[i / 6][i % 6] += K[i / 6][i % 6];
}

int flx_pseudo_factor(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f)
{
    int count = 0;
    for (int i = 0; i < t->k.n; i++) {
        set_inertia(t->links + i, f + i, links + i);
        set_motions(t, t->links + i, f + i, links + i);
    }
    for (int i = t->k.n - 1; i >= 0; i--) {
        const flx_link *l = t->links + i;
        flx_pseudo_link *x = links + i;
        int n = flx_link_freedom(l->kind, t->k.planar);
        for (int k = 0; k < n; k++) x->U[k] = times6(x->M, x->J[k]);
        invert(l, n, x);
        count += x->nnull;
        if (l->parent >= 0) hand_on(n, arm_of(t, f, i), x, links + l->parent);
    }
    return count;
}

void flx_pseudo_solve(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                      const double *tau, int null, double *y)
{
    static const flx_spatial6 zero = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < t->k.n; i++) links[i].p = zero;
    for (int i = t->k.n - 1; i >= 0 && tau; i--) {
        const flx_link *l = t->links + i;
        flx_pseudo_link *x = links + i;
        int n = flx_link_freedom(l->kind, t->k.planar);
        double u[3];
        for (int k = 0; k < n; k++) u[k] = tau[l->v + k] - dot6(x->J[k], x->p);
        for (int k = 0; k < n; k++) {
            x->c[k] = 0.0;
            for (int j = 0; j < n; j++) x->c[k] += x->P[k][j] * u[j];
        }
        if (l->parent < 0) continue;
        flx_spatial6 p = x->p;
        for (int k = 0; k < n; k++) p = axpy6(x->c[k], x->U[k], p);
        flx_pseudo_link *parent = links + l->parent;
        parent->p = axpy6(1.0, move_in(p, arm_of(t, f, i)), parent->p);
    }
    for (int i = 0, first = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        flx_pseudo_link *x = links + i;
        int n = flx_link_freedom(l->kind, t->k.planar), own = null - first;
        flx_spatial6 A = l->parent < 0 ? zero : move_out(links[l->parent].A, arm_of(t, f, i));
        for (int k = 0; k < n; k++) {
            y[l->v + k] = tau ? x->c[k] : 0.0;
            for (int j = 0; j < n; j++) y[l->v + k] -= x->P[k][j] * dot6(x->U[j], A);
            if (null >= 0 && own >= 0 && own < x->nnull) y[l->v + k] += x->null[own][k];
        }
        x->A = A;
        for (int k = 0; k < n; k++) x->A = axpy6(y[l->v + k], x->J[k], x->A);
        first += x->nnull;
    }
}

// ---- momenta ------------------------------------------------------------------------------------

void flx_pseudo_transport(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                          double *out)
{
    for (int i = 0; i < t->k.n; i++) { // momentum about the origin
        const flx_link *l = t->links + i;
        v3 h = m33_mul_v(f[i].R, l->h), w = m33_tmul_v(f[i].R, f[i].w);
        v3 H = v3_add(m33_mul_v(f[i].R, sym3_mul(l->J, w)), v3_cross(h, f[i].v));
        links[i].p = (flx_spatial6){H, v3_axpy(l->m, f[i].v, v3_cross(f[i].w, h))};
    }
    for (int i = t->k.n - 1; i >= 0; i--) {
        const flx_link *l = t->links + i;
        flx_pseudo_link *x = links + i;
        v3 lost = v3_cross(f[i].v, x->p.f);
        for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) {
            flx_spatial6 J = x->J[k];
            out[l->v + k] += v3_dot(v3_cross(f[i].w, J.n), x->p.n) - v3_dot(J.n, lost) +
                             v3_dot(v3_cross(f[i].w, J.f), x->p.f);
        }
        if (l->parent < 0) continue;
        flx_pseudo_link *parent = links + l->parent;
        parent->p = axpy6(1.0, move_in(x->p, arm_of(t, f, i)), parent->p);
    }
}

void flx_pseudo_units(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                      double *unit)
{
    for (int i = 0; i < t->k.n; i++) set_inertia(t->links + i, f + i, links + i);
    for (int i = t->k.n - 1; i >= 0; i--) {
        const flx_link *l = t->links + i;
        flx_pseudo_link *x = links + i;
        for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) {
            double own = dot6(x->J[k], times6(x->M, x->J[k]));
            unit[l->v + k] = own > NO_INERTIA * size_of(l, x) ? own : 1.0;
        }
        if (l->parent >= 0) hand_on(0, arm_of(t, f, i), x, links + l->parent);
    }
}
