// table_file.h - functions given by a table: two columns of a CSV file.
#pragma once

#include "base/common.h"

// Two columns of a CSV file with one header line of names; separated by commas (or semicolons, or
// tabs), `#` begins a comment line. xcol, ycol: their names, or NULL for the first and the second.
// loc: the place in the model that names the file. x is strictly ascending, n >= 2; both arrays in
// the arena. A wrong line is an error at that line of the table.
flx_status flx_table_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                          const char *xcol, const char *ycol, int *n, double **x, double **y);
// The first two columns, where x may be there twice: a jump.
flx_status flx_table_read_steps(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                int *n, double **x, double **y);
