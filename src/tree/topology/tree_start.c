// tree_start.c - coordinates of the joints from the places of the bodies.
//
// Parents first. The links of one joint are moved from the drawing towards the place of the body by
// Gauss-Newton: with the error e of the last link's place in its own axes and the motions N of the
// joint's freedoms seen there,
//     min |N theta - e|,   q <- q (+) theta                                       (TREE-14)
// which is one step for joints with one axis. Rates follow from the same N.
#include "tree/recursion/tree_bends.h"
#include "tree/tree_parts.h"

#include <float.h>

#define MOST_STEPS 60
#define MOST_FREEDOM 6

typedef struct twist {
    v3 w, v;
} twist;

// Motion of the last link's origin and axes by each freedom of links first..last, in its axes.
static int motions(const flx_tree_links *t, const flx_link_frame *f, int first, int last, twist *N)
{
    int n = 0;
    const flx_link_frame *end = f + last;
    for (int i = first; i <= last; i++) {
        const flx_link *l = t->links + i;
        for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) {
            double unit[3] = {0, 0, 0};
            v3 w, d;
            unit[k] = 1.0;
            flx_tree_expand(&t->k, l, unit, &w, &d);
            w = m33_mul_v(f[i].R, w);
            d = v3_add(m33_mul_v(f[i].R, d), v3_cross(w, v3_sub(end->p, f[i].p)));
            N[n++] = (twist){m33_tmul_v(end->R, w), m33_tmul_v(end->R, d)};
        }
    }
    return n;
}

