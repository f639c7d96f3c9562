// elastic_mesh.c - flexible bodies made of a mesh: the keys `fe` and `reduce`. Nodes of an interface are
// tied to a node of their own, which is its frame.
#include "language/fe/block_fe_parts.h"
#include "language/flexible/deformable.h"
#include "reduce/bases.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct interfaces {
    unsigned *components;  // bits of those that carry loads
    const flx_entry *some; // not all: where that is said; NULL: nowhere
    int n;
    int *nodes;         // (n) of the structure
    const char **names; // (n)
} interfaces;

// What holds or loads a body comes from the mechanism.
static flx_status check_keys(flx_builder *b, const flx_item *body, const flx_entry *fe)
{
    static const char *const wrong[][2] = {
        {"supports", "joints hold a body, and its frame follows an interface of 'reduce'"},
        {"loads", "forces of the model act on a body"},
        {"damping", "write it beside 'fe', not in it"},
        {"elements", "it says how many are along a line"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const flx_entry *y = flx_entry_get(fe, wrong[i][0]);
        if (!y) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "'%s' in 'fe' of '%s': %s", wrong[i][0],
                        body->full, wrong[i][1]);
    }
    return FLX_OK;
}

static flx_status check_springs(const flx_fe_maker *m)
{
    for (int i = 0; i < m->s->nspring; i++) {
        if (m->s->springs[i].node[1] >= 0) continue;
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, m->s->springs[i].loc,
                        "a spring from node %d to the ground: the ground is no part of a body; "
                        "take a force of the model",
                        m->s->label[m->s->springs[i].node[0]]);
    }
    return FLX_OK;
}

// ---- interfaces ---------------------------------------------------------------------------------

static bool is_centroid(const flx_entry *at)
{
    return at && at->kind == FLX_ENTRY_SCALAR && strcmp(at->text, "centroid") == 0;
}

// A node for the frame of some nodes, at their middle or at a given place, with a number of its own.
static flx_status add_frame(flx_fe_maker *m, const flx_entry *at, const flx_node_list *list,
                            int *node)
{
    flx_structure *s = m->s;
    double x[3] = {0, 0, 0};
    int label = 0;
    for (int i = 0; i < list->n; i++) {
        for (int c = 0; c < 3; c++) x[c] += s->x[3 * (size_t)list->nodes[i] + c] / list->n;
    }
    if (is_centroid(at)) {
        double size = 0;
        FLX_TRY(flx_structure_centroid(s, list->n, list->nodes, x, &size));
        if (!(size > 0)) {
            return FLX_FAIL(
                m->b->ctx, FLX_ERR_MODEL, at->loc,
                "these nodes make no face of a solid, so there is no centroid: give the "
                "place, or leave 'at' out for the mean of the nodes");
        }
    } else if (at) {
        FLX_TRY(flx_build_vector(m->e, at, x));
    }
    for (int i = 0; i < s->nnode; i++) label = s->label[i] > label ? s->label[i] : label;
    if (label == INT_MAX) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, m->fe->loc,
                        "the mesh has a node %d: no number is left for that of an interface",
                        label);
    }
    *node = s->nnode;
    FLX_TRY(flx_structure_add_node(s, label + 1, 0, x));
    return flx_structure_index(s);
}

