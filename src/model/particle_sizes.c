// particle_sizes.c - sizes that are random, and regions.
#include "model/particles_data.h"

#include <math.h>

static double pick(const flx_particle_class *c, uint64_t *sequence)
{
    if (!c->normal) return c->least + (c->most - c->least) * flx_sequence_next(sequence);
    for (int k = 0; k < 1000; k++) { // by Box and Muller, until it is within the bounds
        double a = flx_sequence_next(sequence), b = flx_sequence_next(sequence);
        double r = c->mean + c->deviation * sqrt(-2.0 * log1p(-a)) * cos(6.283185307179586 * b);
        if (r >= c->least && r <= c->most) return r;
    }
    return fmin(fmax(c->mean, c->least), c->most);
}

double flx_particle_radius(const flx_particles_block *b, uint64_t *sequence, double *density)
{
    int k = 0;
    double u = b->nclass > 1 ? flx_sequence_next(sequence) : 0.0;
    while (k + 1 < b->nclass && u >= b->classes[k].fraction) u -= b->classes[k++].fraction;
    *density = b->classes[k].density;
    return pick(b->classes + k, sequence);
}

double flx_particle_largest(const flx_particles_block *b)
{
    double most = 0.0;
    for (int k = 0; k < b->nclass; k++) most = fmax(most, b->classes[k].most);
    return most;
}

double flx_region_depth(const flx_region *r, const double x[3])
{
    double d[3], along = 0.0, depth = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        d[i] = x[i] - r->at[i];
        along += d[i] * r->axis[i];
        if (r->kind == FLX_REGION_BOX) depth = fmin(depth, r->size[i] - fabs(d[i]));
    }
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    switch (r->kind) {
    case FLX_REGION_BOX:
        return depth;
    case FLX_REGION_PLANE:
        return -along;
    case FLX_REGION_SPHERE:
        return r->size[0] - sqrt(square);
    case FLX_REGION_CYLINDER:
        return fmin(r->size[0] - sqrt(fmax(square - along * along, 0.0)), r->size[1] - fabs(along));
    }
    return depth;
}

double flx_region_reach(const flx_region *r)
{
    const double *e = r->size;
    switch (r->kind) {
    case FLX_REGION_BOX:
        return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    case FLX_REGION_SPHERE:
        return e[0];
    case FLX_REGION_CYLINDER:
        return hypot(e[0], e[1]);
    case FLX_REGION_PLANE:
        break;
    }
    return HUGE_VAL;
}
