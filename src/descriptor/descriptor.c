// descriptor.c - making the descriptor system from a model; its table of operations; what its unknowns are called.
#include "descriptor/descriptor_parts.h"
#include "joint/joint.h"
#include "math/plans.h"

#include <float.h>

// ---- names --------------------------------------------------------------------------------------

static const char *const parts_space[] = {
    "x", "y", "z", "rotation about its x", "rotation about its y", "rotation about its z"};
static const char *const parts_plane[] = {"x", "y", "angle"};

// What a start moves of elastic coordinates is the inverse root of this part of what it moves of bodies.
#define KEEP_SHAPE 1e12
#define KEEP_STATE                                                                                 \
    1e24 // of variables that were of first order, which have no mass: a start keeps their values

static void name_velocity(const flx_descriptor *d, int i, flx_unknown *u)
{
    const flx_model *m = d->model;
    u->kind = FLX_UNKNOWN_VELOCITY;
    u->scale = 1.0;
    if (i >= d->variable_v) {
        const flx_variable *v = m->variables + (i - d->variable_v);
        u->item = v->name;
        u->part = "value";
        u->loc = v->loc;
        // bodies are moved before they are deformed
        if (i >= d->base.dims.nv - m->nmode) u->keep = KEEP_SHAPE;
        if (v->carried) u->keep = KEEP_STATE;
        return;
    }
    int b = d->block_of[i], k = i - d->body_v[b]; // a body's block has the body's number
    bool turns = k >= (d->planar ? 2 : 3);
    u->item = m->bodies[b].name;
    u->part = d->planar ? parts_plane[k] : parts_space[k];
    u->loc = m->bodies[b].loc;
    if (!turns) u->scale = d->length;
    // what a slope is off by moves the line by that times the length of an element
    if (m->bodies[b].slope) u->scale = d->length / m->bodies[b].reach;
}

static void name_first_order(const flx_descriptor *d, int number, bool algebraic, flx_unknown *u)
{
    const flx_model *m = d->model;
    u->kind = algebraic ? FLX_UNKNOWN_ALGEBRAIC : FLX_UNKNOWN_STATE;
    u->index = algebraic ? 1 : 0;
    u->scale = 1.0;
    u->part = "value";
    for (int i = 0; i < m->nfirst; i++) {
        if (m->firsts[i].algebraic != algebraic || m->firsts[i].number != number) continue;
        u->item = m->firsts[i].name;
        u->loc = m->firsts[i].loc;
        double size = algebraic ? 0.0 : flx_memories_scale(d, number);
        if (size > 0.0) u->scale = size;
    }
}

static void name_row(const flx_descriptor *d, int row, bool velocity, flx_unknown *u)
{
    const flx_row_info *r = d->rows + row;
    u->kind = velocity ? FLX_UNKNOWN_VELOCITY_CONSTRAINT : FLX_UNKNOWN_CONSTRAINT;
    u->index = r->C > 0 ? 1 : velocity || r->tau > 0 ? 2 : 3;
    u->scale = r->metres ? d->length : 1.0;
    u->sigma = velocity ? 0.0 : r->sigma;
    u->tau = r->tau;
    *(velocity ? &u->E : &u->C) = r->C;
    if ((r->held.from > 0 || r->one_sided) && !velocity) u->lower = 0.0;
    u->item = r->item;
    u->part = r->part;
    u->loc = r->loc;
    // at rest its positions make it zero
    if (r->constraint >= 0 && d->model->constraints[r->constraint].carried) u->keep = KEEP_STATE;
}

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    *u = (flx_unknown){.lower = -HUGE_VAL, .upper = HUGE_VAL, .scale = 1.0};
    if (i < flx_first_x(d)) {
        name_velocity(d, i, u);
    } else if (i < flx_first_w(d)) {
        name_first_order(d, i - flx_first_x(d), false, u);
    } else if (i < flx_first_lam(d)) {
        name_first_order(d, i - flx_first_w(d), true, u);
    } else {
        name_row(d, i - flx_first_lam(d), i >= flx_first_mu(d), u);
    }
}

