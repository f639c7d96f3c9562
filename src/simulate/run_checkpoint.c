// run_checkpoint.c - how far a run has come, written beside its result, and runs that go on from there.
//
// The file: a head, the path of the model and its settings as texts, then one walk over the memory of the run and the
// checkpoint of its method. It is replaced as a whole, so that one of the two last is always there.
#define _XOPEN_SOURCE 700 // realpath

#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/checkpoint.h"
#include "integrate/settle.h"
#include "simulate/exchange/exchange.h"
#include "simulate/exchange/fmu_steps.h"
#include "simulate/run_parts.h"
#include "simulate/unseen/unseen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x31544e4950584c46) // "FLXPINT1" on little-endian machines
#define FORMAT 2
#define LONGEST_NAME 400

typedef struct head {
    uint64_t magic, format;
    uint64_t model;  // hash of its text
    uint64_t size;   // of the file
    uint64_t sum;    // hash of what follows
    double t, until; // reached; asked for
    double seconds;  // between checkpoints
    double spent;    // of wall clock so far
    int64_t records; // of the journal
    uint64_t texts;  // bytes: path of the model, settings; each ends with 0
    uint64_t memory; // bytes: of the run; the rest is the method's
    int32_t nset;
    int32_t states; // one at every row
} head;

struct flx_checkpoint {
    flx_ctx *ctx;
    unsigned char *bytes; // owned: the file
    head head;
    char *rows;            // owned: path of the journal
    const char **settings; // owned; into bytes
};

struct flx_keeper {
    char *path;     // owned: of the checkpoint
    char *rows;     // owned: of the journal
    double seconds; // between checkpoints
    double last;    // clock of the last one
    double begun;   // clock, less what was spent before
    int nset;
    char *texts; // owned: model and settings
    size_t ntext;
    unsigned char *buffer; // owned
    size_t room;
    flx_sink **sinks;           // owned while the run lasts: the caller's, then
    flx_sink *journal;          // ... this one, owned
    const flx_checkpoint *from; // borrowed; NULL: the run begins
    bool told;                  // that the method begins anew
};

static char *join(flx_ctx *ctx, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b) + 1;
    char *out = flx_alloc(ctx, n + m, 1);
    if (!out) return NULL;
    memcpy(out, a, n);
    memcpy(out + n, b, m);
    return out;
}

static uint64_t hash_model(const flx_model *m)
{
    return m->text ? flx_hash(FLX_HASH_START, m->text, strlen(m->text)) : FLX_HASH_START;
}

// ---- the walk -----------------------------------------------------------------------------------

// A name that lives as long as the simulation.
static void name_memory(flx_simulation *sim, const char **name, flx_memory *m)
{
    char text[LONGEST_NAME];
    const char *found = flx_memory_name(m, *name, text, sizeof text);
    if (!flx_memory_loads(m)) return;
    if (found && *name && strcmp(found, *name) == 0) return; // as it is
    *name = found ? flx_arena_copy(sim->arena, found, strlen(found)) : NULL;
    if (found && !*name) flx_memory_fail(m, FLX_ERR_MEMORY);
}

static void ledger_memory(flx_simulation *sim, flx_memory *m)
{
    flx_ledger kept = sim->ledger;
    const double *metrics = kept.metrics;
    const char *position = kept.position_item, *velocity = kept.velocity_item;
    kept.metrics = NULL;
    kept.position_item = kept.velocity_item = kept.stopped_by = kept.work.governed_by = NULL;
    FLX_PASS(m, kept);
    name_memory(sim, &position, m);
    name_memory(sim, &velocity, m);
    if (!flx_memory_loads(m)) return;
    kept.metrics = metrics;
    kept.position_item = position;
    kept.velocity_item = velocity;
    sim->ledger = kept;
}

