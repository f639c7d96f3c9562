// tree.c - making the tree system: which rows of the descriptor remain, what its unknowns
// are called, its table of operations.
#include "math/plans.h"
#include "tree/recursion/tree_bends.h"
#include "tree/recursion/tree_elastic.h"
#include "tree/tree_parts.h"

#include <stdio.h>
#include <stdlib.h>

// ---- names --------------------------------------------------------------------------------------

static const char *const axes[] = {"x", "y", "z"};
static const char *const rotations[] = {"rotation about its x", "rotation about its y",
                                        "rotation about its z"};

static void name_velocity(const flx_tree *t, int i, flx_unknown *u)
{
    const flx_link *l = flx_tree_link_of(&t->t, i);
    const flx_tree_body *node = t->top.nodes + t->top.number[l->body];
    const flx_joint *j = node->joint < 0 ? NULL : t->model->joints + node->joint;
    bool turns = l->kind != FLX_LINK_SLIDE && l->kind != FLX_LINK_SHIFT;
    u->kind = FLX_UNKNOWN_VELOCITY;
    u->item = j ? j->name : t->model->bodies[l->body].name;
    u->loc = j ? j->loc : t->model->bodies[l->body].loc;
    u->scale = turns ? 1.0 : flx_tree_inner(t)->length;
    switch (l->kind) {
    case FLX_LINK_BALL:
        u->part = rotations[i - l->v];
        break;
    case FLX_LINK_SHIFT:
        u->part = axes[i - l->v];
        break;
    case FLX_LINK_SLIDE:
        u->part = "displacement";
        break;
    default:
        u->part = "angle";
    }
}

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const flx_tree *t = flx_tree_of(s);
    *u = (flx_unknown){.lower = -HUGE_VAL, .upper = HUGE_VAL, .scale = 1.0};
    if (i < flx_tree_first_other(t)) {
        name_velocity(t, i, u);
    } else {
        t->inner->ops->unknown(t->inner, i + flx_tree_shift(t), u);
        int row = i - flx_dims_unknowns(&s->dims) + flx_tree_rows(t);
        if (row >= 0 && t->reach) u->reach = t->reach[row];
    }
}

// ---- workspace ----------------------------------------------------------------------------------

void flx_tree_work_destroy(flx_work *work)
{
    flx_tree_work *w = flx_tree_work_of(work);
    if (!w) return;
    if (w->inner) w->inner->system->ops->work_destroy(w->inner);
    flx_state_destroy(&w->body);
    flx_twin_clear(&w->twin);
    flx_index1_destroy(&w->together);
    flx_tree_many_destroy(&w->many);
    flx_tree_massless_destroy(&w->massless);
    flx_tree_elastic_destroy(&w->elastic);
    flx_partition_clear(&w->partition);
    flx_free(w->states);
    flx_free(w->frames);
    flx_free(w->tangents.loads);
    flx_free(w->tangents.links);
    flx_free(w->tangents.relative);
    flx_free(w->block);
    flx_free(w);
}

// One block, cut up. Counted first with block NULL.
static size_t cut_block(const flx_tree *t, flx_tree_work *w)
{
    size_t n = (size_t)flx_dims_unknowns(&t->inner->dims), rows = (size_t)flx_tree_rows(t);
    size_t dense = t->is_many ? 0 : rows; // made before that is known: none is needed
    const flx_pattern *p = &t->inner->pattern;
    flx_tree_tangents *g = &w->tangents;
    size_t nv = (size_t)t->base.dims.nv, values = (size_t)p->offset[p->row[p->nblock]];
    const struct {
        double **at;
        size_t n;
    } parts[] = {
        {&w->r, n},
        {&w->set, (size_t)t->inner->dims.nv * (size_t)t->inner->ops->events->rows(t->inner)},
        {&w->own, n},
        {&w->zero, n},
        {&w->G, dense * nv},
        {&w->Y, dense * nv},
        {&w->S, dense * dense},
        {&w->rows, rows},
        {&w->rhs, rows},
        {&w->free_a, nv},
        {&w->moved.q, (size_t)t->base.dims.nq},
        {&w->moved.v, nv},
        {&w->moved.a, nv},
        {&w->A0, values},
        {&w->A2, values},
        {&w->masses, (size_t)t->nvariable * (size_t)t->nvariable},
        {&g->dq, n},
        {&g->dv, n},
        {&g->da, n},
        {&g->column, n},
        {&g->add, nv},
        {&g->A0, values},
        {&g->A1, values},
        {&g->A2, values},
        {&g->composite, t->by_links ? 36 * (size_t)t->t.k.n : 0},
        {&w->ext, 6 * (size_t)t->t.k.n}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (w->block) *parts[i].at = w->block + total;
        total += (parts[i].n + 7) / 8 * 8; // each begins a cache line
    }
    return total;
}

