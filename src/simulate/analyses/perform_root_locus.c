// perform_root_locus.c - analyses of type root-locus: poles over a parameter, or over the gain of a feedback
//     u = -k y,   s in the spectrum of A - k B (1 + k D)^-1 C                                       (ROOT-2)
// followed as branches (ROOT-1), and where they cross the imaginary axis.
#include "analyse/linear/branches.h"
#include "base/number.h"
#include "simulate/analyses/at_parameter.h"
#include "simulate/analyses/io_signals.h"
#include "simulate/linear/linear_about.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 2000
#define FAR 0.02       // of the picture: how far a pole goes from one gain to the next
#define NEUTRAL 1e-7   // of the fastest pole: a real part that is zero
#define MOST_STEPS 60  // of a crossing
#define CLOSE 1e-10    // of a value: a crossing
#define SINGULAR 1e-12 // 1 + k D

typedef struct locus {
    flx_task *t;
    const flx_locus_keys *keys;
    flx_finding *out;
    flx_arena *arena;
    flx_linear_model plant; // of a gain
    int n;                  // branches; -1: not known yet
    int nrow, room;
    double *values; // (room)
    double *s;      // (room x n x 2) re, im of branches
} locus;

// ---- poles at one value ---------------------------------------------------------------------------------

// out: where a state that moves is told; NULL: nowhere.
static flx_status find_linear(flx_task *t, const flx_io_keys *io, flx_linear_model *m,
                              flx_finding *out)
{
    flx_io_signals signals;
    FLX_TRY(flx_analysis_find_own_state(t));
    FLX_TRY(flx_io_signals_create(t->sim, io, &signals));
    signals.turns = true;
    flx_status status = flx_io_signals_linear(&signals, t->sim, t->place.own, m);
    if (status == FLX_OK && out) status = flx_io_signals_tell_moving(&signals, t->sim, m, out);
    flx_io_signals_clear(&signals);
    return status;
}

static flx_status find_in(void *user, flx_task *t)
{
    flx_linear_model m = {0};
    const flx_locus_keys *keys = t->a->own;
    flx_status status = find_linear(t, &keys->io, &m, NULL);
    if (status == FLX_OK) status = flx_linear_find_modes(t->sim->ctx, &m, user);
    flx_linear_model_clear(&m);
    return status;
}

static flx_status close_loop(locus *l, double k, flx_linear_modes *out)
{
    flx_ctx *ctx = l->t->sim->ctx;
    const flx_linear_model *p = &l->plant;
    int n = p->n;
    double through = 1.0 + k * p->D[0];
    if (fabs(through) < SINGULAR * (1.0 + fabs(k * p->D[0]))) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, l->t->a->loc,
                        "at the gain %g the loop from the input to the output and back is "
                        "algebraic: 1 + k D = 0",
                        k);
    }
    double *A = flx_alloc(ctx, (size_t)n * (size_t)n + 1, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i * n + j] = p->A[i * n + j] - k / through * p->B[i] * p->C[j];
    }
    const flx_linear_model closed = {.n = n, .A = A};
    flx_status status = flx_linear_find_modes(ctx, &closed, out);
    flx_free(A);
    return status;
}

static flx_status find_at(locus *l, double value, flx_linear_modes *out)
{
    const char *parameter = l->keys->parameter;
    *out = (flx_linear_modes){0};
    flx_status status = parameter ? flx_analysis_at(l->t, parameter, value, find_in, out)
                                  : close_loop(l, value, out);
    if (status != FLX_OK || l->n < 0 || out->n == l->n) return status;
    status = FLX_FAIL(l->t->sim->ctx, FLX_ERR_CANNOT, l->t->a->loc,
                      "at %s = %g there are %d states and before there were %d: branches end there",
                      parameter, value, out->n, l->n);
    flx_linear_modes_clear(out);
    return status;
}

// ---- following ------------------------------------------------------------------------------------------

static double *row_of(const locus *l, int i)
{
    return l->s + 2 * (size_t)i * (size_t)l->n;
}

static void put_row(locus *l, double value, const flx_linear_modes *m, const int *mode)
{
    double *to = row_of(l, l->nrow);
    l->values[l->nrow++] = value;
    for (int b = 0; b < l->n; b++) {
        to[2 * b] = m->re[mode[b]];
        to[2 * b + 1] = m->im[mode[b]];
    }
}

