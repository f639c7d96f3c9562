// fmu_describe.h - what an FMU says of a compiled model: its variables, whatever version of FMI writes them down.
#pragma once

#include "flexion/run.h"
#include "fmi/base_unit.h"
#include "fmi/fmu_references.h"
#include "model/model_data.h"

#include <stdio.h>

typedef struct flx_fmu_variable {
    const char *name, *unit; // "": none
    const char *about;       // a sentence, or NULL
    unsigned reference;
    int kind;           // FLX_FMU_INPUT, ...
    double start;       // of inputs and parameters
    int group;          // of outputs: components of a vector from here on; 1: it stands alone
    const char *vector; // its name, where there are several
    double low, high;   // infinite: no bound
    bool apart; // of outputs: made of states and time alone, so that no input is seen in it at once
} flx_fmu_variable;

typedef struct flx_fmu_unit {
    const char *name;
    bool known; // what it is made of
    flx_base_unit base;
} flx_fmu_unit;

typedef struct flx_fmu_description {
    const char *title, *identifier; // a C identifier
    char guid[40];
    double stop, tolerance; // 0: the model does not say
    int nvariable;
    flx_fmu_variable *variables; // time first, then inputs, parameters, outputs
    bool cosimulation, exchange; // what it is for
    int nstate, nindicator;      // of model exchange
    bool follows_steps;          // ... which has to be told the ends of steps
    bool gives_rates;            // outputs have them, for co-simulation
    int nunit;
    flx_fmu_unit *units;
} flx_fmu_description;

// In the arena. run: at its start. cosimulation and exchange are set before.
flx_status flx_fmu_describe(flx_ctx *ctx, flx_arena *arena, const flx_system *s, flx_run *run,
                            flx_fmu_description *out);
// Whether no input is seen at once in the output at variable i, and those of its vector.
bool flx_fmu_is_apart(const flx_fmu_description *d, int i);
// XML text of FMI 2.0; malloc.
flx_status flx_fmu_write_xml2(flx_ctx *ctx, const flx_fmu_description *d, char **text,
                              size_t *length);
flx_status flx_fmu_write_xml3(flx_ctx *ctx, const flx_fmu_description *d, char **text,
                              size_t *length);
typedef void flx_fmu_put(FILE *f, const flx_fmu_description *d);
flx_status flx_fmu_write_xml(flx_ctx *ctx, const flx_fmu_description *d, flx_fmu_put *put,
                             char **text, size_t *length);
// Parts of both: attributes, <UnitDefinitions> to <DefaultExperiment>.
void flx_fmu_put_attribute(FILE *f, const char *name, const char *text);
void flx_fmu_put_number(FILE *f, const char *name, double x);
void flx_fmu_put_head(FILE *f, const flx_fmu_description *d);
const char *flx_fmu_kind_text(int kind); // the attributes that follow from the kind of a variable
// A text inside an attribute: signs of XML are written as entities.
void flx_fmu_put_text(FILE *f, const char *text);
