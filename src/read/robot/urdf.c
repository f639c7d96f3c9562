// urdf.c - URDF: links, joints, limits, mimics, visuals.
//
// Real files are dirty. What is wrong with one is said with its place, and what is done about it: a link `world` that nobody
// declares is the ground, a joint on a link that is not there is left out, and so is one that would close a loop.
#include "read/robot/robot.h"
#include "read/robot/urdf_words.h"
#include "read/robot/xml.h"

#include <math.h>
#include <string.h>

#define TRY_NUMBERS(e, attribute, n, out, found)                                                   \
    FLX_TRY(flx_xml_numbers(robot->ctx, (e), (attribute), (n), (out), (found)))

static int find_link(const flx_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->nlink; i++) {
        if (strcmp(robot->links[i].name, name) == 0) return i;
    }
    return -2;
}

static int find_joint(const flx_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->njoint; i++) {
        if (strcmp(robot->joints[i].name, name) == 0) return i;
    }
    return -1;
}

static int count(const flx_xml *root, const char *name)
{
    int n = 0;
    for (const flx_xml *e = flx_xml_child(root, name); e; e = flx_xml_next(e, name)) n++;
    return n;
}

static flx_status read_origin(flx_robot *robot, const flx_xml *of, flx_robot_pose *out)
{
    const flx_xml *e = flx_xml_child(of, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    *out = flx_robot_no_pose();
    if (!e) return FLX_OK;
    TRY_NUMBERS(e, "xyz", 3, xyz, NULL);
    TRY_NUMBERS(e, "rpy", 3, rpy, NULL);
    *out = (flx_robot_pose){v3_load(xyz), flx_robot_rpy(rpy)};
    return FLX_OK;
}

// ---- links -----------------------------------------------------------------------------------------------

static flx_status read_inertial(flx_robot *robot, const flx_xml *of, flx_robot_link *link)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "iyz", "ixz"};
    const flx_xml *e = flx_xml_child(of, "inertial");
    if (!e) return FLX_OK;
    const flx_xml *mass = flx_xml_child(e, "mass"), *inertia = flx_xml_child(e, "inertia");
    flx_robot_pose pose;
    double I[6] = {0};
    FLX_TRY(read_origin(robot, e, &pose));
    if (mass) TRY_NUMBERS(mass, "value", 1, &link->mass, &link->inertial);
    for (int k = 0; inertia && k < 6; k++) {
        bool found = false;
        TRY_NUMBERS(inertia, names[k], 1, I + k, &found);
        if (!found && k < 3)
            FLX_ROBOT_NOTE(robot, inertia->loc, "the <inertia> of link '%s' has no %s: it is 0",
                           link->name, names[k]);
    }
    m33 own = {{I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]}};
    link->com = pose.r;
    link->I = m33_mul_t(m33_mul(pose.R, own), pose.R); // it is in axes of its own
    return FLX_OK;
}

