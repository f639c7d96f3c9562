// cable.c - spatial cable in absolute nodal coordinates: the line and its points of quadrature as in the
// plane (ANC-1, ANC-2). Bending is the turn of the tangent along the line, |r,x x r,xx|/|r,x|^2; with
// a = z.z, b = z.w, c = w.w of z = r,x, w = r,xx its square is
//
//     k^2 = c/a - b^2/a^2,   energy = l/2 [EA (e_1^2 + 4 e_m^2 + e_2^2)/6 + EI ((k - k0)_1^2 + (k - k0)_2^2)/2]   (ANC-5)
// A cable has no axes across: of a curvature without stress it knows the size only, and it does not
// resist twist. Viscosity acts on the size as well, rounded where the cable is straight,
//
//     s = sqrt(k^2 + k_s^2),  moment of viscosity = EI viscosity s',  k_s = 1e-3/l                (ANC-6)
// so that its forces are those of a function of a, b, c: no rigid motion feels them, none drives one.
#include "body/ancf.h"
#include "body/cable_line.h"
#include "math/small.h"

#define STRAIGHT 1e-3 // an element that is bent by less than this angle is straight

typedef struct basis { // (d, t1, t2)
    v3 x[3];
} basis;

static inline basis basis_of(const double *e, double inverse)
{
    return (basis){
        {v3_scale(inverse, v3_sub(v3_load(e + 6), v3_load(e))), v3_load(e + 3), v3_load(e + 9)}};
}

static inline v3 combine(const double c[3], const basis *b)
{
    return v3_axpy(c[0], b->x[0], v3_axpy(c[1], b->x[1], v3_scale(c[2], b->x[2])));
}

typedef struct bend { // at one point
    v3 z, w;
    double k2; // square of the curvature
    // its derivatives by a, b, c
    double fa, fb, fc, faa, fab, fac, fbb;
} bend;

static inline bend bend_of(const cable_parts *p, const basis *x)
{
    bend o = {.z = combine(p->z, x), .w = combine(p->w, x)};
    double a = v3_dot(o.z, o.z), b = v3_dot(o.z, o.w), c = v3_dot(o.w, o.w), i = 1.0 / a;
    v3 cross = v3_cross(o.z, o.w);
    o.k2 = v3_dot(cross, cross) * i * i; // without the cancellation of c/a - (b/a)^2
    o.fc = i;
    o.fb = -2.0 * b * i * i;
    o.fa = (2.0 * b * b * i - c) * i * i;
    o.faa = (2.0 * c - 6.0 * b * b * i) * i * i * i;
    o.fab = 4.0 * b * i * i * i;
    o.fac = -i * i;
    o.fbb = -2.0 * i * i;
    return o;
}

// Gradient of k^2 by z and w.
static inline void slopes_of(const bend *o, v3 *gz, v3 *gw)
{
    *gz = v3_axpy(2.0 * o->fa, o->z, v3_scale(o->fb, o->w));
    *gw = v3_axpy(o->fb, o->z, v3_scale(2.0 * o->fc, o->w));
}

static inline double rate_of(const bend *o, const cable_parts *p, const basis *u)
{
    v3 gz, gw;
    slopes_of(o, &gz, &gw);
    return v3_dot(gz, combine(p->z, u)) + v3_dot(gw, combine(p->w, u));
}

// The elastic energy of bending as a function of k^2: half of EI times value; first and second derivative.
// Where there is a curvature without stress, its root is rounded far below it.
typedef struct law {
    double value, first, second;
} law;

static inline law law_of(double k2, double k0)
{
    if (k0 == 0) return (law){k2, 1.0, 0.0};
    double tiny = 1e-12 * k0 * k0, k = sqrt(k2 + tiny), rest = sqrt(k0 * k0 + tiny);
    double d = k - rest;
    return (law){d * d, d / k, 0.5 * rest / (k * k * k)};
}

void flx_cable_rest(flx_cable *c, const double *e)
{
    double inverse = 1.0 / c->length;
    basis b = basis_of(e, inverse);
    for (int k = 0; k < 3; k++) c->stretch[k] = v3_norm(combine(cable_stretch_parts[k], &b));
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        double bent = sqrt(bend_of(&p, &b).k2);
        c->curvature[k] = bent > STRAIGHT * inverse ? bent : 0.0;
    }
}

