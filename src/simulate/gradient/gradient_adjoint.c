// gradient_adjoint.c - (SEN-2) along the steps of a run: weights of metrics are carried back from the end, a factorisation per
// step, and a solve per step and metric. Parameters meet them at last, so that any number of them costs little.
//
// A metric is an expression of single measures of probes, and these are sums over points of the run: final values, integrals,
// means and means of squares. The points are the ends of steps and, of methods with polynomials of their own, places inside.
// Extremes lie where parameters move them, and are left to gradient_direct.c.
#include "simulate/gradient/gradient_adjoint.h"

#include "base/arrays.h"
#include "expr/program.h"
#include "integrate/method.h"

#include <math.h>
#include <string.h>

#define MOST_CLOSED 60    // coordinates, where `auto` takes weights through joints that are closed
#define STATE_PART 3e-4   // steps of differences of probes by states, as parts of their scales
#define BENT 3e-5         // of slopes, that two distances may be apart; else they are tried nearer,
#define NEARER 0.1        // ... so much,
#define NEARER_LOOKS 9    // ... so often at most, while that is
#define HALF 0.5          // ... so much better,
#define NO_POLYNOMIAL 0.1 // ... or nothing is known of the slope
#define ROUNDING 1e-11    // of values, below which a difference is none
#define LOST 1e-6         // of the largest slope, from which on it is told that digits are
#define LOOK_PART 1e-3    // ... to see whether there is any,
#define LOOK_TURN 0.618   // and by how much these differ

// Which ends of a step are moved. One alone shows positions that velocities between the ends are made of.
static const bool both[2] = {true, true}, one[2] = {true, false};

// ---- measures -----------------------------------------------------------------------------------

// Whether it is a value inside a step.
static bool is_inside(flx_measure_kind kind)
{
    return kind == FLX_MEASURE_MAXIMUM || kind == FLX_MEASURE_MINIMUM || kind == FLX_MEASURE_AT;
}

// What is dissipated is an integral along the run, which no state knows.
static bool is_dissipated(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == flx_leaf_make(FLX_LEAF_ENERGY, 0, FLX_ENERGY_DISSIPATED);
}

static bool reads_past(const flx_model *m, int i)
{
    return flx_graph_depends(m->graph, m->outputs.probes[i].node, is_dissipated, NULL);
}

// Points inside steps, where joints are closed, are differentiated by all positions and velocities: that is for small systems.
static bool bears_inside(const gradient *g)
{
    const flx_dims *d = &g->run->sim->sys->dims;
    return flx_slopes_has_inside(g->sl) && (d->nlam == 0 || d->nv <= MOST_CLOSED);
}

// ... and those between the ends of a step, where it was halved.
static bool bears_between(const gradient *g)
{
    const flx_dims *d = &g->run->sim->sys->dims;
    return !flx_halves_cut(&g->halves) || d->nlam == 0 || d->nv <= MOST_CLOSED;
}

bool flx_gradient_has_adjoint(const gradient *g)
{
    const flx_simulation *sim = g->run->sim;
    const flx_outputs *o = &sim->model->outputs;
    bool inside = sim->course.inner == 0 ? bears_between(g) : bears_inside(g);
    if (g->def->noutput * g->def->ntime > 0 || !inside) return false;
    for (int i = 0; i < o->nprobe; i++) {
        if (!flx_gradient_reads(g, i)) continue;
        if (is_inside(o->probes[i].kind) || reads_past(sim->model, i)) return false;
    }
    return true;
}

static flx_status refuse_inside(const flx_adjoint *a)
{
    const gradient *g = a->g;
    if (g->def->noutput > 0 && g->def->ntime > 0) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "outputs at given times have no adjoint: take 'direct'");
    }
    if (a->inner > 0 && !flx_slopes_has_inside(a->sl)) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "measures inside steps have no adjoint: take 'direct'");
    }
    return FLX_OK;
}

