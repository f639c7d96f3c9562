// newton_matrix.c - combine the blocks with their weights, scale, factor, solve.
#include "integrate/newton_matrix.h"

#include "base/arrays.h"
#include "integrate/krylov.h"
#include "math/ldl/ldl.h"
#include "math/lu.h"
#include "math/pattern.h"

#include <math.h>

// Newton with the symmetric part may converge this slowly before it is given up.
#define SLOW_CONTRACTION 0.3
// Pivots below this part of what they are made of tell of a singular position.
#define SINGULAR_PIVOT 1e-4
// Up to this many unknowns both solvers are made at once, so that a change between them does not
// allocate in the time loop; beyond, the second one is made when it is needed.
#define BOTH_SOLVERS 3000

struct flx_linear {
    const flx_system *sys; // borrowed
    bool is_complex;
    int n, version;
    void *own; // the system's factors, or NULL
    flx_ldl *ldl;
    flx_lu *lu;
    flx_krylov *krylov;
    bool large;          // with fill that LU would drown in: without symmetry by Krylov's vectors
    bool by_krylov;      // the next solutions are
    bool symmetric;      // the next factorisation takes the symmetric part
    bool by_ldl;         // the present factors are those of it
    bool equilibrated;   // LDL has scale factors
    bool warm;           // LU has factored once
    bool known;          // sigma and tau are
    int slow;            // slow contractions in a row
    bool settled;        // there is nothing left to choose
    bool at_rest;        // stiffness counts, and inertia next to nothing
    signed char *sign;   // (nblock)
    unsigned char *kind; // (nblock) flx_unknown_kind
    void *block;         // of the arrays below, but of values
    double *sigma, *tau; // (nlam)
    double complex *row, *col;   // (n) scale factors
    double *row_real, *col_real; // (n) their real parts
    double *values;              // real weight; of a complex one, the sizes for scaling
    double complex *zvalues;     // complex weight
    double *re, *im;             // (n) for the system's own solve
};

// ---- life -----------------------------------------------------------------------------------

static void release_solvers(flx_linear *lin)
{
    flx_ldl_destroy(&lin->ldl);
    flx_lu_destroy(&lin->lu);
    flx_krylov_destroy(&lin->krylov);
    flx_free(lin->sign);
    flx_free(lin->kind);
    flx_free(lin->values);
    flx_free(lin->zvalues);
    lin->sign = NULL;
    lin->kind = NULL;
    lin->values = NULL;
    lin->zvalues = NULL;
}

void flx_linear_destroy(flx_linear **lin)
{
    if (!lin || !*lin) return;
    flx_linear *l = *lin;
    if (l->own) l->sys->ops->factors_destroy(l->own);
    release_solvers(l);
    flx_free(l->block);
    flx_free(l);
    *lin = NULL;
}

// What depends on the pattern: kinds of blocks, values, the solvers.
static flx_status make_solvers(flx_linear *lin)
{
    const flx_system *s = lin->sys;
    const flx_pattern *p = &s->pattern;
    const flx_dims *d = &s->dims;
    size_t nb = (size_t)p->nblock;
    lin->version = p->version;
    lin->equilibrated = false;
    lin->warm = false;
    lin->large = !lin->is_complex && flx_ldl_wants_fronts(p);
    lin->sign = flx_alloc(s->ctx, nb, sizeof *lin->sign);
    lin->kind = flx_alloc(s->ctx, nb, sizeof *lin->kind);
    lin->values = flx_alloc(s->ctx, flx_pattern_size(p), sizeof *lin->values);
    lin->zvalues =
        flx_alloc(s->ctx, lin->is_complex ? flx_pattern_size(p) : 0, sizeof *lin->zvalues);
    if (!lin->sign || !lin->kind || !lin->values || !lin->zvalues) return FLX_ERR_MEMORY;
    int end[5] = {d->nv, d->nx, d->nw, d->nlam, d->nmu};
    for (int k = 1; k < 5; k++) end[k] += end[k - 1];
    for (int i = 0, k = 0; i < p->nblock; i++) {
        while (k < 4 && p->start[i] >= end[k]) k++;
        lin->kind[i] = (unsigned char)k;
        lin->sign[i] = k < FLX_UNKNOWN_CONSTRAINT ? 1 : -1;
    }
    if (lin->large) return FLX_OK; // many are made and never used
    if (lin->symmetric) {
        FLX_TRY(flx_ldl_create(s->ctx, p, lin->sign, lin->is_complex, &lin->ldl));
        if (lin->n > BOTH_SOLVERS) return FLX_OK;
    }
    return flx_lu_create(s->ctx, p, lin->is_complex, &lin->lu);
}

