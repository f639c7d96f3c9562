// abaqus.c - input files of Abaqus and CalculiX: nodes, elements, sets, parts and instances, materials, sections,
// supports, loads, masses, springs, rigid bodies, couplings, equations. What only asks for results is passed
// over; other keywords are named in a warning, and those that would change the mechanics are refused.
#include "read/abaqus/abaqus_parts.h"

#include <stdio.h>
#include <string.h>

// Elements that Abaqus integrates in another way are said once.
typedef enum remark { PLAIN, REDUCED, MODIFIED, HYBRID } remark;

typedef struct element_name { // words of *ELEMENT, TYPE=
    const char *word;
    flx_cell cell;
    flx_family family;
    bool plane, slender, incompatible; // slender: without shear; of a spring: along its line
    remark remark;
} element_name;

static const element_name element_names[] = {
    {"C3D4", FLX_CELL_TET4, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D4H", FLX_CELL_TET4, FLX_FAMILY_SOLID, false, false, false, HYBRID},
    {"C3D10", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D10M", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, MODIFIED},
    {"C3D10T", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D10I", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D10HS", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, HYBRID},
    {"C3D10H", FLX_CELL_TET10, FLX_FAMILY_SOLID, false, false, false, HYBRID},
    {"C3D8", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D8R", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false, true, REDUCED},
    {"C3D8I", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false, true, PLAIN},
    {"C3D8H", FLX_CELL_HEX8, FLX_FAMILY_SOLID, false, false, true, HYBRID},
    {"C3D20", FLX_CELL_HEX20, FLX_FAMILY_SOLID, false, false, false, PLAIN},
    {"C3D20R", FLX_CELL_HEX20, FLX_FAMILY_SOLID, false, false, false, REDUCED},
    {"C3D20H", FLX_CELL_HEX20, FLX_FAMILY_SOLID, false, false, false, HYBRID},
    {"CPS3", FLX_CELL_TRI3, FLX_FAMILY_PLANE_STRESS, true, false, false, PLAIN},
    {"CPS4", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRESS, true, false, false, PLAIN},
    {"CPS4I", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRESS, true, false, true, PLAIN},
    {"CPS4R", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRESS, true, false, true, REDUCED},
    {"CPS6", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS, true, false, false, PLAIN},
    {"CPS6M", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS, true, false, false, MODIFIED},
    {"CPS8", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS, true, false, false, PLAIN},
    {"CPS8R", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS, true, false, false, REDUCED},
    {"CPE3", FLX_CELL_TRI3, FLX_FAMILY_PLANE_STRAIN, true, false, false, PLAIN},
    {"CPE4", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRAIN, true, false, false, PLAIN},
    {"CPE4I", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRAIN, true, false, true, PLAIN},
    {"CPE4R", FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRAIN, true, false, true, REDUCED},
    {"CPE6", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRAIN, true, false, false, PLAIN},
    {"CPE6M", FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRAIN, true, false, false, MODIFIED},
    {"CPE8", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRAIN, true, false, false, PLAIN},
    {"CPE8R", FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRAIN, true, false, false, REDUCED},
    {"T2D2", FLX_CELL_LINE2, FLX_FAMILY_TRUSS, true, false, false, PLAIN},
    {"T3D2", FLX_CELL_LINE2, FLX_FAMILY_TRUSS, false, false, false, PLAIN},
    {"T3D3", FLX_CELL_LINE3, FLX_FAMILY_TRUSS, false, false, false, PLAIN},
    {"B21", FLX_CELL_LINE2, FLX_FAMILY_BEAM, true, false, false, PLAIN},
    {"B22", FLX_CELL_LINE3, FLX_FAMILY_BEAM, true, false, false, PLAIN},
    {"B23", FLX_CELL_LINE2, FLX_FAMILY_BEAM, true, true, false, PLAIN},
    {"B31", FLX_CELL_LINE2, FLX_FAMILY_BEAM, false, false, false, PLAIN},
    {"B31R", FLX_CELL_LINE2, FLX_FAMILY_BEAM, false, false, false, PLAIN},
    {"B32", FLX_CELL_LINE3, FLX_FAMILY_BEAM, false, false, false, PLAIN},
    {"B32R", FLX_CELL_LINE3, FLX_FAMILY_BEAM, false, false, false, PLAIN},
    {"B33", FLX_CELL_LINE2, FLX_FAMILY_BEAM, false, true, false, PLAIN},
    {"MASS", FLX_CELL_POINT, FLX_FAMILY_NONE, false, false, false, PLAIN},
    {"ROTARYI", FLX_CELL_POINT, FLX_FAMILY_NONE, false, false, false, PLAIN},
    {"SPRING1", FLX_CELL_POINT, FLX_FAMILY_NONE, false, false, false, PLAIN},
    {"SPRING2", FLX_CELL_LINE2, FLX_FAMILY_NONE, false, false, false, PLAIN},
    {"SPRINGA", FLX_CELL_LINE2, FLX_FAMILY_NONE, false, true, false, PLAIN},
};

// ---- nodes and elements -------------------------------------------------------------------------

static flx_status index_nodes(flx_abaqus *r)
{
    if (!r->nodes_changed) return FLX_OK;
    r->nodes_changed = false;
    return flx_structure_index(r->s);
}

static flx_status shifted(const flx_abaqus *r, int label, int *out)
{
    int64_t k = (int64_t)label + r->scopes[r->scope].offset;
    *out = (int)k;
    if (k >= 0 && k <= INT32_MAX) return FLX_OK;
    return ABAQUS_FAIL(r, r->number, "the number %d is out of range", label);
}

static flx_status read_nodes(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name = flx_abaqus_option(k, "NSET");
    const flx_abaqus_field *system = flx_abaqus_option(k, "SYSTEM");
    int set = name ? flx_abaqus_make_set(r, *name) : -1;
    if (name && set < 0) return FLX_ERR_MEMORY;
    if (system && !flx_abaqus_is(*system, "R")) {
        return ABAQUS_FAIL(r, k->line, "*NODE, SYSTEM=%.*s: give rectangular coordinates",
                           system->length, system->text);
    }
    FLX_TRY(flx_abaqus_number_scope(r));
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int label;
        double x[3] = {0, 0, 0};
        flx_abaqus_split(r, &f);
        FLX_TRY(flx_abaqus_int(r, &f, 0, "a node's number", &label));
        FLX_TRY(shifted(r, label, &label));
        for (int c = 0; c < 3 && c + 1 < f.n; c++) {
            if (f.item[c + 1].length == 0) continue;
            FLX_TRY(flx_abaqus_number(r, &f, c + 1, "a coordinate", &x[c]));
        }
        flx_abaqus_place(r, x);
        FLX_TRY(flx_structure_add_node(r->s, label, r->number, x));
        r->nodes_changed = true;
        if (!name) continue;
        FLX_TRY(flx_structure_add_to_set(r->s, r->s->sets + set, r->s->nnode - 1, -1));
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
    if ((buffer[0] | 32) == 's' && buffer[1] >= '0' && buffer[1] <= '9') {
        return ABAQUS_FAIL(r, k->line,
                           "%s: there are no shells here; solids, plane elements, beams and "
                           "trusses are known",
                           buffer);
    }
    const char *best = flx_nearest_best(&near);
    return ABAQUS_FAIL(r, k->line, "elements of type %s are not known%s%s", buffer,
                       best ? "; the nearest are " : "", best ? best : "");
}

static void remark_on(flx_abaqus *r, const flx_abaqus_keyword *k, const element_name *type)
{
    if (type->remark == PLAIN || r->said >> type->remark & 1u) return;
    r->said |= 1u << type->remark;
    const char *what = type->remark == REDUCED && type->incompatible
                           ? "integrated fully, with incompatible modes"
                       : type->remark == REDUCED  ? "integrated fully"
                       : type->remark == MODIFIED ? "the usual one with middle nodes"
                                                  : "without a pressure of its own";
    flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, k->line),
                 "%s is %s here: results differ a little", type->word, what);
}

static flx_status add_cell(flx_abaqus *r, const element_name *type, flx_cell cell, int label,
                           int line, const int *nodes, int set)
{
    const flx_element e = {.cell = cell,
                           .family = type->family,
                           .label = label,
                           .line = line,
                           .material = -1,
                           .section = -1,
                           .incompatible = type->incompatible};
    FLX_SCAN_GROW(r, r->mark, r->nmark, r->s->nelement + 1);
    r->mark[r->s->nelement] = (type->slender ? SLENDER : 0) | (type->plane ? PLANE : 0);
    FLX_TRY(flx_structure_add_element(r->s, &e, nodes));
    if (set < 0) return FLX_OK;
    return flx_structure_add_to_set(r->s, r->s->sets + set, -1, r->s->nelement - 1);
}

// Numbers of one element go on over lines.
static flx_status read_element(flx_abaqus *r, const element_name *type, int set)
{
    int n = flx_cells[type->cell].nodes, nodes[FLX_CELL_NODES], count = 0, own = 0, label = 0;
    int line = r->number;
    bool first = true;
    do {
        flx_abaqus_fields f;
        flx_abaqus_split(r, &f);
        if (first) {
            FLX_TRY(flx_abaqus_int(r, &f, 0, "an element's number", &own));
            FLX_TRY(shifted(r, own, &label));
        }
        for (int i = first ? 1 : 0; i < f.n; i++) {
            int node, at;
            FLX_TRY(flx_abaqus_int(r, &f, i, "a node of the element", &node));
            if (count == n) {
                return ABAQUS_FAIL(r, r->number,
                                   "element %d has more than the %d nodes of its type", own, n);
            }
            FLX_TRY(shifted(r, node, &at));
            nodes[count] = flx_structure_node_of(r->s, at);
            if (nodes[count++] < 0) {
                return ABAQUS_FAIL(r, r->number, "element %d has node %d, which is not in the file",
                                   own, node);
            }
        }
        first = false;
    } while (count < n && flx_abaqus_next_data(r));
    if (count < n) {
        return ABAQUS_FAIL(r, line, "element %d has %d of the %d nodes of its type", own, count, n);
    }
    FLX_TRY(flx_abaqus_note_element(r, label, line));
    if (type->cell != FLX_CELL_LINE3) return add_cell(r, type, type->cell, label, line, nodes, set);
    // an end, the middle, the other end: two straight elements
    FLX_TRY(add_cell(r, type, FLX_CELL_LINE2, label, line, nodes, set));
    return add_cell(r, type, FLX_CELL_LINE2, label, line, nodes + 1, set);
}

static flx_status read_elements(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const element_name *type = NULL;
    const flx_abaqus_field *name = flx_abaqus_option(k, "ELSET");
    FLX_TRY(find_type(r, k, &type));
    FLX_TRY(index_nodes(r));
    FLX_TRY(flx_abaqus_number_scope(r));
    remark_on(r, k, type);
    int set = name ? flx_abaqus_make_set(r, *name) : -1;
    if (name && set < 0) return FLX_ERR_MEMORY;
    while (flx_abaqus_next_data(r)) FLX_TRY(read_element(r, type, set));
    return FLX_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static bool is_any(const flx_abaqus_keyword *k, const char *const *words)
{
    for (; *words; words++) {
        if (flx_abaqus_is(k->name, *words)) return true;
    }
    return false;
}

static flx_status pass_over(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    static const char *const quiet[] = {"HEADING",
                                        "END STEP",
                                        "STATIC",
                                        "FREQUENCY",
                                        "NODE FILE",
                                        "EL FILE",
                                        "NODE PRINT",
                                        "EL PRINT",
                                        "OUTPUT",
                                        "NODE OUTPUT",
                                        "PREPRINT",
                                        "ELEMENT OUTPUT",
                                        "RESTART",
                                        "FIELD",
                                        "DYNAMIC",
                                        "CONTACT FILE",
                                        "MODAL DYNAMIC",
                                        "ASSEMBLY",
                                        "END ASSEMBLY",
                                        "MONITOR",
                                        "CONTROLS",
                                        "SECTION PRINT",
                                        "NODAL ENERGY",
                                        "SOLVER CONTROLS",
                                        "FILE FORMAT",
                                        "ENERGY OUTPUT",
                                        "ELEMENT MATRIX",
                                        "CONTACT OUTPUT",
                                        "TIME POINTS",
                                        "ORIENTATION",
                                        "EXPANSION",
                                        "CONDUCTIVITY",
                                        "SPECIFIC HEAT",
                                        "PHYSICAL CONSTANTS",
                                        "AMPLITUDE",
                                        "FILM PROPERTY",
                                        "HOURGLASS STIFFNESS",
                                        "SECTION CONTROLS",
                                        NULL};
    static const char *const needed[] = {"NGEN",
                                         "NFILL",
                                         "NCOPY",
                                         "ELGEN",
                                         "ELCOPY",
                                         "NMAP",
                                         "TIE",
                                         "SHELL SECTION",
                                         "USER ELEMENT",
                                         "SUBMODEL",
                                         "CYCLIC SYMMETRY MODEL",
                                         "PRE-TENSION SECTION",
                                         "GAP",
                                         "CONNECTOR SECTION",
                                         "MEMBRANE SECTION",
                                         "CONTACT PAIR",
                                         "DISTRIBUTION",
                                         "PARAMETER",
                                         "KINEMATIC COUPLING",
                                         "DISTRIBUTING COUPLING",
                                         "SUBSTRUCTURE PROPERTY",
                                         "DASHPOT",
                                         "SHELL TO SOLID COUPLING",
                                         "RIGID SURFACE",
                                         NULL};
    if (is_any(k, needed)) {
        return ABAQUS_FAIL(r, k->line,
                           "*%.*s is not read, and without it the model would be another one",
                           k->name.length, k->name.text);
    }
    if (!is_any(k, quiet)) {
        flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, k->line), "*%.*s is passed over",
                     k->name.length, k->name.text);
    }
    return flx_abaqus_pass(r);
}

