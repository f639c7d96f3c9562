// design_search.c - one search for the least of a goal, around a solver that is not trusted: it gets numbers always, and
// whether its end is an optimum is found here.
//
// Parameters are in parts of their bounds, s = (x - from)/(to - from). With rows f_i of the goal, c_j of conditions, all
// scaled, an optimum has multipliers that are not negative, with
//     sum_i a_i grad f_i + sum_j b_j grad c_j + bounds = 0,   sum_i a_i = 1                                  (DES-2)
// over the rows that are at their limits.
#include "base/number.h"
#include "math/dense.h"
#include "math/nlp/small_nlp.h"
#include "math/sample/sample_points.h"
#include "optimise/design_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TIED 1e-4     // of the size of a goal: parts that are the largest together
#define HELD 1e-5     // of the size of a condition: it is at its limit
#define MET 1e-6      // ... by which it may be missed
#define BALANCED 1e-3 // gradient that is left, of the differences met in the search
#define CLOSE 1e-9    // changes of s
#define TRIED 32      // first guesses, where runs fail
#define FAR                                                                                        \
    1.0 // what a failed run adds, of the size of the goal, and for the distance from a good one

typedef struct state {
    design_search *s;
    design *d;
    const flx_optimise *o;
    int n, nrow, nz; // nz: 1 where the goal has parts
    int ng, nh;      // conditions and equations of the solver
    int *g, *h;      // their rows: conditions, goals with bounds, then parts of the goal
    int nparts;
    double size;            // of the goal
    double *row_size;       // (nrow)
    double lowest, highest; // of the goal, met
    double *x, *good;       // (n) scratch; the last point with values
    const design_point *at_good;
    double best, best_missed;
    bool any;
    int calls, most;
    flx_status status;
} state;

double flx_design_largest(const design *d, const design_point *p, int owner)
{
    double most = (double)NAN;
    for (int i = 0; i < d->nrow; i++) {
        if (d->owner[i] == owner && !isnan(p->value[i]))
            most = isnan(most) ? p->value[i] : fmax(most, p->value[i]);
    }
    return most;
}

static bool is_condition(const state *t, int row)
{
    int owner = t->d->owner[row];
    return owner >= t->o->ngoal && owner < t->o->ngoal + t->o->ncondition;
}

// A goal other than the one that is made small, with a bound.
static bool is_bounded(const state *t, int row)
{
    int owner = t->d->owner[row];
    return owner < t->o->ngoal && owner != t->s->goal && t->s->bound &&
           t->s->bound[owner] < HUGE_VAL;
}

// What is to be at most zero, of the size of the row.
static double excess(const state *t, const design_point *p, int row)
{
    double v = p->value[row];
    if (isnan(v)) return -1.0;
    if (is_bounded(t, row)) v -= t->s->bound[t->d->owner[row]];
    return v / t->row_size[row];
}

static int row_of(const state *t, int k)
{
    return k < t->ng ? t->g[k] : t->h[k - t->ng];
}

static void from_parts(const state *t, const double *s, double *x)
{
    for (int i = 0; i < t->n; i++) {
        const flx_optimised *p = t->o->parameters + i;
        double part = s[i] < 0.0 ? 0.0 : s[i] > 1.0 ? 1.0 : s[i];
        x[i] = part == 1.0 ? p->to : p->from + part * (p->to - p->from);
    }
}

static void to_parts(const state *t, const double *x, double *s)
{
    for (int i = 0; i < t->n; i++) {
        const flx_optimised *p = t->o->parameters + i;
        s[i] = fmin(1.0, fmax(0.0, (x[i] - p->from) / (p->to - p->from)));
    }
}

// ---- what the solver is told ------------------------------------------------------------------------

static double most_missed(const state *t, const design_point *p, int *row)
{
    double most = 0.0;
    *row = -1;
    for (int k = 0; k < t->ng + t->nh; k++) {
        int of = row_of(t, k);
        if (t->d->owner[of] == t->s->goal) continue;
        double e = excess(t, p, of);
        if (k >= t->ng) e = fabs(e);
        if (e <= most) continue;
        most = e;
        *row = of;
    }
    return most;
}

