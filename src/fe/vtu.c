// vtu.c - an unstructured grid of VTK: XML with the numbers appended as they are in memory.
#include "fe/vtu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    FILE *file;
    uint64_t offset; // of the next array in the appended data
} writer;

static void declare(writer *w, const char *type, const char *name, int components, uint64_t bytes)
{
    fprintf(w->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            type, name, components, (unsigned long long)w->offset);
    w->offset += bytes + sizeof(uint64_t);
}

static void begin_array(const writer *w, uint64_t bytes)
{
    fwrite(&bytes, sizeof bytes, 1, w->file);
}

static bool is_drawn(const flx_element *e)
{
    return e->family != FLX_FAMILY_NONE;
}

static void write_cells(const writer *w, const flx_structure *s, uint64_t ncell, uint64_t nlink)
{
    int64_t end = 0;
    begin_array(w, nlink * sizeof(int));
    for (int i = 0; i < s->nelement; i++) {
        const flx_element *e = s->elements + i;
        if (!is_drawn(e)) continue;
        fwrite(flx_element_nodes(s, i), sizeof(int), (size_t)flx_cells[e->cell].nodes, w->file);
    }
    begin_array(w, ncell * sizeof end);
    for (int i = 0; i < s->nelement; i++) {
        if (!is_drawn(s->elements + i)) continue;
        end += flx_cells[s->elements[i].cell].nodes;
        fwrite(&end, sizeof end, 1, w->file);
    }
    begin_array(w, ncell);
    for (int i = 0; i < s->nelement; i++) {
        unsigned char type = (unsigned char)flx_cells[s->elements[i].cell].vtk;
        if (is_drawn(s->elements + i)) fwrite(&type, 1, 1, w->file);
    }
}

static void write_field(const writer *w, int nnode, const flx_vtu_field *f)
{
    begin_array(w, (uint64_t)nnode * (uint64_t)f->components * sizeof(double));
    for (int i = 0; i < nnode; i++) {
        fwrite(f->values + (size_t)i * f->stride + f->offset, sizeof(double), (size_t)f->components,
               w->file);
    }
}

static void write_all(writer *w, const flx_fe *fe, int nfield, const flx_vtu_field *fields)
{
    const flx_structure *s = fe->s;
    uint64_t n = (uint64_t)fe->nnode, ncell = 0, nlink = 0;
    for (int i = 0; i < s->nelement; i++) {
        if (!is_drawn(s->elements + i)) continue;
        ncell++;
        nlink += (uint64_t)flx_cells[s->elements[i].cell].nodes;
    }
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    fprintf(w->file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"%sEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
            "<Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n<Points>\n",
            little ? "Little" : "Big", (unsigned long long)n, (unsigned long long)ncell);
    declare(w, "Float64", "Points", 3, 3 * n * sizeof(double));
    fprintf(w->file, "</Points>\n<Cells>\n");
    declare(w, "Int32", "connectivity", 1, nlink * sizeof(int));
    declare(w, "Int64", "offsets", 1, ncell * sizeof(int64_t));
    declare(w, "UInt8", "types", 1, ncell);
    fprintf(w->file, "</Cells>\n<PointData>\n");
    for (int k = 0; k < nfield; k++) {
        declare(w, "Float64", fields[k].name, fields[k].components,
                n * (uint64_t)fields[k].components * sizeof(double));
    }
    fprintf(w->file, "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData "
                     "encoding=\"raw\">\n_");
    write_field(w, fe->nnode, &(flx_vtu_field){"", 3, 3, 0, s->x});
    write_cells(w, s, ncell, nlink);
    for (int k = 0; k < nfield; k++) write_field(w, fe->nnode, fields + k);
    fprintf(w->file, "\n</AppendedData>\n</VTKFile>\n");
}

flx_status flx_vtu_write(const flx_fe *fe, const char *path, int nfield,
                         const flx_vtu_field *fields)
{
    writer w = {.file = fopen(path, "wb")};
    if (!w.file) {
        return FLX_FAIL(fe->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' cannot be written: %s", path,
                        strerror(errno));
    }
    write_all(&w, fe, nfield, fields);
    bool bad = ferror(w.file) != 0;
    if (fclose(w.file) != 0 || bad) {
        return FLX_FAIL(fe->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' could not be written whole", path);
    }
    return FLX_OK;
}
