// film_symbols.c - joints and the ground as engineers draw them, in pictures without a browser; the page has more of
// them (viewer/src/symbols.ts).
#include "draw/film.h"

#include <math.h>
#include <string.h>

#define PLANE 0.014 // unit of the symbols in a plane, part of the scene's size, ...
#define SPACE 0.017 // ... and in space
#define LOOKED_AT 200
#define ROOM 3.5 // units that a rail goes beyond what slides on it

typedef struct drawer {
    const flx_result *r;
    const flx_scene *s;
    const flx_layers *layers;
    flx_symbols *out;
    bool planar;
    double u;
    v3 up;
} drawer;

static flx_triangles *solid_on(const drawer *d, int body)
{
    return body < 0 ? &d->out->posts : d->out->bodies + body;
}

// Axes with y along the direction.
static m33 axes_along(v3 y, v3 near)
{
    y = v3_unit(y);
    v3 z = v3_sub(near, v3_scale(v3_dot(near, y), y));
    if (v3_norm(z) < 1e-3) {
        v3 other = fabs(y.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
        z = v3_sub(other, v3_scale(v3_dot(other, y), y));
    }
    z = v3_unit(z);
    return m33_from_cols(v3_cross(y, z), y, z);
}

// ---- where things are ---------------------------------------------------------------------------

static flx_scene_place place_at(const drawer *d, int body, int row)
{
    if (body < 0) return (flx_scene_place){.R = m33_identity(), .known = true};
    return flx_scene_find(d->s->bodies + body, d->r->motion + (size_t)row * (size_t)d->r->nmotion);
}

static v3 end_at(const drawer *d, const flx_scene_link *l, int end, int row)
{
    flx_scene_place p = place_at(d, l->body[end], row);
    return flx_scene_move(&p, v3_load(l->at[end]));
}

// How far the other end goes along the axis, in the frame of end `carrier`.
static void find_travel(const drawer *d, const flx_scene_link *j, int carrier, v3 axis,
                        double travel[2])
{
    int n = flx_frame_count(d->r->rows, LOOKED_AT);
    travel[0] = travel[1] = 0;
    for (int i = 0; i < n; i++) {
        int row = flx_frame_row(d->r->rows, n, i);
        flx_scene_place p = place_at(d, j->body[carrier], row);
        v3 by = v3_sub(end_at(d, j, 1 - carrier, row), end_at(d, j, carrier, row));
        double x = v3_dot(by, m33_mul_v(p.R, axis));
        travel[0] = fmin(travel[0], x); // NaN is neither
        travel[1] = fmax(travel[1], x);
    }
}

// Over the sheets of both bodies.
static v3 over(const drawer *d, v3 at, int a, int b)
{
    if (!d->planar) return at;
    flx_layer x = flx_layer_of(d->layers, a), y = flx_layer_of(d->layers, b);
    at.z = fmax(x.z + x.half, y.z + y.half) + 0.12 * d->u;
    return at;
}

// ---- the ground ---------------------------------------------------------------------------------

static flx_status add_block(flx_triangles *s, v3 at, m33 R, double x, double y, double z)
{
    const double edges[3] = {x, y, z};
    return flx_triangles_add_box(s, at, R, edges);
}

// A plate with strokes behind it; the normal points to the free side.
static flx_status add_plate(const drawer *d, v3 at, v3 normal)
{
    const double u = d->u, length = 5 * u, deep = d->planar ? 0.3 * u : length;
    if (d->planar) at.z = d->layers->ground.z;
    m33 R = axes_along(normal, v3_make(0, 0, 1));
    v3 x = m33_col(R, 0), y = m33_col(R, 1);
    FLX_TRY(
        add_block(&d->out->ground, v3_add(at, v3_scale(-0.17 * u, y)), R, length, 0.35 * u, deep));
    m33 slant = m33_from_cols(v3_unit(v3_sub(x, v3_scale(0.84, y))),
                              v3_unit(v3_add(y, v3_scale(0.84, x))), m33_col(R, 2));
    for (int i = 0; i < 5; i++) {
        v3 p = v3_add(at, v3_add(v3_scale((i - 2.2) * u, x), v3_scale(-0.85 * u, y)));
        FLX_TRY(add_block(&d->out->ground, p, slant, 0.2 * u, 1.5 * u, deep));
    }
    return FLX_OK;
}

static flx_status add_stand(const drawer *d, v3 at)
{
    const double u = d->u, h = 3.4 * u;
    v3 foot = v3_sub(at, v3_scale(h, d->up));
    v3 place = foot;
    if (d->planar) place.z = d->layers->ground.z;
    FLX_TRY(flx_triangles_add_cone(&d->out->ground, place, d->up, (d->planar ? 1.9 : 2.2) * u, h));
    return add_plate(d, foot, d->up);
}

// ---- joints -------------------------------------------------------------------------------------

static flx_status add_rail(const drawer *d, int body, v3 at, v3 axis, const double travel[2])
{
    double low = travel[0] - ROOM * d->u, high = travel[1] + ROOM * d->u;
    v3 middle = v3_add(at, v3_scale(0.5 * (low + high), axis));
    if (d->planar) middle.z = flx_layer_of(d->layers, body).z;
    FLX_TRY(
        flx_triangles_add_round(solid_on(d, body), middle, axis, 0.45 * d->u, high - low, false));
    if (body >= 0) return FLX_OK;
    FLX_TRY(add_plate(d, v3_add(at, v3_scale(low, axis)), axis));
    return add_plate(d, v3_add(at, v3_scale(high, axis)), v3_scale(-1, axis));
}

static flx_status add_hinge(const drawer *d, const flx_scene_link *j, int carrier, v3 axis)
{
    int body = j->body[carrier];
    v3 at = v3_load(j->at[carrier]), middle = at;
    double length = 5 * d->u, radius = 1.3 * d->u;
    if (d->planar) {
        flx_layer a = flx_layer_of(d->layers, j->body[0]), b = flx_layer_of(d->layers, j->body[1]);
        double low = fmin(a.z - a.half, b.z - b.half);
        double high = over(d, at, j->body[0], j->body[1]).z;
        middle.z = 0.5 * (low + high);
        length = high - low;
        radius = 1.1 * d->u;
        axis = v3_make(0, 0, 1);
    }
    FLX_TRY(flx_triangles_add_round(solid_on(d, body), middle, axis, radius, length, false));
    return body < 0 ? add_stand(d, at) : FLX_OK;
}

// From the joint to what it holds: along a beam, else to the centre of mass.
static v3 inward(const drawer *d, const flx_scene_link *j, int carrier)
{
    int other = j->body[1 - carrier], from = other;
    if (other < 0) return d->up;
    for (int i = 0; i < d->s->nline; i++) {
        const flx_scene_line *l = d->s->lines + i;
        for (int k = 0; k < l->nnode && l->nnode > 1; k++) {
            if (l->nodes[k] == other) from = l->nodes[k > 0 ? k - 1 : 1];
        }
    }
    flx_scene_place p = place_at(d, from, 0);
    v3 to = flx_scene_move(&p, v3_load(d->s->bodies[from].com));
    v3 by = v3_sub(to, end_at(d, j, 1 - carrier, 0));
    return v3_norm(by) > 1e-6 * d->s->size ? v3_unit(by) : d->up;
}

static bool is(const flx_scene_link *j, const char *type)
{
    return strcmp(j->type, type) == 0;
}

static flx_status add_ball(const drawer *d, const flx_scene_link *j, int end)
{
    v3 at = over(d, v3_load(j->at[end]), j->body[end], j->body[end]);
    return flx_triangles_add_round(solid_on(d, j->body[end]), at, v3_make(0, 0, 1), 1.1 * d->u, 0,
                                   true);
}

static flx_status add_slide(const drawer *d, const flx_scene_link *j, int carrier, v3 axis,
                            v3 other_axis)
{
    double travel[2];
    int other = j->body[1 - carrier];
    find_travel(d, j, carrier, axis, travel);
    FLX_TRY(add_rail(d, j->body[carrier], v3_load(j->at[carrier]), axis, travel));
    if (is(j, "point-on-line")) return add_ball(d, j, 1 - carrier);
    v3 at = over(d, v3_load(j->at[1 - carrier]), j->body[carrier], other);
    if (!is(j, "prismatic")) {
        return flx_triangles_add_round(solid_on(d, other), at, other_axis, 1.4 * d->u, 3 * d->u,
                                       false);
    }
    return add_block(solid_on(d, other), at, axes_along(other_axis, v3_make(0, 0, 1)), 1.7 * d->u,
                     3.4 * d->u, (d->planar ? 0.2 : 1.7) * d->u);
}

static flx_status add_weld(const drawer *d, const flx_scene_link *j, int carrier)
{
    int end = j->body[carrier] < 0 ? 1 - carrier : carrier;
    v3 at = over(d, v3_load(j->at[end]), j->body[0], j->body[1]);
    FLX_TRY(add_block(solid_on(d, j->body[end]), at, m33_identity(), 1.8 * d->u, 1.8 * d->u,
                      (d->planar ? 0.2 : 1.8) * d->u));
    if (j->body[carrier] >= 0) return FLX_OK;
    return add_plate(d, v3_load(j->at[carrier]), inward(d, j, carrier));
}

static flx_status add_cross(const drawer *d, const flx_scene_link *j, int carrier)
{
    for (int k = 0; k < 2; k++) {
        v3 axis = v3_load(k ? j->axis2 : j->axis);
        FLX_TRY(flx_triangles_add_round(solid_on(d, j->body[k]), v3_load(j->at[k]), axis,
                                        0.55 * d->u, 4 * d->u, false));
    }
    return j->body[carrier] < 0 ? add_stand(d, v3_load(j->at[carrier])) : FLX_OK;
}

static flx_status add_joint(const drawer *d, const flx_scene_link *j)
{
    const char *const none[] = {"free", "rolling", "knife-edge"};
    bool one_sided = strncmp(j->type, "point-on", 8) == 0;
    int carrier = !one_sided && j->body[1] < 0 ? 1 : 0;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        if (is(j, none[i])) return FLX_OK;
    }
    v3 axis = v3_load(j->axis);
    flx_scene_place first = place_at(d, j->body[0], 0);
    v3 world = v3_norm(axis) > 0 ? m33_mul_v(first.R, v3_unit(axis)) : v3_make(0, 0, 1);
    v3 own = m33_mul_v(m33_transpose(place_at(d, j->body[carrier], 0).R), world);
    v3 other = m33_mul_v(m33_transpose(place_at(d, j->body[1 - carrier], 0).R), world);
    if (is(j, "revolute")) return add_hinge(d, j, carrier, own);
    if (is(j, "prismatic") || is(j, "cylindrical") || is(j, "screw") || is(j, "point-on-line")) {
        return add_slide(d, j, carrier, own, other);
    }
    if (is(j, "fixed")) return add_weld(d, j, carrier);
    if (is(j, "universal")) return add_cross(d, j, carrier);
    if (is(j, "distance")) FLX_TRY(add_ball(d, j, carrier));
    FLX_TRY(add_ball(d, j, 1 - carrier));
    if (j->body[carrier] >= 0 || one_sided || is(j, "planar")) return FLX_OK;
    if (is(j, "distance")) return add_plate(d, v3_load(j->at[carrier]), inward(d, j, carrier));
    return add_stand(d, v3_load(j->at[carrier]));
}

