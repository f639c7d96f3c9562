// flexion/checkpoint.h - runs that are cut off, and go on as if they had not been.
//
// While a run is kept, PATH.rows has the rows so far and PATH.checkpoint how far it has come, with what
// its method remembers. Both are removed when the run ends. A run that goes on from them has, bit for bit,
// the rows of one that was never cut off: on the same type of processor, with the same model and the same
// libraries. Methods of SUNDIALS (bdf, adams) begin again at order 1; a warning says so.
#pragma once

#include "flexion/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// Keep the run that comes next: a checkpoint every so many seconds of the wall clock. settings (nset): those
// that the model was read with. They and the path are copied.
FLX_API flx_status flx_simulation_keep(flx_simulation *sim, const char *path, double seconds,
                                       int nset, const char *const *settings);

// What PATH.checkpoint says of its run.
typedef struct flx_checkpoint flx_checkpoint;
FLX_API flx_status flx_checkpoint_open(flx_ctx *ctx, const char *path, flx_checkpoint **c);
FLX_API void flx_checkpoint_close(flx_checkpoint **c);
FLX_API const char *flx_checkpoint_model(const flx_checkpoint *c); // path of the model file
FLX_API int flx_checkpoint_settings(const flx_checkpoint *c, const char *const **settings);
FLX_API double flx_checkpoint_time(const flx_checkpoint *c);    // reached
FLX_API double flx_checkpoint_seconds(const flx_checkpoint *c); // between checkpoints

// The run that comes next goes on from the checkpoint: its sinks first get the rows so far. The simulation is
// of the same model with the same settings; FLX_ERR_ARGUMENT, with a message, where it is not, and then
// nothing has changed. The checkpoint is borrowed until the run ends.
FLX_API flx_status flx_simulation_resume(flx_simulation *sim, const flx_checkpoint *c);

#ifdef __cplusplus
}
#endif
