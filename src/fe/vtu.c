// vtu.c - an unstructured grid of VTK: XML with the numbers appended as they are in memory.
#include "fe/vtu.h"
#include "base/vtk.h"

#include <stdio.h>
#include <string.h>

static bool is_drawn(const flx_element *e)
{
    return e->family != FLX_FAMILY_NONE;
}

static void write_cells(flx_vtk *w, const flx_structure *s, uint64_t ncell, uint64_t nlink)
{
    int64_t end = 0;
    flx_vtk_begin_array(w, nlink * sizeof(int));
    for (int i = 0; i < s->nelement; i++) {
        const flx_element *e = s->elements + i;
        if (!is_drawn(e)) continue;
        fwrite(flx_element_nodes(s, i), sizeof(int), (size_t)flx_cells[e->cell].nodes, w->file);
    }
    flx_vtk_begin_array(w, ncell * sizeof end);
    for (int i = 0; i < s->nelement; i++) {
        if (!is_drawn(s->elements + i)) continue;
        end += flx_cells[s->elements[i].cell].nodes;
        fwrite(&end, sizeof end, 1, w->file);
    }
    flx_vtk_begin_array(w, ncell);
    for (int i = 0; i < s->nelement; i++) {
        unsigned char type = (unsigned char)flx_cells[s->elements[i].cell].vtk;
        if (is_drawn(s->elements + i)) fwrite(&type, 1, 1, w->file);
    }
}

static void write_field(flx_vtk *w, int nnode, const flx_vtu_field *f)
{
    flx_vtk_begin_array(w, (uint64_t)nnode * (uint64_t)f->components * sizeof(double));
    for (int i = 0; i < nnode; i++) {
        fwrite(f->values + (size_t)i * f->stride + f->offset, sizeof(double), (size_t)f->components,
               w->file);
    }
}

static void write_all(flx_vtk *w, const flx_fe *fe, int nfield, const flx_vtu_field *fields)
{
    const flx_structure *s = fe->s;
    uint64_t n = (uint64_t)fe->nnode, ncell = 0, nlink = 0;
    for (int i = 0; i < s->nelement; i++) {
        if (!is_drawn(s->elements + i)) continue;
        ncell++;
        nlink += (uint64_t)flx_cells[s->elements[i].cell].nodes;
    }
    fprintf(w->file, "<Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n<Points>\n",
            (unsigned long long)n, (unsigned long long)ncell);
    flx_vtk_declare(w, "Float64", "Points", 3, 3 * n * sizeof(double));
    fprintf(w->file, "</Points>\n<Cells>\n");
    flx_vtk_declare(w, "Int32", "connectivity", 1, nlink * sizeof(int));
    flx_vtk_declare(w, "Int64", "offsets", 1, ncell * sizeof(int64_t));
    flx_vtk_declare(w, "UInt8", "types", 1, ncell);
    fprintf(w->file, "</Cells>\n<PointData>\n");
    for (int k = 0; k < nfield; k++) {
        flx_vtk_declare(w, "Float64", fields[k].name, fields[k].components,
                        n * (uint64_t)fields[k].components * sizeof(double));
    }
    fprintf(w->file, "</PointData>\n");
    flx_vtk_begin_data(w, "UnstructuredGrid");
    write_field(w, fe->nnode, &(flx_vtu_field){"", 3, 3, 0, s->x});
    write_cells(w, s, ncell, nlink);
    for (int k = 0; k < nfield; k++) write_field(w, fe->nnode, fields + k);
}

flx_status flx_vtu_write(const flx_fe *fe, const char *path, int nfield,
                         const flx_vtu_field *fields)
{
    flx_vtk w;
    FLX_TRY(flx_vtk_open(fe->ctx, path, "UnstructuredGrid", &w));
    write_all(&w, fe, nfield, fields);
    return flx_vtk_close(&w);
}
