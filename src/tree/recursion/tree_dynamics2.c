// tree_dynamics2.c - the recursions of tree_dynamics.h in the plane: three coordinates a link, with
// e = (-r_y, r_x), the velocity of a place r by a unit of angular velocity,
//     n = J alpha + b.a,   f = b alpha + M a,   b = (-h_y, h_x)                          (TREE-8)
//     J_p += J + 2 b.e + e.M e,   b_p += b + M e,   M_p += M                             (TREE-9)
// A link's slide is along its x axis.
#include "tree/recursion/tree_dynamics.h"

typedef struct v2 {
    double x, y;
} v2;

typedef struct planar { // (TREE-8)
    double J, bx, by, xx, xy, yy;
} planar;

static inline v2 across(v2 r)
{
    return (v2){-r.y, r.x};
}
static inline double dot(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}
static inline v2 turned(turn t, v2 a)
{
    turn_pair(t, &a.x, &a.y);
    return a;
}
static inline v2 turned_back(turn t, v2 a)
{
    turn_back(t, &a.x, &a.y);
    return a;
}

// What these recursions keep of a link, in the scratch of the spatial ones.
typedef struct state2 {
    turn phi;
    v2 r, bl, f, g, a, G;
    double w, n, ga, u, alpha;
    planar I;
} state2;
_Static_assert(sizeof(state2) <= sizeof(flx_link_state), "scratch is shared");

static inline void place(const flx_link *l, const double *q, state2 *s)
{
    q += l->q;
    s->phi = turn_of(l->kind == FLX_LINK_TURN ? l->offset + q[0] : l->offset);
    s->r = (v2){l->r.x, l->r.y};
    if (l->kind == FLX_LINK_TURN) return;
    v2 d = turned(s->phi, (v2){q[0], l->kind == FLX_LINK_SHIFT ? q[1] : 0.0});
    s->r.x += d.x;
    s->r.y += d.y;
}

static inline void expand(const flx_link *l, const double *v, double *w, v2 *t)
{
    *w = l->kind == FLX_LINK_TURN ? v[0] : 0.0;
    *t = (v2){l->kind == FLX_LINK_TURN ? 0.0 : v[0], l->kind == FLX_LINK_SHIFT ? v[1] : 0.0};
}

static inline void restrict_to(const flx_link *l, double n, v2 f, double *out)
{
    out[0] = l->kind == FLX_LINK_TURN ? n : f.x;
    if (l->kind == FLX_LINK_SHIFT) out[1] = f.y;
}

static inline void move(const flx_link *l, const state2 *parent, const double *v, const double *ext,
                        state2 *s)
{
    double w, wp = parent->w, ww = wp * wp;
    v2 t;
    expand(l, v + l->v, &w, &t);
    s->w = wp + w;
    s->bl = turned_back(s->phi, (v2){-ww * s->r.x, -ww * s->r.y});
    s->bl.x -= 2.0 * wp * t.y;
    s->bl.y += 2.0 * wp * t.x;
    ww = s->w * s->w;
    s->n = ext ? -ext[2] : 0.0;
    s->f = (v2){-ww * l->h.x - (ext ? ext[3] : 0.0), -ww * l->h.y - (ext ? ext[4] : 0.0)};
}

static inline planar rigid_inertia(const flx_link *l)
{
    return (planar){l->J.zz, -l->h.y, l->h.x, l->m, 0.0, l->m};
}

static void set_ground(const flx_linkage *k, state2 *ground)
{
    ground->w = ground->alpha = 0.0;
    ground->a = (v2){-k->gravity[0], -k->gravity[1]};
}

// (TREE-9) into the parent; K and (n, f) in the link's axes.
static inline void hand_on(const flx_link *l, state2 *s, state2 *parent, planar K, double n, v2 f)
{
    if (l->parent < 0) return;
    turn_symmetric(s->phi, &K.xx, &K.xy, &K.yy);
    v2 b = turned(s->phi, (v2){K.bx, K.by}), e = across(s->r);
    f = turned(s->phi, f);
    v2 Me = {K.xx * e.x + K.xy * e.y, K.xy * e.x + K.yy * e.y};
    parent->I.J += K.J + 2.0 * dot(b, e) + dot(e, Me);
    parent->I.bx += b.x + Me.x;
    parent->I.by += b.y + Me.y;
    parent->I.xx += K.xx;
    parent->I.xy += K.xy;
    parent->I.yy += K.yy;
    parent->n += n + dot(e, f);
    parent->f.x += f.x;
    parent->f.y += f.y;
}

// (TREE-5)
static inline bool reduce(const flx_link *l, state2 *s, state2 *parent, const double *tau)
{
    planar I = s->I, K = {0};
    double t = tau ? tau[0] : 0.0, D, n = s->n;
    v2 f = s->f, b = s->bl;
    switch (l->kind) {
    case FLX_LINK_TURN:
        D = I.J;
        s->g = (v2){I.bx / D, I.by / D};
        s->u = (t - n) / D;
        K.xx = I.xx - s->g.x * I.bx;
        K.xy = I.xy - s->g.x * I.by;
        K.yy = I.yy - s->g.y * I.by;
        f.x += K.xx * b.x + K.xy * b.y + I.bx * s->u;
        f.y += K.xy * b.x + K.yy * b.y + I.by * s->u;
        n = t;
        break;
    case FLX_LINK_SHIFT: {
        v2 rest = {t - f.x, (tau ? tau[1] : 0.0) - f.y};
        D = I.xx * I.yy - I.xy * I.xy;
        s->g = (v2){(rest.x * I.yy - rest.y * I.xy) / D, (rest.y * I.xx - rest.x * I.xy) / D};
        s->G = (v2){(I.bx * I.yy - I.by * I.xy) / D, (I.by * I.xx - I.bx * I.xy) / D};
        K.J = I.J - I.bx * s->G.x - I.by * s->G.y;
        n += I.bx * s->g.x + I.by * s->g.y;
        f = (v2){t, tau ? tau[1] : 0.0};
        break;
    }
    default: // a slide
        D = I.xx;
        s->ga = I.bx / D;
        s->g.y = I.xy / D;
        s->u = (t - f.x) / D;
        K.J = I.J - s->ga * I.bx;
        K.by = I.by - s->ga * I.xy;
        K.yy = I.yy - s->g.y * I.xy;
        n += K.by * b.y + I.bx * s->u;
        f = (v2){t, f.y + K.yy * b.y + I.xy * s->u};
        break;
    }
    hand_on(l, s, parent, K, n, f);
    return D > 0.0;
}

