// tree_links.c - from joints to elementary links.
//
// A joint is laid out as a sequence of turns, slides, balls and shifts, each with its frame in the
// frame of the link before. Then every link with an axis is turned about it by a constant, so that
// one of the links on it is reached by a tilt alone (beta = 0 in TREE-2), and masses are collected.
#include "tree/topology/tree_links.h"

#include "joint/joint.h"

#include <float.h>

typedef struct pose {
    int link; // -1: the ground
    m33 R;
    v3 p;
} pose;

typedef struct layout {
    const flx_model *m;
    flx_linkage *k;
    flx_link *links;
    flx_mount *mounts; // of the bodies' frames, not yet of the centres of mass
    double *drawn;
    double *angle; // (links) planar: initial sum of all turns
    flx_tree_links *out;
    bool planar;
} layout;

static m33 initial_axes(const flx_model *m, int body)
{
    return body < 0 ? m33_identity() : m33_load(m->bodies[body].R);
}

// A link in a frame of another; its own frame is the result.
static pose add_link(layout *y, flx_link_kind kind, pose at, int body)
{
    flx_linkage *k = y->k;
    int i = k->n++, quaternion = kind == FLX_LINK_BALL;
    y->links[i] = (flx_link){.kind = kind,
                             .parent = at.link,
                             .q = k->nq,
                             .v = k->nv,
                             .R = at.R,
                             .r = at.p,
                             .body = body};
    if (quaternion) y->drawn[k->nq] = 1.0;
    k->nv += flx_link_freedom(kind, y->planar);
    k->nq += flx_link_freedom(kind, y->planar) + quaternion;
    y->angle[i] = at.link < 0 ? 0.0 : y->angle[at.link];
    if (y->planar) y->angle[i] += atan2(at.R.m[3], at.R.m[0]);
    return (pose){i, m33_identity(), {0, 0, 0}};
}

// The same link, other axes.
static pose with_axes(pose a, m33 R)
{
    return (pose){a.link, m33_mul(a.R, R), a.p};
}

static m33 axes_along(v3 a)
{
    v3 r = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? v3_make(1, 0, 0)
           : fabs(a.y) <= fabs(a.z)                         ? v3_make(0, 1, 0)
                                                            : v3_make(0, 0, 1);
    v3 x = v3_unit(v3_axpy(-v3_dot(r, a), a, r));
    return m33_from_cols(x, v3_cross(a, x), a);
}

// ---- joints -------------------------------------------------------------------------------------

typedef struct side {
    v3 at;
    m33 frame; // axes of the joint in the body's
    v3 axis;
} side;

static side side_of(const flx_joint *j, int s)
{
    return (side){v3_load(j->at[s]), m33_load(j->frame[s]), v3_load(j->axis[s])};
}

// ---- bends --------------------------------------------------------------------------------------

static const flx_modal *modal_of(const flx_model *m, int body)
{
    const flx_modal *e = m->modals;
    while (e->body != body) e++;
    return e;
}

static bool is_zero(int n, const double *x)
{
    for (int i = 0; x && i < n; i++) {
        if (x[i] != 0.0) return false;
    }
    return true;
}

// A node that no coordinate moves belongs to the body's frame.
static bool is_still(int n, const flx_elastic_node *x)
{
    return is_zero(3 * n, x->phi) && is_zero(3 * n, x->psi) && is_zero(3 * n * n, x->phi2) &&
           is_zero(3 * n * n, x->psi2);
}

// Planar: by how much a node is turned initially.
static double initial_turn(const flx_model *m, const flx_modal *e, const flx_elastic_node *x)
{
    const flx_variable *q = m->variables + e->first;
    double angle = atan2(x->R[3], x->R[0]);
    int n = e->e->n;
    for (int k = 0; k < n; k++) {
        angle += x->psi[3 * k + 2] * q[k].at;
        for (int l = 0; x->psi2 && l < n; l++) {
            angle += 0.5 * x->psi2[3 * (k * n + l) + 2] * q[k].at * q[l].at;
        }
    }
    return angle;
}

