// generate.c - random models: bodies on joints that carry them, joints that close loops, forces.
//
// Velocities are consistent by construction: those of trees follow from random rates of the joints; a
// mechanism with loops starts at rest.
#include "spec.h"

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

typedef struct maker {
    spec *s;
    uint64_t state;
    const features *f;
    int freedoms; // of the joints so far
    bool rest;    // all velocities are zero
    bool bends;   // a body may be flexible
} maker;

static bool chance(maker *k, int one_in)
{
    return below(&k->state, one_in) == 0;
}

static v3 random_vector(maker *k, double size)
{
    double x = uniform(&k->state, -size, size), y = uniform(&k->state, -size, size);
    return v3_make(x, y, k->s->dimension == 3 ? uniform(&k->state, -size, size) : 0.0);
}

static v3 random_direction(maker *k)
{
    v3 a;
    do a = random_vector(k, 1.0);
    while (!(v3_norm(a) > 0.2));
    return v3_unit(a);
}

// Of angular velocities and torques: planar, along z.
static v3 random_spin(maker *k, double size)
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

static v3 velocity_at(const spec *s, int body, v3 p)
{
    if (body < 0) return v3_make(0, 0, 0);
    const spec_body *b = s->bodies + body;
    return v3_add(b->velocity, v3_cross(b->omega, v3_sub(p, b->position)));
}
static v3 omega_of(const spec *s, int body)
{
    return body < 0 ? v3_make(0, 0, 0) : s->bodies[body].omega;
}

static joint_kind random_carrier(maker *k, bool moves)
{
    static const joint_kind plane[] = {JOINT_REVOLUTE,  JOINT_REVOLUTE, JOINT_REVOLUTE,
                                       JOINT_PRISMATIC, JOINT_FIXED,    JOINT_FREE};
    static const joint_kind space[] = {
        JOINT_REVOLUTE,  JOINT_REVOLUTE, JOINT_PRISMATIC, JOINT_CYLINDRICAL, JOINT_SPHERICAL,
        JOINT_UNIVERSAL, JOINT_PLANAR,   JOINT_SCREW,     JOINT_FIXED,       JOINT_FREE};
    joint_kind kind =
        k->s->dimension == 2 ? plane[below(&k->state, 6)] : space[below(&k->state, 10)];
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
    if (!k->f->friction || !can || !chance(k, 8)) return;
    if (chance(k, 2)) j->friction[0] = uniform(&k->state, 0.05, 0.3);
    j->friction[1] = uniform(&k->state, 0.02, 0.1);
    j->friction[2] = uniform(&k->state, 0.2, 0.5);
    j->viscous = uniform(&k->state, 0.1, 1.0);
}

static spec_joint *new_joint(maker *k, joint_kind kind, int first, int second)
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

static void set_places(const spec *s, spec_joint *j, v3 first, v3 second)
{
    j->at[0] = place_in(s, j->on[0], first);
    j->at[1] = place_in(s, j->on[1], second);
}

static bool is_point(const spec *s, int body)
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
        return 2;
    case JOINT_ON_LINE:
        return dimension - 1;
    default:
        return 1;
    }
}