double flx_cable_energy(const flx_cable *c, const double *e, const double *u, double *power)
{
    double inverse = 1.0 / c->length, energy = 0.0, lost = 0.0;
    basis b = basis_of(e, inverse), ub = basis_of(u, inverse);
    for (int k = 0; k < 3; k++) {
        v3 z = combine(cable_stretch_parts[k], &b), zu = combine(cable_stretch_parts[k], &ub);
        double n = v3_norm(z), strain = n - c->stretch[k], rate = v3_dot(z, zu) / n;
        energy += 0.5 * cable_stretch_weight[k] * c->EA[k] * strain * strain;
        lost += cable_stretch_weight[k] * c->EA[k] * c->viscosity * rate * rate;
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, &b);
        double s2 = o.k2 + STRAIGHT * inverse * STRAIGHT * inverse;
        double rate = rate_of(&o, &p, &ub);
        energy += 0.25 * c->EI[k] * law_of(o.k2, c->curvature[k]).value;
        lost += 0.5 * c->EI[k] * c->viscosity * 0.25 * rate * rate / s2;
    }
    *power = c->length * lost;
    return c->length * energy;
}

void flx_cable_force(const flx_cable *c, const double *e, const double *u, double *f)
{
    double l = c->length, inverse = 1.0 / l;
    basis b = basis_of(e, inverse), ub = {0}, F = {0};
    bool viscous = c->viscosity != 0;
    if (viscous) ub = basis_of(u, inverse);
    for (int k = 0; k < 3; k++) {
        v3 z = combine(cable_stretch_parts[k], &b);
        double n = v3_norm(z), strain = n - c->stretch[k];
        if (viscous) strain += c->viscosity * v3_dot(z, combine(cable_stretch_parts[k], &ub)) / n;
        double s = cable_stretch_weight[k] * l * c->EA[k] * strain / n;
        for (int a = 0; a < 3; a++) F.x[a] = v3_axpy(s * cable_stretch_parts[k][a], z, F.x[a]);
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, &b);
        double s = 0.25 * l * c->EI[k] * law_of(o.k2, c->curvature[k]).first;
        if (viscous) { // EI viscosity s' ds, s = sqrt(k^2 + k_s^2)
            double s2 = o.k2 + STRAIGHT * inverse * STRAIGHT * inverse;
            s += 0.5 * l * c->EI[k] * c->viscosity * 0.25 * rate_of(&o, &p, &ub) / s2;
        }
        v3 gz, gw;
        slopes_of(&o, &gz, &gw);
        for (int a = 0; a < 3; a++) {
            F.x[a] = v3_axpy(s * p.z[a], gz, v3_axpy(s * p.w[a], gw, F.x[a]));
        }
    }
    v3_add_to(f, -inverse, F.x[0]);
    v3_add_to(f + 6, inverse, F.x[0]);
    v3_add_to(f + 3, 1.0, F.x[1]);
    v3_add_to(f + 9, 1.0, F.x[2]);
}

// ---- tangent ------------------------------------------------------------------------------------

typedef struct square9 { // over (d, t1, t2)
    double m[9][9];
} square9;

// K += s a b^T over the blocks (i, j)
static inline void add_dyad(square9 *K, int i, int j, double s, v3 a, v3 b)
{
    const double x[3] = {s * a.x, s * a.y, s * a.z}, y[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) K->m[3 * i + r][3 * j + c] += x[r] * y[c];
    }
}

static inline void add_unit(square9 *K, int i, int j, double s)
{
    for (int r = 0; r < 3; r++) K->m[3 * i + r][3 * j + r] += s;
}

static void add_stretch(const flx_cable *c, const basis *b, const basis *ub, square9 *K0,
                        square9 *K1)
{
    for (int k = 0; k < 3; k++) {
        const double *part = cable_stretch_parts[k];
        v3 z = combine(part, b);
        double n = v3_norm(z), inv = 1.0 / n, w = cable_stretch_weight[k] * c->length * c->EA[k];
        double side = 1.0 - c->stretch[k] * inv;
        v3 along = v3_scale(inv, z), across = {0, 0, 0};
        if (K1) {
            v3 zu = combine(part, ub);
            double rate = v3_dot(along, zu);
            side += c->viscosity * rate * inv;
            across = v3_scale(c->viscosity * inv, v3_axpy(-rate, along, zu));
        }
        v3 right = v3_axpy(1.0 - side, along, across);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double s = w * part[i] * part[j];
                if (s == 0) continue;
                add_unit(K0, i, j, s * side);
                add_dyad(K0, i, j, s, along, right);
                if (K1) add_dyad(K1, i, j, s * c->viscosity, along, along);
            }
        }
    }
}

