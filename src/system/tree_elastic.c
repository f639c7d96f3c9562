// tree_elastic.c - articulated bodies with elastic ones among them, ground axes.
//
// An elastic body with the coordinates u stands on a link; bends lead from it to its nodes, and where a joint holds a
// node of it the link itself is a bend. With M of a link and all that hangs on it, S the motions of a bend by the
// coordinates (W_k, V_k), C the masses between a link's motion and u, E those of u, and the parent's motion Gamma at
// the link:
//     outward bend:  C += Gamma^T M S,   E += S^T M S,   M_p += Gamma^T M Gamma
//     inward bend:   E += S^T M S + S^T C + C^T S,   C <- Gamma^T (M S + C),   M_p += Gamma^T M Gamma
//     then:          M <- M - C E^-1 C^T                                                     (BEND-3)
// Other links are those of (TREE-17), without null spaces.
#include "system/tree_elastic.h"

#include "math/dense.h"
#include "system/tree_bends.h"
#include "system/tree_pseudo.h"

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

struct flx_tree_elastic {
    flx_pseudo_link *links; // (links + 1) owned; the ground first
    elastic *bodies;        // owned
    int nbody;
    int *on;         // (links + 1) owned: a body that stands on each; -1: none
    int *of_bend;    // (bends) owned: whose each is
    double *numbers; // owned
};

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

// The velocities of a body's frame by those of its link: B (6; planar 3 rows).
static int frame_motion(const flx_tree *t, const flx_link_frame *f, const flx_mount *m,
                        double B[6][6])
{
    m33 R = m33_mul(f->R, m->R), arm = m33_skew(m33_mul_v(f->R, m->p));
    bool planar = t->t.k.planar;
    int n = planar ? 2 : 3;
    memset(B, 0, 36 * sizeof B[0][0]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++) B[i][j] = -arm.m[3 * i + j];
        B[i][3 + i] = 1.0;
    }
    if (planar) {
        B[2][2] = 1.0;
        return 3;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) B[3 + i][j] = R.m[3 * j + i];
    }
    return 6;
}

static void add_inertia(const flx_tree *t, const flx_link_frame *f, const double *A2, elastic *x,
                        flx_pseudo_link *link)
{
    const flx_modal_data *b = flx_tree_inner(t)->modals + x->modal;
    const double *F = A2 + b->at[0][0], *C = A2 + b->at[0][1];
    double B[6][6], FB[6][6] = {{0}};
    int n = x->n, nf = frame_motion(t, f, t->t.mounts + t->model->modals[x->modal].body, B);
    memcpy(x->E, A2 + b->at[1][1], (size_t)(n * n) * sizeof *x->E);
    for (int i = 0; i < nf; i++) {
        for (int k = 0; k < nf; k++) {
            for (int j = 0; j < 6; j++) FB[i][j] += F[nf * i + k] * B[k][j];
        }
    }
    for (int k = 0; k < nf; k++) {
        for (int i = 0; i < 36; i++) link->M[i / 6][i % 6] += B[k][i / 6] * FB[k][i % 6];
    }
    memset(x->C, 0, 6 * (size_t)n * sizeof *x->C);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < nf; i++) {
            for (int j = 0; j < 6; j++) x->C[6 * k + j] += C[n * i + k] * B[i][j];
        }
    }
}

// Coordinates whose mass is less than this part of what it was before others were out have none.
#define NO_MASS 1e-14

// M <- M - C E^-1 C^T
static bool take_out(elastic *x, flx_pseudo_link *link)
{
    int n = x->n;
    bool fine = flx_dense_cholesky(n, x->E, NO_MASS);
    memcpy(x->G, x->C, 6 * (size_t)n * sizeof *x->G);
    for (int j = 0; j < 6; j++) flx_dense_cholesky_solve(n, x->E, x->G + j, 6);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 36; i++)
            link->M[i / 6][i % 6] -= x->C[6 * k + i / 6] * x->G[6 * k + i % 6];
    }
    return fine;
}

static v3 arm_of(const flx_tree_links *t, const flx_link_frame *f, int i)
{
    return v3_sub(f[i].p, f[t->links[i].parent].p);
}

