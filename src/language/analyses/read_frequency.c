// read_frequency.c - analyses of type frequency.
#include "language/analyses/io_keys.h"

// Responses of a body are found at frequencies above zero, where a free body moves without end.
static flx_status read_direct(flx_env *e, const flx_item *item, flx_frequency_keys *own)
{
    const flx_entry *direct = flx_entry_get(item->def, "direct");
    flx_builder *b = e->b;
    if (direct) FLX_TRY(flx_build_flag(b, direct, "direct", &own->direct));
    if (direct && !own->of.body) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, direct->loc,
                        "`direct` is about a flexible body: name it, as in of: arm");
    }
    if (own->direct && own->refine) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, direct->loc,
                        "`direct` takes the frequencies that are asked for: leave out `refine`");
    }
    if (!own->of.body || own->from > 0.0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                    "the response of a body is found at positive frequencies: give `from`");
}

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
    FLX_TRY(flx_analysis_of(e, item, &own->of));
    FLX_TRY(read_direct(e, item, own));
    return own->of.name ? FLX_OK : flx_analysis_io(e, item, &own->io);
}

static const flx_key_row keys[] = {
    FLX_KEYS_IO,
    FLX_KEYS_OF,
    {"direct", "bool", .initial = "false",
     .doc = "Of a body: one complex factorisation for each frequency, in the place of the Ritz "
            "model of the whole body, whose error is estimated."},
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
                    "equations as they stand, so models may be large; or of a flexible body or a "
                    "linear block alone",
             .example = "bode: {type: frequency, inputs: [F], outputs: [hinge.angle], "
                        "from: 0.1, to: 100}",
             .keys = keys},
    .gives = true,
    .read = read,
};
