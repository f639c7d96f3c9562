// abaqus.c - input files of Abaqus and CalculiX, flat (without parts): nodes, elements, sets, materials,
// sections, supports, loads, masses, springs, rigid bodies. What only asks for results is passed over;
// other keywords are named in a warning.
#include "read/mesh.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_FIELDS 32
#define MOST_OPTIONS 12

typedef struct field {
    const char *text;
    int length;
} field;

typedef struct fields {
    int n;
    field item[MOST_FIELDS];
} fields;

typedef struct keyword {
    field name;
    int n;
    field key[MOST_OPTIONS], value[MOST_OPTIONS];
    int line;
} keyword;

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

typedef struct reader {
    flx_scan *scan;
    flx_structure *s;
    const char *line; // the next line of data, or NULL
    int length, number;
    int material;      // current one
    int *slot, nslot;  // element of a label
    bool plane, space; // kinds of elements met
    bool nodes_changed;
} reader;

static flx_loc place(const reader *r)
{
    return (flx_loc){r->scan->file, r->number, 1};
}

// ---- lines --------------------------------------------------------------------------------------

// The next line that is no comment; false at the end.
static bool next_line(reader *r)
{
    do {
        r->number = r->scan->line;
        if (!flx_scan_line(r->scan, &r->line, &r->length)) {
            r->line = NULL;
            return false;
        }
    } while (r->length == 0 || (r->length >= 2 && r->line[0] == '*' && r->line[1] == '*'));
    return true;
}

// The next line of data of a keyword; false at the next keyword.
static bool next_data(reader *r)
{
    return next_line(r) && r->line[0] != '*';
}

static field trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    return (field){from, (int)(to - from)};
}

static void split(const reader *r, fields *f)
{
    const char *at = r->line, *end = r->line + r->length;
    f->n = 0;
    while (f->n < MOST_FIELDS) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        f->item[f->n++] = trim(at, comma ? comma : end);
        if (!comma) break;
        at = comma + 1;
        if (trim(at, end).length == 0) break; // a comma at the end
    }
}

static bool is(field f, const char *word)
{
    return (int)strlen(word) == f.length && strncasecmp(f.text, word, (size_t)f.length) == 0;
}

static const field *option(const keyword *k, const char *key)
{
    for (int i = 0; i < k->n; i++) {
        if (is(k->key[i], key)) return &k->value[i];
    }
    return NULL;
}

static void read_keyword(const reader *r, keyword *k)
{
    fields f;
    split(r, &f);
    *k = (keyword){.line = r->number};
    k->name = (field){f.item[0].text + 1, f.item[0].length - 1};
    for (int i = 1; i < f.n && k->n < MOST_OPTIONS; i++) {
        const char *at = f.item[i].text, *end = at + f.item[i].length;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        k->key[k->n] = trim(at, equals ? equals : end);
        k->value[k->n++] = equals ? trim(equals + 1, end) : (field){end, 0};
    }
}

static flx_status refuse(const reader *r, field f, const char *what)
{
    char buffer[64];
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "'%s' where %s is expected",
                    flx_text_quote(f.text, f.length, buffer), what);
}

static flx_status need_number(const reader *r, const fields *f, int i, const char *what,
                              double *out)
{
    field none = {"", 0};
    if (i < f->n && flx_text_number(f->item[i].text, f->item[i].length, out)) return FLX_OK;
    return refuse(r, i < f->n ? f->item[i] : none, what);
}

static flx_status need_int(const reader *r, const fields *f, int i, const char *what, int *out)
{
    field none = {"", 0};
    if (i < f->n && flx_text_int(f->item[i].text, f->item[i].length, out)) return FLX_OK;
    return refuse(r, i < f->n ? f->item[i] : none, what);
}

static flx_status need_option(const reader *r, const keyword *k, const char *key, const field **out)
{
    *out = option(k, key);
    if (*out && (*out)->length > 0) return FLX_OK;
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                    "*%.*s needs %s=", k->name.length, k->name.text, key);
}

