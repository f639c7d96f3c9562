// lu.c - sparse LU of an unsymmetric matrix on a block pattern, by KLU.
//
// The blocks are expanded to a compressed-column matrix once; a factorisation gathers the values
// and, after the first, keeps the pivot order (klu_refactor). A kept order may have become a bad
// one: growth and condition are looked at, and a fresh order is sought when they are poor. KLU's
// own status is not enough: it reports success on matrices without full rank. A few unknowns are a
// full matrix (lu_small.h).
#include "math/lu.h"

#include "math/lu_small.h"
#include "math/pattern.h"
#include "math/plans.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

// Growth and condition may be this much worse than those of the fresh order before a kept one is
// given up.
static const double WORSE = 1e-4;
// Below this the solution has no correct digit.
static const double SINGULAR_RCOND = 4 * DBL_EPSILON;
// Scaled so that no unit counts, a matrix that is singular to rounding is far below this.
static const double BALANCED_RCOND = 1e-11;

// What follows from the pattern alone.
typedef struct flx_lu_plan {
    int n;
    int *begin, *row;       // compressed columns
    int *from;              // where each entry's value is on the pattern
    klu_symbolic *symbolic; // NULL: small
    int parity;             // of its columns
} flx_lu_plan;

struct flx_lu {
    flx_ctx *ctx;
    bool complex_values;
    int n;
    const flx_lu_plan *plan;
    flx_lu_plan *own; // owned; NULL: the plan is kept with the pattern
    double *values;
    double *chosen; // values that the order was chosen for
    bool is_fresh;  // the factors are those of the fresh order
    klu_common *common;
    klu_numeric *numeric; // NULL before the first factorisation and after a failed one
    bool owed;            // the factors that a checkpoint had are made when they are asked for
    double fresh_growth, fresh_rcond;
    double rcond;
    double least;        // rcond of a matrix that is not singular
    flx_lu_small *small; // NULL: sparse
    double *row, *col;   // (n) scales of a matrix that is balanced, and n of scratch; NULL: complex
    bool balanced;       // the factors are those of the scaled matrix
};

// Columns of the pattern: by structural symmetry those of its transposed rows.
static void expand(flx_lu_plan *f, const flx_pattern *p)
{
    int count = 0;
    for (int b = 0; b < p->nblock; b++) {
        int columns = p->start[b + 1] - p->start[b];
        for (int c = 0; c < columns; c++) {
            f->begin[p->start[b] + c] = count;
            for (int e = p->row[b]; e < p->row[b + 1]; e++) {
                int i = p->col[e], rows = p->start[i + 1] - p->start[i];
                for (int r = 0; r < rows; r++) {
                    f->row[count] = p->start[i] + r;
                    f->from[count++] = p->offset[p->transpose[e]] + r * columns + c;
                }
            }
        }
    }
    f->begin[f->n] = count;
}

// +1 for an even permutation, -1 for an odd one. p is left as it was.
static int find_parity(int n, int *p)
{
    int sign = 1;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0) continue; // of a cycle that was seen
        for (int j = i; p[j] >= 0;) {
            int next = p[j];
            p[j] = -1 - next;
            j = next;
            if (j != i) sign = -sign;
        }
    }
    for (int i = 0; i < n; i++) p[i] = -1 - p[i];
    return sign;
}

static void destroy_plan(void *made)
{
    flx_lu_plan *k = made;
    klu_common common;
    klu_defaults(&common);
    if (k->symbolic) klu_free_symbolic(&k->symbolic, &common);
    flx_free(k->begin);
    flx_free(k->row);
    flx_free(k->from);
    flx_free(k);
}

static flx_status fill_plan(flx_ctx *ctx, const flx_pattern *p, flx_lu_plan *k)
{
    size_t count = (size_t)p->offset[p->row[p->nblock]];
    k->n = p->start[p->nblock];
    k->begin = flx_alloc(ctx, (size_t)k->n + 1, sizeof *k->begin);
    k->row = flx_alloc(ctx, count, sizeof *k->row);
    k->from = flx_alloc(ctx, count, sizeof *k->from);
    if (!k->begin || !k->row || !k->from) return FLX_ERR_MEMORY;
    expand(k, p);
    if (k->n <= FLX_LU_SMALL) return FLX_OK;
    klu_common common;
    klu_defaults(&common);
    k->symbolic = klu_analyze(k->n, k->begin, k->row, &common);
    if (k->symbolic) {
        k->parity = find_parity(k->n, k->symbolic->Q);
        return FLX_OK;
    }
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                    "out of memory in analysing a matrix of %d unknowns", k->n);
}

