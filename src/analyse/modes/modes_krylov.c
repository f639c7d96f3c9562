// modes_krylov.c - the slowest motions of a large system: a Krylov space of T (MODE-5), restarted.
//
// Several random vectors begin it, so that eigenvalues may be several times there:
//     T V = V H + V_next C                                                            (MODE-7)
// with the Schur form of H, the largest |t| first, what is wanted is kept and the space grows again from
// V_next, until C along it is rounding. Then it is tried with other random vectors whether anything is
// missing. Motions faster than the shift, constraints among them, are small in T and stay out.
#include "analyse/modes/modes_parts.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 4           // vectors that begin the space
#define MARGIN 12         // more than wanted, up to a gap
#define SPARE 12          // kept beyond them
#define FIRST_SHIFT 0.03  // of the fastest rate
#define BESIDE 0.08       // of the fastest wanted rate: the shift, and
#define GOOD 0.3          // ... of that one that is good enough
#define ALL_SLOW 3e-3     // of the shift: zero, or left to later slices
#define LARGEST_STEP 1e-4 // from shift to shift
#define MOST_SHIFTS 24
#define MOST_RESTARTS 60
#define CONVERGED 1e-12
#define PURGES 3 // products that free a random vector from what constraints do not allow

typedef struct krylov {
    flx_search *f;
    int m, most;     // length of vectors; vectors without those that follow
    int k;           // vectors at present
    double *V;       // (m x (most + WIDTH))
    double *next;    // (m x (most + WIDTH)) scratch
    double *H;       // ((most + WIDTH) x most) V^T T V
    double *S, *Q;   // (most x most)
    double *re, *im; // (most)
    double *parts;   // (most + WIDTH) scratch
    int *select;     // (most)
    unsigned seed;
} krylov;

static double *column(const krylov *p, int j)
{
    return p->V + (size_t)j * (size_t)p->m;
}

static double *coefficients(const krylov *p, int j)
{
    return p->H + (size_t)j * (size_t)(p->most + WIDTH);
}

