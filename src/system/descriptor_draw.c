// descriptor_draw.c - the state as drawn, with the starts of joints applied to all that hangs on
// them.
//
// A spanning tree of the joints is walked from the ground. Moving joint j by its start is a rigid
// motion T_j in the drawing; everything outboard moves by the product of the T along its path. The
// tree prefers joints that have a start, so that a loop is opened elsewhere. A beam moves as a whole, with
// its first node.
#include "system/descriptor_parts.h"

typedef struct placed { // rigid motion of a body away from its drawing, and its motion
    m33 R;
    v3 d;    // x -> R x + d
    v3 v, w; // of the drawn body, then as the starts demand: velocity at the ground's origin
    int parent, joint; // -1: a root
    bool second;       // the body is the joint's second
} placed;

// What a joint's start asks for.
typedef struct wish {
    bool coordinate, rate;
    double value, speed;
    flx_coordinate which;
} wish;

// A motion counts as a start of its value at t = 0, where the joint has none of its own. Its speed
// does not: it is met by the least change of the velocities that the bodies were given.
static wish wish_of(const flx_descriptor *d, int j, const double *motions)
{
    const flx_joint *joint = d->model->joints + j;
    wish w = {joint->start_coordinate, joint->start_rate, joint->start_value,
              joint->start_rate_value, FLX_COORDINATE_NONE};
    if (w.coordinate || w.rate || d->motion_of_joint[j] < 0) return w;
    const double *m = motions + 3 * d->motion_of_joint[j];
    switch (joint->motion) {
    case FLX_MOTION_ANGLE:
        return (wish){true, false, m[0], 0.0, FLX_COORDINATE_ANGLE};
    case FLX_MOTION_DISPLACEMENT:
        return (wish){true, false, m[0], 0.0, FLX_COORDINATE_DISPLACEMENT};
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
            if (gear->type != FLX_JOINT_GEAR) continue;
            for (int side = 0; side < 2; side++) {
                const wish *from = w + gear->joint[side];
                wish *to = w + gear->joint[1 - side];
                double ratio = side == 0 ? gear->ratio : 1.0 / gear->ratio;
                if (!isfinite(ratio)) continue;
                if (from->coordinate && !to->coordinate) {
                    to->coordinate = more = true;
                    to->value = ratio * from->value;
                }
                if (from->rate && !to->rate) {
                    to->rate = more = true;
                    to->speed = ratio * from->speed;
                }
            }
        }
    }
}

static v3 drawn_place(const flx_model *m, int body, const double at[3])
{
    if (body < 0) return v3_load(at);
    const flx_body *b = m->bodies + body;
    return v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(at)));
}

// Axis of a joint as drawn, in ground axes. In the plane angles turn about z.
static v3 drawn_axis(const flx_descriptor *d, const flx_joint *j, bool angle)
{
    if (d->planar && angle) return v3_make(0, 0, 1);
    v3 a = m33_col(m33_load(j->frame[0]), 2);
    return j->body[0] < 0 ? a : m33_mul_v(m33_load(d->model->bodies[j->body[0]].R), a);
}

// The coordinates that a start of joint j moves: angle, displacement, and the speed of each for one
// unit of the start's rate.
static void joint_motion(const flx_descriptor *d, int j, const wish *w, double *angle,
                         double *displacement)
{
    const flx_joint *joint = d->model->joints + j;
    flx_coordinate which = w->which;
    if (which == FLX_COORDINATE_NONE) which = flx_joint_own_coordinate(d->model, j);
    *angle = which == FLX_COORDINATE_ANGLE ? 1.0 : 0.0;
    *displacement = 1.0 - *angle;
    if (joint->type == FLX_JOINT_SCREW && joint->pitch != 0) {
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
    flx_joint_type t = m->joints[j].type;
    return t != FLX_JOINT_GEAR;
}

// Joints of the tree, those with a start first. in_tree (njoint); set (nbody + 1) is scratch.
static void choose_tree(const flx_descriptor *d, const int *lead, const wish *wishes, bool *in_tree,
                        int *set)
{
    const flx_model *m = d->model;
    for (int i = 0; i <= m->nbody; i++) set[i] = i;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < m->njoint; j++) {
            bool first = wishes[j].coordinate || wishes[j].rate;
            if (!connects(m, j) || first != (pass == 0)) continue;
            int a = root_of(set, moved(m, lead, j, 0) + 1);
            int b = root_of(set, moved(m, lead, j, 1) + 1);
            if (a == b) continue;
            in_tree[j] = true;
            set[a] = b;
        }
    }
}

