// saddle_matrix.h - saddle-point matrices [S G^T; G -C] of made-up mechanisms for tests and
// benchmarks of the linear algebra: add bodies, constraints and springs, finish, set values.
#pragma once

#include "flexion/extend/method_table.h"
#include "flexion/extend/system_table.h"
#include "random_number.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SM_TOUCH = 8 };

typedef struct sm_constraint {
    int rows, ntouch, touch[SM_TOUCH], pair;
} sm_constraint;

typedef struct saddle_matrix {
    int nbody, nconstraint, nspring, nblock, n, nvalue, nconstraint_rows;
    int *body; // sizes
    sm_constraint *constraint;
    int (*spring)[2];
    flx_pattern pattern;
    signed char *sign;
    int *start, *row, *col, *offset, *transpose, *pair;
    double *values;
    uint64_t random;
} saddle_matrix;

static inline void *sm_more(void *array, int count, size_t size)
{
    if (count & (count - 1)) return array; // grown at powers of two
    void *p = realloc(array, (size_t)(count ? 2 * count : 1) * size);
    if (!p) abort();
    return p;
}

static inline void *sm_zeroed(int count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (!p) abort();
    return p;
}

static inline double sm_random(saddle_matrix *m)
{
    return random_number(&m->random);
}

// CMPLX is not there under every compiler.
static inline double complex sm_complex(double re, double im)
{
    double complex z;
    memcpy(&z, (double[2]){re, im}, sizeof z);
    return z;
}

static inline int sm_body(saddle_matrix *m, int size)
{
    m->body = sm_more(m->body, m->nbody, sizeof *m->body);
    m->body[m->nbody] = size;
    return m->nbody++;
}

// A constraint on up to four bodies (-1: none, or the ground); pair: one of them, or -1.
static inline int sm_constraint_on(saddle_matrix *m, int rows, int a, int b, int c, int d, int pair)
{
    m->constraint = sm_more(m->constraint, m->nconstraint, sizeof *m->constraint);
    sm_constraint *j = &m->constraint[m->nconstraint];
    *j = (sm_constraint){.rows = rows, .pair = pair};
    int touch[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) {
        if (touch[k] >= 0) j->touch[j->ntouch++] = touch[k];
    }
    return m->nconstraint++;
}

static inline void sm_spring(saddle_matrix *m, int a, int b)
{
    m->spring = sm_more(m->spring, m->nspring, sizeof *m->spring);
    m->spring[m->nspring][0] = a;
    m->spring[m->nspring][1] = b;
    m->nspring++;
}

