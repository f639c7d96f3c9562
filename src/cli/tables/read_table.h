// read_table.h - tables that analyses write, in memory.
#pragma once

#include "cli/cli.h"

// A table of numbers with named columns.
typedef struct cli_table {
    int nrow, ncolumn;
    char **names;   // (ncolumn) owned
    double *values; // (ncolumn x nrow) by columns; owned
} cli_table;

// Complains, and gives false, where the file cannot be read.
bool cli_read_table(const char *command, const char *path, cli_table *t);
void cli_clear_table(cli_table *t);

const double *cli_column(const cli_table *t, int k);
int cli_find_column(const cli_table *t, const char *name); // -1: none
