// run_linear.c - a run linearised about its state (flexion/linear.h, STATE-1): derivatives of the rates of free coordinates
// and of outputs, by differences of states that meet the constraints.
#include "analyse/linear/linear_states.h"
#include "analyse/minimal.h"
#include "base/log.h"
#include "base/number.h"
#include "base/refuse.h"
#include "flexion/linear.h"
#include "math/slope.h"
#include "simulate/linear/linearising.h"

#include <math.h>
#include <string.h>

typedef flx_linearising linear;

// ---- f ----------------------------------------------------------------------------------------------

static void follow_indicators(linear *l)
{
    const flx_system *s = l->sim->sys;
    const flx_event_ops *k = s->ops->events;
    if (!k) return;
    flx_point p = flx_state_point(s, l->x);
    if (k->indicate(s, l->m->work, &p, l->moved) != FLX_OK) return;
    for (int i = 0; i < k->indicators(s); i++) {
        double by = fabs(l->moved[i] - l->indicators[i]);
        if (isfinite(by)) l->reach[i] = fmax(l->reach[i], by);
    }
}

static flx_status evaluate(linear *l, double *f)
{
    flx_simulation *sim = l->sim;
    if (l->fixed) {
        flx_state_copy(l->x, l->m->at);
        FLX_TRY(flx_minimal_settle(l->m, l->x));
    } else {
        FLX_TRY(flx_minimal_place(l->m, l->d, l->x));
        flx_minimal_rate(l->m, l->x, f);
    }
    if (l->io->nout == 0) return FLX_OK;
    FLX_TRY(flx_signals_eval(l->signals, sim, l->x, 0.0));
    for (int k = 0; k < l->io->nout; k++)
        f[l->nf - l->io->nout + k] = l->signals->out[l->io->outputs[k]];
    return FLX_OK;
}

flx_status flx_linearising_evaluate_at(void *user, double d, double *f)
{
    linear *l = user;
    if (l->state >= 0) {
        l->d[l->state] = d;
    } else {
        for (int k = 0; k < l->io->nin; k++)
            flx_cut_inputs_change(&l->inputs, k, l->part, d * l->seed[k]);
    }
    flx_status status = evaluate(l, f);
    if (status == FLX_OK) follow_indicators(l);
    return status;
}

// ---- the matrices ----------------------------------------------------------------------------------------

flx_status flx_linearising_slope(linear *l, double step, flx_slope *s)
{
    *s = (flx_slope){.n = l->nf,
                     .step = step,
                     .user = l,
                     .eval = flx_linearising_evaluate_at,
                     .f0 = l->f0,
                     .scratch = l->scratch};
    return flx_slope_find(s, l->out);
}

// A derivative by what l says is changed, into column `col` of (n x nc) and (nout x nc).
static flx_status find_column(linear *l, double step, int col, int nc, double *of_rates,
                              double *of_outputs)
{
    int n = l->fixed ? 0 : l->n, nout = l->io->nout;
    flx_slope s;
    FLX_TRY(flx_linearising_slope(l, step, &s));
    flx_linearising_note(l, &s);
    if (l->state >= 0) flx_linearising_doubt(l, &s, l->state);
    for (int i = 0; i < n; i++) of_rates[i * nc + col] = l->out[i];
    for (int i = 0; i < nout; i++) of_outputs[i * nc + col] = l->out[n + i];
    return FLX_OK;
}

// Positions by their scales, velocities by theirs, or as fast as they are.
double flx_linearising_typical(const linear *l, int i)
{
    const flx_minimal *m = l->m;
    if (i < m->npos) return m->rows->scale[m->pos[i]];
    if (i < m->npos + m->nvel) {
        int v = m->vel[i - m->npos];
        return fmax(m->rows->scale[v], fabs(m->at->v[v]));
    }
    int x = i - m->npos - m->nvel;
    return fmax(m->rows->scale[m->s->dims.nv + x], fabs(m->at->x[x]));
}

static flx_status find_state_columns(linear *l, flx_linear_model *out)
{
    for (int i = 0; i < l->n; i++) {
        l->state = i;
        FLX_TRY(find_column(l, FLX_LINEAR_STEP * flx_linearising_typical(l, i), i, l->n, out->A,
                            out->C));
        l->d[i] = 0.0;
    }
    l->state = -1;
    return FLX_OK;
}

