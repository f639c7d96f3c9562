// series_file.c - signals of many runs in one HDF5 file, and one file of several such.
//
// A file of a chunk grows by runs, and by rows where a run has more than those before. It is written beside its place by the
// driver of hdf5_disk.h, and renamed. Of a chunk, run `first + i` is row i of its arrays, done or not, so that a file of all
// chunks maps blocks.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"
#include "results/hdf5_disk.h"
#include "results/hdf5_values.h"
#include "results/kept_rows.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

struct flx_series {
    flx_ctx *ctx;
    flx_output *output; // owned
    flx_hdf5_disk disk;
    hid_t file, t, signals; // negative: not yet
    int first, n, columns;  // columns: 0 until a run has told
    int rows;               // of the longest run
    int *counts;            // (n) owned: rows of each run; 0: not done
};

typedef struct series_sink {
    flx_sink base;
    flx_series *s;
    int run;
    const flx_result_info *info;
    flx_kept_rows rows;
} series_sink;

static flx_status complain(flx_series *s)
{
    errno = s->disk.error;
    return flx_output_fail(s->output, s->disk.error ? "" : "HDF5 refuses");
}

// ---- the file of a chunk -------------------------------------------------------------------------

flx_status flx_series_create(flx_ctx *ctx, const char *path, int first, int end, flx_series **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    *out = NULL;
    flx_series *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    *s = (flx_series){.ctx = ctx, .file = -1, .t = -1, .signals = -1, .first = first};
    s->n = end - first;
    s->counts = flx_alloc(ctx, (size_t)s->n, sizeof *s->counts);
    flx_status status =
        s->counts ? flx_output_reserve(ctx, "the signals", path, &s->output) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        flx_hdf5_silence before = flx_hdf5_hush();
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        s->file = flx_hdf5_disk_create(&s->disk, s->output->part, access);
        H5Pclose(access);
        flx_hdf5_speak(before);
        if (s->file < 0) status = complain(s);
    }
    *out = s;
    if (status != FLX_OK) (void)flx_series_close(out, status);
    return status;
}

// An array that grows along its first dimensions, NaN where nothing is written; one run is stored together.
static hid_t create_growing(const flx_series *s, const char *name, int rank, hsize_t rows)
{
    const double nothing = (double)NAN;
    const hsize_t dims[3] = {(hsize_t)s->n, rows, (hsize_t)s->columns};
    const hsize_t most[3] = {(hsize_t)s->n, H5S_UNLIMITED, (hsize_t)s->columns};
    const hsize_t block[3] = {1, rows, (hsize_t)s->columns};
    hid_t space = H5Screate_simple(rank, dims, most), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(create, rank, block);
    H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nothing);
    hid_t d = H5Dcreate2(s->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return d;
}

static bool lay_out(flx_series *s, const flx_result_info *info, int rows)
{
    s->columns = info->ncolumn;
    s->rows = rows;
    s->t = create_growing(s, "t", 2, (hsize_t)rows);
    s->signals = create_growing(s, "signals", 3, (hsize_t)rows);
    return s->t >= 0 && s->signals >= 0 &&
           flx_hdf5_put_texts(s->ctx, s->file, "names", info->names[0], info->ncolumn - 1,
                              info->names + 1) &&
           flx_hdf5_put_texts(s->ctx, s->file, "units", info->units[0], info->ncolumn - 1,
                              info->units + 1);
}

static bool grow_to(flx_series *s, int rows)
{
    const hsize_t dims[3] = {(hsize_t)s->n, (hsize_t)rows, (hsize_t)s->columns};
    if (rows <= s->rows) return true;
    s->rows = rows;
    return H5Dset_extent(s->t, dims) >= 0 && H5Dset_extent(s->signals, dims) >= 0;
}

