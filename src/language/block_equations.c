// block_equations.c - equations of first and second order, constraints, coupling, discrete variables.
#include "language/builder.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <stdlib.h>
#include <string.h>

// ---- what expressions may contain ---------------------------------------------------------------

static bool is_rate(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_VELOCITY);
}

static bool is_first_order(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_STATE | FLX_QUANTITY_ALGEBRAIC);
}

// M(t, q): masses depend on the time and on positions.
static flx_status check_mass(flx_builder *b, flx_node n, flx_loc loc)
{
    if (flx_graph_depends(b->g, n, is_rate, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "a mass cannot depend on rates");
    }
    if (flx_graph_depends(b->g, n, is_first_order, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "a mass cannot depend on variables of first order");
    }
    double m = 1;
    if (flx_graph_is_const(b->g, n, &m) && !(m >= 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the mass is negative: %g", m);
    }
    return FLX_OK;
}

static flx_status constant_or(flx_builder *b, const flx_item *item, const char *key, double initial,
                              double *out, flx_open *open)
{
    const flx_entry *y = flx_entry_get(item->def, key);
    flx_env e;
    *out = initial;
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    return y ? flx_build_open(&e, y, out, open) : FLX_OK;
}

// ---- second order -------------------------------------------------------------------------------

// A first-order variable that constraints read.
static bool is_carried(const flx_item *item)
{
    return item->data != NULL;
}

static flx_status finish_variable(flx_builder *b, flx_item *item, flx_variable *out)
{
    const flx_entry *mass = flx_entry_get(item->def, "mass"), *force = NULL;
    flx_env e;
    if (is_carried(item)) return flx_carried_variable(b, item, out);
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    *out = (flx_variable){.name = item->full, .loc = item->loc, .mass = -1, .force = -1};
    FLX_TRY(constant_or(b, item, "at", 0, &out->at, &out->at_open));
    FLX_TRY(constant_or(b, item, "rate", 0, &out->rate, &out->rate_open));
    out->rate_given = flx_entry_get(item->def, "rate") != NULL;
    out->mass = node_const(b->g, 1);
    if (mass) {
        FLX_TRY(flx_build_node(&e, mass, &out->mass));
        FLX_TRY(check_mass(b, out->mass, mass->loc));
    }
    FLX_TRY(flx_build_need(b, item, "force", &force));
    return flx_build_node(&e, force, &out->force);
}

// ---- first order --------------------------------------------------------------------------------

static flx_status classify(flx_builder *b, flx_item *item, flx_first_data *d)
{
    const flx_entry *mass = flx_entry_get(item->def, "mass");
    d->mass = -1;
    if (mass) {
        flx_env e;
        double m = 1;
        flx_env_of(&e, b, item, FLX_MODE_MOVING);
        FLX_TRY(flx_build_node(&e, mass, &d->mass));
        d->algebraic = flx_open_value(b, d->mass, &m) && m == 0;
        if (d->algebraic) d->mass = flx_open_fix(b, d->mass, mass->loc); // it may be another
        if (d->mass < 0) return FLX_ERR_MEMORY;
    }
    d->number = d->algebraic ? b->m->nalgebraic++ : b->m->nstate++;
    return FLX_OK;
}

flx_status flx_first_classify(flx_builder *b, flx_item *first, flx_loc loc)
{
    flx_first_data *d = first->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, first, &d->classified, "masses", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->classified, classify(b, first, d));
}

static flx_status finish_first(flx_builder *b, flx_item *item, flx_first_order *out)
{
    const flx_first_data *d = item->data;
    const flx_entry *derivative = NULL;
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    FLX_TRY(flx_first_classify(b, item, item->loc));
    *out = (flx_first_order){
        .name = item->full, .loc = item->loc, .algebraic = d->algebraic, .number = d->number};
    FLX_TRY(constant_or(b, item, "at", 0, &out->at, &out->at_open));
    FLX_TRY(flx_build_need(b, item, "derivative", &derivative));
    FLX_TRY(flx_build_node(&e, derivative, &out->derivative));
    if (d->mass >= 0 && !d->algebraic) {
        if (flx_open_value(b, d->mass, &out->mass) && !flx_graph_is_const(b->g, d->mass, NULL)) {
            out->mass_open = d->mass + 1;
        }
        out->derivative = node_div(b->g, out->derivative, d->mass);
    }
    return out->derivative < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static bool is_multiplier(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_FORCE);
}

