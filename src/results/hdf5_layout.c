// hdf5_layout.c - an HDF5 file of results laid out, with everything in its place.
//
// Layout:
//     /            attributes: format, title, version, method, settings, created, build and machine
//     /model       text of the model file
//     /rows        (rows, 1 + signals) doubles, row by row; column 0 is t. Rows that a run did not
//                  reach are NaN.
//     /names       (1 + signals) names of the columns
//     /units       (1 + signals) units of the columns, "" where a signal has none
//     /scene/...   what there is to see: bodies, shapes, joints, ... (docs/dev/scene.md)
//     /motion      (rows, numbers) single precision: how it moves
//     /states      (rows, numbers) whole states of the motion at the rows, or the last one alone; column 0 is t;
//     /structure   what their numbers are of: an item per line, names and kinds
//     /meshes/N/.. of flexible bodies: nodes, surface, cells, modes, stresses (docs/dev/scene.md)
//     /surfaces/N/ points and triangles of surfaces that the scene names
//     /ledger/...  one number (or name) each; NaN until the run has ended
//     /measures/...one number each; /measure_names
//     /notes       texts: what reading and running the model had to say; missing where nothing
//     /events/...  where the model has events: names; t and event (its number, from 0) of each one
//                  that happened; before and after: the signals on both sides, without t
#include "base/number.h"
#include "results/hdf5_disk.h"
#include "results/hdf5_parts.h"
#include "results/meshes.h"
#include "results/scene_file.h"
#include "results/surfaces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const ledger_names[FLX_HDF5_LEDGER] = {
#define X(name) #name,
    FLX_LEDGER_NUMBERS(X) FLX_LEDGER_COUNTS(X)
#undef X
};

// A writer of many small things: after the first failure the rest does nothing.
typedef struct layout {
    hid_t file;
    bool failed;
} layout;

