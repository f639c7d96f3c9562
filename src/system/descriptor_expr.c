// descriptor_expr.c - expressions of the model in the residual: forces, right-hand sides, masses,
// motions and constraints. Every derivative is exact: the graph is differentiated along the unit
// motions of the bodies it depends on and along the other unknowns, and all of one purpose is
// compiled into one program, so shared parts are evaluated once.
#include "system/descriptor_parts.h"

#include <stdlib.h>

// ---- nodes --------------------------------------------------------------------------------------

flx_status flx_expr_add(flx_descriptor *d, flx_group_kind kind, flx_node node, int *out)
{
    flx_group *g = d->expr.group + kind;
    if (node < 0) return FLX_ERR_MEMORY;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&g->nodes, &g->capacity, g->n + 1, sizeof *g->nodes));
    if (out) *out = g->n;
    g->nodes[g->n++] = node;
    return FLX_OK;
}

// One direction along which an expression may be differentiated.
typedef struct direction {
    int unknown;
    bool rate;     // a velocity
    flx_leaf leaf; // the leaf itself; for a position of a body: any of its leaves
    int body, d;   // unit motion of a body; body -1: partial derivative by the leaf
    double factor; // of the leaf by the unknown
    int reading;   // along component d of a reaction, which has unknowns of its own; -1: no
} direction;

static flx_node derive(const flx_descriptor *d, flx_node n, const direction *along)
{
    flx_graph *g = d->model->graph;
    if (along->body >= 0) {
        flx_body_motion motion = {d->model, along->body, along->d};
        return flx_graph_derive(g, n, flx_leaf_body_motion, &motion);
    }
    flx_leaf leaf = along->leaf;
    return flx_graph_derive(g, n, flx_leaf_partial, &leaf);
}

static bool is_zero(const flx_descriptor *d, flx_node n)
{
    double value;
    return flx_graph_is_const(d->model->graph, n, &value) && value == 0.0;
}

static int along_row(const flx_descriptor *d, int row, direction *out)
{
    out->unknown = flx_first_lam(d) + row;
    return row >= 0;
}

// The directions that a leaf stands for: at most three.
static int leaf_directions(flx_descriptor *d, flx_leaf leaf, direction out[3])
{
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    int turns = d->planar ? 2 : 3; // translations before the rotations
    out[0] = (direction){.leaf = leaf, .body = -1, .factor = 1.0, .reading = -1};
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_BODY_POSITION:
        out[0].body = i;
        out[0].d = c;
        out[0].unknown = d->body_v[i] + c;
        return c < d->body_nv[i] && c < turns;
    case FLX_LEAF_BODY_ROTATION:
        if (d->body_nv[i] <= turns) return 0; // a point does not turn
        for (int k = 0; k < d->body_nv[i] - turns; k++) {
            out[k] = out[0];
            out[k].unknown = d->body_v[i] + turns + k;
            out[k].body = i;
            out[k].d = turns + k;
        }
        return d->body_nv[i] - turns;
    case FLX_LEAF_BODY_VELOCITY:
        out[0].rate = true;
        out[0].unknown = d->body_v[i] + c;
        return c < turns;
    case FLX_LEAF_BODY_SPIN:
        out[0].rate = true;
        out[0].unknown = d->body_v[i] + turns + c;
        return d->body_nv[i] > turns;
    case FLX_LEAF_VARIABLE:
        out[0].unknown = d->variable_v + i;
        return 1;
    case FLX_LEAF_VARIABLE_RATE:
        out[0].rate = true;
        out[0].unknown = d->variable_v + i;
        return 1;
    case FLX_LEAF_STATE:
        out[0].unknown = flx_first_x(d) + i;
        return 1;
    case FLX_LEAF_ALGEBRAIC:
        out[0].unknown = flx_first_w(d) + i;
        return 1;
    case FLX_LEAF_DRIVE:
        out[0].factor = -1.0;
        return along_row(d, flx_read_drive(d, i), out);
    case FLX_LEAF_MULTIPLIER:
        return along_row(d, flx_read_multiplier(d, i), out);
    case FLX_LEAF_PULL:
        return along_row(d, flx_forces_find_mixed(d, i, c), out);
    case FLX_LEAF_REACTION:
        out[0].unknown = -1;
        out[0].d = c;
        return 1;
    default:
        return 0;
    }
}

