// compare_methods.c - one model by several methods with several steps or tolerances.
//
// Each row is a run of its own from the same consistent start. Errors are taken where a run is as
// good as its method: fixed steps at the ends of steps, adaptive ones also inside, where their
// dense output is what a user gets. The clock runs in separate runs without output.
#include "compare/compare_methods.h"
#include "base/refuse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME 1e-9 // times closer than this part of the run are one

// ---- samples ------------------------------------------------------------------------------------

static const double *group_source(const flx_method_group *g, const flx_state *x)
{
    return g->kind == FLX_GROUP_POSITIONS ? x->q : x->v;
}

flx_status flx_study_sample(flx_study *s, const flx_state *x, double *out)
{
    const flx_dims *d = &s->sim->sys->dims;
    bool observed = false;
    for (int k = 0; k < s->ngroup; k++) {
        const flx_method_group *g = &s->groups[k];
        double *to = out + g->first;
        switch (g->kind) {
        case FLX_GROUP_POSITIONS:
        case FLX_GROUP_VELOCITIES:
            memcpy(to, group_source(g, x), (size_t)g->n * sizeof *to);
            break;
        case FLX_GROUP_STATES:
            memcpy(to, x->x, (size_t)d->nx * sizeof *to);
            memcpy(to + d->nx, x->w, (size_t)d->nw * sizeof *to);
            break;
        case FLX_GROUP_MULTIPLIERS:
            memcpy(to, x->lam, (size_t)d->nlam * sizeof *to);
            memcpy(to + d->nlam, x->mu, (size_t)d->nmu * sizeof *to);
            break;
        case FLX_GROUP_SIGNALS:
            if (!observed) {
                flx_simulation_forget_settled(s->sim);
                FLX_TRY(flx_simulation_settle(s->sim, s->it, &x));
                // what was dissipated is not counted here: no run has seen it
                FLX_TRY(flx_signals_eval(&s->sim->columns, s->sim, x, 0.0));
            }
            observed = true;
            for (int i = 0; i < g->n; i++) to[i] = s->sim->columns.out[g->columns[i]];
            break;
        }
    }
    return FLX_OK;
}

double flx_study_difference(flx_study *s, const flx_method_group *g, const double *a,
                            const double *b)
{
    double largest = 0.0;
    a += g->first;
    b += g->first;
    if (g->kind == FLX_GROUP_POSITIONS) {
        const flx_system *sys = s->sim->sys;
        sys->ops->difference(sys, a, b, s->theta);
        for (int i = 0; i < sys->dims.nv; i++) {
            if (!(fabs(s->theta[i]) <= largest)) largest = fabs(s->theta[i]);
        }
        return largest;
    }
    for (int i = 0; i < g->n; i++) {
        if (!(fabs(a[i] - b[i]) <= largest)) largest = fabs(a[i] - b[i]); // a NaN stays
    }
    return largest;
}

// ---- groups -------------------------------------------------------------------------------------

static bool names_column(const char *word, const char *column)
{
    size_t n = strlen(word);
    return strncmp(word, column, n) == 0 &&
           (column[n] == '\0' || column[n] == '.' || column[n] == '(');
}

static flx_status unknown_signal(const flx_study *s, const char *word)
{
    const flx_result_info *info = &s->sim->info;
    static const char *const words[] = {"positions", "velocities", "states", "multipliers"};
    flx_nearest near;
    flx_nearest_start(&near, word);
    for (int i = 0; i < 4; i++) flx_nearest_offer(&near, words[i]);
    for (int i = 0; i < info->ncolumn; i++) flx_nearest_offer(&near, info->names[i]);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the model's outputs have no signal '%s'%s%s%s", word,
                    best ? "; did you mean '"
                         : "; positions, velocities, states and multipliers "
                           "can be compared without naming signals",
                    best ? best : "", best ? "'?" : "");
}

