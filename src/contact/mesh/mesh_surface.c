// mesh_surface.c - a surface of triangles; its skin lies round it.
#include "contact/mesh/facets.h"
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    const flx_facets *t = s->data;
    const flx_facet_box *b = t->boxes;
    v3 c = flx_surface_place(s, f);
    m33 R = m33_mul(m33_load(f->R), m33_load(s->axes));
    for (int k = 0; k < 3; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    for (int i = 0; i < 8; i++) {
        double x[3];
        v3 corner = {i & 1 ? b->high[0] : b->low[0], i & 2 ? b->high[1] : b->low[1],
                     i & 4 ? b->high[2] : b->low[2]};
        v3_store(x, v3_add(c, m33_mul_v(R, corner)));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - s->skin);
            high[k] = fmax(high[k], x[k] + s->skin);
        }
    }
}

static flx_status make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                       const double *points, int ntriangle, const int *corners, const void **data)
{
    const flx_facets *t = NULL;
    FLX_TRY(flx_facets_make(ctx, arena, loc, npoint, points, ntriangle, corners, &t));
    *data = t;
    return FLX_OK;
}

const flx_surface_kind flx_surface_mesh = {
    .number = FLX_SURFACE_NUMBER_mesh,
    .row = {.key = "mesh",
            .form = "file",
            .doc =
                "Triangles of a file of a surface (.stl, .obj, .dae), outside where they are seen "
                "counterclockwise; `round` is "
                "added round them.",
            .dimension = 3},
    .value = FLX_SURFACE_FILE,
    .turns = true,
    .bounds = bounds,
    .make = make};
