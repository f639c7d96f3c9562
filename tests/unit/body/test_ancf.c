// test_ancf.c - elements in absolute nodal coordinates: masses are integrals of shape functions, forces
// gradients of energies, tangents those of differences; rigid motions do nothing; statics of a cantilever as
// published, and without locking.
#include "base/common.h"
#include "body/ancf.h"
#include "check.h"
#include "math/small.h"
#include "random_number.h"

#include <stdlib.h>

static uint64_t seed = 1234;
static double draw(void)
{
    return random_number(&seed);
}

typedef enum kind { CABLE2, CABLE, PLANE, SPACE, PLANE_SECTIONS, SPACE_SECTIONS, DISC, KINDS } kind;

typedef struct rig {
    flx_ancf e;
    flx_ancf_inertia inertia;
    flx_ancf_rule rule;
    flx_ancf_point points[FLX_ANCF_POINTS];
    int q[FLX_ANCF_MOST], at[FLX_ANCF_MOST * FLX_ANCF_MOST];
    double reference[FLX_ANCF_NUMBERS];
} rig;

static int dimension_of(kind k)
{
    return k == CABLE2 || k == PLANE || k == PLANE_SECTIONS ? 2 : 3;
}

// Vectors of a straight element that points along x.
static void straight(const flx_ancf *e, double from, double length, double *x)
{
    int D = e->dimension, half = e->n / 2;
    memset(x, 0, FLX_ANCF_NUMBERS * sizeof *x);
    for (int i = 0; i < 2; i++) {
        x[D * half * i] = from + i * length;
        x[D * (half * i + 1)] = 1.0;
        for (int k = 0; k < half - 2; k++) x[D * (half * i + 2 + k) + 1 + k] = 1.0;
    }
}

static const flx_ancf_section square = {.EA = 3e3,
                                        .GA = {900, 800},
                                        .GJ = 2.0,
                                        .EI = {4.0, 5.0},
                                        .E = 1e5,
                                        .nu = 0.3,
                                        .size = {0.2, 0.15}};

static void make_with(rig *x, kind k, double length, const flx_ancf_section *s, double mass,
                      double viscosity, const double *e0)
{
    int D = dimension_of(k), nacross = k <= CABLE ? 0 : D - 1, n = 2 * (2 + nacross);
    const double moments[2] = {mass * s->size[1] * s->size[1] / 12,
                               mass * s->size[0] * s->size[0] / 12};
    flx_ancf_section section = *s;
    *x = (rig){0};
    flx_ancf_inertia_make(length, mass, nacross, moments, &x->inertia);
    x->e = (flx_ancf){.dimension = D,
                      .n = n,
                      .width = D * n,
                      .q = x->q,
                      .v = x->q,
                      .at = x->at,
                      .inertia = &x->inertia,
                      .viscosity = viscosity};
    for (int i = 0; i < n; i++) {
        x->q[i] = D * i;
        for (int j = 0; j < n; j++) x->at[n * i + j] = D * n * D * i + D * j;
    }
    straight(&x->e, 0.0, length, x->reference);
    if (e0) memcpy(x->reference, e0, sizeof x->reference);
    x->rule.points = x->points;
    if (k == CABLE2 || k == CABLE) {
        x->e.cable = (flx_cable){.length = length,
                                 .EA = {s->EA, s->EA, s->EA},
                                 .EI = {s->EI[1], s->EI[1]},
                                 .viscosity = viscosity,
                                 .stretch = {1, 1, 1}};
        if (e0 && k == CABLE2) flx_cable2_rest(&x->e.cable, e0);
        if (e0 && k == CABLE) flx_cable_rest(&x->e.cable, e0);
        return;
    }
    x->e.rule = &x->rule;
    section.round = k == DISC;
    if (k == PLANE_SECTIONS || k == SPACE_SECTIONS) {
        const flx_ancf_section all[4] = {section, section, section, section};
        flx_ancf_rule_sections(length, all, D, e0, &x->rule);
    } else {
        flx_ancf_rule_continuum(length, &section, D, e0, &x->rule);
    }
}

