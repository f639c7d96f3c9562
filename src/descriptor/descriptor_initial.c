// descriptor_initial.c - the initial state, with the starts of joints applied to all that hangs on
// them.
//
// A spanning tree of the joints is walked from the ground. Moving joint j by its start is a rigid
// motion T_j in the initial configuration; everything outboard moves by the product of the T along its path. The
// tree prefers joints that have a start, so that a loop is opened elsewhere. A beam moves as a whole, with
// its first node.
#include "descriptor/descriptor_parts.h"
#include "joint/joint.h"

#include <stdlib.h>

typedef struct placed { // rigid motion of a body away from its drawing, and its motion
    m33 R;
    v3 d;              // x -> R x + d
    v3 v, w;           // velocity at the ground's origin
    int parent, joint; // -1: a root
    bool second;       // the body is the joint's second
} placed;

// Where a joint's start asks to be.
typedef struct wish {
    bool coordinate;
    double value;
    flx_coordinate which;
} wish;

// A motion counts as a start of its value at t = 0, where the joint has none of its own. Rates, of starts and of
// motions, are met by the least change of the velocities that the bodies were given.
static wish wish_of(const flx_descriptor *d, int j, const double *motions)
{
    const flx_joint *joint = d->model->joints + j;
    wish w = {joint->start_coordinate, joint->start_value, FLX_COORDINATE_NONE};
    if (w.coordinate || joint->start_rate || d->motion_of_joint[j] < 0) return w;
    const double *m = motions + 3 * d->motion_of_joint[j];
    switch (joint->motion) {
    case FLX_MOTION_ANGLE:
        return (wish){true, m[0], FLX_COORDINATE_ANGLE};
    case FLX_MOTION_DISPLACEMENT:
        return (wish){true, m[0], FLX_COORDINATE_DISPLACEMENT};
    case FLX_MOTION_RATE:
    case FLX_MOTION_NONE:
        break;
    }
    return w;
}

// A gear hands on what one of its joints is asked for, through any number of gears.
static void mesh(const flx_model *m, wish *w)
{
    bool more = true;
    while (more) {
        more = false;
        for (int g = 0; g < m->njoint; g++) {
            const flx_joint *gear = m->joints + g;
            if (!gear->kind->on_joints) continue;
            for (int side = 0; side < 2; side++) {
                const wish *from = w + gear->joint[side];
                wish *to = w + gear->joint[1 - side];
                double ratio = side == 0 ? gear->ratio : 1.0 / gear->ratio;
                if (!isfinite(ratio) || !from->coordinate || to->coordinate) continue;
                to->coordinate = more = true;
                to->value = ratio * from->value;
            }
        }
    }
}

static v3 initial_place(const flx_model *m, int body, const double at[3])
{
    if (body < 0) return v3_load(at);
    const flx_body *b = m->bodies + body;
    return v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(at)));
}

// Initial axis of a joint, in ground axes. In the plane angles turn about z.
static v3 initial_axis(const flx_descriptor *d, const flx_joint *j, bool angle)
{
    if (d->planar && angle) return v3_make(0, 0, 1);
    v3 a = m33_col(m33_load(j->frame[0]), 2);
    return j->body[0] < 0 ? a : m33_mul_v(m33_load(d->model->bodies[j->body[0]].R), a);
}

// The coordinates that a start of joint j moves, for one unit of it: angle, displacement.
static void joint_motion(const flx_descriptor *d, int j, const wish *w, double *angle,
                         double *displacement)
{
    const flx_joint *joint = d->model->joints + j;
    flx_coordinate which = w->which;
    if (which == FLX_COORDINATE_NONE) which = flx_joint_own_coordinate(d->model, j);
    *angle = which == FLX_COORDINATE_ANGLE ? 1.0 : 0.0;
    *displacement = 1.0 - *angle;
    if (joint->kind->threaded && joint->pitch != 0) {
        double per_radian = joint->pitch / (2.0 * FLX_PI);
        if (*angle > 0) {
            *displacement = per_radian;
        } else {
            *angle = 1.0 / per_radian;
        }
    }
}

// ---- spanning tree ------------------------------------------------------------------------------

