// draw.c - where things are drawn: frames of parts and bodies, points, places, directions.
//
// Inside a part the part's frame takes the place of the ground axes. Everything here is turned into
// ground coordinates as drawn: p = p_part + R_part x, and with the part's motion (v, w)
//     velocity = v + w x (p - p_part) + R_part v_x.
#include "model/deformable.h"

#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double origin[3] = {0, 0, 0};

static v3 space_to_ground(const flx_space *s, v3 x)
{
    return v3_add(v3_load(s->position), m33_mul_v(m33_load(s->R), x));
}

// ---- orientation --------------------------------------------------------------------------------

// cos I + sin n~ + (1 - cos) n n^T
static m33 turn_about(v3 axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    v3 n = v3_unit(axis);
    m33 R = m33_add(m33_scale(c, m33_identity()), m33_scale(s, m33_skew(n)));
    return m33_add(R, m33_scale(1 - c, m33_outer(n, n)));
}

static flx_status unit_vector(flx_env *e, const flx_yaml *y, v3 *out)
{
    double v[3];
    FLX_TRY(flx_build_vector(e, y, v));
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "a direction cannot be zero");
    }
    // any length, also where its square is no number
    *out = v3_unit(v3_make(v[0] / largest, v[1] / largest, v[2] / largest));
    return FLX_OK;
}

// The shortest turn that brings the x axis to a direction: I + n~ + n~ n~/(1 + cos), n = ex x dir.
static m33 shortest_turn(v3 x)
{
    // Half a turn has no shortest axis: about z.
    if (!(x.x > -1 + 1e-12)) return (m33){{-1, 0, 0, 0, -1, 0, 0, 0, 1}};
    m33 N = m33_skew(v3_cross(v3_make(1, 0, 0), x));
    return m33_add(m33_add(m33_identity(), N), m33_scale(1 / (1 + x.x), m33_mul(N, N)));
}

static flx_status directions(flx_env *e, const flx_yaml *def, m33 *R)
{
    v3 x = {0, 0, 0}, y = {0, 0, 0};
    const flx_yaml *second = flx_yaml_get(def, "y");
    FLX_TRY(unit_vector(e, flx_yaml_get(def, "x"), &x));
    if (!second) {
        *R = shortest_turn(x);
        return FLX_OK;
    }
    FLX_TRY(unit_vector(e, second, &y));
    v3 z = v3_cross(x, y);
    if (!(v3_norm(z) > 1e-9)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, second->loc,
                        "the directions x and y are parallel");
    }
    z = v3_unit(z);
    *R = m33_from_cols(x, v3_cross(z, x), z);
    return FLX_OK;
}

static flx_status quaternion(flx_env *e, const flx_yaml *def, m33 *R)
{
    int n = 0;
    double *q = NULL;
    FLX_TRY(flx_build_numbers(e, def, &n, &q));
    if (n != 4) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc,
                        "a quaternion has 4 numbers, w x y z, not %d", n);
    }
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "a quaternion cannot be zero");
    }
    if (!isfinite(norm)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "the quaternion is far too large");
    }
    if (fabs(norm - 1) > 1e-6) {
        flx_ctx_warn(e->b->ctx, def->loc, "the quaternion has the length %g and was normalised",
                     norm);
    }
    *R = quat_to_m33(quat_unit(quat_load(q)));
    return FLX_OK;
}

static flx_status matrix(flx_env *e, const flx_yaml *def, m33 *R)
{
    int n = 0;
    double *m = NULL;
    FLX_TRY(flx_build_numbers(e, def, &n, &m));
    if (n != 9) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "a rotation matrix has 3 rows of 3");
    }
    *R = m33_load(m);
    m33 error = m33_sub(m33_tmul(*R, *R), m33_identity());
    double largest = 0, det = v3_dot(m33_row(*R, 0), v3_cross(m33_row(*R, 1), m33_row(*R, 2)));
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(error.m[i]));
    if (!(largest < 1e-5) || det < 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "the matrix is not a rotation%s",
                        largest < 1e-5 ? ": its determinant is -1" : "");
    }
    *R = quat_to_m33(quat_from_m33(*R)); // digits that were cut off
    return FLX_OK;
}

