// nastran_parts.h - what the files of Nastran's reader share: nastran_cards.c cards and their fields,
// nastran_axes.c coordinate systems, nastran_data.c nodes, materials and properties, nastran_cases.c which
// supports and loads are chosen, nastran_loads.c those, nastran_links.c masses, springs and what ties nodes,
// nastran.c elements and the whole file.
#pragma once

#include "read/include.h"
#include "read/mesh.h"

typedef struct flx_nastran_field {
    const char *text;
    int length;
} flx_nastran_field;

typedef struct flx_nastran_property { // P* cards, by their number
    int id, material, section;
    double stiffness[6]; // PBUSH; PELAS: all the same
    int line;
} flx_nastran_property;

typedef struct flx_nastran_number_of {
    int id, index;
} flx_nastran_number_of;

typedef struct flx_nastran_axes { // CORD* cards
    int id, reference, line;
    char kind; // R, C, S
    bool known;
    double given[9];           // places on it: origin, along z, in the plane x, z
    double origin[3], axes[9]; // in basic coordinates, rows
} flx_nastran_axes;

typedef struct flx_nastran_share { // LOAD, SPCADD, MPCADD: what a set is made of
    char kind;                     // L, S, M
    int id, part;
    double factor;
} flx_nastran_share;

typedef struct flx_nastran_moved { // SPCD
    int node, line;
    unsigned mask;
    double value;
} flx_nastran_moved;

typedef struct flx_nastran {
    flx_scan *scan;
    flx_include include;
    flx_structure *s;
    int n, capacity; // fields of the card: [0] its name
    flx_nastran_field *f;
    int line; // of the card
    const char *next;
    int next_length, next_line; // read ahead
    bool ahead;
    int nproperty, property_capacity;
    flx_nastran_property *properties;
    int nmaterial, material_capacity;
    flx_nastran_number_of *materials;
    int element_capacity;
    int *element_property; // by element: number of its property, settled at the end
    int spring_capacity;
    int *spring_property; // by spring: number of its property; 0: it has its stiffness
    int nlabel, label_capacity;
    flx_nastran_number_of *labels; // elements by their numbers, ascending
    int largest;                   // number of a node
    int naxes, axes_capacity;
    flx_nastran_axes *axes;
    int ndisplacement, *displacement; // (ndisplacement) by node: number of its axes, 0: basic
    int grid_axes[2], grid_held;      // GRDSET: of places, of displacements; components
    int chosen[3];                    // by case control: SPC, LOAD, MPC; 0: none
    int seen[3];                      // a set that was used without a choice
    bool told[3];
    bool met[3]; // a card belongs to the chosen set
    int nshare, share_capacity;
    flx_nastran_share *shares;
    int nmoved, moved_capacity;
    flx_nastran_moved *moved;
    double mass_factor; // PARAM, WTMASS
} flx_nastran;
#define REFUSE(r, ...) FLX_FAIL((r)->scan->ctx, FLX_ERR_MODEL, flx_nastran_place(r), __VA_ARGS__)

// ---- nastran_cards.c -----------------------------------------------------------------------------

flx_loc flx_nastran_place(const flx_nastran *r);
// The next card with its continuations; *more false: there is none.
flx_status flx_nastran_card(flx_nastran *r, bool *more);
bool flx_nastran_is(const flx_nastran *r, const char *word);              // the name of the card
bool flx_nastran_field_is(const flx_nastran *r, int i, const char *word); // a field
bool flx_nastran_is_empty(const flx_nastran *r, int i);                   // field i
bool flx_nastran_is_real(const flx_nastran *r, int i);                    // 1.5, not 1
flx_status flx_nastran_int(const flx_nastran *r, int i, const char *what, int *out);
flx_status flx_nastran_id(const flx_nastran *r, int i, const char *what,
                          int *out); // empty: as it was
flx_status flx_nastran_number(const flx_nastran *r, int i, const char *what,
                              double *out); // empty: as it was
flx_status flx_nastran_node(const flx_nastran *r, int i, int *node);
flx_status flx_nastran_mask(const flx_nastran *r, int i, unsigned *mask); // components as digits

// ---- nastran_axes.c ------------------------------------------------------------------------------

flx_status flx_nastran_add_axes(flx_nastran *r); // a card CORD1* or CORD2*
flx_status flx_nastran_settle_axes(flx_nastran *r);
// x of a node in the system id becomes basic.
flx_status flx_nastran_to_basic(const flx_nastran *r, int id, double x[3]);
// v in the directions of the system at a place becomes basic.
flx_status flx_nastran_turn(const flx_nastran *r, int id, const double at[3], double v[3]);
// Of the displacements of a node; *turned false: they are basic.
flx_status flx_nastran_node_axes(const flx_nastran *r, int node, bool *turned, double R[9]);
flx_status flx_nastran_need_basic(const flx_nastran *r, int node); // refused otherwise

// ---- nastran_data.c ------------------------------------------------------------------------------

flx_status flx_nastran_grid_default(flx_nastran *r); // GRDSET
flx_status flx_nastran_grid(flx_nastran *r);
flx_status flx_nastran_material(flx_nastran *r);
flx_status flx_nastran_read_property(flx_nastran *r);
// c: its section, or NULL; k: stiffnesses of a spring, or NULL.
flx_status flx_nastran_add_property(flx_nastran *r, int id, int material, const flx_section *c,
                                    const double *k);
const flx_nastran_property *flx_nastran_find_property(const flx_nastran *r, int id);

// ---- nastran_cases.c -----------------------------------------------------------------------------

flx_status flx_nastran_control(flx_nastran *r); // executive and case control, to BEGIN BULK
flx_status flx_nastran_share_read(flx_nastran *r);
// How much of a set of supports (0), loads (1) or equations (2) acts.
double flx_nastran_factor(flx_nastran *r, int kind, int id);
// Says which chosen sets no card belongs to.
void flx_nastran_tell_unmet(const flx_nastran *r);

// ---- nastran_loads.c -----------------------------------------------------------------------------

flx_status flx_nastran_spc(flx_nastran *r);
flx_status flx_nastran_load(flx_nastran *r, bool *known); // FORCE, MOMENT, GRAV, PLOAD4, ...
flx_status flx_nastran_move_supports(flx_nastran *r);

// ---- nastran_links.c -----------------------------------------------------------------------------

// Nodes of a list from field *i on, with THRU, to the next number with a point or another word.
flx_status flx_nastran_nodes(flx_nastran *r, int *i, int *n, int **nodes, int *capacity);
flx_status flx_nastran_spring(flx_nastran *r);
flx_status flx_nastran_mass(flx_nastran *r);
flx_status flx_nastran_link(flx_nastran *r); // RBE2, RBE3, RBAR, MPC
// A new node beside another one, tied to it.
flx_status flx_nastran_offset(flx_nastran *r, int node, const double off[3], int *out);

// ---- nastran.c -----------------------------------------------------------------------------------

int flx_nastran_element(const flx_nastran *r, int id); // -1: none