// Where branches are expected at a value: straight on.
static void expect(const locus *l, double value, double *re, double *im)
{
    int i = l->nrow - 1;
    const double *one = row_of(l, i), *two = i > 0 ? row_of(l, i - 1) : one;
    double step = i > 0 ? l->values[i] - l->values[i - 1] : 1.0;
    double part = (value - l->values[i]) / step;
    for (int b = 0; b < l->n; b++) {
        re[b] = one[2 * b] + part * (one[2 * b] - two[2 * b]);
        im[b] = one[2 * b + 1] + part * (one[2 * b + 1] - two[2 * b + 1]);
    }
}

// How far the pole that moves most goes, as a part of the largest pole at the ends of the locus.
static double farthest(const locus *l, const flx_linear_modes *m, const int *mode, double size)
{
    const double *last = row_of(l, l->nrow - 1);
    double most = 0.0;
    for (int b = 0; b < l->n; b++)
        most = fmax(most, hypot(m->re[mode[b]] - last[2 * b], m->im[mode[b]] - last[2 * b + 1]));
    return size > 0.0 ? most / size : 0.0;
}

static double size_of(const flx_linear_modes *m)
{
    double size = 0.0;
    for (int i = 0; i < m->n; i++) size = fmax(size, hypot(m->re[i], m->im[i]));
    return size;
}

static double value_at(const flx_locus_keys *k, int i)
{
    double x = (double)i / (k->count - 1);
    if (i == k->count - 1) return k->to;
    return k->log ? k->from * pow(k->to / k->from, x) : k->from + x * (k->to - k->from);
}

// On to a value, by halves where poles go far. *before: the modes of the last row, replaced. mode: (n) of it.
static flx_status go_to(locus *l, double value, double size, flx_linear_modes *before, int *mode)
{
    flx_ctx *ctx = l->t->sim->ctx;
    int *trial = flx_arena_take(l->arena, (size_t)l->n + 1, sizeof *trial);
    double *re = flx_arena_take(l->arena, 2 * (size_t)l->n + 1, sizeof *re), *im = re + l->n;
    if (!trial || !re) return FLX_ERR_MEMORY;
    for (bool there = false; !there;) {
        double at = value;
        flx_linear_modes now = {0};
        for (int halves = 0;; halves++) {
            FLX_TRY(find_at(l, at, &now));
            memcpy(trial, mode, (size_t)l->n * sizeof *trial);
            expect(l, at, re, im);
            flx_status status = flx_branches_match(ctx, before, re, im, &now, trial);
            if (status != FLX_OK) {
                flx_linear_modes_clear(&now);
                return status;
            }
            double last = l->values[l->nrow - 1], middle = 0.5 * (last + at);
            if (l->keys->parameter || halves == 12 || l->nrow + l->keys->count >= l->room ||
                farthest(l, &now, trial, size) <= FAR)
                break;
            flx_linear_modes_clear(&now);
            at = middle;
        }
        there = at == value || l->nrow + 1 >= l->room;
        memcpy(mode, trial, (size_t)l->n * sizeof *mode);
        put_row(l, at, &now, mode);
        flx_linear_modes_clear(before);
        *before = now;
    }
    return FLX_OK;
}

static flx_status go_through(locus *l)
{
    const flx_locus_keys *k = l->keys;
    flx_linear_modes before = {0}, end = {0};
    FLX_TRY(find_at(l, k->from, &before));
    l->n = before.n;
    l->room = k->parameter ? k->count : MOST_ROWS + 2 * k->count;
    double size = size_of(&before);
    flx_status status = find_at(l, k->to, &end);
    if (status == FLX_OK) size = fmax(size, size_of(&end));
    flx_linear_modes_clear(&end);
    l->values = flx_arena_take(l->arena, (size_t)l->room, sizeof *l->values);
    l->s = flx_arena_take(l->arena, 2 * (size_t)l->room * (size_t)l->n + 1, sizeof *l->s);
    int *mode = flx_arena_take(l->arena, (size_t)l->n + 1, sizeof *mode);
    if (status == FLX_OK && !(l->values && l->s && mode)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int b = 0; b < l->n; b++) mode[b] = b;
        put_row(l, k->from, &before, mode);
    }
    for (int i = 1; status == FLX_OK && i < k->count; i++)
        status = go_to(l, value_at(k, i), size, &before, mode);
    flx_linear_modes_clear(&before);
    return status;
}

