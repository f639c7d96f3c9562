// least.c - the least change of velocities (START-2), in coordinates u of the change, v = v_0 + P u.
//
// 1 Of all velocities that meet the rows, those of the least change in the metric of the mass:
//     (M + S) du + G^T dl = -M u - G^T l,   G du - d dl = -(G v + g_t)                    (START-3)
//   again and again. S, where a mass is singular, and the damping d go away: where du = 0, M u + G^T l = 0.
// 2 Of what the model gives, Y v = y, as much is met as the rows allow, in the weights D of the rows:
//     (H + e (M + S)) du + G^T dl = -Y^T D (Y v - y) - G^T l,   H = Y^T D Y                (START-4)
//   Each step is a proximal one: the limit has the least misfit, and of those that have it, it is the nearest to
//   where it began, in the metric of the mass. e is made smaller where this converges slowly.
//
// P is the identity, or lets the nodes of a deformable body ride on its motion as a rigid one.
#include "analyse/least.h"

#include "math/dense.h"
#include "math/ldl/ldl.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_STEPS 30
#define CAREFUL_STEPS 15
#define DAMPING 1e-6
#define LAST_DAMPING 1e-13
#define CLOSED 1e-14
#define OPENED 1e-8    // too far for the next step to close
#define SINGULAR 1e-12 // smallest pivot of a mass block, of its diagonal
#define SHIFT 1e-3     // of the mean mass by scales, for blocks that are singular
#define SETTLED 1e-15  // change of velocities, of the largest
#define FIRST_SHARE 1e-6
#define LAST_SHARE 1e-14
#define BACKWARD_ERROR 1e-16
#define SWEEPS 4

typedef struct flx_least {
    flx_projector *p;
    const flx_least_how *how;
    flx_arena *arena;
    flx_pattern pattern;
    flx_ldl *ldl;
    int *own;          // (nblock of the system) block here; -1: none
    int nu;            // unknowns of the change
    double *M, *H, *K; // on the pattern; M holds G and G^T, too
    double *u, *d, *work, *shift, *scale, *v, *misfit;
} least;

static int unknowns(const least *l)
{
    return l->pattern.start[l->pattern.nblock];
}

static const flx_rides *rides_of(const least *l)
{
    return l->how ? l->how->rides : NULL;
}

// ---- pattern ----------------------------------------------------------------------------------------

static int carrier_of(const least *l, int block)
{
    const flx_rides *r = rides_of(l);
    return r ? r->carrier[l->p->sys->pattern.start[block]] : FLX_RIDES_ITSELF;
}

// Blocks of the change: bodies and variables, or what carries them; then blocks of rows.
static flx_status number_blocks(least *l, int **start_out, int *count)
{
    const flx_system *s = l->p->sys;
    const flx_pattern *p = &s->pattern;
    int nv = s->dims.nv, fb = flx_dims_first_constraint(&s->dims), n = 0;
    int *start = flx_arena_take(l->arena, (size_t)p->nblock + 1, sizeof *start);
    int *first = flx_arena_take(l->arena, (size_t)p->nblock, sizeof *first);
    l->own = flx_arena_take(l->arena, (size_t)p->nblock, sizeof *l->own);
    if (!start || !first || !l->own) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock; b++) first[b] = -1; // of carriers
    start[0] = 0;
    for (int b = 0; b < p->nblock; b++) {
        int size = p->start[b + 1] - p->start[b];
        l->own[b] = -1;
        if (p->start[b] >= nv && p->start[b] < fb) continue;
        int carrier = p->start[b] < nv ? carrier_of(l, b) : FLX_RIDES_ITSELF;
        if (carrier == FLX_RIDES_HELD) continue;
        if (carrier >= 0 && first[carrier] >= 0) {
            l->own[b] = first[carrier];
            continue;
        }
        if (carrier >= 0) first[carrier] = n;
        l->own[b] = n++;
        start[n] = start[n - 1] + (carrier >= 0 ? FLX_RIDE : size);
        if (p->start[b] < nv) l->nu = start[n];
    }
    *start_out = start;
    *count = n;
    return FLX_OK;
}

