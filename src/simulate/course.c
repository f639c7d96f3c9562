// course.c - what is followed along a run: powers and measures, with their integrals and extremes.
//
// Values are known at the ends of a step and at places inside, from which integrals follow. Where an extreme may lie between
// the places, it is sought with the method's dense output.
#include "integrate/method.h"
#include "simulate/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef flx_run run;
enum {
    DISSIPATED = FLX_COURSE_DISSIPATED,
    SUPPLIED = FLX_COURSE_SUPPLIED,
    FIRST_PROBE = FLX_COURSE_PROBES
};

// Places between two known ones where their polynomial is looked at, and how often again between them; the part of a step
// within which its top is that of the motion, and looks for it.
#define FINER 8
#define ZOOMS 2
#define ABOUT 0.02
#define MOST_LOOKS 12
// An extreme is found to this part of the largest value where no tolerance is asked for, means to that.
#define EXTREME 1e-11
#define MEAN 1e-7
// A step is halved so often for a measure that changes faster than the motion, and followed in so many parts.
#define DEEPEST 24
#define MOST_PARTS 20000
// Where values have to be solved for halves are looked at if the polynomial misses the middle by this part.
#define MISSES 1e-3
// Where the ends of steps alone are known, they are halved if the means differ by this part.
#define BY_ENDS 1e-3
// What a state off by so many last digits changes by this part of its range is rounding; so many states are looked at.
#define LAST_DIGITS (4 * DBL_EPSILON)
#define ROUNDING 0.05
#define NEAR_STATES 4

static bool has_course(const flx_simulation *sim)
{
    return sim->powered || sim->model->outputs.nprobe > 0;
}

// ---- values -------------------------------------------------------------------------------------

static flx_status observe_probes(flx_simulation *sim, const flx_state *x)
{
    FLX_TRY(flx_account_signals(&sim->probes, sim, x, sim->course.sum[DISSIPATED]));
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        double value = sim->probes.out[i];
        flx_probe_value *v = &sim->probe_values[i];
        v->low = fmin(v->low, value);
        v->high = fmax(v->high, value);
    }
    return FLX_OK;
}

// Powers and probes at a state.
static flx_status observe_course(flx_simulation *sim, const flx_state *x, double *out)
{
    int nprobe = sim->model->outputs.nprobe;
    out[DISSIPATED] = out[SUPPLIED] = 0.0;
    if (sim->powered) {
        flx_energies e;
        FLX_TRY(flx_account_find_energies(sim, x, &e));
        out[DISSIPATED] = e.dissipated_power;
        out[SUPPLIED] = e.supplied_power;
    }
    if (nprobe == 0) return FLX_OK;
    FLX_TRY(observe_probes(sim, x));
    for (int i = 0; i < nprobe; i++) {
        double value = sim->probe_values[i].last = sim->probes.out[i];
        out[FIRST_PROBE + i] = value;
        out[FIRST_PROBE + nprobe + i] = value * value;
    }
    return FLX_OK;
}

// sim->inner at a time inside the last step.
static flx_status place_inner(flx_simulation *sim, double t)
{
    FLX_TRY(flx_integrator_interpolate(sim->it, t, sim->inner));
    return sim->courses_settle ? flx_simulation_settle_here(sim, sim->inner) : FLX_OK;
}

static flx_status observe_places(flx_simulation *sim, double from, double t, double *inner)
{
    for (int k = 0; k < sim->course.inner; k++) {
        FLX_TRY(place_inner(sim, from + flx_quadrature_place(&sim->course, k) * (t - from)));
        FLX_TRY(observe_course(sim, sim->inner, inner + k * sim->course.n));
    }
    return FLX_OK;
}

// Values inside the interval, where the method can give them.
static flx_status observe_inner(flx_simulation *sim, double from, double t, const double **inner)
{
    *inner = NULL;
    if (!sim->course.inner || !(t > from)) return FLX_OK;
    *inner = sim->course_inner;
    return observe_places(sim, from, t, sim->course_inner);
}

// ---- extremes -----------------------------------------------------------------------------------

typedef struct peak {
    flx_simulation *sim;
    int probe;
    double sign;    // 1: the largest is sought, -1: the smallest
    double from, h; // the step
    int looks;
} peak;