// ---- constraints --------------------------------------------------------------------------------

static const flx_entry *constraint_expression(const flx_item *item)
{
    return item->def->kind == FLX_ENTRY_MAP ? flx_entry_get(item->def, "value") : item->def;
}

static flx_status value_constraint(flx_builder *b, flx_item *item, flx_constraint_data *d)
{
    const flx_entry *y = constraint_expression(item);
    flx_env e;
    if (!y) return flx_build_need(b, item, "value", &y);
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    return flx_build_node(&e, y, &d->value);
}

flx_status flx_constraint_value(flx_builder *b, flx_item *constraint, flx_loc loc, flx_node *out)
{
    flx_constraint_data *d = constraint->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, constraint, &constraint->state, "constraints", loc, &skip));
    if (!skip) {
        FLX_TRY(flx_item_leave(b, &constraint->state, value_constraint(b, constraint, d)));
    }
    *out = d->value;
    return FLX_OK;
}

// Velocity-level constraints are A(t, q) v + b(t, q) = 0: the derivative by a rate contains no rate.
static flx_status check_linear(flx_builder *b, const flx_item *item, flx_node n, flx_loc loc)
{
    int nleaf = 0;
    flx_leaf *leaves = NULL;
    FLX_TRY(flx_graph_leaves(b->g, 1, &n, &nleaf, &leaves));
    flx_status status = FLX_OK;
    for (int i = 0; i < nleaf && status == FLX_OK; i++) {
        if (!is_rate(NULL, leaves[i])) continue;
        flx_node d = flx_graph_derive(b->g, n, flx_leaf_partial, &leaves[i]);
        if (d < 0) {
            status = FLX_ERR_MEMORY;
        } else if (flx_graph_depends(b->g, d, is_rate, NULL)) {
            status = FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not linear in the rates",
                              flx_item_word(item->kind), item->full);
        }
    }
    flx_free(leaves);
    return status;
}

static bool is_position(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_POSITION);
}

static flx_status read_compliance(flx_builder *b, const flx_item *item, double *out, flx_open *open)
{
    const flx_entry *y =
        item->def->kind == FLX_ENTRY_MAP ? flx_entry_get(item->def, "compliance") : NULL;
    flx_env e;
    if (!y) return FLX_OK;
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_kept(&e, y, out, open));
    if (*out >= 0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "a compliance cannot be negative");
}

static const flx_entry *constraint_key(const flx_item *item, const char *key)
{
    return item->def->kind == FLX_ENTRY_MAP ? flx_entry_get(item->def, key) : NULL;
}

static flx_status read_part(flx_env *e, const flx_entry *y, const char *what, double most,
                            double *out, flx_open *open)
{
    FLX_TRY(flx_build_open(e, y, out, open));
    if (*out >= 0 && *out <= most) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s %s, not %g", what,
                    isinf(most) ? "cannot be negative" : "is between 0 and 1", *out);
}

// The velocity of slip is a constraint of its own, behind those that the model names.
static flx_status add_slip(flx_builder *b, const flx_item *item, const flx_entry *y,
                           flx_constraint *out)
{
    flx_model *m = b->m;
    flx_constraint *slip = m->constraints + m->nconstraint;
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    *slip = (flx_constraint){.loc = y->loc, .velocity_level = true, .inner = true, .slip = -1};
    slip->name = flx_arena_printf(m->arena, "%s slip", item->full);
    if (!slip->name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_build_node(&e, y, &slip->value));
    if (!flx_graph_depends(b->g, slip->value, is_rate, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "friction of '%s': 'along' is the velocity of the slip, an expression of "
                        "rates such as x'",
                        item->full);
    }
    FLX_TRY(check_linear(b, item, slip->value, y->loc));
    out->slip = m->nconstraint++;
    return FLX_OK;
}

static flx_status read_friction(flx_builder *b, const flx_item *item, const flx_entry *y,
                                flx_constraint *out)
{
    const flx_entry *along = flx_entry_get(y, "along"), *most = flx_entry_get(y, "static");
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    FLX_TRY(read_part(&e, flx_entry_get(y, "coefficient"), "a coefficient of friction", HUGE_VAL,
                      &out->friction, &out->friction_open));
    out->sticking = out->friction;
    out->sticking_open = out->friction_open;
    if (most) {
        FLX_TRY(
            read_part(&e, most, "static friction", HUGE_VAL, &out->sticking, &out->sticking_open));
    }
    if (out->sticking < out->friction) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, most->loc,
                        "'static', %g, is the friction while it sticks, and cannot be less than "
                        "'coefficient', %g",
                        out->sticking, out->friction);
    }
    return add_slip(b, item, along, out);
}

