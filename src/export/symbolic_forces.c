// symbolic_forces.c - the forces of the model on the links and along the joints.
//
//     tau += P^T (F dphi/db) + F dphi/dq                                          (XPT-1)
// phi: a length, an angle, a displacement, a row, over bodies b and joints q.
#include "export/symbolic.h"
#include "force/force_kind.h"

#include <float.h>

static int freedoms_of(const flx_symbolic *x, int body)
{
    bool rigid = x->m->bodies[body].type == FLX_BODY_RIGID;
    if (x->t.k.planar) return rigid ? 3 : 2;
    return rigid ? 6 : 3;
}

// f: force in the ground's axes at the centre of mass, moment in the body's (planar: about z).
static void add_to_link(const flx_symbolic *x, int body, const flx_node f[6], flx_node_wrench *on,
                        flx_node *effort)
{
    flx_graph *g = x->g;
    if (body >= x->m->nbody) { // a node of an elastic body
        int attached = body - x->m->nbody;
        int carrier = x->m->attached[attached].carrier;
        n33 G = x->links[1 + x->t.mounts[carrier].link].G,
            R = n33_mul(g, x->mounts[carrier].R, x->nodes[attached].R);
        n3 own = n33_mul_v(g, R, (n3){{f[3], f[4], f[5]}});
        n3 force = n33_tmul_v(g, G, (n3){{f[0], f[1], f[2]}});
        flx_symbolic_node_push(x, attached, force, own, on, effort);
        return;
    }
    int link = x->t.mounts[body].link;
    const flx_symbolic_link *l = x->links + 1 + link;
    flx_node_wrench *w = on + 1 + link;
    n3 F = {{f[0], f[1], f[2]}}, N = {{f[3], f[4], f[5]}};
    if (link < 0) return; // it does not move
    F = n33_tmul_v(g, l->G, F);
    N = n33_mul_v(g, x->mounts[body].R, N);
    w->f = n3_add(g, w->f, F);
    w->n = n3_add(g, w->n, n3_add(g, N, n3_cross(g, x->mounts[body].p, F)));
}

static flx_node derive(flx_symbolic *x, flx_node phi, bool velocity, int body, int d)
{
    int translations = x->t.k.planar ? 2 : 3;
    if (!velocity) {
        flx_body_motion motion = {x->m, body, d};
        return flx_graph_derive(x->g, phi, flx_leaf_body_motion, &motion);
    }
    flx_leaf leaf = d < translations
                        ? flx_leaf_make(FLX_LEAF_BODY_VELOCITY, body, d)
                        : flx_leaf_make(FLX_LEAF_BODY_ANGULAR_VELOCITY, body, d - translations);
    return flx_graph_derive(x->g, phi, flx_leaf_partial, &leaf);
}

static flx_status push_body(flx_symbolic *x, flx_node phi, bool velocity, flx_node F, int body,
                            flx_node_wrench *on, flx_node *effort)
{
    flx_graph *g = x->g;
    int n = freedoms_of(x, body), translations = x->t.k.planar ? 2 : 3;
    flx_node f[6];
    for (int d = 0; d < 6; d++) f[d] = node_const(g, 0.0);
    for (int d = 0; d < n; d++) {
        flx_node slope = flx_symbolic_carry(x, derive(x, phi, velocity, body, d));
        FLX_TRY(flx_symbolic_status(x, slope));
        int to = d < translations ? d : x->t.k.planar ? 5 : d;
        f[to] = node_mul(g, F, slope);
    }
    add_to_link(x, body, f, on, effort);
    return FLX_OK;
}

static bool is_body(int kind)
{
    const flx_leaf_traits *k = flx_leaf_traits_of((flx_leaf_kind)kind);
    return k && k->body;
}

flx_status flx_symbolic_push(flx_symbolic *x, flx_node phi, bool velocity, flx_node F,
                             flx_node_wrench *on, flx_node *effort)
{
    flx_leaf *leaves = NULL;
    int n = 0;
    FLX_TRY(flx_symbolic_status(x, phi));
    FLX_TRY(flx_symbolic_status(x, F));
    FLX_TRY(flx_graph_leaves(x->g, 1, &phi, &n, &leaves));
    bool *met = flx_alloc(x->ctx, (size_t)(x->m->nbody + x->m->nattached), sizeof *met);
    flx_status status = met ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        int kind = flx_export_leaf_kind(leaves[i]), index = flx_leaf_get_index(leaves[i]);
        if (is_body(kind) && !met[index]) {
            met[index] = true;
            status = push_body(x, phi, velocity, F, index, on, effort);
        }
        if (kind != (velocity ? FLX_EXPORT_V : FLX_EXPORT_Q)) continue;
        flx_node slope = flx_symbolic_carry(x, flx_symbolic_partial(x, phi, kind, index));
        int v = velocity ? index : x->velocity_of[index];
        status = flx_symbolic_status(x, slope);
        effort[v] = node_add(x->g, effort[v], node_mul(x->g, F, slope));
    }
    flx_free(met);
    flx_free(leaves);
    return status;
}

