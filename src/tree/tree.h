// tree.h - the tree system: bodies and joints of a model in the coordinates of the joints of a
// spanning tree; joints that are cut, motions and constraints are its constraints.
#pragma once

#include "flexion/extend/system_table.h"
#include "tree/topology/tree_topology.h"

// ready: a descriptor system of the model, and a consistent state of it, at which the closures that
// are kept are chosen and that gives the start; nredundant: rows that say what others say. The model
// is borrowed. Refuses by name what it cannot do.
flx_status flx_tree_create(const flx_model *m, const flx_system *ready, const flx_state *at,
                           int nredundant, flx_system **s);

// Whether a link has no inertia along its joint: implicit methods alone then.
// Whether damping or stiffness holds it at x; without closures. Else it is refused.
flx_status flx_tree_check_massless(const flx_system *s, flx_work *work, const flx_state *x);
bool flx_tree_is_massless(const flx_system *s);
// Accelerations at positions, velocities and multipliers of x but for directions without inertia, which no force needs.
flx_status flx_tree_accelerate_massless(const flx_system *s, flx_work *work, flx_state *x);
// Names the body of that link; undetermined: nothing else holds it either. FLX_OK: there is none.
flx_status flx_tree_refuse_massless(const flx_system *s, bool undetermined);

// Joint coordinates, velocities, states and switches from those of bodies.
flx_status flx_tree_from_bodies(const flx_system *s, const flx_state *bodies, flx_state *x);
// The other way, accelerations too; multipliers are left as they are.
void flx_tree_to_bodies(const flx_system *s, flx_work *w, const flx_state *x, flx_state *bodies);
