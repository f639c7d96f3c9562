// gmsh.c - meshes of Gmsh, MSH 4.1 and 2.2 in ASCII. Physical groups become sets of their names (or of
// their numbers); every element is a boundary until the model says what it is.
#include "read/mesh.h"

#include <stdio.h>
#include <string.h>

typedef struct group_name {
    int dimension, tag;
    const char *name;
} group_name;

typedef struct entity_group { // the groups of a geometric entity
    int dimension, entity, tag;
} entity_group;

typedef struct reader {
    flx_scan *scan;
    flx_structure *s;
    double version;
    int nname, name_capacity;
    group_name *names;
    int nentity, entity_capacity;
    entity_group *entities;
    bool nodes, elements; // sections met
} reader;

// ---- groups -------------------------------------------------------------------------------------

static flx_status name_of(reader *r, int dimension, int tag, const char **name)
{
    char text[32];
    for (int i = 0; i < r->nname; i++) {
        if (r->names[i].dimension == dimension && r->names[i].tag == tag) {
            *name = r->names[i].name;
            return FLX_OK;
        }
    }
    snprintf(text, sizeof text, "%d", tag);
    *name = flx_intern(r->scan->ctx, text);
    return *name ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status add_to_group(reader *r, int dimension, int tag, int element)
{
    const char *name;
    const flx_structure *s = r->s;
    const int *nodes = flx_element_nodes(s, element);
    FLX_TRY(name_of(r, dimension, tag, &name));
    flx_mesh_set *set = flx_structure_set(r->s, name);
    if (!set) return FLX_ERR_MEMORY;
    FLX_TRY(flx_structure_add_to_set(r->s, set, -1, element));
    for (int a = 0; a < flx_cells[s->elements[element].cell].nodes; a++) {
        FLX_TRY(flx_structure_add_to_set(r->s, set, nodes[a], -1));
    }
    return FLX_OK;
}

// dimension tag "name", one line each.
static flx_status read_names(reader *r)
{
    int n;
    FLX_TRY(flx_scan_int(r->scan, "the number of names", &n));
    for (int i = 0; i < n; i++) {
        group_name g;
        const char *text;
        int length;
        FLX_TRY(flx_scan_int(r->scan, "a group's dimension", &g.dimension));
        FLX_TRY(flx_scan_int(r->scan, "a group's number", &g.tag));
        if (!flx_scan_line(r->scan, &text, &length) || length < 2 || text[0] != '"' ||
            text[length - 1] != '"' || length > 250) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                            "the name of a physical group is expected in quotes");
        }
        char name[256];
        memcpy(name, text + 1, (size_t)length - 2);
        name[length - 2] = '\0';
        g.name = flx_intern(r->scan->ctx, name);
        void *names = r->names;
        flx_status grown =
            flx_grow(r->scan->ctx, &names, &r->name_capacity, r->nname + 1, sizeof g);
        r->names = names;
        if (!g.name || grown != FLX_OK) return FLX_ERR_MEMORY;
        r->names[r->nname++] = g;
    }
    return FLX_OK;
}

static flx_status add_entity(reader *r, int dimension, int entity, int tag)
{
    void *all = r->entities;
    FLX_TRY(flx_grow(r->scan->ctx, &all, &r->entity_capacity, r->nentity + 1, sizeof *r->entities));
    r->entities = all;
    r->entities[r->nentity++] = (entity_group){dimension, entity, tag};
    return FLX_OK;
}

