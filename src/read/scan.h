// scan.h - numbers and words of a text with their lines, for readers of meshes and matrices.
#pragma once

#include "base/common.h"

typedef struct flx_scan {
    flx_ctx *ctx;
    const char *file; // interned
    const char *at, *end;
    int line; // of `at`, from 1
} flx_scan;

// The whole file in the arena.
flx_status flx_scan_open(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                         flx_scan *scan);
flx_loc flx_scan_loc(const flx_scan *scan);
// Past blanks and line ends; false at the end of the text.
bool flx_scan_skip(flx_scan *scan);
// The next number, wherever line ends are; what: for the message ("a node's number").
flx_status flx_scan_int(flx_scan *scan, const char *what, int *out);
flx_status flx_scan_number(flx_scan *scan, const char *what, double *out);
// The rest of the line, without its end and blanks around it; false at the end of the text. The text is
// not 0-terminated.
bool flx_scan_line(flx_scan *scan, const char **text, int *length);
// The numbers of a piece of text, all of it; false when it is something else.
bool flx_text_int(const char *text, int length, int *out);
bool flx_text_number(const char *text, int length, double *out);
// Text of a message: at most 40 characters of a piece.
const char *flx_text_quote(const char *text, int length, char buffer[64]);

// Room for `need` items in an array that grows; returns from the function where there is none.
#define FLX_SCAN_GROW(r, array, capacity, need)                                                    \
    do {                                                                                           \
        void *array_ = (array);                                                                    \
        flx_status grown_ =                                                                        \
            flx_grow((r)->scan->ctx, &array_, &(capacity), (need), sizeof *(array));               \
        (array) = array_;                                                                          \
        if (grown_ != FLX_OK) return grown_;                                                       \
    } while (0)
