// generate_forces.c - forces, contacts and equations of random models.
#include "maker.h"

#include <math.h>

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

static v3 free_node(maker *k, const spec_mesh *m)
{
    int i;
    do i = below(&k->state, m->nnode);
    while (m->start & (1u << i)); // these may be held
    return m->nodes[i];
}

v3 random_place(maker *k, int body)
{
    if (is_point(k->s, body)) return v3_make(0, 0, 0);
    const spec_mesh *m = body < 0 ? NULL : &k->s->bodies[body].mesh;
    if (m && k->s->bodies[body].kind == BODY_SOLID) return free_node(k, m);
    if (is_flexible(k->s, body)) return k->s->bodies[body].line;
    return random_vector(k, body < 0 ? 1.5 : 0.5);
}

void make_force(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .feels = -1};
    f.kind = (force_kind)below(&k->state, FORCE_CONTACT);
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
    bool joint = acts_on_joint(&f), acts = f.kind == FORCE_ACTUATOR || f.kind == FORCE_JOINT_EFFORT;
    f.input = k->f->inputs && acts && chance(k, 3);
    f.bound = uniform(&k->state, 1, 4);
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

// ---- contacts -----------------------------------------------------------------------------------

// A sphere of a body, at the end of one that bends, some way from a plane or another sphere.
void make_contact(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .kind = FORCE_CONTACT, .feels = -1};
    f.on[0] = below(&k->state, s->nbody + 1) - 1;
    f.on[1] = below(&k->state, s->nbody);
    if (f.on[0] == f.on[1] || is_point(s, f.on[0]) || is_flexible(s, f.on[0])) f.on[0] = GROUND;
    f.at[1] = random_place(k, f.on[1]);
    f.plane = chance(k, 2);
    f.touch = (touch_law)below(&k->state, TOUCHES);
    if (chance(k, 3)) f.touch = TOUCH_RIGID;
    for (int i = 0; i < 2; i++) f.radius[i] = uniform(&k->state, 0.05, 0.3);
    if (f.plane) f.radius[0] = 0.0;
    f.k[0] =
        f.touch == TOUCH_PENALTY ? uniform(&k->state, 500, 3000) : uniform(&k->state, 2e3, 2e4);
    f.c[0] = f.touch == TOUCH_PENALTY ? uniform(&k->state, 0, 10) : uniform(&k->state, 0, 0.5);
    f.restitution = chance(k, 3) && f.touch == TOUCH_RIGID ? 0.0 : uniform(&k->state, 0.5, 1.0);
    if (chance(k, 2)) f.friction[0] = uniform(&k->state, 0.1, 0.6);
    f.friction[1] = uniform(&k->state, 0.05, 0.3);
    v3 against = v3_scale(-0.2, s->gravity), centre = place_of(s, f.on[1], f.at[1]);
    v3 normal = v3_unit(v3_add(against, random_direction(k)));
    double far = f.radius[0] + f.radius[1] + uniform(&k->state, 0.01, 0.15);
    v3 p = v3_axpy(-far, normal, centre);
    f.at[0] = place_in(s, f.on[0], p);
    f.in_body = f.on[0] >= 0;
    f.value = f.in_body ? m33_tmul_v(s->bodies[f.on[0]].R, normal) : normal;
    s->forces[s->nforce++] = f;
}

// ---- equations ----------------------------------------------------------------------------------

// The last variable adds to the first law that has none.
static void act_back(maker *k)
{
    spec *s = k->s;
    for (int i = 0; i < s->nforce; i++) {
        spec_force *f = s->forces + i;
        bool acts = f->kind == FORCE_JOINT_EFFORT || f->kind == FORCE_ACTUATOR;
        if (!acts || f->feels >= 0) continue;
        f->feels = s->nvariable - 1;
        f->gain = uniform(&k->state, -5, 5);
        break;
    }
}

void make_variable(maker *k)
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
    act_back(k);
}

// A controller of a coordinate, which acts on the first force or torque that it can.
void make_controller(maker *k)
{
    spec *s = k->s;
    spec_variable *x = s->variables + s->nvariable++;
    *x = (spec_variable){.there = true, .kind = chance(k, 2) ? PID : PID_SAMPLED};
    x->joint = random_coordinate(k);
    x->at = uniform(&k->state, -0.5, 0.5);
    x->gain = uniform(&k->state, 0.3, 1.0) * (chance(k, 2) ? 1 : -1);
    x->k = uniform(&k->state, 0.5, 4);
    x->c = uniform(&k->state, 0.5, 6);
    x->mass = uniform(&k->state, 0.01, 0.2);
    x->rate = uniform(&k->state, 0.3, 3);
    x->filter = uniform(&k->state, 20, 60);
    x->sample = uniform(&k->state, 0.02, 0.1);
    s->samples = true; // what it remembers is not known at another time
    act_back(k);
}

// The last body where its springs, the last n forces, are in balance: which of several it is found in otherwise is chance.
static void find_balance(spec *s, int n)
{
    spec_body *b = s->bodies + s->nbody - 1;
    double most = 0.0;
    for (int i = 0; i < n; i++) most += s->forces[s->nforce - 1 - i].k[0];
    for (int step = 0; step < 20000; step++) {
        v3 force = v3_make(0, 0, 0);
        for (int i = 0; i < n; i++) {
            const spec_force *f = s->forces + s->nforce - 1 - i;
            v3 way = v3_sub(place_of(s, f->on[0], f->at[0]), b->position);
            double l = v3_norm(way);
            force = v3_axpy(f->k[0] * (l - f->rest) / l, way, force);
        }
        b->position = v3_axpy(1.0 / most, force, b->position);
        if (v3_norm(force) < 1e-13 * most) return;
    }
}

// A point without mass between springs, at least one more than there are directions: it is where they are in balance.
void make_massless(maker *k)
{
    spec *s = k->s;
    int n = s->dimension + 1 + below(&k->state, 2);
    if (s->nforce + n > SPEC_FORCES || s->nbody == SPEC_BODIES) return;
    spec_body *b = s->bodies + s->nbody++;
    *b = (spec_body){.there = true, .kind = BODY_POINT, .R = m33_identity()};
    b->position = random_vector(k, 1.0);
    bool rubs = chance(k, 2); // all of them have damping, or none
    for (int i = 0; i < n; i++) {
        spec_force f = {.there = true, .kind = FORCE_SPRING, .feels = -1};
        f.on[0] = below(&k->state, s->nbody) - 1;
        f.on[1] = s->nbody - 1;
        // from one place once: from fewer places than that it lies on their plane, and leaves it for either side
        for (int j = 1; j <= i; j++) {
            bool one = is_point(s, f.on[0]) || is_flexible(s, f.on[0]);
            if (one && s->forces[s->nforce - j].on[0] == f.on[0]) f.on[0] = GROUND;
        }
        f.at[0] = random_place(k, f.on[0]);
        f.k[0] = uniform(&k->state, 20, 200);
        f.c[0] = rubs ? uniform(&k->state, 0.5, 3) : 0.0;
        v3 way = v3_sub(place_of(s, f.on[0], f.at[0]), b->position);
        f.rest = uniform(&k->state, 0.3, 0.8) * v3_norm(way); // stretched
        s->forces[s->nforce++] = f;
    }
    find_balance(s, n);
}
