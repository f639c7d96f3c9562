// flexion/extend/method_table.h - for those who write a method: the table that every method fills (docs/dev/add_a_method.md).
//
// Lifetimes: a table must outlive the integrators made of it; `data` is the method's, from create to destroy.
#pragma once

#include "flexion/extend/system_table.h"
#include "flexion/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a method is made of: its properties (order, stability, symplecticity, ...) are computed from
// these numbers.
typedef enum flx_scheme {
    // y' = f: a step with stages A, weights b, nodes c. Positions take A, velocities A_v: a
    // partitioned method; the same numbers as a rule.
    FLX_SCHEME_RUNGE_KUTTA,
    // Newmark's formulae with alpha_m, alpha_f, beta, gamma (GA-1).
    FLX_SCHEME_STRUCTURAL,
    // sum_j alpha_j y_n+1-j = h sum_j beta_j f_n+1-j, at a constant step; the highest order.
    FLX_SCHEME_MULTISTEP
} flx_scheme;

struct flx_coefficients {
    flx_scheme scheme;
    int s; // stages; steps of a multistep method
    // Forces are those of discrete gradients, which the numbers tell for linear ones only: they are
    // no derivative of an action, and the method is not symplectic.
    int discrete_gradient;
    double A[FLX_STAGES_MAX][FLX_STAGES_MAX], A_v[FLX_STAGES_MAX][FLX_STAGES_MAX];
    double b[FLX_STAGES_MAX], c[FLX_STAGES_MAX];
    double alpha_m, alpha_f, beta, gamma;                           // structural
    double alpha_j[FLX_STAGES_MAX + 1], beta_j[FLX_STAGES_MAX + 1]; // multistep
};

// One method: the table every method fills.
struct flx_integrator_type {
    const char *name; // the word in the model file and on the command line
    const char *summary;
    int order;           // classical order, of q on a system without constraints
    int fixed, adaptive; // can run with a fixed step, with error control
    int settled;         // a, lambda, mu and w of its states follow from q, v and x; else they are
                         // what the method carries: values of stages, of the middle of a step
    // The numbers behind the method for this definition; false: its options make no sense.
    int (*coefficients)(const flx_integrator_def *def, flx_coefficients *out);
    flx_status (*create)(flx_integrator *it);
    // Advance x by at most h (exactly h when fixed). On a positive status x is bit for bit what it
    // was. *h_taken receives the step made.
    flx_status (*step)(flx_integrator *it, flx_state *x, double h, double *h_taken);
    // Positions, velocities, multipliers at t inside the last step; NULL: cannot. The order is
    // that of the method's continuous extension.
    flx_status (*interpolate)(flx_integrator *it, double t, flx_state *out);
    void (*destroy)(flx_integrator *it);
    // Passes all that the next step takes over from those before; NULL: cannot, and a run that is restored
    // begins anew at its state.
    void (*memory)(flx_integrator *it, flx_memory *m);
    int meets_touches; // non-zero: contacts that are found step by step (flx_touches)
};

// Base of every integrator; the first member of the concrete one is a pointer to its data.
struct flx_integrator {
    const flx_integrator_type *type;
    const flx_system *sys; // borrowed
    flx_work *work;        // owned
    flx_ctx *ctx;          // borrowed
    flx_integrator_def def;
    flx_statistics stats;
    void *data; // owned by the method
};

#ifdef __cplusplus
}
#endif
