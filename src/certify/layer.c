// layer.c - the boundary layer of a reduction at the start: what it does to the slow motion, to first order
// in the inertia neglected, and what it adds to the motion while it lasts.
//
// The equations are frozen at the start and split, theta = Z y + P z (CERT-1). Along P the full model obeys
// N w'' + D w' + K w = D v0 and the reduced one D u' + K u = D v0, with v0 the velocity that the forces give.
// After the layer both agree where u begins at
//     u(0) = w(0) + delta,   delta = D^-1 N (v - v*)                                     (LAY-1)
// with the given velocity v and the slow one v*: v0 where the layer is of velocities alone, else, of a
// vibration, that of the equilibrium, since it is about that that it vibrates. The rest follows:
//     theta += P delta,   y' -= Z^T D P delta,   x -= X1 P delta                          (LAY-2)
// In the layer itself e = w - u is missing,
//     theta + P e,   theta' + P e' - Z Z^T D P e,   x - X1 P e                            (LAY-3)
#include "analyse/frozen.h"
#include "math/eigen.h"
#include "math/exponential.h"
#include "simulate/simulation_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GONE 40.0 // decay times after which nothing is left of it: rounding

struct flx_boundary_layer {
    double from, until;
    int n, nv, nx;
    double *P, *pull, *feed;       // (nv x n) P, -Z Z^T D P; (nx x n) -X1 P
    double *F, *R;                 // of (w, w', 1)' and (u, 1)': ((2 n + 1)^2) ((n + 1)^2)
    double *F0, *R0;               // what they begin with
    double *E, *scratch;           // ((2 n + 1)^2) twice that
    double *w, *u;                 // (2 n + 1) (n + 1)
    double *de, *du, *e, *e1, *e2; // (2 n + 1) (n + 1) (n) each
    double *q, *v, *a, *x, *theta; // of a state with it
};

// Matrices of the split at the start.
typedef struct split_start {
    flx_frozen f;
    flx_split split;
    flx_split_moves moves;
    int n;
    double *N, *D, *K;  // (n x n)
    double *DP;         // (nv x n)
    double *gap, *give; // (n) v - v*, delta
} split_start;

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// out (n x n) = P^T A P
static flx_status project(flx_arena *arena, const split_start *s, const double *A, double *AP,
                          double *out)
{
    int nv = s->f.nv;
    double *product = AP ? AP : take(arena, nv, s->n);
    if (!product) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, nv, s->n, nv, A, s->moves.P, product);
    flx_dense_multiply(true, false, s->n, s->n, nv, s->moves.P, product, out);
    return FLX_OK;
}

static flx_status take_matrices(flx_arena *arena, split_start *s)
{
    int n = s->n;
    s->N = take(arena, n, n);
    s->D = take(arena, n, n);
    s->K = take(arena, n, n);
    s->DP = take(arena, s->f.nv, n);
    s->gap = take(arena, n, 1);
    s->give = take(arena, n, 1);
    if (!s->N || !s->D || !s->K || !s->DP || !s->gap || !s->give) return FLX_ERR_MEMORY;
    FLX_TRY(project(arena, s, s->f.M, NULL, s->N));
    FLX_TRY(project(arena, s, s->f.D, s->DP, s->D));
    return project(arena, s, s->f.K, NULL, s->K);
}

// out (n x nb) = A^-1 B
static flx_status divide(const flx_simulation *sim, flx_arena *arena, int n, int nb,
                         const double *A, const double *B, double *out)
{
    double *copy = take(arena, n, n);
    if (!copy) return FLX_ERR_MEMORY;
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    memcpy(out, B, (size_t)(n * nb) * sizeof *out);
    return flx_dense_solve(sim->ctx, n, nb, copy, out);
}

// The velocity of the equilibrium: K z' = -P^T K Z y', y' = Z^T M v.
static flx_status find_rest_rate(const flx_simulation *sim, flx_arena *arena, const split_start *s,
                                 const double *v, double *out)
{
    int nv = s->f.nv, my = s->moves.my, n = s->n;
    double *Mv = take(arena, nv, 1), *y = take(arena, my, 1), *Zy = take(arena, nv, 1);
    double *force = take(arena, n, 1);
    if (!Mv || !y || !Zy || !force) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, nv, 1, nv, s->f.M, v, Mv);
    flx_dense_multiply(true, false, my, 1, nv, s->moves.Z, Mv, y);
    flx_dense_multiply(false, false, nv, 1, my, s->moves.Z, y, Zy);
    flx_dense_multiply(false, false, nv, 1, nv, s->f.K, Zy, Mv);
    flx_dense_multiply(true, false, n, 1, nv, s->moves.P, Mv, force);
    for (int i = 0; i < n; i++) force[i] = -force[i];
    return divide(sim, arena, n, 1, s->K, force, out);
}

