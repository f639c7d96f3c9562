// copy.c - the same model seen otherwise: in other axes, in a mirror, with joints the other way round,
// its items in another order, in other units.
#include "base/common.h"
#include "spec.h"

#include <math.h>
#include <string.h>

view same_view(void)
{
    return (view){.Q = m33_identity(), .det = 1, .length = 1, .mass = 1, .time = 1};
}

// The coordinate of a joint counts the other way: all that reads or sets it follows.
static void flip_coordinate(spec *s, int joint)
{
    spec_joint *j = s->joints + joint;
    j->motion[0] *= -1;
    j->motion[1] *= -1;
    j->start[0] *= -1;
    j->start[1] *= -1;
    j->wall[0] *= -1;
    j->stop.at *= -1;
    j->stop.side *= -1;
    for (int i = 0; i < s->njoint; i++) {
        spec_joint *g = s->joints + i;
        if (g->kind == JOINT_GEAR && (g->on[0] == joint || g->on[1] == joint)) g->ratio *= -1;
    }
    for (int i = 0; i < s->nforce; i++) {
        spec_force *f = s->forces + i;
        if (!acts_on_joint(f) || f->on[0] != joint) continue;
        f->rest *= -1;
        f->effort[0] *= -1;
        f->effort[1] *= -1;
        f->gain *= -1;
    }
    for (int i = 0; i < s->nrelation; i++) {
        spec_relation *r = s->relations + i;
        for (int k = 0; k < 2; k++) {
            if (r->of[k] != joint) continue;
            r->offset[k] *= -1;
            r->ratio *= -1;
            r->bent *= k == 1 ? -1 : 1;
        }
    }
    for (int i = 0; i < s->nvariable; i++) {
        if (s->variables[i].joint != joint) continue;
        s->variables[i].gain *= -1;
        s->variables[i].offset *= -1;
    }
}

// ---- axes ---------------------------------------------------------------------------------------

typedef struct turning {
    view v;
    m33 F; // reflection of body axes
} turning;

static v3 turn_place(const turning *t, int body, v3 at)
{
    if (body < 0) return v3_add(m33_mul_v(t->v.Q, at), t->v.shift);
    return m33_mul_v(t->F, at);
}
static v3 turn_polar(const turning *t, v3 a)
{
    return m33_mul_v(t->v.Q, a);
}
static v3 turn_axial(const turning *t, v3 a)
{
    return v3_scale(t->v.det, m33_mul_v(t->v.Q, a));
}

// Nodes of elements follow each other the other way round in a mirror.
static void turn_mesh(const turning *t, spec_mesh *m)
{
    static const int mirrored[5][10] = {{0, 3, 2, 1},
                                        {0, 2, 1},
                                        {0, 3, 2, 1, 4, 7, 6, 5},
                                        {0, 2, 1, 3},
                                        {0, 2, 1, 3, 6, 5, 4, 7, 9, 8}};
    for (int i = 0; i < m->nnode; i++) m->nodes[i] = m33_mul_v(t->F, m->nodes[i]);
    for (int i = 0; i < m->ncell && t->v.det < 0; i++) {
        int old[10];
        memcpy(old, m->cells[i], sizeof old);
        for (int k = 0; k < 10; k++) m->cells[i][k] = old[mirrored[m->cell][k]];
    }
}

static void turn_body(const turning *t, spec_body *b)
{
    b->position = turn_place(t, GROUND, b->position);
    b->R = m33_mul(m33_mul(t->v.Q, b->R), t->F);
    b->velocity = turn_polar(t, b->velocity);
    b->omega = turn_axial(t, b->omega);
    b->com = m33_mul_v(t->F, b->com);
    b->line = m33_mul_v(t->F, b->line);
    b->J = m33_mul(m33_mul(t->F, b->J), t->F);
    turn_mesh(t, &b->mesh);
}

