// compare_results.c - how far two results are apart.
//
// The times are those of the coarser result. Between its rows the finer one is a cubic through the
// four nearest rows (CMP-1) that never reaches over two rows of one time, where something jumped;
// the parabola through three of them tells what that may be off by (CMP-2). Means are integrals of
// |a - b| by trapezia over the time for which both are known (CMP-3).
#include "compare/compare_results.h"
#include "base/refuse.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 // times closer than this part of the span are one

// ---- one course between its rows ----------------------------------------------------------------

typedef struct course {
    int n;
    const double *t;
    double tolerance;
} course;

// Rows [first, end) around row k without a jump.
static void find_piece(const course *c, int k, int *first, int *end)
{
    *first = k;
    *end = k + 2;
    while (*first > 0 && k - *first < 2 && c->t[*first - 1] < c->t[*first]) --*first;
    while (*end < c->n && *end - k < 4 && c->t[*end] > c->t[*end - 1]) ++*end;
}

static double lagrange(int n, const double *t, const double *y, double at)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double weight = y[i];
        for (int j = 0; j < n; j++) {
            if (j != i) weight *= (at - t[j]) / (t[i] - t[j]);
        }
        sum += weight;
    }
    return sum;
}

// The row at a time, seen from before or after a jump; -1: none.
static int find_row(const course *c, double at, bool after, int *below)
{
    int low = 0, high = c->n; // first row later than the time
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->t[middle] > at + c->tolerance) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    int row = low - 1;
    *below = row;
    if (row < 0 || c->t[row] < at - c->tolerance) return -1;
    while (!after && row > 0 && c->t[row - 1] >= at - c->tolerance) row--;
    return row;
}

// (CMP-1), (CMP-2): y between rows k and k + 1.
static double interpolate(const course *c, const double *y, int k, double at, double *doubt)
{
    int first, end;
    find_piece(c, k, &first, &end);
    int from = k - 1, n = 4;
    if (end - first < n) n = end - first;
    if (from < first) from = first;
    if (from + n > end) from = end - n;
    double value = lagrange(n, c->t + from, y + from, at);
    // one row less: the one farther from the time
    bool drop_first = at - c->t[from] > c->t[from + n - 1] - at;
    int less = n > 2 ? n - 1 : 2;
    double rough =
        lagrange(less, c->t + from + (drop_first && n > 2), y + from + (drop_first && n > 2), at);
    *doubt = n > 2 ? fabs(value - rough) : fabs(y[k + 1] - y[k]);
    return value;
}

// ---- differences --------------------------------------------------------------------------------

// Whether row i of the times is the second of two of one time.
static bool is_after(const flx_comparison *c, int i)
{
    return i > 0 && !(c->times[i] > c->times[i - 1]);
}

static void measure(const flx_comparison *c, const double *d, flx_difference *out)
{
    double sum = 0.0, length = 0.0, single = (double)NAN;
    out->mean = out->maximum = out->at = (double)NAN;
    out->missing = 0;
    for (int i = 0; i < c->span.rows; i++) {
        double e = fabs(d[i]);
        if (!isfinite(e)) {
            out->missing++;
            continue;
        }
        single = e;
        if (!(e <= out->maximum)) {
            out->maximum = e;
            out->at = c->times[i];
        }
        double before = i > 0 ? fabs(d[i - 1]) : (double)NAN;
        if (!isfinite(before)) continue;
        double h = c->times[i] - c->times[i - 1];
        sum += 0.5 * h * (before + e);
        length += h;
    }
    out->mean = length > 0.0 ? sum / length : single;
}

// Signal s at all times.
static void subtract(flx_comparison *c, int s, int first)
{
    const double *ya = c->a->data[c->column_a[s]], *yb = c->b->data[c->column_b[s]];
    const flx_result *other = c->span.at_b ? c->a : c->b;
    const double *own = c->span.at_b ? yb : ya, *theirs = c->span.at_b ? ya : yb;
    const course line = {other->rows, other->data[0], SAME * (c->span.to - c->span.from)};
    flx_difference *out = &c->signals[s];
    double *d = c->difference + (size_t)s * (size_t)c->span.rows;
    c->span.interpolated = 0;
    for (int i = 0; i < c->span.rows; i++) {
        int below, row = find_row(&line, c->times[i], is_after(c, i), &below);
        double doubt = 0.0, value = row >= 0 ? theirs[row] : (double)NAN;
        if (row < 0 && below >= 0 && below + 1 < line.n) {
            value = interpolate(&line, theirs, below, c->times[i], &doubt);
            c->span.interpolated++;
        }
        double a = c->span.at_b ? value : own[first + i], b = c->span.at_b ? own[first + i] : value;
        d[i] = a - b;
        if (isfinite(d[i])) {
            out->size = fmax(out->size, fabs(a));
            out->doubt = fmax(out->doubt, doubt);
        }
    }
    measure(c, d, out);
}

