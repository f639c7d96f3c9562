// cell_shape.c - shape functions and integration rules of all cells, from the places of their nodes.
//
//     line, quad, hex:  N_a = 1/2^d prod(1 + x_a x)                     corners, first order   (FE-1)
//                       N_a = (1/2^d) prod(1 + x_a x) (sum x_a x - d + 1)  corners, serendipity  (FE-2)
//                       N_m = (1/2^(d-1)) (1 - x_k^2) prod(1 + x_m x)      middle of an edge along k
//     triangle, tetrahedron, with L_0 = 1 - sum x:
//                       N_a = L_a;  N_a = L_a (2 L_a - 1),  N_m = 4 L_a L_b                     (FE-3)
#include "model/cell_shape.h"

#include <math.h>
#include <string.h>

// ---- places of nodes ----------------------------------------------------------------------------

static const double box[FLX_CELL_NODES][3] = { // hexahedra
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};
static const double square[8][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0},
                                    {0, -1, 0},  {1, 0, 0},  {0, 1, 0}, {-1, 0, 0}};
static const double segment[3][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
// Ends of the edges whose middles are the nodes after the corners.
static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static bool is_simplex(flx_cell cell)
{
    return cell == FLX_CELL_TRI3 || cell == FLX_CELL_TRI6 || cell == FLX_CELL_TET4 ||
           cell == FLX_CELL_TET10;
}

static const double *box_node(int dimension, int node)
{
    return dimension == 1 ? segment[node] : dimension == 2 ? square[node] : box[node];
}

void flx_shape_node(flx_cell cell, int node, double xi[3])
{
    int d = flx_cells[cell].dimension;
    memset(xi, 0, 3 * sizeof *xi);
    if (d == 0) return;
    if (!is_simplex(cell)) {
        memcpy(xi, box_node(d, node), 3 * sizeof *xi);
    } else if (node <= d) {
        if (node > 0) xi[node - 1] = 1;
    } else {
        for (int e = 0; e < 2; e++) {
            int corner = edges[node - d - 1][e];
            if (corner > 0) xi[corner - 1] += 0.5;
        }
    }
}

// ---- functions ----------------------------------------------------------------------------------

static void eval_simplex(int d, int nodes, const double *xi, double *N, double (*dN)[3])
{
    double L[4] = {1, 0, 0, 0}, dL[4][3] = {{0}};
    for (int k = 0; k < d; k++) {
        L[k + 1] = xi[k];
        L[0] -= xi[k];
        dL[k + 1][k] = 1;
        dL[0][k] = -1;
    }
    bool quadratic = nodes > d + 1;
    for (int a = 0; a <= d; a++) {
        N[a] = quadratic ? L[a] * (2 * L[a] - 1) : L[a];
        for (int k = 0; k < d; k++) dN[a][k] = (quadratic ? 4 * L[a] - 1 : 1) * dL[a][k];
    }
    for (int m = d + 1; m < nodes; m++) {
        int a = edges[m - d - 1][0], b = edges[m - d - 1][1];
        N[m] = 4 * L[a] * L[b];
        for (int k = 0; k < d; k++) dN[m][k] = 4 * (dL[a][k] * L[b] + L[a] * dL[b][k]);
    }
}

// One function of a box: factors along each axis, and for corners of the second order the sum.
static void eval_box_node(int d, bool quadratic, const double *at, const double *xi, double *N,
                          double *dN)
{
    double f[3], df[3], product = 1, sum = 1 - d;
    bool corner = true;
    for (int k = 0; k < d; k++) {
        if (at[k] == 0) { // the middle of an edge
            f[k] = 1 - xi[k] * xi[k];
            df[k] = -2 * xi[k];
            corner = false;
        } else {
            f[k] = (1 + at[k] * xi[k]) / 2;
            df[k] = at[k] / 2;
        }
        product *= f[k];
        sum += at[k] * xi[k];
    }
    bool summed = quadratic && corner;
    *N = summed ? product * sum : product;
    for (int k = 0; k < d; k++) {
        double slope = df[k];
        for (int j = 0; j < d; j++) {
            if (j != k) slope *= f[j];
        }
        dN[k] = summed ? slope * sum + product * at[k] : slope;
    }
}

void flx_shape_eval(flx_cell cell, const double xi[3], double *N, double (*dN)[3])
{
    int n = flx_cells[cell].nodes, d = flx_cells[cell].dimension;
    memset(dN, 0, (size_t)n * sizeof *dN);
    if (d == 0) {
        N[0] = 1;
    } else if (is_simplex(cell)) {
        eval_simplex(d, n, xi, N, dN);
    } else if (d <= 3) { // squares and cubes
        for (int a = 0; a < n; a++) {
            eval_box_node(d, n > 1 << d, box_node(d, a), xi, N + a, dN[a]);
        }
    }
}

// ---- rules --------------------------------------------------------------------------------------

void flx_gauss_points(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        double z = cos(FLX_PI * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int sweep = 0; sweep < 8; sweep++) { // Newton on Legendre's polynomial, quadratic
            double p = 1, before = 0;
            for (int k = 1; k <= n; k++) {
                double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        x[n - 1 - i] = z;
        w[n - 1 - i] = 2 / ((1 - z * z) * slope * slope);
    }
}

typedef struct rule {
    int n;
    double xi[FLX_RULE_POINTS][3], w[FLX_RULE_POINTS];
} rule;

static void add_point(rule *r, double x, double y, double z, double w)
{
    double *xi = r->xi[r->n];
    xi[0] = x;
    xi[1] = y;
    xi[2] = z;
    r->w[r->n++] = w;
}

// n points along each axis of a box.
static void box_rule(int d, int n, rule *r)
{
    double x[3], w[3];
    flx_gauss_points(n, x, w);
    for (int k = 0; k < (d > 2 ? n : 1); k++) {
        for (int j = 0; j < (d > 1 ? n : 1); j++) {
            for (int i = 0; i < n; i++) {
                add_point(r, x[i], d > 1 ? x[j] : 0, d > 2 ? x[k] : 0,
                          w[i] * (d > 1 ? w[j] : 1) * (d > 2 ? w[k] : 1));
            }
        }
    }
}

// A box collapsed to a simplex: x = a (1 - b)(1 - c), y = b (1 - c), z = c on [0, 1], with the
// determinant (1 - b)(1 - c)^2. Positive weights, exact for degree 4 with 3, 3 (4 for c) points.
static void collapsed_rule(int d, rule *r)
{
    double x[3], w[3], z[4], v[4];
    flx_gauss_points(3, x, w);
    flx_gauss_points(4, z, v);
    for (int k = 0; k < (d > 2 ? 4 : 1); k++) {
        double c = d > 2 ? (1 + z[k]) / 2 : 0, wc = d > 2 ? v[k] / 2 * (1 - c) * (1 - c) : 1;
        for (int j = 0; j < 3; j++) {
            double b = (1 + x[j]) / 2, wb = w[j] / 2 * (1 - b);
            for (int i = 0; i < 3; i++) {
                double a = (1 + x[i]) / 2;
                add_point(r, a * (1 - b) * (1 - c), b * (1 - c), c, w[i] / 2 * wb * wc);
            }
        }
    }
}

// Symmetric rules of degree 2: d + 1 points, each at (1 - s)/(d + 1) from the centre towards a corner.
static void degree_two_rule(int d, rule *r)
{
    double s = 1 / sqrt(d + 2.0), volume = d == 2 ? 1.0 / 2 : 1.0 / 6;
    double low = (1 - s) / (d + 1), high = low + s;
    for (int a = 0; a <= d; a++) {
        add_point(r, a == 1 ? high : low, a == 2 ? high : low, a == 3 ? high : low,
                  volume / (d + 1));
        if (d == 2) r->xi[r->n - 1][2] = 0;
    }
}

static void find_rule(flx_cell cell, flx_rule_use use, rule *r)
{
    int d = flx_cells[cell].dimension;
    bool first_order = flx_cells[cell].nodes == (is_simplex(cell) ? d + 1 : 1 << d);
    r->n = 0;
    if (d == 0) {
        add_point(r, 0, 0, 0, 1);
    } else if (!is_simplex(cell)) {
        box_rule(d, first_order ? 2 : 3, r);
    } else if (first_order && use == FLX_RULE_STIFFNESS) {
        double c = 1.0 / (d + 1);
        add_point(r, c, c, d == 3 ? c : 0, d == 2 ? 1.0 / 2 : 1.0 / 6);
    } else if (first_order || use == FLX_RULE_STIFFNESS) {
        degree_two_rule(d, r);
    } else {
        collapsed_rule(d, r);
    }
}

static void fill(flx_cell cell, const rule *r, flx_shape_table *shape)
{
    shape->nodes = flx_cells[cell].nodes;
    shape->dimension = flx_cells[cell].dimension;
    shape->points = r->n;
    for (int p = 0; p < r->n; p++) {
        shape->weight[p] = r->w[p];
        flx_shape_eval(cell, r->xi[p], shape->N[p], shape->dN[p]);
    }
}

void flx_shape_fill(flx_cell cell, flx_rule_use use, flx_shape_table *shape)
{
    rule r;
    find_rule(cell, use, &r);
    fill(cell, &r, shape);
}

void flx_shape_fill_nodes(flx_cell cell, flx_shape_table *shape)
{
    rule r = {.n = flx_cells[cell].nodes};
    for (int a = 0; a < r.n; a++) {
        flx_shape_node(cell, a, r.xi[a]);
        r.w[a] = 0;
    }
    fill(cell, &r, shape);
}
