// compare_methods.h - the inside of a study: what its files share.
#pragma once

#include "flexion/study.h"
#include "simulate/simulation_parts.h"

// A set of numbers that is compared as one.
typedef enum flx_method_group_kind {
    FLX_GROUP_POSITIONS, // along the chart
    FLX_GROUP_VELOCITIES,
    FLX_GROUP_STATES,      // x and w
    FLX_GROUP_MULTIPLIERS, // lambda and mu
    FLX_GROUP_SIGNALS      // columns of the outputs
} flx_method_group_kind;

typedef struct flx_method_group {
    const char *name;
    flx_method_group_kind kind;
    int n;        // numbers
    int *columns; // (n) of the outputs; arena
    int first;    // of its numbers in a sample
    double size;  // largest value of the reference
    double doubt; // of the reference
} flx_method_group;

struct flx_study {
    flx_ctx *ctx;                // borrowed
    flx_simulation *sim;         // owned
    flx_integrator *it;          // of the row that runs
    flx_arena *arena;            // owned: names, rows, samples
    flx_study_def def;           // its arrays are copied
    flx_integrator_def *methods; // (nmethod)
    double until;
    int ngroup;
    flx_method_group *groups;
    int nsample; // numbers of one sample: positions as q
    int ntime;
    double *times;     // (ntime) where errors are taken, without the start
    double *reference; // (ntime x nsample)
    const char *reference_name;
    int nrow;
    flx_study_row *rows;
    double *theta;  // (nv) scratch
    double *sample; // (nsample) scratch
};

// The numbers of a state: those of each group one after the other.
flx_status flx_study_sample(flx_study *s, const flx_state *x, double *out);
// Largest difference of the group between two samples.
double flx_study_difference(flx_study *s, const flx_method_group *g, const double *a,
                            const double *b);
// compare_methods_reference.c: times and reference are filled, and what the groups need of it.
flx_status flx_study_find_reference(flx_study *s);