static bool allowed(flx_leaf leaf)
{
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
    case FLX_LEAF_TURNS:
    case FLX_LEAF_SWITCH:
    case FLX_LEAF_DISCRETE:
    case FLX_LEAF_COUNT:
    case FLX_LEAF_BODY_POSITION:
    case FLX_LEAF_BODY_ROTATION:
    case FLX_LEAF_BODY_VELOCITY:
    case FLX_LEAF_BODY_SPIN:
    case FLX_LEAF_VARIABLE:
    case FLX_LEAF_VARIABLE_RATE:
    case FLX_LEAF_STATE:
    case FLX_LEAF_ALGEBRAIC:
    case FLX_LEAF_REACTION:
    case FLX_LEAF_DRIVE:
    case FLX_LEAF_MULTIPLIER:
    case FLX_LEAF_PULL:
        return true;
    default:
        return false;
    }
}

static int by_direction(const void *a, const void *b)
{
    const direction *x = a, *y = b;
    if (x->rate != y->rate) return x->rate - y->rate;
    if (x->unknown != y->unknown) return x->unknown - y->unknown;
    if (x->reading != y->reading) return x->reading - y->reading;
    return x->reading < 0 ? 0 : x->d - y->d;
}

// What a node depends on, each direction once. *out is the caller's (flx_free).
static flx_status find_directions(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                                  int *n, direction **out)
{
    flx_leaf *leaves = NULL;
    int nleaf = 0, reading = -1;
    *n = 0;
    *out = NULL;
    FLX_TRY(flx_graph_leaves(d->model->graph, 1, &node, &nleaf, &leaves));
    flx_status status = FLX_OK;
    direction *list = flx_alloc(d->base.ctx, 3 * (size_t)nleaf, sizeof *list);
    if (!list) status = FLX_ERR_MEMORY;
    for (int i = 0; i < nleaf && status == FLX_OK; i++) {
        if (!allowed(leaves[i])) {
            status = FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, loc,
                              "'%s' depends on accelerations or energies: those are known only "
                              "after the equations are solved, and serve as outputs alone",
                              name);
            break;
        }
        if (flx_leaf_get_kind(leaves[i]) == FLX_LEAF_REACTION) {
            status = flx_read_reaction(d, flx_leaf_get_index(leaves[i]), &reading);
        }
        int count = leaf_directions(d, leaves[i], list + *n);
        if (count > 0 && list[*n].unknown < 0) list[*n].reading = reading;
        *n += count;
    }
    flx_free(leaves);
    if (status != FLX_OK) {
        flx_free(list);
        return status;
    }
    qsort(list, (size_t)*n, sizeof *list, by_direction);
    int unique = 0;
    for (int i = 0; i < *n; i++) {
        if (i == 0 || by_direction(list + i, list + i - 1) != 0) list[unique++] = list[i];
    }
    *n = unique;
    *out = list;
    return FLX_OK;
}

// ---- channels -----------------------------------------------------------------------------------

// An expression of the residual with its derivatives. The same node is the same channel.
static flx_status add_channel(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                              int *channel)
{
    flx_expressions *x = &d->expr;
    direction *along = NULL;
    int n;
    *channel = -1;
    if (node < 0) return FLX_OK;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&x->channels, &x->channel_capacity, x->nchannel + 1,
                     sizeof *x->channels));
    FLX_TRY(find_directions(d, node, loc, name, &n, &along));
    flx_channel c = {.node = node, .dep = x->ndep};
    flx_status status = flx_expr_add(d, FLX_GROUP_VALUE, node, &c.value);
    for (int i = 0; i < n && status == FLX_OK; i++) {
        flx_node slope = derive(d, node, along + i);
        if (slope >= 0 && is_zero(d, slope)) continue;
        status = flx_grow(d->base.ctx, (void **)&x->deps, &x->dep_capacity, x->ndep + 1,
                          sizeof *x->deps);
        if (status == FLX_OK) status = flx_expr_add(d, FLX_GROUP_SLOPE, slope, NULL);
        if (status != FLX_OK) break;
        x->deps[x->ndep++] = (flx_dep){.unknown = along[i].unknown,
                                       .rate = along[i].rate,
                                       .factor = along[i].factor,
                                       .reading = along[i].reading,
                                       .component = along[i].reading < 0 ? 0 : along[i].d};
        if (along[i].unknown < 0 || along[i].unknown >= flx_first_lam(d)) {
            d->base.reads_multipliers = 1;
        }
        c.ndep++;
    }
    flx_free(along);
    if (status != FLX_OK) return status;
    *channel = x->nchannel;
    x->channels[x->nchannel++] = c;
    return FLX_OK;
}