static flx_status find_columns(flx_study *s, flx_method_group *g)
{
    const flx_result_info *info = &s->sim->info;
    g->kind = FLX_GROUP_SIGNALS;
    g->columns = flx_arena_take(s->arena, (size_t)info->ncolumn, sizeof *g->columns);
    if (!g->columns) return FLX_ERR_MEMORY;
    for (int i = 0; i < info->ncolumn; i++) {
        if (names_column(g->name, info->names[i])) g->columns[g->n++] = i;
    }
    return g->n > 0 ? FLX_OK : unknown_signal(s, g->name);
}

// One of the words that stand for all of a kind; false: it is none.
static bool find_kind(const flx_study *s, flx_method_group *g)
{
    const flx_dims *d = &s->sim->sys->dims;
    const struct {
        const char *word;
        int n;
    } kinds[] = {[FLX_GROUP_POSITIONS] = {"positions", d->nq},
                 [FLX_GROUP_VELOCITIES] = {"velocities", d->nv},
                 [FLX_GROUP_STATES] = {"states", d->nx + d->nw},
                 [FLX_GROUP_MULTIPLIERS] = {"multipliers", d->nlam + d->nmu}};
    for (int k = 0; k < 4; k++) {
        if (strcmp(kinds[k].word, g->name) != 0) continue;
        g->kind = (flx_method_group_kind)k;
        g->n = kinds[k].n;
        return true;
    }
    return false;
}

static flx_status find_group(flx_study *s, const char *word)
{
    flx_method_group *g = &s->groups[s->ngroup];
    *g = (flx_method_group){.name = word, .first = s->nsample};
    if (!find_kind(s, g)) FLX_TRY(find_columns(s, g));
    if (g->n == 0) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model has no %s", word);
    }
    s->nsample += g->n;
    s->ngroup++;
    return FLX_OK;
}

static flx_status find_groups(flx_study *s)
{
    const flx_dims *d = &s->sim->sys->dims;
    int room = s->def.nsignal > 3 ? s->def.nsignal : 3;
    s->groups = flx_arena_take(s->arena, (size_t)room, sizeof *s->groups);
    if (!s->groups) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->def.nsignal; i++) FLX_TRY(find_group(s, s->def.signals[i]));
    if (s->def.nsignal > 0) return FLX_OK;
    if (d->nv > 0) FLX_TRY(find_group(s, "positions"));
    if (d->nv > 0) FLX_TRY(find_group(s, "velocities"));
    return d->nx > 0 ? find_group(s, "states") : FLX_OK;
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct watch {
    flx_study *s;
    flx_study_row *row;
    const flx_state *own; // the state that is advanced
    bool fixed;
    int next; // of the times
    double *at_end, *largest;
    flx_status status;
} watch;

static flx_status compare(watch *w, const flx_state *x, int time)
{
    flx_study *s = w->s;
    const double *reference = s->reference + (size_t)time * (size_t)s->nsample;
    FLX_TRY(flx_study_sample(s, x, s->sample));
    for (int k = 0; k < s->ngroup; k++) {
        const flx_method_group *g = &s->groups[k];
        double e =
            flx_study_difference(s, g, reference, s->sample) / (g->size > 0.0 ? g->size : 1.0);
        if (!(e <= w->largest[k])) w->largest[k] = e;
        if (time == s->ntime - 1) w->at_end[k] = e;
    }
    return FLX_OK;
}

static int on_output(void *user, const flx_state *x)
{
    watch *w = user;
    flx_study *s = w->s;
    double slack = SAME * s->until;
    while (w->next < s->ntime && s->times[w->next] < x->t - slack) w->next++;
    if (w->next >= s->ntime || s->times[w->next] > x->t + slack) return 0;
    bool inside = w->fixed && x != w->own;
    if (!inside) w->status = compare(w, x, w->next);
    w->next++;
    return w->status != FLX_OK;
}

