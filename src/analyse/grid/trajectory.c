// trajectory.c - trajectory optimisation on a grid: the nonlinear program (OPT-1) and its derivatives.
#include "analyse/grid/trajectory.h"

#include "analyse/grid/trajectory_parts.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define AT_REST 1e-9 // velocities of the start, of their scales
#define REFINE 40    // iterations of the last position

// ---- what is refused -----------------------------------------------------------------------------------

static flx_status refuse(const flx_system *s, const flx_state *x)
{
    const flx_dims *d = &s->dims;
    flx_unknown u;
    if (d->nq != d->nv) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "bodies that turn freely in space are no part of optimal control yet: "
                        "build the mechanism of joints with one coordinate each, as a tree");
    }
    for (int i = 0; i < d->nv; i++) {
        s->ops->unknown(s, i, &u);
        if (fabs(x->v[i]) <= AT_REST * (u.scale > 0.0 ? u.scale : 1.0)) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, u.loc,
                        "'%s' (%s) moves at the start: optimal control goes from rest to rest",
                        u.item ? u.item : "?", u.part ? u.part : "?");
    }
    return FLX_OK;
}

// ---- the last position -----------------------------------------------------------------------------------

static flx_status improve(const flx_trajectory_def *def, flx_grid *g, double *r, double *size)
{
    const flx_dims *d = &g->s->dims;
    int nv = d->nv, first_w = d->nv + d->nx, first_l = flx_dims_first_constraint(d), m = 0;
    int most = d->nw + d->nlam;
    double *A = flx_alloc(g->ctx, (size_t)most * (size_t)nv + 1, sizeof *A);
    double *b = flx_alloc(g->ctx, (size_t)(most > nv ? most : nv) + 1, sizeof *b);
    int *rows = flx_alloc(g->ctx, (size_t)most + 1, sizeof *rows);
    flx_status status = A && b && rows ? flx_grid_residual(g, r) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_grid_linearise(g);
    for (int k = 0; status == FLX_OK && k < d->nw; k++) {
        if (def->role[k] == FLX_GRID_INPUT ||
            !(isfinite(def->end_lower[k]) || isfinite(def->end_upper[k])))
            continue;
        double is = g->w[k] - r[g->row_of[first_w + k]]; // the row is w - value
        double to = fmin(fmax(is, def->end_lower[k]), def->end_upper[k]);
        b[m] = to - is;
        rows[m++] = first_w + k;
    }
    for (int k = 0; status == FLX_OK && k < d->nlam; k++) {
        b[m] = -r[g->row_of[first_l + k]];
        rows[m++] = first_l + k;
    }
    *size = 0.0;
    for (int k = 0; status == FLX_OK && k < m; k++) *size = fmax(*size, fabs(b[k]));
    if (status == FLX_OK && m > 0) {
        const double *A0 = g->dense ? g->full[0] : g->b.A0;
        for (int e = 0; e < g->nentry; e++) {
            const flx_grid_entry *o = g->entries + e;
            for (int k = 0; k < m && o->col < nv; k++) {
                if (rows[k] != o->row) continue;
                A[o->col * m + k] = (o->row < first_l ? -1.0 : 1.0) * A0[o->at];
            }
        }
        status = flx_dense_least_norm(g->ctx, m, nv, A, b, 1e-10);
        if (status == FLX_OK) g->s->ops->retract(g->s, g->q, b, g->q);
    }
    flx_free(A);
    flx_free(b);
    flx_free(rows);
    return status;
}

flx_status flx_trajectory_find_end(const flx_system *s, const flx_state *x,
                                   const flx_trajectory_def *def, double *q)
{
    const flx_grid_def one = {
        .order = 0, .nodes = 1, .begin = def->time, .step = 1.0, .role = def->role};
    flx_grid *g = NULL;
    double size = HUGE_VAL;
    FLX_TRY(flx_grid_create(s, x, &one, &g));
    double *r = flx_alloc(s->ctx, (size_t)g->total_rows + 1, sizeof *r);
    flx_status status = r ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; status == FLX_OK && k < REFINE && size > 1e-12; k++)
        status = improve(def, g, r, &size);
    memcpy(q, g->q, (size_t)s->dims.nq * sizeof *q);
    flx_free(r);
    flx_grid_destroy(&g);
    if (status != FLX_OK || size <= 1e-6) return status;
    return FLX_FAIL(s->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "no position was found that meets `at_end`: it is missed by %.3g", size);
}

// ---- unknowns ----------------------------------------------------------------------------------------------

