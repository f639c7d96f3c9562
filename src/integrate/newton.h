// newton.h - Newton's iteration for one step, the same for all methods: contraction, the floor of rounding,
// stagnation at singular positions, renewal of the tangent. A method gives residual, solution and norm.
//
// Corrections are measured in units of what is allowed of them. With the contraction rho, the ratio of two
// corrections in a row, what is left after a correction is
//     rho/(1 - rho) size                                                                      (NEW-1)
#pragma once

#include "base/checkpoint_walk.h"
#include "integrate/method.h"
#include "integrate/newton_matrix.h"

// A linearisation and its factors from step to step.
typedef struct flx_newton_books {
    double h_factored;    // the step that the factors are for; 0: none
    int age;              // steps since the linearisation
    int fresh_iterations; // of the first step with it, 0: not known
    int extra;            // iterations more than that since then
    double contraction;   // measured with these factors, at contraction_age; 0: not yet
    int contraction_age;
} flx_newton_books;

// What a method allows; sizes in units of what is allowed of a correction.
typedef struct flx_newton_rule {
    int most;      // iterations of a step
    double left;   // what may be left, (NEW-1)
    double trust;  // ... for which no better contraction than this is relied upon
    double floor;  // corrections up to this that shrink no more are rounding
    double noise;  // ... and up to this they say nothing of the contraction
    int enough;    // corrections in a row that are noise and halve nothing: no more can be had
    int patience;  // iterations with a linearisation of the step before a slow one is renewed
    bool gives_up; // what will not do in time ends at once: a smaller step is better
} flx_newton_rule;

typedef struct flx_newton {
    // set by the method
    flx_newton_rule rule;
    flx_newton_books *books;
    // set by `correct`, of this correction
    double size;
    bool is_noise; // all that can be solved is solved to rounding
    bool more;     // what it is judged by has only just begun
    // for the method
    int iterations; // made
    double last;    // size of the correction before; 0: none with these factors
    double rate;    // contraction, expected where it is not measured yet
    bool measured;
    int fresh;     // iterations with a linearisation of this step; -1: it is an older one
    bool stagnant; // solved as far as rounding lets it
    // of the judge
    double best;    // the smallest size, renewed where it is halved
    double slowest; // contraction in this step
    int since;      // corrections in a row that were noise, since the best was halved
    int noisy;      // ... that were noise and shrank no more
    int growing;    // ... that were twice the one before
    int hopeless;   // ... after which no end was in sight
} flx_newton;

// A method's part. A status above FLX_OK ends the iteration.
typedef struct flx_newton_steps {
    flx_status (*evaluate)(flx_integrator *it, const flx_state *x, flx_newton *n); // residual
    // A linearisation where there is none, and factors; it makes its own message.
    flx_status (*refresh)(flx_integrator *it, const flx_state *x, flx_newton *n);
    // Solves, measures and applies the correction.
    flx_status (*correct)(flx_integrator *it, const flx_state *x, flx_newton *n);
    // A linearisation that is slow is given up; NULL: nothing to be done.
    void (*renew)(flx_integrator *it, const flx_state *x, flx_newton *n);
    // A contraction with factors of this step. true: other factors are wanted.
    bool (*judge)(flx_integrator *it, const flx_state *x, flx_newton *n);
    // The message of a failure.
    flx_status (*diverged)(flx_integrator *it, flx_status status, flx_newton *n);
} flx_newton_steps;

flx_status flx_newton_solve(flx_integrator *it, const flx_state *x, const flx_newton_steps *steps,
                            flx_newton *n);

// For `refresh`: factors of a matrix of the step, with the message where it has none; counted.
flx_status flx_newton_factor(flx_integrator *it, flx_linear *lin, const flx_blocks *b,
                             const flx_weights *w);
// ... and all is new, for a step h.
void flx_newton_refreshed(flx_newton *n, double h);

// The linearisation is new: nothing is known of it.
void flx_newton_open_books(flx_newton_books *b);
// After a step that was solved. true: what the factors cost too much has paid for new ones.
bool flx_newton_keep_books(flx_newton_books *b, int iterations, int cost);
void flx_newton_pass_books(flx_newton_books *b, flx_memory *m);
