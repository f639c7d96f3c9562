// term_twist.c - the rotational part of bushings in space: the components of the rotation vector together.
#include "descriptor/descriptor_parts.h"

typedef struct twists {
    int n;
    flx_twist *of;
} twists;

static twists *twists_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_TWIST];
}

static void take_numbers(flx_twist *t, const flx_force *f)
{
    memcpy(t->F, f->frame, sizeof t->F);
    memcpy(t->k, f->stiffness + 3, sizeof t->k);
    memcpy(t->c, f->damping + 3, sizeof t->c);
}

// Whether a force has one.
static flx_status find(const flx_descriptor *d, const flx_force *f, bool *has)
{
    flx_force_plan plan;
    *has = false;
    if (!f->kind->parts) return FLX_OK;
    FLX_TRY(flx_forces_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        *has = *has || flx_forces_goes(f, plan.part + i) == FLX_PART_TWIST;
    }
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (d->planar || m->nforce == 0) return FLX_OK;
    twists *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)m->nforce, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        bool here;
        FLX_TRY(find(d, f, &here));
        if (!here) continue;
        flx_twist *t = own->of + own->n++;
        memcpy(t->body, f->body, sizeof t->body);
        take_numbers(t, f);
    }
    if (own->n > 0) d->own[FLX_TERM_TWIST] = own;
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const twists *own = twists_of(d);
    for (int i = 0; i < own->n; i++) FLX_TRY(flx_layout_couple_bodies(d, own->of[i].body));
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const twists *own = twists_of(d);
    for (int i = 0; i < own->n; i++) flx_layout_ends(d, own->of[i].body, &own->of[i].e);
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const twists *own = twists_of(d);
    for (int i = 0; i < own->n; i++) flx_layout_mark_ends(d, &own->of[i].e, 2);
}

static flx_status take(flx_descriptor *d)
{
    twists *own = FLX_OWN(d, d->own[FLX_TERM_TWIST], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int n = 0;
    for (int i = 0; i < m->nforce; i++) {
        bool here;
        FLX_TRY(find(d, m->forces + i, &here));
        if (here) take_numbers(twists_of(d)->of + n++, m->forces + i);
    }
    return FLX_OK;
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    (void)p;
    flx_twist_residual(twists_of(d)->n, twists_of(d)->of, w->frames.space, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    (void)p;
    flx_twist_linearise(twists_of(d)->n, twists_of(d)->of, w->frames.space, b->A0, b->A1);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    (void)p;
    flx_twist_energy(twists_of(d)->n, twists_of(d)->of, w->frames.space, e);
}

const flx_term flx_term_twist = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
};
