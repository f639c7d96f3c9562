// reach.c - positions that velocity-level constraints leave reachable; see flexion/analysis.h.
//
// The rows of all constraints are forms w_m = a_m v, and J has them as rows. Along a motion with J v = 0, X = v, a combination
// eta of them stays one of forms that vanish for all reachable motions as long as
//     sum_m eta_m dw_m(X, Y) = 0   for all Y with J Y = 0                                          (REACH-1)
//     J^T eta' = -sum_m eta_m dw_m(X, .)                                                           (REACH-2)
// Combinations which do so along generic motions are constraints of positions, whatever they look like; the others are
// nonholonomic. With the chart v = B(theta) theta' of the system at theta = 0
//     dw(X, Y) = (a_X Y - a_Y X) + a (B_X Y - B_Y X),   a_X: derivative of a along X               (REACH-3)
// and dw = 0 for the rows of positions. From rates of A v (linearise) and second rates (constraint_bias), both exact:
//     a_X Y - a_Y X = s(X, Y) - 2 a_Y X,   s(X, Y) = c(X + Y) - c(X) - c(Y),   c(v) = a_v v
#include "base/common.h"
#include "base/number.h"
#include "base/refuse.h"
#include "flexion/analysis.h"
#include "integrate/newton_matrix.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

#define LARGEST 240      // velocities; beyond, it is not looked for
#define STEPS 32         // of a leg, which is as long as the scales of the coordinates
#define MOST_LEGS 6      // of the generic motion
#define MOST_PROBES 8    // directions in which brackets are looked for
#define PROBE (1.0 / 64) // how far, in the scales
#define TOLERANCE 1e-5   // what is less of a curvature is rounding or the error of steps
#define FLATTEST 1e-2    // the curvature that counts as one, at least
#define DEPENDENT 1e-7   // what is left of a row beside others
#define OWN 1e-3         // what is left of a row beside hidden ones

typedef struct reach {
    const flx_system *s;
    flx_ctx *ctx;
    flx_arena *arena;
    flx_work *work;
    flx_blocks blocks;
    flx_state *at;
    int nv, nrow, nhold, n; // rows in all, of positions, of velocities
    int *row;               // (nrow) unknowns: of positions, then of velocities
    double *scale;          // (nv)
    double *size;           // (nrow) of a row at the start
    double *eta, *out;      // (nlam + nmu) (unknowns)
    double *bias;           // (3 (nlam + nmu))
    double *form;           // (nv) a row
    // at a place, in the scales of velocities and sizes of rows
    double *Q, *R;    // (nv x nrow) (nrow x nrow) column-major: J^T = Q R
    double *X, *aim;  // (nv) the direction, and the one that it follows
    double *dw;       // (nv x n) column-major: dw_m(X, .)
    double *see, *go; // (nv x n) (n x n) column-major: P dw, and minus the rows of eta' (REACH-2)
    // along a motion
    double *q, *theta, *k, *base; // (nq) (nv) (4 nv) (nv)
    double *psi, *dpsi, *trial;   // (n x n) each, dpsi four of them
    double *gram;                 // (n x n)
    unsigned seed;
} reach;

static double random_number(reach *r)
{
    r->seed = r->seed * 1664525u + 1013904223u;
    return (r->seed >> 8) / 8388608.0 - 1.0;
}

// ---- a place ------------------------------------------------------------------------------------------

