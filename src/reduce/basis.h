// basis.h - which shapes of finite elements a flexible body keeps, and these shapes found from the
// matrices of a free structure. Theory: docs/theory/elastic.md.
#pragma once

#include "flexion/reduction.h"
#include "math/symmetric.h"

typedef enum flx_frame_kind {
    FLX_FRAME_TANGENT, // fixed to the first interface; of a line to its first node
    FLX_FRAME_BUCKENS, // least mean deformation
    FLX_FRAME_CHORD,   // through the first and the second interface; of a line through its ends
} flx_frame_kind;

#define FLX_SHAPES_SHIFT                                                                           \
    1e-3 // of the lowest frequency squared, that makes K of a free body regular

typedef enum flx_basis_kind { // in the order of the table, bases.c
    FLX_BASIS_MODES,
    FLX_BASIS_GUYAN,
    FLX_BASIS_CRAIG_BAMPTON,
    FLX_BASIS_BAND,
    FLX_BASIS_KRYLOV,
    FLX_BASIS_BALANCED,
    FLX_BASIS_IRKA,
    FLX_BASIS_SNAPSHOTS,
    FLX_BASIS_COUNT,
} flx_basis_kind;

// Damping that is in proportion to stiffness and mass: K (1 + i loss + i w beta), alpha M.
typedef struct flx_damping {
    double loss, alpha, beta;
    bool assumed; // the model gives none: a loss factor of FLX_ASSUMED_LOSS
} flx_damping;
#define FLX_ASSUMED_LOSS 0.02

// Displacements of nodes of a mesh, in axes of the body, at some instants of a run.
typedef struct flx_snapshots {
    int count, places;
    const int *label; // (places) numbers of nodes
    const double *u;  // (count, places, 3)
    const double *at; // (places, 3) where they were in the undeformed body
} flx_snapshots;

// What is kept of the finite elements.
typedef struct flx_basis {
    flx_basis_kind kind;
    int modes;
    bool stiffening;
    bool attachment; // with FLX_BASIS_MODES: also the shapes of unit loads at the interfaces
    bool residual;   // also the compliance that shapes leave out, of interfaces; of lines all nodes
    int ninterface;
    const int *interfaces;    // nodes, counted from 0
    const char *const *names; // (ninterface) what the model calls them; NULL: by their numbers
    flx_frame_kind frame;
    // bases of a stated error, docs/theory/body_reduction.md
    double from, to;            // Hz, the band; to = 0: none is given
    double tolerance;           // of the responses at the interfaces; 0: 1e-3
    int shapes;                 // how many; 0: as few as meet the tolerance
    int ncondition;             // 0: free, each interface held, all held
    const bool *conditions;     // (ncondition, ninterface) which interfaces are held
    double statics;             // part of the static compliance that may be left out; 0: none
    double angular_velocity[3]; // rad/s: static shapes of its centrifugal forces are added
    double spin;                // rad/s, about any axis: those of all its centrifugal forces
    const unsigned *components; // (ninterface) bits of those that are ports; NULL: all
    int blocks;                 // of Krylov's spaces, at each of
    int nshift;                 // these frequencies
    const double *shifts;       // Hz
    // with FLX_BASIS_GUYAN, _CRAIG_BAMPTON: also shapes of loads that accelerate the body
    bool inertia_relief;
    bool uncounted;                 // modes of the band are not counted
    bool unscaled;                  // ports count as they are, in their own units
    const flx_snapshots *snapshots; // FLX_BASIS_SNAPSHOTS; else NULL
    // nodes that joints or forces take though they are no interfaces, and where the model says so
    int nloaded;
    const int *loaded;        // (nloaded) counted from 0
    const flx_loc *loaded_at; // (nloaded)
    // (nloaded) these are interfaces, and whether moments act there; NULL: they are no interfaces
    const bool *loaded_turns;
    flx_damping damping;
    flx_arena *arena; // of the report; NULL: none is made
    const char *body; // whose basis it is; NULL: not known
    // looks at the structure before its shapes are found; NULL: nobody does
    struct flx_shape_study *study;
} flx_basis;

// A place of the structure that moves as a frame: each of its components is a sum of unknowns.
typedef struct flx_interface {
    const char *name;
    double at[3];
    int count[6];            // terms of ux uy uz rx ry rz; 0: it has no such component
    const int *unknown[6];   // (count)
    const double *weight[6]; // (count)
} flx_interface;

// A structure that nothing holds.
typedef struct flx_free_structure {
    flx_ctx *ctx;
    flx_loc loc; // where the model asks for the reduction
    const flx_symmetric *K, *M;
    const flx_symmetric *S, *D; // imaginary stiffness, damping (FE-24); NULL: none
    const int *group;           // (n) node of an unknown; may be NULL
    // (n) its number, the component ux uy uz rx ry rz from 0, the place (n, 3); all NULL: not known
    const int *label, *component;
    const double *at;
    int nrigid;          // 6, in the plane 3
    const double *rigid; // (nrigid, n) translations, then rotations about the origin
    int ninterface;
    const flx_interface *interfaces;
} flx_free_structure;

typedef struct flx_shapes {
    int n, count;
    double *V;      // (count, n) owned: one shape after the other
    double *omega2; // (count) owned: V^T K V, squares of the angular frequencies of the basis
    double
        *error; // (count) owned: how far those frequencies are above the structure's, in proportion
    double *M;  // (count, count) owned: V^T M V
    double *RM; // (count, nrigid) owned: V^T M R
    double next; // square of the angular frequency of the first mode left out; 0: not known
    flx_reduction_report *report; // in the arena of the basis; NULL: none
} flx_shapes;

// Who looks at the structure of a body.
typedef struct flx_shape_study {
    void *user;
    flx_status (*look)(void *user, const flx_free_structure *s, const flx_basis *b);
} flx_shape_study;

// Shapes of the basis, as the frame sees them, orthogonal with respect to K.
flx_status flx_shapes_find(const flx_free_structure *s, const flx_basis *b, flx_shapes *out);
void flx_shapes_clear(flx_shapes *shapes);

// What the shapes leave out of the compliance at each interface, by forces (REC-1): out (ninterface, 9). whole (the same;
// NULL: not wanted): the compliance.
flx_status flx_shapes_residual(const flx_free_structure *s, const flx_shapes *shapes, double *out,
                               double *whole);

// Solve K x = f for loads that are in equilibrium, with the motion that the frame takes away: X (count, n),
// the loads before. lowest: the square of the body's lowest angular frequency.
flx_status flx_shapes_relax(const flx_free_structure *s, const flx_basis *b, double lowest,
                            int count, double *X);