// Pictures show all; what touches has no mesh.
static flx_status read_shape(flx_robot *robot, const flx_robot_options *o, const flx_xml *of,
                             const flx_robot_link *link, bool touches, flx_robot_shape **list)
{
    const flx_xml *g = flx_xml_child(of, "geometry"), *e;
    flx_robot_shape s = {.loc = of->loc, .scale = {1.0, 1.0, 1.0}};
    bool found = false, second = true;
    FLX_TRY(read_origin(robot, of, &s.pose));
    if ((e = flx_xml_child(g, "box")) != NULL) {
        s.form = FLX_ROBOT_BOX;
        TRY_NUMBERS(e, "size", 3, s.size, &found);
    } else if ((e = flx_xml_child(g, "sphere")) != NULL) {
        s.form = FLX_ROBOT_SPHERE;
        TRY_NUMBERS(e, "radius", 1, s.size, &found);
    } else if ((e = flx_xml_child(g, "cylinder")) != NULL ||
               (e = flx_xml_child(g, "capsule")) != NULL) {
        s.form = strcmp(e->name, "cylinder") == 0 ? FLX_ROBOT_CYLINDER : FLX_ROBOT_CAPSULE;
        TRY_NUMBERS(e, "radius", 1, s.size, &found);
        TRY_NUMBERS(e, "length", 1, s.size + 1, &second);
    } else if ((e = flx_xml_child(g, "mesh")) != NULL) {
        if (touches) return FLX_OK;
        const char *uri = flx_xml_get(e, "filename");
        s.form = FLX_ROBOT_MESH;
        TRY_NUMBERS(e, "scale", 3, s.scale, NULL);
        s.file = uri ? flx_robot_find_file(robot, o, uri, e->loc) : NULL;
        if (!s.file) return FLX_OK;
        found = true;
    }
    bool positive = s.form == FLX_ROBOT_MESH ? flx_robot_has_scale(&s) : s.size[0] > 0.0;
    if (s.form == FLX_ROBOT_CYLINDER || s.form == FLX_ROBOT_CAPSULE)
        positive = positive && s.size[1] > 0.0;
    if (s.form == FLX_ROBOT_BOX) positive = positive && s.size[1] > 0.0 && s.size[2] > 0.0;
    if (!found || !second || !positive) {
        if (touches) return FLX_OK;
        FLX_ROBOT_NOTE(robot, of->loc, "a shape of link '%s' is left out: it has no size",
                       link->name);
        return FLX_OK;
    }
    flx_robot_shape *kept = flx_arena_take(robot->arena, 1, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    *kept = s;
    kept->next = *list;
    *list = kept;
    return FLX_OK;
}

static flx_status read_link(flx_robot *robot, const flx_robot_options *o, const flx_xml *e,
                            flx_robot_link *link)
{
    *link = (flx_robot_link){.name = flx_xml_get(e, "name"),
                             .loc = e->loc,
                             .pose = flx_robot_no_pose(),
                             .I = m33_zero(),
                             .into = -1};
    if (!link->name || !link->name[0])
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "a link has no name");
    if (find_link(robot, link->name) >= 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "there are two links '%s'", link->name);
    FLX_TRY(read_inertial(robot, e, link));
    const char *kind = flx_xml_child(e, "visual") ? "visual" : "collision";
    for (const flx_xml *v = flx_xml_child(e, kind); v; v = flx_xml_next(v, kind))
        FLX_TRY(read_shape(robot, o, v, link, false, &link->shapes));
    for (const flx_xml *v = flx_xml_child(e, "collision"); v; v = flx_xml_next(v, "collision"))
        FLX_TRY(read_shape(robot, o, v, link, true, &link->surfaces));
    return FLX_OK;
}

// ---- joints ----------------------------------------------------------------------------------------------

static flx_status read_limits(flx_robot *robot, const flx_xml *e, const char *type,
                              flx_robot_joint *j)
{
    const flx_xml *l = flx_xml_child(e, "limit"), *d = flx_xml_child(e, "dynamics");
    bool low = false, high = false;
    if (l) {
        TRY_NUMBERS(l, "lower", 1, &j->lower, &low);
        TRY_NUMBERS(l, "upper", 1, &j->upper, &high);
        TRY_NUMBERS(l, "effort", 1, &j->effort, NULL);
    }
    if (!l && strcmp(type, "continuous") != 0)
        FLX_ROBOT_NOTE(robot, j->loc, "joint '%s' has no <limit>: it moves without end", j->name);
    j->limited = (low || high) && strcmp(type, "continuous") != 0;
    flx_robot_check_limits(robot, j, l ? l->loc : j->loc);
    if (d) {
        TRY_NUMBERS(d, "damping", 1, &j->damping, NULL);
        TRY_NUMBERS(d, "friction", 1, &j->friction, NULL);
    }
    return FLX_OK;
}

static flx_status read_type(flx_robot *robot, const flx_xml *e, flx_robot_joint *j)
{
    static const struct {
        const char *word;
        flx_robot_type type;
    } types[] = {{"fixed", FLX_ROBOT_FIXED},         {"revolute", FLX_ROBOT_REVOLUTE},
                 {"continuous", FLX_ROBOT_REVOLUTE}, {"prismatic", FLX_ROBOT_PRISMATIC},
                 {"planar", FLX_ROBOT_PLANAR},       {"floating", FLX_ROBOT_FREE},
                 {"spherical", FLX_ROBOT_SPHERICAL}, {"ball", FLX_ROBOT_SPHERICAL}};
    const char *word = flx_xml_get(e, "type");
    for (size_t i = 0; word && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].word, word) != 0) continue;
        j->type = types[i].type;
        return j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC
                   ? read_limits(robot, e, word, j)
                   : FLX_OK;
    }
    return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                    "joint '%s' is of no type that URDF has: '%s'; the types are revolute, "
                    "continuous, prismatic, fixed, planar and floating",
                    j->name, word ? word : "");
}

