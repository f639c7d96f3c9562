// read_io.c - inputs, outputs and loop of analyses of linear models.
#include "language/analyses/io_keys.h"

#include <string.h>

// Whether the input has this name, or is one of the family of this name.
static bool is_named(const flx_item *input, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(input->full, name, n) != 0) return false;
    return input->full[n] == 0 || (input->full[n] == '(' && name[n - 1] != ')');
}

static flx_status add_named(flx_builder *b, const flx_entry *y, flx_io_keys *out)
{
    flx_nearest near;
    const char *word = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    int found = 0;
    flx_nearest_start(&near, word);
    for (int i = 0; i < b->inputs.count; i++) {
        const flx_item *input = b->inputs.items[i];
        flx_nearest_offer(&near, input->full);
        if (!*word || !is_named(input, word)) continue;
        for (int k = 0; k < out->nin; k++) {
            if (out->inputs[k] != i) continue;
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the input '%s' is listed twice",
                            input->full);
        }
        out->inputs[out->nin++] = i;
        found++;
    }
    if (found > 0) return FLX_OK;
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the model has no input '%s'%s%s%s", word,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static flx_status read_inputs(flx_builder *b, const flx_entry *y, flx_io_keys *out)
{
    out->inputs = flx_arena_take(b->m->arena, (size_t)b->inputs.count, sizeof *out->inputs);
    if (!out->inputs) return FLX_ERR_MEMORY;
    if (!y) {
        for (int i = 0; i < b->inputs.count; i++) out->inputs[out->nin++] = i;
        return FLX_OK;
    }
    for (int i = 0; y->kind == FLX_ENTRY_LIST && i < y->count; i++)
        FLX_TRY(add_named(b, y->items[i], out));
    return FLX_OK;
}

flx_status flx_analysis_io(flx_env *e, const flx_item *item, flx_io_keys *out)
{
    static const char *const loops[] = {"open", "closed", NULL};
    flx_builder *b = e->b;
    const flx_entry *outputs = flx_entry_get(item->def, "outputs");
    const flx_entry *states = flx_entry_get(item->def, "states");
    const flx_entry *loop = flx_entry_get(item->def, "loop");
    int word = 0;
    FLX_TRY(read_inputs(b, flx_entry_get(item->def, "inputs"), out));
    if (outputs) FLX_TRY(flx_signals_read(b, outputs, &out->nout, &out->outputs));
    if (states) FLX_TRY(flx_signals_read(b, states, &out->nstate, &out->states));
    if (loop) FLX_TRY(flx_build_word(b, loop, "loop", loops, &word));
    out->closed = word == 1;
    return FLX_OK;
}

static flx_status read_along(flx_env *e, const flx_entry *along, int *out)
{
    flx_builder *b = e->b;
    flx_nearest near;
    const char *word = along->kind == FLX_ENTRY_SCALAR ? along->text : "";
    flx_nearest_start(&near, word);
    for (int i = 0; i < b->analyses.count; i++) {
        flx_analysis_kind kind;
        flx_analysis_reader_of(b->analyses.items[i], &kind);
        if (kind != FLX_ANALYSIS_INVERSION && kind != FLX_ANALYSIS_OPTIMAL_CONTROL) continue;
        flx_nearest_offer(&near, b->analyses.items[i]->full);
        if (strcmp(b->analyses.items[i]->full, word) == 0) *out = i;
    }
    if (*out >= 0) return FLX_OK;
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, along->loc,
                    "`along` names an analysis of type inversion or optimal-control, and '%s' is "
                    "none%s%s%s",
                    word, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

flx_status flx_analysis_way(flx_env *e, const flx_item *item, flx_analysis *out, flx_way_keys *way)
{
    const flx_entry *every = flx_entry_get(item->def, "every");
    const flx_entry *along = flx_entry_get(item->def, "along");
    const flx_entry *about = flx_entry_get(item->def, "about");
    const flx_entry *until = flx_entry_get(item->def, "until");
    const flx_simulate *run = &e->b->m->simulate;
    *way = (flx_way_keys){.until = run->until, .along = -1};
    if (!every && !along) return FLX_OK;
    out->about = FLX_ABOUT_RUN;
    if (!every) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, along->loc,
                        "`along` a motion needs `every`, the interval in which it is met");
    }
    FLX_TRY(flx_build_positive(e, every, "the interval `every`", &way->every));
    if (about) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, about->loc,
                        "`every` is along a motion, and not about a state: leave out `about`");
    }
    if (along && until) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, until->loc,
                        "the motion of '%s' ends by itself: leave out `until`", along->text);
    }
    if (along) return read_along(e, along, &way->along);
    if (!run->given || !(run->until > 0.0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, every->loc,
                        "the model has no run along which this could be: add `simulate`");
    }
    if (until) FLX_TRY(flx_build_positive(e, until, "the end", &way->until));
    if (way->until > run->until) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, until->loc, "the run ends at %.6g s, before that",
                        run->until);
    }
    if (way->every <= way->until) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, every->loc,
                    "`every` is longer than the motion of %.6g s", way->until);
}
