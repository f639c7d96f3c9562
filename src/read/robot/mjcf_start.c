// mjcf_start.c - the first keyframe of MJCF is the start: coordinates, rates, values of inputs.
//
// Hinges and slides begin at initial coordinates. What a free joint or a ball carries is drawn there.
#include "read/robot/mjcf_parts.h"

#include <string.h>

static bool hangs_on(const flx_robot *robot, int link, int on)
{
    for (int depth = 0; link >= 0 && link != on && depth <= robot->nlink; depth++) {
        int up = FLX_ROBOT_GROUND;
        for (int i = 0; i < robot->njoint; i++) {
            if (!robot->joints[i].closes && robot->joints[i].child == link)
                up = robot->joints[i].parent;
        }
        link = up;
    }
    return link == on;
}

// A motion of the ground takes a link along, and all that hangs on it.
static void move(flx_robot *robot, int link, flx_robot_pose by)
{
    for (int i = 0; i < robot->nlink; i++) {
        flx_robot_link *l = robot->links + i;
        if (hangs_on(robot, i, link)) l->pose = flx_robot_compose(by, l->pose);
    }
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->closes || !hangs_on(robot, j->child, link) || j->child == link) continue;
        j->pose = flx_robot_compose(by, j->pose);
        j->axis = m33_mul_v(by.R, j->axis);
    }
}

static void start_free(flx_robot *robot, flx_robot_joint *j, const double *q)
{
    flx_robot_pose now = {v3_load(q), quat_to_m33(quat_unit(quat_load(q + 3)))};
    move(robot, j->child, flx_robot_compose(now, flx_robot_inverse(robot->links[j->child].pose)));
    j->begins = true;
}

static void start_ball(flx_robot *robot, const flx_robot_joint *j, const double *q)
{
    m33 R = robot->links[j->child].pose.R, Q = quat_to_m33(quat_unit(quat_load(q)));
    m33 turn = m33_mul_t(m33_mul(R, Q), R);
    v3 at = j->pose.r;
    move(robot, j->child, (flx_robot_pose){v3_sub(at, m33_mul_v(turn, at)), turn});
    if (j->stiffness > 0.0 && Q.m[0] + Q.m[4] + Q.m[8] < 3.0 - 1e-12)
        FLX_ROBOT_NOTE(robot, j->loc, "the spring of the ball '%s' is at rest at the keyframe",
                       j->name);
}

static void count(const flx_robot *robot, int *nq, int *nv)
{
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (j->closes || j->type == FLX_ROBOT_FIXED) continue;
        *nq += j->type == FLX_ROBOT_FREE ? 7 : j->type == FLX_ROBOT_SPHERICAL ? 4 : 1;
        *nv += j->type == FLX_ROBOT_FREE ? 6 : j->type == FLX_ROBOT_SPHERICAL ? 3 : 1;
    }
}

// n numbers of an attribute, or none: zeros.
static flx_status read_list(const flx_mjcf *m, const flx_xml *e, const char *name, int n,
                            double **out, bool *given)
{
    int found = 0;
    *out = flx_arena_take(m->robot->arena, (size_t)n + 1, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    *given = flx_xml_get(e, name) != NULL;
    if (*given) FLX_TRY(flx_xml_some_numbers(m->robot->ctx, e, name, n, *out, &found));
    if (*given && found != n)
        return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc,
                        "%s of <key> has %d numbers where the file has %d", name, found, n);
    return FLX_OK;
}

// Coordinates of what is drawn: those of a keyframe that does not give them.
static void take_drawn(const flx_robot *robot, double *q)
{
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (j->closes || j->type == FLX_ROBOT_FIXED) continue;
        if (j->type == FLX_ROBOT_FREE) {
            v3_store(q, robot->links[j->child].pose.r);
            quat_store(q + 3, quat_from_m33(robot->links[j->child].pose.R));
            q += 7;
        } else if (j->type == FLX_ROBOT_SPHERICAL) {
            q[0] = 1.0;
            q += 4;
        } else {
            *q++ = j->drawn;
        }
    }
}

static void start_positions(flx_robot *robot, const double *q, const double *v)
{
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->closes || j->type == FLX_ROBOT_FIXED) continue;
        if (j->type == FLX_ROBOT_FREE) {
            start_free(robot, j, q);
            q += 7, v += 6;
        } else if (j->type == FLX_ROBOT_SPHERICAL) {
            start_ball(robot, j, q);
            q += 4, v += 3;
        } else {
            j->initial = *q++ - j->drawn;
            j->rate = *v++;
            j->begins = true;
        }
    }
}

