// step_matrix.c - see step_matrix.h. Systems whose pattern leaves something out (trees) are written in full.
#include "integrate/slopes/step_matrix.h"

#include "base/arrays.h"
#include "integrate/newton_matrix.h"
#include "math/lu.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

// Unknowns of a system whose matrices are written in full.
#define MOST_FULL 600

struct flx_step_matrix {
    const flx_system *sys; // borrowed
    int n;
    flx_blocks blocks; // owned
    bool full;         // the pattern leaves something out
    bool spread;       // A is that of the blocks
    flx_pattern one;   // of a full matrix: a single block
    int one_numbers[8];
    flx_lu *lu[2];     // plain, transposed
    int made;          // which of them was factored last
    double *values;    // owned, and so are the others: of the factored matrix
    double *A[3];      // (n x n) by rows, where full
    double *u;         // (2 n) scratch
    double *row, *col; // (n) scale factors
    void *block;
};

void flx_step_matrix_destroy(flx_step_matrix **m)
{
    flx_step_matrix *x = m ? *m : NULL;
    if (!x) return;
    flx_blocks_destroy(&x->blocks);
    for (int k = 0; k < 2; k++) flx_lu_destroy(&x->lu[k]);
    flx_free(x->block);
    flx_free(x);
    *m = NULL;
}

static flx_status make(flx_step_matrix *m)
{
    const flx_system *s = m->sys;
    size_t n = (size_t)m->n, full = m->full && m->n <= MOST_FULL ? n * n : 0;
    size_t values = m->full ? full : flx_pattern_size(&s->pattern);
    const flx_array arrays[] = {FLX_ARRAY(m->values, values), FLX_ARRAY(m->A[0], full),
                                FLX_ARRAY(m->A[1], full),     FLX_ARRAY(m->A[2], full),
                                FLX_ARRAY(m->u, 2 * n),       FLX_ARRAY(m->row, n),
                                FLX_ARRAY(m->col, n)};
    m->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!m->block) return FLX_ERR_MEMORY;
    if (m->full) {
        int *k = m->one_numbers; // start 0 n, row 0 1, col 0, offset 0 n^2, transpose 0
        k[1] = m->n;
        k[3] = 1;
        k[6] = m->n * m->n;
        m->one = (flx_pattern){.nblock = 1,
                               .start = k,
                               .row = k + 2,
                               .col = k + 4,
                               .offset = k + 5,
                               .transpose = k + 7};
    }
    return flx_blocks_create(s, &m->blocks);
}

flx_status flx_step_matrix_create(const flx_system *s, flx_step_matrix **m)
{
    flx_step_matrix *x = flx_alloc(s->ctx, 1, sizeof *x);
    *m = x;
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    x->n = flx_dims_unknowns(&s->dims);
    x->full = s->pattern.extra > 0;
    flx_status status = make(x);
    if (status != FLX_OK) flx_step_matrix_destroy(m);
    return status;
}

flx_status flx_step_matrix_linearise(flx_step_matrix *m, flx_work *w, const flx_point *p)
{
    m->spread = false;
    return m->sys->ops->linearise(m->sys, w, p, &m->blocks);
}

// ---- products -----------------------------------------------------------------------------------

static const double *values_of(const flx_step_matrix *m, int k)
{
    return k == 0 ? m->blocks.A0 : k == 1 ? m->blocks.A1 : m->blocks.A2;
}

// Whether an entry of the pattern has numbers in matrix k.
static bool has_part(const flx_pattern *p, int e, int k)
{
    return !p->parts || (p->parts[e] & (1 << k));
}

// out += a x of one block (ni x nj), by rows; compiled anew for each nj that is a constant.
static inline void add_block(int ni, int nj, const double *a, const double *x, double *out)
{
    for (int r = 0; r < ni; r++, a += nj) {
        double sum = 0.0;
        for (int c = 0; c < nj; c++) sum += a[c] * x[c];
        out[r] += sum;
    }
}

// Of entries of the pattern from column `first` on.
static void add_product(const flx_step_matrix *m, int first, const double *const u[3], double *out)
{
    const flx_pattern *p = &m->sys->pattern;
    for (int i = 0; i < p->nblock; i++) {
        int i0 = p->start[i], ni = p->start[i + 1] - i0;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j0 = p->start[p->col[e]], nj = p->start[p->col[e] + 1] - j0;
            for (int k = 0; k < 3 && j0 >= first; k++) {
                if (!u[k] || !has_part(p, e, k)) continue;
                const double *a = values_of(m, k) + p->offset[e], *x = u[k] + j0;
                if (ni == 2 && nj == 2) {
                    add_block(2, 2, a, x, out + i0);
                } else if (ni == 3 && nj == 3) {
                    add_block(3, 3, a, x, out + i0);
                } else {
                    add_block(ni, nj, a, x, out + i0);
                }
            }
        }
    }
}

