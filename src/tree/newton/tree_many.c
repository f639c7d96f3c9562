// tree_many.c - many closures: the matrix of (TREE-12) and (TREE-13) by the factors of the Newton matrix, whose border is
// sparse where the loops are, instead of one forward dynamics for each of them.
//
// With weights of positions and rates so small that stiffness and damping vanish in the rounding, the Newton matrix is
//     [M G^T; G 0]                                                                            (SAD-1)
// but for these weights, by which rows and columns of constraints are scaled.
#include "math/pattern.h"
#include "tree/tree_parts.h"

struct flx_tree_many {
    void *factors;         // owned
    flx_blocks blocks;     // owned
    double *d;             // (n) owned
    signed char *left_out; // (n) owned
};

void flx_tree_many_destroy(flx_tree_many **made)
{
    flx_tree_many *m = *made;
    if (!m) return;
    flx_tree_factors_destroy(m->factors);
    flx_free(m->blocks.A0);
    flx_free(m->d);
    flx_free(m->left_out);
    flx_free(m);
    *made = NULL;
}

void flx_tree_many_memory(flx_tree_many *m, flx_memory *memory)
{
    flx_tree_factors_memory(m->factors, memory);
}

flx_status flx_tree_many_create(const flx_tree *t, flx_tree_many **made)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_dims *n = &t->base.dims;
    flx_ctx *ctx = t->base.ctx;
    size_t all = (size_t)flx_dims_unknowns(n);
    size_t values = (size_t)p->offset[p->row[p->nblock]] + (size_t)p->extra;
    flx_tree_many *m = *made = flx_alloc(ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    m->factors = flx_tree_factors_create(&t->base, false);
    m->blocks.A0 = flx_alloc(ctx, 3 * values, sizeof *m->blocks.A0);
    m->d = flx_alloc(ctx, all, sizeof *m->d);
    m->left_out = flx_alloc(ctx, all, sizeof *m->left_out);
    if (!m->factors || !m->blocks.A0 || !m->d || !m->left_out) {
        flx_tree_many_destroy(made);
        return FLX_ERR_MEMORY;
    }
    m->blocks.A1 = m->blocks.A0 + values;
    m->blocks.A2 = m->blocks.A1 + values;
    return FLX_OK;
}

static void choose_rows(const flx_tree *t, const double *switches, signed char *left_out)
{
    int n = flx_dims_unknowns(&t->base.dims), first = n - flx_tree_rows(t);
    for (int i = t->base.dims.nv; i < n; i++) {
        left_out[i] = i < first || flx_row_gives(flx_tree_inner(t), i - first, switches);
    }
}

flx_status flx_tree_many_factor(const flx_tree *t, flx_tree_work *w, const flx_state *x)
{
    const double c[4] = {FLX_SMALL_POSITION, FLX_SMALL_RATE, 1.0, 1.0};
    flx_tree_many *m = w->many;
    flx_point p = flx_state_point(&t->base, x);
    choose_rows(t, x->switches, m->left_out);
    FLX_TRY(flx_tree_linearise(&t->base, &w->base, &p, &m->blocks));
    return flx_tree_factor(&t->base, &m->blocks, c, NULL, m->left_out, m->factors);
}

const double *flx_tree_many_solve(const flx_tree *t, flx_tree_work *w)
{
    const flx_tree_many *m = w->many;
    const flx_row_info *rows = flx_tree_inner(t)->rows;
    int n = flx_dims_unknowns(&t->base.dims), first = n - flx_tree_rows(t);
    memset(m->d, 0, (size_t)n * sizeof *m->d);
    for (int i = first; i < n; i++) {
        const flx_row_info *r = rows + i - first;
        bool rate = i - first >= t->base.dims.nlam;
        double weight = rate         ? FLX_SMALL_RATE
                        : r->tau > 0 ? r->tau * FLX_SMALL_RATE
                                     : r->sigma * FLX_SMALL_POSITION;
        if (!m->left_out[i]) m->d[i] = -weight * w->rhs[i - first];
    }
    (void)flx_tree_solve(&t->base, m->factors, m->d, NULL);
    for (int i = first; i < n; i++) w->rhs[i - first] = FLX_SMALL_POSITION * m->d[i];
    return m->d;
}
