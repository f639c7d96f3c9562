// symbolic_elastic.c - elastic bodies as nodes: their inertia (MOD-1) to (MOD-4), their nodes (FLX-2) to (FLX-5), and links that move
// by their coordinates (BEND-1). In the plane motions are those of the plane, and a turn is an angle.
#include "export/symbolic.h"

static flx_node coordinate(const flx_symbolic *x, int kind, int variable)
{
    int first = kind == FLX_EXPORT_Q ? x->t.k.nq : x->t.k.nv;
    return flx_graph_leaf(x->g, flx_export_leaf(kind, first + variable, 0));
}

static n3 in_plane(const flx_symbolic *x, const double a[3], bool turns)
{
    v3 v = v3_load(a);
    if (x->t.k.planar) v = turns ? v3_make(0, 0, v.z) : v3_make(v.x, v.y, 0);
    return n3_const(x->g, v);
}

// a + a_k q_k + a_kl q_k q_l/2 with its slopes (n). turns: rotations.
static n3 series(const flx_symbolic *x, int n, int first, bool turns, n3 a, const double *a1,
                 const double *a2, n3 *slopes)
{
    flx_graph *g = x->g;
    for (int k = 0; k < n; k++) {
        n3 one = in_plane(x, a1 + 3 * k, turns), more = n3_zero(g);
        for (int l = 0; a2 && l < n; l++) {
            n3 second = in_plane(x, a2 + 3 * (n * l + k), turns);
            more = n3_axpy(g, coordinate(x, FLX_EXPORT_Q, first + l), second, more);
        }
        n3 half = n3_add(g, one, n3_scale(g, node_const(g, 0.5), more));
        a = n3_axpy(g, coordinate(x, FLX_EXPORT_Q, first + k), half, a);
        slopes[k] = n3_add(g, one, more);
    }
    return a;
}

static n3 along_rates(const flx_symbolic *x, int n, int first, const n3 *a)
{
    n3 sum = n3_zero(x->g);
    for (int k = 0; k < n; k++) {
        sum = n3_axpy(x->g, coordinate(x, FLX_EXPORT_V, first + k), a[k], sum);
    }
    return sum;
}

// The rate at constant rates of the coordinates.
static n3 rate_of(flx_symbolic *x, int n, int first, n3 a)
{
    n3 sum = n3_zero(x->g);
    for (int k = 0; k < n; k++) {
        n3 slope;
        for (int c = 0; c < 3; c++) {
            slope.c[c] = flx_symbolic_partial(x, a.c[c], FLX_EXPORT_Q, x->t.k.nq + first + k);
        }
        sum = n3_axpy(x->g, coordinate(x, FLX_EXPORT_V, first + k), slope, sum);
    }
    return sum;
}

// ---- nodes ---------------------------------------------------------------------------------------

static n33 outer(flx_graph *g, n3 a, n3 b)
{
    n33 C;
    for (int i = 0; i < 9; i++) C.m[i] = node_mul(g, a.c[i / 3], b.c[i % 3]);
    return C;
}

static n33 scaled(flx_graph *g, flx_node s, n33 A)
{
    for (int i = 0; i < 9; i++) A.m[i] = node_mul(g, s, A.m[i]);
    return A;
}

// The rotation by psi, and H of (FLX-4).
static n33 turn_by(flx_graph *g, n3 psi, n33 *H)
{
    flx_node one = node_const(g, 1.0), quarter = node_const(g, 0.25), half = node_const(g, 0.5);
    n33 P = n33_skew(g, psi), I = n33_rotation(g, m33_identity());
    flx_node c = node_sqrt(g, node_sub(g, one, node_mul(g, quarter, n3_dot(g, psi, psi))));
    *H = n33_add(g, scaled(g, c, I), scaled(g, node_div(g, quarter, c), outer(g, psi, psi)));
    *H = n33_add(g, *H, scaled(g, half, P));
    n33 Q = n33_add(g, scaled(g, c, P), scaled(g, half, n33_mul(g, P, P)));
    return n33_add(g, I, Q);
}

static n33 turn_in_plane(flx_graph *g, flx_node angle)
{
    flx_node c = flx_graph_unary(g, FLX_OP_COS, angle), s = flx_graph_unary(g, FLX_OP_SIN, angle);
    flx_node zero = node_const(g, 0.0), one = node_const(g, 1.0);
    return (n33){{c, node_neg(g, s), zero, s, c, zero, zero, zero, one}};
}

