// vtk_series.c - a result as a series of files for ParaView: NAME.pvd, and in the folder NAME for every
// frame bodies_0000.vtp with all shapes, lines and springs where they are, and mesh_0_0000.vtu with each
// deformed mesh.
#include "base/number.h"
#include "base/vtk.h"
#include "draw/deform.h"
#include "draw/drawings.h"
#include "draw/shape_triangles.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_FRAMES 200
#define PATH_LENGTH 4096
#define NAME_LENGTH 64

// What lies still in its body's frame: made once.
typedef struct part {
    flx_triangles solid;
    int line; // nodes of a flexible body that are drawn as a line; 0: none
} part;

typedef struct series {
    flx_result *r;
    const flx_scene *scene;
    char folder[PATH_LENGTH];
    const char *name; // of the folder, in it
    FILE *pvd;
    part *parts;                               // (nbody)
    flx_scene_place *places;                   // (nbody)
    int longest;                               // samples of a beam
    flx_scene_place *samples;                  // (longest)
    int npoint, ntriangle, nline, nline_point; // of a frame: with corners of lines
    float *points, *moved;                     // (npoint, 3)
    int64_t *links, *ends; // connectivity and offsets, of lines, then of triangles
    int *body;             // (nline + ntriangle) of each cell
    double *bent;          // (3 times the nodes of the largest body)
    float *field;          // (10 times the nodes of the largest mesh)
} series;

// ---- what there is in every frame ---------------------------------------------------------------

static bool is_line(const flx_scene_link *f)
{
    static const char *const words[] = {"spring", "actuator", "cable", "muscle"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(f->type, words[i]) == 0) return true;
    }
    return false;
}

static flx_status make_parts(series *s)
{
    s->parts = flx_alloc(s->r->ctx, (size_t)s->scene->nbody, sizeof *s->parts);
    s->places = flx_alloc(s->r->ctx, (size_t)s->scene->nbody, sizeof *s->places);
    if (!s->parts || !s->places) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->scene->nbody; i++) {
        const flx_scene_body *b = s->scene->bodies + i;
        part *p = s->parts + i;
        p->solid.ctx = s->r->ctx;
        for (int k = 0; k < b->nshape; k++) {
            FLX_TRY(flx_triangles_add_shape(&p->solid, s->r, b->shapes + k, s->scene->size));
        }
        p->line = b->elastic ? b->elastic->nnode : 0;
        s->npoint += p->solid.npoint + p->line;
        s->ntriangle += p->solid.ntriangle;
        s->nline += p->line > 0;
        s->nline_point += p->line;
    }
    for (int i = 0; i < s->scene->nline; i++) {
        int n = flx_scene_samples(s->scene->lines + i);
        s->npoint += n;
        s->nline += n > 0;
        s->nline_point += n;
        s->longest = n > s->longest ? n : s->longest;
    }
    for (int i = 0; i < s->scene->nsolid; i++) {
        s->npoint += s->scene->solids[i].nnode;
        s->ntriangle += s->scene->solids[i].ntriangle;
    }
    for (int i = 0; i < s->scene->nforce; i++) {
        if (!is_line(s->scene->forces + i)) continue;
        s->npoint += 2;
        s->nline++;
        s->nline_point += 2;
    }
    return FLX_OK;
}

static flx_status make_arrays(series *s)
{
    flx_ctx *ctx = s->r->ctx;
    int nodes = 0, mesh_nodes = 0;
    for (int i = 0; i < s->scene->nbody; i++)
        nodes = s->parts[i].line > nodes ? s->parts[i].line : nodes;
    for (int i = 0; i < s->r->nmesh; i++) {
        if (s->r->meshes[i].nnode > mesh_nodes) mesh_nodes = s->r->meshes[i].nnode;
    }
    size_t cells = (size_t)s->nline + (size_t)s->ntriangle;
    s->points = flx_alloc(ctx, 3 * (size_t)s->npoint, sizeof *s->points);
    s->moved = flx_alloc(ctx, 3 * (size_t)s->npoint, sizeof *s->moved);
    s->links = flx_alloc(ctx, (size_t)s->nline_point + 3 * (size_t)s->ntriangle, sizeof *s->links);
    s->ends = flx_alloc(ctx, cells, sizeof *s->ends);
    s->body = flx_alloc(ctx, cells, sizeof *s->body);
    s->samples = flx_alloc(ctx, (size_t)s->longest, sizeof *s->samples);
    s->bent = flx_alloc(ctx, 3 * (size_t)nodes, sizeof *s->bent);
    s->field = flx_alloc(ctx, 10 * (size_t)mesh_nodes, sizeof *s->field);
    bool good = s->samples && s->points && s->moved && s->links && s->ends && s->body && s->bent &&
                s->field;
    return good ? FLX_OK : FLX_ERR_MEMORY;
}

