// constant_velocity.c - two shafts meet in a point, and whatever the angle between them, even while it changes, each turns
// as fast about its own axis as the other: Rzeppa, tripod. Their relative angular velocity has no part along the bisector
// of the axes z_A and z_B,
//     (w_B - w_A) . (z_A + z_B) = 0                                            (CVJ-1)
// Of a rotation Rz(f) Ry(b) Rz(p) between the two that is (f' + p') (1 + cos b) = 0: holonomic, f + p stays, and as
// y_A . x_B - x_A . y_B = (1 + cos b) sin(f + p),
//     g = y_A . x_B - x_A . y_B                                                (CVJ-2)
// where x_B and y_B are x_A and y_A swung from z_A to z_B initially. It is regular up to shafts that point against each other.
#include "joint/joint.h"

// v turned as the shortest way from a to b is.
static v3 swing(v3 a, v3 b, v3 v)
{
    v3 w = v3_cross(a, b), wv = v3_cross(w, v);
    return v3_add(v3_add(v, wv), v3_scale(1.0 / (1.0 + v3_dot(a, b)), v3_cross(w, wv)));
}

// A direction of the first, swung to the second, in the axes of the second.
static v3 carried(const flx_joint_plan *p, v3 v)
{
    const flx_joint *j = p->joint;
    const flx_model *m = p->model;
    v3 z[2];
    for (int i = 0; i < 2; i++) z[i] = flx_joint_initial_direction(m, j->body[i], j->axis[i]);
    double a[3];
    v3_store(a, v);
    v = swing(z[0], z[1], flx_joint_initial_direction(m, j->body[0], a));
    return j->body[1] < 0 ? v : m33_tmul_v(m33_load(m->bodies[j->body[1]].R), v);
}

static void space(flx_joint_plan *p)
{
    m33 F = m33_load(p->joint->frame[0]);
    v3 x = m33_col(F, 0), y = m33_col(F, 1);
    flx_plan_point(p);
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_DOT, "equal rates");
    r->nterm = 2;
    r->coefficient[1] = -1.0;
    r->term[1] = r->term[0];
    v3_store(r->term[0].a[0], y);
    v3_store(r->term[0].b, carried(p, x));
    v3_store(r->term[1].a[0], x);
    v3_store(r->term[1].b, carried(p, y));
}

static const char *refuse_axes(v3 first, v3 second)
{
    bool against = 1.0 + v3_dot(first, second) < 1e-6;
    return against
               ? "the two shafts of a constant-velocity joint point against each other; give both "
                 "axes along the way of the drive"
               : NULL;
}

static const flx_key_row keys[] = {FLX_KEY_AT, FLX_KEY_AXES, FLX_KEY_FRAME, {0}};

const flx_joint_kind flx_joint_CONSTANT_VELOCITY = {
    .says = {.word = "constant-velocity",
             .dimensions = "3",
             .doc = "two shafts meet in a point, under any angle, and rotate equally fast about "
                    "their axes",
             .example =
                 "rzeppa: {type: constant-velocity, on: [gearbox, halfshaft], at: [0, 0, 0], "
                 "axes: [[1, 0, 0], [0.9, 0.4, 0]]}",
             .keys = keys},
    .in_plane = "revolute",
    .axes = {true, true},
    .instead = "spherical",
    .refuse_axes = refuse_axes,
    .space = space,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS,
    .symbol = "universal",
};