static void make(rig *x, kind k, double viscosity)
{
    make_with(x, k, 0.7, &square, 1.3, viscosity, NULL);
}

// Some bent and stretched element, and its rates.
static void deform(const rig *x, double size, double *e, double *u)
{
    for (int i = 0; i < FLX_ANCF_NUMBERS; i++) {
        e[i] = x->reference[i] + size * draw();
        u[i] = draw();
    }
}

static double energy_of(const rig *x, const double *e, const double *u, double *power)
{
    flx_energies o = {0};
    const double g[3] = {0};
    flx_ancf_energies(1, &x->e, &(flx_ancf_at){e, u, NULL, g}, &o);
    *power = o.dissipated_power;
    return o.strain;
}

// Forces alone: without accelerations and weight.
static void force_of(const rig *x, const double *e, const double *u, double *f)
{
    static const double zero[FLX_ANCF_NUMBERS] = {0};
    memset(f, 0, FLX_ANCF_NUMBERS * sizeof *f);
    flx_ancf_residual(1, &x->e, &(flx_ancf_at){e, u, zero, zero}, f);
}

// ---- inertia ------------------------------------------------------------------------------------

static int mass_is_the_published_one(void)
{
    rig x;
    double l = 0.7, H = square.size[1];
    make(&x, PLANE, 0.0);
    const double m6[6][6] = {{13.0 / 35, 11 * l / 210, 0, 9.0 / 70, -13 * l / 420, 0},
                             {11 * l / 210, l * l / 105, 0, 13 * l / 420, -l * l / 140, 0},
                             {0, 0, H * H / 36, 0, 0, H * H / 72},
                             {9.0 / 70, 13 * l / 420, 0, 13.0 / 35, -11 * l / 210, 0},
                             {-13 * l / 420, -l * l / 140, 0, -11 * l / 210, l * l / 105, 0},
                             {0, 0, H * H / 72, 0, 0, H * H / 36}};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) CHECK_NEAR(x.inertia.m[i][j], 1.3 * l * m6[i][j], 1e-15);
    }
    return 0;
}

// Kinetic energy, momentum and weight of a line in motion, by Gauss's points.
static int mass_is_the_integral(void)
{
    static const double at[4] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                 0.86113631159405258};
    static const double w[4] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                0.34785484513745386};
    const double g[3] = {0.3, -9.0, 2.0};
    for (kind k = CABLE2; k <= SPACE; k++) {
        rig x;
        double e[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS], l = 0.7, mass = 1.3;
        make(&x, k, 0.0);
        deform(&x, 0.3, e, u);
        int D = x.e.dimension, half = x.e.n / 2;
        flx_energies o = {0}, s = {0};
        flx_ancf_energies(1, &x.e, &(flx_ancf_at){e, u, NULL, g}, &o);
        for (int i = 0; i < 4; i++) {
            double p = 0.5 + 0.5 * at[i], dm = 0.5 * w[i] * l * mass;
            const double N[4] = {1 - 3 * p * p + 2 * p * p * p, l * (p - 2 * p * p + p * p * p),
                                 3 * p * p - 2 * p * p * p, l * (p * p * p - p * p)};
            double r[3] = {0}, v[3] = {0};
            for (int c = 0; c < D; c++) {
                for (int j = 0; j < 4; j++) {
                    int at_j = D * (half * (j / 2) + j % 2) + c;
                    r[c] += N[j] * e[at_j];
                    v[c] += N[j] * u[at_j];
                }
                s.kinetic += 0.5 * dm * v[c] * v[c];
                s.potential -= dm * g[c] * r[c];
                s.linear[c] += dm * v[c];
            }
            v3_add_to(s.angular, dm, v3_cross(v3_load(r), v3_load(v)));
            for (int b = 0; b < half - 2; b++) { // what is across
                double side = square.size[1 - b], r_b[3] = {0}, v_b[3] = {0};
                for (int c = 0; c < D; c++) {
                    r_b[c] = (1 - p) * e[D * (2 + b) + c] + p * e[D * (half + 2 + b) + c];
                    v_b[c] = (1 - p) * u[D * (2 + b) + c] + p * u[D * (half + 2 + b) + c];
                    s.kinetic += 0.5 * dm * side * side / 12 * v_b[c] * v_b[c];
                }
                v3_add_to(s.angular, dm * side * side / 12, v3_cross(v3_load(r_b), v3_load(v_b)));
            }
        }
        CHECK_REL(o.kinetic, s.kinetic, 1e-14);
        CHECK_REL(o.potential, s.potential, 1e-13);
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(o.linear[c], s.linear[c], 1e-14);
            CHECK_NEAR(o.angular[c], s.angular[c], 1e-14);
        }
    }
    return 0;
}