static void judge_point(state *t, const design_point *p)
{
    design_search *s = t->s;
    int row;
    double f = flx_design_largest(t->d, p, s->goal), missed = most_missed(t, p, &row);
    t->lowest = fmin(t->lowest, f);
    t->highest = fmax(t->highest, f);
    bool met = missed <= MET, better = !t->any;
    if (t->any && met) better = t->best_missed > MET || f < t->best;
    if (t->any && !met) better = missed < t->best_missed;
    if (!better) return;
    t->any = true;
    t->best = f;
    t->best_missed = missed;
    memcpy(s->x, p->x, (size_t)t->n * sizeof *s->x);
}

// A run that failed: the last good values, and a slope back to where they are.
static void repel(const state *t, const double *s, double *f, double *gh, double *df, double *dgh)
{
    const design_point *p = t->at_good;
    int n = t->n, all = n + t->nz;
    double far = 0.0;
    for (int i = 0; i < n; i++) far += (s[i] - t->good[i]) * (s[i] - t->good[i]);
    double value = p ? flx_design_largest(t->d, p, t->s->goal) / t->size : 1.0;
    *f = fmax(value, t->highest / t->size) + FAR * (1.0 + far);
    for (int i = 0; i < n && df; i++) df[i] = 2.0 * FAR * (s[i] - t->good[i]);
    if (df && t->nz) df[n] = 1.0;
    for (int k = 0; k < t->ng + t->nh; k++) {
        gh[k] = p ? excess(t, p, row_of(t, k)) : 0.0;
        if (t->nz && t->d->owner[row_of(t, k)] == t->s->goal) gh[k] = FAR * (1.0 + far);
        for (int i = 0; i < all && dgh; i++) dgh[k * all + i] = 0.0;
        for (int i = 0; i < n && dgh && gh[k] > 0.0; i++)
            dgh[k * all + i] = 2.0 * FAR * (s[i] - t->good[i]);
    }
}

static bool values(void *user, const double *s, double *f, double *gh, double *df, double *dgh)
{
    state *t = user;
    int n = t->n, all = n + t->nz;
    const design_point *p = NULL;
    from_parts(t, s, t->x);
    t->calls++;
    t->status = flx_design_know(t->s->w, t->x, df != NULL, t->s->team, &p);
    if (t->status != FLX_OK || p->failed) {
        repel(t, s, f, gh, df, dgh);
        return t->status == FLX_OK;
    }
    judge_point(t, p);
    t->at_good = p;
    memcpy(t->good, s, (size_t)n * sizeof *s);
    double range;
    *f = t->nz ? s[n] : flx_design_largest(t->d, p, t->s->goal) / t->size;
    for (int i = 0; i < t->nrow && df && !t->nz; i++) {
        if (t->d->owner[i] != t->s->goal) continue;
        for (int k = 0; k < n; k++) {
            range = t->o->parameters[k].to - t->o->parameters[k].from;
            df[k] = p->slope[i * n + k] * range / t->size;
        }
    }
    for (int k = 0; k < all && df && t->nz; k++) df[k] = k == n;
    for (int k = 0; k < t->ng + t->nh; k++) {
        int row = row_of(t, k);
        bool part = t->d->owner[row] == t->s->goal, there = !isnan(p->value[row]);
        gh[k] = part ? (there ? p->value[row] / t->size - s[n] : -1.0) : excess(t, p, row);
        for (int i = 0; i < all && dgh; i++) {
            range = i < n ? t->o->parameters[i].to - t->o->parameters[i].from : 0.0;
            double size = part ? t->size : t->row_size[row];
            dgh[k * all + i] = i == n  ? (part && there ? -1.0 : 0.0)
                               : there ? p->slope[row * n + i] * range / size
                                       : 0.0;
        }
    }
    return true;
}

// Where the solver ended: rather that than a point beside it that is lower for missing a condition by the little it may.
static flx_status take_end(state *t, const double *s)
{
    const design_point *p = NULL;
    int row;
    from_parts(t, s, t->x);
    FLX_TRY(flx_design_know(t->s->w, t->x, false, t->s->team, &p));
    if (p->failed) return FLX_OK;
    judge_point(t, p);
    double f = flx_design_largest(t->d, p, t->s->goal), missed = most_missed(t, p, &row);
    if (missed > MET || f > t->best + 1e-4 * fabs(t->best) || missed >= t->best_missed)
        return FLX_OK;
    t->best = f;
    t->best_missed = missed;
    memcpy(t->s->x, p->x, (size_t)t->n * sizeof *p->x);
    return FLX_OK;
}

