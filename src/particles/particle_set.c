// particle_set.c - sets of particles: making, those that come and go.
#include "particles/particle_set.h"
#include "base/refuse.h"
#include "contact/damped_hertz.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// The longest step over radius and root of the density: a fifth of the time of a wave, and less where contacts are damped strongly. Damping acts
// through velocities that are predicted; where a particle has some eight contacts that overlap by a hundredth of the radius, its part along the
// surfaces, where spheres turn too, is stable up to about 0.2/beta of that time.
static double wave(double E, double nu, double restitution)
{
    double G = E / (2.0 * (1.0 + nu)), beta = flx_damped_hertz_beta(restitution);
    double damped = beta > 0.15 ? 0.15 / beta : 1.0;
    return 0.2 * PI / sqrt(G) / (0.1631 * nu + 0.8766) * damped;
}

// Of Hertz's contact of two particles, 2.94 d/v with the depth d of a head-on impact at the speed v.
static double contact_time(double E, double nu, double r, double density, double v)
{
    const double K = 4.0 / 3.0 * E / (2.0 * (1.0 - nu * nu)) * sqrt(0.5 * r);
    const double m = 2.0 / 3.0 * PI * r * r * r * density;
    return 2.9433 * pow(1.25 * m / K, 0.4) * pow(v, -0.2);
}

double flx_particles_longest_step(const flx_particles_def *d)
{
    if (!d) return (double)NAN;
    double least = HUGE_VAL, fastest = 0.0, shortest = HUGE_VAL;
    for (int i = 0; i < d->count; i++) {
        const double *v = d->velocities ? d->velocities + 3 * i : NULL;
        double density = d->densities ? d->densities[i] : d->density;
        least = fmin(least, d->radii[i] * sqrt(density));
        if (v) fastest = fmax(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    fastest = sqrt(fastest);
    for (int i = 0; i < d->count && fastest > 0.0; i++) {
        double density = d->densities ? d->densities[i] : d->density;
        shortest = fmin(shortest, contact_time(d->E, d->nu, d->radii[i], density, fastest));
    }
    return fmin(wave(d->E, d->nu, d->restitution) * least, shortest / 20.0);
}

static flx_status check_period(flx_ctx *ctx, const flx_particles_def *d)
{
    double largest = 0.0;
    for (int i = 0; i < d->count; i++) largest = fmax(largest, d->radii[i]);
    for (int k = 0; k < 3; k++) {
        if (d->period[k] == 0.0) continue;
        if (d->period[k] >= 4.3 * largest && isfinite(d->period[k])) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a box that repeats itself every %g m is too small for particles of radius "
                        "%g m: a particle would touch two images of another",
                        d->period[k], largest);
    }
    return FLX_OK;
}

static flx_status check_numbers(flx_ctx *ctx, const flx_particles_def *d)
{
    const struct {
        const char *what;
        const double *x; // NULL: none
        size_t n;
    } all[] = {{"positions", d->positions, 3 * (size_t)d->count},
               {"velocities", d->velocities, 3 * (size_t)d->count},
               {"spins", d->spins, 3 * (size_t)d->count},
               {"gravity", d->gravity, 3}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (size_t i = 0; all[k].x && i < all[k].n; i++) {
            if (isfinite(all[k].x[i])) continue;
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "particles: number %zu of '%s' is not finite", i, all[k].what);
        }
    }
    return FLX_OK;
}

