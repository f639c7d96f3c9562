// slopes_parts.h - what the families of methods fill for slopes.h.
#pragma once

#include "integrate/slopes/instant.h"
#include "integrate/slopes/slopes.h"
#include "integrate/slopes/step_matrix.h"

// Corrections of a linear step: the matrix leaves out how the chart turns within the step, and so they shrink with it.
#define FLX_SLOPES_ROUNDS 60
#define FLX_SLOPES_CLOSE 1e-15
#define FLX_SLOPES_SOLVED 1e-14 // of the first right side: what is left of it is rounding
#define FLX_SLOPES_GOOD 1e-10

typedef struct flx_slopes_type {
    size_t bytes;
    bool
        jumps; // z is positions, velocities and states: steps begin anew after events with nothing else
    flx_status (*create)(flx_slopes *sl, flx_integrator *it);
    void (*destroy)(flx_slopes *sl);                                          // NULL: nothing to do
    void (*record)(const flx_slopes *sl, flx_integrator *it, double *record); // NULL: nothing is
    flx_status (*residuals)(flx_slopes *sl, const flx_system *s, flx_work *work,
                            const flx_state *from, const flx_state *to, const double *record,
                            double *out);
    flx_status (*start)(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                        double *z);
    // wy (unknowns) += weights of accelerations, rates, algebraic unknowns and multipliers at x, of weights w of z; instants
    // beside that at x go to `out`. NULL: the start has no transpose.
    bool (*has_start_t)(const flx_slopes *sl, const flx_integrator *it);
    flx_status (*start_t)(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                          const double *w, double *wy, flx_slopes_instants *out);
    flx_status (*open)(flx_slopes *sl, const flx_state *from, const flx_state *to,
                       const double *record, bool transposed);
    flx_status (*direct)(flx_slopes *sl, double *rp, double *dz);
    flx_status (*adjoint)(flx_slopes *sl, double *w, double *eta);
    void (*change)(const flx_slopes *sl, const double *dz, double *out);
    void (*change_t)(const flx_slopes *sl, const double *out, double *w);
    // NULL: values inside are made of the ends
    flx_status (*install)(const flx_slopes *sl, flx_integrator *it, const double *record,
                          const double *rp, const double *change, double e);
    // all NULL: values inside have no weights of their own
    void (*inside)(flx_slopes *sl, const flx_state *from, const double *record, double place,
                   flx_state *out);
    flx_status (*close)(flx_slopes *sl, flx_integrator *it, flx_state *x);
    void (*weigh_inside)(flx_slopes *sl, double place, double *weights);
} flx_slopes_type;

struct flx_slopes {
    const flx_slopes_type *type;
    const flx_system *sys; // borrowed
    flx_ctx *ctx;          // borrowed
    flx_work *work;        // owned
    int size, points, stride;
    size_t record;
    flx_instant *instant; // owned; NULL: not needed so far
};

extern const flx_slopes_type flx_structural_slopes;
extern const flx_slopes_type flx_collocation_slopes;
extern const flx_slopes_type flx_collocation_ends_slopes;
extern const flx_slopes_type flx_explicit_slopes;

// A state in the order of a change; positions are left zero.
void flx_slopes_of_state(const flx_system *s, const flx_state *x, double *z);
// Of methods whose unknowns are the state: entries of their table.
flx_status flx_slopes_start_at_state(flx_slopes *sl, flx_integrator *it, const flx_state *x,
                                     double h, double *z);
bool flx_slopes_start_is_smooth(const flx_slopes *sl, const flx_integrator *it);
void flx_slopes_change_state(const flx_slopes *sl, const double *dz, double *out);
void flx_slopes_change_state_t(const flx_slopes *sl, const double *out, double *w);

// The instant of sl, made where it is first asked for.
flx_status flx_slopes_need_instant(flx_slopes *sl);

// What an iteration of a linear step left: an error where that is too much.
flx_status flx_slopes_judge(const flx_slopes *sl, double left, double first);
