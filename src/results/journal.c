// journal.c - rows and events as they come, in a plain file that is only ever appended to: whatever cuts a run
// off leaves all records before the last one whole.
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAGIC UINT64_C(0x3153574f52584c46) // "FLXROWS1" on little-endian machines

typedef struct head {
    uint64_t magic;
    int32_t ncolumn, nmotion, nevent, nstate; // nstate: of every row
} head;

// Before the numbers of a record: a row, with its state and its motion before it, or an event.
enum { MOVES = 1, STATE = 2 };
#define OF_PARTICLES (-2) // in the place of an event: `with` says how many, then their numbers
typedef struct record {
    double t;
    int32_t event; // -1: a row
    int32_t with;  // what is there beside the row
} record;

typedef struct journal {
    flx_sink base;
    flx_output *output; // owned
    FILE *file;         // its stream
    head head;
    double *motion, *state; // (nmotion) (nstate) owned: of the row that comes next
    int with;
    long records;
} journal;

// ---- writing ------------------------------------------------------------------------------------

static flx_status put(journal *j, const void *data, size_t size)
{
    return fwrite(data, 1, size, j->file) == size ? FLX_OK : flx_output_fail(j->output, "");
}

static flx_status put_numbers(journal *j, const double *x, int n)
{
    return put(j, x, (size_t)n * sizeof *x);
}

static flx_status journal_begin(flx_sink *base, const flx_result_info *info)
{
    journal *j = (journal *)base;
    j->head = (head){.magic = MAGIC,
                     .ncolumn = info->ncolumn,
                     .nmotion = info->scene ? info->nmotion : 0,
                     .nevent = info->nevent,
                     .nstate = info->state_rows ? info->nstate : 0};
    j->motion = flx_alloc(base->ctx, (size_t)j->head.nmotion, sizeof *j->motion);
    j->state = flx_alloc(base->ctx, (size_t)j->head.nstate, sizeof *j->state);
    return j->motion && j->state ? put(j, &j->head, sizeof j->head) : FLX_ERR_MEMORY;
}

static flx_status journal_motion(flx_sink *base, const double *values)
{
    journal *j = (journal *)base;
    memcpy(j->motion, values, (size_t)j->head.nmotion * sizeof *values);
    j->with |= MOVES;
    return FLX_OK;
}

static flx_status journal_state(flx_sink *base, const double *values)
{
    journal *j = (journal *)base;
    if (j->head.nstate == 0) return FLX_OK; // the last one, which is no row's
    memcpy(j->state, values, (size_t)j->head.nstate * sizeof *values);
    j->with |= STATE;
    return FLX_OK;
}

static flx_status journal_row(flx_sink *base, double t, const double *values)
{
    journal *j = (journal *)base;
    const record r = {.t = t, .event = -1, .with = j->with};
    FLX_TRY(put(j, &r, sizeof r));
    if (j->with & STATE) FLX_TRY(put_numbers(j, j->state, j->head.nstate));
    if (j->with & MOVES) FLX_TRY(put_numbers(j, j->motion, j->head.nmotion));
    j->with = 0;
    j->records++;
    return put_numbers(j, values, j->head.ncolumn);
}

static flx_status journal_event(flx_sink *base, double t, int event, const double *before,
                                const double *after)
{
    journal *j = (journal *)base;
    const record r = {.t = t, .event = event};
    FLX_TRY(put(j, &r, sizeof r));
    FLX_TRY(put_numbers(j, before, j->head.ncolumn));
    j->records++;
    return put_numbers(j, after, j->head.ncolumn);
}

static flx_status journal_particles(flx_sink *base, double t, const flx_particle_frame *f)
{
    journal *j = (journal *)base;
    size_t n = (size_t)f->count;
    const record r = {.t = t, .event = OF_PARTICLES, .with = f->count};
    FLX_TRY(put(j, &r, sizeof r));
    FLX_TRY(put(j, f->positions, 3 * n * sizeof(float)));
    FLX_TRY(put(j, f->radii, n * sizeof(float)));
    FLX_TRY(put(j, f->speeds, n * sizeof(float)));
    j->records++;
    return put(j, f->labels, n * sizeof(int));
}

static flx_status journal_end(flx_sink *base, const flx_ledger *ledger)
{
    (void)base;
    (void)ledger;
    return FLX_OK;
}

static void journal_destroy(flx_sink *base)
{
    journal *j = (journal *)base;
    flx_output_drop(&j->output);
    flx_free(j->motion);
    flx_free(j->state);
    flx_free(j);
}

static const flx_sink_type journal_type = {
    .name = "journal",
    .begin = journal_begin,
    .row = journal_row,
    .end = journal_end,
    .destroy = journal_destroy,
    .event = journal_event,
    .motion = journal_motion,
    .state = journal_state,
    .particles = journal_particles,
};