static flx_status refuse_extremes(const flx_adjoint *a)
{
    const gradient *g = a->g;
    const flx_outputs *o = &g->run->sim->model->outputs;
    for (int i = 0; i < o->nprobe; i++) {
        if (!flx_gradient_reads(g, i)) continue;
        if (reads_past(g->run->sim->model, i)) {
            return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                            "what is dissipated is an integral along the run, which no state "
                            "knows, and has no adjoint: take 'direct'");
        }
        if (!is_inside(o->probes[i].kind)) continue;
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "extremes, and values at a time, lie inside steps and have no adjoint: "
                        "take 'direct'");
    }
    return FLX_OK;
}

// At the state of a point as place_point has it, which is changed: joints are closed.
flx_status flx_adjoint_observe(const flx_adjoint *a, flx_simulation *sim, int point, flx_state *x,
                               double *out)
{
    flx_method *m = flx_method_of(sim->it);
    if (a->inner > 0 && a->place[point] > 0.0) FLX_TRY(flx_slopes_close(a->sl, sim->it, x));
    if (flx_adjoint_is_between(a, point) && m->close) FLX_TRY(m->close(sim->it, x));
    flx_account_forget(sim);
    FLX_TRY(flx_account_signals(&sim->probes, sim, x, 0.0));
    memcpy(out, sim->probes.out, (size_t)a->nprobe * sizeof *out);
    return FLX_OK;
}

static double measure(const flx_adjoint *a, int i)
{
    const gradient *g = a->g;
    double sum = 0.0, squares = 0.0, T = g->times[g->n - 1] - g->times[0];
    for (int k = 0; k < points_of(a); k++) {
        double y = a->probe[k * a->nprobe + i];
        sum += a->rule[k] * y;
        squares += a->rule[k] * y * y;
    }
    switch (g->run->sim->model->outputs.probes[i].kind) {
    case FLX_MEASURE_INTEGRAL:
        return sum;
    case FLX_MEASURE_MEAN:
        return sum / T;
    case FLX_MEASURE_RMS:
        return sqrt(fmax(squares, 0.0) / T);
    default:
        return a->probe[(points_of(a) - 1) * a->nprobe + i];
    }
}

// How measure i changes with its probe at point k.
double flx_adjoint_weight(const flx_adjoint *a, int i, int k, double value)
{
    const gradient *g = a->g;
    double T = g->times[g->n - 1] - g->times[0], y = a->probe[k * a->nprobe + i];
    switch (g->run->sim->model->outputs.probes[i].kind) {
    case FLX_MEASURE_INTEGRAL:
        return a->rule[k];
    case FLX_MEASURE_MEAN:
        return a->rule[k] / T;
    case FLX_MEASURE_RMS:
        return value > 0.0 ? a->rule[k] * y / (T * value) : 0.0;
    default:
        return k == points_of(a) - 1 ? 1.0 : 0.0;
    }
}

// Metrics by single measures, and by parameters themselves.
static flx_status differentiate_metrics(flx_adjoint *a, double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    const flx_system *s = sim->sys;
    const flx_program *program = sim->plan->measure_program;
    int np = g->def->nparam, nmetric = sim->model->outputs.nmetric, n = a->nprobe + s->nparameter;
    size_t room = (size_t)(n + nmetric + flx_program_slope_scratch(program));
    double *along = flx_alloc(g->ctx, room, sizeof *along), *in = sim->measure_in;
    if (!along) return FLX_ERR_MEMORY;
    double *by = along + n, *scratch = by + nmetric;
    for (int i = 0; i < a->nprobe; i++) in[i] = measure(a, i);
    for (int k = 0; k < s->nparameter; k++) in[a->nprobe + k] = s->param[s->first_parameter + k];
    for (int i = 0; i < a->nprobe + np; i++) {
        int at = i < a->nprobe ? i : a->nprobe + g->def->param[i - a->nprobe];
        along[at] = 1.0;
        flx_program_slope(program, in, along, scratch, sim->metrics, by);
        along[at] = 0.0;
        for (int j = 0; j < a->m; j++) {
            double d = by[g->def->metric[j]];
            *(i < a->nprobe ? a->by + j * a->nprobe + i : slope + j * np + i - a->nprobe) += d;
        }
    }
    flx_free(along);
    return FLX_OK;
}

