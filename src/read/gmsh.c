// gmsh.c - meshes of Gmsh, MSH 4.1 and 2.2, as text or binary, whole or in partitions. Physical groups become sets
// of their names, or of their numbers; every element is a boundary until the model says what it is.
#include "base/number.h"
#include "read/mesh.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct group_name {
    int dimension, tag;
    const char *name; // interned; NULL: it has none
    int set;          // -1: no element yet
} group_name;

typedef struct entity_group { // the groups of a geometric entity
    int dimension, entity, tag;
} entity_group;

typedef struct reader {
    flx_scan *scan;
    flx_structure *s;
    double version;
    bool binary;
    int nname, name_capacity;
    group_name *names;
    int nentity, entity_capacity;
    entity_group *entities;
    bool nodes, elements; // sections met
} reader;

// ---- numbers ------------------------------------------------------------------------------------

static flx_status take(reader *r, const char *what, size_t size, void *out)
{
    if ((size_t)(r->scan->end - r->scan->at) < size) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "the file ends where %s is expected: it is cut off", what);
    }
    memcpy(out, r->scan->at, size);
    r->scan->at += size;
    return FLX_OK;
}

static flx_status get_int(reader *r, const char *what, int *out)
{
    return r->binary ? take(r, what, sizeof *out, out) : flx_scan_int(r->scan, what, out);
}

// A count or a number of the new format: eight bytes.
static flx_status get_size(reader *r, const char *what, int *out)
{
    uint64_t value = 0;
    if (!r->binary) return flx_scan_int(r->scan, what, out);
    FLX_TRY(take(r, what, sizeof value, &value));
    if (value > INT_MAX) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "%llu where %s is expected: the number is too large",
                        (unsigned long long)value, what);
    }
    *out = (int)value;
    return FLX_OK;
}

static flx_status get_number(reader *r, const char *what, double *out)
{
    if (!r->binary) return flx_scan_number(r->scan, what, out);
    FLX_TRY(take(r, what, sizeof *out, out));
    if (*out - *out == 0) return FLX_OK;
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                    "a number that is not finite where %s is expected", what);
}

static void end_line(reader *r)
{
    const char *text;
    int length;
    flx_scan_line(r->scan, &text, &length);
}

// ---- groups -------------------------------------------------------------------------------------

static flx_status add_group(reader *r, int dimension, int tag, const char *name)
{
    void *names = r->names;
    FLX_TRY(flx_grow(r->scan->ctx, &names, &r->name_capacity, r->nname + 1, sizeof *r->names));
    r->names = names;
    r->names[r->nname++] = (group_name){dimension, tag, name, -1};
    return FLX_OK;
}

static int find_group(const reader *r, int dimension, int tag)
{
    for (int i = 0; i < r->nname; i++) {
        if (r->names[i].dimension == dimension && r->names[i].tag == tag) return i;
    }
    return -1;
}

// The set of a group; one without a name is called by what it is until all are known.
static flx_status group_set(reader *r, int dimension, int tag, int *set)
{
    static const char *const words[4] = {"point", "curve", "surface", "volume"};
    char text[48];
    int i = find_group(r, dimension, tag);
    if (i < 0) {
        i = r->nname;
        FLX_TRY(add_group(r, dimension, tag, NULL));
    }
    if (r->names[i].set < 0) {
        flx_snprintf(text, sizeof text, "%s(%d)", words[dimension & 3], tag);
        const flx_mesh_set *own =
            flx_structure_set(r->s, r->names[i].name ? r->names[i].name : text);
        if (!own) return FLX_ERR_MEMORY;
        r->names[i].set = (int)(own - r->s->sets);
    }
    *set = r->names[i].set;
    return FLX_OK;
}

