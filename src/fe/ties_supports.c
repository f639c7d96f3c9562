// ties_supports.c - supports along axes n of their own, n.u = value, as ties between the components of
// a node: the largest factor left is eliminated (FE-21).
#include "fe/ties.h"

#include <math.h>
#include <string.h>

// Rows a.u = b of the translations or the rotations of one node.
typedef struct rotated_rows {
    int n;
    double a[3][4]; // the last is b
    flx_loc loc;
} rotated_rows;

static flx_status refuse_turned(const flx_fe *fe, int node, flx_loc loc)
{
    return FLX_FAIL(
        fe->ctx, FLX_ERR_MODEL, loc,
        "node %d is prescribed along its own axes and along others, to different places",
        fe->s->label[node]);
}

// A row is added in reduced form: the largest factor left is 1 and has no place in the others.
static flx_status add_row(flx_fe *fe, rotated_rows *t, int *pivot, int node, const double row[4],
                          flx_loc loc)
{
    double own[4], size = 0;
    int best = -1;
    memcpy(own, row, sizeof own);
    for (int i = 0; i < t->n; i++) {
        double w = own[pivot[i]];
        for (int k = 0; k < 4; k++) own[k] -= w * t->a[i][k];
    }
    for (int k = 0; k < 3; k++) {
        if (!(fabs(own[k]) > 1e-12)) { // rounding of a unit vector
            own[k] = 0;
        } else if (fabs(own[k]) > size) {
            size = fabs(own[k]);
            best = k;
        }
    }
    if (best < 0) {
        return fabs(own[3]) <= 1e-9 * (fabs(row[3]) + fabs(row[3] - own[3]))
                   ? FLX_OK
                   : refuse_turned(fe, node, loc);
    }
    double pivoted = own[best];
    for (int k = 0; k < 4; k++) own[k] /= pivoted;
    for (int i = 0; i < t->n; i++) {
        double w = t->a[i][best];
        for (int k = 0; k < 4; k++) t->a[i][k] -= w * own[k];
        t->a[i][best] = 0;
    }
    pivot[t->n] = best;
    memcpy(t->a[t->n++], own, sizeof own);
    t->loc = loc;
    return FLX_OK;
}

static flx_status tie_rows(flx_fe *fe, flx_ties *r, const rotated_rows *t, const int *pivot,
                           int node, int first)
{
    for (int i = 0; i < t->n; i++) {
        size_t own = 6 * (size_t)node + first + pivot[i];
        bool free = false;
        for (int k = 0; k < 3; k++) {
            free |= k != pivot[i] && t->a[i][k] != 0;
        }
        if (fe->dof[own] == FLX_DOF_FIXED) continue; // a row of the supports along the axes
        if (!free) {
            fe->dof[own] = FLX_DOF_FIXED;
            fe->fixed[own] = t->a[i][3];
            continue;
        }
        FLX_TRY(flx_ties_add(fe, r, node, first + pivot[i], t->loc));
        r->constant[r->n - 1] = t->a[i][3];
        for (int k = 0; k < 3; k++) {
            if (k == pivot[i]) continue;
            FLX_TRY(flx_ties_term(fe->ctx, r, 6 * node + first + k, -t->a[i][k]));
        }
    }
    return FLX_OK;
}

// Supports of one node along its own axes (from the i-th on, all of one node): first 0 translations, 3
// rotations.
static flx_status turn_node(flx_fe *fe, flx_ties *r, const int *list, int n, int first)
{
    const flx_structure *s = fe->s;
    int node = s->supports[list[0]].node, pivot[3];
    rotated_rows t = {0};
    for (int k = 0; k < 3;
         k++) { // what does not exist, or is held along the structure's axes, comes first
        size_t own = 6 * (size_t)node + first + k;
        double row[4] = {k == 0, k == 1, k == 2,
                         fe->dof[own] == FLX_DOF_FIXED ? fe->fixed[own] : 0};
        if (fe->dof[own] != FLX_DOF_FIXED && fe->dof[own] != FLX_DOF_NONE) continue;
        FLX_TRY(add_row(fe, &t, pivot, node, row, FLX_NOWHERE));
    }
    int known = t.n;
    for (int i = 0; i < n; i++) {
        const flx_support *p = s->supports + list[i];
        for (int c = 0; c < 3; c++) {
            if (!(p->mask >> (first + c) & 1u)) continue;
            const double *e = p->axes + 3 * c, row[4] = {e[0], e[1], e[2], p->value[first + c]};
            FLX_TRY(add_row(fe, &t, pivot, node, row, p->loc));
        }
    }
    memmove(t.a, t.a + known, (size_t)(t.n - known) * sizeof t.a[0]);
    t.n -= known;
    return tie_rows(fe, r, &t, pivot + known, node, first);
}

flx_status flx_ties_supports(flx_fe *fe, flx_ties *r)
{
    const flx_structure *s = fe->s;
    int count = 0;
    for (int i = 0; i < s->nsupport; i++) count += s->supports[i].turned;
    if (count == 0) return FLX_OK;
    int *head = flx_alloc(fe->ctx, (size_t)s->nnode, sizeof *head);
    int *next = flx_alloc(fe->ctx, (size_t)s->nsupport, sizeof *next);
    int *list = flx_alloc(fe->ctx, (size_t)s->nsupport, sizeof *list);
    flx_status status = head && next && list ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = s->nsupport - 1; i >= 0 && status == FLX_OK; i--) { // chains of one node, from 1
        if (!s->supports[i].turned) continue;
        next[i] = head[s->supports[i].node];
        head[s->supports[i].node] = i + 1;
    }
    for (int node = 0; node < s->nnode && status == FLX_OK; node++) {
        int n = 0;
        for (int i = head[node]; i > 0; i = next[i - 1]) list[n++] = i - 1;
        if (n > 0) status = turn_node(fe, r, list, n, 0);
        if (n > 0 && status == FLX_OK) status = turn_node(fe, r, list, n, 3);
    }
    flx_free(head);
    flx_free(next);
    flx_free(list);
    return status;
}
