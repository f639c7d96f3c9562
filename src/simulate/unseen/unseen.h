// unseen.h - functions of the time in the equations that change where no step looks: pulses that are much shorter than a
// step. Steps that a method chooses end in the middle of one, so that the method sees it; of steps that are given the ledger
// counts what they pass over.
#pragma once

#include "base/checkpoint_walk.h"
#include "simulate/simulation_parts.h"

// A function of the time in the equations.
typedef struct flx_unseen_function {
    flx_node node;
    flx_expression_use use;
    int number; // of a switch or a motion; -1: part of something
    bool tame;  // it has nothing narrower than itself
} flx_unseen_function;

// Of a model; no run changes it.
typedef struct flx_unseen_plan {
    int n, nwild; // wild ones and switches first
    flx_unseen_function *list;
    flx_program *program, *wild; // owned: of all, of the first nwild
    int nleaf, time;             // time: which leaf
    flx_leaf *leaves;            // (nleaf) owned
} flx_unseen_plan;

flx_status flx_unseen_plan_make(const flx_simulation *sim, flx_unseen_plan **made);
void flx_unseen_plan_destroy(flx_unseen_plan **made);

// What one run has passed over.
typedef struct flx_unseen_found {
    double missed_v, missed_x; // in velocities and states, by their scales
    double largest_x;          // state, by its scale
    double worst, t, step;     // the most in one step, near which time
    double away_step;          // of a motion that goes there and back
    int unknown;               // whose; -1: none
} flx_unseen_found;

// Of one run.
typedef struct flx_unseen {
    const flx_unseen_plan *plan;
    const flx_system *held_in; // a descriptor system: where leaves are
    flx_integrator *it;
    bool blind;                     // the method looks at neither end of a step
    double *in, *low, *high;        // (nleaf)
    double *scratch;                // of programs, and their bounds
    double *least, *most;           // (n)
    double *values;                 // (n) at many places
    double *range_low, *range_high; // (n) of what was seen so far
    double *rates;                  // (nv + nx) four times
    double *away, *away_at;         // (n) of motions: how far from what the steps see, and when
    flx_unseen_found found;
} flx_unseen;

// With the method of a simulation, which may be another one than before.
flx_status flx_unseen_create(flx_simulation *sim);
void flx_unseen_destroy(flx_unseen **made);
void flx_unseen_open(flx_unseen *u); // NULL: nothing
// After a step that was given.
flx_status flx_unseen_step(flx_simulation *sim);
// In proportion to the motion, with what is to be told of it.
double flx_unseen_close(const flx_simulation *sim);

// What the next steps add to.
void flx_unseen_memory(flx_unseen *u, flx_memory *m);

// ---- unseen_search.c ----------------------------------------------------------------------------

// Values of the functions at t; the first nwild alone where `wild`.
void flx_unseen_at(const flx_unseen *u, bool wild, double t, double *out);
// What they lie between from a to b, into u->least and u->most.
void flx_unseen_between(const flx_unseen *u, bool wild, double a, double b);
// Near which time from a to b function i leaves what it is at `places` equal ones, whose values are in u->values; HUGE_VAL: nowhere.
double flx_unseen_search(const flx_unseen *u, bool wild, int i, double a, double b, int places);
// Near which time from a to b the value of switch i, a function of the time alone, is first on the other side than that which
// the state holds; HUGE_VAL: nowhere.
double flx_unseen_change(const flx_unseen *u, int i, double a, double b, double side);
// Whether its bounds over an interval, in u->least and u->most, show that it stays what it is, or goes evenly from here to there.
bool flx_unseen_is_still(const flx_unseen *u, int i, double value);
bool flx_unseen_is_even(const flx_unseen *u, int i, double begin, double middle, double end);
#define FLX_UNSEEN_PLACES 65