static flx_status solve(state *t, flx_small_method method, int most)
{
    design_search *s = t->s;
    design_worker *w = s->w;
    int n = t->n, all = n + t->nz, m = t->ng + t->nh;
    double *b = flx_alloc(w->ctx, (size_t)(3 * all + m + 1), sizeof *b), *x = b + 2 * all,
           *within = b + 3 * all;
    if (!b) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) b[all + i] = 1.0;
    for (int k = 0; k < m; k++) within[k] = method == FLX_SMALL_SQP ? 1e-10 : 1e-8;
    to_parts(t, s->x, x);
    if (t->nz) {
        x[n] = t->best / t->size;
        b[n] = x[n] - 1e3 * fmax(1.0, fabs(x[n]));
        b[all + n] = x[n] + 1e3 * fmax(1.0, fabs(x[n]));
    }
    const flx_small_nlp p = {.method = method,
                             .n = all,
                             .ng = t->ng,
                             .nh = t->nh,
                             .lower = b,
                             .upper = b + all,
                             .within = within,
                             .close = CLOSE,
                             .most = most,
                             .seed = s->seed,
                             .user = t,
                             .values = values};
    flx_status status = flx_small_nlp_solve(w->ctx, &p, x, &s->why);
    if (t->status != FLX_OK && t->status != FLX_INTERRUPTED) status = t->status;
    if (status == FLX_OK && t->status == FLX_OK) status = take_end(t, x);
    flx_free(b);
    return status;
}

// ---- whether it is an optimum -------------------------------------------------------------------------

typedef struct pull {
    int rows, m;
    const bool *any_sign; // (m)
    const double *A;      // (rows x m) by columns
    const double *g;      // (rows)
    bool *in;             // (m) columns that may count
    double *y, *z;        // (m) as they are; of the least squares over the columns that may count
    double *scratch;      // (rows m + rows + m)
} pull;

// The least |g + A z| over the columns that are in.
static flx_status solve_in(flx_ctx *ctx, const pull *u)
{
    int k = 0, most = u->rows > u->m ? u->rows : u->m;
    double *A = u->scratch, *b = A + (size_t)u->rows * (size_t)u->m;
    for (int j = 0; j < u->m; j++) {
        if (!u->in[j]) continue;
        memcpy(A + (size_t)k++ * (size_t)u->rows, u->A + (size_t)j * (size_t)u->rows,
               (size_t)u->rows * sizeof *A);
    }
    for (int i = 0; i < most; i++) b[i] = i < u->rows ? -u->g[i] : 0.0;
    if (k > 0) FLX_TRY(flx_dense_least_norm(ctx, u->rows, k, A, b, 1e-12));
    for (int j = 0, i = 0; j < u->m; j++) u->z[j] = u->in[j] ? b[i++] : 0.0;
    return FLX_OK;
}

// From y towards z until one of them would change its sign; false: all of the way.
static bool step_back(const pull *u)
{
    double part = 1.0;
    int first = -1;
    for (int j = 0; j < u->m; j++) {
        if (!u->in[j] || u->any_sign[j] || u->z[j] > 0.0) continue;
        double a = u->y[j] / (u->y[j] - u->z[j]);
        if (first >= 0 && !(a < part)) continue;
        part = u->y[j] > 0.0 ? a : 0.0;
        first = j;
    }
    for (int j = 0; j < u->m; j++) u->y[j] += part * (u->z[j] - u->y[j]);
    if (first < 0) return false;
    u->y[first] = 0.0;
    u->in[first] = false;
    return true;
}

// The least |g + A y|, y not negative but where any sign is allowed (Lawson and Hanson); r (rows) receives what is left.
static flx_status balance(flx_ctx *ctx, const pull *u, double *r)
{
    for (int j = 0; j < u->m; j++) u->in[j] = u->any_sign[j];
    for (int turn = 0; turn < 3 * u->m + 3; turn++) {
        do {
            FLX_TRY(solve_in(ctx, u));
        } while (step_back(u));
        for (int i = 0; i < u->rows; i++) {
            r[i] = u->g[i];
            for (int j = 0; j < u->m; j++) r[i] += u->A[j * u->rows + i] * u->y[j];
        }
        int best = -1;
        double most = 0.0;
        for (int j = 0; j < u->m; j++) {
            double down = 0.0, size = 0.0;
            for (int i = 0; i < u->rows; i++) {
                down -= u->A[j * u->rows + i] * r[i];
                size += u->A[j * u->rows + i] * u->A[j * u->rows + i];
            }
            if (u->in[j] || !(down > 1e-12 * sqrt(size)) || down <= most) continue;
            most = down;
            best = j;
        }
        if (best < 0) break;
        u->in[best] = true;
    }
    return FLX_OK;
}

