// rolling.c - a disc (with an axis) or ball rolls without slip on a plane of the first body. Its
// lowest rim point stays on the plane (a constraint), and the point of the body that is there has no
// velocity along the plane (velocity-level constraints, two in space, one in the plane).
#include "joint/joint.h"

// A direction in the plane of n.
static v3 tangent(v3 n)
{
    v3 e = fabs(n.x) < 0.7 ? v3_make(1, 0, 0) : v3_make(0, 1, 0); // far from n: 0.7 < 1/sqrt 2
    return v3_unit(v3_cross(v3_cross(n, e), n));
}

static void set_disc(const flx_joint *j, v3 n, v3 t, flx_scalar *s)
{
    v3_store(s->a[0], n);
    v3_store(s->a[1], t);
    if (j->has_axis) v3_store(s->b, v3_unit(v3_load(j->axis[1])));
    s->length = j->radius;
}

static void space(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    v3 n = v3_unit(v3_load(j->normal)), t = tangent(n);
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_TOUCH, "touch");
    r->metres = true;
    set_disc(j, n, t, r->term);
    for (int i = 0; i < 2; i++) {
        r = flx_plan_scalar(p, FLX_SCALAR_ROLL, i ? "slip y" : "slip x");
        r->metres = r->velocity = true;
        set_disc(j, n, i ? v3_cross(n, t) : t, r->term);
    }
}

static void plane(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    v3 n = v3_unit(v3_load(j->normal)), t = v3_make(-n.y, n.x, 0);
    flx_plan_plane(p, (double[3]){n.x, n.y, 0.0}, "touch");
    p->spec[p->nspec - 1].term[0].offset = j->radius;
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_ROLL2, "slip");
    r->metres = r->velocity = true;
    set_disc(j, n, t, r->term);
}

// A disc that lies flat has no lowest point.
static flx_status check(const flx_model *m, const flx_joint *j)
{
    if (!(j->radius > 0)) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc, "joint '%s': radius must be positive",
                        j->name);
    }
    if (!j->has_axis || m->dimension == 2) return FLX_OK;
    v3 n = v3_unit(flx_joint_initial_direction(m, j->body[0], j->normal));
    v3 u = v3_unit(flx_joint_initial_direction(m, j->body[1], j->axis[1]));
    if (v3_norm(v3_cross(n, u)) > 1e-6) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc,
                    "joint '%s': the disc lies flat on the plane (its axis is the plane's normal) "
                    "and has no lowest point to roll on",
                    j->name);
}

static const flx_key_row keys[] = {
    FLX_KEY_PAIR,
    {.key = "axis",
     .form = "vector",
     .initial = "a ball",
     .doc = "Axis of a disc in the initial configuration.",
     .dimension = 3},
    FLX_KEY_FRAME,
    {.key = "normal",
     .form = "vector",
     .needed = true,
     .doc = "Of the plane, towards the disc or ball, in the initial configuration; in ground "
            "coordinates, whatever `frame` is."},
    {.key = "radius", .form = "number", .needed = true, .unit = "m", .doc = "Of the disc or ball."},
    {0}};

const flx_joint_kind flx_joint_ROLLING = {
    .says =
        {.word = "rolling",
         .dimensions = "23",
         .doc = "a disc or ball rolls on a plane without slipping and stays in contact",
         .example =
             "roll: {type: rolling, on: [ground, coin], at: [[0, 0, 0], coin], normal: [0, 0, 1], "
             "axis: [1, 0, 0], radius: 0.01}",
         .keys = keys},
    .axes = {true, true},
    .instead = "spherical",
    .check = check,
    .space = space,
    .plane = plane,
    .signals = FLX_SIGNAL_CONTACT | FLX_SIGNAL_LOADS,
    .wheel = true,
};