static flx_status euler(flx_env *e, const flx_yaml *def, m33 *R)
{
    const flx_yaml *sequence = flx_yaml_get(def, "sequence"), *angles = flx_yaml_get(def, "angles");
    int n = 0;
    double *a = NULL;
    if (!sequence || !angles) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc,
                        "euler needs a sequence and angles, as in {sequence: zxz, angles: [a, b, "
                        "c]}");
    }
    FLX_TRY(flx_build_numbers(e, angles, &n, &a));
    const char *s = sequence->kind == FLX_YAML_SCALAR ? sequence->text : "";
    if (strlen(s) != 3 || strspn(s, "xyz") != 3 || s[0] == s[1] || s[1] == s[2]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, sequence->loc,
                        "a sequence is three letters of x, y and z, no two neighbours equal");
    }
    if (n != 3) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, angles->loc, "expected 3 angles, found %d", n);
    }
    *R = m33_identity();
    for (int i = 0; i < 3; i++) { // about the turned axes: each turn is in the frame so far
        v3 axis = v3_make(s[i] == 'x', s[i] == 'y', s[i] == 'z');
        *R = m33_mul(*R, turn_about(axis, a[i]));
    }
    return FLX_OK;
}

static flx_status planar_orientation(flx_env *e, const flx_yaml *y, double R[9], double *angle)
{
    if (y->kind == FLX_YAML_MAP) {
        v3 x = {0, 0, 0};
        if (!flx_yaml_get(y, "x")) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "in a planar model an orientation is a number, the angle");
        }
        FLX_TRY(unit_vector(e, flx_yaml_get(y, "x"), &x));
        *angle = atan2(x.y, x.x);
    } else {
        FLX_TRY(flx_build_number(e, y, angle));
    }
    double c = cos(*angle), s = sin(*angle);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(R, turned, sizeof turned);
    return FLX_OK;
}

flx_status flx_build_orientation(flx_env *e, const flx_yaml *y, double R[9], double *angle)
{
    *angle = 0;
    if (e->b->m->dimension == 2) return planar_orientation(e, y, R, angle);
    if (y->kind != FLX_YAML_MAP) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation in space is a mapping, as in {axis: [0, 0, 1], angle: "
                        "0.1}");
    }
    m33 T = m33_identity();
    const flx_yaml *axis = flx_yaml_get(y, "axis"), *q = flx_yaml_get(y, "quaternion");
    const flx_yaml *m = flx_yaml_get(y, "matrix"), *eu = flx_yaml_get(y, "euler");
    if (axis) {
        v3 n = {0, 0, 0};
        double a = 0;
        const flx_yaml *by = flx_yaml_get(y, "angle");
        if (!by) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "an orientation by axis needs the key 'angle'");
        }
        FLX_TRY(unit_vector(e, axis, &n));
        FLX_TRY(flx_build_number(e, by, &a));
        T = turn_about(n, a);
    } else if (q) {
        FLX_TRY(quaternion(e, q, &T));
    } else if (m) {
        FLX_TRY(matrix(e, m, &T));
    } else if (eu) {
        FLX_TRY(euler(e, eu, &T));
    } else if (flx_yaml_get(y, "x")) {
        FLX_TRY(directions(e, y, &T));
    } else {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation needs axis and angle, quaternion, matrix, euler, or x");
    }
    m33_store(R, T);
    return FLX_OK;
}

// ---- frames of parts and bodies -----------------------------------------------------------------

typedef struct frame {
    double position[3], R[9], angle;
} frame;

