// control_files.c - matrices of state space from files, and balanced truncation of it (RED-13): what comes out are rows of
// numbers, as if they stood in the model.
#include "base/number.h"
#include "flexion/reduction.h"
#include "language/control/control_parts.h"
#include "language/literal.h"
#include "read/dense_market.h"

#include <string.h>

static bool is_file(const flx_entry *y)
{
    size_t n = y && y->kind == FLX_ENTRY_SCALAR && y->text ? strlen(y->text) : 0;
    return n > 4 && strcmp(y->text + n - 4, ".mtx") == 0;
}

static flx_entry *make_list(flx_control_draft *d, flx_loc loc, int n)
{
    flx_entry *list = flx_take(d->b, 1, sizeof *list);
    if (!list) return NULL;
    *list = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = loc, .count = n};
    list->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
    return list->items ? list : NULL;
}

// Rows of numbers of what is stored by columns.
static flx_status make_rows(flx_control_draft *d, flx_loc loc, int rows, int columns,
                            const double *X, const flx_entry **out)
{
    flx_entry *list = make_list(d, loc, rows);
    if (!list) return FLX_ERR_MEMORY;
    for (int i = 0; i < rows; i++) {
        flx_entry *row = list->items[i] = make_list(d, loc, columns);
        if (!row) return FLX_ERR_MEMORY;
        for (int j = 0; j < columns; j++) {
            char text[FLX_NUMBER_SIZE];
            flx_number_text(X[(size_t)j * (size_t)rows + (size_t)i], text);
            row->items[j] = flx_control_text(d, "%s", text);
            if (!row->items[j]) return FLX_ERR_MEMORY;
        }
    }
    *out = list;
    return FLX_OK;
}

static flx_status take(flx_control_draft *d, const flx_entry *y, flx_dense_market *out)
{
    const flx_reader *r = d->b->reader;
    return r->read_matrix(r->user, y->text, y->loc, out);
}

// Decaying states that matter least go; D stays.
static flx_status balance(flx_control_draft *d, const flx_entry *key, flx_dense_market m[3])
{
    int n = m[0].rows, in = m[1].columns, all = m[2].rows, states = 0;
    flx_builder *b = d->b;
    double bound = 0;
    double asked = 0;
    if (flx_entry_literal(key, &asked) && asked >= 1 && asked <= n) states = (int)asked;
    if (states < 1 || states != asked) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "the system of '%s' has %d states: it is truncated to a number of them, "
                        "from 1 to %d",
                        d->item->full, n, n);
    }
    size_t r = (size_t)states;
    double *A = flx_take(b, r * (r + (size_t)(in + all)), sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *B = A + r * r, *C = B + r * (size_t)in;
    const flx_plant s = {
        .n = n, .inputs = in, .outputs = all, .A = m[0].values, .B = m[1].values, .C = m[2].values};
    flx_status status = flx_plant_balance(b->ctx, &s, states, A, B, C, &bound);
    if (status == FLX_ERR_ARGUMENT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "the system of '%s' cannot be truncated: see the message before this",
                        d->item->full);
    }
    FLX_TRY(status);
    m[0] = (flx_dense_market){states, states, A};
    m[1] = (flx_dense_market){states, in, B};
    m[2] = (flx_dense_market){all, states, C};
    char text[FLX_NUMBER_SIZE];
    flx_number_text(bound, text);
    return flx_control_signal(d, "bound", flx_control_text(d, "%s", text));
}

flx_status flx_control_matrices(flx_control_draft *d, const flx_entry *M[4])
{
    const flx_entry *key = flx_control_key(d, "balanced");
    flx_dense_market m[4];
    flx_builder *b = d->b;
    int files = 0, given = 0;
    for (int i = 0; i < 4; i++) {
        files += is_file(M[i]);
        given += M[i] && i < 3;
    }
    if (key && d->sampled) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "balanced truncation is of a continuous system: leave out 'sample'");
    }
    if (key && !(is_file(M[0]) && is_file(M[1]) && is_file(M[2]))) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "'balanced' truncates matrices of files: name them as in A: plant_A.mtx, "
                        "B and C alike");
    }
    if (files == 0 || given < 3) return FLX_OK;
    for (int i = 0; i < 4; i++) {
        if (is_file(M[i])) FLX_TRY(take(d, M[i], m + i));
    }
    if (key) {
        if (m[0].columns != m[0].rows || m[1].rows != m[0].rows || m[2].columns != m[0].rows) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, M[0]->loc,
                            "the matrices of '%s' do not fit: A %d x %d, B %d x %d, C %d x %d",
                            d->item->full, m[0].rows, m[0].columns, m[1].rows, m[1].columns,
                            m[2].rows, m[2].columns);
        }
        FLX_TRY(balance(d, key, m));
    }
    for (int i = 0; i < 4; i++) {
        if (is_file(M[i]))
            FLX_TRY(make_rows(d, M[i]->loc, m[i].rows, m[i].columns, m[i].values, &M[i]));
    }
    return FLX_OK;
}