static flx_status check(flx_ctx *ctx, const flx_particles_def *d)
{
    const struct {
        const char *what;
        double x, least, most;
    } all[] = {{"density", d->density, 1e-12, 1e12},
               {"E", d->E, 1e-12, 1e15},
               {"nu", d->nu, 0.0, 0.5},
               {"restitution", d->restitution, 0.05, 1.0},
               {"friction", d->friction, 0.0, 1e3},
               {"rolling", d->rolling, 0.0, 1e3},
               {"threads", d->threads, 0.0, 256.0}};
    if (d->count < 0 || (d->count > 0 && (!d->positions || !d->radii)) ||
        (d->count == 0 && !(d->step > 0.0))) {
        return FLX_FAIL(
            ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "a set of particles has places and radii, or a step and those that come later");
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].x >= all[i].least && all[i].x <= all[i].most) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "particles: '%s' is from %g to %g, not %g", all[i].what, all[i].least,
                        all[i].most, all[i].x);
    }
    for (int i = 0; i < d->count; i++) {
        double density = d->densities ? d->densities[i] : d->density;
        if (d->radii[i] > 0.0 && isfinite(d->radii[i]) && density > 0.0 && isfinite(density))
            continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the radius of particle %d is %g",
                        i + 1, d->radii[i]);
    }
    FLX_TRY(check_numbers(ctx, d));
    FLX_TRY(check_period(ctx, d));
    double most = flx_particles_longest_step(d);
    if (d->step >= 0.0 && d->step <= most * (1.0 + 1e-9)) return FLX_OK; // a part of an exchange
    return FLX_FAIL(
        ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
        "a step of %g s is too long for these particles: at most %g s, a fifth of the time "
        "of a wave over the smallest, less where the restitution is small, and a twentieth of "
        "their contact at the largest speed",
        d->step, most);
}

static flx_status grow(flx_particles *p, void **array, size_t size)
{
    int capacity = p->capacity;
    return flx_grow(p->ctx, array, &capacity, p->asked + 1, size);
}

flx_status flx_particles_ensure(flx_particles *p, void **array, int *capacity, int need,
                                size_t size)
{
    if (need <= *capacity) return FLX_OK;
    int grown = *capacity < need / 2 ? need : need + need / 2;
    void *more = flx_alloc_unset(p->ctx, (size_t)grown, size);
    if (!more) return FLX_ERR_MEMORY;
    if (*array) memcpy(more, *array, (size_t)*capacity * size);
    flx_free(*array);
    *array = more;
    *capacity = grown;
    return FLX_OK;
}

flx_status flx_particles_pair_room(flx_particles *p, int need)
{
    int a = p->pair_capacity, b = a;
    FLX_TRY(flx_particles_ensure(p, (void **)&p->second, &a, need, sizeof(int)));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->touched, &b, need, sizeof *p->touched));
    return flx_particles_ensure(p, (void **)&p->memory, &p->pair_capacity, need, sizeof *p->memory);
}

// For lists that are as long as they get: spheres of any sizes that do not overlap touch 14.93 others at most, on the mean (Kuperberg and
// Schramm), so 8 pairs per particle are enough; walls of many triangles may ask for more. Memory that is not used is not taken.
static flx_status reserve(flx_particles *p)
{
    int n = p->capacity < (1 << 27) ? p->capacity : 1 << 27, capacity = p->old_capacity;
    FLX_TRY(flx_particles_pair_room(p, 8 * n));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_second, &capacity, 8 * n, sizeof(int)));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_memory, &p->old_capacity, 8 * n,
                                 sizeof *p->old_memory));
    FLX_TRY(
        flx_particles_ensure(p, (void **)&p->shares, &p->share_capacity, 4 * n, sizeof *p->shares));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->chunks, &p->chunk_capacity, n / 8192 + 17,
                                 sizeof *p->chunks));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->near, &p->near_capacity, n, sizeof *p->near));
    FLX_TRY(
        flx_particles_ensure(p, (void **)&p->touches, &p->touch_capacity, n, sizeof *p->touches));
    FLX_TRY(flx_particles_ensure(p, (void **)&p->old_touches, &p->old_touch_capacity, n,
                                 sizeof *p->old_touches));
    return flx_particles_ensure(p, (void **)&p->cell_start, &p->cell_capacity,
                                FLX_PARTICLE_CELLS * n + 1000 * FLX_PARTICLE_CLASSES + 1,
                                sizeof(int));
}

