// entry.c - the tree of a description: questions and constructors.
#include "model/entry.h"

#include <string.h>

#define SMALL 8 // pairs that are compared one by one

// ---- keys -----------------------------------------------------------------------------------------

static size_t slot_count(int capacity)
{
    size_t n = 4 * SMALL;
    while (n < 2 * (size_t)capacity) n *= 2;
    return n;
}

// The slot of a key: that of its pair, or the free one where it belongs.
static int *find_slot(const flx_entry *map, const char *key)
{
    size_t mask = slot_count(map->capacity) - 1, i = flx_text_hash(key) & mask;
    while (map->slots[i] && strcmp(map->keys[map->slots[i] - 1]->text, key) != 0) {
        i = (i + 1) & mask;
    }
    return map->slots + i;
}

static void fill_slots(flx_entry *map)
{
    memset(map->slots, 0, slot_count(map->capacity) * sizeof *map->slots);
    for (int i = 0; i < map->count; i++) *find_slot(map, map->keys[i]->text) = i + 1;
}

int flx_entry_find(const flx_entry *map, const char *key)
{
    if (!map || map->kind != FLX_ENTRY_MAP) return -1;
    if (map->slots) return *find_slot(map, key) - 1;
    for (int i = 0; i < map->count; i++) {
        if (strcmp(map->keys[i]->text, key) == 0) return i;
    }
    return -1;
}

const flx_entry *flx_entry_get(const flx_entry *map, const char *key)
{
    int i = flx_entry_find(map, key);
    return i >= 0 ? map->items[i] : NULL;
}

// ---- making one -----------------------------------------------------------------------------------

static flx_entry *take(flx_arena *arena, flx_entry_kind kind, flx_loc loc, const char *text)
{
    flx_entry *e = flx_arena_take(arena, 1, sizeof *e);
    if (!e) return NULL;
    e->kind = kind;
    e->loc = loc;
    e->loc.trail = &e->trail;
    e->text = e->written = text;
    return e;
}

flx_entry *flx_entry_scalar(flx_arena *arena, flx_loc loc, const char *text)
{
    return take(arena, FLX_ENTRY_SCALAR, loc, text);
}

flx_entry *flx_entry_list(flx_arena *arena, flx_loc loc)
{
    return take(arena, FLX_ENTRY_LIST, loc, "");
}

flx_entry *flx_entry_map(flx_arena *arena, flx_loc loc)
{
    return take(arena, FLX_ENTRY_MAP, loc, "");
}

static flx_status grow(flx_arena *arena, flx_entry *of)
{
    if (of->count < of->capacity) return FLX_OK;
    int capacity = of->capacity ? 2 * of->capacity : 4;
    bool map = of->kind == FLX_ENTRY_MAP;
    flx_entry **items = flx_arena_take(arena, (size_t)capacity, sizeof(flx_entry *));
    flx_entry **keys = map ? flx_arena_take(arena, (size_t)capacity, sizeof(flx_entry *)) : NULL;
    int *slots =
        map && capacity > SMALL ? flx_arena_take(arena, slot_count(capacity), sizeof *slots) : NULL;
    if (!items || (map && (!keys || (capacity > SMALL && !slots)))) return FLX_ERR_MEMORY;
    for (int i = 0; i < of->count; i++) {
        items[i] = of->items[i];
        if (map) keys[i] = of->keys[i];
    }
    of->items = items;
    of->keys = keys;
    of->slots = slots;
    of->capacity = capacity;
    if (slots) fill_slots(of);
    return FLX_OK;
}

flx_status flx_entry_append(flx_arena *arena, flx_entry *list, flx_entry *item)
{
    FLX_TRY(grow(arena, list));
    item->trail = (flx_trail){&list->trail, NULL, list->count};
    list->items[list->count++] = item;
    return FLX_OK;
}

flx_status flx_entry_add(flx_arena *arena, flx_entry *map, flx_entry *key, flx_entry *value)
{
    FLX_TRY(grow(arena, map));
    value->trail = (flx_trail){&map->trail, key->text, 0};
    key->loc.trail = &value->trail;
    if (map->slots) *find_slot(map, key->text) = map->count + 1;
    map->keys[map->count] = key;
    map->items[map->count++] = value;
    return FLX_OK;
}

void flx_entry_replace(flx_entry *of, int i, flx_entry *value)
{
    value->trail = of->items[i]->trail;
    of->items[i] = value;
    if (of->keys) of->keys[i]->loc.trail = &value->trail;
}

void flx_entry_rename(flx_entry *map, int i, const char *key)
{
    map->keys[i]->text = map->keys[i]->written = key;
    map->items[i]->trail.key = key;
    if (map->slots) fill_slots(map);
}

void flx_entry_remove(flx_entry *of, int i)
{
    of->count--;
    for (int k = i; k < of->count; k++) {
        of->items[k] = of->items[k + 1];
        if (of->keys) of->keys[k] = of->keys[k + 1];
        if (!of->keys) of->items[k]->trail.index = k;
    }
    if (of->slots) fill_slots(of);
}

static flx_entry *copy_one(flx_arena *arena, const flx_entry *from)
{
    const char *text = flx_arena_copy(arena, from->text, strlen(from->text));
    flx_entry *e = text ? take(arena, from->kind, from->loc, text) : NULL;
    if (!e) return NULL;
    if (from->written && from->written != from->text) {
        e->written = flx_arena_copy(arena, from->written, strlen(from->written));
    }
    e->quoted = from->quoted;
    e->flow = from->flow;
    return e->written ? e : NULL;
}

flx_entry *flx_entry_copy(flx_arena *arena, const flx_entry *from)
{
    flx_entry *e = copy_one(arena, from);
    for (int i = 0; e && i < from->count; i++) {
        flx_entry *item = flx_entry_copy(arena, from->items[i]);
        flx_entry *key = item && from->keys ? copy_one(arena, from->keys[i]) : NULL;
        if (!item || (from->keys && !key)) return NULL;
        flx_status status =
            key ? flx_entry_add(arena, e, key, item) : flx_entry_append(arena, e, item);
        if (status != FLX_OK) return NULL;
    }
    return e;
}

long flx_entry_size(const flx_entry *e)
{
    long n = 1;
    for (int i = 0; i < e->count; i++) n += flx_entry_size(e->items[i]);
    return n;
}
