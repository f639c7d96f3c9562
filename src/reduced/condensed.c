// condensed.c - velocities S that follow the others, v_S = T v_M with a constant T, in any system.
//
// The base is taken at v_S = T v_M, v_S' = T v_M', and its equations along the moves that are left,
//     r_M + T^T r_S - T^T m (v_S' - T v_M') = 0,   m (v_S' - T v_M') = 0                  (RED-13)
// with m the diagonal of M_SS: the second equation makes the last term of the first vanish, and with it
// the inertia is symmetric and definite, so that every method takes the system. At the start S rests
// between the others, r_S = 0 without motion.
#include "reduced/condensed.h"

#include "base/common.h"
#include "math/pattern.h"
#include "system/wrapper.h"

#include <math.h>
#include <string.h>

typedef struct condensed {
    flx_wrapper z;
    int n, m;
    int *S, *M;              // (n) (m)
    double *T, *give, *mass; // (n x m) (n x n) (n)
    int *row;                // (unknowns) number among S; -1: none
    bool *touched;           // (blocks of the base) has one of S
    int *entry;              // (entries of the base) those here
} condensed;

typedef struct condensed_work {
    flx_wrapper_work base;
    flx_blocks blocks; // of the base
    double *v, *a;     // (nv)
} condensed_work;

static const condensed *condensed_of(const flx_system *s)
{
    return (const condensed *)s;
}

static condensed_work *work_of(flx_work *w)
{
    return (condensed_work *)w;
}

// ---- evaluation ---------------------------------------------------------------------------------

// (T u_M)_k
static double follow(const condensed *z, int k, const double *u)
{
    double sum = 0.0;
    for (int j = 0; j < z->m; j++) sum += z->T[k * z->m + j] * u[z->M[j]];
    return sum;
}

// The point as S follows.
static void move_point(const condensed *z, condensed_work *w, flx_point *p)
{
    size_t bytes = (size_t)z->z.base->dims.nv * sizeof(double);
    memcpy(w->v, p->v, bytes);
    memcpy(w->a, p->a, bytes);
    for (int k = 0; k < z->n; k++) {
        w->v[z->S[k]] = follow(z, k, p->v);
        w->a[z->S[k]] = follow(z, k, p->a);
    }
    p->v = w->v;
    p->a = w->a;
}

static flx_status residual(const flx_system *s, flx_work *work, const flx_point *p, double *r)
{
    const condensed *z = condensed_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    move_point(z, work_of(work), &at);
    FLX_TRY(base->ops->residual(base, flx_wrapper_inner(work), &at, r));
    for (int k = 0; k < z->n; k++) {
        int i = z->S[k];
        double apart = z->mass[k] * (p->a[i] - at.a[i]);
        for (int j = 0; j < z->m; j++) r[z->M[j]] += z->T[k * z->m + j] * (r[i] - apart);
        r[i] = apart;
    }
    return FLX_OK;
}

// A number of the base at a row and a column into A here: S gives it to the rows that it follows, and,
// of velocities and accelerations, to their columns.
static void fold(const condensed *z, double *A, int i, int j, double value, bool columns)
{
    const flx_pattern *p = &z->z.sys.pattern;
    int k = z->row[i], l = columns ? z->row[j] : -1;
    if (value == 0.0) return;
    for (int a = 0; a < (k < 0 ? 1 : z->m); a++) {
        double part = k < 0 ? value : z->T[k * z->m + a] * value;
        int row = k < 0 ? i : z->M[a];
        for (int b = 0; b < (l < 0 ? 1 : z->m); b++) {
            int col = l < 0 ? j : z->M[b];
            *flx_pattern_place(p, A, row, col) += l < 0 ? part : part * z->T[l * z->m + b];
        }
    }
}

static void fold_entry(const condensed *z, const flx_blocks *from, int bi, int e, flx_blocks *b)
{
    const flx_pattern *p = &z->z.base->pattern;
    int bj = p->col[e], at = p->offset[e];
    for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
        for (int j = p->start[bj]; j < p->start[bj + 1]; j++, at++) {
            fold(z, b->A0, i, j, from->A0[at], false);
            fold(z, b->A1, i, j, from->A1[at], true);
            fold(z, b->A2, i, j, from->A2[at], true);
        }
    }
}

