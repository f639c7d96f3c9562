// memory_spare.c - see memory_spare.h.
#include "base/memory_spare.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

#define MOST_BLOCKS 16
#define MOST_BYTES ((size_t)4 << 20)
#define SMALL ((size_t)16 << 10) // smaller ones malloc itself keeps
#define LARGE ((size_t)1 << 20)
#define WASTE 1.25 // a block is not taken for less

typedef struct spare {
    int n;
    size_t bytes; // of all
    void *blocks[MOST_BLOCKS];
} spare;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void end(void *of)
{
    spare *s = of;
    for (int i = 0; i < s->n; i++) free(s->blocks[i]);
    free(s);
}

// The library is unloaded: threads that end later must not call it. Spares of other threads stay taken.
__attribute__((destructor)) static void leave(void)
{
    if (!has_key) return;
    spare *s = pthread_getspecific(key);
    pthread_key_delete(key);
    has_key = false;
    if (s) end(s);
}

static void begin(void)
{
    has_key = pthread_key_create(&key, end) == 0;
}

static spare *mine(bool make)
{
    if (pthread_once(&once, begin) != 0 || !has_key) return NULL;
    spare *s = pthread_getspecific(key);
    if (s || !make) return s;
    s = calloc(1, sizeof *s);
    if (s && pthread_setspecific(key, s) == 0) return s;
    free(s);
    return NULL;
}

void *flx_spare_take(size_t bytes, size_t alignment)
{
    if (bytes < SMALL || bytes > LARGE) return NULL;
    spare *s = mine(false);
    for (int i = 0; s && i < s->n; i++) {
        void *block = s->blocks[i];
        size_t size = malloc_usable_size(block);
        if (size < bytes || (double)size > WASTE * (double)bytes || (uintptr_t)block % alignment)
            continue;
        s->blocks[i] = s->blocks[--s->n];
        s->bytes -= size;
        return block;
    }
    return NULL;
}

bool flx_spare_keep(void *block)
{
    size_t size = block ? malloc_usable_size(block) : 0;
    if (size < SMALL || size > LARGE) return false;
    spare *s = mine(true);
    if (!s || s->n == MOST_BLOCKS || s->bytes + size > MOST_BYTES) return false;
    s->blocks[s->n++] = block;
    s->bytes += size;
    return true;
}

#else

void *flx_spare_take(size_t bytes, size_t alignment)
{
    (void)bytes, (void)alignment;
    return NULL;
}

bool flx_spare_keep(void *block)
{
    (void)block;
    return false;
}

#endif
