// surfaces.c - the surfaces of a scene, to a result file and back.
#include "results/surfaces.h"
#include "base/number.h"

// ---- writing ------------------------------------------------------------------------------------

static bool put(hid_t group, const char *name, hid_t type, int rows, const void *values)
{
    const hsize_t dims[2] = {(hsize_t)rows, 3};
    return flx_hdf5_put(group, name, type, 2, dims, values);
}

static bool put_surface(hid_t group, const void *of, int i)
{
    const flx_scene_surface *s = (const flx_scene_surface *)of + i;
    return put(group, "points", H5T_NATIVE_FLOAT, s->npoint, s->points) &&
           put(group, "triangles", H5T_NATIVE_INT, s->ntriangle, s->triangles);
}

bool flx_surfaces_put(hid_t file, int n, const flx_scene_surface *surfaces)
{
    return flx_hdf5_put_groups(file, "surfaces", n, put_surface, surfaces);
}

// ---- reading ------------------------------------------------------------------------------------

// An array (rows, 3); NULL: it is missing or damaged.
static void *take(flx_hdf5_source *s, int surface, const char *name, hid_t type, int *rows)
{
    char path[48];
    hsize_t dims[3] = {0};
    flx_snprintf(path, sizeof path, "surfaces/%d/%s", surface, name);
    void *values = flx_hdf5_take(s, path, type, 2, dims);
    if (!values || dims[1] != 3) return NULL;
    *rows = (int)dims[0];
    return values;
}

static bool has_points(const flx_scene_surface *s)
{
    for (size_t i = 0; i < 3 * (size_t)s->ntriangle; i++) {
        if (s->triangles[i] < 0 || s->triangles[i] >= s->npoint) return false;
    }
    return true;
}

flx_status flx_surfaces_read(flx_hdf5_source *source)
{
    flx_result *r = source->r;
    r->nsurface = flx_hdf5_count(source->file, "surfaces");
    r->surfaces = flx_arena_take(r->arena, (size_t)r->nsurface, sizeof *r->surfaces);
    if (!r->surfaces) return FLX_ERR_MEMORY;
    for (int i = 0; i < r->nsurface; i++) {
        flx_scene_surface *s = r->surfaces + i;
        s->points = take(source, i, "points", H5T_NATIVE_FLOAT, &s->npoint);
        s->triangles = take(source, i, "triangles", H5T_NATIVE_INT, &s->ntriangle);
        if (!has_points(s)) s->ntriangle = 0;
    }
    return source->failed ? FLX_ERR_MEMORY : FLX_OK;
}