// J^T = Q R by orthogonalisation, each column twice. false: rows depend on each other here.
static bool orthogonalise(reach *r)
{
    int nv = r->nv;
    for (int j = 0; j < r->nrow; j++) {
        double *a = r->Q + (size_t)j * (size_t)nv, *c = r->R + (size_t)j * (size_t)r->nrow;
        double before = 0.0, left = 0.0;
        for (int i = 0; i < nv; i++) before += a[i] * a[i];
        memset(c, 0, (size_t)r->nrow * sizeof *c);
        for (int k = 0; k < 2 * j; k++) {
            const double *b = r->Q + (size_t)(k % j) * (size_t)nv;
            double dot = 0.0;
            for (int i = 0; i < nv; i++) dot += a[i] * b[i];
            for (int i = 0; i < nv; i++) a[i] -= dot * b[i];
            c[k % j] += dot;
        }
        for (int i = 0; i < nv; i++) left += a[i] * a[i];
        if (!(left > DEPENDENT * DEPENDENT * before)) return false;
        c[j] = sqrt(left);
        for (int i = 0; i < nv; i++) a[i] /= c[j];
    }
    return true;
}

// u without its parts along the rows.
static void project(const reach *r, double *u)
{
    for (int j = 0; j < r->nrow; j++) {
        const double *b = r->Q + (size_t)j * (size_t)r->nv;
        double dot = 0.0;
        for (int i = 0; i < r->nv; i++) dot += u[i] * b[i];
        for (int i = 0; i < r->nv; i++) u[i] -= dot * b[i];
    }
}

// Rows of J at r->at, scaled, in Q; first of velocities (linearise with v = 0 is there), then of positions by forces.
static flx_status take_rows(reach *r)
{
    const flx_dims *d = &r->s->dims;
    const flx_point p = flx_state_point(r->s, r->at);
    for (int j = 0; j < r->nrow; j++) {
        double *to = r->Q + (size_t)j * (size_t)r->nv;
        if (j < r->nhold) {
            memset(r->eta, 0, (size_t)(d->nlam + d->nmu) * sizeof *r->eta);
            r->eta[r->row[j] - flx_dims_first_constraint(d)] = 1.0;
            FLX_TRY(r->s->ops->constraint_force(r->s, r->work, &p, r->eta, to));
        } else {
            for (int i = 0; i < r->nv; i++)
                to[i] = flx_pattern_value(&r->s->pattern, r->blocks.A1, r->row[j], i);
        }
        for (int i = 0; i < r->nv; i++) to[i] *= r->scale[i] / r->size[j];
    }
    return FLX_OK;
}

static flx_status bias_at(reach *r, const double *one, double part, int i, double *out)
{
    flx_point p = flx_state_point(r->s, r->at);
    double *v = r->at->v;
    for (int k = 0; k < r->nv; k++) v[k] = (one ? one[k] * r->scale[k] : 0.0);
    if (i >= 0) v[i] += part * r->scale[i];
    flx_status status = r->s->ops->constraint_bias(r->s, r->work, &p, out);
    memset(v, 0, (size_t)r->nv * sizeof *v);
    return status;
}

// dw_m(X, .) of all rows of velocities; (REACH-3).
static flx_status differentiate(reach *r)
{
    const flx_dims *d = &r->s->dims;
    const flx_system_ops *ops = r->s->ops;
    size_t nv = (size_t)r->nv, nb = (size_t)(d->nlam + d->nmu);
    int first = flx_dims_first_constraint(d);
    double *alone = r->bias, *own = r->bias + nb, *sum = r->bias + 2 * nb;
    FLX_TRY(bias_at(r, r->X, 0.0, -1, alone));
    for (int i = 0; i < r->nv; i++) {
        FLX_TRY(bias_at(r, NULL, 1.0, i, own));
        FLX_TRY(bias_at(r, r->X, 1.0, i, sum));
        for (int m = 0; m < r->n; m++) {
            int at = r->row[r->nhold + m] - first;
            r->dw[(size_t)m * nv + (size_t)i] = sum[at] - alone[at] - own[at];
        }
    }
    const flx_point p = flx_state_point(r->s, r->at);
    for (int i = 0; i < r->nv; i++) r->at->v[i] = r->X[i] * r->scale[i];
    FLX_TRY(ops->linearise(r->s, r->work, &p, &r->blocks));
    memset(r->at->v, 0, nv * sizeof(double));
    for (int m = 0; m < r->n; m++) {
        int row = r->row[r->nhold + m];
        double *to = r->dw + (size_t)m * nv;
        for (int i = 0; i < r->nv; i++) {
            to[i] -= 2.0 * r->scale[i] * flx_pattern_value(&r->s->pattern, r->blocks.A0, row, i);
            r->form[i] = flx_pattern_value(&r->s->pattern, r->blocks.A1, row, i);
        }
        for (int i = 0; ops->velocity_slope_t && i <= r->nv; i++) { // the last: along X
            double *y = r->base, dot = 0.0;
            memset(y, 0, nv * sizeof *y);
            memset(r->theta, 0, nv * sizeof *r->theta);
            if (i < r->nv) y[i] = r->scale[i];
            for (int k = 0; i == r->nv && k < r->nv; k++) y[k] = r->X[k] * r->scale[k];
            ops->velocity_slope_t(r->s, r->theta, y, r->form, r->out);
            for (int k = 0; k < r->nv; k++) dot += r->out[k] * r->X[k] * r->scale[k];
            if (i < r->nv) to[i] += dot;
            for (int k = 0; i == r->nv && k < r->nv; k++) to[k] -= r->out[k] * r->scale[k];
        }
        for (int i = 0; i < r->nv; i++) to[i] /= r->size[r->nhold + m];
    }
    return FLX_OK;
}

