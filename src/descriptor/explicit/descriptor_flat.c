// descriptor_flat.c - accelerations of equations as one program.
//
// Where a system consists of equations alone, masses M, gradients G and A, forces and bias are nodes
// of the graph, and so can be the solution of (EXP-1): the matrix is eliminated once, symbolically,
//     K = [M G^T A^T; G; A] = L D L^T
// without pivoting, velocities before constraints. What is constant is folded, what is zero never
// computed, and one program gives accelerations, multipliers and rates of states. With it come the
// pivots over what they were before others of their kind were subtracted; where one is small the
// caller takes the general way, which pivots, refines and says what is wrong.
#include "descriptor/terms/expression_items.h"

#define MOST_UNKNOWNS 64 // beyond it sparse blocks are faster
#define MOST_MULTIPLICATIONS 4000

typedef struct elimination {
    flx_graph *g;
    const flx_descriptor *d;
    int n, nv;                // unknowns: velocities, constraints, velocity-level constraints
    flx_node *K;              // (n x n) lower triangle; -1: zero
    flx_node *b;              // (n) right-hand side, then the solution
    flx_node *base, *inverse; // (n) pivot before its own kind, one over the pivot
    int multiplications;
    bool failed; // no memory
} elimination;

static flx_node *entry(const elimination *e, int i, int j)
{
    return i >= j ? e->K + i * e->n + j : e->K + j * e->n + i;
}

static flx_node operate(elimination *e, flx_op op, flx_node a, flx_node b)
{
    flx_node n = flx_graph_binary(e->g, op, a, b);
    if (n < 0) e->failed = true;
    return n;
}

static void add(elimination *e, flx_node *to, flx_node what, bool minus)
{
    if (*to < 0 && !minus) {
        *to = what;
    } else {
        if (*to < 0) *to = flx_graph_const(e->g, 0.0);
        *to = operate(e, minus ? FLX_OP_SUB : FLX_OP_ADD, *to, what);
    }
}

static flx_node group_node(const flx_descriptor *d, flx_expr_group_kind kind, int i)
{
    return d->expr.group[kind].nodes[i];
}

// Masses and forces; rows of states and algebraic unknowns are not part of the matrix.
static void place_rows(elimination *e, flx_node *dx)
{
    const flx_descriptor *d = e->d;
    const flx_expr_items *x = flx_items_of(d);
    const flx_dims *n = &d->base.dims;
    for (int i = 0; x && i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        flx_node value = group_node(d, FLX_GROUP_VALUE, d->expr.channels[r->channel].value);
        if (r->acceleration > r->row) continue; // symmetric
        if (r->acceleration >= 0) {
            add(e, entry(e, r->row, r->acceleration), value, r->sign < 0);
        } else if (r->row < n->nv) {
            add(e, e->b + r->row, value, r->sign > 0);
        } else if (r->row < n->nv + n->nx) {
            add(e, dx + r->row - n->nv, value, r->sign > 0);
        }
    }
}

static void place_constraints(elimination *e)
{
    const flx_descriptor *d = e->d;
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        int row = e->nv + (b->velocity ? d->base.dims.nlam : 0) + b->row;
        for (int k = 0; k < b->ndep; k++) {
            *entry(e, row, b->unknown[k]) = group_node(d, FLX_GROUP_CONSTRAINT, b->out + 1 + k);
        }
        add(e, e->b + row, group_node(d, FLX_GROUP_BIAS, b->bias), true);
    }
}

// K <- L below the diagonal, D on it. False: a pivot is zero, or it is too much work.
static bool factor(elimination *e)
{
    flx_node one = flx_graph_const(e->g, 1.0);
    for (int k = 0; k < e->n; k++) {
        double value;
        if (k == 0 || k == e->nv) {
            for (int i = k; i < (k < e->nv ? e->nv : e->n); i++) e->base[i] = *entry(e, i, i);
        }
        flx_node d = *entry(e, k, k);
        if (d < 0 || (flx_graph_is_const(e->g, d, &value) && value == 0.0)) return false;
        e->inverse[k] = operate(e, FLX_OP_DIV, one, d);
        for (int j = k + 1; j < e->n && !e->failed; j++) {
            flx_node x = *entry(e, j, k);
            if (x < 0) continue;
            for (int i = j; i < e->n && !e->failed; i++) {
                if (*entry(e, i, k) < 0) continue;
                flx_node l = operate(e, FLX_OP_MUL, *entry(e, i, k), e->inverse[k]);
                if (!e->failed) add(e, entry(e, i, j), operate(e, FLX_OP_MUL, l, x), true);
                if (++e->multiplications > MOST_MULTIPLICATIONS) return false;
            }
        }
        for (int i = k + 1; i < e->n && !e->failed; i++) {
            flx_node *l = entry(e, i, k);
            if (*l >= 0) *l = operate(e, FLX_OP_MUL, *l, e->inverse[k]);
        }
        if (e->failed) return false;
    }
    return true;
}

