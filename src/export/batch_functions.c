// batch_functions.c - what a batch of runs computes besides the equations: the single measures of a run (or its signals,
// where the model has no metrics) with their rates, and the metrics made of them.
//
//     f' = df/dq q' + df/dv a + df/dx x' + df/dt                                        (XPT-9)
#include "export/functions.h"

#include "expr/graph.h"
#include "model/leaves.h"
#include "model/numbers.h"

#include <string.h>

// A measure that has a value at the end alone needs no rate.
static flx_node rate_of(flx_functions *f, flx_node n)
{
    flx_symbolic *x = &f->x;
    flx_graph *g = x->g;
    flx_node sum = flx_symbolic_partial(x, n, FLX_LEAF_TIME, 0);
    for (int k = 0; k < x->nv && sum >= 0; k++) {
        flx_node v = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_V, k, 0));
        flx_node a = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_A, k, 0));
        sum = node_add(g, sum, node_mul(g, flx_symbolic_along(x, n, k), v));
        sum = node_add(g, sum, node_mul(g, flx_symbolic_partial(x, n, FLX_EXPORT_V, k), a));
    }
    for (int i = 0; i < x->m->nstate && sum >= 0; i++) {
        flx_node by = flx_symbolic_partial(x, n, FLX_LEAF_STATE, i);
        sum = node_add(g, sum, node_mul(g, by, x->rates[i]));
    }
    return sum;
}

// Accelerations of bodies are known to the equations without those of the joints alone.
static flx_status refuse_accelerations(flx_functions *f, flx_node taken)
{
    flx_symbolic *x = &f->x;
    flx_leaf *leaves = NULL;
    int n = 0;
    bool found = false;
    FLX_TRY(flx_graph_leaves(x->g, 1, &taken, &n, &leaves));
    for (int i = 0; i < n; i++) {
        int kind = flx_export_leaf_kind(leaves[i]);
        found = found || (kind < FLX_EXPORT_Q && flx_leaf_is(leaves[i], FLX_QUANTITY_ACCELERATION));
    }
    flx_free(leaves);
    if (!found) return FLX_OK;
    return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, x->loc,
                    "%s reads an acceleration, which batches of runs do not have; leave it out",
                    x->item);
}

static flx_status take_measure(flx_functions *f, const char *item, flx_loc loc, flx_node node,
                               bool final, flx_node *value, flx_node *rate)
{
    flx_symbolic *x = &f->x;
    flx_symbolic_about(x, item, loc);
    flx_node taken = flx_symbolic_take(x, node);
    FLX_TRY(flx_symbolic_status(x, taken));
    FLX_TRY(refuse_accelerations(f, taken));
    *value = flx_symbolic_carry(x, taken);
    FLX_TRY(flx_symbolic_status(x, *value));
    *rate = final ? node_const(x->g, 0.0) : rate_of(f, *value);
    return flx_symbolic_status(x, *rate);
}

flx_status flx_functions_find_method(flx_functions *f)
{
    static const char *const words[] = {"rk4", "dopri5", "midpoint"};
    const flx_symbolic *x = &f->x;
    const flx_simulate *s = &x->m->simulate;
    const char *method = s->method ? s->method : "auto";
    for (f->method = 0; f->method < 3; f->method++) {
        if (strcmp(method, words[f->method]) == 0) break;
    }
    if (f->method == 3 || !(s->def.step > 0.0)) {
        return FLX_FAIL(
            x->ctx, FLX_ERR_CANNOT, s->loc,
            "batches of runs make equal steps by rk4, dopri5 or midpoint: method '%s'%s "
            "is none of these; name one, with a 'step'",
            method, s->def.step > 0.0 ? "" : " with steps of its own");
    }
    if (f->method != FLX_BATCH_MIDPOINT) return FLX_OK;
    bool turns = false;
    for (int i = 0; i < x->n; i++) turns = turns || x->t.links[i].kind == FLX_LINK_BALL;
    f->eliminates = x->apart && x->m->nstate == 0 && x->nrow == 0 && !turns;
    if (x->nrow == 0) return FLX_OK;
    return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, s->method_loc,
                    "batches of runs make steps of the midpoint rule in coordinates that are free: "
                    "not with closed loops; take rk4 or dopri5");
}

// What a clock does when a run begins, and not again: batches take their starts from runs that have begun.
static bool is_at_start(const flx_model *m, const flx_event *e)
{
    bool open = e->every_open || e->start_open;
    return e->when < 0 && !open && e->start == 0.0 && e->every > m->simulate.until && !e->stop;
}

