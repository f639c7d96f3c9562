// surfaces.c - the surfaces of a scene, to a result file and back.
#include "results/surfaces.h"
#include "base/number.h"

#include <limits.h>
#include <stdio.h>

#define MOST_SURFACES 100000

// ---- writing ------------------------------------------------------------------------------------

static bool put(hid_t group, const char *name, hid_t type, int rows, const void *values)
{
    const hsize_t dims[2] = {(hsize_t)rows, 3};
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t d = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = d >= 0 && H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (d >= 0) H5Dclose(d);
    H5Sclose(space);
    return good;
}

bool flx_surfaces_put(hid_t file, int n, const flx_scene_surface *surfaces)
{
    if (n == 0) return true;
    hid_t all = H5Gcreate2(file, "surfaces", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = all >= 0;
    for (int i = 0; i < n && good; i++) {
        char name[16];
        flx_snprintf(name, sizeof name, "%d", i);
        hid_t group = H5Gcreate2(all, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const flx_scene_surface *s = surfaces + i;
        good = group >= 0 && put(group, "points", H5T_NATIVE_FLOAT, s->npoint, s->points) &&
               put(group, "triangles", H5T_NATIVE_INT, s->ntriangle, s->triangles);
        if (group >= 0) H5Gclose(group);
    }
    if (all >= 0) H5Gclose(all);
    return good;
}

// ---- reading ------------------------------------------------------------------------------------

// An array (rows, 3) from the arena; NULL: it is missing or damaged. *failed: there is no memory.
static void *take(flx_result *r, hid_t file, int surface, const char *name, hid_t type, int *rows,
                  bool *failed)
{
    char path[48];
    void *values = NULL;
    hsize_t dims[2] = {0, 0};
    flx_snprintf(path, sizeof path, "surfaces/%d/%s", surface, name);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
    if (d < 0) return NULL;
    hid_t space = H5Dget_space(d);
    if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    // a damaged size asks for more than there is
    bool fits = dims[0] > 0 && dims[0] < INT_MAX / 3 && dims[1] == 3 &&
                H5Dget_storage_size(d) >= 3 * dims[0];
    if (fits) {
        values = flx_arena_take(r->arena, 3 * (size_t)dims[0], H5Tget_size(type));
        if (!values) *failed = true;
    }
    if (values && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) values = NULL;
    if (values) *rows = (int)dims[0];
    H5Dclose(d);
    return values;
}

static bool has_points(const flx_scene_surface *s)
{
    for (size_t i = 0; i < 3 * (size_t)s->ntriangle; i++) {
        if (s->triangles[i] < 0 || s->triangles[i] >= s->npoint) return false;
    }
    return true;
}

// By name: listing the links of a damaged file can end the program.
static int count_surfaces(hid_t file)
{
    int n = 0;
    if (H5Lexists(file, "surfaces", H5P_DEFAULT) <= 0) return 0;
    for (; n < MOST_SURFACES; n++) {
        char path[32];
        flx_snprintf(path, sizeof path, "surfaces/%d", n);
        if (H5Lexists(file, path, H5P_DEFAULT) <= 0) break;
    }
    return n;
}

flx_status flx_surfaces_read(flx_result *r, hid_t file)
{
    bool failed = false;
    r->nsurface = count_surfaces(file);
    r->surfaces = flx_arena_take(r->arena, (size_t)r->nsurface, sizeof *r->surfaces);
    if (!r->surfaces) return FLX_ERR_MEMORY;
    for (int i = 0; i < r->nsurface; i++) {
        flx_scene_surface *s = r->surfaces + i;
        s->points = take(r, file, i, "points", H5T_NATIVE_FLOAT, &s->npoint, &failed);
        s->triangles = take(r, file, i, "triangles", H5T_NATIVE_INT, &s->ntriangle, &failed);
        if (!has_points(s)) s->ntriangle = 0;
    }
    return failed ? FLX_ERR_MEMORY : FLX_OK;
}
