// schema_old.h - words of older versions of the language (schema_old.def) become those of today. One place
// knows them: the tree is renewed after it is made and before it is checked, and nobody after sees old words.
#pragma once

#include "language/schema/schema.h"

typedef struct flx_old_key {
    flx_group group;
    const char *types, *old, *now;
} flx_old_key;

typedef struct flx_old_word {
    flx_group group;
    const char *key, *old, *now;
} flx_old_word;

// These end with an entry whose word of today is NULL.
extern const flx_old_key flx_old_keys[];
extern const flx_old_word flx_old_words[];

// A place where an old word stood.
typedef struct flx_old_use {
    flx_loc loc; // of its first character; in no file where a call said it
    const char *old, *now;
} flx_old_use;

typedef struct flx_old_uses {
    int count, capacity;
    flx_old_use *uses; // owned: flx_free
} flx_old_uses;

// Writes the words of today into the tree of a model or of a part's file, and tells of it by one note.
// FLX_ERR_MODEL: an old key stands beside the new one.
flx_status flx_schema_renew(flx_ctx *ctx, flx_entry *tree);
// The same without the note; the places, in the order of the tree, are added to *found.
flx_status flx_schema_renew_quietly(flx_ctx *ctx, flx_entry *tree, flx_old_uses *found);

// Along a path of keys and items: kind is what may stand at `at` (flx_form_of("{model}") at the root; NULL:
// nothing is there yet). Gives the kind of what the key leads to, and its word of today. key NULL: an item.
flx_form_text flx_schema_follow(flx_form_text kind, const flx_entry *at, const char *key,
                                const char **now);