// From the frame of an elastic body to that of a node of it (a attached frame of the model), or back.
static pose bend(layout *y, pose at, int attached, bool inward)
{
    const flx_model *m = y->m;
    const flx_attached *f = m->attached + (attached - m->nbody);
    const flx_modal *e = modal_of(m, f->carrier);
    const flx_elastic_node *x = e->e->nodes + f->node;
    if (is_still(e->e->n, x)) {
        m33 R = m33_load(x->R);
        v3 s = v3_load(x->at);
        if (y->planar) s.z = 0.0;
        if (!inward) return (pose){at.link, m33_mul(at.R, R), v3_add(at.p, m33_mul_v(at.R, s))};
        R = m33_mul_t(at.R, R);
        return (pose){at.link, R, v3_sub(at.p, m33_mul_v(R, s))};
    }
    pose link = add_link(y, FLX_LINK_BEND, at, f->carrier);
    double turned = initial_turn(m, e, x);
    y->angle[link.link] += inward ? -turned : turned;
    y->links[link.link].bend = y->out->nbend;
    y->out->bends[y->out->nbend++] =
        (flx_bend){.e = e->e, .node = x, .first = e->first, .link = link.link, .inward = inward};
    return link;
}

// How far the carried body's place is along the axis initially: displacements are zero there.
static double initial_slide(const flx_model *m, const flx_joint *j, bool first)
{
    v3 p[2];
    for (int s = 0; s < 2; s++) {
        int b = j->body[s];
        p[s] = m33_mul_v(initial_axes(m, b), v3_load(j->at[s]));
        if (b >= 0) p[s] = v3_add(p[s], v3_load(m->bodies[b].position));
    }
    v3 axis = m33_mul_v(initial_axes(m, j->body[0]), m33_col(m33_load(j->frame[0]), 2));
    double apart = v3_dot(axis, v3_sub(p[1], p[0]));
    return first ? -apart : apart;
}

// The body's frame when the joint's frame on it is the link's, moved by d along its axes.
static pose hang(pose link, const side *s, v3 d)
{
    m33 R = m33_transpose(s->frame);
    return (pose){link.link, R, v3_sub(d, m33_mul_v(R, s->at))};
}

// Axes of the body that the joint carries in those of the one that carries it, initially.
static m33 initial_between(const layout *y, const flx_joint *j, bool first)
{
    return m33_tmul(initial_axes(y->m, j->body[first ? 1 : 0]),
                    initial_axes(y->m, j->body[first ? 0 : 1]));
}

// at: where the joint is on the parent, in the axes of the parent's body. C: axes of the body in
// those of the parent, initially.
static pose lay_universal(layout *y, pose at, const side *in, const side *out, m33 C, int body)
{
    m33 A = axes_along(in->axis), B = axes_along(m33_mul_v(C, out->axis));
    pose one = add_link(y, FLX_LINK_TURN, with_axes(at, A), body);
    pose two = add_link(y, FLX_LINK_TURN, with_axes(one, m33_tmul(A, B)), body);
    m33 R = m33_tmul(B, C);
    return (pose){two.link, R, v3_neg(m33_mul_v(R, out->at))};
}

// Axes whose third is an axis of the joint's frame.
static m33 axes_of(flx_joint_axis axis)
{
    if (axis == FLX_AXIS_X) return (m33){{0, 0, 1, 1, 0, 0, 0, 1, 0}}; // columns y, z, x
    if (axis == FLX_AXIS_Y) return (m33){{0, 1, 0, 0, 0, 1, 1, 0, 0}}; // columns z, x, y
    return m33_identity();
}

static flx_link_kind kind_of(flx_joint_element e)
{
    return e == FLX_ELEMENT_TURN    ? FLX_LINK_TURN
           : e == FLX_ELEMENT_SLIDE ? FLX_LINK_SLIDE
                                    : FLX_LINK_SCREW;
}

