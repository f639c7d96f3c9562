// run_inputs.c - numbers that a run takes from its owner: inputs while it lasts, parameters from a reset on.
#include "base/refuse.h"
#include "integrate/events/events.h"
#include "simulate/run_parts.h"
#include "system/wrapper.h"

#include <math.h>
#include <string.h>

// Where an input moves a joint, its constraints may be off by so much more than they were.
#define POSITION_OFF 1e-8
#define VELOCITY_OFF 1e-6
#define TIMES_OFF 10.0
// A value that changes by this part of itself has not jumped.
#define NO_JUMP 1e-12

// ---- the vector of parameters -------------------------------------------------------------------

// Of an instance, which is the run's own.
static double *params_of(const flx_system *s)
{
    return s ? (double *)(uintptr_t)s->param : NULL;
}

// In all systems that the run has.
void flx_running_put_input(flx_run *r, int i, const double *numbers)
{
    const flx_simulation *sims[] = {r->sim, r->watch.full};
    for (int k = 0; k < 2; k++) {
        if (!sims[k]) continue;
        int at = flx_param_input(sims[k]->model, i, 0);
        const flx_system *systems[] = {sims[k]->sys, sims[k]->bodies};
        for (int j = 0; j < 2; j++) {
            double *param = params_of(systems[j]);
            if (param) memcpy(param + at, numbers, FLX_INPUT_NUMBERS * sizeof *param);
        }
    }
}

const double *flx_running_input(const flx_run *r, int i)
{
    return r->sim->sys->param + flx_param_input(r->sim->model, i, 0);
}

// Value, slope and curvature at t.
void flx_running_input_at(const double *numbers, double t, double u[3])
{
    double d = t - numbers[FLX_INPUT_SINCE], c = numbers[FLX_INPUT_CURVATURE];
    u[0] = numbers[FLX_INPUT_VALUE] + d * (numbers[FLX_INPUT_SLOPE] + 0.5 * d * c);
    u[1] = numbers[FLX_INPUT_SLOPE] + d * c;
    u[2] = c;
}

// ---- what follows ---------------------------------------------------------------------------------

static bool is_off(double now, double before, double most)
{
    return !(now <= most + TIMES_OFF * before);
}

// What moves a joint must go on where it was.
static flx_status check_motion(flx_run *r, int i, const flx_residuals *before)
{
    flx_residuals now;
    flx_simulation *sim = r->sim;
    const flx_input_item *input = sim->model->inputs + i;
    flx_simulation_residuals(sim, sim->state, &now);
    bool place = is_off(now.position, before->position, POSITION_OFF);
    if (!place && !is_off(now.velocity, before->velocity, VELOCITY_OFF)) return FLX_OK;
    return FLX_FAIL(
        sim->ctx, FLX_ERR_ARGUMENT, input->loc,
        "input '%s' moves the joint '%s', which would jump by %.3g%s: give it values and "
        "slopes that go on where they are",
        input->name, input->moves, place ? now.position : now.velocity,
        place ? "" : " in its velocity");
}

flx_status flx_running_jump(flx_run *r)
{
    const flx_state *before;
    const flx_event_report *what;
    flx_simulation *sim = r->sim;
    double span = fmax(r->horizon, sim->state->t) - sim->start->t;
    r->known = false;
    flx_status status = flx_events_jump(sim->it, sim->state, span, &before, &what);
    if (status == FLX_OK) status = flx_running_tell_instant(r, before, what);
    if (status != FLX_OK) r->failed = status;
    if (sim->ledger.stopped_by) r->stopped = true;
    flx_running_show(r);
    return status;
}

static bool jumps(const double *before, const double *now, double t, bool moves)
{
    double u[3], v[3];
    flx_running_input_at(before, t, u);
    flx_running_input_at(now, t, v);
    if (before[FLX_INPUT_FREE] != 0.0 || now[FLX_INPUT_FREE] != 0.0) return true;
    if (fabs(v[0] - u[0]) > NO_JUMP * fmax(fabs(u[0]), fabs(v[0]))) return true;
    return moves && v[2] != u[2];
}

