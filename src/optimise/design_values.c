// design_values.c - rows of a design at a point: by a run that is compiled once and knows its derivatives, or by a model
// that is read for every point, with differences. All points are kept: one that was met before costs nothing, which is
// also how a search goes on that was cut off.
#include "base/number.h"
#include "optimise/design_found.h"

#include <math.h>
#include <string.h>

// Of the bounds of a parameter: differences of analyses, which are exact, and of runs, whose steps may follow the parameter.
#define REACH_EXACT 1e-4
#define REACH_RUNS 1e-3

// ---- points that are known ------------------------------------------------------------------------

static design_point *find_known(const design *d, const double *x)
{
    for (int i = d->nknown - 1; i >= 0; i--) {
        if (memcmp(d->known[i].x, x, (size_t)d->n * sizeof *x) == 0) return d->known + i;
    }
    return NULL;
}

// A place for a point; d->lock is held.
static design_point *add_point(design *d, const double *x)
{
    size_t n = (size_t)d->n, rows = (size_t)d->nrow;
    if (d->nknown == d->room) {
        int room = 2 * d->room + 64;
        design_point *list = flx_arena_take(d->points, (size_t)room, sizeof *list);
        if (!list) return NULL;
        if (d->nknown > 0) memcpy(list, d->known, (size_t)d->nknown * sizeof *list);
        d->known = list;
        d->room = room;
    }
    double *all = flx_arena_take(d->points, n + rows + rows * n, sizeof *all);
    if (!all) return NULL;
    design_point *p = d->known + d->nknown++;
    *p = (design_point){.x = all, .value = all + n, .slope = all + n + rows};
    memcpy(p->x, x, n * sizeof *x);
    return p;
}

