// particle_frames.h - places of particles in a result file:
//
//     /particles/t          (frames) times
//     /particles/start      (frames + 1) where the particles of each begin in the arrays
//     /particles/positions  (all, 3) float, /radii /speeds (all) float, /labels (all) int
//
// Their number may differ from frame to frame. While the run lasts they are in a scratch file.
#pragma once

#include "base/common.h"
#include "flexion/extend/sink_table.h"

#include <hdf5.h>
#include <stdio.h>

typedef struct flx_frame_spool {
    FILE *file; // owned; NULL: there are none
    int count, capacity;
    double *times; // (count) owned
    int *sizes;    // (count) owned
} flx_frame_spool;

flx_status flx_frame_spool_add(flx_frame_spool *s, flx_ctx *ctx, double t,
                               const flx_particle_frame *frame);
bool flx_frame_spool_put(flx_frame_spool *s, flx_ctx *ctx, hid_t file);
void flx_frame_spool_clear(flx_frame_spool *s);

// Times and sizes of a file that is read; the rest when it is asked for.
flx_status flx_result_read_frames(flx_result *r, hid_t file, const char *path);
