// names.c - tables of names, lists of items, and the resolution of items one by the other.
#include "language/builder.h"

#include <string.h>

#define NESTED_LIMIT 150 // items resolved inside one another

// ---- tables -----------------------------------------------------------------------------------

static int slot_of(const flx_names *n, const char *name)
{
    uint32_t mask = (uint32_t)n->capacity - 1, i = flx_text_hash(name) & mask;
    while (n->slots[i].name && strcmp(n->slots[i].name, name) != 0) i = (i + 1) & mask;
    return (int)i;
}

flx_item *flx_names_find(const flx_names *n, const char *name)
{
    return n->capacity > 0 ? n->slots[slot_of(n, name)].item : NULL;
}

flx_status flx_names_add(flx_builder *b, flx_names *n, const char *name, flx_item *item)
{
    if (2 * (n->count + 1) > n->capacity) {
        flx_names old = *n;
        n->capacity = old.capacity > 0 ? 2 * old.capacity : 4;
        n->slots = flx_take(b, (size_t)n->capacity, sizeof *n->slots);
        if (!n->slots) {
            *n = old;
            return FLX_ERR_MEMORY;
        }
        for (int i = 0; i < old.capacity; i++) {
            if (old.slots[i].name) n->slots[slot_of(n, old.slots[i].name)] = old.slots[i];
        }
    }
    struct flx_name_slot *slot = &n->slots[slot_of(n, name)];
    if (!slot->name) n->count++;
    *slot = (struct flx_name_slot){name, item};
    return FLX_OK;
}

void flx_names_offer(const flx_names *n, flx_nearest *near)
{
    for (int i = 0; i < n->capacity; i++) {
        if (n->slots[i].name) flx_nearest_offer(near, n->slots[i].name);
    }
}

flx_status flx_items_add(flx_builder *b, flx_items *list, flx_item *item)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        flx_item **items = flx_take(b, (size_t)capacity, sizeof(flx_item *));
        if (!items) return FLX_ERR_MEMORY;
        if (list->count > 0) memcpy(items, list->items, (size_t)list->count * sizeof(flx_item *));
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return FLX_OK;
}

const char *flx_item_word(flx_kind kind)
{
    switch (kind) {
    case FLX_KIND_GROUND:
        return "ground";
    case FLX_KIND_PARAMETER:
        return "parameter";
    case FLX_KIND_FUNCTION:
        return "function";
    case FLX_KIND_SIGNAL:
        return "signal";
    case FLX_KIND_INPUT:
        return "input";
    case FLX_KIND_PATH:
        return "path";
    case FLX_KIND_CONTROL:
        return "controller";
    case FLX_KIND_PARTICLES:
        return "set of particles";
    case FLX_KIND_FMU:
        return "FMU";
    case FLX_KIND_BODY:
        return "body";
    case FLX_KIND_POINT:
        return "point";
    case FLX_KIND_JOINT:
        return "joint";
    case FLX_KIND_FORCE:
        return "force";
    case FLX_KIND_VARIABLE:
    case FLX_KIND_FIRST:
        return "variable";
    case FLX_KIND_DISCRETE:
        return "discrete variable";
    case FLX_KIND_CONSTRAINT:
        return "constraint";
    case FLX_KIND_COUPLING:
        return "coupling";
    case FLX_KIND_EVENT:
        return "event";
    case FLX_KIND_ANALYSIS:
        return "analysis";
    case FLX_KIND_PART:
        return "part";
    }
    return "item";
}

// ---- resolution -------------------------------------------------------------------------------

static flx_status fail_cycle(flx_builder *b, const flx_item *item, const char *cyclic, flx_loc loc)
{
    int first = b->busy.count - 1;
    while (first > 0 && b->busy.items[first] != item) first--;
    const char *chain = item->full;
    const flx_item *last = item;
    for (int i = first + 1; i < b->busy.count && chain; i++) {
        const flx_item *next = b->busy.items[i];
        if (next == last) continue; // two stages of one item
        chain = flx_arena_printf(b->scratch, "%s -> %s", chain, next->full);
        last = next;
    }
    if (!chain) return FLX_ERR_MEMORY;
    if (item->unrolled) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "an algebraic loop: %s -> %s; a lag, or `sample`, in one of them opens it",
                        chain, item->full);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "cyclic %s: %s -> %s", cyclic, chain, item->full);
}

flx_status flx_item_enter(flx_builder *b, flx_item *item, flx_item_state *state, const char *cyclic,
                          flx_loc loc, bool *skip)
{
    *skip = *state == FLX_ITEM_DONE;
    if (*skip) return FLX_OK;
    if (*state == FLX_ITEM_FAILED) return FLX_ERR_MODEL;
    if (*state == FLX_ITEM_BUSY) return fail_cycle(b, item, cyclic, loc);
    if (b->busy.count >= NESTED_LIMIT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' rests on more than %d others, one on the next; begin the chain at "
                        "the item that rests on none",
                        item->full, NESTED_LIMIT);
    }
    FLX_TRY(flx_items_add(b, &b->busy, item));
    *state = FLX_ITEM_BUSY;
    return FLX_OK;
}

flx_status flx_item_leave(flx_builder *b, flx_item_state *state, flx_status status)
{
    b->busy.count--;
    *state = status == FLX_OK ? FLX_ITEM_DONE : FLX_ITEM_FAILED;
    if (status != FLX_OK) b->failed = true;
    return status;
}
