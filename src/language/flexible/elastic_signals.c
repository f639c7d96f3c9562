// elastic_signals.c - what a flexible body and its nodes are asked for by name: modes, ends, interfaces,
// deflections, loads; stresses: stress.c.
#include "language/flexible/deformable.h"
#include "model/nodes.h"

#include <string.h>

flx_status flx_elastic_body_modes(flx_env *e, flx_item *body, flx_loc loc, flx_operand *out)
{
    FLX_TRY(flx_elastic_body_ready(e->b, body, loc));
    int n = ((const flx_body_data *)body->data)->elastic.e->n;
    flx_node *q = flx_take(e->b, (size_t)n, sizeof *q);
    if (!q) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) q[k] = flx_elastic_body_mode(e->b, body, k);
    return flx_env_list(e, n, q, out);
}

// An interface by its name; NULL: there is none.
flx_status flx_elastic_body_interface(flx_env *e, flx_item *body, const char *name, flx_loc loc,
                                      flx_item **point)
{
    *point = NULL;
    if (!flx_entry_get(body->def, "reduce") && !flx_entry_get(body->def, "data")) return FLX_OK;
    FLX_TRY(flx_elastic_body_ready(e->b, body, loc));
    const flx_elastic *el = ((const flx_body_data *)body->data)->elastic.e;
    for (int i = 0; i < el->nnode; i++) {
        if (!el->nodes[i].name || strcmp(el->nodes[i].name, name) != 0) continue;
        FLX_TRY(flx_body_place(e->b, body, loc));
        return flx_elastic_body_point(e->b, body, i, point);
    }
    return FLX_OK;
}

// The first and the last node of a line; of other bodies an interface may have the name.
flx_status flx_elastic_body_end(flx_env *e, flx_item *body, const char *name, flx_loc loc,
                                flx_operand *out)
{
    flx_item *point = NULL;
    FLX_TRY(flx_elastic_body_ready(e->b, body, loc));
    const flx_elastic *el = ((const flx_body_data *)body->data)->elastic.e;
    if (!el->line) FLX_TRY(flx_elastic_body_interface(e, body, name, loc, &point));
    if (!el->line && !point) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is not made of a line and has no %s; name a node, as in %s.node(1)",
                        body->full, name, body->full);
    }
    int node = name[0] == 's' ? 0 : el->nnode - 1;
    if (!point) FLX_TRY(flx_elastic_body_point(e->b, body, node, &point));
    *out = flx_operand_item(point);
    return FLX_OK;
}

// deflection, force and moment of a node.
flx_status flx_elastic_node_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                                   flx_operand *out)
{
    const flx_point_data *d = point->data;
    flx_node v[3];
    bool deflection = name[0] == 'd', moment = name[0] == 'm';
    FLX_TRY(
        flx_env_require(e, deflection ? FLX_MODE_MOVING : FLX_MODE_OUTPUT, point->full, name, loc));
    if (deflection) {
        flx_elastic_body_deflection(e->b, d->body, d->node, v);
    } else {
        flx_elastic_body_load(e->b, d->body, d->node, moment, v);
    }
    if (moment && e->b->m->dimension == 2) return flx_operand_set_node(v[2], out);
    return flx_env_vector(e, v, out);
}

bool flx_is_elastic_word(const char *name)
{
    static const char *const words[] = {"node",      "point", "mode", "modes", "com",
                                        "von_mises", "x",     "y",    "z",     NULL};
    const char *const *w = words;
    while (*w && strcmp(*w, name) != 0) w++;
    return *w || flx_is_body_signal(name);
}
