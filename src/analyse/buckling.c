// buckling.c - load factors at which the equilibrium is lost, by the tangent of equilibria near it.
//
// With the tangents K(0), K(h/2) and K(h) of equilibria without the loads and with some of them,
//     (K(0) + f K1 + f^2 K2) phi = 0                                                     (STA-7)
// where K1 and K2 are those of the parabola through the three. As the load factor is f = h/m,
//     m (phi, psi) = (psi, -K(0)^-1 (h K1 psi + h^2 K2 phi))                             (STA-8)
// and the largest m are found by Arnoldi's method. Where a structure moves much under the loads, the parabola leads elsewhere:
// a factor counts where the equilibrium under it has little stiffness left against a load u like its direction, and is
// refined to where there is none:
//     (u, K(0)^-1 u) / (u, K(f)^-1 u) = 0                                                (STA-9)
#include "analyse/rest.h"
#include "base/refuse.h"
#include "math/eigen.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define STEP 0.25 // of the first factor: where the last position is
#define ROUNDING                                                                                   \
    256 // what differs by so many units of the largest number of its row does not differ
#define MOST_TRIES 12  // to find a position under the loads
#define SMALLEST 0.125 // of the load from try to try
#define MORE 30        // vectors beyond those asked for, at first
#define MOST_VECTORS 400
#define CONVERGED 1e-10 // of an eigenvalue
#define REAL 1e-6       // imaginary part of one that rounding has split
#define NOTHING 1e-12   // eigenvalue, of the largest: there is no such load
#define LEFT 0.25       // of the stiffness, under a factor that counts
#define MOST_SECANTS 8
#define REFINED 1e-7 // of a factor

typedef struct buckling {
    flx_rest e;
    flx_state *start, *x; // owned: at rest without the loads; scratch
    double *K;            // owned: K(0), h K1, h^2 K2
    size_t size;          // of each
    int n;                // of a vector: twice the unknowns
    double h;             // load of the last position
    flx_arena *arena;     // of the result
    double *image;        // (n) owned
    double *V, *H;        // (n x (m + 1)) (m x m, column-major); owned
    bool unsure;          // factors have not converged with the most vectors
    int wanted;           // factors of the parabola that are looked for
    int n_found;          // of them there are
    double *found;        // (wanted) the nearest to zero first; owned, as is
    double *direction;    // (e.n x wanted) scaled
    double *compliance;   // (wanted) along it, without loads
    int elsewhere;        // factors where the equilibrium is not near being lost
    double nearest;       // of them the nearest to zero
    double beyond;        // the nearest factor that no path led to; 0: none
} buckling;

// ---- matrices ------------------------------------------------------------------------------------

// The tangent at rest under the factor h, from where x is; FLX_NO_CONVERGENCE: there is none.
static flx_status find_tangent(buckling *b, double *factor, double from, double h)
{
    flx_rest *e = &b->e;
    const flx_path_def def = {
        .factor = factor, .from = from, .to = h, .steps = 1, .max_steps = 100};
    int errors = flx_ctx_error_count(e->s->ctx);
    flx_path_report report;
    flx_status status = flx_path_follow(e->s, b->x, &def, NULL, NULL, &report);
    if (status > 0) flx_ctx_forget_errors(e->s->ctx, errors);
    FLX_TRY(status);
    return report.arrived ? flx_rest_linearise(e, b->x) : FLX_NO_CONVERGENCE;
}

// h^2 K2 is often nothing but rounding, next to large numbers that the load does not change.
static void drop_rounding(buckling *b)
{
    const flx_pattern *p = &b->e.s->pattern;
    double *K1 = b->K + b->size, *K2 = K1 + b->size;
    for (int i = 0; i < p->nblock; i++) {
        int from = p->offset[p->row[i]], to = p->offset[p->row[i + 1]];
        double largest = 0.0;
        for (int k = from; k < to; k++) largest = fmax(largest, fabs(b->K[k]));
        for (int k = from; k < to; k++) {
            if (fabs(K2[k]) > ROUNDING * DBL_EPSILON * largest) continue;
            K1[k] += K2[k];
            K2[k] = 0.0;
        }
    }
}

