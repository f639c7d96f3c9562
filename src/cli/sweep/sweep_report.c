// sweep_report.c - see sweep_report.h.
#include "cli/sweep/sweep_report.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 200

static bool is_parameter(const flx_model *model, const char *name)
{
    const char *p;
    for (int i = 0; (p = flx_model_sweep_parameter(model, i)) != NULL; i++) {
        if (strcmp(p, name) == 0) return true;
    }
    return strcmp(name, "steps") == 0;
}

static void set(sweep_table *out, const char *name, const char *what, double value)
{
    char label[LABEL];
    snprintf(label, sizeof label, "%s.%s", name, what);
    sweep_table_set(out, label, value);
}

static flx_status tell_summary(flx_ctx *ctx, const char *name, int n, const double *y, int report,
                               bool quiet, sweep_table *out)
{
    flx_sample_summary s;
    flx_status status = flx_sample_summarise(ctx, n, y, &s);
    if (status != FLX_OK) return status;
    set(out, name, "mean", s.mean);
    set(out, name, "mean_error", s.mean_error);
    set(out, name, "deviation", s.deviation);
    static const char *const words[] = {"q2.5", "q25", "q50", "q75", "q97.5"};
    for (int k = 0; k < FLX_SAMPLE_QUANTILE_COUNT; k++) set(out, name, words[k], s.quantiles[k]);
    set(out, name, "failed", s.failed);
    if (quiet) return FLX_OK;
    printf("%s: of %d runs", name, s.n);
    if (s.failed > 0) printf(" (%d failed)", s.failed);
    if (report & FLX_SAMPLE_MEAN) printf(", mean %.6g +- %.2g", s.mean, s.mean_error);
    if (report & FLX_SAMPLE_DEVIATION) printf(", deviation %.6g", s.deviation);
    printf("\n");
    if (!(report & FLX_SAMPLE_QUANTILES)) return FLX_OK;
    printf("  2.5, 25, 50, 75, 97.5 per cent:");
    for (int k = 0; k < FLX_SAMPLE_QUANTILE_COUNT; k++) printf(" %.6g", s.quantiles[k]);
    printf("\n");
    return FLX_OK;
}

static flx_status tell_indices(flx_ctx *ctx, const flx_model *model, const char *name,
                               const flx_sample_info *sample, const double *y, bool quiet,
                               sweep_table *out)
{
    int n = 0, failed = 0;
    while (flx_model_sweep_parameter(model, n)) n++;
    flx_sample_index *index = calloc((size_t)n + 1, sizeof *index);
    if (!index) return FLX_ERR_MEMORY;
    flx_status status = flx_sample_indices(ctx, sample->rows, n, y, sample->seed, index, &failed);
    if (status == FLX_OK && !quiet) {
        printf("  %-14s %8s  %-18s %8s  %s\n", "", "first", "95 per cent", "total", "95 per cent");
        if (failed > 0)
            printf("  (%d of %d rows are left out: a run failed)\n", failed, sample->rows);
    }
    for (int i = 0; i < n && status == FLX_OK; i++) {
        const flx_sample_index *x = index + i;
        const char *p = flx_model_sweep_parameter(model, i);
        char label[LABEL];
        const struct {
            const char *what;
            double value;
        } all[] = {{"first", x->first}, {"first_low", x->first_low}, {"first_high", x->first_high},
                   {"total", x->total}, {"total_low", x->total_low}, {"total_high", x->total_high}};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            snprintf(label, sizeof label, "%s.%s", p, all[k].what);
            set(out, name, label, all[k].value);
        }
        if (quiet) continue;
        printf("  %-14s %8.4f  %7.4f ..%7.4f  %8.4f  %7.4f ..%7.4f\n", p, x->first, x->first_low,
               x->first_high, x->total, x->total_low, x->total_high);
    }
    free(index);
    return status;
}

flx_status sweep_report(flx_ctx *ctx, const flx_model *model, const sweep_table *t,
                        const flx_sample_info *sample, bool quiet, const char *path)
{
    bool indices = sample->report & FLX_SAMPLE_INDICES;
    sweep_table out = {0};
    double *y = calloc((size_t)t->nrow + 1, sizeof *y);
    flx_status status = y ? FLX_OK : FLX_ERR_MEMORY;
    sweep_table_add_row(&out);
    for (int k = 0; k < t->ncolumn && status == FLX_OK; k++) {
        if (is_parameter(model, t->names[k])) continue;
        for (int i = 0; i < t->nrow; i++)
            y[i] = t->values[(size_t)i * (size_t)t->width + (size_t)k];
        // of a design for indices two samples are independent
        int n = indices && t->nrow > 2 * sample->rows ? 2 * sample->rows : t->nrow;
        status = tell_summary(ctx, t->names[k], n, y, sample->report, quiet, &out);
        if (status == FLX_OK && indices)
            status = tell_indices(ctx, model, t->names[k], sample, y, quiet, &out);
    }
    if (out.failed) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && out.ncolumn > 0) status = sweep_table_write(&out, ctx, path);
    if (status == FLX_OK && !quiet && out.ncolumn > 0) printf("the report is in %s\n", path);
    sweep_table_clear(&out);
    free(y);
    return status;
}
