// sdf.c - SDF 1.4 to 1.10: models of links and joints; poses relative to frames; loops are native.
#include "read/robot/robot.h"
#include "read/robot/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 100 // of frames that are given in each other

typedef struct reader {
    flx_robot *robot;
    const flx_robot_options *o;
    const flx_xml *model;
    flx_robot_pose base; // of the model in the ground
    bool old_axes;       // before 1.5 axes are in the model's frame
    bool prefix;         // there are several models: names begin with the model's
    int first_link, first_joint;
} reader;

static const char *trimmed(flx_arena *arena, const flx_xml *e)
{
    if (!e) return NULL;
    const char *s = e->text + strspn(e->text, " \t\r\n");
    size_t n = strlen(s);
    while (n > 0 && strchr(" \t\r\n", s[n - 1])) n--;
    return flx_arena_copy(arena, s, n);
}

// The number of a child element; what it is without it stays.
static flx_status read_child(flx_robot *robot, const flx_xml *of, const char *name, int n,
                             double *out, bool *found)
{
    if (found) *found = false;
    const flx_xml *e = flx_xml_child(of, name);
    return e ? flx_xml_numbers(robot->ctx, e, NULL, n, out, found) : FLX_OK;
}

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

// Six numbers, angles in degrees where it says so, or a place and a quaternion x y z w.
static flx_status read_pose(flx_robot *robot, const flx_xml *of, flx_robot_pose *out)
{
    double x[7] = {0}, unit = 1.0;
    const flx_xml *e = flx_xml_child(of, "pose");
    const char *format = flx_xml_get(e, "rotation_format");
    *out = flx_robot_no_pose();
    if (!e) return FLX_OK;
    if (format && strcmp(format, "quat_xyzw") == 0) {
        FLX_TRY(flx_xml_numbers(robot->ctx, e, NULL, 7, x, NULL));
        const double q[4] = {x[6], x[3], x[4], x[5]};
        *out = (flx_robot_pose){v3_load(x), quat_to_m33(quat_unit(quat_load(q)))};
        return FLX_OK;
    }
    if (is_true(flx_xml_get(e, "degrees"))) unit = FLX_PI / 180.0;
    FLX_TRY(flx_xml_numbers(robot->ctx, e, NULL, 6, x, NULL));
    for (int k = 3; k < 6; k++) x[k] *= unit;
    *out = (flx_robot_pose){v3_load(x), flx_robot_rpy(x + 3)};
    return FLX_OK;
}

static const flx_xml *find_named(const flx_xml *model, const char *kind, const char *name)
{
    const flx_xml *e = flx_xml_child(model, kind);
    for (; e; e = flx_xml_next(e, kind)) {
        const char *own = flx_xml_get(e, "name");
        if (own && strcmp(own, name) == 0) return e;
    }
    return NULL;
}

static flx_status frame_pose(reader *r, const flx_xml *e, int depth, flx_robot_pose *out);

// A frame of the model by its name, in the model.
static flx_status named_pose(reader *r, const char *name, flx_loc loc, int depth,
                             flx_robot_pose *out)
{
    static const char *const kinds[] = {"link", "joint", "frame"};
    *out = flx_robot_no_pose();
    if (!name || !name[0] || strcmp(name, "__model__") == 0) return FLX_OK;
    if (strcmp(name, "world") == 0) {
        *out = flx_robot_inverse(r->base);
        return FLX_OK;
    }
    for (int k = 0; k < 3; k++) {
        const flx_xml *e = find_named(r->model, kinds[k], name);
        if (e) return frame_pose(r, e, depth + 1, out);
    }
    return FLX_FAIL(r->robot->ctx, FLX_ERR_MODEL, loc, "there is no frame '%s' in the model", name);
}

// A link, joint or frame, in the model.
static flx_status frame_pose(reader *r, const flx_xml *e, int depth, flx_robot_pose *out)
{
    flx_robot_pose own, in;
    const flx_xml *pose = flx_xml_child(e, "pose");
    const char *to = pose ? flx_xml_get(pose, "relative_to") : NULL;
    if (depth > DEEPEST)
        return FLX_FAIL(r->robot->ctx, FLX_ERR_MODEL, e->loc,
                        "frames are given in each other, in a ring");
    if (pose && !to) to = flx_xml_get(pose, "frame"); // of 1.6
    FLX_TRY(read_pose(r->robot, e, &own));
    if (!to || !to[0]) {
        if (strcmp(e->name, "joint") == 0) to = trimmed(r->robot->arena, flx_xml_child(e, "child"));
        if (strcmp(e->name, "frame") == 0) to = flx_xml_get(e, "attached_to");
    }
    FLX_TRY(named_pose(r, to, e->loc, depth, &in));
    *out = flx_robot_compose(in, own);
    return FLX_OK;
}

