// tree_held.c - closures and motions beside links without inertia, for explicit methods.
//
// The rows G v + g_t = 0 hold velocities, those along the null space N of the mass matrix among them. With an orthonormal
// basis Q of the range of G N and L of what is left,
//     L^T G N = 0
// the combinations Q^T of the rows take part in the balance of forces, which gives their multipliers and velocities:
//     N^T (r + G^T Q eta) = 0,   Q^T (G v + g_t) = 0,   v = M^+ p + N s                     (TREE-31)
// A direction that they hold needs no damping. The combinations L^T know nothing of s, nor of its rate: accelerations along N
// drop out of
//     L^T (G v' + gamma) = 0,   M v' = -r - G^T (Q eta + L mu)                              (TREE-32)
// which gives mu with the symmetric positive matrix L^T G M^+ G^T L. How many rows hold such directions must not change
// on the way: there multipliers change from the one kind to the other.
#include "math/dense.h"
#include "tree/explicit/tree_massless.h"

#include <float.h>

// Part of G N that is rounding beside the rows and the null vectors.
#define HOLDS_NOTHING 1e-10
// Rows of which less is left beside others (as a square) depend on them.
#define DEPENDENT 1e-13

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// x -= what it has of the first rows of Q; twice, for the rounding.
static void clear_of(const flx_tree_held *h, int count, double *x)
{
    for (int k = 0; k < 2 * count; k++) {
        const double *q = h->Q + h->n * (k % count);
        double sum = dot(h->n, q, x);
        for (int i = 0; i < h->n; i++) x[i] -= sum * q[i];
    }
}

// The candidate, of `count` in columns of C (n x count) or unit vectors, of which most is left beside the first rows of
// Q, into the next row; returns the norm of that.
static double take_most(flx_tree_held *h, int found, int count, const double *C)
{
    double best = -1.0, *x = h->mu, *q = h->Q + h->n * found;
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < h->n; i++) x[i] = C ? C[count * i + j] : (double)(i == j);
        clear_of(h, found, x);
        double norm = sqrt(dot(h->n, x, x));
        if (!(norm > best)) continue;
        best = norm;
        memcpy(q, x, (size_t)h->n * sizeof *q);
    }
    for (int i = 0; i < h->n && best > 0.0; i++) q[i] /= best;
    return best;
}

static flx_status fail_rank(const flx_tree *t)
{
    const flx_body *b = t->model->bodies + t->t.links[t->massless].body;
    return FLX_FAIL(
        t->base.ctx, FLX_ERR_CANNOT, b->loc,
        "the joints that hold body '%s' and others without inertia come into line: here the "
        "forces of other joints follow from accelerations than before, which an explicit "
        "method does not pass; use an implicit method (radau, bdf, generalized-alpha)",
        b->name);
}

flx_status flx_held_find(const flx_tree *t, flx_tree_work *w, const flx_point *carried)
{
    flx_tree_massless *m = w->massless;
    flx_tree_held *h = &m->held;
    int nv = t->base.dims.nv, nulls = m->nnull, found = 0;
    if (h->n == 0) return FLX_OK;
    flx_tree_closures(t, w, carried);
    double size = largest(h->n * nv, w->G) * largest(nulls * nv, m->N);
    for (int i = 0; i < h->n; i++) {
        for (int k = 0; k < nulls; k++) {
            h->GN[nulls * i + k] =
                dot(nv, w->G + (size_t)nv * (size_t)i, m->N + (size_t)nv * (size_t)k);
        }
    }
    while (found < h->n && take_most(h, found, nulls, h->GN) > HOLDS_NOTHING * size) found++;
    if (h->rank < 0) h->rank = found;
    if (found != h->rank) return fail_rank(t);
    for (; found < h->n; found++) (void)take_most(h, found, h->n, NULL);
    return FLX_OK;
}

flx_status flx_held_rate(const flx_tree *t, flx_tree_work *w, const flx_state *x)
{
    flx_tree_held *h = &w->massless->held;
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_dims *n = &t->base.dims;
    if (h->n == 0) return FLX_OK;
    flx_point p = flx_state_point(&t->base, x), b = flx_tree_carry(t, w, &p);
    b.lam = b.mu = b.dx = w->zero;
    flx_eval_constraints(d, flx_descriptor_work_of(w->inner), &b, w->r);
    FLX_TRY(flx_eval_constraint_rate(t->inner, w->inner, &b, h->rows));
    memcpy(h->rows + n->nlam, w->r + flx_first_mu(d), (size_t)n->nmu * sizeof *h->rows);
    return FLX_OK;
}