static void quadrature_memory(flx_quadrature *q, flx_memory *m)
{
    flx_memory_numbers(m, q->sum, (size_t)q->n);
    flx_memory_numbers(m, q->past, (size_t)(FLX_QUADRATURE_PAST * q->n));
    FLX_PASS(m, q->times);
    FLX_PASS(m, q->known);
}

// Signals are found in workspaces of their own.
static void work_memory(const flx_system *s, flx_work *w, flx_memory *m)
{
    if (s && s->ops->work_memory) s->ops->work_memory(w, m);
}

void flx_running_memory(flx_run *r, flx_memory *m)
{
    flx_simulation *sim = r->sim;
    FLX_PASS(m, r->every);
    FLX_PASS(m, r->time);
    FLX_PASS(m, r->step_end);
    FLX_PASS(m, r->step);
    FLX_PASS(m, r->started);
    FLX_PASS(m, r->row_since);
    FLX_PASS(m, r->watch.next);
    FLX_PASS(m, r->watch.failed);
    ledger_memory(sim, m);
    quadrature_memory(&sim->course, m);
    if (flx_memory_loads(m)) sim->passing = (flx_passing){0}; // of another step
    flx_memory_pass(m, sim->probe_values,
                    (size_t)sim->model->outputs.nprobe * sizeof *sim->probe_values);
    flx_memory_pass(m, sim->events, (size_t)sim->info.nevent * sizeof *sim->events);
    FLX_PASS(m, sim->energy_start);
    FLX_PASS(m, sim->energy_scale);
    FLX_PASS(m, sim->energy_error);
    FLX_PASS(m, sim->energy_turnover);
    FLX_PASS(m, sim->lost_in_impacts);
    FLX_PASS(m, sim->dropped_start);
    FLX_PASS(m, sim->kept_residual);
    FLX_PASS(m, sim->judge.speed);
    FLX_PASS(m, sim->judge.rate_off);
    FLX_PASS(m, sim->judge.floor);
    FLX_PASS(m, sim->judge.moved);
    FLX_PASS(m, sim->judge.missed);
    FLX_PASS(m, sim->judge.moved_x);
    FLX_PASS(m, sim->judge.missed_x);
    FLX_PASS(m, sim->judge.next);
    flx_unseen_memory(sim->unseen, m);
    work_memory(sim->sys, sim->work, m);
    work_memory(sim->bodies, sim->bodies_work, m);
    if (sim->settler) flx_settler_memory(sim->settler, m);
    flx_exchange_memory(sim->exchange, m);
    flx_fmu_steps_memory(sim->fmus, m);
}

// ---- writing ------------------------------------------------------------------------------------

