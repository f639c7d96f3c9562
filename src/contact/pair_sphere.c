// pair_sphere.c - spheres and points with each other and with planes.
#include "contact/pair.h"

static double radius(const flx_surface *s)
{
    return s->size[0] + s->skin;
}

static void put(flx_touch *out, int side, v3 p, double curvature)
{
    v3_store(out->p[side], p);
    out->bend[side] = (flx_curvature){.k = {curvature, curvature}};
}

// Two centres on one spot have no direction: the first axis of the first stands for it, and turns with it.
static bool sphere_sphere(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                          const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    v3 ca = flx_surface_place(a, fa), cb = flx_surface_place(b, fb), d = v3_sub(cb, ca);
    double l = v3_norm(d), ra = radius(a), rb = radius(b);
    v3 n = l > 0.0 ? v3_scale(1.0 / l, d) : flx_surface_axis(a, fa, 0);
    out->gap = l - ra - rb;
    out->feature = feature;
    v3_store(out->n, n);
    put(out, 0, v3_axpy(ra, n, ca), flx_curvature_of_radius(ra));
    put(out, 1, v3_axpy(-rb, n, cb), flx_curvature_of_radius(rb));
    return true;
}

const flx_pair flx_pair_sphere_sphere = {.points = 1, .point = sphere_sphere};

static bool plane_sphere(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                         const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    v3 n = flx_surface_axis(a, fa, 2), c = flx_surface_place(b, fb);
    double h = v3_dot(n, v3_sub(c, flx_surface_place(a, fa))), r = radius(b);
    out->gap = h - r - a->skin;
    out->feature = feature;
    v3_store(out->n, n);
    put(out, 0, v3_axpy(a->skin - h, n, c), 0.0);
    put(out, 1, v3_axpy(-r, n, c), flx_curvature_of_radius(r));
    return true;
}

const flx_pair flx_pair_plane_sphere = {.points = 1, .point = plane_sphere};
