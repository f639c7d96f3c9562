// scene_file.c - the scene in a result file: one group per table, one array per column.
#include "results/scene_file.h"
#include "base/number.h"
#include "scene/scene_tables.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PATH 96

typedef enum column_kind { INT, REAL, TEXT } column_kind;

typedef struct column {
    const char *name;
    column_kind kind;
    int rank; // of one row: 0 is one value
    int dims[2];
    size_t offset; // in a row
} column;

typedef struct table {
    const char *name;
    size_t size; // of a row
    int ncolumn;
    const column *columns;
} table;

#define COLUMNS(list) (int)(sizeof list / sizeof list[0]), list
#define AT(type, member) offsetof(flx_scene_##type, member)

static const column body_columns[] = {{"name", TEXT, 0, {0}, AT(body, name)},
                                      {"motion", INT, 0, {0}, AT(body, motion)},
                                      {"mass", REAL, 0, {0}, AT(body, mass)},
                                      {"com", REAL, 1, {3}, AT(body, com)},
                                      {"place", INT, 0, {0}, AT(body, place)}};
static const column point_columns[] = {{"body", INT, 0, {0}, AT(point, body)},
                                       {"name", TEXT, 0, {0}, AT(point, name)},
                                       {"at", REAL, 1, {3}, AT(point, at)}};
static const column shape_columns[] = {
    {"body", INT, 0, {0}, AT(shape, body)},    {"kind", TEXT, 0, {0}, AT(shape, kind)},
    {"size", REAL, 1, {3}, AT(shape, size)},   {"at", REAL, 1, {3}, AT(shape, at)},
    {"axis", REAL, 1, {3}, AT(shape, axis)},   {"turn", REAL, 1, {4}, AT(shape, turn)},
    {"scale", REAL, 0, {0}, AT(shape, scale)}, {"surface", INT, 0, {0}, AT(shape, surface)}};
static const column elastic_columns[] = {{"body", INT, 0, {0}, AT(elastic, body)},
                                         {"motion", INT, 0, {0}, AT(elastic, motion)},
                                         {"line", INT, 0, {0}, AT(elastic, line)},
                                         {"mesh", INT, 0, {0}, AT(elastic, mesh)}};
static const column line_columns[] = {{"name", TEXT, 0, {0}, AT(line, name)},
                                      {"round", INT, 0, {0}, AT(line, round)},
                                      {"size", REAL, 1, {2}, AT(line, size)}};
static const column solid_columns[] = {{"name", TEXT, 0, {0}, AT(solid, name)}};
static const column link_columns[] = {
    {"name", TEXT, 0, {0}, AT(link, name)},    {"type", TEXT, 0, {0}, AT(link, type)},
    {"bodies", INT, 1, {2}, AT(link, body)},   {"at", REAL, 2, {2, 3}, AT(link, at)},
    {"axis", REAL, 1, {3}, AT(link, axis)},    {"axis2", REAL, 1, {3}, AT(link, axis2)},
    {"radius", REAL, 0, {0}, AT(link, radius)}};

static const table bodies = {"bodies", sizeof(flx_scene_body), COLUMNS(body_columns)};
static const table points = {"points", sizeof(flx_scene_point), COLUMNS(point_columns)};
static const table shapes = {"shapes", sizeof(flx_scene_shape), COLUMNS(shape_columns)};
static const table elastics = {"elastic", sizeof(flx_scene_elastic), COLUMNS(elastic_columns)};
static const table lines = {"lines", sizeof(flx_scene_line), COLUMNS(line_columns)};
static const table solids = {"solids", sizeof(flx_scene_solid), COLUMNS(solid_columns)};
static const table joints = {"joints", sizeof(flx_scene_link), COLUMNS(link_columns)};
static const table forces = {"forces", sizeof(flx_scene_link), 4, link_columns}; // without axes

