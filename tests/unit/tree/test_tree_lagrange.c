// Momenta of the tree on random mechanisms: those of its mass matrix and of its kinetic energy, their
// rates, and Lagrange's equations with the terms of quasi-velocities, against differences.
#include "flexion/extend/method_table.h"
#include "lagrange_check.h"
#include "system_check.h"

// A mechanism with coordinates and rates anywhere; odd seeds have no forces but gravity.
static int open_anywhere(pair *p, uint64_t seed)
{
    CHECK(pair_open(p, seed % 3 == 0 ? 2 : 3, 12000 + seed, seed % 4 > 1) == 0);
    CHECK(pair_take(p, FLX_TREE_FULL) == 0);
    random_motion(&p->k, &flx_tree_of(p->t)->t, p->tx->q, p->tx->v);
    CHECK(flx_dims_unknowns(&p->t->dims) <= LAGRANGE_MOST);
    return 0;
}

static int momenta_are_those_of_masses_and_energy(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        pair p;
        flx_energies e;
        double Mv[LAGRANGE_MOST], T = 0.0, most = 1.0;
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

static int transport_is_the_rate_of_the_masses(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        pair p;
        CHECK(open_anywhere(&p, seed) == 0);
        CHECK(pair_check_transport(&p) == 0);
        pair_close(&p);
    }
    return 0;
}

static int forces_are_those_of_the_lagrangian(void)
{
    for (uint64_t seed = 1; seed <= 61; seed += 2) {
        pair p;
        CHECK(open_anywhere(&p, seed) == 0);
        CHECK(pair_check_lagrangian(&p) == 0);
        pair_close(&p);
    }
    return 0;
}

// Against differences: the slope of the chart's velocities.
static int slope_of_the_chart(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        pair p;
        double th[LAGRANGE_MOST], rate[LAGRANGE_MOST], u[LAGRANGE_MOST], out[LAGRANGE_MOST],
            v[LAGRANGE_MOST], h = 1e-5;
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
        double v[LAGRANGE_MOST], v_b[LAGRANGE_MOST];
        CHECK(open_anywhere(&p, seed) == 0);
        const flx_tree *t = flx_tree_of(p.t);
        bool free = true;
        for (int j = 0; j < p.k.m.njoint; j++) {
            const flx_joint *o = p.k.joints + j;
            free = free && o->body[0] >= 0 && o->body[1] >= 0;
        }
        CHECK(p.d->dims.nv <= LAGRANGE_MOST);
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

// ---- steps --------------------------------------------------------------------------------------

#define STEPS 4

// From a state that meets the closures both coordinates go the same way, to the order of the method.
// -1: closures that depend on each other, or a motion too fast for the steps.
static int step_alike(pair *p, double h, double *apart)
{
    const flx_explicit *td = p->t->ops->explicit_form, *dd = p->d->ops->explicit_form;
    const flx_integrator_def def = {.method = "galerkin", .degree = 3, .step = h};
    static double z[512], dz[512];
    double moved_q, moved_v, theta[LAGRANGE_MOST];
    flx_integrator *a = NULL, *b = NULL;
    flx_state *there = NULL;
    random_vector(&p->k.seed, p->t->dims.nv, 0.7, p->tx->v);
    td->pack(p->t, p->tx, z);
    if (td->project(p->t, p->tw, 0.0, z, p->tx, &moved_q, &moved_v) != FLX_OK) return -1;
    if (td->rate(p->t, p->tw, 0.0, z, p->tx, dz) != FLX_OK) return -1;
    flx_tree_to_bodies(p->t, p->tw, p->tx, p->dx);
    CHECK(dd->prepare(p->d, p->dw) == FLX_OK);
    dd->pack(p->d, p->dx, z);
    if (dd->rate(p->d, p->dw, 0.0, z, p->dx, dz) != FLX_OK) return -1;
    for (int i = 0; i < p->d->dims.nv; i++) {
        if (fabs(p->dx->a[i]) > 30.0) return -1;
    }
    CHECK(flx_integrator_create(p->t, &def, &a) == FLX_OK);
    CHECK(flx_integrator_create(p->d, &def, &b) == FLX_OK);
    CHECK(flx_state_create(p->d, &there) == FLX_OK);
    bool fine = true;
    for (int k = 0; k < STEPS && fine; k++) {
        fine = flx_integrator_step(a, p->tx, h, NULL) == FLX_OK &&
               flx_integrator_step(b, p->dx, h, NULL) == FLX_OK;
    }
    *apart = 0.0;
    if (fine) {
        flx_tree_to_bodies(p->t, p->tw, p->tx, there);
        p->d->ops->difference(p->d, p->dx->q, there->q, theta);
        for (int i = 0; i < p->d->dims.nv; i++) *apart = fmax(*apart, fabs(theta[i]));
    }
    flx_integrator_destroy(&a);
    flx_integrator_destroy(&b);
    flx_state_destroy(&there);
    return fine ? 0 : -1;
}

static int random_mechanisms_move_alike(void)
{
    int compared = 0, closed = 0;
    double most = 0.0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        pair p;
        double apart = 0.0;
        bool loops = seed > 40;
        CHECK(pair_open(&p, seed % 3 == 0 ? 2 : 3, 31000 + seed, loops) == 0);
        CHECK(p.d->dims.nv <= LAGRANGE_MOST);
        int result = step_alike(&p, 0.005, &apart);
        CHECK(result <= 0);
        if (!(apart < 1e-8)) printf("seed %d: %.1e\n", (int)seed, apart);
        CHECK(apart < 1e-8);
        compared += result == 0;
        closed += result == 0 && p.t->dims.nlam + p.t->dims.nmu > 0;
        most = fmax(most, apart);
        pair_close(&p);
    }
    printf("%d mechanisms, %d with closures: %.1e apart\n", compared, closed, most);
    CHECK(compared >= 60 && closed >= 20);
    return 0;
}

TEST_MAIN(SLOW_TEST(random_mechanisms_move_alike), TEST(motions_of_the_whole_are_rigid),
          TEST(momenta_are_those_of_masses_and_energy), TEST(transport_is_the_rate_of_the_masses),
          TEST(forces_are_those_of_the_lagrangian), TEST(slope_of_the_chart))
