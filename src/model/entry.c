// entry.c - questions to the tree of a file.
#include "model/entry.h"

#include <string.h>

const flx_entry *flx_entry_get(const flx_entry *map, const char *key)
{
    if (!map || map->kind != FLX_ENTRY_MAP) return NULL;
    for (int i = 0; i < map->count; i++) {
        if (strcmp(map->keys[i]->text, key) == 0) return map->items[i];
    }
    return NULL;
}
