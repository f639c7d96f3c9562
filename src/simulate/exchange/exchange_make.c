// exchange_make.c - a set of particles with its walls, as the model says it.
#include "contact/mesh/facets.h"
#include "contact/surface_pieces.h"
#include "simulate/exchange/exchange.h"

#include <math.h>
#include <string.h>

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

static flx_status add_piece(flx_particles *p, int wall, const flx_surface_piece *s)
{
    static const flx_wall_kind kinds[] = {
        [FLX_PIECE_PLANE] = FLX_WALL_PLANE,       [FLX_PIECE_TUBE] = FLX_WALL_TUBE,
        [FLX_PIECE_SHELL] = FLX_WALL_SHELL,       [FLX_PIECE_CAPSULE] = FLX_WALL_CAPSULE,
        [FLX_PIECE_CYLINDER] = FLX_WALL_CYLINDER, [FLX_PIECE_BOX] = FLX_WALL_BOX};
    if (s->shape == FLX_PIECE_END) {
        const double n[3] = {s->axes[2], s->axes[5], s->axes[8]};
        return flx_particles_add_plane(p, wall, s->at, n);
    }
    return flx_particles_add_surface(p, wall, kinds[s->shape], s->at, s->axes, s->size, s->skin);
}

static flx_status add_surface(flx_particles *p, int wall, const flx_surface *s, bool inside)
{
    flx_surface_piece pieces[FLX_SURFACE_PIECES];
    int n = flx_surface_get_pieces(s, inside, pieces);
    if (n == FLX_PIECES_ARE_TRIANGLES) return add_mesh(p, wall, s);
    for (int k = 0; k < n; k++) FLX_TRY(add_piece(p, wall, pieces + k));
    return FLX_OK;
}

static flx_status add_walls(flx_exchange *x)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->nwall; i++) {
        const flx_particle_wall *w = b->walls + i;
        int wall = flx_particles_add_wall(x->set);
        if (wall < 0) return FLX_ERR_MEMORY;
        for (int k = 0; k < w->nsurface; k++) {
            FLX_TRY(add_surface(x->set, wall, w->surfaces[k], w->inside));
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
