// beam_element.c - straight beams with two nodes: Timoshenko's with functions that solve its static equations,
// so that forces at nodes give exact deflections; without shear they are Hermite's (Euler, Bernoulli).
//
//     v  = N u,  theta = H u  with  Phi = 12 EI/(GA L^2),  s = x/L,  f = 1/(1 + Phi)            (FE-9)
//     N = f [1-3s^2+2s^3+Phi(1-s), L(s-2s^2+s^3+Phi(s-s^2)/2), 3s^2-2s^3+Phi s, L(s^3-s^2-Phi(s-s^2)/2)]
//     H = f [6(s^2-s)/L, 1-4s+3s^2+Phi(1-s), 6(s-s^2)/L, 3s^2-2s+Phi s]
//     K = integral of B^T diag(EA, GAy, GAz, GJ, EIy, EIz) B,  B: (u', v'-tz, w'+ty, tx', ty', tz')  (FE-10)
//     M = integral of N^T diag(m, m, m, Ix, Iy, Iz) N          over (u, v, w, tx, ty, tz)        (FE-11)
// Przemieniecki, Theory of Matrix Structural Analysis, 1968, sections 5.6 and 11.
#include "fe/element.h"
#include "math/small.h"
#include "reduce/line_element.h"

#include <math.h>

bool flx_beam_axes(const double *x, const flx_section *c, int dimension, double R[9],
                   double *length)
{
    double along[3];
    v3_store(along, v3_sub(v3_load(x + 3), v3_load(x)));
    *length = v3_norm(v3_load(along));
    return flx_section_axes(along, c && c->has_up ? c->up : NULL, dimension, R);
}

// Functions of bending at s: displacement N, rotation H, their derivatives.
typedef struct bending {
    double N[4], H[4], dN[4], dH[4];
} bending;

static void find_bending(double s, double L, double Phi, bending *b)
{
    double f = 1 / (1 + Phi), s2 = s * s, s3 = s2 * s, q = s - s2;
    b->N[0] = f * (1 - 3 * s2 + 2 * s3 + Phi * (1 - s));
    b->N[1] = f * L * (s - 2 * s2 + s3 + Phi * q / 2);
    b->N[2] = f * (3 * s2 - 2 * s3 + Phi * s);
    b->N[3] = f * L * (s3 - s2 - Phi * q / 2);
    b->H[0] = -f * 6 * q / L;
    b->H[1] = f * (1 - 4 * s + 3 * s2 + Phi * (1 - s));
    b->H[2] = f * 6 * q / L;
    b->H[3] = f * (3 * s2 - 2 * s + Phi * s);
    b->dN[0] = f * (-6 * q - Phi) / L;
    b->dN[1] = f * (1 - 4 * s + 3 * s2 + Phi * (1 - 2 * s) / 2);
    b->dN[2] = f * (6 * q + Phi) / L;
    b->dN[3] = f * (3 * s2 - 2 * s - Phi * (1 - 2 * s) / 2);
    b->dH[0] = f * 6 * (2 * s - 1) / (L * L);
    b->dH[1] = f * (6 * s - 4 - Phi) / L;
    b->dH[2] = -b->dH[0];
    b->dH[3] = f * (6 * s - 2 + Phi) / L;
}

// Columns of (v, tz) and (w, ty) of both nodes; ty = -w', so rotations about y change their sign.
static const int columns_y[4] = {1, 5, 7, 11}, columns_z[4] = {2, 4, 8, 10};
static const double sign_y[4] = {1, 1, 1, 1}, sign_z[4] = {1, -1, 1, -1};

typedef struct fields { // rows over the 12 unknowns in the beam's axes
    double N[6][12];    // u v w tx ty tz
    double B[6][12];    // u' v'-tz w'+ty tx' ty' tz'
} fields;

static double shear_ratio(double EI, double GA, double L)
{
    return GA > 0 ? 12 * EI / (GA * L * L) : 0;
}

