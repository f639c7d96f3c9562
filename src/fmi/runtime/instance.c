// instance.c - an instance of an FMU from its making to its end.
#include "fmi/runtime/instance.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STATE_MAGIC 0x31554d46u // "FMU1"

// ---- messages -------------------------------------------------------------------------------------

static void tell(flx_fmu *f, flx_fmu_level level, const flx_message *m)
{
    char text[2048];
    if (m->loc.file) {
        flx_snprintf(text, sizeof text, "%s:%d:%d: %s", m->loc.file, m->loc.line, m->loc.column,
                     m->text);
    } else {
        flx_snprintf(text, sizeof text, "%s", m->text);
    }
    f->log(f->user, level, text);
}

void flx_fmu_tell(flx_fmu *f)
{
    for (int i = 0; i < flx_ctx_warning_count(f->ctx); i++) {
        tell(f, FLX_FMU_WARNING, flx_ctx_warning(f->ctx, i));
    }
    for (int i = 0; i < flx_ctx_error_count(f->ctx); i++) {
        tell(f, FLX_FMU_ERROR, flx_ctx_error(f->ctx, i));
    }
    flx_ctx_clear_messages(f->ctx);
}

flx_status flx_fmu_refuse(flx_fmu *f, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->log(f->user, FLX_FMU_ERROR, text);
    return FLX_ERR_ARGUMENT;
}

static int note_event(void *user, double t, int event, const char *name)
{
    flx_fmu *f = user;
    (void)t, (void)event, (void)name;
    f->events++;
    return 0;
}

// ---- compile --------------------------------------------------------------------------------------

// "name=value" of parameters that are others than those of the model; a list is given whole. NULL: no memory.
static char *setting_of(const flx_fmu *f, const flx_model *m, int i)
{
    flx_port_info info;
    char number[FLX_NUMBER_SIZE];
    flx_system_describe(f->system, FLX_PORT_PARAMETER, i, &info);
    const flx_parameter *p = i < m->ntunable ? m->parameters + m->tunables[i].parameter : NULL;
    const char *name = p ? p->name : info.name;
    int first = p && p->list ? p->tunable : i, n = p && p->list ? p->count : 1;
    size_t room = strlen(name) + 4 + (size_t)n * (FLX_NUMBER_SIZE + 2), used;
    char *text = malloc(room);
    if (!text) return NULL;
    used = (size_t)flx_snprintf(text, room, "%s=%s", name, p && p->list ? "[" : "");
    for (int k = 0; k < n; k++) {
        flx_number_text(f->values[first + k], number);
        used += (size_t)flx_snprintf(text + used, room - used, "%s%s", k ? ", " : "", number);
    }
    if (p && p->list) flx_snprintf(text + used, room - used, "]");
    return text;
}

static bool is_same_list(const flx_model *m, int i, int j)
{
    return i < m->ntunable && j < m->ntunable &&
           m->tunables[i].parameter == m->tunables[j].parameter;
}

// Those of the note, then those set; *own (n) texts that are owned.
static flx_status make_settings(flx_fmu *f, int *n, const char ***out, char ***own, int *nown)
{
    const flx_model *m = f->system ? f->system->plan->model : NULL;
    int most = f->note.nset + f->nparameter + 1;
    *n = *nown = 0;
    *out = calloc((size_t)most, sizeof **out);
    *own = calloc((size_t)most, sizeof **own);
    if (!*out || !*own) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->note.nset; i++) (*out)[(*n)++] = f->note.settings[i];
    for (int i = 0; m && i < f->nparameter; i++) {
        if (f->values[i] == f->start[i] || isnan(f->values[i])) continue;
        int before = i - 1;
        while (before >= 0 &&
               !(is_same_list(m, i, before) && f->values[before] != f->start[before]))
            before--;
        if (before >= 0) continue;
        char *text = setting_of(f, m, i);
        if (!text) return FLX_ERR_MEMORY;
        (*own)[(*nown)++] = text;
        (*out)[(*n)++] = text;
    }
    return FLX_OK;
}

static int count_ports(const flx_system *s, flx_port port)
{
    flx_port_info info;
    int n = 0;
    while (flx_system_describe(s, port, n, &info)) n++;
    return n;
}

static flx_status compile(flx_fmu *f, int nset, const char *const *settings, flx_system **out)
{
    flx_model *model = NULL;
    flx_read_def def = flx_read_def_default();
    def.nset = nset;
    def.settings = settings;
    flx_status status = flx_model_read_by(f->ctx, f->note.path, &def, &model);
    if (status == FLX_OK) status = flx_system_compile(model, NULL, f->ctx, out);
    flx_model_destroy(&model);
    return status;
}

