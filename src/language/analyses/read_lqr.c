// read_lqr.c - analyses of type lqr.
#include "language/analyses/gain_read.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const known[] = {"states", "inputs", NULL};
    flx_gain_keys *own = flx_arena_take(e->b->m->arena, 1, sizeof *own);
    const flx_entry *states = NULL, *inputs = NULL, *all = NULL;
    if (!own) return FLX_ERR_MEMORY;
    *own = (flx_gain_keys){.sample = 0.0};
    out->own = own;
    FLX_TRY(flx_build_need(e->b, item, "weights", &all));
    FLX_TRY(flx_gains_read(e, item, own));
    FLX_TRY(flx_gains_key(e, item, "weights", "states", known, &states));
    FLX_TRY(flx_gains_key(e, item, "weights", "inputs", known, &inputs));
    if (!states || !inputs) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, all->loc,
                        "the weights of '%s' are those of `states` and of `inputs`", item->full);
    }
    FLX_TRY(flx_gains_weights(e, states, own->io.nstate, "the weight of states", &own->of_states));
    return flx_gains_weights(e, inputs, own->io.nin, "the weight of inputs", &own->of_inputs);
}

static const flx_key_row keys[] = {
    FLX_KEYS_GAINS,
    {"weights", "<values>", .needed = true,
     .doc =
         "Of the cost: `states` and `inputs`, each one number for all, one of each, or rows of a "
         "symmetric matrix."},
    {0}};

const flx_analysis_reader flx_reader_LQR = {
    .says =
        {.word = "lqr",
         .dimensions = "23",
         .doc = "gains of the state feedback of least quadratic cost, `u = -K x`, continuous or "
                "sampled; `gains: K` of a controller takes them before the run",
         .example =
             "up: {type: equilibrium}\n  K: {type: lqr, about: up, inputs: [F], "
             "states: [rail.displacement, hinge.angle, rail.rate, hinge.rate], weights: {states: "
             "[10, 100, 1, 1], inputs: 0.1}, sample: 0.02}",
         .keys = keys},
    .gives = true,
    .read = read,
};
