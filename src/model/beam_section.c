// beam_section.c - the section of a beam: its stiffness, mass and rotational inertia a length; damping.
//
// What a section of stiffnesses leaves out is that of a homogeneous one with Poisson's ratio 0.3: the
// radius of gyration is sqrt(EI/EA), G = E/2.6, shear areas 5/6 of the area, torsion as of a circle.
#include "model/deformable.h"
#include "model/structure.h"

#include <string.h>

#define RATIO 0.3
#define SHEAR_AREA (5.0 / 6.0)
// First frequency of a cantilever, times sqrt(m L^4/EI).
#define CANTILEVER 3.5160152685

typedef struct material {
    double E, nu, density;
} material;

static flx_status read_material(flx_env *e, const flx_yaml *y, material *m)
{
    const flx_yaml *nu = flx_yaml_get(y, "nu"), *density = flx_yaml_get(y, "density");
    m->nu = RATIO;
    FLX_TRY(flx_build_positive(e, flx_yaml_get(y, "E"), "Young's modulus", &m->E));
    FLX_TRY(flx_build_positive(e, density, "the density", &m->density));
    if (!nu) return FLX_OK;
    FLX_TRY(flx_build_number(e, nu, &m->nu));
    if (m->nu > -1.0 && m->nu < 0.5) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, nu->loc,
                    "Poisson's ratio lies between -1 and 0.5: %g does not", m->nu);
}

static void set_diagonal(flx_beam *beam, double EA, const double GA[2], double GJ,
                         const double EI[2])
{
    const double d[6] = {EA, GA[0], GA[1], GJ, EI[0], EI[1]};
    for (int i = 0; i < 6; i++) beam->stiffness[7 * i] = d[i];
}

// By its size.
static flx_status read_sized(flx_env *e, const flx_item *body, const flx_yaml *y, flx_beam *beam)
{
    const flx_yaml *m = flx_yaml_get(body->def, "material"), *radius = flx_yaml_get(y, "radius");
    material of = {0};
    flx_section c;
    if (!m) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the section of '%s' is given by its size and needs a material",
                        body->full);
    }
    FLX_TRY(read_material(e, m, &of));
    beam->round = radius != NULL;
    if (radius) {
        FLX_TRY(flx_build_positive(e, radius, "the radius", &beam->size[0]));
        beam->size[1] = beam->size[0];
        c = flx_section_circle(beam->size[0], of.nu);
    } else {
        FLX_TRY(flx_build_positive(e, flx_yaml_get(y, "width"), "the width", &beam->size[0]));
        FLX_TRY(flx_build_positive(e, flx_yaml_get(y, "height"), "the height", &beam->size[1]));
        c = flx_section_rectangle(beam->size[0], beam->size[1], of.nu);
    }
    beam->E = of.E;
    beam->nu = of.nu;
    double G = of.E / (2.0 * (1.0 + of.nu));
    const double GA[2] = {c.ky * G * c.A, c.kz * G * c.A}, EI[2] = {of.E * c.Iy, of.E * c.Iz};
    set_diagonal(beam, of.E * c.A, GA, G * c.J, EI);
    beam->mass = of.density * c.A;
    beam->inertia[0] = of.density * (c.Iy + c.Iz);
    beam->inertia[1] = of.density * c.Iy;
    beam->inertia[2] = of.density * c.Iz;
    return FLX_OK;
}

// One number for both directions, or two.
static flx_status read_pair(flx_env *e, const flx_yaml *y, const char *what, double out[2])
{
    int n = 0;
    double *x = NULL;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    for (int i = 0; i < 2; i++) {
        out[i] = x[n > 1 ? i : 0];
        if (out[i] > 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive", what);
    }
    return FLX_OK;
}

static flx_status read_inertia(flx_env *e, const flx_yaml *y, flx_beam *beam)
{
    const double *C = beam->stiffness;
    int n = 0;
    double *x = NULL;
    if (!y) { // homogeneous: its radii of gyration are those of its stiffness
        for (int i = 1; i < 3; i++) beam->inertia[i] = beam->mass * C[7 * (3 + i)] / C[0];
        beam->inertia[0] = beam->inertia[1] + beam->inertia[2];
        return FLX_OK;
    }
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    for (int i = 0; i < 3; i++) beam->inertia[i] = n == 3 ? x[i] : x[0];
    if (n == 1) beam->inertia[0] = 2 * x[0];
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "rotational inertia cannot be negative");
    }
    return FLX_OK;
}

static flx_status read_matrix(flx_env *e, const flx_yaml *y, flx_beam *beam)
{
    int n = 0;
    double *x = NULL, largest = 0, work[36];
    FLX_TRY(flx_build_numbers(e, y, &n, &x)); // the table says: 6 rows of 6
    for (int i = 0; i < 36; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            if (!(fabs(x[6 * i + j] - x[6 * j + i]) <= 1e-9 * largest)) {
                return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                                "the stiffness of a section is symmetric: entries (%d, %d) and "
                                "(%d, %d) differ",
                                i + 1, j + 1, j + 1, i + 1);
            }
            work[6 * i + j] = beam->stiffness[6 * i + j] = 0.5 * (x[6 * i + j] + x[6 * j + i]);
        }
    }
    for (int k = 0; k < 6; k++) { // Cholesky: positive pivots
        if (!(work[7 * k] > 0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "the stiffness of a section is positive definite; this one gives way "
                            "in its component %d",
                            k + 1);
        }
        for (int i = k + 1; i < 6; i++) {
            double f = work[6 * i + k] / work[7 * k];
            for (int j = k; j < 6; j++) work[6 * i + j] -= f * work[6 * k + j];
        }
    }
    return FLX_OK;
}