// K1 and K2 by positions under the factors h/2 and h.
static flx_status find_change(buckling *b, double *factor, double h)
{
    flx_rest *e = &b->e;
    double *K1 = b->K + b->size, *K2 = K1 + b->size;
    flx_state_copy(b->x, b->start);
    FLX_TRY(find_tangent(b, factor, 0.0, 0.5 * h));
    memcpy(K1, e->b.A0, b->size * sizeof *K1);
    FLX_TRY(find_tangent(b, factor, 0.5 * h, h));
    for (size_t i = 0; i < b->size; i++) {
        double half = K1[i] - b->K[i], whole = e->b.A0[i] - b->K[i];
        K1[i] = 4.0 * half - whole;
        K2[i] = 2.0 * whole - 4.0 * half;
    }
    drop_rounding(b);
    b->h = h;
    // the factors that follow are those without loads
    *factor = 0.0;
    FLX_TRY(flx_rest_linearise(e, b->start));
    return flx_rest_factor(e, FLX_REST_LONGEST_STEP);
}

// ---- Arnoldi -------------------------------------------------------------------------------------

static double dot(const buckling *b, const double *u, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < b->n; i++) sum += u[i] * v[i];
    return sum;
}

// out = -K u, of scaled vectors: each coordinate of one size.
static void multiply(buckling *b, const double *K, const double *u, double *out)
{
    flx_rest *e = &b->e;
    for (int i = 0; i < e->n; i++) e->d[i] = -u[i] * (i < e->nv ? e->scale[i] : 1.0);
    flx_pattern_apply(&e->s->pattern, K, e->d, out);
}

// (STA-8)
static flx_status apply(buckling *b, const double *u, double *out)
{
    flx_rest *e = &b->e;
    int n = e->n;
    multiply(b, b->K + b->size, u + n, out + n);
    multiply(b, b->K + 2 * b->size, u, out);
    for (int i = 0; i < n; i++) out[n + i] += out[i];
    FLX_TRY(flx_rest_solve(e, out + n));
    for (int i = 0; i < e->nv; i++) out[n + i] /= e->scale[i];
    memcpy(out, u + n, (size_t)n * sizeof *out);
    return FLX_OK;
}

// Column k of H and vector k + 1; *next: its size before it was made 1.
static flx_status extend(buckling *b, int m, int k, double *next)
{
    size_t n = (size_t)b->n;
    double *w = b->V + (size_t)(k + 1) * n;
    FLX_TRY(apply(b, b->V + (size_t)k * n, w));
    double before = sqrt(dot(b, w, w));
    for (int pass = 0; pass < 2; pass++) { // once is not enough
        for (int j = 0; j <= k; j++) {
            double h = dot(b, b->V + (size_t)j * n, w);
            b->H[k * m + j] += h;
            for (size_t i = 0; i < n; i++) w[i] -= h * b->V[(size_t)j * n + i];
        }
    }
    double size = sqrt(dot(b, w, w));
    if (!isfinite(size)) return FLX_SINGULAR;
    *next = size > 16 * DBL_EPSILON * before ? size : 0.0;
    for (size_t i = 0; i < n; i++) w[i] = *next > 0.0 ? w[i] / size : 0.0;
    if (k + 1 < m) b->H[k * m + k + 1] = *next;
    return FLX_OK;
}

static int nearer(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return x < y ? -1 : x > y;
}

// Factors of the space of m vectors, nearest to zero first, with their directions; *good: all of those
// wanted have converged, or the space is a whole.
static flx_status read_factors(buckling *b, int m, double next, bool *good)
{
    flx_ctx *ctx = b->e.s->ctx;
    size_t n = (size_t)b->n;
    double *A = flx_alloc(ctx, 2 * (size_t)(m * m) + 2 * (size_t)m, sizeof *A);
    double(*order)[2] = flx_alloc(ctx, (size_t)m, sizeof *order);
    flx_status status = A && order ? FLX_OK : FLX_ERR_MEMORY;
    if (status != FLX_OK) goto done;
    double *W = A + m * m, *re = W + m * m, *im = re + m, largest = 0.0;
    memcpy(A, b->H, (size_t)(m * m) * sizeof *A);
    status = flx_dense_eigenvectors(ctx, m, A, re, im, W);
    if (status != FLX_OK) goto done;
    for (int j = 0; j < m; j++) largest = fmax(largest, hypot(re[j], im[j]));
    b->n_found = 0;
    *good = true;
    for (int j = 0; j < m; j++) {
        if (fabs(im[j]) > REAL * fabs(re[j]) || fabs(re[j]) <= NOTHING * largest) continue;
        order[b->n_found][0] = b->h / re[j];
        order[b->n_found++][1] = j;
    }
    qsort(order, (size_t)b->n_found, sizeof *order, nearer);
    if (b->n_found > b->wanted) b->n_found = b->wanted;
    if (b->n_found < b->wanted && next > 0.0 && m < b->n) *good = false;
    memset(b->direction, 0, (size_t)b->n_found * (size_t)b->e.n * sizeof *b->direction);
    for (int k = 0; k < b->n_found; k++) {
        int j = (int)order[k][1];
        double *d = b->direction + (size_t)k * (size_t)b->e.n;
        if (fabs(next * W[j * m + m - 1]) > CONVERGED * fabs(re[j])) *good = false;
        b->found[k] = order[k][0];
        for (int c = 0; c < m; c++) {
            for (int i = 0; i < b->e.n; i++) d[i] += W[j * m + c] * b->V[(size_t)c * n + (size_t)i];
        }
    }

done:
    flx_free(A);
    flx_free(order);
    return status;
}

