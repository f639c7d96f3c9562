// solid.h - kernels of solids of large deformation: the strain energy of an element, in the reference
// configuration, between nodes that are points, or places of rigid bodies or of the ground.
#pragma once

#include "body/frame.h"
#include "flexion/extend/system_table.h"
#include "math/small.h"

#define FLX_SOLID_NODES 20 // most of one element

typedef enum flx_solid_law {
    FLX_SOLID_ST_VENANT_KIRCHHOFF,
    FLX_SOLID_NEO_HOOKEAN,
} flx_solid_law;

typedef struct flx_solid_element {
    int n, npoint;
    const double *weight; // (npoint) of the reference volume
    const double *dN;     // (npoint, n, 3) by reference coordinates
    const int *frame;     // (n) numbers of the frames
    const int *v, *nv;    // (n) first velocity; 3 of a point, 6 of a rigid body, 0 of the ground
    const double *arm;    // (n, 3) from the centre of mass, body axes
    int *block;           // (n, n) offsets of blocks in the tangent; of nodes that move
    flx_solid_law law;
    double lambda, mu; // Lame's
    double viscosity;  // of the rates of the strains, a part of the stiffness at rest; s
} flx_solid_element;

// r_v += forces, K into A0, D into A1 (SOL-2), (SOL-3); energies and dissipation.
void flx_solid_residual(int n, const flx_solid_element *e, const flx_frame *f, double *r);
void flx_solid_linearise(int n, const flx_solid_element *e, const flx_frame *f, double *A0,
                         double *A1);
void flx_solid_energy(int n, const flx_solid_element *e, const flx_frame *f, flx_energies *out);
// Green's strain at every point of every element, 6 numbers each in the order xx yy zz xy yz xz.
void flx_solid_strains(int n, const flx_solid_element *e, const flx_frame *f, double *strain);
// (SOL-4) forces of the discrete gradient between strains before and after, less those at f.
void flx_solid_discrete(int n, const flx_solid_element *e, const flx_frame *f, const double *before,
                        const double *after, double *r);

// What loads on a solid do as its elements do: they read where the nodes are and how fast they move, add
// forces f (n, 3) at the nodes to the rows of what moves these, and add the slopes K of f along their places.
typedef struct flx_solid_places {
    double x[FLX_SOLID_NODES][3], v[FLX_SOLID_NODES][3];
} flx_solid_places;
typedef double flx_solid_blocks[FLX_SOLID_NODES][FLX_SOLID_NODES][9];

void flx_solid_gather(const flx_solid_element *e, const flx_frame *f, flx_solid_places *p);
void flx_solid_scatter(const flx_solid_element *e, const flx_frame *frames, const double (*f)[3],
                       double *r);
void flx_solid_put(const flx_solid_element *e, const flx_frame *frames, flx_solid_blocks K,
                   const double (*f)[3], double *A0);
