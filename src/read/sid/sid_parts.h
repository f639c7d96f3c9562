// sid_parts.h - files of Standard Input Data line by line: what sid_read.c reads them with.
#pragma once

#include "read/sid/sid_file.h"

typedef struct flx_sid_lines {
    flx_ctx *ctx;
    const char *file;
    const char *at, *end; // what has not been read
    int number;           // of the present line
    bool header;          // lines that begin with '!' are text, not comments
    char *line;           // single spaces; NULL: the text has ended
    char *key;            // what stands left of '=', or the whole line
    char *value;          // right of '='; NULL: no '='
    int column, value_column;
    char *room; // owned: holds the three
    int capacity;
} flx_sid_lines;

// The next line that is neither empty nor a comment.
flx_status flx_sid_next(flx_sid_lines *p);
flx_loc flx_sid_place(const flx_sid_lines *p, int column);
bool flx_sid_is_line(const flx_sid_lines *p, const char *text);
bool flx_sid_is_key(const flx_sid_lines *p, const char *text);
flx_status flx_sid_fail_ended(const flx_sid_lines *p, const char *expected);
flx_status flx_sid_fail_expected(const flx_sid_lines *p, const char *expected);

// The value as a number; a comment behind it is cut off.
flx_status flx_sid_read_integer(const flx_sid_lines *p, int *out);
flx_status flx_sid_read_real(const flx_sid_lines *p, double *out);
// "m1( 2, 1, 3)": whether the key is the name and n whole numbers; these, counted from 0.
bool flx_sid_read_indices(const flx_sid_lines *p, const char *name, int n, int *out);