// Those of the parabola.
static flx_status find_factors(buckling *b)
{
    flx_ctx *ctx = b->e.s->ctx;
    int n = b->n, m = 2 * b->wanted + MORE < n ? 2 * b->wanted + MORE : n;
    bool good = false;
    for (; !good; m = 2 * m < n ? 2 * m : n) {
        double next = 0.0, size = 0.0;
        flx_free(b->V);
        flx_free(b->H);
        b->V = flx_alloc(ctx, (size_t)n * (size_t)(m + 1), sizeof *b->V);
        b->H = flx_alloc(ctx, (size_t)m * (size_t)m, sizeof *b->H);
        if (!b->V || !b->H) return FLX_ERR_MEMORY;
        for (int i = 0; i < n; i++) b->V[i] = 1.0 + 0.5 * sin(1.0 + 3.7 * i); // blind to nothing
        FLX_TRY(apply(b, b->V, b->image));                                    // into the range
        FLX_TRY(apply(b, b->image, b->V));
        size = sqrt(dot(b, b->V, b->V));
        if (!(size > 0.0)) {
            b->n_found = 0; // the loads change nothing
            return FLX_OK;
        }
        for (int i = 0; i < n; i++) b->V[i] /= size;
        int k = 0;
        for (; k < m; k++) {
            FLX_TRY(extend(b, m, k, &next));
            if (next == 0.0) break;
        }
        if (k < m) { // a whole space: its part of H
            for (int j = 1; j <= k; j++)
                memmove(b->H + j * (k + 1), b->H + j * m, (size_t)(k + 1) * sizeof *b->H);
            k++;
        }
        FLX_TRY(read_factors(b, k, next, &good));
        if (m == n || k < m || m > MOST_VECTORS) break;
    }
    b->unsure = !good && m < n;
    return FLX_OK;
}

// ---- which of them count -------------------------------------------------------------------------

// Back to where no loads are, with its factors.
static flx_status go_back(buckling *b, double *factor)
{
    *factor = 0.0;
    FLX_TRY(flx_rest_linearise(&b->e, b->start));
    return flx_rest_factor(&b->e, FLX_REST_LONGEST_STEP);
}

// What a load like the direction u does along itself, by the present factors. Stiff directions, which turn with the structure,
// do nothing to it.
static flx_status find_compliance(buckling *b, const double *u, double *compliance)
{
    const flx_rest *e = &b->e;
    double *y = b->image;
    memset(y, 0, (size_t)e->n * sizeof *y);
    for (int i = 0; i < e->nv; i++) y[i] = u[i] / e->scale[i];
    FLX_TRY(flx_rest_solve(e, y));
    *compliance = 0.0;
    for (int i = 0; i < e->nv; i++) *compliance += u[i] * y[i] / e->scale[i];
    return FLX_OK;
}

// How much of the stiffness against a load like u, whose compliance without loads is known, the equilibrium under the
// factor f has left; x goes there from where it is, under the factor from. FLX_NO_CONVERGENCE: no path leads there.
static flx_status find_left(buckling *b, double *factor, double from, double f, const double *u,
                            double before, double *left)
{
    double now;
    FLX_TRY(find_tangent(b, factor, from, f));
    flx_status status = flx_rest_factor(&b->e, FLX_REST_LONGEST_STEP);
    *left = 0.0;
    if (status == FLX_SINGULAR) return FLX_OK;
    FLX_TRY(status);
    FLX_TRY(find_compliance(b, u, &now));
    *left = now != 0.0 ? before / now : HUGE_VAL; // (STA-9)
    return FLX_OK;
}

