// flexion/fe.h - linear structures of finite elements: statics, modes, transients; what `flexion fe` does.
#pragma once

#include "flexion/model.h"
#include "flexion/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_fe_problem flx_fe_problem;

// The structure of the model's block `fe`, its unknowns numbered, its matrices assembled. The model must
// live as long. FLX_ERR_MODEL with messages for broken elements.
FLX_API flx_status flx_fe_problem_create(const flx_model *model, flx_fe_problem **out);
FLX_API void flx_fe_problem_destroy(flx_fe_problem **problem);

typedef struct flx_fe_summary {
    int nodes, elements, unknowns; // nodes, elements: 0 where only matrices are known
    double mass, com[3];
    double inertia[6]; // xx yy zz xy yz xz about the centre of mass; xy = -integral of x y dm
} flx_fe_summary;
// What a structure is made of: counts, mass, centre of mass, inertia.
FLX_API flx_fe_summary flx_fe_problem_summary(const flx_fe_problem *problem);
// Fields at nodes go to VTK files (.vtu, and .pvd for a series) where a path is given (NULL: none).

typedef struct flx_fe_static {
    double displacement; // largest, and the number of its node
    int displacement_node;
    double von_mises; // largest at a node of solids and plane elements
    int von_mises_node;
    double axial;      // largest pull (or push, below zero) in a beam or truss
    int axial_element; // its number
    double bending;    // largest bending moment in a beam
    int bending_element;
    double strain_energy;
    double reaction[6]; // force, and moment about the origin, of all supports
    double residual;    // |K x - f| / |f|
} flx_fe_static;
// Displacements, stresses and reactions under the loads; fields go to the file vtu.
FLX_API flx_status flx_fe_problem_static(flx_fe_problem *problem, const char *vtu,
                                         flx_fe_static *result);
typedef struct flx_fe_mode {
    double frequency;    // Hz; 0 of a rigid motion
    double residual;     // |K x - lambda M x| / |K x|
    double effective[6]; // masses and inertias about the centre of mass that it moves
} flx_fe_mode;
typedef struct flx_fe_modes_report {
    int rigid;    // motions among them
    int checked;  // the count of pivots agrees
    int below;    // modes below `bound` by that count
    double bound; // Hz
    int factorisations, solutions;
    double memory; // bytes of the factors while they were made
} flx_fe_modes_report;
// The lowest `count` modes into modes (count).
FLX_API flx_status flx_fe_problem_modes(flx_fe_problem *problem, int count, const char *vtu,
                                        flx_fe_mode *modes, flx_fe_modes_report *report);

// What statics (one shape, that of the loads) or modes found last, with its stresses, as it is drawn. It lives
// as long as the problem. FLX_ERR_ARGUMENT where there is no surface.
FLX_API flx_status flx_fe_problem_mesh(flx_fe_problem *problem, flx_result_mesh *out);

// Newmark's method (beta 1/4, gamma 1/2) from rest under the loads of the structure, which act from
// t = 0 on. until and step <= 0: those of `simulate`. nodes (nnode): their displacements go to the CSV
// file (NULL: none). Every `every`-th step is written; 0: about a hundred.
typedef struct flx_fe_transient {
    double until, step;
    int every;
    int nnode;
    const int *nodes;      // numbers of the mesh file
    const char *csv, *pvd; // NULL: none
} flx_fe_transient;
typedef struct flx_fe_transient_result {
    long steps;
    double displacement; // largest at a written step, its node and its time
    int displacement_node;
    double displacement_time;
    double energy_drift; // of kinetic + strain + dissipated - work of the loads, in proportion
} flx_fe_transient_result;
FLX_API flx_status flx_fe_problem_transient(flx_fe_problem *problem, const flx_fe_transient *def,
                                            flx_fe_transient_result *result);

// Displacements and rotations per unit force or moment, over frequency: H = (K (1 + i loss + i w beta) + i S + i w D - (w^2 -
// i w alpha) M)^-1. A port is a component of a node, "node(7).z", or of a set with one node, "tip.rx"; of matrices without
// places an unknown, "unknown(7)".
typedef struct flx_fe_response_def {
    int ninput, noutput;
    const char *const *inputs, *const *outputs;
    double from, to; // Hz
    int count;       // frequencies
    int linear;      // spacing; else logarithmic
    int direct;      // one factorisation per frequency; else a model of few vectors with a known error
} flx_fe_response_def;
typedef struct flx_fe_response {
    int count, ninput, noutput;
    const double *hz;         // (count)
    const double *H;          // (count, noutput, ninput, 2)
    const double *estimate;   // (count) relative error of the responses at all ports; NULL: direct
    double known, proved;     // its largest; proved: 0 where it is not, `checked` frequencies by direct solutions then
    double loss, alpha, beta; // damping in proportion to stiffness and mass
    int assumed;              // the model gives no damping: the loss factor is our choice
    int other;                // there is damping that is not in proportion
    int rigid;                // motions that nothing holds
    int vectors, factorisations, solutions, checked;
} flx_fe_response;
// The result lives as long as the problem, or until the next one.
FLX_API flx_status flx_fe_problem_response(flx_fe_problem *problem, const flx_fe_response_def *def,
                                           const flx_fe_response **out);

#ifdef __cplusplus
}
#endif
