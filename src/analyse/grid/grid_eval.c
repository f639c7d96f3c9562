// grid_eval.c - residual and matrix of a grid (GRID-1), node by node.
#include "analyse/grid/grid.h"

#include "integrate/newton_matrix.h"

#include <string.h>

static double *row_of(double *all, int n, int width)
{
    return all + (ptrdiff_t)n * width;
}

static double *switches_of(const flx_grid *g, int n)
{
    return row_of(g->switches, n + g->left, g->s->dims.nswitch);
}

static flx_point point_at(const flx_grid *g, int n)
{
    const flx_dims *d = &g->s->dims;
    return (flx_point){.t = flx_grid_clock(g, n),
                       .q = flx_grid_q(g, n),
                       .v = row_of(g->v, n, d->nv),
                       .a = row_of(g->a, n, d->nv),
                       .x = row_of(g->x, n, d->nx),
                       .dx = g->zero,
                       .w = row_of(g->w, n, d->nw),
                       .lam = row_of(g->lam, n, d->nlam),
                       .mu = row_of(g->mu, n, d->nmu),
                       .param = g->s->param,
                       .switches = switches_of(g, n)};
}

// A ghost rests; what is asked of it is of its position alone.
static flx_point ghost_at(const flx_grid *g, int n)
{
    int next = n < 0 ? 0 : g->nodes - 1;
    flx_point p = point_at(g, next);
    p.t = flx_grid_clock(g, n);
    p.q = flx_grid_q(g, n);
    p.v = p.a = g->zero;
    p.switches = switches_of(g, n);
    return p;
}

void flx_grid_move(flx_grid *g, int n)
{
    const flx_dims *d = &g->s->dims;
    double *v = row_of(g->v, n, d->nv), *a = row_of(g->a, n, d->nv);
    double h = g->step;
    if (g->order == 0) return;
    memset(v, 0, (size_t)d->nv * sizeof *v);
    memset(a, 0, (size_t)d->nv * sizeof *a);
    memset(g->rolling, 0, (size_t)d->nv * sizeof *g->rolling);
    for (int j = -g->left; j <= g->right; j++) {
        double c, k, rolls = g->roll ? g->roll[j + g->left] / h : 0.0;
        bool moves = flx_grid_weights(g, n, 0, j, &c, &k);
        if (j == 0 || (!moves && rolls == 0.0)) continue;
        g->s->ops->difference(g->s, flx_grid_q(g, n), flx_grid_q(g, flx_grid_node(g, n + j)),
                              g->theta);
        for (int i = 0; i < d->nv; i++) {
            v[i] += c / h * g->theta[i];
            a[i] += k / (h * h) * g->theta[i];
            g->rolling[i] += rolls * g->theta[i];
        }
    }
}

static void hold_outputs(flx_grid *g, int n)
{
    const flx_dims *d = &g->s->dims;
    double *w = row_of(g->w, n, d->nw);
    for (int k = 0; k < d->nw; k++) {
        if (g->role[k] == FLX_GRID_OUTPUT) w[k] = g->held[k];
    }
}

// ---- residual ----------------------------------------------------------------------------------------

// Rows of states between this node and the one before; g->r: here, g->before: there.
static void put_states(flx_grid *g, int n, double *to)
{
    const flx_dims *d = &g->s->dims;
    const double *x = row_of(g->x, n, d->nx), *last = x - d->nx;
    for (int i = 0; i < d->nx; i++) {
        int k = g->row_of[d->nv + i];
        to[k] = g->r[d->nv + i];
        if (n > 0 && g->order > 0)
            to[k] = (x[i] - last[i]) / g->step + 0.5 * (g->r[d->nv + i] + g->before[d->nv + i]);
    }
}

// Rows of velocities by backward differences.
static flx_status put_rolling(flx_grid *g, flx_point p, double *to)
{
    const flx_dims *d = &g->s->dims;
    int first = flx_dims_first_constraint(d) + d->nlam;
    p.v = g->rolling;
    FLX_TRY(g->s->ops->residual(g->s, g->work, &p, g->column));
    for (int i = first; i < first + d->nmu; i++) {
        if (g->row_of[i] >= 0) to[g->row_of[i]] = g->column[i];
    }
    return FLX_OK;
}

static flx_status ghost_residual(flx_grid *g, int n, double *r)
{
    flx_point p = ghost_at(g, n);
    FLX_TRY(g->s->ops->residual(g->s, g->work, &p, g->r));
    double *to = r + flx_grid_row(g, n);
    for (int i = 0; i < g->nghost_row; i++) to[i] = g->r[g->ghost_rows[i]];
    return FLX_OK;
}

