// checkpoint_method.c - what a method remembers, saved and restored: a head that says whose bytes they are,
// then one walk over the memory of the state, the method, its events and its workspace.
#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "base/refuse.h"
#include "integrate/events/events_parts.h"
#include "integrate/method.h"

#include <string.h>

#define MAGIC UINT64_C(0x314854454d584c46) // "FLXMETH1" on little-endian machines
#define FORMAT 7
#define LONGEST_NAME 200

typedef struct head {
    uint64_t magic, format;
    uint64_t system, method; // hashes
    uint64_t size;           // of all, the head included
    uint64_t sum;            // hash of what follows
} head;

// ---- whose bytes they are ---------------------------------------------------------------------

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? flx_hash(hash, text, strlen(text) + 1) : flx_hash(hash, "", 1);
}

// Sizes and names of all unknowns, in their order.
uint64_t flx_system_identity(const flx_system *s)
{
    uint64_t hash = hash_text(FLX_HASH_START, s->ops->name);
    hash = flx_hash(hash, &s->dims, sizeof s->dims);
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        hash = hash_text(hash, u.item);
        hash = hash_text(hash, u.part);
    }
    return hash;
}

uint64_t flx_integrator_identity(const flx_integrator *it)
{
    const flx_integrator_def *d = &it->def;
    const double numbers[] = {d->step,
                              d->rtol,
                              d->atol,
                              d->alpha,
                              d->beta,
                              d->gamma,
                              (double)d->formulation,
                              d->spectral_radius,
                              d->newton_tolerance,
                              d->initial_step,
                              d->max_step,
                              (double)d->stages,
                              (double)d->degree,
                              (double)d->quadrature,
                              (double)d->max_order,
                              (double)d->drift,
                              (double)d->impacts,
                              d->rest_velocity};
    uint64_t hash = hash_text(FLX_HASH_START, it->type->name);
    hash = hash_text(hash, d->family);
    return flx_hash(hash, numbers, sizeof numbers);
}

// Both, of a method; found once.
static const uint64_t *identify(flx_integrator *it)
{
    flx_method *m = flx_method_of(it);
    if (!m->identified) {
        m->identity[0] = flx_system_identity(it->sys);
        m->identity[1] = flx_integrator_identity(it);
    }
    m->identified = true;
    return m->identity;
}

// ---- the walk ---------------------------------------------------------------------------------

