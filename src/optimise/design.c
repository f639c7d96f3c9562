// design.c - flexion/optimise.h: goals of a model made small. Searches from several first points, fronts of several goals.
#include "base/number.h"
#include "base/refuse.h"
#include "math/nlp/small_nlp.h"
#include "math/sample/sample_points.h"
#include "optimise/design_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AGREE 1e-4 // of a goal: two searches have found the same

int flx_model_goals(const flx_model *model)
{
    if (!model) return 0;
    return model->optimise.ngoal;
}

void flx_design_clear(flx_design *out)
{
    flx_arena *arena = out ? out->memory : NULL;
    if (arena) flx_arena_destroy(&arena);
    if (out) *out = (flx_design){0};
}

// ---- beginning --------------------------------------------------------------------------------------

static flx_status need_goals(flx_model *model, flx_ctx *ctx)
{
    FLX_TRY(flx_model_refresh_for(model, ctx));
    if (model->optimise.ngoal > 0) return FLX_OK;
    return FLX_FAIL(
        ctx, FLX_ERR_MODEL, model->optimise.loc,
        "the model has no goals; as\\n    optimise: {parameters: {k: {from: 1, to: 10}}, "
        "minimise: peak}");
}

static bool is_of_optimised(const flx_optimise *o, const char *setting)
{
    for (int i = 0; i < o->nparameter; i++) {
        size_t n = strlen(o->parameters[i].name);
        if (strncmp(setting, o->parameters[i].name, n) == 0 && setting[n] == '=') return true;
    }
    return false;
}

static flx_status lay_out(design *d)
{
    design_rows r = {0};
    flx_model *m = NULL;
    d->settings = flx_arena_take(d->arena, (size_t)d->model->nset + 1, sizeof *d->settings);
    if (!d->settings) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->model->nset; i++) {
        if (!is_of_optimised(d->o, d->model->settings[i]))
            d->settings[d->nsetting++] = d->model->settings[i];
    }
    flx_status status = flx_design_read(d, d->ctx, d->arena, NULL, &m);
    if (status == FLX_OK) status = flx_design_rows_make(m, d->arena, &r);
    d->nrow = r.nrow;
    d->owner = r.owner;
    d->equal = r.equal;
    d->runs = r.metrics;
    flx_design_rows_clear(&r);
    flx_model_destroy(&m);
    return status;
}

static flx_status begin(flx_model *model, const flx_design_def *def, flx_ctx *ctx, design *d)
{
    *d = (design){.ctx = ctx, .def = def};
    FLX_TRY(need_goals(model, ctx));
    d->model = model;
    d->o = &model->optimise;
    d->n = model->optimise.nparameter;
    d->arena = flx_arena_create(ctx);
    d->points = flx_arena_create(ctx);
    return d->arena && d->points ? lay_out(d) : FLX_ERR_MEMORY;
}

flx_status flx_design_layout(flx_model *model, flx_ctx *ctx, int most, int *owner, int *nrow)
{
    if (!model || !ctx) return flx_refuse_null(ctx, __func__);
    design d;
    flx_status status = begin(model, NULL, ctx, &d);
    *nrow = status == FLX_OK ? d.nrow : 0;
    for (int i = 0; i < *nrow && i < most; i++) owner[i] = d.owner[i];
    flx_arena_destroy(&d.points);
    flx_arena_destroy(&d.arena);
    return status;
}

static flx_status hire(design *d)
{
    int n = d->def->threads > 1 ? d->def->threads : 1;
    d->workers = flx_arena_take(d->arena, (size_t)n, sizeof *d->workers);
    if (!d->workers) return FLX_ERR_MEMORY;
    for (; d->nworker < n; d->nworker++) {
        FLX_TRY(flx_design_worker_make(d, d->workers + d->nworker));
    }
    return FLX_OK;
}

// ---- first points -------------------------------------------------------------------------------------

