// Flexible bodies on the tree: the accelerations of the descriptor, derivatives that are derivatives, coordinates from
// places, in the plane and in space, with loops and without, joints at nodes of either body.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "lagrange_check.h"
#include "random_elastic.h"
#include "system_check.h"
#include "tree_pair.h"

typedef struct bent {
    pair p;
    elastic_parts parts;
} bent;

static void bent_close(bent *b)
{
    pair_close(&b->p);
    flx_arena_destroy(&b->parts.arena);
}

static int bent_open(bent *b, uint64_t seed, bool loops)
{
    b->p = (pair){0};
    int dimension = seed % 3 == 0 ? 2 : 3;
    if (loops) {
        random_loops(&b->p.k, dimension, seed);
    } else {
        random_tree(&b->p.k, dimension, seed);
    }
    random_elastic(&b->p.k, &b->parts);
    if (seed % 2 == 0) random_forces(&b->p.k);
    random_node_forces(&b->p.k);
    return pair_make(&b->p);
}

static int accelerations_are_those_of_the_descriptor(void)
{
    int compared = 0, closed = 0, bends = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        bent b;
        bool loops = seed > 100;
        CHECK(bent_open(&b, 3000 + seed, loops) == 0);
        pair *p = &b.p;
        bool has = p->t->dims.nlam + p->t->dims.nmu > 0;
        if (loops && !has) {
            bent_close(&b);
            continue;
        }
        int result = pair_accelerate_alike(p, 1e-12);
        if (result > 0) printf("seed %d\n", (int)seed);
        CHECK(result <= 0);
        CHECK(loops || result == 0);
        compared += result == 0;
        closed += result == 0 && has;
        bends += result == 0 ? flx_tree_of(p->t)->t.nbend : 0;
        bent_close(&b);
    }
    printf("%d mechanisms, %d with loops, %d bends\n", compared, closed, bends);
    CHECK(compared >= 200 && closed >= 60 && bends >= 200);
    return 0;
}

static int derivatives_are_derivatives(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bent b;
        system_point at;
        CHECK(bent_open(&b, 8000 + seed, seed % 2 == 0) == 0);
        pair *p = &b.p;
        CHECK(check_pattern(p->t) == 0);
        CHECK(system_point_init(&at, p->t, seed));
        memcpy(at.x->q, p->tx->q, (size_t)p->t->dims.nq * sizeof(double));
        randomise(&at, 0.3);
        CHECK(check_tangent(&at, 2e-6) == 0);
        CHECK(check_chart(&at, 1e-6) == 0);
        if (p->t->dims.nlam + p->t->dims.nmu > 0) CHECK(check_constraints(&at, 1e-5) == 0);
        CHECK(check_energy(&at, 1e-6) == 0);
        system_point_free(&at);
        bent_close(&b);
    }
    return 0;
}

static int places_of_bodies_give_coordinates(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bent b;
        flx_state *back = NULL;
        double theta[128];
        CHECK(bent_open(&b, 600 + seed, false) == 0);
        pair *p = &b.p;
        random_motion(&p->k, &flx_tree_of(p->t)->t, p->tx->q, p->tx->v);
        flx_tree_to_bodies(p->t, p->tw, p->tx, p->dx);
        CHECK(flx_state_create(p->d, &back) == FLX_OK);
        CHECK(flx_tree_from_bodies(p->t, p->dx, p->tx) == FLX_OK);
        flx_tree_to_bodies(p->t, p->tw, p->tx, back);
        CHECK(p->d->dims.nv <= 128);
        p->d->ops->difference(p->d, p->dx->q, back->q, theta);
        for (int i = 0; i < p->d->dims.nv; i++) CHECK_NEAR(theta[i], 0.0, 1e-11);
        for (int i = 0; i < p->d->dims.nv; i++) CHECK_NEAR(back->v[i], p->dx->v[i], 1e-10);
        flx_state_destroy(&back);
        bent_close(&b);
    }
    return 0;
}

// Without damping the forces are those of the Lagrangian.
static int momenta_are_those_of_the_lagrangian(void)
{
    for (uint64_t seed = 1; seed <= 61; seed += 2) {
        bent b;
        CHECK(bent_open(&b, 14000 + seed, seed % 4 > 1) == 0);
        pair *p = &b.p;
        for (int i = 0; i < p->k.m.nmodal; i++) {
            const flx_elastic *e = p->k.m.modals[i].e;
            memset(e->D, 0, (size_t)(e->n * e->n) * sizeof *e->D);
        }
        random_motion(&p->k, &flx_tree_of(p->t)->t, p->tx->q, p->tx->v);
        CHECK(flx_dims_unknowns(&p->t->dims) <= LAGRANGE_MOST);
        CHECK(pair_check_transport(p) == 0);
        CHECK(p->k.m.nforce > 0 || pair_check_lagrangian(p) == 0);
        bent_close(&b);
    }
    return 0;
}

static int memory_may_run_out(void)
{
    bent b;
    flx_system *t = NULL;
    flx_work *w = NULL;
    CHECK(bent_open(&b, 3101, true) == 0);
    flx_ctx *ctx = b.p.k.ctx;
    for (int k = 0; !t; k++) {
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_tree_create(&b.p.k.m, b.p.d, b.p.dx, 0, &t);
        CHECK(status == FLX_OK || (status == FLX_ERR_MEMORY && !t && k < 1000));
    }
    for (int k = 0; !w; k++) {
        flx_ctx_fail_allocation(ctx, k);
        w = t->ops->work_create(t);
        CHECK(k < 1000);
    }
    flx_ctx_fail_allocation(ctx, -1);
    t->ops->work_destroy(w);
    flx_system_destroy(&t);
    bent_close(&b);
    return 0;
}

TEST_MAIN(TEST(accelerations_are_those_of_the_descriptor), TEST(derivatives_are_derivatives),
          TEST(places_of_bodies_give_coordinates), TEST(momenta_are_those_of_the_lagrangian),
          TEST(memory_may_run_out))