// All arrays of particles have the same capacity, and one more.
flx_status flx_particles_room(flx_particles *p, int need)
{
    if (p->capacity > need) return FLX_OK;
    flx_vec4 **fours[] = {&p->x, &p->v, &p->w, &p->kept, &p->spare4};
    double **threes[] = {&p->f, &p->t, &p->fn, &p->tn, &p->spare3};
    int **ones[] = {&p->id,    &p->start,  &p->old_start,  &p->cell_of,
                    &p->order, &p->spare1, &p->touch_start};
    p->asked = need;
    for (int i = 0; i < 5; i++) {
        FLX_TRY(grow(p, (void **)fours[i], sizeof(flx_vec4)));
        FLX_TRY(grow(p, (void **)threes[i], 3 * sizeof(double)));
    }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        FLX_TRY(grow(p, (void **)ones[i], sizeof(int)));
    FLX_TRY(grow(p, (void **)&p->label, sizeof *p->label));
    int before = p->capacity;
    FLX_TRY(flx_grow(p->ctx, (void **)&p->leaves, &p->capacity, need + 1, sizeof *p->leaves));
    memset(p->leaves + before, 0, (size_t)(p->capacity - before) * sizeof *p->leaves);
    if (before == 0) p->start[0] = p->old_start[0] = 0;
    return reserve(p);
}

static void put(flx_particles *p, const double x[3], const double *v, const double *w, double r,
                double density)
{
    const double mass = 4.0 / 3.0 * PI * r * r * r * density;
    int i = p->n++;
    p->x[i] = (flx_vec4){x[0], x[1], x[2], r};
    p->v[i] = (flx_vec4){.w = 1.0 / mass};
    p->w[i] = (flx_vec4){.w = 1.0 / (0.4 * mass * r * r)};
    if (v) p->v[i].x = v[0], p->v[i].y = v[1], p->v[i].z = v[2];
    if (w) p->w[i].x = w[0], p->w[i].y = w[1], p->w[i].z = w[2];
    memcpy(p->f + 3 * i, p->gravity, sizeof p->gravity);
    memset(p->t + 3 * i, 0, 3 * sizeof(double));
    p->kept[i] = p->x[i];
    p->id[i] = i;
    p->label[i] = p->made++;
    p->start[i + 1] = p->npair;
    p->leaves[i] = false;
    p->largest = fmax(p->largest, r);
    p->least = p->least > 0.0 ? fmin(p->least, r) : r;
}

flx_status flx_particles_create(flx_ctx *ctx, const flx_particles_def *d, flx_particles **out)
{
    if (!ctx || !d || !out) return flx_refuse_null(ctx, __func__);
    *out = NULL;
    FLX_TRY(check(ctx, d));
    flx_particles *p = flx_alloc(ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    p->ctx = ctx;
    p->wave = wave(d->E, d->nu, d->restitution);
    p->threads = d->threads > 1 ? d->threads : 1;
    p->step = d->step > 0.0 ? d->step : flx_particles_longest_step(d);
    memcpy(p->gravity, d->gravity, sizeof p->gravity);
    p->law = (flx_particle_law){.E = d->E / (2.0 * (1.0 - d->nu * d->nu)),
                                .G = d->E / (4.0 * (2.0 - d->nu) * (1.0 + d->nu)),
                                .beta = flx_damped_hertz_beta(d->restitution),
                                .friction = d->friction,
                                .rolling = d->rolling,
                                .step = p->step,
                                .per_step = 1.0 / p->step};
    p->law.damping = 1.8257418583505538 * p->law.beta;
    p->law.share = sqrt(4.0 * p->law.G / p->law.E);
    p->density = d->density;
    for (int k = 0; k < 3; k++) {
        p->period[k] = d->period[k];
        p->from[k] = d->period_from[k];
        p->repeats = p->repeats || d->period[k] > 0.0;
    }
    flx_status status = flx_particles_room(p, d->count);
    p->moved = flx_alloc(ctx, (size_t)p->threads, sizeof(double));
    p->parts = flx_alloc(ctx, (size_t)p->threads, sizeof *p->parts);
    p->turn = flx_alloc(ctx, (size_t)p->threads, sizeof *p->turn);
    if (!p->moved || !p->parts || !p->turn) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && p->threads > 1) {
        p->team = flx_particle_team_create(ctx, p->threads);
        if (!p->team) status = FLX_ERR_MEMORY;
    }
    for (int i = 0; i < d->count && status == FLX_OK; i++) {
        put(p, d->positions + 3 * i, d->velocities ? d->velocities + 3 * i : NULL,
            d->spins ? d->spins + 3 * i : NULL, d->radii[i],
            d->densities ? d->densities[i] : d->density);
    }
    if (status != FLX_OK) flx_particles_destroy(&p);
    *out = p;
    return status;
}

