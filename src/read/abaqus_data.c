// abaqus_data.c - materials, sections, supports, loads, masses, springs and rigid bodies of Abaqus' input.
#include "read/abaqus_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- materials and sections ---------------------------------------------------------------------

flx_status flx_abaqus_material(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name;
    char text[128];
    FLX_TRY(flx_abaqus_need(r, k, "NAME", &name));
    snprintf(text, sizeof text, "%.*s", name->length, name->text);
    flx_material m = {.name = flx_intern(r->scan->ctx, text), .loc = {r->scan->file, k->line, 1}};
    if (!m.name) return FLX_ERR_MEMORY;
    r->material = r->s->nmaterial;
    FLX_TRY(flx_structure_add_material(r->s, &m));
    flx_abaqus_next_line(r);
    return FLX_OK;
}

flx_status flx_abaqus_property(flx_abaqus *r, const flx_abaqus_keyword *k, bool elastic)
{
    flx_abaqus_fields f;
    double value[2] = {0, 0};
    if (r->material < 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%.*s comes before *MATERIAL", k->name.length, k->name.text);
    }
    if (!flx_abaqus_next_data(r)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%.*s has no numbers", k->name.length, k->name.text);
    }
    flx_abaqus_split(r, &f);
    for (int i = 0; i < (elastic ? 2 : 1); i++) {
        FLX_TRY(flx_abaqus_number(
            r, &f, i, elastic ? "Young's modulus and Poisson's ratio" : "a density", &value[i]));
    }
    flx_material *m = r->s->materials + r->material;
    if (elastic) {
        m->E = value[0];
        m->nu = value[1];
    } else {
        m->density = value[0];
    }
    while (flx_abaqus_next_data(r)) { // of other temperatures
    }
    return FLX_OK;
}

static int find_material(const flx_abaqus *r, flx_abaqus_field name)
{
    for (int i = 0; i < r->s->nmaterial; i++) {
        if (flx_abaqus_is(name, r->s->materials[i].name)) return i;
    }
    return -1;
}

// Thickness of plane elements, area of trusses; of beams the kind of the section with its sizes, and then
// the first direction of its axes.
flx_status flx_abaqus_section(flx_abaqus *r, const flx_abaqus_keyword *k, bool beam)
{
    const flx_abaqus_field *name, *material, *kind = flx_abaqus_option(k, "SECTION");
    double v[3] = {0, 0, 0};
    flx_abaqus_fields f;
    FLX_TRY(flx_abaqus_need(r, k, "ELSET", &name));
    FLX_TRY(flx_abaqus_need(r, k, "MATERIAL", &material));
    const flx_mesh_set *set = flx_abaqus_find_set(r, *name);
    char buffer[64];
    if (!set) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "no set is named '%s'", flx_text_quote(name->text, name->length, buffer));
    }
    flx_section c = {.name = "", .sized = true, .thickness = 1, .A = 1};
    int own = find_material(r, *material), line = k->line;
    double nu = own >= 0 ? r->s->materials[own].nu : 0.3;
    if (own < 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "no material is named '%s'; *MATERIAL comes before the section",
                        flx_text_quote(material->text, material->length, buffer));
    }
    bool data = flx_abaqus_next_data(r);
    if (beam && !data) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                        "*BEAM SECTION has no sizes");
    }
    if (data) {
        flx_abaqus_split(r, &f);
        bool round = beam && kind && flx_abaqus_is(*kind, "CIRC");
        if (beam && !round && !(kind && flx_abaqus_is(*kind, "RECT"))) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                            "beam sections are RECT or CIRC here");
        }
        for (int i = 0; i < (beam && !round ? 2 : 1); i++) {
            FLX_TRY(flx_abaqus_number(r, &f, i, "a size of the section", &v[i]));
            if (!(v[i] > 0)) return flx_abaqus_refuse(r, f.item[i], "a size above zero");
        }
        c.thickness = c.A = v[0];
        if (round) c = flx_section_circle(v[0], nu);
        if (beam && !round) c = flx_section_rectangle(v[1], v[0], nu); // first along the first axis
        if (flx_abaqus_next_data(r) && beam) {
            flx_abaqus_split(r, &f);
            for (int i = 0; i < 3; i++) {
                FLX_TRY(flx_abaqus_number(r, &f, i, "the first axis of the section", &c.up[i]));
            }
            c.has_up = true;
            flx_abaqus_next_line(r);
        }
    }
    c.loc = (flx_loc){r->scan->file, line, 1};
    set = flx_abaqus_find_set(r, *name);
    for (int i = 0; i < set->nelement; i++) {
        flx_element *e = r->s->elements + set->elements[i];
        e->material = own;
        e->section = r->s->nsection;
    }
    return flx_structure_add_section(r->s, &c);
}

