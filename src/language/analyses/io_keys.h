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

// Of analyses that may be of a flexible body or of a linear block alone.
#define FLX_KEYS_OF                                                                                \
    {"of", "name", .initial = "the whole model",                                                   \
     .doc = "A flexible body made of finite elements, whose inputs are forces and moments at its " \
            "interfaces and whose outputs are motions of them, as in tip.z or tip.rx; or a "       \
            "`transfer` or `state-space` of `control` by itself."},                                \
    {                                                                                              \
        "held", "[text;0..]", .initial = "none", .doc = "Of a body: interfaces that are held."     \
    }

flx_status flx_analysis_io(flx_env *e, const flx_item *item, flx_io_keys *out);

// With the key `until` of the type itself.
#define FLX_KEYS_WAY                                                                               \
    {"every", "number", .unit = "s", .initial = "about one state",                                 \
     .doc = "Along a motion, the run of the model or that of `along`: once in this interval."},    \
    {                                                                                              \
        "along", "name",                                                                           \
            .initial = "the run",                                                                  \
            .doc = "An analysis of type `inversion` or `optimal-control` whose motion it is; it "  \
                   "is met at its nodes."                                                          \
    }

// Sets out->about where it is along a motion; `about` a state has no meaning there.
flx_status flx_analysis_way(flx_env *e, const flx_item *item, flx_analysis *out, flx_way_keys *way);

// read_of.c: `of`, and inputs and outputs of what it names; out->name NULL: it is not given.
flx_status flx_analysis_of(flx_env *e, const flx_item *item, flx_of_keys *out);
