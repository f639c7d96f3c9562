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

static flx_status read_pose(flx_robot *robot, const flx_xml *of, flx_robot_pose *out)
{
    double x[6] = {0};
    FLX_TRY(read_child(robot, of, "pose", 6, x, NULL));
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

static flx_status read_shape(reader *r, const flx_xml *of, flx_robot_link *link)
{
    flx_robot *robot = r->robot;
    const flx_xml *g = flx_xml_child(of, "geometry"), *e;
    flx_robot_shape s = {.loc = of->loc, .scale = 1.0};
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
    } else if ((e = flx_xml_child(g, "mesh")) != NULL) {
        const char *uri = trimmed(robot->arena, flx_xml_child(e, "uri"));
        double scale[3] = {1.0, 1.0, 1.0};
        FLX_TRY(read_child(robot, e, "scale", 3, scale, NULL));
        bool even = scale[0] == scale[1] && scale[0] == scale[2] && scale[0] > 0.0;
        if (!even)
            flx_ctx_warn(robot->ctx, e->loc,
                         "a shape is left out: it is scaled differently along its axes");
        s.form = FLX_ROBOT_MESH;
        s.scale = scale[0];
        s.file = uri && even ? flx_robot_find_file(robot, r->o, uri, e->loc) : NULL;
        found = s.file != NULL;
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
    kept->next = link->shapes;
    link->shapes = kept;
    return FLX_OK;
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
        FLX_TRY(read_shape(r, v, link));
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
    const char *is_static = trimmed(robot->arena, flx_xml_child(model, "static"));
    bool stands = is_static && (strcmp(is_static, "true") == 0 || strcmp(is_static, "1") == 0);
    FLX_TRY(read_pose(robot, model, &r.base));
    for (const flx_xml *e = flx_xml_child(model, "link"); e; e = flx_xml_next(e, "link"))
        FLX_TRY(read_link(&r, e, stands));
    for (const flx_xml *e = flx_xml_child(model, "joint"); !stands && e;
         e = flx_xml_next(e, "joint"))
        FLX_TRY(read_joint(&r, e));
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
    if (!robot->links || !robot->joints) return FLX_ERR_MEMORY;
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
    return flx_robot_add_motors(robot);
}
