// read_norms.c - analyses of type norms.
#include "language/analyses/io_keys.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_norms_keys *own = flx_arena_take(e->b->m->arena, 1, sizeof *own);
    const flx_entry *from = flx_entry_get(item->def, "from"), *to = flx_entry_get(item->def, "to");
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    if (from) FLX_TRY(flx_build_number(e, from, &own->from));
    if (to) FLX_TRY(flx_build_positive(e, to, "the end of the band", &own->to));
    if (from && !to) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, from->loc,
                        "a band has an end: give `to`, in rad/s, too");
    }
    if (to && !(own->from >= 0.0 && own->from < own->to)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, to->loc,
                        "a band from %g to %g rad/s: `from` is at least 0 and below `to`",
                        own->from, own->to);
    }
    FLX_TRY(flx_analysis_of(e, item, &own->of));
    return own->of.name ? FLX_OK : flx_analysis_io(e, item, &own->io);
}

static const flx_key_row keys[] = {
    FLX_KEYS_IO,
    FLX_KEYS_OF,
    {"states", "[number;1..]", .initial = "coordinates that constraints leave free",
     .doc = "Signals that are taken as the states. What they do not see, such as the place of a "
            "vehicle, must not act on what they see."},
    {"from", "number", .initial = "0", .unit = "rad/s",
     .doc = "First angular frequency of a band."},
    {"to", "number", .initial = "no band", .unit = "rad/s",
     .doc = "Last angular frequency of a band: its part of the norm H2 is found too."},
    {0}};

const flx_analysis_reader flx_reader_NORMS = {
    .says = {.word = "norms",
             .dimensions = "23",
             .doc = "sizes of the response of outputs to inputs about a state: the norm H2, whole "
                    "and of a band, the largest gain over all frequencies (Hinf), and Hankel's "
                    "singular values, which say how many states matter; or of a flexible body or a "
                    "linear block alone",
             .example = "size: {type: norms, inputs: [F], outputs: [tip.position.y], to: 100}",
             .keys = keys},
    .gives = true,
    .read = read,
};
