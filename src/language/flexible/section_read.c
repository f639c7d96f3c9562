// section_read.c - cross-sections and materials as a model gives them.
//
// What a section of stiffnesses leaves out is that of a homogeneous one of its material (without one: of
// Poisson's ratio 0.3): G = E/(2 (1 + nu)), shear areas 5/6 of the area, torsion as of a circle, mass by the
// density, and the radius of gyration sqrt(EI/EA).
#include "language/flexible/section_read.h"

#include <math.h>

#define RATIO 0.3
#define SHEAR_AREA (5.0 / 6.0)

flx_status flx_material_refuse_loss(flx_builder *b, const flx_entry *y)
{
    const flx_entry *loss = y ? flx_entry_get(y, "loss") : NULL;
    if (!loss) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loss->loc,
                    "a loss factor is for structures and for flexible bodies made of a mesh: give "
                    "'damping' here");
}

flx_status flx_material_read(flx_env *e, const flx_entry *y, flx_material *m)
{
    const flx_entry *nu = flx_entry_get(y, "nu"), *density = flx_entry_get(y, "density");
    const flx_entry *loss = flx_entry_get(y, "loss");
    *m = (flx_material){.name = "", .loc = y->loc, .nu = RATIO};
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "E"), "Young's modulus", &m->E));
    FLX_TRY(flx_build_number(e, density, &m->density));
    if (nu) FLX_TRY(flx_build_number(e, nu, &m->nu));
    if (loss) FLX_TRY(flx_build_number(e, loss, &m->loss));
    if (loss && !(m->loss >= 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loss->loc, "the loss factor is negative: %g",
                        m->loss);
    }
    if (!(m->density >= 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, density->loc, "the density is negative: %g",
                        m->density);
    }
    if (m->nu > -1 && m->nu < 0.5) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, nu->loc,
                    "Poisson's ratio lies between -1 and 0.5: %g does not", m->nu);
}

// One number for both directions, or two; as they are where there is none.
static flx_status read_pair(flx_env *e, const flx_entry *y, const char *what, double out[2])
{
    int n = 0;
    double *x = NULL;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    out[0] = x[0];
    out[1] = x[n - 1];
    if (out[0] > 0 && out[1] > 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive", what);
}

// All 36 stiffnesses.
static flx_status read_matrix(flx_env *e, const flx_entry *y, flx_section *c)
{
    int n = 0;
    double *x = NULL, largest = 0, work[36];
    double *C = flx_arena_take(e->b->m->arena, 36, sizeof *C);
    if (!C) return FLX_ERR_MEMORY;
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
            work[6 * i + j] = C[6 * i + j] = 0.5 * (x[6 * i + j] + x[6 * j + i]);
            if (i != j && C[6 * i + j] != 0) c->coupled = C;
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
    c->EA = C[0], c->GAy = C[7], c->GAz = C[14];
    c->GJ = C[21], c->EIy = C[28], c->EIz = C[35];
    return FLX_OK;
}

static flx_status read_stiffnesses(flx_env *e, const flx_entry *y, const flx_material *m,
                                   flx_section *c)
{
    const flx_entry *matrix = flx_entry_get(y, "stiffness"), *GJ = flx_entry_get(y, "GJ");
    double EI[2] = {0, 0}, shear = 0.5 / (1 + (m ? m->nu : RATIO)); // G/E
    c->shear = c->rotary = true;
    if (matrix) {
        FLX_TRY(read_matrix(e, matrix, c));
    } else {
        FLX_TRY(flx_build_positive(e, flx_entry_get(y, "EA"), "EA", &c->EA));
        FLX_TRY(read_pair(e, flx_entry_get(y, "EI"), "EI", EI));
        double GA[2] = {SHEAR_AREA * shear * c->EA, SHEAR_AREA * shear * c->EA};
        FLX_TRY(read_pair(e, flx_entry_get(y, "GA"), "GA", GA));
        c->GAy = GA[0], c->GAz = GA[1];
        c->EIy = EI[0], c->EIz = EI[1];
        c->GJ = shear * (EI[0] + EI[1]);
        if (GJ) FLX_TRY(flx_build_positive(e, GJ, "GJ", &c->GJ));
    }
    c->mass = m ? m->density * c->EA / m->E : 0;
    return FLX_OK;
}

// Of any section: mass and rotational inertia that are given.
static flx_status read_masses(flx_env *e, const flx_entry *y, flx_section *c)
{
    const flx_entry *mass = flx_entry_get(y, "mass"), *inertia = flx_entry_get(y, "inertia");
    int n = 0;
    double *x = NULL;
    if (mass) FLX_TRY(flx_build_positive(e, mass, "the mass", &c->mass));
    if (!c->sized) { // homogeneous: its radii of gyration are those of its stiffness
        c->inertia[1] = c->mass * c->EIy / c->EA;
        c->inertia[2] = c->mass * c->EIz / c->EA;
        c->inertia[0] = c->inertia[1] + c->inertia[2];
    }
    if (!inertia) return FLX_OK;
    c->own_inertia = true;
    FLX_TRY(flx_build_numbers(e, inertia, &n, &x));
    for (int i = 0; i < 3; i++) c->inertia[i] = n == 3 ? x[i] : x[0];
    if (n == 1) c->inertia[0] = 2 * x[0];
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, inertia->loc,
                        "rotational inertia cannot be negative");
    }
    return FLX_OK;
}

