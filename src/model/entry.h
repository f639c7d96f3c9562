// entry.h - the description of a model as a tree of scalars, lists and mappings with places. Readers of
// files and the calls of flexion/model.h make it with the same constructors; build.h reads it.
#pragma once

#include "base/common.h"

typedef enum flx_entry_kind {
    FLX_ENTRY_SCALAR,
    FLX_ENTRY_LIST,
    FLX_ENTRY_MAP,
} flx_entry_kind;

typedef struct flx_entry {
    flx_entry_kind kind;
    flx_loc loc;         // of the first character of the content (after an opening quote)
    flx_trail trail;     // loc.trail, also that of its key
    const char *text;    // scalar; "" for an empty value. Line ends are folded as YAML says
    const char *written; // as it stands in the file, with its line ends: for exact places in an
                         // expression of several lines. The same as text on one line.
    bool quoted;
    bool flow;                // inside { } or [ ]
    int count;                // list items, or pairs of the map
    int capacity;             // of items and keys
    struct flx_entry **items; // list: items; map: values, in the order of the file
    struct flx_entry **keys;  // map: keys (scalars)
    int *slots;               // of a large map: open hash table of pair numbers + 1; NULL: none
} flx_entry;

// NULL when the map has no such key.
const flx_entry *flx_entry_get(const flx_entry *map, const char *key);
// The number of its pair; -1: none.
int flx_entry_find(const flx_entry *map, const char *key);

// ---- making one: in an arena, which keeps all; NULL: no memory -------------------------------------

flx_entry *flx_entry_scalar(flx_arena *arena, flx_loc loc,
                            const char *text); // text is kept, not copied
flx_entry *flx_entry_list(flx_arena *arena, flx_loc loc);
flx_entry *flx_entry_map(flx_arena *arena, flx_loc loc);
// At the end of a list, or of a map that has no such key; FLX_ERR_MEMORY. The item belongs to one tree.
flx_status flx_entry_append(flx_arena *arena, flx_entry *list, flx_entry *item);
flx_status flx_entry_add(flx_arena *arena, flx_entry *map, flx_entry *key, flx_entry *value);
// In the place of item or pair i; i leaves.
void flx_entry_replace(flx_entry *of, int i, flx_entry *value);
// Another text for the key of pair i; it is kept, not copied.
void flx_entry_rename(flx_entry *map, int i, const char *key);
void flx_entry_remove(flx_entry *of, int i);
// All of it, texts too.
flx_entry *flx_entry_copy(flx_arena *arena, const flx_entry *from);
// How many scalars, lists and mappings it is made of.
long flx_entry_size(const flx_entry *e);