// Where nothing is left, from *f near it, by secants; as far as paths lead there.
static flx_status refine(buckling *b, double *factor, double left, const double *u, double before,
                         double *f)
{
    double from = 0.0, had = 1.0, at = *f, estimate = *f;
    for (int k = 0; k < MOST_SECANTS && left != had; k++) {
        double next = at - left * (at - from) / (left - had);
        if (!(fabs(next - estimate) <= LEFT * fabs(estimate))) break;
        *f = next;
        if (fabs(next - at) <= REFINED * fabs(at)) break;
        from = at, had = left, at = next;
        flx_status status = find_left(b, factor, from, at, u, before, &left);
        if (status < 0) return status;
        if (status > 0) break;
    }
    return FLX_OK;
}

static flx_status keep(buckling *b, double f, double *u, flx_buckling *out)
{
    int k = out->n++;
    for (int i = 0; i < b->e.nv; i++) u[i] *= b->e.scale[i];
    for (; k > 0 && fabs(out->factors[k - 1]) > fabs(f); k--) {
        out->factors[k] = out->factors[k - 1];
        out->modes[k] = out->modes[k - 1];
    }
    out->factors[k] = f;
    return flx_rest_name_direction(&b->e, u, &out->modes[k]);
}

// Those found that count, count at the most, into out; without out the first of them alone, into *first.
static flx_status choose(buckling *b, double *factor, int count, double *first, flx_buckling *out)
{
    flx_rest *e = &b->e;
    size_t n = (size_t)e->n;
    b->elsewhere = 0;
    b->beyond = *first = 0.0;
    if (out) out->n = 0;
    for (int k = 0; k < b->n_found; k++)
        FLX_TRY(find_compliance(b, b->direction + (size_t)k * n, &b->compliance[k]));
    for (int k = 0; k < b->n_found && (out ? out->n < count : *first == 0.0); k++) {
        double *u = b->direction + (size_t)k * n, f = b->found[k], left = 0.0;
        flx_state_copy(b->x, b->start);
        flx_status status = find_left(b, factor, 0.0, f, u, b->compliance[k], &left);
        if (status < 0) return status;
        if (status == FLX_OK && fabs(left) > LEFT) {
            if (b->elsewhere++ == 0) b->nearest = f;
            continue;
        }
        if (*first == 0.0) *first = f;
        if (!out) continue;
        if (status > 0 && b->beyond == 0.0) b->beyond = f;
        if (status == FLX_OK) FLX_TRY(refine(b, factor, left, u, b->compliance[k], &f));
        FLX_TRY(keep(b, f, u, out));
    }
    if (out) out->elsewhere = b->elsewhere;
    return go_back(b, factor);
}

// ---- together ------------------------------------------------------------------------------------

