// blocks.c - the three matrices of one linearisation: their life, one of them in full, the masses.
#include "integrate/newton_matrix.h"
#include "math/pattern.h"

flx_status flx_blocks_create(const flx_system *s, flx_blocks *b)
{
    size_t n = flx_pattern_size(&s->pattern) + (size_t)s->pattern.extra;
    double *all = flx_alloc(s->ctx, 3 * n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    *b = (flx_blocks){all, all + n, all + 2 * n};
    return FLX_OK;
}

void flx_blocks_destroy(flx_blocks *b)
{
    flx_free(b->A0);
    *b = (flx_blocks){NULL, NULL, NULL};
}

static void spread_entries(const flx_system *s, const double *values, double *A)
{
    const flx_pattern *p = &s->pattern;
    int n = flx_dims_unknowns(&s->dims);
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], nj = p->start[j + 1] - p->start[j];
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                memcpy(A + r * n + p->start[j], values + p->offset[e] + (r - p->start[i]) * nj,
                       (size_t)nj * sizeof *A);
            }
        }
    }
}

void flx_blocks_spread(const flx_system *s, flx_work *w, const flx_blocks *b, int which, double *u,
                       double *A)
{
    const double *const values[3] = {b->A0, b->A1, b->A2};
    int n = flx_dims_unknowns(&s->dims);
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    spread_entries(s, values[which], A);
    const double one[3] = {1.0, 1.0, 1.0};
    const double *along[3] = {NULL, NULL, NULL};
    double *column = u + n;
    along[which] = u;
    memset(u, 0, (size_t)n * sizeof *u);
    for (int j = 0; j < s->dims.nv && s->pattern.extra > 0; j++) { // what the pattern leaves out
        u[j] = 1.0;
        memset(column, 0, (size_t)n * sizeof *column);
        s->ops->product(s, w, b, one, along, column);
        for (int i = 0; i < n; i++) A[i * n + j] = column[i];
        u[j] = 0.0;
    }
}

void flx_blocks_masses(const flx_system *s, const flx_blocks *blocks, double *mass)
{
    const flx_pattern *p = &s->pattern;
    memset(mass, 0, (size_t)s->dims.nv * sizeof *mass);
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        int n = p->start[i + 1] - p->start[i], e = p->row[i];
        while (p->col[e] != i) e++;
        for (int r = 0; r < n; r++) {
            mass[p->start[i] + r] = blocks->A2[p->offset[e] + r * n + r];
        }
    }
}

void flx_blocks_memory(const flx_system *s, flx_blocks *b, flx_memory *m)
{
    flx_memory_numbers(m, b->A0, 3 * (flx_pattern_size(&s->pattern) + (size_t)s->pattern.extra));
}
