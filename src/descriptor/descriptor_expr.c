// descriptor_expr.c - expressions of the model in the residual: forces, right-hand sides, masses,
// motions and constraints. Every derivative is exact: the graph is differentiated along the unit
// motions of the bodies it depends on and along the other unknowns, and all of one purpose is
// compiled into one program, so shared parts are evaluated once.
#include "descriptor/descriptor_parts.h"

#include <stdlib.h>

// ---- nodes --------------------------------------------------------------------------------------

flx_status flx_expr_add(flx_descriptor *d, flx_expr_group_kind kind, flx_node node, int *out)
{
    flx_expr_group *g = d->expr.group + kind;
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

int flx_expr_row_of(const flx_descriptor *d, flx_leaf leaf)
{
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_DRIVE:
        return flx_read_drive(d, i);
    case FLX_LEAF_MULTIPLIER:
        return flx_read_multiplier(d, i);
    case FLX_LEAF_PULL:
        return flx_pulls_find(d, i, c);
    default:
        return -1;
    }
}

static int along_row(const flx_descriptor *d, direction *out)
{
    int row = flx_expr_row_of(d, out->leaf);
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
        return along_row(d, out);
    case FLX_LEAF_MULTIPLIER:
    case FLX_LEAF_PULL:
        return along_row(d, out);
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
    case FLX_LEAF_FACTOR:
    case FLX_LEAF_INPUT:
    case FLX_LEAF_PARAMETER:
    case FLX_LEAF_NUMBER:
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

flx_status flx_expr_channel(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                            int *channel)
{
    flx_expressions *x = &d->expr;
    direction *along = NULL;
    int n;
    *channel = -1;
    if (node < 0) return FLX_OK;
    if (d->whole) return flx_select_channel(d, node, channel);
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
                                       .component = along[i].reading < 0 ? 0 : along[i].d,
                                       .leaf = along[i].leaf};
        if (along[i].unknown < 0 || along[i].unknown >= flx_first_lam(d)) {
            d->base.reads_multipliers = FLX_READS_FORCES;
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
    FLX_TRY(flx_expr_channel(d, node, loc, name, &channel));
    if (acceleration >= 0) FLX_TRY(check_mass(d, channel, loc, name));
    flx_expr_row *r = d->expr.rows + d->expr.nrow++;
    *r = (flx_expr_row){.channel = channel,
                        .row = row,
                        .acceleration = acceleration,
                        .sign = sign,
                        .mass_rate = -1};
    if (acceleration < 0) return FLX_OK;
    if (d->whole) {
        r->mass_rate = d->whole->expr.rows[r - d->expr.rows].mass_rate;
        return FLX_OK;
    }
    void *user = (void *)(uintptr_t)d->model; // the rule reads the model only
    flx_node rate = flx_graph_derive(d->model->graph, node, flx_leaf_time_rate, user);
    if (rate >= 0 && is_zero(d, rate)) return FLX_OK;
    return flx_expr_add(d, FLX_GROUP_RATE, rate, &r->mass_rate);
}

static flx_status plan_equations(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = 2 * (size_t)m->nvariable + (size_t)m->nfirst + 2 * (size_t)m->ncoupling +
               (size_t)flx_pulls_laws(d);
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

static flx_status plan_wrench(flx_descriptor *d, const flx_force *f, int of)
{
    flx_expr_wrench *w = d->expr.wrenches + d->expr.nwrench++;
    w->of = of;
    memcpy(w->body, f->body, sizeof w->body);
    w->dissipative = f->dissipative;
    for (int i = 0; i < 2; i++) FLX_TRY(flx_forces_place(d, f, i, w->s[i]));
    for (int k = 0; k < 3; k++) {
        FLX_TRY(flx_expr_channel(d, f->force[k], f->loc, f->name, &w->channel[k]));
        FLX_TRY(flx_expr_channel(d, f->torque[k], f->loc, f->name, &w->channel[3 + k]));
    }
    return FLX_OK;
}

static flx_status plan_effort(flx_descriptor *d, const flx_force *f)
{
    flx_expr_effort *e = d->expr.efforts + d->expr.neffort++;
    e->of = (int)(f - d->model->forces);
    e->dissipative = f->dissipative;
    FLX_TRY(flx_expr_channel(d, f->value, f->loc, f->name, &e->channel));
    e->sign = f->kind->sign;
    return flx_forces_scalar(d, f, &e->s);
}

static flx_status plan_forces(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = (size_t)m->nforce + (size_t)m->nfriction + flx_solid_loads_wrenches(m);
    d->expr.wrenches = flx_arena_take(d->arena, n, sizeof *d->expr.wrenches);
    d->expr.efforts = flx_arena_take(d->arena, n, sizeof *d->expr.efforts);
    if (!d->expr.wrenches || !d->expr.efforts) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->kind->wrench) FLX_TRY(plan_wrench(d, f, i));
        if (f->kind->along && !f->mixed) FLX_TRY(plan_effort(d, f));
    }
    FLX_TRY(flx_pulls_plan_laws(d));
    FLX_TRY(flx_solid_loads_plan(d));
    for (int i = 0; i < m->nfriction; i++) FLX_TRY(plan_wrench(d, m->frictions + i, m->nforce + i));
    return FLX_OK;
}