// ---- probes by states -----------------------------------------------------------------------------

static void set_steps(flx_adjoint *a)
{
    const flx_system *s = a->g->run->sim->sys;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < a->nchange; i++) {
        flx_unknown u = {.scale = 1.0};
        if (i < 3 * d->nv) s->ops->unknown(s, i % (d->nv > 0 ? d->nv : 1), &u);
        a->step[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
}

// Those from `from` to before `to` that any of three points shows: all are moved at once, and halves of them where something is
// seen. No two by the same part, as a probe may be their difference.
static flx_status find_reach_between(flx_adjoint *a, const int points[3], int more, int from,
                                     int to)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    bool any = false;
    for (int k = 0; k < 3 && !any; k++) {
        memset(a->change, 0, (size_t)a->nchange * sizeof *a->change);
        for (int i = from; i < to; i++)
            a->change[i] = LOOK_PART * a->step[i] * (1.0 + fmod(LOOK_TURN * i, 1.0));
        flx_adjoint_place_moved(a, points[k], a->change, 1.0, one);
        FLX_TRY(flx_adjoint_observe(a, sim, points[k], g->moved, a->slopes));
        for (int j = 0; j < a->nprobe; j++)
            any = any || a->slopes[j] != a->probe[points[k] * a->nprobe + j];
    }
    if (!any) return FLX_OK;
    if (to - from == 1) {
        a->reach[more][a->nreach[more]++] = from;
        return FLX_OK;
    }
    int middle = from + (to - from) / 2;
    FLX_TRY(find_reach_between(a, points, more, from, middle));
    return find_reach_between(a, points, more, middle, to);
}

// The point inside a step that is nearest to this one; -1: there is none.
static int nearest_inside(const flx_adjoint *a, int point)
{
    for (int k = 1; k < a->points; k++) {
        if (point + k < a->points && a->place[point + k] > 0.0) return point + k;
        if (point >= k && a->place[point - k] > 0.0) return point - k;
    }
    return -1;
}

// Changes of states that probes depend on: seen at some points. Inside, joints that are closed make it all of them.
static flx_status find_reach(flx_adjoint *a, bool inside)
{
    int step = steps_of(a);
    int points[3] = {0, point_of(a, step / 2), point_of(a, step)};
    for (int k = 0; k < 3 && inside; k++) {
        points[k] = nearest_inside(a, points[k]);
        if (points[k] < 0) return FLX_OK;
    }
    return a->nchange > 0 ? find_reach_between(a, points, inside, 0, a->nchange) : FLX_OK;
}

// How far a change is moved: between ends positions make velocities, by the length of the step.
static double reach_of(const flx_adjoint *a, int point, int at)
{
    const gradient *g = a->g;
    const flx_dims *d = &g->run->sim->sys->dims;
    bool moves = at < d->nv || (at >= 3 * d->nv && at < 3 * d->nv + d->nx);
    if (!moves || !flx_adjoint_is_between(a, point)) return a->step[at];
    int i = a->node[point];
    return a->step[at] * fmin(1.0, g->times[i + 1] - g->times[i]);
}