int flx_descriptor_complete_row(const flx_system *s, int i)
{
    return flx_descriptor_of(s)->rows[i].complete;
}

// ---- workspace ----------------------------------------------------------------------------------

static void work_destroy(flx_work *work)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    if (!w) return;
    if (w->complete) work_destroy(&w->complete->base);
    flx_twin_clear(&w->twin);
    flx_saddle_free(w);
    flx_touch_list_destroy(&w->touches);
    flx_free(w->block);
    flx_free(w);
}

// One block, cut up. Counted first with block NULL.
static size_t cut_block(const flx_descriptor *d, flx_descriptor_work *w)
{
    const flx_expressions *x = &d->expr;
    size_t frame = d->planar ? sizeof(flx_frame2) : sizeof(flx_frame);
    size_t frames = ((size_t)d->model->nbody + (size_t)d->nattached + 1) * frame / sizeof(double);
    size_t nrow = (size_t)d->base.dims.nlam + (size_t)d->base.dims.nmu;
    size_t n = (size_t)flx_dims_unknowns(&d->base.dims);
    size_t rows = (size_t)flx_attached_rows(d), all = n + rows, J = (size_t)d->attached_numbers;
    size_t most = 2 * (size_t)d->attached_most * (size_t)d->attached_most;
    const struct {
        double **at;
        size_t n;
    } parts[] = {
        {NULL, frames},
        {&w->leaves, (size_t)x->ninput},
        {&w->out, (size_t)x->nout},
        {&w->scratch, (size_t)x->scratch},
        {&w->rows, nrow},
        {&w->r, n},
        {&w->zero, n},
        {&w->force, all},
        {&w->attached.q, rows ? (size_t)d->base.dims.nq : 0},
        {&w->attached.v, rows ? all : 0},
        {&w->attached.a, rows ? all : 0},
        {&w->attached.r, rows ? all : 0},
        {&w->attached.dv, rows ? all : 0},
        {&w->attached.da, rows ? all : 0},
        {&w->attached.J, J},
        {&w->attached.Jv, J},
        {&w->attached.Jf, d->pushed ? J : 0},
        {&w->attached.bias, rows},
        {&w->attached.A0, rows ? (size_t)d->nvalue : 0},
        {&w->attached.A1, rows ? (size_t)d->nvalue : 0},
        {&w->attached.scratch, most},
        {&w->lam, d->complete ? 7 * ((size_t)d->complete_lam + (size_t)d->complete_mu) : 0},
        {&w->read, (size_t)x->read_size},
        {&w->gravity, 3},
        {&w->tangent, x->nreading > 0 ? (size_t)d->nvalue : 0},
        {&w->truth, 2 * (size_t)d->model->nevent},
        {&w->border, (size_t)d->model->nswitch},
        {&w->rate, (size_t)d->model->nswitch},
        {&w->was, (size_t)d->model->nswitch},
        {&w->side, (size_t)d->model->nswitch},
        {&w->switches, (size_t)d->base.dims.nswitch},
        {&w->angle_leaves, (size_t)x->angles.ninput},
        {&w->angles, (size_t)d->nturn},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (w->block && parts[i].at) *parts[i].at = w->block + total;
        total += (parts[i].n + 7) / 8 * 8; // each begins a cache line
    }
    return total + flx_terms_scratch(d, w, w->block ? w->block + total : NULL);
}

static flx_work *work_create(const flx_system *s)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_descriptor_work *w = flx_alloc(s->ctx, 1, sizeof *w);
    if (!w) return NULL;
    w->base.system = s;
    w->block = flx_alloc(s->ctx, cut_block(d, w), sizeof *w->block);
    if (!w->block || flx_touch_list_create(d, &w->touches) != FLX_OK) {
        work_destroy(&w->base);
        return NULL;
    }
    (void)cut_block(d, w);
    if (!d->pushed) w->attached.Jf = w->attached.J;
    if (d->planar) {
        w->frames.plane = (flx_frame2 *)(void *)w->block;
        w->frames.plane[0].c = 1.0;
    } else {
        w->frames.space = (flx_frame *)(void *)w->block;
        m33_store(w->frames.space[0].R, m33_identity());
    }
    return &w->base;
}