// ---- crossings ------------------------------------------------------------------------------------------

// The pole at a value that is nearest to s.
static flx_status nearest(locus *l, double value, const double near[2], double s[2])
{
    flx_linear_modes m;
    double best = HUGE_VAL;
    FLX_TRY(find_at(l, value, &m));
    for (int i = 0; i < m.n; i++) {
        double off = hypot(m.re[i] - near[0], m.im[i] - near[1]);
        if (off >= best) continue;
        best = off;
        s[0] = m.re[i];
        s[1] = m.im[i];
    }
    flx_linear_modes_clear(&m);
    return FLX_OK;
}

// The real part is zero between two rows; by the secant, the end that stays halved (Illinois).
static flx_status find_crossing(locus *l, int i, int j, int b, double *value, double *im)
{
    const double *p = row_of(l, i) + 2 * b, *q = row_of(l, j) + 2 * b;
    double x0 = l->values[i], x1 = l->values[j], f0 = p[0], f1 = q[0];
    double s0[2] = {p[0], p[1]}, s1[2] = {q[0], q[1]};
    int side = 0;
    *value = x0;
    *im = p[1];
    for (int k = 0; k < MOST_STEPS && fabs(x1 - x0) > CLOSE * fmax(fabs(x0), fabs(x1)); k++) {
        double part = f0 / (f0 - f1), x = x0 + part * (x1 - x0), s[2] = {0, 0};
        double near[2] = {0.0, s0[1] + part * (s1[1] - s0[1])}, moved = fabs(x - *value);
        FLX_TRY(nearest(l, x, near, s));
        *value = x;
        *im = s[1];
        if (s[0] == 0.0 || (k > 0 && moved <= CLOSE * fabs(x))) break;
        bool last = (s[0] > 0.0) == (f1 > 0.0);
        *(last ? &x1 : &x0) = x;
        *(last ? &f1 : &f0) = s[0];
        memcpy(last ? s1 : s0, s, sizeof s);
        if (side == (last ? 1 : -1)) *(last ? &f0 : &f1) *= 0.5;
        side = last ? 1 : -1;
    }
    return FLX_OK;
}

// Real part where it is told from zero, else zero.
static double side_of(const locus *l, int i, int b)
{
    double fastest = 0.0, re = row_of(l, i)[2 * b];
    for (int k = 0; k < l->n; k++)
        fastest = fmax(fastest, hypot(row_of(l, i)[2 * k], row_of(l, i)[2 * k + 1]));
    return fabs(re) > NEUTRAL * fastest ? re : 0.0;
}

static flx_status put_crossings(locus *l)
{
    static const char *const heads[] = {NULL, "mode", "im", "frequency", "towards"};
    static const char *const units[] = {"", "", "1/s", "Hz", ""};
    flx_simulation *sim = l->t->sim;
    int n = 0;
    double *rows = flx_arena_take(l->arena, 5 * (size_t)l->nrow * (size_t)l->n + 1, sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    for (int b = 0; b < l->n; b++) {
        for (int i = 1, last = 0; i < l->nrow; i++) {
            double from = side_of(l, last, b), to = side_of(l, i, b), *row = rows + 5 * n;
            if (to == 0.0) continue;
            int before = last;
            last = i;
            if (!(from * to < 0.0) || row_of(l, i)[2 * b + 1] < 0.0) continue; // of a pair one
            FLX_TRY(find_crossing(l, before, i, b, row, row + 2));
            row[1] = b + 1;
            row[3] = fabs(row[2]) / (2.0 * FLX_PI);
            row[4] = to > 0.0 ? 1.0 : -1.0;
            n++;
        }
    }
    flx_finding_table *t = flx_finding_add_table(sim, l->out, "crossings", n, 5);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < 5; k++) {
        const char *head = heads[k] ? heads[k] : l->keys->parameter ? l->keys->parameter : "gain";
        FLX_TRY(flx_finding_column(sim, l->out, t, k, head, units[k]));
    }
    memcpy(t->values, rows, 5 * (size_t)n * sizeof *rows);
    return FLX_OK;
}

