// run_save.c - a run as a block of bytes, and back: a head that says whose bytes they are, the memory of the run, then
// the checkpoint of its method. The walk over the memory is that of run_checkpoint.c.
#include "base/checkpoint_walk.h"
#include "base/refuse.h"
#include "integrate/method.h"
#include "simulate/run_parts.h"

#include <string.h>

#define MAGIC UINT64_C(0x31304e5552584c46) // "FLXRUN01" on little-endian machines
#define FORMAT 7

typedef struct head {
    uint64_t magic, format;
    uint64_t system, method; // hashes
    uint64_t size;           // of all, the head included
    uint64_t sum;            // hash of all of it, with 0 here
    uint64_t memory;         // bytes of the run; the rest is the method's
    uint64_t full;           // a reduced run has gone back to the full system
} head;

// ---- whose bytes they are -----------------------------------------------------------------------

static uint64_t hash_parameter(uint64_t hash, const flx_parameter *p)
{
    hash = flx_hash(hash, p->name, strlen(p->name) + 1);
    if (p->tunable >= 0) return hash; // its value is in the block
    return flx_hash(hash, p->values, (size_t)p->count * sizeof *p->values);
}

// The model as it was read, with the values of parameters that cannot change, and the equations made of it. Found once.
static uint64_t hash_system(flx_run *r)
{
    if (r->identity) return r->identity;
    const flx_plan *p = r->sim->plan;
    const flx_model *m = p->model;
    uint64_t hash = flx_system_identity(p->sys);
    if (m->text) hash = flx_hash(hash, m->text, strlen(m->text));
    for (int i = 0; i < m->nparameter; i++) hash = hash_parameter(hash, m->parameters + i);
    r->identity = hash ? hash : 1;
    return r->identity;
}

// The method that the run began with.
static uint64_t hash_method(const flx_run *r)
{
    return flx_integrator_identity(r->watch.full ? r->watch.full->it : r->sim->it);
}

// ---- the walk -----------------------------------------------------------------------------------

static void params_memory(const flx_system *s, flx_memory *m)
{
    // a run has an instance of its system, whose numbers are its own
    if (s) flx_memory_numbers(m, (double *)(uintptr_t)s->param, (size_t)s->dims.nparam);
}

// The parameters that the systems have come first: all else is made of them.
static void parameters_memory(flx_run *r, flx_memory *m)
{
    const flx_system *s = r->sim->sys;
    size_t n = (size_t)s->nparameter;
    bool asked = r->parameters != NULL;
    FLX_PASS(m, asked);
    FLX_PASS(m, r->tuned);
    if (asked && !r->parameters) {
        r->parameters = flx_alloc(r->sim->ctx, n, sizeof *r->parameters);
        if (!r->parameters) flx_memory_fail(m, FLX_ERR_MEMORY);
    }
    if (asked && r->parameters) flx_memory_numbers(m, r->parameters, n);
    if (!asked) flx_free(r->parameters);
    if (!asked) r->parameters = NULL;
}

