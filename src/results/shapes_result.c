// shapes_result.c - shapes of a structure as a result file: what statics and modes found becomes a motion
// that pages and pictures show.
#include "base/common.h"
#include "base/refuse.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <math.h>
#include <string.h>

#define ROWS 40    // of one shape
#define LARGE 0.08 // displacement of a mode, part of the structure's extent
#define BODY FLX_SCENE_MOTION

static double extent(const flx_result_mesh *m)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < m->nnode; i++) {
            low = fmin(low, (double)m->nodes[3 * (size_t)i + k]);
            high = fmax(high, (double)m->nodes[3 * (size_t)i + k]);
        }
        square += (high - low) * (high - low);
    }
    return square > 0 ? sqrt(square) : 1;
}

// Modes have no size of their own: each is drawn as large as the others.
static double amplitude(const flx_result_mesh *m, int mode, double size)
{
    const float *u = m->modes + 3 * (size_t)mode * (size_t)m->nnode;
    double largest = 0;
    for (size_t i = 0; i < (size_t)m->nnode; i++, u += 3) {
        double x = (double)u[0], y = (double)u[1], z = (double)u[2];
        largest = fmax(largest, sqrt(x * x + y * y + z * z));
    }
    return largest > 0 ? LARGE * size / largest : 0;
}

static flx_status put_rows(flx_sink *s, const flx_result_mesh *m, double size,
                           const double *frequencies, double *motion)
{
    int shapes = frequencies ? m->nmode : 1;
    motion[3] = 1;
    for (int i = 0; i <= shapes * ROWS; i++) {
        int mode = i < shapes * ROWS ? i / ROWS : shapes - 1;
        double part = (double)(i - mode * ROWS) / ROWS;
        memset(motion + BODY, 0, (size_t)m->nmode * sizeof *motion);
        // what is seen first is the shape, or the whole load, and not the structure at rest
        double swing = cos(2 * FLX_PI * part), load = (1 + swing) / 2;
        motion[BODY + mode] = frequencies ? amplitude(m, mode, size) * swing : load;
        const double row[2] = {frequencies ? mode + 1.0 : load,
                               frequencies ? frequencies[mode] : (double)NAN};
        FLX_TRY(s->type->motion(s, motion));
        FLX_TRY(s->type->row(s, mode + part, row));
    }
    return FLX_OK;
}

static flx_status write_result(flx_ctx *ctx, const flx_shapes_def *def, const flx_scene *scene,
                               double *motion)
{
    static const char *const names[2] = {"mode", "frequency"}, *const units[2] = {"", "Hz"};
    static const char *const part[1] = {"part of the load"};
    const bool modes = def->frequencies != NULL;
    const flx_ledger ledger = {.status = FLX_OK, .balanced = 1};
    const flx_result_info info = {.title = def->title,
                                  .model_path = def->model_path,
                                  .model_text = def->model_text,
                                  .version = flx_version(),
                                  .method = modes ? "modes" : "statics",
                                  .formulation = "none",
                                  .settings = "none",
                                  .ncolumn = modes ? 2 : 1,
                                  .names = modes ? names : part,
                                  .units = units,
                                  .rows = (modes ? def->mesh->nmode : 1) * ROWS + 1,
                                  .scene = scene,
                                  .nmotion = BODY + def->mesh->nmode,
                                  .nmesh = 1,
                                  .meshes = def->mesh};
    flx_sink *s = NULL;
    FLX_TRY(flx_hdf5_sink_create(ctx, def->path, &s));
    flx_status status = s->type->begin(s, &info);
    if (status == FLX_OK) status = put_rows(s, def->mesh, scene->size, def->frequencies, motion);
    if (status == FLX_OK) status = s->type->end(s, &ledger);
    flx_sink_destroy(&s);
    return status;
}

flx_status flx_shapes_write(flx_ctx *ctx, const flx_shapes_def *def)
{
    if (!ctx || !def || !def->mesh || !def->path) return flx_refuse_null(ctx, __func__);
    const flx_scene_elastic elastic = {.motion = BODY};
    flx_scene_body body = {.name = "structure", .place = 1};
    const flx_scene scene = {.dimension = 3,
                             .size = extent(def->mesh),
                             .nbody = 1,
                             .bodies = &body,
                             .nelastic = 1,
                             .elastics = &elastic};
    double *motion = flx_alloc(ctx, BODY + (size_t)def->mesh->nmode, sizeof *motion);
    if (!motion) return FLX_ERR_MEMORY;
    flx_status status = write_result(ctx, def, &scene, motion);
    flx_free(motion);
    return status;
}