static const char *full_name(const reader *r, const flx_xml *e)
{
    const char *name = flx_xml_get(e, "name"), *model = flx_xml_get(r->model, "name");
    if (!name || !r->prefix) return name;
    return flx_arena_printf(r->robot->arena, "%s_%s", model ? model : "model", name);
}

// ---- links -----------------------------------------------------------------------------------------------

static flx_status read_inertial(flx_robot *robot, const flx_xml *of, flx_robot_link *link)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "iyz", "ixz"};
    const flx_xml *e = flx_xml_child(of, "inertial"), *inertia = flx_xml_child(e, "inertia");
    double I[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    flx_robot_pose pose = flx_robot_no_pose();
    link->mass = 1.0;
    if (!e && link->into == -1) {
        FLX_ROBOT_NOTE(
            robot, of->loc,
            "link '%s' says nothing of its inertia: it has the mass 1 kg and the moments "
            "1 kg m^2 that SDF means then",
            link->name);
    } else if (e) {
        FLX_TRY(read_pose(robot, e, &pose));
        FLX_TRY(read_child(robot, e, "mass", 1, &link->mass, &link->inertial));
    }
    for (int k = 0; inertia && k < 6; k++)
        FLX_TRY(read_child(robot, inertia, names[k], 1, I + k, NULL));
    m33 own = {{I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]}};
    link->com = pose.r;
    link->I = m33_mul_t(m33_mul(pose.R, own), pose.R);
    return FLX_OK;
}

// Pictures show all; what touches has no mesh.
static flx_status read_shape(reader *r, const flx_xml *of, bool touches, flx_robot_shape **list)
{
    flx_robot *robot = r->robot;
    const flx_xml *g = flx_xml_child(of, "geometry"), *e;
    flx_robot_shape s = {.loc = of->loc, .scale = {1.0, 1.0, 1.0}};
    bool found = false, second = true;
    FLX_TRY(read_pose(robot, of, &s.pose));
    if ((e = flx_xml_child(g, "box")) != NULL) {
        s.form = FLX_ROBOT_BOX;
        FLX_TRY(read_child(robot, e, "size", 3, s.size, &found));
    } else if ((e = flx_xml_child(g, "sphere")) != NULL) {
        s.form = FLX_ROBOT_SPHERE;
        FLX_TRY(read_child(robot, e, "radius", 1, s.size, &found));
    } else if ((e = flx_xml_child(g, "cylinder")) != NULL ||
               (e = flx_xml_child(g, "capsule")) != NULL) {
        s.form = strcmp(e->name, "cylinder") == 0 ? FLX_ROBOT_CYLINDER : FLX_ROBOT_CAPSULE;
        FLX_TRY(read_child(robot, e, "radius", 1, s.size, &found));
        FLX_TRY(read_child(robot, e, "length", 1, s.size + 1, &second));
    } else if (!touches && (e = flx_xml_child(g, "mesh")) != NULL) {
        const char *uri = trimmed(robot->arena, flx_xml_child(e, "uri"));
        FLX_TRY(read_child(robot, e, "scale", 3, s.scale, NULL));
        s.form = FLX_ROBOT_MESH;
        s.file = uri ? flx_robot_find_file(robot, r->o, uri, e->loc) : NULL;
        found = s.file && flx_robot_has_scale(&s);
    }
    for (int k = 0; found && k < (s.form == FLX_ROBOT_BOX                                  ? 3
                                  : s.form == FLX_ROBOT_MESH || s.form == FLX_ROBOT_SPHERE ? 0
                                                                                           : 2);
         k++)
        found = s.size[k] > 0.0;
    if (s.form == FLX_ROBOT_SPHERE) found = found && s.size[0] > 0.0;
    if (!found || !second) return FLX_OK; // planes, heights, images: no shapes of bodies
    flx_robot_shape *kept = flx_arena_take(robot->arena, 1, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    *kept = s;
    kept->next = *list;
    *list = kept;
    return FLX_OK;
}

// What a link says that is not taken.
static void note_of_link(flx_robot *robot, const flx_xml *e)
{
    const char *gravity = trimmed(robot->arena, flx_xml_child(e, "gravity")),
               *name = flx_xml_get(e, "name");
    const flx_xml *inertial = flx_xml_child(e, "inertial");
    if (gravity && (strcmp(gravity, "false") == 0 || strcmp(gravity, "0") == 0))
        FLX_ROBOT_NOTE(robot, e->loc, "gravity acts on link '%s', which the file leaves out",
                       name ? name : "");
    if (is_true(flx_xml_get(inertial, "auto")))
        FLX_ROBOT_NOTE(robot, inertial->loc,
                       "the inertia of link '%s' is as it is written: it is not found from shapes",
                       name ? name : "");
    if (flx_xml_child(inertial, "fluid_added_mass"))
        FLX_ROBOT_NOTE(robot, inertial->loc, "the added mass of a fluid of link '%s' is left out",
                       name ? name : "");
}

static flx_status read_link(reader *r, const flx_xml *e, bool stands)
{
    flx_robot *robot = r->robot;
    flx_robot_link *link = robot->links + robot->nlink;
    flx_robot_pose pose;
    *link = (flx_robot_link){
        .name = full_name(r, e), .loc = e->loc, .I = m33_zero(), .into = stands ? -2 : -1};
    if (!link->name || !link->name[0])
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "a link has no name");
    FLX_TRY(frame_pose(r, e, 0, &pose));
    link->pose = flx_robot_compose(r->base, pose);
    FLX_TRY(read_inertial(robot, e, link));
    const char *kind = flx_xml_child(e, "visual") ? "visual" : "collision";
    for (const flx_xml *v = flx_xml_child(e, kind); v; v = flx_xml_next(v, kind))
        FLX_TRY(read_shape(r, v, false, &link->shapes));
    for (const flx_xml *v = flx_xml_child(e, "collision"); v; v = flx_xml_next(v, "collision"))
        FLX_TRY(read_shape(r, v, true, &link->surfaces));
    note_of_link(robot, e);
    robot->nlink++;
    return FLX_OK;
}

