// block_fe.c - the block `fe`: a structure of finite elements from a mesh file or a line, with what the model
// file says about masses, springs and links; about its elements: block_fe_elements.c, supports and loads: block_fe_loads.c.
#include "language/fe/block_fe_parts.h"

#include <stdio.h>
#include <string.h>

// ---- sets and nodes -----------------------------------------------------------------------------

flx_status flx_fe_refuse_set(const flx_fe_maker *m, const flx_entry *y, const char *what)
{
    flx_nearest near;
    if (flx_structure_find_set(m->s, y->text)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "the set '%s' of the mesh has no %s",
                        y->text, what);
    }
    flx_nearest_start(&near, y->text);
    for (int i = 0; i < m->s->nset; i++) flx_nearest_offer(&near, m->s->sets[i].name);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "the mesh has no set of %s named '%s'%s%s%s",
                    what, y->text, best ? "; did you mean '" : "", best ? best : "",
                    best ? "'?" : "");
}

static flx_status for_name(flx_fe_maker *m, const flx_entry *y, flx_fe_add add, void *user)
{
    int label;
    if (flx_structure_node_word(y->text, &label)) {
        int node = flx_structure_node_of(m->s, label);
        if (node < 0) {
            return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "the mesh has no node %d", label);
        }
        return add(m, node, user);
    }
    const flx_mesh_set *set = flx_structure_find_set(m->s, y->text);
    if (!set || set->nnode == 0) return flx_fe_refuse_set(m, y, "nodes");
    for (int i = 0; i < set->nnode; i++) FLX_TRY(add(m, set->nodes[i], user));
    return FLX_OK;
}

flx_status flx_fe_for_nodes(flx_fe_maker *m, const flx_entry *on, flx_fe_add add, void *user)
{
    if (on->kind != FLX_ENTRY_LIST) return for_name(m, on, add, user);
    for (int i = 0; i < on->count; i++) FLX_TRY(for_name(m, on->items[i], add, user));
    return FLX_OK;
}

static flx_status collect(flx_fe_maker *m, int node, void *user)
{
    flx_node_list *l = user;
    void *all = l->nodes;
    flx_status status = flx_grow(m->b->ctx, &all, &l->capacity, l->n + 1, sizeof *l->nodes);
    l->nodes = all;
    if (status == FLX_OK) l->nodes[l->n++] = node;
    return status;
}

flx_status flx_fe_collect(flx_fe_maker *m, const flx_entry *on, flx_node_list *list)
{
    return flx_fe_for_nodes(m, on, collect, list);
}

// The one node of a name.
static flx_status one_node(flx_fe_maker *m, const flx_entry *y, int *node)
{
    flx_node_list l = {0};
    flx_status status = for_name(m, y, collect, &l);
    if (status == FLX_OK && l.n != 1) {
        status = FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' has %d nodes: one is expected",
                          y->text, l.n);
    }
    if (status == FLX_OK) *node = l.nodes[0];
    flx_free(l.nodes);
    return status;
}

flx_status flx_fe_read_components(flx_fe_maker *m, const flx_entry *y, unsigned *mask)
{
    static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
    *mask = y ? 0 : 077u;
    for (int i = 0; y && i < y->count; i++) {
        int k = 0;
        FLX_TRY(flx_build_word(m->b, y->items[i], "component", words, &k));
        if (m->s->dimension == 2 && k >= 2 && k <= 4) {
            return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                            "in the plane nothing moves along '%s': components are x, y and rz",
                            words[k]);
        }
        *mask |= 1u << k;
    }
    return FLX_OK;
}

// ---- points, springs, links ---------------------------------------------------------------------

static flx_status add_mass(flx_fe_maker *m, int node, void *user)
{
    flx_point_mass *p = user;
    p->node = node;
    return flx_structure_add_mass(m->s, p);
}

