// term_spring.c - springs and dampers along a scalar function of two frames: a distance, a coordinate of a joint, the
// components of a bushing.
#include "descriptor/descriptor_parts.h"

typedef struct springs {
    int n;
    flx_spring *of;
    int *force; // (n) of the model
} springs;

static springs *springs_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_SPRING];
}

// ---- making -------------------------------------------------------------------------------------

// A line without length at rest has the potential k |d|^2/2.
static flx_spring make(const flx_descriptor *d, const flx_force *f, const flx_force_part *part)
{
    flx_spring p = flx_forces_spring(f, part);
    p.centred = f->kind->line && p.rest == 0.0;
    if (!p.centred) return p;
    p.centre = p.s;
    p.centre.kind = d->planar ? FLX_SCALAR_SQUARE2 : FLX_SCALAR_SQUARE;
    p.centre.length = 1.0; // (|d|^2 - 1)/2: the gradient is d
    return p;
}

static flx_status plan_force(const flx_descriptor *d, int number, springs *to)
{
    const flx_force *f = d->model->forces + number;
    flx_force_plan plan;
    FLX_TRY(flx_forces_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        if (flx_forces_goes(f, plan.part + i) != FLX_PART_SPRING) continue;
        to->force[to->n] = number;
        to->of[to->n++] = make(d, f, plan.part + i);
    }
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t most = 0;
    for (int i = 0; i < m->nforce; i++) most += m->forces[i].kind->parts ? 3 : 0; // of a bushing
    if (most == 0) return FLX_OK;
    springs *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, most, sizeof *own->of);
    own->force = flx_arena_take(d->arena, most, sizeof *own->force);
    if (!own->of || !own->force) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].kind->parts) FLX_TRY(plan_force(d, i, own));
    }
    if (own->n > 0) d->own[FLX_TERM_SPRING] = own;
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const springs *own = springs_of(d);
    for (int i = 0; i < own->n; i++) FLX_TRY(flx_layout_couple_bodies(d, own->of[i].s.body));
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const springs *own = springs_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_forces_fill_scalar(d, &own->of[i].s);
        if (own->of[i].centred) flx_forces_fill_scalar(d, &own->of[i].centre);
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const springs *own = springs_of(d);
    for (int i = 0; i < own->n; i++) {
        const flx_spring *one = own->of + i;
        if (one->c != 0 || one->open) flx_layout_mark_ends(d, &one->s.e, 2);
    }
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    springs *own = FLX_OWN(d, d->own[FLX_TERM_SPRING], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew_force(const flx_descriptor *d, int number, int *next)
{
    const flx_force *f = d->model->forces + number;
    springs *own = springs_of(d);
    flx_force_plan plan;
    FLX_TRY(flx_forces_renew_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        if (flx_forces_goes(f, plan.part + i) != FLX_PART_SPRING) continue;
        flx_spring now = make(d, f, plan.part + i);
        if (*next >= own->n || own->force[*next] != number) {
            return flx_forces_refuse(
                d, f, "with these parameters a stiffness or damping becomes zero, or no longer is");
        }
        flx_spring *to = own->of + (*next)++;
        if (to->centred != now.centred) {
            return flx_forces_refuse(
                d, f, "with these parameters its length becomes zero, or no longer is");
        }
        flx_forces_take_numbers(to, &now);
    }
    return FLX_OK;
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    const springs *own = springs_of(d);
    int next = 0;
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].kind->parts) FLX_TRY(renew_force(d, i, &next));
    }
    if (next == own->n) return FLX_OK;
    return flx_forces_refuse(
        d, m->forces + own->force[next],
        "with these parameters a stiffness or damping becomes zero, or no longer is");
}

// ---- evaluation ---------------------------------------------------------------------------------

#define SCALARS springs
#define TERM FLX_TERM_SPRING
#define KERNEL(what) flx_spring_##what
#include "descriptor/terms/term_scalars.inc.h"

const flx_term flx_term_spring = {
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