// min |N x - e| by the normal equations; turns: rotations count. False: they are singular.
static bool least_squares(int n, const twist *N, twist e, bool turns, double *x)
{
    double A[MOST_FREEDOM][MOST_FREEDOM];
    for (int i = 0; i < n; i++) {
        x[i] = v3_dot(N[i].v, e.v) + (turns ? v3_dot(N[i].w, e.w) : 0.0);
        for (int j = 0; j < n; j++) {
            A[i][j] = v3_dot(N[i].v, N[j].v) + (turns ? v3_dot(N[i].w, N[j].w) : 0.0);
        }
    }
    for (int j = 0; j < n; j++) {
        if (!(A[j][j] > 1e-14)) return false;
        for (int i = j + 1; i < n; i++) {
            double m = A[i][j] / A[j][j];
            for (int k = j; k < n; k++) A[i][k] -= m * A[j][k];
            x[i] -= m * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= A[i][k] * x[k];
        x[i] /= A[i][i];
    }
    return true;
}

typedef struct target { // of the last link
    m33 R;
    v3 p;
    double angle;
    v3 w, v; // ground axes
} target;

// Where the body's link must be, from the body's coordinates and velocities.
static target target_of(const flx_tree *t, int body, const flx_state *x)
{
    const flx_mount *m = t->t.mounts + body;
    const double *q = x->q + t->places.q[body], *v = x->v + t->places.v[body];
    bool planar = t->t.k.planar, turns = t->model->bodies[body].type == FLX_BODY_RIGID;
    target g = {.R = m33_identity()};
    v3 com = v3_make(q[0], q[1], planar ? 0.0 : q[2]);
    g.v = v3_make(v[0], v[1], planar ? 0.0 : v[2]);
    g.w = v3_make(0, 0, 0);
    if (turns && planar) {
        turn c = turn_of(q[2] - m->angle);
        g.R = (m33){{c.c, -c.s, 0, c.s, c.c, 0, 0, 0, 1}};
        g.angle = q[2] - m->angle;
        g.w.z = v[2];
    } else if (turns) {
        m33 R = quat_to_m33(quat_load(q + 3));
        g.R = m33_mul_t(R, m->R);
        g.w = m33_mul_v(R, v3_load(v + 3));
    }
    v3 c = m33_mul_v(g.R, m->p);
    g.p = v3_sub(com, c);
    g.v = v3_sub(g.v, v3_cross(g.w, c));
    return g;
}

static void retract_links(const flx_tree *t, int first, int last, const double *theta, double *q)
{
    for (int i = first; i <= last; i++) {
        const flx_link *l = t->t.links + i;
        flx_tree_retract_link(l, t->t.k.planar, q + l->q, theta + l->v - t->t.links[first].v,
                              q + l->q);
    }
}

static twist error_of(const flx_tree *t, const flx_link_frame *f, const target *g)
{
    twist e = {.v = m33_tmul_v(f->R, v3_sub(g->p, f->p))};
    e.w = t->t.k.planar ? v3_make(0, 0, g->angle - f->angle)
                        : quat_log(quat_from_m33(m33_tmul(f->R, g->R)));
    return e;
}

static flx_status place_body(const flx_tree *t, int body, const flx_state *from, flx_link_frame *f,
                             flx_state *x)
{
    const flx_mount *m = t->t.mounts + body;
    const flx_link *links = t->t.links;
    bool turns = t->model->bodies[body].type == FLX_BODY_RIGID;
    twist N[MOST_FREEDOM];
    double theta[MOST_FREEDOM], last = HUGE_VAL;
    if (m->first > m->link) return FLX_OK; // it belongs to the link of another body
    target g = target_of(t, body, from);
    bool done = false;
    for (int step = 0; step < MOST_STEPS && !done; step++) {
        for (int i = m->first; i <= m->link; i++) flx_tree_place_link(&t->t, i, x->q, f);
        int n = motions(&t->t, f, m->first, m->link, N);
        if (!least_squares(n, N, error_of(t, f + m->link, &g), turns, theta)) break;
        double size = 0.0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(theta[i]));
        retract_links(t, m->first, m->link, theta, x->q);
        done = size <= 4.0 * DBL_EPSILON || (size < 1e-12 && size > 0.5 * last);
        last = size;
    }
    for (int i = m->first; i <= m->link; i++) flx_tree_place_link(&t->t, i, x->q, f);
    if (!done) {
        return FLX_FAIL(t->base.ctx, FLX_NO_CONVERGENCE, t->model->bodies[body].loc,
                        "the coordinates of the joint that carries '%s' cannot be found from its "
                        "place; use another formulation",
                        t->model->bodies[body].name);
    }
    // rates: what the motion of the parent and of elastic bodies leaves
    const flx_link_frame *end = f + m->link;
    flx_tree_move_links(&t->t, f, m->first, m->link, x->v);
    twist e = {m33_tmul_v(end->R, v3_sub(g.w, end->w)), m33_tmul_v(end->R, v3_sub(g.v, end->v))};
    int n = motions(&t->t, f, m->first, m->link, N);
    (void)least_squares(n, N, e, turns, x->v + links[m->first].v);
    flx_tree_move_links(&t->t, f, m->first, m->link, x->v);
    return FLX_OK;
}

flx_status flx_tree_from_bodies(const flx_system *s, const flx_state *bodies, flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_dims *n = &s->dims;
    flx_link_frame *frames = flx_tree_frames_create(s->ctx, &t->t);
    if (!frames) return FLX_ERR_MEMORY;
    frames[0].R = m33_identity();
    x->t = bodies->t;
    memcpy(x->q, t->t.drawn, (size_t)t->t.k.nq * sizeof *x->q);
    memset(x->v, 0, (size_t)n->nv * sizeof *x->v);
    const flx_descriptor *d = flx_tree_inner(t);
    size_t variables = (size_t)t->nvariable;
    memcpy(x->q + t->t.k.nq, bodies->q + d->variable_q, variables * sizeof *x->q);
    memcpy(x->v + t->t.k.nv, bodies->v + d->variable_v, variables * sizeof *x->v);
    memcpy(x->x, bodies->x, (size_t)n->nx * sizeof *x->x);
    memcpy(x->w, bodies->w, (size_t)n->nw * sizeof *x->w);
    memcpy(x->switches, bodies->switches, (size_t)n->nswitch * sizeof *x->switches);
    flx_status status = FLX_OK;
    for (int i = 0; i < t->top.n && status == FLX_OK; i++) {
        status = place_body(t, t->top.nodes[i].body, bodies, frames + 1, x);
    }
    flx_free(frames);
    return status;
}
