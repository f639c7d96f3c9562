// least_rates.c - velocities with the least rates of joints; see least_rates.h.
#include "simulate/analyses/least_rates.h"
#include "integrate/saddle.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 // singular values of constraints
#define SINGULAR 1e-7   // ... of outputs, where they count as one
#define OPEN 1e-9       // ... of outputs and joints, where a motion changes none of them
#define FARTHEST 1e10   // a lever; what would make a longer one is rounding

flx_status flx_least_rates_create(flx_simulation *sim, const flx_system *sys,
                                  const flx_kinematics_keys *keys, flx_least_rates *l)
{
    flx_ctx *ctx = sim->ctx;
    int ny = keys->nwant, nm = keys->nmove, nv = sys->dims.nv, nn = 2 * (ny + nm);
    *l = (flx_least_rates){.sim = sim, .sys = sys, .keys = keys, .nv = nv};
    l->nrow = flx_dims_unknowns(&sys->dims) - flx_dims_first_constraint(&sys->dims);
    size_t v = (size_t)nv, rows = (size_t)(l->nrow + ny + nm + 1), most = v + rows;
    l->nwork = 6 * most * most + 8 * most + v;
    l->side = flx_alloc(ctx, (size_t)nm, sizeof *l->side);
    l->turns = flx_alloc(ctx, v, sizeof *l->turns);
    l->G = flx_alloc(ctx, rows * v + rows + (size_t)(nn + l->nrow + ny + nm) + v + l->nwork,
                     sizeof *l->G);
    flx_node *nodes = flx_alloc(ctx, (size_t)nn, sizeof *nodes);
    if (!l->side || !l->turns || !l->G || !nodes) {
        flx_free(nodes);
        return FLX_ERR_MEMORY;
    }
    l->C = l->G + (size_t)l->nrow * v;
    l->R = l->C + (size_t)ny * v;
    l->free = l->R + (size_t)nm * v;
    l->unit = l->free + l->nrow + nn;
    l->scale = l->unit + l->nrow + ny + nm;
    l->work = l->scale + nv;
    memcpy(nodes, keys->miss, (size_t)ny * sizeof *nodes);
    memcpy(nodes + ny, keys->miss_rate, (size_t)ny * sizeof *nodes);
    memcpy(nodes + 2 * ny, keys->place, (size_t)nm * sizeof *nodes);
    memcpy(nodes + 2 * ny + nm, keys->rate, (size_t)nm * sizeof *nodes);
    flx_status status = flx_formulas_create(sim->model->graph, nn, nodes, &l->formulas);
    if (status == FLX_OK) status = flx_signals_create(ctx, &l->formulas, &l->signals);
    if (status == FLX_OK) status = flx_projector_create(sys, NULL, &l->rows);
    for (int i = 0; i < nv && status == FLX_OK; i++) {
        flx_unknown u;
        sys->ops->unknown(sys, i, &u);
        l->scale[i] = l->rows->scale[i];
        l->turns[i] = strcmp(u.part, "angle") == 0 || strncmp(u.part, "rotation", 8) == 0;
    }
    flx_free(nodes);
    return status;
}

void flx_least_rates_clear(flx_least_rates *l)
{
    flx_signals_clear(&l->signals);
    flx_formulas_clear(&l->formulas);
    flx_projector_destroy(&l->rows);
    flx_free(l->side);
    flx_free(l->turns);
    flx_free(l->G);
}

// Rows of velocities and signals at x.
static flx_status look(flx_least_rates *l, flx_state *x, flx_saddle_rows level)
{
    double gap;
    int worst;
    FLX_TRY(flx_projector_gap(l->rows, x, level, &gap, &worst));
    return flx_signals_eval(&l->signals, l->sim, x, 0.0);
}

// The largest of a row (nv numbers, `stride` apart) over coordinates moved by their scales.
static double unit_of(const flx_least_rates *l, const double *row, int stride)
{
    double most = 0.0;
    for (int j = 0; j < l->nv; j++) most = fmax(most, fabs(row[stride * j]) * l->scale[j]);
    return most > 0.0 ? most : 1.0;
}

