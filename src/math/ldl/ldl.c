// ldl.c - block LDL^T of a saddle-point matrix. Order: ldl_order.c; where everything goes:
// ldl_analyse.c; numbers: ldl_kernel.inc.h, ldl_solve.inc.h.
//
// The matrix is cut into supernodes: up to FLX_LDL_WIDTH neighbouring columns with the same rows below
// them, each stored as one dense panel (the diagonal block on top). The factorisation goes from
// panel to panel: load the matrix, subtract what earlier panels contribute, eliminate. Where
// everything goes is worked out when the factorisation is created; afterwards nothing is searched
// and nothing is allocated.
//
// Regularisation. A pivot is the difference of terms, |a_kk| and l_kj^2 |d_j|. One that is below
// ROUNDING times the sum of their sizes is nothing but rounding error (a redundant constraint, a singular
// position, S singular on ker G): it is replaced by REGULARISATION times that sum, with the sign
// that the row's kind asks for, and counted. A larger pivot is never touched, whatever its sign:
// S may be indefinite, and then constraint rows have positive pivots rightly.
//
// Scaling rows and columns by powers of two changes no digit of an elimination in fixed order, and
// the test above does not depend on the scale either. So the values are not scaled; equilibration
// only says how large "1" is for an unknown whose pivot is made of zeros.
#include "base/arrays.h"
#include "math/ldl/ldl_parts.h"
#include "math/plans.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
// Loops over the columns of a kernel have a constant length and are always unrolled.
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define COLD __attribute__((noinline, cold))

// 64 roundings: sums of a few dozen terms that cancel exactly leave less than this.
static const double ROUNDING = 64 * DBL_EPSILON;
// Half of the digits: the perturbed matrix solves to 1e-8, which one refinement (or the next
// Newton iteration) squares, and the pivot's inverse does not drown the other half.
static const double REGULARISATION = 1e-8;
// Against the size expected, a pivot below this is looked at closely.
static const double SUSPICIOUS = 1e-8;

