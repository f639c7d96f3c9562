// Momenta of the tree on random mechanisms: those of its mass matrix and of its kinetic energy, their
// rates, and Lagrange's equations with the terms of quasi-velocities, against differences.
#include "system_check.h"
#include "tree_pair.h"

#define MOST 64

// A mechanism with coordinates and rates anywhere; odd seeds have no forces but gravity.
static int open_anywhere(pair *p, uint64_t seed)
{
    CHECK(pair_open(p, seed % 3 == 0 ? 2 : 3, 12000 + seed, seed % 4 > 1) == 0);
    CHECK(pair_take(p, FLX_TREE_FULL) == 0);
    random_motion(&p->k, &flx_tree_of(p->t)->t, p->tx->q, p->tx->v);
    CHECK(flx_dims_unknowns(&p->t->dims) <= MOST);
    return 0;
}

// The point at q (+) h theta.
static flx_point moved(const pair *p, const double *theta, double h, double *q)
{
    const flx_system *s = p->t;
    flx_point x = flx_state_point(s, p->tx);
    double th[MOST];
    for (int i = 0; i < s->dims.nv; i++) th[i] = h * theta[i];
    s->ops->retract(s, x.q, th, q);
    x.q = q;
    return x;
}

static int momenta_are_those_of_masses_and_energy(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        pair p;
        flx_energies e;
        double Mv[MOST], T = 0.0, most = 1.0;
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_system *s = p.t;
        const flx_pattern *pt = &s->pattern;
        int nvalue = pt->offset[pt->row[pt->nblock]], nv = s->dims.nv;
        double *A[3] = {numbers(nvalue), numbers(nvalue), numbers(nvalue)};
        flx_blocks b = {A[0], A[1], A[2]};
        flx_point x = flx_state_point(s, p.tx);
        CHECK(s->ops->linearise(s, p.tw, &x, &b) == FLX_OK);
        CHECK(s->ops->energy(s, p.tw, &x, &e) == FLX_OK);
        CHECK(s->ops->lagrangian->momentum(s, p.tw, &x, Mv) == FLX_OK);
        for (int i = 0; i < nv; i++) most = fmax(most, fabs(Mv[i]));
        for (int i = 0; i < nv; i++) {
            double sum = 0.0;
            for (int j = 0; j < nv; j++) sum += block_value(pt, A[2], i, j) * x.v[j];
            CHECK_NEAR(Mv[i], sum, 1e-12 * most);
            T += 0.5 * Mv[i] * x.v[i];
        }
        CHECK_NEAR(T, e.kinetic, 1e-12 * fmax(1.0, e.kinetic));
        for (int k = 0; k < 3; k++) free(A[k]);
        pair_close(&p);
    }
    return 0;
}

// transport = M' v - ad*_v p, with p x w where a ball turns.
static int transport_is_the_rate_of_the_masses(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        pair p;
        double side[2][MOST], Mv[MOST], out[MOST], q[2 * MOST], h = 1e-5, most = 1.0;
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_system *s = p.t;
        const flx_tree_links *t = &flx_tree_of(s)->t;
        const flx_lagrangian *l = s->ops->lagrangian;
        flx_point x = flx_state_point(s, p.tx);
        int nv = s->dims.nv;
        for (int k = 0; k < 2; k++) {
            flx_point y = moved(&p, x.v, k ? h : -h, q);
            CHECK(l->momentum(s, p.tw, &y, side[k]) == FLX_OK);
        }
        CHECK(l->momentum(s, p.tw, &x, Mv) == FLX_OK);
        CHECK(l->transport(s, p.tw, &x, out) == FLX_OK);
        for (int i = 0; i < nv; i++) side[0][i] = (side[1][i] - side[0][i]) / (2.0 * h);
        for (int i = 0; i < t->k.n; i++) {
            int at = t->links[i].v;
            if (t->links[i].kind != FLX_LINK_BALL) continue;
            v3_add_to(side[0] + at, 1.0, v3_cross(v3_load(x.v + at), v3_load(Mv + at)));
        }
        for (int i = 0; i < nv; i++) most = fmax(most, fabs(side[0][i]));
        for (int i = 0; i < nv; i++) CHECK_NEAR(out[i], side[0][i], 1e-8 * most);
        pair_close(&p);
    }
    return 0;
}

