// perform_campbell.c - analyses of type campbell: modes at many speeds, each followed by its shape.
//
// The model is read anew at every speed. From one speed to the next a mode goes on as the one whose shape is most like its
// own (docs/theory/modes.md, CAMP-1), near where its eigenvalue was going. Forward whirl has the sense of the rotation:
//     k = sum 2 Im(a conj(b)) / sum (|a|^2 + |b|^2),   a, b: displacements of bodies across the axis     (CAMP-2)
#include "base/number.h"
#include "simulate/analyses/at_parameter.h"
#include "simulate/analyses/response.h"
#include "simulate/analyses/shapes/whirl.h"

#include <math.h>
#include <string.h>

#define ROUND 0.9 // |k| of a mode that whirls in circles
#define LIKE 0.1  // shapes of one mode at two speeds are more like each other than this
#define NEAR                                                                                       \
    0.02 // of the fastest frequency: how far an eigenvalue is expected from where it was going
#define SURE 0.6      // likeness of shapes that leaves no doubt
#define SAME 1e-6     // of the fastest frequency: closer eigenvalues mix their shapes
#define MOST_HALVES 6 // of the distance of two speeds
#define CROSSING 3    // of them where branches cross
#define MOST_STEPS 40 // of a critical speed
#define JUMP 1e-6 // of w - order Omega at a critical speed, at most; more is that of another branch
#define CRITICAL 1e-10 // of it

// The modes at one speed.
typedef struct spectrum {
    double speed;
    flx_modes modes;
    double spin;      // of the fastest body, rad/s
    flx_whirl *whirl; // (nmode)
    bool steady;
} spectrum;

// One mode at one speed, as the table has it.
typedef struct point {
    int mode; // of the spectrum; -1: lost
    double re, im, frequency, damping, whirl;
} point;

// Where a branch has come to: the last shape that was its own, and the last eigenvalue.
typedef struct trail {
    double re, im, speed;
    double *shape; // (2 nshape)
} trail;

typedef struct diagram {
    flx_task *t;
    const flx_campbell_keys *keys;
    flx_finding *out;
    flx_arena *arena;
    int nbranch;
    point *points;  // (count x nbranch)
    double *speeds; // (count)
    double fastest;
    double spin, least; // of the fastest body, most and least of all speeds, rad/s
    int doubtful;       // rows to which some branch could not be followed for sure
    double doubt;       // the first of their speeds
    bool instant;       // some motion is not steady
    bool flat;          // some mode cannot be told in the axes that are asked for
} diagram;

// ---- one speed ----------------------------------------------------------------------------------------

static flx_status find_modes(diagram *d, flx_task *t, spectrum *out)
{
    double *turn = NULL, turning[3] = {0};
    FLX_TRY(flx_analysis_find_place(t));
    const flx_system *s = t->place.sys;
    const flx_state *x = t->place.x;
    flx_status status = flx_turn_of(s, x, &turn, turning, &out->steady);
    if (status == FLX_OK) status = flx_modes_find(s, x, turn, 0, &out->modes);
    flx_free(turn);
    FLX_TRY(status);
    v3 axis = flx_whirl_axis(s, x, &out->spin);
    v3 w = v3_load(turning);
    out->whirl = flx_arena_take(d->arena, (size_t)out->modes.nmode, sizeof *out->whirl);
    if (!out->whirl) return FLX_ERR_MEMORY;
    for (int i = 0; i < out->modes.nmode; i++) {
        flx_whirl_of(s, x, axis, &out->modes, i, out->whirl + i);
        out->whirl[i].turning = v3_dot(w, axis);
    }
    return flx_whirl_elastic(t->sim, s, x, axis, &out->modes, out->whirl);
}

typedef struct errand {
    diagram *d;
    spectrum *out;
} errand;

static flx_status find_in(void *user, flx_task *t)
{
    const errand *e = user;
    return find_modes(e->d, t, e->out);
}

static flx_status find_at(diagram *d, double speed, spectrum *out)
{
    errand e = {d, out};
    *out = (spectrum){.speed = speed};
    return flx_analysis_at(d->t, d->keys->speed, speed, find_in, &e);
}

// ---- axes ---------------------------------------------------------------------------------------------

