// inverse.c - inversion on a grid: rest at the ends, the slow path between as a guess, then all nodes at once.
#include "analyse/grid/inverse_parts.h"

#include "analyse/grid/backward.h"
#include "base/log.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

#define AS_DRAWN 1e-9 // of what is wanted first, m or rad
#define LAYER 3.0     // nodes within the time in which a zero decays
#define MOST_STEPS 5000.0
#define MOST 40         // iterations
#define MARGIN 17.0     // of the slowest zero: e^-17 = 4e-8
#define MOST_ZEROS 400  // unknowns of a node, above which zeros are not sought
#define MOST_NODES 2e7  // unknowns
#define WAY 32          // positions at rest on the way to the end
#define PARTS 64        // of the way from the drawn position to the first wanted one
#define COARSE 100.0    // nodes of a motion, of which each is at rest in the first guess
#define MOST_STRIDE 8.0 // ... of more nodes one of so many
#define FINER 1.25      // steps that are tried

static flx_status no_memory(flx_ctx *ctx)
{
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

static const flx_grid_weight *weight_of(const flx_inverse_search *f)
{
    return f->nin > f->nout ? &f->least : NULL;
}

// ---- rest ----------------------------------------------------------------------------------------------

// Outputs go from where they are to where they are wanted in parts.
static flx_status approach(flx_inverse_search *f, flx_grid_report *report)
{
    flx_grid *g = f->one;
    int nw = f->s->dims.nw, rows = g->total_rows;
    double *miss = flx_alloc(f->ctx, (size_t)(nw + rows), sizeof *miss), *r = miss + nw;
    if (!miss) return FLX_ERR_MEMORY;
    flx_status status = flx_grid_residual(g, r);
    for (int k = 0; k < nw; k++) { // the row is held - (output - wanted)
        if (g->role[k] == FLX_GRID_OUTPUT)
            miss[k] = -r[g->row_of[f->s->dims.nv + f->s->dims.nx + k]];
    }
    double done = 0.0, part = 1.0 / 8;
    while (status == FLX_OK && done < 1.0) {
        double next = fmin(done + part, 1.0);
        for (int k = 0; k < nw; k++) g->held[k] = (1.0 - next) * miss[k];
        double *keep = flx_alloc(f->ctx, (size_t)f->s->dims.nq, sizeof *keep);
        if (!keep) status = FLX_ERR_MEMORY;
        if (status == FLX_OK) {
            memcpy(keep, g->q, (size_t)f->s->dims.nq * sizeof *keep);
            status = flx_grid_solve(g, weight_of(f), MOST, report);
            if (status == FLX_OK) {
                done = next;
            } else if (status > 0 && part > 1.0 / PARTS) {
                memcpy(g->q, keep, (size_t)f->s->dims.nq * sizeof *keep);
                part *= 0.5;
                status = FLX_OK;
            }
        }
        flx_free(keep);
    }
    memset(g->held, 0, (size_t)nw * sizeof *g->held);
    flx_free(miss);
    return status;
}

// The node comes to rest at the clock of t, from where it is.
static flx_status rest_at(flx_inverse_search *f, double t, bool first)
{
    flx_grid_report report;
    f->one->begin = t;
    flx_status status = FLX_NO_CONVERGENCE;
    size_t n = (size_t)f->s->dims.nq;
    double *keep = flx_alloc(f->ctx, n, sizeof *keep);
    if (!keep) return FLX_ERR_MEMORY;
    memcpy(keep, f->one->q, n * sizeof *keep);
    status = flx_grid_solve(f->one, weight_of(f), MOST, &report);
    if (status > 0 && first) {
        memcpy(f->one->q, keep, n * sizeof *keep);
        status = approach(f, &report);
    }
    flx_free(keep);
    return status == FLX_OK ? FLX_OK : flx_inverse_refuse_rest(f, t, status, &report);
}

// ---- zeros -----------------------------------------------------------------------------------------------

// Rest at the other end, wherever the constraints lead.
static bool rolls_to_rest(const flx_inverse_search *f)
{
    return flx_inverse_rolls(f) &&
           (f->def->kind == FLX_INVERSE_BOUNDED || f->def->kind == FLX_INVERSE_RIGID);
}

static flx_status begin_as_drawn(flx_inverse_search *f)
{
    flx_grid *g = f->one;
    const flx_dims *d = &f->s->dims;
    double *r = flx_alloc(f->ctx, (size_t)g->total_rows, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    flx_status status = flx_grid_residual(g, r);
    for (int k = 0; k < d->nw && status == FLX_OK; k++) {
        double miss = g->role[k] == FLX_GRID_OUTPUT ? r[g->row_of[d->nv + d->nx + k]] : 0.0;
        if (fabs(miss) <= AS_DRAWN) continue;
        flx_unknown u;
        flx_inverse_name(f, k, &u);
        status =
            FLX_FAIL(f->ctx, FLX_ERR_MODEL, u.loc,
                     "the output '%s' is %.6g away from where it is wanted first: with "
                     "constraints on velocities the motion begins in the initial configuration",
                     u.item ? u.item : "?", fabs(miss));
    }
    flx_free(r);
    return status;
}

static flx_status find_zeros(flx_inverse_search *f, int end)
{
    flx_zeros *z = f->out->zeros + end;
    if (flx_dims_unknowns(&f->s->dims) > MOST_ZEROS) return FLX_OK;
    flx_status status = flx_zeros_find(f->one, f->out->arena, z);
    if (status < 0) return status;
    if (status == FLX_OK && z->unreached >= 0) return flx_inverse_refuse_unreached(f, z->unreached);
    f->out->zeros_known = status == FLX_OK && f->nin == f->nout;
    return FLX_OK;
}

// The zero that grows most in differences of order 4 with steps h, or NULL.
static bool find_growing(const flx_inverse_search *f, double h, double span, double zero[2])
{
    double most = 0.0;
    for (int k = 0; k < 2; k++) {
        const flx_zeros *z = f->out->zeros + k;
        for (int i = 0; i < z->n; i++) {
            double size = hypot(z->re[i], z->im[i]);
            if (z->im[i] < 0.0 || size <= most) continue;
            if (!flx_backward_grows(4, h, (int)fmin(ceil(span / h), 1e6), z->re[i], z->im[i]))
                continue;
            most = size;
            zero[0] = z->re[i];
            zero[1] = z->im[i];
        }
    }
    return most > 0.0;
}

// Between nodes: a 300th of the motion; a fast zero is a boundary layer that needs nodes of its own, and one that
// decays must not grow by the differences.
static double step_of(const flx_inverse_search *f)
{
    double span = f->def->until - f->def->from, h = span / 300.0;
    if (f->def->step > 0.0) return f->def->step;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < f->out->zeros[k].n; i++) {
            double size = fabs(f->out->zeros[k].re[i]);
            if (size * LAYER * h > 1.0) h = 1.0 / (LAYER * size);
        }
    }
    double least = span / MOST_STEPS, zero[2];
    bool ahead = f->def->kind == FLX_INVERSE_CAUSAL && f->out->zeros_known && f->def->order != 2;
    while (ahead && h > least && find_growing(f, h, span, zero)) h /= FINER;
    return fmax(h, least);
}