static int root_of(int *set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

// The body of a joint, or the one that carries it, or that it moves with: lead (nbody).
static int moved(const flx_model *m, const int *lead, int j, int side)
{
    int body = flx_model_carrier(m, m->joints[j].body[side]);
    return body < 0 ? body : lead[body];
}

static void find_leads(const flx_model *m, int *lead)
{
    for (int i = 0; i < m->nbody; i++) {
        lead[i] = m->bodies[i].follows > 0 ? m->bodies[i].follows - 1 : i;
    }
}

static bool connects(const flx_model *m, int j)
{
    return !m->joints[j].kind->on_joints;
}

// Names of items, or what orders them else: not their order in the file, on which a start must not depend.
typedef struct named {
    const char *name;
    double mass;
    int number;
} named;

// The heaviest first, then by name.
static int by_rank(const void *x, const void *y)
{
    const named *a = x, *b = y;
    if (a->mass != b->mass) return a->mass < b->mass ? 1 : -1;
    int c = strcmp(a->name, b->name);
    return c ? c : (a->number > b->number) - (a->number < b->number);
}

static named *sorted(const flx_descriptor *d, bool joints)
{
    const flx_model *m = d->model;
    int n = joints ? m->njoint : m->nbody;
    named *list = flx_alloc(d->base.ctx, (size_t)n, sizeof *list);
    for (int i = 0; list && i < n; i++) {
        list[i] = joints ? (named){m->joints[i].name, 0.0, i}
                         : (named){m->bodies[i].name, m->bodies[i].mass, i};
    }
    if (list && n > 0) qsort(list, (size_t)n, sizeof *list, by_rank);
    return list;
}

// Joints of the tree, those with a start first. in_tree (njoint); set (nbody + 1) is scratch.
static void choose_tree(const flx_descriptor *d, const int *lead, const wish *wishes,
                        const named *joints, bool *in_tree, int *set)
{
    const flx_model *m = d->model;
    for (int i = 0; i <= m->nbody; i++) set[i] = i;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < m->njoint; k++) {
            int j = joints[k].number;
            if (!connects(m, j) || wishes[j].coordinate != (pass == 0)) continue;
            int a = root_of(set, moved(m, lead, j, 0) + 1);
            int b = root_of(set, moved(m, lead, j, 1) + 1);
            if (a == b) continue;
            in_tree[j] = true;
            set[a] = b;
        }
    }
}

// Order the bodies outward from the ground (then from the heaviest that was not reached), with the joint each
// hangs on. order (nbody + 1) holds body + 1.
typedef struct tree {
    int *order, *first, *next; // owned together; lists of half-joints at each body + 1
    const int *lead;
    bool *in_tree;
} tree;

static void walk(const flx_descriptor *d, const tree *t, const named *bodies, placed *p)
{
    const flx_model *m = d->model;
    for (int i = 0; i <= m->nbody; i++) {
        t->first[i] = -1;
        p[i].parent = -2;
    }
    for (int j = m->njoint - 1; j >= 0; j--) {
        for (int side = 0; side < 2 && t->in_tree[j]; side++) {
            int b = moved(m, t->lead, j, side) + 1;
            t->next[2 * j + side] = t->first[b];
            t->first[b] = 2 * j + side;
        }
    }
    int tail = 0, head = 0;
    for (int k = 0; k <= m->nbody; k++) {
        int root = k == 0 ? 0 : bodies[k - 1].number + 1;
        if (p[root].parent != -2) continue;
        p[root].parent = p[root].joint = -1;
        t->order[tail++] = root;
        while (head < tail) {
            int b = t->order[head++];
            for (int e = t->first[b]; e >= 0; e = t->next[e]) {
                int side = e & 1, c = moved(m, t->lead, e / 2, 1 - side) + 1;
                if (p[c].parent != -2) continue;
                p[c].parent = b;
                p[c].joint = e / 2;
                p[c].second = side == 0;
                t->order[tail++] = c;
            }
        }
    }
}

// ---- motions along the tree ---------------------------------------------------------------------