static flx_status add_up(flx_comparison *c)
{
    double *sum = flx_alloc(c->ctx, (size_t)c->span.rows, sizeof *sum);
    if (!sum) return FLX_ERR_MEMORY;
    c->sum = (flx_difference){.name = "sum", .unit = c->signals[0].unit};
    for (int s = 0; s < c->n; s++) {
        const double *d = c->difference + (size_t)s * (size_t)c->span.rows;
        if (strcmp(c->signals[s].unit, c->sum.unit) != 0) c->sum.unit = "";
        for (int i = 0; i < c->span.rows; i++) sum[i] += fabs(d[i]);
        c->sum.size = fmax(c->sum.size, c->signals[s].size);
        c->sum.doubt += c->signals[s].doubt;
    }
    measure(c, sum, &c->sum);
    flx_free(sum);
    return FLX_OK;
}

// ---- what is common -----------------------------------------------------------------------------

static int find_column(const flx_result *r, const char *name)
{
    for (int k = 1; k < r->columns; k++) {
        if (strcmp(r->names[k], name) == 0) return k;
    }
    return -1;
}

static bool has_column(const flx_comparison *c, int column)
{
    for (int i = 0; i < c->n; i++) {
        if (c->column_a[i] == column) return true;
    }
    return false;
}

static void add_signal(flx_comparison *c, int a, int b)
{
    c->signals[c->n] = (flx_difference){.name = c->a->names[a], .unit = c->a->units[a]};
    c->column_a[c->n] = a;
    c->column_b[c->n++] = b;
}

// The columns of one name in a, which b must have, too.
static flx_status add_named(flx_comparison *c, flx_result *a, flx_result *b, const char *name,
                            int *found)
{
    int n = flx_result_find(a, name, a->columns, found), added = 0, one;
    if (n == 0) return FLX_ERR_ARGUMENT;
    for (int k = 0; k < n; k++) {
        int other = find_column(b, a->names[found[k]]);
        if (other < 0 || found[k] == 0) continue;
        if (!has_column(c, found[k])) add_signal(c, found[k], other);
        added++;
    }
    if (added > 0) return FLX_OK;
    if (flx_result_find(b, name, 1, &one) == 0) return FLX_ERR_ARGUMENT;
    return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "'%s' stands for '%s' in one result and for '%s' in the other", name,
                    a->names[found[0]], b->names[one]);
}

static flx_status refuse_strangers(const flx_comparison *c)
{
    bool empty = c->a->columns < 2 || c->b->columns < 2;
    if (empty) {
        return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "there is nothing to compare: the %s result has no signals",
                        c->a->columns < 2 ? "first" : "second");
    }
    return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the results have no signal in common: the first begins with '%s', the second "
                    "with '%s'; give both models the same names under `outputs: signals`",
                    c->a->names[1], c->b->names[1]);
}

static flx_status find_common(flx_comparison *c, flx_result *a, flx_result *b, int n,
                              const char *const *names)
{
    size_t most = (size_t)a->columns;
    c->column_a = flx_alloc(c->ctx, most, sizeof *c->column_a);
    c->column_b = flx_alloc(c->ctx, most, sizeof *c->column_b);
    c->signals = flx_alloc(c->ctx, most, sizeof *c->signals);
    int *found = flx_alloc(c->ctx, most, sizeof *found);
    flx_status status = c->column_a && c->column_b && c->signals && found ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) status = add_named(c, a, b, names[i], found);
    flx_free(found);
    if (status != FLX_OK) return status;
    int common = 0;
    for (int k = 1; k < a->columns; k++) {
        int other = find_column(b, a->names[k]);
        common += other >= 0;
        if (n == 0 && other >= 0) add_signal(c, k, other);
    }
    c->left_out[0] = a->columns - 1 - common;
    c->left_out[1] = b->columns - 1 - common;
    return c->n > 0 ? FLX_OK : refuse_strangers(c);
}

// Rows of r in the span.
static int count_rows(const flx_result *r, double from, double to, double tolerance, int *first)
{
    int n = 0;
    *first = 0;
    for (int i = 0; i < r->rows; i++) {
        if (r->data[0][i] < from - tolerance) *first = i + 1;
        if (r->data[0][i] >= from - tolerance && r->data[0][i] <= to + tolerance) n++;
    }
    return n;
}

