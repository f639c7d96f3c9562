// results_fixture.h - a folder of its own for the files of a test, and synthetic results.
#pragma once

#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

// mkdtemp is X/Open; the number of the process serves as well.
static inline void make_folder(const char *name)
{
    snprintf(folder, sizeof folder, "test_%s_%ld", name, (long)getpid());
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    if (system(command) != 0) abort();
}

static inline void remove_folder(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) abort();
}

static inline const char *in_folder(const char *name)
{
    static char path[4][192];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static inline void write_text(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, length, f) != length) abort();
    fclose(f);
}

#define N_COLUMNS 4
static const char *const column_names[N_COLUMNS] = {"crank.position.x", "crank.position.y",
                                                    "pin(2).angle", "odd, \"name\"'"};
static const char *const column_units[N_COLUMNS] = {"m", "m", "rad", "m/s^2"};
static const char *const measure_names[1] = {"far"};

static inline flx_result_info make_info(long rows)
{
    return (flx_result_info){
        .title = "A synthetic result",
        .model_path = "model.yaml",
        .model_text = "flexion: 1\n",
        .version = flx_version(),
        .method = "radau",
        .formulation = "ggl",
        .settings = "step 0.001",
        .ncolumn = N_COLUMNS,
        .names = column_names,
        .units = column_units,
        .rows = rows,
        .nmetric = 1,
        .metrics = measure_names,
    };
}

// Row i: numbers without a short decimal form.
static inline double row_time(int i)
{
    return i / 3.0;
}

static inline void make_row(int i, double values[N_COLUMNS])
{
    for (int c = 0; c < N_COLUMNS; c++) values[c] = (c + 1) * 0.1 + i / 7.0;
    if (i == 2) values[3] = (double)NAN;
}

static inline flx_status put_rows(flx_sink *s, int from, int to)
{
    for (int i = from; i < to; i++) {
        double values[N_COLUMNS];
        make_row(i, values);
        flx_status status = s->type->row(s, row_time(i), values);
        if (status != FLX_OK) return status;
    }
    return FLX_OK;
}

// Whether the result holds exactly the rows 0 to n-1 and the names.
static inline int check_rows(const flx_result *r, int n)
{
    CHECK(flx_result_rows(r) == n);
    CHECK(flx_result_columns(r) == N_COLUMNS + 1);
    CHECK(strcmp(flx_result_name(r, 0), "t") == 0);
    for (int c = 0; c < N_COLUMNS; c++) {
        CHECK(strcmp(flx_result_name(r, c + 1), column_names[c]) == 0);
    }
    for (int i = 0; i < n; i++) {
        double values[N_COLUMNS], t = row_time(i);
        make_row(i, values);
        CHECK(flx_result_column(r, 0)[i] == t);
        for (int c = 0; c < N_COLUMNS; c++) {
            double found = flx_result_column(r, c + 1)[i];
            CHECK(isnan(values[c]) ? isnan(found) : found == values[c]);
        }
    }
    return 0;
}

static inline const char *last_error(const flx_ctx *ctx)
{
    const flx_message *m = flx_ctx_error(ctx, flx_ctx_error_count(ctx) - 1);
    return m ? m->text : "";
}

typedef flx_status (*sink_maker)(flx_ctx *ctx, const char *path, flx_sink **s);

// Write rows 0 to n-1, expecting `expected` of them, and close.
static inline int write_result(flx_ctx *ctx, sink_maker make, const char *path, int n,
                               long expected, const flx_ledger *ledger)
{
    flx_sink *s = NULL;
    flx_result_info info = make_info(expected);
    CHECK(make(ctx, path, &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_OK);
    CHECK(put_rows(s, 0, n) == FLX_OK);
    CHECK(s->type->end(s, ledger) == FLX_OK);
    flx_sink_destroy(&s);
    CHECK(s == NULL);
    return 0;
}

static inline int read_result(flx_ctx *ctx, const char *path, int n, int complete)
{
    flx_result *r = NULL;
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK);
    if (check_rows(r, n)) return 1;
    CHECK(flx_result_complete(r) == complete);
    flx_result_close(&r);
    CHECK(r == NULL);
    return 0;
}
