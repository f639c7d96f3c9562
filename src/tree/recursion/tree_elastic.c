// tree_elastic.c - articulated bodies with elastic ones among them, ground axes.
//
// An elastic body with the coordinates u stands on a link; bends lead from it to its nodes, and where a joint holds a
// node of it the link itself is a bend. With M of a link and all that hangs on it, S the motions of a bend by the
// coordinates (W_k, V_k), C the masses between a link's motion and u, E those of u, and the parent's motion Gamma at
// the link:
//     outward bend:  C += Gamma^T M S,   E += S^T M S,   M_p += Gamma^T M Gamma
//     inward bend:   E += S^T M S + S^T C + C^T S,   C <- Gamma^T (M S + C),   M_p += Gamma^T M Gamma
//     then:          M <- M - C E^-1 C^T                                                     (BEND-3)
// Freedoms of other links are taken out one after another, (TREE-5) in these axes.
#include "tree/recursion/tree_elastic.h"

#include "math/dense.h"
#include "tree/recursion/tree_bends.h"

typedef struct elastic {
    int modal;   // of the model
    int n;       // coordinates
    int first;   // variable
    int link;    // on which it stands; -1: the ground
    int next;    // another on the same link; -1: none
    bool inward; // the link is a bend of its own
    double *C;   // (n x 6) moment and force by unit accelerations of its coordinates
    double *G;   // (n x 6) E^-1 C^T
    double *E;   // (n x n), then its factor
    double *c;   // (n)
} elastic;

// Motions (rotation, displacement) are kept as wrenches are.
typedef struct link {
    spatial Ia;  // of all outboard
    wrench J[3]; // motions of its freedoms
    wrench U[3]; // Ia J, when its turn comes
    double D[3]; // 1 / J.U
    double c[3];
    wrench p, A; // force, motion
} link;

struct flx_tree_elastic {
    link *links;     // (links + 1) owned; the ground first
    elastic *bodies; // owned
    int nbody;
    int *on;         // (links + 1) owned: a body that stands on each; -1: none
    int *of_bend;    // (bends) owned: whose each is
    double *numbers; // owned
};

// ---- six numbers --------------------------------------------------------------------------------

static double dot(wrench a, wrench b)
{
    return v3_dot(a.n, b.n) + v3_dot(a.f, b.f);
}
static wrench axpy(double k, wrench a, wrench b)
{
    return (wrench){v3_axpy(k, a.n, b.n), v3_axpy(k, a.f, b.f)};
}
static wrench load(const double *x)
{
    return (wrench){v3_load(x), v3_load(x + 3)};
}
static void store(double *x, wrench a)
{
    v3_store(x, a.n);
    v3_store(x + 3, a.f);
}
static wrench times(const spatial *Ia, wrench x)
{
    return (wrench){v3_add(sym3_mul(Ia->A, x.n), m33_mul_v(Ia->B, x.f)),
                    v3_add(m33_tmul_v(Ia->B, x.n), sym3_mul(Ia->M, x.f))};
}
// A motion of the parent at r from its origin; a force at r seen from there.
static wrench move_out(wrench a, v3 r)
{
    return (wrench){a.n, v3_add(a.f, v3_cross(a.n, r))};
}
static wrench move_in(wrench a, v3 r)
{
    return (wrench){v3_add(a.n, v3_cross(r, a.f)), a.f};
}

static sym3 less_square(sym3 S, v3 a, v3 b)
{
    return (sym3){S.xx - a.x * b.x, S.xy - a.x * b.y, S.xz - a.x * b.z,
                  S.yy - a.y * b.y, S.yz - a.y * b.z, S.zz - a.z * b.z};
}
// Ia -= k u u^T
static void subtract(spatial *Ia, double k, wrench u)
{
    wrench w = {v3_scale(k, u.n), v3_scale(k, u.f)};
    Ia->A = less_square(Ia->A, w.n, u.n);
    Ia->M = less_square(Ia->M, w.f, u.f);
    Ia->B = m33_sub(Ia->B, m33_outer(w.n, u.f));
}

// ---- life ---------------------------------------------------------------------------------------

void flx_tree_elastic_destroy(flx_tree_elastic **made)
{
    flx_tree_elastic *e = *made;
    if (!e) return;
    flx_free(e->links);
    flx_free(e->bodies);
    flx_free(e->on);
    flx_free(e->numbers);
    flx_free(e);
    *made = NULL;
}

