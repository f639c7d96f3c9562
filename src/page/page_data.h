// page_data.h - the data of results by themselves, for a page that asks for them.
#pragma once

#include "base/text.h"
#include "page/pages.h"

// As in a page, but for the page itself: {"header": {...}, "block": "...", "meshes": "..."}, in JSON. def->path is not
// used.
flx_status flx_page_put_data(flx_ctx *ctx, const flx_page_def *def, flx_text *t);
