// rotated.c - velocities E of any system in other coordinates, v_E = T v^_E, positions as they are. Residual and
// tangent along the new ones:
//     r^ = T^T r(t, q, T v^, T v^', ...),   A^ = T^T A T,   q (+) T theta^                (RED-14)
#include "reduced/rotated.h"

#include "base/common.h"
#include "math/pattern.h"
#include "system/wrapper.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDING (1024.0 * DBL_EPSILON)

typedef struct rotated {
    flx_wrapper z;
    int n;
    int *E;              // (n)
    int *place;          // (n) their positions among q
    double *T, *inverse; // (n x n)
    double *step;        // (n x n) how positions move along the new coordinates
    double *scale;       // (n) typical sizes
    int *number;         // (unknowns) among E; -1: none
    bool *touched;       // (blocks) has one of E
    int *entry;          // (entries of the base) those here
} rotated;

typedef struct rotated_work {
    flx_wrapper_work base;
    flx_blocks blocks;
    double *v, *a, *theta; // (nv)
} rotated_work;

static const rotated *rotated_of(const flx_system *s)
{
    return (const rotated *)s;
}

static rotated_work *work_of(flx_work *w)
{
    return (rotated_work *)w;
}

// u_E <- A u_E, or A^T u_E
static void apply(const rotated *z, const double *A, bool transposed, double *u)
{
    double out[FLX_ROTATED_MOST];
    for (int i = 0; i < z->n; i++) {
        out[i] = 0.0;
        for (int j = 0; j < z->n; j++)
            out[i] += A[transposed ? i * z->n + j : j * z->n + i] * u[z->E[j]];
    }
    for (int i = 0; i < z->n; i++) u[z->E[i]] = out[i];
}

static const double *turn(const rotated *z, const double *u, double *out)
{
    memcpy(out, u, (size_t)z->z.base->dims.nv * sizeof *out);
    apply(z, z->T, false, out);
    return out;
}

// ---- chart --------------------------------------------------------------------------------------

// Positions of E are plain numbers, and move by `step` times theta_E.
static void retract(const flx_system *s, const double *q, const double *theta, double *q_out)
{
    const rotated *z = rotated_of(s);
    double moved[FLX_ROTATED_MOST];
    for (int i = 0; i < z->n; i++) {
        moved[i] = q[z->place[i]];
        for (int j = 0; j < z->n; j++) moved[i] += z->step[j * z->n + i] * theta[z->E[j]];
    }
    z->z.base->ops->retract(z->z.base, q, theta, q_out);
    for (int i = 0; i < z->n; i++) q_out[z->place[i]] = moved[i];
}

static void difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    const rotated *z = rotated_of(s);
    z->z.base->ops->difference(z->z.base, q0, q1, theta);
    apply(z, z->inverse, false, theta);
}

static void component_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    if (base->ops->components) {
        base->ops->components->rate(base, q, v, dq);
    } else {
        memcpy(dq, v, (size_t)base->dims.nv * sizeof *dq);
    }
    for (int i = 0; i < z->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < z->n; j++) sum += z->step[j * z->n + i] * v[z->E[j]];
        dq[z->place[i]] = sum;
    }
}

static void component_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    if (base->ops->components) {
        base->ops->components->velocity(base, q, dq, v);
    } else {
        memcpy(v, dq, (size_t)base->dims.nv * sizeof *v);
    }
    apply(z, z->inverse, false, v);
}

static void component_normalise(const flx_system *s, double *q)
{
    const flx_system *base = rotated_of(s)->z.base;
    if (base->ops->components) base->ops->components->normalise(base, q);
}

static const flx_components components = {component_rate, component_velocity, component_normalise};

// ---- evaluation ---------------------------------------------------------------------------------

static void see_point(const flx_system *s, flx_work *w, flx_point *p)
{
    const rotated *z = rotated_of(s);
    p->v = turn(z, p->v, work_of(w)->v);
    p->a = turn(z, p->a, work_of(w)->a);
}