static flx_status check_mass(const flx_descriptor *d, int channel, flx_loc loc, const char *name)
{
    const flx_channel *c = d->expr.channels + channel;
    for (int i = c->dep; i < c->dep + c->ndep; i++) {
        int u = d->expr.deps[i].unknown;
        if (u >= 0 && u < flx_first_lam(d)) continue;
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, loc,
                        "the mass of '%s' depends on a reaction; forces may, masses may not", name);
    }
    return FLX_OK;
}

static flx_status add_row(flx_descriptor *d, flx_node node, flx_loc loc, const char *name, int row,
                          int acceleration, double sign)
{
    int channel;
    if (is_zero(d, node)) return FLX_OK;
    FLX_TRY(add_channel(d, node, loc, name, &channel));
    if (acceleration >= 0) FLX_TRY(check_mass(d, channel, loc, name));
    flx_expr_row *r = d->expr.rows + d->expr.nrow++;
    *r = (flx_expr_row){.channel = channel,
                        .row = row,
                        .acceleration = acceleration,
                        .sign = sign,
                        .mass_rate = -1};
    if (acceleration < 0) return FLX_OK;
    void *user = (void *)(uintptr_t)d->model; // the rule reads the model only
    flx_node rate = flx_graph_derive(d->model->graph, node, flx_leaf_time_rate, user);
    if (rate >= 0 && is_zero(d, rate)) return FLX_OK;
    return flx_expr_add(d, FLX_GROUP_RATE, rate, &r->mass_rate);
}

static flx_status plan_equations(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n =
        2 * (size_t)m->nvariable + (size_t)m->nfirst + 2 * (size_t)m->ncoupling + (size_t)d->nlaw;
    d->expr.rows = flx_arena_take(d->arena, n, sizeof *d->expr.rows);
    if (!d->expr.rows) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nvariable; i++) {
        const flx_variable *v = m->variables + i;
        int row = d->variable_v + i;
        FLX_TRY(add_row(d, v->mass, v->loc, v->name, row, row, 1.0));
        FLX_TRY(add_row(d, v->force, v->loc, v->name, row, -1, -1.0));
    }
    for (int k = 0; k < m->ncoupling; k++) {
        const flx_coupling *c = m->couplings + k;
        int i = d->variable_v + c->i, j = d->variable_v + c->j;
        FLX_TRY(add_row(d, c->value, c->loc, "coupling", i, j, 1.0));
        if (i != j) FLX_TRY(add_row(d, c->value, c->loc, "coupling", j, i, 1.0));
    }
    for (int i = 0; i < m->nfirst; i++) {
        const flx_first_order *f = m->firsts + i;
        int row = (f->algebraic ? flx_first_w(d) : flx_first_x(d)) + f->number;
        FLX_TRY(add_row(d, f->derivative, f->loc, f->name, row, -1, f->algebraic ? 1.0 : -1.0));
    }
    return FLX_OK;
}

static flx_status plan_wrench(flx_descriptor *d, const flx_force *f)
{
    flx_expr_wrench *w = d->expr.wrenches + d->expr.nwrench++;
    memcpy(w->body, f->body, sizeof w->body);
    w->friction = f->friction;
    for (int i = 0; i < 2; i++) FLX_TRY(flx_forces_place(d, f, i, w->s[i]));
    for (int k = 0; k < 3; k++) {
        FLX_TRY(add_channel(d, f->force[k], f->loc, f->name, &w->channel[k]));
        FLX_TRY(add_channel(d, f->torque[k], f->loc, f->name, &w->channel[3 + k]));
    }
    return FLX_OK;
}

static flx_status plan_effort(flx_descriptor *d, const flx_force *f)
{
    flx_expr_effort *e = d->expr.efforts + d->expr.neffort++;
    FLX_TRY(add_channel(d, f->value, f->loc, f->name, &e->channel));
    return flx_forces_scalar(d, f, &e->s, &e->sign);
}

// (MIX-4) C (value - lambda) = 0 for a force that is an unknown.
static flx_status plan_laws(flx_descriptor *d)
{
    for (int i = d->nmixed - d->nlaw; i < d->nmixed; i++) {
        const flx_force *f = d->model->forces + d->mixed_of[i].force;
        int channel;
        FLX_TRY(add_channel(d, f->value, f->loc, f->name, &channel));
        d->mixed_of[i].law = d->expr.nrow;
        d->expr.rows[d->expr.nrow++] = (flx_expr_row){.channel = channel,
                                                      .row = flx_first_lam(d) + d->first_mixed + i,
                                                      .acceleration = -1,
                                                      .sign = 1.0, // until it is scaled
                                                      .mass_rate = -1};
    }
    return FLX_OK;
}

