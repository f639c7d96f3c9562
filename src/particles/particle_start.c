// particle_start.c - whether particles begin beside each other and beside their walls: an overlap at the start is energy that nobody has given.
#include "particles/particle_set.h"

#include <math.h>

// Overlap over the smaller radius: far more than what lies in a heap has.
#define MOST_OVERLAP 0.25

static flx_status refuse(const flx_particles *p, flx_loc loc, int i, double overlap,
                         const char *with)
{
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                    "at the start the particle at (%g, %g, %g) m overlaps %s by %.3g of its "
                    "radius, more than %g: move it out",
                    p->x[i].x, p->x[i].y, p->x[i].z, with, overlap, MOST_OVERLAP);
}

flx_status flx_particles_check_start(flx_particles *p, flx_loc loc)
{
    if (p->n == 0) return FLX_OK;
    if (p->rebuilds == 0) FLX_TRY(flx_particles_rebuild(p));
    for (int i = 0; i < p->n; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int j = p->second[k];
            double d[3] = {p->x[j].x - p->x[i].x, p->x[j].y - p->x[i].y, p->x[j].z - p->x[i].z};
            flx_particle_nearest(p, d);
            double way = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            double overlap = (p->x[i].w + p->x[j].w - way) / fmin(p->x[i].w, p->x[j].w);
            if (overlap > MOST_OVERLAP)
                return refuse(p, loc, p->x[i].w < p->x[j].w ? i : j, overlap, "another one");
        }
    }
    for (int k = 0; k < p->ntouch; k++) {
        int i = p->touches[k].particle;
        const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z};
        double n[3], image[3], r = p->x[i].w;
        double overlap =
            1.0 - flx_wall_distance_round(p, p->touches[k].surface, x, r, n, image) / r;
        if (overlap > MOST_OVERLAP) return refuse(p, loc, i, overlap, "a wall");
    }
    return FLX_OK;
}