// Bytes of a column in one row.
static size_t width_of(const column *c)
{
    size_t n = c->kind == INT ? sizeof(int) : c->kind == REAL ? sizeof(double) : sizeof(char *);
    for (int k = 0; k < c->rank; k++) n *= (size_t)c->dims[k];
    return n;
}

static hid_t type_of(const column *c)
{
    return c->kind == INT ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
}

// ---- writing ------------------------------------------------------------------------------------

static bool put_column(flx_ctx *ctx, hid_t group, const column *c, const table *t, int n,
                       const char *rows)
{
    size_t width = width_of(c);
    char *block = flx_alloc(ctx, (size_t)n, width);
    if (!block) return false;
    for (int i = 0; i < n; i++) {
        memcpy(block + (size_t)i * width, rows + (size_t)i * t->size + c->offset, width);
    }
    const hsize_t dims[3] = {(hsize_t)n, (hsize_t)c->dims[0], (hsize_t)c->dims[1]};
    const char *const *texts = (const char *const *)(const void *)block;
    bool good = c->kind == TEXT
                    ? flx_hdf5_put_texts(ctx, group, c->name, texts[0], n - 1, texts + 1)
                    : flx_hdf5_put(group, c->name, type_of(c), 1 + c->rank, dims, block);
    flx_free(block);
    return good;
}

