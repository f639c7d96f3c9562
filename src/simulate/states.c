// states.c - whole states of the motion in results, and runs that begin from one of them.
//
// A state is kept in coordinates of bodies, whatever the run's own are, as t, q, v, x, w, switches: what starts are made of.
// Accelerations and multipliers follow. The structure, an item per line, says what the numbers are of; a model of
// the same structure can begin there with other parameters.
#include "base/number.h"
#include "base/refuse.h"
#include "base/text.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <string.h>

// Times that are the same: rows are computed as multiples.
#define SAME_TIME 1e-9

// ---- structure ----------------------------------------------------------------------------------

static void describe_items(const flx_model *m, flx_item_kind kind, const char *word, flx_text *t)
{
    for (int i = 0; i < flx_model_item_count(m, kind); i++) {
        const char *type = "", *name = flx_model_item(m, kind, i, &type);
        flx_text_print(t, "%s '%s'%s%s\n", word, name, type[0] ? ": " : "", type);
    }
}

static void describe(const flx_model *m, const flx_dims *d, flx_text *t)
{
    describe_items(m, FLX_ITEM_BODY, "body", t);
    describe_items(m, FLX_ITEM_JOINT, "joint", t);
    describe_items(m, FLX_ITEM_VARIABLE, "variable", t);
    describe_items(m, FLX_ITEM_STATE, "variable of first order", t);
    describe_items(m, FLX_ITEM_DISCRETE, "discrete variable", t);
    describe_items(m, FLX_ITEM_EVENT, "event", t);
    flx_text_print(t,
                   "%d coordinates, %d velocities, %d states, %d algebraic unknowns, %d switches\n",
                   d->nq, d->nv, d->nx, d->nw, d->nswitch);
}

static int count_numbers(const flx_dims *d)
{
    return 1 + d->nq + d->nv + d->nx + d->nw + d->nswitch;
}

// ---- keeping ------------------------------------------------------------------------------------

// The state in coordinates of bodies, in arrays of the simulation.
static const flx_system *carry(flx_simulation *sim, flx_state *x)
{
    flx_work *work = sim->work;
    const flx_system *base = flx_wrapper_base(sim->sys, &work, x);
    if (!sim->bodies) return base;
    flx_tree_to_bodies(base, work, x, sim->bodies_state);
    *x = *sim->bodies_state;
    return sim->bodies;
}

static bool are_alike(const flx_dims *a, const flx_dims *b)
{
    return a->nq == b->nq && a->nv == b->nv && a->nx == b->nx && a->nw == b->nw &&
           a->nswitch == b->nswitch;
}

static bool is_whole(const flx_simulation *sim)
{
    return are_alike(&sim->sys->dims, &flx_wrapper_innermost(sim->sys)->dims);
}

flx_status flx_states_convert(flx_simulation *by, const flx_state *x, flx_simulation *to,
                              flx_state *y)
{
    if (!by->bodies == !to->bodies && are_alike(&by->sys->dims, &to->sys->dims)) {
        flx_state_copy(y, x);
        return FLX_OK;
    }
    const flx_system *from = by->bodies ? by->bodies : by->sys;
    const flx_system *other = to->bodies ? to->bodies : to->sys;
    if (!is_whole(by) || !is_whole(to) || !are_alike(&from->dims, &other->dims)) {
        return FLX_FAIL(to->ctx, FLX_ERR_CANNOT, to->model->reduce_loc,
                        "a run that neglects inertia has no state of the whole model: leave out "
                        "this block of `reduce`");
    }
    flx_state own = *x;
    (void)carry(by, &own);
    const flx_dims *d = &to->sys->dims;
    if (to->bodies) FLX_TRY(flx_tree_from_bodies(flx_wrapper_innermost(to->sys), &own, y));
    if (!to->bodies) {
        memcpy(y->q, own.q, (size_t)d->nq * sizeof *y->q);
        memcpy(y->v, own.v, (size_t)d->nv * sizeof *y->v);
        memcpy(y->x, own.x, (size_t)d->nx * sizeof *y->x);
        memcpy(y->switches, own.switches, (size_t)d->nswitch * sizeof *y->switches);
    }
    memcpy(y->w, own.w, (size_t)d->nw * sizeof *y->w);
    y->t = own.t;
    return flx_start_accelerations(to->sys, y);
}

void flx_simulation_keep_states(flx_simulation *sim)
{
    if (!sim) return;
    sim->info.state_rows = 1;
}

flx_status flx_states_create(flx_simulation *sim)
{
    flx_text t;
    if (sim->info.structure) return FLX_OK;
    const flx_system *s = sim->bodies ? sim->bodies : flx_wrapper_innermost(sim->sys);
    flx_text_start(&t, sim->ctx);
    describe(sim->model, &s->dims, &t);
    char *text = t.failed ? NULL : flx_arena_copy(sim->arena, t.data, strlen(t.data));
    flx_text_clear(&t);
    sim->info.nstate = count_numbers(&s->dims);
    sim->kept_state = flx_arena_take(sim->arena, (size_t)sim->info.nstate, sizeof(double));
    if (!text || !sim->kept_state) return FLX_ERR_MEMORY;
    sim->info.structure = text;
    return FLX_OK;
}