static flx_status take(flx_search *f, int most, krylov *p)
{
    *p = (krylov){.f = f, .m = f->w.m, .most = most, .seed = 12345u};
    p->V = flx_search_take(f, p->m, most + WIDTH);
    p->next = flx_search_take(f, p->m, most + WIDTH);
    p->H = flx_search_take(f, most + WIDTH, most);
    p->S = flx_search_take(f, most, most);
    p->Q = flx_search_take(f, most, most);
    p->re = flx_search_take(f, most, 2);
    p->select = flx_arena_take(f->arena, (size_t)most, sizeof *p->select);
    if (!p->V || !p->next || !p->H || !p->S || !p->Q || !p->re || !p->select) return FLX_ERR_MEMORY;
    p->im = p->re + most;
    p->parts = flx_search_take(f, most + WIDTH, 1);
    return p->parts ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- the space ----------------------------------------------------------------------------------

static double length(int n, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

// v loses what it has of the first n vectors, twice; h (n) += the parts. Its length is returned.
static double orthogonalise(const krylov *p, int n, double *v, double *h)
{
    for (int pass = 0; pass < 2; pass++) {
        flx_dense_apply(true, p->m, n, p->V, v, p->parts);
        flx_dense_apply(false, p->m, n, p->V, p->parts, p->next);
        for (int i = 0; i < p->m; i++) v[i] -= p->next[i];
        for (int j = 0; h && j < n; j++) h[j] += p->parts[j];
    }
    return length(p->m, v);
}

static void make_random(krylov *p, double *v)
{
    for (int i = 0; i < p->m; i++) {
        p->seed = p->seed * 1664525u + 1013904223u;
        v[i] = (double)(p->seed >> 8) / 16777216.0 - 0.5;
    }
    for (int k = 0; k < PURGES; k++) {
        double *out = p->next;
        flx_shift_apply(&p->f->w, v, out);
        double size = length(p->m, out);
        for (int i = 0; i < p->m; i++) v[i] = size > 0.0 ? out[i] / size : 0.0;
    }
}

// Vector n is any that is orthogonal to those before.
static void set_random(krylov *p, int n)
{
    double *v = column(p, n);
    make_random(p, v);
    double size = orthogonalise(p, n, v, NULL);
    for (int i = 0; i < p->m; i++) v[i] = size > DBL_EPSILON ? v[i] / size : 0.0;
}

static void expand(krylov *p, int until)
{
    for (int j = p->k; j < until; j++) {
        double *v = column(p, j + WIDTH), *h = coefficients(p, j);
        memset(h, 0, (size_t)(p->most + WIDTH) * sizeof *h);
        flx_shift_apply(&p->f->w, column(p, j), v);
        double before = length(p->m, v), size = orthogonalise(p, j + WIDTH, v, h);
        h[j + WIDTH] = size;
        if (size > 1e-14 * before) {
            for (int i = 0; i < p->m; i++) v[i] /= size;
        } else { // the space is closed
            h[j + WIDTH] = 0.0;
            set_random(p, j + WIDTH);
        }
    }
    p->k = until;
}

// ---- what is in it ------------------------------------------------------------------------------

static double size_of(const krylov *p, int i)
{
    return hypot(p->re[i], p->im[i]);
}

static int larger(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y ? 1 : 0;
}

// The largest |t|, `least` to `most` of them, to the front; as many as the widest gap says. *kept: how many,
// *border: |t| there.
static flx_status bring_forward(krylov *p, int least, int most, int *kept, double *border)
{
    double *sizes = p->parts, widest = 0.0;
    for (int i = 0; i < p->k; i++) sizes[i] = size_of(p, i);
    qsort(sizes, (size_t)p->k, sizeof *sizes, larger);
    *border = 0.0;
    for (int n = least; n <= most && n < p->k; n++) {
        double gap = sizes[n] > 0.0 ? sizes[n - 1] / sizes[n] : HUGE_VAL;
        if (!(gap > widest)) continue;
        widest = gap;
        *border = sizes[n] > 0.0 ? sqrt(sizes[n - 1] * sizes[n]) : 0.0;
    }
    *kept = 0;
    for (int i = 0; i < p->k; i++) *kept += p->select[i] = size_of(p, i) > *border;
    if (*kept == p->k) return FLX_OK;
    return flx_dense_schur_sort(p->f->ctx, p->k, p->select, p->S, p->re, p->im, p->Q);
}

static flx_status find_schur(krylov *p)
{
    for (int j = 0; j < p->k; j++) {
        memcpy(p->S + (size_t)j * (size_t)p->k, coefficients(p, j), (size_t)p->k * sizeof *p->S);
    }
    return flx_dense_schur(p->f->ctx, p->k, p->S, p->re, p->im, p->Q);
}

// Only the first n Schur vectors stay. *left: the largest number of C along the first `wanted`.
static void restart(krylov *p, int n, int wanted, double *left)
{
    int k = p->k, ld = p->most + WIDTH;
    double *rows = p->next; // (WIDTH x n)
    *left = 0.0;
    for (int j = 0; j < n; j++) {
        const double *q = p->Q + (size_t)j * (size_t)k;
        for (int r = 0; r < WIDTH; r++) {
            double sum = 0.0;
            for (int i = 0; i < k; i++) sum += coefficients(p, i)[k + r] * q[i];
            rows[j * WIDTH + r] = sum;
            if (j < wanted) *left = fmax(*left, fabs(sum));
        }
    }
    for (int j = 0; j < n; j++) {
        double *h = coefficients(p, j);
        memset(h, 0, (size_t)ld * sizeof *h);
        memcpy(h, p->S + (size_t)j * (size_t)k, (size_t)n * sizeof *h);
        memcpy(h + n, rows + (size_t)j * WIDTH, WIDTH * sizeof *h);
    }
    flx_dense_multiply(false, false, p->m, n, k, p->V, p->Q, p->next);
    memcpy(p->V, p->next, (size_t)n * (size_t)p->m * sizeof *p->V);
    memmove(column(p, n), column(p, k), WIDTH * (size_t)p->m * sizeof *p->V);
    p->k = n;
}

static void begin(krylov *p)
{
    p->k = 0;
    for (int j = 0; j < WIDTH; j++) set_random(p, j);
}

// ---- the shift ----------------------------------------------------------------------------------

static double rate_of(const krylov *p, int i)
{
    double shift = p->f->q.shift, size = p->re[i] * p->re[i] + p->im[i] * p->im[i];
    return shift * hypot(1.0 + p->re[i] / size, p->im[i] / size);
}

// About the rate of eigenvalue `want`, the slowest first, those that are all slow apart; *slow: how many these
// are. What is out of reach of the next shift is no motion but rounding of what constraints do not allow.
static double estimate(const krylov *p, int want, int *slow)
{
    double shift = p->f->q.shift, *rates = p->parts;
    int n = 0;
    *slow = 0;
    for (int i = 0; i < p->k; i++) {
        double rate = rate_of(p, i);
        *slow += rate < ALL_SLOW * shift;
        if (rate >= ALL_SLOW * shift && rate <= shift / LARGEST_STEP) rates[n++] = rate;
    }
    if (n == 0) return shift;
    qsort(rates, (size_t)n, sizeof *rates, larger);
    return rates[want < n ? n - want : 0];
}

static flx_status find_shift(krylov *p, int want, double *shift, int *slow)
{
    double trial = FIRST_SHIFT * p->f->q.fastest;
    *slow = 0;
    for (int k = 0; k < MOST_SHIFTS; k++) {
        int until = want + *slow + MARGIN + SPARE;
        flx_status status = flx_shift_move(&p->f->w, trial);
        if (status == FLX_SINGULAR && k > 0) break;
        FLX_TRY(status);
        // anywhere but at an eigenvalue: a direction that nothing determines
        if (k == 0 && !(flx_lu_rcond(p->f->q.lu) > 4.0 * DBL_EPSILON)) return FLX_SINGULAR;
        *shift = trial;
        begin(p);
        expand(p, until < p->most ? until : p->most);
        FLX_TRY(find_schur(p));
        double rate = BESIDE * estimate(p, want, slow);
        if (rate >= GOOD * trial && rate <= trial / GOOD) break;
        trial = fmax(rate, LARGEST_STEP * trial);
    }
    return flx_shift_move(&p->f->w, *shift);
}

// ---- together -----------------------------------------------------------------------------------

static flx_status not_converged(const flx_search *f, int want)
{
    return FLX_FAIL(f->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "the %d slowest eigenvalues were not found in %d restarts; ask for fewer or "
                    "more modes by `count`",
                    want, MOST_RESTARTS);
}

// The space of at least `want` largest |t|, more where they are no gap apart.
static flx_status converge(krylov *p, int want, int *found, double *border)
{
    double left, within;
    int before = -1;
    begin(p);
    for (int k = 0; k < MOST_RESTARTS; k++) {
        int keep;
        expand(p, p->most);
        FLX_TRY(find_schur(p));
        FLX_TRY(bring_forward(p, want + MARGIN + 1, want + MARGIN + SPARE, &keep, &within));
        FLX_TRY(bring_forward(p, want, want + MARGIN, found, border)); // within them
        restart(p, keep, *found, &left);
        if (left > CONVERGED) continue;
        if (*found == before) return FLX_OK; // nothing was missing
        before = *found;
        for (int j = 0; j < keep; j++) memset(coefficients(p, j) + keep, 0, WIDTH * sizeof(double));
        for (int j = 0; j < WIDTH; j++) set_random(p, keep + j);
    }
    return not_converged(p->f, want);
}

flx_status flx_modes_find_slowest(flx_search *f, int count, int *d, double **B, double *shift,
                                  double *complete)
{
    krylov p;
    double border;
    int want = 2 * count + 2, slow, most = 2 * (want + MARGIN) + 3 * SPARE + 60;
    int room = MARGIN + 2 * SPARE;
    if (most > f->w.m / 2) most = f->w.m / 2;
    if (want + room > most) want = most - room;
    FLX_TRY(take(f, most, &p));
    FLX_TRY(find_shift(&p, want, shift, &slow));
    want = want + slow + room < most ? want + slow : most - room;
    FLX_TRY(converge(&p, want, d, &border));
    // all with |s - shift| below shift / border; where s^2 is real, and one of +-s is not on the left
    double farthest = border > 0.0 ? 1.0 / border : HUGE_VAL;
    *complete = *shift * (f->q.plain ? sqrt(farthest * farthest - 1.0) : farthest - 1.0);
    *B = flx_search_take(f, f->w.m, *d);
    if (!*B) return FLX_ERR_MEMORY;
    memcpy(*B, p.V, (size_t)*d * (size_t)p.m * sizeof **B);
    flx_shift_from_units(&f->w, *d, *B);
    return FLX_OK;
}