static void turn_joint(const turning *t, spec *s, int joint)
{
    spec_joint *j = s->joints + joint;
    if (j->kind == JOINT_GEAR) return;
    for (int i = 0; i < 2; i++) j->at[i] = turn_place(t, j->on[i], j->at[i]);
    for (int i = 0; i < CURVE_POINTS; i++) j->curve[i] = turn_place(t, j->on[0], j->curve[i]);
    bool axial = j->kind == JOINT_REVOLUTE || j->kind == JOINT_UNIVERSAL;
    j->axis = axial ? turn_axial(t, j->axis) : turn_polar(t, j->axis);
    bool shafts = j->kind == JOINT_CONSTANT_VELOCITY; // both point along the line of power
    j->axis2 = shafts ? turn_polar(t, j->axis2) : turn_axial(t, j->axis2);
    if (!(t->v.det < 0)) return;
    if (j->kind == JOINT_CYLINDRICAL || j->kind == JOINT_SCREW) j->angle_sign *= -1;
    if (j->kind == JOINT_SCREW) j->pitch *= -1;
    if (j->kind == JOINT_REVOLUTE && s->dimension == 2) {
        j->angle_sign *= -1;
        flip_coordinate(s, joint);
    }
}

static void turn_shape(const turning *t, int body, spec_shape *a)
{
    m33 Q = body < 0 ? t->v.Q : t->F;
    a->axis = m33_mul_v(Q, a->axis);
    a->R = m33_mul(m33_mul(Q, a->R), t->F);
}

static void turn_force(const turning *t, spec_force *f)
{
    if (acts_on_joint(f)) return;
    for (int i = 0; i < 2 && f->shaped; i++) turn_shape(t, f->on[i], f->shape + i);
    for (int i = 0; i < 2 + f->further; i++) f->at[i] = turn_place(t, f->on[i], f->at[i]);
    if (f->kind == FORCE_PRESSURE) return;
    double det = f->kind == FORCE_TORQUE || f->kind == FORCE_TYRE ? t->v.det : 1.0;
    f->value = v3_scale(det, m33_mul_v(f->in_body ? t->F : t->v.Q, f->value));
}

void copy_turned(const spec *s, uint64_t seed, bool mirrored, spec *out, view *v)
{
    uint64_t state = seed;
    turning t = {.v = same_view(), .F = m33_identity()};
    double a[3], b[3];
    for (int i = 0; i < 3; i++) a[i] = uniform(&state, -3, 3), b[i] = uniform(&state, -5, 5);
    bool plane = s->dimension == 2, upright = has_kind(s, FORCE_TYRE); // roads lie under what is up
    v3 axis = plane || upright ? v3_make(0, 0, a[2]) : v3_load(a);
    if (plane && upright) axis.z = mirrored ? FLX_PI : 0.0;
    t.v.Q = quat_to_m33(quat_exp(axis));
    t.v.shift = v3_make(b[0], b[1], plane ? 0.0 : b[2]);
    if (mirrored) {
        t.F.m[plane ? 4 : 0] = -1.0;
        t.v.Q = m33_mul(t.v.Q, t.F);
        t.v.det = -1.0;
    }
    *out = *s;
    out->gravity = turn_polar(&t, s->gravity);
    for (int i = 0; i < s->nbody; i++) turn_body(&t, out->bodies + i);
    for (int i = 0; i < s->nforce; i++) turn_force(&t, out->forces + i);
    for (int i = 0; i < s->njoint; i++) turn_joint(&t, out, i);
    *v = t.v;
}

// ---- order --------------------------------------------------------------------------------------

