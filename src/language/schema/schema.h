// schema.h - the table of the model language (schema.def and the rows of kinds) and questions to it.
#pragma once

#include "language/build_model.h"
#include "model/kind_rows.h"

typedef enum flx_group {
#define FLX_GROUP(id, noun, heading, selector, doc, example) FLX_GROUP_##id,
#include "language/schema/schema.def"
    FLX_GROUP_COUNT
} flx_group;

// A mapping with known keys.
typedef struct flx_schema_group {
    const char *id;       // in capitals
    const char *noun;     // what a message calls it
    const char *heading;  // in the reference
    const char *selector; // key whose word decides which other keys there are, or ""
    const char *doc, *example;
} flx_schema_group;

// Groups as bits.
__extension__ typedef unsigned __int128 flx_group_set;

typedef struct flx_schema_key {
    flx_group_set groups;
    const char *types; // words of the selector that have the key; "": all
    const char *key;
    const char *kind; // see schema.def
    bool needed;
    const char *unit;
    const char *initial; // default, as text; "" when there is none
    bool later;          // not supported yet
    const char *doc;
} flx_schema_key;

typedef struct flx_schema_word {
    flx_group group;
    const char *key, *word;
    const char *dimensions;
    bool later;
    const char *doc, *example;
    const char *types; // of items that take it; "" or NULL: all
} flx_schema_word;

typedef struct flx_schema_rule {
    flx_group group;
    const char *types;
    flx_rule rule;
    const char *keys;
} flx_schema_rule;

extern const flx_schema_group flx_schema_groups[FLX_GROUP_COUNT];
// All rows: those of schema.def, then those of the kinds (schema_kinds.c). They end with an entry whose
// key (keys) is NULL.
const flx_schema_key *flx_schema_keys(void);
const flx_schema_word *flx_schema_words(void);
const flx_schema_rule *flx_schema_rules(void);

// The row of a key; type: word of the group's selector, or NULL for any. dimension 2, 3, or 0 for
// any. NULL when there is none.
const flx_schema_key *flx_schema_find(flx_group group, const char *type, int dimension,
                                      const char *key);
// The row of a word, or NULL.
const flx_schema_word *flx_schema_find_word(flx_group group, const char *key, const char *word);
// Whether a list of words ("rigid point@2") has the word; "" has every word.
bool flx_schema_lists(const char *types, const char *type, int dimension);
// The next of the words separated by blanks: copied to word (size bytes). false at the end.
bool flx_schema_next_word(const char **words, char *word, size_t size);

// ---- kinds of value ---------------------------------------------------------------------------

typedef enum flx_form_kind {
    FLX_FORM_NUMBER,
    FLX_FORM_VECTOR,
    FLX_FORM_PLACE,
    FLX_FORM_VALUES,
    FLX_FORM_NAME,
    FLX_FORM_TEXT,
    FLX_FORM_FILE,
    FLX_FORM_BOOL,
    FLX_FORM_ANY,
    FLX_FORM_WORD,
    FLX_FORM_LIST,  // of inner
    FLX_FORM_GROUP, // mapping with known keys
    FLX_FORM_NAMES, // mapping of names to inner
    FLX_FORM_WRONG, // a mistake in schema.def
} flx_form_kind;

typedef struct flx_form_text { // part of a kind's text
    const char *at, *end;
} flx_form_text;

typedef struct flx_form { // one alternative
    flx_form_kind form;
    flx_form_text inner;
    int least, most; // entries of a list or mapping; most -1: no limit
    int dimension;   // 2 or 3 where the alternative is for one only, else 0
    flx_group group;
    bool loose; // names of the mapping may be any signal
} flx_form;

flx_form_text flx_form_of(const char *kind);
// The next alternative; false at the end.
bool flx_form_next(flx_form_text *text, flx_form *kind);
// In words for a person: "a number, or a list of 3 numbers". dimension 0: both.
void flx_form_describe(flx_form_text text, int dimension, char *buffer, size_t size);

// ---- trees ------------------------------------------------------------------------------------

// flx_schema_check of a file that a part names: `flexion` may be missing, and the dimension is that
// of the model which uses it.
flx_status flx_schema_check_part(flx_ctx *ctx, const flx_entry *tree, int dimension);
// What the tree uses of the language that is not supported yet, in the order of the file; the list
// is in the arena. For a tree that passed the check.
flx_status flx_schema_unavailable(flx_ctx *ctx, flx_arena *arena, const flx_entry *tree,
                                  int dimension, int *n, flx_unavailable **list);
