// capsule_surface.c - all that is nearer to a segment than a radius.
#include "contact/convex/polytope.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    double c[3], u[3], r = s->size[0] + s->skin;
    v3_store(c, flx_surface_place(s, f));
    v3_store(u, flx_surface_axis(s, f, 2));
    for (int i = 0; i < 3; i++) {
        double h = 0.5 * s->size[1] * fabs(u[i]) + r;
        low[i] = c[i] - h;
        high[i] = c[i] + h;
    }
}

// A segment, and its radius is a skin.
static double core(const flx_surface *s, flx_polytope_room *room)
{
    static const int edge[4] = {0, 1, -1, -1};
    double h = 0.5 * s->size[1], r = s->size[0] + s->skin;
    const double ends[6] = {0, 0, -h, 0, 0, h};
    room->p = (flx_polytope){
        .nvertex = 2, .nedge = 1, .vertices = room->numbers, .edges = edge, .size = 2.0 * (h + r)};
    memcpy(room->numbers, ends, sizeof ends);
    return r;
}

const flx_surface_kind flx_surface_capsule = {
    .number = FLX_SURFACE_NUMBER_capsule,
    .row = {.key = "capsule",
            .form = "{round}",
            .doc = "Cylinder with round ends; `length` is that between the centres of its ends."},
    .value = FLX_SURFACE_ROUND,
    .bounds = bounds,
    .core = core,
    .touches_lines = true};
