// course_halves.c - measures that change faster than the motion: steps are halved where their means are not those of their halves.
#include "integrate/method.h"
#include "simulate/course/course_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DISSIPATED = FLX_COURSE_DISSIPATED, FIRST_PROBE = FLX_COURSE_PROBES };

// Means are found to this part of the largest value where no tolerance is asked for.
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

static bool any_course(const flx_simulation *sim)
{
    bool any = false;
    for (int i = 0; i < sim->model->outputs.nprobe && !any; i++) any = course_of(sim, i) >= 0;
    return any;
}

static double largest_of(const flx_simulation *sim, int i, int at)
{
    const flx_probe_value *v = &sim->probe_values[i];
    double most = fmax(fabs(v->low), fabs(v->high));
    return at == FIRST_PROBE + i ? most : most * most;
}

// Whether the polynomials of a measure through the places of the part do not lead through its middle.
static bool misses_middle(const flx_simulation *sim, const flx_course_part *p, const double *middle)
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
        double off = fabs(flx_course_polynomial(last + 1, x, f, 0.5) - middle[at]);
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
static double range_of(const flx_simulation *sim, const flx_course_part *p,
                       const flx_course_part half[2], int at)
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
static flx_status is_rounding(flx_simulation *sim, const flx_course_part *p,
                              const flx_course_part half[2], int i, bool *out)
{
    double range = range_of(sim, p, half, FIRST_PROBE + i), change = 0.0;
    for (int k = 0; k < NEAR_STATES && !(change > ROUNDING * range); k++) {
        FLX_TRY(flx_course_place(sim, half[1].from));
        shake(sim->inner, k);
        FLX_TRY(flx_account_signals(&sim->probes, sim, sim->inner,
                                    flx_course_dissipated_at(sim, sim->inner->t)));
        change = fmax(change, fabs(sim->probes.out[i] - half[1].begin[FIRST_PROBE + i]));
    }
    *out = change > ROUNDING * range;
    return FLX_OK;
}

// Whether the mean of a measure over the part is not that over its halves.
static flx_status is_rough(const halving *g, const flx_course_part *p,
                           const flx_course_part half[2], bool *rough)
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

static flx_status take_part(flx_simulation *sim, const flx_course_part *p)
{
    FLX_TRY(flx_course_find_extremes(sim, p->from, p->to, p->inner, p->end));
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

static flx_status leave_whole(flx_simulation *sim, const flx_course_part *p)
{
    FLX_TRY(flx_halves_note(sim->halves, sim->ctx, false));
    return take_part(sim, p);
}

static flx_status halve(halving *g, const flx_course_part *p, int depth)
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
    FLX_TRY(flx_course_place(sim, at));
    FLX_TRY(flx_course_observe(sim, sim->inner, middle));
    bool rough = takes || !sim->courses_settle || misses_middle(sim, p, middle);
    const flx_course_part half[2] = {{p->from, at, p->begin, first, middle},
                                     {at, p->to, middle, second, p->end}};
    if (rough) {
        FLX_TRY(flx_course_observe_places(sim, p->from, at, first));
        FLX_TRY(flx_course_observe_places(sim, at, p->to, second));
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
static bool is_rough_by_ends(const flx_simulation *sim, const flx_course_part *p,
                             const double *sums)
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
static flx_status follow_ends(flx_simulation *sim, const flx_course_part *whole)
{
    flx_quadrature *q = &sim->course;
    bool steps = sim->sys->ops->touches && sim->it->type->meets_touches;
    bool takes = flx_halves_takes(sim->halves);
    steps = steps || (takes ? !flx_halves_any(sim->halves) : sim->sharp && !sim->halves);
    if (!sim->course_parts || sim->courses_settle || steps || !any_course(sim))
        return take_part(sim, whole);
    int none = q->inner;
    bool powered = sim->powered;
    double *sums = sim->course_parts + flx_course_room(q->n, 0, FLX_LOBATTO_INNER),
           *range = sums + q->n;
    q->inner = FLX_LOBATTO_INNER;
    sim->powered = false;
    keep_range(sim, range, false);
    flx_quadrature_extend(q, whole->to, NULL, whole->end, sums);
    flx_status status = flx_course_observe_places(sim, whole->from, whole->to, sim->course_inner);
    memcpy(sim->course_sum, whole->begin, (size_t)q->n * sizeof *whole->begin);
    flx_course_part p = {whole->from, whole->to, sim->course_sum, sim->course_inner, whole->end};
    bool rough = status == FLX_OK && (takes || is_rough_by_ends(sim, &p, sums));
    halving g = {.sim = sim, .h = p.to - p.from, .tolerance = BY_ENDS};
    bool was = flx_course_close_along(sim, sim->sharp || rough);
    if (rough && !was)
        status = flx_course_observe_places(sim, whole->from, whole->to, sim->course_inner);
    if (rough && status == FLX_OK) status = halve(&g, &p, 0);
    flx_course_close_along(sim, was);
    q->inner = none;
    sim->powered = powered;
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
flx_status flx_course_follow_step(flx_simulation *sim, const flx_course_part *whole)
{
    FLX_TRY(flx_halves_step(sim->halves, sim->ctx));
    if (!whole->inner) return follow_ends(sim, whole);
    if (!sim->course_parts || (sim->sharp && !sim->halves) || !any_course(sim))
        return take_part(sim, whole);
    const flx_integrator_def *def = &sim->it->def;
    halving g = {.sim = sim, .h = whole->to - whole->from, .tolerance = MEAN};
    if (!(def->step > 0.0) && def->rtol > 0.0) g.tolerance = fmin(fmax(def->rtol, 1e-10), 1e-4);
    // the values before are overwritten as parts are taken
    memcpy(sim->course_sum, whole->begin, (size_t)sim->course.n * sizeof *whole->begin);
    flx_course_part p = *whole;
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