// `position` and `orientation` of a definition, seen from the ground.
static flx_status draw_frame(flx_env *e, const flx_yaml *def, frame *f)
{
    const flx_yaml *position = flx_yaml_get(def, "position");
    const flx_yaml *orientation = flx_yaml_get(def, "orientation");
    flx_space *s = e->space;
    FLX_TRY(flx_space_place(e->b, s));
    double R[9], angle = 0;
    flx_place place;
    memcpy(R, identity, sizeof R);
    memcpy(f->position, s->position, sizeof f->position);
    if (position) {
        FLX_TRY(flx_build_place(e, position, &place));
        memcpy(f->position, place.position, sizeof f->position);
    }
    if (orientation) FLX_TRY(flx_build_orientation(e, orientation, R, &angle));
    f->angle = s->angle + angle;
    if (s->plain) {
        memcpy(f->R, R, sizeof f->R);
    } else {
        m33_store(f->R, m33_mul(m33_load(s->R), m33_load(R)));
    }
    return FLX_OK;
}

static flx_status place_part(flx_builder *b, flx_space *s)
{
    flx_env e;
    frame f;
    const flx_yaml *def = s->part->def;
    flx_env_of(&e, b, s->part, FLX_MODE_CONSTANT);
    FLX_TRY(draw_frame(&e, def, &f));
    memcpy(s->position, f.position, sizeof s->position);
    memcpy(s->R, f.R, sizeof s->R);
    s->angle = f.angle;
    s->plain = v3_norm(v3_load(s->position)) == 0;
    for (int i = 0; i < 9; i++) s->plain = s->plain && s->R[i] == identity[i];
    return flx_build_motion(&e, def, f.position, s->velocity, s->angular_velocity);
}

flx_status flx_build_motion(flx_env *e, const flx_yaml *def, const double position[3],
                            double velocity[3], double angular_velocity[3])
{
    const flx_yaml *v = flx_yaml_get(def, "velocity");
    const flx_yaml *w = flx_yaml_get(def, "angular_velocity");
    flx_space *s = e->space;
    double given_v[3] = {0, 0, 0}, given_w[3] = {0, 0, 0};
    FLX_TRY(flx_space_place(e->b, s));
    if (v) FLX_TRY(flx_build_start_vector(e, v, given_v));
    if (w && e->b->m->dimension == 2) {
        FLX_TRY(flx_build_start(e, w, &given_w[2]));
    } else if (w) {
        FLX_TRY(flx_build_start_vector(e, w, given_w));
    }
    m33 R = m33_load(s->R);
    v3 arm = v3_sub(v3_load(position), v3_load(s->position));
    v3 carried = v3_add(v3_load(s->velocity), v3_cross(v3_load(s->angular_velocity), arm));
    v3_store(velocity, v3_add(carried, m33_mul_v(R, v3_load(given_v))));
    v3_store(angular_velocity,
             v3_add(v3_load(s->angular_velocity), m33_mul_v(R, v3_load(given_w))));
    return FLX_OK;
}

flx_status flx_space_place(flx_builder *b, flx_space *s)
{
    bool skip = false;
    if (s->placed == FLX_ITEM_DONE) return FLX_OK;
    FLX_TRY(flx_item_enter(b, s->part, &s->placed, "drawing", s->part->loc, &skip));
    return flx_item_leave(b, &s->placed, place_part(b, s));
}

// The ends of a flexible body, which joints ask for.
static flx_status place_beam(flx_env *e, const flx_item *body, flx_body_data *d)
{
    const flx_yaml *from = flx_yaml_get(body->def, "from"), *to = flx_yaml_get(body->def, "to");
    const flx_yaml *curve = flx_yaml_get(body->def, "curve");
    flx_place ends[2] = {{NULL, {0, 0, 0}}, {NULL, {0, 0, 0}}};
    if (from && to) {
        FLX_TRY(flx_build_place(e, from, &ends[0]));
        FLX_TRY(flx_build_place(e, to, &ends[1]));
    } else if (curve) {
        for (int i = 0; i < 2; i++) {
            flx_local s = {"s", flx_value_number(flx_graph_const(e->b->g, i)), body->locals};
            flx_env at = *e;
            at.scope.user = &at;
            at.locals = &s;
            FLX_TRY(flx_build_place(&at, curve, &ends[i]));
        }
    }
    memcpy(d->def.position, ends[0].position, sizeof ends[0].position);
    memcpy(d->def.R, identity, sizeof identity);
    d->def.angle = 0;
    for (int i = 0; i < 3; i++) d->end[i] = ends[1].position[i] - ends[0].position[i];
    return FLX_OK;
}

