// ties.h - components of nodes that follow others, before those are unknowns: links (ties.c) and supports
// along axes of their own (ties_supports.c). dofs.c numbers unknowns and resolves the ties.
#pragma once

#include "fe/fe_parts.h"

// Ties over components of nodes (6 node + comp) before those are unknowns.
typedef struct flx_ties {
    int n, start_capacity, target_capacity;
    int *start;  // (n + 1)
    int *target; // (n)
    int constant_capacity;
    double *constant; // (n)
    int loc_capacity;
    flx_loc *loc; // (n)
    int nterm, source_capacity, weight_capacity;
    int *source;
    double *weight;
} flx_ties;

#define GROW(ctx, array, capacity, need)                                                           \
    do {                                                                                           \
        void *array_ = (array);                                                                    \
        flx_status grown_ = flx_grow((ctx), &array_, &(capacity), (need), sizeof *(array));        \
        (array) = array_;                                                                          \
        if (grown_ != FLX_OK) return grown_;                                                       \
    } while (0)

extern const char *const flx_component_words[6];

// A new tie; its terms follow.
flx_status flx_ties_add(flx_fe *fe, flx_ties *r, int node, int comp, flx_loc loc);
flx_status flx_ties_term(flx_ctx *ctx, flx_ties *r, int source, double weight);
void flx_ties_clear(flx_ties *r);

flx_status flx_ties_link(flx_fe *fe, flx_ties *r, const flx_node_link *l);
// Of all supports along axes of their own; those along the structure's are fixed already.
flx_status flx_ties_supports(flx_fe *fe, flx_ties *r);