static int ignore(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

static flx_integrator_def row_def(const flx_study *s, const flx_study_row *row)
{
    flx_integrator_def d = s->methods[row->method];
    const flx_integrator_def *model = &s->sim->model->simulate.def;
    double ratio = model->rtol > 0.0 && model->atol > 0.0 ? model->atol / model->rtol : 0.01;
    if (s->def.max_steps > 0) d.max_steps = s->def.max_steps;
    d.step = s->def.nstep > 0 ? row->value : 0.0;
    d.rtol = s->def.nstep > 0 ? 0.0 : row->value;
    d.atol = s->def.nstep > 0 ? 0.0 : ratio * row->value;
    return d;
}

// The last message, kept with the row.
static flx_status keep_reason(flx_study *s, flx_study_row *row, int before)
{
    const flx_message *m = flx_ctx_error(s->ctx, before);
    const char *text = m && m->text ? m->text : flx_status_text(row->status);
    char *copy = flx_arena_copy(s->arena, text, strlen(text));
    flx_ctx_forget_errors(s->ctx, before);
    if (!copy) return FLX_ERR_MEMORY;
    row->reason = copy;
    return FLX_OK;
}

static flx_status run_watched(flx_study *s, flx_study_row *row, flx_integrator *it)
{
    flx_state *x = s->sim->state;
    watch w = {.s = s,
               .row = row,
               .own = x,
               .fixed = s->def.nstep > 0,
               .at_end = (double *)row->at_end,
               .largest = (double *)row->largest};
    flx_schedule schedule = {.until = s->until, .times = s->times, .ntimes = s->ntime};
    for (int k = 0; k < s->ngroup; k++) {
        w.at_end[k] = (double)NAN;
        w.largest[k] = 0.0;
    }
    flx_state_copy(x, s->sim->start);
    s->it = it;
    row->status = flx_integrate(it, x, &schedule, on_output, &w);
    row->work = *flx_integrator_statistics(it);
    if (row->status == FLX_INTERRUPTED && w.status != FLX_OK) row->status = w.status;
    for (int k = 0; k < s->ngroup; k++) {
        if (!(fabs(w.at_end[k]) >= 0.0)) w.largest[k] = (double)NAN;
    }
    return row->status;
}

// A failure is the row's; what ends the study is memory alone.
static flx_status run_row(flx_study *s, flx_study_row *row, bool timed)
{
    flx_integrator *it = NULL;
    flx_integrator_def d = row_def(s, row);
    int before = flx_ctx_error_count(s->ctx);
    flx_status status = flx_integrator_create(s->sim->sys, &d, &it);
    if (status == FLX_OK && timed) {
        flx_schedule schedule = {.until = s->until};
        flx_state_copy(s->sim->state, s->sim->start);
        double clock = flx_clock_seconds();
        status = flx_integrate(it, s->sim->state, &schedule, ignore, NULL);
        clock = flx_clock_seconds() - clock;
        if (!(row->seconds <= clock)) row->seconds = clock;
    } else if (status == FLX_OK) {
        status = run_watched(s, row, it);
    }
    row->status = status;
    flx_integrator_destroy(&it);
    if (status == FLX_ERR_MEMORY) return status;
    return status == FLX_OK ? FLX_OK : keep_reason(s, row, before);
}

static flx_status make_rows(flx_study *s)
{
    bool fixed = s->def.nstep > 0;
    int nvalue = fixed ? s->def.nstep : s->def.ntolerance;
    s->nrow = s->def.nmethod * nvalue;
    s->rows = flx_arena_take(s->arena, (size_t)s->nrow, sizeof *s->rows);
    double *errors = flx_arena_take(s->arena, 2 * (size_t)(s->nrow * s->ngroup), sizeof *errors);
    if (!s->rows || !errors) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nrow; i++, errors += 2 * s->ngroup) {
        int k = i % nvalue;
        s->rows[i] = (flx_study_row){.method = i / nvalue,
                                     .value = fixed ? s->def.steps[k] : s->def.tolerances[k],
                                     .reason = "",
                                     .at_end = errors,
                                     .largest = errors + s->ngroup,
                                     .seconds = (double)NAN};
        for (int j = 0; j < 2 * s->ngroup; j++) errors[j] = (double)NAN;
    }
    return FLX_OK;
}

