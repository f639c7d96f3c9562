// mjcf_values.c - attributes of MJCF with their defaults, and orientations in its many ways.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

#define DEEPEST 50

// The default element of a class; the outermost one where the class is NULL or "main".
static const flx_xml *find_class(const flx_xml *in, const char *name, int depth)
{
    for (const flx_xml *d = flx_xml_child(in, "default"); d && depth < DEEPEST;
         d = flx_xml_next(d, "default")) {
        const char *own = flx_xml_get(d, "class");
        if (!name || !own ? depth == 0 && (!name || strcmp(name, "main") == 0)
                          : strcmp(own, name) == 0)
            return d;
        const flx_xml *inner = find_class(d, name, depth + 1);
        if (inner) return inner;
    }
    return NULL;
}

// The class that counts for an element: its own, or the nearest childclass above.
static const char *class_of(const flx_xml *e)
{
    const char *own = flx_xml_get(e, "class");
    for (const flx_xml *up = e->up; !own && up; up = up->up) own = flx_xml_get(up, "childclass");
    return own;
}

static void check_classes_in(flx_mjcf *m, const flx_xml *e)
{
    static const char *const keys[] = {"class", "childclass"};
    for (int k = 0; k < 2; k++) {
        const char *name = flx_xml_get(e, keys[k]);
        if (!name || strcmp(name, "main") == 0 || find_class(m->root, name, 0)) continue;
        FLX_ROBOT_NOTE(m->robot, e->loc,
                       "<%s> is of the class '%s', which <default> does not have: what is outside "
                       "all classes holds for it",
                       e->name, name);
    }
    for (const flx_xml *c = e->first; c; c = c->next) check_classes_in(m, c);
}

void flx_mjcf_check_classes(flx_mjcf *m)
{
    for (const flx_xml *e = m->root->first; e; e = e->next)
        if (strcmp(e->name, "default") != 0) check_classes_in(m, e);
}

bool flx_mjcf_is_actuator(const flx_xml *e)
{
    static const char *const kinds[] = {"general",  "motor",       "position",
                                        "velocity", "intvelocity", "damper",
                                        "cylinder", "muscle",      "adhesion"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(e->name, kinds[k]) == 0) return true;
    return false;
}

const flx_xml *flx_mjcf_class(const flx_mjcf *m, const flx_xml *e)
{
    const flx_xml *d = find_class(m->root, class_of(e), 0);
    return d ? d : find_class(m->root, NULL, 0);
}

// What a class says of elements of this kind: all actuators are of one.
static const char *default_of(const flx_xml *d, const flx_xml *e, const char *attribute)
{
    bool actuator = flx_mjcf_is_actuator(e);
    const char *value = NULL;
    for (const flx_xml *own = d->first; own; own = own->next)
        if (actuator ? flx_mjcf_is_actuator(own) : strcmp(own->name, e->name) == 0) {
            const char *last = flx_xml_get(own, attribute);
            if (last) value = last;
        }
    return value;
}

const char *flx_mjcf_get(const flx_mjcf *m, const flx_xml *e, const char *attribute)
{
    const char *value = flx_xml_get(e, attribute);
    if (value) return value;
    for (const flx_xml *d = flx_mjcf_class(m, e); d && strcmp(d->name, "default") == 0; d = d->up) {
        value = default_of(d, e, attribute);
        if (value) return value;
    }
    return NULL;
}

bool flx_mjcf_is(const flx_mjcf *m, const flx_xml *e, const char *attribute, const char *value)
{
    const char *own = flx_mjcf_get(m, e, attribute);
    return own && strcmp(own, value) == 0;
}

flx_status flx_mjcf_numbers(const flx_mjcf *m, const flx_xml *e, const char *attribute, int most,
                            double *out, int *n)
{
    const char *names[2] = {attribute, flx_mjcf_get(m, e, attribute)};
    const flx_xml own = {.name = e->name, .loc = e->loc, .nattribute = 1, .attributes = names};
    int count = 0;
    if (names[1]) FLX_TRY(flx_xml_some_numbers(m->robot->ctx, &own, attribute, most, out, &count));
    if (n) *n = count;
    return FLX_OK;
}