// Forward integration by differences of order 4 makes some zeros grow that decay; those of order 2 none.
static flx_status choose_order(flx_inverse_search *f, double span)
{
    flx_inverse *o = f->out;
    double none[2];
    f->order = o->order = f->def->order > 0 ? f->def->order : 4;
    if (f->def->kind != FLX_INVERSE_CAUSAL || f->order == 2 || !o->zeros_known) return FLX_OK;
    if (!find_growing(f, f->h, span, o->grows)) return FLX_OK;
    for (o->bears = f->h; find_growing(f, o->bears, span, none) && o->bears > 1e-6 * f->h;)
        o->bears /= FINER;
    if (f->def->order == 0) {
        f->order = o->order = 2;
        return FLX_OK;
    }
    return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "in steps of %.3g s differences of order 4 make the zero %.6g +- %.6gi 1/s "
                    "grow, which decays: take steps of %.3g s, or `order: 2`",
                    f->h, o->grows[0], o->grows[1], o->bears);
}

static double margin_of(const flx_inverse_search *f)
{
    const flx_inverse *o = f->out;
    if (f->def->margin >= 0.0) return f->def->margin;
    if (f->def->kind == FLX_INVERSE_RIGID || f->def->kind == FLX_INVERSE_QUASISTATIC) return 0.0;
    if (f->def->kind == FLX_INVERSE_CAUSAL) return 0.0;
    double slowest = 0.0;
    for (int k = 0; k < 2; k++) {
        double s = o->zeros[k].slowest;
        if (s > 0.0 && (slowest == 0.0 || s < slowest)) slowest = s;
    }
    return slowest > 0.0 ? MARGIN / slowest : 0.0;
}

