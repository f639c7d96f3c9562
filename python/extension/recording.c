// recording.c - a sink that keeps all that a run says, and says it again to another sink.
#include "recording.h"

#include "flexion/extend/sink_table.h"

#include <stdlib.h>
#include <string.h>

typedef enum record_kind { ROW, EVENT, MOTION, STATE } record_kind;

typedef struct recording {
    flx_sink base;
    const flx_result_info *info; // borrowed
    const flx_ledger *ledger;    // borrowed; NULL: none, or not ended
    int ended;
    double *numbers; // owned: records one after the other: kind, then what it has
    size_t count, room;
} recording;

static flx_status put(recording *r, size_t n, const double *values)
{
    if (r->count + n > r->room) {
        size_t room = r->room ? 2 * r->room : 4096;
        while (room < r->count + n) room *= 2;
        double *more = realloc(r->numbers, room * sizeof *more);
        if (!more) return FLX_ERR_MEMORY;
        r->numbers = more;
        r->room = room;
    }
    if (n > 0) memcpy(r->numbers + r->count, values, n * sizeof *values);
    r->count += n;
    return FLX_OK;
}

static flx_status begin_record(recording *r, record_kind kind)
{
    double number = kind;
    return put(r, 1, &number);
}

static flx_status rec_begin(flx_sink *s, const flx_result_info *info)
{
    ((recording *)s)->info = info;
    return FLX_OK;
}

static flx_status rec_row(flx_sink *s, double t, const double *values)
{
    recording *r = (recording *)s;
    flx_status status = begin_record(r, ROW);
    if (status == FLX_OK) status = put(r, 1, &t);
    return status == FLX_OK ? put(r, (size_t)r->info->ncolumn, values) : status;
}

static flx_status rec_event(flx_sink *s, double t, int event, const double *before,
                            const double *after)
{
    recording *r = (recording *)s;
    double head[2] = {t, event};
    flx_status status = begin_record(r, EVENT);
    if (status == FLX_OK) status = put(r, 2, head);
    if (status == FLX_OK) status = put(r, (size_t)r->info->ncolumn, before);
    return status == FLX_OK ? put(r, (size_t)r->info->ncolumn, after) : status;
}

static flx_status rec_motion(flx_sink *s, const double *values)
{
    recording *r = (recording *)s;
    flx_status status = begin_record(r, MOTION);
    return status == FLX_OK ? put(r, (size_t)r->info->nmotion, values) : status;
}

static flx_status rec_state(flx_sink *s, const double *values)
{
    recording *r = (recording *)s;
    flx_status status = begin_record(r, STATE);
    return status == FLX_OK ? put(r, (size_t)r->info->nstate, values) : status;
}

static flx_status rec_end(flx_sink *s, const flx_ledger *ledger)
{
    recording *r = (recording *)s;
    r->ledger = ledger;
    r->ended = 1;
    return FLX_OK;
}

static void rec_destroy(flx_sink *s)
{
    free(((recording *)s)->numbers);
    free(s);
}

static const flx_sink_type type = {.name = "recording",
                                   .begin = rec_begin,
                                   .row = rec_row,
                                   .end = rec_end,
                                   .destroy = rec_destroy,
                                   .event = rec_event,
                                   .motion = rec_motion,
                                   .state = rec_state};

flx_status rec_create(flx_ctx *ctx, flx_sink **s)
{
    recording *r = calloc(1, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    r->base = (flx_sink){.type = &type, .ctx = ctx};
    *s = &r->base;
    return FLX_OK;
}

bool rec_began(const flx_sink *s)
{
    return ((const recording *)s)->info != NULL;
}

flx_status rec_replay(flx_sink *s, flx_sink *to)
{
    recording *r = (recording *)s;
    const flx_sink_type *t = to->type;
    if (!r->info) return FLX_ERR_ARGUMENT;
    flx_status status = t->begin(to, r->info);
    size_t n = (size_t)r->info->ncolumn;
    for (size_t at = 0; status == FLX_OK && at < r->count;) {
        const double *x = r->numbers + at + 1;
        switch ((record_kind)r->numbers[at]) {
        case ROW:
            status = t->row(to, x[0], x + 1);
            at += 2 + n;
            break;
        case EVENT:
            if (t->event) status = t->event(to, x[0], (int)x[1], x + 2, x + 2 + n);
            at += 3 + 2 * n;
            break;
        case MOTION:
            if (t->motion) status = t->motion(to, x);
            at += 1 + (size_t)r->info->nmotion;
            break;
        case STATE:
            if (t->state) status = t->state(to, x);
            at += 1 + (size_t)r->info->nstate;
            break;
        }
    }
    flx_status ended = t->end(to, r->ledger);
    return status == FLX_OK ? ended : status;
}
