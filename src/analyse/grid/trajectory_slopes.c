// trajectory_slopes.c - second derivatives of trajectories, node by node, and derivatives by the step.
//
//     phi_n = eta_n^T r(q, v, a, others): its gradient is (A0, A1, A2)^T eta; differences of it along what rows are curved in
//     v = sum_j c_j q_n+j / h, a = sum_j d_j q_n+j / h^2 spread it over the nodes that n meets                (OPT-2)
#include "analyse/grid/trajectory_parts.h"

#include "integrate/newton_matrix.h"

#include <math.h>
#include <string.h>

#define MOVE 1e-6    // of the sizes of unknowns
#define STRETCH 1e-3 // of the step
// Directions along which no gradient changes by more than this part, as along a rail: after so many times they are looked at once in
// so many times. What is missed until then makes steps worse, and no solution.
#define STRAIGHT 1e-13
#define SURE 2
#define MOST_KEPT ((size_t)1 << 22) // numbers of all nodes, 32 MiB
#define AGAIN 8

// ---- the step ----------------------------------------------------------------------------------------------

// dr/dh of all rows of the grid.
static bool find_stretch(flx_program_nlp *p, double *slope)
{
    static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    flx_grid *g = p->g;
    int rows = g->total_rows;
    double h = g->step, *r = slope + rows;
    bool done = true;
    memset(slope, 0, (size_t)rows * sizeof *slope);
    for (int k = 0; k < 4 && done; k++) {
        g->step = h * (1.0 + STRETCH * places[k]);
        done = flx_grid_residual(g, r) == FLX_OK;
        for (int i = 0; i < rows; i++) slope[i] += weights[k] / (STRETCH * h) * r[i];
    }
    g->step = h;
    return done;
}

static double *stretched(flx_program_nlp *p)
{
    const flx_dims *d = &p->g->s->dims;
    return p->scratch + 4 * d->nv + d->nx + d->nw;
}

bool flx_trajectory_gradient_time(flx_program_nlp *p, double sum, double *slope)
{
    const flx_grid *g = p->g;
    double *of = stretched(p);
    if (!find_stretch(p, of)) return false;
    *slope = sum;
    for (int n = 0; n < g->nodes; n++)
        *slope -= g->step * flx_trajectory_omega(g, n) * of[flx_grid_row(g, n) + p->cost];
    return true;
}

bool flx_trajectory_jacobian_time(flx_program_nlp *p, double *values)
{
    double *of = stretched(p);
    if (!find_stretch(p, of)) return false;
    for (int i = 0; i < p->g->total_rows; i++) {
        int row = flx_trajectory_row(p, i);
        if (row >= 0) values[row] = of[i];
    }
    return true;
}

// ---- where the entries are -------------------------------------------------------------------------------------

// Columns that node n meets: positions of the nodes before, here and behind, then its other unknowns.
static int met(const flx_program_nlp *p, int n, int k)
{
    const flx_grid *g = p->g;
    if (k < 3 * p->na) return flx_grid_col(g, flx_grid_node(g, n + k / p->na - 1)) + k % p->na;
    return flx_grid_col(g, n) + p->na + k - 3 * p->na;
}

static int count_met(const flx_program_nlp *p)
{
    return 3 * p->na + p->no;
}

static flx_status list_curved(flx_program_nlp *p)
{
    const flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    p->curved = flx_arena_take(p->arena, (size_t)p->nlocal, sizeof *p->curved);
    p->straight = flx_arena_take(p->arena, (size_t)p->nlocal, sizeof *p->straight);
    p->bends = flx_arena_take(p->arena, (size_t)p->nlocal, sizeof *p->bends);
    if (!p->curved || !p->straight || !p->bends) return FLX_ERR_MEMORY;
    for (int k = 0; k < 2 * p->na; k++) p->curved[p->ncurved++] = k;
    for (int c = p->na; c < g->ncol; c++) {
        int w = g->cols[c] - d->nv - d->nx;
        bool linear = w >= d->nw || (w >= 0 && p->linear && p->linear[w]);
        if (!linear) p->curved[p->ncurved++] = 3 * p->na + c - p->na;
    }
    return FLX_OK;
}