// Before the first step the start is that of the input as it is; where there is none such, it stays as it was.
static flx_status start_with(flx_run *r, int i, const double *numbers, const double *before)
{
    flx_running_put_input(r, i, numbers);
    r->stale = true;
    flx_status status = flx_running_restart(r);
    if (status == FLX_OK) return status;
    flx_running_put_input(r, i, before);
    r->stale = true;
    flx_status back = flx_running_restart(r);
    if (back != FLX_OK) r->failed = back;
    return status;
}

// A motion that has ended stays as it is: the input is that of the next one.
static flx_status note_input(flx_run *r, int i, const double *numbers)
{
    if (r->begun) (void)flx_running_know_outputs(r); // with the inputs that it ended with
    flx_running_put_input(r, i, numbers);
    r->stale = true;
    return FLX_OK;
}

static flx_status set_input(flx_run *r, int i, const double *numbers)
{
    flx_simulation *sim = r->sim;
    bool moves = sim->model->inputs[i].moves != NULL;
    double before[FLX_INPUT_NUMBERS];
    flx_residuals residuals = {0};
    memcpy(before, flx_running_input(r, i), sizeof before);
    if (memcmp(before, numbers, sizeof before) == 0) return FLX_OK;
    if (r->stopped || r->failed != FLX_OK) return note_input(r, i, numbers);
    if (!r->begun && !r->placed) return start_with(r, i, numbers, before);
    if (moves) flx_simulation_residuals(sim, sim->state, &residuals);
    flx_running_put_input(r, i, numbers);
    flx_account_forget(sim);
    r->known = false;
    flx_status status = moves ? check_motion(r, i, &residuals) : FLX_OK;
    if (status != FLX_OK) {
        flx_running_put_input(r, i, before);
        return status;
    }
    r->stale = true;
    return jumps(before, numbers, sim->state->t, moves) ? flx_running_jump(r) : FLX_OK;
}

// ---- public ---------------------------------------------------------------------------------------

static flx_status check_number(const flx_run *r, int i)
{
    if (i >= 0 && i < r->sim->model->ninput) return FLX_OK;
    return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the system has %d inputs, and no number %d", r->sim->model->ninput, i);
}

flx_status flx_run_set_input(flx_run *r, int i, int n, const double *u)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    flx_simulation *sim = r->sim;
    FLX_TRY(check_number(r, i));
    const flx_input_item *input = sim->model->inputs + i;
    double numbers[FLX_INPUT_NUMBERS] = {[FLX_INPUT_VALUE] = input->value, [FLX_INPUT_FREE] = 1.0};
    bool good = n >= 0 && n <= 3 && (u || n == 0);
    for (int k = 0; good && k < n; k++) {
        good = isfinite(u[k]);
        numbers[FLX_INPUT_VALUE + k] = u[k];
    }
    if (!good) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "input '%s' takes one to three finite numbers: value, slope, curvature",
                        input->name);
    }
    if (n > 0) {
        numbers[FLX_INPUT_SINCE] = sim->state->t;
        numbers[FLX_INPUT_FREE] = 0.0;
    }
    FLX_TRY(flx_running_enter(r));
    flx_status status = set_input(r, i, numbers);
    r->busy = false;
    return status;
}

flx_status flx_run_get_input(const flx_run *r, int i, double u[3])
{
    if (!r || !u) return flx_refuse_null(NULL, __func__);
    FLX_TRY(check_number(r, i));
    flx_running_input_at(flx_running_input(r, i), r->sim->state->t, u);
    return FLX_OK;
}

// ---- parameters -----------------------------------------------------------------------------------

// The vector p that the systems of the run are made of.
static const double *parameters_of(const flx_run *r)
{
    const flx_system *s = r->sim->sys;
    return s->nparameter > 0 ? s->param + s->first_parameter : NULL;
}