static void see_state(const flx_system *s, flx_work *w, flx_state *x)
{
    const rotated *z = rotated_of(s);
    turn(z, x->v, work_of(w)->v);
    turn(z, x->a, work_of(w)->a);
    x->v = work_of(w)->v;
    x->a = work_of(w)->a;
}

static flx_status residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    FLX_TRY(base->ops->residual(base, flx_wrapper_inner(w), &at, r));
    apply(z, z->T, true, r);
    return FLX_OK;
}

// A number of the base at a row and a column, T^T on the left and T on the right.
static void spread(const rotated *z, double *A, int i, int j, double value)
{
    const flx_pattern *p = &z->z.sys.pattern;
    int k = z->number[i], l = z->number[j];
    if (value == 0.0) return;
    for (int a = 0; a < (k < 0 ? 1 : z->n); a++) {
        double part = k < 0 ? value : value * z->T[a * z->n + k];
        for (int b = 0; b < (l < 0 ? 1 : z->n); b++) {
            *flx_pattern_place(p, A, k < 0 ? i : z->E[a], l < 0 ? j : z->E[b]) +=
                l < 0 ? part : part * z->T[b * z->n + l];
        }
    }
}

static void spread_entry(const rotated *z, const flx_blocks *from, int bi, int e, flx_blocks *b)
{
    const flx_pattern *p = &z->z.base->pattern;
    int bj = p->col[e], at = p->offset[e];
    for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
        for (int j = p->start[bj]; j < p->start[bj + 1]; j++, at++) {
            spread(z, b->A0, i, j, from->A0[at]);
            spread(z, b->A1, i, j, from->A1[at]);
            spread(z, b->A2, i, j, from->A2[at]);
        }
    }
}

static flx_status linearise(const flx_system *s, flx_work *work, const flx_point *p, flx_blocks *b)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    rotated_work *w = work_of(work);
    const flx_pattern *there = &base->pattern;
    flx_point at = *p;
    see_point(s, work, &at);
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->blocks));
    flx_pattern_clear(&s->pattern, b);
    for (int bi = 0; bi < there->nblock; bi++) {
        for (int e = there->row[bi]; e < there->row[bi + 1]; e++) {
            if (z->touched[bi] || z->touched[there->col[e]]) {
                spread_entry(z, &w->blocks, bi, e, b);
            } else {
                flx_wrapper_copy_entry(&z->z, &w->blocks, e, z->entry[e], b);
            }
        }
    }
    return FLX_OK;
}

static flx_status constraint_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    const flx_system *base = rotated_of(s)->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    return base->ops->constraint_rate(base, flx_wrapper_inner(w), &at, gd);
}

static flx_status constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *eta, double *out)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    FLX_TRY(base->ops->constraint_force(base, flx_wrapper_inner(w), &at, eta, out));
    apply(z, z->T, true, out);
    return FLX_OK;
}

static flx_status constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                  double *bias)
{
    const flx_system *base = rotated_of(s)->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    return base->ops->constraint_bias(base, flx_wrapper_inner(w), &at, bias);
}

static flx_status constraint_slope(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *theta, double *out)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    return base->ops->constraint_slope(base, flx_wrapper_inner(w), &at,
                                       turn(z, theta, work_of(w)->theta), out);
}

static flx_status energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    const flx_system *base = rotated_of(s)->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    return base->ops->energy(base, flx_wrapper_inner(w), &at, e);
}

// p^ = T^T p, and so what its rate has: E belongs to no group.
static flx_status momentum(const flx_system *s, flx_work *w, const flx_point *p, double *Mv)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    FLX_TRY(base->ops->lagrangian->momentum(base, flx_wrapper_inner(w), &at, Mv));
    apply(z, z->T, true, Mv);
    return FLX_OK;
}

static flx_status transport(const flx_system *s, flx_work *w, const flx_point *p, double *out)
{
    const rotated *z = rotated_of(s);
    const flx_system *base = z->z.base;
    flx_point at = *p;
    see_point(s, w, &at);
    FLX_TRY(base->ops->lagrangian->transport(base, flx_wrapper_inner(w), &at, out));
    apply(z, z->T, true, out);
    return FLX_OK;
}