// Supports and loads of the steps after the first are other cases.
static flx_status read_case(flx_abaqus *r, const flx_abaqus_keyword *k,
                            flx_status (*read)(flx_abaqus *, const flx_abaqus_keyword *))
{
    if (r->step < 2 && !r->scaled && flx_abaqus_option(k, "AMPLITUDE")) {
        flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, k->line),
                     "AMPLITUDE= is passed over: what it scales counts in full");
        r->scaled = true;
    }
    if (r->step < 2) return read(r, k);
    if (!r->told) {
        flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, k->line),
                     "supports and loads of the first step are taken: those of later steps, from "
                     "here on, are passed over");
    }
    r->told = true;
    return flx_abaqus_pass(r);
}

static flx_status read_mesh(flx_abaqus *r, const flx_abaqus_keyword *k, bool *done)
{
    *done = true;
    if (flx_abaqus_is(k->name, "NODE")) return read_nodes(r, k);
    if (flx_abaqus_is(k->name, "SYSTEM")) return flx_abaqus_system(r, k);
    if (flx_abaqus_is(k->name, "ELEMENT")) return read_elements(r, k);
    if (flx_abaqus_is(k->name, "NSET")) return flx_abaqus_set(r, k, false);
    if (flx_abaqus_is(k->name, "ELSET")) return flx_abaqus_set(r, k, true);
    if (flx_abaqus_is(k->name, "SURFACE")) return flx_abaqus_surface_read(r, k);
    if (flx_abaqus_is(k->name, "PART")) return flx_abaqus_start_part(r, k);
    if (flx_abaqus_is(k->name, "END PART")) return flx_abaqus_end_part(r, k);
    if (flx_abaqus_is(k->name, "INSTANCE")) return flx_abaqus_start_instance(r, k);
    if (flx_abaqus_is(k->name, "END INSTANCE")) return flx_abaqus_end_instance(r);
    *done = false;
    return FLX_OK;
}

