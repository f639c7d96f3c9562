// pair_heights.c - heights z(x, y) with spheres and nodes: the place of the surface nearest to the centre.
#include "contact/mesh/heights_nearest.h"

static bool point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                  const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    v3 centre = flx_surface_place(b, fb);
    double r = b->size[0] + b->skin;
    flx_heights_foot f;
    if (!flx_heights_nearest(a, fa, centre, &f)) return false;
    out->gap = f.height - r - a->skin;
    out->feature = feature;
    v3_store(out->n, f.n);
    v3_store(out->p[0], v3_axpy(a->skin, f.n, f.place));
    out->bend[0] = f.bend;
    flx_touch_side(out, 1, centre, r, HUGE_VAL, HUGE_VAL, f.n);
    return true;
}

const flx_pair flx_pair_heights_sphere = {.points = 1, .point = point};
