// control_parts.h - how a controller becomes signals, variables and events: what the files of this folder share.
//
// A block of `control:` is unrolled when its name is declared. What it becomes are ordinary items with names behind its own,
// `speed.integral`, whose definitions are written as the user would write them; `self` in them is the controller.
//     control.c          the types, samples and delays, names
//     control_blocks.c   pid, saturation, quantiser, lookup
//     control_files.c    matrices of state space from files, balanced truncation
//     control_linear.c   transfer functions, state space, state feedback, observers
//     control_torque.c   computed torque (torque_tree.h), its loops torque_loops.c, forces that it leaves out torque_left.c
#pragma once

#include "language/builder.h"

typedef struct flx_control_draft {
    flx_builder *b;
    flx_item *item;
    flx_control_data *data;
    const flx_local *self; // the controller's name in what is written for it
    bool sampled;
    int nout;       // 0: a number
    int nset;       // of the clock
    flx_entry *set; // a mapping: what the clock sets
} flx_control_draft;

// The key's value; NULL: not given.
const flx_entry *flx_control_key(const flx_control_draft *d, const char *key);
flx_status flx_control_need(flx_control_draft *d, const char *key, const flx_entry **out);
// Text of an expression, as an entry; NULL: no memory.
flx_entry *flx_control_text(flx_control_draft *d, const char *format, ...) FLX_PRINTF(2, 3);

// A mapping with room for so many keys; one more key of it; an item of any kind with a name behind the controller's.
flx_entry *flx_control_map(flx_control_draft *d, int room);
void flx_control_put(flx_entry *map, flx_entry *key, const flx_entry *value);
flx_status flx_control_item(flx_control_draft *d, flx_kind kind, const char *name,
                            const flx_entry *def, const flx_local *locals, flx_items *list);
// A signal by the user's own entry, or by text.
flx_status flx_control_own(flx_control_draft *d, const char *name, const flx_entry *entry);
flx_status flx_control_signal(flx_control_draft *d, const char *name, flx_entry *entry);
// A first-order unknown; count > 0: a family, `i_` is the index in the text.
flx_status flx_control_state(flx_control_draft *d, const char *name, int count,
                             flx_entry *derivative);
// A discrete variable, or a family, zero at first.
flx_status flx_control_discrete(flx_control_draft *d, const char *name, int count);
// A function, of the keys of tables that the block has.
flx_status flx_control_function(flx_control_draft *d, const char *name);
// What the clock sets: `self.integral`, by text.
flx_status flx_control_set(flx_control_draft *d, flx_entry *target, flx_entry *value);
// A clock that strikes once, at the start.
flx_status flx_control_begin(flx_control_draft *d, const char *name, flx_entry *target,
                             flx_entry *value);
// Rows and columns of a matrix, a list of lists; of a list of numbers one row.
flx_status flx_control_size(flx_control_draft *d, const flx_entry *y, int *rows, int *columns);
// Refuses a number that is not positive; what is written as an expression is not looked at.
flx_status flx_control_above(flx_control_draft *d, const flx_entry *y, const char *what);
// How many numbers a list has, or 1 of a number.
flx_status flx_control_count(flx_control_draft *d, const flx_entry *y, int *out);

// Each type: makes what it needs, and the signal `now`, a number or a list of nout.
flx_status flx_control_pid(flx_control_draft *d);
flx_status flx_control_saturation(flx_control_draft *d);
flx_status flx_control_quantiser(flx_control_draft *d);
flx_status flx_control_lookup(flx_control_draft *d);
flx_status flx_control_transfer(flx_control_draft *d);
flx_status flx_control_state_space(flx_control_draft *d);
// A, B, C, D where they are names of files (.mtx) become rows of numbers; with `balanced` those of as many states.
flx_status flx_control_matrices(flx_control_draft *d, const flx_entry *M[4]);
flx_status flx_control_state_feedback(flx_control_draft *d);
flx_status flx_control_observer(flx_control_draft *d);
flx_status flx_control_computed_torque(flx_control_draft *d);
// `self.torques` of computed torque: a list, one for each joint.
flx_status flx_control_torques(flx_env *e, flx_item *control, flx_loc loc, flx_operand *out);
