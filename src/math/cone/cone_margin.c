// cone_margin.c - how far groups that hold are from the limits of their friction, their forces shared in the best way
// (docs/theory/contact.md, Rows that depend on each other).
//
// Of all forces with the same motion, lambda + N z with W N = 0, the largest t for which every group has
//     |lambda_t| <= f lambda_n - t                                                                    (CONE-6)
// It is found by the barrier of the cones, -log((f lambda_n - t)^2 - |lambda_t|^2), Newton, and a weight that falls.
#include "math/cone/cone_parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// The weight of the barrier falls by FALLS, to PRECISE of the forces; shares that are no better are kept small by SMALL.
#define FALLS 10.0
#define PRECISE 1e-11
#define SMALL 1e-12
#define MOST_STEPS 50
#define MOST_HALVES 60

typedef struct share {
    flx_cone *c;
    int k;         // ways to share: columns of N
    double *N;     // (m x k)
    double *z;     // (k + 1) the last one is t
    double *g, *H; // (k + 1) (k + 1 x k + 1)
    double *step, *trial, *lam;
    double size, weight; // of the forces; of t in the sum
} share;

// Pivoted factor of W (scaled, m x m, overwritten), in order[]: its rank.
static int factor(int m, double depends, double *W, int *order)
{
    int rank = 0;
    for (int i = 0; i < m; i++) order[i] = i;
    for (; rank < m; rank++) {
        int best = rank;
        for (int i = rank; i < m; i++) {
            if (W[order[i] * m + order[i]] > W[order[best] * m + order[best]]) best = i;
        }
        int keep = order[rank], p = order[best];
        order[rank] = p;
        order[best] = keep;
        if (!(W[p * m + p] > depends)) break;
        double root = sqrt(W[p * m + p]);
        for (int i = rank + 1; i < m; i++) W[order[i] * m + p] /= root;
        W[p * m + p] = root;
        for (int i = rank + 1; i < m; i++) {
            for (int j = rank + 1; j < m; j++)
                W[order[i] * m + order[j]] -= W[order[i] * m + p] * W[order[j] * m + p];
        }
    }
    return rank;
}

// Columns of N: a row that depends on others, and what these take over.
static void find_shares(share *s, double depends, double *W, int *order)
{
    int m = s->c->m, rank = factor(m, depends, W, order);
    s->k = m - rank;
    memset(s->N, 0, (size_t)m * (size_t)s->k * sizeof *s->N);
    for (int n = 0; n < s->k; n++) {
        const double *row = W + (size_t)order[rank + n] * (size_t)m;
        s->N[order[rank + n] * s->k + n] = -1.0;
        for (int i = rank - 1; i >= 0; i--) {
            double sum = row[order[i]];
            for (int j = i + 1; j < rank; j++)
                sum -= W[order[j] * m + order[i]] * s->N[order[j] * s->k + n];
            s->N[order[i] * s->k + n] = sum / W[order[i] * m + order[i]];
        }
    }
}

// ---- the sum that is the least --------------------------------------------------------------------

// Of a group: what friction may be, and the row of its normal force, -1: none.
static double room_of(const flx_cone_member *g, const double *lam, int *normal, double *f)
{
    bool presses = g->kind == FLX_CONE_COULOMB;
    *normal = presses ? g->first : -1;
    *f = presses && g->n == 1 ? 1.0 : g->f;
    return presses ? *f * lam[g->first] : g->limit;
}

static double friction_of(const flx_cone_member *g, const double *lam)
{
    int first = g->first + (g->kind == FLX_CONE_COULOMB), n = g->first + g->n - first;
    return n == 2 ? hypot(lam[first], lam[first + 1]) : n == 1 ? fabs(lam[first]) : 0.0;
}

// Forces of z, into s->lam. The least room of a group.
static double share_out(const share *s, const double *from, const double *z)
{
    double least = HUGE_VAL, f;
    int normal;
    for (int i = 0; i < s->c->m; i++) {
        s->lam[i] = from[i];
        for (int n = 0; n < s->k; n++) s->lam[i] += s->N[i * s->k + n] * z[n];
    }
    for (int i = 0; i < s->c->ngroup; i++) {
        const flx_cone_member *g = &s->c->group[i];
        least = fmin(least, room_of(g, s->lam, &normal, &f) - friction_of(g, s->lam));
    }
    return least;
}

static double sum_at(const share *s, const double *from, const double *z)
{
    double t = z[s->k], sum = -s->weight * t, f;
    int normal;
    if (!(share_out(s, from, z) > t) || !(t < s->size)) return HUGE_VAL;
    for (int i = 0; i < s->c->ngroup; i++) {
        const flx_cone_member *g = &s->c->group[i];
        double room = room_of(g, s->lam, &normal, &f) - t, q = friction_of(g, s->lam);
        sum -= log((room - q) / s->size) + log((room + q) / s->size);
    }
    for (int n = 0; n < s->k; n++) sum += 0.5 * s->weight * SMALL / s->size * z[n] * z[n];
    return sum - log(1.0 - t / s->size);
}

