// fmu_steps.h - FMUs beside a run: at each strike of its clock an FMU takes the step up to now, along its inputs from the strike before, and its
// outputs are numbers of the equations until the next (docs/theory/exchange.md).
#pragma once

#include "flexion/fmi.h"
#include "model/fmu_data.h"

struct flx_simulation;
struct flx_memory;

typedef struct flx_fmu_guest {
    const flx_fmu_item *item;   // borrowed
    void *instance;             // owned; of the host
    bool started, moved, ended; // moved: beyond its first step
    double t;                   // of the last strike
    double *u;                  // (ninput) owned: inputs then
    double *work;               // (ninput + nvalue) owned: scratch
} flx_fmu_guest;

typedef struct flx_fmu_steps {
    flx_ctx *ctx;             // borrowed
    const flx_fmu_host *host; // borrowed
    double until;             // 0: not known
    int first;                // of discrete variables among the switches
    int n;
    flx_fmu_guest *guests; // (n) owned
} flx_fmu_steps;

// Instances of all FMUs of the model, not yet initialised.
flx_status flx_fmu_steps_begin(struct flx_simulation *sim, int first);
void flx_fmu_steps_destroy(flx_fmu_steps **steps);
// The strike of FMU i at t; D: discrete variables.
flx_status flx_fmu_step(flx_fmu_steps *s, int i, double t, double *D);
void flx_fmu_steps_memory(flx_fmu_steps *s, struct flx_memory *m);
