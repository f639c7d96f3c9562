// matrix_market.c - pairs of sparse symmetric matrices in Matrix Market's coordinate format.
#include "read/matrix_market.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct entries {
    int n, count, capacity[3];
    int *row, *column; // row >= column
    double *value;
    bool general; // both triangles are given
} entries;

static void clear(entries *e)
{
    flx_free(e->row);
    flx_free(e->column);
    flx_free(e->value);
}

static bool has_word(const char *text, int length, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; i + (int)n <= length; i++) {
        if (strncasecmp(text + i, word, n) == 0) return true;
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
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, ((flx_loc){s->file, 1, 1}),
                        "the first line is expected to be "
                        "'%%%%MatrixMarket matrix coordinate real symmetric'");
    }
    e->general = has_word(text, length, "general");
    while (flx_scan_skip(s) && *s->at == '%') flx_scan_line(s, &text, &length);
    return FLX_OK;
}

static flx_status add_entry(flx_scan *s, entries *e, int i, int j, double value)
{
    void *row = e->row, *column = e->column, *values = e->value;
    flx_status status = flx_grow(s->ctx, &row, &e->capacity[0], e->count + 1, sizeof *e->row);
    e->row = row;
    if (status == FLX_OK) {
        status = flx_grow(s->ctx, &column, &e->capacity[1], e->count + 1, sizeof *e->column);
        e->column = column;
    }
    if (status == FLX_OK) {
        status = flx_grow(s->ctx, &values, &e->capacity[2], e->count + 1, sizeof *e->value);
        e->value = values;
    }
    if (status != FLX_OK) return status;
    e->row[e->count] = i > j ? i : j;
    e->column[e->count] = i > j ? j : i;
    e->value[e->count++] = value;
    return FLX_OK;
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
        // of both triangles each gives its half: the symmetric part
        if (e->general && i != j) value /= 2;
        FLX_TRY(add_entry(s, e, i - 1, j - 1, value));
    }
    if (flx_scan_skip(s)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "the file goes on after its %d entries: correct their number", count);
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
            list[used++] = e->row[k];
            if (e->column[k] != e->row[k]) list[used++] = e->column[k];
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
        for (int i = 0; i < k.count; i++) flx_symmetric_add(K, k.row[i], k.column[i], k.value[i]);
        for (int i = 0; i < m.count; i++) flx_symmetric_add(M, m.row[i], m.column[i], m.value[i]);
    } else {
        flx_symmetric_clear(K);
    }
    clear(&k);
    clear(&m);
    return status;
}
