// unseen_plan.c - the functions of the time in the equations of a model.
#include "simulate/unseen/unseen.h"

static bool stays(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_SWITCH ||
           flx_leaf_is(leaf, FLX_QUANTITY_PARAMETER | FLX_QUANTITY_HELD);
}

// The system whose expressions they are.
static const flx_system *descriptor_of(const flx_simulation *sim)
{
    return sim->bodies ? sim->bodies : flx_wrapper_innermost(sim->sys);
}

typedef struct found {
    int n, capacity;
    flx_unseen_function *list;
} found;

static flx_status add(const flx_simulation *sim, found *f, flx_unseen_function one)
{
    FLX_TRY(flx_grow(sim->ctx, (void **)&f->list, &f->capacity, f->n + 1, sizeof *f->list));
    f->list[f->n++] = one;
    return FLX_OK;
}

// The number of a root that is this node as a whole; -1: it is part of something.
static int number_of(flx_node node, int n, const flx_node *roots)
{
    for (int i = 0; i < n; i++) {
        if (roots[i] == node) return i;
    }
    return -1;
}

// Of whole switches those that compare are followed; what counts pieces or whole numbers is linear in time, or moves otherwise.
static bool is_followed(const flx_model *m, flx_unseen_function *one)
{
    if (one->use != FLX_EXPRESSION_SWITCH || one->number < 0) return true;
    flx_switch_kind kind = m->switches[one->number].kind;
    return kind == FLX_SWITCH_ABOVE || kind == FLX_SWITCH_NOT_BELOW;
}

static flx_status gather(const flx_simulation *sim, flx_expression_use use, found *f)
{
    const flx_model *m = sim->model;
    const flx_node *all;
    int n = flx_descriptor_expressions(descriptor_of(sim), use, &all), count = 0;
    if (use == FLX_EXPRESSION_SWITCH) n = m->nswitch;
    flx_graph_part *parts = NULL;
    flx_leaf time = flx_leaf_make(FLX_LEAF_TIME, 0, 0);
    FLX_TRY(flx_graph_parts(m->graph, n, all, time, stays, NULL, &count, &parts));
    flx_status status = FLX_OK;
    for (int i = 0; i < count && status == FLX_OK; i++) {
        flx_unseen_function one = {
            .node = parts[i].node, .use = use, .tame = parts[i].tame, .number = -1};
        bool whole = use == FLX_EXPRESSION_SWITCH || use == FLX_EXPRESSION_MOTION;
        if (whole) one.number = number_of(parts[i].node, n, all);
        if (use == FLX_EXPRESSION_MOTION) { // derivatives follow from the motion
            if (one.number % 3 != 0) continue;
            one.number /= 3;
        }
        if (is_followed(m, &one)) status = add(sim, f, one);
    }
    flx_free(parts);
    return status;
}

static bool is_wild(const flx_unseen_function *f)
{
    return !f->tame || (f->use == FLX_EXPRESSION_SWITCH && f->number >= 0);
}

// Wild ones first.
static flx_status sort(const flx_simulation *sim, const found *f, flx_unseen_plan *p)
{
    p->list = flx_alloc(sim->ctx, (size_t)f->n, sizeof *p->list);
    if (!p->list) return FLX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < f->n; i++) {
            if (is_wild(f->list + i) == (pass == 0)) p->list[p->n++] = f->list[i];
        }
        if (pass == 0) p->nwild = p->n;
    }
    return FLX_OK;
}

static flx_status compile(const flx_simulation *sim, flx_unseen_plan *p)
{
    const flx_graph *g = sim->model->graph;
    flx_node *nodes = flx_alloc(sim->ctx, (size_t)p->n, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->n; i++) nodes[i] = p->list[i].node;
    flx_status status = flx_graph_leaves(g, p->n, nodes, &p->nleaf, &p->leaves);
    if (status == FLX_OK)
        status = flx_program_compile(g, p->nleaf, p->leaves, p->n, nodes, &p->program);
    if (status == FLX_OK)
        status = flx_program_compile(g, p->nleaf, p->leaves, p->nwild, nodes, &p->wild);
    if (status == FLX_OK) status = flx_program_measure(sim->ctx, p->program); // has all of them
    for (int i = 0; i < p->nleaf; i++) {
        if (flx_leaf_get_kind(p->leaves[i]) == FLX_LEAF_TIME) p->time = i;
    }
    flx_free(nodes);
    return status;
}

void flx_unseen_plan_destroy(flx_unseen_plan **made)
{
    flx_unseen_plan *p = *made;
    if (!p) return;
    flx_program_destroy(&p->program);
    flx_program_destroy(&p->wild);
    flx_free(p->list);
    flx_free(p->leaves);
    flx_free(p);
    *made = NULL;
}

flx_status flx_unseen_plan_make(const flx_simulation *sim, flx_unseen_plan **made)
{
    found f = {0};
    flx_status status = FLX_OK;
    *made = NULL;
    for (int use = 0; use < FLX_N_EXPRESSION_USES && status == FLX_OK; use++) {
        status = gather(sim, (flx_expression_use)use, &f);
    }
    if (status == FLX_OK && f.n > 0) {
        *made = flx_alloc(sim->ctx, 1, sizeof **made);
        status = *made ? sort(sim, &f, *made) : FLX_ERR_MEMORY;
        if (status == FLX_OK) status = compile(sim, *made);
        if (status != FLX_OK) flx_unseen_plan_destroy(made);
    }
    flx_free(f.list);
    return status;
}
