// steady.c - angular velocity of the axes of a steady motion, found and tested; see steady.h.
#include "simulate/steady.h"

#include "analyse/modes/pencil.h"
#include "flexion/analysis.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

#define UNDETERMINED 1e-8 // singular values of (STEADY-1), as a part of the largest
#define OFF 1e-6          // of (STEADY-1), as a part of speeds times rates
// The coefficients are compared after a turn by this angle; the second order is left over, and a
// change of first order would be a hundred times what is allowed.
#define SMALL_TURN 1e-4
#define CONSTANT 1e-2
// Terms of rates and places that are so small beside those of the mass in axes that turn are rounding.
#define NOTHING 1e-6
// A turning that does not fit is that of no motion where it is so many times faster than anything moves.
#define MOST_TURNING 10.0
// Lengths are weighed against angles by no less than this part of the model's, and no more than its inverse.
#define WEIGHED 0.1
#define MOST_TESTED 1000 // velocities: the comparison is of full matrices

typedef struct motion {
    const flx_system *s;
    const flx_state *x;
    flx_arena *arena;
    int n; // bodies
    double length, rate;
} motion;

// Velocity and acceleration of a body in ground axes, lengths in parts of the model's.
typedef struct course {
    v3 v, w, a, alpha;
} course;

static course observe(const motion *m, const flx_body_axes *b)
{
    const double *v = m->x->v + b->v, *a = m->x->a + b->v;
    course c = {0};
    double s = 1.0 / m->length;
    c.v = v3_make(s * v[0], s * v[1], b->linear > 2 ? s * v[2] : 0.0);
    c.a = v3_make(s * a[0], s * a[1], b->linear > 2 ? s * a[2] : 0.0);
    if (b->angular == 1) {
        c.w = v3_make(0.0, 0.0, v[b->linear]);
        c.alpha = v3_make(0.0, 0.0, a[b->linear]);
    } else if (b->angular == 3) {
        c.w = m33_mul_v(b->R, v3_load(v + b->linear));
        c.alpha = m33_mul_v(b->R, v3_load(a + b->linear));
    }
    return c;
}

// How far bodies are from each other, wherever the model lies; of one body it is known no better than `scale`.
static double extent(const motion *m, double scale)
{
    v3 middle = v3_make(0, 0, 0);
    double most = 0.0;
    flx_body_axes b;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->n; i++) {
            flx_descriptor_body_axes(m->s, m->x->q, i, &b);
            const double *q = m->x->q + b.q;
            v3 r = v3_make(q[0], q[1], b.linear > 2 ? q[2] : 0.0);
            if (pass == 0) middle = v3_axpy(1.0 / m->n, r, middle);
            if (pass == 1) most = fmax(most, v3_norm(v3_sub(r, middle)));
        }
    }
    return most > NOTHING * scale ? 2.0 * most : scale;
}

// Lengths against angles by the speeds, wherever the model lies; not far from the model's own length, where one of the
// speeds is rounding.
static double weigh(const motion *m)
{
    double v = 0.0, w = 0.0;
    for (int i = 0; i < m->n; i++) {
        flx_body_axes b;
        flx_descriptor_body_axes(m->s, m->x->q, i, &b);
        course c = observe(m, &b);
        v = fmax(v, m->length * v3_norm(c.v));
        w = fmax(w, v3_norm(c.w));
    }
    if (!(v > OFF * m->length * w && m->length * w > OFF * v)) return m->length; // or rounding
    return fmin(fmax(v / w, WEIGHED * m->length), m->length / WEIGHED);
}

// Omega of least norm by (STEADY-1); in the plane about z alone.
static flx_status find_turning(const motion *m, bool planar, v3 *turning)
{
    int rows = 6 * m->n, cols = planar ? 1 : 3;
    double *A = flx_arena_take(m->arena, (size_t)rows * 3, sizeof *A);
    double *b = flx_arena_take(m->arena, (size_t)rows + 3, sizeof *b);
    if (!A || !b) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->n; i++) {
        flx_body_axes body;
        flx_descriptor_body_axes(m->s, m->x->q, i, &body);
        course c = observe(m, &body);
        for (int k = 0; k < cols; k++) {
            v3 e = planar ? v3_make(0, 0, 1) : v3_make(k == 0, k == 1, k == 2);
            v3_store(A + k * rows + 6 * i, v3_cross(e, c.v));
            v3_store(A + k * rows + 6 * i + 3, v3_cross(e, c.w));
        }
        v3_store(b + 6 * i, c.a);
        v3_store(b + 6 * i + 3, c.alpha);
    }
    FLX_TRY(flx_dense_least_norm(m->s->ctx, rows, cols, A, b, UNDETERMINED));
    *turning = planar ? v3_make(0, 0, b[0]) : v3_load(b);
    return FLX_OK;
}

