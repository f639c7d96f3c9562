// opened.c - a model whose inputs are unknowns.
#include "simulate/opened.h"

#include "analyse/grid/grid.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

static flx_status refuse_motions(const flx_model *m, const flx_opened_def *def)
{
    for (int k = 0; k < def->nin; k++) {
        const flx_input_item *in = m->inputs + def->inputs[k];
        if (!in->moves) continue;
        return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, in->loc,
                        "input '%s' is in the motion of joint '%s', which contains its rates too: "
                        "seek a force or torque there instead, and want the motion",
                        in->name, in->moves);
    }
    return FLX_OK;
}

static flx_node unknown_leaf(flx_graph *g, int number)
{
    return node_leaf(g, FLX_LEAF_ALGEBRAIC, number, 0);
}

// Its value for the start, a little inside its bounds: at a bound, or beyond, nothing would follow it.
static double start_value(const flx_input_item *in)
{
    double x = in->value, e = 1e-6 * (1.0 + fabs(x));
    if (in->upper - in->lower < 4.0 * e) e = 0.25 * (in->upper - in->lower);
    if (x <= in->lower) return in->lower + e;
    return x >= in->upper ? in->upper - e : x;
}

static flx_status add_unknowns(flx_opened *o, const flx_opened_def *def)
{
    flx_model *m = &o->model;
    size_t n = (size_t)(m->nfirst + def->nin + def->nout);
    flx_first_order *firsts = flx_arena_take(o->arena, n, sizeof *firsts);
    flx_input_item *inputs = flx_arena_take(o->arena, (size_t)m->ninput, sizeof *inputs);
    if (!firsts || !inputs) return FLX_ERR_MEMORY;
    if (m->nfirst > 0) memcpy(firsts, m->firsts, (size_t)m->nfirst * sizeof *firsts);
    if (m->ninput > 0) memcpy(inputs, m->inputs, (size_t)m->ninput * sizeof *inputs);
    o->first_in = m->nalgebraic;
    o->first_out = m->nalgebraic + def->nin;
    for (int k = 0; k < def->nin + def->nout; k++) {
        flx_first_order *f = firsts + m->nfirst + k;
        int number = m->nalgebraic + k;
        *f = (flx_first_order){.algebraic = true, .number = number};
        if (k < def->nin) {
            flx_input_item *in = inputs + def->inputs[k];
            f->name = in->name;
            f->loc = in->loc;
            f->at = start_value(in);
            flx_node value = def->values ? def->values[k] : node_const(m->graph, f->at);
            f->derivative = node_sub(m->graph, unknown_leaf(m->graph, number), value);
            in->unknown = number + 1;
        } else {
            int out = k - def->nin;
            f->name = def->names[out];
            f->loc = def->locs[out];
            f->derivative = node_sub(m->graph, unknown_leaf(m->graph, number), def->outputs[out]);
        }
        if (f->derivative < 0) return FLX_ERR_MEMORY;
    }
    m->firsts = firsts;
    m->inputs = inputs;
    m->nfirst = (int)n;
    m->nalgebraic += def->nin + def->nout;
    return FLX_OK;
}

static flx_status set_roles(flx_opened *o, const flx_opened_def *def)
{
    const flx_system *s = o->sim->sys;
    const flx_dims *d = &s->dims;
    const flx_model *m = &o->model;
    o->role = flx_arena_take(o->arena, (size_t)d->nw, 1);
    o->elastic = flx_arena_take(o->arena, (size_t)d->nv, 1);
    if (!o->role || !o->elastic) return FLX_ERR_MEMORY;
    for (int k = 0; k < def->nin; k++) o->role[o->first_in + k] = FLX_GRID_INPUT;
    for (int k = 0; k < def->nout; k++) o->role[o->first_out + k] = FLX_GRID_OUTPUT;
    for (int i = 0; i < d->nv; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        for (int k = m->nvariable - m->nmode; u.item && k < m->nvariable && !o->elastic[i]; k++) {
            o->elastic[i] = strcmp(u.item, m->variables[k].name) == 0;
            o->nelastic += o->elastic[i];
        }
    }
    return FLX_OK;
}

#define MOST_TREE 80 // unknowns of a tree, whose matrices are full

// Joint coordinates have the fewest unknowns. They know no forces of joints while inputs are sought.
static flx_status create_simulation(flx_opened *o)
{
    flx_ctx *ctx = o->model.ctx;
    bool asked = o->model.simulate.tree;
    int errors = flx_ctx_error_count(ctx);
    o->model.simulate.tree = true;
    flx_status status = flx_simulation_create_to_analyse(&o->model, &o->sim);
    if (status == FLX_OK) {
        const flx_system *s = o->sim->sys;
        bool fits = flx_dims_unknowns(&s->dims) <= MOST_TREE && !o->sim->plan->columns.reactions;
        if (fits) return FLX_OK;
        flx_simulation_destroy(&o->sim);
    }
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(ctx, errors);
    o->model.simulate.tree = false;
    status = flx_simulation_create_to_analyse(&o->model, &o->sim);
    o->model.simulate.tree = asked;
    return status;
}

flx_status flx_opened_create(const flx_simulation *of, const flx_opened_def *def, flx_opened *out)
{
    flx_ctx *ctx = of->ctx;
    *out = (flx_opened){.model = *of->model};
    out->model.spreads = true; // a grid does
    out->model.awaited = NULL; // what inputs take from this analysis is cut off with them
    FLX_TRY(refuse_motions(of->model, def));
    out->arena = flx_arena_create(ctx);
    if (!out->arena) return FLX_ERR_MEMORY;
    FLX_TRY(add_unknowns(out, def));
    int told = flx_ctx_warning_count(ctx);
    FLX_TRY(create_simulation(out));
    flx_ctx_forget_warnings(ctx, told); // the model itself has told them
    return set_roles(out, def);
}

void flx_opened_clear(flx_opened *o)
{
    flx_simulation_destroy(&o->sim);
    if (o->arena) flx_arena_destroy(&o->arena);
    *o = (flx_opened){0};
}
