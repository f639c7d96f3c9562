// tree_elastic.h - M x = b of a tree with elastic bodies, without M. Articulated bodies: the coordinates of an elastic
// body are taken out together, by one dense matrix, when all that hangs on its nodes is out.
#pragma once

#include "tree/tree_parts.h"

flx_status flx_tree_elastic_create(const flx_tree *t, flx_tree_elastic **e);
void flx_tree_elastic_destroy(flx_tree_elastic **e);

// At frames that are placed; A2: the descriptor's masses, on its pattern. Returns -1, or a link that has no inertia
// along its joint; FLX_TREE_NO_MASS: an elastic body has none.
#define FLX_TREE_NO_MASS (-2)
int flx_tree_elastic_factor(const flx_tree *t, flx_tree_work *w, const double *A2);
// y = M^-1 tau along links and elastic coordinates; other variables are left out. y may be tau.
void flx_tree_elastic_solve(const flx_tree *t, flx_tree_work *w, const double *tau, double *y);
