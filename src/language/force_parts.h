// force_parts.h - inside of the forces of a model: block_forces.c reads where they act, force_values.c makes
// their values, force_signals.c what expressions ask of them.
#pragma once

#include "force/force_kind.h"
#include "language/flexible/deformable.h"

// Where it acts and its constants are read.
flx_status flx_force_place(flx_builder *b, flx_item *force, flx_loc loc);
// Whether a spring on a joint is about its displacement.
bool flx_force_slides(const flx_item *force, const flx_force_data *d);
// Its value as a node or vector of nodes.
flx_status flx_force_value(flx_builder *b, flx_item *force, flx_loc loc);
// The length of its line, and its rate.
flx_status flx_force_length(flx_builder *b, flx_force_data *d);
// The force itself, where it is an unknown.
flx_node flx_force_pull(flx_graph *g, const flx_item *force, int component);
// A vector, a number with `axis`, in the plane a torque that is a number; ground axes.
flx_status flx_force_vector(flx_env *e, const flx_item *force, flx_force_data *d,
                            const flx_entry *y, bool torque, flx_node out[3]);

// forms.c: whether its stiffness or damping is out of proportion to the masses and the step.
// slides: of a joint spring, whether it acts along a displacement.
bool flx_force_is_stiff(const flx_builder *b, const flx_force_data *d, bool slides);

// distributed.c: a load along a beam; the power of it.
flx_status flx_force_spread(flx_env *e, flx_item *force, flx_force_data *d);
flx_node flx_force_spread_power(flx_builder *b, const flx_force_data *d);

// solid_load.c: a load on the surface of a solid, or on its volume; its signals.
flx_status flx_solid_load_place(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_solid_load_value(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_solid_load_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                                 flx_operand *out);
