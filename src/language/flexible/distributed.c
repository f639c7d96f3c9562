// distributed.c - loads along a beam, in newtons a metre of its unstressed line.
//
// A node takes the load of the length that it stands for, by the weights of its element's rule: the same
// quadrature that lumps the mass. In absolute nodal coordinates the slope along the line takes a part, too:
// that of a uniform load on an element, l^2/12 and -l^2/12 at its ends. `s` in the value is the part of the
// length, 0 to 1. A load in the axes of the section follows it; in absolute nodal coordinates these axes are
// expressions of the slopes.
#include "language/force_parts.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// What a uniform load does to the slope of a node, a load.
static double slope_share(const flx_beam_data *line, int node)
{
    const flx_beam *b = &line->def;
    double share = 0;
    if (node < b->nelement) share += b->lengths[node] * b->lengths[node] / 12;
    if (node > 0) share -= b->lengths[node - 1] * b->lengths[node - 1] / 12;
    return share;
}

static flx_status add_part(flx_builder *b, flx_force_data *d, const flx_item *body, double share,
                           const flx_node v[3])
{
    flx_force *f = d->spread + d->nspread++;
    *f = d->def;
    f->body[1] = body->number;
    for (int k = 0; k < 3; k++) {
        f->force[k] = node_scale(b->g, share, v[k]);
        if (f->force[k] < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static bool follows_section(const flx_item *force)
{
    const flx_entry *frame = flx_entry_get(force->def, "frame");
    return frame && frame->kind == FLX_ENTRY_SCALAR && strcmp(frame->text, "body") == 0;
}

// From the axes of a node's section, where the node is a point, to those of the ground.
static flx_status turn_with_section(flx_builder *b, const flx_item *force, const flx_item *beam,
                                    int node, flx_node v[3])
{
    flx_node e[3][3], out[3] = {node_const(b->g, 0), node_const(b->g, 0), node_const(b->g, 0)};
    int n = flx_beam_section_axes(b, beam, node, e);
    for (int k = 0; k < 3; k++) {
        if (k >= n && !node_is(b->g, v[k], 0)) {
            return FLX_FAIL(
                b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, "frame")->loc,
                "a cable in space has no axes across its line that a load could follow: "
                "what follows it is along the line, [value, 0, 0]; 'formulation: "
                "geometrically-exact' or 'ancf' has all three");
        }
        for (int i = 0; i < 3 && k < n; i++) {
            out[i] = node_add(b->g, out[i], node_mul(b->g, v[k], e[k][i]));
            if (out[i] < 0) return FLX_ERR_MEMORY;
        }
    }
    memcpy(v, out, sizeof out);
    return FLX_OK;
}

flx_status flx_force_spread(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *y = NULL;
    flx_item *beam = d->body[1];
    const flx_beam_data *line = ((const flx_body_data *)beam->data)->beam;
    FLX_TRY(flx_build_need(b, force, "value", &y));
    if (d->unavailable) {
        flx_node v[3];
        return flx_build_node_vector(e, y, v);
    }
    bool follows = line->def.nslope > 0 && follows_section(force);
    int nslope = line->def.nslope, n = line->nnode * (nslope > 0 ? 2 : 1);
    d->spread = flx_arena_take(b->m->arena, (size_t)n, sizeof *d->spread);
    if (!d->spread) return FLX_ERR_MEMORY;
    for (int i = 0; i < line->nnode; i++) {
        flx_node part = flx_graph_const(b->g, flx_beam_part(line, i));
        flx_local s = {"s", flx_operand_number(part), force->locals};
        flx_env at = *e;
        flx_node v[3];
        at.scope.user = &at;
        at.locals = &s;
        d->body[1] = line->nodes[i]; // whose axes may be asked for
        flx_status status = flx_force_vector(&at, force, d, y, false, v);
        d->body[1] = beam;
        FLX_TRY(status);
        if (follows) FLX_TRY(turn_with_section(b, force, beam, i, v));
        for (int k = 0; k < 3 && i == 0; k++)
            d->def.force[k] = v[k]; // the signal `value`: at the start
        FLX_TRY(add_part(b, d, line->nodes[i], flx_beam_share(&line->def, i), v));
        if (nslope == 0) continue;
        FLX_TRY(add_part(b, d, line->slopes[nslope * i], slope_share(line, i), v));
    }
    return FLX_OK;
}

flx_node flx_force_spread_power(flx_builder *b, const flx_force_data *d)
{
    static const flx_num3 origin = {.x = {0, 0, 0}};
    const flx_beam_data *line = ((const flx_body_data *)d->body[1]->data)->beam;
    flx_node sum = node_const(b->g, 0);
    for (int i = 0; i < d->nspread; i++) {
        int nslope = line->def.nslope, node = nslope > 0 ? i / 2 : i;
        const flx_item *body = line->nodes[node];
        flx_node v[3];
        if (nslope > 0 && i % 2) body = line->slopes[nslope * node];
        flx_node_velocity(b, body, &origin, v);
        sum = node_add(b->g, sum, node_dot(b->g, d->spread[i].force, v));
    }
    return sum;
}
