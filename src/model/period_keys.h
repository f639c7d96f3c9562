// period_keys.h - what analyses of type period-map know of their own: plain data in the model's arena.
#pragma once

typedef enum flx_period_find {
    FLX_FIND_NOTHING, // the map of the run as it is
    FLX_FIND_MOTION,  // the state from which the motion repeats itself
    FLX_FIND_PERIOD,  // ... and after which time
} flx_period_find;

typedef struct flx_period_keys {
    double period, from; // s
    int find;            // flx_period_find
} flx_period_keys;