flx_work *flx_tree_work_create(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_alloc(s->ctx, 1, sizeof *w);
    if (!w) return NULL;
    w->base.system = s;
    w->inner = t->inner->ops->work_create(t->inner);
    w->states = flx_alloc(s->ctx, (size_t)t->t.k.n + 1, sizeof *w->states);
    w->frames = flx_tree_frames_create(s->ctx, &t->t);
    w->tangents.loads = flx_alloc(s->ctx, (size_t)t->t.k.n + 1, sizeof *w->frames);
    w->tangents.links = flx_alloc(s->ctx, (size_t)t->t.k.n + 1, sizeof *w->tangents.links);
    w->tangents.relative = flx_alloc(s->ctx, (size_t)t->t.k.n + 1, sizeof *w->tangents.relative);
    w->block = flx_alloc(s->ctx, cut_block(t, w), sizeof *w->block);
    bool tangents = w->tangents.loads && w->tangents.links && w->tangents.relative;
    flx_status status = flx_state_create(t->inner, &w->body);
    if (status == FLX_OK && t->model->nmodal > 0) status = flx_tree_elastic_create(t, &w->elastic);
    if (status == FLX_OK && t->partitions) status = flx_partition_create(t, &w->partition);
    if (status != FLX_OK || !tangents || !w->inner || !w->states || !w->frames || !w->block) {
        flx_tree_work_destroy(&w->base);
        return NULL;
    }
    (void)cut_block(t, w);
    return &w->base;
}

// Frames and tangents are found again; choices are kept.
void flx_tree_work_memory(flx_work *work, flx_memory *m)
{
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_system *inner = w->inner->system;
    inner->ops->work_memory(w->inner, m);
    if (w->partition.dependent) flx_partition_memory(flx_tree_of(w->base.system), &w->partition, m);
    if (w->many) flx_tree_many_memory(w->many, m);
    if (w->together) flx_index1_memory(w->together, m);
    flx_tree_massless_memory(flx_tree_of(w->base.system), w, m);
    if (flx_memory_loads(m)) w->moved.placed = w->moved.has_v = w->moved.has_a = false;
}

static void destroy(flx_system *s)
{
    flx_tree *t = (flx_tree *)s;
    flx_system_destroy(&t->inner);
    if (t->compiled) {
        if (t->renewal) flx_tree_links_clear(&t->t);
        flx_free(t->renewal);
        flx_free(t);
        return;
    }
    flx_tree_links_clear(&t->t);
    flx_topology_clear(&t->top);
    flx_tree_fronts_clear(&t->fronts);
    flx_plans_destroy(&t->base.pattern.plans);
    flx_free(t->numbers);
    flx_free(t->reach);
    flx_free(t->after);
    flx_free(t);
}

// Links of its own.
static flx_status own_links(flx_tree *t)
{
    flx_tree_links own;
    FLX_TRY(flx_tree_links_take(t->base.ctx, t->model, &t->top, &own));
    t->renewal = flx_alloc(t->base.ctx, 1, flx_tree_links_scratch(&t->top));
    if (!t->renewal) {
        flx_tree_links_clear(&own);
        return FLX_ERR_MEMORY;
    }
    t->t = own;
    return FLX_OK;
}

