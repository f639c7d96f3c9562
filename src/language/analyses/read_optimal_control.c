// read_optimal_control.c - analyses of type optimal-control: inputs of least cost from rest to rest.
#include "language/analyses/want.h"
#include "model/optimal_control_data.h"

#include <math.h>
#include <string.h>

#define STEPS 200
#define MOST_STEPS 100000
#define ITERATIONS 500
#define WIDE 50.0 // a free end time is sought between the guess over this and times this

static flx_status read_bounded(flx_env *e, const flx_entry *map, bool at_end,
                               flx_optimal_control_data *d)
{
    flx_builder *b = e->b;
    flx_env constant = *e;
    constant.mode = FLX_MODE_CONSTANT;
    for (int i = 0; map && i < map->count; i++) {
        flx_bounded_output *o = d->bounded + d->nbounded++;
        double *x = NULL;
        int n = 0;
        *o = (flx_bounded_output){.loc = map->keys[i]->loc, .at_end = at_end};
        FLX_TRY(flx_read_output(e, map->keys[i], &o->node));
        o->name = flx_arena_copy(b->m->arena, map->keys[i]->text, strlen(map->keys[i]->text));
        if (!o->name) return FLX_ERR_MEMORY;
        FLX_TRY(flx_build_numbers(&constant, map->items[i], &n, &x));
        if (n == 1 && at_end) {
            o->lower = o->upper = x[0];
            continue;
        }
        if (n != 2 || !(x[0] <= x[1])) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, map->items[i]->loc,
                            at_end ? "give a number, or a lower and an upper bound"
                                   : "give a lower and an upper bound, as in [-2, 2]");
        }
        o->lower = x[0];
        o->upper = x[1];
    }
    return FLX_OK;
}

static bool is_word(const flx_entry *y, const char *word)
{
    return y && y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, word) == 0;
}

static flx_status read_time(flx_env *e, const flx_item *item, flx_optimal_control_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *until, *guess = flx_entry_get(item->def, "about_until");
    FLX_TRY(flx_build_need(b, item, "until", &until));
    d->free_time = is_word(until, "free");
    if (!d->free_time) return flx_build_positive(e, until, "the end of the motion", &d->until);
    d->until = 1.0;
    if (guess) FLX_TRY(flx_build_positive(e, guess, "the guess of the end", &d->until));
    d->least = d->until / WIDE;
    d->most = d->until * WIDE;
    return FLX_OK;
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_entry *inputs, *cost = flx_entry_get(item->def, "minimise");
    const flx_entry *ends = flx_entry_get(item->def, "ends");
    const flx_entry *at_end = flx_entry_get(item->def, "at_end");
    const flx_entry *limits = flx_entry_get(item->def, "limits");
    flx_optimal_control_data *d = flx_arena_take(b->m->arena, 1, sizeof *d);
    flx_env moving;
    if (!d) return FLX_ERR_MEMORY;
    *d = (flx_optimal_control_data){.steps = STEPS, .iterations = ITERATIONS};
    flx_env_of(&moving, b, item, FLX_MODE_MOVING);
    size_t n = (size_t)((at_end ? at_end->count : 0) + (limits ? limits->count : 0));
    d->bounded = flx_arena_take(b->m->arena, n, sizeof *d->bounded);
    if (!d->bounded) return FLX_ERR_MEMORY;
    FLX_TRY(flx_build_need(b, item, "inputs", &inputs));
    FLX_TRY(flx_read_inputs(b, inputs, &d->nin, &d->inputs));
    FLX_TRY(read_time(e, item, d));
    d->cost_loc = cost ? cost->loc : item->loc;
    d->cost = flx_graph_const(b->g, 1.0);
    if (cost && !is_word(cost, "time")) FLX_TRY(flx_read_output(&moving, cost, &d->cost));
    if (d->cost < 0) return FLX_ERR_MEMORY;
    if (!d->free_time && flx_graph_is_const(b->g, d->cost, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, d->cost_loc,
                        "there is nothing to minimise: give `minimise` an expression of inputs and "
                        "signals, or let the time be free (`until: free`)");
    }
    if (ends && !is_word(ends, "rest")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, ends->loc,
                        "optimal control goes from rest to rest: `ends: rest`");
    }
    FLX_TRY(read_bounded(&moving, limits, false, d));
    FLX_TRY(read_bounded(&moving, at_end, true, d));
    FLX_TRY(flx_analysis_count(e, item, "steps", 4, &d->steps));
    FLX_TRY(flx_analysis_count(e, item, "iterations", 1, &d->iterations));
    if (d->steps > MOST_STEPS)
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc, "'steps' must be at most %d", MOST_STEPS);
    out->own = d;
    return FLX_OK;
}

static const flx_key_row keys[] = {
    {"inputs", "name | [name]", .needed = true,
     .doc = "Inputs that are sought; their `lower` and `upper` are limits."},
    {"minimise", "number", .initial = "time",
     .doc = "The cost: its integral over the time is the least; an expression of inputs and "
            "signals, or `time`."},
    {"at_end", "<~number | [number]>",
     .doc = "Signals at the end: a number, or a lower and an upper bound."},
    {"limits", "<~[number]>", .doc = "Signals that stay between a lower and an upper bound."},
    {"ends", "name", .initial = "rest", .doc = "The motion begins and ends at rest."},
    {"until", "number | name", .needed = true, .unit = "s",
     .doc = "The time that the motion takes; `free`: it is sought."},
    {"about_until", "number", .initial = "1", .unit = "s",
     .doc = "With `until: free`: a guess of it; it is sought between a 50th of this and 50 times "
            "this."},
    {"steps", "number", .initial = "200", .doc = "Of the time."},
    {"iterations", "number", .initial = "500", .doc = "At most."},
    {0}};

const flx_analysis_reader flx_reader_OPTIMAL_CONTROL = {
    .says = {.word = "optimal-control",
             .dimensions = "23",
             .doc = "inputs and motion of least cost, from rest at the start to rest at the end, "
                    "with limits",
             .example = "swing: {type: optimal-control, inputs: [F], minimise: F^2, "
                        "at_end: {hinge.angle: pi, rail.displacement: 1}, until: 2, steps: 200}",
             .keys = keys},
    .gives = true,
    .motion = true,
    .read = read,
};
