// body_surfaces.c - surfaces of bodies that contacts find, as the model file gives them.
//
// A surface lies in the frame of a body, of a node that carries it, or of the ground. Its numbers are structural.
#include "contact/contact_surface.h"
#include "contact/mesh/heights.h"
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

static const flx_surface_kind *kind_of(const flx_entry *y)
{
    const flx_surface_kind *k;
    for (int i = 0; (k = flx_surface_get_kind(i)); i++) {
        if (flx_entry_get(y, k->row.key)) return k;
    }
    return NULL;
}

static bool bends(const flx_builder *b, const flx_item *body)
{
    return flx_body_is_elastic(body) || flx_body_is_beam(b, body) || flx_body_is_solid(b, body);
}

// ---- sizes --------------------------------------------------------------------------------------

static flx_status read_not_negative(flx_env *e, const flx_entry *y, const char *what, double *out)
{
    FLX_TRY(flx_build_number(e, y, out));
    if (*out >= 0 && isfinite(*out)) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s cannot be negative, it is %g", what,
                    *out);
}

// A direction in the axes of the surface's body; those of the ground are the part's.
static flx_status read_direction(flx_env *e, const flx_entry *y, double out[3])
{
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    if (n != 3 && !(n == 2 && e->b->m->dimension == 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "expected 3 numbers, found %d", n);
    }
    memset(out, 0, 3 * sizeof *out);
    memcpy(out, x, (size_t)n * sizeof *x);
    double size = v3_norm(v3_load(out));
    if (!(size > 0) || !isfinite(size)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "a direction cannot be zero");
    }
    v3_store(out, v3_unit(v3_load(out)));
    return FLX_OK;
}

// Axes whose third is a direction.
m33 flx_axes_along(const double z[3])
{
    v3 n = v3_load(z), x = fabs(n.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
    x = v3_unit(v3_cross(v3_cross(n, x), n));
    return m33_from_cols(x, v3_cross(n, x), n);
}

static flx_status read_round(flx_env *e, const flx_entry *y, flx_surface *s, m33 *axes)
{
    const flx_entry *axis = flx_entry_get(y, "axis");
    double z[3] = {1, 0, 0};
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "radius"), "a radius", &s->size[0]));
    if (s->kind->value == FLX_SURFACE_ROUND)
        FLX_TRY(flx_build_positive(e, flx_entry_get(y, "length"), "a length", &s->size[1]));
    if (axis) FLX_TRY(read_direction(e, axis, z));
    *axes = flx_axes_along(z);
    return FLX_OK;
}

// A box of the plane has no end along the third axis, whatever its length there is said to be.
static flx_status read_edges(flx_env *e, const flx_entry *y, flx_surface *s)
{
    int n = 0;
    double *x = NULL;
    s->size[2] = HUGE_VAL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    if (n != 3 && !(n == 2 && e->b->m->dimension == 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "expected 3 numbers, found %d", n);
    }
    for (int i = 0; i < n; i++) {
        s->size[i] = x[i];
        if (x[i] > 0 && isfinite(x[i])) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "an edge must be positive, not %g", x[i]);
    }
    if (e->b->m->dimension == 2) s->size[2] = HUGE_VAL;
    return FLX_OK;
}

// What is rounded stays as large as it is.
static flx_status check_round(flx_env *e, const flx_surface *s, flx_loc loc)
{
    if (s->kind->value != FLX_SURFACE_EDGES) return FLX_OK;
    double least = fmin(s->size[0], fmin(s->size[1], s->size[2]));
    if (s->skin <= 0.5 * least) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "edges cannot be rounded by %g: half of the shortest is %g", s->skin,
                    0.5 * least);
}

// The points of a hull as a list.
static flx_status read_points(flx_env *e, const flx_entry *y, flx_surface *s)
{
    flx_builder *b = e->b;
    double *points = flx_take(b, 3 * (size_t)y->count, sizeof *points);
    if (!points) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        int n = 0;
        double *x = NULL;
        FLX_TRY(flx_build_numbers(e, y->items[i], &n, &x));
        if (n != 3) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[i]->loc, "expected 3 numbers, found %d",
                            n);
        }
        memcpy(points + 3 * (size_t)i, x, 3 * sizeof *x);
    }
    return s->kind->make(b->ctx, b->m->arena, y->loc, y->count, points, 0, NULL, &s->data);
}

// The points of a file, in metres.
static flx_status read_file(flx_env *e, const flx_entry *y, const flx_entry *scale, flx_surface *s)
{
    flx_builder *b = e->b;
    const flx_reader *reader = b->reader;
    flx_scene_surface mesh;
    const char *file = NULL;
    double factor = 1.0;
    if (scale) FLX_TRY(flx_build_positive(e, scale, "a scale", &factor));
    if (!reader || !reader->read_surface) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "surfaces cannot be read here");
    }
    FLX_TRY(reader->read_surface(reader->user, y->text, y->loc, &file, &mesh));
    double *points = flx_take(b, 3 * (size_t)mesh.npoint, sizeof *points);
    if (!points) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)mesh.npoint; i++)
        points[i] = factor * (double)mesh.points[i];
    return s->kind->make(b->ctx, b->m->arena, y->loc, mesh.npoint, points, mesh.ntriangle,
                         mesh.triangles, &s->data);
}

