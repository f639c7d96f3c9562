// tree_fronts.h - the Newton matrix of a tree without its square pattern: what is kept of each link,
// and in which order the links are taken out.
//
// An increment d of the joints moves link i by six numbers, rotation and displacement of its origin in
// the ground's axes, which change in time as the motion goes on: y_i = (x, x', x''). Forces on a link
// are linear in them; those on its bodies come from the descriptor. Per link
//     y_i = T_i y_p + B_i d_i,   F_i = sum_j Phi_ij y_j + sum of F of the links on it        (TRN-1)
// so that everything is known of blocks of one link, and of pairs where a force acts between bodies.
//
// Extra numbers of flx_blocks, behind the entries of the pattern, in this order; those of A0, A1 and A2
// belong to x, x' and x'':
//     geometry of each link (FLX_TREE_GEOMETRY)
//     Phi of each link, then of each pair: 6 columns of 6 numbers, moment and force
//     rows of other unknowns: 6 numbers for each that reads the motion of a link
//     columns of other unknowns: 6 numbers for each that acts on a link
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"
#include "tree/recursion/tree_dynamics.h"

// Numbers of y, and what is kept of the geometry of a link in each of A0, A1, A2:
//     A0: axes of its freedoms (9), place r in the parent (3), moment and force of all outboard (6)
//     A1: angular velocity of the parent, that of the joint, r'
//     A2: angular acceleration of the parent, r''
#define FLX_TREE_MOTION 18
#define FLX_TREE_GEOMETRY 18
// Up to so many other unknowns the border is full, and all of them are in it.
#define FLX_TREE_FEW 48

// What is taken out at once: the freedoms of one link, then its parent, partners (other links that forces
// tie it to) and other unknowns stay; or one other unknown.
typedef struct flx_front {
    int link, parent;     // link: -1, another unknown
    int own;              // that one; -1: none
    int npartner, nother; // partners, other unknowns
    const int *partner;   // links, ascending
    const int *other;     // numbers among the unknowns that are no velocities, ascending
    int slots;            // links in its matrix: itself, where it is one, and partners
    int next;             // the front that takes up the rest; -1: only the border is left
    const int *place;     // (slots) of the parent and each partner in next; -1: the ground
    const int
        *other_place; // (nother) in next, where its own is the last; in the border where next = -1
    int rows, cols;   // 6 and FLX_TREE_MOTION for each slot, 1 for each other and its own
    size_t matrix;    // where its matrix, its gains begin; numbers
    size_t gain;
} flx_front;

// An entry of the descriptor's pattern: where it goes.
typedef enum flx_panel_kind {
    FLX_PANEL_NONE,  // on the ground, or among other unknowns
    FLX_PANEL_LINKS, // body and body
    FLX_PANEL_ROW,   // other unknown and body
    FLX_PANEL_COLUMN // body and other unknown
} flx_panel_kind;

typedef struct flx_panel {
    flx_panel_kind kind;
    int row, col; // bodies; -1: other unknowns
    size_t at;    // of the first number in the extra ones
} flx_panel;

typedef struct flx_tree_pair { // Phi of two links, or of a link and another unknown
    int link, with;
    size_t at;
} flx_tree_pair;

// What is left when all links are out: a matrix of the other unknowns.
typedef struct flx_tree_border {
    bool sparse;         // on this pattern, blocks of one; else full
    flx_pattern pattern; // its arrays in numbers
    int *numbers;        // owned
    int *places;      // owned: for each front without a next one, where its entries go, by columns
    int *first_place; // (links) owned: in places; -1: none
    double work;      // products of a factorisation, about
} flx_tree_border;

typedef struct flx_tree_fronts {
    int n, nother;
    int nfront;        // links, and other unknowns that are taken out among them
    flx_front *fronts; // (nfront) owned; the last one first
    int *front_of;     // (n) owned: of each link; then:
    int *taken;        // (nother) front of each other unknown; -1: it stays in the border
    int *in_border;    // (nother) its number there; -1: none
    int *border_other; // (nborder) the unknown of each
    int nborder;
    flx_panel *panels; // (entries of the descriptor's pattern) owned
    int npair, nrow, ncol;
    flx_tree_pair *pairs;          // (npair) owned; row and column, sorted
    flx_tree_pair *rows, *columns; // (nrow) (ncol) owned; other unknowns, sorted by links
    size_t links;                  // first number of Phi of the links
    size_t extra;                  // numbers in each of A0, A1, A2
    size_t matrices, gains;        // numbers for all fronts
    double work;                   // products of one factorisation, about
    int *lists;                    // owned: partners, others, places
    int *met, *meetings; // (nother + 1) (nrow) owned: rows and columns of each other unknown
    int *until; // (nother) the link that their paths along the tree end before; -1: the ground
    flx_tree_border border;
} flx_tree_fronts;

// Geometry of a link in the extra numbers.
typedef struct flx_geometry {
    const double *g0, *g1, *g2;
} flx_geometry;

static inline flx_geometry flx_geometry_of(const flx_blocks *extra, int link)
{
    size_t at = FLX_TREE_GEOMETRY * (size_t)link;
    return (flx_geometry){extra->A0 + at, extra->A1 + at, extra->A2 + at};
}

// One freedom of a joint: along its axis J, by weights c of its coordinate, rate and acceleration,
//     x += c0 J,   x' += c1 J + c0 J1,   x'' += c2 J + c1 E + c0 J2                       (TRN-3)
// J1 = w x J, J2 = J1' for the parent's motion; E = 2 J1 + w_joint x J for rotations, whose rates are
// no derivatives of coordinates, 2 J1 for displacements.
typedef struct flx_axis {
    double turns, slides; // parts of J in rotation and displacement
    v3 J, J1, J2, E;
} flx_axis;

static inline flx_axis flx_axis_of(const flx_link *l, const flx_geometry *g, int freedom)
{
    flx_axis a = {.turns = flx_link_turns(l->kind) ? 1.0 : 0.0};
    a.slides = l->kind == FLX_LINK_SCREW ? l->pitch : 1.0 - a.turns;
    v3 w = v3_load(g->g1);
    a.J = v3_load(g->g0 + 3 * freedom);
    a.J1 = v3_cross(w, a.J);
    a.J2 = v3_add(v3_cross(v3_load(g->g2), a.J), v3_cross(w, a.J1));
    a.E = v3_axpy(2.0, a.J1, v3_cross(v3_load(g->g1 + 3), a.J));
    return a;
}

// What a moment and a force do along a freedom.
static inline double flx_axis_force(const flx_axis *a, v3 N, v3 F)
{
    return a->turns * v3_dot(N, a->J) + a->slides * v3_dot(F, a->J);
}

struct flx_tree;
// after (nother): the link after which an unknown is taken out, -1: it stays in the border; NULL: all stay.
flx_status flx_tree_fronts_create(const struct flx_tree *t, const int *after, flx_tree_fronts *f);
void flx_tree_fronts_clear(flx_tree_fronts *f);
// Into f->until (tree_paths.c).
flx_status flx_tree_paths(const struct flx_tree *t, flx_tree_fronts *f);
// Where a link and an other unknown are in a front.
int flx_front_slot(const flx_front *x, int link);
int flx_front_other(const flx_front *x, int other);
// After the fronts.
flx_status flx_tree_border_create(const struct flx_tree *t, const flx_tree_fronts *f,
                                  flx_tree_border *b);
void flx_tree_border_clear(flx_tree_border *b);