static flx_status grow_buffer(flx_simulation *sim, size_t size)
{
    struct flx_keeper *k = sim->keeper;
    if (size <= k->room) return FLX_OK;
    flx_free(k->buffer);
    k->room = size + size / 4;
    k->buffer = flx_alloc(sim->ctx, k->room, 1);
    if (!k->buffer) k->room = 0;
    return k->buffer ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status write_file(flx_simulation *sim, size_t size)
{
    struct flx_keeper *k = sim->keeper;
    flx_output *o = NULL;
    FLX_TRY(flx_output_create(sim->ctx, "the checkpoint", k->path, &o));
    flx_status status = FLX_OK;
    if (fwrite(k->buffer, 1, size, flx_output_file(o)) != size) status = flx_output_fail(o, "");
    return flx_output_close(&o, status);
}

static flx_status write_checkpoint(flx_run *r)
{
    flx_simulation *sim = r->sim;
    struct flx_keeper *k = sim->keeper;
    long records = 0;
    FLX_TRY(flx_journal_sink_mark(k->journal, &records));
    flx_memory count = flx_memory_begin(FLX_MEMORY_COUNT, NULL, 0);
    flx_running_memory(r, &count);
    if (count.status != FLX_OK) return count.status; // told: something has no bytes
    size_t method = flx_integrator_save(sim->it, sim->state, NULL, 0);
    size_t size = sizeof(head) + k->ntext + count.size + method;
    FLX_TRY(grow_buffer(sim, size));
    unsigned char *at = k->buffer + sizeof(head);
    memcpy(at, k->texts, k->ntext);
    flx_memory save = flx_memory_begin(FLX_MEMORY_SAVE, at + k->ntext, count.size);
    flx_running_memory(r, &save);
    (void)flx_integrator_save(sim->it, sim->state, at + k->ntext + count.size, method);
    const head h = {.magic = MAGIC,
                    .format = FORMAT,
                    .model = hash_model(sim->model),
                    .size = size,
                    .sum = flx_hash(FLX_HASH_START, at, size - sizeof h),
                    .t = sim->state->t,
                    .until = sim->until,
                    .seconds = k->seconds,
                    .spent = flx_clock_seconds() - k->begun,
                    .records = records,
                    .texts = k->ntext,
                    .memory = count.size,
                    .nset = k->nset,
                    .states = sim->info.state_rows};
    memcpy(k->buffer, &h, sizeof h);
    return write_file(sim, size);
}

void flx_running_tell_forgetful(flx_simulation *sim)
{
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "method '%s' cannot save what it remembers from step to step (an entry `memory` "
                 "of its table would): a run that goes on from a checkpoint begins anew there "
                 "(bdf, adams: at order 1), and "
                 "its rows may differ, within its tolerance, from those of a run that was not "
                 "interrupted",
                 sim->it->type->name);
}

static void tell_of_method(flx_run *r)
{
    flx_simulation *sim = r->sim;
    if (sim->keeper->told || flx_integrator_remembers(sim->it)) return;
    sim->keeper->told = true;
    flx_running_tell_forgetful(sim);
}

flx_status flx_running_keep(flx_run *r, bool now)
{
    struct flx_keeper *k = r->sim->keeper;
    if (!k || r->watch.full)
        return FLX_OK; // a run that went back to the full system is not kept on
    if (!now && flx_clock_seconds() - k->last < k->seconds) return FLX_OK;
    tell_of_method(r);
    long before = flx_ctx_allocation_count(r->sim->ctx);
    flx_status status = write_checkpoint(r);
    r->kept_allocations += flx_ctx_allocation_count(r->sim->ctx) - before;
    k->last = flx_clock_seconds();
    return status;
}

// ---- the run ------------------------------------------------------------------------------------

flx_status flx_running_open(flx_run *r)
{
    struct flx_keeper *k = r->sim->keeper;
    if (!k) return FLX_OK;
    size_t n = (size_t)r->nsink;
    k->sinks = flx_alloc(r->sim->ctx, n + 1, sizeof *k->sinks);
    if (!k->sinks) return FLX_ERR_MEMORY;
    FLX_TRY(flx_journal_sink_create(r->sim->ctx, k->rows, &k->sinks[n]));
    for (size_t i = 0; i < n; i++) k->sinks[i] = r->sinks[i];
    r->sinks = k->sinks;
    k->journal = k->sinks[n];
    r->nsink++;
    k->last = k->begun = flx_clock_seconds();
    return FLX_OK;
}

flx_status flx_running_resume(flx_run *r)
{
    flx_simulation *sim = r->sim;
    struct flx_keeper *k = sim->keeper;
    const flx_checkpoint *c = k ? k->from : NULL;
    if (!c) return FLX_OK;
    unsigned char *at = c->bytes + sizeof c->head + c->head.texts;
    size_t rest = (size_t)(c->head.size - sizeof c->head - c->head.texts - c->head.memory);
    FLX_TRY(flx_integrator_restore(sim->it, sim->state, at + c->head.memory, rest));
    flx_memory load = flx_memory_begin(FLX_MEMORY_LOAD, at, (size_t)c->head.memory);
    flx_running_memory(r, &load);
    if (load.status == FLX_ERR_MEMORY) return load.status;
    if (load.status != FLX_OK || load.left != 0) {
        return FLX_FAIL(
            sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "the checkpoint does not fit this model: has a file that it reads changed?");
    }
    r->schedule.resume = 1;
    k->begun -= c->head.spent;
    return flx_journal_replay(sim->ctx, c->rows, (long)c->head.records, &sim->info, r->nsink,
                              r->sinks);
}

