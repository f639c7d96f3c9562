// read_hdf5.c - read back what hdf5.c wrote; rows without a time were never computed.
#include "output/format.h"
#include "output/result.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES 1000000 // rows are turned into columns in blocks of about this size

// Texts of one dataset, as fixed-length strings: n of them, each copied to the arena. NULL: the
// dataset is missing, of another kind, or there is no memory.
static const char **read_texts(flx_result *r, hid_t file, const char *name, int *n)
{
    const char **texts = NULL;
    char *block = NULL;
    hid_t type = -1, space = -1, d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return NULL;
    type = H5Dget_type(d);
    space = H5Dget_space(d);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) goto done;
    if (count < 1 || count > INT_MAX || length < 1) goto done;

    block = flx_alloc(r->ctx, (size_t)count, length);
    texts = flx_arena_take(r->arena, (size_t)count, sizeof *texts);
    if (!block || !texts || H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) {
        texts = NULL;
        goto done;
    }
    for (hssize_t i = 0; i < count; i++) {
        const char *text = block + (size_t)i * length;
        texts[i] = flx_arena_copy(r->arena, text, strnlen(text, length));
        if (!texts[i]) texts[i] = "";
    }
    *n = (int)count;

done:
    flx_free(block);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(d);
    return texts;
}

static const char *read_attribute(flx_result *r, hid_t file, const char *name)
{
    const char *text = NULL;
    if (H5Aexists(file, name) <= 0) return NULL;
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    if (a < 0) return NULL;
    hid_t type = H5Aget_type(a);
    size_t length = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        char *copy = flx_arena_take(r->arena, length + 1, 1);
        if (copy && H5Aread(a, type, copy) >= 0) text = copy;
    }
    H5Tclose(type);
    H5Aclose(a);
    return text;
}

// NaN when it is not there.
static double read_number(hid_t file, const char *name)
{
    double value = (double)NAN;
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return value;
    if (H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0)
        value = (double)NAN;
    H5Dclose(d);
    return value;
}

static flx_status read_block(hid_t d, hsize_t first, hsize_t n, hsize_t columns, double *block)
{
    const hsize_t start[2] = {first, 0}, count[2] = {n, columns};
    hid_t from = H5Dget_space(d), to = H5Screate_simple(2, count, NULL);
    herr_t e = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL);
    if (e >= 0) e = H5Dread(d, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, block);
    H5Sclose(from);
    H5Sclose(to);
    return e >= 0 ? FLX_OK : FLX_ERR_IO;
}

static flx_status read_columns(flx_result *r, hid_t d, hsize_t rows, hsize_t columns)
{
    hsize_t most = BLOCK_BYTES / (columns * sizeof(double)) + 1;
    double *block = flx_alloc(r->ctx, (size_t)(most * columns), sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    int written = 0;
    for (hsize_t first = 0; first < rows && status == FLX_OK; first += most) {
        hsize_t n = rows - first < most ? rows - first : most;
        status = read_block(d, first, n, columns, block);
        for (hsize_t i = 0; i < n && status == FLX_OK; i++) {
            const double *row = block + i * columns;
            if (isnan(row[0])) continue; // the run did not come so far
            for (hsize_t c = 0; c < columns; c++) r->data[c][written] = row[c];
            written++;
        }
    }
    r->rows = written;
    flx_free(block);
    return status;
}

static flx_status read_rows(flx_result *r, const char *path, hid_t d, int nname)
{
    hsize_t dims[2] = {0, 0};
    hid_t space = H5Dget_space(d);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank == 2) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    hid_t type = H5Dget_type(d);
    bool numbers = H5Tget_class(type) == H5T_FLOAT;
    H5Tclose(type);
    if (rank != 2 || !numbers || dims[1] != (hsize_t)nname) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' is damaged: its rows do not fit its names", path);
    }
    FLX_TRY(flx_result_reserve(r, dims[0] > LONG_MAX ? LONG_MAX : (long)dims[0], nname));
    flx_status status = read_columns(r, d, dims[0], dims[1]);
    if (status != FLX_ERR_IO) return status;
    return FLX_FAIL(r->ctx, status, FLX_NOWHERE, "'%s' is damaged: its rows cannot be read", path);
}

static flx_status read_file(flx_result *r, const char *path, hid_t file)
{
    int nname = 0, nunit = 0;
    const char *format = read_attribute(r, file, "format");
    if (!format || strncmp(format, "flexion-result ", 15) != 0) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' is an HDF5 file, but not a result of flexion", path);
    }
    if (strcmp(format, FLX_RESULT_FORMAT) != 0) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' has the format '%.40s'; this version of flexion reads '%s'", path,
                        format, FLX_RESULT_FORMAT);
    }
    const char **names = read_texts(r, file, "names", &nname);
    const char **units = read_texts(r, file, "units", &nunit);
    hid_t d = H5Dopen2(file, "rows", H5P_DEFAULT);
    flx_status status;
    if (!names || d < 0) {
        status = FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                          "'%s' is damaged: its names or rows cannot be read", path);
    } else {
        status = read_rows(r, path, d, nname);
    }
    if (d >= 0) H5Dclose(d);
    if (status != FLX_OK) return status;

    for (int c = 0; c < nname; c++) {
        r->names[c] = names[c];
        if (units && c < nunit) r->units[c] = units[c];
    }
    const char *title = read_attribute(r, file, "title");
    if (title) r->title = title;
    r->complete = read_number(file, "ledger/status") == 0.0;
    return FLX_OK;
}

// Bytes that the file should have by its own superblock (version 2 or 3), 0 when unknown.
static uint64_t promised_size(FILE *f)
{
    unsigned char head[36];
    if (fseek(f, 0, SEEK_SET) != 0 || fread(head, 1, sizeof head, f) != sizeof head) return 0;
    if ((head[8] != 2 && head[8] != 3) || head[9] != 8) return 0;
    uint64_t size = 0;
    for (int i = 7; i >= 0; i--) size = size << 8 | head[28 + i];
    return size;
}

static flx_status explain_refusal(flx_result *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    uint64_t promised = f ? promised_size(f) : 0;
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (f) fclose(f);
    if (size >= 0 && promised > (uint64_t)size) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' is truncated: it has %ld of %llu bytes; copy it again", path, size,
                        (unsigned long long)promised);
    }
    return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                    "'%s' begins as an HDF5 file but HDF5 cannot open it: it is damaged", path);
}

flx_status flx_result_read_hdf5(flx_result *r, const char *path)
{
    H5E_auto2_t function;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    flx_status status;
    if (file < 0) {
        status = explain_refusal(r, path);
    } else {
        status = read_file(r, path, file);
        H5Fclose(file);
    }
    H5Eset_auto2(H5E_DEFAULT, function, data);
    return status;
}