static void copy_entry(const condensed *z, const flx_blocks *from, int e, flx_blocks *b)
{
    const flx_pattern *there = &z->z.base->pattern, *here = &z->z.sys.pattern;
    int at = there->offset[e], to = here->offset[z->entry[e]];
    for (int k = 0; k < there->offset[e + 1] - at; k++) {
        b->A0[to + k] += from->A0[at + k];
        b->A1[to + k] += from->A1[at + k];
        b->A2[to + k] += from->A2[at + k];
    }
}

// m (-T, 1)^T (-T, 1)
static void add_links(const condensed *z, double *A2)
{
    const flx_pattern *p = &z->z.sys.pattern;
    for (int k = 0; k < z->n; k++) {
        const double *T = z->T + k * z->m;
        *flx_pattern_place(p, A2, z->S[k], z->S[k]) += z->mass[k];
        for (int i = 0; i < z->m; i++) {
            *flx_pattern_place(p, A2, z->S[k], z->M[i]) -= z->mass[k] * T[i];
            *flx_pattern_place(p, A2, z->M[i], z->S[k]) -= z->mass[k] * T[i];
            for (int j = 0; j < z->m; j++) {
                *flx_pattern_place(p, A2, z->M[i], z->M[j]) += z->mass[k] * T[i] * T[j];
            }
        }
    }
}

static flx_status linearise(const flx_system *s, flx_work *work, const flx_point *p, flx_blocks *b)
{
    const condensed *z = condensed_of(s);
    const flx_system *base = z->z.base;
    condensed_work *w = work_of(work);
    const flx_pattern *there = &base->pattern;
    flx_point at = *p;
    move_point(z, w, &at);
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->blocks));
    flx_pattern_clear(&s->pattern, b);
    for (int bi = 0; bi < there->nblock; bi++) {
        for (int e = there->row[bi]; e < there->row[bi + 1]; e++) {
            if (z->touched[bi] || z->touched[there->col[e]]) {
                fold_entry(z, &w->blocks, bi, e, b);
            } else {
                copy_entry(z, &w->blocks, e, b);
            }
        }
    }
    add_links(z, b->A2);
    return FLX_OK;
}

static flx_status energy(const flx_system *s, flx_work *work, const flx_point *p, flx_energies *e)
{
    const condensed *z = condensed_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    move_point(z, work_of(work), &at);
    return base->ops->energy(base, flx_wrapper_inner(work), &at, e);
}

// p_M + T^T p_S and the same of what its rate has; with the links of (RED-13), which do not change.
static void gather(const condensed *z, double *u)
{
    for (int k = 0; k < z->n; k++) {
        int i = z->S[k];
        for (int j = 0; j < z->m; j++) u[z->M[j]] += z->T[k * z->m + j] * u[i];
        u[i] = 0.0;
    }
}

static flx_status momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    const condensed *z = condensed_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    move_point(z, work_of(work), &at);
    FLX_TRY(base->ops->lagrangian->momentum(base, flx_wrapper_inner(work), &at, Mv));
    gather(z, Mv);
    for (int k = 0; k < z->n; k++) {
        int i = z->S[k];
        double apart = z->mass[k] * (p->v[i] - at.v[i]);
        for (int j = 0; j < z->m; j++) Mv[z->M[j]] -= z->T[k * z->m + j] * apart;
        Mv[i] += apart;
    }
    return FLX_OK;
}

static flx_status transport(const flx_system *s, flx_work *work, const flx_point *p, double *out)
{
    const condensed *z = condensed_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    move_point(z, work_of(work), &at);
    FLX_TRY(base->ops->lagrangian->transport(base, flx_wrapper_inner(work), &at, out));
    gather(z, out);
    return FLX_OK;
}

static const flx_lagrangian lagrangian = {.momentum = momentum, .transport = transport};

// ---- life ---------------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    size_t nv = (size_t)base->dims.nv;
    condensed_work *w = flx_wrapper_work_create(s, sizeof *w);
    if (!w) return NULL;
    w->v = flx_arena_take(w->base.arena, nv, sizeof *w->v);
    w->a = flx_arena_take(w->base.arena, nv, sizeof *w->a);
    if (w->v && w->a && flx_pattern_take(&base->pattern, w->base.arena, &w->blocks))
        return &w->base.base;
    flx_wrapper_work_destroy(&w->base.base);
    return NULL;
}

// ---- create -------------------------------------------------------------------------------------

