// nastran.c - bulk data of Nastran, the common cards: GRID, CTETRA, CHEXA, CROD, CONROD, CBAR, CBEAM,
// CTRIA3, CTRIA6, CQUAD4, CQUAD8 (as membranes of the plane), CELAS1, CELAS2, CONM2, RBE2, RBE3, MAT1,
// PSOLID, PSHELL, PROD, PBAR, PBARL, PELAS, SPC, SPC1, FORCE, MOMENT, GRAV. Fields of 8 or 16 columns or
// separated by commas, with continuations. Other cards are named in a warning.
#include "read/mesh.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct field {
    const char *text;
    int length;
} field;

typedef struct property { // P* cards, by their number
    int id, material, section;
    double stiffness; // PELAS
    int line;
} property;

typedef struct numbered {
    int id, index;
} numbered;

typedef struct reader {
    flx_scan *scan;
    flx_structure *s;
    int n, capacity; // fields of the card: [0] its name
    field *f;
    int line; // of the card
    const char *next;
    int next_length, next_line; // read ahead
    bool ahead;
    int nproperty, property_capacity;
    property *properties;
    int nmaterial, material_capacity;
    numbered *materials;
    int nelement, element_capacity;
    int *element_property; // by element: number of its property, settled at the end
    int nspring, spring_capacity;
    int *spring_property;
    int largest; // number of a node
} reader;

static flx_loc place(const reader *r)
{
    return (flx_loc){r->scan->file, r->line, 1};
}

#define REFUSE(r, ...) FLX_FAIL((r)->scan->ctx, FLX_ERR_MODEL, place(r), __VA_ARGS__)

#define GROW(r, array, capacity, need)                                                             \
    do {                                                                                           \
        void *array_ = (array);                                                                    \
        flx_status grown_ =                                                                        \
            flx_grow((r)->scan->ctx, &array_, &(capacity), (need), sizeof *(array));               \
        (array) = array_;                                                                          \
        if (grown_ != FLX_OK) return grown_;                                                       \
    } while (0)

// ---- cards --------------------------------------------------------------------------------------

static field trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    return (field){from, (int)(to - from)};
}

// A line with its leading blanks, which count here; comments are cut off.
static bool next_line(reader *r)
{
    if (r->ahead) {
        r->ahead = false;
        return true;
    }
    const flx_scan *s = r->scan;
    do {
        if (s->at >= s->end) return false;
        const char *start = s->at;
        const char *end = memchr(start, '\n', (size_t)(s->end - start));
        r->next_line = s->line;
        r->scan->at = end ? end + 1 : s->end;
        r->scan->line += end != NULL;
        if (!end) end = s->end;
        const char *comment = memchr(start, '$', (size_t)(end - start));
        if (comment) end = comment;
        while (end > start && isspace((unsigned char)end[-1])) end--;
        r->next = start;
        r->next_length = (int)(end - start);
    } while (r->next_length == 0);
    return true;
}

static flx_status add_field(reader *r, field f)
{
    GROW(r, r->f, r->capacity, r->n + 1);
    r->f[r->n++] = f;
    return FLX_OK;
}

// The data fields of one line, eight or (of 16 columns) four of them.
static flx_status add_line(reader *r, bool first)
{
    const char *at = r->next, *end = at + r->next_length;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if (comma) {
        int k = 0;
        for (; k < 9; k++) {
            const char *stop = memchr(at, ',', (size_t)(end - at));
            if (k > 0 || first) FLX_TRY(add_field(r, trim(at, stop ? stop : end)));
            if (!stop) {
                k++;
                break;
            }
            at = stop + 1;
        }
        for (; k < 9; k++) FLX_TRY(add_field(r, (field){end, 0}));
        return FLX_OK;
    }
    const char *name = at + (r->next_length < 8 ? r->next_length : 8);
    bool wide = memchr(at, '*', (size_t)(name - at)) != NULL;
    int width = wide ? 16 : 8, count = wide ? 4 : 8;
    if (first) {
        field f = trim(at, name);
        if (f.length > 0 && f.text[f.length - 1] == '*') f.length--;
        FLX_TRY(add_field(r, f));
    }
    for (int k = 0; k < count; k++) {
        const char *from = r->next + 8 + width * k, *to = from + width;
        if (from > end) from = end;
        if (to > end) to = end;
        FLX_TRY(add_field(r, trim(from, to)));
    }
    return FLX_OK;
}