// ---- sets ---------------------------------------------------------------------------------------

static flx_mesh_set *find_set(const reader *r, field name)
{
    for (int i = 0; i < r->s->nset; i++) {
        if (is(name, r->s->sets[i].name)) return r->s->sets + i;
    }
    return NULL;
}

static flx_mesh_set *make_set(const reader *r, field name)
{
    char text[128];
    flx_mesh_set *set = find_set(r, name);
    if (set) return set;
    snprintf(text, sizeof text, "%.*s", name.length, name.text);
    return flx_structure_set(r->s, text);
}

static flx_status index_nodes(reader *r)
{
    if (!r->nodes_changed) return FLX_OK;
    r->nodes_changed = false;
    return flx_structure_index(r->s);
}

static int element_of(const reader *r, int label)
{
    return label >= 0 && label < r->nslot ? r->slot[label] - 1 : -1;
}

static flx_status note_element(reader *r, int label)
{
    void *slot = r->slot;
    if (label < 0 || label > 100000000) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "element number %d is out of range",
                        label);
    }
    FLX_TRY(flx_grow(r->scan->ctx, &slot, &r->nslot, label + 1, sizeof *r->slot));
    r->slot = slot;
    if (r->slot[label] != 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r),
                        "element %d is there twice: first in line %d", label,
                        r->s->elements[r->slot[label] - 1].line);
    }
    r->slot[label] = r->s->nelement + 1;
    return FLX_OK;
}

static flx_status add_member(reader *r, const char *name, int label, bool elements)
{
    int i = elements ? element_of(r, label) : flx_structure_node_of(r->s, label);
    if (i < 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r),
                        "set %s has %s %d, which is not there", name, elements ? "element" : "node",
                        label);
    }
    flx_mesh_set *set = flx_structure_set(r->s, name);
    if (!set) return FLX_ERR_MEMORY;
    return flx_structure_add_to_set(r->s, set, elements ? -1 : i, elements ? i : -1);
}