static flx_status check_times(const flx_comparison *c, const flx_result *r, const char *which)
{
    if (r->rows == 0) {
        return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the %s result holds no rows",
                        which);
    }
    for (int i = 0; i < r->rows; i++) {
        double t = r->data[0][i];
        if (isfinite(t) && (i == 0 || t >= r->data[0][i - 1])) continue;
        return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the times of the %s result do not ascend at row %d: t = %g", which, i + 1,
                        t);
    }
    return FLX_OK;
}

static flx_status find_span(flx_comparison *c, double from, int *first)
{
    const flx_result *a = c->a, *b = c->b;
    FLX_TRY(check_times(c, a, "first"));
    FLX_TRY(check_times(c, b, "second"));
    const double *ta = a->data[0], *tb = b->data[0];
    flx_compare_span *s = &c->span;
    s->from = fmax(fmax(ta[0], tb[0]), from);
    s->to = fmin(ta[a->rows - 1], tb[b->rows - 1]);
    double tolerance = SAME * fmax(s->to - s->from, 0.0);
    int first_a, first_b;
    int na = count_rows(a, s->from, s->to, tolerance, &first_a);
    int nb = count_rows(b, s->from, s->to, tolerance, &first_b);
    s->at_b = nb < na && nb > 0;
    s->rows = s->at_b ? nb : na;
    *first = s->at_b ? first_b : first_a;
    if (s->from <= s->to && s->rows > 0) return FLX_OK;
    return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the results have no time in common%s: one goes from %g to %g, the other from "
                    "%g to %g",
                    from > fmax(ta[0], tb[0]) ? " from there on" : "", ta[0], ta[a->rows - 1],
                    tb[0], tb[b->rows - 1]);
}

static flx_status compare(flx_comparison *c, flx_result *a, flx_result *b,
                          const flx_compare_def *def)
{
    int first;
    FLX_TRY(find_common(c, a, b, def->nsignal, def->signals));
    FLX_TRY(find_span(c, def->from, &first));
    size_t rows = (size_t)c->span.rows;
    c->times = flx_alloc(c->ctx, rows, sizeof *c->times);
    c->difference = flx_alloc(c->ctx, rows * (size_t)c->n, sizeof *c->difference);
    if (!c->times || !c->difference) return FLX_ERR_MEMORY;
    memcpy(c->times, (c->span.at_b ? b : a)->data[0] + first, rows * sizeof *c->times);
    for (int s = 0; s < c->n; s++) subtract(c, s, first);
    return add_up(c);
}

flx_status flx_compare_results(flx_ctx *ctx, flx_result *a, flx_result *b,
                               const flx_compare_def *def, flx_comparison **out)
{
    if (out) *out = NULL;
    if (!ctx || !a || !b || !out) return flx_refuse_null(ctx, __func__);
    const flx_compare_def all = {0};
    if (!def) def = &all;
    bool whole = def->nsignal == 0 || (def->nsignal > 0 && def->signals);
    for (int i = 0; whole && i < def->nsignal; i++) whole = def->signals[i] != NULL;
    if (!whole || isnan(def->from)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a comparison has a list of its signals, and a time to begin at");
    }
    flx_comparison *c = flx_alloc(ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    c->ctx = ctx;
    c->a = a;
    c->b = b;
    flx_status status = compare(c, a, b, def);
    if (status != FLX_OK) flx_comparison_destroy(&c);
    *out = c;
    return status;
}

void flx_comparison_destroy(flx_comparison **c_in)
{
    flx_comparison *c = c_in ? *c_in : NULL;
    if (!c) return;
    flx_free(c->column_a);
    flx_free(c->column_b);
    flx_free(c->signals);
    flx_free(c->times);
    flx_free(c->difference);
    flx_free(c);
    *c_in = NULL;
}

// ---- queries ------------------------------------------------------------------------------------

const flx_compare_span *flx_comparison_span(const flx_comparison *c)
{
    return &c->span;
}

const flx_difference *flx_comparison_get(const flx_comparison *c, int i)
{
    if (!c) return NULL;
    return i >= 0 && i < c->n ? &c->signals[i] : NULL;
}

const flx_difference *flx_comparison_sum(const flx_comparison *c)
{
    return &c->sum;
}

int flx_comparison_left_out(const flx_comparison *c, int of_b)
{
    if (!c) return 0;
    return c->left_out[of_b != 0];
}
