// body_snapshots.h - how a flexible body deformed in a run, from its result file.
#pragma once

#include "reduce/basis.h"

// At most so many instants, evenly among the rows, and nodes of the mesh.
#define FLX_MOST_SNAPSHOTS 400
#define FLX_MOST_SNAPSHOT_NODES 1500

// The body of this name, in the arena. loc: where the model names the file. FLX_ERR_MODEL: the file has no such body with a
// mesh, or nothing of its motion.
flx_status flx_body_snapshots_read(flx_ctx *ctx, flx_arena *arena, const char *path,
                                   const char *body, flx_loc loc, flx_snapshots *out);
