// reduce_condense.c - the blocks `reduce` of type guyan: velocities that follow the others as their stiffness at
// rest, in the initial configuration, says.
#include "analyse/frozen.h"
#include "math/eigen.h"
#include "simulate/simulation_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LINKED (64.0 * DBL_EPSILON) // stiffnesses below this part of the largest are rounding

flx_status flx_simulation_freeze(const flx_simulation *sim, const flx_system *s,
                                 const flx_state *drawn, flx_arena *arena, flx_frozen *f)
{
    flx_state *still = NULL;
    flx_work *work = s->ops->work_create(s);
    flx_status status = work ? flx_state_create(s, &still) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        still->t = drawn->t;
        memcpy(still->q, drawn->q, (size_t)s->dims.nq * sizeof *still->q);
        memcpy(still->x, drawn->x, (size_t)s->dims.nx * sizeof *still->x);
        memcpy(still->w, drawn->w, (size_t)s->dims.nw * sizeof *still->w);
        memcpy(still->switches, drawn->switches, (size_t)s->dims.nswitch * sizeof *still->switches);
        status = flx_frozen_create(s, work, still, arena, f);
    }
    flx_state_destroy(&still);
    if (work) s->ops->work_destroy(work);
    if (status != FLX_ERR_CANNOT) return status;
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, sim->model->reduce_loc,
                    "this reduction needs the stiffness as a full matrix, of at most %d unknowns; "
                    "the model has %d",
                    FLX_FROZEN_MOST, flx_dims_unknowns(&s->dims));
}

// The condensation in the making.
typedef struct condensing {
    const flx_simulation *sim;
    flx_arena *arena; // owned: all arrays
    flx_frozen f;
    int n, m;
    int *S, *M;
    double *T, *give, *mass;
} condensing;

static flx_status take(condensing *c, int nv)
{
    size_t n = (size_t)nv;
    c->S = flx_arena_take(c->arena, n, sizeof *c->S);
    c->M = flx_arena_take(c->arena, n, sizeof *c->M);
    c->T = flx_arena_take(c->arena, n * n, sizeof *c->T);
    c->give = flx_arena_take(c->arena, n * n, sizeof *c->give);
    c->mass = flx_arena_take(c->arena, n, sizeof *c->mass);
    return c->S && c->M && c->T && c->give && c->mass ? FLX_OK : FLX_ERR_MEMORY;
}

// Those of the others that a stiffness links to S.
static void find_masters(condensing *c)
{
    const flx_frozen *f = &c->f;
    double most = 0.0;
    for (int k = 0; k < c->n; k++) {
        for (int j = 0; j < f->nv; j++)
            most = fmax(most, fabs(f->K[j * f->nv + c->S[k]]) * f->scale[j] * f->scale[c->S[k]]);
    }
    for (int j = 0; j < f->nv; j++) {
        bool linked = false;
        for (int k = 0; k < c->n; k++) {
            double energy = fabs(f->K[j * f->nv + c->S[k]]) * f->scale[j] * f->scale[c->S[k]];
            linked = linked || energy > LINKED * most;
        }
        if (linked && !flx_is_listed(c->n, c->S, j)) c->M[c->m++] = j;
    }
}

// T = -K_SS^-1 K_SM                                                                    (RED-12)
static flx_status find_matrix(condensing *c)
{
    const flx_frozen *f = &c->f;
    int nv = f->nv, n = c->n, m = c->m;
    double *K = flx_arena_take(c->arena, (size_t)n * (size_t)n, sizeof *K);
    double *B = flx_arena_take(c->arena, (size_t)n * (size_t)(m + n), sizeof *B);
    if (!K || !B) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) K[j * n + i] = f->K[c->S[j] * nv + c->S[i]];
        for (int j = 0; j < m; j++) B[j * n + i] = -f->K[c->M[j] * nv + c->S[i]];
        B[(m + i) * n + i] = 1.0;
    }
    int before = flx_ctx_error_count(c->sim->ctx);
    flx_status status = flx_dense_solve(c->sim->ctx, n, m + n, K, B);
    if (status == FLX_ERR_MEMORY) return status;
    bool good = status == FLX_OK;
    for (int i = 0; i < n * (m + n); i++) good = good && isfinite(B[i]);
    if (!good) {
        flx_ctx_forget_errors(c->sim->ctx, before);
        return FLX_FAIL(c->sim->ctx, FLX_ERR_CANNOT, c->sim->model->condensed[0].loc,
                        "'%s' and what is condensed with it can move without any stiffness, so "
                        "that it does not follow from the rest; condense less of it, or give it a "
                        "spring",
                        flx_reduced_name(c->sim->model, c->sim->model->condensed));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) c->T[i * m + j] = B[j * n + i];
        for (int j = 0; j < n; j++) c->give[i * n + j] = B[(m + j) * n + i];
        double mass = f->M[c->S[i] * nv + c->S[i]];
        c->mass[i] = mass > 0.0 ? mass : 1.0;
    }
    return FLX_OK;
}

flx_status flx_simulation_condense(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    const flx_model *m = sim->model;
    condensing c = {.sim = sim};
    if (m->ncondensed == 0) return FLX_OK;
    c.arena = flx_arena_create(sim->ctx);
    flx_status status = c.arena ? take(&c, (*s)->dims.nv) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        c.n = flx_reduced_find(sim, *s, m->ncondensed, m->condensed, c.S);
        status = flx_simulation_freeze(sim, *s, drawn, c.arena, &c.f);
    }
    if (status == FLX_OK) {
        find_masters(&c);
        status = find_matrix(&c);
    }
    if (status == FLX_OK) {
        const flx_condensed_how how = {
            .n = c.n, .m = c.m, .S = c.S, .M = c.M, .T = c.T, .give = c.give, .mass = c.mass};
        flx_system *base = *s;
        *s = NULL; // taken over
        status = flx_condensed_create(base, &how, s);
    }
    flx_arena_destroy(&c.arena);
    return status;
}

flx_status flx_simulation_settle_condensed(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    flx_status status = flx_condensed_follow(sim->sys, sim->start);
    if (status <= 0) return status;
    return FLX_FAIL(sim->ctx, status, m->condensed[0].loc,
                    "'%s' and what is condensed with it find no rest between the others at the "
                    "start: %s; its stiffness changes too much on the way, condense less",
                    flx_reduced_name(m, m->condensed), flx_status_text(status));
}
