// checkpoint_walk.c - see checkpoint.h.
#include "base/checkpoint_walk.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

flx_memory flx_memory_begin(flx_memory_task task, void *at, size_t room)
{
    return (flx_memory){
        .task = task, .at = at, .left = task == FLX_MEMORY_COUNT ? 0 : room, .now = (double)NAN};
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

const char *flx_memory_name(flx_memory *m, const char *name, char *text, size_t room)
{
    size_t length = name ? strlen(name) + 1 : 0; // 0: none
    if (length > room) length = room;
    FLX_PASS(m, length);
    if (m->status != FLX_OK) return NULL;
    if (!flx_memory_loads(m)) {
        flx_memory_pass(m, (void *)(uintptr_t)name, length); // read alone
        return name;
    }
    if (length > room) {
        flx_memory_fail(m, FLX_ERR_ARGUMENT);
        return NULL;
    }
    flx_memory_pass(m, text, length);
    if (m->status != FLX_OK || length == 0) return NULL;
    text[length - 1] = '\0';
    return text;
}

#define PRIME UINT64_C(0x100000001b3)
#define LANES 4

// Both halves of a product, one folded onto the other.
static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Pairs of words in lanes side by side, which a processor computes at once: each product takes over its lane.
static uint64_t hash_words(uint64_t hash, const unsigned char *at, size_t rounds)
{
    static const uint64_t odd[LANES] = {UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
                                        UINT64_C(0x8ebc6af09c88c6e3), UINT64_C(0x589965cc75374cc3)};
    uint64_t lane[LANES];
    for (int k = 0; k < LANES; k++) lane[k] = (hash ^ (uint64_t)k) * PRIME;
    for (size_t i = 0; i < rounds; i++, at += 2 * sizeof lane) {
        uint64_t word[2 * LANES];
        memcpy(word, at, sizeof word);
        for (int k = 0; k < LANES; k++)
            lane[k] = fold(word[2 * k] ^ odd[k], word[2 * k + 1] ^ lane[k]);
    }
    for (int k = 0; k < LANES; k++) hash = (hash ^ lane[k]) * PRIME;
    return hash ^ hash >> 32;
}

uint64_t flx_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    size_t round = 2 * LANES * sizeof hash, rounds = size / round, words = rounds * round;
    if (rounds > 0) hash = hash_words(hash, byte, rounds);
    for (size_t i = words; i < size; i++) hash = (hash ^ byte[i]) * PRIME;
    return hash;
}