// ---- joints ----------------------------------------------------------------------------------------------

static flx_status end_of(reader *r, const flx_xml *e, const char *which, int *out)
{
    const flx_xml *end = flx_xml_child(e, which);
    const char *name = trimmed(r->robot->arena, end);
    *out = FLX_ROBOT_GROUND;
    if (name && strcmp(name, "world") == 0) return FLX_OK;
    for (int i = r->first_link; name && i < r->robot->nlink; i++) {
        const char *own = r->robot->links[i].name;
        size_t skip =
            r->prefix
                ? strlen(flx_xml_get(r->model, "name") ? flx_xml_get(r->model, "name") : "model") +
                      1
                : 0;
        if (strcmp(own + skip, name) == 0) {
            *out = i;
            return FLX_OK;
        }
    }
    return FLX_FAIL(r->robot->ctx, FLX_ERR_MODEL, end ? end->loc : e->loc,
                    "joint '%s' has no %s link '%s' in the model", flx_xml_get(e, "name"), which,
                    name ? name : "");
}

static flx_status read_axis(reader *r, const flx_xml *joint, const flx_xml *a,
                            const flx_robot_pose *pose, v3 *out)
{
    flx_robot *robot = r->robot;
    double xyz[3] = {0.0, 0.0, 1.0}, model_frame = 0.0;
    const flx_xml *e = flx_xml_child(a, "xyz"), *flag = flx_xml_child(a, "use_parent_model_frame");
    const char *in = e ? flx_xml_get(e, "expressed_in") : NULL;
    m33 R = pose->R;
    if (e) FLX_TRY(flx_xml_numbers(robot->ctx, e, NULL, 3, xyz, NULL));
    if (flag)
        model_frame = strncmp(trimmed(robot->arena, flag), "true", 4) == 0 ||
                      flag->text[strspn(flag->text, " \n\t")] == '1';
    if (in) {
        flx_robot_pose frame;
        FLX_TRY(named_pose(r, in, e->loc, 0, &frame));
        R = m33_mul(r->base.R, frame.R);
    } else if (model_frame != 0.0 || r->old_axes) {
        R = r->base.R;
    }
    v3 axis = m33_mul_v(R, v3_load(xyz));
    if (!(v3_norm(axis) > 0.0))
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e ? e->loc : joint->loc,
                        "the axis of joint '%s' is zero", flx_xml_get(joint, "name"));
    *out = v3_unit(axis);
    return FLX_OK;
}