// The next card with its continuations.
static flx_status read_card(reader *r, bool *more)
{
    r->n = 0;
    *more = next_line(r);
    if (!*more) return FLX_OK;
    r->line = r->next_line;
    FLX_TRY(add_line(r, true));
    while (next_line(r)) {
        char c = r->next[0];
        if (c != '+' && c != '*' && c != ' ' && c != ',' && c != '\t') {
            r->ahead = true;
            break;
        }
        FLX_TRY(add_line(r, false));
    }
    while (r->n > 1 && r->f[r->n - 1].length == 0) r->n--;
    return FLX_OK;
}

static bool is(const reader *r, const char *word)
{
    return (int)strlen(word) == r->f[0].length &&
           strncasecmp(r->f[0].text, word, (size_t)r->f[0].length) == 0;
}

static bool is_empty(const reader *r, int i)
{
    return i >= r->n || r->f[i].length == 0;
}

static flx_status need_int(const reader *r, int i, const char *what, int *out)
{
    char buffer[64];
    if (!is_empty(r, i) && flx_text_int(r->f[i].text, r->f[i].length, out)) return FLX_OK;
    return REFUSE(r, "%.*s: '%s' in field %d where %s is expected", r->f[0].length, r->f[0].text,
                  is_empty(r, i) ? "" : flx_text_quote(r->f[i].text, r->f[i].length, buffer), i + 1,
                  what);
}

// 1.5+3 is 1.5e3.
static bool as_number(field f, double *out)
{
    char text[40];
    int n = 0;
    if (f.length > 36) return false;
    for (int i = 0; i < f.length; i++) {
        char c = f.text[i];
        bool sign = c == '+' || c == '-';
        if (sign && i > 0 && !strchr("eEdD", f.text[i - 1])) text[n++] = 'e';
        text[n++] = c;
    }
    return flx_text_number(text, n, out);
}

// An empty field is the default.
static flx_status get_number(const reader *r, int i, const char *what, double *out)
{
    char buffer[64];
    if (is_empty(r, i) || as_number(r->f[i], out)) return FLX_OK;
    return REFUSE(r, "%.*s: '%s' in field %d where %s is expected", r->f[0].length, r->f[0].text,
                  flx_text_quote(r->f[i].text, r->f[i].length, buffer), i + 1, what);
}

static flx_status need_node(const reader *r, int i, int *node)
{
    int label;
    FLX_TRY(need_int(r, i, "a node", &label));
    *node = flx_structure_node_of(r->s, label);
    if (*node >= 0) return FLX_OK;
    return REFUSE(r, "%.*s has node %d, which is not in the file", r->f[0].length, r->f[0].text,
                  label);
}

// Components as digits: 123456.
static flx_status need_mask(const reader *r, int i, unsigned *mask)
{
    *mask = 0;
    for (int k = 0; !is_empty(r, i) && k < r->f[i].length; k++) {
        char c = r->f[i].text[k];
        if (c < '1' || c > '6') *mask |= 1u << 31;
        *mask |= 1u << ((c - '1') & 7);
    }
    if (*mask != 0 && *mask < 64) return FLX_OK;
    return REFUSE(r, "%.*s: components from 1 to 6 are expected in field %d", r->f[0].length,
                  r->f[0].text, i + 1);
}

// ---- nodes, materials, properties ---------------------------------------------------------------

static flx_status read_grid(reader *r)
{
    int label;
    double x[3] = {0, 0, 0};
    FLX_TRY(need_int(r, 1, "a node's number", &label));
    if (!is_empty(r, 2) && !(r->f[2].length == 1 && r->f[2].text[0] == '0')) {
        return REFUSE(r, "GRID %d is in a coordinate system of its own: give basic coordinates",
                      label);
    }
    for (int c = 0; c < 3; c++) FLX_TRY(get_number(r, 3 + c, "a coordinate", &x[c]));
    return flx_structure_add_node(r->s, label, r->line, x);
}