// The number of a parameter as the model has it.
static flx_status find_initial(design *d, double *x)
{
    design_worker *w = d->workers;
    flx_model *m = d->model;
    for (int i = 0; i < d->n; i++) {
        const flx_optimised *o = d->o->parameters + i;
        x[i] = o->initial;
        if (!isnan(x[i])) continue;
        for (int k = 0; k < m->nparameter; k++) {
            if (strcmp(m->parameters[k].name, o->name) == 0) x[i] = m->parameters[k].values[0];
        }
        if (w->run) FLX_TRY(flx_run_get_parameter(w->run, w->params[i], x + i));
        if (x[i] >= o->from && x[i] <= o->to) continue;
        return FLX_FAIL(
            d->ctx, FLX_ERR_MODEL, o->loc,
            "the value of parameter '%s', %g, lies outside its bounds: give an 'initial'", o->name,
            x[i]);
    }
    return FLX_OK;
}

static flx_status new_search(design *d, design_worker *w, unsigned seed, design_search *s)
{
    *s = (design_search){.w = w, .seed = seed};
    s->x = flx_arena_take(d->arena, (size_t)d->n, sizeof *s->x);
    s->lambda = flx_arena_take(d->arena, (size_t)d->nrow, sizeof *s->lambda);
    return s->x && s->lambda ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status spread(design *d, int n, design_search *list)
{
    double *column = flx_arena_take(d->arena, (size_t)n, sizeof *column);
    if (!column) return FLX_ERR_MEMORY;
    FLX_TRY(find_initial(d, list[0].x));
    for (int i = 0; i < d->n && n > 1; i++) {
        const flx_optimised *o = d->o->parameters + i;
        FLX_TRY(flx_sample_column(d->ctx, FLX_SAMPLE_LATIN, d->o->seed, i, n - 1, column));
        for (int k = 1; k < n; k++) list[k].x[i] = o->from + column[k - 1] * (o->to - o->from);
    }
    return FLX_OK;
}

// ---- searches -------------------------------------------------------------------------------------------

typedef struct share {
    design_search *list;
    design_worker *w;
    int first, step, count;
    flx_status status;
} share;

static void *do_share(void *user)
{
    share *s = user;
    for (int i = s->first; i < s->count && s->status == FLX_OK; i += s->step) {
        s->list[i].w = s->w;
        s->status = flx_design_search(s->list + i);
    }
    return NULL;
}

static flx_status search_all(design *d, int n, design_search *list)
{
    int team = n > 1 ? (d->nworker < n ? d->nworker : n) : 1, started = 1;
    share *shares = flx_arena_take(d->arena, (size_t)team, sizeof *shares);
    pthread_t *threads = flx_arena_take(d->arena, (size_t)team, sizeof *threads);
    if (!shares || !threads) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) list[i].team = n == 1;
    for (int i = 0; i < team; i++) shares[i] = (share){list, d->workers + i, i, team, n, FLX_OK};
    for (; started < team; started++) {
        if (pthread_create(&threads[started], NULL, do_share, shares + started) != 0) break;
    }
    do_share(shares);
    for (int i = started; i < team; i++) do_share(shares + i);
    for (int i = 1; i < started; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < team; i++) FLX_TRY(shares[i].status);
    return FLX_OK;
}

static bool is_better(const design_search *a, const design_search *b)
{
    if (!a->found || !b->found) return a->found && !b->found;
    bool ma = a->row < 0, mb = b->row < 0;
    if (ma != mb) return ma;
    if (!ma) return a->missed < b->missed;
    return a->value < b->value;
}