static inline int sm_compare(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static inline int sm_entry(const saddle_matrix *m, int i, int j)
{
    int low = m->row[i], high = m->row[i + 1] - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (m->col[mid] < j) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

// The pattern. Blocks: bodies, then constraints.
static inline void sm_finish(saddle_matrix *m, bool with_pairs)
{
    int nb = m->nblock = m->nbody + m->nconstraint, npair = 0;
    int most = nb + 2 * m->nspring + 2 * SM_TOUCH * m->nconstraint;
    long long *pairs = sm_zeroed(most, sizeof *pairs);
    for (int b = 0; b < nb; b++) pairs[npair++] = (long long)b * nb + b;
    for (int s = 0; s < m->nspring; s++) {
        int a = m->spring[s][0], b = m->spring[s][1];
        pairs[npair++] = (long long)a * nb + b;
        pairs[npair++] = (long long)b * nb + a;
    }
    for (int j = 0; j < m->nconstraint; j++) {
        for (int k = 0; k < m->constraint[j].ntouch; k++) {
            long long r = m->nbody + j, b = m->constraint[j].touch[k];
            pairs[npair++] = r * nb + b;
            pairs[npair++] = b * nb + r;
        }
    }
    qsort(pairs, (size_t)npair, sizeof *pairs, sm_compare);
    m->start = sm_zeroed(nb + 1, sizeof(int));
    m->row = sm_zeroed(nb + 1, sizeof(int));
    m->col = sm_zeroed(npair, sizeof(int));
    m->offset = sm_zeroed(npair + 1, sizeof(int));
    m->transpose = sm_zeroed(npair, sizeof(int));
    m->pair = sm_zeroed(nb, sizeof(int));
    m->sign = sm_zeroed(nb, 1);
    for (int b = 0; b < nb; b++) {
        int size = b < m->nbody ? m->body[b] : m->constraint[b - m->nbody].rows;
        m->start[b + 1] = m->start[b] + size;
        m->sign[b] = b < m->nbody ? 1 : -1;
        m->pair[b] = b < m->nbody ? -1 : m->constraint[b - m->nbody].pair;
        if (b >= m->nbody) m->nconstraint_rows += size;
    }
    int nentry = 0;
    for (int k = 0; k < npair; k++) {
        if (k > 0 && pairs[k] == pairs[k - 1]) continue;
        int i = (int)(pairs[k] / nb), j = (int)(pairs[k] % nb);
        m->row[i + 1] = nentry + 1;
        m->col[nentry] = j;
        m->offset[nentry + 1] =
            m->offset[nentry] + (m->start[i + 1] - m->start[i]) * (m->start[j + 1] - m->start[j]);
        nentry++;
    }
    for (int i = 0; i < nb; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            m->transpose[e] = sm_entry(m, m->col[e], i);
        }
    }
    free(pairs);
    m->n = m->start[nb];
    m->nvalue = m->offset[nentry];
    m->values = sm_zeroed(m->nvalue, sizeof(double));
    m->pattern = (flx_pattern){.nblock = nb,
                               .start = m->start,
                               .row = m->row,
                               .col = m->col,
                               .offset = m->offset,
                               .transpose = m->transpose,
                               .pair = with_pairs ? m->pair : NULL};
}

static inline void sm_free(saddle_matrix *m)
{
    void *owned[] = {m->body, m->constraint, m->spring,    m->sign, m->start, m->row,
                     m->col,  m->offset,     m->transpose, m->pair, m->values};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) free(owned[i]);
    *m = (saddle_matrix){0};
}

// Where row r, column c of block (i, j) is.
static inline double *sm_at(saddle_matrix *m, int i, int j, int r, int c)
{
    int e = sm_entry(m, i, j);
    return &m->values[m->offset[e] + r * (m->start[j + 1] - m->start[j]) + c];
}

static inline void sm_set_both(saddle_matrix *m, int i, int j, int r, int c, double x)
{
    *sm_at(m, i, j, r, c) = x;
    *sm_at(m, j, i, c, r) = x;
}

// S += x w w^T with w on bodies a and b (b may be a)
static inline void sm_add_outer(saddle_matrix *m, int a, int b, const double *wa, const double *wb,
                                double x)
{
    int body[2] = {a, b};
    const double *w[2] = {wa, wb};
    int count = a == b ? 1 : 2;
    for (int p = 0; p < count; p++) {
        for (int q = 0; q < count; q++) {
            for (int r = 0; r < m->body[body[p]]; r++) {
                for (int c = 0; c < m->body[body[q]]; c++) {
                    *sm_at(m, body[p], body[q], r, c) += x * w[p][r] * w[q][c];
                }
            }
        }
    }
}

