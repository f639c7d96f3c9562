// mjcf.c - MJCF: bodies in bodies, joints, equalities, motors.
//
// A body without joints is fixed to the one that it is in; one with several hangs on a chain of links without mass. Angles are
// degrees unless the file says otherwise. What is not taken (contacts, tendons, sensors) is told.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

static flx_status read_compiler(flx_mjcf *m)
{
    m->angle = FLX_PI / 180.0;
    m->from_geoms = 2;
    memcpy(m->sequence, "xyz", 4);
    for (const flx_xml *c = flx_xml_child(m->root, "compiler"); c;
         c = flx_xml_next(c, "compiler")) {
        const char *angle = flx_xml_get(c, "angle"), *sequence = flx_xml_get(c, "eulerseq"),
                   *geoms = flx_xml_get(c, "inertiafromgeom"),
                   *limits = flx_xml_get(c, "autolimits");
        const char *coordinate = flx_xml_get(c, "coordinate");
        if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1.0 : FLX_PI / 180.0;
        if (sequence && strlen(sequence) == 3 && strspn(sequence, "xyzXYZ") == 3)
            memcpy(m->sequence, sequence, 4);
        if (geoms)
            m->from_geoms = strcmp(geoms, "true") == 0 ? 1 : strcmp(geoms, "false") == 0 ? 0 : 2;
        if (limits) m->limits_by_range = strcmp(limits, "true") == 0;
        if (coordinate && strcmp(coordinate, "global") == 0)
            return FLX_FAIL(m->robot->ctx, FLX_ERR_UNAVAILABLE, c->loc,
                            "global coordinates of MJCF are not read");
        FLX_TRY(flx_xml_numbers(m->robot->ctx, c, "boundmass", 1, &m->bound_mass, NULL));
        FLX_TRY(flx_xml_numbers(m->robot->ctx, c, "boundinertia", 1, &m->bound_inertia, NULL));
        double total = -1.0;
        FLX_TRY(flx_xml_numbers(m->robot->ctx, c, "settotalmass", 1, &total, NULL));
        if (total > 0.0)
            FLX_ROBOT_NOTE(m->robot, c->loc,
                           "settotalmass is left out: masses are as the bodies say");
    }
    for (const flx_xml *o = flx_xml_child(m->root, "option"); o; o = flx_xml_next(o, "option")) {
        double g[3];
        bool found = false;
        FLX_TRY(flx_xml_numbers(m->robot->ctx, o, "gravity", 3, g, &found));
        if (found) m->robot->gravity = v3_load(g);
    }
    return FLX_OK;
}

// ---- bodies ----------------------------------------------------------------------------------------------

static flx_status read_inertia(flx_mjcf *m, const flx_xml *body, flx_robot_link *link)
{
    const flx_xml *e = flx_xml_child(body, "inertial");
    double I[6] = {0};
    bool found;
    bool from_geoms = m->from_geoms == 1 || (m->from_geoms == 2 && !e);
    FLX_TRY(flx_mjcf_geoms(m, body, link, from_geoms));
    if (e && !from_geoms) {
        flx_robot_pose pose;
        FLX_TRY(flx_mjcf_pose(m, e, &pose));
        FLX_TRY(flx_xml_numbers(m->robot->ctx, e, "mass", 1, &link->mass, &link->inertial));
        FLX_TRY(flx_xml_numbers(m->robot->ctx, e, "fullinertia", 6, I, &found));
        if (found) { // xx yy zz xy xz yz
            double yz = I[5];
            I[5] = I[4];
            I[4] = yz;
        } else {
            FLX_TRY(flx_xml_numbers(m->robot->ctx, e, "diaginertia", 3, I, NULL));
        }
        m33 own = {{I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]}};
        link->com = pose.r;
        link->I = m33_mul_t(m33_mul(pose.R, own), pose.R);
    }
    if (link->mass < m->bound_mass) link->mass = m->bound_mass;
    return FLX_OK;
}

static flx_status read_sites(flx_mjcf *m, const flx_xml *body, flx_robot_link *link)
{
    for (const flx_xml *e = flx_xml_child(body, "site"); e; e = flx_xml_next(e, "site")) {
        const char *name = flx_xml_get(e, "name");
        flx_robot_point *p = name ? flx_arena_take(m->robot->arena, 1, sizeof *p) : NULL;
        if (!name) continue;
        if (!p) return FLX_ERR_MEMORY;
        *p = (flx_robot_point){.name = name, .loc = e->loc, .next = link->points};
        FLX_TRY(flx_mjcf_pose(m, e, &p->pose));
        link->points = p;
    }
    return FLX_OK;
}

// ---- joints ----------------------------------------------------------------------------------------------

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

static flx_status read_joint(flx_mjcf *m, const flx_xml *e, int parent, int child,
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
    if (hinge || slide) FLX_TRY(read_values(m, e, hinge, j));
    robot->njoint++;
    return FLX_OK;
}

static bool is_joint(const flx_xml *e)
{
    return strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0;
}

