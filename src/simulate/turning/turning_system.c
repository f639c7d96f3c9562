// turning_system.c - a descriptor at rest in axes that turn. Its residual is that of the base with v(q), v'(q) of (TURN-1), and
// along moves theta
//
//     K + D W + M L W,   W theta = dv,  L W theta = dv':
//     places W = Omega~, L W = Omega~^2;   rotations W = (R^T Omega)~, L W = 0                     (TURN-2)
#include "simulate/turning/turning_system.h"

#include "descriptor/descriptor.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

typedef struct turning_system {
    flx_wrapper z;
    const flx_turning *t;
    int *body; // (blocks) that a block of velocities belongs to, -1: none
} turning_system;

typedef struct turning_work {
    flx_wrapper_work base;
    double *v, *a; // (nv)
} turning_work;

static const turning_system *turning_of(const flx_system *s)
{
    return (const turning_system *)s;
}

// ---- the rotation -------------------------------------------------------------------------------

// From the axis, or of a slope, which is no place, all of it.
static v3 arm_of(const flx_turning *t, int body, const flx_body_axes *b, const double *q)
{
    v3 r = v3_make(q[b->q], q[b->q + 1], b->linear > 2 ? q[b->q + 2] : 0.0);
    return t->model->bodies[body].slope ? r : v3_sub(r, t->centre);
}

void flx_turning_set(const flx_turning *t, const flx_system *s, const double *q, double *v,
                     double *a)
{
    flx_body_axes b;
    memset(v, 0, (size_t)s->dims.nv * sizeof *v);
    memset(a, 0, (size_t)s->dims.nv * sizeof *a);
    for (int i = 0; flx_descriptor_body_axes(s, q, i, &b); i++) {
        if (!t->turns[i]) continue;
        v3 rate = v3_cross(t->spin, arm_of(t, i, &b, q)), turn = v3_cross(t->spin, rate);
        const double own[2][3] = {{rate.x, rate.y, rate.z}, {turn.x, turn.y, turn.z}};
        memcpy(v + b.v, own[0], (size_t)b.linear * sizeof *v);
        memcpy(a + b.v, own[1], (size_t)b.linear * sizeof *a);
        if (b.angular == 1) v[b.v + b.linear] = t->spin.z;
        if (b.angular == 3) v3_store(v + b.v + b.linear, m33_tmul_v(b.R, t->spin));
    }
}

void flx_turning_move(const flx_turning *t, const flx_system *s, const double *q, double angle,
                      double *theta)
{
    flx_body_axes b;
    double size = v3_norm(t->spin);
    v3 turn = size > 0 ? v3_scale(angle / size, t->spin) : v3_make(0, 0, 0);
    m33 R = quat_to_m33(quat_exp(turn));
    memset(theta, 0, (size_t)s->dims.nv * sizeof *theta);
    for (int i = 0; flx_descriptor_body_axes(s, q, i, &b); i++) {
        if (!t->turns[i]) continue;
        v3 arm = arm_of(t, i, &b, q), way = v3_sub(m33_mul_v(R, arm), arm);
        const double own[3] = {way.x, way.y, way.z};
        memcpy(theta + b.v, own, (size_t)b.linear * sizeof *theta);
        if (b.angular == 1) theta[b.v + b.linear] = turn.z;
        if (b.angular == 3) v3_store(theta + b.v + b.linear, m33_tmul_v(b.R, turn));
    }
}

// ---- evaluation ---------------------------------------------------------------------------------

static flx_point moving(const flx_system *s, flx_work *work, const flx_point *p)
{
    turning_work *w = (turning_work *)work;
    flx_point at = *p;
    flx_turning_set(turning_of(s)->t, flx_wrapper_of(s)->base, p->q, w->v, w->a);
    at.v = w->v;
    at.a = w->a;
    return at;
}

static flx_status residual(const flx_system *s, flx_work *work, const flx_point *p, double *r)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    flx_point at = moving(s, work, p);
    return base->ops->residual(base, flx_wrapper_inner(work), &at, r);
}

// W and L W of a body, over its own velocities.
static void slopes_of(const flx_turning *t, const flx_body_axes *b, double W[36], double LW[36])
{
    int n = b->linear + b->angular;
    m33 spin = m33_skew(t->spin), square = m33_mul(spin, spin);
    memset(W, 0, 36 * sizeof *W);
    memset(LW, 0, 36 * sizeof *LW);
    for (int i = 0; i < b->linear; i++) {
        for (int j = 0; j < b->linear; j++) {
            W[n * i + j] = spin.m[3 * i + j];
            LW[n * i + j] = square.m[3 * i + j];
        }
    }
    if (b->angular != 3) return;
    m33 own = m33_skew(m33_tmul_v(b->R, t->spin));
    for (int i = 0; i < 9; i++) W[n * (3 + i / 3) + 3 + i % 3] = own.m[i];
}

