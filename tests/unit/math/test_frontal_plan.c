// test_frontal_plan.c - the sequence of fronts and its memory: against all sequences of small trees, against
// what a factorisation takes, and what is said when there is too little.
#include "check.h"
#include "math/frontal/frontal_parts.h"

#include <stdlib.h>

#define MOST 8

typedef struct task {
    int n, parent[MOST];
    int64_t own[MOST], left[MOST], kept[MOST];
} task;

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static task random_task(unsigned *seed)
{
    task t = {.n = 1 + (int)draw(seed, MOST)};
    for (int i = 0; i < t.n; i++) {
        int above = t.n - 1 - i;
        t.parent[i] =
            above == 0 || draw(seed, 5) == 0 ? -1 : i + 1 + (int)draw(seed, (unsigned)above);
        t.left[i] = t.parent[i] < 0 ? 0 : draw(seed, 20);
        t.kept[i] = draw(seed, 20);
        t.own[i] = t.left[i] + t.kept[i] + draw(seed, 40);
    }
    return t;
}

// The memory of a sequence; -1: children do not come right before their parent, in subtrees.
static int64_t simulate(const task *t, const int *sequence)
{
    int stack[MOST], top = 0;
    int64_t now = 0, most = 0;
    for (int k = 0; k < t->n; k++) {
        int s = sequence[k], children = 0;
        for (int i = 0; i < t->n; i++) children += t->parent[i] == s;
        if (now + t->own[s] > most) most = now + t->own[s];
        for (int c = 0; c < children; c++) {
            if (top == 0 || t->parent[stack[top - 1]] != s) return -1;
            now -= t->left[stack[--top]];
        }
        now += t->left[s] + t->kept[s];
        stack[top++] = s;
    }
    return most;
}

static void search(const task *t, int *sequence, int k, unsigned used, int64_t *least)
{
    if (k == t->n) {
        int64_t most = simulate(t, sequence);
        if (most >= 0 && (*least < 0 || most < *least)) *least = most;
        return;
    }
    for (int s = 0; s < t->n; s++) {
        bool ready = !(used & 1u << s);
        for (int i = 0; i < t->n; i++) ready = ready && (t->parent[i] != s || used & 1u << i);
        if (!ready) continue;
        sequence[k] = s;
        search(t, sequence, k + 1, used | 1u << s, least);
    }
}

static int no_sequence_takes_less(void)
{
    unsigned seed = 5;
    flx_ctx *ctx = flx_ctx_create();
    int better = 0;
    for (int round = 0; round < 60; round++) {
        task t = random_task(&seed);
        int sequence[MOST], all[MOST];
        int64_t most = -1, least = -1;
        CHECK(flx_frontal_sequence(ctx, t.n, t.parent, t.own, t.left, t.kept, sequence, &most) ==
              FLX_OK);
        search(&t, all, 0, 0, &least);
        CHECK(most == least);
        CHECK(simulate(&t, sequence) == most);
        for (int i = 0; i < t.n; i++) all[i] = i;
        int64_t plain = simulate(&t, all);
        better += plain > most;
    }
    CHECK(better > 5); // else the trees were too easy
    flx_ctx_destroy(&ctx);
    return 0;
}

// A block of nx x ny x nz nodes, all that touch are coupled; -1 beside a diagonal that outweighs them.
static flx_status make_block(flx_ctx *ctx, int nx, int ny, int nz, flx_symmetric *A)
{
    int cells = (nx - 1) * (ny - 1) * (nz - 1), used = 0;
    int64_t *first = calloc((size_t)cells + 1, sizeof *first);
    int *list = calloc(8 * (size_t)cells, sizeof *list);
    for (int c = 0; c < cells; c++) {
        int x = c % (nx - 1), y = c / (nx - 1) % (ny - 1), z = c / (nx - 1) / (ny - 1);
        for (int k = 0; k < 8; k++) {
            list[used++] = x + (k & 1) + nx * (y + (k >> 1 & 1) + ny * (z + (k >> 2)));
        }
        first[c + 1] = used;
    }
    flx_status status = flx_symmetric_init(ctx, nx * ny * nz, cells, first, list, A);
    for (int j = 0; status == FLX_OK && j < A->n; j++) {
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            A->value[p] = A->row[p] == j ? 30 : -1;
        }
    }
    free(first);
    free(list);
    return status;
}

// Panels and stack meet once, at the least: the room is what is needed, no more.
static int the_room_is_used_up(void)
{
    const int sizes[][3] = {{2, 2, 2}, {30, 5, 4}, {12, 11, 10}, {40, 40, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_symmetric A;
        flx_frontal *f = NULL;
        int negative = -1;
        CHECK(make_block(ctx, sizes[k][0], sizes[k][1], sizes[k][2], &A) == FLX_OK);
        CHECK(flx_frontal_create(ctx, &A, NULL, &f) == FLX_OK);
        flx_frontal_report before = flx_frontal_get_report(f);
        CHECK(before.most >= before.bytes && before.bytes >= 8 * before.fill);
        CHECK(flx_frontal_factor(f, 1, &A, 0, NULL) == FLX_OK);
        CHECK(f->least == 0);
        CHECK(f->capacity == f->factors && f->factors <= f->room);
        CHECK(flx_frontal_count(f, 1, &A, 0, NULL, &negative) == FLX_OK);
        CHECK(f->least == 0 && negative == 0);
        flx_frontal_destroy(&f);
        flx_symmetric_clear(&A);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int too_little_memory_is_said(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_symmetric A;
    flx_frontal *f = NULL;
    CHECK(make_block(ctx, 9, 9, 9, &A) == FLX_OK);
    CHECK(flx_frontal_create(ctx, &A, NULL, &f) == FLX_OK);
    double most = flx_frontal_get_report(f).most;
    flx_ctx_limit_memory(ctx, most - 1);
    CHECK(flx_frontal_factor(f, 1, &A, 0, NULL) == FLX_ERR_MEMORY);
    CHECK(flx_ctx_error_count(ctx) == 1);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "the factors of 729 unknowns need about") != NULL);
    flx_ctx_limit_memory(ctx, most);
    CHECK(flx_frontal_factor(f, 1, &A, 0, NULL) == FLX_OK);
    flx_ctx_limit_memory(ctx, 0);
    CHECK(flx_memory_available(ctx) < 0 || flx_memory_available(ctx) > 1e6);
    CHECK(flx_memory_check(ctx, 1e3, "a few") == FLX_OK);
    CHECK(flx_memory_available(ctx) < 0 || flx_memory_check(ctx, 1e18, "many") == FLX_ERR_MEMORY);
    flx_frontal_destroy(&f);
    flx_symmetric_clear(&A);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(no_sequence_takes_less), TEST(the_room_is_used_up), TEST(too_little_memory_is_said))
