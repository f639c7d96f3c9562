// io_keys.h - keys that analyses of linear models share: inputs, outputs, loop.
#pragma once

#include "language/analyses/analysis_reader.h"
#include "model/linear_keys.h"

#define FLX_KEYS_IO                                                                                \
    {"inputs", "[name;0..]", .initial = "all", .doc = "Which inputs of the model change."},        \
        {"outputs", "[number;0..]", .initial = "none",                                             \
         .doc = "Signals that answer; accelerations and reactions are among them."},               \
    {                                                                                              \
        "loop", "word",                                                                            \
            .initial = "open",                                                                     \
            .doc =                                                                                 \
                "`open`: inputs are what changes, and what gives them their values in the run is " \
                "left out. `closed`: it stays, and changes are added to it."                       \
    }

flx_status flx_analysis_io(flx_env *e, const flx_item *item, flx_io_keys *out);