// Rows are eliminated with the body that holds them, as in the system, where no other rows are.
static flx_status copy_pairs(least *l)
{
    const flx_pattern *p = &l->p->sys->pattern;
    size_t n = (size_t)l->pattern.nblock;
    int *pair = flx_arena_take(l->arena, n, sizeof *pair);
    bool *taken = flx_arena_take(l->arena, n, sizeof *taken);
    if (!pair || !taken) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) pair[i] = -1, taken[i] = false;
    for (int b = 0; p->pair && b < p->nblock; b++) {
        if (l->own[b] < 0 || p->pair[b] < 0) continue;
        int body = l->own[p->pair[b]];
        if (body < 0 || taken[body]) continue;
        pair[l->own[b]] = body;
        taken[body] = true;
    }
    l->pattern.pair = pair;
    return FLX_OK;
}

static flx_status make_pattern(least *l)
{
    const flx_pattern *p = &l->p->sys->pattern;
    int nblock = 0, n = 0, *start;
    FLX_TRY(number_blocks(l, &start, &nblock));
    int nentry = p->row[p->nblock];
    long long *keys = flx_arena_take(l->arena, (size_t)nentry, sizeof *keys);
    if (!keys) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int a = l->own[i], b = l->own[p->col[e]];
            if (a >= 0 && b >= 0) keys[n++] = (long long)a * nblock + b;
        }
    }
    FLX_TRY(flx_pattern_make(l->arena, nblock, start, n, keys, &l->pattern));
    return copy_pairs(l);
}

static void set_scale(least *l)
{
    const flx_system *s = l->p->sys;
    const flx_pattern *p = &l->pattern;
    for (int i = 0; i < unknowns(l); i++) l->scale[i] = 1.0;
    for (int b = 0; b < s->pattern.nblock && s->pattern.start[b] < s->dims.nv; b++) {
        bool rides = carrier_of(l, b) >= 0;
        for (int k = 0;
             l->own[b] >= 0 && k < (rides ? 3 : s->pattern.start[b + 1] - s->pattern.start[b]);
             k++) {
            l->scale[p->start[l->own[b]] + k] = l->p->scale[s->pattern.start[b] + (rides ? 0 : k)];
        }
    }
}

static flx_status make(least *l)
{
    const flx_system *s = l->p->sys;
    FLX_TRY(make_pattern(l));
    const flx_pattern *p = &l->pattern;
    size_t size = flx_pattern_size(p), n = (size_t)p->start[p->nblock], nv = (size_t)s->dims.nv;
    l->M = flx_arena_take(l->arena, 3 * size, sizeof *l->M);
    l->u = flx_arena_take(l->arena, 6 * n + 2 * nv, sizeof *l->u);
    signed char *sign = flx_arena_take(l->arena, (size_t)p->nblock, sizeof *sign);
    if (!l->M || !l->u || !sign) return FLX_ERR_MEMORY;
    l->H = l->M + size;
    l->K = l->H + size;
    l->d = l->u + n;
    l->work = l->d + n;
    l->shift = l->work + 2 * n;
    l->scale = l->shift + n;
    l->v = l->scale + n;
    l->misfit = l->v + nv;
    for (int b = 0; b < p->nblock; b++) sign[b] = p->start[b] < l->nu ? 1 : -1;
    set_scale(l);
    return flx_ldl_create(s->ctx, p, sign, false, &l->ldl);
}

// ---- P ------------------------------------------------------------------------------------------------

// Row r of P: columns of its block here.
static double part_of(const least *l, int block, int r, int c)
{
    const flx_rides *rides = rides_of(l);
    if (carrier_of(l, block) < 0) return r == c ? 1.0 : 0.0;
    return rides->P[FLX_RIDE * (l->p->sys->pattern.start[block] + r) + c];
}

// v += P u
static void add_change(const least *l, const double *u, double *v)
{
    const flx_pattern *p = &l->p->sys->pattern;
    for (int b = 0; b < p->nblock && p->start[b] < l->p->sys->dims.nv; b++) {
        int own = l->own[b];
        if (own < 0) continue;
        int first = l->pattern.start[own], n = l->pattern.start[own + 1] - first;
        for (int r = 0; r < p->start[b + 1] - p->start[b]; r++) {
            for (int c = 0; c < n; c++) v[p->start[b] + r] += part_of(l, b, r, c) * u[first + c];
        }
    }
}