// ---- forces -------------------------------------------------------------------------------------

static int forces_are_the_gradient(void)
{
    for (kind k = 0; k < KINDS; k++) {
        rig x;
        double e[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS], f[FLX_ANCF_NUMBERS], scale = 0.0, power;
        make(&x, k, 0.0);
        deform(&x, 0.1, e, u);
        force_of(&x, e, u, f);
        for (int i = 0; i < x.e.n * x.e.dimension; i++) scale = fmax(scale, fabs(f[i]));
        for (int i = 0; i < x.e.n * x.e.dimension; i++) {
            double h = 1e-4, keep = e[i], sum = 0.0;
            const double c[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12}, s[4] = {1, -1, 2, -2};
            for (int j = 0; j < 4; j++) {
                e[i] = keep + s[j] * h;
                sum += c[j] * energy_of(&x, e, u, &power);
            }
            e[i] = keep;
            CHECK_NEAR(sum / h, f[i], 1e-9 * scale);
        }
    }
    return 0;
}

static int tangents_are_those_of_differences(void)
{
    for (kind k = 0; k < KINDS; k++) {
        rig x;
        enum { N = FLX_ANCF_NUMBERS };
        double e[N], u[N], A0[N * N] = {0}, A1[N * N] = {0}, A2[N * N] = {0}, scale[2] = {0};
        const double zero[3] = {0};
        make(&x, k, 0.02);
        x.e.drag = 0.3;
        deform(&x, 0.1, e, u);
        int n = x.e.n * x.e.dimension;
        flx_ancf_linearise(1, &x.e, &(flx_ancf_at){e, u, NULL, zero}, A0, A1, A2);
        for (int i = 0; i < n * n; i++) {
            scale[0] = fmax(scale[0], fabs(A0[i]));
            scale[1] = fmax(scale[1], fabs(A1[i]));
        }
        for (int which = 0; which < 2; which++) {
            double *y = which ? u : e;
            for (int j = 0; j < n; j++) {
                double h = 1e-4, keep = y[j], d[N] = {0}, f[N];
                const double c[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12},
                             s[4] = {1, -1, 2, -2};
                for (int i = 0; i < 4; i++) {
                    y[j] = keep + s[i] * h;
                    force_of(&x, e, u, f);
                    for (int l = 0; l < n; l++) d[l] += c[i] * f[l] / h;
                }
                y[j] = keep;
                for (int l = 0; l < n; l++) {
                    CHECK_NEAR(d[l], (which ? A1 : A0)[n * l + j], 1e-8 * scale[which]);
                }
            }
        }
        for (int i = 0; i < n; i++) { // the mass matrix is that of the momentum
            double Mv[N] = {0}, unit[N] = {0};
            unit[i] = 1.0;
            flx_ancf_momentum(1, &x.e, &(flx_ancf_at){.v = unit}, Mv);
            for (int l = 0; l < n; l++) CHECK_NEAR(Mv[l], A2[n * l + i], 1e-16);
        }
    }
    return 0;
}

