// mjcf.c - MJCF: bodies in bodies, with their mass and their points.
//
// A body without joints is fixed to the one that it is in; one with several hangs on a chain of links without mass. Angles are
// degrees unless the file says otherwise. What is not taken (contacts, tendons, sensors) is told.
#include "math/dense.h"
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

// ---- bodies ----------------------------------------------------------------------------------------------

// boundinertia: no principal moment is smaller.
static flx_status bound_inertia(const flx_mjcf *m, flx_robot_link *link)
{
    double A[9], w[3];
    m33 D = m33_zero();
    for (int i = 0; i < 9; i++) A[i] = 0.5 * (link->I.m[i] + link->I.m[3 * (i % 3) + i / 3]);
    FLX_TRY(flx_dense_symmetric_eigen(m->robot->ctx, 3, A, w));
    if (w[0] >= m->bound_inertia) return FLX_OK;
    for (int k = 0; k < 3; k++) D.m[4 * k] = fmax(w[k], m->bound_inertia);
    m33 V = m33_from_cols(v3_load(A), v3_load(A + 3), v3_load(A + 6));
    link->I = m33_mul_t(m33_mul(V, D), V);
    return FLX_OK;
}

static flx_status read_inertia(flx_mjcf *m, const flx_xml *body, flx_robot_link *link)
{
    const flx_xml *e = flx_xml_child(body, "inertial");
    double I[6] = {0};
    bool found;
    bool from_geoms = m->from_geoms == 1 || (m->from_geoms == 2 && !e);
    FLX_TRY(flx_mjcf_geoms(m, body, link, from_geoms));
    if (e && (!from_geoms || !(link->mass > 0.0))) { // also where no geom counts
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
    return m->bound_inertia > 0.0 ? bound_inertia(m, link) : FLX_OK;
}

static flx_status read_sites(flx_mjcf *m, const flx_xml *body, flx_robot_link *link)
{
    for (const flx_xml *e = flx_xml_child(body, "site"); e; e = flx_xml_next(e, "site")) {
        const char *name = flx_xml_get(e, "name");
        flx_robot_point *p = name ? flx_arena_take(m->robot->arena, 1, sizeof *p) : NULL;
        if (!name) continue;
        if (!p) return FLX_ERR_MEMORY;
        *p = (flx_robot_point){.name = name, .loc = e->loc, .next = link->points};
        FLX_TRY(flx_mjcf_placed(m, e, &p->pose, NULL));
        link->points = p;
    }
    return FLX_OK;
}

static int add_link(flx_robot *robot, const char *name, flx_loc loc, flx_robot_pose pose)
{
    robot->links[robot->nlink] =
        (flx_robot_link){.name = name, .loc = loc, .pose = pose, .I = m33_zero(), .into = -1};
    return robot->nlink++;
}

// What a body says that is not taken.
static void note_of_body(flx_mjcf *m, const flx_xml *e)
{
    static const char *const known[] = {"inertial", "joint", "freejoint", "geom",
                                        "site",     "body",  "camera",    "light"};
    static const char *const others[] = {"gravcomp", "mocap"};
    const char *name = flx_xml_get(e, "name");
    for (int k = 0; k < 2; k++) {
        const char *value = flx_xml_get(e, others[k]);
        if (value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0)
            FLX_ROBOT_NOTE(m->robot, e->loc, "%s of body '%s' is left out", others[k],
                           name ? name : "");
    }
    for (const flx_xml *c = e->first; c; c = c->next) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            found = found || strcmp(c->name, known[k]) == 0;
        if (!found) FLX_ROBOT_NOTE(m->robot, c->loc, "<%s> is left out", c->name);
    }
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
    for (const flx_xml *j = e->first; j; j = j->next) joints += flx_mjcf_is_joint(j);
    int k = 0, link = -1, chain = robot->nlink;
    for (int i = 1; i < joints; i++) // what carries the next joint
        add_link(robot, flx_arena_printf(robot->arena, "%s_%d", name, i), e->loc, pose);
    link = add_link(robot, name, e->loc, pose);
    for (const flx_xml *j = e->first; j; j = j->next) {
        if (!flx_mjcf_is_joint(j)) continue;
        int next = ++k == joints ? link : chain + k - 1;
        FLX_TRY(flx_mjcf_joint(m, j, hangs, next, &pose));
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
    note_of_body(m, e);
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
        *joints += flx_mjcf_is_joint(c);
        count(c, bodies, joints);
    }
}

static flx_status note_others(flx_mjcf *m)
{
    static const char *const quiet[] = {"compiler",  "option",   "size",     "visual",
                                        "statistic", "default",  "asset",    "worldbody",
                                        "equality",  "actuator", "keyframe", "custom"};
    for (const flx_xml *e = m->root->first; e; e = e->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
            known = known || strcmp(e->name, quiet[i]) == 0;
        if (!known) FLX_ROBOT_NOTE(m->robot, e->loc, "<%s> is left out", e->name);
    }
    return FLX_OK;
}

// What stands on the ground touches nothing here.
static void note_of_ground(flx_mjcf *m, const flx_xml *world)
{
    const flx_xml *geom = flx_xml_child(world, "geom");
    if (geom)
        FLX_ROBOT_NOTE(m->robot, geom->loc,
                       "geoms do not touch each other: the surfaces of bodies wait for a force of "
                       "type contact");
}

static void scale_to_total(const flx_mjcf *m)
{
    flx_robot *robot = m->robot;
    double sum = 0.0;
    for (int i = 0; i < robot->nlink; i++) sum += robot->links[i].mass;
    for (int i = 0; i < robot->nlink && sum > 0.0 && m->total_mass > 0.0; i++) {
        robot->links[i].mass *= m->total_mass / sum;
        robot->links[i].I = m33_scale(m->total_mass / sum, robot->links[i].I);
    }
}

flx_status flx_mjcf_read(flx_robot *robot, const flx_robot_options *o, const flx_xml *root)
{
    flx_mjcf m = {.robot = robot, .o = o, .root = root};
    const flx_robot_pose ground = flx_robot_no_pose();
    int bodies = 0, joints = 0;
    flx_mjcf_check_classes(&m);
    flx_xml *world = flx_xml_child(root, "worldbody");
    for (flx_xml *w = world; w; w = flx_xml_next(w, "worldbody"))
        FLX_TRY(flx_mjcf_open_frames(&m, w));
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
    FLX_TRY(flx_mjcf_options(&m));
    for (const flx_xml *w = world; w; w = flx_xml_next(w, "worldbody")) {
        for (const flx_xml *b = flx_xml_child(w, "body"); b; b = flx_xml_next(b, "body"))
            FLX_TRY(read_body(&m, b, FLX_ROBOT_GROUND, &ground));
    }
    scale_to_total(&m);
    note_of_ground(&m, world);
    FLX_TRY(flx_mjcf_equalities(&m));
    FLX_TRY(flx_mjcf_actuators(&m));
    FLX_TRY(flx_mjcf_start(&m));
    return note_others(&m);
}
