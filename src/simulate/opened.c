// opened.c - a model whose inputs are unknowns.
#include "simulate/opened.h"

#include "analyse/grid/grid.h"
#include "model/nodes.h"
#include "model/numbers.h"

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

// ---- rates of inputs -----------------------------------------------------------------------------------

typedef struct rates {
    flx_simulation *sim; // of the model as it is: of what is opened, rates of inputs are zero
    flx_signals outputs;
    flx_work *work;
    flx_state *x; // a state that moves: rates may be factors
    int n;        // rows and outputs
    double *r;    // (2 n)
} rates;

// Rows and outputs where the input has this slope and curvature; its value stays as it is.
static flx_status evaluate_with(rates *k, int input, double slope, double curvature, double *r)
{
    const flx_system *s = k->sim->sys;
    double *at = (double *)(uintptr_t)s->param + flx_param_input(k->sim->model, input, 0);
    double kept[FLX_INPUT_NUMBERS];
    int n = flx_dims_unknowns(&s->dims);
    memcpy(kept, at, sizeof kept);
    at[FLX_INPUT_SINCE] = k->x->t;
    at[FLX_INPUT_SLOPE] = slope;
    at[FLX_INPUT_CURVATURE] = curvature;
    flx_point p = flx_state_point(s, k->x);
    flx_status status = s->ops->residual(s, k->work, &p, r);
    if (status == FLX_OK) status = flx_signals_eval(&k->outputs, k->sim, k->x, 0.0);
    if (k->n > n) memcpy(r + n, k->outputs.out, (size_t)(k->n - n) * sizeof *r);
    memcpy(at, kept, sizeof kept);
    return status;
}

static flx_status refuse_rate(rates *k, int input)
{
    const flx_input_item *in = k->sim->model->inputs + input;
    FLX_TRY(evaluate_with(k, input, 0.0, 0.0, k->r));
    for (int i = 1; i < 3; i++) {
        FLX_TRY(evaluate_with(k, input, i == 1, i == 2, k->r + k->n));
        if (memcmp(k->r, k->r + k->n, (size_t)k->n * sizeof *k->r) == 0) continue;
        return FLX_FAIL(k->sim->ctx, FLX_ERR_CANNOT, in->loc,
                        "the rate of input '%s' acts on the model, or on what is wanted, and what "
                        "is sought are values at instants: make '%s' a first-order variable, and "
                        "seek its derivative",
                        in->name, in->name);
    }
    return FLX_OK;
}

static flx_status begin_rates(rates *k, const flx_opened_def *def, flx_formulas *f,
                              flx_arena *arena)
{
    const flx_system *s = k->sim->sys;
    k->n = flx_dims_unknowns(&s->dims) + def->nout;
    k->r = flx_arena_take(arena, 2 * (size_t)k->n, sizeof *k->r);
    k->work = s->ops->work_create(s);
    if (!k->r || !k->work) return FLX_ERR_MEMORY;
    FLX_TRY(flx_formulas_create(k->sim->model->graph, def->nout, def->outputs, f));
    FLX_TRY(flx_signals_create(k->sim->ctx, f, &k->outputs));
    FLX_TRY(flx_state_create(s, &k->x));
    flx_state_copy(k->x, k->sim->start);
    for (int i = 0; i < s->dims.nv; i++) k->x->v[i] += 0.1 + 0.01 * (i % 7);
    return FLX_OK;
}

// Forces, controllers and outputs may know the rate of an input; what is sought has none.
static flx_status refuse_rates(const flx_simulation *of, const flx_opened_def *def,
                               flx_arena *arena)
{
    rates k = {.sim = (flx_simulation *)(uintptr_t)of}; // as it was when all is done
    flx_formulas f = {0};
    flx_status status = begin_rates(&k, def, &f, arena);
    for (int i = 0; i < def->nin && status == FLX_OK; i++) status = refuse_rate(&k, def->inputs[i]);
    flx_state_destroy(&k.x);
    if (k.work) of->sys->ops->work_destroy(k.work);
    flx_signals_clear(&k.outputs);
    flx_formulas_clear(&f);
    return status;
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
    FLX_TRY(refuse_rates(of, def, out->arena));
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