static void close_loop(maker *k)
{
    static const joint_kind plane[] = {JOINT_REVOLUTE, JOINT_DISTANCE, JOINT_ON_LINE, JOINT_KNIFE};
    static const joint_kind space[] = {JOINT_SPHERICAL, JOINT_DISTANCE, JOINT_ON_LINE,
                                       JOINT_ON_PLANE, JOINT_KNIFE};
    spec *s = k->s;
    int a = below(&k->state, s->nbody + 1) - 1, b = below(&k->state, s->nbody);
    joint_kind kind = s->dimension == 2 ? plane[below(&k->state, 4)] : space[below(&k->state, 5)];
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

// The same joint once more, farther along its axis.
static void double_joint(maker *k)
{
    spec *s = k->s;
    int from = s->njoint ? below(&k->state, s->njoint) : 0;
    if (s->njoint == 0 || s->joints[from].moves) return;
    if (s->joints[from].bounces || s->joints[from].starts) return;
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

// ---- forces -------------------------------------------------------------------------------------

static int random_coordinate(maker *k)
{
    spec *s = k->s;
    int found[SPEC_JOINTS], n = 0;
    for (int i = 0; i < s->njoint; i++) {
        if (joint_has_coordinate(s, i)) found[n++] = i;
    }
    return n ? found[below(&k->state, n)] : -1;
}

static v3 random_place(maker *k, int body)
{
    if (is_point(k->s, body)) return v3_make(0, 0, 0);
    if (is_flexible(k->s, body)) return k->s->bodies[body].line;
    return random_vector(k, body < 0 ? 1.5 : 0.5);
}

static void make_force(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .feels = -1};
    f.kind = (force_kind)below(&k->state, FORCE_KINDS);
    f.on[0] = below(&k->state, s->nbody + 1) - 1;
    f.on[1] = below(&k->state, s->nbody);
    if (f.on[0] == f.on[1]) f.on[0] = GROUND;
    for (int i = 0; i < 2; i++) f.at[i] = random_place(k, f.on[i]);
    for (int i = 0; i < 6; i++) {
        f.k[i] = uniform(&k->state, 2, 60);
        f.c[i] = chance(k, 2) ? uniform(&k->state, 0, 2) : 0.0;
    }
    f.cubic = uniform(&k->state, 0, 20);
    f.law = k->f->laws ? (law)below(&k->state, LAWS) : LAW_CUBIC;
    f.gap = uniform(&k->state, 0.02, 0.2);
    for (int i = 0; i < LAW_POINTS; i++) {
        f.table[i][0] = 0.15 * (i + 1) * (1 + uniform(&k->state, -0.1, 0.1));
        f.table[i][1] = uniform(&k->state, -4, 8);
    }
    f.effort[0] = uniform(&k->state, -3, 3);
    f.effort[1] = uniform(&k->state, -3, 3);
    f.turning = uniform(&k->state, 1, 6);
    f.wave = chance(k, 2) ? uniform(&k->state, 0, 0.9) : 0.0;
    f.in_body = chance(k, 2);
    f.mixed = k->f->mixed && chance(k, 3);
    f.value = f.kind == FORCE_TORQUE ? random_spin(k, 3.0) : random_vector(k, 5.0);
    v3 way = v3_sub(place_of(s, f.on[0], f.at[0]), place_of(s, f.on[1], f.at[1]));
    f.rest = uniform(&k->state, 0.6, 1.2) * v3_norm(way);
    bool point = is_point(s, f.on[1]), bends = is_flexible(s, f.on[0]) || is_flexible(s, f.on[1]);
    bool any = false;
    for (int i = 0; i < s->nbody; i++) any = any || is_flexible(s, i);
    bool along = f.kind == FORCE_SPRING || f.kind == FORCE_ACTUATOR || f.kind == FORCE_FORCE;
    bool joint = f.kind == FORCE_JOINT_SPRING || f.kind == FORCE_JOINT_EFFORT;
    if (bends && !along && !joint) return;
    if (any && f.kind == FORCE_GRAVITATION) return;
    if (point || bends || (s->dimension == 2 && f.kind == FORCE_TORQUE)) f.in_body = false;
    switch (f.kind) {
    case FORCE_JOINT_SPRING:
    case FORCE_JOINT_EFFORT:
        f.on[0] = random_coordinate(k);
        f.rest = uniform(&k->state, -0.3, 0.3);
        if (f.on[0] < 0) return;
        break;
    case FORCE_TORQUE:
        if (point) return;
        break;
    case FORCE_BUSHING: // a frame on both
        if (point || is_point(s, f.on[0])) return;
        f.at[0] = place_in(s, f.on[0], place_of(s, f.on[1], f.at[1]));
        for (int i = 0; i < 6 && f.on[0] < 0; i++) { // no direction of the ground is another's
            f.k[i] = f.k[i < s->dimension ? 0 : 5];
            f.c[i] = f.c[i < s->dimension ? 0 : 5];
        }
        break;
    case FORCE_GRAVITATION:
        for (int i = 0; i < s->nbody; i++) { // no close encounters
            for (int n = 0; n < i; n++) {
                v3 d = v3_sub(place_of(s, i, s->bodies[i].com), place_of(s, n, s->bodies[n].com));
                if (v3_norm(d) < 0.5) return;
            }
        }
        if (s->nbody < 2) return;
        s->until = fmin(s->until, 0.3);
        f.k[0] = uniform(&k->state, 0.01, 0.1);
        break;
    case FORCE_DRAG:
        f.c[0] = uniform(&k->state, 0.1, 2.0);
        f.c[1] = uniform(&k->state, 0.1, 0.5);
        break;
    default:
        break;
    }
    s->forces[s->nforce++] = f;
}

// ---- equations ----------------------------------------------------------------------------------

static void make_variable(maker *k)
{
    spec *s = k->s;
    spec_variable *x = s->variables + s->nvariable++;
    *x = (spec_variable){.there = true};
    x->kind = below(&k->state, k->f->events ? 4 : 3);
    x->joint = random_coordinate(k);
    s->samples = s->samples || x->kind == SAMPLED;
    x->at = uniform(&k->state, -0.5, 0.5);
    x->rate = uniform(&k->state, -0.5, 0.5);
    x->mass = uniform(&k->state, 0.3, 2.0);
    x->k = x->kind == SAMPLED ? uniform(&k->state, 0.04, 0.2) : uniform(&k->state, 2, 30);
    x->c = uniform(&k->state, 0, 1);
    x->gain = uniform(&k->state, -1, 1);
    for (int i = 0; i < s->nforce; i++) { // and acts back
        spec_force *f = s->forces + i;
        bool acts = f->kind == FORCE_JOINT_EFFORT || f->kind == FORCE_ACTUATOR;
        if (!acts || f->feels >= 0) continue;
        f->feels = s->nvariable - 1;
        f->gain = uniform(&k->state, -5, 5);
        break;
    }
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
    k.rest = loops && chance(&k, 2);     // else velocities are guesses there
    k.bends = f->modal && chance(&k, 8); // they cost most
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
    for (int i = 0; i < out->njoint; i++) { // |N| is rounded off by a part of the weight
        if (v3_norm(out->gravity) == 0.0) out->joints[i].friction[0] = 0.0;
    }
    int forces = f->forces ? below(&k.state, SPEC_FORCES) : 0;
    for (int i = 0; i < forces; i++) make_force(&k);
    int variables = f->equations ? below(&k.state, SPEC_VARIABLES) : 0;
    for (int i = 0; i < variables; i++) make_variable(&k);
}
