// reactions.c - forces of joints from a motion, where bodies have no mass: the masses do not determine accelerations
// in coordinates of bodies, but joint coordinates know them.
//
//     M a - f + G^T lam = 0 with a given:   [ 1 G^T; G 0 ] (u, lam) = (f - M a, 0),  u = 0           (TREE-29)
// The matrix is (SAD-1) without masses; forces that read multipliers are met by iteration.
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"
#include "simulate/simulation_parts.h"

#include <float.h>

#define MOST_ITERATIONS 50
// Corrections of this part of the forces are rounding.
#define ROUNDING (64.0 * DBL_EPSILON)

struct flx_reactions {
    flx_saddle *saddle; // owned
    flx_blocks blocks;  // owned
    double *r;          // (n) owned; then
    double *ones, *a;   // (nv) (nv of the tree)
};

void flx_reactions_destroy(flx_reactions **made)
{
    flx_reactions *k = *made;
    if (!k) return;
    flx_saddle_destroy(&k->saddle);
    flx_blocks_destroy(&k->blocks);
    flx_free(k->r);
    flx_free(k);
    *made = NULL;
}

static flx_status make(flx_simulation *sim)
{
    const flx_system *b = sim->bodies;
    size_t n = (size_t)flx_dims_unknowns(&b->dims), nv = (size_t)b->dims.nv;
    flx_reactions *k = sim->reactions = flx_alloc(sim->ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    k->r = flx_alloc(sim->ctx, n + nv + (size_t)sim->sys->dims.nv, sizeof *k->r);
    if (!k->r) return FLX_ERR_MEMORY;
    k->ones = k->r + n;
    k->a = k->ones + nv;
    for (size_t i = 0; i < nv; i++) k->ones[i] = 1.0;
    FLX_TRY(flx_blocks_create(b, &k->blocks));
    return flx_saddle_create(b, &k->saddle);
}

flx_status flx_reactions_accelerate(flx_simulation *sim, const flx_system *tree, flx_work *work,
                                    flx_state *y)
{
    // the recursion knows masses of links alone: beside flexible bodies the limits are there (integrate/settle.h)
    if (sim->model->nmodal > 0) return FLX_OK;
    memcpy(sim->reactions->a, y->a, (size_t)tree->dims.nv * sizeof *y->a);
    y->a = sim->reactions->a;
    return flx_tree_accelerate_massless(tree, work, y);
}

flx_status flx_reactions_create(flx_simulation *sim)
{
    flx_status status = make(sim);
    flx_state y = *sim->start;
    if (status == FLX_OK) status = flx_reactions_accelerate(sim, sim->sys, sim->work, &y);
    if (status != FLX_OK) flx_reactions_destroy(&sim->reactions);
    return status;
}

// Forces of compliant rows follow from these alone.
static void set_soft(const flx_system *b, const double *r, flx_state *x)
{
    const flx_dims *d = &b->dims;
    int first = flx_dims_first_constraint(d);
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        flx_unknown_at(b, x->switches, first + i, &u);
        double C = u.kind == FLX_UNKNOWN_CONSTRAINT ? u.C : u.E;
        if (C == 0.0) continue;
        *(i < d->nlam ? x->lam + i : x->mu + i - d->nlam) = r[first + i] / C;
    }
}

flx_status flx_reactions_find(flx_simulation *sim, flx_state *x)
{
    const flx_system *b = sim->bodies;
    const flx_dims *d = &b->dims;
    flx_reactions *k = sim->reactions;
    flx_work *work = sim->bodies_work;
    const flx_saddle_metric metric = {.shift = k->ones, .without_mass = true};
    int first = flx_dims_first_constraint(d);
    memset(x->lam, 0, (size_t)d->nlam * sizeof *x->lam);
    memset(x->mu, 0, (size_t)d->nmu * sizeof *x->mu);
    flx_point p = flx_state_point(b, x);
    FLX_TRY(b->ops->residual(b, work, &p, k->r));
    set_soft(b, k->r, x);
    FLX_TRY(b->ops->linearise(b, work, &p, &k->blocks));
    FLX_TRY(flx_saddle_factor(k->saddle, &k->blocks, FLX_ROWS_VELOCITY, &metric));
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        double size = 0.0, most = 0.0;
        FLX_TRY(b->ops->residual(b, work, &p, k->r));
        for (int i = 0; i < d->nv; i++) k->r[i] = -k->r[i];
        memset(k->r + d->nv, 0, (size_t)(flx_dims_unknowns(d) - d->nv) * sizeof *k->r);
        (void)flx_saddle_solve(k->saddle, k->r);
        for (int i = 0; i < d->nlam + d->nmu; i++) {
            double *force = i < d->nlam ? x->lam + i : x->mu + i - d->nlam;
            *force += k->r[first + i];
            size = fmax(size, fabs(k->r[first + i]));
            most = fmax(most, fabs(*force));
        }
        if (!isfinite(most)) return FLX_NOT_FINITE;
        if (!b->reads_multipliers || !(size > ROUNDING * most)) return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}