// Constraints hold what keeps its own equations.
static flx_status refuse_constraints(const condensed *z)
{
    const flx_system *base = z->z.base;
    const flx_pattern *p = &base->pattern;
    int first = flx_dims_first_constraint(&base->dims);
    for (int k = 0; k < z->n; k++) {
        int b = flx_pattern_block(p, z->S[k]);
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int constraint = p->start[p->col[e]];
            if (constraint < first) continue;
            flx_unknown u = {0}, held = {0};
            base->ops->unknown(base, constraint, &u);
            base->ops->unknown(base, z->S[k], &held);
            if (u.C != 0.0 || u.E != 0.0) continue;
            return FLX_FAIL(base->ctx, FLX_ERR_CANNOT, u.loc,
                            "'%s' holds '%s', which is condensed: static condensation keeps what "
                            "constraints hold; take '%s' out of `condense`",
                            u.item ? u.item : "?", held.item ? held.item : "?",
                            held.item ? held.item : "?");
        }
    }
    return FLX_OK;
}

// All entries that fold may fill: those of the base, and of S those of M in its place.
static int collect_keys(const condensed *z, bool *masters, long long *keys)
{
    const flx_pattern *p = &z->z.base->pattern;
    int n = 0;
    for (int j = 0; j < z->m; j++) masters[flx_pattern_block(p, z->M[j])] = true;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int bj = p->col[e];
            keys[n++] = (long long)bi * p->nblock + bj;
            if (!z->touched[bi]) continue;
            for (int b = 0; b < p->nblock; b++) {
                if (!masters[b]) continue;
                keys[n++] = (long long)b * p->nblock + bj;
                keys[n++] = (long long)bj * p->nblock + b;
            }
        }
    }
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int bj = 0; bj < p->nblock && masters[bi]; bj++) {
            if (masters[bj]) keys[n++] = (long long)bi * p->nblock + bj;
        }
    }
    return n;
}

static flx_status make_pattern(condensed *z)
{
    const flx_pattern *p = &z->z.base->pattern;
    size_t nblock = (size_t)p->nblock, nentry = (size_t)p->row[p->nblock], m = (size_t)z->m;
    bool *masters = flx_arena_take(z->z.arena, nblock, sizeof *masters);
    z->touched = flx_arena_take(z->z.arena, nblock, sizeof *z->touched);
    if (!masters || !z->touched) return FLX_ERR_MEMORY;
    for (int k = 0; k < z->n; k++) z->touched[flx_pattern_block(p, z->S[k])] = true;
    long long *keys = flx_alloc(z->z.sys.ctx, nentry * (1 + 2 * m) + m * m, sizeof *keys);
    if (!keys) return FLX_ERR_MEMORY;
    int n = collect_keys(z, masters, keys);
    flx_status status = flx_wrapper_make_pattern(&z->z, n, keys, &z->entry);
    flx_free(keys);
    return status;
}

static flx_status build(condensed *z, const flx_condensed_how *how)
{
    size_t n = (size_t)how->n, m = (size_t)how->m;
    size_t all = (size_t)flx_dims_unknowns(&z->z.base->dims);
    z->n = how->n;
    z->m = how->m;
    z->S = flx_arena_take(z->z.arena, n, sizeof *z->S);
    z->M = flx_arena_take(z->z.arena, m, sizeof *z->M);
    z->T = flx_arena_take(z->z.arena, n * m, sizeof *z->T);
    z->give = flx_arena_take(z->z.arena, n * n, sizeof *z->give);
    z->mass = flx_arena_take(z->z.arena, n, sizeof *z->mass);
    z->row = flx_arena_take(z->z.arena, all, sizeof *z->row);
    if (!z->S || !z->M || !z->T || !z->give || !z->mass || !z->row) return FLX_ERR_MEMORY;
    memcpy(z->S, how->S, n * sizeof *z->S);
    if (m > 0) memcpy(z->M, how->M, m * sizeof *z->M);
    if (m > 0) memcpy(z->T, how->T, n * m * sizeof *z->T);
    memcpy(z->give, how->give, n * n * sizeof *z->give);
    memcpy(z->mass, how->mass, n * sizeof *z->mass);
    for (size_t i = 0; i < all; i++) z->row[i] = -1;
    for (int k = 0; k < z->n; k++) z->row[z->S[k]] = k;
    FLX_TRY(refuse_constraints(z));
    bool plain[2] = {false, false};
    FLX_TRY(flx_wrapper_plain(&z->z, z->n, z->S, plain));
    FLX_TRY(flx_wrapper_plain(&z->z, z->m, z->M, plain + 1));
    if (plain[0] && plain[1] && z->z.base->ops->lagrangian) z->z.ops.lagrangian = &lagrangian;
    return make_pattern(z);
}

