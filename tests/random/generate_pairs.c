// generate_pairs.c - forces and torques between two bodies, rotors without mass, relations of coordinates, beams in
// absolute coordinates with shear, friction of contacts that sticks.
#include "maker.h"

#include <math.h>

static bool is_rigid(const spec *s, int body)
{
    return body < 0 || s->bodies[body].kind == BODY_RIGID;
}

static void make_pair(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .feels = -1, .between = true};
    f.kind = chance(k, 2) ? FORCE_FORCE : FORCE_TORQUE;
    f.on[0] = below(&k->state, s->nbody + 1) - 1;
    f.on[1] = below(&k->state, s->nbody);
    if (f.on[0] == f.on[1]) f.on[0] = GROUND;
    if (s->nforce == SPEC_FORCES || !is_rigid(s, f.on[0]) || !is_rigid(s, f.on[1])) return;
    for (int i = 0; i < 2; i++) f.at[i] = random_place(k, f.on[i]);
    f.value = f.kind == FORCE_TORQUE ? random_spin(k, 3.0) : random_vector(k, 5.0);
    f.in_body = chance(k, 2) && (s->dimension == 3 || f.kind == FORCE_FORCE);
    f.wave = chance(k, 2) ? uniform(&k->state, 0, 0.9) : 0.0;
    f.turning = uniform(&k->state, 1, 6);
    s->forces[s->nforce++] = f;
}

// That of a geared motor: it turns on a body, by a spring or with the coordinate of another joint.
static void make_rotor(maker *k, bool loops)
{
    spec *s = k->s;
    int parent = below(&k->state, s->nbody + 1) - 1, rotor = s->nbody, other = -1;
    bool room = s->nbody < SPEC_BODIES && s->njoint + 2 <= SPEC_JOINTS && s->nforce < SPEC_FORCES;
    if (!room || !is_rigid(s, parent)) return;
    for (int i = 0; i < s->njoint; i++) {
        if (joint_has_coordinate(s, i) && !s->joints[i].moves && !s->joints[i].starts) other = i;
    }
    spec_body *b = new_body(k);
    b->mass = 0.0;
    b->R = quat_to_m33(quat_exp(random_spin(k, 2.0)));
    b->position = v3_add(place_of(s, parent, v3_make(0, 0, 0)), random_vector(k, 0.5));
    for (int i = 0; i < 3; i++) b->J.m[4 * i] = uniform(&k->state, 0.02, 0.1);
    spec_joint *j = new_joint(k, JOINT_REVOLUTE, parent, rotor);
    v3 axis = s->dimension == 2 ? v3_make(0, 0, 1) : j->axis;
    set_places(s, j, b->position, b->position);
    bool geared = loops && k->rest && other >= 0 && chance(k, 2);
    double spin = k->rest ? 0.0 : uniform(&k->state, -5, 5);
    b->omega = v3_axpy(spin, axis, omega_of(s, parent));
    b->velocity = velocity_at(s, parent, b->position);
    if (geared) {
        spec_joint *g = new_joint(k, JOINT_GEAR, other, s->njoint - 1);
        g->ratio = uniform(&k->state, 1.0, 4.0) * (chance(k, 2) ? 1 : -1);
        return;
    }
    spec_force f = {.there = true, .kind = FORCE_JOINT_SPRING, .feels = -1};
    f.on[0] = s->njoint - 1;
    f.k[0] = uniform(&k->state, 1, 10);
    f.c[0] = chance(k, 2) ? uniform(&k->state, 0, 0.3) : 0.0;
    f.rest = uniform(&k->state, -0.5, 0.5);
    s->forces[s->nforce++] = f;
}

// Of a mechanism at rest: any rates fit.
static void make_relation(maker *k)
{
    spec *s = k->s;
    int found[SPEC_JOINTS], n = 0;
    for (int i = 0; i < s->njoint; i++) {
        bool free = joint_has_coordinate(s, i) && !s->joints[i].moves && !s->joints[i].starts;
        if (free) found[n++] = i;
    }
    if (n < 2 || k->freedoms < 2 || !k->rest) return;
    int first = below(&k->state, n - 1);
    spec_relation *r = s->relations + s->nrelation++;
    *r = (spec_relation){.there = true, .of = {found[first], found[first + 1]}};
    r->ratio = uniform(&k->state, 0.5, 2.0) * (chance(k, 2) ? 1 : -1);
    r->bent = uniform(&k->state, -0.5, 0.5);
    k->freedoms--;
}

static void change_friction(maker *k)
{
    for (int i = 0; i < k->s->nforce; i++) {
        spec_force *f = k->s->forces + i;
        bool rubs = f->kind == FORCE_CONTACT && f->touch != TOUCH_RIGID && f->friction[0] > 0.0;
        bool nodes = f->shaped && f->shape[1].kind == SHAPE_NODES;
        // beside a box points come and go, unless it meets a plane or a sphere
        bool stay = !f->shaped || f->shape[0].kind <= SHAPE_SPHERE;
        if (!rubs || nodes || !stay || !chance(k, 2)) continue;
        f->rubs = chance(k, 2) ? RUBS_EXACT : RUBS_SPRING;
        f->grip[0] = uniform(&k->state, 200, 2000);
        f->grip[1] = chance(k, 2) ? uniform(&k->state, 0, 5) : 0.0;
    }
}

void make_pairs(maker *k, bool loops)
{
    spec *s = k->s;
    if (chance(k, 5)) make_pair(k);
    if (loops && chance(k, 6)) make_relation(k);
    if (chance(k, 8)) make_rotor(k, loops);
    change_friction(k);
    for (int i = 0; i < s->nbody; i++) {
        spec_body *b = s->bodies + i;
        if (b->kind == BODY_BEAM && b->formulation == 0 && chance(k, 3)) b->formulation = 3;
    }
}
