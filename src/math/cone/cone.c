// cone.c - the cone problem: rows sorted and scaled, and the order of the ways.
#include "math/cone/cone_parts.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define FEW 24 // groups up to which all ways are tried
// r of more groups: where friction is at its limit in all of them, as in a stack that slides, r = 1 goes to and fro.
#define MANY_R 7.0
#define TURNS 3        // of sweeps and Newton
#define SWEEPS 100     // of a turn
#define NEARLY 1e-4    // residual from which on another r may get there
#define TOLERABLE 1e-5 // residual of the law for which further ways are too dear

flx_cone *flx_cone_create(flx_ctx *ctx)
{
    flx_cone *c = flx_alloc(ctx, 1, sizeof *c);
    if (c) c->ctx = ctx;
    return c;
}

static void free_arrays(flx_cone *c)
{
    flx_free(c->group);
    flx_free(c->row);
    flx_free(c->scale);
    c->group = NULL, c->row = NULL, c->scale = NULL;
    c->room = c->room_groups = 0;
}

static void free_dense(flx_cone *c)
{
    flx_free(c->J);
    flx_free(c->pivot);
    c->J = NULL, c->pivot = NULL;
    c->room_dense = 0;
}

void flx_cone_destroy(flx_cone **c)
{
    if (!c || !*c) return;
    free_arrays(*c);
    free_dense(*c);
    flx_free((*c)->v);
    flx_free((*c)->big);
    flx_cone_sparse_destroy(&(*c)->sparse);
    flx_free(*c);
    *c = NULL;
}

// Vectors out of one block.
static void cut(flx_cone *c, double *block, size_t m, size_t ngroup)
{
    double **rows[] = {&c->scale,   &c->b,    &c->C,      &c->lam, &c->u,
                       &c->best,    &c->F,    &c->dlam,   &c->du,  &c->trial,
                       &c->trial_u, &c->work, &c->center, &c->lag, &c->skew};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, block += m) *rows[i] = block;
    c->D = block;
    c->H = block + 9 * ngroup;
}

// By half more than needed, so that a number that grows by one does not take memory each time.
static int enough(int need, int room)
{
    return need > room ? need + need / 2 : room;
}

flx_status flx_cone_room(flx_cone *c, int m, int ngroup)
{
    if (m <= c->room && ngroup <= c->room_groups) return FLX_OK;
    int room = enough(m, c->room), groups = enough(ngroup, c->room_groups);
    size_t r = (size_t)room, g = (size_t)groups;
    free_arrays(c);
    c->group = flx_alloc(c->ctx, g, sizeof *c->group);
    c->row = flx_alloc(c->ctx, r, sizeof *c->row);
    double *block = flx_alloc(c->ctx, 15 * r + 18 * g, sizeof *block);
    c->scale = block;
    if (!c->group || !c->row || !block) {
        free_arrays(c);
        return FLX_ERR_MEMORY;
    }
    cut(c, block, r, g);
    c->room = room;
    c->room_groups = groups;
    return FLX_OK;
}

