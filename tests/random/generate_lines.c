// generate_lines.c - cables and muscles through places, loads along beams, springs by a law, motions by rates, and tyres.
#include "maker.h"

#include <math.h>

// A body, not one without mass: where several springs hold that in balance is chance.
static int random_body(maker *k, bool ground)
{
    spec *s = k->s;
    int i = below(&k->state, s->nbody + ground) - ground;
    return i >= 0 && s->bodies[i].mass == 0.0 ? 0 : i;
}

// ---- through places -----------------------------------------------------------------------------

// Places on bodies by turns, with some way between them; their distances are summed up.
static bool go_through(maker *k, spec_force *f, double *length)
{
    spec *s = k->s;
    int n = 2 + below(&k->state, SPEC_PLACES - 1);
    v3 last = v3_make(0, 0, 0);
    *length = 0.0;
    for (int i = 0; i < n; i++) {
        f->on[i] = random_body(k, true);
        if (i > 0 && f->on[i] == f->on[i - 1]) f->on[i] = f->on[i] < 0 ? 0 : GROUND;
        f->at[i] = random_place(k, f->on[i]);
        v3 p = place_of(s, f->on[i], f->at[i]);
        double way = v3_norm(v3_sub(p, last));
        if (i > 0 && way < 0.3) return false; // the line turns fast where places pass each other
        if (i > 0) *length += way;
        last = p;
    }
    f->further = n - 2;
    return true;
}

static void make_cable(maker *k)
{
    spec_force f = {.there = true, .kind = FORCE_CABLE, .feels = -1};
    double length;
    if (!go_through(k, &f, &length)) return;
    f.rest = uniform(&k->state, 0.8, 1.05) * length;
    f.exponent = 1.0 + 0.5 * below(&k->state, 3);
    f.k[0] = uniform(&k->state, 20, 200);
    f.c[0] = chance(k, 2) ? uniform(&k->state, 0, 0.5) : 0.0;
    f.wave = chance(k, 2) ? uniform(&k->state, 0, 0.1) : 0.0; // it is wound
    f.turning = uniform(&k->state, 1, 6);
    k->s->forces[k->s->nforce++] = f;
}

static void make_muscle(maker *k)
{
    spec_force f = {.there = true, .kind = FORCE_MUSCLE, .feels = -1};
    spec_muscle *m = &f.muscle;
    double length;
    if (!go_through(k, &f, &length)) return;
    m->tendon = uniform(&k->state, 0.2, 0.5) * length;
    m->pennation = chance(k, 2) ? uniform(&k->state, 0, 0.4) : 0.0;
    m->fibre = (length - m->tendon) / cos(m->pennation) * uniform(&k->state, 0.85, 1.15);
    m->force = uniform(&k->state, 5, 40);
    m->speed = uniform(&k->state, 5, 12);
    m->rise = uniform(&k->state, 0.01, 0.03);
    m->decay = uniform(&k->state, 0.04, 0.08);
    m->activation = uniform(&k->state, 0.2, 0.6);
    m->excitation[0] = uniform(&k->state, 0.3, 0.7);
    m->excitation[1] = uniform(&k->state, 0.0, 0.4); // at times it saturates
    f.turning = uniform(&k->state, 1, 6);
    k->s->forces[k->s->nforce++] = f;
}

// ---- along a beam, by a law ---------------------------------------------------------------------

static void make_load(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->nbody; i++) {
        if (s->bodies[i].kind != BODY_BEAM) continue;
        spec_force f = {.there = true, .kind = FORCE_LOAD, .feels = -1, .on = {GROUND, i}};
        f.in_body = chance(k, 2);
        f.value = random_vector(k, 5.0);
        bool cable = s->dimension == 3 && s->bodies[i].formulation == 1; // it has no axes across
        if (f.in_body && cable) f.value.y = f.value.z = 0.0;
        f.wave = chance(k, 2) ? uniform(&k->state, 0, 0.9) : 0.0;
        f.turning = uniform(&k->state, 1, 6);
        s->forces[s->nforce++] = f;
        return;
    }
}

static void make_spring_by_law(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .kind = FORCE_BY_LAW, .feels = -1};
    f.on[1] = random_body(k, false);
    f.on[0] = random_body(k, true);
    if (f.on[0] == f.on[1]) f.on[0] = GROUND;
    for (int i = 0; i < 2; i++) f.at[i] = random_place(k, f.on[i]);
    double way = v3_norm(v3_sub(place_of(s, f.on[0], f.at[0]), place_of(s, f.on[1], f.at[1])));
    if (way < 0.3) return;
    f.rest = uniform(&k->state, 0.6, 1.2) * way;
    f.k[0] = uniform(&k->state, 2, 60);
    f.c[0] = chance(k, 2) ? uniform(&k->state, 0, 2) : 0.0;
    f.cubic = uniform(&k->state, 0, 20);
    s->forces[s->nforce++] = f;
}

void make_lines(maker *k)
{
    spec *s = k->s;
    make_load(k);
    for (int n = 1 + below(&k->state, 2); n > 0 && s->nforce < SPEC_FORCES - 2; n--) {
        int kind = below(&k->state, 5);
        if (kind < 2) make_cable(k);
        if (kind == 2 || kind == 3) make_muscle(k);
        if (kind == 4) make_spring_by_law(k);
    }
    for (int i = 0; i < s->njoint; i++) {
        if (s->joints[i].moves) s->joints[i].by_rate = chance(k, 2);
    }
}

