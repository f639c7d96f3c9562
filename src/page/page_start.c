// page_start.c - one position as data of the page, without a file: what a run shows before it begins.
#include "page/page_data.h"
#include "results/result.h"

#include <string.h>

#define MOST ((size_t)64 << 20) // bytes: it goes no further than to the page of this machine

static flx_status fill(flx_result *r, const flx_result_info *info, const flx_page_start *at)
{
    FLX_TRY(flx_result_reserve(r, 1, info->ncolumn + 1));
    r->names[0] = "t";
    r->units[0] = "s";
    r->data[0][0] = at->t;
    for (int c = 0; c < info->ncolumn; c++) {
        r->names[c + 1] = info->names[c];
        r->units[c + 1] = info->units[c];
        r->data[c + 1][0] = at->outputs[c];
    }
    r->motion = flx_alloc(r->ctx, (size_t)info->nmotion, sizeof *r->motion);
    if (!r->motion) return FLX_ERR_MEMORY;
    for (int k = 0; k < info->nmotion; k++) r->motion[k] = (float)at->motion[k];
    r->nmotion = info->nmotion;
    r->title = info->title;
    r->scene = info->scene;
    r->nmesh = info->nmesh;
    r->nsurface = info->nsurface;
    r->meshes = (flx_result_mesh *)info->meshes;
    r->surfaces = (flx_scene_surface *)info->surfaces;
    return FLX_OK;
}

flx_status flx_page_put_start(flx_ctx *ctx, const flx_result_info *info, const flx_page_start *at,
                              flx_text *t)
{
    static const char *const label = "start";
    flx_result *r;
    FLX_TRY(flx_result_create(ctx, &r));
    flx_status status = fill(r, info, at);
    const flx_page_def def = {.nresult = 1, .results = &r, .labels = &label, .limit = MOST};
    if (status == FLX_OK) status = flx_page_put_data(ctx, &def, t);
    flx_result_close(&r);
    return status;
}
