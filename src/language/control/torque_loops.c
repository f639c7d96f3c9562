// torque_loops.c - loops of a computed torque (CTL-12): accelerations of joints that nothing drives follow from closures, and
// what their joints would have to give is left to those that are driven.
//
// Rows J x + r = 0 say that both sides of a closing joint have one acceleration; x are the accelerations along the axes of
// joints that follow, among them those of the closing joints themselves. Columns are made orthogonal, J = V R, so that rows
// that repeat each other, as those of loops in a plane in space, do no harm.
#include "language/control/torque_tree.h"
#include "language/scope/nums.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define MOST 64   // rows, and unknowns
#define RANK 1e-9 // of the largest pivot

struct flx_torque_loops {
    flx_torque_tree *t;
    int nrow,
        ncolumn;    // unknowns: those of links, then one for each closing joint that is not fixed
    flx_node *V;    // (nrow x ncolumn) by columns
    flx_node *size; // (ncolumn) v . v
    flx_node *R;    // (ncolumn x ncolumn) by rows, 1 in its diagonal
    flx_node *rest; // (nrow) r
};

// ---- rows ----------------------------------------------------------------------------------------------

static int width(const flx_torque_tree *t)
{
    return t->b->m->dimension == 2 ? 3 : 6;
}

static bool has_unknown(const flx_torque_closure *c)
{
    return !flx_torque_is(c->joint, "fixed");
}

// Whether link i moves with link k.
static bool moves_with(const flx_torque_tree *t, int i, int k)
{
    while (i > k) i = t->links[i].parent;
    return i == k;
}

// In the plane x, y and the turn about z.
static void put_row(const flx_torque_tree *t, const flx_node a[3], const flx_node alpha[3],
                    flx_node *to)
{
    if (t->b->m->dimension == 2) {
        to[0] = a[0];
        to[1] = a[1];
        to[2] = alpha[2];
        return;
    }
    for (int i = 0; i < 3; i++) {
        to[i] = a[i];
        to[3 + i] = alpha[i];
    }
}

// Acceleration of the point P of link i (-1: the ground), less gravity, and its angular acceleration.
static void point_of(const flx_torque_tree *t, int i, const flx_node P[3], flx_node a[3],
                     flx_node alpha[3], flx_node w[3])
{
    flx_builder *b = t->b;
    flx_graph *g = b->g;
    const double zero[3] = {0, 0, 0};
    flx_node way[3];
    if (i < 0) {
        node_const3(g, zero, alpha);
        node_const3(g, zero, w);
        for (int k = 0; k < 3; k++)
            a[k] = node_sub(g, node_const(g, 0.0),
                            node_open(g, b->m->gravity[k], b->m->gravity_open[k]));
        return;
    }
    const flx_torque_link *l = &t->links[i];
    memcpy(a, l->a, sizeof l->a);
    memcpy(alpha, l->alpha, sizeof l->alpha);
    memcpy(w, l->w, sizeof l->w);
    node_sub3(g, P, l->c, way);
    flx_torque_add_turn(g, l->alpha, l->w, way, a);
}

static void add_scaled(flx_graph *g, flx_node s, const flx_node v[3], flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_add(g, out[i], node_mul(g, s, v[i]));
}

// What the closing joint leaves between its sides while its own acceleration is zero: first + rates - second.
static flx_status make_rest(flx_torque_tree *t, const flx_torque_closure *c, flx_node *to)
{
    flx_graph *g = t->b->g;
    const flx_joint_data *d = c->joint->data;
    flx_node P[3], a[2][3], alpha[2][3], w[2][3], axis[3], turning[3];
    flx_node_position(t->b, d->body[1], &d->at[1], P);
    for (int k = 0; k < 2; k++) point_of(t, c->link[k], P, a[k], alpha[k], w[k]);
    if (has_unknown(c)) {
        flx_operand rate;
        flx_torque_axis(t->b, c->joint, axis);
        node_cross(g, w[0], axis, turning);
        FLX_TRY(flx_joint_member(t->e, c->joint, "rate", t->loc, &rate));
        if (flx_torque_is(c->joint, "prismatic"))
            add_scaled(g, node_mul(g, node_const(g, 2.0), rate.node), turning, a[0]);
        else
            add_scaled(g, rate.node, turning, alpha[0]);
    }
    node_sub3(g, a[0], a[1], a[0]);
    node_sub3(g, alpha[0], alpha[1], alpha[0]);
    put_row(t, a[0], alpha[0], to);
    return FLX_OK;
}

