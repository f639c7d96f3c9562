// continuum.c - isoparametric solids and plane elements of an isotropic linear elastic material.
//
//     g_a = J^-T dN_a,  J = sum x_a dN_a^T                                                      (FE-4)
//     K_ab = integral of lambda g_a g_b^T + mu (g_b g_a^T + g_a.g_b I)                            (FE-5)
//     M_ab = I integral of rho N_a N_b                                                          (FE-6)
//     sigma = lambda tr(eps) I + 2 mu eps                                                       (FE-7)
// The block (FE-5) is B_a^T C B_b written out; plane stress has lambda = E nu/(1 - nu^2).
// Incompatible modes (Taylor, Beresford, Wilson 1976): functions M_k = 1 - xi_k^2 of the element alone,
//     g_k = (det J_0/det J) J_0^-T dM_k,  J_0 of the middle                                       (FE-20)
// whose coordinates q follow from the nodes: they are treated as further nodes and condensed.
#include "fe/element.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Cofactors of J, J^-T det, of derivatives dN by the coordinates of the cell; returns det.
static double find_cofactors(int d, int nodes, const double *x, const double (*dN)[3],
                             double C[3][3])
{
    double J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < d; i++) {
        for (int k = 0; k < d; k++) {
            J[i][k] = 0;
            for (int a = 0; a < nodes; a++) J[i][k] += x[3 * a + i] * dN[a][k];
        }
    }
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            C[i][k] = J[i1][k1] * J[i2][k2] - J[i1][k2] * J[i2][k1];
        }
    }
    return J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
}

// Gradients of the shape functions at point p, and the volume w det J; false: not positive.
static bool find_gradients(const flx_shape_table *t, int p, const double *x, double (*g)[3],
                           double *det)
{
    int d = t->dimension;
    double C[3][3];
    *det = find_cofactors(d, t->nodes, x, t->dN[p], C);
    if (!(*det > 0)) return false;
    for (int a = 0; a < t->nodes; a++) {
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int k = 0; k < d; k++) sum += C[i][k] * t->dN[p][a][k];
            g[a][i] = i < d ? sum / *det : 0;
        }
    }
    return true;
}

static void add_stiffness(int d, int nodes, double (*g)[3], double lambda, double mu, double *K)
{
    int n = d * nodes;
    for (int a = 0; a < nodes; a++) {
        for (int b = a; b < nodes; b++) {
            double dot = mu * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
            double *block = K + (size_t)(d * a) * n + d * b;
            for (int i = 0; i < d; i++) {
                for (int k = 0; k < d; k++) {
                    block[i * n + k] += lambda * g[a][i] * g[b][k] + mu * g[a][k] * g[b][i];
                }
                block[i * n + i] += dot;
            }
        }
    }
}

// The lower blocks are the transposes of the upper ones.
static void mirror(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) A[(size_t)i * n + k] = A[(size_t)k * n + i];
    }
}

static void name_unknowns(const flx_shape_table *t, flx_element_matrices *out)
{
    out->n = t->dimension * t->nodes;
    for (int i = 0; i < out->n; i++) {
        out->node[i] = i / t->dimension;
        out->comp[i] = i % t->dimension;
    }
    memset(out->K, 0, (size_t)out->n * out->n * sizeof *out->K);
    memset(out->M, 0, (size_t)out->n * out->n * sizeof *out->M);
}

// A scalar matrix s (nodes, nodes; upper) repeated for every component.
static void spread(const flx_shape_table *t, const double *s, double *A)
{
    int d = t->dimension, n = d * t->nodes;
    for (int a = 0; a < t->nodes; a++) {
        for (int b = a; b < t->nodes; b++) {
            for (int i = 0; i < d; i++) {
                A[(size_t)(d * a + i) * n + d * b + i] = s[a * FLX_CELL_NODES + b];
            }
        }
    }
}

static flx_status add_mass(const flx_shape_table *t, double density, const double *x, double *M)
{
    double g[FLX_CELL_NODES][3], det, s[FLX_CELL_NODES * FLX_CELL_NODES] = {0};
    for (int p = 0; p < t->points; p++) {
        if (!find_gradients(t, p, x, g, &det)) return FLX_SINGULAR;
        double w = density * det * t->weight[p];
        for (int a = 0; a < t->nodes; a++) {
            for (int b = a; b < t->nodes; b++) {
                s[a * FLX_CELL_NODES + b] += w * t->N[p][a] * t->N[p][b];
            }
        }
    }
    spread(t, s, M);
    return FLX_OK;
}

// ---- incompatible modes -------------------------------------------------------------------------