// to (m x nc) += A (m x k) B (k x nc), by rows.
static void add_product(int m, int k, int nc, const double *A, const double *B, double *to)
{
    for (int i = 0; i < m; i++) {
        for (int r = 0; r < k; r++) {
            for (int j = 0; j < nc; j++) to[i * nc + j] += A[i * k + r] * B[r * nc + j];
        }
    }
}

static bool any(size_t n, const double *a)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != 0.0) return true;
    }
    return false;
}

// What rates of the inputs do goes into the state: z = s - beta_1 u - b_2 u' (STATE-3).
static flx_status take_rates(linear *l, flx_linear_model *out)
{
    int n = l->n, nin = out->nin, nout = out->nout;
    size_t nb = (size_t)n * (size_t)nin, nd = (size_t)nout * (size_t)nin;
    double *b1 = flx_arena_take(l->arena, nb, sizeof *b1);
    double *b2 = flx_arena_take(l->arena, nb, sizeof *b2);
    out->D1 = flx_arena_take(l->arena, nd, sizeof *out->D1);
    out->D2 = flx_arena_take(l->arena, nd, sizeof *out->D2);
    if (!b1 || !b2 || !out->D1 || !out->D2) return FLX_ERR_MEMORY;
    FLX_TRY(flx_linearising_find_inputs(l, FLX_INPUT_SLOPE, b1, out->D1));
    FLX_TRY(flx_linearising_find_inputs(l, FLX_INPUT_CURVATURE, b2, out->D2));
    flx_linearising_clear_doubtful(l, out);
    for (int i = 0; i < n * nin; i++) {
        if (b1[i] != 0.0 || b2[i] != 0.0) l->shifts = i % nin;
    }
    add_product(n, n, nin, out->A, b2, b1); // beta_1
    add_product(n, n, nin, out->A, b1, out->B);
    add_product(nout, n, nin, out->C, b1, out->D);
    add_product(nout, n, nin, out->C, b2, out->D1);
    if (!any(nd, out->D1)) out->D1 = NULL;
    if (!any(nd, out->D2)) out->D2 = NULL;
    return FLX_OK;
}

static bool moves_joints(const linear *l)
{
    for (int k = 0; k < l->io->nin; k++) {
        if (flx_cut_inputs_moves(&l->inputs, k)) return true;
    }
    return false;
}

static void name_states(const linear *l, flx_state_info *to)
{
    const flx_minimal *m = l->m;
    for (int i = 0; i < l->n; i++) {
        bool position = i < m->npos, velocity = !position && i < m->npos + m->nvel;
        int first = i - m->npos - m->nvel;
        to[i].kind = position   ? FLX_STATE_POSITION
                     : velocity ? FLX_STATE_VELOCITY
                                : FLX_STATE_FIRST_ORDER;
        to[i].unknown = position ? m->pos[i] : velocity ? m->vel[i - m->npos] : first;
        flx_unknown u;
        m->s->ops->unknown(m->s, to[i].unknown + (first >= 0 ? m->s->dims.nv : 0), &u);
        to[i].item = u.item ? u.item : "";
        to[i].part = u.part ? u.part : "";
    }
}

// ---- together ----------------------------------------------------------------------------------------------

static flx_status take_memory(linear *l)
{
    const flx_system *s = l->sim->sys;
    const flx_event_ops *k = s->ops->events;
    size_t ni = k ? (size_t)k->indicators(s) : 0, nf = (size_t)l->nf;
    l->f0 = flx_arena_take(l->arena, nf, sizeof *l->f0);
    l->out = flx_arena_take(l->arena, nf, sizeof *l->out);
    l->scratch = flx_arena_take(l->arena, FLX_SLOPE_SCRATCH * nf, sizeof *l->scratch);
    l->d = flx_arena_take(l->arena, (size_t)l->n, sizeof *l->d);
    l->indicators = flx_arena_take(l->arena, ni, sizeof *l->indicators);
    l->reach = flx_arena_take(l->arena, ni, sizeof *l->reach);
    l->moved = flx_arena_take(l->arena, ni, sizeof *l->moved);
    l->change = flx_arena_take(l->arena, nf, sizeof *l->change);
    l->rough = flx_arena_take(l->arena, nf, sizeof *l->rough);
    l->corner = flx_arena_take(l->arena, nf, sizeof *l->corner);
    size_t ncol = (size_t)l->n + 3 * (size_t)l->io->nin;
    l->doubt = flx_arena_take(l->arena, ncol * (size_t)l->io->nout, sizeof *l->doubt);
    if (!l->change || !l->rough || !l->corner || !l->doubt) return FLX_ERR_MEMORY;
    bool made = l->f0 && l->out && l->scratch && l->d && l->indicators && l->reach && l->moved;
    return made ? FLX_OK : FLX_ERR_MEMORY;
}

