// loads_left_out.c - joints and forces that load a body of a mesh where its shapes are not made for it: at components that an
// interface leaves out, and at nodes that were found by their place.
//
// Directions are counted, not compared: a joint that holds two rotations passes on a moment about one of any two axes. So
// a hinge whose axis is left out is no reason for a note, and what is told is so for every position of the mechanism.
#include "joint/joint.h"
#include "language/flexible/deformable.h"

#include <stdlib.h>
#include <string.h>

// In how many directions a force, a moment may act.
typedef struct directions {
    int forces, moments;
} directions;

static const char *const components[6] = {"x", "y", "z", "rx", "ry", "rz"};

static directions all_of(const flx_builder *b)
{
    return b->m->dimension == 2 ? (directions){2, 1} : (directions){3, 3};
}

// Whether a force, a stop or friction acts along the coordinate of a joint.
static bool is_driven(const flx_builder *b, const flx_item *joint)
{
    static const char *const keys[] = {"motion", "friction", "limits"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (flx_entry_get(joint->def, keys[i])) return true;
    }
    for (int i = 0; i < b->forces.count; i++) {
        const flx_force_data *d = b->forces.items[i]->data;
        if (d->joint == joint) return true;
    }
    return false;
}

static directions loads_of_joint(const flx_builder *b, const flx_item *joint)
{
    const flx_joint_kind *k = ((const flx_joint_data *)joint->data)->def.kind;
    directions most = all_of(b), left = {0, 0};
    if (k->tree != FLX_TREE_CARRIES) return (directions){0, 0};
    for (int i = 0; i < k->nlink; i++) {
        flx_joint_element e = k->link[i].element;
        left.moments += e == FLX_ELEMENT_TURN || e == FLX_ELEMENT_SCREW;
        left.forces += e == FLX_ELEMENT_SLIDE || e == FLX_ELEMENT_SCREW;
        if (e == FLX_ELEMENT_BALL || e == FLX_ELEMENT_SHIFT) left.moments = most.moments;
        if (e == FLX_ELEMENT_SHIFT) left.forces = most.forces;
    }
    if (is_driven(b, joint)) {
        left.forces -= left.forces > 0;
        left.moments -= left.moments > 0;
    }
    return (directions){most.forces - left.forces, most.moments - left.moments};
}

static directions loads_of_force(const flx_builder *b, const flx_item *force)
{
    const flx_entry *type = flx_entry_get(force->def, "type");
    const char *word = type ? type->text : "";
    if (strcmp(word, "bushing") == 0) return all_of(b);
    return strcmp(word, "torque") == 0 ? (directions){0, 1} : (directions){1, 0};
}

// The components that an interface leaves out, as "y, z".
static const char *list_left(const flx_builder *b, unsigned left)
{
    const char *text = "";
    for (int c = 0; c < 6 && text; c++) {
        if (left & (1u << c))
            text = flx_arena_printf(b->scratch, "%s%s%s", text, *text ? ", " : "", components[c]);
    }
    return text;
}

static void check_interface(flx_builder *b, const flx_item *item, flx_loc loc, const flx_item *body,
                            const char *name, unsigned loads, directions d)
{
    directions most = all_of(b), left = {0, 0};
    if (loads & FLX_POINT_LOADS && d.moments > 0) {
        flx_ctx_warn(b->ctx, loc,
                     "'%s' passes on a moment at '%s.%s', a single node that does not rotate by "
                     "itself: it turns the material around the node, which the shapes are not "
                     "made for; name the nodes of a face in 'interfaces'",
                     item->full, body->full, name);
        return;
    }
    if (loads & FLX_POINT_LOADS) d.moments = 0, loads |= 070u;
    unsigned planar = 043u, out = ~loads & (b->m->dimension == 2 ? planar : 077u);
    for (int c = 0; c < 6; c++) {
        if (!(out & (1u << c))) continue;
        left.forces += c < 3;
        left.moments += c >= 3;
    }
    if (d.forces + left.forces <= most.forces && d.moments + left.moments <= most.moments) return;
    const char *list = list_left(b, out);
    flx_ctx_warn(b->ctx, loc,
                 "'%s' loads '%s.%s' in a direction that its 'components' leave out (%s): the "
                 "shapes are not made for it, and the body is too stiff there",
                 item->full, body->full, name, list ? list : "");
}

// One place of a joint or force.
static void check_place(flx_builder *b, const flx_item *item, const flx_item *place, directions d)
{
    const flx_entry *at = flx_entry_get(item->def, "at");
    flx_loc loc = at ? at->loc : item->loc;
    if (!place || place->kind != FLX_KIND_BODY) return;
    const flx_body_data *data = place->data;
    if (!data->carrier || !flx_body_is_elastic(data->carrier)) return;
    const flx_elastic_body *f = &((const flx_body_data *)data->carrier->data)->elastic;
    const flx_elastic_node *node = f->e->nodes + data->node;
    if (f->ninterface ==
        0) { // of a body file it is known that its shapes were made for its interfaces
        bool made = flx_entry_get(data->carrier->def, "data") && f->e->cut && f->e->cut->report;
        if (!made || node->name) return;
        flx_ctx_warn(b->ctx, loc,
                     "'%s' is at node %s of '%s', which is no interface of the body file: its "
                     "shapes are not made for loads there; export it with that node in "
                     "'interfaces'",
                     item->full, node->id, data->carrier->full);
        return;
    }
    for (int i = 0; i < f->ninterface; i++) {
        if (!node->name || strcmp(node->name, f->interfaces[i]) != 0) continue;
        check_interface(b, item, loc, data->carrier, node->name, f->loads[i], d);
        return;
    }
    long number = strtol(node->id, NULL, 10);
    for (int i = 0; i < f->nknown; i++) {
        if (f->known[i] == number) return;
    }
    flx_ctx_warn(b->ctx, loc,
                 "'%s' is at node %s of '%s', which is no interface: its shapes are not made for "
                 "loads there; name it in 'interfaces' (at: %s.node(%s) tells how much they leave "
                 "out)",
                 item->full, node->id, data->carrier->full, data->carrier->name, node->id);
}

void flx_elastic_bodies_check_loads(flx_builder *b)
{
    for (int i = 0; i < b->joints.count; i++) {
        const flx_joint_data *d = b->joints.items[i]->data;
        directions loads = loads_of_joint(b, b->joints.items[i]);
        for (int k = 0; k < 2; k++) check_place(b, b->joints.items[i], d->body[k], loads);
    }
    for (int i = 0; i < b->forces.count; i++) {
        const flx_force_data *d = b->forces.items[i]->data;
        directions loads = loads_of_force(b, b->forces.items[i]);
        for (int k = 0; k < 2; k++) check_place(b, b->forces.items[i], d->body[k], loads);
    }
}
