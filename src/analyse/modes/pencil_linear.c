// pencil_linear.c - the matrices of a system about a state in full; which rows are rigid constraints and which
// are soft.
#include "analyse/modes/pencil_parts.h"
#include "integrate/newton_matrix.h"

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

static flx_status sort_rows(flx_linearised *l, const double *switches)
{
    const flx_dims *d = &l->s->dims;
    l->hold = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->roll = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->soft = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    if (!l->hold || !l->roll || !l->soft) return flx_pencil_no_memory(l->ctx);
    for (int i = d->nv + d->nx; i < l->n; i++) {
        flx_unknown u;
        flx_unknown_at(l->s, switches, i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT && !(u.C > 0.0);
        if (constraint && u.tau == 0.0) {
            l->hold[l->nhold++] = i;
        } else if (constraint || (u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && !(u.E > 0.0))) {
            l->roll[l->nroll++] = i;
        } else {
            l->soft[l->nsoft++] = i;
        }
    }
    return FLX_OK;
}

flx_status flx_pencil_linearise(flx_linearised *l, const flx_quadratic *q)
{
    *l = (flx_linearised){.s = q->s,
                          .ctx = q->ctx,
                          .arena = q->arena,
                          .n = q->n,
                          .nv = q->nv,
                          .nx = q->nx,
                          .scale = q->scale,
                          .ease = q->ease,
                          .rate = q->fastest};
    FLX_TRY(sort_rows(l, q->switches));
    l->A0 = flx_pencil_take(l->arena, l->n, l->n);
    l->A1 = flx_pencil_take(l->arena, l->n, l->n);
    l->A2 = flx_pencil_take(l->arena, l->n, l->n);
    if (!l->A0 || !l->A1 || !l->A2) return flx_pencil_no_memory(l->ctx);
    flx_quadratic_spread(q, 0, l->A0);
    flx_quadratic_spread(q, 1, l->A1);
    flx_quadratic_spread(q, 2, l->A2);
    return FLX_OK;
}
