// particle_set.c - sets of particles: making, walls, what users ask.
#include "particles/particle_set.h"

#include <string.h>

#define SKIN 0.15 // of the largest radius
#define PI 3.14159265358979323846

static double smallest(const flx_particles_def *d)
{
    double r = HUGE_VAL;
    for (int i = 0; i < d->count; i++) r = fmin(r, d->radii[i]);
    return r;
}

double flx_particles_longest_step(const flx_particles_def *d)
{
    double G = d->E / (2.0 * (1.0 + d->nu));
    return 0.2 * PI * smallest(d) * sqrt(d->density / G) / (0.1631 * d->nu + 0.8766);
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
    if (d->count < 1 || !d->positions || !d->radii) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a set of particles has places and radii");
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].x >= all[i].least && all[i].x <= all[i].most) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "particles: '%s' is from %g to %g, not %g", all[i].what, all[i].least,
                        all[i].most, all[i].x);
    }
    for (int i = 0; i < d->count; i++) {
        if (d->radii[i] > 0.0 && isfinite(d->radii[i])) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the radius of particle %d is %g",
                        i + 1, d->radii[i]);
    }
    double most = flx_particles_longest_step(d);
    if (d->step >= 0.0 && d->step <= most) return FLX_OK;
    return FLX_FAIL(
        ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
        "a step of %g s is too long for these particles: at most %g s, a fifth of the time "
        "of a wave over the smallest",
        d->step, most);
}

static bool take(flx_particles *p)
{
    const size_t n = (size_t)p->n;
    flx_vec4 **fours[] = {&p->x, &p->v, &p->w, &p->kept, &p->spare4};
    double **threes[] = {&p->f, &p->t, &p->fn, &p->tn, &p->spare3};
    int **ones[] = {&p->id,    &p->start,  &p->old_start, &p->cell_of,
                    &p->order, &p->spare1, &p->in_start};
    bool good = true;
    for (size_t i = 0; i < 5; i++) {
        *fours[i] = flx_alloc(p->ctx, n, sizeof(flx_vec4));
        *threes[i] = flx_alloc(p->ctx, 3 * n, sizeof(double));
        good = good && *fours[i] && *threes[i];
    }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        *ones[i] = flx_alloc(p->ctx, n + 1, sizeof(int));
        good = good && *ones[i];
    }
    p->moved = flx_alloc(p->ctx, (size_t)p->threads, sizeof(double));
    if (p->threads > 1) p->team = flx_particle_team_create(p->ctx, p->threads);
    return good && p->moved && (p->threads == 1 || p->team);
}

