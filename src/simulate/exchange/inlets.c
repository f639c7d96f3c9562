// inlets.c - particles that come in at random free places of a region, by a mass per time, and those that leave.
#include "particles/particle_set.h"
#include "simulate/exchange/exchange.h"

#include <math.h>
#include <string.h>

#define TRIES 40
#define MOST_AT_ONCE 1000

typedef struct leaving {
    const flx_particles_block *block;
    double t;
} leaving;

static int has_left(void *user, const double position[3], double radius)
{
    const leaving *l = user;
    (void)radius;
    for (int i = 0; i < l->block->noutlet; i++) {
        const flx_region *r = l->block->outlets + i;
        if (l->t >= r->start && flx_region_depth(r, position) > 0.0) return 1;
    }
    return 0;
}

// Those that are in the region or near it, and those that have just come, with their radii.
static flx_status join(flx_exchange *x, const double at[3], double radius)
{
    FLX_TRY(
        flx_grow(x->ctx, (void **)&x->crowd, &x->crowd_capacity, x->ncrowd + 1, sizeof *x->crowd));
    memcpy(x->crowd[x->ncrowd], at, 3 * sizeof *at);
    x->crowd[x->ncrowd++][3] = radius;
    return FLX_OK;
}

static flx_status gather(flx_exchange *x, const flx_region *r)
{
    int n = flx_particles_count(x->set);
    double most = 2.0 * flx_particle_largest(x->block);
    FLX_TRY(flx_exchange_room(x, n));
    double *at = x->doubles, *radii = at + 3 * (size_t)n;
    flx_particles_get(x->set, at, NULL, NULL);
    flx_particles_get_sizes(x->set, radii, NULL);
    x->ncrowd = 0;
    for (int i = 0; i < n; i++) {
        if (x->set->repeats || flx_region_depth(r, at + 3 * (size_t)i) > -most)
            FLX_TRY(join(x, at + 3 * (size_t)i, radii[i]));
    }
    return FLX_OK;
}

// Beside particles, their images in a box that repeats itself, and walls.
static bool is_free(const flx_exchange *x, const double at[3], double radius)
{
    for (int i = 0; i < x->ncrowd; i++) {
        const double *o = x->crowd[i];
        double d[3] = {at[0] - o[0], at[1] - o[1], at[2] - o[2]}, s = radius + o[3];
        flx_particle_nearest(x->set, d);
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s) return false;
    }
    for (int i = 0; i < x->nbeside; i++) {
        double n[3], image[3];
        if (flx_wall_distance_round(x->set, x->beside[i], at, radius, n, image) < radius)
            return false;
    }
    return true;
}

// Surfaces that particles of a region may touch.
static flx_status find_beside(flx_exchange *x, const flx_region *r)
{
    double far = flx_particle_largest(x->block) + flx_region_reach(r), n[3], image[3];
    x->nbeside = 0;
    for (int s = 0; s < x->set->nsurface; s++) {
        if (flx_wall_distance_round(x->set, s, r->at, far, n, image) > far) continue;
        FLX_TRY(flx_grow(x->ctx, (void **)&x->beside, &x->beside_capacity, x->nbeside + 1,
                         sizeof *x->beside));
        x->beside[x->nbeside++] = s;
    }
    return FLX_OK;
}

static bool find_place(const flx_exchange *of, const flx_region *r, double radius,
                       uint64_t *sequence, double x[3])
{
    double most = fmax(r->size[0], fmax(r->size[1], r->size[2]));
    for (int tries = 0; tries < TRIES;) {
        for (int k = 0; k < 3; k++) {
            double reach = r->kind == FLX_REGION_BOX ? r->size[k] : most;
            x[k] = r->at[k] + reach * (2.0 * flx_sequence_next(sequence) - 1.0);
        }
        tries++;
        if (flx_region_depth(r, x) >= radius && is_free(of, x, radius)) return true;
    }
    return false;
}

static flx_status pour(flx_exchange *x, int i, double t)
{
    const flx_region *r = x->block->inlets + i;
    const double pi = 3.14159265358979323846;
    double due = r->rate * (fmin(t, r->until) - r->start);
    if (t < r->start || t > r->until || due <= x->poured[i]) return FLX_OK;
    FLX_TRY(gather(x, r));
    FLX_TRY(find_beside(x, r));
    for (int k = 0; k < MOST_AT_ONCE && x->poured[i] < due; k++) {
        double at[3], density, radius = flx_particle_radius(x->block, x->sequence + i, &density);
        if (!find_place(x, r, radius, x->sequence + i, at)) break;
        FLX_TRY(join(x, at, radius));
        FLX_TRY(flx_particles_add(x->set, 1, at, r->velocity, &radius, &density));
        x->poured[i] += density * 4.0 / 3.0 * pi * radius * radius * radius;
    }
    return FLX_OK;
}

flx_status flx_exchange_pass(flx_exchange *x, double t)
{
    const flx_particles_block *b = x->block;
    if (b->noutlet > 0) {
        leaving l = {b, t};
        (void)flx_particles_remove(x->set, has_left, &l);
    }
    for (int i = 0; i < b->ninlet; i++) FLX_TRY(pour(x, i, t));
    return FLX_OK;
}