static void reverse_joint(spec *s, int joint)
{
    spec_joint *j = s->joints + joint;
    int on = j->on[0];
    v3 at = j->at[0], axis = j->axis;
    bool lopsided = j->kind == JOINT_ON_LINE || j->kind == JOINT_ON_PLANE ||
                    j->kind == JOINT_KNIFE || j->kind == JOINT_ROLLING || j->kind == JOINT_ON_CURVE;
    if (lopsided) return; // a line, a plane, an edge is of one of them
    j->on[0] = j->on[1];
    j->on[1] = on;
    if (j->kind == JOINT_GEAR) {
        j->ratio = 1.0 / j->ratio;
        return;
    }
    j->at[0] = j->at[1];
    j->at[1] = at;
    bool two = j->kind == JOINT_UNIVERSAL || j->kind == JOINT_CONSTANT_VELOCITY ||
               j->kind == JOINT_PERPENDICULAR;
    if (two) {
        j->axis = j->axis2;
        j->axis2 = axis;
    }
    j->angle_sign *= -1;
    j->slide_sign *= -1;
    j->reaction_sign *= -1;
    flip_coordinate(s, joint);
}

void copy_reversed(const spec *s, uint64_t seed, spec *out)
{
    uint64_t state = seed;
    *out = *s;
    for (int i = 0; i < s->njoint; i++) {
        if (below(&state, 3) > 0) reverse_joint(out, i);
    }
    for (int i = 0; i < s->nforce; i++) {
        spec_force *f = out->forces + i;
        bool even = f->kind == FORCE_SPRING || f->kind == FORCE_ACTUATOR ||
                    f->kind == FORCE_BY_LAW || goes_through(f);
        if (!even || below(&state, 2)) continue;
        for (int low = 0, high = 1 + f->further; low < high; low++, high--) {
            int on = f->on[low];
            v3 at = f->at[low];
            f->on[low] = f->on[high];
            f->at[low] = f->at[high];
            f->on[high] = on;
            f->at[high] = at;
        }
    }
}

// In the axes of a part that is placed somewhere.
void copy_into_part(const spec *s, uint64_t seed, spec *out, view *v)
{
    spec turned;
    copy_turned(s, seed, false, &turned, v);
    *out = *s;
    out->gravity = turned.gravity;
    out->in_part = true;
    out->part_at = v->shift;
    out->part_axes = v->Q;
}

bool can_be_shifted(const spec *s)
{
    for (int i = 0; i < s->nbody; i++) {
        if (is_flexible(s, i)) return false;
    }
    for (int i = 0; i < s->nforce; i++) { // at rest initially
        const spec_force *f = s->forces + i;
        bool remembers = f->kind == FORCE_CONTACT && f->touch == TOUCH_RESTITUTION;
        remembers = remembers || f->kind == FORCE_MUSCLE || f->kind == FORCE_TYRE;
        remembers = remembers || (f->kind == FORCE_CONTACT && f->rubs == RUBS_SPRING);
        if (f->there && (f->kind == FORCE_BUSHING || remembers)) return false;
    }
    for (int i = 0; i < s->njoint; i++) { // angles of bodies count from there
        if (s->joints[i].there && s->joints[i].starts && s->dimension == 2) return false;
    }
    return !s->samples;
}

void copy_permuted(const spec *s, uint64_t seed, spec *out)
{
    *out = *s;
    out->order = seed | 1;
}

// ---- units --------------------------------------------------------------------------------------

typedef struct units {
    double L, M, T;
} units;

// Of a force or torque along the coordinate of a joint, by the coordinate.
static double joint_stiffness_of(bool slides, const units *u)
{
    double k = u->M / (u->T * u->T);
    return slides ? k : k * u->L * u->L;
}
static double joint_stiffness(const spec *s, int joint, const units *u)
{
    return joint_stiffness_of(s->joints[joint].kind == JOINT_PRISMATIC, u);
}
static double joint_length(const spec *s, int joint, const units *u)
{
    return joint >= 0 && s->joints[joint].kind == JOINT_PRISMATIC ? u->L : 1.0;
}

static void scale_v3(double by, v3 *a)
{
    *a = v3_scale(by, *a);
}