// Whether there are forces that give way and only push: their rows read rates, which the columns do not, and an open one has none of its
// column. Next to nothing of such a matrix is in its symmetric part.
static bool pushes(const flx_system *s)
{
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + i, &u);
        if (u.lower == 0.0 && u.C > 0.0) return true;
    }
    return false;
}

static flx_status make(flx_linear *lin)
{
    const flx_system *s = lin->sys;
    const flx_dims *d = &s->dims;
    size_t n = (size_t)lin->n;
    if (s->ops->factor) {
        lin->own = s->ops->factors_create(s, lin->is_complex);
        const flx_array arrays[] = {FLX_ARRAY(lin->re, n), FLX_ARRAY(lin->im, n)};
        lin->block = flx_alloc_arrays(s->ctx, arrays, 2);
        return lin->own && lin->block ? FLX_OK : FLX_ERR_MEMORY;
    }
    const flx_array arrays[] = {FLX_ARRAY(lin->sigma, d->nlam), FLX_ARRAY(lin->tau, d->nlam),
                                FLX_ARRAY(lin->row, n),         FLX_ARRAY(lin->col, n),
                                FLX_ARRAY(lin->row_real, n),    FLX_ARRAY(lin->col_real, n)};
    lin->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!lin->block) return FLX_ERR_MEMORY;
    lin->symmetric = d->nx == 0 && d->nw == 0 && !pushes(s);
    lin->settled = !lin->symmetric;
    return make_solvers(lin);
}

flx_status flx_linear_create(const flx_system *s, bool complex_weight, flx_linear **lin)
{
    *lin = NULL;
    flx_linear *l = flx_alloc(s->ctx, 1, sizeof *l);
    if (!l) return FLX_ERR_MEMORY;
    l->sys = s;
    l->is_complex = complex_weight;
    l->n = flx_dims_unknowns(&s->dims);
    flx_status status = make(l);
    if (status != FLX_OK) flx_linear_destroy(&l);
    *lin = l;
    return status;
}

// ---- combining ------------------------------------------------------------------------------

// The product of the language looks at infinities each time.
static inline double complex multiply(double complex a, double complex b)
{
    return flx_complex(creal(a) * creal(b) - cimag(a) * cimag(b),
                       creal(a) * cimag(b) + cimag(a) * creal(b));
}

// The largest stiffness on the diagonal; 1 where there is none.
static double find_stiffness(const flx_linear *lin, const flx_blocks *b)
{
    const flx_pattern *p = &lin->sys->pattern;
    double most = 0.0;
    for (int i = 0; i < p->nblock && p->start[i] < lin->sys->dims.nv; i++) {
        int n = p->start[i + 1] - p->start[i], e = p->row[i];
        while (p->col[e] != i) e++;
        for (int k = 0; k < n; k++) most = fmax(most, fabs(b->A0[p->offset[e] + k * (n + 1)]));
    }
    return most > 0.0 && isfinite(most) ? most : 1.0;
}

static void read_rows(flx_linear *lin)
{
    const flx_system *s = lin->sys;
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + i, &u);
        lin->sigma[i] = u.sigma;
        lin->tau[i] = u.tau;
    }
    lin->known = true;
}