// (DES-2) at the best point.
static flx_status judge(state *t)
{
    design_search *s = t->s;
    design_worker *w = s->w;
    const design_point *p = NULL;
    int n = t->n, rows = n + 1, most = t->nrow + 2 * n, m = 0;
    FLX_TRY(flx_design_know(w, s->x, true, s->team, &p));
    s->value = flx_design_largest(t->d, p, s->goal);
    s->missed = most_missed(t, p, &s->row);
    if (s->missed <= MET) s->row = -1;
    double *A = flx_alloc(w->ctx, (size_t)(2 * rows * most + 3 * rows + 3 * most), sizeof *A),
           *g = A + rows * most, *r = g + rows, *y = r + rows, *z = y + most, *scratch = z + most;
    int *of = flx_alloc(w->ctx, (size_t)most, sizeof *of);
    bool *any_sign = flx_alloc(w->ctx, 2 * (size_t)most, sizeof *any_sign);
    if (!A || !of || !any_sign) {
        flx_free(A), flx_free(of), flx_free(any_sign);
        return FLX_ERR_MEMORY;
    }
    double spread = fmax(t->highest - t->lowest, 1e-12 * t->size);
    g[n] = 1.0; // of z, which every part of the goal pushes against
    for (int i = 0; i < t->nrow; i++) {
        bool part = t->d->owner[i] == s->goal;
        double near = part ? (s->value - p->value[i]) / t->size : -excess(t, p, i);
        bool counts = part || is_condition(t, i) || is_bounded(t, i);
        if (!counts || isnan(p->value[i]) || near > (part ? TIED : HELD)) continue;
        for (int k = 0; k < n; k++) {
            double range = t->o->parameters[k].to - t->o->parameters[k].from;
            A[m * rows + k] = p->slope[i * n + k] * range / (part ? spread : t->row_size[i]);
        }
        A[m * rows + n] = part ? -1.0 : 0.0;
        any_sign[m] = t->d->equal[i];
        of[m++] = i;
    }
    for (int k = 0; k < n; k++) {
        const flx_optimised *o = t->o->parameters + k;
        double range = o->to - o->from;
        bool low = s->x[k] - o->from <= 1e-9 * range, high = o->to - s->x[k] <= 1e-9 * range;
        if (!low && !high) continue;
        A[m * rows + k] = low ? -1.0 : 1.0;
        of[m++] = -1;
    }
    const pull u = {rows, m, any_sign, A, g, any_sign + most, y, z, scratch};
    flx_status status = balance(w->ctx, &u, r);
    s->left = 0.0;
    for (int k = 0; k < rows; k++) s->left = fmax(s->left, fabs(r[k]));
    for (int k = 0; k < m; k++) {
        if (of[k] >= 0)
            s->lambda[of[k]] =
                y[k] * (t->d->owner[of[k]] == s->goal ? 1.0 : spread / t->row_size[of[k]]);
    }
    s->converged = s->row < 0 && s->left <= BALANCED && t->status == FLX_OK;
    flx_free(A), flx_free(of), flx_free(any_sign);
    return status;
}

// ---- the search -----------------------------------------------------------------------------------------

static flx_status make(state *t)
{
    design_search *s = t->s;
    design *d = t->d;
    size_t n = (size_t)t->n;
    double *all = flx_arena_take(s->w->arena, 2 * n + (size_t)t->nrow, sizeof *all);
    t->g = flx_arena_take(s->w->arena, 2 * (size_t)t->nrow, sizeof *t->g);
    if (!all || !t->g) return FLX_ERR_MEMORY;
    t->h = t->g + t->nrow;
    t->x = all;
    t->good = all + n;
    t->row_size = all + 2 * n;
    for (int i = 0; i < t->nrow; i++) {
        if (is_condition(t, i) && d->equal[i])
            t->h[t->nh++] = i;
        else if (is_condition(t, i) || is_bounded(t, i))
            t->g[t->ng++] = i;
        else
            t->nparts += d->owner[i] == s->goal;
    }
    t->nz = t->nparts > 1;
    for (int i = 0; i < t->nrow && t->nz; i++) {
        if (d->owner[i] == s->goal) t->g[t->ng++] = i;
    }
    return FLX_OK;
}