static flx_status look_for(buckling *b, int wanted)
{
    flx_ctx *ctx = b->e.s->ctx;
    flx_free(b->found);
    flx_free(b->direction);
    flx_free(b->compliance);
    b->wanted = wanted;
    b->found = flx_alloc(ctx, (size_t)wanted, sizeof *b->found);
    b->direction = flx_alloc(ctx, (size_t)wanted * (size_t)b->e.n, sizeof *b->direction);
    b->compliance = flx_alloc(ctx, (size_t)wanted, sizeof *b->compliance);
    return b->found && b->direction && b->compliance ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status create(const flx_system *s, const flx_state *x, int count, buckling *b,
                         flx_buckling *out)
{
    FLX_TRY(flx_rest_check(s));
    FLX_TRY(flx_rest_create(s, &b->e));
    FLX_TRY(flx_state_create(s, &b->start));
    FLX_TRY(flx_state_create(s, &b->x));
    flx_state_copy(b->start, x);
    b->size = flx_pattern_size(&s->pattern);
    b->n = 2 * b->e.n;
    b->K = flx_alloc(s->ctx, 3 * b->size, sizeof *b->K);
    b->image = flx_alloc(s->ctx, (size_t)b->n, sizeof *b->image);
    out->memory = b->arena = flx_arena_create(s->ctx);
    if (!b->K || !b->image || !b->arena) return FLX_ERR_MEMORY;
    out->factors = flx_arena_take(b->arena, (size_t)count, sizeof *out->factors);
    out->modes = flx_arena_take(b->arena, (size_t)count, sizeof *out->modes);
    return out->factors && out->modes ? look_for(b, count) : FLX_ERR_MEMORY;
}

static void destroy(buckling *b)
{
    flx_rest_destroy(&b->e);
    flx_state_destroy(&b->start);
    flx_state_destroy(&b->x);
    flx_free(b->K);
    flx_free(b->image);
    flx_free(b->V);
    flx_free(b->H);
    flx_free(b->found);
    flx_free(b->direction);
    flx_free(b->compliance);
}

// The parabola through the loads as they are, or the largest part that is borne.
static flx_status begin(buckling *b, double *factor, double *h)
{
    *factor = 0.0;
    FLX_TRY(flx_equilibrium_find(b->e.s, b->start, NULL));
    FLX_TRY(flx_rest_linearise(&b->e, b->start));
    memcpy(b->K, b->e.b.A0, b->size * sizeof *b->K);
    flx_status status = FLX_NO_CONVERGENCE;
    *h = 1.0;
    for (int k = 0; k < MOST_TRIES; k++, *h *= SMALLEST) {
        status = find_change(b, factor, *h);
        if (status <= 0) return status;
    }
    return FLX_FAIL(b->e.s->ctx, status, FLX_NOWHERE,
                    "buckling: no equilibrium was found under any part of the loads; is "
                    "everything held?");
}

// With the loads as they are; then with a small part of the factor found, whatever the loads were. Where some of those
// found do not count, more are looked for.
static flx_status find(buckling *b, double *factor, int count, flx_buckling *out)
{
    double h, first;
    FLX_TRY(begin(b, factor, &h));
    FLX_TRY(find_factors(b));
    out->step = h;
    if (b->n_found == 0) return FLX_OK;
    FLX_TRY(choose(b, factor, 1, &first, NULL));
    h = STEP * fabs(first != 0.0 ? first : b->found[0]);
    flx_status status = find_change(b, factor, h);
    if (status < 0) return status;
    if (status == FLX_OK) {
        out->step = h;
        FLX_TRY(find_factors(b));
    } else {
        FLX_TRY(go_back(b, factor)); // those of the first are kept
    }
    for (;;) {
        FLX_TRY(choose(b, factor, count, &first, out));
        if (out->n >= count || b->n_found < b->wanted || b->wanted >= count + MORE) return FLX_OK;
        FLX_TRY(look_for(b, count + MORE));
        FLX_TRY(find_factors(b));
    }
}

static void tell(const buckling *b, int count, const flx_buckling *out)
{
    flx_ctx *ctx = b->e.s->ctx;
    if (b->unsure) {
        flx_ctx_warn(ctx, FLX_NOWHERE,
                     "buckling: some of the %d factors asked for have not converged; ask for fewer",
                     count);
    }
    if (b->beyond != 0.0) {
        flx_ctx_warn(ctx, FLX_NOWHERE,
                     "buckling: no equilibrium was found under the load factor %.6g, which is an "
                     "estimate: it may be lost before; a path ('type: static') tells",
                     b->beyond);
    }
    if (b->elsewhere > 0 && out->n < count) {
        flx_ctx_warn(ctx, FLX_NOWHERE,
                     "buckling: estimates of load factors (%d, %.6g the nearest) are left out: the "
                     "structure moves so much before that its equilibrium there is not near being "
                     "lost; a path ('type: static') follows it",
                     b->elsewhere, b->nearest);
    }
}

flx_status flx_buckling_find(const flx_system *s, flx_state *x, double *factor, int count,
                             flx_buckling *out)
{
    if (!s || !x || !factor || !out) return flx_refuse_null(s ? s->ctx : NULL, __func__);
    buckling b = {0};
    *out = (flx_buckling){0};
    flx_status status = create(s, x, count, &b, out);
    if (status == FLX_OK) status = find(&b, factor, count, out);
    if (status == FLX_OK) flx_state_copy(x, b.start);
    if (status == FLX_OK) tell(&b, count, out);
    destroy(&b);
    if (status != FLX_OK) flx_buckling_clear(out);
    return status;
}

void flx_buckling_clear(flx_buckling *b)
{
    if (!b) return;
    flx_arena *arena = b->memory;
    flx_arena_destroy(&arena);
    *b = (flx_buckling){0};
}