// The state, free coordinates near it, and inputs as they count; f there.
static flx_status open_up(linear *l, bool closed, bool fixed)
{
    flx_simulation *sim = l->sim;
    const flx_io *io = l->io;
    l->state = -1;
    l->fixed = fixed;
    l->arena = flx_arena_create(sim->ctx);
    if (!l->arena) return FLX_ERR_MEMORY;
    FLX_TRY(flx_minimal_create(sim->sys, l->about, &l->m));
    FLX_TRY(flx_state_create(sim->sys, &l->x));
    l->n = fixed ? 0 : l->m->n;
    l->nf = l->n + io->nout;
    FLX_TRY(take_memory(l));
    FLX_TRY(
        flx_cut_inputs_begin(l->run, l->m->at, closed, io->nin, io->inputs, l->arena, &l->inputs));
    FLX_TRY(evaluate(l, l->f0));
    const flx_event_ops *k = sim->sys->ops->events;
    flx_point p = flx_state_point(sim->sys, l->m->at);
    return k ? k->indicate(sim->sys, l->m->work, &p, l->indicators) : FLX_OK;
}

static void close_down(linear *l)
{
    flx_cut_inputs_end(&l->inputs);
    flx_account_forget(l->sim);
    l->run->known = false;
    flx_minimal_destroy(&l->m);
    flx_state_destroy(&l->x);
}

static flx_status fill(linear *l, flx_linear_model *out)
{
    size_t n = (size_t)l->n, nin = (size_t)l->io->nin, nout = (size_t)l->io->nout;
    out->n = l->n;
    out->nin = l->io->nin;
    out->nout = l->io->nout;
    out->A = flx_arena_take(l->arena, n * n, sizeof *out->A);
    out->B = flx_arena_take(l->arena, n * nin, sizeof *out->B);
    out->C = flx_arena_take(l->arena, nout * n, sizeof *out->C);
    out->D = flx_arena_take(l->arena, nout * nin, sizeof *out->D);
    out->rate = flx_arena_take(l->arena, n, sizeof *out->rate);
    out->states = flx_arena_take(l->arena, n, sizeof *out->states);
    if (!out->A || !out->B || !out->C || !out->D || !out->rate || !out->states)
        return FLX_ERR_MEMORY;
    memcpy(out->rate, l->f0, n * sizeof *out->rate);
    name_states(l, out->states);
    FLX_TRY(find_state_columns(l, out));
    if (l->motion && !moves_joints(l)) FLX_TRY(flx_linearising_turn(l, l->motion, out));
    FLX_TRY(flx_linearising_find_inputs(l, FLX_INPUT_VALUE, out->B, out->D));
    FLX_TRY(take_rates(l, out));
    FLX_TRY(flx_linearising_clear_rounding(l, out));
    flx_linearising_tell_errors(l);
    flx_linearising_tell_switches(l);
    return FLX_OK;
}

// ---- signals as states ---------------------------------------------------------------------------------------

// Outputs, at a time that is shifted, of the state as it moves on with one number of it changed.
static flx_status evaluate_moved(linear *l, double dt, double d, double *f)
{
    double t = l->m->at->t;
    for (int i = 0; i < l->n; i++) l->d[i] = dt * l->rate[i];
    if (l->state >= 0) l->d[l->state] += d;
    l->m->at->t = t + dt;
    flx_status status = evaluate(l, f);
    l->m->at->t = t;
    memset(l->d, 0, (size_t)l->n * sizeof *l->d);
    return status;
}