// From where to where no pole grows, by rows.
static flx_status tell_stable(locus *l)
{
    const char *name = l->keys->parameter ? l->keys->parameter : "gain";
    int from = -1, told = 0;
    for (int i = 0; i <= l->nrow; i++) {
        bool grows = i == l->nrow;
        for (int b = 0; b < l->n && !grows; b++) grows = side_of(l, i, b) > 0.0;
        if (!grows && from < 0) from = i;
        if (!grows || from < 0) continue;
        FLX_TRY(flx_finding_line(l->t->sim, l->out, "no pole grows from %s = %.6g to %.6g", name,
                                 l->values[from], l->values[i - 1]));
        from = -1;
        told++;
    }
    return told > 0 ? FLX_OK
                    : flx_finding_line(l->t->sim, l->out, "at every %s some pole grows", name);
}

// ---- tables ---------------------------------------------------------------------------------------------

static flx_status put_locus(locus *l)
{
    flx_simulation *sim = l->t->sim;
    int ncolumn = 1 + 2 * l->n;
    flx_finding_table *t = flx_finding_add_table(sim, l->out, "locus", l->nrow, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(sim, l->out, t, 0, l->keys->parameter ? l->keys->parameter : "gain",
                               ""));
    for (int k = 1; k < ncolumn; k++) {
        char head[40];
        flx_snprintf(head, sizeof head, "%s(%d)", k % 2 == 1 ? "re" : "im", (k + 1) / 2);
        FLX_TRY(flx_finding_column(sim, l->out, t, k, head, "1/s"));
    }
    for (int i = 0; i < l->nrow; i++) {
        double *to = t->values + (size_t)i * (size_t)ncolumn;
        to[0] = l->values[i];
        memcpy(to + 1, row_of(l, i), 2 * (size_t)l->n * sizeof *to);
    }
    return FLX_OK;
}

// Where branches of a gain end.
static flx_status put_zeros(locus *l)
{
    flx_simulation *sim = l->t->sim;
    int n = 0;
    size_t most = (size_t)l->plant.n + 2;
    if (l->keys->parameter) return FLX_OK;
    double *re = flx_arena_take(l->arena, 2 * most, sizeof *re), *im = re + most;
    if (!re) return FLX_ERR_MEMORY;
    FLX_TRY(flx_linear_find_zeros(sim->ctx, &l->plant, 0, NULL, NULL, &n, re, im));
    flx_finding_table *t = flx_finding_add_table(sim, l->out, "zeros", n, 2);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(sim, l->out, t, 0, "re", "1/s"));
    FLX_TRY(flx_finding_column(sim, l->out, t, 1, "im", "1/s"));
    for (int i = 0; i < n; i++) {
        t->values[2 * i] = re[i];
        t->values[2 * i + 1] = im[i];
    }
    return FLX_OK;
}

static flx_status begin(locus *l)
{
    flx_task *t = l->t;
    if (l->keys->parameter) {
        flx_linear_model now = {0};
        FLX_TRY(flx_analysis_check_text(t, "a root locus of a parameter"));
        int told = flx_ctx_error_count(t->sim->ctx);
        flx_status status = find_linear(t, &l->keys->io, &now, l->out);
        flx_linear_model_clear(&now);
        flx_ctx_forget_errors(t->sim->ctx, told); // with the values of the locus it may be there
        return status == FLX_ERR_MEMORY ? status : FLX_OK;
    }
    FLX_TRY(find_linear(t, &l->keys->io, &l->plant, l->out));
    if (!l->plant.D1 && !l->plant.D2) return FLX_OK;
    return FLX_FAIL(t->sim->ctx, FLX_ERR_CANNOT, t->a->loc,
                    "the output contains rates of the input: a gain between them is no feedback "
                    "of the state");
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    locus l = {.t = t, .keys = t->a->own, .out = out, .n = -1};
    l.arena = flx_arena_create(t->sim->ctx);
    if (!l.arena) return FLX_ERR_MEMORY;
    flx_status status = begin(&l);
    if (status == FLX_OK) status = go_through(&l);
    if (status == FLX_OK) status = tell_stable(&l);
    if (status == FLX_OK) status = put_locus(&l);
    if (status == FLX_OK) status = put_crossings(&l);
    if (status == FLX_OK) status = put_zeros(&l);
    flx_linear_model_clear(&l.plant);
    flx_arena_destroy(&l.arena);
    return status;
}

const flx_analysis_performer flx_performer_ROOT_LOCUS = {.settled = true, .perform = perform};
