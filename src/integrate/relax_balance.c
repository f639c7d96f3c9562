// relax_balance.c - positions without inertia and damping: limits of steps to where their forces are in balance (REL-2).
#include "integrate/relax_parts.h"

#include <math.h>
#include <string.h>

// Most corrections, the farthest one and moves that are rounding, of the scale; what moves alike is off by this part of the move,
// whatever the axes; seconds.
#define SETTLING 60
#define FARTHEST 0.3
#define UNMOVED 1e-9
#define ALIKE 1e-3
#define POSITION_STEP 1e-5

// r += (A2/d^2 + A1/d) theta over all rows.
static void add_inertia(const flx_relaxer *e, double d, const double *theta, double *r)
{
    const flx_pattern *p = &e->sys->pattern;
    for (int i = 0; i < p->nblock; i++) {
        for (int k = p->row[i]; k < p->row[i + 1]; k++) {
            int j = p->col[k], at = p->offset[k];
            if (p->start[j] >= e->sys->dims.nv) continue;
            for (int row = p->start[i]; row < p->start[i + 1]; row++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++, at++) {
                    r[row] += (e->blocks.A2[at] / d + e->blocks.A1[at]) / d * theta[c];
                }
            }
        }
    }
}

// (REL-2) from x to y by Newton's method; rates of constraints are not asked for.
static flx_status settle(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    const flx_system *s = e->sys;
    const flx_dims *n = &s->dims;
    int first = flx_dims_first_constraint(n), all = flx_dims_unknowns(n);
    double last = HUGE_VAL;
    flx_weights w = flx_relax_weights(d);
    flx_state_copy(y, x);
    memset(y->a, 0, (size_t)n->nv * sizeof *y->a);
    for (int k = 0; k < SETTLING; k++) {
        for (int i = 0; i < n->nx; i++) y->dx[i] = (y->x[i] - x->x[i]) / d;
        flx_point p = flx_state_point(s, y);
        FLX_TRY(s->ops->residual(s, e->work, &p, e->r));
        FLX_TRY(s->ops->linearise(s, e->work, &p, &e->blocks));
        for (int i = first + n->nlam; i < all; i++) {
            flx_unknown u;
            flx_unknown_at(s, x->switches, i, &u);
            if (u.E == 0.0) e->r[i] = 0.0;
        }
        s->ops->difference(s, x->q, y->q, e->theta);
        add_inertia(e, d, e->theta, e->r);
        FLX_TRY(flx_linear_factor(e->lin, &e->blocks, &w));
        for (int i = 0; i < all; i++) e->r[i] = -e->r[i];
        FLX_TRY(flx_linear_solve(e->lin, e->r));
        double far = 0.0;
        for (int i = 0; i < n->nv; i++) far = fmax(far, fabs(e->r[i]) / e->scale[i]);
        if (!isfinite(far)) return FLX_NOT_FINITE;
        double part = far > FARTHEST ? FARTHEST / far : 1.0;
        for (int i = 0; i < n->nv; i++) e->theta[i] = part * e->r[i];
        s->ops->retract(s, y->q, e->theta, y->q);
        const double *c = e->r + n->nv;
        for (int i = 0; i < n->nx; i++) y->x[i] += part * *c++;
        for (int i = 0; i < n->nw; i++) y->w[i] += *c++;
        for (int i = 0; i < n->nlam; i++) y->lam[i] += *c++;
        for (int i = 0; i < n->nmu; i++) y->mu[i] += *c++;
        if (far <= 1e-15 || (far <= 1e-9 && far > 0.5 * last)) return FLX_OK;
        flx_linear_judge(e->lin, far / last);
        last = far;
    }
    return FLX_NO_CONVERGENCE;
}

// theta (nv): the limit from d on, *moved: its largest part; e->limit[0] is the last of its states.
static flx_status find_balance(flx_relaxer *e, const flx_state *x, double d, double *theta,
                               double *moved)
{
    const flx_system *s = e->sys;
    int nv = s->dims.nv;
    memset(theta, 0, (size_t)nv * sizeof *theta);
    for (int k = 0; k < 3; k++, d *= 0.5) {
        FLX_TRY(settle(e, x, d, e->end[0]));
        s->ops->difference(s, x->q, e->end[0]->q, e->theta);
        for (int i = 0; i < nv; i++) theta[i] += flx_relax_share[k] * e->theta[i];
    }
    *moved = 0.0;
    for (int i = 0; i < nv; i++) *moved = fmax(*moved, fabs(theta[i]) / e->scale[i]);
    flx_state_copy(e->limit[0], e->end[0]);
    return FLX_OK;
}

// theta, closer (nv). What is hardly damped gives way within a time of its own, which the step must not be near to: where a
// shorter one leads elsewhere, it is taken.
static flx_status relax_positions(flx_relaxer *e, flx_state *x, double *theta, double *closer)
{
    const flx_system *s = e->sys;
    const flx_dims *n = &s->dims;
    double d = POSITION_STEP, moved = 0.0, nearer;
    FLX_TRY(flx_relaxer_measure(e, e->work, x));
    d *= e->unit;
    FLX_TRY(find_balance(e, x, d, theta, &moved));
    for (int k = 1; k < FLX_RELAX_MOST_SHORTER && moved > UNMOVED; k++) {
        double off = 0.0;
        d *= FLX_RELAX_SHORTER;
        if (find_balance(e, x, d, closer, &nearer) != FLX_OK) break;
        for (int i = 0; i < n->nv; i++) off = fmax(off, fabs(closer[i] - theta[i]) / e->scale[i]);
        if (off <= ALIKE * moved) break;
        memcpy(theta, closer, (size_t)n->nv * sizeof *theta);
        moved = nearer;
    }
    if (moved <= UNMOVED) return FLX_OK;
    s->ops->retract(s, x->q, theta, x->q);
    memcpy(x->w, e->limit[0]->w, (size_t)n->nw * sizeof *x->w);
    return FLX_OK;
}

flx_status flx_relax_positions(const flx_system *s, flx_work *work, flx_state *x)
{
    flx_relaxer *e = NULL;
    double *theta = flx_alloc(s->ctx, 2 * (size_t)s->dims.nv, sizeof *theta);
    flx_status status = theta ? flx_relaxer_create(s, &e) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        e->work = work;
        status = relax_positions(e, x, theta, theta + s->dims.nv);
    }
    if (e) flx_relaxer_destroy(&e);
    flx_free(theta);
    return status;
}
