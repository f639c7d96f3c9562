// term_stop.c - limits of joints: one-sided forces along their coordinates.
#include "descriptor/descriptor_parts.h"
#include "force/stop.h"

typedef struct stops {
    int n;
    flx_stop_bound *of;
    int *stop; // (n) of the model
} stops;

static stops *stops_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_STOP];
}

// ---- making -------------------------------------------------------------------------------------

static flx_stop_bound make(const flx_model *m, const flx_stop *s, int upper)
{
    flx_stop_bound p = {.sign = upper ? 1.0 : -1.0,
                        .bound = s->bounds[upper],
                        .closed = s->switches[upper],
                        .open = s->damping_open != 0};
    p.law = (flx_law){.k = s->stiffness, .n = s->exponent, .a = s->damping};
    p.law.pulls = s->exponent == 1.0 && s->damping == 0.0; // beyond its border, while a step lasts
    (void)flx_joint_scalar(m, s->joint, (flx_coordinate)s->coordinate, &p.s);
    return p;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (m->nstop == 0) return FLX_OK;
    stops *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, 2 * (size_t)m->nstop, sizeof *own->of);
    own->stop = flx_arena_take(d->arena, 2 * (size_t)m->nstop, sizeof *own->stop);
    if (!own->of || !own->stop) return FLX_ERR_MEMORY;
    for (int i = 0; i < 2 * m->nstop; i++) {
        if (isinf(m->stops[i / 2].bounds[i % 2]) || m->stops[i / 2].rigid) continue;
        own->stop[own->n] = i / 2;
        own->of[own->n++] = make(m, m->stops + i / 2, i % 2);
    }
    if (own->n > 0) d->own[FLX_TERM_STOP] = own;
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const stops *own = stops_of(d);
    for (int i = 0; i < own->n; i++) FLX_TRY(flx_layout_couple_bodies(d, own->of[i].s.body));
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const stops *own = stops_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_stop_bound *p = own->of + i;
        flx_forces_fill_scalar(d, &p->s);
        if (p->closed >= 0) p->closed += d->switching.first;
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const stops *own = stops_of(d);
    for (int i = 0; i < own->n; i++) {
        const flx_stop_bound *p = own->of + i;
        if (p->law.a != 0.0 || p->open) flx_layout_mark_ends(d, &p->s.e, 2);
    }
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    stops *own = FLX_OWN(d, d->own[FLX_TERM_STOP], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// As the reader does.
static flx_status check(const flx_descriptor *d, const flx_stop *s)
{
    if (!(s->bounds[0] < s->bounds[1])) {
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, s->loc,
                        "with these parameters the lower limit of joint '%s', %g, is not less than "
                        "the upper, %g",
                        s->name, s->bounds[0], s->bounds[1]);
    }
    if (s->exponent >= 1.0) return FLX_OK;
    return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, s->loc,
                    "with these parameters the exponent of the limits of joint '%s' is %g; it must "
                    "be 1 or more",
                    s->name, s->exponent);
}

static flx_status renew(flx_descriptor *d)
{
    stops *own = stops_of(d);
    for (int i = 0; i < own->n; i++) {
        const flx_stop *s = d->model->stops + own->stop[i];
        flx_stop_bound *to = own->of + i, now = make(d->model, s, to->sign > 0.0);
        FLX_TRY(check(d, s));
        to->bound = now.bound;
        to->law = now.law;
        flx_scalar_take_numbers(&to->s, &now.s);
    }
    return FLX_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

#define SCALARS stops
#define TERM FLX_TERM_STOP
#define KERNEL(what) flx_stop_##what
#include "descriptor/terms/term_scalars.inc.h"

const flx_term flx_term_stop = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .scratch = scratch,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
    .ends = ends,
    .discrete = discrete,
};
