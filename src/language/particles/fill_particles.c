// fill_particles.c - places of particles at the start: the nodes of a lattice inside of regions, from below, each moved at random by what the
// spheres leave of its cell, so that none overlap.
#include "language/particles/particles_parts.h"

#include <math.h>
#include <string.h>

#define USUAL_SPACING 1.05 // of the largest diameter
#define MOST_PARTICLES 50000000.0
#define SEEDS UINT64_C(0x2545f4914f6cdd1d)

typedef struct lattice {
    double low[3], spacing;
    int n[3];
    int order[3]; // axes, the fastest first
    bool down;    // the slowest goes down
} lattice;

// The slowest axis is that of gravity: layers from below.
static void find_order(const flx_builder *b, lattice *l)
{
    const double *g = b->m->gravity;
    int up = 2;
    for (int k = 1; k >= 0; k--) {
        if (fabs(g[k]) > fabs(g[up])) up = k;
    }
    l->order[2] = up;
    l->order[0] = up == 0 ? 1 : 0;
    l->order[1] = up == 2 ? 1 : 2;
    l->down = g[up] > 0.0;
}

static double extent(const flx_region *r, int k)
{
    if (r->kind == FLX_REGION_BOX) return r->size[k];
    if (r->kind == FLX_REGION_SPHERE) return r->size[0];
    double a = r->axis[k];
    return fabs(a) * r->size[1] + sqrt(fmax(1.0 - a * a, 0.0)) * r->size[0];
}

static flx_status lay(flx_builder *b, const flx_particles_block *p, const flx_region *r, lattice *l)
{
    double largest = flx_particle_largest(p), total = 1.0;
    l->spacing = r->spacing > 0.0 ? r->spacing : 2.0 * USUAL_SPACING * largest;
    if (l->spacing < 2.0 * largest) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, r->loc,
                        "a lattice of spacing %g m has no room for particles of diameter %g m",
                        l->spacing, 2.0 * largest);
    }
    for (int k = 0; k < 3; k++) {
        double span = 2.0 * extent(r, k) - 2.0 * largest;
        l->n[k] = 0;
        if (!(span >= 0.0)) continue;
        if (!(span / l->spacing < 1e6)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, r->loc,
                            "a region of %g m is too large for particles of radius %g m",
                            2.0 * extent(r, k), largest);
        }
        l->n[k] = (int)floor(span / l->spacing * (1.0 + 1e-12)) + 1;
        l->low[k] = r->at[k] - 0.5 * l->spacing * (l->n[k] - 1);
        total *= l->n[k];
    }
    if (total > MOST_PARTICLES) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, r->loc,
                        "a lattice with %.3g places is too large; give a larger `spacing` or a "
                        "smaller region",
                        total);
    }
    find_order(b, l);
    return FLX_OK;
}

typedef struct filling {
    int count, capacity, most; // most: how many are wanted, -1: as many as fit
    double *positions, *radii, *densities;
} filling;

static flx_status add(flx_builder *b, filling *f, const double x[3], double radius, double density)
{
    int c = f->capacity;
    FLX_TRY(flx_grow(b->ctx, (void **)&f->positions, &c, f->count + 1, 3 * sizeof(double)));
    c = f->capacity;
    FLX_TRY(flx_grow(b->ctx, (void **)&f->radii, &c, f->count + 1, sizeof(double)));
    FLX_TRY(flx_grow(b->ctx, (void **)&f->densities, &f->capacity, f->count + 1, sizeof(double)));
    memcpy(f->positions + 3 * (size_t)f->count, x, 3 * sizeof *x);
    f->radii[f->count] = radius;
    f->densities[f->count++] = density;
    return FLX_OK;
}

static flx_status fill_one(flx_builder *b, const flx_particles_block *p, const flx_region *r,
                           filling *f)
{
    lattice l = {.n = {0}};
    uint64_t sequence = r->seed * SEEDS;
    double largest = flx_particle_largest(p);
    FLX_TRY(lay(b, p, r, &l));
    const int *o = l.order;
    for (int k = 0; k < l.n[o[2]]; k++) {
        for (int j = 0; j < l.n[o[1]]; j++) {
            for (int i = 0; i < l.n[o[0]]; i++) {
                double x[3], density;
                if (f->count == f->most) return FLX_OK;
                x[o[0]] = l.low[o[0]] + i * l.spacing;
                x[o[1]] = l.low[o[1]] + j * l.spacing;
                x[o[2]] = l.low[o[2]] + (l.down ? l.n[o[2]] - 1 - k : k) * l.spacing;
                if (flx_region_depth(r, x) < largest * (1.0 - 1e-9)) continue;
                double radius = flx_particle_radius(p, &sequence, &density);
                double free = 0.999 * fmin(0.5 * l.spacing - radius,
                                           (flx_region_depth(r, x) - radius) / sqrt(3.0));
                for (int c = 0; c < 3; c++)
                    x[c] += fmax(free, 0.0) * (2.0 * flx_sequence_next(&sequence) - 1.0);
                FLX_TRY(add(b, f, x, radius, density));
            }
        }
    }
    return FLX_OK;
}

static flx_status keep(flx_builder *b, const filling *f, flx_particles_block *p)
{
    size_t n = (size_t)f->count;
    p->count = f->count;
    p->positions = flx_arena_take(b->m->arena, 3 * n + 1, sizeof(double));
    p->radii = flx_arena_take(b->m->arena, n + 1, sizeof(double));
    p->densities = flx_arena_take(b->m->arena, n + 1, sizeof(double));
    if (!p->positions || !p->radii || !p->densities) return FLX_ERR_MEMORY;
    if (n == 0) return FLX_OK;
    memcpy(p->positions, f->positions, 3 * n * sizeof(double));
    memcpy(p->radii, f->radii, n * sizeof(double));
    memcpy(p->densities, f->densities, n * sizeof(double));
    return FLX_OK;
}

flx_status flx_particles_fill(flx_builder *b, flx_particles_block *p, int nregion,
                              const flx_region *regions, int count, flx_loc loc)
{
    filling f = {.most = count};
    flx_status status = FLX_OK;
    for (int i = 0; i < nregion && status == FLX_OK; i++) status = fill_one(b, p, regions + i, &f);
    if (status == FLX_OK && f.count == 0 && nregion > 0) {
        status =
            FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "no particle of radius %g m fits into the region",
                     flx_particle_largest(p));
    } else if (status == FLX_OK && f.count < count) {
        status = FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                          "%d particles are asked for, and %d fit into the region%s: make it "
                          "larger, or leave out `count`",
                          count, f.count, nregion > 1 ? "s" : "");
    }
    if (status == FLX_OK) status = keep(b, &f, p);
    flx_free(f.positions);
    flx_free(f.radii);
    flx_free(f.densities);
    return status;
}
