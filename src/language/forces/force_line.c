// force_line.c - lines through places, with one pull along all of them: cables, and the paths of muscles.
//
// Between two places on one body the line is straight and stays as it is: it counts in the length, and pulls
// at nothing there.
#include "expr/algebra.h"
#include "joint/scalar_graph.h"
#include "language/force_parts.h"
#include "language/scope/nums.h"

// Places nearer than this part of the whole line have no direction between them.
#define SAME 1e-9

static flx_num3 initial_place(flx_builder *b, const flx_item *body, flx_num3 at)
{
    flx_num3 position;
    flx_num9 R;
    flx_body_frame(body, &position, &R);
    return flx_num3_add(b->g, position, flx_num9_mul_v(b->g, R, at));
}

flx_status flx_force_line_place(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *y = NULL;
    FLX_TRY(flx_build_need(b, force, "through", &y));
    flx_force_line *l = flx_take(b, 1, sizeof *l);
    if (!l || y->kind != FLX_ENTRY_LIST) return FLX_ERR_MEMORY;
    *l = (flx_force_line){.n = y->count};
    l->body = flx_take(b, (size_t)l->n, sizeof *l->body);
    l->at = flx_take(b, (size_t)l->n, sizeof *l->at);
    if (!l->body || !l->at) return FLX_ERR_MEMORY;
    bool moves = false;
    for (int i = 0; i < l->n; i++) {
        FLX_TRY(flx_build_anchor(e, y->items[i], &l->body[i], &l->at[i]));
        moves = moves || l->body[i] != l->body[0];
    }
    if (!moves) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "all places of '%s' are on '%s': its length would never change",
                        force->full, l->body[0]->full);
    }
    for (int i = 0; i + 1 < l->n; i++) {
        flx_num3 way = flx_num3_sub(b->g, initial_place(b, l->body[i + 1], l->at[i + 1]),
                                    initial_place(b, l->body[i], l->at[i]));
        l->drawn = flx_num_add(b->g, l->drawn, flx_num3_norm(b->g, way));
    }
    for (int i = 0; i + 1 < l->n; i++) {
        if (l->body[i] == l->body[i + 1]) continue;
        flx_num3 way = flx_num3_sub(b->g, initial_place(b, l->body[i + 1], l->at[i + 1]),
                                    initial_place(b, l->body[i], l->at[i]));
        if (flx_num3_norm(b->g, way).x > SAME * l->drawn.x) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[i + 1]->loc,
                        "places %d and %d of '%s' coincide in the initial configuration: the line "
                        "has no direction there",
                        i + 1, i + 2, force->full);
    }
    d->through = l;
    return FLX_OK;
}

