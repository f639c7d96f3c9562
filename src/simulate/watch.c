// watch.c - a reduced run looks now and then whether its conditions still hold, and goes on with the
// full system where they do not and the model wants it so.
#include "analyse/frozen.h"
#include "base/number.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOKS 25 // in a run; where nobody gave its end, while its time grows e-fold
#define FAR 1000 // looks that one step may pass

void flx_watch_start(flx_watch *w, const flx_simulation *sim)
{
    double length = sim->until - sim->start->t;
    *w = (flx_watch){.next = HUGE_VAL, .every = fmax(length, 0.0) / LOOKS};
    if (sim->plan->reduction.n > 0 && !sim->model->reduce_scaled &&
        flx_dims_unknowns(&sim->sys->dims) <= FLX_FROZEN_MOST)
        w->next = sim->start->t;
}

// What is wrong with a split; NULL: nothing. number: what to say with it.
static const char *find_fault(const flx_split *s, double *number)
{
    *number = s->rank;
    if (!s->bears) return "the rest cannot bear the reactions of what is reduced (rank %.2g)";
    if (!s->known) return NULL;
    *number = -s->decay;
    if (!(s->decay > 0.0)) return "what is reduced does not decay but grows, with %.3g/s";
    *number = s->gap;
    if (!(s->gap > 1.0)) return "what is reduced is not faster than the rest (%.2g times)";
    return NULL;
}

flx_status flx_watch_look(flx_watch *w, flx_simulation *sim, const flx_state *at)
{
    if (at->t < w->next || w->failed) return FLX_OK;
    double gone = at->t - w->next;
    if (w->every > 0.0 && gone < FAR * w->every) {
        while (w->next <= at->t) w->next += w->every;
    } else {
        w->next = at->t + (at->t - sim->start->t) / LOOKS;
    }
    long before = flx_ctx_allocation_count(sim->ctx);
    flx_split split;
    flx_status status = flx_reduction_split(sim, sim->work, at, &split);
    if (status == FLX_ERR_MEMORY) return status;
    double number;
    const char *fault = status == FLX_OK ? find_fault(&split, &number) : NULL;
    if (fault) {
        char text[160];
        flx_snprintf(text, sizeof text, fault, number);
        w->failed = true;
        flx_ctx_warn(sim->ctx, sim->model->reduce_loc, "at t = %.6g %s; %s", at->t, text,
                     sim->model->reduce_else_full
                         ? "the run goes on with the full system"
                         : "the error may be large from here on: reduce less, or add "
                           "`on_violation: full`");
    }
    w->allocations += flx_ctx_allocation_count(sim->ctx) - before;
    return FLX_OK;
}

// ---- the full system ----------------------------------------------------------------------------

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type swap_ = (a);                                                                          \
        (a) = (b);                                                                                 \
        (b) = swap_;                                                                               \
    } while (0)

// What runs, of one simulation for that of the other.
static void swap_engines(flx_simulation *a, flx_simulation *b)
{
    SWAP(flx_system *, a->sys, b->sys);
    SWAP(flx_work *, a->work, b->work);
    SWAP(flx_state *, a->state, b->state);
    SWAP(flx_state *, a->inner, b->inner);
    SWAP(flx_integrator *, a->it, b->it);
    SWAP(struct flx_settler *, a->settler, b->settler);
    SWAP(flx_state *, a->settled, b->settled);
    SWAP(struct flx_unseen *, a->unseen, b->unseen);
    flx_judge_swap(&a->judge, &b->judge);
    a->settled_of = b->settled_of = NULL;
}

flx_status flx_watch_change(flx_watch *w, flx_simulation *sim)
{
    long before = flx_ctx_allocation_count(sim->ctx);
    int told = flx_ctx_warning_count(sim->ctx);
    flx_status status = flx_simulation_create_of(sim->plan->full, NULL, true, sim->ctx, &w->full);
    flx_ctx_forget_warnings(sim->ctx, told);
    if (status != FLX_OK) return status;
    swap_engines(sim, w->full);
    const flx_dims *d = &sim->sys->dims;
    const flx_state *from = w->full->state;
    flx_state *to = sim->state;
    if (sim->sys->nparameter > 0 && sim->sys->ops->set_parameters) {
        const flx_system *old = w->full->sys;
        FLX_TRY(flx_system_set_parameters(sim->sys, old->param + old->first_parameter));
    }
    memcpy((double *)(uintptr_t)sim->sys->param, w->full->sys->param,
           (size_t)sim->sys->first_parameter * sizeof(double)); // loads and inputs as they are
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)d->nq * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)d->nv * sizeof *to->v);
    memcpy(to->x, from->x, (size_t)d->nx * sizeof *to->x);
    memcpy(to->w, from->w, (size_t)d->nw * sizeof *to->w); // its own come first
    memcpy(to->switches, from->switches, (size_t)d->nswitch * sizeof *to->switches);
    status = flx_start_accelerations(sim->sys, to);
    w->allocations += flx_ctx_allocation_count(sim->ctx) - before;
    return status;
}

void flx_watch_add_work(const flx_watch *w, flx_statistics *to)
{
    if (!w->full) return;
    const flx_statistics *from = flx_integrator_statistics(w->full->it);
    to->steps += from->steps;
    to->rejected += from->rejected;
    to->residuals += from->residuals;
    to->linearisations += from->linearisations;
    to->factorisations += from->factorisations;
    to->solves += from->solves;
    to->newton_iterations += from->newton_iterations;
    to->newton_failures += from->newton_failures;
    to->projections += from->projections;
    to->singular_positions += from->singular_positions;
    to->law_residual = fmax(to->law_residual, from->law_residual);
    to->law_missed += from->law_missed;
    to->overlap = fmax(to->overlap, from->overlap);
    to->impacts += from->impacts;
    to->jams += from->jams;
    to->smallest_step = fmin(to->smallest_step, from->smallest_step);
    to->largest_step = fmax(to->largest_step, from->largest_step);
}

void flx_watch_end(flx_watch *w, flx_simulation *sim)
{
    if (w->full) swap_engines(sim, w->full); // the next run begins as this one did
    flx_simulation_destroy(&w->full);
    *w = (flx_watch){0};
}