static int block_of(const flx_pattern *p, int unknown)
{
    int low = 0, high = p->nblock;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (p->start[mid] <= unknown) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

// Where the diagonal value of an unknown is.
static int diagonal_value(const flx_ldl *f, int unknown)
{
    const flx_pattern *p = f->pattern;
    int b = block_of(p, unknown), i = unknown - p->start[b], n = p->start[b + 1] - p->start[b];
    return p->offset[f->diagonal[b]] + i * n + i;
}

#define LDL_COMPLEX 0
#define LDL(name) real_##name
#include "math/ldl/ldl_kernel.inc.h"
#include "math/ldl/ldl_solve.inc.h"
#undef LDL_COMPLEX
#undef LDL

#define LDL_COMPLEX 1
#define LDL(name) complex_##name
#include "math/ldl/ldl_kernel.inc.h"
#include "math/ldl/ldl_solve.inc.h"
#undef LDL_COMPLEX
#undef LDL

// ---- interface --------------------------------------------------------------------------------

// What follows from the pattern alone.
static flx_status make_plan(flx_ldl *f)
{
    size_t n = (size_t)f->n;
    f->unknown = flx_alloc(f->ctx, n, sizeof *f->unknown);
    f->sign = flx_alloc(f->ctx, n, sizeof *f->sign);
    f->diagonal = flx_alloc(f->ctx, (size_t)f->pattern->nblock, sizeof *f->diagonal);
    bool made = f->unknown && f->sign && f->diagonal;
    return made ? flx_ldl_analyse(f, f->block_sign) : FLX_ERR_MEMORY;
}

static void take_plan(flx_ldl *f, const flx_ldl *plan)
{
    f->plan = plan;
    f->nsuper = plan->nsuper;
    f->fill = plan->fill;
    f->flops = plan->flops;
    f->unknown = plan->unknown;
    f->sign = plan->sign;
    f->diagonal = plan->diagonal;
    f->super = plan->super;
    f->load = plan->load;
    f->update = plan->update;
    f->run = plan->run;
    f->solve_run = plan->solve_run;
}

static void destroy_plan(void *plan)
{
    flx_ldl *f = plan;
    flx_ldl_destroy(&f);
}

// The plan of the pattern is made where there is none yet.
static flx_status share_plan(flx_ldl *f)
{
    const flx_pattern *p = f->pattern;
    const flx_ldl *known = flx_plans_find(p, FLX_PLAN_LDL, f->block_sign);
    if (!known) {
        flx_ldl *plan = flx_alloc(f->ctx, 1, sizeof *plan);
        if (!plan) return FLX_ERR_MEMORY;
        *plan = (flx_ldl){.ctx = f->ctx, .pattern = p, .n = f->n, .block_sign = f->block_sign};
        flx_status status = make_plan(plan);
        plan->block_sign = NULL;
        plan->pattern = NULL;
        if (status == FLX_OK) {
            known = flx_plans_keep(f->ctx, p, FLX_PLAN_LDL, f->block_sign, plan, destroy_plan);
            if (!known) status = FLX_ERR_MEMORY;
        }
        if (status != FLX_OK) {
            flx_ldl_destroy(&plan);
            return status;
        }
    }
    take_plan(f, known);
    return FLX_OK;
}

static flx_status make_panels(flx_ldl *f)
{
    size_t n = (size_t)f->n, parts = f->complex_values ? 2 : 1;
    FLX_TRY(f->pattern->plans ? share_plan(f) : make_plan(f));
    const flx_array arrays[] = {
        FLX_ARRAY(f->pivot, parts * n), FLX_ARRAY(f->inverse, parts * n),
        FLX_ARRAY(f->expected, n),      FLX_ARRAY(f->unit_storage, n),
        FLX_ARRAY(f->work, parts * n),  FLX_ARRAY(f->square, parts * FLX_LDL_WIDTH * FLX_LDL_WIDTH),
    };
    f->block = flx_alloc_arrays(f->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    f->panel = flx_alloc(f->ctx, parts * (size_t)f->super[f->nsuper].panel, sizeof *f->panel);
    return f->block && f->panel ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_ldl_create(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                          bool complex_values, flx_ldl **out)
{
    *out = NULL;
    flx_ldl *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    f->ctx = ctx;
    f->pattern = pattern;
    f->complex_values = complex_values;
    f->n = pattern->start[pattern->nblock];
    f->block_sign = flx_alloc(ctx, (size_t)pattern->nblock, sizeof *f->block_sign);
    flx_status status = f->block_sign ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) memcpy(f->block_sign, sign, (size_t)pattern->nblock);
    if (status == FLX_OK && !complex_values) {
        status = flx_ldl_fronts_create(ctx, pattern, f->block_sign, &f->fronts);
    }
    if (f->fronts) {
        f->block = f->work = flx_alloc(ctx, (size_t)f->n, sizeof *f->work);
        if (!f->block) status = FLX_ERR_MEMORY;
    } else if (status == FLX_OK) {
        status = make_panels(f);
    }
    if (status != FLX_OK) flx_ldl_destroy(&f);
    *out = f;
    return status;
}

void flx_ldl_destroy(flx_ldl **f)
{
    if (!f || !*f) return;
    flx_ldl_fronts_destroy(&(*f)->fronts);
    if (!(*f)->plan) {
        void *plan[] = {(*f)->unknown, (*f)->sign,   (*f)->diagonal, (*f)->super,
                        (*f)->load,    (*f)->update, (*f)->run,      (*f)->solve_run};
        for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++) flx_free(plan[i]);
    }
    void *owned[] = {(*f)->block_sign, (*f)->panel, (*f)->block, *f};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    *f = NULL;
}

// Whether some unknown has nothing on the diagonal; only then a pivot may be made of zeros alone.
static bool has_empty_diagonal(const flx_ldl *f, const double *values)
{
    const flx_pattern *p = f->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b];
        const double *a = values + p->offset[f->diagonal[b]];
        for (int i = 0; f->block_sign[b] > 0 && i < n; i++) {
            if (a[i * (n + 1)] == 0) return true;
        }
    }
    return false;
}

// Largest entry of each row after scaling.
static void find_largest(const flx_ldl *f, const double *values, const double *factor,
                         double *largest)
{
    const flx_pattern *p = f->pattern;
    for (int i = 0; i < f->n; i++) largest[i] = 0;
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            const double *a = values + p->offset[e];
            int first = p->start[p->col[e]], end = p->start[p->col[e] + 1];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = first; j < end; j++) {
                    double size = fabs(*a++) * factor[i] * factor[j];
                    if (size > largest[i]) largest[i] = size;
                    if (size > largest[j]) largest[j] = size;
                }
            }
        }
    }
}