flx_status flx_force_line_length(flx_builder *b, flx_force_data *d)
{
    const flx_force_line *l = d->through;
    flx_node sum = node_const(b->g, 0.0);
    for (int i = 0; i + 1 < l->n; i++) {
        flx_scalar_nodes n = {0};
        for (int k = 0; k < 2; k++) {
            flx_node_position(b, l->body[i + k], &l->at[i + k], n.place[k].c);
        }
        if (l->body[i] == l->body[i + 1]) { // as in the initial configuration
            flx_num3 way = flx_num3_sub(b->g, l->at[i + 1], l->at[i]);
            sum = node_add(b->g, sum, flx_num_node(b->g, flx_num3_norm(b->g, way)));
        } else {
            sum = node_add(b->g, sum, flx_scalar_graph(b->g, FLX_SCALAR_LENGTH, &n));
        }
    }
    d->length = sum;
    d->rate = flx_node_rate(b, sum);
    return d->rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_status flx_force_line_pull(flx_builder *b, flx_force_data *d, flx_node tension)
{
    const flx_force_line *l = d->through;
    d->spread = flx_arena_take(b->m->arena, (size_t)l->n, sizeof *d->spread);
    if (!d->spread || tension < 0) return FLX_ERR_MEMORY;
    for (int i = 0; i + 1 < l->n; i++) {
        if (l->body[i] == l->body[i + 1]) continue;
        flx_force *f = d->spread + d->nspread++;
        *f = d->def;
        f->value = tension;
        for (int k = 0; k < 2; k++) {
            f->body[k] = l->body[i + k]->number;
            FLX_TRY(flx_num3_store(&l->at[i + k], f->at[k], f->at_open[k]));
        }
    }
    d->number = true;
    d->scalar = tension;
    return FLX_OK;
}

// Either of two ways without a switch: what follows is smooth where they meet.
static flx_node positive(flx_graph *g, flx_node x)
{
    flx_node zero = node_const(g, 0.0);
    return flx_graph_either(g, flx_graph_binary(g, FLX_OP_LT, zero, x), x, zero);
}

// A number that may change in time: of the time, inputs, signals. Where it is constant it is not negative.
static flx_status changing(flx_env *e, const flx_item *force, const char *key, flx_num initial,
                           flx_node *out)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    double x = 0.0;
    *out = flx_num_node(e->b->g, initial);
    if (y) FLX_TRY(flx_build_node(e, y, out));
    if (!y || !flx_open_value(e->b, *out, &x)) return FLX_OK;
    if (x < 0.0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' of force '%s' is at least 0, not %g", key, force->full, x);
    }
    bool fixed = flx_graph_is_const(e->b->g, *out, NULL);
    const flx_limit l = {.what = key,
                         .name = force->full,
                         .loc = y->loc,
                         .value_open = fixed ? 0 : (flx_open)(*out + 1)};
    return flx_build_limit(e->b, &l);
}

// k x^(n+1)/(n+1) is stored, what damping adds is lost: where neither length nor stiffness changes by itself.
static flx_status book(flx_env *e, const flx_item *force, flx_force_data *d, flx_node stored,
                       flx_node lost)
{
    flx_node told[2] = {stored, lost};
    FLX_TRY(flx_loads_scale(e->b, force, 2, told));
    if (told[0] < 0 || told[1] < 0) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nspread; i++) d->spread[i].booked = true;
    d->spread[0].stored = told[0];
    d->spread[0].lost = told[1];
    return FLX_OK;
}

// (CAB-1). The kink of a linear cable at its length is located; a power above 1 has none.
flx_status flx_cable_value(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_env constants;
    flx_num exponent, damping;
    flx_node stiffness, length;
    double number;
    flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
    FLX_TRY(flx_force_number(&constants, force, "exponent", 1.0, 1.0, false, &exponent));
    FLX_TRY(flx_force_number(&constants, force, "damping", 0.0, 0.0, false, &damping));
    FLX_TRY(changing(e, force, "stiffness", (flx_num){0}, &stiffness));
    FLX_TRY(changing(e, force, "length", d->through->drawn, &length));
    flx_num_fix(b, &exponent, force->loc);
    FLX_TRY(flx_force_length(b, d));
    flx_node x = node_sub(g, d->length, length);
    flx_node pull = exponent.x > 1.0 ? node_power(g, positive(g, x), exponent.x)
                                     : flx_graph_binary(g, FLX_OP_MAX, x, node_const(g, 0.0));
    pull = node_mul(g, stiffness, pull);
    flx_node elastic = pull, stored = node_scale(g, 1.0 / (exponent.x + 1.0), node_mul(g, pull, x));
    if (damping.x > 0 || damping.n) {
        flx_node rate = node_sub(g, d->rate, flx_node_rate(b, length));
        flx_node part = node_mul(g, flx_num_node(g, damping), rate);
        pull = node_mul(g, pull, positive(g, node_add(g, node_const(g, 1.0), part)));
    }
    flx_node lost = node_mul(g, node_sub(g, pull, elastic), d->rate);
    FLX_TRY(flx_loads_scale(b, force, 1, &pull));
    FLX_TRY(flx_force_line_pull(b, d, pull));
    bool changes = !flx_open_value(b, stiffness, &number) || !flx_open_value(b, length, &number);
    return changes || d->def.dissipative ? FLX_OK : book(e, force, d, stored, lost);
}
