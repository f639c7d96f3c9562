// ports.h - a body seen at its interfaces: unit loads there, what they move, in which conditions, and how far one model of
// the body is from another. Theory: docs/theory/body_reduction.md.
//
//     A(w) = p K - (w^2 - i w alpha) M,   p = 1 + i eta + i w beta                                 (RED-1)
//     H(w) = B^T A(w)^+ B,   G = H - B^T R (R^T M R)^-1 R^T B / (w^2 - i w alpha)                  (RED-2)
//     X held: G_rr - G_rh G_hh^-1 G_hr,   all held: G^-1                                          (RED-3)
// B: unit forces and moments at the interfaces, the ports; R: rigid motions.
#pragma once

#include "math/complex_number.h"
#include "math/frontal/frontal.h"
#include "reduce/basis.h"

// The ports of a structure. Loads are less the inertia of the rigid motion that they cause (MSH-1).
typedef struct flx_ports {
    flx_ctx *ctx;
    int n, count;   // unknowns, ports
    int *face;      // (count) interface of a port
    int *component; // (count) of its interface: ux uy uz rx ry rz
    double *B;      // (count, n) relieved loads
    int nrigid;
    double *
        rigid; // (nrigid, count) R^T B, the rigid motions of unit mass and orthogonal to each other
    double *scale; // (count) 1/sqrt of the static compliance of a port; 1 until it is known
    // Groups of ports with one `first` are along axes of their own, once these are found: port j is the sum of axes[3 j + k] times
    // the named port first[j] + k.
    int *first;   // (count)
    double *axes; // (count, 3)
} flx_ports;

// What a few shapes make of a body at its ports: coordinates of unit mass each, stiffnesses L.
typedef struct flx_port_model {
    int m, p;
    double *L;    // (m)
    double *b;    // (p, m) b[j m + k]: shape k at port j
    double *loss; // (m, m) imaginary stiffness beside that of the damping; NULL: none
    double *D;    // (m, m) damping beside that of the damping; NULL: none
} flx_port_model;

// In which interfaces are held: those with held[i], of ninterface.
typedef struct flx_port_condition {
    const char *name;
    bool free, all;
    bool *held; // (count) ports
} flx_port_condition;

typedef struct flx_port_conditions {
    int count;
    flx_port_condition *items;
    bool *held; // owned
    char *text; // owned
} flx_port_conditions;

struct flx_shape_search;

flx_status flx_ports_init(const struct flx_shape_search *q, flx_ports *out);
// Forces of an interface along the principal axes of their static compliance, and so the moments (RED-21), where all of them are
// ports. X (count, n) = K^+ B and G (count, count), of rows and columns of ports, go with them.
flx_status flx_ports_find_axes(flx_ports *p, double *X, double *G);
// Numbers of ports along their axes become those of named ports: n lists of them, `step` apart, whose entries are `next` apart.
void flx_ports_name(const flx_ports *p, int n, int step, int next, double *X);
void flx_ports_clear(flx_ports *ports);
void flx_port_model_clear(flx_port_model *m);
flx_status flx_port_model_init(flx_ctx *ctx, int m, int p, flx_port_model *out);
// loss and D of the shapes T (out->m, full->m), in the coordinates of a larger model.
flx_status flx_port_model_project(flx_ctx *ctx, const flx_port_model *full, const double *T,
                                  flx_port_model *out);

// The conditions that the basis names, or all: free, each interface held, all held.
flx_status flx_port_conditions_init(const flx_free_structure *s, const flx_basis *b,
                                    const flx_ports *ports, flx_port_conditions *out);
// Leaves those out that hold ports which move together, or all that moves; x: a model with the statics of the ports.
flx_status flx_port_conditions_prune(const flx_free_structure *s, const flx_ports *p,
                                     const flx_port_model *x, flx_port_conditions *c);
void flx_port_conditions_clear(flx_port_conditions *c);

// ---- responses, of scaled ports -------------------------------------------------------------------

// Memory of a response: of p ports and m shapes.
typedef struct flx_port_work {
    int m, p;
    double complex *y; // (p, m) A^-1 b
    double complex *H; // (p, p) elastic part
    double complex *G; // (p, p) with the rigid part
    double complex *T; // (p, p) loads of a condition: columns
    double complex *C; // (p, p) response of a condition
    double complex *a; // (p, p) and
    double complex *A; // (m, m) scratch
    int *pivot;
    int columns; // of T and of C
} flx_port_work;

flx_status flx_port_work_init(flx_ctx *ctx, int m, int p, flx_port_work *out);
void flx_port_work_clear(flx_port_work *w);

// y and H at an angular frequency. false: singular.
bool flx_port_respond(const flx_port_model *model, const flx_damping *d, double omega,
                      flx_port_work *w);
// The same of the whole structure: y NULL, one complex factorisation. f: of the pattern of K, with room for 2 p right
// sides. X (p, n): the displacements.
flx_status flx_port_respond_directly(const flx_free_structure *s, const flx_ports *ports,
                                     const flx_damping *d, double omega, flx_frontal *f,
                                     double complex *X, double complex *H);
// G of H.
void flx_port_add_rigid(const flx_ports *ports, const flx_damping *d, double omega,
                        flx_port_work *w);
// C and T of a condition (RED-3), of H and G. false: singular.
bool flx_port_hold(const flx_ports *ports, const flx_port_condition *c, flx_port_work *w);
double flx_port_norm(int n, const double complex *x);

// The motions of shapes and rigid body, of unit mass, that do not move the ports held: Z (kept, n) with n = m + nrigid; room
// for n of them.
flx_status flx_port_null(const flx_ports *p, const flx_port_model *x, const flx_port_condition *c,
                         double *Z, int *kept);
// Squares of angular frequencies, ascending, of a model in a condition: at most `room`. Returns how many.
flx_status flx_port_resonances(const flx_ports *ports, const flx_port_model *model,
                               const flx_port_condition *c, int room, double *omega2, int *count);

// ---- errors -----------------------------------------------------------------------------------------

// Frequencies at which errors are measured: 200 of the band and the resonances of all conditions.
typedef struct flx_port_grid {
    int count;
    double *hz; // owned
} flx_port_grid;
flx_status flx_port_grid_init(const flx_ports *ports, const flx_port_model *model,
                              const flx_port_conditions *c, double from, double to,
                              flx_port_grid *out);

// |dH|_F/|H|_F of every condition at every frequency: out (conditions, grid).
flx_status flx_port_errors(const flx_ports *ports, const flx_port_conditions *c,
                           const flx_port_grid *grid, const flx_damping *d,
                           const flx_port_model *full, const flx_port_model *reduced, double *out);

// Whether one of them, and what is known of the full model, is above a tolerance: looked at from frequency *at on, which becomes the
// first that is. Most of those who are above it are told by a single one.
flx_status flx_port_errors_exceed(const flx_ports *ports, const flx_port_conditions *c,
                                  const flx_port_grid *grid, const flx_damping *d,
                                  const flx_port_model *full, const flx_port_model *reduced,
                                  double known, double tolerance, int *at, bool *exceed);

// What shapes V (r, n) make of the body at scaled ports; their mean motion is taken away.
flx_status flx_port_model_of_shapes(const struct flx_shape_search *q, const flx_ports *ports, int r,
                                    const double *V, flx_port_model *out);