// out += P^T f
static void add_force(const least *l, const double *f, double *out)
{
    const flx_pattern *p = &l->p->sys->pattern;
    for (int b = 0; b < p->nblock && p->start[b] < l->p->sys->dims.nv; b++) {
        int own = l->own[b];
        if (own < 0) continue;
        int first = l->pattern.start[own], n = l->pattern.start[own + 1] - first;
        for (int r = 0; r < p->start[b + 1] - p->start[b]; r++) {
            for (int c = 0; c < n; c++) out[first + c] += part_of(l, b, r, c) * f[p->start[b] + r];
        }
    }
}

// ---- matrices -------------------------------------------------------------------------------------------

// Add the block A (nr x nc, of blocks i and j of the system) to the values, seen through P.
static void add_block(const least *l, int i, int j, const double *A, double *values)
{
    const flx_pattern *p = &l->p->sys->pattern, *o = &l->pattern;
    int a = l->own[i], b = l->own[j], nr = p->start[i + 1] - p->start[i];
    int nc = p->start[j + 1] - p->start[j], ma = o->start[a + 1] - o->start[a];
    int mb = o->start[b + 1] - o->start[b];
    bool left = p->start[i] < l->p->sys->dims.nv && carrier_of(l, i) >= 0;
    bool right = p->start[j] < l->p->sys->dims.nv && carrier_of(l, j) >= 0;
    double *out = values + o->offset[flx_pattern_find(o, a, b)];
    for (int r = 0; r < nr; r++) {
        for (int c = 0; c < nc; c++) {
            double value = A[r * nc + c];
            if (value == 0.0) continue;
            for (int x = left ? 0 : r; x < (left ? ma : r + 1); x++) {
                double part = left ? part_of(l, i, r, x) * value : value;
                for (int y = right ? 0 : c; y < (right ? mb : c + 1); y++) {
                    out[x * mb + y] += right ? part * part_of(l, j, c, y) : part;
                }
            }
        }
    }
}

// M, G and G^T from the projector's matrix at the state.
static void fill_mass(least *l)
{
    const flx_system *s = l->p->sys;
    const flx_pattern *p = &s->pattern;
    int fb = flx_dims_first_constraint(&s->dims);
    const double *values = flx_saddle_values(l->p->saddle);
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e];
            if (l->own[i] < 0 || l->own[j] < 0) continue;
            if (p->start[i] >= fb && p->start[j] >= fb) continue;
            add_block(l, i, j, values + p->offset[e], l->M);
        }
    }
}

static double *diagonal_of(const least *l, double *values, int b)
{
    return values + l->pattern.offset[flx_pattern_find(&l->pattern, b, b)];
}

// Only blocks whose own mass is singular.
static flx_status set_shift(least *l)
{
    const flx_pattern *p = &l->pattern;
    double mean = 0.0;
    int most = 1;
    for (int b = 0; b < p->nblock && p->start[b] < l->nu; b++) {
        int n = p->start[b + 1] - p->start[b];
        const double *A = diagonal_of(l, l->M, b);
        if (n > most) most = n;
        for (int k = 0; k < n; k++) {
            double scale = l->scale[p->start[b] + k];
            mean += scale * scale * A[k * n + k] / l->nu;
        }
    }
    if (!(mean > 0.0)) mean = 1.0;
    double *A = flx_alloc(l->p->sys->ctx, (size_t)most * (size_t)most, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock && p->start[b] < l->nu; b++) {
        int n = p->start[b + 1] - p->start[b];
        const double *scale = l->scale + p->start[b], *from = diagonal_of(l, l->M, b);
        bool regular = true;
        for (int k = 0; k < n; k++) regular = regular && from[k * n + k] > 0.0;
        for (int k = 0; regular && k < n * n; k++) {
            int r = k / n, c = k % n;
            A[k] = from[k] / sqrt(from[r * n + r] * from[c * n + c]);
        }
        regular = regular && flx_dense_cholesky(n, A, SINGULAR);
        for (int k = 0; k < n; k++) {
            l->shift[p->start[b] + k] = regular ? 0.0 : SHIFT * mean / (scale[k] * scale[k]);
        }
    }
    flx_free(A);
    return FLX_OK;
}

