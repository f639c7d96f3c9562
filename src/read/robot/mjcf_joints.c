// mjcf_joints.c - joints of MJCF.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

static flx_status read_values(flx_mjcf *m, const flx_xml *e, bool hinge, flx_robot_joint *j)
{
    double range[2] = {0, 0}, unit = hinge ? m->angle : 1.0, ref = 0.0;
    int n;
    FLX_TRY(flx_mjcf_numbers(m, e, "ref", 1, &ref, NULL)); // the coordinate as it is drawn
    FLX_TRY(flx_mjcf_numbers(m, e, "range", 2, range, &n));
    bool limited = flx_mjcf_is(m, e, "limited", "true") ||
                   (m->limits_by_range && n == 2 && !flx_mjcf_is(m, e, "limited", "false"));
    if (limited && n == 2 && range[0] < range[1]) {
        j->limited = true;
        j->lower = unit * (range[0] - ref);
        j->upper = unit * (range[1] - ref);
    }
    FLX_TRY(flx_mjcf_numbers(m, e, "damping", 1, &j->damping, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "frictionloss", 1, &j->friction, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "stiffness", 1, &j->stiffness, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "armature", 1, &j->armature, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "springref", 1, &j->rest, NULL));
    j->rest = unit * (j->rest - ref);
    j->drawn = unit * ref;
    return FLX_OK;
}

// Of a ball damping and stiffness are taken, of a free body nothing.
static flx_status read_others(flx_mjcf *m, const flx_xml *e, flx_robot_joint *j)
{
    static const char *const taken[] = {"damping", "stiffness"}, *const left[] = {"armature",
                                                                                  "frictionloss"};
    const bool ball = j->type == FLX_ROBOT_SPHERICAL;
    double *out[2] = {&j->damping, &j->stiffness}, x = 0.0;
    int n = 0;
    if (strcmp(e->name, "freejoint") == 0) return FLX_OK; // which has no defaults
    for (int k = 0; k < 4; k++) {
        const char *name = k < 2 ? taken[k] : left[k - 2];
        x = 0.0;
        FLX_TRY(flx_mjcf_numbers(m, e, name, 1, &x, &n));
        if (ball && k < 2)
            *out[k] = x;
        else if (x != 0.0)
            FLX_ROBOT_NOTE(m->robot, e->loc, "the %s of joint '%s' is left out: it is a %s", name,
                           j->name, ball ? "ball" : "free body");
    }
    double range[2] = {0, 0};
    FLX_TRY(flx_mjcf_numbers(m, e, "range", 2, range, &n));
    bool limited = flx_mjcf_is(m, e, "limited", "true") ||
                   (m->limits_by_range && n == 2 && !flx_mjcf_is(m, e, "limited", "false"));
    if (ball && limited && range[1] > 0.0)
        FLX_ROBOT_NOTE(m->robot, e->loc, "the range of joint '%s' is left out: it is a ball",
                       j->name);
    return FLX_OK;
}

flx_status flx_mjcf_joint(flx_mjcf *m, const flx_xml *e, int parent, int child,
                          const flx_robot_pose *body)
{
    flx_robot *robot = m->robot;
    flx_robot_joint *j = robot->joints + robot->njoint;
    const char *type = strcmp(e->name, "freejoint") == 0 ? "free" : flx_mjcf_get(m, e, "type"),
               *name = flx_xml_get(e, "name");
    double at[3] = {0}, axis[3] = {0.0, 0.0, 1.0};
    if (!type) type = "hinge";
    if (!name) name = flx_arena_printf(robot->arena, "%s_%s", robot->links[child].name, type);
    *j = (flx_robot_joint){.name = name,
                           .loc = e->loc,
                           .parent = parent,
                           .child = child,
                           .mimics = -1,
                           .lower = -HUGE_VAL,
                           .upper = HUGE_VAL};
    FLX_TRY(flx_mjcf_numbers(m, e, "pos", 3, at, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "axis", 3, axis, NULL));
    j->pose = flx_robot_compose(*body, (flx_robot_pose){v3_load(at), m33_identity()});
    j->axis = m33_mul_v(body->R, v3_load(axis));
    bool hinge = strcmp(type, "hinge") == 0, slide = strcmp(type, "slide") == 0;
    if ((hinge || slide) && !(v3_norm(j->axis) > 0.0))
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "the axis of joint '%s' is zero", name);
    if (hinge || slide) j->axis = v3_unit(j->axis);
    j->type = hinge                       ? FLX_ROBOT_REVOLUTE
              : slide                     ? FLX_ROBOT_PRISMATIC
              : strcmp(type, "ball") == 0 ? FLX_ROBOT_SPHERICAL
                                          : FLX_ROBOT_FREE;
    if (!hinge && !slide && j->type == FLX_ROBOT_FREE && strcmp(type, "free") != 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                        "joint '%s' is of no type that MJCF has: '%s'", name, type);
    FLX_TRY(hinge || slide ? read_values(m, e, hinge, j) : read_others(m, e, j));
    robot->njoint++;
    return FLX_OK;
}

bool flx_mjcf_is_joint(const flx_xml *e)
{
    return strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0;
}
