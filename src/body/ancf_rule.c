// ancf_rule.c - points of quadrature of beams in absolute nodal coordinates, from their shape functions,
// with x = l p along the line and y, z across it:
//
//     position = (1 - 3 p^2 + 2 p^3) r1 + l (p - 2 p^2 + p^3) r1,x + (1 - p)(y r1,y + z r1,z)
//                + (3 p^2 - 2 p^3) r2 + l (p^3 - p^2) r2,x + p (y r2,y + z r2,z)                  (ANC-10)
//
// The continuum: Green's strain G = (F^T F - 1)/2 and St. Venant-Kirchhoff's law, in the plane that of plane
// stress, exactly integrated where the element is straight. It is too stiff where it bends: strains across
// are constant over the height, so that bending has E/(1 - nu^2), and shear follows the line badly.
//
// Strains of sections: with the directions t, u, w of r,x, r,y, r,z, stretch and shear r,x.t - 1, r,x.u, r,x.w at
// both ends and in the middle (Simpson's weights), Green's strains across at the ends, and bending and twist from
// the directions across at the ends, differences over the length,
//     t.(u2 - u1)/l,   t.(w2 - w1)/l,   (w.(u2 - u1) - u.(w2 - w1))/(2 l)                           (ANC-11)
// with t, u, w in the middle; each with the stiffness of the section. These are as many as the element has ways to
// deform: a thin one bends free of them.
#include "body/ancf.h"

#include "base/common.h"
#include "math/quadrature.h"
#include "math/small.h"

// Points of Gauss's rule: along the line and, of a rectangle, in each direction across it.
#define ALONG 5
#define ACROSS 3

// Derivatives of the position by x, y, z at (p, y, z), as sums of the vectors.
static void derive(double l, int dimension, double p, const double across[2],
                   double shape[][FLX_ANCF_MOST])
{
    int half = dimension + 1, nacross = dimension == 2 ? 1 : 2;
    memset(shape, 0, (size_t)dimension * sizeof *shape);
    shape[0][0] = (6.0 * p * p - 6.0 * p) / l;
    shape[0][1] = 1.0 - 4.0 * p + 3.0 * p * p;
    shape[0][half] = -shape[0][0];
    shape[0][half + 1] = 3.0 * p * p - 2.0 * p;
    for (int k = 0; k < nacross; k++) {
        shape[0][2 + k] = -across[k] / l;
        shape[0][half + 2 + k] = across[k] / l;
        shape[1 + k][2 + k] = 1.0 - p;
        shape[1 + k][half + 2 + k] = p;
    }
}

static flx_ancf_rule *begin(flx_ancf_rule *r, int dimension)
{
    r->dimension = dimension;
    r->n = 2 * (dimension + 1);
    r->npoint = 0;
    return r;
}

static flx_ancf_point *add_point(flx_ancf_rule *r, flx_ancf_kind kind)
{
    flx_ancf_point *p = r->points + r->npoint++;
    *p = (flx_ancf_point){.kind = kind};
    return p;
}

// ---- continuum ----------------------------------------------------------------------------------

typedef struct across { // points of a section
    int n;
    double at[ACROSS * ACROSS][2], w[ACROSS * ACROSS]; // w: areas
} across;

static across section_points(const flx_ancf_section *s, int dimension)
{
    across o = {0};
    double height = s->size[1], width = s->size[0];
    if (dimension == 3 && s->round) { // exact to the fifth degree
        double radius = s->size[0], area = FLX_PI * radius * radius;
        double r = radius * sqrt(2.0 / 3.0);
        o.w[o.n++] = area / 4.0;
        for (int k = 0; k < 6; k++) {
            double a = FLX_PI / 3.0 * k;
            o.at[o.n][0] = r * cos(a);
            o.at[o.n][1] = r * sin(a);
            o.w[o.n++] = area / 8.0;
        }
        return o;
    }
    double x[ACROSS], w[ACROSS];
    flx_quadrature_gauss(ACROSS, x, w);
    for (int i = 0; i < ACROSS; i++) {
        for (int j = 0; j < (dimension == 3 ? ACROSS : 1); j++) {
            o.at[o.n][0] = (x[i] - 0.5) * height;
            if (dimension == 3) o.at[o.n][1] = (x[j] - 0.5) * width;
            o.w[o.n++] = height * width * w[i] * (dimension == 3 ? w[j] : 1.0);
        }
    }
    return o;
}

static void law(double E, double nu, int dimension, double weight, double C[][FLX_ANCF_STRAINS])
{
    double mu = E / (2.0 * (1.0 + nu));
    double lambda =
        dimension == 2 ? E * nu / (1.0 - nu * nu) : E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    for (int i = 0; i < dimension; i++) {
        for (int j = 0; j < dimension; j++) C[i][j] = weight * (lambda + (i == j ? 2.0 * mu : 0.0));
    }
    for (int i = dimension; i < (dimension == 2 ? 3 : 6); i++) C[i][i] = weight * mu;
}