static flx_status refuse_number(const flx_run *r, int i)
{
    return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the system has no parameter %d",
                    i);
}

// Of this name; NULL: an entry of a list that is open.
static const flx_parameter *find_parameter(const flx_model *m, const char *name)
{
    for (int k = 0; k < m->nparameter; k++) {
        if (strcmp(m->parameters[k].name, name) == 0) return m->parameters + k;
    }
    return NULL;
}

bool flx_parameter_is_structural(const flx_parameter *p)
{
    return p->needed.file || p->needed.trail; // of a model by calls a path, without a file
}

static flx_status refuse_parameter(const flx_run *r, const flx_port_info *info)
{
    flx_ctx *ctx = r->sim->ctx;
    const flx_parameter *p = find_parameter(r->sim->model, info->name);
    if (p && flx_parameter_is_structural(p) && p->tunable < 0) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, p->needed,
                        "parameter '%s' is structural, its number is needed here: compile again",
                        p->name);
    }
    if (p && p->leaf == FLX_PARAMETER_FOLLOWS) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, p->loc,
                        "parameter '%s' is an expression of others: it follows those", p->name);
    }
    const char *frozen = flx_wrapper_frozen(r->of);
    if (frozen && p && p->tunable >= 0) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, p->loc,
                        "parameter '%s' is structural here: %s is found with the parameters that "
                        "the model was compiled with; compile again with other ones",
                        info->name, frozen);
    }
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "parameter '%s' cannot be set in this system: %s", info->name,
                    info->tunable ? "it does not follow its parameters; compile again"
                                  : "it was not open when the model was read, or analyses whose "
                                    "results the model uses were done with it");
}

static bool varies(const flx_run *r, const flx_port_info *info, int i)
{
    return info->tunable && i < r->sim->sys->nparameter;
}

flx_status flx_run_set_parameter(flx_run *r, int i, double value)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    flx_simulation *sim = r->sim;
    flx_port_info info;
    if (!flx_system_describe(r->of, FLX_PORT_PARAMETER, i, &info)) return refuse_number(r, i);
    if (!varies(r, &info, i)) return refuse_parameter(r, &info);
    if (!isfinite(value)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "parameter '%s' cannot have a value that is not finite",
                        sim->model->tunables[i].name);
    }
    size_t n = (size_t)sim->sys->nparameter;
    if (!r->parameters) {
        r->parameters = flx_alloc(sim->ctx, n, sizeof *r->parameters);
        if (!r->parameters) return FLX_ERR_MEMORY;
        memcpy(r->parameters, parameters_of(r), n * sizeof *r->parameters);
    }
    r->tuned = r->tuned || r->parameters[i] != value;
    r->parameters[i] = value;
    return FLX_OK;
}

flx_status flx_run_get_parameter(const flx_run *r, int i, double *value)
{
    if (!r || !value) return flx_refuse_null(NULL, __func__);
    flx_port_info info;
    if (!flx_system_describe(r->of, FLX_PORT_PARAMETER, i, &info)) return refuse_number(r, i);
    const flx_parameter *p = find_parameter(r->sim->model, info.name);
    if (p && p->leaf == FLX_PARAMETER_FOLLOWS) return refuse_parameter(r, &info);
    *value = info.value;
    if (varies(r, &info, i)) *value = r->parameters ? r->parameters[i] : parameters_of(r)[i];
    return FLX_OK;
}

flx_status flx_running_tune(flx_run *r, const double *p)
{
    flx_simulation *sim = r->sim;
    FLX_TRY(flx_system_set_parameters(sim->sys, p));
    if (sim->bodies) FLX_TRY(flx_system_set_parameters(sim->bodies, p));
    // they have read numbers of the system when they were made
    FLX_TRY(flx_simulation_create_method(sim));
    FLX_TRY(flx_judge_create(sim));
    return flx_simulation_prepare_settling(sim, sim->it);
}