// ---- grids -------------------------------------------------------------------------------------------------

static flx_status make_grid(const flx_inverse_search *f, const flx_state *x, int order, bool open,
                            const signed char *fixed, int nodes, double begin, flx_grid **out)
{
    const flx_grid_def def = {.order = order,
                              .nodes = nodes,
                              .begin = begin,
                              .step = f->h,
                              .from = f->def->from,
                              .until = f->def->until,
                              .open = open,
                              .backward = order > 0 && f->def->kind == FLX_INVERSE_CAUSAL,
                              .rolls = order > 0 && rolls_to_rest(f),
                              .role = f->def->role,
                              .fixed = fixed};
    return flx_grid_create(f->s, x, &def, out);
}

// All nodes, the ghosts among them, at rest where the outputs are wanted; of many nodes along the motion each `stride`-th, and
// straight lines between them.
static flx_status fill_slow_path(flx_inverse_search *f, flx_grid *g, int stride)
{
    bool keeps = f->stiffness != NULL;
    double last = (double)NAN;
    int known = 0;
    for (int n = -g->left; n < g->nodes + g->right; n++) {
        double t = flx_grid_clock(g, n);
        bool between = n > 0 && n + 1 < g->nodes && !(flx_grid_clock(g, n + 1) == t) &&
                       !(t == last) && n - known < stride;
        if (between && !keeps) continue;
        if (!(t == last)) FLX_TRY(rest_at(f, t, n == -g->left));
        last = t;
        flx_grid_copy_node(g, n, f->one, 0);
        if (n - known > 1) flx_grid_fill_between(g, known, n);
        if (n >= 0) known = n;
        if (keeps)
            FLX_TRY(flx_grid_stiffness(f->one,
                                       f->stiffness + (size_t)(n + g->left) * (size_t)f->nstiff));
    }
    return FLX_OK;
}

// ---- kinds ---------------------------------------------------------------------------------------------------

static flx_status solve(flx_inverse_search *f, const flx_grid_weight *weight)
{
    flx_status status = flx_grid_solve(f->out->grid, weight, MOST, &f->out->report);
    return status == FLX_OK ? FLX_OK : flx_inverse_refuse_solution(f, status);
}

static flx_status solve_least_energy(flx_inverse_search *f)
{
    flx_grid *g = f->out->grid;
    size_t n = (size_t)(g->nodes + g->left + g->right) * (size_t)f->s->dims.nq;
    double *rest = flx_arena_take(f->out->arena, n, sizeof *rest);
    if (!rest) return no_memory(f->ctx);
    memcpy(rest, g->q, n * sizeof *rest);
    flx_grid_weight w = {.q_rest = rest,
                         .stiffness = f->stiffness,
                         .diagonal = f->nin > f->nout ? f->diagonal : NULL};
    return solve(f, &w);
}