// Links along axes of the joint's frame; they end with one along the axis itself.
static pose lay_along(layout *y, const flx_joint *j, pose joint, const side *out, v3 apart,
                      int body)
{
    const flx_joint_kind *k = j->kind;
    flx_joint_axis last = FLX_AXIS_Z;
    pose at = joint;
    for (int i = 0; i < k->nlink; i++) {
        flx_joint_link l = k->link[i];
        if (l.axis != last) at = with_axes(at, m33_tmul(axes_of(last), axes_of(l.axis)));
        at = add_link(y, kind_of(l.element), at, body);
        if (l.element == FLX_ELEMENT_SCREW) y->links[at.link].pitch = j->pitch / (2.0 * FLX_PI);
        last = l.axis;
    }
    FLX_ASSERT(last == FLX_AXIS_Z);
    return hang(at, out, apart);
}

static pose lay_ball(layout *y, pose at, const side *out, m33 C, int body)
{
    if (y->m->bodies[body].type == FLX_BODY_POINT) return with_axes(at, C);
    pose link = add_link(y, FLX_LINK_BALL, with_axes(at, C), body);
    return (pose){link.link, m33_identity(), v3_neg(out->at)};
}

static pose lay_in_space(layout *y, const flx_joint *j, bool first, pose at, int body)
{
    const flx_joint_kind *k = j->kind;
    side in = side_of(j, first ? 1 : 0), out = side_of(j, first ? 0 : 1);
    pose joint = with_axes(at, in.frame);
    if (k->nlink == 0) { // it holds all
        m33 R = m33_mul_t(joint.R, out.frame);
        return (pose){at.link, R, v3_sub(at.p, m33_mul_v(R, out.at))};
    }
    if (k->link[0].element == FLX_ELEMENT_BALL) {
        return lay_ball(y, at, &out, initial_between(y, j, first), body);
    }
    if (k->link[0].axis == FLX_AXIS_OWN) {
        return lay_universal(y, at, &in, &out, initial_between(y, j, first), body);
    }
    double slide = k->displacement ? initial_slide(y->m, j, first) : 0.0;
    return lay_along(y, j, joint, &out, v3_make(0, 0, slide), body);
}

// A slide is along the link's x axis.
static pose lay_in_plane(layout *y, const flx_joint *j, bool first, pose at, int body)
{
    side in = side_of(j, first ? 1 : 0), out = side_of(j, first ? 0 : 1);
    bool point = y->m->bodies[body].type == FLX_BODY_POINT;
    const flx_joint_kind *k = j->kind;
    pose with = with_axes(at, initial_between(y, j, first)), link;
    FLX_ASSERT(k->nlink <= 1);
    if (k->nlink == 1 && k->link[0].element == FLX_ELEMENT_TURN && !point) {
        link = add_link(y, FLX_LINK_TURN, with, body);
        return (pose){link.link, m33_identity(), v3_neg(out.at)};
    }
    if (k->nlink == 1 && k->link[0].element == FLX_ELEMENT_SLIDE) {
        v3 z = v3_make(0, 0, 1), a = m33_col(in.frame, 2), b = m33_col(out.frame, 2);
        link =
            add_link(y, FLX_LINK_SLIDE, with_axes(at, m33_from_cols(a, v3_cross(z, a), z)), body);
        out.frame = m33_from_cols(b, v3_cross(z, b), z);
        return hang(link, &out, v3_make(initial_slide(y->m, j, first), 0, 0));
    }
    if (point) return with; // it is its own place
    return (pose){at.link, with.R, v3_sub(at.p, m33_mul_v(with.R, out.at))};
}

static m33 initial_link_axes(const layout *y, int parent_body)
{
    if (parent_body < 0) return m33_identity();
    return m33_mul_t(initial_axes(y->m, parent_body), y->mounts[parent_body].R);
}

