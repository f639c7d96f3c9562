// meshes.c - meshes of flexible bodies, to a result file and back.
#include "results/meshes.h"
#include "base/number.h"

// ---- writing ------------------------------------------------------------------------------------

static bool put_mesh(hid_t group, const void *of, int i)
{
    const flx_result_mesh *m = (const flx_result_mesh *)of + i;
    const hsize_t nodes[2] = {(hsize_t)m->nnode, 3}, triangles[2] = {(hsize_t)m->ntriangle, 3};
    const hsize_t cells = (hsize_t)m->ncell, offsets = cells + 1;
    const hsize_t all = (hsize_t)m->offsets[m->ncell], labels = nodes[0];
    const hsize_t modes[3] = {(hsize_t)m->nmode, nodes[0], 3};
    const hsize_t stress[3] = {(hsize_t)m->nmode, nodes[0], 6};
    return flx_hdf5_put(group, "nodes", H5T_NATIVE_FLOAT, 2, nodes, m->nodes) &&
           flx_hdf5_put(group, "labels", H5T_NATIVE_INT, 1, &labels, m->labels) &&
           flx_hdf5_put(group, "surface", H5T_NATIVE_INT, 0, NULL, &m->nsurface) &&
           flx_hdf5_put(group, "triangles", H5T_NATIVE_INT, 2, triangles, m->triangles) &&
           flx_hdf5_put(group, "cells", H5T_NATIVE_INT, 1, &cells, m->cells) &&
           flx_hdf5_put(group, "offsets", H5T_NATIVE_INT, 1, &offsets, m->offsets) &&
           flx_hdf5_put(group, "connectivity", H5T_NATIVE_INT, 1, &all, m->connectivity) &&
           flx_hdf5_put(group, "modes", H5T_NATIVE_FLOAT, 3, modes, m->modes) &&
           (!m->stress || flx_hdf5_put(group, "stress", H5T_NATIVE_FLOAT, 3, stress, m->stress));
}

bool flx_meshes_put(hid_t file, int n, const flx_result_mesh *meshes)
{
    return flx_hdf5_put_groups(file, "meshes", n, put_mesh, meshes);
}

// ---- reading ------------------------------------------------------------------------------------

// An array of a mesh; NULL: it is missing or damaged.
static void *take(flx_hdf5_source *s, int mesh, const char *name, hid_t type, int rank,
                  hsize_t dims[3])
{
    char path[48];
    flx_snprintf(path, sizeof path, "meshes/%d/%s", mesh, name);
    return flx_hdf5_take(s, path, type, rank, dims);
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
static bool read_mesh(flx_hdf5_source *s, int mesh, flx_result_mesh *m)
{
    hsize_t nodes[3] = {0}, labels[3] = {0}, triangles[3] = {0}, cells[3] = {0}, offsets[3] = {0};
    hsize_t all[3] = {0}, modes[3] = {0}, stress[3] = {0}, none[3];
    *m = (flx_result_mesh){.nodes = take(s, mesh, "nodes", H5T_NATIVE_FLOAT, 2, nodes)};
    m->labels = take(s, mesh, "labels", H5T_NATIVE_INT, 1, labels);
    m->triangles = take(s, mesh, "triangles", H5T_NATIVE_INT, 2, triangles);
    m->cells = take(s, mesh, "cells", H5T_NATIVE_INT, 1, cells);
    m->offsets = take(s, mesh, "offsets", H5T_NATIVE_INT, 1, offsets);
    m->connectivity = take(s, mesh, "connectivity", H5T_NATIVE_INT, 1, all);
    m->modes = take(s, mesh, "modes", H5T_NATIVE_FLOAT, 3, modes);
    m->stress = take(s, mesh, "stress", H5T_NATIVE_FLOAT, 3, stress);
    const int *surface = take(s, mesh, "surface", H5T_NATIVE_INT, 0, none);
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

flx_status flx_meshes_read(flx_hdf5_source *s)
{
    int n = flx_hdf5_count(s->file, "meshes"), i = 0;
    flx_result_mesh *meshes = flx_arena_take(s->r->arena, (size_t)n, sizeof *meshes);
    if (!meshes) return FLX_ERR_MEMORY;
    while (i < n && read_mesh(s, i, meshes + i)) i++;
    if (s->failed) return FLX_ERR_MEMORY;
    s->r->meshes = meshes;
    s->r->nmesh = i; // those before the first damaged one: their numbers stay what they are
    return FLX_OK;
}