// What (REACH-1) and (REACH-2) are at r->at, for X that follows the aim. FLX_SINGULAR: rows depend on each other.
static flx_status look(reach *r)
{
    const flx_point p = flx_state_point(r->s, r->at);
    size_t nv = (size_t)r->nv;
    FLX_TRY(r->s->ops->linearise(r->s, r->work, &p, &r->blocks));
    FLX_TRY(take_rows(r));
    if (!orthogonalise(r)) return FLX_SINGULAR;
    memcpy(r->X, r->aim, nv * sizeof *r->X);
    project(r, r->X);
    FLX_TRY(differentiate(r));
    memcpy(r->see, r->dw, nv * (size_t)r->n * sizeof *r->see);
    for (int m = 0; m < r->n; m++) {
        const double *b = r->dw + (size_t)m * nv;
        double *e = r->eta; // R eta' = -Q^T dw: of it the rows of velocities, which are the last
        project(r, r->see + (size_t)m * nv);
        for (int j = r->nrow - 1; j >= r->nhold; j--) {
            double dot = 0.0;
            for (int i = 0; i < r->nv; i++) dot += r->Q[(size_t)j * nv + (size_t)i] * b[i];
            for (int k = j + 1; k < r->nrow; k++)
                dot -= r->R[(size_t)k * (size_t)r->nrow + (size_t)j] * e[k];
            e[j] = dot / r->R[(size_t)j * (size_t)r->nrow + (size_t)j];
            r->go[(size_t)m * (size_t)r->n + (size_t)(j - r->nhold)] = -e[j];
            if (!isfinite(e[j])) return FLX_NOT_FINITE;
        }
    }
    return FLX_OK;
}

// ---- along a motion ------------------------------------------------------------------------------------