// Order the bodies outward from the ground (then from every body not reached), with the joint each
// hangs on. order (nbody + 1) holds body + 1.
typedef struct tree {
    int *order, *first, *next; // owned together; lists of half-joints at each body + 1
    const int *lead;
    bool *in_tree;
} tree;

static void walk(const flx_descriptor *d, const tree *t, placed *p)
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
    for (int root = 0; root <= m->nbody; root++) {
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
    v3 turn = v3_scale(sign * angle * w->value, drawn_axis(d, j, true));
    v3 slide = v3_scale(sign * displacement * w->value, drawn_axis(d, j, false));
    v3 p = drawn_place(d->model, j->body[0], j->at[0]);
    m33 R = quat_to_m33(quat_exp(turn));
    v3 t = v3_add(v3_sub(p, m33_mul_v(R, p)), slide); // x -> p + R (x - p) + slide
    b->d = v3_add(m33_mul_v(parent->R, t), parent->d);
    b->R = m33_mul(parent->R, R);
}

// Motion of a drawn body, turned with it: angular velocity, and velocity of the body's extension at
// the ground's origin.
static void drawn_motion(const flx_model *m, int body, placed *b)
{
    if (body < 0) return;
    const flx_body *from = m->bodies + body;
    v3 w = v3_load(from->angular_velocity), v = v3_load(from->velocity);
    if (m->dimension == 2) w = v3_make(0, 0, from->angular_velocity[2]);
    if (from->type == FLX_BODY_POINT) w = v3_make(0, 0, 0);
    v3 x = v3_add(m33_mul_v(b->R, v3_load(from->position)), b->d);
    b->w = m33_mul_v(b->R, w);
    b->v = v3_sub(m33_mul_v(b->R, v), v3_cross(b->w, x));
}

