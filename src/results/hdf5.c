// hdf5.c - results as an HDF5 file that says of itself what it is, and that any HDF5 tool can read
// also when the run was cut off. What is in it: hdf5_layout.c.
//
// How a cut-off run leaves a whole file: HDF5 updates its own structures in several writes, and a
// process killed between them leaves a file that nobody can open. So the library is only used to
// lay out a complete file beside the wanted one, all rows reserved and NaN; the file is closed and
// renamed into place, which is one indivisible act. From then on rows are written straight to their
// places, values first and t last: a row counts once its t is there. Nothing structural changes
// until the end. When the rows reserved do not suffice, or were too many, a file with the right
// number is laid out, filled by copying and renamed over the old one.
#include "base/number.h"
#include "base/refuse.h"
#include "results/hdf5_parts.h"
#include "results/hdf5_values.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROWS 1024       // reserved when nobody knows how many there will be
#define FIRST_BYTES (1 << 25) // at most, however many are expected: a run may be stopped early
#define FIRST_EVENTS 256
#define COPY_BYTES 65536

static void ledger_values(const flx_ledger *l, double out[FLX_HDF5_LEDGER])
{
#define X(name) out[LEDGER_##name] = (double)l->name;
    FLX_LEDGER_NUMBERS(X)
#undef X
#define X(name) out[LEDGER_##name] = (double)l->work.name;
    FLX_LEDGER_COUNTS(X)
#undef X
}

// ---- writing in place -------------------------------------------------------------------------

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

static bool copy_rows(flx_hdf5_sink *s, size_t row_bytes, haddr_t from, haddr_t to, int to_fd)
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
static flx_status replace_file(flx_hdf5_sink *s, long rows)
{
    haddr_t old_rows = s->rows_at, old_motion = s->motion_at, old_states = s->states_at;
    size_t states = s->info->state_rows ? s->state_bytes : 0; // the last one is written at the end
    flx_status status = flx_hdf5_lay_out(s, rows);
    int fd = status == FLX_OK ? open(s->output->part, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0 || !copy_rows(s, s->row_bytes, old_rows, s->rows_at, fd) ||
        !copy_rows(s, s->motion_bytes, old_motion, s->motion_at, fd) ||
        !copy_rows(s, states, old_states, s->states_at, fd) || !flx_output_commit(s->output)) {
        if (status == FLX_OK) status = flx_output_fail(s->output, "");
        if (fd >= 0) close(fd);
        unlink(s->output->part);
        s->rows_at = old_rows; // the rest lies before the rows and is where it was
        s->motion_at = old_motion;
        s->states_at = old_states;
        return status;
    }
    if (s->fd >= 0) close(s->fd);
    s->fd = fd;
    s->capacity = rows;
    return FLX_OK;
}

static flx_status replace_quietly(flx_hdf5_sink *s, long rows)
{
    flx_hdf5_silence before = flx_hdf5_hush();
    flx_status status = replace_file(s, rows);
    flx_hdf5_speak(before);
    return status;
}

static flx_status reserve_events(flx_hdf5_sink *s, int events)
{
    int width = 2 + 2 * s->info->ncolumn;
    if (events > INT_MAX / width) return flx_output_fail(s->output, "there are too many events");
    return flx_grow(s->base.ctx, (void **)&s->events, &s->event_capacity, events * width,
                    sizeof(double));
}

static flx_status hdf5_begin(flx_sink *base, const flx_result_info *info)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    s->info = info;
    s->row_bytes = ((size_t)info->ncolumn + 1) * sizeof(double);
    s->motion_bytes = (info->scene ? (size_t)info->nmotion : 0) * sizeof *s->motion;
    s->motion = flx_alloc(base->ctx, s->motion_bytes, 1);
    s->state_bytes = (info->structure ? (size_t)info->nstate : 0) * sizeof *s->state;
    s->state = flx_alloc(base->ctx, s->state_bytes, 1);
    s->measure_at = flx_alloc(base->ctx, (size_t)info->nmetric, sizeof *s->measure_at);
    s->copy = flx_alloc(base->ctx, COPY_BYTES, 1);
    if (!s->motion || !s->state || !s->measure_at || !s->copy) return FLX_ERR_MEMORY;
    if (info->nevent > 0) FLX_TRY(reserve_events(s, FIRST_EVENTS));
    long rows = info->rows > 0 ? info->rows : FIRST_ROWS,
         most = (long)(FIRST_BYTES /
                       (s->row_bytes + s->motion_bytes + (info->state_rows ? s->state_bytes : 0)));
    return replace_quietly(s, rows > most ? most + 1 : rows);
}

// Twice as many, but not more than were expected.
static long more_rows(const flx_hdf5_sink *s)
{
    long rows = s->capacity < LONG_MAX / 4 ? 2 * s->capacity + 1 : LONG_MAX / 2;
    return s->capacity < s->info->rows && s->info->rows < rows ? s->info->rows : rows;
}

