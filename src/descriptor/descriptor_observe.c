// descriptor_observe.c - what can be read off a consistent state: values of leaves, reactions,
// drives, residuals.
//
// Reactions where rows were left out as redundant: descriptor_least.c.
#include "descriptor/descriptor_leaves.h"
#include "descriptor/descriptor_parts.h"

#include <float.h>

// ---- residuals ----------------------------------------------------------------------------------

// Largest position residual of the system's own rows, whose directions move with the bodies where
// others of their joint were left out.
static double largest_gap(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    double most = 0.0;
    p.lam = p.mu = w->zero;
    flx_eval_constraints(d, w, &p, w->r);
    for (int i = 0; i < d->base.dims.nlam; i++) {
        double value = fabs(w->r[flx_first_lam(d) + i]);
        if (!flx_row_gives(d, i, x->switches) && !(value <= most)) most = value;
    }
    return most;
}

static double largest_rate(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    double most = 0.0;
    p.lam = p.mu = w->zero;
    (void)flx_eval_constraint_rate(&d->base, &w->base, &p, w->rows);
    for (int i = 0; i < d->base.dims.nlam; i++) {
        if (flx_row_gives(d, i, x->switches)) continue;
        if (!(fabs(w->rows[i]) <= most)) most = fabs(w->rows[i]);
    }
    return most;
}

// A row a_0 . b_0 - a_1 . b_1 is the sine of an angle, and zero also where that is half a revolution: by so much it is open
// there. A joint comes to it where a step jumps over the position in which the angle has no meaning.
#define TURNED_OVER (-1e-6)

static double opening(const flx_scalar_row *r, flx_frames f, double value)
{
    if (r->nterm != 2 || r->term[0].kind != FLX_SCALAR_DOT || r->term[1].kind != FLX_SCALAR_DOT)
        return value;
    flx_scalar other[2] = {r->term[0], r->term[1]};
    flx_jet j[2];
    memcpy(other[0].b, r->term[1].b, sizeof other[0].b);
    memcpy(other[1].b, r->term[0].b, sizeof other[1].b);
    for (int k = 0; k < 2; k++) flx_scalar_value(&other[k], f, NULL, &j[k]);
    return j[0].value + j[1].value < TURNED_OVER ? FLX_PI : value;
}

void flx_descriptor_residuals(const flx_system *s, flx_work *work, const flx_state *x,
                              flx_residuals *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *own = flx_descriptor_of(s);
    const flx_descriptor *d = own->complete ? own->complete : own;
    flx_descriptor_work *cw = own->complete ? flx_descriptor_complete_work(own, w) : w;
    const flx_dims *n = &d->base.dims;
    flx_point p = flx_state_point(s, x);
    *out = (flx_residuals){0};
    if (!cw) { // no memory: not known
        out->position = out->velocity = (double)NAN;
        return;
    }
    p.lam = p.mu = cw->zero;
    flx_eval_constraints(d, cw, &p, cw->r);
    (void)flx_eval_constraint_rate(&d->base, &cw->base, &p, cw->rows);
    memcpy(cw->rows + n->nlam, cw->r + flx_first_mu(d), (size_t)n->nmu * sizeof(double));
    double *g = cw->r + flx_first_lam(d);
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *r = d->scalars + i;
        g[r->row] = opening(r, cw->frames, g[r->row]);
    }
    for (int i = 0; i < n->nlam + n->nmu; i++) {
        const flx_row_info *r = d->rows + i;
        if (flx_row_gives(d, i, x->switches)) continue;
        double rate = fabs(cw->rows[i]), value = i < n->nlam ? fabs(g[i]) : 0.0;
        if (!out->velocity_item || !(rate <= out->velocity)) {
            out->velocity = rate;
            out->velocity_item = r->item;
        }
        if (i >= n->nlam) {
            if (!out->level_item || !(rate <= out->level)) {
                out->level = rate;
                out->level_item = r->item;
            }
            continue;
        }
        if (!out->position_item || !(value <= out->position)) {
            out->position = value;
            out->position_item = r->item;
        }
        if (!flx_rows_dropped(own, r->complete)) continue;
        if (out->dropped_item && value <= out->dropped) continue;
        out->dropped = value;
        out->dropped_item = r->item;
    }
    out->kept = own->complete ? largest_gap(own, w, x) : out->position;
    out->kept_rate = own->complete ? largest_rate(own, w, x) : out->velocity;
}

