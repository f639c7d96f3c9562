// port_ranks.c - ports that move together whatever the body does, as those of two interfaces on one stiff part: what holds one
// of them holds the other, and a condition that says so says nothing. Such conditions are left out, with a note.
#include "math/blas.h"
#include "math/eigen.h"
#include "reduce/ritz/ports.h"

#include <math.h>
#include <string.h>

#define TOGETHER 1e-8 // singular values in proportion, below which rows depend on the others

typedef struct ranks {
    const flx_ports *p;
    const flx_port_model *x;
    double *A, *w, *V; // (ports, n), (ports), (n, n)
    int n;             // coordinates: shapes and rigid motions
} ranks;

// Row of a port in coordinates of energy, of unit length; 0: it moves nothing.
static double row_entry(const ranks *r, int port, int k)
{
    const flx_port_model *x = r->x;
    if (k < x->m) return x->b[port * x->m + k] / sqrt(x->L[k]);
    return r->p->rigid[(k - x->m) * r->p->count + port] * r->p->scale[port] / sqrt(x->L[0]);
}

// The rank of the ports of some set.
static flx_status rank_of(const ranks *r, const bool *held, int *rank)
{
    int h = 0, i = 0;
    *rank = 0;
    for (int j = 0; j < r->p->count; j++) h += held[j];
    if (h == 0) return FLX_OK;
    for (int j = 0; j < r->p->count; j++) {
        if (!held[j]) continue;
        double size = 0;
        for (int k = 0; k < r->n; k++) size += row_entry(r, j, k) * row_entry(r, j, k);
        for (int k = 0; k < r->n; k++)
            r->A[k * h + i] = size > 0 ? row_entry(r, j, k) / sqrt(size) : 0;
        i++;
    }
    FLX_TRY(flx_dense_svd(r->p->ctx, h, r->n, r->A, r->w, NULL, r->V));
    while (*rank < h && *rank < r->n && r->w[*rank] > TOGETHER * r->w[0]) ++*rank;
    return FLX_OK;
}

// Two interfaces whose ports together have fewer motions than each for itself.
static flx_status find_pair(const ranks *r, const flx_free_structure *s, bool *some, int pair[2])
{
    int own[2], both;
    for (int i = 0; i < s->ninterface; i++) {
        for (int k = 0; k < i; k++) {
            for (int side = 0; side < 3; side++) {
                for (int j = 0; j < r->p->count; j++) {
                    int face = r->p->face[j];
                    some[j] = (side != 1 && face == k) || (side != 0 && face == i);
                }
                FLX_TRY(rank_of(r, some, side < 2 ? own + side : &both));
            }
            if (both >= own[0] + own[1]) continue;
            pair[0] = k;
            pair[1] = i;
            return FLX_OK;
        }
    }
    return FLX_OK;
}

static flx_status tell(const ranks *r, const flx_free_structure *s, const flx_port_condition *c,
                       bool *some)
{
    int pair[2] = {-1, -1};
    FLX_TRY(find_pair(r, s, some, pair));
    if (pair[0] >= 0) {
        flx_ctx_warn(s->ctx, s->loc,
                     "'%s' and '%s' move together whatever the body does: a load at one is a load "
                     "at the other, and the condition '%s' is left out; name one of the two, or "
                     "fewer 'components'",
                     s->interfaces[pair[0]].name, s->interfaces[pair[1]].name, c->name);
    } else {
        flx_ctx_warn(s->ctx, s->loc,
                     "loads at the interfaces depend on each other: the condition '%s' is left out",
                     c->name);
    }
    return FLX_OK;
}

// What it holds are motions of their own, and something is left to move.
static flx_status says_something(const ranks *r, const flx_port_condition *c, int whole, bool *yes)
{
    int held = 0, rank = 0;
    for (int j = 0; j < r->p->count; j++) held += c->held[j];
    *yes = c->free;
    if (c->free) return FLX_OK;
    FLX_TRY(rank_of(r, c->held, &rank));
    *yes = rank == held && (c->all || rank < whole);
    return FLX_OK;
}

flx_status flx_port_conditions_prune(const flx_free_structure *s, const flx_ports *p,
                                     const flx_port_model *x, flx_port_conditions *c)
{
    size_t n = (size_t)(x->m + p->nrigid), count = (size_t)p->count;
    ranks r = {.p = p, .x = x, .n = (int)n};
    int kept = 0, whole = 0;
    r.A = flx_alloc(p->ctx, count * n + (count > n ? count : n) + n * n, sizeof *r.A);
    bool *some = flx_alloc(p->ctx, count, sizeof *some);
    flx_status status = r.A && some ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        r.w = r.A + count * n;
        r.V = r.w + (count > n ? count : n);
        for (size_t j = 0; j < count; j++) some[j] = true;
        status = rank_of(&r, some, &whole);
    }
    for (int i = 0; i < c->count && status == FLX_OK && whole < p->count; i++) {
        bool yes = true;
        status = says_something(&r, c->items + i, whole, &yes);
        if (status == FLX_OK && !yes) status = tell(&r, s, c->items + i, some);
        if (yes) c->items[kept++] = c->items[i];
    }
    flx_free(r.A);
    flx_free(some);
    if (status != FLX_OK || whole >= p->count) return status;
    c->count = kept;
    if (kept > 0) return FLX_OK;
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                    "no condition is left in which the error of the body can be measured");
}
