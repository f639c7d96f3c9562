// line_element.c - an element of a line of beams: its shapes, stiffness and mass.
//
// Shapes of an element, with x = 0..1 along it and p = 12 EI/(GA L^2) (0: without shear):
//
//     w  = ((1 + p) - p x - 3 x^2 + 2 x^3,  L ((1 + p/2) x - (2 + p/2) x^2 + x^3), ...)/(1 + p)   (BML-3)
//     turn = (6 (x^2 - x)/L,  (1 + p) - (4 + p) x + 3 x^2, ...)/(1 + p)
//
// Of a section that varies they are what forces and moments at the ends make of the element, whatever is between,
//
//     strain = C(x)^-1 (n, m - x t x n),  u, turn by integration from the beginning,  f = F(L)^-1 (u, turn)  (BML-6)
// with C in the axes of the section at x: static deflections of nodes are exact, as those of the others are.
#include "reduce/line_element.h"

#include "math/quadrature.h"

#include <math.h>
#include <string.h>

flx_line flx_line_at(const flx_line *line, int element, int point)
{
    flx_line out = *line;
    if (!line->along) return out;
    const flx_line_station *s = line->along + (ptrdiff_t)FLX_LINE_POINTS * element + point;
    out.mass = s->mass;
    out.EA = s->EA;
    out.GJ = s->GJ;
    for (int i = 0; i < 2; i++) {
        out.EI[i] = s->EI[i];
        out.GA[i] = s->GA[i];
        out.second[i] = s->second[i];
    }
    return out;
}

// Deflection and turn of the four unknowns of bending, with derivatives by x.
static void bend(double x, double L, double p, double w[4], double dw[4], double t[4], double dt[4])
{
    double c = 1.0 / (1.0 + p);
    w[0] = c * (1.0 + p - p * x - 3.0 * x * x + 2.0 * x * x * x);
    w[1] = c * L * ((1.0 + 0.5 * p) * x - (2.0 + 0.5 * p) * x * x + x * x * x);
    w[2] = c * (p * x + 3.0 * x * x - 2.0 * x * x * x);
    w[3] = c * L * (-0.5 * p * x + (0.5 * p - 1.0) * x * x + x * x * x);
    dw[0] = c * (-p - 6.0 * x + 6.0 * x * x);
    dw[1] = c * L * (1.0 + 0.5 * p - (4.0 + p) * x + 3.0 * x * x);
    dw[2] = -dw[0];
    dw[3] = c * L * (-0.5 * p + (p - 2.0) * x + 3.0 * x * x);
    t[0] = c * 6.0 / L * (x * x - x);
    t[1] = c * (1.0 + p - (4.0 + p) * x + 3.0 * x * x);
    t[2] = -t[0];
    t[3] = c * ((p - 2.0) * x + 3.0 * x * x);
    dt[0] = c * 6.0 / L * (2.0 * x - 1.0);
    dt[1] = c * (6.0 * x - 4.0 - p);
    dt[2] = -dt[0];
    dt[3] = c * (6.0 * x - 2.0 + p);
}

// ---- sections that vary -----------------------------------------------------------------------------

// What the section at a point gives way: of shear and of bending (along y and y, y and z, z and z), of stretch and twist.
typedef struct give {
    double shear[3], bend[3], stretch, twist;
} give;

static give give_at(const flx_line *line, const flx_line_station *p)
{
    double t[3], y[3], z[3], c = 0, s = 0;
    flx_line_axes(line, 0.5, t, y, z);
    for (int i = 0; i < 3; i++) c += p->y[i] * y[i], s += p->y[i] * z[i];
    give out = {.stretch = 1.0 / p->EA, .twist = 1.0 / p->GJ};
    const double along_z = 1.0 / p->EI[0], along_y = 1.0 / p->EI[1]; // turns about z and about y
    out.bend[0] = c * c * along_y + s * s * along_z;
    out.bend[1] = c * s * (along_y - along_z);
    out.bend[2] = s * s * along_y + c * c * along_z;
    if (!line->shear || !(p->GA[0] > 0)) return out;
    const double a = 1.0 / p->GA[0], b = 1.0 / p->GA[1];
    out.shear[0] = c * c * a + s * s * b;
    out.shear[1] = c * s * (a - b);
    out.shear[2] = s * s * a + c * c * b;
    return out;
}

// Polynomials through the points.
static give give_between(const give *all, const double *points, double x)
{
    double N[FLX_LINE_POINTS], *to, dN[FLX_LINE_POINTS];
    give out = {.stretch = 0};
    flx_lagrange_eval(FLX_LINE_POINTS, points, x, N, dN);
    to = (double *)&out;
    for (int k = 0; k < FLX_LINE_POINTS; k++) {
        const double *from = (const double *)(all + k);
        for (size_t i = 0; i < sizeof out / sizeof *to; i++) to[i] += N[k] * from[i];
    }
    return out;
}

