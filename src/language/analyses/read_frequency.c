// read_frequency.c - analyses of type frequency.
#include "language/analyses/io_keys.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const spacings[] = {"log", "linear", NULL};
    flx_builder *b = e->b;
    flx_frequency_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_entry *from, *to, *spacing = flx_entry_get(item->def, "spacing");
    const flx_entry *refine = flx_entry_get(item->def, "refine");
    int word = 0;
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    own->count = out->count > 0 ? out->count : 200;
    FLX_TRY(flx_build_need(b, item, "from", &from));
    FLX_TRY(flx_build_need(b, item, "to", &to));
    FLX_TRY(flx_build_number(e, from, &own->from));
    FLX_TRY(flx_build_number(e, to, &own->to));
    if (spacing) FLX_TRY(flx_build_word(b, spacing, "spacing", spacings, &word));
    if (refine) FLX_TRY(flx_build_flag(b, refine, "refine", &own->refine));
    own->linear = word == 1;
    if (!(own->from >= 0.0) || !(own->to > own->from) || (own->from == 0.0 && !own->linear)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, from->loc,
                        "frequencies ascend from a positive number, or from 0 with `spacing: "
                        "linear`; these go from %g to %g",
                        own->from, own->to);
    }
    if (own->count < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc, "a response has at least 2 frequencies");
    }
    return flx_analysis_io(e, item, &own->io);
}

static const flx_key_row keys[] = {
    FLX_KEYS_IO,
    {"from", "number", .needed = true, .unit = "rad/s", .doc = "First angular frequency."},
    {"to", "number", .needed = true, .unit = "rad/s", .doc = "Last angular frequency."},
    {"count", "number", .initial = "200", .doc = "How many frequencies."},
    {"spacing", "word", .initial = "log", .doc = "How they are spaced."},
    {"refine", "bool", .initial = "false",
     .doc = "More frequencies where the phase turns by more than 10 degrees from one to the next."},
    {0}};

const flx_analysis_reader flx_reader_FREQUENCY = {
    .says = {.word = "frequency",
             .dimensions = "23",
             .doc = "frequency response of outputs to inputs about a state, with its peaks; on the "
                    "equations as they stand, so models may be large",
             .example = "bode: {type: frequency, inputs: [F], outputs: [hinge.angle], "
                        "from: 0.1, to: 100}",
             .keys = keys},
    .gives = true,
    .read = read,
};