static bool fits(const motion *m, v3 turning)
{
    double off = 0.0, size = 0.0;
    for (int i = 0; i < m->n; i++) {
        flx_body_axes body;
        flx_descriptor_body_axes(m->s, m->x->q, i, &body);
        course c = observe(m, &body);
        off = fmax(off, v3_norm(v3_sub(c.a, v3_cross(turning, c.v))));
        off = fmax(off, v3_norm(v3_sub(c.alpha, v3_cross(turning, c.w))));
        size = fmax(size, fmax(v3_norm(c.v), v3_norm(c.w)));
    }
    return off <= OFF * size * fmax(size, v3_norm(turning));
}

static void set(int nv, double *A, int row, int col, m33 B)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) A[(col + j) * nv + row + i] = B.m[3 * i + j];
    }
}

// For every body: positions by `linear`, rotations by R^T linear R or, of axes, by R^T linear.
static void fill(const motion *m, const double *q, m33 linear, bool axes, double *out)
{
    int nv = m->s->dims.nv;
    memset(out, 0, (size_t)(nv * nv) * sizeof *out);
    for (int i = 0; axes && i < nv; i++) out[i * nv + i] = 1.0;
    for (int i = 0; i < m->n; i++) {
        flx_body_axes b;
        flx_descriptor_body_axes(m->s, q, i, &b);
        for (int r = 0; r < b.linear; r++) {
            for (int c = 0; c < b.linear; c++) {
                out[(b.v + c) * nv + b.v + r] = linear.m[3 * r + c];
            }
        }
        if (b.angular < 3) continue;
        m33 turned = m33_tmul(b.R, linear);
        set(nv, out, b.v + 3, b.v + 3, axes ? turned : m33_mul(turned, b.R));
    }
}

// P^T X P for the three matrices, scaled, into Y.
static flx_status carry(const motion *m, const double *X, const double *P, double *Y)
{
    int nv = m->s->dims.nv;
    double *half = flx_arena_take(m->arena, (size_t)(nv * nv), sizeof *half);
    if (!half) return FLX_ERR_MEMORY;
    for (int k = 0; k < 3; k++) {
        const double *from = X + k * nv * nv;
        double *to = Y + k * nv * nv;
        flx_dense_multiply(true, false, nv, nv, nv, P, from, half);
        flx_dense_multiply(false, false, nv, nv, nv, half, P, to);
        for (int i = 0; i < nv; i++) {
            flx_unknown u;
            m->s->ops->unknown(m->s, i, &u);
            for (int j = 0; j < nv; j++) {
                to[i * nv + j] *= u.scale;
                to[j * nv + i] *= u.scale;
            }
        }
    }
    return FLX_OK;
}

// Coefficients at a state in axes turned by `turned`, with W of Omega.
static flx_status coefficients(const motion *m, flx_work *work, const flx_state *x, v3 turning,
                               m33 turned, double *Y)
{
    int nv = m->s->dims.nv;
    double *W = flx_arena_take(m->arena, (size_t)(nv * nv), sizeof *W), *X;
    if (!W) return FLX_ERR_MEMORY;
    fill(m, x->q, m33_skew(turning), false, W);
    flx_quadratic q;
    FLX_TRY(flx_quadratic_create(m->s, work, x, W, m->arena, &q));
    FLX_TRY(flx_pencil_coefficients(&q, &X));
    fill(m, x->q, turned, true, W);
    return carry(m, X, W, Y);
}

static double size_of(int n, const double *a)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

// least: a size of them whatever they are, as where gyroscopic terms have no two directions to couple.
static bool same(int n, const double *a, const double *b, double least, double tolerance)
{
    double difference = 0.0;
    for (int i = 0; i < n; i++) difference += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(difference) <= tolerance * fmax(size_of(n, a), least);
}

