// robot_tree.c - links and joints as a model of our language.
#include "base/number.h"
#include "read/robot/robot.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    flx_robot *robot;
    flx_arena *arena;
    flx_loc loc; // of what is written now
    flx_status status;
} writer;

// ---- entries: a failure is kept, and NULL goes on ---------------------------------------------------------

static flx_entry *scalar(writer *w, const char *text)
{
    flx_entry *e = text ? flx_entry_scalar(w->arena, w->loc, text) : NULL;
    if (!e) w->status = FLX_ERR_MEMORY;
    return e;
}

static flx_entry *number(writer *w, double x)
{
    char text[FLX_NUMBER_SIZE];
    flx_number_text(x == 0.0 ? 0.0 : x, text);
    return scalar(w, flx_arena_copy(w->arena, text, strlen(text)));
}

static flx_entry *map(writer *w)
{
    flx_entry *e = flx_entry_map(w->arena, w->loc);
    if (!e) w->status = FLX_ERR_MEMORY;
    return e;
}

static flx_entry *list(writer *w)
{
    flx_entry *e = flx_entry_list(w->arena, w->loc);
    if (!e) w->status = FLX_ERR_MEMORY;
    return e;
}

static void put(writer *w, flx_entry *to, const char *key, flx_entry *value)
{
    flx_entry *k = scalar(w, key);
    if (!to || !k || !value || w->status != FLX_OK) return;
    w->status = flx_entry_add(w->arena, to, k, value);
}

static void append(writer *w, flx_entry *to, flx_entry *value)
{
    if (!to || !value || w->status != FLX_OK) return;
    w->status = flx_entry_append(w->arena, to, value);
}

static void put_text(writer *w, flx_entry *to, const char *key, const char *text)
{
    put(w, to, key, scalar(w, text));
}

static void put_number(writer *w, flx_entry *to, const char *key, double x)
{
    put(w, to, key, number(w, x));
}

static flx_entry *numbers(writer *w, int n, const double *x)
{
    flx_entry *e = list(w);
    for (int i = 0; i < n; i++) append(w, e, number(w, x[i]));
    return e;
}

// What rounding leaves of a zero is a zero.
static flx_entry *vector(writer *w, v3 a, double scale)
{
    double x[3];
    v3_store(x, a);
    for (int i = 0; i < 3; i++) x[i] = fabs(x[i]) < 1e-15 * scale ? 0.0 : x[i];
    return numbers(w, 3, x);
}

static bool is_turned(m33 R)
{
    m33 I = m33_identity();
    for (int i = 0; i < 9; i++) {
        if (fabs(R.m[i] - I.m[i]) > 1e-15) return true;
    }
    return false;
}

static void put_pose(writer *w, flx_entry *to, const char *key, flx_robot_pose p)
{
    double q[4];
    if (v3_norm(p.r) > 0.0) put(w, to, key, vector(w, p.r, 1.0));
    if (!is_turned(p.R)) return;
    quat_store(q, quat_from_m33(p.R));
    for (int i = 0; i < 4; i++) q[i] = fabs(q[i]) < 1e-16 ? 0.0 : q[i];
    flx_entry *o = map(w);
    put(w, o, "quaternion", numbers(w, 4, q));
    put(w, to, "orientation", o);
}

// ---- bodies ----------------------------------------------------------------------------------------------