static const flx_lagrangian lagrangian = {.momentum = momentum, .transport = transport};

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const rotated *z = rotated_of(s);
    z->z.base->ops->unknown(z->z.base, i, u);
    if (z->number[i] >= 0) u->scale = z->scale[z->number[i]];
}

// ---- life ---------------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    size_t nv = (size_t)base->dims.nv;
    rotated_work *w = flx_wrapper_work_create(s, sizeof *w);
    if (!w) return NULL;
    w->v = flx_arena_take(w->base.arena, nv, sizeof *w->v);
    w->a = flx_arena_take(w->base.arena, nv, sizeof *w->a);
    w->theta = flx_arena_take(w->base.arena, nv, sizeof *w->theta);
    if (w->v && w->a && w->theta && flx_pattern_take(&base->pattern, w->base.arena, &w->blocks))
        return &w->base.base;
    flx_wrapper_work_destroy(&w->base.base);
    return NULL;
}

// ---- create -------------------------------------------------------------------------------------

// How the base moves the positions, by its own coordinates; then by the new ones.
static void find_step(rotated *z, const double *q, double *theta, double *moved)
{
    const flx_system *base = z->z.base;
    double own[FLX_ROTATED_MOST];
    for (int j = 0; j < z->n; j++) {
        for (int k = 0; k < z->n; k++) theta[z->E[k]] = z->T[j * z->n + k];
        base->ops->retract(base, q, theta, moved);
        double most = 0.0; // there and back leaves rounding
        for (int i = 0; i < z->n; i++) {
            own[i] = moved[z->place[i]] - q[z->place[i]];
            most = fmax(most, fabs(own[i]));
        }
        for (int i = 0; i < z->n; i++) own[i] = fabs(own[i]) > ROUNDING * most ? own[i] : 0.0;
        memcpy(z->step + j * z->n, own, (size_t)z->n * sizeof *own);
    }
    for (int k = 0; k < z->n; k++) theta[z->E[k]] = 0.0;
}

// A new coordinate is as large as what moves the innermost ones by their sizes, the least of these.
static void find_scales(rotated *z)
{
    const flx_system *inner = flx_wrapper_innermost(z->z.base);
    for (int j = 0; j < z->n; j++) {
        z->scale[j] = HUGE_VAL;
        for (int i = 0; i < z->n; i++) {
            flx_unknown u = {0};
            double much = fabs(z->step[j * z->n + i]);
            inner->ops->unknown(inner, z->E[i], &u);
            if (much > 0.0) z->scale[j] = fmin(z->scale[j], (u.scale > 0.0 ? u.scale : 1.0) / much);
        }
    }
}

static flx_status find_places(rotated *z)
{
    const flx_system *inner = flx_wrapper_innermost(z->z.base);
    flx_state *x = NULL;
    double *theta = flx_arena_take(z->z.arena, (size_t)inner->dims.nv, sizeof *theta);
    double *moved = flx_arena_take(z->z.arena, (size_t)inner->dims.nq, sizeof *moved);
    if (!theta || !moved) return FLX_ERR_MEMORY;
    FLX_TRY(flx_wrapper_places(&z->z, z->n, z->E, z->place));
    for (int i = 0; i < z->n; i++) {
        if (z->place[i] >= 0) continue;
        flx_unknown u = {0};
        inner->ops->unknown(inner, z->E[i], &u);
        return FLX_FAIL(inner->ctx, FLX_ERR_CANNOT, u.loc,
                        "'%s' (%s) is no plain coordinate and cannot be scaled",
                        u.item ? u.item : "?", u.part ? u.part : "?");
    }
    FLX_TRY(flx_state_create(inner, &x));
    find_step(z, x->q, theta, moved);
    find_scales(z);
    flx_state_destroy(&x);
    return FLX_OK;
}