// Probes at four points about the state, e apart, into a->slopes + nprobe.
static flx_status look_about(flx_adjoint *a, int point, int at, double e, const bool moves[2])
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    double *y = a->slopes + a->nprobe;
    for (int l = 0; l < FLX_FIVE_POINTS; l++, y += a->nprobe) {
        double by = flx_five_places[l] * e;
        if (a->place[point] > 0.0) {
            flx_adjoint_place_moved(a, point, a->change, by, moves);
        } else {
            flx_slopes_move_one(sim->sys, g->from, at, by, a->change, g->moved);
        }
        FLX_TRY(flx_adjoint_observe(a, sim, point, g->moved, y));
    }
    return FLX_OK;
}

// How far differences over twice the distance are from those over once of it, as a part of them; what is rounding is none.
static double bend_of(const flx_adjoint *a, int point, const double *measures)
{
    const double *y = a->slopes + a->nprobe;
    double worst = 0.0;
    int n = a->nprobe;
    for (int i = 0; i < n; i++) {
        if (flx_adjoint_weight(a, i, point, measures[i]) == 0.0) continue;
        double near = y[2 * n + i] - y[n + i], far = 0.5 * (y[3 * n + i] - y[i]);
        double size = fmax(fabs(near), fabs(far)), noise = fabs(y[i]) + fabs(y[3 * n + i]);
        if (size > ROUNDING * noise) worst = fmax(worst, fabs(far - near) / size);
    }
    return worst;
}

static double five_points(const flx_adjoint *a, int i, double e)
{
    double slope = 0.0;
    for (int l = 0; l < FLX_FIVE_POINTS; l++)
        slope += flx_five_weights[l] / e * a->slopes[(l + 1) * a->nprobe + i];
    return slope;
}

// How far slopes are off: of those that were found nearer, where rounding counts, by what they are at last, ten times as near.
static void note_rough(flx_adjoint *a, int point, int at, double last, const double *measures)
{
    double size = 0.0, off = 0.0;
    for (int i = 0; i < a->nprobe; i++) {
        if (flx_adjoint_weight(a, i, point, measures[i]) == 0.0) continue;
        size = fmax(size, fabs(a->slopes[i]));
        if (last > 0.0) off = fmax(off, fabs(five_points(a, i, last) - a->slopes[i]));
    }
    a->largest = fmax(a->largest, size * a->step[at]);
    a->rough = fmax(a->rough, NEARER * off * a->step[at]);
}

// Slopes of probes by one change of the state into a->slopes: at a distance where they are those of a polynomial, as where parts are
// stiff.
static flx_status differ(flx_adjoint *a, int point, int at, const bool moves[2],
                         const double *measures)
{
    double e = STATE_PART * reach_of(a, point, at), least = HUGE_VAL;
    int k = 0;
    memset(a->change, 0, (size_t)a->nchange * sizeof *a->change);
    a->change[at] = 1.0;
    for (; k < NEARER_LOOKS && least > BENT; k++, e *= NEARER) {
        FLX_TRY(look_about(a, point, at, e, moves));
        double bend = bend_of(a, point, measures);
        bool better = k == 0 || bend < HALF * least;
        if (!better && least < NO_POLYNOMIAL) break; // what is left is rounding
        if (!better) continue;
        least = bend;
        for (int i = 0; i < a->nprobe; i++) a->slopes[i] = five_points(a, i, e);
    }
    bool nearer = k > 1;
    if (nearer && least <= BENT) FLX_TRY(look_about(a, point, at, e, moves));
    note_rough(a, point, at, nearer ? e : 0.0, measures);
    return FLX_OK;
}

