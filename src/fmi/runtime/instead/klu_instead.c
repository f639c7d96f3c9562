// klu_instead.c - the calls of KLU that src/math makes, by an LU of our own: KLU is under the LGPL, and what is inside an
// FMU goes to whoever gets the FMU. Declared by klu.h; tests/fmi compares both.
#include <colamd.h>
#include <complex.h>
#include <klu.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <amd.h>

#define DIAGONAL 1e-3 // a pivot on the diagonal may be this much smaller than the largest

typedef struct klu_scratch {
    int *list, *stack, *pause, *mark; // (n) owned, of one block
} klu_scratch;

static int klu_make_scratch(klu_scratch *w, int n)
{
    int *block = malloc(4 * ((size_t)n + 1) * sizeof *block);
    if (!block) return 0;
    *w = (klu_scratch){block, block + n, block + 2 * (size_t)n, block + 3 * (size_t)n};
    for (int i = 0; i < n; i++) w->mark[i] = -1;
    return 1;
}

static void klu_drop_scratch(klu_scratch *w)
{
    free(w->list);
}

// Rows that a column with the entries row[from .. to) fills, by depth first over the columns of L so far: list[top .. n).
static int klu_find_reach(klu_scratch *w, int n, int k, int from, int to, const int *row,
                          const int *Lp, const int *Li, const int *pinv)
{
    int top = n;
    for (int p = from; p < to; p++) {
        int depth = 0;
        if (w->mark[row[p]] == k) continue;
        w->stack[0] = row[p];
        w->mark[row[p]] = k;
        w->pause[0] = pinv[row[p]] < 0 ? 0 : Lp[pinv[row[p]]] + 1;
        while (depth >= 0) {
            int i = w->stack[depth], j = pinv[i], next = -1;
            int end = j < 0 ? 0 : Lp[j + 1];
            while (next < 0 && w->pause[depth] < end) {
                int r = Li[w->pause[depth]++];
                if (w->mark[r] != k) next = r;
            }
            if (next < 0) {
                w->list[--top] = i;
                depth--;
            } else {
                w->mark[next] = k;
                w->stack[++depth] = next;
                w->pause[depth] = pinv[next] < 0 ? 0 : Lp[pinv[next]] + 1;
            }
        }
    }
    return top;
}

#define T double
#define NAME(x) klu_real_##x
#define ABS fabs
#include "fmi/runtime/instead/sparse_lu_template.h"

#define T double complex
#define NAME(x) klu_complex_##x
#define ABS cabs
#include "fmi/runtime/instead/sparse_lu_template.h"

// ---- symbolic -------------------------------------------------------------------------------------

int klu_defaults(klu_common *c)
{
    memset(c, 0, sizeof *c);
    c->tol = DIAGONAL;
    c->btf = 1;
    c->scale = 2;
    c->halt_if_singular = 1;
    return 1;
}

static klu_symbolic *make_symbolic(int n, klu_common *c)
{
    klu_symbolic *s = calloc(1, sizeof *s);
    c->status = KLU_OUT_OF_MEMORY;
    if (!s) return NULL;
    s->n = n;
    s->nblocks = 1;
    s->Q = malloc(((size_t)n + 1) * sizeof *s->Q);
    if (!s->Q) {
        free(s);
        return NULL;
    }
    for (int i = 0; i < n; i++) s->Q[i] = i;
    c->status = KLU_OK;
    return s;
}

// Of the columns, whatever rows become pivots.
static int order_columns(int n, const int *begin, const int *row, int *Q)
{
    size_t size = colamd_recommended(begin[n], n, n);
    int *work = malloc((size + 1) * sizeof *work), *p = malloc(((size_t)n + 1) * sizeof *p);
    int stats[COLAMD_STATS], done = 0;
    if (work && p && size > 0) {
        memcpy(work, row, (size_t)begin[n] * sizeof *work);
        memcpy(p, begin, ((size_t)n + 1) * sizeof *p);
        done = colamd(n, n, (int)size, work, p, NULL, stats);
        if (done) memcpy(Q, p, (size_t)n * sizeof *Q);
    }
    free(work);
    free(p);
    return done;
}

klu_symbolic *klu_analyze(int n, int *begin, int *row, klu_common *c)
{
    klu_symbolic *s = make_symbolic(n, c);
    if (!s || n == 0) return s;
    int done = c->ordering == 1 ? order_columns(n, begin, row, s->Q)
                                : amd_order(n, begin, row, s->Q, NULL, NULL) >= AMD_OK;
    if (!done) {
        klu_free_symbolic(&s, c);
        c->status = KLU_OUT_OF_MEMORY;
    }
    return s;
}

