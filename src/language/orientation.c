// orientation.c - orientations, in all the ways that a file may give them, and directions.
#include "language/scope/nums.h"

#include <string.h>

static flx_status unit_vector(flx_env *e, const flx_entry *y, flx_num3 *out)
{
    FLX_TRY(flx_build_num3(e, y, out));
    const double *v = out->x;
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "a direction cannot be zero");
    }
    // any length, also where its square is no number
    v3 unit = v3_unit(v3_make(v[0] / largest, v[1] / largest, v[2] / largest));
    flx_num3 kept = flx_num3_is_open(out) ? flx_num3_unit(e->b->g, *out) : *out;
    v3_store(kept.x, unit);
    *out = kept;
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

// The same with expressions: with n = (0, -z, y) the entries are products over 1 + x.
static flx_num9 shortest_turn_of(flx_env *e, flx_num3 x, flx_loc loc)
{
    flx_graph *g = e->b->g;
    m33 R = shortest_turn(v3_load(x.x));
    flx_num9 out = flx_num9_of(R.m);
    if (!flx_num3_is_open(&x)) return out;
    if (!(x.x[0] > -1 + 1e-12)) {
        flx_num3_fix(e->b, &x, loc);
        return out;
    }
    flx_node n[3], one = node_const(g, 1.0);
    flx_num3_nodes(g, &x, n);
    flx_node by = node_div(g, one, node_add(g, one, n[0]));
    flx_node yz = node_neg(g, node_mul(g, by, node_mul(g, n[1], n[2])));
    const flx_node entries[9] = {n[0],
                                 node_neg(g, n[1]),
                                 node_neg(g, n[2]),
                                 n[1],
                                 node_sub(g, one, node_mul(g, by, node_mul(g, n[1], n[1]))),
                                 yz,
                                 n[2],
                                 yz,
                                 node_sub(g, one, node_mul(g, by, node_mul(g, n[2], n[2])))};
    for (int i = 0; i < 9; i++) out.n[i] = flx_num_keep(g, out.x[i], entries[i]).n;
    return out;
}

static flx_status directions(flx_env *e, const flx_entry *def, flx_num9 *R)
{
    flx_graph *g = e->b->g;
    flx_num3 x, y;
    const flx_entry *second = flx_entry_get(def, "y");
    FLX_TRY(unit_vector(e, flx_entry_get(def, "x"), &x));
    if (!second) {
        *R = shortest_turn_of(e, x, def->loc);
        return FLX_OK;
    }
    FLX_TRY(unit_vector(e, second, &y));
    flx_num3 z = flx_num3_cross(g, x, y);
    if (!(v3_norm(v3_load(z.x)) > 1e-9)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, second->loc,
                        "the directions x and y are parallel");
    }
    z = flx_num3_unit(g, z);
    *R = flx_num9_from_cols(x, flx_num3_cross(g, z, x), z);
    return FLX_OK;
}

static flx_status quaternion(flx_env *e, const flx_entry *def, flx_num9 *R)
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
    *R = flx_num9_of(quat_to_m33(quat_unit(quat_load(q))).m);
    return FLX_OK;
}

static flx_status matrix(flx_env *e, const flx_entry *def, flx_num9 *out)
{
    int n = 0;
    double *m = NULL;
    FLX_TRY(flx_build_numbers(e, def, &n, &m));
    if (n != 9) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "a rotation matrix has 3 rows of 3");
    }
    m33 R = m33_load(m);
    m33 error = m33_sub(m33_tmul(R, R), m33_identity());
    double largest = 0, det = v3_dot(m33_row(R, 0), v3_cross(m33_row(R, 1), m33_row(R, 2)));
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(error.m[i]));
    if (!(largest < 1e-5) || det < 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc, "the matrix is not a rotation%s",
                        largest < 1e-5 ? ": its determinant is -1" : "");
    }
    *out = flx_num9_of(quat_to_m33(quat_from_m33(R)).m); // digits that were cut off
    return FLX_OK;
}