static bool find_node(flx_symbolic *x, int n, int first, const flx_elastic_node *node,
                      flx_symbolic_node *o)
{
    flx_graph *g = x->g;
    o->xk = flx_arena_take(x->arena, (size_t)n, sizeof *o->xk);
    o->sk = flx_arena_take(x->arena, (size_t)n, sizeof *o->sk);
    if (!o->xk || !o->sk) return false;
    n3 psi = series(x, n, first, true, n3_zero(g), node->psi, node->psi2, o->xk);
    o->s = series(x, n, first, false, in_plane(x, node->at, false), node->phi, node->phi2, o->sk);
    o->angle = node_add(g, psi.c[2], node_const(g, atan2(node->R[3], node->R[0])));
    if (x->t.k.planar) {
        o->R = turn_in_plane(g, o->angle);
    } else {
        n33 H, Q = turn_by(g, psi, &H);
        o->R = n33_mul(g, Q, n33_rotation(g, m33_load(node->R)));
        for (int k = 0; k < n; k++) o->xk[k] = n33_mul_v(g, H, o->xk[k]);
    }
    o->sd = along_rates(x, n, first, o->sk);
    o->x = along_rates(x, n, first, o->xk);
    o->sa = rate_of(x, n, first, o->sd);
    o->xa = rate_of(x, n, first, o->x);
    return true;
}

// ---- links ---------------------------------------------------------------------------------------

// A node that was made for a frame of the model, or a new one; NULL: no memory.
static flx_symbolic_node *node_of_bend(flx_symbolic *x, const flx_bend *b)
{
    const flx_model *m = x->m;
    for (int i = 0; i < m->nattached; i++) {
        const flx_symbolic_elastic *o = x->elastic;
        while (m->modals[o - x->elastic].body != m->attached[i].carrier) o++;
        if (o->first == b->first && o->e->nodes + m->attached[i].node == b->node)
            return x->nodes + i;
    }
    return NULL;
}

void flx_symbolic_bend_link(flx_symbolic *x, int i)
{
    flx_graph *g = x->g;
    const flx_link *l = x->t.links + i;
    const flx_bend *b = x->t.bends + l->bend;
    flx_symbolic_link *o = x->links + 1 + i;
    flx_symbolic_bend *to = x->bends + l->bend;
    const flx_symbolic_node *s = node_of_bend(x, b);
    int n = b->e->n;
    o->bend = l->bend;
    to->angle = s->angle;
    o->fixed = n33_rotation(g, l->R);
    o->moved = b->inward ? n33_transpose(s->R) : s->R;
    o->R = n33_mul(g, o->fixed, o->moved);
    if (b->inward) {
        o->r = n3_sub(g, n3_const(g, l->r), n33_mul_v(g, o->R, s->s));
        for (int k = 0; k < n; k++) {
            to->turn[k] = n3_sub(g, n3_zero(g), s->xk[k]);
            to->slide[k] = n3_sub(g, n3_cross(g, s->xk[k], s->s), s->sk[k]);
        }
        n3 around = n3_sub(g, n3_scale(g, node_const(g, 2.0), s->sd), n3_cross(g, s->x, s->s));
        o->wa = n3_sub(g, n3_zero(g), s->xa);
        o->va = n3_add(g, n3_sub(g, n3_cross(g, s->xa, s->s), s->sa), n3_cross(g, s->x, around));
    } else {
        o->r = n3_add(g, n3_const(g, l->r), n33_mul_v(g, o->fixed, s->s));
        for (int k = 0; k < n; k++) {
            to->turn[k] = n33_tmul_v(g, s->R, s->xk[k]);
            to->slide[k] = n33_tmul_v(g, s->R, s->sk[k]);
        }
        o->wa = n33_tmul_v(g, s->R, s->xa);
        o->va = n33_tmul_v(g, s->R, s->sa);
    }
    o->wr = along_rates(x, n, b->first, to->turn);
    o->vr = along_rates(x, n, b->first, to->slide);
}

// ---- inertia -------------------------------------------------------------------------------------

static n33 full(const flx_symbolic *x, const double s[6])
{
    flx_graph *g = x->g;
    m33 J = {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}};
    if (x->t.k.planar) J = (m33){{0, 0, 0, 0, 0, 0, 0, 0, s[2]}};
    n33 A;
    for (int i = 0; i < 9; i++) A.m[i] = node_const(g, J.m[i]);
    return A;
}

