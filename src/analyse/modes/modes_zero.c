// modes_zero.c - the eigenvalue zero, with a proof.
//
// Free directions and speeds come in chains, F y1 = 0, F y2 = E y1, ..., which rounding would spread over
// +-sqrt(eps) and further. A motion is one of them when it can be written down: an equation of the chain,
//     Q0 z + Q1 z' + Q2 z'' = 0,   y' = (z', z'') among those before                  (MODE-6)
// must hold in every row to the rounding of its terms. P of what is left, with those found taken out, has
// them as its null space.
#include "analyse/modes/modes_parts.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CANDIDATE 1e-3 // singular values of P
#define ROUNDING 50.0  // of the estimate
#define LIKELY 4.0     // of it
#define CORRECTIONS 4
#define LEVER 10.0 // of forces that are not in balance, in parts of the scales
#define FAILURES 8 // one after the other, by growing singular values: the others are none either

typedef struct chains {
    flx_search *f;
    int d, n;      // motions; of them proven
    double *Y;     // (m x d) in units, orthonormal: those proven first
    double *P;     // (d x d) Y^T P Y
    double *rows;  // (7 n) scratch
    double within; // |s| of those proven, at most
} chains;

// rates (m, in units) of the chain below column c (n) of P: y' = shift T^-1 c within those proven.
static flx_status find_rates(chains *k, const double *c, double *rates)
{
    int n = k->n, m = k->f->w.m;
    double *T = flx_search_take(k->f, n, n + 1);
    memset(rates, 0, (size_t)m * sizeof *rates);
    if (!T) return FLX_ERR_MEMORY;
    double *b = T + n * n;
    for (int j = 0; j < n; j++) {
        memcpy(T + j * n, k->P + (size_t)j * (size_t)k->d, (size_t)n * sizeof *T);
        T[j * n + j] -= 1.0;
        b[j] = c[j] * k->f->q.shift;
    }
    FLX_TRY(flx_dense_solve(k->f->ctx, n, 1, T, b));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) rates[i] += k->Y[(size_t)j * (size_t)m + (size_t)i] * b[j];
    }
    return FLX_OK;
}

// off (n): what rounding of Q0 may make of z: the solution for any signs of it, `turn` says which.
static void find_uncertain(chains *k, const double *z, double reach, int turn, double *off)
{
    const flx_quadratic *q = &k->f->q;
    flx_shift_rounding(&k->f->w, z, reach, off);
    for (int i = 0; i < q->n; i++) off[i] *= (i * 7919 + 5 * turn) % 13 < 6 ? -1.0 : 1.0;
    flx_quadratic_solve(q, off);
}

// The largest of a motion y' of a chain, in the scales: of z', or of z'' over the shift.
static double find_reach(const chains *k, const double *rates)
{
    const flx_quadratic *q = &k->f->q;
    int first = q->nv + q->nx;
    double reach = 0.0;
    for (int i = 0; i < first; i++) reach = fmax(reach, fabs(rates[i]) * q->ease[i] / q->scale[i]);
    for (int i = 0; i < q->nv; i++) {
        reach = fmax(reach, fabs(rates[first + i]) * q->ease[i] / q->scale[i]);
    }
    return reach;
}

// known = Q1 z' + Q2 z'', sizes: what rounding may make of it. z' and z'' themselves are known but to what
// rounding of Q0 makes of them.
static void find_known(chains *k, const double *rates, double *known, double *sizes)
{
    flx_shift *w = &k->f->w;
    const flx_quadratic *q = &k->f->q;
    int first = q->nv + q->nx;
    double *off = k->rows + 5 * q->n, *z = off + q->n;
    memset(known, 0, (size_t)q->n * sizeof *known);
    memset(sizes, 0, (size_t)q->n * sizeof *sizes);
    for (int p = 1; p < 3 && k->n > 0; p++) {
        const double *from = p == 1 ? rates : rates + first;
        const double *unit = p == 1 ? w->unit : w->unit + first;
        double reach = find_reach(k, rates) * (p == 1 ? 1.0 : q->shift);
        memset(z, 0, (size_t)q->n * sizeof *z);
        for (int i = 0; i < (p == 1 ? first : q->nv); i++) z[i] = from[i] * unit[i];
        flx_quadratic_multiply(q, p, z, w->b);
        for (int i = 0; i < q->n; i++) known[i] += w->b[i];
        find_uncertain(k, z, 0.0, 0, off);
        for (int i = 0; i < first; i++) {
            z[i] = DBL_EPSILON * (fabs(z[i]) + reach * q->scale[i]) + fabs(off[i]);
        }
        flx_quadratic_multiply_sizes(q, p, z, w->c);
        for (int i = 0; i < q->n; i++) sizes[i] += w->c[i];
    }
}

