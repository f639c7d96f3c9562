// given_section.h - the cross-section and the material of a beam as a model says them: numbers that may depend on open
// parameters. What a beam takes of them is worked out again when these are set.
#pragma once

#include "model/open_number.h"
#include "model/structure.h"

typedef enum flx_section_form {
    FLX_SECTION_RECTANGLE,   // size: width along z, height along y
    FLX_SECTION_CIRCLE,      // size: the radius
    FLX_SECTION_AREA,        // size: the area
    FLX_SECTION_THICKNESS,   // size: of a plane element
    FLX_SECTION_STIFFNESSES, // EA, EI and what is known besides
    FLX_SECTION_MATRIX,      // all 36 stiffnesses
} flx_section_form;

typedef struct flx_given_section {
    flx_loc loc, matrix_loc; // of the section, of its stiffness
    flx_section_form form;
    bool material, mass_known, EI_known, GA_known, GJ_known;
    int ninertia; // numbers of it that are given: 0, 1 or 3
    double E, nu, density;
    double size[2], EA, EI[2], GA[2], GJ, stiffness[36];
    double mass, inertia[3]; // per length
    flx_open E_open, nu_open, density_open;
    flx_open size_open[2], EA_open, EI_open[2], GA_open[2], GJ_open, stiffness_open[36];
    flx_open mass_open, inertia_open[3];
} flx_given_section;

// One of no material has that Poisson's ratio.
#define FLX_POISSON_RATIO 0.3

// The section of these numbers. What it leaves out is that of a homogeneous one of its material: G = E/(2 (1 + nu)), shear
// areas 5/6 of the area, torsion as of a circle, mass by the density, and the radius of gyration sqrt(EI/EA).
// C: where its matrix goes, which out points at where it couples. FLX_ERR_MODEL: the matrix is none of a section.
flx_status flx_given_section_take(flx_ctx *ctx, const flx_given_section *g, double C[36],
                                  flx_section *out);
// What a beam takes of it, which must have mass and resist bending.
flx_status flx_given_section_law(flx_ctx *ctx, const flx_given_section *g, double C[36],
                                 flx_section *c, flx_beam_law *law);