// Groups without a name are called by their numbers, unless two of different dimensions have one.
static flx_status name_groups(reader *r)
{
    char text[32];
    for (int i = 0; i < r->nname; i++) {
        bool alone = r->names[i].name == NULL && r->names[i].set >= 0;
        int other = -1;
        if (!alone) continue;
        for (int k = 0; k < r->nname; k++) {
            if (k != i && r->names[k].tag == r->names[i].tag && !r->names[k].name) other = k;
        }
        if (other > i && r->names[other].set >= 0) {
            flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, 1),
                         "two physical groups have the number %d and no name: their sets are "
                         "'%s' and '%s'",
                         r->names[i].tag, r->s->sets[r->names[i].set].name,
                         r->s->sets[r->names[other].set].name);
        }
        if (other >= 0) continue;
        flx_snprintf(text, sizeof text, "%d", r->names[i].tag);
        if (flx_structure_find_set(r->s, text)) continue;
        if (!(r->s->sets[r->names[i].set].name = flx_intern(r->scan->ctx, text)))
            return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// dimension tag "name", one line each.
static flx_status read_names(reader *r)
{
    int n;
    FLX_TRY(flx_scan_int(r->scan, "the number of names", &n));
    for (int i = 0; i < n; i++) {
        int dimension, tag;
        const char *text, *own;
        int length;
        FLX_TRY(flx_scan_int(r->scan, "a group's dimension", &dimension));
        FLX_TRY(flx_scan_int(r->scan, "a group's number", &tag));
        if (!flx_scan_line(r->scan, &text, &length) || length < 2 || text[0] != '"' ||
            text[length - 1] != '"' || length > 250) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                            "the name of a physical group is expected in quotes");
        }
        char name[256];
        memcpy(name, text + 1, (size_t)length - 2);
        name[length - 2] = '\0';
        if (!(own = flx_intern(r->scan->ctx, name))) return FLX_ERR_MEMORY;
        FLX_TRY(add_group(r, dimension, tag, own));
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

// One entity of dimension d: number, box, physical groups, boundary; of a part of it also what it is a part of.
static flx_status read_entity(reader *r, int d, bool part)
{
    int entity, n, tag;
    double ignored;
    FLX_TRY(get_int(r, "an entity's number", &entity));
    if (part) {
        for (int k = 0; k < 2; k++) FLX_TRY(get_int(r, "the parent of an entity", &tag));
        FLX_TRY(get_size(r, "a number of partitions", &n));
        for (int k = 0; k < n; k++) FLX_TRY(get_int(r, "a partition", &tag));
    }
    for (int k = 0; k < (d == 0 ? 3 : 6); k++) {
        FLX_TRY(get_number(r, "an entity's box", &ignored));
    }
    FLX_TRY(get_size(r, "a number of physical groups", &n));
    for (int k = 0; k < n; k++) {
        FLX_TRY(get_int(r, "a physical group", &tag));
        FLX_TRY(add_entity(r, d, entity, tag));
    }
    if (d == 0) return FLX_OK;
    FLX_TRY(get_size(r, "a number of boundaries", &n));
    for (int k = 0; k < n; k++) FLX_TRY(get_int(r, "a boundary", &tag));
    return FLX_OK;
}

