// order.c - the classical order of a Runge-Kutta method: rooted trees, then simplifying assumptions.
//
// A method has order p when b^T Phi(t) = 1/gamma(t) for every rooted tree t of at most p nodes
// (PROP-2). Every tree with more than one node is made once from two smaller ones: `left` without
// its last subtree, and that subtree `right`, subtrees in ascending order:
//     Phi_i(left o right) = Phi_i(left) (A Phi(right))_i,
//     gamma(left o right) = |t| gamma(left)/|left| gamma(right).
// A partitioned method is asked on q' = v, v' = f(q, v): nodes have a colour, a node of q has no
// subtree or one of v. Beyond the trees that are listed B(p), C(q), D(r) with p <= q + r + 1,
// p <= 2q + 2 decide (Butcher; Hairer, Norsett and Wanner I, II.7).
#include "integrate/order.h"

#include <math.h>

#define SIMPLE_MOST 10     // order of the largest trees: 1842 in all
#define PARTITIONED_MOST 8 // 2871 with two colours
#define MOST_POWER (2 * FLX_STAGES_MAX)
// A condition holds when it is met to this part of its terms: far above the rounding of tabulated
// coefficients, far below the error constants of order 14.
#define MET 1e-9

typedef struct tree {
    int nodes, last; // last subtree; -1: none
    bool velocity;   // colour of the root
    double gamma;
    double phi[FLX_STAGES_MAX], up[FLX_STAGES_MAX]; // Phi, A Phi
} tree;

typedef struct forest {
    flx_ctx *ctx;
    const flx_coefficients *c;
    bool partitioned;
    tree *trees; // owned; by ascending number of nodes
    int count, room;
} forest;

bool flx_coefficients_partitioned(const flx_coefficients *c)
{
    for (int i = 0; i < c->s; i++) {
        for (int j = 0; j < c->s; j++) {
            if (fabs(c->A[i][j] - c->A_v[i][j]) > MET) return true;
        }
    }
    return false;
}

// ---- simplifying assumptions --------------------------------------------------------------------

int flx_quadrature_order(const flx_coefficients *c)
{
    for (int k = 1; k <= MOST_POWER; k++) {
        double sum = 0.0;
        for (int i = 0; i < c->s; i++) sum += c->b[i] * pow(c->c[i], k - 1);
        if (!(fabs(sum * k - 1.0) <= MET)) return k - 1;
    }
    return MOST_POWER;
}

static int rows_order(const flx_coefficients *c, const double (*A)[FLX_STAGES_MAX])
{
    for (int k = 1; k <= c->s; k++) {
        for (int i = 0; i < c->s; i++) {
            double sum = 0.0;
            for (int j = 0; j < c->s; j++) sum += A[i][j] * pow(c->c[j], k - 1);
            if (!(fabs(sum * k - pow(c->c[i], k)) <= MET)) return k - 1;
        }
    }
    return c->s;
}

static int columns_order(const flx_coefficients *c, const double (*A)[FLX_STAGES_MAX])
{
    for (int k = 1; k <= c->s; k++) {
        for (int j = 0; j < c->s; j++) {
            double sum = 0.0;
            for (int i = 0; i < c->s; i++) sum += c->b[i] * pow(c->c[i], k - 1) * A[i][j];
            if (!(fabs(sum * k - c->b[j] * (1.0 - pow(c->c[j], k))) <= MET)) return k - 1;
        }
    }
    return c->s;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int flx_stage_order(const flx_coefficients *c)
{
    int q = smaller(rows_order(c, c->A), rows_order(c, c->A_v));
    return smaller(q, flx_quadrature_order(c));
}

static int assumed_order(const flx_coefficients *c, bool symmetric)
{
    int p = flx_quadrature_order(c), q = smaller(rows_order(c, c->A), rows_order(c, c->A_v));
    int r = smaller(columns_order(c, c->A), columns_order(c, c->A_v));
    int order = smaller(p, smaller(q + r + 1, 2 * q + 2));
    return symmetric && order % 2 == 1 && order < p ? order + 1 : order;
}

// ---- trees --------------------------------------------------------------------------------------

static flx_status add(forest *f, const tree *t)
{
    FLX_TRY(flx_grow(f->ctx, (void **)&f->trees, &f->room, f->count + 1, sizeof *f->trees));
    tree *added = &f->trees[f->count++];
    *added = *t;
    const flx_coefficients *c = f->c;
    for (int i = 0; i < c->s; i++) {
        added->up[i] = 0.0;
        for (int j = 0; j < c->s; j++)
            added->up[i] += (t->velocity ? c->A_v[i][j] : c->A[i][j]) * t->phi[j];
    }
    return FLX_OK;
}

static flx_status add_leaf(forest *f, bool velocity)
{
    tree t = {.nodes = 1, .last = -1, .velocity = velocity, .gamma = 1.0};
    for (int i = 0; i < f->c->s; i++) t.phi[i] = 1.0;
    return add(f, &t);
}

// A node of q leads to one of v: q' = v is linear.
static bool may_join(const forest *f, const tree *left, const tree *right)
{
    return !f->partitioned || left->velocity || (left->last < 0 && right->velocity);
}

static flx_status join(forest *f, int left, int right)
{
    const tree *l = &f->trees[left], *r = &f->trees[right];
    if (l->last > right || !may_join(f, l, r)) return FLX_OK;
    tree t = {.nodes = l->nodes + r->nodes, .last = right, .velocity = l->velocity};
    t.gamma = t.nodes * (l->gamma / l->nodes) * r->gamma;
    for (int i = 0; i < f->c->s; i++) t.phi[i] = l->phi[i] * r->up[i];
    return add(f, &t);
}

// All trees of n nodes; the smaller ones are there.
static flx_status grow(forest *f, int n)
{
    int known = f->count;
    for (int left = 0; left < known; left++) {
        for (int right = 0; right < known; right++) {
            if (f->trees[left].nodes + f->trees[right].nodes == n) FLX_TRY(join(f, left, right));
        }
    }
    return FLX_OK;
}

static bool is_met(const forest *f, const tree *t)
{
    double sum = 0.0;
    for (int i = 0; i < f->c->s; i++) sum += f->c->b[i] * t->phi[i];
    return fabs(sum * t->gamma - 1.0) <= MET;
}

static bool are_met(const forest *f, int from)
{
    for (int i = from; i < f->count; i++) {
        if (!is_met(f, &f->trees[i])) return false;
    }
    return true;
}

static flx_status count_order(forest *f, bool symmetric, int *order)
{
    int most = f->partitioned ? PARTITIONED_MOST : SIMPLE_MOST;
    FLX_TRY(add_leaf(f, false));
    if (f->partitioned) FLX_TRY(add_leaf(f, true));
    for (int n = 1, from = 0; n <= most; n++) {
        if (n > 1) {
            from = f->count;
            FLX_TRY(grow(f, n));
        }
        if (!are_met(f, from)) {
            *order = n - 1;
            return FLX_OK;
        }
    }
    int assumed = assumed_order(f->c, symmetric);
    *order = assumed > most ? assumed : most;
    return FLX_OK;
}

flx_status flx_classical_order(flx_ctx *ctx, const flx_coefficients *c, bool symmetric, int *order)
{
    forest f = {.ctx = ctx, .c = c, .partitioned = flx_coefficients_partitioned(c)};
    flx_status status = count_order(&f, symmetric, order);
    flx_free(f.trees);
    return status;
}