flx_descriptor_work *flx_descriptor_complete_work(const flx_descriptor *d, flx_descriptor_work *w)
{
    if (flx_descriptor_renew_complete(d) != FLX_OK) return NULL;
    if (!w->complete) w->complete = flx_descriptor_work_of(work_create(&d->complete->base));
    return w->complete;
}

static void destroy(flx_system *s)
{
    flx_descriptor *d = (flx_descriptor *)s;
    if (!d) return;
    if (d->compiled) {
        if (d->complete) destroy(&d->complete->base);
        flx_model_destroy(&d->varied);
        flx_arena_destroy(&d->arena);
        flx_free(d);
        return;
    }
    if (d->users && atomic_fetch_sub(d->users, 1) > 1) return; // selections are there
    flx_descriptor *whole = d->whole;
    flx_expr_destroy(d);
    flx_free(d->couplings.keys);
    flx_plans_destroy(&d->base.pattern.plans);
    flx_arena_destroy(&d->arena);
    flx_free(d->users);
    flx_free(d);
    if (whole) destroy(&whole->base);
}

// Arrays are those of the compiled system; parameters lie behind the struct.
static flx_status instance(const flx_system *s, flx_ctx *ctx, flx_system **own)
{
    const flx_descriptor *from = flx_descriptor_of(s);
    size_t param = (size_t)s->dims.nparam * sizeof(double);
    size_t hoisting = from->hoist ? (size_t)flx_hoist_scratch(from->hoist) * sizeof(double) : 0;
    flx_descriptor *d = flx_alloc(ctx, 1, sizeof *d + param + hoisting);
    if (!d) return FLX_ERR_MEMORY;
    *d = *from;
    d->base.ctx = ctx;
    d->compiled = from->compiled ? from->compiled : from;
    d->complete = NULL;
    d->arena = NULL;
    d->varied = NULL;
    d->param = (double *)(void *)(d + 1);
    if (param > 0) memcpy(d->param, from->param, param);
    d->base.param = d->param;
    d->hoisting = d->param + s->dims.nparam;
    flx_system *complete = NULL;
    flx_status status = from->complete ? instance(&from->complete->base, ctx, &complete) : FLX_OK;
    d->complete = (flx_descriptor *)complete;
    // one whose parameters were set has numbers of its own, and so has what is made of it
    if (status == FLX_OK && from->varied) status = flx_model_vary(from->varied, ctx, &d->varied);
    if (status == FLX_OK && d->varied) {
        status = flx_descriptor_set_parameters(&d->base, flx_model_parameters(from->varied));
    }
    if (status == FLX_OK) *own = &d->base;
    if (status != FLX_OK) destroy(&d->base);
    return status;
}

static flx_status discrete_forces(const flx_system *s, flx_work *work, const flx_point *p0,
                                  const flx_point *pm, const flx_point *p1, double *out,
                                  flx_blocks *b)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_step_ends x = {.p0 = p0, .pm = pm, .p1 = p1, .out = out, .b = b};
    flx_terms_discrete(flx_descriptor_of(s), w, &x);
    return FLX_OK;
}

