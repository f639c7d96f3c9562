// abaqus_links.c - masses, springs, and what ties nodes together in Abaqus' input: rigid bodies, couplings,
// equations.
#include "math/small.h"
#include "read/abaqus/abaqus_parts.h"

#include <math.h>
#include <string.h>

// ---- masses and springs -------------------------------------------------------------------------

static flx_status need_set(const flx_abaqus *r, const flx_abaqus_keyword *k, const char *key,
                           int *set)
{
    const flx_abaqus_field *name;
    char buffer[64];
    FLX_TRY(flx_abaqus_need(r, k, key, &name));
    *set = flx_abaqus_find_set(r, *name);
    if (*set >= 0) return FLX_OK;
    return ABAQUS_FAIL(r, k->line, "no set is named '%s'",
                       flx_text_quote(name->text, name->length, buffer));
}

static flx_status refuse_axes(const flx_abaqus *r, const flx_abaqus_keyword *k)
{
    if (!flx_abaqus_option(k, "ORIENTATION")) return FLX_OK;
    return ABAQUS_FAIL(r, k->line,
                       "ORIENTATION= is not read: *%.*s is along the axes of the structure here",
                       k->name.length, k->name.text);
}

// Masses and springs are for elements of their own: beams and solids have sections.
static flx_status refuse_other(const flx_abaqus *r, const flx_abaqus_keyword *k, int element)
{
    return ABAQUS_FAIL(r, k->line, "element %d is none that *%.*s is for: give a set of its own",
                       r->s->elements[element].label, k->name.length, k->name.text);
}

flx_status flx_abaqus_mass(flx_abaqus *r, const flx_abaqus_keyword *k, bool rotary)
{
    double v[6] = {0};
    int set, n = 0;
    flx_loc loc = flx_structure_loc(r->s, k->line);
    FLX_TRY(need_set(r, k, "ELSET", &set));
    FLX_TRY(refuse_axes(r, k));
    if (!flx_abaqus_next_data(r)) {
        return ABAQUS_FAIL(r, k->line, "*%.*s has no number", k->name.length, k->name.text);
    }
    FLX_TRY(flx_abaqus_numbers(r, rotary ? 6 : 1, rotary ? "an inertia" : "a mass", v, &n));
    if (!rotary && !(v[0] >= 0)) {
        return ABAQUS_FAIL(r, r->number, "the mass is negative: %g", v[0]);
    }
    for (int i = 0; i < r->s->sets[set].nelement; i++) {
        int element = r->s->sets[set].elements[i];
        if (r->s->elements[element].cell != FLX_CELL_POINT) return refuse_other(r, k, element);
        flx_point_mass m = {
            .node = flx_element_nodes(r->s, element)[0], .element = 1 + element, .loc = loc};
        if (rotary) { // I11 I22 I33 I12 I13 I23, products with the sign of the tensor
            const double own[6] = {v[0], v[1], v[2], v[3], v[5], v[4]};
            memcpy(m.inertia, own, sizeof own);
        } else {
            m.mass = v[0];
        }
        FLX_TRY(flx_structure_add_mass(r->s, &m));
    }
    return flx_abaqus_pass(r);
}

// Along the line between its nodes: a truss of that stiffness without mass.
static flx_status add_axial(flx_abaqus *r, int element, double stiffness, flx_loc loc)
{
    flx_element *e = r->s->elements + element;
    const int *nodes = flx_element_nodes(r->s, element);
    const double *a = r->s->x + 3 * (size_t)nodes[0], *b = r->s->x + 3 * (size_t)nodes[1];
    double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                         (b[2] - a[2]) * (b[2] - a[2]));
    const flx_section c = {.name = "", .loc = loc, .EA = stiffness * length};
    e->family = FLX_FAMILY_TRUSS;
    e->section = r->s->nsection;
    return flx_structure_add_section(r->s, &c);
}

