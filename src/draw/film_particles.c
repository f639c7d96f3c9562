// film_particles.c - particles of a picture: balls, coloured by their speed as the page does it (viewer/src/particles.ts).
#include "draw/film.h"

#include <math.h>

#define FRAMES_LOOKED_AT 200

flx_status flx_particles_look(flx_result *r, v3 *low, v3 *high, double *fastest)
{
    int n = flx_frame_count(r->nframe, FRAMES_LOOKED_AT);
    for (int i = 0; i < n; i++) {
        double t;
        flx_particle_frame f;
        FLX_TRY(flx_result_particles(r, flx_frame_row(r->nframe, n, i), &t, &f));
        for (int k = 0; k < f.count; k++) {
            const float *x = f.positions + 3 * (size_t)k;
            const v3 at = {(double)x[0], (double)x[1], (double)x[2]};
            const double s = (double)f.radii[k];
            if (!isfinite(at.x + at.y + at.z + s)) continue;
            *low = v3_make(fmin(low->x, at.x - s), fmin(low->y, at.y - s), fmin(low->z, at.z - s));
            *high =
                v3_make(fmax(high->x, at.x + s), fmax(high->y, at.y + s), fmax(high->z, at.z + s));
            *fastest = fmax(*fastest, (double)f.speeds[k]);
        }
    }
    return FLX_OK;
}

// As a disc that is lit like a ball; of a ball smaller than a sample, that sample.
static void paint_ball(flx_painter *p, v3 centre, double radius, flx_colour colour)
{
    const flx_camera *c = p->camera;
    flx_corner at;
    if (!flx_camera_see(c, centre, &at)) return;
    const double far = -1 / at.z, size = c->zoom * radius / far;
    if (!(size < p->raster->h) || !(at.x + size > 0) || !(at.x - size < p->raster->w)) return;
    const int x0 = (int)fmax(ceil(at.x - size - 0.5), 0),
              y0 = (int)fmax(ceil(at.y - size - 0.5), 0);
    const int x1 = (int)fmin(floor(at.x + size - 0.5), p->raster->w - 1);
    const int y1 = (int)fmin(floor(at.y + size - 0.5), p->raster->h - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            const double u = (x + 0.5 - at.x) / size, v = (at.y - y - 0.5) / size;
            const double w2 = 1 - u * u - v * v;
            if (!(w2 > 0)) continue;
            v3 n = v3_add(v3_scale(u, c->right), v3_scale(v, c->up));
            n = v3_sub(n, v3_scale(sqrt(w2), c->forward));
            flx_raster_sample(p->raster, x, y, -1 / (far - radius * sqrt(w2)),
                              flx_camera_light(c, n, colour));
        }
    }
    if (x0 > x1 || y0 > y1) flx_raster_sample(p->raster, (int)at.x, (int)at.y, at.z, colour);
}

flx_status flx_paint_particles(flx_painter *p, flx_result *r, double time, double fastest)
{
    double t;
    flx_particle_frame f;
    const int frame = flx_frame_of_particles(r, time);
    if (frame < 0) return FLX_OK;
    FLX_TRY(flx_result_particles(r, frame, &t, &f));
    for (int k = 0; k < f.count; k++) {
        const float *x = f.positions + 3 * (size_t)k;
        const double speed = fastest > 0 ? (double)f.speeds[k] / fastest : 0;
        paint_ball(p, v3_make((double)x[0], (double)x[1], (double)x[2]), (double)f.radii[k],
                   flx_scale_colour(speed));
    }
    return FLX_OK;
}
