// carried.c - first-order variables that constraints read.
//
// A constraint holds coordinates and their rates. A variable x' = f(t, q, x) that one reads is built as a coordinate s without
// mass, whose rate is held:
//
//     0 = s' - f(t, q, s)                                                   (CAR-1)
// Its multiplier is all that the constraint pulls at s, and pulls at nothing else, since f has no rates: the motion and the
// other multipliers are those of a constraint in which x is a function of the time. Which variables are carried is known when
// constraints have been read; the model is built once more then (build_model.c).
#include "language/builder.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

bool flx_first_is_carried(const flx_builder *b, const char *full)
{
    for (int i = 0; i < b->carried->n; i++) {
        if (strcmp(b->carried->names[i], full) == 0) return true;
    }
    return false;
}

static flx_status carry(flx_builder *b, const flx_item *first)
{
    flx_carried *c = b->carried;
    if (flx_first_is_carried(b, first->full)) return FLX_OK;
    FLX_TRY(flx_grow(b->ctx, (void **)&c->names, &c->capacity, c->n + 1, sizeof *c->names));
    c->names[c->n] = flx_intern(b->ctx, first->full);
    if (!c->names[c->n]) return FLX_ERR_MEMORY;
    c->n++;
    c->changed = true;
    return FLX_OK;
}

static bool is_algebraic(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_ALGEBRAIC);
}

flx_status flx_firsts_carry(flx_builder *b, flx_node n, flx_loc loc)
{
    flx_leaf *leaves = NULL;
    int nleaf = 0;
    if (flx_graph_depends(b->g, n, is_algebraic, NULL)) {
        return FLX_FAIL(
            b->ctx, FLX_ERR_MODEL, loc,
            "a constraint holds positions or rates, and may read first-order variables, "
            "but none with mass 0; write what that follows from");
    }
    FLX_TRY(flx_graph_leaves(b->g, 1, &n, &nleaf, &leaves));
    flx_status status = FLX_OK;
    for (int i = 0; i < nleaf && status == FLX_OK; i++) {
        if (flx_leaf_get_kind(leaves[i]) != FLX_LEAF_STATE) continue;
        for (int k = 0; k < b->firsts.count && status == FLX_OK; k++) {
            const flx_first_data *d = b->firsts.items[k]->data;
            if (!d->algebraic && d->number == flx_leaf_get_index(leaves[i]))
                status = carry(b, b->firsts.items[k]);
        }
    }
    flx_free(leaves);
    return status;
}

flx_status flx_carried_variable(flx_builder *b, const flx_item *item, flx_variable *out)
{
    const flx_entry *at = flx_entry_get(item->def, "at");
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    *out = (flx_variable){.name = item->full, .loc = item->loc, .carried = true};
    if (at) FLX_TRY(flx_build_open(&e, at, &out->at, &out->at_open));
    out->mass = out->force = node_const(b->g, 0);
    return out->mass < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static bool is_rate_or_force(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_VELOCITY | FLX_QUANTITY_FORCE);
}

static bool is_state(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_STATE | FLX_QUANTITY_ALGEBRAIC);
}

// (CAR-1)
flx_status flx_carried_hold(flx_builder *b, const flx_item *item, flx_constraint *out)
{
    const flx_entry *derivative = NULL, *mass = flx_entry_get(item->def, "mass");
    flx_env e;
    flx_node f, m;
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    FLX_TRY(flx_build_need(b, item, "derivative", &derivative));
    FLX_TRY(flx_build_node(&e, derivative, &f));
    if (flx_graph_depends(b->g, f, is_rate_or_force, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, derivative->loc,
                        "a constraint reads '%s', whose derivative may contain positions, the time "
                        "and first-order variables then, but no rates and no reactions",
                        item->full);
    }
    if (flx_graph_depends(b->g, f, is_state, NULL))
        FLX_TRY(flx_firsts_carry(b, f, derivative->loc));
    if (mass) {
        FLX_TRY(flx_build_node(&e, mass, &m));
        f = node_div(b->g, f, m);
    }
    flx_node rate = flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_VARIABLE_RATE, item->number, 0));
    *out = (flx_constraint){.name = item->full,
                            .loc = item->loc,
                            .value = node_sub(b->g, rate, f),
                            .velocity_level = true,
                            .inner = true,
                            .carried = true,
                            .slip = -1};
    return out->value < 0 ? FLX_ERR_MEMORY : FLX_OK;
}
