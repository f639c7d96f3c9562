// nastran.c - bulk data of Nastran, the common cards: nodes in coordinate systems, solids, membranes of the plane,
// rods, bars and beams, springs, masses, rigid elements, equations, supports, loads. Fields of 8 or 16
// columns or separated by commas, with continuations and included files. Other cards are named in a warning;
// those that would change the mechanics are refused.
#include "base/number.h"
#include "read/nastran/nastran_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- elements -----------------------------------------------------------------------------------

static flx_status add_element(flx_nastran *r, flx_cell cell, flx_family family, int label, int id,
                              const int *nodes)
{
    const flx_element e = {.cell = cell,
                           .family = family,
                           .label = label,
                           .line = r->line,
                           .material = -1,
                           .section = -1,
                           .incompatible = cell == FLX_CELL_HEX8 || cell == FLX_CELL_QUAD4};
    FLX_SCAN_GROW(r, r->element_property, r->element_capacity, r->s->nelement + 1);
    r->element_property[r->s->nelement] = id;
    return flx_structure_add_element(r->s, &e, nodes);
}

static flx_status read_cell(flx_nastran *r, flx_cell linear, flx_cell quadratic, flx_family family)
{
    // Nastran's places of our nodes: middles of upright edges come before those of the top
    static const int hex20[20] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                  10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
    int label, id, given[FLX_CELL_NODES], nodes[FLX_CELL_NODES];
    FLX_TRY(flx_nastran_int(r, 1, "an element's number", &label));
    id = label; // where no property is given
    FLX_TRY(flx_nastran_id(r, 2, "a property's number", &id));
    int few = flx_cells[linear].nodes, many = flx_cells[quadratic].nodes;
    bool middles = false;
    for (int a = few; a < many && family == FLX_FAMILY_SOLID; a++) {
        middles |= !flx_nastran_is_empty(r, 3 + a);
    }
    int n = middles || flx_nastran_is(r, "CTRIA6") || flx_nastran_is(r, "CQUAD8") ? many : few;
    for (int a = 0; a < n; a++) {
        if (flx_nastran_is_empty(r, 3 + a)) {
            return REFUSE(r, "%.*s %d has %d of its %d nodes", r->f[0].length, r->f[0].text, label,
                          a, n);
        }
        FLX_TRY(flx_nastran_node(r, 3 + a, &given[a]));
    }
    flx_cell cell = n == many ? quadratic : linear;
    for (int a = 0; a < n; a++) nodes[a] = given[cell == FLX_CELL_HEX20 ? hex20[a] : a];
    return add_element(r, cell, family, label, id, nodes);
}

// The direction of plane 1 from field 5 on: a vector in the axes of the first node, or a node.
static flx_status read_up(flx_nastran *r, int first, double up[3])
{
    int node = -1;
    double R[9];
    bool turned;
    if (!flx_nastran_is_empty(r, 5) && flx_nastran_is_empty(r, 6) && !flx_nastran_is_real(r, 5)) {
        FLX_TRY(flx_nastran_node(r, 5, &node));
        for (int c = 0; c < 3; c++) {
            up[c] = r->s->x[3 * (size_t)node + c] - r->s->x[3 * (size_t)first + c];
        }
        return FLX_OK;
    }
    double v[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, 5 + c, "a direction", &v[c]));
    FLX_TRY(flx_nastran_node_axes(r, first, &turned, R));
    for (int c = 0; c < 3; c++) {
        up[c] = turned ? R[c] * v[0] + R[3 + c] * v[1] + R[6 + c] * v[2] : v[c];
    }
    return FLX_OK;
}

