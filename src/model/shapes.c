// shapes.c - shapes of bodies, for pictures: as the model file gives them, or surfaces of other files.
#include "model/builder.h"

#include <math.h>
#include <string.h>

// Shapes are solid also in planar models; the third size is 0 where it is not given.
static flx_status read_solid(flx_env *e, const flx_entry *y, double out[3])
{
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    if (n != 3 && !(n == 2 && e->b->m->dimension == 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "expected 3 numbers, found %d", n);
    }
    memset(out, 0, 3 * sizeof *out);
    memcpy(out, x, (size_t)n * sizeof *x);
    return FLX_OK;
}

static flx_status read_round(flx_env *e, const flx_entry *y, flx_shape *s)
{
    if (y->kind != FLX_ENTRY_MAP || !flx_entry_get(y, "radius") || !flx_entry_get(y, "length")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "it needs a radius and a length");
    }
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "radius"), "a radius", &s->size[0]));
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "length"), "a length", &s->size[1]));
    s->axis[0] = 1;
    if (flx_entry_get(y, "axis")) FLX_TRY(read_solid(e, flx_entry_get(y, "axis"), s->axis));
    v3 a = v3_load(s->axis);
    if (!(v3_norm(a) > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "an axis cannot be zero");
    }
    v3_store(s->axis, v3_unit(a));
    return FLX_OK;
}

// The surface of a file, read once however many bodies have it.
static flx_status find_surface(flx_env *e, const flx_entry *y, int *number)
{
    flx_model *m = e->b->m;
    const flx_reader *reader = e->b->reader;
    const char *file = NULL;
    if (!reader || !reader->read_surface) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "surfaces cannot be read here");
    }
    FLX_TRY(reader->read_surface(reader->user, y->text, y->loc, &file, NULL));
    for (*number = 0; *number < m->nsurface; (*number)++) {
        if (m->surfaces[*number].file == file) return FLX_OK;
    }
    FLX_TRY(flx_grow(e->b->ctx, (void **)&m->surfaces, &m->surface_capacity, m->nsurface + 1,
                     sizeof *m->surfaces));
    flx_surface *s = m->surfaces + m->nsurface;
    s->file = file;
    FLX_TRY(reader->read_surface(reader->user, y->text, y->loc, &file, &s->mesh));
    m->nsurface++;
    return FLX_OK;
}

static flx_status read_surface(flx_env *e, const flx_entry *shape, flx_shape *s)
{
    const flx_entry *scale = flx_entry_get(shape, "scale");
    s->kind = FLX_SHAPE_MESH;
    s->scale = 1;
    if (scale) FLX_TRY(flx_build_positive(e, scale, "a scale", &s->scale));
    FLX_TRY(find_surface(e, flx_entry_get(shape, "mesh"), &s->surface));
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

// Round shapes turn by their axis.
static flx_status read_turn(flx_env *e, const flx_entry *shape, flx_shape *s)
{
    const flx_entry *y = flx_entry_get(shape, "orientation");
    double R[9], angle;
    s->turn[0] = 1;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_orientation(e, y, R, &angle));
    quat_store(s->turn, quat_from_m33(m33_load(R)));
    v3_store(s->axis, m33_mul_v(m33_load(R), v3_load(s->axis)));
    return FLX_OK;
}

static flx_status read_shape(flx_env *e, const flx_item *body, const flx_entry *y, flx_shape *s)
{
    if (y->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a shape is a mapping, as in {box: [1, 0.2, 0.2]}");
    }
    const flx_entry *box = flx_entry_get(y, "box"), *cylinder = flx_entry_get(y, "cylinder");
    const flx_entry *capsule = flx_entry_get(y, "capsule"), *sphere = flx_entry_get(y, "sphere");
    const flx_entry *at = flx_entry_get(y, "at");
    if (box) {
        s->kind = FLX_SHAPE_BOX;
        FLX_TRY(read_solid(e, box, s->size));
    } else if (cylinder) {
        s->kind = FLX_SHAPE_CYLINDER;
        FLX_TRY(read_round(e, cylinder, s));
    } else if (capsule) {
        s->kind = FLX_SHAPE_CAPSULE;
        FLX_TRY(read_round(e, capsule, s));
    } else if (sphere) {
        s->kind = FLX_SHAPE_SPHERE;
        FLX_TRY(flx_build_positive(e, sphere, "a radius", &s->size[0]));
    } else if (flx_entry_get(y, "mesh")) {
        FLX_TRY(read_surface(e, y, s));
    }
    FLX_TRY(read_turn(e, y, s));
    if (!at) return FLX_OK;
    flx_operand v;
    FLX_TRY(flx_build_value(e, at, &v));
    if (!flx_operand_get_item(&v)) return flx_operand_to_constants(e, &v, at->loc, s->at);
    flx_place p;
    FLX_TRY(flx_build_place(e, at, &p));
    flx_ground_to_body(body, p.position, s->at);
    return FLX_OK;
}

flx_status flx_build_shapes(flx_env *e, const flx_item *body, flx_body *def)
{
    const flx_entry *y = flx_entry_get(body->def, "shape");
    if (!y) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    def->nshape = list ? y->count : 1;
    def->shapes = flx_arena_take(e->b->m->arena, (size_t)def->nshape, sizeof *def->shapes);
    if (!def->shapes) return FLX_ERR_MEMORY;
    for (int i = 0; i < def->nshape; i++) {
        FLX_TRY(read_shape(e, body, list ? y->items[i] : y, &def->shapes[i]));
    }
    return FLX_OK;
}
