// control_files.c - matrices of state space from files, those of the second order too, and balanced truncation of it (RED-13): what
// comes out are rows of numbers, as if they stood in the model.
#include "base/number.h"
#include "flexion/reduction.h"
#include "language/control/control_parts.h"
#include "language/literal.h"
#include "math/eigen.h"
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

// ---- second order -------------------------------------------------------------------------------

static bool square(const flx_dense_market *m, int n)
{
    return m->rows == n && m->columns == n;
}

// A, B, C of x = (q, q') from m q'' + d q' + k q = B u, y = C q, or y = C (q, q').
static flx_status make_states(flx_control_draft *d, const flx_entry *mass,
                              const flx_dense_market own[3], flx_dense_market m[3])
{
    flx_builder *b = d->b;
    size_t n = (size_t)own[0].rows, in = (size_t)m[1].columns, all = (size_t)m[2].rows;
    size_t width = (size_t)m[2].columns;
    double *A = flx_take(b, 4 * n * n + 2 * n * (in + all), sizeof *A);
    double *X = flx_take(b, n * (2 * n + in), sizeof *X);
    if (!A || !X) return FLX_ERR_MEMORY;
    double *B = A + 4 * n * n, *C = B + 2 * n * in;
    memcpy(X, own[2].values, n * n * sizeof *X);
    if (own[1].values) memcpy(X + n * n, own[1].values, n * n * sizeof *X);
    memcpy(X + 2 * n * n, m[1].values, n * in * sizeof *X);
    flx_status status = flx_dense_solve(b->ctx, (int)n, (int)(2 * n + in), own[0].values, X);
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, mass->loc, "the mass matrix of '%s' is singular",
                        d->item->full);
    }
    FLX_TRY(status);
    for (size_t j = 0; j < 2 * n; j++) {
        if (j >= n) A[2 * n * j + j - n] = 1;
        for (size_t i = 0; i < n; i++) A[2 * n * j + n + i] = -X[n * j + i];
    }
    for (size_t j = 0; j < in; j++) memcpy(B + 2 * n * j + n, X + n * (2 * n + j), n * sizeof *B);
    memcpy(C, m[2].values, all * width * sizeof *C);
    m[0] = (flx_dense_market){2 * (int)n, 2 * (int)n, A};
    m[1] = (flx_dense_market){2 * (int)n, (int)in, B};
    m[2] = (flx_dense_market){(int)all, 2 * (int)n, C};
    return FLX_OK;
}

static flx_status read_second_order(flx_control_draft *d, const flx_entry *mass,
                                    const flx_entry *M[4], flx_dense_market m[3])
{
    const flx_entry *own[3] = {mass, flx_control_key(d, "damping"), NULL};
    flx_dense_market x[3] = {{0}};
    flx_builder *b = d->b;
    FLX_TRY(flx_control_need(d, "stiffness", &own[2]));
    if (d->sampled) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, mass->loc,
                        "a system of second order is continuous: leave out 'sample'");
    }
    for (int i = 0; i < 5; i++) {
        const flx_entry *y = i < 3 ? own[i] : M[i - 2];
        if (!y) continue;
        if (!is_file(y)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a system of second order is of files, its B and C too: mass: "
                            "plant_M.mtx");
        }
        FLX_TRY(take(d, y, i < 3 ? x + i : m + i - 2));
    }
    int n = x[0].rows;
    if (!square(x, n) || !square(x + 2, n) || (own[1] && !square(x + 1, n)) || m[1].rows != n ||
        (m[2].columns != n && m[2].columns != 2 * n)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, mass->loc,
                        "the matrices of '%s' do not fit: mass %d x %d, stiffness %d x %d, B %d x "
                        "%d, C %d x %d%s",
                        d->item->full, n, x[0].columns, x[2].rows, x[2].columns, m[1].rows,
                        m[1].columns, m[2].rows, m[2].columns, own[1] ? ", damping as well" : "");
    }
    return make_states(d, mass, x, m);
}

flx_status flx_control_matrices(flx_control_draft *d, const flx_entry *M[4])
{
    const flx_entry *mass = flx_control_key(d, "mass");
    const flx_entry *key = flx_control_key(d, "balanced");
    flx_dense_market m[4];
    flx_builder *b = d->b;
    int files = 0, given = 0;
    if (mass) M[0] = mass; // as good as A, once it is read
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
    if (!mass && (files == 0 || given < 3)) return FLX_OK;
    if (mass) FLX_TRY(read_second_order(d, mass, M, m));
    for (int i = mass ? 3 : 0; i < 4; i++) {
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