// The rows of a closure by a unit acceleration along the axis of link k.
static void make_column(flx_torque_tree *t, const flx_torque_closure *c, int k, flx_node *to)
{
    flx_graph *g = t->b->g;
    const flx_joint_data *d = c->joint->data;
    const flx_torque_link *l = &t->links[k];
    const double zero[3] = {0, 0, 0};
    flx_node P[3], way[3], a[3], alpha[3];
    double side =
        (moves_with(t, c->link[0], k) ? 1.0 : 0.0) - (moves_with(t, c->link[1], k) ? 1.0 : 0.0);
    node_const3(g, zero, a);
    node_const3(g, zero, alpha);
    if (side != 0.0) {
        flx_node s = node_const(g, side);
        flx_node_position(t->b, d->body[1], &d->at[1], P);
        node_sub3(g, P, l->place, way);
        node_cross(g, l->axis, way, way);
        add_scaled(g, s, l->slides ? l->axis : way, a);
        if (!l->slides) add_scaled(g, s, l->axis, alpha);
    }
    put_row(t, a, alpha, to);
}

static void make_own_column(flx_torque_tree *t, const flx_torque_closure *c, flx_node *to)
{
    flx_graph *g = t->b->g;
    const double zero[3] = {0, 0, 0};
    flx_node axis[3], none[3];
    bool slides = flx_torque_is(c->joint, "prismatic");
    flx_torque_axis(t->b, c->joint, axis);
    node_const3(g, zero, none);
    put_row(t, slides ? axis : none, slides ? none : axis, to);
}

// ---- the initial configuration, in numbers ---------------------------------------------------------------