static void scale_body(const units *u, spec_body *b)
{
    scale_v3(u->L, &b->position);
    scale_v3(u->L, &b->com);
    scale_v3(u->L / u->T, &b->velocity);
    scale_v3(1.0 / u->T, &b->omega);
    b->J = m33_scale(u->M * u->L * u->L, b->J);
    b->mass *= u->M;
    scale_v3(u->L, &b->line);
    for (int i = 0; i < b->mesh.nnode; i++) scale_v3(u->L, b->mesh.nodes + i);
    b->width *= u->L;
    b->height *= u->L;
    b->E *= u->M / (u->L * u->T * u->T);
    b->density *= u->M / (u->L * u->L * u->L);
}

static void scale_joint(const spec *s, const units *u, spec_joint *j)
{
    bool slides = j->kind == JOINT_PRISMATIC;
    bool surface = slides || j->kind == JOINT_CYLINDRICAL || j->kind == JOINT_SCREW;
    if (j->kind == JOINT_GEAR) {
        j->ratio *= joint_length(s, j->on[1], u) / joint_length(s, j->on[0], u);
        return;
    }
    for (int i = 0; i < 2; i++) {
        scale_v3(u->L, j->at + i);
        j->motion[i] *= slides ? u->L : 1.0;
    }
    j->start[0] *= slides ? u->L : 1.0;
    j->start[1] *= (slides ? u->L : 1.0) / u->T;
    j->wall[0] *= slides ? u->L : 1.0;
    spec_stop *stop = &j->stop;
    double angle = slides ? u->L : 1.0;
    stop->at *= angle;
    stop->stiffness *= joint_stiffness_of(slides, u) * angle / pow(angle, stop->exponent);
    stop->damping *= u->T / angle;
    for (int i = 0; i < CURVE_POINTS; i++) scale_v3(u->L, j->curve + i);
    j->motion[0] /= u->T;
    j->motion[2] /= u->T;
    j->pitch *= u->L;
    j->radius *= u->L;
    j->friction[1] *= u->L;
    j->friction[2] *= u->L / u->T;
    j->viscous *= u->M / u->T * (surface ? 1.0 : u->L * u->L);
}

static void scale_contact(const units *u, spec_force *f)
{
    bool linear = f->touch == TOUCH_PENALTY;
    double k = u->M / (u->T * u->T);
    for (int i = 0; i < 2; i++) scale_v3(u->L, f->at + i);
    for (int i = 0; i < 2; i++) {
        f->radius[i] *= u->L;
        f->shape[i].round *= u->L;
        for (int n = 0; n < 3; n++) f->shape[i].size[n] *= u->L;
    }
    f->k[0] *= linear ? k : k / sqrt(u->L);
    f->c[0] *= linear ? k * u->T : u->T / u->L;
    f->friction[1] *= u->L / u->T;
    f->grip[0] *= k;
    f->grip[1] *= k * u->T;
}

static void scale_cable(const units *u, spec_force *f)
{
    f->k[0] *= u->M * u->L / (u->T * u->T) / pow(u->L, f->exponent);
    f->c[0] *= u->T / u->L;
    f->rest *= u->L;
    f->turning /= u->T;
}

static void scale_tyre(const units *u, spec_tyre *y)
{
    y->radius *= u->L;
    y->trail *= u->L;
    for (int i = 0; i < 2; i++) {
        y->way[i] *= u->L;
        y->slope[i] *= u->M * u->L / (u->T * u->T);
    }
}

static void scale_muscle(const units *u, spec_force *f)
{
    spec_muscle *m = &f->muscle;
    m->force *= u->M * u->L / (u->T * u->T);
    m->fibre *= u->L;
    m->tendon *= u->L;
    m->speed /= u->T;
    m->rise *= u->T;
    m->decay *= u->T;
    f->turning /= u->T;
}