// The triangles of one surface, whose first point is given.
static void link_triangles(series *s, int n, const int *triangles, int64_t point, int body,
                           int *done)
{
    for (int k = 0; k < n; k++) {
        int64_t at = *done, *link = s->links + s->nline_point + 3 * at;
        for (int c = 0; c < 3; c++) link[c] = point + triangles[3 * (size_t)k + c];
        s->ends[s->nline + at] = 3 * (at + 1);
        s->body[s->nline + at] = body;
        (*done)++;
    }
}

// Points come in this order: of every body its solid and its line; of beams; of solids; then the ends of springs.
static void link_cells(series *s)
{
    int64_t point = 0, *line = s->links, line_end = 0;
    int nline = 0, ntriangle = 0;
    for (int i = 0; i < s->scene->nbody; i++) {
        const part *p = s->parts + i;
        link_triangles(s, p->solid.ntriangle, p->solid.triangles, point, i, &ntriangle);
        point += p->solid.npoint;
        for (int k = 0; k < p->line; k++) *line++ = point++;
        if (p->line == 0) continue;
        s->body[nline] = i;
        s->ends[nline++] = line_end += p->line;
    }
    for (int i = 0; i < s->scene->nline; i++) { // by its first node
        const flx_scene_line *l = s->scene->lines + i;
        int n = flx_scene_samples(l);
        for (int k = 0; k < n; k++) *line++ = point++;
        if (n == 0) continue;
        s->body[nline] = l->nodes[0];
        s->ends[nline++] = line_end += n;
    }
    for (int i = 0; i < s->scene->nsolid; i++) { // by its first node
        const flx_scene_solid *x = s->scene->solids + i;
        link_triangles(s, x->ntriangle, x->triangles, point, x->nnode > 0 ? x->body[0] : -1,
                       &ntriangle);
        point += x->nnode;
    }
    for (; nline < s->nline; nline++) {
        *line++ = point++;
        *line++ = point++;
        s->body[nline] = -1;
        s->ends[nline] = line_end += 2;
    }
}

// ---- one frame ----------------------------------------------------------------------------------

static void put_point(float *out, v3 x)
{
    out[0] = (float)x.x;
    out[1] = (float)x.y;
    out[2] = (float)x.z;
}

static void place_points(series *s, const float *row)
{
    float *x = s->points, *moved = s->moved;
    memset(moved, 0, 3 * (size_t)s->npoint * sizeof *moved);
    for (int i = 0; i < s->scene->nbody; i++) {
        const flx_scene_body *b = s->scene->bodies + i;
        const part *p = s->parts + i;
        flx_scene_place *at = s->places + i;
        *at = flx_scene_find(b, row);
        for (int k = 0; k < p->solid.npoint; k++, x += 3, moved += 3) {
            put_point(x, flx_scene_move(at, v3_load(p->solid.points + 3 * (size_t)k)));
        }
        if (p->line > 0) flx_deform_nodes(b->elastic, row, s->bent);
        for (int k = 0; k < p->line; k++, x += 3, moved += 3) {
            v3 by = v3_load(s->bent + 3 * (size_t)k);
            put_point(x,
                      flx_scene_move(at, v3_add(v3_load(b->elastic->nodes + 3 * (size_t)k), by)));
            put_point(moved, m33_mul_v(at->R, by));
        }
    }
    for (int i = 0; i < s->scene->nline; i++) {
        const flx_scene_line *l = s->scene->lines + i;
        flx_scene_sample(l, s->places, s->samples);
        for (int k = 0; k < flx_scene_samples(l); k++, x += 3) put_point(x, s->samples[k].p);
    }
    for (int i = 0; i < s->scene->nsolid; i++) {
        const flx_scene_solid *solid = s->scene->solids + i;
        for (int k = 0; k < solid->nnode; k++, x += 3) {
            put_point(x, flx_scene_node(solid, k, s->places));
        }
    }
    for (int i = 0; i < s->scene->nforce; i++) {
        const flx_scene_link *f = s->scene->forces + i;
        for (int k = 0; k < 2 && is_line(f); k++, x += 3) {
            put_point(x, flx_scene_end(f, k, s->places));
        }
    }
}