// (LAY-1): the given velocities against those of the reduced start.
static flx_status find_jump(const flx_simulation *sim, flx_arena *arena, split_start *s,
                            const double *given)
{
    const int *J = sim->plan->reduction.J;
    int n = s->n;
    double *slow = take(arena, n, 1), *impulse = take(arena, n, 1);
    if (!slow || !impulse) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) slow[k] = sim->start->v[J[k]];
    if (s->split.vibrates) FLX_TRY(find_rest_rate(sim, arena, s, given, slow));
    for (int k = 0; k < n; k++) s->gap[k] = given[J[k]] - slow[k];
    flx_dense_multiply(false, false, n, 1, n, s->N, s->gap, impulse);
    return divide(sim, arena, n, 1, s->D, impulse, s->give);
}

static flx_status freeze(const flx_simulation *sim, flx_work *work, flx_arena *arena,
                         split_start *s)
{
    flx_state x = *sim->start;
    const flx_system *base = flx_wrapper_base(sim->sys, &work, &x);
    const flx_neglect *r = &sim->plan->reduction;
    s->n = r->n;
    FLX_TRY(flx_frozen_create(base, work, &x, arena, &s->f));
    FLX_TRY(flx_split_find(&s->f, r->n, r->J, &s->split, NULL));
    if (!s->split.known || !(s->split.decay > 0.0)) return FLX_SINGULAR;
    FLX_TRY(flx_split_basis(&s->f, r->n, r->J, arena, &s->moves));
    return take_matrices(arena, s);
}

// ---- the start ----------------------------------------------------------------------------------

// -Z Z^T D P
static flx_status find_pull(flx_arena *arena, const split_start *s, double *out)
{
    int nv = s->f.nv, my = s->moves.my;
    double *along = take(arena, my, s->n);
    if (!along) return FLX_ERR_MEMORY;
    flx_dense_multiply(true, false, my, s->n, nv, s->moves.Z, s->DP, along);
    flx_dense_multiply(false, false, nv, s->n, my, s->moves.Z, along, out);
    for (int i = 0; i < nv * s->n; i++) out[i] = -out[i];
    return FLX_OK;
}

// (LAY-2)
static void shift_start(flx_simulation *sim, const flx_boundary_layer *l, const double *give)
{
    const flx_system *s = sim->sys;
    flx_state *x = sim->start;
    flx_dense_multiply(false, false, l->nv, 1, l->n, l->P, give, l->theta);
    s->ops->retract(s, x->q, l->theta, x->q);
    flx_dense_multiply(false, false, l->nv, 1, l->n, l->pull, give, l->theta);
    for (int i = 0; i < l->nv; i++) x->v[i] += l->theta[i];
    for (int i = 0; i < l->nx; i++) {
        for (int k = 0; k < l->n; k++) x->x[i] += l->feed[k * l->nx + i] * give[k];
    }
}

static flx_status take_layer(flx_simulation *sim, int n, flx_boundary_layer **out)
{
    const flx_dims *d = &flx_wrapper_innermost(sim->sys)->dims;
    flx_boundary_layer *l = flx_arena_take(sim->arena, 1, sizeof *l);
    if (!l) return FLX_ERR_MEMORY;
    *l = (flx_boundary_layer){.from = sim->start->t, .n = n, .nv = d->nv, .nx = d->nx};
    int m = 2 * n + 1, r = n + 1;
    const struct {
        double **at;
        int size;
    } arrays[] = {{&l->P, d->nv * n},
                  {&l->pull, d->nv * n},
                  {&l->feed, d->nx * n},
                  {&l->F, m * m},
                  {&l->R, r * r},
                  {&l->F0, m},
                  {&l->R0, r},
                  {&l->E, m * m},
                  {&l->scratch, 2 * m * m},
                  {&l->w, m},
                  {&l->u, r},
                  {&l->de, m},
                  {&l->du, r},
                  {&l->e, n},
                  {&l->e1, n},
                  {&l->e2, n},
                  {&l->q, d->nq},
                  {&l->v, d->nv},
                  {&l->a, d->nv},
                  {&l->x, d->nx},
                  {&l->theta, d->nv}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i].at = take(sim->arena, arrays[i].size, 1);
        if (!*arrays[i].at) return FLX_ERR_MEMORY;
    }
    *out = l;
    return FLX_OK;
}

// F = (0 1 0; -N^-1 K  -N^-1 D  N^-1 D v0; 0), R = (-D^-1 K  v0; 0); w(0) = 0, w'(0) = v, u(0) = delta.
static flx_status fill_generators(const flx_simulation *sim, flx_arena *arena, const split_start *s,
                                  const double *v0, const double *given, flx_boundary_layer *l)
{
    const int *J = sim->plan->reduction.J;
    int n = l->n, m = 2 * n + 1, r = n + 1;
    double *NK = take(arena, n, n), *ND = take(arena, n, n), *DK = take(arena, n, n);
    if (!NK || !ND || !DK) return FLX_ERR_MEMORY;
    FLX_TRY(divide(sim, arena, n, n, s->N, s->K, NK));
    FLX_TRY(divide(sim, arena, n, n, s->N, s->D, ND));
    FLX_TRY(divide(sim, arena, n, n, s->D, s->K, DK));
    for (int i = 0; i < n; i++) {
        l->F[(n + i) * m + i] = 1.0;
        for (int j = 0; j < n; j++) {
            l->F[j * m + n + i] = -NK[j * n + i];
            l->F[(n + j) * m + n + i] = -ND[j * n + i];
            l->F[2 * n * m + n + i] += ND[j * n + i] * v0[j];
            l->R[j * r + i] = -DK[j * n + i];
        }
        l->R[n * r + i] = v0[i];
        l->F0[n + i] = given[J[i]];
        l->R0[i] = s->give[i];
    }
    l->F0[2 * n] = l->R0[n] = 1.0;
    l->until = l->from + GONE / fmin(s->split.decay, s->split.fast);
    return FLX_OK;
}

