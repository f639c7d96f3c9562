// instance.h - one instance of an FMU, whatever version of FMI calls it: a run of the model among its resources.
//     resources.c   where they are, what the exporter noted
//     instance.c    life: read, compile, initialise, save and restore
//     fmu_values.c  variables by their references, derivatives
//     advance.c     co-simulation
//     output_rates.c  ... rates of outputs
//     fmu_states.c  model exchange
//     fmu_slopes.c  ... its derivatives
#pragma once

#include "fmi/fmu_references.h"
#include "simulate/run_parts.h"

typedef enum flx_fmu_mode {
    FLX_FMU_INSTANTIATED,
    FLX_FMU_INITIALISING,
    FLX_FMU_STEPPING,
    FLX_FMU_TERMINATED,
    FLX_FMU_FAILED, // the master may reset it, restore a state, or end it
} flx_fmu_mode;

typedef enum flx_fmu_level { FLX_FMU_NOTE_LEVEL, FLX_FMU_WARNING, FLX_FMU_ERROR } flx_fmu_level;
typedef void (*flx_fmu_log)(void *user, flx_fmu_level level, const char *text);

// What the exporter noted (resources.c).
typedef struct flx_fmu_note {
    char *text;              // owned
    const char *guid, *path; // of the model, in the file system; path owned
    int nset;
    const char **settings; // owned; of text
} flx_fmu_note;

typedef struct flx_fmu_exchange flx_fmu_exchange;

typedef struct flx_fmu {
    flx_fmu_log log;
    void *user;
    flx_ctx *ctx; // owned
    flx_fmu_note note;
    flx_fmu_mode mode;

    flx_system *system; // owned
    flx_run *run;       // owned
    int ninput, nparameter, noutput;
    double *start, *values; // (nparameter) owned: as the model says, as they are to be
    double *built;          // (nparameter) owned: those that the system was compiled with
    bool tuned;             // values are others than those of the run
    double *given;          // (3 ninput) owned: value, slope, curvature that were set ...
    int *ngiven;            // (ninput) owned: ... and how many of them; 0: none since the last step

    double tolerance;           // 0: the model's
    double stop;                // 0: not known
    flx_fmu_exchange *exchange; // owned; NULL: for co-simulation
    bool stopped;               // by an event: the motion has ended
    long events;                // that have happened
} flx_fmu;

// Messages so far go to the log. NULL: with a message in the log.
flx_fmu *flx_fmu_create(const char *guid, const char *resources, flx_fmu_log log, void *user);
void flx_fmu_destroy(flx_fmu *f);
flx_status flx_fmu_setup(flx_fmu *f, double tolerance, double start, double stop);
flx_status flx_fmu_initialise(flx_fmu *f); // begin
flx_status flx_fmu_begin(flx_fmu *f);      // end of initialisation
flx_status flx_fmu_reset(flx_fmu *f);
// A complaint of our own.
flx_status flx_fmu_refuse(flx_fmu *f, const char *format, ...) FLX_PRINTF(2, 3);
// Messages that the context has go to the log.
void flx_fmu_tell(flx_fmu *f);

// The run is that of the values set so far.
flx_status flx_fmu_settle(flx_fmu *f);
flx_status flx_fmu_get(flx_fmu *f, unsigned reference, double *out);
flx_status flx_fmu_set(flx_fmu *f, unsigned reference, double value);
// order 1 or 2, beside the value.
flx_status flx_fmu_set_slope(flx_fmu *f, unsigned reference, int order, double value);
flx_status flx_fmu_derive(flx_fmu *f, int nof, const unsigned *of, int nby, const unsigned *by,
                          const double *seed, double *out);

// Of n outputs, where the instance is (output_rates.c). Positive status: they are not known there.
flx_status flx_fmu_find_rates(flx_fmu *f, int n, const unsigned *of, double *out);

// From t (where the instance is) by h. early: return at events; *reached: where it is.
flx_status flx_fmu_advance(flx_fmu *f, double t, double h, bool early, double *reached);

// Model exchange: the instance keeps t and z, and settles on them when it is asked for what follows. create: after the
// instance; take: z of the run's state, once it is initialised.
flx_status flx_fmu_exchange_create(flx_fmu *f);
void flx_fmu_exchange_destroy(flx_fmu *f);
flx_status flx_fmu_exchange_take(flx_fmu *f);
flx_status flx_fmu_exchange_settle(flx_fmu *f);
void flx_fmu_exchange_set_time(flx_fmu *f, double t);
flx_status flx_fmu_exchange_set(flx_fmu *f, const double *z, size_t n);
typedef enum flx_fmu_part {
    FLX_FMU_OF_STATES,
    FLX_FMU_OF_RATES,
    FLX_FMU_OF_INDICATORS,
} flx_fmu_part;
flx_status flx_fmu_exchange_get(flx_fmu *f, flx_fmu_part part, double *out, size_t n);
flx_status flx_fmu_exchange_derive(flx_fmu *f, int nof, const unsigned *of, int nby,
                                   const unsigned *by, const double *seed, double *out);
// After a step of the other program. *instant: it has to enter event mode.
flx_status flx_fmu_exchange_accept(flx_fmu *f, bool *instant);
// *next: when something is known to happen; HUGE_VAL: nothing is.
flx_status flx_fmu_exchange_happen(flx_fmu *f, bool *changed, double *next);

// A saved state: one block.
typedef struct flx_fmu_state {
    size_t size; // of all of it
    uint32_t magic;
    int32_t mode, stopped;
    int64_t events;
    double tolerance, stop;
    size_t run;       // bytes of the run, behind the parameters
    double numbers[]; // values (nparameter), given (3 ninput), ngiven (ninput)
} flx_fmu_state;
flx_status flx_fmu_save(flx_fmu *f, flx_fmu_state **state); // malloc
flx_status flx_fmu_restore(flx_fmu *f, const flx_fmu_state *state);
// As bytes, and from them (malloc), where they are a state of this FMU.
flx_status flx_fmu_write_state(flx_fmu *f, const flx_fmu_state *state, void *bytes, size_t room);
flx_status flx_fmu_read_state(flx_fmu *f, const void *bytes, size_t size, flx_fmu_state **state);

// resources.c. URI or path of the folder. false: with a text of what is wrong in why.
bool flx_fmu_read_note(const char *resources, flx_fmu_note *note, char why[256]);
void flx_fmu_drop_note(flx_fmu_note *note);