// A body that is free: its centre of mass, then its rotation.
static pose lay_free(layout *y, int parent_link, int parent_body, int body)
{
    const flx_body *b = y->m->bodies + body;
    m33 D = initial_link_axes(y, parent_body), R = m33_tmul(D, m33_load(b->R));
    v3 com = v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(b->com)));
    pose at = {parent_link, m33_identity(), {0, 0, 0}};
    if (parent_body >= 0) { // its link's origin initially
        const flx_body *p = y->m->bodies + parent_body;
        v3 origin = v3_sub(v3_load(p->position), m33_mul_v(D, y->mounts[parent_body].p));
        com = m33_tmul_v(D, v3_sub(com, origin));
    }
    pose shift = add_link(y, FLX_LINK_SHIFT, at, body);
    double *q = y->drawn + y->links[shift.link].q;
    q[0] = com.x;
    q[1] = com.y;
    if (!y->planar) q[2] = com.z;
    if (b->type == FLX_BODY_POINT) return (pose){shift.link, R, {0, 0, 0}};
    pose last = add_link(y, y->planar ? FLX_LINK_TURN : FLX_LINK_BALL, shift, body);
    q = y->drawn + y->links[last.link].q;
    if (y->planar) {
        q[0] = b->angle - (parent_link < 0 ? 0.0 : y->angle[parent_link]);
        y->angle[last.link] += q[0];
    } else {
        quat_store(q, quat_from_m33(R));
    }
    return (pose){last.link, m33_identity(), v3_neg(v3_load(b->com))};
}

// The joint's angles and displacements are those of its second body relative to its first. Joints that move along
// several axes of their frame, or about any, have no other sign.
static void mark_against(layout *y, const flx_joint *j, int first)
{
    const flx_joint_link *l = j->kind->link;
    bool single =
        l->element != FLX_ELEMENT_BALL && (l->axis == FLX_AXIS_Z || l->axis == FLX_AXIS_OWN);
    for (int i = first; i < y->k->n; i++) {
        y->links[i].against = single && y->links[i].kind != FLX_LINK_BEND;
    }
}

static void lay_body(layout *y, const flx_topology *t, const flx_tree_body *node)
{
    const flx_model *m = y->m;
    int parent = node->parent < 0 ? FLX_BODY_GROUND : t->nodes[node->parent].body,
        body = node->body;
    pose base = {-1, m33_identity(), {0, 0, 0}}, own;
    int first = y->k->n;
    if (parent >= 0)
        base = (pose){y->mounts[parent].link, y->mounts[parent].R, y->mounts[parent].p};
    const flx_joint *j = node->joint < 0 ? NULL : m->joints + node->joint;
    if (!j || j->kind->link[0].element == FLX_ELEMENT_SHIFT) {
        own = lay_free(y, base.link, parent, body);
    } else {
        int from = j->body[node->first ? 1 : 0], to = j->body[node->first ? 0 : 1];
        bool point = parent >= 0 && m->bodies[parent].type == FLX_BODY_POINT;
        v3 at = point ? v3_make(0, 0, 0) : v3_load(j->at[node->first ? 1 : 0]);
        if (from >= m->nbody) base = bend(y, base, from, false);
        base.p = v3_add(base.p, m33_mul_v(base.R, at));
        own = y->planar ? lay_in_plane(y, j, node->first, base, body)
                        : lay_in_space(y, j, node->first, base, body);
        if (to >= m->nbody) own = bend(y, own, to, true);
        if (node->first) mark_against(y, j, first);
    }
    double angle = own.link < 0 ? 0.0 : y->angle[own.link];
    y->mounts[body] = (flx_mount){.link = own.link,
                                  .R = own.R,
                                  .p = own.p,
                                  .angle = m->bodies[body].angle - angle,
                                  .first = y->k->n > first ? first : own.link + 1};
}

// ---- frames for the recursions ------------------------------------------------------------------

