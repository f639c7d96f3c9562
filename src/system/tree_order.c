// tree_order.c - multipliers of closures that are taken out of the Newton matrix among the links.
//
// Once the joints of links p and outboard are out, the multiplier of a closure g has the pivot
// - g D^-1 g^T of these joints: it can go as soon as they determine it. Rows are eliminated from the last
// joint inwards,
//     a row goes with the first joint at which its rest is large enough,                         (TRN-5)
// and the multiplier is taken out after the link of that joint. Then a loop is out when its own joints
// are, whatever it hangs on. But links that the row still knows are tied to each other then. Where loops are short, it
// goes when all of them are out, after the last link on its ways: then it is tied to where these meet alone, and no front
// has partners for its sake. Few closures stay in the border, where they are factored with pivots.
#include "system/tree_parts.h"

// What is left of a row along a joint, of its size along the joints next to it.
#define LARGE 0.1
#define NEXT_JOINTS 8

// Other unknowns that are tied to those of their own block alone.
static bool stands_alone(const flx_tree *t, int unknown)
{
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_pattern *p = &d->base.pattern;
    int block = d->block_of[unknown];
    for (int e = p->row[block]; e < p->row[block + 1]; e++) {
        if (p->start[p->col[e]] >= d->variable_v && p->col[e] != block) return false;
    }
    return true;
}

// The size of a row: the largest of its numbers along the last joints that it moves.
static double size_of(int n, const double *g)
{
    double most = 0.0;
    for (int j = n - 1, met = 0; j >= 0 && met < NEXT_JOINTS; j--) {
        most = fmax(most, fabs(g[j]));
        met += g[j] != 0.0;
    }
    return most;
}

// Takes a row out of the others along column j.
static void eliminate(int rows, int nv, const double *size, int best, int j, double *G)
{
    const double *by = G + (size_t)best * (size_t)nv;
    for (int i = 0; i < rows; i++) {
        double *g = G + (size_t)i * (size_t)nv, f = g[j] / by[j];
        if (i == best || !(size[i] > 0.0) || f == 0.0) continue;
        for (int k = 0; k < j; k++) g[k] -= f * by[k];
        g[j] = 0.0;
    }
}

// Rows of the closures in G (rows x nv), which is used up; size (rows): zero for those that stay.
static void choose(const flx_tree *t, int rows, double *G, double *size, int *after)
{
    int nv = t->base.dims.nv;
    for (int link = t->t.k.n - 1; link >= 0; link--) {
        const flx_link *l = t->t.links + link;
        for (int k = flx_link_freedom(l->kind, t->t.k.planar) - 1; k >= 0; k--) {
            int j = l->v + k, best = -1;
            double most = LARGE;
            for (int i = 0; i < rows; i++) {
                double part =
                    size[i] > 0.0 ? fabs(G[(size_t)i * (size_t)nv + (size_t)j]) / size[i] : 0.0;
                if (!(part > most)) continue;
                most = part;
                best = i;
            }
            if (best < 0) continue;
            eliminate(rows, nv, size, best, j, G);
            size[best] = 0.0;
            after[best] = link;
        }
    }
}

// By the rows along the joints at the state x.
static flx_status order_early(flx_tree *t, const flx_state *x, int others)
{
    int rows = flx_tree_rows(t), nv = t->base.dims.nv;
    flx_work *work = flx_tree_work_create(&t->base);
    flx_tree_work *w = flx_tree_work_of(work);
    if (!work) return FLX_ERR_MEMORY;
    flx_point p = flx_state_point(&t->base, x), b = flx_tree_carry(t, w, &p);
    const flx_descriptor *d = flx_tree_inner(t);
    flx_tree_closures(t, w, &b);
    for (int i = 0; i < t->t.k.n; i++) { // metres to radians
        const flx_link *l = t->t.links + i;
        int freedom = flx_link_turns(l->kind) ? 0 : flx_link_freedom(l->kind, t->t.k.planar);
        for (int k = 0; k < freedom * rows; k++) {
            w->G[(size_t)(k / freedom) * (size_t)nv + (size_t)(l->v + k % freedom)] *= d->length;
        }
    }
    for (int i = 0; i < rows; i++) {
        bool alone = stands_alone(t, flx_first_lam(d) + i);
        w->rows[i] = alone ? size_of(t->t.k.nv, w->G + (size_t)i * (size_t)nv) : 0.0;
    }
    choose(t, rows, w->G, w->rows, t->after + others - rows);
    flx_tree_work_destroy(work);
    return FLX_OK;
}

flx_status flx_tree_order(flx_tree *t, const flx_state *x)
{
    int others = flx_dims_unknowns(&t->base.dims) - flx_tree_first_other(t);
    int rows = flx_tree_rows(t), first = flx_tree_inner(t)->variable_v;
    flx_free(t->after);
    t->after = flx_alloc(t->base.ctx, (size_t)others, sizeof *t->after);
    if (!t->after) return FLX_ERR_MEMORY;
    for (int i = 0; i < others; i++) t->after[i] = -1;
    if (x) return order_early(t, x, others);
    for (int i = others - rows; i < others; i++) {
        if (stands_alone(t, first + i)) t->after[i] = flx_tree_way_end(t, i);
    }
    return FLX_OK;
}