// Nodes of `on` tied to a frame; a single node is one by itself, unless it is to be elsewhere.
static flx_status add_interface(flx_fe_maker *m, const flx_entry *y, const flx_entry *on,
                                const char *name, interfaces *out)
{
    static const char *const words[] = {"rigid", "average", NULL};
    bool map = y->kind == FLX_ENTRY_MAP;
    const flx_entry *type = map ? flx_entry_get(y, "type") : NULL;
    const flx_entry *at = map ? flx_entry_get(y, "at") : NULL;
    const flx_entry *components = map ? flx_entry_get(y, "components") : NULL;
    flx_node_list list = {0};
    int kind = 0, node = -1;
    flx_status status = flx_fe_collect(m, on, &list);
    if (status == FLX_OK && type) status = flx_build_word(m->b, type, "type", words, &kind);
    if (status == FLX_OK && list.n == 1 && !at) {
        node = list.nodes[0];
    } else if (status == FLX_OK) {
        flx_node_link l = {.kind = kind ? FLX_LINK_AVERAGE : FLX_LINK_RIGID,
                           .loc = on->loc,
                           .mask = 077u,
                           .nnode = list.n,
                           .nodes = list.nodes};
        status = add_frame(m, at, &list, &node);
        l.reference = node;
        if (status == FLX_OK) status = flx_structure_add_link(m->s, &l);
    }
    flx_free(list.nodes);
    if (status != FLX_OK) return status;
    for (int i = 0; i < out->n; i++) {
        if (out->nodes[i] != node) continue;
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, on->loc,
                        "'%s' and '%s' are the same node; name each interface once", out->names[i],
                        name);
    }
    out->names[out->n] = flx_arena_copy(m->b->m->arena, name, strlen(name));
    out->nodes[out->n] = node;
    out->components[out->n] = 077u;
    if (components) {
        out->some = components;
        FLX_TRY(flx_fe_read_components(m, components, out->components + out->n));
    }
    return out->names[out->n++] ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status read_interfaces(flx_fe_maker *m, const flx_entry *y, interfaces *out)
{
    flx_builder *b = m->b;
    int count = y ? y->count : 0;
    out->nodes = flx_take(b, (size_t)count, sizeof *out->nodes);
    out->names = flx_take(b, (size_t)count, sizeof *out->names);
    out->components = flx_take(b, (size_t)count, sizeof *out->components);
    if (!out->nodes || !out->names || !out->components) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        const flx_entry *item = y->items[i];
        bool list = y->kind == FLX_ENTRY_LIST;
        const flx_entry *on = list ? item : flx_entry_get(item, "on");
        const flx_entry *name = list ? item : y->keys[i];
        if (flx_is_elastic_word(name->text)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                            "'%s' is built in and cannot be the name of an interface%s", name->text,
                            list ? "; a mapping gives it another" : "");
        }
        for (int k = 0; k < out->n; k++) {
            if (strcmp(out->names[k], name->text) != 0) continue;
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                            "the interface '%s' is there twice: name each once", name->text);
        }
        FLX_TRY(add_interface(m, item, on, name->text, out));
    }
    return FLX_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

// Whether a node of an interface has a rotation of its own: that of a beam, a frame of others, one with springs or a mass.
static bool turns(const flx_structure *s, int node)
{
    bool found = s->width != 0 || s->nspring > 0 || s->nmass > 0; // not looked at
    for (int i = 0; i < s->nlink && !found; i++) {
        const flx_node_link *l = s->links + i;
        found = l->reference == node;
        for (int k = 0; k < l->nnode && !found; k++) found = l->nodes[k] == node;
    }
    for (int i = 0; i < s->nelement && !found; i++) {
        const flx_element *e = s->elements + i;
        if (e->family != FLX_FAMILY_BEAM) continue;
        const int *nodes = flx_element_nodes(s, i);
        found = nodes[0] == node || nodes[1] == node;
    }
    return found;
}

// What loads_left_out.c compares joints and forces with.
static flx_status keep_loads(flx_builder *b, const flx_item *body, const flx_structure *s,
                             const interfaces *faces, const flx_basis *basis)
{
    flx_elastic_body *f = &((flx_body_data *)body->data)->elastic;
    f->known = flx_take(b, (size_t)basis->nloaded, sizeof *f->known);
    f->loads = flx_take(b, (size_t)faces->n, sizeof *f->loads);
    if (!f->known || !f->loads) return FLX_ERR_MEMORY;
    f->nknown = basis->nloaded;
    for (int i = 0; i < f->nknown; i++) f->known[i] = s->label[basis->loaded[i]];
    f->ninterface = faces->n;
    f->interfaces = faces->names;
    for (int i = 0; i < faces->n; i++) {
        f->loads[i] = faces->components[i];
        if (!turns(s, faces->nodes[i])) f->loads[i] |= FLX_POINT_LOADS;
    }
    return FLX_OK;
}

