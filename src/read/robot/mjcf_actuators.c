// mjcf_actuators.c - actuators of MJCF that act on a hinge or a slide become inputs.
//
//     effort = gear*f,   f = gain*u + b0 + b1*gear*q + b2*gear*q'   within forcerange
// motor: gain 1; position: gain kp, b1 -kp, b2 -kv; velocity: gain kv, b2 -kv; general: as it says.
#include "read/robot/mjcf_parts.h"

#include <string.h>

// Why an actuator is not taken; NULL: it is.
static const char *reason(const flx_mjcf *m, const flx_xml *e, int joint)
{
    static const char *const kinds[] = {"motor", "position", "velocity", "general"};
    bool known = false;
    for (int k = 0; k < 4; k++) known = known || strcmp(e->name, kinds[k]) == 0;
    if (!known) return "motors, servos and general actuators are taken";
    if (joint < 0 || !flx_mjcf_has_coordinate(m->robot->joints + joint))
        return "those of hinges and slides are taken";
    const char *dynamics = flx_mjcf_get(m, e, "dyntype"), *gain = flx_mjcf_get(m, e, "gaintype"),
               *bias = flx_mjcf_get(m, e, "biastype"), *lag = flx_mjcf_get(m, e, "timeconst");
    if (dynamics && strcmp(dynamics, "none") != 0) return "it has a state of its own";
    if (lag && strcmp(lag, "0") != 0) return "it has a state of its own";
    if (flx_mjcf_get(m, e, "dampratio")) return "its dampratio is not read";
    if (gain && strcmp(gain, "fixed") != 0) return "its gain is not a number";
    if (bias && strcmp(bias, "none") != 0 && strcmp(bias, "affine") != 0)
        return "its bias is not affine";
    return NULL;
}

static flx_status read_gains(const flx_mjcf *m, const flx_xml *e, flx_robot_motor *a)
{
    double kp = 1.0, kv = strcmp(e->name, "velocity") == 0 ? 1.0 : 0.0, gain[3] = {1.0, 0, 0},
           bias[3] = {0};
    FLX_TRY(flx_mjcf_numbers(m, e, "kp", 1, &kp, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "kv", 1, &kv, NULL));
    a->gain = 1.0;
    if (strcmp(e->name, "position") == 0) {
        a->gain = kp;
        a->bias[1] = -kp;
        a->bias[2] = -kv;
    } else if (strcmp(e->name, "velocity") == 0) {
        a->gain = kv;
        a->bias[2] = -kv;
    } else if (strcmp(e->name, "general") == 0) {
        FLX_TRY(flx_mjcf_numbers(m, e, "gainprm", 3, gain, NULL));
        FLX_TRY(flx_mjcf_numbers(m, e, "biasprm", 3, bias, NULL));
        a->gain = gain[0];
        if (flx_mjcf_is(m, e, "biastype", "affine")) memcpy(a->bias, bias, sizeof bias);
    }
    return FLX_OK;
}

// A range that counts.
static flx_status read_range(const flx_mjcf *m, const flx_xml *e, const char *range,
                             const char *limited, double out[2], bool *has)
{
    int n;
    FLX_TRY(flx_mjcf_numbers(m, e, range, 2, out, &n));
    bool counts = flx_mjcf_is(m, e, limited, "true") ||
                  (m->limits_by_range && !flx_mjcf_is(m, e, limited, "false"));
    *has = counts && n == 2 && out[0] < out[1];
    return FLX_OK;
}

static flx_status read_actuator(flx_mjcf *m, const flx_xml *e, int number)
{
    flx_robot *robot = m->robot;
    const char *joint = flx_mjcf_get(m, e, "joint"), *name = flx_xml_get(e, "name");
    if (!joint) joint = flx_mjcf_get(m, e, "jointinparent");
    int of = flx_mjcf_find_joint(robot, joint);
    const char *why = reason(m, e, of);
    if (why) {
        FLX_ROBOT_NOTE(robot, e->loc, "the actuator '%s' is left out: %s", name ? name : e->name,
                       why);
        return FLX_OK;
    }
    flx_robot_motor *a = robot->motors + robot->nmotor;
    double gear[6] = {1.0, 0, 0, 0, 0, 0}, range[2] = {0, 0}, inherit = 0.0;
    *a = (flx_robot_motor){.name = name ? name
                                        : flx_arena_printf(robot->arena, "%s_%s", joint, e->name),
                           .loc = e->loc,
                           .joint = of,
                           .number = number};
    FLX_TRY(flx_mjcf_numbers(m, e, "gear", 6, gear, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "inheritrange", 1, &inherit, NULL));
    FLX_TRY(read_gains(m, e, a));
    FLX_TRY(read_range(m, e, "forcerange", "forcelimited", a->force, &a->has_force));
    FLX_TRY(read_range(m, e, "ctrlrange", "ctrllimited", range, &a->has_range));
    a->gear = gear[0];
    a->lower = range[0];
    a->upper = range[1];
    const flx_robot_joint *j = robot->joints + of;
    if (inherit > 0.0 && !a->has_range && j->limited) { // about the middle of the joint's range
        double middle = 0.5 * (j->lower + j->upper), half = 0.5 * inherit * (j->upper - j->lower);
        a->has_range = true;
        a->lower = middle + j->drawn - half;
        a->upper = middle + j->drawn + half;
    }
    robot->nmotor++;
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
    count = 0;
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next)
        FLX_TRY(read_actuator(m, e, count++));
    return FLX_OK;
}
