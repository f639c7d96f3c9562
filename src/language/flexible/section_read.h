// section_read.h - what a model says of the cross-section and the material of a beam: one reader for beams of large
// deformation, flexible bodies and structures of finite elements. What they take of it: given_section.h, structure.h.
#pragma once

#include "language/builder.h"
#include "model/structure/given_section.h"

flx_status flx_material_read(flx_env *e, const flx_entry *y, flx_material *m);
// Where a loss factor has no meaning. y NULL: no material.
flx_status flx_material_refuse_loss(flx_builder *b, const flx_entry *y);
// m: the material beside it; NULL: none.
flx_status flx_section_read(flx_env *e, const flx_entry *y, const flx_material *m, flx_section *c);
// The same of a body that is one beam and has a mass, whose numbers may be of open parameters; word: what it is, for
// messages. C: where its matrix goes.
flx_status flx_section_read_beam(flx_env *e, const flx_item *body, const char *word,
                                 const flx_entry *section, const flx_entry *material,
                                 flx_given_section *g, double C[36], flx_section *c,
                                 flx_beam_law *law);
// Where its numbers are needed as they are: their parameters become structural.
void flx_given_section_fix(flx_builder *b, flx_given_section *g);
