// perform_frequency.c - analyses of type frequency: responses at frequencies, more of them where the phase turns, peaks.
#include "base/number.h"
#include "simulate/analyses/response.h"
#include "simulate/linear/of_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN (10.0 / 180.0 * FLX_PI) // of the phase, from one frequency to the next
#define MOST_MORE 10                 // times as many frequencies when refined
#define CLOSE 1e-6                   // of a frequency: no more between two of them
#define GOLDEN 0.6180339887498949
#define PEAK_STEPS 60
#define STANDS_OUT 1e-7 // of a peak: how much lower the response is on both sides
#define NOTHING 1e-13   // of the largest response of an output: rounding
#define PEAK_CLOSE 1e-8 // of a frequency: the magnitude is flat there

typedef struct sweep {
    flx_simulation *sim;
    const flx_frequency_keys *keys;
    flx_response r;   // of the whole model, or
    flx_of_part part; // of a part of it
    flx_arena *arena; // of either
    int nin, nout;
    const char *const *inputs, *const *outputs; // their names
    flx_finding *out;
    int n, room, npair;
    double *w;       // (room)
    double *re, *im; // (room x npair)
} sweep;

static double *row(const double *of, const sweep *s, int i)
{
    return (double *)of + (size_t)i * (size_t)s->npair;
}

// re, im of all pairs at an angular frequency. asked: it is one of the table.
static flx_status respond(sweep *s, double w, bool asked, double *re, double *im)
{
    if (s->keys->of.name) return flx_of_part_respond(&s->part, w, asked && s->keys->direct, re, im);
    return flx_response_find(&s->r, w, re, im);
}

static flx_status add(sweep *s, int at, double w)
{
    size_t pairs = (size_t)s->npair, after = (size_t)(s->n - at);
    memmove(s->w + at + 1, s->w + at, after * sizeof *s->w);
    memmove(row(s->re, s, at + 1), row(s->re, s, at), after * pairs * sizeof *s->re);
    memmove(row(s->im, s, at + 1), row(s->im, s, at), after * pairs * sizeof *s->im);
    s->n++;
    s->w[at] = w;
    return respond(s, w, true, row(s->re, s, at), row(s->im, s, at));
}

static double between(const sweep *s, double a, double b)
{
    return s->keys->linear || a <= 0.0 ? 0.5 * (a + b) : sqrt(a * b);
}

// The phase of any pair turns much from i to i + 1.
static bool turns(const sweep *s, int i)
{
    const double *a = row(s->re, s, i), *b = row(s->im, s, i);
    const double *c = row(s->re, s, i + 1), *d = row(s->im, s, i + 1);
    if (s->w[i + 1] - s->w[i] <= CLOSE * s->w[i + 1]) return false;
    for (int k = 0; k < s->npair; k++) {
        double angle = atan2(a[k] * d[k] - b[k] * c[k], a[k] * c[k] + b[k] * d[k]);
        if (fabs(angle) > TURN) return true;
    }
    return false;
}

// Number i of those asked for, rad/s.
static double frequency(const flx_frequency_keys *k, int i)
{
    double x = (double)i / (k->count - 1);
    if (i == k->count - 1) return k->to;
    return k->linear ? k->from + x * (k->to - k->from) : k->from * pow(k->to / k->from, x);
}

static flx_status find_all(sweep *s)
{
    const flx_frequency_keys *k = s->keys;
    for (int i = 0; i < k->count; i++) {
        FLX_TRY(add(s, i, frequency(k, i)));
    }
    for (int i = 0; k->refine && i + 1 < s->n;) {
        if (s->n < s->room && turns(s, i)) {
            FLX_TRY(add(s, i + 1, between(s, s->w[i], s->w[i + 1])));
        } else {
            i++;
        }
    }
    return FLX_OK;
}

// ---- peaks --------------------------------------------------------------------------------------------

static flx_status magnitude_at(sweep *s, int pair, double w, double *out)
{
    double *re = row(s->re, s, s->room), *im = row(s->im, s, s->room); // one more than there are
    FLX_TRY(respond(s, w, false, re, im));
    *out = hypot(re[pair], im[pair]);
    return FLX_OK;
}

// One more place: that of the parabola through three, or a golden section of the longer side.
static double next_place(double a, double b, const double x[3], const double f[3], double last)
{
    double longer = x[0] - a > b - x[0] ? a : b;
    double p = (x[0] - x[1]) * (f[0] - f[2]), q = (x[0] - x[2]) * (f[0] - f[1]);
    double by = q != p ? 0.5 * ((x[0] - x[1]) * p - (x[0] - x[2]) * q) / (p - q) : 0.0;
    double at = x[0] - by;
    bool inside = at > a && at < b && q != p && fabs(by) < 0.5 * fabs(last) && by != 0.0;
    return inside ? at : x[0] + (1.0 - GOLDEN) * (longer - x[0]);
}