static flx_status write_bodies(series *s, const char *path)
{
    flx_vtk w;
    const uint64_t points = 3 * (uint64_t)s->npoint * sizeof(float);
    const uint64_t lines = (uint64_t)s->nline, triangles = (uint64_t)s->ntriangle;
    const uint64_t line_links = (uint64_t)s->nline_point * 8, size = sizeof(int64_t);
    FLX_TRY(flx_vtk_open(s->r->ctx, path, "PolyData", &w));
    flx_fprintf(w.file,
                "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" "
                "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n<Points>\n",
                s->npoint, s->nline, s->ntriangle);
    flx_vtk_declare(&w, "Float32", "Points", 3, points);
    fputs("</Points>\n<Lines>\n", w.file);
    flx_vtk_declare(&w, "Int64", "connectivity", 1, line_links);
    flx_vtk_declare(&w, "Int64", "offsets", 1, lines * size);
    fputs("</Lines>\n<Polys>\n", w.file);
    flx_vtk_declare(&w, "Int64", "connectivity", 1, 3 * triangles * size);
    flx_vtk_declare(&w, "Int64", "offsets", 1, triangles * size);
    fputs("</Polys>\n<PointData>\n", w.file);
    flx_vtk_declare(&w, "Float32", "displacement", 3, points);
    fputs("</PointData>\n<CellData>\n", w.file);
    flx_vtk_declare(&w, "Int32", "body", 1, (lines + triangles) * sizeof(int));
    fputs("</CellData>\n", w.file);
    flx_vtk_begin_data(&w, "PolyData");
    flx_vtk_array(&w, points, s->points);
    flx_vtk_array(&w, line_links, s->links);
    flx_vtk_array(&w, lines * size, s->ends);
    flx_vtk_array(&w, 3 * triangles * size, s->links + s->nline_point);
    flx_vtk_array(&w, triangles * size, s->ends + s->nline);
    flx_vtk_array(&w, points, s->moved);
    flx_vtk_array(&w, (lines + triangles) * sizeof(int), s->body);
    return flx_vtk_close(&w);
}