// Scale factors of rows and columns. Weights of zero (a static problem) leave things as they are; at rest
// constraints are scaled by the stiffness, as in motion by the inertia.
static void set_scales(flx_linear *lin, const flx_blocks *b, const flx_weights *w)
{
    const flx_dims *d = &lin->sys->dims;
    if (!lin->known) read_rows(lin);
    double complex c2 = w->c2 != 0.0 ? w->c2 : 1.0, c1 = w->c1 != 0.0 ? w->c1 : 1.0;
    if (lin->at_rest) c2 = w->c0 * find_stiffness(lin, b);
    double complex cx = w->cx != 0.0 ? w->cx : 1.0;
    double complex other = d->nv ? 1.0 / c2 : 0.0, state = d->nx ? 1.0 / cx : 0.0;
    double complex joint = d->nlam ? c2 / w->c0 : 0.0, rate = d->nmu ? c2 / c1 : 0.0;
    int i = 0;
    for (int k = 0; k < d->nv; k++, i++) {
        lin->row[i] = 1.0;
        lin->col[i] = other;
    }
    for (int k = 0; k < d->nx + d->nw; k++, i++) {
        lin->row[i] = k < d->nx ? state : 1.0;
        lin->col[i] = 1.0;
    }
    for (int k = 0; k < d->nlam; k++, i++) {
        lin->col[i] = 1.0;
        lin->row[i] = joint;
        if (lin->sigma[k] == 1.0 && lin->tau[k] == 0.0) continue; // a joint, as nearly all are
        double complex level = lin->sigma[k] * w->c0 + lin->tau[k] * w->c1;
        lin->row[i] = level != 0.0 ? c2 / level : c2;
    }
    for (int k = 0; k < d->nmu; k++, i++) {
        lin->row[i] = rate;
        lin->col[i] = 1.0;
    }
    for (i = 0; i < lin->n && !lin->is_complex; i++) {
        lin->row_real[i] = creal(lin->row[i]);
        lin->col_real[i] = creal(lin->col[i]);
    }
}

// One entry of the pattern: nr x nc numbers from offset o, rows from i0, columns from j0.
typedef struct entry {
    int o, i0, nr, j0, nc;
    unsigned char parts; // which of A0, A1, A2
} entry;

// What flx_pattern.parts says of an entry.
enum { ONLY_A0 = 1, HAS_A1 = 2, HAS_ALL = 7 };

static void combine_real(flx_linear *lin, const flx_blocks *b, entry e, double c0, double c1,
                         double c2)
{
    const double *A0 = b->A0 + e.o, *A1 = b->A1 + e.o, *A2 = b->A2 + e.o;
    const double *col = lin->col_real + e.j0;
    double *restrict out = lin->values + e.o;
    for (int i = 0; i < e.nr; i++) {
        double r = lin->row_real[e.i0 + i], r0 = r * c0, r1 = r * c1, r2 = r * c2;
        if (e.parts == ONLY_A0) {
            for (int j = 0; j < e.nc; j++) out[j] = r0 * col[j] * A0[j];
        } else if (!(e.parts & HAS_A1)) {
            for (int j = 0; j < e.nc; j++) out[j] = col[j] * (r2 * A2[j] + r0 * A0[j]);
        } else {
            for (int j = 0; j < e.nc; j++) out[j] = col[j] * (r2 * A2[j] + r1 * A1[j] + r0 * A0[j]);
        }
        out += e.nc;
        A0 += e.nc;
        A1 += e.nc;
        A2 += e.nc;
    }
}

static void combine_complex(flx_linear *lin, const flx_blocks *b, entry e, double complex c0,
                            double complex c1, double complex c2)
{
    const double *A0 = b->A0 + e.o, *A1 = b->A1 + e.o, *A2 = b->A2 + e.o;
    double complex *out = lin->zvalues + e.o;
    for (int i = 0; i < e.nr; i++) {
        double complex r = lin->row[e.i0 + i], r0 = multiply(r, c0);
        double complex r1 = multiply(r, c1), r2 = multiply(r, c2);
        for (int j = 0; j < e.nc; j++, out++, A0++, A1++, A2++) {
            double complex sum = r0 * *A0;
            if (e.parts != ONLY_A0) sum += r2 * *A2 + r1 * *A1;
            *out = multiply(sum, lin->col[e.j0 + j]);
        }
    }
}

