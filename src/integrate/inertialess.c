// inertialess.c - see inertialess.h.
#include "integrate/inertialess.h"

#include "integrate/newton_matrix.h"

#include <string.h>

// Limits are taken from steps of this part of the method's.
#define SHORT 1e-2

void flx_inertialess_destroy(flx_inertialess *k)
{
    flx_saddle_destroy(&k->saddle);
    flx_relaxer_destroy(&k->relaxer);
    flx_free(k->moved);
    flx_state_destroy(&k->trial);
    *k = (flx_inertialess){0};
}

static flx_status make(flx_inertialess *k, const flx_system *s)
{
    if (!k->trial) FLX_TRY(flx_state_create(s, &k->trial));
    if (!k->moved) k->moved = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *k->moved);
    if (!k->moved) return FLX_ERR_MEMORY;
    return k->relaxer ? FLX_OK : flx_relaxer_create(s, &k->relaxer);
}

// Whether row r of block i of the mass matrix is empty.
static bool is_empty(const flx_blocks *b, const flx_system *s, int i, int r)
{
    const flx_pattern *p = &s->pattern;
    for (int e = p->row[i]; e < p->row[i + 1]; e++) {
        int j = p->col[e], nc = p->start[j + 1] - p->start[j];
        if (p->start[j] >= s->dims.nv) continue;
        const double *row = b->A2 + p->offset[e] + r * nc;
        for (int c = 0; c < nc; c++) {
            if (row[c] != 0.0) return false;
        }
    }
    return true;
}

static bool any_empty(const flx_blocks *b, const flx_system *s)
{
    const flx_pattern *p = &s->pattern;
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        for (int r = 0; r < p->start[i + 1] - p->start[i]; r++) {
            if (is_empty(b, s, i, r)) return true;
        }
    }
    return false;
}

// By pivots, not by a solution: where nothing but forces in balance acts on it, any acceleration is one.
static flx_status look(flx_inertialess *k, const flx_system *s, const flx_blocks *b)
{
    const flx_saddle_metric mass = {0};
    int worst;
    k->some = false;
    if (!any_empty(b, s)) return FLX_OK;
    if (!k->saddle) FLX_TRY(flx_saddle_create(s, &k->saddle));
    flx_status status = flx_saddle_factor(k->saddle, b, FLX_ROWS_VELOCITY, &mass);
    k->some = status > 0 || (status == FLX_OK && flx_saddle_regularised(k->saddle, &worst) > 0);
    return status < 0 ? status : FLX_OK;
}

static flx_status expect(flx_inertialess *k, const flx_system *s, const flx_blocks *b)
{
    FLX_TRY(look(k, s, b));
    if (!k->some) {
        flx_state_destroy(&k->trial);
        return FLX_OK;
    }
    FLX_TRY(make(k, s));
    return flx_relaxer_warm(k->relaxer, b);
}

flx_status flx_inertialess_create(flx_inertialess *k, flx_integrator *it, flx_blocks *b)
{
    const flx_system *s = it->sys;
    int errors = flx_ctx_error_count(it->ctx);
    FLX_TRY(flx_state_create(s, &k->trial));
    flx_point p = flx_state_point(s, k->trial);
    flx_status status = s->ops->linearise(s, it->work, &p, b);
    if (status == FLX_OK) return expect(k, s, b);
    if (status > 0)
        flx_ctx_forget_errors(
            it->ctx, errors); // nothing is seen there: memory is taken when a state shows it
    return status > 0 ? FLX_OK : status;
}

// Copies v of unknowns without mass, and leaves the moves of others out.
static void take(flx_inertialess *k, const flx_system *s, const flx_blocks *b, flx_state *x)
{
    const flx_pattern *p = &s->pattern;
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        for (int r = 0; r < p->start[i + 1] - p->start[i]; r++) {
            int at = p->start[i] + r;
            if (is_empty(b, s, i, r))
                x->v[at] = k->trial->v[at];
            else
                k->moved[at] = 0.0;
        }
    }
}

flx_status flx_inertialess_velocities(flx_inertialess *k, flx_integrator *it, const flx_blocks *b,
                                      flx_state *x, double h, bool positions)
{
    const flx_system *s = it->sys;
    if (!k->looked) FLX_TRY(look(k, s, b));
    k->looked = true;
    if (!k->some) return FLX_OK;
    FLX_TRY(make(k, s));
    flx_state_copy(k->trial, x);
    flx_status status = flx_relaxer_velocities(k->relaxer, it->work, k->trial, SHORT * h);
    if (status < 0) return status;
    if (status == FLX_OK) {
        flx_relaxer_moved(k->relaxer, x, k->moved);
        take(k, s, b, x);
        if (positions) {
            memcpy(k->trial->q, x->q, (size_t)s->dims.nq * sizeof *x->q);
            s->ops->retract(s, k->trial->q, k->moved, x->q);
        }
        return FLX_OK;
    }
    if (!k->told) {
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "%s: at t = %.6g the velocities of what has no mass do not follow from its "
                     "forces: those shown alternate about the right ones; trapezoidal, "
                     "generalized-alpha and radau find them",
                     it->type->name, x->t);
    }
    k->told = true;
    return FLX_OK;
}

void flx_inertialess_memory(flx_inertialess *k, flx_integrator *it, flx_memory *m)
{
    bool made = k->relaxer != NULL;
    FLX_PASS(m, k->looked);
    FLX_PASS(m, k->some);
    FLX_PASS(m, k->told);
    FLX_PASS(m, made);
    if (made && !k->relaxer && m->status == FLX_OK) {
        flx_status status = make(k, it->sys);
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    if (made && k->relaxer) flx_relaxer_memory(k->relaxer, m);
}