// v and v' of positions that are found, by differences of order 4 in the chart, of order 2 beside the ends; at these v is
// that of order 2, and v' stays.
static void follow_positions(flx_grid *g)
{
    static const double c[2][2] = {{8.0 / 12, -1.0 / 12}, {0.5, 0.0}}; // of theta_j - theta_-j
    static const double k[2][2] = {{16.0 / 12, -1.0 / 12}, {1.0, 0.0}};
    int nv = g->s->dims.nv, last = g->nodes - 1;
    for (int n = 0; n <= last; n++) {
        double *v = g->v + (ptrdiff_t)n * nv, *a = g->a + (ptrdiff_t)n * nv, h = g->step;
        int inside = n < last - n ? n : last - n, low = inside < 2, reach = inside < 2 ? inside : 2;
        if (last < 2) return;
        memset(v, 0, (size_t)nv * sizeof *v);
        if (reach > 0) memset(a, 0, (size_t)nv * sizeof *a);
        for (int j = reach > 0 ? -reach : -2; j <= (reach > 0 ? reach : 2); j++) {
            if (j == 0 || n + j < 0 || n + j > last) continue;
            int by = j < 0 ? -j : j;
            g->s->ops->difference(g->s, flx_grid_q(g, n), flx_grid_q(g, n + j), g->theta);
            double side = j < 0 ? -1.0 : 1.0, end = by == 1 ? 2.0 : -0.5;
            for (int i = 0; i < nv; i++) {
                v[i] += side * (reach > 0 ? c[low][by - 1] : end) / h * g->theta[i];
                if (reach > 0) a[i] += k[low][by - 1] / (h * h) * g->theta[i];
            }
        }
    }
}

// The elastic coordinates under the inertia of the rigid motion, their own rates left out (INV-4). What is given out moves as
// its positions do: feedback of joints compares rates, too.
static flx_status solve_quasistatic(flx_inverse_search *f, const flx_state *x, int nodes,
                                    double begin)
{
    flx_grid *rigid = f->out->grid, *slow = NULL;
    size_t n = (size_t)nodes * (size_t)f->s->dims.nv;
    FLX_TRY(solve(f, weight_of(f)));
    f->out->stages = f->out->report.iterations;
    FLX_TRY(make_grid(f, x, 0, false, NULL, nodes, begin, &slow));
    for (int k = 0; k < nodes; k++) {
        flx_grid_move(rigid, k);
        flx_grid_copy_node(slow, k, rigid, k);
    }
    memcpy(slow->v, rigid->v, n * sizeof *slow->v);
    memcpy(slow->a, rigid->a, n * sizeof *slow->a);
    flx_grid_destroy(&f->out->grid);
    f->out->grid = slow;
    FLX_TRY(solve(f, weight_of(f)));
    if (f->s->dims.nv > 0) follow_positions(slow);
    return FLX_OK;
}

// One step of Newton's method with the other order shows how far the inputs of the two are apart.
static flx_status compare_orders(flx_inverse_search *f, const flx_state *x)
{
    flx_grid *g = f->out->grid, *other = NULL;
    const flx_dims *d = &f->s->dims;
    bool ahead =
        f->def->kind == FLX_INVERSE_CAUSAL && f->order == 4; // order 2 bears what order 4 does
    bool known = f->nin == f->nout && (ahead || f->def->kind == FLX_INVERSE_BOUNDED);
    if (!known) return FLX_OK;
    FLX_TRY(make_grid(f, x, g->order == 4 ? 2 : 4, false, NULL, g->nodes, g->begin, &other));
    for (int n = -other->left; n < g->nodes + other->right; n++) {
        int last = g->nodes + g->right - 1, from = n < -g->left ? -g->left : n > last ? last : n;
        flx_grid_copy_node(other, n, g, from);
    }
    flx_grid_report report;
    flx_status status = flx_grid_solve(other, NULL, 1, &report);
    flx_grid_end_rest(other);
    double *differ = flx_arena_take(f->out->arena, (size_t)d->nw, sizeof *differ);
    if (!differ) status = FLX_ERR_MEMORY;
    for (int n = 0; differ && n < g->nodes; n++) {
        for (int k = 0; k < d->nw; k++) {
            if (f->def->role[k] != FLX_GRID_INPUT) continue;
            differ[k] = fmax(differ[k], fabs(other->w[n * d->nw + k] - g->w[n * d->nw + k]));
        }
    }
    flx_grid_destroy(&other);
    if (status < 0) return status;
    bool finite = true;
    for (int k = 0; k < d->nw; k++) finite = finite && isfinite(differ[k]);
    if (finite && report.iterations > 0) f->out->differ = differ;
    return FLX_OK;
}