// Signed: forward is positive. Modes that do not whirl in circles have the same frequency in all axes only where they
// do not move across the axis.
static void put_point(diagram *d, const spectrum *s, int i, point *p)
{
    const flx_mode *m = s->modes.modes + i;
    double k = s->whirl[i].k, wanted = d->keys->rotating ? s->spin : 0.0, im = m->im;
    double shift =
        s->whirl[i].turning - wanted; // from the axes of the modes to those that are asked for
    *p = (point){.mode = i, .re = m->re, .im = m->im, .whirl = k};
    if (fabs(shift) > 1e-9 * (s->spin + 1e-300) && im > 0.0 && s->whirl[i].across) {
        if (fabs(k) < ROUND) {
            d->flat = true;
        } else {
            double signed_rate = (k > 0.0 ? im : -im) + shift;
            p->im = fabs(signed_rate);
            p->whirl = signed_rate < 0.0 ? -fabs(k) : fabs(k);
        }
    }
    double size = hypot(p->re, p->im);
    p->frequency = p->im / (2.0 * FLX_PI);
    p->damping = size > 0.0 ? -p->re / size : 0.0;
}

// ---- following ----------------------------------------------------------------------------------------

// Whether mode j may be the branch with the other sign: in axes that rotate with the speed a frequency moves by as much as
// this, and goes through zero where a forward whirl has it.
static bool turns_over(const trail *t, const spectrum *s, int j)
{
    return t->im + s->modes.modes[j].im <= 1.5 * fabs(s->speed - t->speed);
}

// |a^H b|^2 / (|a|^2 |b|^2), in the scales of the unknowns, b or, over zero, its conjugate           (CAMP-1)
static double likeness_of(const trail *t, const spectrum *s, int j, double sign)
{
    int n = s->modes.nshape;
    const double *a = t->shape, *b = s->modes.modes[j].shape;
    double re = 0.0, im = 0.0, aa = 0.0, bb = 0.0;
    for (int k = 0; k < n; k++) {
        double w = 1.0 / (s->modes.scale[k] * s->modes.scale[k]), c = sign * b[n + k];
        re += w * (a[k] * b[k] + a[n + k] * c);
        im += w * (a[k] * c - a[n + k] * b[k]);
        aa += w * (a[k] * a[k] + a[n + k] * a[n + k]);
        bb += w * (b[k] * b[k] + b[n + k] * b[n + k]);
    }
    return aa > 0.0 && bb > 0.0 ? (re * re + im * im) / (aa * bb) : 0.0;
}

static double likeness(const trail *t, const spectrum *s, int j)
{
    double like = likeness_of(t, s, j, 1.0);
    return turns_over(t, s, j) ? fmax(like, likeness_of(t, s, j, -1.0)) : like;
}

// How well mode j goes on with a branch.
static double fit(const diagram *d, const trail *t, const spectrum *now, int j)
{
    const flx_mode *next = now->modes.modes + j;
    double like = likeness(t, now, j);
    double way = hypot(next->re - t->re, next->im - t->im);
    if (turns_over(t, now, j) && likeness_of(t, now, j, -1.0) > likeness_of(t, now, j, 1.0))
        way = hypot(next->re - t->re, next->im + t->im);
    double off = way / (NEAR * d->fastest);
    return like > LIKE ? like + 0.3 / (1.0 + off * off) : -1.0;
}

