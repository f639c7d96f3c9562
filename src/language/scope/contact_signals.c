// contact_signals.c - signals of contacts: what a state of the system tells of them.
#include "language/contact/contact_parts.h"
#include "model/nodes.h"

#include <string.h>

static const struct {
    const char *name;
    int first;
    bool vector;
} table[] = {
    {"gap", FLX_CONTACT_GAP, false},         {"value", FLX_CONTACT_VALUE, false},
    {"force", FLX_CONTACT_FORCE, true},      {"friction", FLX_CONTACT_FRICTION, true},
    {"slip", FLX_CONTACT_SLIP, true},        {"place", FLX_CONTACT_PLACE, true},
    {"state", FLX_CONTACT_STATE, false},     {"contacts", FLX_CONTACT_TOUCHING, false},
    {"impulse", FLX_CONTACT_IMPULSE, false}, {"count", FLX_CONTACT_COUNT, false},
    {"power", FLX_CONTACT_POWER, false},     {"penetration", FLX_CONTACT_GAP, false},
};

flx_status flx_contact_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                              flx_operand *out)
{
    const flx_force_data *d = force->data;
    flx_graph *g = e->b->g;
    flx_node v[3];
    int k = 0;
    while (strcmp(table[k].name, name) != 0) k++;
    if (d->unavailable) {
        return flx_env_stand_in(e, table[k].vector ? e->b->m->dimension : 1, out);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, force->full, name, loc));
    for (int i = 0; i < 3; i++) {
        v[i] = node_leaf(g, FLX_LEAF_CONTACT, force->number,
                         table[k].first + (table[k].vector ? i : 0));
    }
    if (table[k].vector) return flx_env_vector(e, v, out);
    if (strcmp(name, "penetration") == 0) {
        v[0] = flx_graph_binary(g, FLX_OP_MAX, node_const(g, 0.0), node_neg(g, v[0]));
    }
    return flx_operand_set_node(v[0], out);
}