flx_status flx_particles_create(flx_ctx *ctx, const flx_particles_def *d, flx_particles **out)
{
    *out = NULL;
    FLX_TRY(check(ctx, d));
    flx_particles *p = flx_alloc(ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    p->ctx = ctx;
    p->n = d->count;
    p->threads = d->threads > 1 ? d->threads : 1;
    p->step = d->step > 0.0 ? d->step : flx_particles_longest_step(d);
    memcpy(p->gravity, d->gravity, sizeof p->gravity);
    p->law = (flx_particle_law){.E = d->E / (2.0 * (1.0 - d->nu * d->nu)),
                                .G = d->E / (4.0 * (2.0 - d->nu) * (1.0 + d->nu)),
                                .beta = flx_particle_beta(d->restitution),
                                .friction = d->friction,
                                .rolling = d->rolling,
                                .step = p->step};
    if (!take(p)) {
        flx_particles_destroy(&p);
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < p->n; i++) {
        const double *x = d->positions + 3 * i, r = d->radii[i];
        const double mass = 4.0 / 3.0 * PI * r * r * r * d->density;
        p->x[i] = (flx_vec4){x[0], x[1], x[2], r};
        p->v[i] = (flx_vec4){.w = mass};
        p->w[i] = (flx_vec4){.w = 0.4 * mass * r * r};
        const double *v = d->velocities, *w = d->spins;
        if (v) p->v[i].x = v[3 * i], p->v[i].y = v[3 * i + 1], p->v[i].z = v[3 * i + 2];
        if (w) p->w[i].x = w[3 * i], p->w[i].y = w[3 * i + 1], p->w[i].z = w[3 * i + 2];
        memcpy(p->f + 3 * i, p->gravity, sizeof p->gravity);
        p->id[i] = i;
        p->largest = fmax(p->largest, r);
    }
    p->skin = SKIN * p->largest;
    *out = p;
    return FLX_OK;
}

void flx_particles_destroy(flx_particles **particles)
{
    if (!particles || !*particles) return;
    flx_particles *p = *particles;
    *particles = NULL;
    flx_particle_team_destroy(&p->team);
    void *all[] = {p->x,       p->v,      p->w,         p->kept,       p->spare4,    p->f,
                   p->t,       p->fn,     p->tn,        p->spare3,     p->id,        p->start,
                   p->second,  p->memory, p->slots,     p->in_start,   p->in,        p->cell_start,
                   p->cell_of, p->order,  p->surfaces,  p->walls,      p->touches,   p->old_touches,
                   p->moved,   p->spare1, p->old_start, p->old_second, p->old_memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flx_free(all[i]);
    flx_free(p);
}

// ---- walls --------------------------------------------------------------------------------------

int flx_particles_add_wall(flx_particles *p)
{
    if (flx_grow(p->ctx, (void **)&p->walls, &p->wall_capacity, p->nwall + 1, sizeof *p->walls) !=
        FLX_OK) {
        return -1;
    }
    p->walls[p->nwall] = (flx_wall){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return p->nwall++;
}

static flx_status add_surface(flx_particles *p, int wall, flx_wall_kind kind, const double point[3],
                              const double axis[3], double radius)
{
    double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (wall < 0 || wall >= p->nwall || !(size > 0.0) ||
        (kind == FLX_WALL_TUBE && !(radius > 0.0))) {
        return FLX_FAIL(p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a surface is of a wall that was added, with a direction and a radius that "
                        "are not zero");
    }
    FLX_TRY(flx_grow(p->ctx, (void **)&p->surfaces, &p->surface_capacity, p->nsurface + 1,
                     sizeof *p->surfaces));
    flx_wall_surface *s = p->surfaces + p->nsurface++;
    *s = (flx_wall_surface){.kind = kind, .wall = wall, .radius = radius};
    for (int i = 0; i < 3; i++) {
        s->point[i] = point[i];
        s->axis[i] = axis[i] / size;
    }
    flx_wall_place(p, p->nsurface - 1);
    p->wall_way = HUGE_VAL; // neighbours are sought again
    return FLX_OK;
}

flx_status flx_particles_add_plane(flx_particles *p, int wall, const double point[3],
                                   const double normal[3])
{
    return add_surface(p, wall, FLX_WALL_PLANE, point, normal, 0.0);
}

flx_status flx_particles_add_tube(flx_particles *p, int wall, const double point[3],
                                  const double axis[3], double radius)
{
    return add_surface(p, wall, FLX_WALL_TUBE, point, axis, radius);
}

void flx_particles_move_wall(flx_particles *p, int wall, const double position[3],
                             const double R[9], const double velocity[3],
                             const double angular_velocity[3])
{
    flx_wall *w = p->walls + wall;
    double way = 0.0;
    for (int i = 0; i < 3; i++) {
        way += fabs(position[i] - w->position[i]);
        w->position[i] = position[i];
        w->velocity[i] = velocity[i];
        w->spin[i] = angular_velocity[i];
    }
    for (int i = 0; i < 9; i++) {
        way += fabs(R[i] - w->R[i]) * p->reach;
        w->R[i] = R[i];
    }
    p->wall_way += way;
    for (int s = 0; s < p->nsurface; s++) {
        if (p->surfaces[s].wall == wall) flx_wall_place(p, s);
    }
}

void flx_particles_wall_impulse(const flx_particles *p, int wall, double impulse[3],
                                double angular[3])
{
    memcpy(impulse, p->walls[wall].impulse, 3 * sizeof(double));
    memcpy(angular, p->walls[wall].angular, 3 * sizeof(double));
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

flx_particles_sums flx_particles_sum(const flx_particles *p)
{
    flx_particles_sums s = {.time = p->time, .steps = p->steps, .rebuilds = p->rebuilds};
    for (int k = 0; k < p->npair; k++) s.contacts += p->memory[k].depth > 0.0;
    for (int k = 0; k < p->ntouch; k++) s.contacts += p->touches[k].memory.depth > 0.0;
    for (int i = 0; i < p->n; i++) {
        const flx_vec4 x = p->x[i], v = p->v[i], w = p->w[i];
        const double P[3] = {v.w * v.x, v.w * v.y, v.w * v.z};
        s.kinetic += 0.5 * (v.x * P[0] + v.y * P[1] + v.z * P[2]) +
                     0.5 * w.w * (w.x * w.x + w.y * w.y + w.z * w.z);
        for (int c = 0; c < 3; c++) s.momentum[c] += P[c];
        s.angular_momentum[0] += x.y * P[2] - x.z * P[1] + w.w * w.x;
        s.angular_momentum[1] += x.z * P[0] - x.x * P[2] + w.w * w.y;
        s.angular_momentum[2] += x.x * P[1] - x.y * P[0] + w.w * w.z;
    }
    return s;
}
