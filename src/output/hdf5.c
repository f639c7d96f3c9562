// hdf5.c - results as an HDF5 file that says of itself what it is, and that any HDF5 tool can read
// also when the run was cut off.
//
// Layout:
//     /            attributes: format, title, version, method, settings, created, build and machine
//     /model       text of the model file
//     /rows        (rows, 1 + signals) doubles, row by row; column 0 is t. Rows that a run did not
//                  reach are NaN.
//     /names       (1 + signals) names of the columns
//     /units       (1 + signals) units of the columns, "" where a signal has none
//     /scene       what there is to see, as JSON; /motion (rows, numbers) single precision: how it moves
//     /meshes/N/.. of elastic bodies: nodes, surface, cells, modes, stresses (docs/dev/scene.md)
//     /surfaces/N/ points and triangles of surfaces that the scene names
//     /ledger/...  one number (or name) each; NaN until the run has ended
//     /measures/...one number each; /measure_names
//     /notes       texts: what reading and running the model had to say; missing where nothing
//     /events/...  where the model has events: names; t and event (its number, from 0) of each one
//                  that happened; before and after: the signals on both sides, without t
//
// How a cut-off run leaves a whole file: HDF5 updates its own structures in several writes, and a
// process killed between them leaves a file that nobody can open. So the library is only used to
// lay out a complete file beside the wanted one, all rows reserved and NaN; the file is closed and
// renamed into place, which is one indivisible act. From then on rows are written straight to their
// places, values first and t last: a row counts once its t is there. Nothing structural changes
// until the end. When the rows reserved do not suffice, or were too many, a file with the right
// number is laid out, filled by copying and renamed over the old one.
#include "base/base.h"
#include "flexion/results.h"
#include "flexion/simulation.h"
#include "output/format.h"
#include "output/meshes.h"
#include "output/place.h"
#include "output/surfaces.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_ROWS 1024       // reserved when nobody knows how many there will be
#define FIRST_BYTES (1 << 25) // at most, however many are expected: a run may be stopped early
#define FIRST_EVENTS 256
#define COPY_BYTES 65536
#define ITEM_LENGTH 256 // of a joint's name in the ledger

// ---- the ledger's entries --------------------------------------------------------------------

enum {
#define X(name) LEDGER_##name,
    FLX_LEDGER_NUMBERS(X) FLX_LEDGER_COUNTS(X)
#undef X
        N_LEDGER
};

static const char *const ledger_names[N_LEDGER] = {
#define X(name) #name,
    FLX_LEDGER_NUMBERS(X) FLX_LEDGER_COUNTS(X)
#undef X
};

static void ledger_values(const flx_ledger *l, double out[N_LEDGER])
{
#define X(name) out[LEDGER_##name] = (double)l->name;
    FLX_LEDGER_NUMBERS(X)
#undef X
#define X(name) out[LEDGER_##name] = (double)l->work.name;
    FLX_LEDGER_COUNTS(X)
#undef X
}

// ---- the sink --------------------------------------------------------------------------------

typedef struct hdf5_sink {
    flx_sink base;
    flx_place place;             // files are laid out in its part
    int fd;                      // of the file in its place; -1: not begun
    const flx_result_info *info; // borrowed from begin to end
    long capacity, count;        // rows reserved, rows written
    size_t row_bytes, motion_bytes;
    float *motion; // (nmotion) owned: of the next row
    // places in the file
    haddr_t rows_at, motion_at, ledger_at[N_LEDGER], momentum_at, position_item_at,
        velocity_item_at;
    haddr_t *measure_at; // (nmeasure) owned
    haddr_t stopped_by_at;
    char *copy; // COPY_BYTES, owned
    // events so far, owned: t, number, signals before, signals after
    double *events;
    int nevent, event_capacity; // events; doubles
    int nsaid;                  // notes and errors that the file has
} hdf5_sink;

static flx_status write_error(hdf5_sink *s, const char *what)
{
    return FLX_FAIL(s->base.ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write the result '%s': %s",
                    s->place.path, what);
}

// ---- laying out a file -----------------------------------------------------------------------

// A writer of many small things: after the first failure the rest does nothing.
typedef struct layout {
    hid_t file;
    bool failed;
} layout;

static hid_t text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void put_attribute(layout *l, const char *name, const char *text)
{
    if (!text) text = "";
    hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
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
    hid_t type = text_type(ITEM_LENGTH);
    reserve(l, name, type, 0, NULL, NULL, at);
    H5Tclose(type);
}