// Points, curves, surfaces, volumes: number, box, physical groups, boundary.
static flx_status read_entities(reader *r)
{
    int count[4];
    double ignored;
    for (int d = 0; d < 4; d++) FLX_TRY(flx_scan_int(r->scan, "a number of entities", &count[d]));
    for (int d = 0; d < 4; d++) {
        for (int i = 0; i < count[d]; i++) {
            int entity, n, tag;
            FLX_TRY(flx_scan_int(r->scan, "an entity's number", &entity));
            for (int k = 0; k < (d == 0 ? 3 : 6); k++) {
                FLX_TRY(flx_scan_number(r->scan, "an entity's box", &ignored));
            }
            FLX_TRY(flx_scan_int(r->scan, "a number of physical groups", &n));
            for (int k = 0; k < n; k++) {
                FLX_TRY(flx_scan_int(r->scan, "a physical group", &tag));
                FLX_TRY(add_entity(r, d, entity, tag));
            }
            if (d == 0) continue;
            FLX_TRY(flx_scan_int(r->scan, "a number of boundaries", &n));
            for (int k = 0; k < n; k++) FLX_TRY(flx_scan_int(r->scan, "a boundary", &tag));
        }
    }
    return FLX_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

static flx_status read_place(reader *r, int label, int line)
{
    double x[3];
    for (int c = 0; c < 3; c++) FLX_TRY(flx_scan_number(r->scan, "a coordinate of a node", &x[c]));
    return flx_structure_add_node(r->s, label, line, x);
}

// One block of 4.1: numbers, then places.
static flx_status read_node_block(reader *r)
{
    int dimension, entity, parametric, n;
    double ignored;
    FLX_TRY(flx_scan_int(r->scan, "the dimension of a block of nodes", &dimension));
    FLX_TRY(flx_scan_int(r->scan, "the entity of a block of nodes", &entity));
    FLX_TRY(flx_scan_int(r->scan, "whether nodes have parameters", &parametric));
    FLX_TRY(flx_scan_int(r->scan, "the number of nodes in a block", &n));
    flx_scan numbers = *r->scan;
    int label;
    for (int i = 0; i < n; i++) FLX_TRY(flx_scan_int(r->scan, "a node's number", &label));
    for (int i = 0; i < n; i++) {
        FLX_TRY(flx_scan_int(&numbers, "a node's number", &label));
        flx_scan_skip(r->scan);
        FLX_TRY(read_place(r, label, r->scan->line));
        for (int k = 0; parametric && k < dimension; k++) {
            FLX_TRY(flx_scan_number(r->scan, "a parameter of a node", &ignored));
        }
    }
    return FLX_OK;
}

static flx_status read_nodes(reader *r)
{
    int n, ignored;
    r->nodes = true;
    FLX_TRY(flx_scan_int(r->scan, "the number of nodes", &n));
    if (r->version < 4) {
        for (int i = 0; i < n; i++) {
            int label;
            FLX_TRY(flx_scan_int(r->scan, "a node's number", &label));
            FLX_TRY(read_place(r, label, r->scan->line));
        }
    } else {
        for (int k = 0; k < 3; k++) FLX_TRY(flx_scan_int(r->scan, "a count of nodes", &ignored));
        for (int i = 0; i < n; i++) FLX_TRY(read_node_block(r));
    }
    return flx_structure_index(r->s);
}

// ---- elements -----------------------------------------------------------------------------------

static flx_status find_cell(reader *r, int type, flx_cell *cell)
{
    static const struct {
        int type;
        const char *word;
    } others[] = {{6, "a prism"},
                  {7, "a pyramid"},
                  {10, "a quadrilateral with 9 nodes"},
                  {12, "a hexahedron with 27 nodes"},
                  {13, "a prism with 18 nodes"},
                  {14, "a pyramid with 14 nodes"}};
    for (int c = 0; c < FLX_CELL_COUNT; c++) {
        if (flx_cells[c].gmsh == type) {
            *cell = (flx_cell)c;
            return FLX_OK;
        }
    }
    const char *word = "unknown";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].type == type) word = others[i].word;
    }
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                    "element type %d of Gmsh (%s) has no element here; lines, triangles, "
                    "quadrilaterals (4, 8 nodes), tetrahedra (4, 10) and hexahedra (8, 20) have: "
                    "Mesh.SecondOrderIncomplete = 1 makes the latter",
                    type, word);
}

// Gmsh's places of our nodes, where they differ.
static const int tet10[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const int hex20[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

static flx_status read_element(reader *r, flx_cell cell, int label)
{
    int n = flx_cells[cell].nodes, nodes[FLX_CELL_NODES], given[FLX_CELL_NODES];
    int line = r->scan->line;
    for (int a = 0; a < n; a++) {
        FLX_TRY(flx_scan_int(r->scan, "a node of an element", &given[a]));
        given[a] = flx_mesh_node(r->scan, r->s, given[a], "element", label);
        if (given[a] < 0) return FLX_ERR_MODEL;
    }
    for (int a = 0; a < n; a++) {
        nodes[a] = given[cell == FLX_CELL_TET10 ? tet10[a] : cell == FLX_CELL_HEX20 ? hex20[a] : a];
    }
    const flx_element e = {
        .cell = cell, .label = label, .line = line, .material = -1, .section = -1};
    return flx_structure_add_element(r->s, &e, nodes);
}

static flx_status read_element_block(reader *r)
{
    int dimension, entity, type, n, label;
    flx_cell cell = FLX_CELL_POINT;
    FLX_TRY(flx_scan_int(r->scan, "the dimension of a block of elements", &dimension));
    FLX_TRY(flx_scan_int(r->scan, "the entity of a block of elements", &entity));
    FLX_TRY(flx_scan_int(r->scan, "the type of a block of elements", &type));
    FLX_TRY(find_cell(r, type, &cell));
    FLX_TRY(flx_scan_int(r->scan, "the number of elements in a block", &n));
    for (int i = 0; i < n; i++) {
        FLX_TRY(flx_scan_int(r->scan, "an element's number", &label));
        FLX_TRY(read_element(r, cell, label));
        for (int k = 0; k < r->nentity; k++) {
            const entity_group *g = r->entities + k;
            if (g->dimension != dimension || g->entity != entity) continue;
            FLX_TRY(add_to_group(r, dimension, g->tag < 0 ? -g->tag : g->tag, r->s->nelement - 1));
        }
    }
    return FLX_OK;
}

static flx_status read_old_element(reader *r)
{
    int label, type, ntag, tag, group = 0;
    flx_cell cell = FLX_CELL_POINT;
    FLX_TRY(flx_scan_int(r->scan, "an element's number", &label));
    FLX_TRY(flx_scan_int(r->scan, "an element's type", &type));
    FLX_TRY(find_cell(r, type, &cell));
    FLX_TRY(flx_scan_int(r->scan, "a number of tags", &ntag));
    for (int k = 0; k < ntag; k++) {
        FLX_TRY(flx_scan_int(r->scan, "a tag", &tag));
        if (k == 0) group = tag;
    }
    FLX_TRY(read_element(r, cell, label));
    if (group == 0) return FLX_OK; // in no physical group
    return add_to_group(r, flx_cells[cell].dimension, group, r->s->nelement - 1);
}

static flx_status read_elements(reader *r)
{
    int n, ignored;
    r->elements = true;
    if (!r->nodes) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "elements come before the nodes");
    }
    FLX_TRY(flx_scan_int(r->scan, "the number of elements", &n));
    for (int k = 0; r->version >= 4 && k < 3; k++) {
        FLX_TRY(flx_scan_int(r->scan, "a count of elements", &ignored));
    }
    for (int i = 0; i < n; i++) {
        FLX_TRY(r->version < 4 ? read_old_element(r) : read_element_block(r));
    }
    return FLX_OK;
}