static void find_fields(const flx_beam_law *law, double s, double L, fields *f)
{
    bending by, bz;
    *f = (fields){0};
    find_bending(s, L, shear_ratio(law->EIz, law->GAy, L), &by);
    find_bending(s, L, shear_ratio(law->EIy, law->GAz, L), &bz);
    for (int k = 0; k < 2; k++) {
        double N = k ? s : 1 - s, dN = k ? 1 / L : -1 / L;
        f->N[0][6 * k] = f->N[3][6 * k + 3] = N;
        f->B[0][6 * k] = f->B[3][6 * k + 3] = dN;
    }
    for (int k = 0; k < 4; k++) {
        int y = columns_y[k], z = columns_z[k];
        f->N[1][y] = by.N[k] * sign_y[k];
        f->N[5][y] = by.H[k] * sign_y[k];
        f->B[1][y] = (by.dN[k] - by.H[k]) * sign_y[k];
        f->B[5][y] = by.dH[k] * sign_y[k];
        f->N[2][z] = bz.N[k] * sign_z[k];
        f->N[4][z] = -bz.H[k] * sign_z[k];
        f->B[2][z] = (bz.dN[k] - bz.H[k]) * sign_z[k];
        f->B[4][z] = -bz.dH[k] * sign_z[k];
    }
}

// ---- sections that vary ---------------------------------------------------------------------------

typedef struct varying { // an element of its own line, in its axes
    flx_line line;
    double points[6];
    flx_line_station along[FLX_LINE_POINTS];
    flx_beam_law law[FLX_LINE_POINTS];
} varying;
_Static_assert(FLX_LINE_POINTS == FLX_SECTION_POINTS, "points of a section that varies");

static void find_varying(const flx_section *c, const flx_material *material, const double R[9],
                         double L, varying *v)
{
    static const double axis[3] = {0, 1, 0};
    *v = (varying){.line = {.npoint = 2, .shear = true, .elements = 1, .y = axis}};
    v->points[3] = L;
    v->line.points = v->points;
    v->line.along = v->along;
    for (int k = 0; k < FLX_LINE_POINTS; k++) {
        const flx_section *own = c->along + k;
        flx_beam_law *law = v->law + k;
        double rows[9];
        flx_section_law(own, material, law);
        v->along[k] = (flx_line_station){.EA = law->EA,
                                         .GJ = law->GJ,
                                         .EI = {law->EIz, law->EIy},
                                         .GA = {law->GAy, law->GAz},
                                         .y = {0, 1, 0}};
        // an axis along the line is refused where it is read
        if (!own->has_up || !flx_section_axes(R, own->up, 3, rows)) continue;
        for (int i = 0; i < 3; i++)
            v->along[k].y[i] = v3_dot(v3_load(R + 3 * i), v3_load(rows + 3));
    }
}

static void varying_fields(const varying *v, double s, double L, fields *f)
{
    flx_line_unit u[12];
    flx_line_units(&v->line, L, 0, s, u);
    for (int k = 0; k < 12; k++) {
        for (int i = 0; i < 3; i++) {
            f->N[i][k] = u[k].u[i];
            f->N[3 + i][k] = u[k].turn[i];
            f->B[i][k] = u[k].du[i];
            f->B[3 + i][k] = u[k].dturn[i];
        }
        f->B[1][k] -= u[k].turn[2];
        f->B[2][k] += u[k].turn[1];
    }
}

// Fields along the axes of the section, which is turned there.
static void turn_fields(const double y[3], fields *f)
{
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 4; k++) {
            double(*row)[12] = (k < 2 ? f->N : f->B) + (k % 2 ? 4 : 1);
            double a = row[0][i], b = row[1][i];
            row[0][i] = y[1] * a + y[2] * b;
            row[1][i] = y[1] * b - y[2] * a;
        }
    }
}

