// spectrum.h - how fast a system can move: the eigenvalues of its linearisation on the constraints.
//
// With rigid constraints left out by a basis N of their null space, and everything algebraic (w, constraints
// with C > 0, velocity-level constraints with E > 0) eliminated,
//     theta = N y,  N^T M N y'' + N^T D N y' + N^T K N y = ...,  y e^(s t)             (SPEC-1)
// frozen at the state given. Theory: docs/theory/integrators.md, "auto".
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_spectrum {
    bool known;     // the numbers below mean something
    bool all;       // every eigenvalue was found; else estimates of the largest ones
    bool massless;  // a direction that no constraint holds has no mass
    double fastest; // largest |s|, 1/s
    double slowest; // smallest |s| that is not zero; 0: none, or not known
    bool lost; // some are zero beside the fastest, or so slow that they were found by themselves
    double damping;    // of the fastest: -Re s / |s|, in [-1, 1]
    bool conservative; // K symmetric and D zero, on the constraints
} flx_spectrum;

// FLX_ERR_MEMORY, or FLX_OK: where nothing could be found out, known is false. slower: what is zero beside the fastest is looked
// for among the modes, which takes many times as long.
flx_status flx_spectrum_find(const flx_system *s, flx_work *work, const flx_state *x, bool slower,
                             flx_spectrum *out);
