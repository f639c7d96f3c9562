// live.h - a run in real time, driven from the page: one system, its run, and what has been set so far, so that the motion can
// go on when the system is made anew.
#pragma once

#include "studio/work.h"

#define FLX_LIVE_NAME 128

typedef struct flx_live {
    const flx_chore *chore;
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    flx_run *run;
    char method[64], formulation[32]; // of the first system: those that come after it are alike
    int ninput, nparameter;           // of the model itself
    bool *set_inputs, *set_parameters;
    double *inputs, *parameters; // owned: what they were set to
    char pulled[FLX_LIVE_NAME];  // body that a spring can pull; "": none
    double stiffness;            // of the spring
    double until;                // clock: what computes longer is interrupted there
    // what was saved: as a block, and as a state
    void *block;
    size_t nblock;
    double *state, saved_t;
    // a result that is being written, and the run whose info it has
    flx_sink *record;
    flx_run *first_run;
    flx_system *first_system;
} flx_live;

flx_status flx_live_open(const flx_chore *chore, flx_live *l);
void flx_live_close(flx_live *l);

flx_status flx_live_set_input(flx_live *l, const char *name, double value);
// The motion goes on from where it is, made consistent; a value that cannot be is taken back.
flx_status flx_live_set_parameter(flx_live *l, const char *name, double value);
// Times of a result ascend: back to an earlier one ends what is recorded.
flx_status flx_live_reset(flx_live *l);
flx_status flx_live_save(flx_live *l);
flx_status flx_live_restore(flx_live *l);
// A spring with a damper from a place of the body, in its frame, to one of the ground; it slackens with `at` NULL.
flx_status flx_live_grab(flx_live *l, const char *body, const double at[3]);
flx_status flx_live_pull(flx_live *l, const double *to);
// Rows go to a result file beside the model from here on; with the next call it ends.
flx_status flx_live_record(flx_live *l, const char *path);
flx_status flx_live_put_row(flx_live *l);
