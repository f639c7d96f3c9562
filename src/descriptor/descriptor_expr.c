// descriptor_expr.c - expressions of the model in the residual: forces, right-hand sides, masses,
// motions and constraints. Every derivative is exact: the graph is differentiated along the unit
// motions of the bodies it depends on and along the other unknowns, and all of one purpose is
// compiled into one program, so shared parts are evaluated once.
#include "descriptor/descriptor_leaves.h"
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

flx_node flx_expr_derive(const flx_descriptor *d, flx_node n, const flx_direction *along)
{
    flx_graph *g = d->model->graph;
    if (along->body >= 0) {
        flx_body_motion motion = {d->model, along->body, along->d};
        return flx_graph_derive(g, n, flx_leaf_body_motion, &motion);
    }
    flx_leaf leaf = along->leaf;
    return flx_graph_derive(g, n, flx_leaf_partial, &leaf);
}

bool flx_expr_is_zero(const flx_descriptor *d, flx_node n)
{
    double value;
    return flx_graph_is_const(d->model->graph, n, &value) && value == 0.0;
}

static int by_direction(const void *a, const void *b)
{
    const flx_direction *x = a, *y = b;
    if (x->rate != y->rate) return x->rate - y->rate;
    if (x->unknown != y->unknown) return x->unknown - y->unknown;
    if (x->reading != y->reading) return x->reading - y->reading;
    return x->reading < 0 ? 0 : x->d - y->d;
}

flx_status flx_expr_directions(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                               int *n, flx_direction **out)
{
    flx_leaf *leaves = NULL;
    int nleaf = 0, reading = -1;
    *n = 0;
    *out = NULL;
    FLX_TRY(flx_graph_leaves(d->model->graph, 1, &node, &nleaf, &leaves));
    flx_status status = FLX_OK;
    flx_direction *list = flx_alloc(d->base.ctx, 3 * (size_t)nleaf, sizeof *list);
    if (!list) status = FLX_ERR_MEMORY;
    for (int i = 0; i < nleaf && status == FLX_OK; i++) {
        if (flx_leaf_is_output_only(NULL, leaves[i])) {
            status = FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, loc,
                              "'%s' depends on accelerations or energies: those are known only "
                              "after the equations are solved, and serve as outputs alone",
                              name);
            break;
        }
        if (flx_leaf_get_kind(leaves[i]) == FLX_LEAF_REACTION) {
            status = flx_read_reaction(d, flx_leaf_get_index(leaves[i]), &reading);
        }
        int count = flx_leaf_directions(d, leaves[i], list + *n);
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
    flx_direction *along = NULL;
    int n;
    *channel = -1;
    if (node < 0) return FLX_OK;
    if (d->whole) return flx_select_channel(d, node, channel);
    FLX_TRY(flx_grow(d->base.ctx, (void **)&x->channels, &x->channel_capacity, x->nchannel + 1,
                     sizeof *x->channels));
    FLX_TRY(flx_expr_directions(d, node, loc, name, &n, &along));
    flx_channel c = {.node = node, .dep = x->ndep};
    flx_status status = flx_expr_add(d, FLX_GROUP_VALUE, node, &c.value);
    for (int i = 0; i < n && status == FLX_OK; i++) {
        flx_node slope = flx_expr_derive(d, node, along + i);
        if (slope >= 0 && flx_expr_is_zero(d, slope)) continue;
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

// ---- motions ------------------------------------------------------------------------------------

static bool is_not_time(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) != FLX_LEAF_SWITCH &&
           !flx_leaf_is(leaf, FLX_QUANTITY_TIME | FLX_QUANTITY_PARAMETER);
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

flx_status flx_expr_plan(flx_descriptor *d)
{
    if (d->whole) FLX_TRY(flx_select_readings(d));
    FLX_TRY(plan_motions(d));
    FLX_TRY(flx_constraints_plan(d)); // before what reads their multipliers
    flx_groups_number(d);
    return FLX_OK;
}

flx_status flx_expr_velocity_gradient(flx_descriptor *d, flx_node node, flx_loc loc,
                                      const char *name, flx_expr_group_kind group, int *n,
                                      int **along)
{
    flx_direction *all = NULL;
    int count = 0;
    *n = 0;
    FLX_TRY(flx_expr_directions(d, node, loc, name, &count, &all));
    *along = flx_arena_take(d->arena, (size_t)count, sizeof **along);
    flx_status status = *along ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < count && status == FLX_OK; i++) {
        if (!all[i].rate) continue;
        status = flx_expr_add(d, group, flx_expr_derive(d, node, all + i), NULL);
        (*along)[(*n)++] = all[i].unknown;
    }
    flx_free(all);
    return status;
}
