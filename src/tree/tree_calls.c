// tree_calls.c - the tree of a model as calls: flexion/dynamics.h over the recursions of tree_dynamics.h
// and tree_slopes.h.
#include "base/refuse.h"
#include "flexion/dynamics.h"

#include "tree/recursion/tree_bodies.h"
#include "tree/recursion/tree_slopes.h"

struct flx_dynamics {
    const flx_model *model; // the core
    flx_model *core;        // held
    flx_ctx *ctx;           // borrowed
    flx_topology top;
    flx_tree_links t;
    flx_link_state *states;  // (links + 1)
    flx_link_slopes *slopes; // (links + 1)
    flx_freedom_slopes *freedoms;
    double *sign;          // (nv) from coordinates of the joints to those of the links: 1 or -1
    double *q, *v, *third; // (nq) (nv) (nv) of the links
};

void flx_dynamics_destroy(flx_dynamics **d_in)
{
    flx_dynamics *d = d_in ? *d_in : NULL;
    if (!d) return;
    flx_free(d->states);
    flx_free(d->slopes);
    flx_free(d->freedoms);
    flx_free(d->sign);
    flx_free(d->q);
    flx_free(d->v);
    flx_free(d->third);
    flx_tree_links_clear(&d->t);
    flx_topology_clear(&d->top);
    flx_model_destroy(&d->core);
    flx_free(d);
    *d_in = NULL;
}

static flx_status make(flx_dynamics *d)
{
    FLX_TRY(flx_topology_create(d->model, &d->top));
    FLX_TRY(flx_tree_links_create(d->model, &d->top, &d->t));
    size_t n = (size_t)d->t.k.n + 1;
    d->states = flx_alloc(d->ctx, n, sizeof *d->states);
    d->slopes = flx_alloc(d->ctx, n, sizeof *d->slopes);
    size_t nv = (size_t)d->t.k.nv;
    d->freedoms = flx_alloc(d->ctx, nv, sizeof *d->freedoms);
    d->sign = flx_alloc(d->ctx, nv, sizeof *d->sign);
    d->q = flx_alloc(d->ctx, (size_t)d->t.k.nq, sizeof *d->q);
    d->v = flx_alloc(d->ctx, nv, sizeof *d->v);
    d->third = flx_alloc(d->ctx, nv, sizeof *d->third);
    bool fine = d->states && d->slopes && d->freedoms && d->sign && d->q && d->v && d->third;
    if (!fine) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->t.k.n; i++) {
        const flx_link *l = d->t.links + i;
        for (int k = 0; k < flx_link_freedom(l->kind, d->t.k.planar); k++) {
            d->sign[l->v + k] = l->against ? -1.0 : 1.0;
        }
    }
    return FLX_OK;
}

static flx_status create(const flx_model *model, flx_dynamics **out)
{
    for (int i = 0; i < model->nunavailable; i++) {
        const flx_unavailable *u = model->unavailable + i;
        if (strncmp(u->what, "bodies", 6) != 0 && strncmp(u->what, "joints", 6) != 0) continue;
        return FLX_FAIL(model->ctx, FLX_ERR_UNAVAILABLE, u->loc, "not supported yet: %s", u->what);
    }
    if (model->nmodal > 0) {
        const flx_modal *e = model->modals;
        return FLX_FAIL(model->ctx, FLX_ERR_CANNOT, e->loc,
                        "these functions are for rigid bodies, and '%s' is elastic; simulate it "
                        "with `formulation: tree`",
                        model->bodies[e->body].name);
    }
    flx_dynamics *d = flx_alloc(model->ctx, 1, sizeof *d);
    if (!d) return FLX_ERR_MEMORY;
    d->model = model;
    d->ctx = model->ctx;
    flx_status status = make(d);
    if (status != FLX_OK) flx_dynamics_destroy(&d);
    *out = d;
    return status;
}

flx_status flx_dynamics_create(const flx_model *model, flx_dynamics **out)
{
    if (!model || !out) return flx_refuse_null(NULL, __func__);
    flx_model *core;
    *out = NULL;
    FLX_TRY(flx_model_refresh(model));
    FLX_TRY(flx_model_refuse_awaited(model));
    FLX_TRY(flx_model_refuse_unbound(model));
    FLX_TRY(flx_model_share(model, &core));
    flx_status status = create(core ? core : model, out);
    if (status == FLX_OK)
        (*out)->core = core;
    else
        flx_model_destroy(&core);
    return status;
}

int flx_dynamics_coordinates(const flx_dynamics *d)
{
    if (!d) return 0;
    return d->t.k.nq;
}

int flx_dynamics_freedoms(const flx_dynamics *d)
{
    if (!d) return 0;
    return d->t.k.nv;
}

int flx_dynamics_loops(const flx_dynamics *d)
{
    if (!d) return 0;
    return d->top.ncut;
}

const double *flx_dynamics_drawn(const flx_dynamics *d)
{
    if (!d) return NULL;
    return d->t.drawn;
}

// The item that a link belongs to.
static const char *name_of(const flx_dynamics *d, const flx_link *l)
{
    int joint = d->top.nodes[d->top.number[l->body]].joint;
    return joint < 0 ? d->model->bodies[l->body].name : d->model->joints[joint].name;
}

