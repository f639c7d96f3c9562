// force_parts.h - inside of the forces of a model: block_forces.c reads where they act, force_values.c makes
// their values, force_signals.c what expressions ask of them; forces/ has those of several parts or with states.
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
// Whether the normal force of a contact, k d^n between two bodies, should be an unknown.
bool flx_contact_is_stiff(const flx_builder *b, const flx_item *const body[2], double k, double n);

// distributed.c: a load along a beam; the power of it.
flx_status flx_force_spread(flx_env *e, flx_item *force, flx_force_data *d);
flx_node flx_force_spread_power(flx_builder *b, const flx_force_data *d);

// solid_load.c: a load on the surface of a solid, or on its volume; its signals.
flx_status flx_solid_load_place(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_solid_load_value(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_solid_load_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                                 flx_operand *out);

// forces/force_line.c: places that a line goes through, its length, and the pull on its parts.
typedef struct flx_force_line {
    int n;
    flx_item **body; // (n)
    flx_num3 *at;    // (n) in their frames
    flx_num drawn;   // length in the initial configuration
} flx_force_line;
flx_status flx_force_line_place(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_force_line_length(flx_builder *b, flx_force_data *d);
flx_status flx_force_line_pull(flx_builder *b, flx_force_data *d, flx_node tension);
flx_status flx_cable_value(flx_env *e, flx_item *force, flx_force_data *d);
// forces/tyre_states.c
flx_status flx_tyre_place(flx_env *e, flx_item *force, flx_force_data *d);
flx_status flx_tyre_value(flx_env *e, flx_item *force, flx_force_data *d);
// forces/muscle_states.c
flx_status flx_muscle_value(flx_env *e, flx_item *force, flx_force_data *d);

// forces/force_states.c: a state of first order that a force has, `<force>.<name>`; its leaf.
flx_status flx_force_add_state(flx_builder *b, const flx_item *force, flx_force_data *d,
                               const char *name, flx_num at, int *state, flx_node *leaf);
// One from zero on whose rate a kernel gives, not an expression.
flx_status flx_force_keep_state(flx_builder *b, const flx_item *force, const char *name,
                                int *state);
void flx_force_set_balance(flx_builder *b, int state, const flx_balance_of *balance);
void flx_force_set_rate(flx_builder *b, int state, flx_node derivative);
// A signal that only this kind has.
void flx_force_add_signal(flx_force_data *d, const char *name, flx_node node);
// A number of the file, or its default; not less than `least` (or above it).
flx_status flx_force_number(flx_env *e, const flx_item *force, const char *key, double initial,
                            double least, bool above, flx_num *out);
