// known_values.h - what analyses found, in expressions: K.gains(2), ff.u1, ff.shoulder.angle.
#pragma once

#include "language/analyses/analysis_reader.h"
#include "model/known.h"

// A name behind an analysis, or behind such a name; `of` NULL: the first.
flx_status flx_known_member(flx_env *e, const flx_item *analysis, const flx_operand *of,
                            const char *name, flx_loc loc, flx_operand *out);
flx_status flx_known_index(flx_env *e, const flx_operand *of, int n, const flx_operand *args,
                           flx_loc loc, flx_operand *out);
// Its value: a number, a list, or a function of time; zero while it is not known, which the model notes.
flx_status flx_known_value(flx_env *e, const flx_operand *of, flx_loc loc, flx_operand *out);

// For blocks that take a whole matrix: NULL while it is not known, which the model notes.
flx_status flx_known_take(flx_builder *b, const flx_item *analysis, const char *matrix, flx_loc loc,
                          const flx_known_table **out);