static void find_inertia(flx_symbolic *x, flx_symbolic_elastic *o)
{
    flx_graph *g = x->g;
    const flx_elastic *e = o->e;
    int n = o->n, f = o->first;
    flx_node half = node_const(g, 0.5);
    o->S = series(x, n, f, false, in_plane(x, e->S0, false), e->S1, e->S2, o->Sk);
    o->Sd = along_rates(x, n, f, o->Sk);
    o->Sdd = rate_of(x, n, f, o->Sd);
    o->J = full(x, e->J0);
    o->Jd = n33_zero(g);
    o->N = o->Nd = n3_zero(g);
    for (int k = 0; k < n; k++) {
        flx_node q = coordinate(x, FLX_EXPORT_Q, f + k), u = coordinate(x, FLX_EXPORT_V, f + k);
        n33 one = full(x, e->J1 + 6 * k), more = n33_zero(g);
        n3 rate = n3_zero(g), other = rate;
        o->Nk[k] = in_plane(x, e->N0 + 3 * k, true);
        for (int l = 0; l < n; l++) {
            flx_node ql = coordinate(x, FLX_EXPORT_Q, f + l),
                     ul = coordinate(x, FLX_EXPORT_V, f + l);
            if (e->J2) more = n33_add(g, more, scaled(g, ql, full(x, e->J2 + 6 * (n * l + k))));
            if (!e->N1) continue;
            n3 lk = in_plane(x, e->N1 + 3 * (n * l + k), true);
            o->Nk[k] = n3_axpy(g, ql, lk, o->Nk[k]);
            rate = n3_axpy(g, ul, lk, rate);
            other = n3_axpy(g, ul, in_plane(x, e->N1 + 3 * (n * k + l), true), other);
        }
        o->Jk[k] = n33_add(g, one, more);
        o->J = n33_add(g, o->J, scaled(g, q, n33_add(g, one, scaled(g, half, more))));
        o->Jd = n33_add(g, o->Jd, scaled(g, u, o->Jk[k]));
        o->N = n3_axpy(g, u, o->Nk[k], o->N);
        o->Nd = n3_axpy(g, u, rate, o->Nd);
        o->turn[k] = n3_sub(g, rate, other);
    }
}

void flx_symbolic_elastic_force(const flx_symbolic *x, const flx_symbolic_elastic *o, n3 w,
                                n3 alpha, n3 b, const flx_node *u, flx_node_wrench *on,
                                flx_node *own)
{
    flx_graph *g = x->g;
    const flx_elastic *e = o->e;
    int n = o->n;
    flx_node m = node_const(g, e->m), half = node_const(g, 0.5), two = node_const(g, 2.0);
    n3 around = n3_axpy(g, two, o->Sd, n3_cross(g, w, o->S));
    n3 spin = n3_add(g, n33_mul_v(g, o->J, w), o->N);
    on->f = n3_axpy(g, m, b, n3_cross(g, alpha, o->S));
    on->f = n3_add(g, on->f, n3_add(g, n3_cross(g, w, around), o->Sdd));
    on->n = n3_add(g, n3_cross(g, o->S, b), n33_mul_v(g, o->J, alpha));
    on->n = n3_add(g, on->n, n3_add(g, n33_mul_v(g, o->Jd, w), o->Nd));
    on->n = n3_add(g, on->n, n3_cross(g, w, spin));
    for (int k = 0; k < n; k++) {
        flx_node sum = node_const(g, e->k0[k]);
        for (int l = 0; l < n; l++) {
            int kl = n * k + l;
            flx_node q = coordinate(x, FLX_EXPORT_Q, o->first + l);
            flx_node v = coordinate(x, FLX_EXPORT_V, o->first + l);
            sum = node_add(g, sum, node_scale(g, e->K[kl], q));
            sum = node_add(g, sum, node_scale(g, e->D[kl], v));
            if (u) sum = node_add(g, sum, node_scale(g, e->M[kl], u[l]));
        }
        sum = node_add(g, sum, node_add(g, n3_dot(g, o->Sk[k], b), n3_dot(g, o->Nk[k], alpha)));
        sum = node_add(g, sum, n3_dot(g, o->turn[k], w));
        flx_node square = n3_dot(g, w, n33_mul_v(g, o->Jk[k], w));
        own[k] = node_sub(g, sum, node_mul(g, half, square));
        if (!u) continue;
        on->f = n3_axpy(g, u[k], o->Sk[k], on->f);
        on->n = n3_axpy(g, u[k], o->Nk[k], on->n);
    }
}

// ---- all of them ---------------------------------------------------------------------------------

