// contact_parts.h - inside of the contacts of a model: body_surfaces.c reads surfaces (of curves surface_outline.c), block_contact.c which of them may
// touch, contact_laws.c the law between them, contact_signals.c what expressions ask of them.
#pragma once

#include "language/flexible/deformable.h"
#include "language/force_parts.h"

// A surface as it was read.
typedef struct flx_touching {
    flx_item *body;        // that carries it: of bodies that bend a node
    const flx_item *named; // the body as the user knows it
    flx_contact_side side;
    bool of_line;  // a node of a line, for surfaces that are not round
    bool of_faces; // a node of faces
} flx_touching;

// Axes whose third is a direction of length 1.
m33 flx_axes_along(const double z[3]);
// place: where it is unless it says so itself; NULL: the origin.
flx_status flx_build_surface(flx_env *e, flx_item *body, const flx_entry *place, const flx_entry *y,
                             flx_touching *out);

// All surfaces that a mapping means, in scratch memory: one, or those of a body that deforms (deforming_surface.c).
flx_status flx_build_surfaces(flx_env *e, flx_item *body, const flx_entry *place,
                              const flx_entry *y, int *n, flx_touching **out);
struct flx_surface_kind;
bool flx_surface_is_deforming(const struct flx_surface_kind *kind);
flx_status flx_build_deforming(flx_env *e, flx_item *body, const struct flx_surface_kind *kind,
                               const flx_entry *y, int *n, flx_touching **out);

// A curve or a profile: s->data.
flx_status flx_build_outline(flx_env *e, const flx_entry *surface, flx_surface *s);

// The law of a contact, its friction, and the form; chosen: it is `auto`.
flx_status flx_contact_read_law(flx_env *e, const flx_item *force, flx_contact *c);
flx_status flx_contact_read_friction(flx_env *e, const flx_item *force, flx_contact *c);
flx_status flx_contact_read_form(flx_env *e, const flx_item *force, flx_contact *c, bool *chosen);

// All of a force of type contact.
flx_status flx_contact_place(flx_env *e, flx_item *force, flx_force_data *d);
// Its signals.
flx_status flx_contact_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                              flx_operand *out);