flx_status flx_trajectory_plan_hessian(flx_program_nlp *p)
{
    const flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    while (p->na < g->ncol && g->cols[p->na] < d->nv) p->na++;
    p->no = g->ncol - p->na;
    p->nlocal = 3 * p->na + p->no;
    int nm = count_met(p);
    long each = (long)nm * (nm + 1) / 2 + (p->free_time ? nm + 1 : 0), all = each * g->nodes;
    if (all > 200000000L)
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "optimal control of %d unknowns at %d nodes is too large", g->ncol,
                        g->nodes);
    size_t nl = (size_t)p->nlocal, rows = (size_t)g->total_rows;
    p->nlp.nhess = (int)all;
    int *row = flx_arena_take(p->arena, 2 * (size_t)all, sizeof *row), *col = row + all;
    p->base = flx_arena_take(p->arena, nl, sizeof *p->base);
    p->moved = flx_arena_take(p->arena, nl, sizeof *p->moved);
    p->of_cost = flx_arena_take(p->arena, nl, sizeof *p->of_cost);
    p->H = flx_arena_take(p->arena, nl * nl, sizeof *p->H);
    p->S = flx_arena_take(p->arena, nl * (size_t)nm + nl, sizeof *p->S);
    p->row_eta = flx_arena_take(p->arena, (size_t)flx_dims_unknowns(d), sizeof *p->row_eta);
    size_t scratch = 4 * (size_t)d->nv + (size_t)d->nx + (size_t)d->nw + 2 * rows;
    p->scratch = flx_arena_take(p->arena, scratch, sizeof *p->scratch);
    size_t entries = 3 * (size_t)g->nodes * (size_t)g->nentry;
    if (entries <= MOST_KEPT) p->g->kept = flx_arena_take(p->arena, entries, sizeof *g->kept);
    if (!row || !p->base || !p->moved || !p->of_cost || !p->H || !p->S || !p->row_eta ||
        !p->scratch)
        return FLX_ERR_MEMORY;
    long at = 0;
    for (int n = 0; n < g->nodes; n++) {
        for (int a = 0; a < nm; a++) {
            for (int b = 0; b <= a; b++, at++) {
                int i = met(p, n, a), j = met(p, n, b);
                row[at] = i > j ? i : j;
                col[at] = i > j ? j : i;
            }
        }
        for (int a = 0; p->free_time && a <= nm; a++, at++) {
            row[at] = g->total_cols;
            col[at] = a < nm ? met(p, n, a) : g->total_cols;
        }
    }
    p->nlp.hess_row = row;
    p->nlp.hess_col = col;
    return list_curved(p);
}

// ---- a node ------------------------------------------------------------------------------------------------------

static void set_eta(flx_program_nlp *p, int n, double factor, const double *eta)
{
    const flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    for (int r = 0; r < g->nrow; r++) {
        int i = g->rows[r];
        bool state = i >= d->nv && i < d->nv + d->nx;
        int row = flx_trajectory_row(p, flx_grid_row(g, n) + r);
        double own = row >= 0 ? eta[row] : -factor * g->step * flx_trajectory_omega(g, n);
        if (state) {
            own *= n > 0 ? 0.5 : 1.0;
            if (n + 1 < g->nodes) own += 0.5 * eta[row + g->nrow - 1];
        }
        p->row_eta[i] = own;
    }
}

// Numbers of the node's matrices: those that were kept with node n, or at hand.
typedef struct entry_values {
    const double *at[3];
    bool kept;
} entry_values;

static entry_values values_of(const flx_grid *g, int n)
{
    if (n >= 0) {
        const double *kept = g->kept + 3 * (size_t)n * (size_t)g->nentry;
        return (entry_values){{kept, kept + 1, kept + 2}, true};
    }
    if (g->dense) return (entry_values){{g->full[0], g->full[1], g->full[2]}, false};
    return (entry_values){{g->b.A0, g->b.A1, g->b.A2}, false};
}

// to += eta times the entry.
static void add_entry(const flx_program_nlp *p, entry_values v, int e, double eta, double *to)
{
    const flx_grid *g = p->g;
    const flx_grid_entry *o = g->entries + e;
    int c = g->col_of[o->col], i = v.kept ? 3 * e : o->at;
    bool moves = o->col < g->s->dims.nv;
    to[moves ? c : 2 * p->na + c] += eta * v.at[0][i];
    if (!moves) return;
    to[p->na + c] += eta * v.at[1][i];
    to[2 * p->na + c] += eta * v.at[2][i];
}

// One row of the node's matrices.
static void take_row(const flx_program_nlp *p, entry_values v, int row, double *to)
{
    memset(to, 0, (size_t)p->nlocal * sizeof *to);
    for (int e = 0; e < p->g->nentry; e++)
        if (p->g->entries[e].row == row) add_entry(p, v, e, 1.0, to);
}

static void take_gradient(const flx_program_nlp *p, entry_values v, double *to)
{
    memset(to, 0, (size_t)p->nlocal * sizeof *to);
    for (int e = 0; e < p->g->nentry; e++) {
        double eta = p->row_eta[p->g->entries[e].row];
        if (eta != 0.0) add_entry(p, v, e, eta, to);
    }
}