static int lagrangian_at(const pair *p, const flx_point *x, double *L)
{
    flx_energies e;
    CHECK(p->t->ops->energy(p->t, p->tw, x, &e) == FLX_OK);
    *L = e.kinetic - e.potential - e.strain;
    return 0;
}

// F = f + transport, with f from the residual at rest of v', is dL/dq along the chart: Hamel's terms
// included, for which nothing is written down in the equations.
static int forces_are_those_of_the_lagrangian(void)
{
    for (uint64_t seed = 1; seed <= 61; seed += 2) {
        pair p;
        double r[MOST], out[MOST], most = 1.0;
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_system *s = p.t;
        flx_point x = flx_state_point(s, p.tx);
        CHECK(s->ops->residual(s, p.tw, &x, r) == FLX_OK); // a = 0, no multipliers
        CHECK(s->ops->lagrangian->transport(s, p.tw, &x, out) == FLX_OK);
        for (int i = 0; i < s->dims.nv; i++) most = fmax(most, fabs(out[i] - r[i]));
        for (int i = 0; i < s->dims.nv; i++) {
            double unit[MOST] = {0}, q[2 * MOST], L[2], h = 1e-5;
            unit[i] = 1.0;
            for (int k = 0; k < 2; k++) {
                flx_point y = moved(&p, unit, k ? h : -h, q);
                CHECK(lagrangian_at(&p, &y, L + k) == 0);
            }
            CHECK_NEAR(out[i] - r[i], (L[1] - L[0]) / (2.0 * h), 1e-7 * most);
        }
        pair_close(&p);
    }
    return 0;
}

// Against differences: the slope of the chart's velocities.
static int slope_of_the_chart(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        pair p;
        double th[MOST], rate[MOST], u[MOST], out[MOST], v[MOST], h = 1e-5;
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_system *s = p.t;
        int nv = s->dims.nv;
        random_vector(&p.k.seed, nv, 1.5, th);
        random_vector(&p.k.seed, nv, 1.5, rate);
        random_vector(&p.k.seed, nv, 1.5, u);
        s->ops->velocity_slope_t(s, th, rate, u, out);
        for (int i = 0; i < nv; i++) {
            double sum[2] = {0.0, 0.0}, at = th[i];
            for (int k = 0; k < 2; k++) {
                th[i] = at + (k ? h : -h);
                s->ops->velocity(s, th, rate, v);
                for (int j = 0; j < nv; j++) sum[k] += u[j] * v[j];
            }
            th[i] = at;
            CHECK_NEAR(out[i], (sum[1] - sum[0]) / (2.0 * h), 1e-8);
        }
        pair_close(&p);
    }
    return 0;
}

// Where nothing is held by the ground: bodies move as they do in their own coordinates.
static int motions_of_the_whole_are_rigid(void)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        pair p;
        double v[MOST], v_b[MOST];
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_tree *t = flx_tree_of(p.t);
        bool free = true;
        for (int j = 0; j < p.k.m.njoint; j++) {
            const flx_joint *o = p.k.joints + j;
            free = free && o->body[0] >= 0 && o->body[1] >= 0;
        }
        CHECK(p.d->dims.nv <= MOST);
        flx_tree_to_bodies(p.t, p.tw, p.tx, p.dx);
        for (int k = 0; k < 6; k++) {
            bool moves = p.t->ops->rigid_motion(p.t, p.tx->q, k, v);
            if (!moves) CHECK(!free || (p.k.m.dimension == 2 && k >= 2 && k <= 4));
            if (!moves) continue;
            found++;
            memcpy(p.tx->v, v, (size_t)p.t->dims.nv * sizeof *v);
            flx_tree_to_bodies(p.t, p.tw, p.tx, p.dx);
            CHECK(p.d->ops->rigid_motion(p.d, p.dx->q, k, v_b));
            for (int i = 0; i < flx_tree_inner(t)->variable_v; i++) {
                CHECK_NEAR(p.dx->v[i], v_b[i], 1e-13);
            }
        }
        pair_close(&p);
    }
    printf("%d motions\n", found);
    CHECK(found > 100);
    return 0;
}

TEST_MAIN(TEST(motions_of_the_whole_are_rigid), TEST(momenta_are_those_of_masses_and_energy),
          TEST(transport_is_the_rate_of_the_masses), TEST(forces_are_those_of_the_lagrangian),
          TEST(slope_of_the_chart))
