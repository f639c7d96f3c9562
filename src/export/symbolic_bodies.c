// symbolic_bodies.c - links and bodies in motion, as nodes over q and v: (TREE-2), (TREE-3) at v' = 0, and
// the way to the coordinates of bodies (TREE-10).
#include "export/symbolic.h"

static flx_node input(const flx_symbolic *x, int kind, int index)
{
    return flx_graph_leaf(x->g, flx_export_leaf(kind, index, 0));
}

// What is exported are the joint's own coordinates, whichever way the tree runs.
static double sign_of(const flx_link *l)
{
    return l->against ? -1.0 : 1.0;
}

// ---- joints -------------------------------------------------------------------------------------

static n33 turn_about_z(const flx_symbolic *x, const flx_link *l)
{
    flx_graph *g = x->g;
    flx_node angle = input(x, FLX_EXPORT_Q, l->q), c = flx_graph_unary(g, FLX_OP_COS, angle);
    flx_node s = node_scale(g, sign_of(l), flx_graph_unary(g, FLX_OP_SIN, angle));
    flx_node zero = node_const(g, 0.0), one = node_const(g, 1.0);
    return (n33){{c, node_neg(g, s), zero, s, c, zero, zero, zero, one}};
}

// quat_to_m33 of math/small.h
static n33 turn_by_quaternion(flx_graph *g, const flx_node q[4])
{
    flx_node two = node_const(g, 2.0), one = node_const(g, 1.0), p[4][4];
    for (int i = 0; i < 4; i++) {
        for (int j = i; j < 4; j++) p[i][j] = node_mul(g, q[i], q[j]);
    }
#define TWICE_SUM(a, b) node_mul(g, two, node_add(g, a, b))
#define TWICE_LESS(a, b) node_mul(g, two, node_sub(g, a, b))
    return (n33){{node_sub(g, one, TWICE_SUM(p[2][2], p[3][3])), TWICE_LESS(p[1][2], p[0][3]),
                  TWICE_SUM(p[1][3], p[0][2]), TWICE_SUM(p[1][2], p[0][3]),
                  node_sub(g, one, TWICE_SUM(p[1][1], p[3][3])), TWICE_LESS(p[2][3], p[0][1]),
                  TWICE_LESS(p[1][3], p[0][2]), TWICE_SUM(p[2][3], p[0][1]),
                  node_sub(g, one, TWICE_SUM(p[1][1], p[2][2]))}};
#undef TWICE_SUM
#undef TWICE_LESS
}

static v3 unit(int axis)
{
    return v3_make(axis == 0, axis == 1, axis == 2);
}

// What each freedom moves: flx_tree_expand of unit rates of the joint.
static void set_freedoms(const flx_symbolic *x, const flx_link *l, flx_node pitch, flx_freedom *s)
{
    bool planar = x->t.k.planar;
    s->n = flx_link_freedom(l->kind, planar);
    for (int k = 0; k < s->n; k++) {
        v3 about = v3_make(0, 0, 0), slide = about;
        switch (l->kind) {
        case FLX_LINK_TURN:
            about = unit(2);
            break;
        case FLX_LINK_SLIDE:
            slide = unit(planar ? 0 : 2);
            break;
        case FLX_LINK_SCREW:
            about = unit(2);
            slide = unit(2); // times the pitch
            break;
        case FLX_LINK_BALL:
            about = unit(k);
            break;
        case FLX_LINK_SHIFT:
            slide = unit(k);
            break;
        case FLX_LINK_BEND:
            break;
        }
        s->turn[k] = n3_const(x->g, v3_scale(sign_of(l), about));
        s->slide[k] = n3_const(x->g, v3_scale(sign_of(l), slide));
        if (l->kind == FLX_LINK_SCREW) s->slide[k] = n3_scale(x->g, pitch, s->slide[k]);
    }
}

static bool turns_about_z(const flx_link *l)
{
    return l->kind == FLX_LINK_TURN || l->kind == FLX_LINK_SCREW;
}

static void place(const flx_symbolic *x, const flx_link *l, flx_symbolic_link *o)
{
    flx_graph *g = x->g;
    n3 d = n3_zero(g);
    o->moved = n33_rotation(g, m33_identity());
    if (turns_about_z(l)) o->moved = turn_about_z(x, l);
    if (l->kind == FLX_LINK_BALL) {
        flx_node q[4];
        for (int k = 0; k < 4; k++) q[k] = input(x, FLX_EXPORT_Q, l->q + k);
        o->moved = turn_by_quaternion(g, q);
    } else {
        for (int k = 0; k < o->s.n; k++) { // along axes that the joint does not turn
            d = n3_axpy(g, input(x, FLX_EXPORT_Q, l->q + k), o->s.slide[k], d);
        }
    }
    o->R = n33_mul(g, o->fixed, o->moved);
    o->r = n3_add(g, o->at, n33_mul_v(g, o->fixed, d));
}

