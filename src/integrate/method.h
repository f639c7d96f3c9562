// method.h - what the methods of this folder share: the integrator behind its public face, the
// list of methods, and how a failure is remembered until it becomes a message.
#pragma once

#include "base/base.h"
#include "flexion/integrator.h"

// Why a step failed; the top level makes the message.
typedef struct flx_trouble {
    int unknown;        // row or unknown at fault, -1: none
    double size;        // of its residual or correction, in units of its scale; 0: not known
    int iterations;     // made, 0: not an iteration
    const char *what;   // "Newton's iteration did not converge"
    const char *advice; // "a smaller step"; NULL: none
} flx_trouble;

// The integrator as it is made. `before` and `after` are the ends of the last step.
typedef struct flx_method {
    flx_integrator base;
    flx_state *before, *after, *output; // owned; output: scratch of flx_integrate
    double *theta, *rate;               // (nv) scratch of the interpolation
    bool stepped;                       // there is a last step
    bool continues;                     // the caller's state is the end of the last step
    bool warned;                        // of steps too long for the switches
    double longest;                     // step that the switches can follow
    // Closes the joints of an interpolated state, for methods without their own dense output; NULL:
    // they stay as the polynomial leaves them.
    flx_status (*close)(flx_integrator *it, flx_state *x);
    flx_trouble trouble;
    struct flx_events *events; // owned; NULL: none can happen
} flx_method;

static inline flx_method *flx_method_of(flx_integrator *it)
{
    return (flx_method *)it;
}

// Remember why, and return the status.
flx_status flx_method_fail(flx_integrator *it, flx_status status, int unknown, double size,
                           int iterations, const char *what, const char *advice);

// Cubic Hermite polynomial on the chart at `before`, between the ends of a step: q of order 4, v of
// order 3; a, lambda, mu and w are linear.
void flx_hermite(const flx_system *s, const flx_state *before, const flx_state *after, double t,
                 double *theta, double *rate, flx_state *out);

extern const flx_integrator_type flx_generalized_alpha;
extern const flx_integrator_type flx_hht;
extern const flx_integrator_type flx_newmark;
extern const flx_integrator_type flx_radau;
extern const flx_integrator_type flx_implicit_euler;
extern const flx_integrator_type flx_bdf;
extern const flx_integrator_type flx_euler;
extern const flx_integrator_type flx_dopri5;
extern const flx_integrator_type flx_dop853;
extern const flx_integrator_type flx_adams;
extern const flx_integrator_type flx_midpoint;
extern const flx_integrator_type flx_trapezoidal;
extern const flx_integrator_type flx_gauss;
extern const flx_integrator_type flx_lobatto;
extern const flx_integrator_type flx_variational;
extern const flx_integrator_type flx_galerkin;

// The method that `auto` stands for with this system and definition.
const flx_integrator_type *flx_integrator_choose(const flx_system *s, const flx_integrator_def *d);