static void scale_force(const spec *s, const units *u, spec_force *f)
{
    if (f->kind == FORCE_CONTACT) {
        scale_contact(u, f);
        return;
    }
    for (int i = 2; i < 2 + f->further; i++) scale_v3(u->L, f->at + i);
    if (goes_through(f)) {
        for (int i = 0; i < 2; i++) scale_v3(u->L, f->at + i);
        if (f->kind == FORCE_CABLE) scale_cable(u, f);
        if (f->kind == FORCE_MUSCLE) scale_muscle(u, f);
        return;
    }
    if (f->kind == FORCE_TYRE) scale_tyre(u, &f->tyre);
    double k = u->M / (u->T * u->T), length = u->L;
    bool on_joint = acts_on_joint(f);
    int translations = s->dimension;
    if (on_joint) k = joint_stiffness(s, f->on[0], u), length = joint_length(s, f->on[0], u);
    for (int i = 0; i < 2; i++) scale_v3(u->L, f->at + i);
    for (int i = 0; i < 6; i++) {
        bool turns =
            (f->kind == FORCE_BUSHING && i >= translations) || (f->kind == FORCE_DRAG && i > 0);
        double by = turns ? k * u->L * u->L : k;
        f->k[i] *= f->kind == FORCE_GRAVITATION ? pow(u->L, 3) / (u->M * u->T * u->T) : by;
        f->c[i] *= by * u->T;
    }
    f->rest *= length;
    f->gap *= length;
    for (int i = 0; i < LAW_POINTS; i++) {
        f->table[i][0] *= length;
        f->table[i][1] *= k * length;
    }
    f->effort[0] *= k * length;
    f->effort[1] *= k * length;
    f->gain *= k * length;
    f->bound *= k * length;
    f->cubic *= k / (length * length);
    f->turning /= u->T;
    bool solid = f->kind == FORCE_LOAD && s->bodies[f->on[1]].kind == BODY_SOLID;
    double unit = f->kind == FORCE_TORQUE ? u->L : f->kind == FORCE_LOAD ? 1.0 / u->L : 1.0;
    if (solid) unit = 1.0 / (u->L * u->L * u->L);
    if (f->kind == FORCE_PRESSURE || f->kind == FORCE_TRACTION) unit = 1.0 / (u->L * u->L);
    scale_v3(u->M * u->L / (u->T * u->T) * unit, &f->value);
}

void copy_rescaled(const spec *s, double length, double mass, double time, spec *out, view *v)
{
    const units u = {length, mass, time};
    *out = *s;
    *v = same_view();
    v->length = length;
    v->mass = mass;
    v->time = time;
    scale_v3(length / (time * time), &out->gravity);
    out->until *= time;
    out->time *= time;
    out->length *= length;
    out->weight *= mass;
    out->tick *= time;
    for (int i = 0; i < s->nbody; i++) scale_body(&u, out->bodies + i);
    for (int i = 0; i < s->njoint; i++) scale_joint(s, &u, out->joints + i);
    for (int i = 0; i < s->nforce; i++) scale_force(s, &u, out->forces + i);
    for (int i = 0; i < s->nrelation; i++) {
        spec_relation *r = out->relations + i;
        double a = joint_length(s, r->of[0], &u), b = joint_length(s, r->of[1], &u);
        r->offset[0] *= a;
        r->offset[1] *= b;
        r->ratio *= b / a;
        r->bent *= b / (a * a);
    }
    for (int i = 0; i < s->nvariable; i++) {
        spec_variable *x = out->variables + i;
        double energy = mass * length * length / (time * time);
        double to = joint_length(s, x->joint, &u);
        if (x->kind == PID || x->kind == PID_SAMPLED) {
            x->offset *= to;
            x->gain /= to;
            x->c /= time;
            x->mass *= time;
            x->filter /= time;
            x->sample *= time;
            continue;
        }
        x->rate /= time;
        x->offset *= to;
        x->mass *= energy * time * time;
        if (x->kind == SECOND_ORDER) x->c *= energy * time;
        x->k *= x->kind == SECOND_ORDER ? energy : time;
        x->gain /= to;
    }
}
