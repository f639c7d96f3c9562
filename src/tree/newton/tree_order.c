// tree_order.c - multipliers of closures that are taken out of the Newton matrix among the links.
//
// Once the joints of links p and outboard are out, the multiplier of a closure g has the pivot
// - g D^-1 g^T of these joints: it can go as soon as they determine it. Rows are eliminated from the last
// joint inwards,
//     a row goes with the first joint at which its rest is large enough,                         (TRN-5)
// and the multiplier is taken out after the link of that joint. Then a loop is out when its own joints
// are, whatever it hangs on. But links that the row still knows are tied to each other then. Where loops are short, it
// goes when all of them are out, after the last link on its paths: then it is tied to where these meet alone, and no front
// has partners for its sake. Few closures stay in the border, where they are factored with pivots.
#include "tree/tree_parts.h"

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
static flx_status order_early(flx_tree *t, const flx_state *x, int *after)
{
    size_t rows = (size_t)flx_tree_rows(t), nv = (size_t)t->base.dims.nv;
    const flx_descriptor *d = flx_tree_inner(t);
    double *G = flx_alloc(t->base.ctx, rows * (nv + 1), sizeof *G), *size = G + rows * nv;
    flx_status status = G ? flx_tree_rows_at(t, x, G) : FLX_ERR_MEMORY;
    for (int i = 0; i < t->t.k.n && status == FLX_OK; i++) { // metres to radians
        const flx_link *l = t->t.links + i;
        int freedom = flx_link_turns(l->kind) ? 0 : flx_link_freedom(l->kind, t->t.k.planar);
        for (size_t r = 0; r < rows; r++) {
            for (int k = 0; k < freedom; k++) G[r * nv + (size_t)(l->v + k)] *= d->length;
        }
    }
    for (size_t i = 0; i < rows && status == FLX_OK; i++) {
        bool alone = stands_alone(t, flx_first_lam(d) + (int)i);
        size[i] = alone ? size_of(t->t.k.nv, G + i * nv) : 0.0;
    }
    if (status == FLX_OK) choose(t, (int)rows, G, size, after);
    flx_free(G);
    return status;
}

void flx_tree_order_late(const flx_tree *t, const flx_tree_fronts *f, int *after)
{
    int first = f->nother - flx_tree_rows(t);
    for (int i = 0; i < f->nother; i++) {
        bool row = i >= first && stands_alone(t, flx_tree_inner(t)->variable_v + i);
        after[i] = row ? flx_tree_way_end(t, f, i) : -1;
    }
}

flx_status flx_tree_order(flx_tree *t, const flx_state *x)
{
    int others = flx_dims_unknowns(&t->base.dims) - flx_tree_first_other(t);
    flx_free(t->after);
    t->after = flx_alloc(t->base.ctx, (size_t)others, sizeof *t->after);
    if (!t->after) return FLX_ERR_MEMORY;
    if (!x) {
        flx_tree_order_late(t, &t->fronts, t->after);
        return FLX_OK;
    }
    for (int i = 0; i < others; i++) t->after[i] = -1;
    return order_early(t, x, t->after + others - flx_tree_rows(t));
}
