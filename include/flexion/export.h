// flexion/export.h - the equations of a mechanism as source text that needs no Flexion.
#pragma once

#include "flexion/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum flx_export_language {
    FLX_EXPORT_C,      // C99
    FLX_EXPORT_PYTHON, // plain Python 3
    FLX_EXPORT_OCTAVE, // Octave and MATLAB
    FLX_EXPORT_LATEX,  // a document
    FLX_EXPORT_BATCH,  // C and CUDA: many runs at once, with the steps of the model and its metrics
} flx_export_language;

// Zero in every field but the language is a fair choice.
typedef struct flx_export_options {
    flx_export_language language;
    const char *name;      // of the equations in the text; NULL: after the model's file
    const char *functions; // "forward,mass": only these; NULL: all
    int limit;             // operations of one function at most; 0: 200000
    // The same model by flx_model_read_open: its parameters may then be changed in the text; NULL:
    // they are numbers.
    const flx_model *open;
} flx_export_options;

// Write forward dynamics, inverse dynamics, mass matrix, linearisation and, where there are loops,
// closures of a model in the coordinates of its joints; inputs of the model are arguments, and its outputs have a function with
// their derivatives. path: "-" is the standard output.
// FLX_ERR_CANNOT and a message with place for what cannot be exported.
FLX_API flx_status flx_model_export(const flx_model *model, const flx_export_options *options,
                                    const char *path);

#ifdef __cplusplus
}
#endif