static flx_status need(const flx_mjcf *m, const flx_xml *e, const char *attribute, int n,
                       double *out, bool *found)
{
    int count;
    FLX_TRY(flx_mjcf_numbers(m, e, attribute, n, out, &count));
    if (count != 0 && count != n)
        return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc,
                        "%s of <%s> has %d numbers where %d are needed", attribute, e->name, count,
                        n);
    *found = count == n;
    return FLX_OK;
}

static m33 about(char axis, double angle)
{
    char lower = axis >= 'A' && axis <= 'Z' ? (char)(axis - 'A' + 'a') : axis;
    v3 a = lower == 'x'   ? v3_make(angle, 0, 0)
           : lower == 'y' ? v3_make(0, angle, 0)
                          : v3_make(0, 0, angle);
    return quat_to_m33(quat_exp(a));
}

static flx_status own_pose(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out)
{
    double x[6] = {0};
    bool found;
    *out = flx_robot_no_pose();
    FLX_TRY(need(m, e, "pos", 3, x, &found));
    if (found) out->r = v3_load(x);
    FLX_TRY(need(m, e, "quat", 4, x, &found));
    if (found) {
        out->R = quat_to_m33(quat_unit(quat_load(x)));
        return FLX_OK;
    }
    FLX_TRY(need(m, e, "axisangle", 4, x, &found));
    if (found) {
        out->R = quat_to_m33(quat_exp(v3_scale(m->angle * x[3], v3_unit(v3_load(x)))));
        return FLX_OK;
    }
    FLX_TRY(need(m, e, "euler", 3, x, &found));
    if (found) {
        for (int k = 0; k < 3;
             k++) { // lower case: about axes that have turned; upper case: about fixed ones
            bool moving = m->sequence[k] >= 'a';
            m33 turn = about(m->sequence[k], m->angle * x[k]);
            out->R = moving ? m33_mul(out->R, turn) : m33_mul(turn, out->R);
        }
        return FLX_OK;
    }
    FLX_TRY(need(m, e, "xyaxes", 6, x, &found));
    if (found) {
        v3 a = v3_unit(v3_load(x)), b = v3_load(x + 3);
        b = v3_unit(v3_sub(b, v3_scale(v3_dot(a, b), a)));
        out->R = m33_from_cols(a, b, v3_cross(a, b));
        return FLX_OK;
    }
    FLX_TRY(need(m, e, "zaxis", 3, x, &found));
    if (found) { // the smallest turn
        v3 z = v3_unit(v3_load(x)), axis = v3_cross(v3_make(0, 0, 1), z);
        double s = v3_norm(axis), angle = atan2(s, z.z);
        if (s > 0.0) out->R = quat_to_m33(quat_exp(v3_scale(angle / s, axis)));
        if (s == 0.0 && z.z < 0.0) out->R = about('x', FLX_PI);
    }
    return FLX_OK;
}

// Frames round an element: what is given in the innermost is given in the body then.
static flx_status from_frames(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *pose)
{
    for (const flx_xml *up = e->up; up && strcmp(up->name, "frame") == 0; up = up->up) {
        flx_robot_pose frame;
        FLX_TRY(own_pose(m, up, &frame));
        *pose = flx_robot_compose(frame, *pose);
    }
    return FLX_OK;
}

flx_status flx_mjcf_pose(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out)
{
    FLX_TRY(own_pose(m, e, out));
    return from_frames(m, e, out);
}

flx_status flx_mjcf_placed(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out, double *length)
{
    double x[6];
    int n;
    if (length) *length = 0.0;
    FLX_TRY(flx_mjcf_numbers(m, e, "fromto", 6, x, &n));
    if (n == 0) return flx_mjcf_pose(m, e, out);
    v3 a = v3_load(x), b = v3_load(x + 3), d = v3_sub(a, b);
    if (n != 6 || !(v3_norm(d) > 0.0))
        return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc,
                        n != 6 ? "fromto of <%s> has not six numbers"
                               : "fromto of <%s> are one point",
                        e->name);
    v3 z = v3_unit(d), turn = v3_cross(v3_make(0, 0, 1), z);
    double s = v3_norm(turn), angle = atan2(s, z.z);
    v3 axis = s > 1e-10 ? v3_scale(1.0 / s, turn) : v3_make(1, 0, 0);
    *out =
        (flx_robot_pose){v3_scale(0.5, v3_add(a, b)), quat_to_m33(quat_exp(v3_scale(angle, axis)))};
    if (length) *length = v3_norm(d);
    return from_frames(m, e, out);
}