// ---- tyres --------------------------------------------------------------------------------------

static v3 upwards(const spec *s)
{
    return s->dimension == 2 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
}

// Across a wheel, nearly level.
static v3 random_axle(maker *k)
{
    if (k->s->dimension == 2) return v3_make(0, 0, -1);
    double turn = uniform(&k->state, -3, 3);
    return v3_unit(v3_make(cos(turn), sin(turn), uniform(&k->state, -0.2, 0.2)));
}

static void draw_tyre(maker *k, spec_force *f)
{
    spec_tyre *y = &f->tyre;
    y->law = below(&k->state, 4);
    f->k[0] = uniform(&k->state, 500, 3000);
    f->c[0] = chance(k, 2) ? uniform(&k->state, 0, 15) : 0.0;
    y->friction = uniform(&k->state, 0.6, 1.2);
    for (int i = 0; i < 2; i++) {
        y->slope[i] = uniform(&k->state, 50, 300);
        y->curve[i][0] = uniform(&k->state, 5, 12);
        y->curve[i][1] = uniform(&k->state, 1.2, 1.7);
        y->curve[i][2] = uniform(&k->state, 0.7, 1.1);
        y->curve[i][3] = uniform(&k->state, -0.6, 0.6);
        y->way[i] = uniform(&k->state, 0.15, 0.5);
    }
    y->trail = chance(k, 2) ? uniform(&k->state, 0, 0.05) : 0.0;
}

// A wheel about `axle` at p, which rolls nearly, on the road under it.
static void place_wheel(maker *k, spec_body *b, v3 p, v3 axle)
{
    spec *s = k->s;
    spec_force *f = s->forces + s->nforce++;
    double radius = uniform(&k->state, 0.2, 0.4), across = uniform(&k->state, 0.03, 0.1);
    *f = (spec_force){.there = true, .kind = FORCE_TYRE, .feels = -1, .on = {GROUND, 0}};
    f->on[1] = (int)(b - s->bodies);
    f->value = axle;
    f->tyre.radius = radius;
    draw_tyre(k, f);
    b->position = p;
    b->J = m33_scale(across / 2, m33_identity()); // half of it about what lies in the wheel
    for (int i = 0; i < 9; i++) {
        b->J.m[i] += across / 2 * ((double[3]){axle.x, axle.y, axle.z})[i / 3] *
                     ((double[3]){axle.x, axle.y, axle.z})[i % 3];
    }
    b->J = m33_mul(m33_mul(m33_transpose(b->R), b->J), b->R);
    double lean = s->dimension == 2 ? 0.0 : axle.z, deep = uniform(&k->state, -0.08, 0.03);
    f->at[0] = v3_axpy(deep - radius * sqrt(1.0 - lean * lean), upwards(s), p);
}

static spec_body *new_wheel(maker *k)
{
    spec_body *b = new_body(k);
    b->R = k->s->dimension == 2 ? m33_identity() : quat_to_m33(quat_exp(random_vector(k, 2.0)));
    return b;
}

// On its own, on an arm from the ground, or on a body.
static void make_wheel(maker *k)
{
    spec *s = k->s;
    bool any = false;
    for (int i = 0; i < s->njoint; i++) any = any || s->joints[i].starts;
    int how = below(&k->state, 3), parent = below(&k->state, s->nbody);
    if (how == 2 && (any || is_point(s, parent) || is_flexible(s, parent))) how = 1;
    v3 axle = random_axle(k), p = random_vector(k, 1.0);
    if (how == 1) {
        parent = s->nbody;
        spec_body *arm = new_body(k);
        v3 hinge = v3_axpy(uniform(&k->state, 0.4, 0.8), v3_cross(axle, upwards(s)), p);
        spec_joint *j = new_joint(k, JOINT_REVOLUTE, GROUND, parent);
        j->axis = axle;
        arm->position = v3_scale(0.5, v3_add(hinge, p));
        arm->R = m33_identity();
        arm->J = m33_scale(uniform(&k->state, 0.05, 0.2), m33_identity());
        set_places(s, j, hinge, hinge);
    }
    if (how == 2) p = v3_add(s->bodies[parent].position, random_vector(k, 0.5));
    int wheel = s->nbody;
    spec_body *b = new_wheel(k);
    place_wheel(k, b, p, axle);
    double spin = k->rest ? 0.0 : uniform(&k->state, -8, 8);
    if (how == 0) {
        v3 ahead = v3_cross(axle, upwards(s)); // it rolls nearly
        double slip = uniform(&k->state, 0.8, 1.2);
        b->velocity = v3_scale(spin * slip * s->forces[s->nforce - 1].tyre.radius, ahead);
        b->omega = v3_scale(spin, axle);
        return;
    }
    spec_joint *j = new_joint(k, JOINT_REVOLUTE, parent, wheel);
    j->axis = axle;
    set_places(s, j, p, p);
    b->velocity = velocity_at(s, parent, p);
    b->omega = v3_axpy(spin, axle, omega_of(s, parent));
}

void make_wheels(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->nbody; i++) { // its vibrations take too long beside a tyre that slides
        if (is_flexible(s, i)) return;
    }
    s->gravity = v3_scale(-uniform(&k->state, 5, 10), upwards(s));
    for (int n = 1 + chance(k, 3); n > 0; n--) {
        bool room = s->nbody + 2 <= SPEC_BODIES && s->njoint + 2 <= SPEC_JOINTS;
        if (room && s->nforce < SPEC_FORCES) make_wheel(k);
    }
}
