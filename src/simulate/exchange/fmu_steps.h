// fmu_steps.h - FMUs beside a run: at each strike of its clock an FMU takes the step up to now, along its inputs from the strike before, and its
// outputs are numbers of the equations until the next (docs/theory/exchange.md).
#pragma once

#include "flexion/fmi.h"
#include "model/fmu/fmu_data.h"

struct flx_simulation;
struct flx_memory;

typedef struct flx_fmu_guest {
    const flx_fmu_item *item;   // borrowed
    void *instance;             // owned; of the host
    bool started, moved, ended; // moved: beyond its first step
    double t;                   // of the last strike
    double *u;                  // (ninput) owned: inputs then
    double *work;               // (ninput + nvalue) owned: scratch
    double *missed, *least; // (nvalue) of outputs, owned: how far off they were; before that grew
    bool told;              // that they are off by ever more
    double mode; // of model exchange: what its events have made of it; 0: it has not begun
    int state;   // ... number of its first state
    int *ports;  // (settings) owned: scratch
    double *values;
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
// The strike of the clock of an FMU at t, of one for model exchange an event; D: discrete variables, x: states; h: what it does
// to the motion.
struct flx_event_report;
struct flx_event;
flx_status flx_fmu_step(flx_fmu_steps *s, const struct flx_event *event, double t, double *D,
                        double *x, struct flx_event_report *h);
// Why functions of FMUs had no value, where a run has failed.
void flx_fmu_steps_tell(flx_fmu_steps *s);
void flx_fmu_steps_memory(flx_fmu_steps *s, struct flx_memory *m);