static void multiply(const double *R, const double *x, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

// A point or a direction of a body, as it is placed.
static void place(const flx_torque_tree *t, const flx_item *body, const flx_num3 *x, bool point,
                  double out[3])
{
    memcpy(out, x->x, 3 * sizeof *out);
    if (body == t->b->ground) return;
    const flx_body *d = &((const flx_body_data *)body->data)->def;
    multiply(d->R, x->x, out);
    for (int i = 0; i < 3 && point; i++) out[i] += d->position[i];
}

static void axis_of(const flx_torque_tree *t, const flx_item *joint, double out[3])
{
    const flx_joint_data *d = joint->data;
    flx_num3 turn = flx_num9_col(d->frame[0], 2);
    bool slides = flx_torque_is(joint, "prismatic");
    const double z[3] = {0, 0, 1};
    if (t->b->m->dimension == 2 && !slides)
        memcpy(out, z, sizeof z);
    else
        place(t, d->body[0], slides ? &d->axis[0] : &turn, false, out);
}

static void put_numbers(const flx_torque_tree *t, const double axis[3], bool slides, double side,
                        const double way[3], double *to)
{
    const double turn[3] = {axis[1] * way[2] - axis[2] * way[1],
                            axis[2] * way[0] - axis[0] * way[2],
                            axis[0] * way[1] - axis[1] * way[0]};
    bool plane = t->b->m->dimension == 2;
    for (int i = 0; i < 3; i++) {
        double a = side * (slides ? axis[i] : turn[i]), alpha = slides ? 0.0 : side * axis[i];
        if (!plane || i < 2) to[i] = a;
        if (!plane) to[3 + i] = alpha;
        if (plane && i == 2) to[2] = alpha;
    }
}

// The rows by the motion of link k as placed; k < 0: by that of the closing joint itself.
static void number_column(const flx_torque_tree *t, const flx_torque_closure *c, int k, double *to)
{
    const flx_joint_data *d = c->joint->data;
    double P[3], Q[3], axis[3], way[3] = {0, 0, 0};
    if (k < 0) {
        axis_of(t, c->joint, axis);
        put_numbers(t, axis, flx_torque_is(c->joint, "prismatic"), 1.0, way, to);
        return;
    }
    const flx_torque_link *l = &t->links[k];
    const flx_joint_data *by = l->by->data;
    double side =
        (moves_with(t, c->link[0], k) ? 1.0 : 0.0) - (moves_with(t, c->link[1], k) ? 1.0 : 0.0);
    int far = l->sign > 0.0 ? 1 : 0;
    place(t, d->body[1], &d->at[1], true, P);
    place(t, by->body[far], &by->at[far], true, Q);
    for (int i = 0; i < 3; i++) way[i] = P[i] - Q[i];
    axis_of(t, l->by, axis);
    put_numbers(t, axis, l->slides, side, way, to);
}

// How many independent columns, with those of driven joints or without.
static flx_status find_rank(const flx_torque_loops *l, bool driven, int *columns, int *rank)
{
    const flx_torque_tree *t = l->t;
    int w = width(t), n = 0;
    size_t most = (size_t)(t->nlink + t->nclosure) + 1;
    double *A = flx_take(t->b, most * (size_t)l->nrow, sizeof *A);
    int *perm = flx_take(t->b, most, sizeof *perm);
    if (!A || !perm) return FLX_ERR_MEMORY;
    for (int k = 0; k < t->nlink; k++) {
        if (t->links[k].passive < 0 && !(driven && t->links[k].joint >= 0)) continue;
        for (int c = 0; c < t->nclosure; c++)
            number_column(t, &t->closures[c], k, A + (size_t)n * (size_t)l->nrow + (size_t)(w * c));
        n++;
    }
    for (int c = 0; c < t->nclosure; c++) {
        if (!has_unknown(&t->closures[c])) continue;
        number_column(t, &t->closures[c], -1, A + (size_t)n * (size_t)l->nrow + (size_t)(w * c));
        n++;
    }
    *columns = n;
    return flx_dense_rank(t->b->ctx, l->nrow, n, A, RANK, perm, rank);
}

static flx_status check(const flx_torque_loops *l)
{
    const flx_torque_tree *t = l->t;
    int columns = 0, rank = 0, all = 0, whole = 0;
    for (int k = 0; k < t->nlink; k++) FLX_TRY(flx_body_place(t->b, t->links[k].body, t->loc));
    FLX_TRY(find_rank(l, false, &columns, &rank));
    FLX_TRY(find_rank(l, true, &all, &whole));
    if (rank < columns) {
        return FLX_FAIL(
            t->b->ctx, FLX_ERR_MODEL, t->loc,
            "computed torque '%s': in the initial configuration the driven joints leave "
            "%d of the %d other motions of its loops free; drive as many joints as "
            "there are degrees of freedom",
            t->control->full, columns - rank, columns);
    }
    if (whole == rank) return FLX_OK;
    return FLX_FAIL(t->b->ctx, FLX_ERR_MODEL, t->loc,
                    "computed torque '%s': its loops leave fewer freedoms than the %d joints that "
                    "are driven, which contradict each other by %d",
                    t->control->full, t->njoint, whole - rank);
}

// ---- together ------------------------------------------------------------------------------------------

static flx_node dot(flx_graph *g, int n, const flx_node *a, const flx_node *b)
{
    flx_node sum = node_const(g, 0.0);
    for (int i = 0; i < n; i++) sum = node_add(g, sum, node_mul(g, a[i], b[i]));
    return sum;
}

// to -= s v
static void take_away(flx_graph *g, int n, flx_node s, const flx_node *v, flx_node *to)
{
    for (int i = 0; i < n; i++) to[i] = node_sub(g, to[i], node_mul(g, s, v[i]));
}

// J = V R, columns one after the other.
static void make_orthogonal(flx_torque_loops *l)
{
    flx_graph *g = l->t->b->g;
    int m = l->nrow, n = l->ncolumn;
    for (int k = 0; k < n; k++) {
        flx_node *v = l->V + k * m;
        l->size[k] = dot(g, m, v, v);
        for (int j = k + 1; j < n; j++) {
            l->R[k * n + j] = node_div(g, dot(g, m, v, l->V + j * m), l->size[k]);
            take_away(g, m, l->R[k * n + j], v, l->V + j * m);
        }
    }
}

static flx_status fill(flx_torque_loops *l)
{
    flx_torque_tree *t = l->t;
    int w = width(t), own = t->npassive;
    for (int c = 0; c < t->nclosure; c++) {
        FLX_TRY(make_rest(t, &t->closures[c], l->rest + w * c));
        for (int k = 0; k < t->nlink; k++) {
            if (t->links[k].passive < 0) continue;
            make_column(t, &t->closures[c], k, l->V + t->links[k].passive * l->nrow + w * c);
        }
        if (has_unknown(&t->closures[c]))
            make_own_column(t, &t->closures[c], l->V + own++ * l->nrow + w * c);
    }
    make_orthogonal(l);
    return FLX_OK;
}

flx_status flx_torque_loops_create(flx_torque_tree *t, flx_torque_loops **out)
{
    *out = NULL;
    if (t->nclosure == 0) return FLX_OK;
    flx_torque_loops *l = flx_take(t->b, 1, sizeof *l);
    if (!l) return FLX_ERR_MEMORY;
    *l = (flx_torque_loops){.t = t, .nrow = width(t) * t->nclosure, .ncolumn = t->npassive};
    for (int c = 0; c < t->nclosure; c++) {
        const flx_item *joint = t->closures[c].joint;
        l->ncolumn += has_unknown(&t->closures[c]);
        if (flx_torque_is(joint, "revolute") || flx_torque_is(joint, "prismatic") ||
            flx_torque_is(joint, "fixed"))
            continue;
        return flx_torque_refuse(t, joint, "closes a loop and is neither revolute nor prismatic");
    }
    if (l->nrow > MOST || l->ncolumn > MOST) {
        return flx_torque_refuse(t, t->closures[t->nclosure - 1].joint, "closes one loop too many");
    }
    size_t m = (size_t)l->nrow, n = (size_t)l->ncolumn;
    l->V = flx_take(t->b, m * n + 1, sizeof *l->V);
    l->R = flx_take(t->b, n * n + 1, sizeof *l->R);
    l->size = flx_take(t->b, n + 1, sizeof *l->size);
    l->rest = flx_take(t->b, m, sizeof *l->rest);
    if (!l->V || !l->R || !l->size || !l->rest) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < m * n; i++) l->V[i] = node_const(t->b->g, 0.0);
    FLX_TRY(check(l));
    *out = l;
    return fill(l);
}

