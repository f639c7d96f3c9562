// body_snapshots.c - displacements of a flexible body's nodes at the instants of a run: its coordinates times its shapes, as the
// result file has them for pictures.
#include "results/body_snapshots.h"
#include "flexion/results.h"

#include <math.h>
#include <string.h>

static const flx_scene_elastic *find_body(const flx_scene *s, const char *body)
{
    for (int i = 0; s && i < s->nbody; i++) {
        if (strcmp(s->bodies[i].name, body) == 0 && s->bodies[i].elastic)
            return s->bodies[i].elastic;
    }
    return NULL;
}

static flx_status take(flx_ctx *ctx, flx_arena *arena, const flx_result *r,
                       const flx_scene_elastic *e, const char *body, flx_loc loc,
                       flx_snapshots *out)
{
    int width = 0, rows = flx_result_rows(r);
    const float *motion = flx_result_motion(r, &width);
    const flx_result_mesh *m = e->mesh >= 0 ? flx_result_get_mesh(r, e->mesh) : NULL;
    if (!motion || !m || rows < 1 || e->motion < 0 || e->motion + m->nmode > width) {
        return FLX_FAIL(
            ctx, FLX_ERR_MODEL, loc,
            "the result has no mesh of '%s' and its motion: it is of a body from a mesh", body);
    }
    int every = 1 + (rows - 1) / FLX_MOST_SNAPSHOTS,
        step = 1 + (m->nnode - 1) / FLX_MOST_SNAPSHOT_NODES;
    int count = 1 + (rows - 1) / every, places = 1 + (m->nnode - 1) / step;
    int *label = flx_arena_take(arena, (size_t)places, sizeof *label);
    double *u = flx_arena_take(arena, 3 * (size_t)places * (size_t)count, sizeof *u);
    double *at = flx_arena_take(arena, 3 * (size_t)places, sizeof *at);
    if (!label || !u || !at) return FLX_ERR_MEMORY;
    *out = (flx_snapshots){.places = places, .label = label, .u = u, .at = at};
    for (int i = 0; i < places; i++) {
        label[i] = m->labels[i * step];
        for (int c = 0; c < 3; c++)
            at[3 * i + c] = (double)m->nodes[3 * (size_t)(i * step) + (size_t)c];
    }
    for (int k = 0; k < count; k++) {
        const float *q = motion + (size_t)k * (size_t)every * (size_t)width + e->motion;
        double *x = u + 3 * (size_t)places * (size_t)out->count;
        bool whole = true;
        for (int j = 0; j < m->nmode; j++) whole = whole && isfinite(q[j]);
        if (!whole) continue; // a row that the run did not reach
        for (int i = 0; i < 3 * places; i++) {
            size_t entry = 3 * (size_t)(i / 3 * step) + (size_t)(i % 3);
            double sum = 0;
            for (int j = 0; j < m->nmode; j++)
                sum += (double)q[j] * (double)m->modes[3 * (size_t)j * (size_t)m->nnode + entry];
            x[i] = sum;
        }
        out->count++;
    }
    return FLX_OK;
}

flx_status flx_body_snapshots_read(flx_ctx *ctx, flx_arena *arena, const char *path,
                                   const char *body, flx_loc loc, flx_snapshots *out)
{
    flx_result *r = NULL;
    flx_ctx *quiet = flx_ctx_create();
    if (!quiet) return FLX_ERR_MEMORY;
    flx_status status = flx_result_open(quiet, path, &r);
    if (status != FLX_OK) {
        const flx_message *why = flx_ctx_error(quiet, 0);
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the result '%s' cannot be read: %s", path,
                          why ? why->text : "no memory");
    }
    const flx_scene_elastic *e = status == FLX_OK ? find_body(flx_result_scene(r), body) : NULL;
    if (status == FLX_OK && !e)
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the result '%s' has no flexible body '%s'",
                          path, body);
    if (status == FLX_OK) status = take(ctx, arena, r, e, body, loc, out);
    flx_result_close(&r);
    flx_ctx_destroy(&quiet);
    return status;
}