// The unknown c of node n.
static double *unknown_at(const flx_grid *g, int n, int c)
{
    const flx_dims *d = &g->s->dims;
    int i = g->cols[c];
    if (i < d->nv) return flx_grid_q(g, n) + i;
    if ((i -= d->nv) < d->nx) return g->x + (size_t)n * (size_t)d->nx + i;
    if ((i -= d->nx) < d->nw) return g->w + (size_t)n * (size_t)d->nw + i;
    if ((i -= d->nw) < d->nlam) return g->lam + (size_t)n * (size_t)d->nlam + i;
    return g->mu + (size_t)n * (size_t)d->nmu + (i - d->nlam);
}

void flx_trajectory_take(flx_program_nlp *p, const double *x)
{
    flx_grid *g = p->g;
    for (int n = 0; n < g->nodes; n++) {
        for (int c = 0; c < g->ncol; c++) *unknown_at(g, n, c) = x[flx_grid_col(g, n) + c];
    }
    if (p->free_time) g->step = x[g->total_cols];
}

static void give(const flx_program_nlp *p, double *x)
{
    const flx_grid *g = p->g;
    for (int n = 0; n < g->nodes; n++) {
        for (int c = 0; c < g->ncol; c++) x[flx_grid_col(g, n) + c] = *unknown_at(g, n, c);
    }
    if (p->free_time) x[g->total_cols] = g->step;
}

// r at x, and the matrix at x, unless they are known.
static bool evaluate(flx_program_nlp *p, const double *x)
{
    size_t bytes = (size_t)p->nlp.n * sizeof *x;
    if (memcmp(p->seen[0], x, bytes) == 0) return true;
    flx_trajectory_take(p, x);
    flx_grid_settle(p->g);
    p->seen[0][0] = (double)NAN;
    if (flx_grid_residual(p->g, p->r) != FLX_OK) return false;
    for (int i = 0; i < p->g->total_rows; i++) {
        if (!isfinite(p->r[i])) return false;
    }
    memcpy(p->seen[0], x, bytes);
    return true;
}

static bool linearise(flx_program_nlp *p, const double *x)
{
    size_t bytes = (size_t)p->nlp.n * sizeof *x;
    if (memcmp(p->seen[1], x, bytes) == 0) return true;
    flx_trajectory_take(p, x);
    p->seen[1][0] = (double)NAN;
    if (flx_grid_linearise(p->g) != FLX_OK) return false;
    memcpy(p->seen[1], x, bytes);
    return true;
}

static double sum_costs(const flx_program_nlp *p)
{
    const flx_grid *g = p->g;
    double sum = 0.0;
    for (int n = 0; n < g->nodes; n++)
        sum -= flx_trajectory_omega(g, n) * p->r[flx_grid_row(g, n) + p->cost];
    return sum;
}

static bool value(void *user, const double *x, double *f)
{
    flx_program_nlp *p = user;
    if (!evaluate(p, x)) return false;
    *f = (p->free_time ? x[p->g->total_cols] : p->g->step) * sum_costs(p);
    return true;
}

static bool gradient(void *user, const double *x, double *grad)
{
    flx_program_nlp *p = user;
    const flx_grid *g = p->g;
    if (!evaluate(p, x) || !linearise(p, x)) return false;
    memset(grad, 0, (size_t)p->nlp.n * sizeof *grad);
    for (int c = 0; c < g->total_cols; c++) {
        for (int e = g->begin_of[c]; e < g->begin_of[c + 1]; e++) {
            int n = g->row_at[e] / g->nrow;
            if (g->row_at[e] % g->nrow == p->cost)
                grad[c] -= g->step * flx_trajectory_omega(g, n) * g->values[e];
        }
    }
    return !p->free_time || flx_trajectory_gradient_time(p, sum_costs(p), grad + g->total_cols);
}

// ---- conditions ----------------------------------------------------------------------------------------------

static bool conditions(void *user, const double *x, double *g)
{
    flx_program_nlp *p = user;
    if (!evaluate(p, x)) return false;
    for (int i = 0; i < p->g->total_rows; i++) {
        int row = flx_trajectory_row(p, i);
        if (row >= 0) g[row] = p->r[i];
    }
    return true;
}

static bool jacobian(void *user, const double *x, double *values)
{
    flx_program_nlp *p = user;
    if (!linearise(p, x)) return false;
    for (int k = 0; k < p->nkept; k++) values[k] = p->g->values[p->kept[k]];
    return !p->free_time || flx_trajectory_jacobian_time(p, values + p->nkept);
}

// ---- the program -----------------------------------------------------------------------------------------------