// An entry (rows, n) of A0 by those of A1 and A2. Of forces A1 goes: what is at rest has no rate.
static void turn_entry(int rows, int n, const double *W, const double *LW, bool force, double *A0,
                       double *A1, const double *A2)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                A0[n * i + j] += A1[n * i + k] * W[n * k + j] + A2[n * i + k] * LW[n * k + j];
            }
        }
    }
    if (force) memset(A1, 0, (size_t)(rows * n) * sizeof *A1);
}

// Rigid rows of velocities restrict moves by their A1, and are not looked at otherwise, as at rest.
static bool is_rigid_velocity(const flx_system *s, int row)
{
    flx_unknown u;
    int first = flx_dims_unknowns(&s->dims) - s->dims.nmu;
    if (row < first) return false;
    s->ops->unknown(s, row, &u);
    return !(u.E > 0.0);
}

static flx_status linearise(const flx_system *s, flx_work *work, const flx_point *p, flx_blocks *b)
{
    const turning_system *z = turning_of(s);
    const flx_system *base = z->z.base;
    const flx_pattern *pattern = &s->pattern;
    flx_point at = moving(s, work, p);
    flx_pattern_clear(pattern, b);
    FLX_TRY(base->ops->linearise(base, flx_wrapper_inner(work), &at, b));
    for (int bi = 0; bi < pattern->nblock; bi++) {
        int rows = pattern->start[bi + 1] - pattern->start[bi];
        bool velocity = is_rigid_velocity(s, pattern->start[bi]);
        for (int e = pattern->row[bi]; e < pattern->row[bi + 1]; e++) {
            int bj = pattern->col[e], offset = pattern->offset[e], body = z->body[bj];
            int n = pattern->start[bj + 1] - pattern->start[bj];
            double W[36], LW[36];
            flx_body_axes axes;
            if (velocity) memset(b->A0 + offset, 0, (size_t)(rows * n) * sizeof *b->A0);
            if (body < 0 || velocity) continue;
            flx_descriptor_body_axes(base, p->q, body, &axes);
            slopes_of(z->t, &axes, W, LW);
            turn_entry(rows, n, W, LW, pattern->start[bi] < s->dims.nv, b->A0 + offset,
                       b->A1 + offset, b->A2 + offset);
        }
    }
    return FLX_OK;
}

// ---- life ---------------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    turning_work *w = flx_wrapper_work_create(s, sizeof *w);
    if (!w) return NULL;
    w->v = flx_arena_take(w->base.arena, (size_t)s->dims.nv + 1, sizeof *w->v);
    w->a = flx_arena_take(w->base.arena, (size_t)s->dims.nv + 1, sizeof *w->a);
    if (w->v && w->a) return &w->base.base;
    flx_wrapper_work_destroy(&w->base.base);
    return NULL;
}

// The body of each block of velocities that turns.
static flx_status find_blocks(turning_system *z)
{
    const flx_pattern *p = &z->z.sys.pattern;
    const flx_turning *t = z->t;
    z->body = flx_arena_take(z->z.arena, (size_t)p->nblock + 1, sizeof *z->body);
    if (!z->body) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->nblock; i++) z->body[i] = -1;
    double *q = flx_arena_take(z->z.arena, (size_t)z->z.base->dims.nq + 1, sizeof *q);
    if (!q) return FLX_ERR_MEMORY;
    for (int i = 0; i < z->z.base->dims.nq; i++) q[i] = 1.0; // any: the axes are not asked for
    flx_body_axes b;
    for (int i = 0; flx_descriptor_body_axes(z->z.base, q, i, &b); i++) {
        if (!t->turns[i] || b.linear + b.angular == 0) continue;
        z->body[flx_pattern_block(p, b.v)] = i;
    }
    return FLX_OK;
}

flx_status flx_turning_system_create(const flx_system *base, const flx_turning *t, flx_system **s)
{
    *s = NULL;
    const flx_contacts *contacts = base->ops->contacts;
    if (contacts && contacts->count(base) > 0) {
        flx_contact_group g;
        contacts->group(base, 0, &g);
        return FLX_FAIL(base->ctx, FLX_ERR_CANNOT, g.loc,
                        "'%s' opens and closes, or sticks and slides: a steady rotation is not "
                        "sought beside it. Give it a compliant law",
                        g.item ? g.item : "?");
    }
    turning_system *z = flx_wrapper_create_beside(base, "turning", sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    z->t = t;
    z->z.sys.pattern = base->pattern; // its arrays are those of the base
    z->z.sys.pattern.parts = NULL;
    z->z.sys.pattern.plans = NULL;
    z->z.ops.residual = residual;
    z->z.ops.linearise = linearise;
    z->z.ops.work_create = work_create;
    return flx_wrapper_finish(&z->z, find_blocks(z), s);
}