// Rotation by `angle` about the drawn axis through p and translation along it, before what the
// parent does.
static void move_body(const flx_descriptor *d, placed *b, const placed *parent, const wish *w)
{
    const flx_joint *j = d->model->joints + b->joint;
    b->R = parent->R;
    b->d = parent->d;
    if (!w->coordinate) return;
    double angle, displacement, sign = b->second ? 1.0 : -1.0;
    joint_motion(d, b->joint, w, &angle, &displacement);
    v3 turn = v3_scale(sign * angle * w->value, initial_axis(d, j, true));
    v3 slide = v3_scale(sign * displacement * w->value, initial_axis(d, j, false));
    v3 p = initial_place(d->model, j->body[0], j->at[0]);
    m33 R = quat_to_m33(quat_exp(turn));
    v3 t = v3_add(v3_sub(p, m33_mul_v(R, p)), slide); // x -> p + R (x - p) + slide
    b->d = v3_add(m33_mul_v(parent->R, t), parent->d);
    b->R = m33_mul(parent->R, R);
}

// The motion that a body was given, which its place alone changes: angular velocity, and velocity of the
// body's extension at the ground's origin.
static void given_motion(const flx_model *m, int body, placed *b)
{
    if (body < 0) return;
    const flx_body *from = m->bodies + body;
    const flx_body_start *start = &from->start;
    v3 w = v3_load(start->angular_velocity), position = v3_load(from->position);
    v3 origin = v3_load(start->origin), x = v3_add(m33_mul_v(b->R, position), b->d);
    if (m->dimension == 2) w = v3_make(0, 0, start->angular_velocity[2]);
    v3 moved = v3_sub(v3_add(m33_mul_v(b->R, origin), b->d), origin);
    v3 arm = v3_sub(position, origin), turned = v3_sub(m33_mul_v(b->R, arm), arm);
    v3 v = v3_add(v3_load(start->velocity), v3_cross(v3_load(start->carried), moved));
    v = v3_add(v, v3_cross(w, turned));
    b->w = from->type == FLX_BODY_POINT ? v3_make(0, 0, 0) : w;
    b->v = v3_sub(v, v3_cross(b->w, x));
}

// ---- state --------------------------------------------------------------------------------------

static void store_body(const flx_descriptor *d, int i, const placed *b, double turned, flx_state *x)
{
    const flx_body *from = d->model->bodies + i;
    double *q = x->q + d->body_q[i], *v = x->v + d->body_v[i];
    m33 R = m33_mul(b->R, m33_load(from->R));
    v3 com = v3_add(v3_load(from->position), m33_mul_v(m33_load(from->R), v3_load(from->com)));
    v3 r = v3_add(m33_mul_v(b->R, com), b->d), dr = v3_add(b->v, v3_cross(b->w, r));
    bool rigid = from->type == FLX_BODY_RIGID;
    if (d->planar) {
        q[0] = r.x, q[1] = r.y;
        v[0] = dr.x, v[1] = dr.y;
        if (rigid) q[2] = from->angle + turned, v[2] = b->w.z;
        return;
    }
    v3_store(q, r);
    v3_store(v, dr);
    if (!rigid) return;
    quat_store(q + 3, quat_from_m33(R));
    v3_store(v + 3, m33_tmul_v(R, b->w));
}

static void store_variables(const flx_descriptor *d, flx_state *x)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->nvariable; i++) {
        x->q[d->variable_q + i] = m->variables[i].at;
        x->v[d->variable_v + i] = m->variables[i].rate;
    }
    for (int i = 0; i < m->nfirst; i++) {
        const flx_first_order *f = m->firsts + i;
        (f->algebraic ? x->w : x->x)[f->number] = f->at;
    }
}

// Angles that count turns begin at their start, or in the half turn about the drawing.
static void store_switches(const flx_descriptor *d, flx_descriptor_work *w, const wish *wishes,
                           flx_state *x)
{
    for (int j = 0; j < d->model->njoint; j++) {
        int k = d->switch_of_joint[j];
        if (k < 0) continue;
        double angle, displacement;
        joint_motion(d, j, wishes + j, &angle, &displacement);
        x->switches[k] = wishes[j].coordinate ? angle * wishes[j].value : 0.0;
        if (d->turns[k].curve) x->switches[k] = (double)NAN; // the nearest of all
    }
    flx_eval_follow(d, w, x);
}