static void put_text(layout *l, const char *name, const char *text)
{
    if (!text) text = "";
    hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(l->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (d < 0 || H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) l->failed = true;
    if (d >= 0) H5Dclose(d);
    H5Sclose(space);
    H5Tclose(type);
}

// `first` and n more texts as one array of texts.
static void put_texts(layout *l, flx_ctx *ctx, const char *name, const char *first, int n,
                      const char *const *texts)
{
    size_t longest = strlen(first) + 1;
    for (int i = 0; i < n; i++)
        longest = texts[i] && strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    char *block = flx_alloc(ctx, (size_t)n + 1, longest);
    if (!block) {
        l->failed = true;
        return;
    }
    memcpy(block, first, strlen(first));
    for (int i = 0; i < n; i++) {
        if (texts[i]) memcpy(block + (size_t)(i + 1) * longest, texts[i], strlen(texts[i]));
    }
    hsize_t dims[1] = {(hsize_t)n + 1};
    hid_t type = text_type(longest), space = H5Screate_simple(1, dims, NULL);
    hid_t d = H5Dcreate2(l->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (d < 0 || H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) l->failed = true;
    if (d >= 0) H5Dclose(d);
    H5Sclose(space);
    H5Tclose(type);
    flx_free(block);
}

static void put_attributes(layout *l, const flx_result_info *info)
{
    char created[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);

    put_attribute(l, "format", FLX_RESULT_FORMAT);
#define X(name) put_attribute(l, #name, info->name);
    FLX_RESULT_ATTRIBUTES(X)
#undef X
    put_attribute(l, "created", created);
    const char *name, *value;
    for (int i = 0; (name = flx_build_fact(i, &value)) != NULL; i++) {
        char full[64];
        snprintf(full, sizeof full, "build: %s", name);
        put_attribute(l, full, value);
    }
}

static void put_group(layout *l, const char *name)
{
    hid_t g = H5Gcreate2(l->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g < 0) {
        l->failed = true;
    } else {
        H5Gclose(g);
    }
}

static void put_ledger(layout *l, hdf5_sink *s)
{
    char name[ITEM_LENGTH];
    put_group(l, "ledger");
    for (int i = 0; i < N_LEDGER; i++) {
        snprintf(name, sizeof name, "ledger/%s", ledger_names[i]);
        reserve_number(l, name, &s->ledger_at[i]);
    }
    const double nothing = (double)NAN;
    const hsize_t six[1] = {6};
    reserve(l, "ledger/momentum_change", H5T_NATIVE_DOUBLE, 1, six, &nothing, &s->momentum_at);
    reserve_text(l, "ledger/position_item", &s->position_item_at);
    reserve_text(l, "ledger/velocity_item", &s->velocity_item_at);
    reserve_text(l, "ledger/stopped_by", &s->stopped_by_at);

    put_group(l, "measures");
    if (s->info->nmeasure > 0) {
        put_texts(l, s->base.ctx, "measure_names", s->info->measures[0], s->info->nmeasure - 1,
                  s->info->measures + 1);
    }
    for (int i = 0; i < s->info->nmeasure; i++) {
        snprintf(name, sizeof name, "measures/%s", s->info->measures[i]);
        reserve_number(l, name, &s->measure_at[i]);
    }
}

// Columns `first` to `first + count - 1` of the events as an array of its own; count 0: a vector.
static void put_event_part(layout *l, const hdf5_sink *s, const char *name, int first, int count)
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

static void put_events(layout *l, const hdf5_sink *s)
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
static flx_status put_notes(layout *l, hdf5_sink *s)
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
                                   : flx_arena_copy(arena, m->text, strlen(m->text));
        if (texts[n]) n++;
    }
    if (n > 0) put_texts(l, ctx, "notes", texts[0], n - 1, texts + 1);
    flx_arena_destroy(&arena);
    return texts ? FLX_OK : FLX_ERR_MEMORY;
}

static bool lay_out_contents(hdf5_sink *s, hid_t file, long rows)
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
    if (info->scene) {
        const hsize_t moving[2] = {(hsize_t)rows, (hsize_t)info->nmotion};
        put_text(&l, "scene", info->scene);
        if (!flx_meshes_put(file, info->nmesh, info->meshes)) l.failed = true;
        if (!flx_surfaces_put(file, info->nsurface, info->surfaces)) l.failed = true;
        reserve(&l, "motion", H5T_NATIVE_FLOAT, 2, moving, &nothing, &s->motion_at);
    }
    return !l.failed;
}