// (TREE-7)
static inline void accelerate(const flx_link *l, const state2 *parent, state2 *s, double *qdd)
{
    double alpha = parent->alpha;
    v2 e = across(s->r), a = {parent->a.x + alpha * e.x, parent->a.y + alpha * e.y};
    a = turned_back(s->phi, a);
    a.x += s->bl.x;
    a.y += s->bl.y;
    switch (l->kind) {
    case FLX_LINK_TURN:
        qdd[0] = s->u - alpha - dot(s->g, a);
        alpha += qdd[0];
        break;
    case FLX_LINK_SHIFT: {
        v2 x = {s->g.x - s->G.x * alpha, s->g.y - s->G.y * alpha};
        qdd[0] = x.x - a.x;
        qdd[1] = x.y - a.y;
        a = x;
        break;
    }
    default:
        qdd[0] = s->u - s->ga * alpha - a.x - s->g.y * a.y;
        a.x += qdd[0];
        break;
    }
    s->alpha = alpha;
    s->a = a;
}

int flx_linkage2_forward(const flx_linkage *k, flx_link_state *states, const double *q,
                         const double *v, const double *tau, const double *ext, double *a)
{
    state2 *s = (state2 *)(void *)states + 1;
    int singular = -1;
    set_ground(k, s - 1);
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        place(l, q, s + i);
        move(l, s + l->parent, v, ext ? ext + 6 * i : NULL, s + i);
        s[i].I = rigid_inertia(l);
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        bool fine = reduce(l, s + i, s + l->parent, tau ? tau + l->v : NULL);
        if (!fine && singular < 0) singular = i;
    }
    for (int i = 0; i < k->n; i++) {
        accelerate(k->links + i, s + k->links[i].parent, s + i, a + k->links[i].v);
    }
    return singular;
}

void flx_linkage2_inverse(const flx_linkage *k, flx_link_state *states, const double *q,
                          const double *v, const double *a, const double *ext, double *tau)
{
    state2 *s = (state2 *)(void *)states + 1;
    set_ground(k, s - 1);
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        const state2 *parent = s + l->parent;
        double dw;
        v2 dv;
        place(l, q, s + i);
        move(l, parent, v, ext ? ext + 6 * i : NULL, s + i);
        expand(l, a + l->v, &dw, &dv);
        v2 e = across(s[i].r);
        v2 x = {parent->a.x + parent->alpha * e.x, parent->a.y + parent->alpha * e.y};
        x = turned_back(s[i].phi, x);
        s[i].alpha = parent->alpha + dw;
        s[i].a = (v2){x.x + s[i].bl.x + dv.x, x.y + s[i].bl.y + dv.y};
        s[i].n += l->J.zz * s[i].alpha + l->h.x * s[i].a.y - l->h.y * s[i].a.x;
        s[i].f.x += l->m * s[i].a.x - l->h.y * s[i].alpha;
        s[i].f.y += l->m * s[i].a.y + l->h.x * s[i].alpha;
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        restrict_to(l, s[i].n, s[i].f, tau + l->v);
        if (l->parent < 0) continue;
        v2 f = turned(s[i].phi, s[i].f);
        s[l->parent].n += s[i].n + dot(across(s[i].r), f);
        s[l->parent].f.x += f.x;
        s[l->parent].f.y += f.y;
    }
}

static void fill_column(const flx_linkage *k, const state2 *s, int link, int freedom, double *M)
{
    const flx_link *l = k->links + link;
    double unit[3] = {0}, row[3] = {0}, w;
    int nv = k->nv, column = l->v + freedom;
    const planar *I = &s[link].I;
    v2 t;
    unit[freedom] = 1.0;
    expand(l, unit, &w, &t);
    double n = I->J * w + I->bx * t.x + I->by * t.y;
    v2 f = {I->bx * w + I->xx * t.x + I->xy * t.y, I->by * w + I->xy * t.x + I->yy * t.y};
    for (int i = link;; i = l->parent) {
        l = k->links + i;
        restrict_to(l, n, f, row);
        for (int j = 0; j < flx_link_freedom(l->kind, true); j++) {
            M[nv * (l->v + j) + column] = M[nv * column + l->v + j] = row[j];
        }
        if (l->parent < 0) return;
        f = turned(s[i].phi, f);
        n += dot(across(s[i].r), f);
    }
}

void flx_linkage2_mass(const flx_linkage *k, flx_link_state *states, const double *q, double *M)
{
    state2 *s = (state2 *)(void *)states + 1;
    memset(M, 0, (size_t)k->nv * (size_t)k->nv * sizeof *M);
    for (int i = 0; i < k->n; i++) {
        place(k->links + i, q, s + i);
        s[i].I = rigid_inertia(k->links + i);
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        for (int j = 0; j < flx_link_freedom(l->kind, true); j++) fill_column(k, s, i, j, M);
        hand_on(l, s + i, s + l->parent, s[i].I, 0.0, (v2){0, 0});
    }
}