static flx_status add_set(reader *r, const char *name, field other, bool elements)
{
    char buffer[64];
    const flx_mesh_set *from = find_set(r, other);
    if (!from) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "no set is named '%s'",
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

static flx_status read_set(reader *r, const keyword *k, bool elements)
{
    const field *name;
    FLX_TRY(index_nodes(r));
    FLX_TRY(need_option(r, k, elements ? "ELSET" : "NSET", &name));
    flx_mesh_set *set = make_set(r, *name);
    if (!set) return FLX_ERR_MEMORY;
    const char *own = set->name;
    while (next_data(r)) {
        fields f;
        int label;
        split(r, &f);
        if (option(k, "GENERATE")) {
            int range[3] = {0, 0, 1};
            for (int i = 0; i < (f.n > 2 ? 3 : 2); i++) {
                FLX_TRY(need_int(r, &f, i, "a number", &range[i]));
            }
            if (range[2] < 1) return refuse(r, f.item[2], "a step above zero");
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

static flx_status read_nodes(reader *r, const keyword *k)
{
    const field *name = option(k, "NSET");
    while (next_data(r)) {
        fields f;
        int label;
        double x[3] = {0, 0, 0};
        split(r, &f);
        FLX_TRY(need_int(r, &f, 0, "a node's number", &label));
        for (int c = 0; c < 3 && c + 1 < f.n; c++) {
            if (f.item[c + 1].length == 0) continue;
            FLX_TRY(need_number(r, &f, c + 1, "a coordinate", &x[c]));
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

static flx_status find_type(const reader *r, const keyword *k, const element_name **out)
{
    const field *type;
    char buffer[64];
    flx_nearest near;
    FLX_TRY(need_option(r, k, "TYPE", &type));
    flx_text_quote(type->text, type->length, buffer);
    flx_nearest_start(&near, buffer);
    for (size_t i = 0; i < sizeof element_names / sizeof element_names[0]; i++) {
        if (is(*type, element_names[i].word)) {
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
static flx_status read_element(reader *r, const element_name *type, const field *elset)
{
    int n = flx_cells[type->cell].nodes, nodes[FLX_CELL_NODES], count = 0, label = 0;
    int line = r->number;
    bool first = true;
    do {
        fields f;
        split(r, &f);
        if (first) FLX_TRY(need_int(r, &f, 0, "an element's number", &label));
        for (int i = first ? 1 : 0; i < f.n; i++) {
            int node;
            FLX_TRY(need_int(r, &f, i, "a node of the element", &node));
            if (count == n) {
                return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r),
                                "element %d has more than the %d nodes of its type", label, n);
            }
            nodes[count] = flx_structure_node_of(r->s, node);
            if (nodes[count++] < 0) {
                return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r),
                                "element %d has node %d, which is not in the file", label, node);
            }
        }
        first = false;
    } while (count < n && next_data(r));
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

static flx_status read_elements(reader *r, const keyword *k)
{
    const element_name *type = NULL;
    FLX_TRY(find_type(r, k, &type));
    FLX_TRY(index_nodes(r));
    if (type->family != FLX_FAMILY_NONE) *(type->plane ? &r->plane : &r->space) = true;
    while (next_data(r)) FLX_TRY(read_element(r, type, option(k, "ELSET")));
    return FLX_OK;
}

// ---- materials and sections ---------------------------------------------------------------------

static flx_status read_material(reader *r, const keyword *k)
{
    const field *name;
    char text[128];
    FLX_TRY(need_option(r, k, "NAME", &name));
    snprintf(text, sizeof text, "%.*s", name->length, name->text);
    flx_material m = {.name = flx_intern(r->scan->ctx, text), .loc = {r->scan->file, k->line, 1}};
    if (!m.name) return FLX_ERR_MEMORY;
    r->material = r->s->nmaterial;
    FLX_TRY(flx_structure_add_material(r->s, &m));
    next_line(r);
    return FLX_OK;
}

static flx_status read_property(reader *r, const keyword *k, bool elastic)
{
    fields f;
    double value[2] = {0, 0};
    if (r->material < 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%.*s comes before *MATERIAL", k->name.length, k->name.text);
    }
    if (!next_data(r)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%.*s has no numbers", k->name.length, k->name.text);
    }
    split(r, &f);
    for (int i = 0; i < (elastic ? 2 : 1); i++) {
        FLX_TRY(need_number(r, &f, i, elastic ? "Young's modulus and Poisson's ratio" : "a density",
                            &value[i]));
    }
    flx_material *m = r->s->materials + r->material;
    if (elastic) {
        m->E = value[0];
        m->nu = value[1];
    } else {
        m->density = value[0];
    }
    while (next_data(r)) { // of other temperatures
    }
    return FLX_OK;
}

static int find_material(const reader *r, field name)
{
    for (int i = 0; i < r->s->nmaterial; i++) {
        if (is(name, r->s->materials[i].name)) return i;
    }
    return -1;
}

// Thickness of plane elements, area of trusses; of beams the kind of the section with its sizes, and then
// the first direction of its axes.
static flx_status read_section(reader *r, const keyword *k, bool beam)
{
    const field *name, *material, *kind = option(k, "SECTION");
    double v[3] = {0, 0, 0};
    fields f;
    FLX_TRY(need_option(r, k, "ELSET", &name));
    FLX_TRY(need_option(r, k, "MATERIAL", &material));
    const flx_mesh_set *set = find_set(r, *name);
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
    bool data = next_data(r);
    if (beam && !data) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                        "*BEAM SECTION has no sizes");
    }
    if (data) {
        split(r, &f);
        bool round = beam && kind && is(*kind, "CIRC");
        if (beam && !round && !(kind && is(*kind, "RECT"))) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                            "beam sections are RECT or CIRC here");
        }
        for (int i = 0; i < (beam && !round ? 2 : 1); i++) {
            FLX_TRY(need_number(r, &f, i, "a size of the section", &v[i]));
            if (!(v[i] > 0)) return refuse(r, f.item[i], "a size above zero");
        }
        c.thickness = c.A = v[0];
        if (round) c = flx_section_circle(v[0], nu);
        if (beam && !round) c = flx_section_rectangle(v[1], v[0], nu); // first along the first axis
        if (next_data(r) && beam) {
            split(r, &f);
            for (int i = 0; i < 3; i++) {
                FLX_TRY(need_number(r, &f, i, "the first axis of the section", &c.up[i]));
            }
            c.has_up = true;
            next_line(r);
        }
    }
    c.loc = (flx_loc){r->scan->file, line, 1};
    set = find_set(r, *name);
    for (int i = 0; i < set->nelement; i++) {
        flx_element *e = r->s->elements + set->elements[i];
        e->material = own;
        e->section = r->s->nsection;
    }
    return flx_structure_add_section(r->s, &c);
}

// ---- supports and loads -------------------------------------------------------------------------

// Nodes of a number or of a set: calls add for each.
typedef flx_status (*add_one)(reader *r, int node, const void *user);

static flx_status for_nodes(reader *r, field f, add_one add, const void *user)
{
    int label;
    char buffer[64];
    if (flx_text_int(f.text, f.length, &label)) {
        int node = flx_structure_node_of(r->s, label);
        if (node < 0) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "node %d is not in the file",
                            label);
        }
        return add(r, node, user);
    }
    const flx_mesh_set *set = find_set(r, f);
    if (!set || set->nnode == 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "no set of nodes is named '%s'",
                        flx_text_quote(f.text, f.length, buffer));
    }
    int at = (int)(set - r->s->sets);
    for (int i = 0; i < r->s->sets[at].nnode; i++) FLX_TRY(add(r, r->s->sets[at].nodes[i], user));
    return FLX_OK;
}