flx_status flx_symbolic_elastic_take(flx_symbolic *x)
{
    const flx_model *m = x->m;
    bool fine = true;
    x->bends = flx_arena_take(x->arena, (size_t)x->t.nbend, sizeof *x->bends);
    x->elastic = flx_arena_take(x->arena, (size_t)m->nmodal, sizeof *x->elastic);
    x->nodes = flx_arena_take(x->arena, (size_t)m->nattached, sizeof *x->nodes);
    x->elastic_of = flx_arena_take(x->arena, (size_t)x->nvariable, sizeof *x->elastic_of);
    if (!x->bends || !x->elastic || !x->nodes || !x->elastic_of) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nvariable; i++) x->elastic_of[i] = -1;
    for (int i = 0; i < m->nmodal; i++) {
        const flx_modal *from = m->modals + i;
        const flx_mount *at = x->t.mounts + from->body;
        size_t n = (size_t)from->e->n;
        flx_symbolic_elastic *o = x->elastic + i;
        *o = (flx_symbolic_elastic){
            .e = from->e, .n = (int)n, .first = from->first, .link = at->link};
        o->R = n33_rotation(x->g, at->R);
        o->p = n3_const(x->g, at->p);
        o->Sk = flx_arena_take(x->arena, n, sizeof *o->Sk);
        o->Nk = flx_arena_take(x->arena, n, sizeof *o->Nk);
        o->turn = flx_arena_take(x->arena, n, sizeof *o->turn);
        o->Jk = flx_arena_take(x->arena, n, sizeof *o->Jk);
        fine = fine && o->Sk && o->Nk && o->turn && o->Jk;
        for (int k = 0; k < o->n; k++) x->elastic_of[o->first + k] = i;
    }
    for (int i = 0; i < x->t.nbend && fine; i++) {
        const flx_bend *b = x->t.bends + i;
        flx_symbolic_bend *to = x->bends + i;
        size_t n = (size_t)b->e->n;
        to->body = x->elastic_of[b->first];
        to->turn = flx_arena_take(x->arena, n, sizeof *to->turn);
        to->slide = flx_arena_take(x->arena, n, sizeof *to->slide);
        fine = to->turn && to->slide;
        if (b->inward) x->elastic[to->body].inward = true;
    }
    for (int i = 0; i < m->nattached && fine; i++) {
        const flx_symbolic_elastic *o = x->elastic;
        while (m->modals[o - x->elastic].body != m->attached[i].carrier) o++;
        fine = find_node(x, o->n, o->first, o->e->nodes + m->attached[i].node, x->nodes + i);
    }
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_symbolic_elastic_move(flx_symbolic *x)
{
    for (int i = 0; i < x->m->nmodal; i++) find_inertia(x, x->elastic + i);
}

static const flx_symbolic_elastic *carrier_of(const flx_symbolic *x, int attached)
{
    const flx_symbolic_elastic *o = x->elastic;
    while (x->m->modals[o - x->elastic].body != x->m->attached[attached].carrier) o++;
    return o;
}

// (FLX-3), (FLX-5)
void flx_symbolic_attached_move(flx_symbolic *x)
{
    flx_graph *g = x->g;
    const flx_model *m = x->m;
    for (int i = 0; i < m->nattached; i++) {
        const flx_symbolic_node *s = x->nodes + i;
        const flx_node_body *b = x->bodies + m->attached[i].carrier;
        flx_node_body *o = x->bodies + m->nbody + i;
        n3 w = b->spin, turned = n3_cross(g, w, s->s);
        o->position = n3_add(g, b->position, n33_mul_v(g, b->R, s->s));
        o->velocity = n3_add(g, b->velocity, n33_mul_v(g, b->R, n3_add(g, turned, s->sd)));
        n3 inner = n3_add(g, n3_cross(g, b->spin_rate, s->s), s->sa);
        n3 whirl = n3_cross(g, w, n3_axpy(g, node_const(g, 2.0), s->sd, turned));
        o->acceleration = n3_add(g, b->acceleration, n33_mul_v(g, b->R, n3_add(g, inner, whirl)));
        o->R = n33_mul(g, b->R, s->R);
        o->spin = n33_tmul_v(g, s->R, n3_add(g, w, s->x));
        n3 rate = n3_add(g, n3_add(g, b->spin_rate, s->xa), n3_cross(g, w, s->x));
        o->spin_rate = n33_tmul_v(g, s->R, rate);
        o->angle = node_add(g, b->angle, s->angle);
    }
}

void flx_symbolic_node_push(const flx_symbolic *x, int attached, n3 F, n3 N, flx_node_wrench *on,
                            flx_node *effort)
{
    flx_graph *g = x->g;
    const flx_symbolic_elastic *o = carrier_of(x, attached);
    const flx_symbolic_node *s = x->nodes + attached;
    n3 f = n33_tmul_v(g, o->R, F), n = n33_tmul_v(g, o->R, N); // body axes
    for (int k = 0; k < o->n; k++) {
        flx_node *to = effort + x->t.k.nv + o->first + k;
        *to = node_add(g, *to, node_add(g, n3_dot(g, s->sk[k], f), n3_dot(g, s->xk[k], n)));
    }
    if (o->link < 0) return;
    flx_node_wrench *w = on + 1 + o->link;
    n3 arm = n3_add(g, o->p, n33_mul_v(g, o->R, s->s));
    w->f = n3_add(g, w->f, F);
    w->n = n3_add(g, w->n, n3_add(g, N, n3_cross(g, arm, F)));
}