// sizes (n): += what rounding in some rows makes of others, where unknowns follow: Q0 of what z may be off by.
static void add_uncertain(chains *k, const double *z, double reach, double *sizes)
{
    const flx_quadratic *q = &k->f->q;
    double *off = k->rows + 5 * q->n, *product = off + q->n;
    for (int turn = 0; turn < 2; turn++) {
        find_uncertain(k, z, reach, turn, off);
        flx_quadratic_multiply(q, 0, off, product);
        for (int i = 0; i < q->n; i++) sizes[i] += fabs(product[i]);
    }
}

// |s| that a stiffness of the size of rounding would have along z, by its mass or its damping.
static double find_within(const flx_quadratic *q, const double *z, const double *limit,
                          double *scratch)
{
    double stiffness = 0.0, part[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < q->nv; i++) stiffness += z[i] * z[i] * limit[i] * limit[i];
    stiffness = LIKELY / ROUNDING * sqrt(stiffness);
    for (int k = 1; k < 3; k++) {
        flx_quadratic_multiply(q, k, z, scratch);
        for (int i = 0; i < q->nv; i++) part[k] += z[i] * scratch[i];
    }
    double by_mass = part[2] > 0.0 ? sqrt(stiffness / part[2]) : HUGE_VAL;
    double by_damping = part[1] > 0.0 ? stiffness / part[1] : HUGE_VAL;
    double within = fmin(by_mass, by_damping);
    return within < HUGE_VAL ? within : 0.0;
}

// Whether motion y (m, in units) continues a chain whose last equation gives `rates`; y is made better.
static bool proves(chains *k, double *y, const double *rates)
{
    flx_shift *w = &k->f->w;
    const flx_quadratic *q = &k->f->q;
    int n = q->n, first = q->nv + q->nx;
    double *z = k->rows, *known = z + n, *sizes = known + n, *r = sizes + n, *allowed = r + n;
    double off = HUGE_VAL, reach = 0.0, rate = find_reach(k, rates) / q->shift;
    find_known(k, rates, known, sizes);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < first; i++) z[i] = y[i] * w->unit[i];
    add_uncertain(k, z, rate, sizes);
    for (int c = 0; c <= CORRECTIONS; c++) {
        flx_quadratic_multiply(q, 0, z, r);
        flx_shift_rounding(w, z, rate, allowed);
        double worst = 0.0;
        reach = rate;
        for (int i = 0; i < first; i++) reach = fmax(reach, fabs(z[i]) / q->scale[i]);
        for (int i = 0; i < n; i++) {
            double limit = ROUNDING * (allowed[i] + sizes[i]);
            if (i < q->nv) limit += LEVER * k->f->out_of_balance * reach / q->scale[i];
            r[i] += known[i];
            if (fabs(r[i]) > worst * limit) worst = limit > 0.0 ? fabs(r[i]) / limit : HUGE_VAL;
            allowed[i] = limit;
        }
        off = fmin(off, worst);
        if (off <= 1.0) break;
        flx_quadratic_solve(q, r);
        for (int i = 0; i < n; i++) z[i] -= r[i];
    }
    if (!(off <= 1.0)) return false;
    if (k->n == 0) k->within = fmax(k->within, find_within(q, z, allowed, r));
    for (int i = 0; i < first; i++) y[i] = z[i] / w->unit[i];
    for (int i = 0; i < q->nv; i++) y[first + i] = rates[i] / q->shift;
    return true;
}