flx_status flx_condensed_create(flx_system *base, const flx_condensed_how *how, flx_system **s)
{
    *s = NULL;
    condensed *z = flx_wrapper_create(base, "condensed", sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    z->z.ops.residual = residual;
    z->z.frozen = "what a static condensation makes follow";
    z->z.ops.linearise = linearise;
    z->z.ops.work_create = work_create;
    z->z.ops.explicit_form = flx_wrapper_explicit(&z->z);
    if (base->ops->energy) z->z.ops.energy = energy;
    return flx_wrapper_finish(&z->z, build(z, how), s);
}

// ---- the start ----------------------------------------------------------------------------------

#define MAX_ITERATIONS 100
#define SETTLED 1e-13 // of the scale of a coordinate

// Forces of constraints that give way, without motion, and the residual with them. still: velocities,
// accelerations and rates of zero.
static flx_status find_forces(const condensed *z, flx_work *work, flx_state *still, double *r)
{
    const flx_system *base = z->z.base;
    const flx_dims *d = &base->dims;
    int first = flx_dims_first_constraint(d);
    memset(still->lam, 0, (size_t)d->nlam * sizeof *still->lam);
    flx_point p = flx_state_point(base, still);
    FLX_TRY(base->ops->residual(base, work, &p, r));
    if (d->nlam == 0) return FLX_OK;
    for (int i = 0; i < d->nlam; i++) {
        flx_unknown u = {0};
        base->ops->unknown(base, first + i, &u);
        if (u.C != 0.0) still->lam[i] = r[first + i] / u.C;
    }
    return base->ops->residual(base, work, &p, r);
}

// q_S <- q_S - K_SS^-1 r_S until it stays.
static flx_status settle(const condensed *z, flx_work *work, flx_state *still, double *theta,
                         double *r)
{
    const flx_system *base = z->z.base;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double largest = 0.0;
        FLX_TRY(find_forces(z, work, still, r));
        memset(theta, 0, (size_t)base->dims.nv * sizeof *theta);
        for (int i = 0; i < z->n; i++) {
            flx_unknown u = {0};
            base->ops->unknown(base, z->S[i], &u);
            for (int j = 0; j < z->n; j++) theta[z->S[i]] -= z->give[i * z->n + j] * r[z->S[j]];
            largest = fmax(largest, fabs(theta[z->S[i]]) / (u.scale > 0.0 ? u.scale : 1.0));
        }
        if (!isfinite(largest)) return FLX_NOT_FINITE;
        base->ops->retract(base, still->q, theta, still->q);
        if (largest <= SETTLED) return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

static flx_status rest(const condensed *z, flx_state *x)
{
    const flx_system *base = z->z.base;
    const flx_dims *d = &base->dims;
    flx_state *still = NULL;
    flx_work *work = base->ops->work_create(base);
    size_t n = (size_t)flx_dims_unknowns(d), nv = (size_t)d->nv;
    double *block = flx_alloc(base->ctx, n + nv, sizeof *block);
    flx_status status = work && block ? flx_state_create(base, &still) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        still->t = x->t;
        memcpy(still->q, x->q, (size_t)d->nq * sizeof *still->q);
        memcpy(still->x, x->x, (size_t)d->nx * sizeof *still->x);
        memcpy(still->w, x->w, (size_t)d->nw * sizeof *still->w);
        memcpy(still->switches, x->switches, (size_t)d->nswitch * sizeof *still->switches);
        status = settle(z, work, still, block, block + nv);
    }
    if (status == FLX_OK) memcpy(x->q, still->q, (size_t)d->nq * sizeof *still->q);
    flx_state_destroy(&still);
    flx_free(block);
    if (work) base->ops->work_destroy(work);
    return status;
}

flx_status flx_condensed_follow(const flx_system *s, flx_state *x)
{
    while (flx_wrapper_is(s)) {
        if (s->ops->residual == residual) {
            const condensed *z = condensed_of(s);
            FLX_TRY(rest(z, x));
            for (int k = 0; k < z->n; k++) x->v[z->S[k]] = follow(z, k, x->v);
        }
        s = flx_wrapper_of(s)->base;
    }
    return FLX_OK;
}

int flx_condensed_list(const flx_system *s, const int **S)
{
    bool is = flx_wrapper_is(s) && s->ops->residual == residual;
    *S = is ? condensed_of(s)->S : NULL;
    return is ? condensed_of(s)->n : 0;
}