// Events at the start that are not told yet.
static void due_memory(flx_run *r, flx_memory *m)
{
    FLX_PASS(m, r->met);
    FLX_PASS(m, r->ended);
    FLX_PASS(m, r->ndue);
    if (m->status == FLX_OK && r->ndue > r->room_due) {
        flx_status status =
            flx_grow(r->sim->ctx, (void **)&r->due, &r->room_due, r->ndue, sizeof *r->due);
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    if (r->ndue > 0 && r->ndue <= r->room_due)
        flx_memory_pass(m, r->due, (size_t)r->ndue * sizeof *r->due);
}

// Modes that are signals, where parameters of the run have made others than those of its system.
static void findings_memory(flx_simulation *sim, flx_memory *m)
{
    bool own = sim->findings != sim->plan->findings;
    FLX_PASS(m, own);
    if (!own) sim->findings = sim->plan->findings;
    flx_status status = own ? flx_simulation_own_findings(sim) : FLX_OK;
    if (status != FLX_OK) flx_memory_fail(m, status);
    for (int i = 0; own && status == FLX_OK && i < sim->model->nanalysis; i++) {
        size_t n = 4 * (size_t)sim->model->analyses[i].count;
        if (sim->findings[i]) flx_memory_numbers(m, sim->findings[i], n);
    }
}

// Of what ran before a change to the full system.
static void work_memory(flx_integrator *it, flx_memory *m)
{
    flx_statistics work = it->stats;
    work.governed_by = NULL;
    FLX_PASS(m, work);
    if (flx_memory_loads(m)) it->stats = work;
}

static void walk(flx_run *r, flx_memory *m)
{
    flx_simulation *sim = r->sim;
    int stop = -1;
    for (int i = 0; i < sim->info.nevent; i++) {
        if (sim->info.events[i] == sim->ledger.stopped_by) stop = i;
    }
    double *own = sim->sys->nparameter > 0
                      ? (double *)(uintptr_t)sim->sys->param + sim->sys->first_parameter
                      : NULL; // an instance is the run's own
    flx_memory_numbers(m, own, (size_t)sim->sys->nparameter);
    double *scales;
    size_t nscale = (size_t)flx_quasistatic_scales(sim->sys, &scales);
    flx_memory_numbers(m, scales, nscale);
    FLX_PASS(m, r->t);
    FLX_PASS(m, r->horizon);
    FLX_PASS(m, r->begun);
    FLX_PASS(m, r->placed);
    FLX_PASS(m, r->stale);
    FLX_PASS(m, r->stopped);
    FLX_PASS(m, r->failed);
    FLX_PASS(m, r->schedule.until);
    FLX_PASS(m, r->watch.every);
    FLX_PASS(m, sim->accounts);
    FLX_PASS(m, sim->powered);
    FLX_PASS(m, stop);
    parameters_memory(r, m);
    due_memory(r, m);
    findings_memory(sim, m);
    flx_state_memory(sim->start, m);
    params_memory(sim->sys, m);
    params_memory(sim->bodies, m);
    if (r->watch.full) params_memory(r->watch.full->sys, m); // a reset goes back to it
    flx_running_memory(r, m);
    if (r->watch.full) work_memory(r->watch.full->it, m);
    if (!flx_memory_loads(m)) return;
    sim->until = r->horizon;
    sim->ledger.stopped_by = stop >= 0 && stop < sim->info.nevent ? sim->info.events[stop] : NULL;
}

static uint64_t sum_up(const head *h, const unsigned char *body, size_t size)
{
    head plain = *h;
    plain.sum = 0;
    return flx_hash(flx_hash(FLX_HASH_START, &plain, sizeof plain), body, size - sizeof plain);
}

// ---- save ---------------------------------------------------------------------------------------

// summed: with a sum, for blocks that leave the program.
static size_t save(const flx_run *run, bool summed, void *buffer, size_t room)
{
    flx_run *r = (flx_run *)(uintptr_t)run; // saving reads only
    flx_simulation *sim = r->sim;
    if (flx_running_enter(r) != FLX_OK) return 0;
    r->busy = false; // no callback is called here
    flx_memory count = flx_memory_begin(FLX_MEMORY_COUNT, NULL, 0);
    count.now = sim->state->t;
    walk(r, &count);
    if (count.status != FLX_OK) return 0; // told: something has no bytes
    size_t method = flx_method_save(sim->it, sim->state, false, NULL, 0);
    size_t size = sizeof(head) + count.size + method;
    if (!buffer || room < size) return size;
    unsigned char *body = (unsigned char *)buffer + sizeof(head);
    flx_memory save = flx_memory_begin(FLX_MEMORY_SAVE, body, count.size);
    save.now = count.now;
    walk(r, &save);
    (void)flx_method_save(sim->it, sim->state, false, body + count.size, method);
    head h = {.magic = MAGIC,
              .format = FORMAT,
              .system = hash_system(r),
              .method = hash_method(r),
              .size = size,
              .memory = count.size,
              .full = r->watch.full != NULL};
    if (summed) h.sum = sum_up(&h, body, size);
    memcpy(buffer, &h, sizeof h);
    return size;
}

size_t flx_run_save(const flx_run *run, void *buffer, size_t room)
{
    if (!run) return 0;
    return save(run, true, buffer, room);
}

// ---- restore ------------------------------------------------------------------------------------

static flx_status refuse(const flx_run *r, const char *what)
{
    return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the saved run %s", what);
}

static flx_status check(flx_run *r, const head *h, const unsigned char *body, size_t size)
{
    if (size < sizeof *h || h->magic != MAGIC) return refuse(r, "is none");
    if (h->format != FORMAT) return refuse(r, "was written by another version of Flexion");
    if (h->size != size || h->sum != sum_up(h, body, size) || h->memory > size - sizeof *h) {
        return refuse(r, "is damaged: it is not as it was written");
    }
    if (h->system != hash_system(r)) return refuse(r, "belongs to another model");
    if (h->method != hash_method(r)) {
        return refuse(r, "was made by another method, or with other settings of it");
    }
    return FLX_OK;
}

// The system that went on when the block was made.
static flx_status take_engine(flx_run *r, bool full)
{
    flx_simulation *sim = r->sim;
    if (full == (r->watch.full != NULL)) return FLX_OK;
    if (full) return flx_watch_change(&r->watch, sim);
    flx_watch_end(&r->watch, sim);
    flx_watch_start(&r->watch, sim);
    return FLX_OK;
}

// The block begins with the parameters of its systems.
static flx_status take_parameters(flx_run *r, const unsigned char *body)
{
    const flx_system *s = r->sim->sys;
    size_t n = (size_t)s->nparameter * sizeof(double);
    if (n == 0 || memcmp(s->param + s->first_parameter, body, n) == 0) return FLX_OK;
    double *p = flx_alloc(r->sim->ctx, (size_t)s->nparameter, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    memcpy(p, body, n);
    flx_watch_end(&r->watch, r->sim);
    flx_watch_start(&r->watch, r->sim);
    flx_status status = flx_running_tune(r, p);
    flx_free(p);
    return status;
}

// Then come the scales that were measured where the run began: its method was made with them.
static flx_status take_scales(flx_run *r, const unsigned char *body)
{
    flx_simulation *sim = r->sim;
    double *scales;
    size_t n = (size_t)flx_quasistatic_scales(sim->sys, &scales) * sizeof *scales;
    body += (size_t)sim->sys->nparameter * sizeof(double);
    if (n == 0 || memcmp(scales, body, n) == 0) return FLX_OK;
    memcpy(scales, body, n);
    return flx_simulation_create_method(sim);
}

static flx_status load(flx_run *r, const head *h, unsigned char *body)
{
    flx_simulation *sim = r->sim;
    size_t method = (size_t)(h->size - sizeof *h - h->memory);
    flx_memory walked = flx_memory_begin(FLX_MEMORY_LOAD, body, (size_t)h->memory);
    FLX_TRY(take_parameters(r, body));
    FLX_TRY(take_engine(r, h->full != 0));
    FLX_TRY(take_scales(r, body));
    FLX_TRY(flx_method_restore(sim->it, sim->state, false, body + h->memory, method));
    walk(r, &walked);
    if (walked.status == FLX_ERR_MEMORY) return walked.status;
    if (walked.status != FLX_OK || walked.left != 0) return refuse(r, "does not fit this run");
    return FLX_OK;
}

static flx_status restore(flx_run *r, bool summed, const void *buffer, size_t size)
{
    head h = {0};
    unsigned char *body = (unsigned char *)(uintptr_t)buffer; // loading reads only
    if (buffer && size >= sizeof h) {
        memcpy(&h, buffer, sizeof h);
        body += sizeof h;
    }
    if (summed) FLX_TRY(check(r, &h, body, size));
    FLX_TRY(flx_running_enter(r));
    r->known = false;
    flx_status status = load(r, &h, body);
    flx_account_forget(r->sim);
    r->sim->used = true;
    if (status != FLX_OK) r->failed = status;
    flx_running_show(r);
    if (!flx_integrator_remembers(r->sim->it)) flx_running_tell_forgetful(r->sim);
    r->busy = false;
    return status;
}

flx_status flx_run_restore(flx_run *r, const void *buffer, size_t size)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    return restore(r, true, buffer, size);
}

flx_status flx_run_clone(const flx_run *run, flx_ctx *ctx, flx_run **copy)
{
    if (!run || !ctx || !copy) return flx_refuse_null(ctx, __func__);
    *copy = NULL;
    size_t size = save(run, false, NULL, 0);
    if (size == 0) return FLX_ERR_ARGUMENT; // in a callback
    FLX_TRY(flx_run_create(run->of, &run->def, ctx, copy));
    void *buffer = flx_alloc_unset(ctx, size, 1);
    flx_status status = buffer ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        (void)save(run, false, buffer, size);
        status = restore(*copy, false, buffer, size);
    }
    flx_free(buffer);
    if (status != FLX_OK) flx_run_destroy(copy);
    return status;
}