static flx_status add_support(reader *r, int node, const void *user)
{
    flx_support p = *(const flx_support *)user;
    p.node = node;
    return flx_structure_add_support(r->s, &p);
}

static flx_status add_load(reader *r, int node, const void *user)
{
    flx_nodal_load l = *(const flx_nodal_load *)user;
    l.node = node;
    return flx_structure_add_load(r->s, &l);
}

static flx_status read_boundary(reader *r)
{
    static const struct {
        const char *word;
        unsigned mask;
    } words[] = {{"ENCASTRE", 077}, {"PINNED", 07}, {"XSYMM", 061}, {"YSYMM", 052}, {"ZSYMM", 034}};
    while (next_data(r)) {
        fields f;
        int first = 0, last;
        flx_support p = {.loc = place(r)};
        split(r, &f);
        for (size_t i = 0; f.n > 1 && i < sizeof words / sizeof words[0]; i++) {
            if (is(f.item[1], words[i].word)) p.mask = words[i].mask;
        }
        if (p.mask == 0) {
            double value = 0;
            FLX_TRY(need_int(r, &f, 1, "a component from 1 to 6", &first));
            last = first;
            if (f.n > 2 && f.item[2].length > 0) {
                FLX_TRY(need_int(r, &f, 2, "a component from 1 to 6", &last));
            }
            if (f.n > 3) FLX_TRY(need_number(r, &f, 3, "a displacement", &value));
            if (first < 1 || last > 6 || last < first) {
                return refuse(r, f.item[1], "a component from 1 to 6");
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

static flx_status read_cload(reader *r)
{
    while (next_data(r)) {
        fields f;
        int comp;
        flx_nodal_load l = {0};
        double value;
        split(r, &f);
        FLX_TRY(need_int(r, &f, 1, "a component from 1 to 6", &comp));
        FLX_TRY(need_number(r, &f, 2, "a force", &value));
        if (comp < 1 || comp > 6) return refuse(r, f.item[1], "a component from 1 to 6");
        l.force[comp - 1] = value;
        FLX_TRY(for_nodes(r, f.item[0], add_load, &l));
    }
    return FLX_OK;
}

// A face as a boundary element with its normal outwards, and a pressure on it.
static flx_status add_face(reader *r, int element, int face, double pressure)
{
    int nodes[FLX_CELL_NODES];
    flx_cell cell;
    const flx_element *e = r->s->elements + element;
    if (!flx_structure_face(r->s, element, face, &cell, nodes)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r), "element %d (%s) has no face %d",
                        e->label, flx_cells[e->cell].word, face + 1);
    }
    const flx_element own = {
        .cell = cell, .label = e->label, .line = r->number, .material = -1, .section = -1};
    const flx_pressure p = {.element = r->s->nelement, .value = pressure};
    FLX_TRY(flx_structure_add_element(r->s, &own, nodes));
    return flx_structure_add_pressure(r->s, &p);
}

static flx_status read_dload(reader *r)
{
    while (next_data(r)) {
        fields f;
        double value, axis[3];
        char buffer[64];
        int label, face;
        split(r, &f);
        if (f.n > 1 && is(f.item[1], "GRAV")) {
            FLX_TRY(need_number(r, &f, 2, "an acceleration", &value));
            for (int c = 0; c < 3; c++) {
                FLX_TRY(need_number(r, &f, 3 + c, "a direction", &axis[c]));
                r->s->gravity[c] += value * axis[c];
            }
            continue;
        }
        bool pressed = f.n > 1 && f.item[1].length == 2 && toupper(f.item[1].text[0]) == 'P' &&
                       flx_text_int(f.item[1].text + 1, 1, &face);
        if (!pressed) return refuse(r, f.n > 1 ? f.item[1] : f.item[0], "GRAV or P1 to P6");
        FLX_TRY(need_number(r, &f, 2, "a pressure", &value));
        if (flx_text_int(f.item[0].text, f.item[0].length, &label)) {
            int e = element_of(r, label);
            if (e < 0) return refuse(r, f.item[0], "an element");
            FLX_TRY(add_face(r, e, face - 1, value));
            continue;
        }
        const flx_mesh_set *set = find_set(r, f.item[0]);
        if (!set || set->nelement == 0) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, place(r),
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

static flx_status read_mass(reader *r, const keyword *k)
{
    const field *name;
    fields f;
    double value;
    FLX_TRY(need_option(r, k, "ELSET", &name));
    flx_loc loc = {r->scan->file, k->line, 1};
    if (!next_data(r)) return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*MASS has no number");
    split(r, &f);
    FLX_TRY(need_number(r, &f, 0, "a mass", &value));
    const flx_mesh_set *set = find_set(r, *name);
    for (int i = 0; set && i < set->nelement; i++) {
        const flx_point_mass m = {
            .node = flx_element_nodes(r->s, set->elements[i])[0], .loc = loc, .mass = value};
        FLX_TRY(flx_structure_add_mass(r->s, &m));
    }
    next_line(r);
    return FLX_OK;
}

static flx_status read_spring(reader *r, const keyword *k)
{
    const field *name;
    fields f;
    int comp;
    double value;
    FLX_TRY(need_option(r, k, "ELSET", &name));
    flx_loc loc = {r->scan->file, k->line, 1};
    if (!next_data(r)) return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*SPRING has no numbers");
    split(r, &f);
    FLX_TRY(need_int(r, &f, 0, "a component from 1 to 6", &comp));
    if (comp < 1 || comp > 6) return refuse(r, f.item[0], "a component from 1 to 6");
    if (!next_data(r))
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, loc, "*SPRING has no stiffness");
    split(r, &f);
    FLX_TRY(need_number(r, &f, 0, "a stiffness", &value));
    const flx_mesh_set *set = find_set(r, *name);
    for (int i = 0; set && i < set->nelement; i++) {
        const int *nodes = flx_element_nodes(r->s, set->elements[i]);
        bool pair = r->s->elements[set->elements[i]].cell == FLX_CELL_LINE2;
        flx_spring_element spring = {.node = {nodes[0], pair ? nodes[1] : -1}, .loc = loc};
        spring.stiffness[comp - 1] = value;
        FLX_TRY(flx_structure_add_spring(r->s, &spring));
    }
    next_line(r);
    return FLX_OK;
}

static flx_status read_rigid(reader *r, const keyword *k)
{
    const field *name, *reference;
    int label = 0;
    flx_loc loc = {r->scan->file, k->line, 1};
    FLX_TRY(need_option(r, k, "REF NODE", &reference));
    FLX_TRY(need_option(r, k, option(k, "NSET") ? "NSET" : "ELSET", &name));
    const flx_mesh_set *set = find_set(r, *name);
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
    next_line(r);
    return FLX_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static flx_status pass_over(reader *r, const keyword *k)
{
    static const char *const quiet[] = {
        "HEADING",  "STEP",       "END STEP", "STATIC",  "FREQUENCY",     "NODE FILE",
        "EL FILE",  "NODE PRINT", "EL PRINT", "OUTPUT",  "NODE OUTPUT",   "ELEMENT OUTPUT",
        "PREPRINT", "RESTART",    "FIELD",    "DYNAMIC", "MODAL DYNAMIC", "SURFACE"};
    static const char *const flat[] = {"PART", "ASSEMBLY", "INSTANCE", "INCLUDE"};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
        if (!is(k->name, flat[i])) continue;
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                        "*%s is not read: write the model flat, in one file without parts",
                        flat[i]);
    }
    bool known = false;
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) known |= is(k->name, quiet[i]);
    if (!known) {
        flx_ctx_warn(r->scan->ctx, (flx_loc){r->scan->file, k->line, 1}, "*%.*s is passed over",
                     k->name.length, k->name.text);
    }
    while (next_data(r)) {
    }
    return FLX_OK;
}

static flx_status read_block(reader *r, const keyword *k)
{
    if (is(k->name, "NODE")) return read_nodes(r, k);
    if (is(k->name, "ELEMENT")) return read_elements(r, k);
    if (is(k->name, "NSET")) return read_set(r, k, false);
    if (is(k->name, "ELSET")) return read_set(r, k, true);
    if (is(k->name, "MATERIAL")) return read_material(r, k);
    if (is(k->name, "ELASTIC")) return read_property(r, k, true);
    if (is(k->name, "DENSITY")) return read_property(r, k, false);
    if (is(k->name, "SOLID SECTION")) return read_section(r, k, false);
    if (is(k->name, "BEAM SECTION")) return read_section(r, k, true);
    if (is(k->name, "BOUNDARY")) return read_boundary(r);
    if (is(k->name, "CLOAD")) return read_cload(r);
    if (is(k->name, "DLOAD")) return read_dload(r);
    if (is(k->name, "MASS")) return read_mass(r, k);
    if (is(k->name, "SPRING")) return read_spring(r, k);
    if (is(k->name, "RIGID BODY")) return read_rigid(r, k);
    return pass_over(r, k);
}

flx_status flx_abaqus_read(flx_scan *scan, flx_structure *s)
{
    reader r = {.scan = scan, .s = s, .material = -1};
    flx_status status = FLX_OK;
    bool more = next_line(&r);
    while (status == FLX_OK && more) {
        keyword k;
        if (r.line[0] != '*') {
            char buffer[64];
            status = FLX_FAIL(scan->ctx, FLX_ERR_MODEL, place(&r),
                              "'%s' where a keyword is expected, such as *NODE",
                              flx_text_quote(r.line, r.length, buffer));
            break;
        }
        read_keyword(&r, &k);
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