// Discrete changes within a run: the steps of a batch would pass over them.
static flx_status check_smooth(const flx_functions *f)
{
    const flx_symbolic *x = &f->x;
    const flx_model *m = x->m;
    for (int i = 0; i < m->nevent; i++) {
        if (is_at_start(m, m->events + i)) continue;
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, m->events[i].loc,
                        "the event '%s' happens within a run, and batches of runs have none; leave "
                        "it out, or sweep without --device",
                        m->events[i].name);
    }
    for (int i = 0; i < m->nswitch; i++) {
        if (!m->switches[i].acts) continue;
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, m->switches[i].loc,
                        "%s contains a comparison or a jump, which a run meets exactly and a batch "
                        "of runs would pass over; make it smooth, or sweep without --device",
                        m->switches[i].item);
    }
    return FLX_OK;
}

// Runs by the midpoint rule, which knows the ends of its steps alone, integrate measures by polynomials through several of them.
static flx_status check_course(const flx_functions *f, int kind)
{
    const flx_symbolic *x = &f->x;
    bool sums = kind == FLX_MEASURE_MEAN || kind == FLX_MEASURE_RMS || kind == FLX_MEASURE_INTEGRAL;
    if (f->method != FLX_BATCH_MIDPOINT || !sums) return FLX_OK;
    return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, x->m->simulate.method_loc,
                    "batches of runs have no means and integrals along steps of the midpoint rule; "
                    "take rk4 or dopri5, or metrics of the end");
}

// What is swept has to stand in the text as a parameter, or in the start alone.
static flx_status check_swept(const flx_symbolic *x)
{
    const char *name;
    for (int i = 0; (name = flx_model_sweep_parameter(x->m, i)) != NULL; i++) {
        for (int k = 0; k < x->m->nparameter; k++) {
            const flx_parameter *p = x->m->parameters + k;
            if (!flx_symbolic_is_fixed(x, p) || strcmp(p->name, name) != 0) continue;
            return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, p->loc,
                            "parameter '%s' shapes the mechanism, and the text of a batch has it "
                            "as a number; sweep it without --device",
                            name);
        }
    }
    return FLX_OK;
}

flx_status flx_functions_add_batch(flx_functions *f, unsigned state)
{
    flx_symbolic *x = &f->x;
    const flx_outputs *o = &x->m->outputs;
    bool metrics = o->nmetric > 0;
    int n = metrics ? o->nprobe : o->ncolumn, ny = metrics ? o->nmetric : n;
    FLX_TRY(check_smooth(f));
    if (n == 0) {
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, flx_model_start(x->m),
                        "the model has neither signals nor metrics, so that a batch of runs has "
                        "nothing to tell; name some in 'outputs'");
    }
    flx_function *values =
        flx_functions_add(f, "measures", "measures and their rates", state | 1u << FLX_INPUT_A);
    flx_node *value = flx_functions_result(f, values, "f", n);
    flx_node *rate = flx_functions_result(f, values, "fd", n);
    flx_function *all = flx_functions_add(f, "metrics", "numbers of a run, of its measures",
                                          1u << FLX_INPUT_P | 1u << FLX_INPUT_M);
    flx_node *y = flx_functions_result(f, all, "y", ny);
    f->kinds = flx_arena_take(x->arena, (size_t)n, sizeof *f->kinds);
    f->times = flx_arena_take(x->arena, (size_t)n, sizeof *f->times);
    if (!value || !rate || !y || !f->kinds || !f->times) return FLX_ERR_MEMORY;
    f->nmeasure = n;
    f->nnumber = ny;
    for (int i = 0; i < n; i++) {
        const struct flx_probe *p = metrics ? o->probes + i : NULL;
        const char *item =
            metrics ? "a metric" : flx_arena_printf(x->arena, "signal '%s'", o->columns[i].name);
        f->kinds[i] = metrics ? (int)p->kind : FLX_MEASURE_FINAL;
        f->times[i] = metrics ? p->time : 0.0;
        if (!item) return FLX_ERR_MEMORY;
        FLX_TRY(check_course(f, f->kinds[i]));
        FLX_TRY(take_measure(f, item, flx_model_start(x->m), metrics ? p->node : o->columns[i].node,
                             f->kinds[i] == FLX_MEASURE_FINAL, value + i, rate + i));
    }
    for (int i = 0; i < ny; i++) {
        y[i] = metrics ? o->metrics[i].value
                       : flx_graph_leaf(x->g, flx_leaf_make(FLX_LEAF_MEASURE, i, 0));
    }
    return check_swept(x);
}

// ---- what is of parameters alone ----------------------------------------------------------------

typedef struct hoisting {
    const flx_hoist *h;
    int *place; // of each number among those that are kept; -1: it stands where it is used
} hoisting;

static bool is_cheap(flx_op op)
{
    return op == FLX_OP_CONST || op == FLX_OP_LEAF || op == FLX_OP_ADD || op == FLX_OP_SUB ||
           op == FLX_OP_MUL || op == FLX_OP_NEG;
}

