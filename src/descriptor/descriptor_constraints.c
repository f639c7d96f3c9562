// descriptor_constraints.c - constraints of the equations: an expression each, zero at all times. Their gradients are rows among
// the constraints; velocity and acceleration level, and forces of given multipliers, are in descriptor_levels.c.
#include "descriptor/descriptor_parts.h"

// ---- making -------------------------------------------------------------------------------------

static flx_status check_constraint(const flx_descriptor *d, const flx_constraint *c, int n,
                                   const flx_direction *along)
{
    for (int i = 0; i < n; i++) {
        if (along[i].unknown < 0 || along[i].unknown >= flx_first_lam(d)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, c->loc,
                            "constraint '%s' contains a reaction; forces and first_order "
                            "equations may, constraints may not",
                            c->name);
        }
        if (along[i].unknown >= d->base.dims.nv) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, c->loc,
                            "constraint '%s' contains a first-order variable; write it as a "
                            "first_order equation with mass 0 instead",
                            c->name);
        }
    }
    return FLX_OK;
}

static bool is_rate_leaf(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_VELOCITY);
}

// Gradient along positions (holonomic) or velocities, and its derivatives along positions.
static flx_status plan_row(flx_descriptor *d, const flx_constraint *c, int n,
                           const flx_direction *along, flx_expr_constraint *b)
{
    flx_graph *g = d->model->graph;
    b->unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    b->slope_unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    b->curve_entry = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    b->curve_slot = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    b->curve_unknown = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    if (!b->unknown || !b->slope_unknown || !b->curve_entry || !b->curve_slot ||
        !b->curve_unknown) {
        return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_expr_add(d, FLX_GROUP_CONSTRAINT, c->value, &b->out));
    b->curve = d->expr.group[FLX_GROUP_CURVE].n;
    for (int i = 0; i < n; i++) {
        if (along[i].rate != b->velocity) continue;
        flx_node grad = flx_expr_derive(d, c->value, along + i);
        if (grad >= 0 && flx_expr_is_zero(d, grad)) continue;
        FLX_TRY(flx_expr_add(d, FLX_GROUP_CONSTRAINT, grad, NULL));
        if (flx_graph_depends(g, grad, is_rate_leaf, NULL)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, c->loc,
                            "constraint '%s' must be linear in the rates", c->name);
        }
        for (int k = 0; k < n; k++) {
            if (along[k].rate) continue;
            flx_node curve = flx_expr_derive(d, grad, along + k);
            if (curve >= 0 && flx_expr_is_zero(d, curve)) continue;
            FLX_TRY(flx_expr_add(d, FLX_GROUP_CURVE, curve, NULL));
            b->curve_entry[b->ncurve] = b->ndep;
            b->curve_unknown[b->ncurve] = along[k].unknown;
            b->curve_slot[b->ncurve++] = along[k].unknown; // a slot once there is a pattern
        }
        b->unknown[b->ndep++] = along[i].unknown;
    }
    b->slope = d->expr.group[FLX_GROUP_CURVE].n;
    for (int k = 0; k < n && b->velocity; k++) {
        if (along[k].rate) continue;
        flx_node slope = flx_expr_derive(d, c->value, along + k);
        if (slope >= 0 && flx_expr_is_zero(d, slope)) continue;
        FLX_TRY(flx_expr_add(d, FLX_GROUP_CURVE, slope, NULL));
        b->slope_unknown[b->nslope++] = along[k].unknown;
    }
    if (b->ndep == 0) {
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, c->loc,
                        "constraint '%s' does not depend on any %s", c->name,
                        b->velocity ? "rate" : "position");
    }
    return FLX_OK;
}

static bool is_time(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_TIME;
}

// Velocity and acceleration level. Accelerations are leaves of value zero, so the second derivative
// in time is the bias.
static flx_status plan_rates(flx_descriptor *d, const flx_constraint *c, flx_expr_constraint *b)
{
    flx_graph *g = d->model->graph;
    void *user = (void *)(uintptr_t)d->model; // the rule reads the model only
    flx_node rate = c->value;
    if (!b->velocity) rate = flx_graph_derive(g, rate, flx_leaf_time_rate, user);
    b->rate = -1;
    b->still = !b->velocity && !flx_graph_depends(g, c->value, is_time, NULL);
    if (!b->velocity && !b->still) {
        FLX_TRY(flx_expr_add(d, FLX_GROUP_RATE, rate, &b->rate));
        d->expr.moving = true;
    }
    return flx_expr_add(d, FLX_GROUP_BIAS, flx_graph_derive(g, rate, flx_leaf_time_rate, user),
                        &b->bias);
}

