// linear_keys.h - what analyses of linear models know of their own: plain data in the model's arena.
#pragma once

#include "model/model_data.h"

// What goes in and what comes out.
typedef struct flx_io_keys {
    int nin, nout, nstate;
    int *inputs;         // (nin) of the model
    flx_column *outputs; // (nout)
    flx_column *states;  // (nstate) signals in the place of states; none: coordinates that are free
    bool closed;         // the loop stays closed: inputs are added to
} flx_io_keys;

// Where models along a motion are.
typedef struct flx_way_keys {
    double every; // s; 0: about one state
    double until; // s, along the run
    int along;    // number of an analysis whose motion it is; -1: the run
} flx_way_keys;

// What an analysis is of, where it is not the whole model: a flexible body, seen at its ports, or a linear block.
typedef struct flx_port_keys {
    int n;
    const char **names; // (n) interface and component, as in tip.z
    flx_loc *places;    // (n) in the model
} flx_port_keys;
typedef struct flx_of_keys {
    const char *name; // NULL: of the whole model
    flx_loc loc;
    bool body;        // a flexible one
    const char *held; // its interfaces that are held, as in "hub, tip"; NULL: it is free
    flx_port_keys in, out;
    int n, nin, nout;               // of a block: states, inputs, outputs
    double *A, *B, *C, *D;          // (n, n), (n, nin), (nout, n), (nout, nin), by rows
    const char **inputs, **outputs; // (nin), (nout) how they are called
} flx_of_keys;

typedef struct flx_linear_keys {
    flx_io_keys io;
    bool gramians;
    bool descriptor; // with its constraints, in the place of state space
    double until;    // of step and impulse responses; 0: none
    int count;
    flx_way_keys way;
} flx_linear_keys;

typedef struct flx_frequency_keys {
    flx_io_keys io;
    double from, to; // rad/s
    int count;
    bool linear; // spaced alike, not by factors
    bool refine;
    flx_of_keys of;
    bool direct; // of a body: one factorisation for each frequency
} flx_frequency_keys;

typedef struct flx_norms_keys {
    flx_io_keys io;
    double from, to; // rad/s, a band; to = 0: none
    flx_of_keys of;
} flx_norms_keys;

// Of an equilibrium that turns as a whole.
typedef struct flx_turning_keys {
    int joint;    // about whose axis
    double speed; // rad/s, of its second body against its first
} flx_turning_keys;

typedef struct flx_campbell_keys {
    const char *speed; // parameter
    double from, to;   // rad/s
    int count, modes;
    int norder;
    double *orders;
    bool rotating; // frequencies in axes that rotate
} flx_campbell_keys;

typedef struct flx_locus_keys {
    flx_io_keys io;
    const char *parameter; // NULL: the gain of u = -k y
    double from, to;
    int count;
    bool log;
} flx_locus_keys;

// Of analyses of type period-map.
typedef enum flx_period_find {
    FLX_FIND_NOTHING, // the map of the run as it is
    FLX_FIND_MOTION,  // the state from which the motion repeats itself
    FLX_FIND_PERIOD,  // ... and after which time
} flx_period_find;

typedef struct flx_period_keys {
    double period, from; // s
    int find;            // flx_period_find
} flx_period_keys;
