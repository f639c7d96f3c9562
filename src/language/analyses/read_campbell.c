// read_campbell.c - analyses of type campbell.
#include "language/analyses/analysis_reader.h"
#include "model/linear_keys.h"

#include <math.h>

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const axes[] = {"ground", "rotating", NULL};
    flx_builder *b = e->b;
    flx_campbell_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_entry *speed, *from = flx_entry_get(item->def, "from"), *to;
    const flx_entry *orders = flx_entry_get(item->def, "orders");
    const flx_entry *word = flx_entry_get(item->def, "axes");
    int which = 0;
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    own->count = out->count > 0 ? out->count : 51;
    own->modes = 8;
    FLX_TRY(flx_build_need(b, item, "speed", &speed));
    FLX_TRY(flx_analysis_parameter(b, speed, "the speed", &own->speed));
    FLX_TRY(flx_build_need(b, item, "to", &to));
    if (from) FLX_TRY(flx_build_number(e, from, &own->from));
    FLX_TRY(flx_build_number(e, to, &own->to));
    FLX_TRY(flx_analysis_count(e, item, "modes", 1, &own->modes));
    if (word) FLX_TRY(flx_build_word(b, word, "axes", axes, &which));
    own->rotating = which == 1;
    if (orders) FLX_TRY(flx_build_numbers(e, orders, &own->norder, &own->orders));
    if (!(own->to > own->from) || own->count < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, to->loc,
                        "the speed ascends, by at least 2 values; these go from %g to %g",
                        own->from, own->to);
    }
    for (int i = 0; i < own->norder; i++) {
        if (own->orders[i] > 0.0 && isfinite(own->orders[i])) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, orders->loc, "an order is a positive number");
    }
    return FLX_OK;
}

static const flx_key_row keys[] = {
    {"speed", "name", .needed = true,
     .doc = "The parameter of the model that says how fast it rotates, in rad/s."},
    {"from", "number", .unit = "rad/s", .initial = "0", .doc = "First speed."},
    {"to", "number", .needed = true, .unit = "rad/s", .doc = "Last speed."},
    {"count", "number", .initial = "51", .doc = "How many speeds."},
    {"modes", "number", .initial = "8",
     .doc = "How many modes are followed, the slowest at the first speed."},
    {"orders", "[number;0..]", .initial = "none",
     .doc = "Multiples of the speed that excite: where a frequency is one of them the speed is "
            "critical."},
    {"axes", "word", .initial = "ground",
     .doc = "In which axes frequencies are: modes that whirl about the axis have others in axes "
            "that rotate."},
    {0}};

const flx_analysis_reader flx_reader_CAMPBELL = {
    .says = {.word = "campbell",
             .dimensions = "23",
             .doc = "frequencies and damping over the speed of a rotor, modes followed by their "
                    "shapes, forward and backward whirl told apart, critical speeds",
             .example = "rotor: {type: campbell, speed: Omega, to: 1000, orders: [1, 2]}",
             .keys = keys},
    .read = read,
};
