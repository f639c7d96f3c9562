// manifold.h - which of the points found are kept, and which points of a pair of surfaces touched last.
#pragma once

#include "contact/pair.h"

// Remembers the points; last may be NULL.
void flx_manifold_keep(flx_manifold *last, int n, const flx_touch *touches);
// Of n points found the `most` that matter: the deepest, then those that span the largest area; sorted by gap. Points of
// `last` are preferred. Returns their number.
int flx_touches_choose(int n, flx_touch *found, double size, int most, const flx_manifold *last);
