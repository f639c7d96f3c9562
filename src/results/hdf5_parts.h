// hdf5_parts.h - inside of the HDF5 sink: hdf5_layout.c lays files out, hdf5.c fills them.
#pragma once

#include "base/output_file.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"
#include "results/particle_frames.h"
#include "results/result_format.h"

#include <hdf5.h>

#define FLX_HDF5_ITEM 256 // length of a joint's name in the ledger

// The entries of the ledger, numbered.
enum {
#define X(name) LEDGER_##name,
    FLX_LEDGER_NUMBERS(X) FLX_LEDGER_COUNTS(X)
#undef X
        FLX_HDF5_LEDGER
};

typedef struct flx_hdf5_sink {
    flx_sink base;
    flx_output *output;          // owned; files are laid out in its part
    int fd;                      // of the file in its place; -1: not begun
    const flx_result_info *info; // borrowed from begin to end
    long capacity, count;        // rows reserved, rows written
    size_t row_bytes, motion_bytes;
    float *motion; // (nmotion) owned: of the next row
    size_t state_bytes;
    double *state; // (nstate) owned: of the next row, or the last one
    bool has_state;
    // places in the file
    haddr_t rows_at, motion_at, states_at, ledger_at[FLX_HDF5_LEDGER], momentum_at,
        position_item_at, velocity_item_at;
    haddr_t *measure_at; // (nmetric) owned
    haddr_t stopped_by_at;
    char *copy; // COPY_BYTES, owned
    // events so far, owned: t, number, signals before, signals after
    double *events;
    int nevent, event_capacity; // events; doubles
    flx_frame_spool frames;     // of particles so far
    bool ends;                  // the file that is laid out is the last one
    int nsaid;                  // notes and errors that the file has
} flx_hdf5_sink;

// A complete file with `rows` rows reserved, at s->output->part; where things are goes to s.
flx_status flx_hdf5_lay_out(flx_hdf5_sink *s, long rows);