// The component that a spring joins; one along its line has none.
static flx_status read_component(flx_abaqus *r, int *comp)
{
    flx_abaqus_fields f;
    int other;
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_int(r, &f, 0, "a component from 1 to 6", comp));
    if (*comp < 1 || *comp > 6) return flx_abaqus_refuse(r, f.item[0], "a component from 1 to 6");
    other = *comp;
    if (f.n > 1) FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &other));
    if (other == *comp) return FLX_OK;
    return ABAQUS_FAIL(r, r->number, "a spring between different components is not read");
}

flx_status flx_abaqus_spring(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    flx_abaqus_fields f;
    int comp = 0, set;
    double value;
    flx_loc loc = flx_structure_loc(r->s, k->line);
    FLX_TRY(need_set(r, k, "ELSET", &set));
    FLX_TRY(refuse_axes(r, k));
    if (flx_abaqus_option(k, "NONLINEAR")) {
        return ABAQUS_FAIL(r, k->line, "springs are linear here");
    }
    const flx_mesh_set *own = r->s->sets + set;
    bool along =
        own->nelement > 0 && own->elements[0] < r->nmark && r->mark[own->elements[0]] & SLENDER;
    if (!flx_abaqus_next_data(r)) return ABAQUS_FAIL(r, k->line, "*SPRING has no numbers");
    if (!along) {
        FLX_TRY(read_component(r, &comp));
        if (!flx_abaqus_next_data(r)) return ABAQUS_FAIL(r, k->line, "*SPRING has no stiffness");
    }
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_number(r, &f, 0, "a stiffness", &value));
    for (int i = 0; i < r->s->sets[set].nelement; i++) {
        int element = r->s->sets[set].elements[i];
        const int *nodes = flx_element_nodes(r->s, element);
        if (r->s->elements[element].family != FLX_FAMILY_NONE) return refuse_other(r, k, element);
        bool pair = r->s->elements[element].cell == FLX_CELL_LINE2;
        if (along && pair) {
            FLX_TRY(add_axial(r, element, value, loc));
            continue;
        }
        if (along)
            return ABAQUS_FAIL(r, k->line, "the set of this spring has other elements as well");
        flx_spring_element spring = {.node = {nodes[0], pair ? nodes[1] : -1}, .loc = loc};
        spring.stiffness[comp - 1] = value;
        FLX_TRY(flx_structure_add_spring(r->s, &spring));
    }
    return flx_abaqus_pass(r);
}

// ---- nodes tied to one node ---------------------------------------------------------------------

static flx_status first_node(flx_abaqus *r, int node, const void *user)
{
    int *const *out = user;
    if (**out >= 0 && **out != node) {
        return ABAQUS_FAIL(r, r->number, "a set of one node is expected as the reference node");
    }
    **out = node;
    return FLX_OK;
}

// A node by its number, or the one of a set.
static flx_status reference_node(flx_abaqus *r, flx_abaqus_field f, int *node)
{
    *node = -1;
    return flx_abaqus_for_nodes(r, f, first_node, &node);
}

// The nodes of a set, or of its elements, each once and without the reference node.
static int list_nodes(const flx_abaqus *r, int set, bool elements, int reference, int *list)
{
    const flx_mesh_set *own = r->s->sets + set;
    int n = 0, all = 0;
    for (int i = 0; i < (elements ? own->nelement : own->nnode); i++) {
        int count = elements ? flx_cells[r->s->elements[own->elements[i]].cell].nodes : 1;
        const int *nodes = elements ? flx_element_nodes(r->s, own->elements[i]) : own->nodes + i;
        for (int a = 0; a < count; a++, all++) {
            if (nodes[a] != reference && list) list[n++] = nodes[a];
        }
    }
    if (!list) return all;
    flx_sort_ints(list, n);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
    }
    return kept;
}

