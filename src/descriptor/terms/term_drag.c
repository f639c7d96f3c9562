// term_drag.c - damping by mass of the nodes of beams and of the points of solids, which are bodies.
#include "body/drag.h"
#include "descriptor/descriptor_parts.h"

typedef struct drags {
    int n;
    flx_drag *of;
} drags;

static drags *drags_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_DRAG];
}

// ---- making -------------------------------------------------------------------------------------

static bool takes(const flx_beam *b) // others have their own
{
    return b->nslope == 0 && flx_beam_is_dragged(b);
}

static int count(const flx_model *m)
{
    int n = 0;
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        if (takes(b)) n += b->nnode;
    }
    for (int i = 0; i < m->nsolid; i++) {
        if (m->solids[i].rayleigh[0] > 0) n += m->solids[i].nnode;
    }
    return n;
}

static void take_numbers(const flx_descriptor *d, const flx_beam *b, int i, flx_drag *p)
{
    const flx_body *o = d->model->bodies + b->nodes[i];
    for (int k = 0; k < p->n; k++) {
        int turn = k - (d->planar ? 2 : 3);
        double J = o->inertia[d->planar ? 8 : 4 * (turn < 0 ? 0 : turn)];
        p->c[k] = b->rayleigh[0] * (turn < 0 ? o->mass : J);
    }
}

static void plan_beam(flx_descriptor *d, const flx_beam *b, drags *to)
{
    for (int i = 0; i < b->nnode; i++) {
        flx_drag *p = to->of + to->n++;
        *p = (flx_drag){.v = d->body_v[b->nodes[i]], .n = d->body_nv[b->nodes[i]]};
        take_numbers(d, b, i, p);
    }
}

static void plan_solid(flx_descriptor *d, const flx_solid *s, drags *to)
{
    for (int i = 0; i < s->nnode && s->rayleigh[0] > 0; i++) {
        int body = s->body[i];
        if (body < 0 || d->body_nv[body] != 3) continue;
        double c = s->rayleigh[0] * d->model->bodies[body].mass;
        to->of[to->n++] = (flx_drag){.v = d->body_v[body], .n = 3, .c = {c, c, c}};
    }
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int most = count(m);
    if (most == 0) return FLX_OK;
    drags *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)most, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nbeam; i++) {
        if (takes(m->beams + i)) plan_beam(d, m->beams + i, own);
    }
    for (int i = 0; i < m->nsolid; i++) plan_solid(d, m->solids + i, own);
    d->own[FLX_TERM_DRAG] = own;
    return FLX_OK;
}

static flx_status take(flx_descriptor *d)
{
    drags *own = FLX_OWN(d, d->own[FLX_TERM_DRAG], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    flx_drag *p = drags_of(d)->of;
    for (int k = 0; k < d->model->nbeam; k++) {
        const flx_beam *b = d->model->beams + k;
        for (int i = 0; takes(b) && i < b->nnode; i++) take_numbers(d, b, i, p++);
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    drags *own = drags_of(d);
    for (int i = 0; i < own->n; i++) {
        own->of[i].diag = flx_layout_slot(d, own->of[i].v, own->of[i].v);
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const drags *own = drags_of(d);
    for (int i = 0; i < own->n; i++) flx_layout_mark(d, own->of[i].diag, 2);
}

// ---- evaluation ---------------------------------------------------------------------------------

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    (void)w;
    flx_drag_residual(drags_of(d)->n, drags_of(d)->of, p->v, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    (void)w, (void)p;
    flx_drag_linearise(drags_of(d)->n, drags_of(d)->of, b->A1);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    (void)w;
    flx_drag_energy(drags_of(d)->n, drags_of(d)->of, p->v, e);
}

const flx_term flx_term_drag = {
    .plan = plan,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
};
