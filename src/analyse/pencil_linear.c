// pencil_linear.c - the blocks of a system about a state as dense matrices, with the turn of its axes
// (MODE-1), (MODE-2); which rows are rigid bonds and which are soft.
#include "analyse/pencil_parts.h"
#include "integrate/linear.h"

#include <math.h>

#define MOST_UNKNOWNS 3000 // dense matrices of some hundred megabytes, some minutes

void flx_pencil_spread(const flx_system *s, flx_work *work, const flx_blocks *b, int which,
                       double *scratch, double *A)
{
    size_t n = (size_t)flx_dims_unknowns(&s->dims);
    flx_blocks_spread(s, work, b, which, scratch, A);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double a = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = a;
        }
    }
}

// C(v) (MODE-2), columns that the slope of the chart gives: beta_ijk v_j theta_k by
// velocity_slope_t at theta = 0, whose block of one body couples with no other.
static flx_status add_bracket(flx_linearised *l, const flx_state *x, double *C)
{
    const flx_system *s = l->s;
    const flx_pattern *p = &s->pattern;
    int nv = l->nv;
    double *zero = flx_pencil_take(l->arena, nv, 1), *unit = flx_pencil_take(l->arena, nv, 1),
           *row = flx_pencil_take(l->arena, nv, 1);
    double *e = flx_pencil_take(l->arena, nv, 1);
    if (!zero || !unit || !row || !e) return flx_pencil_no_memory(l->ctx);
    if (!s->ops->velocity_slope_t) return FLX_OK;
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            unit[i] = 1.0;
            s->ops->velocity_slope_t(s, zero, x->v, unit, row);
            for (int j = p->start[b]; j < p->start[b + 1]; j++) C[j * nv + i] += row[j];
            for (int j = p->start[b]; j < p->start[b + 1]; j++) {
                e[j] = 1.0;
                s->ops->velocity_slope_t(s, zero, e, unit, row);
                e[j] = 0.0;
                for (int k = p->start[b]; k < p->start[b + 1]; k++) {
                    C[j * nv + i] -= row[k] * x->v[k];
                }
            }
            unit[i] = 0.0;
        }
    }
    return FLX_OK;
}

static flx_status sort_rows(flx_linearised *l)
{
    const flx_dims *d = &l->s->dims;
    l->scale = flx_pencil_take(l->arena, l->n, 1);
    l->hold = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->roll = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->soft = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    if (!l->scale || !l->hold || !l->roll || !l->soft) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < l->n; i++) {
        flx_unknown u;
        l->s->ops->unknown(l->s, i, &u);
        l->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < d->nv + d->nx) continue;
        bool bond = u.kind == FLX_UNKNOWN_BOND && !(u.C > 0.0);
        if (bond && u.tau == 0.0) {
            l->hold[l->nhold++] = i;
        } else if (bond || (u.kind == FLX_UNKNOWN_VELOCITY_BOND && !(u.E > 0.0))) {
            l->roll[l->nroll++] = i;
        } else {
            l->soft[l->nsoft++] = i;
        }
    }
    return FLX_OK;
}

// A coordinate without mass moves as far as the others do at the mean energy.
static flx_status find_ease(flx_linearised *l)
{
    double energy = 0.0;
    l->ease = flx_pencil_take(l->arena, l->nv, 1);
    if (!l->ease) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < l->nv; i++) {
        energy += l->A2[i * l->n + i] * l->scale[i] * l->scale[i] / l->nv;
    }
    for (int i = 0; i < l->nv; i++) {
        double mass = l->A2[i * l->n + i];
        l->ease[i] =
            mass > 0.0 ? 1.0 / sqrt(mass) : l->scale[i] / sqrt(energy > 0.0 ? energy : 1.0);
    }
    return FLX_OK;
}

flx_status flx_pencil_linearise(flx_linearised *l, const flx_system *s, flx_arena *arena,
                                flx_work *work, const flx_state *x, const double *turn)
{
    *l = (flx_linearised){.s = s,
                          .ctx = s->ctx,
                          .arena = arena,
                          .n = flx_dims_unknowns(&s->dims),
                          .nv = s->dims.nv,
                          .nx = s->dims.nx};
    if (l->n > MOST_UNKNOWNS) {
        return FLX_FAIL(l->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "modes are found for at most %d unknowns, the model has %d; fewer bodies, "
                        "or `formulation: tree`, make it smaller",
                        MOST_UNKNOWNS, l->n);
    }
    flx_blocks b = {0};
    flx_point p = flx_state_point(s, x);
    FLX_TRY(sort_rows(l));
    l->A0 = flx_pencil_take(l->arena, l->n, l->n);
    l->A1 = flx_pencil_take(l->arena, l->n, l->n);
    l->A2 = flx_pencil_take(l->arena, l->n, l->n);
    l->W = flx_pencil_take(l->arena, l->nv, l->nv);
    l->L = flx_pencil_take(l->arena, l->nv, l->nv);
    double *scratch = flx_pencil_take(l->arena, l->n, 2);
    if (!l->A0 || !l->A1 || !l->A2 || !l->W || !l->L || !scratch)
        return flx_pencil_no_memory(l->ctx);
    flx_status status = flx_blocks_create(s, &b);
    if (status == FLX_OK) status = s->ops->linearise(s, work, &p, &b);
    if (status == FLX_OK) {
        flx_pencil_spread(s, work, &b, 0, scratch, l->A0);
        flx_pencil_spread(s, work, &b, 1, scratch, l->A1);
        flx_pencil_spread(s, work, &b, 2, scratch, l->A2);
    }
    flx_blocks_destroy(&b);
    FLX_TRY(status);
    FLX_TRY(find_ease(l));
    FLX_TRY(add_bracket(l, x, l->L)); // C for now
    for (int i = 0; i < l->nv * l->nv; i++) {
        l->W[i] = turn ? turn[i] : 0.0;
        l->L[i] = l->W[i] - l->L[i];
    }
    return FLX_OK;
}