// Slopes of the outputs by one state (DIFF-1) as the state moves on; of none: the outputs themselves.
static flx_status evaluate_slopes(void *user, double dt, double *f)
{
    static const double places[4] = {1.0, -1.0, 2.0, -2.0}, weights[4] = {8.0, -8.0, -1.0, 1.0};
    linear *l = user;
    int first = l->n, nout = l->io->nout;
    if (l->state < 0) {
        FLX_TRY(evaluate_moved(l, dt, 0.0, l->wide));
        memcpy(f, l->wide + first, (size_t)nout * sizeof *f);
        return FLX_OK;
    }
    double h = FLX_LINEAR_STEP * flx_linearising_typical(l, l->state);
    memset(f, 0, (size_t)nout * sizeof *f);
    for (int k = 0; k < 4; k++) {
        FLX_TRY(evaluate_moved(l, dt, places[k] * h, l->wide));
        for (int i = 0; i < nout; i++) f[i] += weights[k] * l->wide[first + i] / (12.0 * h);
    }
    return FLX_OK;
}

// How slopes of the outputs by the states change along the motion, S' (nout x n), and the outputs themselves, rate (nout).
static flx_status find_slopes_along(linear *l, double *S_rate, double *rate)
{
    int n = l->n, nout = l->io->nout;
    double fastest = 0.0;
    double *f0 = flx_arena_take(l->arena, (size_t)nout, sizeof *f0);
    for (int i = 0; i < n; i++)
        fastest = fmax(fastest, fabs(l->rate[i]) / flx_linearising_typical(l, i));
    for (int j = 0; j < l->sim->sys->dims.nv; j++) // what motions move counts as well
        fastest = fmax(fastest, fabs(l->m->at->v[j]) / l->m->rows->scale[j]);
    if (!f0) return FLX_ERR_MEMORY;
    if (fastest == 0.0) return FLX_OK;
    flx_slope s = {.n = nout,
                   .step = FLX_LINEAR_STEP / fastest,
                   .user = l,
                   .eval = evaluate_slopes,
                   .f0 = f0,
                   .scratch = l->scratch};
    for (l->state = -1; l->state < n; l->state++) {
        FLX_TRY(evaluate_slopes(l, 0.0, f0));
        FLX_TRY(flx_slope_find(&s, l->out));
        for (int i = 0; i < nout; i++) {
            if (l->state < 0)
                rate[i] = l->out[i];
            else
                S_rate[i * n + l->state] = l->out[i];
        }
    }
    l->state = -1;
    return FLX_OK;
}

// The last nstate outputs become the states.
static flx_status take_states(linear *l, const flx_linear_request *r, flx_linear_model *out)
{
    int n = l->n, ns = r->nstate, nin = out->nin, nout = out->nout - ns, all = out->nout;
    size_t size = (size_t)all * (size_t)n;
    double *S_rate = flx_arena_take(l->arena, size, sizeof *S_rate);
    double *rate = flx_arena_take(l->arena, (size_t)all, sizeof *rate);
    double *by = flx_arena_take(l->arena, (size_t)ns * (size_t)nin, sizeof *by);
    const char **names = flx_arena_take(l->arena, (size_t)all, sizeof *names);
    const char **inputs = flx_arena_take(l->arena, (size_t)nin, sizeof *inputs);
    l->wide = flx_arena_take(l->arena, (size_t)l->nf, sizeof *l->wide);
    if (!S_rate || !rate || !by || !names || !inputs || !l->wide) return FLX_ERR_MEMORY;
    l->rate = out->rate;
    FLX_TRY(find_slopes_along(l, S_rate, rate));
    for (int k = 0; k < nin; k++) inputs[k] = l->sim->model->inputs[r->inputs[k]].name;
    for (int i = 0; i < all; i++) names[i] = l->names[l->io->outputs[i]];
    for (int i = 0; i < ns * nin; i++) {
        int at = nout * nin + i;
        by[i] = fabs(out->D[at]) + (out->D1 ? fabs(out->D1[at]) : 0.0) +
                (out->D2 ? fabs(out->D2[at]) : 0.0);
    }
    out->nout = nout;
    size_t nd = (size_t)nout * (size_t)nin;
    if (out->D1 && !any(nd, out->D1)) out->D1 = NULL;
    if (out->D2 && !any(nd, out->D2)) out->D2 = NULL;
    const flx_linear_signals signals = {.n = ns,
                                        .S = out->C + (size_t)nout * (size_t)n,
                                        .S_rate = S_rate + (size_t)nout * (size_t)n,
                                        .by_input = by,
                                        .numbers = r->states,
                                        .names = names + nout,
                                        .inputs = inputs,
                                        .outputs = names};
    FLX_TRY(flx_linear_take_signals(l->sim->ctx, l->arena, &signals, out));
    memcpy(out->rate, rate + nout, (size_t)ns * sizeof *rate);
    return FLX_OK;
}