// Strains (stretch, shear along y, z; twist, bending about y, z) under the force j at the end, or the moment j - 3 all
// along, at the distance x.
static void strains_of(const give *g, int j, double x, double e[6])
{
    double n[3] = {j == 0, j == 1, j == 2}, m[3] = {j == 3, j == 4, j == 5};
    m[1] += x * n[2];
    m[2] -= x * n[1];
    e[0] = g->stretch * n[0];
    e[1] = g->shear[0] * n[1] + g->shear[1] * n[2];
    e[2] = g->shear[1] * n[1] + g->shear[2] * n[2];
    e[3] = g->twist * m[0];
    e[4] = g->bend[0] * m[1] + g->bend[1] * m[2];
    e[5] = g->bend[1] * m[1] + g->bend[2] * m[2];
}

// Fields of the six (BML-6) at the part x of an element that is held at its beginning.
static void held_units(const give *all, const double *points, const double *weights, double L,
                       double x, flx_line_unit f[6])
{
    memset(f, 0, 6 * sizeof *f);
    for (int k = 0; k < FLX_LINE_POINTS; k++) {
        double at = x * points[k], w = x * L * weights[k], arm = L * (x - at);
        give g = give_between(all, points, at);
        for (int j = 0; j < 6; j++) {
            double e[6];
            strains_of(&g, j, L * at, e);
            f[j].u[0] += w * e[0];
            f[j].u[1] += w * (e[1] + arm * e[5]);
            f[j].u[2] += w * (e[2] - arm * e[4]);
            for (int i = 0; i < 3; i++) f[j].turn[i] += w * e[3 + i];
        }
    }
    give g = give_between(all, points, x);
    for (int j = 0; j < 6; j++) {
        double e[6];
        strains_of(&g, j, L * x, e);
        memcpy(f[j].dturn, e + 3, sizeof f[j].dturn);
        f[j].du[0] = e[0];
        f[j].du[1] = e[1] + f[j].turn[2];
        f[j].du[2] = e[2] - f[j].turn[1];
    }
}

// Rows of A (6, 6) become those of its inverse: Gauss and Jordan, with the largest pivots.
static void invert(double A[6][12])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) A[i][6 + j] = i == j;
    }
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j < 12; j++) {
            double x = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = x;
        }
        double pivot = 1.0 / A[k][k];
        for (int j = 0; j < 12; j++) A[k][j] *= pivot;
        for (int i = 0; i < 6; i++) {
            double factor = A[i][k];
            for (int j = 0; j < 12 && i != k; j++) A[i][j] -= factor * A[k][j];
        }
    }
}

static void add_unit(double c, const flx_line_unit *a, flx_line_unit *out)
{
    const double *from = a->u;
    double *to = out->u;
    for (size_t i = 0; i < sizeof *a / sizeof *from; i++) to[i] += c * from[i];
}

// As a rigid body, by unknown k of its beginning.
static flx_line_unit rigid_unit(int k, double x)
{
    flx_line_unit f = {.u = {0}};
    if (k < 3) f.u[k] = 1.0;
    if (k >= 3) f.turn[k - 3] = 1.0;
    if (k == 4) f.u[2] = -x, f.du[2] = -1.0;
    if (k == 5) f.u[1] = x, f.du[1] = 1.0;
    return f;
}

static void varying_units(const flx_line *line, double L, int element, double x,
                          flx_line_unit f[12])
{
    double points[FLX_LINE_POINTS], weights[FLX_LINE_POINTS], A[6][12];
    give all[FLX_LINE_POINTS];
    flx_line_unit held[6];
    flx_line_points(points, weights);
    for (int k = 0; k < FLX_LINE_POINTS; k++) {
        all[k] = give_at(line, line->along + (ptrdiff_t)FLX_LINE_POINTS * element + k);
    }
    held_units(all, points, weights, L, 1.0, held);
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 3; i++) A[i][j] = held[j].u[i], A[3 + i][j] = held[j].turn[i];
    }
    invert(A);
    held_units(all, points, weights, L, x, held);
    memset(f, 0, 12 * sizeof *f);
    for (int k = 0; k < 6; k++) {
        for (int j = 0; j < 6; j++) add_unit(A[j][6 + k], held + j, f + 6 + k);
    }
    for (int k = 0; k < 6; k++) {
        flx_line_unit end = rigid_unit(k, L);
        f[k] = rigid_unit(k, L * x);
        for (int i = 0; i < 6; i++)
            add_unit(i < 3 ? -end.u[i] : -end.turn[i - 3], f + 6 + i, f + k);
    }
}

// ---- shapes, stiffness, mass ------------------------------------------------------------------------

