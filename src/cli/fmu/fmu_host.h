// fmu_host.h - an FMU that is run by the program: unpacked, loaded, driven. It is foreign code.
//     fmu_host.c    the folder and the library; what it says
//     fmu_host2.c   FMI 2.0
//     fmu_host3.c   FMI 3.0
//     fmu_direct.c  FMUs of models (flx_fmu_host), in this process
//     fmu_remote.c  ... in processes of their own
#pragma once

#include "cli/cli.h"

typedef struct cli_fmu cli_fmu;

// What differs between versions of the standard (fmu_host2.c, fmu_host3.c). Calls return false where the FMU has failed;
// it may have said why.
typedef struct cli_fmu_calls {
    bool (*load)(cli_fmu *f); // its functions; false: one is missing, which is told
    bool (*create)(cli_fmu *f);
    // Begins and ends the initialisation; tolerance, stop 0: not known.
    bool (*start)(cli_fmu *f, double t, double tolerance, double stop);
    bool (*set)(cli_fmu *f, int port, double value);
    bool (*set_slope)(cli_fmu *f, int port, double slope); // NULL: inputs have none
    bool (*get)(cli_fmu *f, int port, int n, double *out);
    bool (*step)(cli_fmu *f, double t, double h, double *reached, bool *ended);
    bool (*get_slope)(cli_fmu *f, int port, double *out); // of an output
    bool (*save)(cli_fmu *f);                             // into `bytes`
    bool (*restore)(cli_fmu *f, const void *bytes, size_t size);
    void (*destroy)(cli_fmu *f);
    // Of model exchange, as in flx_fmu_host. Slopes of derivatives and outputs along one state or input, which the FMU gives.
    bool (*rows)(cli_fmu *f, double t, const double *x, const double *u, double *rows);
    bool (*along)(cli_fmu *f, int port, double *slopes);
    bool (*event)(cli_fmu *f, bool first, double t, double *x, const double *u, double *next,
                  bool *ended);
} cli_fmu_calls;
extern const cli_fmu_calls cli_fmu_calls2, cli_fmu_calls3;

struct cli_fmu {
    flx_fmu_info *info; // borrowed
    const cli_fmu_calls *calls;
    char folder[4096]; // "": not unpacked
    void *library, *instance;
    void *functions;      // owned
    char why[600];        // what it said of its last failure, or what is wrong with it; "": nothing
    unsigned char *bytes; // owned: of a saved state
    size_t size, room;
    bool exchange;       // for model exchange, with these inputs and outputs
    int nin, nout;
    const int *in, *out; // borrowed
};

// false: what is wrong is in `why`. cli_fmu_close in any case.
bool cli_fmu_open(cli_fmu *f, flx_fmu_info *info);
bool cli_fmu_open_exchange(cli_fmu *f, flx_fmu_info *info, int nin, const int *in, int nout,
                           const int *out);
void cli_fmu_close(cli_fmu *f);
// A function of the library; NULL: said.
void *cli_fmu_find(cli_fmu *f, const char *name);
void cli_fmu_say(cli_fmu *f, const char *format, ...) FLX_PRINTF(2, 3);
// What the FMU itself says: a warning is printed, an error kept.
void cli_fmu_hear(cli_fmu *f, bool error, const char *text);
bool cli_fmu_room(cli_fmu *f, size_t size); // for a saved state

// FMUs of models: flx_ctx_host_fmus(ctx, &cli_fmus). Each runs in a process of its own unless it is not to (fmu_remote.c).
extern const flx_fmu_host cli_fmus;
extern const flx_fmu_host cli_fmus_here; // always in this one (fmu_direct.c)