// One step of the classical method of Runge and Kutta in the chart at its beginning, with psi' = go psi.
static flx_status step(reach *r, double h)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    const flx_system_ops *ops = r->s->ops;
    size_t nv = (size_t)r->nv, nn = (size_t)r->n * (size_t)r->n;
    double *theta = r->k + 4 * nv;
    memcpy(r->q, r->at->q, (size_t)r->s->dims.nq * sizeof *r->q);
    for (int stage = 0; stage <= 4; stage++) {
        for (int i = 0; i < r->nv; i++) {
            theta[i] = 0.0;
            if (stage < 4 && stage > 0)
                theta[i] = h * node[stage] * r->k[(size_t)(stage - 1) * nv + (size_t)i];
            for (int k = 0; stage == 4 && k < 4; k++)
                theta[i] += h / 6.0 * weight[k] * r->k[(size_t)k * nv + (size_t)i];
        }
        ops->retract(r->s, r->q, theta, r->at->q);
        if (stage == 4) break;
        FLX_TRY(look(r));
        double *to = r->k + (size_t)stage * nv, *slope = r->dpsi + (size_t)stage * nn;
        for (int i = 0; i < r->nv; i++) to[i] = r->X[i] * r->scale[i];
        ops->rate(r->s, theta, to, to);
        memcpy(r->trial, r->psi, nn * sizeof *r->trial);
        for (size_t i = 0; stage > 0 && i < nn; i++)
            r->trial[i] += h * node[stage] * r->dpsi[(size_t)(stage - 1) * nn + i];
        flx_dense_multiply(false, false, r->n, r->n, r->n, r->go, r->trial, slope);
    }
    for (size_t i = 0; i < nn; i++) {
        for (int k = 0; k < 4; k++) r->psi[i] += h / 6.0 * weight[k] * r->dpsi[(size_t)k * nn + i];
    }
    return FLX_OK;
}

// out (nv x n) += factor times see psi at r->at
static flx_status add_view(reach *r, double factor, double *view, double *out)
{
    FLX_TRY(look(r));
    flx_dense_multiply(false, false, r->nv, r->n, r->n, r->see, r->psi, view);
    for (size_t i = 0; i < (size_t)r->nv * (size_t)r->n; i++) out[i] += factor * view[i];
    return FLX_OK;
}

static void add_square(reach *r, const double *view)
{
    for (int i = 0; i < r->n; i++) {
        for (int j = 0; j < r->n; j++) {
            const double *a = view + (size_t)i * (size_t)r->nv,
                         *b = view + (size_t)j * (size_t)r->nv;
            double sum = 0.0;
            for (int k = 0; k < r->nv; k++) sum += a[k] * b[k];
            r->gram[(size_t)j * (size_t)r->n + (size_t)i] += sum;
        }
    }
}

static void reset_psi(reach *r)
{
    memset(r->psi, 0, (size_t)r->n * (size_t)r->n * sizeof *r->psi);
    for (int i = 0; i < r->n; i++) r->psi[(size_t)i * (size_t)(r->n + 1)] = 1.0;
}

// A direction of length 1 in which the rows at r->at let it go, Q being theirs.
static void choose_aim(reach *r)
{
    double size = 0.0;
    for (int i = 0; i < r->nv; i++) r->aim[i] = random_number(r);
    project(r, r->aim);
    for (int i = 0; i < r->nv; i++) size += r->aim[i] * r->aim[i];
    for (int i = 0; i < r->nv && size > 0.0; i++) r->aim[i] /= sqrt(size);
}

// Rows of a Gram matrix that count; vectors (n x n): those of the smallest ones first.
static flx_status count(const reach *r, double *vectors, int *rank)
{
    double *w = flx_arena_take(r->arena, (size_t)r->n, sizeof *w);
    if (!w) return FLX_ERR_MEMORY;
    memcpy(vectors, r->gram, (size_t)r->n * (size_t)r->n * sizeof *vectors);
    FLX_TRY(flx_dense_symmetric_eigen(r->ctx, r->n, vectors, w));
    double most = fmax(sqrt(fmax(w[r->n - 1], 0.0)), FLATTEST);
    *rank = 0;
    for (int i = 0; i < r->n; i++) *rank += sqrt(fmax(w[i], 0.0)) > TOLERANCE * most;
    return FLX_OK;
}