static void renew(flx_tree *t)
{
    const flx_descriptor *d = flx_tree_inner(t);
    t->model = t->places.m = d->model;
    flx_tree_links_fill(t->model, &t->top, t->renewal, &t->t);
    t->renewals++;
    t->weightless = t->t.k;
    memset(t->weightless.gravity, 0, sizeof t->weightless.gravity);
}

static flx_status instance(const flx_system *s, flx_ctx *ctx, flx_system **own)
{
    const flx_tree *from = flx_tree_of(s);
    flx_tree *t = flx_alloc(ctx, 1, sizeof *t);
    if (!t) return FLX_ERR_MEMORY;
    *t = *from;
    t->base.ctx = ctx;
    t->compiled = from->compiled ? from->compiled : from;
    t->renewal = NULL;
    if (s->ops == &from->ops) t->base.ops = &t->ops;
    flx_status status = flx_system_instance(from->inner, ctx, &t->inner);
    if (status != FLX_OK) {
        destroy(&t->base);
        return status;
    }
    t->base.param = t->inner->param;
    if (from->renewal) { // its numbers are its own
        t->t = t->compiled->t;
        status = own_links(t);
        if (status == FLX_OK) renew(t);
    }
    if (status != FLX_OK) {
        destroy(&t->base);
        return status;
    }
    *own = &t->base;
    return FLX_OK;
}

// The inner descriptor, and the links.
static flx_status set_parameters(flx_system *s, const double *p)
{
    flx_tree *t = (flx_tree *)s;
    if (t->compiled && !t->renewal && s->nparameter > 0) FLX_TRY(own_links(t));
    flx_status status = flx_system_set_parameters(t->inner, p);
    if (t->renewal) renew(t); // as the descriptor is now
    return status;
}

static flx_status parameter_slope(const flx_system *s, flx_work *w, const flx_point *at, int k,
                                  double *out)
{
    return flx_twin_slope(s, &flx_tree_work_of(w)->twin, at, k, out);
}

#define COMMON_OPS                                                                                 \
    .name = "tree", .residual = flx_tree_residual, .linearise = flx_tree_linearise,                \
    .retract = flx_tree_retract, .difference = flx_tree_difference,                                \
    .velocity = flx_tree_chart_velocity, .rate = flx_tree_chart_rate,                              \
    .velocity_t = flx_tree_chart_velocity_t, .rate_t = flx_tree_chart_rate_t,                      \
    .velocity_slope_t = flx_tree_chart_velocity_slope_t, .unknown = unknown,                       \
    .work_create = flx_tree_work_create, .work_destroy = flx_tree_work_destroy,                    \
    .work_memory = flx_tree_work_memory, .destroy = destroy,                                       \
    .constraint_rate = flx_tree_constraint_rate, .constraint_force = flx_tree_constraint_force,    \
    .constraint_bias = flx_tree_constraint_bias, .explicit_form = &flx_tree_explicit,              \
    .components = &flx_tree_components, .energy = flx_tree_energy, .accept = flx_tree_accept,      \
    .longest_step = flx_tree_longest_step, .events = &flx_tree_events,                             \
    .lagrangian = &flx_tree_lagrangian, .rigid_motion = flx_tree_rigid_motion,                     \
    .instance = instance, .set_parameters = set_parameters, .parameter_slope = parameter_slope

#define OPS_BY_LINKS                                                                               \
    .factors_create = flx_tree_factors_create, .factors_destroy = flx_tree_factors_destroy,        \
    .factors_memory = flx_tree_factors_memory, .factor = flx_tree_factor, .solve = flx_tree_solve, \
    .pivots = flx_tree_pivots, .product = flx_tree_product,                                        \
    .factors_follow = flx_tree_factors_follow

// By links or not, with rows that hold or not.
static const flx_system_ops ops[2][2] = {
    {{COMMON_OPS}, {COMMON_OPS, .contacts = &flx_tree_contacts}},
    {{COMMON_OPS, OPS_BY_LINKS}, {COMMON_OPS, OPS_BY_LINKS, .contacts = &flx_tree_contacts}}};

void flx_tree_take_operations(flx_tree *t)
{
    bool switched = t->inner && flx_tree_inner(t)->ngroup > 0;
    t->base.ops = &ops[t->by_links][switched];
}