static flx_status plan_forces(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = (size_t)m->nforce + (size_t)m->nfriction;
    d->expr.wrenches = flx_arena_take(d->arena, n, sizeof *d->expr.wrenches);
    d->expr.efforts = flx_arena_take(d->arena, n, sizeof *d->expr.efforts);
    if (!d->expr.wrenches || !d->expr.efforts) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->type == FLX_FORCE_WRENCH) FLX_TRY(plan_wrench(d, f));
        if ((f->type == FLX_FORCE_ACTUATOR || f->type == FLX_FORCE_JOINT) && !f->mixed) {
            FLX_TRY(plan_effort(d, f));
        }
    }
    FLX_TRY(plan_laws(d));
    for (int i = 0; i < m->nfriction; i++) FLX_TRY(plan_wrench(d, m->frictions + i));
    return FLX_OK;
}

// ---- motions ------------------------------------------------------------------------------------

static bool is_not_time(void *user, flx_leaf leaf)
{
    (void)user;
    flx_leaf_kind k = flx_leaf_get_kind(leaf);
    return k != FLX_LEAF_TIME && k != FLX_LEAF_SWITCH;
}

static flx_status plan_motions(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->motion_of_joint = flx_arena_take(d->arena, (size_t)m->njoint, sizeof(int));
    if (!d->motion_of_joint) return FLX_ERR_MEMORY;
    flx_leaf time = flx_leaf_make(FLX_LEAF_TIME, 0, 0);
    for (int j = 0; j < m->njoint; j++) {
        d->motion_of_joint[j] = -1;
        if (m->joints[j].motion == FLX_MOTION_NONE) continue;
        flx_node n = m->joints[j].motion_value;
        if (flx_graph_depends(m->graph, n, is_not_time, NULL)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, m->joints[j].motion_loc,
                            "the motion of joint '%s' may depend on t alone", m->joints[j].name);
        }
        d->motion_of_joint[j] = d->expr.nmotion++;
        for (int k = 0; k < 3; k++) {
            FLX_TRY(flx_expr_add(d, FLX_GROUP_TIME, n, NULL));
            n = flx_graph_derive(m->graph, n, flx_leaf_partial, &time);
        }
    }
    return FLX_OK;
}

// ---- constraints --------------------------------------------------------------------------------

static flx_status check_constraint(const flx_descriptor *d, const flx_constraint *c, int n,
                                   const direction *along)
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
    flx_leaf_kind k = flx_leaf_get_kind(leaf);
    return k == FLX_LEAF_BODY_VELOCITY || k == FLX_LEAF_BODY_SPIN || k == FLX_LEAF_VARIABLE_RATE;
}