// Lengths are no shorter than the levers by which angles act beside them: what bodies carry may be larger than what is drawn.
static void take_levers(flx_least_rates *l, const double *A, int rows)
{
    double longest = 0.0;
    for (int i = 0; i < rows; i++) {
        double most[2] = {0.0, 0.0}; // of lengths, of angles
        for (int j = 0; j < l->nv; j++) {
            double *of = most + (l->turns[j] ? 1 : 0);
            *of = fmax(*of, fabs(A[i + rows * j]));
        }
        if (most[1] < FARTHEST * most[0]) longest = fmax(longest, most[1] / most[0]);
    }
    for (int j = 0; j < l->nv; j++) {
        if (!l->turns[j]) l->scale[j] = fmax(l->scale[j], longest);
    }
}

flx_status flx_least_rates_fill(flx_least_rates *l, flx_state *x)
{
    int ny = l->keys->nwant, nm = l->keys->nmove, first = flx_dims_first_constraint(&l->sys->dims);
    memset(x->v, 0, (size_t)l->nv * sizeof *x->v);
    if (l->keys->mass) FLX_TRY(flx_projector_fill(l->rows, x, FLX_ROWS_VELOCITY, false));
    FLX_TRY(look(l, x, FLX_ROWS_VELOCITY));
    memcpy(l->free, l->rows->row + first, (size_t)l->nrow * sizeof *l->free);
    memcpy(l->free + l->nrow, l->signals.out, 2 * (size_t)(ny + nm) * sizeof *l->free);
    for (int j = 0; j < l->nv; j++) { // all of it is linear in the velocities
        x->v[j] = 1.0;
        FLX_TRY(look(l, x, FLX_ROWS_VELOCITY));
        x->v[j] = 0.0;
        for (int i = 0; i < l->nrow; i++)
            l->G[i + l->nrow * j] = l->rows->row[first + i] - l->free[i];
        for (int i = 0; i < ny; i++)
            l->C[i + ny * j] = l->signals.out[ny + i] - l->free[l->nrow + ny + i];
        for (int i = 0; i < nm; i++) {
            l->R[i + nm * j] = l->signals.out[2 * ny + nm + i] - l->free[l->nrow + 2 * ny + nm + i];
        }
    }
    take_levers(l, l->C, ny);
    take_levers(l, l->G, l->nrow);
    double *unit = l->unit;
    for (int i = 0; i < l->nrow; i++) *unit++ = unit_of(l, l->G + i, l->nrow);
    for (int i = 0; i < ny; i++) *unit++ = unit_of(l, l->C + i, ny);
    for (int i = 0; i < nm; i++) *unit++ = unit_of(l, l->R + i, nm);
    return FLX_OK;
}

// N^T M N and -N^T M u, with the mass where x was filled last.
static void weigh_by_mass(flx_least_rates *l, int f, const double *N, const double *u, int size,
                          double *M, double *z)
{
    int n = l->nv;
    double *row = l->work + l->nwork - (size_t)n;
    for (int p = 0; p <= f; p++) {
        flx_saddle_metric_product(l->rows->saddle, p < f ? N + n * p : u, row);
        for (int s = 0; s < f; s++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += N[j + n * s] * row[j];
            if (p < f) {
                M[s + size * p] = sum;
            } else {
                z[s] = -sum;
            }
        }
    }
}

// What the constraints ask for, u, and N (n x n, of which the last n - rank columns count), a basis of what they leave free:
// by singular values of rows and columns in the scales of the model. Returns the first room behind N.
static flx_status split(flx_least_rates *l, const double *a, double *u, double **N, int *rank,
                        double **room)
{
    int n = l->nv, m = l->nrow;
    const double *scale = l->scale, *unit = l->unit;
    double *S = l->work, *U = S + (size_t)m * (size_t)n, *V = U + (size_t)m * (size_t)m,
           *w = V + (size_t)n * (size_t)n;
    *rank = 0;
    *room = w + (m > n ? m : n);
    memset(u, 0, (size_t)n * sizeof *u);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) S[i + m * j] = l->G[i + m * j] * scale[j] / unit[i];
    }
    if (m > 0) {
        FLX_TRY(flx_dense_svd(l->sim->ctx, m, n, S, w, U, V));
        int least = m < n ? m : n;
        while (*rank < least && w[*rank] > DEPENDENT * w[0]) ++*rank;
        for (int r = 0; r < *rank; r++) { // the least u that the constraints ask for
            double sum = 0.0;
            for (int i = 0; i < m; i++) sum += U[i + m * r] * a[i] / unit[i];
            for (int j = 0; j < n; j++) u[j] += V[j + n * r] * sum / w[r];
        }
    } else {
        for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    }
    for (int j = 0; j < n; j++) {
        u[j] *= scale[j];
        for (int k = 0; k < n; k++) V[j + n * k] *= scale[j];
    }
    *N = V + (size_t)n * (size_t)*rank;
    return FLX_OK;
}