// The value at a place of the step, in [0, 1], in the direction that is sought.
static flx_status look(peak *p, double x, double *out)
{
    FLX_TRY(place_inner(p->sim, p->from + x * p->h));
    FLX_TRY(observe_probes(p->sim, p->sim->inner));
    *out = p->sign * p->sim->probes.out[p->probe];
    p->looks++;
    return FLX_OK;
}

static double polynomial(int n, const double *x, const double *f, double at)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double term = f[i];
        for (int k = 0; k < n; k++) term *= k == i ? 1.0 : (at - x[k]) / (x[i] - x[k]);
        sum += term;
    }
    return sum;
}

// Where the polynomial through the places is largest between a and b, looked at in equal parts.
static double find_top_within(int n, const double *x, const double *f, double a, double b,
                              int parts, double *top)
{
    double at = a;
    *top = -HUGE_VAL;
    for (int k = 0; k <= parts; k++) {
        double y = a + (b - a) * k / parts, value = polynomial(n, x, f, y);
        if (!(value > *top)) continue;
        *top = value;
        at = y;
    }
    return at;
}

// ... over the whole step, and how large it is there.
static double find_top(int n, const double *x, const double *f, double *top)
{
    double width = 1.0 / (FINER * n), at = find_top_within(n, x, f, 0.0, 1.0, FINER * n, top);
    for (int round = 0; round < ZOOMS; round++, width *= 2.0 / FINER) {
        at = find_top_within(n, x, f, fmax(at - width, 0.0), fmin(at + width, 1.0), FINER, top);
    }
    return at;
}

// The top of the parabola through three places, and how large it is; the middle one where it has none between them.
static double vertex(const double *x, const double *f, double *top)
{
    double a = (f[1] - f[0]) / (x[1] - x[0]), b = (f[2] - f[1]) / (x[2] - x[1]);
    double bend = (b - a) / (x[2] - x[0]), slope = a + bend * (x[1] - x[0]); // at the middle
    *top = f[1];
    if (!(bend < 0.0)) return x[1];
    double at = x[1] - 0.5 * slope / bend;
    if (!(at > x[0] && at < x[2])) return x[1];
    *top = f[1] - 0.25 * slope * slope / bend;
    return at;
}

// From three places about the top: parabolas until they promise no more than the tolerance.
static flx_status climb(peak *p, double at, double tolerance)
{
    double x[3] = {fmax(at - ABOUT, 0.0), at, fmin(at + ABOUT, 1.0)}, f[3], top;
    if (!(x[1] > x[0] && x[1] < x[2])) x[1] = 0.5 * (x[0] + x[2]);
    for (int k = 0; k < 3; k++) FLX_TRY(look(p, x[k], &f[k]));
    while (p->looks < MOST_LOOKS) {
        double y = vertex(x, f, &top), value;
        if (y == x[1] || !(top > fmax(f[1], fmax(f[0], f[2])) + tolerance)) return FLX_OK;
        FLX_TRY(look(p, y, &value));
        int side = y > x[1] ? 2 : 0; // where the new place is
        if (value > f[1]) {          // the middle becomes the other end
            x[2 - side] = x[1];
            f[2 - side] = f[1];
            x[1] = y;
            f[1] = value;
        } else {
            x[side] = y;
            f[side] = value;
        }
    }
    return FLX_OK;
}

// Beyond what is known at n places of the step, where that may be.
static flx_status seek(peak *p, int n, const double *x, const double *f)
{
    const flx_probe_value *v = &p->sim->probe_values[p->probe];
    double rtol = p->sim->it->def.step > 0.0 ? EXTREME : 0.1 * p->sim->it->def.rtol;
    if (p->sim->sharp) rtol = DBL_EPSILON;
    double tolerance = rtol * fmax(fabs(v->low), fabs(v->high)), top;
    double at = find_top(n, x, f, &top), record = p->sign > 0.0 ? v->high : -v->low;
    bool may = isfinite(top) && top > record + tolerance;
    return may ? climb(p, at, tolerance) : FLX_OK;
}

// Whether an extreme may lie inside a step of which the ends alone are known: by the change over it and over the one
// before.
static bool may_exceed(const flx_simulation *sim, int i, double sign, const double *end)
{
    const flx_quadrature *q = &sim->course;
    int at = FIRST_PROBE + i;
    double before = q->past[at], far = q->known > 1 ? q->past[q->n + at] : before;
    double reach = fabs(end[at] - before) + fabs(before - far);
    const flx_probe_value *v = &sim->probe_values[i];
    double record = sign > 0.0 ? v->high : -v->low;
    return sign * end[at] + reach > record || sign * before + reach > record;
}