// Combination a of the rows along null vector k.
static double held_by(const flx_tree_massless *m, int a, int k)
{
    const flx_tree_held *h = &m->held;
    double sum = 0.0;
    for (int i = 0; i < h->n; i++) sum += h->Q[h->n * a + i] * h->GN[m->nnull * i + k];
    return sum;
}

void flx_held_border(const flx_tree_massless *m, int size, double *A)
{
    int nulls = m->nnull;
    for (int a = 0; a < m->held.rank; a++) {
        for (int k = 0; k < nulls; k++) {
            A[size * (nulls + a) + k] = A[size * k + nulls + a] = held_by(m, a, k);
        }
        for (int b = 0; b < m->held.rank; b++) A[size * (nulls + a) + nulls + b] = 0.0;
    }
}

void flx_held_subtract(const flx_tree_massless *m, double *e)
{
    const flx_tree_held *h = &m->held;
    for (int a = 0; a < h->rank; a++) {
        e[m->nnull + a] = -dot(h->n, h->Q + h->n * a, h->rows);
        for (int k = 0; k < m->nnull; k++) e[k] -= held_by(m, a, k) * h->eta[a];
    }
}

// force -= G^T Q^T c for combinations from `first` on.
static void push(const flx_tree *t, const flx_tree_work *w, int first, int count, const double *c,
                 double *force)
{
    const flx_tree_held *h = &w->massless->held;
    int nv = t->base.dims.nv;
    for (int i = 0; i < h->n; i++) {
        double lam = 0.0;
        for (int a = 0; a < count; a++) lam += h->Q[h->n * (first + a) + i] * c[a];
        const double *g = w->G + (size_t)nv * (size_t)i;
        for (int k = 0; k < nv; k++) force[k] -= lam * g[k];
    }
}

// M^-1 as far as there is one; variables have masses of their own, which are factored.
static void move_by(const flx_tree *t, flx_tree_work *w, const double *g, double *y)
{
    flx_tree_massless_move(t, w, g, y);
    flx_tree_move_variables(t, w, g + t->t.k.nv, y);
}

flx_status flx_held_push(const flx_tree *t, flx_tree_work *w, flx_state *x, double *force)
{
    flx_tree_held *h = &w->massless->held;
    const flx_dims *n = &t->base.dims;
    int nv = n->nv, left = h->n - h->rank;
    if (h->n == 0) return FLX_OK;
    const double *L = h->Q + h->n * h->rank;
    push(t, w, 0, h->rank, h->eta, force);
    flx_point p = flx_state_point(&t->base, x);
    FLX_TRY(flx_tree_constraint_bias(&t->base, &w->base, &p, h->rows));
    move_by(t, w, force, h->force);
    for (int i = 0; i < h->n; i++) h->rows[i] += dot(nv, w->G + (size_t)nv * (size_t)i, h->force);
    for (int a = 0; a < left; a++) {
        double *y = w->Y + (size_t)nv * (size_t)a;
        memset(h->force, 0, (size_t)nv * sizeof *h->force);
        for (int i = 0; i < h->n; i++) {
            const double *g = w->G + (size_t)nv * (size_t)i;
            for (int k = 0; k < nv; k++) h->force[k] += L[h->n * a + i] * g[k];
        }
        move_by(t, w, h->force, y);
        h->mu[a] = dot(h->n, L + h->n * a, h->rows);
    }
    for (int a = 0; a < left; a++) {
        for (int b = 0; b < left; b++) {
            double sum = 0.0;
            for (int i = 0; i < h->n; i++) {
                double along =
                    dot(nv, w->G + (size_t)nv * (size_t)i, w->Y + (size_t)nv * (size_t)b);
                sum += L[h->n * a + i] * along;
            }
            h->S[left * a + b] = sum;
        }
    }
    if (!flx_dense_cholesky(left, h->S, DEPENDENT)) return FLX_SINGULAR;
    flx_dense_cholesky_solve(left, h->S, h->mu, 1);
    push(t, w, h->rank, left, h->mu, force);
    for (int i = 0; i < h->n; i++) {
        double lam = 0.0;
        for (int a = 0; a < h->n; a++) {
            lam += h->Q[h->n * a + i] * (a < h->rank ? h->eta[a] : h->mu[a - h->rank]);
        }
        *(i < n->nlam ? &x->lam[i] : &x->mu[i - n->nlam]) = lam;
    }
    return FLX_OK;
}
