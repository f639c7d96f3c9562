// plot_tables.h - drawings of tables that analyses write: Bode, Nyquist, Nichols, poles, Campbell, root loci, fits.
#pragma once

#include "cli/cli.h"
#include "draw/drawings.h"

typedef enum cli_table_plot {
    CLI_PLOT_SIGNALS, // no table
    CLI_PLOT_BODE,
    CLI_PLOT_NYQUIST,
    CLI_PLOT_NICHOLS,
    CLI_PLOT_POLES,
    CLI_PLOT_CAMPBELL,
    CLI_PLOT_LOCUS,
    CLI_PLOT_STEP,
    CLI_PLOT_IMPULSE,
    CLI_PLOT_FIT, // the last
} cli_table_plot;

// files: tables of one kind, drawn together; of poles and loci, zeros too. orders: rays of a Campbell diagram, or NULL.
int cli_plot_tables(flx_ctx *ctx, cli_table_plot kind, int nfile, const char *const *files,
                    const char *orders, const flx_plot_def *def);
