// functions.h - what is exported: functions of the inputs as lists of nodes, in no language yet.
#pragma once

#include "export/symbolic.h"
#include "flexion/export.h"

typedef enum flx_export_input {
    FLX_INPUT_T,
    FLX_INPUT_P,
    FLX_INPUT_Q,
    FLX_INPUT_V,
    FLX_INPUT_X,
    FLX_INPUT_U,
    FLX_INPUT_A,
    FLX_INPUT_LAM,
    FLX_INPUT_TAU,
    FLX_INPUT_M, // measures of a run
    FLX_INPUT_R, // residuals of implicit steps
    FLX_INPUT_G, // parts of their matrix
    FLX_INPUTS,
} flx_export_input;
extern const char *const flx_input_names[FLX_INPUTS]; // "t", "p", "q", ...

typedef struct flx_export_result { // an array, or a matrix by rows
    const char *name, *comment;
    int rows, columns; // columns 0: an array
    flx_node *nodes;
} flx_export_result;
#define FLX_RESULTS_MAX 12

typedef struct flx_function {
    const char *name, *comment;
    unsigned inputs; // bit of each
    int nresult;
    flx_export_result results[FLX_RESULTS_MAX];
} flx_function;

// A coordinate for the header.
typedef struct flx_name {
    const char *item, *part, *unit;
} flx_name;

#define FLX_FUNCTIONS_MAX 14

// Methods of batches of runs, as their text numbers them.
enum { FLX_BATCH_RK4, FLX_BATCH_DOPRI5, FLX_BATCH_MIDPOINT };

typedef struct flx_functions {
    flx_symbolic x;
    flx_export_options options;
    const char *name; // an identifier
    int n;
    flx_function f[FLX_FUNCTIONS_MAX];
    bool closed;                      // there are loops: forward dynamics solves for multipliers
    bool solve;                       // ... and is asked for
    flx_name *q, *v;                  // (nq) (nv)
    int nu, ny;                       // inputs from outside, outputs
    const flx_input_item **u;         // (nu)
    const flx_column **y;             // (ny)
    int nsilent;                      // outputs that cannot be written
    const char **silent;              // (nsilent) their names
    int np;                           // parameters that may change
    const flx_parameter **parameters; // (np)
    double *defaults;                 // (np)
    // Of batches of runs: single measures by their kinds and times, the numbers made of them, the method.
    int nmeasure, nnumber;
    int *kinds;      // (nmeasure) flx_measure_kind
    double *times;   // (nmeasure)
    int method;      // FLX_BATCH_...
    bool eliminates; // implicit steps by the elimination of the tree
    int nhoisted;    // numbers of parameters alone, behind these
} flx_functions;

// Of a leaf of the inputs, with its index in *index.
flx_export_input flx_input_of(const flx_functions *f, flx_leaf leaf, int *index);

// The messages name the model's items.
flx_status flx_functions_create(const flx_model *m, const flx_export_options *o, flx_functions *f);
void flx_functions_clear(flx_functions *f);

// function_names.c: an identifier from the name given, or from the model's file; what the coordinates of a link or a variable
// are called. NULL: no memory.
const char *flx_functions_make_name(const flx_functions *f, const flx_model *m);
flx_status flx_functions_name_link(const flx_symbolic *x, int link, flx_name *q, flx_name *v);
void flx_functions_name_variable(const flx_symbolic *x, int i, flx_name *q, flx_name *v);

// A further function, and room for an array that it gives (NULL: no memory).
flx_function *flx_functions_add(flx_functions *f, const char *name, const char *comment,
                                unsigned inputs);
flx_node *flx_functions_result(flx_functions *f, flx_function *to, const char *name, int n);

// ---- batch_functions.c: measures and metrics of runs; state: the inputs of all that moves ---------
flx_status flx_functions_add_batch(flx_functions *f, unsigned state);
// Which method the model asks for; the others are refused by name.
flx_status flx_functions_find_method(flx_functions *f);
// What is of parameters alone, and more than sums and products, is computed once a run: the function `prepare`.
flx_status flx_functions_hoist(flx_functions *f);
