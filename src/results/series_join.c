// series_join.c - one file of the signals of all runs of a study: its arrays are seen through those of the chunks (virtual
// datasets of HDF5), or copies of them.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/results.h"
#include "results/hdf5_disk.h"
#include "results/hdf5_values.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define ARRAYS 2 // t, signals
static const char *const array_names[ARRAYS] = {"t", "signals"};

typedef struct series_join {
    flx_ctx *ctx;
    char *folder; // owned: of the file, with its slash
    int runs, chunk, n;
    const char *const *files;
    int rows, columns; // the most of any
    int *counts;       // (runs) owned
    hid_t file;
    bool pack;
} series_join;

static hid_t open_chunk(const series_join *j, int i)
{
    char path[4200];
    if (!j->files[i]) return -1;
    flx_snprintf(path, sizeof path, "%s%s", j->folder, j->files[i]);
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

static int count_of(const series_join *j, int i)
{
    int left = j->runs - i * j->chunk;
    return left < j->chunk ? left : j->chunk;
}

static flx_status damaged(const series_join *j, int i)
{
    return FLX_FAIL(j->ctx, FLX_ERR_IO, FLX_NOWHERE,
                    "'%s%s' is not the file of signals that its study wrote; remove it and its "
                    "claim, and do its runs again",
                    j->folder, j->files[i]);
}

// The extents of an array; false: it is not there, or of another rank.
static bool measure(hid_t file, const char *name, int rank, hsize_t dims[3])
{
    hid_t d = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    hid_t space = d >= 0 ? H5Dget_space(d) : -1;
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    if (space >= 0) H5Sclose(space);
    if (d >= 0) H5Dclose(d);
    return good;
}

static bool copy_texts(hid_t from, hid_t to, const char *name)
{
    return H5Ocopy(from, name, to, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

// How large the arrays are, how many rows each run has; names of the first chunk.
static flx_status look(series_join *j)
{
    for (int i = 0; i < j->n; i++) {
        hsize_t dims[3], n[3];
        hid_t file = open_chunk(j, i);
        if (!j->files[i]) continue;
        bool good = file >= 0 && measure(file, "rows", 1, n) && (int)n[0] == count_of(j, i);
        if (good && H5Lexists(file, "signals", H5P_DEFAULT) > 0) { // else all of its runs failed
            hid_t d = H5Dopen2(file, "rows", H5P_DEFAULT);
            good = measure(file, "signals", 3, dims) && dims[0] == n[0] &&
                   H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                           j->counts + (size_t)i * (size_t)j->chunk) >= 0;
            H5Dclose(d);
            if (good && j->columns == 0) {
                j->columns = (int)dims[2];
                good = copy_texts(file, j->file, "names") && copy_texts(file, j->file, "units");
            }
            good = good && (int)dims[2] == j->columns;
            if (good && (int)dims[1] > j->rows) j->rows = (int)dims[1];
        }
        if (file >= 0) H5Fclose(file);
        if (!good) return damaged(j, i);
    }
    return FLX_OK;
}

// A block of runs and rows of an array of rank 2 or 3.
static hid_t block_of(int rank, hsize_t runs, hsize_t rows, hsize_t columns)
{
    const hsize_t dims[3] = {runs, rows, columns};
    return H5Screate_simple(rank, dims, NULL);
}

static bool map_chunk(const series_join *j, int i, const char *name, int rank, hid_t space,
                      hid_t create)
{
    hsize_t dims[3] = {0};
    const hsize_t start[3] = {(hsize_t)i * (hsize_t)j->chunk, 0, 0};
    hid_t file = open_chunk(j, i);
    bool there = file >= 0 && measure(file, name, rank, dims);
    if (file >= 0) H5Fclose(file);
    if (!there) return true;
    hid_t source = H5Screate_simple(rank, dims, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
                H5Pset_virtual(create, space, j->files[i], name, source) >= 0;
    H5Sclose(source);
    return good;
}

static bool copy_chunk(const series_join *j, int i, const char *name, int rank, hid_t to)
{
    hsize_t dims[3] = {0};
    const hsize_t start[3] = {(hsize_t)i * (hsize_t)j->chunk, 0, 0};
    hid_t file = open_chunk(j, i);
    bool there = file >= 0 && measure(file, name, rank, dims), good = !there;
    size_t size = (size_t)dims[0] * (size_t)dims[1] * (rank > 2 ? (size_t)dims[2] : 1);
    double *data = there ? flx_alloc(j->ctx, size, sizeof *data) : NULL;
    if (data) {
        hid_t from = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(to);
        hid_t memory = H5Screate_simple(rank, dims, NULL);
        good = H5Dread(from, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
               H5Dwrite(to, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, data) >= 0;
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(from);
    }
    flx_free(data);
    if (file >= 0) H5Fclose(file);
    return good;
}

static bool put_array(const series_join *j, const char *name, int rank)
{
    const double nothing = (double)NAN;
    hid_t space = block_of(rank, (hsize_t)j->runs, (hsize_t)j->rows, (hsize_t)j->columns);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nothing) >= 0;
    for (int i = 0; i < j->n && good && !j->pack; i++)
        good = !j->files[i] || map_chunk(j, i, name, rank, space, create);
    H5Sselect_all(space);
    hid_t d =
        good ? H5Dcreate2(j->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT)
             : -1;
    good = d >= 0;
    for (int i = 0; i < j->n && good && j->pack; i++)
        good = !j->files[i] || copy_chunk(j, i, name, rank, d);
    if (d >= 0) H5Dclose(d);
    H5Pclose(create);
    H5Sclose(space);
    return good;
}

static bool put_arrays(const series_join *j)
{
    const hsize_t n[1] = {(hsize_t)j->runs};
    bool good = flx_hdf5_put(j->file, "rows", H5T_NATIVE_INT, 1, n, j->counts);
    for (int k = 0; k < ARRAYS && good && j->columns > 0; k++)
        good = put_array(j, array_names[k], 2 + k);
    return good;
}

flx_status flx_series_join(flx_ctx *ctx, const char *path, int runs, int chunk, int n,
                           const char *const *files, int pack)
{
    if (!ctx || !path || (n > 0 && !files)) return flx_refuse_null(ctx, __func__);
    if (runs < 1 || chunk < 1 || n < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "%d runs in %d chunks of %d cannot be joined", runs, n, chunk);
    }
    flx_output *o = NULL;
    flx_hdf5_disk disk = {0};
    series_join j = {.ctx = ctx, .runs = runs, .chunk = chunk, .n = n, .files = files};
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    FLX_TRY(flx_output_reserve(ctx, "the signals", path, &o));
    j.pack = pack != 0;
    j.folder = flx_alloc(ctx, length + 1, 1);
    j.counts = flx_alloc(ctx, (size_t)runs, sizeof *j.counts);
    flx_status status = j.folder && j.counts ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        memcpy(j.folder, path, length);
        flx_hdf5_silence before = flx_hdf5_hush();
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        j.file = flx_hdf5_disk_create(&disk, o->part, access);
        H5Pclose(access);
        bool good = j.file >= 0;
        if (good) status = look(&j);
        if (good && status == FLX_OK) good = put_arrays(&j);
        if (j.file >= 0) {
            H5Fclose(j.file);
            flx_hdf5_disk_end(&disk);
        }
        flx_hdf5_speak(before);
        errno = disk.error;
        if (status == FLX_OK && (!good || disk.error))
            status = flx_output_fail(o, disk.error ? "" : "HDF5 refuses");
        if (status == FLX_OK && !flx_output_commit(o)) status = flx_output_fail(o, "");
    }
    flx_output_drop(&o);
    flx_free(j.folder);
    flx_free(j.counts);
    return status;
}
