// particle_set.c - sets of particles: making, those that come and go, what users ask.
#include "particles/particle_set.h"

#include <string.h>

#define SKIN 0.15 // of the largest radius
#define PI 3.14159265358979323846

// The longest step over radius and root of the density.
static double wave(double E, double nu)
{
    double G = E / (2.0 * (1.0 + nu));
    return 0.2 * PI / sqrt(G) / (0.1631 * nu + 0.8766);
}

double flx_particles_longest_step(const flx_particles_def *d)
{
    double least = HUGE_VAL;
    for (int i = 0; i < d->count; i++) {
        double density = d->densities ? d->densities[i] : d->density;
        least = fmin(least, d->radii[i] * sqrt(density));
    }
    return wave(d->E, d->nu) * least;
}

static flx_status check_period(flx_ctx *ctx, const flx_particles_def *d)
{
    double largest = 0.0;
    for (int i = 0; i < d->count; i++) largest = fmax(largest, d->radii[i]);
    for (int k = 0; k < 3; k++) {
        if (d->period[k] == 0.0) continue;
        if (d->period[k] >= (4.0 + 2.0 * SKIN) * largest && isfinite(d->period[k])) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a box that repeats itself every %g m is too small for particles of radius "
                        "%g m: a particle would touch two images of another",
                        d->period[k], largest);
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
    FLX_TRY(check_period(ctx, d));
    double most = flx_particles_longest_step(d);
    if (d->step >= 0.0 && d->step <= most) return FLX_OK;
    return FLX_FAIL(
        ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
        "a step of %g s is too long for these particles: at most %g s, a fifth of the time "
        "of a wave over the smallest",
        d->step, most);
}

static flx_status grow(flx_particles *p, void **array, size_t size)
{
    int capacity = p->capacity;
    return flx_grow(p->ctx, array, &capacity, p->asked + 1, size);
}

// All arrays of particles have the same capacity, and one more.
flx_status flx_particles_room(flx_particles *p, int need)
{
    if (p->capacity > need) return FLX_OK;
    flx_vec4 **fours[] = {&p->x, &p->v, &p->w, &p->kept, &p->spare4};
    double **threes[] = {&p->f, &p->t, &p->fn, &p->tn, &p->spare3};
    int **ones[] = {&p->id,    &p->start,  &p->old_start, &p->cell_of,
                    &p->order, &p->spare1, &p->in_start,  &p->touch_start};
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
    return FLX_OK;
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
    p->skin = SKIN * p->largest;
}

