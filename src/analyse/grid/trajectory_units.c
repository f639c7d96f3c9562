// trajectory_units.c - units in which the numbers of a trajectory are neither tiny nor huge: IPOPT stops by numbers.
//
// Positions are of the size of the model and change in the time of the motion, T. So a row of forces is of the size of
// max(M s/T^2, D s/T, K s), or of what inputs with bounds do there; other inputs and multipliers are what balances it, and other
// rows and unknowns follow. Units are powers of 1000: where a model's own units are near, its numbers stay what they are.
#include "analyse/grid/trajectory_parts.h"

#include <math.h>
#include <string.h>

typedef struct units {
    const flx_grid *g;
    double *col, *row; // (unknowns of the system); 0: not known yet
    double time;
} units;

// What an entry is multiplied by in the largest change that is expected of column j.
static double change_by(const units *u, const flx_grid_entry *o)
{
    const flx_grid *g = u->g;
    const double *A0 = g->dense ? g->full[0] : g->b.A0, *A1 = g->dense ? g->full[1] : g->b.A1;
    const double *A2 = g->dense ? g->full[2] : g->b.A2;
    double most = fabs(A0[o->at]);
    if (o->col < g->s->dims.nv) {
        most = fmax(most, fabs(A1[o->at]) / u->time);
        most = fmax(most, fabs(A2[o->at]) / (u->time * u->time));
    }
    return most * u->col[o->col];
}

// Rows first <= row < last by the columns that are known.
static void take_rows(units *u, int first, int last)
{
    for (int e = 0; e < u->g->nentry; e++) {
        const flx_grid_entry *o = u->g->entries + e;
        if (o->row < first || o->row >= last) continue;
        u->row[o->row] = fmax(u->row[o->row], change_by(u, o));
    }
}

// Columns first <= col < last that are not known: what balances the forces of a row.
static void balance(units *u, int first, int last)
{
    const flx_grid *g = u->g;
    const double *A0 = g->dense ? g->full[0] : g->b.A0;
    for (int c = first; c < last; c++) {
        double least = HUGE_VAL;
        for (int e = 0; e < g->nentry && u->col[c] == 0.0; e++) {
            const flx_grid_entry *o = g->entries + e;
            double a = fabs(A0[o->at]);
            if (o->col != c || o->row >= g->s->dims.nv || !(a > 0.0)) continue;
            if (u->row[o->row] > 0.0) least = fmin(least, u->row[o->row] / a);
        }
        if (least < HUGE_VAL) u->col[c] = least;
    }
}

static double thousands(double size)
{
    double power = size > 0.0 ? round(log10(size) / 3.0) : 0.0;
    return isfinite(power) ? pow(10.0, 3.0 * power) : 1.0;
}

// Inputs that have bounds are of their size.
static void take_bounds(const flx_program_nlp *p, units *u)
{
    const flx_grid *g = u->g;
    const flx_dims *d = &g->s->dims;
    const double *lower = p->nlp.lower + flx_grid_col(g, 0),
                 *upper = p->nlp.upper + flx_grid_col(g, 0);
    for (int c = 0; c < g->ncol; c++) {
        int w = g->cols[c] - d->nv - d->nx;
        double size = fmax(fabs(lower[c]), fabs(upper[c]));
        if (w >= 0 && w < d->nw && g->role[w] == FLX_GRID_INPUT && isfinite(size))
            u->col[g->cols[c]] = size;
    }
}

static void find_units(const flx_program_nlp *p, units *u)
{
    const flx_grid *g = u->g;
    const flx_dims *d = &g->s->dims;
    int nv = d->nv, w = nv + d->nx, l = w + d->nw, n = flx_dims_unknowns(d);
    for (int i = 0; i < w; i++) {
        flx_unknown k;
        g->s->ops->unknown(g->s, i, &k);
        u->col[i] = k.scale > 0.0 ? k.scale : 1.0;
        if (i >= nv) u->row[i] = u->col[i] / u->time;
    }
    take_bounds(p, u);
    take_rows(u, 0, nv);
    balance(u, l, n);
    for (int k = 0; k < d->nw; k++) {
        if (g->role[k] == FLX_GRID_INPUT) balance(u, w + k, w + k + 1);
    }
    // what outputs are made of comes first or later: twice
    for (int turn = 0; turn < 2; turn++) {
        take_rows(u, w, l);
        for (int i = w; i < l; i++) {
            if (g->role[i - w] != FLX_GRID_INPUT) u->col[i] = u->row[i];
        }
    }
    take_rows(u, l, n);
    for (int i = 0; i < n; i++) {
        u->col[i] = thousands(u->col[i]);
        u->row[i] = thousands(u->row[i]);
    }
}

// Of the cost: what it is at the guess, or changes by with inputs of their units.
static bool find_cost(flx_program_nlp *p, const double *col, double *x, double *size)
{
    flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    double here, there;
    if (!p->nlp.value(p->nlp.user, p->x, &here)) return false;
    memcpy(x, p->x, (size_t)p->nlp.n * sizeof *x);
    for (int n = 0; n < g->nodes; n++) {
        for (int c = 0; c < g->ncol; c++) {
            int w = g->cols[c] - d->nv - d->nx;
            if (w < 0 || w >= d->nw || g->role[w] != FLX_GRID_INPUT) continue;
            x[flx_grid_col(g, n) + c] += col[g->cols[c]];
        }
    }
    if (!p->nlp.value(p->nlp.user, x, &there)) return false;
    *size = fmax(fabs(here), fabs(there - here));
    return true;
}

flx_status flx_trajectory_find_units(flx_program_nlp *p)
{
    flx_grid *g = p->g;
    size_t n = (size_t)p->nlp.n, m = (size_t)p->nlp.m;
    int all = flx_dims_unknowns(&g->s->dims);
    double *unit = flx_arena_take(p->arena, 2 * n + m + 2 * (size_t)all, sizeof *unit);
    if (!unit) return FLX_ERR_MEMORY;
    double *of_g = unit + n, *x = of_g + m, cost = 0.0;
    units u = {.g = g, .col = x + n, .row = x + n + all, .time = g->step * (g->nodes - 1)};
    flx_trajectory_take(p, p->x);
    FLX_TRY(flx_grid_linearise(g)); // the matrices of the last node stay
    find_units(p, &u);
    for (int k = 0; k < g->nodes; k++) {
        for (int c = 0; c < g->ncol; c++) unit[flx_grid_col(g, k) + c] = u.col[g->cols[c]];
        for (int r = 0; r < g->nrow; r++) {
            int row = flx_trajectory_row(p, flx_grid_row(g, k) + r);
            if (row >= 0) of_g[row] = u.row[g->rows[r]];
        }
    }
    p->unit_time = thousands(u.time);
    if (p->free_time) unit[g->total_cols] = p->unit_time;
    p->nlp.unit = unit;
    p->nlp.unit_g = of_g;
    p->nlp.unit_f = find_cost(p, u.col, x, &cost) ? thousands(cost) : 1.0;
    return FLX_OK;
}