// A first point with values: the guess, or one of a sample.
static flx_status begin(state *t, const design_point **out)
{
    design_search *s = t->s;
    double column[TRIED];
    for (int k = 0; k <= TRIED; k++) {
        for (int i = 0; i < t->n && k > 0; i++) {
            const flx_optimised *p = t->o->parameters + i;
            FLX_TRY(flx_sample_column(s->w->ctx, FLX_SAMPLE_LATIN, s->seed, i, TRIED, column));
            s->x[i] = p->from + column[k - 1] * (p->to - p->from);
        }
        FLX_TRY(flx_design_know(s->w, s->x, false, s->team, out));
        if (!(*out)->failed) return FLX_OK;
    }
    *out = NULL;
    s->why = "no first point was found at which the model has values";
    return FLX_OK;
}

static void find_sizes(state *t, const design_point *p)
{
    const flx_optimise *o = t->o;
    int limits = o->ngoal + o->ncondition;
    t->size = fabs(flx_design_largest(t->d, p, t->s->goal));
    if (!(t->size > DBL_MIN)) t->size = 1.0;
    for (int i = 0; i < t->nrow; i++) {
        double size = fabs(p->value[i]), limit = 0.0;
        for (int k = 0; k < t->nrow && is_condition(t, i); k++) {
            if (t->d->owner[k] == limits + t->d->owner[i] - o->ngoal) limit = p->value[k];
        }
        if (is_bounded(t, i)) size = fabs(t->s->bound[t->d->owner[i]]);
        if (is_condition(t, i)) size = fmax(fabs(limit), fabs(limit + p->value[i]));
        t->row_size[i] = size > DBL_MIN ? size : 1.0;
    }
}

// Conditions and gradients that are in the way, in words.
static void tell(state *t)
{
    design_search *s = t->s;
    if (s->converged) {
        s->why = "no bound, condition or direction is left to follow";
    } else if (t->status == FLX_INTERRUPTED) {
        s->why = "it was interrupted";
    } else if (s->row >= 0) {
        s->why = "no point was found that meets all conditions";
    } else if (t->calls >= t->most) {
        s->why = "the number of runs was exceeded";
    } // else what the solver said
}

static flx_status follow(state *t)
{
    design_search *s = t->s;
    flx_optimise_method method = t->o->method;
    int most = t->most;
    if (method == FLX_OPTIMISE_GLOBAL) { // random points need no z
        int ng = t->ng, nz = t->nz;
        if (nz) t->ng -= t->nparts;
        t->nz = 0;
        FLX_TRY(solve(t, FLX_SMALL_GLOBAL, most / 2 > 0 ? most / 2 : 1));
        t->ng = ng;
        t->nz = nz;
    }
    if (method == FLX_OPTIMISE_DERIVATIVE_FREE) {
        FLX_TRY(solve(t, FLX_SMALL_LINEAR, most));
        return judge(t);
    }
    FLX_TRY(solve(t, FLX_SMALL_SQP, most));
    if (t->status == FLX_OK) FLX_TRY(judge(t));
    if (t->status != FLX_OK || s->converged) return FLX_OK;
    const char *why = s->why;
    if (t->nh == 0 && t->calls < most) FLX_TRY(solve(t, FLX_SMALL_SEPARABLE, most - t->calls));
    if (t->status == FLX_OK && t->calls < most) FLX_TRY(solve(t, FLX_SMALL_SQP, most - t->calls));
    if (t->status == FLX_OK) FLX_TRY(judge(t));
    s->why = why;
    return FLX_OK;
}

flx_status flx_design_search(design_search *s)
{
    design *d = s->w->d;
    const design_point *p = NULL;
    state t = {.s = s,
               .d = d,
               .o = d->o,
               .n = d->n,
               .nrow = d->nrow,
               .lowest = HUGE_VAL,
               .highest = -HUGE_VAL,
               .most = d->o->runs};
    s->row = -1;
    FLX_TRY(make(&t));
    s->why = "it was interrupted";
    flx_status status = begin(&t, &p);
    if (status == FLX_INTERRUPTED) return FLX_OK; // before it began
    if (status != FLX_OK || !p) return status;
    s->found = true;
    find_sizes(&t, p);
    judge_point(&t, p);
    t.at_good = p;
    to_parts(&t, s->x, t.good);
    status = follow(&t);
    if (status == FLX_INTERRUPTED) { // the best so far
        t.status = status;
        status = FLX_OK;
    }
    s->value = t.best;
    tell(&t);
    return status;
}