static flx_status find_extreme(flx_simulation *sim, int i, double sign, double from, double t,
                               const double *inner, const double *end)
{
    const flx_quadrature *q = &sim->course;
    double x[FLX_LOBATTO_INNER + 2], f[FLX_LOBATTO_INNER + 2];
    int n = 0, at = FIRST_PROBE + i;
    peak p = {sim, i, sign, from, t - from, 0};
    x[n] = 0.0;
    f[n++] = sign * q->past[at];
    for (int k = 0; k < q->inner && inner; k++) {
        x[n] = flx_quadrature_place(q, k);
        f[n++] = sign * inner[k * q->n + at];
    }
    if (!inner && !may_exceed(sim, i, sign, end)) return FLX_OK;
    for (int k = 1; k < 3 && !inner; k++) {
        x[n] = k / 3.0;
        FLX_TRY(look(&p, x[n], &f[n]));
        n++;
    }
    x[n] = 1.0;
    f[n++] = sign * end[at];
    return seek(&p, n, x, f);
}

// Extremes of measures within the step. Where contacts are met step by step, the ends are all there is.
static flx_status find_extremes(flx_simulation *sim, double from, double t, const double *inner,
                                const double *end)
{
    const flx_outputs *o = &sim->model->outputs;
    if (sim->sys->ops->touches && sim->it->type->meets_touches) return FLX_OK;
    for (int i = 0; i < o->nprobe && t > from; i++) {
        flx_measure_kind kind = o->probes[i].kind;
        if (kind != FLX_MEASURE_MAXIMUM && kind != FLX_MEASURE_MINIMUM) continue;
        if (sim->idle && sim->idle[i]) continue;
        FLX_TRY(
            find_extreme(sim, i, kind == FLX_MEASURE_MAXIMUM ? 1.0 : -1.0, from, t, inner, end));
    }
    return FLX_OK;
}

static bool is_at(double time, double t)
{
    return fabs(time - t) <= 1e-9 * fmax(fabs(t), DBL_MIN) || time == t;
}

// ---- measures that change faster than the motion ----------------------------------------------------

// A part of a step: its values at both ends and inside.
typedef struct part {
    double from, to;
    const double *begin, *inner, *end;
} part;

typedef struct halving {
    flx_simulation *sim;
    double h, tolerance;
    int parts;
} halving;

size_t flx_course_room(int n, int nprobe, int inner)
{
    return (size_t)(DEEPEST + 1) * (1 + 2 * (size_t)inner) * (size_t)n + 2 * (size_t)nprobe;
}

// Its course, -1: it is followed by none.
static int course_of(const flx_simulation *sim, int i)
{
    const flx_outputs *o = &sim->model->outputs;
    flx_measure_kind kind = o->probes[i].kind;
    bool idle = sim->idle && sim->idle[i];
    if (idle || kind == FLX_MEASURE_FINAL || kind == FLX_MEASURE_AT) return -1;
    return FIRST_PROBE + i + (kind == FLX_MEASURE_RMS ? o->nprobe : 0);
}

static double largest_of(const flx_simulation *sim, int i, int at)
{
    const flx_probe_value *v = &sim->probe_values[i];
    double most = fmax(fabs(v->low), fabs(v->high));
    return at == FIRST_PROBE + i ? most : most * most;
}

// Whether the polynomials of a measure through the places of the part do not lead through its middle.
static bool misses_middle(const flx_simulation *sim, const part *p, const double *middle)
{
    const flx_quadrature *q = &sim->course;
    double x[FLX_LOBATTO_INNER + 2] = {0.0}, f[FLX_LOBATTO_INNER + 2];
    int last = q->inner + 1;
    for (int k = 0; k < q->inner; k++) x[k + 1] = flx_quadrature_place(q, k);
    x[last] = 1.0;
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        int at = course_of(sim, i);
        if (at < 0) continue;
        f[0] = p->begin[at];
        for (int k = 0; k < q->inner; k++) f[k + 1] = p->inner[k * q->n + at];
        f[last] = p->end[at];
        double off = fabs(polynomial(last + 1, x, f, 0.5) - middle[at]);
        if (off > MISSES * largest_of(sim, i, at)) return true;
    }
    return false;
}