// That of the pattern, which keeps it if it keeps any; else the own one.
static flx_status take_plan(flx_lu *f, const flx_pattern *p)
{
    f->plan = flx_plans_find(p, FLX_PLAN_LU, NULL);
    if (f->plan) return FLX_OK;
    flx_lu_plan *k = flx_alloc(f->ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    flx_status status = fill_plan(f->ctx, p, k);
    if (status != FLX_OK) {
        destroy_plan(k);
        return status;
    }
    f->plan = flx_plans_keep(f->ctx, p, FLX_PLAN_LU, NULL, k, destroy_plan);
    if (!f->plan) f->plan = f->own = k;
    return FLX_OK;
}

flx_status flx_lu_create(flx_ctx *ctx, const flx_pattern *pattern, bool complex_values,
                         flx_lu **out)
{
    *out = NULL;
    flx_lu *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    f->ctx = ctx;
    f->complex_values = complex_values;
    f->least = SINGULAR_RCOND;
    f->n = pattern->start[pattern->nblock];
    size_t count = (complex_values ? 2 : 1) * flx_pattern_size(pattern);
    flx_status status = take_plan(f, pattern);
    bool small = f->n <= FLX_LU_SMALL;
    if (status == FLX_OK && !complex_values) {
        f->row = flx_alloc(ctx, 3 * (size_t)f->n, sizeof *f->row);
        f->col = f->row ? f->row + f->n : NULL;
        if (!f->row) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        f->values = flx_alloc(ctx, count, sizeof *f->values);
        f->common = flx_alloc(ctx, 1, sizeof *f->common);
        if (small) f->small = flx_alloc(ctx, 1, sizeof *f->small);
        if (!small) f->chosen = flx_alloc(ctx, count, sizeof *f->chosen);
        bool made = f->values && f->common && (small ? !!f->small : !!f->chosen);
        if (!made) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        klu_defaults(f->common);
        if (small) f->small->n = f->n;
    } else {
        flx_lu_destroy(&f);
    }
    *out = f;
    return status;
}

void flx_lu_accept_any(flx_lu *f)
{
    f->least = 0.0;
}

static void drop_numeric(flx_lu *f)
{
    if (!f->numeric) return;
    if (f->complex_values) {
        klu_z_free_numeric(&f->numeric, f->common);
    } else {
        klu_free_numeric(&f->numeric, f->common);
    }
}

void flx_lu_destroy(flx_lu **f)
{
    if (!f || !*f) return;
    drop_numeric(*f);
    if ((*f)->own) destroy_plan((*f)->own);
    flx_free((*f)->values);
    flx_free((*f)->chosen);
    flx_free((*f)->common);
    flx_free((*f)->small);
    flx_free((*f)->row);
    flx_free(*f);
    *f = NULL;
}

// Growth and condition of the factorisation at hand; false when it is singular.
static bool measure(flx_lu *f)
{
    klu_common *c = f->common;
    f->rcond = 0;
    bool done = f->complex_values ? klu_z_rcond(f->plan->symbolic, f->numeric, c) &&
                                        klu_z_rgrowth(f->plan->begin, f->plan->row, f->values,
                                                      f->plan->symbolic, f->numeric, c)
                                  : klu_rcond(f->plan->symbolic, f->numeric, c) &&
                                        klu_rgrowth(f->plan->begin, f->plan->row, f->values,
                                                    f->plan->symbolic, f->numeric, c);
    bool deficient = c->numerical_rank >= 0 && c->numerical_rank < f->n; // -1: not determined
    if (!done || c->status != KLU_OK || deficient) return false;
    f->rcond = c->rcond;
    return f->rcond > f->least; // false for NaN
}

static size_t value_count(const flx_lu *f)
{
    return (f->complex_values ? 2 : 1) * (size_t)f->plan->begin[f->n];
}

static bool refactor(flx_lu *f)
{
    if (!f->numeric) return false;
    f->is_fresh = false;
    int done = f->complex_values ? klu_z_refactor(f->plan->begin, f->plan->row, f->values,
                                                  f->plan->symbolic, f->numeric, f->common)
                                 : klu_refactor(f->plan->begin, f->plan->row, f->values,
                                                f->plan->symbolic, f->numeric, f->common);
    return done && f->common->status == KLU_OK && measure(f) &&
           f->common->rgrowth >= WORSE * f->fresh_growth && f->rcond >= WORSE * f->fresh_rcond;
}

static bool factor_afresh(flx_lu *f)
{
    drop_numeric(f);
    f->rcond = 0;
    f->numeric =
        f->complex_values
            ? klu_z_factor(f->plan->begin, f->plan->row, f->values, f->plan->symbolic, f->common)
            : klu_factor(f->plan->begin, f->plan->row, f->values, f->plan->symbolic, f->common);
    if (!f->numeric || !measure(f)) return false;
    f->fresh_growth = f->common->rgrowth;
    f->fresh_rcond = f->rcond;
    f->is_fresh = true;
    memcpy(f->chosen, f->values, value_count(f) * sizeof *f->chosen);
    return true;
}

static flx_status factor(flx_lu *f)
{
    if (refactor(f) || factor_afresh(f)) return FLX_OK;
    if (f->common->status == KLU_OUT_OF_MEMORY) {
        return FLX_FAIL(f->ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                        "out of memory in factorising a matrix of %d unknowns", f->n);
    }
    drop_numeric(f);
    return FLX_SINGULAR;
}

// KLU's own memory after a checkpoint: the order from the values that it was chosen for, then the factors. Many restored
// runs never ask for them: those of the symmetric part go on by LDL, and next steps factor anew.
static bool pay(flx_lu *f)
{
    if (!f->owed) return true;
    f->owed = false;
    bool is_fresh = f->is_fresh;
    double rcond = f->rcond;
    size_t bytes = value_count(f) * sizeof *f->values;
    double *now = flx_alloc(f->ctx, 1, bytes);
    if (!now) return false;
    memcpy(now, f->values, bytes);
    memcpy(f->values, f->chosen, bytes);
    bool done = factor_afresh(f);
    memcpy(f->values, now, bytes);
    flx_free(now);
    if (done && !is_fresh) done = refactor(f);
    f->rcond = rcond;
    return done;
}

// KLU orders by comparing sizes, which NaN would upset; it is caught before.
static bool gather(flx_lu *f, const double *values, int parts)
{
    double sum = 0;
    for (int k = 0; k < f->plan->begin[f->n]; k++) {
        for (int i = 0; i < parts; i++) {
            double x = values[parts * f->plan->from[k] + i];
            f->values[parts * k + i] = x;
            sum += x - x; // 0, or NaN
        }
    }
    return sum == 0;
}

static flx_status factor_small(flx_lu *f)
{
    flx_lu_small *m = f->small;
    int n = f->n, parts = f->complex_values ? 2 : 1;
    for (int i = 0; i < n * n; i++) m->a[i] = m->a_imag[i] = 0.0;
    for (int c = 0; c < n; c++) {
        for (int k = f->plan->begin[c]; k < f->plan->begin[c + 1]; k++) {
            int at = f->plan->row[k] * n + c;
            m->a[at] = f->values[parts * k];
            if (parts == 2) m->a_imag[at] = f->values[2 * k + 1];
        }
    }
    bool done = parts == 2 ? flx_lu_small_factor_complex(m) : flx_lu_small_factor(m);
    f->rcond = m->rcond;
    return done && f->rcond > f->least ? FLX_OK : FLX_SINGULAR;
}

static flx_status factor_any(flx_lu *f)
{
    return f->small ? factor_small(f) : factor(f);
}

// row and col of what has an entry on the diagonal: its root, so that masses, or what stands for them, are 1.
static void scale_by_diagonal(flx_lu *f)
{
    const flx_lu_plan *p = f->plan;
    for (int c = 0; c < f->n; c++) {
        f->row[c] = f->col[c] = 0.0;
        for (int k = p->begin[c]; k < p->begin[c + 1]; k++) {
            if (p->row[k] == c && f->values[k] != 0.0) {
                f->row[c] = f->col[c] = 1.0 / sqrt(fabs(f->values[k]));
            }
        }
    }
}

// Rows, or columns, whose largest entry is above 1, or that have no scale yet, such as constraints, get 1 as the largest.
static void scale_by_largest(flx_lu *f, bool rows)
{
    const flx_lu_plan *p = f->plan;
    double *scale = rows ? f->row : f->col, *most = f->row + 2 * f->n;
    const double *other = rows ? f->col : f->row;
    for (int i = 0; i < f->n; i++) most[i] = 0.0;
    for (int c = 0; c < f->n; c++) {
        for (int k = p->begin[c]; k < p->begin[c + 1]; k++) {
            int i = rows ? p->row[k] : c, j = rows ? c : p->row[k];
            most[i] = fmax(most[i], fabs(f->values[k]) * other[j]);
        }
    }
    for (int i = 0; i < f->n; i++) {
        if (most[i] > 0.0 && (scale[i] == 0.0 || scale[i] * most[i] > 1.0))
            scale[i] = 1.0 / most[i];
        if (scale[i] == 0.0) scale[i] = 1.0;
    }
}

// Rows that are scaled by themselves leave pivots to the units of the unknowns: what is singular there may be so for its units
// alone.
static flx_status factor_balanced(flx_lu *f)
{
    const flx_lu_plan *p = f->plan;
    scale_by_diagonal(f);
    scale_by_largest(f, true);
    scale_by_largest(f, false);
    for (int c = 0; c < f->n; c++) {
        for (int k = p->begin[c]; k < p->begin[c + 1]; k++) {
            f->values[k] *= f->row[p->row[k]] * f->col[c];
        }
    }
    double least = f->least;
    f->least = BALANCED_RCOND;
    flx_status status = factor_any(f);
    f->least = least;
    f->balanced = status == FLX_OK;
    return status;
}

flx_status flx_lu_factor(flx_lu *f, const double *values)
{
    f->balanced = false;
    (void)pay(f); // without its order one is sought
    if (!gather(f, values, 1)) return FLX_SINGULAR;
    flx_status status = factor_any(f);
    if (status != FLX_SINGULAR || f->n == 0) return status;
    double rcond = f->rcond;
    status = factor_balanced(f);
    if (status == FLX_SINGULAR) f->rcond = rcond;
    return status;
}

flx_status flx_lu_factor_complex(flx_lu *f, const double complex *values)
{
    (void)pay(f);
    return gather(f, (const double *)values, 2) ? factor_any(f) : FLX_SINGULAR;
}

// There is no memory for the factors that a checkpoint had: no number is.
static void solve_nothing(int n, double *b)
{
    for (int i = 0; i < n; i++) b[i] = (double)NAN;
}

void flx_lu_solve(flx_lu *f, double *b)
{
    if (!pay(f)) {
        solve_nothing(f->n, b);
        return;
    }
    for (int i = 0; f->balanced && i < f->n; i++) b[i] *= f->row[i];
    if (f->small) {
        flx_lu_small_solve(f->small, b);
    } else {
        klu_solve(f->plan->symbolic, f->numeric, f->n, 1, b, f->common);
    }
    for (int i = 0; f->balanced && i < f->n; i++) b[i] *= f->col[i];
}

void flx_lu_solve_complex(flx_lu *f, double complex *b)
{
    if (!pay(f)) {
        solve_nothing(2 * f->n, (double *)b);
        return;
    }
    if (f->small) {
        flx_lu_small_solve_complex(f->small, (double *)b);
    } else {
        klu_z_solve(f->plan->symbolic, f->numeric, f->n, 1, (double *)b, f->common);
    }
}

double flx_lu_rcond(const flx_lu *f)
{
    return f->n > 0 ? f->rcond : 1;
}

void flx_lu_memory(flx_lu *f, flx_memory *m)
{
    bool factored = f->numeric != NULL || f->owed, is_fresh = f->is_fresh;
    FLX_PASS(m, f->rcond);
    FLX_PASS(m, f->balanced);
    if (f->balanced) flx_memory_numbers(m, f->row, 2 * (size_t)f->n);
    if (f->small) {
        FLX_PASS(m, *f->small);
        return;
    }
    FLX_PASS(m, factored);
    FLX_PASS(m, is_fresh);
    flx_memory_numbers(m, f->values, value_count(f));
    flx_memory_numbers(m, f->chosen, value_count(f));
    if (!flx_memory_loads(m) || m->status != FLX_OK) return;
    f->owed = factored;
    f->is_fresh = is_fresh;
    if (!factored) drop_numeric(f);
}

int flx_lu_sign(flx_lu *f)
{
    int sign = 1;
    if (!pay(f)) return 0;
    if (f->small) {
        const flx_lu_small *m = f->small;
        for (int k = 0; k < m->n; k++) {
            if (m->pivot[k] != k) sign = -sign;
            if (m->a[k * m->n + k] < 0.0) sign = -sign;
        }
        return sign;
    }
    if (!f->numeric) return 0;
    const double *diagonal = f->numeric->Udiag;
    for (int k = 0; k < f->n; k++) sign = diagonal[k] < 0.0 ? -sign : sign;
    return sign * find_parity(f->n, f->numeric->Pnum) * f->plan->parity;
}