static flx_status place_line(flx_env *e, const flx_item *body, flx_body_data *d)
{
    const flx_yaml *fe = flx_yaml_get(body->def, "fe");
    const flx_yaml *line = fe && fe->kind == FLX_YAML_MAP ? flx_yaml_get(fe, "line") : NULL;
    if (!line || line->kind != FLX_YAML_LIST || line->count < 2) return FLX_OK;
    FLX_TRY(flx_build_vector(e, line->items[0], d->start));
    return flx_build_vector(e, line->items[line->count - 1], d->end);
}

static flx_status place_body(flx_builder *b, flx_item *body)
{
    flx_body_data *d = body->data;
    flx_env e;
    frame f;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_space_place(b, body->space));
    if (d->beam) return flx_beam_place(b, body);
    if (strcmp(d->word, "beam") == 0) return place_beam(&e, body, d);
    FLX_TRY(draw_frame(&e, body->def, &f));
    memcpy(d->def.position, f.position, sizeof f.position);
    memcpy(d->def.R, f.R, sizeof f.R);
    d->def.angle = f.angle;
    if (d->def.type == FLX_BODY_POINT &&
        !d->solid) { // its axes are the ground's, whatever the part's
        memcpy(d->def.R, identity, sizeof identity);
        d->def.angle = 0;
    }
    if (d->solid) return flx_solid_place(b, body);
    return d->flexible ? place_line(&e, body, d) : FLX_OK;
}

flx_status flx_body_place(flx_builder *b, flx_item *body, flx_loc loc)
{
    if (body->kind == FLX_KIND_GROUND) return FLX_OK;
    flx_body_data *d = body->data;
    bool skip = false;
    if (flx_body_is_beam_node(body) && d->carrier) return flx_body_place(b, d->carrier, loc);
    FLX_TRY(flx_item_enter(b, body, &d->placed, "drawing", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->placed, place_body(b, body));
}

void flx_body_frame(const flx_item *body, double position[3], double R[9])
{
    const flx_body_data *d = body->data;
    bool ground = body->kind == FLX_KIND_GROUND;
    memcpy(position, ground ? origin : d->def.position, sizeof origin);
    memcpy(R, ground ? identity : d->def.R, sizeof identity);
}

bool flx_body_turns(const flx_item *body)
{
    return body->kind == FLX_KIND_BODY &&
           ((const flx_body_data *)body->data)->def.type != FLX_BODY_POINT;
}

void flx_ground_to_body(const flx_item *body, const double p[3], double out[3])
{
    double position[3], R[9];
    flx_body_frame(body, position, R);
    v3_store(out, m33_tmul_v(m33_load(R), v3_sub(v3_load(p), v3_load(position))));
}

// ---- points -------------------------------------------------------------------------------------

static flx_status resolve_point(flx_builder *b, flx_item *point, flx_point_data *d)
{
    const flx_yaml *def = point->def, *orientation = NULL;
    double angle = 0;
    flx_env e;
    flx_value v;
    memcpy(d->R, identity, sizeof identity);
    if (!def) return FLX_OK; // the centre of mass at the origin
    flx_env_of(&e, b, point, FLX_MODE_CONSTANT);
    if (def->kind == FLX_YAML_MAP) {
        orientation = flx_yaml_get(def, "orientation");
        FLX_TRY(flx_build_need(b, point, "at", &def));
    }
    FLX_TRY(flx_build_value(&e, def, &v));
    const flx_item *other = flx_value_get_item(&v);
    if (other && !other->family) { // a place by name: where it is drawn
        double p[3], R[9];
        FLX_TRY(flx_body_place(b, d->body, def->loc));
        FLX_TRY(flx_item_drawn(b, other, def->loc, p, R));
        flx_ground_to_body(d->body, p, d->at);
    } else {
        FLX_TRY(flx_value_to_constants(&e, &v, def->loc, d->at));
        flx_space *s = point->space;
        if (!flx_body_turns(d->body)) { // axes of a point are the ground's
            FLX_TRY(flx_space_place(b, s));
            v3_store(d->at, m33_mul_v(m33_load(s->R), v3_load(d->at)));
        }
    }
    return orientation ? flx_build_orientation(&e, orientation, d->R, &angle) : FLX_OK;
}

flx_status flx_point_resolve(flx_builder *b, flx_item *point, flx_loc loc)
{
    flx_point_data *d = point->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, point, &d->state, "drawing", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->state, resolve_point(b, point, d));
}