// ---- leaves -------------------------------------------------------------------------------------

static bool wants(int n, const flx_leaf *leaves, flx_leaf_kind kind)
{
    for (int i = 0; i < n; i++) {
        if (flx_leaf_get_kind(leaves[i]) == kind) return true;
    }
    return false;
}

static bool wants_forces(int n, const flx_leaf *leaves)
{
    for (int i = 0; i < n; i++) {
        if (flx_leaf_is(leaves[i], FLX_QUANTITY_FORCE)) return true;
    }
    return false;
}

flx_status flx_descriptor_observe(const flx_system *s, flx_work *work, const flx_state *x, int n,
                                  const flx_leaf *leaves, double *values)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_observation o = {.d = d,
                         .w = w,
                         .x = x,
                         .p = flx_state_point(s, x),
                         .joint = -1,
                         .node = -1,
                         .contact = -1,
                         .inertia_of = -1};
    if (wants(n, leaves, FLX_LEAF_ENERGY) || wants(n, leaves, FLX_LEAF_MOMENTUM)) {
        FLX_TRY(flx_eval_energy(s, &w->base, &o.p, &o.energy));
    }
    if (wants(n, leaves, FLX_LEAF_CONSTRAINTS)) {
        flx_descriptor_residuals(s, &w->base, x, &o.residuals);
    }
    o.rows = (flx_row_view){d, w, o.p, x->lam, x->mu};
    if (d->complete && wants_forces(n, leaves)) {
        FLX_TRY(flx_least_norm(d, w, x, w->lam));
        o.rows.d = d->complete;
        o.rows.w = w->complete;
        o.rows.lam = w->lam;
        o.rows.mu = w->lam + d->complete->base.dims.nlam;
        flx_eval_frames(d->complete, w->complete, &o.p);
    }
    flx_eval_frames(d, w, &o.p);
    if (d->expr.angles.program && wants(n, leaves, FLX_LEAF_TURNS)) {
        flx_eval_leaves(w, &o.p, d->expr.angles.ninput, d->expr.angles.inputs, w->angle_leaves);
        flx_program_eval(d->expr.angles.program, w->angle_leaves, w->scratch, w->angles);
    }
    for (int i = 0; i < n; i++) values[i] = flx_leaf_value(&o, leaves[i]);
    return FLX_OK;
}

// ---- expressions --------------------------------------------------------------------------------

int flx_descriptor_expressions(const flx_system *s, flx_expression_use use, const flx_node **nodes)
{
    static const flx_expr_group_kind kinds[FLX_N_EXPRESSION_USES] = {
        [FLX_EXPRESSION_EFFORT] = FLX_GROUP_VALUE,
        [FLX_EXPRESSION_CONSTRAINT] = FLX_GROUP_CONSTRAINT,
        [FLX_EXPRESSION_MOTION] = FLX_GROUP_TIME,
        [FLX_EXPRESSION_SWITCH] = FLX_GROUP_SWITCH};
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->whole) d = d->whole;
    *nodes = d->expr.group[kinds[use]].nodes;
    return d->expr.group[kinds[use]].n;
}

void flx_descriptor_held(const flx_system *s, const flx_state *x, int n, const flx_leaf *leaves,
                         double *values)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int i = 0; i < n; i++) {
        flx_expr_input in = flx_leaf_input(d, leaves[i]);
        values[i] = in.source == FLX_INPUT_SWITCH      ? x->switches[in.index]
                    : in.source == FLX_INPUT_PARAMETER ? s->param[in.index]
                                                       : 0.0;
    }
}