flx_status flx_grid_residual(flx_grid *g, double *r)
{
    for (int n = 0; n < g->nodes; n++) {
        flx_grid_move(g, n);
        hold_outputs(g, n);
        flx_point p = point_at(g, n);
        FLX_TRY(g->s->ops->residual(g->s, g->work, &p, g->r));
        double *to = r + flx_grid_row(g, n);
        for (int i = 0; i < g->nrow; i++) to[i] = g->r[g->rows[i]];
        put_states(g, n, to);
        if (g->roll) FLX_TRY(put_rolling(g, p, to));
        double *other = g->before;
        g->before = g->r;
        g->r = other;
    }
    for (int i = 1; g->open && i <= g->left; i++) FLX_TRY(ghost_residual(g, -i, r));
    for (int i = 1; g->open && i <= g->right; i++) FLX_TRY(ghost_residual(g, g->nodes - 1 + i, r));
    return FLX_OK;
}

// ---- matrix ------------------------------------------------------------------------------------------

static void spread(flx_grid *g)
{
    for (int k = 0; g->dense && k < 3; k++)
        flx_blocks_spread(g->s, g->work, &g->b, k, g->column, g->full[k]);
}

static void keep_node(flx_grid *g, int n)
{
    const double *A0 = g->dense ? g->full[0] : g->b.A0, *A1 = g->dense ? g->full[1] : g->b.A1;
    const double *A2 = g->dense ? g->full[2] : g->b.A2;
    double *to = g->kept + 3 * (size_t)n * (size_t)g->nentry;
    for (int e = 0; e < g->nentry; e++) {
        int at = g->entries[e].at;
        *to++ = A0[at];
        *to++ = A1[at];
        *to++ = A2[at];
    }
}

// The contributions of node n, in the order of the pattern.
static int add_node(flx_grid *g, int n, int at)
{
    const flx_dims *d = &g->s->dims;
    const double *A0 = g->dense ? g->full[0] : g->b.A0, *A1 = g->dense ? g->full[1] : g->b.A1;
    const double *A2 = g->dense ? g->full[2] : g->b.A2;
    double h = g->step > 0.0 ? g->step : 1.0;
    for (int e = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        bool state = g->order > 0 && o->row >= d->nv && o->row < d->nv + d->nx;
        bool moves = o->col < d->nv;
        double part = state && n > 0 ? 0.5 : 1.0;
        for (int j = -g->left; j <= g->right; j++) {
            double c, k;
            if (j != 0 && (!moves || !(o->parts & 6))) continue;
            if (!flx_grid_weights(g, n, o->row, j, &c, &k) && j != 0) continue;
            int node = flx_grid_node(g, n + j);
            if (!g->open && (node < 0 || node >= g->nodes)) continue;
            double value = j == 0 ? A0[o->at] : 0.0;
            if (moves) {
                value += k / (h * h) * A2[o->at];
                value += c / h * A1[o->at];
            }
            g->values[g->place[at++]] += part * value;
            if (state && n + 1 < g->nodes) g->values[g->place[at++]] += 0.5 * value;
        }
    }
    for (int i = 0; i < d->nx && g->order > 0; i++) {
        if (n > 0) g->values[g->place[at++]] += 1.0 / h;
        if (n + 1 < g->nodes) g->values[g->place[at++]] -= 1.0 / h;
    }
    return at;
}

static flx_status add_ghost(flx_grid *g, int n, int *at)
{
    const double *A0 = g->dense ? g->full[0] : g->b.A0;
    flx_point p = ghost_at(g, n);
    FLX_TRY(g->s->ops->linearise(g->s, g->work, &p, &g->b));
    spread(g);
    for (int e = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        if (o->col >= g->s->dims.nv || !(o->parts & 1)) continue;
        for (int i = 0; i < g->nghost_row; i++) {
            if (g->ghost_rows[i] == o->row) g->values[g->place[(*at)++]] += A0[o->at];
        }
    }
    return FLX_OK;
}

flx_status flx_grid_linearise(flx_grid *g)
{
    int at = 0;
    memset(g->values, 0, (size_t)g->begin_of[g->total_cols] * sizeof *g->values);
    for (int n = 0; n < g->nodes; n++) {
        flx_grid_move(g, n);
        hold_outputs(g, n);
        flx_point p = point_at(g, n);
        FLX_TRY(g->s->ops->linearise(g->s, g->work, &p, &g->b));
        spread(g);
        if (g->kept) keep_node(g, n);
        at = add_node(g, n, at);
    }
    for (int i = 1; g->open && i <= g->left; i++) FLX_TRY(add_ghost(g, -i, &at));
    for (int i = 1; g->open && i <= g->right; i++) FLX_TRY(add_ghost(g, g->nodes - 1 + i, &at));
    return FLX_OK;
}

// ---- moves -------------------------------------------------------------------------------------------

static void move_position(flx_grid *g, int n, const double *d, double part)
{
    int nv = g->s->dims.nv;
    double *q = flx_grid_q(g, n);
    for (int i = 0; i < nv; i++) g->theta[i] = g->col_of[i] >= 0 ? part * d[g->col_of[i]] : 0.0;
    g->s->ops->retract(g->s, q, g->theta, q);
}