// Nothing where it has no rows.
static bool put_table(flx_ctx *ctx, hid_t scene, const table *t, int n, const void *rows)
{
    if (n == 0) return true;
    hid_t group = H5Gcreate2(scene, t->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0;
    for (int k = 0; k < t->ncolumn && good; k++) {
        good = put_column(ctx, group, t->columns + k, t, n, rows);
    }
    if (group >= 0) H5Gclose(group);
    return good;
}

// Of shapes that have some; of others nothing.
static bool put_colours(flx_ctx *ctx, hid_t scene, int n, const flx_scene_shape *s)
{
    bool any = false;
    const hsize_t count = (hsize_t)n;
    for (int i = 0; i < n; i++) any = any || s[i].colour > 0;
    if (!any) return true;
    int *list = flx_alloc(ctx, (size_t)n, sizeof *list);
    if (!list) return false;
    for (int i = 0; i < n; i++) list[i] = s[i].colour;
    bool good = flx_hdf5_put(scene, "shapes/colour", H5T_NATIVE_INT, 1, &count, list);
    flx_free(list);
    return good;
}

// An array of row i of a table, with as many dimensions as are not zero; nothing where it is empty.
static bool put_array(hid_t scene, const table *t, int i, const char *name, hid_t type,
                      const int count[3], const void *data)
{
    char path[PATH];
    hsize_t dims[3];
    int rank = 0;
    for (; rank < 3 && count[rank] > 0; rank++) dims[rank] = (hsize_t)count[rank];
    if (rank == 0 || !data) return true;
    flx_snprintf(path, sizeof path, "%s/%d/%s", t->name, i, name);
    return flx_hdf5_put(scene, path, type, rank, dims, data);
}

static bool put_group(hid_t scene, const table *t, int i)
{
    char path[PATH];
    flx_snprintf(path, sizeof path, "%s/%d", t->name, i);
    return flx_hdf5_put_group(scene, path);
}

static bool put_arrays(hid_t scene, const flx_scene *s)
{
    bool good = true;
    for (int i = 0; i < s->nelastic && good; i++) {
        const flx_scene_elastic *e = s->elastics + i;
        bool nodes = e->nnode > 0 && e->nodes, moved = nodes && e->nmode > 0 && e->shapes;
        good = put_group(scene, &elastics, i);
        if (nodes && good) {
            good = put_array(scene, &elastics, i, "nodes", H5T_NATIVE_DOUBLE,
                             (const int[3]){e->nnode, 3}, e->nodes);
        }
        if (moved && good) {
            good = put_array(scene, &elastics, i, "shapes", H5T_NATIVE_DOUBLE,
                             (const int[3]){e->nmode, e->nnode, 3}, e->shapes);
        }
    }
    for (int i = 0; i < s->nline && good; i++) {
        const flx_scene_line *l = s->lines + i;
        good = put_group(scene, &lines, i) && put_array(scene, &lines, i, "nodes", H5T_NATIVE_INT,
                                                        (const int[3]){l->nnode}, l->nodes);
    }
    for (int i = 0; i < s->nsolid && good; i++) {
        const flx_scene_solid *x = s->solids + i;
        const int nodes[3] = {x->nnode}, places[3] = {x->nnode, 3}, faces[3] = {x->ntriangle, 3};
        good = put_group(scene, &solids, i) &&
               put_array(scene, &solids, i, "bodies", H5T_NATIVE_INT, nodes, x->body) &&
               put_array(scene, &solids, i, "at", H5T_NATIVE_DOUBLE, places, x->at) &&
               put_array(scene, &solids, i, "triangles", H5T_NATIVE_INT, faces, x->triangles);
    }
    return good;
}

bool flx_scene_put(flx_ctx *ctx, hid_t file, const flx_scene *s)
{
    const hsize_t three[1] = {3};
    hid_t scene = H5Gcreate2(file, "scene", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = scene >= 0 &&
                flx_hdf5_put(scene, "dimension", H5T_NATIVE_INT, 0, NULL, &s->dimension) &&
                flx_hdf5_put(scene, "size", H5T_NATIVE_DOUBLE, 0, NULL, &s->size) &&
                flx_hdf5_put(scene, "gravity", H5T_NATIVE_DOUBLE, 1, three, s->gravity) &&
                put_table(ctx, scene, &bodies, s->nbody, s->bodies) &&
                put_table(ctx, scene, &points, s->npoint, s->points) &&
                put_table(ctx, scene, &shapes, s->nshape, s->shapes) &&
                put_colours(ctx, scene, s->nshape, s->shapes) &&
                put_table(ctx, scene, &elastics, s->nelastic, s->elastics) &&
                put_table(ctx, scene, &lines, s->nline, s->lines) &&
                put_table(ctx, scene, &solids, s->nsolid, s->solids) &&
                put_table(ctx, scene, &joints, s->njoint, s->joints) &&
                put_table(ctx, scene, &forces, s->nforce, s->forces) && put_arrays(scene, s);
    if (scene >= 0) H5Gclose(scene);
    return good;
}

// ---- reading ------------------------------------------------------------------------------------

// A column of all rows; NULL: it is missing, or not as it should be. *n: rows; 0: not known yet.
static const char *take_column(flx_hdf5_source *s, const table *t, const column *c, int *n)
{
    char path[PATH];
    hsize_t dims[3] = {0, 0, 0};
    int count = 0;
    flx_snprintf(path, sizeof path, "scene/%s/%s", t->name, c->name);
    const void *block = c->kind == TEXT ? (const void *)flx_hdf5_take_texts(s, path, &count)
                                        : flx_hdf5_take(s, path, type_of(c), 1 + c->rank, dims);
    if (c->kind != TEXT) count = (int)dims[0];
    for (int k = 0; k < c->rank; k++) {
        if (dims[k + 1] != (hsize_t)c->dims[k]) return NULL;
    }
    if (!block || (*n > 0 && count != *n)) return NULL;
    *n = count;
    return block;
}

// What is not a number is nothing.
static void clean(const column *c, char *row)
{
    double *x = (double *)(void *)(row + c->offset);
    for (size_t k = 0; c->kind == REAL && k < width_of(c) / sizeof *x; k++) {
        if (!isfinite(x[k])) x[k] = 0;
    }
}

// The rows of a table, in the arena; none where a column of it is missing or damaged.
static void *take_table(flx_hdf5_source *s, const table *t, int *n)
{
    const char *blocks[8];
    char path[PATH];
    *n = 0;
    flx_snprintf(path, sizeof path, "scene/%s", t->name);
    if (H5Lexists(s->file, path, H5P_DEFAULT) <= 0) return NULL;
    for (int k = 0; k < t->ncolumn; k++) {
        blocks[k] = take_column(s, t, t->columns + k, n);
        if (!blocks[k]) *n = 0;
        if (!blocks[k]) return NULL;
    }
    char *rows = flx_arena_take(s->r->arena, (size_t)*n, t->size);
    if (!rows) s->failed = true;
    if (!rows) *n = 0;
    for (int i = 0; i < *n; i++) {
        for (int k = 0; k < t->ncolumn; k++) {
            const column *c = t->columns + k;
            char *row = rows + (size_t)i * t->size;
            memcpy(row + c->offset, blocks[k] + (size_t)i * width_of(c), width_of(c));
            clean(c, row);
        }
    }
    return rows;
}

static void *take_array(flx_hdf5_source *s, const table *t, int i, const char *name, hid_t type,
                        int rank, hsize_t dims[3])
{
    char path[PATH];
    flx_snprintf(path, sizeof path, "scene/%s/%d/%s", t->name, i, name);
    dims[0] = dims[1] = dims[2] = 0;
    return flx_hdf5_take(s, path, type, rank, dims);
}

static void take_colours(flx_hdf5_source *s, int n, flx_scene_shape *list)
{
    hsize_t count[3] = {0};
    const int *colours = flx_hdf5_take(s, "scene/shapes/colour", H5T_NATIVE_INT, 1, count);
    for (int i = 0; colours && count[0] == (hsize_t)n && i < n; i++) {
        list[i].colour = colours[i] > 0 && colours[i] <= 0x1000000 ? colours[i] : 0;
    }
}

static double take_number(flx_hdf5_source *s, const char *path, double otherwise)
{
    hsize_t none[3];
    const double *x = flx_hdf5_take(s, path, H5T_NATIVE_DOUBLE, 0, none);
    return x && isfinite(*x) ? *x : otherwise;
}

// ---- what fits the result -----------------------------------------------------------------------

static int within(int x, int limit)
{
    return x >= 0 && x < limit ? x : -1;
}

// Of a body: nodes and shapes, where the row of the motion has their coordinates.
static void take_elastic(flx_hdf5_source *s, int i, flx_scene_elastic *e)
{
    const flx_result *r = s->r;
    hsize_t nodes[3], moved[3];
    e->mesh = within(e->mesh, r->nmesh);
    e->nodes = take_array(s, &elastics, i, "nodes", H5T_NATIVE_DOUBLE, 2, nodes);
    e->shapes = take_array(s, &elastics, i, "shapes", H5T_NATIVE_DOUBLE, 3, moved);
    e->nnode = e->nodes && nodes[1] == 3 ? (int)nodes[0] : 0;
    bool fits = e->shapes && moved[1] == nodes[0] && moved[2] == 3;
    e->nmode = fits ? (int)moved[0] : 0;
    int modes = e->mesh >= 0 ? r->meshes[e->mesh].nmode : e->nmode;
    if (e->motion < 0 || e->motion > r->nmotion || modes > r->nmotion - e->motion) e->body = -1;
}

static void take_line(flx_hdf5_source *s, int i, int nbody, flx_scene_line *l)
{
    hsize_t dims[3];
    int *nodes = take_array(s, &lines, i, "nodes", H5T_NATIVE_INT, 1, dims), n = 0;
    for (hsize_t k = 0; nodes && k < dims[0]; k++) {
        if (within(nodes[k], nbody) >= 0) nodes[n++] = nodes[k];
    }
    l->nnode = n;
    l->nodes = nodes;
}

static bool are_nodes(const int *triangle, int nnode)
{
    for (int k = 0; k < 3; k++) {
        if (within(triangle[k], nnode) < 0) return false;
    }
    return true;
}

static void take_solid(flx_hdf5_source *s, int i, int nbody, flx_scene_solid *x)
{
    hsize_t nodes[3], places[3], faces[3];
    int *body = take_array(s, &solids, i, "bodies", H5T_NATIVE_INT, 1, nodes);
    x->body = body;
    x->at = take_array(s, &solids, i, "at", H5T_NATIVE_DOUBLE, 2, places);
    int *triangles = take_array(s, &solids, i, "triangles", H5T_NATIVE_INT, 2, faces);
    x->triangles = triangles;
    bool fits = body && x->at && places[0] == nodes[0] && places[1] == 3;
    x->nnode = fits ? (int)nodes[0] : 0;
    for (int k = 0; k < x->nnode; k++) body[k] = within(body[k], nbody);
    for (hsize_t k = 0; triangles && faces[1] == 3 && k < faces[0]; k++) {
        if (!are_nodes(triangles + 3 * k, x->nnode)) continue;
        memmove(triangles + 3 * (size_t)x->ntriangle++, triangles + 3 * k, 3 * sizeof(int));
    }
}

static void fit_links(const flx_scene *s, int n, flx_scene_link *links)
{
    for (int i = 0; i < 2 * n; i++) {
        int *body = &links[i / 2].body[i % 2];
        *body = within(*body, s->nbody);
    }
}

static void take_tables(flx_hdf5_source *s, flx_scene *scene)
{
    const flx_result *r = s->r;
    flx_scene_shape *all_shapes = take_table(s, &shapes, &scene->nshape);
    if (all_shapes) take_colours(s, scene->nshape, all_shapes);
    flx_scene_elastic *all_elastics = take_table(s, &elastics, &scene->nelastic);
    flx_scene_line *all_lines = take_table(s, &lines, &scene->nline);
    flx_scene_solid *all_solids = take_table(s, &solids, &scene->nsolid);
    flx_scene_link *all_joints = take_table(s, &joints, &scene->njoint);
    flx_scene_link *all_forces = take_table(s, &forces, &scene->nforce);
    scene->bodies = take_table(s, &bodies, &scene->nbody);
    scene->points = take_table(s, &points, &scene->npoint);
    for (int i = 0; i < scene->nbody; i++) {
        int *motion = &scene->bodies[i].motion;
        *motion = within(*motion, r->nmotion - FLX_SCENE_MOTION + 1);
    }
    for (int i = 0; i < scene->nshape; i++) {
        all_shapes[i].surface = within(all_shapes[i].surface, r->nsurface);
    }
    for (int i = 0; i < scene->nelastic; i++) take_elastic(s, i, all_elastics + i);
    for (int i = 0; i < scene->nline; i++) take_line(s, i, scene->nbody, all_lines + i);
    for (int i = 0; i < scene->nsolid; i++) take_solid(s, i, scene->nbody, all_solids + i);
    fit_links(scene, scene->njoint, all_joints);
    fit_links(scene, scene->nforce, all_forces);
    scene->shapes = all_shapes;
    scene->elastics = all_elastics;
    scene->lines = all_lines;
    scene->solids = all_solids;
    scene->joints = all_joints;
    scene->forces = all_forces;
}

flx_status flx_scene_take(flx_hdf5_source *s, const flx_scene **out)
{
    hsize_t dims[3] = {0};
    *out = NULL;
    if (H5Lexists(s->file, "scene", H5P_DEFAULT) <= 0) return FLX_OK;
    flx_scene *scene = flx_arena_take(s->r->arena, 1, sizeof *scene);
    if (!scene) return FLX_ERR_MEMORY;
    scene->dimension = take_number(s, "scene/dimension", 3) == 2 ? 2 : 3;
    scene->size = take_number(s, "scene/size", 1);
    if (!(scene->size > 0)) scene->size = 1;
    const double *gravity = flx_hdf5_take(s, "scene/gravity", H5T_NATIVE_DOUBLE, 1, dims);
    for (int k = 0; k < 3 && gravity && dims[0] == 3; k++) {
        scene->gravity[k] = isfinite(gravity[k]) ? gravity[k] : 0;
    }
    take_tables(s, scene);
    if (s->failed) return FLX_ERR_MEMORY;
    flx_scene_connect(scene);
    *out = scene;
    return FLX_OK;
}