#define MOST_OWN 9                          // coordinates of incompatible modes: hexahedra
#define MOST_BOX (3 * 8)                    // unknowns of the nodes there
#define MOST_WIDE ((MOST_BOX) + (MOST_OWN)) // both

typedef struct own_modes {         // of one element
    int n, m;                      // unknowns of its nodes, coordinates of its modes
    double C[3][3];                // cofactors of J_0
    double q[MOST_OWN * MOST_BOX]; // (m, n): the coordinates are q u
} own_modes;

// Corner a of a quadrilateral or hexahedron: its function has the derivatives xi_a/2 there.
static double corner(const flx_cell_tables *t, int a, int k)
{
    return 2 * t->nodes.dN[a][a][k];
}

// Gradients of the modes at point p of a table, det of J there; they follow those of the nodes.
static void find_own_gradients(const flx_cell_tables *t, const flx_shape_table *s, int p,
                               double det, const own_modes *o, double (*g)[3])
{
    int d = s->dimension;
    for (int k = 0; k < d; k++) {
        double xi = 0;
        for (int a = 0; a < s->nodes; a++) xi += s->N[p][a] * corner(t, a, k);
        for (int i = 0; i < 3; i++) g[s->nodes + k][i] = i < d ? -2 * xi * o->C[i][k] / det : 0;
    }
}

// K of nodes and modes (upper blocks, row by row n + m), without the modes: K_uu - K_uq K_qq^-1 K_qu.
static flx_status condense(own_modes *o, double *wide, double *K)
{
    int n = o->n, m = o->m, all = n + m;
    double L[MOST_OWN * MOST_OWN], column[MOST_OWN];
    mirror(all, wide);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) L[i * m + k] = wide[(n + i) * all + n + k];
    }
    if (!flx_dense_cholesky(m, L, 0)) return FLX_SINGULAR;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) column[i] = -wide[(n + i) * all + j];
        flx_dense_cholesky_solve(m, L, column, 1);
        for (int i = 0; i < m; i++) o->q[i * n + j] = column[i];
    }
    for (int i = 0; K && i < n; i++) {
        for (int j = i; j < n; j++) {
            double sum = wide[i * all + j];
            for (int k = 0; k < m; k++) sum += wide[i * all + n + k] * o->q[k * n + j];
            K[i * n + j] = sum;
        }
    }
    return FLX_OK;
}

// K NULL: only the modes are asked for.
static flx_status add_own_modes(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                                own_modes *o, double *K)
{
    const flx_shape_table *s = &t->stiffness;
    double middle[FLX_CELL_NODES][3] = {{0}}, g[FLX_CELL_NODES][3], det,
           wide[MOST_WIDE * MOST_WIDE] = {0};
    int d = s->dimension;
    for (int a = 0; a < s->nodes; a++) {
        for (int k = 0; k < d; k++) middle[a][k] = corner(t, a, k) / s->nodes;
    }
    o->n = d * s->nodes;
    o->m = d * d;
    find_cofactors(d, s->nodes, x, (const double(*)[3])middle, o->C);
    for (int p = 0; p < s->points; p++) {
        if (!find_gradients(s, p, x, g, &det)) return FLX_SINGULAR;
        find_own_gradients(t, s, p, det, o, g);
        double w = c->thickness * det * s->weight[p];
        add_stiffness(d, s->nodes + d, g, w * c->lambda, w * c->mu, wide);
    }
    return condense(o, wide, K);
}

flx_status flx_continuum_eval(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                              flx_element_matrices *out)
{
    double g[FLX_CELL_NODES][3], det;
    own_modes o;
    name_unknowns(&t->stiffness, out);
    for (int p = 0; p < t->stiffness.points && !c->incompatible; p++) {
        if (!find_gradients(&t->stiffness, p, x, g, &det)) return FLX_SINGULAR;
        double w = c->thickness * det * t->stiffness.weight[p];
        add_stiffness(t->stiffness.dimension, t->stiffness.nodes, g, w * c->lambda, w * c->mu,
                      out->K);
    }
    if (c->incompatible) FLX_TRY(add_own_modes(t, c, x, &o, out->K));
    FLX_TRY(add_mass(&t->mass, c->density, x, out->M));
    mirror(out->n, out->K);
    mirror(out->n, out->M);
    return FLX_OK;
}

// Displacement gradient at point p of the table; false: the element is flat there.
static bool find_strain(const flx_shape_table *s, int p, const double *x, const double *u,
                        double G[3][3])
{
    double g[FLX_CELL_NODES][3], det;
    memset(G, 0, 9 * sizeof **G);
    if (!find_gradients(s, p, x, g, &det)) return false;
    for (int a = 0; a < s->nodes; a++) {
        for (int i = 0; i < s->dimension; i++) {
            for (int k = 0; k < s->dimension; k++) G[i][k] += u[3 * a + i] * g[a][k];
        }
    }
    return true;
}