// ---- sections -----------------------------------------------------------------------------------

static flx_status read_format(reader *r)
{
    int binary, size;
    FLX_TRY(flx_scan_number(r->scan, "the version of the format", &r->version));
    FLX_TRY(flx_scan_int(r->scan, "0 for a text", &binary));
    FLX_TRY(flx_scan_int(r->scan, "the size of numbers", &size));
    if (binary != 0) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "this is a binary mesh: save it as text (Mesh.Binary = 0)");
    }
    if (!(r->version >= 2 && r->version < 3) && !(r->version >= 4.1 && r->version < 5)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "version %g of the format is not known; 4.1 and 2.2 are "
                        "(Mesh.MshFileVersion = 4.1)",
                        r->version);
    }
    return FLX_OK;
}

static bool is_word(const char *text, int length, const char *word)
{
    return (int)strlen(word) == length && memcmp(text, word, (size_t)length) == 0;
}

// To the end of a section, which must be there: a file that is cut off is refused.
static flx_status finish_section(reader *r, const char *name, int length, int line, bool read)
{
    const char *text;
    int n;
    while (flx_scan_line(r->scan, &text, &n)) {
        if (n == length + 3 && memcmp(text, "$End", 4) == 0 &&
            memcmp(text + 4, name + 1, (size_t)length - 1) == 0) {
            return FLX_OK;
        }
        if (read && n > 0) {
            char buffer[64];
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL,
                            ((flx_loc){r->scan->file, r->scan->line - 1, 1}),
                            "'%s' where the end of section %.*s is expected",
                            flx_text_quote(text, n, buffer), length, name);
        }
    }
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                    "section %.*s has no end: the file is cut off", length, name);
}

static flx_status read_section(reader *r, const char *name, int length, int line)
{
    bool read = true;
    if (r->version == 0 && !is_word(name, length, "$MeshFormat")) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1}),
                        "this is no mesh of Gmsh: $MeshFormat is expected first");
    }
    if (is_word(name, length, "$MeshFormat")) {
        FLX_TRY(read_format(r));
    } else if (is_word(name, length, "$PhysicalNames")) {
        FLX_TRY(read_names(r));
    } else if (is_word(name, length, "$Entities")) {
        FLX_TRY(read_entities(r));
    } else if (is_word(name, length, "$Nodes")) {
        FLX_TRY(read_nodes(r));
    } else if (is_word(name, length, "$Elements")) {
        FLX_TRY(read_elements(r));
    } else {
        read = false; // other sections say nothing about the mesh
    }
    return finish_section(r, name, length, line, read);
}

flx_status flx_gmsh_read(flx_scan *scan, flx_structure *s)
{
    reader r = {.scan = scan, .s = s};
    flx_status status = FLX_OK;
    const char *name;
    int length;
    while (status == FLX_OK && flx_scan_skip(scan) && flx_scan_line(scan, &name, &length)) {
        status = read_section(&r, name, length, scan->line - 1);
    }
    if (status == FLX_OK && (!r.nodes || !r.elements)) {
        status = FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                          "the mesh has no section %s", r.nodes ? "$Elements" : "$Nodes");
    }
    flx_free(r.names);
    flx_free(r.entities);
    return status;
}
