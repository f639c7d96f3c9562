// gradient_adjoint.c - (SEN-2) along the steps of a run: weights of metrics are carried back from the end, a factorisation per
// step, and a solve per step and metric. Parameters meet them at last, so that any number of them costs little.
//
// A metric is an expression of single measures of probes, and these are sums over the ends of steps: final values, integrals,
// means and means of squares. Extremes lie inside steps, and are left to gradient_direct.c.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"
#include "expr/program.h"

#include <math.h>
#include <string.h>

#define STATE_PART 1e-4 // steps of differences of probes by states, as parts of their scales
#define LOOK_PART 1e-3  // ... to see whether there is any
#define START_PART 1e-3
#define PROBE_PART 1e-3
#define MEASURE_PART 1e-4

typedef struct adjoint {
    gradient *g;
    flx_slopes *sl; // owned
    int m, nprobe, size, nchange, n;
    double *probe; // (nodes nprobe) values
    double *rule;  // (nodes) weights of the ends of steps in an integral
    double *by;    // (m nprobe) slopes of metrics by single measures
    double *w;     // (m size)
    double *eta;   // (steps m n)
    double *first; // (m nchange) by the state at the start
    int *reach;    // (nchange) changes of states that probes depend on
    int nreach;
    double *change, *z, *out, *step; // (nchange) (size) (n) (nchange) scratch, sizes of steps
    double *slopes;                  // (nprobe) of one change
    void *block;
} adjoint;

static int steps_of(const adjoint *a)
{
    return a->g->n - 1;
}

// ---- measures -----------------------------------------------------------------------------------

// Whether it is a value inside a step.
static bool is_inside(flx_measure_kind kind)
{
    return kind == FLX_MEASURE_MAXIMUM || kind == FLX_MEASURE_MINIMUM || kind == FLX_MEASURE_AT;
}

bool flx_gradient_has_adjoint(const gradient *g)
{
    const flx_outputs *o = &g->run->sim->model->outputs;
    if (g->def->noutput * g->def->ntime > 0 || g->run->sim->course.inner > 0) return false;
    for (int i = 0; i < o->nprobe; i++) {
        flx_measure_kind kind = o->probes[i].kind;
        if (is_inside(kind)) return false;
    }
    return true;
}

static flx_status refuse(const adjoint *a)
{
    const gradient *g = a->g;
    const flx_outputs *o = &g->run->sim->model->outputs;
    if (g->def->noutput > 0 && g->def->ntime > 0) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "outputs at given times have no adjoint: take 'direct'");
    }
    if (g->run->sim->course.inner > 0) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "measures inside steps have no adjoint: take 'direct'");
    }
    for (int i = 0; i < o->nprobe; i++) {
        flx_measure_kind kind = o->probes[i].kind;
        if (!is_inside(kind)) continue;
        bool used = false;
        for (int j = 0; j < a->m; j++) used = used || a->by[j * a->nprobe + i] != 0.0;
        if (!used) continue;
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "extremes, and values at a time, lie inside steps and have no adjoint: "
                        "take 'direct'");
    }
    return FLX_OK;
}

static flx_status observe(const adjoint *a, flx_simulation *sim, const flx_state *x, double *out)
{
    flx_account_forget(sim);
    FLX_TRY(flx_account_signals(&sim->probes, sim, x, 0.0));
    memcpy(out, sim->probes.out, (size_t)a->nprobe * sizeof *out);
    return FLX_OK;
}