static bool find_gradient(flx_program_nlp *p, const flx_point *at, double *to)
{
    flx_grid *g = p->g;
    if (g->s->ops->linearise(g->s, g->work, at, &g->b) != FLX_OK) return false;
    for (int k = 0; g->dense && k < 3; k++)
        flx_blocks_spread(g->s, g->work, &g->b, k, g->column, g->full[k]);
    take_gradient(p, values_of(g, -1), to);
    return true;
}

// The number of a local direction in the copies of the point, q, v, x, w one after the other.
static double *number_of(const flx_program_nlp *p, double *copy, int k)
{
    const flx_grid *g = p->g;
    int nv = g->s->dims.nv;
    if (k < p->na) return copy + g->cols[k];
    if (k < 2 * p->na) return copy + nv + g->cols[k - p->na];
    return copy + 2 * nv + g->cols[p->na + k - 3 * p->na] - nv;
}

// The size of a local direction.
static double size_of(const flx_program_nlp *p, int k)
{
    const double *unit = p->nlp.unit + flx_grid_col(p->g, 0);
    if (k >= 3 * p->na) return unit[k - 2 * p->na];
    return k < p->na ? unit[k] : unit[k - p->na] / p->unit_time;
}

static bool is_left_out(const flx_program_nlp *p, int k)
{
    return p->straight[k] >= SURE && p->nhessian % AGAIN != 0;
}

static void look_for_bend(flx_program_nlp *p, int k)
{
    double most = 0.0, off = 0.0;
    for (int i = 0; i < p->nlocal && !p->bends[k]; i++) {
        most = fmax(most, fabs(p->base[i]));
        off = fmax(off, fabs(p->moved[i] - p->base[i]));
    }
    if (!(off <= STRAIGHT * most)) p->bends[k] = true;
}

// After all nodes.
static void count_straight(flx_program_nlp *p)
{
    for (int k = 0; k < p->ncurved; k++) {
        if (!is_left_out(p, k)) p->straight[k] = p->bends[k] ? 0 : p->straight[k] + 1;
        p->bends[k] = false;
    }
    p->nhessian++;
}

// known: the matrix of the grid is that of this point.
static bool find_local(flx_program_nlp *p, int n, bool known)
{
    flx_grid *g = p->g;
    const flx_dims *d = &g->s->dims;
    flx_state *x = g->state;
    double *copy = p->scratch;
    int nl = p->nlocal;
    flx_grid_state(g, n, x);
    memcpy(copy, x->q, (size_t)d->nv * sizeof *copy);
    memcpy(copy + d->nv, x->v, (size_t)d->nv * sizeof *copy);
    memcpy(copy + 2 * d->nv, x->x, (size_t)d->nx * sizeof *copy);
    memcpy(copy + 2 * d->nv + d->nx, x->w, (size_t)d->nw * sizeof *copy);
    flx_point at = flx_state_point(g->s, x);
    at.t = flx_grid_clock(g, n);
    at.q = copy;
    at.v = copy + d->nv;
    at.x = copy + 2 * d->nv;
    at.w = copy + 2 * d->nv + d->nx;
    memset(p->H, 0, (size_t)nl * (size_t)nl * sizeof *p->H);
    if (known) {
        take_gradient(p, values_of(g, n), p->base);
    } else if (!find_gradient(p, &at, p->base)) {
        return false;
    }
    if (p->free_time) take_row(p, values_of(g, known ? n : -1), g->rows[p->cost], p->of_cost);
    for (int k = 0; k < p->ncurved; k++) {
        if (is_left_out(p, k)) continue;
        double *u = number_of(p, copy, p->curved[k]), was = *u,
               by = MOVE * (size_of(p, p->curved[k]) + fabs(was));
        *u = was + by;
        by = *u - was;
        bool done = find_gradient(p, &at, p->moved);
        *u = was;
        if (!done) return false;
        look_for_bend(p, k);
        for (int i = 0; i < nl; i++) p->H[i * nl + p->curved[k]] = (p->moved[i] - p->base[i]) / by;
    }
    return true;
}

// Both halves alike: of two curved directions their mean, of a curved and another one the difference that there is.
static void make_symmetric(flx_program_nlp *p)
{
    int nl = p->nlocal;
    for (int a = 0; a < p->ncurved; a++) {
        int k = p->curved[a];
        for (int b = 0; b < a; b++) {
            int i = p->curved[b];
            double mean = 0.5 * (p->H[i * nl + k] + p->H[k * nl + i]);
            p->H[i * nl + k] = p->H[k * nl + i] = mean;
        }
        for (int i = 0, b = 0; i < nl; i++) {
            while (b < p->ncurved && p->curved[b] < i) b++;
            bool curved = b < p->ncurved && p->curved[b] == i;
            if (!curved) p->H[k * nl + i] = p->H[i * nl + k];
        }
    }
}