void flx_line_units(const flx_line *line, double L, int element, double x, flx_line_unit f[12])
{
    double p[2] = {0, 0}, w[4], dw[4], t[4], dt[4];
    if (line->along) {
        varying_units(line, L, element, x, f);
        return;
    }
    for (int i = 0; line->shear && i < 2; i++) p[i] = 12.0 * line->EI[i] / (line->GA[i] * L * L);
    memset(f, 0, 12 * sizeof *f);
    for (int i = 0; i < 2; i++) { // stretch and twist
        double value = i ? x : 1.0 - x, slope = (i ? 1.0 : -1.0) / L;
        f[6 * i].u[0] = value, f[6 * i].du[0] = slope;
        f[6 * i + 3].turn[0] = value, f[6 * i + 3].dturn[0] = slope;
    }
    bend(x, L, p[0], w, dw, t, dt);
    for (int i = 0; i < 4; i++) { // along y: unknowns v and turn about z
        flx_line_unit *o = f + (i / 2 * 6 + (i % 2 ? 5 : 1));
        o->u[1] = w[i], o->du[1] = dw[i] / L, o->turn[2] = t[i], o->dturn[2] = dt[i] / L;
    }
    bend(x, L, p[1], w, dw, t, dt);
    for (int i = 0; i < 4; i++) { // along z: the turn about y is -w'
        flx_line_unit *o = f + (i / 2 * 6 + (i % 2 ? 4 : 2));
        double sign = i % 2 ? -1.0 : 1.0;
        o->u[2] = sign * w[i], o->du[2] = sign * dw[i] / L;
        o->turn[1] = -sign * t[i], o->dturn[1] = -sign * dt[i] / L;
    }
}

// Density of stiffness and mass between two unknowns.
static void densities(const flx_line *line, const flx_line_unit *a, const flx_line_unit *b,
                      double *K, double *M)
{
    *K = line->EA * a->du[0] * b->du[0] + line->EI[0] * a->dturn[2] * b->dturn[2] +
         line->EI[1] * a->dturn[1] * b->dturn[1] + line->GJ * a->dturn[0] * b->dturn[0];
    *M = line->mass * (a->u[0] * b->u[0] + a->u[1] * b->u[1] + a->u[2] * b->u[2]);
    // a rod that is thin twists with the inertia of its sections, whatever they do in bending
    *M += (line->second[0] + line->second[1]) * a->turn[0] * b->turn[0];
    if (!line->shear) return;
    *K += line->GA[0] * (a->du[1] - a->turn[2]) * (b->du[1] - b->turn[2]) +
          line->GA[1] * (a->du[2] + a->turn[1]) * (b->du[2] + b->turn[1]);
    *M += line->second[0] * a->turn[2] * b->turn[2] + line->second[1] * a->turn[1] * b->turn[1];
}

// To the axes of the section at a point, from those of the line.
static void turn_units(const flx_line *line, int element, int point, flx_line_unit f[12])
{
    double t[3], y[3], z[3], c = 0, s = 0;
    const double *own = line->along[(ptrdiff_t)FLX_LINE_POINTS * element + point].y;
    flx_line_axes(line, 0.5, t, y, z);
    for (int i = 0; i < 3; i++) c += own[i] * y[i], s += own[i] * z[i];
    for (int k = 0; k < 12; k++) {
        double *const of[4] = {f[k].u, f[k].du, f[k].turn, f[k].dturn};
        for (int i = 0; i < 4; i++) {
            double a = of[i][1], b = of[i][2];
            of[i][1] = c * a + s * b;
            of[i][2] = c * b - s * a;
        }
    }
}

void flx_line_matrices(const flx_line *line, double h, int element, double K[144], double M[144])
{
    static const double at[4] = {-0.86113631159405257522, -0.33998104358485626480,
                                 0.33998104358485626480, 0.86113631159405257522};
    static const double weight[4] = {0.34785484513745385737, 0.65214515486254614263,
                                     0.65214515486254614263, 0.34785484513745385737};
    double x[FLX_LINE_POINTS], w[FLX_LINE_POINTS];
    int n = line->along ? FLX_LINE_POINTS : 4;
    if (line->along) flx_line_points(x, w);
    memset(K, 0, 144 * sizeof *K);
    memset(M, 0, 144 * sizeof *M);
    for (int g = 0; g < n; g++) {
        flx_line_unit f[12];
        flx_line here = flx_line_at(line, element, g);
        flx_line_units(line, h, element, line->along ? x[g] : 0.5 * (1.0 + at[g]), f);
        if (line->along) turn_units(line, element, g, f);
        for (int i = 0; i < 144; i++) {
            double k = 0.0, m = 0.0, part = line->along ? h * w[g] : 0.5 * h * weight[g];
            densities(&here, f + i / 12, f + i % 12, &k, &m);
            K[i] += part * k;
            M[i] += part * m;
        }
    }
}
