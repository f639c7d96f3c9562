// mjcf_actuators.c - actuators of MJCF that act on a hinge or a slide become inputs.
//
//     effort = gear*f,   f = gain*u + b0 + b1*gear*q + b2*gear*q'   within forcerange
// motor: gain 1; position: gain kp, b1 -kp, b2 -kv; velocity: gain kv, b2 -kv; general: as it says.
#include "read/robot/mjcf_parts.h"

#include <string.h>

// What defaults and the element itself say of its law, each over what was said before: in MJCF the defaults of a class are those of
// one actuator, whichever word they are under.
typedef struct law {
    double gain, bias[3];
    const char *state, *of_gain,
        *of_bias; // "none", "fixed" and "none" or "affine", else it is not taken
    bool ratio;
} law;

// A servo at kp says nothing of kv but what it has itself, or a position servo above it.
static flx_status read_position(const flx_mjcf *m, const flx_xml *e, law *a, double *kv)
{
    FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, "kp", 1, &a->gain, &(int){0}));
    FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, "kv", 1, kv, &(int){0}));
    const char *lag = flx_xml_get(e, "timeconst");
    memcpy(a->bias, (double[3]){0.0, -a->gain, -*kv}, sizeof a->bias);
    a->state = lag && strcmp(lag, "0") != 0 ? "filter" : "none";
    a->ratio = a->ratio || flx_xml_get(e, "dampratio");
    a->of_gain = "fixed";
    a->of_bias = "affine";
    return FLX_OK;
}

static flx_status read_velocity(const flx_mjcf *m, const flx_xml *e, law *a)
{
    FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, "kv", 1, &a->gain, &(int){0}));
    *a = (law){.gain = a->gain,
               .bias = {0.0, 0.0, -a->gain},
               .state = "none",
               .of_gain = "fixed",
               .of_bias = "affine"};
    return FLX_OK;
}

static flx_status read_general(const flx_mjcf *m, const flx_xml *e, law *a)
{
    double gain[3] = {a->gain, 0, 0};
    FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, "gainprm", 3, gain, &(int){0}));
    FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, "biasprm", 3, a->bias, &(int){0}));
    a->gain = gain[0];
    const char *own[3] = {flx_xml_get(e, "dyntype"), flx_xml_get(e, "gaintype"),
                          flx_xml_get(e, "biastype")};
    if (own[0]) a->state = own[0];
    if (own[1]) a->of_gain = own[1];
    if (own[2]) a->of_bias = own[2];
    return FLX_OK;
}

static flx_status read_element(const flx_mjcf *m, const flx_xml *e, law *a, double *kv)
{
    if (strcmp(e->name, "position") == 0) return read_position(m, e, a, kv);
    *kv = 0.0;
    if (strcmp(e->name, "velocity") == 0) return read_velocity(m, e, a);
    if (strcmp(e->name, "general") == 0) return read_general(m, e, a);
    a->state = strcmp(e->name, "motor") == 0 ? "none" : e->name;
    a->gain = 1.0;
    a->of_gain = "fixed";
    a->of_bias = "none";
    return FLX_OK;
}

static flx_status read_defaults(const flx_mjcf *m, const flx_xml *d, law *a, double *kv)
{
    if (!d || strcmp(d->name, "default") != 0) return FLX_OK;
    FLX_TRY(read_defaults(m, d->up, a, kv));
    for (const flx_xml *e = d->first; e; e = e->next)
        if (flx_mjcf_is_actuator(e)) FLX_TRY(read_element(m, e, a, kv));
    return FLX_OK;
}

static flx_status read_law(const flx_mjcf *m, const flx_xml *e, law *a)
{
    double kv = 0.0;
    *a = (law){.gain = 1.0, .state = "none", .of_gain = "fixed", .of_bias = "none"};
    FLX_TRY(read_defaults(m, flx_mjcf_class(m, e), a, &kv));
    FLX_TRY(read_element(m, e, a, &kv));
    if (strcmp(a->of_bias, "none") == 0) memset(a->bias, 0, sizeof a->bias);
    return FLX_OK;
}

// Why an actuator is not taken; NULL: it is.
static const char *reason(const flx_mjcf *m, const flx_xml *e, const law *a, int joint)
{
    static const char *const kinds[] = {"motor", "position", "velocity", "general"};
    bool known = false;
    for (int k = 0; k < 4; k++) known = known || strcmp(e->name, kinds[k]) == 0;
    if (!known) return "motors, servos and general actuators are taken";
    if (joint < 0 || !flx_mjcf_has_coordinate(m->robot->joints + joint))
        return "those of hinges and slides are taken";
    if (strcmp(a->state, "none") != 0) return "it has a state of its own";
    if (a->ratio) return "its dampratio is not read";
    if (strcmp(a->of_gain, "fixed") != 0) return "its gain is not a number";
    if (strcmp(a->of_bias, "none") != 0 && strcmp(a->of_bias, "affine") != 0)
        return "its bias is not affine";
    return NULL;
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
    law says;
    FLX_TRY(read_law(m, e, &says));
    const char *why = reason(m, e, &says, of);
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
                           .gain = says.gain,
                           .bias = {says.bias[0], says.bias[1], says.bias[2]},
                           .number = number};
    FLX_TRY(flx_mjcf_numbers(m, e, "gear", 6, gear, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "inheritrange", 1, &inherit, NULL));
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