flx_status flx_section_read(flx_env *e, const flx_entry *y, const flx_material *m, flx_section *c)
{
    const flx_entry *width = flx_entry_get(y, "width"), *radius = flx_entry_get(y, "radius");
    const flx_entry *area = flx_entry_get(y, "area"), *thickness = flx_entry_get(y, "thickness");
    const flx_entry *up = flx_entry_get(y, "up");
    double a, b, nu = m ? m->nu : RATIO;
    *c = (flx_section){.name = "", .sized = true};
    if (width) {
        FLX_TRY(flx_build_positive(e, width, "the width", &a));
        FLX_TRY(flx_build_positive(e, flx_entry_get(y, "height"), "the height", &b));
        *c = flx_section_rectangle(a, b, nu);
    } else if (radius) {
        FLX_TRY(flx_build_positive(e, radius, "the radius", &a));
        *c = flx_section_circle(a, nu);
    } else if (area) {
        FLX_TRY(flx_build_positive(e, area, "the area", &c->A));
    } else if (thickness) {
        FLX_TRY(flx_build_positive(e, thickness, "the thickness", &c->thickness));
    } else {
        c->sized = false;
        FLX_TRY(read_stiffnesses(e, y, m, c));
    }
    c->loc = y->loc;
    FLX_TRY(read_masses(e, y, c));
    c->has_up = up != NULL;
    return up ? flx_build_vector(e, up, c->up) : FLX_OK;
}

flx_status flx_section_read_beam(flx_env *e, const flx_item *body, const char *word,
                                 const flx_entry *section, const flx_entry *material,
                                 flx_section *c, flx_material *m, flx_beam_law *law)
{
    static const char *const foreign[] = {"area", "thickness"};
    flx_ctx *ctx = e->b->ctx;
    for (int i = 0; i < 2; i++) {
        const flx_entry *y = flx_entry_get(section, foreign[i]);
        if (!y) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, y->loc, "'%s' is no key of the section of %s",
                        foreign[i], word);
    }
    FLX_TRY(flx_material_refuse_loss(e->b, material));
    if (material) FLX_TRY(flx_material_read(e, material, m));
    FLX_TRY(flx_section_read(e, section, material ? m : NULL, c));
    if (c->sized && !material) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, section->loc,
                        "the section of '%s' is given by its size and needs a material",
                        body->full);
    }
    flx_section_law(c, m, law);
    if (!(law->EIy > 0)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, section->loc, "the section needs 'EI' beside 'EA'");
    }
    if (law->mass > 0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MODEL, section->loc,
                    "the section needs 'mass', in kg per metre, or a material with a density");
}