// The bias along positions, for reductions.
static flx_status plan_third(flx_descriptor *d, int n, const flx_direction *along,
                             flx_expr_constraint *b)
{
    flx_node bias = d->expr.group[FLX_GROUP_BIAS].nodes[b->bias];
    b->third = d->expr.group[FLX_GROUP_THIRD].n;
    b->third_unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    if (!b->third_unknown) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        if (along[k].rate) continue;
        flx_node slope = flx_expr_derive(d, bias, along + k);
        if (slope >= 0 && flx_expr_is_zero(d, slope)) continue;
        FLX_TRY(flx_expr_add(d, FLX_GROUP_THIRD, slope, NULL));
        b->third_unknown[b->nthird++] = along[k].unknown;
    }
    return FLX_OK;
}

static flx_status plan_constraint(flx_descriptor *d, const flx_constraint *c,
                                  flx_expr_constraint *b)
{
    int n;
    flx_direction *along = NULL;
    FLX_TRY(flx_expr_directions(d, c->value, c->loc, c->name, &n, &along));
    flx_status status = check_constraint(d, c, n, along);
    if (status == FLX_OK) status = plan_row(d, c, n, along, b);
    if (status == FLX_OK) status = plan_rates(d, c, b);
    if (status == FLX_OK && !b->velocity && d->expr.thirds) {
        status = plan_third(d, n, along, b);
    }
    flx_free(along);
    return status;
}

flx_status flx_constraints_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->expr.constraints =
        flx_arena_take(d->arena, (size_t)m->nconstraint, sizeof *d->expr.constraints);
    if (!d->expr.constraints) return FLX_ERR_MEMORY;
    d->expr.thirds = m->reduces;
    int lam = d->joint_lam + flx_pulls_complete(d), mu = d->complete_lam + d->joint_mu;
    for (int i = 0; i < m->nconstraint; i++) {
        bool velocity = m->constraints[i].velocity_level;
        int complete = velocity ? mu++ : lam++;
        if (flx_rows_dropped(d, complete)) continue;
        flx_expr_constraint *b = d->expr.constraints + d->expr.nconstraint++;
        b->constraint = i;
        if (d->whole) FLX_TRY(flx_select_constraint(d, b));
        b->velocity = velocity;
        b->row = velocity ? d->base.dims.nmu++ : d->base.dims.nlam++;
        b->complete = complete;
        b->C = m->constraints[i].compliance;
        if (!d->whole) FLX_TRY(plan_constraint(d, m->constraints + i, b));
    }
    return FLX_OK;
}

static int constraint_unknown(const flx_descriptor *d, const flx_expr_constraint *b)
{
    return (b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row;
}

static flx_status couple_constraint(flx_descriptor *d, const flx_expr_constraint *b)
{
    int block = d->block_of[constraint_unknown(d, b)];
    for (int i = 0; i < b->ndep; i++) {
        FLX_TRY(flx_layout_couple(d, block, d->block_of[b->unknown[i]]));
    }
    for (int i = 0; i < b->nslope; i++) {
        FLX_TRY(flx_layout_couple(d, block, d->block_of[b->slope_unknown[i]]));
    }
    for (int i = 0; i < b->ncurve; i++) {
        FLX_TRY(flx_layout_couple(d, d->block_of[b->unknown[b->curve_entry[i]]],
                                  d->block_of[b->curve_slot[i]]));
    }
    return FLX_OK;
}

flx_status flx_constraints_couple(flx_descriptor *d)
{
    for (int i = 0; i < d->expr.nconstraint; i++)
        FLX_TRY(couple_constraint(d, d->expr.constraints + i));
    return FLX_OK;
}

static flx_status fill_constraint(flx_descriptor *d, flx_expr_constraint *b)
{
    const flx_constraint *c = d->model->constraints + b->constraint;
    int unknown = constraint_unknown(d, b);
    b->diag = flx_layout_slot(d, unknown, unknown);
    b->g = flx_arena_take(d->arena, (size_t)b->ndep, sizeof(int));
    b->gt = flx_arena_take(d->arena, (size_t)b->ndep, sizeof(int));
    b->slope_slot = flx_arena_take(d->arena, (size_t)b->nslope, sizeof(int));
    if (!b->g || !b->gt || !b->slope_slot) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->ndep; i++) {
        b->g[i] = flx_layout_slot(d, unknown, b->unknown[i]);
        b->gt[i] = flx_layout_slot(d, b->unknown[i], unknown);
    }
    for (int i = 0; i < b->ncurve; i++) {
        b->curve_slot[i] = flx_layout_slot(d, b->unknown[b->curve_entry[i]], b->curve_slot[i]);
    }
    for (int i = 0; i < b->nslope; i++) {
        b->slope_slot[i] = flx_layout_slot(d, unknown, b->slope_unknown[i]);
    }
    d->rows[(b->velocity ? d->base.dims.nlam : 0) + b->row] =
        (flx_row_info){.item = c->name,
                       .part = b->velocity ? "rate" : "value",
                       .loc = c->loc,
                       .complete = b->complete,
                       .joint = -1,
                       .constraint = b->constraint,
                       .metres = c->metres,
                       .sigma = 1.0,
                       .C = b->C,
                       .held = b->held,
                       .group = b->group};
    return FLX_OK;
}

