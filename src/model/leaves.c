// leaves.c - derivations of the model's leaves: the rule of time, and unit motions of one body.
//
//     r' = v,  R' = R w~,  v' = a,  w' = alpha            w: angular velocity in body axes
//     motion of body b, d < 3:  dr = e_d;   d >= 3:  dR = R e_k~, k = d - 3      (planar: angle' = 1)
//
// R w~ by columns, indices modulo 3:  (R w~)_ij = R_i,j+1 w_j+2 - R_i,j+2 w_j+1.
#include "model/model_data.h"
#include "model/nodes.h"

// Entry (row, column) of R w~ with w in leaves.
static flx_node turned_entry(flx_graph *g, int body, int row, int column)
{
    int j1 = (column + 1) % 3, j2 = (column + 2) % 3;
    flx_node r1 = node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j1);
    flx_node r2 = node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j2);
    flx_node w1 = node_leaf(g, FLX_LEAF_BODY_SPIN, body, j1);
    flx_node w2 = node_leaf(g, FLX_LEAF_BODY_SPIN, body, j2);
    return node_sub(g, node_mul(g, r1, w2), node_mul(g, r2, w1));
}

flx_node flx_leaf_time_rate(flx_graph *g, void *model, flx_leaf l)
{
    const flx_model *m = model;
    int index = flx_leaf_get_index(l), c = flx_leaf_get_component(l);
    switch (flx_leaf_get_kind(l)) {
    case FLX_LEAF_TIME:
        return flx_graph_const(g, 1.0);
    case FLX_LEAF_PARAMETER:
    case FLX_LEAF_FACTOR:
    case FLX_LEAF_INPUT:
    case FLX_LEAF_NUMBER:
    case FLX_LEAF_TURNS:
    case FLX_LEAF_SWITCH:
    case FLX_LEAF_DISCRETE:
    case FLX_LEAF_COUNT:
        return flx_graph_const(g, 0.0);
    case FLX_LEAF_BODY_POSITION:
        return node_leaf(g, FLX_LEAF_BODY_VELOCITY, index, c);
    case FLX_LEAF_BODY_ROTATION:
        if (m->dimension == 2) return node_leaf(g, FLX_LEAF_BODY_SPIN, index, 0);
        return turned_entry(g, index, c / 3, c % 3);
    case FLX_LEAF_BODY_VELOCITY:
        return node_leaf(g, FLX_LEAF_BODY_ACCELERATION, index, c);
    case FLX_LEAF_BODY_SPIN:
        return node_leaf(g, FLX_LEAF_BODY_SPIN_RATE, index, c);
    case FLX_LEAF_VARIABLE:
        return node_leaf(g, FLX_LEAF_VARIABLE_RATE, index, c);
    case FLX_LEAF_VARIABLE_RATE:
        return node_leaf(g, FLX_LEAF_VARIABLE_RATE2, index, c);
    case FLX_LEAF_STATE:
        return node_leaf(g, FLX_LEAF_STATE_RATE, index, c);
    case FLX_LEAF_BODY_ACCELERATION:
    case FLX_LEAF_BODY_SPIN_RATE:
    case FLX_LEAF_VARIABLE_RATE2:
    case FLX_LEAF_STATE_RATE:
    case FLX_LEAF_ALGEBRAIC:
    case FLX_LEAF_REACTION:
    case FLX_LEAF_DRIVE:
    case FLX_LEAF_MULTIPLIER:
    case FLX_LEAF_PULL:
    case FLX_LEAF_ENERGY:
    case FLX_LEAF_MOMENTUM:
    case FLX_LEAF_LOAD:
    case FLX_LEAF_CONSTRAINTS:
    case FLX_LEAF_MODES:
    case FLX_LEAF_SECTION:
    case FLX_LEAF_RESULTANT:
    case FLX_LEAF_STRESS:
    case FLX_LEAF_MEASURE:
        break;
    }
    (void)FLX_FAIL(m->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                   "there is no rate of accelerations, forces and algebraic variables");
    return -1;
}

// Entry (row, column) of R e_k~.
static flx_node unit_turn(flx_graph *g, int body, int row, int column, int k)
{
    int j1 = (column + 1) % 3, j2 = (column + 2) % 3;
    if (k == j2) return node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j1);
    if (k == j1) {
        return flx_graph_unary(g, FLX_OP_NEG,
                               node_leaf(g, FLX_LEAF_BODY_ROTATION, body, 3 * row + j2));
    }
    return flx_graph_const(g, 0.0);
}

flx_node flx_leaf_body_motion(flx_graph *g, void *body_motion, flx_leaf l)
{
    const flx_body_motion *b = body_motion;
    int c = flx_leaf_get_component(l), translations = b->model->dimension;
    if (flx_leaf_get_index(l) != b->body) return flx_graph_const(g, 0.0);
    switch (flx_leaf_get_kind(l)) {
    case FLX_LEAF_BODY_POSITION:
        return flx_graph_const(g, b->d < translations && b->d == c);
    case FLX_LEAF_BODY_ROTATION:
        if (b->d < translations) return flx_graph_const(g, 0.0);
        if (b->model->dimension == 2) return flx_graph_const(g, 1.0);
        return unit_turn(g, b->body, c / 3, c % 3, b->d - 3);
    default:
        return flx_graph_const(g, 0.0);
    }
}