flx_status flx_particles_create(flx_ctx *ctx, const flx_particles_def *d, flx_particles **out)
{
    *out = NULL;
    FLX_TRY(check(ctx, d));
    flx_particles *p = flx_alloc(ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    p->ctx = ctx;
    p->wave = wave(d->E, d->nu);
    p->threads = d->threads > 1 ? d->threads : 1;
    p->step = d->step > 0.0 ? d->step : flx_particles_longest_step(d);
    memcpy(p->gravity, d->gravity, sizeof p->gravity);
    p->law = (flx_particle_law){.E = d->E / (2.0 * (1.0 - d->nu * d->nu)),
                                .G = d->E / (4.0 * (2.0 - d->nu) * (1.0 + d->nu)),
                                .beta = flx_particle_beta(d->restitution),
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
    if (!p->moved) status = FLX_ERR_MEMORY;
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
    for (int i = 0; i < count; i++) {
        double density = densities ? densities[i] : p->density;
        bool good = radii[i] > 0.0 && isfinite(radii[i]) && density > 0.0 && isfinite(density);
        for (int c = 0; c < 3; c++) good = good && isfinite(positions[3 * i + c]);
        if (!good || p->step > p->wave * radii[i] * sqrt(density)) {
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
    void *all[] = {p->x,        p->v,           p->w,          p->kept,        p->spare4,
                   p->f,        p->t,           p->fn,         p->tn,          p->spare3,
                   p->id,       p->start,       p->second,     p->memory,      p->slots,
                   p->in_start, p->in,          p->cell_start, p->cell_of,     p->order,
                   p->surfaces, p->walls,       p->touches,    p->old_touches, p->moved,
                   p->spare1,   p->old_start,   p->old_second, p->old_memory,  p->label,
                   p->leaves,   p->touch_start, p->near};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flx_free(all[i]);
    flx_free(p);
}

// ---- what users ask -----------------------------------------------------------------------------

void flx_particles_get(const flx_particles *p, double *positions, double *velocities, double *spins)
{
    double *out[] = {positions, velocities, spins};
    const flx_vec4 *in[] = {p->x, p->v, p->w};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; out[k] && i < p->n; i++) {
            double *o = out[k] + 3 * p->id[i];
            o[0] = in[k][i].x;
            o[1] = in[k][i].y;
            o[2] = in[k][i].z;
        }
    }
}

void flx_particles_get_sizes(const flx_particles *p, double *radii, long *labels)
{
    for (int i = 0; radii && i < p->n; i++) radii[p->id[i]] = p->x[i].w;
    if (labels) memcpy(labels, p->label, (size_t)p->n * sizeof *labels);
}

int flx_particles_count(const flx_particles *p)
{
    return p->n;
}

double flx_particles_step_size(const flx_particles *p)
{
    return p->step;
}

// Energy of the springs of a contact: 2/5 of force times overlap, and of the spring along the surface.
static double stored(const flx_particle_law *l, double R, const flx_particle_memory *m)
{
    double d = m->depth, a = sqrt(R * d);
    double T2 = m->T[0] * m->T[0] + m->T[1] * m->T[1] + m->T[2] * m->T[2];
    return 8.0 / 15.0 * l->E * a * d * d + T2 / (16.0 * l->G * a);
}

flx_particles_sums flx_particles_sum(const flx_particles *p)
{
    flx_particles_sums s = {.time = p->time, .steps = p->steps, .rebuilds = p->rebuilds};
    s.count = p->n;
    s.gone_mass = p->gone_mass;
    s.gone_energy = p->gone_energy;
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            if (!(p->memory[k].depth > 0.0)) continue;
            double a = p->x[i].w, b = p->x[p->second[k]].w;
            s.contacts++;
            s.elastic += stored(&p->law, a * b / (a + b), p->memory + k);
        }
    }
    for (int k = 0; k < p->ntouch; k++) {
        const flx_wall_touch *t = p->touches + k;
        if (!(t->memory.depth > 0.0)) continue;
        s.contacts++;
        s.elastic += stored(&p->law, flx_wall_radius(p->surfaces + t->surface, p->x[t->particle].w),
                            &t->memory);
    }
    for (int i = 0; i < p->n; i++) {
        const flx_vec4 x = p->x[i], v = p->v[i], w = p->w[i];
        const double m = 1.0 / v.w, J = 1.0 / w.w;
        const double P[3] = {m * v.x, m * v.y, m * v.z};
        s.kinetic += 0.5 * (v.x * P[0] + v.y * P[1] + v.z * P[2]) +
                     0.5 * J * (w.x * w.x + w.y * w.y + w.z * w.z);
        const double at[3] = {x.x, x.y, x.z};
        s.mass += m;
        s.fastest = fmax(s.fastest, v.x * v.x + v.y * v.y + v.z * v.z);
        for (int c = 0; c < 3; c++) {
            s.momentum[c] += P[c];
            s.centre[c] += m * at[c];
            s.potential -= m * p->gravity[c] * at[c];
        }
        s.angular_momentum[0] += x.y * P[2] - x.z * P[1] + J * w.x;
        s.angular_momentum[1] += x.z * P[0] - x.x * P[2] + J * w.y;
        s.angular_momentum[2] += x.x * P[1] - x.y * P[0] + J * w.z;
    }
    s.fastest = sqrt(s.fastest);
    for (int c = 0; c < 3 && s.mass > 0.0; c++) s.centre[c] /= s.mass;
    return s;
}