// The points (nbranch) of branches at a speed, the best pair first.
static flx_status follow(diagram *d, const trail *trails, const spectrum *now, point *to)
{
    int n = now->modes.nmode;
    bool *taken = flx_arena_take(d->arena, (size_t)n, sizeof *taken);
    if (!taken) return FLX_ERR_MEMORY;
    for (int b = 0; b < d->nbranch; b++)
        to[b] = (point){-1, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (int k = 0; k < d->nbranch; k++) {
        double best = 0.0;
        int branch = -1, mode = -1;
        for (int b = 0; b < d->nbranch; b++) {
            for (int j = 0; to[b].mode < 0 && j < n; j++) {
                double f = taken[j] ? -1.0 : fit(d, trails + b, now, j);
                if (f <= best) continue;
                best = f;
                branch = b;
                mode = j;
            }
        }
        if (branch < 0) break;
        taken[mode] = true;
        put_point(d, now, mode, to + branch);
    }
    return FLX_OK;
}

// Likeness of a branch to all modes whose eigenvalue is that of mode i: a shape is one of their plane, whichever.
static double likeness_near(const diagram *d, const trail *t, const spectrum *now, int i)
{
    const flx_mode *modes = now->modes.modes;
    double like = 0.0;
    for (int j = 0; j < now->modes.nmode; j++) {
        if (hypot(modes[j].re - modes[i].re, modes[j].im - modes[i].im) <= SAME * d->fastest)
            like += likeness(t, now, j);
    }
    return like;
}

// Whether every branch goes on with a shape of its own.
static bool is_sure(const diagram *d, const trail *trails, const spectrum *now, const point *to)
{
    for (int b = 0; b < d->nbranch; b++) {
        if (to[b].mode < 0 || likeness_near(d, trails + b, now, to[b].mode) < SURE) return false;
    }
    return true;
}

// Shapes that mixed with others are not kept: the older ones say what goes on.
static void keep(const diagram *d, const spectrum *now, const point *to, trail *trails)
{
    for (int b = 0; b < d->nbranch; b++) {
        if (to[b].mode < 0) continue;
        const flx_mode *m = now->modes.modes + to[b].mode;
        if (likeness(trails + b, now, to[b].mode) >= SURE)
            memcpy(trails[b].shape, m->shape, 2 * (size_t)now->modes.nshape * sizeof(double));
        trails[b].re = m->re;
        trails[b].im = m->im;
        trails[b].speed = now->speed;
    }
}

// Whether two branches change the order of their frequencies.
static bool crosses(const diagram *d, const trail *trails, const spectrum *now, const point *to)
{
    for (int a = 0; a < d->nbranch; a++) {
        for (int b = 0; b < a; b++) {
            if (to[a].mode < 0 || to[b].mode < 0) continue;
            double before = trails[a].im - trails[b].im;
            double after = now->modes.modes[to[a].mode].im - now->modes.modes[to[b].mode].im;
            if (before * after < 0.0) return true;
        }
    }
    return false;
}

// From a speed on to another, by halves where shapes change much on the way or where branches cross: over a long way one
// shape may have become that of another.
static flx_status go_to(diagram *d, double from, double speed, trail *trails, point *to)
{
    double whole = speed - from;
    for (int halves = 0; from != speed;) {
        spectrum now = {0};
        double step = ldexp(whole, -halves);
        bool last = halves == MOST_HALVES;
        double at = last || fabs(speed - from) <= fabs(step) ? speed : from + step;
        flx_status status = find_at(d, at, &now);
        if (status == FLX_OK) status = follow(d, trails, &now, to);
        if (status != FLX_OK) {
            flx_modes_clear(&now.modes);
            return status;
        }
        bool sure = is_sure(d, trails, &now, to);
        bool goes_on = sure && (halves >= CROSSING || !crosses(d, trails, &now, to));
        if (goes_on || last) {
            d->spin = fmax(d->spin, now.spin);
            d->least = fmin(d->least, now.spin);
            d->instant = d->instant || !now.steady;
            if (!sure && d->doubtful++ == 0) d->doubt = speed;
            keep(d, &now, to, trails);
            from = at;
        } else {
            halves++;
        }
        flx_modes_clear(&now.modes);
    }
    return FLX_OK;
}

// Branches begin at the second speed, where modes that were the same have gone apart.
static flx_status begin(diagram *d, const spectrum *s, trail **trails)
{
    int n = s->modes.nmode < d->keys->modes ? s->modes.nmode : d->keys->modes;
    size_t size = (size_t)d->keys->count * (size_t)n, width = 2 * (size_t)s->modes.nshape;
    d->nbranch = n;
    d->points = flx_arena_take(d->arena, size + 1, sizeof *d->points);
    *trails = flx_arena_take(d->arena, (size_t)n + 1, sizeof **trails);
    double *shapes = flx_arena_take(d->arena, width * (size_t)n + 1, sizeof *shapes);
    if (!d->points || !*trails || !shapes) return FLX_ERR_MEMORY;
    for (int b = 0; b < n; b++) {
        const flx_mode *m = s->modes.modes + b;
        (*trails)[b] = (trail){m->re, m->im, s->speed, shapes + width * (size_t)b};
        memcpy((*trails)[b].shape, m->shape, width * sizeof *shapes);
        d->fastest = fmax(d->fastest, hypot(m->re, m->im));
        put_point(d, s, b, d->points + n + b);
    }
    if (!(d->fastest > 0.0)) d->fastest = 1.0;
    d->spin = d->least = s->spin;
    d->instant = !s->steady;
    return FLX_OK;
}

// Back to the first speed, and on from the second.
static flx_status go_through(diagram *d)
{
    const flx_campbell_keys *k = d->keys;
    spectrum second = {0};
    trail *trails[2] = {NULL, NULL};
    double step = (k->to - k->from) / (k->count - 1);
    for (int i = 0; i < k->count; i++)
        d->speeds[i] = i == k->count - 1 ? k->to : k->from + i * step;
    flx_status status = find_at(d, d->speeds[1], &second);
    for (int way = 0; way < 2 && status == FLX_OK; way++) status = begin(d, &second, &trails[way]);
    flx_modes_clear(&second.modes);
    if (status == FLX_OK) status = go_to(d, d->speeds[1], d->speeds[0], trails[0], d->points);
    for (int i = 2; status == FLX_OK && i < k->count; i++)
        status = go_to(d, d->speeds[i - 1], d->speeds[i], trails[1],
                       d->points + (size_t)i * (size_t)d->nbranch);
    return status;
}

// ---- critical speeds ----------------------------------------------------------------------------------

// w - order Omega of the branch at a speed inside an interval, near which it is `guess`; whirl: backward, none or forward.
static flx_status miss_at(diagram *d, double order, double speed, double whirl, double guess,
                          double *miss, double *frequency)
{
    spectrum s;
    double best = HUGE_VAL;
    flx_status status = find_at(d, speed, &s);
    for (int i = 0; status == FLX_OK && i < s.modes.nmode; i++) {
        point p;
        put_point(d, &s, i, &p);
        double off = fabs(p.im - guess) + 0.5 * fabs(p.whirl - whirl) * fabs(guess);
        if (off >= best) continue;
        best = off;
        *miss = p.im - order * speed;
        *frequency = p.frequency;
    }
    flx_modes_clear(&s.modes);
    return status == FLX_OK && best == HUGE_VAL ? FLX_NO_CONVERGENCE : status;
}

// The secant, with the older end halved where it stays (Illinois). Between the ends that are left the branch is sought near
// the straight line. Where another branch was taken for it the ends close in on a jump: not `found`.
static flx_status find_critical(diagram *d, int row, int b, double order, double *speed,
                                double *frequency, bool *found)
{
    const point *p = d->points + (size_t)row * (size_t)d->nbranch + b, *q = p + d->nbranch;
    double x0 = d->speeds[row], x1 = d->speeds[row + 1];
    double f0 = p->im - order * x0, f1 = q->im - order * x1;
    double w0 = p->im, w1 = q->im, f = f0;
    double whirl = fabs(q->whirl) > fabs(p->whirl) ? q->whirl : p->whirl; // at rest it has none
    int side = 0;
    *speed = x0;
    *frequency = p->frequency;
    *found = true;
    if (f0 == 0.0) return FLX_OK;
    for (int k = 0; k < MOST_STEPS && fabs(x1 - x0) > CRITICAL * fabs(x1); k++) {
        double x = (f0 * x1 - f1 * x0) / (f0 - f1), guess = w0 + (x - x0) / (x1 - x0) * (w1 - w0);
        FLX_TRY(miss_at(d, order, x, whirl, guess, &f, frequency));
        double moved = fabs(x - *speed);
        *speed = x;
        if (f == 0.0 || moved <= CRITICAL * fabs(x)) break;
        if ((f > 0.0) == (f1 > 0.0)) {
            x1 = x;
            f1 = f;
            w1 = f + order * x;
            if (side == 1) f0 *= 0.5;
            side = 1;
        } else {
            x0 = x;
            f0 = f;
            w0 = f + order * x;
            if (side == -1) f1 *= 0.5;
            side = -1;
        }
    }
    *found = fabs(f) <= JUMP * fabs(order * *speed);
    return FLX_OK;
}

static flx_status put_critical(diagram *d)
{
    static const char *const heads[] = {"order", "mode", "speed", "frequency", "whirl"};
    static const char *const units[] = {"", "", "rad/s", "Hz", ""};
    flx_simulation *sim = d->t->sim;
    int n = 0, most = d->keys->norder * d->nbranch * (d->keys->count - 1);
    double *rows = flx_arena_take(d->arena, 5 * (size_t)most, sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    for (int o = 0; o < d->keys->norder; o++) {
        for (int b = 0; b < d->nbranch; b++) {
            for (int i = 0; i + 1 < d->keys->count; i++) {
                const point *p = d->points + (size_t)i * (size_t)d->nbranch + b,
                            *q = p + d->nbranch;
                double order = d->keys->orders[o], f0 = p->im - order * d->speeds[i];
                double f1 = q->im - order * d->speeds[i + 1];
                if (!(f0 * f1 < 0.0 || (f1 == 0.0 && f0 != 0.0)) || !(p->im > 0.0 || q->im > 0.0))
                    continue;
                double *to = rows + 5 * n;
                bool found = false;
                to[0] = order;
                to[1] = b + 1;
                to[4] = q->whirl;
                FLX_TRY(find_critical(d, i, b, order, to + 2, to + 3, &found));
                if (found) {
                    n++;
                    continue;
                }
                FLX_TRY(flx_finding_line(sim, d->out,
                                         "mode %d may be critical with order %g between %g and %g "
                                         "rad/s; it was lost among others: take more speeds",
                                         b + 1, order, d->speeds[i], d->speeds[i + 1]));
            }
        }
    }
    flx_finding_table *t = flx_finding_add_table(sim, d->out, "critical", n, 5);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < 5; k++) FLX_TRY(flx_finding_column(sim, d->out, t, k, heads[k], units[k]));
    memcpy(t->values, rows, 5 * (size_t)n * sizeof *rows);
    return FLX_OK;
}

// ---- the table ----------------------------------------------------------------------------------------

static flx_status put_table(diagram *d)
{
    static const char *const parts[] = {"frequency", "damping", "whirl"};
    flx_simulation *sim = d->t->sim;
    int ncolumn = 1 + 3 * d->nbranch;
    flx_finding_table *t = flx_finding_add_table(sim, d->out, "campbell", d->keys->count, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(sim, d->out, t, 0, d->keys->speed, "rad/s"));
    for (int b = 0; b < d->nbranch; b++) {
        for (int k = 0; k < 3; k++) {
            char head[60];
            flx_snprintf(head, sizeof head, "%s(%d)", parts[k], b + 1);
            FLX_TRY(flx_finding_column(sim, d->out, t, 1 + 3 * b + k, head, k == 0 ? "Hz" : ""));
        }
    }
    for (int i = 0; i < d->keys->count; i++) {
        double *to = t->values + (size_t)i * (size_t)ncolumn;
        to[0] = d->speeds[i];
        for (int b = 0; b < d->nbranch; b++) {
            const point *p = d->points + (size_t)i * (size_t)d->nbranch + b;
            to[1 + 3 * b] = p->frequency;
            to[2 + 3 * b] = p->damping;
            to[3 + 3 * b] = p->whirl;
        }
    }
    return FLX_OK;
}

static flx_status tell(diagram *d)
{
    flx_simulation *sim = d->t->sim;
    FLX_TRY(flx_finding_line(sim, d->out, "frequencies are those in %s",
                             d->keys->rotating ? "axes that rotate with the fastest body"
                                               : "the axes of the ground"));
    FLX_TRY(flx_finding_line(
        sim, d->out, "whirl: 1 forward in circles, -1 backward, 0 in a plane or along the axis"));
    if (!(d->spin > 0.0))
        FLX_TRY(flx_finding_line(sim, d->out,
                                 "no body rotates at any '%s': is it the speed of a rotor?",
                                 d->keys->speed));
    if (d->spin > 0.0 && d->spin - d->least <= SAME * d->spin)
        FLX_TRY(
            flx_finding_line(sim, d->out,
                             "'%s' does not change how fast anything rotates, %.6g rad/s: is it "
                             "the speed of a rotor?",
                             d->keys->speed, d->spin));
    if (d->instant)
        FLX_TRY(
            flx_finding_line(sim, d->out,
                             "the motion is not steady: modes are those of the equations as they "
                             "are at this instant"));
    if (d->doubtful > 0)
        FLX_TRY(flx_finding_line(sim, d->out,
                                 "at %d of %d speeds, the first %g rad/s, modes are so alike that "
                                 "they may have changed places: take more speeds",
                                 d->doubtful, d->keys->count, d->doubt));
    if (!d->flat) return FLX_OK;
    return flx_finding_line(
        sim, d->out,
        "some modes move across the axis and not in circles: in %s they have two "
        "frequencies, and the one in the axes of the motion is given",
        d->keys->rotating ? "rotating axes" : "the axes of the ground");
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    diagram d = {.t = t, .keys = t->a->own, .out = out};
    flx_simulation *sim = t->sim;
    FLX_TRY(flx_analysis_check_text(t, "a Campbell diagram"));
    d.arena = flx_arena_create(sim->ctx);
    if (!d.arena) return FLX_ERR_MEMORY;
    d.speeds = flx_arena_take(d.arena, (size_t)d.keys->count, sizeof *d.speeds);
    flx_status status = d.speeds ? go_through(&d) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = tell(&d);
    if (status == FLX_OK) status = put_table(&d);
    if (status == FLX_OK && d.keys->norder > 0) status = put_critical(&d);
    flx_arena_destroy(&d.arena);
    return status;
}

const flx_analysis_performer flx_performer_CAMPBELL = {.settled = true, .perform = perform};
