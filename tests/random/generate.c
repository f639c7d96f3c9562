// generate.c - random models: bodies on joints that carry them, joints that close loops, forces.
//
// Velocities are consistent by construction: those of trees follow from random rates of the joints; a
// mechanism with loops starts at rest.
#include "maker.h"

#include "base/common.h"

#include <math.h>

uint64_t next_seed(uint64_t *state) // splitmix64
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next_seed(state) >> 11) * 0x1p-53);
}

int below(uint64_t *state, int n)
{
    return (int)(next_seed(state) % (uint64_t)n);
}

bool chance(maker *k, int one_in)
{
    return below(&k->state, one_in) == 0;
}

v3 random_vector(maker *k, double size)
{
    double x = uniform(&k->state, -size, size), y = uniform(&k->state, -size, size);
    return v3_make(x, y, k->s->dimension == 3 ? uniform(&k->state, -size, size) : 0.0);
}

v3 random_direction(maker *k)
{
    v3 a;
    do a = random_vector(k, 1.0);
    while (!(v3_norm(a) > 0.2));
    return v3_unit(a);
}

v3 random_spin(maker *k, double size)
{
    if (k->s->dimension == 3) return random_vector(k, size);
    return v3_make(0, 0, uniform(&k->state, -size, size));
}

// ---- bodies -------------------------------------------------------------------------------------

static m33 random_inertia(maker *k)
{
    m33 T = quat_to_m33(quat_exp(random_spin(k, 1.5))), D = m33_zero();
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = uniform(&k->state, 0.02, 0.3); // of second moments of mass
    for (int i = 0; i < 3; i++) D.m[4 * i] = a[(i + 1) % 3] + a[(i + 2) % 3];
    return m33_mul_t(m33_mul(T, D), T);
}

spec_body *new_body(maker *k)
{
    spec_body *b = k->s->bodies + k->s->nbody++;
    *b = (spec_body){.there = true, .kind = BODY_RIGID, .R = m33_identity()};
    b->mass = uniform(&k->state, 0.5, 3.0);
    return b;
}

static void make_flexible(maker *k, spec_body *b)
{
    b->kind = chance(k, 2) ? BODY_MODAL : BODY_BEAM;
    b->line = v3_make(uniform(&k->state, 0.5, 1.0), 0, 0);
    b->width = uniform(&k->state, 0.03, 0.06);
    b->height = uniform(&k->state, 0.03, 0.06);
    b->E = uniform(&k->state, 2e6, 1e7);
    b->density = uniform(&k->state, 500, 2000);
    b->damping = chance(k, 2) ? uniform(&k->state, 0.01, 0.1) : 0.0;
    b->formulation = below(&k->state, 3);
    if (b->formulation == 1) b->height = b->width; // a cable
}

static void make_body(maker *k, int i)
{
    spec_body *b = k->s->bodies + i;
    *b = (spec_body){.there = true, .kind = BODY_RIGID, .R = m33_identity()};
    b->mass = uniform(&k->state, 0.5, 3.0);
    b->position = random_vector(k, 1.0);
    if (k->f->points && chance(k, 6)) {
        b->kind = BODY_POINT;
        return;
    }
    b->R = quat_to_m33(quat_exp(random_spin(k, 2.0)));
    if (k->bends && chance(k, 3)) {
        k->bends = false; // one is enough
        make_flexible(k, b);
        return;
    }
    b->com = random_vector(k, 0.3);
    b->J = random_inertia(k);
}

// ---- joints that carry --------------------------------------------------------------------------

v3 velocity_at(const spec *s, int body, v3 p)
{
    if (body < 0) return v3_make(0, 0, 0);
    const spec_body *b = s->bodies + body;
    return v3_add(b->velocity, v3_cross(b->omega, v3_sub(p, b->position)));
}
v3 omega_of(const spec *s, int body)
{
    return body < 0 ? v3_make(0, 0, 0) : s->bodies[body].omega;
}

