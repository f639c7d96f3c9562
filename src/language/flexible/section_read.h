// section_read.h - what a model says of the cross-section and the material of a beam: one reader for beams of large
// deformation, flexible bodies and structures of finite elements. What they take of it: structure.h, section.c.
#pragma once

#include "language/builder.h"
#include "model/structure.h"

flx_status flx_material_read(flx_env *e, const flx_entry *y, flx_material *m);
// Where a loss factor has no meaning. y NULL: no material.
flx_status flx_material_refuse_loss(flx_builder *b, const flx_entry *y);
// m: the material beside it; NULL: none.
flx_status flx_section_read(flx_env *e, const flx_entry *y, const flx_material *m, flx_section *c);
// The same of a body that is one beam and has a mass; word: what it is, for messages.
flx_status flx_section_read_beam(flx_env *e, const flx_item *body, const char *word,
                                 const flx_entry *section, const flx_entry *material,
                                 flx_section *c, flx_material *m, flx_beam_law *law);