// ---- what it cannot do --------------------------------------------------------------------------

static flx_status refuse(const flx_model *m, flx_loc loc, const char *what)
{
    return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, loc,
                    "formulation: tree does not take %s; leave the formulation out, or use index-3",
                    what);
}

static flx_status check_model(const flx_model *m)
{
    flx_loc loc = m->simulate.formulation_loc;
    if (m->nbody == 0) return refuse(m, loc, "a model without bodies");
    if (m->nbeam > 0) return refuse(m, loc, "beams");
    for (int i = 0; m->simulate.steps && i < m->ncontact; i++) {
        if (m->contacts[i].law == FLX_CONTACT_RIGID)
            return refuse(m, loc, "contacts that are met step by step");
    }
    for (int i = 0; i < m->nmodal; i++) { // joints at nodes push otherwise than they move
        if (m->modals[i].e->one_sided) return refuse(m, loc, "one-sided stiffening");
    }
    return FLX_OK;
}

// ---- joints whose forces are read ---------------------------------------------------------------

static bool mark_reaction(void *user, flx_leaf leaf)
{
    bool *apart = user;
    if (flx_leaf_get_kind(leaf) == FLX_LEAF_REACTION) apart[flx_leaf_get_index(leaf)] = true;
    return false; // go on with the others
}

// Coordinates of joints do not contain the forces of the joints. Where friction, an equation, an event
// or a switch reads those of a joint, it carries nothing and is closed: then they are multipliers.
static bool *list_apart(const flx_model *m, const flx_descriptor *ready)
{
    bool *apart = flx_alloc(m->ctx, (size_t)m->njoint, sizeof *apart);
    if (!apart) return NULL;
    for (int j = 0; j < m->njoint; j++) apart[j] = ready->joints[j].read;
    for (int i = 0; i < m->nevent; i++) {
        for (int k = 0; k < m->events[i].nset; k++) {
            (void)flx_graph_depends(m->graph, m->events[i].sets[k].value, mark_reaction, apart);
        }
    }
    for (int i = 0; i < m->nswitch; i++) {
        (void)flx_graph_depends(m->graph, m->switches[i].value, mark_reaction, apart);
    }
    return apart;
}

// A link without inertia along its joint: its velocity follows from the forces, by implicit methods.
// Bodies without mass are as others are where something with mass hangs on them.
static flx_status find_massless(flx_tree *t, const flx_state *x)
{
    flx_work *work = flx_tree_work_create(&t->base);
    flx_tree_work *w = flx_tree_work_of(work);
    if (!work) return FLX_ERR_MEMORY;
    if (!w->elastic) {
        t->massless =
            flx_linkage_forward(&t->weightless, w->states, x->q, w->zero, NULL, NULL, w->free_a);
    } else {
        flx_point p = flx_state_point(&t->base, x), b = flx_tree_carry(t, w, &p);
        flx_eval_masses(flx_tree_inner(t), flx_descriptor_work_of(w->inner), &b, w->A2);
        t->massless = flx_tree_elastic_factor(t, w, w->A2);
    }
    flx_tree_work_destroy(work);
    if (t->massless != FLX_TREE_NO_MASS) return FLX_OK;
    return FLX_FAIL(t->base.ctx, FLX_ERR_CANNOT, t->model->modals[0].loc,
                    "a flexible body has no mass along some of its coordinates");
}

flx_status flx_tree_refuse_massless(const flx_system *s, bool undetermined)
{
    const flx_tree *t = flx_tree_of(s);
    if (t->massless < 0) return FLX_OK;
    const flx_body *b = t->model->bodies + t->t.links[t->massless].body;
    flx_unknown u;
    s->ops->unknown(s, t->t.links[t->massless].v, &u);
    return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, b->loc,
                    "body '%s' and what hangs on it have no inertia along '%s' (%s), so that its "
                    "acceleration is not determined%s",
                    b->name, u.item, u.part,
                    undetermined ? ", and neither damping nor stiffness there that would determine "
                                   "its velocity or position"
                                 : "; an implicit method (radau, bdf, generalized-alpha) finds "
                                   "its velocity from the forces");
}

