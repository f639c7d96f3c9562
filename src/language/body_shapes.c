// body_shapes.c - shapes of bodies, for pictures: as the model file gives them, or surfaces of other files.
#include "language/builder.h"
#include "language/scope/nums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Shapes are solid also in planar models; the third size is 0 where it is not given.
// Pictures need no numbers before they are drawn: no parameter becomes structural here.
static flx_status read_solid(flx_env *e, const flx_entry *y, double out[3], flx_open open[3])
{
    int n = 0;
    double *x = NULL;
    flx_open *kept = NULL;
    FLX_TRY(flx_build_open_numbers(e, y, &n, &x, &kept));
    if (n != 3 && !(n == 2 && e->b->m->dimension == 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "expected 3 numbers, found %d", n);
    }
    memset(out, 0, 3 * sizeof *out);
    memcpy(out, x, (size_t)n * sizeof *x);
    memset(open, 0, 3 * sizeof *open);
    memcpy(open, kept, (size_t)n * sizeof *kept);
    return FLX_OK;
}

static flx_status read_size(flx_env *e, const flx_entry *y, const char *what, flx_shape *s, int i)
{
    FLX_TRY(flx_build_open(e, y, &s->size[i], &s->size_open[i]));
    if (!(s->size[i] > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "a %s must be positive, not %g", what,
                        s->size[i]);
    }
    const flx_limit l = {
        .what = what, .loc = y->loc, .value_open = s->size_open[i], .positive = true};
    return flx_build_limit(e->b, &l);
}

static flx_status read_round(flx_env *e, const flx_entry *y, flx_shape *s)
{
    if (y->kind != FLX_ENTRY_MAP || !flx_entry_get(y, "radius") || !flx_entry_get(y, "length")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "it needs a radius and a length");
    }
    flx_open axis[3]; // stays as it was read
    FLX_TRY(read_size(e, flx_entry_get(y, "radius"), "radius", s, 0));
    FLX_TRY(read_size(e, flx_entry_get(y, "length"), "length", s, 1));
    s->axis[0] = 1;
    if (flx_entry_get(y, "axis")) FLX_TRY(read_solid(e, flx_entry_get(y, "axis"), s->axis, axis));
    v3 a = v3_load(s->axis);
    if (!(v3_norm(a) > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "an axis cannot be zero");
    }
    v3_store(s->axis, v3_unit(a));
    return FLX_OK;
}

// x: (3). What is mirrored has its triangles the other way round.
static flx_status stretch_surface(flx_env *e, const double *x, flx_scene_surface *mesh)
{
    size_t np = 3 * (size_t)mesh->npoint, nt = 3 * (size_t)mesh->ntriangle;
    float *points = flx_arena_take(e->b->m->arena, np + 1, sizeof *points);
    int *triangles = flx_arena_take(e->b->m->arena, nt + 1, sizeof *triangles);
    if (!points || !triangles) return FLX_ERR_MEMORY;
    size_t last = x[0] * x[1] * x[2] < 0.0 ? 1 : 2;
    for (size_t i = 0; i < np; i++) points[i] = (float)(x[i % 3] * (double)mesh->points[i]);
    for (size_t i = 0; i < nt; i += 3) {
        triangles[i] = mesh->triangles[i];
        triangles[i + last] = mesh->triangles[i + 2];
        triangles[i + 3 - last] = mesh->triangles[i + 1];
    }
    mesh->points = points;
    mesh->triangles = triangles;
    return FLX_OK;
}

// The surface of a file, read once however many bodies have it so.
static flx_status find_surface(flx_env *e, const flx_entry *y, const double *stretch, int *number)
{
    flx_model *m = e->b->m;
    const flx_reader *reader = e->b->reader;
    const char *file = NULL;
    if (!reader || !reader->read_surface) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "surfaces cannot be read here");
    }
    FLX_TRY(reader->read_surface(reader->user, y->text, y->loc, &file, NULL));
    for (*number = 0; *number < m->nsurface; (*number)++) {
        const flx_surface_file *s = m->surfaces + *number;
        if (s->file == file && memcmp(s->stretch, stretch, sizeof s->stretch) == 0) return FLX_OK;
    }
    FLX_TRY(flx_grow(e->b->ctx, (void **)&m->surfaces, &m->surface_capacity, m->nsurface + 1,
                     sizeof *m->surfaces));
    flx_surface_file *s = m->surfaces + m->nsurface;
    s->file = file;
    memcpy(s->stretch, stretch, sizeof s->stretch);
    FLX_TRY(reader->read_surface(reader->user, y->text, y->loc, &file, &s->mesh));
    bool plain = stretch[0] == 1.0 && stretch[1] == 1.0 && stretch[2] == 1.0;
    if (!plain) FLX_TRY(stretch_surface(e, stretch, &s->mesh));
    m->nsurface++;
    return FLX_OK;
}

// One positive number for all axes, or one for each.
static flx_status read_scale(flx_env *e, const flx_entry *scale, double *all, double each[3])
{
    if (scale->kind != FLX_ENTRY_LIST) return flx_build_positive(e, scale, "a scale", all);
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, scale, &n, &x));
    for (int k = 0; k < 3 && n == 3; k++) {
        each[k] = x[k];
        if (!(fabs(x[k]) > 0.0)) n = 0;
    }
    if (n == 3) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, scale->loc,
                    "a scale is a positive number, or three that are not zero");
}

