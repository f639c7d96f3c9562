// force_states.c - states of first order that forces have: the activation of a muscle, the slip of a tyre.
#include "language/force_parts.h"
#include "language/scope/nums.h"

typedef struct flx_force_state {
    flx_first_order def;
    struct flx_force_state *next;
} flx_force_state;

static flx_force_state *new_state(flx_builder *b, const flx_item *force, const char *name)
{
    flx_force_state *s = flx_take(b, 1, sizeof *s);
    if (!s) return NULL;
    *s = (flx_force_state){.next = b->states};
    s->def = (flx_first_order){.loc = force->loc, .number = b->m->nstate++, .derivative = -1};
    s->def.name = flx_arena_printf(b->m->arena, "%s.%s", force->full, name);
    b->states = s;
    return s->def.name ? s : NULL;
}

flx_status flx_force_add_state(flx_builder *b, const flx_item *force, flx_force_data *d,
                               const char *name, flx_num at, int *state, flx_node *leaf)
{
    flx_force_state *s = new_state(b, force, name);
    if (!s) return FLX_ERR_MEMORY;
    FLX_TRY(flx_num_store(at, &s->def.at, &s->def.at_open));
    *state = s->def.number;
    *leaf = node_leaf(b->g, FLX_LEAF_STATE, *state, 0);
    flx_force_add_signal(d, name, *leaf);
    return *leaf < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_status flx_force_keep_state(flx_builder *b, const flx_item *force, const char *name, int *state)
{
    flx_force_state *s = new_state(b, force, name);
    if (!s) return FLX_ERR_MEMORY;
    *state = s->def.number;
    s->def.derivative = node_const(b->g, 0.0);
    return s->def.derivative < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

void flx_force_set_rate(flx_builder *b, int state, flx_node derivative)
{
    for (flx_force_state *s = b->states; s; s = s->next) {
        if (s->def.number == state) s->def.derivative = derivative;
    }
}

void flx_force_set_balance(flx_builder *b, int state, const flx_balance_of *balance)
{
    for (flx_force_state *s = b->states; s; s = s->next) {
        if (s->def.number == state) s->def.balance = balance;
    }
}

void flx_force_add_signal(flx_force_data *d, const char *name, flx_node node)
{
    d->more[d->nmore].name = name;
    d->more[d->nmore++].node = node;
}

flx_status flx_force_number(flx_env *e, const flx_item *force, const char *key, double initial,
                            double least, bool above, flx_num *out)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    *out = (flx_num){initial, 0};
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_num(e, y, out));
    if (!(above ? out->x > least : out->x >= least)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' of force '%s' is %s %g, not %g",
                        key, force->full, above ? "more than" : "at least", least, out->x);
    }
    const flx_limit l = {.what = key,
                         .name = force->full,
                         .loc = y->loc,
                         .value_open = least == 0.0 ? out->n : 0, // exponents are fixed
                         .positive = above};
    return flx_build_limit(e->b, &l);
}

flx_status flx_force_states_finish(flx_builder *b)
{
    flx_model *m = b->m;
    int n = m->nfirst, more = 0;
    for (const flx_force_state *s = b->states; s; s = s->next) more++;
    if (more == 0) return FLX_OK;
    flx_first_order *all = flx_arena_take(m->arena, (size_t)(n + more), sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) all[i] = m->firsts[i];
    for (const flx_force_state *s = b->states; s; s = s->next) {
        all[n + --more] = s->def;
        m->nfirst++;
        if (s->def.derivative < 0 && !b->failed) return FLX_ERR_MEMORY;
    }
    m->firsts = all;
    return FLX_OK;
}
