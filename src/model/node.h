// node.h - the model file as a tree of scalars, lists and mappings with positions: what a reader
// hands to the model. A reader of another format would fill the same tree.
#pragma once

#include "base/base.h"

typedef enum flx_yaml_kind {
    FLX_YAML_SCALAR,
    FLX_YAML_LIST,
    FLX_YAML_MAP,
} flx_yaml_kind;

typedef struct flx_yaml {
    flx_yaml_kind kind;
    flx_loc loc;         // of the first character of the content (after an opening quote)
    const char *text;    // scalar; "" for an empty value. Line ends are folded as YAML says
    const char *written; // as it stands in the file, with its line ends: for exact places in an
                         // expression of several lines. The same as text on one line.
    bool quoted;
    bool flow;               // inside { } or [ ]
    int count;               // list items, or pairs of the map
    struct flx_yaml **items; // list: items; map: values, in the order of the file
    struct flx_yaml **keys;  // map: keys (scalars)
} flx_yaml;

// NULL when the map has no such key.
const flx_yaml *flx_yaml_get(const flx_yaml *map, const char *key);
