// particle_sums.c - what users ask of a set of particles.
#include "particles/particle_set.h"

#include <math.h>
#include <string.h>

void flx_particles_get(const flx_particles *p, double *positions, double *velocities, double *spins)
{
    if (!p) return;
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
    if (!p) return 0;
    return p->n;
}

double flx_particles_step_size(const flx_particles *p)
{
    if (!p) return (double)NAN;
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
    if (!p) return (flx_particles_sums){0};
    flx_particles_sums s = {.time = p->time, .steps = p->steps, .rebuilds = p->rebuilds};
    s.count = p->n;
    s.gone_mass = p->gone_mass;
    s.gone_energy = p->gone_energy;
    s.potential = p->round_energy;
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            if (p->touched[k] != (unsigned)p->steps) continue;
            double a = p->x[i].w, b = p->x[p->second[k]].w;
            s.contacts++;
            s.elastic += stored(&p->law, a * b / (a + b), p->memory + k);
            s.overlap = fmax(s.overlap, p->memory[k].depth / fmin(a, b));
        }
    }
    for (int k = 0; k < p->ntouch; k++) {
        const flx_wall_touch *t = p->touches + k;
        if (!(t->memory.depth > 0.0)) continue;
        s.contacts++;
        s.elastic += stored(&p->law, flx_wall_radius(p->surfaces + t->surface, p->x[t->particle].w),
                            &t->memory);
        s.overlap = fmax(s.overlap, t->memory.depth / p->x[t->particle].w);
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
