// expression_plan.c - what expressions of the model do to the residual: equations with their masses, forces and torques on
// bodies, efforts along a scalar, loads on solids.
#include "descriptor/terms/expression_items.h"

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
    if (flx_expr_is_zero(d, node)) return FLX_OK;
    FLX_TRY(flx_expr_channel(d, node, loc, name, &channel));
    if (acceleration >= 0) FLX_TRY(check_mass(d, channel, loc, name));
    flx_expr_items *own = flx_items_of(d);
    flx_expr_row *r = own->rows + own->nrow++;
    *r = (flx_expr_row){.channel = channel,
                        .row = row,
                        .acceleration = acceleration,
                        .sign = sign,
                        .mass_rate = -1};
    if (acceleration < 0) return FLX_OK;
    if (d->whole) {
        r->mass_rate = flx_items_of(d->whole)->rows[r - own->rows].mass_rate;
        return FLX_OK;
    }
    void *user = (void *)(uintptr_t)d->model; // the rule reads the model only
    flx_node rate = flx_graph_derive(d->model->graph, node, flx_leaf_time_rate, user);
    if (rate >= 0 && flx_expr_is_zero(d, rate)) return FLX_OK;
    return flx_expr_add(d, FLX_GROUP_RATE, rate, &r->mass_rate);
}

static flx_status plan_equations(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = 2 * (size_t)m->nvariable + (size_t)m->nfirst + 2 * (size_t)m->ncoupling +
               (size_t)flx_pulls_laws(d);
    flx_expr_items *own = flx_items_of(d);
    own->rows = flx_arena_take(d->arena, n, sizeof *own->rows);
    if (!own->rows) return FLX_ERR_MEMORY;
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
    flx_expr_items *own = flx_items_of(d);
    flx_expr_wrench *w = own->wrenches + own->nwrench++;
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
    flx_expr_items *own = flx_items_of(d);
    flx_expr_effort *e = own->efforts + own->neffort++;
    e->of = (int)(f - d->model->forces);
    e->dissipative = f->dissipative;
    e->booked = f->booked;
    own->nbook += f->stored >= 0;
    if (f->stored >= 0 && !d->whole) {
        FLX_TRY(flx_expr_add(d, FLX_GROUP_BOOK, f->stored, NULL));
        FLX_TRY(flx_expr_add(d, FLX_GROUP_BOOK, f->lost, NULL));
    }
    FLX_TRY(flx_expr_channel(d, f->value, f->loc, f->name, &e->channel));
    e->sign = f->kind->sign;
    e->rest = f->length;
    return flx_forces_scalar(d, f, &e->s);
}

static flx_status plan_forces(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = (size_t)m->nforce + (size_t)m->nfriction + flx_solid_loads_wrenches(m);
    flx_expr_items *own = flx_items_of(d);
    own->wrenches = flx_arena_take(d->arena, n, sizeof *own->wrenches);
    own->efforts = flx_arena_take(d->arena, n, sizeof *own->efforts);
    if (!own->wrenches || !own->efforts) return FLX_ERR_MEMORY;
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

flx_status flx_items_plan(flx_descriptor *d)
{
    d->own[FLX_TERM_EXPRESSION] = flx_arena_take(d->arena, 1, sizeof(flx_expr_items));
    if (!d->own[FLX_TERM_EXPRESSION]) return FLX_ERR_MEMORY;
    FLX_TRY(plan_equations(d));
    FLX_TRY(plan_forces(d));
    if (d->expr.nchannel == 0) d->own[FLX_TERM_EXPRESSION] = NULL;
    return FLX_OK;
}