// ---- motions ------------------------------------------------------------------------------------

static bool is_not_time(void *user, flx_leaf leaf)
{
    (void)user;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
    case FLX_LEAF_SWITCH:
    case FLX_LEAF_FACTOR:
    case FLX_LEAF_INPUT:
    case FLX_LEAF_PARAMETER:
    case FLX_LEAF_NUMBER:
        return false;
    default:
        return true;
    }
}

static flx_status plan_motions(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (d->whole) {
        d->motion_of_joint = d->whole->motion_of_joint;
        d->expr.nmotion = d->whole->expr.nmotion;
        return FLX_OK;
    }
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
    b->curve_unknown = flx_arena_take(d->arena, (size_t)n * (size_t)n, sizeof(int));
    if (!b->unknown || !b->slope_unknown || !b->curve_entry || !b->curve_slot ||
        !b->curve_unknown) {
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
            b->curve_unknown[b->ncurve] = along[k].unknown;
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

// The bias along positions, for reductions.
static flx_status plan_third(flx_descriptor *d, int n, const direction *along, flx_expr_bond *b)
{
    flx_node bias = d->expr.group[FLX_GROUP_BIAS].nodes[b->bias];
    b->third = d->expr.group[FLX_GROUP_THIRD].n;
    b->third_unknown = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    if (!b->third_unknown) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        if (along[k].rate) continue;
        flx_node slope = derive(d, bias, along + k);
        if (slope >= 0 && is_zero(d, slope)) continue;
        FLX_TRY(flx_expr_add(d, FLX_GROUP_THIRD, slope, NULL));
        b->third_unknown[b->nthird++] = along[k].unknown;
    }
    return FLX_OK;
}

static flx_status plan_constraint(flx_descriptor *d, const flx_constraint *c, flx_expr_bond *b)
{
    int n;
    direction *along = NULL;
    FLX_TRY(find_directions(d, c->value, c->loc, c->name, &n, &along));
    flx_status status = check_constraint(d, c, n, along);
    if (status == FLX_OK) status = plan_bond(d, c, n, along, b);
    if (status == FLX_OK) status = plan_rates(d, c, b);
    if (status == FLX_OK && !b->velocity && d->expr.thirds) {
        status = plan_third(d, n, along, b);
    }
    flx_free(along);
    return status;
}

static flx_status plan_constraints(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->expr.bonds = flx_arena_take(d->arena, (size_t)m->nconstraint, sizeof *d->expr.bonds);
    if (!d->expr.bonds) return FLX_ERR_MEMORY;
    d->expr.thirds = m->reduces;
    int lam = d->joint_lam + flx_pulls_complete(d), mu = d->complete_lam + d->joint_mu;
    for (int i = 0; i < m->nconstraint; i++) {
        bool velocity = m->constraints[i].velocity_level;
        int complete = velocity ? mu++ : lam++;
        if (flx_rows_dropped(d, complete)) continue;
        flx_expr_bond *b = d->expr.bonds + d->expr.nbond++;
        b->constraint = i;
        if (d->whole) FLX_TRY(flx_select_bond(d, b));
        b->velocity = velocity;
        b->row = velocity ? d->base.dims.nmu++ : d->base.dims.nlam++;
        b->complete = complete;
        b->C = m->constraints[i].compliance;
        if (!d->whole) FLX_TRY(plan_constraint(d, m->constraints + i, b));
    }
    return FLX_OK;
}

flx_status flx_expr_plan(flx_descriptor *d)
{
    if (d->whole) FLX_TRY(flx_select_readings(d));
    FLX_TRY(plan_motions(d));
    FLX_TRY(plan_constraints(d)); // before what reads their multipliers
    FLX_TRY(plan_equations(d));
    FLX_TRY(plan_forces(d));
    return flx_instants_plan(d);
}

flx_status flx_expr_velocity_gradient(flx_descriptor *d, flx_node node, flx_loc loc,
                                      const char *name, flx_expr_group_kind group, int *n,
                                      int **along)
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