// A joint whose link is missing is left out, and what hangs on it with it, unless the link is the world.
static int end_of(flx_robot *robot, const flx_xml *e, const char *which, flx_robot_joint *j)
{
    const flx_xml *end = flx_xml_child(e, which);
    const char *name = flx_xml_get(end, "link");
    int link = find_link(robot, name);
    if (link >= 0) return link;
    if (name && strcmp(name, "world") == 0) {
        FLX_ROBOT_NOTE(robot, end->loc,
                       "link 'world' is not in the file: it is taken as the ground");
        return FLX_ROBOT_GROUND;
    }
    FLX_ROBOT_NOTE(robot, e->loc, "joint '%s' is left out: its %s link '%s' is not in the file",
                   j->name, which, name ? name : "");
    j->gone = true;
    return FLX_ROBOT_GROUND;
}

static flx_status read_joint(flx_robot *robot, const flx_xml *e, flx_robot_joint *j)
{
    double axis[3] = {1.0, 0.0, 0.0};
    const flx_xml *a = flx_xml_child(e, "axis");
    *j = (flx_robot_joint){.name = flx_xml_get(e, "name"),
                           .loc = e->loc,
                           .mimics = -1,
                           .lower = -HUGE_VAL,
                           .upper = HUGE_VAL};
    if (!j->name || !j->name[0])
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "a joint has no name");
    if (find_joint(robot, j->name) >= 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "there are two joints '%s'", j->name);
    FLX_TRY(read_type(robot, e, j));
    j->parent = end_of(robot, e, "parent", j);
    if (!j->gone) j->child = end_of(robot, e, "child", j);
    if (!j->gone && j->child == FLX_ROBOT_GROUND)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "joint '%s' carries the world", j->name);
    FLX_TRY(read_origin(robot, e, &j->pose)); // in the parent, so far
    if (a) TRY_NUMBERS(a, "xyz", 3, axis, NULL);
    j->axis = v3_load(axis);
    double length = v3_norm(j->axis);
    if (!(length > 0.0)) {
        if (j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC)
            return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, a->loc, "the axis of joint '%s' is zero",
                            j->name);
        j->axis = v3_make(1.0, 0.0, 0.0);
        length = 1.0;
    }
    j->axis = v3_scale(1.0 / length, j->axis);
    return FLX_OK;
}

// Where a joint that follows has narrower limits than its leader takes it to, the leader stops there.
static void narrow_leader(flx_robot *robot, const flx_robot_joint *j, flx_loc loc)
{
    flx_robot_joint *l = robot->joints + j->mimics;
    if (!j->limited || j->ratio == 0.0) return;
    double a = (j->lower - j->offset) / j->ratio, b = (j->upper - j->offset) / j->ratio;
    double lower = l->limited ? l->lower : -HUGE_VAL, upper = l->limited ? l->upper : HUGE_VAL;
    double least = fmax(lower, fmin(a, b)), most = fmin(upper, fmax(a, b));
    if (least <= lower && most >= upper) return;
    bool possible = least < most;
    FLX_ROBOT_NOTE(robot, loc, "the limits of joint '%s', which follows, %s '%s'", j->name,
                   possible ? "stop its leader" : "are left out: they leave nothing to its leader",
                   l->name);
    if (!possible) return;
    l->limited = true;
    l->lower = least;
    l->upper = most;
}

static flx_status read_mimics(flx_robot *robot, const flx_xml *root)
{
    for (const flx_xml *e = flx_xml_child(root, "joint"); e; e = flx_xml_next(e, "joint")) {
        const flx_xml *m = flx_xml_child(e, "mimic");
        int own = find_joint(robot, flx_xml_get(e, "name"));
        if (!m || own < 0) continue;
        flx_robot_joint *j = robot->joints + own;
        int leader = find_joint(robot, flx_xml_get(m, "joint"));
        j->ratio = 1.0;
        TRY_NUMBERS(m, "multiplier", 1, &j->ratio, NULL);
        TRY_NUMBERS(m, "offset", 1, &j->offset, NULL);
        bool one = j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC;
        const flx_robot_joint *l = leader >= 0 ? robot->joints + leader : NULL;
        if (!l || leader == own || !one ||
            (l->type != FLX_ROBOT_REVOLUTE && l->type != FLX_ROBOT_PRISMATIC)) {
            FLX_ROBOT_NOTE(robot, m->loc, "joint '%s' moves freely: it cannot follow '%s'", j->name,
                           flx_xml_get(m, "joint") ? flx_xml_get(m, "joint") : "");
            j->offset = 0.0;
            continue;
        }
        j->mimics = leader;
        narrow_leader(robot, j, m->loc);
    }
    return FLX_OK;
}

// ---- places ----------------------------------------------------------------------------------------------