// Adds what the metrics weigh of the change of the state at a point, or of one or both of the ends that it lies between, to weights
// (m nchange).
static flx_status weigh_by(flx_adjoint *a, int point, const bool moves[2], const double *measures,
                           double *weights)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    int kind = a->place[point] > 0.0 ? 1 : 0;
    bool none = true;
    for (int i = 0; i < a->nprobe; i++)
        none = none && flx_adjoint_weight(a, i, point, measures[i]) == 0.0;
    if (none) return FLX_OK;
    if (kind == 0) { // the ends of steps are the most: moved one by one
        flx_gradient_node(g, a->node[point], g->from);
        flx_state_copy(g->moved, g->from);
        g->moved->t = g->from->t;
    }
    for (int c = 0; c < a->nreach[kind]; c++) {
        int at = a->reach[kind][c];
        FLX_TRY(differ(a, point, at, moves, measures));
        if (kind == 0) flx_slopes_move_one(sim->sys, g->from, at, 0.0, a->change, g->moved);
        for (int j = 0; j < a->m; j++) {
            for (int i = 0; i < a->nprobe; i++)
                weights[j * a->nchange + at] += a->by[j * a->nprobe + i] *
                                                flx_adjoint_weight(a, i, point, measures[i]) *
                                                a->slopes[i];
        }
    }
    return FLX_OK;
}

static flx_status weigh_point(flx_adjoint *a, int point, const double *measures, double *weights)
{
    memset(weights, 0, (size_t)(a->m * a->nchange) * sizeof *weights);
    return weigh_by(a, point, both, measures, weights);
}

// The same at a node, with what points between it and the next one weigh.
static flx_status weigh_node(flx_adjoint *a, int node, const double *measures, double *weights)
{
    FLX_TRY(weigh_point(a, point_of(a, node), measures, weights));
    for (int i = 0; i < a->m * a->nchange; i++) weights[i] += a->begin[i];
    memset(a->begin, 0, (size_t)(a->m * a->nchange) * sizeof *a->begin);
    return FLX_OK;
}

// The end of a step, and points inside: weights of these, or of both ends.
static flx_status weigh_step(flx_adjoint *a, int i, const double *measures)
{
    static const bool begin[2] = {true, false}, end[2] = {false, true};
    size_t all = (size_t)a->m * (size_t)a->nchange;
    FLX_TRY(weigh_node(a, i + 1, measures, a->weights));
    for (int point = point_of(a, i) + 1; point < point_of(a, i + 1); point++) {
        if (flx_adjoint_is_between(a, point)) {
            FLX_TRY(weigh_by(a, point, begin, measures, a->begin));
            FLX_TRY(weigh_by(a, point, end, measures, a->weights));
        } else {
            FLX_TRY(weigh_point(a, point, measures,
                                a->weights + (size_t)(point - point_of(a, i)) * all));
        }
    }
    return FLX_OK;
}

// Of an event: weights of the state after it (m nchange), then of its time (m).
double *flx_adjoint_crossing(const flx_adjoint *a, const flx_gradient_jump *jump)
{
    size_t i = (size_t)(jump - a->g->jumps), n = (size_t)a->m * ((size_t)a->nchange + 1);
    return a->crossings + i * n;
}

// Over an event: what the state after it weighs, and, by integrals, its time.
static flx_status carry_over(flx_adjoint *a, const flx_gradient_jump *jump, const double *measures)
{
    gradient *g = a->g;
    const flx_outputs *o = &g->run->sim->model->outputs;
    double *kept = flx_adjoint_crossing(a, jump), *by_time = kept + a->m * a->nchange;
    const double *before = a->probe + (size_t)point_of(a, jump->node) * (size_t)a->nprobe;
    const double *after = a->probe + (size_t)point_of(a, jump->node + 1) * (size_t)a->nprobe;
    double T = g->times[g->n - 1] - g->times[0];
    FLX_TRY(weigh_node(a, jump->node + 1, measures, a->weights));
    for (int j = 0; j < a->m; j++) {
        flx_slopes_change_t(a->sl, a->weights + j * a->nchange, a->w + (size_t)j * (size_t)a->size);
        by_time[j] = 0.0;
        for (int i = 0; i < a->nprobe; i++) {
            double part = before[i] - after[i], by = a->by[j * a->nprobe + i];
            flx_measure_kind kind = o->probes[i].kind;
            if (kind == FLX_MEASURE_INTEGRAL) by_time[j] += by * part;
            if (kind == FLX_MEASURE_MEAN) by_time[j] += by * part / T;
            if (kind == FLX_MEASURE_RMS && measures[i] > 0.0)
                by_time[j] += by * part * (before[i] + after[i]) / (2.0 * T * measures[i]);
        }
    }
    memcpy(kept, a->w, (size_t)(a->m * a->nchange) * sizeof *kept);
    return flx_gradient_cross_back(g, jump, a->m, kept, by_time, a->w);
}

