// structure.c - a linear structure as plain data: filling it, finding things by number and name.
#include "model/structure.h"
#include "math/symmetric.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const flx_cell_def flx_cells[FLX_CELL_COUNT] = {
#define X(name, word, nodes, dimension, gmsh, vtk) {word, nodes, dimension, gmsh, vtk},
    FLX_CELL_LIST(X)
#undef X
};

const char *const flx_family_words[FLX_FAMILY_COUNT + 1] = {
    "boundary", "solid", "plane-stress", "plane-strain", "beam", "truss", NULL};

void flx_structure_drop_links(flx_structure *s)
{
    for (int i = 0; i < s->nlink; i++) {
        flx_free(s->links[i].nodes);
        flx_free(s->links[i].weights);
        flx_free(s->links[i].components);
    }
    s->nlink = 0;
}

flx_structure *flx_structure_create(flx_ctx *ctx, const char *file)
{
    flx_structure *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return NULL;
    *s = (flx_structure){.ctx = ctx, .dimension = 3};
    if (file && !(s->file = flx_intern(ctx, file))) flx_structure_destroy(&s);
    return s;
}

void flx_structure_destroy(flx_structure **structure)
{
    if (!structure || !*structure) return;
    flx_structure *s = *structure;
    for (int i = 0; i < s->nset; i++) {
        flx_free(s->sets[i].nodes);
        flx_free(s->sets[i].elements);
    }
    flx_structure_drop_links(s);
    void *owned[] = {s->x,         s->label,     s->node_line, s->elements, s->nodes,
                     s->sets,      s->materials, s->sections,  s->supports, s->loads,
                     s->pressures, s->masses,    s->springs,   s->links,    s->slot,
                     s->pair,      s->bodies,    s->sources,   s->lines};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_symmetric_clear(&s->K);
    flx_symmetric_clear(&s->M);
    flx_symmetric_clear(&s->D);
    flx_free(s);
    *structure = NULL;
}

// ---- filling ------------------------------------------------------------------------------------

// Append *item to an array of its type.
#define ADD(s, array, count, capacity, item)                                                       \
    do {                                                                                           \
        void *array_ = (s)->array;                                                                 \
        FLX_TRY(flx_grow((s)->ctx, &array_, &(s)->capacity, (s)->count + 1, sizeof *(s)->array));  \
        (s)->array = array_;                                                                       \
        (s)->array[(s)->count++] = *(item);                                                        \
    } while (0)

flx_status flx_structure_add_node(flx_structure *s, int label, int line, const double x[3])
{
    void *places = s->x, *labels = s->label, *lines = s->node_line;
    flx_status status =
        flx_grow(s->ctx, &places, &s->node_capacity, s->nnode + 1, 3 * sizeof(double));
    s->x = places;
    if (status == FLX_OK) {
        status = flx_grow(s->ctx, &labels, &s->label_capacity, s->nnode + 1, sizeof(int));
        s->label = labels;
    }
    if (status == FLX_OK) {
        status = flx_grow(s->ctx, &lines, &s->line_capacity, s->nnode + 1, sizeof(int));
        s->node_line = lines;
    }
    if (status != FLX_OK) return status;
    memcpy(s->x + 3 * (size_t)s->nnode, x, 3 * sizeof *x);
    s->label[s->nnode] = label;
    s->node_line[s->nnode++] = line;
    return FLX_OK;
}

flx_status flx_structure_add_element(flx_structure *s, const flx_element *e, const int *nodes)
{
    void *all = s->nodes;
    int count = flx_cells[e->cell].nodes;
    if (s->nnodes > INT32_MAX - count) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_structure_loc(s, e->line),
                        "the mesh is too large: its elements have more than 2 147 483 647 nodes");
    }
    FLX_TRY(flx_grow(s->ctx, &all, &s->nodes_capacity, (int)s->nnodes + count, sizeof(int)));
    s->nodes = all;
    ADD(s, elements, nelement, element_capacity, e);
    s->elements[s->nelement - 1].first = s->nnodes;
    memcpy(s->nodes + s->nnodes, nodes, (size_t)count * sizeof *nodes);
    s->nnodes += count;
    return FLX_OK;
}

flx_status flx_structure_add_material(flx_structure *s, const flx_material *m)
{
    ADD(s, materials, nmaterial, material_capacity, m);
    return FLX_OK;
}

flx_status flx_structure_add_section(flx_structure *s, const flx_section *c)
{
    ADD(s, sections, nsection, section_capacity, c);
    return FLX_OK;
}

