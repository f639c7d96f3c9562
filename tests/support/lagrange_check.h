// lagrange_check.h - momenta of a tree against differences: their rates, and Lagrange's equations with the terms of
// quasi-velocities.
#pragma once

#include "flexion/extend/method_table.h"
#include "tree_pair.h"

#define LAGRANGE_MOST 64

// The point at q (+) h theta.
static inline flx_point moved(const pair *p, const double *theta, double h, double *q)
{
    const flx_system *s = p->t;
    flx_point x = flx_state_point(s, p->tx);
    double th[LAGRANGE_MOST];
    for (int i = 0; i < s->dims.nv; i++) th[i] = h * theta[i];
    s->ops->retract(s, x.q, th, q);
    x.q = q;
    return x;
}

// transport = M' v - ad*_v p, with p x w where a ball turns.
static inline int pair_check_transport(const pair *p)
{
    double side[2][LAGRANGE_MOST], Mv[LAGRANGE_MOST], out[LAGRANGE_MOST], q[2 * LAGRANGE_MOST],
        h = 1e-5, most = 1.0;
    const flx_system *s = p->t;
    const flx_tree_links *t = &flx_tree_of(s)->t;
    const flx_lagrangian *l = s->ops->lagrangian;
    flx_point x = flx_state_point(s, p->tx);
    int nv = s->dims.nv;
    for (int k = 0; k < 2; k++) {
        flx_point y = moved(p, x.v, k ? h : -h, q);
        CHECK(l->momentum(s, p->tw, &y, side[k]) == FLX_OK);
    }
    CHECK(l->momentum(s, p->tw, &x, Mv) == FLX_OK);
    CHECK(l->transport(s, p->tw, &x, out) == FLX_OK);
    for (int i = 0; i < nv; i++) side[0][i] = (side[1][i] - side[0][i]) / (2.0 * h);
    for (int i = 0; i < t->k.n; i++) {
        int at = t->links[i].v;
        if (t->links[i].kind != FLX_LINK_BALL) continue;
        v3_add_to(side[0] + at, 1.0, v3_cross(v3_load(x.v + at), v3_load(Mv + at)));
    }
    for (int i = 0; i < nv; i++) most = fmax(most, fabs(side[0][i]));
    for (int i = 0; i < nv; i++) CHECK_NEAR(out[i], side[0][i], 1e-8 * most);
    return 0;
}

static inline int lagrangian_at(const pair *p, const flx_point *x, double *L)
{
    flx_energies e;
    CHECK(p->t->ops->energy(p->t, p->tw, x, &e) == FLX_OK);
    *L = e.kinetic - e.potential - e.strain;
    return 0;
}

// F = f + transport, with f from the residual at rest of v', is dL/dq along the chart: Hamel's terms
// included, for which nothing is written down in the equations.
static inline int pair_check_lagrangian(const pair *p)
{
    double r[LAGRANGE_MOST], out[LAGRANGE_MOST], most = 1.0;
    const flx_system *s = p->t;
    flx_point x = flx_state_point(s, p->tx);
    CHECK(s->ops->residual(s, p->tw, &x, r) == FLX_OK); // a = 0, no multipliers
    CHECK(s->ops->lagrangian->transport(s, p->tw, &x, out) == FLX_OK);
    for (int i = 0; i < s->dims.nv; i++) most = fmax(most, fabs(out[i] - r[i]));
    for (int i = 0; i < s->dims.nv; i++) {
        double unit[LAGRANGE_MOST] = {0}, q[2 * LAGRANGE_MOST], L[2], h = 1e-5;
        unit[i] = 1.0;
        for (int k = 0; k < 2; k++) {
            flx_point y = moved(p, unit, k ? h : -h, q);
            CHECK(lagrangian_at(p, &y, L + k) == 0);
        }
        CHECK_NEAR(out[i] - r[i], (L[1] - L[0]) / (2.0 * h), 1e-7 * most);
    }
    return 0;
}