// ---- kinds of forces ----------------------------------------------------------------------------

static bool moves(void *user, flx_leaf leaf)
{
    const int *own = user; // coordinate, velocity of a joint; NULL: of none
    int kind = flx_export_leaf_kind(leaf), index = flx_leaf_get_index(leaf);
    if (kind == FLX_EXPORT_Q) return !own || index != own[0];
    return kind == FLX_EXPORT_V && (!own || index != own[1]);
}

// Whether a force F, or one that is taken as -dV/dphi, is of one joint's coordinate alone.
static flx_status look_apart(flx_symbolic *x, flx_node phi, flx_node F)
{
    flx_leaf *leaves = NULL;
    int n = 0, own[2] = {-1, -1};
    bool single = true;
    FLX_TRY(flx_symbolic_status(x, phi));
    FLX_TRY(flx_symbolic_status(x, F));
    FLX_TRY(flx_graph_leaves(x->g, 1, &phi, &n, &leaves));
    for (int i = 0; i < n; i++) {
        int kind = flx_export_leaf_kind(leaves[i]), index = flx_leaf_get_index(leaves[i]);
        if (kind < FLX_EXPORT_Q && is_body(kind)) single = false;
        if (kind != FLX_EXPORT_Q) continue;
        if (own[0] >= 0 || x->velocity_of[index] < 0) single = false;
        own[0] = index;
    }
    flx_free(leaves);
    if (own[0] >= 0) own[1] = x->velocity_of[own[0]];
    if (!single || flx_graph_depends(x->g, F, moves, own)) x->apart = false;
    return FLX_OK;
}

static flx_status apply(flx_symbolic *x, flx_node phi, flx_node F)
{
    FLX_TRY(look_apart(x, phi, F));
    return flx_symbolic_push(x, phi, false, F, x->applied, x->effort);
}

// The places were looked at when the system was made.
static flx_status plan_parts(const flx_symbolic *x, const flx_force *f, flx_force_plan *p)
{
    return flx_force_plan_parts(x->m, f, x->ctx, HUGE_VAL, p);
}

// Stiffness and damping i of a force, length at rest.
static flx_node stiffness(const flx_symbolic *x, const flx_force *f, int i)
{
    return node_open(x->g, f->stiffness[i], f->stiffness_open[i]);
}
static flx_node damping(const flx_symbolic *x, const flx_force *f, int i)
{
    return node_open(x->g, f->damping[i], f->damping_open[i]);
}
static flx_node at_rest(const flx_symbolic *x, const flx_force *f)
{
    return node_open(x->g, f->length, f->length_open);
}

static bool is_infinite(const flx_symbolic *x, flx_node n)
{
    double value;
    return flx_graph_is_const(x->g, n, &value) && isinf(value);
}

// -k (phi - rest) - c phi' along phi
static flx_status apply_spring(flx_symbolic *x, flx_node phi, flx_node k, flx_node c, flx_node rest)
{
    flx_graph *g = x->g;
    FLX_TRY(flx_symbolic_status(x, phi));
    if (is_infinite(x, k) || is_infinite(x, c)) {
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, x->loc,
                        "%s is infinitely stiff, which exported equations cannot be; use a joint "
                        "or a finite stiffness",
                        x->item);
    }
    flx_node stretch = node_sub(g, flx_symbolic_carry(x, phi), rest);
    flx_node rate = flx_symbolic_carry(x, flx_symbolic_rate(x, phi));
    flx_node F = node_add(g, node_mul(g, k, stretch), node_mul(g, c, rate));
    return apply(x, phi, node_neg(g, F));
}

// |d|^2/2 is smooth where the length is not.
static flx_status add_centred(flx_symbolic *x, const flx_force *f, const flx_scalar *line)
{
    flx_graph *g = x->g;
    flx_node k = stiffness(x, f, 0), c = damping(x, f, 0), zero = node_const(g, 0.0);
    flx_scalar centre = *line;
    centre.kind = x->t.k.planar ? FLX_SCALAR_SQUARE2 : FLX_SCALAR_SQUARE;
    centre.length = 1.0;
    FLX_TRY(apply(x, flx_symbolic_scalar(x, &centre), node_neg(g, k)));
    return c == zero ? FLX_OK : apply_spring(x, flx_symbolic_scalar(x, line), zero, c, zero);
}

