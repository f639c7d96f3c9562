// flexion/methods.h - what is known of a method: the word that names it, the properties that follow
// from its coefficients, the systems that it takes.
#pragma once

#include "flexion/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- words -------------------------------------------------------------------------------------

// A method with its options: "radau", "radau(stages=5)", "galerkin(degree=3, quadrature=4)",
// "hht(alpha=-0.1)", "radau rtol=1e-8". Options of the method that the word does not name get their defaults; step, tolerances,
// formulation and max_steps stay what they are in *def. def->method points into the registry. FLX_ERR_ARGUMENT with the
// nearest name in the message.
FLX_API flx_status flx_method_read(flx_ctx *ctx, const char *word, flx_integrator_def *def);

// ---- properties --------------------------------------------------------------------------------

typedef enum flx_answer {
    FLX_NO,
    FLX_YES,
    FLX_NOT_ASKED // the question makes no sense of this method
} flx_answer;

// Computed from the coefficients (theory/integrators.md, "Properties").
typedef struct flx_method_properties {
    int stages;            // steps of a multistep method
    int order;             // classical order
    int stage_order;       // largest q with C(q); -1: the method has no stages
    double at_infinity;    // R(infinity); a spectral radius where the step is a matrix; HUGE_VAL
    flx_answer a_stable;   // partitioned and structural methods: on undamped oscillators
    flx_answer l_stable;   // A-stable and R(infinity) = 0
    flx_answer symplectic; // b_i a_ij + b_j a_ji = b_i b_j
    flx_answer symmetric;  // the step back undoes the step
    flx_answer stiffly_accurate; // the last stage is the end of the step
    // Conditions for strongly damped systems:
    flx_answer damped_end;  // (3.7) A invertible, |R(infinity)| < 1
    flx_answer damped_axis; // (3.8) no eigenvalue of A is negative, |R(-w)| < 1 for all w > 0
} flx_method_properties;

// FLX_ERR_CANNOT: the method does not tell its coefficients. FLX_ERR_ARGUMENT: its options make no
// sense. FLX_ERR_MEMORY.
FLX_API flx_status flx_method_properties_find(flx_ctx *ctx, const flx_integrator_def *def,
                                              flx_method_properties *out);
// The same of any coefficients (flexion/extend/method_table.h).
FLX_API flx_status flx_coefficients_properties(flx_ctx *ctx, const flx_coefficients *c,
                                               flx_method_properties *out);

// ---- systems -----------------------------------------------------------------------------------

// The differentiation indices of the equations that a method takes: bit k for index k. Asked of the
// method itself: bit 0 a free mass, bit 1 algebraic equations or constraints on acceleration level,
// bit 2 stabilised constraints (GGL), bit 3 constraints as positions.
FLX_API flx_status flx_method_systems(flx_ctx *ctx, const flx_integrator_def *def, unsigned *bits);

#ifdef __cplusplus
}
#endif