// Brackets of two velocities are the forms' derivatives at the start, of three the rates of these along X.
static flx_status find_brackets(reach *r, const flx_state *x, flx_reach *out)
{
    static const double at[4] = {-2, -1, 1, 2},
                        weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    size_t size = (size_t)r->nv * (size_t)r->n;
    double *view = flx_arena_take(r->arena, size, sizeof *view);
    double *sum = flx_arena_take(r->arena, size, sizeof *sum);
    double *vectors = flx_arena_take(r->arena, (size_t)r->n * (size_t)r->n, sizeof *vectors);
    if (!view || !sum || !vectors) return FLX_ERR_MEMORY;
    for (int order = 0; order < 2; order++) {
        int rank = 0;
        r->seed = 7;
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            flx_state_copy(r->at, x);
            memset(r->at->v, 0, (size_t)r->nv * sizeof(double));
            FLX_TRY(look(r));
            choose_aim(r);
            memset(sum, 0, size * sizeof *sum);
            for (int k = 0; k < (order == 0 ? 1 : 4); k++) {
                memcpy(r->at->q, x->q, (size_t)r->s->dims.nq * sizeof(double));
                reset_psi(r);
                if (order == 1) FLX_TRY(step(r, PROBE * at[k]));
                FLX_TRY(add_view(r, order == 0 ? 1.0 : weight[k] / PROBE, view, sum));
            }
            add_square(r, sum);
        }
        FLX_TRY(count(r, vectors, &rank));
        out->brackets[order] = out->velocities + rank;
    }
    return FLX_OK;
}

// Legs of a generic motion, each in a direction of its own; at a singular position it ends.
static flx_status go_around(reach *r, const flx_state *x)
{
    size_t size = (size_t)r->nv * (size_t)r->n;
    double *view = flx_arena_take(r->arena, size, sizeof *view);
    double *sum = flx_arena_take(r->arena, size, sizeof *sum);
    if (!view || !sum) return FLX_ERR_MEMORY;
    flx_state_copy(r->at, x);
    memset(r->at->v, 0, (size_t)r->nv * sizeof(double));
    reset_psi(r);
    r->seed = 11;
    for (int leg = 0; leg < MOST_LEGS && leg < r->n + 2; leg++) {
        FLX_TRY(look(r));
        choose_aim(r);
        for (int i = 0; i < STEPS; i++) {
            flx_status status = step(r, 1.0 / STEPS);
            memset(sum, 0, size * sizeof *sum);
            if (status == FLX_OK) status = add_view(r, 1.0, view, sum);
            if (status == FLX_SINGULAR || status == FLX_NOT_FINITE) return FLX_OK;
            FLX_TRY(status);
            add_square(r, sum);
        }
    }
    return FLX_OK;
}

// ---- together ------------------------------------------------------------------------------------------

static bool take_memory(reach *r)
{
    const flx_dims *d = &r->s->dims;
    size_t nv = (size_t)d->nv, nb = (size_t)(d->nlam + d->nmu), all = (size_t)flx_dims_unknowns(d);
    size_t nn = (size_t)d->nmu * (size_t)d->nmu;
    r->row = flx_arena_take(r->arena, nb, sizeof *r->row);
    r->scale = flx_arena_take(r->arena, nv, sizeof *r->scale);
    r->size = flx_arena_take(r->arena, nb, sizeof *r->size);
    r->eta = flx_arena_take(r->arena, nb, sizeof *r->eta);
    r->out = flx_arena_take(r->arena, all, sizeof *r->out);
    r->bias = flx_arena_take(r->arena, 3 * nb, sizeof *r->bias);
    r->form = flx_arena_take(r->arena, nv, sizeof *r->form);
    r->Q = flx_arena_take(r->arena, nv * nb, sizeof *r->Q);
    r->R = flx_arena_take(r->arena, nb * nb, sizeof *r->R);
    r->X = flx_arena_take(r->arena, 2 * nv, sizeof *r->X);
    r->aim = r->X ? r->X + nv : NULL;
    r->dw = flx_arena_take(r->arena, 2 * nv * (size_t)d->nmu, sizeof *r->dw);
    r->see = r->dw ? r->dw + nv * (size_t)d->nmu : NULL;
    r->q = flx_arena_take(r->arena, (size_t)d->nq, sizeof *r->q);
    r->theta = flx_arena_take(r->arena, nv, sizeof *r->theta);
    r->k = flx_arena_take(r->arena, 5 * nv, sizeof *r->k);
    r->base = flx_arena_take(r->arena, nv, sizeof *r->base);
    r->go = flx_arena_take(r->arena, 8 * nn, sizeof *r->go);
    if (!r->row || !r->scale || !r->size || !r->eta || !r->out || !r->bias || !r->form || !r->Q ||
        !r->R || !r->X || !r->dw || !r->q || !r->theta || !r->k || !r->base || !r->go)
        return false;
    r->psi = r->go + nn;
    r->dpsi = r->psi + nn;
    r->trial = r->dpsi + 4 * nn;
    r->gram = r->trial + nn;
    return true;
}