// Products of the second derivative of k^2 with (dz, dw): as vectors by z and w.
static inline void curve_of(const bend *o, v3 dz, v3 dw, v3 *hz, v3 *hw)
{
    double da = 2.0 * v3_dot(o->z, dz), db = v3_dot(o->z, dw) + v3_dot(o->w, dz),
           dc = 2.0 * v3_dot(o->w, dw);
    double fa = o->faa * da + o->fab * db + o->fac * dc, fb = o->fab * da + o->fbb * db,
           fc = o->fac * da;
    *hz = v3_axpy(2.0 * o->fa, dz, v3_scale(o->fb, dw));
    *hz = v3_axpy(2.0 * fa, o->z, v3_axpy(fb, o->w, *hz));
    *hw = v3_axpy(o->fb, dz, v3_scale(2.0 * o->fc, dw));
    *hw = v3_axpy(fb, o->z, v3_axpy(2.0 * fc, o->w, *hw));
}

static void add_bending(const flx_cable *c, const basis *b, const basis *ub, square9 *K0,
                        square9 *K1)
{
    double inverse = 1.0 / c->length;
    for (int k = 0; k < 2; k++) {
        double w = 0.5 * c->length * c->EI[k];
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, b);
        law e = law_of(o.k2, c->curvature[k]);
        v3 gz, gw, g[3], turn[3] = {{0, 0, 0}};
        slopes_of(&o, &gz, &gw);
        // first and second derivative of the energy by k^2, and what viscosity adds
        double first = 0.5 * w * e.first, second = 0.5 * w * e.second, drag = 0.0;
        v3 uz = {0, 0, 0}, uw = {0, 0, 0};
        if (K1) {
            double s2 = o.k2 + STRAIGHT * inverse * STRAIGHT * inverse;
            double rate = rate_of(&o, &p, ub);
            drag = 0.25 * w * c->viscosity / s2;
            first += drag * rate;
            second -= drag * rate / s2;
            curve_of(&o, combine(p.z, ub), combine(p.w, ub), &uz, &uw);
        }
        for (int a = 0; a < 3; a++) {
            g[a] = v3_axpy(p.z[a], gz, v3_scale(p.w[a], gw));
            if (K1) turn[a] = v3_axpy(p.z[a], uz, v3_scale(p.w[a], uw));
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double zz = p.z[i] * p.z[j], zw = p.z[i] * p.w[j], wz = p.w[i] * p.z[j],
                       ww = p.w[i] * p.w[j];
                add_unit(K0, i, j, first * (2.0 * o.fa * zz + o.fb * (zw + wz) + 2.0 * o.fc * ww));
                // columns: derivatives of the factors of z and of w along vector j
                v3 da = v3_axpy(2.0 * p.z[j], o.z, (v3){0, 0, 0});
                v3 db = v3_axpy(p.w[j], o.z, v3_scale(p.z[j], o.w));
                v3 dc = v3_scale(2.0 * p.w[j], o.w);
                v3 fa = v3_axpy(o.faa, da, v3_axpy(o.fab, db, v3_scale(o.fac, dc)));
                v3 fb = v3_axpy(o.fab, da, v3_scale(o.fbb, db));
                v3 fc = v3_scale(o.fac, da);
                v3 of_z = v3_axpy(2.0 * p.z[i], fa, v3_scale(p.w[i], fb));
                v3 of_w = v3_axpy(p.z[i], fb, v3_scale(2.0 * p.w[i], fc));
                add_dyad(K0, i, j, first, o.z, of_z);
                add_dyad(K0, i, j, first, o.w, of_w);
                add_dyad(K0, i, j, 1.0, g[i], v3_axpy(second, g[j], v3_scale(drag, turn[j])));
                if (K1) add_dyad(K1, i, j, drag, g[i], g[j]);
            }
        }
    }
}

void flx_cable_tangent(const flx_cable *c, const double *e, const double *u, double *A0, double *A1)
{
    double inverse = 1.0 / c->length;
    basis b = basis_of(e, inverse), ub = {0};
    square9 K0 = {0}, K1 = {0};
    bool viscous = c->viscosity != 0;
    if (viscous) ub = basis_of(u, inverse);
    add_stretch(c, &b, &ub, &K0, viscous ? &K1 : NULL);
    add_bending(c, &b, &ub, &K0, viscous ? &K1 : NULL);
    cable_spread(3, K0.m[0], inverse, A0);
    if (A1) cable_spread(3, K1.m[0], inverse, A1);
}
