// collada.c - triangles of COLLADA: <scene> shows nodes, nodes show geometries, of which primitives are read; see collada.h.
#include "read/collada.h"

#include "read/robot/xml.h"
#include "read/scan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_DEEP FLX_XML_DEPTH // nodes within nodes
#define MOST_INSTANCES 20000    // nodes that name each other twice double at each level

typedef struct transform { // (x, 1) -> A (x, 1)
    double A[3][4];
} transform;

typedef struct collada {
    flx_ctx *ctx;
    flx_arena *arena; // owned: the elements
    const flx_xml *root;
    int npoint, point_capacity, nindex, index_capacity;
    float *points; // owned
    int *index;    // owned: three a triangle
    int depth, ninstance;
} collada;

// ---- elements -------------------------------------------------------------------------------------

static const flx_xml *find_id(const flx_xml *e, const char *name, const char *id)
{
    for (const flx_xml *c = e->first; c; c = c->next) {
        const char *own = strcmp(c->name, name) == 0 ? flx_xml_get(c, "id") : NULL;
        const flx_xml *found = own && strcmp(own, id) == 0 ? c : find_id(c, name, id);
        if (found) return found;
    }
    return NULL;
}

// What an attribute "#id" names; anything: an error.
static flx_status find(const collada *c, const flx_xml *e, const char *attribute, const char *name,
                       const flx_xml **out)
{
    const char *url = flx_xml_get(e, attribute);
    *out = url && url[0] == '#' ? find_id(c->root, name, url + 1) : NULL;
    if (*out) return FLX_OK;
    return FLX_FAIL(c->ctx, FLX_ERR_MODEL, e->loc, "<%s> names <%s> '%s', which is not in the file",
                    e->name, name, url ? url : "");
}

static flx_scan scan_text(const collada *c, const flx_xml *e)
{
    return (flx_scan){c->ctx, e->loc.file, e->text, e->text + strlen(e->text), e->loc.line};
}

static int read_int(const flx_xml *e, const char *attribute, int otherwise)
{
    int value;
    const char *text = flx_xml_get(e, attribute);
    return text && flx_text_int(text, (int)strlen(text), &value) ? value : otherwise;
}

// n numbers of the text of an element.
static flx_status read_numbers(const collada *c, const flx_xml *e, int n, double *out)
{
    flx_scan scan = scan_text(c, e);
    for (int i = 0; i < n; i++) FLX_TRY(flx_scan_number(&scan, "a number", out + i));
    return FLX_OK;
}

// ---- transforms -----------------------------------------------------------------------------------

static const transform still = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static transform multiply(const transform *a, const transform *b)
{
    transform c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            c.A[i][j] = j == 3 ? a->A[i][3] : 0.0;
            for (int k = 0; k < 3; k++) c.A[i][j] += a->A[i][k] * b->A[k][j];
        }
    }
    return c;
}

// Rodrigues: about an axis by an angle in degrees.
static transform rotate(const double r[4])
{
    transform t = still;
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (!(length > 0.0)) return t;
    double n[3] = {r[0] / length, r[1] / length, r[2] / length};
    double angle = r[3] * acos(-1.0) / 180.0, s = sin(angle), c = cos(angle);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t.A[i][i] = c + (1 - c) * n[i] * n[i];
        t.A[i][j] = (1 - c) * n[i] * n[j] - s * n[k];
        t.A[i][k] = (1 - c) * n[i] * n[k] + s * n[j];
    }
    return t;
}