static bool reduce_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i)
{
    const flx_link *l = t->t.links + i;
    elastic *x = e->bodies + e->of_bend[l->bend];
    bool inward = flx_bend_of(&t->t, l)->inward;
    flx_pseudo_link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    v3 r = arm_of(&t->t, f, i);
    for (int k = 0; k < x->n; k++) {
        flx_spatial6 U = flx_times6(own->M, flx_load6(S + 6 * k));
        if (inward) { // C is still of this link
            flx_spatial6 C = flx_load6(x->C + 6 * k);
            for (int j = 0; j < x->n; j++) {
                double both = flx_dot6(flx_load6(S + 6 * j), C);
                x->E[x->n * j + k] += flx_dot6(flx_load6(S + 6 * j), U) + both;
                x->E[x->n * k + j] += both;
            }
        } else {
            flx_spatial6 at = flx_move_in6(U, r);
            for (int j = 0; j < x->n; j++) {
                x->E[x->n * j + k] += flx_dot6(flx_load6(S + 6 * j), U);
            }
            flx_store6(x->C + 6 * k, flx_axpy6(1.0, at, flx_load6(x->C + 6 * k)));
        }
    }
    for (int k = 0; k < x->n && inward; k++) {
        flx_spatial6 U = flx_times6(own->M, flx_load6(S + 6 * k));
        U = flx_axpy6(1.0, U, flx_load6(x->C + 6 * k));
        flx_store6(x->C + 6 * k, flx_move_in6(U, r));
    }
    flx_pseudo_hand_on(0, r, own, parent);
    return inward ? take_out(x, parent) : true;
}

int flx_tree_elastic_factor(const flx_tree *t, flx_tree_work *w, const double *A2)
{
    flx_tree_elastic *e = w->elastic;
    const flx_link_frame *f = w->frames + 1;
    flx_pseudo_link *links = e->links + 1;
    int singular = -1;
    memset(links[-1].M, 0, sizeof links[-1].M);
    for (int i = 0; i < t->t.k.n; i++) flx_pseudo_set(&t->t, links, f, i);
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
        } else if (i >= 0 && flx_pseudo_reduce(&t->t, links, f, i) > 0 && singular == -1) {
            singular = i;
        }
        if (!fine) singular = FLX_TREE_NO_MASS;
    }
    return singular;
}

// ---- solve --------------------------------------------------------------------------------------

// c <- E^-1 c, and the force on the link that the accelerations c take
static void push(elastic *x, flx_pseudo_link *link)
{
    flx_dense_cholesky_solve(x->n, x->E, x->c, 1);
    for (int k = 0; k < x->n; k++) {
        link->p = flx_axpy6(x->c[k], flx_load6(x->C + 6 * k), link->p);
    }
}

static void pull_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i)
{
    const flx_link *l = t->t.links + i;
    elastic *x = e->bodies + e->of_bend[l->bend];
    flx_pseudo_link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    for (int k = 0; k < x->n; k++) x->c[k] -= flx_dot6(flx_load6(S + 6 * k), own->p);
    parent->p = flx_axpy6(1.0, flx_move_in6(own->p, arm_of(&t->t, f, i)), parent->p);
    if (flx_bend_of(&t->t, l)->inward) push(x, parent);
}

// Accelerations of its coordinates when the link's are known.
static void follow(const elastic *x, const flx_pseudo_link *link, double *y)
{
    for (int k = 0; k < x->n; k++) y[k] = x->c[k] - flx_dot6(flx_load6(x->G + 6 * k), link->A);
}

static void move_bend(const flx_tree *t, flx_tree_elastic *e, const flx_link_frame *f, int i,
                      double *y)
{
    const flx_link *l = t->t.links + i;
    const elastic *x = e->bodies + e->of_bend[l->bend];
    flx_pseudo_link *own = e->links + 1 + i, *parent = e->links + 1 + l->parent;
    const double *S = flx_bend_columns(f + i);
    double *u = y + t->t.k.nv + x->first;
    if (flx_bend_of(&t->t, l)->inward) follow(x, parent, u);
    own->A = flx_move_out6(parent->A, arm_of(&t->t, f, i));
    for (int k = 0; k < x->n; k++) own->A = flx_axpy6(u[k], flx_load6(S + 6 * k), own->A);
}

void flx_tree_elastic_solve(const flx_tree *t, flx_tree_work *w, const double *tau, double *y)
{
    static const flx_spatial6 zero = {{0, 0, 0}, {0, 0, 0}};
    flx_tree_elastic *e = w->elastic;
    const flx_link_frame *f = w->frames + 1;
    flx_pseudo_link *links = e->links + 1;
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
            flx_pseudo_pull(&t->t, links, f, i, tau);
        }
    }
    for (int i = -1; i < t->t.k.n; i++) {
        if (i >= 0 && t->t.links[i].kind == FLX_LINK_BEND) {
            move_bend(t, e, f, i, y);
        } else if (i >= 0) {
            flx_pseudo_move(&t->t, links, f, i, true, -1, y);
        }
        for (int b = e->on[i + 1]; b >= 0; b = e->bodies[b].next) {
            const elastic *x = e->bodies + b;
            if (!x->inward) follow(x, links + i, y + t->t.k.nv + x->first);
        }
    }
}