static joint_kind random_carrier(maker *k, bool moves)
{
    static const joint_kind plane[] = {JOINT_REVOLUTE,  JOINT_REVOLUTE, JOINT_REVOLUTE,
                                       JOINT_PRISMATIC, JOINT_FIXED,    JOINT_FREE};
    static const joint_kind space[] = {
        JOINT_REVOLUTE,  JOINT_REVOLUTE,  JOINT_PRISMATIC,        JOINT_CYLINDRICAL,
        JOINT_SPHERICAL, JOINT_UNIVERSAL, JOINT_PLANAR,           JOINT_SCREW,
        JOINT_FIXED,     JOINT_FREE,      JOINT_CONSTANT_VELOCITY};
    joint_kind kind =
        k->s->dimension == 2 ? plane[below(&k->state, 6)] : space[below(&k->state, 11)];
    return moves && kind == JOINT_FIXED ? JOINT_REVOLUTE : kind;
}

static int freedom_of(joint_kind kind, int dimension)
{
    switch (kind) {
    case JOINT_REVOLUTE:
    case JOINT_PRISMATIC:
    case JOINT_SCREW:
        return 1;
    case JOINT_CYLINDRICAL:
    case JOINT_UNIVERSAL:
    case JOINT_CONSTANT_VELOCITY:
        return 2;
    case JOINT_SPHERICAL:
    case JOINT_PLANAR:
        return 3;
    case JOINT_FREE:
        return dimension == 2 ? 3 : 6;
    default:
        return 0;
    }
}

// What the joint lets the body do relative to its parent, at random.
static void random_twist(maker *k, const spec_joint *j, v3 *w, v3 *v)
{
    double turn = uniform(&k->state, -2, 2), slide = uniform(&k->state, -1, 1);
    v3 axis = k->s->dimension == 2 && j->kind == JOINT_REVOLUTE ? v3_make(0, 0, 1) : j->axis;
    *w = *v = v3_make(0, 0, 0);
    if (k->rest) return;
    if (j->moves) turn = slide = j->motion[0];
    switch (j->kind) {
    case JOINT_REVOLUTE:
        *w = v3_scale(turn, axis);
        break;
    case JOINT_PRISMATIC:
        *v = v3_scale(slide, axis);
        break;
    case JOINT_SCREW:
        *w = v3_scale(turn, axis);
        *v = v3_scale(turn * j->pitch / (2 * FLX_PI), axis);
        break;
    case JOINT_CYLINDRICAL:
        *w = v3_scale(turn, axis);
        *v = v3_scale(slide, axis);
        break;
    case JOINT_UNIVERSAL:
        *w = v3_add(v3_scale(turn, axis), v3_scale(slide, j->axis2));
        break;
    case JOINT_CONSTANT_VELOCITY: // in the plane normal to the sum of the axes
        *w = v3_cross(v3_add(j->axis, j->axis2), random_spin(k, 1.0));
        break;
    case JOINT_PLANAR:
        *w = v3_scale(turn, axis);
        *v = v3_cross(axis, random_vector(k, 1.0));
        break;
    case JOINT_SPHERICAL:
        *w = random_spin(k, 2.0);
        break;
    case JOINT_FREE:
        *w = random_spin(k, 2.0);
        *v = random_vector(k, 1.0);
        break;
    default:
        break;
    }
}

static void random_motion(maker *k, spec_joint *j)
{
    bool can = j->kind == JOINT_REVOLUTE || j->kind == JOINT_PRISMATIC;
    if (!k->f->motions || !can || !chance(k, 8)) return;
    j->moves = true;
    j->motion[0] = k->rest ? 0.0 : uniform(&k->state, -2, 2);
    j->motion[1] = uniform(&k->state, -0.4, 0.4);
    j->motion[2] = uniform(&k->state, 1, 5);
}