// Points, curves, surfaces, volumes. Parts of them take the place of the whole ones.
static flx_status read_entities(reader *r, bool parts)
{
    int count[4], ghosts = 0, ignored;
    if (parts) {
        r->nentity = 0;
        FLX_TRY(get_size(r, "the number of partitions", &ignored));
        FLX_TRY(get_size(r, "a number of ghost entities", &ghosts));
        for (int i = 0; i < ghosts; i++) {
            FLX_TRY(get_int(r, "a ghost entity", &ignored));
            FLX_TRY(get_int(r, "the partition of a ghost entity", &ignored));
        }
    }
    for (int d = 0; d < 4; d++) FLX_TRY(get_size(r, "a number of entities", &count[d]));
    for (int d = 0; d < 4; d++) {
        for (int i = 0; i < count[d]; i++) FLX_TRY(read_entity(r, d, parts));
    }
    return FLX_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

static flx_status read_place(reader *r, int label, int line)
{
    double x[3];
    for (int c = 0; c < 3; c++) FLX_TRY(get_number(r, "a coordinate of a node", &x[c]));
    return flx_structure_add_node(r->s, label, line, x);
}

// One block of 4.1: numbers, then places.
static flx_status read_node_block(reader *r)
{
    int dimension, entity, parametric, n;
    double ignored;
    FLX_TRY(get_int(r, "the dimension of a block of nodes", &dimension));
    FLX_TRY(get_int(r, "the entity of a block of nodes", &entity));
    FLX_TRY(get_int(r, "whether nodes have parameters", &parametric));
    FLX_TRY(get_size(r, "the number of nodes in a block", &n));
    flx_scan numbers = *r->scan;
    int label;
    for (int i = 0; i < n; i++) FLX_TRY(get_size(r, "a node's number", &label));
    for (int i = 0; i < n; i++) {
        flx_scan places = *r->scan;
        *r->scan = numbers;
        FLX_TRY(get_size(r, "a node's number", &label));
        numbers = *r->scan;
        *r->scan = places;
        if (!r->binary) flx_scan_skip(r->scan);
        FLX_TRY(read_place(r, label, r->scan->line));
        for (int k = 0; parametric && k < dimension; k++) {
            FLX_TRY(get_number(r, "a parameter of a node", &ignored));
        }
    }
    return FLX_OK;
}

static flx_status read_nodes(reader *r)
{
    int n, ignored;
    r->nodes = true;
    if (r->version < 4) {
        FLX_TRY(flx_scan_int(r->scan, "the number of nodes", &n));
        if (r->binary) end_line(r);
        for (int i = 0; i < n; i++) {
            int label;
            FLX_TRY(get_int(r, "a node's number", &label));
            FLX_TRY(read_place(r, label, r->scan->line));
        }
    } else {
        FLX_TRY(get_size(r, "the number of nodes", &n));
        for (int k = 0; k < 3; k++) FLX_TRY(get_size(r, "a count of nodes", &ignored));
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
        FLX_TRY(r->version < 4 ? get_int(r, "a node of an element", &given[a])
                               : get_size(r, "a node of an element", &given[a]));
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
    FLX_TRY(get_int(r, "the dimension of a block of elements", &dimension));
    FLX_TRY(get_int(r, "the entity of a block of elements", &entity));
    FLX_TRY(get_int(r, "the type of a block of elements", &type));
    FLX_TRY(find_cell(r, type, &cell));
    FLX_TRY(get_size(r, "the number of elements in a block", &n));
    int first = r->s->nelement, set;
    for (int i = 0; i < n; i++) {
        FLX_TRY(get_size(r, "an element's number", &label));
        FLX_TRY(read_element(r, cell, label));
    }
    for (int k = 0; k < r->nentity; k++) {
        const entity_group *g = r->entities + k;
        if (g->dimension != dimension || g->entity != entity) continue;
        if (g->tag == INT_MIN) continue;
        FLX_TRY(group_set(r, dimension, g->tag < 0 ? -g->tag : g->tag, &set));
        for (int i = first; i < r->s->nelement; i++)
            FLX_TRY(flx_structure_add_cell_to_set(r->s, set, i, true));
    }
    return FLX_OK;
}

// Number, tags (the first is the physical group), nodes; in a text the type and how many tags there are as well.
static flx_status read_old_element(reader *r, flx_cell cell, int ntag)
{
    int label, tag, group = 0, set;
    FLX_TRY(get_int(r, "an element's number", &label));
    if (!r->binary) {
        int type;
        FLX_TRY(get_int(r, "an element's type", &type));
        FLX_TRY(find_cell(r, type, &cell));
        FLX_TRY(get_int(r, "a number of tags", &ntag));
    }
    for (int k = 0; k < ntag; k++) {
        FLX_TRY(get_int(r, "a tag", &tag));
        if (k == 0) group = tag;
    }
    FLX_TRY(read_element(r, cell, label));
    if (group == 0) return FLX_OK; // in no physical group
    FLX_TRY(group_set(r, flx_cells[cell].dimension, group, &set));
    return flx_structure_add_cell_to_set(r->s, set, r->s->nelement - 1, true);
}

// Binary: blocks of one type, until there are so many as announced.
static flx_status read_old_blocks(reader *r, int n)
{
    for (int done = 0; done < n;) {
        int type, count, ntag;
        flx_cell cell = FLX_CELL_POINT;
        FLX_TRY(get_int(r, "the type of a block of elements", &type));
        FLX_TRY(get_int(r, "the number of elements in a block", &count));
        FLX_TRY(get_int(r, "a number of tags", &ntag));
        FLX_TRY(find_cell(r, type, &cell));
        if (count < 1 || count > n - done) {
            return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                            "a block has %d of the %d elements of the mesh", count, n);
        }
        for (int i = 0; i < count; i++) FLX_TRY(read_old_element(r, cell, ntag));
        done += count;
    }
    return FLX_OK;
}

static flx_status read_elements(reader *r)
{
    int n, ignored;
    r->elements = true;
    if (!r->nodes) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "elements come before the nodes");
    }
    if (r->version < 4) {
        FLX_TRY(flx_scan_int(r->scan, "the number of elements", &n));
        if (r->binary) {
            end_line(r);
            return read_old_blocks(r, n);
        }
        for (int i = 0; i < n; i++) FLX_TRY(read_old_element(r, FLX_CELL_POINT, 0));
        return FLX_OK;
    }
    FLX_TRY(get_size(r, "the number of elements", &n));
    for (int k = 0; k < 3; k++) FLX_TRY(get_size(r, "a count of elements", &ignored));
    for (int i = 0; i < n; i++) FLX_TRY(read_element_block(r));
    return FLX_OK;
}