// Pins are refused; offsets are nodes beside the grid points.
static flx_status move_ends(flx_nastran *r, int label, int nodes[2])
{
    for (int a = 0; a < 2; a++) {
        double off[3] = {0, 0, 0}, R[9], own[3];
        bool turned;
        if (!flx_nastran_is_empty(r, 9 + a) && !flx_nastran_field_is(r, 9 + a, "0")) {
            return REFUSE(r, "%.*s %d has pins at its ends: they are not read", r->f[0].length,
                          r->f[0].text, label);
        }
        for (int c = 0; c < 3; c++) {
            FLX_TRY(flx_nastran_number(r, 11 + 3 * a + c, "an offset", &off[c]));
        }
        if (off[0] == 0 && off[1] == 0 && off[2] == 0) continue;
        if (!flx_nastran_is_empty(r, 8) && !flx_nastran_field_is(r, 8, "GGG")) {
            return REFUSE(r, "the offsets of %.*s %d are read as GGG alone", r->f[0].length,
                          r->f[0].text, label);
        }
        FLX_TRY(flx_nastran_node_axes(r, nodes[a], &turned, R));
        for (int c = 0; c < 3; c++) {
            own[c] = turned ? R[c] * off[0] + R[3 + c] * off[1] + R[6 + c] * off[2] : off[c];
        }
        FLX_TRY(flx_nastran_offset(r, nodes[a], own, &nodes[a]));
    }
    return FLX_OK;
}

static flx_status read_line(flx_nastran *r, flx_family family)
{
    int label, id, nodes[2];
    FLX_TRY(flx_nastran_int(r, 1, "an element's number", &label));
    bool own = flx_nastran_is(r, "CONROD");
    for (int a = 0; a < 2; a++) FLX_TRY(flx_nastran_node(r, (own ? 2 : 3) + a, &nodes[a]));
    if (own) { // material and area on the card
        flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true};
        int material;
        FLX_TRY(flx_nastran_int(r, 4, "a material's number", &material));
        FLX_TRY(flx_nastran_number(r, 5, "an area", &c.A));
        FLX_TRY(flx_nastran_number(r, 8, "a mass per length", &c.nonstructural));
        id = -1 - r->nproperty; // a property of its own
        FLX_TRY(flx_nastran_add_property(r, id, material, &c, NULL));
    } else {
        id = label;
        FLX_TRY(flx_nastran_id(r, 2, "a property's number", &id));
    }
    double up[3] = {0, 0, 0};
    if (family == FLX_FAMILY_BEAM) {
        FLX_TRY(read_up(r, nodes[0], up));
        FLX_TRY(move_ends(r, label, nodes));
    }
    FLX_TRY(add_element(r, FLX_CELL_LINE2, family, label, id, nodes));
    if (up[0] == 0 && up[1] == 0 && up[2] == 0) return FLX_OK;
    // a section of its own with this direction, made when properties are known
    flx_section c = {.has_up = true, .up = {up[0], up[1], up[2]}};
    r->s->elements[r->s->nelement - 1].section = r->s->nsection;
    return flx_structure_add_section(r->s, &c);
}

// ---- elements by their numbers ------------------------------------------------------------------

