// orientation.c - orientations, in all the ways that a file may give them, and directions.
#include "model/builder.h"

#include <string.h>

// cos I + sin n~ + (1 - cos) n n^T
static m33 turn_about(v3 axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    v3 n = v3_unit(axis);
    m33 R = m33_add(m33_scale(c, m33_identity()), m33_scale(s, m33_skew(n)));
    return m33_add(R, m33_scale(1 - c, m33_outer(n, n)));
}

static flx_status unit_vector(flx_env *e, const flx_entry *y, v3 *out)
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

static flx_status directions(flx_env *e, const flx_entry *def, m33 *R)
{
    v3 x = {0, 0, 0}, y = {0, 0, 0};
    const flx_entry *second = flx_entry_get(def, "y");
    FLX_TRY(unit_vector(e, flx_entry_get(def, "x"), &x));
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

static flx_status quaternion(flx_env *e, const flx_entry *def, m33 *R)
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

static flx_status matrix(flx_env *e, const flx_entry *def, m33 *R)
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

static flx_status euler(flx_env *e, const flx_entry *def, m33 *R)
{
    const flx_entry *sequence = flx_entry_get(def, "sequence"),
                    *angles = flx_entry_get(def, "angles");
    int n = 0;
    double *a = NULL;
    if (!sequence || !angles) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, def->loc,
                        "euler needs a sequence and angles, as in {sequence: zxz, angles: [a, b, "
                        "c]}");
    }
    FLX_TRY(flx_build_numbers(e, angles, &n, &a));
    const char *s = sequence->kind == FLX_ENTRY_SCALAR ? sequence->text : "";
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

static flx_status planar_orientation(flx_env *e, const flx_entry *y, double R[9], double *angle)
{
    if (y->kind == FLX_ENTRY_MAP) {
        v3 x = {0, 0, 0};
        if (!flx_entry_get(y, "x")) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "in a planar model an orientation is a number, the angle");
        }
        FLX_TRY(unit_vector(e, flx_entry_get(y, "x"), &x));
        *angle = atan2(x.y, x.x);
    } else {
        FLX_TRY(flx_build_number(e, y, angle));
        flx_note_degrees(e->b, y, *angle);
    }
    double c = cos(*angle), s = sin(*angle);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(R, turned, sizeof turned);
    return FLX_OK;
}

flx_status flx_build_orientation(flx_env *e, const flx_entry *y, double R[9], double *angle)
{
    *angle = 0;
    if (e->b->m->dimension == 2) return planar_orientation(e, y, R, angle);
    if (y->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation in space is a mapping, as in {axis: [0, 0, 1], angle: "
                        "0.1}");
    }
    m33 T = m33_identity();
    const flx_entry *axis = flx_entry_get(y, "axis"), *q = flx_entry_get(y, "quaternion");
    const flx_entry *m = flx_entry_get(y, "matrix"), *eu = flx_entry_get(y, "euler");
    if (axis) {
        v3 n = {0, 0, 0};
        double a = 0;
        const flx_entry *by = flx_entry_get(y, "angle");
        if (!by) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "an orientation by axis needs the key 'angle'");
        }
        FLX_TRY(unit_vector(e, axis, &n));
        FLX_TRY(flx_build_number(e, by, &a));
        flx_note_degrees(e->b, by, a);
        T = turn_about(n, a);
    } else if (q) {
        FLX_TRY(quaternion(e, q, &T));
    } else if (m) {
        FLX_TRY(matrix(e, m, &T));
    } else if (eu) {
        FLX_TRY(euler(e, eu, &T));
    } else if (flx_entry_get(y, "x")) {
        FLX_TRY(directions(e, y, &T));
    } else {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "an orientation needs axis and angle, quaternion, matrix, euler, or x");
    }
    m33_store(R, T);
    return FLX_OK;
}

flx_status flx_build_direction(flx_env *e, const flx_entry *y, const flx_entry *frame_name,
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
