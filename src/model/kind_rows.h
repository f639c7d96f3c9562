// kind_rows.h - what a kind of joint or of force says of itself to the model language: its word, its
// keys and their defaults. The rows that kinds share with the other items are in schema.def, which
// also says what the columns are; language/schema/schema_kinds.c puts both together.
#pragma once

#include <stdbool.h>

typedef enum flx_rule {
    FLX_RULE_ONE,      // exactly one of the keys
    FLX_RULE_SOME,     // at least one
    FLX_RULE_MOST_ONE, // at most one
    FLX_RULE_WITH,     // the first only together with the second
} flx_rule;

typedef struct flx_rule_row {
    flx_rule rule;
    const char *keys; // NULL ends the rows
} flx_rule_row;

typedef struct flx_key_row {
    const char *key;  // NULL ends the rows
    const char *form; // of the value, as in schema.def
    bool needed;
    const char *unit;    // NULL: none
    const char *initial; // default, as text; NULL: none
    const char *doc;
    int dimension; // 2 or 3: in such models only; 0: in both
} flx_key_row;

typedef struct flx_word_row {
    const char *word;
    const char *dimensions; // "23", "2" or "3"
    bool later;             // read and checked, and not computed yet
    const char *doc, *example;
    const flx_key_row *keys;
    const flx_rule_row *rules; // NULL: none
} flx_word_row;