static flx_status hdf5_row(flx_sink *base, double t, const double *values)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    if (s->count == s->capacity) FLX_TRY(replace_quietly(s, more_rows(s)));
    haddr_t at = s->rows_at + (haddr_t)s->count * s->row_bytes;
    haddr_t motion = s->motion_at + (haddr_t)s->count * s->motion_bytes;
    haddr_t state = s->states_at + (haddr_t)s->count * s->state_bytes;
    size_t states = s->info->state_rows ? s->state_bytes : 0;
    if (!put_bytes(s->fd, s->motion, s->motion_bytes, motion) ||
        !put_bytes(s->fd, s->state, states, state) ||
        !put_bytes(s->fd, values, s->row_bytes - sizeof t, at + sizeof t) ||
        !put_bytes(s->fd, &t, sizeof t, at))
        return flx_output_fail(s->output, "");
    s->count++;
    return FLX_OK;
}

static flx_status hdf5_motion(flx_sink *base, const double *values)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    for (int i = 0; i < s->info->nmotion; i++) s->motion[i] = (float)values[i];
    return FLX_OK;
}

static flx_status hdf5_state(flx_sink *base, const double *values)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    memcpy(s->state, values, s->state_bytes);
    s->has_state = true;
    return FLX_OK;
}

static flx_status hdf5_particles(flx_sink *base, double t, const flx_particle_frame *frame)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    return flx_frame_spool_add(&s->frames, base->ctx, t, frame);
}

static flx_status hdf5_event(flx_sink *base, double t, int event, const double *before,
                             const double *after)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    int n = s->info->ncolumn;
    FLX_TRY(reserve_events(s, s->nevent + 1));
    double *row = s->events + (size_t)s->nevent++ * (size_t)(2 + 2 * n);
    row[0] = t;
    row[1] = event;
    memcpy(row + 2, before, (size_t)n * sizeof *row);
    memcpy(row + 2 + n, after, (size_t)n * sizeof *row);
    return FLX_OK;
}

static bool put_item(flx_hdf5_sink *s, const char *name, haddr_t at)
{
    char text[FLX_HDF5_ITEM] = {0};
    if (name) flx_snprintf(text, sizeof text, "%s", name);
    return put_bytes(s->fd, text, sizeof text, at);
}

static flx_status hdf5_end(flx_sink *base, const flx_ledger *ledger)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    if (s->fd < 0) return FLX_OK;
    int said = flx_ctx_warning_count(base->ctx) + flx_ctx_error_count(base->ctx);
    s->ends = true;
    if (s->count != s->capacity || s->nevent > 0 || said != s->nsaid || s->frames.count > 0)
        FLX_TRY(replace_quietly(s, s->count));
    if (!ledger) return FLX_OK;

    bool last = s->has_state && !s->info->state_rows;
    if (last && !put_bytes(s->fd, s->state, s->state_bytes, s->states_at))
        return flx_output_fail(s->output, "");
    double values[FLX_HDF5_LEDGER];
    ledger_values(ledger, values);
    bool good = put_item(s, ledger->position_item, s->position_item_at) &&
                put_item(s, ledger->velocity_item, s->velocity_item_at) &&
                put_item(s, ledger->stopped_by, s->stopped_by_at) &&
                put_bytes(s->fd, ledger->momentum_change, 6 * sizeof(double), s->momentum_at);
    for (int i = 0; i < ledger->nmetric && i < s->info->nmetric; i++)
        good = good && put_bytes(s->fd, &ledger->metrics[i], sizeof(double), s->measure_at[i]);
    // backwards: the status, which tells a finished run, comes last
    for (int i = FLX_HDF5_LEDGER - 1; i >= 0; i--)
        good = good && put_bytes(s->fd, &values[i], sizeof(double), s->ledger_at[i]);
    return good ? FLX_OK : flx_output_fail(s->output, "");
}

static void hdf5_destroy(flx_sink *base)
{
    flx_hdf5_sink *s = (flx_hdf5_sink *)base;
    if (s->fd >= 0) close(s->fd);
    flx_output_drop(&s->output);
    flx_free(s->measure_at);
    flx_free(s->copy);
    flx_free(s->motion);
    flx_free(s->state);
    flx_free(s->events);
    flx_frame_spool_clear(&s->frames);
    flx_free(s);
}

static const flx_sink_type hdf5_type = {
    .name = "hdf5",
    .begin = hdf5_begin,
    .row = hdf5_row,
    .event = hdf5_event,
    .motion = hdf5_motion,
    .state = hdf5_state,
    .particles = hdf5_particles,
    .end = hdf5_end,
    .destroy = hdf5_destroy,
};

flx_status flx_hdf5_sink_create(flx_ctx *ctx, const char *path, flx_sink **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    *out = NULL;
    flx_hdf5_sink *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->base = (flx_sink){.type = &hdf5_type, .ctx = ctx};
    s->fd = -1;
    flx_sink *sink = &s->base;

    // opened now: a wrong folder is told before anything is computed
    flx_status status = flx_output_reserve(ctx, "the result", path, &s->output);
    if (status != FLX_OK) {
        flx_sink_destroy(&sink);
        return status;
    }
    *out = sink;
    return FLX_OK;
}