static flx_entry *shape(writer *w, const flx_robot_shape *s)
{
    flx_entry *e = map(w), *round;
    w->loc = s->loc;
    flx_robot_pose pose = s->pose;
    switch (s->form) {
    case FLX_ROBOT_BOX:
        put(w, e, "box", numbers(w, 3, s->size));
        break;
    case FLX_ROBOT_CYLINDER:
    case FLX_ROBOT_CAPSULE:
        round = map(w);
        put_number(w, round, "radius", s->size[0]);
        put_number(w, round, "length", s->size[1]);
        put(w, round, "axis", vector(w, m33_col(pose.R, 2), 1.0));
        put(w, e, s->form == FLX_ROBOT_CYLINDER ? "cylinder" : "capsule", round);
        pose.R = m33_identity();
        break;
    case FLX_ROBOT_SPHERE:
        put_number(w, e, "sphere", s->size[0]);
        pose.R = m33_identity();
        break;
    case FLX_ROBOT_MESH:
        put_text(w, e, "mesh", s->file);
        if (s->scale[0] != s->scale[1] || s->scale[0] != s->scale[2] || s->scale[0] < 0.0)
            put(w, e, "scale", vector(w, v3_load(s->scale), 1.0));
        else if (s->scale[0] != 1.0)
            put_number(w, e, "scale", s->scale[0]);
        break;
    }
    put_pose(w, e, "at", pose);
    return e;
}

static flx_entry *shapes(writer *w, const flx_robot_shape *first)
{
    flx_entry *all = list(w);
    for (const flx_robot_shape *s = first; s; s = s->next) append(w, all, shape(w, s));
    return all;
}

static flx_entry *points(writer *w, const flx_robot_link *l)
{
    flx_entry *all = map(w);
    for (const flx_robot_point *p = l->points; p; p = p->next) {
        w->loc = p->loc;
        const char *name = flx_robot_point_word(w->arena, p->name);
        if (!name) w->status = FLX_ERR_MEMORY;
        if (!name) return NULL;
        if (all && flx_entry_get(all, name)) continue; // the first has the name
        if (!is_turned(p->pose.R)) {
            put(w, all, name, vector(w, p->pose.r, 1.0));
            continue;
        }
        flx_entry *e = map(w);
        put(w, e, "at", vector(w, p->pose.r, 1.0));
        flx_robot_pose turn = {{0}, p->pose.R};
        put_pose(w, e, "at", turn);
        put(w, all, name, e);
    }
    return all;
}

static flx_entry *body(writer *w, const flx_robot_link *l)
{
    flx_entry *e = map(w);
    double I[6] = {l->I.m[0], l->I.m[4], l->I.m[8], l->I.m[1], l->I.m[5], l->I.m[2]};
    double size = fabs(I[0]) + fabs(I[1]) + fabs(I[2]);
    bool diagonal = true;
    for (int i = 3; i < 6; i++) {
        if (fabs(I[i]) < 1e-15 * size) I[i] = 0.0;
        diagonal = diagonal && I[i] == 0.0;
    }
    put_text(w, e, "type", "rigid");
    put_number(w, e, "mass", l->mass);
    if (v3_norm(l->com) > 0.0) put(w, e, "com", vector(w, l->com, 1.0));
    put(w, e, "inertia", numbers(w, diagonal ? 3 : 6, I));
    put_pose(w, e, "position", l->pose);
    if (l->has_velocity) {
        put(w, e, "velocity", vector(w, l->velocity, 1.0));
        put(w, e, "angular_velocity", vector(w, l->angular_velocity, 1.0));
    }
    if (l->points) put(w, e, "points", points(w, l));
    if (l->shapes) put(w, e, "shape", shapes(w, l->shapes));
    if (l->surfaces) put(w, e, "surface", shapes(w, l->surfaces));
    return e;
}

// ---- joints ----------------------------------------------------------------------------------------------

static const char *link_word(const writer *w, int link)
{
    return link == FLX_ROBOT_GROUND ? "ground" : w->robot->links[link].word;
}

// Inertia about the axis (or mass along it) of all that the joint carries, as drawn.
static double carried(const flx_robot *robot, const flx_robot_joint *of, int link, int depth)
{
    const flx_robot_link *l = robot->links + link;
    v3 com = v3_add(l->pose.r, m33_mul_v(l->pose.R, l->com)), d = v3_sub(com, of->pose.r);
    v3 across = v3_cross(of->axis, d), own = m33_tmul_v(l->pose.R, of->axis);
    double sum = of->type == FLX_ROBOT_PRISMATIC
                     ? l->mass
                     : v3_dot(own, m33_mul_v(l->I, own)) + l->mass * v3_dot(across, across);
    for (int i = 0; depth < robot->nlink && i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (!j->gone && !j->closes && j->parent == link && j->child >= 0)
            sum += carried(robot, of, j->child, depth + 1);
    }
    return sum;
}