flx_status flx_cone_room_velocities(flx_cone *c, int nv)
{
    if (nv <= c->room_nv) return FLX_OK;
    int room = enough(nv, c->room_nv);
    size_t n = (size_t)room;
    double *block = flx_alloc(c->ctx, 5 * n, sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    flx_free(c->v);
    c->v = block;
    c->dv = block + n, c->grad = block + 2 * n, c->step = block + 3 * n;
    c->trial_v = block + 4 * n;
    c->room_nv = room;
    return FLX_OK;
}

flx_status flx_cone_reserve(flx_cone *c, int m, int ngroup)
{
    // a row in no group is one by itself
    FLX_TRY(flx_cone_room(c, m, ngroup + m));
    FLX_TRY(flx_cone_room_velocities(c, m));
    if (m <= c->room_dense) return FLX_OK;
    int room = enough(m, c->room_dense);
    size_t r = (size_t)room;
    free_dense(c);
    c->J = flx_alloc(c->ctx, 3 * r * (r + 2), sizeof *c->J);
    c->pivot = flx_alloc(c->ctx, r, sizeof *c->pivot);
    if (!c->J || !c->pivot) {
        free_dense(c);
        return FLX_ERR_MEMORY;
    }
    c->HJ = c->J + r * r;
    c->A = c->HJ + r * (r + 2); // dpstrf wants 2 m numbers there
    c->room_dense = room;
    return FLX_OK;
}

// ---- rows in the order of the groups, scaled ---------------------------------------------------------

static double diagonal(int m, const double *W, int row)
{
    return W[(size_t)row * (size_t)m + (size_t)row];
}

static void add_row(flx_cone *c, int row, double scale)
{
    c->row[c->m] = row;
    c->scale[c->m] = scale;
    c->m++;
}

static double inverse_root(double w, double largest)
{
    // a row on which no impulse acts keeps the scale of the others
    if (!(w > 0)) w = largest > 0 ? largest : 1.0;
    return 1.0 / sqrt(w);
}

static void add_group(flx_cone *c, const flx_cone_group *from, int m, const double *W,
                      double largest)
{
    flx_cone_member *g = &c->group[c->ngroup++];
    double s_n = 1, s_t = 1, w = 0;
    *g = (flx_cone_member){.kind = FLX_CONE_COULOMB, .first = c->m, .n = from->ntangent};
    if (from->slides && from->ntangent > 0) g->kind = FLX_CONE_DIRECTED;
    if (from->normal >= 0) {
        s_n = inverse_root(diagonal(m, W, from->normal), largest);
        add_row(c, from->normal, s_n);
        g->n++;
    } else {
        g->kind = from->slides ? FLX_CONE_PUSHED : FLX_CONE_DISC;
    }
    for (int i = 0; i < from->ntangent; i++) w = fmax(w, diagonal(m, W, from->tangent[i]));
    s_t = inverse_root(w, largest);
    for (int i = 0; i < from->ntangent; i++) {
        add_row(c, from->tangent[i], s_t);
        g->slip[i] = from->slip[i];
    }
    g->f = from->friction * s_n / s_t;
    g->limit = from->limit / s_t;
}

void flx_cone_sort(flx_cone *c, int m, const double *W, int ngroup, const flx_cone_group *groups)
{
    double largest = 0;
    char *taken = (char *)c->D; // as many doubles as there are rows, and more
    memset(taken, 0, (size_t)m);
    for (int i = 0; i < m; i++) largest = fmax(largest, diagonal(m, W, i));
    c->m = c->ngroup = 0;
    for (int k = 0; k < ngroup; k++) {
        add_group(c, &groups[k], m, W, largest);
        if (groups[k].normal >= 0) taken[groups[k].normal] = 1;
        for (int i = 0; i < groups[k].ntangent; i++) taken[groups[k].tangent[i]] = 1;
    }
    for (int i = 0; i < m; i++) {
        if (taken[i]) continue;
        c->group[c->ngroup++] = (flx_cone_member){.kind = FLX_CONE_HOLDS, .first = c->m, .n = 1};
        add_row(c, i, inverse_root(diagonal(m, W, i), largest));
    }
}

// ---- the iterate --------------------------------------------------------------------------------------

void flx_cone_respond(flx_cone *c)
{
    c->space->forces(c, c->lam, c->v);
    c->space->respond(c, c->v);
    c->space->rates(c, c->v, c->u);
    for (int i = 0; i < c->m; i++) c->u[i] += c->b[i] + c->C[i] * c->lam[i];
}

double flx_cone_keep(flx_cone *c)
{
    int worst;
    flx_cone_natural(c, 1, c->lam, c->u, c->F, NULL);
    double residual = flx_cone_residual(c, c->lam, c->u, c->F, &worst);
    if (residual < c->best_residual) {
        c->best_residual = residual;
        memcpy(c->best, c->lam, (size_t)c->m * sizeof *c->best);
    }
    return residual;
}

// Sweeps smooth what single groups miss, Newton what all miss together: both in turns, from the best so far. Where friction is at
// its limit and hardly slips, neither leads on: what is left after some turns is taken.
static bool by_turns(flx_cone *c)
{
    for (int k = 0; k < TURNS; k++) {
        memcpy(c->lam, c->best, (size_t)c->m * sizeof *c->lam);
        c->yields = k % 2 == 0;
        c->most = 12;
        if (flx_cone_sweeps(c, SWEEPS) || c->best_residual <= c->enough) break;
        if (k > 0 && c->best_residual <= TOLERABLE) break;
    }
    c->yields = false;
    // the same law by other r has other kinks
    for (int k = 0; k < 2 && c->best_residual > c->enough; k++) {
        memcpy(c->lam, c->best, (size_t)c->m * sizeof *c->lam);
        c->r = k == 0 ? 0.3 : 3.0;
        c->most = 25;
        flx_cone_sweeps(c, 6 * SWEEPS);
    }
    c->r = 1;
    return c->best_residual <= c->enough;
}

// From the best so far, where that is near: the same law by another r has other kinks to go to and fro across.
static bool by_other_kinks(flx_cone *c)
{
    const double other[] = {0.3, 3.0, 0.05, 20.0, 1.0};
    bool there = false;
    for (int k = 0; k < 5 && !there && c->best_residual < NEARLY; k++) {
        memcpy(c->lam, c->best, (size_t)c->m * sizeof *c->lam);
        c->r = other[k];
        c->yields = k == 4;
        there = flx_cone_newton(c);
    }
    c->yields = false;
    c->r = 1;
    return there;
}

flx_cone_stage flx_cone_find(flx_cone *c, int warm)
{
    bool large = c->large = c->enough > 0 && c->ngroup > FEW;
    c->iterations = 0;
    c->best_residual = HUGE_VAL;
    c->r = 1;
    c->yields = false;
    c->most = large ? 25 : 40;
    c->budget = large ? 200 : INT_MAX;
    memset(c->best, 0, (size_t)c->m * sizeof *c->best);
    if (warm && flx_cone_newton(c)) return FLX_CONE_WARM;
    if (large && c->space->push) {
        if (!warm) flx_cone_stick(c);
        if (!warm && flx_cone_newton(c)) return FLX_CONE_COLD;
        return by_turns(c) ? FLX_CONE_SWEEPS : FLX_CONE_BEST;
    }
    const double few[] = {1.0, 0.1, 10.0}, many[] = {MANY_R, 1.0, 0.1};
    for (int k = 0; k < 3; k++) {
        c->r = c->ngroup > FEW ? many[k] : few[k];
        flx_cone_stick(c);
        if (flx_cone_newton(c)) return FLX_CONE_COLD;
    }
    if (by_other_kinks(c)) return FLX_CONE_COLD;
    c->r = 1;
    if (c->best_residual <= c->enough) return FLX_CONE_BEST;
    if (flx_cone_convex(c) || by_other_kinks(c)) return FLX_CONE_CONVEX;
    if (!c->space->push) return FLX_CONE_BEST;
    memcpy(c->lam, c->best, (size_t)c->m * sizeof *c->lam);
    return flx_cone_sweeps(c, 200) ? FLX_CONE_SWEEPS : FLX_CONE_BEST;
}

bool flx_cone_is_finite(size_t n, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] - a[i];
    return sum == 0;
}