static void place_all(const flx_descriptor *d, const tree *t, const wish *wishes, placed *p,
                      double *turned, flx_state *x)
{
    const flx_model *m = d->model;
    for (int k = 0; k <= m->nbody; k++) {
        int i = t->order[k];
        placed *b = p + i;
        if (b->parent < 0) {
            b->R = m33_identity();
        } else {
            const wish *w = wishes + b->joint;
            double angle, displacement;
            joint_motion(d, b->joint, w, &angle, &displacement);
            move_body(d, b, p + b->parent, w);
            turned[i] = turned[b->parent];
            if (w->coordinate) turned[i] += (b->second ? 1.0 : -1.0) * angle * w->value;
        }
        given_motion(m, i - 1, b);
        if (i > 0) store_body(d, i - 1, b, turned[i], x);
    }
}

// What moves with the first node of its beam. A slope turns, and is nowhere.
static void place_attached(const flx_descriptor *d, const int *lead, const placed *p,
                           const double *turned, flx_state *x)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->nbody; i++) {
        int k = lead[i] + 1;
        placed b = p[k];
        if (lead[i] == i) continue;
        if (m->bodies[i].slope) {
            const flx_body *o = m->bodies + i;
            v3 r = m33_mul_v(b.R, v3_load(o->position));
            double q[3], dq[3];
            v3_store(q, r);
            v3_store(dq, v3_cross(v3_load(o->start.angular_velocity), r));
            memcpy(x->q + d->body_q[i], q, (size_t)d->body_nv[i] * sizeof *q);
            memcpy(x->v + d->body_v[i], dq, (size_t)d->body_nv[i] * sizeof *dq);
            continue;
        }
        given_motion(m, i, &b);
        store_body(d, i, &b, turned[k], x);
    }
}

static void eval_motions(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    flx_eval_motions(d, w, &p);
}

flx_status flx_descriptor_draw(const flx_system *s, flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    size_t nb = (size_t)m->nbody + 1, nj = (size_t)m->njoint;
    flx_status status = FLX_ERR_MEMORY;
    flx_work *w = s->ops->work_create(s);
    placed *p = flx_alloc(s->ctx, nb, sizeof *p);
    double *turned = flx_alloc(s->ctx, nb, sizeof *turned);
    int *ints = flx_alloc(s->ctx, 4 * nb + 2 * nj, sizeof *ints);
    bool *in_tree = flx_alloc(s->ctx, nj, sizeof *in_tree);
    wish *wishes = flx_alloc(s->ctx, nj, sizeof *wishes);
    named *joints = sorted(d, true), *bodies = sorted(d, false);
    if (!w || !p || !turned || !ints || !in_tree || !wishes || !joints || !bodies) goto done;
    x->t = 0.0;
    store_variables(d, x);
    flx_descriptor_events_start(d, x);
    flx_descriptor_events.settle(s, w, x); // motions depend on switches of the time
    eval_motions(d, flx_descriptor_work_of(w), x);
    const double *motions = flx_eval_output(d, flx_descriptor_work_of(w), FLX_GROUP_TIME);
    tree t = {.order = ints,
              .first = ints + nb,
              .lead = ints + 3 * nb,
              .next = ints + 4 * nb,
              .in_tree = in_tree};
    find_leads(m, ints + 3 * nb);
    for (int j = 0; j < m->njoint; j++) wishes[j] = wish_of(d, j, motions);
    mesh(m, wishes);
    choose_tree(d, t.lead, wishes, joints, in_tree, ints + 2 * nb);
    walk(d, &t, bodies, p);
    place_all(d, &t, wishes, p, turned, x);
    place_attached(d, t.lead, p, turned, x);
    store_switches(d, flx_descriptor_work_of(w), wishes, x);
    flx_descriptor_events.settle(s, w, x);
    status = FLX_OK;

done:
    if (w) s->ops->work_destroy(w);
    flx_free(p);
    flx_free(turned);
    flx_free(ints);
    flx_free(in_tree);
    flx_free(wishes);
    flx_free(joints);
    flx_free(bodies);
    return status;
}

flx_status flx_descriptor_drawn(const flx_descriptor *d, flx_state **x, flx_descriptor_work **w)
{
    *w = NULL;
    FLX_TRY(flx_state_create(&d->base, x));
    flx_status status = flx_descriptor_draw(&d->base, *x);
    if (status == FLX_OK) *w = flx_descriptor_work_of(d->base.ops->work_create(&d->base));
    if (status == FLX_OK && !*w) status = FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_state_destroy(x);
    return status;
}
