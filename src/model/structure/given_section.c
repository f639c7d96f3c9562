// given_section.c - what a section is by the numbers that a model gives of it.
#include "model/structure/given_section.h"

#include <math.h>
#include <string.h>

#define SHEAR_AREA (5.0 / 6.0)

// Symmetric and positive definite; C: its symmetric part.
static flx_status check_matrix(flx_ctx *ctx, const flx_given_section *g, double C[36],
                               bool *coupled)
{
    const double *x = g->stiffness;
    double largest = 0, work[36];
    for (int i = 0; i < 36; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            if (!(fabs(x[6 * i + j] - x[6 * j + i]) <= 1e-9 * largest)) {
                return FLX_FAIL(ctx, FLX_ERR_MODEL, g->matrix_loc,
                                "the stiffness of a section is symmetric: entries (%d, %d) and "
                                "(%d, %d) differ",
                                i + 1, j + 1, j + 1, i + 1);
            }
            work[6 * i + j] = C[6 * i + j] = 0.5 * (x[6 * i + j] + x[6 * j + i]);
            *coupled = *coupled || (i != j && C[6 * i + j] != 0);
        }
    }
    for (int k = 0; k < 6; k++) { // Cholesky: positive pivots
        if (!(work[7 * k] > 0)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, g->matrix_loc,
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

static flx_status take_matrix(flx_ctx *ctx, const flx_given_section *g, double C[36],
                              flx_section *c)
{
    bool coupled = false;
    FLX_TRY(check_matrix(ctx, g, C, &coupled));
    if (coupled) c->coupled = C;
    c->EA = C[0], c->GAy = C[7], c->GAz = C[14];
    c->GJ = C[21], c->EIy = C[28], c->EIz = C[35];
    return FLX_OK;
}

static flx_status take_stiffnesses(flx_ctx *ctx, const flx_given_section *g, double C[36],
                                   flx_section *c)
{
    double shear = 0.5 / (1 + g->nu); // G/E
    c->shear = c->rotary = true;
    if (g->form == FLX_SECTION_MATRIX) {
        FLX_TRY(take_matrix(ctx, g, C, c));
    } else {
        c->EA = g->EA;
        c->EIy = g->EI[0], c->EIz = g->EI[1];
        c->GAy = g->GA_known ? g->GA[0] : SHEAR_AREA * shear * g->EA;
        c->GAz = g->GA_known ? g->GA[1] : SHEAR_AREA * shear * g->EA;
        c->GJ = g->GJ_known ? g->GJ : shear * (g->EI[0] + g->EI[1]);
    }
    c->mass = g->material ? g->density * c->EA / g->E : 0;
    return FLX_OK;
}

// Mass and rotational inertia that are given; those of stiffnesses without.
static void take_masses(const flx_given_section *g, flx_section *c)
{
    if (g->mass_known) c->mass = g->mass;
    if (!c->sized) { // homogeneous: its radii of gyration are those of its stiffness
        c->inertia[1] = c->mass * c->EIy / c->EA;
        c->inertia[2] = c->mass * c->EIz / c->EA;
        c->inertia[0] = c->inertia[1] + c->inertia[2];
    }
    if (g->ninertia == 0) return;
    c->own_inertia = true;
    for (int i = 0; i < 3; i++) c->inertia[i] = g->ninertia == 3 ? g->inertia[i] : g->inertia[0];
    if (g->ninertia == 1) c->inertia[0] = 2 * g->inertia[0];
}

flx_status flx_given_section_take(flx_ctx *ctx, const flx_given_section *g, double C[36],
                                  flx_section *c)
{
    *c = (flx_section){.name = "", .sized = g->form < FLX_SECTION_STIFFNESSES};
    if (g->form == FLX_SECTION_RECTANGLE) {
        *c = flx_section_rectangle(g->size[0], g->size[1], g->nu);
    } else if (g->form == FLX_SECTION_CIRCLE) {
        *c = flx_section_circle(g->size[0], g->nu);
    } else if (g->form == FLX_SECTION_AREA) {
        c->A = g->size[0];
    } else if (g->form == FLX_SECTION_THICKNESS) {
        c->thickness = g->size[0];
    } else {
        FLX_TRY(take_stiffnesses(ctx, g, C, c));
    }
    c->loc = g->loc;
    take_masses(g, c);
    return FLX_OK;
}

flx_status flx_given_section_law(flx_ctx *ctx, const flx_given_section *g, double C[36],
                                 flx_section *c, flx_beam_law *law)
{
    const flx_material m = {.name = "", .E = g->E, .nu = g->nu, .density = g->density};
    FLX_TRY(flx_given_section_take(ctx, g, C, c));
    flx_section_law(c, &m, law);
    if (!(law->EIy > 0)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, g->loc, "the section needs 'EI' beside 'EA'");
    }
    if (law->mass > 0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MODEL, g->loc,
                    "the section needs 'mass', in kg per metre, or a material with a density");
}
