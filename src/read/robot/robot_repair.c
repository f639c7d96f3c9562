// robot_repair.c - what is fixed becomes one link; inertias that no body has become the nearest that one can have.
#include "math/dense.h"
#include "model/shape_kind.h"
#include "read/robot/robot.h"

#include <float.h>
#include <math.h>

#define TRIANGLE 1e-9 // of the largest inertia: what rounding may be off

m33 flx_robot_rpy(const double rpy[3])
{
    quat x = quat_exp(v3_make(rpy[0], 0, 0)), y = quat_exp(v3_make(0, rpy[1], 0)),
         z = quat_exp(v3_make(0, 0, rpy[2]));
    return quat_to_m33(quat_mul(z, quat_mul(y, x)));
}

// ---- inertias ----------------------------------------------------------------------------------------

// Of a mass at r against the point that r counts from.
static m33 point_inertia(double mass, v3 r)
{
    return m33_scale(mass, m33_sub(m33_scale(v3_dot(r, r), m33_identity()), m33_outer(r, r)));
}

void flx_robot_check_limits(flx_robot *robot, flx_robot_joint *j, flx_loc loc)
{
    if (!j->limited || j->lower < j->upper) return;
    j->limited = false;
    FLX_ROBOT_NOTE(robot, loc,
                   "the limits of joint '%s', %g and %g, leave no way: they are left out", j->name,
                   j->lower, j->upper);
}

flx_status flx_robot_add_motors(flx_robot *robot)
{
    robot->motors = flx_arena_take(robot->arena, (size_t)robot->njoint + 1, sizeof *robot->motors);
    if (!robot->motors) return FLX_ERR_MEMORY;
    for (int i = 0; i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (j->gone || j->closes || j->mimics >= 0 || !(j->effort > 0.0)) continue;
        robot->motors[robot->nmotor++] =
            (flx_robot_motor){.name = flx_arena_printf(robot->arena, "%s_effort", j->name),
                              .loc = j->loc,
                              .joint = i,
                              .gain = 1.0,
                              .gear = 1.0,
                              .has_range = true,
                              .lower = -j->effort,
                              .upper = j->effort};
    }
    return FLX_OK;
}

void flx_robot_add_mass(flx_robot_link *link, double mass, v3 com, m33 I)
{
    double sum = link->mass + mass;
    if (sum > 0.0) {
        v3 at = v3_scale(1.0 / sum, v3_add(v3_scale(link->mass, link->com), v3_scale(mass, com)));
        link->I = m33_add(m33_add(link->I, point_inertia(link->mass, v3_sub(link->com, at))),
                          m33_add(I, point_inertia(mass, v3_sub(com, at))));
        link->com = at;
    } else {
        link->I = m33_add(link->I, I);
    }
    link->mass = sum;
}

flx_robot_solid flx_robot_volume(const flx_robot_shape *s)
{
    static const flx_shape_kind *const kinds[] = {[FLX_ROBOT_BOX] = &flx_shape_box,
                                                  [FLX_ROBOT_CYLINDER] = &flx_shape_cylinder,
                                                  [FLX_ROBOT_CAPSULE] = &flx_shape_capsule,
                                                  [FLX_ROBOT_SPHERE] = &flx_shape_sphere};
    flx_robot_solid out = {.inertia = m33_zero()};
    if (s->form == FLX_ROBOT_MESH) return out;
    flx_shape_solid solid = kinds[s->form]->solid(s->size);
    out.volume = solid.volume;
    for (int k = 0; k < 3; k++) out.inertia.m[4 * k] = solid.inertia[k];
    return out;
}

// Principal moments A <= B <= C of a body have A >= 0 and A + B >= C. Nearest that have.
static bool mend(double w[3], bool *mended)
{
    double size = fmax(fabs(w[0]), fabs(w[2]));
    *mended = false;
    if (!(size > 0.0)) return true;
    for (int k = 0; k < 3; k++) {
        if (w[k] >= 0.0) continue;
        *mended = *mended || w[k] < -TRIANGLE * size;
        w[k] = 0.0;
    }
    double over = w[2] - w[0] - w[1];
    if (over <= 0.0) return true;
    *mended = *mended || over > TRIANGLE * size;
    w[0] += over / 3.0; // along (1, 1, -1), which is perpendicular to the plane A + B = C
    w[1] += over / 3.0;
    w[2] -= over / 3.0;
    return true;
}

static flx_status mend_inertia(flx_robot *robot, flx_robot_link *link)
{
    double A[9], w[3], before[3];
    bool mended;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            A[3 * j + i] = 0.5 * (link->I.m[3 * i + j] + link->I.m[3 * j + i]);
    }
    FLX_TRY(flx_dense_symmetric_eigen(robot->ctx, 3, A, w));
    for (int k = 0; k < 3; k++) before[k] = w[k];
    mend(w, &mended);
    if (!mended) return FLX_OK;
    m33 V = m33_from_cols(v3_load(A), v3_load(A + 3), v3_load(A + 6)), D = m33_zero();
    for (int k = 0; k < 3; k++) D.m[4 * k] = w[k];
    link->I = m33_mul_t(m33_mul(V, D), V);
    FLX_ROBOT_NOTE(robot, link->loc,
                   "no body has the inertia of link '%s', whose principal moments are %.4g, %.4g, "
                   "%.4g: the nearest that a body can have is taken, %.4g, %.4g, %.4g",
                   link->name, before[0], before[1], before[2], w[0], w[1], w[2]);
    return FLX_OK;
}