// A stop that takes up what moves with one unit of speed within a small excess, or holds the motor's effort there.
static flx_entry *limits(writer *w, const flx_robot_joint *j)
{
    bool slides = j->type == FLX_ROBOT_PRISMATIC;
    double depth = slides ? 0.005 : 0.02, speed = slides ? 0.5 : 1.0;
    double inertia = j->child >= 0 ? carried(w->robot, j, j->child, 0) + j->armature : 0.0;
    double stiffness =
        fmax(1.25 * inertia * speed * speed / pow(depth, 2.5), j->effort / pow(depth, 1.5));
    flx_entry *e = map(w);
    if (!(stiffness > 0.0)) stiffness = 1.0;
    char text[FLX_NUMBER_SIZE];
    flx_snprintf(text, sizeof text, "%.3g", stiffness);
    if (isfinite(j->lower)) put_number(w, e, "lower", j->lower);
    if (isfinite(j->upper)) put_number(w, e, "upper", j->upper);
    put_text(w, e, "stiffness", flx_arena_copy(w->arena, text, strlen(text)));
    put_number(w, e, "damping", slides ? 1.0 : 0.5);
    return e;
}

// The start: as the file says, or at the limit that is nearest to zero.
static void put_initial(writer *w, flx_entry *e, const flx_robot_joint *j)
{
    double at = j->initial;
    if (j->limited && j->mimics < 0 && (at < j->lower || at > j->upper)) {
        at = at < j->lower ? j->lower : j->upper;
        flx_ctx_warn(w->robot->ctx, j->loc,
                     "joint '%s' cannot be at %g, which its limits do not contain: it begins at %g",
                     j->name, j->initial, at);
    }
    if (at == 0.0 && j->rate == 0.0 && !j->begins) return;
    flx_entry *i = map(w);
    if (at != 0.0 || j->begins)
        put_number(w, i, j->type == FLX_ROBOT_PRISMATIC ? "displacement" : "angle", at);
    if (j->rate != 0.0 || j->begins) put_number(w, i, "rate", j->rate);
    put(w, e, "initial", i);
}

static flx_entry *joint(writer *w, const flx_robot_joint *j)
{
    static const char *const words[] = {
        [FLX_ROBOT_FIXED] = "fixed",         [FLX_ROBOT_REVOLUTE] = "revolute",
        [FLX_ROBOT_PRISMATIC] = "prismatic", [FLX_ROBOT_SPHERICAL] = "spherical",
        [FLX_ROBOT_UNIVERSAL] = "universal", [FLX_ROBOT_PLANAR] = "planar",
        [FLX_ROBOT_SCREW] = "screw",         [FLX_ROBOT_FREE] = "free"};
    bool one = j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC;
    flx_entry *e = map(w), *on = list(w);
    put_text(w, e, "type", words[j->type]);
    append(w, on, scalar(w, link_word(w, j->parent)));
    append(w, on, scalar(w, link_word(w, j->child)));
    put(w, e, "on", on);
    if (j->apart) {
        flx_entry *pair = list(w);
        append(w, pair, vector(w, j->pose.r, 1.0));
        append(w, pair, vector(w, j->other, 1.0));
        put(w, e, "at", pair);
    } else if (j->type != FLX_ROBOT_FREE) {
        put(w, e, "at", vector(w, j->pose.r, 1.0));
    }
    if (one || j->type == FLX_ROBOT_SCREW || j->type == FLX_ROBOT_PLANAR)
        put(w, e, "axis", vector(w, j->axis, 1.0));
    if (j->type == FLX_ROBOT_UNIVERSAL) {
        flx_entry *axes = list(w);
        append(w, axes, vector(w, j->axis, 1.0));
        append(w, axes, vector(w, j->second, 1.0));
        put(w, e, "axes", axes);
    }
    if (j->type == FLX_ROBOT_SCREW) put_number(w, e, "pitch", j->pitch);
    if (one) put_initial(w, e, j);
    if (one && j->limited && j->mimics < 0) put(w, e, "limits", limits(w, j));
    if ((one || j->type == FLX_ROBOT_SPHERICAL) && j->damping > 0.0) {
        flx_entry *f = map(w);
        put_number(w, f, "viscous", j->damping);
        put(w, e, "friction", f);
    }
    return e;
}