static flx_status take_arrays(flx_program_nlp *p)
{
    flx_grid *g = p->g;
    flx_nlp *o = &p->nlp;
    int nj = g->begin_of[g->total_cols];
    o->n = g->total_cols + p->free_time;
    o->m = g->nodes * (g->nrow - 1);
    size_t n = (size_t)o->n, m = (size_t)o->m, rows = (size_t)g->total_rows;
    p->bounds = flx_arena_take(p->arena, 2 * n + 2 * m, sizeof *p->bounds);
    p->x = flx_arena_take(p->arena, 3 * n, sizeof *p->x);
    p->eta = flx_arena_take(p->arena, m, sizeof *p->eta);
    p->r = flx_arena_take(p->arena, rows, sizeof *p->r);
    p->kept = flx_arena_take(p->arena, (size_t)nj, sizeof *p->kept);
    int *row = flx_arena_take(p->arena, 2 * ((size_t)nj + m), sizeof *row), *col = row + nj + o->m;
    if (!p->bounds || !p->x || !p->eta || !p->r || !p->kept || !row) return FLX_ERR_MEMORY;
    p->seen[0] = p->x + n;
    p->seen[1] = p->x + 2 * n;
    p->seen[0][0] = p->seen[1][0] = (double)NAN;
    o->lower = p->bounds;
    o->upper = p->bounds + n;
    o->g_lower = p->bounds + 2 * n;
    o->g_upper = p->bounds + 2 * n + m;
    for (int c = 0; c < g->total_cols; c++) {
        for (int e = g->begin_of[c]; e < g->begin_of[c + 1]; e++) {
            int r = flx_trajectory_row(p, g->row_at[e]);
            if (r < 0) continue;
            row[p->nkept] = r;
            col[p->nkept] = c;
            p->kept[p->nkept++] = e;
        }
    }
    o->njac = p->nkept + (p->free_time ? o->m : 0);
    for (int r = 0; p->free_time && r < o->m; r++) {
        row[p->nkept + r] = r;
        col[p->nkept + r] = g->total_cols;
    }
    o->jac_row = row;
    o->jac_col = col;
    return flx_trajectory_plan_hessian(p);
}

static void set_bounds(flx_program_nlp *p, const flx_trajectory_def *def)
{
    const flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    size_t n = (size_t)p->nlp.n, m = (size_t)p->nlp.m;
    double *lower = p->bounds, *upper = lower + n, *g_lower = upper + n, *g_upper = g_lower + m;
    for (size_t i = 0; i < n; i++) {
        lower[i] = -HUGE_VAL;
        upper[i] = HUGE_VAL;
    }
    for (int k = 0; k < g->nodes; k++) {
        for (int c = 0; c < g->ncol; c++) {
            int at = flx_grid_col(g, k) + c, w = g->cols[c] - d->nv - d->nx;
            if (w >= 0 && w < d->nw) {
                bool last = k == g->nodes - 1;
                lower[at] = last ? fmax(def->lower[w], def->end_lower[w]) : def->lower[w];
                upper[at] = last ? fmin(def->upper[w], def->end_upper[w]) : def->upper[w];
            } else if (k == 0 && w < 0) { // the start
                lower[at] = upper[at] = *unknown_at(g, 0, c);
            }
        }
    }
    if (p->free_time) {
        lower[g->total_cols] = def->least / (g->nodes - 1);
        upper[g->total_cols] = def->most / (g->nodes - 1);
    }
    // at the start positions and states are given: what follows from them alone is no condition
    for (int r = 0; r < g->nrow; r++) {
        bool state = g->rows[r] >= d->nv && g->rows[r] < d->nv + d->nx;
        bool bond = g->rows[r] >= flx_dims_first_constraint(d);
        int own = flx_trajectory_row(p, r);
        if ((!state && !bond) || own < 0) continue;
        g_lower[own] = -HUGE_VAL;
        g_upper[own] = HUGE_VAL;
    }
}

// Straight lines between start and end; algebraic unknowns as their rows say.
static flx_status guess(flx_program_nlp *p, const flx_trajectory_def *def)
{
    flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    double *r = p->r;
    for (int n = 0; n < g->nodes; n++) {
        double part = (double)n / (g->nodes - 1), *q = flx_grid_q(g, n);
        const double *q0 = flx_grid_q(g, 0);
        for (int i = 0; n > 0 && i < d->nq; i++) q[i] = q0[i] + part * (def->end_q[i] - q0[i]);
    }
    flx_grid_settle(g);
    FLX_TRY(flx_grid_residual(g, r));
    for (int n = 0; n < g->nodes; n++) {
        for (int k = 0; k < d->nw; k++) {
            int row = g->row_of[d->nv + d->nx + k];
            double *w = g->w + (size_t)n * (size_t)d->nw + k;
            if (g->col_of[d->nv + d->nx + k] < 0) continue;
            if (row >= 0) *w -= r[flx_grid_row(g, n) + row];
            *w = fmin(fmax(*w, def->lower[k]), def->upper[k]);
        }
    }
    return FLX_OK;
}

