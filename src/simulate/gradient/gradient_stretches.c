// gradient_stretches.c - runs whose states would take too much: they are kept stretch by stretch, and made again, bit by bit, from
// where each of them began.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"
#include "integrate/events/events.h"
#include "integrate/method.h"

#include <string.h>

#define MOST_NUMBERS ((size_t)1 << 27) // 1 GiB
#define AT_ONCE ((size_t)1 << 18)      // rows of steps that weights and parameters meet in,
#define FEWEST 64                      // ... of so many steps at least
#define FEW 8                          // nodes, of which a stretch has more

int flx_gradient_most_nodes(const gradient *g)
{
    size_t all = g->run->gradient_numbers > 0 ? g->run->gradient_numbers : MOST_NUMBERS;
    return (int)(all / (g->size + g->record + 1));
}

// The run as it is now; size 0: it has no bytes.
static flx_status save(const gradient *g, const flx_run *r, flx_gradient_mark *to)
{
    size_t size = flx_run_save(r, NULL, 0);
    flx_free(to->saved);
    to->saved = size > 0 ? flx_alloc(g->ctx, size, 1) : NULL;
    if (size > 0 && !to->saved) return FLX_ERR_MEMORY;
    to->size = size > 0 ? flx_run_save(r, to->saved, size) : 0;
    return FLX_OK;
}

static flx_status add_mark(gradient *g, const flx_run *r)
{
    FLX_TRY(flx_grow(g->ctx, (void **)&g->marks, &g->room_mark, g->nmark + 1, sizeof *g->marks));
    flx_gradient_mark *mark = g->marks + g->nmark++;
    *mark = (flx_gradient_mark){.node = g->n - 1};
    FLX_TRY(save(g, r, mark));
    if (mark->size == 0) g->cannot = FLX_GRADIENT_TOO_MUCH;
    return FLX_OK;
}

flx_status flx_gradient_begin(gradient *g, const flx_run *r)
{
    if (!g->keeps || !g->sl) return FLX_OK;
    return save(g, r, &g->start);
}

flx_status flx_gradient_go_on(gradient *g, const flx_run *r)
{
    int most = flx_gradient_most_nodes(g);
    if (!g->keeps || g->cannot || g->held + 2 <= most) return FLX_OK;
    if (most <= FEW || (g->nmark == 0 && g->start.size == 0)) {
        g->cannot = FLX_GRADIENT_TOO_MUCH;
        return FLX_OK;
    }
    if (g->nmark == 0) {
        FLX_TRY(flx_grow(g->ctx, (void **)&g->marks, &g->room_mark, 1, sizeof *g->marks));
        g->marks[g->nmark++] = g->start; // which is its own now
        g->start = (flx_gradient_mark){0};
    }
    FLX_TRY(add_mark(g, r));
    memcpy(g->states, g->states + (size_t)(g->held - 1) * g->size, g->size * sizeof *g->states);
    g->first = g->n - 1;
    g->held = 1;
    return FLX_OK;
}

static int mark_of(const gradient *g, int i)
{
    int k = g->nmark - 1;
    while (k > 0 && g->marks[k].node > i) k--;
    return k;
}

void flx_gradient_stretch(const gradient *g, int i, int *from, int *to)
{
    int k = g->nmark > 0 ? mark_of(g, i) : 0,
        part = (int)(AT_ONCE / (size_t)flx_slopes_rows(g->sl));
    int begin = g->nmark > 0 ? g->marks[k].node : 0;
    int end = k + 1 < g->nmark ? g->marks[k + 1].node : g->n - 1;
    if (part < FEWEST) part = FEWEST;
    *from = begin + (i - begin) / part * part;
    *to = end - *from > part ? *from + part : end;
}

int flx_gradient_most_steps(const gradient *g)
{
    int most = 0, from, to;
    for (int i = 0; i < g->n - 1; i = to) {
        flx_gradient_stretch(g, i, &from, &to);
        if (to - from > most) most = to - from;
    }
    return most;
}

// The step that leads to node i, and what happens at its end.
static flx_status make_step(gradient *g, int i)
{
    flx_run *r = g->tracer ? g->tracer : g->run;
    flx_method *m = flx_method_of(r->sim->it);
    if (!g->tracer) {
        long count = flx_events_last_of(r->sim->it).count;
        FLX_TRY(flx_run_step(r, 0.0, NULL));
        return flx_gradient_keep_end(g, r->sim, count);
    }
    m->frozen = true;
    m->order = g->orders[i - 1];
    flx_status status = flx_run_step(r, g->times[i] - r->sim->state->t, NULL);
    m->frozen = false;
    if (status == FLX_OK && m->begin != r->sim->start->t) status = FLX_STOPPED; // an event
    return status == FLX_OK ? flx_gradient_keep(g, r->sim->state) : status;
}

// From a mark to the next one, silently.
static flx_status make_again(gradient *g, int k)
{
    flx_run *r = g->tracer ? g->tracer : g->run;
    flx_run_def told = r->def;
    int from = g->marks[k].node, to = k + 1 < g->nmark ? g->marks[k + 1].node : g->n - 1;
    if (!g->tracer && g->last.size == 0) FLX_TRY(save(g, r, &g->last));
    r->def.log = NULL;
    r->def.event = NULL;
    r->def.row = NULL;
    r->def.progress = NULL;
    flx_status status = g->marks[k].saved ? flx_run_restore(r, g->marks[k].saved, g->marks[k].size)
                                          : flx_run_reset(r);
    flx_gradient_sharpen(r->sim);
    g->first = from;
    g->held = 0;
    g->again = true;
    if (status == FLX_OK) status = flx_gradient_keep(g, r->sim->state);
    while (status == FLX_OK && g->first + g->held <= to) status = make_step(g, g->first + g->held);
    g->again = false;
    r->def = told;
    return status;
}

void flx_gradient_bring(gradient *g, int i, bool step)
{
    int end = g->first + g->held - (step ? 1 : 0);
    if (g->nmark == 0 || (i >= g->first && i < end)) return;
    if (g->lost == FLX_OK) g->lost = make_again(g, mark_of(g, i));
    if (g->lost != FLX_OK) g->first = i; // a state, whatever it is
}

flx_status flx_gradient_retrace(gradient *g)
{
    const flx_system *s = g->run->sim->sys;
    flx_run_def def = g->twin->def;
    FLX_TRY(flx_run_create(g->run->of, &def, g->quiet, &g->tracer));
    for (int k = 0; g->run->parameters && k < s->nparameter; k++)
        FLX_TRY(flx_run_set_parameter(g->tracer, k, g->run->parameters[k]));
    if (g->run->parameters) FLX_TRY(flx_run_reset(g->tracer));
    FLX_TRY(save(g, g->tracer, g->marks));
    for (int k = 0; k < g->nmark; k++) {
        FLX_TRY(make_again(g, k));
        if (k + 1 < g->nmark) FLX_TRY(save(g, g->tracer, g->marks + k + 1));
    }
    return FLX_OK;
}

flx_status flx_gradient_end(gradient *g)
{
    if (g->lost != FLX_OK || g->last.size == 0) return g->lost;
    return flx_run_restore(g->run, g->last.saved, g->last.size);
}

void flx_gradient_clear_marks(gradient *g)
{
    for (int k = 0; k < g->nmark; k++) flx_free(g->marks[k].saved);
    flx_free(g->marks);
    flx_free(g->start.saved);
    flx_free(g->last.saved);
    g->marks = NULL;
    g->nmark = 0;
}