static flx_status run_rows(flx_study *s, int (*progress)(void *user, int done, int all), void *user)
{
    int repeats = s->def.repeats > 0 ? s->def.repeats : s->def.repeats == 0,
        all = s->nrow * (1 + repeats), done = 0;
    for (int i = 0; i < s->nrow; i++, done++) {
        if (progress && progress(user, done, all)) return FLX_INTERRUPTED;
        FLX_TRY(run_row(s, &s->rows[i], false));
    }
    for (int k = 0; k < repeats; k++) {
        for (int i = 0; i < s->nrow; i++, done++) {
            if (s->rows[i].status != FLX_OK) continue;
            if (progress && progress(user, done, all)) return FLX_INTERRUPTED;
            FLX_TRY(run_row(s, &s->rows[i], true));
        }
    }
    return FLX_OK;
}

// ---- the study ----------------------------------------------------------------------------------

static flx_status check_values(const flx_study *s, int n, const double *values, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (values[i] > 0.0 && isfinite(values[i])) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%s must be positive, not %g", what,
                        values[i]);
    }
    return FLX_OK;
}

static flx_status check_lists(flx_ctx *ctx, const flx_study_def *d)
{
    bool whole = (d->nmethod < 1 || d->methods) && (d->nstep < 1 || d->steps) &&
                 (d->ntolerance < 1 || d->tolerances) && (d->nsignal < 1 || d->signals);
    for (int i = 0; whole && i < d->nmethod; i++) whole = d->methods[i] != NULL;
    for (int i = 0; whole && i < d->nsignal; i++) whole = d->signals[i] != NULL;
    if (whole) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "a study has no list of its methods, steps, tolerances or signals");
}

static flx_status check(const flx_study *s)
{
    const flx_study_def *d = &s->def;
    if (d->nmethod < 1) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a study needs a method");
    }
    if ((d->nstep > 0) == (d->ntolerance > 0)) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a study needs either steps or tolerances");
    }
    if (!(s->until > 0.0)) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model does not say how long to run; add 'simulate: {until: 5}'");
    }
    FLX_TRY(check_values(s, d->nstep, d->steps, "steps"));
    return check_values(s, d->ntolerance, d->tolerances, "tolerances");
}

static flx_status read_methods(flx_study *s)
{
    s->methods = flx_arena_take(s->arena, (size_t)s->def.nmethod, sizeof *s->methods);
    if (!s->methods) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->def.nmethod; i++) {
        flx_integrator_def *d = &s->methods[i];
        *d = s->sim->model->simulate.def;
        d->formulation = s->def.formulation;
        d->step = d->rtol = d->atol = 0.0; // each run has its own
        FLX_TRY(flx_method_read(s->ctx, s->def.methods[i], d));
        if (d->step == 0.0 && d->rtol == 0.0 && d->atol == 0.0) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s': a study varies steps or tolerances itself; leave '%s' out",
                        s->def.methods[i], d->step > 0.0 ? "step" : "rtol' and 'atol");
    }
    return FLX_OK;
}

// Everything that the caller owns.
static flx_status copy_def(flx_study *s, const flx_study_def *def)
{
    const char *const *from[2] = {def->methods, def->signals};
    const double *values[2] = {def->steps, def->tolerances};
    const int nword[2] = {def->nmethod, def->nsignal}, nvalue[2] = {def->nstep, def->ntolerance};
    const char **words[2];
    double *copies[2];
    for (int k = 0; k < 2; k++) {
        words[k] = flx_arena_take(s->arena, (size_t)nword[k], sizeof *words[k]);
        copies[k] = flx_arena_take(s->arena, (size_t)nvalue[k], sizeof *copies[k]);
        if (!words[k] || !copies[k]) return FLX_ERR_MEMORY;
        for (int i = 0; i < nword[k]; i++) {
            words[k][i] = flx_arena_copy(s->arena, from[k][i], strlen(from[k][i]));
            if (!words[k][i]) return FLX_ERR_MEMORY;
        }
        if (nvalue[k] > 0) memcpy(copies[k], values[k], (size_t)nvalue[k] * sizeof **copies);
    }
    s->def = *def;
    s->def.methods = words[0];
    s->def.signals = words[1];
    s->def.steps = copies[0];
    s->def.tolerances = copies[1];
    return FLX_OK;
}

