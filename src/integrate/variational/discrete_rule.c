// discrete_rule.c - numbers of the variational methods; see discrete_lagrangian.h.
//
// Between the equations of a step and those of collocation at the points of Gauss
//     E_j = h sum_i b_i N_j(c_i) R_i,   j = 0, ..., s-1                                     (VAR-8)
// with R the forces less the rates of momentum: s numbers on either side, so that Newton's matrix
// of collocation is that of the variational method, too.
#include "integrate/variational/discrete_lagrangian.h"

#include <math.h>
#include <string.h>

// Values and derivatives at tau of the Lagrange basis on n nodes.
static void basis(const double *node, int n, double tau, double *N, double *dN)
{
    for (int j = 0; j < n; j++) {
        N[j] = 1.0;
        dN[j] = 0.0;
        for (int k = 0; k < n; k++) {
            if (k == j) continue;
            double w = 1.0 / (node[j] - node[k]);
            dN[j] = (dN[j] * (tau - node[k]) + N[j]) * w; // product rule
            N[j] *= (tau - node[k]) * w;
        }
    }
}

void flx_discrete_rule_basis(const discrete_rule *rule, double tau, double *N, double *dN)
{
    basis(rule->node, rule->s + 1, tau, N, dN);
}

// Values at the points of forces, to the end of the step.
static void reach_end(discrete_rule *rule)
{
    double slope[DISCRETE_POINTS];
    basis(rule->force.c, rule->force.n, 1.0, rule->end, slope);
}

static void place_points(const discrete_rule *rule, discrete_points *p)
{
    for (int i = 0; i < p->n; i++) basis(rule->node, rule->s + 1, p->c[i], p->N[i], p->dN[i]);
}

static bool gauss_points(const discrete_rule *rule, int n, discrete_points *p)
{
    flx_coefficients k;
    if (n > DISCRETE_POINTS || !flx_collocation_coefficients(COLLOCATION_GAUSS, n, &k))
        return false;
    p->n = n;
    memcpy(p->c, k.c, (size_t)n * sizeof *p->c);
    memcpy(p->b, k.b, (size_t)n * sizeof *p->b);
    place_points(rule, p);
    return true;
}

// Inverse of an n x n matrix by Gauss and Jordan with row pivoting.
static bool invert(int n, const double a[][DISCRETE_DEGREE], double b[][DISCRETE_DEGREE])
{
    double m[DISCRETE_DEGREE][2 * DISCRETE_DEGREE] = {{0.0}};
    for (int i = 0; i < n; i++) {
        memcpy(m[i], a[i], (size_t)n * sizeof m[i][0]);
        m[i][n + i] = 1.0;
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(m[i][k]) > fabs(m[p][k])) p = i;
        }
        if (!(fabs(m[p][k]) > 0.0)) return false;
        for (int j = 0; j < 2 * n; j++) {
            double swap = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double f = m[i][k] / m[k][k];
            for (int j = 0; j < 2 * n && i != k; j++) m[i][j] -= f * m[k][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) b[i][j] = m[i][n + j] / m[i][i];
    }
    return true;
}

// From nodes and equations to the s stages of Newton's matrix and back.
static bool relate_stages(discrete_rule *rule, const discrete_points *stages)
{
    int s = rule->s;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) {
            rule->stage[i][j] = stages->N[i][j + 1];
            rule->balance[j][i] = stages->b[i] * stages->N[i][j];
        }
    }
    return invert(s, rule->stage, rule->node_of) && invert(s, rule->balance, rule->collect);
}

bool flx_discrete_rule_galerkin(int s, int r, discrete_rule *rule)
{
    flx_coefficients k;
    collocation_tableau t;
    discrete_points stages;
    memset(rule, 0, sizeof *rule);
    if (s < 1 || s > DISCRETE_DEGREE || r < 1 || r > DISCRETE_POINTS) return false;
    rule->s = s;
    if (!flx_collocation_coefficients(COLLOCATION_LOBATTO_IIIA, s + 1, &k)) return false;
    memcpy(rule->node, k.c, (size_t)(s + 1) * sizeof *rule->node);
    memcpy(rule->w, k.b, (size_t)(s + 1) * sizeof *rule->w);
    rule->same = r >= s; // fewer points would not see the kinetic energy of every curve
    if (!gauss_points(rule, r, &rule->force) || !gauss_points(rule, s, &stages) ||
        !gauss_points(rule, rule->same ? r : s, &rule->kinetic)) {
        return false;
    }
    reach_end(rule);
    if (!flx_collocation_coefficients(COLLOCATION_GAUSS, s, &k)) return false;
    for (int i = 0; i < s; i++) memcpy(rule->A[i], k.A[i], (size_t)s * sizeof k.A[i][0]);
    if (!flx_collocation_tableau_make(COLLOCATION_GAUSS, s, &t)) return false;
    rule->nreal = t.nreal;
    rule->neigen = t.neigen;
    for (int i = 0; i < s; i++) {
        memcpy(rule->Ai[i], t.Ai[i], (size_t)s * sizeof t.Ai[i][0]);
        memcpy(rule->P[i], t.P[i], (size_t)s * sizeof t.P[i][0]);
        memcpy(rule->Pi[i], t.Pi[i], (size_t)s * sizeof t.Pi[i][0]);
    }
    for (int i = 0; i < t.neigen; i++) {
        rule->c1[i] = t.mu[i];
        rule->c2[i] = t.mu[i] * t.mu[i];
    }
    return relate_stages(rule, &stages);
}

// The matrix is that of a point a little inside where alpha is an end: there it is as good, and its
// rows of constraints do not vanish.
#define NEAR_END 0.05

bool flx_discrete_rule_point(double alpha, discrete_rule *rule)
{
    memset(rule, 0, sizeof *rule);
    if (!(alpha >= 0.0 && alpha <= 1.0)) return false;
    rule->s = 1;
    rule->node[1] = 1.0;
    rule->w[0] = rule->w[1] = 0.5;
    rule->same = true;
    rule->force = (discrete_points){.n = 1, .c = {alpha}, .b = {1.0}};
    place_points(rule, &rule->force);
    reach_end(rule);
    rule->kinetic = rule->force;
    rule->A[0][0] = alpha;

    double a = fmin(fmax(alpha, NEAR_END), 1.0 - NEAR_END);
    discrete_points stage = {.n = 1, .c = {a}, .b = {1.0}};
    place_points(rule, &stage);
    rule->nreal = rule->neigen = 1;
    rule->P[0][0] = rule->Pi[0][0] = 1.0;
    rule->Ai[0][0] = 1.0 / a;
    rule->c1[0] = 1.0 / a;
    rule->c2[0] = 1.0 / (a * (1.0 - a)); // (q1 - q0)/h = theta/(a h); p takes 1 - alpha
    return relate_stages(rule, &stage);
}
