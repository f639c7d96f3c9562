// read_inversion.c - analyses of type inversion: inputs under which outputs follow a desired motion.
#include "language/analyses/want.h"
#include "model/inversion_data.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"bounded", "causal",      "least-energy",
                                    "rigid",   "quasistatic", NULL};

// ---- outputs -------------------------------------------------------------------------------------------

static flx_status read_want(flx_env *e, const flx_entry *want, flx_inversion_data *d)
{
    flx_builder *b = e->b;
    size_t n = (size_t)want->count;
    flx_node *miss = flx_arena_take(b->m->arena, n, sizeof *miss);
    const char **names = flx_arena_take(b->m->arena, n, sizeof *names);
    flx_loc *locs = flx_arena_take(b->m->arena, n, sizeof *locs);
    if (!miss || !names || !locs) return FLX_ERR_MEMORY;
    for (int i = 0; i < want->count; i++) {
        flx_node output, wanted;
        FLX_TRY(flx_read_output(e, want->keys[i], &output));
        FLX_TRY(flx_read_wanted(e, want->items[i], &wanted));
        miss[i] = node_sub(b->g, output, wanted);
        if (miss[i] < 0) return FLX_ERR_MEMORY;
        names[i] = flx_arena_copy(b->m->arena, want->keys[i]->text, strlen(want->keys[i]->text));
        if (!names[i]) return FLX_ERR_MEMORY;
        locs[i] = want->keys[i]->loc;
    }
    d->nwant = want->count;
    d->miss = miss;
    d->names = names;
    d->locs = locs;
    return FLX_OK;
}

// ---- numbers -------------------------------------------------------------------------------------------

static bool is_auto(const flx_entry *y)
{
    return y && y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "auto") == 0;
}

static flx_status read_times(flx_env *e, const flx_item *item, flx_inversion_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *from = flx_entry_get(item->def, "from");
    const flx_entry *until = flx_entry_get(item->def, "until");
    const flx_entry *step = flx_entry_get(item->def, "step");
    const flx_entry *margin = flx_entry_get(item->def, "margin");
    if (from) FLX_TRY(flx_build_number(e, from, &d->from));
    if (until) FLX_TRY(flx_build_number(e, until, &d->until));
    if (!(d->until > d->from)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, until ? until->loc : item->loc,
                        "the desired motion ends at %g, where it begins or before", d->until);
    }
    if (step && !is_auto(step)) FLX_TRY(flx_build_positive(e, step, "the step", &d->step));
    if (d->step > d->until - d->from) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, step->loc,
                        "the step is longer than the desired motion, %g", d->until - d->from);
    }
    d->margin = -1.0;
    if (margin && !is_auto(margin)) {
        FLX_TRY(flx_build_number(e, margin, &d->margin));
        if (!(d->margin >= 0.0))
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, margin->loc, "the margin must not be negative");
    }
    return FLX_OK;
}

static flx_status read_weights(flx_env *e, const flx_item *item, flx_inversion_data *d)
{
    const flx_entry *y = flx_entry_get(item->def, "weights");
    double *found = NULL;
    int n = 0;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, y, &n, &found));
    double *weights = flx_arena_take(e->b->m->arena, (size_t)n, sizeof *weights);
    if (!weights) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        if (n != d->nin || !(found[i] > 0.0))
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "give a positive weight for each of the %d inputs", d->nin);
        weights[i] = found[i];
    }
    d->weights = weights;
    return FLX_OK;
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_entry *kind = flx_entry_get(item->def, "kind");
    const flx_entry *order = flx_entry_get(item->def, "order");
    const flx_entry *check = flx_entry_get(item->def, "check"), *inputs, *want;
    flx_inversion_data *d = flx_arena_take(b->m->arena, 1, sizeof *d);
    flx_env moving;
    int word = 0;
    if (!d) return FLX_ERR_MEMORY;
    *d = (flx_inversion_data){0};
    flx_env_of(&moving, b, item, FLX_MODE_MOVING);
    if (kind) FLX_TRY(flx_build_word(b, kind, "kind", kinds, &word));
    d->kind = (flx_inversion_kind)word;
    FLX_TRY(flx_build_need(b, item, "inputs", &inputs));
    FLX_TRY(flx_build_need(b, item, "want", &want));
    FLX_TRY(flx_read_inputs(b, inputs, &d->nin, &d->inputs));
    if (want->count == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, want->loc,
                        "nothing is wanted: give an output and what it is to be, as in "
                        "want: {hinge.angle: poly7(t)}");
    }
    FLX_TRY(read_want(&moving, want, d));
    FLX_TRY(read_times(e, item, d));
    FLX_TRY(read_weights(e, item, d));
    if (check) FLX_TRY(flx_build_flag(b, check, "check", &d->check));
    if (order) FLX_TRY(flx_build_integer(e, order, &d->order));
    if (order && d->order != 2 && d->order != 4)
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, order->loc, "the order is 2 or 4");
    out->own = d;
    return FLX_OK;
}

static const flx_key_row keys[] = {
    {"inputs", "name | [name]", .needed = true,
     .doc = "Inputs that are sought. More of them than outputs: those of least size, with "
            "`weights`."},
    {"want", "<~number>", .needed = true,
     .doc = "Outputs and what they are to be: functions of the time, held before `from` and after "
            "`until`."},
    {"from", "number", .initial = "0", .unit = "s", .doc = "Where the desired motion begins."},
    {"until", "number", .needed = true, .unit = "s", .doc = "Where it ends."},
    {"step", "number | name", .initial = "auto", .unit = "s",
     .doc = "Between nodes of time; auto: a 300th of the motion, and short enough for the zeros."},
    {"kind", "name", .initial = "bounded",
     .doc = "bounded: at rest long before and after, whatever the zeros are; causal: nothing moves "
            "before the motion begins, by forward integration; least-energy: both ends open, with "
            "the least strain energy; rigid: flexible bodies do not deform; quasistatic: they "
            "deform under the inertia of the rigid motion."},
    {"margin", "number | name", .initial = "auto", .unit = "s",
     .doc = "Time before and after the desired motion in which inputs act; auto: 17 over the "
            "slowest zero."},
    {"order", "number", .initial = "4",
     .doc = "Of the differences over time: 2 or 4. Where it is not given, `kind: causal` takes 2 "
            "if zeros that decay would grow with 4 in these steps."},
    {"weights", "[number]", .initial = "1",
     .doc = "Of the squares of the inputs, where there are more than outputs."},
    {"check", "bool", .initial = "false",
     .doc = "Runs the model forward with the inputs found, and says by how much the outputs miss."},
    {0}};

const flx_analysis_reader flx_reader_INVERSION = {
    .says = {.word = "inversion",
             .dimensions = "23",
             .doc = "inputs under which outputs follow a desired motion, also of underactuated and "
                    "flexible systems, whose zeros are unstable",
             .example = "ff: {type: inversion, inputs: [F], want: {cart.position.x: "
                        "\"t^4*(35 - 84*t + 70*t^2 - 20*t^3)\"}, until: 1, step: 0.005}",
             .keys = keys},
    .gives = true,
    .motion = true,
    .read = read,
};
