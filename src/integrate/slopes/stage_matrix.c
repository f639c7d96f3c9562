// stage_matrix.c - see stage_matrix.h. Every number of stages has a pattern of its own, made where it is first met; where its
// numbers go is found then, too.
#include "integrate/slopes/stage_matrix.h"

#include "math/lu.h"
#include "math/pattern.h"

#include <string.h>

// Numbers of a matrix, at most: beyond, differences of runs are cheaper.
#define MOST_NUMBERS 20000000L

typedef struct form {
    flx_arena *arena; // owned; NULL: not made yet
    flx_pattern pattern;
    int *slot; // (count) where the numbers go, in the order in which they come
    int *back; // ... of the transposed matrix
    long count;
    double *values;
    flx_lu *lu[2]; // plain, transposed; owned
} form;

struct flx_stage_matrix {
    const flx_system *sys;
    flx_stage_rows rows; // borrowed
    int size;            // of a stage
    form forms[COLLOCATION_STAGES + 1];
    double *row, *col; // (size) scales
    const form *made;
    int which;
    void *block;
};

int flx_stage_size(const flx_dims *d)
{
    return flx_dims_unknowns(d) + d->nv + d->nlam;
}

void flx_stage_scales(const flx_dims *d, double h, double *row, double *col)
{
    int n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    for (int i = 0; i < n; i++) {
        row[i] = col[i] = 1.0;
        if (i < d->nv) col[i] = h * h;
        if (i >= d->nv && i < d->nv + d->nx) row[i] = h;
        if (i >= first) row[i] = i < first + d->nlam ? 1.0 / (h * h) : 1.0 / h;
    }
    for (int i = n; i < n + d->nv + d->nlam; i++) {
        row[i] = 1.0 / h;
        col[i] = h;
    }
}

// ---- numbers in their order -----------------------------------------------------------------------

typedef struct walk {
    const flx_stage_matrix *m;
    const collocation_tableau *t;
    double h;
    int stage;
    // either keys are collected, or values put in their places
    long long *keys;
    double *values;
    const int *slot;
    long count, room;
} walk;

static void put(walk *w, int stage_row, int row, int stage_col, int col, double value)
{
    int size = w->m->size;
    if (w->values) {
        w->values[w->slot[w->count]] += w->m->row[row] * w->m->col[col] * value;
    } else if (w->keys) {
        long long all = (long long)w->t->s * size;
        w->keys[w->count] =
            ((long long)stage_row * size + row) * all + (long long)stage_col * size + col;
    }
    w->count++;
}

static void take(void *user, int r, int c, double a0, double a1, double a2)
{
    walk *w = user;
    const flx_stage_matrix *m = w->m;
    const flx_dims *d = &m->sys->dims;
    int i = w->stage, n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    put(w, i, r, i, c, a0);
    if (c < d->nv) put(w, i, r, i, n + c, a1);
    for (int j = 0; j < w->t->s; j++) {
        double a = w->t->Ai[i][j] / w->h;
        if (c < d->nv) put(w, i, r, j, n + c, a * a2);
        if (c >= d->nv && c < d->nv + d->nx) put(w, i, r, j, c, a * a1);
    }
    int k = r - first;
    if (!m->rows.ggl || k < 0 || k >= d->nlam || c >= d->nv || !m->rows.on_position[k]) return;
    double G = a0 / m->rows.sigma[k];
    put(w, i, n + d->nv + k, i, n + c, G);
    put(w, i, n + c, i, n + d->nv + k, -G / m->rows.metric[c]);
}

static flx_status walk_all(walk *w, flx_work *work, flx_step_matrix *const *stage)
{
    const flx_stage_matrix *m = w->m;
    const flx_dims *d = &m->sys->dims;
    int n = flx_dims_unknowns(d), s = w->t->s;
    w->count = 0;
    for (int i = 0; i < s; i++) {
        w->stage = i;
        FLX_TRY(flx_step_matrix_each(stage[i], work, take, w));
        for (int k = 0; k < d->nv; k++) {
            put(w, i, n + k, i, n + k, 1.0);
            for (int j = 0; j < s; j++) put(w, i, n + k, j, k, -w->t->Ai[i][j] / w->h);
        }
        for (int k = 0; k < d->nlam; k++) {
            bool plain = !m->rows.ggl || !m->rows.on_position[k];
            put(w, i, n + d->nv + k, i, n + d->nv + k, plain ? 1.0 : 0.0);
        }
    }
    return FLX_OK;
}

// ---- patterns -------------------------------------------------------------------------------------