static void solve(elimination *e)
{
    flx_node *b = e->b;
    for (int k = 0; k < e->n && !e->failed; k++) {
        for (int i = k + 1; i < e->n && b[k] >= 0 && !e->failed; i++) {
            flx_node l = *entry(e, i, k);
            if (l >= 0) add(e, b + i, operate(e, FLX_OP_MUL, l, b[k]), true);
        }
    }
    for (int k = e->n - 1; k >= 0 && !e->failed; k--) {
        if (b[k] >= 0) b[k] = operate(e, FLX_OP_MUL, b[k], e->inverse[k]);
        for (int i = k + 1; i < e->n && !e->failed; i++) {
            flx_node l = *entry(e, i, k);
            if (l >= 0 && b[i] >= 0) add(e, b + k, operate(e, FLX_OP_MUL, l, b[i]), true);
        }
    }
}

static bool is_flat(const flx_descriptor *d)
{
    const flx_dims *n = &d->base.dims;
    for (int i = 0; i < d->expr.nconstraint; i++) {
        if (d->expr.constraints[i].C > 0) return false;
    }
    const flx_expr_items *x = flx_items_of(d);
    if (x && x->nwrench + x->neffort > 0) return false;
    return d->model->nbody == 0 && d->nscalar == 0 && d->nvscalar == 0 && d->ngroup == 0 &&
           !d->base.reads_multipliers && n->nlam + n->nmu == d->expr.nconstraint &&
           n->nv + n->nlam + n->nmu <= MOST_UNKNOWNS;
}

// Everything as nodes in order: accelerations, multipliers, rates of states, ratios of pivots.
static int list_outputs(elimination *e, const flx_node *dx, flx_node *out, int *nratio)
{
    int n = 0;
    flx_node zero = flx_graph_const(e->g, 0.0);
    for (int i = 0; i < e->n; i++) out[n++] = e->b[i] < 0 ? zero : e->b[i];
    for (int i = 0; i < e->d->base.dims.nx; i++) out[n++] = dx[i] < 0 ? zero : dx[i];
    *nratio = 0;
    for (int i = 0; i < e->n && !e->failed; i++) {
        flx_node pivot = *entry(e, i, i);
        if (pivot == e->base[i]) continue;
        out[n++] = operate(e, FLX_OP_DIV, pivot, e->base[i]);
        ++*nratio;
    }
    return n;
}

static flx_status make(elimination *e, flx_node *dx, flx_node *out)
{
    flx_flat *f = (flx_flat *)&e->d->expr.flat;
    for (int i = 0; i < e->n * e->n; i++) e->K[i] = -1;
    for (int i = 0; i < e->n; i++) e->b[i] = -1;
    for (int i = 0; i < e->d->base.dims.nx; i++) dx[i] = -1;
    place_rows(e, dx);
    place_constraints(e);
    bool done = !e->failed && factor(e);
    if (done) solve(e);
    if (done) f->n = list_outputs(e, dx, out, &f->nratio);
    if (e->failed) return FLX_ERR_MEMORY;
    if (!done) return FLX_OK;
    flx_descriptor *d = (flx_descriptor *)e->d;
    FLX_TRY(flx_expr_hoist_more(d, f->n, out));
    return flx_program_compile(e->g, d->expr.ninput, d->expr.leaves, f->n, out, &f->program);
}

flx_status flx_flat_compile(flx_descriptor *d)
{
    const flx_dims *n = &d->base.dims;
    if (!is_flat(d)) return FLX_OK;
    elimination e = {.g = d->model->graph, .d = d, .n = n->nv + n->nlam + n->nmu, .nv = n->nv};
    size_t rows = (size_t)e.n;
    flx_node *all = flx_alloc(d->base.ctx, rows * (rows + 5) + 2 * (size_t)n->nx, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    e.K = all;
    e.b = e.K + rows * rows;
    e.base = e.b + rows;
    e.inverse = e.base + rows;
    flx_node *dx = e.inverse + rows, *out = dx + n->nx;
    flx_status status = make(&e, dx, out);
    flx_free(all);
    return status;
}
