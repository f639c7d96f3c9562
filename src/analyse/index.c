// index.c - the differentiation index of algebraic unknowns, before a run.
//
// A disturbance of psi = 0 (SYS-6) moves w by the inverse of S(s) = s^2 A2 + s A1 + A0. Where w follows from psi itself
// that stays as it is for large s; each differentiation that psi needs before it says something of w brings a factor s:
//     |w(s)| ~ s^p,   index = p + 1                                                   (INDEX-1)
// p is read off between two s, far beyond all rates and below the rounding of the matrix.
#include "analyse/index.h"

#include "integrate/newton_matrix.h"
#include "math/lu.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e9 // s
#define SMALLEST 10.0
#define STEP 4.0
#define WHOLE 0.1 // how near to a whole number p must be, twice
#define SWEEPS 6  // of the equilibration

typedef struct probe {
    const flx_system *s;
    flx_blocks blocks;
    flx_lu *lu;
    double *values, *row, *col, *b; // on the pattern; (n) each
    int n, first;                   // first algebraic unknown
} probe;

static flx_status make(const flx_system *s, probe *p)
{
    size_t n = (size_t)flx_dims_unknowns(&s->dims);
    *p = (probe){.s = s, .n = (int)n, .first = s->dims.nv + s->dims.nx};
    FLX_TRY(flx_blocks_create(s, &p->blocks));
    FLX_TRY(flx_lu_create(s->ctx, &s->pattern, false, &p->lu));
    p->values = flx_alloc(s->ctx, flx_pattern_size(&s->pattern), sizeof *p->values);
    p->row = flx_alloc(s->ctx, 3 * n, sizeof *p->row);
    if (!p->values || !p->row) return FLX_ERR_MEMORY;
    p->col = p->row + n;
    p->b = p->col + n;
    return FLX_OK;
}

static void release(probe *p)
{
    flx_blocks_destroy(&p->blocks);
    flx_lu_destroy(&p->lu);
    flx_free(p->values);
    flx_free(p->row);
}

// Rows and columns are divided by the roots of their largest entries, by turns.
static void equilibrate(probe *p)
{
    const flx_pattern *t = &p->s->pattern;
    double *most = p->b;
    for (int i = 0; i < p->n; i++) p->row[i] = p->col[i] = 1.0;
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        bool rows = sweep % 2 == 0;
        memset(most, 0, (size_t)p->n * sizeof *most);
        for (int i = 0; i < t->nblock; i++) {
            for (int e = t->row[i]; e < t->row[i + 1]; e++) {
                int k = t->offset[e], j = t->col[e];
                for (int r = t->start[i]; r < t->start[i + 1]; r++) {
                    for (int c = t->start[j]; c < t->start[j + 1]; c++, k++) {
                        double v = fabs(p->values[k]) * p->row[r] * p->col[c];
                        if (v > most[rows ? r : c]) most[rows ? r : c] = v;
                    }
                }
            }
        }
        double *scale = rows ? p->row : p->col;
        for (int i = 0; i < p->n; i++) {
            if (most[i] > 0.0) scale[i] /= sqrt(most[i]);
        }
    }
    for (int i = 0; i < t->nblock; i++) {
        for (int e = t->row[i]; e < t->row[i + 1]; e++) {
            int k = t->offset[e], j = t->col[e];
            for (int r = t->start[i]; r < t->start[i + 1]; r++) {
                for (int c = t->start[j]; c < t->start[j + 1]; c++, k++) {
                    p->values[k] *= p->row[r] * p->col[c];
                }
            }
        }
    }
}

// log |w| at s, after a disturbance of all psi; FLX_SINGULAR: rounding.
static flx_status respond(probe *p, double s, double *w)
{
    size_t size = flx_pattern_size(&p->s->pattern);
    for (size_t k = 0; k < size; k++) {
        p->values[k] = s * (s * p->blocks.A2[k] + p->blocks.A1[k]) + p->blocks.A0[k];
    }
    equilibrate(p);
    FLX_TRY(flx_lu_factor(p->lu, p->values));
    memset(p->b, 0, (size_t)p->n * sizeof *p->b);
    for (int i = 0; i < p->s->dims.nw; i++) {
        p->b[p->first + i] = (1.0 + 0.37 * (i % 5)) * p->row[p->first + i]; // nothing special
    }
    flx_lu_solve(p->lu, p->b);
    for (int i = 0; i < p->s->dims.nw; i++) {
        w[i] = log(fabs(p->b[p->first + i] * p->col[p->first + i]));
    }
    return FLX_OK;
}

static bool is_whole(double slope, double *power)
{
    *power = round(slope);
    return fabs(slope - *power) <= WHOLE;
}

// From the largest s down: three in a row that say the same. power (nw): -1 where nothing is known yet.
static flx_status find_powers(probe *p, double *memory, double *power)
{
    int nw = p->s->dims.nw, known = 0;
    double *w[3] = {memory, memory + nw, memory + 2 * nw};
    for (int i = 0; i < nw; i++) power[i] = -1.0;
    for (double s = LARGEST; s >= SMALLEST && known < 3 * nw; s /= STEP) {
        double *last = w[2];
        w[2] = w[1];
        w[1] = w[0];
        w[0] = last;
        flx_status status = respond(p, s, w[0]);
        if (status < 0) return status;
        if (status > 0) {
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < nw; i++) w[k][i] = (double)NAN;
            }
            continue;
        }
        known = 0;
        for (int i = 0; i < nw; i++) {
            double a, b;
            bool same = is_whole((w[1][i] - w[0][i]) / log(STEP), &a) &&
                        is_whole((w[2][i] - w[1][i]) / log(STEP), &b) && a == b;
            if (same && power[i] < 0.0) power[i] = fmax(a, 0.0);
            known += 3 * (power[i] >= 0.0);
        }
    }
    return FLX_OK;
}

flx_status flx_index_find(const flx_system *s, flx_work *work, const flx_state *x, int *index,
                          int *unknown)
{
    int nw = s->dims.nw;
    *index = nw > 0 ? 1 : 0;
    *unknown = -1;
    if (nw == 0 || s->pattern.extra > 0) return FLX_OK;
    probe p;
    double *memory = flx_alloc(s->ctx, 4 * (size_t)nw, sizeof *memory);
    flx_status status = make(s, &p);
    flx_point at = flx_state_point(s, x);
    if (!memory) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = s->ops->linearise(s, work, &at, &p.blocks);
    for (int i = 0; status == FLX_OK && i < 3 * nw; i++) memory[i] = (double)NAN;
    if (status == FLX_OK) status = find_powers(&p, memory, memory + 3 * nw);
    for (int i = 0; status == FLX_OK && i < nw; i++) {
        int own = 1 + (int)memory[3 * nw + i];
        if (own <= *index) continue;
        *index = own;
        *unknown = p.first + i;
    }
    release(&p);
    flx_free(memory);
    return status;
}
