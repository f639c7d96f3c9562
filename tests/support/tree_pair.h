// tree_pair.h - one random mechanism as a descriptor and as a tree.
#pragma once

#include "check.h"
#include "flexion/extend/method_table.h"
#include "random_tree.h"
#include "tree/tree_parts.h"

typedef struct pair { // both systems of one mechanism
    mechanism k;
    flx_system *d, *t;
    flx_state *dx, *tx;
    flx_work *dw, *tw;
} pair;

static inline void pair_close(pair *p)
{
    if (p->dw) p->d->ops->work_destroy(p->dw);
    if (p->tw) p->t->ops->work_destroy(p->tw);
    flx_state_destroy(&p->dx);
    flx_state_destroy(&p->tx);
    flx_system_destroy(&p->t);
    flx_system_destroy(&p->d);
    mechanism_free(&p->k);
}

// Both systems of the mechanism that is there.
static inline int pair_make(pair *p)
{
    CHECK(flx_descriptor_create(&p->k.m, NULL, &p->d) == FLX_OK);
    CHECK(flx_state_create(p->d, &p->dx) == FLX_OK);
    CHECK(flx_descriptor_draw(p->d, p->dx) == FLX_OK);
    CHECK(flx_tree_create(&p->k.m, p->d, p->dx, 0, &p->t) == FLX_OK);
    CHECK(flx_state_create(p->t, &p->tx) == FLX_OK);
    p->dw = p->d->ops->work_create(p->d);
    p->tw = p->t->ops->work_create(p->t);
    CHECK(p->dw && p->tw);
    return flx_tree_from_bodies(p->t, p->dx, p->tx) != FLX_OK;
}

static inline int pair_open(pair *p, int dimension, uint64_t seed, bool loops)
{
    *p = (pair){0};
    if (loops) {
        random_loops(&p->k, dimension, seed);
    } else {
        random_tree(&p->k, dimension, seed);
    }
    if (seed % 2 == 0) random_forces(&p->k);
    return pair_make(p);
}

// Its tangent kept in this way.
static inline int pair_take(pair *p, flx_tree_tangent how)
{
    p->t->ops->work_destroy(p->tw);
    p->tw = NULL;
    CHECK(flx_tree_pattern((flx_tree *)p->t, how) == FLX_OK);
    p->tw = p->t->ops->work_create(p->t);
    return !p->tw;
}

static inline double largest_of(int n, const double *x)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// Accelerations at a state that meets the closures. 0: alike, 1: not, -1: nothing to compare, since
// the closures depend on each other.
static inline int pair_accelerate_alike(pair *p, double tolerance)
{
    const flx_explicit *td = p->t->ops->explicit_form, *dd = p->d->ops->explicit_form;
    static double z[512], dz[512];
    double moved_q, moved_v, *out = p->dx->a;
    CHECK(td->size(p->t) <= 512 && dd->size(p->d) <= 512);
    random_vector(&p->k.seed, p->t->dims.nv, 1.5, p->tx->v);
    td->pack(p->t, p->tx, z);
    if (td->project(p->t, p->tw, 0.0, z, p->tx, &moved_q, &moved_v) != FLX_OK) return -1;
    if (td->rate(p->t, p->tw, 0.0, z, p->tx, dz) != FLX_OK) return -1;
    if (p->t->dims.nlam + p->t->dims.nmu > 0 && largest_of(p->t->dims.nv, p->tx->a) > 1e3)
        return -1;
    flx_tree_to_bodies(p->t, p->tw, p->tx, p->dx);
    static double a[256];
    memcpy(a, out, (size_t)p->d->dims.nv * sizeof *a);
    CHECK(dd->prepare(p->d, p->dw) == FLX_OK);
    dd->pack(p->d, p->dx, z);
    if (dd->rate(p->d, p->dw, 0.0, z, p->dx, dz) != FLX_OK) return -1;
    double scale = largest_of(p->d->dims.nv, p->dx->a);
    for (int i = 0; i < p->d->dims.nv; i++) CHECK_NEAR(a[i], p->dx->a[i], tolerance * scale);
    // the residual of the tree vanishes there
    flx_point at = flx_state_point(p->t, p->tx);
    CHECK(p->t->ops->residual(p->t, p->tw, &at, z) == FLX_OK);
    for (int i = 0; i < p->t->dims.nv; i++) CHECK_NEAR(z[i], 0.0, 100 * tolerance * scale);
    return 0;
}
