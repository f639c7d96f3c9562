// ldl_fronts.c - the block matrix as a symmetric one by columns, its groups, and its pivots' sizes.
#include "math/ldl/ldl_fronts.h"

#include "math/frontal/frontal.h"
#include "math/ldl/ldl_order.h"

#include <math.h>

// Fewer unknowns, or blocks with fewer neighbours on the average (chains, beams, nets), are quicker with
// the panels of ldl.c; so are many closures, each of which would be a row through all fronts.
#define LEAST_UNKNOWNS 2000
#define LEAST_NEIGHBOURS 10
#define MOST_CLOSURES 300

struct flx_ldl_fronts {
    flx_ctx *ctx;
    const flx_pattern *pattern;
    const signed char *block_sign;
    flx_symmetric A; // mean of the matrix and its transpose
    flx_frontal *fronts;
    signed char *sign; // (n)
    double *size;      // (n) of what a pivot is made of
    double *largest;   // (n) of a row
    bool factored;     // of A as it is
};

static int size_of(const flx_pattern *p, int b)
{
    return p->start[b + 1] - p->start[b];
}

void flx_ldl_fronts_destroy(flx_ldl_fronts **fronts)
{
    if (!fronts || !*fronts) return;
    flx_ldl_fronts *f = *fronts;
    flx_frontal_destroy(&f->fronts);
    flx_symmetric_clear(&f->A);
    flx_free(f->sign);
    flx_free(f->size);
    flx_free(f->largest);
    flx_free(f);
    *fronts = NULL;
}

// ---- pattern ------------------------------------------------------------------------------------

// The lower triangle by columns: of block b the blocks after it, and half of itself.
static flx_status make_columns(flx_ldl_fronts *f)
{
    const flx_pattern *p = f->pattern;
    int n = p->start[p->nblock];
    f->A.n = n;
    f->A.start = flx_alloc(f->ctx, (size_t)n + 1, sizeof *f->A.start);
    if (!f->A.start) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock; b++) {
        int below = 0, own = size_of(p, b);
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            if (p->col[e] > b) below += size_of(p, p->col[e]);
        }
        for (int c = 0; c < own; c++) {
            int j = p->start[b] + c;
            f->A.start[j + 1] = f->A.start[j] + below + own - c;
        }
    }
    f->A.row = flx_alloc(f->ctx, (size_t)f->A.start[n], sizeof *f->A.row);
    f->A.value = flx_alloc(f->ctx, (size_t)f->A.start[n], sizeof *f->A.value);
    if (!f->A.row || !f->A.value) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock; b++) {
        for (int c = 0; c < size_of(p, b); c++) {
            int j = p->start[b] + c;
            int64_t k = f->A.start[j];
            for (int e = p->row[b]; e < p->row[b + 1]; e++) {
                if (p->col[e] < b) continue;
                int from = p->col[e] == b ? j : p->start[p->col[e]];
                for (int i = from; i < p->start[p->col[e] + 1]; i++) f->A.row[k++] = i;
            }
        }
    }
    return FLX_OK;
}

// The same walk, with the values.
static void fill(flx_ldl_fronts *f, const double *values)
{
    const flx_pattern *p = f->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int own = size_of(p, b);
        for (int c = 0; c < own; c++) {
            double *out = f->A.value + f->A.start[p->start[b] + c];
            for (int e = p->row[b]; e < p->row[b + 1]; e++) {
                if (p->col[e] < b) continue;
                int n = size_of(p, p->col[e]);
                const double *a = values + p->offset[e] + c * n;
                const double *t = values + p->offset[p->transpose[e]] + c;
                for (int r = p->col[e] == b ? c : 0; r < n; r++) {
                    *out++ = 0.5 * (a[r] + t[(size_t)r * own]);
                }
            }
        }
    }
}

// ---- life ---------------------------------------------------------------------------------------

// Whether there are many neighbours and few closures; the groups (n) of a body with its constraints.
static flx_status find_groups(const flx_ldl_fronts *f, int *group, bool *pays)
{
    const flx_pattern *p = f->pattern;
    int n = p->nblock, closures = 0;
    int *node = flx_alloc(f->ctx, (size_t)n, sizeof *node);
    if (!node) return FLX_ERR_MEMORY;
    flx_status status = flx_ldl_pair(f->ctx, p, f->block_sign, node);
    for (int b = 0; b < n && status == FLX_OK; b++) {
        for (int i = p->start[b]; i < p->start[b + 1]; i++) group[i] = node[b];
        if (node[b] < 0) closures += size_of(p, b);
    }
    *pays = closures <= MOST_CLOSURES;
    flx_free(node);
    return status;
}

