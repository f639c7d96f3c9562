// page_data.h - the data of results by themselves, for a page that asks for them.
#pragma once

#include "base/text.h"
#include "page/pages.h"

// As in a page, but for the page itself: {"header": {...}, "block": "...", "meshes": "..."}, in JSON. def->path is not
// used.
flx_status flx_page_put_data(flx_ctx *ctx, const flx_page_def *def, flx_text *t);

// The same of one position, as a run begins: the scene of the information moved by `motion`, and the signals there.
typedef struct flx_page_start {
    double t;
    const double *motion, *outputs; // (nmotion), (ncolumn)
} flx_page_start;
flx_status flx_page_put_start(flx_ctx *ctx, const flx_result_info *info, const flx_page_start *at,
                              flx_text *t);