// Of one child of a node; others than transforms: none.
static flx_status read_transform(const collada *c, const flx_xml *e, transform *t)
{
    double x[16];
    *t = still;
    if (strcmp(e->name, "matrix") == 0) {
        FLX_TRY(read_numbers(c, e, 16, x));
        memcpy(t->A, x, sizeof t->A);
    } else if (strcmp(e->name, "translate") == 0) {
        FLX_TRY(read_numbers(c, e, 3, x));
        for (int i = 0; i < 3; i++) t->A[i][3] = x[i];
    } else if (strcmp(e->name, "scale") == 0) {
        FLX_TRY(read_numbers(c, e, 3, x));
        for (int i = 0; i < 3; i++) t->A[i][i] = x[i];
    } else if (strcmp(e->name, "rotate") == 0) {
        FLX_TRY(read_numbers(c, e, 4, x));
        *t = rotate(x);
    } else if (strcmp(e->name, "lookat") == 0 || strcmp(e->name, "skew") == 0) {
        return FLX_FAIL(c->ctx, FLX_ERR_UNAVAILABLE, e->loc, "<%s> of COLLADA is not read",
                        e->name);
    }
    return FLX_OK;
}

// ---- geometries -----------------------------------------------------------------------------------

static flx_status add_point(collada *c, const double x[3], const transform *t)
{
    FLX_TRY(flx_grow(c->ctx, (void **)&c->points, &c->point_capacity, 3 * (c->npoint + 1),
                     sizeof *c->points));
    for (int i = 0; i < 3; i++) {
        double y = t->A[i][3];
        for (int k = 0; k < 3; k++) y += t->A[i][k] * x[k];
        if (!(fabs(y) <= (double)FLT_MAX))
            return FLX_FAIL(c->ctx, FLX_ERR_MODEL, c->root->loc, "a corner is no place");
        c->points[3 * (size_t)c->npoint + (size_t)i] = (float)y;
    }
    c->npoint++;
    return FLX_OK;
}

static flx_status add_triangle(collada *c, int i, int j, int k)
{
    FLX_TRY(
        flx_grow(c->ctx, (void **)&c->index, &c->index_capacity, c->nindex + 3, sizeof *c->index));
    c->index[c->nindex++] = i;
    c->index[c->nindex++] = j;
    c->index[c->nindex++] = k;
    return FLX_OK;
}

// The corners of a <source>: its numbers, in steps of its accessor.
static flx_status add_source(collada *c, const flx_xml *source, const transform *t)
{
    const flx_xml *array = flx_xml_child(source, "float_array");
    const flx_xml *common = flx_xml_child(source, "technique_common");
    const flx_xml *accessor = common ? flx_xml_child(common, "accessor") : NULL;
    if (!array || !accessor)
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, source->loc,
                        "<source> has no <float_array> with an <accessor>");
    int count = read_int(accessor, "count", 0), stride = read_int(accessor, "stride", 1);
    flx_scan scan = scan_text(c, array);
    if (stride < 3)
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, accessor->loc, "a corner needs three numbers");
    for (int i = 0; i < count; i++) {
        double x[3] = {0}, other;
        for (int k = 0; k < stride; k++)
            FLX_TRY(flx_scan_number(&scan, "a corner's number", k < 3 ? x + k : &other));
        FLX_TRY(add_point(c, x, t));
    }
    return FLX_OK;
}

typedef struct primitive {
    int first, npoint; // of its corners
    int width, offset; // numbers of a corner in <p>, and which of them is the place
} primitive;

static flx_status read_corner(collada *c, flx_scan *scan, const primitive *p, int *corner)
{
    for (int k = 0; k < p->width; k++) {
        int number;
        FLX_TRY(flx_scan_int(scan, "a corner", &number));
        if (k != p->offset) continue;
        if (number < 0 || number >= p->npoint)
            return FLX_FAIL(c->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                            "corner %d of %d points is asked for", number, p->npoint);
        *corner = p->first + number;
    }
    return FLX_OK;
}

// A fan about the first corner.
static flx_status read_polygon(collada *c, flx_scan *scan, const primitive *p, int count)
{
    int first = 0, before = 0, corner = 0;
    for (int i = 0; i < count; i++) {
        FLX_TRY(read_corner(c, scan, p, &corner));
        if (i == 0) first = corner;
        if (i >= 2) FLX_TRY(add_triangle(c, first, before, corner));
        before = corner;
    }
    return FLX_OK;
}

