// least_rates.c - velocities with the least rates of joints; see least_rates.h.
#include "simulate/analyses/least_rates.h"
#include "integrate/saddle.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 // singular values of constraints
#define SINGULAR 1e-7   // ... of outputs, where they count as one

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
    l->G = flx_alloc(ctx, rows * v + rows + (size_t)nn + l->nwork, sizeof *l->G);
    flx_node *nodes = flx_alloc(ctx, (size_t)nn, sizeof *nodes);
    if (!l->side || !l->G || !nodes) {
        flx_free(nodes);
        return FLX_ERR_MEMORY;
    }
    l->C = l->G + (size_t)l->nrow * v;
    l->R = l->C + (size_t)ny * v;
    l->free = l->R + (size_t)nm * v;
    l->work = l->free + l->nrow + nn;
    memcpy(nodes, keys->miss, (size_t)ny * sizeof *nodes);
    memcpy(nodes + ny, keys->miss_rate, (size_t)ny * sizeof *nodes);
    memcpy(nodes + 2 * ny, keys->place, (size_t)nm * sizeof *nodes);
    memcpy(nodes + 2 * ny + nm, keys->rate, (size_t)nm * sizeof *nodes);
    flx_status status = flx_formulas_create(sim->model->graph, nn, nodes, &l->formulas);
    if (status == FLX_OK) status = flx_signals_create(ctx, &l->formulas, &l->signals);
    if (status == FLX_OK) status = flx_projector_create(sys, NULL, &l->rows);
    flx_free(nodes);
    return status;
}

void flx_least_rates_clear(flx_least_rates *l)
{
    flx_signals_clear(&l->signals);
    flx_formulas_clear(&l->formulas);
    flx_projector_destroy(&l->rows);
    flx_free(l->side);
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

// The least of |W^(1/2) (R u + base)| with G u = a, C u = b and, for joints at a limit, R_i u = d_i.
static flx_status solve(flx_least_rates *l, const double *a, const double *b, const double *d,
                        const double *base, double *u)
{
    flx_ctx *ctx = l->sim->ctx;
    const flx_kinematics_keys *k = l->keys;
    int n = l->nv, m = l->nrow, ny = k->nwant, nm = k->nmove, rank = 0, held = 0;
    double *at = l->work, *S = at;
    double *U = S + (size_t)m * (size_t)n, *V = U + (size_t)m * (size_t)m,
           *w = V + (size_t)n * (size_t)n;
    at = w + (m > n ? m : n);
    memcpy(S, l->G, (size_t)m * (size_t)n * sizeof *S);
    memset(u, 0, (size_t)n * sizeof *u);
    if (m > 0) {
        FLX_TRY(flx_dense_svd(ctx, m, n, S, w, U, V));
        int least = m < n ? m : n;
        while (rank < least && w[rank] > DEPENDENT * w[0]) rank++;
        for (int r = 0; r < rank; r++) { // the least u that the constraints ask for
            double sum = 0.0;
            for (int i = 0; i < m; i++) sum += U[i + m * r] * a[i];
            for (int j = 0; j < n; j++) u[j] += V[j + n * r] * sum / w[r];
        }
    } else {
        for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    }
    const double *N = V + (size_t)n * (size_t)rank; // what they leave free
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
        for (int j = 0; j < n; j++)
            C[row + rows * j] = i < ny ? l->C[i + ny * j] : l->R[i - ny + nm * j];
        c[row] = i < ny ? b[i] : d[i - ny];
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
    for (int p = 0; p < f; p++) {
        for (int i = 0; i < nm && !k->mass; i++) {
            double wr = k->weights[i] * R1[i + nm * p];
            z[p] -= wr * (r1[i] + base[i]);
            for (int s = 0; s < f; s++) M[p + size * s] += wr * R1[i + nm * s];
        }
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
    for (int i = 0; i < l->nrow + ny + nm; i++) *miss = fmax(*miss, fabs(a[i]));
    return solve(l, a, b, d, zero, theta);
}
