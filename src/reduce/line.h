// line.h - a flexible body that is a line of beams: its numbers from shapes that are given as functions
// along the line, or found by finite elements.
#pragma once

#include "reduce/basis.h"
#include "reduce/elastic.h"

// A section that varies is known at Gauss's points of each element.
#define FLX_LINE_POINTS 6
typedef struct flx_line_station {
    double mass, EA, GJ, EI[2], GA[2], second[2]; // as of a line
    double y[3];                                  // the section's y axis, as there
} flx_line_station;
// Parts of an element, and weights whose sum is 1.
void flx_line_points(double x[FLX_LINE_POINTS], double w[FLX_LINE_POINTS]);

typedef struct flx_line {
    int npoint;
    const double *points; // (npoint x 3) corners, body frame
    bool planar;          // shapes in the x-y plane only
    bool shear;           // Timoshenko: shear, and rotary inertia of the sections
    bool stiffening;
    const double
        *y; // (npoint - 1, 3) the section's y axis between two corners, a unit vector across them
    double mass; // per length
    double EA, GJ;
    double EI[2], GA[2];           // bending and shear along the section's y, and along its z
    double second[2];              // mass times distance squared, per length: along y, along z
    int elements;                  // along the whole line; nodes stand between them
    const flx_line_station *along; // (elements, FLX_LINE_POINTS); NULL: the same everywhere
} flx_line;

// Shapes at one place: displacement, its derivative by the length, rotation of the section and its
// derivative; (n x 3) each, body axes.
typedef struct flx_line_field {
    double *u, *du, *turn, *dturn;
} flx_line_field;

// Fill the field at the part s of the length (0 to 1), in element k.
typedef flx_status flx_line_shape(void *user, int element, double s, const flx_line_field *f);

double flx_line_length(const flx_line *line);

// The tangent at the part s of the length, and the section's axes y and z.
void flx_line_axes(const flx_line *line, double s, double t[3], double y[3], double z[3]);

// The body of n shapes.
flx_status flx_line_elastic(flx_ctx *ctx, flx_arena *arena, const flx_line *line, int n,
                            flx_line_shape *shape, void *user, flx_elastic **e);

// The body of a basis of its finite elements.
flx_status flx_line_reduce(flx_ctx *ctx, flx_arena *arena, const flx_line *line,
                           const flx_basis *basis, flx_loc loc, flx_elastic **e);