static const char *coordinate(const flx_robot_joint *j)
{
    return j->type == FLX_ROBOT_PRISMATIC ? "displacement" : "angle";
}

// ---- forces ----------------------------------------------------------------------------------------------

// Along the coordinate of a joint.
static void put_effort(writer *w, flx_entry *forces, const char *name, const flx_robot_joint *j,
                       const char *value, bool dissipative)
{
    flx_entry *e = map(w);
    put_text(w, e, "type", j->type == FLX_ROBOT_PRISMATIC ? "force" : "torque");
    put_text(w, e, "on", j->word);
    put_text(w, e, "value", value);
    if (dissipative) put_text(w, e, "dissipative", "true");
    put(w, forces, name, e);
}

static void put_joint_forces(writer *w, flx_entry *forces, const flx_robot_joint *j)
{
    char f[FLX_NUMBER_SIZE];
    if (j->type == FLX_ROBOT_SPHERICAL && j->stiffness > 0.0) { // about the rotation vector
        const double k[6] = {0, 0, 0, j->stiffness, j->stiffness, j->stiffness};
        flx_entry *e = map(w), *on = list(w);
        put_text(w, e, "type", "bushing");
        append(w, on, scalar(w, link_word(w, j->parent)));
        append(w, on, scalar(w, link_word(w, j->child)));
        put(w, e, "on", on);
        put(w, e, "at", vector(w, j->pose.r, 1.0));
        put(w, e, "stiffness", numbers(w, 6, k));
        put(w, forces, flx_arena_printf(w->arena, "%s_spring", j->word), e);
    }
    if (j->type != FLX_ROBOT_REVOLUTE && j->type != FLX_ROBOT_PRISMATIC) return;
    if (j->friction > 0.0) { // constant, rounded off where the rate is small
        flx_number_text(j->friction, f);
        put_effort(
            w, forces, flx_arena_printf(w->arena, "%s_friction", j->word), j,
            flx_arena_printf(w->arena, "-%s*%s.rate/sqrt(%s.rate^2 + 1e-4)", f, j->word, j->word),
            true);
    }
    if (j->stiffness > 0.0) {
        flx_entry *e = map(w);
        put_text(w, e, "type", "spring");
        put_text(w, e, "on", j->word);
        put_number(w, e, "stiffness", j->stiffness);
        put_number(w, e, coordinate(j), j->rest);
        put(w, forces, flx_arena_printf(w->arena, "%s_spring", j->word), e);
    }
}

static const char *text_of(writer *w, double x)
{
    char text[FLX_NUMBER_SIZE];
    flx_number_text(x, text);
    const char *kept = flx_arena_copy(w->arena, text, strlen(text));
    if (!kept) w->status = FLX_ERR_MEMORY;
    return kept ? kept : "";
}

// "+ x*of" behind other terms; nothing where x is 0.
static const char *term(writer *w, const char *before, double x, const char *of)
{
    if (x == 0.0) return before;
    const char *sign = before[0] ? x < 0.0 ? " - " : " + " : x < 0.0 ? "-" : "";
    bool one = fabs(x) == 1.0 && of[0];
    const char *all =
        flx_arena_printf(w->arena, "%s%s%s%s%s", before, sign, one ? "" : text_of(w, fabs(x)),
                         one || !of[0] ? "" : "*", of);
    if (!all) w->status = FLX_ERR_MEMORY;
    return all ? all : "";
}

