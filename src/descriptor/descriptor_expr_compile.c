// descriptor_expr_compile.c - programs of the expressions, one for all of one purpose, and where the values
// of their leaves are found.
#include "descriptor/descriptor_leaves.h"
#include "descriptor/descriptor_parts.h"

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

static void make_room(flx_expressions *x, const flx_program *p)
{
    int scratch = flx_program_scratch(p);
    if (scratch > x->scratch) x->scratch = scratch;
}

// Values, constraints and bias, which are neighbours, as one program: they have much in common.
static flx_status compile_motion(flx_descriptor *d, const flx_leaf *leaves)
{
    static const flx_expr_group_kind kinds[] = {FLX_GROUP_VALUE, FLX_GROUP_CONSTRAINT,
                                                FLX_GROUP_BIAS};
    flx_expressions *x = &d->expr;
    int n = 0;
    for (int k = 0; k < 3; k++) n += x->group[kinds[k]].n;
    flx_node *nodes = flx_alloc(d->base.ctx, (size_t)n, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    n = 0;
    for (int k = 0; k < 3; k++) {
        const flx_expr_group *g = x->group + kinds[k];
        for (int i = 0; i < g->n; i++) nodes[n++] = g->nodes[i];
    }
    flx_status status =
        flx_program_compile(d->model->graph, x->ninput, leaves, n, nodes, &x->motion);
    if (status == FLX_OK) make_room(x, x->motion);
    flx_free(nodes);
    return status;
}

static flx_status list_inputs(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    x->inputs = flx_arena_take(d->arena, (size_t)x->ninput, sizeof *x->inputs);
    if (!x->inputs) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->ninput; i++) x->inputs[i] = flx_leaf_input(d, x->leaves[i]);
    int first = x->ninput;
    while (first > 0 && flx_leaf_get_kind(x->leaves[first - 1]) == FLX_LEAF_NUMBER &&
           (first == x->ninput || x->inputs[first - 1].index + 1 == x->inputs[first].index)) {
        first--;
    }
    x->nhoisted = x->ninput - first;
    return FLX_OK;
}

// ---- numbers of parameters -----------------------------------------------------------------------

void flx_expr_hoist(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (!d->hoist) return;
    flx_hoist_eval(d->hoist, d->param + flx_param_tunable(m, 0), d->hoisting,
                   d->param + flx_param_hoisted(m, 0));
}

// Room for them behind the parameters, and their values. What param holds stays.
static flx_status add_hoisted(flx_descriptor *d)
{
    int first = flx_param_hoisted(d->model, 0), n = flx_hoist_count(d->hoist);
    double *param = flx_arena_take(d->arena, (size_t)(first + n), sizeof *param);
    d->hoisting = flx_arena_take(d->arena, (size_t)flx_hoist_scratch(d->hoist), sizeof(double));
    if (!param || !d->hoisting) return FLX_ERR_MEMORY;
    memcpy(param, d->param, (size_t)first * sizeof *param);
    d->base.param = d->param = param;
    d->base.dims.nparam = first + n;
    flx_expr_hoist(d);
    return FLX_OK;
}

flx_status flx_expr_hoist_more(flx_descriptor *d, int n, flx_node *nodes)
{
    flx_expressions *x = &d->expr;
    if (!d->hoist || d->whole) return FLX_OK;
    int first = flx_hoist_count(d->hoist);
    FLX_TRY(flx_hoist_again(d->hoist, n, nodes));
    int more = flx_hoist_count(d->hoist) - first;
    flx_leaf *leaves = flx_alloc(d->base.ctx, (size_t)(x->ninput + more), sizeof *leaves);
    if (!leaves) return FLX_ERR_MEMORY;
    if (x->ninput > 0) memcpy(leaves, x->leaves, (size_t)x->ninput * sizeof *leaves);
    for (int i = 0; i < more; i++) {
        leaves[x->ninput++] = flx_leaf_make(FLX_LEAF_NUMBER, first + i, 0);
    }
    flx_free(x->leaves);
    x->leaves = leaves;
    return list_inputs(d);
}

