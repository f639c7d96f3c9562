// sweep_sample.c - see sweep_sample.h. With indices the runs are those of Saltelli's design (SMP-2): the samples A and B, then
// for each parameter A with its column from B.
#include "language/sweep/sweep_sample.h"

#include "flexion/sample.h"
#include "math/sample/sample_points.h"

#include <math.h>

#define MOST_RUNS 1e6
#define SUM 1e-9 // probabilities are 1 to this

typedef struct distribution {
    enum { UNIFORM, NORMAL, VALUES } kind;
    double a, b; // from, to; mean, deviation
    int n;
    double *values, *probabilities;
} distribution;

flx_status flx_sample_begin(flx_env *e, const flx_entry *block, flx_sweep *out)
{
    static const char *const words[] = {"mean", "deviation", "quantiles", "indices", NULL};
    static const char *const methods[] = {"sobol", "latin", "random", NULL};
    const flx_entry *sample = flx_entry_get(block, "sample"),
                    *report = flx_entry_get(block, "report"),
                    *combine = flx_entry_get(block, "combine");
    flx_builder *b = e->b;
    int method = 0, seed = 1;
    if (!sample) {
        if (!report) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, report->loc,
                        "a report is one of a 'sample'; of a grid the table is all there is");
    }
    if (combine) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, combine->loc,
                        "a sample combines its parameters itself: leave 'combine' out");
    }
    const flx_entry *count = flx_entry_get(sample, "count"), *given = flx_entry_get(sample, "seed"),
                    *how = flx_entry_get(sample, "method");
    if (!count) return FLX_OK; // said by the schema
    FLX_TRY(flx_build_integer(e, count, &out->rows));
    if (given) FLX_TRY(flx_build_integer(e, given, &seed));
    if (how) FLX_TRY(flx_build_word(b, how, "the method", methods, &method));
    if (out->rows < 2 || out->rows > MOST_RUNS) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, count->loc,
                        "'count' must be at least 2, and at most %g", MOST_RUNS);
    }
    out->sample_method = method;
    out->seed = (unsigned)seed;
    out->zip = true;
    if (!report) out->report = FLX_SAMPLE_MEAN | FLX_SAMPLE_DEVIATION | FLX_SAMPLE_QUANTILES;
    for (int i = 0; report && report->kind == FLX_ENTRY_LIST && i < report->count; i++) {
        int word = 0;
        FLX_TRY(flx_build_word(b, report->items[i], "the report", words, &word));
        out->report |= 1 << word;
    }
    return FLX_OK;
}

static flx_status fail(flx_env *e, const flx_entry *y)
{
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "a distribution is {mean: .., deviation: ..}, {from: .., to: ..} or {values: "
                    "[..], probabilities: [..]}");
}

static flx_status read_list(flx_env *e, const flx_entry *y, distribution *d)
{
    const flx_entry *list = y->kind == FLX_ENTRY_LIST ? y : flx_entry_get(y, "values"),
                    *p = y->kind == FLX_ENTRY_LIST ? NULL : flx_entry_get(y, "probabilities");
    int n = 0;
    double sum = 0.0;
    d->kind = VALUES;
    FLX_TRY(flx_build_numbers(e, list, &d->n, &d->values));
    if (!p) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, p, &n, &d->probabilities));
    for (int i = 0; i < n; i++) sum += d->probabilities[i] >= 0.0 ? d->probabilities[i] : HUGE_VAL;
    if (n == d->n && fabs(sum - 1.0) <= SUM) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, p->loc,
                    "there are %d values: as many probabilities, none below 0, whose sum is 1",
                    d->n);
}

static flx_status read_distribution(flx_env *e, const flx_entry *y, distribution *d)
{
    if (y->kind == FLX_ENTRY_LIST) return read_list(e, y, d);
    if (y->kind != FLX_ENTRY_MAP) return fail(e, y);
    const flx_entry *from = flx_entry_get(y, "from"), *to = flx_entry_get(y, "to"),
                    *mean = flx_entry_get(y, "mean"), *deviation = flx_entry_get(y, "deviation"),
                    *values = flx_entry_get(y, "values"), *count = flx_entry_get(y, "count"),
                    *spacing = flx_entry_get(y, "spacing");
    if (spacing) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, spacing->loc,
                        "a sample has no 'spacing': between 'from' and 'to' all values are equally "
                        "likely; for equal ratios sample the logarithm, as a parameter of its own");
    }
    if (count) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, count->loc,
                        "the sample has a 'count', and a parameter of it has none");
    }
    if ((from || to) + (mean || deviation) + (values != NULL) != 1) return fail(e, y);
    if (values) return read_list(e, y, d);
    const flx_entry *a = mean ? mean : from, *b = mean ? deviation : to;
    if (!a || !b) return fail(e, y);
    d->kind = mean ? NORMAL : UNIFORM;
    FLX_TRY(flx_build_number(e, a, &d->a));
    FLX_TRY(flx_build_number(e, b, &d->b));
    if (mean ? d->b > 0.0 : d->b > d->a) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, b->loc,
                    mean ? "a deviation must be positive" : "'to' must be above 'from'");
}

static double draw(const distribution *d, double u)
{
    if (d->kind == UNIFORM) return d->a + u * (d->b - d->a);
    if (d->kind == NORMAL) return d->a + d->b * flx_sample_normal(u);
    int i = 0;
    double sum = 0.0;
    for (; i < d->n - 1; i++) {
        sum += d->probabilities ? d->probabilities[i] : 1.0 / d->n;
        if (u < sum) break;
    }
    return d->values[i];
}

flx_status flx_sample_read(flx_env *e, const flx_entry *y, int n, int i, const flx_sweep *s,
                           flx_swept *out)
{
    flx_builder *b = e->b;
    distribution d = {0};
    bool indices = s->report & FLX_SAMPLE_INDICES;
    double runs = (double)s->rows * (indices ? n + 2 : 1);
    FLX_TRY(read_distribution(e, y, &d));
    if (!(runs <= MOST_RUNS)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "these are %g runs, and at most %g can be asked for", runs, MOST_RUNS);
    }
    out->count = (int)runs;
    out->values = flx_arena_take(b->m->arena, (size_t)out->count, sizeof *out->values);
    double *u = flx_arena_take(b->m->arena, 2 * (size_t)s->rows, sizeof *u);
    if (!out->values || !u) return FLX_ERR_MEMORY;
    flx_sample_method method = (flx_sample_method)s->sample_method;
    FLX_TRY(flx_sample_column(b->ctx, method, s->seed, i, s->rows, u));
    if (indices) FLX_TRY(flx_sample_column(b->ctx, method, s->seed, n + i, s->rows, u + s->rows));
    for (int run = 0; run < out->count; run++) {
        int block = run / s->rows, row = run % s->rows;
        bool second = block == 1 || block == 2 + i;
        out->values[run] = draw(&d, u[second ? s->rows + row : row]);
    }
    return FLX_OK;
}

int flx_model_sweep_sample(const flx_model *model, flx_sample_info *out)
{
    if (!model || !out) return 0;
    const flx_sweep *s = &model->sweep;
    *out = (flx_sample_info){.rows = s->rows, .report = s->report, .seed = s->seed};
    return s->rows > 0;
}
