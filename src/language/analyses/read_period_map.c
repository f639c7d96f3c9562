// read_period_map.c - analyses of type period-map.
#include "language/analyses/analysis_reader.h"
#include "model/linear_keys.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const finds[] = {"nothing", "motion", "period", NULL};
    flx_builder *b = e->b;
    flx_period_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_entry *period, *from = flx_entry_get(item->def, "from");
    const flx_entry *find = flx_entry_get(item->def, "find");
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    FLX_TRY(flx_build_need(b, item, "period", &period));
    FLX_TRY(flx_build_positive(e, period, "the period", &own->period));
    if (from) FLX_TRY(flx_build_number(e, from, &own->from));
    if (find) FLX_TRY(flx_build_word(b, find, "find", finds, &own->find));
    if (!b->m->simulate.given) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                        "the model has no run whose map this could be: add `simulate`");
    }
    if (own->from >= 0.0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, from->loc, "the run begins at 0, and not at %g",
                    own->from);
}

static const flx_key_row keys[] = {
    {"period", "number", .needed = true, .unit = "s",
     .doc = "How long the map is; with `find: period` a guess."},
    {"from", "number", .unit = "s", .initial = "0",
     .doc = "Where in the run the map begins, as behind a transient."},
    {"find", "word", .initial = "nothing",
     .doc = "`motion`: the state near that of the run from which the motion repeats itself; "
            "`period`: its period, too, of motions that nothing drives."},
    {0}};

const flx_analysis_reader flx_reader_PERIOD_MAP = {
    .says = {.word = "period-map",
             .dimensions = "23",
             .doc = "derivative of the state after a period by the state before it, with events and "
                    "sampled controllers in it: Floquet multipliers",
             .example = "floquet: {type: period-map, period: 0.02}",
             .keys = keys},
    .motion = true,
    .gives = true,
    .read = read,
};
