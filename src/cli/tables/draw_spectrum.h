// draw_spectrum.h - spectra of signals of a result: told, as a table, as a drawing.
#pragma once

#include "cli/cli.h"

typedef struct cli_spectrum_options {
    const char *command;
    flx_signal_spectrum_def def;
    double from, until; // of the run
    bool density;       // drawn in the place of amplitudes
    const char *speed;  // signal, rad/s: orders take the place of frequencies; NULL: none
    int norder;         // followed along the run; 0: none
    const double *orders;
    const char *table, *drawing; // files; NULL: none
    int width, height;
    bool quiet; // nothing is told but the names of files
} cli_spectrum_options;

int cli_spectra(flx_ctx *ctx, const char *path, int nsignal, const char *const *signals,
                const cli_spectrum_options *o);