const char *flx_dynamics_name(const flx_dynamics *d, int i, int *freedom)
{
    if (!d) return NULL;
    const flx_link *l = d->t.links;
    if (i < 0 || i >= d->t.k.nv) return NULL;
    while (i >= l->v + flx_link_freedom(l->kind, d->t.k.planar)) l++;
    const flx_link *first = l; // a joint's links follow each other
    while (first > d->t.links && first[-1].body == l->body) first--;
    *freedom = i - first->v;
    return name_of(d, l);
}

void flx_dynamics_retract(const flx_dynamics *d, const double *q, const double *theta,
                          double *q_out)
{
    if (!d || !q || !theta || !q_out) return;
    for (int i = 0; i < d->t.k.n; i++) {
        const flx_link *l = d->t.links + i;
        flx_tree_retract_link(l, d->t.k.planar, q + l->q, theta + l->v, q_out + l->q);
    }
}

// ---- signs: the recursions count by the body that a joint carries, callers as the joint does ----

static const double *sign_velocities(const flx_dynamics *d, const double *in, double *out)
{
    if (!in) return NULL;
    for (int i = 0; i < d->t.k.nv; i++) out[i] = d->sign[i] * in[i];
    return out;
}

static void take_state(const flx_dynamics *d, const double *q, const double *v)
{
    memcpy(d->q, q, (size_t)d->t.k.nq * sizeof *q);
    for (int i = 0; i < d->t.k.n; i++) {
        const flx_link *l = d->t.links + i;
        if (l->against) d->q[l->q] = -q[l->q];
    }
    if (v) (void)sign_velocities(d, v, d->v);
}

static void sign_matrix(const flx_dynamics *d, double *A)
{
    int nv = d->t.k.nv;
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) A[i * nv + j] *= d->sign[i] * d->sign[j];
    }
}

// ---- calls --------------------------------------------------------------------------------------

static flx_status refuse(const flx_dynamics *d, int link)
{
    const flx_link *l = d->t.links + link;
    const flx_body *b = d->model->bodies + l->body;
    return FLX_FAIL(d->ctx, FLX_SINGULAR, b->loc,
                    "body '%s' and what hangs on it have no inertia along '%s': its acceleration "
                    "is not determined",
                    b->name, name_of(d, l));
}

flx_status flx_dynamics_forward(flx_dynamics *d, const double *q, const double *v,
                                const double *tau, double *a)
{
    if (!d || !q || !v || !a) return flx_refuse_null(NULL, __func__);
    take_state(d, q, v);
    tau = sign_velocities(d, tau, d->third);
    int link = flx_linkage_forward(&d->t.k, d->states, d->q, d->v, tau, NULL, a);
    (void)sign_velocities(d, a, a);
    return link < 0 ? FLX_OK : refuse(d, link);
}

void flx_dynamics_inverse(flx_dynamics *d, const double *q, const double *v, const double *a,
                          double *tau)
{
    if (!d || !q || !v || !a || !tau) return;
    take_state(d, q, v);
    flx_linkage_inverse(&d->t.k, d->states, d->q, d->v, sign_velocities(d, a, d->third), NULL, tau);
    (void)sign_velocities(d, tau, tau);
}

void flx_dynamics_mass(flx_dynamics *d, const double *q, double *M)
{
    if (!d || !q || !M) return;
    take_state(d, q, NULL);
    flx_linkage_mass(&d->t.k, d->states, d->q, M);
    sign_matrix(d, M);
}

void flx_dynamics_inverse_derivatives(flx_dynamics *d, const double *q, const double *v,
                                      const double *a, double *dtau_dq, double *dtau_dv)
{
    if (!d || !q || !v || !a || !dtau_dq || !dtau_dv) return;
    take_state(d, q, v);
    flx_linkage_inverse_slopes(&d->t.k, d->slopes, d->freedoms, d->q, d->v,
                               sign_velocities(d, a, d->third), NULL, dtau_dq, dtau_dv, NULL);
    sign_matrix(d, dtau_dq);
    sign_matrix(d, dtau_dv);
}

flx_status flx_dynamics_forward_derivatives(flx_dynamics *d, const double *q, const double *v,
                                            const double *tau, double *a, double *da_dq,
                                            double *da_dv, double *da_dtau)
{
    if (!d || !da_dq || !da_dv) return flx_refuse_null(NULL, __func__);
    const flx_linkage *k = &d->t.k;
    int nv = k->nv;
    FLX_TRY(flx_dynamics_forward(d, q, v, tau, a));
    flx_linkage_inverse_slopes(k, d->slopes, d->freedoms, d->q, d->v,
                               sign_velocities(d, a, d->third), NULL, da_dq, da_dv, NULL);
    int link = flx_linkage_factor(k, d->slopes, d->q);
    if (link >= 0) return refuse(d, link);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++) {
            da_dq[i * nv + j] = -da_dq[i * nv + j];
            da_dv[i * nv + j] = -da_dv[i * nv + j];
            if (da_dtau) da_dtau[i * nv + j] = i == j ? 1.0 : 0.0;
        }
        flx_linkage_solve(k, d->slopes, da_dq + j, nv);
        flx_linkage_solve(k, d->slopes, da_dv + j, nv);
        if (da_dtau) flx_linkage_solve(k, d->slopes, da_dtau + j, nv);
    }
    sign_matrix(d, da_dq);
    sign_matrix(d, da_dv);
    if (da_dtau) sign_matrix(d, da_dtau);
    return FLX_OK;
}