flx_status flx_structure_add_support(flx_structure *s, const flx_support *p)
{
    ADD(s, supports, nsupport, support_capacity, p);
    return FLX_OK;
}

flx_status flx_structure_add_load(flx_structure *s, const flx_nodal_load *l)
{
    ADD(s, loads, nload, load_capacity, l);
    return FLX_OK;
}

flx_status flx_structure_add_pressure(flx_structure *s, const flx_pressure *p)
{
    ADD(s, pressures, npressure, pressure_capacity, p);
    return FLX_OK;
}

flx_status flx_structure_add_mass(flx_structure *s, const flx_point_mass *m)
{
    ADD(s, masses, nmass, mass_capacity, m);
    return FLX_OK;
}

flx_status flx_structure_add_spring(flx_structure *s, const flx_spring_element *k)
{
    ADD(s, springs, nspring, spring_capacity, k);
    return FLX_OK;
}

flx_status flx_structure_add_line_load(flx_structure *s, const flx_line_load *l)
{
    ADD(s, lines, nline, line_load_capacity, l);
    return FLX_OK;
}

flx_status flx_structure_add_body_load(flx_structure *s, const flx_body_load *b)
{
    ADD(s, bodies, nbody, body_capacity, b);
    return FLX_OK;
}

flx_status flx_structure_add_source(flx_structure *s, const flx_source *source)
{
    ADD(s, sources, nsource, source_capacity, source);
    return FLX_OK;
}

flx_loc flx_structure_loc(const flx_structure *s, int line)
{
    int i = s->nsource;
    while (i > 0 && s->sources[i - 1].from > line) i--;
    if (i == 0) return (flx_loc){s->file, line, 1, NULL};
    const flx_source *from = s->sources + i - 1;
    return (flx_loc){from->file, from->line + line - from->from, 1, NULL};
}

// A copy of n items, or NULL of none; *status: no memory.
static void *copy(flx_ctx *ctx, const void *from, size_t n, size_t size, flx_status *status)
{
    if (!from || *status != FLX_OK) return NULL;
    void *to = flx_alloc(ctx, n, size);
    if (!to) *status = FLX_ERR_MEMORY;
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

flx_status flx_structure_add_link(flx_structure *s, const flx_node_link *l)
{
    flx_node_link own = *l;
    size_t n = (size_t)l->nnode;
    flx_status status = FLX_OK;
    own.nodes = copy(s->ctx, l->nodes, n, sizeof *own.nodes, &status);
    own.weights = copy(s->ctx, l->weights, n, sizeof *own.weights, &status);
    own.components = copy(s->ctx, l->components, n, sizeof *own.components, &status);
    void *all = s->links;
    if (status == FLX_OK) {
        status = flx_grow(s->ctx, &all, &s->link_capacity, s->nlink + 1, sizeof *s->links);
        s->links = all;
    }
    if (status != FLX_OK) {
        flx_free(own.nodes);
        flx_free(own.weights);
        flx_free(own.components);
        return status;
    }
    s->links[s->nlink++] = own;
    return FLX_OK;
}

// ---- sets ---------------------------------------------------------------------------------------

const flx_mesh_set *flx_structure_find_set(const flx_structure *s, const char *name)
{
    for (int i = 0; i < s->nset; i++) {
        if (strcmp(s->sets[i].name, name) == 0) return s->sets + i;
    }
    return NULL;
}

flx_mesh_set *flx_structure_set(flx_structure *s, const char *name)
{
    for (int i = 0; i < s->nset; i++) {
        if (strcmp(s->sets[i].name, name) == 0) return s->sets + i;
    }
    void *sets = s->sets;
    const char *own = flx_intern(s->ctx, name);
    if (!own || flx_grow(s->ctx, &sets, &s->set_capacity, s->nset + 1, sizeof *s->sets) != FLX_OK) {
        return NULL;
    }
    s->sets = sets;
    s->sets[s->nset] = (flx_mesh_set){.name = own};
    return s->sets + s->nset++;
}

static flx_status append(flx_ctx *ctx, int **list, int *count, int *capacity, int value)
{
    void *all = *list;
    if (*count > 0 && (*list)[*count - 1] == value) return FLX_OK;
    FLX_TRY(flx_grow(ctx, &all, capacity, *count + 1, sizeof(int)));
    *list = all;
    (*list)[(*count)++] = value;
    return FLX_OK;
}

flx_status flx_structure_add_to_set(flx_structure *s, flx_mesh_set *set, int node, int element)
{
    if (node >= 0) {
        FLX_TRY(append(s->ctx, &set->nodes, &set->nnode, &set->node_capacity, node));
    }
    if (element < 0) return FLX_OK;
    return append(s->ctx, &set->elements, &set->nelement, &set->element_capacity, element);
}

flx_status flx_structure_add_cell_to_set(flx_structure *s, int set, int element, bool whole)
{
    if (whole) FLX_TRY(flx_structure_add_to_set(s, s->sets + set, -1, element));
    for (int a = 0; a < flx_cells[s->elements[element].cell].nodes; a++) {
        int node = flx_element_nodes(s, element)[a];
        FLX_TRY(flx_structure_add_to_set(s, s->sets + set, node, -1));
    }
    return FLX_OK;
}

static int sort_once(int *list, int n)
{
    int kept = 0;
    flx_sort_ints(list, n);
    for (int i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
    }
    return kept;
}

void flx_structure_tidy_sets(flx_structure *s)
{
    for (int i = 0; i < s->nset; i++) {
        s->sets[i].nnode = sort_once(s->sets[i].nodes, s->sets[i].nnode);
        s->sets[i].nelement = sort_once(s->sets[i].elements, s->sets[i].nelement);
    }
}

// ---- numbers of nodes ---------------------------------------------------------------------------

static size_t slot_of(const flx_structure *s, int label)
{
    size_t mask = (size_t)s->slots - 1;
    size_t i = ((size_t)(unsigned)label * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (s->slot[i] >= 0 && s->label[s->slot[i]] != label) i = (i + 1) & mask;
    return i;
}

flx_status flx_structure_index(flx_structure *s)
{
    flx_free(s->slot);
    s->slots = 16;
    while (s->slots < 2 * s->nnode && s->slots < 1 << 30) s->slots *= 2;
    s->slot = flx_alloc(s->ctx, (size_t)s->slots, sizeof *s->slot);
    if (!s->slot) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->slots; i++) s->slot[i] = -1;
    for (int i = 0; i < s->nnode; i++) {
        size_t k = slot_of(s, s->label[i]);
        if (s->slot[k] >= 0) {
            return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_structure_loc(s, s->node_line[i]),
                            "node %d is there twice: first in line %d", s->label[i],
                            flx_structure_loc(s, s->node_line[s->slot[k]]).line);
        }
        s->slot[k] = i;
    }
    return FLX_OK;
}