static void events_memory(flx_integrator *it, flx_events *e, flx_memory *m)
{
    size_t n = (size_t)e->n;
    bool relaxes = e->relaxer != NULL;
    FLX_PASS(m, e->located);
    flx_memory_numbers(m, e->at, n);
    flx_memory_numbers(m, e->from, n);
    flx_memory_numbers(m, e->to, n);
    flx_memory_numbers(m, e->grace, n);
    flx_memory_numbers(m, e->slope, n);
    flx_memory_numbers(m, e->range, n);
    flx_memory_numbers(m, e->size, n);
    FLX_PASS(m, e->sized);
    FLX_PASS(m, e->ntried);
    FLX_PASS(m, e->cycled);
    FLX_PASS(m, e->votes);
    flx_memory_numbers(m, e->tried, FLX_MOST_TRIES * (size_t)it->sys->dims.nswitch);
    flx_memory_pass(m, e->changed, n);
    flx_memory_pass(m, e->history, (n + (size_t)e->nevent) * sizeof *e->history);
    flx_state_memory(e->begin, m);
    flx_state_memory(e->prior, m);
    flx_accelerator_memory(e->acc, m);
    flx_saddle_memory(e->saddle, m);
    if (e->contacts) flx_contacts_memory(e->contacts, m);
    FLX_PASS(m, relaxes);
    if (relaxes && !e->relaxer && m->status == FLX_OK) {
        flx_status status = flx_relaxer_create(it->sys, &e->relaxer);
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    if (relaxes && e->relaxer) flx_relaxer_memory(e->relaxer, m);
}

int flx_integrator_remembers(const flx_integrator *it)
{
    if (!it) return 0;
    const flx_system_ops *ops = it->sys->ops;
    return it->type->memory != NULL && (!ops->factor || ops->factors_memory);
}

// An indicator or an event by its name; NULL: none.
static const char *find_name(flx_integrator *it, const char *name)
{
    const flx_events *e = flx_method_of(it)->events;
    flx_loc loc;
    for (int i = 0; e && i < e->n + e->nevent; i++) {
        const char *own =
            i < e->n ? flx_events_indicator(it, i, &loc) : e->ops->event(it->sys, i - e->n, &loc);
        if (own && strcmp(own, name) == 0) return own;
    }
    return NULL;
}

// The name among them is another text in another process.
static void stats_memory(flx_integrator *it, flx_memory *m)
{
    flx_statistics kept = it->stats;
    const char *before = kept.governed_by;
    char text[LONGEST_NAME];
    kept.governed_by = NULL;
    FLX_PASS(m, kept);
    const char *name = flx_memory_name(m, before, text, sizeof text);
    if (!flx_memory_loads(m)) return;
    it->stats = kept;
    if (name) it->stats.governed_by = find_name(it, name);
}

// They may have come while the run lasted.
static void input_jumps_memory(flx_integrator *it, flx_memory *m)
{
    flx_method *method = flx_method_of(it);
    bool input_jumps = method->input_jumps != NULL;
    FLX_PASS(m, input_jumps);
    if (!input_jumps || m->status != FLX_OK) return;
    flx_status status = flx_events_expect_jumps(it);
    if (status != FLX_OK) {
        flx_memory_fail(m, status);
    } else if (method->input_jumps) {
        events_memory(it, method->input_jumps, m);
    }
}

static void walk(flx_integrator *it, flx_state *x, flx_memory *m)
{
    flx_method *method = flx_method_of(it);
    const flx_system *s = it->sys;
    flx_state_memory(x, m);
    stats_memory(it, m);
    FLX_PASS(m, method->course.start);
    FLX_PASS(m, method->course.grid);
    FLX_PASS(m, method->course.cut);
    FLX_PASS(m, method->course.every);
    FLX_PASS(m, method->course.time);
    FLX_PASS(m, method->span);
    FLX_PASS(m, method->begin);
    FLX_PASS(m, method->longest);
    FLX_PASS(m, method->supplied_in_impacts);
    FLX_PASS(m, method->warned);
    FLX_PASS(m, method->warned_stiff);
    FLX_PASS(m, method->warned_many);
    flx_state_memory(method->before, m);
    flx_state_memory(method->after, m);
    FLX_PASS(m, method->stepped);
    FLX_PASS(m, method->continues);
    FLX_PASS(m, method->input_jumped);
    FLX_PASS(m, method->rates_jumped);
    if (method->events) events_memory(it, method->events, m);
    input_jumps_memory(it, m);
    if (s->ops->work_memory) s->ops->work_memory(it->work, m);
    // what rows were in the last step
    if (flx_memory_loads(m) && s->ops->contacts && method->read_rows)
        method->read_rows(it, method->before->switches);
    if (flx_integrator_remembers(it)) {
        it->type->memory(it, m);
    } else if (flx_memory_loads(m)) {
        method->stepped = method->continues = false;
    }
}

// ---- save, restore ----------------------------------------------------------------------------

size_t flx_method_save(flx_integrator *it, const flx_state *x, bool summed, void *buffer,
                       size_t room)
{
    flx_state *state = (flx_state *)(uintptr_t)x; // saving reads only
    flx_memory count = flx_memory_begin(FLX_MEMORY_COUNT, NULL, 0);
    count.now = x->t;
    walk(it, state, &count);
    size_t size = sizeof(head) + count.size;
    if (!buffer || room < size) return size;
    unsigned char *body = (unsigned char *)buffer + sizeof(head);
    flx_memory save = flx_memory_begin(FLX_MEMORY_SAVE, body, count.size);
    save.now = x->t;
    walk(it, state, &save);
    const head h = {.magic = MAGIC,
                    .format = FORMAT,
                    .system = identify(it)[0],
                    .method = identify(it)[1],
                    .size = size,
                    .sum = summed ? flx_hash(FLX_HASH_START, body, count.size) : 0};
    memcpy(buffer, &h, sizeof h);
    return size;
}

size_t flx_integrator_save(flx_integrator *it, const flx_state *x, void *buffer, size_t room)
{
    if (!it || !x) return 0;
    return flx_method_save(it, x, true, buffer, room);
}

static flx_status refuse(flx_integrator *it, const char *what)
{
    return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the checkpoint %s", what);
}

static flx_status check(flx_integrator *it, const head *h, const unsigned char *body, bool summed,
                        size_t size)
{
    if (size < sizeof *h || h->magic != MAGIC) return refuse(it, "is none of a method");
    if (h->format != FORMAT) return refuse(it, "was written by another version of Flexion");
    bool whole = !summed || h->sum == flx_hash(FLX_HASH_START, body, size - sizeof *h);
    if (h->size != size || !whole) {
        return refuse(it, "is damaged: it is not as it was written");
    }
    if (h->system != identify(it)[0]) return refuse(it, "belongs to another model");
    if (h->method != identify(it)[1]) {
        return refuse(it, "was made by another method, or with other settings of it");
    }
    return FLX_OK;
}

flx_status flx_method_restore(flx_integrator *it, flx_state *x, bool summed, const void *buffer,
                              size_t size)
{
    head h = {0};
    unsigned char *body = (unsigned char *)(uintptr_t)buffer + sizeof h; // loading reads only
    if (size >= sizeof h) memcpy(&h, buffer, sizeof h);
    FLX_TRY(check(it, &h, body, summed, size));
    flx_memory load = flx_memory_begin(FLX_MEMORY_LOAD, body, size - sizeof h);
    walk(it, x, &load);
    if (load.status == FLX_ERR_MEMORY) return load.status;
    if (load.status != FLX_OK || load.left != 0) return refuse(it, "does not fit this run");
    return FLX_OK;
}

flx_status flx_integrator_restore(flx_integrator *it, flx_state *x, const void *buffer, size_t size)
{
    if (!it || !x) return flx_refuse_null(NULL, __func__);
    return flx_method_restore(it, x, true, buffer, size);
}