void flx_beam_move(const flx_beam_law *law, const flx_section *c, const flx_material *material,
                   const double R[9], double length, double s, const double ends[12], double out[6])
{
    double own[12], at[6] = {0};
    fields f;
    varying v;
    if (c->along) {
        find_varying(c, material, R, length, &v);
        varying_fields(&v, s, length, &f);
    } else {
        find_fields(law, s, length, &f);
    }
    for (int i = 0; i < 12; i++)
        own[i] = v3_dot(v3_load(R + 3 * (i % 3)), v3_load(ends + i / 3 * 3));
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 12; k++) at[i] += f.N[i][k] * own[k];
    }
    for (int i = 0; i < 6; i++) {
        const double *a = at + i / 3 * 3;
        out[i] = R[i % 3] * a[0] + R[3 + i % 3] * a[1] + R[6 + i % 3] * a[2];
    }
}

// A += w r r^T
static void add_square(double w, const double r[12], double A[12][12])
{
    for (int i = 0; i < 12; i++) {
        if (r[i] == 0) continue;
        for (int k = 0; k < 12; k++) A[i][k] += w * r[i] * r[k];
    }
}

// From the beam's axes to the structure's, and only the components that the dimension has.
static void turn(const double R[9], int dimension, double A[12][12], double *out)
{
    static const int plane[6] = {0, 1, 5, 6, 7, 11};
    double B[12][12];
    for (int i = 0; i < 12; i++) { // B = A T
        for (int k = 0; k < 12; k++) {
            const double *a = A[i] + k / 3 * 3;
            B[i][k] = a[0] * R[k % 3] + a[1] * R[3 + k % 3] + a[2] * R[6 + k % 3];
        }
    }
    for (int i = 0; i < 12; i++) { // A = T^T B
        for (int k = 0; k < 12; k++) {
            int r = i / 3 * 3;
            A[i][k] = R[i % 3] * B[r][k] + R[3 + i % 3] * B[r + 1][k] + R[6 + i % 3] * B[r + 2][k];
        }
    }
    int n = dimension == 2 ? 6 : 12;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            int a = n == 6 ? plane[i] : i, b = n == 6 ? plane[k] : k;
            out[i * n + k] = (A[a][b] + A[b][a]) / 2;
        }
    }
}

// K and M in the axes of the beam.
static void sum_varying(const varying *v, double L, double K[12][12], double M[12][12])
{
    double at[FLX_LINE_POINTS], weight[FLX_LINE_POINTS];
    flx_line_points(at, weight);
    for (int p = 0; p < FLX_LINE_POINTS; p++) {
        const flx_beam_law *law = v->law + p;
        const double D[6] = {law->EA, law->GAy, law->GAz, law->GJ, law->EIy, law->EIz};
        const double m[6] = {law->mass, law->mass, law->mass, law->Ix, law->Iy, law->Iz};
        double w = weight[p] * L;
        fields f;
        varying_fields(v, at[p], L, &f);
        turn_fields(v->along[p].y, &f);
        for (int k = 0; k < 6; k++) {
            add_square(w * D[k], f.B[k], K);
            add_square(w * m[k], f.N[k], M);
        }
    }
}

flx_status flx_beam_eval(const flx_beam_law *law, const double *x, const flx_section *c,
                         const flx_material *material, int dimension, flx_element_matrices *out)
{
    double R[9], L, at[4], weight[4], K[12][12] = {{0}}, M[12][12] = {{0}};
    if (!flx_beam_axes(x, c, dimension, R, &L)) return FLX_SINGULAR;
    if (c && c->along) {
        varying v;
        find_varying(c, material, R, L, &v);
        sum_varying(&v, L, K, M);
    }
    const double D[6] = {law->EA, law->GAy, law->GAz, law->GJ, law->EIy, law->EIz};
    const double m[6] = {law->mass, law->mass, law->mass, law->Ix, law->Iy, law->Iz};
    flx_gauss_points(4, at, weight); // products of cubics: degree 6, so four points are exact
    for (int p = 0; p < 4 && !(c && c->along); p++) {
        fields f;
        double w = weight[p] * L / 2;
        find_fields(law, (1 + at[p]) / 2, L, &f);
        for (int k = 0; k < 6; k++) {
            add_square(w * D[k], f.B[k], K);
            add_square(w * m[k], f.N[k], M);
        }
    }
    flx_element_components(dimension, 2, out);
    turn(R, dimension, K, out->K);
    turn(R, dimension, M, out->M);
    return FLX_OK;
}