static void turn(const rig *x, v3 angle, const double *e, double *out)
{
    int D = x->e.dimension;
    m33 R = quat_to_m33(quat_exp(angle));
    for (int i = 0; i < x->e.n; i++) {
        v3 a = v3_make(e[D * i], e[D * i + 1], D == 3 ? e[D * i + 2] : 0.0);
        v3 b = m33_mul_v(R, a);
        const double y[3] = {b.x, b.y, b.z};
        memcpy(out + D * i, y, (size_t)D * sizeof *y);
    }
}

// A rigid rotation changes no energy and turns the forces; spin feels no viscosity; a viscous force is in
// balance by itself and takes the power that is said.
static int rigid_motions_do_nothing(void)
{
    for (kind k = 0; k < KINDS; k++) {
        rig x;
        enum { N = FLX_ANCF_NUMBERS };
        double e[N], u[N], f[N], e1[N], f1[N], zero[N] = {0}, fe[N], power, spin_power, scale = 0.0;
        double turned[N];
        make(&x, k, 0.02);
        int D = x.e.dimension;
        v3 angle = D == 2 ? v3_make(0, 0, 1.0) : v3_make(0.5, -0.7, 0.9);
        turn(&x, angle, x.reference, e);
        force_of(&x, e, zero, f);
        for (int i = 0; i < x.e.n * D; i++) CHECK_NEAR(f[i], 0.0, 1e-12 * square.EA);
        deform(&x, 0.1, e, u);
        force_of(&x, e, u, f);
        force_of(&x, e, zero, fe);
        double W = energy_of(&x, e, u, &power), work = 0.0;
        for (int i = 0; i < x.e.n * D; i++) {
            work += (f[i] - fe[i]) * u[i];
            scale = fmax(scale, fabs(f[i]));
        }
        CHECK(power > 0);
        CHECK_REL(work, power, 1e-12);
        turn(&x, angle, e, e1);
        turn(&x, angle, u, turned);
        force_of(&x, e1, turned, f1);
        CHECK_REL(energy_of(&x, e1, turned, &spin_power), W, 1e-12);
        CHECK_REL(spin_power, power, 1e-12);
        turn(&x, angle, f, turned);
        for (int i = 0; i < x.e.n * D; i++) CHECK_NEAR(f1[i], turned[i], 1e-12 * scale);
        // spin
        for (int i = 0; i < x.e.n; i++) {
            v3 r = v3_make(e[D * i], e[D * i + 1], D == 3 ? e[D * i + 2] : 0.0);
            v3 v = v3_cross(D == 2 ? v3_make(0, 0, 1.7) : v3_make(0.3, 1.2, -0.8), r);
            const double y[3] = {v.x, v.y, v.z};
            memcpy(u + D * i, y, (size_t)D * sizeof *y);
        }
        (void)energy_of(&x, e, u, &spin_power);
        CHECK_NEAR(spin_power, 0.0, 1e-24 * square.EA);
        // no resultant, no moment
        v3 sum = {0, 0, 0}, moment = {0, 0, 0};
        for (int i = 0; i < x.e.n; i++) {
            bool place = i == 0 || i == x.e.n / 2;
            v3 r = v3_make(e[D * i], e[D * i + 1], D == 3 ? e[D * i + 2] : 0.0);
            v3 F = v3_make(f[D * i], f[D * i + 1], D == 3 ? f[D * i + 2] : 0.0);
            if (place) sum = v3_add(sum, F);
            moment = v3_add(moment, v3_cross(r, F));
        }
        CHECK_NEAR(v3_norm(sum), 0.0, 1e-12 * scale);
        CHECK_NEAR(v3_norm(moment), 0.0, 1e-12 * scale);
    }
    return 0;
}