// Columns `from` on of the rows of a run, into row i of an array.
static bool put_run(hid_t d, int i, int rows, int width, int from, int columns, const double *data)
{
    const hsize_t start[3] = {(hsize_t)i, 0, 0}, count[3] = {1, (hsize_t)rows, (hsize_t)columns};
    const hsize_t all[2] = {(hsize_t)rows, (hsize_t)width}, at[2] = {0, (hsize_t)from};
    const hsize_t part[2] = {(hsize_t)rows, (hsize_t)columns};
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(2, all, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Sselect_hyperslab(memory, H5S_SELECT_SET, at, NULL, part, NULL) >= 0 &&
                H5Dwrite(d, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

static flx_status add_run(const series_sink *k)
{
    flx_series *s = k->s;
    const flx_result_info *info = k->info;
    int width = info->ncolumn + 1, i = k->run - s->first;
    if (k->rows.count == 0 || info->ncolumn == 0) return FLX_OK;
    flx_hdf5_silence before = flx_hdf5_hush();
    bool good = s->columns > 0 || lay_out(s, info, k->rows.count);
    if (good && s->columns != info->ncolumn) {
        flx_hdf5_speak(before);
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "run %d has %d signals, the runs before it %d: results of such runs cannot "
                        "lie in one array; leave --results out",
                        k->run + 1, info->ncolumn, s->columns);
    }
    good = good && grow_to(s, k->rows.count) &&
           put_run(s->t, i, k->rows.count, width, 0, 1, k->rows.data) &&
           put_run(s->signals, i, k->rows.count, width, 1, info->ncolumn, k->rows.data);
    flx_hdf5_speak(before);
    if (!good || s->disk.error) return complain(s);
    s->counts[i] = k->rows.count;
    return FLX_OK;
}

flx_status flx_series_close(flx_series **out, flx_status how)
{
    flx_series *s = out ? *out : NULL;
    if (!s) return how;
    flx_hdf5_silence before = flx_hdf5_hush();
    const hsize_t n[1] = {(hsize_t)s->n};
    if (how == FLX_OK && !flx_hdf5_put(s->file, "rows", H5T_NATIVE_INT, 1, n, s->counts))
        how = complain(s);
    if (s->t >= 0) H5Dclose(s->t);
    if (s->signals >= 0) H5Dclose(s->signals);
    if (s->file >= 0) {
        H5Fclose(s->file);
        flx_hdf5_disk_end(&s->disk);
    }
    flx_hdf5_speak(before);
    if (how == FLX_OK && s->disk.error) how = complain(s);
    if (how == FLX_OK && !flx_output_commit(s->output)) how = flx_output_fail(s->output, "");
    if (s->output) flx_output_drop(&s->output);
    flx_free(s->counts);
    flx_free(s);
    *out = NULL;
    return how;
}

// ---- the sink of one run -------------------------------------------------------------------------

static flx_status series_begin(flx_sink *base, const flx_result_info *info)
{
    series_sink *k = (series_sink *)base;
    k->info = info;
    return flx_kept_rows_begin(base->ctx, info, &k->rows);
}

static flx_status series_row(flx_sink *base, double t, const double *values)
{
    return flx_kept_rows_add(base->ctx, &((series_sink *)base)->rows, t, values);
}

static flx_status series_end(flx_sink *base, const flx_ledger *ledger)
{
    const series_sink *k = (const series_sink *)base;
    return ledger && ledger->status == FLX_OK ? add_run(k) : FLX_OK;
}

static void series_destroy(flx_sink *base)
{
    series_sink *k = (series_sink *)base;
    flx_free(k->rows.data);
    flx_free(k);
}

static const flx_sink_type series_type = {.name = "series",
                                          .begin = series_begin,
                                          .row = series_row,
                                          .end = series_end,
                                          .destroy = series_destroy};

flx_status flx_series_sink(flx_series *s, int run, flx_sink **out)
{
    if (!s || !out) return flx_refuse_null(NULL, __func__);
    *out = NULL;
    if (run < s->first || run >= s->first + s->n) return FLX_ERR_ARGUMENT;
    series_sink *k = flx_alloc(s->ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    k->base = (flx_sink){&series_type, s->ctx};
    k->s = s;
    k->run = run;
    *out = &k->base;
    return FLX_OK;
}