// The least of |W^(1/2) (R u + base)| with G u = a, C u = b and, for joints at a limit, R_i u = d_i.
static flx_status solve(flx_least_rates *l, const double *a, const double *b, const double *d,
                        const double *base, double *u)
{
    flx_ctx *ctx = l->sim->ctx;
    const flx_kinematics_keys *k = l->keys;
    int n = l->nv, ny = k->nwant, nm = k->nmove, rank, held = 0;
    double *at, *N;
    FLX_TRY(split(l, a, u, &N, &rank, &at));
    int f = n - rank;
    for (int i = 0; i < nm; i++) held += l->side[i] != 0;
    int rows = ny + held, size = f + rows;
    if (rows > f) return FLX_SINGULAR;
    double *C = at, *c = C + (size_t)rows * (size_t)n, *C1 = c + rows,
           *R1 = C1 + (size_t)rows * (size_t)f;
    double *r1 = R1 + (size_t)nm * (size_t)f, *M = r1 + nm, *z = M + (size_t)size * (size_t)size;
    double *test = z + size, *values = test + (size_t)rows * (size_t)f;
    for (int i = 0, h = 0; i < ny + nm; i++) {
        if (i >= ny && l->side[i - ny] == 0) continue;
        int row = i < ny ? i : ny + h++;
        double unit = l->unit[l->nrow + i];
        for (int j = 0; j < n; j++)
            C[row + rows * j] = (i < ny ? l->C[i + ny * j] : l->R[i - ny + nm * j]) / unit;
        c[row] = (i < ny ? b[i] : d[i - ny]) / unit;
        for (int j = 0; j < n; j++) c[row] -= C[row + rows * j] * u[j];
    }
    flx_dense_multiply(false, false, rows, f, n, C, N, C1);
    flx_dense_multiply(false, false, nm, f, n, l->R, N, R1);
    flx_dense_apply(false, nm, n, l->R, u, r1);
    if (rows == 0) return FLX_SINGULAR;
    memcpy(test, C1, (size_t)rows * (size_t)f * sizeof *test);
    FLX_TRY(flx_dense_svd(ctx, rows, f, test, values, NULL, M)); // M has room for f x f
    if (!(values[rows - 1] > SINGULAR * values[0])) return FLX_SINGULAR;
    memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
    memset(z, 0, (size_t)size * sizeof *z);
    if (k->mass) weigh_by_mass(l, f, N, u, size, M, z);
    double most = 0.0;
    for (int p = 0; p < f; p++) {
        for (int i = 0; i < nm && !k->mass; i++) {
            double wr = k->weights[i] * R1[i + nm * p];
            z[p] -= wr * (r1[i] + base[i]);
            for (int s = 0; s < f; s++) M[p + size * s] += wr * R1[i + nm * s];
        }
        most = fmax(most, M[p + size * p]);
    }
    for (int p = 0; p < f; p++) {
        for (int s = 0; s < f && most > 0.0; s++) M[p + size * s] /= most;
        if (most > 0.0) z[p] /= most;
        for (int i = 0; i < rows; i++)
            M[p + size * (f + i)] = M[f + i + size * p] = C1[i + rows * p];
    }
    for (int i = 0; i < rows; i++) z[f + i] = c[i];
    FLX_TRY(flx_dense_solve(ctx, size, 1, M, z));
    for (int p = 0; p < f; p++) {
        for (int j = 0; j < n; j++) u[j] += N[j + n * p] * z[p];
    }
    return FLX_OK;
}