// An element that is curved without stress is without force as it is, and moves as a rigid body does.
static int curved_ones_rest(void)
{
    for (kind k = 0; k < KINDS; k++) {
        rig flat, x;
        double e[FLX_ANCF_NUMBERS], u[FLX_ANCF_NUMBERS], f[FLX_ANCF_NUMBERS];
        const double zero[FLX_ANCF_NUMBERS] = {0};
        make(&flat, k, 0.0);
        deform(&flat, 0.1, e, u);
        make_with(&x, k, 0.7, &square, 1.3, 0.0, e);
        force_of(&x, e, zero, f);
        for (int i = 0; i < x.e.n * x.e.dimension; i++) CHECK_NEAR(f[i], 0.0, 1e-12 * square.EA);
        e[0] += 0.01;
        double power, W = energy_of(&x, e, zero, &power);
        CHECK(W > 0);
    }
    return 0;
}

// ---- statics ------------------------------------------------------------------------------------

typedef struct cantilever {
    kind k;
    double length;
    int n;
    flx_ancf_section section;
    double force[3], moment; // at the tip; the moment in the plane, on the slope along the line
} cantilever;

static bool eliminate(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[n * i + k]) > fabs(A[n * best + k])) best = i;
        }
        if (!(fabs(A[n * best + k]) > 0)) return false;
        for (int j = k; j < n && best != k; j++) {
            double t = A[n * k + j];
            A[n * k + j] = A[n * best + j], A[n * best + j] = t;
        }
        double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[n * i + k] / A[n * k + k];
            if (f == 0) continue;
            for (int j = k; j < n; j++) A[n * i + j] -= f * A[n * k + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[n * k + j] * b[j];
        b[k] /= A[n * k + k];
    }
    return true;
}

// The tip moves to (x, y, z), from a clamp at the origin; the load in steps. false: no equilibrium found.
static bool bend(const cantilever *c, int steps, double tip[3])
{
    rig x;
    double l = c->length / c->n;
    make_with(&x, c->k, l, &c->section, 1.0, 0.0, NULL);
    int D = x.e.dimension, half = x.e.n / 2 * D, total = half * (c->n + 1), n = total - half;
    flx_ancf *elements = calloc((size_t)c->n, sizeof *elements);
    int *places = calloc((size_t)(c->n * (x.e.n + x.e.n * x.e.n)), sizeof *places);
    double *e = calloc((size_t)(4 * total), sizeof *e), *u = e + total, *r = u + total,
           *b = r + total;
    double *A = calloc((size_t)(3 * total * total), sizeof *A), *B = A + (size_t)total * total,
           *A2 = B + (size_t)total * total;
    bool good = elements && places && e && A;
    for (int k = 0; k < c->n && good; k++) {
        int *q = places + k * (x.e.n + x.e.n * x.e.n), *at = q + x.e.n;
        double own[FLX_ANCF_NUMBERS];
        elements[k] = x.e;
        elements[k].q = elements[k].v = q;
        elements[k].at = at;
        elements[k].width = total;
        straight(&x.e, k * l, l, own);
        memcpy(e + half * k, own, 2 * (size_t)half * sizeof *e);
        for (int i = 0; i < x.e.n; i++) q[i] = half * k + D * i;
        for (int i = 0; i < x.e.n * x.e.n; i++) {
            at[i] = total * q[i / x.e.n] + q[i % x.e.n];
        }
    }
    const double zero[3] = {0};
    for (int step = 1; step <= steps && good; step++) {
        double last = HUGE_VAL;
        for (int it = 0; it < 60; it++) {
            memset(r, 0, (size_t)total * sizeof *r);
            memset(A, 0, (size_t)(3 * total * total) * sizeof *A);
            flx_ancf_at p = {e, u, u, zero};
            flx_ancf_residual(c->n, elements, &p, r);
            flx_ancf_linearise(c->n, elements, &p, A, A2, A2);
            for (int i = 0; i < D; i++) r[total - half + i] -= c->force[i] * step / steps;
            if (c->moment != 0) { // turns the tangent: M e_z x t/|t|^2
                double *t = e + total - half + D, M = c->moment * step / steps;
                double s = t[0] * t[0] + t[1] * t[1];
                int row = total - half + D;
                r[row] += M * t[1] / s;
                r[row + 1] -= M * t[0] / s;
                A[total * row + row] -= 2 * M * t[1] * t[0] / (s * s);
                A[total * row + row + 1] += M * (1 / s - 2 * t[1] * t[1] / (s * s));
                A[total * (row + 1) + row] -= M * (1 / s - 2 * t[0] * t[0] / (s * s));
                A[total * (row + 1) + row + 1] += 2 * M * t[0] * t[1] / (s * s);
            }
            for (int i = 0; i < n; i++) {
                b[i] = -r[half + i];
                for (int j = 0; j < n; j++) {
                    B[(size_t)n * i + j] = A[(size_t)total * (half + i) + half + j];
                }
            }
            good = eliminate(n, B, b);
            double size = 0.0;
            for (int i = 0; i < n && good; i++) e[half + i] += b[i], size = fmax(size, fabs(b[i]));
            if (!(size > 1e-11) || (size < 1e-6 && size >= last)) break;
            last = size;
            if (it == 59) good = false;
        }
    }
    for (int i = 0; i < D && good; i++) tip[i] = e[total - half + i];
    free(elements);
    free(places);
    free(e);
    free(A);
    return good;
}

