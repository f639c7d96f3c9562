// mesh.c - which reader a mesh file needs.
#include "read/mesh.h"

#include <string.h>
#include <strings.h>

int flx_mesh_node(flx_scan *scan, const flx_structure *s, int label, const char *whose, int number)
{
    int node = flx_structure_node_of(s, label);
    if (node < 0) {
        (void)FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                       "%s %d has node %d, which is not in the file", whose, number, label);
    }
    return node;
}

typedef flx_status (*mesh_reader)(flx_scan *scan, flx_structure *s);

static mesh_reader find_reader(const char *path)
{
    static const struct {
        const char *ending;
        mesh_reader read;
    } readers[] = {{".msh", flx_gmsh_read},    {".inp", flx_abaqus_read},
                   {".nas", flx_nastran_read}, {".bdf", flx_nastran_read},
                   {".dat", flx_nastran_read}, {".fem", flx_nastran_read}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof readers / sizeof readers[0]; i++) {
        if (strcasecmp(dot, readers[i].ending) == 0) return readers[i].read;
    }
    return NULL;
}

flx_status flx_mesh_read(flx_ctx *ctx, const char *path, flx_loc loc, flx_structure **out)
{
    flx_scan scan;
    *out = NULL;
    mesh_reader read = find_reader(path);
    if (!read) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "'%s' is no mesh by its ending: .msh (Gmsh), .inp (Abaqus, CalculiX), .nas "
                        ".bdf .dat .fem (Nastran) are known",
                        path);
    }
    flx_arena *arena = flx_arena_create(ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_structure *s = NULL;
    flx_status status = flx_scan_open(ctx, arena, path, loc, &scan);
    if (status == FLX_OK) {
        s = flx_structure_create(ctx, scan.file);
        status = s ? read(&scan, s) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK && s->nnode == 0) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, flx_structure_loc(s, 1), "the file has no nodes");
    }
    if (status == FLX_OK) status = flx_structure_index(s);
    if (status == FLX_OK) flx_structure_tidy_sets(s);
    flx_arena_destroy(&arena);
    if (status != FLX_OK) flx_structure_destroy(&s);
    *out = s;
    return status;
}