// The mesh of one body: nodes where they are, displacements and stresses in its body's axes.
static flx_status write_mesh(series *s, int body, const float *row, const char *path)
{
    const flx_scene_elastic *e = s->scene->bodies[body].elastic;
    const flx_result_mesh *m = s->r->meshes + e->mesh;
    const uint64_t n = (uint64_t)m->nnode, cells = (uint64_t)m->ncell;
    const uint64_t links = (uint64_t)m->offsets[m->ncell];
    float *moved = s->field, *stress = s->field + 3 * n, *von_mises = s->field + 9 * n, x[3];
    flx_vtk w;
    flx_deform_mesh(m, row + e->motion, m->nnode, moved);
    if (m->stress) flx_deform_stress(m, row + e->motion, m->nnode, stress, von_mises);
    FLX_TRY(flx_vtk_open(s->r->ctx, path, "UnstructuredGrid", &w));
    flx_fprintf(w.file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n", m->nnode,
                m->ncell);
    flx_vtk_declare(&w, "Float32", "Points", 3, 3 * n * sizeof *x);
    fputs("</Points>\n<Cells>\n", w.file);
    flx_vtk_declare(&w, "Int32", "connectivity", 1, links * sizeof(int));
    flx_vtk_declare(&w, "Int32", "offsets", 1, cells * sizeof(int));
    flx_vtk_declare(&w, "UInt8", "types", 1, cells);
    fputs("</Cells>\n<PointData>\n", w.file);
    flx_vtk_declare(&w, "Int32", "node", 1, n * sizeof(int));
    flx_vtk_declare(&w, "Float32", "displacement", 3, 3 * n * sizeof *x);
    if (m->stress) {
        flx_vtk_declare(&w, "Float32", "stress", 6, 6 * n * sizeof *x);
        flx_vtk_declare(&w, "Float32", "von_mises", 1, n * sizeof *x);
    }
    fputs("</PointData>\n", w.file);
    flx_vtk_begin_data(&w, "UnstructuredGrid");
    flx_vtk_begin_array(&w, 3 * n * sizeof *x);
    for (uint64_t i = 0; i < 3 * n; i += 3) {
        const float *at = m->nodes + i, *by = moved + i;
        put_point(x, flx_scene_move(&s->places[body], v3_make((double)at[0] + (double)by[0],
                                                              (double)at[1] + (double)by[1],
                                                              (double)at[2] + (double)by[2])));
        fwrite(x, sizeof *x, 3, w.file);
    }
    flx_vtk_array(&w, links * sizeof(int), m->connectivity);
    flx_vtk_array(&w, cells * sizeof(int), m->offsets + 1);
    flx_vtk_begin_array(&w, cells);
    for (int i = 0; i < m->ncell; i++) fputc(m->cells[i], w.file);
    flx_vtk_array(&w, n * sizeof(int), m->labels);
    flx_vtk_array(&w, 3 * n * sizeof *x, moved);
    if (m->stress) {
        flx_vtk_array(&w, 6 * n * sizeof *x, stress);
        flx_vtk_array(&w, n * sizeof *x, von_mises);
    }
    return flx_vtk_close(&w);
}

// Points with radius, speed and label.
static flx_status write_particles(series *s, int frame, const char *path)
{
    flx_vtk w;
    double t;
    flx_particle_frame f;
    FLX_TRY(flx_result_particles(s->r, frame, &t, &f));
    const uint64_t n = (uint64_t)f.count, size = sizeof(float);
    FLX_TRY(flx_vtk_open(s->r->ctx, path, "PolyData", &w));
    flx_fprintf(w.file,
                "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
                f.count);
    flx_vtk_declare(&w, "Float32", "Points", 3, 3 * n * size);
    fputs("</Points>\n<PointData>\n", w.file);
    flx_vtk_declare(&w, "Float32", "radius", 1, n * size);
    flx_vtk_declare(&w, "Float32", "speed", 1, n * size);
    flx_vtk_declare(&w, "Int32", "label", 1, n * sizeof(int));
    fputs("</PointData>\n", w.file);
    flx_vtk_begin_data(&w, "PolyData");
    flx_vtk_array(&w, 3 * n * size, f.positions);
    flx_vtk_array(&w, n * size, f.radii);
    flx_vtk_array(&w, n * size, f.speeds);
    flx_vtk_array(&w, n * sizeof(int), f.labels);
    return flx_vtk_close(&w);
}

// The file of a part of a frame: its path, and its name as the series has it.
static flx_status name_file(const series *s, const char *name, char path[PATH_LENGTH],
                            char entry[PATH_LENGTH])
{
    int n = flx_snprintf(path, PATH_LENGTH, "%s/%s", s->folder, name);
    if (n > 0 && n < PATH_LENGTH && flx_snprintf(entry, PATH_LENGTH, "%s/%s", s->name, name) > 0) {
        return FLX_OK;
    }
    return FLX_FAIL(s->r->ctx, FLX_ERR_IO, FLX_NOWHERE, "the path '%s' is too long", s->folder);
}

