// csv.c - results as a table of text: a header "t,name,...", then a line a row.
//
// Numbers have as many digits, up to 17, as give the same bits back. Lines are handed to
// the system at least once a second: a run that is cut off loses no more.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <stdio.h>
#include <string.h>

#define FLUSH_SECONDS 1.0

typedef struct csv_sink {
    flx_sink base;
    flx_output *output; // owned
    FILE *file;         // its stream
    int ncolumn;
    double flushed; // when
    bool failed;    // which was told
} csv_sink;

static flx_status write_error(csv_sink *s)
{
    bool again = s->failed;
    s->failed = true;
    return again ? FLX_ERR_IO : flx_output_fail(s->output, "");
}

// A name as a field: quoted where it holds a comma, a quote or a line break.
static void put_name(FILE *f, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (const char *p = name; *p; p++) {
        if (*p == '"') fputc('"', f);
        fputc(*p, f);
    }
    fputc('"', f);
}

static flx_status csv_begin(flx_sink *base, const flx_result_info *info)
{
    csv_sink *s = (csv_sink *)base;
    s->ncolumn = info->ncolumn;
    fputc('t', s->file);
    for (int i = 0; i < info->ncolumn; i++) {
        fputc(',', s->file);
        put_name(s->file, info->names[i]);
    }
    fputc('\n', s->file);
    s->flushed = flx_clock_seconds();
    return flx_output_commit(s->output) ? FLX_OK : write_error(s); // from now on it grows there
}

static flx_status csv_row(flx_sink *base, double t, const double *values)
{
    csv_sink *s = (csv_sink *)base;
    char text[FLX_NUMBER_SIZE];
    fputs(flx_number_text(t, text), s->file);
    for (int i = 0; i < s->ncolumn; i++) {
        fputc(',', s->file);
        fputs(flx_number_text(values[i], text), s->file);
    }
    fputc('\n', s->file);
    double now = flx_clock_seconds();
    if (now - s->flushed > FLUSH_SECONDS) {
        s->flushed = now;
        fflush(s->file);
    }
    return ferror(s->file) ? write_error(s) : FLX_OK;
}

static flx_status csv_end(flx_sink *base, const flx_ledger *ledger)
{
    csv_sink *s = (csv_sink *)base;
    (void)ledger; // a table holds the rows alone
    return fflush(s->file) == 0 && !ferror(s->file) ? FLX_OK : write_error(s);
}

static void csv_destroy(flx_sink *base)
{
    csv_sink *s = (csv_sink *)base;
    flx_output_drop(&s->output);
    flx_free(s);
}

static const flx_sink_type csv_type = {
    .name = "csv",
    .begin = csv_begin,
    .row = csv_row,
    .end = csv_end,
    .destroy = csv_destroy,
};

flx_status flx_csv_sink_create(flx_ctx *ctx, const char *path, flx_sink **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    *out = NULL;
    csv_sink *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->base = (flx_sink){.type = &csv_type, .ctx = ctx};
    flx_sink *sink = &s->base;
    flx_status status = flx_output_create(ctx, "the table", path, &s->output);
    if (status != FLX_OK) {
        flx_sink_destroy(&sink);
        return status;
    }
    s->file = flx_output_file(s->output);
    *out = sink;
    return FLX_OK;
}