// All of a state but its switches, each number by some last digits of its own; k: another choice of signs.
static void shake(flx_state *x, int k)
{
    for (size_t i = 0; i < x->size; i++) {
        if (x->block + i == x->switches) return; // they are the last
        x->block[i] *= ((i + 1) * (size_t)(k + 1) / 2) % 2 ? 1.0 + LAST_DIGITS : 1.0 - LAST_DIGITS;
    }
}

// How far a value reaches over the part.
static double range_of(const flx_simulation *sim, const part *p, const part half[2], int at)
{
    size_t n = (size_t)sim->course.n;
    double low = fmin(p->begin[at], fmin(half[1].begin[at], p->end[at]));
    double high = fmax(p->begin[at], fmax(half[1].begin[at], p->end[at]));
    for (size_t k = 0; k < 2 * (size_t)sim->course.inner; k++) {
        double value = half[k % 2].inner[k / 2 * n + (size_t)at];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

// Whether a measure is rounding alone, as a residual is: then it has no course, and parts of a step are no smoother than it.
static flx_status is_rounding(flx_simulation *sim, const part *p, const part half[2], int i,
                              bool *out)
{
    double range = range_of(sim, p, half, FIRST_PROBE + i), change = 0.0;
    for (int k = 0; k < NEAR_STATES && !(change > ROUNDING * range); k++) {
        FLX_TRY(place_inner(sim, half[1].from));
        shake(sim->inner, k);
        FLX_TRY(flx_account_signals(&sim->probes, sim, sim->inner, sim->course.sum[DISSIPATED]));
        change = fmax(change, fabs(sim->probes.out[i] - half[1].begin[FIRST_PROBE + i]));
    }
    *out = change > ROUNDING * range;
    return FLX_OK;
}

// Whether the mean of a measure over the part is not that over its halves.
static flx_status is_rough(const halving *g, const part *p, const part half[2], bool *rough)
{
    flx_simulation *sim = g->sim;
    const flx_quadrature *q = &sim->course;
    double share = (p->to - p->from) / g->h;
    *rough = false;
    for (int i = 0; i < sim->model->outputs.nprobe && !*rough; i++) {
        int at = course_of(sim, i);
        if (at < 0) continue;
        bool rounding;
        double mean = flx_quadrature_mean(q, at, p->begin, p->inner, p->end), halves = 0.0;
        for (int k = 0; k < 2; k++)
            halves += 0.5 * flx_quadrature_mean(q, at, half[k].begin, half[k].inner, half[k].end);
        if (!(share * fabs(mean - halves) > g->tolerance * largest_of(sim, i, at))) continue;
        FLX_TRY(is_rounding(sim, p, half, i, &rounding));
        *rough = !rounding;
    }
    return FLX_OK;
}

static flx_status take_part(flx_simulation *sim, const part *p)
{
    FLX_TRY(find_extremes(sim, p->from, p->to, p->inner, p->end));
    flx_quadrature_step(&sim->course, p->to, p->inner, p->end);
    return FLX_OK;
}

static void keep_range(const flx_simulation *sim, double *range, bool back)
{
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        flx_probe_value *v = &sim->probe_values[i];
        double *low = range + 2 * i, *high = low + 1;
        *(back ? &v->low : low) = *(back ? low : &v->low);
        *(back ? &v->high : high) = *(back ? high : &v->high);
    }
}

static flx_status leave_whole(flx_simulation *sim, const part *p)
{
    FLX_TRY(flx_halves_note(sim->halves, sim->ctx, false));
    return take_part(sim, p);
}

static flx_status halve(halving *g, const part *p, int depth)
{
    flx_simulation *sim = g->sim;
    size_t n = (size_t)sim->course.n, inner = (size_t)sim->course.inner;
    double *middle = sim->course_parts + (size_t)depth * (1 + 2 * inner) * n, *first = middle + n;
    double *second = first + inner * n,
           *range = sim->course_parts + flx_course_room((int)n, 0, (int)inner) + n;
    double at = p->from + 0.5 * (p->to - p->from);
    bool takes = flx_halves_takes(sim->halves);
    bool last = takes ? !flx_halves_next(sim->halves)
                      : ++g->parts >= MOST_PARTS || !(at > p->from && at < p->to);
    if (last) return leave_whole(sim, p);
    if (depth == 0) keep_range(sim, range, false);
    FLX_TRY(place_inner(sim, at));
    FLX_TRY(observe_course(sim, sim->inner, middle));
    bool rough = takes || !sim->courses_settle || misses_middle(sim, p, middle);
    const part half[2] = {{p->from, at, p->begin, first, middle},
                          {at, p->to, middle, second, p->end}};
    if (rough) {
        FLX_TRY(observe_places(sim, p->from, at, first));
        FLX_TRY(observe_places(sim, at, p->to, second));
        if (!takes) FLX_TRY(is_rough(g, p, half, &rough));
    }
    if (!rough && depth == 0) keep_range(sim, range, true); // as if nobody had looked
    if (!takes && (!rough || depth == DEEPEST)) return leave_whole(sim, p);
    FLX_TRY(flx_halves_note(sim->halves, sim->ctx, true));
    for (int k = 0; k < 2; k++) FLX_TRY(halve(g, half + k, depth + 1));
    return FLX_OK;
}

// Of a step whose ends alone are known: whether its mean is not that of the polynomial through the ends before, for a corner
// or a jump between. sums (n): what the latter gives.
static bool is_rough_by_ends(const flx_simulation *sim, const part *p, const double *sums)
{
    const flx_quadrature *q = &sim->course;
    double h = p->to - p->from;
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        int at = course_of(sim, i);
        if (at < 0) continue;
        double mean = flx_quadrature_mean(q, at, p->begin, p->inner, p->end);
        if (fabs(sums[at] - q->sum[at] - h * mean) > BY_ENDS * h * largest_of(sim, i, at))
            return true;
    }
    return false;
}

