// abaqus_parts.h - what the files of Abaqus' reader share: abaqus_lines.c lines and their fields, abaqus.c
// nodes, elements and sets, abaqus_data.c materials, sections, supports and loads.
#pragma once

#include "read/mesh.h"

#define MOST_FIELDS 32
#define MOST_OPTIONS 12

typedef struct flx_abaqus_field {
    const char *text;
    int length;
} flx_abaqus_field;

typedef struct flx_abaqus_fields {
    int n;
    flx_abaqus_field item[MOST_FIELDS];
} flx_abaqus_fields;

typedef struct flx_abaqus_keyword {
    flx_abaqus_field name;
    int n;
    flx_abaqus_field key[MOST_OPTIONS], value[MOST_OPTIONS];
    int line;
} flx_abaqus_keyword;

typedef struct flx_abaqus {
    flx_scan *scan;
    flx_structure *s;
    const char *line; // the next line of data, or NULL
    int length, number;
    int material;      // current one
    int *slot, nslot;  // element of a label
    bool plane, space; // kinds of elements met
    bool nodes_changed;
} flx_abaqus;

// ---- abaqus_lines.c ------------------------------------------------------------------------------

flx_loc flx_abaqus_place(const flx_abaqus *r);
// The next line that is no comment; false at the end.
bool flx_abaqus_next_line(flx_abaqus *r);
// The next line of data of a keyword; false at the next keyword.
bool flx_abaqus_next_data(flx_abaqus *r);
void flx_abaqus_split(const flx_abaqus *r, flx_abaqus_fields *f);
bool flx_abaqus_is(flx_abaqus_field f, const char *word); // in capitals or not
// The value of an option; NULL: not given.
const flx_abaqus_field *flx_abaqus_option(const flx_abaqus_keyword *k, const char *key);
void flx_abaqus_read_keyword(const flx_abaqus *r, flx_abaqus_keyword *k);
flx_status flx_abaqus_refuse(const flx_abaqus *r, flx_abaqus_field f, const char *what);
// Field i as a number, or a message that says what is expected.
flx_status flx_abaqus_number(const flx_abaqus *r, const flx_abaqus_fields *f, int i,
                             const char *what, double *out);
flx_status flx_abaqus_int(const flx_abaqus *r, const flx_abaqus_fields *f, int i, const char *what,
                          int *out);
// An option that must be there.
flx_status flx_abaqus_need(const flx_abaqus *r, const flx_abaqus_keyword *k, const char *key,
                           const flx_abaqus_field **out);

// ---- abaqus.c ------------------------------------------------------------------------------------

flx_mesh_set *flx_abaqus_find_set(const flx_abaqus *r, flx_abaqus_field name);
int flx_abaqus_element_of(const flx_abaqus *r, int label); // -1: none

// ---- abaqus_data.c: one function a keyword -------------------------------------------------------

flx_status flx_abaqus_material(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_property(flx_abaqus *r, const flx_abaqus_keyword *k, bool elastic);
flx_status flx_abaqus_section(flx_abaqus *r, const flx_abaqus_keyword *k, bool beam);
flx_status flx_abaqus_boundary(flx_abaqus *r);
flx_status flx_abaqus_cload(flx_abaqus *r);
flx_status flx_abaqus_dload(flx_abaqus *r);
flx_status flx_abaqus_mass(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_spring(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_rigid(flx_abaqus *r, const flx_abaqus_keyword *k);
