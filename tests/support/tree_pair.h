// tree_pair.h - one random mechanism as a descriptor and as a tree.
#pragma once

#include "check.h"
#include "random_tree.h"
#include "system/tree_parts.h"

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

static inline int pair_open(pair *p, int dimension, uint64_t seed, bool loops)
{
    *p = (pair){0};
    if (loops) {
        random_loops(&p->k, dimension, seed);
    } else {
        random_tree(&p->k, dimension, seed);
    }
    if (seed % 2 == 0) random_forces(&p->k);
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

// Its tangent kept in this way.
static inline int pair_take(pair *p, flx_tree_tangent how)
{
    p->t->ops->work_destroy(p->tw);
    p->tw = NULL;
    CHECK(flx_tree_pattern((flx_tree *)p->t, how) == FLX_OK);
    p->tw = p->t->ops->work_create(p->t);
    return !p->tw;
}