static void move(const flx_symbolic *x, const flx_link *l, const flx_symbolic_link *p,
                 flx_symbolic_link *o)
{
    flx_graph *g = x->g;
    flx_node two = node_const(g, 2.0);
    for (int k = 0; k < o->s.n; k++) {
        flx_node rate = input(x, FLX_EXPORT_V, l->v + k);
        o->wr = n3_axpy(g, rate, o->s.turn[k], o->wr);
        o->vr = n3_axpy(g, rate, o->s.slide[k], o->vr);
    }
    n3 carried = n33_tmul_v(g, o->R, p->w), turned = n3_cross(g, p->w, o->r);
    o->w = n3_add(g, carried, o->wr);
    o->v = n3_add(g, n33_tmul_v(g, o->R, n3_add(g, p->v, turned)), o->vr);
    o->alpha = n3_add(g, n33_tmul_v(g, o->R, p->alpha), n3_cross(g, carried, o->wr));
    o->alpha = n3_add(g, o->alpha, o->wa);
    n3 a = n3_add(g, p->a, n3_cross(g, p->alpha, o->r));
    a = n3_add(g, a, n3_cross(g, p->w, turned));
    o->a = n3_axpy(g, two, n3_cross(g, carried, o->vr), n33_tmul_v(g, o->R, a));
    o->a = n3_add(g, o->a, o->va);
    o->G = n33_mul(g, p->G, o->R);
    o->p = n3_add(g, p->p, n33_mul_v(g, p->G, o->r));
    o->angle = node_add(g, p->angle, o->offset);
    if (turns_about_z(l))
        o->angle = node_add(g, o->angle, node_scale(g, sign_of(l), input(x, FLX_EXPORT_Q, l->q)));
    if (o->bend < 0) return;
    const flx_bend *b = x->t.bends + o->bend; // its own turn is not in the offset
    flx_node bent = x->bends[o->bend].angle;
    o->angle = node_add(g, o->angle, b->inward ? node_neg(g, bent) : bent);
}

// ---- bodies -------------------------------------------------------------------------------------

static void move_body(flx_symbolic *x, int i)
{
    flx_graph *g = x->g;
    const flx_symbolic_mount *at = x->mounts + i;
    const flx_symbolic_link *l = x->links + 1 + x->t.mounts[i].link;
    flx_node_body *b = x->bodies + i;
    n33 R = at->R;
    n3 c = at->p, turned = n3_cross(g, l->w, c);
    b->position = n3_add(g, l->p, n33_mul_v(g, l->G, c));
    b->R = n33_mul(g, l->G, R);
    b->velocity = n33_mul_v(g, l->G, n3_add(g, l->v, turned));
    b->spin = n33_tmul_v(g, R, l->w);
    n3 a = n3_add(g, n3_add(g, l->a, n3_cross(g, l->alpha, c)), n3_cross(g, l->w, turned));
    b->acceleration = n33_mul_v(g, l->G, a);
    b->spin_rate = n33_tmul_v(g, R, l->alpha);
    b->angle = node_add(g, l->angle, at->angle);
}

static void add_mass(flx_symbolic *x, int i)
{
    flx_graph *g = x->g;
    const flx_body *b = x->m->bodies + i;
    const flx_symbolic_mount *at = x->mounts + i;
    flx_symbolic_link *l = x->links + 1 + x->t.mounts[i].link;
    bool turns = b->type == FLX_BODY_RIGID;
    flx_node mass = node_open(g, b->mass, b->mass_open), J[9];
    for (int k = 0; k < 9; k++) {
        J[k] = turns ? node_open(g, b->inertia[k], b->inertia_open[k]) : node_const(g, 0.0);
    }
    n33 own = n33_zero(g);
    if (x->t.k.planar) {
        own.m[8] = J[8];
    } else {
        for (int k = 0; k < 9; k++) own.m[k] = J[k];
        own = n33_turn(g, at->R, own, true);
    }
    l->m = node_add(g, l->m, mass);
    l->h = n3_axpy(g, mass, at->p, l->h);
    l->J = n33_add(g, l->J, own);
    n33 S = n33_skew(g, at->p), steiner = n33_mul_t(g, S, S); // -p~ p~
    for (int k = 0; k < 9; k++) {
        l->J.m[k] = node_add(g, l->J.m[k], node_mul(g, steiner.m[k], mass));
    }
}

void flx_symbolic_move(flx_symbolic *x)
{
    flx_graph *g = x->g;
    n3 zero = n3_zero(g);
    for (int i = 0; i <= x->n; i++) {
        flx_symbolic_link *l = x->links + i;
        l->w = l->v = l->alpha = l->a = l->p = l->h = zero;
        l->wr = l->vr = l->wa = l->va = zero;
        l->bend = -1;
        l->m = l->angle = node_const(g, 0.0);
        l->J = n33_zero(g);
        l->R = l->G = n33_rotation(g, m33_identity());
        x->applied[i] = (flx_node_wrench){zero, zero};
    }
    for (int i = 0; i < x->n; i++) {
        const flx_link *l = x->t.links + i;
        flx_symbolic_link *o = x->links + 1 + i;
        set_freedoms(x, l, o->pitch, &o->s);
        if (l->kind == FLX_LINK_BEND) {
            flx_symbolic_bend_link(x, i);
        } else {
            place(x, l, o);
        }
        move(x, l, x->links + 1 + l->parent, o);
    }
    for (int i = 0; i < x->m->nbody; i++) {
        move_body(x, i);
        add_mass(x, i);
    }
    flx_symbolic_elastic_move(x);
    flx_symbolic_attached_move(x);
}
