// vtk.c - files of VTK.
#include "base/vtk.h"
#include "base/letters.h"
#include "base/number.h"

#include <string.h>

flx_status flx_vtk_open(flx_ctx *ctx, const char *path, const char *kind, flx_vtk *w)
{
    *w = (flx_vtk){.ctx = ctx};
    FLX_TRY(flx_output_create(ctx, "the picture", path, &w->output));
    w->file = flx_output_file(w->output);
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    flx_fprintf(w->file,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                "byte_order=\"%sEndian\" header_type=\"UInt64\">\n<%s>\n",
                kind, little ? "Little" : "Big", kind);
    return FLX_OK;
}

void flx_vtk_declare(flx_vtk *w, const char *type, const char *name, int components, uint64_t bytes)
{
    flx_fprintf(w->file,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                "offset=\"%llu\"/>\n",
                type, name, components, (unsigned long long)w->offset);
    w->offset += bytes + sizeof(uint64_t);
}

void flx_vtk_begin_data(flx_vtk *w, const char *kind)
{
    flx_fprintf(w->file, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", kind);
}

void flx_vtk_begin_array(flx_vtk *w, uint64_t bytes)
{
    fwrite(&bytes, sizeof bytes, 1, w->file);
}

void flx_vtk_array(flx_vtk *w, uint64_t bytes, const void *values)
{
    flx_vtk_begin_array(w, bytes);
    if (bytes > 0) fwrite(values, 1, (size_t)bytes, w->file);
}

flx_status flx_vtk_close(flx_vtk *w)
{
    flx_fprintf(w->file, "\n</AppendedData>\n</VTKFile>\n");
    return flx_output_close(&w->output, FLX_OK);
}

void flx_vtk_begin_series(FILE *f)
{
    flx_fprintf(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                   "<Collection>\n");
}

// A text as the value of an attribute.
static void put_attribute(FILE *f, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("&<>\"\t\n\r", *c)) {
            flx_fprintf(f, "&#%d;", *c);
        } else {
            fputc(flx_is_control(*c) ? '?' : *c, f); // XML has no others
        }
    }
}

void flx_vtk_put_series(FILE *f, double t, int part, const char *file)
{
    flx_fprintf(f, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", t, part);
    put_attribute(f, file);
    fputs("\"/>\n", f);
}

void flx_vtk_end_series(FILE *f)
{
    flx_fprintf(f, "</Collection>\n</VTKFile>\n");
}