// A link at the start: its motion away from where it is drawn, and its velocity, of its extension to the origin.
typedef struct moving {
    flx_robot_pose by;
    v3 v, w;
} moving;

// What a joint adds to its parent's. v: its rates.
static moving follow(const flx_robot *robot, const flx_robot_joint *j, moving m, const double *v)
{
    const bool slides = j->type == FLX_ROBOT_PRISMATIC, turns = j->type == FLX_ROBOT_REVOLUTE;
    v3 at = v3_add(m.by.r, m33_mul_v(m.by.R, j->pose.r)), axis = m33_mul_v(m.by.R, j->axis);
    if (slides) m.v = v3_axpy(*v, axis, m.v);
    if (slides) m.by.r = v3_axpy(j->initial, axis, m.by.r);
    v3 w = turns ? v3_scale(*v, axis) : v3_make(0, 0, 0);
    if (turns) {
        m33 R = quat_to_m33(quat_exp(v3_scale(j->initial, axis)));
        m.by = flx_robot_compose((flx_robot_pose){v3_sub(at, m33_mul_v(R, at)), R}, m.by);
    } else if (j->type == FLX_ROBOT_SPHERICAL || j->type == FLX_ROBOT_FREE) { // in axes of the link
        m33 R = m33_mul(m.by.R, robot->links[j->child].pose.R);
        w = m33_mul_v(R, v3_load(v + (j->type == FLX_ROBOT_FREE ? 3 : 0)));
    }
    if (j->type == FLX_ROBOT_FREE) {
        at = robot->links[j->child].pose.r;
        m.v = v3_load(v);
    }
    m.v = v3_sub(m.v, v3_cross(w, at));
    m.w = v3_add(m.w, w);
    return m;
}

// Parents come before what hangs on them.
static flx_status start_velocities(flx_robot *robot, const double *v)
{
    moving *all = flx_arena_take(robot->arena, (size_t)robot->nlink + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < robot->nlink; i++) all[i] = (moving){.by = flx_robot_no_pose()};
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (j->closes) continue;
        moving in = {.by = flx_robot_no_pose()};
        if (j->parent >= 0) in = all[j->parent];
        all[j->child] = j->type == FLX_ROBOT_FIXED ? in : follow(robot, j, in, v);
        if (j->type == FLX_ROBOT_FIXED) continue;
        v += j->type == FLX_ROBOT_FREE ? 6 : j->type == FLX_ROBOT_SPHERICAL ? 3 : 1;
        flx_robot_link *l = robot->links + j->child;
        const moving *m = all + j->child;
        v3 r = v3_add(m->by.r, m33_mul_v(m->by.R, l->pose.r));
        l->has_velocity = true;
        l->velocity = v3_add(m->v, v3_cross(m->w, r));
        l->angular_velocity = m->w;
    }
    return FLX_OK;
}

flx_status flx_mjcf_start(flx_mjcf *m)
{
    flx_robot *robot = m->robot;
    const flx_xml *key = flx_xml_child(flx_xml_child(m->root, "keyframe"), "key"),
                  *actuators = flx_xml_child(m->root, "actuator");
    int nq = 0, nv = 0, nu = 0;
    double *q, *v, *u;
    bool has_q, has_v, has_u;
    if (!key) return FLX_OK;
    count(robot, &nq, &nv);
    for (const flx_xml *e = actuators ? actuators->first : NULL; e; e = e->next) nu++;
    FLX_TRY(read_list(m, key, "qpos", nq, &q, &has_q));
    FLX_TRY(read_list(m, key, "qvel", nv, &v, &has_v));
    FLX_TRY(read_list(m, key, "ctrl", nu, &u, &has_u));
    if (!has_q && !has_v && !has_u) return FLX_OK;
    if (!has_q) take_drawn(robot, q);
    const char *name = flx_xml_get(key, "name");
    flx_ctx_warn(robot->ctx, key->loc, "the motion begins at the first keyframe%s%s%s",
                 name ? ", '" : "", name ? name : "", name ? "'" : "");
    if (has_q || has_v) start_positions(robot, q, v);
    bool moves = false;
    for (int i = 0; i < nv; i++) moves = moves || v[i] != 0.0;
    if (moves) FLX_TRY(start_velocities(robot, v));
    for (int i = 0; i < robot->nmotor && has_u; i++)
        robot->motors[i].value = u[robot->motors[i].number];
    return FLX_OK;
}