void flx_step_matrix_product(flx_step_matrix *m, flx_work *w, const double *const u[3], double *out)
{
    static const double one[3] = {1.0, 1.0, 1.0};
    int first = m->full ? m->sys->dims.nv : 0;
    add_product(m, first, u, out);
    if (m->full) m->sys->ops->product(m->sys, w, &m->blocks, one, u, out);
}

static flx_status spread(flx_step_matrix *m, flx_work *w)
{
    if (m->spread) return FLX_OK;
    if (m->n > MOST_FULL) {
        return FLX_FAIL(m->sys->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "derivatives in joint coordinates write matrices in full, and the model "
                        "has %d unknowns, more than %d: give 'formulation: index-3', or take "
                        "differences of runs",
                        m->n, MOST_FULL);
    }
    for (int k = 0; k < 3; k++) flx_blocks_spread(m->sys, w, &m->blocks, k, m->u, m->A[k]);
    m->spread = true;
    return FLX_OK;
}

// out += a^T eta of one block.
static inline void add_block_t(int ni, int nj, const double *a, const double *eta, double *out)
{
    for (int r = 0; r < ni; r++, a += nj) {
        for (int c = 0; c < nj; c++) out[c] += a[c] * eta[r];
    }
}

static void add_product_t(const flx_step_matrix *m, const double *eta, double *const out[3])
{
    const flx_pattern *p = &m->sys->pattern;
    for (int i = 0; i < p->nblock; i++) {
        int i0 = p->start[i], ni = p->start[i + 1] - i0;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j0 = p->start[p->col[e]], nj = p->start[p->col[e] + 1] - j0;
            for (int k = 0; k < 3; k++) {
                if (!out[k] || !has_part(p, e, k)) continue;
                const double *a = values_of(m, k) + p->offset[e];
                if (ni == 2 && nj == 2) {
                    add_block_t(2, 2, a, eta + i0, out[k] + j0);
                } else if (ni == 3 && nj == 3) {
                    add_block_t(3, 3, a, eta + i0, out[k] + j0);
                } else {
                    add_block_t(ni, nj, a, eta + i0, out[k] + j0);
                }
            }
        }
    }
}

flx_status flx_step_matrix_product_t(flx_step_matrix *m, flx_work *w, const double *eta,
                                     double *const out[3])
{
    int n = m->n;
    if (m->full) FLX_TRY(spread(m, w));
    if (!m->full) add_product_t(m, eta, out);
    for (int k = 0; k < 3 && m->full; k++) {
        for (int i = 0; i < n && out[k]; i++) {
            for (int j = 0; j < n; j++)
                out[k][j] += m->A[k][(size_t)i * (size_t)n + (size_t)j] * eta[i];
        }
    }
    return FLX_OK;
}

flx_status flx_step_matrix_each(flx_step_matrix *m, flx_work *w, flx_step_matrix_take take,
                                void *user)
{
    const flx_pattern *p = m->full ? &m->one : &m->sys->pattern;
    if (m->full) FLX_TRY(spread(m, w));
    const double *A0 = m->full ? m->A[0] : m->blocks.A0, *A1 = m->full ? m->A[1] : m->blocks.A1;
    const double *A2 = m->full ? m->A[2] : m->blocks.A2;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = j0; c < j1; c++, at++) take(user, r, c, A0[at], A1[at], A2[at]);
            }
        }
    }
    return FLX_OK;
}

// ---- factors ------------------------------------------------------------------------------------

// As in newton_matrix.c: no entry depends on the step as it goes to zero.
static void set_scales(flx_step_matrix *m, const flx_step_weights *c)
{
    const flx_dims *d = &m->sys->dims;
    int first = flx_dims_first_constraint(d);
    double c2 = c->c2 != 0.0 ? c->c2 : 1.0, c1 = c->c1 != 0.0 ? c->c1 : 1.0;
    for (int i = 0; i < m->n; i++) {
        m->col[i] = i < d->nv ? 1.0 / c2 : 1.0;
        m->row[i] = 1.0;
        if (i >= d->nv && i < d->nv + d->nx && c->cx != 0.0) m->row[i] = 1.0 / c->cx;
        if (i >= first) m->row[i] = i < first + d->nlam ? c2 : c2 / c1;
    }
}

// What the numbers of an entry are put together by.
typedef struct combination {
    const flx_step_matrix *m;
    const flx_step_weights *c;
    flx_step_matrix_value value;
    const void *user;
} combination;

static double combine(const void *user, int i, int j, double a0, double a1, double a2)
{
    const combination *k = user;
    const flx_dims *d = &k->m->sys->dims;
    const flx_step_weights *c = k->c;
    double c1 = j >= d->nv && j < d->nv + d->nx ? c->cx : c->c1;
    return k->m->row[i] * k->m->col[j] * (c->c0 * a0 + c1 * a1 + c->c2 * a2);
}