klu_symbolic *klu_analyze_given(int n, int *begin, int *row, int *P, int *Q, klu_common *c)
{
    (void)begin, (void)row, (void)P; // rows are chosen by size
    klu_symbolic *s = make_symbolic(n, c);
    if (s && Q) memcpy(s->Q, Q, (size_t)n * sizeof *Q);
    return s;
}

int klu_free_symbolic(klu_symbolic **s, klu_common *c)
{
    (void)c;
    if (*s) free((*s)->Q);
    free(*s);
    *s = NULL;
    return 1;
}

// ---- numeric --------------------------------------------------------------------------------------

klu_numeric *klu_factor(int *begin, int *row, double *values, klu_symbolic *s, klu_common *c)
{
    return klu_real_factor(begin, row, values, s, c);
}

klu_numeric *klu_z_factor(int *begin, int *row, double *values, klu_symbolic *s, klu_common *c)
{
    return klu_complex_factor(begin, row, (const double complex *)values, s, c);
}

int klu_refactor(int *begin, int *row, double *values, klu_symbolic *s, klu_numeric *f,
                 klu_common *c)
{
    return klu_real_refactor(begin, row, values, s, f, c);
}

int klu_z_refactor(int *begin, int *row, double *values, klu_symbolic *s, klu_numeric *f,
                   klu_common *c)
{
    return klu_complex_refactor(begin, row, (const double complex *)values, s, f, c);
}

int klu_free_numeric(klu_numeric **f, klu_common *c)
{
    (void)c;
    klu_real_drop((klu_real_factors *)*f);
    *f = NULL;
    return 1;
}

int klu_z_free_numeric(klu_numeric **f, klu_common *c)
{
    (void)c;
    klu_complex_drop((klu_complex_factors *)*f);
    *f = NULL;
    return 1;
}

int klu_rcond(klu_symbolic *s, klu_numeric *f, klu_common *c)
{
    (void)s;
    return klu_real_rcond(f, c);
}

int klu_z_rcond(klu_symbolic *s, klu_numeric *f, klu_common *c)
{
    (void)s;
    return klu_complex_rcond(f, c);
}

int klu_rgrowth(int *begin, int *row, double *values, klu_symbolic *s, klu_numeric *f,
                klu_common *c)
{
    return klu_real_rgrowth(begin, row, values, s, f, c);
}

int klu_z_rgrowth(int *begin, int *row, double *values, klu_symbolic *s, klu_numeric *f,
                  klu_common *c)
{
    return klu_complex_rgrowth(begin, row, (const double complex *)values, s, f, c);
}

// ---- solutions ------------------------------------------------------------------------------------

int klu_solve(klu_symbolic *s, klu_numeric *f, int room, int n, double *b, klu_common *c)
{
    (void)c;
    for (int i = 0; i < n; i++) klu_real_solve(s, f, b + (size_t)i * (size_t)room);
    return 1;
}

int klu_z_solve(klu_symbolic *s, klu_numeric *f, int room, int n, double *b, klu_common *c)
{
    (void)c;
    for (int i = 0; i < n; i++)
        klu_complex_solve(s, f, (double complex *)b + (size_t)i * (size_t)room);
    return 1;
}

// A^T x = b: Q U^T L^T P R x = b.
int klu_tsolve(klu_symbolic *s, klu_numeric *numeric, int room, int nb, double *b, klu_common *c)
{
    const klu_real_factors *f = (const klu_real_factors *)numeric;
    int n = s->n;
    double *x = f->x;
    (void)c;
    for (int i = 0; i < nb; i++, b += room) {
        for (int k = 0; k < n; k++) {
            double sum = b[s->Q[k]];
            for (int q = f->Up[k]; q < f->Up[k + 1] - 1; q++) sum -= f->Ux[q] * x[f->Ui[q]];
            x[k] = sum / f->diagonal[k];
        }
        for (int k = n - 1; k >= 0; k--) {
            for (int q = f->Lp[k] + 1; q < f->Lp[k + 1]; q++) x[k] -= f->Lx[q] * x[f->Li[q]];
        }
        for (int k = 0; k < n; k++) b[numeric->Pnum[k]] = x[k] / numeric->Rs[numeric->Pnum[k]];
        for (int k = 0; k < n; k++) x[k] = 0.0;
    }
    return 1;
}