// A run, whose method has the tolerance that the master asks for.
static flx_status make_run(flx_fmu *f, flx_system *s, flx_run **run)
{
    flx_run_def def = flx_run_def_default();
    def.event = note_event;
    def.user = f;
    def.until = f->stop;
    FLX_TRY(flx_run_create(s, &def, f->ctx, run));
    flx_integrator_def method = (*run)->sim->def;
    if (f->tolerance <= 0.0 || method.step > 0.0 || method.rtol == f->tolerance) return FLX_OK;
    if (method.rtol > 0.0 && method.atol > 0.0) method.atol *= f->tolerance / method.rtol;
    method.rtol = f->tolerance;
    def.method = method;
    flx_run_destroy(run);
    return flx_run_create(s, &def, f->ctx, run);
}

static flx_status take_parameters(flx_fmu *f)
{
    flx_port_info info;
    for (int i = 0; i < f->nparameter; i++) {
        flx_system_describe(f->system, FLX_PORT_PARAMETER, i, &info);
        f->start[i] = f->values[i] = f->built[i] = info.value;
    }
    return FLX_OK;
}

static flx_status make_room(flx_fmu *f)
{
    f->ninput = count_ports(f->system, FLX_PORT_INPUT);
    f->noutput = count_ports(f->system, FLX_PORT_OUTPUT);
    f->nparameter = count_ports(f->system, FLX_PORT_PARAMETER);
    f->start = flx_alloc(f->ctx, (size_t)f->nparameter, sizeof *f->start);
    f->values = flx_alloc(f->ctx, (size_t)f->nparameter, sizeof *f->values);
    f->built = flx_alloc(f->ctx, (size_t)f->nparameter, sizeof *f->built);
    f->given = flx_alloc(f->ctx, 3 * (size_t)f->ninput, sizeof *f->given);
    f->ngiven = flx_alloc(f->ctx, (size_t)f->ninput, sizeof *f->ngiven);
    if (!f->start || !f->values || !f->built || !f->given || !f->ngiven) return FLX_ERR_MEMORY;
    return take_parameters(f);
}

// The model again, with parameters that no run can take.
static flx_status compile_again(flx_fmu *f)
{
    const char **settings;
    char **own;
    int n, nown;
    flx_system *system = NULL;
    flx_run *run = NULL;
    flx_status status = make_settings(f, &n, &settings, &own, &nown);
    if (status == FLX_OK) status = compile(f, n, settings, &system);
    for (int i = 0; own && i < nown; i++) free(own[i]);
    free(own);
    free(settings);
    if (status == FLX_OK && (count_ports(system, FLX_PORT_INPUT) != f->ninput ||
                             count_ports(system, FLX_PORT_OUTPUT) != f->noutput ||
                             count_ports(system, FLX_PORT_PARAMETER) != f->nparameter)) {
        status = flx_fmu_refuse(f, "with these parameters the model has other variables than its "
                                   "FMU says: export it again with them");
    }
    if (status == FLX_OK) status = make_run(f, system, &run);
    if (status != FLX_OK) {
        flx_run_destroy(&run);
        flx_system_destroy(&system);
        return status;
    }
    flx_run_destroy(&f->run);
    flx_system_destroy(&f->system);
    f->system = system;
    f->run = run;
    memcpy(f->built, f->values, (size_t)f->nparameter * sizeof *f->built);
    f->tuned = false;
    for (int i = 0; status == FLX_OK && i < f->ninput; i++) {
        if (f->ngiven[i] > 0) status = flx_run_set_input(run, i, f->ngiven[i], f->given + 3 * i);
    }
    return status;
}

// ---- parameters and inputs that were set ------------------------------------------------------------

static flx_status tune(flx_fmu *f)
{
    flx_status status = FLX_OK;
    if (f->run->begun) {
        return flx_fmu_refuse(f, "parameters are set before the end of the initialisation");
    }
    int told = flx_ctx_error_count(f->ctx);
    for (int i = 0; status == FLX_OK && i < f->nparameter; i++) {
        double now = (double)NAN;
        if (isnan(f->values[i])) continue; // a list that is structural
        if (flx_run_get_parameter(f->run, i, &now) != FLX_OK) {
            status = f->values[i] == f->built[i] ? FLX_OK : FLX_ERR_CANNOT;
        } else if (now != f->values[i]) {
            status = flx_run_set_parameter(f->run, i, f->values[i]);
        }
    }
    flx_ctx_forget_errors(f->ctx, told);
    if (status == FLX_OK) status = flx_run_reset(f->run);
    if (status == FLX_ERR_CANNOT) {
        flx_ctx_clear_messages(f->ctx);
        return compile_again(f);
    }
    if (status == FLX_OK) f->tuned = false;
    return status;
}

