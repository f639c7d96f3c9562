// matrix_market.c - pairs of sparse symmetric matrices in Matrix Market's coordinate format.
#include "read/matrix_market.h"
#include "base/letters.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The two triangles of an assembled matrix differ by the rounding of its sums, of some thousand terms
// at the most; as a part of the largest entry.
#define ROUNDING (4096 * DBL_EPSILON)

typedef struct entry {
    int row, column; // row >= column
    int line;
    bool upper; // it was written as (column, row)
    double value;
} entry;

typedef struct entries {
    int n, count, capacity;
    entry *all;   // owned
    bool general; // both triangles are given
} entries;

static bool has_word(const char *text, int length, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; i + (int)n <= length; i++) {
        if (flx_same_start(text + i, word, n)) return true;
    }
    return false;
}

static flx_status read_head(flx_scan *s, entries *e)
{
    const char *text;
    int length;
    bool fits = flx_scan_line(s, &text, &length) && has_word(text, length, "%%MatrixMarket");
    if (!fits || !has_word(text, length, "coordinate") || has_word(text, length, "complex") ||
        has_word(text, length, "pattern") || has_word(text, length, "skew") ||
        !(has_word(text, length, "symmetric") || has_word(text, length, "general"))) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, ((flx_loc){s->file, 1, 1, NULL}),
                        "the first line is expected to be "
                        "'%%%%MatrixMarket matrix coordinate real symmetric'");
    }
    e->general = has_word(text, length, "general");
    while (flx_scan_skip(s) && *s->at == '%') flx_scan_line(s, &text, &length);
    return FLX_OK;
}

static flx_status add_entry(flx_scan *s, entries *e, int i, int j, double value)
{
    void *all = e->all;
    flx_status status = flx_grow(s->ctx, &all, &e->capacity, e->count + 1, sizeof *e->all);
    e->all = all;
    if (status != FLX_OK) return status;
    e->all[e->count++] = (entry){.row = i > j ? i : j,
                                 .column = i > j ? j : i,
                                 .line = s->line,
                                 .upper = i < j,
                                 .value = value};
    return FLX_OK;
}

static int by_place(const void *a_in, const void *b_in)
{
    const entry *a = a_in, *b = b_in;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static flx_status refuse_triangles(const flx_scan *s, const entries *e, const entry *at,
                                   const double sum[2])
{
    flx_loc loc = {s->file, at->line, 1, NULL};
    int i = at->row + 1, j = at->column + 1;
    if (!e->general) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "(%d, %d) and (%d, %d) are both given, but the matrix is 'symmetric': "
                        "leave out one triangle, or write 'general' in the first line",
                        i, j, j, i);
    }
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                    "the matrix is not symmetric: (%d, %d) is %g, and (%d, %d) is %g; where one "
                    "triangle alone is given, write 'symmetric' in place of 'general' in the first "
                    "line",
                    i, j, sum[0], j, i, sum[1]);
}

// Of a general matrix both triangles are the same, of a symmetric one an entry is in one of them. The
// complaint is about the first such line.
static flx_status check_triangles(const flx_scan *s, entries *e)
{
    const entry *worst = NULL;
    double most = 0.0, bad[2] = {0, 0};
    qsort(e->all, (size_t)e->count, sizeof *e->all, by_place);
    for (int k = 0; k < e->count; k++) most = fmax(most, fabs(e->all[k].value));
    for (int k = 0, end; k < e->count; k = end) {
        const entry *first = e->all + k;
        double sum[2] = {0, 0};
        int given[2] = {0, 0};
        for (end = k;
             end < e->count && e->all[end].row == first->row && e->all[end].column == first->column;
             end++) {
            sum[e->all[end].upper] += e->all[end].value;
            given[e->all[end].upper]++;
        }
        if (first->row == first->column) continue;
        bool fine = e->general ? fabs(sum[0] - sum[1]) <= ROUNDING * most : !given[0] || !given[1];
        if (fine || (worst && worst->line <= first->line)) continue;
        worst = first;
        memcpy(bad, sum, sizeof bad);
    }
    return worst ? refuse_triangles(s, e, worst, bad) : FLX_OK;
}

