// load_path.h - the inside of load_path.c and load_path_critical.c: one step along a load path.
#pragma once

#include "analyse/rest.h"

typedef struct flx_path_place { // an equilibrium on the path
    flx_state *x;               // owned
    double factor;
    double *t;       // (n) direction of the path; owned
    double t_factor; // of the factor; t is of length 1 where the path goes by its length
    double test;     // (STA-6) changes its sign where the tangent is singular
    int negative;    // directions that give way; -1: not known
    int sign;        // of the determinant of the tangent; 0: not known
} flx_path_place;

typedef struct flx_path {
    flx_rest e;
    const flx_path_def *def;
    double range;     // |to - from|
    bool arc;         // by its length; else by the factor
    double *slope;    // (n) of the residual by the factor
    double *shift;    // (n) answer to it
    double *probe;    // (n) of the test
    double *block;    // owned; the arrays above
    double corrected; // by the last step: largest moves, summed
    int iterations;   // of the last step
    flx_path_report *report;
} flx_path;

// From a place along its direction by the length (or factor) ds; FLX_NO_CONVERGENCE: none was found there.
flx_status flx_path_step(flx_path *p, const flx_path_place *from, double ds, flx_path_place *to);
// The direction at a place whose factors are fresh, onwards from a direction before (NULL: towards `to`);
// and the test.
flx_status flx_path_direct(flx_path *p, const flx_path_place *before, flx_path_place *at);
// Whether the tangent was singular between two places: by the directions that give way, where they are not
// known by the determinant, and where that is not known by the test.
static inline bool flx_path_has_changed(const flx_path_place *a, const flx_path_place *b)
{
    if (a->negative >= 0 && b->negative >= 0) return a->negative != b->negative;
    if (a->sign != 0 && b->sign != 0) return a->sign != b->sign;
    return a->test * b->test < 0.0;
}
// Whether the load factor turns back between two places: a limit point, whatever the tangent says.
static inline bool flx_path_has_turned(const flx_path_place *a, const flx_path_place *b)
{
    return a->t_factor * b->t_factor < 0.0;
}
// Places between two where the tangent is singular, the limit point where there is one: at most one is found.
// *found: it is at `at`, whose direction is the singular one.
flx_status flx_path_find_critical(flx_path *p, const flx_path_place *from, double ds,
                                  const flx_path_place *to, flx_path_place *at, bool *found);
// The place with the given factor between `from` and `to`, which is ds behind it: into `to`.
flx_status flx_path_find_factor(flx_path *p, const flx_path_place *from, double ds, double factor,
                                flx_path_place *to);
