// film_layers.c - bodies of a plane lie one above the other, each in a layer of its own: as the page does it
// (viewer/src/mechanism.ts).
#include "draw/film.h"

#include <math.h>

#define STACK 0.22 // most that all layers are high together, part of the scene's size

static double thickness(const flx_triangles *s)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < s->npoint; i++) {
        low = fmin(low, s->points[3 * (size_t)i + 2]);
        high = fmax(high, s->points[3 * (size_t)i + 2]);
    }
    return high > low ? high - low : 0;
}

// What body number i, or behind the bodies a beam, takes along z; 0: nothing of it is drawn.
static double thickness_of(const flx_scene *s, const flx_triangles *solids, int i)
{
    const double tube = 2 * FLX_FILM_TUBE * s->size;
    if (i >= s->nbody)
        return fmax(flx_scene_section_of(s, s->lines + (i - s->nbody)).size[0], tube);
    return fmax(thickness(solids + i), s->bodies[i].elastic ? tube : 0);
}

// A solid into its layer, as thick as that at most.
static void settle(flx_triangles *s, double thick, const flx_layer *layer)
{
    double scale = thick > 0 ? 2 * layer->half / thick : 1;
    for (int k = 0; k < s->npoint; k++) {
        double *z = s->points + 3 * (size_t)k + 2;
        *z = layer->z + fmin(scale, 1.0) * *z;
    }
}

void flx_layers_make(const flx_scene *s, flx_triangles *solids, flx_layers *out)
{
    int n = s->nbody + s->nline, drawn = 0;
    double most = 0.01 * s->size;
    if (s->dimension != 2) return;
    for (int i = 0; i < n; i++) {
        double t = thickness_of(s, solids, i);
        drawn += t > 0;
        most = fmax(most, t);
    }
    double height = fmin(1.15 * most, STACK * s->size / (drawn > 0 ? drawn : 1));
    int k = 0;
    for (int i = 0; i < n; i++) {
        double t = thickness_of(s, solids, i);
        if (!(t > 0)) continue;
        out->of[i] = (flx_layer){(k++ + 0.5) * height, 0.5 * fmin(t, 0.85 * height)};
        if (i < s->nbody) settle(solids + i, t, out->of + i);
    }
    for (int i = 0; i < s->nline; i++) { // joints at its nodes lie over it
        for (int a = 0; a < s->lines[i].nnode; a++) {
            out->of[s->lines[i].nodes[a]] = out->of[s->nbody + i];
        }
    }
    out->ground = (flx_layer){-0.5 * height, 0.3 * height};
    out->top = (drawn + 1) * height;
}

flx_layer flx_layer_of(const flx_layers *l, int body)
{
    return body < 0 ? l->ground : l->of[body];
}
