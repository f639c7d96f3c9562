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