// Bodies move as one; variables of equations and shapes of elastic bodies do not.
static int rigid_motion(const flx_system *s, const double *q, int k, double *v)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    memset(v, 0, (size_t)s->dims.nv * sizeof *v);
    if (!flx_has_bodies(d) || (d->planar && (k == 2 || k == 3 || k == 4))) return 0;
    for (int i = 0; i < d->model->nbody; i++) {
        const double *at = q + d->body_q[i];
        double *out = v + d->body_v[i];
        int linear = d->planar ? 2 : 3, n = d->body_nv[i];
        v3 r = {at[0], at[1], d->planar ? 0.0 : at[2]};
        if (k < 3 && d->model->bodies[i].slope) continue; // a difference of places
        v3 move = k < 3 ? axis : v3_cross(axis, r);
        const double m[3] = {move.x, move.y, move.z};
        memcpy(out, m, (size_t)linear * sizeof *out);
        if (k < 3 || n == linear) continue;
        if (d->planar) {
            out[2] = 1.0;
        } else {
            v3_store(out + 3, m33_tmul_v(quat_to_m33(quat_unit(quat_load(at + 3))), axis));
        }
    }
    return 1;
}

static flx_status parameter_slope(const flx_system *s, flx_work *work, const flx_point *at, int k,
                                  double *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    return flx_twin_slope(s, &w->twin, at, k, out);
}

// clang-format off
#define OPERATIONS \
    .name = "descriptor", \
    .residual = flx_eval_residual, \
    .linearise = flx_eval_linearise, \
    .retract = flx_chart_retract, \
    .difference = flx_chart_difference, \
    .velocity = flx_chart_velocity, \
    .rate = flx_chart_rate, \
    .velocity_t = flx_chart_velocity_t, \
    .rate_t = flx_chart_rate_t, \
    .velocity_slope_t = flx_chart_velocity_slope_t, \
    .unknown = unknown, \
    .work_create = work_create, \
    .work_destroy = work_destroy, \
    .work_memory = flx_saddle_work_memory, \
    .destroy = destroy, \
    .constraint_rate = flx_eval_constraint_rate, \
    .constraint_force = flx_eval_constraint_force, \
    .constraint_bias = flx_eval_constraint_bias, \
    .constraint_slope = flx_eval_constraint_slope, \
    .explicit_form = &flx_descriptor_explicit, \
    .components = &flx_descriptor_components, \
    .lagrangian = &flx_descriptor_lagrangian, \
    .rigid_motion = rigid_motion, \
    .discrete_forces = discrete_forces, \
    .energy = flx_eval_energy, \
    .accept = flx_eval_accept, \
    .longest_step = flx_eval_longest_step, \
    .events = &flx_descriptor_events, \
    .instance = instance, \
    .set_parameters = flx_descriptor_set_parameters, \
    .parameter_slope = parameter_slope
// clang-format on

static const flx_system_ops ops = {OPERATIONS};
// ... with rows that hold or not
static const flx_system_ops switched_ops = {OPERATIONS, .contacts = &flx_descriptor_contacts};
// ... with contacts that are met step by step
static const flx_system_ops stepped_ops = {OPERATIONS, .touches = &flx_descriptor_touches};
static const flx_system_ops both_ops = {OPERATIONS, .contacts = &flx_descriptor_contacts,
                                        .touches = &flx_descriptor_touches};

// ---- making it ----------------------------------------------------------------------------------

double flx_descriptor_gyration(const flx_model *m)
{
    double most = 0.0;
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        double J = m->dimension == 2 ? b->inertia[8]
                                     : fmax(b->inertia[0], fmax(b->inertia[4], b->inertia[8]));
        if (b->mass > 0.0 && J > 0.0) most = fmax(most, J / b->mass);
    }
    return sqrt(most);
}

// Joints in one place that is off the bodies' centres by an inaccuracy say nothing of the size of the mechanism: below this
// part of a radius of gyration, or the rounding of coordinates.
#define NO_LENGTH 1e-3
#define ROUNDING (64.0 * DBL_EPSILON)