static flx_status read_point(flx_fe_maker *m, const flx_entry *y)
{
    flx_point_mass p = {.loc = y->loc};
    const flx_entry *mass = flx_entry_get(y, "mass"), *inertia = flx_entry_get(y, "inertia");
    FLX_TRY(flx_build_number(m->e, mass, &p.mass));
    if (!(p.mass >= 0)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, mass->loc, "the mass is negative: %g", p.mass);
    }
    if (inertia) {
        int n = 0;
        double *v;
        FLX_TRY(flx_build_numbers(m->e, inertia, &n, &v));
        for (int i = 0; i < (n == 1 ? 3 : n); i++) p.inertia[i] = v[n == 1 ? 0 : i];
    }
    return flx_fe_for_nodes(m, flx_entry_get(y, "on"), add_mass, &p);
}

// Of x, y, z and rotations (planar: x, y, rotation); one number is that of all translations.
static flx_status read_six(flx_fe_maker *m, const flx_entry *y, double out[6])
{
    int n = 0;
    double *v;
    FLX_TRY(flx_build_numbers(m->e, y, &n, &v));
    for (int i = 0; i < n; i++) out[m->s->dimension == 2 && i == 2 ? 5 : i] = v[i];
    for (int i = 1; n == 1 && i < m->s->dimension; i++) out[i] = v[0];
    return FLX_OK;
}

static flx_status read_spring(flx_fe_maker *m, const flx_entry *y)
{
    const flx_entry *on = flx_entry_get(y, "on"), *damping = flx_entry_get(y, "damping");
    flx_spring_element k = {.node = {-1, -1}, .loc = y->loc};
    int ends = on->kind == FLX_ENTRY_LIST ? on->count : 1;
    if (ends > 2) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, on->loc, "a spring is between two nodes, or one");
    }
    for (int i = 0; i < ends; i++) {
        FLX_TRY(one_node(m, on->kind == FLX_ENTRY_LIST ? on->items[i] : on, &k.node[i]));
    }
    if (k.node[0] == k.node[1]) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, on->loc,
                        "both ends of the spring are node %d: name two nodes, or this one alone "
                        "for a spring to the ground",
                        m->s->label[k.node[0]]);
    }
    FLX_TRY(read_six(m, flx_entry_get(y, "stiffness"), k.stiffness));
    if (damping) FLX_TRY(read_six(m, damping, k.damping));
    for (int c = 0; c < 6; c++) {
        if (k.damping[c] >= 0) continue;
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, damping->loc, "damping cannot be negative: %g",
                        k.damping[c]);
    }
    return flx_structure_add_spring(m->s, &k);
}

static flx_status read_link(flx_fe_maker *m, const flx_entry *y)
{
    static const char *const words[] = {"rigid", "average", NULL};
    flx_node_link l = {.loc = y->loc};
    flx_node_list nodes = {0};
    int kind = 0;
    FLX_TRY(flx_build_word(m->b, flx_entry_get(y, "type"), "type", words, &kind));
    FLX_TRY(one_node(m, flx_entry_get(y, "node"), &l.reference));
    FLX_TRY(flx_fe_read_components(m, flx_entry_get(y, "components"), &l.mask));
    l.kind = kind ? FLX_LINK_AVERAGE : FLX_LINK_RIGID;
    flx_status status = flx_fe_collect(m, flx_entry_get(y, "on"), &nodes);
    for (int i = 0; i < nodes.n; i++) { // the reference node may lie in the set
        if (nodes.nodes[i] != l.reference) nodes.nodes[l.nnode++] = nodes.nodes[i];
    }
    l.nodes = nodes.nodes;
    if (status == FLX_OK && l.nnode == 0) {
        status = FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "on")->loc,
                          "the link ties its own `node` to itself: name the other nodes here");
    }
    if (status == FLX_OK) status = flx_structure_add_link(m->s, &l);
    flx_free(nodes.nodes);
    return status;
}

// ---- the whole ----------------------------------------------------------------------------------

