// common.h - what every file of the library uses: messages, memory, strings.
#pragma once

#include "flexion/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#define FLX_PI 3.14159265358979323846

// ---- messages -------------------------------------------------------------------------------

// Record an error and return its status, so that a failing branch is one line.
#define FLX_FAIL(ctx, status, loc, ...)                                                            \
    flx_ctx_fail((ctx), (status), (loc), __FILE__, __LINE__, __VA_ARGS__)
#ifdef __clang_analyzer__ // which sees one file at a time, is told that a failure is one
#undef FLX_FAIL
#define FLX_FAIL(ctx, status, loc, ...)                                                            \
    (flx_ctx_fail((ctx), (status), (loc), __FILE__, __LINE__, __VA_ARGS__), (status))
#endif

// Return the status of a call when it is not FLX_OK; only where nothing is owned.
#define FLX_TRY(call)                                                                              \
    do {                                                                                           \
        flx_status flx_try_status_ = (call);                                                       \
        if (flx_try_status_ != FLX_OK) return flx_try_status_;                                     \
    } while (0)

flx_status flx_ctx_fail(flx_ctx *ctx, flx_status status, flx_loc loc, const char *c_file,
                        int c_line, const char *format, ...) FLX_PRINTF(6, 7);

// A note for the user that does not stop anything.
void flx_ctx_warn(flx_ctx *ctx, flx_loc loc, const char *format, ...) FLX_PRINTF(3, 4);

// Errors beyond the first `count` are forgotten: what failed was tried in another way.
void flx_ctx_forget_errors(flx_ctx *ctx, int count);
void flx_ctx_forget_warnings(flx_ctx *ctx, int count);

// Our own mistakes; never for input.
#ifdef FLX_DEBUG
#include <assert.h>
#define FLX_ASSERT(cond) assert(cond)
#else
#define FLX_ASSERT(cond) ((void)0)
#endif

// Where something is in a description: a key of a mapping, or an item of a list, of what `up` is.
typedef struct flx_trail {
    const struct flx_trail *up; // NULL: the description itself
    const char *key;            // NULL: an item of a list
    int index;                  // of a list, from 0; -1: the key is a path by itself
} flx_trail;
// "bodies.rod.inertia", "fe.line[1]"; a key that has other signs than those of names is in double quotes.
// size: of the text, which is cut there.
void flx_trail_write(const flx_trail *trail, char *text, size_t size);

// ---- memory ---------------------------------------------------------------------------------

// n*size bytes, zeroed, 64-byte aligned; NULL (with the error recorded) when there is no memory.
// n = 0 gives a valid pointer.
void *flx_alloc(flx_ctx *ctx, size_t n, size_t size);
// The same with whatever is there: for large arrays, whose pages are taken as they are written.
void *flx_alloc_unset(flx_ctx *ctx, size_t n, size_t size);
// Keep the first n*size bytes and give the rest back; returns where they are.
void *flx_shrink(void *p, size_t n, size_t size);
void flx_free(void *p); // accepts NULL
// Bytes that are free now, by the system and its control group; -1: not known.
double flx_memory_available(const flx_ctx *ctx);
// Before large work: FLX_ERR_MEMORY with a message when fewer bytes are free; what (as by printf) is in it.
flx_status flx_memory_check(flx_ctx *ctx, double bytes, const char *what, ...) FLX_PRINTF(3, 4);
// As if no more than this were free (for tests); 0: what the system says.
void flx_ctx_limit_memory(flx_ctx *ctx, double bytes);
// Grow an array to hold at least `need` items of `size` bytes (contents kept, new part zeroed).
// *capacity is updated.
flx_status flx_grow(flx_ctx *ctx, void **array, int *capacity, int need, size_t size);

// Arena: many small things freed at once.
typedef struct flx_arena flx_arena;
flx_arena *flx_arena_create(flx_ctx *ctx); // NULL when there is no memory
void flx_arena_destroy(flx_arena **arena);
void *flx_arena_take(flx_arena *arena, size_t n, size_t size);           // zeroed, 16-byte aligned
char *flx_arena_copy(flx_arena *arena, const char *text, size_t length); // 0-terminated
char *flx_arena_printf(flx_arena *arena, const char *format, ...) FLX_PRINTF(2, 3);

// ---- strings --------------------------------------------------------------------------------

// The same text gives the same pointer; lives as long as the context. NULL when no memory.
const char *flx_intern(flx_ctx *ctx, const char *text);
uint32_t flx_text_hash(const char *text); // for open hash tables

// The candidate nearest to `word` by edit distance, or NULL when none is near enough to suggest.
// Call flx_nearest_start, then flx_nearest_offer for each candidate, then flx_nearest_best.
typedef struct flx_nearest {
    const char *word, *best;
    int distance;
} flx_nearest;
void flx_nearest_start(flx_nearest *n, const char *word);
void flx_nearest_offer(flx_nearest *n, const char *candidate);
const char *flx_nearest_best(const flx_nearest *n);

// ---- time -----------------------------------------------------------------------------------

double flx_clock_seconds(void); // monotonic wall clock
