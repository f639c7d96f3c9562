// ancf.h - kernels of beams in absolute nodal coordinates. A node has its place r and vectors of slope,
// derivatives of the position by the coordinates of the unstressed beam; each of these is a vector in
// ground axes and has no mass of its own. An element lies between two nodes; its mass matrix is constant,
// its strains are functions of the vectors alone.
//
// The vectors of an element are those of its first node, then those of its second:
//     cable (r, r,x), planar beam (r, r,x, r,y), spatial beam (r, r,x, r,y, r,z)
// cable2.c and cable.c are cables in the plane and in space, ancf.c beams in both, ancf_rule.c their points
// of quadrature, ancf_element.c what all have: inertia, loads, and where their numbers go.
#pragma once

#include "flexion/extend/system_table.h"

#include <stdbool.h>

enum {
    FLX_ANCF_MOST = 8,    // vectors of an element
    FLX_ANCF_VECTORS = 7, // derivatives of the position that one point of quadrature needs
    FLX_ANCF_STRAINS = 6, // strains there
};

// Mass matrix m (x) identity, and what a load along the line does to the vectors.
typedef struct flx_ancf_inertia {
    int n;
    double m[FLX_ANCF_MOST][FLX_ANCF_MOST];
    double load[FLX_ANCF_MOST];   // integrals of the shape functions
    double weight[FLX_ANCF_MOST]; // the same times the mass of a metre
} flx_ancf_inertia;

// Of an element of the given length: mass of a metre, and the moments of inertia of a metre that belong to
// the slopes across the line, nacross of them; a cable has none.
void flx_ancf_inertia_make(double length, double mass, int nacross, const double *moments,
                           flx_ancf_inertia *out);
// The same where they change along the line: n points with their weights, at parts of the length; moments (n, 2).
void flx_ancf_inertia_sum(double length, int nacross, int n, const double *at, const double *weight,
                          const double *mass, const double (*moments)[2], flx_ancf_inertia *out);

// ---- cables -------------------------------------------------------------------------------------

// Strains are e = |r,x| - stretch at the ends and the middle, and the curvature at two points.
typedef struct flx_cable {
    double length;                   // unstressed
    double EA[3], EI[2];             // at these places
    double viscosity;                // of the rates of strains, a part of the stiffness; s
    double stretch[3], curvature[2]; // without stress
} flx_cable;

// ---- beams --------------------------------------------------------------------------------------

// The strains of one point of quadrature are sums of products of derivatives of the position; the kinds
// are listed in ancf.c.
typedef enum flx_ancf_kind {
    FLX_ANCF_PLANE,      // Green's strains 11, 22, 12 of (r,x r,y)
    FLX_ANCF_SPACE,      // 11, 22, 33, 12, 23, 13 of (r,x r,y r,z)
    FLX_ANCF_AXIS2,      // stretch and shear of (r,x, and directions of r,x r,y)
    FLX_ANCF_AXIS,       // stretch and two of shear of (r,x, and directions of r,x r,y r,z)
    FLX_ANCF_SECTION2,   // Green's 22 of (r,y)
    FLX_ANCF_SECTION,    // 22, 33, 23 of (r,y r,z)
    FLX_ANCF_CURVATURE2, // bending of the directions of r,x in the middle and r,y at the ends
    FLX_ANCF_CURVATURE,  // two of bending, twist: r,x, r,y r,z at the ends, both in the middle
} flx_ancf_kind;

typedef struct flx_ancf_point {
    flx_ancf_kind kind;
    double shape[FLX_ANCF_VECTORS][FLX_ANCF_MOST]; // derivative p is sum_j shape[p][j] e_j
    double C[FLX_ANCF_STRAINS][FLX_ANCF_STRAINS];  // stiffness times the weight
    double rest[FLX_ANCF_STRAINS];                 // strains without stress
} flx_ancf_point;

typedef struct flx_ancf_rule {
    int dimension, n; // n: vectors
    int npoint;
    flx_ancf_point *points;
} flx_ancf_rule;

// Stiffness as of the axes of a section: shear along y and z, bending about y and z.
typedef struct flx_ancf_section {
    double EA, GA[2], GJ, EI[2];
    double E, nu;   // of the material; the continuum's
    double size[2]; // width along z, height along y; round: the radius
    bool round;
} flx_ancf_section;

