// csv.c - results as a table of text: a header "t,name,...", then a line a row.
//
// Numbers have 17 significant digits, so that reading gives the same bits back. Lines are handed to
// the system at least once a second: a run that is cut off loses no more.
#include "base/base.h"
#include "base/number.h"
#include "flexion/results.h"
#include "flexion/simulation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_SECONDS 1.0

typedef struct csv_sink {
    flx_sink base;
    char *path; // owned
    FILE *file; // owned, unless it is stdout
    int ncolumn;
    double flushed; // when
} csv_sink;

static flx_status write_error(csv_sink *s)
{
    return FLX_FAIL(s->base.ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write the table '%s': %s",
                    s->path, strerror(errno));
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
    return fflush(s->file) == 0 ? FLX_OK : write_error(s);
}

static flx_status csv_row(flx_sink *base, double t, const double *values)
{
    csv_sink *s = (csv_sink *)base;
    flx_fprintf(s->file, "%.17g", t);
    for (int i = 0; i < s->ncolumn; i++) flx_fprintf(s->file, ",%.17g", values[i]);
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
    if (s->file && s->file != stdout) fclose(s->file);
    flx_free(s->path);
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
    *out = NULL;
    csv_sink *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->base = (flx_sink){.type = &csv_type, .ctx = ctx};
    flx_sink *sink = &s->base;
    flx_status status = FLX_OK;

    s->path = flx_alloc(ctx, strlen(path) + 1, 1);
    if (!s->path) {
        status = FLX_ERR_MEMORY;
        goto fail;
    }
    memcpy(s->path, path, strlen(path) + 1);
    s->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!s->file) {
        status = FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create the table '%s': %s", path,
                          strerror(errno));
        goto fail;
    }
    *out = sink;
    return FLX_OK;

fail:
    flx_sink_destroy(&sink);
    return status;
}