flx_status flx_journal_sink_create(flx_ctx *ctx, const char *path, flx_sink **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    journal *j = flx_alloc(ctx, 1, sizeof *j);
    *out = NULL;
    if (!j) return FLX_ERR_MEMORY;
    j->base = (flx_sink){.type = &journal_type, .ctx = ctx};
    flx_sink *sink = &j->base;
    flx_status status = flx_output_create(ctx, "the rows so far", path, &j->output);
    if (status == FLX_OK) {
        j->file = flx_output_file(j->output);
        *out = sink;
    } else {
        flx_sink_destroy(&sink);
    }
    return status;
}

flx_status flx_journal_sink_mark(flx_sink *s, long *records)
{
    if (!s || s->type != &journal_type || !records) {
        return flx_refuse_null(s ? s->ctx : NULL, __func__);
    }
    journal *j = (journal *)s;
    *records = j->records;
    return flx_output_commit(j->output) ? FLX_OK : flx_output_fail(j->output, "");
}

// ---- replaying ----------------------------------------------------------------------------------

static flx_status damaged(flx_ctx *ctx, const char *path)
{
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE,
                    "'%s' does not have the rows that the checkpoint counts; run the model again",
                    path);
}

static bool take(FILE *f, void *data, size_t size)
{
    return fread(data, 1, size, f) == size;
}

static flx_status hand_over(const record *r, const double *x, const head *h, int nsink,
                            flx_sink *const *sinks)
{
    for (int i = 0; i < nsink; i++) {
        const flx_sink_type *type = sinks[i]->type;
        const double *motion = x + (r->with & STATE ? h->nstate : 0);
        const double *values = motion + (r->with & MOVES ? h->nmotion : 0);
        if (r->event >= 0) {
            if (type->event) FLX_TRY(type->event(sinks[i], r->t, r->event, x, x + h->ncolumn));
            continue;
        }
        if (r->with & STATE && type->state) FLX_TRY(type->state(sinks[i], x));
        if (r->with & MOVES && type->motion) FLX_TRY(type->motion(sinks[i], motion));
        FLX_TRY(type->row(sinks[i], r->t, values));
    }
    return FLX_OK;
}

static flx_status hand_particles(flx_ctx *ctx, FILE *f, const record *r, const char *path,
                                 int nsink, flx_sink *const *sinks)
{
    size_t n = (size_t)r->with;
    float *x = r->with >= 0 ? flx_alloc_unset(ctx, 6 * n + 1, sizeof *x) : NULL;
    if (r->with < 0) return damaged(ctx, path);
    if (!x) return FLX_ERR_MEMORY;
    flx_status status = take(f, x, 6 * n * sizeof *x) ? FLX_OK : damaged(ctx, path);
    int *labels = flx_alloc_unset(ctx, n + 1, sizeof *labels);
    if (!labels) status = FLX_ERR_MEMORY;
    if (labels) memcpy(labels, x + 5 * n, n * sizeof *labels);
    const flx_particle_frame frame = {.count = r->with,
                                      .positions = x,
                                      .radii = x + 3 * n,
                                      .speeds = x + 4 * n,
                                      .labels = labels};
    for (int i = 0; i < nsink && status == FLX_OK; i++) {
        if (sinks[i]->type->particles) status = sinks[i]->type->particles(sinks[i], r->t, &frame);
    }
    flx_free(labels);
    flx_free(x);
    return status;
}

flx_status flx_journal_replay(flx_ctx *ctx, const char *path, long records,
                              const flx_result_info *info, int nsink, flx_sink *const *sinks)
{
    if (!ctx || !path || !info) return flx_refuse_null(ctx, __func__);
    head h = {0};
    int nmotion = info->scene ? info->nmotion : 0, nstate = info->state_rows ? info->nstate : 0;
    FILE *f = fopen(path, "rb");
    if (!f) return damaged(ctx, path);
    flx_status status = FLX_OK;
    size_t room = 2 * (size_t)info->ncolumn + (size_t)nmotion + (size_t)nstate;
    double *x = flx_alloc(ctx, room, sizeof *x);
    if (!x) status = FLX_ERR_MEMORY;
    bool fits = take(f, &h, sizeof h) && h.magic == MAGIC && h.ncolumn == info->ncolumn &&
                h.nmotion == nmotion && h.nevent == info->nevent && h.nstate == nstate;
    if (status == FLX_OK && !fits) status = damaged(ctx, path);
    for (long k = 0; k < records && status == FLX_OK; k++) {
        record r;
        bool whole = take(f, &r, sizeof r);
        if (whole && r.event == OF_PARTICLES) {
            status = hand_particles(ctx, f, &r, path, nsink, sinks);
            continue;
        }
        whole = whole && r.event < h.nevent && (r.with & ~(MOVES | STATE)) == 0;
        size_t n = 2 * (size_t)h.ncolumn;
        if (whole && r.event < 0) {
            n = (size_t)h.ncolumn + (r.with & MOVES ? (size_t)nmotion : 0) +
                (r.with & STATE ? (size_t)nstate : 0);
        }
        whole = whole && take(f, x, n * sizeof *x);
        status = whole ? hand_over(&r, x, &h, nsink, sinks) : damaged(ctx, path);
    }
    flx_free(x);
    fclose(f);
    return status;
}