static flx_status read_material(reader *r)
{
    int id;
    double E = 0, G = 0, nu = -1, density = 0;
    char name[32];
    FLX_TRY(need_int(r, 1, "a material's number", &id));
    FLX_TRY(get_number(r, 2, "Young's modulus", &E));
    FLX_TRY(get_number(r, 3, "the shear modulus", &G));
    FLX_TRY(get_number(r, 4, "Poisson's ratio", &nu));
    FLX_TRY(get_number(r, 5, "a density", &density));
    if (nu < 0) nu = G > 0 ? E / (2 * G) - 1 : 0.3;
    snprintf(name, sizeof name, "MAT1 %d", id);
    const flx_material m = {flx_intern(r->scan->ctx, name), place(r), E, nu, density};
    if (!m.name) return FLX_ERR_MEMORY;
    GROW(r, r->materials, r->material_capacity, r->nmaterial + 1);
    r->materials[r->nmaterial++] = (numbered){id, r->s->nmaterial};
    return flx_structure_add_material(r->s, &m);
}

static flx_status add_property(reader *r, int id, int material, const flx_section *c, double k)
{
    GROW(r, r->properties, r->property_capacity, r->nproperty + 1);
    r->properties[r->nproperty++] = (property){id, material, c ? r->s->nsection : -1, k, r->line};
    return c ? flx_structure_add_section(r->s, c) : FLX_OK;
}

static flx_status read_bar_property(reader *r, int id, int material)
{
    flx_section c = {.name = "", .loc = place(r), .sized = true, .rotary = true};
    double k[2] = {0, 0};
    FLX_TRY(get_number(r, 3, "an area", &c.A));
    FLX_TRY(get_number(r, 4, "a second moment", &c.Iz)); // I1: bending in the plane 1, about z
    FLX_TRY(get_number(r, 5, "a second moment", &c.Iy));
    FLX_TRY(get_number(r, 6, "a torsion constant", &c.J));
    FLX_TRY(get_number(r, 17, "a shear factor", &k[0]));
    FLX_TRY(get_number(r, 18, "a shear factor", &k[1]));
    c.ky = k[0];
    c.kz = k[1];
    c.shear = k[0] > 0 || k[1] > 0;
    return add_property(r, id, material, &c, 0);
}

// ROD: radius; BAR: width along z, height along y, as PBARL's DIM1 and DIM2.
static flx_status read_shaped_bar(reader *r, int id, int material)
{
    double d[2] = {0, 0};
    bool round = r->n > 4 && r->f[4].length == 3 && strncasecmp(r->f[4].text, "ROD", 3) == 0;
    bool bar = r->n > 4 && r->f[4].length == 3 && strncasecmp(r->f[4].text, "BAR", 3) == 0;
    if (!round && !bar) return REFUSE(r, "PBARL %d: the sections ROD and BAR are known", id);
    FLX_TRY(get_number(r, 9, "a size of the section", &d[0]));
    FLX_TRY(get_number(r, 10, "a size of the section", &d[1]));
    if (!(d[0] > 0) || (bar && !(d[1] > 0))) return REFUSE(r, "PBARL %d has no sizes", id);
    flx_section c = round ? flx_section_circle(d[0], 0.3) : flx_section_rectangle(d[0], d[1], 0.3);
    c.loc = place(r);
    return add_property(r, id, material, &c, 0);
}

static flx_status read_property(reader *r)
{
    int id, material = -1;
    double k = 0;
    flx_section c = {.name = "", .loc = place(r), .sized = true};
    FLX_TRY(need_int(r, 1, "a property's number", &id));
    if (is(r, "PELAS")) {
        FLX_TRY(get_number(r, 2, "a stiffness", &k));
        return add_property(r, id, -1, NULL, k);
    }
    FLX_TRY(need_int(r, 2, "a material's number", &material));
    if (is(r, "PSOLID")) return add_property(r, id, material, NULL, 0);
    if (is(r, "PBAR")) return read_bar_property(r, id, material);
    if (is(r, "PBARL")) return read_shaped_bar(r, id, material);
    if (is(r, "PROD")) {
        FLX_TRY(get_number(r, 3, "an area", &c.A));
    } else {
        FLX_TRY(get_number(r, 3, "a thickness", &c.thickness));
    }
    return add_property(r, id, material, &c, 0);
}

// ---- elements -----------------------------------------------------------------------------------

static flx_status note_property(reader *r, int id)
{
    GROW(r, r->element_property, r->element_capacity, r->s->nelement + 1);
    r->element_property[r->s->nelement] = id;
    return FLX_OK;
}