flx_status flx_continuum_gradients(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                                   const double *u, flx_node_gradient *out)
{
    const flx_shape_table *s = &t->nodes;
    own_modes o;
    int d = s->dimension;
    double g[FLX_CELL_NODES][3], det, q[MOST_OWN] = {0};
    if (c->incompatible) {
        FLX_TRY(add_own_modes(t, c, x, &o, NULL));
        for (int i = 0; i < o.m * o.n; i++) {
            q[i / o.n] += o.q[i] * u[3 * (i % o.n / d) + i % o.n % d];
        }
    }
    for (int p = 0; p < s->points; p++) {
        double(*G)[3] = out[p].G;
        if (!find_strain(s, p, x, u, G)) return FLX_SINGULAR;
        for (int i = 0; i < 3; i++) {
            int k = (i + 1) % 3, l = (i + 2) % 3;
            out[p].turn[i] = (G[l][k] - G[k][l]) / 2;
        }
        if (!c->incompatible) continue;
        find_gradients(s, p, x, g, &det);
        find_own_gradients(t, s, p, det, &o, g);
        for (int i = 0; i < d * d * d; i++) {
            G[i / d % d][i % d] +=
                q[d * (i / (d * d)) + i / d % d] * g[s->nodes + i / (d * d)][i % d];
        }
    }
    return FLX_OK;
}

void flx_continuum_stress(const flx_hooke *c, flx_family family, double nu, const double G[3][3],
                          double sigma[6])
{
    double trace = c->lambda * (G[0][0] + G[1][1] + G[2][2]);
    for (int i = 0; i < 3; i++) sigma[i] = trace + 2 * c->mu * G[i][i];
    sigma[3] = c->mu * (G[0][1] + G[1][0]);
    sigma[4] = c->mu * (G[1][2] + G[2][1]);
    sigma[5] = c->mu * (G[0][2] + G[2][0]);
    if (family == FLX_FAMILY_PLANE_STRESS) sigma[2] = 0;
    if (family == FLX_FAMILY_PLANE_STRAIN) sigma[2] = nu * (sigma[0] + sigma[1]);
}

void flx_continuum_strain(flx_family family, double nu, const double G[3][3], double eps[6])
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    for (int i = 0; i < 6; i++) {
        eps[i] = (G[pair[i][0]][pair[i][1]] + G[pair[i][1]][pair[i][0]]) / 2;
    }
    // across a plate that is free to do so
    if (family == FLX_FAMILY_PLANE_STRESS) eps[2] = -nu / (1 - nu) * (eps[0] + eps[1]);
}

// The largest number of displacements that flx_continuum_stretch takes at once.
#define MOST_SHAPES 64

flx_status flx_continuum_stretch(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                                 int n, const double *u, double *force)
{
    const flx_shape_table *s = &t->stiffness;
    double g[FLX_CELL_NODES][3], det, G[MOST_SHAPES][3][3];
    int d = s->dimension, each = 3 * s->nodes;
    if (n > MOST_SHAPES) return FLX_ERR_ARGUMENT;
    for (int p = 0; p < s->points; p++) {
        if (!find_gradients(s, p, x, g, &det)) return FLX_SINGULAR;
        double w = c->thickness * det * s->weight[p], *out = force;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < 9; i++) {
                G[k][i / 3][i % 3] = 0;
                for (int a = 0; a < s->nodes; a++) {
                    G[k][i / 3][i % 3] += u[k * each + 3 * a + i / 3] * g[a][i % 3];
                }
            }
        }
        for (int k = 0; k < n; k++) {
            for (int l = k; l < n; l++, out += each) {
                double E[3][3], trace = 0;
                for (int i = 0; i < d; i++) {
                    for (int j = 0; j < d; j++) {
                        E[i][j] = 0;
                        for (int m = 0; m < d; m++) {
                            E[i][j] += (G[k][m][i] * G[l][m][j] + G[l][m][i] * G[k][m][j]) / 2;
                        }
                    }
                    trace += E[i][i];
                }
                for (int a = 0; a < s->nodes; a++) {
                    for (int i = 0; i < d; i++) {
                        double sum = c->lambda * trace * g[a][i];
                        for (int j = 0; j < d; j++) sum += 2 * c->mu * E[i][j] * g[a][j];
                        out[3 * a + i] -= w * sum;
                    }
                }
            }
        }
    }
    return FLX_OK;
}