static flx_status read_stiffnesses(flx_env *e, const flx_yaml *y, flx_beam *beam)
{
    const flx_yaml *matrix = flx_yaml_get(y, "stiffness"), *mass = flx_yaml_get(y, "mass");
    const flx_yaml *GJ = flx_yaml_get(y, "GJ"), *bending = flx_yaml_get(y, "EI");
    if (matrix) {
        FLX_TRY(read_matrix(e, matrix, beam));
    } else {
        double EA = 0, EI[2] = {0, 0}, twist = 0, G = 1.0 / (2.0 * (1.0 + RATIO));
        FLX_TRY(flx_build_positive(e, flx_yaml_get(y, "EA"), "EA", &EA));
        if (!bending) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "the section needs 'EI' beside 'EA'");
        }
        FLX_TRY(read_pair(e, bending, "EI", EI));
        double GA[2] = {SHEAR_AREA * G * EA, SHEAR_AREA * G * EA};
        FLX_TRY(read_pair(e, flx_yaml_get(y, "GA"), "GA", GA));
        twist = G * (EI[0] + EI[1]);
        if (GJ) FLX_TRY(flx_build_positive(e, GJ, "GJ", &twist));
        set_diagonal(beam, EA, GA, twist, EI);
    }
    if (!mass) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the section needs 'mass', in kg a metre");
    }
    FLX_TRY(flx_build_positive(e, mass, "the mass", &beam->mass));
    return read_inertia(e, flx_yaml_get(y, "inertia"), beam);
}

static flx_status read_damping(flx_env *e, const flx_item *body, flx_beam *beam, double length)
{
    const flx_yaml *damping = flx_yaml_get(body->def, "damping");
    if (!damping) return FLX_OK;
    const flx_yaml *ratio = flx_yaml_get(damping, "ratio");
    const flx_yaml *y = ratio ? ratio : flx_yaml_get(damping, "rayleigh");
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "damping cannot be negative: %g", x[i]);
    }
    if (n != (ratio ? 1 : 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        ratio ? "a beam has one ratio, not %d"
                              : "alpha and beta are two numbers, "
                                "not %d",
                        n);
    }
    if (!ratio) {
        memcpy(beam->rayleigh, x, sizeof beam->rayleigh);
        return FLX_OK;
    }
    const double *C = beam->stiffness;
    double EI = e->b->m->dimension == 2 ? C[35] : fmin(C[28], C[35]);
    double frequency = CANTILEVER / (length * length) * sqrt(EI / beam->mass);
    beam->rayleigh[1] = 2.0 * x[0] / frequency;
    return FLX_OK;
}

// What elements in absolute nodal coordinates can have.
static flx_status check_ancf(flx_env *e, const flx_item *body, const flx_yaml *section,
                             flx_beam *beam)
{
    static const char *const words[] = {"continuum", "sections", NULL};
    const flx_yaml *y = flx_yaml_get(body->def, "elasticity");
    const double *C = beam->stiffness;
    bool cable = beam->formulation == FLX_BEAM_CABLE;
    int word = beam->size[0] > 0 ? 0 : 1;
    if (y && cable) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a cable has stretch and bending alone; 'elasticity' is for 'ancf'");
    }
    if (y) FLX_TRY(flx_build_word(e->b, y, "elasticity", words, &word));
    if (word == 0 && !cable && !(beam->size[0] > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the elasticity of a continuum needs the size of the section and a "
                        "material; of stiffnesses it is 'sections'");
    }
    beam->continuum = word == 0;
    for (int i = 0; i < 36; i++) {
        if (i % 7 == 0 || C[i] == 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, section->loc,
                        "a section whose stiffnesses are coupled needs 'formulation: "
                        "geometrically-exact'");
    }
    if (cable && e->b->m->dimension == 3 && fabs(C[28] - C[35]) > 1e-6 * (C[28] + C[35])) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, section->loc,
                        "a cable in space has one bending stiffness: it does not know its axes. "
                        "Use 'ancf' or 'geometrically-exact' for %g and %g N m^2",
                        C[28], C[35]);
    }
    return FLX_OK;
}

flx_status flx_beam_read_section(flx_env *e, const flx_item *body, double length, flx_beam *beam)
{
    const flx_yaml *y = NULL;
    static const char *const foreign[] = {"area", "thickness", "up", NULL};
    FLX_TRY(flx_build_need(e->b, body, "section", &y));
    for (const char *const *w = foreign; *w; w++) {
        if (!flx_yaml_get(y, *w)) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_yaml_get(y, *w)->loc,
                        "'%s' is no key of the section of a beam%s", *w,
                        strcmp(*w, "up") == 0 ? "; write it beside 'section'" : "");
    }
    bool sized = flx_yaml_get(y, "width") || flx_yaml_get(y, "radius");
    FLX_TRY(sized ? read_sized(e, body, y, beam) : read_stiffnesses(e, y, beam));
    if (beam->nslope > 0) FLX_TRY(check_ancf(e, body, y, beam));
    return read_damping(e, body, beam, length);
}