// Points of an element: the continuum's (5 along the line, 3 across it in each direction, 7 over a disc), or
// those of the strains of sections, which do not lock. e0: vectors of the element without stress; NULL: it
// is straight, and the rule serves all such elements of its length. out->points has place for
// FLX_ANCF_POINTS. Of the strains of sections s are four: at the beginning, in the middle, at the end, and of
// the whole length, for bending and twist.
#define FLX_ANCF_POINTS 45
void flx_ancf_rule_continuum(double length, const flx_ancf_section *s, int dimension,
                             const double *e0, flx_ancf_rule *out);
void flx_ancf_rule_sections(double length, const flx_ancf_section *s, int dimension,
                            const double *e0, flx_ancf_rule *out);
// Strains of the element as it is, as those without stress.
void flx_ancf_rest(flx_ancf_rule *r, const double *e);

// ---- elements' own numbers ----------------------------------------------------------------------
// e: vectors of an element, u: their rates. Forces of strain and viscosity are added to f; A0, A1: their
// derivatives by e and u, (n D, n D), overwritten; A1 may be NULL where nothing is viscous. The energy of strains, and what viscosity takes.

#define FLX_ANCF_NUMBERS (3 * FLX_ANCF_MOST)

void flx_cable2_rest(flx_cable *c, const double *e); // as it is, it is without stress
void flx_cable2_force(const flx_cable *c, const double *e, const double *u, double *f);
void flx_cable2_tangent(const flx_cable *c, const double *e, const double *u, double *A0,
                        double *A1);
double flx_cable2_energy(const flx_cable *c, const double *e, const double *u, double *power);

void flx_cable_rest(flx_cable *c, const double *e);
void flx_cable_force(const flx_cable *c, const double *e, const double *u, double *f);
void flx_cable_tangent(const flx_cable *c, const double *e, const double *u, double *A0,
                       double *A1);
double flx_cable_energy(const flx_cable *c, const double *e, const double *u, double *power);

void flx_ancf_force(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                    double *f);
void flx_ancf_tangent(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                      double *A0, double *A1);
double flx_ancf_energy(const flx_ancf_rule *r, double viscosity, const double *e, const double *u,
                       double *power);

// Between two configurations: what the forces of strain in the middle lack of a discrete gradient, added to f.
// False: this element has none, and f is as it was.
void flx_cable2_discrete_force(const flx_cable *c, const double *e0, const double *e1,
                               const double *middle, double *f);
bool flx_ancf_discrete_force(const flx_ancf_rule *r, const double *e0, const double *e1,
                             const double *middle, double *f);

// ---- elements -----------------------------------------------------------------------------------

typedef struct flx_ancf {
    int dimension, n; // n: vectors
    int width;        // of the blocks that the vectors belong to
    const int *q, *v; // (n) first coordinate, first velocity of each vector
    int *at;          // (n, n) offsets of their parts in the tangent
    bool straight;    // without stress
    const flx_ancf_inertia *inertia;
    bool damped;               // one of these is not zero, or may be set
    double drag, viscosity;    // damping: of the mass, 1/s; of the strains, s
    const flx_ancf_rule *rule; // NULL: a cable
    flx_cable cable;
} flx_ancf;

typedef struct flx_ancf_at {
    const double *q, *v, *a;
    const double *g;
} flx_ancf_at;

// Forces of the nodes on an element: its masses, weight, strain and viscosity.
void flx_ancf_forces(const flx_ancf *e, const flx_ancf_at *p, double *f);
// Adds M (a + drag v - g) and the forces of strain and viscosity.
void flx_ancf_residual(int n, const flx_ancf *e, const flx_ancf_at *p, double *r);
// Adds to A0, A1 (both NULL: not wanted) and A2.
void flx_ancf_linearise(int count, const flx_ancf *e, const flx_ancf_at *p, double *A0, double *A1,
                        double *A2);
void flx_ancf_energies(int n, const flx_ancf *e, const flx_ancf_at *p, flx_energies *out);
// Between q0 and q1: what the forces of strain in their middle lack of discrete gradients.
void flx_ancf_discrete(int n, const flx_ancf *e, const double *q0, const double *q1, double *r);
// Adds M v.
void flx_ancf_momentum(int n, const flx_ancf *e, const flx_ancf_at *p, double *Mv);