// The least of one goal, from all first points.
static flx_status search(design *d, int goal, const double *bound, const double *from,
                         design_search *best, int *agreeing)
{
    int n = from ? 1 : 1 + d->o->restarts;
    design_search *list = flx_arena_take(d->arena, (size_t)n, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        FLX_TRY(new_search(d, d->workers, d->o->seed + (unsigned)i, list + i));
        list[i].goal = goal;
        list[i].bound = bound;
    }
    if (from) {
        memcpy(list[0].x, from, (size_t)d->n * sizeof *from);
    } else {
        FLX_TRY(spread(d, n, list));
    }
    FLX_TRY(search_all(d, n, list));
    const design_search *b = list;
    for (int i = 1; i < n; i++) {
        if (is_better(list + i, b)) b = list + i;
    }
    // one that is an optimum by its conditions, and as good, is told instead
    for (int i = 0; i < n && !b->converged; i++) {
        bool as_good = list[i].converged && list[i].value <= b->value + 1e-8 * fabs(b->value);
        if (as_good) b = list + i;
    }
    *agreeing = 0;
    for (int i = 0; i < n; i++) {
        bool same = list[i].found && list[i].row < 0 &&
                    fabs(list[i].value - b->value) <= AGREE * fmax(fabs(b->value), 1e-300);
        *agreeing += same;
    }
    *best = *b;
    return FLX_OK;
}

// ---- fronts -----------------------------------------------------------------------------------------------

typedef struct front {
    design *d;
    int n, room;
    double *points; // (room x (n + ngoal))
    bool converged;
} front;

static flx_status add_to_front(front *f, const design_search *s)
{
    design *d = f->d;
    int width = d->n + d->o->ngoal;
    const design_point *p = NULL;
    if (!s->found || s->row >= 0 || f->n == f->room) {
        f->converged = false;
        return FLX_OK;
    }
    if (!s->converged) f->converged = false;
    if (flx_design_know(d->workers, s->x, false, false, &p) != FLX_OK) return FLX_OK; // interrupted
    double *to = f->points + (size_t)f->n++ * (size_t)width;
    memcpy(to, s->x, (size_t)d->n * sizeof *to);
    for (int k = 0; k < d->o->ngoal; k++) to[d->n + k] = flx_design_largest(d, p, k);
    return FLX_OK;
}

// Leaves out points that another is as good as in every goal, and better in one.
static void thin_out(front *f)
{
    design *d = f->d;
    int ng = d->o->ngoal, width = d->n + ng, kept = 0;
    for (int i = 0; i < f->n; i++) {
        const double *a = f->points + i * width + d->n;
        bool worse = false;
        for (int j = 0; j < f->n && !worse; j++) {
            const double *b = f->points + j * width + d->n;
            bool all = i != j, one = false;
            for (int k = 0; k < ng; k++) {
                all = all && b[k] <= a[k] + 1e-9 * fabs(a[k]);
                one = one || b[k] < a[k] - 1e-9 * fabs(a[k]);
            }
            worse = all && (one || j < i);
        }
        f->points[i * width] = worse ? (double)NAN : f->points[i * width]; // marked
    }
    for (int i = 0; i < f->n; i++) {
        if (isnan(f->points[i * width])) continue;
        memmove(f->points + kept++ * width, f->points + i * width,
                (size_t)width * sizeof *f->points);
    }
    f->n = kept;
}

static flx_status scan(front *f, int goal, double *bound, const double *low, const double *high,
                       double *from)
{
    design *d = f->d;
    if (goal == 0) {
        design_search s;
        int agreeing;
        FLX_TRY(search(d, 0, bound, from, &s, &agreeing));
        if (s.found && s.row < 0) memcpy(from, s.x, (size_t)d->n * sizeof *from);
        return add_to_front(f, &s);
    }
    // from the loosest bound on: the point before is near the next one
    for (int i = d->o->points - 2; i > 0; i--) {
        bound[goal] = low[goal] + (high[goal] - low[goal]) * i / (d->o->points - 1);
        FLX_TRY(scan(f, goal - 1, bound, low, high, from));
    }
    return FLX_OK;
}