// ---- merging -----------------------------------------------------------------------------------------

static int root_of(const flx_robot *robot, int link)
{
    while (link >= 0 && robot->links[link].into != -1)
        link = robot->links[link].into == -2 ? FLX_ROBOT_GROUND : robot->links[link].into;
    return link;
}

static flx_status keep_point(flx_robot *robot, flx_robot_link *to, const char *name, flx_loc loc,
                             flx_robot_pose pose)
{
    flx_robot_point *p = flx_arena_take(robot->arena, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    *p = (flx_robot_point){name, loc, pose, NULL};
    flx_robot_point **end = &to->points;
    while (*end) end = &(*end)->next;
    *end = p;
    return FLX_OK;
}

static void move_shapes(flx_robot_shape *from, const flx_robot_pose *in, flx_robot_shape **to)
{
    for (flx_robot_shape *s = from, *next; s; s = next) {
        next = s->next;
        s->pose = flx_robot_compose(*in, s->pose);
        s->next = *to;
        *to = s;
    }
}

static flx_status merge(flx_robot *robot, int child, int parent)
{
    flx_robot_link *c = robot->links + child;
    if (parent == FLX_ROBOT_GROUND) {
        c->into = -2;
        return FLX_OK;
    }
    flx_robot_link *p = robot->links + parent;
    flx_robot_pose in = flx_robot_compose(flx_robot_inverse(p->pose), c->pose);
    m33 I = m33_mul_t(m33_mul(in.R, c->I), in.R);
    flx_robot_add_mass(p, c->mass, v3_add(in.r, m33_mul_v(in.R, c->com)), I);
    move_shapes(c->shapes, &in, &p->shapes);
    move_shapes(c->surfaces, &in, &p->surfaces);
    if (c->name) FLX_TRY(keep_point(robot, p, c->name, c->loc, in));
    for (const flx_robot_point *q = c->points; q; q = q->next)
        FLX_TRY(keep_point(robot, p, q->name, q->loc, flx_robot_compose(in, q->pose)));
    c->into = parent;
    return FLX_OK;
}

static flx_status merge_fixed(flx_robot *robot)
{
    bool again = true;
    while (again) {
        again = false;
        for (int i = 0; i < robot->njoint; i++) {
            flx_robot_joint *j = robot->joints + i;
            if (j->gone || j->type != FLX_ROBOT_FIXED || j->closes) continue;
            int parent = root_of(robot, j->parent), child = root_of(robot, j->child);
            j->gone = true;
            if (parent == child) continue;
            FLX_TRY(child == FLX_ROBOT_GROUND ? merge(robot, parent, child)
                                              : merge(robot, child, parent));
            again = true;
        }
        for (int i = 0; i < robot->njoint; i++) {
            robot->joints[i].parent = root_of(robot, robot->joints[i].parent);
            robot->joints[i].child = root_of(robot, robot->joints[i].child);
        }
    }
    for (int i = 0; i < robot->njoint; i++) { // both ends in one body: it cannot move
        flx_robot_joint *j = robot->joints + i;
        if (!j->gone && j->parent == j->child) {
            j->gone = true;
            FLX_ROBOT_NOTE(robot, j->loc, "joint '%s' is left out: both of its links are one body",
                           j->name);
        }
    }
    return FLX_OK;
}

// ---- without mass ------------------------------------------------------------------------------------

// What hangs on a link has a mass somewhere.
static bool carries(const flx_robot *robot, int link, int depth)
{
    if (robot->links[link].mass > 0.0) return true;
    for (int i = 0; depth < robot->njoint && i < robot->njoint; i++) {
        const flx_robot_joint *j = robot->joints + i;
        if (!j->gone && !j->closes && j->parent == link && carries(robot, j->child, depth + 1))
            return true;
    }
    return false;
}

// A link without mass on which nothing heavy hangs would have no acceleration: it is held where it is drawn.
static flx_status hold_light_ends(flx_robot *robot)
{
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->gone || j->closes || j->child < 0 || j->armature > 0.0 ||
            carries(robot, j->child, 0))
            continue;
        FLX_ROBOT_NOTE(robot, j->loc,
                       "link '%s' moves and has no mass, nor has what hangs on it: joint '%s' is "
                       "held where it is drawn",
                       robot->links[j->child].name, j->name);
        j->type = FLX_ROBOT_FIXED;
    }
    return merge_fixed(robot);
}

// Those that follow a joint that is gone are held too.
static flx_status hold_followers(flx_robot *robot)
{
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->gone || j->mimics < 0 || !robot->joints[j->mimics].gone) continue;
        FLX_ROBOT_NOTE(robot, j->loc, "joint '%s' follows '%s', which is held: so is this one",
                       j->name, robot->joints[j->mimics].name);
        j->type = FLX_ROBOT_FIXED;
    }
    return merge_fixed(robot);
}

flx_status flx_robot_repair(flx_robot *robot)
{
    for (int i = 0; i < robot->nlink; i++) {
        flx_robot_link *l = robot->links + i;
        if (l->mass < 0.0) {
            FLX_ROBOT_NOTE(robot, l->loc, "the mass %g of link '%s' is taken as 0", l->mass,
                           l->name);
            l->mass = 0.0;
        }
        FLX_TRY(mend_inertia(robot, l));
    }
    FLX_TRY(merge_fixed(robot));
    FLX_TRY(hold_light_ends(robot));
    return hold_followers(robot);
}