static bool has_axis(const flx_link *l)
{
    return l->kind != FLX_LINK_BALL && l->kind != FLX_LINK_SHIFT && l->kind != FLX_LINK_BEND;
}

// Rz(beta) and sin(alpha) of Rz(beta) Rx(alpha) Rz(gamma), from the third column.
static turn beta_of(const m33 *R, double *sin_alpha)
{
    double s = hypot(R->m[2], R->m[5]);
    *sin_alpha = s > 4.0 * DBL_EPSILON ? s : 0.0;
    if (*sin_alpha == 0.0) return turn_make(1.0, 0.0);
    return turn_make(-R->m[5] / s, R->m[2] / s);
}

static m33 about_z(turn t)
{
    return (m33){{t.c, -t.s, 0, t.s, t.c, 0, 0, 0, 1}};
}

// R <- R Rz(t). + 0.0: a zero stays positive, so that an angle of half a turn keeps its sign.
static void turn_columns(m33 *R, turn t)
{
    for (int i = 0; i < 9; i += 3) {
        turn_back(t, R->m + i, R->m + i + 1);
        R->m[i] += 0.0;
        R->m[i + 1] += 0.0;
    }
}

// R, p <- Rz(t)^T R, Rz(t)^T p
static void turn_pose_back(turn t, m33 *R, v3 *p)
{
    for (int j = 0; j < 3; j++) {
        turn_back(t, R->m + j, R->m + 3 + j);
        R->m[j] += 0.0;
        R->m[3 + j] += 0.0;
    }
    turn_back(t, &p->x, &p->y);
}

// The frame of every link with an axis is turned about it, so that its last link with an axis has no
// beta. B (links): the turns.
static void turn_frames(layout *y, turn *B)
{
    for (int i = 0; i < y->k->n; i++) B[i] = turn_make(1.0, 0.0);
    for (int i = 0; i < y->k->n; i++) {
        const flx_link *l = y->links + i;
        bool both = l->parent >= 0 && has_axis(l) && has_axis(y->links + l->parent);
        double tilt;
        if (both) B[l->parent] = beta_of(&l->R, &tilt);
    }
    for (int i = 0; i < y->k->n; i++) {
        flx_link *l = y->links + i;
        turn_columns(&l->R, B[i]);
        if (l->parent >= 0) turn_pose_back(B[l->parent], &l->R, &l->r);
    }
    for (int b = 0; b < y->m->nbody; b++) {
        flx_mount *at = y->mounts + b;
        if (at->link >= 0) turn_pose_back(B[at->link], &at->R, &at->p);
    }
}

static void split_rotation(flx_link *l)
{
    double sin_alpha;
    turn beta = l->beta = beta_of(&l->R, &sin_alpha);
    l->turned = beta.s != 0.0 || beta.c != 1.0;
    turn alpha = l->alpha = turn_make(l->R.m[8], sin_alpha);
    m33 tilt = {{1, 0, 0, 0, alpha.c, -alpha.s, 0, alpha.s, alpha.c}};
    v3 x = m33_tmul_v(tilt, m33_tmul_v(about_z(beta), m33_col(l->R, 0)));
    l->offset = atan2(x.y, x.x);
}

// ---- masses -------------------------------------------------------------------------------------

static void add_mass(const flx_model *m, int body, const flx_mount *at, flx_link *l)
{
    const flx_body *b = m->bodies + body;
    double pp = v3_dot(at->p, at->p), mass = b->mass;
    sym3 J = {0};
    if (m->dimension == 2) J.zz = b->type == FLX_BODY_RIGID ? b->inertia[8] : 0.0;
    if (m->dimension == 3 && b->type == FLX_BODY_RIGID) {
        J = sym3_rotate(at->R, sym3_of(m33_load(b->inertia)));
    }
    v3 p = at->p;
    l->m += mass;
    l->h = v3_axpy(mass, p, l->h);
    l->J = sym3_add(l->J, J);
    l->J =
        sym3_add(l->J, (sym3){mass * (pp - p.x * p.x), -mass * p.x * p.y, -mass * p.x * p.z,
                              mass * (pp - p.y * p.y), -mass * p.y * p.z, mass * (pp - p.z * p.z)});
}