static flx_status find_front(design *d, flx_design *out, design_search *first)
{
    int ng = d->o->ngoal, inner = 1, agreeing;
    for (int k = 1; k < ng; k++) inner *= d->o->points - 2;
    front f = {.d = d, .room = inner + ng, .converged = true};
    size_t width = (size_t)(d->n + ng);
    f.points = flx_arena_take(d->arena, (size_t)f.room * width, sizeof *f.points);
    double *from = flx_arena_take(d->arena, (size_t)d->n, sizeof *from);
    double bound[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    if (!f.points || !from) return FLX_ERR_MEMORY;
    for (int k = 0; k < ng; k++) {
        design_search s;
        FLX_TRY(search(d, k, NULL, NULL, &s, &agreeing));
        if (k == 0) *first = s;
        if (k == 0) out->agreeing = agreeing;
        FLX_TRY(add_to_front(&f, &s));
        if (!s.found || s.row >= 0) {
            *first = s;
            return FLX_OK;
        }
    }
    for (int i = 0; i < f.n; i++) {
        for (int k = 0; k < ng; k++) {
            low[k] = fmin(low[k], f.points[(size_t)i * width + (size_t)(d->n + k)]);
            high[k] = fmax(high[k], f.points[(size_t)i * width + (size_t)(d->n + k)]);
        }
    }
    memcpy(from, first->x, (size_t)d->n * sizeof *from);
    if (!d->stopped) FLX_TRY(scan(&f, ng - 1, bound, low, high, from));
    thin_out(&f);
    out->points = f.points;
    out->npoint = f.n;
    first->converged = first->converged && f.converged;
    if (!f.converged && !d->stopped) first->why = "some points of the front are no optima";
    return FLX_OK;
}

static int by_second(const void *a, const void *b)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static flx_status sort_front(design *d, flx_design *out)
{
    size_t width = (size_t)(d->n + d->o->ngoal), n = (size_t)out->npoint;
    if (n == 0) return FLX_OK;
    const double **order = flx_arena_take(d->arena, n, sizeof *order);
    double *sorted = flx_arena_take(d->arena, n * width, sizeof *sorted);
    if (!order || !sorted) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) order[i] = out->points + i * width + d->n + 1;
    qsort(order, n, sizeof *order, by_second);
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * width, order[i] - d->n - 1, width * sizeof *sorted);
    out->points = sorted;
    return FLX_OK;
}

// ---- what is told -----------------------------------------------------------------------------------------

static const char *copied(flx_arena *a, const char *text)
{
    return text ? flx_arena_copy(a, text, strlen(text)) : "";
}