static flx_status read_block(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    bool done;
    FLX_TRY(read_mesh(r, k, &done));
    if (done) return FLX_OK;
    if (flx_abaqus_is(k->name, "MATERIAL")) return flx_abaqus_material(r, k);
    if (flx_abaqus_is(k->name, "ELASTIC")) return flx_abaqus_property(r, k, true);
    if (flx_abaqus_is(k->name, "DENSITY")) return flx_abaqus_property(r, k, false);
    if (flx_abaqus_is(k->name, "SOLID SECTION") || flx_abaqus_is(k->name, "BEAM SECTION") ||
        flx_abaqus_is(k->name, "BEAM GENERAL SECTION")) {
        return flx_abaqus_section_read(r, k);
    }
    if (flx_abaqus_is(k->name, "BOUNDARY")) return read_case(r, k, flx_abaqus_boundary);
    if (flx_abaqus_is(k->name, "CLOAD")) return read_case(r, k, flx_abaqus_cload);
    if (flx_abaqus_is(k->name, "DLOAD")) return read_case(r, k, flx_abaqus_dload);
    if (flx_abaqus_is(k->name, "DSLOAD")) return read_case(r, k, flx_abaqus_dload);
    if (flx_abaqus_is(k->name, "TRANSFORM")) return flx_abaqus_transform_read(r, k);
    if (flx_abaqus_is(k->name, "MASS")) return flx_abaqus_mass(r, k, false);
    if (flx_abaqus_is(k->name, "ROTARY INERTIA")) return flx_abaqus_mass(r, k, true);
    if (flx_abaqus_is(k->name, "SPRING")) return flx_abaqus_spring(r, k);
    if (flx_abaqus_is(k->name, "RIGID BODY")) return flx_abaqus_rigid(r, k);
    if (flx_abaqus_is(k->name, "COUPLING")) return flx_abaqus_start_coupling(r, k);
    if (flx_abaqus_is(k->name, "KINEMATIC") || flx_abaqus_is(k->name, "DISTRIBUTING")) {
        return flx_abaqus_end_coupling(r, k);
    }
    if (flx_abaqus_is(k->name, "EQUATION")) return flx_abaqus_equation(r, k);
    if (flx_abaqus_is(k->name, "MPC")) return flx_abaqus_mpc(r, k);
    r->step += flx_abaqus_is(k->name, "STEP");
    if (flx_abaqus_is(k->name, "STEP")) return flx_abaqus_pass(r);
    return pass_over(r, k);
}

