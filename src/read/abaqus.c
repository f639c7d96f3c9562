// abaqus.c - input files of Abaqus and CalculiX, flat (without parts): nodes, elements, sets, materials,
// sections, supports, loads, masses, springs, rigid bodies. What only asks for results is passed over;
// other keywords are named in a warning.
#include "read/abaqus_parts.h"

#include <stdio.h>
#include <string.h>

typedef struct element_name { // words of *ELEMENT, TYPE=
    const char *word;
    flx_cell cell;
    flx_family family;
    bool plane, slender;
} element_name;

static const element_name element_names[] = {
    {"C3D4", FLX_CELL_TET4, FLX_FAMILY_SOLID, false, false},
    {"C3D10", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false},
    {"C3D8", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false},
    {"C3D8I", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false},
    {"C3D20", FLX_CELL_HEX20, FLX_FAMILY_SOLID, false, false},
    {"C3D20R", FLX_CELL_HEX20, FLX_FAMILY_SOLID, false, false},
    {"CPS3", FLX_CELL_TRI3, FLX_FAMILY_PLANE_STRESS, true, false},
    {"CPS4", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRESS, true, false},
    {"CPS6", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS, true, false},
    {"CPS8", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS, true, false},
    {"CPE3", FLX_CELL_TRI3, FLX_FAMILY_PLANE_STRAIN, true, false},
    {"CPE4", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRAIN, true, false},
    {"CPE6", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRAIN, true, false},
    {"CPE8", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRAIN, true, false},
    {"T2D2", FLX_CELL_LINE2, FLX_FAMILY_TRUSS, true, false},
    {"T3D2", FLX_CELL_LINE2, FLX_FAMILY_TRUSS, false, false},
    {"B21", FLX_CELL_LINE2, FLX_FAMILY_BEAM, true, false},
    {"B23", FLX_CELL_LINE2, FLX_FAMILY_BEAM, true, true},
    {"B31", FLX_CELL_LINE2, FLX_FAMILY_BEAM, false, false},
    {"B33", FLX_CELL_LINE2, FLX_FAMILY_BEAM, false, true},
    {"MASS", FLX_CELL_POINT, FLX_FAMILY_NONE, false, false},
    {"SPRING1", FLX_CELL_POINT, FLX_FAMILY_NONE, false, false},
    {"SPRING2", FLX_CELL_LINE2, FLX_FAMILY_NONE, false, false},
};

// ---- sets ---------------------------------------------------------------------------------------

flx_mesh_set *flx_abaqus_find_set(const flx_abaqus *r, flx_abaqus_field name)
{
    for (int i = 0; i < r->s->nset; i++) {
        if (flx_abaqus_is(name, r->s->sets[i].name)) return r->s->sets + i;
    }
    return NULL;
}

static flx_mesh_set *make_set(const flx_abaqus *r, flx_abaqus_field name)
{
    char text[128];
    flx_mesh_set *set = flx_abaqus_find_set(r, name);
    if (set) return set;
    snprintf(text, sizeof text, "%.*s", name.length, name.text);
    return flx_structure_set(r->s, text);
}

static flx_status index_nodes(flx_abaqus *r)
{
    if (!r->nodes_changed) return FLX_OK;
    r->nodes_changed = false;
    return flx_structure_index(r->s);
}

int flx_abaqus_element_of(const flx_abaqus *r, int label)
{
    return label >= 0 && label < r->nslot ? r->slot[label] - 1 : -1;
}

static flx_status note_element(flx_abaqus *r, int label)
{
    void *slot = r->slot;
    if (label < 0 || label > 100000000) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                        "element number %d is out of range", label);
    }
    FLX_TRY(flx_grow(r->scan->ctx, &slot, &r->nslot, label + 1, sizeof *r->slot));
    r->slot = slot;
    if (r->slot[label] != 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                        "element %d is there twice: first in line %d", label,
                        r->s->elements[r->slot[label] - 1].line);
    }
    r->slot[label] = r->s->nelement + 1;
    return FLX_OK;
}

static flx_status add_member(flx_abaqus *r, const char *name, int label, bool elements)
{
    int i = elements ? flx_abaqus_element_of(r, label) : flx_structure_node_of(r->s, label);
    if (i < 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                        "set %s has %s %d, which is not there", name, elements ? "element" : "node",
                        label);
    }
    flx_mesh_set *set = flx_structure_set(r->s, name);
    if (!set) return FLX_ERR_MEMORY;
    return flx_structure_add_to_set(r->s, set, elements ? -1 : i, elements ? i : -1);
}

