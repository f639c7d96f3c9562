// read_hdf5.c - read back what hdf5.c wrote; rows without a time were never computed.
#include "results/meshes.h"
#include "results/particle_frames.h"
#include "results/result.h"
#include "results/result_format.h"
#include "results/scene_file.h"
#include "results/surfaces.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES 1000000 // rows are turned into columns in blocks of about this size

static const char **read_texts(flx_result *r, hid_t file, const char *name, int *n)
{
    flx_hdf5_source s = {r, file, false};
    return flx_hdf5_take_texts(&s, name, n);
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

// ---- what the result says of itself ----------------------------------------------------------

// Entries are asked for by name: listing the links of a damaged file can end the program.
static flx_status add_fact(flx_result *r, const char *name, const char *text, double number)
{
    FLX_TRY(
        flx_grow(r->ctx, (void **)&r->facts, &r->fact_capacity, r->nfact + 1, sizeof *r->facts));
    const char *copy = flx_arena_copy(r->arena, name, strlen(name));
    if (!copy) return FLX_ERR_MEMORY;
    r->facts[r->nfact++] = (flx_fact){copy, text, number};
    return FLX_OK;
}

static flx_status read_attributes(flx_result *r, hid_t file)
{
    static const char *const names[] = {
#define X(name) #name,
        FLX_RESULT_ATTRIBUTES(X) "created",
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = read_attribute(r, file, names[i]);
        if (text) FLX_TRY(add_fact(r, names[i], text, (double)NAN));
    }
    return FLX_OK;
}

static flx_status read_ledger(flx_result *r, hid_t file)
{
    static const char *const numbers[] = {
#define X(name) "ledger/" #name,
        FLX_LEDGER_NUMBERS(X) FLX_LEDGER_COUNTS(X)
#undef X
    };
    static const char *const texts[] = {
#define X(name) "ledger/" #name,
        FLX_LEDGER_TEXTS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        FLX_TRY(add_fact(r, numbers[i], NULL, read_number(file, numbers[i])));
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int n = 0;
        const char **text = read_texts(r, file, texts[i], &n);
        if (text && text[0][0]) FLX_TRY(add_fact(r, texts[i], text[0], (double)NAN));
    }
    return FLX_OK;
}

static flx_status read_measures(flx_result *r, hid_t file)
{
    int n = 0;
    const char **names = read_texts(r, file, "measure_names", &n);
    for (int i = 0; names && i < n; i++) {
        const char *full = flx_arena_printf(r->arena, "measures/%s", names[i]);
        if (!full) return FLX_ERR_MEMORY;
        FLX_TRY(add_fact(r, full, NULL, read_number(file, full)));
    }
    return FLX_OK;
}

static flx_status read_notes(flx_result *r, hid_t file)
{
    int n = 0;
    if (H5Lexists(file, "notes", H5P_DEFAULT) <= 0) return FLX_OK;
    const char **notes = read_texts(r, file, "notes", &n);
    for (int i = 0; notes && i < n; i++) {
        const char *name = flx_arena_printf(r->arena, "notes/%d", i + 1);
        if (!name) return FLX_ERR_MEMORY;
        FLX_TRY(add_fact(r, name, notes[i], (double)NAN));
    }
    return FLX_OK;
}

// The numbers of a vector, from the arena; NULL: there are none.
static double *read_vector(flx_result *r, hid_t file, const char *name, int *n)
{
    double *x = NULL;
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return NULL;
    hid_t space = H5Dget_space(d);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count > 0 && count < INT_MAX) x = flx_arena_take(r->arena, (size_t)count, sizeof *x);
    if (x && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) x = NULL;
    *n = x ? (int)count : 0;
    H5Sclose(space);
    H5Dclose(d);
    return x;
}

static flx_status read_events(flx_result *r, hid_t file)
{
    int nname = 0, ntime = 0, nnumber = 0;
    if (H5Lexists(file, "events", H5P_DEFAULT) <= 0) return FLX_OK;
    const char **names = read_texts(r, file, "events/names", &nname);
    double *times = read_vector(r, file, "events/t", &ntime);
    const double *numbers = read_vector(r, file, "events/event", &nnumber);
    if (!names || !times || !numbers) return FLX_OK;
    r->event_names = flx_arena_take(r->arena, (size_t)ntime, sizeof *r->event_names);
    if (!r->event_names) return FLX_ERR_MEMORY;
    r->event_times = times;
    for (int i = 0; i < ntime && i < nnumber; i++) {
        bool known = numbers[i] >= 0 && numbers[i] < nname;
        r->event_names[r->nevent++] = known ? names[(int)numbers[i]] : "";
    }
    return FLX_OK;
}

