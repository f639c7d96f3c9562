// ldl_order_parts.h - inside of the elimination order: ldl_forest.c pairs constraints with bodies,
// ldl_order.c eliminates.
#pragma once

#include "math/ldl/ldl_order.h"

enum { FLX_LDL_GROUND = -1 };

typedef struct flx_ldl_ordering {
    flx_ctx *ctx;
    const flx_pattern *p;
    const signed char *sign;
    int *node;   // block of unknowns whose node a block belongs to; -1: a closure
    int *parent; // of a block of unknowns: the next one towards the ground, or FLX_LDL_GROUND
    int *enter, *leave;      // interval of the node in a depth-first walk of the forest
    int *up;                 // first node at or above that is not eliminated yet, with shortcuts
    int *children;           // outboard neighbours in the forest that are not eliminated yet
    int *watch, *next_watch; // lists of the closures that wait for a node
    int *order;
    int norder;

    // A pivot is a node, named by its block of unknowns, or a closure.
    int *next_joint; // blocks of a node: the block of unknowns, then its joints; -1: no more
    int *state;
    int *begin, *length, *nelement; // list of a block: the elements it is in, then other neighbours
    int *list, *scratch;
    int *degree; // of a pivot: bound of the unknowns that its elimination couples
    int *weight; // unknowns in an element
    int *first_member, *end_member, *members, nmember, member_capacity; // of elements
    int *mark, *outside, stamp; // in the latest element; unknowns of an element outside of it
    int *seen, look;            // stamps of one look at a pivot
    int *updated;               // stamp of the last update of a pivot's degree
    int *key, *first, *left, *right, nkey, lowest; // pivots that may be eliminated, by key
} flx_ldl_ordering;

static inline int flx_ldl_block_size(const flx_ldl_ordering *o, int b)
{
    return o->p->start[b + 1] - o->p->start[b];
}

// Nodes, parents and the walk of the forest. free_columns (nblock): scratch.
void flx_ldl_find_forest(flx_ldl_ordering *o, int *free_columns);
