// abaqus_parts.h - what the files of Abaqus' reader share: abaqus_lines.c lines and their fields, abaqus.c
// nodes, elements and the whole file, abaqus_sets.c sets and surfaces, abaqus_assembly.c parts and instances,
// abaqus_data.c materials and sections, abaqus_loads.c supports and loads, abaqus_links.c masses, springs
// and what ties nodes.
#pragma once

#include "read/include.h"
#include "read/mesh.h"

#define MOST_FIELDS 32
#define MOST_OPTIONS 12
#define MOST_NAME 128
#define SLENDER 1 // marks of elements: without shear; of a spring: along its line
#define PLANE 2   // of the plane

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
    char text[1024]; // of a keyword that goes on over lines
} flx_abaqus_keyword;

typedef struct flx_abaqus_part { // its text, read again for each instance
    const char *name;
    flx_scan text;
} flx_abaqus_part;

typedef struct flx_abaqus_scope { // numbers and names of an instance; the first is the file's own
    const char *name;             // "": the file's own
    int offset;                   // added to its numbers
    double turn[9], shift[3];     // place = turn x + shift
} flx_abaqus_scope;

typedef enum flx_abaqus_profile { // kinds of sections
    FLX_PROFILE_SOLID,            // thickness, or area of a truss
    FLX_PROFILE_RECT,
    FLX_PROFILE_CIRC,
    FLX_PROFILE_PIPE,
    FLX_PROFILE_BOX,
    FLX_PROFILE_I,
    FLX_PROFILE_GENERAL,
    FLX_PROFILE_COUNT
} flx_abaqus_profile;

typedef struct flx_abaqus_section { // settled at the end: its material may come later
    int set, line;
    const char *material; // interned; "": its stiffnesses are given
    flx_abaqus_profile profile;
    double size[8], up[3];
    double given[3]; // E, G, density of a section that has no material
    bool has_up;
} flx_abaqus_section;

typedef struct flx_abaqus_transform { // axes of nodes
    bool cylindrical;
    double a[3], b[3];
} flx_abaqus_transform;

typedef struct flx_abaqus_surface {
    const char *name; // interned
    int set;          // its faces and nodes
} flx_abaqus_surface;

typedef struct flx_abaqus {
    flx_scan *scan;
    flx_include include;
    flx_structure *s;
    const char *line; // the next line of data, or NULL
    int length, number;
    flx_status status; // of lines: an included file that does not open
    int material;      // current one
    int *slot, nslot;  // element of a number, from 1: open addressing
    int nmark, *mark;  // (nmark) by element: its marks
    bool plane, space; // kinds of elements met
    bool nodes_changed;
    int step;      // 0: before the first
    bool told;     // that there are more
    bool scaled;   // told that amplitudes are passed over
    unsigned said; // what was said once
    int npart, part_capacity;
    flx_abaqus_part *parts;
    int nscope, scope_capacity, scope; // present one
    flx_abaqus_scope *scopes;
    flx_abaqus_scope system; // of coordinates, by *SYSTEM; its name is NULL where there is none
    bool numbered;           // numbers of the file's own scope have their offset
    bool replaying;
    flx_scan back; // where an instance goes on after its part
    int nsection, section_capacity;
    flx_abaqus_section *sections;
    int ntransform, transform_capacity;
    flx_abaqus_transform *transforms;
    int naxes, *axes; // (naxes) by node: its transform, from 1
    int nsurface, surface_capacity;
    flx_abaqus_surface *surfaces;
    int coupling; // set of the coupling whose kind is awaited, -1: none
    int coupling_node;
    bool coupling_turned;  // it has axes of its own
    double coupling_reach; // nodes no farther from the reference node are tied
} flx_abaqus;
#define ABAQUS_FAIL(r, line, ...)                                                                  \
    FLX_FAIL((r)->scan->ctx, FLX_ERR_MODEL, flx_structure_loc((r)->s, (line)), __VA_ARGS__)

// ---- abaqus_lines.c ------------------------------------------------------------------------------

// The next line that is no comment; false at the end.
bool flx_abaqus_next_line(flx_abaqus *r);
// The next line of data of a keyword; false at the next keyword.
bool flx_abaqus_next_data(flx_abaqus *r);
void flx_abaqus_split(const flx_abaqus *r, flx_abaqus_fields *f);
bool flx_abaqus_is(flx_abaqus_field f,
                   const char *word); // in capitals or not, with blanks or without