static int add_link(flx_robot *robot, const char *name, flx_loc loc, flx_robot_pose pose)
{
    robot->links[robot->nlink] =
        (flx_robot_link){.name = name, .loc = loc, .pose = pose, .I = m33_zero(), .into = -1};
    return robot->nlink++;
}

static flx_status read_body(flx_mjcf *m, const flx_xml *e, int parent, const flx_robot_pose *in)
{
    flx_robot *robot = m->robot;
    flx_robot_pose own, pose;
    const char *name = flx_xml_get(e, "name");
    int joints = 0, hangs = parent;
    FLX_TRY(flx_mjcf_pose(m, e, &own));
    pose = flx_robot_compose(*in, own);
    if (!name) name = flx_arena_printf(robot->arena, "body%d", robot->nlink + 1);
    for (const flx_xml *j = e->first; j; j = j->next) joints += is_joint(j);
    int k = 0, link = -1, chain = robot->nlink;
    for (int i = 1; i < joints; i++) // what carries the next joint
        add_link(robot, flx_arena_printf(robot->arena, "%s_%d", name, i), e->loc, pose);
    link = add_link(robot, name, e->loc, pose);
    for (const flx_xml *j = e->first; j; j = j->next) {
        if (!is_joint(j)) continue;
        int next = ++k == joints ? link : chain + k - 1;
        FLX_TRY(read_joint(m, j, hangs, next, &pose));
        hangs = next;
    }
    if (joints == 0) {
        robot->joints[robot->njoint++] = (flx_robot_joint){.name = name,
                                                           .loc = e->loc,
                                                           .type = FLX_ROBOT_FIXED,
                                                           .parent = parent,
                                                           .child = link,
                                                           .pose = pose,
                                                           .mimics = -1};
    }
    FLX_TRY(read_inertia(m, e, robot->links + link));
    FLX_TRY(read_sites(m, e, robot->links + link));
    for (const flx_xml *b = flx_xml_child(e, "body"); b; b = flx_xml_next(b, "body"))
        FLX_TRY(read_body(m, b, link, &pose));
    return FLX_OK;
}

static void count(const flx_xml *e, int *bodies, int *joints)
{
    for (const flx_xml *c = e->first; c; c = c->next) {
        *bodies += strcmp(c->name, "body") == 0;
        *joints += is_joint(c);
        count(c, bodies, joints);
    }
}

static flx_status note_others(flx_mjcf *m)
{
    static const char *const quiet[] = {"compiler", "option", "size",      "visual",   "statistic",
                                        "default",  "asset",  "worldbody", "equality", "actuator"};
    for (const flx_xml *e = m->root->first; e; e = e->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
            known = known || strcmp(e->name, quiet[i]) == 0;
        if (!known) FLX_ROBOT_NOTE(m->robot, e->loc, "<%s> is left out", e->name);
    }
    return FLX_OK;
}

static const flx_xml *find_composite(const flx_xml *e)
{
    for (const flx_xml *c = e->first; c; c = c->next) {
        const flx_xml *found = strcmp(c->name, "composite") == 0 ? c : find_composite(c);
        if (found) return found;
    }
    return NULL;
}

flx_status flx_mjcf_read(flx_robot *robot, const flx_robot_options *o, const flx_xml *root)
{
    flx_mjcf m = {.robot = robot, .o = o, .root = root};
    const flx_xml *world = flx_xml_child(root, "worldbody"), *composite = find_composite(root);
    const flx_robot_pose ground = flx_robot_no_pose();
    int bodies = 0, joints = 0;
    if (composite)
        return FLX_FAIL(robot->ctx, FLX_ERR_UNAVAILABLE, composite->loc,
                        "<composite> of MJCF is not read");
    if (world) count(world, &bodies, &joints);
    if (bodies == 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, root->loc, "the file has no bodies");
    const flx_xml *equality = flx_xml_child(root, "equality");
    int loops = 0;
    for (const flx_xml *e = equality ? equality->first : NULL; e; e = e->next) loops++;
    robot->title = flx_xml_get(root, "model");
    robot->gravity = v3_make(0.0, 0.0, -9.81);
    robot->links =
        flx_arena_take(robot->arena, (size_t)bodies + (size_t)joints + 1, sizeof *robot->links);
    robot->joints = flx_arena_take(
        robot->arena, (size_t)bodies + (size_t)joints + (size_t)loops + 1, sizeof *robot->joints);
    if (!robot->links || !robot->joints) return FLX_ERR_MEMORY;
    FLX_TRY(read_compiler(&m));
    for (const flx_xml *w = world; w; w = flx_xml_next(w, "worldbody")) {
        for (const flx_xml *b = flx_xml_child(w, "body"); b; b = flx_xml_next(b, "body"))
            FLX_TRY(read_body(&m, b, FLX_ROBOT_GROUND, &ground));
    }
    FLX_TRY(flx_mjcf_equalities(&m));
    FLX_TRY(flx_mjcf_actuators(&m));
    return note_others(&m);
}