flx_status flx_fmu_settle(flx_fmu *f)
{
    if (f->tuned) FLX_TRY(tune(f));
    if (f->exchange && f->mode == FLX_FMU_STEPPING) return flx_fmu_exchange_settle(f);
    for (int i = 0; i < f->ninput; i++) {
        if (f->ngiven[i] == 0) continue;
        int n = f->ngiven[i];
        if (f->mode == FLX_FMU_STEPPING) f->ngiven[i] = 0;
        double now[3];
        FLX_TRY(flx_run_get_input(f->run, i, now));
        bool same =
            f->run->sim->sys->param[flx_param_input(f->run->sim->model, i, FLX_INPUT_FREE)] == 0.0;
        for (int k = 0; k < 3; k++) same = same && now[k] == (k < n ? f->given[3 * i + k] : 0.0);
        if (!same) FLX_TRY(flx_run_set_input(f->run, i, n, f->given + 3 * i));
    }
    return FLX_OK;
}

// ---- life -------------------------------------------------------------------------------------------

static flx_status build(flx_fmu *f)
{
    FLX_TRY(compile(f, f->note.nset, f->note.settings, &f->system));
    FLX_TRY(make_room(f));
    return make_run(f, f->system, &f->run);
}

flx_fmu *flx_fmu_create(const char *guid, const char *resources, flx_fmu_log log, void *user)
{
    char why[256];
    flx_fmu *f = calloc(1, sizeof *f);
    if (f) f->ctx = flx_ctx_create();
    if (!f || !f->ctx) {
        log(user, FLX_FMU_ERROR, "there is no memory for an instance");
        free(f);
        return NULL;
    }
    f->log = log;
    f->user = user;
    bool done = flx_fmu_read_note(resources, &f->note, why);
    if (!done) {
        log(user, FLX_FMU_ERROR, why);
    } else if (!guid || strcmp(guid, f->note.guid) != 0) {
        log(user, FLX_FMU_ERROR,
            "the GUID is not that of this FMU: its modelDescription.xml belongs to another one");
        done = false;
    } else {
        done = build(f) == FLX_OK;
        flx_fmu_tell(f);
    }
    if (done) return f;
    flx_fmu_destroy(f);
    return NULL;
}

void flx_fmu_destroy(flx_fmu *f)
{
    if (!f) return;
    flx_fmu_exchange_destroy(f);
    flx_run_destroy(&f->run);
    flx_system_destroy(&f->system);
    flx_free(f->start);
    flx_free(f->values);
    flx_free(f->built);
    flx_free(f->given);
    flx_free(f->ngiven);
    flx_ctx_destroy(&f->ctx);
    flx_fmu_drop_note(&f->note);
    free(f);
}

flx_status flx_fmu_setup(flx_fmu *f, double tolerance, double start, double stop)
{
    if (start != 0.0) {
        return flx_fmu_refuse(f, "the model begins at t = 0, and cannot begin at t = %g", start);
    }
    if (!isfinite(stop) || !isfinite(tolerance) || stop < 0.0 || tolerance < 0.0) {
        return flx_fmu_refuse(f,
                              "the experiment ends at t = %g with a tolerance of %g: these "
                              "are no such numbers",
                              stop, tolerance);
    }
    f->tolerance = tolerance;
    f->stop = stop;
    flx_run *run = NULL;
    flx_status status = make_run(f, f->system, &run);
    if (status == FLX_OK) {
        flx_run_destroy(&f->run);
        f->run = run;
        f->tuned = true;
    }
    flx_fmu_tell(f);
    return status;
}

flx_status flx_fmu_initialise(flx_fmu *f)
{
    f->mode = FLX_FMU_INITIALISING;
    return FLX_OK;
}

flx_status flx_fmu_begin(flx_fmu *f)
{
    flx_status status = flx_fmu_settle(f);
    flx_fmu_tell(f);
    f->mode = status == FLX_OK ? FLX_FMU_STEPPING : FLX_FMU_FAILED;
    for (int i = 0; status == FLX_OK && i < f->ninput; i++) f->ngiven[i] = 0;
    if (status == FLX_OK && f->exchange) status = flx_fmu_exchange_take(f);
    return status;
}