static flx_status read_span(flx_env *e, const flx_entry *y, int n, double *from, double *step)
{
    int count = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &count, &x));
    if (count != 2 || !(x[1] > x[0])) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "expected the first and the last, the last beyond the first");
    }
    *from = x[0];
    *step = (x[1] - x[0]) / (n > 1 ? n - 1 : 1);
    return FLX_OK;
}

static flx_status read_grid(flx_env *e, const flx_entry *y, flx_surface *s)
{
    flx_builder *b = e->b;
    const flx_entry *z = flx_entry_get(y, "z");
    const flx_heights *heights = NULL;
    double from[2], step[2], *all = NULL;
    int n[2] = {z->kind == FLX_ENTRY_LIST ? z->count : 0, 0};
    if (n[0] < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, z->loc,
                        "expected a list for each x, with a number for each y");
    }
    for (int i = 0; i < n[0]; i++) {
        int count = 0;
        double *row = NULL;
        FLX_TRY(flx_build_numbers(e, z->items[i], &count, &row));
        if (i == 0) {
            n[1] = count;
            all = flx_take(b, (size_t)n[0] * (size_t)(count > 0 ? count : 1), sizeof *all);
            if (!all) return FLX_ERR_MEMORY;
        }
        if (count != n[1]) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, z->items[i]->loc,
                            "this list has %d heights, and the first has %d", count, n[1]);
        }
        memcpy(all + (size_t)i * (size_t)count, row, (size_t)count * sizeof *row);
    }
    FLX_TRY(read_span(e, flx_entry_get(y, "x"), n[0], from, step));
    FLX_TRY(read_span(e, flx_entry_get(y, "y"), n[1], from + 1, step + 1));
    FLX_TRY(flx_heights_make(b->ctx, b->m->arena, z->loc, n, from, step, all, &heights));
    s->data = heights;
    return FLX_OK;
}

static flx_status read_value(flx_env *e, const flx_entry *surface, flx_surface *s, m33 *axes)
{
    const flx_entry *y = flx_entry_get(surface, s->kind->row.key);
    double z[3];
    *axes = m33_identity();
    switch (s->kind->value) {
    case FLX_SURFACE_RADIUS:
        return read_not_negative(e, y, "a radius", &s->size[0]);
    case FLX_SURFACE_NORMAL:
        FLX_TRY(read_direction(e, y, z));
        *axes = flx_axes_along(z);
        return FLX_OK;
    case FLX_SURFACE_ROUND:
    case FLX_SURFACE_DISC:
        return read_round(e, y, s, axes);
    case FLX_SURFACE_EDGES:
        return read_edges(e, y, s);
    case FLX_SURFACE_FILE:
        if (y->kind == FLX_ENTRY_LIST) return read_points(e, y, s);
        return read_file(e, y, flx_entry_get(surface, "scale"), s);
    case FLX_SURFACE_GRID:
        return read_grid(e, y, s);
    case FLX_SURFACE_FUNCTION:
    case FLX_SURFACE_CURVE:
        return flx_build_outline(e, surface, s);
    case FLX_SURFACE_LINE:
    case FLX_SURFACE_NODES:
    case FLX_SURFACE_FACES: // read elsewhere
        return FLX_OK;
    }
    return FLX_OK;
}

// ---- where --------------------------------------------------------------------------------------

static flx_status refuse_whole(flx_env *e, const flx_item *body, flx_loc loc)
{
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "'%s' bends: say by 'at' which node carries the surface, or give it "
                    "'nodes', 'faces' or a 'line'",
                    body->full);
}

// The frame that carries the surface, and where in it; at: a place or vector, or a name of `on`; NULL: the origin.
static flx_status find_place(flx_env *e, const flx_entry *at, flx_item **body, flx_loc loc,
                             flx_num3 *out)
{
    flx_builder *b = e->b;
    flx_operand v;
    flx_item *bodies[2] = {NULL, *body};
    flx_num3 places[2];
    flx_place p;
    bool pair, ground = (*body)->kind == FLX_KIND_GROUND;
    memset(out, 0, sizeof *out);
    FLX_TRY(flx_space_place(b, e->space));
    if (!at) {
        if (bends(b, *body)) return refuse_whole(e, *body, loc);
        if (ground) *out = e->space->position;
        return FLX_OK;
    }
    FLX_TRY(flx_build_value(e, at, &v));
    if (flx_operand_get_item(&v)) {
        FLX_TRY(flx_build_at(e, at, bodies, places, &pair));
        *body = bodies[1];
        *out = places[1];
        return FLX_OK;
    }
    if (bends(b, *body)) return refuse_whole(e, *body, at->loc);
    if (!ground) return flx_operand_to_num3(e, &v, at->loc, out);
    FLX_TRY(flx_operand_to_place(e, &v, at->loc, &p));
    *out = p.position;
    return FLX_OK;
}