// Of what has no weight, that of the shifted mass along the row, in the row's own unit: 1/(y (M + S)^-1 y^T) of the diagonal.
static double weight_of(const least *l, const flx_given_row *g)
{
    const flx_pattern *p = &l->pattern;
    int b = flx_pattern_block(&l->p->sys->pattern, g->first), own = l->own[b];
    if (g->weight > 0.0 || own < 0) return g->weight;
    int first = g->first - l->p->sys->pattern.start[b], at = p->start[own];
    int n = p->start[own + 1] - at;
    const double *A = diagonal_of(l, l->M, own);
    double sum = 0.0;
    for (int k = 0; k < g->n && first + k < n; k++) {
        int i = first + k;
        double mass = A[i * n + i] + l->shift[at + i];
        if (mass > 0.0) sum += g->y[k] * g->y[k] / mass;
    }
    return sum > 0.0 ? 1.0 / sum : 0.0;
}

// The row in the columns of its block here, from *first on; how many.
static int see_given(const least *l, const flx_given_row *g, int *first, double y[FLX_RIDE])
{
    const flx_pattern *p = &l->p->sys->pattern;
    int b = flx_pattern_block(p, g->first), r = g->first - p->start[b];
    bool rides = carrier_of(l, b) >= 0;
    *first = rides ? 0 : r;
    for (int c = 0; c < FLX_RIDE; c++) y[c] = rides || c >= g->n ? 0.0 : g->y[c];
    for (int k = 0; rides && k < g->n; k++) {
        for (int c = 0; c < FLX_RIDE; c++) y[c] += g->y[k] * part_of(l, b, r + k, c);
    }
    return rides ? FLX_RIDE : g->n;
}

// H; a row is of one block.
static void fill_given(least *l)
{
    memset(l->H, 0, flx_pattern_size(&l->pattern) * sizeof *l->H);
    for (int i = 0; i < l->how->ngiven; i++) {
        const flx_given_row *g = l->how->given + i;
        int own = l->own[flx_pattern_block(&l->p->sys->pattern, g->first)], first;
        double y[FLX_RIDE];
        if (own < 0) continue;
        int m = see_given(l, g, &first, y);
        int n = l->pattern.start[own + 1] - l->pattern.start[own];
        double weight = weight_of(l, g), *A = diagonal_of(l, l->H, own);
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) A[(first + r) * n + first + c] += weight * y[r] * y[c];
        }
    }
}

// K = H + e (M + S) over velocities, with the rows and their damping.
static flx_status factor(least *l, bool given, double share, double damping)
{
    const flx_pattern *p = &l->pattern;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            bool mass = p->start[i] < l->nu && p->start[p->col[e]] < l->nu;
            for (int k = p->offset[e]; k < p->offset[e + 1]; k++) {
                l->K[k] = (mass ? share : 1.0) * l->M[k] + (given && mass ? l->H[k] : 0.0);
            }
        }
    }
    for (int b = 0; b < p->nblock && p->start[b] < l->nu; b++) {
        int n = p->start[b + 1] - p->start[b];
        double *A = diagonal_of(l, l->K, b);
        for (int k = 0; k < n; k++) A[k * n + k] += share * l->shift[p->start[b] + k];
    }
    const flx_system *s = l->p->sys;
    for (int b = 0; b < s->pattern.nblock; b++) { // rows
        int own = l->own[b], row = s->pattern.start[b];
        if (row < flx_dims_first_constraint(&s->dims)) continue;
        int n = p->start[own + 1] - p->start[own];
        double *D = diagonal_of(l, l->K, own);
        for (int r = 0; r < n; r++) {
            double size = 0.0;
            for (int e = p->row[own]; e < p->row[own + 1]; e++) {
                int j = p->col[e], nc = p->start[j + 1] - p->start[j];
                if (p->start[j] >= l->nu) continue;
                const double *A = diagonal_of(l, l->K, j), *g = l->M + p->offset[e] + r * nc;
                for (int c = 0; c < nc; c++) size += g[c] * g[c] / A[c * nc + c];
            }
            bool active = flx_saddle_active(l->p->saddle, row + r) && size > 0.0;
            D[r * n + r] = active ? -damping * size : -1.0;
        }
    }
    flx_ldl_equilibrate(l->ldl, l->K);
    return flx_ldl_factor(l->ldl, l->K);
}