static flx_status correct(flx_simulation *sim, flx_work *work, flx_arena *arena,
                          const double *given)
{
    const flx_neglect *r = &sim->plan->reduction;
    split_start s = {0};
    flx_boundary_layer *l = NULL;
    FLX_TRY(freeze(sim, work, arena, &s));
    FLX_TRY(find_jump(sim, arena, &s, given));
    FLX_TRY(take_layer(sim, r->n, &l));
    double *v0 = take(arena, r->n, 1);
    if (!v0) return FLX_ERR_MEMORY;
    for (int k = 0; k < r->n; k++) v0[k] = sim->start->v[r->J[k]];
    memcpy(l->P, s.moves.P, (size_t)(l->nv * l->n) * sizeof *l->P);
    FLX_TRY(find_pull(arena, &s, l->pull));
    flx_dense_multiply(false, false, l->nx, l->n, l->nv, s.f.X1, s.moves.P, l->feed);
    for (int i = 0; i < l->nx * l->n; i++) l->feed[i] = -l->feed[i];
    FLX_TRY(fill_generators(sim, arena, &s, v0, given, l));
    shift_start(sim, l, s.give);
    if (sim->model->reduce_layer) sim->making->layer = l;
    return FLX_OK;
}

flx_status flx_layer_correct(flx_simulation *sim, const double *given)
{
    int errors = flx_ctx_error_count(sim->ctx);
    flx_arena *arena = flx_arena_create(sim->ctx);
    flx_work *work = sim->sys->ops->work_create(sim->sys);
    flx_status status = arena && work ? correct(sim, work, arena, given) : FLX_ERR_MEMORY;
    if (work) sim->sys->ops->work_destroy(work);
    flx_arena_destroy(&arena);
    if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(sim->ctx, errors);
    return FLX_FAIL(
        sim->ctx, status > 0 ? status : FLX_SINGULAR, sim->model->reduce_loc,
        "the initial values cannot be corrected: the layer of '%s' does not decay there, or its "
        "damping is singular; leave out `initial: corrected`",
        sim->plan->reduction.names[0]);
}

// ---- in the layer -------------------------------------------------------------------------------

// e, e', e'' at a time after the start.
static void find_missing(const flx_boundary_layer *l, double t)
{
    int n = l->n, m = 2 * n + 1, r = n + 1;
    flx_dense_exponential(m, l->F, t, l->E, l->scratch);
    flx_dense_multiply(false, false, m, 1, m, l->E, l->F0, l->w);
    flx_dense_exponential(r, l->R, t, l->E, l->scratch);
    flx_dense_multiply(false, false, r, 1, r, l->E, l->R0, l->u);
    flx_dense_multiply(false, false, m, 1, m, l->F, l->w, l->de);
    flx_dense_multiply(false, false, r, 1, r, l->R, l->u, l->du);
    for (int i = 0; i < n; i++) {
        double bend = 0.0;
        for (int j = 0; j < n; j++) bend += l->R[j * r + i] * l->du[j];
        l->e[i] = l->w[i] - l->u[i];
        l->e1[i] = l->w[n + i] - l->du[i];
        l->e2[i] = l->de[n + i] - bend;
    }
}

void flx_layer_add(const flx_simulation *sim, const flx_system *base, flx_state *x)
{
    const flx_boundary_layer *l = sim->plan->layer;
    if (!l || !(x->t < l->until)) return;
    find_missing(l, fmax(x->t - l->from, 0.0));
    flx_dense_multiply(false, false, l->nv, 1, l->n, l->P, l->e, l->theta);
    base->ops->retract(base, x->q, l->theta, l->q);
    memcpy(l->v, x->v, (size_t)l->nv * sizeof *l->v);
    memcpy(l->a, x->a, (size_t)l->nv * sizeof *l->a);
    memcpy(l->x, x->x, (size_t)l->nx * sizeof *l->x);
    for (int k = 0; k < l->n; k++) {
        for (int i = 0; i < l->nv; i++) {
            double P = l->P[k * l->nv + i], pull = l->pull[k * l->nv + i];
            l->v[i] += P * l->e1[k] + pull * l->e[k];
            l->a[i] += P * l->e2[k] + pull * l->e1[k];
        }
        for (int i = 0; i < l->nx; i++) l->x[i] += l->feed[k * l->nx + i] * l->e[k];
    }
    x->q = l->q;
    x->v = l->v;
    x->a = l->a;
    x->x = l->x;
}
