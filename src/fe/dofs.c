// dofs.c - which components of nodes are unknowns: what elements reach, less what supports prescribe
// and rigid links tie.
//
//     RBE2:  u_d = u_r + t_r x (x_d - x_r),  t_d = t_r                                          (FE-15)
//     RBE3:  t_r = J^-1 sum w_i r_i x u_i,  J = sum w_i (r_i.r_i I - r_i r_i^T),  r_i = x_i - c
//            u_r = sum w_i u_i / sum w_i + t_r x (x_r - c),  c the weighted centre              (FE-16)
#include "fe/fe_parts.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

#define MOST_PASSES 1000 // links that follow links, one after the other

static const char *const comp_words[6] = {"x", "y", "z", "rotation x", "rotation y", "rotation z"};

// Ties over components of nodes (6 node + comp) before those are unknowns.
typedef struct raw_ties {
    int n, start_capacity, target_capacity;
    int *start;  // (n + 1)
    int *target; // (n)
    int nterm, source_capacity, weight_capacity;
    int *source;
    double *weight;
} raw_ties;

static void clear_ties(raw_ties *r)
{
    flx_free(r->start);
    flx_free(r->target);
    flx_free(r->source);
    flx_free(r->weight);
}

#define GROW(ctx, array, capacity, need)                                                           \
    do {                                                                                           \
        void *array_ = (array);                                                                    \
        flx_status grown_ = flx_grow((ctx), &array_, &(capacity), (need), sizeof *(array));        \
        (array) = array_;                                                                          \
        if (grown_ != FLX_OK) return grown_;                                                       \
    } while (0)

static flx_status add_term(flx_ctx *ctx, raw_ties *r, int source, double weight)
{
    if (weight == 0) return FLX_OK;
    GROW(ctx, r->source, r->source_capacity, r->nterm + 1);
    GROW(ctx, r->weight, r->weight_capacity, r->nterm + 1);
    r->source[r->nterm] = source;
    r->weight[r->nterm++] = weight;
    r->start[r->n] = r->nterm;
    return FLX_OK;
}

// A new tie; its terms follow.
static flx_status add_tie(flx_fe *fe, raw_ties *r, int node, int comp, flx_loc loc)
{
    int *dof = &fe->dof[6 * (size_t)node + comp];
    if (*dof <= FLX_DOF_TIED || *dof == FLX_DOF_FIXED) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "component %s of node %d follows a link and is %s as well: let one of "
                        "them go",
                        comp_words[comp], fe->s->label[node],
                        *dof == FLX_DOF_FIXED ? "supported" : "moved by another link");
    }
    GROW(fe->ctx, r->start, r->start_capacity, r->n + 2);
    GROW(fe->ctx, r->target, r->target_capacity, r->n + 1);
    *dof = FLX_DOF_TIED - r->n;
    r->target[r->n++] = 6 * node + comp;
    r->start[r->n] = r->nterm;
    return FLX_OK;
}

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
        if (k->stiffness[c] != 0) mask |= 1u << c;
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
        open_components(fe, s->links[i].reference, flx_components_mask(s, true));
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
            if (!(p->mask >> c & 1u) || fe->dof[k] == FLX_DOF_NONE) continue;
            if (fe->dof[k] == FLX_DOF_FIXED && fe->fixed[k] != p->value[c]) {
                return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, p->loc,
                                "component %s of node %d is prescribed twice, as %g and as %g",
                                comp_words[c], s->label[p->node], fe->fixed[k], p->value[c]);
            }
            fe->dof[k] = FLX_DOF_FIXED;
            fe->fixed[k] = p->value[c];
        }
    }
    return FLX_OK;
}

// Terms of w . (t x r) with the rotations of a node: w . (t x r) = t . (r x w).
static flx_status add_turn(flx_fe *fe, raw_ties *r, int node, v3 arm, int comp)
{
    double w[3] = {comp == 0, comp == 1, comp == 2}, t[3];
    v3_store(t, v3_cross(arm, v3_load(w)));
    for (int c = 0; c < 3; c++) {
        if (fe->dof[6 * (size_t)node + 3 + c] == FLX_DOF_NONE) continue; // out of the plane
        FLX_TRY(add_term(fe->ctx, r, 6 * node + 3 + c, t[c]));
    }
    return FLX_OK;
}

static flx_status tie_rigid(flx_fe *fe, raw_ties *r, const flx_node_link *l)
{
    v3 from = v3_load(fe->s->x + 3 * (size_t)l->reference);
    for (int i = 0; i < l->nnode; i++) {
        int node = l->nodes[i];
        if (node == l->reference) {
            return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc,
                            "node %d follows itself: take it off the list of its link",
                            fe->s->label[node]);
        }
        v3 arm = v3_sub(v3_load(fe->s->x + 3 * (size_t)node), from);
        for (int c = 0; c < 6; c++) {
            if (!(l->mask >> c & 1u) || fe->dof[6 * (size_t)node + c] == FLX_DOF_NONE) continue;
            FLX_TRY(add_tie(fe, r, node, c, l->loc));
            FLX_TRY(add_term(fe->ctx, r, 6 * l->reference + c, 1));
            if (c < 3) FLX_TRY(add_turn(fe, r, l->reference, arm, c));
        }
    }
    return FLX_OK;
}