// Gradient along positions (holonomic) or velocities, and its derivatives along positions.
static flx_status plan_bond(flx_descriptor *d, const flx_constraint *c, int n,
                            const direction *along, flx_expr_bond *b)
{
    flx_graph *g = d->model->graph;
    b->unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    b->slope_unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    b->curve_entry = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    b->curve_slot = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    if (!b->unknown || !b->slope_unknown || !b->curve_entry || !b->curve_slot) {
        return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_expr_add(d, FLX_GROUP_BOND, c->value, &b->out));
    b->curve = d->expr.group[FLX_GROUP_CURVE].n;
    for (int i = 0; i < n; i++) {
        if (along[i].rate != b->velocity) continue;
        flx_node grad = derive(d, c->value, along + i);
        if (grad >= 0 && is_zero(d, grad)) continue;
        FLX_TRY(flx_expr_add(d, FLX_GROUP_BOND, grad, NULL));
        if (flx_graph_depends(g, grad, is_rate_leaf, NULL)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, c->loc,
                            "constraint '%s' must be linear in the rates", c->name);
        }
        for (int k = 0; k < n; k++) {
            if (along[k].rate) continue;
            flx_node curve = derive(d, grad, along + k);
            if (curve >= 0 && is_zero(d, curve)) continue;
            FLX_TRY(flx_expr_add(d, FLX_GROUP_CURVE, curve, NULL));
            b->curve_entry[b->ncurve] = b->ndep;
            b->curve_slot[b->ncurve++] = along[k].unknown; // a slot once there is a pattern
        }
        b->unknown[b->ndep++] = along[i].unknown;
    }
    b->slope = d->expr.group[FLX_GROUP_CURVE].n;
    for (int k = 0; k < n && b->velocity; k++) {
        if (along[k].rate) continue;
        flx_node slope = derive(d, c->value, along + k);
        if (slope >= 0 && is_zero(d, slope)) continue;
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
static flx_status plan_rates(flx_descriptor *d, const flx_constraint *c, flx_expr_bond *b)
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

static flx_status plan_constraint(flx_descriptor *d, const flx_constraint *c, flx_expr_bond *b)
{
    int n;
    direction *along = NULL;
    FLX_TRY(find_directions(d, c->value, c->loc, c->name, &n, &along));
    flx_status status = check_constraint(d, c, n, along);
    if (status == FLX_OK) status = plan_bond(d, c, n, along, b);
    if (status == FLX_OK) status = plan_rates(d, c, b);
    flx_free(along);
    return status;
}

static flx_status plan_constraints(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->expr.bonds = flx_arena_take(d->arena, (size_t)m->nconstraint, sizeof *d->expr.bonds);
    if (!d->expr.bonds) return FLX_ERR_MEMORY;
    int lam = d->joint_lam + d->complete_mixed, mu = d->complete_lam + d->joint_mu;
    for (int i = 0; i < m->nconstraint; i++) {
        bool velocity = m->constraints[i].velocity_level;
        int complete = velocity ? mu++ : lam++;
        if (flx_rows_dropped(d, complete)) continue;
        flx_expr_bond *b = d->expr.bonds + d->expr.nbond++;
        b->velocity = velocity;
        b->row = velocity ? d->base.dims.nmu++ : d->base.dims.nlam++;
        b->complete = complete;
        b->constraint = i;
        b->C = m->constraints[i].compliance;
        FLX_TRY(plan_constraint(d, m->constraints + i, b));
    }
    return FLX_OK;
}

flx_status flx_expr_plan(flx_descriptor *d)
{
    FLX_TRY(plan_motions(d));
    FLX_TRY(plan_constraints(d)); // before what reads their multipliers
    FLX_TRY(plan_equations(d));
    FLX_TRY(plan_forces(d));
    return flx_instants_plan(d);
}

flx_status flx_expr_velocity_gradient(flx_descriptor *d, flx_node node, flx_loc loc,
                                      const char *name, flx_group_kind group, int *n, int **along)
{
    direction *all = NULL;
    int count = 0;
    *n = 0;
    FLX_TRY(find_directions(d, node, loc, name, &count, &all));
    *along = flx_arena_take(d->arena, (size_t)count, sizeof **along);
    flx_status status = *along ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < count && status == FLX_OK; i++) {
        if (!all[i].rate) continue;
        status = flx_expr_add(d, group, derive(d, node, all + i), NULL);
        (*along)[(*n)++] = all[i].unknown;
    }
    flx_free(all);
    return status;
}

// ---- pattern ------------------------------------------------------------------------------------

static int dep_unknown(const flx_descriptor *d, const flx_dep *dep, int k)
{
    return dep->reading < 0 ? dep->unknown : d->expr.readings[dep->reading].unknown[k];
}

static flx_status couple_channel(flx_descriptor *d, int channel, int block)
{
    if (channel < 0) return FLX_OK;
    const flx_channel *c = d->expr.channels + channel;
    for (int i = c->dep; i < c->dep + c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + i;
        for (int k = 0; k < flx_dep_count(&d->expr, dep); k++) {
            FLX_TRY(flx_layout_couple(d, block, d->block_of[dep_unknown(d, dep, k)]));
        }
    }
    return FLX_OK;
}