static flx_status add_set(flx_abaqus *r, const char *name, flx_abaqus_field other, bool elements)
{
    char buffer[64];
    const flx_mesh_set *from = flx_abaqus_find_set(r, other);
    if (!from) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r), "no set is named '%s'",
                        flx_text_quote(other.text, other.length, buffer));
    }
    int at = (int)(from - r->s->sets), n = elements ? from->nelement : from->nnode;
    for (int i = 0; i < n; i++) {
        flx_mesh_set *set = flx_structure_set(r->s, name); // sets may move
        if (!set) return FLX_ERR_MEMORY;
        from = r->s->sets + at;
        FLX_TRY(flx_structure_add_to_set(r->s, set, elements ? -1 : from->nodes[i],
                                         elements ? from->elements[i] : -1));
    }
    return FLX_OK;
}

static flx_status read_set(flx_abaqus *r, const flx_abaqus_keyword *k, bool elements)
{
    const flx_abaqus_field *name;
    FLX_TRY(index_nodes(r));
    FLX_TRY(flx_abaqus_need(r, k, elements ? "ELSET" : "NSET", &name));
    flx_mesh_set *set = make_set(r, *name);
    if (!set) return FLX_ERR_MEMORY;
    const char *own = set->name;
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int label;
        flx_abaqus_split(r, &f);
        if (flx_abaqus_option(k, "GENERATE")) {
            int range[3] = {0, 0, 1};
            for (int i = 0; i < (f.n > 2 ? 3 : 2); i++) {
                FLX_TRY(flx_abaqus_int(r, &f, i, "a number", &range[i]));
            }
            if (range[2] < 1) return flx_abaqus_refuse(r, f.item[2], "a step above zero");
            for (int i = range[0]; i <= range[1]; i += range[2]) {
                FLX_TRY(add_member(r, own, i, elements));
            }
            continue;
        }
        for (int i = 0; i < f.n; i++) {
            if (flx_text_int(f.item[i].text, f.item[i].length, &label)) {
                FLX_TRY(add_member(r, own, label, elements));
            } else {
                FLX_TRY(add_set(r, own, f.item[i], elements));
            }
        }
    }
    return FLX_OK;
}

// ---- nodes and elements -------------------------------------------------------------------------

static flx_status read_nodes(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name = flx_abaqus_option(k, "NSET");
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int label;
        double x[3] = {0, 0, 0};
        flx_abaqus_split(r, &f);
        FLX_TRY(flx_abaqus_int(r, &f, 0, "a node's number", &label));
        for (int c = 0; c < 3 && c + 1 < f.n; c++) {
            if (f.item[c + 1].length == 0) continue;
            FLX_TRY(flx_abaqus_number(r, &f, c + 1, "a coordinate", &x[c]));
        }
        FLX_TRY(flx_structure_add_node(r->s, label, r->number, x));
        r->nodes_changed = true;
        if (!name) continue;
        flx_mesh_set *set = make_set(r, *name);
        if (!set) return FLX_ERR_MEMORY;
        FLX_TRY(flx_structure_add_to_set(r->s, set, r->s->nnode - 1, -1));
    }
    return index_nodes(r);
}

static flx_status find_type(const flx_abaqus *r, const flx_abaqus_keyword *k,
                            const element_name **out)
{
    const flx_abaqus_field *type;
    char buffer[64];
    flx_nearest near;
    FLX_TRY(flx_abaqus_need(r, k, "TYPE", &type));
    flx_text_quote(type->text, type->length, buffer);
    flx_nearest_start(&near, buffer);
    for (size_t i = 0; i < sizeof element_names / sizeof element_names[0]; i++) {
        if (flx_abaqus_is(*type, element_names[i].word)) {
            *out = element_names + i;
            return FLX_OK;
        }
        flx_nearest_offer(&near, element_names[i].word);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                    "elements of type %s are not known%s%s", buffer,
                    best ? "; the nearest are " : "", best ? best : "");
}

// Numbers of one element go on over lines that end with a comma.
static flx_status read_element(flx_abaqus *r, const element_name *type,
                               const flx_abaqus_field *elset)
{
    int n = flx_cells[type->cell].nodes, nodes[FLX_CELL_NODES], count = 0, label = 0;
    int line = r->number;
    bool first = true;
    do {
        flx_abaqus_fields f;
        flx_abaqus_split(r, &f);
        if (first) FLX_TRY(flx_abaqus_int(r, &f, 0, "an element's number", &label));
        for (int i = first ? 1 : 0; i < f.n; i++) {
            int node;
            FLX_TRY(flx_abaqus_int(r, &f, i, "a node of the element", &node));
            if (count == n) {
                return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                                "element %d has more than the %d nodes of its type", label, n);
            }
            nodes[count] = flx_structure_node_of(r->s, node);
            if (nodes[count++] < 0) {
                return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r),
                                "element %d has node %d, which is not in the file", label, node);
            }
        }
        first = false;
    } while (count < n && flx_abaqus_next_data(r));
    if (count < n) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                        "element %d has %d of the %d nodes of its type", label, count, n);
    }
    const flx_element e = {.cell = type->cell,
                           .family = type->family,
                           .label = label,
                           .line = line,
                           .material = -1,
                           .section = -1};
    FLX_TRY(note_element(r, label));
    FLX_TRY(flx_structure_add_element(r->s, &e, nodes));
    if (!elset) return FLX_OK;
    flx_mesh_set *set = make_set(r, *elset);
    if (!set) return FLX_ERR_MEMORY;
    for (int a = 0; a < n; a++) FLX_TRY(flx_structure_add_to_set(r->s, set, nodes[a], -1));
    return flx_structure_add_to_set(r->s, set, -1, r->s->nelement - 1);
}