// What is zero or more instead of zero.
static flx_status read_one_sided(flx_builder *b, const flx_item *item, flx_constraint *out)
{
    const flx_entry *flag = constraint_key(item, "one_sided");
    const flx_entry *restitution = constraint_key(item, "restitution");
    const flx_entry *friction = constraint_key(item, "friction");
    const flx_entry *compliance = constraint_key(item, "compliance");
    const flx_entry *only = restitution ? restitution : friction;
    flx_env e;
    if (flag) FLX_TRY(flx_build_flag(b, flag, "one_sided", &out->one_sided));
    if (!out->one_sided) {
        if (!only) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, only->loc,
                        "'%s' of constraint '%s' is for one that is 'one_sided: true'",
                        restitution ? "restitution" : "friction", item->full);
    }
    if (compliance || out->velocity_level) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flag->loc,
                        compliance ? "a one-sided constraint does not give way; leave out "
                                     "'compliance', or use a force"
                                   : "a one-sided constraint is one of positions; '%s' contains "
                                     "rates",
                        item->full);
    }
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    if (restitution) {
        FLX_TRY(read_part(&e, restitution, "a restitution", 1.0, &out->restitution,
                          &out->restitution_open));
    }
    out->value = node_neg(b->g, out->value);
    return friction ? read_friction(b, item, friction, out) : FLX_OK;
}

static flx_status carry_states(flx_builder *b, flx_node value, flx_loc loc)
{
    return flx_graph_depends(b->g, value, is_first_order, NULL) ? flx_firsts_carry(b, value, loc)
                                                                : FLX_OK;
}

static flx_status finish_value(flx_builder *b, flx_item *item, flx_constraint *out)
{
    FLX_TRY(flx_constraint_value(b, item, item->loc, &out->value));
    FLX_TRY(read_compliance(b, item, &out->compliance, &out->compliance_open));
    flx_loc loc = constraint_expression(item)->loc;
    if (flx_graph_depends(b->g, out->value, is_multiplier, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "a constraint cannot contain a reaction; forces and equations of first "
                        "order may");
    }
    out->velocity_level = flx_graph_depends(b->g, out->value, is_rate, NULL);
    if (out->velocity_level) {
        FLX_TRY(check_linear(b, item, out->value, loc));
        return carry_states(b, out->value, loc);
    }
    if (!flx_graph_depends(b->g, out->value, is_position, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s '%s' contains nothing that moves",
                        flx_item_word(item->kind), item->full);
    }
    return carry_states(b, out->value, loc);
}

static flx_status finish_constraint(flx_builder *b, flx_item *item, flx_constraint *out)
{
    *out = (flx_constraint){.name = item->full, .loc = item->loc, .value = -1, .slip = -1};
    FLX_TRY(finish_value(b, item, out));
    return read_one_sided(b, item, out);
}

// ---- coupling -----------------------------------------------------------------------------------

static flx_status variable_named(flx_env *e, const flx_entry *y, int *out)
{
    flx_operand v;
    double c = 0;
    FLX_TRY(flx_build_value(e, y, &v));
    // A variable is its leaf.
    flx_leaf *leaves = NULL;
    int n = 0;
    flx_builder *b = e->b;
    *out = -1;
    if (v.kind == FLX_OPERAND_NUMBER && !flx_graph_is_const(b->g, v.node, &c)) {
        FLX_TRY(flx_graph_leaves(b->g, 1, &v.node, &n, &leaves));
        if (n == 1 && flx_leaf_get_kind(leaves[0]) == FLX_LEAF_VARIABLE &&
            flx_graph_leaf(b->g, leaves[0]) == v.node) {
            *out = flx_leaf_get_index(leaves[0]);
        }
        flx_free(leaves);
    }
    if (*out >= 0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "coupling is between two variables of second order");
}

