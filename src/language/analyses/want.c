// want.c - inputs that an analysis seeks, and outputs that it asks for.
#include "language/analyses/want.h"

#include <string.h>

// ---- inputs --------------------------------------------------------------------------------------------

static flx_status fail_input(flx_builder *b, const flx_entry *y)
{
    flx_nearest near;
    flx_nearest_start(&near, y->text);
    for (int k = 0; k < b->inputs.count; k++) flx_nearest_offer(&near, b->inputs.items[k]->full);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the model has no input '%s'%s%s%s", y->text,
                    best              ? "; did you mean '"
                    : b->inputs.count ? ""
                                      : ": add it to `inputs`",
                    best ? best : "", best ? "'?" : "");
}

flx_status flx_read_inputs(flx_builder *b, const flx_entry *list, int *n, const int **out)
{
    int count = list->kind == FLX_ENTRY_LIST ? list->count : 1, found = 0;
    int *numbers = flx_arena_take(b->m->arena, (size_t)b->inputs.count + 1, sizeof *numbers);
    if (!numbers) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        const flx_entry *y = list->kind == FLX_ENTRY_LIST ? list->items[i] : list;
        size_t length = y->text ? strlen(y->text) : 0;
        bool any = false;
        for (int k = 0; length > 0 && k < b->inputs.count; k++) {
            const flx_item *item = b->inputs.items[k];
            bool same = strcmp(item->full, y->text) == 0;
            // a repeated one without its number means all
            bool repeated = strncmp(item->full, y->text, length) == 0 && item->full[length] == '(';
            if (!same && !repeated) continue;
            any = true;
            for (int j = 0; j < found; j++) {
                if (numbers[j] == item->number)
                    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "input '%s' is given twice",
                                    item->full);
            }
            numbers[found++] = item->number;
        }
        if (!any) return fail_input(b, y);
    }
    *n = found;
    *out = numbers;
    return FLX_OK;
}

// ---- outputs -------------------------------------------------------------------------------------------

flx_status flx_read_output(flx_env *e, const flx_entry *y, flx_node *out)
{
    const char *name = NULL;
    FLX_TRY(flx_build_node(e, y, out));
    if (!flx_graph_depends(e->b->g, *out, flx_leaf_is_output_only, &name)) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "'%s' contains %s: what is wanted here must follow from positions, velocities "
                    "and inputs",
                    y->text ? y->text : "it", name ? name : "what is known after a step");
}

flx_status flx_read_wanted(const flx_env *e, const flx_entry *y, flx_node *out)
{
    flx_env timed;
    flx_env_init(&timed, e->b, e->space, e->locals, FLX_MODE_TIME);
    return flx_build_node(&timed, y, out);
}