static void list_bodies(const flx_tree *t, flx_tree_elastic *e)
{
    double *at = e->numbers;
    int *on = e->on + 1; // the ground first
    for (int i = -1; i < t->t.k.n; i++) on[i] = -1;
    for (int i = 0; i < e->nbody; i++) {
        const flx_modal *m = t->model->modals + i;
        elastic *x = e->bodies + i;
        *x = (elastic){.modal = i, .n = m->e->n, .first = m->first};
        x->link = t->t.mounts[m->body].link;
        x->next = on[x->link];
        on[x->link] = i;
        x->C = at;
        x->G = x->C + 6 * x->n;
        x->E = x->G + 6 * x->n;
        x->c = x->E + x->n * x->n;
        at = x->c + x->n;
        for (int k = 0; k < t->t.nbend; k++) {
            const flx_bend *b = t->t.bends + k;
            if (b->first != x->first) continue;
            e->of_bend[k] = i;
            if (b->inward) x->inward = true;
        }
    }
}

flx_status flx_tree_elastic_create(const flx_tree *t, flx_tree_elastic **made)
{
    flx_ctx *ctx = t->base.ctx;
    size_t count = 0, links = (size_t)t->t.k.n + 1;
    flx_tree_elastic *e = *made = flx_alloc(ctx, 1, sizeof *e);
    if (!e) return FLX_ERR_MEMORY;
    e->nbody = t->model->nmodal;
    for (int i = 0; i < e->nbody; i++) {
        size_t n = (size_t)t->model->modals[i].e->n;
        count += n * (13 + n);
    }
    e->links = flx_alloc(ctx, links, sizeof *e->links);
    e->bodies = flx_alloc(ctx, (size_t)e->nbody, sizeof *e->bodies);
    e->on = flx_alloc(ctx, links + (size_t)t->t.nbend, sizeof *e->on);
    e->numbers = flx_alloc(ctx, count, sizeof *e->numbers);
    if (!e->links || !e->bodies || !e->on || !e->numbers) {
        flx_tree_elastic_destroy(made);
        return FLX_ERR_MEMORY;
    }
    e->of_bend = e->on + links;
    list_bodies(t, e);
    return FLX_OK;
}

// ---- inertia ------------------------------------------------------------------------------------

static v3 arm_of(const flx_tree_links *t, const flx_link_frame *f, int i)
{
    return v3_sub(f[i].p, f[t->links[i].parent].p);
}

static void set_link(const flx_tree_links *t, const flx_link *l, const flx_link_frame *f, link *x)
{
    x->Ia = (spatial){
        sym3_rotate(f->R, l->J), m33_skew(m33_mul_v(f->R, l->h)), {l->m, 0, 0, l->m, 0, l->m}};
    for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) {
        double unit[3] = {0, 0, 0};
        v3 w, d;
        unit[k] = 1.0;
        flx_tree_expand(&t->k, l, unit, &w, &d);
        x->J[k] = (wrench){m33_mul_v(f->R, w), m33_mul_v(f->R, d)};
    }
}

// A body's own masses, of velocities (v in ground axes, w in the body's; in the plane three of these), at its link's
// origin.
static void add_inertia(const flx_tree *t, const flx_link_frame *f, const double *A2, elastic *x,
                        link *to)
{
    const flx_modal_data *b = flx_modals_get(flx_tree_inner(t), x->modal);
    const flx_mount *m = t->t.mounts + t->model->modals[x->modal].body;
    const double *F = A2 + b->at[0][0], *C = A2 + b->at[0][1];
    bool planar = t->t.k.planar;
    int n = x->n;
    m33 R = m33_mul(f->R, m->R);
    v3 arm = m33_mul_v(f->R, m->p);
    spatial Ia;
    if (planar) {
        Ia = (spatial){{0, 0, 0, 0, 0, F[8]},
                       {{0, 0, 0, 0, 0, 0, F[6], F[7], 0}},
                       {F[0], F[1], 0, F[4], 0, F[0]}};
    } else {
        const double *X = F + 18, *J = F + 21; // rows of w: columns of v, of w
        m33 B = {{X[0], X[1], X[2], X[6], X[7], X[8], X[12], X[13], X[14]}};
        sym3 own = {J[0], J[1], J[2], J[7], J[8], J[14]};
        Ia = (spatial){sym3_rotate(R, own), m33_mul(R, B), {F[0], F[1], F[2], F[7], F[8], F[14]}};
    }
    spatial_shift(arm, &Ia);
    spatial_add(&to->Ia, &Ia);
    memcpy(x->E, A2 + b->at[1][1], (size_t)(n * n) * sizeof *x->E);
    for (int k = 0; k < n; k++) {
        const double *c = C + k;
        wrench own = planar ? (wrench){{0, 0, c[2 * n]}, {c[0], c[n], 0}}
                            : (wrench){m33_mul_v(R, v3_make(c[3 * n], c[4 * n], c[5 * n])),
                                       {c[0], c[n], c[2 * n]}};
        store(x->C + 6 * k, move_in(own, arm));
    }
}

