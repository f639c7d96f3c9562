// meshes.c - meshes of elastic bodies, to a result file and back.
#include "results/meshes.h"
#include "base/number.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MOST_MESHES 100000

// ---- writing ------------------------------------------------------------------------------------

static bool put(hid_t group, const char *name, hid_t type, int rank, const hsize_t *dims,
                const void *data)
{
    hid_t space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = d >= 0 && H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (d >= 0) H5Dclose(d);
    H5Sclose(space);
    return good;
}

static bool put_mesh(hid_t group, const flx_result_mesh *m)
{
    const hsize_t nodes[2] = {(hsize_t)m->nnode, 3}, triangles[2] = {(hsize_t)m->ntriangle, 3};
    const hsize_t cells = (hsize_t)m->ncell, offsets = cells + 1;
    const hsize_t all = (hsize_t)m->offsets[m->ncell], labels = nodes[0];
    const hsize_t modes[3] = {(hsize_t)m->nmode, nodes[0], 3};
    const hsize_t stress[3] = {(hsize_t)m->nmode, nodes[0], 6};
    return put(group, "nodes", H5T_NATIVE_FLOAT, 2, nodes, m->nodes) &&
           put(group, "labels", H5T_NATIVE_INT, 1, &labels, m->labels) &&
           put(group, "surface", H5T_NATIVE_INT, 0, NULL, &m->nsurface) &&
           put(group, "triangles", H5T_NATIVE_INT, 2, triangles, m->triangles) &&
           put(group, "cells", H5T_NATIVE_INT, 1, &cells, m->cells) &&
           put(group, "offsets", H5T_NATIVE_INT, 1, &offsets, m->offsets) &&
           put(group, "connectivity", H5T_NATIVE_INT, 1, &all, m->connectivity) &&
           put(group, "modes", H5T_NATIVE_FLOAT, 3, modes, m->modes) &&
           (!m->stress || put(group, "stress", H5T_NATIVE_FLOAT, 3, stress, m->stress));
}

bool flx_meshes_put(hid_t file, int n, const flx_result_mesh *meshes)
{
    if (n == 0) return true;
    hid_t all = H5Gcreate2(file, "meshes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = all >= 0;
    for (int i = 0; i < n && good; i++) {
        char name[16];
        flx_snprintf(name, sizeof name, "%d", i);
        hid_t group = H5Gcreate2(all, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        good = group >= 0 && put_mesh(group, meshes + i);
        if (group >= 0) H5Gclose(group);
    }
    if (all >= 0) H5Gclose(all);
    return good;
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct source {
    flx_result *r;
    hid_t file;
    int mesh;
    bool failed; // no memory
} source;

// A dataset of numbers with that many dimensions, from the arena; NULL: it is missing or damaged.
static void *take(source *s, const char *name, hid_t type, int rank, hsize_t dims[3])
{
    char path[48];
    void *data = NULL;
    flx_snprintf(path, sizeof path, "meshes/%d/%s", s->mesh, name);
    if (H5Lexists(s->file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t d = H5Dopen2(s->file, path, H5P_DEFAULT);
    if (d < 0) return NULL;
    hid_t space = H5Dget_space(d);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    hsize_t stored = H5Dget_storage_size(d);
    bool fits = H5Sget_simple_extent_ndims(space) == rank && count > 0 && count < INT_MAX &&
                stored >= (hsize_t)count; // a damaged size asks for more than there is
    if (fits && rank > 0) H5Sget_simple_extent_dims(space, dims, NULL);
    if (fits) {
        data = flx_arena_take(s->r->arena, (size_t)count, size);
        if (!data) s->failed = true;
    }
    if (data && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) data = NULL;
    H5Sclose(space);
    H5Dclose(d);
    return data;
}

static bool within(const int *x, size_t n, int limit)
{
    for (size_t i = 0; i < n; i++) {
        if (x[i] < 0 || x[i] >= limit) return false;
    }
    return true;
}

static bool ascend(const int *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i + 1] <= x[i]) return false;
    }
    return x[0] == 0;
}

// false: not whole.
static bool read_mesh(source *s, flx_result_mesh *m)
{
    hsize_t nodes[3] = {0}, labels[3] = {0}, triangles[3] = {0}, cells[3] = {0}, offsets[3] = {0};
    hsize_t all[3] = {0}, modes[3] = {0}, stress[3] = {0}, none[3];
    *m = (flx_result_mesh){.nodes = take(s, "nodes", H5T_NATIVE_FLOAT, 2, nodes)};
    m->labels = take(s, "labels", H5T_NATIVE_INT, 1, labels);
    m->triangles = take(s, "triangles", H5T_NATIVE_INT, 2, triangles);
    m->cells = take(s, "cells", H5T_NATIVE_INT, 1, cells);
    m->offsets = take(s, "offsets", H5T_NATIVE_INT, 1, offsets);
    m->connectivity = take(s, "connectivity", H5T_NATIVE_INT, 1, all);
    m->modes = take(s, "modes", H5T_NATIVE_FLOAT, 3, modes);
    m->stress = take(s, "stress", H5T_NATIVE_FLOAT, 3, stress);
    const int *surface = take(s, "surface", H5T_NATIVE_INT, 0, none);
    bool whole = m->nodes && m->labels && m->triangles && m->cells && m->offsets &&
                 m->connectivity && m->modes && surface;
    if (!whole || nodes[1] != 3 || labels[0] != nodes[0] || triangles[1] != 3 ||
        offsets[0] != cells[0] + 1 || modes[1] != nodes[0] || modes[2] != 3) {
        return false;
    }
    if (m->stress && (stress[0] != modes[0] || stress[1] != nodes[0] || stress[2] != 6)) {
        return false;
    }
    m->nnode = (int)nodes[0];
    m->nsurface = *surface;
    m->ntriangle = (int)triangles[0];
    m->ncell = (int)cells[0];
    m->nmode = (int)modes[0];
    return m->nsurface >= 0 && m->nsurface <= m->nnode && ascend(m->offsets, m->ncell) &&
           (hsize_t)m->offsets[m->ncell] == all[0] &&
           within(m->triangles, (size_t)(3 * triangles[0]), m->nsurface) &&
           within(m->connectivity, (size_t)all[0], m->nnode);
}

flx_status flx_meshes_read(flx_result *r, hid_t file)
{
    source s = {.r = r, .file = file};
    if (H5Lexists(file, "meshes", H5P_DEFAULT) <= 0) return FLX_OK;
    while (s.mesh <
           MOST_MESHES) { // by name: listing the links of a damaged file can end the program
        char path[32];
        flx_snprintf(path, sizeof path, "meshes/%d", s.mesh);
        if (H5Lexists(file, path, H5P_DEFAULT) <= 0) break;
        s.mesh++;
    }
    int n = s.mesh;
    flx_result_mesh *meshes = flx_arena_take(r->arena, (size_t)n, sizeof *meshes);
    if (!meshes) return FLX_ERR_MEMORY;
    for (s.mesh = 0; s.mesh < n; s.mesh++) {
        if (!read_mesh(&s, meshes + s.mesh)) break;
    }
    if (s.failed) return FLX_ERR_MEMORY;
    r->meshes = meshes;
    r->nmesh = s.mesh; // those before the first damaged one: their numbers stay what they are
    return FLX_OK;
}