// From axes of the body that the surface was given for to those of the frame that carries it.
static m33 axes_of_carrier(flx_env *e, const flx_item *named, const flx_item *body)
{
    flx_num3 position;
    flx_num9 R[2];
    if (body->kind == FLX_KIND_GROUND) return m33_load(e->space->R.x);
    if (named == body) return m33_identity();
    flx_body_frame(named, &position, &R[0]);
    flx_body_frame(body, &position, &R[1]);
    return m33_mul(m33_transpose(m33_load(R[1].x)), m33_load(R[0].x));
}

static flx_num3 centre_of(const flx_item *body)
{
    flx_num3 zero = {.x = {0}};
    if (body->kind != FLX_KIND_BODY) return zero;
    const flx_body_data *d = body->data;
    if (d->def.type == FLX_BODY_POINT || !d->com) return zero;
    return ((const flx_point_data *)d->com->data)->at;
}

// A point has no other place than its own.
static flx_status check_point(flx_env *e, const flx_item *body, const flx_num3 *at, flx_loc loc)
{
    bool point = body->kind == FLX_KIND_BODY && !flx_body_turns(body);
    if (!point || v3_norm(v3_load(at->x)) == 0.0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "'%s' is a point and has no other place than its own", body->full);
}

flx_status flx_build_surface(flx_env *e, flx_item *body, const flx_entry *place, const flx_entry *y,
                             flx_touching *out)
{
    flx_builder *b = e->b;
    flx_surface *s = flx_arena_take(b->m->arena, 1, sizeof *s);
    const flx_entry *at = flx_entry_get(y, "at"), *turn = flx_entry_get(y, "orientation");
    const flx_entry *round = flx_entry_get(y, "round"), *scale = flx_entry_get(y, "scale");
    flx_item *named = body;
    flx_num3 p;
    m33 axes;
    if (!s) return FLX_ERR_MEMORY;
    FLX_ASSERT(y->kind == FLX_ENTRY_MAP && kind_of(y)); // the schema has seen to it
    s->kind = kind_of(y);
    FLX_TRY(read_value(e, y, s, &axes));
    bool file = s->kind->value == FLX_SURFACE_FILE &&
                flx_entry_get(y, s->kind->row.key)->kind != FLX_ENTRY_LIST;
    if (scale && !file) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, scale->loc,
                        "'scale' is for surfaces of files; '%s' is in metres", s->kind->row.key);
    }
    if (round) FLX_TRY(read_not_negative(e, round, "a radius", &s->skin));
    if (round) FLX_TRY(check_round(e, s, round->loc));
    if (turn) {
        flx_num9 R;
        flx_num angle;
        FLX_TRY(flx_build_orientation(e, turn, &R, &angle));
        flx_num9_fix(b, &R, turn->loc);
        axes = m33_mul(m33_load(R.x), axes);
    }
    FLX_TRY(find_place(e, at ? at : place, &body, y->loc, &p));
    FLX_TRY(flx_body_ready(b, body, y->loc));
    FLX_TRY(check_point(e, body, &p, at ? at->loc : y->loc));
    flx_num3 com = centre_of(body);
    flx_num3_fix(b, &p, y->loc);
    flx_num3_fix(b, &com, y->loc);
    v3_store(s->at, v3_sub(v3_load(p.x), v3_load(com.x)));
    m33_store(s->axes, m33_mul(axes_of_carrier(e, named, body), axes));
    *out = (flx_touching){.body = body, .named = named, .side = {body->number, s, y->loc}};
    return FLX_OK;
}

flx_status flx_build_surfaces(flx_env *e, flx_item *body, const flx_entry *place,
                              const flx_entry *y, int *n, flx_touching **out)
{
    const flx_surface_kind *kind = kind_of(y);
    if (flx_surface_is_deforming(kind)) return flx_build_deforming(e, body, kind, y, n, out);
    *n = 1;
    *out = flx_take(e->b, 1, sizeof **out);
    return *out ? flx_build_surface(e, body, place, y, *out) : FLX_ERR_MEMORY;
}

flx_status flx_body_surfaces(flx_builder *b, flx_item *body)
{
    const flx_entry *y = flx_entry_get(body->def, "surface");
    flx_body_data *d = body->data;
    flx_env e;
    if (!y || d->touching) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    int n = list ? y->count : 1, all = 0;
    flx_touching **of = flx_take(b, (size_t)n, sizeof *of);
    int *many = flx_take(b, (size_t)n, sizeof *many);
    if (!of || !many) return FLX_ERR_MEMORY;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_body_place(b, body, y->loc));
    for (int i = 0; i < n; i++) {
        const flx_entry *one = list ? y->items[i] : y;
        FLX_TRY(flx_build_surfaces(&e, body, NULL, one, many + i, of + i));
        all += many[i];
    }
    d->touching = flx_take(b, (size_t)all, sizeof *d->touching);
    if (!d->touching) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        memcpy(d->touching + d->ntouching, of[i], (size_t)many[i] * sizeof **of);
        d->ntouching += many[i];
    }
    return FLX_OK;
}