// Inverse of the weighted inertia of the places; false where they lie on a line (in the plane: in a
// point).
static bool invert_spread(const double J[9], int dimension, double size, double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    if (dimension == 2) {
        if (!(J[8] > 1e-12 * size)) return false; // rounding of places far from the origin
        out[8] = 1 / J[8];
        return true;
    }
    m33 A;
    memcpy(A.m, J, sizeof A.m);
    double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                 J[2] * (J[3] * J[7] - J[4] * J[6]);
    if (!(det > 1e-12 * size * size * size)) return false;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            out[3 * k + i] = (J[3 * a + c] * J[3 * b + d] - J[3 * a + d] * J[3 * b + c]) / det;
        }
    }
    return true;
}

static flx_status tie_average(flx_fe *fe, raw_ties *r, const flx_node_link *l)
{
    const flx_structure *s = fe->s;
    double total = 0, J[9] = {0}, inverse[9], size = 0;
    v3 centre = {0, 0, 0};
    for (int i = 0; i < l->nnode; i++) {
        double w = l->weights ? l->weights[i] : 1;
        total += w;
        centre = v3_axpy(w, v3_load(s->x + 3 * (size_t)l->nodes[i]), centre);
    }
    if (!(total > 0)) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc, "the weights of the link sum up to %g",
                        total);
    }
    centre = v3_scale(1 / total, centre);
    for (int i = 0; i < l->nnode; i++) {
        double w = l->weights ? l->weights[i] : 1, a[3];
        v3 arm = v3_sub(v3_load(s->x + 3 * (size_t)l->nodes[i]), centre);
        v3_store(a, arm);
        size += w * v3_dot(arm, arm);
        for (int p = 0; p < 3; p++) {
            J[4 * p] += w * v3_dot(arm, arm);
            for (int q = 0; q < 3; q++) J[3 * p + q] -= w * a[p] * a[q];
        }
    }
    v3 offset = v3_sub(v3_load(s->x + 3 * (size_t)l->reference), centre);
    if (!invert_spread(J, s->dimension, size, inverse)) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc,
                        "the nodes that node %d follows lie on one line: their mean rotation is "
                        "not defined; add nodes beside the line",
                        s->label[l->reference]);
    }
    for (int c = 0; c < 6; c++) {
        size_t own = 6 * (size_t)l->reference + c;
        if (!(l->mask >> c & 1u) || fe->dof[own] == FLX_DOF_NONE) continue;
        FLX_TRY(add_tie(fe, r, l->reference, c, l->loc));
        // the rotation enters as q . t_r: itself for a rotation, e_c . (t x offset) otherwise
        double e[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2}, q[3], p[3];
        v3_store(q, c < 3 ? v3_cross(offset, v3_load(e)) : v3_load(e));
        for (int k = 0; k < 3; k++) {
            p[k] = q[0] * inverse[k] + q[1] * inverse[3 + k] + q[2] * inverse[6 + k];
        }
        for (int i = 0; i < l->nnode; i++) { // p . (r_i x u_i) = u_i . (p x r_i)
            double w = l->weights ? l->weights[i] : 1, g[3];
            v3 arm = v3_sub(v3_load(s->x + 3 * (size_t)l->nodes[i]), centre);
            v3_store(g, v3_scale(w, v3_cross(v3_load(p), arm)));
            if (c < 3) g[c] += w / total;
            for (int k = 0; k < s->dimension; k++) {
                FLX_TRY(add_term(fe->ctx, r, 6 * l->nodes[i] + k, g[k]));
            }
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
static bool is_ready(const flx_fe *fe, const raw_ties *r, const int *done, int tie)
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

static flx_status resolve(flx_fe *fe, const raw_ties *r, int tie, int *first, int *count, sums *g,
                          resolved *size)
{
    g->count = 0;
    g->constant = 0;
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

static flx_status resolve_all(flx_fe *fe, const raw_ties *r, int *first, int *count, sums *g)
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
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                    "links that follow each other: node %d is moved by a node that it moves itself",
                    fe->s->label[r->target[i] / 6]);
}

static flx_status finish_ties(flx_fe *fe, const raw_ties *r)
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
    raw_ties r = {0};
    size_t all = 6 * (size_t)fe->nnode;
    fe->dof = flx_alloc(fe->ctx, all, sizeof *fe->dof);
    fe->fixed = flx_alloc(fe->ctx, all, sizeof *fe->fixed);
    if (!fe->dof || !fe->fixed) return FLX_ERR_MEMORY;
    find_components(fe);
    if (!fe->options.no_supports) FLX_TRY(fix_supports(fe));
    flx_status status = FLX_OK;
    for (int i = 0; i < fe->s->nlink && status == FLX_OK; i++) {
        const flx_node_link *l = fe->s->links + i;
        status = l->kind == FLX_LINK_RIGID ? tie_rigid(fe, &r, l) : tie_average(fe, &r, l);
    }
    if (status == FLX_OK) status = number_unknowns(fe);
    if (status == FLX_OK) status = finish_ties(fe, &r);
    clear_ties(&r);
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
