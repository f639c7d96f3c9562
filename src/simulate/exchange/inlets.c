// inlets.c - particles that come in at random free places of a region, by a mass per time, and those that leave.
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

// Those that are in the region or near it, and those that have just come.
typedef struct crowd {
    int n, capacity;
    double (*of)[4]; // place and radius
} crowd;

static flx_status join(flx_ctx *ctx, crowd *c, const double x[3], double radius)
{
    FLX_TRY(flx_grow(ctx, (void **)&c->of, &c->capacity, c->n + 1, sizeof *c->of));
    memcpy(c->of[c->n], x, 3 * sizeof *x);
    c->of[c->n++][3] = radius;
    return FLX_OK;
}

static flx_status gather(flx_exchange *x, const flx_region *r, crowd *c)
{
    int n = flx_particles_count(x->set);
    double most = 2.0 * flx_particle_largest(x->block);
    double *at = flx_alloc_unset(x->ctx, 4 * (size_t)n + 1, sizeof *at);
    if (!at) return FLX_ERR_MEMORY;
    flx_particles_get(x->set, at, NULL, NULL);
    flx_particles_get_sizes(x->set, at + 3 * (size_t)n, NULL);
    flx_status status = FLX_OK;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        if (flx_region_depth(r, at + 3 * (size_t)i) > -most)
            status = join(x->ctx, c, at + 3 * (size_t)i, at[3 * (size_t)n + (size_t)i]);
    }
    flx_free(at);
    return status;
}

static bool is_free(const crowd *c, const double x[3], double radius)
{
    for (int i = 0; i < c->n; i++) {
        const double *o = c->of[i];
        double d[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]}, s = radius + o[3];
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s) return false;
    }
    return true;
}

static bool find_place(const flx_region *r, const crowd *c, double radius, uint64_t *sequence,
                       double x[3])
{
    double most = fmax(r->size[0], fmax(r->size[1], r->size[2]));
    for (int tries = 0; tries < TRIES;) {
        for (int k = 0; k < 3; k++) {
            double reach = r->kind == FLX_REGION_BOX ? r->size[k] : most;
            x[k] = r->at[k] + reach * (2.0 * flx_sequence_next(sequence) - 1.0);
        }
        tries++;
        if (flx_region_depth(r, x) >= radius && is_free(c, x, radius)) return true;
    }
    return false;
}

static flx_status pour(flx_exchange *x, int i, double t)
{
    const flx_region *r = x->block->inlets + i;
    const double pi = 3.14159265358979323846;
    double due = r->rate * (fmin(t, r->until) - r->start);
    crowd c = {0};
    flx_status status = FLX_OK;
    if (t < r->start || t > r->until || due <= x->poured[i]) return FLX_OK;
    status = gather(x, r, &c);
    for (int k = 0; k < MOST_AT_ONCE && x->poured[i] < due && status == FLX_OK; k++) {
        double at[3], density, radius = flx_particle_radius(x->block, x->sequence + i, &density);
        if (!find_place(r, &c, radius, x->sequence + i, at)) break;
        status = join(x->ctx, &c, at, radius);
        if (status == FLX_OK)
            status = flx_particles_add(x->set, 1, at, r->velocity, &radius, &density);
        x->poured[i] += density * 4.0 / 3.0 * pi * radius * radius * radius;
    }
    flx_free(c.of);
    return status;
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