flx_status flx_fmu_reset(flx_fmu *f)
{
    flx_run *run = NULL;
    for (int i = 0; i < f->ninput; i++) f->ngiven[i] = 0;
    memcpy(f->values, f->start, (size_t)f->nparameter * sizeof *f->values);
    f->tolerance = f->stop = 0.0;
    f->stopped = false;
    f->events = 0;
    flx_status status = make_run(f, f->system, &run);
    if (status == FLX_OK) {
        flx_run_destroy(&f->run);
        f->run = run;
        f->tuned = true; // the system may have been compiled with others
        f->mode = FLX_FMU_INSTANTIATED;
    }
    flx_fmu_tell(f);
    return status;
}

// ---- save and restore ---------------------------------------------------------------------------------

static size_t number_count(const flx_fmu *f)
{
    return (size_t)f->nparameter + 4 * (size_t)f->ninput;
}

flx_status flx_fmu_save(flx_fmu *f, flx_fmu_state **state)
{
    size_t n = number_count(f), room, run;
    if (!f->run->begun || f->exchange) FLX_TRY(flx_fmu_settle(f));
    run = flx_run_save(f->run, NULL, 0);
    room = sizeof **state + n * sizeof(double) + run;
    flx_fmu_state *s = calloc(1, room);
    if (!s) return flx_fmu_refuse(f, "there is no memory for a state of %zu bytes", room);
    *s = (flx_fmu_state){.size = room,
                         .magic = STATE_MAGIC,
                         .mode = f->mode,
                         .stopped = f->stopped,
                         .events = f->events,
                         .tolerance = f->tolerance,
                         .stop = f->stop,
                         .run = run};
    double *to = s->numbers;
    memcpy(to, f->values, (size_t)f->nparameter * sizeof *to);
    to += f->nparameter;
    memcpy(to, f->given, 3 * (size_t)f->ninput * sizeof *to);
    to += 3 * f->ninput;
    for (int i = 0; i < f->ninput; i++) *to++ = f->ngiven[i];
    flx_run_save(f->run, to, run);
    flx_fmu_tell(f);
    *state = s;
    return FLX_OK;
}

static flx_status check_state(flx_fmu *f, const flx_fmu_state *s, size_t size)
{
    size_t least = sizeof *s + number_count(f) * sizeof(double);
    if (size >= sizeof *s && s->magic == STATE_MAGIC && s->size == size && size >= least &&
        s->run == size - least)
        return FLX_OK;
    return flx_fmu_refuse(f, "the saved state is not of this FMU, or damaged");
}

static flx_status restore(flx_fmu *f, const flx_fmu_state *s)
{
    const double *from = s->numbers;
    size_t bytes = (size_t)f->nparameter * sizeof *from;
    bool retune = memcmp(f->values, from, bytes) != 0, remake = s->tolerance != f->tolerance;
    if (retune || remake) {
        memcpy(f->values, from, bytes);
        f->tolerance = s->tolerance;
        f->stop = s->stop;
        flx_run *run = NULL;
        FLX_TRY(make_run(f, f->system, &run));
        flx_run_destroy(&f->run);
        f->run = run;
        f->tuned = false;
        FLX_TRY(tune(f)); // where the system must be another one, it is made now
    }
    from += f->nparameter;
    FLX_TRY(flx_run_restore(f->run, from + 4 * f->ninput, s->run));
    memcpy(f->given, from, 3 * (size_t)f->ninput * sizeof *from);
    for (int i = 0; i < f->ninput; i++) f->ngiven[i] = (int)from[3 * f->ninput + i];
    f->mode = (flx_fmu_mode)s->mode;
    f->stopped = s->stopped != 0;
    f->events = s->events;
    f->stop = s->stop;
    f->tuned = false;
    return f->exchange ? flx_fmu_exchange_take(f) : FLX_OK;
}

flx_status flx_fmu_restore(flx_fmu *f, const flx_fmu_state *s)
{
    FLX_TRY(check_state(f, s, s->size));
    flx_status status = restore(f, s);
    flx_fmu_tell(f);
    return status;
}

flx_status flx_fmu_write_state(flx_fmu *f, const flx_fmu_state *s, void *bytes, size_t room)
{
    if (room < s->size) {
        return flx_fmu_refuse(f, "the state has %zu bytes, there is room for %zu", s->size, room);
    }
    memcpy(bytes, s, s->size);
    return FLX_OK;
}

flx_status flx_fmu_read_state(flx_fmu *f, const void *bytes, size_t size, flx_fmu_state **out)
{
    flx_fmu_state *s = malloc(size + 1); // aligned
    if (!s) return FLX_ERR_MEMORY;
    memcpy(s, bytes, size);
    flx_status status = check_state(f, s, size);
    if (status == FLX_OK) {
        *out = s;
    } else {
        free(s);
    }
    return status;
}