static int compare_labels(const void *a_, const void *b_)
{
    const flx_nastran_number_of *a = a_, *b = b_;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static flx_status index_elements(flx_nastran *r)
{
    int n = r->s->nelement;
    FLX_SCAN_GROW(r, r->labels, r->label_capacity, n);
    for (int i = 0; i < n; i++) {
        r->labels[i] = (flx_nastran_number_of){r->s->elements[i].label, i};
    }
    r->nlabel = n;
    if (n > 0) qsort(r->labels, (size_t)n, sizeof *r->labels, compare_labels);
    for (int i = 1; i < n; i++) {
        if (r->labels[i].id != r->labels[i - 1].id) continue;
        int first = r->s->elements[r->labels[i - 1].index].line;
        r->line = r->s->elements[r->labels[i].index].line;
        return REFUSE(r, "element %d is there twice: first in line %d", r->labels[i].id,
                      flx_structure_loc(r->s, first).line);
    }
    return FLX_OK;
}

int flx_nastran_element(const flx_nastran *r, int id)
{
    int low = 0, high = r->nlabel;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->labels[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < r->nlabel && r->labels[low].id == id ? r->labels[low].index : -1;
}

// ---- what properties and materials say ----------------------------------------------------------

static int find_material(const flx_nastran *r, int id)
{
    for (int i = 0; i < r->nmaterial; i++) {
        if (r->materials[i].id == id) return r->materials[i].index;
    }
    return -1;
}

static flx_status settle_element(flx_nastran *r, flx_element *e, const flx_nastran_property *p)
{
    e->material = find_material(r, p->material);
    if (e->material < 0) {
        r->line = p->line;
        return REFUSE(r, "property %d has material %d, which is not in the file", p->id,
                      p->material);
    }
    if (e->section >= 0 && p->section >= 0) { // with a direction of its own
        flx_section c = r->s->sections[p->section];
        memcpy(c.up, r->s->sections[e->section].up, sizeof c.up);
        c.has_up = true;
        r->s->sections[e->section] = c;
    } else {
        e->section = p->section;
    }
    return FLX_OK;
}

static flx_status settle_springs(flx_nastran *r)
{
    for (int i = 0; i < r->s->nspring; i++) {
        flx_spring_element *k = r->s->springs + i;
        int id = r->spring_property[i];
        if (id == 0) continue;
        const flx_nastran_property *p = flx_nastran_find_property(r, id);
        if (!p) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, k->loc,
                            "the spring has property %d, which is not in the file", id);
        }
        for (int c = 0; c < 6; c++) k->stiffness[c] *= p->stiffness[c];
    }
    return FLX_OK;
}

// Elements of one property are a set, property(7), and so are their nodes. In a mesh alone, where volumes and
// surfaces may have the same number, volume(7), surface(7), curve(7).
static flx_status make_sets(flx_nastran *r)
{
    static const char *const words[4] = {"point", "curve", "surface", "volume"};
    int last = 0, at = -1;
    const char *kind = NULL;
    for (int i = 0; i < r->s->nelement; i++) {
        int id = r->element_property[i], d = flx_cells[r->s->elements[i].cell].dimension;
        const char *word = r->nproperty > 0 ? "property" : words[d];
        char text[32];
        if (id <= 0) continue;
        if (id != last || at < 0 || word != kind) {
            flx_snprintf(text, sizeof text, "%s(%d)", word, id);
            kind = word;
            const flx_mesh_set *set = flx_structure_set(r->s, text);
            if (!set) return FLX_ERR_MEMORY;
            at = (int)(set - r->s->sets);
            last = id;
        }
        FLX_TRY(flx_structure_add_cell_to_set(r->s, at, i, true));
    }
    return FLX_OK;
}

static void scale_masses(flx_nastran *r)
{
    flx_structure *s = r->s;
    for (int i = 0; i < s->nmaterial; i++) s->materials[i].density *= r->mass_factor;
    for (int i = 0; i < s->nsection; i++) s->sections[i].nonstructural *= r->mass_factor;
    for (int i = 0; i < s->nmass; i++) {
        s->masses[i].mass *= r->mass_factor;
        for (int k = 0; k < 6; k++) s->masses[i].inertia[k] *= r->mass_factor;
    }
}