// The largest magnitude between two frequencies, by parabolas and golden sections; x[0] is the best so far, then the
// second and third.
static flx_status find_peak(sweep *s, int pair, double a, double b, double *w, double *size)
{
    double x[3], f[3], last = b - a;
    x[0] = x[1] = x[2] = b - GOLDEN * (b - a);
    FLX_TRY(magnitude_at(s, pair, x[0], f));
    f[1] = f[2] = f[0];
    for (int k = 0; k < PEAK_STEPS && b - a > PEAK_CLOSE * b; k++) {
        double at = next_place(a, b, x, f, last), value;
        if (fabs(at - x[0]) < PEAK_CLOSE * b)
            at = x[0] + (x[0] - a > b - x[0] ? -1 : 1) * PEAK_CLOSE * b;
        FLX_TRY(magnitude_at(s, pair, at, &value));
        last = at - x[0];
        if (value >= f[0]) {
            *(at > x[0] ? &a : &b) = x[0];
            x[2] = x[1], f[2] = f[1];
            x[1] = x[0], f[1] = f[0];
            x[0] = at, f[0] = value;
        } else {
            *(at > x[0] ? &b : &a) = at;
            bool second = value >= f[1] || x[1] == x[0];
            if (second)
                x[2] = x[1], f[2] = f[1], x[1] = at, f[1] = value;
            else if (value >= f[2] || x[2] == x[0] || x[2] == x[1])
                x[2] = at, f[2] = value;
        }
        if (fabs(last) <= PEAK_CLOSE * b && k > 3) break;
    }
    *w = x[0];
    *size = f[0];
    return FLX_OK;
}

static double magnitude(const sweep *s, int i, int pair)
{
    return hypot(row(s->re, s, i)[pair], row(s->im, s, i)[pair]);
}

// A peak stands out on both sides: what goes up and down by rounding does not. Of all pairs with the same output those that
// are zero but for rounding have none.
static bool stands_out(const sweep *s, int pair, int i)
{
    int nin = s->nin, output = pair / nin;
    double m = magnitude(s, i, pair), largest = 0.0;
    for (int k = output * nin; k < (output + 1) * nin; k++) {
        for (int j = 0; j < s->n; j++) largest = fmax(largest, magnitude(s, j, k));
    }
    if (!(m > NOTHING * largest)) return false;
    for (int step = -1; step <= 1; step += 2) {
        double low = m;
        for (int j = i + step; j >= 0 && j < s->n; j += step) {
            double other = magnitude(s, j, pair);
            if (other > m) break;
            low = fmin(low, other);
        }
        if (!(m - low > STANDS_OUT * m)) return false;
    }
    return true;
}

// Local maxima between frequencies of the table: rows of output, input, w, magnitude; *n of them.
static flx_status find_peaks(sweep *s, double *peaks, int *n)
{
    int nin = s->nin;
    *n = 0;
    for (int pair = 0; pair < s->npair; pair++) {
        for (int i = 1; i + 1 < s->n; i++) {
            double m = magnitude(s, i, pair);
            if (!(m > magnitude(s, i - 1, pair)) || !(m >= magnitude(s, i + 1, pair))) continue;
            if (!stands_out(s, pair, i)) continue;
            double *to = peaks + 4 * (*n)++;
            to[0] = pair / nin + 1;
            to[1] = pair % nin + 1;
            FLX_TRY(find_peak(s, pair, s->w[i - 1], s->w[i + 1], to + 2, to + 3));
        }
    }
    return FLX_OK;
}

static flx_status put_peaks(sweep *s)
{
    static const char *const heads[] = {"output", "input", "w", "frequency", "magnitude"};
    static const char *const units[] = {"", "", "rad/s", "Hz", ""};
    double *peaks = flx_arena_take(s->arena, 4 * (size_t)s->npair * (size_t)s->n, sizeof *peaks);
    int n = 0;
    if (!peaks) return FLX_ERR_MEMORY;
    FLX_TRY(find_peaks(s, peaks, &n));
    flx_finding_table *t = flx_finding_add_table(s->sim, s->out, "peaks", n, 5);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < 5; k++)
        FLX_TRY(flx_finding_column(s->sim, s->out, t, k, heads[k], units[k]));
    for (int i = 0; i < n; i++) {
        const double *from = peaks + 4 * i;
        const double to[5] = {from[0], from[1], from[2], from[2] / (2.0 * FLX_PI), from[3]};
        memcpy(t->values + 5 * i, to, sizeof to);
    }
    return FLX_OK;
}