// Poses of all links in the ground, at zero; a joint that follows another with an offset is drawn there.
static flx_status place(flx_robot *robot)
{
    bool *known = flx_arena_take(robot->arena, (size_t)robot->nlink + 1, sizeof *known);
    int *by = flx_arena_take(robot->arena, (size_t)robot->nlink + 1, sizeof *by);
    if (!known || !by) return FLX_ERR_MEMORY;
    for (int i = 0; i < robot->nlink; i++) by[i] = -1;
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->gone) continue;
        if (by[j->child] >= 0) {
            FLX_ROBOT_NOTE(robot, j->loc, "joint '%s' is left out: link '%s' already hangs on '%s'",
                           j->name, robot->links[j->child].name, robot->joints[by[j->child]].name);
            j->gone = true;
            continue;
        }
        by[j->child] = i;
    }
    for (int i = 0; i < robot->nlink; i++) known[i] = by[i] < 0;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < robot->njoint; i++) {
            flx_robot_joint *j = robot->joints + i;
            if (j->gone || known[j->child]) continue;
            if (j->parent >= 0 && !known[j->parent]) continue;
            flx_robot_pose parent =
                j->parent >= 0 ? robot->links[j->parent].pose : flx_robot_no_pose();
            j->pose = flx_robot_compose(parent, j->pose);
            flx_robot_pose moved = flx_robot_no_pose();
            if (j->mimics >= 0 && j->type == FLX_ROBOT_REVOLUTE)
                moved.R = quat_to_m33(quat_exp(v3_scale(j->offset, j->axis)));
            if (j->mimics >= 0 && j->type == FLX_ROBOT_PRISMATIC)
                moved.r = v3_scale(j->offset, j->axis);
            robot->links[j->child].pose = flx_robot_compose(j->pose, moved);
            j->axis = m33_mul_v(j->pose.R, j->axis);
            known[j->child] = again = true;
        }
    }
    for (int i = 0; i < robot->nlink; i++) {
        if (!known[i])
            return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, robot->links[i].loc,
                            "link '%s' carries itself: its joints make a ring",
                            robot->links[i].name);
    }
    // what hangs on nothing is the base: it stands on the ground, or floats
    int bases = 0;
    for (int i = 0; i < robot->nlink; i++) {
        flx_robot_link *l = robot->links + i;
        if (by[i] >= 0) continue;
        bases++;
        if (strcmp(l->name, "world") == 0 || !robot->floating) l->into = -2;
        if (bases == 2)
            FLX_ROBOT_NOTE(robot, l->loc, "link '%s' hangs on nothing, beside the base", l->name);
    }
    return FLX_OK;
}

// What URDF's users put beside it.
static void note_others(flx_robot *robot, const flx_xml *root)
{
    for (const flx_xml *e = root->first; e; e = e->next) {
        bool own = strcmp(e->name, "link") == 0 || strcmp(e->name, "joint") == 0 ||
                   strcmp(e->name, "material") == 0;
        bool first = true;
        int n = 0;
        for (const flx_xml *b = root->first; b && !own; b = b->next) {
            if (strcmp(b->name, e->name) != 0) continue;
            if (n++ == 0) first = b == e;
        }
        if (!own && first)
            flx_ctx_warn(robot->ctx, e->loc, "<%s> is left out%s", e->name,
                         n > 1 ? ", and others like it" : "");
    }
}

flx_status flx_urdf_read(flx_robot *robot, const flx_robot_options *o, const flx_xml *root)
{
    robot->title = flx_xml_get(root, "name");
    robot->links =
        flx_arena_take(robot->arena, (size_t)count(root, "link") + 1, sizeof *robot->links);
    robot->joints =
        flx_arena_take(robot->arena, (size_t)count(root, "joint") + 1, sizeof *robot->joints);
    if (!robot->links || !robot->joints) return FLX_ERR_MEMORY;
    for (const flx_xml *e = flx_xml_child(root, "link"); e; e = flx_xml_next(e, "link")) {
        FLX_TRY(read_link(robot, o, e, robot->links + robot->nlink));
        robot->nlink++;
    }
    if (robot->nlink == 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, root->loc, "the robot has no links");
    for (const flx_xml *e = flx_xml_child(root, "joint"); e; e = flx_xml_next(e, "joint")) {
        FLX_TRY(read_joint(robot, e, robot->joints + robot->njoint));
        robot->njoint++;
    }
    FLX_TRY(read_mimics(robot, root));
    FLX_TRY(place(robot));
    note_others(robot, root);
    flx_urdf_check_words(robot, root);
    return flx_robot_add_motors(robot);
}
