// entry.h - the description of a model as a tree of scalars, lists and mappings with places: what a reader
// hands to the model. A reader of another format would fill the same tree.
#pragma once

#include "base/base.h"

typedef enum flx_entry_kind {
    FLX_ENTRY_SCALAR,
    FLX_ENTRY_LIST,
    FLX_ENTRY_MAP,
} flx_entry_kind;

typedef struct flx_entry {
    flx_entry_kind kind;
    flx_loc loc;         // of the first character of the content (after an opening quote)
    const char *text;    // scalar; "" for an empty value. Line ends are folded as YAML says
    const char *written; // as it stands in the file, with its line ends: for exact places in an
                         // expression of several lines. The same as text on one line.
    bool quoted;
    bool flow;                // inside { } or [ ]
    int count;                // list items, or pairs of the map
    struct flx_entry **items; // list: items; map: values, in the order of the file
    struct flx_entry **keys;  // map: keys (scalars)
} flx_entry;

// NULL when the map has no such key.
const flx_entry *flx_entry_get(const flx_entry *map, const char *key);