void flx_running_close(flx_run *r, flx_status status)
{
    struct flx_keeper *k = r->sim->keeper;
    if (!k) return;
    flx_sink_destroy(&k->journal);
    flx_free(k->sinks);
    k->sinks = NULL;
    k->from = NULL;
    if (status < 0 || status == FLX_INTERRUPTED) return; // it may go on once there is room, or time
    (void)remove(k->path);
    (void)remove(k->rows);
}

// ---- life ---------------------------------------------------------------------------------------

void flx_keeper_destroy(struct flx_keeper **keeper)
{
    struct flx_keeper *k = *keeper;
    if (!k) return;
    flx_free(k->path);
    flx_free(k->rows);
    flx_free(k->texts);
    flx_free(k->buffer);
    flx_sink_destroy(&k->journal);
    flx_free(k->sinks);
    flx_free(k);
    *keeper = NULL;
}

// The texts one after the other, each with its 0.
static flx_status keep_texts(flx_simulation *sim, struct flx_keeper *k, int nset,
                             const char *const *settings)
{
    const char *model = sim->model->path ? sim->model->path : "";
    char *real = realpath(model, NULL);
    if (real) model = real;
    k->nset = nset;
    k->ntext = strlen(model) + 1;
    for (int i = 0; i < nset; i++) k->ntext += strlen(settings[i]) + 1;
    k->texts = flx_alloc(sim->ctx, k->ntext, 1);
    char *at = k->texts;
    for (int i = -1; i < nset && at; i++) {
        const char *text = i < 0 ? model : settings[i];
        memcpy(at, text, strlen(text) + 1);
        at += strlen(text) + 1;
    }
    free(real);
    return k->texts ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_simulation_keep(flx_simulation *sim, const char *path, double seconds, int nset,
                               const char *const *settings)
{
    if (!sim) return flx_refuse_null(NULL, __func__);
    if (!path || (nset > 0 && !settings)) return flx_refuse_null(sim->ctx, __func__);
    if (!isfinite(seconds) || seconds < 0.0) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the time between checkpoints cannot be negative");
    }
    struct flx_keeper *k = flx_alloc(sim->ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    if (sim->keeper) k->from = sim->keeper->from;
    flx_keeper_destroy(&sim->keeper);
    sim->keeper = k;
    k->seconds = seconds;
    k->path = join(sim->ctx, path, ".checkpoint");
    k->rows = join(sim->ctx, path, ".rows");
    flx_status status = k->path && k->rows ? keep_texts(sim, k, nset, settings) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_keeper_destroy(&sim->keeper);
    return status;
}

// ---- reading ------------------------------------------------------------------------------------

static flx_status refuse(flx_ctx *ctx, const char *path, const char *why)
{
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s.checkpoint' %s", path, why);
}

static flx_status read_bytes(flx_ctx *ctx, const char *path, flx_checkpoint *c)
{
    char *name = join(ctx, path, ".checkpoint");
    if (!name) return FLX_ERR_MEMORY;
    FILE *f = fopen(name, "rb");
    flx_free(name);
    if (!f) return refuse(ctx, path, "cannot be read: there is nothing to go on from");
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    rewind(f);
    flx_status status = FLX_OK;
    if (size < (long)sizeof c->head) status = refuse(ctx, path, "is not a checkpoint of a run");
    if (status == FLX_OK && !(c->bytes = flx_alloc(ctx, (size_t)size, 1))) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && fread(c->bytes, 1, (size_t)size, f) != (size_t)size) {
        status = refuse(ctx, path, "cannot be read");
    }
    fclose(f);
    if (status != FLX_OK) return status;
    head *h = &c->head;
    memcpy(h, c->bytes, sizeof *h);
    if (h->magic != MAGIC) return refuse(ctx, path, "is not a checkpoint of a run");
    if (h->format != FORMAT) return refuse(ctx, path, "was written by another version of Flexion");
    size_t rest = (size_t)size - sizeof *h;
    bool whole = h->size == (uint64_t)size && h->texts <= rest && h->memory <= rest - h->texts &&
                 h->sum == flx_hash(FLX_HASH_START, c->bytes + sizeof *h, rest);
    return whole ? FLX_OK : refuse(ctx, path, "is damaged");
}