static flx_status reduce_structure(flx_fe_maker *m, const flx_item *body, const flx_entry *reduce,
                                   flx_elastic **out)
{
    static const char *const masses[] = {"consistent", "lumped", NULL};
    flx_builder *b = m->b;
    const flx_entry *attachment = flx_entry_get(reduce, "attachment");
    const flx_entry *kind = flx_entry_get(m->fe, "mass_matrix");
    flx_stiffening_kind stiffening = FLX_STIFFENING_NONE;
    int lumped = 0;
    flx_basis basis;
    interfaces faces = {0};
    FLX_TRY(flx_elastic_body_read_basis(m->e, body, reduce, &basis));
    if (attachment) FLX_TRY(flx_build_flag(b, attachment, "attachment", &basis.attachment));
    FLX_TRY(flx_elastic_body_read_stiffening(b, body, &stiffening));
    basis.stiffening = stiffening != FLX_STIFFENING_NONE;
    if (kind) FLX_TRY(flx_build_word(b, kind, "kind of masses", masses, &lumped));
    FLX_TRY(check_springs(m));
    FLX_TRY(read_interfaces(m, flx_entry_get(reduce, "interfaces"), &faces));
    if (attachment && basis.attachment && faces.n == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, attachment->loc,
                        "attachment: true takes the shapes of loads at the interfaces: name them");
    }
    if (m->s->nsupport > 0) {
        flx_ctx_warn(b->ctx, m->fe->loc,
                     "the supports of the mesh file have no effect on '%s': joints hold a body",
                     body->full);
    }
    basis.ninterface = faces.n;
    basis.interfaces = faces.nodes;
    basis.names = faces.names;
    if (faces.some) basis.components = faces.components;
    bool loads = flx_basis_get(basis.kind)->choose || basis.attachment;
    if (faces.some && !loads) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, faces.some->loc,
                        "`components` says which loads act at an interface: shapes of type %s are "
                        "not those of loads; take band, or modal with attachment: true",
                        flx_basis_get(basis.kind)->name);
    }
    FLX_TRY(flx_elastic_body_read_conditions(b, reduce, faces.n, faces.names, &basis));
    if (faces.n > 0 && (loads || basis.kind != FLX_BASIS_MODES)) {
        FLX_TRY(flx_elastic_body_find_loaded(b, body, m->s, &basis));
        FLX_TRY(keep_loads(b, body, m->s, &faces, &basis));
    } else if (faces.n > 0) {
        FLX_TRY(flx_elastic_body_find_held(b, body, &basis));
    }
    if (faces.n == 0 && !flx_entry_get(body->def, "frame")) basis.frame = FLX_FRAME_BUCKENS;
    return b->reader->reduce(b->reader->user, m->s, lumped == 1, &basis, reduce->loc, out);
}

flx_status flx_elastic_body_read_mesh(flx_env *e, const flx_item *body, const flx_entry *fe,
                                      const flx_entry *reduce, flx_elastic **out)
{
    flx_builder *b = e->b;
    const flx_entry *type = flx_entry_get(reduce, "type");
    flx_fe_maker m = {.e = e, .b = b, .fe = fe};
    FLX_TRY(check_keys(b, body, fe));
    if (strcmp(type->text, "shapes") == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type->loc,
                        "shapes are functions along a line; of a mesh take modal, guyan or "
                        "craig-bampton");
    }
    if (!b->reader || !b->reader->reduce) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, fe->loc, "meshes cannot be reduced here");
    }
    FLX_TRY(flx_fe_build(e, fe, &m.s));
    flx_status status = reduce_structure(&m, body, reduce, out);
    flx_structure_destroy(&m.s);
    return status;
}
