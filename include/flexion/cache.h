// flexion/cache.h - reduced bodies kept in a folder, so that each is reduced once (docs/guide/flexible_mesh.md). Files are named by
// all that a body is made of; they may be removed at any time.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// For all models that are read from now on, whatever their context; the folder is made where it is missing. NULL or "": none,
// as at first. Call it while no other thread reads a model. FLX_ERR_ARGUMENT: the name is too long.
FLX_API flx_status flx_cache_set(const char *folder);

#ifdef __cplusplus
}
#endif
