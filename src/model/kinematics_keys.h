// kinematics_keys.h - what analyses of type kinematics know of their own: plain data in the model's arena.
#pragma once

#include "model/model_data.h"

typedef struct flx_kinematics_keys {
    int nwant, nmove;
    flx_node *miss, *miss_rate; // (nwant) outputs less what is wanted, and their rates
    const char **wanted;        // (nwant) names
    int *joints;                // (nmove) that move
    flx_node *place, *rate;     // (nmove) their coordinates
    const char **names;         // (nmove)
    double *weights;            // (nmove)
    double *lower, *upper;      // (nmove) infinite: none
    double *from;               // (nmove) where they begin; NULL: where the model does
    double until, every;
    bool mass;       // the kinetic energy is least, not the weighted rates
    double *posture; // (nmove) where the joints are drawn to; NULL: nowhere
    double pull;     // ... so fast, 1/s
} flx_kinematics_keys;