// ---- inwards ------------------------------------------------------------------------------------

// Coordinates whose mass is less than this part of what it was before others were out have none; and freedoms of
// joints against other axes, as in forward dynamics.
#define NO_MASS 1e-14

// M <- M - C E^-1 C^T
static bool take_out(elastic *x, link *at)
{
    int n = x->n;
    bool fine = flx_dense_cholesky(n, x->E, NO_MASS);
    memcpy(x->G, x->C, 6 * (size_t)n * sizeof *x->G);
    for (int i = 0; i < n; i++) { // L^-1 C^T, whose square is taken out
        wrench z = load(x->G + 6 * i);
        for (int k = 0; k < i; k++) z = axpy(-x->E[n * i + k], load(x->G + 6 * k), z);
        z = axpy(1.0 / x->E[n * i + i] - 1.0, z, z);
        store(x->G + 6 * i, z);
        subtract(&at->Ia, 1.0, z);
    }
    for (int i = n - 1; i >= 0; i--) {
        wrench z = load(x->G + 6 * i);
        for (int k = i + 1; k < n; k++) z = axpy(-x->E[n * k + i], load(x->G + 6 * k), z);
        store(x->G + 6 * i, axpy(1.0 / x->E[n * i + i] - 1.0, z, z));
    }
    return fine;
}

static void hand_on(const link *x, v3 r, link *parent)
{
    spatial K = x->Ia;
    spatial_shift(r, &K);
    spatial_add(&parent->Ia, &K);
}

static bool reduce_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i)
{
    const flx_link *l = t->t.links + i;
    elastic *x = e->bodies + e->of_bend[l->bend];
    bool inward = flx_bend_of(&t->t, l)->inward;
    link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    v3 r = arm_of(&t->t, f, i);
    int n = x->n;
    for (int k = 0; k < n; k++) {
        wrench U = times(&own->Ia, load(S + 6 * k)), C = load(x->C + 6 * k);
        for (int j = 0; j < n; j++) {
            wrench Sj = load(S + 6 * j);
            double both = inward ? dot(Sj, C) : 0.0; // C is of this link
            x->E[n * j + k] += dot(Sj, U) + both;
            x->E[n * k + j] += both;
        }
        store(x->G + 6 * k, inward ? axpy(1.0, U, C) : U);
    }
    for (int k = 0; k < n; k++) {
        wrench at = move_in(load(x->G + 6 * k), r);
        store(x->C + 6 * k, inward ? at : axpy(1.0, at, load(x->C + 6 * k)));
    }
    hand_on(own, r, parent);
    return inward ? take_out(x, parent) : true;
}

// The last freedom first: they are as many links at one place.
static bool reduce(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i)
{
    const flx_link *l = t->t.links + i;
    link *x = e->links + 1 + i;
    const spatial *Ia = &x->Ia;
    double size =
        flx_link_turns(l->kind) ? Ia->A.xx + Ia->A.yy + Ia->A.zz : Ia->M.xx + Ia->M.yy + Ia->M.zz;
    bool fine = true;
    for (int k = flx_link_freedom(l->kind, t->t.k.planar) - 1; k >= 0; k--) {
        x->U[k] = times(Ia, x->J[k]);
        double D = dot(x->J[k], x->U[k]);
        fine = fine && D > NO_MASS * size && D > 0.0;
        x->D[k] = 1.0 / D;
        subtract(&x->Ia, x->D[k], x->U[k]);
    }
    if (l->parent >= 0) hand_on(x, arm_of(&t->t, f, i), x - i + l->parent);
    return fine;
}

int flx_tree_elastic_factor(const flx_tree *t, flx_tree_work *w, const double *A2)
{
    flx_tree_elastic *e = w->elastic;
    const flx_link_frame *f = w->frames + 1;
    link *links = e->links + 1;
    int singular = -1;
    memset(&links[-1].Ia, 0, sizeof links[-1].Ia);
    for (int i = 0; i < t->t.k.n; i++) set_link(&t->t, t->t.links + i, f + i, links + i);
    for (int i = 0; i < e->nbody; i++) {
        elastic *x = e->bodies + i;
        add_inertia(t, f + x->link, A2, x, links + x->link);
    }
    for (int i = t->t.k.n - 1; i >= -1; i--) {
        bool fine = true;
        for (int b = e->on[i + 1]; b >= 0; b = e->bodies[b].next) {
            elastic *x = e->bodies + b;
            if (!x->inward) fine = take_out(x, links + i) && fine;
        }
        if (i >= 0 && t->t.links[i].kind == FLX_LINK_BEND) {
            fine = reduce_bend(t, e, f, i) && fine;
        } else if (i >= 0 && !reduce(t, e, f, i) && singular == -1) {
            singular = i;
        }
        if (!fine) singular = FLX_TREE_NO_MASS;
    }
    return singular;
}