// ---- together ----------------------------------------------------------------------------------------------------

static flx_status count_roles(flx_inverse_search *f)
{
    flx_unknown u = {.loc = FLX_NOWHERE};
    for (int k = 0; k < f->s->dims.nw; k++) {
        f->nin += f->def->role[k] == FLX_GRID_INPUT;
        f->nout += f->def->role[k] == FLX_GRID_OUTPUT;
        if (f->def->role[k] == FLX_GRID_OUTPUT) flx_inverse_name(f, k, &u);
    }
    if (f->nin >= f->nout && f->nout > 0) return FLX_OK;
    return FLX_FAIL(f->ctx, FLX_ERR_MODEL, u.loc,
                    "%d output%s wanted and %d input%s free: give at least as many inputs as "
                    "outputs, '%s' is one too many",
                    f->nout, f->nout == 1 ? " is" : "s are", f->nin, f->nin == 1 ? " is" : "s are",
                    u.item ? u.item : "?");
}

// The inputs and what they leave free come to rest near the drawn position, by the rows of a node that rests behind it.
static flx_status rest_as_drawn(flx_inverse_search *f, const flx_state *x, const signed char *fixed)
{
    flx_grid *still = NULL;
    flx_grid_report report;
    FLX_TRY(make_grid(f, x, 2, false, fixed, 0, f->def->from, &still));
    flx_status status = flx_grid_solve(still, weight_of(f), MOST, &report);
    if (status == FLX_OK) flx_grid_copy_node(f->one, 0, still, 0);
    flx_grid_destroy(&still);
    return status == FLX_OK ? FLX_OK : flx_inverse_refuse_rest(f, f->def->from, status, &report);
}

static flx_status prepare(flx_inverse_search *f, const flx_state *x, const signed char *fixed)
{
    const flx_dims *d = &f->s->dims;
    size_t n = (size_t)flx_dims_unknowns(d);
    FLX_TRY(count_roles(f));
    f->diagonal = flx_arena_take(f->out->arena, n, sizeof *f->diagonal);
    if (!f->diagonal) return no_memory(f->ctx);
    for (int k = 0; k < d->nw; k++) {
        if (f->def->role[k] == FLX_GRID_INPUT)
            f->diagonal[d->nv + d->nx + k] = f->def->weight ? f->def->weight[k] : 1.0;
    }
    f->least = (flx_grid_weight){.diagonal = f->diagonal};
    bool ahead = f->def->kind == FLX_INVERSE_CAUSAL;
    if (flx_inverse_rolls(f) && !ahead && !rolls_to_rest(f)) // no grid does it: says so
        return make_grid(f, x, 4, false, fixed, 1, f->def->from, &f->one);
    FLX_TRY(make_grid(f, x, 0, false, fixed, 1, f->def->from, &f->one));
    FLX_TRY(find_zeros(f, 0)); // where it is drawn: what inputs reach
    if (flx_inverse_rolls(f)) {
        if (ahead) FLX_TRY(flx_inverse_refuse_index(f, 0));
        f->out->zeros_known = false; // at rest, what rolls stays where it is
        FLX_TRY(begin_as_drawn(f));
        return ahead ? FLX_OK : rest_as_drawn(f, x, fixed);
    }
    FLX_TRY(rest_at(f, f->def->from, true));
    FLX_TRY(find_zeros(f, 0));
    double *start = flx_alloc(f->ctx, (size_t)d->nq, sizeof *start);
    if (!start) return FLX_ERR_MEMORY;
    memcpy(start, f->one->q, (size_t)d->nq * sizeof *start);
    // the end is reached along the path
    flx_status status = FLX_OK;
    for (int k = 1; status == FLX_OK && k <= WAY; k++)
        status = rest_at(f, f->def->from + (f->def->until - f->def->from) * k / WAY, true);
    if (status == FLX_OK) status = find_zeros(f, 1);
    memcpy(f->one->q, start, (size_t)d->nq * sizeof *start);
    flx_free(start);
    if (status == FLX_OK) status = rest_at(f, f->def->from, true);
    return status;
}

