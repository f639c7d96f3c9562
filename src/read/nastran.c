// nastran.c - bulk data of Nastran, the common cards: GRID, CTETRA, CHEXA, CROD, CONROD, CBAR, CBEAM,
// CTRIA3, CTRIA6, CQUAD4, CQUAD8 (as membranes of the plane), CELAS1, CELAS2, CONM2, RBE2, RBE3, MAT1,
// PSOLID, PSHELL, PROD, PBAR, PBARL, PELAS, SPC, SPC1, FORCE, MOMENT, GRAV. Fields of 8 or 16 columns or
// separated by commas, with continuations. Other cards are named in a warning.
#include "read/nastran_parts.h"

#include <string.h>
#include <strings.h>

// ---- elements -----------------------------------------------------------------------------------

static flx_status note_property(flx_nastran *r, int id)
{
    GROW(r, r->element_property, r->element_capacity, r->s->nelement + 1);
    r->element_property[r->s->nelement] = id;
    return FLX_OK;
}

static flx_status add_element(flx_nastran *r, flx_cell cell, flx_family family, int label, int id,
                              const int *nodes)
{
    const flx_element e = {.cell = cell,
                           .family = family,
                           .label = label,
                           .line = r->line,
                           .material = -1,
                           .section = -1};
    FLX_TRY(note_property(r, id));
    return flx_structure_add_element(r->s, &e, nodes);
}

static flx_status read_cell(flx_nastran *r, flx_cell linear, flx_cell quadratic, flx_family family)
{
    // Nastran's places of our nodes: middles of upright edges come before those of the top
    static const int hex20[20] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                  10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
    int label, id, given[FLX_CELL_NODES], nodes[FLX_CELL_NODES];
    FLX_TRY(flx_nastran_int(r, 1, "an element's number", &label));
    FLX_TRY(flx_nastran_int(r, 2, "a property's number", &id));
    int few = flx_cells[linear].nodes, many = flx_cells[quadratic].nodes;
    int n = r->n - 3 > few && !flx_nastran_is_empty(r, 3 + few) && family == FLX_FAMILY_SOLID ? many
                                                                                              : few;
    if (flx_nastran_is(r, "CTRIA6") || flx_nastran_is(r, "CQUAD8")) n = many;
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
        id = -1 - r->nproperty; // a property of its own
        FLX_TRY(flx_nastran_add_property(r, id, material, &c, 0));
    } else {
        FLX_TRY(flx_nastran_int(r, 2, "a property's number", &id));
    }
    FLX_TRY(add_element(r, FLX_CELL_LINE2, family, label, id, nodes));
    if (family != FLX_FAMILY_BEAM) return FLX_OK;
    double up[3] = {0, 0, 0}; // of the plane 1
    int node = -1, number;
    if (!flx_nastran_is_empty(r, 5) && flx_nastran_is_empty(r, 6) &&
        flx_text_int(r->f[5].text, r->f[5].length, &number)) {
        FLX_TRY(flx_nastran_node(r, 5, &node));
        for (int c = 0; c < 3; c++) {
            up[c] = r->s->x[3 * (size_t)node + c] - r->s->x[3 * (size_t)nodes[0] + c];
        }
    } else {
        for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, 5 + c, "a direction", &up[c]));
    }
    if (up[0] == 0 && up[1] == 0 && up[2] == 0) return FLX_OK;
    // a section of its own with this direction, made when properties are known
    flx_section c = {.has_up = true, .up = {up[0], up[1], up[2]}};
    r->s->elements[r->s->nelement - 1].section = r->s->nsection;
    return flx_structure_add_section(r->s, &c);
}

static flx_status read_spring(flx_nastran *r)
{
    bool own = flx_nastran_is(r, "CELAS2"); // the stiffness on the card
    int id = -1;
    flx_spring_element k = {.node = {-1, -1}, .loc = flx_nastran_place(r)};
    double value = 0;
    unsigned mask[2] = {0, 0};
    if (own) {
        FLX_TRY(flx_nastran_number(r, 2, "a stiffness", &value));
    } else {
        FLX_TRY(flx_nastran_int(r, 2, "a property's number", &id));
    }
    FLX_TRY(flx_nastran_node(r, 3, &k.node[0]));
    FLX_TRY(flx_nastran_mask(r, 4, &mask[0]));
    if (!flx_nastran_is_empty(r, 5) && !(r->f[5].length == 1 && r->f[5].text[0] == '0')) {
        FLX_TRY(flx_nastran_node(r, 5, &k.node[1]));
        FLX_TRY(flx_nastran_mask(r, 6, &mask[1]));
        if (mask[1] != mask[0])
            return REFUSE(r, "a spring between different components is not read");
    }
    for (int c = 0; c < 6; c++) {
        if (mask[0] >> c & 1u) k.stiffness[c] = own ? value : 1;
    }
    GROW(r, r->spring_property, r->spring_capacity, r->s->nspring + 1);
    r->spring_property[r->s->nspring] = id;
    return flx_structure_add_spring(r->s, &k);
}