// ---- how good it is ----------------------------------------------------------------------------------------------

static void compare_orders(const flx_grid *g, double *differ)
{
    int nv = g->s->dims.nv;
    double most = 0.0, off = 0.0, h2 = g->step * g->step;
    for (int n = 2; n + 2 < g->nodes; n++) {
        for (int i = 0; i < nv; i++) {
            double q[5];
            for (int j = 0; j < 5; j++) q[j] = flx_grid_q(g, n + j - 2)[i];
            double a2 = (q[1] - 2.0 * q[2] + q[3]) / h2;
            double a4 = (-q[0] + 16.0 * q[1] - 30.0 * q[2] + 16.0 * q[3] - q[4]) / (12.0 * h2);
            most = fmax(most, fabs(a4));
            off = fmax(off, fabs(a4 - a2));
        }
    }
    *differ = most > 0.0 ? off / most : 0.0;
}

static flx_status refuse_solution(const flx_program_nlp *p, const flx_trajectory *t)
{
    const flx_grid *g = p->g;
    int worst = 0;
    double most = 0.0;
    if (conditions((void *)p, p->x, p->eta)) {
        for (int i = 0; i < p->nlp.m; i++) {
            double off = fmax(p->nlp.g_lower[i] - p->eta[i], p->eta[i] - p->nlp.g_upper[i]);
            if (off <= most) continue;
            most = off;
            worst = i;
        }
    }
    flx_unknown u = {0};
    int own = worst % (g->nrow - 1);
    g->s->ops->unknown(g->s, g->rows[own + (own >= p->cost)], &u);
    return FLX_FAIL(g->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "no optimum after %d iterations: %s; the cost is %.6g there, and the equation "
                    "of '%s' at t = %.4g is open by %.2g",
                    t->report.iterations, t->report.ended ? t->report.ended : "?", t->report.value,
                    u.item ? u.item : "?", flx_grid_time(g, worst / (g->nrow - 1)), most);
}

static flx_status solve(flx_program_nlp *p, const flx_trajectory_def *def, flx_trajectory *out)
{
    FLX_TRY(take_arrays(p));
    FLX_TRY(guess(p, def));
    set_bounds(p, def);
    give(p, p->x);
    FLX_TRY(flx_trajectory_find_units(p));
    p->nlp.tolerance = def->tolerance;
    p->nlp.most = def->iterations;
    flx_status status = flx_nlp_solve(p->g->ctx, &p->nlp, p->x, p->eta, &out->report);
    flx_trajectory_take(p, p->x);
    if (status == FLX_NO_CONVERGENCE) return refuse_solution(p, out);
    if (status != FLX_OK) return status;
    out->time = p->g->step * (p->g->nodes - 1);
    (void)value(p, p->x, &out->cost);
    compare_orders(p->g, &out->differ);
    return FLX_OK;
}

flx_status flx_trajectory_find(const flx_system *s, const flx_state *x,
                               const flx_trajectory_def *def, flx_trajectory *out)
{
    const flx_grid_def grid = {.order = 2,
                               .nodes = def->nodes,
                               .step = def->time / (def->nodes - 1),
                               .mirror = true,
                               .role = def->role};
    flx_program_nlp p = {.free_time = def->free_time, .linear = def->linear};
    *out = (flx_trajectory){0};
    FLX_TRY(refuse(s, x));
    FLX_TRY(flx_grid_create(s, x, &grid, &out->grid));
    p.g = out->grid;
    p.cost = p.g->row_of[s->dims.nv + s->dims.nx + def->cost];
    p.nlp = (flx_nlp){.user = &p,
                      .value = value,
                      .gradient = gradient,
                      .conditions = conditions,
                      .jacobian = jacobian,
                      .hessian = flx_trajectory_hessian};
    p.arena = flx_arena_create(s->ctx);
    if (!p.arena) return FLX_ERR_MEMORY;
    flx_status status = solve(&p, def, out);
    flx_arena_destroy(&p.arena);
    return status;
}

void flx_trajectory_clear(flx_trajectory *t)
{
    flx_grid_destroy(&t->grid);
    *t = (flx_trajectory){0};
}