// Random values: bodies positive definite with sizes `mass` (spread over 10^+-spread), springs of
// stiffness k, constraints dense and random.
static inline void sm_random_values(saddle_matrix *m, unsigned seed, double spread, double k)
{
    double w[2][64];
    m->random = 12345 + 977ULL * seed;
    memset(m->values, 0, sizeof(double) * (size_t)m->nvalue);
    for (int b = 0; b < m->nbody; b++) {
        double mass = pow(10, spread * sm_random(m));
        for (int i = 0; i < m->body[b]; i++) {
            *sm_at(m, b, b, i, i) += 0.3 * mass;
            for (int j = 0; j < m->body[b]; j++) w[0][j] = sm_random(m);
            sm_add_outer(m, b, b, w[0], w[0], mass);
        }
    }
    for (int s = 0; s < m->nspring; s++) {
        int a = m->spring[s][0], b = m->spring[s][1];
        for (int d = 0; d < 2; d++) {
            for (int i = 0; i < 64; i++) {
                w[0][i] = sm_random(m);
                w[1][i] = sm_random(m);
            }
            sm_add_outer(m, a, b, w[0], w[1], k);
        }
    }
    for (int j = 0; j < m->nconstraint; j++) {
        int block = m->nbody + j;
        for (int t = 0; t < m->constraint[j].ntouch; t++) {
            int b = m->constraint[j].touch[t];
            for (int r = 0; r < m->constraint[j].rows; r++) {
                for (int c = 0; c < m->body[b]; c++) {
                    sm_set_both(m, block, b, r, c, sm_random(m));
                }
            }
        }
    }
}

// ---- mechanisms --------------------------------------------------------------------------------

// n spatial bodies in a row, revolute joints (5 rows), the first on the ground.
static inline void sm_chain(saddle_matrix *m, int n)
{
    for (int i = 0; i < n; i++) sm_body(m, 6);
    for (int i = 0; i < n; i++) sm_constraint_on(m, 5, i, i - 1, -1, -1, i);
}

// N planar four-bars in a row: cranks 0..N on the ground, couplers N+1..2N between them.
static inline void sm_four_bars(saddle_matrix *m, int n)
{
    for (int i = 0; i <= 2 * n; i++) sm_body(m, 3);
    for (int i = 0; i <= n; i++) sm_constraint_on(m, 2, i, -1, -1, -1, i);
    for (int i = 0; i < n; i++) {
        sm_constraint_on(m, 2, i, n + 1 + i, -1, -1, n + 1 + i);
        sm_constraint_on(m, 2, n + 1 + i, i + 1, -1, -1, -1);
    }
}

// A planar pin at a point that lies at (ax, ay) from body a's centre and (bx, by) from b's; either
// may be -1 (ground).
static inline void sm_set_pin(saddle_matrix *m, int constraint, int a, double ax, double ay, int b,
                              double bx, double by)
{
    int body[2] = {a, b}, block = m->nbody + constraint;
    double x[2] = {ax, bx}, y[2] = {ay, by};
    for (int s = 0; s < 2; s++) {
        if (body[s] < 0) continue;
        double sign = s == 0 ? 1 : -1;
        sm_set_both(m, block, body[s], 0, 0, sign);
        sm_set_both(m, block, body[s], 1, 1, sign);
        sm_set_both(m, block, body[s], 0, 2, -sign * y[s]);
        sm_set_both(m, block, body[s], 1, 2, sign * x[s]);
    }
}

// The matrix of N four-bars of unit squares, cranks at angle phi from the x axis, with the cranks'
// and couplers' mass and inertia.
static inline void sm_four_bar_values(saddle_matrix *m, int n, double phi)
{
    double cx = 0.5 * cos(phi), cy = 0.5 * sin(phi);
    memset(m->values, 0, sizeof(double) * (size_t)m->nvalue);
    for (int i = 0; i <= 2 * n; i++) {
        *sm_at(m, i, i, 0, 0) = *sm_at(m, i, i, 1, 1) = 1;
        *sm_at(m, i, i, 2, 2) = 1.0 / 12;
    }
    for (int i = 0; i <= n; i++) sm_set_pin(m, i, i, -cx, -cy, -1, 0, 0);
    for (int i = 0; i < n; i++) {
        sm_set_pin(m, n + 1 + 2 * i, i, cx, cy, n + 1 + i, -0.5, 0);
        sm_set_pin(m, n + 2 + 2 * i, n + 1 + i, 0.5, 0, i + 1, cx, cy);
    }
}