// The mean of a surface of faces is that over its area.
static flx_status weigh_by_area(const flx_abaqus *r, int set, flx_node_link *l)
{
    const flx_mesh_set *own = r->s->sets + set;
    double *area = flx_alloc(r->scan->ctx, (size_t)r->s->nnode, sizeof *area);
    l->weights = flx_alloc(r->scan->ctx, (size_t)l->nnode + 1, sizeof *l->weights);
    if (area && l->weights) {
        flx_structure_face_weights(r->s, own->nelement, own->elements, area);
        for (int i = 0; i < l->nnode; i++) l->weights[i] = area[l->nodes[i]];
    }
    bool made = area && l->weights;
    flx_free(area);
    return made ? FLX_OK : FLX_ERR_MEMORY;
}

static int keep_within(const flx_abaqus *r, double reach, int reference, int n, int *nodes)
{
    v3 from = v3_load(r->s->x + 3 * (size_t)reference);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        v3 arm = v3_sub(v3_load(r->s->x + 3 * (size_t)nodes[i]), from);
        if (v3_norm(arm) <= reach) nodes[kept++] = nodes[i];
    }
    return kept;
}

// reach: how far from the reference node.
static flx_status tie(flx_abaqus *r, int line, flx_node_link_kind kind, int reference, int set,
                      bool elements, unsigned mask, double reach)
{
    flx_node_link l = {
        .kind = kind, .loc = flx_structure_loc(r->s, line), .reference = reference, .mask = mask};
    size_t room = (size_t)list_nodes(r, set, elements, reference, NULL) + 1;
    l.nodes = flx_alloc(r->scan->ctx, room, sizeof *l.nodes);
    if (!l.nodes) return FLX_ERR_MEMORY;
    l.nnode = list_nodes(r, set, elements, reference, l.nodes);
    l.nnode = keep_within(r, reach, reference, l.nnode, l.nodes);
    flx_status status = l.nnode > 0 ? FLX_OK
                                    : ABAQUS_FAIL(r, line, "there are no nodes to tie to node %d",
                                                  r->s->label[reference]);
    if (status == FLX_OK && kind == FLX_LINK_AVERAGE && r->s->sets[set].nelement > 0)
        status = weigh_by_area(r, set, &l);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    flx_free(l.weights);
    return status;
}

flx_status flx_abaqus_rigid(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *reference;
    int node, set;
    const char *const keys[] = {"NSET", "TIE NSET", "PIN NSET", "ELSET"};
    int key = 0;
    FLX_TRY(flx_abaqus_need(r, k, "REF NODE", &reference));
    if (flx_abaqus_option(k, "ROT NODE")) {
        return ABAQUS_FAIL(r, k->line,
                           "ROT NODE is not read: the rotations are the components 4 to 6 of the "
                           "REF NODE");
    }
    while (key < 3 && !flx_abaqus_option(k, keys[key])) key++;
    for (int i = key + 1; i < 4; i++) {
        if (!flx_abaqus_option(k, keys[i])) continue;
        return ABAQUS_FAIL(r, k->line, "a rigid body is of one set here, not of %s and %s",
                           keys[key], keys[i]);
    }
    FLX_TRY(need_set(r, k, keys[key], &set));
    FLX_TRY(reference_node(r, *reference, &node));
    FLX_TRY(tie(r, k->line, FLX_LINK_RIGID, node, set, key == 3, key == 2 ? 07u : 077u, HUGE_VAL));
    return flx_abaqus_pass(r);
}

flx_status flx_abaqus_start_coupling(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *reference, *surface, *reach = flx_abaqus_option(k, "INFLUENCE RADIUS");
    char buffer[64];
    FLX_TRY(flx_abaqus_need(r, k, "REF NODE", &reference));
    FLX_TRY(flx_abaqus_need(r, k, "SURFACE", &surface));
    r->coupling_reach = HUGE_VAL;
    if (reach && !flx_text_number(reach->text, reach->length, &r->coupling_reach))
        return flx_abaqus_refuse(r, *reach, "the radius of influence");
    FLX_TRY(reference_node(r, *reference, &r->coupling_node));
    r->coupling_turned = flx_abaqus_option(k, "ORIENTATION") != NULL;
    r->coupling = flx_abaqus_find_surface(r, *surface);
    if (r->coupling < 0) {
        return ABAQUS_FAIL(r, k->line, "no surface is named '%s'",
                           flx_text_quote(surface->text, surface->length, buffer));
    }
    return flx_abaqus_pass(r);
}