// Weights of the ends of steps in an integral: those of each step's polynomial, found with courses that are 1 at one end.
static flx_status find_rule(adjoint *a)
{
    gradient *g = a->g;
    const flx_quadrature *course = &g->run->sim->course;
    enum { ENDS = FLX_QUADRATURE_PAST + 1 };
    flx_quadrature q = {0};
    FLX_TRY(flx_quadrature_create(g->ctx, ENDS, 0, course->most, &q));
    for (int i = 1; i < g->n; i++) {
        double end[ENDS] = {1.0}, weights[ENDS] = {0.0};
        memset(q.sum, 0, ENDS * sizeof *q.sum);
        memset(q.past, 0, (size_t)FLX_QUADRATURE_PAST * ENDS * sizeof *q.past);
        q.known = i < q.most ? i : q.most;
        for (int k = 0; k < q.known; k++) {
            q.times[k] = g->times[i - 1 - k];
            q.past[k * ENDS + k + 1] = 1.0;
        }
        flx_quadrature_extend(&q, g->times[i], NULL, end, weights);
        for (int k = 0; k <= q.known; k++) a->rule[i - k] += weights[k];
    }
    flx_quadrature_clear(&q);
    return FLX_OK;
}

static double measure(const adjoint *a, int i)
{
    const gradient *g = a->g;
    double sum = 0.0, squares = 0.0, T = g->times[g->n - 1] - g->times[0];
    for (int k = 0; k < g->n; k++) {
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
        return a->probe[(g->n - 1) * a->nprobe + i];
    }
}

// How measure i changes with its probe at node k.
static double weight(const adjoint *a, int i, int k, double value)
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
        return k == g->n - 1 ? 1.0 : 0.0;
    }
}

// Metrics by single measures, and by parameters themselves.
static flx_status differentiate_metrics(adjoint *a, double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    const flx_system *s = sim->sys;
    int np = g->def->nparam;
    double *in = sim->measure_in;
    for (int i = 0; i < a->nprobe; i++) in[i] = measure(a, i);
    for (int k = 0; k < s->nparameter; k++) in[a->nprobe + k] = s->param[s->first_parameter + k];
    for (int i = 0; i < a->nprobe + np; i++) {
        int at = i < a->nprobe ? i : a->nprobe + g->def->param[i - a->nprobe];
        double kept = in[at], e = MEASURE_PART * (kept != 0.0 ? fabs(kept) : 1.0);
        for (int l = 0; l < FLX_GRADIENT_POINTS; l++) {
            in[at] = kept + flx_gradient_places[l] * e;
            flx_program_eval(sim->plan->measure_program, in, sim->measure_scratch, sim->metrics);
            for (int j = 0; j < a->m; j++) {
                double d = flx_gradient_weights[l] / e * sim->metrics[g->def->metric[j]];
                *(i < a->nprobe ? a->by + j * a->nprobe + i : slope + j * np + i - a->nprobe) += d;
            }
        }
        in[at] = kept;
    }
    // what a metric does not contain leaves rounding
    for (int j = 0; j < a->m; j++) {
        for (int i = 0; i < a->nprobe; i++) {
            double *by = a->by + j * a->nprobe + i;
            if (fabs(*by * in[i]) < 1e-11 * fabs(g->value[j])) *by = 0.0;
        }
    }
    return FLX_OK;
}

// ---- probes by states -----------------------------------------------------------------------------

static void set_steps(adjoint *a)
{
    const flx_system *s = a->g->run->sim->sys;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < a->nchange; i++) {
        flx_unknown u = {.scale = 1.0};
        if (i < 3 * d->nv) s->ops->unknown(s, i % (d->nv > 0 ? d->nv : 1), &u);
        a->step[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
}

// Changes of states that probes depend on: seen at some nodes.
static flx_status find_reach(adjoint *a)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    const int nodes[3] = {0, g->n / 2, g->n - 1};
    for (int i = 0; i < a->nchange; i++) {
        bool any = false;
        for (int k = 0; k < 3 && !any; k++) {
            memset(a->change, 0, (size_t)a->nchange * sizeof *a->change);
            a->change[i] = LOOK_PART * a->step[i];
            flx_gradient_node(g, nodes[k], g->from);
            flx_slopes_move(sim->sys, g->from, a->change, 1.0, g->moved);
            g->moved->t = g->from->t;
            FLX_TRY(observe(a, sim, g->moved, a->slopes));
            for (int j = 0; j < a->nprobe; j++)
                any = any || a->slopes[j] != a->probe[nodes[k] * a->nprobe + j];
        }
        if (any) a->reach[a->nreach++] = i;
    }
    return FLX_OK;
}