static flx_status make(flx_ldl_fronts *f, bool *pays)
{
    const flx_pattern *p = f->pattern;
    size_t n = (size_t)p->start[p->nblock];
    f->sign = flx_alloc(f->ctx, n, sizeof *f->sign);
    f->size = flx_alloc(f->ctx, n, sizeof *f->size);
    f->largest = flx_alloc(f->ctx, n, sizeof *f->largest);
    int *group = flx_alloc(f->ctx, n, sizeof *group);
    flx_status status = f->sign && f->size && f->largest && group ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find_groups(f, group, pays);
    if (status == FLX_OK && *pays) {
        for (int b = 0; b < p->nblock; b++) {
            for (int i = p->start[b]; i < p->start[b + 1]; i++) f->sign[i] = f->block_sign[b];
        }
        status = make_columns(f);
        if (status == FLX_OK)
            status = flx_frontal_create_guarded(f->ctx, &f->A, group, f->sign, f->size, &f->fronts);
        if (status == FLX_OK) status = flx_frontal_reserve(f->fronts, 1);
    }
    flx_free(group);
    return status;
}

bool flx_ldl_wants_fronts(const flx_pattern *p)
{
    return p->start[p->nblock] >= LEAST_UNKNOWNS &&
           p->row[p->nblock] / LEAST_NEIGHBOURS >= p->nblock;
}

flx_status flx_ldl_fronts_create(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                                 flx_ldl_fronts **out)
{
    *out = NULL;
    if (!flx_ldl_wants_fronts(pattern)) return FLX_OK;
    flx_ldl_fronts *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    *f = (flx_ldl_fronts){.ctx = ctx, .pattern = pattern, .block_sign = sign};
    bool pays = false;
    flx_status status = make(f, &pays);
    if (status != FLX_OK || !pays) flx_ldl_fronts_destroy(&f);
    *out = f;
    return status;
}

// ---- numbers ------------------------------------------------------------------------------------

// |a_kk|, where that is zero the largest of the row; of constraints with what their mobility would be if all
// bodies were free, g^2/|a_ii|.
static bool measure(flx_ldl_fronts *f)
{
    const flx_symmetric *A = &f->A;
    for (int j = 0; j < A->n; j++) {
        f->size[j] = fabs(A->value[A->start[j]]);
        f->largest[j] = 0.0;
    }
    for (int j = 0; j < A->n; j++) {
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            double x = fabs(A->value[k]);
            f->largest[j] = fmax(f->largest[j], x);
            f->largest[A->row[k]] = fmax(f->largest[A->row[k]], x);
            if (!(x <= 0.5 * HUGE_VAL)) return false; // not finite
        }
    }
    for (int j = 0; j < A->n; j++) {
        if (f->sign[j] > 0 && f->size[j] == 0.0) f->size[j] = f->largest[j];
    }
    for (int j = 0; j < A->n; j++) {
        for (int64_t k = A->start[j] + 1; k < A->start[j + 1]; k++) {
            int i = A->row[k]; // constraints have the highest numbers
            double g = A->value[k];
            if (f->sign[j] > 0 && f->sign[i] < 0 && f->size[j] > 0.0) {
                f->size[i] += g * g / f->size[j];
            }
        }
    }
    return true;
}

flx_status flx_ldl_fronts_factor(flx_ldl_fronts *f, const double *values, flx_ldl_report *report)
{
    fill(f, values);
    f->factored = false;
    *report = (flx_ldl_report){.pivot_ratio = 0.0, .worst = -1};
    if (!measure(f)) return FLX_SINGULAR;
    flx_status status = flx_frontal_factor(f->fronts, 1.0, &f->A, 0.0, NULL);
    flx_frontal_report r = flx_frontal_get_report(f->fronts);
    *report = (flx_ldl_report){.negative = r.negative,
                               .regularised = r.moved,
                               .pivot_ratio = r.ratio,
                               .worst = r.smallest};
    f->factored = status == FLX_OK;
    return status;
}

void flx_ldl_fronts_memory(flx_ldl_fronts *f, flx_memory *m)
{
    FLX_PASS(m, f->factored);
    flx_memory_numbers(m, f->A.value, (size_t)f->A.start[f->A.n]);
    if (!flx_memory_loads(m) || m->status != FLX_OK || !f->factored) return;
    flx_status status =
        measure(f) ? flx_frontal_factor(f->fronts, 1.0, &f->A, 0.0, NULL) : FLX_SINGULAR;
    if (status != FLX_OK) flx_memory_fail(m, status);
}

void flx_ldl_fronts_solve(flx_ldl_fronts *f, double *b)
{
    flx_frontal_solve(f->fronts, 1, b);
}

double flx_ldl_fronts_fill(const flx_ldl_fronts *f)
{
    return flx_frontal_get_report(f->fronts).fill;
}

double flx_ldl_fronts_flops(const flx_ldl_fronts *f)
{
    return flx_frontal_get_report(f->fronts).flops;
}