// Whether the coefficients stay what they are a little later, in axes that turn with Omega.
static flx_status test(const motion *m, flx_work *work, v3 turning, bool *constant)
{
    const flx_system *s = m->s;
    int nv = s->dims.nv;
    *constant = nv > MOST_TESTED;
    if (*constant) return FLX_OK;
    size_t n = 3 * (size_t)(nv * nv);
    double dt = SMALL_TURN / m->rate;
    double *now = flx_arena_take(m->arena, n, sizeof *now);
    double *then = flx_arena_take(m->arena, n, sizeof *then);
    double *theta = flx_arena_take(m->arena, (size_t)nv, sizeof *theta);
    flx_state *later = NULL;
    if (!now || !then || !theta) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(s, &later));
    flx_state_copy(later, m->x);
    later->t += dt;
    for (int i = 0; i < nv; i++) {
        theta[i] = dt * (m->x->v[i] + 0.5 * dt * m->x->a[i]);
        later->v[i] += dt * m->x->a[i];
    }
    s->ops->retract(s, m->x->q, theta, later->q);
    flx_status status = flx_start_accelerations(s, later);
    if (status == FLX_OK) status = coefficients(m, work, m->x, turning, m33_identity(), now);
    m33 turned = quat_to_m33(quat_exp(v3_scale(dt, turning)));
    if (status == FLX_OK) status = coefficients(m, work, later, turning, turned, then);
    flx_state_destroy(&later);
    FLX_TRY(status);
    *constant = true;
    double least = 0.0, mass = NOTHING * size_of(nv * nv, now);
    for (int k = 0; k < 3; k++) {
        *constant = *constant && same(nv * nv, now + k * nv * nv, then + k * nv * nv, least,
                                      CONSTANT * SMALL_TURN);
        mass *= m->rate;
        least = mass;
    }
    return FLX_OK;
}

// The least turning first, then those of single bodies: what (STEADY-1) leaves open is along them.
static flx_status choose(const motion *m, flx_work *work, bool planar, v3 *turning, bool *steady)
{
    FLX_TRY(find_turning(m, planar, turning));
    *steady = fits(m, *turning);
    if (!*steady) return FLX_OK;
    FLX_TRY(test(m, work, *turning, steady));
    for (int i = 0; i < m->n && !*steady; i++) {
        flx_body_axes b;
        flx_descriptor_body_axes(m->s, m->x->q, i, &b);
        v3 w = observe(m, &b).w;
        if (v3_norm(v3_sub(w, *turning)) <= OFF * m->rate || !fits(m, w)) continue;
        FLX_TRY(test(m, work, w, steady));
        if (*steady) *turning = w;
    }
    return FLX_OK;
}

flx_status flx_steady_find(const flx_system *s, const flx_state *x, double *turn, double omega[3],
                           bool *steady)
{
    motion m = {.s = s, .x = x, .arena = flx_arena_create(s->ctx)};
    flx_work *work = s->ops->work_create(s);
    flx_body_axes b = {0};
    bool planar = false;
    v3 turning = v3_make(0, 0, 0);
    *steady = true;
    for (; flx_descriptor_body_axes(s, x->q, m.n, &b); m.n++) {
        flx_unknown u;
        s->ops->unknown(s, b.v, &u);
        m.length = fmax(m.length, u.scale);
        planar = b.linear == 2;
    }
    if (!(m.length > 0.0)) m.length = 1.0;
    m.length = extent(&m, m.length);
    m.length = weigh(&m);
    for (int i = 0; i < m.n; i++) {
        flx_descriptor_body_axes(s, x->q, i, &b);
        course c = observe(&m, &b);
        m.rate = fmax(m.rate, fmax(v3_norm(c.v), v3_norm(c.w)));
    }
    flx_status status = m.arena && work ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK && m.rate > 0.0) status = choose(&m, work, planar, &turning, steady);
    // what begins to move, or rests but for rounding, turns about nothing
    if (status == FLX_OK && !*steady && v3_norm(turning) > MOST_TURNING * m.rate)
        turning = v3_make(0, 0, 0);
    if (status == FLX_OK) fill(&m, x->q, m33_skew(turning), false, turn);
    // what fits to rounding is no turning
    bool turns = v3_norm(turning) > OFF * m.rate;
    v3_store(omega, turns ? turning : v3_make(0, 0, 0));
    if (work) s->ops->work_destroy(work);
    flx_arena_destroy(&m.arena);
    return status;
}
