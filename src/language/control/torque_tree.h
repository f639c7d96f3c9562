// torque_tree.h - the mechanism of a computed torque: links outwards from the ground, and joints that close loops.
#pragma once

#include "language/control/control_parts.h"

#define FLX_TORQUE_LINKS 100

typedef struct flx_torque_link {
    flx_item *body;
    int parent;                   // link; -1: the ground
    int joint;                    // in the list, -1: none that is driven
    int passive;                  // number of its unknown acceleration, -1: it is driven or fixed
    bool slides;                  // prismatic
    double sign;                  // 1: the body is the joint's second
    flx_item *by;                 // its joint
    flx_node place[3], axis[3];   // of the joint
    flx_node c[3], w[3];          // centre of mass, angular velocity
    flx_node alpha[3], a[3];      // angular acceleration, acceleration less gravity
    flx_node force[3], moment[3]; // that it takes
} flx_torque_link;

// A joint between two links that are there already.
typedef struct flx_torque_closure {
    flx_item *joint;
    int link[2]; // of its bodies; -1: the ground
} flx_torque_closure;

typedef struct flx_torque_tree {
    flx_env *e;
    flx_builder *b;
    flx_item *control;
    flx_loc loc;
    int njoint, nlink, nclosure, npassive;
    flx_item *joints[FLX_TORQUE_LINKS];
    flx_node goal[FLX_TORQUE_LINKS];
    flx_node found[FLX_TORQUE_LINKS]; // (npassive) accelerations that follow
    flx_torque_link links[FLX_TORQUE_LINKS];
    flx_torque_closure closures[FLX_TORQUE_LINKS];
    struct flx_torque_loops *loops; // NULL: none
} flx_torque_tree;

bool flx_torque_is(const flx_item *joint, const char *word);
flx_status flx_torque_refuse(const flx_torque_tree *t, const flx_item *joint, const char *why);
// out += alpha x r + w x (w x r)
void flx_torque_add_turn(flx_graph *g, const flx_node alpha[3], const flx_node w[3],
                         const flx_node r[3], flx_node out[3]);
// The axis of a joint, in ground axes.
void flx_torque_axis(flx_builder *b, const flx_item *joint, flx_node out[3]);

// torque_left.c: warns of forces that are not in the torques, by name.
void flx_torque_tell_left_out(const flx_torque_tree *t);

// ---- torque_loops.c: closed loops ------------------------------------------------------------------------

typedef struct flx_torque_loops flx_torque_loops;
// Refuses, by name: joints that nothing moves, and driven ones that contradict each other. NULL: there are no loops.
flx_status flx_torque_loops_create(flx_torque_tree *t, flx_torque_loops **out);
// t->found, from accelerations of links that are there with zeros for them.
flx_status flx_torque_loops_move(flx_torque_loops *l);
// What a driven link's joint gives (along its axis), from the efforts of all links' joints alone.
flx_status flx_torque_loops_share(flx_torque_loops *l, const flx_node *effort, flx_node *out);
