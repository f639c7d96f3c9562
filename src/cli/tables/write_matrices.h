// write_matrices.h - matrices and tables that an analysis found, in files that other programs read.
#pragma once

#include "cli/cli.h"

// kind: "mat" (one MAT-file of level 4, which MATLAB, Octave and scipy.io.loadmat read), "h5" (HDF5, under
// /analyses/NAME) or "mtx" (Matrix Market, one file each). Files are named after the model and the analysis.
bool cli_is_matrix_kind(const char *kind);
flx_status cli_write_matrices(flx_ctx *ctx, const char *model, const char *name, const char *kind,
                              const flx_finding *f);