// P of the motions as they are now.
static flx_status project(chains *k)
{
    flx_shift *w = &k->f->w;
    int m = w->m, d = k->d;
    double *PY = flx_search_take(k->f, m, d);
    if (!PY) return FLX_ERR_MEMORY;
    for (int j = 0; j < d; j++) {
        flx_shift_apply_slow(w, k->Y + (size_t)j * (size_t)m, PY + (size_t)j * (size_t)m);
    }
    flx_dense_multiply(true, false, d, d, m, k->Y, PY, k->P);
    return FLX_OK;
}

// One level of the chains. *found: how many.
static flx_status find_level(chains *k, int *found)
{
    int d = k->d, n = k->n, rest = d - n, m = k->f->w.m, good = 0;
    double *A = flx_search_take(k->f, rest, rest), *V = flx_search_take(k->f, rest, rest);
    double *s = flx_search_take(k->f, rest, 1), *c = flx_search_take(k->f, d, 1);
    double *Z = flx_search_take(k->f, m, rest), *rates = flx_search_take(k->f, m, 1);
    *found = 0;
    if (!A || !V || !s || !c || !Z || !rates) return FLX_ERR_MEMORY;
    FLX_TRY(project(k));
    for (int j = 0; j < rest; j++) {
        memcpy(A + j * rest, k->P + (size_t)(n + j) * (size_t)d + n, (size_t)rest * sizeof *A);
    }
    FLX_TRY(flx_dense_svd(k->f->ctx, rest, rest, A, s, NULL, V));
    flx_dense_multiply(false, false, m, rest, rest, k->Y + (size_t)n * (size_t)m, V, Z);
    for (int j = rest - 1, failed = 0; j >= 0 && s[j] <= CANDIDATE && failed < FAILURES; j--) {
        double *y = Z + (size_t)j * (size_t)m;
        for (int i = 0; i < n; i++) {
            c[i] = 0.0;
            for (int l = 0; l < rest; l++)
                c[i] += k->P[(size_t)(n + l) * (size_t)d + i] * V[j * rest + l];
        }
        FLX_TRY(find_rates(k, c, rates));
        failed++;
        if (!proves(k, y, rates)) continue;
        failed = 0;
        // to the front of those that are left, which the others stay behind
        double *to = Z + (size_t)(rest - 1 - good) * (size_t)m;
        for (int i = 0; i < m && to != y; i++) {
            double swap = to[i];
            to[i] = y[i];
            y[i] = swap;
        }
        good++;
    }
    if (good == 0) return FLX_OK;
    for (int j = 0; j < rest; j++) {
        memcpy(k->Y + (size_t)(n + j) * (size_t)m, Z + (size_t)(rest - 1 - j) * (size_t)m,
               (size_t)m * sizeof *Z);
    }
    FLX_TRY(flx_dense_orthonormalise(k->f->ctx, m, d, k->Y));
    k->n += good;
    *found = good;
    return FLX_OK;
}

flx_status flx_modes_prove_zero(flx_search *f, int d, const double *B, flx_remnant *out)
{
    int m = f->w.m;
    chains k = {.f = f, .d = d};
    *out = (flx_remnant){.d = d};
    out->Y = k.Y = flx_search_take(f, m, d);
    out->P = k.P = flx_search_take(f, d, d);
    k.rows = flx_search_take(f, f->q.n, 7);
    if (!k.Y || !k.P || !k.rows) return FLX_ERR_MEMORY;
    memcpy(k.Y, B, (size_t)m * (size_t)d * sizeof *B);
    flx_shift_to_units(&f->w, d, k.Y);
    FLX_TRY(flx_dense_orthonormalise(f->ctx, m, d, k.Y));
    for (int found = 1; found > 0 && k.n < d;) FLX_TRY(find_level(&k, &found));
    out->n = k.n;
    f->out->within = k.within;
    return FLX_OK;
}
