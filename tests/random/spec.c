// spec.c - what the items of a random model are.
#include "spec.h"

const char *joint_type(joint_kind k)
{
    static const char *const names[JOINT_KINDS] = {
        "fixed",         "revolute",      "prismatic",     "cylindrical",
        "spherical",     "universal",     "planar",        "screw",
        "free",          "distance",      "point-on-line", "point-on-plane",
        "gear",          "rolling",       "knife-edge",    "constant-velocity",
        "parallel-axes", "perpendicular", "point-on-curve"};
    return names[k];
}

static bool is_point(const spec *s, int body)
{
    return body >= 0 && s->bodies[body].kind == BODY_POINT;
}

// Nodes in absolute coordinates are pinned.
static bool is_ancf(const spec *s, int body)
{
    return body >= 0 && s->bodies[body].kind == BODY_BEAM;
}

bool joint_turns(const spec *s, int joint)
{
    const spec_joint *j = s->joints + joint;
    if (s->dimension == 2 && (is_ancf(s, j->on[0]) || is_ancf(s, j->on[1]))) return false;
    bool turns =
        j->kind == JOINT_REVOLUTE || j->kind == JOINT_CYLINDRICAL || j->kind == JOINT_SCREW;
    return turns && !is_point(s, j->on[0]) && !is_point(s, j->on[1]);
}

bool joint_slides(const spec *s, int joint)
{
    joint_kind k = s->joints[joint].kind;
    return k == JOINT_PRISMATIC || k == JOINT_CYLINDRICAL || k == JOINT_SCREW;
}

bool joint_has_coordinate(const spec *s, int joint)
{
    joint_kind k = s->joints[joint].kind;
    return k == JOINT_PRISMATIC || (k == JOINT_REVOLUTE && joint_turns(s, joint));
}

static bool missing(const spec *s, int body)
{
    return body >= 0 && !s->bodies[body].there;
}

bool joint_hangs(const spec *s, int joint)
{
    const spec_joint *j = s->joints + joint;
    if (j->kind == JOINT_GEAR) return !s->joints[j->on[0]].there || !s->joints[j->on[1]].there;
    return missing(s, j->on[0]) || missing(s, j->on[1]);
}

bool force_hangs(const spec *s, int force)
{
    const spec_force *f = s->forces + force;
    if (f->feels >= 0 && !s->variables[f->feels].there) return true;
    if (acts_on_joint(f)) {
        return !s->joints[f->on[0]].there;
    }
    for (int k = 0; k < 2 + f->further && f->kind != FORCE_GRAVITATION; k++) {
        if (missing(s, f->on[k])) return true;
    }
    return false;
}

bool relation_hangs(const spec *s, int relation)
{
    const spec_relation *r = s->relations + relation;
    return !s->joints[r->of[0]].there || !s->joints[r->of[1]].there;
}

bool goes_through(const spec_force *f)
{
    return f->kind == FORCE_CABLE || f->kind == FORCE_MUSCLE;
}

bool has_kind(const spec *s, force_kind kind)
{
    for (int i = 0; i < s->nforce; i++) {
        if (s->forces[i].there && s->forces[i].kind == kind) return true;
    }
    return false;
}

bool acts_on_joint(const spec_force *f)
{
    return f->kind == FORCE_JOINT_SPRING || f->kind == FORCE_JOINT_EFFORT;
}

int count_items(const spec *s)
{
    int n = 0;
    for (int i = 0; i < s->nbody; i++) n += s->bodies[i].there;
    for (int i = 0; i < s->njoint; i++) n += s->joints[i].there;
    for (int i = 0; i < s->nforce; i++) n += s->forces[i].there;
    for (int i = 0; i < s->nvariable; i++) n += s->variables[i].there;
    for (int i = 0; i < s->nrelation; i++) n += s->relations[i].there;
    return n;
}

bool is_flexible(const spec *s, int body)
{
    if (body < 0) return false;
    return s->bodies[body].kind != BODY_RIGID && s->bodies[body].kind != BODY_POINT;
}

v3 place_of(const spec *s, int body, v3 at)
{
    if (body < 0) return at;
    const spec_body *b = s->bodies + body;
    return v3_add(b->position, m33_mul_v(b->R, at));
}

v3 place_in(const spec *s, int body, v3 p)
{
    if (body < 0) return p;
    const spec_body *b = s->bodies + body;
    return m33_tmul_v(b->R, v3_sub(p, b->position));
}