// ---- sections -----------------------------------------------------------------------------------

static flx_status read_format(reader *r)
{
    int binary, size, one = 1;
    FLX_TRY(flx_scan_number(r->scan, "the version of the format", &r->version));
    FLX_TRY(flx_scan_int(r->scan, "0 for a text", &binary));
    FLX_TRY(flx_scan_int(r->scan, "the size of numbers", &size));
    if (!(r->version >= 2 && r->version < 3) && !(r->version >= 4.1 && r->version < 5)) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "version %g of the format is not known; 4.1 and 2.2 are "
                        "(Mesh.MshFileVersion = 4.1)",
                        r->version);
    }
    r->binary = binary != 0;
    if (!r->binary) return FLX_OK;
    end_line(r);
    FLX_TRY(get_int(r, "the mark of a binary file", &one));
    if (one != 1 || size != 8) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_scan_loc(r->scan),
                        "this binary mesh comes from another kind of machine: save it as text "
                        "(Mesh.Binary = 0)");
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
                            ((flx_loc){r->scan->file, r->scan->line - 1, 1, NULL}),
                            "'%s' where the end of section %.*s is expected",
                            flx_text_quote(text, n, buffer), length, name);
        }
    }
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1, NULL}),
                    "section %.*s has no end: the file is cut off", length, name);
}

static flx_status read_section(reader *r, const char *name, int length, int line)
{
    bool read = true;
    if (r->version == 0 && !is_word(name, length, "$MeshFormat")) {
        return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, line, 1, NULL}),
                        "this is no mesh of Gmsh: $MeshFormat is expected first");
    }
    if (is_word(name, length, "$MeshFormat")) {
        FLX_TRY(read_format(r));
    } else if (is_word(name, length, "$PhysicalNames")) {
        FLX_TRY(read_names(r));
    } else if (is_word(name, length, "$Entities")) {
        FLX_TRY(read_entities(r, false));
    } else if (is_word(name, length, "$PartitionedEntities")) {
        FLX_TRY(read_entities(r, true));
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
    if (status == FLX_OK) status = name_groups(&r);
    flx_free(r.names);
    flx_free(r.entities);
    return status;
}