// What the metrics weigh at node k, added to w, or to `first` at the start.
static flx_status weigh_node(adjoint *a, int k, const double *measures)
{
    gradient *g = a->g;
    flx_simulation *sim = g->run->sim;
    bool none = true;
    for (int i = 0; i < a->nprobe; i++) none = none && weight(a, i, k, measures[i]) == 0.0;
    if (none) return FLX_OK;
    flx_gradient_node(g, k, g->from);
    for (int c = 0; c < a->nreach; c++) {
        int at = a->reach[c];
        double e = STATE_PART * a->step[at], *y = a->slopes + a->nprobe;
        memset(a->slopes, 0, (size_t)a->nprobe * sizeof *a->slopes);
        memset(a->change, 0, (size_t)a->nchange * sizeof *a->change);
        a->change[at] = 1.0;
        for (int l = 0; l < FLX_GRADIENT_POINTS; l++) {
            flx_slopes_move(sim->sys, g->from, a->change, flx_gradient_places[l] * e, g->moved);
            g->moved->t = g->from->t;
            FLX_TRY(observe(a, sim, g->moved, y));
            for (int i = 0; i < a->nprobe; i++) a->slopes[i] += flx_gradient_weights[l] / e * y[i];
        }
        for (int j = 0; j < a->m; j++) {
            double sum = 0.0;
            for (int i = 0; i < a->nprobe; i++)
                sum += a->by[j * a->nprobe + i] * weight(a, i, k, measures[i]) * a->slopes[i];
            a->change[at] = sum;
            if (k == 0) {
                a->first[j * a->nchange + at] += sum;
            } else {
                flx_slopes_change_t(a->sl, a->change, a->w + (size_t)j * (size_t)a->size);
            }
        }
    }
    return FLX_OK;
}

static flx_status carry_back(adjoint *a, const double *measures)
{
    gradient *g = a->g;
    for (int i = steps_of(a) - 1; i >= 0; i--) {
        FLX_TRY(weigh_node(a, i + 1, measures));
        flx_gradient_node(g, i, g->from);
        flx_gradient_node(g, i + 1, g->to);
        FLX_TRY(flx_slopes_open(a->sl, g->from, g->to, NULL, true));
        for (int j = 0; j < a->m; j++) {
            double *eta = a->eta + ((size_t)i * (size_t)a->m + (size_t)j) * (size_t)a->n;
            FLX_TRY(flx_slopes_adjoint(a->sl, a->w + (size_t)j * (size_t)a->size, eta));
        }
    }
    return weigh_node(a, 0, measures);
}

// ---- parameters -----------------------------------------------------------------------------------

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// What parameter k does by the residuals of all steps, and by the probes themselves.
static flx_status meet_steps(adjoint *a, int k, double by, const double *measures, double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->twin->sim;
    const flx_system *s = sim->sys;
    int np = g->def->nparam;
    for (int i = 0; i < g->n; i++) {
        flx_gradient_node(g, i, g->to);
        FLX_TRY(observe(a, sim, g->to, a->slopes));
        for (int j = 0; j < a->m; j++) {
            for (int r = 0; r < a->nprobe; r++) {
                slope[j * np + k] +=
                    by * a->by[j * a->nprobe + r] * weight(a, r, i, measures[r]) * a->slopes[r];
            }
        }
        if (i == 0) continue;
        flx_gradient_node(g, i - 1, g->from);
        flx_point p = flx_slopes_point(a->sl, g->from, g->to, NULL, 0);
        p.param = s->param;
        FLX_TRY(s->ops->residual(s, sim->work, &p, a->out));
        const double *eta = a->eta + (size_t)(i - 1) * (size_t)a->m * (size_t)a->n;
        for (int j = 0; j < a->m; j++) slope[j * np + k] -= by * dot(a->out, eta + j * a->n, a->n);
    }
    return FLX_OK;
}