static flx_status read_entries(flx_scan *s, entries *e)
{
    int columns, count;
    FLX_TRY(read_head(s, e));
    FLX_TRY(flx_scan_int(s, "the number of rows", &e->n));
    FLX_TRY(flx_scan_int(s, "the number of columns", &columns));
    FLX_TRY(flx_scan_int(s, "the number of entries", &count));
    if (e->n < 1 || columns != e->n) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "the matrix is %d x %d: a square one is expected", e->n, columns);
    }
    if (count < 0) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "the number of entries is negative: %d", count);
    }
    for (int k = 0; k < count; k++) {
        int i, j;
        double value;
        FLX_TRY(flx_scan_int(s, "a row", &i));
        FLX_TRY(flx_scan_int(s, "a column", &j));
        FLX_TRY(flx_scan_number(s, "a value", &value));
        if (i < 1 || j < 1 || i > e->n || j > e->n) {
            return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                            "entry (%d, %d) is outside of the matrix", i, j);
        }
        FLX_TRY(add_entry(s, e, i - 1, j - 1, value));
    }
    if (flx_scan_skip(s)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "the file goes on after its %d entries: correct their number", count);
    }
    FLX_TRY(check_triangles(s, e));
    for (int k = 0; e->general && k < e->count; k++) { // each triangle gives its half
        if (e->all[k].row != e->all[k].column) e->all[k].value /= 2;
    }
    return FLX_OK;
}

static flx_status read_file(flx_ctx *ctx, const char *path, flx_loc loc, entries *e)
{
    flx_scan s;
    flx_arena *arena = flx_arena_create(ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = flx_scan_open(ctx, arena, path, loc, &s);
    if (status == FLX_OK) status = read_entries(&s, e);
    flx_arena_destroy(&arena);
    return status;
}

// One block of two unknowns for each entry of either matrix.
static flx_status make_pattern(flx_ctx *ctx, const entries *a, const entries *b, flx_symmetric *K)
{
    int64_t total = (int64_t)a->count + b->count;
    if (total > INT32_MAX) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the matrices have too many entries");
    }
    int64_t *first = flx_alloc(ctx, (size_t)total + 1, sizeof *first), used = 0;
    int *list = flx_alloc(ctx, 2 * (size_t)total, sizeof *list), block = 0;
    flx_status status = first && list ? FLX_OK : FLX_ERR_MEMORY;
    for (int which = 0; which < 2 && status == FLX_OK; which++) {
        const entries *e = which ? b : a;
        for (int k = 0; k < e->count; k++) {
            first[block++] = used;
            list[used++] = e->all[k].row;
            if (e->all[k].column != e->all[k].row) list[used++] = e->all[k].column;
        }
    }
    if (status == FLX_OK) {
        first[block] = used;
        status = flx_symmetric_init(ctx, a->n, block, first, list, K);
    }
    flx_free(first);
    flx_free(list);
    return status;
}

static void add_all(const entries *e, flx_symmetric *A)
{
    for (int i = 0; i < e->count; i++) {
        const entry *a = e->all + i;
        flx_symmetric_add(A, a->row, a->column, a->value);
    }
}

flx_status flx_matrix_market_read(flx_ctx *ctx, const char *stiffness, const char *mass,
                                  flx_loc loc, flx_symmetric *K, flx_symmetric *M)
{
    entries k = {0}, m = {0};
    *K = *M = (flx_symmetric){0};
    flx_status status = read_file(ctx, stiffness, loc, &k);
    if (status == FLX_OK) status = read_file(ctx, mass, loc, &m);
    if (status == FLX_OK && k.n != m.n) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "'%s' has %d unknowns, '%s' has %d", stiffness,
                          k.n, mass, m.n);
    }
    // told before memory is taken for a size that may be a slip of the pen
    if (status == FLX_OK && (int64_t)k.count + m.count < k.n) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                          "'%s' and '%s' have %d unknowns but only %d entries: some have neither "
                          "stiffness nor mass",
                          stiffness, mass, k.n, k.count + m.count);
    }
    if (status == FLX_OK) status = make_pattern(ctx, &k, &m, K);
    if (status == FLX_OK) status = flx_symmetric_init_like(ctx, K, M);
    if (status == FLX_OK) {
        add_all(&k, K);
        add_all(&m, M);
    } else {
        flx_symmetric_clear(K);
    }
    flx_free(k.all);
    flx_free(m.all);
    return status;
}