static void combine(flx_linear *lin, const flx_blocks *b, const flx_weights *w)
{
    const flx_pattern *p = &lin->sys->pattern;
    set_scales(lin, b, w);
    for (int i = 0; i < p->nblock; i++) {
        int i0 = p->start[i], nr = p->start[i + 1] - i0;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], parts = p->parts ? p->parts[e] : HAS_ALL;
            if (parts == 0) continue; // zero since the values were made
            entry x = {.o = p->offset[e],
                       .i0 = i0,
                       .nr = nr,
                       .j0 = p->start[j],
                       .nc = p->start[j + 1] - p->start[j],
                       .parts = (unsigned char)parts};
            double complex c1 = lin->kind[j] == FLX_UNKNOWN_STATE ? w->cx : w->c1;
            if (lin->is_complex) {
                combine_complex(lin, b, x, w->c0, c1, w->c2);
            } else {
                combine_real(lin, b, x, creal(w->c0), creal(c1), creal(w->c2));
            }
        }
    }
}

// ---- factor ---------------------------------------------------------------------------------

static flx_status factor_ldl(flx_linear *lin)
{
    if (lin->is_complex) return flx_ldl_factor_complex(lin->ldl, lin->zvalues);
    return flx_ldl_factor(lin->ldl, lin->values);
}

static void equilibrate(flx_linear *lin)
{
    if (lin->is_complex) {
        size_t n = flx_pattern_size(&lin->sys->pattern);
        for (size_t i = 0; i < n; i++) lin->values[i] = cabs(lin->zvalues[i]);
    }
    flx_ldl_equilibrate(lin->ldl, lin->values);
    lin->equilibrated = true;
}

// Scaled once a pattern.
static flx_status factor_symmetric(flx_linear *lin)
{
    const flx_system *s = lin->sys;
    if (!lin->ldl) {
        FLX_TRY(flx_ldl_create(s->ctx, &s->pattern, lin->sign, lin->is_complex, &lin->ldl));
    }
    if (!lin->equilibrated) equilibrate(lin);
    return factor_ldl(lin);
}

static flx_status factor_full(flx_linear *lin)
{
    const flx_system *s = lin->sys;
    if (!lin->lu) FLX_TRY(flx_lu_create(s->ctx, &s->pattern, lin->is_complex, &lin->lu));
    if (lin->is_complex) return flx_lu_factor_complex(lin->lu, lin->zvalues);
    return flx_lu_factor(lin->lu, lin->values);
}

static flx_status factor_own(flx_linear *lin, const flx_blocks *b, const flx_weights *w)
{
    const flx_system *s = lin->sys;
    double re[4] = {creal(w->c0), creal(w->c1), creal(w->c2), creal(w->cx)};
    double im[4] = {cimag(w->c0), cimag(w->c1), cimag(w->c2), cimag(w->cx)};
    return s->ops->factor(s, b, re, lin->is_complex ? im : NULL, NULL, lin->own);
}