flx_status flx_particles_add(flx_particles *p, int count, const double *positions,
                             const double *velocities, const double *radii, const double *densities)
{
    if (!p) return flx_refuse_null(NULL, __func__);
    if (count < 0 || (count > 0 && (!positions || !radii))) {
        return FLX_FAIL(p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "%d particles that come have no positions or radii", count);
    }
    for (int i = 0; i < count; i++) {
        double density = densities ? densities[i] : p->density;
        bool good = radii[i] > 0.0 && isfinite(radii[i]) && density > 0.0 && isfinite(density);
        for (int c = 0; c < 3; c++) good = good && isfinite(positions[3 * i + c]);
        if (!good || p->step > p->wave * (radii[i] * sqrt(density))) {
            return FLX_FAIL(p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "a particle of radius %g and density %g cannot be added: %s", radii[i],
                            density, good ? "the step is too long for it" : "no particle has them");
        }
    }
    FLX_TRY(flx_particles_room(p, p->n + count));
    for (int i = 0; i < count; i++) {
        put(p, positions + 3 * i, velocities ? velocities + 3 * i : NULL, NULL, radii[i],
            densities ? densities[i] : p->density);
    }
    if (count > 0) p->wall_way = HUGE_VAL;
    return FLX_OK;
}

int flx_particles_remove(flx_particles *p, flx_particles_gone *gone, void *user)
{
    if (!p || !gone) return 0;
    for (int i = 0; i < p->n; i++) {
        const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
        if (p->leaves[i] || !gone(user, x, p->x[i].w)) continue;
        const flx_vec4 v = p->v[i], w = p->w[i];
        p->leaves[i] = true;
        p->nleaving++;
        const double m = 1.0 / v.w;
        p->gone_mass += m;
        p->gone_energy += 0.5 * m * (v.x * v.x + v.y * v.y + v.z * v.z) +
                          0.5 / w.w * (w.x * w.x + w.y * w.y + w.z * w.z);
        for (int c = 0; c < 3; c++) p->gone_energy -= m * p->gravity[c] * x[c];
    }
    if (p->nleaving > 0) p->wall_way = HUGE_VAL;
    return p->nleaving;
}

void flx_particles_destroy(flx_particles **particles)
{
    if (!particles || !*particles) return;
    flx_particles *p = *particles;
    *particles = NULL;
    flx_particle_team_destroy(&p->team);
    void *all[] = {p->x,        p->v,           p->w,       p->kept,       p->spare4,
                   p->f,        p->t,           p->fn,      p->tn,         p->spare3,
                   p->id,       p->start,       p->second,  p->memory,     p->touched,
                   p->chunks,   p->shares,      p->order,   p->cell_start, p->cell_of,
                   p->surfaces, p->walls,       p->touches, p->moved,      p->old_touches,
                   p->spare1,   p->old_start,   p->label,   p->old_second, p->old_memory,
                   p->leaves,   p->touch_start, p->near,    p->parts,      p->turn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flx_free(all[i]);
    flx_free(p);
}