void flx_least_rates_grow(flx_least_rates *l, const double *theta)
{
    for (int j = 0; j < l->nv; j++) {
        if (!l->turns[j]) l->scale[j] = fmax(l->scale[j], fabs(theta[j]));
    }
}

// Rates of outputs and of joints along N, each in its unit, and their last singular vector.
flx_status flx_least_rates_find_open(flx_least_rates *l, int *coordinate)
{
    int n = l->nv, ny = l->keys->nwant, nm = l->keys->nmove, rows = ny + nm, rank;
    double *N, *T, *drawn = l->work + l->nwork - (size_t)n;
    *coordinate = -1;
    if (l->keys->mass) return FLX_OK;
    memset(l->free, 0, (size_t)l->nrow * sizeof *l->free);
    FLX_TRY(split(l, l->free, drawn, &N, &rank, &T));
    int f = n - rank, least = rows < f ? rows : f;
    if (f == 0) return FLX_OK;
    double *w = T + (size_t)rows * (size_t)f, *V = w + rows + f, big = 0.0;
    for (int i = 0; i < rows; i++) {
        const double *row = i < ny ? l->C + i : l->R + i - ny;
        int stride = i < ny ? ny : nm;
        for (int p = 0; p < f; p++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += row[stride * j] * N[j + n * p];
            T[i + rows * p] = sum / l->unit[l->nrow + i];
        }
    }
    FLX_TRY(flx_dense_svd(l->sim->ctx, rows, f, T, w, NULL, V));
    if (least == f && w[f - 1] > OPEN * w[0]) return FLX_OK;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int p = 0; p < f; p++) sum += N[j + n * p] * V[p + f * (f - 1)];
        sum = fabs(sum) / l->scale[j];
        if (sum > 1.0001 * big) {
            big = sum;
            *coordinate = j;
        }
    }
    return FLX_OK;
}

// Where the right sides are in the room for work, behind what `solve` takes.
static size_t free_work(const flx_least_rates *l)
{
    size_t n = (size_t)l->nv;
    return l->nwork - n - (size_t)(l->nrow + l->keys->nwant + 2 * l->keys->nmove);
}

flx_status flx_least_rates_velocity(flx_least_rates *l, double *v)
{
    int ny = l->keys->nwant, nm = l->keys->nmove;
    const double *rate = l->free + l->nrow + ny, *base = rate + ny + nm;
    double *a = l->work + free_work(l), *b = a + l->nrow, *d = b + ny, *drawn = d + nm;
    for (int i = 0; i < l->nrow; i++) a[i] = -l->free[i];
    for (int i = 0; i < ny; i++) b[i] = -rate[i];
    for (int i = 0; i < nm; i++) {
        const flx_kinematics_keys *k = l->keys;
        d[i] = -base[i];
        drawn[i] = base[i];
        if (k->posture) drawn[i] += k->pull * (l->free[l->nrow + 2 * ny + i] - k->posture[i]);
    }
    return solve(l, a, b, d, drawn, v);
}

flx_status flx_least_rates_close(flx_least_rates *l, flx_state *x, double *theta, double *miss)
{
    const flx_kinematics_keys *k = l->keys;
    int ny = k->nwant, nm = k->nmove, first = flx_dims_first_constraint(&l->sys->dims);
    double *a = l->work + free_work(l), *b = a + l->nrow, *d = b + ny, *zero = d + nm;
    FLX_TRY(flx_least_rates_fill(l, x));
    FLX_TRY(look(l, x, FLX_ROWS_POSITION));
    *miss = 0.0;
    for (int i = 0; i < l->nrow; i++) a[i] = -l->rows->row[first + i];
    for (int i = 0; i < ny; i++) b[i] = -l->signals.out[i];
    for (int i = 0; i < nm; i++) {
        double place = l->signals.out[2 * ny + i];
        d[i] = l->side[i] < 0 ? k->lower[i] - place : l->side[i] > 0 ? k->upper[i] - place : 0.0;
        zero[i] = 0.0;
    }
    for (int i = 0; i < l->nrow + ny + nm; i++) *miss = fmax(*miss, fabs(a[i]) / l->unit[i]);
    return solve(l, a, b, d, zero, theta);
}
