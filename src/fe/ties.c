// ties.c - links as ties: which components of nodes follow which others.
//
//     RBE2:  u_d = u_r + t_r x (x_d - x_r),  t_d = t_r                                          (FE-15)
//     RBE3:  t_r = J^-1 sum w_i r_i x u_i,  J = sum w_i (r_i.r_i I - r_i r_i^T),  r_i = x_i - c
//            u_r = sum w_i u_i / sum w_i + t_r x (x_r - c),  c the weighted centre              (FE-16)
//     MPC:   u_1 = - sum a_i u_i / a_1,  i > 1                                                  (FE-21)
#include "fe/ties.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

const char *const flx_component_words[6] = {"x",          "y",          "z",
                                            "rotation x", "rotation y", "rotation z"};

void flx_ties_clear(flx_ties *r)
{
    flx_free(r->start);
    flx_free(r->target);
    flx_free(r->constant);
    flx_free(r->loc);
    flx_free(r->source);
    flx_free(r->weight);
}

flx_status flx_ties_term(flx_ctx *ctx, flx_ties *r, int source, double weight)
{
    if (weight == 0) return FLX_OK;
    GROW(ctx, r->source, r->source_capacity, r->nterm + 1);
    GROW(ctx, r->weight, r->weight_capacity, r->nterm + 1);
    r->source[r->nterm] = source;
    r->weight[r->nterm++] = weight;
    r->start[r->n] = r->nterm;
    return FLX_OK;
}

flx_status flx_ties_add(flx_fe *fe, flx_ties *r, int node, int comp, flx_loc loc)
{
    int *dof = &fe->dof[6 * (size_t)node + comp];
    if (*dof <= FLX_DOF_TIED || *dof == FLX_DOF_FIXED) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "component %s of node %d follows a link and is %s as well: let one of "
                        "them go",
                        flx_component_words[comp], fe->s->label[node],
                        *dof == FLX_DOF_FIXED ? "supported" : "moved by another link");
    }
    GROW(fe->ctx, r->start, r->start_capacity, r->n + 2);
    GROW(fe->ctx, r->target, r->target_capacity, r->n + 1);
    GROW(fe->ctx, r->constant, r->constant_capacity, r->n + 1);
    GROW(fe->ctx, r->loc, r->loc_capacity, r->n + 1);
    r->constant[r->n] = 0;
    r->loc[r->n] = loc;
    *dof = FLX_DOF_TIED - r->n;
    r->target[r->n++] = 6 * node + comp;
    r->start[r->n] = r->nterm;
    return FLX_OK;
}

// Terms of w . (t x r) with the rotations of a node: w . (t x r) = t . (r x w).
static flx_status add_turn(flx_fe *fe, flx_ties *r, int node, v3 arm, int comp)
{
    double w[3] = {comp == 0, comp == 1, comp == 2}, t[3];
    v3_store(t, v3_cross(arm, v3_load(w)));
    for (int c = 0; c < 3; c++) {
        if (fe->dof[6 * (size_t)node + 3 + c] == FLX_DOF_NONE) continue; // out of the plane
        FLX_TRY(flx_ties_term(fe->ctx, r, 6 * node + 3 + c, t[c]));
    }
    return FLX_OK;
}

static flx_status tie_rigid(flx_fe *fe, flx_ties *r, const flx_node_link *l)
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
            FLX_TRY(flx_ties_add(fe, r, node, c, l->loc));
            FLX_TRY(flx_ties_term(fe->ctx, r, 6 * l->reference + c, 1));
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

static flx_status tie_average(flx_fe *fe, flx_ties *r, const flx_node_link *l)
{
    const flx_structure *s = fe->s;
    double total = 0, J[9] = {0}, inverse[9], size = 0;
    v3 centre = {0, 0, 0};
    for (int i = 0; i < l->nnode; i++) {
        double w = l->weights ? l->weights[i] : 1;
        total += w;
        centre = v3_axpy(w, v3_load(s->x + 3 * (size_t)l->nodes[i]), centre);
    }
    for (int i = 0; i < l->nnode; i++) {
        if (fe->dof[6 * (size_t)l->nodes[i]] != FLX_DOF_NONE) continue;
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc,
                        "node %d follows node %d, which no element reaches: take that one off",
                        s->label[l->reference], s->label[l->nodes[i]]);
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
        FLX_TRY(flx_ties_add(fe, r, l->reference, c, l->loc));
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
                FLX_TRY(flx_ties_term(fe->ctx, r, 6 * l->nodes[i] + k, g[k]));
            }
        }
    }
    return FLX_OK;
}

static flx_status tie_equation(flx_fe *fe, flx_ties *r, const flx_node_link *l)
{
    double first = 0; // of the term that follows, all its mentions together
    int none = 0, at = 0;
    for (int i = 0; i < l->nnode; i++) {
        bool same = l->nodes[i] == l->nodes[0] && l->components[i] == l->components[0];
        if (same) first += l->weights[i];
        if (fe->dof[6 * (size_t)l->nodes[i] + l->components[i]] != FLX_DOF_NONE) continue;
        none++;
        at = i;
    }
    if (none == l->nnode) return FLX_OK; // rotations of nodes that have none
    if (none > 0) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc,
                        "node %d has no component %s that this equation could tie",
                        fe->s->label[l->nodes[at]], flx_component_words[l->components[at]]);
    }
    if (!(fabs(first) > 0)) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, l->loc,
                        "the first term of this equation has the factor 0: it is the one that "
                        "follows the others");
    }
    FLX_TRY(flx_ties_add(fe, r, l->nodes[0], l->components[0], l->loc));
    for (int i = 1; i < l->nnode; i++) {
        if (l->nodes[i] == l->nodes[0] && l->components[i] == l->components[0]) continue;
        FLX_TRY(
            flx_ties_term(fe->ctx, r, 6 * l->nodes[i] + l->components[i], -l->weights[i] / first));
    }
    return FLX_OK;
}

flx_status flx_ties_link(flx_fe *fe, flx_ties *r, const flx_node_link *l)
{
    switch (l->kind) {
    case FLX_LINK_RIGID:
        return tie_rigid(fe, r, l);
    case FLX_LINK_AVERAGE:
        return tie_average(fe, r, l);
    case FLX_LINK_EQUATION:
        break;
    }
    return tie_equation(fe, r, l);
}