// Along the coordinate of a joint the angle counts its turns.
static flx_node part_scalar(flx_symbolic *x, const flx_force *f, const flx_force_part *part)
{
    if (!f->kind->joint) return flx_symbolic_scalar(x, &part->s);
    bool angle = part->s.kind == FLX_SCALAR_ANGLE || part->s.kind == FLX_SCALAR_ANGLE2;
    return flx_symbolic_coordinate(x, f->joint,
                                   angle ? FLX_COORDINATE_ANGLE : FLX_COORDINATE_DISPLACEMENT);
}

static flx_status add_elastic(flx_symbolic *x, const flx_force *f)
{
    flx_node zero = node_const(x->g, 0.0);
    flx_force_plan p;
    FLX_TRY(plan_parts(x, f, &p));
    for (int i = 0; i < p.npart; i++) {
        const flx_force_part *part = p.part + i;
        flx_node k = stiffness(x, f, part->component), c = damping(x, f, part->component);
        flx_node rest = part->rests ? at_rest(x, f) : zero;
        if (k == zero && c == zero) continue;
        if (f->kind->line && node_is(x->g, rest, 0.0) && !is_infinite(x, k)) {
            FLX_TRY(add_centred(x, f, &part->s));
        } else {
            FLX_TRY(apply_spring(x, part_scalar(x, f, part), k, c, rest));
        }
    }
    return FLX_OK;
}

static flx_status add_gravitation(flx_symbolic *x, const flx_force *f)
{
    const flx_model *m = x->m;
    flx_graph *g = x->g;
    for (int i = 0; i < m->nbody; i++) {
        for (int j = i + 1; j < m->nbody; j++) {
            const flx_body *a = m->bodies + i, *b = m->bodies + j;
            flx_node mm = node_mul(g, node_open(g, a->mass, a->mass_open),
                                   node_open(g, b->mass, b->mass_open));
            flx_node Gmm = node_mul(g, node_open(g, f->G, f->G_open), mm);
            flx_scalar s = {.kind = FLX_SCALAR_LENGTH, .body = {i, j}, .turn = -1};
            if (node_is(g, Gmm, 0.0)) continue;
            flx_node l = flx_symbolic_scalar(x, &s), at = flx_symbolic_carry(x, l);
            FLX_TRY(apply(x, l, node_div(g, node_neg(g, Gmm), node_mul(g, at, at))));
        }
    }
    return FLX_OK;
}

// s: of the place from the node, in its axes; F and T in the ground's.
static void add_node_wrench(flx_symbolic *x, int attached, const double s[3], double sign, n3 F,
                            n3 T)
{
    flx_graph *g = x->g;
    int carrier = x->m->attached[attached].carrier;
    n33 G = x->links[1 + x->t.mounts[carrier].link].G;
    n3 place = n33_mul_v(g, x->nodes[attached].R, n3_const(g, v3_load(s)));
    n3 arm = n33_mul_v(g, x->mounts[carrier].R, place);
    n3 force = n33_tmul_v(g, G, n3_scale(g, node_const(g, sign), F));
    n3 moment = n33_tmul_v(g, G, n3_scale(g, node_const(g, sign), T));
    moment = n3_add(g, moment, n3_cross(g, arm, force));
    flx_symbolic_node_push(x, attached, force, moment, x->applied, x->effort);
}

static flx_status add_wrench(flx_symbolic *x, const flx_force *f)
{
    flx_graph *g = x->g;
    n3 F = n3_zero(g), T = F;
    for (int k = 0; k < 3; k++) {
        if (f->force[k] >= 0) F.c[k] = flx_symbolic_carry(x, flx_symbolic_take(x, f->force[k]));
        if (f->torque[k] >= 0) T.c[k] = flx_symbolic_carry(x, flx_symbolic_take(x, f->torque[k]));
        FLX_TRY(flx_symbolic_status(x, F.c[k]));
        FLX_TRY(flx_symbolic_status(x, T.c[k]));
        if (flx_graph_depends(x->g, F.c[k], moves, NULL)) x->apart = false;
        if (flx_graph_depends(x->g, T.c[k], moves, NULL)) x->apart = false;
    }
    for (int i = 0; i < 2; i++) {
        int body = f->body[i];
        if (body < 0) continue;
        double s[3];
        FLX_TRY(flx_force_place_from_centre(x->m, f, i, x->ctx, HUGE_VAL, s));
        if (body >= x->m->nbody) {
            add_node_wrench(x, body - x->m->nbody, s, i ? 1.0 : -1.0, F, T);
            continue;
        }
        int link = x->t.mounts[body].link;
        if (link < 0) continue;
        const flx_symbolic_mount *at = x->mounts + body;
        const flx_symbolic_link *l = x->links + 1 + link;
        n3 arm = n3_add(g, at->p, n33_mul_v(g, at->R, flx_symbolic_force_place(x, f, i)));
        n3 force = n33_tmul_v(g, l->G, F), moment = n3_zero(g);
        if (x->m->bodies[body].type == FLX_BODY_RIGID) moment = n33_tmul_v(g, l->G, T);
        moment = n3_add(g, moment, n3_cross(g, arm, force));
        flx_node_wrench *on = x->applied + 1 + link;
        on->f = i ? n3_add(g, on->f, force) : n3_sub(g, on->f, force);
        on->n = i ? n3_add(g, on->n, moment) : n3_sub(g, on->n, moment);
    }
    return FLX_OK;
}

