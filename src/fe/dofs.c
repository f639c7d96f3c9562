// dofs.c - which components of nodes are unknowns: what elements reach, less what supports prescribe
// and links tie (ties.h).
#include "fe/ties.h"

#include <math.h>
#include <string.h>

#define MOST_PASSES 1000 // links that follow links, one after the other

// ---- components that exist ----------------------------------------------------------------------

static void open_components(flx_fe *fe, int node, unsigned mask)
{
    for (int c = 0; c < 6; c++) {
        if (mask >> c & 1u) fe->dof[6 * (size_t)node + c] = 0;
    }
}

static unsigned spring_mask(const flx_structure *s, const flx_spring_element *k)
{
    unsigned mask = 0;
    for (int c = 0; c < 6; c++) {
        if (k->stiffness[c] != 0 || k->damping[c] != 0) mask |= 1u << c;
    }
    return mask & flx_components_mask(s, true);
}

static void find_components(flx_fe *fe)
{
    const flx_structure *s = fe->s;
    for (size_t i = 0; i < 6 * (size_t)s->nnode; i++) fe->dof[i] = FLX_DOF_NONE;
    for (int e = 0; e < s->nelement; e++) {
        const int *nodes = flx_element_nodes(s, e);
        unsigned mask = flx_element_mask(s, s->elements + e);
        for (int a = 0; a < flx_cells[s->elements[e].cell].nodes && mask; a++) {
            open_components(fe, nodes[a], mask);
        }
    }
    for (int i = 0; i < s->nspring; i++) {
        for (int k = 0; k < 2; k++) {
            if (s->springs[i].node[k] < 0) continue;
            open_components(fe, s->springs[i].node[k], spring_mask(s, s->springs + i));
        }
    }
    for (int i = 0; i < s->nmass; i++) {
        const double *J = s->masses[i].inertia;
        bool turns = J[0] != 0 || J[1] != 0 || J[2] != 0;
        open_components(fe, s->masses[i].node, flx_components_mask(s, turns));
    }
    for (int i = 0; i < s->K.n; i++) { // nodes of interfaces come after those of the matrices
        if (s->K.value[s->K.start[i]] == 0 && s->M.value[s->M.start[i]] == 0) continue;
        open_components(fe, i / s->width, 1u << flx_structure_component(s, i % s->width));
    }
    for (int i = 0; i < s->nlink; i++) { // what it moves, or what it is moved by, can turn
        const flx_node_link *l = s->links + i;
        unsigned all = flx_components_mask(s, true);
        if (l->kind == FLX_LINK_EQUATION) continue;
        open_components(fe, l->reference, all);
        for (int a = 0; a < l->nnode && l->kind == FLX_LINK_RIGID; a++) {
            open_components(fe, l->nodes[a], l->mask & all); // with loads, perhaps, of no element
        }
    }
}

// ---- supports and links -------------------------------------------------------------------------

static flx_status fix_supports(flx_fe *fe)
{
    const flx_structure *s = fe->s;
    for (int i = 0; i < s->nsupport; i++) {
        const flx_support *p = s->supports + i;
        for (int c = 0; c < 6; c++) {
            size_t k = 6 * (size_t)p->node + c;
            if (!(p->mask >> c & 1u) || fe->dof[k] == FLX_DOF_NONE || p->turned) continue;
            if (fe->dof[k] == FLX_DOF_FIXED && fe->fixed[k] != p->value[c]) {
                return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, p->loc,
                                "component %s of node %d is prescribed twice, as %g and as %g",
                                flx_component_words[c], s->label[p->node], fe->fixed[k],
                                p->value[c]);
            }
            fe->dof[k] = FLX_DOF_FIXED;
            fe->fixed[k] = p->value[c];
        }
    }
    return FLX_OK;
}

// ---- ties over unknowns -------------------------------------------------------------------------

typedef struct sums { // where the terms of one tie are gathered
    double *weight;   // (n) by unknown
    int *list, count;
    int *mark; // (n) number of the tie that used it last, plus one
    double constant;
} sums;

static void gather(const flx_fe *fe, sums *g, int unknown, double weight, int tie)
{
    (void)fe;
    if (g->mark[unknown] != tie + 1) {
        g->mark[unknown] = tie + 1;
        g->weight[unknown] = 0;
        g->list[g->count++] = unknown;
    }
    g->weight[unknown] += weight;
}

// All sources of the tie are known by now; false: not yet.
static bool is_ready(const flx_fe *fe, const flx_ties *r, const int *done, int tie)
{
    for (int k = r->start[tie]; k < r->start[tie + 1]; k++) {
        int dof = fe->dof[r->source[k]];
        if (dof <= FLX_DOF_TIED && done[FLX_DOF_TIED - dof] < 0) return false;
    }
    return true;
}

typedef struct resolved {
    int nterm, unknown_capacity, weight_capacity;
} resolved;

