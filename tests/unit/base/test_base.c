// Messages, memory and nearest words.
#include "base/arrays.h"
#include "base/memory_spare.h"

#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int every_status_has_a_text(void)
{
#define X(name, value, text) CHECK_TEXT(flx_status_text(name), text);
    FLX_STATUS_LIST(X)
#undef X
    return 0;
}

static int messages_are_kept_up_to_the_limit_and_counted(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_loc loc = {"a.yaml", 3, 7, NULL};
    for (int i = 0; i < 25; i++) {
        CHECK(FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "error %d", i) == FLX_ERR_MODEL);
    }
    CHECK(flx_ctx_error_count(ctx) == 25);
    CHECK_TEXT(flx_ctx_error(ctx, 19)->text, "error 19");
    CHECK(flx_ctx_error(ctx, 20) == NULL);
    CHECK(flx_ctx_error(ctx, 4)->loc.line == 3 && flx_ctx_error(ctx, 4)->loc.column == 7);
    flx_ctx_warn(ctx, FLX_NOWHERE, "beware of %s", "dogs");
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "beware of dogs");
    flx_ctx_clear_messages(ctx);
    CHECK(flx_ctx_error_count(ctx) == 0 && flx_ctx_warning_count(ctx) == 0);
    flx_ctx_destroy(&ctx);
    CHECK(ctx == NULL);
    return 0;
}

static int messages_name_the_item_by_its_path(void)
{
    const flx_trail top = {NULL, NULL, 0}, events = {&top, "events", 0}, hit = {&events, "hit", 0},
                    set = {&hit, "set", 0}, odd = {&set, "ball.velocity", 0},
                    second = {&odd, NULL, 1};
    const flx_loc loc = {NULL, 0, 0, &second};
    flx_ctx *ctx = flx_ctx_create();
    FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "wrong");
    FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE, "wrong");
    flx_ctx_warn(ctx, loc, "odd");
    flx_ctx_warn(ctx, ((flx_loc){NULL, 0, 0, &hit}), "odd"); // another item: told as well
    flx_ctx_warn(ctx, loc, "odd");
    CHECK_TEXT(flx_ctx_error(ctx, 0)->path, "events.hit.set.\"ball.velocity\"[1]");
    CHECK(!flx_ctx_error(ctx, 0)->loc.trail);
    CHECK(flx_ctx_error(ctx, 1)->path[0] == 0);
    CHECK(flx_ctx_warning_count(ctx) == 2);
    CHECK_TEXT(flx_ctx_warning(ctx, 1)->path, "events.hit");
    char narrow[12];
    flx_trail_write(&second, narrow, sizeof narrow);
    CHECK_TEXT(narrow, "events.hit.");
    flx_ctx_destroy(&ctx);
    return 0;
}