static flx_status add_effort(flx_symbolic *x, const flx_force *f)
{
    flx_node value = flx_symbolic_carry(x, flx_symbolic_take(x, f->value));
    FLX_TRY(flx_symbolic_status(x, value));
    flx_force_plan p;
    FLX_TRY(plan_parts(x, f, &p));
    return apply(x, part_scalar(x, f, p.part), f->kind->sign > 0 ? node_neg(x->g, value) : value);
}

// (STO-1) The law of a limit along the coordinate of its joint.
static flx_status add_bound(flx_symbolic *x, const flx_stop *s, int i, flx_node phi)
{
    flx_graph *g = x->g;
    flx_node zero = node_const(g, 0.0), bound = node_open(g, s->bounds[i], s->bounds_open[i]);
    flx_node at = flx_symbolic_carry(x, phi),
             rate = flx_symbolic_carry(x, flx_symbolic_rate(x, phi));
    FLX_TRY(flx_symbolic_status(x, at));
    FLX_TRY(flx_symbolic_status(x, rate));
    flx_node excess = i ? node_sub(g, at, bound) : node_sub(g, bound, at);
    flx_node a =
        node_mul(g, node_open(g, s->damping, s->damping_open), i ? rate : node_neg(g, rate));
    flx_node grown = flx_graph_binary(g, FLX_OP_MAX, node_add(g, node_const(g, 1.0), a), zero);
    flx_node power = flx_graph_binary(g, FLX_OP_POW, flx_graph_binary(g, FLX_OP_MAX, excess, zero),
                                      node_open(g, s->exponent, s->exponent_open));
    flx_node F =
        node_mul(g, node_mul(g, node_open(g, s->stiffness, s->stiffness_open), power), grown);
    return apply(x, phi, i ? node_neg(g, F) : F);
}

static flx_status add_stops(flx_symbolic *x)
{
    for (int i = 0; i < x->m->nstop; i++) {
        const flx_stop *s = x->m->stops + i;
        const char *item = flx_arena_printf(x->arena, "limits of joint '%s'", s->name);
        if (!item) return FLX_ERR_MEMORY;
        flx_symbolic_about(x, item, s->loc);
        flx_node phi = flx_symbolic_coordinate(x, s->joint, (flx_coordinate)s->coordinate);
        FLX_TRY(flx_symbolic_status(x, phi));
        for (int k = 0; k < 2; k++) {
            if (!isinf(s->bounds[k])) FLX_TRY(add_bound(x, s, k, phi));
        }
    }
    return FLX_OK;
}

static flx_status add_force(flx_symbolic *x, const flx_force *f)
{
    if (f->kind->parts) return add_elastic(x, f);
    if (f->kind->along) return add_effort(x, f);
    if (f->kind->wrench) return add_wrench(x, f);
    if (f->kind->attracts) return add_gravitation(x, f);
    return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, x->loc,
                    "%s of type '%s' cannot be exported; write it as one of type 'expression'",
                    x->item, f->kind->word);
}

flx_status flx_symbolic_forces(flx_symbolic *x)
{
    for (int i = 0; i < x->nv; i++) x->effort[i] = node_const(x->g, 0.0);
    x->apart = true;
    for (int i = 0; i < x->m->nforce; i++) {
        const flx_force *f = x->m->forces + i;
        const char *item = flx_arena_printf(x->arena, "force '%s'", f->name);
        if (!item) return FLX_ERR_MEMORY;
        flx_symbolic_about(x, item, f->loc);
        x->force = f->kind->attracts ? NULL : f;
        FLX_TRY(add_force(x, f));
    }
    x->force = NULL;
    FLX_TRY(add_stops(x));
    for (int i = 0; i < x->m->nconstraint; i++) { // those that give way: value = C lam
        const flx_constraint *c = x->m->constraints + i;
        if (c->compliance == 0.0) continue;
        x->apart = false;
        flx_symbolic_about(x, c->name, c->loc);
        flx_node value = flx_symbolic_take(x, c->value), at = flx_symbolic_carry(x, value);
        FLX_TRY(flx_symbolic_status(x, at));
        flx_node F = node_scale(x->g, -1.0 / c->compliance, at);
        FLX_TRY(flx_symbolic_push(x, value, c->velocity_level, F, x->applied, x->effort));
    }
    return FLX_OK;
}