// Properties may come after the elements that use them.
static flx_status settle_elements(flx_nastran *r)
{
    const flx_nastran_property *last = NULL;
    flx_structure *s = r->s;
    FLX_TRY(make_sets(r));
    if (r->nproperty == 0) { // a mesh alone: what is not of the highest dimension is a boundary
        int highest = 0;
        for (int i = 0; i < s->nelement; i++) {
            int d = flx_cells[s->elements[i].cell].dimension;
            if (d > highest) highest = d;
        }
        for (int i = 0; i < s->nelement; i++) {
            if (flx_cells[s->elements[i].cell].dimension < highest)
                s->elements[i].family = FLX_FAMILY_NONE;
        }
        return FLX_OK;
    }
    for (int i = 0; i < s->nelement; i++) {
        flx_element *e = s->elements + i;
        int id = r->element_property[i];
        if (e->family == FLX_FAMILY_NONE) continue; // a face that is loaded
        r->line = e->line;
        const flx_nastran_property *p =
            last && last->id == id ? last : flx_nastran_find_property(r, id);
        if (!p)
            return REFUSE(r, "element %d has property %d, which is not in the file", e->label, id);
        last = p;
        FLX_TRY(settle_element(r, e, p));
    }
    return FLX_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static bool is_any(const flx_nastran *r, const char *const *words)
{
    for (; *words; words++) {
        if (flx_nastran_is(r, *words)) return true;
    }
    return false;
}

static const char *const properties[] = {"PSOLID", "PSHELL", "PROD",   "PBAR",  "PBARL",
                                         "PELAS",  "PBEAM",  "PBEAML", "PBUSH", NULL};
static const char *const systems[] = {"CORD2R", "CORD2C", "CORD2S", "CORD1R",
                                      "CORD1C", "CORD1S", NULL};
static const char *const shares[] = {"LOAD", "SPCADD", "MPCADD", NULL};
static const char *const links[] = {"RBE2", "RBE3", "RBAR", "MPC", NULL};
static const char *const springs[] = {"CELAS1", "CELAS2", "CBUSH", NULL};

// First what nodes need, then nodes and properties, then elements, then what acts on them.
static flx_status read_frames(flx_nastran *r)
{
    if (is_any(r, systems)) return flx_nastran_add_axes(r);
    if (is_any(r, shares)) return flx_nastran_share_read(r);
    if (flx_nastran_is(r, "GRDSET")) return flx_nastran_grid_default(r);
    if (flx_nastran_is(r, "PARAM") && flx_nastran_field_is(r, 1, "WTMASS")) {
        return flx_nastran_number(r, 2, "a factor of masses", &r->mass_factor);
    }
    return FLX_OK;
}

static flx_status read_nodes(flx_nastran *r)
{
    if (flx_nastran_is(r, "GRID")) return flx_nastran_grid(r);
    if (flx_nastran_is(r, "MAT1")) return flx_nastran_material(r);
    return is_any(r, properties) ? flx_nastran_read_property(r) : FLX_OK;
}

static const struct {
    const char *word;
    flx_cell linear, quadratic;
    flx_family family;
} cells[] = {{"CTETRA", FLX_CELL_TET4, FLX_CELL_TET10, FLX_FAMILY_SOLID},
             {"CHEXA", FLX_CELL_HEX8, FLX_CELL_HEX20, FLX_FAMILY_SOLID},
             {"CTRIA3", FLX_CELL_TRI3, FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS},
             {"CTRIAR", FLX_CELL_TRI3, FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS},
             {"CTRIA6", FLX_CELL_TRI3, FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRESS},
             {"CQUAD4", FLX_CELL_QUAD4, FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS},
             {"CQUADR", FLX_CELL_QUAD4, FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS},
             {"CQUAD8", FLX_CELL_QUAD4, FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS}};
static const char *const rods[] = {"CROD", "CONROD", NULL}, *const bars[] = {"CBAR", "CBEAM", NULL};

static flx_status read_elements(flx_nastran *r)
{
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        if (!flx_nastran_is(r, cells[i].word)) continue;
        return read_cell(r, cells[i].linear, cells[i].quadratic, cells[i].family);
    }
    if (is_any(r, rods)) return read_line(r, FLX_FAMILY_TRUSS);
    return is_any(r, bars) ? read_line(r, FLX_FAMILY_BEAM) : FLX_OK;
}

static bool is_known(const flx_nastran *r)
{
    static const char *const quiet[] = {
        "ENDDATA", "PARAM",   "EIGRL",   "EIGR",  "EIGB",    "GRDSET", "MAT1",  "ASET",
        "ASET1",   "SUPORT",  "EIGC",    "DLOAD", "TLOAD1",  "RLOAD1", "TSTEP", "FREQ1",
        "FREQ",    "TABLED1", "TABDMP1", "SET1",  "TSTEPNL", "NLPARM", "OMIT1", NULL};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        if (flx_nastran_is(r, cells[i].word)) return true;
    }
    return is_any(r, rods) || is_any(r, bars) || is_any(r, quiet) || is_any(r, properties) ||
           is_any(r, systems) || is_any(r, shares);
}