int flx_structure_node_of(const flx_structure *s, int label)
{
    return s->slots > 0 ? s->slot[slot_of(s, label)] : -1;
}

bool flx_structure_node_word(const char *text, int *label)
{
    if (strncmp(text, "node(", 5) != 0) return false;
    char *end;
    errno = 0;
    long number = strtol(text + 5, &end, 10);
    if (end == text + 5 || strcmp(end, ")") != 0 || errno != 0 || labs(number) > INT_MAX)
        return false;
    *label = (int)number;
    return true;
}

// ---- faces --------------------------------------------------------------------------------------

// Node between two corners of a cell of second order: our numbers of the middles.
static int middle_of(flx_cell cell, int a, int b)
{
    static const int simplex[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int box[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                   {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    bool tet = cell == FLX_CELL_TET10 || cell == FLX_CELL_TRI6;
    int corners = cell == FLX_CELL_TET10   ? 4
                  : cell == FLX_CELL_TRI6  ? 3
                  : cell == FLX_CELL_QUAD8 ? 4
                                           : 8;
    for (int m = corners; m < flx_cells[cell].nodes; m++) {
        const int *e = tet ? simplex[m - corners] : box[m - corners];
        if ((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a)) return m;
    }
    return -1;
}

bool flx_structure_face(const flx_structure *s, int element, int face, flx_cell *cell, int *nodes)
{
    static const int tet[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const int hex[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                  {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    flx_cell of = s->elements[element].cell;
    const int *own = flx_element_nodes(s, element);
    bool quadratic =
        of == FLX_CELL_TET10 || of == FLX_CELL_HEX20 || of == FLX_CELL_TRI6 || of == FLX_CELL_QUAD8;
    bool simplex = of == FLX_CELL_TET4 || of == FLX_CELL_TET10;
    int d = flx_cells[of].dimension, corners, local[4];
    if (d < 2 || face < 0) return false;
    if (d == 3) {
        if (face >= (simplex ? 4 : 6)) return false;
        corners = simplex ? 3 : 4;
        for (int i = 0; i < corners; i++) local[i] = simplex ? tet[face][i] : hex[face][i];
        *cell = simplex ? (quadratic ? FLX_CELL_TRI6 : FLX_CELL_TRI3)
                        : (quadratic ? FLX_CELL_QUAD8 : FLX_CELL_QUAD4);
    } else {
        int n = of == FLX_CELL_TRI3 || of == FLX_CELL_TRI6 ? 3 : 4;
        if (face >= n) return false;
        corners = 2;
        local[0] = face;
        local[1] = (face + 1) % n;
        *cell = quadratic ? FLX_CELL_LINE3 : FLX_CELL_LINE2;
    }
    int edges = corners == 2 ? 1 : corners;
    for (int i = 0; i < corners; i++) nodes[i] = own[local[i]];
    for (int i = 0; quadratic && i < edges; i++) {
        nodes[corners + i] = own[middle_of(of, local[i], local[(i + 1) % corners])];
    }
    return true;
}

// ---- lines and sections -------------------------------------------------------------------------

static double distance_of(const double *a, const double *b)
{
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                (b[2] - a[2]) * (b[2] - a[2]));
}

static flx_status add_beam(flx_structure *s, int material, int section)
{
    const flx_element e = {.cell = FLX_CELL_LINE2,
                           .family = FLX_FAMILY_BEAM,
                           .label = s->nelement + 1,
                           .material = material,
                           .section = section};
    const int nodes[2] = {s->nnode - 2, s->nnode - 1};
    return flx_structure_add_element(s, &e, nodes);
}

// Elements of one stretch: its share of the whole length, at least one.
static flx_status add_stretch(flx_structure *s, const double *a, const double *b, int count,
                              int material, int section)
{
    for (int i = 1; i <= count; i++) {
        double x[3], along = (double)i / count;
        for (int c = 0; c < 3; c++) x[c] = i == count ? b[c] : a[c] + along * (b[c] - a[c]);
        FLX_TRY(flx_structure_add_node(s, s->nnode + 1, 0, x));
        FLX_TRY(add_beam(s, material, section));
    }
    return FLX_OK;
}

flx_status flx_structure_add_line(flx_structure *s, int n, const double *places, int elements,
                                  int material, int section)
{
    double whole = 0;
    for (int i = 1; i < n; i++) whole += distance_of(places + 3 * (i - 1), places + 3 * i);
    int first = s->nnode, beams = s->nelement;
    FLX_TRY(flx_structure_add_node(s, s->nnode + 1, 0, places));
    for (int i = 1; i < n; i++) {
        const double *a = places + 3 * (i - 1), *b = places + 3 * i;
        double share = elements * distance_of(a, b) / whole;
        int count = share > 1 ? (int)lround(share) : 1;
        FLX_TRY(add_stretch(s, a, b, count, material, section));
    }
    flx_mesh_set *set = flx_structure_set(s, "start");
    if (!set) return FLX_ERR_MEMORY;
    FLX_TRY(flx_structure_add_to_set(s, set, first, -1));
    set = flx_structure_set(s, "end");
    if (!set) return FLX_ERR_MEMORY;
    FLX_TRY(flx_structure_add_to_set(s, set, s->nnode - 1, -1));
    set = flx_structure_set(s, "line");
    if (!set) return FLX_ERR_MEMORY;
    for (int i = first; i < s->nnode; i++) FLX_TRY(flx_structure_add_to_set(s, set, i, -1));
    for (int i = beams; i < s->nelement; i++) FLX_TRY(flx_structure_add_to_set(s, set, -1, i));
    return FLX_OK;
}

int flx_cell_triangles(flx_cell cell, const int (**list)[3])
{
    static const int tri3[1][3] = {{0, 1, 2}}, quad4[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const int tri6[4][3] = {{0, 3, 5}, {1, 4, 3}, {2, 5, 4}, {3, 4, 5}};
    static const int quad8[6][3] = {{0, 4, 7}, {1, 5, 4}, {2, 6, 5},
                                    {3, 7, 6}, {4, 5, 6}, {4, 6, 7}};
    switch (cell) {
    case FLX_CELL_TRI3:
        *list = tri3;
        return 1;
    case FLX_CELL_TRI6:
        *list = tri6;
        return 4;
    case FLX_CELL_QUAD4:
        *list = quad4;
        return 2;
    default:
        *list = quad8;
        return 6;
    }
}