// Components of the nodes (kinematic) or of the reference node (distributing); none given: all.
flx_status flx_abaqus_end_coupling(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    bool rigid = flx_abaqus_is(k->name, "KINEMATIC");
    int set = r->coupling, line = k->line;
    unsigned mask = 0;
    const flx_abaqus_field *weighting = flx_abaqus_option(k, "WEIGHTING METHOD");
    r->coupling = -1;
    if (weighting && !flx_abaqus_is(*weighting, "UNIFORM")) {
        return ABAQUS_FAIL(r, line,
                           "WEIGHTING METHOD=%.*s is not read: the mean is that of the surface",
                           weighting->length, weighting->text);
    }
    if (set < 0) {
        return ABAQUS_FAIL(r, k->line, "*%.*s comes after *COUPLING", k->name.length, k->name.text);
    }
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int first, last;
        flx_abaqus_split(r, &f);
        FLX_TRY(flx_abaqus_int(r, &f, 0, "a component from 1 to 6", &first));
        last = first;
        if (f.n > 1 && f.item[1].length > 0) {
            FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &last));
        }
        if (first < 1 || last > 6 || last < first) {
            return flx_abaqus_refuse(r, f.item[0], "a component from 1 to 6");
        }
        for (int c = first - 1; c < last; c++) mask |= 1u << c;
    }
    // a distributing coupling carries all translations, whatever is given
    if (!rigid && mask) mask |= 07u;
    bool whole = (mask & 07u) % 07u == 0 && (mask >> 3) % 07u == 0; // the same along all axes
    if (r->coupling_turned && !whole) {
        return ABAQUS_FAIL(r, line,
                           "ORIENTATION= of the coupling is not read: give all translations, all "
                           "rotations, or both");
    }
    return tie(r, line, rigid ? FLX_LINK_RIGID : FLX_LINK_AVERAGE, r->coupling_node, set, false,
               mask ? mask : 077u, r->coupling_reach);
}

// ---- equations ----------------------------------------------------------------------------------

#define MOST_TERMS 4096

typedef struct term { // of a node, or of each node of a set
    int node, set, comp;
    double factor;
} term;

static flx_status add_equation(flx_abaqus *r, int line, int n, const term *terms, int k)
{
    flx_ctx *ctx = r->scan->ctx;
    flx_node_link l = {.kind = FLX_LINK_EQUATION, .loc = flx_structure_loc(r->s, line), .nnode = n};
    l.nodes = flx_alloc(ctx, (size_t)n, sizeof *l.nodes);
    l.weights = flx_alloc(ctx, (size_t)n, sizeof *l.weights);
    l.components = flx_alloc(ctx, (size_t)n, sizeof *l.components);
    flx_status status = l.nodes && l.weights && l.components ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        const flx_mesh_set *set = terms[i].set < 0 ? NULL : r->s->sets + terms[i].set;
        l.nodes[i] = set ? set->nodes[set->nnode == 1 ? 0 : k] : terms[i].node;
        l.weights[i] = terms[i].factor;
        l.components[i] = terms[i].comp;
        if (l.nodes[i] < r->naxes && r->axes[l.nodes[i]] > 0) {
            status = ABAQUS_FAIL(r, line,
                                 "node %d has axes of its own: equations are along those "
                                 "of the structure here",
                                 r->s->label[l.nodes[i]]);
        }
    }
    if (status == FLX_OK) l.reference = l.nodes[0];
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    flx_free(l.weights);
    flx_free(l.components);
    return status;
}

