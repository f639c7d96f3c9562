// cable2.c - planar cable in absolute nodal coordinates: r and r,x at both nodes, cubic between them.
//
// With d = (r2 - r1)/l, the slopes t1, t2 and x = l (1/2 + g) the line has
//
//     r,x = d + g (t2 - t1),  r,xx = (t2 - t1 + 6 g (t1 + t2 - 2 d))/l    where g^2 = 1/12        (ANC-1)
//     r,x = 3 d/2 - (t1 + t2)/4                                           in the middle          (ANC-2)
// Vectors are complex numbers: the turn of the tangent along the line is k = Im(r,xx/r,x), a holomorphic
// function, so that with z = r,x and w = r,xx
//
//     dk = Im(f_z dz + f_w dw),  f_z = -w/z^2, f_w = 1/z, f_zz = 2 w/z^3, f_zw = -1/z^2          (ANC-3)
//     energy = l/2 [EA (e_1^2 + 4 e_m^2 + e_2^2)/6 + EI (k_1^2 + k_2^2)/2],  e = |r,x| - rest     (ANC-4)
// The points are as many as a thin element has ways to bend and to stretch: no strain is locked.
#include "body/ancf.h"
#include "body/cable_line.h"

#include <math.h>
#include <string.h>

typedef struct cplx {
    double r, i;
} cplx;

static inline cplx add(cplx a, cplx b)
{
    return (cplx){a.r + b.r, a.i + b.i};
}
static inline cplx scale(double s, cplx a)
{
    return (cplx){s * a.r, s * a.i};
}
static inline cplx mul(cplx a, cplx b)
{
    return (cplx){a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}

// (d, t1, t2) of the vectors of an element.
typedef struct basis {
    cplx x[3];
} basis;

static inline basis basis_of(const double *e, double inverse)
{
    return (basis){
        {{(e[4] - e[0]) * inverse, (e[5] - e[1]) * inverse}, {e[2], e[3]}, {e[6], e[7]}}};
}

static inline cplx combine(const double c[3], const basis *b)
{
    return (cplx){c[0] * b->x[0].r + c[1] * b->x[1].r + c[2] * b->x[2].r,
                  c[0] * b->x[0].i + c[1] * b->x[1].i + c[2] * b->x[2].i};
}

typedef struct bend { // at one point
    double k;
    cplx fz, fw; // derivatives of w/z
    cplx one;    // 1/z
} bend;

static inline bend bend_of(const cable_parts *p, const basis *b)
{
    cplx z = combine(p->z, b), w = combine(p->w, b);
    double square = 1.0 / (z.r * z.r + z.i * z.i);
    bend o;
    o.one = (cplx){z.r * square, -z.i * square};
    cplx f = mul(w, o.one);
    o.k = f.i;
    o.fw = o.one;
    o.fz = scale(-1.0, mul(f, o.one));
    return o;
}

// Gradient of k by vector a: (Im c, Re c) of this.
static inline cplx slope_of(const bend *o, const cable_parts *p, int a)
{
    return add(scale(p->z[a], o->fz), scale(p->w[a], o->fw));
}

static inline double rate_of(const bend *o, const cable_parts *p, const basis *u)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        cplx s = slope_of(o, p, a);
        sum += s.i * u->x[a].r + s.r * u->x[a].i;
    }
    return sum;
}

void flx_cable2_rest(flx_cable *c, const double *e)
{
    double inverse = 1.0 / c->length;
    basis b = basis_of(e, inverse);
    for (int k = 0; k < 3; k++) {
        cplx z = combine(cable_stretch_parts[k], &b);
        c->stretch[k] = sqrt(z.r * z.r + z.i * z.i);
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        c->curvature[k] = bend_of(&p, &b).k;
    }
}

double flx_cable2_energy(const flx_cable *c, const double *e, const double *u, double *power)
{
    double inverse = 1.0 / c->length, energy = 0.0, lost = 0.0;
    basis b = basis_of(e, inverse), ub = basis_of(u, inverse);
    for (int k = 0; k < 3; k++) {
        cplx z = combine(cable_stretch_parts[k], &b), zu = combine(cable_stretch_parts[k], &ub);
        double n = sqrt(z.r * z.r + z.i * z.i), strain = n - c->stretch[k];
        double rate = (z.r * zu.r + z.i * zu.i) / n, w = cable_stretch_weight[k] * c->EA[k];
        energy += 0.5 * w * strain * strain;
        lost += w * c->viscosity * rate * rate;
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, &b);
        double strain = o.k - c->curvature[k], rate = rate_of(&o, &p, &ub);
        energy += 0.25 * c->EI[k] * strain * strain;
        lost += 0.5 * c->EI[k] * c->viscosity * rate * rate;
    }
    *power = c->length * lost;
    return c->length * energy;
}

