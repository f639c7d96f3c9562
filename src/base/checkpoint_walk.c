// checkpoint_walk.c - see checkpoint.h.
#include "base/checkpoint_walk.h"

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

#define PRIME UINT64_C(0x100000001b3)
#define LANES 4

// Four hashes of every fourth word side by side, which a processor computes at once; the high bits, that a product does not
// bring down, are folded in.
static uint64_t hash_words(uint64_t hash, const unsigned char *at, size_t rounds)
{
    uint64_t lane[LANES];
    for (int k = 0; k < LANES; k++) lane[k] = (hash ^ (uint64_t)k) * PRIME;
    for (size_t i = 0; i < rounds; i++, at += sizeof lane) {
        uint64_t word[LANES];
        memcpy(word, at, sizeof word);
        for (int k = 0; k < LANES; k++) {
            lane[k] = (lane[k] ^ word[k]) * PRIME;
            lane[k] ^= lane[k] >> 32;
        }
    }
    for (int k = 0; k < LANES; k++) hash = (hash ^ lane[k]) * PRIME;
    return hash;
}

uint64_t flx_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    size_t rounds = size / (LANES * sizeof hash), words = rounds * LANES * sizeof hash;
    if (rounds > 0) hash = hash_words(hash, byte, rounds);
    for (size_t i = words; i < size; i++) hash = (hash ^ byte[i]) * PRIME;
    return hash;
}