static flx_status read_elements(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const element_name *type = NULL;
    FLX_TRY(find_type(r, k, &type));
    FLX_TRY(index_nodes(r));
    if (type->family != FLX_FAMILY_NONE) *(type->plane ? &r->plane : &r->space) = true;
    while (flx_abaqus_next_data(r)) FLX_TRY(read_element(r, type, flx_abaqus_option(k, "ELSET")));
    return FLX_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static flx_status pass_over(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    static const char *const quiet[] = {
        "HEADING",  "STEP",       "END STEP", "STATIC",  "FREQUENCY",     "NODE FILE",
        "EL FILE",  "NODE PRINT", "EL PRINT", "OUTPUT",  "NODE OUTPUT",   "ELEMENT OUTPUT",
        "PREPRINT", "RESTART",    "FIELD",    "DYNAMIC", "MODAL DYNAMIC", "SURFACE"};
    static const char *const flat[] = {"PART", "ASSEMBLY", "INSTANCE", "INCLUDE"};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
        if (!flx_abaqus_is(k->name, flat[i])) continue;
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%s is not read: write the model flat, in one file without parts",
                        flat[i]);
    }
    bool known = false;
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        known |= flx_abaqus_is(k->name, quiet[i]);
    if (!known) {
        flx_ctx_warn(r->scan->ctx, (flx_loc){r->scan->file, k->line, 1}, "*%.*s is passed over",
                     k->name.length, k->name.text);
    }
    while (flx_abaqus_next_data(r)) {
    }
    return FLX_OK;
}

static flx_status read_block(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    if (flx_abaqus_is(k->name, "NODE")) return read_nodes(r, k);
    if (flx_abaqus_is(k->name, "ELEMENT")) return read_elements(r, k);
    if (flx_abaqus_is(k->name, "NSET")) return read_set(r, k, false);
    if (flx_abaqus_is(k->name, "ELSET")) return read_set(r, k, true);
    if (flx_abaqus_is(k->name, "MATERIAL")) return flx_abaqus_material(r, k);
    if (flx_abaqus_is(k->name, "ELASTIC")) return flx_abaqus_property(r, k, true);
    if (flx_abaqus_is(k->name, "DENSITY")) return flx_abaqus_property(r, k, false);
    if (flx_abaqus_is(k->name, "SOLID SECTION")) return flx_abaqus_section(r, k, false);
    if (flx_abaqus_is(k->name, "BEAM SECTION")) return flx_abaqus_section(r, k, true);
    if (flx_abaqus_is(k->name, "BOUNDARY")) return flx_abaqus_boundary(r);
    if (flx_abaqus_is(k->name, "CLOAD")) return flx_abaqus_cload(r);
    if (flx_abaqus_is(k->name, "DLOAD")) return flx_abaqus_dload(r);
    if (flx_abaqus_is(k->name, "MASS")) return flx_abaqus_mass(r, k);
    if (flx_abaqus_is(k->name, "SPRING")) return flx_abaqus_spring(r, k);
    if (flx_abaqus_is(k->name, "RIGID BODY")) return flx_abaqus_rigid(r, k);
    return pass_over(r, k);
}

flx_status flx_abaqus_read(flx_scan *scan, flx_structure *s)
{
    flx_abaqus r = {.scan = scan, .s = s, .material = -1};
    flx_status status = FLX_OK;
    bool more = flx_abaqus_next_line(&r);
    while (status == FLX_OK && more) {
        flx_abaqus_keyword k;
        if (r.line[0] != '*') {
            char buffer[64];
            status = FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(&r),
                              "'%s' where a keyword is expected, such as *NODE",
                              flx_text_quote(r.line, r.length, buffer));
            break;
        }
        flx_abaqus_read_keyword(&r, &k);
        status = read_block(&r, &k);
        more = r.line != NULL;
    }
    flx_free(r.slot);
    if (status == FLX_OK && r.plane && r.space) {
        status = FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_structure_loc(s, 1),
                          "the file mixes plane and spatial elements");
    }
    if (r.plane) s->dimension = 2;
    return status;
}