// Forces on (d, t1, t2) to those on the vectors.
static void put_force(double inverse, const basis *F, double *f)
{
    cplx d = scale(inverse, F->x[0]);
    f[0] -= d.r, f[1] -= d.i, f[4] += d.r, f[5] += d.i;
    f[2] += F->x[1].r, f[3] += F->x[1].i, f[6] += F->x[2].r, f[7] += F->x[2].i;
}

void flx_cable2_force(const flx_cable *c, const double *e, const double *u, double *f)
{
    double l = c->length, inverse = 1.0 / l;
    basis b = basis_of(e, inverse), ub = {0}, F = {0};
    bool viscous = c->viscosity != 0;
    if (viscous) ub = basis_of(u, inverse);
    for (int k = 0; k < 3; k++) {
        cplx z = combine(cable_stretch_parts[k], &b);
        double n = sqrt(z.r * z.r + z.i * z.i), strain = n - c->stretch[k];
        if (viscous) {
            cplx zu = combine(cable_stretch_parts[k], &ub);
            strain += c->viscosity * (z.r * zu.r + z.i * zu.i) / n;
        }
        double s = cable_stretch_weight[k] * l * c->EA[k] * strain / n;
        for (int a = 0; a < 3; a++) F.x[a] = add(F.x[a], scale(s * cable_stretch_parts[k][a], z));
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, &b);
        double strain = o.k - c->curvature[k];
        if (viscous) strain += c->viscosity * rate_of(&o, &p, &ub);
        double s = 0.5 * l * c->EI[k] * strain;
        for (int a = 0; a < 3; a++) {
            cplx g = slope_of(&o, &p, a);
            F.x[a] = add(F.x[a], (cplx){s * g.i, s * g.r});
        }
    }
    put_force(inverse, &F, f);
}

// With the middle z_m, w_m of z and w, which are linear in the vectors,
//     |z1| - |z0| = 2 z_m . (z1 - z0)/(|z0| + |z1|)
//     w1/z1 - w0/z0 = (z_m (w1 - w0) - w_m (z1 - z0))/(z0 z1)                                    (ANC-18)
// and these factors, times the stress of the mean strain, do the work and turn nothing.
void flx_cable2_discrete_force(const flx_cable *c, const double *e0, const double *e1,
                               const double *middle, double *f)
{
    double l = c->length, inverse = 1.0 / l, own[8] = {0};
    basis b0 = basis_of(e0, inverse), b1 = basis_of(e1, inverse), b = basis_of(middle, inverse);
    basis F = {0};
    for (int k = 0; k < 3; k++) {
        const double *part = cable_stretch_parts[k];
        cplx z0 = combine(part, &b0), z1 = combine(part, &b1), z = combine(part, &b);
        double n = 0.5 * (sqrt(z0.r * z0.r + z0.i * z0.i) + sqrt(z1.r * z1.r + z1.i * z1.i));
        double s = cable_stretch_weight[k] * l * c->EA[k] * (n - c->stretch[k]) / n;
        for (int a = 0; a < 3; a++) F.x[a] = add(F.x[a], scale(s * part[a], z));
    }
    for (int k = 0; k < 2; k++) {
        cable_parts p = cable_bending_at(k, inverse);
        bend before = bend_of(&p, &b0), after = bend_of(&p, &b1), o;
        cplx both = mul(before.one, after.one);
        o.fw = mul(combine(p.z, &b), both);
        o.fz = scale(-1.0, mul(combine(p.w, &b), both));
        double s = 0.5 * l * c->EI[k] * (0.5 * (before.k + after.k) - c->curvature[k]);
        for (int a = 0; a < 3; a++) {
            cplx g = slope_of(&o, &p, a);
            F.x[a] = add(F.x[a], (cplx){s * g.i, s * g.r});
        }
    }
    flx_cable elastic = *c;
    elastic.viscosity = 0.0;
    flx_cable2_force(&elastic, middle, NULL, own);
    put_force(inverse, &F, f);
    for (int i = 0; i < 8; i++) f[i] -= own[i];
}

// ---- tangent ------------------------------------------------------------------------------------