static void random_friction(maker *k, spec_joint *j)
{
    bool can = j->kind == JOINT_REVOLUTE || j->kind == JOINT_PRISMATIC ||
               j->kind == JOINT_CYLINDRICAL || j->kind == JOINT_SPHERICAL ||
               j->kind == JOINT_UNIVERSAL || j->kind == JOINT_SCREW;
    if (!k->f->friction || !can || j->moves || !chance(k, 8)) return;
    if (chance(k, 2)) j->friction[0] = uniform(&k->state, 0.05, 0.3);
    j->friction[1] = uniform(&k->state, 0.02, 0.1);
    j->friction[2] = uniform(&k->state, 0.2, 0.5);
    j->viscous = uniform(&k->state, 0.1, 1.0);
    j->sticks = (j->kind == JOINT_REVOLUTE || j->kind == JOINT_PRISMATIC) && chance(k, 2);
    j->held = j->friction[0] * uniform(&k->state, 1.0, 1.4);
}

spec_joint *new_joint(maker *k, joint_kind kind, int first, int second)
{
    spec_joint *j = k->s->joints + k->s->njoint++;
    *j = (spec_joint){.there = true,
                      .kind = kind,
                      .on = {first, second},
                      .angle_sign = 1,
                      .slide_sign = 1,
                      .reaction_sign = 1};
    j->axis = random_direction(k);
    do j->axis2 = random_direction(k);
    while (k->s->dimension == 3 && fabs(v3_dot(j->axis, j->axis2)) > 0.8);
    j->pitch = uniform(&k->state, 0.2, 0.8) * (chance(k, 2) ? 1 : -1);
    j->radius = uniform(&k->state, 0.2, 0.5);
    return j;
}

void set_places(const spec *s, spec_joint *j, v3 first, v3 second)
{
    j->at[0] = place_in(s, j->on[0], first);
    j->at[1] = place_in(s, j->on[1], second);
}

bool is_point(const spec *s, int body)
{
    return body >= 0 && s->bodies[body].kind == BODY_POINT;
}

// A point hangs on a bar, or is pinned to a body.
static void carry_point(maker *k, int i, int parent)
{
    spec *s = k->s;
    spec_body *b = s->bodies + i;
    v3 p = b->position, from = v3_add(p, v3_scale(uniform(&k->state, 0.4, 1), random_direction(k)));
    if (parent >= 0 && chance(k, 3)) {
        bool plane = s->dimension == 2;
        spec_joint *j = new_joint(k, plane ? JOINT_REVOLUTE : JOINT_SPHERICAL, parent, i);
        set_places(s, j, p, p);
        b->velocity = velocity_at(s, parent, p);
        return;
    }
    spec_joint *j = new_joint(k, JOINT_DISTANCE, parent, i);
    set_places(s, j, from, p);
    b->velocity = velocity_at(s, parent, p);
    v3 along = v3_unit(v3_sub(p, from)), more = random_vector(k, k->rest ? 0.0 : 1.0);
    b->velocity = v3_add(b->velocity, v3_axpy(-v3_dot(along, more), along, more));
    k->freedoms += s->dimension - 1;
}