// ---- iterations -----------------------------------------------------------------------------------------

static double speed_of(const least *l, const double *v)
{
    double speed = 0.0;
    for (int i = 0; i < l->p->sys->dims.nv; i++) speed = fmax(speed, fabs(v[i]) / l->p->scale[i]);
    return speed;
}

// The rows into d, in the place of those here; what is not active has none.
static void take_rows(const least *l)
{
    const flx_system *s = l->p->sys;
    for (int b = 0; b < s->pattern.nblock; b++) {
        int row = s->pattern.start[b];
        if (row < flx_dims_first_constraint(&s->dims)) continue;
        for (int r = 0; r < s->pattern.start[b + 1] - row; r++) {
            bool active = flx_saddle_active(l->p->saddle, row + r);
            l->d[l->pattern.start[l->own[b]] + r] = active ? -l->p->row[row + r] : 0.0;
        }
    }
}

// Solve for d; v of the new velocities. Returns how far they change, of their scales.
static double solve(least *l, const flx_state *x)
{
    int nv = l->p->sys->dims.nv;
    flx_ldl_solve_refined(l->ldl, l->K, l->d, l->work, BACKWARD_ERROR, SWEEPS);
    memcpy(l->v, x->v, (size_t)nv * sizeof *l->v);
    add_change(l, l->d, l->v);
    double change = 0.0;
    for (int i = 0; i < nv; i++) change = fmax(change, fabs(l->v[i] - x->v[i]) / l->p->scale[i]);
    return change;
}

static flx_status gap_of(least *l, const flx_state *x, double *gap, int *worst)
{
    return flx_projector_gap(l->p, x, FLX_ROWS_VELOCITY, gap, worst);
}

// (START-3). The rows are linear in v: steps after the first remove what damping, the shift and rounding left.
static flx_status meet_rows(least *l, flx_state *x, double *gap, int *worst)
{
    int nv = l->p->sys->dims.nv;
    double damping = DAMPING, factored = 0.0;
    FLX_TRY(gap_of(l, x, gap, worst));
    if (*gap == 0.0) return FLX_OK;
    memset(l->u, 0, (size_t)unknowns(l) * sizeof *l->u);
    for (int k = 0; k < MOST_STEPS; k++) {
        double last = *gap, speed = fmax(speed_of(l, x->v), 1.0);
        if (damping != factored) FLX_TRY(factor(l, false, 1.0, damping));
        factored = damping;
        flx_pattern_apply(&l->pattern, l->M, l->u, l->d);
        for (int i = 0; i < l->nu; i++) l->d[i] = -l->d[i];
        take_rows(l);
        double change = solve(l, x);
        if (!isfinite(change)) return FLX_NOT_FINITE;
        flx_state_copy(l->p->at, x);
        memcpy(l->p->at->v, l->v, (size_t)nv * sizeof *l->v);
        FLX_TRY(gap_of(l, l->p->at, gap, worst));
        bool closed = last <= CLOSED * speed;
        if (!(*gap < last) && !closed) break; // as near as rounding allows
        memcpy(x->v, l->v, (size_t)nv * sizeof *l->v);
        for (int i = 0; i < unknowns(l); i++) l->u[i] += l->d[i];
        if (change <= SETTLED * speed || (closed && *gap >= last)) break;
        bool falling = k >= CAREFUL_STEPS && !rides_of(l);
        if (falling) damping = fmax(0.1 * damping, LAST_DAMPING);
    }
    return gap_of(l, x, gap, worst);
}

// Y^T D (Y v - y) against d, and the largest misfit, of the scale.
static double take_given(least *l, const double *v)
{
    const flx_system *s = l->p->sys;
    double most = 0.0;
    memset(l->misfit, 0, (size_t)s->dims.nv * sizeof *l->misfit);
    for (int i = 0; i < l->how->ngiven; i++) {
        const flx_given_row *g = l->how->given + i;
        double off = -g->value, scale = 0.0, weight = weight_of(l, g);
        for (int k = 0; k < g->n; k++) {
            off += g->y[k] * v[g->first + k];
            scale = fmax(scale, fabs(g->y[k]) * l->p->scale[g->first + k]);
        }
        most = fmax(most, fabs(off) / scale);
        for (int k = 0; k < g->n; k++) l->misfit[g->first + k] -= weight * g->y[k] * off;
    }
    memset(l->u, 0, (size_t)l->nu * sizeof *l->u); // forces of the rows alone
    flx_pattern_apply(&l->pattern, l->M, l->u, l->d);
    for (int i = 0; i < l->nu; i++) l->d[i] = -l->d[i];
    add_force(l, l->misfit, l->d);
    return most;
}