// ---- solve --------------------------------------------------------------------------------------

// c <- E^-1 c, and the force on the link that the accelerations c take
static void push(elastic *x, link *at)
{
    flx_dense_cholesky_solve(x->n, x->E, x->c, 1);
    for (int k = 0; k < x->n; k++) at->p = axpy(x->c[k], load(x->C + 6 * k), at->p);
}

static void pull_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i)
{
    const flx_link *l = t->t.links + i;
    elastic *x = e->bodies + e->of_bend[l->bend];
    link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    for (int k = 0; k < x->n; k++) x->c[k] -= dot(load(S + 6 * k), own->p);
    parent->p = axpy(1.0, move_in(own->p, arm_of(&t->t, f, i)), parent->p);
    if (flx_bend_of(&t->t, l)->inward) push(x, parent);
}

static void pull(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i,
                 const double *tau)
{
    const flx_link *l = t->t.links + i;
    link *x = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    for (int k = flx_link_freedom(l->kind, t->t.k.planar) - 1; k >= 0; k--) {
        x->c[k] = x->D[k] * (tau[l->v + k] - dot(x->J[k], x->p));
        x->p = axpy(x->c[k], x->U[k], x->p);
    }
    parent->p = axpy(1.0, move_in(x->p, arm_of(&t->t, f, i)), parent->p);
}

// Accelerations of its coordinates when the link's are known.
static void follow(const elastic *x, const link *at, double *y)
{
    for (int k = 0; k < x->n; k++) y[k] = x->c[k] - dot(load(x->G + 6 * k), at->A);
}

static void move_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i,
                      double *y)
{
    const flx_link *l = t->t.links + i;
    const elastic *x = e->bodies + e->of_bend[l->bend];
    link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    double *u = y + t->t.k.nv + x->first;
    if (flx_bend_of(&t->t, l)->inward) follow(x, parent, u);
    own->A = move_out(parent->A, arm_of(&t->t, f, i));
    for (int k = 0; k < x->n; k++) own->A = axpy(u[k], load(S + 6 * k), own->A);
}

static void move(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i, double *y)
{
    const flx_link *l = t->t.links + i;
    link *x = e->links + 1 + i;
    x->A = move_out(e->links[1 + l->parent].A, arm_of(&t->t, f, i));
    for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
        y[l->v + k] = x->c[k] - x->D[k] * dot(x->U[k], x->A);
        x->A = axpy(y[l->v + k], x->J[k], x->A);
    }
}

void flx_tree_elastic_solve(const flx_tree *t, flx_tree_work *w, const double *tau, double *y)
{
    static const wrench zero = {{0, 0, 0}, {0, 0, 0}};
    flx_tree_elastic *e = w->elastic;
    const flx_link_frame *f = w->frames + 1;
    link *links = e->links + 1;
    links[-1].A = zero;
    for (int i = -1; i < t->t.k.n; i++) links[i].p = zero;
    for (int i = 0; i < e->nbody; i++) {
        elastic *x = e->bodies + i;
        memcpy(x->c, tau + t->t.k.nv + x->first, (size_t)x->n * sizeof *x->c);
    }
    for (int i = t->t.k.n - 1; i >= -1; i--) {
        for (int b = e->on[i + 1]; b >= 0; b = e->bodies[b].next) {
            if (!e->bodies[b].inward) push(e->bodies + b, links + i);
        }
        if (i < 0) break;
        if (t->t.links[i].kind == FLX_LINK_BEND) {
            pull_bend(t, e, f, i);
        } else {
            pull(t, e, f, i, tau);
        }
    }
    for (int i = -1; i < t->t.k.n; i++) {
        if (i >= 0 && t->t.links[i].kind == FLX_LINK_BEND) {
            move_bend(t, e, f, i, y);
        } else if (i >= 0) {
            move(t, e, f, i, y);
        }
        for (int b = e->on[i + 1]; b >= 0; b = e->bodies[b].next) {
            const elastic *x = e->bodies + b;
            if (!x->inward) follow(x, links + i, y + t->t.k.nv + x->first);
        }
    }
}