// The same for methods without dense output, between the ends by Hermite's polynomial; powers stay those of the ends.
static flx_status follow_ends(flx_simulation *sim, const part *whole)
{
    flx_quadrature *q = &sim->course;
    bool steps = sim->sys->ops->touches && sim->it->type->meets_touches;
    bool takes = flx_halves_takes(sim->halves);
    steps = steps || (takes ? !flx_halves_any(sim->halves) : sim->sharp && !sim->halves);
    if (!sim->course_parts || sim->courses_settle || steps) return take_part(sim, whole);
    int none = q->inner;
    double *sums = sim->course_parts + flx_course_room(q->n, 0, FLX_LOBATTO_INNER),
           *range = sums + q->n;
    q->inner = FLX_LOBATTO_INNER;
    keep_range(sim, range, false);
    flx_quadrature_extend(q, whole->to, NULL, whole->end, sums);
    flx_status status = observe_places(sim, whole->from, whole->to, sim->course_inner);
    memcpy(sim->course_sum, whole->begin, (size_t)q->n * sizeof *whole->begin);
    part p = {whole->from, whole->to, sim->course_sum, sim->course_inner, whole->end};
    bool rough = status == FLX_OK && (takes || is_rough_by_ends(sim, &p, sums));
    halving g = {.sim = sim, .h = p.to - p.from, .tolerance = BY_ENDS};
    if (rough) status = halve(&g, &p, 0);
    q->inner = none;
    FLX_TRY(status);
    if (!rough) {
        keep_range(sim, range, true);
        return take_part(sim, whole);
    }
    memcpy(q->sum, sums, FIRST_PROBE * sizeof *sums);
    q->known = 1; // no polynomial through what is rough
    return FLX_OK;
}

// Integrals and extremes of a step: of runs that are differentiated by the parts that were noted.
static flx_status follow_step(flx_simulation *sim, const part *whole)
{
    FLX_TRY(flx_halves_step(sim->halves, sim->ctx));
    if (!whole->inner) return follow_ends(sim, whole);
    if (!sim->course_parts || (sim->sharp && !sim->halves)) return take_part(sim, whole);
    const flx_integrator_def *def = &sim->it->def;
    halving g = {.sim = sim, .h = whole->to - whole->from, .tolerance = MEAN};
    if (!(def->step > 0.0) && def->rtol > 0.0) g.tolerance = fmin(fmax(def->rtol, 1e-10), 1e-4);
    // the values before are overwritten as parts are taken
    memcpy(sim->course_sum, whole->begin, (size_t)sim->course.n * sizeof *whole->begin);
    part p = *whole;
    p.begin = sim->course_sum;
    FLX_TRY(halve(&g, &p, 0));
    if (g.parts < MOST_PARTS || sim->course_lost) return FLX_OK;
    sim->course_lost = true;
    flx_ctx_warn(
        sim->ctx, FLX_NOWHERE,
        "a metric of 'outputs' changes so fast within the step to t = %g that %d parts of it "
        "do not follow: means and extremes are rough there",
        whole->to, MOST_PARTS);
    return FLX_OK;
}