static void carry(maker *k, int i)
{
    spec *s = k->s;
    spec_body *b = s->bodies + i;
    int parent = below(&k->state, i + 1) - 1;
    if (chance(k, 8) || (b->kind == BODY_POINT && chance(k, 3))) { // it floats
        b->velocity = random_vector(k, k->rest ? 0.0 : 1.0);
        if (b->kind != BODY_POINT) b->omega = random_spin(k, k->rest ? 0.0 : 2.0);
        k->freedoms += b->kind == BODY_POINT ? s->dimension : freedom_of(JOINT_FREE, s->dimension);
        return;
    }
    bool flexible = b->kind == BODY_POINT && is_flexible(s, parent); // places there are its ends
    if (is_point(s, parent) || flexible) parent = GROUND;
    if (b->kind == BODY_POINT) {
        carry_point(k, i, parent);
        return;
    }
    bool swap = chance(k, 2), bends = is_flexible(s, i), on_end = is_flexible(s, parent);
    joint_kind kind = random_carrier(k, k->freedoms == 0);
    if (bends || on_end)
        kind = s->dimension == 3 && chance(k, 2) ? JOINT_SPHERICAL : JOINT_REVOLUTE;
    if ((bends || on_end) && chance(k, 3)) kind = JOINT_FIXED;
    v3 p = v3_add(b->position, random_vector(k, 0.5)), to, w, v;
    if (on_end) p = place_of(s, parent, s->bodies[parent].line);
    if (on_end && bends) b->position = p;
    if (bends) p = b->position;
    to = p;
    spec_joint *j = new_joint(k, kind, swap ? i : parent, swap ? parent : i);
    if (joint_slides(s, s->njoint - 1)) to = v3_axpy(uniform(&k->state, -0.5, 0.5), j->axis, p);
    if (j->kind == JOINT_PLANAR) to = v3_add(p, v3_cross(j->axis, random_vector(k, 0.5)));
    if (!bends && !on_end) random_motion(k, j);
    if (!bends && !on_end) random_friction(k, j);
    random_twist(k, j, &w, &v);
    if (j->moves && swap) w = v3_neg(w), v = v3_neg(v);
    set_places(s, j, swap ? to : p, swap ? p : to);
    if (bends) j->at[swap ? 0 : 1] = v3_make(0, 0, 0); // exactly
    if (on_end) j->at[swap ? 1 : 0] = s->bodies[parent].line;
    b->omega = v3_add(omega_of(s, parent), w);
    v3 at = v3_add(velocity_at(s, parent, to), v);
    b->velocity = v3_sub(at, v3_cross(b->omega, v3_sub(to, b->position)));
    k->freedoms += freedom_of(j->kind, s->dimension) - j->moves;
}

// ---- joints that close loops --------------------------------------------------------------------

static int rows_of(joint_kind kind, int dimension)
{
    switch (kind) {
    case JOINT_SPHERICAL:
        return 3;
    case JOINT_REVOLUTE:
    case JOINT_PARALLEL:
        return 2;
    case JOINT_ROLLING:
        return dimension;
    case JOINT_ON_LINE:
    case JOINT_ON_CURVE:
        return dimension - 1;
    default:
        return 1;
    }
}

// A closed curve of the first body through a place: near a circle.
static void draw_curve(maker *k, spec_joint *j, v3 p)
{
    double radius = uniform(&k->state, 0.4, 1.0);
    v3 x = random_direction(k), z = k->s->dimension == 2 ? v3_make(0, 0, 1) : v3_unit(j->axis);
    x = v3_unit(v3_axpy(-v3_dot(z, x), z, x));
    v3 y = v3_cross(z, x), middle = v3_axpy(-radius, x, p);
    for (int i = 0; i < CURVE_POINTS; i++) {
        double turn = 2 * FLX_PI * i / CURVE_POINTS, r = radius;
        if (i > 0) r *= uniform(&k->state, 0.9, 1.1);
        v3 at = v3_axpy(r * cos(turn), x, v3_axpy(r * sin(turn), y, middle));
        if (i > 0) at = v3_add(at, random_vector(k, 0.1 * radius));
        j->curve[i] = place_in(k->s, j->on[0], i > 0 ? at : p);
    }
}

static void close_loop(maker *k)
{
    static const joint_kind plane[] = {JOINT_REVOLUTE, JOINT_DISTANCE, JOINT_ON_LINE,
                                       JOINT_KNIFE,    JOINT_ON_CURVE, JOINT_ROLLING};
    static const joint_kind space[] = {JOINT_SPHERICAL, JOINT_DISTANCE,      JOINT_ON_LINE,
                                       JOINT_ON_PLANE,  JOINT_KNIFE,         JOINT_ON_CURVE,
                                       JOINT_PARALLEL,  JOINT_PERPENDICULAR, JOINT_ROLLING};
    spec *s = k->s;
    int a = below(&k->state, s->nbody + 1) - 1, b = below(&k->state, s->nbody);
    joint_kind kind = s->dimension == 2 ? plane[below(&k->state, 6)] : space[below(&k->state, 9)];
    int rows = rows_of(kind, s->dimension);
    if (a == b || is_point(s, a) || is_point(s, b) || is_flexible(s, a) || is_flexible(s, b) ||
        k->freedoms - rows < 1)
        return;
    spec_joint *j = new_joint(k, kind, a, b);
    v3 p = v3_add(s->bodies[b].position, random_vector(k, 0.5)), to = p;
    if (kind == JOINT_DISTANCE) {
        p = v3_add(p, v3_scale(uniform(&k->state, 0.4, 1.0), random_direction(k)));
    }
    if (kind == JOINT_ON_LINE) p = v3_axpy(uniform(&k->state, -0.5, 0.5), j->axis, p);
    if (kind == JOINT_ON_PLANE) p = v3_add(p, v3_cross(j->axis, random_vector(k, 0.5)));
    if (kind == JOINT_ROLLING) p = v3_axpy(-j->radius, j->axis, p);
    if (kind == JOINT_ON_CURVE) draw_curve(k, j, p);
    if (kind == JOINT_PERPENDICULAR) j->axis2 = v3_unit(v3_cross(j->axis, j->axis2));
    set_places(s, j, p, to);
    k->freedoms -= rows;
    s->loops = true;
}