// A block of such a combination (ni x nj), by rows, or by columns; compiled anew for sizes that are constants.
static inline void combine_block(int ni, int nj, bool by_columns, const double *const A[3],
                                 const double c[3], const double *row, const double *col,
                                 double *to)
{
    for (int r = 0; r < ni; r++) {
        for (int k = 0; k < nj; k++) {
            int at = r * nj + k;
            double sum = c[0] * A[0][at] + c[1] * A[1][at] + c[2] * A[2][at];
            to[by_columns ? k * ni + r : at] = row[r] * col[k] * sum;
        }
    }
}

static void combine_weighed(const combination *by, int i0, int ni, int j0, int nj, int at,
                            bool by_columns, double *to)
{
    const flx_step_matrix *m = by->m;
    const flx_dims *d = &m->sys->dims;
    const double *const A[3] = {m->blocks.A0 + at, m->blocks.A1 + at, m->blocks.A2 + at};
    bool state = j0 >= d->nv && j0 < d->nv + d->nx; // blocks have unknowns of one kind
    const double c[3] = {by->c->c0, state ? by->c->cx : by->c->c1, by->c->c2};
    const double *row = m->row + i0, *col = m->col + j0;
    if (ni == 2 && nj == 2) {
        combine_block(2, 2, by_columns, A, c, row, col, to);
    } else if (ni == 3 && nj == 3) {
        combine_block(3, 3, by_columns, A, c, row, col, to);
    } else {
        combine_block(ni, nj, by_columns, A, c, row, col, to);
    }
}

static void combine_full(flx_step_matrix *m, const combination *k, bool transposed)
{
    size_t n = (size_t)m->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t e = i * n + j, to = transposed ? j * n + i : e;
            m->values[to] = k->value(k->user, (int)i, (int)j, m->A[0][e], m->A[1][e], m->A[2][e]);
        }
    }
}

static void combine_entries(flx_step_matrix *m, const combination *by, bool transposed)
{
    const flx_pattern *p = &m->sys->pattern;
    for (int i = 0; i < p->nblock; i++) {
        int i0 = p->start[i], ni = p->start[i + 1] - i0;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j0 = p->start[p->col[e]], nj = p->start[p->col[e] + 1] - j0;
            const double *A0 = m->blocks.A0 + p->offset[e], *A1 = m->blocks.A1 + p->offset[e];
            const double *A2 = m->blocks.A2 + p->offset[e];
            double *to = m->values + p->offset[transposed ? p->transpose[e] : e];
            if (by->c) combine_weighed(by, i0, ni, j0, nj, p->offset[e], transposed, to);
            for (int r = 0; r < ni && !by->c; r++) {
                for (int k = 0; k < nj; k++) {
                    int at = r * nj + k;
                    to[transposed ? k * ni + r : at] =
                        by->value(by->user, i0 + r, j0 + k, A0[at], A1[at], A2[at]);
                }
            }
        }
    }
}

static flx_status factor(flx_step_matrix *m, flx_work *w, const combination *by, bool transposed)
{
    int k = transposed ? 1 : 0;
    const flx_pattern *p = m->full ? &m->one : &m->sys->pattern;
    if (m->full) {
        FLX_TRY(spread(m, w));
        combine_full(m, by, transposed);
    } else {
        combine_entries(m, by, transposed);
    }
    if (!m->lu[k]) FLX_TRY(flx_lu_create(m->sys->ctx, p, false, &m->lu[k]));
    m->made = k;
    return flx_lu_factor(m->lu[k], m->values);
}

flx_status flx_step_matrix_factor(flx_step_matrix *m, flx_work *w, const flx_step_weights *c,
                                  bool transposed)
{
    combination by = {.m = m, .c = c, .value = combine};
    by.user = &by;
    set_scales(m, c);
    return factor(m, w, &by, transposed);
}

flx_status flx_step_matrix_factor_by(flx_step_matrix *m, flx_work *w, flx_step_matrix_value value,
                                     const void *user, bool transposed)
{
    const combination by = {.m = m, .value = value, .user = user};
    for (int i = 0; i < m->n; i++) m->row[i] = m->col[i] = 1.0;
    return factor(m, w, &by, transposed);
}

double flx_step_matrix_size(const flx_step_matrix *m, const double *b)
{
    const double *before = m->made ? m->col : m->row;
    double most = 0.0;
    for (int i = 0; i < m->n; i++) {
        double size = fabs(before[i] * b[i]);
        if (!(size <= most)) most = size; // NaN stays
    }
    return most;
}

void flx_step_matrix_solve(const flx_step_matrix *m, double *b)
{
    const double *before = m->made ? m->col : m->row, *after = m->made ? m->row : m->col;
    for (int i = 0; i < m->n; i++) b[i] *= before[i];
    flx_lu_solve(m->lu[m->made], b);
    for (int i = 0; i < m->n; i++) b[i] *= after[i];
}
