// json.h - texts in JSON, read into a tree.
#pragma once

#include "base/common.h"

typedef enum flx_json_kind {
    FLX_JSON_NULL,
    FLX_JSON_BOOL,
    FLX_JSON_NUMBER,
    FLX_JSON_STRING,
    FLX_JSON_LIST,
    FLX_JSON_MAP
} flx_json_kind;

typedef struct flx_json {
    flx_json_kind kind;
    int count;        // of a list or mapping
    double number;    // also 0 or 1 of a bool
    const char *text; // of a string
    const char *key;  // where it is in a mapping
    struct flx_json *first, *next;
} flx_json;

// The tree, in the arena. NULL: the text is no JSON, nests deeper than 64, or there is no memory.
flx_json *flx_json_parse(flx_arena *arena, const char *text);

// All of these take NULL. The entry of a mapping; NULL: none.
const flx_json *flx_json_get(const flx_json *map, const char *key);
double flx_json_number(const flx_json *map, const char *key, double otherwise);
const char *flx_json_text(const flx_json *map, const char *key); // "" where there is none
// The numbers of a list; false, with zeros, when it has not n numbers.
bool flx_json_numbers(const flx_json *list, int n, double *out);
