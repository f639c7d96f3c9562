// table.h - a random model read, run, and its signals in the axes and units of the model that it is a
// copy of.
#pragma once

#include "flexion/flexion.h"
#include "spec.h"

typedef enum signal_kind {
    SIGNAL_ENERGY,
    SIGNAL_POSITION,
    SIGNAL_VELOCITY,
    SIGNAL_AXIS,
    SIGNAL_ANGLE, // of a planar body
    SIGNAL_SPIN,
    SIGNAL_JOINT_ANGLE,
    SIGNAL_JOINT_SLIDE,
    SIGNAL_JOINT_RATE,
    SIGNAL_VARIABLE,
    SIGNAL_ACCELERATION,
    SIGNAL_REACTION,
    SIGNAL_GAP,    // of a contact
    SIGNAL_PRESS,  // its normal force; the force of a line
    SIGNAL_RATIO,  // a state of a muscle
    SIGNAL_MOMENT, // of a joint, as its reaction
    SIGNAL_DRIVE,  // of a motion
    SIGNAL_KINDS
} signal_kind;

typedef struct signal {
    char name[32];
    signal_kind kind;
    int item; // body, joint or variable
    int part; // of axes
} signal;

#define SIGNALS 160
int list_signals(const spec *s, bool reactions, signal *list); // how many

typedef struct table {
    int status; // of the library
    char message[256];
    bool started; // the model was read and a simulation made
    int freedoms, redundant;
    bool shared;     // sticking contacts and joints share forces, in one way of many
    bool unfollowed; // steps are too long, as was told
    bool limits;     // accelerations and forces are limits: beside what has no mass
    int rows, nsignal;
    signal signals[SIGNALS];
    int first[SIGNALS + 1]; // column of each signal
    double *x;              // (rows x columns)
    double seconds;
} table;

// s: the copy; v: how it is seen. reactions: they are among the signals.
void table_run(const spec *s, const view *v, const method *m, int rows, bool reactions, table *out);
void table_clear(table *t);
// A model from its text, with its meshes: a status of the library.
int read_model(const spec *s, flx_ctx *ctx, const char *text, flx_model **model);

// The largest difference of two tables relative to the size of signals of its kind; *worst: which.
// kinds: bits of kinds that count.
// The motion from a row on, as a run of its own would have it.
void table_from(const table *t, int row, table *out);
// Coordinates count from the first row, where those of another drawing do.
void table_count_joints(table *t);
// The value of a signal in a row: its columns. NULL: there is none.
const double *table_value(const table *t, signal_kind kind, int item, int part, int row);

double table_difference(const table *a, const table *b, unsigned kinds, int *worst);