static flx_status meet_start(adjoint *a, int k, double by, double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->twin->sim;
    int np = g->def->nparam;
    flx_gradient_node(g, 0, g->from);
    flx_slopes_between(sim->sys, g->from, sim->state, a->change);
    FLX_TRY(flx_slopes_start(a->sl, sim->it, sim->state, g->times[1] - g->times[0], a->z));
    memcpy(a->z, a->change, (size_t)sim->sys->dims.nv * sizeof *a->z);
    for (int j = 0; j < a->m; j++) {
        slope[j * np + k] += by * dot(a->z, a->w + (size_t)j * (size_t)a->size, a->size);
        slope[j * np + k] += by * dot(a->change, a->first + j * a->nchange, a->nchange);
    }
    return FLX_OK;
}

static flx_status meet_parameters(adjoint *a, const double *measures, double *slope)
{
    gradient *g = a->g;
    for (int k = 0; k < g->def->nparam; k++) {
        double part;
        FLX_TRY(flx_gradient_choose_part(g, a->sl, k, &part));
        double e = flx_gradient_reach(g, k, part);
        for (int l = 0; l < FLX_GRADIENT_POINTS; l++) {
            FLX_TRY(flx_gradient_shift(g, k, flx_gradient_places[l] * e));
            FLX_TRY(meet_steps(a, k, flx_gradient_weights[l] / e, measures, slope));
            FLX_TRY(meet_start(a, k, flx_gradient_weights[l] / e, slope));
        }
    }
    return FLX_OK;
}

// ---- all of it ------------------------------------------------------------------------------------

static flx_status make(adjoint *a)
{
    gradient *g = a->g;
    const flx_system *s = g->run->sim->sys;
    FLX_TRY(flx_slopes_create(g->run->sim->it, &a->sl));
    a->m = g->def->nmetric;
    a->nprobe = g->run->sim->model->outputs.nprobe;
    a->size = flx_slopes_size(a->sl);
    a->nchange = flx_slopes_change_size(s);
    a->n = flx_dims_unknowns(&s->dims);
    size_t m = (size_t)a->m, nodes = (size_t)g->n, probes = (size_t)a->nprobe;
    const flx_array arrays[] = {FLX_ARRAY(a->probe, nodes * probes),
                                FLX_ARRAY(a->rule, nodes),
                                FLX_ARRAY(a->by, m * probes),
                                FLX_ARRAY(a->w, m * (size_t)a->size),
                                FLX_ARRAY(a->eta, nodes * m * (size_t)a->n),
                                FLX_ARRAY(a->first, m * (size_t)a->nchange),
                                FLX_ARRAY(a->reach, a->nchange),
                                FLX_ARRAY(a->change, a->nchange),
                                FLX_ARRAY(a->step, a->nchange),
                                FLX_ARRAY(a->z, a->size),
                                FLX_ARRAY(a->out, a->n),
                                FLX_ARRAY(a->slopes, 2 * probes)};
    a->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return a->block ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status find(adjoint *a, double *slope)
{
    gradient *g = a->g;
    FLX_TRY(make(a));
    for (int i = 0; i < g->n; i++) {
        flx_gradient_node(g, i, g->from);
        FLX_TRY(observe(a, g->run->sim, g->from, a->probe + (size_t)i * (size_t)a->nprobe));
    }
    FLX_TRY(find_rule(a));
    FLX_TRY(differentiate_metrics(a, slope));
    FLX_TRY(refuse(a));
    double *measures = g->run->sim->measure_in; // as differentiate_metrics left them
    set_steps(a);
    FLX_TRY(find_reach(a));
    FLX_TRY(carry_back(a, measures));
    return meet_parameters(a, measures, slope);
}

flx_status flx_gradient_adjoint(gradient *g, double *slope)
{
    adjoint a = {.g = g};
    flx_status status = find(&a, slope);
    flx_slopes_destroy(&a.sl);
    flx_free(a.block);
    return status;
}
