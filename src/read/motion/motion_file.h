// motion_file.h - recorded motions as tables: a column of times and named columns of values, in SI units and radians.
//
//     motion_text.c   .mot and .sto of OpenSim, .trc of markers
//     motion_bvh.c    .bvh of animation: channels of joints
//     motion_c3d.c    .c3d of motion capture: markers and analogue channels
//     motion_filter.c zero-phase low-pass filter
#pragma once

#include "base/common.h"

#define FLX_FILE_VALUES (1 << 27) // more numbers than this are a mistake

typedef struct flx_record {
    int n, ncolumn;     // rows; columns without the time
    const char **names; // (ncolumn) such as "knee_angle_r", "LASI.x", "Hips.Zrotation"
    double *t;          // (n) ascending
    double *values;     // (ncolumn n) column after column
} flx_record;

// Whether the name of a file ends like one of these.
bool flx_motion_is_file(const char *path);
// In the arena. loc: the place in the model that names the file. FLX_ERR_IO, FLX_ERR_MODEL (not such a file, with its
// line), FLX_ERR_MEMORY.
flx_status flx_motion_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                           flx_record *out);
// The column of that name; FLX_ERR_MODEL with the nearest name, or the names that there are.
flx_status flx_motion_find(flx_ctx *ctx, flx_arena *arena, const flx_record *m, const char *name,
                           flx_loc loc, int *column);

// ---- inside -----------------------------------------------------------------------------------------

flx_status flx_motion_read_text(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                bool markers, flx_record *out);
flx_status flx_motion_read_bvh(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               flx_record *out);
flx_status flx_motion_read_c3d(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               flx_record *out);
flx_status flx_motion_take(flx_arena *arena, int n, int ncolumn, flx_record *out);
// An angle that was written between -180 and 180 deg goes on: where it jumps by more than 270 deg it has not turned back.
void flx_motion_unwrap(flx_record *m, int column);

// ---- motion_filter.c ------------------------------------------------------------------------------------

// Butterworth's filter of second order, forwards and backwards: no shift in time, and at `frequency` (Hz) a factor of
// 1/sqrt(2) after both. y changes in place. FLX_ERR_MODEL: t not in equal steps, or the frequency not below half the rate.
flx_status flx_motion_filter(flx_ctx *ctx, flx_loc loc, int n, const double *t, double *y,
                             double frequency);