// A complete file with `rows` rows reserved, at s->place.part. The bounds keep the file readable by every
// HDF5 since 1.8 and free of the mark "open for writing" that newer formats carry.
static flx_status lay_out(hdf5_sink *s, long rows)
{
    bool good = false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    hid_t file = H5Fcreate(s->place.part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file >= 0) {
        good = lay_out_contents(s, file, rows);
        if (H5Fclose(file) < 0) good = false;
    }
    if (good) return FLX_OK;
    unlink(s->place.part);
    return write_error(s, errno ? strerror(errno) : "HDF5 refused");
}

// ---- writing in place ------------------------------------------------------------------------

static bool put_bytes(int fd, const void *from, size_t n, haddr_t at)
{
    const char *p = from;
    while (n > 0) {
        ssize_t w = pwrite(fd, p, n, (off_t)at);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return false;
        p += w;
        at += (haddr_t)w;
        n -= (size_t)w;
    }
    return true;
}

static bool copy_rows(hdf5_sink *s, size_t row_bytes, haddr_t from, haddr_t to, int to_fd)
{
    size_t left = (size_t)s->count * row_bytes;
    while (left > 0) {
        size_t n = left < COPY_BYTES ? left : COPY_BYTES;
        ssize_t r = pread(s->fd, s->copy, n, (off_t)from);
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0 || !put_bytes(to_fd, s->copy, (size_t)r, to)) return false;
        from += (haddr_t)r;
        to += (haddr_t)r;
        left -= (size_t)r;
    }
    return true;
}

// Put a file with `rows` rows reserved, and the rows written so far, in the place of the present
// one.
static flx_status replace_file(hdf5_sink *s, long rows)
{
    haddr_t old_rows = s->rows_at, old_motion = s->motion_at;
    flx_status status = lay_out(s, rows);
    int fd = status == FLX_OK ? open(s->place.part, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0 || !copy_rows(s, s->row_bytes, old_rows, s->rows_at, fd) ||
        !copy_rows(s, s->motion_bytes, old_motion, s->motion_at, fd) ||
        !flx_place_commit(&s->place)) {
        if (status == FLX_OK) status = write_error(s, strerror(errno));
        if (fd >= 0) close(fd);
        unlink(s->place.part);
        s->rows_at = old_rows; // the rest lies before the rows and is where it was
        s->motion_at = old_motion;
        return status;
    }
    if (s->fd >= 0) close(s->fd);
    s->fd = fd;
    s->capacity = rows;
    return FLX_OK;
}

// HDF5 prints its errors by itself unless told otherwise; the program's own setting comes back.
typedef struct silence {
    H5E_auto2_t function;
    void *data;
} silence;

static silence hush(void)
{
    silence before;
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    return before;
}

