// text.h - a text that grows, and JSON in it.
#pragma once

#include "base/common.h"

// After a failure (no memory) the rest does nothing; `failed` tells it.
typedef struct flx_text {
    flx_ctx *ctx;
    char *data; // owned; 0-terminated once something was put
    size_t length, capacity;
    bool failed;
} flx_text;

void flx_text_start(flx_text *t, flx_ctx *ctx);
void flx_text_clear(flx_text *t);
void flx_text_put(flx_text *t, const char *text);
void flx_text_put_bytes(flx_text *t, const void *bytes, size_t n);
void flx_text_print(flx_text *t, const char *format, ...) FLX_PRINTF(2, 3);

// A JSON string with its quotes; '<' is escaped too, so that it may stand inside HTML. Bytes that
// are not UTF-8 become U+FFFD. NULL: "".
void flx_text_put_string(flx_text *t, const char *text);
// A number of the shortest form that reads back the same; null where it is not finite.
void flx_text_put_number(flx_text *t, double x);
void flx_text_put_numbers(flx_text *t, int n, const double *x); // [x, ...]
