// read_linear.c - analyses of type linear.
#include "language/analyses/io_keys.h"

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const forms[] = {"state-space", "descriptor", NULL};
    flx_linear_keys *own = flx_arena_take(e->b->m->arena, 1, sizeof *own);
    const flx_entry *form = flx_entry_get(item->def, "form");
    int word = 0;
    const flx_entry *gramians = flx_entry_get(item->def, "gramians");
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    const flx_entry *until = flx_entry_get(item->def, "until");
    own->count = out->count > 1 ? out->count : 201;
    if (until) FLX_TRY(flx_build_positive(e, until, "the time of responses", &own->until));
    if (gramians) FLX_TRY(flx_build_flag(e->b, gramians, "gramians", &own->gramians));
    if (form) FLX_TRY(flx_build_word(e->b, form, "form", forms, &word));
    own->descriptor = word == 1;
    FLX_TRY(flx_analysis_io(e, item, &own->io));
    FLX_TRY(flx_analysis_way(e, item, out, &own->way));
    if (own->way.every > 0.0 && (own->descriptor || own->gramians)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, item->loc,
                        "`form` and `gramians` belong to one state, and not to a series along a "
                        "motion (`every`)");
    }
    if (!own->descriptor || !(own->gramians || own->until > 0.0 || own->io.nstate > 0))
        return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form->loc,
                    "`states`, `gramians` and `until` belong to the state space: the descriptor "
                    "form has the unknowns of the model");
}

static const flx_key_row keys[] = {
    FLX_KEYS_IO,
    {"states", "[number;1..]", .initial = "coordinates that constraints leave free",
     .doc = "Signals that are taken as the states. What they do not see, such as the place of a "
            "vehicle, must not act on what they see."},
    {"form", "word", .initial = "state-space", .doc = "Which form the equations have."},
    {"gramians", "bool", .initial = "false",
     .doc = "Gramians of reach and sight, where all modes decay."},
    {"until", "number", .unit = "s", .initial = "none",
     .doc = "Responses to a step and to an impulse of every input, up to this time; with `every` "
            "the end of the series."},
    {"count", "number", .initial = "201", .doc = "Times of these responses."},
    FLX_KEYS_WAY,
    {0}};

const flx_analysis_reader flx_reader_LINEAR = {
    .says = {.word = "linear",
             .dimensions = "23",
             .doc = "state-space model `z' = A z + B u`, `y = C z + D u` about a state, with its "
                    "poles and zeros, and what inputs reach and outputs see of each mode",
             .example = "up: {type: equilibrium}\n  plant: {type: linear, about: up, "
                        "inputs: [F], outputs: [hinge.angle]}",
             .keys = keys},
    .gives = true,
    .read = read,
};