// (6, 6) over (d, t1, t2)
typedef struct square6 {
    double m[6][6];
} square6;

static void add_stretch(const flx_cable *c, const basis *b, const basis *ub, square6 *K0,
                        square6 *K1)
{
    for (int k = 0; k < 3; k++) {
        const double *part = cable_stretch_parts[k];
        cplx z = combine(part, b);
        double n = sqrt(z.r * z.r + z.i * z.i), inv = 1.0 / n, x = z.r * inv, y = z.i * inv;
        double w = cable_stretch_weight[k] * c->length * c->EA[k], side = 1.0 - c->stretch[k] * inv;
        double v = 0.0; // of the rate across
        if (K1) {
            cplx zu = combine(part, ub);
            side += c->viscosity * (x * zu.r + y * zu.i) * inv;
            v = c->viscosity * (x * zu.i - y * zu.r) * inv;
        }
        // n n^T + side (1 - n n^T), with across = (-y, x): + v n across^T
        double xx = w * (x * x + side * y * y - v * x * y);
        double yy = w * (y * y + side * x * x + v * x * y);
        double xy = w * ((1.0 - side) * x * y + v * x * x);
        double yx = w * ((1.0 - side) * x * y - v * y * y);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double s = part[i] * part[j];
                if (s == 0) continue;
                K0->m[2 * i][2 * j] += s * xx;
                K0->m[2 * i][2 * j + 1] += s * xy;
                K0->m[2 * i + 1][2 * j] += s * yx;
                K0->m[2 * i + 1][2 * j + 1] += s * yy;
                if (!K1) continue;
                double d = s * w * c->viscosity;
                K1->m[2 * i][2 * j] += d * x * x;
                K1->m[2 * i][2 * j + 1] += d * x * y;
                K1->m[2 * i + 1][2 * j] += d * x * y;
                K1->m[2 * i + 1][2 * j + 1] += d * y * y;
            }
        }
    }
}

static void add_bending(const flx_cable *c, const basis *b, const basis *ub, square6 *K0,
                        square6 *K1)
{
    double inverse = 1.0 / c->length;
    for (int k = 0; k < 2; k++) {
        double w = 0.5 * c->length * c->EI[k];
        cable_parts p = cable_bending_at(k, inverse);
        bend o = bend_of(&p, b);
        cplx fzw = scale(-1.0, mul(o.one, o.one)), fzz = scale(-2.0, mul(o.fz, o.one));
        double strain = o.k - c->curvature[k];
        if (K1) strain += c->viscosity * rate_of(&o, &p, ub);
        double grad[6], turn[6] = {0}; // gradients of k and of its rate
        for (int a = 0; a < 3; a++) {
            cplx g = slope_of(&o, &p, a);
            grad[2 * a] = g.i, grad[2 * a + 1] = g.r;
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double mixed = p.z[i] * p.w[j] + p.w[i] * p.z[j];
                cplx h = add(scale(p.z[i] * p.z[j], fzz), scale(mixed, fzw));
                double s = w * strain;
                K0->m[2 * i][2 * j] += s * h.i;
                K0->m[2 * i][2 * j + 1] += s * h.r;
                K0->m[2 * i + 1][2 * j] += s * h.r;
                K0->m[2 * i + 1][2 * j + 1] -= s * h.i;
                if (!K1) continue;
                cplx t = mul(h, ub->x[i]);
                turn[2 * j] += c->viscosity * t.i, turn[2 * j + 1] += c->viscosity * t.r;
            }
        }
        for (int i = 0; i < 6; i++) {
            double s = w * grad[i];
            for (int j = 0; j < 6; j++) K0->m[i][j] += s * (grad[j] + turn[j]);
            for (int j = 0; j < 6 && K1; j++) K1->m[i][j] += s * c->viscosity * grad[j];
        }
    }
}

void flx_cable2_tangent(const flx_cable *c, const double *e, const double *u, double *A0,
                        double *A1)
{
    double inverse = 1.0 / c->length;
    basis b = basis_of(e, inverse), ub = {0};
    square6 K0 = {0}, K1 = {0};
    bool viscous = c->viscosity != 0;
    if (viscous) ub = basis_of(u, inverse);
    add_stretch(c, &b, &ub, &K0, viscous ? &K1 : NULL);
    add_bending(c, &b, &ub, &K0, viscous ? &K1 : NULL);
    cable_spread(2, K0.m[0], inverse, A0);
    if (A1) cable_spread(2, K1.m[0], inverse, A1);
}