static void gear_joints(maker *k)
{
    spec *s = k->s;
    int found[SPEC_JOINTS], n = 0;
    for (int i = 0; i < s->njoint; i++) {
        if (joint_has_coordinate(s, i) && !s->joints[i].moves) found[n++] = i;
    }
    if (n < 2 || k->freedoms < 2 || !chance(k, 2)) return;
    int first = below(&k->state, n - 1);
    spec_joint *j = new_joint(k, JOINT_GEAR, found[first], found[first + 1]);
    j->ratio = uniform(&k->state, 0.5, 2.0) * (chance(k, 2) ? 1 : -1);
    k->freedoms--;
    s->loops = true;
}

// Coordinates at the start, of trees: what hangs on the joint is moved, its velocity guessed.
static void start_joints(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->nbody; i++) {
        if (is_flexible(s, i)) return;
    }
    for (int i = 0; i < s->njoint && !s->loops; i++) {
        spec_joint *j = s->joints + i;
        if (!joint_has_coordinate(s, i) || j->moves || !chance(k, 5)) continue;
        j->starts = true;
        j->start[0] = uniform(&k->state, -0.5, 0.5);
        j->start[1] = uniform(&k->state, -1.5, 1.5);
    }
}

// Walls that a coordinate comes to.
static void make_walls(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->njoint; i++) {
        spec_joint *j = s->joints + i;
        if (!joint_has_coordinate(s, i) || j->moves || !chance(k, 6)) continue;
        double side = chance(k, 2) ? 1 : -1, from = j->starts ? fabs(j->start[0]) : 0.0;
        j->bounces = true;
        j->wall[0] = side * (from + uniform(&k->state, 0.03, 0.3));
        j->wall[1] = uniform(&k->state, 0.8, 1.0); // no infinitely many bounces
    }
}

static void make_stops(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->njoint; i++) {
        spec_joint *j = s->joints + i;
        if (!joint_has_coordinate(s, i) || j->moves || j->bounces || !chance(k, 3)) continue;
        spec_stop *stop = &j->stop;
        double from = j->starts ? fabs(j->start[0]) : 0.0;
        stop->there = true;
        stop->rigid = chance(k, 2);
        stop->side = chance(k, 2) ? 1 : -1;
        stop->at = stop->side * (from + uniform(&k->state, 0.03, 0.3));
        stop->stiffness = uniform(&k->state, 100, 2000);
        stop->exponent = 1.0 + 0.5 * below(&k->state, 3);
        stop->damping = chance(k, 2) ? uniform(&k->state, 0, 0.5) : 0.0;
        stop->restitution = chance(k, 3) ? 0.0 : uniform(&k->state, 0.5, 1.0);
    }
}