static flx_status carry_back(flx_adjoint *a, const double *measures)
{
    gradient *g = a->g;
    size_t all = (size_t)a->m * (size_t)a->nchange;
    for (int i = a->to - 1; i >= a->from; i--) {
        const flx_gradient_jump *jump = flx_gradient_jump_at(g, i);
        if (jump) {
            FLX_TRY(carry_over(a, jump, measures));
            continue;
        }
        FLX_TRY(weigh_step(a, i, measures));
        flx_state from, to;
        flx_gradient_ends(g, i, &from, &to);
        FLX_TRY(flx_slopes_open(a->sl, &from, &to, flx_gradient_record(g, i), true));
        for (int j = 0; j < a->m; j++) {
            double *eta =
                a->eta + ((size_t)(i - a->from) * (size_t)a->m + (size_t)j) * (size_t)a->n;
            double *w = a->w + (size_t)j * (size_t)a->size;
            flx_slopes_change_t(a->sl, a->weights + j * a->nchange, w);
            int inside = a->inner > 0 ? point_of(a, i + 1) - point_of(a, i) - 1 : 0;
            for (int k = 1; k <= inside; k++) {
                flx_slopes_weigh_inside(a->sl, a->place[point_of(a, i) + k],
                                        a->weights + (size_t)k * all + j * a->nchange);
            }
            FLX_TRY(flx_slopes_adjoint(a->sl, w, eta));
        }
    }
    return a->from == 0 ? weigh_node(a, 0, measures, a->first) : FLX_OK;
}

// Stretch by stretch, parameters meet the weights.
static flx_status carry_all(flx_adjoint *a, const double *measures, double *slope)
{
    gradient *g = a->g;
    for (int last = steps_of(a); last > 0; last = a->from) {
        flx_gradient_stretch(g, last - 1, &a->from, &a->to);
        flx_gradient_rates_take(a->rates, a->from, a->to);
        FLX_TRY(carry_back(a, measures));
        FLX_TRY(flx_adjoint_meet(a, measures, slope));
        if (g->lost != FLX_OK) return g->lost;
    }
    return FLX_OK;
}

// ---- all of it ------------------------------------------------------------------------------------

static flx_status make(flx_adjoint *a)
{
    gradient *g = a->g;
    const flx_system *s = g->run->sim->sys;
    a->sl = g->sl;
    a->m = g->def->nmetric;
    a->nprobe = g->run->sim->model->outputs.nprobe;
    a->size = flx_slopes_size(a->sl);
    a->nchange = flx_slopes_change_size(s);
    a->n = flx_slopes_rows(a->sl);
    a->inner = g->run->sim->course.inner;
    a->nu = (size_t)flx_dims_unknowns(&s->dims);
    size_t m = (size_t)a->m, steps = (size_t)flx_gradient_most_steps(g);
    size_t probes = (size_t)a->nprobe;
    FLX_TRY(flx_adjoint_lay_out(a));
    size_t inner = (size_t)a->most_inner;
    const flx_array arrays[] = {
        FLX_ARRAY(a->by, m * probes),
        FLX_ARRAY(a->w, m * (size_t)a->size),
        FLX_ARRAY(a->eta, steps * m * (size_t)a->n),
        FLX_ARRAY(a->first, m * (size_t)a->nchange),
        FLX_ARRAY(a->reach[0], a->nchange),
        FLX_ARRAY(a->reach[1], a->nchange),
        FLX_ARRAY(a->weights, (1 + inner) * m * (size_t)a->nchange),
        FLX_ARRAY(a->begin, m * (size_t)a->nchange),
        FLX_ARRAY(a->change, a->nchange),
        FLX_ARRAY(a->step, a->nchange),
        FLX_ARRAY(a->z, a->size),
        FLX_ARRAY(a->rp, steps * (size_t)a->n),
        FLX_ARRAY(a->start_eta, FLX_SLOPES_INSTANTS * m * a->nu),
        FLX_ARRAY(a->start_rp, FLX_SLOPES_INSTANTS * a->nu),
        FLX_ARRAY(a->crossings, (size_t)g->njump * m * ((size_t)a->nchange + 1)),
        FLX_ARRAY(a->parts, m * (size_t)g->def->nparam),
        FLX_ARRAY(a->before, m * (size_t)g->def->nparam),
        FLX_ARRAY(a->slopes, (1 + FLX_FIVE_POINTS) * probes)};
    a->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return a->block ? flx_gradient_rates_create(g, (int)steps, &a->rates) : FLX_ERR_MEMORY;
}

