// vtk.h - files of VTK, which ParaView and others show: XML, then the numbers as they are in memory.
#pragma once

#include "base/output_file.h"

#include <stdio.h>

typedef struct flx_vtk {
    flx_ctx *ctx;
    flx_output *output;
    FILE *file;      // its stream
    uint64_t offset; // of the next array in the appended data
} flx_vtk;

// kind: "PolyData", "UnstructuredGrid". FLX_ERR_IO.
flx_status flx_vtk_open(flx_ctx *ctx, const char *path, const char *kind, flx_vtk *w);
// Name an array; those named come later in the same order. type: "Float32", "Int64", ...
void flx_vtk_declare(flx_vtk *w, const char *type, const char *name, int components,
                     uint64_t bytes);
// Ends the text. Then every array: flx_vtk_begin_array, and its numbers by fwrite.
void flx_vtk_begin_data(flx_vtk *w, const char *kind);
void flx_vtk_begin_array(flx_vtk *w, uint64_t bytes);
void flx_vtk_array(flx_vtk *w, uint64_t bytes, const void *values); // both
// FLX_ERR_IO when it could not be written whole.
flx_status flx_vtk_close(flx_vtk *w);

// A series in time, as a text that names its files (.pvd); file: any name, escaped here.
void flx_vtk_begin_series(FILE *f);
void flx_vtk_put_series(FILE *f, double t, int part, const char *file);
void flx_vtk_end_series(FILE *f);