static flx_status find(flx_inverse_search *f, const flx_state *x)
{
    const flx_inverse_def *def = f->def;
    flx_inverse *o = f->out;
    bool held = def->kind == FLX_INVERSE_RIGID || def->kind == FLX_INVERSE_QUASISTATIC;
    const signed char *fixed = held ? def->elastic : NULL;
    double span = def->until - def->from;
    f->h = span;
    FLX_TRY(prepare(f, x, fixed));
    FLX_TRY(flx_inverse_refuse_forward(f));
    double count = fmax(1.0, round(span / step_of(f)));
    f->h = span / count;
    FLX_TRY(choose_order(f, span));
    o->margin = margin_of(f);
    double before = ceil(o->margin / f->h - 1e-9);
    double all = (count + 2.0 * before + 1.0) * flx_dims_unknowns(&f->s->dims);
    if (!(all <= MOST_NODES)) {
        return FLX_FAIL(f->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "%.3g nodes of time in steps of %.3g s are too many; the margin at each "
                        "end is %.3g s%s: take a longer step, or %s `margin`",
                        count + 2.0 * before + 1.0, f->h, o->margin,
                        f->def->margin < 0.0 ? ", as the slowest zero decays" : "",
                        f->def->margin < 0.0 ? "give" : "a shorter");
    }
    o->before = (int)before;
    int nodes = (int)count + 2 * o->before + 1;
    double begin = def->from - before * f->h;
    flx_inverse_warn_of_imaginary(f);
    o->lopsided = !flx_inverse_rolls(f) && flx_inverse_is_lopsided(f, &o->ngrow, &o->ndecay);
    bool open = def->kind == FLX_INVERSE_LEAST_ENERGY || o->lopsided;
    FLX_TRY(make_grid(f, x, f->order, open, fixed, nodes, begin, &o->grid));
    if (open) {
        f->nstiff = flx_grid_count_stiffness(f->one);
        f->stiffness = flx_arena_take(
            o->arena, (size_t)(nodes + o->grid->left + o->grid->right) * (size_t)f->nstiff,
            sizeof(double));
        if (!f->stiffness) return no_memory(f->ctx);
    }
    int stride = (int)fmin(fmax(1.0, count / COARSE), MOST_STRIDE);
    if (!flx_inverse_rolls(f)) FLX_TRY(fill_slow_path(f, o->grid, stride));
    for (int n = -o->grid->left; rolls_to_rest(f) && n < o->grid->nodes + o->grid->right; n++)
        flx_grid_copy_node(o->grid, n, f->one, 0);
    if (open) return solve_least_energy(f);
    if (def->kind == FLX_INVERSE_QUASISTATIC) return solve_quasistatic(f, x, nodes, begin);
    flx_status status = flx_grid_solve(o->grid, weight_of(f), MOST, &o->report);
    if (status > 0 && stride > 1 && !flx_inverse_rolls(f)) { // a better first guess
        FLX_TRY(fill_slow_path(f, o->grid, 1));
        FLX_TRY(solve(f, weight_of(f)));
    } else if (status != FLX_OK) {
        return flx_inverse_refuse_solution(f, status);
    }
    flx_grid_end_rest(o->grid);
    return compare_orders(f, x);
}

flx_status flx_inverse_find(const flx_system *s, const flx_state *x, const flx_inverse_def *def,
                            flx_inverse *out)
{
    *out = (flx_inverse){.arena = flx_arena_create(s->ctx)};
    flx_inverse_search f = {.s = s, .def = def, .ctx = s->ctx, .out = out};
    if (!out->arena) return FLX_ERR_MEMORY;
    flx_status status = find(&f, x);
    flx_grid_destroy(&f.one);
    return status;
}

void flx_inverse_clear(flx_inverse *f)
{
    flx_grid_destroy(&f->grid);
    if (f->arena) flx_arena_destroy(&f->arena);
    *f = (flx_inverse){0};
}