static double *put(double *at, int n, const double *from)
{
    memcpy(at, from, (size_t)n * sizeof *at);
    return at + n;
}

void flx_states_take(flx_simulation *sim, const flx_state *state)
{
    flx_state x = *state;
    const flx_dims *d = &carry(sim, &x)->dims;
    double *at = sim->kept_state;
    *at++ = x.t;
    at = put(at, d->nq, x.q);
    at = put(at, d->nv, x.v);
    at = put(at, d->nx, x.x);
    at = put(at, d->nw, x.w);
    (void)put(at, d->nswitch, x.switches);
}

// ---- beginning from one -------------------------------------------------------------------------

static const double *take(const double *at, int n, double *to)
{
    memcpy(to, at, (size_t)n * sizeof *to);
    return at + n;
}

// One line of a text; NULL: no more.
static const char *next_line(const char **at, int *length)
{
    const char *line = *at;
    if (*line == '\0') return NULL;
    *length = (int)strcspn(line, "\n");
    *at += *length + (line[*length] == '\n');
    return line;
}

static bool has_line(const char *text, const char *line, int length)
{
    int n;
    for (const char *at = text, *l; (l = next_line(&at, &n)) != NULL;) {
        if (n == length && strncmp(l, line, (size_t)n) == 0) return true;
    }
    return false;
}

// The first item that one has and the other has not.
static flx_status refuse_structure(flx_ctx *ctx, const char *model, const char *result)
{
    const char *mine = model, *its = result, *a, *b;
    int n = 0, m = 0;
    do {
        a = next_line(&mine, &n);
        b = next_line(&its, &m);
    } while (a && b && n == m && strncmp(a, b, (size_t)n) == 0);
    if (b && !has_line(model, b, m)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model is not of the structure of the result: it has no %.*s%s%.*s", m,
                        b, a ? ", and in its place " : "", a ? n : 0, a ? a : "");
    }
    if (a && !has_line(result, a, n)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model is not of the structure of the result, which has no %.*s", n, a);
    }
    return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                    "the model is not of the structure of the result: the order of its items "
                    "differs from %.*s on",
                    a ? n : m, a ? a : b);
}

flx_status flx_states_apply(const flx_simulation *sim, const flx_system *s, flx_state *x)
{
    const flx_given_state *from = sim->from;
    const flx_dims *d = &s->dims;
    flx_text t;
    flx_text_start(&t, sim->ctx);
    describe(sim->model, d, &t);
    flx_status status = t.failed ? FLX_ERR_MEMORY : FLX_OK;
    if (status == FLX_OK && strcmp(t.data, from->structure) != 0) {
        status = refuse_structure(sim->ctx, t.data, from->structure);
    }
    flx_text_clear(&t);
    FLX_TRY(status);
    if (from->n != count_numbers(d)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_IO, FLX_NOWHERE, "the states of the result are damaged");
    }
    const double *at = from->values;
    for (int i = 0; i < from->n; i++) {
        if (isfinite(at[i])) continue;
        return FLX_FAIL(sim->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "the state of the result at t = %.9g is not a number", at[0]);
    }
    x->t = *at++;
    at = take(at, d->nq, x->q);
    at = take(at, d->nv, x->v);
    at = take(at, d->nx, x->x);
    at = take(at, d->nw, x->w);
    (void)take(at, d->nswitch, x->switches);
    return flx_descriptor_resume(s, x);
}

// The state at t, which must be one of those kept; NaN: the last.
static flx_status find_state(flx_ctx *ctx, const flx_result *r, double t, flx_given_state *out)
{
    int n = 0, nearest = -1;
    double off = HUGE_VAL;
    out->structure = flx_result_structure(r, &out->n);
    while (flx_result_state(r, n)) n++;
    if (n == 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the result has no state to begin from: run its model again%s",
                        flx_result_rows(r) > 0 ? ", to its end or with --states" : "");
    }
    for (int i = 0; i < n; i++) {
        double d = isnan(t) ? (double)(n - 1 - i) : fabs(flx_result_state(r, i)[0] - t);
        if (d <= off) nearest = i;
        off = fmin(off, d);
    }
    out->values = flx_result_state(r, nearest);
    double first = flx_result_state(r, 0)[0], last = flx_result_state(r, n - 1)[0];
    if (isnan(t) || off <= SAME_TIME * fmax(fabs(t), last - first)) return FLX_OK;
    if (n == 1) {
        return FLX_FAIL(
            ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "the result keeps one state, that of its end at t = %.9g, and none at %.9g: "
            "run its model with --states to keep one at every row",
            last, t);
    }
    if (t < first || t > last) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "t = %.9g lies outside the result, whose states go from t = %.9g to %.9g",
                        t, first, last);
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the result has no row at t = %.9g; the nearest state is at t = %.9g", t,
                    out->values[0]);
}

flx_status flx_simulation_create_from(const flx_model *model, const flx_result *r, double t,
                                      flx_simulation **sim)
{
    if (!model || !r || !sim) return flx_refuse_null(NULL, __func__);
    flx_given_state from = {0};
    *sim = NULL;
    FLX_TRY(find_state(model->ctx, r, t, &from));
    return flx_simulation_create_at(model, &from, sim);
}