static void put_attribute(layout *l, const char *name, const char *text)
{
    if (!text) text = "";
    hid_t type = flx_hdf5_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(l->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0 || H5Awrite(a, type, text) < 0) l->failed = true;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

// A dataset whose place in the file is fixed from the start and filled with NaN (numbers) or zeros
// (text). *at: its place, HADDR_UNDEF when it is empty.
static void reserve(layout *l, const char *name, hid_t type, int rank, const hsize_t *dims,
                    const double *fill, haddr_t *at)
{
    *at = HADDR_UNDEF;
    hid_t space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(create, H5D_CONTIGUOUS);
    H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
    if (fill) H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, fill);
    hid_t d = H5Dcreate2(l->file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (d < 0) {
        l->failed = true;
    } else {
        *at = H5Dget_offset(d);
        H5Dclose(d);
    }
    H5Pclose(create);
    H5Sclose(space);
}

static void reserve_number(layout *l, const char *name, haddr_t *at)
{
    const double nothing = (double)NAN;
    reserve(l, name, H5T_NATIVE_DOUBLE, 0, NULL, &nothing, at);
}

static void reserve_text(layout *l, const char *name, haddr_t *at)
{
    hid_t type = flx_hdf5_text_type(FLX_HDF5_ITEM);
    reserve(l, name, type, 0, NULL, NULL, at);
    H5Tclose(type);
}

static void put_text(layout *l, const char *name, const char *text)
{
    if (!flx_hdf5_put_text(l->file, name, text)) l->failed = true;
}

static void put_texts(layout *l, flx_ctx *ctx, const char *name, const char *first, int n,
                      const char *const *texts)
{
    if (!flx_hdf5_put_texts(ctx, l->file, name, first, n, texts)) l->failed = true;
}

static void put_attributes(layout *l, const flx_result_info *info)
{
    char created[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    flx_snprintf(created, sizeof created, "%d-%02d-%02dT%02d:%02d:%02dZ", utc.tm_year + 1900,
                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);

    put_attribute(l, "format", FLX_RESULT_FORMAT);
#define X(name) put_attribute(l, #name, info->name);
    FLX_RESULT_ATTRIBUTES(X)
#undef X
    put_attribute(l, "created", created);
    const char *name, *value;
    for (int i = 0; (name = flx_build_fact(i, &value)) != NULL; i++) {
        char full[64];
        flx_snprintf(full, sizeof full, "build: %s", name);
        put_attribute(l, full, value);
    }
}

static void put_group(layout *l, const char *name)
{
    if (!flx_hdf5_put_group(l->file, name)) l->failed = true;
}

static void put_ledger(layout *l, flx_hdf5_sink *s)
{
    char name[FLX_HDF5_ITEM];
    put_group(l, "ledger");
    for (int i = 0; i < FLX_HDF5_LEDGER; i++) {
        flx_snprintf(name, sizeof name, "ledger/%s", ledger_names[i]);
        reserve_number(l, name, &s->ledger_at[i]);
    }
    const double nothing = (double)NAN;
    const hsize_t six[1] = {6};
    reserve(l, "ledger/momentum_change", H5T_NATIVE_DOUBLE, 1, six, &nothing, &s->momentum_at);
    reserve_text(l, "ledger/position_item", &s->position_item_at);
    reserve_text(l, "ledger/velocity_item", &s->velocity_item_at);
    reserve_text(l, "ledger/stopped_by", &s->stopped_by_at);

    put_group(l, "measures");
    if (s->info->nmetric > 0) {
        put_texts(l, s->base.ctx, "measure_names", s->info->metrics[0], s->info->nmetric - 1,
                  s->info->metrics + 1);
    }
    for (int i = 0; i < s->info->nmetric; i++) {
        flx_snprintf(name, sizeof name, "measures/%s", s->info->metrics[i]);
        reserve_number(l, name, &s->measure_at[i]);
    }
}

// Columns `first` to `first + count - 1` of the events as an array of its own; count 0: a vector.
static void put_event_part(layout *l, const flx_hdf5_sink *s, const char *name, int first,
                           int count)
{
    const hsize_t width = 2 + 2 * (hsize_t)s->info->ncolumn, one = 1;
    const hsize_t columns = count > 0 ? (hsize_t)count : one;
    const hsize_t dims[2] = {(hsize_t)s->nevent, columns}, all[2] = {dims[0], width};
    const hsize_t from[2] = {0, (hsize_t)first};
    hid_t space = H5Screate_simple(count > 0 ? 2 : 1, dims, NULL);
    hid_t memory = H5Screate_simple(2, all, NULL);
    hid_t d =
        H5Dcreate2(l->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = d >= 0 && H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, dims, NULL) >= 0;
    if (good && s->nevent > 0) {
        good = H5Dwrite(d, H5T_NATIVE_DOUBLE, memory, H5S_ALL, H5P_DEFAULT, s->events) >= 0;
    }
    if (!good) l->failed = true;
    if (d >= 0) H5Dclose(d);
    H5Sclose(memory);
    H5Sclose(space);
}

static void put_events(layout *l, const flx_hdf5_sink *s)
{
    const flx_result_info *info = s->info;
    if (info->nevent == 0) return;
    put_group(l, "events");
    put_texts(l, s->base.ctx, "events/names", info->events[0], info->nevent - 1, info->events + 1);
    put_event_part(l, s, "events/t", 0, 0);
    put_event_part(l, s, "events/event", 1, 0);
    if (info->ncolumn == 0) return;
    put_event_part(l, s, "events/before", 2, info->ncolumn);
    put_event_part(l, s, "events/after", 2 + info->ncolumn, info->ncolumn);
}

// What the model's reading and the run had to say so far: notes, then errors.
static flx_status put_notes(layout *l, flx_hdf5_sink *s)
{
    flx_ctx *ctx = s->base.ctx;
    int nnote = flx_ctx_warning_count(ctx), nerror = flx_ctx_error_count(ctx), n = 0;
    s->nsaid = nnote + nerror;
    flx_arena *arena = flx_arena_create(ctx);
    const char **texts = arena ? flx_arena_take(arena, (size_t)s->nsaid, sizeof *texts) : NULL;
    for (int i = 0; texts && i < s->nsaid; i++) {
        const flx_message *m = i < nnote ? flx_ctx_warning(ctx, i) : flx_ctx_error(ctx, i - nnote);
        if (!m || !m->text) continue; // the context keeps the first of them
        texts[n] = m->loc.line > 0 ? flx_arena_printf(arena, "line %d: %s", m->loc.line, m->text)
                   : m->path[0]    ? flx_arena_printf(arena, "%s: %s", m->path, m->text)
                                   : flx_arena_copy(arena, m->text, strlen(m->text));
        if (texts[n]) n++;
    }
    if (n > 0) put_texts(l, ctx, "notes", texts[0], n - 1, texts + 1);
    flx_arena_destroy(&arena);
    return texts ? FLX_OK : FLX_ERR_MEMORY;
}

static bool lay_out_contents(flx_hdf5_sink *s, hid_t file, long rows)
{
    const flx_result_info *info = s->info;
    layout l = {.file = file, .failed = false};
    put_attributes(&l, info);
    put_text(&l, "model", info->model_text);
    put_texts(&l, s->base.ctx, "names", "t", info->ncolumn, info->names);
    put_texts(&l, s->base.ctx, "units", "s", info->ncolumn, info->units);
    put_ledger(&l, s);
    put_events(&l, s);
    if (put_notes(&l, s) != FLX_OK) l.failed = true;

    const double nothing = (double)NAN;
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)info->ncolumn + 1};
    reserve(&l, "rows", H5T_NATIVE_DOUBLE, 2, dims, &nothing, &s->rows_at);
    if (info->structure) {
        const hsize_t states[2] = {info->state_rows ? (hsize_t)rows : 1, (hsize_t)info->nstate};
        put_text(&l, "structure", info->structure);
        reserve(&l, "states", H5T_NATIVE_DOUBLE, 2, states, &nothing, &s->states_at);
    }
    if (info->scene) {
        const hsize_t moving[2] = {(hsize_t)rows, (hsize_t)info->nmotion};
        if (!flx_scene_put(s->base.ctx, file, info->scene)) l.failed = true;
        if (!flx_meshes_put(file, info->nmesh, info->meshes)) l.failed = true;
        if (!flx_surfaces_put(file, info->nsurface, info->surfaces)) l.failed = true;
        reserve(&l, "motion", H5T_NATIVE_FLOAT, 2, moving, &nothing, &s->motion_at);
    }
    if (s->ends && !flx_frame_spool_put(&s->frames, s->base.ctx, file)) l.failed = true;
    return !l.failed;
}

// The bounds keep the file readable by every HDF5 since 1.8 and free of the mark "open for writing" that
// newer formats carry.
flx_status flx_hdf5_lay_out(flx_hdf5_sink *s, long rows)
{
    flx_hdf5_disk disk;
    bool good = false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    hid_t file = flx_hdf5_disk_create(&disk, s->output->part, access);
    H5Pclose(access);
    if (file >= 0) {
        good = lay_out_contents(s, file, rows);
        if (H5Fclose(file) < 0) good = false;
    }
    flx_hdf5_disk_end(&disk);
    if (good && disk.error == 0) return FLX_OK;
    unlink(s->output->part);
    errno = disk.error;
    return flx_output_fail(s->output, disk.error ? "" : "HDF5 refused");
}