// The largest magnitude that was met, one number: `bode.peak`.
static flx_status put_peak(sweep *s)
{
    flx_finding_table *t = flx_finding_add_matrix(s->sim, s->out, "peak", 1, 1);
    if (!t) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < s->npair; k++) t->values[0] = fmax(t->values[0], magnitude(s, i, k));
    }
    for (int j = 0; j < s->out->ntable; j++) {
        const flx_finding_table *peaks = s->out->tables + j;
        if (strcmp(peaks->name, "peaks") != 0) continue;
        for (int i = 0; i < peaks->nrow; i++)
            t->values[0] = fmax(t->values[0], peaks->values[5 * i + 4]);
    }
    return FLX_OK;
}

// ---- the table ----------------------------------------------------------------------------------------

static flx_status name_columns(sweep *s, flx_finding_table *t)
{
    static const char *const parts[] = {"re", "im", "magnitude", "phase"};
    int nin = s->nin;
    FLX_TRY(flx_finding_column(s->sim, s->out, t, 0, "w", "rad/s"));
    FLX_TRY(flx_finding_column(s->sim, s->out, t, 1, "frequency", "Hz"));
    for (int k = 0; k < s->npair; k++) {
        for (int j = 0; j < 4; j++) {
            char head[200];
            flx_snprintf(head, sizeof head, "%s/%s %s", s->outputs[k / nin], s->inputs[k % nin],
                         parts[j]);
            FLX_TRY(
                flx_finding_column(s->sim, s->out, t, 2 + 4 * k + j, head, j == 3 ? "deg" : ""));
        }
    }
    return FLX_OK;
}

// Phases go on from one frequency to the next.
static flx_status put_table(sweep *s)
{
    int ncolumn = 2 + 4 * s->npair;
    flx_finding_table *t = flx_finding_add_table(s->sim, s->out, "response", s->n, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(name_columns(s, t));
    for (int i = 0; i < s->n; i++) {
        double *to = t->values + (size_t)i * (size_t)ncolumn;
        to[0] = s->w[i];
        to[1] = s->w[i] / (2.0 * FLX_PI);
        for (int k = 0; k < s->npair; k++) {
            double re = row(s->re, s, i)[k], im = row(s->im, s, i)[k], *at = to + 2 + 4 * k;
            double phase = atan2(im, re) * 180.0 / FLX_PI;
            if (i > 0) phase -= 360.0 * round((phase - (at - ncolumn)[3]) / 360.0);
            at[0] = re;
            at[1] = im;
            at[2] = hypot(re, im);
            at[3] = phase;
        }
    }
    return FLX_OK;
}

static flx_status tell_axes(sweep *s)
{
    const double *w = s->r.turning;
    double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!s->r.steady) {
        FLX_TRY(flx_finding_line(s->sim, s->out,
                                 "the motion is not steady: the response is that of the equations "
                                 "as they are at this instant"));
    }
    if (!s->r.balanced) {
        FLX_TRY(
            flx_finding_line(s->sim, s->out,
                             "forces are not in balance here: the response is that of the "
                             "equations as they are at this instant; find an equilibrium first, "
                             "and give it as 'about'"));
    }
    if (!(rate > 0.0)) return FLX_OK;
    return flx_finding_line(s->sim, s->out,
                            "frequencies are those in axes that rotate with the motion, by %.6g "
                            "rad/s",
                            rate);
}

static flx_status sweep_all(sweep *s)
{
    size_t room = (size_t)s->keys->count * (s->keys->refine ? MOST_MORE : 1);
    s->room = (int)room;
    s->npair = s->nin * s->nout;
    s->w = flx_arena_take(s->arena, room + 1, sizeof *s->w);
    s->re = flx_arena_take(s->arena, (room + 1) * (size_t)s->npair, sizeof *s->re);
    s->im = flx_arena_take(s->arena, (room + 1) * (size_t)s->npair, sizeof *s->im);
    if (!s->w || !s->re || !s->im) return FLX_ERR_MEMORY;
    FLX_TRY(find_all(s));
    FLX_TRY(put_table(s));
    FLX_TRY(put_peaks(s));
    return put_peak(s);
}

// ---- of a body ----------------------------------------------------------------------------------------