// Derivatives by the coordinates of the unstressed element in place of those of the straight one: F = J J0^-1.
// Returns det J0.
static double relate(int D, int n, const double *e0, double shape[][FLX_ANCF_MOST])
{
    double J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; // J[a]: derivative by coordinate a
    for (int a = 0; a < D; a++) {
        for (int c = 0; c < D; c++) {
            J[a][c] = 0.0;
            for (int j = 0; j < n; j++) J[a][c] += shape[a][j] * e0[D * j + c];
        }
    }
    v3 x = v3_load(J[0]), y = v3_load(J[1]), z = v3_load(J[2]), yz = v3_cross(y, z);
    double det = v3_dot(x, yz);
    double inverse[3][3]; // rows
    v3_store(inverse[0], v3_scale(1.0 / det, yz));
    v3_store(inverse[1], v3_scale(1.0 / det, v3_cross(z, x)));
    v3_store(inverse[2], v3_scale(1.0 / det, v3_cross(x, y)));
    for (int j = 0; j < n; j++) {
        double row[3] = {0};
        for (int a = 0; a < D; a++) {
            for (int b = 0; b < D; b++) row[a] += shape[b][j] * inverse[b][a];
        }
        for (int a = 0; a < D; a++) shape[a][j] = row[a];
    }
    return det;
}

void flx_ancf_rule_continuum(double length, const flx_ancf_section *s, int dimension,
                             const double *e0, flx_ancf_rule *out)
{
    flx_ancf_rule *r = begin(out, dimension);
    across o = section_points(s, dimension);
    double x[ALONG], w[ALONG];
    flx_quadrature_gauss(ALONG, x, w);
    for (int i = 0; i < ALONG; i++) {
        for (int k = 0; k < o.n; k++) {
            flx_ancf_point *p = add_point(r, dimension == 2 ? FLX_ANCF_PLANE : FLX_ANCF_SPACE);
            double weight = length * w[i] * o.w[k];
            derive(length, dimension, x[i], o.at[k], p->shape);
            if (e0) weight *= relate(dimension, r->n, e0, p->shape);
            law(s->E, s->nu, dimension, weight, p->C);
            for (int a = 0; a < dimension; a++) p->rest[a] = 0.5;
        }
    }
}

// ---- strains of sections ------------------------------------------------------------------------

void flx_ancf_rule_sections(double length, const flx_ancf_section *s, int dimension,
                            const double *e0, flx_ancf_rule *out)
{
    static const double simpson[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6}, line[2] = {0, 0};
    flx_ancf_rule *r = begin(out, dimension);
    bool plane = dimension == 2;
    int half = dimension + 1;
    for (int i = 0; i < 3; i++) {
        flx_ancf_point *p = add_point(r, plane ? FLX_ANCF_AXIS2 : FLX_ANCF_AXIS);
        derive(length, dimension, 0.5 * i, line, p->shape + 1);
        memcpy(p->shape[0], p->shape[1], sizeof p->shape[0]);
        p->C[0][0] = length * simpson[i] * s[i].EA;
        p->rest[0] = 1.0;
        for (int k = 1; k < dimension; k++) p->C[k][k] = length * simpson[i] * s[i].GA[k - 1];
    }
    for (int i = 0; i < 2; i++) {
        flx_ancf_point *p = add_point(r, plane ? FLX_ANCF_SECTION2 : FLX_ANCF_SECTION);
        for (int k = 0; k < dimension - 1; k++) {
            p->shape[k][half * i + 2 + k] = 1.0;
            p->C[k][k] = 0.5 * length * s[2 * i].EA;
            p->rest[k] = 0.5;
        }
        if (!plane) p->C[2][2] = 0.5 * length * s[2 * i].GA[0];
    }
    flx_ancf_point *p = add_point(r, plane ? FLX_ANCF_CURVATURE2 : FLX_ANCF_CURVATURE);
    double middle[3][FLX_ANCF_MOST];
    derive(length, dimension, 0.5, line, middle);
    memcpy(p->shape[0], middle[0], sizeof middle[0]);
    for (int k = 0; k < dimension - 1; k++) {
        p->shape[1 + 2 * k][2 + k] = 1.0;
        p->shape[2 + 2 * k][half + 2 + k] = 1.0;
        p->C[k][k] = s[3].EI[1 - k] / length; // strains are differences, not yet by the length
        if (!plane) memcpy(p->shape[5 + k], middle[1 + k], sizeof middle[0]);
    }
    if (!plane) p->C[2][2] = s[3].GJ / length;
    if (e0) flx_ancf_rest(r, e0);
}