// Add what is missing to the relative speed of the joint; `extra` is what the parent was given.
static void move_faster(const flx_descriptor *d, placed *b, const placed *parent, const wish *w,
                        v3 extra[2])
{
    const flx_model *m = d->model;
    b->v = v3_add(b->v, extra[0]);
    b->w = v3_add(b->w, extra[1]);
    if (!w->rate) return;
    const flx_joint *j = m->joints + b->joint;
    const placed *holder = b->second ? parent : b; // moves with the joint's first
    double angle, displacement, sign = b->second ? 1.0 : -1.0;
    joint_motion(d, b->joint, w, &angle, &displacement);
    v3 turn = m33_mul_v(holder->R, drawn_axis(d, j, true));
    v3 slide = m33_mul_v(holder->R, drawn_axis(d, j, false));
    v3 p = v3_add(m33_mul_v(holder->R, drawn_place(m, j->body[0], j->at[0])), holder->d);
    v3 dw = v3_scale(sign, v3_sub(b->w, parent->w)); // second relative to first
    v3 dv = v3_scale(
        sign, v3_sub(v3_add(b->v, v3_cross(b->w, p)), v3_add(parent->v, v3_cross(parent->w, p))));
    v3 add_w = v3_make(0, 0, 0), add_v = add_w;
    if (angle != 0) {
        add_w = v3_scale(sign * (angle * w->speed - v3_dot(dw, turn)), turn);
        add_v = v3_cross(p, add_w); // at the origin
    }
    if (displacement != 0) {
        double missing = displacement * w->speed - v3_dot(dv, slide);
        add_v = v3_add(add_v, v3_scale(sign * missing, slide));
    }
    b->v = v3_add(b->v, add_v);
    b->w = v3_add(b->w, add_w);
    extra[0] = v3_add(extra[0], add_v);
    extra[1] = v3_add(extra[1], add_w);
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
static void store_switches(const flx_descriptor *d, flx_work *w, const wish *wishes, flx_state *x)
{
    for (int j = 0; j < d->model->njoint; j++) {
        int k = d->switch_of_joint[j];
        if (k < 0) continue;
        double angle, displacement;
        joint_motion(d, j, wishes + j, &angle, &displacement);
        x->switches[k] = wishes[j].coordinate ? angle * wishes[j].value : 0.0;
    }
    flx_eval_accept(&d->base, w, x);
}

// extra: two vectors a body, what starts added to its motion.
static void place_all(const flx_descriptor *d, const tree *t, const wish *wishes, placed *p,
                      v3 *extra, double *turned, flx_state *x)
{
    const flx_model *m = d->model;
    for (int k = 0; k <= m->nbody; k++) {
        int i = t->order[k];
        placed *b = p + i;
        if (b->parent < 0) {
            b->R = m33_identity();
            drawn_motion(m, i - 1, b);
        } else {
            const wish *w = wishes + b->joint;
            double angle, displacement;
            joint_motion(d, b->joint, w, &angle, &displacement);
            move_body(d, b, p + b->parent, w);
            drawn_motion(m, i - 1, b);
            memcpy(extra + 2 * i, extra + 2 * b->parent, 2 * sizeof *extra);
            move_faster(d, b, p + b->parent, w, extra + 2 * i);
            turned[i] = turned[b->parent];
            if (w->coordinate) turned[i] += (b->second ? 1.0 : -1.0) * angle * w->value;
        }
        if (i > 0) store_body(d, i - 1, b, turned[i], x);
    }
}

// What moves with the first node of its beam. A slope turns, and is nowhere.
static void place_followers(const flx_descriptor *d, const int *lead, const placed *p,
                            const v3 *extra, const double *turned, flx_state *x)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->nbody; i++) {
        int k = lead[i] + 1;
        placed b = p[k];
        if (lead[i] == i) continue;
        if (m->bodies[i].slope) {
            const flx_body *o = m->bodies + i;
            v3 r = m33_mul_v(b.R, v3_load(o->position)), v = m33_mul_v(b.R, v3_load(o->velocity));
            double q[3], dq[3];
            v3_store(q, r);
            v3_store(dq, v3_add(v, v3_cross(extra[2 * k + 1], r)));
            memcpy(x->q + d->body_q[i], q, (size_t)d->body_nv[i] * sizeof *q);
            memcpy(x->v + d->body_v[i], dq, (size_t)d->body_nv[i] * sizeof *dq);
            continue;
        }
        drawn_motion(m, i, &b);
        b.v = v3_add(b.v, extra[2 * k]);
        b.w = v3_add(b.w, extra[2 * k + 1]);
        store_body(d, i, &b, turned[k], x);
    }
}

static void eval_motions(const flx_descriptor *d, flx_work *w, flx_state *x)
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
    v3 *extra = flx_alloc(s->ctx, 2 * nb, sizeof *extra);
    double *turned = flx_alloc(s->ctx, nb, sizeof *turned);
    int *ints = flx_alloc(s->ctx, 4 * nb + 2 * nj, sizeof *ints);
    bool *in_tree = flx_alloc(s->ctx, nj, sizeof *in_tree);
    wish *wishes = flx_alloc(s->ctx, nj, sizeof *wishes);
    if (!w || !p || !extra || !turned || !ints || !in_tree || !wishes) goto done;
    x->t = 0.0;
    store_variables(d, x);
    flx_instants_start(d, x);
    flx_descriptor_instants.settle(s, w, x); // motions depend on switches of the time
    eval_motions(d, w, x);
    const double *motions = flx_eval_output(d, w, FLX_GROUP_TIME);
    tree t = {.order = ints,
              .first = ints + nb,
              .lead = ints + 3 * nb,
              .next = ints + 4 * nb,
              .in_tree = in_tree};
    find_leads(m, ints + 3 * nb);
    for (int j = 0; j < m->njoint; j++) wishes[j] = wish_of(d, j, motions);
    mesh(m, wishes);
    choose_tree(d, t.lead, wishes, in_tree, ints + 2 * nb);
    walk(d, &t, p);
    place_all(d, &t, wishes, p, extra, turned, x);
    place_followers(d, t.lead, p, extra, turned, x);
    store_switches(d, w, wishes, x);
    flx_descriptor_instants.settle(s, w, x);
    status = FLX_OK;

done:
    if (w) s->ops->work_destroy(w);
    flx_free(p);
    flx_free(extra);
    flx_free(turned);
    flx_free(ints);
    flx_free(in_tree);
    flx_free(wishes);
    return status;
}