flx_status flx_linear_find(const flx_linear_request *r, flx_linear_model *out)
{
    flx_run none = {.sim = r->sim};
    size_t nout = (size_t)(r->nout + r->nstate);
    int *outputs = flx_alloc(r->sim->ctx, nout, sizeof *outputs);
    *out = (flx_linear_model){0};
    if (!outputs) return FLX_ERR_MEMORY;
    memcpy(outputs, r->outputs ? r->outputs : outputs, (size_t)r->nout * sizeof *outputs);
    for (int k = 0; k < r->nstate; k++) outputs[r->nout + k] = r->states[k];
    const flx_io io = {r->nin, (int)nout, r->inputs, outputs};
    linear l = {.run = r->run ? r->run : &none,
                .sim = r->sim,
                .io = &io,
                .about = r->at,
                .signals = r->signals,
                .names = r->names,
                .motion = r->nstate == 0 ? r->motion : NULL,
                .shifts = -1};
    flx_status status = open_up(&l, r->closed, false);
    if (status == FLX_OK) status = fill(&l, out);
    if (status == FLX_OK && r->nstate > 0) status = take_states(&l, r, out);
    if (r->shifts) *r->shifts = l.shifts;
    close_down(&l);
    flx_free(outputs);
    out->memory = l.arena;
    if (status != FLX_OK) flx_linear_model_clear(out);
    return status;
}

// ---- public --------------------------------------------------------------------------------------------------

static flx_status check_list(const flx_run *r, flx_port port, const char *what, int n,
                             const int *list)
{
    flx_port_info info;
    flx_ctx *ctx = r->sim->ctx;
    if (n < 0 || (n > 0 && !list))
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the list of %ss is missing", what);
    for (int k = 0; k < n; k++) {
        if (flx_system_describe(r->of, port, list[k], &info)) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the system has no %s %d", what,
                        list[k]);
    }
    for (int k = 0; port == FLX_PORT_INPUT && k < n; k++) {
        for (int j = 0; j < k; j++) {
            if (list[j] != list[k]) continue;
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "input %d is listed twice",
                            list[k]);
        }
    }
    return FLX_OK;
}

flx_status flx_running_check_io(const flx_run *r, const flx_io *io)
{
    const flx_simulation *sim = r->sim;
    FLX_TRY(check_list(r, FLX_PORT_INPUT, "input", io->nin, io->inputs));
    FLX_TRY(check_list(r, FLX_PORT_OUTPUT, "output", io->nout, io->outputs));
    if (r->failed != FLX_OK) return flx_running_refuse_failed(r);
    if (r->watch.full || sim->plan->reduction.n == 0) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, sim->model->reduce_loc,
                    "a run that neglects inertia cannot be linearised: leave out this block of "
                    "`reduce`");
}

static flx_status start(flx_run *r, const flx_io *io, int closed, bool fixed, linear *l)
{
    flx_simulation *sim = r->sim;
    *l = (linear){.run = r,
                  .sim = sim,
                  .io = io,
                  .about = sim->state,
                  .signals = &sim->columns,
                  .names = sim->info.names};
    FLX_TRY(flx_running_check_io(r, io));
    return open_up(l, closed != 0, fixed);
}

// With a message, whatever it was.
static flx_status explain(const flx_run *r, int told, flx_status status)
{
    flx_ctx *ctx = r->sim->ctx;
    if (status == FLX_OK || flx_ctx_error_count(ctx) > told) return status;
    return FLX_FAIL(ctx, status, FLX_NOWHERE, "the run cannot be linearised at t = %.9g: %s",
                    r->sim->state->t, flx_status_text(status));
}

