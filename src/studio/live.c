// live.c - a run that is driven (live.h). To grab another body the system is made anew with a spring at it: the unknowns are the
// same, and the motion goes on from its state.
#include "studio/live.h"
#include "base/number.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 3600.0 // seconds of the motion that are expected
#define PULL 60.0      // 1/s^2: stiffness of the spring over the mass of all bodies
#define LAG "0.15"     // s: its damping over its stiffness

static int look_at_clock(void *user, double t, double until)
{
    const flx_live *l = user;
    (void)t;
    (void)until;
    return flx_clock_seconds() > l->until;
}

// ---- a result -------------------------------------------------------------------------------------

static flx_status end_record(flx_live *l)
{
    if (!l->record) return FLX_OK;
    flx_status status = l->record->type->end(l->record, NULL);
    flx_sink_destroy(&l->record);
    flx_run_destroy(&l->first_run);
    flx_system_destroy(&l->first_system);
    return status;
}

flx_status flx_live_record(flx_live *l, const char *path)
{
    if (l->record) return end_record(l);
    const flx_result_info *info = flx_run_scene(l->run);
    if (!path || !info) return FLX_OK;
    FLX_TRY(flx_hdf5_sink_create(l->ctx, path, &l->record));
    flx_status status = l->record->type->begin(l->record, info);
    if (status != FLX_OK) flx_sink_destroy(&l->record);
    return status;
}

flx_status flx_live_put_row(flx_live *l)
{
    int n, wanted = flx_run_scene(l->first_run ? l->first_run : l->run)->ncolumn;
    const double *motion = flx_run_motion(l->run, NULL), *outputs = flx_run_outputs(l->run, &n);
    if (!l->record || !outputs || n < wanted) return FLX_OK;
    if (motion) FLX_TRY(l->record->type->motion(l->record, motion));
    return l->record->type->row(l->record, flx_run_time(l->run), outputs);
}

// ---- life ---------------------------------------------------------------------------------------

static flx_status make_run(flx_live *l, const flx_system *s, flx_run **run)
{
    flx_run_def def = flx_run_def_default();
    def.until = LONGEST;
    def.no_ledger = 1;
    def.progress = look_at_clock;
    def.user = l;
    l->until = flx_clock_seconds() + LONGEST;
    return flx_run_create(s, &def, l->ctx, run);
}

static int count_ports(const flx_system *s, flx_port port)
{
    flx_port_info p;
    int n = 0;
    while (flx_system_describe(s, port, n, &p)) n++;
    return n;
}

static double total_mass(flx_run *run)
{
    const flx_result_info *info = flx_run_scene(run);
    double m = 0;
    for (int i = 0; info && info->scene && i < info->scene->nbody; i++) {
        m += info->scene->bodies[i].mass;
    }
    return m > 0 && isfinite(m) ? m : 1.0;
}