// Ruiz: divide each row and column by the square root of its largest entry, again and again.
void flx_ldl_equilibrate(flx_ldl *f, const double *values)
{
    double *factor = f->work, *largest = f->unit_storage;
    if (f->fronts) return; // they look at every row
    f->expected_known = false;
    f->unit = NULL;
    if (!has_empty_diagonal(f, values)) return;
    for (int i = 0; i < f->n; i++) factor[i] = 1;
    for (int sweep = 0; sweep < 8; sweep++) {
        find_largest(f, values, factor, largest);
        for (int i = 0; i < f->n; i++) {
            if (largest[i] > 0 && largest[i] <= DBL_MAX) factor[i] /= sqrt(largest[i]);
        }
    }
    for (int i = 0; i < f->n; i++) f->unit_storage[i] = 1 / (factor[i] * factor[i]);
    f->unit = f->unit_storage;
}

flx_status flx_ldl_factor(flx_ldl *f, const double *values)
{
    FLX_ASSERT(!f->complex_values);
    if (f->fronts) return flx_ldl_fronts_factor(f->fronts, values, &f->report);
    return real_factor(f, values);
}

flx_status flx_ldl_factor_complex(flx_ldl *f, const double complex *values)
{
    FLX_ASSERT(f->complex_values);
    return complex_factor(f, (const double *)values);
}

flx_ldl_report flx_ldl_get_report(const flx_ldl *f)
{
    return f->report;
}

void flx_ldl_solve(const flx_ldl *f, double *b)
{
    if (f->fronts) {
        flx_ldl_fronts_solve(f->fronts, b);
    } else {
        real_solve(f, b);
    }
}

void flx_ldl_solve_complex(const flx_ldl *f, double complex *b)
{
    complex_solve(f, (double *)b);
}

// The multiplier of the largest coefficient that bears the largest force: where constraints bear nothing, multipliers are
// rounding of it.
static double bearing(const flx_ldl *f, const double *values, const double *b)
{
    const flx_pattern *p = f->pattern;
    double force = 0, coefficient = 0;
    for (int k = 0; k < p->nblock; k++) {
        if (f->block_sign[k] < 0) continue;
        int rows = p->start[k + 1] - p->start[k];
        for (int i = 0; i < rows; i++) force = fmax(force, fabs(b[p->start[k] + i]));
        for (int e = p->row[k]; e < p->row[k + 1]; e++) {
            if (f->block_sign[p->col[e]] > 0) continue;
            const double *a = values + p->offset[e];
            int n = rows * (p->start[p->col[e] + 1] - p->start[p->col[e]]);
            for (int i = 0; i < n; i++) coefficient = fmax(coefficient, fabs(a[i]));
        }
    }
    return coefficient > 0 ? force / coefficient : 0;
}

// The componentwise backward error of a solution: by its own terms alone, and where rows of rounding may be measured by what
// would be there without the constraints; what is left of the constraints, in velocities.
typedef struct backward {
    double strict, error, left;
} backward;

static double part_of(double sum, double size, double whole, double rounding, double worst)
{
    if (size <= rounding) size += whole;
    return size > 0 && !(fabs(sum) <= worst * size) ? fabs(sum) / size : worst;
}

