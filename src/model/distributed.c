// distributed.c - loads along a beam, in newtons a metre of its unstressed line.
//
// A node takes the load of the length that it stands for, by the weights of its element's rule: the same
// quadrature that lumps the mass. `s` in the value is the part of the length, 0 to 1.
#include "model/builder.h"
#include "model/nodes.h"

flx_status flx_force_spread(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_yaml *y = NULL;
    flx_item *beam = d->body[1];
    const flx_beam_data *line = ((const flx_body_data *)beam->data)->beam;
    FLX_TRY(flx_build_need(b, force, "value", &y));
    if (d->unavailable) {
        flx_node v[3];
        return flx_build_node_vector(e, y, v);
    }
    d->spread = flx_arena_take(b->m->arena, (size_t)line->nnode, sizeof *d->spread);
    if (!d->spread) return FLX_ERR_MEMORY;
    for (int i = 0; i < line->nnode; i++) {
        flx_local s = {"s", flx_value_number(flx_graph_const(b->g, line->at[i])), force->locals};
        flx_env at = *e;
        flx_node v[3];
        at.scope.user = &at;
        at.locals = &s;
        d->body[1] = line->nodes[i]; // whose axes may be asked for
        flx_status status = flx_force_vector(&at, force, d, y, false, v);
        d->body[1] = beam;
        FLX_TRY(status);
        flx_force *f = d->spread + i;
        *f = d->def;
        f->body[1] = line->nodes[i]->number;
        double share = flx_beam_share(line, i);
        for (int k = 0; k < 3; k++) {
            f->force[k] = node_scale(b->g, share, v[k]);
            if (i == 0) d->def.force[k] = v[k]; // the signal `value`: at the start
            if (f->force[k] < 0) return FLX_ERR_MEMORY;
        }
    }
    d->nspread = line->nnode;
    return FLX_OK;
}

flx_node flx_force_spread_power(flx_builder *b, const flx_force_data *d)
{
    static const double origin[3] = {0, 0, 0};
    const flx_beam_data *line = ((const flx_body_data *)d->body[1]->data)->beam;
    flx_node sum = node_const(b->g, 0);
    for (int i = 0; i < d->nspread; i++) {
        flx_node v[3];
        flx_node_velocity(b, line->nodes[i], origin, v);
        sum = node_add(b->g, sum, node_dot(b->g, d->spread[i].force, v));
    }
    return sum;
}
