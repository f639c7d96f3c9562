// page_mesh.h - surfaces and meshes of results in a page, coarser where they would not fit.
#pragma once

#include "base/text.h"
#include "page/pages.h"

typedef struct flx_page_meshes {
    int nresult;
    flx_text *headers; // (nresult) owned: the entries "surfaces" and "meshes" of its header
    flx_text block;    // their numbers, packed; empty where there are none
    long points, kept; // of all of them: in the results, in the page
} flx_page_meshes;

// room: bytes that the block may take.
flx_status flx_page_meshes_make(flx_ctx *ctx, const flx_page_def *def, size_t room,
                                flx_page_meshes *out);
void flx_page_meshes_clear(flx_page_meshes *m);