// Each corner with the two before it, turned as the first three.
static flx_status read_strip(collada *c, flx_scan *scan, const primitive *p, int count)
{
    int corner[3] = {0};
    for (int i = 0; i < count; i++) {
        corner[0] = corner[1];
        corner[1] = corner[2];
        FLX_TRY(read_corner(c, scan, p, &corner[2]));
        bool odd = i % 2 != 0;
        if (i >= 2) FLX_TRY(add_triangle(c, corner[odd], corner[!odd], corner[2]));
    }
    return FLX_OK;
}

static int count_corners(const flx_xml *e, const primitive *p)
{
    int n = 0;
    bool inside = false;
    for (const char *at = e->text; *at; at++) {
        bool blank = strchr(" \t\r\n", *at) != NULL;
        n += !blank && !inside;
        inside = !blank;
    }
    return n / p->width;
}

static flx_status read_primitive(collada *c, const flx_xml *e, primitive p)
{
    const flx_xml *counts = flx_xml_child(e, "vcount");
    for (const flx_xml *i = flx_xml_child(e, "input"); i; i = flx_xml_next(i, "input")) {
        const char *semantic = flx_xml_get(i, "semantic");
        int offset = read_int(i, "offset", 0);
        if (offset < 0 || offset > 63)
            return FLX_FAIL(c->ctx, FLX_ERR_MODEL, i->loc, "an offset is 0 to 63");
        if (semantic && strcmp(semantic, "VERTEX") == 0) p.offset = offset;
        if (offset >= p.width) p.width = offset + 1;
    }
    for (const flx_xml *q = flx_xml_child(e, "p"); q; q = flx_xml_next(q, "p")) {
        flx_scan scan = scan_text(c, q), sizes = {0};
        int all = count_corners(q, &p);
        bool strip = strcmp(e->name, "tristrips") == 0;
        bool whole = strip || strcmp(e->name, "polygons") == 0 || strcmp(e->name, "trifans") == 0;
        if (counts) sizes = scan_text(c, counts);
        for (int done = 0, count; done < all; done += count) {
            count = whole ? all : 3;
            if (counts) FLX_TRY(flx_scan_int(&sizes, "a number of corners", &count));
            if (count < 1 || done + count > all)
                return FLX_FAIL(c->ctx, FLX_ERR_MODEL, q->loc, "a polygon lacks corners");
            FLX_TRY((strip ? read_strip : read_polygon)(c, &scan, &p, count));
        }
    }
    return FLX_OK;
}

static flx_status add_geometry(collada *c, const flx_xml *geometry, const transform *t)
{
    static const char *const primitives[] = {"triangles", "polylist", "polygons", "trifans",
                                             "tristrips"};
    const flx_xml *mesh = flx_xml_child(geometry, "mesh");
    const flx_xml *vertices = mesh ? flx_xml_child(mesh, "vertices") : NULL, *source = NULL;
    if (!vertices) return FLX_OK; // splines and lines: nothing to draw
    for (const flx_xml *i = flx_xml_child(vertices, "input"); i; i = flx_xml_next(i, "input")) {
        const char *semantic = flx_xml_get(i, "semantic");
        if (semantic && strcmp(semantic, "POSITION") == 0)
            FLX_TRY(find(c, i, "source", "source", &source));
    }
    if (!source) return FLX_OK;
    primitive p = {.first = c->npoint, .width = 1};
    FLX_TRY(add_source(c, source, t));
    p.npoint = c->npoint - p.first;
    for (const flx_xml *e = mesh->first; e; e = e->next) {
        for (size_t k = 0; k < sizeof primitives / sizeof primitives[0]; k++) {
            if (strcmp(e->name, primitives[k]) == 0) FLX_TRY(read_primitive(c, e, p));
        }
    }
    return FLX_OK;
}

