// block_fe_parts.h - what the files of the block `fe` share: block_fe.c the whole, block_fe_elements.c the elements,
// block_fe_loads.c supports and loads.
#pragma once

#include "language/builder.h"
#include "model/structure.h"

typedef struct flx_fe_maker {
    flx_env *e;
    flx_builder *b;
    flx_structure *s;
    const flx_entry *fe;
} flx_fe_maker;

// Material, section and theory of the structure or of a region; -1 where not given.
typedef struct flx_element_data {
    int material, section, family;
    bool incompatible, says_so; // modes of quadrilaterals and hexahedra; whether that is said
} flx_element_data;

// The nodes of one name or of several, owned by the caller also on failure.
typedef struct flx_node_list {
    int n, capacity;
    int *nodes;
} flx_node_list;
// Calls add for the nodes of one name, or of several.
typedef flx_status (*flx_fe_add)(flx_fe_maker *m, int node, void *user);
flx_status flx_fe_for_nodes(flx_fe_maker *m, const flx_entry *on, flx_fe_add add, void *user);
flx_status flx_fe_collect(flx_fe_maker *m, const flx_entry *on, flx_node_list *list);

// Words such as x, ry as bits; y NULL: all.
flx_status flx_fe_read_components(flx_fe_maker *m, const flx_entry *y, unsigned *mask);
// block_fe_loads.c
flx_status flx_fe_read_support(flx_fe_maker *m, const flx_entry *y);
flx_status flx_fe_read_load(flx_fe_maker *m, const flx_entry *y);

// The elements of a line get sections of their own where `section` changes with `s`.
flx_status flx_fe_vary_line(flx_fe_maker *m);
flx_status flx_fe_read_data(flx_fe_maker *m, const flx_entry *y, flx_element_data *d);
// Materials, sections and families of a mesh: by regions, and of the rest by the block itself.
flx_status flx_fe_settle_elements(flx_fe_maker *m);
// The message about a set that is not in the mesh, or has none of what is asked for.
flx_status flx_fe_refuse_set(const flx_fe_maker *m, const flx_entry *y, const char *what);
