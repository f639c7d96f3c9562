// checkpoint.c - see checkpoint.h.
#include "base/checkpoint.h"

#include <string.h>

flx_memory flx_memory_begin(flx_memory_task task, void *at, size_t room)
{
    return (flx_memory){.task = task, .at = at, .left = task == FLX_MEMORY_COUNT ? 0 : room};
}

void flx_memory_pass(flx_memory *m, void *data, size_t size)
{
    m->size += size;
    if (m->task == FLX_MEMORY_COUNT || m->status != FLX_OK || size == 0) return;
    if (size > m->left) {
        m->status = FLX_ERR_ARGUMENT;
        return;
    }
    if (m->task == FLX_MEMORY_SAVE) {
        memcpy(m->at, data, size);
    } else {
        memcpy(data, m->at, size);
    }
    m->at += size;
    m->left -= size;
}

uint64_t flx_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}