// R x = D^-1 V^T (-r)
flx_status flx_torque_loops_move(flx_torque_loops *l)
{
    flx_graph *g = l->t->b->g;
    int m = l->nrow, n = l->ncolumn;
    flx_node x[MOST];
    for (int k = 0; k < n; k++) {
        x[k] = node_sub(g, node_const(g, 0.0),
                        node_div(g, dot(g, m, l->V + k * m, l->rest), l->size[k]));
        take_away(g, m, node_sub(g, node_const(g, 0.0), x[k]), l->V + k * m, l->rest);
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] = node_sub(g, x[k], node_mul(g, l->R[k * n + j], x[j]));
    }
    for (int k = 0; k < l->t->npassive; k++) l->t->found[k] = x[k];
    return FLX_OK;
}

// Forces lambda of the closures with J^T lambda = what joints that follow would have to give: V D^-1 R^-T.
flx_status flx_torque_loops_share(flx_torque_loops *l, const flx_node *effort, flx_node *out)
{
    flx_torque_tree *t = l->t;
    flx_graph *g = t->b->g;
    int m = l->nrow, n = l->ncolumn, w = width(t);
    flx_node z[MOST], lambda[MOST], column[6];
    for (int k = 0; k < n; k++) z[k] = node_const(g, 0.0);
    for (int i = 0; i < t->nlink; i++) {
        if (t->links[i].passive >= 0) z[t->links[i].passive] = effort[i];
    }
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < k; j++) z[k] = node_sub(g, z[k], node_mul(g, l->R[j * n + k], z[j]));
    }
    for (int i = 0; i < m; i++) {
        lambda[i] = node_const(g, 0.0);
        for (int k = 0; k < n; k++)
            lambda[i] =
                node_add(g, lambda[i], node_mul(g, l->V[k * m + i], node_div(g, z[k], l->size[k])));
    }
    for (int i = 0; i < t->nlink; i++) {
        if (t->links[i].joint < 0) continue;
        for (int c = 0; c < t->nclosure; c++) {
            make_column(t, &t->closures[c], i, column);
            out[i] = node_sub(g, out[i], dot(g, w, column, lambda + w * c));
        }
    }
    return FLX_OK;
}
