// turned_states.c - A about a steady motion, in the axes in which its coefficients are constant (STATE-8).
//
// Changes of the bodies theta, u and a of positions, velocities and accelerations follow from the states, theta = N_q s and so
// on, and with W and L of (MODE-1)
//     N_q s' = (N_v - W N_q) s,   N_v s' = (N_a - L N_v) s
// which are more equations than states, and agree where the motion is steady.
#include "analyse/modes/quadratic.h"
#include "math/dense.h"
#include "simulate/analyses/response.h"
#include "simulate/linear/linearising.h"

#include <math.h>
#include <string.h>

#define AGREE 1e-6 // what equations leave of each other, as a part of their terms

typedef struct turned {
    flx_linearising *l;
    flx_arena *arena;      // owned
    const flx_system *sys; // of bodies; borrowed
    flx_state *at, *x;     // owned: of it
    double *turn;          // owned: W, column-major
    int nv, rows;          // rows: positions, velocities, and states of first order
    double *N, *R;         // (rows n) column-major: by the states, and of their rates
    double *acceleration;  // (nv n)
} turned;

// Changes of the bodies with one state at d: positions, velocities, accelerations.
static flx_status evaluate(void *user, double d, double *f)
{
    turned *t = user;
    flx_linearising *l = t->l;
    size_t nv = (size_t)t->nv;
    l->d[l->state] = d;
    FLX_TRY(flx_minimal_place(l->m, l->d, l->x));
    flx_state_destroy(&t->x);
    FLX_TRY(flx_bodies_of(l->sim, l->x, &t->sys, &t->x));
    t->sys->ops->difference(t->sys, t->at->q, t->x->q, f);
    for (size_t i = 0; i < nv; i++) {
        f[nv + i] = t->x->v[i] - t->at->v[i];
        f[2 * nv + i] = t->x->a[i] - t->at->a[i];
    }
    return FLX_OK;
}

// What each state does to the bodies.
static flx_status find_changes(turned *t)
{
    flx_linearising *l = t->l;
    int nv = t->nv, nf = 3 * nv, first = l->m->npos + l->m->nvel;
    double *f0 = flx_arena_take(t->arena, (size_t)nf, sizeof *f0);
    double *f = flx_arena_take(t->arena, (size_t)nf, sizeof *f);
    double *scratch = flx_arena_take(t->arena, FLX_SLOPE_SCRATCH * (size_t)nf, sizeof *scratch);
    if (!f0 || !f || !scratch) return FLX_ERR_MEMORY;
    flx_slope s = {.n = nf, .user = t, .eval = evaluate, .f0 = f0, .scratch = scratch};
    for (l->state = 0; l->state < l->n; l->state++) {
        double *column = t->N + (size_t)l->state * (size_t)t->rows;
        s.step = FLX_LINEAR_STEP * flx_linearising_typical(l, l->state);
        FLX_TRY(flx_slope_find(&s, f));
        l->d[l->state] = 0.0;
        memcpy(column, f, 2 * (size_t)nv * sizeof *f);
        memcpy(t->acceleration + (size_t)l->state * (size_t)nv, f + 2 * nv, (size_t)nv * sizeof *f);
        if (l->state >= first) column[2 * nv + l->state - first] = 1.0;
    }
    l->state = -1;
    return FLX_OK;
}

// The right sides of (STATE-8), one block of velocities after another; states of first order have theirs of A.
static flx_status find_rates(turned *t, const double *A)
{
    flx_linearising *l = t->l;
    int nv = t->nv, n = l->n, first = l->m->npos + l->m->nvel;
    flx_quadratic q;
    flx_work *work = t->sys->ops->work_create(t->sys);
    if (!work) return FLX_ERR_MEMORY;
    double *both = flx_arena_take(t->arena, 2 * (size_t)nv * (size_t)nv, sizeof *both);
    flx_status status =
        both ? flx_quadratic_create(t->sys, work, t->at, t->turn, t->arena, &q) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        status = flx_quadratic_brackets(&q, t->at, t->turn, both);
        const flx_pattern *p = &q.pattern;
        for (int b = 0; status == FLX_OK && b < p->nblock && p->start[b] < nv; b++) {
            int i0 = p->start[b], ni = p->start[b + 1] - i0;
            for (int i = 0; i < ni * n; i++) {
                const double *in = t->N + (size_t)(i / ni) * (size_t)t->rows;
                double *to = t->R + (size_t)(i / ni) * (size_t)t->rows + i0 + i % ni;
                to[0] = in[nv + i0 + i % ni];
                to[nv] = t->acceleration[(size_t)(i / ni) * (size_t)nv + (size_t)(i0 + i % ni)];
                for (int k = 0; k < ni; k++) {
                    to[0] -= both[i % ni * ni + k] * in[i0 + k];
                    to[nv] -= both[ni * ni + i % ni * ni + k] * in[nv + i0 + k];
                }
            }
            both += 2 * ni * ni;
        }
        flx_quadratic_destroy(&q);
    }
    t->sys->ops->work_destroy(work);
    for (int i = 0; i < n; i++) {
        for (int k = first; k < n; k++)
            t->R[(size_t)i * (size_t)t->rows + (size_t)(2 * nv + k - first)] = A[k * n + i];
    }
    return status;
}