static flx_status remember(flx_live *l)
{
    const flx_result_info *info = flx_system_info(l->system);
    flx_snprintf(l->method, sizeof l->method, "%s", info->method);
    flx_snprintf(l->formulation, sizeof l->formulation, "%s", info->formulation);
    l->ninput = count_ports(l->system, FLX_PORT_INPUT);
    l->nparameter = count_ports(l->system, FLX_PORT_PARAMETER);
    l->inputs = calloc((size_t)l->ninput + 1, sizeof *l->inputs);
    l->parameters = calloc((size_t)l->nparameter + 1, sizeof *l->parameters);
    l->set_inputs = calloc((size_t)l->ninput + 1, sizeof *l->set_inputs);
    l->set_parameters = calloc((size_t)l->nparameter + 1, sizeof *l->set_parameters);
    bool got = l->inputs && l->parameters && l->set_inputs && l->set_parameters;
    l->stiffness = PULL * total_mass(l->run);
    return got ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_live_open(const flx_chore *chore, flx_live *l)
{
    *l = (flx_live){.chore = chore, .ctx = flx_ctx_create()};
    if (!l->ctx) return FLX_ERR_MEMORY;
    FLX_TRY(flx_work_read(l->ctx, chore, true, &l->model));
    FLX_TRY(flx_system_compile(l->model, NULL, l->ctx, &l->system));
    FLX_TRY(make_run(l, l->system, &l->run));
    return remember(l);
}

void flx_live_close(flx_live *l)
{
    end_record(l);
    flx_run_destroy(&l->run);
    flx_run_destroy(&l->first_run);
    flx_system_destroy(&l->system);
    flx_system_destroy(&l->first_system);
    flx_model_destroy(&l->model);
    free(l->inputs);
    free(l->parameters);
    free(l->set_inputs);
    free(l->set_parameters);
    free(l->block);
    free(l->state);
    flx_ctx_destroy(&l->ctx);
}

// ---- states ---------------------------------------------------------------------------------------

// Positions, velocities and states, one after the other; the caller frees it. NULL: no memory.
static double *copy_state(const flx_run *run, int n[3])
{
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    const double *from[3];
    for (int k = 0; k < 3; k++) from[k] = flx_run_view(run, views[k], &n[k]);
    double *state = malloc((size_t)(n[0] + n[1] + n[2] + 1) * sizeof *state), *to = state;
    for (int k = 0; state && k < 3; to += n[k++]) {
        if (n[k] > 0) memcpy(to, from[k], (size_t)n[k] * sizeof *to);
    }
    return state;
}

static flx_status put_state(flx_run *run, double t, const double *state, const int n[3])
{
    return flx_run_set_state_at(run, t, state, state + n[0], state + n[0] + n[1], NULL);
}

flx_status flx_live_save(flx_live *l)
{
    int n[3];
    free(l->block);
    free(l->state);
    l->nblock = flx_run_save(l->run, NULL, 0);
    l->block = malloc(l->nblock + 1);
    if (l->block) flx_run_save(l->run, l->block, l->nblock);
    l->state = copy_state(l->run, n);
    l->saved_t = flx_run_time(l->run);
    return l->block && l->state ? FLX_OK : FLX_ERR_MEMORY;
}

// Bit for bit where the system is the same one; else its state.
flx_status flx_live_restore(flx_live *l)
{
    int n[3];
    FLX_TRY(end_record(l));
    if (!l->block) {
        return FLX_FAIL(l->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "nothing was saved yet");
    }
    int errors = flx_ctx_error_count(l->ctx);
    if (flx_run_restore(l->run, l->block, l->nblock) == FLX_OK) return FLX_OK;
    flx_ctx_forget_errors(l->ctx, errors);
    double *now = copy_state(l->run, n);
    free(now);
    return now ? put_state(l->run, l->saved_t, l->state, n) : FLX_ERR_MEMORY;
}

// ---- inputs and parameters ------------------------------------------------------------------------

flx_status flx_live_set_input(flx_live *l, const char *name, double value)
{
    int i = flx_system_input(l->system, name, l->ctx);
    if (i < 0) return FLX_ERR_ARGUMENT;
    FLX_TRY(flx_run_set_input(l->run, i, 1, &value));
    if (i < l->ninput) {
        l->inputs[i] = value;
        l->set_inputs[i] = true;
    }
    return FLX_OK;
}

// What was set so far, in a run that is new or reset.
static flx_status set_again(flx_live *l, flx_run *run)
{
    bool any = false;
    for (int i = 0; i < l->nparameter; i++) {
        if (!l->set_parameters[i]) continue;
        FLX_TRY(flx_run_set_parameter(run, i, l->parameters[i]));
        any = true;
    }
    if (any) FLX_TRY(flx_run_reset(run));
    for (int i = 0; i < l->ninput; i++) {
        if (l->set_inputs[i]) FLX_TRY(flx_run_set_input(run, i, 1, &l->inputs[i]));
    }
    return FLX_OK;
}

// The same motion with another number.
static flx_status go_on_with(flx_live *l, int i, double value, double t, const double *state,
                             const int n[3])
{
    FLX_TRY(flx_run_set_parameter(l->run, i, value));
    FLX_TRY(flx_run_reset(l->run));
    return put_state(l->run, t, state, n);
}

flx_status flx_live_set_parameter(flx_live *l, const char *name, double value)
{
    int n[3], i = flx_system_parameter(l->system, name, l->ctx);
    double before, t = flx_run_time(l->run);
    if (i < 0) return FLX_ERR_ARGUMENT;
    FLX_TRY(flx_run_get_parameter(l->run, i, &before));
    double *state = copy_state(l->run, n);
    if (!state) return FLX_ERR_MEMORY;
    flx_status status = go_on_with(l, i, value, t, state, n);
    if (status == FLX_OK && i < l->nparameter) {
        l->parameters[i] = value;
        l->set_parameters[i] = true;
    } else if (status != FLX_OK && go_on_with(l, i, before, t, state, n) != FLX_OK) {
        flx_run_reset(l->run);
    }
    free(state);
    return status;
}

flx_status flx_live_reset(flx_live *l)
{
    FLX_TRY(end_record(l));
    return flx_run_reset(l->run);
}

// ---- the spring -----------------------------------------------------------------------------------

// The place of the body as a name: a point of its own, or, of items that are repeated, the centre of mass.
static flx_status add_point(flx_model *m, const char *body, const double at[3], int dimension,
                            char *name, size_t size)
{
    char path[FLX_LIVE_NAME + 64];
    flx_value values[3] = {{at[0], NULL}, {at[1], NULL}, {at[2], NULL}};
    flx_snprintf(path, sizeof path, "bodies.%s", body);
    if (strpbrk(body, "(.") || flx_model_kind(m, path) != 3) {
        flx_snprintf(name, size, "%s.com", body);
        return FLX_OK;
    }
    flx_snprintf(path, sizeof path, "bodies.%s.points.pull_point", body);
    flx_snprintf(name, size, "%s.pull_point", body);
    return flx_model_set_list(m, path, dimension, values);
}

// Inputs pull_x, pull_y, pull_z, pull_k, and a force of them.
static flx_status add_spring(flx_live *l, flx_model *m, const char *body, const double at[3])
{
    static const char axes[] = "xyz";
    char point[2 * FLX_LIVE_NAME], text[3][8 * FLX_LIVE_NAME];
    flx_value values[3];
    const flx_scene *scene = flx_run_scene(l->run)->scene;
    int dimension = scene ? scene->dimension : 3;
    FLX_TRY(add_point(m, body, at, dimension, point, sizeof point));
    for (int k = 0; k < dimension; k++) {
        char path[32] = "inputs.pull_x.value";
        path[12] = axes[k];
        FLX_TRY(flx_model_set(m, path, 0.0));
        flx_snprintf(text[k], sizeof text[k],
                     "pull_k*(pull_%c - %s.position.%c - " LAG "*%s.velocity.%c)", axes[k], point,
                     axes[k], point, axes[k]);
        values[k] = (flx_value){0.0, text[k]};
    }
    FLX_TRY(flx_model_set(m, "inputs.pull_k.value", 0.0));
    FLX_TRY(flx_model_set_text(m, "forces.pull_spring.type", "force"));
    FLX_TRY(flx_model_set_text(m, "forces.pull_spring.on", body));
    FLX_TRY(flx_model_set_text(m, "forces.pull_spring.at", point));
    return flx_model_set_list(m, "forces.pull_spring.value", dimension, values);
}

static bool are_alike(const flx_run *a, const flx_run *b)
{
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    for (int k = 0; k < 3; k++) {
        int n, m;
        flx_run_view(a, views[k], &n);
        flx_run_view(b, views[k], &m);
        if (n != m) return false;
    }
    return true;
}

// A run of the new system in the place of the old one, in the same state.
static flx_status take_over(flx_live *l, flx_run *run)
{
    int n[3];
    if (!are_alike(run, l->run)) {
        return FLX_FAIL(l->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "with a spring at it the model has other unknowns: it cannot be pulled");
    }
    double *state = copy_state(l->run, n);
    if (!state) return FLX_ERR_MEMORY;
    flx_status status = set_again(l, run);
    if (status == FLX_OK) status = put_state(run, flx_run_time(l->run), state, n);
    free(state);
    return status;
}

static void replace(flx_live *l, flx_model *m, flx_system *s, flx_run *run)
{
    if (l->record && !l->first_run) { // the result needs what it began with
        l->first_run = l->run;
        l->first_system = l->system;
    } else {
        flx_run_destroy(&l->run);
        flx_system_destroy(&l->system);
    }
    flx_model_destroy(&l->model);
    l->model = m;
    l->system = s;
    l->run = run;
}

flx_status flx_live_grab(flx_live *l, const char *body, const double at[3])
{
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_compile_def def = flx_compile_def_default();
    def.method.method = l->method;
    if (flx_model_get_text(l->model, "simulate.method")) def.method.method = NULL;
    if (strcmp(l->formulation, "auto") != 0) def.formulation = l->formulation;
    flx_status status = flx_work_read(l->ctx, l->chore, true, &m);
    if (status == FLX_OK) status = add_spring(l, m, body, at);
    if (status == FLX_OK) status = flx_system_compile(m, &def, l->ctx, &s);
    if (status == FLX_OK) status = make_run(l, s, &run);
    if (status == FLX_OK) status = take_over(l, run);
    if (status == FLX_OK) {
        replace(l, m, s, run);
        flx_snprintf(l->pulled, sizeof l->pulled, "%s", body);
        return FLX_OK;
    }
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    return status;
}

flx_status flx_live_pull(flx_live *l, const double *to)
{
    static const char *const names[] = {"pull_x", "pull_y", "pull_z"};
    if (!l->pulled[0]) return FLX_OK;
    int k = flx_system_input(l->system, "pull_k", l->ctx);
    double stiffness = to ? l->stiffness : 0.0;
    for (int i = 0; to && i < 3; i++) {
        if (i == 2 && flx_run_scene(l->run)->scene->dimension == 2) continue;
        FLX_TRY(
            flx_run_set_input(l->run, flx_system_input(l->system, names[i], l->ctx), 1, &to[i]));
    }
    return k < 0 ? FLX_ERR_ARGUMENT : flx_run_set_input(l->run, k, 1, &stiffness);
}
