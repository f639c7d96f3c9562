// term_bodies.c - rigid bodies and points, in space and in the plane: inertia, weight, frames.
#include "descriptor/descriptor_parts.h"

typedef struct bodies { // by their kind, each in the order of the model
    int n[FLX_N_BODY_KINDS];
    flx_body_record *of[FLX_N_BODY_KINDS];
} bodies;

static bodies *bodies_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_BODIES];
}

static flx_body_kind kind_of(const flx_model *m, int body)
{
    bool rigid = m->bodies[body].type == FLX_BODY_RIGID;
    if (m->dimension == 2) return rigid ? FLX_BODY_KIND_RIGID2 : FLX_BODY_KIND_POINT2;
    return rigid ? FLX_BODY_KIND_RIGID : FLX_BODY_KIND_POINT;
}

flx_body_size flx_bodies_size(const flx_model *m, int body)
{
    static const flx_body_size sizes[] = {
#define X(NAME, name, nq, nv) {nq, nv},
        FLX_BODY_KINDS(X)
#undef X
    };
    return sizes[kind_of(m, body)];
}

const flx_body_record *flx_bodies_rigid(const flx_descriptor *d, int *n)
{
    const bodies *own = bodies_of(d);
    *n = own ? own->n[FLX_BODY_KIND_RIGID] : 0;
    return own ? own->of[FLX_BODY_KIND_RIGID] : NULL;
}

// ---- making -------------------------------------------------------------------------------------

static void fill_body(const flx_model *m, int body, flx_body_record *b)
{
    const flx_body *from = m->bodies + body;
    b->frame = body + 1;
    b->m = from->spread ? 0.0 : from->mass;
    b->overweight = from->overweight;
    if (m->dimension == 2) {
        b->J[0] = from->inertia[8];
    } else {
        memcpy(b->J, from->inertia, sizeof b->J);
    }
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (m->nbody == 0) return FLX_OK;
    bodies *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nbody; i++) own->n[kind_of(m, i)]++;
    for (int k = 0; k < FLX_N_BODY_KINDS; k++) {
        own->of[k] = flx_arena_take(d->arena, (size_t)own->n[k], sizeof *own->of[k]);
        if (!own->of[k]) return FLX_ERR_MEMORY;
        own->n[k] = 0;
    }
    for (int i = 0; i < m->nbody; i++) {
        int k = (int)kind_of(m, i);
        flx_body_record *b = own->of[k] + own->n[k]++;
        fill_body(m, i, b);
        b->q = d->body_q[i];
        b->v = d->body_v[i];
    }
    d->own[FLX_TERM_BODIES] = own;
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const bodies *own = bodies_of(d);
    for (int k = 0; k < FLX_N_BODY_KINDS; k++) {
        for (int i = 0; i < own->n[k]; i++) {
            flx_body_record *b = own->of[k] + i;
            b->diag = flx_layout_slot(d, b->v, b->v);
        }
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const bodies *own = bodies_of(d);
    for (int k = 0; k < FLX_N_BODY_KINDS; k++) {
        for (int i = 0; i < own->n[k]; i++) {
            flx_layout_mark(d, own->of[k][i].diag, k == FLX_BODY_KIND_RIGID ? 6 : 4);
        }
    }
}

static flx_status take(flx_descriptor *d)
{
    bodies *own = FLX_OWN(d, d->own[FLX_TERM_BODIES], 1, sizeof *own);
    bool fine = own != NULL;
    for (int k = 0; k < FLX_N_BODY_KINDS && fine; k++) {
        fine = FLX_OWN(d, own->of[k], own->n[k], sizeof *own->of[k]) != NULL;
    }
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int n[FLX_N_BODY_KINDS] = {0};
    for (int i = 0; i < m->nbody; i++) {
        int k = (int)kind_of(m, i);
        fill_body(m, i, bodies_of(d)->of[k] + n[k]++);
    }
    return FLX_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

#define NUMBER(NAME) own->n[FLX_BODY_KIND_##NAME]
#define ALL(NAME) own->of[FLX_BODY_KIND_##NAME]

void flx_bodies_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    const bodies *own = bodies_of(d);
    if (!own) return;
    if (d->planar) {
        flx_rigid2_frames(NUMBER(RIGID2), ALL(RIGID2), p->q, p->v, w->frames);
        flx_point2_frames(NUMBER(POINT2), ALL(POINT2), p->q, p->v, w->frames);
    } else {
        flx_rigid_frames(NUMBER(RIGID), ALL(RIGID), p->q, p->v, w->frames);
        flx_point_frames(NUMBER(POINT), ALL(POINT), p->q, p->v, w->frames);
    }
}

void flx_bodies_residual(const flx_descriptor *d, const double g[3], const double *v,
                         const double *a, double *r)
{
    const bodies *own = bodies_of(d);
    if (!own) return;
#define X(NAME, name, nq, nv) flx_##name##_residual(NUMBER(NAME), ALL(NAME), g, v, a, r);
    FLX_BODY_KINDS(X)
#undef X
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    flx_bodies_residual(d, flx_eval_gravity(d, p, w->gravity), p->v, p->a, r);
}

static void add_tangent(const bodies *own, const double *v, double *A1, double *A2)
{
#define X(NAME, name, nq, nv) flx_##name##_linearise(NUMBER(NAME), ALL(NAME), v, A1, A2);
    FLX_BODY_KINDS(X)
#undef X
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    (void)w;
    add_tangent(bodies_of(d), p->v, b->A1, b->A2);
}

static void masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *A2)
{
    (void)w;
    add_tangent(bodies_of(d), p->v, NULL, A2);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const bodies *own = bodies_of(d);
    const double *g = flx_eval_gravity(d, p, w->gravity);
#define X(NAME, name, nq, nv) flx_##name##_energy(NUMBER(NAME), ALL(NAME), g, w->frames, e);
    FLX_BODY_KINDS(X)
#undef X
}

// The residual at a = v, at rest and without weight.
static void momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *Mv)
{
    const double none[3] = {0, 0, 0};
    flx_bodies_residual(d, none, w->zero, p->v, Mv);
}

static void transport(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *out)
{
    int n;
    const flx_body_record *b = flx_bodies_rigid(d, &n);
    (void)w;
    for (int i = 0; i < n; i++) {
        v3 o = v3_load(p->v + b[i].v + 3);
        v3_store(out + b[i].v + 3, v3_cross(o, m33_mul_v(m33_load(b[i].J), o)));
    }
}

const flx_term flx_term_bodies = {
    .plan = plan,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .masses = masses,
    .energy = energy,
    .momentum = momentum,
    .transport = transport,
};