bool flx_tree_is_massless(const flx_system *s)
{
    return flx_tree_of(s)->massless >= 0;
}

// ---- making it ----------------------------------------------------------------------------------

typedef struct rows {
    int n, *list; // owned; numbers in the complete system, ascending
} rows;

// Rows of the joints of the tree; their motions stay.
static flx_status list_tree_rows(const flx_tree *t, const flx_descriptor *complete, rows *out)
{
    int n = complete->base.dims.nlam + complete->base.dims.nmu;
    out->list = flx_alloc(t->base.ctx, (size_t)n, sizeof *out->list);
    bool *carries = flx_alloc(t->base.ctx, (size_t)t->model->njoint, sizeof *carries);
    if (out->list && carries) {
        for (int i = 0; i < t->top.n; i++) {
            if (t->top.nodes[i].joint >= 0) carries[t->top.nodes[i].joint] = true;
        }
        for (int i = 0; i < n; i++) {
            const flx_row_info *r = complete->rows + i;
            bool held = r->joint >= 0 && r->role == FLX_ROLE_HOLD;
            if (held && carries[r->joint]) out->list[out->n++] = i;
        }
    }
    bool fine = out->list && carries;
    flx_free(carries);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// A system made of it, and who takes all numbers of its matrices, have linear algebra of their own.
static flx_status take_pattern(flx_tree *t)
{
    return flx_tree_pattern(t, t->model->reduces || t->model->spreads ? FLX_TREE_FULL
                                                                      : FLX_TREE_CHEAPEST);
}

// Whether nothing but inertia and weight moves the bodies: no other term has anything, there are no unknowns and no rows.
static bool is_bare(const flx_tree *t)
{
    const flx_descriptor *d = flx_tree_inner(t);
    for (int i = 0; i < FLX_N_TERMS; i++) {
        if (i != FLX_TERM_BODIES && d->own[i]) return false;
    }
    return t->model->nforce + t->model->nfriction + t->model->nstop == 0 &&
           t->nvariable + t->base.dims.nx + t->base.dims.nw == 0 && flx_tree_rows(t) == 0;
}

// ready: a descriptor system of the model.
static flx_status make_inner(flx_tree *t, const flx_system *ready, const rows *drop)
{
    const flx_descriptor_options options = {.ndrop = drop->n, .drop = drop->list};
    flx_system_destroy(&t->inner);
    FLX_TRY(flx_descriptor_select(ready, &options, &t->inner));
    const flx_descriptor *d = flx_tree_inner(t);
    t->places = (flx_body_places){t->model->nbody, t->model, d->body_q, d->body_v};
    t->base.dims = t->inner->dims;
    t->nvariable = t->model->nvariable;
    t->base.dims.nq = t->t.k.nq + t->nvariable;
    t->base.dims.nv = t->t.k.nv + t->nvariable;
    t->base.param = t->inner->param;
    t->base.nparameter = t->inner->nparameter;
    t->base.first_parameter = t->inner->first_parameter;
    t->base.reads_multipliers = t->inner->reads_multipliers;
    t->bare = is_bare(t);
    return take_pattern(t);
}

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Leaves out so many closures beside the rows that are left out already.
static flx_status drop_closures(flx_tree *t, const flx_system *ready, const flx_state *x, int n,
                                rows *drop)
{
    const flx_descriptor *d = flx_tree_inner(t);
    bool *out = flx_alloc(t->base.ctx, (size_t)flx_tree_rows(t), sizeof *out);
    flx_status status = out ? flx_tree_find_weakest(t, x, n, out) : FLX_ERR_MEMORY;
    for (int i = 0; i < flx_tree_rows(t) && status == FLX_OK; i++) {
        if (out[i]) drop->list[drop->n++] = d->rows[i].complete;
    }
    flx_free(out);
    qsort(drop->list, (size_t)drop->n, sizeof *drop->list, compare);
    return status == FLX_OK ? make_inner(t, ready, drop) : status;
}

static double work_of(const flx_tree *t)
{
    return t->fronts.work + t->fronts.border.work;
}

// Many closures are taken out among the links: where their paths meet, as they are now; or as soon as they are
// determined, or in the border, where that is less work.
static flx_status spread_closures(flx_tree *t, const flx_state *x)
{
    double late = work_of(t), border = 0.0;
    int others = flx_dims_unknowns(&t->base.dims) - flx_tree_first_other(t);
    if (others <= FLX_TREE_FEW || t->model->nmodal > 0 || !(late > 0.0)) return FLX_OK;
    FLX_TRY(flx_tree_measure_border(t, &border));
    if (late < border) return FLX_OK;
    t->late = false;
    FLX_TRY(take_pattern(t));
    border = work_of(t);
    FLX_TRY(flx_tree_order(t, x));
    FLX_TRY(take_pattern(t));
    if (work_of(t) < fmin(border, late)) return FLX_OK;
    flx_free(t->after);
    t->after = NULL;
    t->late = late < border;
    return take_pattern(t);
}

static flx_status choose_closures(flx_tree *t, const flx_system *ready, const flx_state *at,
                                  int nredundant, rows *drop)
{
    flx_state *x = NULL;
    flx_status status = flx_state_create(&t->base, &x);
    if (status == FLX_OK) status = flx_tree_from_bodies(&t->base, at, x);
    if (status == FLX_OK) status = find_massless(t, x);
    if (status == FLX_OK && nredundant > 0) status = drop_closures(t, ready, x, nredundant, drop);
    if (status == FLX_OK) status = flx_tree_measure_reach(t, x);
    if (status == FLX_OK) status = spread_closures(t, x);
    flx_state_destroy(&x);
    return status;
}

static flx_status make(flx_tree *t, const flx_system *ready, const flx_state *at, int nredundant)
{
    const flx_descriptor *d = flx_descriptor_of(ready);
    rows drop = {0};
    bool *apart = list_apart(t->model, d);
    if (!apart) return FLX_ERR_MEMORY;
    flx_status status = flx_topology_create_apart(t->model, apart, &t->top);
    flx_free(apart);
    if (status != FLX_OK) return status;
    FLX_TRY(flx_tree_links_create(t->model, &t->top, &t->t));
    t->weightless = t->t.k;
    memset(t->weightless.gravity, 0, sizeof t->weightless.gravity);
    status = list_tree_rows(t, d->complete ? d->complete : d, &drop);
    if (status == FLX_OK) status = make_inner(t, ready, &drop);
    if (status == FLX_OK) status = choose_closures(t, ready, at, nredundant, &drop);
    flx_free(drop.list);
    bool spread = t->fronts.border.sparse || t->fronts.nborder < t->fronts.nother;
    t->is_many = t->by_links && spread && !t->partitions;
    if (status == FLX_OK && t->partitions && flx_tree_inner(t)->ngroup > 0) {
        return refuse(t->model, t->model->simulate.formulation_loc,
                      "coordinate partitioning beside contacts that open and close");
    }
    if (t->massless < 0) return status;
    t->ops = *t->base.ops;
    t->ops.explicit_form = &flx_tree_explicit_massless;
    t->base.ops = &t->ops;
    return status;
}

flx_status flx_tree_create(const flx_model *m, const flx_system *ready, const flx_state *at,
                           int nredundant, flx_system **s)
{
    *s = NULL;
    FLX_TRY(check_model(m));
    flx_tree *t = flx_alloc(m->ctx, 1, sizeof *t);
    if (!t) return FLX_ERR_MEMORY;
    flx_tree_take_operations(t);
    t->base.ctx = m->ctx;
    t->base.title = m->title;
    t->model = m;
    t->partitions = m->simulate.partitioning;
    t->is_many = t->late = true;
    flx_status status = make(t, ready, at, nredundant);
    if (status == FLX_OK) {
        t->fronts.border.pattern.plans = t->base.pattern.plans = flx_plans_create(m->ctx);
        if (!t->base.pattern.plans) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) {
        destroy(&t->base);
        return status;
    }
    *s = &t->base;
    return FLX_OK;
}