// gain*u + b0 + b1*gear*q + b2*gear*q', q as the file counts it; a servo is gain*(u - q).
static const char *motor_force(writer *w, const flx_robot_motor *m)
{
    const flx_robot_joint *j = w->robot->joints + m->joint;
    const char *q = flx_arena_printf(w->arena, "%s.%s", j->word, coordinate(j)),
               *rate = flx_arena_printf(w->arena, "%s.rate", j->word), *f = "";
    if (!q || !rate) {
        w->status = FLX_ERR_MEMORY;
        return "";
    }
    double shift = m->gear * j->drawn, b1 = m->bias[1];
    if (b1 != 0.0 && b1 == -m->gain) {
        const char *error = term(w, term(w, m->word, -shift, ""), -m->gear, q);
        f = term(w, "", m->gain, flx_arena_printf(w->arena, "(%s)", error));
        f = term(w, f, m->bias[0], "");
    } else {
        f = term(w, term(w, "", m->gain, m->word), m->bias[0] + b1 * shift, "");
        f = term(w, f, b1 * m->gear, q);
    }
    f = term(w, f, m->bias[2] * m->gear, rate);
    if (m->has_force)
        f = flx_arena_printf(w->arena, "min(max(%s, %s), %s)", f[0] ? f : "0",
                             text_of(w, m->force[0]), text_of(w, m->force[1]));
    return f && f[0] ? f : "0";
}

static void put_motor(writer *w, flx_entry *inputs, flx_entry *forces, const flx_robot_motor *m)
{
    const flx_robot_joint *j = w->robot->joints + m->joint;
    flx_entry *e = map(w);
    put_number(w, e, "value", m->value);
    if (m->has_range) {
        put_number(w, e, "lower", m->lower);
        put_number(w, e, "upper", m->upper);
    }
    bool plain = m->bias[0] == 0.0 && m->bias[1] == 0.0 && m->bias[2] == 0.0 && !m->has_force;
    if (plain && m->gain * m->gear == 1.0)
        put_text(w, e, "unit", j->type == FLX_ROBOT_PRISMATIC ? "N" : "N m");
    put(w, inputs, m->word, e);
    flx_robot_motor whole = *m; // without bounds its force is one sum
    if (!m->has_force) {
        whole.gain *= m->gear;
        for (int k = 0; k < 3; k++) whole.bias[k] *= m->gear;
    }
    const char *value = motor_force(w, &whole);
    if (m->has_force && m->gear != 1.0) value = term(w, "", m->gear, value);
    put_effort(w, forces, flx_arena_printf(w->arena, "%s_drive", m->word), j, value, false);
}

// Of two coordinates that a polynomial ties.
static void put_polynomial(writer *w, flx_entry *ties, const flx_robot_tie *t)
{
    const flx_robot_joint *j = w->robot->joints + t->joint;
    const char *own = flx_arena_printf(w->arena, "%s.%s", j->word, coordinate(j));
    const char *sum = term(w, own ? own : "", -t->c[0], "");
    for (int k = 1; k < 5 && t->by >= 0; k++) {
        const flx_robot_joint *by = w->robot->joints + t->by;
        const char *of = k == 1
                             ? flx_arena_printf(w->arena, "%s.%s", by->word, coordinate(by))
                             : flx_arena_printf(w->arena, "%s.%s^%d", by->word, coordinate(by), k);
        sum = term(w, sum, by->gone ? 0.0 : -t->c[k], of ? of : "");
    }
    const char *name = flx_arena_printf(w->arena, "%s_follows", j->word);
    if (ties && name && flx_entry_get(ties, name)) name = NULL; // a coordinate follows one
    if (!name)
        flx_ctx_warn(w->robot->ctx, t->loc, "joint '%s' follows twice: the second is left out",
                     j->name);
    else
        put_text(w, ties, name, sum);
}

// ---- the model -------------------------------------------------------------------------------------------