// The value of an option; NULL: not given.
const flx_abaqus_field *flx_abaqus_option(const flx_abaqus_keyword *k, const char *key);
// The keyword at the present line; its last line becomes the present one.
void flx_abaqus_read_keyword(flx_abaqus *r, flx_abaqus_keyword *k);
flx_status flx_abaqus_refuse(const flx_abaqus *r, flx_abaqus_field f, const char *what);
// Field i as a number, or a message that says what is expected.
flx_status flx_abaqus_number(const flx_abaqus *r, const flx_abaqus_fields *f, int i,
                             const char *what, double *out);
flx_status flx_abaqus_int(const flx_abaqus *r, const flx_abaqus_fields *f, int i, const char *what,
                          int *out);
// An option that must be there.
flx_status flx_abaqus_need(const flx_abaqus *r, const flx_abaqus_keyword *k, const char *key,
                           const flx_abaqus_field **out);
// The present line of data as numbers; missing ones stay. *n: how many there are.
flx_status flx_abaqus_numbers(const flx_abaqus *r, int most, const char *what, double *v, int *n);
// A field as a name that lasts; NULL: no memory.
const char *flx_abaqus_name(const flx_abaqus *r, flx_abaqus_field f);
flx_status flx_abaqus_pass(flx_abaqus *r); // over the lines of data

// ---- abaqus_sets.c -------------------------------------------------------------------------------

// A set of the present scope, or "instance.set"; -1: none.
int flx_abaqus_find_set(const flx_abaqus *r, flx_abaqus_field name);
// The same, made when there is none; -1: no memory.
int flx_abaqus_make_set(const flx_abaqus *r, flx_abaqus_field name);
// Node or element of a number, "7" or "instance.7"; *index -1: the field is no number. Fails where
// nothing has it.
flx_status flx_abaqus_member(flx_abaqus *r, flx_abaqus_field f, bool element, int *index);
// Its number is that of the next element; refused when it has been there.
flx_status flx_abaqus_note_element(flx_abaqus *r, int label, int line);
flx_status flx_abaqus_set(flx_abaqus *r, const flx_abaqus_keyword *k, bool elements);
flx_status flx_abaqus_surface_read(flx_abaqus *r, const flx_abaqus_keyword *k);
int flx_abaqus_find_surface(const flx_abaqus *r, flx_abaqus_field name); // its set; -1: none
// A face (from 0) of an element as a boundary; its number is the last one then.
flx_status flx_abaqus_add_face(flx_abaqus *r, int element, int face);
// Nodes of a number or of a set: calls add for each.
typedef flx_status (*flx_abaqus_add)(flx_abaqus *r, int node, const void *user);
flx_status flx_abaqus_for_nodes(flx_abaqus *r, flx_abaqus_field f, flx_abaqus_add add,
                                const void *user);
flx_status flx_abaqus_for_elements(flx_abaqus *r, flx_abaqus_field f, flx_abaqus_add add,
                                   const void *user);
// Sets of instances lose the name of the instance where no other has theirs; surfaces get their names.
flx_status flx_abaqus_name_sets(flx_abaqus *r);

// ---- abaqus_assembly.c ---------------------------------------------------------------------------

flx_status flx_abaqus_start_part(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_end_part(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_start_instance(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_end_instance(flx_abaqus *r);
flx_status flx_abaqus_system(flx_abaqus *r, const flx_abaqus_keyword *k);
// Coordinates as they are read become a place of the structure.
void flx_abaqus_place(const flx_abaqus *r, double x[3]);
// The offset of numbers that are defined now.
flx_status flx_abaqus_number_scope(flx_abaqus *r);

// ---- abaqus_data.c: one function a keyword -------------------------------------------------------

flx_status flx_abaqus_material(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_property(flx_abaqus *r, const flx_abaqus_keyword *k, bool elastic);
flx_status flx_abaqus_section_read(flx_abaqus *r, const flx_abaqus_keyword *k);
// Plane or spatial; elements that have no section beside others of a higher dimension are their boundaries.
void flx_abaqus_find_dimension(flx_abaqus *r);
flx_status flx_abaqus_settle_sections(flx_abaqus *r);

// ---- abaqus_loads.c ------------------------------------------------------------------------------

flx_status flx_abaqus_boundary(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_cload(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_dload(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_transform_read(flx_abaqus *r, const flx_abaqus_keyword *k);

// ---- abaqus_links.c ------------------------------------------------------------------------------

flx_status flx_abaqus_mass(flx_abaqus *r, const flx_abaqus_keyword *k, bool rotary);
flx_status flx_abaqus_spring(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_rigid(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_start_coupling(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_end_coupling(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_equation(flx_abaqus *r, const flx_abaqus_keyword *k);
flx_status flx_abaqus_mpc(flx_abaqus *r, const flx_abaqus_keyword *k);