static flx_status for_each(flx_fe_maker *m, const char *key,
                           flx_status (*read)(flx_fe_maker *, const flx_entry *))
{
    const flx_entry *y = flx_entry_get(m->fe, key);
    flx_builder *b = m->b;
    for (int i = 0; y && i < y->count; i++) GO_ON(read(m, y->items[i]));
    return FLX_OK;
}

static flx_status make_line(flx_fe_maker *m, const flx_entry *line)
{
    const flx_entry *elements = flx_entry_get(m->fe, "elements");
    const flx_entry *regions = flx_entry_get(m->fe, "regions");
    int n = 20;
    flx_element_data d;
    if (regions) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, regions->loc,
                        "regions are sets of elements of a mesh: a line has one material and one "
                        "section, given beside `line`");
    }
    if (elements) FLX_TRY(flx_build_integer(m->e, elements, &n));
    if (n < 1 || n > 10000000) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, elements->loc, "%d elements are no line", n);
    }
    double *places = flx_take(m->b, 3 * (size_t)line->count, sizeof *places);
    if (!places) return FLX_ERR_MEMORY;
    for (int i = 0; i < line->count; i++) {
        FLX_TRY(flx_build_vector(m->e, line->items[i], places + 3 * (size_t)i));
        const double *p = places + 3 * (size_t)i;
        if (i > 0 && p[-3] == p[0] && p[-2] == p[1] && p[-1] == p[2]) {
            return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, line->items[i]->loc,
                            "the line has this place twice in a row");
        }
    }
    FLX_TRY(flx_fe_read_data(m, m->fe, &d));
    const flx_section *c = m->s->sections + d.section; // the table says: a line has one
    if (d.family != FLX_FAMILY_TRUSS && !((c->sized ? c->Iz : c->EIz) > 0)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, c->loc,
                        "the section of a beam is given by its size, or by EA and EI; bars that "
                        "carry no moment are 'type: truss'");
    }
    FLX_TRY(flx_structure_add_line(m->s, line->count, places, n, d.material, d.section));
    for (int i = 0; i < m->s->nelement && d.family > 0; i++) {
        m->s->elements[i].family = (flx_family)d.family;
    }
    FLX_TRY(flx_fe_vary_line(m));
    return flx_structure_index(m->s);
}

static flx_status read_matrices(flx_builder *b, const flx_entry *y, flx_symmetric *K,
                                flx_symmetric *M)
{
    const flx_reader *r = b->reader;
    if (!r || !r->read_matrices) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "matrices cannot be read here");
    }
    return r->read_matrices(r->user, flx_entry_get(y, "stiffness")->text,
                            flx_entry_get(y, "mass")->text, y->loc, K, M);
}

// Matrices with places of their nodes.
static flx_status make_of_matrices(flx_fe_maker *m, const flx_entry *y)
{
    flx_builder *b = m->b;
    const flx_entry *nodes = flx_entry_get(y, "nodes");
    flx_symmetric K = {0}, M = {0};
    if (!nodes) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a body made of matrices needs the places of its nodes: give 'nodes'");
    }
    FLX_TRY(read_matrices(b, y, &K, &M));
    flx_status status = b->reader->read_nodes(b->reader->user, nodes->text, nodes->loc, &m->s);
    if (status != FLX_OK) {
        flx_symmetric_clear(&K);
        flx_symmetric_clear(&M);
        return status;
    }
    m->s->dimension = b->m->dimension;
    FLX_TRY(flx_structure_set_matrices(m->s, &K, &M, y->loc));
    const flx_entry *damping = flx_entry_get(y, "damping");
    if (!damping) return FLX_OK;
    FLX_TRY(b->reader->read_matrices(b->reader->user, damping->text, damping->text, damping->loc,
                                     &K, &M)); // one matrix twice
    flx_symmetric_clear(&M);
    return flx_structure_set_damping(m->s, &K, damping->loc);
}

