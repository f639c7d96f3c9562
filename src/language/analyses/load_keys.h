// load_keys.h - keys of analyses that have a load factor, shared by paths and buckling.
#pragma once

#include "language/analyses/analysis_reader.h"

#define FLX_KEYS_LOAD                                                                              \
    {"load", "name | [name;1..]", .initial = "all but parameters",                                 \
     .doc = "What the load factor multiplies: forces with a value, joints with a motion, "         \
            "`gravity`, parameters. The rest stays as it is."},                                    \
    {                                                                                              \
        "time", "number", .unit = "s", .initial = "0",                                             \
                          .doc = "At which forces and motions are taken."                          \
    }

// What is loaded, and when.
flx_status flx_analysis_loads(flx_env *e, const flx_item *item, flx_analysis *out);
