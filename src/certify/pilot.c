// pilot.c - a quick run of the full model; see pilot.h.
#include "certify/pilot.h"

#include <math.h>
#include <string.h>

#define LOOSE 1e-3 // relative tolerance: the way, not the digits
#define MOST_STEPS 4000

// ---- the run ------------------------------------------------------------------------------------

typedef struct flight {
    const flx_system *sys;
    flx_pilot *p;
    flx_status status;
} flight;

static int keep(void *user, const flx_state *x)
{
    flight *f = user;
    flx_pilot *p = f->p;
    if (p->n > FLX_PILOT_POINTS) return 0;
    if (p->n > 0 && !(x->t > p->x[p->n - 1]->t)) return 0;
    f->status = flx_state_create(f->sys, &p->x[p->n]);
    if (f->status != FLX_OK) return 1;
    flx_state_copy(p->x[p->n++], x);
    return 0;
}

static flx_status find_moves(const flx_system *s, flx_pilot *p)
{
    double *theta = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *theta);
    p->moved = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *p->moved);
    if (!theta || !p->moved) {
        flx_free(theta);
        return FLX_ERR_MEMORY;
    }
    for (int k = 1; k < p->n; k++) {
        s->ops->difference(s, p->x[0]->q, p->x[k]->q, theta);
        for (int i = 0; i < s->dims.nv; i++) p->moved[i] = fmax(p->moved[i], fabs(theta[i]));
    }
    flx_free(theta);
    return FLX_OK;
}

flx_status flx_pilot_run(flx_simulation *full, flx_pilot *p)
{
    *p = (flx_pilot){0};
    flx_integrator_def def = flx_integrator_def_default();
    flx_integrator *it = NULL;
    flight f = {.sys = full->sys, .p = p, .status = FLX_OK};
    double clock = flx_clock_seconds(), from = full->start->t;
    int before = flx_ctx_error_count(full->ctx);
    def.method = "radau";
    def.rtol = LOOSE;
    def.atol = 0.01 * LOOSE;
    def.max_steps = MOST_STEPS;
    flx_status status = flx_integrator_create(full->sys, &def, &it);
    flx_state_copy(full->state, full->start);
    flx_schedule schedule = {.until = full->until,
                             .every = (full->until - from) / FLX_PILOT_POINTS};
    if (status == FLX_OK) status = flx_integrate(it, full->state, &schedule, keep, &f);
    if (f.status != FLX_OK) status = f.status;
    p->whole = status == FLX_OK;
    p->steps = it ? flx_integrator_statistics(it)->steps : 0;
    flx_integrator_destroy(&it);
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(full->ctx, before); // as far as it went
    if (p->n == 0) keep(&f, full->start);
    if (f.status != FLX_OK) return f.status;
    p->until = p->x[p->n - 1]->t;
    p->seconds = flx_clock_seconds() - clock;
    return find_moves(full->sys, p);
}

void flx_pilot_clear(flx_pilot *p)
{
    for (int i = 0; i < p->n; i++) flx_state_destroy(&p->x[i]);
    flx_free(p->moved);
    *p = (flx_pilot){0};
}

// ---- the split along it -------------------------------------------------------------------------

static void add_point(flx_course_split *c, const flx_split *s, double t)
{
    flx_split *w = &c->worst;
    bool good = s->bears && s->known;
    if (c->points == 0 && isnan(c->refused_at)) *w = *s;
    if (!good && isnan(c->refused_at)) c->refused_at = t;
    w->rank = fmin(w->rank, s->rank);
    w->bears = w->bears && s->bears;
    if (!s->known) return;
    if (c->points++ == 0) {
        double rank = w->rank;
        bool bears = w->bears;
        *w = *s;
        w->rank = rank;
        w->bears = bears;
        c->gap_at = t;
    }
    if (s->gap < w->gap) {
        w->gap = s->gap;
        w->fast = s->fast;
        w->next = s->next;
        c->gap_at = t;
    }
    w->fastest = fmax(w->fastest, s->fastest);
    w->decay = fmin(w->decay, s->decay);
    w->norm = fmax(w->norm, s->norm);
    w->weighted = fmax(w->weighted, s->weighted);
    w->condition = fmax(w->condition, s->condition);
    w->vibrates = w->vibrates || s->vibrates;
    c->uniform += flx_split_is_uniform(s);
    // the point at which the uniform condition is met worst
    double here = s->beta > 0.0 && s->gamma > 0.0 ? s->beta * s->gamma - s->product : -HUGE_VAL;
    double there = w->beta > 0.0 && w->gamma > 0.0 ? w->beta * w->gamma - w->product : -HUGE_VAL;
    if (here < there || (here == -HUGE_VAL && s->gamma < w->gamma)) {
        w->beta = s->beta;
        w->gamma = s->gamma;
        w->product = s->product;
        w->along = s->along;
    }
}

flx_status flx_course_split_add(flx_course_split *c, const flx_frozen *f, int n, const int *J,
                                double t)
{
    flx_split s;
    FLX_TRY(flx_split_find(f, n, J, &s, NULL));
    add_point(c, &s, t);
    return FLX_OK;
}

flx_status flx_course_split_find(const flx_simulation *full, const flx_pilot *p, int n,
                                 const int *J, flx_course_split *out)
{
    *out = FLX_COURSE_SPLIT_NONE;
    int before = flx_ctx_error_count(full->ctx);
    for (int k = 0; k < p->n; k++) {
        flx_frozen f;
        flx_arena *arena = flx_arena_create(full->ctx);
        if (!arena) return FLX_ERR_MEMORY;
        flx_status status = flx_frozen_create(full->sys, full->work, p->x[k], arena, &f);
        if (status == FLX_OK) status = flx_course_split_add(out, &f, n, J, p->x[k]->t);
        flx_arena_destroy(&arena);
        if (status == FLX_ERR_MEMORY || status == FLX_ERR_CANNOT) return status;
        flx_ctx_forget_errors(full->ctx, before);
    }
    return FLX_OK;
}