// ---- scenes ---------------------------------------------------------------------------------------

static flx_status add_node(collada *c, const flx_xml *node, transform t)
{
    if (c->depth == MOST_DEEP || ++c->ninstance > MOST_INSTANCES)
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, node->loc, "too many nodes: does one show itself?");
    c->depth++;
    for (const flx_xml *e = node->first; e; e = e->next) {
        const flx_xml *shown;
        transform own;
        FLX_TRY(read_transform(c, e, &own));
        t = multiply(&t, &own);
        if (strcmp(e->name, "node") == 0) FLX_TRY(add_node(c, e, t));
        if (strcmp(e->name, "instance_node") == 0) {
            FLX_TRY(find(c, e, "url", "node", &shown));
            FLX_TRY(add_node(c, shown, t));
        } else if (strcmp(e->name, "instance_geometry") == 0) {
            FLX_TRY(find(c, e, "url", "geometry", &shown));
            FLX_TRY(add_geometry(c, shown, &t));
        }
    }
    c->depth--;
    return FLX_OK;
}

static flx_status add_scene(collada *c)
{
    const flx_xml *scene = flx_xml_child(c->root, "scene"), *shown = NULL;
    const flx_xml *instance = scene ? flx_xml_child(scene, "instance_visual_scene") : NULL;
    const flx_xml *asset = flx_xml_child(c->root, "asset");
    const flx_xml *unit = asset ? flx_xml_child(asset, "unit") : NULL;
    transform t = still;
    double metre = 1.0;
    const char *text = unit ? flx_xml_get(unit, "meter") : NULL;
    if (text && (!flx_text_number(text, (int)strlen(text), &metre) || !(metre > 0.0)))
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, unit->loc, "'meter' is a positive number");
    for (int i = 0; i < 3; i++) t.A[i][i] = metre;
    if (instance) {
        FLX_TRY(find(c, instance, "url", "visual_scene", &shown));
        return add_node(c, shown, t);
    }
    const flx_xml *library = flx_xml_child(c->root, "library_geometries");
    for (const flx_xml *g = library ? flx_xml_child(library, "geometry") : NULL; g;
         g = flx_xml_next(g, "geometry"))
        FLX_TRY(add_geometry(c, g, &t));
    return FLX_OK;
}

static flx_status keep(const collada *c, flx_arena *arena, flx_scene_surface *out)
{
    float *points = flx_arena_take(arena, 3 * (size_t)c->npoint, sizeof *points);
    int *triangles = flx_arena_take(arena, (size_t)c->nindex, sizeof *triangles);
    if (!points || !triangles) return FLX_ERR_MEMORY;
    if (c->nindex > 0) {
        memcpy(points, c->points, 3 * (size_t)c->npoint * sizeof *points);
        memcpy(triangles, c->index, (size_t)c->nindex * sizeof *triangles);
    }
    *out = (flx_scene_surface){
        .npoint = c->npoint, .ntriangle = c->nindex / 3, .points = points, .triangles = triangles};
    return FLX_OK;
}

flx_status flx_collada_read(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                            size_t length, flx_scene_surface *out)
{
    collada c = {.ctx = ctx, .arena = flx_arena_create(ctx)};
    flx_xml *root = NULL;
    if (!c.arena) return FLX_ERR_MEMORY;
    flx_status status = flx_xml_parse(ctx, c.arena, file, text, length, &root);
    c.root = root;
    if (status == FLX_OK && strcmp(root->name, "COLLADA") != 0)
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, root->loc, "<%s> is no COLLADA", root->name);
    if (status == FLX_OK) status = add_scene(&c);
    if (status == FLX_OK) status = keep(&c, arena, out);
    flx_arena_destroy(&c.arena);
    flx_free(c.points);
    flx_free(c.index);
    return status;
}
