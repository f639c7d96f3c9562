// analysis_reader.h - what a type of analysis says of itself to the model language, and how its keys are read.
// docs/dev/add_an_analysis.md says how to add one.
#pragma once

#include "language/builder.h"
#include "model/kind_rows.h"

typedef struct flx_analysis_reader {
    flx_word_row says; // its word, keys, documentation line, example
    bool rest;         // it ends at an equilibrium, from which others can go on
    bool loads;        // it has a load factor
    bool motion;       // it is that of a whole motion: `about` a state has no meaning
    bool
        gives; // expressions may use what it found: entries of matrices, columns of tables (known_values.h)
    // Its own keys; name, place, kind, `about` and `count` are there already. What has no member of flx_analysis goes
    // to out->own. NULL: it has none.
    flx_status (*read)(flx_env *e, const flx_item *item, flx_analysis *out);
} flx_analysis_reader;

// NULL: there is no such kind.
const flx_analysis_reader *flx_analysis_get_reader(int kind);
const flx_word_row *flx_analysis_row(int kind);
// Of an item; where its type is wrong, which is told elsewhere, that of modes.
const flx_analysis_reader *flx_analysis_reader_of(const flx_item *item, flx_analysis_kind *kind);

// A whole number, at least `least`; left as it is where the key is not given.
flx_status flx_analysis_count(flx_env *e, const flx_item *item, const char *key, int least,
                              int *out);

// The name of a parameter; `what` ("the speed") is in the message where it is none.
flx_status flx_analysis_parameter(flx_builder *b, const flx_entry *y, const char *what,
                                  const char **out);

#define FLX_ANALYSIS(name) extern const flx_analysis_reader flx_reader_##name;
#include "model/analyses.def"
#undef FLX_ANALYSIS