static flx_status make(flx_fe_maker *m)
{
    flx_builder *b = m->b;
    const flx_entry *line = flx_entry_get(m->fe, "line"), *mesh = flx_entry_get(m->fe, "mesh");
    if (line) {
        m->s = flx_structure_create(b->ctx, b->m->path);
        if (!m->s) return FLX_ERR_MEMORY;
        m->s->dimension = b->m->dimension;
        FLX_TRY(make_line(m, line));
    } else if (flx_entry_get(m->fe, "matrices")) {
        FLX_TRY(make_of_matrices(m, flx_entry_get(m->fe, "matrices")));
    } else {
        if (!b->reader || !b->reader->read_mesh) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, mesh->loc, "meshes cannot be read here");
        }
        const flx_entry *scale = flx_entry_get(m->fe, "scale");
        double unit = 1;
        if (scale) FLX_TRY(flx_build_positive(m->e, scale, "the scale", &unit));
        FLX_TRY(b->reader->read_mesh(b->reader->user, mesh->text, mesh->loc, &m->s));
        m->s->named = mesh->loc;
        if (scale) flx_structure_scale(m->s, unit);
        if (b->m->dimension == 2) m->s->dimension = 2;
        FLX_TRY(flx_fe_settle_elements(m));
    }
    FLX_TRY(for_each(m, "points", read_point));
    FLX_TRY(for_each(m, "springs", read_spring));
    FLX_TRY(for_each(m, "links", read_link));
    FLX_TRY(for_each(m, "supports", flx_fe_read_support));
    FLX_TRY(for_each(m, "loads", flx_fe_read_load));
    return b->failed ? FLX_ERR_MODEL : FLX_OK;
}

flx_status flx_fe_build(flx_env *e, const flx_entry *fe, flx_structure **out)
{
    flx_fe_maker m = {.e = e, .b = e->b, .fe = fe};
    flx_status status = make(&m);
    if (status != FLX_OK) flx_structure_destroy(&m.s);
    *out = m.s;
    return status;
}

flx_status flx_fe_finish(flx_builder *b)
{
    static const char *const words[] = {"consistent", "lumped", NULL};
    const flx_entry *fe = flx_entry_get(b->top->def, "fe");
    flx_env e;
    int lumped = 0;
    if (!fe) return FLX_OK;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    const flx_entry *matrices = flx_entry_get(fe, "matrices"),
                    *masses = flx_entry_get(fe, "mass_matrix");
    const flx_entry *damping = flx_entry_get(fe, "damping");
    b->m->fe.loc = fe->loc;
    if (damping) {
        const flx_entry *rayleigh = flx_entry_get(damping, "rayleigh");
        double v[2] = {0, 0}, *values;
        int n = 0;
        if (!rayleigh) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, damping->loc,
                            "a structure of all unknowns has no modes: give rayleigh: [alpha, "
                            "beta], or its materials "
                            "a loss factor");
        }
        FLX_TRY(flx_build_numbers(&e, rayleigh, &n, &values));
        for (int i = 0; i < n && i < 2; i++) v[i] = values[i];
        memcpy(b->m->fe.rayleigh, v, sizeof v);
    }
    if (matrices && flx_entry_get(matrices, "damping") && !flx_entry_get(matrices, "nodes")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(matrices, "damping")->loc,
                        "a damping matrix needs the places of the nodes: give 'nodes'");
    }
    if (matrices && !flx_entry_get(matrices, "nodes")) {
        return read_matrices(b, matrices, &b->m->fe.K, &b->m->fe.M);
    }
    if (masses) FLX_TRY(flx_build_word(b, masses, "kind of masses", words, &lumped));
    b->m->fe.lumped = lumped == 1;
    FLX_TRY(flx_fe_build(&e, fe, &b->m->fe.structure));
    for (int c = 0; c < 3; c++) b->m->fe.structure->gravity[c] += b->m->gravity[c];
    return FLX_OK;
}