// The same joint once more, farther along its axis.
static void double_joint(maker *k)
{
    spec *s = k->s;
    int from = s->njoint ? below(&k->state, s->njoint) : 0;
    if (s->njoint == 0 || s->joints[from].moves) return;
    if (s->joints[from].bounces || s->joints[from].starts || s->joints[from].stop.there) return;
    joint_kind kind = s->joints[from].kind;
    bool can = kind == JOINT_REVOLUTE || kind == JOINT_PRISMATIC || kind == JOINT_CYLINDRICAL;
    for (int i = 0; i < 2; i++) can = can && !is_flexible(s, s->joints[from].on[i]);
    if (!can || !joint_has_coordinate(s, from)) return;
    spec_joint *j = s->joints + s->njoint++;
    *j = s->joints[from];
    j->viscous = 0.0;
    for (int i = 0; i < s->njoint; i++) { // follows reactions, which are not unique then
        s->joints[i].friction[0] = 0.0;
    }
    double far = s->dimension == 2 && kind == JOINT_REVOLUTE ? 0.0 : uniform(&k->state, 0.3, 1.0);
    for (int i = 0; i < 2; i++) {
        v3 p = v3_axpy(far, j->axis, place_of(s, j->on[i], j->at[i]));
        j->at[i] = place_in(s, j->on[i], p);
    }
    s->redundant = s->loops = true;
}

// ---- all of it ----------------------------------------------------------------------------------

void generate(uint64_t seed, const features *f, spec *out)
{
    maker k = {.s = out, .state = seed * 0x2545f4914f6cdd1dull + 1, .f = f};
    *out = (spec){.seed = seed, .dimension = 2, .length = 1, .weight = 1, .tick = 1};
    if (f->space && chance(&k, 2)) out->dimension = 3;
    bool falls = !chance(&k, 6);
    out->gravity = random_vector(&k, 7.0);
    out->until = uniform(&k.state, 0.3, 0.8);
    out->nbody = 1 + below(&k.state, f->most_bodies);
    bool loops = f->loops && chance(&k, 2);
    if (!falls && !loops) out->gravity = v3_make(0, 0, 0);
    k.rest = loops && chance(&k, 2);      // else velocities are guesses there
    k.bends = f->modal && chance(&k, 12); // they cost most
    for (int i = 0; i < out->nbody; i++) make_body(&k, i);
    // Until the least change of guessed velocities does not depend on units where a body has modes.
    for (int i = 0; i < out->nbody && loops; i++) k.rest = k.rest || is_flexible(out, i);
    for (int i = 0; i < out->nbody; i++) carry(&k, i);
    if (loops) {
        for (int i = 0; i < 2; i++) close_loop(&k);
        gear_joints(&k);
        if (f->redundant && chance(&k, 4)) double_joint(&k);
    }
    if (f->starts && !loops) start_joints(&k);
    if (f->events && chance(&k, 4)) make_walls(&k);
    if (f->limits && chance(&k, 4)) make_stops(&k);
    for (int i = 0; i < out->njoint; i++) { // |N| is rounded off by a part of the weight
        if (v3_norm(out->gravity) == 0.0) out->joints[i].friction[0] = 0.0;
    }
    int forces = f->forces ? below(&k.state, 6) : 0;
    for (int i = 0; i < forces; i++) make_force(&k);
    if (f->contacts && chance(&k, 5)) make_contact(&k);
    if (f->contacts && chance(&k, 10)) make_contact(&k);
    int variables = f->equations ? below(&k.state, SPEC_VARIABLES) : 0;
    for (int i = 0; i < variables; i++) make_variable(&k);
    if (f->control && out->nvariable < SPEC_VARIABLES && chance(&k, 5)) make_controller(&k);
    if (f->massless && chance(&k, 6)) make_massless(&k);
    k.state = seed * 0x9e3779b97f4a7c15ull + 2;
    if (f->lines && chance(&k, 3)) make_lines(&k);
    if (f->tyres && chance(&k, 6)) make_wheels(&k);
    k.state = seed * 0xbf58476d1ce4e5b9ull + 3;
    if (f->shapes && chance(&k, 5)) make_shapes(&k);
    k.state = seed * 0x94d049bb133111ebull + 4;
    if (f->meshes) make_meshes(&k);
    if (f->meshes && chance(&k, 10)) make_solid(&k);
    k.state = seed * 0xd6e8feb86659fd93ull + 5;
    if (f->pairs) make_pairs(&k, loops);
}
