// gradient_points.c - the points of a run that its integrals are sums over, with their weights: ends of steps, and places inside
// these, where the method has polynomials of its own or the run has halved a step for its measures.
#include "simulate/gradient/gradient_adjoint.h"

#include "base/arrays.h"
#include "integrate/method.h"

#include <string.h>

typedef struct layout {
    flx_adjoint *a;
    flx_quadrature q; // of one course
    int step, count;  // points so far
    bool fills;       // else they are counted
} layout;

// A point at `place` of the step; the end of the step is the next node.
static void add_point(layout *l, double place)
{
    flx_adjoint *a = l->a;
    if (l->fills) {
        a->node[l->count] = l->step;
        a->place[l->count] = place;
    }
    l->count++;
}

static void weigh(layout *l, int point, double weight)
{
    if (l->fills) l->a->rule[point] += weight;
}

// A part of the step, whose first point is the last that was added.
static void add_part(layout *l, double from, double to)
{
    const gradient *g = l->a->g;
    flx_quadrature *q = &l->q;
    double width = (to - from) * (g->times[l->step + 1] - g->times[l->step]);
    double value[FLX_LOBATTO_INNER + 2] = {0.0};
    int first = l->count - 1, n = q->inner;
    for (int k = 0; k < n; k++) add_point(l, from + (to - from) * flx_quadrature_place(q, k));
    if (to < 1.0) add_point(l, to);
    for (int k = 0; k < n + 2; k++) { // the begin, those inside, the end
        value[k] = 1.0;
        weigh(l, first + k, width * flx_quadrature_mean(q, 0, value, value + 1, value + n + 1));
        value[k] = 0.0;
    }
}

static void add_parts(layout *l, double from, double to)
{
    if (!flx_halves_next(&l->a->g->halves)) {
        add_part(l, from, to);
        return;
    }
    double middle = from + 0.5 * (to - from);
    add_parts(l, from, middle);
    add_parts(l, middle, to);
}

// Weights of a step by the polynomial through the ends of `known` steps before its own, found with courses that are 1 at one of
// them.
static flx_status weigh_ends(layout *l, int known)
{
    enum { ALL = FLX_QUADRATURE_PAST + 1 };
    flx_adjoint *a = l->a;
    const gradient *g = a->g;
    flx_quadrature q = {0};
    double end[ALL] = {1.0}, weights[ALL] = {0.0};
    FLX_TRY(flx_quadrature_create(g->ctx, ALL, 0, g->run->sim->course.most, &q));
    q.known = known < q.most ? known : q.most;
    for (int k = 0; k < q.known; k++) {
        q.times[k] = g->times[l->step - k];
        q.past[k * ALL + k + 1] = 1.0;
    }
    flx_quadrature_extend(&q, g->times[l->step + 1], NULL, end, weights);
    for (int k = 0; k <= q.known; k++) a->rule[a->at_node[l->step + 1 - k]] += weights[k];
    flx_quadrature_clear(&q);
    return FLX_OK;
}

// All points in their order; counted at first.
static flx_status lay_out(layout *l)
{
    flx_adjoint *a = l->a;
    gradient *g = a->g;
    int begin = 0; // of what the polynomials of ends go through
    flx_halves_start(&g->halves);
    l->count = 0;
    for (int i = 0; i < g->n; i++) {
        l->step = i;
        if (l->fills) a->at_node[i] = l->count;
        add_point(l, 0.0);
        if (i + 1 == g->n) break;
        if (l->fills) a->at_node[i + 1] = l->count; // unless points come between
        if (flx_gradient_jump_at(g, i)) begin = i + 1;
        if (begin == i + 1 || !(g->times[i + 1] > g->times[i])) continue;
        FLX_TRY(flx_halves_step(&g->halves, g->ctx));
        bool any = flx_halves_any(&g->halves);
        int count = l->count;
        l->q.inner = a->inner > 0 ? a->inner : FLX_LOBATTO_INNER;
        if (any || a->inner > 0) {
            add_parts(l, 0.0, 1.0);
            if (a->inner == 0) begin = i + 1; // no polynomial through what is rough
        } else if (l->fills) {
            FLX_TRY(weigh_ends(l, i + 1 - begin));
        }
        if (flx_halves_anew(&g->halves, false)) begin = i + 1;
        if (l->count - count > a->most_inner) a->most_inner = l->count - count;
    }
    return FLX_OK;
}

flx_status flx_adjoint_lay_out(flx_adjoint *a)
{
    layout l = {.a = a, .q = {.n = 1}};
    FLX_TRY(lay_out(&l));
    a->points = l.count;
    size_t n = (size_t)l.count;
    const flx_array arrays[] = {FLX_ARRAY(a->rule, n), FLX_ARRAY(a->place, n),
                                FLX_ARRAY(a->probe, n * (size_t)a->nprobe), FLX_ARRAY(a->node, n),
                                FLX_ARRAY(a->at_node, (size_t)a->g->n)};
    a->points_block = flx_alloc_arrays(a->g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!a->points_block) return FLX_ERR_MEMORY;
    for (int k = 0; k < 2 && a->inner == 0; k++)
        FLX_TRY(flx_state_create(a->g->run->sim->sys, &a->ends[k]));
    l.fills = true;
    return lay_out(&l);
}

// Between the ends of a step, as the method does without polynomials of its own.
static void place_between(const flx_adjoint *a, double place, flx_state *x)
{
    const gradient *g = a->g;
    const flx_method *m = flx_method_of(g->run->sim->it);
    double t0 = a->ends[0]->t, t1 = a->ends[1]->t;
    flx_hermite(g->run->sim->sys, a->ends[0], a->ends[1], t0 + place * (t1 - t0), m->theta, m->rate,
                x);
}

void flx_adjoint_place(const flx_adjoint *a, int point, flx_state *x)
{
    gradient *g = a->g;
    int node = a->node[point];
    bool inside = a->place[point] > 0.0;
    flx_gradient_node(g, node, !inside ? x : a->inner > 0 ? g->to : a->ends[0]);
    if (!inside) return;
    if (a->inner > 0) {
        flx_slopes_inside(a->sl, g->to, flx_gradient_record(g, node), a->place[point], x);
    } else {
        flx_gradient_node(g, node + 1, a->ends[1]);
        place_between(a, a->place[point], x);
    }
}

void flx_adjoint_place_moved(const flx_adjoint *a, int point, const double *change, double e,
                             const bool moves[2])
{
    gradient *g = a->g;
    const flx_system *s = g->run->sim->sys;
    if (!flx_adjoint_is_between(a, point)) {
        flx_adjoint_place(a, point, g->from);
        flx_slopes_move(s, g->from, change, e, g->moved);
        g->moved->t = g->from->t;
        return;
    }
    for (int k = 0; k < 2; k++) {
        flx_gradient_node(g, a->node[point] + k, g->from);
        flx_slopes_move(s, g->from, change, moves[k] ? e : 0.0, a->ends[k]);
        a->ends[k]->t = g->from->t;
    }
    place_between(a, a->place[point], g->moved);
}