static flx_status read_limits(flx_robot *robot, const flx_xml *a, bool endless, flx_robot_joint *j)
{
    const flx_xml *l = flx_xml_child(a, "limit"), *d = flx_xml_child(a, "dynamics");
    if (l) {
        FLX_TRY(read_child(robot, l, "lower", 1, &j->lower, NULL));
        FLX_TRY(read_child(robot, l, "upper", 1, &j->upper, NULL));
        FLX_TRY(read_child(robot, l, "effort", 1, &j->effort, NULL));
    }
    if (j->lower <= -1e15) j->lower = -HUGE_VAL; // SDF's endless
    if (j->upper >= 1e15) j->upper = HUGE_VAL;
    j->limited = !endless && (isfinite(j->lower) || isfinite(j->upper));
    if (!(j->effort > 0.0)) j->effort = 0.0; // -1: none
    flx_robot_check_limits(robot, j, l ? l->loc : j->loc);
    if (d) {
        FLX_TRY(read_child(robot, d, "damping", 1, &j->damping, NULL));
        FLX_TRY(read_child(robot, d, "friction", 1, &j->friction, NULL));
        FLX_TRY(read_child(robot, d, "spring_stiffness", 1, &j->stiffness, NULL));
        FLX_TRY(read_child(robot, d, "spring_reference", 1, &j->rest, NULL));
    }
    return FLX_OK;
}

// Of joints with two axes, or a thread.
static flx_status note_axis(flx_robot *robot, const flx_xml *a, const flx_robot_joint *j)
{
    flx_robot_joint other = {.name = j->name, .lower = -HUGE_VAL, .upper = HUGE_VAL};
    FLX_TRY(read_limits(robot, a, false, &other));
    if (other.limited || other.damping > 0.0 || other.friction > 0.0 || other.stiffness > 0.0)
        FLX_ROBOT_NOTE(robot, a->loc,
                       "limits and dynamics of joint '%s' are left out: only a "
                       "hinge or a slide has them",
                       j->name);
    return FLX_OK;
}

static flx_status read_joint(reader *r, const flx_xml *e)
{
    static const struct {
        const char *word;
        flx_robot_type type;
    } types[] = {{"revolute", FLX_ROBOT_REVOLUTE},   {"continuous", FLX_ROBOT_REVOLUTE},
                 {"prismatic", FLX_ROBOT_PRISMATIC}, {"fixed", FLX_ROBOT_FIXED},
                 {"ball", FLX_ROBOT_SPHERICAL},      {"universal", FLX_ROBOT_UNIVERSAL},
                 {"revolute2", FLX_ROBOT_UNIVERSAL}, {"screw", FLX_ROBOT_SCREW}};
    flx_robot *robot = r->robot;
    flx_robot_joint *j = robot->joints + robot->njoint;
    const char *word = flx_xml_get(e, "type");
    *j = (flx_robot_joint){.name = full_name(r, e),
                           .loc = e->loc,
                           .mimics = -1,
                           .lower = -HUGE_VAL,
                           .upper = HUGE_VAL};
    if (!j->name) return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "a joint has no name");
    size_t k = 0, n = sizeof types / sizeof types[0];
    while (k < n && (!word || strcmp(types[k].word, word) != 0)) k++;
    if (k == n)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                        "joint '%s' is of the type '%s', which is not read", j->name,
                        word ? word : "");
    j->type = types[k].type;
    FLX_TRY(end_of(r, e, "parent", &j->parent));
    FLX_TRY(end_of(r, e, "child", &j->child));
    if (j->child == FLX_ROBOT_GROUND) { // the other way round
        j->child = j->parent;
        j->parent = FLX_ROBOT_GROUND;
    }
    if (j->child == FLX_ROBOT_GROUND)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "joint '%s' has no link", j->name);
    flx_robot_pose pose;
    FLX_TRY(frame_pose(r, e, 0, &pose));
    j->pose = flx_robot_compose(r->base, pose);
    const flx_xml *a = flx_xml_child(e, "axis"), *b = flx_xml_child(e, "axis2");
    if (j->type != FLX_ROBOT_FIXED && j->type != FLX_ROBOT_SPHERICAL)
        FLX_TRY(read_axis(r, e, a, &j->pose, &j->axis));
    if (j->type == FLX_ROBOT_UNIVERSAL) FLX_TRY(read_axis(r, e, b, &j->pose, &j->second));
    if (j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC)
        FLX_TRY(read_limits(robot, a, strcmp(word, "continuous") == 0, j));
    if (j->type == FLX_ROBOT_UNIVERSAL || j->type == FLX_ROBOT_SCREW) {
        FLX_TRY(note_axis(robot, a, j));
        FLX_TRY(note_axis(robot, b, j));
    }
    if (j->type == FLX_ROBOT_SCREW) {
        double turns = 1.0; // radians per metre, or its inverse: 1.10 says screw_thread_pitch
        bool found;
        FLX_TRY(read_child(robot, e, "screw_thread_pitch", 1, &j->pitch, &found));
        if (!found) {
            FLX_TRY(read_child(robot, e, "thread_pitch", 1, &turns, NULL));
            j->pitch = turns != 0.0 ? -2.0 * FLX_PI / turns : 0.0;
        }
    }
    for (int i = r->first_joint; i < robot->njoint; i++)
        j->closes = j->closes || robot->joints[i].child == j->child;
    robot->njoint++;
    return FLX_OK;
}