static flx_status finish_coupling(flx_builder *b, flx_item *item, flx_coupling *out)
{
    const flx_entry *y = item->def;
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    if (y->kind != FLX_ENTRY_LIST || y->count != 3) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "a coupling is [variable, variable, value]");
    }
    out->loc = y->loc;
    FLX_TRY(variable_named(&e, y->items[0], &out->i));
    FLX_TRY(variable_named(&e, y->items[1], &out->j));
    if (out->i == out->j) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a coupling is between two different variables; the diagonal is 'mass'");
    }
    FLX_TRY(flx_build_node(&e, y->items[2], &out->value));
    if (flx_graph_depends(b->g, out->value, is_rate, NULL) ||
        flx_graph_depends(b->g, out->value, is_first_order, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[2]->loc,
                        "an entry of the mass matrix depends on positions and the time alone");
    }
    return FLX_OK;
}

static int by_pair(const void *a, const void *b)
{
    const flx_coupling *x = *(const flx_coupling *const *)a, *y = *(const flx_coupling *const *)b;
    int xl = x->i < x->j ? x->i : x->j, yl = y->i < y->j ? y->i : y->j;
    if (xl != yl) return xl < yl ? -1 : 1;
    int xh = x->i + x->j - xl, yh = y->i + y->j - yl;
    return xh < yh ? -1 : xh > yh;
}

static flx_status check_pairs(flx_builder *b)
{
    flx_model *m = b->m;
    flx_coupling **sorted = flx_take(b, (size_t)m->ncoupling, sizeof(flx_coupling *));
    if (!sorted) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->ncoupling; i++) sorted[i] = &m->couplings[i];
    if (m->ncoupling > 0) qsort(sorted, (size_t)m->ncoupling, sizeof(flx_coupling *), by_pair);
    for (int i = 1; i < m->ncoupling; i++) {
        if (by_pair(&sorted[i - 1], &sorted[i]) != 0) continue;
        b->failed = true;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, sorted[i]->loc,
                        "the coupling of '%s' and '%s' is given twice",
                        m->variables[sorted[i]->i].name, m->variables[sorted[i]->j].name);
    }
    return FLX_OK;
}

static flx_status finish_discrete(flx_builder *b, flx_item *item, flx_discrete *out)
{
    *out = (flx_discrete){.name = item->full, .loc = item->loc};
    return constant_or(b, item, "at", 0, &out->at, &out->at_open);
}

// ---- all ----------------------------------------------------------------------------------------

flx_status flx_equations_finish(flx_builder *b)
{
    flx_model *m = b->m;
    m->variables = flx_arena_take(m->arena, (size_t)b->variables.count, sizeof *m->variables);
    m->firsts = flx_arena_take(m->arena, (size_t)b->firsts.count, sizeof *m->firsts);
    // one more for the slip of each, and one for the rate of each variable that is carried
    m->constraints = flx_arena_take(
        m->arena, 2 * (size_t)b->constraints.count + (size_t)b->carried->n, sizeof *m->constraints);
    m->couplings = flx_arena_take(m->arena, (size_t)b->couplings.count, sizeof *m->couplings);
    m->discretes = flx_arena_take(m->arena, (size_t)b->discretes.count, sizeof *m->discretes);
    if (!m->variables || !m->firsts || !m->constraints || !m->couplings || !m->discretes) {
        return FLX_ERR_MEMORY;
    }
    m->nvariable = b->variables.count;
    m->nfirst = b->firsts.count;
    m->nconstraint = b->constraints.count;
    m->ncoupling = b->couplings.count;
    m->ndiscrete = b->discretes.count;
    for (int i = 0; i < m->ndiscrete; i++)
        GO_ON(finish_discrete(b, b->discretes.items[i], &m->discretes[i]));
    for (int i = 0; i < m->nfirst; i++) {
        GO_ON(flx_first_classify(b, b->firsts.items[i], b->firsts.items[i]->loc));
    }
    for (int i = 0; i < m->nvariable; i++) {
        GO_ON(finish_variable(b, b->variables.items[i], &m->variables[i]));
    }
    for (int i = 0; i < m->nfirst; i++) {
        GO_ON(finish_first(b, b->firsts.items[i], &m->firsts[i]));
    }
    for (int i = 0; i < b->constraints.count; i++) {
        GO_ON(finish_constraint(b, b->constraints.items[i], &m->constraints[i]));
    }
    for (int i = 0; i < m->nvariable; i++) {
        const flx_item *item = b->variables.items[i];
        if (is_carried(item)) GO_ON(flx_carried_hold(b, item, &m->constraints[m->nconstraint++]));
    }
    for (int i = 0; i < m->ncoupling; i++) {
        GO_ON(finish_coupling(b, b->couplings.items[i], &m->couplings[i]));
    }
    if (!b->failed) GO_ON(check_pairs(b));
    return FLX_OK;
}
