// fmu_data.h - an FMU among the items of a model: which variables of it are what, and where the numbers are that it exchanges with the equations.
#pragma once

#include "base/common.h"

struct flx_fmu_info;
struct flx_fmu_live;

typedef struct flx_fmu_setting {
    int port;
    double value;
} flx_fmu_setting;

typedef struct flx_fmu_item {
    const char *name;
    flx_loc loc;
    struct flx_fmu_info *info; // owned by the model
    bool isolated;             // in a process of its own
    bool linear;               // outputs go on with their slopes from one exchange to the next
    double tolerance;          // relative, of its own method; 0: its own
    int nset;
    flx_fmu_setting *settings; // parameters and starts, before it begins
    int ninput, noutput;
    int *inputs, *outputs; // numbers of ports
    int nvalue;            // numbers of all outputs: of arrays several
    // numbers of the first discrete variables: inputs (ninput); values and slopes of outputs (nvalue); time of the exchange.
    int u, y, slope, at; // slope and at are -1: values are held
    // Of model exchange: its functions, owned, with the info; numbers of the discrete variables of its mode and of the time of
    // its next event; the name of its first state.
    struct flx_fmu_live *live;
    int mode, next;
    const char *state;
} flx_fmu_item;