// Rows that hold and are not empty here, as those of open contacts are; their sizes.
static flx_status list_rows(reach *r)
{
    const flx_dims *d = &r->s->dims;
    int first = flx_dims_first_constraint(d), kept = 0;
    const flx_point p = flx_state_point(r->s, r->at);
    for (int i = 0; i < d->nv; i++) {
        flx_unknown u = {0};
        r->s->ops->unknown(r->s, i, &u);
        r->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u = {0};
        r->s->ops->unknown(r->s, first + i, &u);
        r->row[i] = (i < d->nlam ? u.C : u.E) == 0.0 ? first + i : -1;
        r->size[i] = 1.0;
    }
    FLX_TRY(r->s->ops->linearise(r->s, r->work, &p, &r->blocks));
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        double sum = 0.0;
        if (r->row[i] < 0) continue;
        r->row[kept] = r->row[i];
        r->nhold = i < d->nlam ? kept + 1 : r->nhold;
        r->nrow = kept + 1;
        FLX_TRY(take_rows(r));
        const double *a = r->Q + (size_t)kept * (size_t)r->nv;
        for (int k = 0; k < r->nv; k++) sum += a[k] * a[k];
        if (sum > 0.0) {
            r->size[kept++] = sqrt(sum);
        } else if (i < d->nlam) {
            r->nhold--;
        }
    }
    r->nrow = kept;
    r->n = kept - r->nhold;
    return FLX_OK;
}

// Whether the rows of velocities ask for motion: A v + b with b other than 0, now or later.
static flx_status moves(reach *r, bool *yes)
{
    const flx_dims *d = &r->s->dims;
    static const double later[] = {0.0, 0.37, 1.61};
    double t = r->at->t;
    *yes = false;
    for (int k = 0; k < 3; k++) {
        r->at->t = t + later[k];
        const flx_point p = flx_state_point(r->s, r->at);
        FLX_TRY(r->s->ops->residual(r->s, r->work, &p, r->out));
        for (int m = 0; m < d->nmu; m++)
            *yes = *yes || fabs(r->out[flx_dims_first_constraint(d) + d->nlam + m]) > 1e-12;
    }
    r->at->t = t;
    return FLX_OK;
}

static flx_status name_hidden(const reach *r, const double *vectors, flx_reach *out)
{
    out->rows = flx_alloc(r->ctx, (size_t)r->n + 1, sizeof *out->rows);
    if (!out->rows) return FLX_ERR_MEMORY;
    for (int m = 0; m < r->n; m++) {
        double part = 0.0;
        flx_unknown u = {0};
        for (int k = 0; k < out->hidden; k++) {
            double c = vectors[(size_t)k * (size_t)r->n + (size_t)m];
            part += c * c;
        }
        if (part < OWN * OWN) continue;
        r->s->ops->unknown(r->s, r->row[r->nhold + m], &u);
        flx_reach_row *to = out->rows + out->nrow++;
        flx_snprintf(to->name, sizeof to->name, "%s (%s)", u.item ? u.item : "?",
                     u.part ? u.part : "row");
        to->alone = part > 1.0 - OWN * OWN;
    }
    return FLX_OK;
}