static flx_status read_motion(flx_result *r, hid_t file)
{
    hsize_t dims[2] = {0, 0};
    hid_t d = H5Dopen2(file, "motion", H5P_DEFAULT);
    if (d < 0) return FLX_OK;
    hid_t space = H5Dget_space(d);
    if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    bool fits = dims[0] >= (hsize_t)r->rows && dims[1] > 0 && dims[1] < INT_MAX;
    float *motion = NULL;
    if (fits) motion = flx_alloc(r->ctx, (size_t)(dims[0] * dims[1]), sizeof *motion);
    bool good = motion && H5Dread(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, motion) >= 0;
    H5Dclose(d);
    if (fits && !motion) return FLX_ERR_MEMORY;
    if (!good) flx_free(motion);
    r->motion = good ? motion : NULL;
    r->nmotion = good ? (int)dims[1] : 0;
    return FLX_OK;
}

// The scene and its motion; a result without them is drawn by its signals alone.
static flx_status read_scene(flx_result *r, hid_t file)
{
    flx_hdf5_source s = {r, file, false};
    if (r->old_scene || H5Lexists(file, "scene", H5P_DEFAULT) <= 0) return FLX_OK;
    FLX_TRY(read_motion(r, file));
    if (!r->motion) return FLX_OK;
    FLX_TRY(flx_surfaces_read(&s));
    return flx_scene_take(&s, &r->scene);
}

// States that the run reached.
static flx_status read_states(flx_result *r, hid_t file)
{
    int n = 0;
    hsize_t dims[2] = {0, 0};
    const char **structure = read_texts(r, file, "structure", &n);
    hid_t d = structure && n > 0 ? H5Dopen2(file, "states", H5P_DEFAULT) : -1;
    if (d < 0) return FLX_OK;
    hid_t space = H5Dget_space(d);
    if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    bool fits = dims[0] > 0 && dims[0] < INT_MAX && dims[1] > 0 && dims[1] < INT_MAX;
    if (fits) r->states = flx_alloc(r->ctx, (size_t)(dims[0] * dims[1]), sizeof *r->states);
    bool good =
        r->states && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->states) >= 0;
    H5Dclose(d);
    if (fits && !r->states) return FLX_ERR_MEMORY;
    if (!good) return FLX_OK;
    r->nstate = (int)dims[1];
    r->structure = structure[0];
    while (r->nstates < (int)dims[0] && isfinite(r->states[(size_t)r->nstates * dims[1]]))
        r->nstates++;
    return FLX_OK;
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
    const bool old = strcmp(format, FLX_RESULT_FORMAT_1) == 0;
    if (!old && strcmp(format, FLX_RESULT_FORMAT) != 0) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' has the format '%.40s'; this version of flexion reads '%s'", path,
                        format, FLX_RESULT_FORMAT);
    }
    r->old_scene = old && H5Lexists(file, "scene", H5P_DEFAULT) > 0;
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
    r->work = (flx_result_work){.steps = read_number(file, "ledger/steps"),
                                .evaluations = read_number(file, "ledger/residuals"),
                                .factorisations = read_number(file, "ledger/factorisations"),
                                .seconds = read_number(file, "ledger/seconds")};
    int nmodel = 0;
    const char **model = read_texts(r, file, "model", &nmodel);
    if (model) r->model = model[0];
    FLX_TRY(read_attributes(r, file));
    FLX_TRY(read_ledger(r, file));
    FLX_TRY(read_measures(r, file));
    FLX_TRY(read_notes(r, file));
    FLX_TRY(read_events(r, file));
    FLX_TRY(flx_meshes_read(&(flx_hdf5_source){r, file, false}));
    FLX_TRY(read_states(r, file));
    FLX_TRY(flx_result_read_frames(r, file, path));
    return read_scene(r, file);
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
    flx_hdf5_silence before = flx_hdf5_hush();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    flx_status status;
    if (file < 0) {
        status = explain_refusal(r, path);
    } else {
        status = read_file(r, path, file);
        H5Fclose(file);
    }
    flx_hdf5_speak(before);
    return status;
}
