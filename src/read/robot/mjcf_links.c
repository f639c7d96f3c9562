// mjcf_links.c - equalities of MJCF, which close loops and couple joints, and actuators, which become inputs.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

static int find_link(const flx_robot *robot, const char *name)
{
    if (!name || strcmp(name, "world") == 0) return FLX_ROBOT_GROUND;
    for (int i = 0; i < robot->nlink; i++) {
        if (robot->links[i].name && strcmp(robot->links[i].name, name) == 0) return i;
    }
    return -2;
}

static int find_joint(const flx_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->njoint; i++) {
        if (robot->joints[i].name && strcmp(robot->joints[i].name, name) == 0) return i;
    }
    return -1;
}

static bool has_coordinate(const flx_robot_joint *j)
{
    return j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC;
}

// connect and weld: a joint between two bodies that hang on others.
static flx_status close_loop(flx_mjcf *m, const flx_xml *e, bool weld)
{
    flx_robot *robot = m->robot;
    int a = find_link(robot, flx_mjcf_get(m, e, "body1")),
        b = find_link(robot, flx_mjcf_get(m, e, "body2")), n;
    double at[3] = {0};
    const char *name = flx_xml_get(e, "name");
    if (a == -2 || b == -2 || a == b)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                        "<%s> names a body that is not in the file", e->name);
    FLX_TRY(flx_mjcf_numbers(m, e, "anchor", 3, at, &n));
    flx_robot_pose in = a >= 0 ? robot->links[a].pose : flx_robot_no_pose();
    flx_robot_joint *j = robot->joints + robot->njoint++;
    *j = (flx_robot_joint){.name = name ? name : e->name,
                           .loc = e->loc,
                           .type = weld ? FLX_ROBOT_FIXED : FLX_ROBOT_SPHERICAL,
                           .parent = b >= 0 ? a : b,
                           .child = b >= 0 ? b : a,
                           .pose = {v3_add(in.r, m33_mul_v(in.R, v3_load(at))), in.R},
                           .mimics = -1,
                           .closes = true};
    return FLX_OK;
}

static flx_status couple(flx_mjcf *m, const flx_xml *e)
{
    flx_robot *robot = m->robot;
    int follower = find_joint(robot, flx_mjcf_get(m, e, "joint1")),
        leader = find_joint(robot, flx_mjcf_get(m, e, "joint2"));
    double c[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    FLX_TRY(flx_mjcf_numbers(m, e, "polycoef", 5, c, NULL));
    bool line = c[0] == 0.0 && c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
    if (follower < 0 || leader < 0 || !line || !has_coordinate(robot->joints + follower) ||
        !has_coordinate(robot->joints + leader)) {
        FLX_ROBOT_NOTE(robot, e->loc,
                       "the equality of two joints is left out: only proportions of hinges and "
                       "slides are taken");
        return FLX_OK;
    }
    robot->joints[follower].mimics = leader;
    robot->joints[follower].ratio = c[1];
    return FLX_OK;
}

flx_status flx_mjcf_equalities(flx_mjcf *m)
{
    const flx_xml *all = flx_xml_child(m->root, "equality");
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next) {
        if (flx_mjcf_is(m, e, "active", "false")) continue;
        if (strcmp(e->name, "connect") == 0 || strcmp(e->name, "weld") == 0) {
            FLX_TRY(close_loop(m, e, strcmp(e->name, "weld") == 0));
        } else if (strcmp(e->name, "joint") == 0) {
            FLX_TRY(couple(m, e));
        } else {
            FLX_ROBOT_NOTE(m->robot, e->loc, "the equality <%s> is left out", e->name);
        }
    }
    return FLX_OK;
}

flx_status flx_mjcf_actuators(flx_mjcf *m)
{
    flx_robot *robot = m->robot;
    const flx_xml *all = flx_xml_child(m->root, "actuator");
    int count = 0;
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next) count++;
    robot->motors = flx_arena_take(robot->arena, (size_t)count + 1, sizeof *robot->motors);
    if (!robot->motors) return FLX_ERR_MEMORY;
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next) {
        const char *joint = flx_mjcf_get(m, e, "joint"), *name = flx_xml_get(e, "name");
        int of = find_joint(robot, joint);
        bool motor = strcmp(e->name, "motor") == 0, position = strcmp(e->name, "position") == 0,
             velocity = strcmp(e->name, "velocity") == 0;
        if (of < 0 || !has_coordinate(robot->joints + of) || !(motor || position || velocity)) {
            FLX_ROBOT_NOTE(
                robot, e->loc,
                "the actuator '%s' is left out: motors and servos of hinges and slides are taken",
                name ? name : e->name);
            continue;
        }
        double gear[6] = {1.0, 0, 0, 0, 0, 0}, range[2] = {0, 0}, gain = 1.0;
        int n;
        FLX_TRY(flx_mjcf_numbers(m, e, "gear", 6, gear, NULL));
        FLX_TRY(flx_mjcf_numbers(m, e, "ctrlrange", 2, range, &n));
        if (!motor) FLX_TRY(flx_mjcf_numbers(m, e, position ? "kp" : "kv", 1, &gain, NULL));
        bool limited = flx_mjcf_is(m, e, "ctrllimited", "true") ||
                       (m->limits_by_range && n == 2 && !flx_mjcf_is(m, e, "ctrllimited", "false"));
        if (!motor && gear[0] != 1.0) {
            FLX_ROBOT_NOTE(robot, e->loc, "the servo '%s' is left out: it has a gear",
                           name ? name : e->name);
            continue;
        }
        robot->motors[robot->nmotor++] = (flx_robot_motor){
            .name = name ? name : flx_arena_printf(robot->arena, "%s_%s", joint, e->name),
            .loc = e->loc,
            .joint = of,
            .gain = gear[0],
            .servo = !motor,
            .kp = position ? gain : 0.0,
            .kv = velocity ? gain : 0.0,
            .has_range = limited && n == 2 && range[0] < range[1],
            .lower = range[0],
            .upper = range[1]};
    }
    return FLX_OK;
}