// Rows that depend on those before them go, so that those of positions stay: at most as many as are dependent everywhere.
// false: there are more, and the position is singular.
static flx_status drop_dependent(reach *r, int redundant, bool *regular)
{
    int nrow = r->nrow, nhold = r->nhold, dropped = 0;
    for (r->nrow = 0; r->nrow + dropped < nrow;) {
        int j = r->nrow++;
        r->nhold = j + dropped < nhold ? r->nrow : r->nhold;
        r->row[j] = r->row[j + dropped];
        r->size[j] = r->size[j + dropped];
        FLX_TRY(take_rows(r));
        if (orthogonalise(r)) continue;
        dropped++;
        r->nrow--;
        if (r->nhold > r->nrow) r->nhold--;
    }
    r->n = r->nrow - r->nhold;
    *regular = dropped <= redundant;
    return FLX_OK;
}

static flx_status find(reach *r, const flx_state *x, int redundant, flx_reach *out)
{
    bool moving = false, regular = true;
    int rank = 0;
    flx_state_copy(r->at, x);
    memset(r->at->v, 0, (size_t)r->nv * sizeof(double));
    memset(r->at->a, 0, (size_t)r->nv * sizeof(double));
    memset(r->at->lam, 0, (size_t)r->s->dims.nlam * sizeof(double));
    memset(r->at->mu, 0, (size_t)r->s->dims.nmu * sizeof(double));
    FLX_TRY(list_rows(r));
    FLX_TRY(drop_dependent(r, redundant, &regular));
    FLX_TRY(moves(r, &moving));
    out->velocities = r->nv - r->nrow;
    out->positions = r->nv - r->nhold;
    out->reachable = out->brackets[0] = out->brackets[1] = out->velocities;
    if (r->n == 0) return FLX_OK;
    out->unknown = !regular               ? "the start is a singular position"
                   : moving               ? "constraints of velocities move by themselves"
                   : r->nv > LARGEST      ? "the model is large"
                   : out->velocities == 0 ? "nothing moves"
                                          : NULL;
    if (out->unknown) return FLX_OK;
    double *vectors = flx_arena_take(r->arena, (size_t)r->n * (size_t)r->n, sizeof *vectors);
    if (!vectors) return FLX_ERR_MEMORY;
    flx_state *from = NULL;
    FLX_TRY(flx_state_create(r->s, &from));
    flx_state_copy(from, r->at);
    flx_status status = find_brackets(r, from, out);
    if (status == FLX_OK) status = go_around(r, from);
    flx_state_destroy(&from);
    if (status == FLX_SINGULAR || status == FLX_NOT_FINITE) {
        out->unknown = "the start is a singular position";
        return FLX_OK;
    }
    FLX_TRY(status);
    FLX_TRY(count(r, vectors, &rank));
    out->hidden = r->n - rank;
    out->reachable = out->velocities + rank;
    return name_hidden(r, vectors, out);
}

flx_status flx_reach_find(const flx_system *s, const flx_state *x, int redundant, flx_reach *out)
{
    if (!s || !x || !out) return flx_refuse_null(NULL, __func__);
    reach r = {.s = s, .ctx = s->ctx, .nv = s->dims.nv};
    *out = (flx_reach){0};
    if (s->dims.nmu == 0) return FLX_OK;
    r.arena = flx_arena_create(s->ctx);
    r.work = s->ops->work_create(s);
    flx_status status = r.arena && r.work ? flx_blocks_create(s, &r.blocks) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_state_create(s, &r.at);
    if (status == FLX_OK) status = take_memory(&r) ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find(&r, x, redundant, out);
    if (status != FLX_OK) flx_reach_clear(out);
    flx_state_destroy(&r.at);
    flx_blocks_destroy(&r.blocks);
    if (r.work) s->ops->work_destroy(r.work);
    flx_arena_destroy(&r.arena);
    return status;
}

void flx_reach_clear(flx_reach *r)
{
    if (!r) return;
    flx_free(r->rows);
    *r = (flx_reach){0};
}