flx_status flx_body_ready(flx_builder *b, flx_item *body, flx_loc loc)
{
    if (body->kind == FLX_KIND_GROUND) return FLX_OK;
    FLX_TRY(flx_body_place(b, body, loc));
    return flx_point_resolve(b, ((flx_body_data *)body->data)->com, loc);
}

flx_status flx_item_frame(flx_builder *b, const flx_item *item, flx_loc loc, flx_item **body,
                          double at[3], double R[9])
{
    memcpy(at, origin, sizeof origin);
    memcpy(R, identity, sizeof identity);
    *body = (flx_item *)item;
    if (item->kind == FLX_KIND_POINT && !item->family) {
        flx_point_data *d = item->data;
        FLX_TRY(flx_point_resolve(b, (flx_item *)item, loc));
        memcpy(at, d->at, sizeof d->at);
        memcpy(R, d->R, sizeof d->R);
        *body = d->body;
        return FLX_OK;
    }
    if (item->family || (item->kind != FLX_KIND_BODY && item->kind != FLX_KIND_GROUND)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not a place",
                        flx_item_word(item->kind), item->full);
    }
    return FLX_OK;
}

flx_status flx_item_drawn(flx_builder *b, const flx_item *item, flx_loc loc, double position[3],
                          double R[9])
{
    flx_item *body = NULL;
    double at[3], turned[9], p[3], frame_R[9];
    FLX_TRY(flx_item_frame(b, item, loc, &body, at, turned));
    FLX_TRY(flx_body_place(b, body, loc));
    flx_body_frame(body, p, frame_R);
    m33 F = m33_load(frame_R);
    v3_store(position, v3_add(v3_load(p), m33_mul_v(F, v3_load(at))));
    m33_store(R, m33_mul(F, m33_load(turned)));
    return FLX_OK;
}

// ---- places and directions ----------------------------------------------------------------------

static flx_status place_of_value(flx_env *e, const flx_value *v, flx_loc loc, flx_place *out)
{
    double x[3], R[9];
    out->item = NULL;
    const flx_item *item = flx_value_get_item(v);
    if (item && item->kind != FLX_KIND_PART) {
        if (item->family) {
            flx_value held;
            return flx_env_coerce(&e->scope, v, loc, &held); // says which of the family
        }
        FLX_TRY(flx_item_drawn(e->b, item, loc, out->position, R));
        out->item = item;
        return FLX_OK;
    }
    FLX_TRY(flx_value_to_constants(e, v, loc, x));
    FLX_TRY(flx_space_place(e->b, e->space));
    v3_store(out->position, e->space->plain ? v3_load(x) : space_to_ground(e->space, v3_load(x)));
    return FLX_OK;
}

flx_status flx_build_place(flx_env *e, const flx_yaml *y, flx_place *out)
{
    flx_value v;
    FLX_TRY(flx_build_value(e, y, &v));
    return place_of_value(e, &v, y->loc, out);
}

flx_status flx_build_frame(flx_env *e, const flx_yaml *y, const flx_item **out)
{
    flx_value v;
    FLX_TRY(flx_build_value(e, y, &v));
    *out = flx_value_get_item(&v);
    if (*out && !(*out)->family &&
        ((*out)->kind == FLX_KIND_BODY || (*out)->kind == FLX_KIND_POINT ||
         (*out)->kind == FLX_KIND_GROUND)) {
        return FLX_OK;
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "'frame' takes the name of a body, of a point, or ground");
}