static flx_status report_conditions(design *d, const design_search *s, const design_point *p,
                                    flx_design *out)
{
    const flx_optimise *o = d->o;
    for (int k = 0; k < o->ncondition; k++) {
        flx_design_condition *c = out->conditions + k;
        double excess = flx_design_largest(d, p, o->ngoal + k);
        c->text = copied(d->arena, o->conditions[k].text);
        c->limit = flx_design_largest(d, p, o->ngoal + o->ncondition + k);
        c->value = c->limit + excess;
        double size = fmax(fmax(fabs(c->limit), fabs(c->value)), 1e-300);
        if (o->conditions[k].equal) excess = fabs(excess);
        c->holds = excess > 1e-5 * size ? -1 : excess < -1e-5 * size ? 1 : 0;
        for (int i = 0; i < d->nrow; i++) {
            if (d->owner[i] == o->ngoal + k) c->multiplier += s->lambda[i];
        }
        if (!c->text) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status report(design *d, const design_search *s, flx_design *out)
{
    const flx_optimise *o = d->o;
    const design_point *p = NULL;
    out->parameters = flx_arena_take(d->arena, (size_t)d->n, sizeof *out->parameters);
    out->goals = flx_arena_take(d->arena, (size_t)o->ngoal, sizeof *out->goals);
    out->conditions = flx_arena_take(d->arena, (size_t)o->ncondition + 1, sizeof *out->conditions);
    if (!out->parameters || !out->goals || !out->conditions) return FLX_ERR_MEMORY;
    out->nparam = d->n;
    out->ngoal = o->ngoal;
    out->ncondition = o->ncondition;
    for (int i = 0; i < d->n; i++) {
        const flx_optimised *a = o->parameters + i;
        double x = s->x[i], near = 1e-9 * (a->to - a->from);
        out->parameters[i] =
            (flx_design_parameter){.name = copied(d->arena, a->name),
                                   .value = x,
                                   .from = a->from,
                                   .to = a->to,
                                   .at_bound = x - a->from <= near ? -1 : a->to - x <= near};
        if (!out->parameters[i].name) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_design_know(d->workers, s->x, false, false, &p));
    for (int k = 0; k < o->ngoal; k++) {
        flx_design_goal *g = out->goals + k;
        double value = flx_design_largest(d, p, k);
        g->text = copied(d->arena, o->goals[k].text);
        g->value = o->maximise ? -value : value;
        for (int i = 0; i < d->nrow; i++)
            g->parts += d->owner[i] == k && p->value[i] >= value - 1e-4 * fabs(value);
        if (!g->text) return FLX_ERR_MEMORY;
    }
    out->unbalanced = s->left;
    out->converged = s->converged && !d->stopped;
    out->starts = 1 + o->restarts;
    return report_conditions(d, s, p, out);
}

static flx_status find(design *d, flx_design *out)
{
    design_search s;
    for (int i = 0; i < d->def->nknown; i++) FLX_TRY(flx_design_remember(d, d->def->known + i));
    FLX_TRY(hire(d));
    if (d->o->ngoal > 1) {
        FLX_TRY(find_front(d, out, &s));
        FLX_TRY(sort_front(d, out));
    } else {
        FLX_TRY(search(d, 0, NULL, NULL, &s, &out->agreeing));
    }
    bool nothing = false;
    if (s.found && !d->stopped) FLX_TRY(flx_design_find_idle(d, s.x, &out->idle, &nothing));
    if (nothing) {
        s.converged = false;
        s.why = "nothing depends on what is varied";
    }
    for (int i = 0; i < d->nworker; i++)
        out->slope_error =
            fmax(out->slope_error, flx_slope_error_largest(&d->workers[i].slope_error));
    out->evaluations = d->evaluations;
    out->failures = d->failures;
    out->differences = d->again;
    out->why = d->stopped ? "it was interrupted" : s.why;
    if (d->failures > 0) out->failed = copied(d->arena, d->why);
    if (!s.found) {
        if (d->stopped) return FLX_INTERRUPTED;
        return FLX_FAIL(d->ctx, FLX_NO_CONVERGENCE, d->o->loc, "%s: %s", s.why, d->why);
    }
    bool stopped = d->stopped;
    d->stopped = false; // what is reported is known
    flx_status status = report(d, &s, out);
    d->stopped = stopped;
    out->converged = out->converged && !stopped;
    if (status != FLX_OK) return status;
    return out->converged ? FLX_OK : stopped ? FLX_INTERRUPTED : FLX_NO_CONVERGENCE;
}

flx_status flx_design_find(flx_model *model, const flx_design_def *def, flx_ctx *ctx,
                           flx_design *out)
{
    if (!model || !ctx || !out) return flx_refuse_null(ctx, __func__);
    const flx_design_def nothing = flx_design_def_default();
    *out = (flx_design){0};
    if (def && (def->size != sizeof *def || (def->nknown > 0 && !def->known))) {
        return FLX_FAIL(
            ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "the definition of a design has no valid size, or no list of what is known: "
            "begin with flx_design_def_default()");
    }
    if (!flx_small_nlp_is_there()) {
        const char *why;
        FLX_TRY(need_goals(model, ctx));
        return flx_small_nlp_solve(ctx, NULL, NULL, &why); // says what to install
    }
    design d;
    flx_status status = begin(model, def ? def : &nothing, ctx, &d);
    pthread_mutex_init(&d.lock, NULL);
    if (status == FLX_OK) status = find(&d, out);
    for (int i = 0; i < d.nworker; i++) flx_design_worker_clear(d.workers + i);
    pthread_mutex_destroy(&d.lock);
    flx_arena_destroy(&d.points);
    out->memory = d.arena;
    if (!out->parameters) flx_design_clear(out);
    return status;
}
