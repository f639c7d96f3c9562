// read_kalman.c - analyses of type kalman.
#include "language/analyses/gain_read.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const known[] = {"inputs", "measured", "states", NULL};
    flx_gain_keys *own = flx_arena_take(e->b->m->arena, 1, sizeof *own);
    const flx_entry *measured = NULL, *noise = NULL, *y[3] = {NULL, NULL, NULL};
    if (!own) return FLX_ERR_MEMORY;
    *own = (flx_gain_keys){.sample = 0.0};
    out->own = own;
    FLX_TRY(flx_build_need(e->b, item, "measured", &measured));
    FLX_TRY(flx_build_need(e->b, item, "noise", &noise));
    FLX_TRY(flx_gains_read(e, item, own));
    FLX_TRY(flx_signals_read(e->b, measured, &own->io.nout, &own->io.outputs));
    FLX_TRY(flx_gains_all_read(measured, own->io.nout));
    for (int i = 0; i < 3; i++) FLX_TRY(flx_gains_key(e, item, "noise", known[i], known, &y[i]));
    if (!y[1] || (!y[0] && !y[2])) {
        return FLX_FAIL(
            e->b->ctx, FLX_ERR_MODEL, noise->loc,
            "the noise of '%s' is that of what is `measured`, and of `inputs` or `states`",
            item->full);
    }
    if (y[0]) {
        FLX_TRY(flx_gains_weights(e, y[0], own->io.nin, "the noise of inputs", &own->of_inputs));
    }
    FLX_TRY(
        flx_gains_weights(e, y[1], own->io.nout, "the noise of what is measured", &own->measured));
    if (!y[2]) return FLX_OK;
    return flx_gains_weights(e, y[2], own->io.nstate, "the noise of states", &own->of_states);
}

static const flx_key_row keys[] = {
    FLX_KEYS_GAINS,
    {"measured", "[number;1..]", .needed = true, .doc = "Signals that are measured."},
    {"noise", "<values>", .needed = true,
     .doc = "White noise: intensities of that of `inputs` and of the rates of `states`, and of "
            "what is "
            "`measured`, with `sample` the variance of a sample. Each is one number for all, one "
            "of each, or "
            "rows of a symmetric matrix."},
    {0}};

const flx_analysis_reader flx_reader_KALMAN = {
    .says = {.word = "kalman",
             .dimensions = "23",
             .doc = "gains of the steady filter that finds states from measurements with the least "
                    "variance; `gains: L` of an observer takes them before the run",
             .example =
                 "L: {type: kalman, about: start, inputs: [F], states: [rail.displacement, "
                 "hinge.angle, rail.rate, hinge.rate], measured: [rail.displacement, hinge.angle], "
                 "noise: {inputs: 0.5, measured: 1e-5}}",
             .keys = keys},
    .gives = true,
    .read = read,
};
