// schema_parts.h - inside of the check against the schema: schema.c looks at values, schema_group.c at
// mappings with known keys.
#pragma once

#include "language/schema/schema.h"

#define FLX_SCHEMA_SHOWN 60  // characters of the user's text in a message
#define FLX_SCHEMA_LABEL 200 // characters of a description

typedef struct flx_schema_checker {
    flx_ctx *ctx;
    int dimension;
    bool part;  // the tree is that of a part's file
    bool quiet; // look for what is unavailable; the check was made before
    int nerror;
    flx_arena *arena;
    flx_unavailable *found; // owned while searching
    int nfound, capacity;
    flx_status status; // no memory
} flx_schema_checker;

// The items of one section, found by name: an open hash table, so that many items that are like
// each other stay cheap.
typedef struct flx_schema_family {
    const flx_entry *map;
    size_t capacity;
    int *slots; // number + 1; 0: free. Owned
} flx_schema_family;

// The way from the root to a value.
typedef struct flx_schema_trail {
    const struct flx_schema_trail *up;
    const char *segment;               // key or name; NULL at the root
    flx_group group;                   // of the mapping here; FLX_GROUP_COUNT: not a group
    bool named;                        // segment is the user's name of an item
    const flx_schema_family *siblings; // items among which `like` finds another
    flx_loc loc;                       // of the key
    const char *type;                  // of the item whose key it is; NULL: any
} flx_schema_trail;

#define COMPLAIN(c, loc, ...)                                                                      \
    do {                                                                                           \
        if (!(c)->quiet) FLX_FAIL((c)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__);                    \
        (c)->nerror++;                                                                             \
    } while (0)

static inline bool flx_schema_enough(const flx_schema_checker *c)
{
    return (c->nerror >= FLX_MAX_ERRORS && !c->quiet) || c->status != FLX_OK;
}

// schema_table.c: the rows of schema.def alone.
extern const flx_schema_key flx_schema_own_keys[];
extern const flx_schema_word flx_schema_own_words[];
extern const flx_schema_rule flx_schema_own_rules[];

// schema.c
void flx_schema_check_value(flx_schema_checker *c, const flx_entry *v, flx_form_text kind,
                            const flx_schema_trail *t);
// "body 'crank'", "'orientation' of body 'crank'", "the model"
void flx_schema_label_group(const flx_schema_trail *t, char *buffer, size_t size);
// "revolute, prismatic, spherical, ..."
void flx_schema_list_words(const flx_schema_checker *c, flx_group group, const char *type,
                           const char *key, char *buffer, size_t size);
// A comma in an expression makes a key of its second half; the reader has told so.
bool flx_schema_is_told(const flx_entry *key, const flx_entry *value);
// "reduce", "forces.C: type contact", "simulate.method: bdf"
void flx_schema_add_unavailable(flx_schema_checker *c, const flx_schema_trail *t, const char *key,
                                const char *word, flx_loc loc);

// schema_group.c
void flx_schema_check_group(flx_schema_checker *c, const flx_entry *v, const flx_schema_trail *t);
// slots: the caller's (flx_free). false: no memory.
bool flx_schema_family_init(flx_schema_checker *c, flx_schema_family *f, const flx_entry *map);
