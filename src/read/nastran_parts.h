// nastran_parts.h - what the files of Nastran's reader share: nastran_cards.c cards and their fields,
// nastran_data.c nodes, materials and properties, nastran.c the rest.
#pragma once

#include "read/mesh.h"

typedef struct flx_nastran_field {
    const char *text;
    int length;
} flx_nastran_field;

typedef struct flx_nastran_property { // P* cards, by their number
    int id, material, section;
    double stiffness; // PELAS
    int line;
} flx_nastran_property;

typedef struct flx_nastran_number_of {
    int id, index;
} flx_nastran_number_of;

typedef struct flx_nastran {
    flx_scan *scan;
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
    int nelement, element_capacity;
    int *element_property; // by element: number of its property, settled at the end
    int nspring, spring_capacity;
    int *spring_property;
    int largest; // number of a node
} flx_nastran;
#define REFUSE(r, ...) FLX_FAIL((r)->scan->ctx, FLX_ERR_MODEL, flx_nastran_place(r), __VA_ARGS__)

#define GROW(r, array, capacity, need)                                                             \
    do {                                                                                           \
        void *array_ = (array);                                                                    \
        flx_status grown_ =                                                                        \
            flx_grow((r)->scan->ctx, &array_, &(capacity), (need), sizeof *(array));               \
        (array) = array_;                                                                          \
        if (grown_ != FLX_OK) return grown_;                                                       \
    } while (0)

// ---- nastran_cards.c -----------------------------------------------------------------------------

flx_loc flx_nastran_place(const flx_nastran *r);
// The next card with its continuations; *more false: there is none.
flx_status flx_nastran_card(flx_nastran *r, bool *more);
bool flx_nastran_is(const flx_nastran *r, const char *word); // the name of the card
bool flx_nastran_is_empty(const flx_nastran *r, int i);      // field i
flx_status flx_nastran_int(const flx_nastran *r, int i, const char *what, int *out);
flx_status flx_nastran_number(const flx_nastran *r, int i, const char *what,
                              double *out); // empty: as it was
flx_status flx_nastran_node(const flx_nastran *r, int i, int *node);
flx_status flx_nastran_mask(const flx_nastran *r, int i, unsigned *mask); // components as digits

// ---- nastran_data.c ------------------------------------------------------------------------------

flx_status flx_nastran_grid(flx_nastran *r);
flx_status flx_nastran_material(flx_nastran *r);
flx_status flx_nastran_read_property(flx_nastran *r);
// c: its section, or NULL; k: the stiffness of a spring.
flx_status flx_nastran_add_property(flx_nastran *r, int id, int material, const flx_section *c,
                                    double k);