// Derivatives by room and friction (3, 3 x 3) times those of these by z.
static void add_group(share *s, const flx_cone_member *g, double t)
{
    int normal, n = s->k + 1, rows = 1;
    double f, x[3], D, *d[3] = {s->c->center, s->c->lag, s->c->skew};
    x[0] = room_of(g, s->lam, &normal, &f) - t;
    for (int i = 0; i < s->k; i++) d[0][i] = normal >= 0 ? f * s->N[normal * s->k + i] : 0.0;
    d[0][s->k] = -1.0;
    for (int r = g->first + (normal >= 0); r < g->first + g->n; r++, rows++) {
        x[rows] = s->lam[r];
        memcpy(d[rows], s->N + r * s->k, (size_t)s->k * sizeof *s->N);
        d[rows][s->k] = 0.0;
    }
    double q = friction_of(g, s->lam);
    D = (x[0] - q) * (x[0] + q);
    for (int a = 0; a < rows; a++) {
        double first = 2.0 * x[a] / D * (a == 0 ? -1.0 : 1.0);
        for (int i = 0; i < n; i++) s->g[i] += first * d[a][i];
        for (int b = 0; b < rows; b++) {
            double second = 4.0 * x[a] * x[b] / (D * D) * ((a == 0) != (b == 0) ? -1.0 : 1.0);
            if (a == b) second += (a == 0 ? -2.0 : 2.0) / D;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) s->H[i * n + j] += second * d[a][i] * d[b][j];
            }
        }
    }
}

// A step of Newton towards the least sum. False: it is there, or rounding is.
static bool improve(share *s, const double *from)
{
    int n = s->k + 1;
    double t = s->z[s->k], before = sum_at(s, from, s->z), slope = 0.0, left = 1.0 / (s->size - t);
    memset(s->g, 0, (size_t)n * sizeof *s->g);
    memset(s->H, 0, (size_t)n * (size_t)n * sizeof *s->H);
    for (int i = 0; i < s->c->ngroup; i++) add_group(s, &s->c->group[i], t);
    s->g[s->k] += left - s->weight;
    s->H[n * n - 1] += left * left;
    for (int i = 0; i < s->k; i++) {
        s->g[i] += s->weight * SMALL / s->size * s->z[i];
        s->H[i * n + i] += s->weight * SMALL / s->size;
    }
    memcpy(s->step, s->g, (size_t)n * sizeof *s->g);
    if (!flx_dense_cholesky(n, s->H, 0.0)) return false;
    flx_dense_cholesky_solve(n, s->H, s->step, 1);
    for (int i = 0; i < n; i++) slope += s->g[i] * s->step[i];
    if (!(slope > 1e-8)) return false;
    for (int half = 0; half < MOST_HALVES; half++) {
        double part = ldexp(1.0, -half);
        for (int i = 0; i < n; i++) s->trial[i] = s->z[i] - part * s->step[i];
        if (!(sum_at(s, from, s->trial) < before - 1e-3 * part * slope)) continue;
        memcpy(s->z, s->trial, (size_t)n * sizeof *s->z);
        return true;
    }
    return false;
}

// ---- all of it --------------------------------------------------------------------------------------

flx_status flx_cone_margin(flx_cone *c, int m, const double *W, const double *lambda, int ngroup,
                           const flx_cone_group *groups, double depends, double *margin,
                           double *size)
{
    *margin = *size = 0.0;
    FLX_TRY(flx_cone_reserve(c, m + 1, ngroup)); // one more unknown: t
    if (m == 0) return FLX_OK;
    if (!flx_cone_is_finite((size_t)m * (size_t)m, W) || !flx_cone_is_finite((size_t)m, lambda))
        return FLX_NOT_FINITE;
    flx_cone_sort(c, m, W, ngroup, groups);
    share s = {.c = c,
               .N = c->J,
               .H = c->A,
               .z = c->dlam,
               .g = c->du,
               .lam = c->u,
               .step = c->trial,
               .trial = c->work};
    for (int i = 0; i < m; i++) {
        c->lam[i] = lambda[c->row[i]] / c->scale[i];
        s.size = fmax(s.size, fabs(c->lam[i]));
        for (int j = 0; j < m; j++)
            c->HJ[i * m + j] = c->scale[i] * c->scale[j] * W[c->row[i] * m + c->row[j]];
    }
    for (int i = 0; i < c->ngroup; i++) s.size = fmax(s.size, c->group[i].limit);
    find_shares(&s, depends, c->HJ, c->pivot);
    *size = s.size;
    *margin = share_out(&s, c->lam, memset(s.z, 0, (size_t)s.k * sizeof *s.z));
    if (s.k == 0 || !(s.size > 0.0)) return FLX_OK;
    s.z[s.k] = *margin - s.size;
    for (double weight = 1.0; weight * PRECISE < 1.0; weight *= FALLS) {
        s.weight = weight * 2 * c->ngroup / s.size;
        for (int i = 0; i < MOST_STEPS && improve(&s, c->lam); i++) {
        }
    }
    *margin = fmax(*margin, s.z[s.k]);
    return FLX_OK;
}