void flx_grid_add(flx_grid *g, const double *d, double part)
{
    const flx_dims *s = &g->s->dims;
    for (int n = 0; n < g->nodes; n++) {
        const double *own = d + flx_grid_col(g, n);
        move_position(g, n, own, part);
        struct {
            double *to;
            int count, first;
        } lists[] = {{row_of(g->x, n, s->nx), s->nx, s->nv},
                     {row_of(g->w, n, s->nw), s->nw, s->nv + s->nx},
                     {row_of(g->lam, n, s->nlam), s->nlam, s->nv + s->nx + s->nw},
                     {row_of(g->mu, n, s->nmu), s->nmu, s->nv + s->nx + s->nw + s->nlam}};
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < lists[k].count; i++) {
                int col = g->col_of[lists[k].first + i];
                if (col >= 0) lists[k].to[i] += part * own[col];
            }
        }
    }
    for (int i = 1; g->open && i <= g->left; i++)
        move_position(g, -i, d + flx_grid_col(g, -i), part);
    for (int i = g->nodes; g->open && i < g->nodes + g->right; i++)
        move_position(g, i, d + flx_grid_col(g, i), part);
}

// ---- states ------------------------------------------------------------------------------------------

void flx_grid_state(flx_grid *g, int n, flx_state *x)
{
    const flx_dims *d = &g->s->dims;
    bool ghost = n < 0 || n >= g->nodes;
    if (!ghost) {
        flx_grid_move(g, n);
        hold_outputs(g, n);
    }
    flx_point p = ghost ? ghost_at(g, n) : point_at(g, n);
    x->t = p.t;
    memcpy(x->q, p.q, (size_t)d->nq * sizeof *x->q);
    memcpy(x->v, p.v, (size_t)d->nv * sizeof *x->v);
    memcpy(x->a, p.a, (size_t)d->nv * sizeof *x->a);
    memcpy(x->x, p.x, (size_t)d->nx * sizeof *x->x);
    memset(x->dx, 0, (size_t)d->nx * sizeof *x->dx);
    memcpy(x->w, p.w, (size_t)d->nw * sizeof *x->w);
    memcpy(x->lam, p.lam, (size_t)d->nlam * sizeof *x->lam);
    memcpy(x->mu, p.mu, (size_t)d->nmu * sizeof *x->mu);
    memcpy(x->switches, p.switches, (size_t)d->nswitch * sizeof *x->switches);
}

void flx_grid_settle(flx_grid *g)
{
    const flx_event_ops *k = g->s->ops->events;
    if (!k || g->s->dims.nswitch == 0) return;
    for (int n = -g->left; n < g->nodes + g->right; n++) {
        flx_grid_state(g, n, g->state);
        k->settle(g->s, g->work, g->state);
        memcpy(switches_of(g, n), g->state->switches,
               (size_t)g->s->dims.nswitch * sizeof *g->switches);
    }
}

void flx_grid_copy_node(flx_grid *to, int n, const flx_grid *from, int m)
{
    const flx_dims *d = &to->s->dims;
    memcpy(flx_grid_q(to, n), flx_grid_q(from, m), (size_t)d->nq * sizeof *to->q);
    memcpy(switches_of(to, n), switches_of(from, m), (size_t)d->nswitch * sizeof *to->switches);
    if (n < 0 || n >= to->nodes || m < 0 || m >= from->nodes) return;
    struct {
        double *to;
        const double *from;
        int count;
    } lists[] = {{to->x, from->x, d->nx},
                 {to->w, from->w, d->nw},
                 {to->lam, from->lam, d->nlam},
                 {to->mu, from->mu, d->nmu}};
    for (int k = 0; k < 4; k++) {
        memcpy(row_of(lists[k].to, n, lists[k].count),
               lists[k].from + (ptrdiff_t)m * lists[k].count,
               (size_t)lists[k].count * sizeof(double));
    }
}

void flx_grid_fill_between(flx_grid *g, int m, int n)
{
    const flx_system *s = g->s;
    const flx_dims *d = &s->dims;
    double *const lists[] = {g->x, g->w, g->lam, g->mu};
    const int counts[] = {d->nx, d->nw, d->nlam, d->nmu};
    if (d->nv > 0) s->ops->difference(s, flx_grid_q(g, m), flx_grid_q(g, n), g->theta);
    for (int k = m + 1; k < n; k++) {
        double part = (double)(k - m) / (n - m);
        flx_grid_copy_node(g, k, g, m);
        for (int i = 0; i < d->nv; i++) g->column[i] = part * g->theta[i];
        if (d->nv > 0) s->ops->retract(s, flx_grid_q(g, m), g->column, flx_grid_q(g, k));
        for (int l = 0; l < 4; l++) {
            const double *to = lists[l] + (ptrdiff_t)n * counts[l];
            double *at = lists[l] + (ptrdiff_t)k * counts[l];
            for (int i = 0; i < counts[l]; i++) at[i] += part * (to[i] - at[i]);
        }
    }
}