// As it is, or as versions before had it: what is not there is zero.
static flx_status read_def(flx_ctx *ctx, const flx_linear_def *def, flx_linear_def *out)
{
    *out = flx_linear_def_default();
    if (!def) return FLX_OK;
    if (def->size < sizeof def->size || def->size > sizeof *def) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of a linear model has no valid size: begin with "
                        "flx_linear_def_default()");
    }
    memcpy(out, def, def->size);
    return FLX_OK;
}

static flx_status find_about_run(flx_run *r, const flx_io *io, const flx_linear_def *def,
                                 flx_linear_model *out)
{
    flx_simulation *sim = r->sim;
    FLX_TRY(flx_running_check_io(r, io));
    FLX_TRY(check_list(r, FLX_PORT_OUTPUT, "output", def->nstate, def->states));
    const flx_linear_request request = {.sim = sim,
                                        .run = r,
                                        .at = sim->state,
                                        .signals = &sim->columns,
                                        .names = sim->info.names,
                                        .nin = io->nin,
                                        .nout = io->nout,
                                        .nstate = def->nstate,
                                        .inputs = io->inputs,
                                        .outputs = io->outputs,
                                        .states = def->states,
                                        .closed = def->closed != 0};
    return flx_linear_find(&request, out);
}

flx_status flx_run_linearise(flx_run *r, const flx_io *io, const flx_linear_def *def,
                             flx_linear_model *out)
{
    if (!r || !out) return flx_refuse_null(NULL, __func__);
    static const flx_io none = {0};
    flx_linear_def d;
    flx_ctx *ctx = r->sim->ctx;
    *out = (flx_linear_model){0};
    FLX_TRY(read_def(ctx, def, &d));
    FLX_TRY(flx_running_enter(r));
    flx_log_guard log = flx_log_begin(ctx, r->def.log, r->def.user);
    int told = flx_ctx_error_count(ctx);
    flx_status status = explain(r, told, find_about_run(r, io ? io : &none, &d, out));
    flx_log_end(&log);
    r->busy = false;
    return status;
}

void flx_linear_model_clear(flx_linear_model *model)
{
    if (!model) return;
    flx_arena *arena = model->memory;
    flx_arena_destroy(&arena);
    *model = (flx_linear_model){0};
}

static flx_status find_direction(flx_run *r, linear *l, const double *seed, double *out)
{
    double size = 0.0; // of the seed, by typical sizes
    for (int k = 0; k < l->io->nin; k++) {
        const flx_input_item *input = r->sim->model->inputs + l->io->inputs[k];
        double now = flx_cut_inputs_size(&l->inputs, k, FLX_INPUT_VALUE);
        size = fmax(size, isfinite(seed[k]) ? fabs(seed[k]) / now : HUGE_VAL);
        if (!input->moves) continue;
        return FLX_FAIL(
            r->sim->ctx, FLX_ERR_CANNOT, input->loc,
            "input '%s' moves the joint '%s': positions cannot stay as they are when it "
            "changes",
            input->name, input->moves);
    }
    if (!isfinite(size))
        return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the seed is not finite");
    memset(out, 0, (size_t)l->io->nout * sizeof *out);
    if (size == 0.0) return FLX_OK;
    l->seed = seed;
    l->part = FLX_INPUT_VALUE;
    FLX_TRY(find_column(l, FLX_LINEAR_STEP / size, 0, 1, NULL, out));
    flx_linearising_tell_errors(l);
    flx_linearising_tell_switches(l);
    return FLX_OK;
}

flx_status flx_run_directional(flx_run *r, int nof, const int *of, int nby, const int *by,
                               const double *seed, double *out)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    linear l;
    flx_ctx *ctx = r->sim->ctx;
    const flx_io io = {.nin = nby, .nout = nof, .inputs = by, .outputs = of};
    FLX_TRY(flx_running_enter(r));
    flx_log_guard log = flx_log_begin(ctx, r->def.log, r->def.user);
    int told = flx_ctx_error_count(ctx);
    flx_status status = start(r, &io, 0, true, &l);
    if (status == FLX_OK) status = find_direction(r, &l, seed, out);
    close_down(&l);
    status = explain(r, told, status);
    flx_log_end(&log);
    r->busy = false;
    flx_arena_destroy(&l.arena);
    return status;
}