// Numbers that cost no more than a register are left in place.
static flx_status choose(const flx_graph *g, hoisting *o, int *kept)
{
    int n = flx_hoist_count(o->h);
    char *costly = flx_alloc(g->ctx, (size_t)g->n + 1, 1);
    o->place = flx_alloc(g->ctx, (size_t)n + 1, sizeof *o->place);
    if (costly && o->place) {
        for (int i = 0; i < g->n; i++) {
            const flx_graph_node *p = g->nodes + i;
            const int of[3] = {p->a, p->b, p->c};
            costly[i] = !is_cheap(p->op);
            for (int k = 0; k < flx_op_operands(p->op); k++) costly[i] = costly[i] || costly[of[k]];
        }
        for (int i = 0; i < n; i++) o->place[i] = costly[flx_hoist_node(o->h, i)] ? (*kept)++ : -1;
    }
    flx_free(costly);
    return o->place ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_node place_number(flx_graph *g, void *user, flx_leaf leaf)
{
    const hoisting *o = user;
    int i = flx_leaf_get_index(leaf);
    if (flx_export_leaf_kind(leaf) != FLX_LEAF_NUMBER) return flx_graph_leaf(g, leaf);
    if (o->place[i] < 0) return flx_hoist_node(o->h, i);
    return flx_graph_leaf(g, flx_leaf_make(FLX_LEAF_NUMBER, o->place[i], 0));
}

typedef flx_status result_visit(void *user, int n, flx_node *nodes);

static flx_status each_result(flx_functions *f, result_visit *visit, void *user)
{
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->f[i].nresult; k++) {
            const flx_export_result *r = f->f[i].results + k;
            FLX_TRY(visit(user, r->rows * (r->columns ? r->columns : 1), r->nodes));
        }
    }
    return FLX_OK;
}

static flx_status reach_nodes(void *user, int n, flx_node *nodes)
{
    char *reached = user;
    for (int i = 0; i < n; i++) reached[nodes[i]] = 1;
    return FLX_OK;
}

static flx_status hoist_nodes(void *user, int n, flx_node *nodes)
{
    return flx_hoist_nodes(user, n, nodes);
}

static flx_status place_nodes(void *user, int n, flx_node *nodes)
{
    for (int i = 0; i < n; i++) {
        nodes[i] = flx_graph_substitute(user, nodes[i]);
        if (nodes[i] < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// All that results are made of is taken first, in the order of the graph: text is written in that order, and where what belongs
// together does not stand together, a processor has more numbers to keep at once.
static flx_status each_node(flx_functions *f, const flx_hoist *h, result_visit *visit, void *user)
{
    const flx_graph *g = f->x.g;
    int n = g->n;
    char *reached = flx_alloc(g->ctx, (size_t)n + 1, 1);
    if (!reached) return FLX_ERR_MEMORY;
    flx_status status = each_result(f, reach_nodes, reached);
    for (int i = n - 1; i >= 0; i--) {
        const flx_graph_node *p = g->nodes + i;
        const int of[3] = {p->a, p->b, p->c};
        int operands = p->op == FLX_OP_PIECE ? 1 : flx_op_operands(p->op);
        for (int k = 0; reached[i] && k < operands; k++) reached[of[k]] = 1;
    }
    for (flx_node i = 0; i < n && status == FLX_OK; i++) {
        flx_node one = i;
        if (reached[i] && !(h && flx_hoist_takes(h, i))) status = visit(user, 1, &one);
    }
    flx_free(reached);
    FLX_TRY(status);
    return each_result(f, visit, user);
}

static flx_status hoist(flx_functions *f, flx_hoist *h, hoisting *o)
{
    flx_graph *g = f->x.g;
    int n = 0;
    FLX_TRY(flx_hoist_nodes(h, 0, NULL));
    FLX_TRY(each_node(f, h, hoist_nodes, h));
    FLX_TRY(choose(g, o, &n));
    flx_substitution places = {.g = g, .user = o, .rule = place_number};
    flx_status status = each_node(f, NULL, place_nodes, &places);
    flx_substitution_clear(&places);
    FLX_TRY(status);
    flx_function *to = flx_functions_add(f, "prepare", "numbers of parameters alone, once a run",
                                         1u << FLX_INPUT_P);
    flx_node *nodes = flx_functions_result(f, to, "h", n);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < flx_hoist_count(h); i++) {
        if (o->place[i] >= 0) nodes[o->place[i]] = flx_hoist_node(h, i);
    }
    f->nhoisted = n;
    return FLX_OK;
}

flx_status flx_functions_hoist(flx_functions *f)
{
    flx_hoist *h = NULL;
    FLX_TRY(flx_hoist_create(f->x.m, &h));
    hoisting o = {.h = h};
    flx_status status = hoist(f, h, &o);
    flx_free(o.place);
    flx_hoist_destroy(&h);
    return status;
}