static flx_status find_settings(flx_ctx *ctx, const char *path, flx_checkpoint *c)
{
    const char *at = (const char *)c->bytes + sizeof c->head, *end = at + c->head.texts;
    int found = -1; // the first is the model
    if (c->head.nset < 0 || c->head.texts == 0 || end[-1] != '\0')
        return refuse(ctx, path, "is damaged");
    c->settings = flx_alloc(ctx, (size_t)c->head.nset + 1, sizeof *c->settings);
    if (!c->settings) return FLX_ERR_MEMORY;
    for (; at < end; at += strlen(at) + 1, found++) {
        if (found >= 0 && found < c->head.nset) c->settings[found] = at;
    }
    return found == c->head.nset ? FLX_OK : refuse(ctx, path, "is damaged");
}

flx_status flx_checkpoint_open(flx_ctx *ctx, const char *path, flx_checkpoint **out)
{
    if (out) *out = NULL;
    if (!ctx || !path || !out) return flx_refuse_null(ctx, __func__);
    flx_checkpoint *c = *out = flx_alloc(ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    c->ctx = ctx;
    flx_status status = read_bytes(ctx, path, c);
    if (status == FLX_OK) status = find_settings(ctx, path, c);
    if (status == FLX_OK && !(c->rows = join(ctx, path, ".rows"))) status = FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_checkpoint_close(out);
    return status;
}

void flx_checkpoint_close(flx_checkpoint **c)
{
    if (!c || !*c) return;
    flx_free((*c)->bytes);
    flx_free((*c)->rows);
    flx_free((*c)->settings);
    flx_free(*c);
    *c = NULL;
}

const char *flx_checkpoint_model(const flx_checkpoint *c)
{
    if (!c) return NULL;
    return (const char *)c->bytes + sizeof c->head;
}

int flx_checkpoint_settings(const flx_checkpoint *c, const char *const **settings)
{
    if (!c) return 0;
    *settings = c->settings;
    return c->head.nset;
}

double flx_checkpoint_time(const flx_checkpoint *c)
{
    if (!c) return (double)NAN;
    return c->head.t;
}

double flx_checkpoint_seconds(const flx_checkpoint *c)
{
    if (!c) return (double)NAN;
    return c->head.seconds;
}

flx_status flx_simulation_resume(flx_simulation *sim, const flx_checkpoint *c)
{
    if (!sim || !c) return flx_refuse_null(NULL, __func__);
    if (c->head.model != hash_model(sim->model)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model is not the one that the checkpoint was made of: its file has "
                        "changed; run it "
                        "from the start");
    }
    if (!sim->keeper) {
        const char *const *settings;
        int nset = flx_checkpoint_settings(c, &settings);
        size_t n = strlen(c->rows) - strlen(".rows");
        char *path = flx_arena_copy(sim->arena, c->rows, n);
        if (!path) return FLX_ERR_MEMORY;
        FLX_TRY(flx_simulation_keep(sim, path, c->head.seconds, nset, settings));
    }
    FLX_TRY(flx_simulation_set_until(sim, c->head.until));
    if (c->head.states) flx_simulation_keep_states(sim);
    sim->keeper->from = c;
    return FLX_OK;
}