static flx_status read_mass(flx_nastran *r)
{
    flx_point_mass m = {.loc = flx_nastran_place(r)};
    double lower[6] = {0}, off[3] = {0, 0, 0}; // I11 I21 I22 I31 I32 I33
    FLX_TRY(flx_nastran_node(r, 2, &m.node));
    FLX_TRY(flx_nastran_number(r, 4, "a mass", &m.mass));
    for (int i = 0; i < 3; i++) FLX_TRY(flx_nastran_number(r, 5 + i, "an offset", &off[i]));
    if (off[0] != 0 || off[1] != 0 || off[2] != 0) {
        return REFUSE(r, "CONM2 with an offset is not read: put a node there and join it by RBE2");
    }
    for (int i = 0; i < 6; i++) FLX_TRY(flx_nastran_number(r, 9 + i, "an inertia", &lower[i]));
    const double own[6] = {lower[0], lower[2], lower[5], -lower[1], -lower[4], -lower[3]};
    memcpy(m.inertia, own, sizeof own);
    return flx_structure_add_mass(r->s, &m);
}

// Nodes of a list from field i on, with "THRU".
static flx_status read_nodes(flx_nastran *r, int i, int *n, int **nodes)
{
    int capacity = 0;
    *n = 0;
    *nodes = NULL;
    flx_status status = FLX_OK;
    for (; i < r->n && status == FLX_OK; i++) {
        int node, first = 0, last = 0;
        if (flx_nastran_is_empty(r, i)) continue;
        if (r->f[i].length == 4 && strncasecmp(r->f[i].text, "THRU", 4) == 0 && *n > 0) {
            first = r->s->label[(*nodes)[*n - 1]] + 1;
            status = flx_nastran_int(r, ++i, "a node", &last);
        } else {
            status = flx_nastran_int(r, i, "a node", &first);
            last = first;
        }
        bool range = last > first;
        if (last > r->largest) last = range ? r->largest : last;
        for (int label = first; status == FLX_OK && label <= last; label++) {
            node = flx_structure_node_of(r->s, label);
            if (node < 0 && range) continue; // a range may have holes
            if (node < 0) {
                status = REFUSE(r, "%.*s has node %d, which is not in the file", r->f[0].length,
                                r->f[0].text, label);
                break;
            }
            void *all = *nodes;
            status = flx_grow(r->scan->ctx, &all, &capacity, *n + 1, sizeof **nodes);
            *nodes = all;
            if (status == FLX_OK) (*nodes)[(*n)++] = node;
        }
    }
    return status;
}

static flx_status read_rbe2(flx_nastran *r)
{
    flx_node_link l = {.kind = FLX_LINK_RIGID, .loc = flx_nastran_place(r)};
    FLX_TRY(flx_nastran_node(r, 2, &l.reference));
    FLX_TRY(flx_nastran_mask(r, 3, &l.mask));
    flx_status status = read_nodes(r, 4, &l.nnode, &l.nodes);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    return status;
}

// RBE3, EID, blank, REFGRID, REFC, WT1, C1, G11, G12, ...; one weight, translations.
static flx_status read_rbe3(flx_nastran *r)
{
    flx_node_link l = {.kind = FLX_LINK_AVERAGE, .loc = flx_nastran_place(r)};
    unsigned mask;
    FLX_TRY(flx_nastran_node(r, 3, &l.reference));
    FLX_TRY(flx_nastran_mask(r, 4, &l.mask));
    FLX_TRY(flx_nastran_mask(r, 6, &mask));
    if ((mask & 07u) != 07u) return REFUSE(r, "RBE3: the nodes give their translations, 123");
    flx_status status = read_nodes(r, 7, &l.nnode, &l.nodes);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    return status;
}

// ---- supports and loads -------------------------------------------------------------------------