static flx_status read_term(flx_abaqus *r, const flx_abaqus_fields *f, int at, term *t)
{
    char buffer[64];
    *t = (term){.set = -1};
    flx_abaqus_field none = {"", 0}, name = at < f->n ? f->item[at] : none;
    FLX_TRY(flx_abaqus_member(r, name, false, &t->node));
    if (t->node < 0 && (t->set = flx_abaqus_find_set(r, name)) < 0) {
        return ABAQUS_FAIL(r, r->number, "no set of nodes is named '%s'",
                           flx_text_quote(name.text, name.length, buffer));
    }
    if (t->set >= 0 && r->s->sets[t->set].nnode == 0) {
        return ABAQUS_FAIL(r, r->number, "the set '%s' has no nodes", r->s->sets[t->set].name);
    }
    FLX_TRY(flx_abaqus_int(r, f, at + 1, "a component from 1 to 6", &t->comp));
    if (t->comp < 1 || t->comp > 6) {
        return flx_abaqus_refuse(r, f->item[at + 1], "a component from 1 to 6");
    }
    t->comp--;
    return flx_abaqus_number(r, f, at + 2, "a factor", &t->factor);
}

// How many terms; then node, component, factor of each, some in a line.
static flx_status read_equation(flx_abaqus *r, term *terms)
{
    flx_abaqus_fields f;
    int n, count = 0, line = r->number, times = 1;
    flx_abaqus_split(r, &f);
    FLX_TRY(flx_abaqus_int(r, &f, 0, "the number of terms", &n));
    if (n < 2 || n > MOST_TERMS) {
        return flx_abaqus_refuse(r, f.item[0], "the number of terms, two or more,");
    }
    while (count < n) {
        if (!flx_abaqus_next_data(r)) {
            return ABAQUS_FAIL(r, line, "the equation has %d of its %d terms", count, n);
        }
        flx_abaqus_split(r, &f);
        for (int i = 0; i < f.n && count < n; i += 3) {
            FLX_TRY(read_term(r, &f, i, &terms[count]));
            const term *t = terms + count++;
            int own = t->set < 0 ? 1 : r->s->sets[t->set].nnode;
            if (own > 1 && times > 1 && own != times) {
                return ABAQUS_FAIL(r, r->number, "the sets of an equation have %d and %d nodes",
                                   times, own);
            }
            if (own > times) times = own;
        }
    }
    for (int k = 0; k < times; k++) FLX_TRY(add_equation(r, line, n, terms, k));
    return FLX_OK;
}

flx_status flx_abaqus_equation(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    (void)k;
    flx_status status = FLX_OK;
    term *terms = flx_alloc(r->scan->ctx, MOST_TERMS, sizeof *terms);
    if (!terms) return FLX_ERR_MEMORY;
    while (status == FLX_OK && flx_abaqus_next_data(r)) status = read_equation(r, terms);
    flx_free(terms);
    return status;
}

// BEAM: the first node follows the second as a rigid body; PIN, TIE: its translations, or all.
flx_status flx_abaqus_mpc(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    (void)k;
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int node[2];
        flx_abaqus_split(r, &f);
        bool beam = flx_abaqus_is(f.item[0], "BEAM"), all = flx_abaqus_is(f.item[0], "TIE");
        if (!beam && !all && !flx_abaqus_is(f.item[0], "PIN")) {
            return flx_abaqus_refuse(r, f.item[0], "BEAM, PIN or TIE");
        }
        if (f.n < 3) return ABAQUS_FAIL(r, r->number, "two nodes are expected");
        for (int i = 0; i < 2; i++) FLX_TRY(reference_node(r, f.item[1 + i], &node[i]));
        if (beam) {
            const flx_node_link l = {.kind = FLX_LINK_RIGID,
                                     .loc = flx_structure_loc(r->s, r->number),
                                     .reference = node[1],
                                     .mask = 077,
                                     .nnode = 1,
                                     .nodes = node};
            FLX_TRY(flx_structure_add_link(r->s, &l));
        }
        for (int c = 0; c < (all ? 6 : 3) && !beam; c++) {
            const term terms[2] = {{node[0], -1, c, 1}, {node[1], -1, c, -1}};
            FLX_TRY(add_equation(r, r->number, 2, terms, 0));
        }
    }
    return FLX_OK;
}
