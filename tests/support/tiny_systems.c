// tiny_systems.c - small systems of every kind: making them; see tiny_systems.h for their equations.
#include "tiny_parts.h"

// ---- pattern --------------------------------------------------------------------------------

static int find_entry(const flx_pattern *p, int i, int j)
{
    for (int e = p->row[i]; e < p->row[i + 1]; e++) {
        if (p->col[e] == j) return e;
    }
    return -1;
}

int tiny_make_pattern(tiny *t, int nblock, const int *size, const char *coupled)
{
    int nentry = 0;
    for (int k = 0; k < nblock * nblock; k++) nentry += coupled[k] != 0;
    t->start = calloc((size_t)nblock + 1, sizeof(int));
    t->row = calloc((size_t)nblock + 1, sizeof(int));
    t->col = calloc((size_t)nentry + 1, sizeof(int));
    t->offset = calloc((size_t)nentry + 1, sizeof(int));
    t->transpose = calloc((size_t)nentry + 1, sizeof(int));
    t->pair = calloc((size_t)nblock + 1, sizeof(int));
    if (!t->start || !t->row || !t->col || !t->offset || !t->transpose || !t->pair) return 0;
    int e = 0;
    for (int i = 0; i < nblock; i++) {
        t->start[i + 1] = t->start[i] + size[i];
        t->row[i] = e;
        t->pair[i] = -1;
        for (int j = 0; j < nblock; j++) {
            if (!coupled[i * nblock + j]) continue;
            t->col[e] = j;
            t->offset[e + 1] = t->offset[e] + size[i] * size[j];
            e++;
        }
    }
    t->row[nblock] = e;
    t->base.pattern = (flx_pattern){.nblock = nblock,
                                    .start = t->start,
                                    .row = t->row,
                                    .col = t->col,
                                    .offset = t->offset,
                                    .transpose = t->transpose,
                                    .pair = t->pair,
                                    .version = 1};
    for (int i = 0; i < nblock; i++) {
        for (int k = t->row[i]; k < t->row[i + 1]; k++) {
            t->transpose[k] = find_entry(&t->base.pattern, t->col[k], i);
        }
    }
    return 1;
}

int tiny_make_dense_pattern(tiny *t)
{
    const flx_dims *d = &t->base.dims;
    int size[5] = {d->nv, d->nx, d->nw, d->nlam, d->nmu}, kept[5], n = 0;
    char coupled[25];
    for (int k = 0; k < 5; k++) {
        if (size[k]) kept[n++] = size[k];
    }
    memset(coupled, 1, sizeof coupled);
    return tiny_make_pattern(t, n, kept, coupled);
}

void tiny_put(const flx_pattern *p, double *A, int i, int j, double value)
{
    int bi = 0, bj = 0;
    while (i >= p->start[bi + 1]) bi++;
    while (j >= p->start[bj + 1]) bj++;
    int e = find_entry(p, bi, bj);
    int width = p->start[bj + 1] - p->start[bj];
    A[p->offset[e] + (i - p->start[bi]) * width + (j - p->start[bj])] += value;
}

double tiny_get(const flx_pattern *p, const double *A, int i, int j)
{
    int bi = 0, bj = 0;
    while (i >= p->start[bi + 1]) bi++;
    while (j >= p->start[bj + 1]) bj++;
    int e = find_entry(p, bi, bj);
    if (e < 0) return 0.0;
    int width = p->start[bj + 1] - p->start[bj];
    return A[p->offset[e] + (i - p->start[bi]) * width + (j - p->start[bj])];
}

static size_t value_count(const flx_pattern *p)
{
    return (size_t)p->offset[p->row[p->nblock]];
}

void tiny_clear_blocks(const flx_pattern *p, flx_blocks *b)
{
    size_t bytes = value_count(p) * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
}

// ---- chart ----------------------------------------------------------------------------------

