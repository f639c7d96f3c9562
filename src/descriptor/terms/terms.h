// terms.h - what others ask of a term, and what terms ask of each other. The arrays of a term are in its own file.
#pragma once

#include "body/beam_exact.h"
#include "body/body.h"
#include "body/modal.h"
#include "body/solid.h"
#include "descriptor/term.h"
#include "model/model_data.h"

#define FLX_TERM(NAME, name, stage) extern const flx_term flx_term_##name;
#include "descriptor/terms.def"
#undef FLX_TERM

// bodies: unknowns of one of the model; those that are rigid in space; frames of all of them; r = M a + gyroscopic terms -
// weight, overwritten.
typedef struct flx_body_size {
    int nq, nv; // equal: they are a vector space
} flx_body_size;
flx_body_size flx_bodies_size(const flx_model *m, int body);
const flx_body_record *flx_bodies_rigid(const flx_descriptor *d, int *n);
void flx_bodies_frames(const flx_descriptor *d, flx_work *w, const flx_point *p);
void flx_bodies_residual(const flx_descriptor *d, const double g[3], const double *v,
                         const double *a, double *r);

// elastic bodies: one of them; what a follower is, number i of the model, a node of one.
const flx_modal_data *flx_modals_get(const flx_descriptor *d, int i);
typedef struct flx_follower_data flx_follower_data;
void flx_modals_follower(const flx_descriptor *d, int i, flx_follower_data *f);

// beams: stiffness of a section, in the plane the part that acts there; NULL: no memory. Strains without stress at the
// points of an element between these nodes: of a straight line, or in the initial configuration.
const double *flx_beam_section_stiffness(flx_descriptor *d, const flx_beam *b);
void flx_beam_find_rest(const flx_descriptor *d, const flx_beam *b, const int *nodes,
                        const flx_beam_exact *e, double *rest);
// Where an element writes, and which parts it has.
void flx_beam_element_fill(const flx_descriptor *d, const flx_beam_exact *e);
void flx_beam_element_mark(flx_descriptor *d, const flx_beam_exact *e);

// solids: where n nodes of a mesh are in the system, for an element or a face; the offsets of their blocks.
flx_status flx_solids_place_nodes(flx_descriptor *d, const flx_solid *s, int n, const int *nodes,
                                  flx_solid_element *e);
void flx_solids_fill_blocks(const flx_descriptor *d, const flx_solid_element *e);