// (START-4)
static flx_status meet_given(least *l, flx_state *x, double *gap, int *worst)
{
    int nv = l->p->sys->dims.nv;
    double share = FIRST_SHARE, factored = 0.0, last = HUGE_VAL;
    fill_given(l);
    memset(l->u, 0, (size_t)unknowns(l) * sizeof *l->u);
    for (int k = 0; k < MOST_STEPS; k++) {
        double speed = fmax(speed_of(l, x->v), 1.0);
        double off = take_given(l, x->v);
        if (off <= SETTLED * speed) break;
        if (share != factored) FLX_TRY(factor(l, true, share, LAST_DAMPING));
        factored = share;
        take_rows(l);
        double change = solve(l, x);
        if (!isfinite(change)) return FLX_NOT_FINITE;
        flx_state_copy(l->p->at, x);
        memcpy(l->p->at->v, l->v, (size_t)nv * sizeof *l->v);
        FLX_TRY(gap_of(l, l->p->at, gap, worst));
        if (*gap > OPENED * speed) break;
        memcpy(x->v, l->v, (size_t)nv * sizeof *l->v);
        for (int i = l->nu; i < unknowns(l); i++) l->u[i] += l->d[i];
        if (change <= SETTLED * speed) break;
        if (change > 0.1 * last) share = fmax(1e-3 * share, LAST_SHARE);
        if (change > 0.5 * last && share == factored) break;
        last = change;
    }
    return gap_of(l, x, gap, worst);
}

void flx_least_destroy(struct flx_least **least_in)
{
    least *l = *least_in;
    if (!l) return;
    flx_arena *arena = l->arena; // which holds it
    flx_ldl_destroy(&l->ldl);
    flx_arena_destroy(&arena);
    *least_in = NULL;
}

static flx_status create(flx_projector *p, const flx_least_how *how, least **out)
{
    flx_arena *arena = flx_arena_create(p->sys->ctx);
    least *l = arena ? flx_arena_take(arena, 1, sizeof *l) : NULL;
    if (!l) {
        flx_arena_destroy(&arena);
        return FLX_ERR_MEMORY;
    }
    *l = (least){.p = p, .how = how, .arena = arena};
    *out = l;
    return make(l);
}

// The one that the projector keeps serves again, unless what is carried has other unknowns.
static flx_status take(flx_projector *p, const flx_least_how *how, least **out)
{
    if ((how && how->rides) || !p->least) return create(p, how, out);
    *out = p->least;
    p->least = NULL;
    (*out)->how = how;
    set_scale(*out);
    memset((*out)->M, 0, flx_pattern_size(&(*out)->pattern) * sizeof *(*out)->M);
    return FLX_OK;
}

flx_status flx_least_velocities(flx_projector *p, const flx_least_how *how, flx_state *x,
                                double *gap, int *worst)
{
    least *l = NULL;
    FLX_TRY(flx_projector_gap(p, x, FLX_ROWS_VELOCITY, gap, worst));
    bool given = how && how->ngiven > 0, rides = how && how->rides;
    if (*gap == 0.0 && !given) return FLX_OK;
    flx_status status = take(p, how, &l);
    if (status == FLX_OK) status = flx_projector_fill(p, x, FLX_ROWS_VELOCITY, !rides);
    if (status == FLX_OK) fill_mass(l);
    if (status == FLX_OK) status = set_shift(l);
    if (status == FLX_OK) status = meet_rows(l, x, gap, worst);
    if (status == FLX_OK && given) status = meet_given(l, x, gap, worst);
    if (p->keeps && !rides && status == FLX_OK) {
        p->least = l;
    } else {
        flx_least_destroy(&l);
    }
    return status;
}