static flx_status add_element(reader *r, flx_cell cell, flx_family family, int label, int id,
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

static flx_status read_cell(reader *r, flx_cell linear, flx_cell quadratic, flx_family family)
{
    // Nastran's places of our nodes: middles of upright edges come before those of the top
    static const int hex20[20] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                  10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
    int label, id, given[FLX_CELL_NODES], nodes[FLX_CELL_NODES];
    FLX_TRY(need_int(r, 1, "an element's number", &label));
    FLX_TRY(need_int(r, 2, "a property's number", &id));
    int few = flx_cells[linear].nodes, many = flx_cells[quadratic].nodes;
    int n = r->n - 3 > few && !is_empty(r, 3 + few) && family == FLX_FAMILY_SOLID ? many : few;
    if (is(r, "CTRIA6") || is(r, "CQUAD8")) n = many;
    for (int a = 0; a < n; a++) {
        if (is_empty(r, 3 + a)) {
            return REFUSE(r, "%.*s %d has %d of its %d nodes", r->f[0].length, r->f[0].text, label,
                          a, n);
        }
        FLX_TRY(need_node(r, 3 + a, &given[a]));
    }
    flx_cell cell = n == many ? quadratic : linear;
    for (int a = 0; a < n; a++) nodes[a] = given[cell == FLX_CELL_HEX20 ? hex20[a] : a];
    return add_element(r, cell, family, label, id, nodes);
}

static flx_status read_line(reader *r, flx_family family)
{
    int label, id, nodes[2];
    FLX_TRY(need_int(r, 1, "an element's number", &label));
    bool own = is(r, "CONROD");
    for (int a = 0; a < 2; a++) FLX_TRY(need_node(r, (own ? 2 : 3) + a, &nodes[a]));
    if (own) { // material and area on the card
        flx_section c = {.name = "", .loc = place(r), .sized = true};
        int material;
        FLX_TRY(need_int(r, 4, "a material's number", &material));
        FLX_TRY(get_number(r, 5, "an area", &c.A));
        id = -1 - r->nproperty; // a property of its own
        FLX_TRY(add_property(r, id, material, &c, 0));
    } else {
        FLX_TRY(need_int(r, 2, "a property's number", &id));
    }
    FLX_TRY(add_element(r, FLX_CELL_LINE2, family, label, id, nodes));
    if (family != FLX_FAMILY_BEAM) return FLX_OK;
    double up[3] = {0, 0, 0}; // of the plane 1
    int node = -1, number;
    if (!is_empty(r, 5) && is_empty(r, 6) && flx_text_int(r->f[5].text, r->f[5].length, &number)) {
        FLX_TRY(need_node(r, 5, &node));
        for (int c = 0; c < 3; c++) {
            up[c] = r->s->x[3 * (size_t)node + c] - r->s->x[3 * (size_t)nodes[0] + c];
        }
    } else {
        for (int c = 0; c < 3; c++) FLX_TRY(get_number(r, 5 + c, "a direction", &up[c]));
    }
    if (up[0] == 0 && up[1] == 0 && up[2] == 0) return FLX_OK;
    // a section of its own with this direction, made when properties are known
    flx_section c = {.has_up = true, .up = {up[0], up[1], up[2]}};
    r->s->elements[r->s->nelement - 1].section = r->s->nsection;
    return flx_structure_add_section(r->s, &c);
}

static flx_status read_spring(reader *r)
{
    bool own = is(r, "CELAS2"); // the stiffness on the card
    int id = -1;
    flx_spring_element k = {.node = {-1, -1}, .loc = place(r)};
    double value = 0;
    unsigned mask[2] = {0, 0};
    if (own) {
        FLX_TRY(get_number(r, 2, "a stiffness", &value));
    } else {
        FLX_TRY(need_int(r, 2, "a property's number", &id));
    }
    FLX_TRY(need_node(r, 3, &k.node[0]));
    FLX_TRY(need_mask(r, 4, &mask[0]));
    if (!is_empty(r, 5) && !(r->f[5].length == 1 && r->f[5].text[0] == '0')) {
        FLX_TRY(need_node(r, 5, &k.node[1]));
        FLX_TRY(need_mask(r, 6, &mask[1]));
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

static flx_status read_mass(reader *r)
{
    flx_point_mass m = {.loc = place(r)};
    double lower[6] = {0}, off[3] = {0, 0, 0}; // I11 I21 I22 I31 I32 I33
    FLX_TRY(need_node(r, 2, &m.node));
    FLX_TRY(get_number(r, 4, "a mass", &m.mass));
    for (int i = 0; i < 3; i++) FLX_TRY(get_number(r, 5 + i, "an offset", &off[i]));
    if (off[0] != 0 || off[1] != 0 || off[2] != 0) {
        return REFUSE(r, "CONM2 with an offset is not read: put a node there and join it by RBE2");
    }
    for (int i = 0; i < 6; i++) FLX_TRY(get_number(r, 9 + i, "an inertia", &lower[i]));
    const double own[6] = {lower[0], lower[2], lower[5], -lower[1], -lower[4], -lower[3]};
    memcpy(m.inertia, own, sizeof own);
    return flx_structure_add_mass(r->s, &m);
}

// Nodes of a list from field i on, with "THRU".
static flx_status read_nodes(reader *r, int i, int *n, int **nodes)
{
    int capacity = 0;
    *n = 0;
    *nodes = NULL;
    flx_status status = FLX_OK;
    for (; i < r->n && status == FLX_OK; i++) {
        int node, first = 0, last = 0;
        if (is_empty(r, i)) continue;
        if (r->f[i].length == 4 && strncasecmp(r->f[i].text, "THRU", 4) == 0 && *n > 0) {
            first = r->s->label[(*nodes)[*n - 1]] + 1;
            status = need_int(r, ++i, "a node", &last);
        } else {
            status = need_int(r, i, "a node", &first);
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

static flx_status read_rbe2(reader *r)
{
    flx_node_link l = {.kind = FLX_LINK_RIGID, .loc = place(r)};
    FLX_TRY(need_node(r, 2, &l.reference));
    FLX_TRY(need_mask(r, 3, &l.mask));
    flx_status status = read_nodes(r, 4, &l.nnode, &l.nodes);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    return status;
}

// RBE3, EID, blank, REFGRID, REFC, WT1, C1, G11, G12, ...; one weight, translations.
static flx_status read_rbe3(reader *r)
{
    flx_node_link l = {.kind = FLX_LINK_AVERAGE, .loc = place(r)};
    unsigned mask;
    FLX_TRY(need_node(r, 3, &l.reference));
    FLX_TRY(need_mask(r, 4, &l.mask));
    FLX_TRY(need_mask(r, 6, &mask));
    if ((mask & 07u) != 07u) return REFUSE(r, "RBE3: the nodes give their translations, 123");
    flx_status status = read_nodes(r, 7, &l.nnode, &l.nodes);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    return status;
}

// ---- supports and loads -------------------------------------------------------------------------

static flx_status read_spc(reader *r)
{
    flx_support p = {.loc = place(r)};
    if (is(r, "SPC1")) {
        int n = 0, *nodes = NULL;
        FLX_TRY(need_mask(r, 2, &p.mask));
        flx_status status = read_nodes(r, 3, &n, &nodes);
        for (int i = 0; i < n && status == FLX_OK; i++) {
            p.node = nodes[i];
            status = flx_structure_add_support(r->s, &p);
        }
        flx_free(nodes);
        return status;
    }
    for (int i = 2; i < r->n && !is_empty(r, i); i += 3) {
        double value = 0;
        FLX_TRY(need_node(r, i, &p.node));
        FLX_TRY(need_mask(r, i + 1, &p.mask));
        FLX_TRY(get_number(r, i + 2, "a displacement", &value));
        for (int c = 0; c < 6; c++) p.value[c] = value;
        FLX_TRY(flx_structure_add_support(r->s, &p));
    }
    return FLX_OK;
}

static flx_status read_load(reader *r)
{
    flx_nodal_load l = {0};
    double size = 0, axis[3] = {0, 0, 0};
    bool grav = is(r, "GRAV"), moment = is(r, "MOMENT");
    int at = grav ? 3 : 4;
    if (!is_empty(r, at - 1) && !(r->f[at - 1].length == 1 && r->f[at - 1].text[0] == '0')) {
        return REFUSE(r, "%.*s in a coordinate system of its own is not read", r->f[0].length,
                      r->f[0].text);
    }
    if (!grav) FLX_TRY(need_node(r, 2, &l.node));
    FLX_TRY(get_number(r, at, "the size of the load", &size));
    for (int c = 0; c < 3; c++) FLX_TRY(get_number(r, at + 1 + c, "a direction", &axis[c]));
    for (int c = 0; c < 3; c++) {
        if (grav) r->s->gravity[c] += size * axis[c];
        l.force[moment ? 3 + c : c] = size * axis[c];
    }
    return grav ? FLX_OK : flx_structure_add_load(r->s, &l);
}

// ---- the file -----------------------------------------------------------------------------------

static const property *find_property(const reader *r, int id)
{
    for (int i = 0; i < r->nproperty; i++) {
        if (r->properties[i].id == id) return r->properties + i;
    }
    return NULL;
}

static int find_material(const reader *r, int id)
{
    for (int i = 0; i < r->nmaterial; i++) {
        if (r->materials[i].id == id) return r->materials[i].index;
    }
    return -1;
}

// Properties may come after the elements that use them.
static flx_status settle(reader *r)
{
    const property *last = NULL;
    for (int i = 0; i < r->s->nelement; i++) {
        flx_element *e = r->s->elements + i;
        int id = r->element_property[i];
        r->line = e->line;
        const property *p = last && last->id == id ? last : find_property(r, id);
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
        const property *p = find_property(r, r->spring_property[i]);
        r->line = r->s->springs[i].loc.line;
        if (!p)
            return REFUSE(r, "CELAS1 has property %d, which is not there", r->spring_property[i]);
        for (int c = 0; c < 6; c++) r->s->springs[i].stiffness[c] *= p->stiffness;
    }
    return FLX_OK;
}

static bool starts(const reader *r, const char *const *words)
{
    for (; *words; words++) {
        if (is(r, *words)) return true;
    }
    return false;
}

static const char *const first_cards[] = {"GRID", "MAT1",  "PSOLID", "PSHELL", "PROD",
                                          "PBAR", "PBARL", "PELAS",  NULL};

static flx_status read_first(reader *r)
{
    if (is(r, "GRID")) return read_grid(r);
    if (is(r, "MAT1")) return read_material(r);
    return read_property(r);
}

static flx_status read_second(reader *r)
{
    static const char *const quiet[] = {"ENDDATA", "PARAM",  "EIGRL", "EIGR",
                                        "LOAD",    "SPCADD", NULL};
    const flx_family membrane = FLX_FAMILY_PLANE_STRESS;
    if (is(r, "CTETRA")) return read_cell(r, FLX_CELL_TET4, FLX_CELL_TET10, FLX_FAMILY_SOLID);
    if (is(r, "CHEXA")) return read_cell(r, FLX_CELL_HEX8, FLX_CELL_HEX20, FLX_FAMILY_SOLID);
    if (is(r, "CTRIA3") || is(r, "CTRIA6")) {
        return read_cell(r, FLX_CELL_TRI3, FLX_CELL_TRI6, membrane);
    }
    if (is(r, "CQUAD4") || is(r, "CQUAD8")) {
        return read_cell(r, FLX_CELL_QUAD4, FLX_CELL_QUAD8, membrane);
    }
    if (is(r, "CROD") || is(r, "CONROD")) return read_line(r, FLX_FAMILY_TRUSS);
    if (is(r, "CBAR") || is(r, "CBEAM")) return read_line(r, FLX_FAMILY_BEAM);
    if (is(r, "CELAS1") || is(r, "CELAS2")) return read_spring(r);
    if (is(r, "CONM2")) return read_mass(r);
    if (is(r, "RBE2")) return read_rbe2(r);
    if (is(r, "RBE3")) return read_rbe3(r);
    if (is(r, "SPC") || is(r, "SPC1")) return read_spc(r);
    if (is(r, "FORCE") || is(r, "MOMENT") || is(r, "GRAV")) return read_load(r);
    if (starts(r, first_cards) || starts(r, quiet)) return FLX_OK;
    if (r->f[0].length > 0 && (r->f[0].text[0] == 'C' || r->f[0].text[0] == 'c')) {
        char buffer[64];
        return REFUSE(r, "%s: this kind of element is not known",
                      flx_text_quote(r->f[0].text, r->f[0].length, buffer));
    }
    flx_ctx_warn(r->scan->ctx, place(r), "%.*s is passed over", r->f[0].length, r->f[0].text);
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

static flx_status read_all(reader *r, bool second)
{
    bool more = true;
    r->ahead = false;
    while (more) {
        FLX_TRY(read_card(r, &more));
        if (!more || is(r, "ENDDATA")) break;
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
    reader r = {.scan = scan, .s = s};
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