// How far the response of the whole body is known, and how far the shapes of the model are off it, of all ports together.
static flx_status put_errors(sweep *s)
{
    static const char *const heads[] = {"w", "frequency", "estimate", "shapes"};
    static const char *const units[] = {"rad/s", "Hz", "", ""};
    const char *held = s->keys->of.held;
    const flx_reduction *r = s->part.r;
    size_t n = (size_t)s->n, size = 2 * (size_t)flx_reduction_ports(r);
    size *= (size_t)flx_reduction_ports(r);
    double *hz = flx_arena_take(s->arena, 2 * n + 2 * size, sizeof *hz), *known = hz + n;
    flx_finding_table *t = flx_finding_add_table(s->sim, s->out, "errors", s->n, 4);
    if (!t || !hz) return FLX_ERR_MEMORY;
    double *H = known + n, *own = H + size, most = 0.0;
    for (int k = 0; k < 4; k++)
        FLX_TRY(flx_finding_column(s->sim, s->out, t, k, heads[k], units[k]));
    for (int i = 0; i < s->n; i++) hz[i] = s->w[i] / (2.0 * FLX_PI);
    FLX_TRY(flx_reduction_estimate(r, s->n, hz, held, known));
    for (int i = 0; i < s->n; i++) {
        double off = 0.0, all = 0.0;
        FLX_TRY(flx_reduction_response(r, FLX_RESPONSE_WHOLE, 1, hz + i, held, H));
        FLX_TRY(flx_reduction_response(r, FLX_RESPONSE_SHAPES, 1, hz + i, held, own));
        for (int k = 0; k < s->npair; k++) {
            int at = flx_of_part_place(&s->part, k / s->nin, k % s->nin);
            off += pow(hypot(own[at] - H[at], own[at + 1] - H[at + 1]), 2);
            all += pow(hypot(H[at], H[at + 1]), 2);
        }
        const double values[4] = {s->w[i], hz[i], known[i], all > 0.0 ? sqrt(off / all) : 0.0};
        memcpy(t->values + 4 * (size_t)i, values, sizeof values);
        most = fmax(most, values[3]);
    }
    const flx_reduction_report *p = flx_reduction_get_report(r);
    double worst = 0.0;
    for (int i = 0; i < s->n; i++) worst = fmax(worst, known[i]);
    return flx_finding_line(s->sim, s->out,
                            "%s of %d unknowns, %s%s, %s a Ritz model of %d vectors, known to "
                            "%.1e; the %d shapes of the model are off by up to %.1e",
                            s->keys->of.name, p->unknowns, held ? "held at " : "free",
                            held ? held : "", s->keys->direct ? "solved directly; beside it" : "by",
                            p->vectors, worst, p->shapes, most);
}

// Loss and alpha, beta as the body has them; a body without damping has a loss factor of our choice.
static flx_status tell_damping(sweep *s)
{
    const flx_reduction_report *p = flx_reduction_get_report(s->part.r);
    if (!p->assumed) return FLX_OK;
    return flx_finding_line(s->sim, s->out,
                            "%s has no damping: responses are those with a loss factor of %g",
                            s->keys->of.name, p->loss);
}

static flx_status sweep_part(sweep *s)
{
    const flx_frequency_keys *k = s->keys;
    int n = k->direct ? k->count : 0;
    double *hz = flx_alloc(s->sim->ctx, (size_t)n, sizeof *hz);
    if (!hz) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) hz[i] = frequency(k, i) / (2.0 * FLX_PI);
    flx_status status = flx_of_part_create(s->sim, &k->of, k->to / (2.0 * FLX_PI), n, hz, &s->part);
    flx_free(hz);
    FLX_TRY(status);
    s->arena = s->part.arena;
    s->nin = s->part.nin;
    s->nout = s->part.nout;
    s->inputs = s->part.inputs;
    s->outputs = s->part.outputs;
    status = sweep_all(s);
    if (status == FLX_OK && k->of.body) status = put_errors(s);
    if (status == FLX_OK && k->of.body) status = tell_damping(s);
    flx_of_part_destroy(&s->part);
    return status;
}

static flx_status sweep_model(flx_task *t, sweep *s)
{
    const flx_io_keys *io = &s->keys->io;
    if (io->nin == 0 || io->nout == 0) {
        return FLX_FAIL(t->sim->ctx, FLX_ERR_MODEL, t->a->loc, "a frequency response needs %s",
                        io->nin == 0 ? "inputs" : "outputs");
    }
    FLX_TRY(flx_analysis_find_own_state(t));
    FLX_TRY(flx_response_create(t->sim, t->place.own, io, &s->r));
    s->arena = s->r.arena;
    s->nin = io->nin;
    s->nout = io->nout;
    s->inputs = s->r.io.inputs;
    s->outputs = s->r.io.names;
    flx_status status = tell_axes(s);
    if (status == FLX_OK) status = sweep_all(s);
    flx_response_destroy(&s->r);
    return status;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    const flx_frequency_keys *keys = t->a->own;
    sweep s = {.sim = t->sim, .keys = keys, .out = out};
    return keys->of.name ? sweep_part(&s) : sweep_model(t, &s);
}

const flx_analysis_performer flx_performer_FREQUENCY = {.settled = true, .perform = perform};