static flx_status find(flx_adjoint *a, double *slope)
{
    gradient *g = a->g;
    FLX_TRY(make(a));
    FLX_TRY(refuse_inside(a));
    for (int i = 0; i < points_of(a); i++) {
        flx_adjoint_place(a, i, g->from);
        FLX_TRY(flx_adjoint_observe(a, g->run->sim, i, g->from,
                                    a->probe + (size_t)i * (size_t)a->nprobe));
    }
    FLX_TRY(differentiate_metrics(a, slope));
    FLX_TRY(refuse_extremes(a));
    double *measures = g->run->sim->measure_in; // as differentiate_metrics left them
    set_steps(a);
    FLX_TRY(find_reach(a, false));
    FLX_TRY(find_reach(a, true));
    return carry_all(a, measures, slope);
}

// Large parts that cancel, as of reactions of stiff parts, leave of a slope what their digits are worth.
static flx_status judge(const flx_adjoint *a, const double *slope)
{
    gradient *g = a->g;
    int np = g->def->nparam;
    double rough = a->largest > 0.0 ? a->rough / a->largest : 0.0;
    for (int j = 0; j < a->m; j++) {
        double most = 0.0, lost = 0.0;
        for (int k = 0; k < np; k++) {
            double size = flx_gradient_reach(g, k, 1.0);
            most = fmax(most, fabs(slope[j * np + k]) * size);
            lost = fmax(lost, rough * a->parts[j * np + k] * size);
        }
        if (!(lost > LOST * most)) continue;
        if (g->def->method == FLX_GRADIENT_AUTO && g->nmark == 0) return FLX_SINGULAR;
        flx_ctx_warn(g->ctx, FLX_NOWHERE,
                     "slopes of metric '%s' by 'adjoint' are good to %.1g of the largest alone: "
                     "what is weighed of the states is far larger and cancels, as where stiff "
                     "parts carry forces; take 'direct'",
                     g->run->sim->model->outputs.metrics[g->def->metric[j]].name, lost / most);
    }
    return FLX_OK;
}

flx_status flx_gradient_adjoint(gradient *g, double *slope)
{
    flx_adjoint a = {.g = g};
    flx_status status = find(&a, slope);
    if (status == FLX_OK) status = judge(&a, slope);
    flx_status end = flx_gradient_end(g);
    if (status == FLX_OK) status = end;
    flx_gradient_rates_destroy(&a.rates);
    flx_gradient_groups_destroy(&a.groups);
    for (int i = 0; i < FLX_SLOPES_INSTANTS; i++) flx_state_destroy(&a.instants.at[i]);
    for (int k = 0; k < 2; k++) flx_state_destroy(&a.ends[k]);
    flx_free(a.points_block);
    flx_free(a.block);
    return status;
}