static flx_status read_spc(flx_nastran *r)
{
    flx_support p = {.loc = flx_nastran_place(r)};
    if (flx_nastran_is(r, "SPC1")) {
        int n = 0, *nodes = NULL;
        FLX_TRY(flx_nastran_mask(r, 2, &p.mask));
        flx_status status = read_nodes(r, 3, &n, &nodes);
        for (int i = 0; i < n && status == FLX_OK; i++) {
            p.node = nodes[i];
            status = flx_structure_add_support(r->s, &p);
        }
        flx_free(nodes);
        return status;
    }
    for (int i = 2; i < r->n && !flx_nastran_is_empty(r, i); i += 3) {
        double value = 0;
        FLX_TRY(flx_nastran_node(r, i, &p.node));
        FLX_TRY(flx_nastran_mask(r, i + 1, &p.mask));
        FLX_TRY(flx_nastran_number(r, i + 2, "a displacement", &value));
        for (int c = 0; c < 6; c++) p.value[c] = value;
        FLX_TRY(flx_structure_add_support(r->s, &p));
    }
    return FLX_OK;
}

static flx_status read_load(flx_nastran *r)
{
    flx_nodal_load l = {0};
    double size = 0, axis[3] = {0, 0, 0};
    bool grav = flx_nastran_is(r, "GRAV"), moment = flx_nastran_is(r, "MOMENT");
    int at = grav ? 3 : 4;
    if (!flx_nastran_is_empty(r, at - 1) &&
        !(r->f[at - 1].length == 1 && r->f[at - 1].text[0] == '0')) {
        return REFUSE(r, "%.*s in a coordinate system of its own is not read", r->f[0].length,
                      r->f[0].text);
    }
    if (!grav) FLX_TRY(flx_nastran_node(r, 2, &l.node));
    FLX_TRY(flx_nastran_number(r, at, "the size of the load", &size));
    for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, at + 1 + c, "a direction", &axis[c]));
    for (int c = 0; c < 3; c++) {
        if (grav) r->s->gravity[c] += size * axis[c];
        l.force[moment ? 3 + c : c] = size * axis[c];
    }
    return grav ? FLX_OK : flx_structure_add_load(r->s, &l);
}

// ---- the file -----------------------------------------------------------------------------------

static const flx_nastran_property *find_property(const flx_nastran *r, int id)
{
    for (int i = 0; i < r->nproperty; i++) {
        if (r->properties[i].id == id) return r->properties + i;
    }
    return NULL;
}

static int find_material(const flx_nastran *r, int id)
{
    for (int i = 0; i < r->nmaterial; i++) {
        if (r->materials[i].id == id) return r->materials[i].index;
    }
    return -1;
}

