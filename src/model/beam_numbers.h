// beam_numbers.h - the numbers of a large-deformation beam that follow from what is said of its section and its damping: when
// the model is built, and again when parameters are set.
#pragma once

#include "model/model_data.h"

// Parts of an element at which a section that varies is wanted, how many (at NULL: only that). Each has a section that is
// given, those of element i from given[1 + i*count] on.
int flx_beam_along_points(const flx_beam *b, double *at);
// Length of the line that node i stands for.
double flx_beam_share(const flx_beam *b, int i);

// Stiffness, mass and damping by the sections that are given; lengths are there. FLX_ERR_MODEL: no section of such a beam.
flx_status flx_beam_take_sections(flx_ctx *ctx, int dimension, flx_beam *b);
// Mass, inertia and picture of node i, with that along x of its centre where it is a rigid piece.
flx_status flx_beam_take_node(flx_ctx *ctx, const flx_beam *b, int i, flx_body *node);
// Of the body at node i that has axes where nodes have none.
void flx_beam_take_axes(const flx_beam *b, int i, double mass, flx_body *axes);

// All beams of a model with numbers of its own that depend on parameters.
flx_status flx_beams_follow(flx_model *own);
