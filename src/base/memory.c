// memory.c - counted allocation and arenas.
//
// Large blocks ask for huge pages: with pages of 4 kB the matrices of ten thousand bodies cost more
// in address look-ups than in arithmetic.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): for madvise
#include "base/arrays.h"
#include "base/context.h"
#include "base/fmu_runner.h"
#include "base/memory_spare.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// memcheck does not know that dropped pages are zeros.
#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define FLX_MEMORY_IS_DEFINED(p, n) (void)VALGRIND_MAKE_MEM_DEFINED(p, n)
#endif
#endif
#ifndef FLX_MEMORY_IS_DEFINED
#define FLX_MEMORY_IS_DEFINED(p, n) ((void)(p), (void)(n))
#endif

#define ALIGNMENT ((size_t)64)
#define ARENA_ALIGNMENT 16

// AddressSanitizer sees who runs behind an array: into the rest that alignment leaves, or into the next one of its block.
#if defined(__SANITIZE_ADDRESS__)
#define FLX_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FLX_ASAN
#endif
#endif
#ifdef FLX_ASAN
#include <sanitizer/asan_interface.h>
#define ARENA_GAP ARENA_ALIGNMENT
#define SPARES 0 // every block is one of its own
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ARENA_GAP 0
#ifdef RUNNING_ON_VALGRIND
#define SPARES (!RUNNING_ON_VALGRIND)
#else
#define SPARES 1
#endif
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE                                                                                      \
    ((size_t)256 << 10) // many pages: below, writing zeros is cheaper than asking for them
#define ARENA_CHUNK ((size_t)64 * 1024)

bool flx_ctx_may_allocate(flx_ctx *ctx)
{
    return ctx->allocations++ != ctx->fail_at;
}

const struct flx_fmu_host **flx_ctx_fmus(flx_ctx *ctx)
{
    return &ctx->fmus;
}

long flx_ctx_allocation_count(const flx_ctx *ctx)
{
    if (!ctx) return 0;
    return ctx->allocations;
}

void flx_ctx_fail_allocation(flx_ctx *ctx, long fail_at)
{
    if (!ctx) return;
    ctx->fail_at = fail_at < 0 ? -1 : ctx->allocations + fail_at;
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

// The size that is got is a multiple of the alignment, and never nothing. huge: the size from which huge pages are wanted; there
// is a small page more behind these, which `clear` may look at without touching them.
static void *allocate(flx_ctx *ctx, size_t n, size_t size, size_t huge, size_t *bytes)
{
    void *p = NULL;
    if (size && n > (SIZE_MAX - 2 * HUGE_PAGE) / size) goto no_memory;
    size_t unit = n * size >= huge ? HUGE_PAGE : ALIGNMENT;
    *bytes = (n * size + unit - 1) / unit * unit;
    if (*bytes == 0) *bytes = unit;
    if (unit == HUGE_PAGE) *bytes += page_size();
    if (!flx_ctx_may_allocate(ctx)) goto no_memory;
    p = SPARES ? flx_spare_take(*bytes, unit) : NULL;
    if (p) return p;
    if (posix_memalign(&p, unit, *bytes) != 0) goto no_memory;
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE)
        (void)madvise(p, *bytes - page_size(), MADV_HUGEPAGE); // a wish, not a need
#endif
    return p;

no_memory:
    FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory (%zu items of %zu bytes)", n, size);
    return NULL;
}

// Large blocks get their zeros from the system, page by page where they are used: a run that is made takes no time for
// matrices that it may not need. Private anonymous memory that is not needed any more reads as zeros on Linux (madvise(2)).
// Allocators of other libraries may have other memory, so that the last page is looked at: false: it is not so.
static bool drop_pages(unsigned char *from, size_t bytes, size_t page)
{
#if defined(__linux__) && defined(MADV_DONTNEED)
    volatile unsigned char *last = from + bytes - page;
    *last = 1;
    if (madvise(from, bytes, MADV_DONTNEED) != 0) return false;
    FLX_MEMORY_IS_DEFINED(from, bytes);
    return *last == 0;
#else
    (void)from, (void)bytes, (void)page;
    return false;
#endif
}

static void clear(unsigned char *p, size_t bytes)
{
    const size_t page = bytes < LARGE ? 1 : page_size();
    size_t before = (page - (uintptr_t)p % page) % page, after = (uintptr_t)(p + bytes) % page;
    if (bytes < LARGE || !drop_pages(p + before, bytes - before - after, page)) {
        memset(p, 0, bytes);
        return;
    }
    memset(p, 0, before);
    memset(p + bytes - after, 0, after);
}