static flx_ancf_section rectangle(double E, double nu, double width, double height)
{
    double A = width * height, G = E / (2 + 2 * nu), k = 5.0 / 6.0;
    double Iy = A * width * width / 12, Iz = A * height * height / 12;
    return (flx_ancf_section){.EA = E * A,
                              .GA = {k * G * A, k * G * A},
                              .GJ = G * (Iy + Iz),
                              .EI = {E * Iy, E * Iz},
                              .E = E,
                              .nu = nu,
                              .size = {width, height}};
}

// The planar continuum element as published: tip displacement of a cantilever under a force down.
static int statics_are_the_published_ones(void)
{
    static const struct {
        double nu;
        int n;
        double force, dx, dy;
    } table[] = {
        {0, 1, 0.001, -2.332602917e-06, -0.00187053511},
        {0, 1, 0.5, -0.007115798752, -0.1031883336},
        {0, 2, 0.5, -0.04337209532, -0.252143093},
        {0, 4, 0.001, -3.654219516e-06, -0.002461341742},
        {0, 4, 0.5, -0.1704090686, -0.4903525278},
        {0, 8, 0.5, -0.2861136175, -0.6276403651},
        {0, 16, 0.5, -0.3099905767, -0.6537735718},
        {0.3, 1, 0.5, -0.006800137437, -0.1028545191},
        {0.3, 4, 0.5, -0.161915757, -0.4803280452},
        {0.3, 8, 0.001, -3.086092193e-06, -0.002266739565},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        cantilever c = {
            PLANE, 1.0, table[i].n, rectangle(1e7, table[i].nu, 0.02, 0.02), {0, -table[i].force},
            0};
        double tip[3];
        CHECK(bend(&c, table[i].force < 0.01 ? 1 : 10, tip));
        CHECK_NEAR(tip[0] - 1.0, table[i].dx, 1e-8);
        CHECK_NEAR(tip[1], table[i].dy, 1e-8);
    }
    return 0;
}

// In space the continuum does the same as in the plane, with the plane's law of no strain across where nu = 0.
static int space_bends_as_the_plane(void)
{
    static const kind pairs[3][2] = {
        {PLANE, SPACE}, {PLANE_SECTIONS, SPACE_SECTIONS}, {CABLE2, CABLE}};
    for (int i = 0; i < 3; i++) {
        double tip[2][3] = {{0}};
        for (int k = 0; k < 2; k++) {
            cantilever c = {pairs[i][k], 1.0, 4, rectangle(1e7, 0, 0.02, 0.02), {0, -0.5, 0}, 0};
            CHECK(bend(&c, 10, tip[k]));
        }
        for (int c = 0; c < 2; c++) CHECK_NEAR(tip[0][c], tip[1][c], 1e-8);
        CHECK_NEAR(tip[1][2], 0.0, 1e-8);
    }
    return 0;
}