static void flat_retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    for (int i = 0; i < s->dims.nv; i++) out[i] = q[i] + theta[i];
}
static void flat_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    for (int i = 0; i < s->dims.nv; i++) theta[i] = q1[i] - q0[i];
}
static void flat_map(const flx_system *s, const double *theta, const double *u, double *out)
{
    (void)theta;
    memmove(out, u, (size_t)s->dims.nv * sizeof *u);
}

// ---- common ---------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    tiny_work *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->base.system = s;
    size_t n = value_count(&s->pattern);
    w->values = calloc(3 * n + 1, sizeof(double));
    if (!w->values) {
        s->ops->work_destroy(&w->base);
        return NULL;
    }
    w->blocks = (flx_blocks){w->values, w->values + n, w->values + 2 * n};
    return &w->base;
}

static void work_destroy(flx_work *work)
{
    tiny_work *w = (tiny_work *)work;
    if (!w) return;
    free(w->values);
    free(w);
}

static void destroy(flx_system *s)
{
    tiny *t = (tiny *)s;
    free(t->masses);
    free(t->constraints);
    free(t->start);
    free(t->row);
    free(t->col);
    free(t->offset);
    free(t->transpose);
    free(t->pair);
    free(t);
}

// Names by number, so that a message can be tested.
static void unknown(const flx_system *s, int i, flx_unknown *info)
{
    static const char *const item[5] = {"mass", "state", "variable", "rod", "edge"};
    static const char *const part[8] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    const flx_dims *d = &s->dims;
    int first[6] = {0, d->nv, 0, 0, 0, 0};
    first[2] = first[1] + d->nx;
    first[3] = first[2] + d->nw;
    first[4] = first[3] + d->nlam;
    first[5] = first[4] + d->nmu;
    int kind = 0;
    while (i >= first[kind + 1]) kind++;
    *info = (flx_unknown){.kind = (flx_unknown_kind)kind,
                          .index = kind == 3   ? 3
                                   : kind == 4 ? 2
                                               : kind == 2,
                          .scale = 1.0,
                          .sigma = kind == 3,
                          .lower = -HUGE_VAL,
                          .upper = HUGE_VAL,
                          .item = item[kind],
                          .part = part[(i - first[kind]) % 8],
                          .loc = FLX_NOWHERE};
    const tiny *t = as_tiny(s);
    if (kind == 3 && t->constraints) {
        const net_constraint *b = &t->constraints[i - first[3]];
        info->sigma = b->sigma;
        info->tau = b->tau;
        info->C = b->C;
        info->index = b->C != 0.0 ? 1 : b->tau != 0.0 ? 2 : 3;
        info->scale = b->length;
    }
}

// ---- making one -----------------------------------------------------------------------------

static const flx_system_ops flat_ops = {.name = "tiny",
                                        .retract = flat_retract,
                                        .difference = flat_difference,
                                        .velocity = flat_map,
                                        .rate = flat_map,
                                        .velocity_t = flat_map,
                                        .rate_t = flat_map,
                                        .unknown = unknown,
                                        .work_create = work_create,
                                        .work_destroy = work_destroy,
                                        .destroy = destroy,
                                        .explicit_form = &tiny_explicit,
                                        .lagrangian = &tiny_lagrangian};

tiny *tiny_create(flx_ctx *ctx, const char *title, flx_dims dims)
{
    tiny *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->ops = flat_ops;
    t->base = (flx_system){.ops = &t->ops, .ctx = ctx, .dims = dims, .title = title};
    return t;
}

flx_system *tiny_finish(tiny *t, int ok)
{
    if (ok) return &t->base;
    if (t) destroy(&t->base);
    return NULL;
}

// ---- changes --------------------------------------------------------------------------------

void tiny_without_explicit(flx_system *s)
{
    ((tiny *)s)->ops.explicit_form = NULL;
}

static flx_status broken_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const tiny *t = as_tiny(s);
    flx_status status = t->whole(s, w, p, r);
    if (p->t > t->broken_after) r[0] = (double)NAN;
    return status;
}

void tiny_break_after(flx_system *s, double t)
{
    tiny *x = (tiny *)s;
    x->whole = x->ops.residual;
    x->broken_after = t;
    x->ops.residual = broken_residual;
}
