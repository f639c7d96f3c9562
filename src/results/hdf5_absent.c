// hdf5_absent.c - what is kept in files of HDF5, where the program is built without it: results are tables of text then.
#include "flexion/simulation.h"
#include "results/body_file.h"
#include "results/result.h"

#define WITHOUT "flexion is built without HDF5: install the package libhdf5-dev and build again"

static flx_status refuse(flx_ctx *ctx, flx_loc loc, const char *path, const char *instead)
{
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, loc, "'%s': " WITHOUT "%s", path, instead);
}

// ---- results --------------------------------------------------------------------------------------

flx_status flx_hdf5_sink_create(flx_ctx *ctx, const char *path, flx_sink **s)
{
    *s = NULL;
    return refuse(ctx, FLX_NOWHERE, path,
                  ", or write a table of text, as `flexion run --csv` does");
}

flx_status flx_result_read_hdf5(flx_result *r, const char *path)
{
    return refuse(r->ctx, FLX_NOWHERE, path, "");
}

int flx_result_frames(const flx_result *r)
{
    (void)r;
    return 0;
}

flx_status flx_result_particles(flx_result *r, int i, double *t, flx_particle_frame *out)
{
    (void)i, (void)t, (void)out;
    return refuse(r->ctx, FLX_NOWHERE, "particles", "");
}

flx_status flx_finding_write(flx_ctx *ctx, const char *path, const char *name, const flx_finding *f)
{
    (void)name, (void)f;
    return refuse(ctx, FLX_NOWHERE, path, "");
}

// ---- many runs in one file ------------------------------------------------------------------------

flx_status flx_series_create(flx_ctx *ctx, const char *path, int first, int end, flx_series **s)
{
    (void)first, (void)end;
    *s = NULL;
    return refuse(ctx, FLX_NOWHERE, path, "");
}

// There is none that could be given here.
flx_status flx_series_sink(flx_series *s, int run, flx_sink **sink)
{
    (void)s, (void)run;
    *sink = NULL;
    return FLX_ERR_UNAVAILABLE;
}

flx_status flx_series_close(flx_series **s, flx_status how)
{
    (void)s;
    return how;
}

flx_status flx_series_join(flx_ctx *ctx, const char *path, int runs, int chunk, int n,
                           const char *const *files, int pack)
{
    (void)runs, (void)chunk, (void)n, (void)files, (void)pack;
    return refuse(ctx, FLX_NOWHERE, path, "");
}

// ---- bodies ---------------------------------------------------------------------------------------

flx_status flx_body_file_write(flx_ctx *ctx, const char *path, const flx_elastic *e,
                               const flx_body_origin *origin)
{
    (void)e, (void)origin;
    return refuse(ctx, FLX_NOWHERE, path, "");
}

flx_status flx_body_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              flx_elastic **e, flx_body_origin *origin)
{
    (void)arena, (void)origin;
    *e = NULL;
    return refuse(ctx, loc, path, "");
}