// ---- models ----------------------------------------------------------------------------------------------

static int count(const flx_xml *of, const char *name)
{
    int n = 0;
    for (const flx_xml *e = flx_xml_child(of, name); e; e = flx_xml_next(e, name)) n++;
    return n;
}

static int find_joint(const reader *r, const char *name)
{
    for (const flx_xml *e = flx_xml_child(r->model, "joint"); name && e;
         e = flx_xml_next(e, "joint")) {
        const char *own = flx_xml_get(e, "name"), *full = full_name(r, e);
        for (int i = r->first_joint; own && strcmp(own, name) == 0 && i < r->robot->njoint; i++) {
            if (strcmp(r->robot->joints[i].name, full) == 0) return i;
        }
    }
    return -1;
}

// mimic of 1.11: q = multiplier*(p - reference) + offset.
static flx_status read_mimic(const reader *r, const flx_xml *e)
{
    flx_robot *robot = r->robot;
    const flx_xml *mimic = flx_xml_child(flx_xml_child(e, "axis"), "mimic");
    if (!mimic) return FLX_OK;
    double ratio = 1.0, offset = 0.0, reference = 0.0;
    int own = find_joint(r, flx_xml_get(e, "name")),
        leader = find_joint(r, flx_xml_get(mimic, "joint"));
    FLX_TRY(read_child(robot, mimic, "multiplier", 1, &ratio, NULL));
    FLX_TRY(read_child(robot, mimic, "offset", 1, &offset, NULL));
    FLX_TRY(read_child(robot, mimic, "reference", 1, &reference, NULL));
    bool one = true;
    for (int k = 0; k < 2; k++) {
        int i = k ? leader : own;
        one = one && i >= 0 &&
              (robot->joints[i].type == FLX_ROBOT_REVOLUTE ||
               robot->joints[i].type == FLX_ROBOT_PRISMATIC);
    }
    if (!one || own == leader) {
        FLX_ROBOT_NOTE(robot, mimic->loc, "joint '%s' moves freely: it cannot follow '%s'",
                       flx_xml_get(e, "name"),
                       flx_xml_get(mimic, "joint") ? flx_xml_get(mimic, "joint") : "");
        return FLX_OK;
    }
    double shift = offset - ratio * reference;
    if (shift == 0.0) {
        robot->joints[own].mimics = leader;
        robot->joints[own].ratio = ratio;
    } else {
        robot->ties[robot->ntie++] =
            (flx_robot_tie){.loc = mimic->loc, .joint = own, .by = leader, .c = {shift, ratio}};
    }
    return FLX_OK;
}