static bool is_finite(const flx_linear *lin)
{
    const double *x = lin->is_complex ? (const double *)lin->zvalues : lin->values;
    size_t n = flx_pattern_size(&lin->sys->pattern) * (lin->is_complex ? 2 : 1);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

// KLU takes its memory with its first factors: at the first factorisation, not at a change of the
// solver in the time loop.
static flx_status warm_up(flx_linear *lin)
{
    if (lin->warm || !lin->lu || lin->settled) return FLX_OK;
    lin->warm = true;
    flx_status status = factor_full(lin);
    return status < 0 ? status : FLX_OK;
}

flx_status flx_linear_factor(flx_linear *lin, const flx_blocks *b, const flx_weights *w)
{
    if (lin->own) return factor_own(lin, b, w);
    if (lin->version != lin->sys->pattern.version) {
        release_solvers(lin);
        FLX_TRY(make_solvers(lin));
    }
    combine(lin, b, w);
    lin->by_krylov = lin->large && !lin->symmetric;
    if (lin->symmetric || lin->large) {
        flx_status status = factor_symmetric(lin);
        lin->by_ldl = true;
        FLX_TRY(warm_up(lin));
        if (status != FLX_SINGULAR) return status; // a zero pivot may be none of the full matrix
    }
    lin->by_ldl = lin->by_krylov = false;
    flx_status status = factor_full(lin);
    return status == FLX_SINGULAR && !is_finite(lin) ? FLX_NOT_FINITE : status;
}

// At a singular position every matrix is slow; and a full matrix that is as slow as its symmetric
// part is given up for good.
bool flx_linear_judge(flx_linear *lin, double contraction)
{
    if (lin->own || lin->settled) return false;
    if (lin->by_ldl && flx_ldl_get_report(lin->ldl).pivot_ratio < SINGULAR_PIVOT) return false;
    lin->slow = contraction > SLOW_CONTRACTION ? lin->slow + 1 : 0;
    if (lin->slow < 2) return false;
    lin->slow = 0;
    lin->settled = !lin->symmetric;
    lin->symmetric = !lin->symmetric;
    return true;
}

void flx_linear_take_full(flx_linear *lin)
{
    lin->symmetric = false;
    lin->settled = true;
}

void flx_linear_take_rest(flx_linear *lin)
{
    flx_linear_take_full(lin);
    lin->at_rest = true;
}

// ---- solve ----------------------------------------------------------------------------------

// The vectors of Krylov may fail to find a solution: then the matrix is factored after all, for good.
static flx_status solve_real(flx_linear *lin, double *d)
{
    const flx_system *s = lin->sys;
    if (lin->by_krylov) {
        if (!lin->krylov) FLX_TRY(flx_krylov_create(s->ctx, lin->n, &lin->krylov));
        if (flx_krylov_solve(lin->krylov, &s->pattern, lin->values, lin->ldl, d)) return FLX_OK;
        lin->large = lin->by_krylov = lin->by_ldl = false;
        FLX_TRY(factor_full(lin));
    }
    if (lin->by_ldl) {
        flx_ldl_solve(lin->ldl, d);
    } else {
        flx_lu_solve(lin->lu, d);
    }
    return FLX_OK;
}

flx_status flx_linear_solve(flx_linear *lin, double *d)
{
    const flx_system *s = lin->sys;
    if (lin->own) return s->ops->solve(s, lin->own, d, NULL);
    // the rows of velocities and the columns of everything else are as they were
    int nv = s->dims.nv;
    for (int i = nv; i < lin->n; i++) d[i] *= lin->row_real[i];
    FLX_TRY(solve_real(lin, d));
    for (int i = 0; i < nv; i++) d[i] *= lin->col_real[i];
    return FLX_OK;
}

flx_status flx_linear_solve_complex(flx_linear *lin, double complex *d)
{
    const flx_system *s = lin->sys;
    if (lin->own) {
        for (int i = 0; i < lin->n; i++) {
            lin->re[i] = creal(d[i]);
            lin->im[i] = cimag(d[i]);
        }
        FLX_TRY(s->ops->solve(s, lin->own, lin->re, lin->im));
        for (int i = 0; i < lin->n; i++) d[i] = flx_complex(lin->re[i], lin->im[i]);
        return FLX_OK;
    }
    // as for real weights
    int nv = s->dims.nv;
    for (int i = nv; i < lin->n; i++) d[i] = multiply(d[i], lin->row[i]);
    if (lin->by_ldl) {
        flx_ldl_solve_complex(lin->ldl, d);
    } else {
        flx_lu_solve_complex(lin->lu, d);
    }
    for (int i = 0; i < nv; i++) d[i] = multiply(d[i], lin->col[i]);
    return FLX_OK;
}

flx_linear_report flx_linear_get_report(const flx_linear *lin)
{
    flx_linear_report r = {
        .symmetric = lin->by_ldl && !lin->by_krylov, .pivot_ratio = 1.0, .worst = -1};
    if (lin->own && !lin->sys->ops->pivots) return r;
    if (lin->own) {
        flx_pivots p = lin->sys->ops->pivots(lin->sys, lin->own);
        return (flx_linear_report){
            .regularised = p.moved, .pivot_ratio = p.ratio, .worst = p.worst};
    }
    if (lin->by_ldl) {
        flx_ldl_report l = flx_ldl_get_report(lin->ldl);
        r.negative = l.negative;
        r.regularised = l.regularised;
        r.pivot_ratio = l.pivot_ratio;
        r.worst = l.worst;
        if (r.symmetric && l.regularised == 0) r.sign = l.negative % 2 == 0 ? 1 : -1;
    } else {
        r.pivot_ratio = flx_lu_rcond(lin->lu);
        if (!lin->is_complex && lin->lu) r.sign = flx_lu_sign(lin->lu);
    }
    return r;
}

// ---- checkpoint -----------------------------------------------------------------------------

// Solvers that are made when they are needed are made for what they remember.
static void load_solvers(flx_linear *lin, bool has_ldl, bool has_lu, flx_memory *m)
{
    const flx_system *s = lin->sys;
    flx_status status = FLX_OK;
    if (has_ldl && !lin->ldl) {
        status = flx_ldl_create(s->ctx, &s->pattern, lin->sign, lin->is_complex, &lin->ldl);
    }
    if (has_lu && !lin->lu && status == FLX_OK) {
        status = flx_lu_create(s->ctx, &s->pattern, lin->is_complex, &lin->lu);
    }
    if (!has_ldl) flx_ldl_destroy(&lin->ldl);
    if (!has_lu) flx_lu_destroy(&lin->lu);
    if (status != FLX_OK) flx_memory_fail(m, status);
}

bool flx_linear_follows(const flx_linear *lin)
{
    const flx_system_ops *ops = lin->sys->ops;
    return lin->own && ops->factors_follow && ops->factors_follow(lin->sys);
}

void flx_linear_memory(flx_linear *lin, flx_memory *m)
{
    const flx_system *s = lin->sys;
    size_t n = (size_t)lin->n, nvalue = flx_pattern_size(&s->pattern);
    if (lin->own) {
        s->ops->factors_memory(lin->own, m);
        return;
    }
    bool has_ldl = lin->ldl != NULL, has_lu = lin->lu != NULL;
    FLX_PASS(m, has_ldl);
    FLX_PASS(m, has_lu);
    FLX_PASS(m, lin->large);
    FLX_PASS(m, lin->by_krylov);
    FLX_PASS(m, lin->symmetric);
    FLX_PASS(m, lin->by_ldl);
    FLX_PASS(m, lin->equilibrated);
    FLX_PASS(m, lin->warm);
    FLX_PASS(m, lin->slow);
    FLX_PASS(m, lin->settled);
    FLX_PASS(m, lin->at_rest);
    flx_memory_pass(m, lin->row, n * sizeof *lin->row);
    flx_memory_pass(m, lin->col, n * sizeof *lin->col);
    flx_memory_numbers(m, lin->row_real, n);
    flx_memory_numbers(m, lin->col_real, n);
    flx_memory_numbers(m, lin->values, nvalue);
    if (lin->is_complex) flx_memory_pass(m, lin->zvalues, nvalue * sizeof *lin->zvalues);
    if (flx_memory_loads(m) && m->status == FLX_OK) load_solvers(lin, has_ldl, has_lu, m);
    if (m->status != FLX_OK) return;
    if (has_ldl) flx_ldl_memory(lin->ldl, true, m);
    if (has_lu) flx_lu_memory(lin->lu, m);
}