// Size of the mechanism: the box round all centres of mass and joints in the initial configuration, and the distances
// inside bodies.
double flx_descriptor_length(const flx_model *m)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double size = 0.0;
    for (int i = 0; i < m->nbody + 2 * m->njoint; i++) {
        const flx_joint *j = i < m->nbody ? NULL : m->joints + (i - m->nbody) / 2;
        if (j ? j->kind->on_joints : m->bodies[i].slope) continue;
        int side = (i - m->nbody) & 1, body = j ? j->body[side] : i;
        const double *at = j ? j->at[side] : m->bodies[i].com;
        v3 p = v3_load(at);
        if (body >= 0) {
            const flx_body *b = m->bodies + body;
            double apart = v3_norm(v3_sub(p, v3_load(b->com)));
            if (apart > size) size = apart;
            p = v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), p));
        }
        double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            if (x[k] < low[k]) low[k] = x[k];
            if (x[k] > high[k]) high[k] = x[k];
        }
    }
    double far = 0.0;
    for (int k = 0; k < 3; k++) {
        size = fmax(size, high[k] - low[k]);
        far = fmax(far, fmax(fabs(high[k]), fabs(low[k])));
    }
    return size > fmax(NO_LENGTH * flx_descriptor_gyration(m), ROUNDING * far) ? size : 1.0;
}

static bool is_descriptor(const flx_system *s)
{
    return s->ops == &ops || s->ops == &switched_ops || s->ops == &stepped_ops ||
           s->ops == &both_ops;
}

static flx_status make_param(flx_descriptor *d)
{
    int n = d->base.dims.nparam = flx_param_hoisted(d->model, 0);
    d->param = flx_arena_take(d->arena, (size_t)n, sizeof *d->param);
    if (!d->param) return FLX_ERR_MEMORY;
    flx_param_fill(d->model, d->param);
    d->base.nparameter = d->model->ntunable;
    d->base.first_parameter = flx_param_tunable(d->model, 0);
    d->base.param = d->param; // hoisted numbers follow when expressions are compiled
    return FLX_OK;
}

static flx_status make(flx_descriptor *d, const flx_descriptor_options *o)
{
    flx_dims *n = &d->base.dims;
    d->arena = flx_arena_create(d->base.ctx);
    if (!d->arena) return FLX_ERR_MEMORY;
    if (o && o->ndrop > 0) {
        int *drop = flx_arena_take(d->arena, (size_t)o->ndrop, sizeof *drop);
        if (!drop) return FLX_ERR_MEMORY;
        memcpy(drop, o->drop, (size_t)o->ndrop * sizeof *drop);
        d->drop = drop;
        d->ndrop = o->ndrop;
    }
    d->hold = o ? o->hold : FLX_HOLD_NOTHING;
    d->planar = d->model->dimension == 2;
    d->length = flx_descriptor_length(d->model);
    d->gyration = flx_descriptor_gyration(d->model);
    FLX_TRY(make_param(d));
    // number everything ...
    FLX_TRY(flx_layout_bodies(d));
    FLX_TRY(flx_terms_plan(d, FLX_STAGE_BODIES));
    FLX_TRY(flx_attached_plan(d));
    FLX_TRY(flx_terms_plan(d, FLX_STAGE_FORCES));
    FLX_TRY(flx_groups_plan(d));
    FLX_TRY(flx_rows_count(d));
    flx_pulls_number(d);
    d->first_constraint = n->nlam;
    FLX_TRY(flx_expr_plan(d));
    FLX_TRY(flx_terms_plan(d, FLX_STAGE_EXPRESSIONS));
    FLX_TRY(flx_descriptor_events_plan(d));
    flx_touches_number(d); // before those of groups, which are the last
    flx_groups_number_switches(d);
    d->rows = flx_arena_take(d->arena, (size_t)n->nlam + (size_t)n->nmu, sizeof *d->rows);
    if (!d->rows) return FLX_ERR_MEMORY;
    // ... find who touches whom ...
    FLX_TRY(flx_layout_blocks(d));
    FLX_TRY(flx_read_list(d));
    FLX_TRY(flx_terms_couple(d));
    FLX_TRY(flx_rows_couple(d));
    FLX_TRY(flx_constraints_couple(d));
    FLX_TRY(flx_groups_couple(d));
    FLX_TRY(flx_attached_couple(d));
    FLX_TRY(flx_layout_pattern(d));
    // ... and where everybody writes
    FLX_TRY(flx_terms_fill(d, FLX_STAGE_BODIES));
    FLX_TRY(flx_attached_fill(d));
    FLX_TRY(flx_rows_fill(d));
    FLX_TRY(flx_terms_fill(d, FLX_STAGE_FORCES));
    FLX_TRY(flx_terms_fill(d, FLX_STAGE_EXPRESSIONS));
    FLX_TRY(flx_constraints_fill(d));
    FLX_TRY(flx_groups_fill(d));
    FLX_TRY(flx_expr_compile(d));
    FLX_TRY(flx_layout_parts(d));
    FLX_TRY(flx_pulls_scale(d));
    FLX_TRY(flx_groups_choose_tangents(d));
    return flx_layout_pairs(d);
}

