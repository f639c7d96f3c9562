// node.c - questions to the tree of a file.
#include "model/node.h"

#include <string.h>

const flx_yaml *flx_yaml_get(const flx_yaml *map, const char *key)
{
    if (!map || map->kind != FLX_YAML_MAP) return NULL;
    for (int i = 0; i < map->count; i++) {
        if (strcmp(map->keys[i]->text, key) == 0) return map->items[i];
    }
    return NULL;
}