// Where the model stands: its pose is that of `placement_frame`.
static flx_status read_base(reader *r)
{
    const flx_xml *pose = flx_xml_child(r->model, "pose");
    const char *to = pose ? flx_xml_get(pose, "relative_to") : NULL,
               *placed = flx_xml_get(r->model, "placement_frame");
    flx_robot_pose frame;
    if (to && to[0] && strcmp(to, "world") != 0)
        return FLX_FAIL(r->robot->ctx, FLX_ERR_UNAVAILABLE, pose->loc,
                        "the pose of a model in '%s' is not read: only in the world", to);
    FLX_TRY(read_pose(r->robot, r->model, &r->base));
    FLX_TRY(named_pose(r, placed, r->model->loc, 0, &frame));
    r->base = flx_robot_compose(r->base, flx_robot_inverse(frame));
    return FLX_OK;
}

static flx_status read_model(flx_robot *robot, const flx_robot_options *o, const flx_xml *model,
                             bool several, bool old)
{
    reader r = {.robot = robot,
                .o = o,
                .model = model,
                .old_axes = old,
                .prefix = several,
                .first_link = robot->nlink,
                .first_joint = robot->njoint};
    bool stands = is_true(trimmed(robot->arena, flx_xml_child(model, "static")));
    FLX_TRY(read_base(&r));
    for (const flx_xml *e = flx_xml_child(model, "link"); e; e = flx_xml_next(e, "link"))
        FLX_TRY(read_link(&r, e, stands));
    for (const flx_xml *e = flx_xml_child(model, "joint"); !stands && e;
         e = flx_xml_next(e, "joint"))
        FLX_TRY(read_joint(&r, e));
    for (const flx_xml *e = flx_xml_child(model, "joint"); !stands && e;
         e = flx_xml_next(e, "joint"))
        FLX_TRY(read_mimic(&r, e));
    static const char *const others[] = {"model", "include", "plugin"};
    for (int k = 0; k < 3; k++) {
        const flx_xml *e = flx_xml_child(model, others[k]);
        if (e && k < 2)
            return FLX_FAIL(robot->ctx, FLX_ERR_UNAVAILABLE, e->loc,
                            "<%s> within a model is not supported yet", e->name);
        if (e) flx_ctx_warn(robot->ctx, e->loc, "<%s> is left out", e->name);
    }
    return FLX_OK;
}

flx_status flx_sdf_read(flx_robot *robot, const flx_robot_options *o, const flx_xml *root)
{
    const flx_xml *world = flx_xml_child(root, "world"), *of = world ? world : root;
    const char *version = flx_xml_get(root, "version");
    bool old = version && strncmp(version, "1.", 2) == 0 && strtol(version + 2, NULL, 10) < 5;
    int models = count(of, "model"), links = 0, joints = 0;
    double g[3];
    bool found;
    for (const flx_xml *m = flx_xml_child(of, "model"); m; m = flx_xml_next(m, "model")) {
        links += count(m, "link");
        joints += count(m, "joint");
    }
    if (links == 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, root->loc, "the file has no model with links");
    robot->links = flx_arena_take(robot->arena, (size_t)links + 1, sizeof *robot->links);
    robot->joints = flx_arena_take(robot->arena, (size_t)joints + 1, sizeof *robot->joints);
    robot->ties = flx_arena_take(robot->arena, (size_t)joints + 1, sizeof *robot->ties);
    if (!robot->links || !robot->joints || !robot->ties) return FLX_ERR_MEMORY;
    robot->title = flx_xml_get(flx_xml_child(of, "model"), "name");
    robot->gravity = v3_make(0.0, 0.0, world ? -9.8 : -9.81);
    FLX_TRY(read_child(robot, world, "gravity", 3, g, &found));
    if (found) robot->gravity = v3_load(g);
    for (const flx_xml *m = flx_xml_child(of, "model"); m; m = flx_xml_next(m, "model"))
        FLX_TRY(read_model(robot, o, m, models > 1, old));
    const flx_xml *include = flx_xml_child(of, "include");
    if (include)
        FLX_ROBOT_NOTE(robot, include->loc,
                       "<include> is left out: files within files are not read");
    static const char *const others[] = {"state", "joint", "frame", "actor", "population"};
    for (size_t k = 0; world && k < sizeof others / sizeof others[0]; k++) {
        const flx_xml *e = flx_xml_child(world, others[k]);
        if (e) FLX_ROBOT_NOTE(robot, e->loc, "<%s> of the world is left out", e->name);
    }
    return flx_robot_add_motors(robot);
}