// Rows in the scales of their unknowns; A by rows, where the equations agree.
static flx_status solve(turned *t, bool *agrees, double *A)
{
    flx_linearising *l = t->l;
    size_t rows = (size_t)t->rows, n = (size_t)l->n;
    double left = 0.0, most = 0.0;
    double *N = flx_arena_take(t->arena, rows * n, sizeof *N);
    double *X = flx_arena_take(t->arena, rows * n, sizeof *X);
    if (!N || !X) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        flx_unknown u;
        t->sys->ops->unknown(t->sys, (int)i < 2 * t->nv ? (int)i % t->nv : (int)i - t->nv, &u);
        double by = u.scale > 0.0 ? 1.0 / u.scale : 1.0;
        for (size_t k = 0; k < n; k++) {
            N[k * rows + i] = t->N[k * rows + i] *= by;
            X[k * rows + i] = t->R[k * rows + i] *= by;
        }
    }
    FLX_TRY(flx_dense_least_squares(l->sim->ctx, (int)rows, (int)n, (int)n, N, X));
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < rows; i++) {
            double off = t->R[k * rows + i], size = fabs(off);
            for (size_t j = 0; j < n; j++) {
                off -= t->N[j * rows + i] * X[k * rows + j];
                size += fabs(t->N[j * rows + i] * X[k * rows + j]);
            }
            left = fmax(left, fabs(off));
            most = fmax(most, size);
        }
    }
    *agrees = left <= AGREE * most;
    for (size_t i = 0; *agrees && i < n; i++) {
        for (size_t k = 0; k < n; k++) A[i * n + k] = X[k * rows + i];
    }
    return FLX_OK;
}

static flx_status turn(turned *t, flx_steady_motion *motion, flx_linear_model *out)
{
    flx_linearising *l = t->l;
    FLX_TRY(flx_minimal_place(l->m, l->d, l->x));
    FLX_TRY(flx_bodies_of(l->sim, l->x, &t->sys, &t->at));
    bool steady;
    FLX_TRY(flx_turn_of(t->sys, t->at, &t->turn, motion->turning, &steady));
    if (!t->turn || !steady) return FLX_OK;
    t->nv = t->sys->dims.nv;
    t->rows = 2 * t->nv + l->n - l->m->npos - l->m->nvel;
    size_t size = (size_t)t->rows * (size_t)l->n;
    t->N = flx_arena_take(t->arena, size, sizeof *t->N);
    t->R = flx_arena_take(t->arena, size, sizeof *t->R);
    t->acceleration = flx_arena_take(t->arena, size, sizeof *t->acceleration);
    if (!t->N || !t->R || !t->acceleration) return FLX_ERR_MEMORY;
    FLX_TRY(find_changes(t));
    FLX_TRY(find_rates(t, out->A));
    FLX_TRY(solve(t, &motion->steady, out->A));
    if (motion->steady) memset(out->rate, 0, (size_t)l->n * sizeof *out->rate);
    return FLX_OK;
}

flx_status flx_linearising_turn(flx_linearising *l, flx_steady_motion *motion,
                                flx_linear_model *out)
{
    turned t = {.l = l, .arena = flx_arena_create(l->sim->ctx)};
    *motion = (flx_steady_motion){0};
    flx_status status = t.arena ? turn(&t, motion, out) : FLX_ERR_MEMORY;
    flx_state_destroy(&t.at);
    flx_state_destroy(&t.x);
    flx_free(t.turn);
    flx_arena_destroy(&t.arena);
    return status;
}
