// vtu.c - an unstructured grid of VTK: XML with the numbers appended as they are in memory.
#include "fe/vtu.h"
#include "base/number.h"
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

static void write_field(flx_vtk *w, const flx_fe *fe, uint64_t count, const flx_vtu_field *f)
{
    size_t each = (size_t)f->components;
    int n = f->cells ? fe->s->nelement : fe->nnode;
    flx_vtk_begin_array(w, count * each * sizeof(double));
    for (int i = 0; i < n; i++) {
        if (f->cells && !is_drawn(fe->s->elements + i)) continue;
        fwrite(f->values + (size_t)i * f->stride + f->offset, sizeof(double), each, w->file);
    }
}

// Fields of nodes, or of cells, by their names; first the numbers in the file.
static void declare_fields(flx_vtk *w, bool cells, uint64_t count, int nfield,
                           const flx_vtu_field *fields)
{
    flx_fprintf(w->file, cells ? "<CellData>\n" : "<PointData>\n");
    flx_vtk_declare(w, "Int32", cells ? "element" : "node", 1, count * sizeof(int));
    for (int k = 0; k < nfield; k++) {
        if (fields[k].cells != cells) continue;
        flx_vtk_declare(w, "Float64", fields[k].name, fields[k].components,
                        count * (uint64_t)fields[k].components * sizeof(double));
    }
    flx_fprintf(w->file, cells ? "</CellData>\n" : "</PointData>\n");
}

static void write_fields(flx_vtk *w, const flx_fe *fe, bool cells, uint64_t count, int nfield,
                         const flx_vtu_field *fields)
{
    const flx_structure *s = fe->s;
    flx_vtk_begin_array(w, count * sizeof(int));
    if (!cells) fwrite(s->label, sizeof(int), (size_t)count, w->file);
    for (int i = 0; cells && i < s->nelement; i++) {
        if (is_drawn(s->elements + i)) fwrite(&s->elements[i].label, sizeof(int), 1, w->file);
    }
    for (int k = 0; k < nfield; k++) {
        if (fields[k].cells == cells) write_field(w, fe, count, fields + k);
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
    flx_fprintf(w->file, "<Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n<Points>\n",
                (unsigned long long)n, (unsigned long long)ncell);
    flx_vtk_declare(w, "Float64", "Points", 3, 3 * n * sizeof(double));
    flx_fprintf(w->file, "</Points>\n<Cells>\n");
    flx_vtk_declare(w, "Int32", "connectivity", 1, nlink * sizeof(int));
    flx_vtk_declare(w, "Int64", "offsets", 1, ncell * sizeof(int64_t));
    flx_vtk_declare(w, "UInt8", "types", 1, ncell);
    flx_fprintf(w->file, "</Cells>\n");
    declare_fields(w, false, n, nfield, fields);
    declare_fields(w, true, ncell, nfield, fields);
    flx_vtk_begin_data(w, "UnstructuredGrid");
    write_field(w, fe, n, &(flx_vtu_field){"", 3, 3, 0, s->x, false});
    write_cells(w, s, ncell, nlink);
    write_fields(w, fe, false, n, nfield, fields);
    write_fields(w, fe, true, ncell, nfield, fields);
}

flx_status flx_vtu_write(const flx_fe *fe, const char *path, int nfield,
                         const flx_vtu_field *fields)
{
    flx_vtk w;
    FLX_TRY(flx_vtk_open(fe->ctx, path, "UnstructuredGrid", &w));
    write_all(&w, fe, nfield, fields);
    return flx_vtk_close(&w);
}
