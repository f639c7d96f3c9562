// algebraic.c - algebraic variables w whose equations are linear in them, solved over nodes:
//     A w + b = 0,   A = dpsi/dw,   b = psi at w = 0                                      (XPT-5)
// A and b are functions of bodies, joints, states and time; what depends on w then depends on these.
#include "export/symbolic.h"

#include <math.h>

typedef struct equations {
    int n;
    flx_node *A; // (n x n)
    flx_node *b; // (n)
} equations;

static bool is_algebraic(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_ALGEBRAIC;
}

static flx_node without_algebraic(flx_graph *g, void *user, flx_leaf leaf)
{
    return is_algebraic(user, leaf) ? node_const(g, 0.0) : flx_graph_leaf(g, leaf);
}

static flx_status refuse(const flx_symbolic *x, const flx_first_order *f, const char *what)
{
    return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, f->loc,
                    "the algebraic variable '%s' cannot be exported: %s; solve its equation for it "
                    "and write it as a function",
                    f->name, what);
}

// Row `number` of the equations, taken.
static flx_status take_row(flx_symbolic *x, const flx_first_order *f, const equations *e)
{
    flx_graph *g = x->g;
    flx_substitution zero = {.g = g, .rule = without_algebraic};
    flx_symbolic_about(x, f->name, f->loc);
    flx_node psi = flx_symbolic_take(x, f->derivative);
    FLX_TRY(flx_symbolic_status(x, psi));
    for (int j = 0; j < e->n; j++) {
        flx_leaf w = flx_leaf_make(FLX_LEAF_ALGEBRAIC, j, 0);
        flx_node slope = flx_graph_derive(g, psi, flx_leaf_partial, &w);
        FLX_TRY(flx_symbolic_status(x, slope));
        if (flx_graph_depends(g, slope, is_algebraic, NULL)) {
            return refuse(x, f, "its equation is not linear in the algebraic variables");
        }
        e->A[e->n * f->number + j] = slope;
    }
    e->b[f->number] = node_neg(g, flx_graph_substitute(&zero, psi));
    flx_substitution_clear(&zero);
    return flx_symbolic_status(x, e->b[f->number]);
}

// The row from k on whose entry of column k is a number, the largest, or else not zero; -1: none.
static int find_pivot(const flx_symbolic *x, const equations *e, int k)
{
    int best = -1;
    double most = 0.0;
    for (int i = k; i < e->n; i++) {
        double value = 0.0;
        bool number = flx_graph_is_const(x->g, e->A[e->n * i + k], &value);
        if (number && fabs(value) > most) best = i, most = fabs(value);
        if (!number && best < 0) best = i;
    }
    return best;
}

static void swap_rows(const equations *e, int i, int k)
{
    flx_node keep = e->b[i];
    e->b[i] = e->b[k];
    e->b[k] = keep;
    for (int j = 0; j < e->n; j++) {
        keep = e->A[e->n * i + j];
        e->A[e->n * i + j] = e->A[e->n * k + j];
        e->A[e->n * k + j] = keep;
    }
}

// Gauss; the solution in b. False: a column of zeros.
static bool solve(const flx_symbolic *x, const equations *e)
{
    flx_graph *g = x->g;
    int n = e->n;
    for (int k = 0; k < n; k++) {
        int pivot = find_pivot(x, e, k);
        if (pivot < 0) return false;
        swap_rows(e, pivot, k);
        for (int i = k + 1; i < n; i++) {
            flx_node factor = node_div(g, e->A[n * i + k], e->A[n * k + k]);
            for (int j = k + 1; j < n; j++) {
                flx_node *a = e->A + n * i + j;
                *a = node_sub(g, *a, node_mul(g, factor, e->A[n * k + j]));
            }
            e->b[i] = node_sub(g, e->b[i], node_mul(g, factor, e->b[k]));
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            e->b[i] = node_sub(g, e->b[i], node_mul(g, e->A[n * i + j], e->b[j]));
        }
        e->b[i] = node_div(g, e->b[i], e->A[n * i + i]);
    }
    return true;
}

flx_status flx_symbolic_algebraic(flx_symbolic *x)
{
    const flx_model *m = x->m;
    equations e = {.n = m->nalgebraic};
    size_t n = (size_t)e.n;
    const flx_first_order *one = m->firsts;
    e.A = flx_arena_take(x->arena, n * n, sizeof *e.A);
    e.b = flx_arena_take(x->arena, n, sizeof *e.b);
    if (!e.A || !e.b) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nfirst; i++) {
        if (!m->firsts[i].algebraic) continue;
        one = m->firsts + i;
        FLX_TRY(take_row(x, one, &e));
    }
    if (!solve(x, &e)) return refuse(x, one, "the algebraic equations do not determine it");
    x->algebraic = e.b;
    return FLX_OK;
}