static flx_status hoist_groups(flx_descriptor *d)
{
    if (d->model->ntunable == 0) return FLX_OK;
    FLX_TRY(flx_hoist_create(d->model, &d->hoist));
    // values, constraints and bias are a program together: their numbers follow each other
    static const flx_expr_group_kind together[] = {FLX_GROUP_VALUE, FLX_GROUP_CONSTRAINT,
                                                   FLX_GROUP_BIAS};
    for (int k = 0; k < 3; k++) {
        flx_expr_group *g = d->expr.group + together[k];
        FLX_TRY(flx_hoist_nodes(d->hoist, g->n, g->nodes));
    }
    for (int k = 0; k < FLX_N_GROUPS; k++) {
        flx_expr_group *g = d->expr.group + k;
        if (k == FLX_GROUP_VALUE || k == FLX_GROUP_CONSTRAINT || k == FLX_GROUP_BIAS) continue;
        flx_hoist_apart(d->hoist);
        FLX_TRY(flx_hoist_nodes(d->hoist, g->n, g->nodes));
    }
    return FLX_OK;
}

// After the outputs of the groups.
static flx_status compile_flat(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    FLX_TRY(flx_flat_compile(d));
    if (!x->flat.program) return FLX_OK;
    make_room(x, x->flat.program);
    x->flat.out = x->nout;
    x->nout += x->flat.n;
    return FLX_OK;
}

static flx_status compile_groups(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    FLX_TRY(gather(d, &x->ninput, &x->leaves));
    const flx_leaf *leaves = x->leaves;
    flx_status status = list_inputs(d);
    for (int k = 0; k < FLX_N_GROUPS && status == FLX_OK; k++) {
        flx_expr_group *g = x->group + k;
        g->out = x->nout;
        x->nout += g->n;
        if (g->n == 0) continue;
        status =
            flx_program_compile(d->model->graph, x->ninput, leaves, g->n, g->nodes, &g->program);
        if (status == FLX_OK) make_room(x, g->program);
    }
    if (status == FLX_OK && x->nconstraint > 0) status = compile_motion(d, leaves);
    return status == FLX_OK ? compile_flat(d) : status;
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
    for (int i = 0; i < x->angles.ninput; i++) x->angles.inputs[i] = flx_leaf_input(d, leaves[i]);
    status = flx_program_compile(m->graph, x->angles.ninput, leaves, n, nodes, &x->angles.program);
    if (status == FLX_OK) make_room(x, x->angles.program);

done:
    flx_free(leaves);
    flx_free(nodes);
    return status;
}

// A selection finds other multipliers in other places; elimination as one program is of the rows that it has.
static flx_status select_programs(flx_descriptor *d)
{
    flx_select_programs(d);
    d->hoist = d->whole->hoist;
    if (d->hoist) FLX_TRY(add_hoisted(d));
    FLX_TRY(list_inputs(d));
    return d->expr.nconstraint == d->whole->expr.nconstraint ? FLX_OK : compile_flat(d);
}

flx_status flx_expr_compile(flx_descriptor *d)
{
    if (d->whole) return select_programs(d);
    FLX_TRY(add_turns(d));
    if (d->nturn > 0) FLX_TRY(compile_angles(d));
    FLX_TRY(hoist_groups(d));
    FLX_TRY(compile_groups(d));
    if (!d->hoist) return FLX_OK;
    FLX_TRY(flx_hoist_finish(d->hoist));
    return add_hoisted(d);
}

void flx_expr_destroy(flx_descriptor *d)
{
    flx_free(d->expr.channels);
    flx_free(d->expr.deps);
    flx_free(d->expr.readings);
    if (d->whole) { // the rest is its
        bool own = d->expr.flat.program != d->whole->expr.flat.program;
        if (own) flx_program_destroy(&d->expr.flat.program);
        return;
    }
    flx_hoist_destroy(&d->hoist);
    flx_free(d->expr.leaves);
    for (int g = 0; g < FLX_N_GROUPS; g++) {
        flx_free(d->expr.group[g].nodes);
        flx_program_destroy(&d->expr.group[g].program);
    }
    flx_program_destroy(&d->expr.angles.program);
    flx_program_destroy(&d->expr.motion);
    flx_program_destroy(&d->expr.flat.program);
}