// ---- supports and loads -------------------------------------------------------------------------

// Nodes of a number or of a set: calls add for each.
typedef flx_status (*add_one)(flx_abaqus *r, int node, const void *user);

static flx_status for_nodes(flx_abaqus *r, flx_abaqus_field f, add_one add, const void *user)
{
    int label;
    char buffer[64];
    if (flx_text_int(f.text, f.length, &label)) {
        int node = flx_structure_node_of(r->s, label);
        if (node < 0) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                            "node %d is not in the file", label);
        }
        return add(r, node, user);
    }
    const flx_mesh_set *set = flx_abaqus_find_set(r, f);
    if (!set || set->nnode == 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                        "no set of nodes is named '%s'", flx_text_quote(f.text, f.length, buffer));
    }
    int at = (int)(set - r->s->sets);
    for (int i = 0; i < r->s->sets[at].nnode; i++) FLX_TRY(add(r, r->s->sets[at].nodes[i], user));
    return FLX_OK;
}

static flx_status add_support(flx_abaqus *r, int node, const void *user)
{
    flx_support p = *(const flx_support *)user;
    p.node = node;
    return flx_structure_add_support(r->s, &p);
}

static flx_status add_load(flx_abaqus *r, int node, const void *user)
{
    flx_nodal_load l = *(const flx_nodal_load *)user;
    l.node = node;
    return flx_structure_add_load(r->s, &l);
}

flx_status flx_abaqus_boundary(flx_abaqus *r)
{
    static const struct {
        const char *word;
        unsigned mask;
    } words[] = {{"ENCASTRE", 077}, {"PINNED", 07}, {"XSYMM", 061}, {"YSYMM", 052}, {"ZSYMM", 034}};
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int first = 0, last;
        flx_support p = {.loc = flx_abaqus_place(r)};
        flx_abaqus_split(r, &f);
        for (size_t i = 0; f.n > 1 && i < sizeof words / sizeof words[0]; i++) {
            if (flx_abaqus_is(f.item[1], words[i].word)) p.mask = words[i].mask;
        }
        if (p.mask == 0) {
            double value = 0;
            FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &first));
            last = first;
            if (f.n > 2 && f.item[2].length > 0) {
                FLX_TRY(flx_abaqus_int(r, &f, 2, "a component from 1 to 6", &last));
            }
            if (f.n > 3) FLX_TRY(flx_abaqus_number(r, &f, 3, "a displacement", &value));
            if (first < 1 || last > 6 || last < first) {
                return flx_abaqus_refuse(r, f.item[1], "a component from 1 to 6");
            }
            for (int c = first - 1; c < last; c++) {
                p.mask |= 1u << c;
                p.value[c] = value;
            }
        }
        FLX_TRY(for_nodes(r, f.item[0], add_support, &p));
    }
    return FLX_OK;
}

flx_status flx_abaqus_cload(flx_abaqus *r)
{
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int comp;
        flx_nodal_load l = {0};
        double value;
        flx_abaqus_split(r, &f);
        FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &comp));
        FLX_TRY(flx_abaqus_number(r, &f, 2, "a force", &value));
        if (comp < 1 || comp > 6) return flx_abaqus_refuse(r, f.item[1], "a component from 1 to 6");
        l.force[comp - 1] = value;
        FLX_TRY(for_nodes(r, f.item[0], add_load, &l));
    }
    return FLX_OK;
}

// A face as a boundary element with its normal outwards, and a pressure on it.
static flx_status add_face(flx_abaqus *r, int element, int face, double pressure)
{
    int nodes[FLX_CELL_NODES];
    flx_cell cell;
    const flx_element *e = r->s->elements + element;
    if (!flx_structure_face(r->s, element, face, &cell, nodes)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                        "element %d (%s) has no face %d", e->label, flx_cells[e->cell].word,
                        face + 1);
    }
    const flx_element own = {
        .cell = cell, .label = e->label, .line = r->number, .material = -1, .section = -1};
    const flx_pressure p = {.element = r->s->nelement, .value = pressure};
    FLX_TRY(flx_structure_add_element(r->s, &own, nodes));
    return flx_structure_add_pressure(r->s, &p);
}

