// dense_market.c - matrices of linear systems from Matrix Market files.
#include "read/dense_market.h"
#include "base/letters.h"

#include <math.h>
#include <string.h>

#define MOST 20000000.0 // entries

typedef struct head {
    bool array, symmetric, skew; // skew: symmetric with the other sign, nothing on the diagonal
} head;

static bool has_word(const char *text, int length, const char *word)
{
    int n = (int)strlen(word);
    for (int i = 0; i + n <= length; i++) {
        if (flx_same_start(text + i, word, (size_t)n)) return true;
    }
    return false;
}

static flx_status read_head(flx_scan *s, head *h)
{
    const char *text = "";
    int length = 0;
    bool fits = flx_scan_line(s, &text, &length) && has_word(text, length, "%%MatrixMarket");
    h->array = fits && has_word(text, length, "array");
    h->symmetric = fits && has_word(text, length, "symmetric");
    h->skew = fits && has_word(text, length, "skew");
    if (!fits || !(h->array || has_word(text, length, "coordinate")) ||
        !(h->symmetric || has_word(text, length, "general")) || has_word(text, length, "complex") ||
        has_word(text, length, "pattern")) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, ((flx_loc){s->file, 1, 1, NULL}),
                        "the first line is expected to be '%%%%MatrixMarket matrix', then "
                        "'coordinate' or 'array', 'real', and 'general', 'symmetric' or "
                        "'skew-symmetric'");
    }
    while (flx_scan_skip(s) && *s->at == '%') flx_scan_line(s, &text, &length);
    return FLX_OK;
}

static flx_status read_size(flx_scan *s, const head *h, flx_dense_market *m, int *count)
{
    FLX_TRY(flx_scan_int(s, "the number of rows", &m->rows));
    FLX_TRY(flx_scan_int(s, "the number of columns", &m->columns));
    *count = 0;
    if (!h->array) FLX_TRY(flx_scan_int(s, "the number of entries", count));
    if (m->rows < 1 || m->columns < 1 || *count < 0 || (double)m->rows * m->columns > MOST ||
        (h->symmetric && m->rows != m->columns)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "a matrix of %d x %d with %d entries cannot be read%s", m->rows, m->columns,
                        *count, h->symmetric ? " as a symmetric one" : "");
    }
    return FLX_OK;
}

static flx_status put(flx_scan *s, const head *h, flx_dense_market *m, int i, int j, double value)
{
    if (i < 0 || j < 0 || i >= m->rows || j >= m->columns || !isfinite(value)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                        "entry (%d, %d) is outside of the matrix, or no number", i + 1, j + 1);
    }
    m->values[(size_t)j * (size_t)m->rows + (size_t)i] += value;
    if (h->symmetric && i != j) {
        m->values[(size_t)i * (size_t)m->rows + (size_t)j] += h->skew ? -value : value;
    }
    return FLX_OK;
}

static flx_status read_values(flx_scan *s, const head *h, int count, flx_dense_market *m)
{
    double value;
    for (int j = 0; h->array && j < m->columns;
         j++) { // columns, of a symmetric one from the diagonal on
        for (int i = h->symmetric ? j + h->skew : 0; i < m->rows; i++) {
            FLX_TRY(flx_scan_number(s, "a value", &value));
            FLX_TRY(put(s, h, m, i, j, value));
        }
    }
    for (int k = 0; !h->array && k < count; k++) {
        int i, j;
        FLX_TRY(flx_scan_int(s, "a row", &i));
        FLX_TRY(flx_scan_int(s, "a column", &j));
        FLX_TRY(flx_scan_number(s, "a value", &value));
        FLX_TRY(put(s, h, m, i - 1, j - 1, value));
    }
    if (!flx_scan_skip(s)) return FLX_OK;
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, flx_scan_loc(s),
                    "the file goes on after its entries: correct its sizes");
}

flx_status flx_dense_market_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                 flx_dense_market *out)
{
    flx_scan s;
    head h;
    int count = 0;
    *out = (flx_dense_market){0};
    FLX_TRY(flx_scan_open(ctx, arena, path, loc, &s));
    FLX_TRY(read_head(&s, &h));
    FLX_TRY(read_size(&s, &h, out, &count));
    out->values = flx_arena_take(arena, (size_t)out->rows * (size_t)out->columns, sizeof(double));
    if (!out->values) return FLX_ERR_MEMORY;
    return read_values(&s, &h, count, out);
}