static flx_status read_rest(flx_nastran *r)
{
    static const char *const needed[] = {"RBE1",    "RROD",    "RSPLINE", "RTRPLT",  "RTRPLT1",
                                         "PLOAD2",  "PLOADX1", "FORCE2",  "MOMENT2", "ACCEL",
                                         "ACCEL1",  "SPOINT",  "DEFORM",  "DMIG",    "GENEL",
                                         "BCTABLE", "SEELT",   "RJOINT",  NULL};
    bool known = false;
    char buffer[64];
    if (flx_nastran_is(r, "GRID") || flx_nastran_is(r, "SPC") || flx_nastran_is(r, "SPC1")) {
        return flx_nastran_spc(r);
    }
    if (is_any(r, springs)) return flx_nastran_spring(r);
    if (is_any(r, links)) return flx_nastran_link(r);
    if (flx_nastran_is(r, "CONM2")) return flx_nastran_mass(r);
    FLX_TRY(flx_nastran_load(r, &known));
    if (known || is_known(r)) return FLX_OK;
    if (r->f[0].length > 0 && (r->f[0].text[0] == 'C' || r->f[0].text[0] == 'c')) {
        return REFUSE(r, "%s: this kind of element is not known",
                      flx_text_quote(r->f[0].text, r->f[0].length, buffer));
    }
    if (is_any(r, needed)) {
        return REFUSE(r, "%.*s is not read, and without it the model would be another one",
                      r->f[0].length, r->f[0].text);
    }
    flx_ctx_warn(r->scan->ctx, flx_nastran_place(r), "%s is passed over",
                 flx_text_quote(r->f[0].text, r->f[0].length, buffer));
    return FLX_OK;
}

static flx_status read_all(flx_nastran *r, const flx_scan *start,
                           flx_status (*read)(flx_nastran *r))
{
    bool more = true;
    r->ahead = false;
    r->include.depth = r->include.count = 0;
    FLX_TRY(flx_include_jump(&r->include, start));
    while (more) {
        FLX_TRY(flx_nastran_card(r, &more));
        if (!more || flx_nastran_is(r, "ENDDATA")) break;
        FLX_TRY(read(r));
    }
    return FLX_OK;
}

static flx_status read_file(flx_nastran *r)
{
    FLX_TRY(flx_nastran_control(r));
    const flx_scan start = *r->scan;
    FLX_TRY(read_all(r, &start, read_frames));
    FLX_TRY(flx_nastran_settle_axes(r));
    FLX_TRY(read_all(r, &start, read_nodes));
    FLX_TRY(flx_structure_index(r->s));
    FLX_TRY(flx_nastran_settle_axes(r)); // those by nodes
    for (int i = 0; i < r->s->nnode; i++) {
        if (r->s->label[i] > r->largest) r->largest = r->s->label[i];
    }
    FLX_TRY(read_all(r, &start, read_elements));
    FLX_TRY(index_elements(r));
    FLX_TRY(read_all(r, &start, read_rest));
    FLX_TRY(flx_nastran_move_supports(r));
    flx_nastran_tell_unmet(r);
    FLX_TRY(settle_elements(r));
    FLX_TRY(settle_springs(r));
    scale_masses(r);
    return FLX_OK;
}

flx_status flx_nastran_read(flx_scan *scan, flx_structure *s)
{
    flx_nastran r = {.scan = scan, .include = {.scan = scan, .s = s}, .s = s, .mass_factor = 1};
    flx_status status = read_file(&r);
    bool plane = false, space = false;
    for (int i = 0; i < s->nelement; i++) {
        bool flat = s->elements[i].family == FLX_FAMILY_PLANE_STRESS;
        if (s->elements[i].family != FLX_FAMILY_NONE) *(flat ? &plane : &space) = true;
    }
    if (plane && !space) s->dimension = 2;
    void *owned[] = {r.f,      r.properties, r.materials,    r.element_property, r.spring_property,
                     r.labels, r.axes,       r.displacement, r.shares,           r.moved};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_include_end(&r.include);
    return status;
}
