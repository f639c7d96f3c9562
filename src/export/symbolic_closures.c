// symbolic_closures.c - what closes the loops: rows of the joints that are cut, motions, constraints of the
// equations, as functions of q, v and t.
//
//     g(q, t) = 0,   G v + g_t = 0,   G v' + bias = 0,   G = P^T (dg/db)          (XPT-2)
#include "export/symbolic.h"
#include "joint/joint.h"

// From a link's origin to its farthest centre of mass and on to the farthest joint there: moments are
// sums over ways of that length.
static double reach(const flx_symbolic *x, int link)
{
    double most = 0.0;
    for (int b = 0; b < x->m->nbody; b++) {
        const flx_mount *at = x->t.mounts + b;
        double way = 0.0;
        if (at->link != link) continue;
        for (int j = 0; j < x->m->njoint; j++) {
            for (int s = 0; s < 2; s++) {
                const flx_joint *joint = x->m->joints + j;
                if (joint->kind->on_joints || joint->body[s] != b) continue;
                v3 d = v3_sub(v3_load(joint->at[s]), v3_load(x->m->bodies[b].com));
                way = fmax(way, v3_norm(d));
            }
        }
        most = fmax(most, way + v3_norm(at->p));
    }
    return most;
}

// Sizes of what the entries of G are sums of. on: the wrenches of a row on the links.
static flx_status add_up_sizes(const flx_symbolic *x, const flx_node_wrench *on,
                               const flx_node *own, flx_node *size)
{
    flx_graph *g = x->g;
    size_t n = (size_t)x->n + 1;
    flx_node *moment = flx_alloc(x->ctx, 2 * n, sizeof *moment);
    if (!moment) return FLX_ERR_MEMORY;
    flx_node *force = moment + n;
    for (int i = 0; i <= x->n; i++) {
        force[i] = node_norm(g, on[i].f.c);
        moment[i] = node_add(g, node_norm(g, on[i].n.c), node_scale(g, reach(x, i - 1), force[i]));
    }
    flx_symbolic_inwards_sizes(x, moment, force, size);
    for (int i = 0; i < x->nv; i++) {
        size[i] = node_add(g, size[i], flx_graph_unary(g, FLX_OP_ABS, own[i]));
    }
    flx_free(moment);
    return FLX_OK;
}

// value: taken; of a row on velocity level its rate.
static flx_status add_row(flx_symbolic *x, const char *item, const char *part, bool velocity,
                          flx_node value)
{
    flx_graph *g = x->g;
    FLX_TRY(flx_symbolic_status(x, value));
    FLX_TRY(flx_grow(x->ctx, (void **)&x->rows, &x->row_capacity, x->nrow + 1, sizeof *x->rows));
    flx_node *G = flx_arena_take(x->arena, (size_t)x->nv, sizeof *G);
    flx_node *own = flx_arena_take(x->arena, (size_t)x->nv, sizeof *own);
    flx_node *size = flx_arena_take(x->arena, (size_t)x->nv, sizeof *size);
    flx_node_wrench *on = flx_alloc(x->ctx, (size_t)x->n + 1, sizeof *on);
    flx_status status = G && own && size && on ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i <= x->n; i++) on[i] = (flx_node_wrench){n3_zero(g), n3_zero(g)};
        for (int i = 0; i < x->nv; i++) own[i] = node_const(g, 0.0);
        status = flx_symbolic_push(x, value, velocity, node_const(g, 1.0), on, own);
    }
    if (status == FLX_OK) status = add_up_sizes(x, on, own, size);
    if (status == FLX_OK) {
        flx_symbolic_inwards(x, on, G);
        for (int i = 0; i < x->nv; i++) G[i] = node_add(g, G[i], own[i]);
        flx_node rate = velocity ? value : flx_symbolic_rate(x, value);
        flx_node bias = flx_symbolic_rate(x, rate);
        x->rows[x->nrow++] = (flx_node_row){.item = item,
                                            .part = part,
                                            .velocity = velocity,
                                            .value = velocity ? -1 : flx_symbolic_carry(x, value),
                                            .rate = flx_symbolic_carry(x, rate),
                                            .bias = flx_symbolic_carry(x, bias),
                                            .G = G,
                                            .size = size};
        status = flx_symbolic_status(x, flx_symbolic_carry(x, bias));
    }
    flx_free(on);
    return status;
}

static flx_status add_coincidence(flx_symbolic *x, const flx_joint *j, const flx_row_spec *r)
{
    n3 d = n3_sub(x->g, flx_symbolic_place(x, r->body[1], flx_symbolic_joint_place(x, j, 1)),
                  flx_symbolic_place(x, r->body[0], flx_symbolic_joint_place(x, j, 0)));
    for (int k = 0; k < r->nrow; k++) FLX_TRY(add_row(x, j->name, r->part[k], false, d.c[k]));
    return FLX_OK;
}