static int bond_unknown(const flx_descriptor *d, const flx_expr_bond *b)
{
    return (b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row;
}

static flx_status couple_bond(flx_descriptor *d, const flx_expr_bond *b)
{
    int block = d->block_of[bond_unknown(d, b)];
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

flx_status flx_expr_couple(flx_descriptor *d)
{
    const flx_expressions *x = &d->expr;
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        int block = d->block_of[r->row];
        FLX_TRY(couple_channel(d, r->channel, block));
        if (r->acceleration >= 0) {
            FLX_TRY(flx_layout_couple(d, block, d->block_of[r->acceleration]));
        }
    }
    for (int i = 0; i < x->nwrench; i++) {
        for (int k = 0; k < 6; k++) {
            for (int b = 0; b < 2; b++) {
                if (x->wrenches[i].body[b] < 0) continue;
                FLX_TRY(couple_channel(d, x->wrenches[i].channel[k], x->wrenches[i].body[b]));
            }
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_scalar *s = &x->efforts[i].s;
        FLX_TRY(flx_layout_couple_bodies(d, s->body));
        for (int b = 0; b < 2; b++) {
            if (s->body[b] < 0) continue;
            FLX_TRY(couple_channel(d, x->efforts[i].channel, s->body[b]));
        }
    }
    for (int i = 0; i < x->nbond; i++) FLX_TRY(couple_bond(d, x->bonds + i));
    return FLX_OK;
}

// ---- places -------------------------------------------------------------------------------------

// Offsets of (row, unknown) for the dependencies of a channel.
static int *channel_slots(flx_descriptor *d, int channel, int row)
{
    const flx_channel *c = d->expr.channels + channel;
    int n = 0;
    for (int i = c->dep; i < c->dep + c->ndep; i++) n += flx_dep_count(&d->expr, d->expr.deps + i);
    int *slot = flx_arena_take(d->arena, (size_t)n, sizeof *slot);
    n = 0;
    for (int i = c->dep; slot && i < c->dep + c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + i;
        for (int k = 0; k < flx_dep_count(&d->expr, dep); k++) {
            slot[n++] = flx_layout_slot(d, row, dep_unknown(d, dep, k));
        }
    }
    return slot;
}

static int width_of(const flx_descriptor *d, int unknown)
{
    int b = d->block_of[unknown];
    return d->block_start[b + 1] - d->block_start[b];
}

static flx_status fill_slots(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    for (int i = 0; i < x->ndep; i++) {
        if (x->deps[i].reading < 0) x->deps[i].width = width_of(d, x->deps[i].unknown);
    }
    for (int i = 0; i < x->nreading; i++) {
        flx_reading *r = x->readings + i;
        r->width = flx_arena_take(d->arena, (size_t)r->n, sizeof *r->width);
        if (!r->width) return FLX_ERR_MEMORY;
        for (int k = 0; k < r->n; k++) r->width[k] = width_of(d, r->unknown[k]);
    }
    for (int i = 0; i < x->nrow; i++) {
        flx_expr_row *r = x->rows + i;
        r->slot = channel_slots(d, r->channel, r->row);
        if (!r->slot) return FLX_ERR_MEMORY;
        r->mass = r->acceleration < 0 ? -1 : flx_layout_slot(d, r->row, r->acceleration);
    }
    for (int i = 0; i < x->nwrench; i++) {
        flx_expr_wrench *w = x->wrenches + i;
        flx_layout_ends(d, w->body, &w->e);
        for (int k = 0; k < 12; k++) {
            if (w->body[k & 1] < 0 || w->channel[k / 2] < 0) continue;
            w->slot[k / 2][k & 1] = channel_slots(d, w->channel[k / 2], d->body_v[w->body[k & 1]]);
            if (!w->slot[k / 2][k & 1]) return FLX_ERR_MEMORY;
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        flx_expr_effort *e = x->efforts + i;
        e->s.turn = e->s.kind == FLX_SCALAR_ANGLE ? d->switch_of_joint[e->s.turn] : -1;
        flx_layout_ends(d, e->s.body, &e->s.e);
        for (int b = 0; b < 2; b++) {
            if (e->s.body[b] < 0 || e->channel < 0) continue;
            e->slot[b] = channel_slots(d, e->channel, d->body_v[e->s.body[b]]);
            if (!e->slot[b]) return FLX_ERR_MEMORY;
        }
    }
    return FLX_OK;
}

static flx_status fill_bond(flx_descriptor *d, flx_expr_bond *b)
{
    const flx_constraint *c = d->model->constraints + b->constraint;
    int unknown = bond_unknown(d, b);
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
                       .sigma = 1.0,
                       .C = b->C};
    return FLX_OK;
}

// ---- inputs -------------------------------------------------------------------------------------

// All leaves that any program reads.
static flx_status gather(flx_descriptor *d, int *n, flx_leaf **leaves)
{
    flx_expressions *x = &d->expr;
    int total = 0;
    for (int g = 0; g < FLX_N_GROUPS; g++) total += x->group[g].n;
    flx_node *all = flx_alloc(d->base.ctx, (size_t)total, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    total = 0;
    for (int g = 0; g < FLX_N_GROUPS; g++) {
        for (int i = 0; i < x->group[g].n; i++) all[total++] = x->group[g].nodes[i];
    }
    flx_status status = flx_graph_leaves(d->model->graph, total, all, n, leaves);
    flx_free(all);
    return status;
}

static bool is_leaf(void *user, flx_leaf leaf)
{
    return leaf == *(const flx_leaf *)user;
}

// The coordinate whose turns are counted, to be evaluated without them; for a joint whose own
// coordinate does not count any 0 serves as well, save within rounding of the half turn.
static flx_node raw_angle(const flx_descriptor *d, int j)
{
    flx_leaf turns = flx_leaf_make(FLX_LEAF_TURNS, j, 0);
    flx_node raw = d->model->joints[j].coordinate;
    bool counts = raw >= 0 && flx_graph_depends(d->model->graph, raw, is_leaf, &turns);
    return counts ? raw : flx_graph_const(d->model->graph, 0.0);
}

// Joints whose turns are read: their raw angle is evaluated first.
static flx_status add_turns(flx_descriptor *d)
{
    flx_leaf *leaves = NULL;
    int n;
    FLX_TRY(gather(d, &n, &leaves));
    flx_status status = FLX_OK;
    d->expr.turn_switch = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    if (!d->expr.turn_switch) status = FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        if (flx_leaf_get_kind(leaves[i]) != FLX_LEAF_TURNS) continue;
        int j = flx_leaf_get_index(leaves[i]);
        if (d->switch_of_joint[j] < 0) continue;
        d->expr.turn_switch[d->expr.nturn++] = d->switch_of_joint[j];
        status = flx_expr_add(d, FLX_GROUP_TURN, raw_angle(d, j), NULL);
    }
    flx_free(leaves);
    return status;
}

static flx_input row_input(int source, int row)
{
    return row < 0 ? (flx_input){FLX_INPUT_ZERO, 0} : (flx_input){.source = source, .index = row};
}

static flx_input find_input(const flx_descriptor *d, flx_leaf leaf)
{
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    // doubles from the start of the frames
    const int frame = d->planar ? (int)(sizeof(flx_frame2) / 8) : (int)(sizeof(flx_frame) / 8);
    const int at = (i + 1) * frame;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
        return (flx_input){FLX_INPUT_TIME, 0};
    case FLX_LEAF_BODY_POSITION:
        if (d->planar && c == 2) break;
        return (flx_input){FLX_INPUT_FRAME, at + (d->planar ? 2 : 9) + c};
    case FLX_LEAF_BODY_ROTATION:
        return (flx_input){FLX_INPUT_FRAME, at + (d->planar ? 4 : c)};
    case FLX_LEAF_BODY_VELOCITY:
        if (d->planar && c == 2) break;
        return (flx_input){FLX_INPUT_FRAME, at + (d->planar ? 5 : 12) + c};
    case FLX_LEAF_BODY_SPIN:
        return (flx_input){FLX_INPUT_FRAME, at + (d->planar ? 7 : 15 + c)};
    case FLX_LEAF_VARIABLE:
        return (flx_input){FLX_INPUT_Q, d->variable_q + i};
    case FLX_LEAF_VARIABLE_RATE:
        return (flx_input){FLX_INPUT_V, d->variable_v + i};
    case FLX_LEAF_STATE:
        return (flx_input){FLX_INPUT_X, i};
    case FLX_LEAF_ALGEBRAIC:
        return (flx_input){FLX_INPUT_W, i};
    case FLX_LEAF_DRIVE:
        return row_input(FLX_INPUT_DRIVE, flx_read_drive(d, i));
    case FLX_LEAF_MULTIPLIER:
        return row_input(FLX_INPUT_ROW, flx_read_multiplier(d, i));
    case FLX_LEAF_PULL:
        return row_input(FLX_INPUT_ROW, flx_forces_find_mixed(d, i, c));
    case FLX_LEAF_REACTION:
        for (int k = 0; k < d->expr.nreading; k++) {
            const flx_reading *r = d->expr.readings + k;
            if (r->joint == i) return (flx_input){FLX_INPUT_READ, r->value + c};
        }
        break;
    case FLX_LEAF_SWITCH:
        return (flx_input){FLX_INPUT_SWITCH, d->switching.first + i};
    case FLX_LEAF_DISCRETE:
        return (flx_input){FLX_INPUT_SWITCH, d->switching.discrete + i};
    case FLX_LEAF_COUNT:
        return (flx_input){FLX_INPUT_SWITCH, d->switching.count + i};
    case FLX_LEAF_TURNS:
        if (d->switch_of_joint[i] < 0) break;
        for (int k = 0; k < d->expr.nturn; k++) {
            if (d->expr.turn_switch[k] == d->switch_of_joint[i]) {
                return (flx_input){FLX_INPUT_TURN, k};
            }
        }
        break;
    default:
        break;
    }
    return (flx_input){FLX_INPUT_ZERO, 0}; // accelerations: a bias is what remains without them
}

// Values, bonds and bias, which are neighbours, as one program: they have much in common.
static flx_status compile_motion(flx_descriptor *d, const flx_leaf *leaves)
{
    static const flx_group_kind kinds[] = {FLX_GROUP_VALUE, FLX_GROUP_BOND, FLX_GROUP_BIAS};
    flx_expressions *x = &d->expr;
    int n = 0;
    for (int k = 0; k < 3; k++) n += x->group[kinds[k]].n;
    flx_node *nodes = flx_alloc(d->base.ctx, (size_t)n, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    n = 0;
    for (int k = 0; k < 3; k++) {
        const flx_group *g = x->group + kinds[k];
        for (int i = 0; i < g->n; i++) nodes[n++] = g->nodes[i];
    }
    flx_status status =
        flx_program_compile(d->model->graph, x->ninput, leaves, n, nodes, &x->motion);
    if (status == FLX_OK && flx_program_scratch(x->motion) > x->scratch) {
        x->scratch = flx_program_scratch(x->motion);
    }
    flx_free(nodes);
    return status;
}

static flx_status compile(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    flx_leaf *leaves = NULL;
    FLX_TRY(gather(d, &x->ninput, &leaves));
    flx_status status = FLX_OK;
    x->inputs = flx_arena_take(d->arena, (size_t)x->ninput, sizeof *x->inputs);
    if (!x->inputs) status = FLX_ERR_MEMORY;
    for (int i = 0; i < x->ninput && status == FLX_OK; i++) x->inputs[i] = find_input(d, leaves[i]);
    for (int k = 0; k < FLX_N_GROUPS && status == FLX_OK; k++) {
        flx_group *g = x->group + k;
        g->out = x->nout;
        x->nout += g->n;
        if (g->n == 0) continue;
        status =
            flx_program_compile(d->model->graph, x->ninput, leaves, g->n, g->nodes, &g->program);
        if (status != FLX_OK) break;
        int scratch = flx_program_scratch(g->program);
        if (scratch > x->scratch) x->scratch = scratch;
    }
    if (status == FLX_OK && x->nbond > 0) status = compile_motion(d, leaves);
    if (status == FLX_OK) status = flx_flat_compile(d, x->ninput, leaves);
    if (status == FLX_OK && x->flat.program) {
        int scratch = flx_program_scratch(x->flat.program);
        if (scratch > x->scratch) x->scratch = scratch;
        x->flat.out = x->nout;
        x->nout += x->flat.n;
    }
    flx_free(leaves);
    return status;
}

// Angles of all joints that count turns, as outputs will compute them.
static flx_status compile_angles(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_expressions *x = &d->expr;
    int n = 0;
    flx_leaf *leaves = NULL;
    flx_node *nodes = flx_alloc(d->base.ctx, (size_t)d->nturn, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int j = 0; j < m->njoint; j++) {
        if (d->switch_of_joint[j] >= 0) nodes[n++] = raw_angle(d, j);
    }
    flx_status status = flx_graph_leaves(m->graph, n, nodes, &x->angles.ninput, &leaves);
    if (status != FLX_OK) goto done;
    x->angles.inputs = flx_arena_take(d->arena, (size_t)x->angles.ninput, sizeof *x->inputs);
    if (!x->angles.inputs) {
        status = FLX_ERR_MEMORY;
        goto done;
    }
    for (int i = 0; i < x->angles.ninput; i++) x->angles.inputs[i] = find_input(d, leaves[i]);
    status = flx_program_compile(m->graph, x->angles.ninput, leaves, n, nodes, &x->angles.program);
    if (status == FLX_OK) {
        int scratch = flx_program_scratch(x->angles.program);
        if (scratch > x->scratch) x->scratch = scratch;
    }

done:
    flx_free(leaves);
    flx_free(nodes);
    return status;
}

flx_status flx_expr_fill(flx_descriptor *d)
{
    FLX_TRY(fill_slots(d));
    for (int i = 0; i < d->expr.nbond; i++) FLX_TRY(fill_bond(d, d->expr.bonds + i));
    FLX_TRY(add_turns(d));
    if (d->nturn > 0) FLX_TRY(compile_angles(d));
    return compile(d);
}

void flx_expr_destroy(flx_descriptor *d)
{
    for (int g = 0; g < FLX_N_GROUPS; g++) {
        flx_free(d->expr.group[g].nodes);
        flx_program_destroy(&d->expr.group[g].program);
    }
    flx_program_destroy(&d->expr.angles.program);
    flx_program_destroy(&d->expr.motion);
    flx_program_destroy(&d->expr.flat.program);
    flx_free(d->expr.channels);
    flx_free(d->expr.deps);
    flx_free(d->expr.readings);
}