// Lines of data in a file of their own, *NODE, INPUT=: as if it were included there.
static flx_status open_data(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    static const char *const known[] = {"NODE", "ELEMENT", "EQUATION", "MPC", NULL};
    const flx_abaqus_field *name = flx_abaqus_option(k, "INPUT");
    if (!name || !is_any(k, known)) return FLX_OK;
    return flx_include_open(&r->include, name->text, name->length, k->line);
}

static flx_status read_all(flx_abaqus *r)
{
    bool more = flx_abaqus_next_line(r);
    while (more) {
        flx_abaqus_keyword k;
        if (r->line[0] != '*') {
            char buffer[64];
            return ABAQUS_FAIL(r, r->number, "'%s' where a keyword is expected, such as *NODE",
                               flx_text_quote(r->line, r->length, buffer));
        }
        flx_abaqus_read_keyword(r, &k);
        FLX_TRY(open_data(r, &k));
        FLX_TRY(read_block(r, &k));
        more = r->line != NULL;
    }
    if (r->status != FLX_OK) return r->status;
    if (r->npart > 0 && r->nscope == 1) {
        return ABAQUS_FAIL(r, 1, "the file has parts, but no *INSTANCE of any of them");
    }
    flx_abaqus_find_dimension(r);
    if (r->plane && r->space) return ABAQUS_FAIL(r, 1, "the file mixes plane and spatial elements");
    FLX_TRY(flx_abaqus_settle_sections(r));
    return flx_abaqus_name_sets(r);
}

flx_status flx_abaqus_read(flx_scan *scan, flx_structure *s)
{
    static const flx_abaqus_scope whole = {.name = "", .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    flx_abaqus r = {.scan = scan,
                    .include = {.scan = scan, .s = s},
                    .s = s,
                    .material = -1,
                    .nscope = 1,
                    .coupling = -1};
    void *scopes = NULL;
    flx_status status = flx_grow(scan->ctx, &scopes, &r.scope_capacity, 1, sizeof *r.scopes);
    r.scopes = scopes;
    if (status == FLX_OK) {
        r.scopes[0] = whole;
        status = read_all(&r);
    }
    if (r.plane) s->dimension = 2;
    void *owned[] = {r.slot,     r.mark,       r.parts, r.scopes,
                     r.sections, r.transforms, r.axes,  r.surfaces};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_include_end(&r.include);
    return status;
}
