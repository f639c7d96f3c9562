// exchange_make.c - a set of particles with its walls, as the model says it.
#include "contact/contact_surface.h"
#include "contact/mesh/facets.h"
#include "simulate/exchange/exchange.h"

#include <math.h>
#include <string.h>

static void along(const flx_surface *s, int axis, double shift, double at[3])
{
    for (int i = 0; i < 3; i++) at[i] = s->at[i] + shift * s->axes[3 * i + axis];
}

// A plane across an axis of the surface, `shift` along it, that looks back.
static flx_status add_end(flx_particles *p, int wall, const flx_surface *s, int axis, double shift)
{
    double at[3], n[3];
    along(s, axis, shift, at);
    for (int i = 0; i < 3; i++) n[i] = shift > 0.0 ? -s->axes[3 * i + axis] : s->axes[3 * i + axis];
    return flx_particles_add_plane(p, wall, at, n);
}

static flx_status add_mesh(flx_particles *p, int wall, const flx_surface *s)
{
    const flx_facets *f = s->data;
    for (int t = 0; t < f->ntriangle; t++) {
        double corners[9];
        for (int k = 0; k < 3; k++) {
            const double *v = f->vertices + 3 * (size_t)f->corners[3 * t + k];
            for (int i = 0; i < 3; i++) {
                corners[3 * k + i] = s->at[i] + s->axes[3 * i] * v[0] + s->axes[3 * i + 1] * v[1] +
                                     s->axes[3 * i + 2] * v[2];
            }
        }
        FLX_TRY(flx_particles_add_triangle(p, wall, corners));
    }
    return FLX_OK;
}

static flx_status add_inside(flx_particles *p, int wall, const flx_surface *s)
{
    const double half = 0.5 * s->size[1], size[3] = {s->size[0], half, 0};
    switch (s->kind->number) {
    case FLX_SURFACE_NUMBER_box:
        for (int k = 0; k < 6; k++) {
            double to = k % 2 ? 0.5 * s->size[k / 2] : -0.5 * s->size[k / 2];
            FLX_TRY(add_end(p, wall, s, k / 2, to));
        }
        return FLX_OK;
    case FLX_SURFACE_NUMBER_cylinder:
        FLX_TRY(flx_particles_add_surface(p, wall, FLX_WALL_TUBE, s->at, s->axes, size, 0.0));
        FLX_TRY(add_end(p, wall, s, 2, half));
        return add_end(p, wall, s, 2, -half);
    default: { // a sphere has no length
        bool ball = s->kind->number == FLX_SURFACE_NUMBER_sphere;
        const double shell[3] = {s->size[0], ball ? 0.0 : half, 0};
        return flx_particles_add_surface(p, wall, FLX_WALL_SHELL, s->at, s->axes, shell, 0.0);
    }
    }
}

// Rounded solids keep their size: what is inside of the skin is smaller by it.
static flx_status add_outside(flx_particles *p, int wall, const flx_surface *s)
{
    double size[3] = {s->size[0], 0.5 * s->size[1], 0};
    flx_wall_kind kind = FLX_WALL_PLANE;
    double skin = 0.0;
    switch (s->kind->number) {
    case FLX_SURFACE_NUMBER_mesh:
        return add_mesh(p, wall, s);
    case FLX_SURFACE_NUMBER_sphere:
        size[1] = 0.0;
        kind = FLX_WALL_CAPSULE;
        break;
    case FLX_SURFACE_NUMBER_capsule:
        kind = FLX_WALL_CAPSULE;
        break;
    case FLX_SURFACE_NUMBER_cylinder:
        kind = FLX_WALL_CYLINDER;
        skin = s->skin;
        break;
    case FLX_SURFACE_NUMBER_box:
        kind = FLX_WALL_BOX;
        skin = s->skin;
        for (int k = 0; k < 3; k++) size[k] = 0.5 * s->size[k];
        break;
    default:
        break;
    }
    for (int k = 0; k < 3; k++) size[k] -= skin;
    return flx_particles_add_surface(p, wall, kind, s->at, s->axes, size, skin);
}

static flx_status add_walls(flx_exchange *x)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->nwall; i++) {
        const flx_particle_wall *w = b->walls + i;
        int wall = flx_particles_add_wall(x->set);
        if (wall < 0) return FLX_ERR_MEMORY;
        for (int k = 0; k < w->nsurface; k++) {
            const flx_surface *s = w->surfaces[k];
            FLX_TRY(w->inside ? add_inside(x->set, wall, s) : add_outside(x->set, wall, s));
        }
    }
    return FLX_OK;
}

static flx_status make(flx_exchange *x, const double gravity[3])
{
    const flx_particles_block *b = x->block;
    flx_particles_def d = {.count = b->count,
                           .positions = b->positions,
                           .velocities = b->velocities,
                           .spins = b->spins,
                           .radii = b->radii,
                           .densities = b->densities,
                           .density = b->classes[0].density,
                           .E = b->E,
                           .nu = b->nu,
                           .restitution = b->restitution,
                           .friction = b->friction,
                           .rolling = b->rolling,
                           .step = b->step,
                           .threads = b->threads};
    memcpy(d.gravity, gravity, sizeof d.gravity);
    memcpy(d.period, b->period, sizeof d.period);
    memcpy(d.period_from, b->period_from, sizeof d.period_from);
    flx_status status = flx_particles_create(x->ctx, &d, &x->set);
    if (status == FLX_OK) status = add_walls(x);
    x->steps = lround(b->exchange / b->step);
    x->last = flx_alloc(x->ctx, (size_t)(FLX_WALL_POSE + FLX_WALL_LOAD) * (size_t)(b->nwall + 1),
                        sizeof *x->last);
    x->sequence = flx_alloc(x->ctx, (size_t)b->ninlet + 1, sizeof *x->sequence);
    x->poured = flx_alloc(x->ctx, (size_t)b->ninlet + 1, sizeof *x->poured);
    x->impulses = flx_alloc(x->ctx, FLX_WALL_LOAD * (size_t)(b->nwall + 1), sizeof *x->impulses);
    if (!x->impulses || !x->last || !x->sequence || !x->poured) status = FLX_ERR_MEMORY;
    for (int i = 0; i < b->ninlet && status == FLX_OK; i++)
        x->sequence[i] = (b->inlets[i].seed + 1) * UINT64_C(0x2545f4914f6cdd1d);
    return status;
}

flx_status flx_exchange_make(flx_ctx *ctx, const flx_particles_block *block,
                             const double gravity[3], flx_exchange **out)
{
    flx_exchange *x = *out = flx_alloc(ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->ctx = ctx;
    x->block = block;
    flx_status status = make(x, gravity);
    if (status != FLX_OK) flx_exchange_destroy(out);
    return status;
}

void flx_exchange_destroy(flx_exchange **exchange)
{
    flx_exchange *x = *exchange;
    *exchange = NULL;
    if (!x) return;
    flx_particles_destroy(&x->set);
    flx_free(x->impulses);
    flx_free(x->last);
    flx_free(x->sequence);
    flx_free(x->poured);
    flx_free(x->frame);
    flx_free(x->labels);
    flx_free(x->doubles);
    flx_free(x->longs);
    flx_free(x->crowd);
    flx_free(x->beside);
    flx_free(x);
}