static flx_status write_frame(series *s, int frame, int row)
{
    const float *motion = s->r->motion + (size_t)row * (size_t)s->r->nmotion;
    const double t = s->r->data[0][row];
    char name[NAME_LENGTH], path[PATH_LENGTH], entry[PATH_LENGTH];
    int number = 0;
    place_points(s, motion);
    flx_snprintf(name, sizeof name, "bodies_%04d.vtp", frame);
    FLX_TRY(name_file(s, name, path, entry));
    FLX_TRY(write_bodies(s, path));
    flx_vtk_put_series(s->pvd, t, number++, entry);
    int particles = flx_frame_of_particles(s->r, t);
    if (particles >= 0) {
        flx_snprintf(name, sizeof name, "particles_%04d.vtp", frame);
        FLX_TRY(name_file(s, name, path, entry));
        FLX_TRY(write_particles(s, particles, path));
        flx_vtk_put_series(s->pvd, t, 1000, entry);
    }
    for (int i = 0; i < s->scene->nbody; i++) {
        const flx_scene_elastic *e = s->scene->bodies[i].elastic;
        if (!e || e->mesh < 0) continue;
        flx_snprintf(name, sizeof name, "mesh_%d_%04d.vtu", number - 1, frame);
        FLX_TRY(name_file(s, name, path, entry));
        FLX_TRY(write_mesh(s, i, motion, path));
        flx_vtk_put_series(s->pvd, t, number++, entry);
    }
    return FLX_OK;
}

// ---- the series ---------------------------------------------------------------------------------

static flx_status make_folder(series *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".pvd") != 0 || strlen(path) >= PATH_LENGTH) {
        return FLX_FAIL(s->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the series '%s' must have a name that ends in .pvd", path);
    }
    flx_snprintf(s->folder, sizeof s->folder, "%.*s", (int)(dot - path), path);
    s->name = s->folder + (slash ? slash + 1 - path : 0);
    if (mkdir(s->folder, 0777) == 0 || errno == EEXIST) return FLX_OK;
    return FLX_FAIL(s->r->ctx, FLX_ERR_IO, FLX_NOWHERE, "the folder '%s' cannot be made: %s",
                    s->folder, flx_error_text(errno));
}

static flx_status write_frames(series *s, int frames)
{
    flx_status status = FLX_OK;
    flx_vtk_begin_series(s->pvd);
    for (int i = 0; i < frames && status == FLX_OK; i++) {
        status = write_frame(s, i, flx_frame_row(s->r->rows, frames, i));
    }
    flx_vtk_end_series(s->pvd);
    return status;
}

// Particles without a body: each frame of the series is one of theirs.
static flx_status write_particles_alone(series *s, int frames)
{
    flx_status status = FLX_OK;
    flx_vtk_begin_series(s->pvd);
    for (int i = 0; i < frames && status == FLX_OK; i++) {
        char name[NAME_LENGTH], path[PATH_LENGTH], entry[PATH_LENGTH];
        int at = flx_frame_row(s->r->nframe, frames, i);
        flx_snprintf(name, sizeof name, "particles_%04d.vtp", i);
        status = name_file(s, name, path, entry);
        if (status == FLX_OK) status = write_particles(s, at, path);
        if (status == FLX_OK) flx_vtk_put_series(s->pvd, s->r->frame_times[at], 0, entry);
    }
    flx_vtk_end_series(s->pvd);
    return status;
}

static void clear(series *s)
{
    for (int i = 0; s->parts && i < s->scene->nbody; i++) flx_triangles_clear(&s->parts[i].solid);
    flx_free(s->parts);
    flx_free(s->places);
    flx_free(s->points);
    flx_free(s->moved);
    flx_free(s->links);
    flx_free(s->ends);
    flx_free(s->body);
    flx_free(s->samples);
    flx_free(s->bent);
    flx_free(s->field);
}

flx_status flx_vtk_series_write(flx_result *r, const char *path, int frames, int *written)
{
    series s = {.r = r};
    flx_output *o;
    const bool alone = !r->motion && !r->old_scene && r->nframe > 0;
    *written = flx_frame_count(alone ? r->nframe : r->rows, frames > 0 ? frames : DEFAULT_FRAMES);
    if (!alone) FLX_TRY(flx_scene_of_result(r, &s.scene));
    FLX_TRY(make_folder(&s, path));
    FLX_TRY(flx_output_create(r->ctx, "the series", path, &o));
    s.pvd = flx_output_file(o);
    flx_status status = alone ? write_particles_alone(&s, *written) : make_parts(&s);
    if (status == FLX_OK && !alone) status = make_arrays(&s);
    if (status == FLX_OK && !alone) {
        link_cells(&s);
        status = write_frames(&s, *written);
    }
    clear(&s);
    return flx_output_close(&o, status);
}