flx_status flx_constraints_fill(flx_descriptor *d)
{
    for (int i = 0; i < d->expr.nconstraint; i++)
        FLX_TRY(fill_constraint(d, d->expr.constraints + i));
    return FLX_OK;
}

void flx_constraints_mark(flx_descriptor *d)
{
    const flx_expressions *x = &d->expr;
    for (int i = 0; i < x->nconstraint; i++) {
        const flx_expr_constraint *b = x->constraints + i;
        for (int k = 0; k < b->ndep && b->velocity; k++) flx_layout_mark(d, b->g[k], 2);
    }
}

flx_status flx_constraints_renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_expressions *x = &d->expr;
    for (int i = 0; i < x->nconstraint; i++) {
        flx_expr_constraint *b = x->constraints + i;
        double C = m->constraints[b->constraint].compliance;
        if ((C > 0) != (b->C > 0)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, m->constraints[b->constraint].loc,
                            "with these parameters constraint '%s' %s: compile again",
                            m->constraints[b->constraint].name,
                            C > 0 ? "becomes compliant" : "is no longer compliant");
        }
        d->rows[(b->velocity ? d->base.dims.nlam : 0) + b->row].C = b->C = C;
    }
    return FLX_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

void flx_constraints_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                              double *r)
{
    flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        const double *out = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row];
        if (flx_row_opens(b->held, p->switches)) {
            r[(b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row] = -l;
            continue;
        }
        r[(b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row] = out[0] - b->C * l;
        for (int k = 0; k < b->ndep; k++) r[b->unknown[k]] += l * out[1 + k];
    }
}

void flx_constraints_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                               flx_blocks *to)
{
    double *A0 = to->A0, *A1 = to->A1;
    flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    flx_eval_group(d, w, FLX_GROUP_CURVE);
    const double *curve = flx_eval_output(d, w, FLX_GROUP_CURVE);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out + 1;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row];
        if (flx_row_opens(b->held, p->switches)) {
            A0[b->diag] -= 1.0;
            continue;
        }
        for (int k = 0; k < b->ndep; k++) {
            (b->velocity ? A1 : A0)[b->g[k]] += grad[k];
            A0[b->gt[k]] += grad[k];
        }
        A0[b->diag] -= b->C;
        for (int k = 0; k < b->ncurve; k++) A0[b->curve_slot[k]] += l * curve[b->curve + k];
        for (int k = 0; k < b->nslope; k++) A0[b->slope_slot[k]] += curve[b->slope + k];
    }
}

// Constraints that move in time do work -l G v. One that gives way stores C l^2/2, or dissipates
// E m^2, besides.
void flx_constraints_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                            flx_energies *e)
{
    flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    if (d->expr.moving) flx_eval_group(d, w, FLX_GROUP_RATE);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out + 1;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row], rate = 0.0;
        for (int k = 0; k < b->ndep; k++) rate += grad[k] * p->v[b->unknown[k]];
        e->supplied_power -= l * rate;
        if (b->C == 0.0) continue;
        if (b->velocity) {
            e->dissipated_power += b->C * l * l;
            e->supplied_power += b->C * l * l;
        } else {
            e->strain += 0.5 * b->C * l * l;
            double whole = b->still ? rate : flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
            e->supplied_power += l * whole;
        }
    }
}
