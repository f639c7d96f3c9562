// pair_outline.c - curves and profiles with spheres and planes. Points are the local minima of the gap, the nearest first.
#include "contact/outline.h"

enum { POINTS = 3 };

flx_sheet flx_sheet_of(const flx_surface *s, const flx_frame *f)
{
    const flx_outline *o = s->data;
    flx_sheet c = {.o = o, .origin = flx_surface_place(s, f), .skin = s->skin};
    c.x = flx_surface_axis(s, f, 0);
    c.y = flx_surface_axis(s, f, o->up);
    c.across = v3_cross(c.x, c.y);
    return c;
}

static bool outline_sphere(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                           const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_sheet c = flx_sheet_of(a, fa);
    v3 p = flx_surface_place(b, fb), d = v3_sub(p, c.origin);
    double r = b->size[0] + b->skin;
    const flx_outline_probe probe = {.x = {v3_dot(d, c.x), v3_dot(d, c.y)}};
    flx_outline_foot feet[FLX_OUTLINE_FEET];
    int n = flx_outline_feet(c.o, &probe, r + c.skin + 1e-3 * c.o->size, feet);
    if (feature >= (uint64_t)n) return false;
    const flx_outline_foot *f = feet + feature;
    v3 normal = flx_sheet_vector(&c, f->out);
    out->gap = f->value - c.skin - r;
    out->feature = feature;
    v3_store(out->n, normal);
    v3 place = v3_axpy(-f->value, normal, p);
    flx_touch_side(out, 0, place, c.skin, f->k, 0.0, v3_cross(c.across, normal));
    flx_touch_side(out, 1, p, r, HUGE_VAL, HUGE_VAL, c.across);
    return true;
}

const flx_pair flx_pair_curve_sphere = {.points = POINTS, .point = outline_sphere};
const flx_pair flx_pair_profile_sphere = {.points = POINTS, .point = outline_sphere};

// The curve itself, as an edge of a sheet without thickness.
static bool plane_curve(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_sheet c = flx_sheet_of(b, fb);
    v3 n = flx_surface_axis(a, fa, 2);
    const flx_outline_probe probe = {.direction = true, .x = {v3_dot(n, c.x), v3_dot(n, c.y)}};
    flx_outline_foot feet[FLX_OUTLINE_FEET];
    int count = flx_outline_feet(c.o, &probe, 0.1 * c.o->size, feet);
    if (feature >= (uint64_t)count) return false;
    const flx_outline_foot *f = feet + feature;
    v3 place = v3_add(c.origin, flx_sheet_vector(&c, f->c)), out3 = flx_sheet_vector(&c, f->out);
    double h = v3_dot(n, v3_sub(place, flx_surface_place(a, fa)));
    double k = isinf(f->k) ? f->k : -f->k * v3_dot(out3, n);
    v3 e = v3_cross(c.across, out3);
    double along = v3_norm(v3_axpy(-v3_dot(e, n), n, e)); // 1 but in the middle of a circle
    out->gap = h - a->skin - c.skin;
    out->feature = feature;
    v3_store(out->n, n);
    flx_touch_side(out, 0, v3_axpy(-h, n, place), a->skin, 0.0, 0.0, e);
    flx_touch_side(out, 1, place, c.skin, along > 0.5 ? k : HUGE_VAL, HUGE_VAL, e);
    return true;
}

const flx_pair flx_pair_plane_curve = {.points = POINTS, .point = plane_curve};