static flx_status resolve(flx_fe *fe, const flx_ties *r, int tie, int *first, int *count, sums *g,
                          resolved *size)
{
    g->count = 0;
    g->constant = r->constant[tie];
    for (int k = r->start[tie]; k < r->start[tie + 1]; k++) {
        int source = r->source[k], dof = fe->dof[source];
        double w = r->weight[k];
        if (dof >= 0) {
            gather(fe, g, dof, w, tie);
        } else if (dof == FLX_DOF_FIXED) {
            g->constant += w * fe->fixed[source];
        } else if (dof <= FLX_DOF_TIED) {
            int other = FLX_DOF_TIED - dof;
            g->constant += w * fe->tie_constant[other];
            for (int q = 0; q < count[other]; q++) {
                int at = first[other] + q;
                gather(fe, g, fe->tie_unknown[at], w * fe->tie_weight[at], tie);
            }
        }
    }
    GROW(fe->ctx, fe->tie_unknown, size->unknown_capacity, size->nterm + g->count);
    GROW(fe->ctx, fe->tie_weight, size->weight_capacity, size->nterm + g->count);
    first[tie] = size->nterm;
    count[tie] = g->count;
    for (int q = 0; q < g->count; q++) {
        fe->tie_unknown[size->nterm] = g->list[q];
        fe->tie_weight[size->nterm++] = g->weight[g->list[q]];
    }
    fe->tie_constant[tie] = g->constant;
    return FLX_OK;
}

static flx_status resolve_all(flx_fe *fe, const flx_ties *r, int *first, int *count, sums *g)
{
    resolved size = {0};
    int left = r->n;
    for (int i = 0; i < r->n; i++) first[i] = -1;
    for (int pass = 0; left > 0 && pass < MOST_PASSES; pass++) {
        int before = left;
        for (int i = 0; i < r->n; i++) {
            if (first[i] >= 0 || !is_ready(fe, r, first, i)) continue;
            FLX_TRY(resolve(fe, r, i, first, count, g, &size));
            left--;
        }
        if (left == before) break;
    }
    if (left == 0) return FLX_OK;
    int i = 0;
    while (first[i] >= 0) i++;
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, r->loc[i],
                    "links that follow each other: node %d is moved by a node that it moves itself",
                    fe->s->label[r->target[i] / 6]);
}

static flx_status finish_ties(flx_fe *fe, const flx_ties *r)
{
    size_t n = (size_t)fe->n, m = (size_t)r->n;
    sums g = {.weight = flx_alloc(fe->ctx, n, sizeof(double)),
              .list = flx_alloc(fe->ctx, n, sizeof(int)),
              .mark = flx_alloc(fe->ctx, n, sizeof(int))};
    int *count = flx_alloc(fe->ctx, m, sizeof *count);
    fe->ntie = r->n;
    fe->tie_start = flx_alloc(fe->ctx, m + 1, sizeof *fe->tie_start);
    fe->tie_count = count;
    fe->tie_constant = flx_alloc(fe->ctx, m, sizeof *fe->tie_constant);
    flx_status status = FLX_ERR_MEMORY;
    if (g.weight && g.list && g.mark && count && fe->tie_start && fe->tie_constant) {
        status = resolve_all(fe, r, fe->tie_start, count, &g);
    }
    flx_free(g.weight);
    flx_free(g.list);
    flx_free(g.mark);
    return status;
}

static flx_status number_unknowns(flx_fe *fe)
{
    size_t all = 6 * (size_t)fe->nnode, n = 0;
    for (size_t i = 0; i < all; i++) n += fe->dof[i] == 0;
    if (n > INT32_MAX / 2) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the structure is too large: %zu "
                        "unknowns",
                        n);
    }
    fe->node_of = flx_alloc(fe->ctx, n, sizeof *fe->node_of);
    if (!fe->node_of) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < all; i++) {
        if (fe->dof[i] != 0) continue;
        fe->node_of[fe->n] = (int)i;
        fe->dof[i] = fe->n++;
    }
    return FLX_OK;
}

flx_status flx_fe_number(flx_fe *fe)
{
    flx_ties r = {0};
    size_t all = 6 * (size_t)fe->nnode;
    fe->dof = flx_alloc(fe->ctx, all, sizeof *fe->dof);
    fe->fixed = flx_alloc(fe->ctx, all, sizeof *fe->fixed);
    if (!fe->dof || !fe->fixed) return FLX_ERR_MEMORY;
    find_components(fe);
    flx_status status = FLX_OK;
    if (!fe->options.no_supports) {
        FLX_TRY(fix_supports(fe));
        status = flx_ties_supports(fe, &r);
    }
    for (int i = 0; i < fe->s->nlink && status == FLX_OK; i++) {
        status = flx_ties_link(fe, &r, fe->s->links + i);
    }
    if (status == FLX_OK) status = number_unknowns(fe);
    if (status == FLX_OK) status = finish_ties(fe, &r);
    flx_ties_clear(&r);
    return status;
}

int flx_fe_terms(const flx_fe *fe, int node, int comp, const int **unknown, const double **weight,
                 double *constant)
{
    static const double one = 1;
    size_t k = 6 * (size_t)node + comp;
    const int *dof = fe->dof + k;
    *constant = 0;
    if (*dof >= 0) {
        *unknown = dof;
        *weight = &one;
        return 1;
    }
    if (*dof == FLX_DOF_FIXED) *constant = fe->fixed[k];
    if (*dof > FLX_DOF_TIED) return 0;
    int tie = FLX_DOF_TIED - *dof;
    *constant = fe->tie_constant[tie];
    if (fe->tie_count[tie] == 0) return 0; // it follows what is held
    *unknown = fe->tie_unknown + fe->tie_start[tie];
    *weight = fe->tie_weight + fe->tie_start[tie];
    return fe->tie_count[tie];
}