static flx_status make(flx_study *s, const flx_model *model, const flx_study_def *def)
{
    s->arena = flx_arena_create(s->ctx);
    if (!s->arena) return FLX_ERR_MEMORY;
    FLX_TRY(check_lists(s->ctx, def));
    FLX_TRY(copy_def(s, def));
    s->until = def->until > 0.0 ? def->until : model->simulate.until;
    FLX_TRY(check(s));
    FLX_TRY(flx_simulation_create_as_it_is(model, &s->sim));
    FLX_TRY(flx_simulation_prepare_settling(s->sim, NULL));
    FLX_TRY(read_methods(s));
    FLX_TRY(find_groups(s));
    s->theta = flx_arena_take(s->arena, (size_t)s->sim->sys->dims.nv, sizeof *s->theta);
    s->sample = flx_arena_take(s->arena, (size_t)s->nsample, sizeof *s->sample);
    if (!s->theta || !s->sample) return FLX_ERR_MEMORY;
    FLX_TRY(flx_study_find_reference(s));
    return make_rows(s);
}

flx_status flx_study_run(const flx_model *model, const flx_study_def *def,
                         int (*progress)(void *user, int done, int all), void *user,
                         flx_study **study)
{
    if (!model || !def || !study) return flx_refuse_null(model ? model->ctx : NULL, __func__);
    *study = NULL;
    FLX_TRY(flx_model_refresh(model));
    *study = flx_alloc(model->ctx, 1, sizeof **study);
    if (!*study) return FLX_ERR_MEMORY;
    (*study)->ctx = model->ctx;
    flx_status status = make(*study, model, def);
    if (status == FLX_OK) status = run_rows(*study, progress, user);
    if (status != FLX_OK && status != FLX_INTERRUPTED) flx_study_destroy(study);
    return status;
}

void flx_study_destroy(flx_study **study)
{
    flx_study *s = study ? *study : NULL;
    if (!s) return;
    flx_simulation_destroy(&s->sim);
    flx_arena_destroy(&s->arena);
    flx_free(s);
    *study = NULL;
}

// ---- queries ------------------------------------------------------------------------------------

int flx_study_rows(const flx_study *s)
{
    if (!s) return 0;
    return s->nrow;
}

const flx_study_row *flx_study_get(const flx_study *s, int i)
{
    if (!s) return NULL;
    return i >= 0 && i < s->nrow ? &s->rows[i] : NULL;
}

int flx_study_groups(const flx_study *s)
{
    if (!s) return 0;
    return s->ngroup;
}

const char *flx_study_group(const flx_study *s, int i)
{
    if (!s) return NULL;
    return i >= 0 && i < s->ngroup ? s->groups[i].name : NULL;
}

const char *flx_study_reference(const flx_study *s)
{
    if (!s) return NULL;
    return s->reference_name;
}

double flx_study_reference_error(const flx_study *s, int group)
{
    if (!s) return (double)NAN;
    return group >= 0 && group < s->ngroup ? s->groups[group].doubt : (double)NAN;
}

double flx_study_order(const flx_study *s, int method, int group, int largest)
{
    if (!s) return (double)NAN;
    const double doubted = 20.0, asymptotic = 1.0 / 3.0;
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    if (group < 0 || group >= s->ngroup) return (double)NAN;
    for (int i = 0; i < s->nrow; i++) {
        const flx_study_row *r = &s->rows[i];
        double e = largest ? r->largest[group] : r->at_end[group];
        if (r->method != method || r->status != FLX_OK) continue;
        if (!(e > doubted * s->groups[group].doubt) || !(e > 0.0) || !(e < asymptotic)) continue;
        double x = log(r->value), y = log(e);
        n += 1.0;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double below = n * sxx - sx * sx;
    return n >= 2.0 && below > 0.0 ? (n * sxy - sx * sy) / below : (double)NAN;
}
