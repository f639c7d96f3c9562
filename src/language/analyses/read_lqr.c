// read_lqr.c - analyses of type lqr.
#include "language/analyses/gain_read.h"

#include <string.h>

// Of the last state along a run: numbers, or the word `steady`.
static flx_status read_end(flx_env *e, const flx_item *item, const flx_entry *y, flx_gain_keys *own)
{
    const flx_entry *until = flx_entry_get(item->def, "until");
    if (until && own->way.every == 0.0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, until->loc,
                        "`until` belongs to gains along a run: give `every`");
    }
    if (y && own->way.every == 0.0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the weight of the `end` belongs to gains along a run: give `every`");
    }
    if (own->way.every > 0.0 && own->sample > 0.0 && own->way.every != own->sample) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, item->loc,
                        "sampled gains along a run are those of the samples: `every` and `sample` "
                        "of '%s' are the same interval",
                        item->full);
    }
    if (!y) return FLX_OK;
    own->steady_end = y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "steady") == 0;
    if (own->steady_end) return FLX_OK;
    return flx_gains_weights(e, y, own->io.nstate, "the weight of the end", &own->end);
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const known[] = {"states", "inputs", "end", NULL};
    flx_gain_keys *own = flx_arena_take(e->b->m->arena, 1, sizeof *own);
    const flx_entry *states = NULL, *inputs = NULL, *end = NULL, *all = NULL;
    if (!own) return FLX_ERR_MEMORY;
    *own = (flx_gain_keys){.sample = 0.0};
    out->own = own;
    FLX_TRY(flx_build_need(e->b, item, "weights", &all));
    FLX_TRY(flx_gains_read(e, item, own));
    FLX_TRY(flx_gains_key(e, item, "weights", "states", known, &states));
    FLX_TRY(flx_gains_key(e, item, "weights", "inputs", known, &inputs));
    FLX_TRY(flx_gains_key(e, item, "weights", "end", known, &end));
    if (!states || !inputs) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, all->loc,
                        "the weights of '%s' are those of `states` and of `inputs`", item->full);
    }
    FLX_TRY(flx_analysis_way(e, item, out, &own->way));
    FLX_TRY(read_end(e, item, end, own));
    FLX_TRY(flx_gains_weights(e, states, own->io.nstate, "the weight of states", &own->of_states));
    return flx_gains_weights(e, inputs, own->io.nin, "the weight of inputs", &own->of_inputs);
}

static const flx_key_row keys[] = {
    FLX_KEYS_GAINS,
    {"weights", "<values>", .needed = true,
     .doc =
         "Of the cost: `states` and `inputs`, each one number for all, one of each, or rows of a "
         "symmetric matrix; along a run also `end`, of the last state, numbers or `steady`, the "
         "cost of the steady regulator there (default: none)."},
    FLX_KEYS_WAY,
    {"until", "number", .unit = "s", .initial = "the end of the run",
     .doc = "The end of gains along the run, at which the weight `end` counts."},
    {0}};

const flx_analysis_reader flx_reader_LQR = {
    .says =
        {.word = "lqr",
         .dimensions = "23",
         .doc =
             "gains of the state feedback of least quadratic cost, `u = -K x`, continuous or "
             "sampled, steady or along a run; `gains: K` of a controller takes them before the run",
         .example =
             "up: {type: equilibrium}\n  K: {type: lqr, about: up, inputs: [F], "
             "states: [rail.displacement, hinge.angle, rail.rate, hinge.rate], weights: {states: "
             "[10, 100, 1, 1], inputs: 0.1}, sample: 0.02}",
         .keys = keys},
    .gives = true,
    .read = read,
};