static int equal_texts_are_one_pointer(void)
{
    flx_ctx *ctx = flx_ctx_create();
    char name[32];
    const char *first = flx_intern(ctx, "crank");
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "body%d", i);
        CHECK(flx_intern(ctx, name) == flx_intern(ctx, name));
    }
    snprintf(name, sizeof name, "crank");
    CHECK(flx_intern(ctx, name) == first);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int allocations_are_aligned_zeroed_and_counted(void)
{
    flx_ctx *ctx = flx_ctx_create();
    long before = flx_ctx_allocation_count(ctx);
    double *p = flx_alloc(ctx, 17, sizeof *p);
    CHECK(p && (uintptr_t)p % 64 == 0);
    for (int i = 0; i < 17; i++) CHECK(p[i] == 0.0);
    CHECK(flx_ctx_allocation_count(ctx) == before + 1);
    flx_free(p);
    flx_ctx_fail_allocation(ctx, 0);
    CHECK(flx_alloc(ctx, 1, 8) == NULL);
    CHECK(flx_ctx_error(ctx, 0)->status == FLX_ERR_MEMORY);
    CHECK(flx_alloc(ctx, SIZE_MAX / 4, 8) == NULL);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int arrays_of_one_block_are_apart_and_zeroed(void)
{
    flx_ctx *ctx = flx_ctx_create();
    for (size_t n = 3; n < 400000; n = n * 5 + 1) {
        for (int again = 0; again < 2; again++) {
            double *number = NULL, *none = NULL;
            bool *flag = NULL;
            int *place = NULL;
            const flx_array arrays[] = {FLX_ARRAY(number, n), FLX_ARRAY(none, 0),
                                        FLX_ARRAY(flag, n + 1), FLX_ARRAY(place, 2 * n)};
            long before = flx_ctx_allocation_count(ctx);
            void *block = flx_alloc_arrays(ctx, arrays, 4);
            CHECK(block && number && none && flag && place);
            CHECK(flx_ctx_allocation_count(ctx) == before + 1);
            CHECK((uintptr_t)number % 64 == 0 && (uintptr_t)flag % 64 == 0);
            CHECK((uintptr_t)place % 64 == 0 && (void *)none >= (void *)(number + n));
            CHECK((void *)flag > (void *)none && (void *)place >= (void *)(flag + n + 1));
            size_t used = 0;
            for (size_t i = 0; i < n; i++) used += number[i] != 0.0 || flag[i];
            for (size_t i = 0; i < 2 * n; i++) used += place[i] != 0;
            CHECK(used == 0 && !flag[n]);
            memset(number, 0xaa, n * sizeof *number);
            memset(flag, 1, (n + 1) * sizeof *flag);
            memset(place, 0xaa, 2 * n * sizeof *place);
            flx_free(block);
        }
    }
    double *kept = NULL, *much = NULL;
    const flx_array arrays[] = {FLX_ARRAY(kept, 5), FLX_ARRAY(much, SIZE_MAX / 9)};
    CHECK(!flx_alloc_arrays(ctx, arrays, 2) && !kept && !much);
    const flx_array twice[] = {FLX_ARRAY(much, SIZE_MAX / 20), FLX_ARRAY(kept, SIZE_MAX / 20)};
    CHECK(!flx_alloc_arrays(ctx, twice, 2) && !kept && !much);
    flx_ctx_fail_allocation(ctx, 0);
    CHECK(!flx_alloc_arrays(ctx, arrays, 1) && !kept);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int arena_keeps_what_was_taken(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *a = flx_arena_create(ctx);
    char *texts[500];
    for (int i = 0; i < 500; i++) {
        texts[i] = flx_arena_printf(a, "text %d", i);
        CHECK((uintptr_t)texts[i] % 16 == 0);
        if (i % 50 == 0) CHECK(flx_arena_take(a, 200000, 1) != NULL); // larger than a chunk
    }
    char expected[32];
    for (int i = 0; i < 500; i++) {
        snprintf(expected, sizeof expected, "text %d", i);
        CHECK(strcmp(texts[i], expected) == 0);
    }
    flx_arena_destroy(&a);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What is freed is taken again by its thread, where it fits; it comes back as zeros.
static int blocks_of_some_pages_are_taken_again(void)
{
    const size_t size = 100000;
    CHECK(!flx_spare_take(size, 64)); // nobody has freed one
    void *block = NULL, *small = malloc(100);
    CHECK(posix_memalign(&block, 64, size) == 0 && small);
#ifdef __GLIBC__
    CHECK(!flx_spare_keep(small) && !flx_spare_keep(NULL));
    CHECK(flx_spare_keep(block));
    CHECK(!flx_spare_take(2 * size, 64) &&
          !flx_spare_take(size / 2, 64)); // too small, too large for it
    CHECK(flx_spare_take(size - 1000, 64) == block);
    CHECK(!flx_spare_take(size, 64));
    memset(block, 7, size);
    CHECK(flx_spare_keep(block));
    flx_ctx *ctx = flx_ctx_create();
    unsigned char *again = flx_alloc(ctx, size, 1);
    for (size_t i = 0; i < size; i++) CHECK(again[i] == 0);
    flx_free(again);
    flx_ctx_destroy(&ctx);
    // no more than some are kept
    int kept = 0;
    for (int i = 0; i < 40; i++) {
        void *one = malloc(size);
        bool is_kept = flx_spare_keep(one);
        kept += is_kept;
        if (!is_kept) free(one);
    }
    CHECK(kept > 8 && kept < 40);
    while ((block = flx_spare_take(size, 16)) != NULL) free(block);
#else
    free(block);
#endif
    free(small);
    return 0;
}

static const char *suggest(const char *word)
{
    const char *words[] = {"mass", "inertia", "length", "stiffness", "damping", "on", "at"};
    flx_nearest n;
    flx_nearest_start(&n, word);
    for (int i = 0; i < 7; i++) flx_nearest_offer(&n, words[i]);
    return flx_nearest_best(&n);
}

static int misspelt_words_find_the_nearest(void)
{
    CHECK_TEXT(suggest("lenght"), "length");
    CHECK_TEXT(suggest("stifness"), "stiffness");
    CHECK_TEXT(suggest("Mass"), "mass");
    CHECK(suggest("gravity") == NULL);
    CHECK(suggest("x") == NULL);
    return 0;
}

// Blocks that were used before, of all sizes: large ones get their zeros from the system.
static int blocks_are_zeros(void)
{
    flx_ctx *ctx = flx_ctx_create();
    for (size_t n = 1000; n < (size_t)9 << 20; n = n * 3 / 2 + 77) {
        for (int again = 0; again < 2; again++) {
            unsigned char *p = flx_alloc(ctx, n, 1);
            size_t used = 0;
            for (size_t i = 0; i < n; i++) used += p[i] != 0;
            CHECK(used == 0);
            memset(p, 0xaa, n);
            flx_free(p);
        }
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(blocks_of_some_pages_are_taken_again), TEST(blocks_are_zeros),
          TEST(every_status_has_a_text), TEST(messages_are_kept_up_to_the_limit_and_counted),
          TEST(messages_name_the_item_by_its_path), TEST(equal_texts_are_one_pointer),
          TEST(allocations_are_aligned_zeroed_and_counted),
          TEST(arrays_of_one_block_are_apart_and_zeroed), TEST(arena_keeps_what_was_taken),
          TEST(misspelt_words_find_the_nearest))