static void finish(layout *y)
{
    const flx_model *m = y->m;
    flx_linkage *k = y->k;
    for (int i = 0; i < k->n; i++) {
        flx_link *l = y->links + i;
        if (y->planar) {
            l->offset = atan2(l->R.m[3], l->R.m[0]);
        } else if (has_axis(l)) {
            split_rotation(l);
        }
        l->leaf = true;
    }
    for (int i = k->n - 1; i >= 0; i--) { // the first to be met is the last of its parent's
        flx_link *l = y->links + i;
        if (l->parent < 0) continue;
        l->last = y->links[l->parent].leaf;
        y->links[l->parent].leaf = false;
    }
    for (int b = 0; b < m->nbody; b++) {
        flx_mount *at = y->mounts + b;
        at->p = v3_add(at->p, m33_mul_v(at->R, v3_load(m->bodies[b].com)));
        if (at->link >= 0) add_mass(m, b, at, y->links + at->link);
    }
}

void flx_tree_links_clear(flx_tree_links *t)
{
    flx_free(t->links);
    flx_free(t->mounts);
    flx_free(t->drawn);
    flx_free(t->bends);
    *t = (flx_tree_links){0};
}

static int most_links(const flx_topology *t)
{
    return 5 * t->n; // a joint has at most three links, between two bends
}

size_t flx_tree_links_scratch(const flx_topology *t)
{
    return (size_t)most_links(t) * (sizeof(turn) + sizeof(double));
}

void flx_tree_links_fill(const flx_model *m, const flx_topology *t, void *scratch,
                         flx_tree_links *out)
{
    turn *B = scratch;
    layout y = {.m = m,
                .k = &out->k,
                .links = out->links,
                .mounts = out->mounts,
                .drawn = out->drawn,
                .angle = (double *)(void *)(B + most_links(t)),
                .out = out,
                .planar = m->dimension == 2};
    memset(out->mounts, 0, (size_t)m->nbody * sizeof *out->mounts);
    memset(out->drawn, 0, 7 * (size_t)t->n * sizeof *out->drawn);
    out->k = (flx_linkage){.planar = y.planar, .links = out->links};
    out->nbend = 0;
    for (int i = 0; i < t->n; i++) lay_body(&y, t, t->nodes + i);
    if (!y.planar) turn_frames(&y, B);
    finish(&y);
    memcpy(out->k.gravity, m->gravity, sizeof m->gravity);
}

flx_status flx_tree_links_take(flx_ctx *ctx, const flx_model *m, const flx_topology *t,
                               flx_tree_links *out)
{
    *out = (flx_tree_links){0};
    out->links = flx_alloc(ctx, (size_t)most_links(t), sizeof *out->links);
    out->mounts = flx_alloc(ctx, (size_t)m->nbody, sizeof *out->mounts);
    out->drawn = flx_alloc(ctx, 7 * (size_t)t->n, sizeof *out->drawn);
    out->bends = flx_alloc(ctx, 2 * (size_t)t->n, sizeof *out->bends);
    if (out->links && out->mounts && out->drawn && out->bends) return FLX_OK;
    flx_tree_links_clear(out);
    return FLX_ERR_MEMORY;
}

flx_status flx_tree_links_create(const flx_model *m, const flx_topology *t, flx_tree_links *out)
{
    FLX_TRY(flx_tree_links_take(m->ctx, m, t, out));
    void *scratch = flx_alloc(m->ctx, 1, flx_tree_links_scratch(t));
    if (scratch) flx_tree_links_fill(m, t, scratch, out);
    flx_free(scratch);
    if (scratch) return FLX_OK;
    flx_tree_links_clear(out);
    return FLX_ERR_MEMORY;
}