// The tip under a force that bends all beams alike, to an elastica: part 1 is that of 0.5 N on 1 m of 0.02 m
// and 1e7 Pa.
static bool bend_slender(kind k, int n, double slenderness, double part, double tip[3])
{
    double h = 1.0 / slenderness, E = 1e7, EI = E * h * h * h * h / 12;
    cantilever c = {
        k, 1.0, n, rectangle(E, 0, h, h), {0, -part * 0.5 / (1e7 * 1.6e-7 / 12) * EI, 0}, 0};
    return bend(&c, part < 0.1 ? 1 : 10, tip);
}

// Part of the deflection that 4 elements miss of what 32 give, under a small force.
static double missed(kind k, double slenderness)
{
    double coarse[3], fine[3];
    if (!bend_slender(k, 4, slenderness, 1e-3, coarse)) return HUGE_VAL;
    if (!bend_slender(k, 32, slenderness, 1e-3, fine)) return HUGE_VAL;
    return fabs(1.0 - coarse[1] / fine[1]);
}

// Cables and beams by strains of sections converge to the line that is not extensible, with the second order
// and more; their error is no larger where they are thin, but for the shear that a thick one has besides.
static int thin_ones_do_not_lock(void)
{
    const struct {
        kind k;
        double order;
    } table[] = {{CABLE2, 3.5}, {CABLE, 3.5}, {PLANE_SECTIONS, 1.9}, {SPACE_SECTIONS, 1.9}};
    for (int i = 0; i < 4; i++) {
        double error[2], tip[3];
        for (int k = 0; k < 2; k++) {
            CHECK(bend_slender(table[i].k, 4 << k, 1000, 1.0, tip));
            error[k] = hypot(tip[0] - 1 + 0.31197072, tip[1] + 0.65598182);
        }
        double order = log2(error[0] / error[1]), thick = missed(table[i].k, 10),
               thin = missed(table[i].k, 1000);
        printf(
            "  kind %d: error of 4 elements %.2e, of 8 %.2e, order %.2f; small force: slenderness "
            "10 %.3e, 1000 %.3e\n",
            (int)table[i].k, error[0], error[1], order, thick, thin);
        CHECK(order > table[i].order);
        CHECK(thin <= 1.01 * thick + 1e-9);
    }
    return 0;
}

// A cantilever that an end moment rolls into a circle.
static int a_moment_rolls_it_up(void)
{
    double last = 0.0;
    for (int n = 8; n <= 16; n *= 2) {
        cantilever c = {CABLE2, 1.0, n, rectangle(1e7, 0, 0.02, 0.02), {0, 0, 0}, 0};
        c.moment = 2 * FLX_PI * c.section.EI[1];
        double tip[3];
        CHECK(bend(&c, 20, tip));
        double error = hypot(tip[0], tip[1]);
        printf("  %d elements: the tip is %.2e m from the clamp\n", n, error);
        if (last > 0) CHECK(log2(last / error) > 3.5);
        last = error;
    }
    CHECK(last < 1e-3);
    return 0;
}

TEST_MAIN(TEST(mass_is_the_published_one), TEST(mass_is_the_integral),
          TEST(forces_are_the_gradient), TEST(tangents_are_those_of_differences),
          TEST(rigid_motions_do_nothing), TEST(curved_ones_rest),
          TEST(statics_are_the_published_ones), TEST(space_bends_as_the_plane),
          TEST(thin_ones_do_not_lock), TEST(a_moment_rolls_it_up))