// r = b - A x; returns max |r_i| / (|A| |x| + |b|)_i. A row whose
// terms are all zero up to rounding has none of its own and is measured against |A|_i max |x|
// (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10 (1989) 165-190), with the maxima of velocities and of multipliers
// apart, which differ in their units. Where all rest, velocities are rounding of what the forces give the masses alone, and
// multipliers of one that the caller knows.
static backward residual(const flx_ldl *f, const double *values, const double *x, const double *b,
                         double multiplier, double *r)
{
    const flx_pattern *p = f->pattern;
    backward worst = {0};
    double largest[2] = {0, 0}, free = 0;
    for (int k = 0; k < p->nblock; k++) {
        double *most = &largest[f->block_sign[k] < 0];
        for (int i = p->start[k]; i < p->start[k + 1]; i++) *most = fmax(*most, fabs(x[i]));
    }
    for (int k = 0; k < p->nblock; k++) {
        bool constraint = f->block_sign[k] < 0;
        for (int i = p->start[k]; i < p->start[k + 1]; i++) {
            double sum = b[i], size = fabs(b[i]), row[2] = {0, 0}, diagonal = 0;
            for (int e = p->row[k]; e < p->row[k + 1]; e++) {
                int first = p->start[p->col[e]], columns = p->start[p->col[e] + 1] - first;
                const double *a = values + p->offset[e] + (i - p->start[k]) * columns;
                double *terms = &row[f->block_sign[p->col[e]] < 0];
                for (int j = 0; j < columns; j++) {
                    sum -= a[j] * x[first + j];
                    size += fabs(a[j] * x[first + j]);
                    *terms += fabs(a[j]);
                }
                if (p->col[e] == k) diagonal = a[i - first];
            }
            r[i] = sum;
            if (constraint && row[0] > 0) worst.left = fmax(worst.left, fabs(sum) / row[0]);
            if (!constraint && diagonal > 0) free = fmax(free, size / diagonal);
            double speed = constraint ? fmax(largest[0], free) : largest[0];
            double own = row[0] * largest[0] + row[1] * largest[1];
            double whole = row[0] * speed + row[1] * fmax(largest[1], multiplier);
            double eps = 1000.0 * f->n * DBL_EPSILON, of_b = fabs(b[i]);
            worst.strict = part_of(sum, size, own, eps * (own + of_b), worst.strict);
            worst.error = part_of(sum, size, whole, eps * (whole + of_b), worst.error);
        }
    }
    return worst;
}

// A backward error that further corrections mend.
#define MENDED 1e-10

// Whether a correction made of one solution a better one: what is good only beside what would be there without the constraints
// leaves far less of these.
static bool is_better(const backward *now, const backward *next, double tol)
{
    if (now->error > tol) return next->error < now->error;
    return next->error <= MENDED && next->left < 0.1 * now->left;
}

static bool has_stalled(const backward *now, const backward *next, double tol)
{
    if (next->strict <= tol) return true;
    return now->error > tol ? next->error > 0.5 * now->error : next->left > 0.5 * now->left;
}

double flx_ldl_solve_refined(const flx_ldl *f, const double *values, double *b, double *work,
                             double tol, int max_sweeps)
{
    double *given = work, *r = work + f->n;
    size_t bytes = sizeof *b * (size_t)f->n;
    memcpy(given, b, bytes);
    flx_ldl_solve(f, b);
    backward now = residual(f, values, b, given, 0, r);
    // where a pivot was moved, multipliers are sensitive: what is small beside the motion of others leaves a part of them
    bool stalled = now.strict <= tol && f->report.regularised == 0;
    double multiplier = now.error <= tol ? 0 : bearing(f, values, given);
    for (int sweep = 0; sweep < max_sweeps && !stalled; sweep++) {
        flx_ldl_solve(f, r);
        for (int i = 0; i < f->n; i++) b[i] += r[i];
        memcpy(f->work, r, bytes); // the correction, to take it back
        backward next = residual(f, values, b, given, multiplier, r);
        if (!is_better(&now, &next, tol)) {
            for (int i = 0; i < f->n; i++) b[i] -= f->work[i];
            break;
        }
        stalled = has_stalled(&now, &next, tol);
        now = next;
    }
    return now.error;
}

long flx_ldl_fill(const flx_ldl *f)
{
    return f->fronts ? (long)flx_ldl_fronts_fill(f->fronts) : f->fill;
}

double flx_ldl_flops(const flx_ldl *f)
{
    return f->fronts ? flx_ldl_fronts_flops(f->fronts) : f->flops;
}

void flx_ldl_memory(flx_ldl *f, bool factors, flx_memory *m)
{
    size_t n = (size_t)f->n, parts = f->complex_values ? 2 : 1;
    FLX_PASS(m, f->report);
    if (f->fronts) {
        flx_ldl_fronts_memory(f->fronts, m);
        return;
    }
    bool has_unit = f->unit != NULL;
    FLX_PASS(m, has_unit);
    f->unit = has_unit ? f->unit_storage : NULL;
    FLX_PASS(m, f->expected_known);
    FLX_PASS(m, f->failed);
    FLX_PASS(m, f->guard);
    if (has_unit) flx_memory_numbers(m, f->unit_storage, n);
    if (f->expected_known) flx_memory_numbers(m, f->expected, n);
    if (!factors) return;
    flx_memory_numbers(m, f->pivot, parts * n);
    flx_memory_numbers(m, f->inverse, parts * n);
    flx_memory_numbers(m, f->panel, parts * (size_t)f->super[f->nsuper].panel);
}