flx_status flx_abaqus_dload(flx_abaqus *r)
{
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        double value, axis[3];
        char buffer[64];
        int label, face;
        flx_abaqus_split(r, &f);
        if (f.n > 1 && flx_abaqus_is(f.item[1], "GRAV")) {
            FLX_TRY(flx_abaqus_number(r, &f, 2, "an acceleration", &value));
            for (int c = 0; c < 3; c++) {
                FLX_TRY(flx_abaqus_number(r, &f, 3 + c, "a direction", &axis[c]));
                r->s->gravity[c] += value * axis[c];
            }
            continue;
        }
        bool pressed = f.n > 1 && f.item[1].length == 2 && toupper(f.item[1].text[0]) == 'P' &&
                       flx_text_int(f.item[1].text + 1, 1, &face);
        if (!pressed)
            return flx_abaqus_refuse(r, f.n > 1 ? f.item[1] : f.item[0], "GRAV or P1 to P6");
        FLX_TRY(flx_abaqus_number(r, &f, 2, "a pressure", &value));
        if (flx_text_int(f.item[0].text, f.item[0].length, &label)) {
            int e = flx_abaqus_element_of(r, label);
            if (e < 0) return flx_abaqus_refuse(r, f.item[0], "an element");
            FLX_TRY(add_face(r, e, face - 1, value));
            continue;
        }
        const flx_mesh_set *set = flx_abaqus_find_set(r, f.item[0]);
        if (!set || set->nelement == 0) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                            "no set of elements is named '%s'",
                            flx_text_quote(f.item[0].text, f.item[0].length, buffer));
        }
        int at = (int)(set - r->s->sets), n = set->nelement;
        for (int i = 0; i < n; i++) {
            FLX_TRY(add_face(r, r->s->sets[at].elements[i], face - 1, value));
        }
    }
    return FLX_OK;
}

// ---- masses, springs, rigid bodies --------------------------------------------------------------

flx_status flx_abaqus_mass(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name;
    flx_abaqus_fields f;
    double value;
    FLX_TRY(flx_abaqus_need(r, k, "ELSET", &name));
    flx_loc loc = {r->scan->file, k->line, 1};
    if (!flx_abaqus_next_data(r))
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*MASS has no number");
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_number(r, &f, 0, "a mass", &value));
    const flx_mesh_set *set = flx_abaqus_find_set(r, *name);
    for (int i = 0; set && i < set->nelement; i++) {
        const flx_point_mass m = {
            .node = flx_element_nodes(r->s, set->elements[i])[0], .loc = loc, .mass = value};
        FLX_TRY(flx_structure_add_mass(r->s, &m));
    }
    flx_abaqus_next_line(r);
    return FLX_OK;
}

flx_status flx_abaqus_spring(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name;
    flx_abaqus_fields f;
    int comp;
    double value;
    FLX_TRY(flx_abaqus_need(r, k, "ELSET", &name));
    flx_loc loc = {r->scan->file, k->line, 1};
    if (!flx_abaqus_next_data(r))
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*SPRING has no numbers");
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_int(r, &f, 0, "a component from 1 to 6", &comp));
    if (comp < 1 || comp > 6) return flx_abaqus_refuse(r, f.item[0], "a component from 1 to 6");
    if (!flx_abaqus_next_data(r))
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*SPRING has no stiffness");
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_number(r, &f, 0, "a stiffness", &value));
    const flx_mesh_set *set = flx_abaqus_find_set(r, *name);
    for (int i = 0; set && i < set->nelement; i++) {
        const int *nodes = flx_element_nodes(r->s, set->elements[i]);
        bool pair = r->s->elements[set->elements[i]].cell == FLX_CELL_LINE2;
        flx_spring_element spring = {.node = {nodes[0], pair ? nodes[1] : -1}, .loc = loc};
        spring.stiffness[comp - 1] = value;
        FLX_TRY(flx_structure_add_spring(r->s, &spring));
    }
    flx_abaqus_next_line(r);
    return FLX_OK;
}

flx_status flx_abaqus_rigid(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name, *reference;
    int label = 0;
    flx_loc loc = {r->scan->file, k->line, 1};
    FLX_TRY(flx_abaqus_need(r, k, "REF NODE", &reference));
    FLX_TRY(flx_abaqus_need(r, k, flx_abaqus_option(k, "NSET") ? "NSET" : "ELSET", &name));
    const flx_mesh_set *set = flx_abaqus_find_set(r, *name);
    int node = flx_text_int(reference->text, reference->length, &label)
                   ? flx_structure_node_of(r->s, label)
                   : -1;
    if (node < 0 || !set || set->nnode == 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc,
                        "*RIGID BODY needs a node that is there and a set that has nodes");
    }
    const flx_node_link l = {.kind = FLX_LINK_RIGID,
                             .loc = loc,
                             .reference = node,
                             .mask = 077,
                             .nnode = set->nnode,
                             .nodes = set->nodes};
    FLX_TRY(flx_structure_add_link(r->s, &l));
    flx_abaqus_next_line(r);
    return FLX_OK;
}