flx_status flx_build_direction(flx_env *e, const flx_yaml *y, const flx_yaml *frame_name,
                               double out[3])
{
    v3 d = {0, 0, 0};
    FLX_TRY(unit_vector(e, y, &d));
    FLX_TRY(flx_space_place(e->b, e->space));
    double R[9], position[3];
    memcpy(R, e->space->R, sizeof R);
    if (frame_name) {
        const flx_item *f = NULL;
        FLX_TRY(flx_build_frame(e, frame_name, &f));
        if (f->kind != FLX_KIND_GROUND) {
            FLX_TRY(flx_item_drawn(e->b, f, frame_name->loc, position, R));
        }
    }
    v3_store(out, m33_mul_v(m33_load(R), d));
    return FLX_OK;
}

// ---- on, at -------------------------------------------------------------------------------------

// NULL, with the message recorded, when it is neither a body nor a joint.
static flx_item *body_of_value(flx_env *e, const flx_yaml *y, flx_status *status)
{
    flx_value v, held;
    *status = flx_build_value(e, y, &v);
    if (*status != FLX_OK) return NULL;
    flx_item *item = (flx_item *)flx_value_get_item(&v);
    flx_kind kind = item ? item->kind : FLX_KIND_PARAMETER;
    bool body = kind == FLX_KIND_BODY || kind == FLX_KIND_GROUND || kind == FLX_KIND_JOINT;
    if (body && !item->family) return item;
    *status = FLX_ERR_MODEL;
    if (!item) {
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'on' takes names of bodies or joints");
    } else if (item->family) {
        (void)flx_env_coerce(&e->scope, &v, y->loc, &held); // says which one to choose
    } else if (kind == FLX_KIND_POINT) {
        const flx_point_data *d = item->data;
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                       "'%s' is a point; 'on' takes its body '%s', and 'at' the point", item->full,
                       d->body->full);
    } else {
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s '%s' is neither a body nor a joint",
                       flx_item_word(kind), item->full);
    }
    return NULL;
}

flx_status flx_build_on(flx_env *e, const flx_yaml *y, int *n, flx_item *items[2])
{
    bool list = y->kind == FLX_YAML_LIST;
    items[0] = items[1] = NULL;
    *n = list ? y->count : 1;
    if (*n < 1 || *n > 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'on' takes one name or two, not %d", *n);
    }
    for (int i = 0; i < *n; i++) {
        flx_status status = FLX_OK;
        items[i] = body_of_value(e, list ? y->items[i] : y, &status);
        if (!items[i]) return status;
    }
    bool beam = items[0]->kind == FLX_KIND_BODY && flx_body_is_beam_node(items[0]);
    if (*n == 2 && items[0] == items[1] && !beam) { // a beam may close on itself
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[1]->loc,
                        "'%s' is there twice; a %s cannot be joined to itself", items[0]->full,
                        items[0]->kind == FLX_KIND_JOINT ? "joint" : "body");
    }
    if (*n == 2 && (items[0]->kind == FLX_KIND_JOINT) != (items[1]->kind == FLX_KIND_JOINT)) {
        int k = items[1]->kind == FLX_KIND_JOINT;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[k]->loc,
                        "'%s' is a joint and '%s' a body; 'on' takes two of a kind", items[k]->full,
                        items[1 - k]->full);
    }
    return FLX_OK;
}

// The body that a place is on; a node of a beam is on the beam.
static const flx_item *body_of_place(const flx_place *p)
{
    if (!p->item) return NULL;
    const flx_item *body =
        p->item->kind == FLX_KIND_POINT ? ((flx_point_data *)p->item->data)->body : p->item;
    if (!flx_body_is_beam_node(body)) return body;
    const flx_item *carrier = ((const flx_body_data *)body->data)->carrier;
    return carrier ? carrier : body;
}