void *flx_alloc(flx_ctx *ctx, size_t n, size_t size)
{
    size_t bytes;
    unsigned char *p = allocate(ctx, n, size, HUGE_PAGE, &bytes);
    if (!p) return NULL;
    clear(p, bytes);
    ASAN_POISON_MEMORY_REGION(p + n * size, bytes - n * size);
    return p;
}

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// A gap behind each array, as an allocation of its own would have. No huge pages: most of these arrays are used now and then,
// and some never.
void *flx_alloc_arrays(flx_ctx *ctx, const flx_array *arrays, size_t n)
{
    size_t sum = 0, bytes;
    for (size_t i = 0; i < n; i++) {
        size_t most = SIZE_MAX / 2 - ALIGNMENT;
        bool fits =
            arrays[i].n <= most / arrays[i].size && sum <= most - arrays[i].n * arrays[i].size;
        sum = fits ? sum + round_up(arrays[i].n * arrays[i].size) + ALIGNMENT : SIZE_MAX;
        if (!fits) break;
    }
    unsigned char *block = allocate(ctx, sum, 1, SIZE_MAX, &bytes), *next = block;
    if (!block) return NULL;
    clear(block, bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(arrays[i].at, &next, sizeof next); // pointers to numbers of any kind look alike
        size_t size = arrays[i].n * arrays[i].size, whole = round_up(size) + ALIGNMENT;
        ASAN_POISON_MEMORY_REGION(next + size, whole - size);
        next += whole;
    }
    return block;
}

void *flx_alloc_unset(flx_ctx *ctx, size_t n, size_t size)
{
    size_t bytes;
    unsigned char *p = allocate(ctx, n, size, HUGE_PAGE, &bytes);
    if (p) ASAN_POISON_MEMORY_REGION(p + n * size, bytes - n * size);
    return p;
}

void *flx_shrink(void *p, size_t n, size_t size)
{
    void *less = realloc(p, n * size > 0 ? n * size : 1);
    return less ? less : p;
}

void flx_free(void *p)
{
    if (!SPARES || !flx_spare_keep(p)) free(p);
}

flx_status flx_grow(flx_ctx *ctx, void **array, int *capacity, int need, size_t size)
{
    if (need <= *capacity) return FLX_OK;
    int grown = *capacity < 8 ? 8 : *capacity;
    while (grown < need) grown = grown > (1 << 29) ? need : 2 * grown;
    void *p = flx_alloc(ctx, (size_t)grown, size);
    if (!p) return FLX_ERR_MEMORY;
    if (*array) memcpy(p, *array, (size_t)*capacity * size);
    flx_free(*array);
    *array = p;
    *capacity = grown;
    return FLX_OK;
}

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(ARENA_ALIGNMENT) unsigned char bytes[];
} chunk;

struct flx_arena {
    flx_ctx *ctx;  // borrowed
    chunk *chunks; // owned; the first has room
};

flx_arena *flx_arena_create(flx_ctx *ctx)
{
    flx_arena *a = flx_alloc(ctx, 1, sizeof *a);
    if (a) a->ctx = ctx;
    return a;
}

void flx_arena_destroy(flx_arena **arena)
{
    if (!*arena) return;
    for (chunk *c = (*arena)->chunks, *next; c; c = next) {
        next = c->next;
        flx_free(c);
    }
    flx_free(*arena);
    *arena = NULL;
}

static chunk *add_chunk(flx_arena *a, size_t bytes)
{
    size_t size = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
    chunk *c = flx_alloc(a->ctx, 1, sizeof *c + size);
    if (!c) return NULL;
    c->size = size;
    ASAN_POISON_MEMORY_REGION(c->bytes, size);
    // a chunk made for one large thing is full: keep filling the one before
    if (bytes > ARENA_CHUNK && a->chunks) {
        c->next = a->chunks->next;
        a->chunks->next = c;
    } else {
        c->next = a->chunks;
        a->chunks = c;
    }
    return c;
}

void *flx_arena_take(flx_arena *a, size_t n, size_t size)
{
    if (size && n > (SIZE_MAX / 2) / size) {
        FLX_FAIL(a->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
        return NULL;
    }
    size_t bytes = (n * size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT + ARENA_GAP;
    chunk *c = a->chunks;
    if (!c || c->used + bytes > c->size) c = add_chunk(a, bytes);
    if (!c) return NULL;
    void *p = c->bytes + c->used;
    c->used += bytes;
    ASAN_UNPOISON_MEMORY_REGION(p, n * size);
    return p;
}

char *flx_arena_copy(flx_arena *a, const char *text, size_t length)
{
    char *p = flx_arena_take(a, length + 1, 1);
    if (!p) return NULL;
    memcpy(p, text, length);
    p[length] = 0;
    return p;
}

char *flx_arena_printf(flx_arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = flx_vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *p = length < 0 ? NULL : flx_arena_take(a, (size_t)length + 1, 1);
    if (p) flx_vsnprintf(p, (size_t)length + 1, format, again);
    va_end(again);
    return p;
}