static int collect_keys(const rotated *z, long long *keys)
{
    const flx_pattern *p = &z->z.base->pattern;
    int n = 0;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int bj = p->col[e];
            keys[n++] = (long long)bi * p->nblock + bj;
            for (int b = 0; b < p->nblock && z->touched[bi]; b++) {
                if (!z->touched[b]) continue;
                keys[n++] = (long long)b * p->nblock + bj;
                keys[n++] = (long long)bj * p->nblock + b;
            }
        }
    }
    return n;
}

static flx_status make_pattern(rotated *z)
{
    const flx_pattern *p = &z->z.base->pattern;
    size_t nentry = (size_t)p->row[p->nblock];
    z->touched = flx_arena_take(z->z.arena, (size_t)p->nblock, sizeof *z->touched);
    if (!z->touched) return FLX_ERR_MEMORY;
    for (int k = 0; k < z->n; k++) z->touched[flx_pattern_block(p, z->E[k])] = true;
    long long *keys = flx_alloc(z->z.sys.ctx, nentry * (1 + 2 * (size_t)z->n), sizeof *keys);
    if (!keys) return FLX_ERR_MEMORY;
    int n = collect_keys(z, keys);
    flx_status status = flx_wrapper_make_pattern(&z->z, n, keys, &z->entry);
    flx_free(keys);
    return status;
}

static flx_status build(rotated *z, const flx_rotated_how *how)
{
    size_t n = (size_t)how->n, all = (size_t)flx_dims_unknowns(&z->z.base->dims);
    if (how->n > FLX_ROTATED_MOST) {
        return FLX_FAIL(z->z.sys.ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "at most %d coordinates are scaled together, not %d", FLX_ROTATED_MOST,
                        how->n);
    }
    z->n = how->n;
    z->E = flx_arena_take(z->z.arena, n, sizeof *z->E);
    z->place = flx_arena_take(z->z.arena, n, sizeof *z->place);
    z->T = flx_arena_take(z->z.arena, n * n, sizeof *z->T);
    z->inverse = flx_arena_take(z->z.arena, n * n, sizeof *z->inverse);
    z->step = flx_arena_take(z->z.arena, n * n, sizeof *z->step);
    z->scale = flx_arena_take(z->z.arena, n, sizeof *z->scale);
    z->number = flx_arena_take(z->z.arena, all, sizeof *z->number);
    if (!z->E || !z->place || !z->T || !z->inverse || !z->step || !z->scale || !z->number)
        return FLX_ERR_MEMORY;
    memcpy(z->E, how->E, n * sizeof *z->E);
    memcpy(z->T, how->T, n * n * sizeof *z->T);
    memcpy(z->inverse, how->inverse, n * n * sizeof *z->inverse);
    for (size_t i = 0; i < all; i++) z->number[i] = -1;
    for (int k = 0; k < z->n; k++) z->number[z->E[k]] = k;
    FLX_TRY(find_places(z));
    return make_pattern(z);
}

static void fill_ops(rotated *z)
{
    const flx_system_ops *b = z->z.base->ops;
    flx_system_ops *o = &z->z.ops;
    o->residual = residual;
    o->linearise = linearise;
    o->retract = retract;
    o->difference = difference;
    o->components = &components;
    o->unknown = unknown;
    o->work_create = work_create;
    o->constraint_rate = b->constraint_rate ? constraint_rate : NULL;
    o->constraint_force = b->constraint_force ? constraint_force : NULL;
    o->constraint_bias = b->constraint_bias ? constraint_bias : NULL;
    o->constraint_slope = b->constraint_slope ? constraint_slope : NULL;
    o->energy = b->energy ? energy : NULL;
    o->lagrangian = b->lagrangian ? &lagrangian : NULL;
    z->z.point = see_point;
    z->z.state = see_state;
}

flx_status flx_rotated_create(flx_system *base, const flx_rotated_how *how, flx_system **s)
{
    *s = NULL;
    rotated *z = flx_wrapper_create(base, "rotated", sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    fill_ops(z);
    z->z.frozen = "the scaling of coordinates";
    return flx_wrapper_finish(&z->z, build(z, how), s);
}