// A place on an elastic body is one of its nodes, or its frame.
static flx_status place_on_elastic(flx_env *e, const flx_place *p, flx_item **body, flx_loc loc,
                                   double out[3])
{
    int node = FLX_GROUND;
    memcpy(out, origin, sizeof origin);
    FLX_TRY(flx_body_place(e->b, *body, loc));
    if (p->item == *body) return FLX_OK;
    if (p->item && p->item->kind == FLX_KIND_POINT && body_of_place(p) == *body) {
        node = ((const flx_point_data *)p->item->data)->node;
    }
    if (node < 0) FLX_TRY(flx_flexible_node_at(e->b, *body, p->position, loc, &node));
    return node < 0 ? FLX_OK : flx_flexible_follower(e->b, *body, node, loc, body);
}

// A place on a beam is one of its nodes.
static flx_status place_on_beam(flx_env *e, const flx_place *p, flx_item **body, flx_loc loc,
                                double out[3])
{
    bool solid = flx_body_is_solid(e->b, *body);
    memcpy(out, origin, sizeof origin);
    if (p->item == *body && solid) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "say which node of '%s': %s.node(1)",
                        (*body)->full, (*body)->full);
    }
    if (p->item == *body) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "say where on '%s': %s.start, %s.end, %s.node(1) or %s.point(0.5)",
                        (*body)->full, (*body)->full, (*body)->full, (*body)->full, (*body)->full);
    }
    if (p->item && p->item->kind == FLX_KIND_POINT && body_of_place(p) == *body) {
        const flx_point_data *d = p->item->data;
        *body = d->body;
        memcpy(out, d->at, sizeof d->at);
        return FLX_OK;
    }
    if (solid) return flx_solid_node_at(e->b, *body, p->position, loc, body);
    return flx_beam_node_at(e->b, *body, p->position, loc, body, out);
}

// A place in the frame of a body; exact when the place is a point of that body.
static flx_status place_on(flx_env *e, const flx_place *p, flx_item *body, flx_loc loc,
                           double out[3])
{
    double R[9];
    flx_item *own = NULL;
    if (body_of_place(p) == body) return flx_item_frame(e->b, p->item, loc, &own, out, R);
    FLX_TRY(flx_body_place(e->b, body, loc));
    flx_ground_to_body(body, p->position, out);
    return FLX_OK;
}

flx_status flx_build_at(flx_env *e, const flx_yaml *y, flx_item *bodies[2], double at[2][3],
                        bool *pair)
{
    flx_value v;
    flx_place p[2];
    FLX_TRY(flx_build_value(e, y, &v));
    *pair = v.kind == FLX_VALUE_LIST && v.count == 2 && v.items[0].kind != FLX_VALUE_NUMBER &&
            v.items[1].kind != FLX_VALUE_NUMBER;
    for (int i = 0; i < 2; i++) {
        FLX_TRY(place_of_value(e, *pair ? &v.items[i] : &v, y->loc, &p[i]));
    }
    for (int i = 0; *pair && i < 2; i++) {
        if (!p[i].item || p[i].item->kind == FLX_KIND_GROUND || body_of_place(&p[i]) == bodies[i]) {
            continue;
        }
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL,
                        y->kind == FLX_YAML_LIST ? y->items[i]->loc : y->loc,
                        "'%s' is not on '%s': the places of 'at' are in the order of 'on', one on "
                        "each body",
                        p[i].item->full, bodies[i]->full);
    }
    for (int i = 0; i < 2; i++) {
        if (!bodies[i]) continue;
        if (flx_body_is_elastic(bodies[i]) && e->b->m->nunavailable == 0) {
            FLX_TRY(place_on_elastic(e, &p[i], &bodies[i], y->loc, at[i]));
        } else if (flx_body_is_beam(e->b, bodies[i]) || flx_body_is_solid(e->b, bodies[i])) {
            FLX_TRY(place_on_beam(e, &p[i], &bodies[i], y->loc, at[i]));
        } else {
            FLX_TRY(place_on(e, &p[i], bodies[i], y->loc, at[i]));
        }
    }
    if (bodies[0] && bodies[0] == bodies[1]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "both places are the same node of a beam: name two, as in "
                        "[ring.start, ring.end]");
    }
    return FLX_OK;
}
