// test_series.c - signals of many runs in one file: chunks, and one file of all of them, seen through or copied.
#include "check.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_series.study"
#define RUNS 8
#define CHUNK 3
#define COLUMNS 2
#define MOST 5 // rows

static int rows_of(int run)
{
    return run == 4 || run == 7 ? MOST
                                : 3; // the second of their chunks have more rows than the first
}

static double value_of(int run, int row, int column)
{
    return column == 0 ? 0.25 * row : sin(run + 0.1 * row) / column;
}

static flx_status add_run(flx_series *s, int run, int columns, flx_status ended)
{
    static const char *const names[] = {"a", "b.x", "c"}, *const units[] = {"m", "", "s"};
    const flx_result_info info = {.ncolumn = columns, .names = names, .units = units, .rows = 3};
    const flx_ledger ledger = {.status = ended};
    flx_sink *k = NULL;
    flx_status status = flx_series_sink(s, run, &k);
    if (status == FLX_OK) status = k->type->begin(k, &info);
    for (int i = 0; i < rows_of(run) && status == FLX_OK; i++) {
        double row[3];
        for (int c = 0; c < columns; c++) row[c] = value_of(run, i, c + 1);
        status = k->type->row(k, value_of(run, i, 0), row);
    }
    flx_status told = k ? k->type->end(k, &ledger) : FLX_OK;
    flx_sink_destroy(&k);
    return status == FLX_OK ? told : status;
}

static const char *name_of(int chunk)
{
    static char name[100];
    snprintf(name, sizeof name, FOLDER "/runs/%06d.h5", chunk);
    return name;
}

// Three chunks; run 1 fails, the whole of the second is there if it is asked for.
static int write_chunks(flx_ctx *ctx, bool second)
{
    CHECK(system("rm -rf " FOLDER " && mkdir -p " FOLDER "/runs") == 0);
    for (int first = 0; first < RUNS; first += CHUNK) {
        int end = first + CHUNK < RUNS ? first + CHUNK : RUNS;
        flx_series *s = NULL;
        if (first == CHUNK && !second) continue;
        CHECK(flx_series_create(ctx, name_of(first / CHUNK), first, end, &s) == FLX_OK);
        for (int run = first; run < end; run++)
            CHECK(add_run(s, run, COLUMNS, run == 1 ? FLX_ERR_CANNOT : FLX_OK) == FLX_OK);
        CHECK(access(name_of(first / CHUNK), F_OK) != 0); // not before it is whole
        CHECK(flx_series_close(&s, FLX_OK) == FLX_OK && !s);
    }
    return 0;
}

static int read_all(const char *path, const char *name, int rank, double *out)
{
    hsize_t dims[3] = {0, 0, 1};
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(d);
    CHECK(f >= 0 && d >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) == rank);
    CHECK(dims[0] == RUNS && dims[1] == MOST && (rank == 2 || dims[2] == COLUMNS));
    CHECK(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(f);
    return 0;
}

static bool is(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static int check_numbers(const char *path, bool second)
{
    static double t[RUNS][MOST], y[RUNS][MOST][COLUMNS];
    CHECK(read_all(path, "t", 2, &t[0][0]) == 0 && read_all(path, "signals", 3, &y[0][0][0]) == 0);
    for (int run = 0; run < RUNS; run++) {
        bool done = run != 1 && (second || run / CHUNK != 1);
        for (int i = 0; i < MOST; i++) {
            bool there = done && i < rows_of(run);
            CHECK(is(t[run][i], there ? value_of(run, i, 0) : (double)NAN));
            for (int c = 0; c < COLUMNS; c++)
                CHECK(is(y[run][i][c], there ? value_of(run, i, c + 1) : (double)NAN));
        }
    }
    return 0;
}

static flx_status join(flx_ctx *ctx, bool second, bool pack)
{
    static const char *files[] = {"runs/000000.h5", NULL, "runs/000002.h5"};
    files[1] = second ? "runs/000001.h5" : NULL;
    return flx_series_join(ctx, FOLDER "/study.h5", RUNS, CHUNK, 3, files, pack);
}

// Chunks are sought beside the file: from another folder, and where the study has moved, it is the same.
static int all_runs_are_one_array(void)
{
    flx_ctx *ctx = flx_ctx_create();
    CHECK(write_chunks(ctx, true) == 0);
    CHECK(join(ctx, true, false) == FLX_OK && check_numbers(FOLDER "/study.h5", true) == 0);
    CHECK(system("rm -rf test_series.moved && mv " FOLDER " test_series.moved") == 0);
    CHECK(check_numbers("test_series.moved/study.h5", true) == 0);
    CHECK(system("rm -rf test_series.moved") == 0);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int copies_need_no_other_file(void)
{
    flx_ctx *ctx = flx_ctx_create();
    CHECK(write_chunks(ctx, true) == 0 && join(ctx, true, true) == FLX_OK);
    CHECK(system("rm -r " FOLDER "/runs") == 0);
    CHECK(check_numbers(FOLDER "/study.h5", true) == 0);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_is_not_there_is_not_a_number(void)
{
    flx_ctx *ctx = flx_ctx_create();
    CHECK(write_chunks(ctx, false) == 0);
    for (int pack = 0; pack < 2; pack++) {
        CHECK(join(ctx, false, pack != 0) == FLX_OK);
        CHECK(check_numbers(FOLDER "/study.h5", false) == 0);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_cannot_lie_together_is_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_series *s = NULL;
    CHECK(write_chunks(ctx, true) == 0);
    CHECK(flx_series_create(ctx, FOLDER "/runs/other.h5", 0, 2, &s) == FLX_OK);
    CHECK(add_run(s, 0, COLUMNS, FLX_OK) == FLX_OK);
    CHECK(add_run(s, 1, 3, FLX_OK) == FLX_ERR_CANNOT);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "run 2 has 3 signals, the runs before it 2"));
    CHECK(flx_series_close(&s, FLX_ERR_CANNOT) == FLX_ERR_CANNOT);
    CHECK(access(FOLDER "/runs/other.h5", F_OK) != 0);
    CHECK(system("ls " FOLDER "/runs/*.part >/dev/null 2>&1") != 0); // nothing stays behind
    FILE *f = fopen(name_of(1), "w");
    fputs("no HDF5", f);
    fclose(f);
    CHECK(join(ctx, true, false) == FLX_ERR_IO);
    CHECK(strstr(flx_ctx_error(ctx, 1)->text, "000001.h5' is not the file of signals"));
    flx_ctx_destroy(&ctx);
    CHECK(system("rm -rf " FOLDER) == 0);
    return 0;
}

TEST_MAIN(TEST(all_runs_are_one_array), TEST(copies_need_no_other_file),
          TEST(what_is_not_there_is_not_a_number), TEST(what_cannot_lie_together_is_refused))