// u by W itself, and the residual of the law with it.
static void finish(flx_cone *c, int m, const double *W, const double *b, double *lambda, double *u,
                   flx_cone_report *report)
{
    for (int i = 0; i < m; i++) lambda[c->row[i]] = c->scale[i] * c->best[i];
    for (int i = 0; i < m; i++) {
        u[i] = b[i];
        for (int j = 0; j < m; j++) u[i] += W[(size_t)i * (size_t)m + (size_t)j] * lambda[j];
    }
    for (int i = 0; i < m; i++) c->u[i] = c->scale[i] * u[c->row[i]];
    flx_cone_natural(c, 1, c->best, c->u, c->F, NULL);
    report->residual = flx_cone_residual(c, c->best, c->u, c->F, &report->worst);
}

flx_status flx_cone_solve(flx_cone *c, int m, const double *W, const double *b, int ngroup,
                          const flx_cone_group *groups, int warm, double *lambda, double *u,
                          flx_cone_report *report)
{
    *report = (flx_cone_report){.stage = warm ? FLX_CONE_WARM : FLX_CONE_COLD, .worst = -1};
    FLX_TRY(flx_cone_reserve(c, m, ngroup));
    if (m == 0) return FLX_OK;
    if (!flx_cone_is_finite((size_t)m * (size_t)m, W) || !flx_cone_is_finite((size_t)m, b))
        return FLX_NOT_FINITE;
    if (warm && !flx_cone_is_finite((size_t)m, lambda)) warm = 0;
    flx_cone_sort(c, m, W, ngroup, groups);
    FLX_TRY(flx_cone_dense(c, m, W));
    c->enough = 0;
    c->aim = 1e-14; // of few rows: as far as it gets
    for (int i = 0; i < m; i++) {
        c->b[i] = c->scale[i] * b[c->row[i]];
        c->C[i] = 0.0;
        c->lam[i] = warm ? lambda[c->row[i]] / c->scale[i] : 0.0;
    }
    report->stage = flx_cone_find(c, warm);
    report->iterations = c->iterations;
    finish(c, m, W, b, lambda, u, report);
    if (report->worst >= ngroup) report->worst = -1;
    return report->residual <= FLX_CONE_LIMIT ? FLX_OK : FLX_NO_CONVERGENCE;
}
