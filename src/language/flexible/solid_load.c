// solid_load.c - loads on solids: pressure and tractions on their surface, forces on their volume.
#include "language/force_parts.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

flx_status flx_solid_load_place(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *on = flx_entry_get(force->def, "on"), *at = flx_entry_get(force->def, "at");
    const flx_entry *frame = flx_entry_get(force->def, "frame");
    if (!flx_body_is_solid(b, d->body[1])) {
        bool line = d->word->kind != NULL;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc, "'%s' is %s: %s acts on a body of type %s",
                        d->body[1]->full, line ? "neither a beam nor a solid" : "not a solid",
                        line ? "a distributed load" : d->word->row.word,
                        line ? "beam or solid" : "solid");
    }
    if (frame && frame->kind == FLX_ENTRY_SCALAR && strcmp(frame->text, "body") == 0) {
        return FLX_FAIL(
            b->ctx, FLX_ERR_MODEL, frame->loc,
            "a solid has no axes of its own that a load could follow: give the frame of "
            "another body, or use 'type: pressure', which follows the surface");
    }
    d->def.kind = d->word->on_solid;
    d->load = flx_arena_take(b->m->arena, 1, sizeof *d->load);
    if (!d->load) return FLX_ERR_MEMORY;
    *d->load = (flx_solid_load){.value = {-1, -1, -1, -1}};
    d->def.load = d->load;
    if (at) {
        flx_place place;
        FLX_TRY(flx_build_place(e, at, &place));
        flx_num3_fix(b, &place.position, at->loc);
        memcpy(d->load->at, place.position.x, sizeof d->load->at);
    }
    if (d->def.kind->volume) return FLX_OK;
    return flx_solid_faces_of(b, d->body[1], flx_entry_get(force->def, "surface"), &d->load->faces);
}

flx_status flx_solid_load_value(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *y = NULL, *gradient = flx_entry_get(force->def, "gradient");
    flx_node *value, v[3];
    FLX_TRY(flx_build_need(b, force, "value", &y));
    if (d->unavailable || !d->load) {
        flx_operand any;
        return flx_build_value(e, y, &any);
    }
    value = d->load->value;
    if (!d->def.kind->pressure) {
        FLX_TRY(flx_force_vector(e, force, d, y, false, value));
        memcpy(d->def.force, value, sizeof d->def.force); // the signal `value`
        return FLX_OK;
    }
    FLX_TRY(flx_build_node(e, y, &value[0]));
    if (gradient) {
        FLX_TRY(flx_build_node_vector(e, gradient, v));
        FLX_TRY(flx_space_place(b, e->space));
        flx_num9_turn3(b->g, &e->space->R, v, value + 1);
    }
    FLX_TRY(flx_loads_scale(b, force, 4, value));
    d->number = true;
    d->scalar = value[0];
    return FLX_OK;
}

flx_status flx_solid_load_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                                 flx_operand *out)
{
    static const char *const words[] = {"value", "resultant", "moment", "power"};
    int k = 1;
    flx_node v[3];
    while (strcmp(words[k], name) != 0) k++;
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, force->full, name, loc));
    for (int i = 0; i < 3; i++) {
        int component = k == 3 ? 6 : 3 * (k - 1) + i;
        v[i] = flx_graph_leaf(e->b->g, flx_leaf_make(FLX_LEAF_RESULTANT, force->number, component));
        if (v[i] < 0) return FLX_ERR_MEMORY;
    }
    if (k < 3) return flx_env_vector(e, v, out);
    *out = flx_operand_number(v[0]);
    return FLX_OK;
}
