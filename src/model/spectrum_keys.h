// spectrum_keys.h - what analyses of type spectrum know of their own: plain data in the model's arena.
#pragma once

#include "model/model_data.h"

typedef struct flx_spectrum_keys {
    int nsignal;
    flx_column *signals; // (nsignal, and one more: the speed where there is one)
    bool speed;
    int norder;
    double *orders;
    int window, trend;          // of flexion/signal_spectrum.h
    double segment, overlap;    // 0: the whole run
    double from, until, sample; // s; sample 0: the rows of the run
} flx_spectrum_keys;