static flx_status euler(flx_env *e, const flx_entry *def, flx_num9 *R)
{
    const flx_entry *sequence = flx_entry_get(def, "sequence"),
                    *angles = flx_entry_get(def, "angles");
    int n = 0;
    double *a = NULL;
    flx_open *open = NULL;
    if (!sequence || !angles) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc,
                        "euler needs a sequence and angles, as in {sequence: zxz, angles: [a, b, "
                        "c]}");
    }
    FLX_TRY(flx_build_open_numbers(e, angles, &n, &a, &open));
    const char *s = sequence->kind == FLX_ENTRY_SCALAR ? sequence->text : "";
    if (strlen(s) != 3 || strspn(s, "xyz") != 3 || s[0] == s[1] || s[1] == s[2]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, sequence->loc,
                        "a sequence is three letters of x, y and z, no two neighbours equal");
    }
    if (n != 3) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, angles->loc, "expected 3 angles, found %d", n);
    }
    *R = flx_num9_identity();
    for (int i = 0; i < 3; i++) { // about the turned axes: each turn is in the frame so far
        const double axis[3] = {s[i] == 'x', s[i] == 'y', s[i] == 'z'};
        flx_num angle = {a[i], open[i]};
        *R = flx_num9_mul(e->b->g, *R, flx_num9_turn_about(e->b->g, flx_num3_of(axis), angle));
    }
    return FLX_OK;
}

static flx_status planar_orientation(flx_env *e, const flx_entry *y, flx_num9 *R, flx_num *angle)
{
    flx_graph *g = e->b->g;
    if (y->kind == FLX_ENTRY_MAP) {
        flx_num3 x;
        flx_node n[3];
        if (!flx_entry_get(y, "x")) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "in a planar model an orientation is a number, the angle");
        }
        FLX_TRY(unit_vector(e, flx_entry_get(y, "x"), &x));
        flx_num3_nodes(g, &x, n);
        *angle = (flx_num){atan2(x.x[1], x.x[0]), 0};
        if (flx_num3_is_open(&x)) {
            *angle = flx_num_keep(g, angle->x, flx_graph_binary(g, FLX_OP_ATAN2, n[1], n[0]));
        }
    } else {
        FLX_TRY(flx_build_num(e, y, angle));
        flx_note_degrees(e->b, y, angle->x);
    }
    double c = cos(angle->x), s = sin(angle->x);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    *R = flx_num9_of(turned);
    if (!angle->n) return FLX_OK;
    flx_node a = flx_num_node(g, *angle);
    flx_node cosine = flx_graph_unary(g, FLX_OP_COS, a), sine = flx_graph_unary(g, FLX_OP_SIN, a);
    R->n[0] = R->n[4] = flx_num_keep(g, c, cosine).n;
    R->n[3] = flx_num_keep(g, s, sine).n;
    R->n[1] = flx_num_keep(g, -s, node_neg(g, sine)).n;
    return FLX_OK;
}

flx_status flx_build_orientation(flx_env *e, const flx_entry *y, flx_num9 *R, flx_num *angle)
{
    *angle = (flx_num){0, 0};
    if (e->b->m->dimension == 2) return planar_orientation(e, y, R, angle);
    if (y->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation in space is a mapping, as in {axis: [0, 0, 1], angle: "
                        "0.1}");
    }
    const flx_entry *axis = flx_entry_get(y, "axis"), *q = flx_entry_get(y, "quaternion");
    const flx_entry *m = flx_entry_get(y, "matrix"), *eu = flx_entry_get(y, "euler");
    if (axis) {
        flx_num3 n;
        flx_num a;
        const flx_entry *by = flx_entry_get(y, "angle");
        if (!by) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "an orientation by axis needs the key 'angle'");
        }
        FLX_TRY(unit_vector(e, axis, &n));
        FLX_TRY(flx_build_num(e, by, &a));
        flx_note_degrees(e->b, by, a.x);
        *R = flx_num9_turn_about(e->b->g, n, a);
    } else if (q) {
        FLX_TRY(quaternion(e, q, R));
    } else if (m) {
        FLX_TRY(matrix(e, m, R));
    } else if (eu) {
        FLX_TRY(euler(e, eu, R));
    } else if (flx_entry_get(y, "x")) {
        FLX_TRY(directions(e, y, R));
    } else {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation needs axis and angle, quaternion, matrix, euler, or x");
    }
    return FLX_OK;
}

flx_status flx_build_direction(flx_env *e, const flx_entry *y, const flx_entry *frame_name,
                               flx_num3 *out)
{
    flx_num3 d, position;
    FLX_TRY(unit_vector(e, y, &d));
    FLX_TRY(flx_space_place(e->b, e->space));
    flx_num9 R = e->space->R;
    if (frame_name) {
        const flx_item *f = NULL;
        FLX_TRY(flx_build_frame(e, frame_name, &f));
        if (f->kind != FLX_KIND_GROUND) {
            FLX_TRY(flx_item_initial_frame(e->b, f, frame_name->loc, &position, &R));
        }
    }
    *out = flx_num9_mul_v(e->b->g, R, d);
    return FLX_OK;
}