static flx_status make_form(flx_stage_matrix *m, flx_work *work, const collocation_tableau *t,
                            flx_step_matrix *const *stage)
{
    form *f = m->forms + t->s;
    walk w = {.m = m, .t = t, .h = 1.0};
    FLX_TRY(walk_all(&w, work, stage));
    long long all = (long long)t->s * m->size;
    if (w.count > MOST_NUMBERS) {
        return FLX_FAIL(m->sys->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the stages of a step have %ld numbers in their matrix, too many for "
                        "derivatives: take generalized-alpha with a given step, or differences",
                        w.count);
    }
    f->arena = flx_arena_create(m->sys->ctx);
    if (!f->arena) return FLX_ERR_MEMORY;
    f->count = w.count;
    size_t count = (size_t)w.count;
    int *start = flx_arena_take(f->arena, (size_t)all + 1, sizeof *start);
    f->slot = flx_arena_take(f->arena, count, sizeof *f->slot);
    f->back = flx_arena_take(f->arena, count, sizeof *f->back);
    w.keys = flx_alloc(m->sys->ctx, 3 * count, sizeof *w.keys);
    if (!start || !f->slot || !f->back || !w.keys) {
        flx_free(w.keys);
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i <= (int)all; i++) start[i] = i;
    flx_status status = walk_all(&w, work, stage);
    long long *sorted = w.keys + count;
    for (size_t k = 0; k < count; k++) { // and those across the diagonal
        sorted[2 * k] = w.keys[k];
        sorted[2 * k + 1] = w.keys[k] % all * all + w.keys[k] / all;
    }
    if (status == FLX_OK)
        status = flx_pattern_make(f->arena, (int)all, start, 2 * (int)count, sorted, &f->pattern);
    for (size_t k = 0; k < count && status == FLX_OK; k++) {
        int row = (int)(w.keys[k] / all), col = (int)(w.keys[k] % all);
        f->slot[k] = f->pattern.offset[flx_pattern_find(&f->pattern, row, col)];
        f->back[k] = f->pattern.offset[flx_pattern_find(&f->pattern, col, row)];
    }
    flx_free(w.keys);
    FLX_TRY(status);
    f->values = flx_arena_take(f->arena, flx_pattern_size(&f->pattern), sizeof *f->values);
    return f->values ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_stage_matrix_create(const flx_system *s, const flx_stage_rows *rows,
                                   flx_stage_matrix **out)
{
    flx_stage_matrix *m = flx_alloc(s->ctx, 1, sizeof *m);
    *out = m;
    if (!m) return FLX_ERR_MEMORY;
    m->sys = s;
    m->rows = *rows;
    m->size = flx_stage_size(&s->dims);
    m->row = flx_alloc(s->ctx, 2 * (size_t)m->size, sizeof *m->row);
    m->block = m->row;
    m->col = m->row + m->size;
    if (!m->row) flx_stage_matrix_destroy(out);
    return *out ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_stage_matrix_destroy(flx_stage_matrix **m)
{
    if (!m || !*m) return;
    for (int k = 0; k <= COLLOCATION_STAGES; k++) {
        form *f = (*m)->forms + k;
        for (int i = 0; i < 2; i++) flx_lu_destroy(&f->lu[i]);
        flx_arena_destroy(&f->arena);
    }
    flx_free((*m)->block);
    flx_free(*m);
    *m = NULL;
}

// ---- factors --------------------------------------------------------------------------------------

flx_status flx_stage_matrix_factor(flx_stage_matrix *m, flx_work *w, const collocation_tableau *t,
                                   double h, flx_step_matrix *const *stage, bool transposed)
{
    form *f = m->forms + t->s;
    int k = transposed ? 1 : 0;
    if (!f->arena) FLX_TRY(make_form(m, w, t, stage));
    memset(f->values, 0, flx_pattern_size(&f->pattern) * sizeof *f->values);
    flx_stage_scales(&m->sys->dims, h, m->row, m->col);
    walk fill = {
        .m = m, .t = t, .h = h, .values = f->values, .slot = transposed ? f->back : f->slot};
    FLX_TRY(walk_all(&fill, w, stage));
    if (!f->lu[k]) FLX_TRY(flx_lu_create(m->sys->ctx, &f->pattern, false, &f->lu[k]));
    m->made = f;
    m->which = k;
    return flx_lu_factor(f->lu[k], f->values);
}

void flx_stage_matrix_solve(const flx_stage_matrix *m, double *b)
{
    flx_lu_solve(m->made->lu[m->which], b);
}
