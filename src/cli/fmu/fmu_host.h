// fmu_host.h - an FMU that is run by the program: unpacked, loaded, driven. It is foreign code.
#pragma once

#include "cli/cli.h"

typedef struct cli_fmu cli_fmu;

// What differs between versions of the standard (fmu_host2.c, fmu_host3.c). Calls return false where the FMU has failed;
// it may have said why.
typedef struct cli_fmu_calls {
    bool (*load)(cli_fmu *f); // its functions; false: one is missing, which is told
    bool (*create)(cli_fmu *f);
    bool (*start)(cli_fmu *f, double tolerance, double stop); // begins and ends the initialisation
    bool (*set)(cli_fmu *f, int port, double value);
    bool (*set_slope)(cli_fmu *f, int port, double slope); // NULL: inputs have none
    bool (*get)(cli_fmu *f, int port, int n, double *out);
    bool (*step)(cli_fmu *f, double t, double h, double *reached, bool *ended);
    void (*destroy)(cli_fmu *f);
} cli_fmu_calls;
extern const cli_fmu_calls cli_fmu_calls2, cli_fmu_calls3;

struct cli_fmu {
    flx_fmu_info *info; // borrowed
    const cli_fmu_calls *calls;
    char folder[4096]; // "": not unpacked
    void *library, *instance;
    void *functions; // owned
};

// false: what is wrong was told. cli_fmu_close in any case.
bool cli_fmu_open(cli_fmu *f, flx_fmu_info *info);
void cli_fmu_close(cli_fmu *f);
// A function of the library; NULL: told.
void *cli_fmu_find(cli_fmu *f, const char *name);