// Values at times that are asked for: at the end of the step, or inside it.
static flx_status find_at(flx_simulation *sim, double from, double t, const double *end)
{
    const flx_outputs *o = &sim->model->outputs;
    for (int i = 0; i < o->nprobe; i++) {
        double time = o->probes[i].time, *out = &sim->probe_values[i].at;
        if (o->probes[i].kind != FLX_MEASURE_AT || !isnan(*out)) continue;
        peak p = {sim, i, 1.0, from, t - from, 0};
        if (is_at(time, t)) {
            *out = end[FIRST_PROBE + i];
        } else if (time > from && time < t) {
            FLX_TRY(look(&p, (time - from) / p.h, out));
        }
    }
    return FLX_OK;
}

// ---- the run ------------------------------------------------------------------------------------

flx_status flx_account_start(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->probe_values[i] =
            (flx_probe_value){.low = HUGE_VAL, .high = -HUGE_VAL, .at = (double)NAN};
    memset(sim->course.sum, 0, (size_t)sim->course.n * sizeof *sim->course.sum);
    FLX_TRY(observe_course(sim, x, sim->course_value));
    flx_quadrature_start(&sim->course, x->t, sim->course_value);
    flx_halves_start(sim->halves);
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        if (is_at(sim->model->outputs.probes[i].time, x->t))
            sim->probe_values[i].at = sim->course_value[FIRST_PROBE + i];
    }
    return FLX_OK;
}

flx_status flx_account_step(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    const double *inner, *end = sim->course_value;
    if (!has_course(sim)) return FLX_OK;
    FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
    FLX_TRY(observe_course(sim, x, sim->course_value));
    sim->energy_turnover += (x->t - r->step_end) * fabs(end[SUPPLIED]);
    if (!(x->t > sim->course.times[0])) return FLX_OK;
    FLX_TRY(find_at(sim, r->step_end, x->t, end));
    const part step = {r->step_end, x->t, sim->course.past, inner, end};
    bool acted = step.begin[DISSIPATED] != 0.0, split = acted != (end[DISSIPATED] != 0.0);
    bool met = sim->sys->ops->touches && sim->it->type->meets_touches;
    double sum = sim->course.sum[DISSIPATED];
    split = split && sim->powered && !inner && !sim->sharp && !met;
    FLX_TRY(follow_step(sim, &step));
    if (flx_method_of(sim->it)->rates_jumped || split) sim->course.known = 1;
    if (split) {
        FLX_TRY(flx_account_split_power(sim, step.from, step.to, acted, &sum));
        sim->course.sum[DISSIPATED] = sum;
    }
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->probe_values[i].last = end[FIRST_PROBE + i];
    return FLX_OK;
}

flx_status flx_account_jump(flx_simulation *sim, const flx_state *after)
{
    if (!has_course(sim)) return FLX_OK;
    FLX_TRY(observe_course(sim, after, sim->course_value));
    flx_quadrature_jump(&sim->course, after->t, sim->course_value);
    return FLX_OK;
}

flx_status flx_account_crumb(run *r, const flx_state *x)
{
    flx_quadrature *c = &r->sim->course;
    double h = x->t - r->step_end;
    r->step_end = x->t;
    if (!has_course(r->sim)) return FLX_OK;
    for (int i = 0; i < c->n; i++) c->sum[i] += h * c->past[i];
    return flx_account_jump(r->sim, x);
}

double flx_course_dissipated(const flx_simulation *sim, double by_powers)
{
    return by_powers + (sim->it ? flx_integrator_statistics(sim->it)->lost_in_contacts : 0.0);
}

double flx_course_supplied(const flx_simulation *sim)
{
    return sim->course.sum[SUPPLIED] +
           (sim->it ? flx_method_of(sim->it)->supplied_in_impacts : 0.0);
}

flx_status flx_account_dissipated(run *r, const flx_state *x, double *out)
{
    flx_simulation *sim = r->sim;
    const double *inner;
    *out = flx_course_dissipated(sim, sim->course.sum[DISSIPATED]);
    if (!sim->powered || !sim->shows_dissipated || !(x->t > r->step_end)) return FLX_OK;
    FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
    FLX_TRY(observe_course(sim, x, sim->course_value));
    flx_quadrature_extend(&sim->course, x->t, inner, sim->course_value, sim->course_sum);
    *out = flx_course_dissipated(sim, sim->course_sum[DISSIPATED]);
    return FLX_OK;
}