static flx_status create(const flx_model *m, flx_descriptor *whole,
                         const flx_descriptor_options *options, flx_system **s)
{
    *s = NULL;
    flx_descriptor *d = flx_alloc(m->ctx, 1, sizeof *d);
    if (!d) return FLX_ERR_MEMORY;
    d->base.ops = &ops;
    d->base.ctx = m->ctx;
    d->base.title = m->title;
    d->model = m;
    d->whole = whole;
    if (whole) atomic_fetch_add(whole->users, 1); // runs may select at a time
    d->users = flx_alloc(m->ctx, 1, sizeof *d->users);
    if (d->users) atomic_init(d->users, 1);
    flx_status status = d->users ? make(d, options) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_touches_check(d);
    if (status == FLX_OK) {
        d->base.pattern.plans = flx_plans_create(m->ctx);
        if (!d->base.pattern.plans) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) {
        destroy(&d->base);
        return status;
    }
    if (d->ndrop > 0) d->complete = whole;
    if (d->ngroup > 0) d->base.ops = &switched_ops;
    if (flx_touches_exist(m)) d->base.ops = d->ngroup > 0 ? &both_ops : &stepped_ops;
    d->made = true;
    *s = &d->base;
    return FLX_OK;
}

flx_status flx_descriptor_create(const flx_model *m, const flx_descriptor_options *options,
                                 flx_system **s)
{
    flx_system *whole = NULL;
    flx_status status = create(m, NULL, NULL, options ? &whole : s);
    if (status != FLX_OK || !options) return status;
    status = flx_descriptor_select(whole, options, s);
    flx_system_destroy(&whole); // it lives on in the selection
    return status;
}

flx_status flx_descriptor_select(const flx_system *s, const flx_descriptor_options *options,
                                 flx_system **selected)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->compiled) d = d->compiled;
    if (d->whole) d = d->whole;
    return create(d->model, (flx_descriptor *)(uintptr_t)d, options, selected);
}

flx_status flx_descriptor_attached(flx_system *s, const flx_system *from)
{
    flx_descriptor *d = (flx_descriptor *)s;
    const double *p = from->param + from->first_parameter;
    size_t n = (size_t)s->nparameter * sizeof *p;
    if (memcmp(d->param + s->first_parameter, p, n) != 0) FLX_TRY(flx_system_set_parameters(s, p));
    memcpy(d->param, from->param, (size_t)s->dims.nparam * sizeof *d->param);
    return FLX_OK;
}

double *flx_descriptor_loads(const flx_system *s)
{
    return is_descriptor(s) ? flx_descriptor_of(s)->param : NULL;
}

bool flx_descriptor_body_axes(const flx_system *s, const double *q, int body, flx_body_axes *out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    if (!is_descriptor(s) || body < 0 || body >= d->model->nbody) return false;
    int linear = d->planar ? 2 : 3, n = d->body_nv[body];
    *out = (flx_body_axes){d->body_v[body], linear, n - linear, m33_identity(), d->body_q[body]};
    if (out->angular == 3) out->R = quat_to_m33(quat_unit(quat_load(q + d->body_q[body] + 3)));
    return true;
}
