// term_attraction.c - mutual gravitation: every pair of bodies with mass.
#include "descriptor/descriptor_parts.h"

typedef struct attractions {
    int n;
    flx_attraction *of;
} attractions;

static attractions *attractions_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_ATTRACTION];
}

static double strength(const flx_model *m, const flx_force *f, int i, int j)
{
    return f->G * m->bodies[i].mass * m->bodies[j].mass;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t pairs = (size_t)m->nbody * (size_t)(m->nbody > 0 ? m->nbody - 1 : 0) / 2, most = 0;
    for (int k = 0; k < m->nforce; k++) most += m->forces[k].kind->attracts ? pairs : 0;
    if (most == 0) return FLX_OK;
    attractions *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, most, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    for (int k = 0; k < m->nforce; k++) {
        const flx_force *f = m->forces + k;
        for (int i = 0; i < m->nbody && f->kind->attracts; i++) {
            for (int j = i + 1; j < m->nbody; j++) {
                double Gmm = strength(m, f, i, j);
                if (Gmm == 0.0) continue;
                own->of[own->n++] = (flx_attraction){.body = {i, j}, .Gmm = Gmm};
            }
        }
    }
    d->own[FLX_TERM_ATTRACTION] = own; // without any, too: a mass that is not zero later is refused
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const attractions *own = attractions_of(d);
    for (int i = 0; i < own->n; i++) FLX_TRY(flx_layout_couple_bodies(d, own->of[i].body));
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const attractions *own = attractions_of(d);
    for (int i = 0; i < own->n; i++) flx_layout_ends(d, own->of[i].body, &own->of[i].e);
    return FLX_OK;
}

static flx_status take(flx_descriptor *d)
{
    attractions *own = FLX_OWN(d, d->own[FLX_TERM_ATTRACTION], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew_pair(const flx_descriptor *d, const flx_force *f, int i, int j, int *next)
{
    const attractions *own = attractions_of(d);
    flx_attraction *a = own->of + *next;
    double Gmm = strength(d->model, f, i, j);
    bool here = *next < own->n && a->body[0] == i && a->body[1] == j;
    if (here) {
        a->Gmm = Gmm;
        ++*next;
    } else if (Gmm != 0.0) {
        return flx_forces_refuse(d, f, "with these parameters a mass is no longer zero");
    }
    return FLX_OK;
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int next = 0;
    for (int k = 0; k < m->nforce; k++) {
        const flx_force *f = m->forces + k;
        for (int i = 0; i < m->nbody && f->kind->attracts; i++) {
            for (int j = i + 1; j < m->nbody; j++) FLX_TRY(renew_pair(d, f, i, j, &next));
        }
    }
    return FLX_OK;
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    (void)p;
    flx_attraction_residual(attractions_of(d)->n, attractions_of(d)->of, w->frames, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    (void)p;
    flx_attraction_linearise(attractions_of(d)->n, attractions_of(d)->of, w->frames, b->A0);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    (void)p;
    flx_attraction_energy(attractions_of(d)->n, attractions_of(d)->of, w->frames, e);
}

const flx_term flx_term_attraction = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
};