static void speak(silence before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

static flx_status replace_quietly(hdf5_sink *s, long rows)
{
    silence before = hush();
    flx_status status = replace_file(s, rows);
    speak(before);
    return status;
}

static flx_status reserve_events(hdf5_sink *s, int events)
{
    int width = 2 + 2 * s->info->ncolumn;
    if (events > INT_MAX / width) return write_error(s, "there are too many events");
    return flx_grow(s->base.ctx, (void **)&s->events, &s->event_capacity, events * width,
                    sizeof(double));
}

static flx_status hdf5_begin(flx_sink *base, const flx_result_info *info)
{
    hdf5_sink *s = (hdf5_sink *)base;
    s->info = info;
    s->row_bytes = ((size_t)info->ncolumn + 1) * sizeof(double);
    s->motion_bytes = (info->scene ? (size_t)info->nmotion : 0) * sizeof *s->motion;
    s->motion = flx_alloc(base->ctx, s->motion_bytes, 1);
    s->measure_at = flx_alloc(base->ctx, (size_t)info->nmeasure, sizeof *s->measure_at);
    s->copy = flx_alloc(base->ctx, COPY_BYTES, 1);
    if (!s->motion || !s->measure_at || !s->copy) return FLX_ERR_MEMORY;
    if (info->nevent > 0) FLX_TRY(reserve_events(s, FIRST_EVENTS));
    long rows = info->rows > 0 ? info->rows : FIRST_ROWS,
         most = (long)(FIRST_BYTES / (s->row_bytes + s->motion_bytes));
    return replace_quietly(s, rows > most ? most + 1 : rows);
}

// Twice as many, but not more than were expected.
static long more_rows(const hdf5_sink *s)
{
    long rows = s->capacity < LONG_MAX / 4 ? 2 * s->capacity + 1 : LONG_MAX / 2;
    return s->capacity < s->info->rows && s->info->rows < rows ? s->info->rows : rows;
}

static flx_status hdf5_row(flx_sink *base, double t, const double *values)
{
    hdf5_sink *s = (hdf5_sink *)base;
    if (s->count == s->capacity) FLX_TRY(replace_quietly(s, more_rows(s)));
    haddr_t at = s->rows_at + (haddr_t)s->count * s->row_bytes;
    haddr_t motion = s->motion_at + (haddr_t)s->count * s->motion_bytes;
    if (!put_bytes(s->fd, s->motion, s->motion_bytes, motion) ||
        !put_bytes(s->fd, values, s->row_bytes - sizeof t, at + sizeof t) ||
        !put_bytes(s->fd, &t, sizeof t, at))
        return write_error(s, strerror(errno));
    s->count++;
    return FLX_OK;
}

static flx_status hdf5_motion(flx_sink *base, const double *values)
{
    hdf5_sink *s = (hdf5_sink *)base;
    for (int i = 0; i < s->info->nmotion; i++) s->motion[i] = (float)values[i];
    return FLX_OK;
}

static flx_status hdf5_event(flx_sink *base, double t, int event, const double *before,
                             const double *after)
{
    hdf5_sink *s = (hdf5_sink *)base;
    int n = s->info->ncolumn;
    FLX_TRY(reserve_events(s, s->nevent + 1));
    double *row = s->events + (size_t)s->nevent++ * (size_t)(2 + 2 * n);
    row[0] = t;
    row[1] = event;
    memcpy(row + 2, before, (size_t)n * sizeof *row);
    memcpy(row + 2 + n, after, (size_t)n * sizeof *row);
    return FLX_OK;
}

static bool put_item(hdf5_sink *s, const char *name, haddr_t at)
{
    char text[ITEM_LENGTH] = {0};
    if (name) snprintf(text, sizeof text, "%s", name);
    return put_bytes(s->fd, text, sizeof text, at);
}

static flx_status hdf5_end(flx_sink *base, const flx_ledger *ledger)
{
    hdf5_sink *s = (hdf5_sink *)base;
    if (s->fd < 0) return FLX_OK;
    int said = flx_ctx_warning_count(base->ctx) + flx_ctx_error_count(base->ctx);
    if (s->count != s->capacity || s->nevent > 0 || said != s->nsaid)
        FLX_TRY(replace_quietly(s, s->count));
    if (!ledger) return FLX_OK;

    double values[N_LEDGER];
    ledger_values(ledger, values);
    bool good = put_item(s, ledger->position_item, s->position_item_at) &&
                put_item(s, ledger->velocity_item, s->velocity_item_at) &&
                put_item(s, ledger->stopped_by, s->stopped_by_at) &&
                put_bytes(s->fd, ledger->momentum_change, 6 * sizeof(double), s->momentum_at);
    for (int i = 0; i < ledger->nmeasure && i < s->info->nmeasure; i++)
        good = good && put_bytes(s->fd, &ledger->measures[i], sizeof(double), s->measure_at[i]);
    // backwards: the status, which tells a finished run, comes last
    for (int i = N_LEDGER - 1; i >= 0; i--)
        good = good && put_bytes(s->fd, &values[i], sizeof(double), s->ledger_at[i]);
    return good ? FLX_OK : write_error(s, strerror(errno));
}

static void hdf5_destroy(flx_sink *base)
{
    hdf5_sink *s = (hdf5_sink *)base;
    if (s->fd >= 0) close(s->fd);
    flx_place_close(&s->place);
    flx_free(s->measure_at);
    flx_free(s->copy);
    flx_free(s->motion);
    flx_free(s->events);
    flx_free(s);
}

static const flx_sink_type hdf5_type = {
    .name = "hdf5",
    .begin = hdf5_begin,
    .row = hdf5_row,
    .event = hdf5_event,
    .motion = hdf5_motion,
    .end = hdf5_end,
    .destroy = hdf5_destroy,
};

flx_status flx_hdf5_sink_create(flx_ctx *ctx, const char *path, flx_sink **out)
{
    *out = NULL;
    hdf5_sink *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->base = (flx_sink){.type = &hdf5_type, .ctx = ctx};
    s->fd = -1;
    flx_sink *sink = &s->base;

    // opened now: a wrong folder is told before anything is computed
    flx_status status = flx_place_open(ctx, "the result", path, &s->place);
    if (status != FLX_OK) {
        flx_sink_destroy(&sink);
        return status;
    }
    *out = sink;
    return FLX_OK;
}