// Properties may come after the elements that use them.
static flx_status settle(flx_nastran *r)
{
    const flx_nastran_property *last = NULL;
    for (int i = 0; i < r->s->nelement; i++) {
        flx_element *e = r->s->elements + i;
        int id = r->element_property[i];
        r->line = e->line;
        const flx_nastran_property *p = last && last->id == id ? last : find_property(r, id);
        if (!p)
            return REFUSE(r, "element %d has property %d, which is not in the file", e->label, id);
        last = p;
        e->material = find_material(r, p->material);
        if (e->material < 0) {
            r->line = p->line;
            return REFUSE(r, "property %d has material %d, which is not in the file", id,
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
    }
    for (int i = 0; i < r->s->nspring; i++) {
        if (r->spring_property[i] < 0) continue;
        const flx_nastran_property *p = find_property(r, r->spring_property[i]);
        r->line = r->s->springs[i].loc.line;
        if (!p)
            return REFUSE(r, "CELAS1 has property %d, which is not there", r->spring_property[i]);
        for (int c = 0; c < 6; c++) r->s->springs[i].stiffness[c] *= p->stiffness;
    }
    return FLX_OK;
}

static bool starts(const flx_nastran *r, const char *const *words)
{
    for (; *words; words++) {
        if (flx_nastran_is(r, *words)) return true;
    }
    return false;
}

static const char *const first_cards[] = {"GRID", "MAT1",  "PSOLID", "PSHELL", "PROD",
                                          "PBAR", "PBARL", "PELAS",  NULL};

static flx_status read_first(flx_nastran *r)
{
    if (flx_nastran_is(r, "GRID")) return flx_nastran_grid(r);
    if (flx_nastran_is(r, "MAT1")) return flx_nastran_material(r);
    return flx_nastran_read_property(r);
}

static flx_status read_second(flx_nastran *r)
{
    static const char *const quiet[] = {"ENDDATA", "PARAM",  "EIGRL", "EIGR",
                                        "LOAD",    "SPCADD", NULL};
    const flx_family membrane = FLX_FAMILY_PLANE_STRESS;
    if (flx_nastran_is(r, "CTETRA"))
        return read_cell(r, FLX_CELL_TET4, FLX_CELL_TET10, FLX_FAMILY_SOLID);
    if (flx_nastran_is(r, "CHEXA"))
        return read_cell(r, FLX_CELL_HEX8, FLX_CELL_HEX20, FLX_FAMILY_SOLID);
    if (flx_nastran_is(r, "CTRIA3") || flx_nastran_is(r, "CTRIA6")) {
        return read_cell(r, FLX_CELL_TRI3, FLX_CELL_TRI6, membrane);
    }
    if (flx_nastran_is(r, "CQUAD4") || flx_nastran_is(r, "CQUAD8")) {
        return read_cell(r, FLX_CELL_QUAD4, FLX_CELL_QUAD8, membrane);
    }
    if (flx_nastran_is(r, "CROD") || flx_nastran_is(r, "CONROD"))
        return read_line(r, FLX_FAMILY_TRUSS);
    if (flx_nastran_is(r, "CBAR") || flx_nastran_is(r, "CBEAM"))
        return read_line(r, FLX_FAMILY_BEAM);
    if (flx_nastran_is(r, "CELAS1") || flx_nastran_is(r, "CELAS2")) return read_spring(r);
    if (flx_nastran_is(r, "CONM2")) return read_mass(r);
    if (flx_nastran_is(r, "RBE2")) return read_rbe2(r);
    if (flx_nastran_is(r, "RBE3")) return read_rbe3(r);
    if (flx_nastran_is(r, "SPC") || flx_nastran_is(r, "SPC1")) return read_spc(r);
    if (flx_nastran_is(r, "FORCE") || flx_nastran_is(r, "MOMENT") || flx_nastran_is(r, "GRAV"))
        return read_load(r);
    if (starts(r, first_cards) || starts(r, quiet)) return FLX_OK;
    if (r->f[0].length > 0 && (r->f[0].text[0] == 'C' || r->f[0].text[0] == 'c')) {
        char buffer[64];
        return REFUSE(r, "%s: this kind of element is not known",
                      flx_text_quote(r->f[0].text, r->f[0].length, buffer));
    }
    flx_ctx_warn(r->scan->ctx, flx_nastran_place(r), "%.*s is passed over", r->f[0].length,
                 r->f[0].text);
    return FLX_OK;
}

// Executive and case control end with BEGIN BULK, where there are any.
static void skip_control(flx_scan *scan)
{
    flx_scan ahead = *scan;
    const char *text;
    int length;
    while (flx_scan_line(&ahead, &text, &length)) {
        if (length < 10 || strncasecmp(text, "BEGIN", 5) != 0) continue;
        *scan = ahead;
        return;
    }
}

static flx_status read_all(flx_nastran *r, bool second)
{
    bool more = true;
    r->ahead = false;
    while (more) {
        FLX_TRY(flx_nastran_card(r, &more));
        if (!more || flx_nastran_is(r, "ENDDATA")) break;
        if (second) {
            FLX_TRY(read_second(r));
        } else if (starts(r, first_cards)) {
            FLX_TRY(read_first(r));
        }
    }
    return FLX_OK;
}

flx_status flx_nastran_read(flx_scan *scan, flx_structure *s)
{
    flx_nastran r = {.scan = scan, .s = s};
    skip_control(scan);
    flx_scan start = *scan;
    flx_status status = read_all(&r, false);
    if (status == FLX_OK) status = flx_structure_index(s);
    for (int i = 0; i < s->nnode; i++)
        r.largest = s->label[i] > r.largest ? s->label[i] : r.largest;
    *scan = start;
    if (status == FLX_OK) status = read_all(&r, true);
    if (status == FLX_OK) status = settle(&r);
    bool plane = false, space = false;
    for (int i = 0; i < s->nelement; i++) {
        bool flat = s->elements[i].family == FLX_FAMILY_PLANE_STRESS;
        *(flat ? &plane : &space) = true;
    }
    if (plane && !space) s->dimension = 2;
    flx_free(r.f);
    flx_free(r.properties);
    flx_free(r.materials);
    flx_free(r.element_property);
    flx_free(r.spring_property);
    return status;
}
