// libraries_instead.c - libraries that are left out of the one inside FMUs.
#include "base/common.h"
#include "base/memory_spare.h"
#include "flexion/fmi.h"
#include "results/body_file.h"
#include "results/result.h"

#include <stdlib.h>

// An FMU keeps nothing for threads, which may end after it was unloaded.
void *flx_spare_take(size_t bytes, size_t alignment)
{
    (void)bytes, (void)alignment;
    return NULL;
}

bool flx_spare_keep(void *block)
{
    (void)block;
    return false;
}

flx_status flx_result_read_hdf5(flx_result *r, const char *path)
{
    return FLX_FAIL(r->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s' is a result of HDF5, which cannot be read inside an FMU", path);
}

flx_status flx_fmu_read(flx_ctx *ctx, const char *path, flx_fmu_info **out)
{
    *out = NULL;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s' is an FMU, which does not run inside another one", path);
}

void flx_fmu_info_destroy(flx_fmu_info **info)
{
    *info = NULL;
}

flx_status flx_body_file_write(flx_ctx *ctx, const char *path, const flx_elastic *e,
                               const flx_body_origin *origin)
{
    (void)e, (void)origin;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "'%s': bodies cannot be written inside an FMU", path);
}

flx_status flx_body_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              flx_elastic **e, flx_body_origin *origin)
{
    (void)arena, (void)origin;
    *e = NULL;
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, loc,
                    "'%s' is a body of HDF5, which cannot be read inside an FMU", path);
}

// Nothing inside an FMU follows the environment.
char *getenv(const char *name)
{
    (void)name;
    return NULL;
}