static flx_status add_axis(flx_symbolic *x, const flx_joint *j, const flx_row_spec *r)
{
    n3 b = flx_symbolic_direction(x, r->body[1], flx_symbolic_joint_axis(x, j, 1, r->b));
    for (int k = 0; k < 2; k++) {
        n3 a = flx_symbolic_direction(x, r->body[0], flx_symbolic_joint_axis(x, j, 0, r->a[k]));
        FLX_TRY(add_row(x, j->name, r->part[k], false, n3_dot(x->g, a, b)));
    }
    return FLX_OK;
}

static flx_status add_gear(flx_symbolic *x, const flx_joint *j)
{
    flx_node first = flx_symbolic_coordinate(x, j->joint[0], FLX_COORDINATE_NONE);
    flx_node second = flx_symbolic_coordinate(x, j->joint[1], FLX_COORDINATE_NONE);
    return add_row(
        x, j->name, "ratio", false,
        node_sub(x->g, second, node_mul(x->g, node_open(x->g, j->ratio, j->ratio_open), first)));
}

static flx_status add_motion(flx_symbolic *x, int joint)
{
    const flx_joint *j = x->m->joints + joint;
    flx_coordinate which = j->motion == FLX_MOTION_ANGLE          ? FLX_COORDINATE_ANGLE
                           : j->motion == FLX_MOTION_DISPLACEMENT ? FLX_COORDINATE_DISPLACEMENT
                                                                  : FLX_COORDINATE_NONE;
    bool velocity = j->motion == FLX_MOTION_RATE;
    flx_node c = flx_symbolic_coordinate(x, joint, which);
    FLX_TRY(flx_symbolic_status(x, c));
    if (velocity) c = flx_symbolic_rate(x, c);
    flx_node value = flx_symbolic_take(x, j->motion_value);
    return add_row(x, j->name, "motion", velocity, node_sub(x->g, c, value));
}

static flx_status add_spec(flx_symbolic *x, const flx_joint *j, const flx_row_spec *r)
{
    if (r->kind == FLX_ROW_POINT) return add_coincidence(x, j, r);
    if (r->kind == FLX_ROW_AXIS) return add_axis(x, j, r);
    flx_node sum = node_const(x->g, 0.0);
    if (r->term[0].kind == FLX_SCALAR_CURVE) {
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, j->loc,
                        "joint '%s' is on a curve, whose nearest place is searched for: it has no "
                        "exported equation",
                        j->name);
    }
    for (int i = 0; i < r->nterm; i++) {
        flx_node term = flx_symbolic_scalar(x, r->term + i);
        sum = node_add(x->g, sum, node_scale(x->g, r->coefficient[i], term));
    }
    return add_row(x, j->name, r->part[0], r->velocity, sum);
}

static flx_status add_joint(flx_symbolic *x, int joint)
{
    const flx_joint *j = x->m->joints + joint;
    flx_joint_plan plan;
    FLX_TRY(flx_joint_plan_rows(x->m, joint, FLX_HOLD_NOTHING, &plan));
    if (j->kind->on_joints) FLX_TRY(add_gear(x, j));
    bool cut = x->carrier[joint] < 0 && !j->kind->on_joints;
    if (cut && j->kind->threaded) { // its rows count turns
        FLX_TRY(flx_symbolic_status(x, flx_symbolic_coordinate(x, joint, FLX_COORDINATE_ANGLE)));
    }
    for (int i = 0; i < plan.nspec && cut; i++) {
        if (plan.spec[i].role == FLX_ROLE_HOLD) FLX_TRY(add_spec(x, j, plan.spec + i));
    }
    return j->motion == FLX_MOTION_NONE ? FLX_OK : add_motion(x, joint);
}

flx_status flx_symbolic_closures(flx_symbolic *x)
{
    for (int j = 0; j < x->m->njoint; j++) {
        const char *item = flx_arena_printf(x->arena, "joint '%s'", x->m->joints[j].name);
        if (!item) return FLX_ERR_MEMORY;
        flx_symbolic_about(x, item, x->m->joints[j].loc);
        FLX_TRY(add_joint(x, j));
    }
    for (int i = 0; i < x->m->nconstraint; i++) {
        const flx_constraint *c = x->m->constraints + i;
        if (c->compliance != 0.0) continue;
        flx_symbolic_about(x, c->name, c->loc);
        FLX_TRY(add_row(x, c->name, "", c->velocity_level, flx_symbolic_take(x, c->value)));
    }
    return FLX_OK;
}