// Where the ground holds a spring.
static flx_status add_anchors(const drawer *d, const flx_scene_link *f)
{
    for (int k = 0; k < 2 && !is(f, "force"); k++) {
        if (f->body[k] >= 0) continue;
        v3 by = v3_sub(end_at(d, f, 1 - k, 0), v3_load(f->at[k]));
        FLX_TRY(add_plate(d, v3_load(f->at[k]), v3_norm(by) > 0 ? by : d->up));
    }
    return FLX_OK;
}

flx_status flx_symbols_make(const flx_result *r, const flx_scene *s, const flx_layers *layers,
                            v3 up, flx_symbols *out)
{
    bool planar = s->dimension == 2;
    drawer d = {r, s, layers, out, planar, (planar ? PLANE : SPACE) * s->size, up};
    out->bodies = flx_alloc(r->ctx, (size_t)s->nbody, sizeof *out->bodies);
    if (!out->bodies) return FLX_ERR_MEMORY;
    out->posts.ctx = out->ground.ctx = r->ctx;
    for (int i = 0; i < s->nbody; i++) out->bodies[i].ctx = r->ctx;
    for (int i = 0; i < s->njoint; i++) FLX_TRY(add_joint(&d, s->joints + i));
    for (int i = 0; i < s->nforce; i++) FLX_TRY(add_anchors(&d, s->forces + i));
    return FLX_OK;
}

void flx_symbols_clear(flx_symbols *s, int nbody)
{
    for (int i = 0; s->bodies && i < nbody; i++) flx_triangles_clear(&s->bodies[i]);
    flx_triangles_clear(&s->posts);
    flx_triangles_clear(&s->ground);
    flx_free(s->bodies);
    s->bodies = NULL;
}