static flx_status read_surface(flx_env *e, const flx_entry *y, const flx_entry *scale, flx_shape *s)
{
    double stretch[3] = {1.0, 1.0, 1.0};
    s->scale = 1;
    if (scale) FLX_TRY(read_scale(e, scale, &s->scale, stretch));
    FLX_TRY(find_surface(e, y, stretch, &s->surface));
    const flx_scene_surface *mesh = &e->b->m->surfaces[s->surface].mesh;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < mesh->npoint; i++) {
            low = fmin(low, (double)mesh->points[3 * (size_t)i + k]);
            high = fmax(high, (double)mesh->points[3 * (size_t)i + k]);
        }
        s->size[k] = s->scale * (high - low);
    }
    return FLX_OK;
}

// What a kind is given by, the value of its key.
static flx_status read_sizes(flx_env *e, const flx_entry *y, const flx_entry *shape, flx_shape *s)
{
    switch (s->kind->form) {
    case FLX_SHAPE_OF_EDGES:
        return read_solid(e, y, s->size, s->size_open);
    case FLX_SHAPE_OF_ROUND:
        return read_round(e, y, s);
    case FLX_SHAPE_OF_RADIUS:
        return read_size(e, y, "radius", s, 0);
    case FLX_SHAPE_OF_FILE:
        return read_surface(e, y, flx_entry_get(shape, "scale"), s);
    }
    return FLX_OK;
}

// Round shapes turn by their axis.
static flx_status read_turn(flx_env *e, const flx_entry *shape, flx_shape *s)
{
    const flx_entry *y = flx_entry_get(shape, "orientation");
    flx_num9 R;
    flx_num angle;
    s->turn[0] = 1;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_orientation(e, y, &R, &angle));
    quat_store(s->turn, quat_from_m33(m33_load(R.x)));
    v3_store(s->axis, m33_mul_v(m33_load(R.x), v3_load(s->axis)));
    return FLX_OK;
}

// A word, or "#rrggbb".
static flx_status read_colour(flx_builder *b, const flx_entry *y, int *colour)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {{"black", 0x202020}, {"white", 0xf2f2f2},  {"grey", 0x8a9099},
                 {"red", 0xc8372d},   {"orange", 0xe08a1e}, {"yellow", 0xe6c229},
                 {"green", 0x3a9d4d}, {"blue", 0x2f6fb5},   {"purple", 0x7d4fa8},
                 {"brown", 0x8a5a3b}, {"pink", 0xd98cab}};
    char *rest = NULL;
    flx_nearest near;
    flx_nearest_start(&near, y->text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        flx_nearest_offer(&near, words[i].word);
        if (strcmp(y->text, words[i].word) != 0) continue;
        *colour = words[i].value + 1;
        return FLX_OK;
    }
    if (y->text[0] == '#' && strspn(y->text + 1, "0123456789abcdefABCDEF") == 6 &&
        strlen(y->text) == 7) {
        *colour = (int)strtol(y->text + 1, &rest, 16) + 1;
        return FLX_OK;
    }
    const char *meant = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "'%s' is no colour: give black, white, grey, red, orange, yellow, green, blue, "
                    "purple, brown, pink or \"#d05030\"%s%s%s",
                    y->text, meant ? "; did you mean '" : "", meant ? meant : "",
                    meant ? "'?" : "");
}

static flx_status read_shape(flx_env *e, const flx_item *body, const flx_entry *y, flx_shape *s)
{
    if (y->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a shape is a mapping, as in {box: [1, 0.2, 0.2]}");
    }
    const flx_shape_kind *kind;
    for (int i = 0; (kind = flx_shape_get_kind(i)); i++) {
        const flx_entry *sizes = flx_entry_get(y, kind->row.key);
        if (!sizes) continue;
        s->kind = kind;
        FLX_TRY(read_sizes(e, sizes, y, s));
    }
    const flx_entry *at = flx_entry_get(y, "at"), *colour = flx_entry_get(y, "colour");
    if (colour) FLX_TRY(read_colour(e->b, colour, &s->colour));
    FLX_TRY(read_turn(e, y, s));
    if (!at) return FLX_OK;
    flx_operand v;
    FLX_TRY(flx_build_value(e, at, &v));
    flx_num3 local;
    flx_place p;
    if (flx_operand_get_item(&v)) {
        FLX_TRY(flx_build_place(e, at, &p));
        local = flx_ground_to_body(e->b, body, p.position);
    } else {
        FLX_TRY(flx_operand_to_num3(e, &v, at->loc, &local));
    }
    return flx_num3_store(&local, s->at, s->at_open);
}

flx_status flx_build_shapes(flx_env *e, const flx_item *body, flx_body *def)
{
    const flx_entry *y = flx_entry_get(body->def, "shape");
    if (!y || def->shapes) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    def->nshape = list ? y->count : 1;
    def->shapes = flx_arena_take(e->b->m->arena, (size_t)def->nshape, sizeof *def->shapes);
    if (!def->shapes) return FLX_ERR_MEMORY;
    for (int i = 0; i < def->nshape; i++) {
        FLX_TRY(read_shape(e, body, list ? y->items[i] : y, &def->shapes[i]));
    }
    return FLX_OK;
}