static flx_status keep(design *d, const design_point *found, const char *why)
{
    size_t n = (size_t)d->n, rows = (size_t)d->nrow;
    flx_status status = FLX_OK;
    pthread_mutex_lock(&d->lock);
    design_point *p = find_known(d, found->x);
    if (!p) p = add_point(d, found->x);
    if (!p) {
        status = FLX_ERR_MEMORY;
    } else {
        memcpy(p->value, found->value, rows * sizeof *p->value);
        if (found->sloped) memcpy(p->slope, found->slope, rows * n * sizeof *p->slope);
        p->sloped = found->sloped;
        p->failed = found->failed;
        d->evaluations++;
        if (found->failed && d->failures++ == 0) {
            char *to = d->why;
            size_t room = sizeof d->why;
            flx_snprintf(to, room, "%s, at", why);
            for (int i = 0; i < d->n; i++) {
                size_t used = strlen(to);
                flx_snprintf(to + used, room - used, "%s %s = %.6g", i > 0 ? "," : "",
                             d->o->parameters[i].name, found->x[i]);
            }
        }
        const flx_design_row row = {.size = sizeof row,
                                    .number = d->evaluations,
                                    .nparam = d->n,
                                    .values = p->x,
                                    .nrow = d->nrow,
                                    .rows = p->value,
                                    .slopes = p->sloped ? p->slope : NULL,
                                    .failed = found->failed ? why : NULL};
        if (d->def->evaluated && d->def->evaluated(d->def->user, &row)) d->stopped = true;
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

// ---- models of a thread ---------------------------------------------------------------------------

flx_status flx_design_read(design *d, flx_ctx *ctx, flx_arena *arena, const double *x,
                           flx_model **m)
{
    size_t n = (size_t)d->n, total = n + (size_t)d->nsetting;
    const char **texts = flx_arena_take(arena, total + n + 1, sizeof *texts),
               **names = texts + total;
    if (!texts) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nsetting; i++) texts[i] = d->settings[i];
    for (int i = 0; i < d->n; i++) {
        names[i] = d->o->parameters[i].name;
        if (!x) continue;
        texts[d->nsetting + i] = flx_arena_printf(arena, "%s=%.17g", names[i], x[i]);
        if (!texts[d->nsetting + i]) return FLX_ERR_MEMORY;
    }
    flx_read_def def = flx_read_def_default();
    def.text = d->model->text;
    def.length = d->model->text_length;
    def.nset = d->nsetting + (x ? d->n : 0);
    def.settings = texts;
    def.nopen = d->n; // goals are cut into parts before numbers are put in
    def.open = names;
    FLX_TRY(flx_model_read_by(ctx, d->model->path, &def, m));
    return flx_model_bind_like(*m, d->model);
}

static flx_status find_parameters(design_worker *w)
{
    design *d = w->d;
    flx_model *m = w->model;
    w->params = flx_arena_take(w->arena, (size_t)d->n, sizeof *w->params);
    w->rough = flx_arena_take(w->arena, (size_t)d->n, sizeof *w->rough);
    w->metrics = flx_arena_take(w->arena, (size_t)m->outputs.nmetric + 1, sizeof *w->metrics);
    if (!w->params || !w->rough || !w->metrics) return FLX_ERR_MEMORY;
    FLX_TRY(flx_slope_error_make(w->arena, m->outputs.nmetric, &w->slope_error));
    for (int i = 0; i < m->outputs.nmetric; i++) w->metrics[i] = i;
    for (int i = 0; i < d->n; i++) {
        flx_port_info info = {0};
        w->params[i] = flx_system_parameter(w->system, d->o->parameters[i].name, w->ctx);
        if (w->params[i] < 0 ||
            !flx_system_describe(w->system, FLX_PORT_PARAMETER, w->params[i], &info) ||
            !info.tunable)
            return FLX_ERR_CANNOT;
    }
    return FLX_OK;
}

// Compiled once, where all that goals are made of is known by a run.
static flx_status compile(design_worker *w)
{
    flx_run_def def = flx_run_def_default();
    def.no_ledger = 1;
    FLX_TRY(flx_design_read(w->d, w->ctx, w->arena, NULL, &w->model));
    FLX_TRY(flx_design_rows_make(w->model, w->arena, &w->rows));
    if (w->rows.analyses) return FLX_ERR_CANNOT;
    FLX_TRY(flx_system_compile(w->model, NULL, w->ctx, &w->system));
    FLX_TRY(find_parameters(w));
    return flx_run_create(w->system, &def, w->ctx, &w->run);
}

static void forget(design_worker *w)
{
    flx_design_rows_clear(&w->rows);
    flx_run_destroy(&w->run);
    flx_system_destroy(&w->system);
    flx_model_destroy(&w->model);
}

flx_status flx_design_worker_make(design *d, design_worker *w)
{
    *w = (design_worker){.d = d, .ctx = flx_ctx_create()};
    w->arena = w->ctx ? flx_arena_create(w->ctx) : NULL;
    if (!w->arena) return FLX_ERR_MEMORY;
    if (!d->again) {
        flx_status status = compile(w);
        if (status == FLX_OK) return FLX_OK;
        if (status == FLX_ERR_MEMORY) return status;
        forget(w);
        flx_ctx_clear_messages(w->ctx);
    }
    d->again = true;
    return FLX_OK;
}

void flx_design_worker_clear(design_worker *w)
{
    forget(w);
    flx_arena_destroy(&w->arena);
    flx_ctx_destroy(&w->ctx);
}

// ---- by a run -------------------------------------------------------------------------------------

static int optimised_number(const design_worker *w, flx_leaf leaf)
{
    const flx_model *m = w->model;
    for (int k = 0; k < m->ntunable; k++) {
        if (m->tunables[k].leaf != leaf) continue;
        for (int i = 0; i < w->d->n; i++) {
            if (strcmp(m->tunables[k].name, w->d->o->parameters[i].name) == 0) return i;
        }
    }
    return -1;
}

static double given_number(const flx_model *m, flx_leaf leaf)
{
    for (int k = 0; k < m->ntunable; k++) {
        if (m->tunables[k].leaf == leaf) return m->tunables[k].value;
    }
    return (double)NAN;
}

static void take_run(design_worker *w, const flx_gradient *g, design_point *p)
{
    design_rows *r = &w->rows;
    int n = w->d->n;
    for (int i = 0; i < r->nleaf; i++) {
        flx_leaf leaf = r->leaves[i];
        if (flx_leaf_get_kind(leaf) == FLX_LEAF_MEASURE) {
            r->in[i] = g->value[flx_leaf_get_index(leaf)];
        } else {
            int k = optimised_number(w, leaf);
            r->in[i] = k >= 0 ? p->x[k] : given_number(w->model, leaf);
        }
    }
    flx_program_eval(r->program, r->in, r->scratch, p->value);
    for (int k = 0; k < n && p->sloped; k++) {
        for (int i = 0; i < r->nleaf; i++) {
            flx_leaf leaf = r->leaves[i];
            if (flx_leaf_get_kind(leaf) == FLX_LEAF_MEASURE) {
                r->along[i] = g->slope[flx_leaf_get_index(leaf) * n + k];
            } else {
                r->along[i] = optimised_number(w, leaf) == k;
            }
        }
        flx_program_slope(r->program, r->in, r->along, r->scratch, r->value, r->slope);
        for (int j = 0; j < r->nrow; j++) p->slope[j * n + k] = r->slope[j];
    }
}

static flx_status find_by_run(design_worker *w, design_point *p)
{
    design *d = w->d;
    flx_gradient g = {0};
    double *scale = w->rough;
    for (int i = 0; i < d->n; i++) {
        FLX_TRY(flx_run_set_parameter(w->run, w->params[i], p->x[i]));
        scale[i] = 0.1 * (d->o->parameters[i].to - d->o->parameters[i].from);
    }
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = p->sloped ? d->n : 0;
    def.param = w->params;
    def.scale = scale;
    def.nmetric = w->rows.metrics ? w->model->outputs.nmetric : 0;
    def.metric = w->metrics;
    flx_status status = def.nmetric > 0 ? flx_gradient_find(w->run, &def, &g) : FLX_OK;
    if (status == FLX_OK) take_run(w, &g, p);
    if (status == FLX_OK && g.nparam > 0) flx_slope_error_take(&w->slope_error, &g, scale);
    flx_gradient_clear(&g);
    return status;
}

// ---- by a model that is read ------------------------------------------------------------------------

static flx_status take_analysis(design_worker *w, const flx_model *m, flx_simulation *sim,
                                design_rows *r, int analysis)
{
    flx_finding f = {0};
    flx_status status = flx_simulation_analyse(sim, analysis, &f);
    const flx_result_info *info = flx_simulation_info(sim);
    for (int i = 0; i < r->nleaf && status == FLX_OK; i++) {
        flx_leaf leaf = r->leaves[i];
        int index = flx_leaf_get_index(leaf), part = flx_leaf_get_component(leaf);
        if (flx_leaf_get_kind(leaf) == FLX_LEAF_MODES && index == analysis) {
            if (!flx_design_take_mode(&f, part, &r->in[i])) {
                status = FLX_FAIL(w->ctx, FLX_ERR_MODEL, m->analyses[analysis].loc,
                                  "'%s' has found %d modes, and a goal is made of another",
                                  m->analyses[analysis].name, f.modes.nmode);
            }
            continue;
        }
        int k = index - m->outputs.nmetric;
        if (flx_leaf_get_kind(leaf) != FLX_LEAF_MEASURE || k < 0) continue;
        const flx_sought *s = m->optimise.sought + k;
        if (s->analysis != analysis || flx_design_take(&f, info, s->text, part, &r->in[i]))
            continue;
        w->wrong = true;
        w->where = w->d->o->sought[k].loc; // of the caller's model
        status = FLX_FAIL(w->ctx, FLX_ERR_MODEL, s->loc, "analysis '%s' has found no '%s'",
                          m->analyses[analysis].name, s->text);
    }
    flx_finding_clear(&f);
    return status;
}

static bool is_asked(const flx_model *m, const design_rows *r, int analysis)
{
    for (int i = 0; i < r->nleaf; i++) {
        flx_leaf_kind kind = flx_leaf_get_kind(r->leaves[i]);
        int index = flx_leaf_get_index(r->leaves[i]), k = index - m->outputs.nmetric;
        if (kind == FLX_LEAF_MODES && index == analysis) return true;
        if (kind == FLX_LEAF_MEASURE && k >= 0 && m->optimise.sought[k].analysis == analysis)
            return true;
    }
    return false;
}

static flx_status take_all(design_worker *w, const flx_model *m, flx_simulation *sim,
                           design_rows *r)
{
    if (r->metrics) {
        flx_status status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
        if (status != FLX_OK && status != FLX_STOPPED) return status;
    }
    for (int i = 0; i < r->nleaf; i++) {
        flx_leaf leaf = r->leaves[i];
        int index = flx_leaf_get_index(leaf);
        if (flx_leaf_get_kind(leaf) == FLX_LEAF_PARAMETER) r->in[i] = given_number(m, leaf);
        if (flx_leaf_get_kind(leaf) == FLX_LEAF_MEASURE && index < m->outputs.nmetric)
            flx_simulation_metric(sim, index, &r->in[i]);
    }
    for (int k = 0; k < m->nanalysis; k++) {
        if (is_asked(m, r, k)) FLX_TRY(take_analysis(w, m, sim, r, k));
    }
    return FLX_OK;
}

static flx_status find_by_reading(design_worker *w, design_point *p)
{
    design_rows r = {0};
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_arena *arena = flx_arena_create(w->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = flx_design_read(w->d, w->ctx, arena, p->x, &m);
    if (status == FLX_OK) status = flx_design_rows_make(m, arena, &r);
    if (status == FLX_OK && r.nrow != w->d->nrow) {
        w->wrong = true;
        w->where = w->d->o->loc;
        status = FLX_FAIL(w->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                          "what is largest in a goal depends on parameters that analyses are done "
                          "for anew: give the metrics that it is made of as conditions instead");
    }
    bool simulated = r.metrics || r.analyses;
    if (status == FLX_OK && simulated) {
        status =
            r.metrics ? flx_simulation_create(m, &sim) : flx_simulation_create_to_analyse(m, &sim);
    }
    if (status == FLX_OK && simulated) status = take_all(w, m, sim, &r);
    if (status == FLX_OK) flx_program_eval(r.program, r.in, r.scratch, p->value);
    flx_design_rows_clear(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_arena_destroy(&arena);
    return status;
}

// ---- a point --------------------------------------------------------------------------------------

// Its message goes to the one who listens; a point without a value is no error.
static flx_status evaluate(design_worker *w, design_point *p)
{
    design *d = w->d;
    flx_status status = w->run ? find_by_run(w, p) : find_by_reading(w, p);
    const flx_message *m = flx_ctx_error(w->ctx, 0);
    if (status == FLX_ERR_MEMORY) return status;
    p->failed = status != FLX_OK;
    flx_snprintf(w->why, sizeof w->why, "%s", m ? m->text : flx_status_text(status));
    bool numbers = false; // at least one of a goal
    for (int i = 0; i < d->nrow && !p->failed; i++) {
        if (isinf(p->value[i])) p->failed = true;
        if (d->owner[i] < d->o->ngoal && !isnan(p->value[i])) numbers = true;
        if (isnan(p->value[i]) && d->owner[i] >= d->o->ngoal + d->o->ncondition) p->failed = true;
    }
    if (status == FLX_OK && (!numbers || p->failed)) {
        p->failed = true;
        flx_snprintf(w->why, sizeof w->why, "a goal or condition has no finite value");
    }
    if (w->wrong) {
        pthread_mutex_lock(&d->lock);
        status = FLX_FAIL(d->ctx, status, w->where, "%s", w->why);
        pthread_mutex_unlock(&d->lock);
    }
    flx_ctx_clear_messages(w->ctx);
    return w->wrong ? status : keep(d, p, w->why);
}

// A point that is known well enough; p: as it is then.
static bool recall(design *d, const double *x, bool slopes, design_point *p)
{
    pthread_mutex_lock(&d->lock);
    const design_point *known = find_known(d, x);
    bool good = known && (known->failed || known->sloped || !slopes);
    if (good) *p = *known;
    pthread_mutex_unlock(&d->lock);
    return good;
}

static flx_status know(design_worker *w, const double *x, bool slopes, design_point *p)
{
    design *d = w->d;
    size_t n = (size_t)d->n, rows = (size_t)d->nrow;
    if (recall(d, x, slopes, p)) return FLX_OK;
    if (d->stopped) return FLX_INTERRUPTED;
    double *all = flx_alloc(w->ctx, n + rows + rows * n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    design_point own = {
        .x = all, .value = all + n, .slope = all + n + rows, .sloped = slopes && w->run};
    memcpy(own.x, x, n * sizeof *x);
    flx_status status = evaluate(w, &own);
    flx_free(all);
    if (status == FLX_OK && !recall(d, x, slopes && w->run, p)) status = FLX_ERR_MEMORY;
    return status;
}

// ---- differences ------------------------------------------------------------------------------------

typedef struct errand {
    design_worker *w;
    const double *x; // all points
    design_point *p; // (count)
    int first, step, count;
    flx_status status;
} errand;

static void *do_errand(void *user)
{
    errand *e = user;
    for (int i = e->first; i < e->count && e->status == FLX_OK; i += e->step)
        e->status = know(e->w, e->x + i * e->w->d->n, false, e->p + i);
    return NULL;
}

// Many points, by one worker or by all.
static flx_status know_many(design_worker *w, int count, const double *x, design_point *p,
                            bool team)
{
    design *d = w->d;
    int n = team && d->nworker > 1 ? d->nworker : 1;
    errand *list = flx_alloc(w->ctx, (size_t)n, sizeof *list);
    pthread_t *threads = flx_alloc(w->ctx, (size_t)n, sizeof *threads);
    flx_status status = list && threads ? FLX_OK : FLX_ERR_MEMORY;
    int started = 1;
    for (int i = 0; i < n && status == FLX_OK; i++)
        list[i] = (errand){n > 1 ? d->workers + i : w, x, p, i, n, count, FLX_OK};
    for (; started < n && status == FLX_OK; started++) {
        if (pthread_create(&threads[started], NULL, do_errand, list + started) != 0) break;
    }
    if (status == FLX_OK) {
        do_errand(list);
        for (int i = started; i < n; i++) do_errand(list + i); // those without a thread
        for (int i = 1; i < started; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < n && status == FLX_OK; i++) status = list[i].status;
    }
    flx_free(list);
    flx_free(threads);
    return status;
}

// Of rows at the point, one step and another (two steps on one side at a bound); a part that one of them does not have is
// left to the rest.
static double quotient(double f, double a, double b, double e, bool one_sided)
{
    if (one_sided) {
        if (!isnan(f + a + b)) return (4.0 * a - 3.0 * f - b) / (2.0 * e);
        return isnan(f + a) ? 0.0 : (a - f) / e;
    }
    if (!isnan(a + b) && !isnan(f)) return (a - b) / (2.0 * e);
    if (!isnan(f + a)) return (a - f) / e;
    return isnan(f + b) ? 0.0 : (f - b) / e;
}

static flx_status differ(design_worker *w, const design_point *at, bool team, double *slope)
{
    design *d = w->d;
    size_t n = (size_t)d->n;
    double *x = flx_alloc(w->ctx, 2 * n * n, sizeof *x);
    design_point *p = flx_alloc(w->ctx, 2 * n, sizeof *p);
    flx_status status = x && p ? FLX_OK : FLX_ERR_MEMORY;
    double part = d->runs ? REACH_RUNS : REACH_EXACT;
    for (int i = 0; i < d->n && status == FLX_OK; i++) {
        const flx_optimised *o = d->o->parameters + i;
        double e = part * (o->to - o->from), *a = x + 2 * i * d->n, *b = a + n;
        memcpy(a, at->x, n * sizeof *a);
        memcpy(b, at->x, n * sizeof *b);
        bool low = at->x[i] - e<o->from, high = at->x[i] + e> o->to;
        a[i] += high ? -e : e;
        b[i] += high ? -2.0 * e : low ? 2.0 * e : -e;
    }
    if (status == FLX_OK) status = know_many(w, 2 * d->n, x, p, team);
    for (int i = 0; i < d->n && status == FLX_OK; i++) {
        const design_point *a = p + 2 * i, *b = a + 1;
        double e = a->x[i] - at->x[i];
        bool one_sided = (b->x[i] - at->x[i]) * e > 0.0;
        for (int j = 0; j < d->nrow; j++) {
            double fa = a->failed ? (double)NAN : a->value[j],
                   fb = b->failed ? (double)NAN : b->value[j];
            slope[j * d->n + i] = quotient(at->value[j], fa, fb, e, one_sided);
        }
    }
    flx_free(x);
    flx_free(p);
    return status;
}

flx_status flx_design_know(design_worker *w, const double *x, bool slopes, bool team,
                           const design_point **out)
{
    design *d = w->d;
    design_point p;
    FLX_TRY(know(w, x, slopes && w->run, &p));
    if (slopes && !w->run && !p.failed && !p.sloped) {
        FLX_TRY(differ(w, &p, team, p.slope)); // the point's own place
        pthread_mutex_lock(&d->lock);
        find_known(d, x)->sloped = true;
        pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_lock(&d->lock);
    design_point *kept = flx_arena_take(d->points, 1, sizeof *kept);
    if (kept) *kept = *find_known(d, x);
    pthread_mutex_unlock(&d->lock);
    *out = kept;
    return kept ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_design_remember(design *d, const flx_design_row *row)
{
    if (row->nparam != d->n || row->nrow != d->nrow) return FLX_OK;
    design_point *p = add_point(d, row->values);
    if (!p) return FLX_ERR_MEMORY;
    memcpy(p->value, row->rows, (size_t)d->nrow * sizeof *p->value);
    if (row->slopes) {
        memcpy(p->slope, row->slopes, (size_t)d->nrow * (size_t)d->n * sizeof *p->slope);
        p->sloped = true;
    }
    p->failed = row->failed != NULL;
    return FLX_OK;
}
