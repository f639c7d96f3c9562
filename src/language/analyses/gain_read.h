// gain_read.h - keys of analyses of type lqr and kalman.
#pragma once

#include "language/analyses/io_keys.h"
#include "model/gain_keys.h"

#define FLX_KEYS_GAINS                                                                             \
    {"inputs", "[name;0..]", .initial = "all", .doc = "Which inputs of the model change."},        \
        {"states", "[number;1..]", .needed = true,                                                 \
         .doc = "Signals that are taken as the states. What they do not see, such as the place "   \
                "of a vehicle, must not act on what they see."},                                   \
    {                                                                                              \
        "sample", "number",                                                                        \
            .unit = "s", .initial = "continuous",                                                  \
            .doc =                                                                                 \
                "The interval at which it works; inputs are held in between. The cost, and the "   \
                "noise of the process, are integrated over it."                                    \
    }

// States, inputs, sample.
flx_status flx_gains_read(flx_env *e, const flx_item *item, flx_gain_keys *out);
// Fails where signals of a list could not be read: that was told at their names, or at the item that they belong to.
flx_status flx_gains_all_read(const flx_entry *list, int n);
// A number, n of them, or n rows of n, as a symmetric matrix (n x n); what: for messages.
flx_status flx_gains_weights(flx_env *e, const flx_entry *y, int n, const char *what, double **out);
// One key of a mapping that has these alone; NULL: not given.
flx_status flx_gains_key(flx_env *e, const flx_item *item, const char *map, const char *key,
                         const char *const *known, const flx_entry **out);
