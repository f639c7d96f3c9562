// print.h - a page of HTML as a PDF file, by a browser.
#pragma once

#include "base/common.h"

// FLX_ERR_UNAVAILABLE where no browser is found: Chromium, or the program that FLEXION_BROWSER names.
flx_status flx_print_pdf(flx_ctx *ctx, const char *html, const char *pdf);