// d(local i)/d(met k): at most one of q, v, a each.
static double spread(const flx_program_nlp *p, int i, int k)
{
    const flx_grid *g = p->g;
    double h = g->step;
    if (k >= 3 * p->na) return i == k ? 1.0 : 0.0;
    int j = k / p->na, c = k % p->na;
    if (i >= 3 * p->na || i % p->na != c) return 0.0;
    int part = i / p->na;
    return part == 0 ? (j == 1 ? 1.0 : 0.0) : part == 1 ? g->c[j] / h : g->d[j] / (h * h);
}

// d(local i)/dh = -v/h, -2 a/h.
static double stretch(const flx_program_nlp *p, int n, int i)
{
    const flx_grid *g = p->g;
    int part = i < 3 * p->na ? i / p->na : 3, nv = g->s->dims.nv;
    if (part == 1) return -g->v[n * nv + g->cols[i - p->na]] / g->step;
    if (part == 2) return -2.0 * g->a[n * nv + g->cols[i - 2 * p->na]] / g->step;
    return 0.0;
}

static void put_time(const flx_program_nlp *p, int n, double factor, const double *HS, double *to)
{
    const flx_grid *g = p->g;
    int nl = p->nlocal, nm = count_met(p), nv = g->s->dims.nv;
    double h = g->step, sum = 0.0;
    const double *G = p->base;
    for (int k = 0; k < nm; k++) {
        to[k] = 0.0;
        for (int i = 0; i < nl; i++) to[k] += HS[i * nm + k] * stretch(p, n, i);
        if (k >= 3 * p->na) continue;
        int j = k / p->na, c = k % p->na;
        to[k] -= g->c[j] / (h * h) * G[p->na + c];
        to[k] -= 2.0 * g->d[j] / (h * h * h) * G[2 * p->na + c];
    }
    // the weight of the cost is the step itself
    double weight = -factor * flx_trajectory_omega(g, n), along = 0.0;
    for (int k = 0; k < nm; k++) {
        for (int i = 0; i < nl; i++) to[k] += weight * p->of_cost[i] * spread(p, i, k);
    }
    for (int i = 0; i < nl; i++) along += p->of_cost[i] * stretch(p, n, i);
    for (int i = 0; i < nl; i++) {
        for (int k = 0; k < nl; k++) sum += stretch(p, n, i) * p->H[i * nl + k] * stretch(p, n, k);
    }
    for (int c = 0; c < p->na; c++) {
        sum += 2.0 * g->v[n * nv + g->cols[c]] / (h * h) * G[p->na + c];
        sum += 6.0 * g->a[n * nv + g->cols[c]] / (h * h) * G[2 * p->na + c];
    }
    to[nm] = sum + 2.0 * weight * along;
}

bool flx_trajectory_hessian(void *user, const double *x, double factor, const double *eta,
                            double *values)
{
    flx_program_nlp *p = user;
    flx_grid *g = p->g;
    int nl = p->nlocal, nm = count_met(p);
    double *HS = p->S;
    bool known = g->kept && memcmp(p->seen[1], x, (size_t)p->nlp.n * sizeof *x) == 0;
    flx_trajectory_take(p, x);
    for (int n = 0; n < g->nodes; n++) {
        set_eta(p, n, factor, eta);
        if (!find_local(p, n, known)) return false;
        make_symmetric(p);
        // HS = H S; S has three numbers in a column of positions, and one in the others
        for (int i = 0; i < nl; i++) {
            for (int k = 0; k < nm; k++) {
                double sum = 0.0;
                if (k < 3 * p->na) {
                    for (int part = 0; part < 3; part++) {
                        int l = part * p->na + k % p->na;
                        sum += p->H[i * nl + l] * spread(p, l, k);
                    }
                } else {
                    sum = p->H[i * nl + k];
                }
                HS[i * nm + k] = sum;
            }
        }
        for (int a = 0; a < nm; a++) {
            for (int b = 0; b <= a; b++) {
                double sum = 0.0;
                if (a < 3 * p->na) {
                    for (int part = 0; part < 3; part++) {
                        int l = part * p->na + a % p->na;
                        sum += spread(p, l, a) * HS[l * nm + b];
                    }
                } else {
                    sum = HS[a * nm + b];
                }
                bool twice = a != b && met(p, n, a) == met(p, n, b);
                *values++ = twice ? 2.0 * sum : sum;
            }
        }
        if (!p->free_time) continue;
        put_time(p, n, factor, HS, values);
        values += nm + 1;
    }
    count_straight(p);
    return true;
}