static void put_items(writer *w, flx_entry *root)
{
    flx_robot *robot = w->robot;
    flx_entry *bodies = map(w), *joints = map(w), *forces = map(w), *inputs = map(w),
              *signals = list(w), *second = map(w), *ties = map(w);
    for (int i = 0; i < robot->nlink; i++) {
        const flx_robot_link *l = robot->links + i;
        w->loc = l->loc;
        if (l->into == -1) put(w, bodies, l->word, body(w, l));
    }
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        w->loc = j->loc;
        if (j->gone) continue;
        // without it the heaviest body would stay where the others are moved to their start
        if (j->type == FLX_ROBOT_FREE && j->parent == FLX_ROBOT_GROUND && !j->begins) continue;
        put(w, joints, j->word, joint(w, j));
        put_joint_forces(w, forces, j);
        bool one = j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC;
        if (one)
            append(w, signals,
                   scalar(w, flx_arena_printf(w->arena, "%s.%s", j->word, coordinate(j))));
        if (one && j->armature > 0.0) { // inertia of a motor that moves with the coordinate
            const char *name = flx_arena_printf(w->arena, "%s_rotor", j->word);
            flx_entry *v = map(w);
            put_number(w, v, "mass", j->armature);
            put_number(w, v, "force", 0.0);
            if (j->initial != 0.0) put_number(w, v, "at", j->initial);
            if (j->rate != 0.0) put_number(w, v, "rate", j->rate);
            put(w, second, name, v);
            put_text(
                w, ties, flx_arena_printf(w->arena, "%s_tie", j->word),
                flx_arena_printf(w->arena, "%s - %s.%s", name ? name : "", j->word, coordinate(j)));
        }
    }
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        w->loc = j->loc;
        if (j->gone || j->mimics < 0) continue;
        flx_entry *e = map(w), *on = list(w);
        put_text(w, e, "type", "gear");
        append(w, on, scalar(w, robot->joints[j->mimics].word));
        append(w, on, scalar(w, j->word));
        put(w, e, "on", on);
        put_number(w, e, "ratio", j->ratio);
        put(w, joints, flx_arena_printf(w->arena, "%s_mimic", j->word), e);
    }
    for (int i = 0; i < robot->ntie; i++) {
        w->loc = robot->ties[i].loc;
        if (!robot->joints[robot->ties[i].joint].gone) put_polynomial(w, ties, robot->ties + i);
    }
    for (int i = 0; i < robot->nmotor; i++) {
        w->loc = robot->motors[i].loc;
        if (!robot->joints[robot->motors[i].joint].gone)
            put_motor(w, inputs, forces, robot->motors + i);
    }
    if (w->status != FLX_OK) return;
    if (inputs->count > 0) put(w, root, "inputs", inputs);
    if (bodies->count > 0) put(w, root, "bodies", bodies);
    if (joints->count > 0) put(w, root, "joints", joints);
    if (forces->count > 0) put(w, root, "forces", forces);
    if (second->count > 0 || ties->count > 0) {
        flx_entry *equations = map(w);
        if (second->count > 0) put(w, equations, "second_order", second);
        put(w, equations, "constraints", ties);
        put(w, root, "equations", equations);
    }
    flx_entry *simulate = map(w), *outputs = map(w);
    put_number(w, simulate, "until", 1.0);
    for (int i = 0; i < robot->nlink;
         i++) { // chains of links without mass are for joint coordinates
        if (robot->links[i].into != -1 || robot->links[i].mass > 0.0) continue;
        put_text(w, simulate, "formulation", "tree");
        break;
    }
    put(w, root, "simulate", simulate);
    put_number(w, outputs, "every", 0.01);
    append(w, signals, scalar(w, "energy"));
    put(w, outputs, "signals", signals);
    put(w, root, "outputs", outputs);
}

flx_status flx_robot_tree(flx_robot *robot, flx_entry **tree)
{
    writer w = {.robot = robot, .arena = robot->arena, .loc = {robot->file, 1, 1, NULL}};
    flx_entry *root = map(&w);
    put_text(&w, root, "flexion", "1");
    if (robot->title && robot->title[0]) put_text(&w, root, "title", robot->title);
    put(&w, root, "gravity", vector(&w, robot->gravity, 1.0));
    put_items(&w, root);
    *tree = w.status == FLX_OK ? root : NULL;
    return w.status;
}
