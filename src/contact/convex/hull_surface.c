// hull_surface.c - a convex hull; its skin lies round it.
#include "contact/convex/hull.h"

static double core(const flx_surface *s, flx_polytope_room *room)
{
    room->p = *(const flx_polytope *)s->data;
    return s->skin;
}

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    const flx_polytope *p = s->data;
    v3 c = flx_surface_place(s, f);
    m33 R = m33_mul(m33_load(f->R), m33_load(s->axes));
    for (int k = 0; k < 3; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    for (int i = 0; i < p->nvertex; i++) {
        double x[3];
        v3_store(x, v3_add(c, m33_mul_v(R, v3_load(p->vertices + 3 * (size_t)i))));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - s->skin);
            high[k] = fmax(high[k], x[k] + s->skin);
        }
    }
}

static flx_status make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                       const double *points, int ntriangle, const int *corners, const void **data)
{
    const flx_polytope *hull = NULL;
    (void)ntriangle;
    (void)corners;
    FLX_TRY(flx_hull_make(ctx, arena, loc, npoint, points, &hull));
    *data = hull;
    return FLX_OK;
}

const flx_surface_kind flx_surface_hull = {
    .number = FLX_SURFACE_NUMBER_hull,
    .sharp = true,
    .row =
        {.key = "hull",
         .form = "file | [vector;4..]",
         .doc =
             "Convex hull of points: those of a file of a surface (.stl, .obj, .dae), or a list of "
             "them; `round` is added "
             "round it.",
         .dimension = 3},
    .value = FLX_SURFACE_FILE,
    .turns = true,
    .bounds = bounds,
    .core = core,
    .make = make};
