// broad.h - which of many surfaces are near each other: a tree of boxes that is kept from step to step (Catto, Box2D). Each box is
// fattened, and its leaf moves only when it leaves that; pairs are told sorted by index, so that nothing depends on the order in
// which leaves came or moved.
//
// Memory grows where surfaces are added and where there are more pairs than ever before, by doubling: no step allocates once the
// number of pairs has been there.
#pragma once

#include "base/common.h"

typedef struct flx_bounds {
    double low[3], high[3];
} flx_bounds;

typedef struct flx_broad flx_broad;

// Of n boxes, numbered from 0. NULL: no memory.
flx_broad *flx_broad_create(flx_ctx *ctx, int n);
void flx_broad_destroy(flx_broad **b);

// Where box i is now, and how near another has to be to make a pair. A box without end (plane) has bounds of HUGE_VAL. Bounds
// that are no numbers, or low > high, put the box nowhere.
void flx_broad_move(flx_broad *b, int i, const flx_bounds *box, double reach);

// Whether a pair is wanted: i < j; NULL: all.
typedef bool (*flx_broad_filter)(const void *user, int i, int j);

// Pairs of boxes nearer to each other than the mean of their reaches (in each direction), each i < j, sorted; (npair x 2), valid
// until the next call. They follow from the boxes alone, not from how these came there.
flx_status flx_broad_pairs(flx_broad *b, flx_broad_filter wanted, const void *user, int *npair,
                           int (**pairs)[2]);
